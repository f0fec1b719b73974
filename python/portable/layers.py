# SPDX-License-Identifier: Apache-2.0
"""Cases of the layers of networks."""

import torch
from torch.nn import functional as F

from .tensors import INTEGERS, name_of, numbers, small

aten = torch.ops.aten


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
        yield f"antialias.{corners}", lambda x, m=mode: F.interpolate(x, (3, 8), antialias=True, **m), (
            numbers(1, 2, 9, 6),
        )
        for padding in ("zeros", "border", "reflection"):
            for way in ("bilinear", "nearest", "bicubic"):
                yield f"grid.{way}_{padding}_{corners}", lambda x, g, w=way, p=padding, c=corners: F.grid_sample(
                    x, g, mode=w, padding_mode=p, align_corners=c
                ), (x, numbers(1, 3, 4, 2, low=-1.7, high=1.7))


def layers():
    x = small(2, 6, 4, 5)
    six = small(6, seed=1), small(6, seed=2)
    yield "group_norm", lambda x, w, b: F.group_norm(x, 3, w, b), (x, *six)
    yield "native_group_norm", lambda x, w, b: aten.native_group_norm(x, w, b, 2, 6, 20, 2, 1e-5), (x, *six)
    yield "native_group_norm.plain", lambda x: aten.native_group_norm(x, None, None, 2, 6, 20, 3, 1e-5), (x,)
    yield "layer_norm", lambda x, w: F.layer_norm(x, (4, 5), w), (x, small(4, 5))
    yield "instance_norm", F.instance_norm, (x,)
    yield "batch_norm", lambda x, m, v, w, b: F.batch_norm(x, m, v, w, b), (x, small(6), numbers(6, low=0.1), *six)
    yield "batch_norm.no_stats", lambda x, w, b: aten._native_batch_norm_legit.no_stats(x, w, b, True, 0.1, 1e-5), (
        x,
        *six,
    )
    yield "adaptive_avg_pool", lambda x: F.adaptive_avg_pool2d(x, (3, 2)), (x,)
    yield "adaptive_avg_pool.one", lambda x: F.adaptive_avg_pool2d(x, 1), (x,)
    yield "avg_pool", lambda x: F.avg_pool2d(x, 2, ceil_mode=True), (x,)
    yield "max_pool", lambda x: F.max_pool2d(x, 3, 2, 1), (x,)
    yield "max_pool.indices", lambda x: F.max_pool2d(x, 2, return_indices=True), (x,)
    yield "pools.batchless", lambda x: (F.max_pool2d(x, 2), F.avg_pool2d(x, 2), F.adaptive_avg_pool2d(x, (3, 2))), (
        x[0],
    )
    yield "avg_pool1d", lambda x: F.avg_pool1d(x, 2), (x[0],)
    yield "max_pool1d", lambda x: F.max_pool1d(x, 3, 2), (x[0],)
    yield "conv2d.groups", lambda x, w: F.conv2d(x, w, stride=2, padding=1, groups=2), (x, small(4, 3, 3, 3))
    yield "conv1d.dilation", lambda x, w, b: F.conv1d(x, w, b, dilation=2), (small(2, 6, 9), small(3, 6, 3), small(3))
    yield "conv_transpose2d", lambda x, w: F.conv_transpose2d(x, w, stride=2, padding=1, output_padding=1), (
        x,
        small(6, 3, 3, 3),
    )
    yield "conv_transpose2d.groups", lambda x, w: F.conv_transpose2d(x, w, stride=(1, 2), groups=2), (
        x,
        small(6, 2, 2, 3),
    )
    yield "conv_transpose1d", lambda x, w, b: F.conv_transpose1d(x, w, b, stride=2), (
        small(2, 6, 5),
        small(6, 4, 3),
        small(4),
    )
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


def volumes():
    x, weight = small(2, 4, 6, 5, 7), small(6, 4, 3, 3, 3)
    yield "conv3d", lambda x, w, b: F.conv3d(x, w, b), (x, weight, small(6))
    yield "conv3d.stride", lambda x, w: F.conv3d(x, w, stride=2, padding=1), (x, weight)
    yield "conv3d.dilation", lambda x, w, b: F.conv3d(
        x, w, b, stride=(2, 1, 1), padding=(1, 0, 2), dilation=(2, 1, 2), groups=2
    ), (x, small(6, 2, 2, 3, 2), small(6))
    yield "conv3d.deep", lambda x, w: F.conv3d(x, w, padding=(0, 1, 1)), (x, small(3, 4, 6, 3, 3))
    yield "conv3d.same", lambda x, w: F.conv3d(x, w, padding="same", groups=4), (x, small(4, 1, 2, 3, 4))
    yield "conv3d.norm", lambda x, w, m, v: F.relu(F.batch_norm(F.conv3d(x, w), m, v)), (
        x,
        weight,
        small(6),
        numbers(6, low=0.1),
    )
    yield "max_pool3d", lambda x: F.max_pool3d(x, (2, 3, 3), 2, (1, 1, 1), dilation=(2, 1, 1)), (x,)
    yield "avg_pool3d", lambda x: F.avg_pool3d(x, 2), (x,)
    for counts in (False, True):
        yield f"avg_pool3d.{counts}", lambda x, c=counts: F.avg_pool3d(
            x, 3, 2, 1, ceil_mode=True, count_include_pad=c
        ), (x,)
    yield "avg_pool3d.divisor", lambda x: F.avg_pool3d(x, (3, 2, 2), 2, (1, 0, 1), divisor_override=5), (x,)
    yield "adaptive_avg_pool3d", lambda x: F.adaptive_avg_pool3d(x, (4, 1, 3)), (x,)
    yield "adaptive_avg_pool3d.one", lambda x: F.adaptive_avg_pool3d(x, 1), (x,)


def products():
    for dtype in INTEGERS:
        kind, left = name_of(dtype), numbers(2, 3, 4, dtype=dtype)
        yield f"mm.{kind}", torch.mm, (numbers(3, 4, dtype=dtype), numbers(4, 5, dtype=dtype))
        yield f"bmm.{kind}", torch.bmm, (left, numbers(2, 4, 5, dtype=dtype))
