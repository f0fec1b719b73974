// SPDX-License-Identifier: Apache-2.0
//
// What a program needs beside what there is, and what would change that.
#include "cli/boards.h"
#include "cli/fit.h"

#include <string.h>

enum { MOST_BOARDS = 5 };

// ---- the judgement

static uint64_t number(const json_t *object, const char *key)
{
    return (uint64_t)json_integer_value(json_object_get(object, key));
}

static json_t *bytes_or_null(uint64_t bytes)
{
    return bytes > 0 ? json_integer((json_int_t)bytes) : json_null();
}

static json_t *flash_json(const struct rl_cli_room *room, const struct rl_cli_need *need)
{
    const uint64_t bytes = rl_cli_need_flash(need);
    return json_pack("{s:I, s:I, s:I, s:o, s:b}", "bytes", (json_int_t)bytes, "program_bytes",
                     (json_int_t)(number(need->facts, "program_bytes") + number(need->profile, "data_bytes")),
                     "code_bytes", (json_int_t)number(need->profile, "code_bytes"), "limit_bytes",
                     bytes_or_null(room->flash_bytes), "fits", room->flash_bytes == 0 || bytes <= room->flash_bytes);
}

static bool ram_fits(const struct rl_cli_need *need, uint64_t all, uint64_t piece)
{
    return (all == 0 || rl_cli_need_ram(need) <= all) && (piece == 0 || number(need->profile, "arena_bytes") <= piece);
}

static json_t *ram_json(const struct rl_cli_room *room, const struct rl_cli_need *need)
{
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:b}", "bytes", (json_int_t)rl_cli_need_ram(need),
                     "arena_bytes", (json_int_t)number(need->profile, "arena_bytes"), "state_bytes",
                     (json_int_t)number(need->profile, "state_bytes"), "stack_bytes",
                     (json_int_t)number(need->profile, "stack_bytes"), "variable_bytes",
                     (json_int_t)number(need->profile, "variable_bytes"), "limit_bytes", bytes_or_null(room->ram_bytes),
                     "largest_piece_bytes", bytes_or_null(room->ram_piece_bytes), "fits",
                     ram_fits(need, room->ram_bytes, room->ram_piece_bytes));
}

// Percent by which the modelled cycles may differ from a board's; 0 if that is not known, as of a core that another one
// stands in for.
static double error_percent(const struct rl_cli_room *room, const struct rl_cli_need *need)
{
    const json_t *percent = json_object_get(need->profile, "cycles_error_percent");
    return strcmp(room->core->name, room->measured_on) == 0 ? json_number_value(percent) : 0;
}

// The longest time that the model's error allows, as far as it is known.
static double longest_seconds(const struct rl_cli_room *room, const struct rl_cli_need *need, double hertz)
{
    return (double)rl_cli_need_cycles(need) / hertz * (1 + error_percent(room, need) / 100);
}

static json_t *time_json(const struct rl_cli_room *room, const struct rl_cli_need *need)
{
    const double cycles = (double)rl_cli_need_cycles(need), percent = error_percent(room, need);
    json_t *time = json_pack("{s:I, s:o, s:O, s:i}", "cycles", (json_int_t)rl_cli_need_cycles(need), "error_percent",
                             percent > 0 ? json_real(percent) : json_null(), "error",
                             json_object_get(json_object_get(need->profile, "cycle_model"), "error"), "wait_states",
                             (int)room->wait_states);
    const bool is_timed = room->hertz > 0, is_due = room->deadline_seconds > 0;
    json_object_set_new(time, "clock_hz", is_timed ? json_real(room->hertz) : json_null());
    json_object_set_new(time, "milliseconds", is_timed ? json_real(1000 * cycles / room->hertz) : json_null());
    json_object_set_new(time, "deadline_milliseconds", is_due ? json_real(1000 * room->deadline_seconds) : json_null());
    json_object_set_new(time, "fits",
                        json_boolean(!is_due || longest_seconds(room, need, room->hertz) <= room->deadline_seconds));
    return time;
}

// The entry of a list that takes the most cycles.
static json_t *largest(const json_t *list)
{
    const json_t *most = NULL, *entry;
    size_t index;
    json_array_foreach(list, index, entry)
    {
        if (!most || number(entry, "cycles") > number(most, "cycles")) {
            most = entry;
        }
    }
    return most ? json_deep_copy(most) : json_null();
}

static json_t *peak_json(const struct rl_cli_need *need)
{
    const json_t *peak = json_object_get(need->facts, "memory_peak");
    const json_t *call = json_array_get(json_object_get(need->facts, "instructions"), number(peak, "instruction"));
    json_t *op = json_object_get(call, "op"), *layer = json_object_get(call, "layer");
    return json_pack("{s:I, s:O?, s:O?}", "bytes", (json_int_t)number(peak, "bytes"), "operator", op, "layer", layer);
}

static json_t *board_json(const struct rl_board *board)
{
    return board ? json_pack("{s:s, s:s, s:s}", "name", board->name, "board", board->full_name, "note", board->note)
                 : json_null();
}

// The totals again, each beside its limit in `limits`, for who asks for nothing else.
static void add_totals(json_t *report, const struct rl_cli_room *room)
{
    const json_t *flash = json_object_get(report, "flash"), *ram = json_object_get(report, "ram");
    const json_t *time = json_object_get(report, "time");

    json_object_set(report, "flash_bytes", json_object_get(flash, "bytes"));
    json_object_set(report, "ram_bytes", json_object_get(ram, "bytes"));
    json_object_set(report, "milliseconds", json_object_get(time, "milliseconds"));
    json_object_set(report, "milliseconds_error_percent", json_object_get(time, "error_percent"));
    json_object_set_new(report, "limits",
                        json_pack("{s:O, s:O, s:o, s:O}", "flash_bytes", json_object_get(flash, "limit_bytes"),
                                  "ram_bytes", json_object_get(ram, "limit_bytes"), "arena_bytes",
                                  bytes_or_null(room->ram_piece_bytes), "milliseconds",
                                  json_object_get(time, "deadline_milliseconds")));
}

static bool part_fits(const json_t *report, const char *part)
{
    return json_is_true(json_object_get(json_object_get(report, part), "fits"));
}

json_t *rl_cli_fit_report(const char *file, const struct rl_cli_room *room, const struct rl_cli_need *need)
{
    json_t *report =
        json_pack("{s:s, s:o, s:s, s:s, s:o, s:o, s:o, s:o, s:o}", "file", file, "board", board_json(room->board),
                  "core", room->core->name, "measured_on", room->measured_on, "flash", flash_json(room, need), "ram",
                  ram_json(room, need), "time", time_json(room, need), "most_cycles",
                  largest(json_object_get(need->profile, "ops")), "memory_peak", peak_json(need));
    json_object_set_new(
        report, "fits",
        json_boolean(part_fits(report, "flash") && part_fits(report, "ram") && part_fits(report, "time")));
    add_totals(report, room);
    json_object_set(report, "microjoules", json_object_get(need->profile, "microjoules"));
    json_object_set_new(report, "watts", room->watts > 0 ? json_real(room->watts) : json_null());
    json_object_set_new(report, "current", rl_cli_current_json(room->current));
    json_object_set_new(report, "unknown", json_copy(json_object_get(need->profile, "unknown")));
    if (room->hertz > 0 && room->watts <= 0 && !room->board) { // of a board the profile says so
        json_array_append_new(json_object_get(report, "unknown"), json_string(RL_CLI_NO_ENERGY));
    }
    json_object_set_new(report, "hints", json_array());
    json_object_set_new(report, "boards_that_fit", json_array());
    return report;
}

// ---- hints

static double milliseconds(const struct rl_cli_room *room, double cycles)
{
    return room->hertz > 0 ? 1000 * cycles / room->hertz : 0;
}

// What one change saves; less than nothing costs.
static void add_hint(json_t *report, const char *change, json_int_t flash, json_int_t ram, double cycles,
                     const struct rl_cli_room *room)
{
    if (flash == 0 && ram == 0 && cycles == 0) {
        return;
    }
    json_array_append_new(json_object_get(report, "hints"),
                          json_pack("{s:s, s:I, s:I, s:I, s:f}", "change", change, "flash_bytes", flash, "ram_bytes",
                                    ram, "cycles", (json_int_t)cycles, "milliseconds", milliseconds(room, cycles)));
}

static bool board_fits(const struct rl_board *board, const struct rl_cli_room *room, const struct rl_cli_need *need)
{
    const struct rl_core *core = rl_core_find(board->chip->core, strlen(board->chip->core));
    return board != room->board && core == room->core && rl_cli_need_flash(need) <= rl_board_flash_bytes(board) &&
           ram_fits(need, board->chip->ram_total_bytes, board->chip->ram_bytes) &&
           (room->deadline_seconds <= 0 ||
            longest_seconds(room, need, (double)board->chip->clock_hz) <= room->deadline_seconds);
}

void rl_cli_add_hints(json_t *report, const struct rl_cli_room *room, const struct rl_cli_need *need,
                      const struct rl_cli_need *other)
{
    int count = 0;
    const struct rl_board *boards = rl_boards(&count);
    json_t *list = json_object_get(report, "boards_that_fit");

    if (other) {
        add_hint(report, "--io int8", (json_int_t)rl_cli_need_flash(need) - (json_int_t)rl_cli_need_flash(other),
                 (json_int_t)rl_cli_need_ram(need) - (json_int_t)rl_cli_need_ram(other),
                 (double)rl_cli_need_cycles(need) - (double)rl_cli_need_cycles(other), room);
    }
    add_hint(report, "rl_program_trust in place of rl_program_verify, for a program that was verified before",
             (json_int_t)number(need->profile, "code_bytes") - (json_int_t)number(need->profile, "trusted_code_bytes"),
             0, 0, room);
    add_hint(report, "--no-names", (json_int_t)need->name_bytes, 0, 0, room);
    for (int i = 0; i < count && !json_is_true(json_object_get(report, "fits")); i++) {
        if (json_array_size(list) < MOST_BOARDS && board_fits(&boards[i], room, need)) {
            json_array_append_new(list, json_string(boards[i].name));
        }
    }
}
