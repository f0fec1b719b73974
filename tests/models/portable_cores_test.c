// SPDX-License-Identifier: Apache-2.0
//
// Families of portable operators on emulated cores: the smallest, and the one whose runtime has other loops.
#include <stdio.h>
#include <string.h>

#include "model.h"
#include "portable_records.h"
#include "support/process.h"

static const char *const families[] = {"compare", "arithmetic", "math",  "reduce", "index",  "scan",
                                       "resize",  "layers",     "types", "halves", "doubles"};
static const char *const cores[] = {"cortex-m0", "cortex-m55"};

enum { FAMILIES = sizeof families / sizeof families[0], CORES = sizeof cores / sizeof cores[0] };
enum result { GOOD, BAD, ABSENT };

// The inputs as samples: arrays with one more dimension in front.
static const char *write_samples(struct rl_arena *arena, const struct records *records)
{
    const char *path = rl_temporary_path("portable_samples.npz");
    struct rl_context context = {0};
    struct rl_array *samples = rl_arena_array(arena, (size_t)records->count, sizeof *samples);
    int count = 0;
    for (const struct rl_array *input; (input = records_find(records, "input", (uint32_t)count));) {
        samples[count] = *input;
        samples[count].rank = input->rank + 1;
        samples[count].sizes[0] = 1;
        memcpy(samples[count].sizes + 1, input->sizes, (size_t)input->rank * sizeof input->sizes[0]);
        count++;
    }
    if (rl_npz_write(&context, path, samples, count) != RL_OK) {
        printf("%s\n", context.message);
    }
    return path;
}

static bool check_results(struct rl_arena *arena, const struct records *records, const char *path, const char *source)
{
    struct rl_context context = {0};
    struct records results = {0};
    bool good = true;
    if (rl_npz_read(&context, arena, path, &results.arrays, &results.count) != RL_OK) {
        printf("%s\n", context.message);
        return false;
    }
    for (uint32_t i = 0; records_find(records, "output", i); i++) {
        const struct rl_array *expected = records_find(records, "output", i);
        const struct rl_array *found = records_find(&results, "output", i);
        if (!found || found->dtype != expected->dtype || rl_array_numel(found) != rl_array_numel(expected)) {
            printf("%s: output %u has another type or size\n", source, (unsigned)i);
            return false;
        }
        good = records_match(records, source, i, found->data) && good;
    }
    return good;
}

static bool is_absent(const struct rl_process *process)
{
    return process->status != 0 && (strstr(process->err, "rushlight_runner.elf: No such file or directory") ||
                                    strstr(process->err, "qemu-system-arm is not installed"));
}

static enum result check_core(struct rl_arena *arena, const struct records *records, const char *program,
                              const char *samples, const char *family, const char *core)
{
    const char *outputs = rl_temporary_path("portable_outputs.npz");
    const char *source = rl_arena_format(arena, "%s on %s", family, core);
    struct rl_process process =
        rl_process_run(rl_release_program(),
                       (const char *[]){"run", program, "--input", samples, "--output", outputs, "--on", core, NULL});
    enum result result = is_absent(&process) ? ABSENT : BAD;
    if (process.status != 0) {
        printf("%s: %s%s", source, result == ABSENT ? "skipped: " : "", process.err);
    } else if (check_results(arena, records, outputs, source)) {
        result = GOOD;
    }
    rl_process_free(&process);
    return result;
}

int main(void)
{
    int counts[] = {0, 0, 0};
    for (int i = 0; i < FAMILIES; i++) {
        struct rl_arena arena = {0};
        struct records records;
        const char *program = rl_temporary_path("portable.pte");
        const char *model = rl_arena_format(&arena, RL_FIXTURES "/portable/%s.pt2", families[i]);
        if (!records_read(&arena, RL_FIXTURES "/portable", families[i], &records)) {
            return 1;
        }
        json_decref(
            rl_process_json(rl_release_program(), (const char *[]){"compile", model, "--output", program, "--target",
                                                                   "any", "--quantize", "none", "--json", NULL}));
        const char *samples = write_samples(&arena, &records);
        for (int core = 0; core < CORES; core++) {
            counts[check_core(&arena, &records, program, samples, families[i], cores[core])]++;
        }
        rl_arena_free(&arena);
    }
    printf("%d of %d right, %d skipped\n", counts[GOOD], FAMILIES * CORES, counts[ABSENT]);
    if (counts[BAD] > 0) {
        return 1;
    }
    return counts[GOOD] > 0 ? 0 : 77;
}
