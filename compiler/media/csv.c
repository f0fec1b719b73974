// SPDX-License-Identifier: Apache-2.0
#include "compiler/media/csv.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

// A piece of the text.
struct span {
    const char *start;
    size_t length;
};

// Takes the next line and steps behind its end. False at the end of the text.
static bool next_line(const struct rl_csv *csv, size_t *at, struct span *line)
{
    if (*at >= csv->size) {
        return false;
    }
    const char *start = csv->text + *at, *end = memchr(start, '\n', csv->size - *at);
    line->start = start;
    line->length = end ? (size_t)(end - start) : csv->size - *at;
    *at += line->length + 1;
    if (line->length > 0 && start[line->length - 1] == '\r') {
        line->length--;
    }
    return true;
}

static struct span trim(struct span text)
{
    while (text.length > 0 && (*text.start == ' ' || *text.start == '\t')) {
        text.start++;
        text.length--;
    }
    while (text.length > 0 && (text.start[text.length - 1] == ' ' || text.start[text.length - 1] == '\t')) {
        text.length--;
    }
    return text;
}

// Takes the next cell of a line. Separators inside quotation marks are text.
static bool next_cell(const struct rl_csv *csv, struct span *rest, struct span *cell)
{
    bool quoted = false;
    size_t length = 0;

    if (!rest->start) {
        return false;
    }
    while (length < rest->length && (quoted || rest->start[length] != csv->separator)) {
        quoted ^= rest->start[length++] == '"';
    }
    *cell = trim((struct span){rest->start, length});
    if (cell->length >= 2 && cell->start[0] == '"' && cell->start[cell->length - 1] == '"') {
        *cell = trim((struct span){cell->start + 1, cell->length - 2});
    }
    const bool is_last = length == rest->length;
    *rest = is_last ? (struct span){0} : (struct span){rest->start + length + 1, rest->length - length - 1};
    return true;
}

static bool parse_number(struct span cell, double *number)
{
    enum { LONGEST = 63 };
    char text[LONGEST + 1], *end;

    if (cell.length == 0 || cell.length > LONGEST) {
        return false;
    }
    memcpy(text, cell.start, cell.length);
    text[cell.length] = '\0';
    *number = strtod(text, &end);
    return end == text + cell.length && isfinite(*number);
}

static char find_separator(struct span line)
{
    static const char separators[] = ",;\t";
    char found = separators[0];
    size_t most = 0;

    for (const char *separator = separators; *separator; separator++) {
        size_t count = 0;
        for (size_t i = 0; i < line.length; i++) {
            count += line.start[i] == *separator;
        }
        if (count > most) {
            most = count;
            found = *separator;
        }
    }
    return found;
}

static bool is_empty(struct span line)
{
    return trim(line).length == 0;
}

static void count_cells(const struct rl_csv *csv, struct span line, int *cells, int *numbers)
{
    struct span cell;
    double number;

    *cells = *numbers = 0;
    while (next_cell(csv, &line, &cell)) {
        (*cells)++;
        *numbers += parse_number(cell, &number);
    }
}

// Finds the first row of numbers, and how many columns it has.
static enum rl_status find_start(struct rl_context *context, struct rl_csv *csv)
{
    size_t at = csv->size >= 3 && memcmp(csv->text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0; // a byte order mark
    int numbers;
    struct span line;

    csv->line = 1;
    csv->start = at;
    while (next_line(csv, &at, &line) && is_empty(line)) {
        csv->start = at;
        csv->line++;
    }
    if (csv->start >= csv->size) {
        return rl_fail(context, RL_ERROR_FORMAT, "%s: the table is empty", csv->place);
    }
    csv->separator = find_separator(line);
    count_cells(csv, line, &csv->columns, &numbers);
    if (numbers == 0) {
        csv->start = at; // the names of the columns
        csv->line++;
    }
    return RL_OK;
}

static enum rl_status check_row(struct rl_context *context, const struct rl_csv *csv, struct span line, int64_t number)
{
    struct span rest = line, cell;
    double value;
    int column = 0, cells, numbers;

    count_cells(csv, line, &cells, &numbers);
    if (cells != csv->columns) {
        return rl_fail(context, RL_ERROR_FORMAT,
                       "%s: line %lld has %d columns, the first one has %d; accepted: as many", csv->place,
                       (long long)number, cells, csv->columns);
    }
    while (numbers < cells && next_cell(csv, &rest, &cell)) {
        column++;
        if (!parse_number(cell, &value)) {
            return rl_fail(context, RL_ERROR_FORMAT, "%s: line %lld, column %d: expected a number, found '%.*s'",
                           csv->place, (long long)number, column, cell.length < 40 ? (int)cell.length : 40, cell.start);
        }
    }
    return RL_OK;
}

enum rl_status rl_csv_measure(struct rl_context *context, struct rl_csv *csv)
{
    enum rl_status status = find_start(context, csv);
    size_t at = csv->start;
    struct span line;

    csv->rows = 0;
    for (int64_t number = csv->line; status == RL_OK && next_line(csv, &at, &line); number++) {
        if (!is_empty(line)) {
            status = check_row(context, csv, line, number);
            csv->rows++;
        }
    }
    if (status == RL_OK && csv->rows == 0) {
        return rl_fail(context, RL_ERROR_FORMAT, "%s: the table has names of columns, but no row of numbers",
                       csv->place);
    }
    return status;
}

void rl_csv_read(const struct rl_csv *csv, double *numbers)
{
    size_t at = csv->start;
    struct span line, cell;

    while (next_line(csv, &at, &line)) {
        struct span rest = is_empty(line) ? (struct span){0} : line;
        while (next_cell(csv, &rest, &cell)) {
            parse_number(cell, numbers++);
        }
    }
}
