// SPDX-License-Identifier: Apache-2.0
//
// A bundled program (.bpte), ExecuTorch's format of a program with inputs and the outputs to expect: names, numbers and
// what its parts hold, for reader and writer.
#ifndef RL_FORMAT_BUNDLE_H
#define RL_FORMAT_BUNDLE_H

#include <stdbool.h>
#include <stdint.h>

#include "rushlight/types.h"

#define RL_BUNDLE_IDENTIFIER "BP08"

enum {
    RL_BUNDLE_VERSION = 2,
    RL_BUNDLE_PROGRAM_ALIGNMENT = 32, // in the file, as the schema asks for
    RL_BUNDLE_DATA_ALIGNMENT = 16,
    RL_BUNDLE_MAX_RANK = 8
};

// Field ids: RL_BUNDLE_<table>_<field>.
#define RL_BUNDLE_FIELD(table, field, id) RL_BUNDLE_##table##_##field = (id),
enum rl_bundle_field {
#include "format/bundle.def"
};
#undef RL_BUNDLE_FIELD

// Members of the union ValueUnion.
enum rl_bundle_kind {
    RL_BUNDLE_NONE = 0,
    RL_BUNDLE_TENSOR = 1,
    RL_BUNDLE_INT = 2,
    RL_BUNDLE_BOOL = 3,
    RL_BUNDLE_DOUBLE = 4
};

// One input or output: a number, or a tensor with its dense elements in the order of `dim_order`.
struct rl_bundle_value {
    enum rl_bundle_kind kind;
    int64_t integer; // of an int; of a bool 0 or 1
    double real;
    enum rl_scalar_type dtype;
    uint32_t rank;
    int32_t sizes[RL_BUNDLE_MAX_RANK];
    uint8_t dim_order[RL_BUNDLE_MAX_RANK];
    const uint8_t *data;
    uint32_t bytes;
};

#endif
