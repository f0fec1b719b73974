# SPDX-License-Identifier: Apache-2.0
"""Cases of operators that make one element of several."""

import torch

from .tensors import ALL, name_of, numbers


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
