// SPDX-License-Identifier: Apache-2.0
#include "cores.h"
#include "cycle_model.h"

#include <stddef.h>
#include <string.h>

static const struct rl_cycle_facts facts[] = {
#define RL_CYCLE_CORE(id, name, limit, percent, error) [RL_CYCLES_##id] = {name, limit, percent, error},
#include "cores.def"
#undef RL_CYCLE_CORE
};

enum rl_cycle_core rl_cycle_core_named(const char *name)
{
    int core = 0;
    while (core < RL_CYCLES_CORES && strcmp(name, facts[core].name) != 0) {
        core++;
    }
    return (enum rl_cycle_core)core;
}

const struct rl_cycle_facts *rl_cycle_facts_of(const char *name)
{
    const enum rl_cycle_core core = rl_cycle_core_named(name);
    return core == RL_CYCLES_CORES ? NULL : &facts[core];
}
