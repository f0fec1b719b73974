// SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/interface.h"

#include <stdio.h>

// The pytree of a single number.
static const char leaf[] = "[1, {\"type\": null, \"context\": null, \"children_spec\": []}]";

static void write_number(struct rl_arena *arena, const char *side, int index, const char *fact,
                         struct rl_pte_value_description number, struct rl_pte_method_description *method)
{
    static const int32_t first[] = {0};
    struct rl_pte_value_description *value = rl_arena_alloc(arena, sizeof *value);

    *value = number;
    *method = (struct rl_pte_method_description){
        .name = rl_arena_format(arena, "%s%d_%s", side, index, fact),
        .value_count = 1,
        .values = value,
        .output_count = 1,
        .outputs = first,
        .output_tree = leaf,
    };
}

static int write_side(struct rl_arena *arena, const char *side, const struct rl_io_grid *grids, int count,
                      struct rl_pte_method_description *methods)
{
    int written = 0;

    for (int i = 0; grids && i < count; i++) {
        if (grids[i].scale == 0.0) {
            continue;
        }
        if (methods) {
            const struct rl_pte_value_description scale = {.kind = RL_PTE_DOUBLE, .as.number = grids[i].scale};
            const struct rl_pte_value_description zero_point = {.kind = RL_PTE_INT, .as.integer = grids[i].zero_point};
            write_number(arena, side, i, "scale", scale, &methods[written]);
            write_number(arena, side, i, "zp", zero_point, &methods[written + 1]);
        }
        written += 2;
    }
    return written;
}

int rl_interface_methods(const struct rl_graph *graph, struct rl_pte_method_description *methods)
{
    const int inputs = write_side(graph->arena, "input", graph->input_grids, graph->input_count, methods);

    return inputs + write_side(graph->arena, "output", graph->output_grids, graph->output_count,
                               methods ? methods + inputs : NULL);
}

static bool read_number(const struct rl_program *program, const char *side, int index, const char *fact, double *number)
{
    char name[32];

    snprintf(name, sizeof name, "%s%d_%s", side, index, fact);
    return rl_program_number(program, name, number, NULL) == RL_OK;
}

bool rl_interface_grid(const struct rl_program *program, const char *side, int index, struct rl_io_grid *grid)
{
    double zero_point;

    if (!read_number(program, side, index, "scale", &grid->scale) ||
        !read_number(program, side, index, "zp", &zero_point) || !(grid->scale > 0.0) ||
        !(zero_point >= INT8_MIN && zero_point <= INT8_MAX)) {
        return false;
    }
    grid->zero_point = (int64_t)zero_point;
    return true;
}
