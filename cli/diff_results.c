// SPDX-License-Identifier: Apache-2.0
//
// What two programs compute from the same samples.
#include "cli/diff.h"

#include <string.h>

#include "compiler/evaluate/similarity.h"

struct side {
    struct rl_cli_program program;
    struct rl_dataset samples;
    struct rl_cli_outputs outputs;
};

// An output of both, over all samples.
struct comparison {
    struct rl_similarity values;
    int64_t rows, agreeing, equal_samples;
};

static int64_t place_of_largest(const float *row, int64_t count)
{
    int64_t place = 0;

    for (int64_t i = 1; i < count; i++) {
        place = row[i] > row[place] ? i : place;
    }
    return place;
}

static bool same_bytes(const struct side *a, const struct side *b, int index, int64_t sample)
{
    const struct rl_tensor_type *type = &a->program.output_types[index];
    const size_t bytes = rl_tensor_bytes(type);

    return type->dtype == b->program.output_types[index].dtype &&
           memcmp(a->outputs.data[index] + (size_t)sample * bytes, b->outputs.data[index] + (size_t)sample * bytes,
                  bytes) == 0;
}

static void compare_sample(const struct side *a, const struct side *b, int index, int64_t sample, float *reals,
                           struct comparison *comparison)
{
    const struct rl_tensor_type *type = &a->program.output_types[index];
    const int64_t count = rl_tensor_numel(type), row = type->rank > 0 ? type->sizes[type->rank - 1] : 1;
    float *of_a = reals, *of_b = reals + count;

    comparison->equal_samples += same_bytes(a, b, index, sample);
    rl_cli_read_output(&a->program, &a->outputs, index, sample, of_a);
    rl_cli_read_output(&b->program, &b->outputs, index, sample, of_b);
    for (int64_t i = 0; i < count; i++) {
        rl_similarity_add(&comparison->values, of_a[i], of_b[i]);
    }
    for (int64_t i = 0; row > 1 && i < count; i += row) {
        comparison->rows++;
        comparison->agreeing += place_of_largest(of_a + i, row) == place_of_largest(of_b + i, row);
    }
}

static json_t *compare_output(struct rl_cli *cli, const struct side *a, const struct side *b, int index)
{
    const struct rl_tensor_type *type = &a->program.output_types[index];
    const bool in_both = index < a->program.output_count && index < b->program.output_count;
    struct comparison comparison = {0};

    if (!in_both || !rl_tensor_same_sizes(type, &b->program.output_types[index])) {
        return json_pack("{s:i, s:b}", "index", index, "comparable", 0);
    }
    json_t *object = json_pack("{s:i, s:b}", "index", index, "comparable", 1);
    float *reals = rl_arena_array(cli->arena, 2 * (size_t)rl_tensor_numel(type), sizeof *reals);
    for (int64_t sample = 0; sample < a->outputs.sample_count; sample++) {
        compare_sample(a, b, index, sample, reals, &comparison);
    }
    json_object_set_new(object, "equal", json_boolean(comparison.equal_samples == a->outputs.sample_count));
    json_object_set_new(object, "equal_samples", json_integer(comparison.equal_samples));
    json_object_set_new(object, "sqnr_db", json_real(rl_similarity_db(&comparison.values)));
    json_object_set_new(object, "agreement",
                        comparison.rows > 0 ? json_real((double)comparison.agreeing / (double)comparison.rows)
                                            : json_null());
    return object;
}

static enum rl_status run_side(struct rl_cli *cli, const char *path, const char *const *paths, int path_count,
                               int64_t sequence, struct side *side)
{
    enum rl_status status = rl_cli_open_program(cli, path, NULL, rl_cli_value(cli, "method", NULL), &side->program);

    if (status == RL_OK) {
        status = rl_cli_load_samples(cli, &side->program, NULL, paths, path_count, &side->samples);
    }
    if (status != RL_OK) {
        return status;
    }
    side->samples.sequence = sequence;
    return rl_cli_run_samples(cli, &side->program, &side->samples, "host", &side->outputs);
}

int rl_cli_diff_results(struct rl_cli *cli, const char *const *paths, int path_count, json_t *report)
{
    struct side *a = rl_arena_alloc(cli->arena, sizeof *a), *b = rl_arena_alloc(cli->arena, sizeof *b);
    int64_t sequence;
    const int status = rl_cli_sequence(cli, &sequence);

    if (status != RL_EXIT_DONE) {
        return status;
    }
    if (run_side(cli, cli->operands[0], paths, path_count, sequence, a) != RL_OK ||
        run_side(cli, cli->operands[1], paths, path_count, sequence, b) != RL_OK) {
        return rl_cli_failed(cli);
    }
    if (a->outputs.sample_count != b->outputs.sample_count) {
        rl_fail(&cli->context, RL_ERROR_TYPE, "the data is %lld samples for %s, but %lld for %s",
                (long long)a->outputs.sample_count, a->program.path, (long long)b->outputs.sample_count,
                b->program.path);
        return rl_cli_failed(cli);
    }
    const int a_count = a->program.output_count, b_count = b->program.output_count;
    json_t *results = json_array();
    for (int i = 0; i < a_count || i < b_count; i++) {
        json_array_append_new(results, compare_output(cli, a, b, i));
    }
    json_object_set_new(report, "samples", json_integer((json_int_t)a->outputs.sample_count));
    json_object_set_new(report, "results", results);
    return RL_EXIT_DONE;
}
