# SPDX-License-Identifier: Apache-2.0
"""Records programs of ExecuTorch that do more than call kernels: tests/fixtures/programs/.

    python python/record_programs.py tests/fixtures/programs [NAME...]

Needs torch and executorch. Each program is NAME.pte with NAME.npz: the arrays input_K and output_K have one entry
per run, in the order in which the runs must happen (some programs keep a state), and what PyTorch gave. Data that a
program keeps outside is NAME.ptd. A program of several methods has a NAME.METHOD.npz for each.
"""

import pathlib
import sys

import numpy as np
import torch
from executorch.exir import ExecutorchBackendConfig, to_edge
from executorch.exir.passes import MemoryPlanningPass
from executorch.exir.passes.init_mutable_pass import InitializedMutableBufferPass
from functorch.experimental.control_flow import map as torch_map
from torch import nn
from torch._higher_order_ops import scan


class Branch(nn.Module):
    def forward(self, x, flag):
        return torch.cond(flag, lambda x: (x + 1, x.relu()), lambda x: (x * 2, x.neg()), (x,))


class Nested(nn.Module):
    """A branch inside a branch, on one condition that is computed."""

    def forward(self, x, a, b):
        inner = lambda x: torch.cond(b, lambda x: x + 1, lambda x: x + 2, (x,))
        return torch.cond(a, inner, lambda x: x + 3, (x,)) * 2


class Map(nn.Module):
    def forward(self, items, y):
        return torch_map(lambda item, y: item * y + 1, items, y)


class Scan(nn.Module):
    def forward(self, x):
        return scan(lambda carry, item: (carry + item, carry * item), torch.zeros(3), x)


class Item(nn.Module):
    """A number from a tensor that chooses a row."""

    def forward(self, x, index):
        row = index.item()
        torch._check(row >= 0)
        torch._check(row < x.shape[0])
        return torch.select(x, 0, row) + 1


class State(nn.Module):
    """Two buffers that change with each run, one of which starts with a value."""

    def __init__(self):
        super().__init__()
        self.register_buffer("total", torch.tensor([1.0, 2.0, 3.0]))
        self.register_buffer("offset", torch.tensor([0.5]))

    def forward(self, x):
        self.total.add_(x)
        return self.total * 2 + self.offset


class Converted(nn.Module):
    """Buffers that keep what is copied to them in their own type, told one run later."""

    def __init__(self):
        super().__init__()
        self.register_buffer("whole", torch.zeros(2, 3, dtype=torch.int32))
        self.register_buffer("real", torch.zeros(2, 3))
        self.register_buffer("truth", torch.zeros(3, dtype=torch.bool))

    def forward(self, x, n):
        before = self.whole + 1, self.real * 2, self.truth.logical_not()
        self.whole.copy_(x * 3)
        self.real.copy_(n + 1)
        self.truth.copy_(x * 2)
        return before


class CopyUnconverted(MemoryPlanningPass):
    """Buffers are given what was to be converted for them, so that copy_ must convert it."""

    def run(self, graph_module, *rest):
        for node in graph_module.graph.find_nodes(op="call_function", target=torch.ops.aten.copy_.default):
            node.args = (node.args[0], source_of(node.args[1]))
        graph_module.graph.eliminate_dead_code()
        graph_module.recompile()
        return super().run(graph_module, *rest)


def source_of(node):
    """What a chain of conversions and expansions starts from."""
    return source_of(node.args[0]) if "copy" in str(node.target) else node


class Viewed(nn.Module):
    """Views of an input that the caller binds: the memory plan does not place them."""

    def forward(self, x):
        return x.view(6) * 2, x.view(3, 2).view(1, 6) + 1


class ViewedBranch(nn.Module):
    """Views of an input in branches, which planning forgets."""

    def forward(self, x, flag):
        return torch.cond(flag, lambda x: x.view(6) + 1, lambda x: x.view(6) * 2, (x,))


class Unplanned(nn.Module):
    """Inputs and outputs have no place in the plan, and one is both."""

    def forward(self, x, y):
        return x * y + 1, x


class Numbers(nn.Module):
    """Inputs that are numbers or None, which the exporter makes part of the program, and such outputs."""

    def forward(self, x, factor, offset, absent, y, flag):
        z = x * factor + offset * y if flag and absent is None else x
        return z, None, 0, 7, 0.5, True


class Computed(nn.Module):
    """A number that is computed when the program runs."""

    def forward(self, x, index):
        number = index.item()
        return number * 2, x + number


class Asked(nn.Module):
    """A truth value that is computed when the program runs; the file has an integer in its place."""

    def forward(self, x, index):
        number = index.item()
        return x + number, number > 1


def floats(*sizes):
    return torch.randint(-8, 9, sizes).to(torch.float32) / 4


torch.manual_seed(0)  # the inputs below are the same each time
PROGRAMS = {
    "branch": (Branch(), [(floats(2, 3), torch.tensor(flag)) for flag in (True, False, True)]),
    "nested": (Nested(), [(floats(4), torch.tensor(a), torch.tensor(b)) for a in (True, False) for b in (True, False)]),
    "map": (Map(), [(floats(4, 3), floats(3)) for _ in range(3)]),
    "scan": (Scan(), [(floats(5, 3),) for _ in range(3)]),
    "item": (Item(), [(floats(4, 3), torch.tensor(i)) for i in (2, 0, 3)]),
    "state": (State(), [(floats(3),) for _ in range(4)]),
    "converted": (Converted(), [(floats(3), torch.tensor([[2**24], [-i]])) for i in range(4)]),
    "viewed": (Viewed(), [(floats(2, 3),) for _ in range(3)]),
    "viewed_branch": (ViewedBranch(), [(floats(2, 3), torch.tensor(flag)) for flag in (True, False, True)]),
    "unplanned": (Unplanned(), [(floats(2, 3), floats(3)) for _ in range(3)]),
    "numbers": (Numbers(), [(floats(2, 3), 3, 0.5, None, floats(3), True) for _ in range(2)]),
    "computed": (Computed(), [(floats(2, 3), torch.tensor(i)) for i in (2, 0, 3)]),
    "asked": (Asked(), [(floats(2, 3), torch.tensor(i)) for i in (2, 0, 3)]),
    "external": (nn.Sequential(nn.Linear(4, 3), nn.ReLU(), nn.Linear(3, 2)), [(floats(2, 4),) for _ in range(2)]),
}
CONFIGS = {
    "state": ExecutorchBackendConfig(passes=[InitializedMutableBufferPass(["total"])]),
    "converted": ExecutorchBackendConfig(memory_planning_pass=CopyUnconverted()),
    "viewed": ExecutorchBackendConfig(memory_planning_pass=MemoryPlanningPass(alloc_graph_input=False)),
    "unplanned": ExecutorchBackendConfig(
        memory_planning_pass=MemoryPlanningPass(alloc_graph_input=False, alloc_graph_output=False)
    ),
    "external": ExecutorchBackendConfig(external_constants=True),
}


class Encode(nn.Module):
    def forward(self, x):
        return (x * 2).relu()


class Combine(nn.Module):
    def forward(self, x, y):
        return x - y, x.neg()


# Programs of several methods.
METHODS = {
    "methods": {
        "encode": (Encode(), [(floats(2, 3),) for _ in range(2)]),
        "combine": (Combine(), [(floats(4), floats(4)) for _ in range(3)]),
    },
}


def record(folder, name, module, runs):
    for parameter in module.parameters():
        parameter.requires_grad = False
        if name == "external":
            parameter.copy_(floats(*parameter.shape))
    exported = torch.export.export(module, runs[0], strict=name != "numbers")
    program = to_edge(exported).to_executorch(CONFIGS.get(name, ExecutorchBackendConfig()))
    (folder / f"{name}.pte").write_bytes(program.buffer)
    for data in program._tensor_data.values():
        (folder / f"{name}.ptd").write_bytes(bytes(data))
    record_runs(folder / f"{name}.npz", module, runs)


def record_methods(folder, name, methods):
    exported = {method: torch.export.export(module, runs[0]) for method, (module, runs) in methods.items()}
    (folder / f"{name}.pte").write_bytes(to_edge(exported).to_executorch().buffer)
    for method, (module, runs) in methods.items():
        record_runs(folder / f"{name}.{method}.npz", module, runs)


def as_tensor(value):
    """Numbers as the runtime shows them: Python's float has 64 bits, None no elements."""
    if value is None:
        return torch.empty(0, dtype=torch.uint8)
    return value.clone() if isinstance(value, torch.Tensor) else torch.tensor(np.array(value))


def record_runs(path, module, runs):
    given = [k for k in range(len(runs[0])) if isinstance(runs[0][k], torch.Tensor)]
    arrays = {f"input_{k}": torch.stack([run[k] for run in runs]).numpy() for k in given}
    outputs = []
    for run in runs:
        result = module(*run)
        outputs.append([as_tensor(t) for t in (result if isinstance(result, tuple) else (result,))])
    arrays |= {f"output_{k}": torch.stack([run[k] for run in outputs]).numpy() for k in range(len(outputs[0]))}
    np.savez(path, **arrays)


def main():
    folder = pathlib.Path(sys.argv[1])
    for name in sys.argv[2:] or PROGRAMS:
        module, runs = PROGRAMS[name]
        torch.manual_seed(len(name))
        record(folder, name, module, runs)
        print(name)
    for name, methods in METHODS.items():
        record_methods(folder, name, methods)
        print(name)


if __name__ == "__main__":
    main()
