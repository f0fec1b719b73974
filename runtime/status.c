// SPDX-License-Identifier: Apache-2.0
#include "rushlight/status.h"

#include "runtime/internal.h"

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

enum rl_status rl_call_fail(struct rl_call *call, uint32_t argument, enum rl_status status, const char *message)
{
    if (call->status != RL_OK) {
        return call->status;
    }
    struct rl_error *error = &call->method->error;
    rl_record(error, status, message, 0);
    error->operator_name = call->kernel->name;
    error->instruction = (int32_t)call->instruction;
    error->argument = (int32_t)argument;
    error->value = rl_call_value(call, argument);
    call->status = status;
    return status;
}
