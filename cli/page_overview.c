// SPDX-License-Identifier: Apache-2.0
//
// The top of the page: the verdict, the sizes, boards, and what stayed in floating point.
#include <string.h>

#include "cli/html.h"
#include "cli/page.h"
#include "cli/report.h"

static double amount(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

static bool is_true(const json_t *object, const char *key)
{
    return json_is_true(json_object_get(object, key));
}

// ---- verdict

static void write_missing(const struct rl_cli_page *page)
{
    const json_t *missing = json_object_get(page->inspect, "missing_operators"), *name;
    size_t index;

    if (json_array_size(missing) == 0) {
        return;
    }
    fputs("<p class=\"no\">The runtime does not have these operators:", page->out);
    json_array_foreach(missing, index, name)
    {
        fputs(" <code>", page->out);
        rl_html_text(page->out, json_string_value(name));
        fputs("</code>", page->out);
    }
    fputs("</p>\n", page->out);
}

static void write_verdict(const struct rl_cli_page *page)
{
    static const char *const parts[][2] = {{"flash", "flash"}, {"ram", "RAM"}, {"time", "time"}};
    const json_t *board = json_object_get(page->fit, "board");
    const bool fits = is_true(page->fit, "fits");

    if (!json_is_object(page->fit)) {
        fputs("<p class=\"verdict\">Not measured on a core.</p>\n", page->out);
        return;
    }
    fprintf(page->out, "<p class=\"verdict %s\">%s", fits ? "good" : "bad", fits ? "Fits " : "Does not fit ");
    rl_html_text(page->out, json_string_value(json_object_get(board, "board")));
    if (!json_is_object(board)) {
        fputs("what was asked for on ", page->out);
        rl_html_text(page->out, json_string_value(json_object_get(page->fit, "core")));
    }
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (!is_true(json_object_get(page->fit, parts[i][0]), "fits")) {
            fprintf(page->out, " · too much %s", parts[i][1]);
        }
    }
    fputs("</p>\n", page->out);
    if (json_is_object(board) && json_string_length(json_object_get(board, "note")) > 0) {
        fputs("<p class=\"faint\">Note: ", page->out);
        rl_html_text(page->out, json_string_value(json_object_get(board, "note")));
        fputs("</p>\n", page->out);
    }
}

// What was not measured, and how to get it.
static void write_reason(const struct rl_cli_page *page)
{
    const char *reason = json_string_value(json_object_get(page->data, "not_measured"));
    const json_t *unknown;
    size_t index;

    if (reason) {
        fputs("<p class=\"faint\">What is missing here could not be measured: ", page->out);
        rl_html_text(page->out, reason);
        fputs("</p>\n", page->out);
    } else if (!json_is_object(page->profile)) {
        fputs("<p class=\"faint\">Cycles, stack and code were not measured: <code>--board</code> or "
              "<code>--core</code> names the core to measure them on.</p>\n",
              page->out);
    }
    json_array_foreach(json_object_get(page->profile, "unknown"), index, unknown)
    {
        fputs("<p class=\"faint\">Not known: ", page->out);
        rl_html_text(page->out, json_string_value(unknown));
        fputs("</p>\n", page->out);
    }
}

// ---- tiles

static void start_tile(FILE *out, const char *title)
{
    fprintf(out, "<div class=\"tile\"><small>%s</small><b>", title);
}

// How much of a limit is taken; nothing without a limit.
static void write_limit(FILE *out, const json_t *part, const char *what)
{
    const double limit = amount(part, "limit_bytes");

    fputs("</b>", out);
    if (limit > 0) {
        const double percent = 100 * amount(part, "bytes") / limit;
        rl_html_bar(out, percent, is_true(part, "fits") ? "" : "bad");
        fprintf(out, "<small>%.1f %% of ", percent);
        rl_html_bytes(out, limit);
        fputs("</small>", out);
    }
    fprintf(out, "<small>%s</small></div>\n", what);
}

static void write_fit_tiles(FILE *out, const json_t *fit)
{
    const json_t *flash = json_object_get(fit, "flash"), *ram = json_object_get(fit, "ram");
    const json_t *time = json_object_get(fit, "time");

    start_tile(out, "Flash");
    rl_html_bytes(out, amount(flash, "bytes"));
    write_limit(out, flash, "program and code as linked");
    start_tile(out, "RAM");
    rl_html_bytes(out, amount(ram, "bytes"));
    write_limit(out, ram, "arena, state and stack");
    if (json_is_real(json_object_get(time, "milliseconds"))) {
        start_tile(out, "Time of an inference");
        fprintf(out, "%.3g ms</b><small>at %.4g MHz", amount(time, "milliseconds"), amount(time, "clock_hz") / 1e6);
        if (amount(time, "error_percent") > 0) {
            fprintf(out, ", ± %.0f %%", amount(time, "error_percent"));
        }
        fputs("</small>", out);
        if (amount(time, "deadline_milliseconds") > 0) {
            fprintf(out, "<small>deadline %.4g ms</small>", amount(time, "deadline_milliseconds"));
        }
        fputs("</div>\n", out);
    }
}

static void write_cycles(FILE *out, const json_t *profile)
{
    const char *measure = json_is_integer(json_object_get(profile, "cycles")) ? "cycles" : "instructions";

    start_tile(out, strcmp(measure, "cycles") == 0 ? "Cycles of an inference" : "Instructions of an inference");
    rl_html_count(out, json_integer_value(json_object_get(profile, measure)));
    fputs("</b><small>emulated ", out);
    rl_html_text(out, json_string_value(json_object_get(profile, "core")));
    fputs("</small></div>\n", out);
}

void rl_cli_page_overview(const struct rl_cli_page *page)
{
    FILE *out = page->out;

    write_verdict(page);
    write_missing(page);
    fputs("<div class=\"tiles\">\n", out);
    if (json_is_object(page->fit)) {
        write_fit_tiles(out, page->fit);
    }
    start_tile(out, "Program");
    rl_html_bytes(out, amount(page->inspect, "program_bytes"));
    fputs("</b><small>of which constants ", out);
    rl_html_bytes(out, amount(page->inspect, "constant_bytes"));
    fputs("</small></div>\n", out);
    start_tile(out, "Arena");
    rl_html_bytes(out, amount(page->inspect, "arena_bytes"));
    fputs("</b><small>memory of the tensors</small></div>\n", out);
    if (json_is_object(page->profile)) {
        write_cycles(out, page->profile);
    }
    fputs("</div>\n", out);
    write_reason(page);
}

// ---- boards

static void write_share(FILE *out, double bytes, double limit)
{
    const double percent = 100 * bytes / limit;
    fprintf(out, "<td class=\"n %s\">%.1f %% of ", percent > 100 ? "no" : "", percent);
    rl_html_bytes(out, limit);
    fputs("</td>", out);
}

void rl_cli_page_boards(const struct rl_cli_page *page)
{
    const json_t *board;
    size_t index;

    fputs("<h2>Beside boards</h2>\n<p class=\"faint\">The program in the flash and its arena in the largest piece of "
          "RAM. Code and stack come on top; <code>rushlight fit</code> measures them.</p>\n"
          "<div class=\"scroll\"><table><tr><th>board</th><th>core</th><th class=\"n\">flash</th>"
          "<th class=\"n\">RAM</th></tr>\n",
          page->out);
    json_array_foreach(json_object_get(page->data, "boards"), index, board)
    {
        fputs("<tr><td>", page->out);
        rl_html_text(page->out, json_string_value(json_object_get(board, "board")));
        fputs("</td><td>", page->out);
        rl_html_text(page->out, json_string_value(json_object_get(board, "core")));
        fputs("</td>", page->out);
        write_share(page->out, amount(page->inspect, "program_bytes"), amount(board, "flash_bytes"));
        write_share(page->out, amount(page->inspect, "arena_bytes"), amount(board, "ram_bytes"));
        fputs("</tr>\n", page->out);
    }
    fputs("</table></div>\n", page->out);
}

// ---- what stayed in floating point

static void write_groups(FILE *out, const json_t *groups)
{
    const json_t *group;
    size_t index;

    fputs("<ul>\n", out);
    json_array_foreach(groups, index, group)
    {
        char *text = rl_cli_group_text(group);
        fputs("<li>", out);
        rl_html_text(out, text);
        fputs("</li>\n", out);
        rl_cli_free(text);
    }
    fputs("</ul>\n", out);
}

void rl_cli_page_float(const struct rl_cli_page *page)
{
    const json_t *nodes = json_object_get(page->inspect, "fp32_nodes"), *node;
    const json_t *groups = json_object_get(json_object_get(page->data, "compilation"), "fp32_groups");
    size_t index;

    fputs("<h2>In floating point</h2>\n", page->out);
    if (json_array_size(groups) > 0) {
        write_groups(page->out, groups);
        return;
    }
    if (json_array_size(nodes) == 0) {
        fputs("<p>No operator computes in floating point.</p>\n", page->out);
        return;
    }
    fputs("<div class=\"scroll\"><table><tr><th>node</th><th>operator</th><th>reason</th></tr>\n", page->out);
    json_array_foreach(nodes, index, node)
    {
        fputs("<tr><td>", page->out);
        rl_html_code(page->out, node, "node");
        fputs("</td><td>", page->out);
        rl_html_code(page->out, node, "op");
        fputs("</td><td>", page->out);
        rl_html_text(page->out, json_string_value(json_object_get(node, "reason")));
        fputs("</td></tr>\n", page->out);
    }
    fputs("</table></div>\n", page->out);
}
