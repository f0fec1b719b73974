// SPDX-License-Identifier: Apache-2.0
//
// model.h: what a firmware sees of a model.
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "compiler/c/model.h"

// Text of a model as part of a comment.
static void print_comment_text(FILE *out, const char *text)
{
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        fputc(*c < ' ' || *c > '~' || *c == '\\' || *c == '?' ? '_' : *c, out);
    }
}

static void print_sizes(FILE *out, const struct rl_tensor *t, const char *open, const char *close)
{
    fprintf(out, "%s", open);
    for (uint32_t i = 0; i < t->rank; i++) {
        fprintf(out, "%s%" PRId32, i > 0 ? ", " : "", t->sizes[i]);
    }
    fprintf(out, "%s", close);
}

static bool in_order(const struct rl_tensor *t)
{
    for (uint32_t i = 0; i < t->rank; i++) {
        if (t->dim_order[i] != i) {
            return false;
        }
    }
    return true;
}

static void print_string(FILE *out, const char *text)
{
    fputc('"', out);
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c < ' ' || *c > '~' || strchr("\"\\?", *c)) {
            fprintf(out, "\\%03o", *c);
        } else {
            fputc(*c, out);
        }
    }
    fputc('"', out);
}

static void print_grid(FILE *out, const struct rl_c_tensor *t, const char *prefix)
{
    char number[32];
    snprintf(number, sizeof number, "%.9g", t->grid.scale > 0 ? t->grid.scale : 1.0);
    fprintf(out, "#define %s_SCALE %s%sf\n", prefix, number, strpbrk(number, ".e") ? "" : ".0");
    fprintf(out, "#define %s_ZERO_POINT %" PRId64 "\n", prefix, t->grid.scale > 0 ? t->grid.zero_point : 0);
}

static void print_declaration(FILE *out, const struct rl_c_model *model, const struct rl_c_tensor *t, const char *side,
                              int index)
{
    const char *constness = strcmp(side, "input") == 0 ? "" : "const ", *type = rl_c_tensor_type(t->tensor.dtype);
    const char *name = model->options->name;
    if (model->options->arena_of_caller) {
        fprintf(out, "%s%s *%s_%s_%d(void *arena);\n", constness, type, name, side, index);
    } else {
        // In the runtime form, each program has them in places of its own.
        fprintf(out, "extern %s%s *%s%s_%s_%d;\n", constness, type, model->options->registry ? "" : "const ", name,
                side, index);
    }
}

static void print_tensor(FILE *out, const struct rl_c_model *model, const struct rl_c_tensor *t, const char *side,
                         int index)
{
    const char *sides = strcmp(side, "input") == 0 ? "INPUT" : "OUTPUT";
    const char *prefix = rl_arena_format(model->arena, "%s_%s_%d", model->upper, sides, index);
    fprintf(out, "\n// %s %d", strcmp(side, "input") == 0 ? "Input" : "Output", index);
    if (t->name) {
        fprintf(out, ", '");
        print_comment_text(out, t->name);
        fprintf(out, "'");
    }
    fprintf(out, ": %s ", rl_c_tensor_type(t->tensor.dtype));
    print_sizes(out, &t->tensor, "[", "]");
    if (!in_order(&t->tensor)) {
        fprintf(out, ", in memory in the order of the dimensions in %s_ORDER, the outermost first", prefix);
    }
    fprintf(out, "%s\n", t->grid.scale > 0 ? ". A real number x is x / SCALE + ZERO_POINT, rounded to nearest" : "");
    if (t->name) {
        fprintf(out, "#define %s_NAME ", prefix);
        print_string(out, t->name);
        fprintf(out, "\n");
    }
    const uint32_t count = rl_tensor_count(&t->tensor);
    fprintf(out, "#define %s_TYPE %s\n#define %s_COUNT %" PRIu32 "\n", prefix, rl_c_tensor_type(t->tensor.dtype),
            prefix, count);
    fprintf(out, "#define %s_RANK %d\n#define %s_SHAPE ", prefix, t->tensor.rank, prefix);
    print_sizes(out, &t->tensor, "{", t->tensor.rank > 0 ? "}\n" : "0}\n");
    if (!in_order(&t->tensor)) {
        fprintf(out, "#define %s_ORDER {", prefix);
        for (uint32_t i = 0; i < t->tensor.rank; i++) {
            fprintf(out, "%s%d", i > 0 ? ", " : "", t->tensor.dim_order[i]);
        }
        fprintf(out, "}\n");
    }
    print_grid(out, t, prefix);
    print_declaration(out, model, t, side, index);
    if (t->identifier) {
        fprintf(out, "#define %s_%s_%s %s_%s_%d\n", model->options->name, side, t->identifier, model->options->name,
                side, index);
    }
}

// Of the runtime form.
static void print_start(FILE *out, const struct rl_c_model *model)
{
    const char *name = model->options->name;
    fprintf(out,
            "\n// The program that the firmware was built with: a .pte.\n"
            "extern const uint8_t %s_program[%s_PROGRAM_BYTES];\n"
            "\n// Starts a program, that one or an update, of `bytes` bytes at a multiple of 16, where it must stay. "
            "Call it first.\n// Returns NULL, or a sentence that says why the program is refused: it is damaged or "
            "incomplete, calls an operator that\n// model.c does not list, needs more memory or time, or has other "
            "inputs or outputs. Then start another one before the\n// next run.\n"
            "const char *%s_start(const uint8_t *file, size_t bytes);\n"
            "\n// Why the last run failed, or NULL.\nconst char *%s_failure(void);\n",
            name, model->upper, name, name);
}

static void print_functions(FILE *out, const struct rl_c_model *model)
{
    const struct rl_c_options *o = model->options;
    const char *arena = o->arena_of_caller ? "void *arena" : "void";
    if (o->arena_of_caller) {
        fprintf(out,
                "\n// The arena is the caller's: %s_ARENA_BYTES bytes at a multiple of 16. Models that do not run "
                "at the same time, and\n// have no state, may share one.\n",
                model->upper);
    } else {
        fprintf(out, "\nextern uint8_t %s_arena[%s_ARENA_BYTES];\n", o->name, model->upper);
    }
    if (o->registry) {
        print_start(out, model);
    }
    fprintf(out,
            "\n// Computes the outputs from the inputs. The inputs share the arena with everything else: write all "
            "of them before each run.\n%s%s %s_run(%s);\n",
            rl_c_can_refuse(model)
                ? "// Returns 0, or, if an operator refused its data, such as an index outside of a tensor, its status "
                  "(enum rl_status)\n// + 256 * the number of its instruction in the .pte, as `rushlight inspect` "
                  "lists them. The outputs are then not\n// complete.\n"
                : "",
            rl_c_can_refuse(model) ? "int" : "void", o->name, arena);
    if (model->state_count + model->reset.count > 0) {
        fprintf(out,
                "\n// Gives the state its first values. Call it before the first run, and before each new "
                "sequence.\nvoid %s_reset(%s);\n",
                o->name, arena);
    } else {
        fprintf(out, "\n// Does nothing: the model keeps no state.\nvoid %s_reset(%s);\n", o->name, arena);
    }
}

void rl_c_print_header(FILE *out, struct rl_c_model *model)
{
    const struct rl_c_options *o = model->options;
    const char *upper = model->upper;
    fprintf(out, "// Written by Rushlight from ");
    print_comment_text(out, o->model);
    fprintf(out, "%s%s. docs/c.md of Rushlight explains it.\n", o->core ? " for " : "", o->core ? o->core : "");
    fprintf(
        out,
        "#ifndef %s_MODEL_H\n#define %s_MODEL_H\n\n#include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>\n\n",
        upper, upper);
    fprintf(out, "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n");
    fprintf(out, "#define %s_ARENA_BYTES %" PRIu32 "\n", upper, model->arena_bytes);
    fprintf(out, "#define %s_STATE_BYTES %" PRIu32 " // of the arena, kept from run to run\n", upper,
            model->state_bytes);
    if (o->registry) {
        fprintf(out, "#define %s_STACK_BYTES 0 // unknown: `rushlight run --on` measures it\n", upper);
    } else {
        fprintf(out, "#define %s_STACK_BYTES %" PRIu32 " // at most, of a run\n", upper, model->stack_bytes);
    }
    fprintf(out, "#define %s_PROGRAM_BYTES %zu // of the .pte that it was made of\n", upper, model->program_bytes);
    fprintf(out, "#define %s_PROGRAM_CRC 0x%08" PRIx32 "u // the CRC-32 of its bytes\n", upper, model->program_crc);
    fprintf(out, "#define %s_INPUT_COUNT %d\n#define %s_OUTPUT_COUNT %d\n", upper, model->input_count, upper,
            model->output_count);
    print_functions(out, model);
    for (int i = 0; i < model->input_count; i++) {
        print_tensor(out, model, &model->inputs[i], "input", i);
    }
    for (int i = 0; i < model->output_count; i++) {
        print_tensor(out, model, &model->outputs[i], "output", i);
    }
    if (o->label_count > 0) {
        fprintf(out, "\n// What the classes are called.\n#define %s_LABEL_COUNT %d\n", upper, o->label_count);
        fprintf(out, "extern const char *const %s_labels[%s_LABEL_COUNT];\n", o->name, upper);
    }
    fprintf(out, "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
}
