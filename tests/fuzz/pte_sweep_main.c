// SPDX-License-Identifier: Apache-2.0
// usage: fuzz_pte_sweep EVERY FILE...
#include <stdio.h>
#include <stdlib.h>

#include "fuzz/pte_sweep.h"

int main(int argc, char **argv)
{
    enum { MOST = 1 << 20 };
    struct sweep_totals totals = {0};
    const int every = argc < 3 ? 0 : atoi(argv[1]);
    uint8_t *file = malloc(MOST);
    if (every < 1) {
        fprintf(stderr, "usage: fuzz_pte_sweep EVERY FILE...\n");
        return 2;
    }
    for (int i = 2; i < argc; i++) {
        FILE *stream = fopen(argv[i], "rb");
        const size_t size = stream ? fread(file, 1, MOST, stream) : 0;
        if (size == 0) {
            fprintf(stderr, "fuzz_pte_sweep: %s cannot be read\n", argv[i]);
            return 1;
        }
        fclose(stream);
        rl_sweep_program(argv[i], file, size, (uint32_t)every, &totals);
    }
    free(file);
    printf("%u programs, %u of them run, %u calls to their end\n", (unsigned)totals.made, (unsigned)totals.run,
           (unsigned)totals.calls);
    return totals.calls > 0 ? 0 : 1;
}
