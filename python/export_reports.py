#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Exports the models on which reports are tested: tests/fixtures/reports. Usage: python3 python/export_reports.py

gates   convolutions whose activations (hardswish, sigmoid) stay calls of their own, and a linear layer
steps   a net that answers at each of 100 time steps: its output is [1, 6, 100]
heads   two outputs, a signal and five classes after a softmax
pair    two inputs, `left` and `right`, both [1, 8]
lstm    an LSTM over 40 steps and a linear layer
norms   group, instance, layer and RMS norm between convolutions and linear layers
empty   two inputs, the second one without elements: [0, 8]

Weights and samples are random with a fixed seed. NAME.calib.npz and NAME.eval.npz hold samples `input`; the labels of
the latter are what the float model answers, except every 10th, which is another class.
"""
import os

import numpy
import torch
from torch import nn

from fixture_files import save_program

FOLDER = os.path.join(os.path.dirname(__file__), "..", "tests", "fixtures", "reports")


class Gates(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Conv2d(1, 8, 3, padding=1), nn.Conv2d(8, 8, 3, padding=1)
        self.gate, self.last = nn.Conv2d(8, 8, 1), nn.Linear(8, 6)

    def forward(self, x):
        x = nn.functional.hardswish(self.first(x))
        x = nn.functional.hardswish(self.second(x))
        x = x * torch.sigmoid(self.gate(x))
        return self.last(x.mean((2, 3)))


class Steps(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Conv1d(4, 12, 5, padding=2), nn.Conv1d(12, 6, 3, padding=1)

    def forward(self, x):
        return self.last(torch.relu(self.first(x)))


class Heads(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.signal, self.classes = nn.Linear(16, 24), nn.Linear(24, 16), nn.Linear(24, 5)

    def forward(self, x):
        x = torch.relu(self.body(x))
        return self.signal(x), torch.softmax(self.classes(x), 1)


class Pair(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(8, 8)

    def forward(self, left, right):
        return self.body(left) + right


class Lstm(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.last = nn.LSTM(4, 6, batch_first=True), nn.Linear(6, 3)

    def forward(self, x):
        return self.last(self.body(x)[0][:, -1])


class Empty(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(8, 8)

    def forward(self, x, rest):
        return self.body(torch.cat((x, rest)))


class Norms(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Conv2d(2, 8, 3, padding=1), nn.Conv2d(8, 8, 3, padding=1)
        self.group, self.instance = nn.GroupNorm(2, 8), nn.InstanceNorm2d(8, affine=True)
        self.layer, self.rms = nn.LayerNorm(8), nn.RMSNorm(8, eps=1e-6)
        self.wide, self.narrow, self.last = nn.Linear(8, 16), nn.Linear(16, 8), nn.Linear(8, 6)
        for norm in (self.group, self.instance, self.layer, self.rms):
            nn.init.uniform_(norm.weight, 0.3, 1.5)

    def forward(self, x):
        x = torch.relu(self.group(self.first(x)))
        x = self.instance(self.second(x)).permute(0, 2, 3, 1)
        x = x + self.narrow(nn.functional.gelu(self.wide(self.layer(x))))
        return self.last(self.rms(x).mean((1, 2)))


def export_inputs(name, model, *inputs):
    save_program(torch.export.export(model.eval(), inputs), os.path.join(FOLDER, name + ".pt2"))


def export(name, model, shape, axis, output=None, samples=40):
    model.eval()
    data = torch.randn(2 * samples, *shape) * torch.linspace(0.5, 1.5, 2 * samples).reshape(-1, *[1] * len(shape))
    with torch.no_grad():
        answers = torch.cat([model(x[None])[output] if output is not None else model(x[None]) for x in data])
    labels = answers.argmax(axis).numpy().astype(numpy.int64)
    labels.reshape(-1)[::10] = (labels.reshape(-1)[::10] + 1) % answers.shape[axis]
    save_program(torch.export.export(model, (data[:1].clone(),)), os.path.join(FOLDER, name + ".pt2"))
    data = data.numpy()
    numpy.savez_compressed(os.path.join(FOLDER, name + ".calib.npz"), input=data[::2])
    numpy.savez_compressed(os.path.join(FOLDER, name + ".eval.npz"), input=data[1::2], labels=labels[1::2])


def main():
    os.makedirs(FOLDER, exist_ok=True)
    torch.manual_seed(12)
    export("gates", Gates(), (1, 12, 12), 1)
    export("steps", Steps(), (4, 100), 1)
    export("heads", Heads(), (16,), 1, output=1)
    export_inputs("pair", Pair(), torch.randn(1, 8), torch.randn(1, 8))
    export_inputs("empty", Empty(), torch.randn(1, 8), torch.randn(0, 8))
    export_inputs("lstm", Lstm(), torch.randn(1, 40, 4))
    for part in ("calib", "eval"):
        numpy.savez_compressed(os.path.join(FOLDER, f"lstm.{part}.npz"), input=torch.randn(8, 40, 4).numpy())
    export("norms", Norms(), (2, 8, 8), 1)


if __name__ == "__main__":
    main()
