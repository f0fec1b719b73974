// SPDX-License-Identifier: Apache-2.0
//
// The sources of the kernels and the runtime, which projects and packages carry along. There is one list of them,
// share/rushlight/sources.txt, which CMake writes from the lists that it builds the libraries from. The files lie
// beside it. docs/layout.md says what uses it.
#ifndef RL_COMPILER_C_SOURCES_H
#define RL_COMPILER_C_SOURCES_H

#include <stdbool.h>

#include "compiler/support/arena.h"
#include "compiler/support/context.h"
#include "rushlight/kernels/layer.h"

// A file of a project.
struct rl_project_file {
    const char *path; // below the folder of the project
    const void *data;
    size_t bytes;
};

struct rl_project_files {
    struct rl_project_file *items;
    int count, capacity;
};

void rl_project_add(struct rl_arena *arena, struct rl_project_files *files, const char *path, const void *data,
                    size_t bytes);

// Adds all files of the list's group `library` ("kernels", "format", "runtime") that a build for `isa` needs, below
// `folder`. Kernels lie in `folder`/kernels, public headers in `folder`/kernels/rushlight (`folder` and
// `folder`/kernels are the include folders), the others as in the tree.
//
// With `functions`, only the sources in which these are, and what they call and include. Without (NULL), all of them.
// What serves the host is always there, so that a project can be tried on one.
enum rl_status rl_sources_add(struct rl_context *context, struct rl_arena *arena, const char *share,
                              const char *library, const char *const *functions, int function_count, enum rl_isa isa,
                              const char *folder, struct rl_project_files *files);

// The same for a program in C that calls operators: adds those of the runtime in which `operators` (rl_run_aten_exp,
// rl_run_wide_aten_exp) are, what they call and include, kernels too, and runtime/operators/direct. They lie as in the
// tree. A first line switches messages off and sets the flags with which all cores give the same bytes.
enum rl_status rl_sources_add_operators(struct rl_context *context, struct rl_arena *arena, const char *share,
                                        const char *const *operators, int operator_count, enum rl_isa isa,
                                        const char *folder, struct rl_project_files *files);

// Writes a folder whole or not at all: it is written under another name beside its place, and renamed. RL_ERROR_IO if
// `path` exists and is not an empty folder. With `replaces` a folder that this function wrote before, which a file
// `marker` in it tells, is replaced.
enum rl_status rl_project_write(struct rl_context *context, struct rl_arena *arena, const char *path,
                                const struct rl_project_files *files, const char *marker, bool replaces);

#endif
