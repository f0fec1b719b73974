// SPDX-License-Identifier: Apache-2.0
//
// model.c over the runtime, and program.c: the names of model.h for a .pte that others may replace.
#include <inttypes.h>

#include "compiler/c/model.h"

// An update may take so many times the work of the first program.
enum { WORK_TIMES = 2, BYTES_A_LINE = 20 };

static void print_registry(FILE *out, const struct rl_c_options *o)
{
    fprintf(out, "// The operators that the program calls. Add those that programs to come may need: each costs its "
                 "code.\nstatic const struct rl_kernel *const kernels[] = {\n");
    for (int i = 0; i < o->registry_count; i++) {
        fprintf(out, "    &%s,\n", o->registry[i]);
    }
    fprintf(out,
            "};\nstatic const struct rl_registry operators = {\n    .kernels = kernels,\n"
            "    .count = sizeof kernels / sizeof kernels[0],\n%s};\n\n",
            o->has_flow ? "    .flow = &rl_control_flow_all,\n" : "");
}

static void print_interface(FILE *out, const char *side, const struct rl_c_tensor *tensors, int count)
{
    fprintf(out, "static const struct interface %s[] = {\n", side);
    for (int i = 0; i < count; i++) {
        const struct rl_tensor *t = &tensors[i].tensor;
        fprintf(out, "    {(enum rl_scalar_type)%d, %" PRIu32 "}, // %s\n", t->dtype, (uint32_t)t->bytes,
                rl_c_tensor_type(t->dtype));
    }
    fprintf(out, "    {(enum rl_scalar_type)0, 0},\n};\n");
}

static void print_pointers(FILE *out, const struct rl_c_model *model)
{
    const char *name = model->options->name;
    for (int i = 0; i < model->input_count; i++) {
        fprintf(out, "%s *%s_input_%d;\n", rl_c_tensor_type(model->inputs[i].tensor.dtype), name, i);
    }
    for (int i = 0; i < model->output_count; i++) {
        fprintf(out, "const %s *%s_output_%d;\n", rl_c_tensor_type(model->outputs[i].tensor.dtype), name, i);
    }
}

static void print_start(FILE *out, const struct rl_c_model *model)
{
    const char *name = model->options->name;
    fprintf(out,
            "\nconst char *%s_start(const uint8_t *file, size_t bytes)\n{\n    struct rl_tensor tensor;\n"
            "    const char *refusal = start(&running, file, bytes, &limits);\n    failure = refusal;\n"
            "    if (refusal) {\n        return refusal;\n    }\n",
            name);
    for (int i = 0; i < model->input_count; i++) {
        fprintf(out,
                "    if (rl_method_input(&running.method, %d, &tensor)) {\n        return \"an input has no place\";\n"
                "    }\n    %s_input_%d = tensor.data;\n",
                i, name, i);
    }
    for (int i = 0; i < model->output_count; i++) {
        fprintf(
            out,
            "    if (rl_method_output(&running.method, %d, &tensor)) {\n        return \"an output has no place\";\n"
            "    }\n    %s_output_%d = tensor.data;\n",
            i, name, i);
    }
    fprintf(out, "    return NULL;\n}\n");
}

void rl_c_print_runtime_source(FILE *out, struct rl_c_model *model)
{
    const char *name = model->options->name, *upper = model->upper;
    fprintf(out, "// Written by Rushlight. See model.h.\n#include \"model.h\"\n\n#include \"rushlight/registry.h\"\n"
                 "#include \"rushlight/runtime.h\"\n#include \"update.h\"\n\n");
    print_registry(out, model->options);
    fprintf(out, "_Alignas(RL_ALIGNMENT) uint8_t %s_arena[%s_ARENA_BYTES];\n", name, upper);
    // Of the host, whose pointers are larger: enough on every core.
    fprintf(out, "static void *state[%" PRIu32 "];\n", (uint32_t)((model->program->needs.state_bytes + 3) / 4));
    print_interface(out, "inputs", model->inputs, model->input_count);
    print_interface(out, "outputs", model->outputs, model->output_count);
    fprintf(out,
            "// What an update may take, and what it must have.\nstatic const struct limits limits = {\n"
            "    .operators = &operators,\n    .arena = {%s_arena, sizeof %s_arena},\n    .state = state,\n"
            "    .state_bytes = sizeof state,\n    .most_work = %" PRIu64 "u, // %d times that of the first program\n"
            "    .inputs = inputs,\n    .outputs = outputs,\n    .input_count = %s_INPUT_COUNT,\n"
            "    .output_count = %s_OUTPUT_COUNT,\n};\n",
            name, name, model->work * WORK_TIMES, WORK_TIMES, upper, upper);
    fprintf(out, "static struct running running;\nstatic const char *failure;\n\n");
    print_pointers(out, model);
    rl_c_print_labels(out, model);
    print_start(out, model);
    fprintf(out,
            "\nint %s_run(void)\n{\n    const enum rl_status status = rl_method_execute(&running.method);\n"
            "    failure = status ? running.method.error.message : NULL;\n"
            "    return status ? (int)status + 256 * running.method.error.instruction : 0;\n}\n\nvoid "
            "%s_reset(void)\n{\n    (void)rl_method_reset(&running.method);\n}\n\n"
            "const char *%s_failure(void)\n{\n    return failure;\n}\n",
            name, name, name);
}

void rl_c_print_program(FILE *out, struct rl_c_model *model)
{
    fprintf(out,
            "// Written by Rushlight: model.pte, byte for byte.\n#include \"model.h\"\n\n"
            "_Alignas(16) const uint8_t %s_program[%s_PROGRAM_BYTES] = {",
            model->options->name, model->upper);
    for (size_t i = 0; i < model->program_bytes; i++) {
        fprintf(out, "%s%u,", i % BYTES_A_LINE == 0 ? "\n    " : " ", model->program_file[i]);
    }
    fprintf(out, "\n};\n");
}
