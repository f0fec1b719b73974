// SPDX-License-Identifier: Apache-2.0
#include "compiler/targets/target.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "compiler/support/suggest.h"

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

// Compares without regard to case; `length` characters of `text` must be all of `name`.
static bool is_name(const char *name, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (name[i] == '\0' || tolower((unsigned char)text[i]) != name[i]) {
            return false;
        }
    }
    return name[length] == '\0';
}

const struct rl_core *rl_core_find(const char *text, size_t length)
{
    const size_t prefix = strlen("cortex-");
    char spelled[32];
    if (length > 0 && length < sizeof spelled && text[length - 1] == '+') {
        length = (size_t)snprintf(spelled, sizeof spelled, "%.*splus", (int)length - 1, text);
        text = spelled;
    }
    for (int i = 0; i < CORE_COUNT; i++) {
        const char *name = cores[i].name, *family = strlen(name) > prefix ? name + prefix : name;
        if (is_name(name, text, length) || is_name(family, text, length)) {
            return &cores[i];
        }
    }
    return NULL;
}

// The end of the core's name. Arm writes the core between M0 and M3 with a plus sign, which elsewhere precedes the
// instruction set.
static const char *end_of_core(const char *text)
{
    const char *plus = strchr(text, '+');
    const bool is_m0 = plus && plus - text >= 2 && tolower((unsigned char)plus[-2]) == 'm' && plus[-1] == '0';
    const bool is_plain = is_m0 && (plus[1] == '\0' || plus[1] == '+');
    if (!plus) {
        return text + strlen(text);
    }
    return is_plain ? plus + 1 : plus;
}

// Complains of a target that does not exist, by the names of the cores as long or as short as the one that was given.
static enum rl_status unknown_core(struct rl_context *context, const char *text, size_t length)
{
    const char *names[CORE_COUNT], *like[CORE_COUNT];
    char accepted[256], close[RL_SUGGEST_TEXT_BYTES], given[RL_SUGGEST_TEXT_BYTES];
    const char *dash = strchr(text, '-');

    for (int i = 0; i < CORE_COUNT; i++) {
        const char *family = strchr(cores[i].name, '-');
        names[i] = cores[i].name;
        like[i] = dash || !family ? names[i] : family + 1;
    }
    snprintf(given, sizeof given, "%.*s", (int)length, text);
    return rl_fail(context, RL_ERROR_ARGUMENT, "target '%s' is not known%s; accepted: %s", text,
                   rl_suggest(close, given, like, CORE_COUNT), list(accepted, sizeof accepted, names, CORE_COUNT));
}

enum rl_status rl_target_parse(struct rl_context *context, const char *text, struct rl_target *target)
{
    const char *end = end_of_core(text), *plus = *end == '+' ? end : NULL;
    const struct rl_core *core = rl_core_find(text, (size_t)(end - text));
    char accepted[256], close[RL_SUGGEST_TEXT_BYTES];

    if (!core) {
        return unknown_core(context, text, (size_t)(end - text));
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
    return rl_fail(context, RL_ERROR_ARGUMENT, "target '%s': %s does not execute '%s'%s; accepted: %s", text,
                   core->name, plus + 1, rl_suggest(close, plus + 1, isa_names, count),
                   count > 0 ? list(accepted, sizeof accepted, isa_names, count) : "no instruction set");
}

enum rl_status rl_flow_parse(struct rl_context *context, const char *text, enum rl_flow *flow)
{
    enum { FLOW_COUNT = sizeof flow_names / sizeof flow_names[0] };
    char accepted[64], close[RL_SUGGEST_TEXT_BYTES];

    for (int i = 0; i < FLOW_COUNT; i++) {
        if (strcmp(text, flow_names[i]) == 0) {
            *flow = (enum rl_flow)i;
            return RL_OK;
        }
    }
    return rl_fail(context, RL_ERROR_ARGUMENT, "runtime '%s' is not known%s; accepted: %s", text,
                   rl_suggest(close, text, flow_names, FLOW_COUNT),
                   list(accepted, sizeof accepted, flow_names, FLOW_COUNT));
}

bool rl_target_runs_on(const struct rl_target *target, enum rl_isa isa)
{
    return target->isa == RL_ISA_ANY || target->isa == isa;
}
