// SPDX-License-Identifier: Apache-2.0
#include "compiler/support/memory_files.h"

#include <stdlib.h>
#include <string.h>

struct rl_memory_file *rl_memory_file_find(const struct rl_context *context, const char *name)
{
    struct rl_memory_file *file = context->files;
    while (file && strcmp(file->name, name) != 0) {
        file = file->next;
    }
    return file;
}

enum rl_status rl_memory_file_write(struct rl_context *context, struct rl_memory_file *file, const void *data,
                                    size_t size)
{
    void *copy = malloc(size + 1); // nothing that was written is something, too
    if (!copy) {
        return rl_fail(context, RL_ERROR_OUT_OF_MEMORY, "%s: no memory left", file->name);
    }
    if (size > 0) {
        memcpy(copy, data, size);
    }
    free(file->written);
    file->written = copy;
    file->data = copy;
    file->size = size;
    return RL_OK;
}
