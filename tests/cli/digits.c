// SPDX-License-Identifier: Apache-2.0
#include "cli/digits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/process.h"

json_t *compile(const char *output, const char *option, const char *value)
{
    const char *words[] = {"compile",  MODEL, "-o",     output, "--calibrate", CALIBRATION,
                           "--target", "any", "--json", option, value,         NULL};

    return rl_process_json(rl_program_under_test(), words);
}

json_t *compile_stock(const char *output, const char *option, const char *value)
{
    const char *words[] = {"compile", MODEL,    "-o",          output,  "--calibrate", CALIBRATION, "--target",
                           "any",     "--json", "--quantizer", "stock", option,        value,       NULL};

    return rl_process_json(rl_program_under_test(), words);
}

json_int_t integer(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);

    if (!json_is_integer(value)) {
        fail_msg("'%s' is missing or no integer", key);
    }
    return json_integer_value(value);
}

double number(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);

    if (!json_is_number(value)) {
        fail_msg("'%s' is missing or no number", key);
    }
    return json_number_value(value);
}
