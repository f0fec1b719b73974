// SPDX-License-Identifier: Apache-2.0
//
// Bundled programs (.bpte): a program with inputs, and the outputs to expect from them.
#ifndef RL_CLI_BUNDLE_H
#define RL_CLI_BUNDLE_H

#include "cli/execution.h"
#include "compiler/emit/pte.h"
#include "compiler/options.h"

// The name of the bundle of a program: that of the program with .bpte in place of .pte.
const char *rl_cli_bundle_path(struct rl_arena *arena, const char *program);

// Whether a file name ends as those of bundles do.
bool rl_cli_is_bundle_path(const char *path);

// Writes a program that was just compiled as a bundle. Its cases are the first samples of the calibration data, or
// those of the model, with the bytes that the program gives on the host; each begins with the first states of the
// program.
enum rl_status rl_cli_write_bundle(struct rl_cli *cli, const struct rl_compile_options *options,
                                   const struct rl_emitted *emitted, const char *path, uint32_t *case_count);

// The inputs of all cases of the bundle, as samples each of which is a sequence of its own. All cases must have the
// same sizes.
enum rl_status rl_cli_bundle_samples(struct rl_cli *cli, struct rl_cli_program *program, struct rl_dataset *samples);

struct rl_cli_tolerance {
    double relative, absolute; // as of torch.allclose
};

// --rtol and --atol; RL_EXIT_USAGE if they are not tolerances.
int rl_cli_read_tolerance(const struct rl_cli *cli, struct rl_cli_tolerance *tolerance);

// {cases, passed, identical, rtol, atol, largest_difference, failed}: what the program gave beside what its bundle
// expects. NULL with the reason in the context if the two cannot be compared.
json_t *rl_cli_compare_bundle(struct rl_cli *cli, const struct rl_cli_program *program,
                              const struct rl_cli_outputs *outputs, const struct rl_cli_tolerance *tolerance);

// The same for people.
void rl_cli_print_bundle(const json_t *comparison);

#endif
