// SPDX-License-Identifier: Apache-2.0
//
// rl_program_verify lets operators check their arguments. Every recorded program passes although there is no memory at
// the addresses of its tensors, and arguments that an operator refuses are refused before anything runs.
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/operator_program.h"
#include "runtime/program_file.h"

enum { MOST_KERNELS = 512, LEAST_CHECKED = 130 };

static const uint8_t channels_last[] = {0, 2, 3, 1};

// ---- recorded programs

// A registry whose operators count how often they are called to check.
struct spies {
    struct rl_kernel kernels[MOST_KERNELS];
    const struct rl_kernel *list[MOST_KERNELS];
    uint32_t calls[MOST_KERNELS];
};

static struct spies spies;

static enum rl_status check(struct rl_call *call)
{
    const ptrdiff_t index = call->kernel - spies.kernels;
    const enum rl_status status = rl_registry_all.kernels[index]->run(call);
    assert_false(rl_call_ready(call));
    spies.calls[index]++;
    return status;
}

static struct rl_registry spy(void)
{
    const uint32_t count = rl_registry_all.count;
    assert_true(count <= MOST_KERNELS);
    for (uint32_t i = 0; i < count; i++) {
        spies.kernels[i] = *rl_registry_all.kernels[i];
        spies.kernels[i].run = check;
        spies.list[i] = &spies.kernels[i];
    }
    return (struct rl_registry){spies.list, count, rl_registry_all.flow};
}

static void verify_file(const char *path, const struct rl_registry *registry)
{
    struct rl_program program;
    struct rl_error error = {.message = ""};
    size_t size;
    uint8_t *file = read_file(path, &size);
    assert_non_null(file);
    assert_int_equal(rl_program_open(&program, file, size, &error), RL_OK);
    if (rl_program_verify(&program, registry, &error) != RL_OK) {
        fail_msg("%s: instruction %d, argument %d, %s: %s", path, (int)error.instruction, (int)error.argument,
                 error.operator_name ? error.operator_name : "", error.message);
    }
    free(file);
}

static void verify_folder(const char *folder, const struct rl_registry *registry)
{
    DIR *directory = opendir(folder);
    assert_non_null(directory);
    for (const struct dirent *entry = readdir(directory); entry; entry = readdir(directory)) {
        char path[512];
        const char *end = strrchr(entry->d_name, '.');
        // One program needs the file beside it, which makes its values change.
        if (!end || strcmp(end, ".pte") != 0 || strcmp(entry->d_name, "external.pte") == 0) {
            continue;
        }
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        verify_file(path, registry);
    }
    closedir(directory);
}

// On the host, addresses in the other half of the address space fault as soon as they are used.
static void recorded_programs_pass_without_memory(void **state)
{
    (void)state;
    const struct rl_registry registry = spy();
    uint32_t checked = 0;
    verify_folder(RL_FIXTURES "/portable", &registry);
    verify_folder(RL_FIXTURES "/programs", &registry);
    verify_folder(RL_FIXTURES "/shapes", &registry);
    for (int i = 0; i < stock_model_count; i++) {
        char path[512];
        snprintf(path, sizeof path, RL_FIXTURES "/stock/%s", stock_models[i]);
        verify_folder(path, &registry);
    }
    for (uint32_t i = 0; i < registry.count; i++) {
        checked += spies.calls[i] > 0;
    }
    printf("%u of %u operators checked arguments\n", (unsigned)checked, (unsigned)registry.count);
    assert_true(checked >= LEAST_CHECKED);
}

// ---- arguments that are refused

static enum rl_status verify(struct test_program *p, const char *name, const char *overload)
{
    program_write(p, name, overload);
    assert_int_equal(rl_program_open(&p->program, p->file, p->file_bytes, &p->error), RL_OK);
    return rl_program_verify(&p->program, &rl_registry_all, &p->error);
}

static void expect_refusal(struct test_program *p, const char *name, enum rl_status status, int argument,
                           const char *message)
{
    char full[64];
    snprintf(full, sizeof full, "%s.out", name);
    assert_int_equal(verify(p, name, "out"), status);
    assert_int_equal(p->error.status, status);
    assert_string_equal(p->error.operator_name, full);
    assert_int_equal(p->error.instruction, 0);
    assert_int_equal(p->error.argument, argument);
    assert_int_equal(p->error.value, p->args[argument]);
    assert_string_equal(p->error.message, message);
    assert_false(p->program.proved);
    program_free(p);
}

static void shapes_types_and_ranges_are_refused(void **state)
{
    (void)state;
    static const int32_t left[] = {2, 3}, right[] = {3, 4}, result[] = {2, 4}, wrong[] = {2, 5};
    static const float numbers[12];
    struct test_program shape = {0}, type = {0}, range = {0};
    program_input(&shape, RL_FLOAT32, 2, left, NULL, numbers);
    program_input(&shape, RL_FLOAT32, 2, right, NULL, numbers);
    program_output(&shape, RL_FLOAT32, 2, wrong, NULL);
    expect_refusal(&shape, "aten::mm", RL_ERROR_TYPE, 2, "the output has other sizes than the result");
    program_input(&type, RL_FLOAT32, 2, left, NULL, numbers);
    program_input(&type, RL_INT32, 2, right, NULL, numbers);
    program_output(&type, RL_FLOAT32, 2, result, NULL);
    expect_refusal(&type, "aten::mm", RL_ERROR_TYPE, 1, "the operator takes no elements of int32 here");
    program_input(&range, RL_FLOAT32, 2, left, NULL, numbers);
    program_int(&range, 2);
    program_int(&range, -1);
    program_output(&range, RL_FLOAT32, 2, left, NULL);
    assert_int_equal(verify(&range, "aten::cumsum", "out"), RL_ERROR_TYPE);
    assert_int_equal(range.error.argument, 1);
    assert_string_equal(range.error.message, "an int is outside the range of the operator");
    program_free(&range);
}

// A convolution of 3 x 3 windows over 4 channels, in whose call something may be wrong.
struct convolution {
    int32_t scratch, shift;
    bool scales_are_constant;
};

static void write_convolution(struct test_program *p, const struct convolution *c)
{
    static const int32_t in[] = {1, 4, 5, 5}, weights[] = {2, 3, 3, 4}, out[] = {1, 2, 5, 5}, channels[] = {2};
    static const int8_t bytes[100];
    static const int32_t multipliers[] = {1 << 30, 1 << 30};
    static int32_t shifts[2];
    shifts[0] = shifts[1] = c->shift;
    program_input(p, RL_INT8, 4, in, channels_last, bytes);
    program_constant(p, RL_INT8, 4, weights, bytes);
    program_none(p);
    program_ints(p, 2, (int32_t[]){1, 1});
    program_ints(p, 2, (int32_t[]){1, 1});
    program_ints(p, 2, (int32_t[]){1, 1});
    program_int(p, 0);
    program_int(p, 0);
    program_constant(p, RL_INT32, 1, channels, multipliers);
    if (c->scales_are_constant) {
        program_constant(p, RL_INT32, 1, channels, shifts);
    } else {
        program_input(p, RL_INT32, 1, channels, NULL, shifts);
    }
    program_int(p, -128);
    program_int(p, 127);
    program_scratch(p, c->scratch);
    program_output(p, RL_INT8, 4, out, channels_last);
}

static void work_spaces_that_are_too_small_are_refused(void **state)
{
    (void)state;
    static const struct convolution enough = {4096, -3, true}, none = {0, -3, true};
    struct test_program good = {0}, bad = {0};
    write_convolution(&good, &enough);
    assert_int_equal(verify(&good, "cortex_m::quantized_conv2d", "out"), RL_OK);
    program_free(&good);
    write_convolution(&bad, &none);
    expect_refusal(&bad, "cortex_m::quantized_conv2d", RL_ERROR_MEMORY, 12,
                   "the work space is too small: the program was made for another core");
}

// Elements of constants are checked. Those of other tensors do not exist before the program runs.
static void scales_are_checked_as_soon_as_they_are_there(void **state)
{
    (void)state;
    static const struct convolution constant = {4096, 31, true}, computed = {4096, 31, false};
    struct test_program early = {0}, late = {0};
    write_convolution(&early, &constant);
    expect_refusal(&early, "cortex_m::quantized_conv2d", RL_ERROR_TYPE, 9, "a scale is outside -31..30 bits");
    write_convolution(&late, &computed);
    assert_int_equal(program_run(&late, "cortex_m::quantized_conv2d", "out"), RL_ERROR_TYPE);
    assert_true(late.program.proved);
    assert_string_equal(late.error.message, "a scale is outside -31..30 bits");
    program_free(&late);
}

// ---- memory

// Tensors of the caller are apart from each other and from the plan, however large they are.
static void tensors_of_the_caller_are_apart(void **state)
{
    (void)state;
    enum { LEFT, RIGHT, OUTPUT };
    static const int32_t sizes[] = {16384, 8192}, square[] = {8192, 8192};
    for (int unplanned = 0; unplanned < 8; unplanned++) {
        struct test_program p = {0};
        program_input(&p, RL_FLOAT32, 2, sizes, NULL, NULL);
        program_input(&p, RL_FLOAT32, 2, square, NULL, NULL);
        program_output(&p, RL_FLOAT32, 2, sizes, NULL);
        for (int i = LEFT; i <= OUTPUT; i++) {
            if ((unplanned >> i & 1) != 0) {
                p.values[p.args[i]].as.tensor.memory_id = 0;
            }
        }
        p.arena_bytes = 3LL * 16384 * 8192 * 4;
        for (int i = LEFT; i <= OUTPUT; i++) {
            p.values[p.args[i]].as.tensor.memory_offset = (uint64_t)i * 16384 * 8192 * 4;
        }
        assert_int_equal(verify(&p, "aten::mm", "out"), RL_OK);
        program_free(&p);
    }
}

static void a_tensor_that_nobody_can_bind_is_refused(void **state)
{
    (void)state;
    static const int32_t sizes[] = {4};
    static const float numbers[4];
    struct test_program p = {0};
    program_input(&p, RL_FLOAT32, 1, sizes, NULL, numbers);
    program_output(&p, RL_FLOAT32, 1, sizes, NULL);
    p.values[p.args[0]].as.tensor.memory_id = 0;
    p.input_count = 0;
    expect_refusal(&p, "aten::relu", RL_ERROR_MEMORY, 0,
                   "a tensor has no memory: it is neither planned nor bound by the caller");
}

static enum rl_status write_at_once(struct rl_call *call)
{
    struct rl_tensor output;
    rl_call_output(call, 1, &output);
    memset(output.data, 0, output.bytes);
    return call->status;
}

// Operators of a firmware need not support calls that only check.
static void operators_that_do_not_say_so_are_not_asked(void **state)
{
    (void)state;
    static const struct rl_kernel own = {
        .name = "aten::relu.out", .signature = "TOR", .name_length = 14, .argument_count = 3, .run = write_at_once};
    static const struct rl_kernel *const kernels[] = {&own};
    static const struct rl_registry registry = {.kernels = kernels, .count = 1};
    static const int32_t sizes[] = {4};
    static const float numbers[4];
    struct test_program p = {0};
    program_input(&p, RL_FLOAT32, 1, sizes, NULL, numbers);
    program_output(&p, RL_FLOAT32, 1, sizes, NULL);
    program_write(&p, "aten::relu", "out");
    assert_int_equal(rl_program_open(&p.program, p.file, p.file_bytes, &p.error), RL_OK);
    assert_int_equal(rl_program_verify(&p.program, &registry, &p.error), RL_OK);
    program_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recorded_programs_pass_without_memory),
        cmocka_unit_test(shapes_types_and_ranges_are_refused),
        cmocka_unit_test(work_spaces_that_are_too_small_are_refused),
        cmocka_unit_test(scales_are_checked_as_soon_as_they_are_there),
        cmocka_unit_test(tensors_of_the_caller_are_apart),
        cmocka_unit_test(a_tensor_that_nobody_can_bind_is_refused),
        cmocka_unit_test(operators_that_do_not_say_so_are_not_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
