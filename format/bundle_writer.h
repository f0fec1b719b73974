// SPDX-License-Identifier: Apache-2.0
//
// Writes a bundled program. Host code. The same parts give the same bytes.
#ifndef RL_FORMAT_BUNDLE_WRITER_H
#define RL_FORMAT_BUNDLE_WRITER_H

#include <stdbool.h>
#include <stddef.h>

#include "format/bundle.h"
#include "format/flatbuffer_builder.h"

struct rl_bundle_case {
    const struct rl_bundle_value *inputs, *outputs;
    uint32_t input_count, output_count;
};

struct rl_bundle_description {
    const void *program; // a .pte
    uint32_t program_bytes;
    const char *method; // to which the cases belong
    const struct rl_bundle_case *cases;
    uint32_t case_count;
};

// `builder` has its memory set, and nothing built yet; the file is then the last `used` bytes of its block.
// `references` is work space for `case_count` numbers and as many as the longest list of values has. False when memory
// ran out, or the file would have more than 2 GB.
bool rl_bundle_write(struct rl_fbb *builder, const struct rl_bundle_description *description, uint32_t *references);

#endif
