// SPDX-License-Identifier: Apache-2.0
//
// Instructions of 16 bits.
#include "decode.h"

static void shift_by_constant(struct rl_instruction *to, const struct rl_code *code)
{
    to->kind = code->first & 0xFFC0 ? KIND_SHIFT : KIND_ALU; // else MOVS
    to->reads[READ_MAIN] = core_register(bits_of(code->first, 3, 3));
    to->writes = core_register(bits_of(code->first, 0, 3));
    to->is_simple = true;
    to->sets_flags = !code->in_it;
}

static void add_or_subtract(struct rl_instruction *to, const struct rl_code *code)
{
    const bool is_constant = code->first & 0x400;
    to->reads[READ_MAIN] = core_register(bits_of(code->first, 3, 3));
    if (!is_constant) {
        to->reads[READ_MAIN] |= core_register(bits_of(code->first, 6, 3));
    }
    to->writes = core_register(bits_of(code->first, 0, 3));
    to->is_simple = true;
    to->sets_flags = !code->in_it;
}

// MOV, CMP, ADD, SUB with a constant of 8 bits.
static void with_constant(struct rl_instruction *to, const struct rl_code *code)
{
    enum { MOV, CMP };
    const uint32_t operation = bits_of(code->first, 11, 2);
    const uint64_t operand = core_register(bits_of(code->first, 8, 3));
    to->reads[READ_MAIN] = operation == MOV ? 0 : operand;
    to->writes = operation == CMP ? 0 : operand;
    to->sets_flags = operation == CMP || !code->in_it;
    to->is_simple = operation != CMP;
}

static void between_low_registers(struct rl_instruction *to, const struct rl_code *code)
{
    enum { LSL = 2, LSR, ASR, ADC, SBC, ROR, TST, RSB, CMP, CMN, ORR, MUL, BIC, MVN };
    const uint32_t operation = bits_of(code->first, 6, 4);
    const uint64_t source = core_register(bits_of(code->first, 3, 3)),
                   other = core_register(bits_of(code->first, 0, 3));
    const bool compares = operation == TST || operation == CMP || operation == CMN;
    uint64_t reads = operation == RSB || operation == MVN ? source : source | other;
    if (operation == ADC || operation == SBC) {
        reads |= core_register(RESOURCE_FLAGS);
    }
    to->writes = compares ? 0 : other;
    to->sets_flags = compares || !code->in_it;
    if (operation == MUL) {
        to->kind = KIND_MULTIPLY;
        to->reads[READ_FACTOR] = reads;
        return;
    }
    to->reads[READ_MAIN] = reads;
    if ((operation >= LSL && operation <= ASR) || operation == ROR) {
        to->kind = KIND_SHIFT;
        to->is_simple = true;
    }
}

// ADD, CMP, MOV of all registers, BX and BLX.
static void between_all_registers(struct rl_instruction *to, const struct rl_code *code)
{
    enum { ADD, CMP, MOV, BX };
    const uint32_t operation = bits_of(code->first, 8, 2), destination = (code->first & 7) | (code->first >> 4 & 8);
    const uint64_t source = core_register(bits_of(code->first, 3, 4));
    if (operation == BX) {
        to->kind = KIND_BRANCH;
        to->is_indirect = true;
        to->is_call = code->first & 0x80;
        to->reads[READ_MAIN] = source;
        to->writes = to->is_call ? core_register(14) : 0;
        return;
    }
    to->reads[READ_MAIN] = operation == MOV ? source : source | core_register(destination);
    to->sets_flags = operation == CMP;
    to->is_simple = operation != CMP;
    if (operation == CMP) {
        return;
    }
    to->writes = core_register(destination);
    if (destination == 15) {
        to->kind = KIND_BRANCH;
        to->is_indirect = true;
    }
}

static void move_word(struct rl_instruction *to, bool loads, uint32_t value)
{
    to->kind = loads ? KIND_LOAD : KIND_STORE;
    to->words = 1;
    if (loads) {
        to->writes = core_register(value);
    } else {
        to->reads[READ_DATA] = core_register(value);
    }
}

static void load_literal(struct rl_instruction *to, const struct rl_code *code)
{
    move_word(to, true, bits_of(code->first, 8, 3));
    to->element_bytes = 4;
    to->base = 15;
    to->offset = (int16_t)(bits_of(code->first, 0, 8) * 4);
}

static void access_with_register_offset(struct rl_instruction *to, const struct rl_code *code)
{
    enum { FIRST_LOAD = 3 }; // STR, STRH, STRB before it
    static const uint8_t bytes[8] = {4, 2, 1, 1, 4, 2, 1, 2};
    const uint32_t operation = bits_of(code->first, 9, 3), base = bits_of(code->first, 3, 3);
    move_word(to, operation >= FIRST_LOAD, bits_of(code->first, 0, 3));
    to->element_bytes = bytes[operation];
    to->reads[READ_ADDRESS] = core_register(base) | core_register(bits_of(code->first, 6, 3));
    to->has_register_offset = true;
    to->base = (uint8_t)base;
}

static void access_with_constant_offset(struct rl_instruction *to, const struct rl_code *code)
{
    const uint32_t base = bits_of(code->first, 3, 3);
    move_word(to, code->first & 0x800, bits_of(code->first, 0, 3));
    to->element_bytes = code->first & 0x1000 ? 1 : 4;
    if ((code->first & 0xF000) == 0x8000) {
        to->element_bytes = 2;
    }
    to->reads[READ_ADDRESS] = core_register(base);
    to->base = (uint8_t)base;
    to->offset = (int16_t)(bits_of(code->first, 6, 5) * to->element_bytes);
}

static void access_stack(struct rl_instruction *to, const struct rl_code *code)
{
    move_word(to, code->first & 0x800, bits_of(code->first, 8, 3));
    to->element_bytes = 4;
    to->reads[READ_ADDRESS] = core_register(13);
    to->base = 13;
    to->offset = (int16_t)(bits_of(code->first, 0, 8) * 4);
}

static void compute_address(struct rl_instruction *to, const struct rl_code *code)
{
    to->reads[READ_MAIN] = code->first & 0x800 ? core_register(13) : 0;
    to->writes = core_register(bits_of(code->first, 8, 3));
    to->is_simple = true;
}

static void move_stack_pointer(struct rl_instruction *to, const struct rl_code *code)
{
    (void)code;
    to->reads[READ_MAIN] = to->writes = core_register(13);
    to->is_simple = true;
}

static void compare_and_branch(struct rl_instruction *to, const struct rl_code *code)
{
    to->kind = KIND_BRANCH;
    to->is_conditional = true;
    to->reads[READ_MAIN] = core_register(bits_of(code->first, 0, 3));
}

static void extend(struct rl_instruction *to, const struct rl_code *code)
{
    to->kind = KIND_BITS;
    to->reads[READ_MAIN] = core_register(bits_of(code->first, 3, 3));
    to->writes = core_register(bits_of(code->first, 0, 3));
}

static void reverse_bytes(struct rl_instruction *to, const struct rl_code *code)
{
    to->kind = KIND_BITS;
    to->reads[READ_EARLY] = core_register(bits_of(code->first, 3, 3));
    to->writes = core_register(bits_of(code->first, 0, 3));
}

static void push(struct rl_instruction *to, const struct rl_code *code)
{
    to->kind = KIND_MULTIPLE_STORE;
    to->words = count_bits(code->first & 0x1FF);
    to->reads[READ_ADDRESS] = to->updates = core_register(13);
    to->reads[READ_DATA] = (code->first & 0xFF) | (code->first & 0x100 ? core_register(14) : 0);
}

static void pop(struct rl_instruction *to, const struct rl_code *code)
{
    to->kind = KIND_MULTIPLE_LOAD;
    to->words = count_bits(code->first & 0x1FF);
    to->reads[READ_ADDRESS] = to->updates = core_register(13);
    to->writes = code->first & 0xFF;
    to->is_indirect = code->first & 0x100;
}

static void access_multiple(struct rl_instruction *to, const struct rl_code *code)
{
    const uint64_t list = code->first & 0xFF, base = core_register(bits_of(code->first, 8, 3));
    to->words = count_bits(code->first & 0xFF);
    to->reads[READ_ADDRESS] = base;
    if (code->first & 0x800) {
        to->kind = KIND_MULTIPLE_LOAD;
        to->writes = list;
        to->updates = list & base ? 0 : base;
    } else {
        to->kind = KIND_MULTIPLE_STORE;
        to->reads[READ_DATA] = list;
        to->updates = base;
    }
}

static void hint(struct rl_instruction *to, const struct rl_code *code)
{
    (void)code;
    to->kind = KIND_IT_OR_NOP;
}

static void branch(struct rl_instruction *to, const struct rl_code *code)
{
    (void)code;
    to->kind = KIND_BRANCH;
}

static void branch_on_condition(struct rl_instruction *to, const struct rl_code *code)
{
    const bool is_system = (code->first & 0xE00) == 0xE00; // SVC, UDF
    to->kind = is_system ? KIND_SYSTEM : KIND_BRANCH;
    to->is_conditional = !is_system;
    to->reads[READ_MAIN] = core_register(RESOURCE_FLAGS);
}

void rl_decode_short(struct rl_instruction *to, const struct rl_code *code)
{
    static const struct rl_form forms[] = {
        {0xF800, 0x1800, add_or_subtract},
        {0xE000, 0x0000, shift_by_constant},
        {0xE000, 0x2000, with_constant},
        {0xFC00, 0x4000, between_low_registers},
        {0xFC00, 0x4400, between_all_registers},
        {0xF800, 0x4800, load_literal},
        {0xF000, 0x5000, access_with_register_offset},
        {0xE000, 0x6000, access_with_constant_offset},
        {0xF000, 0x8000, access_with_constant_offset},
        {0xF000, 0x9000, access_stack},
        {0xF000, 0xA000, compute_address},
        {0xFF00, 0xB000, move_stack_pointer},
        {0xF500, 0xB100, compare_and_branch},
        {0xFF00, 0xB200, extend},
        {0xFE00, 0xB400, push},
        {0xFE00, 0xBC00, pop},
        {0xFF00, 0xBA00, reverse_bytes},
        {0xFF00, 0xBF00, hint},
        {0xF000, 0xC000, access_multiple},
        {0xF000, 0xD000, branch_on_condition},
        {0xF800, 0xE000, branch},
    };
    to->kind = KIND_ALU;
    if (!rl_decode_by(forms, sizeof forms / sizeof *forms, code->first, to, code)) {
        to->kind = KIND_SYSTEM;
    }
}
