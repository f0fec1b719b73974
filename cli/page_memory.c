// SPDX-License-Identifier: Apache-2.0
//
// The memory over time as a picture: time goes to the right, addresses go up.
#include <string.h>

#include "cli/html.h"
#include "cli/page.h"

enum { WIDTH = 1000, HEIGHT = 380, LEFT = 70, TOP = 24, BOTTOM = 30, LETTER = 6, LINE = 13 }; // units of the picture
enum { COLOURS = 6 };

struct picture {
    const struct rl_cli_page *page;
    json_int_t memory, bytes, instructions; // what is drawn: which memory, how high, how long
};

static json_int_t integer_of(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

// Time -1 is before the first operator, and `instructions` after the last one.
static double x_of(const struct picture *picture, json_int_t time)
{
    return LEFT + (double)(time + 1) * (WIDTH - LEFT) / (double)(picture->instructions + 2);
}

static double y_of(const struct picture *picture, json_int_t bytes)
{
    return HEIGHT - BOTTOM - (double)bytes * (HEIGHT - BOTTOM - TOP) / (double)picture->bytes;
}

// What a tensor is called: after its operator's layer, else its node, else the operator. Work space is of the first
// operator that uses it.
static void write_owner(const struct picture *picture, FILE *out, const json_t *entry, const char *work_space)
{
    const json_t *call = rl_cli_page_maker(picture->page, integer_of(entry, "value"));
    static const char *const keys[] = {"layer", "node", "op", NULL};

    if (!call && integer_of(entry, "first") < 0) {
        fputs("input or state", out);
        return;
    }
    if (!call) {
        fputs(work_space, out);
        call =
            json_array_get(json_object_get(picture->page->inspect, "instructions"), (size_t)integer_of(entry, "first"));
    }
    const char *const *key = keys; // the model itself is a layer without a name
    while (*key && json_string_length(json_object_get(call, *key)) == 0) {
        key++;
    }
    rl_html_text(out, *key ? rl_cli_page_short_name(json_string_value(json_object_get(call, *key))) : NULL);
}

static void write_label(const struct picture *picture, const json_t *entry, double width, double height)
{
    FILE *out = picture->page->out;
    const double x = x_of(picture, integer_of(entry, "first"));
    const double y = y_of(picture, integer_of(entry, "offset") + integer_of(entry, "bytes"));

    if (height < LINE || width < 5 * LETTER) {
        return;
    }
    // The clip keeps a long name inside its rectangle.
    fprintf(out, "<svg class=\"in\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"><text x=\"4\" y=\"%d\">", x, y,
            width - 2, height, LINE - 2);
    write_owner(picture, out, entry, "for ");
    fputs("</text></svg>\n", out);
}

static void write_tensor(const struct picture *picture, const json_t *entry, size_t index)
{
    FILE *out = picture->page->out;
    const json_int_t first = integer_of(entry, "first"), last = integer_of(entry, "last");
    const json_int_t offset = integer_of(entry, "offset"), bytes = integer_of(entry, "bytes");
    const json_int_t value = integer_of(entry, "value");
    const double width = x_of(picture, last + 1) - x_of(picture, first);
    const double height = y_of(picture, offset) - y_of(picture, offset + bytes);

    fprintf(out,
            "<rect class=\"t c%zu\" data-value=\"%lld\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"><title>",
            index % COLOURS, (long long)value, x_of(picture, first), y_of(picture, offset + bytes), width, height);
    fprintf(out, "%%%lld ", (long long)value);
    write_owner(picture, out, entry, "work space of ");
    fprintf(out, ": %lld bytes at %lld, operators %lld to %lld</title></rect>\n", (long long)bytes, (long long)offset,
            (long long)first, (long long)last);
    write_label(picture, entry, width, height);
}

static void write_axes(const struct picture *picture)
{
    enum { LINES = 4, TICKS = 12 };
    FILE *out = picture->page->out;
    const json_int_t step = picture->instructions / TICKS + 1;

    for (json_int_t i = 0; i <= LINES; i++) {
        const double y = y_of(picture, picture->bytes * i / LINES);
        fprintf(out, "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>", LEFT, WIDTH, y, y);
        fprintf(out, "<text class=\"axis\" text-anchor=\"end\" x=\"%d\" y=\"%.1f\">", LEFT - 6, y + 4);
        rl_html_bytes(out, (double)(picture->bytes * i / LINES));
        fputs("</text>\n", out);
    }
    for (json_int_t i = 0; i < picture->instructions; i += step) {
        fprintf(out, "<text class=\"axis\" text-anchor=\"middle\" x=\"%.1f\" y=\"%d\">%lld</text>\n",
                (x_of(picture, i) + x_of(picture, i + 1)) / 2, HEIGHT - BOTTOM + 15, (long long)i);
    }
    fprintf(out, "<text class=\"axis\" text-anchor=\"end\" x=\"%d\" y=\"%d\">operator, in order</text>\n", WIDTH - 4,
            HEIGHT - 3);
}

static void write_peak(const struct picture *picture)
{
    FILE *out = picture->page->out;
    const json_t *peak = json_object_get(picture->page->inspect, "memory_peak");
    const json_int_t bytes = integer_of(peak, "bytes"), when = integer_of(peak, "instruction");

    if (bytes != picture->bytes) {
        return;
    }
    const double y = y_of(picture, bytes), x = x_of(picture, when);
    fprintf(out,
            "<path class=\"peak\" d=\"M%d %.1fH%d\"/><rect class=\"peak\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
            "height=\"%.1f\"/><text class=\"peaktext\" x=\"%d\" y=\"%.1f\">peak: %lld bytes, first during operator "
            "%lld</text>\n",
            LEFT, y, WIDTH, x, y, x_of(picture, when + 1) - x, y_of(picture, 0) - y, LEFT + 4, y - 8, (long long)bytes,
            (long long)when);
}

static void write_picture(const struct picture *picture, const json_t *map)
{
    FILE *out = picture->page->out;
    const json_t *entry;
    size_t index;

    fprintf(out,
            "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"memory over time\">"
            "<svg class=\"memory\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"memory %lld over time: %lld "
            "bytes\">\n",
            WIDTH, HEIGHT, (long long)picture->memory, (long long)picture->bytes);
    write_axes(picture);
    json_array_foreach(map, index, entry)
    {
        if (integer_of(entry, "memory") == picture->memory && integer_of(entry, "bytes") > 0) {
            write_tensor(picture, entry, index);
        }
    }
    write_peak(picture);
    fputs("</svg></div>\n", out);
}

void rl_cli_page_memory(const struct rl_cli_page *page)
{
    const json_t *map = json_object_get(page->inspect, "memory_map"), *entry;
    struct picture picture = {.page = page};
    size_t index;

    fputs("<h2>Memory over time</h2>\n", page->out);
    if (json_array_size(map) == 0) {
        fputs("<p>No tensor has a planned place.</p>\n", page->out);
        return;
    }
    picture.instructions = (json_int_t)json_array_size(json_object_get(page->inspect, "instructions"));
    for (json_int_t next = 0; next >= 0; picture.memory = next) {
        next = -1;
        picture.bytes = 0;
        json_array_foreach(map, index, entry)
        {
            const json_int_t memory = integer_of(entry, "memory");
            const json_int_t end = integer_of(entry, "offset") + integer_of(entry, "bytes");
            if (memory == picture.memory && end > picture.bytes) {
                picture.bytes = end;
            }
            if (memory > picture.memory && (next < 0 || memory < next)) {
                next = memory;
            }
        }
        if (picture.bytes > 0) {
            write_picture(&picture, map);
        }
    }
}
