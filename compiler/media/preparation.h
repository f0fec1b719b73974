// SPDX-License-Identifier: Apache-2.0
//
// What turns an image, a recording or a table into a sample, as the user asks for it. Zero-initialised: images must
// have the size of the input, and their elements become 0..1; recordings must have its length, and become -1..1;
// numbers of tables stay as they are.
#ifndef RL_COMPILER_MEDIA_PREPARATION_H
#define RL_COMPILER_MEDIA_PREPARATION_H

#include <stdbool.h>
#include <stdint.h>

enum rl_resize {
    RL_RESIZE_NONE,
    RL_RESIZE_INPUT,   // to the height and width of the input, whatever the image's were
    RL_RESIZE_SHORTER, // the shorter side becomes `height`, the other one follows
    RL_RESIZE_EXACT,   // to `height` and `width`
};

struct rl_preparation {
    enum rl_resize resize;
    int height, width;
    bool crops; // what is larger is cut to the input's size: its middle stays
    bool pads;  // recordings that are shorter are followed by zeros
    int rate;   // samples a second that recordings must have; 0: any
    // Of each element the mean is taken away, then it is divided by the deviation: one number, or one a channel (a
    // column of a table). None: 0 and 1.
    int mean_count, deviation_count;
    const double *mean, *deviation;
};

#endif
