# SPDX-License-Identifier: Apache-2.0
"""Short forms and second names: what the compiler spells out as other operators before anything else."""

import torch
from torch.nn import functional as F

from .tensors import numbers, small


def change_in_place(a, b):
    y = a.clone()
    y.multiply_(b)
    y.subtract_(1.5)
    y.absolute_()
    y.mT[0, 1] = 7.0
    return y.divide_(b)


def second_names(a, b):
    """The names of mathematics, of NumPy and of torch.special."""
    special = torch.special
    return (
        torch.multiply(a, b),
        torch.multiply(a, 2.5),
        torch.divide(a, b),
        torch.divide(a, b, rounding_mode="floor"),
        torch.true_divide(a, b),
        torch.subtract(a, b, alpha=2),
        torch.negative(torch.absolute(a)),
        torch.fix(a),
        torch.arctan(a) + torch.arcsinh(a) + torch.arcsin(a / 10) + torch.arccos(a / 10) + torch.arctanh(a / 10),
        torch.arccosh(b + 1),
        torch.arctan2(a, b),
        special.expit(a) + special.erf(a) + special.erfc(a) + special.expm1(a / 4) + special.log1p(b),
        special.softmax(a, 1),
        special.log_softmax(a, -1),
        special.logsumexp(a, 1),
        torch.deg2rad(a),
        torch.rad2deg(a),
    )


def turned(a, row):
    """Views and other movements; the matrix is not square."""
    return (
        a.mT * 1,
        a.mH * 2,
        a.adjoint() + 1,
        a[0].H * 1,
        torch.moveaxis(a, 0, 2) * 1,
        torch.moveaxis(a, (0, 1), (2, 0)) * 1,
        torch.row_stack((a[0], row)),
        torch.atleast_1d(row) * 1,
        torch.atleast_2d(row) * 2,
        torch.atleast_3d(row) * 3,
        torch.fliplr(a),
        torch.flipud(a),
        *[torch.rot90(a, k, (2, 1)) for k in (-1, 0, 1, 2, 3, 6)],
        torch.rot90(a),
    )


def extremes(a, whole):
    """Of the two results of an extreme one is often left."""
    largest, place = a.max(1)
    least, least_place = a.min(-1, keepdim=True)
    return (
        a.max(0).values,
        a.max(-1, keepdim=True)[1],
        a.min(1)[0],
        a.min(2).indices,
        whole.max(1)[0],
        whole.min(0)[1],
        torch.zeros_like(whole).max(1)[1],  # the first of equals
        largest,
        place,
        least,
        least_place,
        a[0, 0, 0].max(0).values,
    )


def spelled():
    a, b, row = numbers(2, 3, 4), numbers(2, 3, 4, seed=1, low=1), numbers(4, low=1)
    whole = numbers(3, 4, dtype=torch.int64)
    nan = torch.tensor([[1.0, float("nan"), 3.0, float("nan")], [float("inf"), 0.0, -1.0, 2.0]])
    yield "in_place", change_in_place, (a, b)
    yield "names", second_names, (a, b)
    yield "turned", turned, (a, row)
    yield "extremes", extremes, (a, whole)
    yield "extremes.nan", lambda x: (x.max(1)[0], x.max(1).indices, x.min(0)[0], x.min(1)[1]), (nan,)
    for name in ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss"):
        loss = getattr(F, name)
        yield name, lambda a, b, f=loss: tuple(f(a, b, reduction=r) for r in ("mean", "sum", "none")), (a, b)
    smooth = F.smooth_l1_loss
    yield "smooth_l1_loss.beta", lambda a, b: (smooth(a, b, beta=0.3), smooth(a, b, beta=0.0)), (a, b)
    yield "huber_loss.delta", lambda a, b: F.huber_loss(a, b, delta=2.5, reduction="none"), (a, b)
    norm = torch.linalg.norm
    yield "norm", lambda a: (norm(a, dim=-1), norm(a), norm(a, dim=(1, 2)), norm(a, 1, 0), norm(a, 2, 1, True)), (a,)
    yield "norm.matrix", lambda m: (norm(m, "fro"), torch.linalg.matrix_norm(m), norm(m[0], 1)), (small(3, 4),)
    yield "dist", lambda a, b: (torch.dist(a, b), torch.dist(a, b[0], 1)), (a, b)
    yield "products", lambda m, v: (torch.vdot(v, v), torch.inner(m, v), torch.inner(v, m), torch.inner(m, m)), (
        small(3, 4),
        small(4),
    )
    yield "products.vectors", lambda a, b: (torch.linalg.vecdot(a, b), torch.linalg.vecdot(a, b[0], dim=1)), (a, b)
    yield "products.more", lambda m, v: (torch.ger(v, v), torch.linalg.matmul(m, v)), (small(3, 4), small(4))
    yield "cross", lambda a, b: (torch.linalg.cross(a, b, dim=1), torch.linalg.cross(a[:1].mT, b.mT)), (a, b)
    yield "std_mean", lambda a: (
        *torch.std_mean(a),
        *torch.std_mean(a, 1),
        *torch.std_mean(a, (0, -1), correction=0, keepdim=True),
    ), (a,)
    yield "take_along_dim", lambda a: (
        torch.take_along_dim(a, a.argmax(1, keepdim=True), 1),
        torch.take_along_dim(a, torch.argsort(a, -1), -1),
        torch.take_along_dim(a, a.flatten().argmin()[None]),
    ), (a,)
    image = numbers(2, 3, 6, 7, seed=3)
    pool, unpool = F.max_pool2d, F.max_unpool2d
    yield "max_unpool2d", lambda x: unpool(*pool(x, 2, return_indices=True), 2, output_size=(6, 7)), (image,)
    volume = small(1, 2, 3, 4, 5)
    yield "trilinear", lambda v: (
        F.interpolate(v, scale_factor=(2, 1.5, 1), mode="trilinear"),
        F.interpolate(v, size=(5, 3, 7), mode="trilinear", align_corners=True),
        F.interpolate(v, size=(2, 4, 9), mode="trilinear"),
    ), (volume,)
