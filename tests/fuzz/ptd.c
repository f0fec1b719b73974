// SPDX-License-Identifier: Apache-2.0
//
// Opens a file of tensors, and looks up every name in it.
#include <stdlib.h>
#include <string.h>

#include "format/ptd_reader.h"
#include "fuzz/fuzz.h"

static void find_all(const struct rl_ptd *ptd)
{
    for (uint32_t i = 0; i < ptd->tensors.count && i < 64; i++) {
        uint32_t length, table = rl_fb_item_table(&ptd->fb, &ptd->tensors, i);
        const char *key = rl_fb_string(&ptd->fb, table, RL_PTE_named_tensor_key, &length);
        volatile uint8_t sum = 0;
        struct rl_ptd_search search = {
            .key = key, .key_length = length, .dtype = RL_FLOAT32, .entry = i, .steps = UINT32_MAX};
        if (!key || !rl_ptd_find(ptd, &search)) {
            continue;
        }
        for (uint32_t k = 0; k < search.available; k++) {
            sum = (uint8_t)(sum + ptd->fb.data[search.position + k]);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct rl_ptd ptd;
    void *file = NULL;
    if (posix_memalign(&file, 16, size > 0 ? size : 1) != 0) {
        abort();
    }
    memcpy(file, data, size);
    if (!rl_ptd_open(&ptd, file, size)) {
        find_all(&ptd);
    }
    free(file);
    return 0;
}
