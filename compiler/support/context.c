// SPDX-License-Identifier: Apache-2.0
#include "compiler/support/context.h"

#include <stdio.h>

enum rl_status rl_fail(struct rl_context *context, enum rl_status status, const char *format, ...)
{
    if (context->message[0] == '\0') {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(context->message, sizeof context->message, format, arguments);
        va_end(arguments);
    }
    return status;
}

void rl_log(struct rl_context *context, enum rl_log_level level, const char *format, ...)
{
    if (!context->log) {
        return;
    }
    char message[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    context->log(context->user, level, message);
}

struct rl_context rl_context_apart(const struct rl_context *context)
{
    struct rl_context apart = *context;
    apart.message[0] = '\0';
    apart.log = NULL;
    apart.user = NULL;
    return apart;
}

enum rl_status rl_check_cancelled(struct rl_context *context)
{
    const bool goes_on = !context->is_cancelled || !atomic_load_explicit(context->is_cancelled, memory_order_relaxed);
    return goes_on ? RL_OK : rl_fail(context, RL_ERROR_UNSUPPORTED, "cancelled");
}
