// SPDX-License-Identifier: Apache-2.0
//
// Reads a bundled program in place, of any compiler. Nothing in it is trusted, and nothing outside of it is read. Host
// code. Bytes of a file must outlive what is read from it.
#ifndef RL_FORMAT_BUNDLE_READER_H
#define RL_FORMAT_BUNDLE_READER_H

#include <stddef.h>

#include "format/bundle.h"
#include "rushlight/file.h"

struct rl_bundle {
    struct rl_flatbuffer file;
    struct rl_fb_vector suites; // tables
    const uint8_t *program;     // a .pte, unchecked
    uint32_t program_bytes;
};

// Whether these bytes have the identifier of a bundled program.
bool rl_bundle_is(const void *bytes, size_t size);

// False if they have no program, or their parts leave the file. `bytes` must be aligned to 4.
bool rl_bundle_open(struct rl_bundle *bundle, const void *bytes, size_t size);

// The cases of a method: none if the file has none for it. False if their parts leave the file.
bool rl_bundle_cases(const struct rl_bundle *bundle, const char *method, struct rl_fb_vector *cases);

// The values of case `index`: its inputs, or its outputs. False if they leave the file.
bool rl_bundle_values(const struct rl_bundle *bundle, const struct rl_fb_vector *cases, uint32_t index, bool outputs,
                      struct rl_fb_vector *values);

// Value `index` of them. False if it is of no known kind, a tensor of more than RL_BUNDLE_MAX_RANK dimensions, of an
// unknown type, of another number of bytes than its sizes make, or with an order that is not one of its dimensions. An
// absent order is that of the dimensions.
bool rl_bundle_value(const struct rl_bundle *bundle, const struct rl_fb_vector *values, uint32_t index,
                     struct rl_bundle_value *value);

#endif
