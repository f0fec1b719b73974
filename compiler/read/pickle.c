// SPDX-License-Identifier: Apache-2.0
// A stack machine over the opcodes of Python's pickletools (protocol 2).
#include "compiler/read/pickle.h"

#include <string.h>

enum { MAX_STACK = 4096, MAX_MEMO = 65536, MAX_STRING = 4096 };

struct machine {
    struct rl_context *context;
    struct rl_arena *arena;
    const char *place;
    const unsigned char *bytes;
    size_t size, next;
    struct rl_pickle_item *stack[MAX_STACK]; // NULL is a mark
    int depth;
    struct rl_pickle_item **memo;
    int64_t memo_size; // entries so far, all used
};

static enum rl_status refuse(const struct machine *m, const char *problem)
{
    return rl_fail(m->context, RL_ERROR_FORMAT, "%s: damaged pickle at byte %zu: %s", m->place, m->next, problem);
}

static enum rl_status refuse_kind(const struct machine *m, const char *found)
{
    return rl_fail(m->context, RL_ERROR_UNSUPPORTED,
                   "%s: a pickle with '%s'; accepted: plain tensors, numbers and strings in tuples, lists and "
                   "dictionaries",
                   m->place, found);
}

// ---- stack and input

static enum rl_status push(struct machine *m, struct rl_pickle_item *item)
{
    if (m->depth == MAX_STACK) {
        return refuse(m, "its stack grows too deep");
    }
    m->stack[m->depth++] = item;
    return RL_OK;
}

static struct rl_pickle_item *new_item(struct machine *m, enum rl_pickle_kind kind)
{
    struct rl_pickle_item *item = rl_arena_alloc(m->arena, sizeof *item);
    item->kind = kind;
    return item;
}

static enum rl_status push_integer(struct machine *m, int64_t integer)
{
    struct rl_pickle_item *item = new_item(m, RL_PICKLE_INTEGER);
    item->integer = integer;
    return push(m, item);
}

// Removes the topmost item and returns it; NULL if there is none, or if it is a mark.
static struct rl_pickle_item *pop(struct machine *m)
{
    return m->depth > 0 && m->stack[m->depth - 1] ? m->stack[--m->depth] : NULL;
}

static struct rl_pickle_item *top(const struct machine *m)
{
    return m->depth > 0 ? m->stack[m->depth - 1] : NULL;
}

static bool take_unsigned(struct machine *m, int bytes, uint64_t *number)
{
    if (m->size - m->next < (size_t)bytes) {
        return false;
    }
    *number = 0;
    for (int i = 0; i < bytes; i++) {
        *number |= (uint64_t)m->bytes[m->next++] << (8 * i);
    }
    return true;
}

// A line of text without its end.
static const char *take_line(struct machine *m)
{
    const unsigned char *start = m->bytes + m->next;
    const unsigned char *end = m->next < m->size ? memchr(start, '\n', m->size - m->next) : NULL;
    if (!end || end - start > MAX_STRING) {
        return NULL;
    }
    m->next += (size_t)(end - start) + 1;
    return rl_arena_format(m->arena, "%.*s", (int)(end - start), (const char *)start);
}

// ---- collections

// Room for a list of this length: the next power of two, so that lists grow in linear time.
static size_t capacity_for(int count)
{
    size_t capacity = 4;
    while (capacity < (size_t)count) {
        capacity *= 2;
    }
    return capacity;
}

// Appends the topmost `count` stack items to `list`; they and the `below` entries under them are removed.
static void append_items(struct machine *m, struct rl_pickle_item *list, int count, int below)
{
    const int total = list->count + count;
    if (!list->items || capacity_for(total) > capacity_for(list->count)) {
        struct rl_pickle_item **items = rl_arena_array(m->arena, capacity_for(total), sizeof(struct rl_pickle_item *));
        if (list->count > 0) {
            memcpy(items, list->items, (size_t)list->count * sizeof(struct rl_pickle_item *));
        }
        list->items = items;
    }
    for (int i = 0; i < count; i++) {
        list->items[list->count + i] = m->stack[m->depth - count + i];
    }
    list->count = total;
    m->depth -= count + below;
}

// Number of items above the topmost mark; -1 without a mark.
static int count_to_mark(const struct machine *m)
{
    for (int i = m->depth - 1; i >= 0; i--) {
        if (!m->stack[i]) {
            return m->depth - 1 - i;
        }
    }
    return -1;
}

static bool has_items(const struct machine *m, int count)
{
    const int above_mark = count_to_mark(m);
    return (above_mark < 0 ? m->depth : above_mark) >= count;
}

// A tuple of the topmost `count` items; `below` is 1 when a mark lies under them.
static enum rl_status make_tuple(struct machine *m, int count, int below)
{
    if (count < 0 || !has_items(m, count)) {
        return refuse(m, "a tuple without its items");
    }
    struct rl_pickle_item *tuple = new_item(m, RL_PICKLE_LIST);
    append_items(m, tuple, count, below);
    return push(m, tuple);
}

// Adds the topmost items to the list or dictionary under them.
static enum rl_status extend(struct machine *m, enum rl_pickle_kind kind, int count, int below)
{
    const int place = m->depth - count - below - 1;
    if (count < 0 || place < 0 || !m->stack[place] || m->stack[place]->kind != kind ||
        (kind == RL_PICKLE_DICT && count % 2 != 0) || (below == 0 && !has_items(m, count + 1))) {
        return refuse(m, "items without a collection");
    }
    append_items(m, m->stack[place], count, below);
    return RL_OK;
}

// ---- memo

// torch.save numbers the entries one after the other.
static enum rl_status put_memo(struct machine *m, uint64_t index)
{
    if (index != (uint64_t)m->memo_size || index >= MAX_MEMO || !top(m)) {
        return refuse(m, "a memo entry out of order");
    }
    m->memo[m->memo_size++] = top(m);
    return RL_OK;
}

static enum rl_status get_memo(struct machine *m, uint64_t index)
{
    return index < (uint64_t)m->memo_size ? push(m, m->memo[index]) : refuse(m, "a memo entry that is not there");
}

// ---- tensors

static bool is_string(const struct rl_pickle_item *item, const char *string)
{
    return (item->kind == RL_PICKLE_STRING || item->kind == RL_PICKLE_GLOBAL) && strcmp(item->string, string) == 0;
}

static bool find_storage_dtype(const struct rl_pickle_item *global, enum rl_scalar_type *dtype)
{
    static const struct {
        const char *name;
        enum rl_scalar_type dtype;
    } storages[] = {{"torch FloatStorage", RL_FLOAT32}, {"torch DoubleStorage", RL_FLOAT64},
                    {"torch HalfStorage", RL_FLOAT16},  {"torch BFloat16Storage", RL_BFLOAT16},
                    {"torch LongStorage", RL_INT64},    {"torch IntStorage", RL_INT32},
                    {"torch ShortStorage", RL_INT16},   {"torch CharStorage", RL_INT8},
                    {"torch ByteStorage", RL_UINT8},    {"torch BoolStorage", RL_BOOL}};
    for (size_t i = 0; i < sizeof storages / sizeof storages[0]; i++) {
        if (is_string(global, storages[i].name)) {
            *dtype = storages[i].dtype;
            return true;
        }
    }
    return false;
}

// ('storage', torch.XStorage, key, location, element count), the persistent id of a storage
static enum rl_status make_storage(struct machine *m)
{
    const struct rl_pickle_item *id = pop(m);
    if (!id || id->kind != RL_PICKLE_LIST || id->count != 5 || !is_string(id->items[0], "storage") ||
        id->items[2]->kind != RL_PICKLE_STRING) {
        return refuse(m, "a persistent id that is not a storage");
    }
    struct rl_pickle_item *storage = new_item(m, RL_PICKLE_STORAGE);
    storage->string = id->items[2]->string;
    if (!find_storage_dtype(id->items[1], &storage->type.dtype)) {
        return refuse_kind(m, id->items[1]->kind == RL_PICKLE_GLOBAL ? id->items[1]->string : "another storage");
    }
    return push(m, storage);
}

static bool take_integers(const struct rl_pickle_item *list, int64_t *integers)
{
    for (int i = 0; i < list->count; i++) {
        if (list->items[i]->kind != RL_PICKLE_INTEGER) {
            return false;
        }
        integers[i] = list->items[i]->integer;
    }
    return true;
}

// _rebuild_tensor_v2(storage, storage_offset, sizes, strides, requires_grad, backward_hooks)
static enum rl_status make_tensor(struct machine *m, const struct rl_pickle_item *args)
{
    if (args->count < 6 || args->items[0]->kind != RL_PICKLE_STORAGE || args->items[1]->kind != RL_PICKLE_INTEGER ||
        args->items[2]->kind != RL_PICKLE_LIST || args->items[3]->kind != RL_PICKLE_LIST ||
        args->items[2]->count > RL_MAX_RANK || args->items[3]->count != args->items[2]->count) {
        return refuse(m, "a tensor without its parts");
    }
    struct rl_pickle_item *tensor = new_item(m, RL_PICKLE_TENSOR);
    int64_t sizes[RL_MAX_RANK];
    if (!take_integers(args->items[2], sizes) || !take_integers(args->items[3], tensor->strides)) {
        return refuse(m, "a tensor whose sizes are not integers");
    }
    tensor->string = args->items[0]->string;
    tensor->offset = args->items[1]->integer;
    tensor->type = rl_tensor_type_make(args->items[0]->type.dtype, args->items[2]->count, sizes);
    return push(m, tensor);
}

// _rebuild_parameter(tensor, requires_grad, backward_hooks)
static enum rl_status unwrap_parameter(struct machine *m, const struct rl_pickle_item *args)
{
    if (args->count != 3 || args->items[0]->kind != RL_PICKLE_TENSOR) {
        return refuse(m, "a parameter without its tensor");
    }
    return push(m, args->items[0]);
}

static enum rl_status reduce(struct machine *m)
{
    const struct rl_pickle_item *args = pop(m);
    const struct rl_pickle_item *function = pop(m);
    if (!args || !function || args->kind != RL_PICKLE_LIST || function->kind != RL_PICKLE_GLOBAL) {
        return refuse(m, "a call without a function or arguments");
    }
    if (is_string(function, "collections OrderedDict") && args->count == 0) {
        return push(m, new_item(m, RL_PICKLE_DICT));
    }
    if (is_string(function, "torch._utils _rebuild_parameter")) {
        return unwrap_parameter(m, args);
    }
    return is_string(function, "torch._utils _rebuild_tensor_v2") ? make_tensor(m, args)
                                                                  : refuse_kind(m, function->string);
}

// ---- opcodes

static enum rl_status push_global(struct machine *m)
{
    const char *module = take_line(m);
    const char *name = module ? take_line(m) : NULL;
    if (!name) {
        return refuse(m, "a name without an end");
    }
    struct rl_pickle_item *item = new_item(m, RL_PICKLE_GLOBAL);
    item->string = rl_arena_format(m->arena, "%s %s", module, name);
    return push(m, item);
}

static enum rl_status push_string(struct machine *m)
{
    uint64_t length;
    if (!take_unsigned(m, 4, &length) || length > m->size - m->next || length > MAX_STRING) {
        return refuse(m, "a string beyond its end");
    }
    struct rl_pickle_item *item = new_item(m, RL_PICKLE_STRING);
    item->string = rl_arena_format(m->arena, "%.*s", (int)length, (const char *)m->bytes + m->next);
    m->next += (size_t)length;
    return push(m, item);
}

// An integer of `bytes` bytes, the last of which carries the sign if `is_signed`.
static enum rl_status push_number(struct machine *m, int bytes, bool is_signed)
{
    uint64_t number = 0;
    if (bytes > 8 || !take_unsigned(m, bytes, &number)) {
        return refuse(m, "an integer beyond its end or of more than 64 bits");
    }
    if (is_signed && bytes > 0 && bytes < 8 && (number >> (8 * bytes - 1)) != 0) {
        number |= ~UINT64_C(0) << (8 * bytes);
    }
    int64_t integer;
    memcpy(&integer, &number, sizeof integer);
    return push_integer(m, integer);
}

// Calls a memo function with the number that follows the opcode.
static enum rl_status with_index(struct machine *m, int bytes, enum rl_status (*function)(struct machine *, uint64_t))
{
    uint64_t index;
    return take_unsigned(m, bytes, &index) ? function(m, index) : refuse(m, "it ends early");
}

static enum rl_status skip_and_push_other(struct machine *m, size_t bytes)
{
    if (m->size - m->next < bytes) {
        return refuse(m, "it ends early");
    }
    m->next += bytes;
    return push(m, new_item(m, RL_PICKLE_OTHER));
}

static enum rl_status push_long(struct machine *m)
{
    uint64_t bytes;
    return take_unsigned(m, 1, &bytes) ? push_number(m, (int)bytes, true) : refuse(m, "it ends early");
}

static enum rl_status step_collection(struct machine *m, unsigned char opcode)
{
    switch (opcode) {
    case '(':
        return push(m, NULL);
    case ')':
        return make_tuple(m, 0, 0);
    case 0x85:
    case 0x86:
    case 0x87:
        return make_tuple(m, opcode - 0x84, 0);
    case 't':
        return make_tuple(m, count_to_mark(m), 1);
    case ']':
        return push(m, new_item(m, RL_PICKLE_LIST));
    case '}':
        return push(m, new_item(m, RL_PICKLE_DICT));
    case 'a':
        return extend(m, RL_PICKLE_LIST, 1, 0);
    case 'e':
        return extend(m, RL_PICKLE_LIST, count_to_mark(m), 1);
    case 's':
        return extend(m, RL_PICKLE_DICT, 2, 0);
    case 'u':
        return extend(m, RL_PICKLE_DICT, count_to_mark(m), 1);
    default:
        return refuse_kind(m, rl_arena_format(m->arena, "opcode 0x%02x", opcode));
    }
}

static enum rl_status step(struct machine *m, unsigned char opcode)
{
    switch (opcode) {
    case 'c':
        return push_global(m);
    case 'X':
        return push_string(m);
    case 'J':
        return push_number(m, 4, true);
    case 'K':
        return push_number(m, 1, false);
    case 'M':
        return push_number(m, 2, false);
    case 0x8a:
        return push_long(m);
    case 'G':
        return skip_and_push_other(m, 8);
    case 'N':
    case 0x88:
    case 0x89:
        return skip_and_push_other(m, 0);
    case 'q':
        return with_index(m, 1, put_memo);
    case 'r':
        return with_index(m, 4, put_memo);
    case 'h':
        return with_index(m, 1, get_memo);
    case 'j':
        return with_index(m, 4, get_memo);
    case 'Q':
        return make_storage(m);
    case 'R':
        return reduce(m);
    default:
        return step_collection(m, opcode);
    }
}

enum rl_status rl_pickle_read(struct rl_context *context, struct rl_arena *arena, const char *place,
                              const unsigned char *bytes, size_t size, struct rl_pickle_item **item)
{
    enum { PROTO = 0x80, STOP = '.' };
    struct machine *m = rl_arena_alloc(arena, sizeof *m);
    *m = (struct machine){.context = context, .arena = arena, .place = place, .bytes = bytes, .size = size};
    m->memo = rl_arena_array(arena, MAX_MEMO, sizeof(struct rl_pickle_item *));
    *item = NULL;
    if (size < 2 || bytes[0] != PROTO || bytes[1] != 2) {
        return rl_fail(context, RL_ERROR_UNSUPPORTED, "%s: not a pickle of protocol 2", place);
    }
    m->next = 2;
    while (m->next < size && bytes[m->next] != STOP) {
        const enum rl_status status = step(m, bytes[m->next++]);
        if (status != RL_OK) {
            return status;
        }
    }
    *item = pop(m);
    return m->next == size || !*item || m->depth != 0 ? refuse(m, "it does not end with one object") : RL_OK;
}
