// SPDX-License-Identifier: Apache-2.0
#include "cycle_model.h"

#include <string.h>

enum kind {
    PLAIN,
    LOAD,
    STORE,
    MULTIPLE,
    MULTIPLY,
    ACCUMULATE,
    MULTIPLY_LONG,
    ACCUMULATE_LONG,
    DIVIDE,
    BRANCH,
    LOOP_END,
    VECTOR_MEMORY,
    VECTOR_MULTIPLY,
    VECTOR_OTHER,
    FLOAT,
    FLOAT_ACCUMULATE,
    FLOAT_DIVIDE,
};

struct instruction {
    enum kind kind;
    uint32_t transfers; // registers or lanes moved
};

// How the transfers of an encoding are counted.
enum transfers {
    ONE,
    TWO,
    LIST,  // the bits set under `list`
    WORDS, // the last 8 bits say how many
    LANES, // of a gather or scatter: 16 bytes over the size in bits 7 and 8
};

// An encoding: matches where (code & mask) == value. The first that matches decides. 32-bit instructions have their
// first half in the upper 16 bits.
struct encoding {
    uint32_t mask, value;
    enum kind kind;
    enum transfers transfers;
    uint32_t list;
};

static const struct encoding short_encodings[] = {
    {0xF000, 0xC000, MULTIPLE, LIST, 0x00FF}, // LDM, STM
    {0xFE00, 0xB400, MULTIPLE, LIST, 0x01FF}, // PUSH
    {0xFE00, 0xBC00, MULTIPLE, LIST, 0x01FF}, // POP
    {0xF800, 0x4800, LOAD, ONE, 0},           // LDR from the pool of literals
    {0xF800, 0x9800, LOAD, ONE, 0},           // LDR from the stack
    {0xF800, 0x9000, STORE, ONE, 0},          // STR to the stack
    {0xFE00, 0x5000, STORE, ONE, 0},          // STR, register offset
    {0xFE00, 0x5200, STORE, ONE, 0},          // STRH
    {0xFE00, 0x5400, STORE, ONE, 0},          // STRB
    {0xF000, 0x5000, LOAD, ONE, 0},           // LDRSB, LDR, LDRH, LDRB, LDRSH, register offset
    {0xE800, 0x6800, LOAD, ONE, 0},           // LDR, LDRB, immediate offset
    {0xE800, 0x6000, STORE, ONE, 0},          // STR, STRB
    {0xF800, 0x8800, LOAD, ONE, 0},           // LDRH
    {0xF800, 0x8000, STORE, ONE, 0},          // STRH
    {0xFFC0, 0x4340, MULTIPLY, ONE, 0},       // MULS
    {0xF000, 0xD000, BRANCH, ONE, 0},         // B with a condition
    {0xF800, 0xE000, BRANCH, ONE, 0},         // B
    {0xFF00, 0x4700, BRANCH, ONE, 0},         // BX, BLX
    {0xF500, 0xB100, BRANCH, ONE, 0},         // CBZ, CBNZ
};

// Helium instructions that share encodings with the FPU's. On cores with Helium they are searched before the long ones.
static const struct encoding vector_encodings[] = {
    {0xEF200E00, 0xEC000E00, VECTOR_MEMORY, LANES, 0}, // gathers, scatters
    {0xEE000E00, 0xEC000E00, VECTOR_MEMORY, ONE, 0},   // VLDR, VSTR
    {0xEF000E00, 0xEE000E00, VECTOR_MULTIPLY, ONE, 0}, // VMLADAV, VMULL, VMLA, VADDV, ...
    {0xEF000F10, 0xEF000910, VECTOR_MULTIPLY, ONE, 0}, // VMUL
    {0xEF000F00, 0xEF000B00, VECTOR_MULTIPLY, ONE, 0}, // VQDMULH, VQRDMULH
    {0xEF000000, 0xEF000000, VECTOR_OTHER, ONE, 0},
};

static const struct encoding long_encodings[] = {
    {0xFE400000, 0xE8000000, MULTIPLE, LIST, 0xFFFF},   // LDM, STM
    {0xFE500000, 0xE8500000, LOAD, TWO, 0},             // LDRD
    {0xFE500000, 0xE8400000, STORE, TWO, 0},            // STRD
    {0xFE100000, 0xF8100000, LOAD, ONE, 0},             // LDR and its narrow forms
    {0xFE100000, 0xF8000000, STORE, ONE, 0},            // STR and its narrow forms
    {0xFF80F000, 0xFB00F000, MULTIPLY, ONE, 0},         // MUL, SMULBB, SMUAD, SMMUL, ...
    {0xFF800000, 0xFB000000, ACCUMULATE, ONE, 0},       // MLA, SMLABB, SMLAD, SMMLA, ...
    {0xFFD000F0, 0xFB9000F0, DIVIDE, ONE, 0},           // SDIV, UDIV
    {0xFFC00000, 0xFB800000, MULTIPLY_LONG, ONE, 0},    // SMULL, UMULL
    {0xFFC00000, 0xFBC00000, ACCUMULATE_LONG, ONE, 0},  // SMLAL, UMLAL, SMLALD, UMAAL
    {0xFFF0F001, 0xF040C001, LOOP_END, ONE, 0},         // WLS
    {0xFFC0F001, 0xF000C001, LOOP_END, ONE, 0},         // LE, LETP, WLSTP
    {0xFFF0F001, 0xF040E001, PLAIN, ONE, 0},            // DLS
    {0xFFC0F001, 0xF000E001, PLAIN, ONE, 0},            // DLSTP
    {0xF8008000, 0xF0008000, BRANCH, ONE, 0},           // B, BL
    {0xFFE00000, 0xEC400000, FLOAT, ONE, 0},            // VMOV of two words
    {0xEF300000, 0xED100000, LOAD, ONE, 0},             // VLDR
    {0xEF300000, 0xED000000, STORE, ONE, 0},            // VSTR
    {0xEE000000, 0xEC000000, MULTIPLE, WORDS, 0},       // VLDM, VSTM, VPUSH, VPOP
    {0xFFB00E10, 0xEE000A00, FLOAT_ACCUMULATE, ONE, 0}, // VMLA, VMLS
    {0xFFB00E10, 0xEEA00A00, FLOAT_ACCUMULATE, ONE, 0}, // VFMA, VFMS
    {0xFFB00E10, 0xEE800A00, FLOAT_DIVIDE, ONE, 0},     // VDIV
    {0xFFBF0ED0, 0xEEB10AC0, FLOAT_DIVIDE, ONE, 0},     // VSQRT
    {0xEF000000, 0xEE000000, FLOAT, ONE, 0},
};

static uint32_t count_bits(uint32_t word)
{
    uint32_t count = 0;
    for (; word; word &= word - 1) {
        count++;
    }
    return count;
}

static uint32_t count_transfers(const struct encoding *encoding, uint32_t code)
{
    switch (encoding->transfers) {
    case TWO:
        return 2;
    case LIST:
        return count_bits(code & encoding->list);
    case WORDS:
        return code & 0xFF;
    case LANES:
        return 16u >> (code >> 7 & 3);
    default:
        return 1;
    }
}

// False when none of `count` encodings matches.
static bool look_up(const struct encoding *encodings, size_t count, uint32_t code, struct instruction *found)
{
    for (size_t i = 0; i < count; i++) {
        if ((code & encodings[i].mask) != encodings[i].value) {
            continue;
        }
        *found = (struct instruction){encodings[i].kind, count_transfers(&encodings[i], code)};
        return true;
    }
    return false;
}

static struct instruction decode(enum rl_cycle_core core, const uint8_t *code, size_t bytes)
{
    struct instruction found = {PLAIN, 1};
    const uint32_t first = code[0] | (uint32_t)code[1] << 8;
    if (bytes == 2) {
        look_up(short_encodings, sizeof short_encodings / sizeof *short_encodings, first, &found);
        return found;
    }
    const uint32_t both = first << 16 | code[2] | (uint32_t)code[3] << 8;
    const bool is_vector = core == RL_CYCLES_M55 &&
                           look_up(vector_encodings, sizeof vector_encodings / sizeof *vector_encodings, both, &found);
    if (!is_vector) {
        look_up(long_encodings, sizeof long_encodings / sizeof *long_encodings, both, &found);
    }
    return found;
}

static bool accesses_memory(enum kind kind)
{
    return kind == LOAD || kind == STORE;
}

static bool is_vector_kind(enum kind kind)
{
    return kind == VECTOR_MEMORY || kind == VECTOR_MULTIPLY || kind == VECTOR_OTHER;
}

static bool has_wide_bus(enum rl_cycle_core core)
{
    return core == RL_CYCLES_M7 || core == RL_CYCLES_M55;
}

static uint32_t cost_of_memory(enum rl_cycle_core core, struct instruction instruction, enum kind previous)
{
    const uint32_t transfers = instruction.transfers;
    if (instruction.kind == MULTIPLE) {
        return 1 + (has_wide_bus(core) ? (transfers + 1) / 2 : transfers);
    }
    if (core == RL_CYCLES_M0) {
        return 2;
    }
    if (has_wide_bus(core)) {
        return 1;
    }
    if (instruction.kind == STORE) {
        return transfers;
    }
    if (transfers == 2) {
        return 3;
    }
    return accesses_memory(previous) ? 1 : 2;
}

static uint32_t cost_of(enum rl_cycle_core core, struct instruction instruction, enum kind previous)
{
    switch (instruction.kind) {
    case LOAD:
    case STORE:
    case MULTIPLE:
        return cost_of_memory(core, instruction, previous);
    case ACCUMULATE:
        return core == RL_CYCLES_M3 ? 2 : 1;
    case MULTIPLY_LONG:
        return core == RL_CYCLES_M3 ? 4 : 1;
    case ACCUMULATE_LONG:
        return core == RL_CYCLES_M3 ? 6 : 1;
    case DIVIDE:
        return 8;
    case LOOP_END:
        return core == RL_CYCLES_M55 ? 0 : 1;
    case FLOAT_ACCUMULATE:
        return 3;
    case FLOAT_DIVIDE:
        return 14;
    case VECTOR_MEMORY:
    case VECTOR_MULTIPLY:
    case VECTOR_OTHER:
        if (instruction.transfers > 1) {
            return instruction.transfers;
        }
        return is_vector_kind(previous) && previous != instruction.kind ? 1 : 2;
    default:
        return 1;
    }
}

static bool may_pair(enum kind kind)
{
    return kind != BRANCH && kind != MULTIPLE && kind != DIVIDE && kind < LOOP_END;
}

static bool multiplies(enum kind kind)
{
    return kind >= MULTIPLY && kind <= ACCUMULATE_LONG;
}

static bool issue_together(enum kind first, enum kind second)
{
    return may_pair(first) && may_pair(second) && !(accesses_memory(first) && accesses_memory(second)) &&
           !(multiplies(first) && multiplies(second));
}

enum rl_cycle_core rl_cycle_core_named(const char *name)
{
    static const char *const names[RL_CYCLES_CORES] = {"m0", "m3", "m4", "m7", "m33", "m55"};
    int core = 0;
    while (core < RL_CYCLES_CORES && strcmp(name, names[core]) != 0) {
        core++;
    }
    return (enum rl_cycle_core)core;
}

// The cost of an instruction after the last one of `before`; 0 if both issue together.
static uint32_t cost_after(const struct rl_cycle_block *before, struct instruction instruction)
{
    const enum kind previous = (enum kind)before->last;
    if (before->core == RL_CYCLES_M7 && before->can_pair && issue_together(previous, instruction.kind)) {
        return 0;
    }
    return cost_of(before->core, instruction, previous);
}

void rl_cycle_block_add(struct rl_cycle_block *block, const uint8_t *code, size_t bytes)
{
    const struct instruction instruction = decode(block->core, code, bytes);
    const uint32_t cost = cost_after(block, instruction);
    if (block->count++ == 0) {
        block->first = (int)instruction.kind;
        block->first_transfers = instruction.transfers;
    }
    const bool paired = block->core == RL_CYCLES_M7 && block->can_pair && cost == 0;
    block->can_pair = !paired;
    block->last = (int)instruction.kind;
    block->cycles += cost;
}

uint32_t rl_cycle_block_following(const struct rl_cycle_block *before, const struct rl_cycle_block *block)
{
    const struct instruction first = {(enum kind)block->first, block->first_transfers};
    return block->cycles - cost_of(block->core, first, PLAIN) + cost_after(before, first);
}

uint32_t rl_cycle_refill(enum rl_cycle_core core)
{
    return has_wide_bus(core) ? 0 : 2;
}
