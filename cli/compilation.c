// SPDX-License-Identifier: Apache-2.0
#include "cli/compilation.h"

#include <string.h>

enum { PLANNED = -1 };

const struct rl_cli_choice rl_cli_quantizations[] = {
    {"int8", RL_QUANTIZE_INT8, false},
    {"none", RL_QUANTIZE_NONE, false},
    {"a16w8", RL_QUANTIZE_A16W8, false},
    {"a8w4", PLANNED, true},
    {0},
};
const struct rl_cli_choice rl_cli_quantizers[] = {
    {"best", RL_QUANTIZER_BEST, false},
    {"stock", RL_QUANTIZER_STOCK, false},
    {0},
};
const struct rl_cli_choice rl_cli_accuracies[] = {
    {"best", false, false},
    {"full", false, false}, // the same
    {"fast", true, false},
    {0},
};
const struct rl_cli_choice rl_cli_interfaces[] = {
    {"float", RL_INTERFACE_FLOAT, false},
    {"int8", RL_INTERFACE_INT8, false},
    {0},
};

const struct rl_cli_choices rl_cli_compilation_choices[] = {
    {"quantize", rl_cli_quantizations},
    {"quantizer", rl_cli_quantizers},
    {"accuracy", rl_cli_accuracies},
    {"io", rl_cli_interfaces},
    {0},
};

static int read_target(struct rl_cli *cli, struct rl_target *target)
{
    const char *flow = rl_flow_name(RL_FLOW_RUSHLIGHT), *core = "cortex-m55";

    flow = rl_cli_has_option(cli, "for") ? rl_cli_value(cli, "for", flow) : flow;
    core = rl_cli_has_option(cli, "target") ? rl_cli_value(cli, "target", core) : core;
    if (rl_target_parse(&cli->context, core, target) != RL_OK ||
        rl_flow_parse(&cli->context, flow, &target->flow) != RL_OK) {
        return rl_cli_usage_error(cli, "%s", cli->context.message);
    }
    return RL_EXIT_DONE;
}

// int16 activations are ours: the stock quantizer does not make them, and ExecuTorch has no operators for them.
static int check_wide(struct rl_cli *cli, const struct rl_compile_options *options)
{
    const char *with = NULL;

    if (options->quantizer == RL_QUANTIZER_STOCK) {
        with = "--quantizer stock: ExecuTorch's CortexMQuantizer makes int8 activations; accepted: --quantizer best";
    } else if (options->interface == RL_INTERFACE_INT8) {
        with = "--io int8: inputs and outputs are int16 inside of the program; accepted: --io float";
    } else if (options->target.flow == RL_FLOW_EXECUTORCH) {
        with = "--for executorch: it needs operators of rushlight:: for int16, which ExecuTorch does not have; "
               "accepted: --for rushlight, or --quantize int8";
    }
    if (options->quantization != RL_QUANTIZE_A16W8 || !with) {
        return RL_EXIT_DONE;
    }
    return rl_cli_usage_error(cli, "--quantize a16w8 cannot be combined with %s", with);
}

int rl_cli_read_compilation(struct rl_cli *cli, struct rl_compile_options *options)
{
    int quantization = 0, quantizer = 0, accuracy = 0, interface = 0;

    if (rl_cli_choose(cli, "quantize", "int8", &quantization) != RL_EXIT_DONE ||
        rl_cli_choose(cli, "quantizer", "best", &quantizer) != RL_EXIT_DONE ||
        rl_cli_choose(cli, "accuracy", "best", &accuracy) != RL_EXIT_DONE ||
        rl_cli_choose(cli, "io", "float", &interface) != RL_EXIT_DONE ||
        rl_cli_sequence(cli, &options->sequence) != RL_EXIT_DONE ||
        rl_cli_shapes(cli, &options->shapes) != RL_EXIT_DONE || read_target(cli, &options->target) != RL_EXIT_DONE) {
        return RL_EXIT_USAGE;
    }
    options->model = cli->operands[0];
    options->calibration = rl_cli_values(cli, "calibrate", &options->calibration_count);
    options->quantization = (enum rl_quantization)quantization;
    options->quantizer = (enum rl_quantizer)quantizer;
    options->is_fast = accuracy != 0;
    options->interface = (enum rl_interface)interface;
    options->leaves_out_names = rl_cli_given(cli, "no-names");
    options->winograd = rl_cli_given(cli, "winograd");
    options->keep_channels = rl_cli_given(cli, "keep-channels");
    return check_wide(cli, options);
}
