# SPDX-License-Identifier: Apache-2.0
"""Writes quantized graphs of operators that choose and compare values, each between nodes of one grid.

    python python/export_choices.py tests/fixtures/graphs

Needs torch. Writes choices.pt2 (int8) and choices_wide.pt2 (int16), and beside each a .npz of samples (a, b) with what
PyTorch makes of them (output_0, ...). Every result of a choice is quantized again; places and truth values are outputs
as they are.
"""

import pathlib
import sys

import numpy as np
import torch
from fixture_files import save_program
from torch import nn
from torchao.quantization.pt2e import quantize_pt2e  # noqa: F401  registers quantized_decomposed

PLACES = torch.tensor([3, 0, 3])


class Choices(nn.Module):
    def __init__(self, dtype):
        super().__init__()
        limits = torch.iinfo(dtype)
        self.grid = (0.05, 7, limits.min, limits.max, dtype)
        self.register_buffer("places", PLACES)
        self.register_buffer("table", torch.arange(48).view(2, 4, 6) % 4)
        self.register_buffer("bound", torch.linspace(-1, 1, 6))

    def on_grid(self, x):
        ops = torch.ops.quantized_decomposed
        return ops.dequantize_per_tensor(ops.quantize_per_tensor(x, *self.grid), *self.grid)

    def forward(self, a, b):
        a, b = self.on_grid(a), self.on_grid(b)
        largest, place_of_largest = torch.max(a, 1)
        smallest, place_of_smallest = torch.min(a, 2, keepdim=True)
        best = torch.topk(a, 3, 2).values
        ordered = torch.sort(b, 1, descending=True).values
        third = torch.kthvalue(a, 3, 2).values
        low, high = torch.aminmax(b, dim=0)
        chosen = (
            torch.amax(a, (1, 2)),
            torch.amin(b, 0, keepdim=True),
            a.max(),
            b.min(),
            largest,
            smallest,
            best,
            ordered,
            third,
            low,
            high,
            torch.median(a, 1).values,
            torch.cummax(b, 2).values,
            torch.where(a > b, a, b),
            torch.where(a > 0.32, a, -1.0),
            a.masked_fill(b > 0, 0.5),
            b.masked_fill(a <= 0, float("-inf")),
            torch.gather(a, 1, self.table),
            torch.index_select(b, 1, self.places),
            a[:, self.places],
            a.index_put((self.places[1:2],), b[:1]),
            a.index_copy(1, self.places[:2], b[:, :2]),
            torch.slice_scatter(a, b[:, :, 2:4], 2, 0, 2),
            torch.clamp(a, None, self.bound),
            torch.cat((a, b), 2),
        )
        compared = (a < b, a >= -0.4, a == b, a != 0.1, torch.argmax(a, 1), torch.argmin(b))
        places = (place_of_largest, place_of_smallest)
        return (*(self.on_grid(x) for x in chosen), *compared, *places)


def main():
    folder = pathlib.Path(sys.argv[1])
    torch.manual_seed(0)
    torch.set_num_threads(1)
    samples = torch.randn(2, 8, 2, 4, 6)
    samples[:, :, 0] = samples[:, :, 0].round()  # equal elements: the first one counts
    for name, dtype in (("choices", torch.int8), ("choices_wide", torch.int16)):
        model = Choices(dtype).eval()
        save_program(torch.export.export(model, (samples[0, 0], samples[1, 0])), folder / f"{name}.pt2")
        arrays = {"a": samples[0].numpy(), "b": samples[1].numpy()}
        results = zip(*(model(a, b) for a, b in samples.transpose(0, 1)), strict=True)
        for index, result in enumerate(results):
            arrays[f"output_{index}"] = torch.stack(result).numpy()
        np.savez_compressed(folder / f"{name}.npz", **arrays)


if __name__ == "__main__":
    main()
