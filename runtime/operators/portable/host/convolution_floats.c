// SPDX-License-Identifier: Apache-2.0
//
// Plain convolutions of floats on a host: eight positions of the output at once. Their pixels are gathered into a panel
// on the stack, tap by tap, which all output channels of the group then read.
#include "runtime/operators/portable/convolution.h"
#include "runtime/operators/portable/host/lanes.h"

enum {
    CHANNELS = 4, // output channels at once: with eight lanes they fill the registers of SSE2
    PANEL = 512,  // pixels of each position in a panel
    MAX_TAPS = 64 // in a panel
};

// Eight positions of the output, in the order of rows; the last ones repeat the first where the image ends before.
struct positions {
    int32_t y[RL_LANES], x[RL_LANES]; // of the window's first tap in the input; negative in the padding
    ptrdiff_t out[RL_LANES];          // where the results go, from the first channel on
    int count;                        // that are not repeated
    bool adjacent;                    // whether results lie next to each other
};

// What a tap reads: `count` input channels from `channel` on.
struct tap {
    ptrdiff_t weight; // the offset of its weight for the first of them
    int32_t count;
    bool whole;                // whether it lies on the input at all positions
    struct rl_lane_bits taken; // otherwise, where
};

struct panel {
    rl_real pixels[PANEL * RL_LANES];
    struct tap taps[MAX_TAPS];
    int tap_count;
    int32_t used; // pixels of each position
};

// Goes over taps and input channels in the order of the sums.
struct cursor {
    int32_t ky, kx, channel;
};

static void find_positions(const struct rl_convolution *c, int64_t first, int64_t end, struct positions *p)
{
    p->count = end - first < RL_LANES ? (int)(end - first) : RL_LANES;
    p->adjacent = p->count == RL_LANES;
    for (int i = 0; i < RL_LANES; i++) {
        const int64_t at = first + (i < p->count ? i : 0);
        const int32_t y = (int32_t)(at / c->out_width), x = (int32_t)(at % c->out_width);
        p->y[i] = y * c->stride_y - c->padding_y;
        p->x[i] = x * c->stride_x - c->padding_x;
        p->out[i] = y * c->out.row + x * c->out.column;
        p->adjacent &= p->out[i] == p->out[0] + i;
    }
}

// Finds where the tap's pixels lie in the first channel. Returns at how many positions it lies on the input.
static int find_pixels(const struct rl_convolution *c, const struct positions *p, const struct cursor *at,
                       ptrdiff_t pixels[RL_LANES], struct rl_lane_bits *taken)
{
    int found = 0;
    for (int i = 0; i < RL_LANES; i++) {
        const int32_t row = p->y[i] + at->ky * c->dilation_y, column = p->x[i] + at->kx * c->dilation_x;
        const bool on_input = row >= 0 && row < c->in_height && column >= 0 && column < c->in_width;
        pixels[i] = on_input ? row * c->in.row + column * c->in.column : 0;
        taken->of[i / RL_VECTOR][i % RL_VECTOR] = on_input ? -1 : 0;
        found += on_input;
    }
    return found;
}

static bool are_adjacent(const ptrdiff_t pixels[RL_LANES])
{
    for (int i = 1; i < RL_LANES; i++) {
        if (pixels[i] != pixels[0] + i) {
            return false;
        }
    }
    return true;
}

// Copies the pixels of some channels, position by position within a channel.
static void copy_pixels(const rl_real *input, ptrdiff_t channel_stride, const ptrdiff_t pixels[RL_LANES], int32_t count,
                        rl_real *to)
{
    if (are_adjacent(pixels)) {
        for (int32_t k = 0; k < count; k++, input += channel_stride, to += RL_LANES) {
            memcpy(to, input + pixels[0], RL_LANES * sizeof *to);
        }
        return;
    }
    for (int32_t k = 0; k < count; k++, input += channel_stride, to += RL_LANES) {
        for (int i = 0; i < RL_LANES; i++) {
            to[i] = input[pixels[i]];
        }
    }
}

// Moves on by `count` input channels, which do not go beyond those of a tap.
static void advance(const struct rl_convolution *c, struct cursor *at, int32_t count)
{
    at->channel += count;
    if (at->channel < c->depth) {
        return;
    }
    at->channel = 0;
    if (++at->kx == c->width) {
        at->kx = 0;
        at->ky++;
    }
}

// Fills a panel from where the cursor stands. `input` is the first channel of the group.
static void fill_panel(const struct rl_convolution *c, const rl_real *input, const struct positions *p,
                       struct cursor *at, struct panel *panel)
{
    panel->tap_count = 0;
    panel->used = 0;
    while (at->ky < c->height && panel->used < PANEL && panel->tap_count < MAX_TAPS) {
        struct tap *tap = &panel->taps[panel->tap_count];
        ptrdiff_t pixels[RL_LANES];
        const int found = find_pixels(c, p, at, pixels, &tap->taken);
        const int32_t left = c->depth - at->channel, room = PANEL - panel->used;
        tap->count = left < room ? left : room;
        if (found == 0) {
            advance(c, at, left);
            continue;
        }
        tap->whole = found == RL_LANES;
        tap->weight = at->ky * c->tap.row + at->kx * c->tap.column + at->channel * c->tap.channel;
        copy_pixels(input + at->channel * c->in.channel, c->in.channel, pixels, tap->count,
                    panel->pixels + panel->used * RL_LANES);
        panel->used += tap->count;
        panel->tap_count++;
        advance(c, at, tap->count);
    }
}

// Adds what the panel holds to the sums of four output channels.
static void add_panel(const struct panel *panel, const rl_real *const weights[CHANNELS], ptrdiff_t weight_step,
                      struct rl_lanes sums[CHANNELS])
{
    struct rl_lanes sum_0 = sums[0], sum_1 = sums[1], sum_2 = sums[2], sum_3 = sums[3];
    const rl_real *pixels = panel->pixels;
    for (int t = 0; t < panel->tap_count; t++) {
        const struct tap *tap = &panel->taps[t];
        ptrdiff_t at = tap->weight;
        if (tap->whole) {
            for (int32_t k = 0; k < tap->count; k++, pixels += RL_LANES, at += weight_step) {
                const struct rl_lanes lanes = rl_lanes_load(pixels);
                sum_0 = rl_lanes_add_product(sum_0, lanes, weights[0][at]);
                sum_1 = rl_lanes_add_product(sum_1, lanes, weights[1][at]);
                sum_2 = rl_lanes_add_product(sum_2, lanes, weights[2][at]);
                sum_3 = rl_lanes_add_product(sum_3, lanes, weights[3][at]);
            }
            continue;
        }
        for (int32_t k = 0; k < tap->count; k++, pixels += RL_LANES, at += weight_step) {
            const struct rl_lanes lanes = rl_lanes_load(pixels);
            sum_0 = rl_lanes_add_some(sum_0, lanes, weights[0][at], &tap->taken);
            sum_1 = rl_lanes_add_some(sum_1, lanes, weights[1][at], &tap->taken);
            sum_2 = rl_lanes_add_some(sum_2, lanes, weights[2][at], &tap->taken);
            sum_3 = rl_lanes_add_some(sum_3, lanes, weights[3][at], &tap->taken);
        }
    }
    sums[0] = sum_0;
    sums[1] = sum_1;
    sums[2] = sum_2;
    sums[3] = sum_3;
}

static struct rl_lanes load_sums(const rl_real *output, const struct positions *p)
{
    struct rl_lanes sums;
    if (p->adjacent) {
        return rl_lanes_load(output + p->out[0]);
    }
    for (int i = 0; i < RL_LANES; i++) {
        sums.of[i / RL_VECTOR][i % RL_VECTOR] = output[p->out[i]];
    }
    return sums;
}

static void store_sums(rl_real *output, const struct positions *p, struct rl_lanes sums)
{
    sums = rl_lanes_canonical(sums);
    if (p->adjacent) {
        memcpy(output + p->out[0], &sums, sizeof sums);
        return;
    }
    for (int i = 0; i < p->count; i++) {
        output[p->out[i]] = sums.of[i / RL_VECTOR][i % RL_VECTOR];
    }
}

// Adds a panel to all output channels of a group. Between panels the output holds the sums.
static void add_to_channels(const struct rl_convolution *c, const struct panel *panel, const struct positions *p,
                            int32_t first_channel, bool is_first, rl_real *output)
{
    const rl_real *bias = c->bias.data;
    for (int32_t first = 0; first < c->group_outputs; first += CHANNELS) {
        const int32_t left = c->group_outputs - first;
        const rl_real *weights[CHANNELS];
        struct rl_lanes sums[CHANNELS];
        for (int32_t k = 0; k < CHANNELS; k++) {
            const int32_t channel = first_channel + first + (k < left ? k : 0); // surplus sums repeat the first one
            weights[k] = (const rl_real *)c->weight.data + channel * c->tap.batch;
            sums[k] =
                is_first ? rl_lanes_all(bias ? bias[channel] : 0) : load_sums(output + channel * c->out.channel, p);
        }
        add_panel(panel, weights, c->tap.channel, sums);
        for (int32_t k = 0; k < CHANNELS && k < left; k++) {
            store_sums(output + (first_channel + first + k) * c->out.channel, p, sums[k]);
        }
    }
}

static void run_group(const struct rl_convolution *c, const rl_real *input, const struct positions *p,
                      int32_t first_channel, rl_real *output)
{
    struct panel panel;
    struct cursor at = {0};
    bool is_first = true;
    do {
        fill_panel(c, input, p, &at, &panel);
        add_to_channels(c, &panel, p, first_channel, is_first, output);
        is_first = false;
    } while (at.ky < c->height);
}

// ---- one input channel per group: every tap reads the same place of each channel

struct place {
    ptrdiff_t pixels[RL_LANES], weight;
    bool whole, adjacent;
    struct rl_lane_bits taken;
};

// Returns how many taps lie on the input; -1 if they are too many.
static int find_places(const struct rl_convolution *c, const struct positions *p, struct place places[MAX_TAPS])
{
    int count = 0;
    for (struct cursor at = {0}; at.ky < c->height; advance(c, &at, c->depth)) {
        if (count == MAX_TAPS) {
            return -1;
        }
        struct place *place = &places[count];
        const int found = find_pixels(c, p, &at, place->pixels, &place->taken);
        place->whole = found == RL_LANES;
        place->adjacent = are_adjacent(place->pixels);
        place->weight = at.ky * c->tap.row + at.kx * c->tap.column;
        count += found > 0;
    }
    return count;
}

static struct rl_lanes load_pixels(const rl_real *input, const struct place *place)
{
    rl_real pixels[RL_LANES];
    if (place->adjacent) {
        return rl_lanes_load(input + place->pixels[0]);
    }
    for (int i = 0; i < RL_LANES; i++) {
        pixels[i] = input[place->pixels[i]];
    }
    return rl_lanes_load(pixels);
}

static void run_single(const struct rl_convolution *c, const rl_real *input, const struct positions *p,
                       const struct place *places, int place_count, rl_real *output)
{
    const rl_real *bias = c->bias.data, *weight = c->weight.data;
    for (int32_t channel = 0; channel < c->channels; channel++) {
        const rl_real *image = input + channel / c->group_outputs * c->in.channel;
        struct rl_lanes sums = rl_lanes_all(bias ? bias[channel] : 0);
        for (int t = 0; t < place_count; t++) {
            const struct rl_lanes lanes = load_pixels(image, &places[t]);
            const rl_real factor = weight[channel * c->tap.batch + places[t].weight];
            sums = places[t].whole ? rl_lanes_add_product(sums, lanes, factor)
                                   : rl_lanes_add_some(sums, lanes, factor, &places[t].taken);
        }
        store_sums(output + channel * c->out.channel, p, sums);
    }
}

// ---- all positions

static void run_positions(const struct rl_convolution *c, const rl_real *input, const struct positions *p,
                          rl_real *output)
{
    struct place places[MAX_TAPS];
    const int place_count = c->depth == 1 && c->group_outputs < CHANNELS ? find_places(c, p, places) : -1;
    if (place_count >= 0) {
        run_single(c, input, p, places, place_count, output);
        return;
    }
    for (int32_t channel = 0; channel < c->channels; channel += c->group_outputs) {
        run_group(c, input + channel / c->group_outputs * c->depth * c->in.channel, p, channel, output);
    }
}

void rl_convolve_floats(const struct rl_convolution *c)
{
    const int64_t count = (int64_t)c->out_height * c->out_width;
    struct positions p;
    for (int32_t batch = 0; batch < c->batches; batch++) {
        const rl_real *input = (const rl_real *)c->input.data + batch * c->in.batch;
        rl_real *output = (rl_real *)c->output.data + batch * c->out.batch;
        for (int64_t first = 0; first < count; first += RL_LANES) {
            find_positions(c, first, count, &p);
            run_positions(c, input, &p, output);
        }
    }
}
