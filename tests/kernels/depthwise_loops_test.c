// SPDX-License-Identifier: Apache-2.0
// The functions of one kind of loops for depthwise layers: the bytes of the function with all loops, for every layer
// that rl_depthwise_loops gives them, whatever core it was asked for. Planes do nothing for a filter that they do not
// take, so outputs are wrong where rl_depthwise_loops promises too much.
#include "rushlight/kernels/depthwise.h"
#include "support/kernel_test.h"

#include <string.h>

// What a layer was found to be, so that the test cannot pass without cases.
struct found {
    int planes, points, windows, others;
};

static int32_t outputs_of(struct rl_case *c, int32_t input, int32_t padding, int32_t filter, int32_t dilation,
                          int32_t stride)
{
    const int32_t room = input + padding + rl_random_in(c, 0, 3) - (filter - 1) * dilation - 1;
    return room < 0 ? 1 : room / stride + 1;
}

static int32_t random_extent(struct rl_case *c, int32_t most)
{
    return rl_random_one_in(c, 3) ? 1 : rl_random_in(c, 1, most);
}

static struct rl_depthwise random_layer(struct rl_case *c)
{
    const bool is_square = rl_random_one_in(c, 2);
    const int32_t taps = rl_random_in(c, 1, 8), stride = rl_random_in(c, 1, 3),
                  dilation = rl_random_one_in(c, 4) ? 2 : 1;
    struct rl_depthwise d = {
        .input = {rl_random_in(c, 1, 2), random_extent(c, 14), random_extent(c, 25), rl_random_in(c, 1, 20)},
        .filter = {taps, is_square ? taps : rl_random_in(c, 1, 8)},
        .stride = {stride, is_square ? stride : rl_random_in(c, 1, 3)},
        .padding = {rl_random_in(c, 0, 3), rl_random_in(c, 0, 3)},
        .dilation = {dilation, dilation > 1 ? random_extent(c, 3) : 1},
        .multiplier = rl_random_one_in(c, 4) ? rl_random_in(c, 2, 5) : 1,
        .input_offset = rl_random_extreme(c, -127, 128),
        .output_offset = rl_random_extreme(c, -128, 127),
        .range = {-128, 127},
    };
    if (rl_random_one_in(c, 3)) {
        d.range = (struct rl_range){rl_random_in(c, -128, 0), rl_random_in(c, 0, 127)};
    }
    d.output = (struct rl_image){d.input.n, outputs_of(c, d.input.h, d.padding.h, d.filter.h, d.dilation.h, d.stride.h),
                                 outputs_of(c, d.input.w, d.padding.w, d.filter.w, d.dilation.w, d.stride.w),
                                 d.input.c * d.multiplier};
    return d;
}

static void random_constants(struct rl_case *c, struct rl_depthwise *d)
{
    const size_t channels = (size_t)d->output.c;
    int32_t *multiplier = rl_case_s32(c, channels, 0, 0), *shift = rl_case_s32(c, channels, 0, 0);
    const bool is_usual = !rl_random_one_in(c, 4);
    const int32_t most = rl_random_one_in(c, 8) ? INT32_C(1) << 29 : 20000;
    for (size_t i = 0; i < channels; i++) {
        rl_random_scale(c, &multiplier[i], &shift[i]);
        shift[i] = is_usual && (shift[i] >= 0 || shift[i] < -22) ? -1 - (shift[i] & 15) : shift[i];
    }
    d->scales = (struct rl_scales){multiplier, shift};
    d->bias = rl_random_one_in(c, 4) ? NULL : rl_case_s32(c, channels, -most, most);
    d->weights = rl_case_s8(c, (size_t)(d->filter.h * d->filter.w) * channels);
}

typedef void depthwise_function(const struct rl_depthwise *layer, const int8_t *input, int8_t *output,
                                struct rl_scratch scratch);

static void compare(struct rl_case *c, const struct rl_depthwise *d, const int8_t *input, const int8_t *expected,
                    depthwise_function *function, const char *what)
{
    const size_t count = (size_t)d->output.n * (size_t)(d->output.h * d->output.w * d->output.c);
    const int32_t bytes = rl_random_one_in(c, 2) ? 0 : rl_depthwise_scratch(d, RL_ISA_ANY);
    const struct rl_scratch scratch = {bytes == 0 ? NULL : rl_case_scratch(c, bytes).buf, bytes};
    int8_t *output = rl_case_s8(c, count);
    for (size_t i = 0; i < count; i++) {
        output[i] = (int8_t)(expected[i] ^ 0x55);
    }
    function(d, input, output, scratch);
    rl_case_equal_s8(c, what, expected, output, count);
}

static void check(struct rl_case *c, struct found *found)
{
    struct rl_depthwise d = random_layer(c);
    rl_case_begin(c, "in %ldx%ldx%ldx%ld multiplier %ld filter %ldx%ld out %ldx%ld stride %ld,%ld dilation %ld,%ld",
                  (long)d.input.n, (long)d.input.h, (long)d.input.w, (long)d.input.c, (long)d.multiplier,
                  (long)d.filter.h, (long)d.filter.w, (long)d.output.h, (long)d.output.w, (long)d.stride.h,
                  (long)d.stride.w, (long)d.dilation.h, (long)d.dilation.w);
    random_constants(c, &d);
    const int8_t *input = rl_case_s8(c, (size_t)d.input.n * (size_t)(d.input.h * d.input.w * d.input.c));
    int8_t *expected = rl_case_s8(c, (size_t)d.output.n * (size_t)(d.output.h * d.output.w * d.output.c));
    rl_case_expect(c, rl_depthwise_prepare(&d) == RL_OK, "a layer that can run");
    rl_depthwise_run(&d, input, expected, (struct rl_scratch){NULL, 0});
    compare(c, &d, input, expected, rl_depthwise_windows_run, "windows of any layer");
    rl_case_expect(c, rl_depthwise_loops(&d, RL_ISA_ANY) == RL_DEPTHWISE_ALL_LOOPS, "all loops for all cores");
    for (int isa = RL_ISA_SCALAR; isa <= RL_ISA_MVE; isa++) {
        const enum rl_depthwise_loops loops = rl_depthwise_loops(&d, (enum rl_isa)isa);
        rl_depthwise_prepare_for(&d, (enum rl_isa)isa);
        compare(c, &d, input, expected, rl_depthwise_run, "all loops");
        if (loops == RL_DEPTHWISE_PLANES) {
            rl_case_expect(c, !d.by_windows, "planes of a layer that is not run by windows");
            compare(c, &d, input, expected, rl_depthwise_planes_run, "planes");
            found->planes++;
        } else if (loops == RL_DEPTHWISE_POINTS) {
            rl_case_expect(c, d.by_windows, "points of a layer that is run by windows");
            compare(c, &d, input, expected, rl_depthwise_points_run, "points");
            found->points++;
        } else if (loops == RL_DEPTHWISE_WINDOWS) {
            rl_case_expect(c, d.by_windows, "windows of a layer that is run by windows");
            compare(c, &d, input, expected, rl_depthwise_windows_run, "windows");
            found->windows++;
        } else {
            found->others++;
        }
    }
    rl_case_end(c);
}

static void test_loops(struct rl_case *c)
{
    struct found found = {0, 0, 0, 0};
    rl_test_start(c, "loops");
    for (int i = 0; i < 600; i++) {
        check(c, &found);
    }
    rl_case_begin(c, "%d layers by planes, %d by points, %d by windows, %d others", found.planes, found.points,
                  found.windows, found.others);
    rl_case_expect(c, found.planes > 20 && found.points > 20 && found.windows > 50 && found.others > 50,
                   "layers of all kinds");
    rl_case_end(c);
    rl_test_stop(c);
}

int main(void)
{
    static struct rl_case c;
    test_loops(&c);
    return rl_test_finish(&c);
}
