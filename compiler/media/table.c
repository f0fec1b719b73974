// SPDX-License-Identifier: Apache-2.0
//
// A table as samples.
#include "compiler/media/csv.h"
#include "compiler/media/formats.h"

static enum rl_status refuse_columns(const struct rl_media_work *work, const struct rl_csv *csv, int64_t elements,
                                     int64_t last)
{
    const char *rows = last < elements ? rl_arena_format(work->arena, ", or %lld with %lld rows a sample",
                                                         (long long)last, (long long)(elements / last))
                                       : "";

    return rl_fail(work->context, RL_ERROR_TYPE,
                   "%s: the table has %d column%s, the input takes %s; accepted: %lld column%s with a sample a row%s",
                   work->path, csv->columns, csv->columns == 1 ? "" : "s", rl_media_type_text(work),
                   (long long)elements, elements == 1 ? "" : "s", rows);
}

static enum rl_status settle(const struct rl_media_work *work, struct rl_csv *csv, int64_t *samples)
{
    const int64_t elements = rl_tensor_numel(work->type);
    const int64_t last = work->type->rank > 0 ? work->type->sizes[work->type->rank - 1] : 1;

    *csv = (struct rl_csv){.place = work->path, .text = work->bytes, .size = work->size};
    enum rl_status status = rl_csv_measure(work->context, csv);
    if (status != RL_OK) {
        return status;
    }
    if (elements == 0 || (csv->columns != elements && csv->columns != last)) {
        return refuse_columns(work, csv, elements, last > 0 ? last : 1);
    }
    const int64_t rows = elements / csv->columns;
    if (csv->rows % rows != 0) {
        return rl_fail(work->context, RL_ERROR_TYPE,
                       "%s: the table has %lld rows, and %lld are one sample of the input %s; accepted: a multiple",
                       work->path, (long long)csv->rows, (long long)rows, rl_media_type_text(work));
    }
    *samples = csv->rows / rows;
    return rl_media_check_norm(work, csv->columns, "column");
}

enum rl_status rl_table_measure(const struct rl_media_work *work, int64_t *samples)
{
    struct rl_csv csv;

    return settle(work, &csv, samples);
}

enum rl_status rl_table_make(const struct rl_media_work *work, int64_t samples, void *elements)
{
    struct rl_csv csv;
    float *target = elements;
    int64_t found = 0;
    const enum rl_status status = settle(work, &csv, &found);

    if (status != RL_OK || found != samples) {
        return status == RL_OK ? RL_ERROR_INTERNAL : status;
    }
    const size_t count = (size_t)csv.rows * (size_t)csv.columns;
    double *numbers = rl_arena_array(work->arena, count, sizeof *numbers);
    rl_csv_read(&csv, numbers);
    for (size_t i = 0; i < count; i++) {
        const int column = (int)(i % (size_t)csv.columns);
        target[i] = rl_media_normalize(work->preparation, column, (float)numbers[i]);
    }
    rl_arena_release(work->arena, numbers);
    return RL_OK;
}
