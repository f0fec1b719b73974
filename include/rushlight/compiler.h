// SPDX-License-Identifier: Apache-2.0
//
// The compiler, the host's runtime and the emulated cores as a library, librushlight.so: all that the program
// `rushlight` does, without a process, without its standard streams, and with models, samples and programs in memory.
//
// A job is a verb of the command line with its operands and options. `rushlight VERB --help` and the manual page
// rushlight(1) describe them, and the object that the verb prints with --json, which is the result here. Names of
// verbs, options and keys stay; later versions add some.
//
//     struct rl_job *job = rl_job_new("compile");
//     rl_job_operand(job, "model.pt2");
//     rl_job_file(job, "model.pt2", bytes, size);         // in memory; without this line, on the disk
//     rl_job_option(job, "output", "model.pte");
//     rl_job_keep(job, "model.pte");                      // in memory; without this line, on the disk
//     if (rl_job_run(job) == RL_JOB_DONE) {
//         program = rl_job_kept(job, "model.pte", &size); // until rl_job_free
//     } else {
//         fprintf(stderr, "%s\n", rl_job_message(job));
//     }
//     rl_job_free(job);
//
// Threads: any number of jobs may run at once, each in one thread; the compiler starts threads of its own (option
// `threads` of a verb that has it). Only rl_job_cancel may be called while another thread is in rl_job_run. The library
// keeps nothing between jobs, never ends the process, and prints nothing. An emulated core is a process,
// qemu-system-arm of this system, during which signals that end the process wait (SIGINT, SIGTERM, SIGHUP, in the
// thread that runs the job).
//
// Ownership: names, operands, options and text of a job are copied. Bytes and elements are not: they must stay as they
// are until rl_job_run has returned. What a job returns belongs to it, until rl_job_free. Memory that runs out is
// never an error of a function that prepares a job: rl_job_run reports it.
#ifndef RUSHLIGHT_COMPILER_H
#define RUSHLIGHT_COMPILER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// How a job has ended. The first three are the exit statuses of most verbs. `diff` and `fit` have a result, too, when
// they are RL_JOB_FAILED: the programs differ, the model does not fit; as has `check` when a demand is not met,
// `doctor` when something is missing, and `validate` when the firmware gave other bytes, or none (`verdict`).
enum rl_job_status {
    RL_JOB_DONE = 0,
    RL_JOB_FAILED = 1, // the model or the data is wrong: see rl_job_message
    RL_JOB_USAGE = 2,  // the job is wrong: see rl_job_message; for `diff`, `fit`, `validate` as well the former
    RL_JOB_CANCELLED = 3,
    RL_JOB_OUT_OF_MEMORY = 4
};

// What a listener hears of.
enum rl_job_event {
    RL_JOB_WARNING = 0, // a sentence
    RL_JOB_PROGRESS = 1 // a line that takes the place of the last one; an empty one takes it away
};

// Samples, or an output: `rank` sizes, the last of which is innermost; elements are dense and little-endian.
struct rl_job_array {
    const char *name;  // of the input or the output
    const char *dtype; // "float32", "float64", "float16", "int8", "int16", "int32", "int64", "uint8", "bool"
    int rank;          // 0 to 8
    const int64_t *sizes;
    const void *data;
};

struct rl_job;

// The version of the library: "0.1.0".
const char *rl_job_version(void);

// A job of a verb ("compile"). An unknown verb is told by rl_job_run. NULL when there is no memory.
struct rl_job *rl_job_new(const char *verb);

// Frees the job and all that it has returned. NULL is allowed.
void rl_job_free(struct rl_job *job);

// Adds an operand, usually the name of a file.
void rl_job_operand(struct rl_job *job, const char *operand);

// Adds an option by its long name without dashes ("target", "cortex-m4"); `value` is NULL for options that take none.
// Options that are about text are refused: csv, dump-after, explain, json, watch.
void rl_job_option(struct rl_job *job, const char *name, const char *value);

// What the file of this name holds, for operands and options that name a file to read. Its ending tells its kind, as on
// the disk: .pt2, .pte, .npz, .npy, .png, .jpg, .wav, .csv.
void rl_job_file(struct rl_job *job, const char *name, const void *bytes, size_t size);

// Adds an array to a file in memory whose name ends with .npz. `array` is copied, its elements are not.
void rl_job_array(struct rl_job *job, const char *name, const struct rl_job_array *array);

// A file of this name that the verb writes stays in memory.
void rl_job_keep(struct rl_job *job, const char *name);

// The listener is called in threads of the job, never in two at once, with a text that it may use until it returns. It
// must not leave by longjmp or an exception.
void rl_job_listen(struct rl_job *job, void (*listener)(void *user, enum rl_job_event event, const char *text),
                    void *user);

// Runs the job, once.
enum rl_job_status rl_job_run(struct rl_job *job);

// Ends a job that another thread runs, before long: a layer of a network or a fifth of a second later. A job that has
// ended, or whose work is done, stays as it is. One that has not begun ends at once.
void rl_job_cancel(struct rl_job *job);

// One sentence that says why the job has no result, the one that the command line prints; "" when there is nothing to
// say.
const char *rl_job_message(const struct rl_job *job);

// The result, a JSON object in UTF-8; NULL if there is none.
const char *rl_job_result(const struct rl_job *job);

// The bytes of a file that rl_job_keep named, and their number; NULL if it was not written.
const void *rl_job_kept(const struct rl_job *job, const char *name, size_t *size);

// An array of such a file, a .npz, by its index from 0. 0 if there is no such array, or no memory.
int rl_job_kept_array(struct rl_job *job, const char *name, int index, struct rl_job_array *array);

#ifdef __cplusplus
}
#endif

#endif
