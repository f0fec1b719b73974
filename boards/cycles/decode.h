// SPDX-License-Identifier: Apache-2.0
//
// The parts of the decoder. Encodings: Arm v8-M Architecture Reference Manual (DDI 0553).
#ifndef RL_BOARDS_CYCLES_DECODE_H
#define RL_BOARDS_CYCLES_DECODE_H

#include "instruction.h"

struct rl_code {
    uint32_t first, second; // halfwords
    enum rl_cycle_core core;
    bool in_it;
};

// An encoding: code where (code & mask) == value; 32-bit code has its first halfword on top.
struct rl_form {
    uint32_t mask, value;
    void (*decode)(struct rl_instruction *to, const struct rl_code *code);
};

// Decodes by the first form that matches; false if none does.
static inline bool rl_decode_by(const struct rl_form *forms, size_t count, uint32_t whole, struct rl_instruction *to,
                                const struct rl_code *code)
{
    for (size_t i = 0; i < count; i++) {
        if ((whole & forms[i].mask) == forms[i].value) {
            forms[i].decode(to, code);
            return true;
        }
    }
    return false;
}

// Each expects zeros in `to`, and fills in what the encoding says.
void rl_decode_short(struct rl_instruction *to, const struct rl_code *code);
void rl_decode_long(struct rl_instruction *to, const struct rl_code *code);
void rl_decode_float(struct rl_instruction *to, const struct rl_code *code);
void rl_decode_vector(struct rl_instruction *to, const struct rl_code *code);

static inline uint32_t bits_of(uint32_t code, unsigned position, unsigned count)
{
    return code >> position & ((1u << count) - 1);
}

static inline uint64_t core_register(uint32_t number)
{
    return UINT64_C(1) << number;
}

static inline uint64_t single_register(uint32_t number)
{
    return UINT64_C(1) << (RESOURCE_SINGLE + (number & 31));
}

static inline uint64_t double_register(uint32_t number)
{
    return UINT64_C(3) << (RESOURCE_SINGLE + 2 * (number & 15));
}

static inline uint64_t vector_register(uint32_t number)
{
    return UINT64_C(15) << (RESOURCE_SINGLE + 4 * (number & 7));
}

static inline uint8_t count_bits(uint32_t word)
{
    uint8_t count = 0;
    for (; word; word &= word - 1) {
        count++;
    }
    return count;
}

#endif
