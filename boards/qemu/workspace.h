// SPDX-License-Identifier: Apache-2.0
//
// The temporary folder of one emulation, or of one program that is measured, and the files in it.
#ifndef RL_BOARDS_WORKSPACE_H
#define RL_BOARDS_WORKSPACE_H

#include "emulator.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RL_PATH_BYTES = 4096 };

// Names inside the folder. They need no quoting in an option of QEMU, whatever the user's paths look like.
#define RL_WORKSPACE_INPUTS  "inputs.bin"
#define RL_WORKSPACE_OUTPUTS "outputs.bin"
#define RL_WORKSPACE_COUNTS  "counts.txt"
#define RL_WORKSPACE_COUNTER "librl_count.so"
#define RL_WORKSPACE_IMAGE   "image.elf"
#define RL_WORKSPACE_PROGRAM "program.pte"

struct rl_workspace {
    char folder[RL_PATH_BYTES];
};

// These return 0 or an errno.
int rl_workspace_create(struct rl_workspace *workspace);
int rl_workspace_link(const struct rl_workspace *workspace, const char *target, const char *name);
// The input of the runner (batch.h): the program, the file of its tensors (NULL if there is none), and the samples.
// `failed` names the file that the errno is about.
struct rl_workspace_input {
    const char *program_path, *data_path;
    struct rl_file_bytes program, data; // if they need not be read
    const void *samples;
    uint32_t count;
    size_t sample_bytes;
};
int rl_workspace_write_input(const struct rl_workspace *workspace, const char *name,
                             const struct rl_workspace_input *input, const char **failed);

// Both are false when the file is absent or does not hold exactly `count` samples or figures.
bool rl_workspace_read_batch(const struct rl_workspace *workspace, const char *name, uint8_t *samples, uint32_t count,
                             size_t sample_bytes);
bool rl_workspace_read_counts(const struct rl_workspace *workspace, const char *name, uint64_t *counts, uint32_t count);

// The same of a profile: the counts of `count` inferences, and those of the operators of the last one.
bool rl_workspace_read_profile(const struct rl_workspace *workspace, const char *name, struct rl_counts *counts,
                               uint32_t count, struct rl_operator_counts *operators, uint32_t operator_count);

// The folder of the running program, or of the shared library that this code is in; false when its path is too long or
// unknown.
bool rl_workspace_own_folder(char folder[RL_PATH_BYTES]);

// The folder with what was built for all cores; false when its path is too long or unknown.
bool rl_workspace_firmware_folder(char folder[RL_PATH_BYTES]);

void rl_workspace_remove(const struct rl_workspace *workspace);

#endif
