// SPDX-License-Identifier: Apache-2.0
//
// The committed digits model, and what tests of the command line do with it.
#ifndef RL_TESTS_CLI_DIGITS_H
#define RL_TESTS_CLI_DIGITS_H

#include <jansson.h>

#define MODEL       RL_FIXTURES "/digits/digits.pt2"
#define CALIBRATION RL_FIXTURES "/digits/calibration.npz"
#define TEST_DATA   RL_FIXTURES "/digits/test.npz"

// Compiles the model to `output`, quantized, with one more option and its value or NULL. What --json says; to be
// released.
json_t *compile(const char *output, const char *option, const char *value);

// The same with the stock quantizer, which chooses the same scales whatever the type of inputs and outputs.
json_t *compile_stock(const char *output, const char *option, const char *value);

// A number of a JSON object, which must have it.
json_int_t integer(const json_t *object, const char *key);
double number(const json_t *object, const char *key);

#endif
