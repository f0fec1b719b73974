// SPDX-License-Identifier: Apache-2.0
//
// What verbs tell of a board and of its chip, in JSON. The manual page describes the keys.
#ifndef RL_CLI_BOARDS_H
#define RL_CLI_BOARDS_H

#include "cli/cli.h"
#include "compiler/targets/board.h"

// All that boards.def has of it: a new object.
json_t *rl_cli_board_json(const struct rl_board *board);

// What is not known of a board without a current.
#define RL_CLI_NO_ENERGY "energy: --power 10mW tells what the chip takes while it computes"

// What a chip takes: a new object, or null for NULL.
json_t *rl_cli_current_json(const struct rl_current *current);

#endif
