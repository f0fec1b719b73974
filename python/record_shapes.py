# SPDX-License-Identifier: Apache-2.0
"""Records programs of ExecuTorch whose tensors change their shapes: tests/fixtures/shapes/.

    python python/record_shapes.py tests/fixtures/shapes

Needs torch and executorch. Each program is NAME.pte; NAME.K.npz is run K of it: input_J and output_J, each with the
sizes of that run, and what PyTorch gave. Prints whether ExecuTorch's own runtime gives the same.
"""

import logging
import pathlib
import sys
import warnings

import executorch.backends.cortex_m.passes  # noqa: F401  registers torch.ops.cortex_m
import numpy as np
import torch
from executorch.exir import EdgeCompileConfig, ExecutorchBackendConfig, to_edge
from executorch.exir.passes.sym_shape_eval_pass import ConstraintBasedSymShapeEvalPass
from executorch.runtime import Runtime
from torch import nn
from torch.export import Dim
from torch.nn import functional as F

cortex_m = torch.ops.cortex_m
warnings.filterwarnings("ignore")
logging.disable(logging.WARNING)


def floats(*sizes):
    return torch.randint(-8, 9, sizes).to(torch.float32) / 4


class Perceptron(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(4, 8), nn.LayerNorm(8), nn.GELU(), nn.Linear(8, 3), nn.Softmax(-1))

    def forward(self, x):
        return self.layers(x)


class Language(nn.Module):
    """One block of a language model: embedding, causal attention of two heads, feed-forward, logits."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(16, 8)
        self.positions = nn.Embedding(8, 8)
        self.norm, self.qkv, self.out = nn.LayerNorm(8), nn.Linear(8, 24), nn.Linear(8, 8)
        self.up, self.down = nn.Linear(8, 16, bias=False), nn.Linear(16, 8, bias=False)

    def forward(self, tokens):
        batch, length = tokens.shape
        x = self.embedding(tokens) + self.positions(torch.arange(length))
        q, k, v = (z.view(batch, length, 2, 4).transpose(1, 2) for z in self.qkv(self.norm(x)).split(8, -1))
        mask = torch.ones(length, length, dtype=torch.bool).tril()
        scores = (q @ k.transpose(-1, -2) / 2).masked_fill(~mask, float("-inf")).softmax(-1)
        x = x + self.out((scores @ v).transpose(1, 2).reshape(batch, length, 8))
        x = x + self.down(F.silu(self.up(x)))
        logits = x @ self.embedding.weight.t()
        return logits.argmax(-1), logits[:, -1]


class Cache(nn.Module):
    """A cache that some rows, from a position on, are written to, as language models keep keys and values."""

    def __init__(self):
        super().__init__()
        self.register_buffer("rows", torch.zeros(8, 4))

    def forward(self, x, positions):
        self.rows[positions] = x
        scores = x @ self.rows.t()
        seen = torch.arange(8) <= positions.unsqueeze(-1)
        return scores.masked_fill(~seen, -1e9).softmax(-1) @ self.rows


class Signal(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Conv1d(2, 4, 3, padding=1), nn.Conv1d(4, 4, 3, stride=2, groups=2)
        self.up = nn.ConvTranspose1d(4, 2, 3, stride=2)

    def forward(self, x):
        y = self.second(F.relu(self.first(x)))
        return torch.cat([y, y.flip(-1)], -1), F.pad(y, (1, 2), value=0.5), self.up(y), y.mean(-1)


class Image(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.norm, self.second = nn.Conv2d(2, 4, 3, padding=1), nn.BatchNorm2d(4), nn.Conv2d(4, 2, 1)

    def forward(self, x):
        y = F.max_pool2d(F.relu(self.norm(self.first(x))), 2)
        z = self.second(F.avg_pool2d(y, 3, 1, 1))
        return F.interpolate(z, scale_factor=2.0, mode="nearest"), F.adaptive_avg_pool2d(z, (1, 1))


class Shuffle(nn.Module):
    """Views whose largest sizes are not those of what they show."""

    def forward(self, x):
        return F.pixel_unshuffle(x, 2)


class Parts(nn.Module):
    """Operators whose results have sizes of many kinds."""

    def forward(self, x, index):
        rows, columns = x.shape
        pieces = torch.stack([x, x * 2], 1)
        first = pieces[:, 0, 1:].unsqueeze(0).expand(2, rows, columns - 1)
        counted = torch.arange(rows, dtype=torch.float32).unsqueeze(1) + torch.full((rows, columns), 2.0)
        chosen = x.index_select(0, index)
        return (
            first.reshape(rows * 2, columns - 1),
            counted + torch.zeros_like(x),
            chosen.repeat(1, 2),
            torch.gather(x, 0, index.unsqueeze(1).expand(index.shape[0], columns)),
            x.cumsum(0),
            x.roll(1, 0).tril(),
            x.sum(0, keepdim=True),
            x.var(1),
            x.max(1)[1],
            torch.topk(x, 2, 1)[0],
            pieces.unbind(1)[1],
            torch.where(x > 0, x, x.permute(1, 0).sum()),
        )


class Places(nn.Module):
    """Sizes that follow from data."""

    def forward(self, x):
        places = torch.nonzero(x > 0)
        return places, places.sum(0)


class Masked(nn.Module):
    def forward(self, x, mask):
        chosen = torch.masked_select(x, mask)
        return chosen * 2, chosen.sum()


class Repeated(nn.Module):
    def forward(self, repeats, values):
        index = torch.repeat_interleave(repeats)
        torch._check(index.shape[0] <= 8)
        return index, values.index_select(0, index)


class Condition(nn.Module):
    """A branch on a size."""

    def forward(self, x):
        total = torch.cond(x.shape[0] > 3, lambda x: x.sum(0), lambda x: x.amax(0), (x,))
        return total + 1


class Prefix(nn.Module):
    """A number in a tensor that says how much of another one counts."""

    def forward(self, x, count):
        length = count.item()
        torch._check(length >= 1)
        torch._check(length <= x.shape[0])
        return x.narrow(0, 0, length) * 2


class Quantized(nn.Module):
    """The operators of ExecuTorch's Cortex-M backend whose outputs follow their inputs' sizes."""

    def forward(self, x, y):
        grid = (0.25, 3, -128, 127, torch.int8)
        left, right = (cortex_m.quantize_per_tensor(z, *grid) for z in (x, y))
        return cortex_m.dequantize_per_tensor(cortex_m.maximum(left, right), *grid), cortex_m.minimum(right, left)


BATCH, LENGTH = Dim("batch", min=1, max=4), Dim("length", min=1, max=8)
LONG = Dim("long", min=9, max=24)
HALF = Dim("half", min=2, max=5)
COUNT = Dim("count", min=1, max=5)


def tokens(*sizes):
    return torch.randint(0, 16, sizes)


torch.manual_seed(0)  # the inputs below are the same each time
PROGRAMS = {
    "perceptron": (Perceptron, ({0: BATCH},), [(floats(n, 4),) for n in (2, 4, 1)]),
    "language": (Language, ({0: BATCH, 1: LENGTH},), [(tokens(*s),) for s in ((2, 5), (4, 8), (1, 1), (3, 2))]),
    "cache": (
        Cache,
        ({0: LENGTH}, {0: LENGTH}),
        [(floats(n, 4), torch.arange(at, at + n)) for at, n in ((0, 3), (3, 1), (4, 1), (5, 3))],
    ),
    "signal": (Signal, ({0: BATCH, 2: LONG},), [(floats(*s),) for s in ((2, 2, 12), (4, 2, 24), (1, 2, 9))]),
    "image": (Image, ({2: 2 * HALF, 3: 2 * LENGTH},), [(floats(1, 2, *s),) for s in ((6, 8), (10, 16), (4, 2))]),
    "shuffle": (
        Shuffle,
        ({0: Dim.AUTO(min=1, max=4), 1: Dim.AUTO(min=1, max=4), 2: Dim.AUTO(min=1, max=6)},),
        [(floats(*s),) for s in ((2, 4, 4), (3, 2, 6), (4, 4, 2))],
    ),
    "parts": (
        Parts,
        ({0: LENGTH, 1: Dim("columns", min=3, max=6)}, {0: COUNT}),
        [(floats(r, c), torch.randint(0, r, (n,))) for r, c, n in ((4, 5, 3), (8, 6, 5), (2, 3, 2))],
    ),
    "places": (Places, ({0: LENGTH},), [(floats(n, 3),) for n in (4, 8, 1)]),
    "masked": (Masked, ({0: LENGTH}, {0: LENGTH}), [(floats(n, 3), floats(n, 1) > 0) for n in (4, 8, 1)]),
    "repeated": (Repeated, None, [(torch.tensor(r), floats(3, 2)) for r in ([1, 0, 2], [3, 1, 4], [0, 0, 0])]),
    "condition": (Condition, ({0: LENGTH},), [(floats(n, 3),) for n in (5, 3, 8, 1)]),
    "quantized": (Quantized, ({0: LENGTH}, None), [(floats(n, 3), floats(3)) for n in (4, 8, 1)]),
    "prefix": (Prefix, ({0: LENGTH}, None), [(floats(n, 3), torch.tensor(k)) for n, k in ((5, 2), (8, 8), (2, 1))]),
}


def agree(found, expected):
    return all(
        a.shape == b.shape and torch.allclose(a.to(torch.float64), b.to(torch.float64), rtol=1e-5, atol=1e-5)
        for a, b in zip(found, expected, strict=True)
    )


def stock_method(file):
    """The program in ExecuTorch's own runtime; None when it refuses it."""
    try:
        return Runtime.get().load_program(file).load_method("forward")
    except RuntimeError:
        return None


def record(folder, name, kind, shapes, runs):
    module = kind().eval()
    for parameter in module.parameters():
        parameter.requires_grad = False
        parameter.copy_(floats(*parameter.shape) / 4)
    exported = torch.export.export(module, runs[0], dynamic_shapes=shapes, strict=True)
    config = ExecutorchBackendConfig(sym_shape_eval_pass=ConstraintBasedSymShapeEvalPass())
    unchecked = EdgeCompileConfig(_check_ir_validity=False)  # masked_select is not a core operator
    file = to_edge(exported, compile_config=unchecked).to_executorch(config).buffer
    (folder / f"{name}.pte").write_bytes(file)
    stock = stock_method(file)
    verdict = "refused" if stock is None else "agrees"
    for k, run in enumerate(runs):
        result = module(*run)
        result = [t.clone() for t in (result if isinstance(result, tuple) else (result,))]
        try:
            if stock is not None and not agree(stock.execute([t.contiguous() for t in run]), result):
                verdict = "differs"
        except RuntimeError:
            verdict = "refused"
        arrays = {f"input_{j}": t.numpy() for j, t in enumerate(run)}
        np.savez(folder / f"{name}.{k}.npz", **arrays, **{f"output_{j}": t.numpy() for j, t in enumerate(result)})
    print(f"{name}: ExecuTorch's runtime: {verdict}")


def main():
    folder = pathlib.Path(sys.argv[1])
    for name, (kind, shapes, runs) in PROGRAMS.items():
        if len(sys.argv) > 2 and name not in sys.argv[2:]:
            continue
        torch.manual_seed(len(name))
        record(folder, name, kind, shapes, runs)


if __name__ == "__main__":
    main()
