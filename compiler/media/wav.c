// SPDX-License-Identifier: Apache-2.0
//
// WAV files: RIFF with chunks `fmt ` and `data` (Microsoft, Multimedia Programming Interface and Data Specifications
// 1.0; WAVE_FORMAT_EXTENSIBLE of mmreg.h). Only PCM of 16 bits is taken.
#include <string.h>

#include "compiler/media/formats.h"

enum { PCM = 1, EXTENSIBLE = 0xfffe, BITS = 16, FORMAT_BYTES = 16, EXTENSIBLE_BYTES = 40, MOST_CHANNELS = 256 };

struct wav {
    uint32_t rate;
    int channels;
    int64_t frames; // one number a channel each
    const unsigned char *data;
};

static uint32_t u16(const unsigned char *bytes)
{
    return bytes[0] | (uint32_t)bytes[1] << 8;
}

static uint32_t u32(const unsigned char *bytes)
{
    return u16(bytes) | u16(bytes + 2) << 16;
}

static enum rl_status refuse(const struct rl_media_work *work, const char *problem)
{
    return rl_fail(work->context, RL_ERROR_FORMAT, "%s: not a WAV file: %s", work->path, problem);
}

static enum rl_status parse_format(const struct rl_media_work *work, const unsigned char *chunk, uint32_t length,
                                   struct wav *wav)
{
    if (length < FORMAT_BYTES) {
        return refuse(work, "its chunk 'fmt ' is too short");
    }
    uint32_t format = u16(chunk);
    const uint32_t channels = u16(chunk + 2), block = u16(chunk + 12), bits = u16(chunk + 14);
    if (format == EXTENSIBLE && length >= EXTENSIBLE_BYTES) {
        format = u16(chunk + 24); // the first two bytes of the GUID
    }
    if (format != PCM || bits != BITS) {
        return rl_fail(work->context, RL_ERROR_UNSUPPORTED,
                       "%s: a WAV file of format %u with %u bits; accepted: PCM (format 1) with 16 bits, which "
                       "'ffmpeg -i IN -c:a pcm_s16le OUT.wav' writes",
                       work->path, format, bits);
    }
    if (channels == 0 || channels > MOST_CHANNELS || block != 2 * channels || u32(chunk + 4) == 0) {
        return refuse(work, "the numbers in its chunk 'fmt ' contradict each other");
    }
    wav->channels = (int)channels;
    wav->rate = u32(chunk + 4);
    return RL_OK;
}

static enum rl_status parse_data(const struct rl_media_work *work, const unsigned char *chunk, uint64_t length,
                                 struct wav *wav)
{
    if (wav->channels == 0) {
        return refuse(work, "it has no chunk 'fmt ' before its samples");
    }
    wav->data = chunk;
    wav->frames = (int64_t)(length / (2 * (uint64_t)wav->channels));
    return RL_OK;
}

static enum rl_status parse(const struct rl_media_work *work, struct wav *wav)
{
    enum { CHUNK_HEADER = 8, RIFF_HEADER = 12 };
    const unsigned char *bytes = work->bytes;
    enum rl_status status = RL_OK;

    if (work->size < RIFF_HEADER || memcmp(bytes, "RIFF", 4) != 0 || memcmp(bytes + 8, "WAVE", 4) != 0) {
        return refuse(work, "it does not start with 'RIFF' and 'WAVE'");
    }
    for (size_t at = RIFF_HEADER; work->size - at >= CHUNK_HEADER && !wav->data && status == RL_OK;) {
        const unsigned char *chunk = bytes + at + CHUNK_HEADER;
        const uint64_t left = work->size - at - CHUNK_HEADER;
        const bool is_data = memcmp(bytes + at, "data", 4) == 0;
        uint64_t length = u32(bytes + at + 4);
        if (is_data && length == UINT32_MAX) {
            length = left; // written to a pipe, where the length was not known
        }
        if (length > left) {
            return refuse(work, "it ends early");
        }
        if (is_data) {
            status = parse_data(work, chunk, length, wav);
        } else if (memcmp(bytes + at, "fmt ", 4) == 0) {
            status = parse_format(work, chunk, (uint32_t)length, wav);
        }
        const uint64_t padded = length + (length & 1U);
        at += CHUNK_HEADER + (size_t)(padded < left ? padded : left);
    }
    if (status == RL_OK && !wav->data) {
        return refuse(work, "it has no chunk 'data'");
    }
    return status;
}

// The length of a recording that the input takes; -1 if it takes none.
static int64_t input_length(const struct rl_tensor_type *type)
{
    int64_t length = type->rank > 0 ? 1 : -1;

    for (int d = 0; d < type->rank; d++) {
        if (type->sizes[d] != 1 && length != 1) {
            return -1;
        }
        length = type->sizes[d] != 1 ? type->sizes[d] : length;
    }
    return length;
}

static enum rl_status settle(const struct rl_media_work *work, struct wav *wav, int64_t *length)
{
    const struct rl_preparation *preparation = work->preparation;

    *length = input_length(work->type);
    if (*length <= 0) {
        return rl_fail(work->context, RL_ERROR_TYPE,
                       "%s: a recording, but the input takes %s; accepted for recordings: one dimension other than 1",
                       work->path, rl_media_type_text(work));
    }
    enum rl_status status = rl_media_check_norm(work, 1, "channel");
    if (status == RL_OK) {
        status = parse(work, wav);
    }
    if (status != RL_OK) {
        return status;
    }
    if (preparation->rate > 0 && wav->rate != (uint32_t)preparation->rate) {
        return rl_fail(
            work->context, RL_ERROR_TYPE,
            "%s: the recording has %u samples a second; accepted: %d (--rate); 'ffmpeg -i IN -ar %d OUT.wav' "
            "changes it",
            work->path, (unsigned)wav->rate, preparation->rate, preparation->rate);
    }
    const bool is_cut = wav->frames > *length && preparation->crops;
    const bool is_filled = wav->frames < *length && preparation->pads;
    if (wav->frames != *length && !is_cut && !is_filled) {
        return rl_fail(work->context, RL_ERROR_TYPE,
                       "%s: the recording is %lld samples long (at %u a second), the input takes %lld; accepted: as "
                       "many, more with --crop, fewer with --pad",
                       work->path, (long long)wav->frames, (unsigned)wav->rate, (long long)*length);
    }
    return RL_OK;
}

enum rl_status rl_wav_measure(const struct rl_media_work *work, int64_t *samples)
{
    struct wav wav = {0};
    int64_t length;

    *samples = 1;
    return settle(work, &wav, &length);
}

// The mean of the channels; 0 behind the end.
static float frame_at(const struct wav *wav, int64_t index)
{
    enum { FULL_SCALE = 32768 };
    int64_t sum = 0;

    for (int c = 0; c < wav->channels && index < wav->frames; c++) {
        sum += (int16_t)u16(wav->data + 2 * (index * wav->channels + c));
    }
    return (float)((double)sum / ((double)wav->channels * FULL_SCALE));
}

enum rl_status rl_wav_make(const struct rl_media_work *work, int64_t samples, void *elements)
{
    struct wav wav = {0};
    int64_t length;
    float *target = elements;
    const enum rl_status status = settle(work, &wav, &length);

    (void)samples;
    if (status != RL_OK) {
        return status;
    }
    const int64_t first = wav.frames > length ? rl_media_margin(wav.frames, length) : 0;
    for (int64_t i = 0; i < length; i++) {
        target[i] = rl_media_normalize(work->preparation, 0, frame_at(&wav, first + i));
    }
    return RL_OK;
}
