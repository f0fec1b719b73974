// SPDX-License-Identifier: Apache-2.0
//
// What verbs tell of a board and of its chip, in JSON. The manual page describes the keys.
#ifndef RL_CLI_BOARDS_H
#define RL_CLI_BOARDS_H

#include "cli/cli.h"
#include "compiler/targets/board.h"

// All that boards.def has of it: a new object.
json_t *rl_cli_board_json(const struct rl_board *board);

// Unless the power is given (above 0), sets it to what the board's chip takes at the clock, and returns the current
// from which it follows. NULL, and nothing is set, without a board or where its current is not known.
const struct rl_current *rl_cli_board_power(const struct rl_board *board, double hertz, double *watts);

// What is not known of a board without a current.
#define RL_CLI_NO_ENERGY "energy: --power 10mW tells what the chip takes while it computes"

// What a chip takes: a new object, or null for NULL.
json_t *rl_cli_current_json(const struct rl_current *current);

#endif
