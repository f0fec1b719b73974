// SPDX-License-Identifier: Apache-2.0
#include "frame.h"

#include <string.h>

#include "format/crc.h"

static void store(uint8_t *bytes, uint32_t number)
{
    for (int i = 0; i < 4; i++) {
        bytes[i] = (uint8_t)(number >> 8 * i);
    }
}

static uint32_t load(const uint8_t *bytes)
{
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static uint32_t crc_of(const uint8_t *bytes, uint32_t count)
{
    return ~rl_crc_add(UINT32_MAX, bytes, count);
}

void rl_frame_begin(struct rl_frame *frame, uint8_t type, uint8_t sequence)
{
    frame->bytes[0] = type;
    frame->bytes[1] = sequence;
    frame->payload_bytes = 0;
}

void rl_frame_add(struct rl_frame *frame, const void *data, uint32_t bytes)
{
    memcpy(frame->bytes + RL_FRAME_HEADER + frame->payload_bytes, data, bytes);
    frame->payload_bytes += bytes;
}

void rl_frame_add_number(struct rl_frame *frame, uint32_t number)
{
    uint8_t bytes[4];
    store(bytes, number);
    rl_frame_add(frame, bytes, sizeof bytes);
}

uint32_t rl_frame_number(const struct rl_frame *frame, uint32_t offset)
{
    return load(frame->bytes + RL_FRAME_HEADER + offset);
}

void rl_frame_send(struct rl_frame *frame, void (*put)(void *user, uint8_t byte), void *user)
{
    const uint32_t covered = RL_FRAME_HEADER + frame->payload_bytes, count = covered + RL_FRAME_CRC;
    store(frame->bytes + covered, crc_of(frame->bytes, covered));
    // Each piece up to a zero, or to the end, has its length plus one in front, which stands for the zero.
    for (uint32_t begin = 0; begin <= count;) {
        uint32_t end = begin;
        while (end < count && frame->bytes[end] != 0) {
            end++;
        }
        put(user, (uint8_t)(end - begin + 1));
        for (uint32_t i = begin; i < end; i++) {
            put(user, frame->bytes[i]);
        }
        begin = end + 1;
    }
    put(user, 0);
}

// The zero behind a frame.
static enum rl_frame_event end_frame(struct rl_frame_receiver *r)
{
    const bool is_empty = !r->has_started && !r->is_damaged, is_whole = !r->is_damaged && r->left == 0;
    const uint32_t count = r->count;
    r->count = 0;
    r->left = 0;
    r->is_damaged = false;
    r->has_started = false;
    if (is_empty) {
        return RL_FRAME_EMPTY;
    }
    if (!is_whole || count < RL_FRAME_HEADER + RL_FRAME_CRC) {
        return RL_FRAME_DAMAGED;
    }
    const uint32_t covered = count - RL_FRAME_CRC;
    r->frame.payload_bytes = covered - RL_FRAME_HEADER;
    return load(r->frame.bytes + covered) == crc_of(r->frame.bytes, covered) ? RL_FRAME_ARRIVED : RL_FRAME_DAMAGED;
}

enum rl_frame_event rl_frame_receive(struct rl_frame_receiver *r, uint8_t byte)
{
    if (byte == 0) {
        return end_frame(r);
    }
    // A length stands for a zero, but for the first one.
    const bool is_length = r->left == 0, has_data = !is_length || r->has_started;
    if (r->is_damaged || (has_data && r->count == RL_FRAME_BYTES)) {
        r->is_damaged = true;
        return RL_FRAME_NOTHING;
    }
    if (has_data) {
        r->frame.bytes[r->count++] = is_length ? 0 : byte;
    }
    r->left = is_length ? byte - 1U : r->left - 1;
    r->has_started = true;
    return RL_FRAME_NOTHING;
}
