// SPDX-License-Identifier: Apache-2.0
//
// Arguments of operators that are called as they are, as the structs of rushlight/direct.h. Each call has its own.
#include <inttypes.h>
#include <string.h>

#include "compiler/c/model.h"
#include "runtime/run/call.h"

enum { VALUE_BYTES = 12, TENSOR_BYTES = 24 }; // of the structs on a core

// The functions of each operator: without float64 and, if there is another one, with it.
static const struct {
    const struct rl_kernel *kernel;
    const char *function, *wide;
} functions[] = {
#define RL_OP(id, name, overload, out_overload, arguments, results, traits)                                            \
    {&rl_kernel_##id, "rl_run_" #id, "rl_run_" #id},
#define RL_OP_AHEAD(id, name, overload, arguments, results, traits)
#define RL_OP_WIDE(id, name, overload, out_overload, arguments, results, traits)                                       \
    {&rl_kernel_##id, "rl_run_" #id, "rl_run_wide_" #id},
#include "rushlight/ops.def"
#undef RL_OP
};

static void add_operator(struct rl_c_model *model, const char *function)
{
    enum { COUNT = 2 * sizeof functions / sizeof functions[0] };
    if (!model->operators) {
        model->operators = rl_arena_array(model->arena, COUNT, sizeof *model->operators);
    }
    for (int i = 0; i < model->operator_count; i++) {
        if (strcmp(model->operators[i], function) == 0) {
            return;
        }
    }
    model->operators[model->operator_count++] = function;
}

const char *rl_c_operator_function(struct rl_c_model *model, const struct rl_c_call *call)
{
    const char *function = "";
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        if (functions[i].kernel->name == call->call.kernel->name) {
            function = rl_call_has_float64(&call->call) ? functions[i].wide : functions[i].function;
        }
    }
    add_operator(model, function);
    return function;
}

// ---- tensors

static void print_tensor(FILE *out, struct rl_c_model *model, const char *name, const struct rl_tensor *t)
{
    const char *const empty = t->rank == 0 ? "0" : "";
    const uint8_t *memory = model->memory.data;
    const bool in_arena =
        (uintptr_t)t->data >= (uintptr_t)memory && (uintptr_t)t->data - (uintptr_t)memory < model->memory.bytes;
    model->operator_bytes += TENSOR_BYTES + 5u * t->rank;
    fprintf(out, "static const int32_t %s_sizes[] = {%s", name, empty);
    for (uint32_t i = 0; i < t->rank; i++) {
        fprintf(out, "%s%" PRId32, i > 0 ? ", " : "", t->sizes[i]);
    }
    fprintf(out, "};\nstatic const uint8_t %s_order[] = {%s", name, empty);
    for (uint32_t i = 0; i < t->rank; i++) {
        fprintf(out, "%s%d", i > 0 ? ", " : "", t->dim_order[i]);
    }
    fprintf(out, "};\nstatic const struct rl_direct_tensor %s = {", name);
    if (t->bytes == 0 || in_arena) {
        fprintf(out, "NULL, %zu", t->bytes == 0 ? (size_t)0 : (size_t)((uintptr_t)t->data - (uintptr_t)memory));
    } else {
        rl_c_print_address(out, model, "const void", t->data);
        fprintf(out, ", 0");
    }
    fprintf(out, ", %s_sizes, %s_order, %" PRIu32 ", %d, %d};\n", name, name, t->bytes, t->rank, t->dtype);
}

static void print_list(FILE *out, struct rl_c_model *model, struct rl_call *call, uint32_t argument, const char *name)
{
    const uint32_t count = rl_call_list(call, argument);
    const char **items = rl_arena_array(model->arena, count, sizeof *items);
    for (uint32_t i = 0; i < count; i++) {
        struct rl_tensor t;
        items[i] = "NULL";
        if (rl_call_list_optional_tensor(call, argument, i, &t)) {
            const char *item = rl_arena_format(model->arena, "%s_%" PRIu32, name, i);
            print_tensor(out, model, item, &t);
            items[i] = rl_arena_format(model->arena, "&%s", item);
        }
    }
    fprintf(out, "static const struct rl_direct_tensor *const %s[] = {", name);
    for (uint32_t i = 0; i < count; i++) {
        fprintf(out, "%s%s", i > 0 ? ", " : "", items[i]);
    }
    fprintf(out, "%s};\n", count == 0 ? "NULL" : "");
}

// ---- numbers

static void print_int64(FILE *out, int64_t number)
{
    if (number == INT64_MIN) {
        fprintf(out, "-INT64_C(9223372036854775807) - 1");
    } else {
        fprintf(out, "%sINT64_C(%" PRIu64 ")", number < 0 ? "-" : "", (uint64_t)(number < 0 ? -number : number));
    }
}

static void print_ints(FILE *out, struct rl_call *call, uint32_t argument, const char *name, uint32_t *count)
{
    int32_t items[RL_LIST_MAX];
    *count = rl_call_ints(call, argument, items, RL_LIST_MAX);
    fprintf(out, "static const int32_t %s[] = {%s", name, *count == 0 ? "0" : "");
    for (uint32_t i = 0; i < *count; i++) {
        fprintf(out, items[i] == INT32_MIN ? "%s-2147483647 - 1" : "%s%" PRId32, i > 0 ? ", " : "", items[i]);
    }
    fprintf(out, "};\n");
}

// As bits: C has no literal of an infinity.
static void print_doubles(FILE *out, const double *numbers, uint32_t count, const char *name)
{
    fprintf(out, "static const uint64_t %s[] = {%s", name, count == 0 ? "0" : "");
    for (uint32_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &numbers[i], sizeof bits);
        fprintf(out, "%sUINT64_C(0x%016" PRIx64 ")", i > 0 ? ", " : "", bits);
    }
    fprintf(out, "};\n");
}

static void print_text(FILE *out, const char *text, const char *name)
{
    fprintf(out, "static const char %s[] = {", name);
    for (; *text; text++) {
        fprintf(out, "%d, ", *text);
    }
    fprintf(out, "0};\n");
}

// ---- arguments

// Writes what an argument points to; returns its initializer.
static const char *print_argument(FILE *out, struct rl_c_model *model, struct rl_call *call, uint32_t argument,
                                  const char *name)
{
    static const char *const kinds[] = {"RL_PTE_INVALID",   "RL_PTE_NULL",        "RL_PTE_INT",
                                        "RL_PTE_BOOL",      "RL_PTE_DOUBLE",      "RL_PTE_TENSOR",
                                        "RL_PTE_STRING",    "RL_PTE_INT_LIST",    "RL_PTE_DOUBLE_LIST",
                                        "RL_PTE_BOOL_LIST", "RL_PTE_TENSOR_LIST", "RL_PTE_OPTIONAL_TENSOR_LIST"};
    const enum rl_pte_kind kind = rl_call_kind(call, argument);
    struct rl_tensor tensor;
    double numbers[RL_LIST_MAX];
    uint32_t count = 0;
    int64_t number = 0;
    const char *reference = "&";
    switch (kind) {
    case RL_PTE_TENSOR:
        rl_call_tensor(call, argument, &tensor);
        print_tensor(out, model, name, &tensor);
        break;
    case RL_PTE_TENSOR_LIST:
    case RL_PTE_OPTIONAL_TENSOR_LIST:
        print_list(out, model, call, argument, name);
        count = rl_call_list(call, argument);
        reference = "";
        break;
    case RL_PTE_INT:
        number = rl_call_int(call, argument);
        if (number >= INT32_MIN && number <= INT32_MAX) {
            return rl_arena_format(model->arena, number == INT32_MIN ? "{%s, -2147483647 - 1, NULL}" : "{%s, %d, NULL}",
                                   kinds[kind], (int)number);
        }
        fprintf(out, "static const int64_t %s = ", name);
        print_int64(out, number);
        fprintf(out, ";\n");
        break;
    case RL_PTE_BOOL:
        return rl_arena_format(model->arena, "{%s, %d, NULL}", kinds[kind], rl_call_bool(call, argument));
    case RL_PTE_INT_LIST:
        print_ints(out, call, argument, name, &count);
        reference = "";
        break;
    case RL_PTE_DOUBLE:
        numbers[0] = rl_call_double(call, argument);
        print_doubles(out, numbers, 1, name);
        reference = "";
        break;
    case RL_PTE_DOUBLE_LIST:
        count = rl_call_doubles(call, argument, numbers, RL_LIST_MAX);
        print_doubles(out, numbers, count, name);
        reference = "";
        break;
    case RL_PTE_STRING:
        print_text(out, rl_call_string(call, argument), name);
        reference = "";
        break;
    default:
        return rl_arena_format(model->arena, "{%s, 0, NULL}", kinds[kind]);
    }
    return rl_arena_format(model->arena, "{%s, %" PRIu32 ", %s%s}", kinds[kind], count, reference, name);
}

void rl_c_print_arguments(FILE *out, struct rl_c_model *model, const struct rl_c_call *call, int index)
{
    struct rl_call read = call->call;
    const uint32_t count = read.argument_count;
    const char **values = rl_arena_array(model->arena, count, sizeof *values);
    for (uint32_t i = 0; i < count; i++) {
        const bool is_returned = strchr("RM", read.kernel->signature[i]);
        const char *name = rl_arena_format(model->arena, "argument_%d_%" PRIu32, index, i);
        values[i] = is_returned ? "{RL_PTE_NULL, 0, NULL}" : print_argument(out, model, &read, i, name);
    }
    model->operator_bytes += count * VALUE_BYTES;
    model->failed |= read.status != RL_OK;
    fprintf(out, "static const struct rl_direct_value operator_%d[] = {\n", index);
    for (uint32_t i = 0; i < count; i++) {
        fprintf(out, "    %s,\n", values[i]);
    }
    fprintf(out, "%s};\n", count == 0 ? "    {RL_PTE_NULL, 0, NULL},\n" : "");
}
