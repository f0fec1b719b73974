// SPDX-License-Identifier: Apache-2.0
//
// A firmware on a serial port, or on an emulated core, beside the host: byte for byte.
#include "cli/validate.h"

#include <errno.h>
#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "boards/qemu/serve.h"
#include "cli/fit.h"
#include "cli/profile.h"
#include "format/crc.h"

enum { TROUBLE = 2, DAMAGED, RESTARTED, WRONG_FIRMWARE, NO_ANSWER }; // 1 says that outputs differ
enum { USUAL_BAUD = 115200, USUAL_TIMEOUT = 10 };

// ---- what is asked for

static bool is_folder(const char *path)
{
    struct stat information;
    return stat(path, &information) == 0 && S_ISDIR(information.st_mode);
}

// The folder that a file is in.
static const char *folder_of(struct rl_cli *cli, const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? rl_arena_format(cli->arena, "%.*s", (int)(slash - path) + 1, path) : ".";
}

// The firmware that a project's build has left.
static enum rl_status find_firmware(struct rl_cli *cli, const char *folder, const char **firmware)
{
    glob_t found;
    const char *pattern = rl_arena_format(cli->arena, "%s/build/*_validate.elf", folder);
    const int error = glob(pattern, GLOB_NOSORT, NULL, &found);
    const size_t count = error == 0 ? found.gl_pathc : 0;
    *firmware = count == 1 ? rl_arena_string(cli->arena, found.gl_pathv[0]) : NULL;
    if (error == 0) {
        globfree(&found);
    }
    return count == 1 ? RL_OK
                      : rl_fail(&cli->context, RL_ERROR_IO,
                                "%s: found %zu files, expected one; 'cmake -B build && cmake --build build' in the "
                                "project makes it, and --firmware FILE names another",
                                pattern, count);
}

static int read_baud(struct rl_cli *cli, int64_t *baud)
{
    const char *list = "";
    if (rl_cli_count_of(cli, "baud", "bits a second", USUAL_BAUD, baud) != RL_EXIT_DONE) {
        return RL_EXIT_USAGE;
    }
    for (size_t i = 0; rl_port_baud(i) != 0; i++) {
        if (rl_port_baud(i) == *baud) {
            return RL_EXIT_DONE;
        }
        list = rl_arena_format(cli->arena, "%s%s%" PRIu32, list, i > 0 ? ", " : "", rl_port_baud(i));
    }
    return rl_cli_usage_error(cli, "--baud: found %" PRId64 ", accepted: %s", *baud, list);
}

static int read_request(struct rl_cli *cli, struct rl_cli_validate_request *request)
{
    *request = (struct rl_cli_validate_request){.port = rl_cli_value(cli, "port", NULL)};
    if (rl_cli_given(cli, "port") == rl_cli_given(cli, "on")) {
        return rl_cli_usage_error(cli, "expected --port PORT or --on CORE, found %s",
                                  request->port ? "both" : "neither");
    }
    const char *board = rl_cli_value(cli, "board", NULL);
    if (board && !request->port) {
        return rl_cli_usage_error(cli, "--board goes with --port; the core of --on is known");
    }
    request->board = board ? rl_board_find(board) : NULL;
    if (board && !request->board) {
        return rl_cli_unknown_board(cli, board);
    }
    if (request->port && rl_cli_given(cli, "firmware")) {
        return rl_cli_usage_error(cli, "--firmware goes with --on CORE; on a port there is one already");
    }
    if (!request->port && (rl_cli_read_core(cli, &request->core) != RL_EXIT_DONE)) {
        return RL_EXIT_USAGE;
    }
    if (request->core && strcmp(request->core, "host") == 0) {
        return rl_cli_usage_error(cli, "--on: the host is what the firmware is compared with; expected a core");
    }
    request->place = request->core ? rl_arena_format(cli->arena, "emulated %s", request->core) : request->port;
    if (rl_cli_count_of(cli, "timeout", "seconds", USUAL_TIMEOUT, &request->timeout) != RL_EXIT_DONE ||
        rl_cli_sequence(cli, &request->sequence) != RL_EXIT_DONE || read_baud(cli, &request->baud) != RL_EXIT_DONE) {
        return RL_EXIT_USAGE;
    }
    return RL_EXIT_DONE;
}

// Files of a project, or a program in one.
static enum rl_status find_files(struct rl_cli *cli, struct rl_cli_validate_request *request)
{
    const char *given = cli->operands[0] ? cli->operands[0] : ".";
    const bool is_project = is_folder(given);
    request->model = is_project ? rl_arena_format(cli->arena, "%s/model.pte", given) : given;
    request->firmware = rl_cli_value(cli, "firmware", NULL);
    if (request->port || request->firmware) {
        return RL_OK;
    }
    return find_firmware(cli, is_project ? given : folder_of(cli, given), &request->firmware);
}

// ---- the firmware

struct watch {
    struct rl_cli *cli;
    struct rl_served_firmware *served; // NULL: on a port
};

static bool goes_on(void *user)
{
    const struct watch *watch = user;
    return rl_check_cancelled(&watch->cli->context) == RL_OK && (!watch->served || rl_serve_goes_on(watch->served));
}

// All that is said to the firmware on an open port.
static void talk(struct rl_cli *cli, struct rl_cli_program *program, const struct rl_dataset *samples,
                 struct rl_cli_validate_outcome *outcome)
{
    struct rl_session *session = &outcome->session;
    const uint32_t bytes = (uint32_t)program->files.program_size;
    outcome->status = rl_session_start(session);
    outcome->has_started = outcome->status == RL_SESSION_OK;
    if (outcome->status == RL_SESSION_OK) {
        outcome->status =
            rl_session_expect(session, program->path, bytes, ~rl_crc_add(UINT32_MAX, program->files.program, bytes));
    }
    if (outcome->status == RL_SESSION_OK) {
        outcome->status = rl_cli_exchange(cli, program, samples, session, &outcome->validation, &outcome->on_host);
    }
}

static enum rl_status talk_on(struct rl_cli *cli, const struct rl_cli_validate_request *request, const char *path,
                              struct rl_served_firmware *served, struct rl_cli_program *program,
                              const struct rl_dataset *samples, struct rl_cli_validate_outcome *outcome)
{
    struct watch watch = {cli, served};
    struct rl_port port = {.goes_on = goes_on, .user = &watch};
    const int error = rl_port_open(&port, path, (uint32_t)request->baud);
    if (error) {
        return rl_fail(&cli->context, RL_ERROR_IO, "%s: %s", path,
                       error == ENOTTY ? "is not a serial port" : strerror(error));
    }
    outcome->session.port = &port;
    outcome->session.path = request->place;
    outcome->session.timeout = (unsigned)request->timeout * 1000;
    talk(cli, program, samples, outcome);
    rl_port_close(&port);
    return RL_OK;
}

static enum rl_status meet(struct rl_cli *cli, const struct rl_cli_validate_request *request,
                           struct rl_cli_program *program, const struct rl_dataset *samples,
                           struct rl_cli_validate_outcome *outcome)
{
    struct rl_served_firmware *served;
    char message[768];
    if (request->port) {
        return talk_on(cli, request, request->port, NULL, program, samples, outcome);
    }
    if (rl_serve_start(request->core, request->firmware, &served, message, sizeof message) != RL_EMULATION_OK) {
        return rl_fail(&cli->context, RL_ERROR_KERNEL, "%s", message);
    }
    const enum rl_status status = talk_on(cli, request, rl_serve_port(served), served, program, samples, outcome);
    rl_serve_end(served, outcome->status == RL_SESSION_CLOSED, outcome->why, sizeof outcome->why);
    return status;
}

// What the cycle model says of the program on the core, as far as that is known. Without a model there is none.
static json_t *model_cycles(struct rl_cli *cli, const struct rl_cli_validate_request *request,
                            const struct rl_cli_validate_outcome *outcome)
{
    struct rl_cli_room room = {0};
    const struct rl_cli_profile_settings settings = {0};
    const char *core = request->core;
    if (request->board) {
        rl_cli_set_board(&room, request->board);
        rl_cli_set_core(&room, room.core);
        core = room.measured_on;
    }
    json_t *modelled = core && outcome->status == RL_SESSION_OK && outcome->on_host == RL_OK
                           ? rl_cli_profile_program(cli, request->model, core, &settings)
                           : NULL;
    if (modelled && !json_is_integer(json_object_get(modelled, "cycles"))) {
        json_decref(modelled);
        return NULL;
    }
    return modelled;
}

// ---- the result

static const struct {
    const char *verdict;
    int exit;
} meanings[] = {
    [RL_SESSION_OK] = {"identical", RL_EXIT_DONE},     [RL_SESSION_DAMAGED] = {"damaged", DAMAGED},
    [RL_SESSION_RESTARTED] = {"restarted", RESTARTED}, [RL_SESSION_WRONG] = {"wrong firmware", WRONG_FIRMWARE},
    [RL_SESSION_SILENT] = {"no answer", NO_ANSWER},    [RL_SESSION_CLOSED] = {"no answer", NO_ANSWER},
    [RL_SESSION_STOPPED] = {"stopped", TROUBLE},
};

static int show(struct rl_cli *cli, const struct rl_cli_validate_request *request,
                struct rl_cli_validate_outcome *outcome)
{
    const bool is_complete = outcome->status == RL_SESSION_OK;
    const bool differs = is_complete && !outcome->validation.is_identical;
    if (!is_complete && outcome->why[0]) { // the reason of what the session saw
        outcome->status = RL_SESSION_CLOSED;
        snprintf(outcome->session.message, sizeof outcome->session.message, "%s: %.400s", request->place, outcome->why);
    }
    const char *verdict = differs ? "different" : meanings[outcome->status].verdict;
    const int status = differs ? RL_EXIT_FAILED : meanings[outcome->status].exit;
    if (rl_cli_given(cli, "json")) {
        rl_cli_print_json(cli, rl_cli_validate_json(cli, request, outcome, verdict));
    } else if (is_complete) {
        rl_cli_validate_print(cli, request, outcome);
    }
    if (!is_complete) {
        (void)rl_fail(&cli->context, RL_ERROR_IO, "%s", outcome->session.message);
        (void)rl_cli_failed(cli);
    }
    return status;
}

static int run(struct rl_cli *cli)
{
    struct rl_cli_validate_request request;
    struct rl_cli_program program;
    struct rl_dataset samples;
    struct rl_cli_validate_outcome outcome = {.on_host = RL_OK};

    if (read_request(cli, &request) != RL_EXIT_DONE) {
        return RL_EXIT_USAGE;
    }
    enum rl_status status = find_files(cli, &request);
    if (status == RL_OK) {
        status = rl_cli_open_program(cli, request.model, NULL, NULL, &program);
    }
    if (status == RL_OK) {
        status = rl_cli_validation_samples(cli, &program, &samples);
    }
    if (status == RL_OK) {
        samples.sequence = rl_cli_given(cli, "sequence") ? request.sequence : samples.sequence;
        status = rl_cli_prepare_validation(cli, &program, &samples, &outcome.validation);
    }
    if (status == RL_OK) {
        status = meet(cli, &request, &program, &samples, &outcome);
    }
    if (status != RL_OK || outcome.on_host != RL_OK) {
        return rl_cli_failed(cli);
    }
    outcome.files = &program.files;
    outcome.modelled = model_cycles(cli, &request, &outcome);
    const int result = show(cli, &request, &outcome);
    json_decref(outcome.modelled);
    return result;
}

static const struct rl_cli_option option_table[] = {
    {"port", 0, "PORT", false, "a serial port: /dev/ttyACM0"},
    {"on", 0, "CORE", false, "an emulated core, in place of --port"},
    {"board", 0, "BOARD", false,
     "with --port: shows the cycles that are modelled for this board beside the measured ones"},
    {"firmware", 0, "FILE.elf", false, "what the emulated core runs; build/*_validate.elf of the project"},
    {"baud", 0, "RATE", false, "bits a second of the port (115200)"},
    {"timeout", 0, "SECONDS", false, "that each answer may take (10)"},
    {"input", 0, "DATA", true, "as of run; else the cases of a .bpte, or four samples of random numbers"},
#include "cli/preparation.def"
    {"sequence", 0, "N", false, "with state: each N samples are a sequence, which starts anew; all are one"},
    {"require-checksum", 0, NULL, false, "refuse a program without a checksum"},
    {"max-unpacked", 0, "BYTES", false, "what a .npz or image may unfold to; 32 times the file, 128M at least"},
    {"json", 0, NULL, false, "print one JSON object"},
    {0},
};

static void print_more_help(void)
{
    puts("Exit status: 0 identical, 1 outputs differ, 2 error, 3 bytes were lost on the line, 4 the firmware\n"
         "restarted, 5 a firmware of another model or protocol, 6 no answer.");
}

const struct rl_cli_verb rl_cli_validate = {
    .name = "validate",
    .operands = "[PROJECT|MODEL.pte]",
    .optional_operand_count = 1,
    .summary = "compare a firmware on a serial port, or on an emulated core, with the host",
    .options = option_table,
    .print_more_help = print_more_help,
    .failure = TROUBLE,
    .run = run,
};
