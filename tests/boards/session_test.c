// SPDX-License-Identifier: Apache-2.0
//
// Both ends of `rushlight validate` over a terminal, with a line between them that loses, changes and doubles bytes:
// one that does so once, at each place, is never taken for one that is well.
#define _DEFAULT_SOURCE
#define _XOPEN_SOURCE 700
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <cmocka.h>

#include "boards/project/validate.h"
#include "boards/serial/session.h"

enum { FIRST_BYTES = 6, SECOND_BYTES = 300, OUTPUT_BYTES = 250, PROGRAM_BYTES = 13480, TIMEOUT = 500 };
static const uint32_t program_crc = 0x846992b0;

enum fault {
    FAULT_NONE,
    FAULT_DROP,
    FAULT_FLIP,
    FAULT_DOUBLE,
    FAULT_RESET, // before the byte
    FAULT_HANG,  // for ever, before the byte
    FAULTS
};

// ---- the firmware, in a process of its own

static int line_end;
static enum fault fault;
static bool on_way_to_firmware;
static long fault_place, to_firmware, from_firmware;
static sigjmp_buf reset_point;
static uint8_t first[FIRST_BYTES], second[SECOND_BYTES], output[OUTPUT_BYTES], state;
static bool is_slow;

static void reset_model(void)
{
    state = 0;
}

// What the model tells of its run; the host must get it whole.
static const uint32_t refused = 0x00012307;

static uint32_t run_model(void)
{
    uint8_t sum = state++;
    for (int i = 0; i < FIRST_BYTES; i++) {
        sum = (uint8_t)(sum + first[i]);
    }
    for (int i = 0; i < OUTPUT_BYTES; i++) {
        output[i] = (uint8_t)(second[i] ^ sum);
    }
    if (is_slow) {
        usleep(TIMEOUT * 1500);
    }
    return refused;
}

static void meet_fault(void)
{
    if (fault == FAULT_RESET) {
        fault = FAULT_NONE;
        siglongjmp(reset_point, 1);
    }
    while (fault == FAULT_HANG) {
        pause();
    }
}

static uint8_t read_line(void)
{
    uint8_t byte;
    while (read(line_end, &byte, 1) != 1) {
        if (errno != EINTR) {
            _exit(0); // the other end is gone
        }
    }
    return byte;
}

static void write_line(uint8_t byte)
{
    if (write(line_end, &byte, 1) != 1) {
        _exit(0);
    }
}

static uint8_t get(void)
{
    static int kept = -1;
    if (kept >= 0) {
        const uint8_t again = (uint8_t)kept;
        kept = -1;
        return again;
    }
    const bool is_here = on_way_to_firmware && to_firmware++ == fault_place;
    if (is_here) {
        meet_fault();
    }
    const uint8_t byte = read_line();
    if (is_here && fault == FAULT_DROP) {
        return read_line();
    }
    kept = is_here && fault == FAULT_DOUBLE ? byte : -1;
    return is_here && fault == FAULT_FLIP ? byte ^ 0x10 : byte;
}

static void put(uint8_t byte)
{
    const bool is_here = !on_way_to_firmware && from_firmware++ == fault_place;
    if (!is_here) {
        write_line(byte);
        return;
    }
    meet_fault();
    for (int i = 0; i < (fault == FAULT_DOUBLE ? 2 : 1) && fault != FAULT_DROP; i++) {
        write_line(fault == FAULT_FLIP ? byte ^ 0x10 : byte);
    }
}

static uint32_t now(void)
{
    return 7;
}

static uint32_t since(uint32_t start)
{
    return 1000 + start;
}

static _Noreturn void be_firmware(uint32_t crc)
{
    static const struct rl_validate_tensor inputs[] = {{first, FIRST_BYTES}, {second, SECOND_BYTES}, {NULL, 0}};
    static const struct rl_validate_tensor outputs[] = {{output, OUTPUT_BYTES}, {NULL, 0}};
    const struct rl_validate_model model = {.name = "tiny",
                                            .program_bytes = PROGRAM_BYTES,
                                            .program_crc = crc,
                                            .inputs = inputs,
                                            .outputs = outputs,
                                            .arena_bytes = 1,
                                            .stack_bytes = 2,
                                            .reset = reset_model,
                                            .run = run_model};
    const struct rl_validate_board board = {.get = get, .put = put, .now = now, .since = since, .clock_bits = 24};
    alarm(60);
    (void)sigsetjmp(reset_point, 1);
    rl_validate_serve(&model, &board);
}

// ---- the host

struct line {
    pid_t firmware;
    struct rl_port port;
    struct rl_session session;
};

static void connect_to(struct line *line, uint32_t crc)
{
    static char path[128];
    line_end = posix_openpt(O_RDWR | O_NOCTTY);
    assert_true(line_end >= 0 && grantpt(line_end) == 0 && unlockpt(line_end) == 0);
    snprintf(path, sizeof path, "%s", ptsname(line_end));
    memset(line, 0, sizeof *line);
    assert_int_equal(rl_port_open(&line->port, path, 115200), 0); // raw before a byte of the firmware is echoed
    line->firmware = fork();
    if (line->firmware == 0) {
        close(line->port.descriptor);
        be_firmware(crc);
    }
    close(line_end);
    line->session.port = &line->port;
    line->session.path = "line";
    line->session.timeout = TIMEOUT;
}

static void hang_up(struct line *line)
{
    rl_port_close(&line->port);
    kill(line->firmware, SIGKILL);
    waitpid(line->firmware, NULL, 0);
}

static void fill(uint8_t *bytes, size_t count, unsigned seed)
{
    for (size_t i = 0; i < count; i++) {
        bytes[i] = (uint8_t)(i * 7 + seed); // with zeros among them
    }
}

// Two inferences; `wrong` is told if a byte of what came is not what the model gives.
static enum rl_session_status converse(struct rl_session *s, bool *wrong)
{
    uint8_t a[FIRST_BYTES], b[SECOND_BYTES], c[OUTPUT_BYTES] = {0};
    struct rl_session_run run = {0};
    enum rl_session_status status = rl_session_start(s);
    *wrong = false;
    if (status == RL_SESSION_OK) {
        status = rl_session_expect(s, "tiny.pte", PROGRAM_BYTES, program_crc);
    }
    for (unsigned sample = 0; sample < 2 && status == RL_SESSION_OK; sample++) {
        fill(a, sizeof a, sample);
        fill(b, sizeof b, 3 * sample);
        s->activity = "while it works";
        status = rl_session_set_input(s, 0, a, sizeof a);
        if (status == RL_SESSION_OK) {
            status = rl_session_set_input(s, 1, b, sizeof b);
        }
        if (status == RL_SESSION_OK) {
            status = rl_session_run(s, sample == 0, &run);
            *wrong |= status == RL_SESSION_OK && run.refused != refused;
        }
        if (status == RL_SESSION_OK) {
            status = rl_session_get_output(s, 0, c, sizeof c);
        }
        uint8_t sum = (uint8_t)sample;
        for (int i = 0; i < FIRST_BYTES; i++) {
            sum = (uint8_t)(sum + a[i]);
        }
        for (int i = 0; i < OUTPUT_BYTES && status == RL_SESSION_OK; i++) {
            *wrong |= c[i] != (b[i] ^ sum);
        }
        *wrong |= status == RL_SESSION_OK && (run.cycles != 1007 || run.stack != rl_run_stack_unknown);
    }
    return status;
}

static enum rl_session_status try(enum fault kind, bool to, long place, struct line *line)
{
    bool wrong;
    fault = kind;
    on_way_to_firmware = to;
    fault_place = place;
    connect_to(line, program_crc);
    const enum rl_session_status status = converse(&line->session, &wrong);
    hang_up(line);
    if (wrong) {
        fail_msg("fault %d at byte %ld: wrong bytes were taken for right ones", (int)kind, place);
    }
    return status;
}

static void a_good_line_gives_what_the_model_gives(void **unused)
{
    (void)unused;
    struct line line;
    assert_int_equal(try(FAULT_NONE, false, 0, &line), RL_SESSION_OK);
    assert_string_equal(line.session.firmware.name, "tiny");
    assert_int_equal(line.session.firmware.input_bytes, FIRST_BYTES + SECOND_BYTES);
    assert_int_equal(line.session.firmware.output_bytes, OUTPUT_BYTES);
    assert_int_equal(line.session.firmware.clock_bits, 24);
}

// Where the session has begun: two HELLOs of 14 bytes, because the first one meets the start of the firmware; BOOT and
// two answers. Before, another HELLO repairs all. Each inference has 387 bytes to and 306 from the firmware.
enum { HELLO_TO = 2 * 14, HELLO_FROM = 9 + 2 * 42, LAST_TO = 28 + 2 * 387, LAST_FROM = 93 + 2 * 306 - 1 };
enum { DENSE = 20, STEP = 13 };

static void sweep(enum fault kind, bool to, enum rl_session_status expected, const char *sentence)
{
    const long first_place = to ? HELLO_TO : HELLO_FROM, last = to ? LAST_TO : LAST_FROM;
    struct line line;
    for (long place = 0; place < first_place; place++) {
        const enum rl_session_status status = try(kind, to, place, &line);
        if (status != RL_SESSION_OK && status != expected) {
            fail_msg("fault %d at byte %ld, before the session: status %d, %s", (int)kind, place, (int)status,
                     line.session.message);
        }
    }
    for (long place = first_place; place < last; place += place < first_place + DENSE ? 1 : STEP) {
        const enum rl_session_status status = try(kind, to, place, &line);
        if (status != expected || !strstr(line.session.message, sentence)) {
            fail_msg("fault %d at byte %ld %s the firmware: status %d, %s", (int)kind, place, to ? "to" : "from",
                     (int)status, line.session.message);
        }
    }
}

static void a_lost_byte_is_told(void **unused)
{
    (void)unused;
    sweep(FAULT_DROP, true, RL_SESSION_DAMAGED, "bytes were lost, added or changed on the line while it works");
    sweep(FAULT_DROP, false, RL_SESSION_DAMAGED, "bytes were lost, added or changed on the line while it works");
}

static void a_changed_byte_is_told(void **unused)
{
    (void)unused;
    sweep(FAULT_FLIP, true, RL_SESSION_DAMAGED, "bytes were lost, added or changed");
    sweep(FAULT_FLIP, false, RL_SESSION_DAMAGED, "bytes were lost, added or changed");
}

static void a_doubled_byte_is_told(void **unused)
{
    (void)unused;
    sweep(FAULT_DOUBLE, true, RL_SESSION_DAMAGED, "bytes were lost, added or changed");
    sweep(FAULT_DOUBLE, false, RL_SESSION_DAMAGED, "bytes were lost, added or changed");
}

static void a_reset_is_told(void **unused)
{
    (void)unused;
    sweep(FAULT_RESET, true, RL_SESSION_RESTARTED, "the firmware restarted while it works");
    sweep(FAULT_RESET, false, RL_SESSION_RESTARTED, "the firmware restarted while it works");
}

static void silence_is_told(void **unused)
{
    (void)unused;
    struct line line;
    assert_int_equal(try(FAULT_HANG, true, 100, &line), RL_SESSION_SILENT);
    assert_non_null(strstr(line.session.message, "did not answer within 0.5 seconds while it works"));
    assert_int_equal(try(FAULT_HANG, true, 0, &line), RL_SESSION_SILENT);
    assert_non_null(strstr(line.session.message, "no firmware with 'validate' answered"));
    is_slow = true;
    assert_int_equal(try(FAULT_NONE, true, 0, &line), RL_SESSION_SILENT);
    assert_non_null(strstr(line.session.message, "took longer than 0.5 seconds"));
    is_slow = false;
}

static void another_model_is_told(void **unused)
{
    (void)unused;
    struct line line;
    bool wrong;
    fault = FAULT_NONE;
    connect_to(&line, program_crc + 1);
    assert_int_equal(converse(&line.session, &wrong), RL_SESSION_WRONG);
    assert_non_null(strstr(line.session.message, "wrong firmware: its model 'tiny'"));
    hang_up(&line);
}

// A request that the model cannot serve is refused, and nothing outside its tensors is touched.
static void nothing_outside_the_tensors_is_reached(void **unused)
{
    (void)unused;
    struct line line;
    uint8_t bytes[SECOND_BYTES + 1] = {0};
    fault = FAULT_NONE;
    connect_to(&line, program_crc);
    assert_int_equal(rl_session_start(&line.session), RL_SESSION_OK);
    assert_int_equal(rl_session_set_input(&line.session, 1, bytes, SECOND_BYTES), RL_SESSION_OK);
    assert_int_equal(rl_session_set_input(&line.session, 1, bytes, SECOND_BYTES + 1), RL_SESSION_WRONG);
    assert_int_equal(rl_session_set_input(&line.session, 2, bytes, 1), RL_SESSION_WRONG);
    assert_int_equal(rl_session_get_output(&line.session, 0, bytes, OUTPUT_BYTES + 1), RL_SESSION_WRONG);
    assert_int_equal(rl_session_get_output(&line.session, 0xFFFF, bytes, 1), RL_SESSION_WRONG);
    assert_int_equal(rl_session_get_output(&line.session, 0, bytes, OUTPUT_BYTES), RL_SESSION_OK);
    hang_up(&line);
}

static void the_end_of_the_other_side_is_told(void **unused)
{
    (void)unused;
    struct line line;
    uint8_t byte = 0;
    fault = FAULT_NONE;
    connect_to(&line, program_crc);
    assert_int_equal(rl_session_start(&line.session), RL_SESSION_OK);
    kill(line.firmware, SIGKILL);
    waitpid(line.firmware, NULL, 0);
    assert_int_equal(rl_session_set_input(&line.session, 0, &byte, 1), RL_SESSION_CLOSED);
    rl_port_close(&line.port);
}

static void only_terminals_are_ports(void **unused)
{
    (void)unused;
    struct rl_port port = {0};
    assert_int_equal(rl_port_open(&port, "/dev/null", 115200), ENOTTY);
    assert_int_equal(rl_port_open(&port, "/nowhere", 115200), ENOENT);
    assert_int_equal(rl_port_open(&port, "/dev/null", 12345), EDOM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_good_line_gives_what_the_model_gives),
        cmocka_unit_test(a_lost_byte_is_told),
        cmocka_unit_test(a_changed_byte_is_told),
        cmocka_unit_test(a_doubled_byte_is_told),
        cmocka_unit_test(a_reset_is_told),
        cmocka_unit_test(silence_is_told),
        cmocka_unit_test(another_model_is_told),
        cmocka_unit_test(nothing_outside_the_tensors_is_reached),
        cmocka_unit_test(the_end_of_the_other_side_is_told),
        cmocka_unit_test(only_terminals_are_ports),
    };
    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
