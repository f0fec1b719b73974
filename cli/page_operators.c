// SPDX-License-Identifier: Apache-2.0
//
// The operators of the page, folded by module, and the cycles of each layer.
#include <stdlib.h>
#include <string.h>

#include "cli/html.h"
#include "cli/page.h"
#include "cli/profile.h"

static double amount(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

// ---- layers

void rl_cli_page_layers(const struct rl_cli_page *page)
{
    const bool named = json_array_size(json_object_get(page->profile, "layers")) > 0;
    const char *key = named ? "layer" : "kind";
    const json_t *list = json_object_get(page->profile, named ? "layers" : "kinds"), *entry;
    size_t index;

    fprintf(page->out, "<h2>Cycles of each %s</h2>\n", named ? "layer" : "kind of operator");
    if (!json_is_object(page->profile)) {
        fputs("<p>Not measured.</p>\n", page->out);
        return;
    }
    const char *error = json_string_value(json_object_get(json_object_get(page->profile, "cycle_model"), "error"));
    if (error) {
        fputs("<p class=\"faint\">Instructions are exact. Error of modelled cycles: ", page->out);
        rl_html_text(page->out, error);
        fputs(".</p>\n", page->out);
    }
    fprintf(page->out,
            "<div class=\"scroll\"><table><tr><th>%s</th><th>share of %s</th><th class=\"n\">%%</th><th "
            "class=\"n\">instructions</th>"
            "<th class=\"n\">cycles</th><th class=\"n\">multiply-adds</th><th class=\"n\">cycles each</th>"
            "<th class=\"n\">stack</th></tr>\n",
            key, rl_cli_profile_measure(page->profile));
    json_array_foreach(list, index, entry)
    {
        fputs("<tr><td>", page->out);
        fputs("<code>", page->out);
        rl_html_text(page->out, rl_cli_profile_label(entry, key));
        fputs("</code></td><td style=\"min-width:7rem\">", page->out);
        rl_html_bar(page->out, amount(entry, "percent"), "");
        fputs("</td>", page->out);
        rl_html_cell(page->out, entry, "percent", 1);
        rl_html_cell(page->out, entry, "instructions", 0);
        rl_html_cell(page->out, entry, "cycles", 0);
        rl_html_cell(page->out, entry, "macs", 0);
        rl_html_cell(page->out, entry, "cycles_per_mac", 2);
        rl_html_cell(page->out, entry, "stack_bytes", 0);
        fputs("</tr>\n", page->out);
    }
    fputs("</table></div>\n", page->out);
}

// ---- one operator

static void write_shape(FILE *out, const json_t *tensor)
{
    const json_t *size;
    size_t index;

    rl_html_text(out, json_string_value(json_object_get(tensor, "dtype")));
    fputs(" [", out);
    json_array_foreach(json_object_get(tensor, "shape"), index, size)
    {
        fprintf(out, "%s%lld", index > 0 ? ", " : "", (long long)json_integer_value(size));
    }
    fputs(json_is_true(json_object_get(tensor, "at_most")) ? "] at most" : "]", out);
}

static void write_tensors(const struct rl_cli_page *page, const json_t *values, const char *role)
{
    const json_t *value;
    size_t index;

    json_array_foreach(values, index, value)
    {
        const json_int_t number = json_integer_value(value);
        const json_t *tensor = rl_cli_page_tensor(page, number);
        if (!json_is_string(json_object_get(tensor, "dtype"))) {
            continue;
        }
        fprintf(page->out, "<tr><td>%s</td><td><code>%%%lld</code> ", role, (long long)number);
        write_shape(page->out, tensor);
        fputs("</td><td>", page->out);
        rl_html_text(page->out, json_string_value(json_object_get(tensor, "kind")));
        if (json_object_get(tensor, "offset")) {
            fprintf(page->out, " at %lld", (long long)json_integer_value(json_object_get(tensor, "offset")));
        }
        fputs("</td><td class=\"n\">", page->out);
        rl_html_bytes(page->out, amount(tensor, "bytes"));
        fputs("</td></tr>\n", page->out);
    }
}

static void write_value(FILE *out, const json_t *value)
{
    char *text = json_dumps(value, JSON_ENCODE_ANY);
    rl_html_text(out, text);
    rl_cli_free(text);
}

static void write_numbers(FILE *out, json_t *numbers)
{
    const char *name;
    json_t *value;

    json_object_foreach(numbers, name, value)
    {
        fputs("<code>", out);
        rl_html_text(out, name);
        fputs("=", out);
        write_value(out, value);
        fputs("</code> ", out);
    }
}

static void write_cost(FILE *out, const json_t *cost)
{
    static const char *const figures[][2] = {{"instructions", "instructions"},
                                             {"cycles", "cycles"},
                                             {"macs", "multiply-adds"},
                                             {"loads", "loads"},
                                             {"stores", "stores"},
                                             {"stack_bytes", "bytes of stack"}};
    fputs("<p>", out);
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        const json_t *figure = json_object_get(cost, figures[i][0]);
        if (json_is_integer(figure)) {
            rl_html_count(out, json_integer_value(figure));
            fprintf(out, " %s. ", figures[i][1]);
        }
    }
    fputs("</p>\n", out);
}

// The line that is always seen: name, result, constants, share of the time.
static void write_summary(const struct rl_cli_page *page, const json_t *call, size_t index)
{
    FILE *out = page->out;
    const char *layer = json_string_value(json_object_get(call, "layer"));
    const char *node = json_string_value(json_object_get(call, "node"));
    const json_t *result = json_array_get(json_object_get(call, "results"), 0);
    const json_t *tensor = result ? rl_cli_page_tensor(page, json_integer_value(result)) : NULL;
    const json_int_t constants = rl_cli_page_constants(page, call);
    const json_t *cost = page->costs[index];

    fprintf(out, "<summary><span class=\"n faint\">%zu</span><span><code>", index);
    rl_html_text(out, rl_cli_page_short_name(json_string_value(json_object_get(call, "op"))));
    fputs("</code><br><small><code>", out);
    rl_html_text(out, layer && *layer ? layer : node);
    fputs("</code></small></span><span class=\"shape\"><small>", out);
    if (tensor) {
        write_shape(out, tensor);
    }
    fputs("</small></span><span class=\"size n\"><small>", out);
    if (constants > 0) {
        rl_html_bytes(out, (double)constants);
    }
    fputs("</small></span><span class=\"cost\">", out);
    if (cost) {
        rl_html_bar(out, amount(cost, "percent"), "");
        fprintf(out, "<small>%.1f %%</small>", amount(cost, "percent"));
    }
    fputs("</span></summary>\n", out);
}

// `index` is its place among all instructions: jumps and moves, which call no operator, have no other number.
static void write_operator(const struct rl_cli_page *page, const json_t *call, size_t index)
{
    const json_t *cost = page->costs[index];
    FILE *out = page->out;

    fprintf(out, "<details class=\"op\" data-index=\"%zu\">", index);
    write_summary(page, call, index);
    fputs("<div><p>", out);
    rl_html_code(out, call, "op");
    if (json_is_string(json_object_get(call, "node"))) {
        fputs(", node ", out);
        rl_html_code(out, call, "node");
    }
    fputs("</p>\n", out);
    if (cost) {
        write_cost(out, cost);
    }
    fputs("<div class=\"scroll\"><table>\n", out);
    write_tensors(page, json_object_get(call, "results"), "gives");
    write_tensors(page, json_object_get(call, "reads"), "reads");
    fputs("</table></div>\n<p>", out);
    if (!json_object_get(call, "numbers")) {
        write_value(out, json_object_get(call, "args"));
    }
    write_numbers(out, json_object_get(call, "numbers"));
    fputs("</p></div></details>\n", out);
}

// ---- modules

enum { MOST_DEPTH = 8 }; // modules that are folded into each other

// The length of the first `depth` + 1 components of a module's path; 0 if it has fewer.
static size_t prefix_length(const char *layer, int depth)
{
    size_t length = 0;

    for (int i = 0; layer && i <= depth; i++) {
        if (i > 0 && layer[length++] != '.') {
            return 0;
        }
        const size_t part = strcspn(layer + length, ".");
        if (part == 0) {
            return 0;
        }
        length += part;
    }
    return length;
}

static const char *layer_of(const json_t *call)
{
    return json_string_value(json_object_get(call, "layer"));
}

static bool same_module(const json_t *a, const json_t *b, int depth)
{
    const char *of_a = layer_of(a), *of_b = layer_of(b);
    const size_t length = prefix_length(of_a, depth);
    return !of_a == !of_b && length == prefix_length(of_b, depth) && (length == 0 || strncmp(of_a, of_b, length) == 0);
}

// Where the module that operator `first` is in at this depth ends, at `limit` at most. `first` itself if nothing is to
// be folded there: below the top, a layer without modules in it stands for itself.
static size_t end_of_module(const json_t *calls, size_t first, size_t limit, int depth)
{
    const json_t *call = json_array_get(calls, first);
    bool has_inner = depth == 0;
    size_t end = first;

    if (depth > 0 && prefix_length(layer_of(call), depth) == 0) {
        return first;
    }
    while (end < limit && same_module(call, json_array_get(calls, end), depth)) {
        has_inner = has_inner || prefix_length(layer_of(json_array_get(calls, end)), depth + 1) > 0;
        end++;
    }
    return has_inner ? end : first;
}

// The head of the operators from `first` to before `end`.
static void write_module(const struct rl_cli_page *page, const json_t *calls, size_t first, size_t end, int depth)
{
    const char *layer = layer_of(json_array_get(calls, first));
    const size_t length = prefix_length(layer, depth);
    json_int_t constants = 0;
    double percent = 0;

    for (size_t i = first; i < end; i++) {
        constants += rl_cli_page_constants(page, json_array_get(calls, i));
        percent += amount(page->costs[i], "percent");
    }
    fputs("<details class=\"module\" open><summary>", page->out);
    if (length > 0) {
        char *name = strndup(layer, length);
        fputs("<code>", page->out);
        rl_html_text(page->out, name);
        fputs("</code>", page->out);
        free(name);
    } else {
        fputs(layer ? "the model itself" : "of no module", page->out);
    }
    fprintf(page->out, " <small>%zu operator%s", end - first, end - first > 1 ? "s" : "");
    if (constants > 0) {
        fputs(", constants ", page->out);
        rl_html_bytes(page->out, (double)constants);
    }
    if (percent > 0) {
        fprintf(page->out, ", %.1f %% of the %s", percent, rl_cli_profile_measure(page->profile));
    }
    fputs("</small></summary>\n", page->out);
}

// Modules around an operator, from the outermost: where each ends, and whether it is shown. One that holds nothing but
// another module is not.
struct folds {
    size_t ends[MOST_DEPTH];
    bool shown[MOST_DEPTH];
    int depth;
};

static void close_module(const struct rl_cli_page *page, struct folds *folds)
{
    folds->depth--;
    if (folds->shown[folds->depth]) {
        fputs("</details>\n", page->out);
    }
}

static void open_modules(const struct rl_cli_page *page, const json_t *calls, size_t index, struct folds *folds)
{
    while (folds->depth < MOST_DEPTH) {
        const int depth = folds->depth;
        const size_t limit = depth > 0 ? folds->ends[depth - 1] : json_array_size(calls);
        const size_t end = end_of_module(calls, index, limit, depth);
        if (end == index) {
            return;
        }
        folds->ends[depth] = end;
        folds->shown[depth] = depth + 1 == MOST_DEPTH || end_of_module(calls, index, end, depth + 1) != end;
        if (folds->shown[depth]) {
            write_module(page, calls, index, end, depth);
        }
        folds->depth++;
    }
}

void rl_cli_page_operators(const struct rl_cli_page *page)
{
    const json_t *calls = json_object_get(page->inspect, "instructions");
    struct folds folds = {.depth = 0};

    fputs("<h2>Operators</h2>\n<p class=\"faint\">In the order in which they run: operator and layer, result, bytes of "
          "constants, share of the time. Each opens.</p>\n",
          page->out);
    for (size_t i = 0; i < json_array_size(calls); i++) {
        while (folds.depth > 0 && i == folds.ends[folds.depth - 1]) {
            close_module(page, &folds);
        }
        open_modules(page, calls, i, &folds);
        write_operator(page, json_array_get(calls, i), i);
    }
    while (folds.depth > 0) {
        close_module(page, &folds);
    }
}
