# SPDX-License-Identifier: Apache-2.0
"""Cases of operators that choose and move elements."""

import torch
from torch.nn import functional as F

from .tensors import ALL, name_of, numbers

aten = torch.ops.aten


def index():
    long = torch.int64
    for dtype in ALL:
        kind, x = name_of(dtype), numbers(4, 5, 3, dtype=dtype)
        yield f"index_select.{kind}", lambda x, i: torch.index_select(x, 1, i), (x, torch.tensor([4, 0, 0, 2]))
        yield f"gather.{kind}", lambda x, i: torch.gather(x, 1, i), (x, numbers(3, 2, 3, dtype=long, low=0))
        yield f"index.{kind}", lambda x, i, j: x[i, :, j], (x, torch.tensor([[0, 3], [-1, 2]]), torch.tensor([1, -3]))
        yield f"scatter.{kind}", lambda x, i, s: torch.scatter(x, 1, i, s), (
            x,
            torch.tensor([[[0, 1, 2], [3, 4, 0]]]),
            numbers(2, 3, 3, dtype=dtype, seed=5),
        )
        yield f"scatter_value.{kind}", lambda x, i: torch.scatter(x, 0, i, 1), (
            x,
            numbers(2, 3, 3, dtype=long, low=0, high=3),
        )
        yield f"index_put.{kind}", lambda x, i, v: torch.index_put(x, (i,), v), (
            x,
            torch.tensor([2, 0]),
            numbers(5, 3, dtype=dtype),
        )
        yield f"masked_scatter.{kind}", torch.masked_scatter, (
            x,
            numbers(5, 3, dtype=torch.bool),
            numbers(70, dtype=dtype),
        )
        yield f"select_scatter.{kind}", lambda x, s: torch.select_scatter(x, s, 1, -2), (
            x,
            numbers(4, 3, dtype=dtype, seed=2),
        )
        yield f"slice_scatter.{kind}", lambda x, s: torch.slice_scatter(x, s, 1, 1, 5, 2), (
            x,
            numbers(4, 2, 3, dtype=dtype, seed=2),
        )
        if dtype != torch.bool:
            yield f"scatter_add.{kind}", lambda x, i, s: torch.scatter_add(x, 1, i, s), (
                x,
                torch.tensor([[[0, 1, 0], [0, 1, 2]]]),
                numbers(2, 3, 3, dtype=dtype, seed=5),
            )
            yield f"index_put_add.{kind}", lambda x, i, j, v: torch.index_put(x, (i, j), v, accumulate=True), (
                x,
                torch.tensor([1, 1, 3]),
                torch.tensor([0, 0, 4]),
                numbers(3, dtype=dtype),
            )
    x = numbers(4, 5, 3)
    yield "index.first", lambda x, i: x[i], (x, torch.tensor([3, 1, -1]))
    yield "index.last", lambda x, i: x[..., i], (x, torch.tensor([[2, 0]]))
    yield "index.middle", lambda x, i, j: x[:, i, j], (x, torch.tensor([[4], [0]]), torch.tensor([1, 2, 0]))
    yield "index.apart", lambda x, i, j: x[i, :, j], (x, torch.tensor([0, 3]), torch.tensor([2, 1]))
    yield "index.int32", lambda x, i: x[i], (x, torch.tensor([3, 1], dtype=torch.int32))
    yield "index.all", lambda x, i: x[i, i, i], (x, torch.tensor([0, 2, 1]))
    yield "index_put.middle", lambda x, i, v: aten.index_put(x, [None, i], v), (
        x,
        torch.tensor([1, 4]),
        numbers(4, 2, 3),
    )
    yield "index_put.scalar", lambda x, i, v: torch.index_put(x, (i,), v), (x, torch.tensor([0, 2]), torch.tensor(7.5))
    yield "index_copy", lambda x, i, v: torch.index_copy(x, 1, i, v), (x, torch.tensor([1, 4]), numbers(4, 2, 3))
    yield "scatter.whole", lambda x, i, s: torch.scatter(x, -1, i, s), (
        x,
        numbers(4, 5, 3, dtype=long, low=0, high=2),
        numbers(4, 5, 3),
    )
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
