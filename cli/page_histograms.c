// SPDX-License-Identifier: Apache-2.0
//
// How weights and results are distributed on the grids that were chosen for them.
#include <string.h>

#include "cli/html.h"
#include "cli/page.h"

enum { WIDTH = 192, HEIGHT = 40 }; // units of a picture

static double amount(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

// The number that an integer of a tensor stands for, where its grid is known, else the integer.
static double real_of(const json_t *tensor, double integer)
{
    const double scale = amount(tensor, "scale");
    return scale > 0 ? (integer - amount(tensor, "zero_point")) * scale : integer;
}

// The highest column but one: the highest, such as that of zeros behind a ReLU, may be cut.
static double second_most(const json_t *bins)
{
    double most = 0, second = 0;
    const json_t *bin;
    size_t index;

    json_array_foreach(bins, index, bin)
    {
        const double count = json_number_value(bin);
        if (count > most) {
            second = most;
            most = count;
        } else if (count > second) {
            second = count;
        }
    }
    return second > 0 ? second : most;
}

// Columns as high as the parts of the grid are full, from its lowest integer to its highest.
static void write_columns(FILE *out, const json_t *bins)
{
    const size_t count = json_array_size(bins);
    const double full = second_most(bins);
    const json_t *bin;
    size_t index;

    fprintf(out, "<path d=\"M0 %d", HEIGHT);
    json_array_foreach(bins, index, bin)
    {
        const double share = full > 0 ? json_number_value(bin) / full : 0;
        fprintf(out, "V%.1fH%zu", HEIGHT * (1 - (share < 1 ? share : 1)), (index + 1) * WIDTH / count);
    }
    fprintf(out, "V%dz\"/>", HEIGHT);
}

// How many values are at an end of the grid, where that is worth a word.
static void write_end(FILE *out, const json_t *tensor, const char *key, const char *what)
{
    const double percent = 100 * amount(tensor, key) / amount(tensor, "count");
    if (percent >= 0.05) {
        fprintf(out, ", %.1f %% at the %s", percent, what);
    }
}

static void write_picture(FILE *out, const json_t *tensor)
{
    const double limit = strcmp(json_string_value(json_object_get(tensor, "dtype")), "int8") == 0 ? 128 : 32768;

    fprintf(out,
            "<svg class=\"histogram\" viewBox=\"0 0 %d %d\" preserveAspectRatio=\"none\" role=\"img\" "
            "aria-label=\"from %.0f to %.0f\">",
            WIDTH, HEIGHT, amount(tensor, "least"), amount(tensor, "most"));
    write_columns(out, json_object_get(tensor, "bins"));
    fprintf(out, "</svg><small>grid %.4g to %.4g, taken %.4g to %.4g", real_of(tensor, -limit),
            real_of(tensor, limit - 1), real_of(tensor, amount(tensor, "least")),
            real_of(tensor, amount(tensor, "most")));
    if (amount(tensor, "scale") > 0) {
        fprintf(out, ", step %.4g", amount(tensor, "scale"));
    }
    write_end(out, tensor, "at_lowest", "lowest");
    write_end(out, tensor, "at_highest", "highest");
    fputs("</small>", out);
}

// The first histogram of an instruction with this role from `start` on; NULL if there is none.
static const json_t *find(const json_t *tensors, size_t start, const char *role)
{
    const json_int_t instruction = json_integer_value(json_object_get(json_array_get(tensors, start), "instruction"));

    for (size_t i = start; i < json_array_size(tensors); i++) {
        const json_t *tensor = json_array_get(tensors, i);
        if (json_integer_value(json_object_get(tensor, "instruction")) != instruction) {
            return NULL;
        }
        if (strcmp(json_string_value(json_object_get(tensor, "role")), role) == 0) {
            return tensor;
        }
    }
    return NULL;
}

static void write_row(const struct rl_cli_page *page, const json_t *tensors, size_t start)
{
    static const char *const roles[] = {"weights", "results"};
    FILE *out = page->out;
    const json_t *first = json_array_get(tensors, start);
    const json_t *call = json_array_get(json_object_get(page->inspect, "instructions"),
                                        (size_t)json_integer_value(json_object_get(first, "instruction")));
    const char *layer = json_string_value(json_object_get(call, "layer"));

    fputs("<tr><td><code>", out);
    rl_html_text(out, layer && *layer ? layer : json_string_value(json_object_get(call, "node")));
    fputs("</code><br><small><code>", out);
    rl_html_text(out, rl_cli_page_short_name(json_string_value(json_object_get(call, "op"))));
    fputs("</code></small></td>", out);
    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++) {
        const json_t *tensor = find(tensors, start, roles[i]);
        fputs("<td>", out);
        if (tensor) {
            write_picture(out, tensor);
        }
        fputs("</td>", out);
    }
    fputs("</tr>\n", out);
}

void rl_cli_page_histograms(const struct rl_cli_page *page)
{
    const json_t *histograms = json_object_get(page->data, "histograms");
    const json_t *tensors = json_object_get(histograms, "tensors"), *tensor;
    const json_int_t samples = json_integer_value(json_object_get(histograms, "samples"));
    json_int_t last = -1;
    size_t index;

    fputs("<h2>Weights and activations</h2>\n", page->out);
    if (json_array_size(tensors) == 0) {
        fputs("<p>The program has no integer weights.</p>\n", page->out);
        return;
    }
    fputs("<p class=\"faint\">How often each part of the grid is taken, from its lowest integer to its highest; the "
          "tallest "
          "column may be cut. ",
          page->out);
    if (samples > 0) {
        fprintf(page->out,
                "Results are those of %lld sample%s. Where the grid of a tensor is not known, integers stand "
                "in place of numbers.</p>\n",
                (long long)samples, samples > 1 ? "s" : "");
    } else {
        fputs("Results need samples: <code>--model</code> and <code>--data</code>.</p>\n", page->out);
    }
    fputs("<details class=\"module\" open><summary>Histograms</summary><div class=\"scroll\"><table><tr><th>layer</th>"
          "<th>weights</th><th>results</th></tr>\n",
          page->out);
    json_array_foreach(tensors, index, tensor)
    {
        const json_int_t instruction = json_integer_value(json_object_get(tensor, "instruction"));
        if (instruction != last) {
            write_row(page, tensors, index);
        }
        last = instruction;
    }
    fputs("</table></div></details>\n", page->out);
}
