// SPDX-License-Identifier: Apache-2.0
//
// A program, samples for it, and its outputs on the host or on an emulated core. Samples and outputs are in logical (C)
// order throughout.
#ifndef RL_CLI_EXECUTION_H
#define RL_CLI_EXECUTION_H

#include "boards/qemu/counts.h"
#include "cli/cli.h"
#include "compiler/data/dataset.h"
#include "compiler/host_program.h"
#include "format/bundle_reader.h"

struct rl_cli_program {
    const char *path, *data_path; // .pte or .bpte, and .ptd; the latter may be NULL
    struct rl_host_files files;
    const struct rl_bundle *bundle; // of a .bpte, which has the program and cases to test it with; NULL: a .pte
    struct rl_host_program host;
    int input_count, output_count; // inputs that are numbers or None belong to the program and do not count
    uint32_t *input_places;        // their indices among all of the program's inputs
    // Contiguous types with the largest sizes, and whether the sizes may be smaller.
    struct rl_tensor_type *input_bounds, *output_bounds;
    bool *input_changes, *output_changes;
    // The same with the sizes of the samples that were loaded, and of the outputs.
    struct rl_tensor_type *input_types, *output_types;
    unsigned timeout_seconds; // of a run on an emulated core; 0: what the emulator takes
};

// Outputs of all samples.
struct rl_cli_outputs {
    int64_t sample_count;
    uint8_t **data;         // by output: the samples one after the other
    uint64_t *instructions; // by sample; NULL on the host, which does not count them
    // On an emulated core: planned buffers, the runtime's own memory beside them, the deepest stack.
    uint32_t arena_bytes, state_bytes, stack_bytes;
};

// Reads a .pte, or the one in a .bpte, and the .ptd of the tensors that it has outside (NULL if there is none). The
// option --require-checksum is stored, if the verb has it. `method` is stored; struct rl_host_files says what NULL
// means.
enum rl_status rl_cli_read_program(struct rl_cli *cli, const char *path, const char *data_path, const char *method,
                                   struct rl_host_files *files);

// Whether what was read is a .pte, by its first bytes.
bool rl_cli_is_program(const struct rl_host_files *files);

// Opens what was read, or is in memory: `files` as rl_cli_read_program leaves them.
enum rl_status rl_cli_open_files(struct rl_cli *cli, const struct rl_host_files *files, struct rl_cli_program *program);

// Reads and verifies both files and prepares a method of the program on the host. The program must not be copied.
enum rl_status rl_cli_open_program(struct rl_cli *cli, const char *path, const char *data_path, const char *method,
                                   struct rl_cli_program *program);

// Samples from .npz and .npy files, or from one .npy for each input in order. Without files there is one sample of
// zeros. An input whose shape may change takes the sizes of its array. If the array has as many dimensions as the
// input, it is one sample; otherwise its first dimension counts samples. A .pte does not name its inputs. They have the
// names in `model`, whose samples are taken if there are no files; where that is NULL, `input` or `input_K`, or else
// those of the first arrays of a .npz that fit. An int8 input whose grid the program tells takes real numbers as well,
// and gets the integers that stand for them.
enum rl_status rl_cli_load_samples(struct rl_cli *cli, struct rl_cli_program *program, const struct rl_graph *model,
                                   const char *const *paths, int path_count, struct rl_dataset *samples);

// Sets the inputs of a program on the host to one sample. At the start of a sequence (rl_dataset_starts), the states of
// the program get their first values.
enum rl_status rl_cli_set_sample(struct rl_cli *cli, struct rl_cli_program *program, const struct rl_dataset *samples,
                                 int64_t sample);

// The same, and runs it; the outputs are then in the program.
enum rl_status rl_cli_run_sample(struct rl_cli *cli, struct rl_cli_program *program, const struct rl_dataset *samples,
                                 int64_t sample);

// Runs all samples on "host" or an emulated core ("cortex-m4"). Each output must have the same sizes in all.
enum rl_status rl_cli_run_samples(struct rl_cli *cli, struct rl_cli_program *program, const struct rl_dataset *samples,
                                  const char *core, struct rl_cli_outputs *outputs);

// What the operators of a program take on an emulated core.
enum { RL_CLI_COUNTED_RUNS = 3 };
struct rl_cli_counts {
    uint32_t wait_states; // of flash; set by the caller
    struct rl_cli_outputs outputs;
    // The first run, which also reads the program; a later one, as in a firmware; and one with marks between operators,
    // from which the counts of the operators are. Each begins with the first states of the program.
    const struct rl_counts *inferences;
    const struct rl_operator_counts *operators; // by instruction of the method
};

// Runs the first sample so often and counts.
enum rl_status rl_cli_count_operators(struct rl_cli *cli, struct rl_cli_program *program,
                                      const struct rl_dataset *samples, const char *core, struct rl_cli_counts *counts);

// The grid of an output that is int8 where the model has floats. False when the program has floats as well, or when its
// grid is unknown.
bool rl_cli_output_grid(const struct rl_cli_program *program, int index, struct rl_io_grid *grid);

// An output of one sample as floats, by its grid if it has one.
void rl_cli_read_output(const struct rl_cli_program *program, const struct rl_cli_outputs *outputs, int index,
                        int64_t sample, float *reals);

// Checks the value of --on; RL_EXIT_USAGE with the list of accepted cores.
int rl_cli_read_core(const struct rl_cli *cli, const char **core);

#endif
