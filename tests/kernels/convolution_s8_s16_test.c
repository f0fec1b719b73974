// SPDX-License-Identifier: Apache-2.0
// Convolutions of int8 with int16 results against the definition: odd shapes, padding with the zero point, any scratch
// that is enough, biases folded or not, and scales that saturate.
#include "kernels/isa.h"
#include "reference_convolution.h"
#include "rushlight/kernels/convolution.h"

#include <string.h>

struct problem {
    struct reference_convolution shape;
    struct rl_convolution layer;
    const int8_t *input;
    int16_t *expected, *output;
};

// Windows, also on long lines, pixels under a stride, the whole image, and one pixel after the other.
static void random_shape(struct rl_case *c, struct reference_convolution *r)
{
    const int32_t kind = rl_random_in(c, 0, 5);
    reference_convolution_random(c, 7, kind == 0 ? 1 : 4, kind > 2 ? 2 : 1, r);
    if (kind == 0) {
        r->padding = (cmsis_nn_tile){0, 0};
        r->output.h = (r->input.h - 1) / r->stride.h + 1;
        r->output.w = (r->input.w - 1) / r->stride.w + 1;
    } else if (kind == 1) {
        r->padding = (cmsis_nn_tile){0, 0};
        r->dilation = (cmsis_nn_tile){1, 1};
        r->height = r->input.h, r->width = r->input.w;
        r->output.h = r->output.w = 1;
    }
    if (kind > 2 && rl_random_one_in(c, 3)) { // lines of more outputs than a loop takes at a time
        const int32_t more = rl_random_in(c, 20, 70);
        r->input.w += more * r->stride.w;
        r->output.w += more;
    }
    r->depth = r->input.c = rl_random_one_in(c, 4) ? rl_random_in(c, 1, 40) : rl_random_in(c, 1, 10);
    r->output.c = rl_random_one_in(c, 10) ? rl_random_in(c, 60, 140) : rl_random_in(c, 1, 12);
}

// The shifts of quantizers, and now and then those that saturate outputs, with shifts to the left.
static void random_scales(struct rl_case *c, struct rl_convolution *layer)
{
    const size_t channels = (size_t)layer->output.c;
    const int32_t most = rl_random_one_in(c, 6) ? 2 : -3;
    layer->scales.multiplier = rl_case_s32(c, channels, 1 << 30, INT32_MAX);
    layer->scales.shift = rl_case_s32(c, channels, -12, most);
    layer->bias = rl_random_one_in(c, 4) ? NULL : rl_case_s32(c, channels, -200000, 200000);
}

static void expect_of(struct rl_case *c, struct problem *p, const int8_t *weights, size_t count)
{
    struct reference_convolution *r = &p->shape;
    const struct rl_convolution *layer = &p->layer;
    const size_t outputs = rl_elements(&r->output), inputs = rl_elements(&r->input);
    int32_t *values = rl_case_buffer(c, inputs * sizeof *values, 0);
    int64_t *sums = rl_case_buffer(c, outputs * sizeof *sums, 0);
    for (size_t i = 0; i < inputs; i++) {
        values[i] = p->input[i] + layer->input_offset;
    }
    r->values = values;
    r->weights = rl_case_widen_s8(c, weights, count, 0);
    reference_convolution_sums(r, sums);
    for (size_t i = 0; i < outputs; i++) {
        const size_t channel = i % (size_t)layer->output.c;
        const int64_t sum = sums[i] + (layer->bias ? layer->bias[channel] : 0);
        const int64_t scaled =
            rl_reference_requantize((int32_t)sum, layer->scales.multiplier[channel], layer->scales.shift[channel]);
        p->expected[i] =
            (int16_t)rl_reference_limited(scaled, (cmsis_nn_activation){layer->range.min, layer->range.max});
    }
}

static void prepare(struct rl_case *c, struct problem *p)
{
    struct reference_convolution *r = &p->shape;
    random_shape(c, r);
    const size_t weights = (size_t)(r->output.c * r->height * r->width * r->depth);
    reference_convolution_begin(c, r);
    const cmsis_nn_activation limits = rl_random_limits(c, INT16_MIN, INT16_MAX);
    const int8_t *filter = rl_case_s8(c, weights);
    p->input = rl_case_s8(c, rl_elements(&r->input));
    p->output = rl_case_s16(c, rl_elements(&r->output));
    p->expected = rl_case_s16(c, rl_elements(&r->output));
    p->layer = (struct rl_convolution){
        .type = RL_CONVOLUTION_S8_S16,
        .input = {r->input.n, r->input.h, r->input.w, r->input.c},
        .output = {r->output.n, r->output.h, r->output.w, r->output.c},
        .filter = {r->height, r->width},
        .stride = {r->stride.h, r->stride.w},
        .padding = {r->padding.h, r->padding.w},
        .dilation = {r->dilation.h, r->dilation.w},
        .groups = 1,
        .weights = filter,
        .input_offset = rl_random_in(c, -127, 128),
        .range = {limits.min, limits.max},
    };
    random_scales(c, &p->layer);
    expect_of(c, p, filter, weights);
    rl_case_expect(c, rl_convolution_prepare(&p->layer) == RL_OK, "a layer that can run");
}

// Whether the kernel wrote behind its patches, where a plan for DSP cores has room for all that it keeps.
static bool has_blocks(const struct rl_convolution *layer, const struct rl_scratch *scratch, const int8_t *before)
{
    const int32_t patches = layer->dense ? 0 : 3 * layer->least_scratch;
    return memcmp((const int8_t *)scratch->memory + patches, before + patches, (size_t)(scratch->bytes - patches)) != 0;
}

// The least, what is planned for this core or for all, or something between.
static void run(struct rl_case *c, const struct problem *p, const char *what)
{
    const struct rl_convolution *layer = &p->layer;
    const int32_t least = layer->least_scratch;
    const int32_t sizes[] = {least, rl_convolution_scratch(layer, RL_ISA_HERE),
                             rl_convolution_scratch(layer, RL_ISA_ANY), rl_random_in(c, least, least + 5000)};
    const int32_t bytes = sizes[rl_random_in(c, 0, 3)];
    rl_case_expect(c, sizes[1] >= least && sizes[2] >= sizes[1], "a plan has room for a run");
    const struct rl_scratch scratch = {bytes > 0 ? rl_case_scratch(c, bytes).buf : NULL, bytes};
    int8_t *before = rl_case_buffer(c, (size_t)bytes + 1, 0);
    if (bytes > 0) {
        memcpy(before, scratch.memory, (size_t)bytes);
    }
    memset(p->output, 0, rl_elements(&p->shape.output) * sizeof *p->output);
    rl_convolution_s8_s16_run(layer, p->input, p->output, scratch);
    if (RL_HAS_DSP && !RL_HAS_MVE && bytes == sizes[1]) {
        rl_case_expect(c, has_blocks(layer, &scratch, before), "blocks in the scratch");
    }
    rl_case_equal_s16(c, what, p->expected, p->output, rl_elements(&p->shape.output));
}

int main(void)
{
    static struct rl_case cases;
    struct rl_case *c = &cases;
    rl_test_start(c, "convolutions_of_int8_with_int16_results");
    for (int i = 0; i < 400; i++) {
        struct problem p;
        memset(&p, 0, sizeof p);
        prepare(c, &p);
        run(c, &p, "output");
        int32_t *folded = rl_case_s32(c, (size_t)p.layer.output.c, 0, 0);
        rl_convolution_fold(&p.layer, folded);
        p.layer.folded = folded;
        run(c, &p, "output, folded");
        rl_case_end(c);
    }
    rl_test_stop(c);
    return rl_test_finish(c);
}
