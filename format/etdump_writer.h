// SPDX-License-Identifier: Apache-2.0
//
// Writes an ETDump: one run with its events. Host code. The same events give the same bytes.
#ifndef RL_FORMAT_ETDUMP_WRITER_H
#define RL_FORMAT_ETDUMP_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "format/etdump.h"
#include "format/flatbuffer_builder.h"

struct rl_etdump_event {
    const char *name;
    int32_t instruction; // of the method's only chain; -1: the event is not that of an instruction
    uint64_t start, end; // in whatever the reader is told
};

// The run takes the method's name. `builder` has its memory set, and nothing built yet; the file is then the last
// `used` bytes of its block. `references` is work space for `count` numbers. False when memory ran out.
bool rl_etdump_write(struct rl_fbb *builder, const char *method, const struct rl_etdump_event *events, uint32_t count,
                     uint32_t *references);

#endif
