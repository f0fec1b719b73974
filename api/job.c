// SPDX-License-Identifier: Apache-2.0
#include "api/job.h"

#include <locale.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "rushlight/version.h"

const char *rl_job_version(void)
{
    return RL_VERSION_STRING;
}

struct rl_job *rl_job_new(const char *verb)
{
    struct rl_job *job = calloc(1, sizeof *job);

    if (job) {
        job->parts_end = &job->parts;
        atomic_init(&job->is_cancelled, false);
        job->verb = strdup(verb);
    }
    if (job && !job->verb) {
        rl_job_free(job);
        return NULL;
    }
    return job;
}

void rl_job_free(struct rl_job *job)
{
    if (!job) {
        return;
    }
    for (struct rl_memory_file *file = job->files; file; file = file->next) {
        free(file->written);
    }
    free(job->verb);
    free(job->capture.message);
    free(job->capture.result);
    rl_arena_free(&job->arena);
    free(job);
}

// ---- what is to be done

void rl_prepare_job(struct rl_job *job, void (*step)(struct rl_job *job, const void *what), const void *what)
{
    jmp_buf out_of_memory;

    if (job->lacks_memory || job->has_run) {
        return;
    }
    job->arena.out_of_memory = &out_of_memory;
    if (setjmp(out_of_memory) == 0) {
        step(job, what);
    } else {
        job->lacks_memory = true;
    }
}

// A list with room for one more item. Lists are short, so old ones may stay in the arena.
static void *grow(struct rl_job *job, const void *list, int count, size_t size)
{
    char *longer = rl_arena_array(&job->arena, (size_t)count + 1, size);

    if (count > 0) {
        memcpy(longer, list, (size_t)count * size);
    }
    return longer;
}

static void add_operand(struct rl_job *job, const void *what)
{
    job->operands = grow(job, job->operands, job->operand_count, sizeof *job->operands);
    job->operands[job->operand_count] = rl_arena_string(&job->arena, what);
    job->operand_count++;
}

void rl_job_operand(struct rl_job *job, const char *operand)
{
    rl_prepare_job(job, add_operand, operand);
}

static void add_word(struct rl_job *job, const void *what)
{
    const struct rl_cli_word *word = what;

    job->words = grow(job, job->words, job->word_count, sizeof *job->words);
    struct rl_cli_word *added = &job->words[job->word_count];
    added->option = rl_arena_string(&job->arena, word->option);
    added->value = word->value ? rl_arena_string(&job->arena, word->value) : NULL;
    job->word_count++;
}

void rl_job_option(struct rl_job *job, const char *name, const char *value)
{
    rl_prepare_job(job, add_word, &(struct rl_cli_word){name, value});
}

void rl_job_listen(struct rl_job *job, void (*listener)(void *user, enum rl_job_event event, const char *text),
                    void *user)
{
    job->listener = listener;
    job->user = user;
}

// ---- doing it

static void pass_on(void *user, enum rl_log_level level, const char *message)
{
    const struct rl_job *job = user;

    if (job->listener) {
        job->listener(job->user, level == RL_LOG_WARNING ? RL_JOB_WARNING : RL_JOB_PROGRESS, message);
    }
}

static int run_verb(struct rl_job *job)
{
    struct rl_cli *cli = &job->cli;

    *cli = (struct rl_cli){.arena = &job->arena, .capture = &job->capture, .verb = rl_cli_find_verb(job->verb)};
    cli->context.log = pass_on;
    cli->context.user = job;
    cli->context.files = job->files;
    cli->context.is_cancelled = &job->is_cancelled;
    if (!cli->verb) {
        rl_fail(&cli->context, RL_ERROR_ARGUMENT, "%s", rl_cli_unknown_verb(cli->arena, job->verb));
        rl_cli_failed(cli);
        return RL_EXIT_USAGE;
    }
    if (rl_check_cancelled(&cli->context) != RL_OK || rl_pack_job(job) != RL_OK) {
        return rl_cli_failed(cli);
    }
    const int status =
        rl_cli_give(cli, job->operands, job->operand_count, job->words, job->word_count);
    return status == RL_EXIT_DONE ? rl_cli_run_verb(cli) : status;
}

static enum rl_job_status run_guarded(struct rl_job *job)
{
    jmp_buf out_of_memory;

    job->arena.out_of_memory = &out_of_memory;
    rl_cli_start_memory(&job->arena);
    volatile int status = RL_JOB_OUT_OF_MEMORY;
    if (!job->lacks_memory && setjmp(out_of_memory) == 0) {
        status = run_verb(job);
        // Verbs with more to tell (`validate`) say it in the result.
        status = status > RL_EXIT_USAGE ? RL_JOB_FAILED : status;
    }
    rl_cli_end_memory();
    // Cancelled only if that is why there is no result.
    if (status != RL_JOB_DONE && !job->capture.result && atomic_load(&job->is_cancelled)) {
        return RL_JOB_CANCELLED;
    }
    return (enum rl_job_status)status;
}

enum rl_job_status rl_job_run(struct rl_job *job)
{
    if (job->has_run) {
        return RL_JOB_USAGE;
    }
    job->has_run = true;
    // Numbers in texts are those of C, whatever the caller's language is.
    const locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    const locale_t before = plain ? uselocale(plain) : (locale_t)0;
    const enum rl_job_status status = plain ? run_guarded(job) : RL_JOB_OUT_OF_MEMORY;
    if (plain) {
        uselocale(before);
        freelocale(plain);
    }
    if (status == RL_JOB_OUT_OF_MEMORY) {
        free(job->capture.message);
        job->capture.message = NULL;
        job->lacks_memory = true;
    }
    return status;
}

void rl_job_cancel(struct rl_job *job)
{
    atomic_store(&job->is_cancelled, true);
}

// ---- what came of it

const char *rl_job_message(const struct rl_job *job)
{
    if (job->lacks_memory) {
        return rl_status_text(RL_ERROR_OUT_OF_MEMORY);
    }
    return job->capture.message ? job->capture.message : "";
}

const char *rl_job_result(const struct rl_job *job)
{
    return job->capture.result;
}
