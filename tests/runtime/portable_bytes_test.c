// SPDX-License-Identifier: Apache-2.0
//
// Portable operators on elements of one byte, as quantized models have them, against their definitions: limits,
// choices, extrema, and copies by index, in several layouts. These have loops and copies of whole runs of their own.
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/operator_program.h"

enum { MOST = 4096 };

static const uint8_t channels_last[] = {0, 2, 3, 1};

static const uint8_t *order_of(uint32_t choice)
{
    return (choice & 1) != 0 ? channels_last : NULL;
}

static void fill(int8_t *bytes, uint32_t seed)
{
    for (int i = 0; i < MOST; i++) {
        bytes[i] = (int8_t)test_random_int(&seed, -128, 127);
    }
}

static int64_t limited(int64_t x, bool has_lowest, int64_t lowest, bool has_highest, int64_t highest)
{
    x = has_lowest && x < lowest ? lowest : x;
    return has_highest && x > highest ? highest : x;
}

static void add_limit(struct test_program *p, bool is_given, int64_t limit)
{
    if (is_given) {
        program_int(p, limit);
    } else {
        program_none(p);
    }
}

// Limits within the type, at its ends, beyond them, and the wrong way round; results lose their upper bits.
static void clamps_limit_int8(void **state)
{
    (void)state;
    static const int32_t sizes[] = {2, 7, 3, 5};
    static const int16_t limits[] = {-1000, -129, -128, -127, -3, 0, 5, 126, 127, 128, 1000};
    enum { LIMITS = sizeof limits / sizeof limits[0], COUNT = 210 };
    int8_t in[MOST], result[COUNT];
    fill(in, 1);
    for (uint32_t i = 0; i <= LIMITS; i++) {
        for (uint32_t k = i < LIMITS ? 0 : 1; k <= LIMITS; k++) {
            const bool has_lowest = i < LIMITS, has_highest = k < LIMITS;
            if (!has_lowest && !has_highest) {
                continue;
            }
            const int64_t lowest = has_lowest ? limits[i] : 0, highest = has_highest ? limits[k] : 0;
            struct test_program p = {0};
            program_input(&p, RL_INT8, 4, sizes, order_of(i), in);
            add_limit(&p, has_lowest, lowest);
            add_limit(&p, has_highest, highest);
            program_output(&p, RL_INT8, 4, sizes, order_of(k % 3 == 0 ? i : k));
            assert_int_equal(program_run(&p, "aten::clamp", "out"), RL_OK);
            program_result(&p, 0, result, sizeof result);
            for (int e = 0; e < COUNT; e++) {
                assert_int_equal(result[e], (int8_t)limited(in[e], has_lowest, lowest, has_highest, highest));
            }
            program_free(&p);
        }
    }
}

static void maxima_and_minima_broadcast_int8(void **state)
{
    (void)state;
    static const int32_t full[] = {2, 7, 3, 5}, channel[] = {1, 7, 1, 1}, row[] = {5}, one[] = {1};
    static const struct {
        int rank;
        const int32_t *sizes;
        int step[4]; // of the operand for each dimension
    } others[] = {{4, full, {105, 15, 5, 1}}, {4, channel, {0, 1, 0, 0}}, {1, row, {0, 0, 0, 1}}, {1, one, {0}}};
    int8_t a[MOST], b[MOST], result[210];
    fill(a, 2);
    fill(b, 3);
    for (uint32_t which = 0; which < 16; which++) {
        const bool is_maximum = which % 2 == 0;
        const uint32_t other = which / 2 % 4;
        struct test_program p = {0};
        program_input(&p, RL_INT8, 4, full, order_of(which / 8), a);
        program_input(&p, RL_INT8, others[other].rank, others[other].sizes, other == 0 ? order_of(which / 8) : NULL, b);
        program_output(&p, RL_INT8, 4, full, order_of(which / 8));
        assert_int_equal(program_run(&p, is_maximum ? "aten::maximum" : "aten::minimum", "out"), RL_OK);
        program_result(&p, 0, result, sizeof result);
        for (int e = 0; e < 210; e++) {
            const int *step = others[other].step;
            const int8_t x = a[e],
                         y = b[e / 105 * step[0] + e / 15 % 7 * step[1] + e / 5 % 3 * step[2] + e % 5 * step[3]];
            assert_int_equal(result[e], (x > y) == is_maximum ? x : y);
        }
        program_free(&p);
    }
}

// A mask over rows, as in attention, with tensors and with numbers, which may not fit.
static void choices_take_masks(void **state)
{
    (void)state;
    static const int32_t full[] = {2, 7, 3, 5}, mask_sizes[] = {3, 5};
    static const int64_t numbers[] = {-128, 7, 127, 300, -129};
    int8_t a[MOST], b[MOST], result[210];
    uint8_t mask[15];
    fill(a, 4);
    fill(b, 5);
    for (int i = 0; i < 15; i++) {
        mask[i] = b[MOST - 1 - i] > 0;
    }
    for (uint32_t which = 0; which < 10; which++) {
        const bool fills = which < 5;
        const int64_t number = numbers[which % 5];
        struct test_program p = {0};
        if (fills) {
            program_input(&p, RL_INT8, 4, full, order_of(which), a);
            program_input(&p, RL_BOOL, 2, mask_sizes, NULL, mask);
            program_int(&p, number);
        } else {
            program_input(&p, RL_BOOL, 2, mask_sizes, NULL, mask);
            program_input(&p, RL_INT8, 4, full, order_of(which), a);
            program_input(&p, RL_INT8, 4, full, order_of(which / 2), b);
        }
        program_output(&p, RL_INT8, 4, full, order_of(which));
        assert_int_equal(
            program_run(&p, fills ? "aten::masked_fill" : "aten::where", fills ? "Scalar_out" : "self_out"), RL_OK);
        program_result(&p, 0, result, sizeof result);
        for (int e = 0; e < 210; e++) {
            const bool is_set = mask[e % 15] != 0;
            const int8_t expected = fills ? (is_set ? (int8_t)number : a[e]) : (is_set ? a[e] : b[e]);
            assert_int_equal(result[e], expected);
        }
        program_free(&p);
    }
}

static void extrema_along_each_dimension(void **state)
{
    (void)state;
    static const int32_t sizes[] = {2, 7, 3, 5}, strides[] = {105, 15, 5, 1};
    int8_t in[MOST], values[210];
    int64_t places[210];
    fill(in, 6);
    for (int i = 0; i < 210; i++) {
        in[i] /= 40; // so that there are equal ones
    }
    for (uint32_t which = 0; which < 16; which++) {
        const int dim = which % 4;
        const bool is_largest = which / 4 % 2 == 0;
        int32_t out[] = {2, 7, 3, 5};
        out[dim] = 1;
        const size_t count = 210 / (size_t)sizes[dim];
        struct test_program p = {0};
        program_input(&p, RL_INT8, 4, sizes, order_of(which / 8), in);
        program_int(&p, dim);
        program_bool(&p, true);
        program_output(&p, RL_INT8, 4, out, NULL);
        program_output(&p, RL_INT64, 4, out, NULL);
        assert_int_equal(program_run(&p, is_largest ? "aten::max" : "aten::min", is_largest ? "dim_max" : "dim_min"),
                         RL_OK);
        program_result(&p, 0, values, count);
        program_result(&p, 1, places, count * sizeof *places);
        for (size_t k = 0, e = 0; e < 210; e++) {
            if ((int)e / strides[dim] % sizes[dim] != 0) {
                continue;
            }
            int best = 0;
            for (int i = 1; i < sizes[dim]; i++) {
                const int8_t x = in[(int)e + i * strides[dim]], y = in[(int)e + best * strides[dim]];
                best = (is_largest ? x > y : x < y) ? i : best;
            }
            assert_int_equal(values[k], in[(int)e + best * strides[dim]]);
            assert_int_equal(places[k], best);
            k++;
        }
        program_free(&p);
    }
}

// ---- copies by index

// Runs a copy of int8 and of float32 elements in all pairs of layouts, and compares with `source`, which gives the row
// and the column of the input for those of the output.
static void check_copy(const char *name, const char *overload, void (*add_arguments)(struct test_program *p),
                       const int32_t in_sizes[4], const int32_t out_sizes[4], void (*source)(int *row, int *column))
{
    static int8_t bytes[MOST], byte_results[MOST];
    static float floats[MOST], float_results[MOST];
    const int count = out_sizes[0] * out_sizes[1] * out_sizes[2] * out_sizes[3];
    fill(bytes, 7);
    for (int i = 0; i < MOST; i++) {
        floats[i] = (float)i;
    }
    for (uint32_t which = 0; which < 8; which++) {
        const bool is_float = which / 4 == 1;
        struct test_program p = {0};
        program_input(&p, is_float ? RL_FLOAT32 : RL_INT8, 4, in_sizes, order_of(which),
                      is_float ? (const void *)floats : bytes);
        add_arguments(&p);
        program_output(&p, is_float ? RL_FLOAT32 : RL_INT8, 4, out_sizes, order_of(which / 2));
        assert_int_equal(program_run(&p, name, overload), RL_OK);
        program_result(&p, 0, is_float ? (void *)float_results : byte_results, (size_t)count * (is_float ? 4 : 1));
        for (int e = 0; e < count; e++) {
            int row = e / out_sizes[3] % out_sizes[2], column = e % out_sizes[3];
            source(&row, &column);
            const int from = (e / (out_sizes[2] * out_sizes[3]) * in_sizes[2] + row) * in_sizes[3] + column;
            assert_true(is_float ? float_results[e] == floats[from] : byte_results[e] == bytes[from]);
        }
        program_free(&p);
    }
}

static void enlarge(struct test_program *p)
{
    static const int32_t sizes[] = {8, 26};
    program_ints(p, 2, sizes);
    program_none(p);
}

static void enlarged(int *row, int *column)
{
    *row /= 2;
    *column /= 2;
}

// Columns 13 to 26: more pieces than the copy keeps for a row.
static void enlarges_images(void **state)
{
    (void)state;
    static const int32_t in[] = {2, 3, 4, 13}, out[] = {2, 3, 8, 26};
    check_copy("aten::upsample_nearest2d", "vec_out", enlarge, in, out, enlarged);
}

static void shrink(struct test_program *p)
{
    static const int32_t sizes[] = {2, 13};
    program_ints(p, 2, sizes);
    program_none(p);
}

static void shrunk(int *row, int *column)
{
    *row *= 2;
    (void)column;
}

// The columns stay where they are.
static void drops_rows(void **state)
{
    (void)state;
    static const int32_t in[] = {2, 3, 4, 13}, out[] = {2, 3, 2, 13};
    check_copy("aten::upsample_nearest2d", "vec_out", shrink, in, out, shrunk);
}

static int32_t left, right, above, below; // of the next copy
static int32_t in_rows, in_columns;

static void add_padding(struct test_program *p)
{
    static int32_t amounts[4];
    memcpy(amounts, (const int32_t[]){left, right, above, below}, sizeof amounts);
    program_ints(p, 4, amounts);
}

static int reflect(int at, int size)
{
    at = at < 0 ? -at : at;
    return at >= size ? 2 * size - 2 - at : at;
}

static void reflected(int *row, int *column)
{
    *row = reflect(*row - above, in_rows);
    *column = reflect(*column - left, in_columns);
}

static void reflects_edges(void **state)
{
    (void)state;
    static const int32_t paddings[][4] = {{1, 1, 1, 1}, {0, 0, 2, 3}, {12, 12, 0, 1}, {-2, 3, 1, -1}, {0, -5, 0, 0}};
    for (size_t i = 0; i < sizeof paddings / sizeof paddings[0]; i++) {
        left = paddings[i][0], right = paddings[i][1], above = paddings[i][2], below = paddings[i][3];
        in_rows = 6, in_columns = 14;
        const int32_t in[] = {2, 3, in_rows, in_columns};
        const int32_t out[] = {2, 3, in_rows + above + below, in_columns + left + right};
        check_copy("aten::reflection_pad2d", "out", add_padding, in, out, reflected);
    }
}

static void flip_columns(struct test_program *p)
{
    static const int32_t dims[] = {3};
    program_ints(p, 1, dims);
}

static void flipped(int *row, int *column)
{
    (void)row;
    *column = 13 - *column;
}

static void flips_columns(void **state)
{
    (void)state;
    static const int32_t sizes[] = {2, 3, 6, 14};
    check_copy("aten::flip", "out", flip_columns, sizes, sizes, flipped);
}

// Along the last dimension, whose elements are apart, and along the first one, whose rows are copied whole.
static void index_select_copies_rows(void **state)
{
    (void)state;
    static const int32_t sizes[] = {6, 3, 2, 5}, strides[] = {30, 10, 5, 1}, count = 4;
    static const int64_t indices[] = {1, 0, -1, 1};
    int8_t in[MOST], result[MOST];
    fill(in, 8);
    for (uint32_t which = 0; which < 16; which++) {
        const int dim = which % 4;
        int32_t out[] = {6, 3, 2, 5};
        out[dim] = count;
        struct test_program p = {0};
        program_input(&p, RL_INT8, 4, sizes, order_of(which / 4), in);
        program_int(&p, dim);
        program_input(&p, RL_INT64, 1, &count, NULL, indices);
        program_output(&p, RL_INT8, 4, out, order_of(which / 8));
        assert_int_equal(program_run(&p, "aten::index_select", "out"), RL_OK);
        const int total = out[0] * out[1] * out[2] * out[3];
        program_result(&p, 0, result, (size_t)total);
        for (int e = 0; e < total; e++) {
            int rest = e, from = 0;
            for (int i = 3; i >= 0; i--) {
                const int at = rest % out[i];
                rest /= out[i];
                from += (i == dim ? (int)((indices[at] + sizes[i]) % sizes[i]) : at) * strides[i];
            }
            assert_int_equal(result[e], in[from]);
        }
        program_free(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clamps_limit_int8),        cmocka_unit_test(maxima_and_minima_broadcast_int8),
        cmocka_unit_test(choices_take_masks),       cmocka_unit_test(extrema_along_each_dimension),
        cmocka_unit_test(enlarges_images),          cmocka_unit_test(drops_rows),
        cmocka_unit_test(reflects_edges),           cmocka_unit_test(flips_columns),
        cmocka_unit_test(index_select_copies_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
