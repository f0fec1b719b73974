# SPDX-License-Identifier: Apache-2.0
"""Writes tests/fixtures/pt2/: small .pt2 files with what a reader meets beside plain layers.

All values are counted up from 0, so that tests can compute what they expect. Needs torch from PyPI.

    python3 python/export_pt2_fixtures.py [OUTPUT_FOLDER]
"""

import pathlib
import sys

import numpy as np
import torch
from fixture_files import save_program
from torch import nn


def count(*sizes):
    return torch.arange(torch.Size(sizes).numel(), dtype=torch.float32).reshape(sizes)


class SharedStorage(nn.Module):
    """Two weights that are one, views with offsets and gaps, a transposed and an expanded buffer, a constant."""

    def __init__(self):
        super().__init__()
        self.first = nn.Linear(4, 4, bias=False)
        self.first.weight = nn.Parameter(count(4, 4))
        self.second = nn.Linear(4, 4, bias=False)
        self.second.weight = self.first.weight
        self.unused = nn.Parameter(count(100))
        base = count(24)
        self.register_buffer("tail", base[20:])
        self.register_buffer("every_other", base[0:8:2])
        self.register_buffer("transposed", count(2, 4).t())
        self.register_buffer("expanded", count(1, 4).expand(3, 4))
        self.register_buffer("volatile", count(4) + 100, persistent=False)
        self.constant = torch.tensor([1.0, 2.0, 3.0, 4.0])

    def forward(self, x):
        x = self.second(self.first(x)) + self.tail + self.every_other
        x = x + self.expanded.sum(0) + self.volatile + self.constant
        return torch.matmul(x, self.transposed)


class ManyValues(nn.Module):
    """Inputs in a dictionary and by name, numbers in place of tensors, lists of results, several outputs."""

    def forward(self, pair, scale=2.0, *, ids, mask=None):
        left, right = pair["left"], pair["right"]
        a, b = torch.split(left * 2.0 + 1, 2, dim=1)
        c = torch.cat([a, b, right], 1)
        kept = torch.where(c > 0.5, c, torch.zeros_like(c))
        return {"sum": kept.sum(1), "ids": ids + 3, "parts": [a / 4, b * scale]}


class ChannelsLast(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 2, 3, padding="same")
        self.conv.weight = nn.Parameter(count(2, 3, 3, 3).to(memory_format=torch.channels_last))
        self.conv.bias = nn.Parameter(count(2))

    def forward(self, x):
        return torch.relu_(self.conv(x)).permute(0, 2, 3, 1).contiguous()


class State(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("steps", torch.zeros(1))

    def forward(self, x):
        self.steps.add_(1)
        return x + self.steps


class ControlFlow(nn.Module):
    def forward(self, x):
        return torch.cond(x.sum() > 0, lambda y: (y + 1,), lambda y: (y - 1,), (x,))[0]


class Outputs(nn.Module):
    """Outputs beside floats: classes, truth values, nothing."""

    def __init__(self):
        super().__init__()
        self.scores = nn.Linear(3, 4, bias=False)
        self.scores.weight = nn.Parameter((count(4, 3) * 5 % 7) - 3)

    def forward(self, x):
        y = self.scores(x)
        return y.argmax(1), y > 0, None, y


class ChangedInput(nn.Module):
    """An activation in place of the input, which run_decompositions() lists as an output of its own kind."""

    def forward(self, x):
        return x.relu_() + 1


class Images(nn.Module):
    """Convolutions, a batch norm, a buffer and numbers, for short floating types."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(1)
        self.conv = nn.Conv2d(3, 8, 3, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(8)
        self.depthwise = nn.Conv2d(8, 8, 3, groups=8)
        self.head = nn.Linear(8, 4)
        self.register_buffer("gain", torch.linspace(0.5, 1.5, 8).reshape(1, 8, 1, 1))

    def forward(self, x):
        x = torch.relu(self.norm(self.conv(x))) * self.gain
        x = torch.relu(self.depthwise(x)).mean((2, 3))
        return self.head(x) * 0.3 + 1


class Cast(Images):
    """float32 outside, float16 inside."""

    def forward(self, x):
        return super().forward(x.half()).float()


class Plain(nn.Module):
    def forward(self, x):
        return x + 1


def export(folder, name, model, args, kwargs=None, decompose=False, **options):
    program = torch.export.export(model.eval(), args, kwargs, **options)
    if decompose:
        program = program.run_decompositions()
    save_program(program, folder / f"{name}.pt2")


def export_short_floats(folder):
    """half and brain: a model in float16 and bfloat16; NAME_wide: its float32 form; NAME.npz: samples and results."""
    torch.manual_seed(2)
    images = torch.randn(16, 3, 10, 10)
    for name, dtype in (("half", torch.float16), ("brain", torch.bfloat16)):
        model = Images().eval().to(dtype)
        export(folder, name, model, (images[:1].to(dtype),))
        with torch.no_grad():
            results = torch.cat([model(image.to(dtype)) for image in images.split(1)])
        export(folder, f"{name}_wide", model.float(), (images[:1].to(dtype).float(),))
        np.savez(folder / f"{name}.npz", input=images.numpy(), output=results.float().numpy())
    export(folder, "half_inside", Cast().eval().half(), (images[:1].clone(),))


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "tests/fixtures/pt2")
    folder.mkdir(parents=True, exist_ok=True)
    export(folder, "shared_storage", SharedStorage(), (count(2, 4),))
    pair = {"left": count(2, 4), "right": count(2, 3) - 2}
    export(folder, "many_values", ManyValues(), (pair,), {"ids": torch.arange(5)})
    image = count(1, 3, 4, 5).to(memory_format=torch.channels_last)
    export(folder, "channels_last", ChannelsLast(), (image,))
    export(folder, "outputs", Outputs(), (count(2, 3) - 2,))
    export(folder, "changed_input", ChangedInput(), (count(2, 3) - 2,), decompose=True)
    export(folder, "state", State(), (count(3),))
    export(folder, "control_flow", ControlFlow(), (count(3),))
    export_short_floats(folder)
    batch = {"x": {0: torch.export.Dim("batch", max=16)}}
    export(folder, "dynamic", Plain(), (count(4, 3),), dynamic_shapes=batch)


if __name__ == "__main__":
    main()
