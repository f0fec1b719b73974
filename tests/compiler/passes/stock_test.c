// SPDX-License-Identifier: Apache-2.0
//
// The lowering of PT2E-quantized models against programs that ExecuTorch's own Cortex-M flow made from the same files:
// the same operators in the same order, and the same numbers in every argument. The larger ones lie outside the
// repository, in the folder that is the only argument: without it the ones in tests/fixtures/stock are compared.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/pipeline.h"
#include "compiler/plan/alias.h"
#include "compiler/support/file.h"
#include "format/pte.h"
#include "format/pte_reader.h"

struct stock {
    struct rl_pte pte;
    struct rl_pte_plan plan;
    const uint8_t *bytes;
    bool columns_permuted; // of the weights of the node being compared
};

static const struct rl_graph *compiled(struct rl_arena *arena, const char *path, const char *core, bool is_explicit)
{
    struct rl_context context = {.message = ""};
    struct rl_compile_options options = {.model = path, .explicit_layout = is_explicit};
    struct rl_compiled result;
    enum rl_status status = rl_target_parse(&context, core, &options.target);
    options.target.flow = RL_FLOW_EXECUTORCH; // weights in the usual order, as there
    if (status != RL_OK || rl_compile(&context, arena, &options, &result) != RL_OK) {
        fail_msg("%s", context.message);
    }
    return result.graph;
}

static void open_stock(struct rl_arena *arena, const char *path, struct stock *stock)
{
    struct rl_context context = {.message = ""};
    void *data = NULL;
    size_t size = 0;
    uint32_t offset;
    assert_int_equal(rl_file_read(&context, arena, path, &data, &size), RL_OK);
    assert_null(rl_pte_open(&stock->pte, data, size, &offset));
    assert_true(rl_pte_plan(&stock->pte, 0, &stock->plan));
    stock->bytes = data;
}

// ---- arguments

static void expect_int(const struct stock *stock, int32_t value, int64_t found, const char *what)
{
    uint32_t table;
    const enum rl_pte_kind kind = rl_pte_value(&stock->pte, &stock->plan, (uint32_t)value, &table);
    const int64_t expected = kind == RL_PTE_BOOL ? rl_pte_bool(&stock->pte, table) : rl_pte_int(&stock->pte, table);
    if (expected != found) {
        fail_msg("%s: expected %lld, found %lld", what, (long long)expected, (long long)found);
    }
}

static void expect_ints(const struct stock *stock, uint32_t table, const struct rl_arg *arg, const char *what)
{
    struct rl_fb_vector items;
    assert_true(rl_pte_list(&stock->pte, table, 8, &items));
    if (items.count != (uint32_t)arg->count) {
        fail_msg("%s: expected %u items, found %d", what, items.count, arg->count);
    }
    for (int i = 0; i < arg->count; i++) {
        expect_int(stock, (int32_t)rl_pte_item_i64(&stock->pte, &items, (uint32_t)i), arg->as.integers[i], what);
    }
}

// The columns of a linear layer behind a flattened image are in another order here: only their sum per row is compared.
static void expect_rows(const int8_t *expected, const int8_t *found, const struct rl_value *value, const char *what)
{
    const int64_t columns = value->type.sizes[1];
    for (int64_t row = 0; row < value->type.sizes[0]; row++) {
        int64_t difference = 0;
        for (int64_t i = 0; i < columns; i++) {
            difference += expected[row * columns + i] - found[row * columns + i];
        }
        if (difference != 0) {
            fail_msg("%s: row %lld has another sum", what, (long long)row);
        }
    }
}

static void expect_constant(const struct stock *stock, const struct rl_pte_tensor *tensor, const struct rl_value *value,
                            const char *what)
{
    uint32_t position;
    uint32_t available;
    const size_t bytes = rl_tensor_bytes(&value->type);
    assert_true(rl_pte_constant(&stock->pte, tensor->constant, &position, &available));
    assert_int_equal(value->kind, RL_VALUE_CONSTANT);
    assert_true(bytes <= available);
    const uint8_t *expected = stock->bytes + position;
    if (stock->columns_permuted && value->type.dtype == RL_INT8) {
        expect_rows((const int8_t *)expected, value->data, value, what);
    } else if (memcmp(expected, value->data, bytes) != 0) {
        fail_msg("%s: '%s' holds other bytes", what, value->name);
    }
}

static void expect_tensor(const struct stock *stock, uint32_t table, const struct rl_value *value, const char *what)
{
    struct rl_pte_tensor tensor;
    assert_true(rl_pte_tensor(&stock->pte, table, &tensor));
    if (value->kind == RL_VALUE_SCRATCH) {
        return;
    }
    assert_int_equal(tensor.dtype, value->type.dtype);
    assert_int_equal(tensor.sizes.count, value->type.rank);
    for (int d = 0; d < value->type.rank; d++) {
        if (rl_pte_item_i32(&stock->pte, &tensor.sizes, (uint32_t)d) != value->type.sizes[d]) {
            fail_msg("%s: '%s' has another size in dimension %d", what, value->name, d);
        }
    }
    if (tensor.constant != 0) {
        expect_constant(stock, &tensor, value, what);
    }
}

static void expect_tensors(const struct stock *stock, uint32_t table, const struct rl_arg *arg, const char *what)
{
    struct rl_fb_vector items;
    assert_true(rl_pte_list(&stock->pte, table, 4, &items));
    assert_int_equal(arg->kind, RL_ARG_VALUES);
    assert_int_equal(arg->count, items.count);
    for (uint32_t i = 0; i < items.count; i++) {
        uint32_t tensor;
        const int32_t value = rl_pte_item_i32(&stock->pte, &items, i);
        assert_int_equal(rl_pte_value(&stock->pte, &stock->plan, (uint32_t)value, &tensor), RL_PTE_TENSOR);
        expect_tensor(stock, tensor, arg->as.values[i], what);
    }
}

static void expect_argument(const struct stock *stock, int32_t index, const struct rl_arg *arg, const char *what)
{
    uint32_t table;
    switch (rl_pte_value(&stock->pte, &stock->plan, (uint32_t)index, &table)) {
    case RL_PTE_NULL:
        assert_int_equal(arg->kind, RL_ARG_NONE);
        break;
    case RL_PTE_INT:
        assert_int_equal(arg->kind, RL_ARG_INT);
        expect_int(stock, index, arg->as.integer, what);
        break;
    case RL_PTE_BOOL:
        assert_int_equal(arg->kind, RL_ARG_BOOL);
        expect_int(stock, index, arg->as.boolean, what);
        break;
    case RL_PTE_DOUBLE:
        assert_int_equal(arg->kind, RL_ARG_DOUBLE);
        assert_true(rl_pte_double(&stock->pte, table) == arg->as.number);
        break;
    case RL_PTE_INT_LIST:
        assert_int_equal(arg->kind, RL_ARG_INTS);
        expect_ints(stock, table, arg, what);
        break;
    case RL_PTE_TENSOR:
        if (arg->kind != RL_ARG_VALUE) {
            fail_msg("%s: expected a tensor", what);
        }
        expect_tensor(stock, table, arg->as.value, what);
        break;
    case RL_PTE_TENSOR_LIST:
        expect_tensors(stock, table, arg, what);
        break;
    default:
        fail_msg("%s: a value of a kind that no operator here takes", what);
    }
}

// ---- instructions

enum { NAME_BYTES = 128 };

static void read_name(const struct stock *stock, const struct rl_pte_instruction *instruction, char name[NAME_BYTES])
{
    const char *base = NULL, *overload;
    uint32_t length;
    assert_true(rl_pte_operator(&stock->pte, &stock->plan, instruction->op_index, &base, &length, &overload, &length));
    snprintf(name, NAME_BYTES, "%s", base);
}

// Instructions of the stock flow that do nothing, or that we avoid by permuting weights.
static bool is_superfluous(const char *name)
{
    return strcmp(name, "cortex_m::pad") == 0 || strcmp(name, "dim_order_ops::_clone_dim_order") == 0;
}

static bool flattens_channels_last(const struct rl_node *linear)
{
    const struct rl_value *flat = linear->args[0].as.value;
    if (linear->op != RL_OP_cm_quantized_linear || !flat->producer) {
        return false;
    }
    const struct rl_value *image = flat->producer->args[0].as.value;
    return image->producer && image->producer->op == RL_OP_aten_permute_copy;
}

// A transpose may have more or fewer dimensions of size 1: its result is compared without them.
static void expect_moved(const struct stock *stock, const struct rl_pte_instruction *instruction,
                         const struct rl_node *node)
{
    struct rl_pte_tensor tensor;
    uint32_t table;
    const int32_t result = rl_pte_item_i32(&stock->pte, &instruction->arguments, 2);
    const struct rl_tensor_type *type = &node->results[0]->type;
    int dim = 0;
    assert_int_equal(rl_pte_value(&stock->pte, &stock->plan, (uint32_t)result, &table), RL_PTE_TENSOR);
    assert_true(rl_pte_tensor(&stock->pte, table, &tensor));
    for (uint32_t i = 0; i < tensor.sizes.count; i++) {
        const int32_t size = rl_pte_item_i32(&stock->pte, &tensor.sizes, i);
        while (dim < type->rank && type->sizes[dim] == 1) {
            dim++;
        }
        if (size != 1) {
            assert_true(dim < type->rank);
            assert_int_equal(size, type->sizes[dim++]);
        }
    }
}

// The stock flow leaves some minima and maxima to the portable operators, which take int8 as well and are called alike.
static void expect_node(struct stock *stock, const struct rl_pte_instruction *instruction, const struct rl_node *node)
{
    const struct rl_op *op = rl_op_get(node->op);
    char what[256], name[NAME_BYTES];
    read_name(stock, instruction, name);
    assert_string_equal(strstr(op->name, "::"), strstr(name, "::"));
    stock->columns_permuted = flattens_channels_last(node);
    assert_int_equal(instruction->arguments.count, node->arg_count + 2); // the result stands there twice
    if (node->op == RL_OP_cm_transpose) {
        expect_moved(stock, instruction, node);
        return;
    }
    for (int i = 0; i < node->arg_count; i++) {
        snprintf(what, sizeof what, "%s, argument %s of '%s'", name, op->args[i].name, node->name);
        expect_argument(stock, rl_pte_item_i32(&stock->pte, &instruction->arguments, (uint32_t)i), &node->args[i],
                        what);
    }
}

static void expect_program(struct stock *stock, const struct rl_graph *graph)
{
    const struct rl_node *node = graph->first;
    for (uint32_t i = 0; i < stock->plan.instructions.count; i++) {
        struct rl_pte_instruction instruction;
        assert_true(rl_pte_instruction(&stock->pte, &stock->plan, i, &instruction));
        char name[NAME_BYTES];
        read_name(stock, &instruction, name);
        if (is_superfluous(name)) {
            continue;
        }
        while (node && rl_alias_source(node)) {
            node = node->next;
        }
        assert_non_null(node);
        expect_node(stock, &instruction, node);
        node = node->next;
    }
    assert_null(node);
}

static void expect_model(const char *models, const char *name, bool is_explicit)
{
    static const struct {
        const char *core, *file;
    } cores[] = {{"cortex-m55", "m55"}, {"cortex-m4", "m4"}, {"cortex-m0plus", "m0plus"}};
    for (size_t c = 0; c < sizeof cores / sizeof cores[0]; c++) {
        struct rl_arena arena = {.blocks = NULL};
        struct stock stock = {.bytes = NULL};
        const char *folder = rl_arena_format(&arena, "%s/%s", models, name);
        print_message("%s for %s\n", name, cores[c].core);
        open_stock(&arena, rl_arena_format(&arena, "%s/%s.pte", folder, cores[c].file), &stock);
        expect_program(&stock,
                       compiled(&arena, rl_arena_format(&arena, "%s/quant.pt2", folder), cores[c].core, is_explicit));
        rl_arena_free(&arena);
    }
}

static void lowers_as_stock(void **state)
{
    (void)state;
    expect_model(RL_FIXTURES "/stock", "mlp_sine", false);
    expect_model(RL_FIXTURES "/stock", "digits_cnn", false);
    expect_model(RL_FIXTURES "/stock", "ds_cnn", false);
    expect_model(RL_FIXTURES "/stock", "gated", false);
    expect_model(RL_FIXTURES "/stock", "functions", false);
}

static void lowers_to_an_explicit_layout_as_stock(void **state)
{
    (void)state;
    expect_model(RL_FIXTURES "/stock", "explicit", true);
    expect_model(RL_FIXTURES "/stock", "explicit_1d", true);
}

static void lowers_larger_models_as_stock(void **state)
{
    expect_model(*state, "deep_autoencoder", false);
    expect_model(*state, "resnet8", false);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest own[] = {cmocka_unit_test(lowers_as_stock),
                                     cmocka_unit_test(lowers_to_an_explicit_layout_as_stock)};
    if (argc < 2) {
        return cmocka_run_group_tests(own, NULL, NULL);
    }
    const struct CMUnitTest larger[] = {cmocka_unit_test_prestate(lowers_larger_models_as_stock, argv[1])};
    return cmocka_run_group_tests(larger, NULL, NULL);
}
