// SPDX-License-Identifier: Apache-2.0
//
// Multipliers and shifts of real factors, bit for bit as ExecuTorch's quantize_multiplier_aot gives them: the mantissa
// of frexp times 2^31, rounded to even. The expected numbers were computed with Python's fractions, not with this code.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "compiler/passes/rewrite/multiplier.h"

static void expect(double real, int32_t multiplier, int32_t shift)
{
    const struct rl_multiplier found = rl_multiplier_of(real);
    if (found.multiplier != multiplier || found.shift != shift) {
        fail_msg("%a is %d * 2^%d instead of %d * 2^%d", real, (int)found.multiplier, (int)found.shift, (int)multiplier,
                 (int)shift);
    }
}

static void powers_of_two_are_exact(void **state)
{
    (void)state;
    for (int exponent = -32; exponent <= 29; exponent++) {
        expect(ldexp(1.0, exponent), INT32_C(1) << 30, exponent + 1);
    }
}

// Mantissas of 33 bits, whose last two are rounded away: up, down, and to even from the middle.
static void mantissas_are_rounded_to_even(void **state)
{
    (void)state;
    expect(0.5 + 0x1p-33, 1 << 30, 0);            // 2^30 + 1/4
    expect(0.5 + 0x3p-33, (1 << 30) + 1, 0);      // 2^30 + 3/4
    expect(0.5 + 0x1p-32, 1 << 30, 0);            // 2^30 + 1/2: down to even
    expect(0.5 + 0x3p-32, (1 << 30) + 2, 0);      // 2^30 + 3/2: up to even
    expect(0.75 + 0x3p-33, 0x60000001, 0);        // as above, of another mantissa
    expect(0.001, 1099511628, -9);                // 1099511627.776
    expect(0.1, 1717986918, -3);                  // 1717986918.4
    expect(0.7, 1503238554, 0);                   // 1503238553.6
    expect(3.1415926535897931, 1686629713, 2);    // 1686629713.07
    expect(1.0 / 3.0 * 0x1p-20, 1431655765, -21); // 1431655765.33
    expect(2.0 / 3.0 * 0x1p-20, 1431655765, -20); // the same mantissa
    expect(1e-9, 1152921505, -29);                // 1152921504.6
}

static void mantissas_that_round_up_to_one_carry(void **state)
{
    (void)state;
    expect(1.0 - 0x1p-33, 1 << 30, 1);
    expect(1.0 - 0x1p-32, 1 << 30, 1); // the middle: 2^31 is even
    expect(1.0 - 0x1p-31, INT32_MAX, 0);
}

static void factors_out_of_range_are_the_nearest_that_kernels_take(void **state)
{
    (void)state;
    expect(0.0, 0, 0);
    expect(0x1p-33, 0, 0);
    expect(0x1p-32, 1 << 30, -31);
    expect(0x1p30 - 1, INT32_MAX - 1, 30);
    expect(0x1p30 - 0x1p-3, INT32_MAX, 30); // would carry to a shift of 31
    expect(0x1p30, INT32_MAX, 30);
    expect(INFINITY, INT32_MAX, 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(powers_of_two_are_exact),
        cmocka_unit_test(mantissas_are_rounded_to_even),
        cmocka_unit_test(mantissas_that_round_up_to_one_carry),
        cmocka_unit_test(factors_out_of_range_are_the_nearest_that_kernels_take),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
