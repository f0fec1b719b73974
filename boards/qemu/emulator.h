// SPDX-License-Identifier: Apache-2.0
//
// Runs a .pte program on an emulated Cortex-M core: starts qemu-system-arm with the runner firmware of that core, hands
// it the program and a batch of samples as its standard input, and collects the outputs and the number of instructions
// of each inference. Before its first instruction the emulator gives up the right to open files and to start programs
// (confine.h), so that a program that took over the firmware could not use the user's files through semihosting.
// Several emulations may run at the same time; nothing is kept between them.
#ifndef RL_BOARDS_EMULATOR_H
#define RL_BOARDS_EMULATOR_H

#include "../cycles/cores.h"
#include "counts.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The bytes of a file; NULL if they have to be read.
struct rl_file_bytes {
    const void *bytes;
    size_t size;
};

enum rl_emulation_status {
    RL_EMULATION_OK = 0,
    RL_EMULATION_UNKNOWN_CORE, // the message lists the cores
    RL_EMULATION_MISSING,      // qemu-system-arm or the firmware: the message says which command provides it
    RL_EMULATION_REFUSED,      // the runtime on the core refused the program or the inputs, with its message
    RL_EMULATION_FAULT,        // the firmware faulted or ended without a result: a bug, with what it printed
    RL_EMULATION_TIMEOUT,
    RL_EMULATION_CANCELLED,
    RL_EMULATION_SYSTEM, // no memory, no temporary folder, ...: with the reason of the operating system
};

struct rl_emulation {
    const char *core;         // "cortex-m4" or short "m4"; rl_emulator_core lists them
    const char *program_path; // the .pte file
    const char *data_path;    // the .ptd file of the tensors that it has outside, or NULL
    // What these files hold, if it is in memory already: then nothing is read, and the paths are names for messages.
    struct rl_file_bytes program, data;
    uint32_t method; // the number of its method, from 0
    // `samples` times `input_bytes`: for each sample its inputs in the program's order, each with its elements in
    // logical (C) order, as in a .npy file.
    const void *inputs;
    size_t input_bytes;       // of one sample, all inputs together
    size_t output_bytes;      // of one sample, all outputs together
    uint32_t samples;         // at least 1
    uint32_t sequence;        // the program starts with its first state after so many samples; 0: never again
    unsigned timeout_seconds; // wall clock for the whole batch; 0 means 600
    // With `profiles` each sample has all counts, and the last one those of each of the method's `operators`
    // instructions. `wait_states` are those of a flash with code and constants (boards/cycles/flash.h).
    bool profiles;
    uint32_t operators, wait_states;
    // Told several times a second how many samples are done. When it returns false, the emulation ends with
    // RL_EMULATION_CANCELLED. May be NULL.
    bool (*progress)(void *user, uint32_t done);
    void *user;
};

struct rl_emulation_result {
    uint8_t *outputs;       // `samples` times `output_bytes`, arranged like the inputs
    uint64_t *instructions; // one figure a sample: loading is not counted
    // With `profiles`, else NULL: by sample, and by instruction of the method in the last sample, in which marks of the
    // operators are counted as well. One that is not an operator, or was not reached, has no runs.
    struct rl_counts *counts;
    struct rl_operator_counts *operators;
    uint32_t arena_bytes; // all planned buffers
    uint32_t state_bytes; // the runtime's own memory beside them
    uint32_t stack_bytes; // deepest stack of the firmware since its start
};

// Runs the job. With RL_EMULATION_OK `result` owns memory until rl_emulation_free; with every other status it is empty
// and `message` (at most `message_bytes` with its NUL) is one sentence for the user.
//
// The firmware is <folder>/<short core>/rushlight_runner.elf and the counter <folder>/librl_count.so, where folder is
// $RUSHLIGHT_FIRMWARE or else the one of the running program, or of the shared library that this code is in. Where the
// system cannot confine the emulator, it is not run unless $RUSHLIGHT_UNCONFINED is 1. $TMPDIR is where the temporary
// folder is made; it is removed in every case.
enum rl_emulation_status rl_emulate(const struct rl_emulation *job, struct rl_emulation_result *result, char *message,
                                    size_t message_bytes);

void rl_emulation_free(struct rl_emulation_result *result);

// The name of emulated core `index` ("cortex-m0", ...), in ascending order; NULL after the last.
const char *rl_emulator_core(size_t index);

// The machine of QEMU that has the core; NULL if it is not emulated.
const char *rl_emulator_machine(const char *core);

// What is known of the modelled cycles of an emulated core; NULL if there is no model of it.
const struct rl_cycle_facts *rl_emulator_cycles(const char *core);

#endif
