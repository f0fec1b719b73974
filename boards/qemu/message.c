// SPDX-License-Identifier: Apache-2.0
#include "message.h"

#include <stdarg.h>
#include <stdio.h>

enum rl_emulation_status rl_emulation_fail(const struct rl_message *message, enum rl_emulation_status status,
                                           const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message->text, message->bytes, format, arguments);
    va_end(arguments);
    return status;
}
