// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>

#include "cli/cli.h"
#include "compiler/targets/target.h"

static json_t *isa_names(const struct rl_core *core)
{
    json_t *names = json_array();

    for (int isa = RL_ISA_SCALAR; isa <= RL_ISA_MVE; isa++) {
        if (isa <= (int)core->most) {
            json_array_append_new(names, json_string(rl_isa_name((enum rl_isa)isa)));
        }
    }
    return names;
}

static int print_table(const struct rl_core *cores, int count)
{
    printf("%-14s %-8s %-18s %s\n", "target", "isa", "can be overridden", "emulated");
    for (int i = 0; i < count; i++) {
        char overrides[32] = "";
        size_t used = 0;
        for (int isa = RL_ISA_SCALAR; isa < (int)cores[i].most && cores[i].isa != RL_ISA_ANY; isa++) {
            used += (size_t)snprintf(overrides + used, sizeof overrides - used, "%s+%s", used > 0 ? " " : "",
                                     rl_isa_name((enum rl_isa)isa));
        }
        printf("%-14s %-8s %-18s %s\n", cores[i].name, rl_isa_name(cores[i].isa), overrides,
               cores[i].emulated ? "yes" : "");
    }
    return RL_EXIT_DONE;
}

static int run(struct rl_cli *cli)
{
    int count;
    const struct rl_core *cores = rl_cores(&count);

    if (!rl_cli_given(cli, "json")) {
        return print_table(cores, count);
    }
    json_t *targets = json_array();
    for (int i = 0; i < count; i++) {
        json_array_append_new(targets,
                              json_pack("{s:s, s:s, s:o, s:b}", "name", cores[i].name, "isa", rl_isa_name(cores[i].isa),
                                        "isas", isa_names(&cores[i]), "emulated", cores[i].emulated ? 1 : 0));
    }
    return rl_cli_print_json(cli, json_pack("{s:o}", "targets", targets));
}

static const struct rl_cli_option options[] = {
    {"json", 0, NULL, false, "print one JSON object"},
    {0},
};

const struct rl_cli_verb rl_cli_targets = {
    .name = "targets",
    .operands = "",
    .operand_count = 0,
    .summary = "the cores that a model can be compiled for",
    .options = options,
    .run = run,
};
