// SPDX-License-Identifier: Apache-2.0
//
// A TCG plugin for qemu-system-arm that counts instructions, and estimates cycles, between two marks of the firmware.
//
//     -plugin file=librl_count.so,out=FILE[,model=CORE][,confine=BYTES]
//
// Counts every instruction executed after rl_mark_begin returned and before rl_mark_end is called
// (boards/common/mark.h) and writes the count as one decimal line to FILE at each rl_mark_end. The marks are found by
// the symbols of the firmware that QEMU loaded. An instruction whose condition failed counts, because it takes a cycle
// on the core, too. With a model (m0, m3, ..: cycle_model.h) each line has the estimated cycles as a second number.
//
// With confine, the emulator gives up its rights (confine.h) before the first instruction, or ends if it cannot. BYTES
// is what its files may grow to.
//
// Plugin interface version 1, declared here because Debian ships no header for it; described in QEMU's documentation,
// "QEMU TCG Plugins".
#include "confine.h"
#include "cycle_model.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef uint64_t qemu_plugin_id_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_info_t;
enum qemu_plugin_cb_flags { QEMU_PLUGIN_CB_NO_REGS };
enum qemu_plugin_op { QEMU_PLUGIN_INLINE_ADD_U64 };

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *block, size_t index);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *instruction);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *instruction);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *instruction);
const char *qemu_plugin_insn_symbol(const struct qemu_plugin_insn *instruction);
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id,
                                           void (*callback)(qemu_plugin_id_t id, struct qemu_plugin_tb *block));
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *block, void (*callback)(unsigned cpu, void *data),
                                          enum qemu_plugin_cb_flags flags, void *data);
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *block, enum qemu_plugin_op operation,
                                              void *counter, uint64_t amount);

__attribute__((visibility("default"))) extern int qemu_plugin_version;
__attribute__((visibility("default"))) int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info_t *info,
                                                               int count, char **arguments);

int qemu_plugin_version = 1;

// There is one emulated core, so QEMU calls everything below from one thread.
static uint64_t executed, executed_at_begin;
static FILE *out;
static bool confining; // not yet done
static uint64_t file_bytes;

// A block of code. Used only with a model.
struct block {
    uint64_t start, end; // addresses
    struct rl_cycle_block sum;
};

static enum rl_cycle_core model = RL_CYCLES_CORES;
static uint64_t cycles, cycles_at_begin;
static const struct block *last_block;

static void on_begin(unsigned cpu, void *data)
{
    (void)cpu;
    (void)data;
    executed_at_begin = executed;
    cycles_at_begin = cycles;
}

static void on_end(unsigned cpu, void *data)
{
    (void)cpu;
    (void)data;
    const uint64_t call_of_mark = 1;
    fprintf(out, "%" PRIu64, executed - executed_at_begin - call_of_mark);
    if (model != RL_CYCLES_CORES) {
        fprintf(out, " %" PRIu64, cycles - cycles_at_begin);
    }
    fputc('\n', out);
    fflush(out);
}

static void on_block(unsigned cpu, void *data)
{
    (void)cpu;
    const struct block *block = data;
    if (last_block && block->start == last_block->end) {
        cycles += rl_cycle_block_following(&last_block->sum, &block->sum);
    } else {
        cycles += block->sum.cycles + rl_cycle_refill(model);
    }
    last_block = block;
}

static void estimate(struct qemu_plugin_tb *block)
{
    const size_t count = qemu_plugin_tb_n_insns(block);
    struct rl_cycle_block sum = {.core = model};
    for (size_t i = 0; i < count; i++) {
        const struct qemu_plugin_insn *instruction = qemu_plugin_tb_get_insn(block, i);
        rl_cycle_block_add(&sum, qemu_plugin_insn_data(instruction), qemu_plugin_insn_size(instruction));
    }
    struct block *estimated = malloc(sizeof *estimated); // QEMU may enter it as long as it runs
    if (!estimated) {
        abort();
    }
    const struct qemu_plugin_insn *last = qemu_plugin_tb_get_insn(block, count - 1);
    estimated->start = qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(block, 0));
    estimated->end = qemu_plugin_insn_vaddr(last) + qemu_plugin_insn_size(last);
    estimated->sum = sum;
    qemu_plugin_register_vcpu_tb_exec_cb(block, on_block, QEMU_PLUGIN_CB_NO_REGS, estimated);
}

static void confine(void)
{
    const int error = rl_confine(file_bytes);
    if (error) {
        fprintf(stderr, "rl_count: cannot confine the emulator: %s\n", strerror(error));
        _exit(1);
    }
    confining = false;
}

// Each block adds its length when it is entered. A mark is a call and a return, and therefore a block of its own, which
// adds nothing. The blocks of its callers are complete.
static void on_translate(qemu_plugin_id_t id, struct qemu_plugin_tb *block)
{
    (void)id;
    if (confining) {
        confine(); // all files are open by now, and nothing has been executed
    }
    const char *symbol = qemu_plugin_insn_symbol(qemu_plugin_tb_get_insn(block, 0));
    if (symbol && strcmp(symbol, "rl_mark_begin") == 0) {
        qemu_plugin_register_vcpu_tb_exec_cb(block, on_begin, QEMU_PLUGIN_CB_NO_REGS, NULL);
        return;
    }
    if (symbol && strcmp(symbol, "rl_mark_end") == 0) {
        qemu_plugin_register_vcpu_tb_exec_cb(block, on_end, QEMU_PLUGIN_CB_NO_REGS, NULL);
        return;
    }
    qemu_plugin_register_vcpu_tb_exec_inline(block, QEMU_PLUGIN_INLINE_ADD_U64, &executed,
                                             qemu_plugin_tb_n_insns(block));
    if (model != RL_CYCLES_CORES) {
        estimate(block);
    }
}

int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info_t *info, int count, char **arguments)
{
    (void)info;
    bool known = true;
    for (int i = 0; i < count; i++) {
        if (strncmp(arguments[i], "out=", 4) == 0) {
            out = fopen(arguments[i] + 4, "w");
        }
        if (strncmp(arguments[i], "model=", 6) == 0) {
            model = rl_cycle_core_named(arguments[i] + 6);
            known = model != RL_CYCLES_CORES;
        }
        if (strncmp(arguments[i], "confine=", 8) == 0) {
            file_bytes = strtoull(arguments[i] + 8, NULL, 10);
            confining = true;
        }
    }
    if (!known) {
        fputs("rl_count: there is no model of this core; see cycle_model.h\n", stderr);
        return 1;
    }
    if (!out) {
        fputs("rl_count: out=FILE is missing or cannot be written\n", stderr);
        return 1;
    }
    qemu_plugin_register_vcpu_tb_trans_cb(id, on_translate);
    return 0;
}
