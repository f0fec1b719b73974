// SPDX-License-Identifier: Apache-2.0
#define _POSIX_C_SOURCE 200809L // clock_gettime, getpid
#include "session.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { HELLO_MILLISECONDS = 250, LOOK_MILLISECONDS = 2000 };

__attribute__((format(printf, 3, 4))) static enum rl_session_status
fail(struct rl_session *s, enum rl_session_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int used = snprintf(s->message, sizeof s->message, "%s: ", s->path);
    if (used > 0 && (size_t)used < sizeof s->message) {
        vsnprintf(s->message + used, sizeof s->message - (size_t)used, format, arguments);
    }
    va_end(arguments);
    return status;
}

static enum rl_session_status damaged(struct rl_session *s, const char *what)
{
    return fail(s, RL_SESSION_DAMAGED, "bytes were lost, added or changed on the line %s: %s", s->activity, what);
}

static enum rl_session_status restarted(struct rl_session *s)
{
    return fail(s, RL_SESSION_RESTARTED, "the firmware restarted %s", s->activity);
}

static enum rl_session_status of_port(struct rl_session *s, enum rl_port_status status)
{
    if (status == RL_PORT_STOPPED) {
        return fail(s, RL_SESSION_STOPPED, "stopped %s", s->activity);
    }
    if (status == RL_PORT_CLOSED) {
        return fail(s, RL_SESSION_CLOSED, "the other end of the port went away %s", s->activity);
    }
    return status == RL_PORT_OK ? RL_SESSION_OK : RL_SESSION_SILENT;
}

// ---- frames

struct line {
    uint8_t bytes[RL_FRAME_BYTES + 3]; // two of stuffing and a zero in front
    size_t count;
};

static void put(void *user, uint8_t byte)
{
    struct line *line = user;
    line->bytes[line->count++] = byte;
}

// Sends `out`, with a zero in front to begin anew if asked for.
static enum rl_session_status send(struct rl_session *s, bool begins_anew)
{
    struct line line = {.count = 0};
    if (begins_anew) {
        put(&line, 0);
    }
    rl_frame_send(&s->out, put, &line);
    const enum rl_session_status status =
        of_port(s, rl_port_write(s->port, rl_port_now() + s->timeout, line.bytes, line.count));
    return status == RL_SESSION_SILENT
               ? fail(s, status, "nothing takes what is sent within %g seconds", s->timeout / 1000.0)
               : status;
}

static enum rl_session_status next_frame(struct rl_session *s, long long deadline, enum rl_frame_event *event)
{
    *event = RL_FRAME_NOTHING;
    while (*event == RL_FRAME_NOTHING) {
        uint8_t byte;
        const enum rl_session_status status = of_port(s, rl_port_read(s->port, deadline, &byte));
        if (status != RL_SESSION_OK) {
            return status;
        }
        *event = rl_frame_receive(&s->in, byte);
    }
    return RL_SESSION_OK;
}

static uint8_t type_of(const struct rl_session *s)
{
    return s->in.frame.bytes[0];
}

static uint8_t payload_at(const struct rl_session *s, uint32_t offset)
{
    return offset < s->in.frame.payload_bytes ? s->in.frame.bytes[RL_FRAME_HEADER + offset] : 0;
}

static bool is_ping_answer(const struct rl_session *s)
{
    return type_of(s) == (RL_FRAME_PING | RL_FRAME_ANSWER) && s->in.frame.payload_bytes == RL_PING_BYTES;
}

static enum rl_session_status ping(struct rl_session *s, bool begins_anew)
{
    rl_frame_begin(&s->out, RL_FRAME_PING, (uint8_t)(s->sequence + 1));
    return send(s, begins_anew);
}

// How long to look for a reason.
static long long look_until(const struct rl_session *s)
{
    return rl_port_now() + (s->timeout < LOOK_MILLISECONDS ? s->timeout : LOOK_MILLISECONDS);
}

// Something arrived that is not what was sent. A reset cuts off what the firmware was sending, so looks whether there
// was one.
static enum rl_session_status tell_damage(struct rl_session *s, const char *what)
{
    const long long deadline = look_until(s);
    enum rl_session_status status = ping(s, true);
    while (status == RL_SESSION_OK) {
        enum rl_frame_event event;
        status = next_frame(s, deadline, &event);
        if (status != RL_SESSION_OK || event != RL_FRAME_ARRIVED) {
            continue;
        }
        if (type_of(s) == RL_FRAME_BOOT) {
            return restarted(s);
        }
        if (is_ping_answer(s)) {
            return rl_frame_number(&s->in.frame, RL_PING_SESSION) == s->number ? damaged(s, what) : restarted(s);
        }
    }
    return status == RL_SESSION_SILENT ? damaged(s, what) : status;
}

static enum rl_session_status of_error(struct rl_session *s)
{
    switch (payload_at(s, 0)) {
    case RL_FRAME_WAS_DAMAGED:
        return damaged(s, "the firmware got a damaged frame");
    case RL_FRAME_NO_SESSION:
        return restarted(s);
    default:
        return fail(s, RL_SESSION_WRONG,
                    "the firmware refuses a request (error %u): it has other inputs or outputs than it said, or "
                    "another protocol",
                    payload_at(s, 0));
    }
}

// Whether what arrived is the answer to the last request. Whatever else it may be, but an old answer to HELLO, is an
// error.
static enum rl_session_status judge(struct rl_session *s, enum rl_frame_event event, bool *is_answer)
{
    *is_answer = false;
    if (event != RL_FRAME_ARRIVED) {
        return tell_damage(s, "a damaged frame came from the firmware");
    }
    if (type_of(s) == RL_FRAME_BOOT) {
        return restarted(s);
    }
    if (type_of(s) == RL_FRAME_ERROR) {
        return of_error(s);
    }
    *is_answer = type_of(s) == (s->out.bytes[0] | RL_FRAME_ANSWER) && s->in.frame.bytes[1] == s->sequence;
    if (!*is_answer && type_of(s) != (RL_FRAME_HELLO | RL_FRAME_ANSWER)) {
        return tell_damage(s, "an answer came that nobody waits for");
    }
    return RL_SESSION_OK;
}

// No answer came in time: what is the reason? The ping has no zero in front, so that a frame whose end was lost arrives
// together with it, as damage.
static enum rl_session_status tell_silence(struct rl_session *s)
{
    const uint8_t asked = s->out.bytes[0];
    const long long deadline = look_until(s);
    bool is_late = false;
    enum rl_session_status status = ping(s, false);
    while (status == RL_SESSION_OK) {
        enum rl_frame_event event;
        bool is_answer;
        status = next_frame(s, deadline, &event);
        if (status != RL_SESSION_OK) {
            continue;
        }
        if (event == RL_FRAME_ARRIVED && is_ping_answer(s)) {
            if (rl_frame_number(&s->in.frame, RL_PING_SESSION) != s->number) {
                return restarted(s);
            }
            return is_late ? fail(s, RL_SESSION_SILENT, "the answer took longer than %g seconds %s",
                                  s->timeout / 1000.0, s->activity)
                           : damaged(s, "a request or its answer is missing, and the firmware answers the next one");
        }
        s->out.bytes[0] = asked;
        status = judge(s, event, &is_answer);
        is_late = is_late || is_answer;
    }
    return status == RL_SESSION_SILENT ? fail(s, RL_SESSION_SILENT, "the firmware did not answer within %g seconds %s",
                                              s->timeout / 1000.0, s->activity)
                                       : status;
}

// Sends the request in `out`, and waits for its answer.
static enum rl_session_status ask(struct rl_session *s)
{
    const long long deadline = rl_port_now() + s->timeout;
    enum rl_session_status status = send(s, false);
    bool is_answer = false;
    while (status == RL_SESSION_OK && !is_answer) {
        enum rl_frame_event event;
        status = next_frame(s, deadline, &event);
        if (status == RL_SESSION_SILENT) {
            return tell_silence(s);
        }
        if (status == RL_SESSION_OK) {
            status = judge(s, event, &is_answer);
        }
    }
    return status;
}

static void begin(struct rl_session *s, uint8_t type)
{
    rl_frame_begin(&s->out, type, ++s->sequence);
}

static enum rl_session_status wrong_size(struct rl_session *s)
{
    return fail(s, RL_SESSION_WRONG, "the firmware's answer has another size than the protocol says");
}

// ---- the start

static void read_hello(struct rl_session *s)
{
    const struct rl_frame *in = &s->in.frame;
    const uint32_t length = in->payload_bytes - RL_HELLO_NAME;
    s->firmware = (struct rl_session_firmware){
        .program_bytes = rl_frame_number(in, RL_HELLO_PROGRAM_BYTES),
        .program_crc = rl_frame_number(in, RL_HELLO_PROGRAM_CRC),
        .input_bytes = rl_frame_number(in, RL_HELLO_INPUT_BYTES),
        .output_bytes = rl_frame_number(in, RL_HELLO_OUTPUT_BYTES),
        .arena_bytes = rl_frame_number(in, RL_HELLO_ARENA_BYTES),
        .stack_bytes = rl_frame_number(in, RL_HELLO_STACK_BYTES),
        .clock_bits = payload_at(s, RL_HELLO_CLOCK_BITS),
    };
    for (uint32_t i = 0; i < length; i++) {
        const char c = (char)payload_at(s, RL_HELLO_NAME + i);
        s->firmware.name[i] = c >= ' ' && c <= '~' ? c : '?';
    }
}

// What arrives before the session has begun may be anything: lines of a boot loader, the rest of a frame.
static enum rl_session_status look_for_hello(struct rl_session *s, long long deadline, bool *found)
{
    *found = false;
    while (!*found) {
        enum rl_frame_event event;
        const enum rl_session_status status = next_frame(s, deadline, &event);
        if (status != RL_SESSION_OK) {
            return status;
        }
        if (event != RL_FRAME_ARRIVED) {
            continue;
        }
        if (type_of(s) == RL_FRAME_BOOT) { // what was sent before has not reached it
            return RL_SESSION_SILENT;
        }
        if (type_of(s) == RL_FRAME_ERROR && payload_at(s, 0) == RL_FRAME_OTHER_VERSION) {
            return fail(s, RL_SESSION_WRONG, "the firmware speaks version %u of the protocol; accepted: %d",
                        payload_at(s, 1), RL_FRAME_VERSION);
        }
        *found = type_of(s) == (RL_FRAME_HELLO | RL_FRAME_ANSWER) && s->in.frame.payload_bytes >= RL_HELLO_NAME &&
                 rl_frame_number(&s->in.frame, RL_HELLO_SESSION) == s->number;
    }
    read_hello(s);
    return RL_SESSION_OK;
}

// Differs from start to start, and is not 0.
static uint32_t new_number(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    const uint32_t mixed = (uint32_t)now.tv_nsec * 2654435761U ^ (uint32_t)now.tv_sec ^ (uint32_t)getpid() << 16;
    return mixed != 0 ? mixed : 1;
}

enum rl_session_status rl_session_start(struct rl_session *s)
{
    const uint8_t version = RL_FRAME_VERSION;
    const long long deadline = rl_port_now() + s->timeout;
    const unsigned pause = s->timeout / 4 < HELLO_MILLISECONDS ? s->timeout / 4 : HELLO_MILLISECONDS;
    bool found = false;
    memset(&s->in, 0, sizeof s->in);
    s->message[0] = '\0';
    s->sequence = 0;
    s->number = new_number();
    s->activity = "before the session began";
    while (!found && rl_port_now() < deadline) {
        begin(s, RL_FRAME_HELLO);
        rl_frame_add(&s->out, &version, 1);
        rl_frame_add_number(&s->out, s->number);
        enum rl_session_status status = send(s, true);
        if (status == RL_SESSION_OK) {
            status = look_for_hello(s, rl_port_now() + pause, &found);
        }
        if (status != RL_SESSION_OK && status != RL_SESSION_SILENT) {
            return status;
        }
    }
    if (found) {
        return RL_SESSION_OK;
    }
    return fail(s, RL_SESSION_SILENT,
                "no firmware with 'validate' answered within %g seconds; %" PRIu64
                " bytes arrived, which are not its answer%s",
                s->timeout / 1000.0, s->port->received, s->port->received > 0 ? " (another baud rate?)" : "");
}

enum rl_session_status rl_session_expect(struct rl_session *s, const char *program, uint32_t program_bytes,
                                         uint32_t program_crc)
{
    const struct rl_session_firmware *f = &s->firmware;
    if (f->program_bytes == program_bytes && f->program_crc == program_crc) {
        return RL_SESSION_OK;
    }
    return fail(s, RL_SESSION_WRONG,
                "wrong firmware: its model '%.64s' was made of a .pte of %" PRIu32 " bytes with CRC-32 0x%08" PRIx32
                ", and %.160s has %" PRIu32 " bytes with 0x%08" PRIx32,
                f->name, f->program_bytes, f->program_crc, program, program_bytes, program_crc);
}

// ---- inputs, inferences, outputs

static void begin_piece(struct rl_session *s, uint8_t type, uint16_t index, uint32_t offset)
{
    const uint8_t tensor[2] = {(uint8_t)index, (uint8_t)(index >> 8)};
    begin(s, type);
    rl_frame_add(&s->out, tensor, sizeof tensor);
    rl_frame_add_number(&s->out, offset);
}

enum rl_session_status rl_session_set_input(struct rl_session *s, uint16_t index, const uint8_t *data, uint32_t bytes)
{
    enum rl_session_status status = RL_SESSION_OK;
    for (uint32_t offset = 0; offset < bytes && status == RL_SESSION_OK;) {
        const uint32_t count = bytes - offset < RL_PIECE_BYTES ? bytes - offset : RL_PIECE_BYTES;
        begin_piece(s, RL_FRAME_INPUT, index, offset);
        rl_frame_add(&s->out, data + offset, count);
        status = ask(s);
        if (status == RL_SESSION_OK && s->in.frame.payload_bytes != 0) {
            return wrong_size(s);
        }
        offset += count;
    }
    return status;
}

enum rl_session_status rl_session_get_output(struct rl_session *s, uint16_t index, uint8_t *data, uint32_t bytes)
{
    enum rl_session_status status = RL_SESSION_OK;
    for (uint32_t offset = 0; offset < bytes && status == RL_SESSION_OK;) {
        const uint32_t left = bytes - offset;
        const uint8_t count = left < RL_FRAME_PAYLOAD ? (uint8_t)left : RL_FRAME_PAYLOAD;
        begin_piece(s, RL_FRAME_OUTPUT, index, offset);
        rl_frame_add(&s->out, &count, 1);
        status = ask(s);
        if (status == RL_SESSION_OK && s->in.frame.payload_bytes != count) {
            return wrong_size(s);
        }
        if (status == RL_SESSION_OK) {
            memcpy(data + offset, s->in.frame.bytes + RL_FRAME_HEADER, count);
        }
        offset += count;
    }
    return status;
}

enum rl_session_status rl_session_run(struct rl_session *s, bool resets, struct rl_session_run *run)
{
    const uint8_t flag = resets;
    begin(s, RL_FRAME_RUN);
    rl_frame_add(&s->out, &flag, 1);
    const enum rl_session_status status = ask(s);
    if (status != RL_SESSION_OK) {
        return status;
    }
    if (s->in.frame.payload_bytes != RL_RUN_BYTES) {
        return wrong_size(s);
    }
    run->cycles = rl_frame_number(&s->in.frame, RL_RUN_CYCLES);
    run->stack = rl_frame_number(&s->in.frame, RL_RUN_STACK);
    run->refused = rl_frame_number(&s->in.frame, RL_RUN_REFUSED);
    return RL_SESSION_OK;
}
