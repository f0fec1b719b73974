// SPDX-License-Identifier: Apache-2.0
//
// The results of `rushlight inspect`, with one function a kind of file. Each returns a new JSON object, or NULL with
// the error in the context.
#ifndef RL_CLI_INSPECT_H
#define RL_CLI_INSPECT_H

#include "cli/cli.h"
#include "compiler/host_program.h"
#include "format/pte_names.h"

// A method of a program as its file has it.
struct rl_cli_file {
    const struct rl_pte *pte;
    struct rl_pte_plan plan;
    struct rl_pte_names names;
};

json_t *rl_cli_inspect_pte(struct rl_cli *cli, const struct rl_host_files *files);
json_t *rl_cli_inspect_pt2(struct rl_cli *cli, const char *path, const struct rl_input_shapes *shapes);

// The entries of the memory map: a new array with an object for each of `tensors` that has an offset.
json_t *rl_cli_file_memory_map(const struct rl_cli_file *file, const json_t *tensors);

// How far the tensors of a memory map reach, {"bytes": .., "instruction": ..}: the first instruction during which some
// tensor ends there.
json_t *rl_cli_file_memory_peak(const json_t *map);

// Adds "live_bytes" to each instruction: the bytes that tensors of a memory map take while it runs. Bytes that several
// tensors share count once.
void rl_cli_file_add_live_bytes(struct rl_arena *arena, const json_t *map, json_t *instructions);

// The multiply-adds of a call of an operator: 0 where it has none; null where they are not known, because shapes may
// change, or the runtime does not have the operator.
json_t *rl_cli_file_macs(const struct rl_cli_file *file, const char *name, const char *overload,
                         const struct rl_fb_vector *arguments);

// ---- what the text shows

// The shape of a tensor, its order in memory unless it is row-major; nothing for a number.
void rl_cli_print_shape(const json_t *tensor);

// The operators of a report in order, each with its layer, results, operands and numbers; constants one by one if asked
// for, else their bytes.
void rl_cli_print_operators(const json_t *report, bool constants);

// The memory map of a report: offset, bytes, and a bar that shows from which operator to which each tensor lives.
void rl_cli_print_memory(struct rl_cli *cli, const json_t *report);

// ---- registry

// The registry objects of all operators that an open program calls in any of its methods: a new array of names.
// Operators that the runtime does not have are left out.
json_t *rl_cli_list_registry(const struct rl_program *program);

// Whether the program, whose operators are all there, needs a registry with rl_control_flow_all.
bool rl_cli_needs_flow(const struct rl_program *program);

#endif
