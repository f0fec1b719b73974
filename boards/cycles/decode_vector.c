// SPDX-License-Identifier: Apache-2.0
//
// Instructions of Helium.
#include "decode.h"

static uint64_t destination(const struct rl_code *code)
{
    return vector_register(bits_of(code->second, 13, 3));
}

static uint64_t left(const struct rl_code *code)
{
    return vector_register(bits_of(code->first, 1, 3));
}

static uint64_t right(const struct rl_code *code)
{
    return vector_register(bits_of(code->second, 1, 3));
}

static uint64_t scalar(const struct rl_code *code)
{
    return core_register(code->second & 15);
}

// The second operand: a vector, or a scalar for all lanes.
static uint64_t right_or_scalar(const struct rl_code *code)
{
    return code->second & 0x40 ? scalar(code) : right(code);
}

static uint32_t group_of(const struct rl_code *code)
{
    return bits_of(code->second, 8, 4);
}

static void move_two_lanes(struct rl_instruction *to, const struct rl_code *code)
{
    const uint64_t cores = scalar(code) | core_register(code->first & 15);
    to->writes_core = !(code->first & 0x10); // a load sets this bit, and so does a move to a vector
    if (to->writes_core) {
        to->pipe = PIPE_MULTIPLY;
        to->reads[READ_MAIN] = destination(code);
        to->writes = cores;
    } else {
        to->pipe = PIPE_EITHER;
        to->reads[READ_MAIN] = cores;
        to->reads[READ_SUM] = to->writes = destination(code);
    }
}

// A load or store of `values`, with the base register `base`.
static void access(struct rl_instruction *to, const struct rl_code *code, uint32_t base, uint64_t values)
{
    to->pipe = PIPE_MEMORY;
    to->words = 4;
    to->base = (uint8_t)base;
    if (code->first & 0x10) {
        to->writes = values;
    } else {
        to->reads[READ_DATA] = values;
    }
}

static bool writes_back(const struct rl_code *code)
{
    return code->first & 0x20;
}

static void access_interleaved(struct rl_instruction *to, const struct rl_code *code) // VLD2, VLD4, VST2, VST4
{
    const uint32_t count = code->second & 1 ? 4 : 2, base = code->first & 15;
    uint64_t vectors = 0;
    for (uint32_t i = 0; i < count; i++) {
        vectors |= vector_register(bits_of(code->second, 13, 3) + i);
    }
    access(to, code, base, vectors);
    to->reads[READ_ADDRESS] = core_register(base);
    to->updates = writes_back(code) ? core_register(base) : 0;
    if (to->writes) {
        to->latency = 2;
    } else {
        to->reads[READ_MAIN] = vectors;
        to->reads[READ_DATA] = 0;
    }
}

static void access_by_addresses(struct rl_instruction *to, const struct rl_code *code)
{
    access(to, code, code->first & 15, destination(code));
    to->reads[READ_EARLY] = left(code);
    to->updates = writes_back(code) ? left(code) : 0;
    to->lanes = group_of(code) == 15 ? 2 : 4;
}

static void access_by_offsets(struct rl_instruction *to, const struct rl_code *code)
{
    access(to, code, code->first & 15, destination(code));
    to->reads[READ_ADDRESS] = core_register(code->first & 15);
    to->reads[READ_EARLY] = right(code);
    to->lanes = (uint8_t)(16 >> bits_of(code->second, 7, 2));
}

static void access_in_order(struct rl_instruction *to, const struct rl_code *code)
{
    const bool widens = !(code->second & 0x1000); // or narrows
    const uint32_t base = code->first & (widens ? 7 : 15);
    access(to, code, base, destination(code));
    to->reads[READ_ADDRESS] = core_register(base);
    to->updates = writes_back(code) ? core_register(base) : 0;
}

// VSHLC; narrowing shifts; VSHLL, VMOVL.
static void shift_across(struct rl_instruction *to, const struct rl_code *code)
{
    to->pipe = PIPE_INTEGER;
    to->reads[READ_MAIN] = right(code);
    to->writes = destination(code);
    if ((code->second & 0xD1) == 0xC0) {
        to->reads[READ_MAIN] = to->writes = destination(code) | scalar(code);
        to->latency = 2;
    } else if (code->second & 0x81) {
        to->reads[READ_SUM] = destination(code);
        to->latency = 3;
    } else {
        to->latency = 2;
    }
}

static void reduce_to_extreme(struct rl_instruction *to, const struct rl_code *code) // VMAXV
{
    to->writes_core = true;
    to->pipe = PIPE_INTEGER;
    to->reads[READ_MAIN] = right(code);
    to->reads[READ_SUM] = to->writes = core_register(bits_of(code->second, 12, 4));
    to->latency = (uint8_t)(2 + bits_of(code->first, 2, 2));
}

static void reduce_differences(struct rl_instruction *to, const struct rl_code *code) // VABAV
{
    to->writes_core = true;
    to->pipe = PIPE_INTEGER;
    to->reads[READ_MAIN] = left(code) | right(code);
    to->reads[READ_SUM] = to->writes = core_register(bits_of(code->second, 12, 4));
    to->latency = 3;
}

// VADDV, VMLADAV and their long forms.
static void reduce_to_sum(struct rl_instruction *to, const struct rl_code *code)
{
    enum { NO_HIGH_WORD = 7 };
    const uint32_t low = bits_of(code->second, 13, 3) * 2, high = bits_of(code->first, 4, 3);
    const bool multiplies = group_of(code) != 15 || !(code->first & 1);
    const bool is_long = high != NO_HIGH_WORD && (multiplies || (code->first & 15) == 9);
    to->writes_core = true;
    to->latency = 2;
    to->pipe = PIPE_MULTIPLY;
    to->reads[READ_MAIN] = multiplies ? left(code) | right(code) : right(code);
    to->writes = core_register(low) | (is_long ? core_register(high * 2 + 1) : 0);
    if (code->second & 0x20) {
        to->reads[READ_SUM] = to->writes;
    }
}

static void change_predicate(struct rl_instruction *to, const struct rl_code *code) // VPST, VPNOT
{
    (void)code;
    to->pipe = PIPE_NONE;
    to->reads[READ_MAIN] = to->writes = core_register(RESOURCE_PREDICATE);
}

static void select_by_predicate(struct rl_instruction *to, const struct rl_code *code) // VPSEL
{
    to->pipe = PIPE_INTEGER;
    to->reads[READ_MAIN] = left(code) | right(code) | core_register(RESOURCE_PREDICATE);
    to->writes = destination(code);
}

static void compare(struct rl_instruction *to, const struct rl_code *code) // VCMP, VPT
{
    to->pipe = PIPE_MULTIPLY;
    to->reads[READ_MAIN] = left(code) | right_or_scalar(code);
    to->writes = core_register(RESOURCE_PREDICATE);
}

static void compute_with_scalar(struct rl_instruction *to, const struct rl_code *code)
{
    to->pipe = PIPE_INTEGER;
    to->writes = destination(code);
    if (code->first & 1 && (code->second & 0x7E) == 0x6E) { // VIDUP, VDDUP
        to->reads[READ_MAIN] = core_register(code->first & 14);
        to->writes |= core_register(code->first & 14);
    } else {
        to->reads[READ_MAIN] = left(code) | right_or_scalar(code);
    }
}

static void narrow(struct rl_instruction *to, const struct rl_code *code) // VMOVN, VQMOVN, VMAXA
{
    to->pipe = PIPE_INTEGER;
    to->reads[READ_MAIN] = right(code);
    to->reads[READ_SUM] = to->writes = destination(code);
    to->latency = 3;
}

static void shift_by_scalar(struct rl_instruction *to, const struct rl_code *code)
{
    to->pipe = PIPE_INTEGER;
    to->reads[READ_MAIN] = destination(code) | scalar(code);
    to->writes = destination(code);
    to->latency = 2;
}

static void multiply(struct rl_instruction *to, const struct rl_code *code)
{
    const bool adds_to_vector = (code->second & 0x70) == 0x40;            // VMLA, VMLAS, VQDMLAH
    const bool adds_pairs = !(code->second & 0x40) && !(code->first & 1); // VQDMLADH
    to->pipe = PIPE_MULTIPLY;
    to->latency = 2;
    to->writes = destination(code);
    to->reads[READ_MAIN] = left(code) | right_or_scalar(code);
    to->reads[READ_SUM] = adds_to_vector || adds_pairs ? destination(code) : 0;
}

static void compute_of_two(struct rl_instruction *to, const struct rl_code *code)
{
    const bool variant = code->second & 0x10;
    const uint32_t group = group_of(code);
    to->pipe = PIPE_INTEGER;
    to->writes = destination(code);
    to->reads[READ_MAIN] = left(code) | right(code);
    if (group == 5 || (group == 4 && variant)) { // VRSHL, VQRSHL; VQSHL
        to->latency = 2;
        return;
    }
    const bool multiplies = (group == 9 && variant) || group == 11; // VMUL; VQDMULH, VQRDMULH
    const bool is_float = group >= 12;
    if (multiplies || is_float) {
        to->pipe = PIPE_MULTIPLY;
        to->latency = group < 14 ? 2 : 1;
        to->reads[READ_SUM] = group == 12 ? destination(code) : 0;
    }
}

// Shifts by a constant, constants, conversions.
static void compute_of_one(struct rl_instruction *to, const struct rl_code *code)
{
    const bool by_constant = code->second & 0x10;
    const uint32_t group = group_of(code);
    to->writes = destination(code);
    to->pipe = PIPE_INTEGER;
    if (!(code->first & 0x38) && by_constant && !(code->second & 0x80)) { // VMOV, VORR of a constant
        to->pipe = PIPE_EITHER;
        to->reads[READ_SUM] = group & 1 && group < 12 ? destination(code) : 0;
        return;
    }
    to->reads[READ_MAIN] = right(code);
    if (by_constant ? group >= 12 : group >= 6) { // VCVT, VRINT
        to->pipe = PIPE_MULTIPLY;
        to->latency = 2;
    } else if (by_constant && (group == 2 || group == 6 || group == 7)) { // VRSHR, VQSHL
        to->latency = 2;
    } else if (by_constant && (group == 4 || group == 5) && code->first >> 8 == 0xFF) { // VSRI, VSLI
        to->reads[READ_SUM] = destination(code);
    }
}

void rl_decode_vector(struct rl_instruction *to, const struct rl_code *code)
{
    static const struct rl_form forms[] = {
        {0xFFA01FE0, 0xEC000F00, move_two_lanes},      {0xFF001E00, 0xFC001E00, access_interleaved},
        {0xFF001E00, 0xFD001E00, access_by_addresses}, {0xEF200E00, 0xEC000E00, access_by_offsets},
        {0xEE000E00, 0xEC000E00, access_in_order},     {0xEF800040, 0xEE800040, shift_across},
        {0xEFF30F40, 0xEEE20F00, reduce_to_extreme},   {0xEFC00F41, 0xEE800F01, reduce_differences},
        {0xEF800000, 0xEE800000, reduce_to_sum},       {0xFFBF1FFF, 0xFE310F4D, change_predicate},
        {0xFF311F51, 0xFE310F01, select_by_predicate}, {0xFF010F00, 0xFE010F00, compare},
        {0xEF000F00, 0xEE000F00, compute_with_scalar}, {0xEF300041, 0xEE300001, narrow},
        {0xEF311070, 0xEE311060, shift_by_scalar},     {0xEF000000, 0xEE000000, multiply},
        {0x00800000, 0x00000000, compute_of_two},      {0, 0, compute_of_one},
    };
    to->kind = KIND_VECTOR;
    to->latency = 1;
    rl_decode_by(forms, sizeof forms / sizeof *forms, code->first << 16 | code->second, to, code);
}
