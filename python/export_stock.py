# SPDX-License-Identifier: Apache-2.0
"""Writes small models, quantized by ExecuTorch's CortexMQuantizer, and what they compute.

    python python/export_stock.py MODEL tests/fixtures/stock/MODEL
    python python/record_stock.py tests/fixtures/stock/MODEL
    python python/record_quantizer.py tests/fixtures/stock/gated/float.pt2 tests/fixtures/stock/gated/calib.npz \\
        tests/fixtures/quantize/gated.txt

MODEL is gated (a network like MobileNetV3), functions, quotient16, explicit or explicit_1d. The last two are compiled
with use_explicit_layout: record_stock.py gets --explicit-layout for them. Needs torch, torchao and executorch. The
weights are random. Writes float.pt2, calib.npz, quant.pt2, in_K.npy and dialect_out_K.npy: what the lowered program
gives in Python, but for average pools. Python rounds these to even, and CMSIS-NN away from zero, which is done here.
"""

import pathlib
import sys

import numpy as np
import torch
from executorch.backends.cortex_m.edge_compile_config import cortex_m_edge_compile_config
from executorch.backends.cortex_m.passes.cortex_m_pass_manager import CortexMPassManager
from executorch.backends.cortex_m.quantizer.quantization_configs import INT16_PER_TENSOR_CONFIG
from executorch.backends.cortex_m.quantizer.quantizer import CortexMQuantizer
from executorch.backends.cortex_m.target_config import CortexM, CortexMTargetConfig
from executorch.exir import to_edge
from fixture_files import save_program
from torch import nn
from torch.nn import functional as F
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

SIZE = 12


class Gate(nn.Module):
    """Squeeze and excitation: each channel times a number between 0 and 1."""

    def __init__(self, channels):
        super().__init__()
        self.squeeze = nn.Conv2d(channels, channels // 2, 1)
        self.excite = nn.Conv2d(channels // 2, channels, 1)

    def forward(self, x):
        return x * F.hardsigmoid(self.excite(F.relu(self.squeeze(F.adaptive_avg_pool2d(x, 1)))))


class Block(nn.Module):
    def __init__(self, channels, inner, stride):
        super().__init__()
        self.expand = nn.Conv2d(channels, inner, 1, bias=False)
        self.expand_norm = nn.BatchNorm2d(inner)
        self.depthwise = nn.Conv2d(inner, inner, 3, stride, 1, groups=inner)
        self.gate = Gate(inner)
        self.project = nn.Conv2d(inner, channels, 1)

    def forward(self, x):
        y = F.hardswish(self.expand_norm(self.expand(x)))
        y = self.project(self.gate(F.hardswish(self.depthwise(y))))
        return x + y if y.shape == x.shape else y


class Gated(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 8, 3, 2, 1)
        self.blocks = nn.Sequential(Block(8, 12, 1), Block(8, 16, 2))
        self.faint = nn.Conv2d(8, 8, 1)  # small results, so that the zero point for x + 3 is far outside int8
        self.hidden = nn.Linear(8, 12)
        self.other = nn.Linear(8, 12)
        self.head = nn.Linear(12, 6)

    def forward(self, x):
        x = self.blocks(F.hardswish(self.stem(x)))
        x = F.adaptive_avg_pool2d(x + F.hardswish(self.faint(x)), 1).flatten(1)
        x = torch.maximum(self.other(x), F.hardswish(self.hidden(x)))
        return F.hardsigmoid(self.head(x))


class Functions(nn.Module):
    """What the stock quantizer makes tables of, and a quotient of two tensors."""

    def forward(self, x):
        ratio = torch.sqrt(x) / torch.log1p(x)
        return ratio * torch.rsqrt(x) + torch.log2(x) - torch.log10(ratio) * torch.log(ratio + x)


class Quotient16(nn.Module):
    """With int16 activations ExecuTorch has an integer operator for the quotient; the rest stays in floating point."""

    def forward(self, x):
        return F.relu(torch.cat([x / (x * x + 1), x * 2], 1))


class Explicit(nn.Module):
    """All layers that have an operator for the explicit layout, between contiguous images and logits."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 8, 3, 2, 1)
        self.depthwise = nn.Conv2d(8, 8, 3, padding=1, groups=8)
        self.pointwise = nn.Conv2d(8, 8, 1)
        self.grow = nn.ConvTranspose2d(8, 4, 2, 2)
        self.head = nn.Linear(12, 5)

    def forward(self, x):
        x = F.relu(self.stem(x))
        x = x + self.pointwise(F.relu(self.depthwise(x)))
        grown = F.max_pool2d(self.grow(x), 2)
        x = torch.cat([torch.sigmoid(grown), F.max_pool2d(x, 3, 1, 1)], 1)
        return F.softmax(self.head(torch.flatten(F.avg_pool2d(x, SIZE // 2), 1)), 1)


class Explicit1d(nn.Module):
    """Convolutions of sequences, which only the explicit layout quantizes."""

    def __init__(self):
        super().__init__()
        self.first = nn.Conv1d(2, 4, 3, padding=1)
        self.second = nn.Conv1d(4, 6, 3)

    def forward(self, x):
        return self.second(F.relu(self.first(x)))


def build_gated():
    model = Gated().eval()
    for module in model.modules():
        if isinstance(module, nn.BatchNorm2d):
            module.running_mean.normal_(0, 0.2)
            module.running_var.uniform_(0.05, 0.2)
    with torch.no_grad():
        model.stem.weight.mul_(4)
        model.faint.weight.mul_(0.01)
        model.faint.bias.mul_(0.01)
        model.head.weight.mul_(4)
    return model


def image(generator):
    array = generator.standard_normal((1, 3, SIZE, SIZE), np.float32)
    return torch.from_numpy(array).to(memory_format=torch.channels_last)


def positive_row(generator):
    return torch.from_numpy(generator.uniform(0.01, 3, (1, 40)).astype(np.float32))


def row(generator):
    return torch.from_numpy(generator.standard_normal((1, 40), np.float32))


def contiguous_image(generator):
    return image(generator).contiguous()


def sequence(generator):
    return torch.from_numpy(generator.standard_normal((1, 2, 20), np.float32))


# How to build a model, how to draw an input, the configuration, and whether the layout is explicit.
MODELS = {
    "gated": (build_gated, image, None, False),
    "functions": (Functions, positive_row, None, False),
    "quotient16": (Quotient16, row, INT16_PER_TENSOR_CONFIG, False),
    "explicit": (Explicit, contiguous_image, None, True),
    "explicit_1d": (Explicit1d, sequence, None, True),
}


class AsOnTheDevice(torch.fx.Interpreter):
    """Runs a lowered program with the average pools of CMSIS-NN."""

    def call_function(self, target, args, kwargs):
        if "quantized_avg_pool2d" not in str(target):
            return super().call_function(target, args, kwargs)
        values = args[0].to(torch.int64)
        rows, columns = args[1]
        plane = (1, 2) if "_nhwc" in str(target) else (2, 3)
        assert [values.shape[dim] for dim in plane] == [rows, columns], "only pools of the whole plane occur"
        count = rows * columns
        sums = values.sum(plane, keepdim=True)
        return (sums.sign() * torch.div(sums.abs() + count // 2, count, rounding_mode="floor")).to(torch.int8)


def lowered_outputs(program, inputs, explicit):
    edge = to_edge(program, compile_config=cortex_m_edge_compile_config())
    target = CortexMTargetConfig(cpu=CortexM.M55)
    passes = CortexMPassManager(edge.exported_program(), target_config=target, use_explicit_layout=explicit)
    module = passes.transform().module()
    return [AsOnTheDevice(module).run(x)[0] for x in inputs]


def main():
    build, draw, config, explicit = MODELS[sys.argv[1]]
    folder = pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    generator = np.random.default_rng(12)
    samples = [draw(generator) for _ in range(8)]
    inputs = [draw(generator) for _ in range(4)]
    torch.manual_seed(12)
    program = torch.export.export(build(), (samples[0],))
    save_program(program, folder / "float.pt2")
    np.savez(folder / "calib.npz", x=np.stack([sample[0].numpy() for sample in samples]))
    prepared = prepare_pt2e(program.module(check_guards=False), CortexMQuantizer(config, explicit))
    with torch.no_grad():
        for sample in samples:
            prepared(sample)
        quantized = torch.export.export(convert_pt2e(prepared), (samples[0],))
        save_program(quantized, folder / "quant.pt2")
        for i, (x, y) in enumerate(zip(inputs, lowered_outputs(quantized, inputs, explicit))):
            np.save(folder / f"in_{i}.npy", x.contiguous().numpy())
            np.save(folder / f"dialect_out_{i}.npy", y.numpy())


if __name__ == "__main__":
    main()
