// SPDX-License-Identifier: Apache-2.0
//
// A program on the host beside the firmware that was made of it.
#ifndef RL_CLI_VALIDATE_H
#define RL_CLI_VALIDATE_H

#include "boards/serial/session.h"
#include "cli/execution.h"
#include "compiler/targets/board.h"

// What differs in one output, over all samples.
struct rl_cli_difference {
    uint32_t bytes; // of one sample
    int64_t samples, differing_bytes;
    // The first byte that differs.
    int64_t first_sample;
    uint32_t first_byte;
    uint8_t on_host, on_firmware;
};

struct rl_cli_validation {
    int64_t sample_count;
    int output_count;
    struct rl_cli_difference *outputs;
    uint32_t *cycles; // by sample
    uint32_t stack;   // the deepest, or rl_run_stack_unknown
    int64_t refused_samples;
    uint32_t refused;      // of the first of them: enum rl_status + 256 * the instruction
    int64_t first_refused; // that sample
    bool is_identical;
    uint8_t *answer; // room for the largest output
};

// What was asked for.
struct rl_cli_validate_request {
    const char *model, *firmware; // files; the latter is NULL with --port
    const char *port, *core;      // one of them
    const char *place;            // the port, or "emulated cortex-m4", for messages
    const struct rl_board *board; // of --board, whose core's cycles are modelled; NULL: not given
    int64_t baud, timeout, sequence;
};

// What came of it.
struct rl_cli_validate_outcome {
    struct rl_session session;
    struct rl_cli_validation validation;
    const struct rl_host_files *files; // the program
    enum rl_session_status status;
    enum rl_status on_host;
    json_t *modelled; // the report of profile on the core that is known; NULL: none is
    char why[512];    // the emulated firmware ended
    bool has_started;
};

// The report of --json, and the text.
json_t *rl_cli_validate_json(struct rl_cli *cli, const struct rl_cli_validate_request *request,
                             const struct rl_cli_validate_outcome *outcome, const char *verdict);
void rl_cli_validate_print(struct rl_cli *cli, const struct rl_cli_validate_request *request,
                           const struct rl_cli_validate_outcome *outcome);

// The samples of --input, or the cases of the bundle, or else made-up ones.
enum rl_status rl_cli_validation_samples(struct rl_cli *cli, struct rl_cli_program *program,
                                         struct rl_dataset *samples);

// Sizes and memory for that.
enum rl_status rl_cli_prepare_validation(struct rl_cli *cli, const struct rl_cli_program *program,
                                         const struct rl_dataset *samples, struct rl_cli_validation *validation);

// Runs all samples on both and compares the outputs, as they lie in memory. Takes no memory of the arena. Errors of the
// host are left in the context, and then *on_host is not RL_OK; those of the line are the result.
enum rl_session_status rl_cli_exchange(struct rl_cli *cli, struct rl_cli_program *program,
                                       const struct rl_dataset *samples, struct rl_session *session,
                                       struct rl_cli_validation *validation, enum rl_status *on_host);

#endif
