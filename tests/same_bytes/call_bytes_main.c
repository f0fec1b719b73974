// SPDX-License-Identifier: Apache-2.0
// usage: call_bytes [EVERY FILE...]
// Prints the checksums of calls.h for each file; without any, the names of all operators.
#include <stdio.h>
#include <stdlib.h>

#include "rushlight/operator.h"
#include "rushlight/registry.h"
#include "same_bytes/calls.h"

int main(int argc, char **argv)
{
    enum { MOST = 1 << 20 };
    uint8_t *file = aligned_alloc(RL_ALIGNMENT, MOST);
    for (uint32_t i = 0; argc < 2 && i < rl_registry_all.count; i++) {
        printf("%s\n", rl_registry_all.kernels[i]->name);
    }
    for (int i = 2; i < argc; i++) {
        FILE *stream = fopen(argv[i], "rb");
        const size_t size = stream ? fread(file, 1, MOST, stream) : 0;
        if (size == 0) {
            fprintf(stderr, "call_bytes: %s cannot be read\n", argv[i]);
            return 1;
        }
        fclose(stream);
        print_calls(argv[i], file, size, (uint32_t)strtoul(argv[1], NULL, 10));
    }
    free(file);
    return 0;
}
