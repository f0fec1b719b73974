// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/text.h"

#include <string.h>

static const struct {
    enum rl_scalar_type dtype;
    const char *word;
} dtypes[] = {{RL_UINT8, "u8"},   {RL_INT8, "i8"},       {RL_INT16, "i16"},   {RL_INT32, "i32"},
              {RL_INT64, "i64"},  {RL_FLOAT16, "f16"},   {RL_FLOAT32, "f32"}, {RL_FLOAT64, "f64"},
              {RL_BOOL, "bool"},  {RL_BFLOAT16, "bf16"}, {RL_UINT16, "u16"},  {RL_UINT32, "u32"},
              {RL_UINT64, "u64"}, {RL_COMPLEX64, "c64"}};
enum { DTYPE_COUNT = sizeof dtypes / sizeof dtypes[0] };

static const char *const formats[] = {"contiguous", "preserve", "channels_last", "channels_last_3d"};
enum { FORMAT_COUNT = sizeof formats / sizeof formats[0] };

static bool same_word(const char *word, size_t length, const char *other)
{
    return strlen(other) == length && memcmp(word, other, length) == 0;
}

const char *rl_text_dtype(int64_t dtype)
{
    for (int i = 0; i < DTYPE_COUNT; i++) {
        if ((int64_t)dtypes[i].dtype == dtype) {
            return dtypes[i].word;
        }
    }
    return NULL;
}

bool rl_text_find_dtype(const char *word, size_t length, enum rl_scalar_type *dtype)
{
    for (int i = 0; i < DTYPE_COUNT; i++) {
        if (same_word(word, length, dtypes[i].word)) {
            *dtype = dtypes[i].dtype;
            return true;
        }
    }
    return false;
}

const char *rl_text_memory_format(int64_t format)
{
    return format >= 0 && format < FORMAT_COUNT ? formats[format] : NULL;
}

bool rl_text_find_memory_format(const char *word, size_t length, int64_t *format)
{
    for (int i = 0; i < FORMAT_COUNT; i++) {
        if (same_word(word, length, formats[i])) {
            *format = i;
            return true;
        }
    }
    return false;
}
