// SPDX-License-Identifier: Apache-2.0
//
// Opens a bundled program, and reads each value of the cases of `forward`. What is accepted must be whole.
#include <stdlib.h>
#include <string.h>

#include "format/bundle_reader.h"
#include "fuzz/fuzz.h"

enum { MOST = 64 };

static void read_bytes(const uint8_t *data, uint32_t bytes)
{
    volatile uint8_t sum = 0;
    for (uint32_t i = 0; i < bytes; i++) {
        sum = (uint8_t)(sum + data[i]);
    }
}

static void read_values(const struct rl_bundle *bundle, const struct rl_fb_vector *values)
{
    struct rl_bundle_value value;

    for (uint32_t i = 0; i < values->count && i < MOST; i++) {
        if (rl_bundle_value(bundle, values, i, &value) && value.kind == RL_BUNDLE_TENSOR) {
            read_bytes(value.data, value.bytes);
        }
    }
}

static void read_all(const void *file, size_t size)
{
    struct rl_bundle bundle;
    struct rl_fb_vector cases, values;

    if (!rl_bundle_open(&bundle, file, size)) {
        return;
    }
    read_bytes(bundle.program, bundle.program_bytes);
    if (!rl_bundle_cases(&bundle, "forward", &cases)) {
        return;
    }
    for (uint32_t i = 0; i < cases.count && i < MOST; i++) {
        for (int side = 0; side < 2; side++) {
            if (rl_bundle_values(&bundle, &cases, i, side == 1, &values)) {
                read_values(&bundle, &values);
            }
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    void *file = NULL;
    if (posix_memalign(&file, 16, size > 0 ? size : 1) != 0) {
        abort();
    }
    memcpy(file, data, size);
    read_all(file, size);
    free(file);
    return 0;
}
