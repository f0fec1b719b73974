# SPDX-License-Identifier: Apache-2.0
"""Short forms and second names: what the compiler spells out as other operators before anything else."""

import torch
from torch.nn import functional as F

from .tensors import numbers, small

NAN = float("nan")


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


def diagonals(a, v, whole):
    embed = torch.diag_embed
    return (
        torch.diag(v),
        torch.diag(v, -2),
        torch.diag(a[0], 1),
        torch.diag(a[1].T),
        *[torch.diag(x) for x in (v[:1], whole[0], v > 0)],
        torch.diagflat(a[0], 1),
        embed(a),
        embed(a, 1, 0, -1),
        embed(a, -1, 3, 1),
        torch.trace(a[0]),
        torch.trace(whole),
        torch.linalg.diagonal(a, offset=1) * 2,
    )


def splits(a, row):
    return (
        *torch.hsplit(a, 3),
        *torch.hsplit(row, (1, 9)),
        *torch.vsplit(a[0], 3),
        *torch.vsplit(a[0], (0, 1)),
        *torch.dsplit(a, 2),
        *torch.dsplit(a.mT, (-1,)),
        *torch.unsafe_split(a, 3, -1),
        *torch.unsafe_split_with_sizes(a, (1, 2), 1),
        *torch.unsafe_chunk(a, 2, 1),
    )


def parts():
    """Elements in other places."""
    a, row, whole = numbers(2, 3, 4), numbers(4), numbers(3, 4, dtype=torch.int64)
    image = numbers(3, 2, 4, 4, 6)
    yield "splits", splits, (a, row)
    yield "diagonals", diagonals, (a, row, whole)
    yield "blocks", lambda a, v, n: (
        torch.block_diag(a[0], v, a[1, 0, 0], a[1].T),
        torch.block_diag(a[0]),
        torch.block_diag(n, n[0]),
    ), (a, row, whole)
    yield "tuples", lambda v, n: (torch.cartesian_prod(v, v[:1], v[:2]), torch.cartesian_prod(n[0])), (row, whole)
    yield "take", lambda a, i: (torch.take(a, i), torch.take(a.mT, torch.tensor([[0, -1]]))), (
        a,
        torch.tensor([[-24, 3], [23, -2]]),
    )
    yield "repeat_interleave", lambda a: (
        torch.repeat_interleave(a, torch.tensor([1, 0, 2]), 1, output_size=3),
        torch.repeat_interleave(a, torch.tensor([2]), -1, output_size=8),
        torch.repeat_interleave(a[0, 0], torch.tensor([0, 0, 3, 1]), output_size=4),
    ), (a,)
    yield "shift", lambda a: (torch.fft.fftshift(a, 1), torch.fft.ifftshift(a), torch.fft.ifftshift(a, (-1, 1))), (a,)
    yield "triangles", lambda n: (
        n[:2, :1] + torch.tril_indices(3, 5, -1),
        n[:2, :1] * torch.triu_indices(3, 2, -1),
        n[tuple(torch.triu_indices(3, 4))],
    ), (whole,)
    yield "eye", lambda a: (a[0] + torch.eye(3, 4), a[0].T + torch.eye(4, 3), a[0, :1, :1] * torch.eye(1, 3)), (a,)
    yield "take_along_dim.broadcast", lambda a: (
        torch.take_along_dim(a, a[:1, :1].argsort(-1), -1),
        torch.take_along_dim(a[:1], a.argsort(-1), -1),
    ), (a,)
    line = numbers(2, 3, 9, seed=5)
    yield "pool", lambda x: (
        *F.max_pool1d(x, 3, return_indices=True),
        *F.max_pool1d(x[0], 2, 1, 1, return_indices=True),
        F.max_unpool1d(*F.max_pool1d(x, 2, 2, return_indices=True), 2, output_size=(9,)),
    ), (line,)
    yield "pixels", lambda x: (
        F.pixel_shuffle(x, 2),
        F.pixel_unshuffle(x, 2),
        F.pixel_shuffle(x[0, 0], 2),
        F.pixel_unshuffle(x[0, 0], 2),
        torch.native_channel_shuffle(x[0], 2),
    ), (image,)


def products_and_norms():
    """Products of vectors and matrices, and distances."""
    multi, power = torch.linalg.multi_dot, torch.linalg.matrix_power
    a, m, v = small(2, 3, 4), small(3, 4), small(4)
    yield "sums", lambda m, v: (
        torch.addr(m, m[:, 0], v, beta=0.5, alpha=2),
        torch.addr(v, m[:, 0], v, beta=0),
        torch.addmv(m[:, 1], m, v),
        torch.addmv(m[:1, 1], m, v, alpha=-1.5, beta=3),
    ), (m, v)
    yield "addbmm", lambda a: (torch.addbmm(a[0, :, :3], a, a.mT), torch.addbmm(a[0, :1, :1], a, a.mT, beta=2)), (a,)
    yield "chain", lambda m, v: (
        multi((m, m.T, m)),
        multi((v, m.T, m, v)),
        multi((v, v)),
        torch.chain_matmul(m, m.T),
    ), (m, v)
    yield "matrix_power", lambda m: (power(m @ m.T, 5), torch.matrix_power(m[:, :3], 1)), (m,)
    yield "kron", lambda a, m: (torch.kron(m, m[:2]), torch.kron(a, m[0]), torch.kron(m[0, 0], m)), (a, m)
    yield "cross", lambda a: (torch.cross(a, a.flip(0), dim=1), torch.cross(a, a.flip(0))), (a,)
    yield "affine_grid", lambda a: (
        F.affine_grid(a[:, :2, :3], (2, 1, 3, 5), align_corners=False),
        F.affine_grid(a[:, :2, :3], (2, 3, 1, 4), align_corners=True),
        F.affine_grid(a, (2, 1, 2, 3, 4), align_corners=False),
    ), (a,)
    yield "orders", lambda a: (
        torch.linalg.vector_norm(a, 3, 1),
        torch.linalg.vector_norm(a, -2.5),
        torch.linalg.vector_norm(a, 0, (0, 2), keepdim=True),
        *[torch.linalg.matrix_norm(a, p) for p in (1, -1, torch.inf, -torch.inf)],
        torch.linalg.norm(a, 1, (2, 0), keepdim=True),
        F.pairwise_distance(a[0], a[1], p=3),
        F.pairwise_distance(a[0], a[1], p=torch.inf, keepdim=True),
        torch.renorm(a, 2, 1, 0.8),
        torch.renorm(a, 1, -1, 2.5),
    ), (a,)


def running(a, whole):
    return (
        a.cumprod(1),
        torch.cumprod(a, -1).cumprod_(0),
        whole.cumprod(1),
        torch.cumprod(a > 0, 2),
        a[0, 0, 0].cumprod(0),
        torch.logcumsumexp(a, 2),
        torch.trapezoid(a),
        torch.trapz(a, dx=0.5, dim=0),
        torch.trapezoid(a, a.flip(0), dim=1),
        torch.trapezoid(a, a[0, 0], dim=2),
        torch.cumulative_trapezoid(a, dx=3, dim=1),
        torch.cumulative_trapezoid(a, a.flip(1)),
    )


def without_nan(x):
    return (
        torch.nansum(x),
        torch.nansum(x, (0, 1), keepdim=True),
        torch.nanmean(x, 1),
        torch.nanmean(x),
        torch.fmax(x, x.flip(0)),
        torch.fmin(x, x[:1].flip(1)),
        torch.isposinf(x),
        torch.isneginf(-x),
    )


def counts():
    """Counts, places in order, and functions of single elements that PyTorch writes in one word."""
    a, whole = numbers(2, 3, 4), numbers(3, 4, dtype=torch.int64)
    nan = torch.tensor([[1.0, NAN, 3.0, NAN], [float("inf"), 0.0, -1.0, 2.0], [0.5, 0.25, NAN, 4.0]])
    bounds, eleven = torch.tensor([-2.0, 0.0, 0.0, 1.5]), torch.linspace(2.0, -1.5, 11)
    count, search = torch.count_nonzero, torch.searchsorted
    yield "count_nonzero", lambda a, n: (count(n), count(n, 0), count(a > 0, (0, -1)), count(n[0, 0])), (a, whole)
    yield "isin", lambda n, s: (
        torch.isin(n, s),
        torch.isin(n, torch.tensor([[1, -2]]), invert=True),
        torch.isin(n, 3),
        torch.isin(n[0, 0], s),
    ), (whole, torch.tensor([0, 2, 9]))
    yield "bucketize", lambda x, b, n: (
        torch.bucketize(x, b),
        torch.bucketize(x, b, right=True, out_int32=True),
        torch.bucketize(n, torch.tensor([-1, 0, 0])),
        torch.bucketize(x[1, 1], b),
    ), (nan, bounds, whole)
    yield "searchsorted", lambda a, b: (
        search(b, a),
        search(b, a, side="right"),
        search(a.sort(-1).values, a[:, :, :2], right=True),
        search(b, 0.0),
    ), (a, bounds)
    rules = ("linear", "lower", "higher", "nearest", "midpoint")
    yield "quantile", lambda a: [torch.quantile(a, q, 2, interpolation=r) for q in (0.0, 0.4, 1.0) for r in rules], (a,)
    exact = (0.1, 0.7)  # in float32 their places among eleven values would be whole
    yield "quantile.exact", lambda v: [torch.quantile(v, q, interpolation=r) for q in exact for r in rules], (eleven,)
    yield "quantile.list", lambda a, x: (
        torch.quantile(a, torch.tensor([0.1, 0.75]), 1, keepdim=True),
        torch.quantile(a, torch.tensor([0.5])),
        torch.quantile(x, 0.5, 0),
        torch.msort(a),
    ), (a, nan)
    yield "running", running, (a, whole)
    yield "without_nan", without_nan, (nan,)
    yield "without_nan.int64", lambda n: (torch.nansum(n), torch.fmax(n, n[:1])), (whole,)
    yield "words", lambda a, x: (
        +a,
        torch.heaviside(a.relu(), a[0]),
        torch.xlogy(a.relu(), a.relu()),
        torch.special.xlogy(a, a[0].abs()),
        torch.xlogy(x.nan_to_num().relu(), x),
        torch.round(a, decimals=1),
        torch.round(a * 100, decimals=-1),
        torch.rsub(a, a[0], alpha=2),
    ), (a, nan)
    yield "clamps", lambda a, n: (
        torch.clamp_min(a, a[0]),
        torch.clamp_max(a, n[0]),
        a.clip(a[0], n[0] + 5),
        (a * 1).clamp_min_(a[0]).clamp_max_(a[1]),
    ), (a, whole)
    yield "mixed", lambda a, n: (
        torch.where(n > 1, a, n),
        torch.maximum(a, n),
        a < n,
        a.masked_fill(n > 1, n[0, 0]),
    ), (a, whole)


def losses():
    """What scores of classes, probabilities and truths are worth."""
    x, t = numbers(4, 5, 3), numbers(4, 5, 3, seed=1)
    classes, weight = torch.randint(0, 5, (4, 3), generator=torch.Generator().manual_seed(0)), torch.arange(1.0, 6.0)
    every = ("mean", "sum", "none")
    entropy, divergence, binary = F.cross_entropy, F.kl_div, F.binary_cross_entropy
    yield "cross_entropy", lambda x, c: [entropy(x, c, reduction=r) for r in every], (x, classes)
    yield "cross_entropy.smooth", lambda x, c, w: [
        entropy(x, c, w, ignore_index=2, label_smoothing=0.2, reduction=r) for r in every
    ], (x, classes, weight)
    yield "cross_entropy.likely", lambda x, t, w: (
        entropy(x, t.softmax(1), w, label_smoothing=0.1),
        entropy(x, t.softmax(1), reduction="none"),
        entropy(x[0, :, 0], t[0, :, 0].softmax(0)),
    ), (x, t, weight)
    yield "cross_entropy.one", lambda x, c: entropy(x[0, :, 0], c[0, 0]), (x, classes)
    yield "nll_loss", lambda x, c, w: (F.nll_loss(x, c, w), F.nll_loss(x, c, ignore_index=1)), (x, classes, weight)
    yield "kl_div", lambda x, t: (
        *[divergence(x, t.relu(), reduction=r) for r in every],
        divergence(x, t, reduction="batchmean", log_target=True),
    ), (x, t)
    yield "binary", lambda x, t: (
        *[binary(x.sigmoid(), t.sigmoid(), reduction=r) for r in every],
        binary((x > 0).float(), t.sigmoid(), weight=t.abs(), reduction="none"),
        F.binary_cross_entropy_with_logits(x, t.sigmoid(), pos_weight=t[0].abs()),
        F.binary_cross_entropy_with_logits(x, t.sigmoid(), weight=t.abs(), reduction="none"),
    ), (x, t)
