// SPDX-License-Identifier: Apache-2.0
//
// usage: fuzz_reach_test FILE...
// What the fuzzer makes of programs, without libFuzzer: some of it must be accepted, run to its end, and have each of
// the traits that once led to errors. A mutator that loses one would still pass every other test.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "fuzz/pte_fields.h"
#include "fuzz/pte_run.h"

enum { MOST_FILE = 64 << 10, VARIANTS = 100, LEAST = 15 };

enum trait { SHARED_VALUE, SHARED_INSTRUCTION, SHARED_PART, MOVE, JUMP, EMPTY, LARGE, TRAITS };

static const char *const names[] = {[SHARED_VALUE] = "values that share a table",
                                    [SHARED_INSTRUCTION] = "instructions that share a table",
                                    [SHARED_PART] = "tensors that share sizes or a place",
                                    [MOVE] = "moves",
                                    [JUMP] = "jumps",
                                    [EMPTY] = "empty tensors",
                                    [LARGE] = "tensors of more than 64 KB"};

// What libFuzzer does with bytes is not tested here.
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size)
{
    (void)data;
    (void)max_size;
    return size;
}

static uint32_t read_u32(const uint8_t *data, uint32_t position)
{
    const struct field field = {.position = position, .width = 4};
    return (uint32_t)field_read(data, &field);
}

static bool has_shared(const uint8_t *data, const struct rl_fb_vector *entries)
{
    for (uint32_t i = 0; i < entries->count; i++) {
        for (uint32_t k = 0; k < i; k++) {
            const uint32_t one = entries->items + 4 * i, other = entries->items + 4 * k;
            if (one + read_u32(data, one) == other + read_u32(data, other)) {
                return true;
            }
        }
    }
    return false;
}

static void find_tensor_traits(const struct rl_pte *pte, const struct rl_pte_plan *plan, bool found[TRAITS])
{
    static uint32_t tables[400][3];
    uint32_t count = 0;
    for (uint32_t i = 0; i < plan->values.count && count < 400; i++) {
        static const uint32_t parts[] = {RL_PTE_tensor_sizes, RL_PTE_tensor_dim_order, RL_PTE_tensor_allocation_info};
        struct rl_pte_tensor tensor;
        uint32_t table;
        uint64_t bytes = 1;
        if (rl_pte_value(pte, plan, i, &table) != RL_PTE_TENSOR || !rl_pte_tensor(pte, table, &tensor)) {
            continue;
        }
        for (uint32_t k = 0; k < tensor.sizes.count; k++) {
            bytes *= (uint32_t)rl_pte_item_i32(pte, &tensor.sizes, k);
        }
        found[EMPTY] = found[EMPTY] || bytes == 0;
        found[LARGE] = found[LARGE] || bytes * 4 > 64 << 10;
        for (int part = 0; part < 3; part++) {
            const uint32_t at = rl_fb_field(&pte->fb, table, parts[part], 4);
            tables[count][part] = at == RL_FB_ABSENT ? at : at + read_u32(pte->fb.data, at);
            for (uint32_t k = 0; k < count && at != RL_FB_ABSENT; k++) {
                found[SHARED_PART] = found[SHARED_PART] || tables[k][part] == tables[count][part];
            }
        }
        count++;
    }
}

static bool find_traits(const uint8_t *data, size_t size, bool found[TRAITS])
{
    struct rl_pte pte;
    struct rl_pte_plan plan;
    uint32_t offset;
    memset(found, 0, TRAITS * sizeof *found);
    if (rl_pte_open(&pte, data, size, &offset) || !rl_pte_plan(&pte, 0, &plan)) {
        return false;
    }
    found[SHARED_VALUE] = has_shared(data, &plan.values);
    found[SHARED_INSTRUCTION] = has_shared(data, &plan.instructions);
    for (uint32_t i = 0; i < plan.instructions.count; i++) {
        struct rl_pte_instruction instruction;
        if (rl_pte_instruction(&pte, &plan, i, &instruction)) {
            found[MOVE] = found[MOVE] || instruction.kind == RL_PTE_MOVE_CALL;
            found[JUMP] = found[JUMP] || instruction.kind == RL_PTE_JUMP_FALSE_CALL;
        }
    }
    find_tensor_traits(&pte, &plan, found);
    return true;
}

// Whether verification accepts a program and one of its calls runs to its end.
static bool runs(const uint8_t *data, size_t size)
{
    struct rl_program program;
    return rl_program_open(&program, data, size, NULL) == RL_OK &&
           rl_program_verify(&program, &rl_registry_all, NULL) == RL_OK &&
           rl_fuzz_program(data, size, &rl_registry_all) > 0;
}

// Counts the traits that variants of a file have, and the file does not.
static void try_file(const uint8_t *file, size_t size, uint32_t counts[TRAITS])
{
    static _Alignas(RL_ALIGNMENT) uint8_t changed[MOST_FILE];
    bool before[TRAITS], after[TRAITS];
    if (!find_traits(file, size, before)) {
        return;
    }
    for (unsigned seed = 0; seed < VARIANTS; seed++) {
        memcpy(changed, file, size);
        if (LLVMFuzzerCustomMutator(changed, size, MOST_FILE, seed * 2654435761u) != size ||
            memcmp(changed, file, size) == 0 || !find_traits(changed, size, after)) {
            continue;
        }
        bool is_new = false;
        for (int i = 0; i < TRAITS; i++) {
            is_new = is_new || (after[i] && !before[i]);
        }
        for (int i = 0; is_new && runs(changed, size) && i < TRAITS; i++) {
            counts[i] += after[i] && !before[i];
        }
    }
}

int main(int argc, char **argv)
{
    static _Alignas(RL_ALIGNMENT) uint8_t file[MOST_FILE];
    uint32_t counts[TRAITS] = {0};
    bool good = argc > 1;
    for (int i = 1; i < argc; i++) {
        FILE *stream = fopen(argv[i], "rb");
        const size_t size = stream ? fread(file, 1, MOST_FILE, stream) : 0;
        if (stream) {
            fclose(stream);
        }
        if (size > 0 && size < MOST_FILE) {
            try_file(file, size, counts);
        }
    }
    for (int i = 0; i < TRAITS; i++) {
        printf("%" PRIu32 " programs with %s\n", counts[i], names[i]);
        good = good && counts[i] >= LEAST;
    }
    printf("%s\n", good ? "ok" : "FAIL: too few of a kind");
    return good ? 0 : 1;
}
