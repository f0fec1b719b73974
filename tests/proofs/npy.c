// SPDX-License-Identifier: Apache-2.0
//
// The header reader of compiler/data/npy.c reads nothing outside the first bytes of a file, whatever they are.
#include "compiler/data/npy.h"
#include "__fc_builtin.h"

// Messages and memory are not part of the proof: a text is any text.
char *rl_arena_format(struct rl_arena *arena, const char *format, ...)
{
    static char text[8];
    (void)arena;
    (void)format;
    Frama_C_make_unknown(text, sizeof text - 1);
    text[sizeof text - 1] = '\0';
    return text;
}

enum rl_status rl_fail(struct rl_context *context, enum rl_status status, const char *format, ...)
{
    (void)context;
    (void)format;
    return status;
}

// The arithmetic of types is not part of the proof, either: both answers to the first are tried, and any size.
/*@ assigns \result \from *type;
    ensures \result == 0 || \result == 1; */
bool rl_tensor_type_is_valid(const struct rl_tensor_type *type);

/*@ assigns \result \from *type; */
size_t rl_tensor_bytes(const struct rl_tensor_type *type);

#include "compiler/data/npy.c"

static void read_header(unsigned char *bytes, size_t count)
{
    struct rl_array array = {.rank = 0};
    struct rl_npy_layout layout = {.data = 0};
    Frama_C_make_unknown((char *)bytes, count);
    rl_npy_header_bytes(bytes, count);
    rl_npy_parse_header(NULL, NULL, "file", bytes, count, count, &array, &layout);
    //@ assert layout.data <= count;
    //@ assert 0 <= array.rank <= RL_MAX_RANK;
}

int main(void)
{
    static unsigned char tiny[1], no_version[9], one[10], two[12], small[128], most[65536 + 12];
    read_header(tiny, sizeof tiny);
    read_header(no_version, sizeof no_version);
    read_header(one, sizeof one);
    read_header(two, sizeof two);
    read_header(small, sizeof small);
    read_header(most, sizeof most);
    return 0;
}
