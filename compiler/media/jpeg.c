// SPDX-License-Identifier: Apache-2.0
//
// libjpeg-turbo calls a function of ours when a file is wrong, which must not return: it jumps to where the work began.
// Nothing is allocated from an arena in between, so that no other jump can leave the library's memory behind.
#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <jpeglib.h>

#include <jerror.h>

#include "compiler/media/image_formats.h"

struct work {
    struct jpeg_error_mgr errors;
    struct jpeg_decompress_struct jpeg;
    struct jpeg_progress_mgr progress;
    const unsigned char *bytes;
    size_t size;
    jmp_buf stop;
    char message[JMSG_LENGTH_MAX]; // of the library; the first warning, if there is no error
    bool failed, ran_out_of_memory;
    struct rl_image found;
    uint8_t *pixels; // where they go; NULL: only the header is read
};

// The library knows nothing but its own structures; ours begins with one of them.
static struct work *work_of(j_common_ptr jpeg)
{
    return (struct work *)(void *)jpeg->err;
}

static void stop(struct work *work, const char *message)
{
    snprintf(work->message, sizeof work->message, "%s", message);
    work->failed = true;
    longjmp(work->stop, 1);
}

static void on_error(j_common_ptr jpeg)
{
    struct work *work = work_of(jpeg);

    jpeg->err->format_message(jpeg, work->message);
    work->failed = true;
    work->ran_out_of_memory = jpeg->err->msg_code == JERR_OUT_OF_MEMORY;
    longjmp(work->stop, 1);
}

// Level -1: damage that the library can pass over. Pixels that are not there would be gray.
static void on_message(j_common_ptr jpeg, int level)
{
    struct work *work = work_of(jpeg);
    char message[JMSG_LENGTH_MAX];

    if (level >= 0) {
        return;
    }
    if (jpeg->err->msg_code == JWRN_JPEG_EOF || jpeg->err->msg_code == JWRN_HIT_MARKER) {
        stop(work, "the file ends early");
    }
    jpeg->err->format_message(jpeg, message);
    if (work->message[0] == '\0') {
        snprintf(work->message, sizeof work->message, "%s", message);
    }
}

static void on_output(j_common_ptr jpeg)
{
    (void)jpeg;
}

// Each scan of a progressive file takes as long as the whole image, and a small file can have thousands.
static void on_progress(j_common_ptr jpeg)
{
    enum { MOST_SCANS = 100 };

    if (((j_decompress_ptr)jpeg)->input_scan_number > MOST_SCANS) {
        stop(work_of(jpeg), "it has more than 100 scans");
    }
}

static void read_header(struct work *work)
{
    struct jpeg_decompress_struct *jpeg = &work->jpeg;

    jpeg_create_decompress(jpeg);
    work->progress.progress_monitor = on_progress;
    jpeg->progress = &work->progress;
    jpeg_mem_src(jpeg, work->bytes, (unsigned long)work->size);
    jpeg_read_header(jpeg, TRUE);
    work->found = (struct rl_image){.width = (int)jpeg->image_width, .height = (int)jpeg->image_height, .channels = 3};
    switch (jpeg->jpeg_color_space) {
    case JCS_GRAYSCALE:
        jpeg->out_color_space = JCS_GRAYSCALE;
        work->found.channels = 1;
        break;
    case JCS_YCbCr:
    case JCS_RGB:
        jpeg->out_color_space = JCS_RGB;
        break;
    default:
        stop(work, "its colours are neither gray nor red, green and blue (CMYK?)");
    }
}

static void read_pixels(struct work *work)
{
    struct jpeg_decompress_struct *jpeg = &work->jpeg;
    const size_t row = (size_t)work->found.width * (size_t)work->found.channels;

    jpeg_start_decompress(jpeg);
    if (jpeg->output_width != jpeg->image_width || jpeg->output_components != work->found.channels) {
        stop(work, "its rows have another length than its header says");
    }
    while (jpeg->output_scanline < jpeg->output_height) {
        JSAMPROW target = work->pixels + (size_t)jpeg->output_scanline * row;
        jpeg_read_scanlines(jpeg, &target, 1);
    }
    jpeg_finish_decompress(jpeg);
}

// No local variable changes between the two returns of setjmp.
static void read_guarded(struct work *work)
{
    if (setjmp(work->stop) == 0) {
        read_header(work);
        if (work->pixels) {
            read_pixels(work);
        }
    }
}

static enum rl_status read_jpeg(struct rl_context *context, const char *place, struct work *work)
{
    work->jpeg.err = jpeg_std_error(&work->errors);
    work->errors.error_exit = on_error;
    work->errors.emit_message = on_message;
    work->errors.output_message = on_output;
    read_guarded(work);
    jpeg_destroy_decompress(&work->jpeg);
    if (work->ran_out_of_memory) {
        return rl_fail(context, RL_ERROR_OUT_OF_MEMORY, "%s: no memory left to read the JPEG file", place);
    }
    if (work->failed) {
        return rl_fail(context, RL_ERROR_FORMAT, "%s: the JPEG file cannot be read: %s", place, work->message);
    }
    if (work->message[0] != '\0' && work->pixels) {
        rl_log(context, RL_LOG_WARNING, "%s: the JPEG file is damaged: %s", place, work->message);
    }
    return RL_OK;
}

enum rl_status rl_jpeg_measure(struct rl_context *context, const char *place, const void *bytes, size_t size,
                               struct rl_image *image)
{
    struct work work = {.bytes = bytes, .size = size};
    const enum rl_status status = read_jpeg(context, place, &work);

    *image = work.found;
    return status;
}

enum rl_status rl_jpeg_decode(struct rl_context *context, const char *place, const void *bytes, size_t size,
                              const struct rl_image *image, uint8_t *pixels)
{
    (void)image; // the same bytes have the same header
    struct work work = {.bytes = bytes, .size = size, .pixels = pixels};
    return read_jpeg(context, place, &work);
}
