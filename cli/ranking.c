// SPDX-License-Identifier: Apache-2.0
#include "cli/ranking.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/data/batches.h"
#include "compiler/support/file.h"

// ---- labels

// One name a line; what would move a terminal's cursor becomes a question mark.
static void split_labels(char *text, size_t size, struct rl_cli_ranking *ranking)
{
    size_t start = 0;

    for (size_t i = 0; i < size; i++) {
        const bool ends_line = text[i] == '\r' && (i + 1 == size || text[i + 1] == '\n');
        const bool is_control = (unsigned char)text[i] < ' ' || text[i] == 0x7f;
        if (text[i] == '\n' || i + 1 == size) {
            ranking->labels[ranking->label_count++] = text + start;
            start = i + 1;
        }
        if (text[i] == '\n' || ends_line) {
            text[i] = '\0';
        } else if (is_control) {
            text[i] = '?';
        }
    }
}

enum rl_status rl_cli_read_labels(struct rl_cli *cli, struct rl_cli_ranking *ranking)
{
    void *bytes;
    size_t size, lines = 1;
    const enum rl_status status = rl_file_read(&cli->context, cli->arena, ranking->labels_path, &bytes, &size);

    if (status != RL_OK) {
        return status;
    }
    char *text = bytes;
    const size_t mark = size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0; // a byte order mark
    while (size > mark && (text[size - 1] == '\r' || text[size - 1] == '\n')) {
        text[--size] = '\0';
    }
    for (size_t i = 0; i < size; i++) {
        lines += text[i] == '\n';
    }
    ranking->labels = rl_arena_array(cli->arena, lines, sizeof *ranking->labels);
    split_labels(text + mark, size - mark, ranking);
    return RL_OK;
}

int rl_cli_read_ranking(struct rl_cli *cli, struct rl_cli_ranking *ranking)
{
    enum { SHOWN = 5 };

    *ranking = (struct rl_cli_ranking){.labels_path = rl_cli_value(cli, "labels", NULL)};
    const int status = rl_cli_count_of(cli, "top", "classes", ranking->labels_path ? SHOWN : 0, &ranking->top);
    if (status != RL_EXIT_DONE) {
        return status;
    }
    if (ranking->top == 0 && (rl_cli_given(cli, "top") || ranking->labels_path)) {
        return rl_cli_usage_error(cli, "--top: expected a number of classes from 1, found 0");
    }
    return ranking->labels_path && rl_cli_read_labels(cli, ranking) != RL_OK ? rl_cli_failed(cli) : RL_EXIT_DONE;
}

// ---- the output

static bool is_vector(const struct rl_tensor_type *type)
{
    int larger = 0;

    for (int i = 0; i < type->rank; i++) {
        larger += type->sizes[i] != 1;
    }
    return type->rank > 0 && larger <= 1 && rl_tensor_numel(type) > 0;
}

enum rl_status rl_cli_settle_ranking(struct rl_cli *cli, const struct rl_cli_program *program, bool has_run,
                                     struct rl_cli_ranking *ranking)
{
    if (ranking->top == 0) {
        return RL_OK;
    }
    for (int i = 0; i < program->output_count; i++) {
        if (program->output_changes[i] && !has_run) {
            return RL_OK;
        }
        if (!is_vector(&program->output_types[i])) {
            continue;
        }
        ranking->output = i;
        ranking->class_count = (int)rl_tensor_numel(&program->output_types[i]);
        if (ranking->labels_path && ranking->label_count != ranking->class_count) {
            return rl_fail(&cli->context, RL_ERROR_ARGUMENT,
                           "%s: %d names, but output %d of %s, %s, has %d classes; accepted: one name a line for each",
                           ranking->labels_path, ranking->label_count, i, program->path,
                           rl_type_text(cli->arena, &program->output_types[i]), ranking->class_count);
        }
        return RL_OK;
    }
    return rl_fail(&cli->context, RL_ERROR_TYPE,
                   "%s: no output has one number a class; output 0 is %s; accepted for --top and --labels: one "
                   "dimension larger than 1, as in [1, 10]",
                   program->path,
                   program->output_count > 0 ? rl_type_text(cli->arena, &program->output_types[0]) : "missing");
}

// ---- the order

struct ranked {
    int class;
    double score;
};

static int compare(const void *a, const void *b)
{
    const struct ranked *left = a, *right = b;

    if (isnan(left->score) || isnan(right->score)) {
        const int last = isnan(left->score) - isnan(right->score);
        return last != 0 ? last : left->class - right->class;
    }
    if (left->score != right->score) {
        return left->score > right->score ? -1 : 1;
    }
    return left->class - right->class;
}

// What a softmax gives: no number below 0, and 1 as their sum, but for the rounding of int8.
static bool are_probabilities(const struct ranked *classes, int count)
{
    const double tolerance = 0.05;
    double sum = 0;

    for (int i = 0; i < count; i++) {
        if (!(classes[i].score >= 0)) {
            return false;
        }
        sum += classes[i].score;
    }
    return fabs(sum - 1) <= tolerance;
}

// The file of a sample, and its number there if the file has several.
static const char *source_of(struct rl_cli *cli, const struct rl_dataset *samples, int64_t sample)
{
    const struct rl_batch *batch = samples->files;

    while (batch && sample >= batch->sample_count) {
        sample -= batch->sample_count;
        batch = batch->next;
    }
    if (!batch) {
        return rl_arena_format(cli->arena, "sample %lld", (long long)sample);
    }
    return batch->sample_count == 1 ? batch->place
                                    : rl_arena_format(cli->arena, "%s, sample %lld", batch->place, (long long)sample);
}

static json_t *top_json(const struct rl_cli_ranking *ranking, const struct ranked *classes)
{
    json_t *top = json_array();

    for (int i = 0; i < ranking->class_count && i < ranking->top; i++) {
        const double score = classes[i].score;
        json_t *item = json_pack("{s:i, s:n, s:o}", "class", classes[i].class, "label", "score",
                                 isfinite(score) ? json_real(score) : json_null());
        if (ranking->labels_path) {
            // Names that are not UTF-8 have no form in JSON.
            json_t *label = json_string(ranking->labels[classes[i].class]);
            json_object_set_new(item, "label", label ? label : json_string("?"));
        }
        json_array_append_new(top, item);
    }
    return top;
}

json_t *rl_cli_ranking_json(struct rl_cli *cli, const struct rl_cli_program *program, const struct rl_dataset *samples,
                            const struct rl_cli_outputs *outputs, const struct rl_cli_ranking *ranking)
{
    const size_t count = (size_t)ranking->class_count;
    struct ranked *classes = rl_arena_array(cli->arena, count, sizeof *classes);
    float *reals = rl_arena_array(cli->arena, count, sizeof *reals);
    json_t *list = json_array();

    for (int64_t sample = 0; sample < outputs->sample_count; sample++) {
        rl_cli_read_output(program, outputs, ranking->output, sample, reals);
        for (int i = 0; i < ranking->class_count; i++) {
            classes[i] = (struct ranked){i, (double)reals[i]};
        }
        const bool probabilities = are_probabilities(classes, ranking->class_count);
        qsort(classes, count, sizeof *classes, compare);
        json_t *input = json_string(source_of(cli, samples, sample));
        json_array_append_new(list, json_pack("{s:o, s:b, s:o}", "input", input ? input : json_string("?"),
                                              "probabilities", probabilities, "top", top_json(ranking, classes)));
    }
    return list;
}

static void print_class(const json_t *class, bool is_probability)
{
    const json_t *score = json_object_get(class, "score");
    const char *label = json_string_value(json_object_get(class, "label"));
    const int number = (int)json_integer_value(json_object_get(class, "class"));

    if (!json_is_number(score)) {
        printf("  %9s", "nan");
    } else if (is_probability) {
        printf("  %7.2f %%", 100 * json_number_value(score));
    } else {
        printf("  %9.4g", json_number_value(score));
    }
    if (label) {
        printf("  %s\n", label);
    } else {
        printf("  class %d\n", number);
    }
}

void rl_cli_print_ranking(const json_t *list)
{
    size_t index, place;
    const json_t *sample, *class;

    json_array_foreach(list, index, sample)
    {
        const bool probabilities = json_is_true(json_object_get(sample, "probabilities"));
        printf("%s%s\n", json_string_value(json_object_get(sample, "input")), probabilities ? "" : " (scores)");
        json_array_foreach(json_object_get(sample, "top"), place, class)
        {
            print_class(class, probabilities);
        }
    }
}
