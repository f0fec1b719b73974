// SPDX-License-Identifier: Apache-2.0
//
// Programs that would run for ever, or need more memory than a core can address, end with a message.
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "format/checksum.h"
#include "runtime/change_program.h"
#include "runtime/operator_program.h"
#include "support/process.h"

static void write_file(const char *path, const uint8_t *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

// A program of two operators, the first of which may become a jump to itself for ever.
static const char *write_program(bool endless, int64_t arena_bytes)
{
    enum { OPERAND, RESULT, CONDITION };
    static const int32_t four[] = {4}, relu[] = {OPERAND, RESULT, RESULT}, in[] = {OPERAND}, out[] = {RESULT};
    static const uint8_t order[] = {0};
    static const struct rl_pte_operator_description operators[] = {{"aten::relu", "out"}, {"aten::abs", "out"}};
    static const struct rl_pte_instruction_description instructions[] = {{1, 3, relu}, {0, 3, relu}};
    const struct rl_pte_value_description values[] = {
        {.kind = RL_PTE_TENSOR, .as.tensor = {RL_FLOAT32, 1, four, order, 0, 1, 0}},
        {.kind = RL_PTE_TENSOR, .as.tensor = {RL_FLOAT32, 1, four, order, 0, 1, 16}},
        {.kind = RL_PTE_BOOL, .as.boolean = false},
    };
    const int64_t sizes[] = {32, arena_bytes, arena_bytes};
    const struct rl_pte_method_description method = {.name = "forward",
                                                     .value_count = 3,
                                                     .values = values,
                                                     .input_count = 1,
                                                     .inputs = in,
                                                     .output_count = 1,
                                                     .outputs = out,
                                                     .operator_count = 2,
                                                     .operators = operators,
                                                     .instruction_count = 2,
                                                     .instructions = instructions,
                                                     .buffer_count = 3,
                                                     .buffer_sizes = sizes};
    const struct rl_pte_description description = {1, &method, 0, NULL, 0, NULL, NULL};
    size_t size;
    uint8_t *file = write_description(&description, &size);
    const char *path = rl_temporary_path("limited.pte");
    if (endless) {
        make_jump(file, size, 0, CONDITION, 0);
        store(file, RL_PTE_CHECKSUM_OFFSET, rl_pte_checksum(file, (uint32_t)size));
    }
    write_file(path, file, size);
    free(file);
    return path;
}

static void expect(const char *const *words, const char *text)
{
    struct rl_process process = rl_process_run(rl_program_under_test(), words);
    if (process.status != 1 || !strstr(process.err, text)) {
        fail_msg("exit code %d, expected 1; message '%s', expected '%s'", process.status, process.err, text);
    }
    rl_process_free(&process);
}

static void endless_programs_end(void **state)
{
    (void)state;
    const char *pte = write_program(true, 16);
    expect((const char *[]){"run", pte, "--max-steps", "1000", NULL}, "has not ended after 1000 instructions");
    expect((const char *[]){"run", pte, "--max-steps", "0", NULL}, "has not ended after 0 instructions");
    expect((const char *[]){"run", pte, "--max-steps", "2147483647", "--timeout", "1", NULL},
           "no result within 1 seconds");
}

static void honest_programs_stay_below_the_limit(void **state)
{
    (void)state;
    const char *pte = write_program(false, 16);
    json_decref(rl_process_json(rl_program_under_test(),
                                (const char *[]){"run", pte, "--max-steps", "2", "--timeout", "60", "--json", NULL}));
    expect((const char *[]){"run", pte, "--max-steps", "1", NULL}, "has not ended after 1 instructions");
}

static void buffers_beyond_any_core_are_refused(void **state)
{
    (void)state;
    const char *pte = write_program(false, INT64_C(2147483632));
    expect((const char *[]){"run", pte, NULL}, "the buffers need 4294967296 bytes; accepted: up to 4294967295");
}

static void limits_are_numbers(void **state)
{
    (void)state;
    const char *const words[][5] = {{"run", "x.pte", "--max-steps", "-1", NULL},
                                    {"run", "x.pte", "--timeout", "soon", NULL}};
    for (int i = 0; i < 2; i++) {
        struct rl_process process = rl_process_run(rl_program_under_test(), words[i]);
        assert_int_equal(process.status, 2);
        assert_non_null(strstr(process.err, words[i][2]));
        rl_process_free(&process);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(endless_programs_end),
        cmocka_unit_test(honest_programs_stay_below_the_limit),
        cmocka_unit_test(buffers_beyond_any_core_are_refused),
        cmocka_unit_test(limits_are_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
