// SPDX-License-Identifier: Apache-2.0
//
// Damaged models through the whole compiler: numbers of the graph replaced, operators exchanged, bytes of the JSON and
// of the weights flipped. Whatever the file, the result is an error with a message, or a program that the runtime
// accepts and runs to an end. Run with sanitizers, as scripts/test does.
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/host_program.h"
#include "compiler/pipeline.h"
#include "pt2_archive.h"

enum { ROUNDS = 600 };

static const char damaged_path[] = "compile_damage_test.pt2";
static const char graph_member[] = "models/model.json";

// A small generator is enough, and the same everywhere (Numerical Recipes' constants).
static uint32_t random_below(uint32_t *state, uint32_t bound)
{
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 8) % bound;
}

// Runs a program on zeros.
static void run(struct rl_context *context, struct rl_arena *arena, const struct rl_compiled *compiled)
{
    const struct rl_host_files files = {
        .source = "damaged.pte", .program = compiled->emitted.file, .program_size = compiled->emitted.size};
    struct rl_host_program program;

    if (rl_host_program_open(context, arena, &files, &program) != RL_OK ||
        rl_host_program_execute(context, &program) != RL_OK) {
        fail_msg("the runtime refuses a program of ours: %s", context->message);
    }
}

// Whether the file still compiles.
static bool survives(enum rl_quantization quantization)
{
    struct rl_context context = {0};
    struct rl_arena arena = {0};
    struct rl_compiled compiled;
    jmp_buf out_of_memory;
    struct rl_compile_options options = {.model = damaged_path, .quantization = quantization};
    volatile bool compiles = false;

    arena.out_of_memory = &out_of_memory;
    assert_int_equal(rl_target_parse(&context, "any", &options.target), RL_OK);
    if (setjmp(out_of_memory) == 0) {
        enum rl_status status = rl_compile(&context, &arena, &options, &compiled);
        assert_int_equal(status == RL_OK, context.message[0] == '\0');
        if (status == RL_ERROR_INTERNAL) {
            fail_msg("%s", context.message);
        }
        compiles = status == RL_OK;
        if (compiles) {
            run(&context, &arena, &compiled);
        }
    }
    rl_arena_free(&arena);
    return compiles;
}

static void load(struct pt2_archive *archive)
{
    pt2_load(archive, RL_FIXTURES "/digits/digits.pt2");
}

// The end of the graph in its member: what follows describes nothing that the compiler reads.
static size_t graph_size(const struct pt2_member *member)
{
    const char *end = strstr(member->data, "\"module_call_graph\"");

    return end ? (size_t)(end - member->data) : member->size;
}

// Writes the archive with bytes [start, end) of the member replaced.
static void save_changed(const struct pt2_archive *archive, struct pt2_member *member, size_t start, size_t end,
                         const char *replacement)
{
    const struct pt2_member original = *member;

    member->data = malloc(original.size + strlen(replacement) + 1);
    assert_non_null(member->data);
    memcpy(member->data, original.data, start);
    strcpy(member->data + start, replacement);
    strcat(member->data, original.data + end);
    member->size = strlen(member->data);
    pt2_save(archive, damaged_path, false);
    free(member->data);
    *member = original;
}

static void replaced_numbers(void **state)
{
    (void)state;
    static const char *const replacements[] = {"0",  "1",  "2",          "3",   "4",         "7",
                                               "16", "-1", "2147483647", "255", "100000000", "-2"};
    struct pt2_archive archive;
    uint32_t seed = 1;
    int compiled = 0;

    load(&archive);
    struct pt2_member *member = pt2_find(&archive, graph_member);
    size_t limit = graph_size(member);
    for (int round = 0; round < ROUNDS; round++) {
        const char *text = member->data;
        size_t start = 1 + random_below(&seed, (uint32_t)limit - 1);
        while (start < limit && !(isdigit((unsigned char)text[start]) && strchr(" [:,-", text[start - 1]))) {
            start++;
        }
        size_t end = start;
        while (end < limit && isdigit((unsigned char)text[end])) {
            end++;
        }
        save_changed(&archive, member, start, end,
                     replacements[random_below(&seed, sizeof replacements / sizeof replacements[0])]);
        compiled += survives(round % 4 == 0 ? RL_QUANTIZE_NONE : RL_QUANTIZE_INT8);
    }
    pt2_free(&archive);
    print_message("%d of %d still compile\n", compiled, ROUNDS);
}

static void exchanged_operators(void **state)
{
    (void)state;
    static const char *const targets[] = {
        "aten.relu.default",       "aten.conv2d.default",     "aten.linear.default",
        "aten.add.Tensor",         "aten.max_pool2d.default", "aten.adaptive_avg_pool2d.default",
        "aten.flatten.using_ints", "aten.dropout.default",    "aten.softmax.int",
        "aten.permute.default",    "aten.mul.Tensor",         "aten.view.default"};
    struct pt2_archive archive;
    uint32_t seed = 2;

    load(&archive);
    struct pt2_member *member = pt2_find(&archive, graph_member);
    for (int round = 0; round < ROUNDS / 4; round++) {
        const char *text = member->data;
        const char *target = strstr(text + random_below(&seed, (uint32_t)graph_size(member)), "torch.ops.aten.");
        if (!target) {
            continue;
        }
        size_t start = (size_t)(target - text) + strlen("torch.ops.");
        save_changed(&archive, member, start, start + strcspn(text + start, "\""),
                     targets[random_below(&seed, sizeof targets / sizeof targets[0])]);
        survives(RL_QUANTIZE_INT8);
    }
    pt2_free(&archive);
}

static void flipped_bytes(void **state)
{
    (void)state;
    struct pt2_archive archive;
    uint32_t seed = 3;

    load(&archive);
    for (int round = 0; round < ROUNDS / 2; round++) {
        // Every other round hits a weight: infinities and NaN must not upset anybody.
        struct pt2_member *member = pt2_find(&archive, graph_member);
        size_t size = graph_size(member);
        if (round % 2 == 0) {
            do {
                member = &archive.members[random_below(&seed, (uint32_t)archive.count)];
            } while (!strstr(member->name, "data/weights/weight_") || member->size < 4);
            size = member->size;
        }
        // The last byte of a float32 holds its sign and exponent.
        size_t at = random_below(&seed, (uint32_t)size);
        at = round % 4 == 0 ? (at / 4) * 4 + 3 : at;
        char kept = member->data[at];
        member->data[at] = round % 4 == 0 ? 0x7f : (char)(kept ^ (1 << random_below(&seed, 8)));
        pt2_save(&archive, damaged_path, false);
        survives(round % 3 == 0 ? RL_QUANTIZE_NONE : RL_QUANTIZE_INT8);
        member->data[at] = kept;
    }
    pt2_free(&archive);
}

static int remove_file(void **state)
{
    (void)state;
    remove(damaged_path);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(replaced_numbers),
        cmocka_unit_test(exchanged_operators),
        cmocka_unit_test(flipped_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, remove_file);
}
