// SPDX-License-Identifier: Apache-2.0
//
// Records of errors.
#ifndef RL_RUNTIME_ERROR_H
#define RL_RUNTIME_ERROR_H

#include <stddef.h>

#include "rushlight/status.h"

// Fills in `error` (may be NULL) and returns `status`. A message of NULL means "", and takes less code to pass.
enum rl_status rl_record(struct rl_error *error, enum rl_status status, const char *message, uint32_t offset);

static inline enum rl_status rl_report(struct rl_error *error, enum rl_status status, const char *message,
                                       uint32_t offset)
{
    return rl_record(error, status, RL_MESSAGES ? message : NULL, offset);
}

#endif
