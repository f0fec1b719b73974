// SPDX-License-Identifier: Apache-2.0
//
// What the tests of whole models share.
#ifndef RL_TESTS_MODELS_MODEL_H
#define RL_TESTS_MODELS_MODEL_H

#include <jansson.h>
#include <stdbool.h>

#include "compiler/data/npz.h"

struct rl_model {
    const char *name;
    char pt2[512], calibration[512], data[512];
};

// A model of $RUSHLIGHT_SHARED/models; false, with a message, when it is not there.
bool rl_shared_model(const char *name, struct rl_model *model);

// The committed digits.
struct rl_model rl_digits_model(void);

// Compiles for any core and returns the report of compile --json; the caller releases it.
json_t *rl_compile_model(const char *program, const struct rl_model *model, const char *pte, const char *quantize);

// A .npz with the first `samples` samples of the model's data: of its array "input" or "image", else of all arrays.
const char *rl_first_samples(const struct rl_model *model, int samples);

// The names of the emulated cores, ended by NULL.
extern const char *const rl_emulated_cores[];

// Runs the program with these words, which name an emulated core. False, with a message that starts with `what`, when
// nothing can be emulated here.
bool rl_run_emulated(const char *what, const char *const *words);

// Runs the first samples on the host and on each emulated core and expects equal outputs. False when nothing could be
// emulated here, which a message explains.
bool rl_check_cores(const struct rl_model *model, int samples);

// The same with --quantize.
bool rl_check_quantized_cores(const struct rl_model *model, const char *quantize, int samples);

// Both arrays have the same type, and the same elements up to `limit`; a NaN equals nothing.
void rl_expect_array(const char *what, const struct rl_array *found, const struct rl_array *expected, double limit);

// The outputs in the .npz at `path` are those of the same names in `reference`, as rl_expect_array takes them.
void rl_expect_outputs(const char *what, const char *path, const char *reference, double limit);

json_int_t rl_count(const json_t *counts, const char *op);

// Ends a test that cannot run here, and remembers that there was one.
void rl_skip_test(void);

// Exit status of a test program: 77, which the collector lists as skipped, when nothing failed but something could not
// run.
int rl_models_exit(int failed_tests);

#endif
