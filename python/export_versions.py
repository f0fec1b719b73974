# SPDX-License-Identifier: Apache-2.0
"""Writes tests/fixtures/versions/: the same models as several versions of PyTorch save them.

The weights come from NumPy, so that every version holds the same numbers. Run it once with each version:

    python3 python/export_versions.py [OUTPUT_FOLDER [MODEL...]]

Model files go to OUTPUT_FOLDER/VERSION/, inputs and outputs, which are those of every version, to OUTPUT_FOLDER/.
"""

import json
import pathlib
import sys
import zipfile

import numpy as np
import torch
from torch import nn
from torch.nn import functional


class Cnn(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 8, 3, stride=1, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(8)
        self.depthwise = nn.Conv2d(8, 8, 3, padding=1, groups=8)
        self.relu = nn.ReLU()
        self.pool = nn.MaxPool2d(2)
        self.mean = nn.AdaptiveAvgPool2d(1)
        self.head = nn.Linear(8, 4)

    def forward(self, x):
        x = self.relu(self.norm(self.conv(x)))
        x = self.pool(self.relu(self.depthwise(x)))
        return self.head(torch.flatten(self.mean(x), 1))


class Recurrent(nn.Module):
    def __init__(self, kind):
        super().__init__()
        self.cells = kind(6, 10, batch_first=True)
        self.head = nn.Linear(10, 3)

    def forward(self, x):
        y, _ = self.cells(x)
        return self.head(y[:, -1])


class Attention(nn.Module):
    """Two heads of four, causal; `place` is a buffer of the state dict, `hidden` one that is not."""

    def __init__(self):
        super().__init__()
        self.register_buffer("place", torch.zeros(1, 6, 8))
        self.register_buffer("hidden", torch.triu(torch.ones(6, 6, dtype=torch.bool), 1), persistent=False)
        self.norm1 = nn.LayerNorm(8)
        self.qkv = nn.Linear(8, 24)
        self.mix = nn.Linear(8, 8)
        self.norm2 = nn.LayerNorm(8)
        self.widen = nn.Linear(8, 16)
        self.gelu = nn.GELU()
        self.narrow = nn.Linear(16, 8)

    def forward(self, x):
        x = x + self.place
        q, k, v = self.qkv(self.norm1(x)).view(1, 6, 3, 2, 4).permute(2, 0, 3, 1, 4).unbind(0)
        scores = (q @ k.transpose(-2, -1) / 2.0).masked_fill(self.hidden, float("-inf"))
        y = (scores.softmax(-1) @ v).transpose(1, 2).reshape(1, 6, 8)
        x = x + self.mix(y)
        return x + self.narrow(self.gelu(self.widen(self.norm2(x))))


class Mixed(nn.Module):
    """A dictionary and a keyword in, a dictionary out; two names of one weight."""

    def __init__(self):
        super().__init__()
        self.first = nn.Linear(4, 4)
        self.second = nn.Linear(4, 4)
        self.second.weight = self.first.weight

    def forward(self, batch, *, shift):
        y = self.first(batch["b"]) + self.second(batch["a"])
        return {"sum": y, "moved": y * batch["a"] + shift}


class Views(nn.Module):
    """Parts of one storage: an offset, a gap, a transposed matrix, a row repeated by a stride of 0; a constant."""

    def __init__(self):
        super().__init__()
        base = torch.from_numpy(np.random.default_rng(7).normal(size=24).astype(np.float32))
        self.register_buffer("tail", base[20:])
        self.register_buffer("gaps", base[1:9:2])
        self.register_buffer("turned", base[8:20].view(4, 3).t())
        self.register_buffer("repeated", base[2:6].view(1, 4).expand(3, 4))
        self.constant = torch.tensor([1.0, -2.0, 3.0])

    def forward(self, x):
        x = (x + self.tail) * self.gaps
        return functional.linear(x, self.turned, self.constant) + x @ self.repeated.t()


def fill(model, seed):
    rng = np.random.default_rng(seed)
    for name, tensor in list(model.named_parameters()) + list(model.named_buffers()):
        if tensor.dtype != torch.float32:
            continue
        values = rng.normal(size=tuple(tensor.shape)).astype(np.float32) * np.float32(0.4)
        if name.endswith("running_var"):
            values = np.abs(values) + np.float32(0.5)
        with torch.no_grad():
            tensor.copy_(torch.from_numpy(values))
    return model.eval()


def samples(seed, count, *shape):
    return torch.from_numpy(np.random.default_rng(seed).normal(size=(count, *shape)).astype(np.float32))


def plain(model, inputs):
    """A program, and one array with all samples for its input and its output each."""
    outputs = torch.cat([model(inputs[i : i + 1]) for i in range(len(inputs))])
    return torch.export.export(model, (inputs[:1],)), {"input_0": inputs}, {"output_0": outputs}


def mixed():
    model = fill(Mixed(), 6)
    a, b, shift = samples(16, 1, 4), samples(17, 1, 4), samples(18, 1, 4)
    outputs = model({"b": b, "a": a}, shift=shift)
    program = torch.export.export(model, ({"b": b, "a": a},), {"shift": shift})
    inputs = {"input_0": b, "input_1": a, "input_2": shift}
    return program, inputs, {"output_0": outputs["sum"], "output_1": outputs["moved"]}


MODELS = {
    "cnn": lambda: plain(fill(Cnn(), 1), samples(11, 4, 1, 16, 16)),
    "gru": lambda: plain(fill(Recurrent(nn.GRU), 2), samples(12, 4, 9, 6)),
    "lstm": lambda: plain(fill(Recurrent(nn.LSTM), 3), samples(13, 4, 9, 6)),
    "attention": lambda: plain(fill(Attention(), 4), samples(14, 4, 6, 8)),
    "mixed": mixed,
    "views": lambda: plain(Views().eval(), samples(19, 4, 4)),
}


def without_origins(item):
    """The JSON of a graph without what names folders of the machine that exported it."""
    if isinstance(item, dict):
        return {key: "" if key == "stack_trace" else without_origins(value) for key, value in item.items()}
    return [without_origins(value) for value in item] if isinstance(item, list) else item


def strip_origins(path):
    """Writes the archive anew; all members but the graph stay byte for byte, in their order."""
    with zipfile.ZipFile(path) as archive:
        members = [(name, archive.read(name)) for name in archive.namelist()]
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members:
            if name.endswith(("models/model.json", "serialized_exported_program.json")):
                data = json.dumps(without_origins(json.loads(data))).encode()
            archive.writestr(zipfile.ZipInfo(name), data)


def save_arrays(path, arrays):
    np.savez(path, **{name: tensor.detach().contiguous().numpy() for name, tensor in arrays.items()})


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "tests/fixtures/versions")
    versioned = folder / torch.__version__.split("+")[0]
    versioned.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[2:] or MODELS:
        program, inputs, outputs = MODELS[name]()
        path = versioned / f"{name}.pt2"
        torch.export.save(program, path)
        strip_origins(path)
        save_arrays(folder / f"{name}.inputs.npz", inputs)
        save_arrays(folder / f"{name}.outputs.npz", outputs)


if __name__ == "__main__":
    main()
