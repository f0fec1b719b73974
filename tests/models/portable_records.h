// SPDX-License-Identifier: Apache-2.0
//
// What PyTorch gave for a family of tests/fixtures/portable.
#ifndef RL_TESTS_MODELS_PORTABLE_RECORDS_H
#define RL_TESTS_MODELS_PORTABLE_RECORDS_H

#include "compiler/data/npz.h"

struct records {
    struct rl_array *arrays; // input_0, input_1, ..., output_0, ...
    int count;
    char *labels; // one line an output
};

// Reads FOLDER/FAMILY.npz and .txt; false after printing why not.
bool records_read(struct rl_arena *arena, const char *folder, const char *family, struct records *records);

// "input" or "output" number `index`; NULL when there is none.
const struct rl_array *records_find(const struct records *records, const char *kind, uint32_t index);

// Whether the elements are those of output `index`: integers and truth values equal, floats to a few units in the last
// place. If not, prints `source`, what the output is and the first difference.
bool records_match(const struct records *records, const char *source, uint32_t index, const void *found);

#endif
