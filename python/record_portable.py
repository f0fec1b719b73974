# SPDX-License-Identifier: Apache-2.0
"""Records what PyTorch computes for the operators of ExecuTorch's portable library, one model for each family.

    python python/record_portable.py tests/fixtures/portable [FAMILY...]
    python python/record_portable.py --each FOLDER [FAMILY...]      one model for each case

Per family: FAMILY.pt2 (torch.export), FAMILY.pte (the same written by ExecuTorch, for what its exporter takes),
FAMILY.npz (input_0, input_1, ..., output_0, ...) and FAMILY.txt (what output k is, and k's place in the .pte).
A model reads all inputs of its family and returns one output after the other.
"""

import logging
import os
import sys
import warnings

import numpy as np
import torch
from torch.nn import functional as F

warnings.filterwarnings("ignore")
logging.disable(logging.WARNING)
aten = torch.ops.aten


def numbers(*shape, dtype=torch.float32, seed=0, low=-4, high=4):
    """Repeatable numbers; integers are those in low..high."""
    generator = torch.Generator().manual_seed(seed + sum(shape))
    if dtype in (torch.float32, torch.float64):
        return torch.rand(shape, generator=generator, dtype=dtype) * (high - low) + low
    if dtype == torch.bool:
        return torch.rand(shape, generator=generator) < 0.5
    return torch.randint(low if dtype != torch.uint8 else max(low, 0), high + 1, shape, generator=generator).to(dtype)


INTEGERS = (torch.int8, torch.uint8, torch.int32, torch.int64)
ALL = (torch.float32, *INTEGERS, torch.bool)


def name_of(dtype):
    return str(dtype).split(".")[-1]


def pairs(dtypes, shape=(2, 3), other=(3,)):
    """Two operands of each type, the second broadcast, and some of mixed types."""
    for dtype in dtypes:
        yield name_of(dtype), numbers(*shape, dtype=dtype), numbers(*other, dtype=dtype, seed=1)
    for a, b in ((torch.float32, torch.int32), (torch.int8, torch.int64), (torch.bool, torch.uint8)):
        if a in dtypes and b in dtypes:
            yield f"{name_of(a)}_{name_of(b)}", numbers(*shape, dtype=a), numbers(*other, dtype=b, seed=1)


def compare():
    for op in ("eq", "ne", "lt", "le", "gt", "ge"):
        function = getattr(torch, op)
        for kind, a, b in pairs(ALL):
            yield f"{op}.{kind}", function, (a, b)
        for dtype in ALL:
            number = 2 if dtype != torch.bool else True
            yield f"{op}.{name_of(dtype)}_scalar", lambda x, f=function, n=number: f(x, n), (numbers(3, 2, dtype=dtype),)
        yield f"{op}.int32_half", lambda x, f=function: f(x, 1.5), (numbers(3, 2, dtype=torch.int32),)
    large = torch.tensor([2**53, 2**53 + 1, -(2**62)])
    yield "eq.exact", torch.eq, (large, torch.tensor([2**53 + 1, 2**53 + 1, -(2**62)]))
    odd = torch.tensor([float("nan"), float("inf"), -float("inf"), 0.0, -0.0, 1.5])
    yield "isnan", torch.isnan, (odd,)
    yield "isinf", torch.isinf, (odd,)
    yield "lt.odd", torch.lt, (odd, odd.flip(0))
    yield "ne.odd", torch.ne, (odd, odd.clone())


def logic():
    for op in ("logical_and", "logical_or", "logical_xor"):
        for kind, a, b in pairs(ALL):
            yield f"{op}.{kind}", getattr(torch, op), (a, b)
    for dtype in ALL:
        yield f"logical_not.{name_of(dtype)}", torch.logical_not, (numbers(2, 3, dtype=dtype, low=0, high=1),)
    a, b = numbers(4, dtype=torch.int32), numbers(4, dtype=torch.int32, seed=2)
    yield "operators", lambda a, b: (a & b, a | b, a ^ b, a & 3, a | 3, a ^ 3), (a, b)
    for op in ("bitwise_and", "bitwise_or", "bitwise_xor"):
        for kind, a, b in pairs((*INTEGERS, torch.bool)):
            yield f"{op}.{kind}", getattr(torch, op), (a, b)
        yield f"{op}.scalar", lambda x, f=getattr(torch, op): f(x, 6), (numbers(5, dtype=torch.int32, high=99),)
    for dtype in (*INTEGERS, torch.bool):
        yield f"bitwise_not.{name_of(dtype)}", torch.bitwise_not, (numbers(2, 3, dtype=dtype),)
    for dtype in INTEGERS:
        for op in ("bitwise_left_shift", "bitwise_right_shift"):
            x = numbers(2, 3, dtype=dtype, low=-100, high=100)
            yield f"{op}.{name_of(dtype)}", getattr(torch, op), (x, numbers(3, dtype=dtype, low=0, high=7))
            yield f"{op}.{name_of(dtype)}_scalar", lambda x, f=getattr(torch, op): f(x, 2), (x,)


def choose():
    condition = numbers(2, 3, dtype=torch.bool)
    for kind, a, b in pairs(ALL):
        yield f"where.{kind}", torch.where, (condition, a, b)
    yield "where.broadcast", torch.where, (numbers(3, dtype=torch.bool), numbers(2, 1), numbers(1))
    yield "where.scalars", lambda c: torch.where(c, 1.5, 0.5), (condition,)
    yield "where.scalar_other", lambda c, x: torch.where(c, x, 0.25), (condition, numbers(2, 3))
    yield "where.scalar_self", lambda c, x: torch.where(c, 7, x), (condition, numbers(2, 3, dtype=torch.int32))
    for dtype in ALL:
        value = True if dtype == torch.bool else 3
        yield f"masked_fill.{name_of(dtype)}", lambda x, m, v=value: x.masked_fill(m, v), (numbers(2, 3, dtype=dtype), condition)
    yield "masked_fill.in_place", lambda x: x.clone().masked_fill_(x > 0, 0.5).clip(-1, 1), (numbers(2, 3),)
    yield "masked_fill.infinity", lambda x, m: x.masked_fill(m, -float("inf")), (numbers(4, 2, 3), condition)
    yield "masked_fill.tensor", lambda x, m, v: x.masked_fill(m, v), (numbers(2, 3), condition, torch.tensor(9.0))
    for kind, a, b in pairs((torch.float32, *INTEGERS)):
        yield f"maximum.{kind}", torch.maximum, (a, b)
        yield f"minimum.{kind}", torch.minimum, (a, b)
    odd = torch.tensor([float("nan"), 1.0, float("inf"), -3.0])
    yield "maximum.nan", torch.maximum, (odd, torch.tensor([0.0, float("nan"), 1.0, 2.0]))
    for dtype in (torch.float32, *INTEGERS):
        x = numbers(3, 4, dtype=dtype)
        yield f"clamp.{name_of(dtype)}", lambda x: torch.clamp(x, 1, 3), (x,)
        yield f"clamp_min.{name_of(dtype)}", lambda x: torch.clamp(x, min=2), (x,)
        yield f"clamp_max.{name_of(dtype)}", lambda x: torch.clamp(x, max=1), (x,)
        yield f"relu.{name_of(dtype)}", F.relu, (x,)
        yield f"clamp_tensor.{name_of(dtype)}", torch.clamp, (x, numbers(4, dtype=dtype, high=1), numbers(3, 1, dtype=dtype, low=2))
    yield "clamp_tensor.min", lambda x, m: torch.clamp(x, min=m), (numbers(3, 4), numbers(4))
    yield "hardtanh.float32", lambda x: F.hardtanh(x, -0.5, 0.75), (numbers(3, 4),)


def arithmetic():
    for op in ("add", "sub", "mul"):
        for kind, a, b in pairs((torch.float32, *INTEGERS)):
            yield f"{op}.{kind}", getattr(torch, op), (a, b)
        for dtype in (torch.float32, *INTEGERS):
            yield f"{op}.{name_of(dtype)}_scalar", lambda x, f=getattr(torch, op): f(x, 2), (numbers(3, 2, dtype=dtype),)
        yield f"{op}.int32_half", lambda x, f=getattr(torch, op): f(x, 0.5), (numbers(3, 2, dtype=torch.int32),)
    yield "add.bool", torch.add, (numbers(6, dtype=torch.bool), numbers(6, dtype=torch.bool, seed=3))
    yield "mul.bool", torch.mul, (numbers(6, dtype=torch.bool), numbers(6, dtype=torch.bool, seed=3))
    yield "add.alpha", lambda a, b: torch.add(a, b, alpha=2.5), (numbers(2, 3), numbers(3))
    yield "sub.alpha", lambda a, b: torch.sub(a, b, alpha=3), (numbers(2, 3, dtype=torch.int32), numbers(3, dtype=torch.int32))
    yield "rsub", lambda x: 5 - x, (numbers(2, 3),)
    yield "rsub.int64", lambda x: 5 - x, (numbers(2, 3, dtype=torch.int64),)
    yield "add.zero_dim", torch.add, (numbers(2, 3, dtype=torch.int32), torch.tensor(3, dtype=torch.int64))
    yield "mul.wrap", torch.mul, (torch.tensor([2**40, -(2**62), 3]), torch.tensor([2**30, 3, 2**63 - 1]))
    yield "add.wrap_int8", torch.add, (torch.tensor([127, -128, 5], dtype=torch.int8), torch.tensor([1, -1, 3], dtype=torch.int8))
    for dtype in (torch.float32, *INTEGERS):
        a, b = numbers(4, 5, dtype=dtype, low=-9, high=9), numbers(5, dtype=dtype, low=1, high=4)
        b = b if dtype == torch.uint8 else b * torch.tensor([1, -1, 1, -1, 1], dtype=dtype)
        kind = name_of(dtype)
        yield f"div.{kind}", torch.div, (a, b)
        yield f"div_floor.{kind}", lambda a, b: torch.div(a, b, rounding_mode="floor"), (a, b)
        yield f"div_trunc.{kind}", lambda a, b: torch.div(a, b, rounding_mode="trunc"), (a, b)
        yield f"div_scalar.{kind}", lambda a: a / 3, (a,)
        yield f"div_scalar_floor.{kind}", lambda a: torch.div(a, 3, rounding_mode="floor"), (a,)
        yield f"div_scalar_trunc.{kind}", lambda a: torch.div(a, 3, rounding_mode="trunc"), (a,)
        yield f"floor_divide.{kind}", torch.floor_divide, (a, b)
        yield f"remainder.{kind}", torch.remainder, (a, b)
        yield f"remainder_scalar.{kind}", lambda a: torch.remainder(a, 3), (a,)
        yield f"fmod.{kind}", torch.fmod, (a, b)
        yield f"fmod_scalar.{kind}", lambda a: torch.fmod(a, 3), (a,)
    yield "div.zero", torch.div, (torch.tensor([1.0, -1.0, 0.0]), torch.zeros(3))
    yield "floor_divide.zero", torch.floor_divide, (torch.tensor([1.0, -1.0, 0.0]), torch.zeros(3))
    yield "remainder.mixed", torch.remainder, (numbers(2, 3, dtype=torch.int32), torch.tensor([1.5, -2.5, 0.75]))
    positive = numbers(2, 3, low=0.1, high=3)
    yield "pow", torch.pow, (positive, numbers(3))
    yield "pow.int", torch.pow, (numbers(2, 3, dtype=torch.int32), numbers(3, dtype=torch.int32, low=0))
    yield "pow.negative_exponent", torch.pow, (torch.tensor([1, -1, -1, 2, 3]), torch.tensor([-3, -3, -2, -1, 4]))
    yield "pow.scalar_exponent", lambda x: x**2.7, (positive,)
    yield "pow.int_exponent", lambda x: x**5, (numbers(2, 3, dtype=torch.int64),)
    yield "pow.half_of_int", lambda x: torch.pow(x, 0.5), (numbers(2, 3, dtype=torch.uint8),)
    yield "pow.scalar_base", lambda x: torch.pow(2.5, x), (numbers(2, 3),)
    for exponent in (0, 1, 2, 3, 4, -1, 0.5, -0.5):
        yield f"pow.to_{exponent}", lambda x, e=exponent: torch.pow(x, e), (positive,)
    yield "atan2", torch.atan2, (numbers(4, 3), numbers(3))
    yield "atan2.int", torch.atan2, (numbers(4, 3, dtype=torch.int32), numbers(3, dtype=torch.int32))


def math():
    open_unit = numbers(12, low=-0.97, high=0.97)
    positive = numbers(12, low=0.05, high=9)
    for op in ("sin", "cos", "tan", "atan", "sinh", "cosh", "tanh", "asinh", "exp", "expm1", "erf", "sigmoid", "neg", "abs", "sign"):
        yield op, getattr(torch, op), (numbers(12),)
    for op in ("asin", "acos", "atanh", "log1p"):
        yield op, getattr(torch, op), (open_unit,)
    for op in ("log", "log2", "log10", "sqrt", "rsqrt", "reciprocal"):
        yield op, getattr(torch, op), (positive,)
    yield "acosh", torch.acosh, (positive + 1,)
    for op in ("sin", "exp", "sqrt", "log", "erf", "sigmoid", "tanh", "reciprocal", "atan"):
        yield f"{op}.int32", getattr(torch, op), (numbers(6, dtype=torch.int32, low=1),)
        yield f"{op}.bool", getattr(torch, op), (numbers(6, dtype=torch.bool),)
    halves = torch.tensor([-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 0.3, -0.7, 1e10, -3.0])
    for op in ("ceil", "floor", "round", "trunc"):
        yield op, getattr(torch, op), (halves,)
        yield f"{op}.int32", getattr(torch, op), (numbers(6, dtype=torch.int32),)
    for dtype in (torch.int8, torch.int32, torch.int64):
        for op in ("neg", "abs", "sign"):
            yield f"{op}.{name_of(dtype)}", getattr(torch, op), (numbers(7, dtype=dtype),)
    yield "sign.odd", torch.sign, (torch.tensor([0.0, -0.0, float("inf"), -2.0]),)
    yield "logit", torch.logit, (numbers(12, low=0.02, high=0.98),)
    yield "logit.eps", lambda x: torch.logit(x, 0.1), (numbers(12, low=0, high=1),)
    x = numbers(3, 4)
    for op in ("gelu", "elu", "leaky_relu", "relu6", "silu", "hardswish", "hardsigmoid", "softplus", "mish", "selu", "celu", "softsign",
               "logsigmoid", "tanhshrink", "softshrink", "hardshrink"):
        yield op, getattr(F, op), (x,)
    yield "gelu.tanh", lambda x: F.gelu(x, approximate="tanh"), (x,)
    yield "elu.alpha", lambda x: F.elu(x, 0.7), (x,)
    yield "glu", lambda x: F.glu(x, 1), (x,)
    yield "softmax", lambda x: F.softmax(x, 0), (x,)
    yield "log_softmax", lambda x: F.log_softmax(x, 1), (x,)


def reduce():
    for dtype in ALL:
        kind, x = name_of(dtype), numbers(3, 4, 2, dtype=dtype, low=0 if dtype == torch.bool else -4)
        yield f"sum.{kind}", torch.sum, (x,)
        yield f"sum_dim.{kind}", lambda x: torch.sum(x, 1), (x,)
        yield f"any.{kind}", torch.any, (x,)
        yield f"any_dim.{kind}", lambda x: torch.any(x, 1), (x,)
        yield f"all.{kind}", torch.all, (x,)
        yield f"all_dim.{kind}", lambda x: torch.all(x, -1, keepdim=True), (x,)
        if dtype == torch.bool:
            continue
        yield f"max.{kind}", torch.max, (x,)
        yield f"min.{kind}", torch.min, (x,)
        yield f"max_dim.{kind}", lambda x: torch.max(x, 1), (x,)
        yield f"min_dim.{kind}", lambda x: torch.min(x, -1, keepdim=True), (x,)
        yield f"argmax.{kind}", lambda x: torch.argmax(x, 1), (x,)
        yield f"argmin.{kind}", lambda x: torch.argmin(x, 0, keepdim=True), (x,)
        yield f"argmax_all.{kind}", torch.argmax, (x,)
        yield f"amax.{kind}", lambda x: torch.amax(x, (0, 2)), (x,)
        yield f"amin.{kind}", lambda x: torch.amin(x, (1,), keepdim=True), (x,)
        yield f"prod.{kind}", torch.prod, (x[0],)
        yield f"prod_dim.{kind}", lambda x: torch.prod(x, 2), (x,)
    x = numbers(3, 4, 2)
    integers = numbers(3, 4, 2, dtype=torch.int32)
    yield "sum.dims", lambda x: torch.sum(x, (0, 2), keepdim=True), (x,)
    yield "sum.to_float", lambda x: torch.sum(x, 1, dtype=torch.float32), (integers,)
    yield "sum.to_int32", lambda x: torch.sum(x, dtype=torch.int32), (integers,)
    yield "mean", torch.mean, (x,)
    yield "mean.dim", lambda x: torch.mean(x, (1, 2)), (x,)
    yield "mean.of_int", lambda x: torch.mean(x, 1, dtype=torch.float32), (integers,)
    yield "mean.all_of_int", lambda x: torch.mean(x, dtype=torch.float32), (integers,)
    yield "prod.to_float", lambda x: torch.prod(x, 1, dtype=torch.float32), (integers,)
    yield "any.dims", lambda x: torch.any(x > 3, (0, 2)), (x,)
    yield "all.dims", lambda x: torch.all(x > -3, (0, 2), keepdim=True), (x,)
    yield "sum.scalar", torch.sum, (torch.tensor(2.5),)
    yield "sum.dim_of_scalar", lambda x: torch.sum(x, 0), (torch.tensor(2.5),)
    yield "argmax.ties", lambda x: torch.argmax(x, 1), (torch.tensor([[1, 3, 3, 2], [5, 5, 5, 5]]),)
    odd = torch.tensor([[1.0, float("nan"), 2.0], [float("-inf"), 0.0, 4.0]])
    yield "max.nan", lambda x: torch.max(x, 1), (odd,)
    yield "argmin.nan", lambda x: torch.argmin(x, 1), (odd,)
    yield "amax.nan", lambda x: torch.amax(x, 1), (odd,)
    yield "var", torch.var, (x,)
    yield "var.dim", lambda x: torch.var(x, 1), (x,)
    yield "var.biased", lambda x: torch.var(x, (0, 1), unbiased=False, keepdim=True), (x,)
    yield "var.correction", lambda x: torch.var(x, 1, correction=2), (x,)
    yield "std", torch.std, (x,)
    yield "std.dim", lambda x: torch.std(x, (0, 2)), (x,)
    yield "std.correction", lambda x: torch.std(x, 1, correction=0, keepdim=True), (x,)
    yield "var_mean", lambda x: torch.var_mean(x, 1), (x,)
    yield "logsumexp", lambda x: torch.logsumexp(x, 1), (x,)
    yield "norm", lambda x: torch.linalg.vector_norm(x, dim=1), (x,)


def index():
    long = torch.int64
    for dtype in ALL:
        kind, x = name_of(dtype), numbers(4, 5, 3, dtype=dtype)
        yield f"index_select.{kind}", lambda x, i: torch.index_select(x, 1, i), (x, torch.tensor([4, 0, 0, 2]))
        yield f"gather.{kind}", lambda x, i: torch.gather(x, 1, i), (x, numbers(3, 2, 3, dtype=long, low=0))
        yield f"index.{kind}", lambda x, i, j: x[i, :, j], (x, torch.tensor([[0, 3], [-1, 2]]), torch.tensor([1, -3]))
        yield f"scatter.{kind}", lambda x, i, s: torch.scatter(x, 1, i, s), (
            x, torch.tensor([[[0, 1, 2], [3, 4, 0]]]), numbers(2, 3, 3, dtype=dtype, seed=5))
        yield f"scatter_value.{kind}", lambda x, i: torch.scatter(x, 0, i, 1), (x, numbers(2, 3, 3, dtype=long, low=0, high=3))
        yield f"index_put.{kind}", lambda x, i, v: torch.index_put(x, (i,), v), (x, torch.tensor([2, 0]), numbers(5, 3, dtype=dtype))
        yield f"masked_scatter.{kind}", torch.masked_scatter, (x, numbers(5, 3, dtype=torch.bool), numbers(70, dtype=dtype))
        yield f"select_scatter.{kind}", lambda x, s: torch.select_scatter(x, s, 1, -2), (x, numbers(4, 3, dtype=dtype, seed=2))
        yield f"slice_scatter.{kind}", lambda x, s: torch.slice_scatter(x, s, 1, 1, 5, 2), (x, numbers(4, 2, 3, dtype=dtype, seed=2))
        if dtype != torch.bool:
            yield f"scatter_add.{kind}", lambda x, i, s: torch.scatter_add(x, 1, i, s), (
                x, torch.tensor([[[0, 1, 0], [0, 1, 2]]]), numbers(2, 3, 3, dtype=dtype, seed=5))
            yield f"index_put_add.{kind}", lambda x, i, j, v: torch.index_put(x, (i, j), v, accumulate=True), (
                x, torch.tensor([1, 1, 3]), torch.tensor([0, 0, 4]), numbers(3, dtype=dtype))
    x = numbers(4, 5, 3)
    yield "index.first", lambda x, i: x[i], (x, torch.tensor([3, 1, -1]))
    yield "index.last", lambda x, i: x[..., i], (x, torch.tensor([[2, 0]]))
    yield "index.middle", lambda x, i, j: x[:, i, j], (x, torch.tensor([[4], [0]]), torch.tensor([1, 2, 0]))
    yield "index.apart", lambda x, i, j: x[i, :, j], (x, torch.tensor([0, 3]), torch.tensor([2, 1]))
    yield "index.int32", lambda x, i: x[i], (x, torch.tensor([3, 1], dtype=torch.int32))
    yield "index.all", lambda x, i: x[i, i, i], (x, torch.tensor([0, 2, 1]))
    yield "index_put.middle", lambda x, i, v: aten.index_put(x, [None, i], v), (x, torch.tensor([1, 4]), numbers(4, 2, 3))
    yield "index_put.scalar", lambda x, i, v: torch.index_put(x, (i,), v), (x, torch.tensor([0, 2]), torch.tensor(7.5))
    yield "index_copy", lambda x, i, v: torch.index_copy(x, 1, i, v), (x, torch.tensor([1, 4]), numbers(4, 2, 3))
    yield "scatter.whole", lambda x, i, s: torch.scatter(x, -1, i, s), (x, numbers(4, 5, 3, dtype=long, low=0, high=2), numbers(4, 5, 3))
    yield "embedding", lambda i, w: F.embedding(i, w), (torch.tensor([[0, 4], [2, 2]]), numbers(5, 6))
    yield "embedding.int32", lambda i, w: F.embedding(i, w), (torch.tensor([4, 1], dtype=torch.int32), numbers(5, 6))
    yield "embedding.scalar", lambda i, w: F.embedding(i, w), (torch.tensor(3), numbers(5, 6))
    yield "index_select.vector", lambda x, i: torch.index_select(x, 0, i), (numbers(6), torch.tensor([5, 5, 1]))
    yield "gather.last", lambda x, i: torch.gather(x, -1, i), (numbers(3, 4), numbers(3, 6, dtype=long, low=0, high=3))


def move():
    for dtype in ALL:
        kind, x = name_of(dtype), numbers(2, 6, 4, dtype=dtype)
        image = numbers(1, 8, 3, 4, dtype=dtype)
        yield f"flip.{kind}", lambda x: torch.flip(x, (0, -1)), (x,)
        yield f"roll.{kind}", lambda x: torch.roll(x, (1, -2), (0, 2)), (x,)
        yield f"roll_flat.{kind}", lambda x: torch.roll(x, 5), (x,)
        yield f"repeat.{kind}", lambda x: x.repeat(2, 1, 3, 2), (x,)
        yield f"tile.{kind}", lambda x: torch.tile(x, (2,)), (x,)
        yield f"repeat_interleave.{kind}", lambda x: torch.repeat_interleave(x, 3, 1), (x,)
        yield f"repeat_interleave_flat.{kind}", lambda x: torch.repeat_interleave(x, 2), (x,)
        yield f"diagonal.{kind}", lambda x: torch.diagonal(x, 1, 1, 2), (x,)
        yield f"diagonal_below.{kind}", lambda x: torch.diagonal(x, -2, -1, 1), (x,)
        yield f"unfold.{kind}", lambda x: x.unfold(1, 3, 2), (x,)
        yield f"as_strided.{kind}", lambda x: torch.as_strided_copy(x, (3, 4), (8, 2), 5), (x,)
        yield f"tril.{kind}", lambda x: torch.tril(x, 1), (x,)
        yield f"triu.{kind}", lambda x: torch.triu(x, -1), (x,)
        yield f"pixel_shuffle.{kind}", lambda x: F.pixel_shuffle(x, 2), (image,)
        yield f"pixel_unshuffle.{kind}", lambda x: F.pixel_unshuffle(x, 2), (numbers(2, 3, 4, 6, dtype=dtype),)
        yield f"stack.{kind}", lambda x, y: torch.stack((x, y, x), 1), (x, numbers(2, 6, 4, dtype=dtype, seed=4))
        yield f"cat.{kind}", lambda x, y: torch.cat((x, y), -1), (x, numbers(2, 6, 3, dtype=dtype))
        yield f"unbind.{kind}", lambda x: torch.unbind(x, 2), (x,)
        yield f"split.{kind}", lambda x: torch.split(x, 4, 1), (x,)
        yield f"split_sizes.{kind}", lambda x: torch.split(x, (1, 3, 2), 1), (x,)
        yield f"chunk.{kind}", lambda x: torch.chunk(x, 3, 2), (x,)
        yield f"narrow.{kind}", lambda x: torch.narrow(x, 1, 2, 3), (x,)
        yield f"slice.{kind}", lambda x: x[:, 1:-1:2, -3:], (x,)
        yield f"select.{kind}", lambda x: x[:, -2], (x,)
        yield f"transpose.{kind}", lambda x: x.transpose(0, 2), (x,)
        yield f"permute.{kind}", lambda x: x.permute(2, 0, 1), (x,)
        yield f"t.{kind}", lambda x: x[0].t(), (x,)
        yield f"expand.{kind}", lambda x: x.expand(3, -1, -1, 4), (x[:, :, :1].contiguous(),)
        yield f"reshape.{kind}", lambda x: x.reshape(4, -1, 3), (x,)
        yield f"squeeze.{kind}", lambda x: x[:1].squeeze(0).unsqueeze(1), (x,)
        yield f"constant_pad.{kind}", lambda x: F.pad(x, (1, 2, 0, 1), value=True if x.dtype == torch.bool else 3), (x,)
        yield f"clone.{kind}", lambda x: x.clone(), (x,)
    x = numbers(1, 2, 4, 5)
    yield "constant_pad.cut", lambda x: F.pad(x, (-1, 2), value=1.5), (x,)
    yield "pixel_shuffle.rank3", lambda x: F.pixel_shuffle(x, 2), (numbers(4, 2, 3),)
    yield "triu.vector_of_matrices", lambda x: torch.triu(x, 1), (numbers(2, 2, 3, 3),)
    for mode in ("reflect", "replicate"):
        yield f"{mode}1d", lambda x, m=mode: F.pad(x, (2, 1), mode=m), (numbers(2, 3, 5),)
        yield f"{mode}2d", lambda x, m=mode: F.pad(x, (2, 1, 3, 0), mode=m), (x,)
        yield f"{mode}3d", lambda x, m=mode: F.pad(x, (1, 1, 2, 1, 0, 2), mode=m), (numbers(1, 2, 3, 4, 5),)
        yield f"{mode}.batchless", lambda x, m=mode: F.pad(x, (1, 2, 2, 1), mode=m), (numbers(2, 4, 5),)


def scan():
    for dtype in ALL:
        kind, x = name_of(dtype), numbers(2, 5, 3, dtype=dtype)
        yield f"cumsum.{kind}", lambda x: torch.cumsum(x, 1), (x,)
        distinct = torch.stack([torch.randperm(7, generator=torch.Generator().manual_seed(i)) for i in range(6)])
        distinct = distinct.reshape(2, 3, 7).to(dtype)
        if dtype == torch.bool:
            continue
        yield f"topk.{kind}", lambda x: torch.topk(x, 3), (distinct,)
        yield f"topk_smallest.{kind}", lambda x: torch.topk(x, 2, 1, largest=False), (distinct[:, :, 0].contiguous(),)
    yield "cumsum.to_float", lambda x: torch.cumsum(x, 0, dtype=torch.float32), (numbers(4, 2, dtype=torch.int32),)
    yield "cumsum.scalar", lambda x: torch.cumsum(x, 0), (torch.tensor(1.5),)


def beyond():
    """What ExecuTorch's exporter leaves without a kernel."""
    yield "shifts", lambda a: (a << 2, a >> 1), (numbers(4, dtype=torch.int32),)
    for dtype in (torch.float32, *INTEGERS):
        kind, x = name_of(dtype), torch.stack([torch.randperm(7, generator=torch.Generator().manual_seed(i)) for i in range(4)]).to(dtype)
        yield f"sort.{kind}", lambda x: torch.sort(x, -1), (x,)
        yield f"sort_descending.{kind}", lambda x: torch.sort(x, 0, descending=True), (x[:1],)
        yield f"argsort.{kind}", lambda x: torch.argsort(x, 1), (x,)
    yield "sort.stable", lambda x: torch.sort(x, stable=True, dim=0), (torch.tensor([3, 1, 3, 1, 2]),)


def set_parts(a):
    y = a.clone()
    y[:, 1] = 3.0
    y[:, 0:2, 1] = a[:, 0:2, 0]
    y[a > 0.5] = 0
    return y


def change_parts(a):
    y = torch.zeros(2, 3, 4)
    row = y[1]
    y[:, 1] = a[:, 0]
    before = y + 1
    y[:, 2, 1:3] += a[:, 0, :2]
    y[:, :, 0].mul_(2)
    return y + a, before, row * 1, y


def change_turned(a):
    y, mask = torch.zeros(2, 3), torch.full((3, 3), -1e9)
    mask.triu_(1)
    mask.masked_fill_(mask == 0, 1)
    y[:] = a[:, :, 0]
    flat = y.view(6)
    y.t()[1].fill_(5)
    return flat * 2, mask + y[0]


def composed():
    """Operators that the compiler expresses with others; ExecuTorch's exporter has other ways, or none."""
    a, b, row = numbers(2, 3, 4), numbers(2, 3, 4, seed=1, low=1), numbers(4, low=1)
    odd = torch.tensor([float("nan"), float("inf"), -float("inf"), 0.0, -0.0, 1e-30, 3e38, 1.5])
    yield "addcmul", lambda a, b, r: torch.addcmul(a, b, r, value=0.5), (a, b, row)
    yield "addcmul.one", torch.addcmul, (row, a, b)
    whole = numbers(2, 3, dtype=torch.int64), numbers(3, dtype=torch.int64, seed=1)
    yield "addcmul.int64", lambda a, b: torch.addcmul(a, a, b, value=2), whole
    yield "addcdiv", lambda a, b, r: torch.addcdiv(a, b, r, value=-2), (a, b, row)
    yield "lerp", lambda a, b: (torch.lerp(a, b, 0.25), torch.lerp(a, b, 0.75)), (a, b)
    yield "lerp.tensor", torch.lerp, (a, b, row)
    yield "logaddexp", torch.logaddexp, (a, row)
    yield "logaddexp.odd", lambda x: (torch.logaddexp(x, x), torch.logaddexp(x, x.flip(0))), (odd,)
    yield "hypot", torch.hypot, (a, row)
    yield "hypot.odd", lambda x: torch.hypot(x, x), (odd,)
    yield "exp2", lambda a: (torch.exp2(a), torch.special.exp2(a)), (a,)
    yield "exp2.int32", torch.exp2, (numbers(4, dtype=torch.int32),)
    yield "isfinite", torch.isfinite, (odd,)
    yield "isfinite.int32", torch.isfinite, (numbers(4, dtype=torch.int32),)
    for dtype in (torch.float32, torch.int32):
        x, kind = numbers(2, 3, 4, dtype=dtype), name_of(dtype)
        yield f"aminmax.{kind}", torch.aminmax, (x,)
        yield f"aminmax.dim_{kind}", lambda x: (*torch.aminmax(x, dim=1), *torch.aminmax(x, dim=-1, keepdim=True)), (x,)
        yield f"diff.{kind}", lambda x: (torch.diff(x), torch.diff(x, n=2, dim=1), torch.diff(x, n=0)), (x,)
        yield f"diff.ends_{kind}", lambda x, y: torch.diff(x, dim=1, prepend=y, append=x), (x, numbers(2, 1, 4, dtype=dtype))
    yield "diff.bool", lambda x: torch.diff(x, dim=0), (numbers(5, 2, dtype=torch.bool),)
    places = torch.tensor([2, 0, 2])
    yield "index_add", lambda a, i, b: torch.index_add(a, 1, i, b, alpha=0.5), (a, places, b)
    yield "index_add.int64", lambda a, i, b: torch.index_add(a, -1, i, b), (*whole[:1], places, numbers(2, 3, dtype=torch.int64, seed=2))
    spread = torch.randint(0, 3, (2, 3, 4), generator=torch.Generator().manual_seed(0))
    for reduce in ("sum", "mean"):
        for own in (False, True):
            yield f"scatter_reduce.{reduce}_{own}", lambda a, i, b, r=reduce, o=own: a.scatter_reduce(
                1, i, b, r, include_self=o), (a, spread, b)
    yield "linspace", lambda x: (x + torch.linspace(0, 1, 7), x * torch.linspace(3, -2, 7), x + torch.linspace(2, 5, 1)), (numbers(7),)
    yield "linspace.int64", lambda x: x + torch.linspace(-3, 9, 7, dtype=torch.int64), (numbers(7, dtype=torch.int64),)
    for indexing in ("ij", "xy"):
        yield f"meshgrid.{indexing}", lambda a, b, c, i=indexing: torch.meshgrid(a, b, c, indexing=i), (
            numbers(2), numbers(3), numbers(4))
    yield "meshgrid.one", lambda a, s: (*torch.meshgrid(a, indexing="xy"), *torch.meshgrid(a, s, indexing="ij")), (numbers(3), torch.tensor(2.0))
    m, n, v = small(3, 4), small(4, 5), small(4)
    for equation, tensors in (
        ("ij,jk->ik", (m, n)), ("ij,jk->ki", (m, n)), ("ij,jk", (m, n)), ("ij,kj->ik", (m, small(2, 4))), ("i,i->", (v, v)),
        ("i,i->i", (v, v)), ("i,j->ij", (v, small(3))), ("ij->ji", (m,)), ("ij->", (m,)), ("ij->j", (m,)), ("ba", (m,)),
        ("bhid,bhjd->bhij", (small(2, 2, 3, 4), small(2, 2, 5, 4))), ("bhij,bhjd->bihd", (small(2, 2, 3, 5), small(2, 2, 5, 4))),
        ("bnd,cd,bn->bc", (small(2, 3, 4), small(5, 4), small(2, 3))), ("ij,ik,il->jkl", (m, small(3, 2), small(3, 5))),
        ("...ij,...jk->...ik", (small(2, 1, 3, 4), small(5, 4, 2))), ("b...c,...c->b...", (small(2, 3, 4), small(3, 4))),
        ("nctv,vw->nctw", (small(1, 2, 3, 4), small(4, 4))), ("ijk,il->kl", (small(2, 3, 4), small(2, 5))), ("ij,jk", (m, small(1, 5))),
    ):
        yield f"einsum.{equation}", lambda *t, e=equation: torch.einsum(e, *t), tensors
    yield "einsum.weights", lambda x: torch.einsum("oc,bct->bot", torch.arange(6.0).view(2, 3) / 4, x), (small(2, 3, 5),)
    for change in (set_parts, change_parts, change_turned):
        yield change.__name__, change, (a,)
    for corners in (False, True):
        for size in ({"scale_factor": 2}, {"scale_factor": (1.7, 2.3)}, {"size": (3, 7)}, {"size": (1, 9)}):
            yield f"bicubic.{corners}_{next(iter(size.values()))}", lambda x, s=size, c=corners: F.interpolate(
                x, mode="bicubic", align_corners=c, **s), (small(1, 2, 4, 5),)
    yield "bicubic.sizes", lambda x: aten.upsample_bicubic2d(x, [6, 3], False), (small(1, 2, 4, 5),)
    yield "to.device", lambda x: (x.cpu() + 1, aten._to_copy(x, device="cpu"), x.to(torch.device("cpu"), torch.int32)), (numbers(3),)
    yield "to.other", lambda x, y: x.to(y), (numbers(3), numbers(2, dtype=torch.int64))


def resize():
    x = numbers(1, 2, 4, 5)
    for dtype in (torch.float32, torch.uint8):
        image = numbers(1, 2, 4, 5, dtype=dtype)
        yield f"nearest.{name_of(dtype)}", lambda x: F.interpolate(x, scale_factor=2), (image,)
        yield f"nearest_sizes.{name_of(dtype)}", lambda x: F.interpolate(x, (7, 3)), (image,)
    yield "nearest.fraction", lambda x: F.interpolate(x, scale_factor=(1.5, 2.3)), (x,)
    for corners in (False, True):
        mode = {"mode": "bilinear", "align_corners": corners}
        yield f"bilinear.{corners}", lambda x, m=mode: F.interpolate(x, scale_factor=2, **m), (x,)
        yield f"bilinear_sizes.{corners}", lambda x, m=mode: F.interpolate(x, (7, 3), **m), (x,)
        yield f"bilinear_fraction.{corners}", lambda x, m=mode: F.interpolate(x, scale_factor=1.7, **m), (x,)
        yield f"bilinear_smaller.{corners}", lambda x, m=mode: F.interpolate(x, (2, 2), **m), (x,)
        yield f"antialias.{corners}", lambda x, m=mode: F.interpolate(x, (3, 8), antialias=True, **m), (numbers(1, 2, 9, 6),)
        for padding in ("zeros", "border", "reflection"):
            for way in ("bilinear", "nearest", "bicubic"):
                yield f"grid.{way}_{padding}_{corners}", lambda x, g, w=way, p=padding, c=corners: F.grid_sample(
                    x, g, mode=w, padding_mode=p, align_corners=c), (x, numbers(1, 3, 4, 2, low=-1.7, high=1.7))


def small(*shape, seed=0):
    """Sums of many products: with small numbers their rounding stays small."""
    return numbers(*shape, seed=seed, low=-1, high=1)


def layers():
    x = small(2, 6, 4, 5)
    six = small(6, seed=1), small(6, seed=2)
    yield "group_norm", lambda x, w, b: F.group_norm(x, 3, w, b), (x, *six)
    yield "native_group_norm", lambda x, w, b: aten.native_group_norm(x, w, b, 2, 6, 20, 2, 1e-5), (x, *six)
    yield "native_group_norm.plain", lambda x: aten.native_group_norm(x, None, None, 2, 6, 20, 3, 1e-5), (x,)
    yield "layer_norm", lambda x, w: F.layer_norm(x, (4, 5), w), (x, small(4, 5))
    yield "instance_norm", F.instance_norm, (x,)
    yield "batch_norm", lambda x, m, v, w, b: F.batch_norm(x, m, v, w, b), (x, small(6), numbers(6, low=0.1), *six)
    yield "batch_norm.no_stats", lambda x, w, b: aten._native_batch_norm_legit.no_stats(x, w, b, True, 0.1, 1e-5), (x, *six)
    yield "adaptive_avg_pool", lambda x: F.adaptive_avg_pool2d(x, (3, 2)), (x,)
    yield "adaptive_avg_pool.one", lambda x: F.adaptive_avg_pool2d(x, 1), (x,)
    yield "avg_pool", lambda x: F.avg_pool2d(x, 2, ceil_mode=True), (x,)
    yield "max_pool", lambda x: F.max_pool2d(x, 3, 2, 1), (x,)
    yield "max_pool.indices", lambda x: F.max_pool2d(x, 2, return_indices=True), (x,)
    yield "pools.batchless", lambda x: (F.max_pool2d(x, 2), F.avg_pool2d(x, 2), F.adaptive_avg_pool2d(x, (3, 2))), (x[0],)
    yield "avg_pool1d", lambda x: F.avg_pool1d(x, 2), (x[0],)
    yield "max_pool1d", lambda x: F.max_pool1d(x, 3, 2), (x[0],)
    yield "conv2d.groups", lambda x, w: F.conv2d(x, w, stride=2, padding=1, groups=2), (x, small(4, 3, 3, 3))
    yield "conv1d.dilation", lambda x, w, b: F.conv1d(x, w, b, dilation=2), (small(2, 6, 9), small(3, 6, 3), small(3))
    yield "conv_transpose2d", lambda x, w: F.conv_transpose2d(x, w, stride=2, padding=1, output_padding=1), (x, small(6, 3, 3, 3))
    yield "conv_transpose2d.groups", lambda x, w: F.conv_transpose2d(x, w, stride=(1, 2), groups=2), (x, small(6, 2, 2, 3))
    yield "conv_transpose1d", lambda x, w, b: F.conv_transpose1d(x, w, b, stride=2), (small(2, 6, 5), small(6, 4, 3), small(4))
    a, b, c = small(3, 4), small(4, 5), small(3, 5)
    yield "mm", torch.mm, (a, b)
    yield "matmul.batch", torch.matmul, (small(2, 1, 3, 4), small(5, 4, 2))
    yield "bmm", torch.bmm, (small(2, 3, 4), small(2, 4, 5))
    yield "addmm", torch.addmm, (c, a, b)
    yield "addmm.factors", lambda c, a, b: torch.addmm(c, a, b, beta=0.5, alpha=2), (small(5), a, b)
    yield "linear", F.linear, (small(2, 3, 4), small(5, 4), small(5))
    yield "glu", lambda x: aten.glu(x, 1), (x,)
    yield "dropout", lambda x: aten.native_dropout(x, 0.5, False), (x,)
    for p in (0.0, 1.0, 2.0, 3.0, float("inf")):
        yield f"cdist.{p}", lambda a, b, p=p: torch.cdist(a, b, p), (small(2, 3, 4), small(2, 5, 4))
        yield f"pdist.{p}", lambda a, p=p: F.pdist(a, p), (small(4, 3),)
    yield "cdist.batch", torch.cdist, (small(2, 1, 3, 4), small(3, 2, 4))
    yield "attention", F.scaled_dot_product_attention, (small(1, 2, 3, 4), small(1, 2, 5, 4), small(1, 2, 5, 4, seed=1))
    yield "softmax", lambda x: F.softmax(x, 1), (x,)


def products():
    for dtype in INTEGERS:
        kind, left = name_of(dtype), numbers(2, 3, 4, dtype=dtype)
        yield f"mm.{kind}", torch.mm, (numbers(3, 4, dtype=dtype), numbers(4, 5, dtype=dtype))
        yield f"bmm.{kind}", torch.bmm, (left, numbers(2, 4, 5, dtype=dtype))


def types():
    """Operators that mostly meet floats, with elements of other types, and parts of several types."""
    for dtype in INTEGERS:
        kind, x = name_of(dtype), numbers(1, 4, 5, 6, dtype=dtype)
        yield f"conv2d.{kind}", lambda x, w, b: F.conv2d(x, w, b, stride=2, padding=1, groups=2), (
            x, numbers(6, 2, 3, 2, dtype=dtype), numbers(6, dtype=dtype))
        yield f"conv2d.plain_{kind}", lambda x, w: aten.convolution(x, w, None, [1, 2], [0, 1], [1, 1], False, [0, 0], 1), (
            x, numbers(3, 4, 2, 3, dtype=dtype))
        yield f"max_pool.{kind}", lambda x: F.max_pool2d(x, 3, 2, 1, return_indices=True), (x[:, :2, :, :4].contiguous(),)
        yield f"linear.{kind}", F.linear, (numbers(2, 3, 9, dtype=dtype), numbers(5, 9, dtype=dtype), numbers(5, dtype=dtype))
        yield f"addmm.{kind}", lambda c, a, b: torch.addmm(c, a, b, beta=2, alpha=3), (
            numbers(5, dtype=dtype), numbers(3, 4, dtype=dtype), numbers(4, 5, dtype=dtype))
    x, whole = numbers(4, 5, 3), numbers(4, 5, 3, dtype=torch.int32)
    yield "conv_transpose2d.int64", lambda x, w: aten.convolution(x, w, None, [2, 1], [1, 0], [1, 1], True, [1, 0], 2), (
        numbers(1, 4, 3, 4, dtype=torch.int64), numbers(4, 3, 3, 2, dtype=torch.int64))
    yield "conv1d.int32", lambda x, w, b: F.conv1d(x, w, b, padding=2), (
        numbers(2, 3, 7, dtype=torch.int32), numbers(4, 3, 3, dtype=torch.int32), numbers(4, dtype=torch.int32))
    yield "conv.batchless", lambda x, w, b: F.conv2d(x, w, b), (small(3, 5, 6), small(4, 3, 2, 3), small(4))
    yield "conv1d.batchless", lambda x, w: F.conv1d(x, w, stride=2), (small(3, 7), small(4, 3, 3))
    yield "conv_transpose.batchless", lambda x, w: F.conv_transpose2d(x, w, stride=2), (small(3, 4, 5), small(3, 2, 2, 3))
    yield "avg_pool.int64", lambda x: F.avg_pool2d(x, 3, 2, 1), (numbers(1, 2, 5, 7, dtype=torch.int64, low=-99, high=99),)
    yield "avg_pool.divisor", lambda x: F.avg_pool2d(x, 2, divisor_override=3), (numbers(1, 2, 5, 7, dtype=torch.int64, low=-99, high=99),)
    image = numbers(1, 2, 4, 6, dtype=torch.uint8, high=255)
    yield "bilinear.uint8", lambda x: F.interpolate(x, (4, 9), mode="bilinear", align_corners=True), (image,)
    for first, second in ((torch.float32, torch.int32), (torch.int8, torch.int64), (torch.bool, torch.uint8)):
        kind, a, b = f"{name_of(first)}_{name_of(second)}", numbers(2, 3, dtype=first), numbers(2, 3, dtype=second, seed=1)
        yield f"cat.{kind}", lambda a, b: torch.cat((a, b), 1), (a, b)
        yield f"stack.{kind}", lambda a, b: torch.stack((b, a), 1), (a, b)
        if torch.promote_types(first, second) == first:  # ExecuTorch's exporter makes others of the promoted type
            yield f"select_scatter.{kind}", lambda a, b: torch.select_scatter(a, b, 0, 1), (a, b[0].clone())
        yield f"slice_scatter.{kind}", lambda a, b: torch.slice_scatter(a, b, 1, 0, 3, 2), (a, b[:, :2].contiguous())
    mask, rows, columns = numbers(4, 5, 3, dtype=torch.bool), torch.tensor([True, False, True, True]), numbers(5, dtype=torch.bool)
    for dtype in ALL:
        kind, y = name_of(dtype), numbers(4, 5, 3, dtype=dtype)
        yield f"mask.{kind}", lambda y, m, v: aten.index_put(y, [m], v), (y, mask, numbers(1, dtype=dtype, seed=9))
    yield "mask.rows", lambda x, m, v: aten.index_put(x, [m], v), (x, rows, numbers(3, 5, 3, seed=1))
    yield "mask.columns", lambda x, m, v: aten.index_put(x, [None, m], v), (x, columns, numbers(1, 3, seed=1))
    yield "mask.matrix", lambda x, m, v: aten.index_put(x, [None, m], v, True), (x, mask[0].clone(), torch.tensor(2.5))
    yield "mask.and_index", lambda x, m, i, v: aten.index_put(x, [m, i], v), (x, rows, torch.tensor([4, 0, 2]), numbers(3, 3))
    yield "mask.apart", lambda x, m, i, v: aten.index_put(x, [m, None, i], v), (x, rows, torch.tensor([1]), numbers(3, 5))
    yield "mask.nothing", lambda x, m, v: aten.index_put(x, [m], v), (x, torch.zeros(4, dtype=torch.bool), torch.tensor(1.0))
    for op in ("eq", "ne", "lt", "le", "gt", "ge", "remainder", "fmod"):
        yield f"{op}.uint8_negative", lambda x, f=getattr(torch, op): f(x, -3), (torch.tensor([0, 3, 252, 253, 254], dtype=torch.uint8),)
    halves = torch.tensor([[0.5, -0.5, 0.25], [0.0, 1.5, -0.0]])
    yield "sum.to_bool", lambda x: torch.sum(x, 1, dtype=torch.bool), (halves,)
    yield "prod.to_bool", lambda x: torch.prod(x, 1, dtype=torch.bool), (halves,)
    yield "sum.int_to_bool", lambda x: torch.sum(x, 1, dtype=torch.bool), (torch.tensor([[3, -3], [0, 0], [1, 1]]),)
    columns_last = lambda x: x.clone(memory_format=torch.channels_last)  # noqa: E731
    yield "layer_norm.columns_last", lambda x: F.layer_norm(columns_last(x), (4,)).contiguous(), (small(2, 3, 5, 4),)
    yield "any.no_dims", lambda x: torch.any(x, ()), (whole,)
    yield "var_mean.empty", lambda x: torch.var_mean(x, 0), (torch.zeros(0, 3),)
    yield "elu.small", F.elu, (torch.tensor([-0.0, -1e-5, -1e-3, -0.29, -0.31, 0.0, 1e-5]),)
    yield "softmax.number", lambda x: (F.softmax(x, 0), F.log_softmax(x, -1)), (torch.tensor(2.5),)


def halves():
    """float16; numpy has no bfloat16, so that comes from floats and goes back."""
    half, brain = torch.float16, torch.bfloat16
    odd = torch.tensor([0.0, -0.0, 1.0009765, 65519.0, 65520.0, 6e-8, 3e-8, 2.98e-8, 6.1e-5, float("inf"), float("nan"), -2049.0, 2051.0])
    x, y = numbers(3, 4).to(half), numbers(4, seed=1).to(half)
    yield "to", lambda x: (x.to(half), x.to(half).to(torch.float32), x.to(brain).to(torch.float32)), (odd,)
    yield "from_int", lambda x: (x.to(half), x.to(brain).to(torch.float32)), (torch.tensor([2049, 2051, -4099, 65503, 70000, 257, -259]),)
    yield "to_int", lambda x: (x.to(torch.int32), x.to(torch.bool)), (x,)
    for op in ("add", "sub", "mul", "div", "maximum", "minimum", "eq", "lt"):
        yield op, getattr(torch, op), (x, y)
    for op in ("relu", "neg", "abs", "floor", "round", "sqrt", "reciprocal"):
        yield op, getattr(torch, op), (x,)
    yield "promoted", torch.add, (x, numbers(4))
    yield "add.brain", lambda x, y: (x.to(brain) + y.to(brain)).to(torch.float32), (x, y)
    yield "sum", lambda x: (torch.sum(x, 1), torch.amax(x, 0), torch.argmax(x, 1)), (numbers(3, 4, low=-8, high=8).round().to(half),)
    yield "cat", lambda x, y: torch.cat((x, y.reshape(1, 4))), (x, y)
    whole = numbers(3, 4).round().to(half)
    yield "mm", torch.mm, (whole, numbers(4, 2).round().to(half))
    yield "linear", F.linear, (whole, numbers(5, 4).round().to(half), numbers(5).round().to(half))
    yield "conv2d", F.conv2d, (numbers(1, 2, 4, 5).round().to(half), numbers(3, 2, 2, 2).round().to(half))
    yield "max_pool", lambda x: F.max_pool2d(x, 2), (numbers(1, 2, 4, 6).to(half),)
    image, two = numbers(2, 4, 3, 2).to(half), numbers(4, low=0.5, high=2).to(half)
    yield "softmax", lambda x: (F.softmax(x, 1), F.log_softmax(x, 0)), (x,)
    yield "layer_norm", lambda x, w, b: F.layer_norm(x, (4,), w, b), (x, two, y)
    yield "group_norm", lambda x, w, b: F.group_norm(x, 2, w, b), (image, two, y)
    yield "batch_norm", lambda x, m, v: F.batch_norm(x, m, v), (image, y, two)
    yield "glu", lambda x: aten.glu(x, 1), (x,)
    yield "where", torch.where, (numbers(3, 4, dtype=torch.bool), x, y)


def doubles():
    """float64: most families of operators, some with narrower types beside it."""
    wide = torch.float64
    x, y = numbers(3, 4, dtype=wide), numbers(4, dtype=wide, seed=1)
    third = torch.full((3,), 1 / 3, dtype=torch.float32)
    odd = torch.tensor([0.0, -0.0, 1e300, -1e-300, float("inf"), -float("inf"), float("nan"), 2.0**53 - 1, 0.1, 1e40, -2.5], dtype=wide)
    yield "to", lambda x: (x.to(torch.float32), x.to(torch.float16), x.to(torch.int64), x.to(torch.uint8), x.to(torch.bool)), (x,)
    yield "to.odd", lambda x: (x.to(torch.float32), x.to(torch.bool)), (odd,)
    yield "from", lambda a, b, c, d: (a.to(wide), b.to(wide), c.to(wide), d.to(wide)), (
        torch.tensor([2**53 + 1, 2**63 - 1, -(2**63)]), third, numbers(3, dtype=torch.bool), numbers(3).to(torch.float16))
    yield "arithmetic", lambda x, y: (x + y, torch.add(x, y, alpha=0.1), x * 0.125, x / y, x % y, torch.fmod(x, 0.3), torch.floor_divide(x, y)), (x, y)
    yield "powers", lambda x: (x**3, x**0.5, torch.pow(x, -x), torch.atan2(x, -x)), (x.abs(),)
    yield "mixed", lambda x, a, b: (x + a, x * b, torch.maximum(x, a), torch.where(x > 0, x, a)), (
        x[0].clone(), numbers(4), numbers(4, dtype=torch.int64))
    yield "number_beside_floats", lambda a, b: (a == b, a < b, a + b, a // b), (third, torch.tensor(1 / 3, dtype=wide))
    yield "compare", lambda x, y: (x < y, x == x, x != 0.1, x >= y, torch.isnan(x), torch.logical_and(x, y)), (odd, odd.flip(0))
    yield "choose", lambda x: (x.clamp(-0.1, 1.7), F.relu(x), F.hardtanh(x), x.masked_fill(x > 1, 0.1)), (x,)
    yield "math", lambda x: (x.exp(), x.expm1(), x.erf(), x.sin(), x.cos(), x.tan(), x.sinh(), x.cosh(), x.atan(), x.asinh()), (x,)
    yield "math.positive", lambda x: (x.log(), x.log1p(), x.log2(), x.log10(), x.sqrt(), x.rsqrt(), x.reciprocal(), x.acosh()), (numbers(7, dtype=wide, low=1, high=9),)
    yield "math.unit", lambda x: (x.asin(), x.acos(), x.atanh(), torch.logit(x.abs() + 0.0625)), (numbers(7, dtype=wide, low=-0.9, high=0.9),)
    yield "activation", lambda x: (x.sigmoid(), x.tanh(), F.gelu(x), F.gelu(x, approximate="tanh"), F.elu(x), F.leaky_relu(x), F.silu(x)), (x,)
    yield "rounding", lambda x: (x.round(), x.floor(), x.ceil(), x.trunc(), x.abs(), -x, x.sign()), (x,)
    yield "softmax", lambda x: (F.softmax(x, 1), F.log_softmax(x, 0)), (x,)
    yield "reduce", lambda x: (x.sum(1), x.mean(0), x.prod(1), x.var(1), x.amax(0), x.argmin(1), *x.max(1), x.any(0)), (x,)
    yield "reduce.to", lambda x: (torch.sum(x, 0, dtype=wide), torch.mean(x, 0, dtype=wide), torch.cumsum(x, 0, dtype=wide)), (third,)
    yield "scan", lambda x: (torch.cumsum(x, 1), *torch.topk(x, 2)), (x,)
    yield "products", lambda a, b, v: (a @ b, torch.addmm(v, a, b, beta=0.1, alpha=0.3), F.linear(a, b.t().contiguous(), v)), (
        x, numbers(4, 5, dtype=wide), numbers(5, dtype=wide))
    yield "bmm", torch.bmm, (numbers(2, 3, 4, dtype=wide), numbers(2, 4, 5, dtype=wide))
    image = numbers(1, 4, 5, 6, dtype=wide)
    yield "conv2d", lambda x, w, b: F.conv2d(x, w, b, stride=2, padding=1, groups=2), (image, numbers(6, 2, 3, 2, dtype=wide), numbers(6, dtype=wide))
    yield "conv_transpose2d", lambda x, w: F.conv_transpose2d(x, w, stride=2), (image, numbers(4, 3, 2, 2, dtype=wide))
    yield "pools", lambda x: (*F.max_pool2d(x, 2, return_indices=True), F.avg_pool2d(x, 3, 2, 1), F.adaptive_avg_pool2d(x, (3, 2))), (image,)
    four = numbers(4, dtype=wide, low=0.5, high=2)
    yield "norms", lambda x, v: (F.batch_norm(x, v, v, v, v), F.group_norm(x, 2, v, v), F.layer_norm(x, (6,))), (image, four)
    yield "resize", lambda x: (F.interpolate(x, scale_factor=2), F.interpolate(x, (7, 3), mode="bilinear"), F.interpolate(x, (2, 3), mode="bilinear", antialias=True)), (image,)
    yield "grid", lambda x, g: (F.grid_sample(x, g, align_corners=False), F.grid_sample(x, g, mode="bicubic", align_corners=True)), (
        image, numbers(1, 2, 3, 2, dtype=wide, low=-1.2, high=1.2))
    yield "distance", lambda a, b: (torch.cdist(a, b, 1.5), F.pdist(a)), (x, numbers(5, 4, dtype=wide))
    yield "join", lambda x, a: (torch.cat((x, a), 0), torch.stack((a, x), 1), F.pad(x, (1, 2), value=0.1), aten.glu(x, 1)), (x, numbers(3, 4))
    yield "index", lambda x, i, s: (x[i], x[:, i], aten.index_put(x, [i], s, True), torch.scatter(x, 0, i[None], s), torch.scatter_add(x, 0, i[None], s)), (
        x, torch.tensor([2, 0]), numbers(2, 4, dtype=wide))
    yield "create", lambda x: (torch.full_like(x, 0.1), torch.zeros_like(x), torch.arange(0, 1, 0.1, dtype=wide), torch.full((2,), 1e300, dtype=wide)), (x,)


def create():
    x = numbers(2, 3)
    for source in ALL:
        for target in ALL:
            values = numbers(2, 3, dtype=source, low=0 if target in (torch.uint8, torch.bool) else -4)
            yield f"to.{name_of(source)}_{name_of(target)}", lambda v, t=target: v.to(t), (values,)
        yield f"full_like.{name_of(source)}", lambda v: torch.full_like(v, 1), (numbers(2, 3, dtype=source),)
        yield f"zeros.{name_of(source)}", lambda v, t=source: torch.zeros(2, 3, dtype=t), (x,)
        yield f"ones_like.{name_of(source)}", lambda v, t=source: torch.ones_like(v, dtype=t), (x,)
    yield "arange", lambda x: x + torch.arange(3), (x,)
    yield "arange.step", lambda x: x + torch.arange(1.0, 2.5, 0.5), (x,)
    yield "full", lambda x: x + torch.full((2, 3), 2.5), (x,)
    yield "scalar_tensor", lambda x: x * torch.scalar_tensor(3.0), (x,)
    yield "type_as", lambda x, y: x.type_as(y), (x, numbers(2, dtype=torch.int32))
    yield "copy", lambda x, y: aten.copy(x, y), (x, numbers(3, dtype=torch.int32))
    yield "fill", lambda x: aten.fill.Scalar(x, 2.5), (x,)
    yield "fill.tensor", lambda x, v: aten.fill.Tensor(x, v), (x, torch.tensor(4.5))
    edges = [2**24 + 1, 2**25 + 3, 2**31, 2**31 + 129, 2**32 - 1, 2**33 + 513, 2**40 + 2**16 + 1, 2**62 + 2**38, 2**63 - 1]
    yield "to.rounded", lambda x: x.to(torch.float32), (torch.tensor([*edges, *(-e for e in edges), -(2**63)]),)
    yield "to.whole", lambda x: x.to(torch.int64), (torch.tensor([0.99, -0.99, 1.0, 8388609.5, -2.0**31, 3.0e9, -(2.0**62)]),)
    yield "to.large", lambda x: x.to(torch.int64), (torch.tensor([1e9, -2.5, 2.9, 4e18]),)


def rewritten():
    """Layers that the compiler expresses with others."""
    image, line, row = numbers(2, 4, 5, 7), numbers(2, 3, 10), numbers(3, 8)
    yield "circular", lambda x: (F.pad(x, (1, 2, 3, 0), "circular"), F.pad(x, (7, 0, 0, 5), "circular")), (image,)
    yield "circular.line", lambda x: F.pad(x, (2, 3), "circular"), (line,)
    yield "adaptive_max", lambda x: (F.adaptive_max_pool2d(x, (2, 3)), F.adaptive_max_pool2d(x, (5, 1))), (image,)
    yield "adaptive_max.line", lambda x: (F.adaptive_max_pool1d(x, 5), F.adaptive_max_pool1d(x, 3)), (line,)
    yield "linear", lambda x: (F.interpolate(x, scale_factor=1.5, mode="linear"), F.interpolate(x, size=7, mode="linear")), (line,)
    yield "linear.corners", lambda x: F.interpolate(x, size=4, mode="linear", align_corners=True), (line,)
    yield "tensor_split", lambda x: (*torch.tensor_split(x, 3, 1), *torch.tensor_split(x, (1, 5), -1)), (row,)
    yield "broadcast_tensors", lambda x, y: torch.broadcast_tensors(x, y), (row, numbers(8))
    yield "threshold", lambda x: F.threshold(x, 0.5, -2), (row,)
    yield "rrelu", lambda x: F.rrelu(x, 0.1, 0.5), (row,)
    yield "softplus", lambda x: (F.softplus(x, 3, 1.5), F.softplus(x * 9, 2, 14), F.softplus(x * 9)), (row,)
    yield "frac", lambda x: torch.frac(x), (row,)
    yield "avg_pool.larger", lambda x: F.avg_pool2d(x[:, :, :1, :2], (3, 2), 4, ceil_mode=True), (image,)
    yield "max_pool.larger", lambda x: F.max_pool2d(x[:, :, :3, :4], 4, 2, ceil_mode=True), (image,)
    yield "zero_", zero_part, (row,)


def zero_part(x):
    y = x * 2
    y.transpose_(0, 1)
    y[1:3].zero_()
    return y


FAMILIES = {f.__name__: f for f in (compare, logic, choose, arithmetic, math, reduce, index, move, scan,
                                    beyond, composed, rewritten, resize, layers, products, types, halves, doubles, create)}
NOT_IN_STOCK = {"beyond", "composed", "rewritten"}


class Model(torch.nn.Module):
    """All cases of a family; equal inputs are one."""

    def __init__(self, cases):
        super().__init__()
        self.inputs, self.calls = [], []
        for label, function, inputs in cases:
            self.calls.append((label, function, [self.place(x) for x in inputs]))

    def place(self, tensor):
        for i, other in enumerate(self.inputs):
            same = other.shape == tensor.shape and other.dtype == tensor.dtype
            if same and other.numpy().tobytes() == tensor.numpy().tobytes():
                return i
        self.inputs.append(tensor)
        return len(self.inputs) - 1

    def forward(self, *inputs):
        results = []
        for _, function, places in self.calls:
            result = function(*[inputs[i] for i in places])
            results.extend(result if isinstance(result, (tuple, list)) else [result])
        return tuple(results)

    def labels(self):
        for label, function, places in self.calls:
            result = function(*[self.inputs[i] for i in places])
            count = len(result) if isinstance(result, (tuple, list)) else 1
            yield from (f"{label}/{k}" if count > 1 else label for k in range(count))


def write_stock(program, path):
    """The program that ExecuTorch's own exporter makes of it."""
    from executorch.exir import EdgeCompileConfig, to_edge

    edge = to_edge(program, compile_config=EdgeCompileConfig(_check_ir_validity=False))
    with open(path, "wb") as file:
        file.write(edge.to_executorch().buffer)


def record(folder, name, cases):
    model = Model(cases).eval()
    inputs = tuple(model.inputs)
    with torch.no_grad():
        outputs = model(*inputs)
    program = torch.export.export(model, inputs)
    path = os.path.join(folder, name)
    torch.export.save(program, path + ".pt2")
    arrays = {f"input_{i}": x.numpy() for i, x in enumerate(inputs)}
    arrays.update({f"output_{i}": x.numpy() for i, x in enumerate(outputs)})
    np.savez_compressed(path + ".npz", **arrays)
    with open(path + ".txt", "w", encoding="utf-8") as file:
        file.writelines(label + "\n" for label in model.labels())
    if name.split(".")[0] not in NOT_IN_STOCK:
        write_stock(program, path + ".pte")


def main(words):
    each = words[0] == "--each"
    folder, *names = words[1:] if each else words
    os.makedirs(folder, exist_ok=True)
    for name in names or FAMILIES:
        cases = list(FAMILIES[name]())
        if not each:
            record(folder, name, cases)
            print(f"{name}: {len(cases)} cases")
            continue
        for case in cases:
            try:
                record(folder, f"{name}.{case[0]}", [case])
            except Exception as error:  # noqa: BLE001
                print(f"{name}.{case[0]}: {type(error).__name__}: {str(error)[:200]}")


if __name__ == "__main__":
    main(sys.argv[1:])
