// SPDX-License-Identifier: Apache-2.0
//
// One table a struct, with its members in the order of its declaration: an initializer lists them in that order,
// because C++ has no designated ones before C++20. tests/compiler/c_fields_test.c finds a member that is missing.
#include "compiler/c/fields.h"

#include "rushlight/kernels.h"

#define FIELD(type, member, kind, count, inner, to, names, layout)                                                     \
    {                                                                                                                  \
        #member, kind, offsetof(struct type, member), count, inner, to, names, layout                                  \
    }
#define INT(type, member)                   FIELD(type, member, RL_C_INT32, 0, 0, NULL, NULL, NULL)
#define INTS(type, member, count)           FIELD(type, member, RL_C_INT32, count, 0, NULL, NULL, NULL)
#define UINTS(type, member, count)          FIELD(type, member, RL_C_UINT32, count, 0, NULL, NULL, NULL)
#define BYTE(type, member)                  FIELD(type, member, RL_C_INT8, 0, 0, NULL, NULL, NULL)
#define BOOL(type, member)                  FIELD(type, member, RL_C_BOOL, 0, 0, NULL, NULL, NULL)
#define BOOLS(type, member, count)          FIELD(type, member, RL_C_BOOL, count, 0, NULL, NULL, NULL)
#define FLOAT(type, member)                 FIELD(type, member, RL_C_FLOAT, 0, 0, NULL, NULL, NULL)
#define ENUM(type, member, names)           FIELD(type, member, RL_C_ENUM, 0, 0, NULL, names, NULL)
#define POINTER(type, member, to)           FIELD(type, member, RL_C_POINTER, 0, 0, #to, NULL, NULL)
#define UNION(type, member, to)             FIELD(type, member, RL_C_UNION, 0, 0, #to, NULL, NULL)
#define STRUCT(type, member, other)         FIELD(type, member, RL_C_STRUCT, 0, 0, NULL, NULL, &other##_struct)
#define STRUCTS(type, member, count, other) FIELD(type, member, RL_C_STRUCT, count, 0, NULL, NULL, &other##_struct)
#define END                                                                                                            \
    {                                                                                                                  \
        NULL, RL_C_INT32, 0, 0, 0, NULL, NULL, NULL                                                                    \
    }
#define LAYOUT(type) static const struct rl_c_struct type##_struct = {#type, sizeof(struct type), type##_fields}

static const struct rl_c_field rl_image_fields[] = {INT(rl_image, n), INT(rl_image, h), INT(rl_image, w),
                                                    INT(rl_image, c), END};
LAYOUT(rl_image);
static const struct rl_c_field rl_extent_fields[] = {INT(rl_extent, h), INT(rl_extent, w), END};
LAYOUT(rl_extent);
static const struct rl_c_field rl_range_fields[] = {INT(rl_range, min), INT(rl_range, max), END};
LAYOUT(rl_range);
static const struct rl_c_field rl_scale_fields[] = {INT(rl_scale, multiplier), INT(rl_scale, shift), END};
LAYOUT(rl_scale);
static const struct rl_c_field rl_scales_fields[] = {POINTER(rl_scales, multiplier, int32_t),
                                                     POINTER(rl_scales, shift, int32_t), END};
LAYOUT(rl_scales);
static const struct rl_c_field rl_rescale_fields[] = {INT(rl_rescale, multiplier), INT(rl_rescale, addend),
                                                      INT(rl_rescale, right_shift), END};
LAYOUT(rl_rescale);

static const struct rl_c_field rl_table_fields[] = {POINTER(rl_table, results, int8_t), INT(rl_table, count), END};
LAYOUT(rl_table);
static const struct rl_c_field rl_table_s16_fields[] = {POINTER(rl_table_s16, results, int16_t),
                                                        INT(rl_table_s16, count), END};
LAYOUT(rl_table_s16);
static const struct rl_c_field rl_curve_fields[] = {POINTER(rl_curve, results, int16_t), BOOL(rl_curve, has_negative),
                                                    INT(rl_curve, count), END};
LAYOUT(rl_curve);
static const struct rl_c_field rl_prelu_fields[] = {
    INT(rl_prelu, outer),
    INT(rl_prelu, channels),
    INT(rl_prelu, inner),
    INT(rl_prelu, input_offset),
    INT(rl_prelu, output_offset),
    INT(rl_prelu, shift),
    POINTER(rl_prelu, positive, int16_t),
    POINTER(rl_prelu, negative, int16_t),
    END,
};
LAYOUT(rl_prelu);

static const char *const convolution_types[] = {
    "RL_CONVOLUTION_S8",      "RL_CONVOLUTION_S4",    "RL_CONVOLUTION_PREPACKED",       "RL_CONVOLUTION_WINOGRAD",
    "RL_CONVOLUTION_S8_S16",  "RL_CONVOLUTION_PRELU", "RL_CONVOLUTION_PREPACKED_PRELU", "RL_CONVOLUTION_S16",
    "RL_CONVOLUTION_S16_WIDE"};
static const char *const convolution_paths[] = {"RL_CONVOLUTION_PATCHES", "RL_CONVOLUTION_POINTWISE",
                                                "RL_CONVOLUTION_ROW", "RL_CONVOLUTION_TAPS_FIRST"};
static const struct rl_c_field rl_convolution_fields[] = {
    ENUM(rl_convolution, type, convolution_types),
    BOOL(rl_convolution, spread_h),
    BOOL(rl_convolution, spread_w),
    STRUCT(rl_convolution, input, rl_image),
    STRUCT(rl_convolution, output, rl_image),
    STRUCT(rl_convolution, filter, rl_extent),
    STRUCT(rl_convolution, stride, rl_extent),
    STRUCT(rl_convolution, padding, rl_extent),
    STRUCT(rl_convolution, dilation, rl_extent),
    INT(rl_convolution, groups),
    POINTER(rl_convolution, weights, int8_t),
    UNION(rl_convolution, bias, int32_t),
    STRUCT(rl_convolution, scales, rl_scales),
    INT(rl_convolution, input_offset),
    INT(rl_convolution, output_offset),
    STRUCT(rl_convolution, range, rl_range),
    POINTER(rl_convolution, folded, int32_t),
    ENUM(rl_convolution, path, convolution_paths),
    BOOL(rl_convolution, rows_are_runs),
    BOOL(rl_convolution, dense),
    INT(rl_convolution, filter_channels),
    INT(rl_convolution, least_scratch),
    END,
};
LAYOUT(rl_convolution);

static const char *const depthwise_types[] = {"RL_DEPTHWISE_S8", "RL_DEPTHWISE_S4", "RL_DEPTHWISE_S16"};
static const struct rl_c_field rl_depthwise_fields[] = {
    ENUM(rl_depthwise, type, depthwise_types),
    STRUCT(rl_depthwise, input, rl_image),
    STRUCT(rl_depthwise, output, rl_image),
    STRUCT(rl_depthwise, filter, rl_extent),
    STRUCT(rl_depthwise, stride, rl_extent),
    STRUCT(rl_depthwise, padding, rl_extent),
    STRUCT(rl_depthwise, dilation, rl_extent),
    INT(rl_depthwise, multiplier),
    POINTER(rl_depthwise, weights, int8_t),
    UNION(rl_depthwise, bias, int32_t),
    STRUCT(rl_depthwise, scales, rl_scales),
    INT(rl_depthwise, input_offset),
    INT(rl_depthwise, output_offset),
    STRUCT(rl_depthwise, range, rl_range),
    BOOL(rl_depthwise, by_windows),
    END,
};
LAYOUT(rl_depthwise);

static const struct rl_c_field rl_fully_connected_fields[] = {
    INT(rl_fully_connected, rows),
    INT(rl_fully_connected, depth),
    INT(rl_fully_connected, channels),
    POINTER(rl_fully_connected, weights, int8_t),
    UNION(rl_fully_connected, bias, int32_t),
    STRUCT(rl_fully_connected, scales, rl_scales),
    STRUCT(rl_fully_connected, scale, rl_scale),
    INT(rl_fully_connected, input_offset),
    INT(rl_fully_connected, weight_offset),
    INT(rl_fully_connected, output_offset),
    STRUCT(rl_fully_connected, range, rl_range),
    POINTER(rl_fully_connected, folded, int32_t),
    POINTER(rl_fully_connected, base, int32_t),
    INT(rl_fully_connected, base_offset),
    STRUCT(rl_fully_connected, rescale, rl_rescale),
    BOOL(rl_fully_connected, has_rescale),
    END,
};
LAYOUT(rl_fully_connected);

static const struct rl_c_field rl_batch_matmul_fields[] = {
    STRUCT(rl_batch_matmul, left, rl_image),
    STRUCT(rl_batch_matmul, right, rl_image),
    STRUCT(rl_batch_matmul, output, rl_image),
    INT(rl_batch_matmul, left_offset),
    INT(rl_batch_matmul, right_offset),
    INT(rl_batch_matmul, output_offset),
    STRUCT(rl_batch_matmul, scale, rl_scale),
    STRUCT(rl_batch_matmul, range, rl_range),
    STRUCT(rl_batch_matmul, left_step, rl_extent),
    STRUCT(rl_batch_matmul, right_step, rl_extent),
    END,
};
LAYOUT(rl_batch_matmul);

static const struct rl_c_field rl_addend_fields[] = {INT(rl_addend, offset), STRUCT(rl_addend, scale, rl_scale), END};
LAYOUT(rl_addend);
static const struct rl_c_field rl_add_fields[] = {
    STRUCTS(rl_add, input, 2, rl_addend),
    INT(rl_add, left_shift),
    INT(rl_add, output_offset),
    STRUCT(rl_add, scale, rl_scale),
    STRUCT(rl_add, range, rl_range),
    INT(rl_add, count),
    END,
};
LAYOUT(rl_add);
static const struct rl_c_field rl_mul_fields[] = {
    INTS(rl_mul, input_offset, 2),   INT(rl_mul, output_offset), STRUCT(rl_mul, scale, rl_scale),
    STRUCT(rl_mul, range, rl_range), INT(rl_mul, count),         END,
};
LAYOUT(rl_mul);
static const struct rl_c_field rl_extremum_fields[] = {
    STRUCTS(rl_extremum, input, 2, rl_image),
    INTS(rl_extremum, size, 3),
    FIELD(rl_extremum, stride, RL_C_INT32, 6, 3, NULL, NULL, NULL),
    INT(rl_extremum, row),
    BOOLS(rl_extremum, row_is_one, 2),
    END,
};
LAYOUT(rl_extremum);
static const struct rl_c_field rl_magnitude_fields[] = {
    BOOL(rl_magnitude, is_root), INT(rl_magnitude, input_offset),
    INT(rl_magnitude, epsilon),  INT(rl_magnitude, multiplier),
    INT(rl_magnitude, shift),    INT(rl_magnitude, output_offset),
    INT(rl_magnitude, count),    END,
};
LAYOUT(rl_magnitude);
static const struct rl_c_field rl_running_sum_fields[] = {
    INT(rl_running_sum, outer),
    INT(rl_running_sum, count),
    INT(rl_running_sum, inner),
    INT(rl_running_sum, input_offset),
    INT(rl_running_sum, output_offset),
    STRUCT(rl_running_sum, scale, rl_scale),
    END,
};
LAYOUT(rl_running_sum);

static const struct rl_c_field rl_pad_fields[] = {
    STRUCT(rl_pad, input, rl_image),
    STRUCT(rl_pad, before, rl_image),
    STRUCT(rl_pad, after, rl_image),
    BYTE(rl_pad, value),
    END,
};
LAYOUT(rl_pad);
static const struct rl_c_field rl_transpose_fields[] = {
    INT(rl_transpose, rank),     INTS(rl_transpose, sizes, 4), UINTS(rl_transpose, permutation, 4),
    INTS(rl_transpose, axis, 4), INTS(rl_transpose, step, 4),  END,
};
LAYOUT(rl_transpose);
static const struct rl_c_field rl_move_fields[] = {
    INT(rl_move, rows),
    INT(rl_move, columns),
    INT(rl_move, to_row),
    INT(rl_move, to_column),
    INT(rl_move, from_row),
    INT(rl_move, from_column),
    END,
};
LAYOUT(rl_move);

static const struct rl_c_field rl_norm_fields[] = {
    INT(rl_norm, images),
    INT(rl_norm, channels),
    INT(rl_norm, places),
    INT(rl_norm, groups),
    BOOL(rl_norm, channels_last),
    BOOL(rl_norm, centered),
    INT(rl_norm, input_zero_point),
    UINTS(rl_norm, epsilon, 2),
    POINTER(rl_norm, weights, int16_t),
    POINTER(rl_norm, bias, int32_t),
    INT(rl_norm, weight_shift),
    INT(rl_norm, output_offset),
    STRUCT(rl_norm, range, rl_range),
    END,
};
LAYOUT(rl_norm);
static const struct rl_c_field rl_variance_fields[] = {
    INT(rl_variance, rows),          INT(rl_variance, row),
    BOOL(rl_variance, is_deviation), STRUCT(rl_variance, scale, rl_scale),
    INT(rl_variance, output_offset), END,
};
LAYOUT(rl_variance);

static const char *const pool_kinds[] = {"RL_POOL_AVERAGE", "RL_POOL_MAXIMUM", "RL_POOL_SCALED_AVERAGE"};
static const struct rl_c_field rl_pool_fields[] = {
    ENUM(rl_pool, kind, pool_kinds),    STRUCT(rl_pool, input, rl_image),     STRUCT(rl_pool, output, rl_image),
    STRUCT(rl_pool, window, rl_extent), STRUCT(rl_pool, stride, rl_extent),   STRUCT(rl_pool, padding, rl_extent),
    STRUCT(rl_pool, range, rl_range),   STRUCT(rl_pool, dilation, rl_extent), INT(rl_pool, input_offset),
    INT(rl_pool, output_offset),        STRUCT(rl_pool, scale, rl_scale),     END,
};
LAYOUT(rl_pool);

static const struct rl_c_field rl_softmax_fields[] = {
    INT(rl_softmax, rows),
    INT(rl_softmax, row),
    STRUCT(rl_softmax, scale, rl_scale),
    INT(rl_softmax, diff_min),
    POINTER(rl_softmax, exponentials, int16_t),
    POINTER(rl_softmax, reciprocals, int16_t),
    END,
};
LAYOUT(rl_softmax);
static const struct rl_c_field rl_log_softmax_fields[] = {
    STRUCT(rl_log_softmax, exponentials, rl_softmax),
    INT(rl_log_softmax, step),
    INT(rl_log_softmax, fraction),
    INT(rl_log_softmax, log_multiplier),
    INT(rl_log_softmax, log_shift),
    INT(rl_log_softmax, output_offset),
    END,
};
LAYOUT(rl_log_softmax);

static const struct rl_c_field rl_transpose_convolution_fields[] = {
    STRUCT(rl_transpose_convolution, input, rl_image),    STRUCT(rl_transpose_convolution, output, rl_image),
    STRUCT(rl_transpose_convolution, filter, rl_extent),  STRUCT(rl_transpose_convolution, stride, rl_extent),
    STRUCT(rl_transpose_convolution, padding, rl_extent), POINTER(rl_transpose_convolution, weights, int8_t),
    POINTER(rl_transpose_convolution, bias, int32_t),     STRUCT(rl_transpose_convolution, scales, rl_scales),
    INT(rl_transpose_convolution, input_offset),          INT(rl_transpose_convolution, output_offset),
    STRUCT(rl_transpose_convolution, range, rl_range),    BOOL(rl_transpose_convolution, has_phases),
    INT(rl_transpose_convolution, phase_depth),           END,
};
LAYOUT(rl_transpose_convolution);

static const struct rl_c_field rl_recurrent_part_fields[] = {
    POINTER(rl_recurrent_part, weights, int8_t),
    POINTER(rl_recurrent_part, bias, int32_t),
    POINTER(rl_recurrent_part, multiplier, int32_t),
    END,
};
LAYOUT(rl_recurrent_part);
static const char *const recurrent_kinds[] = {"RL_RECURRENT_LSTM", "RL_RECURRENT_GRU", "RL_RECURRENT_TANH",
                                              "RL_RECURRENT_RELU"};
static const struct rl_c_field rl_recurrent_fields[] = {
    ENUM(rl_recurrent, kind, recurrent_kinds),
    BOOL(rl_recurrent, reverse),
    INT(rl_recurrent, time_steps),
    INT(rl_recurrent, batches),
    INT(rl_recurrent, input_size),
    INT(rl_recurrent, hidden_size),
    STRUCT(rl_recurrent, input, rl_recurrent_part),
    STRUCT(rl_recurrent, hidden, rl_recurrent_part),
    POINTER(rl_recurrent, shift, int32_t),
    INT(rl_recurrent, cell_bits),
    STRUCT(rl_recurrent, output_scale, rl_scale),
    INT(rl_recurrent, output_offset),
    END,
};
LAYOUT(rl_recurrent);

static const struct rl_c_field rl_quantization_fields[] = {
    FLOAT(rl_quantization, scale),
    INT(rl_quantization, zero_point),
    INT(rl_quantization, min),
    INT(rl_quantization, max),
    END,
};
LAYOUT(rl_quantization);

// Arguments of operators: print_operators.c.
static const struct rl_c_field rl_direct_fields[] = {END};
static const struct rl_c_struct rl_direct_struct = {"rl_direct_value", 0, rl_direct_fields};

static const struct rl_c_function_info functions[] = {
#define RL_C_UNARY(name, layer, from, to)          {#name, RL_C_FORM_UNARY, &layer##_struct, #from, #to},
#define RL_C_UNARY_SCRATCH(name, layer, from, to)  {#name, RL_C_FORM_UNARY_SCRATCH, &layer##_struct, #from, #to},
#define RL_C_BINARY(name, layer, from, to)         {#name, RL_C_FORM_BINARY, &layer##_struct, #from, #to},
#define RL_C_BINARY_SCRATCH(name, layer, from, to) {#name, RL_C_FORM_BINARY_SCRATCH, &layer##_struct, #from, #to},
#define RL_C_OTHER(name, layer)                    {#name, RL_C_FORM_OTHER, &layer##_struct, NULL, NULL},
#include "compiler/c/functions.def"
};

const struct rl_c_function_info *rl_c_function_get(enum rl_c_function function)
{
    return &functions[function];
}
