// SPDX-License-Identifier: Apache-2.0
//
// libpng calls a function of ours when a file is wrong, which must not return: it jumps to where the work began.
// Nothing is allocated from an arena in between, so that no other jump can leave the library's memory behind.
#include <png.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "compiler/media/image_formats.h"

struct work {
    const unsigned char *next; // of the file
    size_t left;
    png_structp png;
    png_infop info;
    jmp_buf stop;
    char message[128]; // of the library
    struct rl_image found;
    uint8_t *pixels; // where they go; NULL: only the header is read
};

static void on_error(png_structp png, png_const_charp message)
{
    struct work *work = png_get_error_ptr(png);

    snprintf(work->message, sizeof work->message, "%s", message);
    longjmp(work->stop, 1);
}

// Warnings are of parts that do not change pixels: text, time, colour profiles.
static void on_warning(png_structp png, png_const_charp message)
{
    (void)png;
    (void)message;
}

static void on_read(png_structp png, png_bytep target, size_t size)
{
    struct work *work = png_get_io_ptr(png);

    if (size > work->left) {
        png_error(png, "the file ends early");
    }
    memcpy(target, work->next, size);
    work->next += size;
    work->left -= size;
}

// Everything becomes 8 bits of gray, or of red, green and blue.
static void read_header(struct work *work)
{
    enum { MOST_CHUNK = 1 << 22, MOST_CHUNKS = 256 }; // bytes and number of parts other than pixels

    png_set_read_fn(work->png, work, on_read);
    png_set_keep_unknown_chunks(work->png, PNG_HANDLE_CHUNK_NEVER, NULL, 0);
    png_set_chunk_malloc_max(work->png, MOST_CHUNK);
    png_set_chunk_cache_max(work->png, MOST_CHUNKS);
    png_read_info(work->png, work->info);
    png_set_expand(work->png);
    png_set_strip_16(work->png);
    png_set_strip_alpha(work->png);
    work->found = (struct rl_image){.width = (int)png_get_image_width(work->png, work->info),
                                    .height = (int)png_get_image_height(work->png, work->info),
                                    .channels = 3};
    if (!(png_get_color_type(work->png, work->info) & PNG_COLOR_MASK_COLOR)) {
        work->found.channels = 1;
    }
}

static void read_pixels(struct work *work)
{
    const size_t row = (size_t)work->found.width * (size_t)work->found.channels;
    const int passes = png_set_interlace_handling(work->png);

    png_read_update_info(work->png, work->info);
    if (png_get_rowbytes(work->png, work->info) != row) {
        png_error(work->png, "its rows have another length than its header says");
    }
    for (int pass = 0; pass < passes; pass++) {
        for (int y = 0; y < work->found.height; y++) {
            png_read_row(work->png, work->pixels + (size_t)y * row, NULL);
        }
    }
    png_read_end(work->png, NULL);
}

// False after an error. No local variable changes between the two returns of setjmp.
static bool read_guarded(struct work *work)
{
    if (setjmp(work->stop) != 0) {
        return false;
    }
    read_header(work);
    if (work->pixels) {
        read_pixels(work);
    }
    return true;
}

static enum rl_status read_png(struct rl_context *context, const char *place, struct work *work)
{
    bool done = false;

    // Without memory the library reports no error, but gives nothing.
    work->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, work, on_error, on_warning);
    work->info = work->png ? png_create_info_struct(work->png) : NULL;
    if (work->info) {
        done = read_guarded(work);
    }
    png_destroy_read_struct(&work->png, &work->info, NULL);
    if (done) {
        return RL_OK;
    }
    if (work->message[0] == '\0' || strstr(work->message, "emory")) {
        return rl_fail(context, RL_ERROR_OUT_OF_MEMORY, "%s: no memory left to read the PNG file", place);
    }
    return rl_fail(context, RL_ERROR_FORMAT, "%s: the PNG file is damaged: %s", place, work->message);
}

enum rl_status rl_png_measure(struct rl_context *context, const char *place, const void *bytes, size_t size,
                              struct rl_image *image)
{
    struct work work = {.next = bytes, .left = size};
    const enum rl_status status = read_png(context, place, &work);

    *image = work.found;
    return status;
}

enum rl_status rl_png_decode(struct rl_context *context, const char *place, const void *bytes, size_t size,
                             const struct rl_image *image, uint8_t *pixels)
{
    (void)image; // the same bytes have the same header
    struct work work = {.next = bytes, .left = size, .pixels = pixels};
    return read_png(context, place, &work);
}
