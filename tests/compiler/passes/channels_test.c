// SPDX-License-Identifier: Apache-2.0
//
// drop_channels on random networks of integers in which channels are killed: the outputs with the pass are those
// without it, byte by byte, and the verifier accepts the programs. `passes_channels_test ROUNDS` goes on longer.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/emit/pte.h"
#include "compiler/host_program.h"
#include "compiler/passes/dropped.h"
#include "compiler/passes/passes.h"
#include "compiler/plan/memory.h"
#include "random_network.h"

enum { DEFAULT_ROUNDS = 300, MOST_BYTES = 1 << 13 };

static int rounds = DEFAULT_ROUNDS;

// ---- programs

struct outputs {
    uint8_t bytes[3][MOST_BYTES];
    size_t sizes[3];
    int64_t dropped;
};

static void run_passes(struct rl_pass *pass, bool drops)
{
    enum rl_status status = RL_OK;

    for (int i = 0; rl_stage_at(i) && drops; i++) {
        if (strcmp(rl_stage_at(i)->name, "drop_channels") == 0) {
            status = rl_stage_run(pass, rl_stage_at(i));
        }
    }
    if (status == RL_OK) {
        status = rl_phases_run(pass, RL_PHASE_PORTABLE, RL_PHASE_PLAN);
    }
    if (status != RL_OK) {
        fail_msg("%s", pass->context->message);
    }
}

static void compute(const char *text, uint64_t seed, bool drops, struct outputs *outputs)
{
    struct rl_arena arena = {.blocks = NULL};
    struct rl_context context = {.message = ""};
    struct rl_compile_options options = {.quantization = RL_QUANTIZE_NONE};
    struct rl_pass pass = {.context = &context, .arena = &arena, .options = &options};
    struct rl_memory_plan plan;
    struct rl_emitted emitted;
    struct rl_host_program program;
    struct rl_random random = {seed};
    int8_t input[MOST_BYTES];

    assert_int_equal(rl_target_parse(&context, "any", &options.target), RL_OK);
    options.explicit_layout = seed % 3 == 0;
    if (rl_graph_parse(&context, &arena, text, "random", &pass.graph) != RL_OK) {
        fail_msg("%s", context.message);
    }
    run_passes(&pass, drops);
    outputs->dropped = pass.dropped ? pass.dropped->channels : 0;
    assert_int_equal(rl_plan_memory(&context, &arena, pass.graph, false, &plan), RL_OK);
    assert_int_equal(rl_emit_pte(&context, &arena, pass.graph, &plan, &emitted), RL_OK);
    const struct rl_host_files files = {.source = "random", .program = emitted.file, .program_size = emitted.size};
    if (rl_host_program_open(&context, &arena, &files, &program) != RL_OK) {
        fail_msg("%s", context.message);
    }
    const size_t bytes = rl_tensor_bytes(&pass.graph->inputs[0]->type);
    for (size_t i = 0; i < bytes; i++) {
        input[i] = (int8_t)rl_random_between(&random, INT8_MIN, INT8_MAX);
    }
    if (rl_host_program_set_input(&context, &program, 0, input, bytes) != RL_OK ||
        rl_host_program_execute(&context, &program) != RL_OK) {
        fail_msg("%s", context.message);
    }
    for (int i = 0; i < pass.graph->output_count; i++) {
        outputs->sizes[i] = rl_tensor_bytes(&pass.graph->outputs[i]->type);
        assert_true(outputs->sizes[i] <= MOST_BYTES);
        assert_int_equal(
            rl_host_program_get_output(&context, &program, (uint32_t)i, outputs->bytes[i], outputs->sizes[i]), RL_OK);
    }
    rl_arena_free(&arena);
}

static void compare_networks(bool is_wide)
{
    static struct outputs expected, found;
    int changed = 0;

    for (int i = 0; i < rounds; i++) {
        const uint64_t seed = (uint64_t)i + 1;
        char *text = rl_random_network(seed, is_wide);
        memset(&expected, 0, sizeof expected);
        memset(&found, 0, sizeof found);
        compute(text, seed, false, &expected);
        compute(text, seed, true, &found);
        changed += found.dropped > 0;
        if (memcmp(expected.bytes, found.bytes, sizeof found.bytes) != 0) {
            printf("%s", text);
            fail_msg("network %d gives other outputs without %lld channels", i, (long long)found.dropped);
        }
        free(text);
    }
    print_message("%d of %d networks lose channels\n", changed, rounds);
    assert_true(2 * changed > rounds);
}

static void no_output_changes(void **state)
{
    (void)state;
    compare_networks(false);
}

static void no_output_of_int16_changes(void **state)
{
    (void)state;
    compare_networks(true);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_output_changes),
                                       cmocka_unit_test(no_output_of_int16_changes)};

    if (argc > 1) {
        rounds = atoi(argv[1]);
    }
    return cmocka_run_group_tests_name("passes_channels", tests, NULL, NULL);
}
