# SPDX-License-Identifier: Apache-2.0
"""Writes one model as several quantizers of PT2E leave it.

    python python/export_graphs.py tests/fixtures/graphs

Needs torch, torchao and executorch. Writes NAME.pt2 for each name below, and graphs.npz, its samples:

    channels        XNNPACKQuantizer, a scale per output channel for convolutions and linear layers
    tensors         XNNPACKQuantizer, one scale for all weights of a layer
    shifted         int8 weights with a zero point, one for each layer
    shifted_channels    the same with a zero point per output channel
    unsigned        X86InductorQuantizer: activations in uint8, and only in front of its layers
    left_out        CortexMQuantizer, which leaves out convolutions of images that are not channels-last

and, each with its samples in NAME.npz:

    pools           average pools with a grid of their own before and after each
    waves           conv1d followed by hardsigmoid, which have one grid, and a linear layer
    states          a recurrent layer whose state is a buffer that is quantized where it is read and written
"""

import pathlib
import sys

import numpy as np
import torch
from executorch.backends.cortex_m.quantizer.quantizer import CortexMQuantizer
from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import XNNPACKQuantizer, get_symmetric_quantization_config
from fixture_files import save_program
from torch import nn
from torch.nn import functional as F
from torchao.quantization.pt2e import HistogramObserver, MinMaxObserver, PerChannelMinMaxObserver
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e
from torchao.quantization.pt2e.quantizer import QuantizationAnnotation, QuantizationSpec, Quantizer
from torchao.quantization.pt2e.quantizer import x86_inductor_quantizer as x86


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(2, 6, 3, padding=1)
        self.norm = nn.BatchNorm2d(6)
        self.depthwise = nn.Conv2d(6, 6, 3, padding=1, groups=6)
        self.point = nn.Conv2d(6, 8, 1, bias=False)
        self.grow = nn.ConvTranspose2d(8, 4, 2, 2)
        self.hidden = nn.Linear(4, 6)
        self.rows = nn.Linear(2, 5, bias=False)
        with torch.no_grad():
            self.norm.running_mean.normal_(0, 0.1)
            self.norm.running_var.uniform_(0.5, 1.5)

    def forward(self, input):
        x = F.relu(self.norm(self.stem(input)))
        x = F.hardtanh(self.depthwise(x), 0, 6)
        x = F.max_pool2d(F.relu(self.point(x)), 2)
        x = self.grow(x).mean((2, 3))
        return self.rows(F.relu(self.hidden(x)).view(1, 3, 2))


class ShiftedQuantizer(Quantizer):
    """Affine weights, which the quantizers of ExecuTorch do not choose."""

    def __init__(self, per_channel, symmetric=False):
        self.per_channel = per_channel
        self.symmetric = symmetric

    def scheme(self):
        if self.symmetric:
            return torch.per_channel_symmetric if self.per_channel else torch.per_tensor_symmetric
        return torch.per_channel_affine if self.per_channel else torch.per_tensor_affine

    def weights(self, axis):
        return QuantizationSpec(
            dtype=torch.int8,
            observer_or_fake_quant_ctr=PerChannelMinMaxObserver if self.per_channel else MinMaxObserver,
            quant_min=-128,
            quant_max=127,
            qscheme=self.scheme(),
            ch_axis=axis if self.per_channel else None,
        )

    def annotate(self, model):
        values = QuantizationSpec(
            dtype=torch.int8,
            observer_or_fake_quant_ctr=HistogramObserver,
            quant_min=-128,
            quant_max=127,
            qscheme=torch.per_tensor_affine,
        )
        for node in model.graph.nodes:
            target = str(node.target)
            if not target.startswith(("aten.conv", "aten.linear")):
                continue
            user = next(iter(node.users))
            has_relu = any(name in str(user.target) for name in ("relu", "hardsigmoid"))
            node.meta["quantization_annotation"] = QuantizationAnnotation(
                input_qspec_map={node.args[0]: values, node.args[1]: self.weights(int("transpose" in target))},
                output_qspec=None if has_relu else values,
                _annotated=True,
            )
            if has_relu:
                user.meta["quantization_annotation"] = QuantizationAnnotation(output_qspec=values, _annotated=True)
        return model

    def validate(self, model):
        pass


class Pools(nn.Module):
    def forward(self, smooth, noise):
        return (
            F.avg_pool2d(smooth, 2),
            F.avg_pool2d(smooth, 3, 1, 1),
            F.avg_pool2d(smooth, 3, 2, 1, count_include_pad=False),
            F.avg_pool2d(smooth, (1, 3), ceil_mode=True),
            F.relu(F.avg_pool2d(noise, 4, 2, 2)),
            noise.mean((2, 3)),
        )


class PoolQuantizer(Quantizer):
    """Every value has a grid of its own."""

    def annotate(self, model):
        values = QuantizationSpec(
            dtype=torch.int8,
            observer_or_fake_quant_ctr=HistogramObserver,
            quant_min=-128,
            quant_max=127,
            qscheme=torch.per_tensor_affine,
        )
        for node in model.graph.nodes:
            if node.op == "call_function":
                has_relu = any("relu" in str(user.target) for user in node.users)
                inputs = {} if "relu" in str(node.target) else {node.args[0]: values}
                node.meta["quantization_annotation"] = QuantizationAnnotation(
                    input_qspec_map=inputs, output_qspec=None if has_relu else values, _annotated=True
                )
        return model

    def validate(self, model):
        pass


class Waves(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Conv1d(4, 8, 5, padding=2)
        self.second = nn.Conv1d(8, 6, 3, stride=2)
        self.head = nn.Linear(6 * 9, 3)

    def forward(self, input):
        x = F.hardsigmoid(self.second(F.hardsigmoid(self.first(input))))
        return self.head(x.flatten(1))


class States(nn.Module):
    """Quantize and dequantize nodes in the model itself, because no quantizer annotates buffers."""

    def __init__(self):
        super().__init__()
        self.of_input = nn.Linear(4, 6)
        self.of_state = nn.Linear(6, 6, bias=False)
        self.register_buffer("state", torch.zeros(1, 6))

    def forward(self, input):
        ops = torch.ops.quantized_decomposed
        wide, narrow = (0.03, 2, -128, 127, torch.int8), (1 / 128, 0, -128, 127, torch.int8)

        def on_grid(x, grid):
            return ops.dequantize_per_tensor(ops.quantize_per_tensor(x, *grid), *grid)

        weights = (1 / 256, 0, -127, 127, torch.int8)
        x = on_grid(F.linear(on_grid(input, wide), on_grid(self.of_input.weight, weights), self.of_input.bias), wide)
        y = F.linear(on_grid(self.state, narrow), on_grid(self.of_state.weight, weights))
        x = on_grid(torch.tanh(on_grid(x + on_grid(y, wide), wide)), narrow)
        self.state.copy_(x)
        return x


def quantize_waves(folder):
    torch.manual_seed(0)
    samples = 2 * torch.randn(16, 4, 20)
    program = quantize(Waves().eval(), ShiftedQuantizer(per_channel=True, symmetric=True), samples)
    save_program(program, folder / "waves.pt2")
    np.savez(folder / "waves.npz", input=samples.numpy())


def record_states(folder):
    torch.manual_seed(0)
    samples = torch.randn(16, 1, 4)
    model = States().eval()
    save_program(torch.export.export(model, (samples[0],)), folder / "states.pt2")
    with torch.no_grad():
        outputs = torch.cat([model(sample) for sample in samples])
    np.savez(folder / "states.npz", input=samples[:, 0].numpy(), output=outputs.numpy())


def quantize_pools(folder):
    torch.manual_seed(0)
    noise = torch.randn(4, 1, 40, 8, 8)
    samples = [(a.clone(), b.clone()) for a, b in zip(torch.randn(1, 1, 40, 1, 1) + noise / 8, noise, strict=True)]
    graph = prepare_pt2e(torch.export.export(Pools().eval(), samples[0]).module(), PoolQuantizer())
    for sample in samples:
        graph(*sample)
    save_program(torch.export.export(convert_pt2e(graph), samples[0]), folder / "pools.pt2")
    arrays = {name: torch.cat([sample[i] for sample in samples]).numpy() for i, name in enumerate(("smooth", "noise"))}
    np.savez(folder / "pools.npz", **arrays)


def quantize(model, quantizer, samples):
    graph = torch.export.export(model, (samples[:1],)).module()
    for node in list(graph.graph.nodes):
        if node.target == "_guards_fn":  # CortexMQuantizer does not take checks of the input's sizes
            graph.graph.erase_node(node)
    graph.recompile()
    graph = prepare_pt2e(graph, quantizer)
    for sample in samples:
        graph(sample[None])
    return torch.export.export(convert_pt2e(graph), (samples[:1],))


def main():
    folder = pathlib.Path(sys.argv[1])
    torch.manual_seed(0)
    torch.set_num_threads(1)
    model = Model().eval()
    samples = torch.randn(24, 2, 8, 8)
    quantizers = {
        "channels": XNNPACKQuantizer().set_global(get_symmetric_quantization_config(is_per_channel=True)),
        "tensors": XNNPACKQuantizer().set_global(get_symmetric_quantization_config(is_per_channel=False)),
        "shifted": ShiftedQuantizer(per_channel=False),
        "shifted_channels": ShiftedQuantizer(per_channel=True),
        "unsigned": x86.X86InductorQuantizer().set_global(x86.get_default_x86_inductor_quantization_config()),
        "left_out": CortexMQuantizer(),
    }
    for name, quantizer in quantizers.items():
        save_program(quantize(model, quantizer, samples), folder / f"{name}.pt2")
    np.savez(folder / "graphs.npz", input=samples.numpy())
    quantize_pools(folder)
    quantize_waves(folder)
    record_states(folder)


if __name__ == "__main__":
    main()
