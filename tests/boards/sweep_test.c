// SPDX-License-Identifier: Apache-2.0
//
// usage: sweep_test.elf EVERY FILE...: hostile calls on a core, whose kernels are others than the host's and which may
// fault where the host does not.
#include "board.h"
#include "semihosting.h"

#include "fuzz/pte_sweep.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    struct sweep_totals totals = {0};
    size_t room;
    uint8_t *pool = rl_board_pool(&room);
    for (int i = 2; i < argc; i++) {
        const int32_t file = rl_semihosting_open(argv[i], RL_SEMIHOSTING_READ);
        const int32_t length = file < 0 ? -1 : rl_semihosting_length(file);
        if (length <= 0 || (size_t)length > room || rl_semihosting_read(file, pool, (size_t)length) != 0) {
            printf("FAIL: %s cannot be read\n", argv[i]);
            return 1;
        }
        rl_semihosting_close(file);
        rl_sweep_program(argv[i], pool, (size_t)length, (uint32_t)strtoul(argv[1], NULL, 10), &totals);
    }
    printf("%u programs, %u of them run, %u calls to their end\n", (unsigned)totals.made, (unsigned)totals.run,
           (unsigned)totals.calls);
    return totals.calls > 0 ? 0 : 1;
}
