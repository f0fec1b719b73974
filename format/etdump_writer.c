// SPDX-License-Identifier: Apache-2.0
#include "format/etdump_writer.h"

static uint32_t write_event(struct rl_fbb *fbb, const struct rl_etdump_event *event)
{
    const uint32_t name = rl_fbb_string(fbb, event->name);

    rl_fbb_reference(fbb, RL_ETDUMP_profile_name, name);
    rl_fbb_present(fbb, RL_ETDUMP_profile_instruction_id, 4, (uint32_t)event->instruction);
    rl_fbb_scalar(fbb, RL_ETDUMP_profile_start_time, 8, event->start);
    rl_fbb_scalar(fbb, RL_ETDUMP_profile_end_time, 8, event->end);
    const uint32_t profile = rl_fbb_end(fbb);
    rl_fbb_reference(fbb, RL_ETDUMP_event_profile_event, profile);
    return rl_fbb_end(fbb);
}

bool rl_etdump_write(struct rl_fbb *builder, const char *method, const struct rl_etdump_event *events, uint32_t count,
                     uint32_t *references)
{
    const uint32_t name = rl_fbb_string(builder, method);

    for (uint32_t i = 0; i < count; i++) {
        references[i] = write_event(builder, &events[i]);
    }
    const uint32_t list = rl_fbb_references(builder, references, count);
    rl_fbb_reference(builder, RL_ETDUMP_run_name, name);
    rl_fbb_reference(builder, RL_ETDUMP_run_events, list);
    const uint32_t run = rl_fbb_end(builder), runs = rl_fbb_references(builder, &run, 1);
    rl_fbb_reference(builder, RL_ETDUMP_etdump_run_data, runs);
    return rl_fbb_finish_sized(builder, rl_fbb_end(builder), RL_ETDUMP_IDENTIFIER);
}
