# SPDX-License-Identifier: Apache-2.0
"""Cases of operators that compute each element by itself."""

import torch
from torch.nn import functional as F

from .tensors import ALL, INTEGERS, name_of, numbers, pairs


def compare():
    for op in ("eq", "ne", "lt", "le", "gt", "ge"):
        function = getattr(torch, op)
        for kind, a, b in pairs(ALL):
            yield f"{op}.{kind}", function, (a, b)
        for dtype in ALL:
            number = 2 if dtype != torch.bool else True
            yield f"{op}.{name_of(dtype)}_scalar", lambda x, f=function, n=number: f(x, n), (
                numbers(3, 2, dtype=dtype),
            )
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
        yield f"masked_fill.{name_of(dtype)}", lambda x, m, v=value: x.masked_fill(m, v), (
            numbers(2, 3, dtype=dtype),
            condition,
        )
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
        yield f"clamp_tensor.{name_of(dtype)}", torch.clamp, (
            x,
            numbers(4, dtype=dtype, high=1),
            numbers(3, 1, dtype=dtype, low=2),
        )
    yield "clamp_tensor.min", lambda x, m: torch.clamp(x, min=m), (numbers(3, 4), numbers(4))
    yield "hardtanh.float32", lambda x: F.hardtanh(x, -0.5, 0.75), (numbers(3, 4),)


def arithmetic():
    for op in ("add", "sub", "mul"):
        for kind, a, b in pairs((torch.float32, *INTEGERS)):
            yield f"{op}.{kind}", getattr(torch, op), (a, b)
        for dtype in (torch.float32, *INTEGERS):
            yield f"{op}.{name_of(dtype)}_scalar", lambda x, f=getattr(torch, op): f(x, 2), (
                numbers(3, 2, dtype=dtype),
            )
        yield f"{op}.int32_half", lambda x, f=getattr(torch, op): f(x, 0.5), (numbers(3, 2, dtype=torch.int32),)
    yield "add.bool", torch.add, (numbers(6, dtype=torch.bool), numbers(6, dtype=torch.bool, seed=3))
    yield "mul.bool", torch.mul, (numbers(6, dtype=torch.bool), numbers(6, dtype=torch.bool, seed=3))
    yield "add.alpha", lambda a, b: torch.add(a, b, alpha=2.5), (numbers(2, 3), numbers(3))
    yield "sub.alpha", lambda a, b: torch.sub(a, b, alpha=3), (
        numbers(2, 3, dtype=torch.int32),
        numbers(3, dtype=torch.int32),
    )
    yield "rsub", lambda x: 5 - x, (numbers(2, 3),)
    yield "rsub.int64", lambda x: 5 - x, (numbers(2, 3, dtype=torch.int64),)
    yield "add.zero_dim", torch.add, (numbers(2, 3, dtype=torch.int32), torch.tensor(3, dtype=torch.int64))
    yield "mul.wrap", torch.mul, (torch.tensor([2**40, -(2**62), 3]), torch.tensor([2**30, 3, 2**63 - 1]))
    yield "add.wrap_int8", torch.add, (
        torch.tensor([127, -128, 5], dtype=torch.int8),
        torch.tensor([1, -1, 3], dtype=torch.int8),
    )
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
    for op in (
        "sin",
        "cos",
        "tan",
        "atan",
        "sinh",
        "cosh",
        "tanh",
        "asinh",
        "exp",
        "expm1",
        "erf",
        "sigmoid",
        "neg",
        "abs",
        "sign",
    ):
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
    for op in (
        "gelu",
        "elu",
        "leaky_relu",
        "relu6",
        "silu",
        "hardswish",
        "hardsigmoid",
        "softplus",
        "mish",
        "selu",
        "celu",
        "softsign",
        "logsigmoid",
        "tanhshrink",
        "softshrink",
        "hardshrink",
    ):
        yield op, getattr(F, op), (x,)
    yield "gelu.tanh", lambda x: F.gelu(x, approximate="tanh"), (x,)
    yield "elu.alpha", lambda x: F.elu(x, 0.7), (x,)
    yield "glu", lambda x: F.glu(x, 1), (x,)
    yield "softmax", lambda x: F.softmax(x, 0), (x,)
    yield "log_softmax", lambda x: F.log_softmax(x, 1), (x,)
