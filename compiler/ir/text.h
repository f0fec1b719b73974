// SPDX-License-Identifier: Apache-2.0
//
// Words of the text form of graphs that the printer and the parser share. docs/ir.md describes the form.
#ifndef RL_COMPILER_IR_TEXT_H
#define RL_COMPILER_IR_TEXT_H

#include "compiler/ir/graph.h"

// Constants of up to this many elements stand in their statement, the data of larger ones at the end of the text.
enum { RL_TEXT_INLINE_ELEMENTS = 16 };

// "f32", "i8", ...; NULL for numbers that are not a type.
const char *rl_text_dtype(int64_t dtype);
bool rl_text_find_dtype(const char *word, size_t length, enum rl_scalar_type *dtype);

// "contiguous", "preserve", "channels_last", "channels_last_3d"; NULL for other numbers.
const char *rl_text_memory_format(int64_t format);
bool rl_text_find_memory_format(const char *word, size_t length, int64_t *format);

#endif
