// SPDX-License-Identifier: Apache-2.0
#include "format/ptd_reader.h"

#include <limits.h>
#include <string.h>

enum {
    HEADER_OFFSET = 8, // magic, length, then u64: position and size of the tables, position and size of the segments
    HEADER_BYTES = 40,
};

static const char *read_header(struct rl_ptd *ptd)
{
    const struct rl_flatbuffer *file = &ptd->fb;
    if (memcmp(file->data + HEADER_OFFSET, "FH01", 4) != 0) {
        return rl_sentence("the file of data has no header");
    }
    if (rl_fb_u32(file, HEADER_OFFSET + 4) < HEADER_BYTES) {
        return rl_sentence("the header of the file of data has a wrong length");
    }
    uint64_t tables = rl_fb_u64(file, HEADER_OFFSET + 8);
    uint64_t table_bytes = rl_fb_u64(file, HEADER_OFFSET + 16);
    uint64_t segments = rl_fb_u64(file, HEADER_OFFSET + 24);
    if (tables > file->size || table_bytes > file->size - tables) {
        return rl_sentence("the file of data is shorter than its header says");
    }
    if (segments < tables + table_bytes || segments > file->size) {
        return rl_sentence("the segments of the file of data lie outside it");
    }
    ptd->segment_base = (uint32_t)segments;
    ptd->fb.size = (uint32_t)(tables + table_bytes); // positions count from the start of the file
    return NULL;
}

const char *rl_ptd_open(struct rl_ptd *ptd, const void *data, size_t size)
{
    memset(ptd, 0, sizeof *ptd);
    if (size < HEADER_OFFSET + HEADER_BYTES || size > INT32_MAX) {
        return rl_sentence("the file of data is too short or larger than 2 GiB");
    }
    ptd->fb = (struct rl_flatbuffer){data, (uint32_t)size};
    ptd->file_size = (uint32_t)size;
    if (memcmp(ptd->fb.data + 4, RL_PTD_IDENTIFIER, 4) != 0) {
        return rl_sentence("not a file of data (identifier FT01 expected)");
    }
    const char *message = read_header(ptd);
    if (message) {
        return message;
    }
    const uint32_t root = rl_fb_root(&ptd->fb);
    if (root == 0 || !rl_fb_vector(&ptd->fb, root, RL_PTE_flat_tensor_segments, 4, &ptd->segments) ||
        !rl_fb_vector(&ptd->fb, root, RL_PTE_flat_tensor_named_data, 4, &ptd->tensors)) {
        return rl_sentence("the tables of the file of data are damaged");
    }
    return NULL;
}

static bool has_type(const struct rl_ptd *ptd, uint32_t tensor, uint8_t dtype)
{
    uint32_t layout = rl_fb_child(&ptd->fb, tensor, RL_PTE_named_tensor_layout);
    if (layout == RL_FB_ABSENT) {
        return true; // plain bytes
    }
    uint32_t field = rl_fb_field(&ptd->fb, layout, RL_PTE_tensor_layout_scalar_type, 1);
    return field != RL_FB_BAD && rl_fb_u8(&ptd->fb, field) == dtype;
}

// Whether entry `index` is a tensor of this name. Compares it only if the steps last.
static bool has_name(const struct rl_ptd *ptd, uint32_t table, struct rl_ptd_search *search)
{
    uint32_t length;
    const char *name = rl_fb_string(&ptd->fb, table, RL_PTE_named_tensor_key, &length);
    if (!name || length != search->key_length) {
        return false;
    }
    const uint64_t steps = length / 16;
    if (steps >= search->steps) {
        search->steps = 0;
        return false;
    }
    search->steps -= steps;
    return memcmp(name, search->key, length) == 0;
}

static bool is_found(const struct rl_ptd *ptd, uint32_t index, struct rl_ptd_search *search)
{
    const uint32_t table = rl_fb_item_table(&ptd->fb, &ptd->tensors, index);
    if (!has_name(ptd, table, search)) {
        return false;
    }
    const uint32_t segment = rl_fb_field(&ptd->fb, table, RL_PTE_named_tensor_segment_index, 4);
    return segment != RL_FB_BAD && has_type(ptd, table, search->dtype) &&
           rl_pte_segment(&ptd->fb, &ptd->segments, ptd->segment_base, ptd->file_size, rl_fb_u32(&ptd->fb, segment),
                          &search->position, &search->available) &&
           search->available >= search->least && search->position % rl_scalar_size(search->dtype) == 0;
}

bool rl_ptd_find(const struct rl_ptd *ptd, struct rl_ptd_search *search)
{
    uint32_t index = search->entry;
    for (uint32_t i = 0; i < ptd->tensors.count && search->steps > 0; i++, index++) {
        if (index >= ptd->tensors.count) {
            index = 0;
        }
        search->steps--;
        if (is_found(ptd, index, search)) {
            search->entry = index;
            return true;
        }
    }
    return false;
}
