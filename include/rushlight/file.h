// SPDX-License-Identifier: Apache-2.0
//
// Where the parts of an open file are. These structs are public so that callers can provide the memory of a program and
// a method; their fields belong to the library.
#ifndef RUSHLIGHT_FILE_H
#define RUSHLIGHT_FILE_H

#include <stdbool.h>
#include <stdint.h>

// A FlatBuffer. Positions are bytes from its start.
struct rl_flatbuffer {
    const uint8_t *data;
    uint32_t size; // below 2 GiB
};

struct rl_fb_vector {
    uint32_t items; // position of the first item
    uint32_t count;
};

// A program (.pte).
struct rl_pte {
    struct rl_flatbuffer fb; // the tables: the file up to its segments
    uint32_t file_size;
    uint32_t root;                // the Program table
    struct rl_fb_vector plans;    // tables
    struct rl_fb_vector segments; // tables
    uint32_t segment_base;        // 0: the file has no segments
    uint32_t constants_position;  // the constant segment in the file
    uint32_t constants_size;
    struct rl_fb_vector constants; // u64 offsets into the constant segment, or tables of inline buffers
    bool constants_inline;
    bool has_checksum; // in its header
    uint32_t end;      // of tables and segments, as the header says
};

// A file of tensors (.ptd).
struct rl_ptd {
    struct rl_flatbuffer fb; // the tables: the file up to its segments
    uint32_t file_size;
    uint32_t segment_base;
    struct rl_fb_vector tensors;  // tables
    struct rl_fb_vector segments; // tables
};

// One execution plan of a program: a method.
struct rl_pte_plan {
    uint32_t table;
    struct rl_fb_vector values;       // tables
    struct rl_fb_vector inputs;       // i32 value indices
    struct rl_fb_vector outputs;      // i32 value indices
    struct rl_fb_vector operators;    // tables
    struct rl_fb_vector instructions; // tables, of the first chain
    struct rl_fb_vector buffer_sizes; // i64; entry 0 is not used, entry k is the size of memory k
    bool is_plain;                    // no other chain and no delegates, as every proved plan
};

#endif
