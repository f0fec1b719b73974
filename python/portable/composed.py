# SPDX-License-Identifier: Apache-2.0
"""Cases that the compiler expresses with other operators, or that ExecuTorch's exporter leaves without a kernel."""

import torch
from torch.nn import functional as F

from .tensors import INTEGERS, name_of, numbers, small

aten = torch.ops.aten


def beyond():
    """What ExecuTorch's exporter leaves without a kernel."""
    yield "shifts", lambda a: (a << 2, a >> 1), (numbers(4, dtype=torch.int32),)
    for dtype in (torch.float32, *INTEGERS):
        kind, x = name_of(dtype), torch.stack(
            [torch.randperm(7, generator=torch.Generator().manual_seed(i)) for i in range(4)]
        ).to(dtype)
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
        yield f"diff.ends_{kind}", lambda x, y: torch.diff(x, dim=1, prepend=y, append=x), (
            x,
            numbers(2, 1, 4, dtype=dtype),
        )
    yield "diff.bool", lambda x: torch.diff(x, dim=0), (numbers(5, 2, dtype=torch.bool),)
    places = torch.tensor([2, 0, 2])
    yield "index_add", lambda a, i, b: torch.index_add(a, 1, i, b, alpha=0.5), (a, places, b)
    yield "index_add.int64", lambda a, i, b: torch.index_add(a, -1, i, b), (
        *whole[:1],
        places,
        numbers(2, 3, dtype=torch.int64, seed=2),
    )
    spread = torch.randint(0, 3, (2, 3, 4), generator=torch.Generator().manual_seed(0))
    for reduce in ("sum", "mean"):
        for own in (False, True):
            yield f"scatter_reduce.{reduce}_{own}", lambda a, i, b, r=reduce, o=own: a.scatter_reduce(
                1, i, b, r, include_self=o
            ), (a, spread, b)
    yield "linspace", lambda x: (
        x + torch.linspace(0, 1, 7),
        x * torch.linspace(3, -2, 7),
        x + torch.linspace(2, 5, 1),
    ), (numbers(7),)
    yield "linspace.int64", lambda x: x + torch.linspace(-3, 9, 7, dtype=torch.int64), (numbers(7, dtype=torch.int64),)
    for indexing in ("ij", "xy"):
        yield f"meshgrid.{indexing}", lambda a, b, c, i=indexing: torch.meshgrid(a, b, c, indexing=i), (
            numbers(2),
            numbers(3),
            numbers(4),
        )
    yield "meshgrid.one", lambda a, s: (*torch.meshgrid(a, indexing="xy"), *torch.meshgrid(a, s, indexing="ij")), (
        numbers(3),
        torch.tensor(2.0),
    )
    m, n, v = small(3, 4), small(4, 5), small(4)
    for equation, tensors in (
        ("ij,jk->ik", (m, n)),
        ("ij,jk->ki", (m, n)),
        ("ij,jk", (m, n)),
        ("ij,kj->ik", (m, small(2, 4))),
        ("i,i->", (v, v)),
        ("i,i->i", (v, v)),
        ("i,j->ij", (v, small(3))),
        ("ij->ji", (m,)),
        ("ij->", (m,)),
        ("ij->j", (m,)),
        ("ba", (m,)),
        ("bhid,bhjd->bhij", (small(2, 2, 3, 4), small(2, 2, 5, 4))),
        ("bhij,bhjd->bihd", (small(2, 2, 3, 5), small(2, 2, 5, 4))),
        ("bnd,cd,bn->bc", (small(2, 3, 4), small(5, 4), small(2, 3))),
        ("ij,ik,il->jkl", (m, small(3, 2), small(3, 5))),
        ("...ij,...jk->...ik", (small(2, 1, 3, 4), small(5, 4, 2))),
        ("b...c,...c->b...", (small(2, 3, 4), small(3, 4))),
        ("nctv,vw->nctw", (small(1, 2, 3, 4), small(4, 4))),
        ("ijk,il->kl", (small(2, 3, 4), small(2, 5))),
        ("ij,jk", (m, small(1, 5))),
    ):
        yield f"einsum.{equation}", lambda *t, e=equation: torch.einsum(e, *t), tensors
    yield "einsum.weights", lambda x: torch.einsum("oc,bct->bot", torch.arange(6.0).view(2, 3) / 4, x), (
        small(2, 3, 5),
    )
    for change in (set_parts, change_parts, change_turned):
        yield change.__name__, change, (a,)
    for corners in (False, True):
        for size in ({"scale_factor": 2}, {"scale_factor": (1.7, 2.3)}, {"size": (3, 7)}, {"size": (1, 9)}):
            yield f"bicubic.{corners}_{next(iter(size.values()))}", lambda x, s=size, c=corners: F.interpolate(
                x, mode="bicubic", align_corners=c, **s
            ), (
                small(1, 2, 4, 5),
            )
    yield "bicubic.sizes", lambda x: aten.upsample_bicubic2d(x, [6, 3], False), (small(1, 2, 4, 5),)
    yield "to.device", lambda x: (
        x.cpu() + 1,
        aten._to_copy(x, device="cpu"),
        x.to(torch.device("cpu"), torch.int32),
    ), (numbers(3),)
    yield "to.other", lambda x, y: x.to(y), (numbers(3), numbers(2, dtype=torch.int64))


def rewritten():
    """Layers that the compiler expresses with others."""
    image, line, row = numbers(2, 4, 5, 7), numbers(2, 3, 10), numbers(3, 8)
    yield "circular", lambda x: (F.pad(x, (1, 2, 3, 0), "circular"), F.pad(x, (7, 0, 0, 5), "circular")), (image,)
    yield "circular.line", lambda x: F.pad(x, (2, 3), "circular"), (line,)
    yield "adaptive_max", lambda x: (F.adaptive_max_pool2d(x, (2, 3)), F.adaptive_max_pool2d(x, (5, 1))), (image,)
    yield "adaptive_max.line", lambda x: (F.adaptive_max_pool1d(x, 5), F.adaptive_max_pool1d(x, 3)), (line,)
    yield "linear", lambda x: (
        F.interpolate(x, scale_factor=1.5, mode="linear"),
        F.interpolate(x, size=7, mode="linear"),
    ), (line,)
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
