// SPDX-License-Identifier: Apache-2.0
//
// A .pte file as tables, vectors and values, read in place. Only this code knows the layout of the file. The runtime
// uses it, and everything else that reads a program.
//
// Freestanding. Reads never leave the file; what is absent or damaged reads as zero, RL_PTE_INVALID or an empty vector.
#ifndef RL_FORMAT_PTE_READER_H
#define RL_FORMAT_PTE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/flatbuffer.h"
#include "format/pte.h"
#include "rushlight/file.h"
#include "rushlight/status.h"

// NULL when `data` starts like a .pte file and `pte` is filled in; otherwise a sentence that says what is wrong.
// *offset is the byte that shows it.
const char *rl_pte_open(struct rl_pte *pte, const void *data, size_t size, uint32_t *offset);

// Bytes of constant `index` (data_buffer_idx of a tensor, 1 and up): their position in the file, and how many there are
// at most. False when there is no such constant.
bool rl_pte_constant(const struct rl_pte *pte, uint32_t index, uint32_t *position, uint32_t *available);

// The same for the initial bytes of a mutable tensor, which number `index` of the set `set` names (data_buffer_idx of
// the tensor and mutable_data_segments_idx of its extra information).
bool rl_pte_initial(const struct rl_pte *pte, uint32_t set, uint32_t index, uint32_t *position, uint32_t *available);

// Segment `index` of a file: its position and size. `base` is where segments start, 0 when there are none.
bool rl_pte_segment(const struct rl_flatbuffer *fb, const struct rl_fb_vector *segments, uint32_t base,
                    uint32_t file_size, uint32_t index, uint32_t *position, uint32_t *size);

// False when the plan or one of its vectors is damaged.
bool rl_pte_plan(const struct rl_pte *pte, uint32_t index, struct rl_pte_plan *plan);

// Name of a plan, NUL-terminated; NULL when damaged.
const char *rl_pte_plan_name(const struct rl_pte *pte, const struct rl_pte_plan *plan);

// Operator `index`: name ("cortex_m::quantized_add") and overload ("out"), NUL-terminated, with their lengths.
bool rl_pte_operator(const struct rl_pte *pte, const struct rl_pte_plan *plan, uint32_t index, const char **name,
                     uint32_t *name_length, const char **overload, uint32_t *overload_length);

struct rl_pte_instruction {
    enum rl_pte_instruction_kind kind;
    uint32_t table;
    uint32_t op_index;             // of a kernel or delegate call
    struct rl_fb_vector arguments; // i32 value indices of a kernel or delegate call
    // Of a move: the values from and to. Of a jump: the value of the condition and the instruction to go to when it is
    // false. Of a free: the value.
    int32_t operands[2];
};

bool rl_pte_instruction(const struct rl_pte *pte, const struct rl_pte_plan *plan, uint32_t index,
                        struct rl_pte_instruction *instruction);

// Kind of value `index` and the position of its table.
enum rl_pte_kind rl_pte_value(const struct rl_pte *pte, const struct rl_pte_plan *plan, uint32_t index,
                              uint32_t *table);

// Payload of a value, given its table.
int64_t rl_pte_int(const struct rl_pte *pte, uint32_t table);
bool rl_pte_bool(const struct rl_pte *pte, uint32_t table);
double rl_pte_double(const struct rl_pte *pte, uint32_t table);
const char *rl_pte_string(const struct rl_pte *pte, uint32_t table, uint32_t *length);

// Items of a list: i64 value indices (int list), f64 (double list), u8 (bool list), i32 value indices (tensor lists).
bool rl_pte_list(const struct rl_pte *pte, uint32_t table, uint32_t item_width, struct rl_fb_vector *items);

// Items of vectors; 0 outside.
int32_t rl_pte_item_i32(const struct rl_pte *pte, const struct rl_fb_vector *vector, uint32_t index);
int64_t rl_pte_item_i64(const struct rl_pte *pte, const struct rl_fb_vector *vector, uint32_t index);

struct rl_pte_tensor {
    uint8_t dtype;    // enum rl_scalar_type, unchecked
    uint8_t dynamism; // enum rl_pte_dynamism, unchecked
    bool planned;     // has a place in a planned buffer
    bool external;    // data comes from another file, under the name `key`
    const char *key;  // NUL-terminated, NULL when damaged
    uint32_t key_length;
    uint32_t mutable_set; // of initial bytes: see rl_pte_initial
    int32_t storage_offset;
    struct rl_fb_vector sizes;     // i32
    struct rl_fb_vector dim_order; // u8
    uint32_t constant;             // data_buffer_idx; 0: none
    uint32_t memory_id;            // of a planned tensor: 1 and up
    uint64_t memory_offset;
};

bool rl_pte_tensor(const struct rl_pte *pte, uint32_t table, struct rl_pte_tensor *tensor);

#endif
