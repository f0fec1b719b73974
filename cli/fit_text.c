// SPDX-License-Identifier: Apache-2.0
//
// The report of `fit` for people.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/fit.h"

static double amount(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

static const char *text(const json_t *object, const char *key)
{
    const char *found = json_string_value(json_object_get(object, key));
    return found ? found : "";
}

static double kilobytes(const json_t *object, const char *key)
{
    return amount(object, key) / 1024;
}

// Small numbers of bytes as such, others in KB.
static void print_bytes(const char *before, const json_t *object, const char *key)
{
    const double bytes = amount(object, key);
    if (bytes < 1024) {
        printf("%s%.0f bytes", before, bytes);
    } else {
        printf("%s%.*f KB", before, bytes < 100 * 1024 ? 1 : 0, bytes / 1024);
    }
}

static const char *verdict(const json_t *part)
{
    return json_is_true(json_object_get(part, "fits")) ? "" : "  TOO MUCH";
}

static void print_limit(const json_t *part)
{
    if (json_is_integer(json_object_get(part, "limit_bytes"))) {
        printf(" of %.0f KB", kilobytes(part, "limit_bytes"));
    } else {
        printf(" KB");
    }
}

static void print_flash(const json_t *flash)
{
    printf("  flash  %8.1f", kilobytes(flash, "bytes"));
    print_limit(flash);
    print_bytes(": program ", flash, "program_bytes");
    print_bytes(", code ", flash, "code_bytes");
    printf("%s\n", verdict(flash));
}

static void print_ram(const json_t *ram)
{
    printf("  RAM    %8.1f", kilobytes(ram, "bytes"));
    print_limit(ram);
    print_bytes(": arena ", ram, "arena_bytes");
    print_bytes(", the runtime's ", ram, "state_bytes");
    print_bytes(", stack ", ram, "stack_bytes");
    if (amount(ram, "variable_bytes") > 0) {
        print_bytes(", variables ", ram, "variable_bytes");
    }
    if (amount(ram, "largest_piece_bytes") > 0 && amount(ram, "largest_piece_bytes") < amount(ram, "limit_bytes")) {
        print_bytes("; the arena in a piece of ", ram, "largest_piece_bytes");
    }
    printf("%s\n", verdict(ram));
}

static void print_milliseconds(const json_t *time)
{
    const double milliseconds = amount(time, "milliseconds");
    int decimals = milliseconds < 100;
    decimals += milliseconds < 10;
    printf("%.*f ms", decimals, milliseconds);
    if (json_is_number(json_object_get(time, "error_percent"))) {
        printf(" \u00b1 %.0f %%", amount(time, "error_percent"));
    }
}

static void print_time(const json_t *time, const char *core, const char *measured_on)
{
    printf("  time   ");
    if (json_is_number(json_object_get(time, "clock_hz"))) {
        print_milliseconds(time);
        printf(" at %g MHz: ", amount(time, "clock_hz") / 1e6);
    }
    printf("%.0f modelled cycles", amount(time, "cycles"));
    if (amount(time, "wait_states") > 0) {
        printf(", %.0f wait states", amount(time, "wait_states"));
    }
    if (json_is_number(json_object_get(time, "deadline_milliseconds"))) {
        printf("; the deadline is %g ms", amount(time, "deadline_milliseconds"));
    }
    printf("%s\n", verdict(time));
    if (strcmp(core, measured_on) == 0) {
        printf("         (%s)\n", text(time, "error"));
    } else {
        printf("         (of %s, whose code %s runs; this one is not emulated)\n", measured_on, core);
    }
}

static void print_place(const char *title, const json_t *entry, double percent)
{
    if (!json_is_object(entry)) {
        return;
    }
    const char *layer = text(entry, "layer");
    printf("  %s%s%s%s%s", title, layer, layer[0] ? " (" : "", text(entry, "operator"), layer[0] ? ")" : "");
    printf(percent > 0 ? ", %.0f %% of the cycles\n" : "\n", percent);
}

// First what is saved, then what that costs. Less than a twentieth of a KB is not worth a word.
static void print_hint(const json_t *hint)
{
    static const struct {
        const char *key, *format;
        double unit, least;
    } savings[] = {{"flash_bytes", "%.1f KB of flash", 1024, 0.05},
                   {"ram_bytes", "%.1f KB of RAM", 1024, 0.05},
                   {"milliseconds", "%.2f ms", 1, 0.005}};
    printf("  %s", text(hint, "change"));
    for (int sign = 1; sign >= -1; sign -= 2) {
        const char *between = sign > 0 ? " saves " : "; it costs ";
        for (size_t i = 0; i < sizeof savings / sizeof *savings; i++) {
            const double saved = sign * amount(hint, savings[i].key) / savings[i].unit;
            if (saved >= savings[i].least) {
                printf("%s", between);
                printf(savings[i].format, saved);
                between = ", ";
            }
        }
    }
    printf("\n");
}

static void print_list(const char *title, const json_t *list)
{
    size_t index;
    const json_t *item;
    json_array_foreach(list, index, item)
    {
        printf("%s%s", index == 0 ? title : ", ", json_string_value(item));
    }
    if (json_array_size(list) > 0) {
        printf("\n");
    }
}

static void print_energy(const json_t *report)
{
    const json_t *current = json_object_get(report, "current");

    if (!json_is_real(json_object_get(report, "microjoules"))) {
        return;
    }
    printf("  energy %s%.4g uJ at %.3g mW", json_is_object(current) ? "about " : "", amount(report, "microjoules"),
           1000 * amount(report, "watts"));
    if (json_is_object(current)) {
        printf(": %g uA/MHz at %g V, %s", amount(current, "microamperes_per_mhz"), amount(current, "volts"),
               text(current, "conditions"));
    }
    printf("\n");
}

void rl_cli_print_fit(const json_t *report)
{
    const json_t *board = json_object_get(report, "board"), *time = json_object_get(report, "time");
    const json_t *most = json_object_get(report, "most_cycles"), *item;
    const char *core = text(report, "core"), *measured_on = text(report, "measured_on");
    size_t index;

    printf("%s on %s%s%s%s\n", text(report, "file"), json_is_object(board) ? text(board, "board") : core,
           json_is_object(board) ? " (" : "", json_is_object(board) ? core : "", json_is_object(board) ? ")" : "");
    print_flash(json_object_get(report, "flash"));
    print_ram(json_object_get(report, "ram"));
    print_time(time, core, measured_on);
    print_energy(report);
    print_place("most time: ", most, amount(most, "percent"));
    print_place("most RAM at: ", json_object_get(report, "memory_peak"), 0);
    if (json_is_object(board) && text(board, "note")[0]) {
        printf("  board: %s\n", text(board, "note"));
    }
    json_array_foreach(json_object_get(report, "unknown"), index, item)
    {
        printf("  not known: %s\n", json_string_value(item));
    }
    json_array_foreach(json_object_get(report, "hints"), index, item)
    {
        print_hint(item);
    }
    print_list("  boards with this core that it fits: ", json_object_get(report, "boards_that_fit"));
    printf(json_is_true(json_object_get(report, "fits")) ? "fits" : "does not fit");
    if (json_is_object(board)) {
        printf(" %s", text(board, "name"));
    }
    printf(": ");
    if (json_is_number(json_object_get(time, "milliseconds"))) {
        print_milliseconds(time);
        printf(", ");
    }
    printf("%.0f KB of RAM, %.0f KB of flash\n", ceil(kilobytes(json_object_get(report, "ram"), "bytes")),
           ceil(kilobytes(json_object_get(report, "flash"), "bytes")));
}
