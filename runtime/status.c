// SPDX-License-Identifier: Apache-2.0
//
// Sentences of statuses, and records of errors.
#include "rushlight/status.h"

#include "runtime/error.h"

#define RL_STATUS_SENTENCE(name, sentence) sentence,
static const char *const sentences[] = {RL_STATUS_LIST(RL_STATUS_SENTENCE)};

const char *rl_status_text(enum rl_status status)
{
    return (unsigned)status < sizeof sentences / sizeof sentences[0] ? sentences[status] : "unknown status";
}

enum rl_status rl_record(struct rl_error *error, enum rl_status status, const char *message, uint32_t offset)
{
    if (error) {
        *error = (struct rl_error){.status = status,
                                   .message = message ? message : "",
                                   .instruction = -1,
                                   .argument = -1,
                                   .value = -1,
                                   .offset = offset};
    }
    return status;
}
