# SPDX-License-Identifier: Apache-2.0
"""Writes tests/fixtures/state/: models with buffers that each call changes.

    build/python/bin/python python/export_state.py [OUTPUT_FOLDER]

NAME.pt2 with NAME.npz: `input` and `output` (or `output_K`) have one entry a call, in order. The models have made two
calls before they are exported, so that their buffers do not start with zeros.
"""

import pathlib
import sys

import numpy as np
import torch
from fixture_files import save_program
from torch import nn


class Stream(nn.Module):
    """Two causal convolutions, which keep the columns that the next call needs."""

    def __init__(self):
        super().__init__()
        self.first = nn.Conv1d(4, 8, 3)
        self.second = nn.Conv1d(8, 6, 5)
        self.head = nn.Linear(6, 3)
        self.register_buffer("columns", torch.zeros(1, 4, 2))
        self.register_buffer("features", torch.zeros(1, 8, 4))

    def forward(self, x):
        x = torch.cat([self.columns, x], 2)
        self.columns.copy_(x[:, :, 1:])
        x = torch.cat([self.features, self.first(x).relu()], 2)
        self.features.copy_(x[:, :, 1:])
        return self.head(self.second(x).relu()[:, :, -1])


class Recurrent(nn.Module):
    """A recurrent layer, one step a call. Its state has the grid of tanh."""

    def __init__(self):
        super().__init__()
        self.of_input = nn.Linear(4, 8)
        self.of_state = nn.Linear(8, 8, bias=False)
        self.head = nn.Linear(8, 3)
        self.register_buffer("state", torch.zeros(1, 8))

    def forward(self, x):
        self.state.copy_(torch.tanh(self.of_input(x) + self.of_state(self.state)))
        return self.head(self.state)


class Delay(nn.Module):
    """Two buffers that change places, a counter, and a delay line that is written in parts. Gives an old value, too."""

    def __init__(self):
        super().__init__()
        self.register_buffer("left", torch.tensor([[1.0, 2.0, 3.0, 4.0]]))
        self.register_buffer("right", torch.tensor([[-1.0, 0.0, 1.0, 0.5]]))
        self.register_buffer("count", torch.tensor(3))
        self.register_buffer("line", torch.zeros(1, 3, 4))

    def forward(self, x):
        old, other = self.left.clone(), self.right.clone()
        self.left.copy_(other)
        self.right.copy_(old)
        self.count.add_(1)
        self.line[:, :-1] = self.line[:, 1:].clone()
        self.line[:, -1] = x
        return old.view(2, 2), old + x, self.count.clone(), self.line.sum(1)


SHAPES = {"stream": (40, 1, 4, 1), "recurrent": (40, 1, 4), "delay": (7, 1, 4)}
MODELS = {"stream": Stream, "recurrent": Recurrent, "delay": Delay}


def export(folder, name, functional):
    torch.manual_seed(0)
    model = MODELS[name]().eval().requires_grad_(False)
    inputs = torch.randn(SHAPES[name])
    for sample in inputs[:2]:
        model(sample)
    program = torch.export.export(model, (inputs[0],))
    if functional:
        program = program.run_decompositions({})
    save_program(program, folder / f"{name}{'_functional' if functional else ''}.pt2")
    if functional:
        return
    calls = []
    for sample in inputs:
        outputs = model(sample)
        calls.append([output.clone() for output in (outputs if isinstance(outputs, tuple) else (outputs,))])
    names = ["output"] if len(calls[0]) == 1 else [f"output_{k}" for k in range(len(calls[0]))]
    arrays = {"input": inputs.flatten(0, 1)}
    for k, key in enumerate(names):
        arrays[key] = torch.cat([torch.atleast_1d(call[k]) for call in calls])
    np.savez(folder / f"{name}.npz", **{key: array.numpy() for key, array in arrays.items()})


if __name__ == "__main__":
    output = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "tests/fixtures/state")
    output.mkdir(parents=True, exist_ok=True)
    for model_name in MODELS:
        export(output, model_name, False)
        export(output, model_name, True)
