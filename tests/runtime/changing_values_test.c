// SPDX-License-Identifier: Apache-2.0
//
// rl_program_verify on methods whose values and shapes change while they run: calls that are wrong in every run are
// refused, calls that may be right are not.
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/change_program.h"
#include "runtime/made_program.h"
#include "runtime/operator_program.h"
#include "runtime/program_file.h"

// ---- recorded programs, changed

struct recorded {
    uint8_t *file, *data;
    size_t size, data_size;
    struct rl_program program;
    struct rl_error error;
};

// A program of tests/fixtures, with the file of data beside it, if any.
static struct recorded read_recorded(const char *name)
{
    struct recorded r = {.file = NULL};
    char path[512];
    snprintf(path, sizeof path, RL_FIXTURES "/%s.pte", name);
    r.file = read_file(path, &r.size);
    assert_non_null(r.file);
    snprintf(path, sizeof path, RL_FIXTURES "/%s.ptd", name);
    r.data = read_file(path, &r.data_size);
    return r;
}

static enum rl_status verify_recorded(struct recorded *r)
{
    assert_int_equal(rl_program_open(&r->program, r->file, r->size, &r->error), RL_OK);
    if (r->data) {
        assert_int_equal(rl_program_attach(&r->program, r->data, r->data_size, &r->error), RL_OK);
    }
    return rl_program_verify(&r->program, &rl_registry_all, &r->error);
}

static void free_recorded(struct recorded *r)
{
    free(r->file);
    free(r->data);
}

// A tensor of another element type is refused by the call that it does not suit.
static void element_types_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *program;
        uint32_t value;
        enum rl_scalar_type dtype;
        int instruction, argument;
        const char *operator_name;
    } cases[] = {
        {"programs/external", 17, RL_INT32, 4, 5, "aten::addmm.out"},        // weights in another file
        {"programs/branch", 15, RL_INT32, 8, 2, "aten::mul.out"},            // on one side of a branch
        {"programs/scan", 13, RL_INT32, 4, 3, "aten::add.out"},              // in a loop
        {"shapes/prefix", 4, RL_INT32, 1, 5, "aten::slice_copy.Tensor_out"}, // with a computed number
        {"shapes/perceptron", 30, RL_INT32, 6, 3, "aten::_softmax.out"},     // of changing shape
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct recorded r = read_recorded(cases[i].program);
        assert_int_equal(verify_recorded(&r), RL_OK);
        set_type(r.file, r.size, cases[i].value, cases[i].dtype);
        assert_int_equal(verify_recorded(&r), RL_ERROR_TYPE);
        assert_int_equal(r.error.instruction, cases[i].instruction);
        assert_int_equal(r.error.argument, cases[i].argument);
        assert_string_equal(r.error.operator_name, cases[i].operator_name);
        free_recorded(&r);
    }
}

// If weights lie in another file, the sizes of this file count.
static void sizes_beside_a_file_of_data_are_refused(void **state)
{
    (void)state;
    struct recorded r = read_recorded("programs/external");
    set_size(r.file, r.size, 12, 0, 1);
    assert_int_equal(verify_recorded(&r), RL_ERROR_TYPE);
    assert_int_equal(r.error.instruction, 2);
    assert_string_equal(r.error.message, "the output has other sizes than the result");
    free_recorded(&r);
}

// The index of a constant of this file means nothing for a tensor in another one.
static void tensors_in_another_file_are_no_constants(void **state)
{
    (void)state;
    enum { EXTERNAL = 4, INPUT = 4 };
    struct recorded r = read_recorded("programs/external");
    const struct opened o = open_file(r.file, r.size);
    static const float numbers[8];
    struct runnable runnable;
    int changed = 0;
    for (uint32_t value = 0; value < EXTERNAL; value++) {
        uint32_t table;
        assert_int_equal(rl_pte_value(&o.pte, &o.plan, value, &table), RL_PTE_TENSOR);
        const uint32_t field = rl_fb_field(&o.pte.fb, table, RL_PTE_tensor_data_buffer_idx, 4);
        if (field == RL_FB_ABSENT) {
            continue;
        }
        store(r.file, field, 1 << 28);
        changed++;
    }
    assert_true(changed > 0);
    assert_int_equal(runnable_open_with(&runnable, r.file, r.size, r.data, r.data_size), RL_OK);
    assert_int_equal(rl_method_set_input(&runnable.method, 0, numbers, sizeof numbers), RL_OK);
    assert_int_equal(rl_method_execute(&runnable.method), RL_OK);
    runnable_free(&runnable);
    free_recorded(&r);
}

// Sizes that change are known when the program runs: here the second dimension of a product, which no run changes. Its
// bound is a smaller one, to which a smaller batch does not lead either.
static void sizes_that_change_are_left_to_the_run(void **state)
{
    (void)state;
    enum { HIDDEN = 11 };
    static const float numbers[16];
    for (int dimension = 0; dimension < 2; dimension++) {
        struct recorded r = read_recorded("shapes/perceptron");
        struct runnable runnable;
        const int32_t sizes[] = {2, 4};
        set_size(r.file, r.size, HIDDEN, (uint32_t)dimension, 2);
        assert_int_equal(verify_recorded(&r), RL_OK);
        assert_int_equal(runnable_open(&runnable, r.file, r.size, true), RL_OK);
        assert_int_equal(rl_method_set_input(&runnable.method, 0, numbers, sizeof numbers), RL_OK);
        assert_int_equal(rl_method_execute(&runnable.method), RL_ERROR_TYPE); // more than the bound
        assert_int_equal(rl_method_resize_input(&runnable.method, 0, 2, sizes), RL_OK);
        assert_int_equal(rl_method_execute(&runnable.method), dimension == 0 ? RL_OK : RL_ERROR_TYPE);
        runnable_free(&runnable);
        free_recorded(&r);
    }
}

// A dimension that the tensor, whatever its sizes, does not have.
static void dimensions_are_refused(void **state)
{
    (void)state;
    enum { SELECT = 7, DIM = 1 };
    struct recorded r = read_recorded("shapes/parts");
    const struct opened o = open_file(r.file, r.size);
    struct rl_pte_instruction call;
    assert_true(rl_pte_instruction(&o.pte, &o.plan, SELECT, &call));
    set_int(r.file, r.size, (uint32_t)rl_pte_item_i32(&o.pte, &call.arguments, DIM), 3);
    assert_int_equal(verify_recorded(&r), RL_ERROR_TYPE);
    assert_int_equal(r.error.argument, DIM);
    assert_string_equal(r.error.message, "an int is outside the range of the operator");
    free_recorded(&r);
}

static const int32_t four[] = {4}, eight[] = {8};

// ---- moved tensors

enum { FROM, TO, RESULT };

// RESULT = operator(TO), once FROM was moved to TO.
static struct made make_moved(struct rl_pte_value_description from, struct rl_pte_value_description to,
                              struct rl_pte_value_description result, const char *operator_name)
{
    struct made m = {.values = {from, to, result}, .value_count = 3, .input_count = 1};
    add_call(&m, "aten::abs", "out", (const int32_t[]){FROM, FROM, FROM, -1});
    add_call(&m, operator_name, "out", (const int32_t[]){TO, RESULT, RESULT, -1});
    write_made(&m);
    make_move(m.file, m.size, 0, FROM, TO);
    return m;
}

static void moved_tensors_keep_their_types_and_sizes(void **state)
{
    (void)state;
    const struct rl_pte_value_description from = tensor(RL_FLOAT32, eight, 0), to = tensor(RL_FLOAT32, eight, 64);
    struct made right = make_moved(from, to, tensor(RL_FLOAT32, eight, 128), "aten::sin");
    struct made type = make_moved(from, to, tensor(RL_INT32, eight, 128), "aten::sin");
    struct made sizes = make_moved(from, to, tensor(RL_FLOAT32, four, 128), "aten::sin");
    assert_int_equal(run_made(&right), RL_OK);
    assert_int_equal(verify_made(&type), RL_ERROR_TYPE);
    assert_string_equal(type.error.message, "the result is a float, the output is not");
    assert_int_equal(verify_made(&sizes), RL_ERROR_TYPE);
    assert_string_equal(sizes.error.message, "the output has other sizes than the result");
    free(right.file);
    free(type.file);
    free(sizes.file);
}

// The call would be wrong with the tensor in the file. With the tensor that is moved there it is right.
static void what_a_move_makes_right_is_not_refused(void **state)
{
    (void)state;
    const struct rl_pte_value_description result = tensor(RL_INT32, eight, 128);
    struct made cases[] = {
        make_moved(tensor(RL_INT32, eight, 0), tensor(RL_FLOAT32, eight, 64), result, "aten::bitwise_not"),
        make_moved(tensor(RL_INT32, eight, 0), tensor(RL_INT32, four, 64), result, "aten::bitwise_not"),
        make_moved(tensor(RL_INT32, eight, 0), tensor(RL_INT32, eight, 112), result, "aten::bitwise_not"),
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(run_made(&cases[i]), RL_OK);
        free(cases[i].file);
    }
}

// A move of other tensors leaves these where they are.
static void outputs_may_not_lie_in_part_of_an_input_beside_moves(void **state)
{
    (void)state;
    for (uint64_t offset = 96; offset <= 160; offset += 16) {
        struct made m = {.values = {tensor(RL_FLOAT32, eight, 0), tensor(RL_FLOAT32, eight, 64),
                                    tensor(RL_FLOAT32, eight, 128), tensor(RL_FLOAT32, eight, offset)},
                         .value_count = 4,
                         .input_count = 3};
        add_call(&m, "aten::abs", "out", (const int32_t[]){0, 0, 0, -1});
        add_call(&m, "aten::abs", "out", (const int32_t[]){2, 3, 3, -1});
        write_made(&m);
        make_move(m.file, m.size, 0, 0, 1);
        const bool in_part = offset > 96 && offset < 160 && offset != 128;
        assert_int_equal(verify_made(&m), in_part ? RL_ERROR_TYPE : RL_OK);
        free(m.file);
    }
}

// ---- jumps

enum { CONDITION, INPUT, SINE };

// A jump over SINE = sin(INPUT).
static struct made make_jumping(struct rl_pte_value_description condition, struct rl_pte_value_description result,
                                int inputs)
{
    struct made m = {
        .values = {condition, tensor(RL_FLOAT32, four, 32), result}, .value_count = 3, .input_count = inputs};
    add_call(&m, "aten::abs", "out", (const int32_t[]){INPUT, INPUT, INPUT, -1});
    add_call(&m, "aten::sin", "out", (const int32_t[]){INPUT, SINE, SINE, -1});
    write_made(&m);
    make_jump(m.file, m.size, 0, CONDITION, 2);
    return m;
}

static void conditions_of_jumps_are_truth_values(void **state)
{
    (void)state;
    const struct rl_pte_value_description result = tensor(RL_FLOAT32, four, 64);
    const struct {
        struct rl_pte_value_description condition;
        int inputs;
        enum rl_status expected;
    } cases[] = {
        {boolean(true), 0, RL_OK},
        {integer(1), 0, RL_ERROR_TYPE},
        {tensor(RL_BOOL, NULL, 0), 1, RL_OK},
        {tensor(RL_FLOAT32, NULL, 0), 1, RL_ERROR_TYPE},
        {unplanned(RL_BOOL), 1, RL_OK},
        {unplanned(RL_BOOL), 0, RL_ERROR_MEMORY},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct made m = make_jumping(cases[i].condition, result, cases[i].inputs);
        assert_int_equal(verify_made(&m), cases[i].expected);
        if (cases[i].expected != RL_OK) {
            assert_int_equal(m.error.instruction, 0);
        }
        free(m.file);
    }
}

// An int in the file, which a comparison makes a truth value.
static void conditions_of_jumps_may_be_computed(void **state)
{
    (void)state;
    enum { ONE = 1, OUTPUT };
    struct made m = {.values = {integer(2), integer(1), tensor(RL_FLOAT32, four, 0)}, .value_count = 3};
    add_call(&m, "executorch_prim::eq", "Scalar", (const int32_t[]){ONE, ONE, CONDITION, -1});
    add_call(&m, "aten::abs", "out", (const int32_t[]){OUTPUT, OUTPUT, OUTPUT, -1});
    write_made(&m);
    make_jump(m.file, m.size, 1, CONDITION, 2);
    assert_int_equal(run_made(&m), RL_OK);
    free(m.file);
}

static void both_ways_of_a_jump_are_checked(void **state)
{
    (void)state;
    for (int truth = 0; truth < 2; truth++) {
        struct made m = make_jumping(boolean(truth == 1), tensor(RL_INT32, four, 64), 0);
        assert_int_equal(verify_made(&m), RL_ERROR_TYPE);
        assert_int_equal(m.error.instruction, 1);
        free(m.file);
    }
}

// ---- computed numbers

// ELEMENT = WHOLE[INDEX]; INDEX = the size of WHOLE minus MINUS, if it is computed.
static struct made make_selection(int64_t index, bool is_computed)
{
    enum { WHOLE, ZERO, INDEX, MINUS, SIZE, ELEMENT };
    struct made m = {.values = {tensor(RL_FLOAT32, eight, 0), integer(0), integer(index), integer(1), integer(0),
                                tensor(RL_FLOAT32, NULL, 64)},
                     .value_count = 6,
                     .input_count = 1};
    add_call(&m, "aten::sym_size", "int", (const int32_t[]){WHOLE, ZERO, SIZE, -1});
    if (is_computed) {
        add_call(&m, "executorch_prim::sub", "Scalar", (const int32_t[]){SIZE, MINUS, INDEX, -1});
    }
    add_call(&m, "aten::select_copy", "int_out", (const int32_t[]){WHOLE, ZERO, INDEX, ELEMENT, ELEMENT, -1});
    write_made(&m);
    return m;
}

static void numbers_of_the_file_are_refused_unless_computed(void **state)
{
    (void)state;
    struct made right = make_selection(7, false), wrong = make_selection(99, false),
                computed = make_selection(99, true);
    assert_int_equal(run_made(&right), RL_OK);
    assert_int_equal(verify_made(&wrong), RL_ERROR_TYPE);
    assert_string_equal(wrong.error.operator_name, "aten::select_copy.int_out");
    assert_int_equal(run_made(&computed), RL_OK);
    free(right.file);
    free(wrong.file);
    free(computed.file);
}

// An operator on numbers, and one that reads a number from a tensor.
static void numbers_are_computed_from_what_suits(void **state)
{
    (void)state;
    struct made bools = {.values = {boolean(true), integer(1), integer(0)}, .value_count = 3};
    struct made halves = {.values = {tensor(RL_FLOAT16, NULL, 0), integer(0)}, .value_count = 2, .input_count = 1};
    add_call(&bools, "executorch_prim::add", "Scalar", (const int32_t[]){0, 1, 2, -1});
    add_call(&halves, "aten::_local_scalar_dense", "", (const int32_t[]){0, 1, -1});
    write_made(&bools);
    write_made(&halves);
    assert_int_equal(verify_made(&bools), RL_ERROR_TYPE);
    assert_string_equal(bools.error.message, "a bool and a number are operands of one operator");
    assert_int_equal(verify_made(&halves), RL_ERROR_TYPE);
    assert_string_equal(halves.error.message, "a tensor of a type that has no number");
    free(bools.file);
    free(halves.file);
}

// Value 1 shows the input, before or after a sine is called.
static struct made run_viewing(const int32_t *sine, bool first, enum rl_status expected)
{
    static const int32_t view[] = {0, 2, 1, -1};
    struct made m = {.value_count = 4, .input_count = 1};
    m.values[0] = tensor(RL_FLOAT32, NULL, 32);
    m.values[1] = unplanned(RL_FLOAT32);
    m.values[2].kind = RL_PTE_INT_LIST;
    m.values[3] = tensor(RL_FLOAT32, NULL, 64);
    add_call(&m, first ? "executorch_prim::et_view" : "aten::sin", first ? "default" : "out", first ? view : sine);
    add_call(&m, first ? "aten::sin" : "executorch_prim::et_view", first ? "out" : "default", first ? sine : view);
    write_made(&m);
    assert_int_equal(run_made(&m), expected);
    free(m.file);
    return m;
}

// A view without a place of its own has memory when it shows a tensor, not before, and is only read.
static void views_find_their_place_when_they_are_made(void **state)
{
    (void)state;
    static const int32_t reads[] = {1, 3, 3, -1}, writes[] = {3, 1, 1, -1};
    run_viewing(reads, true, RL_OK);
    run_viewing(reads, false, RL_ERROR_MEMORY);
    assert_string_equal(run_viewing(writes, true, RL_ERROR_FORMAT).error.message,
                        "an operator would write to a constant");
}

// Beside views without a place, one that is planned elsewhere than its tensor is refused, also by the run.
static void planned_views_stay_where_they_are(void **state)
{
    (void)state;
    static const int32_t made[] = {0, 2, 1, -1}, planned[] = {0, 2, 3, -1};
    struct made m = {.value_count = 4, .input_count = 1};
    m.values[0] = tensor(RL_FLOAT32, NULL, 32);
    m.values[1] = unplanned(RL_FLOAT32);
    m.values[2].kind = RL_PTE_INT_LIST;
    m.values[3] = tensor(RL_FLOAT32, NULL, 64);
    add_call(&m, "executorch_prim::et_view", "default", made);
    add_call(&m, "executorch_prim::et_view", "default", planned);
    write_made(&m);
    for (int verify = 0; verify < 2; verify++) {
        assert_int_equal(verify ? run_made(&m) : run_trusted(&m), RL_ERROR_TYPE);
        assert_int_equal(m.error.instruction, 1);
        assert_string_equal(m.error.message, "a view does not lie where its tensor does");
    }
    free(m.file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(element_types_are_refused),
        cmocka_unit_test(sizes_beside_a_file_of_data_are_refused),
        cmocka_unit_test(tensors_in_another_file_are_no_constants),
        cmocka_unit_test(sizes_that_change_are_left_to_the_run),
        cmocka_unit_test(dimensions_are_refused),
        cmocka_unit_test(moved_tensors_keep_their_types_and_sizes),
        cmocka_unit_test(what_a_move_makes_right_is_not_refused),
        cmocka_unit_test(outputs_may_not_lie_in_part_of_an_input_beside_moves),
        cmocka_unit_test(conditions_of_jumps_are_truth_values),
        cmocka_unit_test(conditions_of_jumps_may_be_computed),
        cmocka_unit_test(both_ways_of_a_jump_are_checked),
        cmocka_unit_test(numbers_of_the_file_are_refused_unless_computed),
        cmocka_unit_test(numbers_are_computed_from_what_suits),
        cmocka_unit_test(views_find_their_place_when_they_are_made),
        cmocka_unit_test(planned_views_stay_where_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
