// SPDX-License-Identifier: Apache-2.0
// The steps of an int8 convolution. Its special cases and other layers share them.
#ifndef RL_KERNELS_CONVOLUTION_CONVOLUTION_H
#define RL_KERNELS_CONVOLUTION_CONVOLUTION_H

#include "convolution/choice.h"
#include "convolution/matmul.h"
#include "fully_connected/sum_s8.h"
#include "rushlight/kernels/convolution.h"
#include "scratch.h"

enum {
    RL_PATCHES = 4,                      // patches in a scratch that is as large as any core announces
    RL_PATCHES_S16 = RL_HAS_MVE ? 3 : 2, // patches of int16 in every scratch
};

// The state of a layer while it runs.
struct rl_convolution_state {
    const struct rl_convolution *layer;
    const int8_t *spread;     // int4: the weights of the channels that are prepared next, as int8; else NULL
    int8_t *patches;          // memory for copies of patches
    int32_t patch_bytes;      // the room at `patches`
    bool one_patch;           // it has room for one patch only
    int32_t more_patches;     // from `matmul` to patches beyond RL_PATCHES, which lie behind the block; 0 for none
    int32_t block;            // channels that are run at a time
    struct rl_matmul *matmul; // followed by the memory for its biases, scales and tile
};

static inline int32_t rl_convolution_depth(const struct rl_convolution *layer)
{
    return layer->filter.h * layer->filter.w * layer->filter_channels;
}

// The channels of a group.
static inline int32_t rl_convolution_group(const struct rl_convolution *layer)
{
    return layer->groups == 1 ? layer->output.c : layer->output.c / layer->groups;
}

// What choices depend on, of the core that this is compiled for.
static inline struct rl_convolution_core rl_convolution_core_here(void)
{
    return (struct rl_convolution_core){RL_ISA_HERE, RL_HAS_THUMB2_LOOP, RL_SMALL};
}

// The bias of a channel with the input offset folded in. `weights` are the `depth` int8 weights of its filter.
static inline int32_t rl_convolution_folded(const struct rl_convolution *layer, int32_t channel, const int8_t *weights,
                                            int32_t depth)
{
    return (layer->bias ? layer->bias[channel] : 0) + layer->input_offset * rl_sum_of_s8(weights, depth);
}

// The same, computed only for layers that do not bring it.
static inline int32_t rl_convolution_base(const struct rl_convolution *layer, int32_t channel, const int8_t *weights,
                                          int32_t depth)
{
    return layer->folded ? layer->folded[channel] : rl_convolution_folded(layer, channel, weights, depth);
}

// The path that suits the shapes of a layer.
static inline enum rl_convolution_path rl_convolution_path(const struct rl_convolution *c)
{
    const bool one_row = c->filter.h == 1 && c->dilation.w == 1 && c->groups == 1 && c->type < RL_CONVOLUTION_S16;
    if (one_row && c->filter.w == 1 && c->padding.h == 0 && c->padding.w == 0 && c->dilation.h == 1) {
        return RL_CONVOLUTION_POINTWISE;
    }
    return one_row && c->input.h == 1 && c->stride.w * c->input.c % 4 == 0 ? RL_CONVOLUTION_ROW
                                                                           : RL_CONVOLUTION_PATCHES;
}

// rl_convolution_prepare for 1x1 filters without stride, padding and groups, whose output is as large as the input, of
// plain or int4 weights. Inlined, because tiny layers take as long to prepare as to run.
static inline void rl_convolution_prepare_pixels(struct rl_convolution *c)
{
    c->path = RL_CONVOLUTION_POINTWISE;
    c->filter_channels = c->input.c;
    c->rows_are_runs = true;
    c->dense = true;
    c->least_scratch = 0;
}

// rl_convolution_prepare with a path that the caller chooses.
enum rl_status rl_convolution_prepare_as(struct rl_convolution *layer, enum rl_convolution_path path);

// A run begins with
//
//     uint64_t stack[rl_convolution_start(&state, layer, scratch)];
//     rl_convolution_take(&state, stack);
//
// which divides the scratch, chooses the size of blocks, and finds their memory, on the stack where the scratch is too
// small.
uint32_t rl_convolution_start(struct rl_convolution_state *s, const struct rl_convolution *layer,
                              struct rl_scratch scratch);
void rl_convolution_take(struct rl_convolution_state *s, void *stack);

// Bytes of the patches that a core likes to have beyond RL_PATCHES, or 0 if they are too many for the stack.
int32_t rl_convolution_more_bytes(int32_t depth);

// The scratch of an int8 layer on cores with DSP instructions, if its weights stay in their order.
int32_t rl_convolution_plain_scratch(const struct rl_convolution *c);

// Bytes at state.matmul of a block of `channels` channels of `depth` weights.
int32_t rl_convolution_memory(int32_t depth, int32_t channels);

// Prepares s->matmul for the next block of the channels [first, end), and returns the first channel after the block.
// `end` is where the group ends.
int32_t rl_convolution_channels(const struct rl_convolution_state *s, int32_t first, int32_t end);

// Runs the prepared channels. `input` points at the first channel of their group, `output` at the first of theirs.
void rl_convolution_run_block(const struct rl_convolution_state *s, const int8_t *input, int8_t *output);

// Runs the blocks of all groups, one after the other, with rl_convolution_run_block or another function for prepared
// channels, which is known where this is inlined. A program calls few of the functions into which it is.
static inline __attribute__((always_inline)) void
rl_convolution_run_blocks(const struct rl_convolution *c, const int8_t *input, int8_t *output,
                          struct rl_scratch scratch,
                          void (*run)(const struct rl_convolution_state *, const int8_t *, int8_t *))
{
    struct rl_convolution_state s;
    uint64_t stack[rl_convolution_start(&s, c, scratch)];
    rl_convolution_take(&s, stack);
    for (int32_t first = 0, end = 0; first < c->output.c; input += c->filter_channels) {
        end += c->groups == 1 ? c->output.c : c->output.c / c->groups;
        while (first < end) {
            const int32_t next = rl_convolution_channels(&s, first, end);
            run(&s, input, output + first);
            first = next;
        }
    }
}

// Runs the prepared channels for rows of inputs that the caller has: rl_matmul_rows for other layers.
void rl_convolution_run_rows(struct rl_matmul *m, const int8_t *rows, ptrdiff_t row_stride, int32_t row_count,
                             int8_t *output, ptrdiff_t output_stride);

// Runs few outputs of a layer as rows of a fully connected layer. `input` is that of the first output; the others
// follow it as in a dense layer.
void rl_convolution_run_few_outputs(const struct rl_convolution *layer, const int8_t *input, int8_t *output,
                                    struct rl_scratch scratch);

// Runs a layer that rl_convolution_may_be_small_map, if there is a better way than blocks; else returns false and does
// nothing. Not in small code.
bool rl_convolution_run_small_map(const struct rl_convolution *layer, const int8_t *input, int8_t *output,
                                  struct rl_scratch scratch);

// Runs a layer that rl_convolution_may_be_small_windows, each output apart, if that pays; else returns false and does
// nothing. Not in small code.
bool rl_convolution_run_small_windows(const struct rl_convolution *layer, const int8_t *input, int8_t *output,
                                      struct rl_scratch scratch);

// Runs the layer with weights that it brings into the order of prepacked ones first, if that pays on this core; else
// returns false and does nothing. DSP cores only, and not in small code.
bool rl_convolution_run_interleaved(const struct rl_convolution *layer, const int8_t *input, int8_t *output,
                                    struct rl_scratch scratch);

// Runs the layer with filters and inputs in each other's place, if it has few channels and that pays on this core; else
// returns false and does nothing. DSP cores only, and not in small code.
bool rl_convolution_run_turned(const struct rl_convolution *layer, const int8_t *input, int8_t *output,
                               struct rl_scratch scratch);

// Some output positions of one image, from (first_y, first_x) on, and the distance between their outputs in bytes.
struct rl_positions {
    int32_t first_y;
    int32_t first_x;
    int32_t rows;
    int32_t columns;
    ptrdiff_t output_row;
    ptrdiff_t output_column;
};

// Runs the prepared channels at those positions only. `output` is that of the first position. Output dimensions are not
// read.
void rl_convolution_run_positions(const struct rl_convolution_state *s, const int8_t *input,
                                  const struct rl_positions *p, int8_t *output);

#endif
