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
from torch.nn import functional


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


class Sizes(nn.Module):
    """Images of any multiple of 8: sizes are computed, reshaped with, and a limit of a slice."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(3)
        self.conv = nn.Conv2d(3, 8, 3, padding=1, stride=2)
        self.mix = nn.Conv2d(8, 8, 3, padding=1)
        self.head = nn.Linear(8, 4)

    def forward(self, x):
        y = torch.relu(self.conv(x))
        y = y + functional.interpolate(self.mix(functional.max_pool2d(y, 2)), scale_factor=2)
        n, c, h, w = y.shape
        return self.head(y.reshape(n, c, h * w).mean(-1)), y.flatten(1)[:, : h * w // 4]


class Sequence(nn.Module):
    """Identifiers and a mask of any length, several outputs, a division by the length."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(4)
        self.embedding = nn.Embedding(20, 8)
        self.places = nn.Parameter(torch.randn(32, 8))
        self.mix = nn.Linear(8, 8)

    def forward(self, ids, mask):
        batch, length = ids.shape
        x = self.embedding(ids) + self.places[:length]
        y = torch.cat([self.mix(x), x], 1) * mask.unsqueeze(-1).repeat(1, 2, 1).float()
        return {"each": y, "next": ids + 1, "mean": y.sum(1) / length}


class Pair(nn.Module):
    """Sizes 2k and 2k + 1."""

    def forward(self, x, y):
        return x.reshape(3, -1, 2).sum(-1), torch.zeros(x.shape[1] + 3) + y.mean()


IN_PLACE = {
    "x": """acos asin atan atanh ceil cos cosh erf erfc exp2 expm1 floor frac log log10 log1p log2 logit nan_to_num
        reciprocal round rsqrt sgn sign sin sinh square tan trunc asinh abs exp neg sigmoid sqrt tanh relu""",
    "high": "acosh",
    "i": "bitwise_not abs neg sign sgn square",
    "b": "logical_not bitwise_not",
}


class InPlace(nn.Module):
    """Every function of one tensor that writes over it."""

    def forward(self, x, high, i, b, special):
        results = []
        for source, names in IN_PLACE.items():
            for name in names.split():
                results.append(getattr({"x": x, "high": high, "i": i, "b": b}[source].clone(), name + "_")())
        results.append((x * 1).pow_(3.5))
        results.append((x * 1).pow_(high))
        results.append((x * 8).remainder_(0.75))
        results.append((x * 8).fmod_(high))
        results.append((x * 8).floor_divide_(high))
        results.append((i * 3).bitwise_and_(6))
        results.append((i * 3).bitwise_xor_(i))
        results.append((x * 1).clip_(0.3, 0.6))
        results.append((x * 1).cumsum_(1))
        results.append(functional.threshold_(x - 0.5, 0.1, -2.0))
        results.append(functional.celu_(x - 0.5, 0.5))
        results.append(functional.rrelu_(x - 0.5))
        results.append((special * 1).nan_to_num_())
        results.append(torch.nan_to_num(special, 1.0, 2.0, -3.0))
        results.append(torch.erfc(high - 1.5))
        results.append(torch.sgn(x - 0.5))
        y = x - 0.5  # a write through a view reaches the whole
        y[0].sin_()
        results.append(y * 2)
        return results


COMPARISONS = "eq ne lt le gt ge not_equal less less_equal greater greater_equal"


class InPlaceOfTwo(nn.Module):
    """Functions of several tensors that write over the first one. Comparisons leave numbers where numbers were."""

    def forward(self, x, high, i, b):
        results = []
        for name in COMPARISONS.split():
            results.append(getattr((x * 2), name + "_")(high))
            results.append(getattr(i.clone(), name + "_")(2))
            results.append(getattr(torch, name)(x * 2, high))
        for name in ("and", "or", "xor"):
            results.append(getattr((x * 4).floor(), f"logical_{name}_")((high * 2 - 2).floor()))
            results.append(getattr(i.clone(), f"__i{name}__")(6))
            results.append(getattr(b.clone(), f"__i{name}__")(x > 0.3))
        shifts = i % 3
        results.extend(getattr(i.clone(), f"__i{name}__")(shifts) for name in ("lshift", "rshift"))
        results.extend(getattr(i.clone(), f"__i{name}__")(1) for name in ("lshift", "rshift"))
        results.append(i.clone().bitwise_left_shift_(shifts).bitwise_right_shift_(1))
        places = torch.tensor([[0, 2, 1, 1, 0]])
        results.append((x * 1).atan2_(high).hypot_(high).lerp_(high, 0.25))
        results.append((x * 2).clamp_(high - 0.9, high).div_(high / 9, rounding_mode="floor"))
        results.append((x * 1).masked_scatter_(b, high).scatter_(0, places, high))
        results.append((x * 1).scatter_(0, places, -1.5).scatter_add_(0, places[:, :3], high))
        results.append((x * 1).scatter_reduce_(0, places[:, :3], high, "sum").addmm_(x[:, :3], high))
        results.append((x * 1).swapaxes_(0, 1).swapdims_(0, 1).fill_(high.sum()))
        y = x - 0.5  # a write through a view reaches the whole
        y[0].gt_(0)
        results.append(y * 2)
        return results


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


def export_dynamic_sizes(folder):
    """NAME_sizes: models of dynamic sizes; NAME_sizes.npz: inputs of other sizes than exported, with results."""
    dim = torch.export.Dim
    batch, length, half = dim("batch"), dim("length", max=32), dim("half", min=3, max=10)
    side = {0: batch, 2: 8 * dim("height", min=2, max=16), 3: 8 * dim("width", min=2, max=16)}
    torch.manual_seed(5)
    models = {
        "image": (Sizes(), {"x": side}, [torch.randn(2, 3, 32, 32)], [torch.randn(1, 3, 24, 40)]),
        "sequence": (
            Sequence(),
            {"ids": {0: batch, 1: length}, "mask": {0: batch, 1: length}},
            [torch.arange(12).reshape(2, 6), torch.ones(2, 6, dtype=torch.bool)],
            [torch.arange(14).reshape(2, 7), torch.arange(14).reshape(2, 7) % 3 > 0],
        ),
        "pair": (
            Pair(),
            {"x": {1: 2 * half}, "y": {0: 2 * half + 1}},
            [count(3, 8), count(9)],
            [count(3, 12) / 36, count(13) / 13],
        ),
    }
    for name, (model, sizes, examples, inputs) in models.items():
        export(folder, f"{name}_sizes", model, tuple(examples), dynamic_shapes=sizes)
        with torch.no_grad():
            results = model(*inputs)
        results = results.values() if isinstance(results, dict) else results
        arrays = {f"input_{i}": array.numpy() for i, array in enumerate(inputs)}
        arrays.update({f"output_{i}": array.numpy() for i, array in enumerate(results)})
        np.savez(folder / f"{name}_sizes.npz", **arrays)


def export_in_place(folder):
    """in_place: every function of one tensor that writes over it; in_place.npz: inputs and results. The same of two."""
    x = torch.linspace(0.05, 0.95, 15).reshape(3, 5)
    special = torch.tensor([[float("nan"), float("inf"), -float("inf"), 1.5, -2.5]])
    inputs = (x, 1 + x, torch.arange(-7, 8).reshape(3, 5), x > 0.5, special)
    model = InPlace()
    finite = torch.linspace(-2, 2, 5).reshape(1, 5)
    export(folder, "in_place", model, (*(array.clone() for array in inputs[:4]), finite))
    results = model(*(array.clone() for array in inputs))
    arrays = {f"input_{i}": array.numpy() for i, array in enumerate(inputs)}
    arrays.update({f"output_{i}": array.numpy() for i, array in enumerate(results)})
    np.savez(folder / "in_place.npz", **arrays)
    model = InPlaceOfTwo()
    export(folder, "in_place_of_two", model, tuple(array.clone() for array in inputs[:4]))
    arrays = {f"input_{i}": array.numpy() for i, array in enumerate(inputs[:4])}
    arrays.update({f"output_{i}": array.numpy() for i, array in enumerate(model(*inputs[:4]))})
    np.savez_compressed(folder / "in_place_of_two.npz", **arrays)


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
    export(folder, "control_flow", ControlFlow(), (count(3),))
    export_short_floats(folder)
    export_dynamic_sizes(folder)
    export_in_place(folder)
    batch = {"x": {0: torch.export.Dim("batch", max=16)}}
    export(folder, "dynamic", Plain(), (count(4, 3),), dynamic_shapes=batch)


if __name__ == "__main__":
    main()
