// SPDX-License-Identifier: Apache-2.0
// Ways of small maps: filters without idle taps (spread.h), groups apart, and few outputs as rows of a fully connected
// layer.
#include "convolution/convolution.h"
#include "convolution/few_channels.h"
#include "convolution/patch.h"
#include "convolution/spread.h"
#include "isa.h"

#include RL_TILE(memory_tile.h)

enum { GROUP_BYTES = 1024 }; // of a copy of the inputs of a group

// Copies the patches of all outputs to the scratch, one behind the other. Returns their bytes, or 0 if the scratch has
// no room for them.
static __attribute__((noinline)) int32_t copy_patches(const struct rl_convolution *c, const int8_t *input,
                                                      struct rl_scratch scratch)
{
    const int32_t depth = rl_convolution_depth(c), bytes = rl_convolution_outputs(c) * depth;
    if (c->type != RL_CONVOLUTION_S8 || c->spread_h || c->spread_w || scratch.bytes < bytes) {
        return 0;
    }
    int8_t *patch = scratch.memory;
    for (int32_t n = 0; n < c->input.n; n++, input += c->input.h * c->input.w * c->input.c) {
        for (int32_t y = 0; y < c->output.h; y++) {
            struct rl_patch_row row;
            rl_patch_row_start(&row, c, input, y);
            for (int32_t x = 0; x < c->output.w; x++, patch += depth) {
                rl_patch_copy(&row, x, patch);
            }
        }
    }
    return bytes;
}

// Runs few outputs that are not dense from copies of their patches. False if the scratch has no room for them.
static bool run_few_patches(const struct rl_convolution *c, const int8_t *input, int8_t *output,
                            struct rl_scratch scratch)
{
    const int32_t bytes = copy_patches(c, input, scratch);
    if (bytes == 0) {
        return false;
    }
    rl_convolution_run_few_outputs(c, scratch.memory, output, rl_scratch_rest(scratch, bytes));
    return true;
}

// Runs two to four outputs that are not dense from copies of their patches. False if the scratch has no room for them.
static bool run_rows_of_patches(const struct rl_convolution *c, const int8_t *input, int8_t *output,
                                struct rl_scratch scratch)
{
    if (copy_patches(c, input, scratch) == 0) {
        return false;
    }
    rl_convolution_run_rows_of_few_channels(c, scratch.memory, output);
    return true;
}

// Runs the groups of a small map from copies of their inputs, whose filter rows are runs. False if copies do not pay.
static __attribute__((noinline)) bool run_groups(const struct rl_convolution *c, const int8_t *input, int8_t *output,
                                                 struct rl_scratch scratch)
{
    const int32_t pixels = c->input.n * c->input.h * c->input.w, bytes = pixels * c->filter_channels;
    struct rl_convolution apart = *c;
    apart.input.c = c->filter_channels;
    apart.groups = 1;
    const enum rl_convolution_path path = rl_convolution_path(&apart);
    if (bytes < 1 || bytes > GROUP_BYTES || c->type != RL_CONVOLUTION_S8 || c->spread_h || c->spread_w ||
        pixels > 2 * rl_convolution_outputs(c) * c->filter.h * c->filter.w ||
        rl_convolution_prepare_as(&apart, path == RL_CONVOLUTION_ROW ? RL_CONVOLUTION_PATCHES : path) != RL_OK) {
        return false;
    }
    apart.groups = c->groups;
    struct rl_convolution_state s;
    uint64_t image[(bytes + 7) / 8], stack[rl_convolution_start(&s, &apart, scratch)];
    rl_convolution_take(&s, stack);
    for (int32_t first = 0, end = 0; first < c->output.c; input += c->filter_channels) {
        end += c->output.c / c->groups;
        rl_copy_runs_s8((int8_t *)image, c->filter_channels, input, c->input.c, c->filter_channels, pixels);
        while (first < end) {
            const int32_t next = rl_convolution_channels(&s, first, end);
            rl_convolution_run_block(&s, (int8_t *)image, output + first);
            first = next;
        }
    }
    return true;
}

bool rl_convolution_run_small_map(const struct rl_convolution *c, const int8_t *input, int8_t *output,
                                  struct rl_scratch scratch)
{
    if (c->groups > 1) {
        return run_groups(c, input, output, scratch);
    }
    const struct rl_convolution_core here = rl_convolution_core_here();
    const bool in_place = rl_convolution_has_few_windows(c, here);
    if (in_place && rl_convolution_run_few_windows(c, input, output)) {
        return true;
    }
    if (!in_place && rl_convolution_has_idle_taps(c) && rl_convolution_run_cut(c, input, output, scratch)) {
        return true;
    }
    const int32_t outputs = rl_convolution_outputs(c);
    if (rl_convolution_are_few_rows(outputs, c->output.c, here)) {
        return run_rows_of_patches(c, input, output, scratch);
    }
    return outputs <= rl_convolution_few_outputs(here) && run_few_patches(c, input, output, scratch);
}
