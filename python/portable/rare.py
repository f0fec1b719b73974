# SPDX-License-Identifier: Apache-2.0
"""Changes through views of a tensor, and layers that few models have."""

import torch
from torch.nn import functional as F

from .tensors import numbers, small


def views():
    """Each case changes a tensor under other names, and returns it and some of the names."""
    image = numbers(2, 4, 3, 5)
    for case in (
        through_chunk,
        through_split,
        through_unbind,
        through_reshape,
        through_turned,
        through_steps,
        through_copies,
        twice,
        one_into_another,
        filled,
    ):
        yield case.__name__, case, (image,)


def through_chunk(x):
    y = x * 2
    left, right = y.chunk(2, 1)
    left.relu_()
    return y, right, left


def through_split(x):
    y = x + 1
    first, second = y.split((1, 3), 1)
    second.mul_(3)
    y.tensor_split(2, -1)[1].neg_()
    return y, first, second


def through_unbind(x):
    y = x * 2
    parts = y.unbind(1)
    parts[0].add_(parts[3])
    parts[2].clamp_(min=0)
    return y, parts[2]


def through_reshape(x):
    y = x * 2
    flat = y.reshape(2, -1)
    flat[1, 7:20] = 0.5
    y.flatten(2)[:, :, 3].zero_()
    y.unflatten(1, (2, 2))[:, 1].neg_()
    return y, flat


def through_turned(x):
    y = x * 2
    last = y.movedim(1, -1)
    last[..., 1] = 4
    y.swapaxes(2, 3)[:, :, 2].sigmoid_()
    y.permute(0, 2, 3, 1).narrow(3, 2, 2).mul_(-1)
    return y, last


def through_steps(x):
    y = x * 2
    y[:, ::2, 1:].neg_()
    z = y.view(2, 2, 2, 3, 5).transpose(1, 2)
    z[:, 0] += 1
    return y, z


def through_copies(x):
    y = x * 2
    turned = y.permute(0, 2, 3, 1)
    copy = turned.reshape(2, -1)
    copy[0] = 7
    same = y.contiguous().to(torch.float32)
    same[0, 0] = 1
    other = turned.contiguous()
    other[1] = 3
    return y, copy, other


def twice(x):
    y = x * 2
    row = y[:, 0]
    row.add_(1)
    row.mul_(2)
    y.relu_()
    return y, row


def one_into_another(x):
    y = x * 2
    y[:, 1] = y[:, 0]
    y[..., 1:-1, 1:-1] = x[..., 1:-1, 1:-1]
    return y


def filled(x):
    y = torch.zeros(2, 6, 3, 5)
    y[:, :4] = x
    y[:, 4:] = torch.relu(x[:, :2])
    return y


def rare():
    image, line = numbers(2, 3, 6, 8), numbers(2, 3, 7)
    exact = {"mode": "nearest-exact"}
    yield "nearest_exact", lambda x: (F.interpolate(x, scale_factor=2, **exact), F.interpolate(x, (9, 5), **exact)), (
        image,
    )
    yield "nearest_exact.factors", lambda x: F.interpolate(x, scale_factor=(2.5, 1.3), **exact), (image,)
    yield "nearest_exact.line", lambda x: (F.interpolate(x, scale_factor=3, **exact), F.interpolate(x, 5, **exact)), (
        line,
    )
    # Half of a pixel further than where nearest enlargement rounds the wrong way.
    yield "nearest_exact.49", lambda x: F.interpolate(x, scale_factor=(49, 1), **exact), (numbers(1, 1, 2, 1),)
    for options in (
        {"kernel_size": 3},
        {"kernel_size": (2, 3), "padding": (1, 2), "stride": 2},
        {"kernel_size": 2, "dilation": (2, 3), "padding": 1, "stride": (1, 2)},
    ):
        columns = numbers(*F.unfold(image, **options).shape)
        yield "unfold", lambda x, o=options: (F.unfold(x, **o), F.unfold(x[0], **o)), (image,)
        yield "fold", lambda x, o=options: (F.fold(x, (6, 8), **o), F.fold(x[0], (6, 8), **o)), (columns,)
    yield "fold.tiles", lambda x: F.fold(x, (6, 8), 2, stride=2), (numbers(2, 12, 12),)
    yield from bags()
    yield from products()
    yield from classes()
    yield from volumes()
    yield from indices()
    yield from grouped_heads()
    rows = numbers(2, 3, 6)
    odd = numbers(3, 5)
    odd[1, 2] = float("nan")
    yield "kthvalue", lambda x: (*torch.kthvalue(x, 2, 1), *torch.kthvalue(x, 6, -1, keepdim=True)), (rows,)
    yield "median", lambda x: (torch.median(x), torch.median(x, 1)[0], torch.median(x, 0, keepdim=True)[0]), (rows,)
    yield "median.nan", lambda x: (torch.median(x), torch.median(x, 1)[0], torch.kthvalue(x, 4, 1)[0]), (odd,)
    yield "median.int32", lambda x: (torch.median(x), torch.median(x, 1)[0]), (numbers(3, 6, dtype=torch.int32),)
    yield "index_fill", lambda x, i: (x.index_fill(1, i, -2), x.index_fill(-1, i, 0.5)), (rows, torch.tensor([2, 0]))
    yield "cummax", lambda x: (torch.cummax(x, 1)[0], torch.cummin(x, -1)[0]), (rows,)
    yield "cummax.nan", lambda x: (torch.cummax(x, 1)[0], torch.cummin(x, 0)[0]), (odd,)


def bags():
    table, places = numbers(10, 4), numbers(3, 5, dtype=torch.int64, low=0, high=9)
    row = places.flatten()[:8]
    starts, bounds = torch.tensor([0, 3, 3, 7]), torch.tensor([0, 5, 8], dtype=torch.int64)
    for mode in ("sum", "mean", "max"):
        yield f"bag.{mode}", lambda i, t, m=mode: F.embedding_bag(i, t, mode=m), (places, table)
        yield f"bag.{mode}.starts", lambda i, t, m=mode: F.embedding_bag(i, t, starts, mode=m), (row, table)
    yield "bag.bounds", lambda i, t: F.embedding_bag(i, t, bounds, mode="sum", include_last_offset=True), (row, table)
    rows = numbers(10, 4, seed=1)
    yield "bag.padding", lambda i: F.embedding_bag(i, rows, mode="sum", padding_idx=3), (places,)
    yield "bag.factors", lambda i, t, f: F.embedding_bag(i, t, starts, mode="sum", per_sample_weights=f), (
        row,
        table,
        numbers(8),
    )


def classes():
    numbers_of_classes = torch.tensor([[0, 3], [4, 1], [2, 2]])
    yield "one_hot", lambda i: F.one_hot(i, 6), (numbers_of_classes,)
    yield "one_hot.float", lambda i: F.one_hot(i, 5).float() * 2, (numbers_of_classes,)
    yield "one_hot.single", lambda i: F.one_hot(i, 5), (torch.tensor(3),)


def volumes():
    volume = numbers(2, 5, 6, 7)
    yield "conv3d.single", lambda x, w: F.conv3d(x, w, padding=1), (small(2, 5, 6, 7), small(3, 2, 3, 3, 3))
    yield "max_pool3d.single", lambda x: F.max_pool3d(x, 2), (volume,)
    yield "avg_pool3d.single", lambda x: F.avg_pool3d(x, (2, 3, 2), padding=(1, 1, 0)), (volume,)


def indices():
    image = numbers(2, 3, 6, 8)
    yield "adaptive_max.indices", lambda x: F.adaptive_max_pool2d(x, (2, 4), return_indices=True), (image,)
    yield "adaptive_max.line", lambda x: F.adaptive_max_pool1d(x, 4, return_indices=True), (image[0],)


def grouped_heads():
    query, key, value = numbers(2, 6, 5, 4), numbers(2, 2, 7, 4, seed=1), numbers(2, 2, 7, 3, seed=2)
    scaled, mask = F.scaled_dot_product_attention, numbers(5, 7, seed=3)
    yield "attention.grouped", lambda q, k, v: scaled(q, k, v, enable_gqa=True), (query, key, value)
    yield "attention.grouped.causal", lambda q, k, v: scaled(q, k, v, is_causal=True, enable_gqa=True), (
        query,
        key,
        value,
    )
    yield "attention.grouped.mask", lambda q, k, v, m: scaled(q, k, v, m, enable_gqa=True), (query, key, value, mask)


def products():
    weight, bias = numbers(3, 4, 5), numbers(3)
    yield "bilinear", lambda a, b: F.bilinear(a, b, weight, bias), (numbers(2, 3, 4), numbers(2, 3, 5))
    yield "bilinear.vectors", lambda a, b: F.bilinear(a, b, weight), (numbers(4), numbers(5))
    sizes = ((24, 4), (24, 2), (24,), (24,), (2, 6))
    params = [numbers(*size, low=-1, high=1, seed=i) for i, size in enumerate(sizes * 2)]
    cells = (numbers(2, 2, 2), numbers(2, 2, 6))
    yield "lstm.projected", lambda x, h, c: torch.lstm(x, [h, c], params, True, 1, 0.0, False, True, True), (
        numbers(2, 5, 4),
        *cells,
    )
    plain = [p for i, p in enumerate(params[:5]) if i not in (2, 3)]
    yield "lstm.projected.plain", lambda x, h, c: torch.lstm(
        x, [h[:1], c[:1]], plain, False, 1, 0.0, False, False, True
    ), (numbers(2, 5, 4), *cells)
