// SPDX-License-Identifier: Apache-2.0
//
// The models of operators_test.sh as C, all in one image, on the inputs of operators_runtime.c. models.inc, which the
// test writes, includes their headers and has a function for each, and the list of these. On a core no run may take
// more stack than its header says.
#include <stdbool.h>

#include "made_inputs.h"

struct part {
    void *data;
    size_t bytes;
    const char *type;
};

struct model {
    const char *name;
    int (*run)(void);
    void (*reset)(void);
    int input_count, output_count;
    size_t stack_bytes; // of its header
};

#if defined(__ARM_ARCH_PROFILE)
// The most bytes of stack below this function that a run wrote to, found from paint.
static __attribute__((noinline)) size_t run_on_paint(const struct model *model, int *status)
{
    enum { PAINTED = 16384 };
    volatile uint8_t *const here = __builtin_frame_address(0);
    volatile uint8_t *const end = here - PAINTED;
    for (volatile uint8_t *p = end; p < here - 64; p++) { // below this frame
        *p = 0xA5;
    }
    *status = model->run();
    size_t clean = 0;
    while (clean < PAINTED && end[clean] == 0xA5) {
        clean++;
    }
    return PAINTED - clean;
}
#else
static size_t run_on_paint(const struct model *model, int *status)
{
    *status = model->run();
    return 0;
}
#endif

static void check(const struct model *model, const struct part *inputs, const struct part *outputs)
{
    int status;
    uint32_t seed = 1;
    model->reset();
    for (int run = 0; run < RUNS; run++) {
        if (run == RUNS - 1) {
            model->reset();
        }
        for (int i = 0; i < model->input_count; i++) {
            make_input(inputs[i].data, inputs[i].bytes, inputs[i].type, run, &seed);
        }
        const size_t stack = run_on_paint(model, &status);
        if (stack > model->stack_bytes) {
            printf("%s takes %u bytes of stack, of %u\n", model->name, (unsigned)stack, (unsigned)model->stack_bytes);
        }
        if (status != 0) {
            printf("%s run %d refused: status %d, instruction %d\n", model->name, run, status % 256, status / 256);
            continue;
        }
        for (int i = 0; i < model->output_count; i++) {
            print_output(model->name, run, i, outputs[i].data, outputs[i].bytes);
        }
    }
}

#define TEXT(word)    TEXT_OF(word)
#define TEXT_OF(word) #word
#define PART(pointer, prefix)                                                                                          \
    {                                                                                                                  \
        (void *)(uintptr_t)(pointer), prefix##_COUNT * sizeof(prefix##_TYPE), TEXT(prefix##_TYPE)                      \
    }

#include "models.inc"

int main(void)
{
    for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++) {
        tests[i]();
    }
    return 0;
}
