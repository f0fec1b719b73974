// SPDX-License-Identifier: Apache-2.0
//
// What is known of the model of each core.
#ifndef RL_BOARDS_CYCLES_CORES_H
#define RL_BOARDS_CYCLES_CORES_H

struct rl_cycle_facts {
    const char *name;  // short name of the core: "m4"
    double limit;      // the fewest cycles a multiply-add of int8; 0: there is no limit
    double percent;    // error of the modelled cycles of a network against boards; 0: no board is known
    const char *error; // the same in words
};

// NULL if there is no model of the core with this short name.
const struct rl_cycle_facts *rl_cycle_facts_of(const char *name);

#endif
