// SPDX-License-Identifier: Apache-2.0
//
// The multiply-adds of a call, from the shapes in the file and the signature of its operator (rushlight/operator.h).
// Those of padding count, as is usual.
#include <string.h>

#include "cli/inspect.h"
#include "ops/ops.h"
#include "rushlight/operator.h"
#include "rushlight/registry.h"

struct shape {
    int rank;
    int64_t sizes[RL_TENSOR_MAX_RANK];
    int64_t elements;
    bool changes;
};

static const struct rl_kernel *find_kernel(const char *name, const char *overload)
{
    const size_t length = strlen(name);

    for (uint32_t i = 0; i < rl_registry_all.count; i++) {
        const char *own = rl_registry_all.kernels[i]->name;
        if (strncmp(own, name, length) == 0 && own[length] == '.' && strcmp(own + length + 1, overload) == 0) {
            return rl_registry_all.kernels[i];
        }
    }
    return NULL;
}

static bool read_shape(const struct rl_cli_file *file, const struct rl_fb_vector *arguments, uint32_t index,
                       struct shape *shape)
{
    struct rl_pte_tensor tensor;
    uint32_t table;
    const uint32_t value = (uint32_t)rl_pte_item_i32(file->pte, arguments, index);

    if (rl_pte_value(file->pte, &file->plan, value, &table) != RL_PTE_TENSOR ||
        !rl_pte_tensor(file->pte, table, &tensor) || tensor.sizes.count > RL_TENSOR_MAX_RANK) {
        return false;
    }
    *shape = (struct shape){.rank = (int)tensor.sizes.count, .elements = 1};
    shape->changes = tensor.dynamism != RL_PTE_SHAPE_STATIC;
    for (int i = 0; i < shape->rank; i++) {
        shape->sizes[i] = rl_pte_item_i32(file->pte, &tensor.sizes, (uint32_t)i);
        shape->elements *= shape->sizes[i];
    }
    return true;
}

// Elements for each channel: dimension 1, or the last one.
static int64_t places_of(const struct shape *shape, bool second)
{
    const int dimension = second ? 1 : shape->rank - 1;
    const int64_t channels = dimension >= 0 && dimension < shape->rank ? shape->sizes[dimension] : 1;
    return channels > 0 ? shape->elements / channels : 0;
}

// Whether each place of the input, not of the output, takes all weights.
static bool is_transposed(const struct rl_cli_file *file, const struct rl_op *op, const struct rl_fb_vector *arguments)
{
    const int argument = rl_op_argument(op, "transposed");
    uint32_t table;

    if (argument < 0) {
        return rl_op_argument(op, "output_padding") >= 0;
    }
    const uint32_t value = (uint32_t)rl_pte_item_i32(file->pte, arguments, (uint32_t)argument);
    return rl_pte_value(file->pte, &file->plan, value, &table) == RL_PTE_BOOL && rl_pte_bool(file->pte, table);
}

// Weights that Winograd's convolution transformed count as those of the 3x3 filters for which they stand.
static int64_t weights_of(enum rl_op_id id, const struct shape *own)
{
    const bool transformed = id == RL_OP_rl_quantized_conv2d_winograd || id == RL_OP_rl_quantized_conv2d_winograd_nhwc;
    return transformed ? own->elements / 16 * 9 : own->elements;
}

static uint64_t macs_of(char letter, const struct shape *output, const struct shape *input, const struct shape *own,
                        bool transposed)
{
    if (letter == 'D') {
        return (uint64_t)output->elements * (uint64_t)(own->rank > 0 ? own->sizes[own->rank - 1] : 1);
    }
    return (uint64_t)places_of(transposed ? input : output, letter == 'H') * (uint64_t)own->elements;
}

json_t *rl_cli_file_macs(const struct rl_cli_file *file, const char *name, const char *overload,
                         const struct rl_fb_vector *arguments)
{
    enum rl_op_id id;
    const struct rl_kernel *kernel = find_kernel(name, overload);
    struct shape output, input = {0}, own;
    uint64_t macs = 0;

    if (!kernel || !rl_op_find_out(name, overload, &id) || kernel->argument_count != arguments->count) {
        return json_null();
    }
    const char *letters = kernel->signature, *output_at = strchr(letters, 'O');
    if (!strpbrk(letters, "HKD") || !output_at) {
        return json_integer(0);
    }
    if (!read_shape(file, arguments, (uint32_t)(output_at - letters), &output)) {
        return json_null();
    }
    read_shape(file, arguments, 0, &input);
    bool changes = output.changes || input.changes;
    for (uint32_t i = 0; i < arguments->count; i++) {
        if (!strchr("HKD", letters[i])) {
            continue;
        }
        if (!read_shape(file, arguments, i, &own)) {
            return json_null();
        }
        changes = changes || own.changes;
        own.elements = weights_of(id, &own);
        macs += macs_of(letters[i], &output, &input, &own, is_transposed(file, rl_op_get(id), arguments));
    }
    return changes || macs > INT64_MAX ? json_null() : json_integer((json_int_t)macs);
}
