// SPDX-License-Identifier: Apache-2.0
//
// What the verbs of the program share: arguments, messages and results. The work is done by the libraries.
#ifndef RL_CLI_CLI_H
#define RL_CLI_CLI_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "compiler/read/shape.h"
#include "compiler/support/arena.h"
#include "compiler/support/context.h"

enum { RL_EXIT_DONE = 0, RL_EXIT_FAILED = 1, RL_EXIT_USAGE = 2 };

struct rl_cli;

// An option of a verb. Options are written --name, --name VALUE or --name=VALUE, -o VALUE where there is a letter.
struct rl_cli_option {
    const char *name;
    char letter;         // short form; 0: none
    const char *value;   // name of its value in the usage; NULL: takes none
    bool repeated;       // may be given more than once
    const char *meaning; // for --help; NULL: not listed, because it does nothing yet
};

// An accepted word of an option. A list of choices ends with a NULL name.
struct rl_cli_choice {
    const char *name;
    int value;
    bool planned; // known, but refused as not yet supported
};

// The words that an option accepts. A list of them ends with a NULL option.
struct rl_cli_choices {
    const char *option;
    const struct rl_cli_choice *words;
};

struct rl_cli_verb {
    const char *name;
    const char *operands; // in the usage: "MODEL.pt2 MODEL.pte"
    int operand_count;
    int optional_operand_count; // that may follow them, and are NULL without
    const char *summary;
    const struct rl_cli_option *options;  // ends with a NULL name
    const struct rl_cli_choices *choices; // of options that rl_cli_choose reads; NULL: none
    void (*print_more_help)(void);        // after the options; NULL: nothing
    int failure;                          // exit status of rl_cli_failed; 0: RL_EXIT_FAILED
    int (*run)(struct rl_cli *cli);
};

// What a caller of the library gets instead of what the program prints. Both texts come from malloc.
struct rl_cli_capture {
    char *message; // the sentence of an error; NULL: there was none
    char *result;  // the JSON object; NULL: there is none
};

// One run of the program. Everything that the verbs allocate lives in `arena`.
struct rl_cli {
    struct rl_context context;
    struct rl_arena *arena;
    const struct rl_cli_verb *verb;
    const char **operands; // verb->operand_count of them, and the optional ones
    const char ***values;  // by option: its values in the order given; "" for an option without value
    int *value_counts;
    struct rl_cli_capture *capture; // NULL: sentences and results are printed
};

extern const struct rl_cli_verb rl_cli_compile, rl_cli_run, rl_cli_evaluate, rl_cli_check, rl_cli_inspect, rl_cli_plan,
    rl_cli_targets, rl_cli_boards, rl_cli_diff, rl_cli_profile, rl_cli_fit, rl_cli_doctor, rl_cli_report,
    rl_cli_firmware, rl_cli_validate;

// All of them, in the order of the help; NULL is behind the last one.
extern const struct rl_cli_verb *const rl_cli_verbs[];

// NULL if there is none of this name.
const struct rl_cli_verb *rl_cli_find_verb(const char *name);

// The sentence about a name that no verb has, with those that it may be a slip of.
const char *rl_cli_unknown_verb(struct rl_arena *arena, const char *given);

// Does what the verb, its operands and its options say; the exit status.
int rl_cli_run_verb(struct rl_cli *cli);

// ---- arguments

// Fills operands and values. RL_EXIT_DONE also when --help was printed and *finished is set.
int rl_cli_parse(struct rl_cli *cli, int argc, char **argv, bool *finished);

// The same from words that were never one line: an option and its value, NULL for one that takes none. The verb's
// result is JSON; options that only make sense at a terminal are refused.
struct rl_cli_word {
    const char *option, *value;
};
int rl_cli_give(struct rl_cli *cli, const char *const *operands, int operand_count, const struct rl_cli_word *words,
                int word_count);

// The last value given for an option of the verb's table, or `fallback`; the name must be in the table.
const char *rl_cli_value(const struct rl_cli *cli, const char *option, const char *fallback);
bool rl_cli_given(const struct rl_cli *cli, const char *option);

// Whether the verb's table has the option.
bool rl_cli_has_option(const struct rl_cli *cli, const char *option);

// All values given for an option.
const char *const *rl_cli_values(const struct rl_cli *cli, const char *option, int *count);

// Reads the value of an option; when it is not among the verb's choices for it, complains with the list of those
// accepted and returns RL_EXIT_USAGE.
int rl_cli_choose(const struct rl_cli *cli, const char *option, const char *fallback, int *value);

// Complains of the value of an option that is not one of the names, with the ones that it may be a slip of; returns
// RL_EXIT_USAGE.
int rl_cli_unknown(const struct rl_cli *cli, const char *option, const char *given, const char *const *names,
                   int count);

// Complains of a name that no board has, with those that it may be a slip of; returns RL_EXIT_USAGE.
int rl_cli_unknown_board(const struct rl_cli *cli, const char *given);

// An option that is a number of `what`, up to INT32_MAX; `fallback` when it is not given.
int rl_cli_count_of(const struct rl_cli *cli, const char *option, const char *what, int64_t fallback, int64_t *count);

// An option that is a finite number; NAN when it is not given.
int rl_cli_number(const struct rl_cli *cli, const char *option, double *number);

// An option that is a positive quantity with a unit: 80MHz, 50ms. 0 when it is not given.
int rl_cli_frequency(const struct rl_cli *cli, const char *option, double *hertz);
int rl_cli_duration(const struct rl_cli *cli, const char *option, double *seconds);

// The same of a power, in W.
int rl_cli_power(const struct rl_cli *cli, const char *option, double *watts);

// The option --wait-states, a number of cycles; 0 when it is not given.
int rl_cli_wait_states(const struct rl_cli *cli, uint32_t *cycles);

// The option --sequence, a number of samples; 0 when it is not given.
int rl_cli_sequence(const struct rl_cli *cli, int64_t *samples);

// A number of bytes, decimal, optionally with K or M; `fallback` when the option is not given.
int rl_cli_bytes(const struct rl_cli *cli, const char *option, uint64_t fallback, uint64_t *bytes);

// The option --max-unpacked, of verbs that have it, for all archives that the verb reads.
int rl_cli_read_limits(struct rl_cli *cli);

// The options of preparation.def, of verbs that have them, for all data that the verb reads.
int rl_cli_read_preparation(struct rl_cli *cli);

// The values of --shape; complains and returns RL_EXIT_USAGE when one is not NAME=SIZE,SIZE,...
int rl_cli_shapes(const struct rl_cli *cli, struct rl_input_shapes *shapes);

// ---- completion

// The choices of a verb for an option; NULL if it has none.
const struct rl_cli_choice *rl_cli_choices_of(const struct rl_cli_verb *verb, const char *option);

// Prints what the last of the words behind the program's name may become, a line each: the word, a tab, what it means.
// Nothing where a file is wanted, or anything. For the completions of shells (completion.bash, .zsh, .fish).
int rl_cli_complete(int argc, char **argv);

// ---- memory

// From now on JSON values of this thread come from memory that never lacks: running out of it jumps to the arena's
// handler. JSON values stay in their thread.
void rl_cli_start_memory(struct rl_arena *handler);

// The end of that. Frees what is left of them after such a jump.
void rl_cli_end_memory(void);

// A copy, from the same memory. rl_cli_free takes it, and what json_dumps returns.
char *rl_cli_copy(const char *text);
void rl_cli_free(void *memory);

// ---- messages and results

// Prints the sentence and how to get help; returns RL_EXIT_USAGE.
int rl_cli_usage_error(const struct rl_cli *cli, const char *format, ...) __attribute__((format(printf, 2, 3)));

// The exit status of a verb that cannot do what it should.
int rl_cli_failure(const struct rl_cli *cli);

// Prints the context's error; returns rl_cli_failure.
int rl_cli_failed(const struct rl_cli *cli);

// Complains if something that was printed did not arrive; the exit status of a verb that did what it should.
int rl_cli_finish_output(const struct rl_cli *cli);

// Prints the object as the only thing on stdout, or keeps it for the caller, and releases it; RL_EXIT_DONE.
int rl_cli_print_json(const struct rl_cli *cli, json_t *object);

// {name: count} with an operator counted once more.
void rl_cli_count(json_t *counts, const char *name);

// Seconds of a clock that only goes forward.
double rl_cli_seconds(void);

#endif
