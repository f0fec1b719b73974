// SPDX-License-Identifier: Apache-2.0
#include "compiler/quantize/qparams.h"

#include <float.h>
#include <math.h>

// Smallest scale that an observer returns: torch.finfo(torch.float32).eps.
static const float smallest_scale = FLT_EPSILON;

struct rl_qparams rl_qparams_affine(float min, float max, struct rl_qrange range)
{
    if (min > max) {
        return (struct rl_qparams){1.0f, 0};
    }
    const float low = fminf(min, 0.0f);
    const float high = fmaxf(max, 0.0f);
    const float scale = fmaxf((high - low) / (float)(range.max - range.min), smallest_scale);
    const double zero_point = (double)range.min - (double)rintf(low / scale);
    return (struct rl_qparams){scale, (int32_t)fmin(fmax(zero_point, range.min), range.max)};
}

struct rl_qparams rl_qparams_symmetric(float min, float max, struct rl_qrange range)
{
    if (min > max) {
        return (struct rl_qparams){1.0f, 0};
    }
    const float reach = fmaxf(-fminf(min, 0.0f), fmaxf(max, 0.0f));
    const float half_range = (float)(range.max - range.min) / 2;
    return (struct rl_qparams){fmaxf(reach / half_range, smallest_scale), 0};
}

// The scale's inverse is rounded to float32 before the product, as torch does. Clamping before the conversion keeps
// values beyond int32 defined; double holds every int32 exactly.
static int32_t quantize(float value, float inverse_scale, int32_t zero_point, struct rl_qrange range)
{
    const double integer = (double)(rintf(value * inverse_scale) + (float)zero_point);
    if (!(integer >= range.min)) {
        return range.min;
    }
    return integer > range.max ? range.max : (int32_t)integer;
}

void rl_quantize_to_int8(const float *values, size_t count, struct rl_qparams qparams, struct rl_qrange range,
                         int8_t *integers)
{
    const float inverse_scale = 1.0f / qparams.scale;
    for (size_t i = 0; i < count; i++) {
        integers[i] = (int8_t)quantize(values[i], inverse_scale, qparams.zero_point, range);
    }
}

void rl_quantize_to_int16(const float *values, size_t count, struct rl_qparams qparams, struct rl_qrange range,
                          int16_t *integers)
{
    const float inverse_scale = 1.0f / qparams.scale;
    for (size_t i = 0; i < count; i++) {
        integers[i] = (int16_t)quantize(values[i], inverse_scale, qparams.zero_point, range);
    }
}

void rl_quantize_to_int32(const float *values, size_t count, struct rl_qparams qparams, struct rl_qrange range,
                          int32_t *integers)
{
    const float inverse_scale = 1.0f / qparams.scale;
    for (size_t i = 0; i < count; i++) {
        integers[i] = quantize(values[i], inverse_scale, qparams.zero_point, range);
    }
}
