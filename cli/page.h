// SPDX-License-Identifier: Apache-2.0
//
// The page of `rushlight report`: what it is made of, and how it is written. docs/report.md has the keys of the data.
#ifndef RL_CLI_PAGE_H
#define RL_CLI_PAGE_H

#include "cli/fit.h"

// Everything that the page shows: {inspect, profile, fit, not_measured, compilation, evaluation, histograms, boards}.
// `data_path` is the .ptd of the program, or NULL. Measures on the core of `room`; NULL: nothing is measured. NULL with
// the reason in the context if the program cannot be read. What cannot be measured is null, with the reason in
// not_measured. `compilation` and `evaluation`, the reports of the verbs `compile` and `evaluate`, are null; who has
// them may set them. The histograms are those of weights, or null if the program cannot be opened; who has samples may
// set those of results, too.
json_t *rl_cli_page_data(struct rl_cli *cli, const char *path, const char *data_path, const struct rl_cli_room *room);

// Writes the page to a file.
enum rl_status rl_cli_write_page(struct rl_cli *cli, const char *path, const json_t *data);

// ---- parts of the page

// The data, and what is looked up in them again and again.
struct rl_cli_page {
    FILE *out;
    const json_t *data, *inspect, *profile, *fit; // the last two may be null
    size_t values;
    const json_t **tensors, **makers; // by value: the tensor, and the instruction that gives it; NULL: none
    const json_t **costs;             // by instruction: its operator of the profile; NULL: not measured
};

void rl_cli_page_overview(const struct rl_cli_page *page);
void rl_cli_page_boards(const struct rl_cli_page *page);
void rl_cli_page_histograms(const struct rl_cli_page *page);
void rl_cli_page_layers(const struct rl_cli_page *page);
void rl_cli_page_accuracy(const struct rl_cli_page *page);
void rl_cli_page_float(const struct rl_cli_page *page);
void rl_cli_page_operators(const struct rl_cli_page *page);
void rl_cli_page_memory(const struct rl_cli_page *page);

// Fills in the lists from the data.
void rl_cli_page_index(struct rl_cli *cli, struct rl_cli_page *page);

// The tensor of a value, its maker; NULL if the file has none.
const json_t *rl_cli_page_tensor(const struct rl_cli_page *page, json_int_t value);
const json_t *rl_cli_page_maker(const struct rl_cli_page *page, json_int_t value);

// The name of an operator without its namespace; NULL for NULL.
const char *rl_cli_page_short_name(const char *name);

// The bytes of the constants that an instruction reads.
json_int_t rl_cli_page_constants(const struct rl_cli_page *page, const json_t *call);

#endif
