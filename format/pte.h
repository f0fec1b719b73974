// SPDX-License-Identifier: Apache-2.0
//
// Numbers of the .pte format (ExecuTorch 1.5, schema/program.fbs): everything that reads or writes such files takes
// them from here and from pte.def.
#ifndef RL_FORMAT_PTE_H
#define RL_FORMAT_PTE_H

#include "rushlight/types.h"

// Kinds of instructions: members of the union InstructionArguments.
enum rl_pte_instruction_kind {
    RL_PTE_KERNEL_CALL = 1,
    RL_PTE_DELEGATE_CALL = 2,
    RL_PTE_MOVE_CALL = 3,
    RL_PTE_JUMP_FALSE_CALL = 4,
    RL_PTE_FREE_CALL = 5
};

// How a tensor's shape may change: not at all, up to the sizes in the file, or without a bound.
enum rl_pte_dynamism { RL_PTE_SHAPE_STATIC = 0, RL_PTE_SHAPE_BOUNDED = 1, RL_PTE_SHAPE_UNBOUNDED = 2 };

enum {
    RL_PTE_ALIGNMENT = 16,    // of constants in their segment and of planned tensors in their buffer
    RL_PTE_HEADER_OFFSET = 8, // extended header: after root offset and file identifier
    RL_PTE_HEADER_BYTES = 32,
    RL_PTE_HEADER_MINIMUM = 24, // without segment_data_size
    // Ours, with 16 more bytes: a mark, the checksum of the file (checksum.h), 8 zeros.
    RL_PTE_CHECKED_HEADER_BYTES = 48,
    RL_PTE_MARK_OFFSET = RL_PTE_HEADER_OFFSET + RL_PTE_HEADER_BYTES,
    RL_PTE_CHECKSUM_OFFSET = RL_PTE_MARK_OFFSET + 4
};

#define RL_PTE_IDENTIFIER    "ET12"
#define RL_PTE_HEADER_MAGIC  "eh00"
#define RL_PTE_CHECKSUM_MARK "rlc1"

// Field ids: RL_PTE_<table>_<field>.
#define RL_PTE_FIELD(table, field, id) RL_PTE_##table##_##field = (id),
enum rl_pte_field {
#include "format/pte.def"
};
#undef RL_PTE_FIELD

#endif
