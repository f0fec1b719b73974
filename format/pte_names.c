// SPDX-License-Identifier: Apache-2.0
#include "format/pte_names.h"

// The number of bytes of the character at `text`, of which `left` are there; 0 when it is not one that can be shown.
// UTF-8 as RFC 3629 has it, without control characters (up to U+001F, U+007F to U+009F).
static size_t character_bytes(const unsigned char *text, size_t left)
{
    static const uint32_t least[] = {0, 0xA0, 0x800, 0x10000}; // that needs so many bytes more
    const unsigned char first = text[0];
    if (first < 0x80) {
        return first >= ' ' && first != 0x7F ? 1 : 0;
    }
    size_t more = 1 + (size_t)(first >= 0xE0) + (size_t)(first >= 0xF0);
    if (first < 0xC2 || first > 0xF4 || more >= left) {
        return 0;
    }
    uint32_t code = first & (0x3Fu >> more);
    for (size_t i = 1; i <= more; i++) {
        if ((text[i] & 0xC0) != 0x80) {
            return 0;
        }
        code = code << 6 | (text[i] & 0x3Fu);
    }
    const bool is_surrogate = code >= 0xD800 && code <= 0xDFFF;
    return code >= least[more] && code <= 0x10FFFF && !is_surrogate ? more + 1 : 0;
}

bool rl_pte_is_name(const char *text, size_t length)
{
    size_t at = 0;
    while (at < length && length <= RL_PTE_LONGEST_NAME) {
        const size_t bytes = character_bytes((const unsigned char *)text + at, length - at);
        if (bytes == 0) {
            return false;
        }
        at += bytes;
    }
    return at == length;
}

// The only frame of an instruction; RL_FB_BAD when there is another number of them.
static uint32_t find_frame(const struct rl_pte_names *names, uint32_t index)
{
    const struct rl_flatbuffer *fb = &names->pte->fb;
    struct rl_fb_vector items;
    const uint32_t list = rl_fb_item_table(fb, &names->frames, index);
    if (list == RL_FB_BAD || !rl_fb_vector(fb, list, RL_PTE_frame_list_items, 4, &items) || items.count != 1) {
        return RL_FB_BAD;
    }
    return rl_fb_item_table(fb, &items, 0);
}

// A text of a frame; NULL when it is absent, and *whole is false when it is not a name.
static const char *read_text(const struct rl_flatbuffer *fb, uint32_t frame, uint32_t id, bool *whole)
{
    uint32_t length;
    if (rl_fb_child(fb, frame, id) == RL_FB_ABSENT) {
        return NULL;
    }
    const char *text = rl_fb_string(fb, frame, id, &length);
    *whole = *whole && text && rl_pte_is_name(text, length);
    return text;
}

static const char *check(const struct rl_pte_names *names, uint32_t index)
{
    const struct rl_flatbuffer *fb = &names->pte->fb;
    const uint32_t frame = find_frame(names, index);
    bool whole = frame != RL_FB_BAD;
    if (whole && rl_fb_child(fb, frame, RL_PTE_frame_filename) != RL_FB_ABSENT) {
        return "its instructions are named by places in source code, not by modules";
    }
    if (whole) {
        read_text(fb, frame, RL_PTE_frame_name, &whole);
        read_text(fb, frame, RL_PTE_frame_context, &whole);
    }
    return whole ? NULL : "its list of names is damaged";
}

const char *rl_pte_names_open(const struct rl_pte *pte, const struct rl_pte_plan *plan, struct rl_pte_names *names)
{
    struct rl_fb_vector chains;
    *names = (struct rl_pte_names){.pte = pte};
    rl_fb_vector(&pte->fb, plan->table, RL_PTE_plan_chains, 4, &chains);
    if (chains.count == 0) {
        return NULL;
    }
    struct rl_fb_vector frames;
    const uint32_t chain = rl_fb_item_table(&pte->fb, &chains, 0);
    if (!rl_fb_vector(&pte->fb, chain, RL_PTE_chain_stacktrace, 4, &frames)) {
        return "its list of names is damaged";
    }
    if (frames.count == 0) {
        return NULL;
    }
    if (frames.count != plan->instructions.count) {
        return "it has another number of names than of instructions";
    }
    names->frames = frames;
    for (uint32_t i = 0; i < frames.count; i++) {
        const char *message = check(names, i);
        if (message) {
            names->frames.count = 0;
            return message;
        }
    }
    return NULL;
}

struct rl_pte_name rl_pte_names_at(const struct rl_pte_names *names, uint32_t index)
{
    struct rl_pte_name name = {NULL, NULL};
    bool whole = true;
    if (index < names->frames.count) {
        const uint32_t frame = find_frame(names, index);
        name.layer = read_text(&names->pte->fb, frame, RL_PTE_frame_name, &whole);
        name.node = read_text(&names->pte->fb, frame, RL_PTE_frame_context, &whole);
    }
    return name;
}
