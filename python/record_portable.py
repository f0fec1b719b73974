# SPDX-License-Identifier: Apache-2.0
"""Records what PyTorch computes for the operators of ExecuTorch's portable library, one model for each family.

    python python/record_portable.py tests/fixtures/portable [FAMILY...]
    python python/record_portable.py --each FOLDER [FAMILY...]      one model for each case

The families are functions in portable/; each yields its cases: a label, a function of tensors, its arguments.

Per family: FAMILY.pt2 (torch.export), FAMILY.pte (the same written by ExecuTorch, for what its exporter takes),
FAMILY.npz (input_0, input_1, ..., output_0, ...) and FAMILY.txt (what output k is, and k's place in the .pte).
A model reads all inputs of its family and returns one output after the other.
"""

import logging
import os
import sys
import warnings

import numpy as np
import torch
from fixture_files import compress, save_program
from portable import composed, elementwise, layers, move, rare, reduce, spelled, types, written

warnings.filterwarnings("ignore")
logging.disable(logging.WARNING)

FAMILIES = {
    f.__name__: f
    for f in (
        elementwise.compare,
        elementwise.logic,
        elementwise.choose,
        elementwise.arithmetic,
        elementwise.math,
        reduce.reduce,
        move.index,
        move.move,
        reduce.scan,
        composed.beyond,
        composed.composed,
        composed.rewritten,
        spelled.spelled,
        spelled.parts,
        spelled.counts,
        spelled.losses,
        spelled.products_and_norms,
        written.masked,
        written.written,
        rare.views,
        rare.rare,
        layers.resize,
        layers.layers,
        layers.volumes,
        layers.products,
        types.types,
        types.halves,
        types.doubles,
        types.create,
    )
}
NOT_IN_STOCK = {"beyond", "composed", "rewritten", "spelled", "views", "rare", "volumes"}
NOT_IN_STOCK |= {"parts", "counts", "losses", "products_and_norms", "masked", "written"}


class Model(torch.nn.Module):
    """All cases of a family; equal inputs are one."""

    def __init__(self, cases):
        super().__init__()
        self.inputs, self.calls = [], []
        for label, function, inputs in cases:
            self.calls.append((label, function, [self.place(x) for x in inputs]))

    def place(self, tensor):
        for i, other in enumerate(self.inputs):
            same = other.shape == tensor.shape and other.dtype == tensor.dtype
            if same and other.numpy().tobytes() == tensor.numpy().tobytes():
                return i
        self.inputs.append(tensor)
        return len(self.inputs) - 1

    def forward(self, *inputs):
        results = []
        for _, function, places in self.calls:
            result = function(*[inputs[i] for i in places])
            results.extend(result if isinstance(result, (tuple, list)) else [result])
        return tuple(results)

    def labels(self):
        for label, function, places in self.calls:
            result = function(*[self.inputs[i] for i in places])
            count = len(result) if isinstance(result, (tuple, list)) else 1
            yield from (f"{label}/{k}" if count > 1 else label for k in range(count))


def write_stock(program, path):
    """The program that ExecuTorch's own exporter makes of it."""
    from executorch.exir import EdgeCompileConfig, to_edge

    edge = to_edge(program, compile_config=EdgeCompileConfig(_check_ir_validity=False))
    with open(path, "wb") as file:
        file.write(edge.to_executorch().buffer)


def record(folder, name, cases):
    model = Model(cases).eval()
    inputs = tuple(model.inputs)
    with torch.no_grad():
        outputs = model(*inputs)
    program = torch.export.export(model, inputs)
    path = os.path.join(folder, name)
    save_program(program, path + ".pt2")
    compress(path + ".pt2")
    arrays = {f"input_{i}": x.numpy() for i, x in enumerate(inputs)}
    arrays.update({f"output_{i}": x.numpy() for i, x in enumerate(outputs)})
    np.savez_compressed(path + ".npz", **arrays)
    with open(path + ".txt", "w", encoding="utf-8") as file:
        file.writelines(label + "\n" for label in model.labels())
    if name.split(".")[0] not in NOT_IN_STOCK:
        write_stock(program, path + ".pte")


def main(words):
    each = words[0] == "--each"
    folder, *names = words[1:] if each else words
    os.makedirs(folder, exist_ok=True)
    for name in names or FAMILIES:
        cases = list(FAMILIES[name]())
        if not each:
            record(folder, name, cases)
            print(f"{name}: {len(cases)} cases")
            continue
        for case in cases:
            try:
                record(folder, f"{name}.{case[0]}", [case])
            except Exception as error:  # noqa: BLE001
                print(f"{name}.{case[0]}: {type(error).__name__}: {str(error)[:200]}")


if __name__ == "__main__":
    main(sys.argv[1:])
