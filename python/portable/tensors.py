# SPDX-License-Identifier: Apache-2.0
"""The tensors that the cases of all families are made with."""

import torch

INTEGERS = (torch.int8, torch.uint8, torch.int32, torch.int64)
ALL = (torch.float32, *INTEGERS, torch.bool)


def numbers(*shape, dtype=torch.float32, seed=0, low=-4, high=4):
    """Repeatable numbers; integers are those in low..high."""
    generator = torch.Generator().manual_seed(seed + sum(shape))
    if dtype in (torch.float32, torch.float64):
        return torch.rand(shape, generator=generator, dtype=dtype) * (high - low) + low
    if dtype == torch.bool:
        return torch.rand(shape, generator=generator) < 0.5
    return torch.randint(low if dtype != torch.uint8 else max(low, 0), high + 1, shape, generator=generator).to(dtype)


def small(*shape, seed=0):
    """Sums of many products: with small numbers their rounding stays small."""
    return numbers(*shape, seed=seed, low=-1, high=1)


def name_of(dtype):
    return str(dtype).split(".")[-1]


def pairs(dtypes, shape=(2, 3), other=(3,)):
    """Two operands of each type, the second broadcast, and some of mixed types."""
    for dtype in dtypes:
        yield name_of(dtype), numbers(*shape, dtype=dtype), numbers(*other, dtype=dtype, seed=1)
    for a, b in ((torch.float32, torch.int32), (torch.int8, torch.int64), (torch.bool, torch.uint8)):
        if a in dtypes and b in dtypes:
            yield f"{name_of(a)}_{name_of(b)}", numbers(*shape, dtype=a), numbers(*other, dtype=b, seed=1)
