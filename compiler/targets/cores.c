// SPDX-License-Identifier: Apache-2.0
#include "compiler/targets/target.h"

#include <stdio.h>
#include <string.h>

static const struct rl_core cores[] = {
    {"cortex-m0", RL_ISA_SCALAR, RL_ISA_SCALAR, "cortex-m0"},
    {"cortex-m0plus", RL_ISA_SCALAR, RL_ISA_SCALAR, NULL},
    {"cortex-m3", RL_ISA_SCALAR, RL_ISA_SCALAR, "cortex-m3"},
    {"cortex-m4", RL_ISA_DSP, RL_ISA_DSP, "cortex-m4"},
    {"cortex-m7", RL_ISA_DSP, RL_ISA_DSP, "cortex-m7"},
    {"cortex-m23", RL_ISA_SCALAR, RL_ISA_SCALAR, NULL},
    {"cortex-m33", RL_ISA_DSP, RL_ISA_DSP, "cortex-m33"},
    {"cortex-m35p", RL_ISA_DSP, RL_ISA_DSP, NULL},
    {"cortex-m52", RL_ISA_MVE, RL_ISA_MVE, NULL},
    {"cortex-m55", RL_ISA_MVE, RL_ISA_MVE, "cortex-m55"},
    {"cortex-m85", RL_ISA_MVE, RL_ISA_MVE, NULL},
    {"any", RL_ISA_ANY, RL_ISA_ANY, NULL},
};

enum { CORE_COUNT = sizeof cores / sizeof cores[0] };

static const char *const isa_names[] = {"scalar", "dsp", "mve", "any"};
static const char *const flow_names[] = {"rushlight", "executorch"};

// "a, b, c" of the first `count` names.
static const char *list(char *text, size_t size, const char *const *names, int count)
{
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < count && used < size; i++) {
        used += (size_t)snprintf(text + used, size - used, "%s%s", i > 0 ? ", " : "", names[i]);
    }
    return text;
}

const struct rl_core *rl_cores(int *count)
{
    *count = CORE_COUNT;
    return cores;
}

const char *rl_isa_name(enum rl_isa isa)
{
    return isa_names[isa];
}

const char *rl_flow_name(enum rl_flow flow)
{
    return flow_names[flow];
}

static const struct rl_core *find_core(const char *name, size_t length)
{
    for (int i = 0; i < CORE_COUNT; i++) {
        if (strlen(cores[i].name) == length && memcmp(cores[i].name, name, length) == 0) {
            return &cores[i];
        }
    }
    return NULL;
}

enum rl_status rl_target_parse(struct rl_context *context, const char *text, struct rl_target *target)
{
    const char *plus = strchr(text, '+');
    const struct rl_core *core = find_core(text, plus ? (size_t)(plus - text) : strlen(text));
    char accepted[256];

    if (!core) {
        const char *names[CORE_COUNT];
        for (int i = 0; i < CORE_COUNT; i++) {
            names[i] = cores[i].name;
        }
        return rl_fail(context, RL_ERROR_ARGUMENT, "target '%s' is not known; accepted: %s", text,
                       list(accepted, sizeof accepted, names, CORE_COUNT));
    }
    *target = (struct rl_target){.core = core, .isa = core->isa, .flow = RL_FLOW_RUSHLIGHT};
    if (!plus) {
        return RL_OK;
    }
    // `any` already covers all; an override would contradict it.
    int count = core->isa == RL_ISA_ANY ? 0 : (int)core->most + 1;
    for (int i = 0; i < count; i++) {
        if (strcmp(plus + 1, isa_names[i]) == 0) {
            target->isa = (enum rl_isa)i;
            return RL_OK;
        }
    }
    return rl_fail(context, RL_ERROR_ARGUMENT, "target '%s': %s does not execute '%s'; accepted: %s", text, core->name,
                   plus + 1, count > 0 ? list(accepted, sizeof accepted, isa_names, count) : "no instruction set");
}

enum rl_status rl_flow_parse(struct rl_context *context, const char *text, enum rl_flow *flow)
{
    char accepted[64];

    for (int i = 0; i < (int)(sizeof flow_names / sizeof flow_names[0]); i++) {
        if (strcmp(text, flow_names[i]) == 0) {
            *flow = (enum rl_flow)i;
            return RL_OK;
        }
    }
    return rl_fail(context, RL_ERROR_ARGUMENT, "runtime '%s' is not known; accepted: %s", text,
                   list(accepted, sizeof accepted, flow_names, 2));
}

bool rl_target_runs_on(const struct rl_target *target, enum rl_isa isa)
{
    return target->isa == RL_ISA_ANY || target->isa == isa;
}
