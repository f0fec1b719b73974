# SPDX-License-Identifier: Apache-2.0
"""Writes tests/fixtures/recurrent/: recurrent layers of each form.

    build/python/bin/python python/export_recurrent.py [OUTPUT_FOLDER]

NAME.pt2 with NAME.npz: the inputs by their names and `output`, or `output_K`, for all samples; NAME.calib.npz: other
samples of the inputs. Weights have twice the range that PyTorch starts with, so that gates open and close.
"""

import pathlib
import sys

import numpy as np
import torch
from fixture_files import save_program
from torch import nn


class Whole(nn.Module):
    """A layer with all its results, states given or not."""

    def __init__(self, layer):
        super().__init__()
        self.layer = layer

    def forward(self, x, *states):
        if not states:
            output, last = self.layer(x)
        else:
            output, last = self.layer(x, states if len(states) > 1 else states[0])
        return (output, *last) if isinstance(last, tuple) else (output, last)


class Sequence(nn.Module):
    """The outputs of a layer alone."""

    def __init__(self, layer):
        super().__init__()
        self.layer = layer

    def forward(self, x):
        return self.layer(x)[0]


class Kept(nn.Module):
    """A layer whose states stay from call to call, and a linear layer."""

    def __init__(self, layer, names):
        super().__init__()
        self.layer, self.head, self.names = layer, nn.Linear(layer.hidden_size, 4), names
        for name in names:
            self.register_buffer(name, torch.zeros(layer.num_layers, 1, layer.hidden_size))

    def forward(self, x):
        states = tuple(getattr(self, name) for name in self.names)
        output, last = self.layer(x, states if len(states) > 1 else states[0])
        for name, value in zip(self.names, last if isinstance(last, tuple) else (last,)):
            getattr(self, name).copy_(value)
        return self.head(output[:, -1])


class Cell(nn.Module):
    """Three steps of a cell."""

    def __init__(self, cell):
        super().__init__()
        self.cell = cell

    def forward(self, x, *states):
        state = states if len(states) > 1 else states[0]
        for step in range(3):
            state = self.cell(x[:, step], state)
        return state


class LastCell(nn.Module):
    """An LSTM of which only the last cell is used, and a linear layer."""

    def __init__(self, layer):
        super().__init__()
        self.layer, self.head = layer, nn.Linear(layer.hidden_size, 4)

    def forward(self, x):
        return self.head(self.layer(x)[1][1][-1])


def both(layers, directions, batch, hidden):
    return (layers * directions, batch, hidden)


# The model, and the shapes of its inputs. Inputs beyond the first are states.
MODELS = {
    "lstm": lambda: (Whole(nn.LSTM(6, 12)), [(12, 2, 6)]),
    "lstm_batch_first": lambda: (Sequence(nn.LSTM(10, 17, batch_first=True)), [(1, 20, 10)]),
    "lstm_stacked": lambda: (
        Whole(nn.LSTM(5, 8, num_layers=2, bidirectional=True, bias=False)),
        [(9, 2, 5), both(2, 2, 2, 8), both(2, 2, 2, 8)],
    ),
    "lstm_kept": lambda: (Kept(nn.LSTM(4, 16, num_layers=2, batch_first=True), ("h", "c")), [(1, 2, 4)]),
    "gru": lambda: (Whole(nn.GRU(6, 12)), [(12, 2, 6)]),
    "gru_stacked": lambda: (
        Whole(nn.GRU(5, 9, num_layers=2, bidirectional=True, batch_first=True)),
        [(2, 9, 5), both(2, 2, 2, 9)],
    ),
    "gru_kept": lambda: (Kept(nn.GRU(4, 16, batch_first=True), ("h",)), [(1, 6, 4)]),
    "gru_cell": lambda: (Cell(nn.GRUCell(6, 10)), [(2, 3, 6), (2, 10)]),
    "rnn": lambda: (Whole(nn.RNN(6, 12, bidirectional=True)), [(8, 2, 6)]),
    "rnn_cell": lambda: (Cell(nn.RNNCell(6, 10)), [(2, 3, 6), (2, 10)]),
    "rnn_relu": lambda: (Whole(nn.RNN(6, 12, nonlinearity="relu", bidirectional=True)), [(8, 2, 6)]),
    "rnn_relu_cell": lambda: (Cell(nn.RNNCell(6, 10, nonlinearity="relu")), [(2, 3, 6), (2, 10)]),
    "lstm_last_cell": lambda: (LastCell(nn.LSTM(6, 12)), [(12, 2, 6)]),
    "lstm_cell": lambda: (Cell(nn.LSTMCell(6, 10)), [(2, 3, 6), (2, 10), (2, 10)]),
}
SAMPLES = 12


def samples_of(shapes):
    """Slow signals, as speech and sensors give them, and states within -0.9..0.9."""
    signal = torch.randn(SAMPLES, *shapes[0])
    states = [1.8 * torch.rand(SAMPLES, *shape) - 0.9 for shape in shapes[1:]]
    return [signal, *states]


def run(model, inputs):
    outputs = [model(*(part[k] for part in inputs)) for k in range(SAMPLES)]
    outputs = [out if isinstance(out, tuple) else (out,) for out in outputs]
    return [torch.stack([out[k] for out in outputs]) for k in range(len(outputs[0]))]


def arrays_of(program, inputs):
    names = list(program.graph_signature.user_inputs)
    return {name: (part.flatten(0, 1) if part.shape[1] == 1 else part).numpy() for name, part in zip(names, inputs)}


def export(folder, name):
    torch.manual_seed(5)
    model, shapes = MODELS[name]()
    model.eval().requires_grad_(False)
    for parameter in model.parameters():
        parameter.mul_(2)
    calibration, inputs = samples_of(shapes), samples_of(shapes)
    program = torch.export.export(model, tuple(part[0] for part in calibration))
    save_program(program, folder / f"{name}.pt2")
    outputs = run(model, inputs)
    keys = ["output"] if len(outputs) == 1 else [f"output_{k}" for k in range(len(outputs))]
    np.savez_compressed(folder / f"{name}.calib.npz", **arrays_of(program, calibration))
    np.savez_compressed(
        folder / f"{name}.npz",
        **arrays_of(program, inputs),
        **{key: array.flatten(0, 1).numpy() for key, array in zip(keys, outputs)},
    )


if __name__ == "__main__":
    output = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "tests/fixtures/recurrent")
    output.mkdir(parents=True, exist_ok=True)
    for model_name in MODELS:
        export(output, model_name)
