// SPDX-License-Identifier: Apache-2.0
//
// Instructions of 32 bits, those of the FPU and of Helium excepted; and what all lengths share.
#include "decode.h"

// R15 as an operand stands for none, or for a constant.
static uint64_t operand(uint32_t number)
{
    return number == 15 ? 0 : core_register(number);
}

static void access_multiple(struct rl_instruction *to, const struct rl_code *code)
{
    const uint64_t list = code->second & 0x7FFF, base = core_register(code->first & 15);
    to->words = count_bits(code->second);
    to->reads[READ_ADDRESS] = base;
    to->updates = code->first & 0x20 ? base : 0;
    if (code->first & 0x10) {
        to->kind = KIND_MULTIPLE_LOAD;
        to->writes = list;
        to->updates &= ~list;
        to->is_indirect = code->second & 0x8000;
    } else {
        to->kind = KIND_MULTIPLE_STORE;
        to->reads[READ_DATA] = list;
    }
}

static void branch_by_table(struct rl_instruction *to, const struct rl_code *code)
{
    to->kind = KIND_BRANCH;
    to->is_indirect = true;
    to->is_table_branch = true;
    to->reads[READ_ADDRESS] = core_register(code->first & 15) | core_register(code->second & 15);
}

// LDRD, STRD, exclusive accesses.
static void access_pair(struct rl_instruction *to, const struct rl_code *code)
{
    const uint32_t base = code->first & 15;
    const bool is_pair = code->first & 0x120;
    const uint64_t values =
        core_register(bits_of(code->second, 12, 4)) | (is_pair ? core_register(bits_of(code->second, 8, 4)) : 0);
    to->kind = code->first & 0x10 ? KIND_LOAD : KIND_STORE;
    to->element_bytes = 4;
    to->words = is_pair ? 2 : 1;
    to->reads[READ_ADDRESS] = operand(base);
    to->base = (uint8_t)base;
    to->updates = is_pair && code->first & 0x20 ? core_register(base) : 0;
    to->offset = (int16_t)(bits_of(code->second, 0, 8) * 4);
    if (to->kind == KIND_LOAD) {
        to->writes = values;
    } else {
        to->reads[READ_DATA] = values;
    }
}

enum { MOVE = 2, PACK = 6, ADD = 8, ADC = 10, SBC = 11, SUB = 13 }; // operations, as encoded

// CSEL and its kind.
static void select_by_condition(struct rl_instruction *to, const struct rl_code *code)
{
    to->reads[READ_MAIN] = (core_register(code->first & 15) | core_register(code->second & 15)) & ~core_register(15);
    to->reads[READ_MAIN] |= core_register(RESOURCE_FLAGS);
    to->writes = core_register(bits_of(code->second, 8, 4));
}

// Shifts of Arm v8.1-M, of one or two registers, by a constant or a register.
static void shift_in_place(struct rl_instruction *to, const struct rl_code *code)
{
    const uint32_t low = code->first & 15, high = bits_of(code->second, 8, 4);
    to->kind = KIND_SHIFTED;
    to->writes = high == 15 ? core_register(low) : core_register(low & 14) | core_register(high | 1);
    to->reads[READ_MAIN] = to->writes;
    if ((code->second & 15) == 13) {
        to->reads[READ_MAIN] |= core_register(bits_of(code->second, 12, 4));
    }
}

static void move_shifted(struct rl_instruction *to, uint32_t source, uint32_t type, uint32_t amount)
{
    enum { ROTATE = 3 };
    to->kind = type || amount ? KIND_SHIFT : KIND_ALU;
    to->is_simple = true;
    to->reads[READ_MAIN] = core_register(source);
    if (type == ROTATE && !amount) {
        to->kind = KIND_SHIFTED; // through the carry
    }
}

static void with_shifted_register(struct rl_instruction *to, const struct rl_code *code)
{
    const uint32_t operation = bits_of(code->first, 5, 4), type = bits_of(code->second, 4, 2);
    const uint32_t amount = bits_of(code->second, 12, 3) << 2 | bits_of(code->second, 6, 2);
    const uint32_t left = code->first & 15, right = code->second & 15, result = bits_of(code->second, 8, 4);
    const bool sets_flags = code->first & 0x10;
    if (operation == MOVE && sets_flags && code->second & 0x8000 && right != 13) {
        select_by_condition(to, code);
        return;
    }
    if (operation == MOVE && sets_flags && (right == 13 || right == 15)) {
        shift_in_place(to, code);
        return;
    }
    to->writes = operand(result);
    to->sets_flags = sets_flags;
    if (operation == PACK) {
        to->kind = KIND_SIMD;
        to->reads[READ_MAIN] = core_register(left);
        to->reads[READ_EARLY] = core_register(right);
        return;
    }
    if (operation == MOVE && left == 15) {
        move_shifted(to, right, type, amount);
        return;
    }
    to->reads[READ_MAIN] = operand(left);
    if (operation == ADC || operation == SBC) {
        to->reads[READ_MAIN] |= core_register(RESOURCE_FLAGS);
    }
    if (type || amount) {
        to->kind = KIND_SHIFTED;
        to->shifts_left = type == 0;
        to->reads[READ_EARLY] = core_register(right);
    } else {
        to->reads[READ_MAIN] |= core_register(right);
        to->is_simple = (operation == ADD || operation == SUB) && to->writes;
    }
}

// Constants that are a byte at some place of a word, or a byte repeated.
static void with_shifted_constant(struct rl_instruction *to, const struct rl_code *code)
{
    const uint32_t operation = bits_of(code->first, 5, 4), left = code->first & 15;
    const uint32_t place = bits_of(code->first, 10, 1) << 3 | bits_of(code->second, 12, 3);
    to->writes = operand(bits_of(code->second, 8, 4));
    to->reads[READ_MAIN] = operand(left);
    to->sets_flags = code->first & 0x10;
    if (operation == ADC || operation == SBC) {
        to->reads[READ_MAIN] |= core_register(RESOURCE_FLAGS);
    }
    if (place >= 4) {
        to->kind = KIND_SHIFTED; // it occupies the shifter, but no operand is read early
        return;
    }
    to->is_simple = (operation == ADD || operation == SUB || (operation == MOVE && left == 15)) && to->writes;
}

static void with_plain_constant(struct rl_instruction *to, const struct rl_code *code)
{
    enum { ADDW = 0, MOVW = 4, SUBW = 10, MOVT = 12, SBFX = 20, BFI = 22, UBFX = 28 };
    const uint32_t operation = bits_of(code->first, 4, 5), left = code->first & 15;
    const uint64_t result = core_register(bits_of(code->second, 8, 4));
    to->writes = operand(bits_of(code->second, 8, 4));
    switch (operation) {
    case MOVW:
    case MOVT:
        to->reads[READ_MAIN] = operation == MOVT ? result : 0;
        to->is_simple = true;
        break;
    case ADDW:
    case SUBW:
        to->reads[READ_MAIN] = operand(left);
        to->is_simple = true;
        break;
    case BFI:
        to->kind = KIND_BITS;
        to->reads[READ_EARLY] = operand(left);
        to->reads[READ_MAIN] = result;
        break;
    case SBFX:
    case UBFX:
        to->kind = KIND_BITS;
        to->reads[READ_EARLY] = core_register(left);
        break;
    default: // SSAT, USAT
        to->kind = KIND_SIMD;
        to->reads[READ_EARLY] = core_register(left);
    }
}

static void count_lanes(struct rl_instruction *to, const struct rl_code *code) // VCTP
{
    to->kind = KIND_VECTOR;
    to->pipe = PIPE_NONE;
    to->reads[READ_MAIN] = core_register(code->first & 15);
    to->writes = core_register(RESOURCE_PREDICATE);
    to->latency = 1;
}

static void start_loop(struct rl_instruction *to, const struct rl_code *code) // DLS, DLSTP, LCTP, WLS
{
    const bool may_skip = !(code->second & 0x2000);
    to->kind = KIND_LOOP_START;
    to->is_conditional = may_skip;
    to->reads[READ_MAIN] = operand(code->first & 15);
    to->writes = core_register(14);
}

static void end_loop(struct rl_instruction *to, const struct rl_code *code) // LE, LETP
{
    (void)code;
    to->kind = KIND_LOOP_END;
}

static void branch_or_system(struct rl_instruction *to, const struct rl_code *code)
{
    enum { NO_CONDITION = 14 };
    if (bits_of(code->first, 6, 4) < NO_CONDITION) {
        to->kind = KIND_BRANCH;
        to->is_conditional = true;
        to->reads[READ_MAIN] = core_register(RESOURCE_FLAGS);
        return;
    }
    if (code->first == 0xF3AF) {
        to->kind = KIND_IT_OR_NOP;
        return;
    }
    to->kind = KIND_SYSTEM;
    if ((code->first & 0xFFE0) == 0xF3E0) { // MRS
        to->writes = core_register(bits_of(code->second, 8, 4));
    } else {
        to->reads[READ_MAIN] = core_register(code->first & 15);
    }
}

static void branch(struct rl_instruction *to, const struct rl_code *code)
{
    to->kind = KIND_BRANCH;
    to->is_call = (code->second & 0xD000) == 0xD000;
    to->writes = to->is_call ? core_register(14) : 0;
}

static void choose_offset(struct rl_instruction *to, const struct rl_code *code)
{
    const uint32_t base = code->first & 15;
    if (base == 15 || code->first & 0x80) {
        to->offset = (int16_t)(code->second & 0xFFF);
        return;
    }
    if (!(code->second & 0x800)) {
        to->reads[READ_ADDRESS] |= core_register(code->second & 15);
        to->has_register_offset = true;
        return;
    }
    if (code->second & 0x400) { // before the access
        const int16_t offset = (int16_t)(code->second & 255);
        to->offset = code->second & 0x200 ? offset : (int16_t)-offset;
    }
    to->updates = code->second & 0x100 ? core_register(base) : 0;
}

static void access_one(struct rl_instruction *to, const struct rl_code *code)
{
    const uint32_t value = bits_of(code->second, 12, 4);
    to->kind = code->first & 0x10 ? KIND_LOAD : KIND_STORE;
    to->words = 1;
    to->element_bytes = (uint8_t)(1u << bits_of(code->first, 5, 2));
    to->reads[READ_ADDRESS] = operand(code->first & 15);
    to->base = (uint8_t)(code->first & 15);
    choose_offset(to, code);
    if (to->kind == KIND_STORE) {
        to->reads[READ_DATA] = core_register(value);
    } else if (value != 15) {
        to->writes = core_register(value);
    } else {
        to->is_indirect = to->element_bytes == 4; // else a hint to load something soon
    }
}

static void shift_or_extend(struct rl_instruction *to, const struct rl_code *code)
{
    const uint32_t left = code->first & 15;
    const uint64_t right = core_register(code->second & 15);
    to->writes = core_register(bits_of(code->second, 8, 4));
    if (!(code->second & 0x80)) {
        to->kind = KIND_SHIFT;
        to->is_simple = true;
        to->reads[READ_MAIN] = core_register(left) | right;
        to->sets_flags = code->first & 0x10;
        return;
    }
    to->rotates = code->second & 0x30;
    if (left == 15) {
        to->kind = KIND_BITS;
        to->reads[READ_MAIN] = right;
    } else { // extends and adds
        to->kind = KIND_SIMD;
        to->reads[READ_SUM] = core_register(left);
        to->reads[READ_EARLY] = right;
    }
}

static void add_in_parallel(struct rl_instruction *to, const struct rl_code *code)
{
    const bool is_unary = (code->second & 0xC0) == 0x80 && code->first & 0x10; // REV, RBIT, CLZ
    const uint64_t right = core_register(code->second & 15);
    to->writes = core_register(bits_of(code->second, 8, 4));
    if (is_unary) {
        to->kind = KIND_BITS;
        to->reads[READ_EARLY] = right;
    } else {
        to->kind = KIND_SIMD;
        to->reads[READ_MAIN] = core_register(code->first & 15) | right;
    }
}

static void multiply(struct rl_instruction *to, const struct rl_code *code)
{
    const uint32_t sum = bits_of(code->second, 12, 4);
    to->kind = sum == 15 ? KIND_MULTIPLY : KIND_ACCUMULATE;
    to->reads[READ_FACTOR] = core_register(code->first & 15) | core_register(code->second & 15);
    to->reads[READ_SUM] = operand(sum);
    to->writes = core_register(bits_of(code->second, 8, 4));
}

static void multiply_long(struct rl_instruction *to, const struct rl_code *code)
{
    enum { SDIV = 1, UDIV = 3, ACCUMULATES = 4 };
    const uint32_t operation = bits_of(code->first, 4, 3);
    const uint64_t high = core_register(bits_of(code->second, 8, 4));
    to->reads[READ_FACTOR] = core_register(code->first & 15) | core_register(code->second & 15);
    to->writes = high | core_register(bits_of(code->second, 12, 4));
    if (operation == SDIV || operation == UDIV) {
        to->kind = KIND_DIVIDE;
        to->writes = high;
        return;
    }
    to->kind = operation & ACCUMULATES ? KIND_LONG_ACCUMULATE : KIND_LONG_MULTIPLY;
    to->reads[READ_SUM] = operation & ACCUMULATES ? to->writes : 0;
}

static void use_coprocessor(struct rl_instruction *to, const struct rl_code *code)
{
    const uint32_t number = bits_of(code->second, 8, 4);
    if ((code->first & 0xEF00) != 0xEF00 && (number == 10 || number == 11)) {
        rl_decode_float(to, code);
    } else if (code->core == RL_CYCLES_M55) {
        rl_decode_vector(to, code);
    } else {
        to->kind = KIND_FLOAT;
    }
}

void rl_decode_long(struct rl_instruction *to, const struct rl_code *code)
{
    static const struct rl_form forms[] = {
        {0xFE400000, 0xE8000000, access_multiple},
        {0xFFF0F0E0, 0xE8D0F000, branch_by_table},
        {0xFE400000, 0xE8400000, access_pair},
        {0xFE000000, 0xEA000000, with_shifted_register},
        {0xFA008000, 0xF0000000, with_shifted_constant},
        {0xFA008000, 0xF2000000, with_plain_constant},
        {0xFF80FFFF, 0xF000E801, count_lanes},
        {0xFF80F001, 0xF000E001, start_loop},
        {0xFF8FF001, 0xF00FC001, end_loop},
        {0xFF80F001, 0xF000C001, start_loop},
        {0xF800D000, 0xF0008000, branch_or_system},
        {0xF8008000, 0xF0008000, branch},
        {0xFE000000, 0xF8000000, access_one},
        {0xFF800000, 0xFA000000, shift_or_extend},
        {0xFF800000, 0xFA800000, add_in_parallel},
        {0xFF800000, 0xFB000000, multiply},
        {0xFF800000, 0xFB800000, multiply_long},
        {0xEC000000, 0xEC000000, use_coprocessor},
    };
    to->kind = KIND_ALU;
    if (!rl_decode_by(forms, sizeof forms / sizeof *forms, code->first << 16 | code->second, to, code)) {
        to->kind = KIND_SYSTEM;
    }
}

struct rl_instruction rl_instruction_decode(enum rl_cycle_core core, const uint8_t *bytes, uint32_t address, bool in_it)
{
    const bool is_long = bytes[1] >= 0xE8;
    const struct rl_code code = {.first = bytes[0] | (uint32_t)bytes[1] << 8,
                                 .second = is_long ? bytes[2] | (uint32_t)bytes[3] << 8 : 0,
                                 .core = core,
                                 .in_it = in_it};
    struct rl_instruction to = {.address = address, .bytes = is_long ? 4 : 2};
    if (is_long) {
        rl_decode_long(&to, &code);
    } else {
        rl_decode_short(&to, &code);
    }
    if (to.words == 0) {
        to.words = 1;
    }
    if (in_it) {
        to.reads[READ_MAIN] |= core_register(RESOURCE_FLAGS);
    }
    if (to.sets_flags) {
        to.writes |= core_register(RESOURCE_FLAGS);
    }
    const uint64_t program_counter = core_register(15); // known early, and branches have costs of their own
    for (int reader = 0; reader < READERS; reader++) {
        to.reads[reader] &= ~program_counter;
    }
    to.writes &= ~program_counter;
    return to;
}
