// SPDX-License-Identifier: Apache-2.0
//
// A program as a whole: open, attach a file of data, check, trust, its methods and the numbers that they return.
#include <string.h>

#include "format/checksum.h"
#include "format/ptd_reader.h"
#include "format/pte_reader.h"
#include "runtime/error.h"
#include "runtime/run/shapes.h"
#include "rushlight/registry.h"

// Leaves nothing in the program that later calls could read.
static enum rl_status refuse_to_open(struct rl_program *program, struct rl_error *error, enum rl_status status,
                                     const char *message, uint32_t offset)
{
    memset(program, 0, sizeof *program);
    return rl_record(error, status, message, offset);
}

enum rl_status rl_program_open(struct rl_program *program, const void *data, size_t size, struct rl_error *error)
{
    uint32_t offset = 0;
    program->find_data = NULL;
    program->clear = NULL;
    program->proved = false;
    program->shapes = RL_SHAPES_UNKNOWN;
    if (!data) {
        return refuse_to_open(program, error, RL_ERROR_ARGUMENT, rl_sentence("no program given"), 0);
    }
    if ((uintptr_t)data % RL_ALIGNMENT != 0) {
        return refuse_to_open(program, error, RL_ERROR_MEMORY, rl_sentence("the program is not aligned to 16 bytes"),
                              0);
    }
    const char *message = rl_pte_open(&program->pte, data, size, &offset);
    return message ? refuse_to_open(program, error, RL_ERROR_FORMAT, message, offset) : RL_OK;
}

enum rl_status rl_program_attach(struct rl_program *program, const void *data, size_t size, struct rl_error *error)
{
    program->proved = false;
    program->find_data = NULL;
    if (!data) {
        return rl_report(error, RL_ERROR_ARGUMENT, "no file of data given", 0);
    }
    if ((uintptr_t)data % RL_ALIGNMENT != 0) {
        return rl_report(error, RL_ERROR_MEMORY, "the file of data is not aligned to 16 bytes", 0);
    }
    const char *message = rl_ptd_open(&program->data, data, size);
    if (message) {
        return rl_report(error, RL_ERROR_FORMAT, message, 0);
    }
    program->find_data = rl_ptd_find;
    return RL_OK;
}

enum rl_status rl_program_check(const struct rl_program *program, struct rl_error *error)
{
    const struct rl_pte *pte = &program->pte;
    if (!pte->has_checksum) {
        return rl_report(error, RL_ERROR_UNSUPPORTED, "the program has no checksum", 0);
    }
    if (rl_pte_checksum(pte->fb.data, pte->end) != rl_fb_u32(&pte->fb, RL_PTE_CHECKSUM_OFFSET)) {
        return rl_report(error, RL_ERROR_FORMAT, "the program is not as it was written: its checksum differs",
                         RL_PTE_CHECKSUM_OFFSET);
    }
    return RL_OK;
}

enum rl_status rl_program_require_checksum(const struct rl_program *program, struct rl_error *error)
{
    if (!program->pte.has_checksum) {
        return rl_report(error, RL_ERROR_FORMAT, "the program has no checksum, which is required", 0);
    }
    return rl_program_check(program, error);
}

void rl_program_trust(struct rl_program *program, const struct rl_registry *registry)
{
    program->flow = registry->flow;
    program->clear = NULL;
    program->proved = true;
    program->shapes = RL_SHAPES_UNKNOWN;
}

uint32_t rl_program_method_count(const struct rl_program *program)
{
    return program->pte.plans.count;
}

const char *rl_program_method_name(const struct rl_program *program, uint32_t method)
{
    struct rl_pte_plan plan;
    const char *name = rl_pte_plan(&program->pte, method, &plan) ? rl_pte_plan_name(&program->pte, &plan) : NULL;
    return name ? name : "";
}

static bool same_name(const char *left, const char *right)
{
    while (*left != '\0' && *left == *right) {
        left++;
        right++;
    }
    return *left == *right;
}

enum rl_status rl_program_find_method(const struct rl_program *program, const char *name, uint32_t *method,
                                      struct rl_error *error)
{
    for (*method = 0; *method < rl_program_method_count(program); ++*method) {
        if (same_name(rl_program_method_name(program, *method), name)) {
            return RL_OK;
        }
    }
    return rl_report(error, RL_ERROR_ARGUMENT, "the program has no method of this name", 0);
}

enum rl_status rl_program_number(const struct rl_program *program, const char *name, double *number,
                                 struct rl_error *error)
{
    const struct rl_pte *pte = &program->pte;
    struct rl_pte_plan plan;
    uint32_t method, table;
    enum rl_pte_kind kind = RL_PTE_INVALID;
    const enum rl_status status = rl_program_find_method(program, name, &method, error);
    if (status != RL_OK) {
        return status;
    }
    if (rl_pte_plan(pte, method, &plan) && plan.instructions.count == 0 && plan.outputs.count == 1) {
        kind = rl_pte_value(pte, &plan, (uint32_t)rl_pte_item_i32(pte, &plan.outputs, 0), &table);
    }
    if (kind == RL_PTE_DOUBLE) {
        *number = rl_pte_double(pte, table);
    } else if (kind == RL_PTE_INT) {
        *number = (double)rl_pte_int(pte, table);
    } else if (kind == RL_PTE_BOOL) {
        *number = rl_pte_bool(pte, table);
    } else {
        return rl_report(error, RL_ERROR_TYPE, "the method does not return a number of the file", 0);
    }
    return RL_OK;
}
