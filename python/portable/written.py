# SPDX-License-Identifier: Apache-2.0
"""Rows that masks exclude, what is written to places, and functions that look at signs and tolerances."""

import torch
from torch.nn import functional as F

from .tensors import numbers, small

INFINITY, NAN = float("inf"), float("nan")


def excluded(query, key, value, bools, floats):
    """Attention gives 0 for a row that a mask excludes, where a softmax gives NaN."""
    scaled, constant = F.scaled_dot_product_attention, torch.ones(5, 7, dtype=torch.bool).tril()
    none = torch.zeros(5, 7).masked_fill(torch.tensor([[0], [1], [0], [0], [1]]) > 0, -INFINITY)
    scores = query @ key.mT
    masked = scores.masked_fill(~bools, -INFINITY)
    return (
        scaled(query, key, value, bools),
        scaled(query, key, value, floats),
        scaled(query, key, value, constant),
        scaled(query, key, value, constant & (none == 0)),
        scaled(query, key, value, none),
        scaled(query, key, value, none[:, :1]),
        scaled(query, key, value, bools[:1]),
        torch.ops.aten._safe_softmax(masked, -1),
        torch.ops.aten._safe_softmax(masked, 1),
        torch.softmax(masked, -1),
        torch.nan_to_num(torch.softmax(masked, -1)),
    )


def masked():
    query, key, value = numbers(2, 3, 5, 4), numbers(2, 3, 7, 4, seed=1), numbers(2, 3, 7, 6, seed=2)
    bools = numbers(5, 7, dtype=torch.bool)
    bools[0], bools[3] = True, False
    floats = numbers(5, 7, seed=3).masked_fill(~bools, -INFINITY)
    yield "excluded", excluded, (query, key, value, bools, floats)
    torch.backends.mha.set_fastpath_enabled(False)  # it gives NaN; torch.export leaves it out
    layer = torch.nn.MultiheadAttention(4, 2, batch_first=True).eval().requires_grad_(False)
    with torch.no_grad():
        for i, parameter in enumerate(layer.parameters()):
            parameter.copy_(small(*parameter.shape, seed=i))
    padding = torch.tensor([[True] * 5, [False] * 3 + [True] * 2])
    yield "excluded.layer", lambda x, p: layer(x, x, x, key_padding_mask=p, need_weights=False)[0], (
        query[:, 0],
        padding,
    )


def signs(a, odd):
    return (
        torch.signbit(a),
        torch.signbit(odd[:, :4]),
        torch.signbit(a.to(torch.int32)),
        torch.copysign(a, odd[0, :4]),
        torch.copysign(odd, torch.tensor(-0.0)),
        torch.copysign(odd, 2),
        torch.copysign(a, -0.0),
        a.clone().copysign_(a.flip(0)),
    )


def tolerances(a, odd):
    close, same = torch.isclose, odd.flip(1)
    return (
        close(a, a + 1e-6),
        close(a, a * 1.001, rtol=1e-3, atol=0.0),
        close(a, a[:, :1], rtol=0.0, atol=2.0),
        close(odd, odd),
        close(odd, odd, equal_nan=True),
        close(odd, same, equal_nan=True),
        close(odd, odd[:, :1], rtol=INFINITY),
    )


def reductions(a, source, index, row):
    """By an index of fewer rows and columns than the tensors have."""
    reduce = torch.scatter_reduce
    return (
        *[reduce(a, d, index, source, r) for r in ("amax", "amin", "prod", "sum", "mean") for d in (0, -1)],
        *[reduce(a, 1, index, source, r, include_self=False) for r in ("amax", "amin", "prod", "sum", "mean")],
        torch.scatter(a, 1, index, source, reduce="add"),
        torch.scatter(a, 0, index, source, reduce="multiply"),
        torch.scatter(a, 1, index, 1.5, reduce="add"),
        a.clone().scatter_(1, index, -2.0, reduce="multiply"),
        a.clone().scatter_(0, index, source, reduce="add"),
        *[torch.index_reduce(a, 1, row, source[:3], r) for r in ("amax", "amin", "prod", "mean")],
        *[torch.index_reduce(a, 1, row, source[:3], r, include_self=False) for r in ("amax", "prod", "mean")],
        a[0].index_reduce(0, row, source[0], "amin"),
        a.to(torch.int64).scatter_reduce(0, index, source.to(torch.int64), "amax"),
    )


def places(a, image, index):
    scatter = torch.diagonal_scatter
    return (
        torch.put(a, index, image[0, 0, 0, :4].view(2, 2)),
        torch.put(a, index, image[0, 0, 0, :4].view(2, 2), accumulate=True),
        a.clone().put_(index[0], image[0, 0, 0, :2]),
        scatter(a, a[0, :3]),
        scatter(a, a[1, :2], -1),
        scatter(a, a[1, :1], 3),
        scatter(image, image[..., 1, :4], 1, 3, 2),
        torch.combinations(a[0]),
        torch.combinations(a[0], 3),
        torch.combinations(a[0], 2, True),
        torch.combinations(a[0] > 0, 1),
        torch.vander(a[0]),
        torch.vander(a[0], 3, True),
        torch.vander(a[0], 1),
        torch.linalg.vander(a),
        torch.linalg.vander(a, N=2),
    )


def written():
    a, image = numbers(3, 4), numbers(2, 3, 5, 6)
    odd = torch.tensor([[0.0, -0.0, INFINITY, -INFINITY, 1.0], [NAN, -1.0, INFINITY, 0.0, 1.00001]])
    source, index = numbers(4, 3, seed=4), torch.tensor([[0, 2, 0], [1, 1, 2]])
    yield "signs", signs, (a, odd)
    yield "tolerances", tolerances, (a, odd)
    yield "reductions", reductions, (a, source, index, torch.tensor([2, 0, 2]))
    odd_source = torch.tensor([[NAN, 1.0, INFINITY], [-INFINITY, 2.0, -1.0]])
    yield "reductions.nan", lambda a, s, i: tuple(
        torch.scatter_reduce(a, 0, i, s, r, include_self=b) for r in ("amax", "amin", "prod") for b in (True, False)
    ), (a, odd_source, index)
    yield "places", places, (a, image, torch.tensor([[0, -1], [7, 3]]))
    yield "sequences", lambda x, w, b: (torch.conv_tbc(x, w, b, 1), torch.conv_tbc(x, w, b)), (
        small(6, 2, 3),
        small(3, 3, 4),
        small(4),
    )
    volume = numbers(2, 3, 4, 6, 5)
    yield "volumes", lambda x: (
        F.adaptive_max_pool3d(x, (2, 3, 5)),
        F.adaptive_max_pool3d(x, (3, 4, 2)),
        F.adaptive_max_pool3d(x[0], 1),
    ), (volume,)
    pooled, where = F.max_pool3d(volume[..., :4], 2, return_indices=True)
    yield "unpool", lambda x, i: F.max_unpool3d(x, i, 2), (pooled, where)
    weight = numbers(6, 4, seed=7)

    def look_up(i):
        return F.embedding(i, weight.clone(), max_norm=1.5), F.embedding(i[0], weight.clone(), None, 2.0, 1.0)

    yield "limited", look_up, (torch.tensor([[0, 3], [3, 5]]),)
