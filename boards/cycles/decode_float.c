// SPDX-License-Identifier: Apache-2.0
//
// Instructions of the FPU, and those of its encodings that Helium shares.
#include "decode.h"

struct operands {
    uint64_t destination, left, right;
    uint32_t first, second; // numbers of the first and last operand's single registers
    bool is_double;
};

static struct operands operands_of(const struct rl_code *code)
{
    const uint32_t d = bits_of(code->second, 12, 4), n = code->first & 15, m = code->second & 15;
    const uint32_t d_bit = bits_of(code->first, 6, 1), n_bit = bits_of(code->second, 7, 1);
    const uint32_t m_bit = bits_of(code->second, 5, 1);
    struct operands found = {.first = d << 1 | d_bit, .second = m << 1 | m_bit, .is_double = code->second & 0x100};
    if (found.is_double) {
        found.destination = double_register(d_bit << 4 | d);
        found.left = double_register(n_bit << 4 | n);
        found.right = double_register(m_bit << 4 | m);
        found.first = (d_bit << 4 | d) * 2;
    } else {
        found.destination = single_register(d << 1 | d_bit);
        found.left = single_register(n << 1 | n_bit);
        found.right = single_register(m << 1 | m_bit);
    }
    return found;
}

static void move_two_words(struct rl_instruction *to, const struct rl_code *code)
{
    const struct operands of = operands_of(code);
    const uint64_t cores = core_register(bits_of(code->second, 12, 4)) | core_register(code->first & 15);
    const uint64_t floats = of.is_double ? of.right : single_register(of.second) | single_register(of.second + 1);
    to->kind = KIND_FLOAT_MOVE;
    to->writes_core = code->first & 0x10;
    to->reads[READ_MAIN] = to->writes_core ? floats : cores;
    to->writes = to->writes_core ? cores : floats;
}

static void access_one(struct rl_instruction *to, const struct rl_code *code) // VLDR, VSTR
{
    const struct operands of = operands_of(code);
    to->kind = code->first & 0x10 ? KIND_LOAD : KIND_STORE;
    to->words = of.is_double ? 2 : 1;
    to->element_bytes = 4;
    to->reads[READ_ADDRESS] = core_register(code->first & 15);
    to->base = (uint8_t)(code->first & 15);
    if (to->kind == KIND_LOAD) {
        to->writes = of.destination;
    } else {
        to->reads[READ_DATA] = of.destination;
    }
}

static void access_multiple(struct rl_instruction *to, const struct rl_code *code)
{
    const uint32_t count = code->second & 0xFF, first = operands_of(code).first;
    uint64_t list = 0;
    for (uint32_t i = 0; i < count && first + i < 32; i++) {
        list |= single_register(first + i);
    }
    to->words = (uint8_t)count;
    to->reads[READ_ADDRESS] = core_register(code->first & 15);
    to->updates = code->first & 0x20 ? core_register(code->first & 15) : 0;
    if (code->first & 0x10) {
        to->kind = KIND_MULTIPLE_LOAD;
        to->writes = list;
    } else {
        to->kind = KIND_MULTIPLE_STORE;
        to->reads[READ_DATA] = list;
    }
}

static void move_special(struct rl_instruction *to, const struct rl_code *code) // VMRS, VMSR
{
    const uint32_t number = code->first & 15, general = bits_of(code->second, 12, 4);
    const bool is_predicate = number == 12 || number == 13;
    const uint64_t special = core_register(is_predicate ? RESOURCE_PREDICATE : RESOURCE_FLAGS);
    to->kind = KIND_FLOAT_MOVE;
    to->writes_core = code->first & 0x10;
    if (to->writes_core) {
        to->reads[READ_MAIN] = special;
        to->writes = core_register(general == 15 ? RESOURCE_FLAGS : general);
    } else {
        to->reads[READ_MAIN] = core_register(general);
        to->writes = special;
    }
}

// Between a core register and a float, or a lane of a vector, or all of its lanes (VDUP).
static void move_word(struct rl_instruction *to, const struct rl_code *code)
{
    const struct operands of = operands_of(code);
    const uint64_t general = core_register(bits_of(code->second, 12, 4));
    const uint64_t vector = vector_register(bits_of(code->first, 1, 3));
    to->kind = KIND_FLOAT_MOVE;
    to->writes_core = code->first & 0x10;
    if (to->writes_core) {
        to->reads[READ_MAIN] = of.is_double ? vector : of.left;
        to->writes = general;
        return;
    }
    to->reads[READ_MAIN] = general;
    to->writes = of.left;
    if (code->first & 0x80) {
        to->writes = vector;
        if (code->core == RL_CYCLES_M55) {
            to->kind = KIND_VECTOR;
            to->pipe = PIPE_INTEGER;
            to->latency = 1;
        }
    } else if (of.is_double) {
        to->writes = double_register(bits_of(code->second, 7, 1) << 4 | (code->first & 15)); // half of it, in fact
    }
}

// Square roots, comparisons, conversions.
static void compute_of_one(struct rl_instruction *to, const struct rl_code *code, const struct operands *of)
{
    const uint32_t operation = code->first & 15;
    to->reads[READ_MAIN] = of->right;
    if (operation == 1 && (code->second & 0xC0) == 0xC0) {
        to->kind = KIND_FLOAT_DIVIDE;
    }
    if (operation == 4 || operation == 5) {
        to->reads[READ_MAIN] = of->destination | of->right;
        to->writes = core_register(RESOURCE_FLAGS);
    }
}

static void compute(struct rl_instruction *to, const struct rl_code *code)
{
    const struct operands of = operands_of(code);
    const uint32_t operation = code->first & 0xB0;
    to->kind = KIND_FLOAT;
    to->reads[READ_MAIN] = of.left | of.right;
    to->writes = of.destination;
    if ((code->first & 0xFF00) == 0xFE00) { // VSEL, VMAXNM, roundings
        if (operation == 0xB0) {
            to->reads[READ_MAIN] = of.right;
        }
        return;
    }
    switch (operation) {
    case 0x00:
    case 0x10:
    case 0x90:
    case 0xA0:
        to->kind = KIND_FLOAT_ACCUMULATE;
        to->reads[READ_SUM] = of.destination;
        break;
    case 0x20:
        to->kind = KIND_FLOAT_MULTIPLY;
        break;
    case 0x80:
        to->kind = KIND_FLOAT_DIVIDE;
        break;
    case 0xB0:
        compute_of_one(to, code, &of);
        break;
    default:
        break;
    }
}

void rl_decode_float(struct rl_instruction *to, const struct rl_code *code)
{
    static const struct rl_form forms[] = {
        {0xFFE00000, 0xEC400000, move_two_words},  {0xFF200000, 0xED000000, access_one},
        {0xFE000000, 0xEC000000, access_multiple}, {0xFFE00110, 0xEEE00010, move_special},
        {0x00000010, 0x00000010, move_word},       {0, 0, compute},
    };
    rl_decode_by(forms, sizeof forms / sizeof *forms, code->first << 16 | code->second, to, code);
}
