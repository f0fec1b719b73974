// SPDX-License-Identifier: Apache-2.0
//
// Tables of numbers as text: columns separated by commas, semicolons or tabs, whichever the first line has most of;
// numbers may be in quotation marks (RFC 4180). If no cell of the first line is a number, it names the columns.
#ifndef RL_COMPILER_MEDIA_CSV_H
#define RL_COMPILER_MEDIA_CSV_H

#include <stddef.h>
#include <stdint.h>

#include "compiler/support/context.h"

struct rl_csv {
    const char *place, *text; // the name of the file for messages; its contents
    size_t size;
    // From here on found by rl_csv_measure.
    char separator;
    size_t start; // of the first row of numbers
    int64_t line; // its number, from 1
    int columns;
    int64_t rows;
};

// Reads the whole table: every row has as many columns as the first, every cell is a finite number. Empty lines count
// for nothing.
enum rl_status rl_csv_measure(struct rl_context *context, struct rl_csv *csv);

// The numbers of a table that was measured, row by row.
void rl_csv_read(const struct rl_csv *csv, double *numbers);

#endif
