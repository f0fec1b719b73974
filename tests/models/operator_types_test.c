// SPDX-License-Identifier: Apache-2.0
//
// docs/operators.md is right about programs: in those that ExecuTorch wrote and those that we compile, each call of an
// integer operator reads and writes the element types that ops.def states, and each such operator is called somewhere.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <glob.h>

#include "model.h"
#include "ops/ops.h"
#include "support/process.h"

static bool is_called[RL_OP_COUNT];

static const struct rl_op *find(const char *name)
{
    for (int id = 0; id < RL_OP_COUNT; id++) {
        const struct rl_op *op = rl_op_get((enum rl_op_id)id);
        if (op->takes && strcmp(op->name, name) == 0) {
            is_called[id] = true;
            return op;
        }
    }
    return NULL;
}

// The element type of an argument that names a value: "%17".
static const char *type_of(const json_t *report, const json_t *argument)
{
    const char *name = json_string_value(argument);
    const json_t *tensor;
    size_t i;
    json_array_foreach(json_object_get(report, "tensors"), i, tensor)
    {
        if (name && atoi(name + 1) == json_integer_value(json_object_get(tensor, "value"))) {
            return json_string_value(json_object_get(tensor, "dtype"));
        }
    }
    return "none";
}

static void check_types(const char *file)
{
    json_t *report = rl_process_json(rl_program_under_test(), (const char *[]){"inspect", file, "--json", NULL});
    const json_t *instruction;
    size_t i;
    json_array_foreach(json_object_get(report, "instructions"), i, instruction)
    {
        const char *name = json_string_value(json_object_get(instruction, "op"));
        const struct rl_op *op = name ? find(name) : NULL;
        if (!op) {
            continue;
        }
        const json_t *args = json_object_get(instruction, "args");
        const char *from = type_of(report, json_array_get(args, 0));
        const char *to = type_of(report, json_array_get(args, (size_t)op->arg_count));
        if (!strstr(op->takes, from) || !strstr(op->gives, to)) {
            fail_msg("%s: %s from %s to %s; ops.def says from %s to %s", file, name, from, to, op->takes, op->gives);
        }
    }
    json_decref(report);
}

static void recorded_programs_have_these_types(void **state)
{
    (void)state;
    glob_t files;
    assert_int_equal(glob(RL_FIXTURES "/stock/*/*.pte", 0, NULL, &files), 0);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        check_types(files.gl_pathv[i]);
    }
    globfree(&files);
}

// Compiles with an option or two, if they are not NULL.
static void compile_and_check(const char *models, const char *suffix, const char *target, const char *option,
                              const char *other)
{
    char pattern[512], data[512];
    const char *pte = rl_temporary_path("types.pte");
    glob_t files;
    snprintf(pattern, sizeof pattern, RL_FIXTURES "/%s.pt2", models);
    assert_int_equal(glob(pattern, 0, NULL, &files), 0);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        const char *model = files.gl_pathv[i];
        snprintf(data, sizeof data, "%.*s%s", (int)(strlen(model) - strlen(".pt2")), model, suffix);
        const char *const words[] = {"compile",  model,  "--calibrate", data,   "-o",  pte,
                                     "--target", target, "--json",      option, other, NULL};
        json_decref(rl_process_json(rl_program_under_test(), words));
        check_types(pte);
    }
    globfree(&files);
}

static void compiled_programs_have_these_types(void **state)
{
    (void)state;
    compile_and_check("composed/*", ".npz", "cortex-m55", NULL, NULL);
    compile_and_check("composed/*", ".npz", "cortex-m55", "--explicit-layout", NULL);
    compile_and_check("composed/rectifiers", ".npz", "cortex-m4", NULL, NULL);
    compile_and_check("quantize/[hp]*", ".npz", "cortex-m55", NULL, NULL);
    compile_and_check("quantize/[hp]*", ".npz", "cortex-m4", NULL, NULL);
    compile_and_check("quantize/[hp]*", ".npz", "cortex-m4", "--explicit-layout", NULL);
    compile_and_check("quantize/[hp]*", ".npz", "cortex-m55", "--explicit-layout", NULL);
    compile_and_check("reports/norms", ".calib.npz", "cortex-m55", NULL, NULL);
    compile_and_check("recurrent/*", ".calib.npz", "cortex-m55", NULL, NULL);
    compile_and_check("quantize/patterns", ".npz", "cortex-m4", "--winograd", NULL);
    compile_and_check("quantize/patterns", ".npz", "cortex-m4", "--winograd", "--explicit-layout");
    compile_and_check("quantize/patterns", ".npz", "cortex-m4", "--quantize=a16w8", NULL);
    compile_and_check("quantize/patterns", ".npz", "cortex-m4", "--quantize=a16w8", "--explicit-layout");
    int missing = 0;
    for (int id = 0; id < RL_OP_COUNT; id++) {
        const struct rl_op *op = rl_op_get((enum rl_op_id)id);
        if (op->takes && !is_called[id]) {
            print_error("%s: no program calls it\n", op->name);
            missing++;
        }
    }
    assert_int_equal(missing, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recorded_programs_have_these_types),
        cmocka_unit_test(compiled_programs_have_these_types),
    };

    return cmocka_run_group_tests_name("operator types", tests, NULL, NULL);
}
