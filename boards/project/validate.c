// SPDX-License-Identifier: Apache-2.0
#include "validate.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "frame.h"

struct server {
    const struct rl_validate_model *model;
    const struct rl_validate_board *board;
    struct rl_frame_receiver in;
    struct rl_frame out;
    uint32_t session; // 0: none since the start
};

static void put(void *user, uint8_t byte)
{
    const struct rl_validate_board *board = user;
    board->put(byte);
}

static void send(struct server *s)
{
    rl_frame_send(&s->out, put, (void *)(uintptr_t)s->board);
}

static void answer_error(struct server *s, uint8_t sequence, enum rl_frame_error error)
{
    const uint8_t code = (uint8_t)error;
    rl_frame_begin(&s->out, RL_FRAME_ERROR, sequence);
    rl_frame_add(&s->out, &code, 1);
}

static uint32_t sum_bytes(const struct rl_validate_tensor *tensors)
{
    uint32_t bytes = 0;
    for (; tensors->data; tensors++) {
        bytes += tensors->bytes;
    }
    return bytes;
}

static void answer_hello(struct server *s, const struct rl_frame *in)
{
    const struct rl_validate_model *m = s->model;
    const uint8_t version = RL_FRAME_VERSION;
    if (in->payload_bytes < RL_HELLO_ASKED_BYTES || in->bytes[RL_FRAME_HEADER + RL_HELLO_VERSION] != version) {
        answer_error(s, in->bytes[1], RL_FRAME_OTHER_VERSION);
        rl_frame_add(&s->out, &version, 1);
        return;
    }
    s->session = rl_frame_number(in, RL_HELLO_SESSION);
    const uint32_t numbers[] = {s->session,           m->program_bytes,      m->program_crc,
                                sum_bytes(m->inputs), sum_bytes(m->outputs), m->arena_bytes,
                                m->stack_bytes};
    rl_frame_add(&s->out, &version, 1);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        rl_frame_add_number(&s->out, numbers[i]);
    }
    rl_frame_add(&s->out, &s->board->clock_bits, 1);
    uint32_t length = 0;
    while (m->name[length] && length < RL_FRAME_PAYLOAD - RL_HELLO_NAME) {
        length++;
    }
    rl_frame_add(&s->out, m->name, length);
}

// The bytes of a tensor that a frame is about; NULL if the model does not have them.
static uint8_t *find_piece(const struct rl_validate_tensor *tensors, const struct rl_frame *in, uint32_t bytes)
{
    const uint8_t *payload = in->bytes + RL_FRAME_HEADER;
    uint32_t left = payload[RL_PIECE_TENSOR] | (uint32_t)payload[RL_PIECE_TENSOR + 1] << 8;
    const uint32_t offset = rl_frame_number(in, RL_PIECE_OFFSET);
    while (tensors->data && left > 0) {
        tensors++;
        left--;
    }
    const bool is_there = tensors->data && offset <= tensors->bytes && bytes <= tensors->bytes - offset;
    return is_there ? (uint8_t *)(uintptr_t)tensors->data + offset : NULL;
}

static void answer_input(struct server *s, const struct rl_frame *in)
{
    const uint32_t bytes = in->payload_bytes - RL_PIECE_DATA;
    uint8_t *piece = in->payload_bytes >= RL_PIECE_DATA ? find_piece(s->model->inputs, in, bytes) : NULL;
    if (!piece) {
        answer_error(s, in->bytes[1], RL_FRAME_OUT_OF_RANGE);
        return;
    }
    memcpy(piece, in->bytes + RL_FRAME_HEADER + RL_PIECE_DATA, bytes);
}

static void answer_output(struct server *s, const struct rl_frame *in)
{
    const bool is_complete = in->payload_bytes == RL_PIECE_DATA + 1;
    const uint32_t bytes = is_complete ? in->bytes[RL_FRAME_HEADER + RL_PIECE_DATA] : 0;
    const uint8_t *piece = is_complete && bytes <= RL_FRAME_PAYLOAD ? find_piece(s->model->outputs, in, bytes) : NULL;
    if (!piece) {
        answer_error(s, in->bytes[1], RL_FRAME_OUT_OF_RANGE);
        return;
    }
    rl_frame_add(&s->out, piece, bytes);
}

// ---- the inference, with the depth of the stack

static const uint32_t paint = 0xA5A5A5A5;
enum { MARGIN = 16 }; // words below the frame that paints, which a call in it may use

// Memory below this function's frame is free.
__attribute__((noinline)) static void paint_stack(volatile uint32_t *limit)
{
    volatile uint32_t here = 0;
    const uintptr_t end = (uintptr_t)&here - MARGIN * sizeof here;
    for (volatile uint32_t *word = limit; limit && (uintptr_t)word < end; word++) {
        *word = paint;
    }
}

// From the deepest word that has changed to `top`.
static uint32_t stack_used(const volatile uint32_t *limit, uintptr_t top)
{
    const volatile uint32_t *word = limit;
    while ((uintptr_t)word < top && *word == paint) {
        word++;
    }
    return (uint32_t)(top - (uintptr_t)word);
}

__attribute__((noinline)) static void answer_run(struct server *s, const struct rl_frame *in)
{
    volatile uint32_t top = 0;
    volatile uint32_t *limit = s->board->stack_limit;
    if (in->payload_bytes != RL_RUN_ASKED_BYTES) {
        answer_error(s, in->bytes[1], RL_FRAME_OUT_OF_RANGE);
        return;
    }
    if (in->bytes[RL_FRAME_HEADER + RL_RUN_RESETS] != 0) {
        s->model->reset();
    }
    paint_stack(limit);
    const uint32_t start = s->board->now();
    const uint32_t refused = s->model->run();
    const uint32_t cycles = s->board->since(start);
    rl_frame_add_number(&s->out, cycles);
    rl_frame_add_number(&s->out, limit ? stack_used(limit, (uintptr_t)&top) : rl_run_stack_unknown);
    rl_frame_add_number(&s->out, refused);
}

static void answer(struct server *s, const struct rl_frame *in)
{
    const uint8_t type = in->bytes[0], sequence = in->bytes[1];
    rl_frame_begin(&s->out, type | RL_FRAME_ANSWER, sequence);
    if (type == RL_FRAME_HELLO) {
        answer_hello(s, in);
        return;
    }
    if (type == RL_FRAME_PING) {
        rl_frame_add_number(&s->out, s->session);
        return;
    }
    if (s->session == 0) {
        answer_error(s, sequence, RL_FRAME_NO_SESSION);
        return;
    }
    switch (type) {
    case RL_FRAME_INPUT:
        answer_input(s, in);
        return;
    case RL_FRAME_RUN:
        answer_run(s, in);
        return;
    case RL_FRAME_OUTPUT:
        answer_output(s, in);
        return;
    default:
        answer_error(s, sequence, RL_FRAME_UNKNOWN);
    }
}

// These begin anew after whatever there was on the line. Before another type, a zero is a byte too many.
static bool may_follow_zero(uint8_t type)
{
    return type == RL_FRAME_HELLO || type == RL_FRAME_PING;
}

_Noreturn void rl_validate_serve(const struct rl_validate_model *model, const struct rl_validate_board *board)
{
    struct server s = {.model = model, .board = board};
    bool was_empty = false;
    board->put(0); // ends what a reset may have cut off
    rl_frame_begin(&s.out, RL_FRAME_BOOT, 0);
    send(&s);
    for (;;) {
        const enum rl_frame_event event = rl_frame_receive(&s.in, board->get());
        if (event == RL_FRAME_NOTHING) {
            continue;
        }
        if (event == RL_FRAME_EMPTY) {
            was_empty = true;
            continue;
        }
        const bool is_whole = event == RL_FRAME_ARRIVED && (!was_empty || may_follow_zero(s.in.frame.bytes[0]));
        was_empty = false;
        if (is_whole) {
            answer(&s, &s.in.frame);
        } else {
            answer_error(&s, 0, RL_FRAME_WAS_DAMAGED);
        }
        send(&s);
    }
}
