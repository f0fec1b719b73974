// SPDX-License-Identifier: Apache-2.0
//
// Names start with rl_mark_, because the counter leaves out such functions: an operator is counted from where the first
// hook returns to where the second one is called.
#include "marks.h"
#include "mark.h"
#include "stack.h"

#include "rushlight/operator.h"

#include <stdint.h>

static const volatile uint32_t *from; // where the stack was when the method was executed
static uint8_t places[RL_MARK_PLACES] __attribute__((aligned(RL_MARK_PLACES)));

enum rl_status rl_mark_before(void *user, struct rl_call *call);
enum rl_status rl_mark_after(void *user, struct rl_call *call);

enum rl_status rl_mark_before(void *user, struct rl_call *call)
{
    (void)user;
    rl_stack_paint();
    rl_mark_number(call->instruction, places);
    return RL_OK;
}

enum rl_status rl_mark_after(void *user, struct rl_call *call)
{
    (void)user;
    (void)call;
    rl_mark_number(rl_stack_used(from), places);
    return RL_OK;
}

void rl_runner_mark_operators(struct rl_method *method, const volatile uint32_t *stack)
{
    const struct rl_hooks hooks = {.before = rl_mark_before, .after = rl_mark_after};
    from = stack;
    rl_method_set_hooks(method, &hooks);
}
