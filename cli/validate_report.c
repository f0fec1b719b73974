// SPDX-License-Identifier: Apache-2.0
//
// What `validate` tells of a firmware that answered.
#include "cli/validate.h"

#include <inttypes.h>
#include <stdio.h>

#include "cli/inspect.h"

static json_t *outputs_json(const struct rl_cli_validation *v)
{
    json_t *list = json_array();
    for (int i = 0; i < v->output_count; i++) {
        const struct rl_cli_difference *d = &v->outputs[i];
        json_t *first = d->samples == 0
                            ? json_null()
                            : json_pack("{s:I, s:I, s:i, s:i}", "sample", (json_int_t)d->first_sample, "byte",
                                        (json_int_t)d->first_byte, "host", d->on_host, "firmware", d->on_firmware);
        json_array_append_new(list, json_pack("{s:i, s:I, s:I, s:I, s:o}", "index", i, "bytes", (json_int_t)d->bytes,
                                              "differing_samples", (json_int_t)d->samples, "differing_bytes",
                                              (json_int_t)d->differing_bytes, "first", first));
    }
    return list;
}

// The instruction of the first refusal, as inspect lists it: a new object, or null if nothing was refused.
static json_t *refused_json(struct rl_cli *cli, const struct rl_cli_validate_outcome *outcome)
{
    const struct rl_cli_validation *v = &outcome->validation;
    const uint32_t instruction = v->refused / RL_RUN_STATUSES, status = v->refused % RL_RUN_STATUSES;
    if (v->refused_samples == 0) {
        return json_null();
    }
    json_t *facts = rl_cli_inspect_pte(cli, outcome->files);
    json_t *call = json_array_get(json_object_get(facts, "instructions"), instruction);
    json_t *refused = json_pack("{s:I, s:I, s:I, s:i, s:s, s:O?, s:O?}", "samples", (json_int_t)v->refused_samples,
                                "first_sample", (json_int_t)v->first_refused, "instruction", (json_int_t)instruction,
                                "status", (int)status, "status_text", rl_status_text((enum rl_status)status), "op",
                                json_object_get(call, "op"), "layer", json_object_get(call, "layer"));
    json_decref(facts);
    return refused;
}

json_t *rl_cli_validate_json(struct rl_cli *cli, const struct rl_cli_validate_request *request,
                             const struct rl_cli_validate_outcome *outcome, const char *verdict)
{
    const struct rl_cli_validation *v = &outcome->validation;
    const struct rl_session_firmware *f = &outcome->session.firmware;
    const bool is_complete = outcome->status == RL_SESSION_OK;
    json_t *object = json_pack("{s:s, s:s?, s:s?, s:s?}", "verdict", verdict, "port", request->port, "core",
                               request->core, "message", is_complete ? NULL : outcome->session.message);
    if (outcome->has_started) {
        json_object_set_new(object, "firmware",
                            json_pack("{s:s, s:I, s:I, s:I, s:I, s:i}", "name", f->name, "program_bytes",
                                      (json_int_t)f->program_bytes, "program_crc", (json_int_t)f->program_crc,
                                      "arena_bytes", (json_int_t)f->arena_bytes, "stack_bound_bytes",
                                      (json_int_t)f->stack_bytes, "clock_bits", (int)f->clock_bits));
    }
    if (!is_complete) {
        return object;
    }
    json_t *cycles = request->core ? json_null() : json_array(); // the emulator does not model time
    for (int64_t i = 0; i < v->sample_count && !request->core; i++) {
        json_array_append_new(cycles, json_integer(v->cycles[i]));
    }
    json_object_set_new(object, "samples", json_integer(v->sample_count));
    json_object_set_new(object, "outputs", outputs_json(v));
    json_object_set_new(object, "cycles", cycles);
    json_object_set_new(object, "refused", refused_json(cli, outcome));
    json_t *modelled = json_object_get(outcome->modelled, "cycles");
    json_object_set(object, "modelled_cycles", modelled ? modelled : json_null());
    json_t *error = json_object_get(outcome->modelled, "cycles_error_percent");
    json_object_set(object, "modelled_cycles_error_percent", error ? error : json_null());
    json_object_set_new(object, "stack_bytes", v->stack == rl_run_stack_unknown ? json_null() : json_integer(v->stack));
    return object;
}

static bool outputs_differ(const struct rl_cli_validation *v)
{
    bool differ = false;
    for (int i = 0; i < v->output_count; i++) {
        differ |= v->outputs[i].samples > 0;
    }
    return differ;
}

static void print_refusal(struct rl_cli *cli, const struct rl_cli_validate_outcome *outcome)
{
    json_t *refused = refused_json(cli, outcome);
    if (json_is_object(refused)) {
        const char *layer = json_string_value(json_object_get(refused, "layer"));
        const char *op = json_string_value(json_object_get(refused, "op"));
        printf("  the firmware REFUSES %lld samples, first sample %lld: instruction %lld, %s%s%s, status %lld: %s\n",
               json_integer_value(json_object_get(refused, "samples")),
               json_integer_value(json_object_get(refused, "first_sample")),
               json_integer_value(json_object_get(refused, "instruction")), op ? op : "which the program does not have",
               layer ? " of " : "", layer ? layer : "", json_integer_value(json_object_get(refused, "status")),
               json_string_value(json_object_get(refused, "status_text")));
    }
    json_decref(refused);
}

static void print_modelled(const struct rl_cli_validate_outcome *outcome)
{
    const json_t *percent = json_object_get(outcome->modelled, "cycles_error_percent");
    printf("modelled: %lld cycles on %s", json_integer_value(json_object_get(outcome->modelled, "cycles")),
           json_string_value(json_object_get(outcome->modelled, "core")));
    if (json_is_number(percent)) {
        printf(", within %g %%", json_number_value(percent));
    }
    printf(", for model.pte in the runtime\n");
}

static void print_costs(const struct rl_cli_validate_request *request, const struct rl_cli_validate_outcome *outcome)
{
    const struct rl_cli_validation *v = &outcome->validation;
    const struct rl_session_firmware *f = &outcome->session.firmware;
    uint32_t least = UINT32_MAX, most = 0;
    for (int64_t i = 0; i < v->sample_count; i++) {
        least = v->cycles[i] < least ? v->cycles[i] : least;
        most = v->cycles[i] > most ? v->cycles[i] : most;
    }
    if (!request->core) {
        printf("cycles: %" PRIu32 " to %" PRIu32 "%s\n", least, most,
               f->clock_bits < 32 ? ", of a counter that starts anew after 16777216" : "");
    }
    if (outcome->modelled) {
        print_modelled(outcome);
    } else if (request->core) {
        printf("cycles: the emulator does not model time; 'rushlight profile --on %s' does\n", request->core);
    }
    if (v->stack != rl_run_stack_unknown) {
        printf("stack: %" PRIu32 " bytes", v->stack);
        if (f->stack_bytes > 0) { // known for models as C
            printf(", of at most %" PRIu32, f->stack_bytes);
        }
        printf("\n");
    }
    printf("arena: %" PRIu32 " bytes\n", f->arena_bytes);
}

void rl_cli_validate_print(struct rl_cli *cli, const struct rl_cli_validate_request *request,
                           const struct rl_cli_validate_outcome *outcome)
{
    const struct rl_cli_validation *v = &outcome->validation;
    printf("%s on %s: %" PRId64 " sample%s, ", outcome->session.firmware.name, request->place, v->sample_count,
           v->sample_count == 1 ? "" : "s");
    const bool refuses_all = v->refused_samples == v->sample_count;
    if (!refuses_all) {
        printf("%s\n", outputs_differ(v) ? "outputs DIFFER from those of the host"
                                         : "all outputs identical to those of the host");
    } else {
        printf("no outputs\n");
    }
    for (int i = 0; i < v->output_count; i++) {
        const struct rl_cli_difference *d = &v->outputs[i];
        if (d->samples > 0) {
            printf("  output %d: %" PRId64 " bytes differ in %" PRId64 " samples; first byte %" PRIu32
                   " of sample %" PRId64 ", 0x%02x in place of 0x%02x\n",
                   i, d->differing_bytes, d->samples, d->first_byte, d->first_sample, d->on_firmware, d->on_host);
        }
    }
    print_refusal(cli, outcome);
    print_costs(request, outcome);
}
