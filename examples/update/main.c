// SPDX-License-Identifier: Apache-2.0
// A firmware whose program is replaced in the field. The one that it was built with runs until a better one comes.
// Updates come on the standard input of the emulator, each as four bytes with its length and the file; a real firmware
// gets them by radio or cable, and writes them to a sector of flash. After each update one inference is printed.
#include <stdio.h>
#include <string.h>

#include "semihosting.h"
#include "update.h"

enum { PIXELS = 64, CLASSES = 10, SLOT_BYTES = 32 * 1024 };

extern const uint8_t model[], model_end[];
extern const struct rl_registry operators;

// In place of two sectors of flash: an update is never written over the program that runs.
static _Alignas(RL_ALIGNMENT) uint8_t slots[2][SLOT_BYTES];
static _Alignas(RL_ALIGNMENT) uint8_t arena[8 * 1024];
static void *state[16];

static const struct interface image = {RL_FLOAT32, PIXELS * sizeof(float)};
static const struct interface scores = {RL_FLOAT32, CLASSES * sizeof(float)};
static const struct limits limits = {
    .operators = &operators,
    .arena = {arena, sizeof arena},
    .state = state,
    .state_bytes = sizeof state,
    .most_work = 2000000,
    .inputs = &image,
    .outputs = &scores,
    .input_count = 1,
    .output_count = 1,
};

struct file {
    const uint8_t *bytes;
    size_t size;
};

// Reads the next update to a slot. False at the end.
static bool receive(int32_t input, uint8_t *slot, struct file *update)
{
    uint8_t length[4];
    if (rl_semihosting_read(input, length, sizeof length) != 0) {
        return false;
    }
    const uint32_t announced = length[0] | (uint32_t)length[1] << 8 | (uint32_t)length[2] << 16;
    const size_t wanted = length[3] || announced > SLOT_BYTES ? SLOT_BYTES : announced;
    *update = (struct file){slot, wanted - rl_semihosting_read(input, slot, wanted)};
    return true;
}

static int infer(struct running *running)
{
    static const char drawing[] = "  +###   ++++##     ##     +##      +#+      ##   +++#+   +##+  ";
    float pixels[PIXELS], results[CLASSES];
    struct rl_tensor output;
    for (int i = 0; i < PIXELS; i++) {
        pixels[i] = drawing[i] == '#' ? 1.0F : 0.5F * (float)(drawing[i] == '+');
    }
    if (rl_method_set_input(&running->method, 0, pixels, sizeof pixels) || rl_method_execute(&running->method) ||
        rl_method_output(&running->method, 0, &output)) {
        printf("%s\n", running->method.error.message);
        return 1;
    }
    memcpy(results, output.data, sizeof results);
    printf("scores:");
    for (int i = 0; i < CLASSES; i++) {
        uint32_t bits;
        memcpy(&bits, &results[i], sizeof bits);
        printf(" %08lx", (unsigned long)bits);
    }
    printf("\n");
    return 0;
}

int main(void)
{
    static struct running running;
    struct file current = {model, (size_t)(model_end - model)}, update;
    const int32_t input = rl_semihosting_open(":tt", RL_SEMIHOSTING_READ);
    int next = 0;
    const char *refusal = start(&running, current.bytes, current.size, &limits);
    if (refusal) {
        printf("the program of the firmware: %s\n", refusal);
        return 1;
    }
    int status = infer(&running);
    while (status == 0 && receive(input, slots[next], &update)) {
        refusal = start(&running, update.bytes, update.size, &limits);
        printf("update of %u bytes: %s\n", (unsigned)update.size, refusal ? refusal : "accepted");
        if (refusal) {
            start(&running, current.bytes, current.size, &limits);
        } else {
            current = update;
            next = !next;
        }
        status = infer(&running);
    }
    return status;
}
