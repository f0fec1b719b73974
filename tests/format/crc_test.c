// SPDX-License-Identifier: Apache-2.0
//
// The CRC of hosts beside that of cores: any number of bytes, at any address, in any pieces.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "format/crc.h"

// format/crc.c, which a host does not link (CMakeLists.txt).
uint32_t rl_crc_add_on_core(uint32_t crc, const uint8_t *data, uint32_t bytes);

static uint8_t contents[4096];

static void test_check_value(void **state)
{
    (void)state;
    assert_int_equal(~rl_crc_add(UINT32_MAX, (const uint8_t *)"123456789", 9), 0xCBF43926);
}

static void test_same_as_on_cores(void **state)
{
    (void)state;
    for (uint32_t first = 0; first < 9; first++) {
        for (uint32_t count = 0; count < 70; count++) {
            const uint32_t crc = 0x9E3779B9 * (count + 1);
            assert_int_equal(rl_crc_add(crc, contents + first, count),
                             rl_crc_add_on_core(crc, contents + first, count));
        }
    }
    assert_int_equal(rl_crc_add(UINT32_MAX, contents, sizeof contents),
                     rl_crc_add_on_core(UINT32_MAX, contents, sizeof contents));
}

static void test_pieces(void **state)
{
    (void)state;
    const uint32_t whole = rl_crc_add(UINT32_MAX, contents, 100);
    for (uint32_t cut = 0; cut <= 100; cut++) {
        const uint32_t front = rl_crc_add(UINT32_MAX, contents, cut);
        assert_int_equal(rl_crc_add(front, contents + cut, 100 - cut), whole);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_check_value),
        cmocka_unit_test(test_same_as_on_cores),
        cmocka_unit_test(test_pieces),
    };
    uint32_t random = 1;
    for (size_t i = 0; i < sizeof contents; i++) {
        random = random * 1664525 + 1013904223;
        contents[i] = (uint8_t)(random >> 24);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
