// SPDX-License-Identifier: Apache-2.0
//
// The tables of docs/operators.md are those of ops.def, and say of each core's loop what kernels/ has. So are the
// schemas in docs/netron.json, in the form of Netron's pytorch-metadata.json.
//
// `ops_documentation_test --update` writes both anew.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/support/file.h"
#include "ops/ops.h"

static const char document[] = RL_SOURCES "/docs/operators.md";
static const char netron[] = RL_SOURCES "/docs/netron.json";
static const char ends[] = "<!-- to here -->\n";

// A tile that does no more than include another instruction set's has only comments and lines for the preprocessor.
static bool has_code(FILE *file)
{
    char line[256];
    while (file && fgets(line, sizeof line, file)) {
        if (line[0] != '/' && line[0] != '#' && line[0] != '\n') {
            return true;
        }
    }
    return false;
}

static const char *loop_of(const struct rl_op *op, const char *instructions)
{
    char path[512];
    if (!op->loop) {
        return "C";
    }
    snprintf(path, sizeof path, RL_SOURCES "/kernels/%s/%s_tile.h", instructions, op->loop);
    FILE *file = fopen(path, "r");
    const bool is_own = has_code(file);
    if (file) {
        fclose(file);
    }
    return is_own ? "own" : "common";
}

static bool has_loop(const struct rl_op *op)
{
    return !op->loop || strcmp(loop_of(op, "scalar"), "own") == 0;
}

static void print_integers(FILE *file)
{
    fprintf(file,
            "| operator | from | to | M0, M0+, M3 | M4, M7, M33, M35P | M52, M55, M85 |\n|---|---|---|---|---|---|\n");
    for (int id = 0; id < RL_OP_COUNT; id++) {
        const struct rl_op *op = rl_op_get((enum rl_op_id)id);
        if (op->takes) {
            fprintf(file, "| `%s` | %s | %s | %s | %s | %s |\n", op->name, op->takes, op->gives, loop_of(op, "scalar"),
                    loop_of(op, "dsp"), loop_of(op, "mve"));
        }
    }
}

static void print_portable(FILE *file)
{
    fprintf(file, "| operator | float64 |\n|---|---|\n");
    for (int id = 0; id < RL_OP_COUNT; id++) {
        const struct rl_op *op = rl_op_get((enum rl_op_id)id);
        if (op->out_overload && !op->takes) {
            fprintf(file, "| `%s.%s` | %s |\n", op->name, op->out_overload, op->wide ? "float64" : "");
        }
    }
}

// ---- Netron

static const char *category_of(const struct rl_op *op)
{
    switch (op->layer) {
    case RL_LAYER_AVG_POOL:
    case RL_LAYER_MAX_POOL:
        return "Pool";
    case RL_LAYER_SOFTMAX:
    case RL_LAYER_CLAMP:
    case RL_LAYER_RAMP:
        return "Activation";
    default:
        return op->has_weights || op->layer == RL_LAYER_RECURRENT ? "Layer" : NULL;
    }
}

// The form that a program calls: with the tensors in which the results are written as its last arguments.
static void print_out_schema(FILE *file, enum rl_op_id id)
{
    const struct rl_op *op = rl_op_get(id);
    char text[2048];

    rl_op_schema(id, text, sizeof text);
    const char *arguments = strchr(text, '('), *end = strstr(text, ") -> ");
    fprintf(file, "%s.%s%.*s%s", op->name, op->out_overload, (int)(end - arguments), arguments,
            op->positional_count < op->arg_count ? "" : ", *");
    for (int i = 0; i < op->result_count; i++) {
        fprintf(file, op->result_count > 1 ? ", Tensor(%c!) out%d" : ", Tensor(%c!) out", 'a' + i, i);
    }
    fputs(op->result_count > 1 ? ") -> (" : ") -> ", file);
    for (int i = 0; i < op->result_count; i++) {
        fprintf(file, "%sTensor(%c!)", i > 0 ? ", " : "", 'a' + i);
    }
    fputs(op->result_count > 1 ? ")" : "", file);
}

static void print_netron(FILE *file)
{
    const char *between = "[\n";

    for (int id = 0; id < RL_OP_COUNT; id++) {
        const struct rl_op *op = rl_op_get((enum rl_op_id)id);
        if (!op->takes || op->result_count < 1) {
            continue; // Netron knows those of PyTorch
        }
        fprintf(file, "%s  {\n    \"name\": \"", between);
        print_out_schema(file, (enum rl_op_id)id);
        fputs("\"", file);
        if (category_of(op)) {
            fprintf(file, ",\n    \"category\": \"%s\"", category_of(op));
        }
        fputs("\n  }", file);
        between = ",\n";
    }
    fputs("\n]\n", file);
}

static bool check_netron(struct rl_arena *arena, bool update)
{
    struct rl_context context = {.message = ""};
    void *data = NULL;
    char *printed = NULL;
    size_t size, printed_size = 0;
    FILE *file = open_memstream(&printed, &printed_size);
    print_netron(file);
    fclose(file);
    bool passed = rl_file_read(&context, arena, netron, &data, &size) == RL_OK && strcmp(data, printed) == 0;
    if (!passed && update) {
        passed = rl_file_write(&context, netron, printed, printed_size) == RL_OK;
    } else if (!passed) {
        printf("%s: not what follows from ops.def; ops_documentation_test --update writes it\n", netron);
    }
    free(printed);
    return passed;
}

// ---- the document

// The text with the lines between a mark and the end of its table replaced by what `print` writes.
static const char *with_table(struct rl_arena *arena, const char *text, const char *mark, void (*print)(FILE *file))
{
    const char *from = text ? strstr(text, mark) : NULL;
    const char *to = from ? strstr(from, ends) : NULL;
    if (!to) {
        printf("%s: the line '%.*s' is missing, or the one that ends its table\n", document, (int)strlen(mark) - 1,
               mark);
        return NULL;
    }
    from += strlen(mark);
    char *printed = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&printed, &size);
    print(file);
    fclose(file);
    const char *result = rl_arena_format(arena, "%.*s\n%s\n%s", (int)(from - text), text, printed, to);
    free(printed);
    return result;
}

// Integer operators and no others say what they take, and name a loop that exists.
static bool check_operators(void)
{
    bool passed = true;
    for (int id = 0; id < RL_OP_COUNT; id++) {
        const struct rl_op *op = rl_op_get((enum rl_op_id)id);
        const bool is_integer = op->dialect == RL_DIALECT_CORTEX_M || op->dialect == RL_DIALECT_RUSHLIGHT;
        if ((is_integer && op->out_overload) == !op->takes || !has_loop(op)) {
            printf("%s: its TAKES is missing, not wanted, or names a loop that is not in kernels/scalar\n", op->name);
            passed = false;
        }
    }
    return passed;
}

static bool check_document(struct rl_arena *arena, bool update)
{
    struct rl_context context = {.message = ""};
    void *data = NULL;
    size_t size;
    if (rl_file_read(&context, arena, document, &data, &size) != RL_OK) {
        printf("%s\n", context.message);
        return false;
    }
    const char *text = data, *right = with_table(arena, text, "<!-- from ops.def -->\n", print_integers);
    right = with_table(arena, right, "<!-- portable -->\n", print_portable);
    if (!right) {
        return false;
    }
    if (strcmp(text, right) == 0) {
        return true;
    }
    if (update) {
        return rl_file_write(&context, document, right, strlen(right)) == RL_OK;
    }
    printf("%s: the tables are not those of ops.def; ops_documentation_test --update writes them\n", document);
    return false;
}

int main(int argc, char **argv)
{
    struct rl_arena arena = {.blocks = NULL};
    const bool update = argc > 1 && strcmp(argv[1], "--update") == 0;
    const bool passed = check_operators() && check_document(&arena, update) && check_netron(&arena, update);
    rl_arena_free(&arena);
    return passed ? EXIT_SUCCESS : EXIT_FAILURE;
}
