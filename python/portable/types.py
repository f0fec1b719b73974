# SPDX-License-Identifier: Apache-2.0
"""Cases of operators with elements of other types than the usual ones, and of making tensors."""

import torch
from torch.nn import functional as F

from .tensors import ALL, INTEGERS, name_of, numbers, small

aten = torch.ops.aten


def types():
    """Operators that mostly meet floats, with elements of other types, and parts of several types."""
    for dtype in INTEGERS:
        kind, x = name_of(dtype), numbers(1, 4, 5, 6, dtype=dtype)
        yield f"conv2d.{kind}", lambda x, w, b: F.conv2d(x, w, b, stride=2, padding=1, groups=2), (
            x,
            numbers(6, 2, 3, 2, dtype=dtype),
            numbers(6, dtype=dtype),
        )
        yield f"conv2d.plain_{kind}", lambda x, w: aten.convolution(
            x, w, None, [1, 2], [0, 1], [1, 1], False, [0, 0], 1
        ), (x, numbers(3, 4, 2, 3, dtype=dtype))
        yield f"max_pool.{kind}", lambda x: F.max_pool2d(x, 3, 2, 1, return_indices=True), (
            x[:, :2, :, :4].contiguous(),
        )
        yield f"linear.{kind}", F.linear, (
            numbers(2, 3, 9, dtype=dtype),
            numbers(5, 9, dtype=dtype),
            numbers(5, dtype=dtype),
        )
        yield f"addmm.{kind}", lambda c, a, b: torch.addmm(c, a, b, beta=2, alpha=3), (
            numbers(5, dtype=dtype),
            numbers(3, 4, dtype=dtype),
            numbers(4, 5, dtype=dtype),
        )
    x, whole = numbers(4, 5, 3), numbers(4, 5, 3, dtype=torch.int32)
    yield "conv_transpose2d.int64", lambda x, w: aten.convolution(
        x, w, None, [2, 1], [1, 0], [1, 1], True, [1, 0], 2
    ), (numbers(1, 4, 3, 4, dtype=torch.int64), numbers(4, 3, 3, 2, dtype=torch.int64))
    yield "conv1d.int32", lambda x, w, b: F.conv1d(x, w, b, padding=2), (
        numbers(2, 3, 7, dtype=torch.int32),
        numbers(4, 3, 3, dtype=torch.int32),
        numbers(4, dtype=torch.int32),
    )
    yield "conv.batchless", lambda x, w, b: F.conv2d(x, w, b), (small(3, 5, 6), small(4, 3, 2, 3), small(4))
    yield "conv1d.batchless", lambda x, w: F.conv1d(x, w, stride=2), (small(3, 7), small(4, 3, 3))
    yield "conv_transpose.batchless", lambda x, w: F.conv_transpose2d(x, w, stride=2), (
        small(3, 4, 5),
        small(3, 2, 2, 3),
    )
    yield "avg_pool.int64", lambda x: F.avg_pool2d(x, 3, 2, 1), (
        numbers(1, 2, 5, 7, dtype=torch.int64, low=-99, high=99),
    )
    yield "avg_pool.divisor", lambda x: F.avg_pool2d(x, 2, divisor_override=3), (
        numbers(1, 2, 5, 7, dtype=torch.int64, low=-99, high=99),
    )
    image = numbers(1, 2, 4, 6, dtype=torch.uint8, high=255)
    yield "bilinear.uint8", lambda x: F.interpolate(x, (4, 9), mode="bilinear", align_corners=True), (image,)
    for first, second in ((torch.float32, torch.int32), (torch.int8, torch.int64), (torch.bool, torch.uint8)):
        kind, a, b = (
            f"{name_of(first)}_{name_of(second)}",
            numbers(2, 3, dtype=first),
            numbers(2, 3, dtype=second, seed=1),
        )
        yield f"cat.{kind}", lambda a, b: torch.cat((a, b), 1), (a, b)
        yield f"stack.{kind}", lambda a, b: torch.stack((b, a), 1), (a, b)
        if torch.promote_types(first, second) == first:  # ExecuTorch's exporter makes others of the promoted type
            yield f"select_scatter.{kind}", lambda a, b: torch.select_scatter(a, b, 0, 1), (a, b[0].clone())
        yield f"slice_scatter.{kind}", lambda a, b: torch.slice_scatter(a, b, 1, 0, 3, 2), (a, b[:, :2].contiguous())
    mask, rows, columns = (
        numbers(4, 5, 3, dtype=torch.bool),
        torch.tensor([True, False, True, True]),
        numbers(5, dtype=torch.bool),
    )
    for dtype in ALL:
        kind, y = name_of(dtype), numbers(4, 5, 3, dtype=dtype)
        yield f"mask.{kind}", lambda y, m, v: aten.index_put(y, [m], v), (y, mask, numbers(1, dtype=dtype, seed=9))
    yield "mask.rows", lambda x, m, v: aten.index_put(x, [m], v), (x, rows, numbers(3, 5, 3, seed=1))
    yield "mask.columns", lambda x, m, v: aten.index_put(x, [None, m], v), (x, columns, numbers(1, 3, seed=1))
    yield "mask.matrix", lambda x, m, v: aten.index_put(x, [None, m], v, True), (x, mask[0].clone(), torch.tensor(2.5))
    yield "mask.and_index", lambda x, m, i, v: aten.index_put(x, [m, i], v), (
        x,
        rows,
        torch.tensor([4, 0, 2]),
        numbers(3, 3),
    )
    yield "mask.apart", lambda x, m, i, v: aten.index_put(x, [m, None, i], v), (
        x,
        rows,
        torch.tensor([1]),
        numbers(3, 5),
    )
    yield "mask.nothing", lambda x, m, v: aten.index_put(x, [m], v), (
        x,
        torch.zeros(4, dtype=torch.bool),
        torch.tensor(1.0),
    )
    for op in ("eq", "ne", "lt", "le", "gt", "ge", "remainder", "fmod"):
        yield f"{op}.uint8_negative", lambda x, f=getattr(torch, op): f(x, -3), (
            torch.tensor([0, 3, 252, 253, 254], dtype=torch.uint8),
        )
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
    """float16, and bfloat16 converted from float and back, because numpy has no bfloat16."""
    half, brain = torch.float16, torch.bfloat16
    odd = torch.tensor(
        [
            0.0,
            -0.0,
            1.0009765,
            65519.0,
            65520.0,
            6e-8,
            3e-8,
            2.98e-8,
            6.1e-5,
            float("inf"),
            float("nan"),
            -2049.0,
            2051.0,
        ]
    )
    x, y = numbers(3, 4).to(half), numbers(4, seed=1).to(half)
    yield "to", lambda x: (x.to(half), x.to(half).to(torch.float32), x.to(brain).to(torch.float32)), (odd,)
    yield "from_int", lambda x: (x.to(half), x.to(brain).to(torch.float32)), (
        torch.tensor([2049, 2051, -4099, 65503, 70000, 257, -259]),
    )
    yield "to_int", lambda x: (x.to(torch.int32), x.to(torch.bool)), (x,)
    for op in ("add", "sub", "mul", "div", "maximum", "minimum", "eq", "lt"):
        yield op, getattr(torch, op), (x, y)
    for op in ("relu", "neg", "abs", "floor", "round", "sqrt", "reciprocal"):
        yield op, getattr(torch, op), (x,)
    yield "promoted", torch.add, (x, numbers(4))
    yield "add.brain", lambda x, y: (x.to(brain) + y.to(brain)).to(torch.float32), (x, y)
    yield "sum", lambda x: (torch.sum(x, 1), torch.amax(x, 0), torch.argmax(x, 1)), (
        numbers(3, 4, low=-8, high=8).round().to(half),
    )
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
    odd = torch.tensor(
        [0.0, -0.0, 1e300, -1e-300, float("inf"), -float("inf"), float("nan"), 2.0**53 - 1, 0.1, 1e40, -2.5], dtype=wide
    )
    yield "to", lambda x: (
        x.to(torch.float32),
        x.to(torch.float16),
        x.to(torch.int64),
        x.to(torch.uint8),
        x.to(torch.bool),
    ), (x,)
    yield "to.odd", lambda x: (x.to(torch.float32), x.to(torch.bool)), (odd,)
    yield "from", lambda a, b, c, d: (a.to(wide), b.to(wide), c.to(wide), d.to(wide)), (
        torch.tensor([2**53 + 1, 2**63 - 1, -(2**63)]),
        third,
        numbers(3, dtype=torch.bool),
        numbers(3).to(torch.float16),
    )
    yield "arithmetic", lambda x, y: (
        x + y,
        torch.add(x, y, alpha=0.1),
        x * 0.125,
        x / y,
        x % y,
        torch.fmod(x, 0.3),
        torch.floor_divide(x, y),
    ), (x, y)
    yield "powers", lambda x: (x**3, x**0.5, torch.pow(x, -x), torch.atan2(x, -x)), (x.abs(),)
    yield "mixed", lambda x, a, b: (x + a, x * b, torch.maximum(x, a), torch.where(x > 0, x, a)), (
        x[0].clone(),
        numbers(4),
        numbers(4, dtype=torch.int64),
    )
    yield "number_beside_floats", lambda a, b: (a == b, a < b, a + b, a // b), (third, torch.tensor(1 / 3, dtype=wide))
    yield "compare", lambda x, y: (x < y, x == x, x != 0.1, x >= y, torch.isnan(x), torch.logical_and(x, y)), (
        odd,
        odd.flip(0),
    )
    yield "choose", lambda x: (x.clamp(-0.1, 1.7), F.relu(x), F.hardtanh(x), x.masked_fill(x > 1, 0.1)), (x,)
    yield "math", lambda x: (
        x.exp(),
        x.expm1(),
        x.erf(),
        x.sin(),
        x.cos(),
        x.tan(),
        x.sinh(),
        x.cosh(),
        x.atan(),
        x.asinh(),
    ), (x,)
    yield "math.positive", lambda x: (
        x.log(),
        x.log1p(),
        x.log2(),
        x.log10(),
        x.sqrt(),
        x.rsqrt(),
        x.reciprocal(),
        x.acosh(),
    ), (numbers(7, dtype=wide, low=1, high=9),)
    yield "math.unit", lambda x: (x.asin(), x.acos(), x.atanh(), torch.logit(x.abs() + 0.0625)), (
        numbers(7, dtype=wide, low=-0.9, high=0.9),
    )
    yield "activation", lambda x: (
        x.sigmoid(),
        x.tanh(),
        F.gelu(x),
        F.gelu(x, approximate="tanh"),
        F.elu(x),
        F.leaky_relu(x),
        F.silu(x),
    ), (x,)
    yield "rounding", lambda x: (x.round(), x.floor(), x.ceil(), x.trunc(), x.abs(), -x, x.sign()), (x,)
    yield "softmax", lambda x: (F.softmax(x, 1), F.log_softmax(x, 0)), (x,)
    yield "reduce", lambda x: (x.sum(1), x.mean(0), x.prod(1), x.var(1), x.amax(0), x.argmin(1), *x.max(1), x.any(0)), (
        x,
    )
    yield "reduce.to", lambda x: (
        torch.sum(x, 0, dtype=wide),
        torch.mean(x, 0, dtype=wide),
        torch.cumsum(x, 0, dtype=wide),
    ), (third,)
    yield "scan", lambda x: (torch.cumsum(x, 1), *torch.topk(x, 2)), (x,)
    yield "products", lambda a, b, v: (
        a @ b,
        torch.addmm(v, a, b, beta=0.1, alpha=0.3),
        F.linear(a, b.t().contiguous(), v),
    ), (x, numbers(4, 5, dtype=wide), numbers(5, dtype=wide))
    yield "bmm", torch.bmm, (numbers(2, 3, 4, dtype=wide), numbers(2, 4, 5, dtype=wide))
    image = numbers(1, 4, 5, 6, dtype=wide)
    yield "conv2d", lambda x, w, b: F.conv2d(x, w, b, stride=2, padding=1, groups=2), (
        image,
        numbers(6, 2, 3, 2, dtype=wide),
        numbers(6, dtype=wide),
    )
    yield "conv_transpose2d", lambda x, w: F.conv_transpose2d(x, w, stride=2), (image, numbers(4, 3, 2, 2, dtype=wide))
    yield "pools", lambda x: (
        *F.max_pool2d(x, 2, return_indices=True),
        F.avg_pool2d(x, 3, 2, 1),
        F.adaptive_avg_pool2d(x, (3, 2)),
    ), (image,)
    four = numbers(4, dtype=wide, low=0.5, high=2)
    yield "norms", lambda x, v: (F.batch_norm(x, v, v, v, v), F.group_norm(x, 2, v, v), F.layer_norm(x, (6,))), (
        image,
        four,
    )
    yield "resize", lambda x: (
        F.interpolate(x, scale_factor=2),
        F.interpolate(x, (7, 3), mode="bilinear"),
        F.interpolate(x, (2, 3), mode="bilinear", antialias=True),
    ), (image,)
    yield "grid", lambda x, g: (
        F.grid_sample(x, g, align_corners=False),
        F.grid_sample(x, g, mode="bicubic", align_corners=True),
    ), (image, numbers(1, 2, 3, 2, dtype=wide, low=-1.2, high=1.2))
    yield "distance", lambda a, b: (torch.cdist(a, b, 1.5), F.pdist(a)), (x, numbers(5, 4, dtype=wide))
    yield "join", lambda x, a: (
        torch.cat((x, a), 0),
        torch.stack((a, x), 1),
        F.pad(x, (1, 2), value=0.1),
        aten.glu(x, 1),
    ), (x, numbers(3, 4))
    yield "index", lambda x, i, s: (
        x[i],
        x[:, i],
        aten.index_put(x, [i], s, True),
        torch.scatter(x, 0, i[None], s),
        torch.scatter_add(x, 0, i[None], s),
    ), (x, torch.tensor([2, 0]), numbers(2, 4, dtype=wide))
    yield "create", lambda x: (
        torch.full_like(x, 0.1),
        torch.zeros_like(x),
        torch.arange(0, 1, 0.1, dtype=wide),
        torch.full((2,), 1e300, dtype=wide),
    ), (x,)


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
    edges = [
        2**24 + 1,
        2**25 + 3,
        2**31,
        2**31 + 129,
        2**32 - 1,
        2**33 + 513,
        2**40 + 2**16 + 1,
        2**62 + 2**38,
        2**63 - 1,
    ]
    yield "to.rounded", lambda x: x.to(torch.float32), (torch.tensor([*edges, *(-e for e in edges), -(2**63)]),)
    yield "to.whole", lambda x: x.to(torch.int64), (
        torch.tensor([0.99, -0.99, 1.0, 8388609.5, -(2.0**31), 3.0e9, -(2.0**62)]),
    )
    yield "to.large", lambda x: x.to(torch.int64), (torch.tensor([1e9, -2.5, 2.9, 4e18]),)
