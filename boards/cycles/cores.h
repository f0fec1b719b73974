// SPDX-License-Identifier: Apache-2.0
//
// What is known of the model of each core.
#ifndef RL_BOARDS_CYCLES_CORES_H
#define RL_BOARDS_CYCLES_CORES_H

struct rl_cycle_facts {
    const char *name;  // short name of the core: "m4"
    double limit;      // the fewest cycles a multiply-add of int8; 0: there is no limit
    double percent;    // by which cycles of a network may differ from a board's; 0: that is not known
    const char *error; // of modelled cycles against boards
};

// NULL if there is no model of the core with this short name.
const struct rl_cycle_facts *rl_cycle_facts_of(const char *name);

#endif
