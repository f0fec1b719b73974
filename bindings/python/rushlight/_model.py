# SPDX-License-Identifier: Apache-2.0
"""Models as users of PyTorch have them, as the bytes of a .pt2."""

from __future__ import annotations

import io
import os
import pathlib
from dataclasses import dataclass
from typing import Any

from ._data import Interface, is_path
from ._errors import RushlightError, UsageError
from ._native import Job

Model = Any  # torch.nn.Module, torch.export.ExportedProgram, the path of a .pt2, or its bytes


@dataclass
class Source:
    """A model: the bytes of its .pt2, and its inputs where PyTorch has told them."""

    pt2: bytes
    known: Interface | None = None

    def interface(self) -> Interface:
        """The inputs of the model."""
        if not self.known:
            report = Job("inspect", ["model.pt2"], files={"model.pt2": self.pt2}).run().result
            inputs = report["inputs"]
            self.known = Interface([item["name"] for item in inputs], [tuple(item["shape"]) for item in inputs])
        return self.known


def read_model(model: Model, example_inputs: Any = None, dynamic_shapes: Any = None) -> Source:
    """The model as a .pt2.

    A torch.nn.Module is exported with ``torch.export.export(model.eval(), example_inputs)``, without changing whether
    it trains; anything else has been exported already.
    """
    if isinstance(model, Source):
        return model
    if isinstance(model, (bytes, bytearray, memoryview)):
        return Source(bytes(model))
    if is_path(model):
        return Source(_read(os.fspath(model)))
    try:
        import torch
    except ImportError as error:
        raise UsageError(
            f"a model of type {type(model).__name__} needs PyTorch, which is not installed; accepted without it: the "
            "path of a .pt2, or its bytes"
        ) from error
    if isinstance(model, torch.nn.Module):
        model = _export(torch, model, example_inputs, dynamic_shapes)
    if not isinstance(model, torch.export.ExportedProgram):
        raise UsageError(
            f"a model of type {type(model).__name__} is not known; accepted: torch.nn.Module, "
            "torch.export.ExportedProgram, the path of a .pt2, or its bytes"
        )
    file = io.BytesIO()
    torch.export.save(model, file)
    return Source(file.getvalue(), _interface_of(model))


def _read(path: str) -> bytes:
    try:
        return pathlib.Path(path).read_bytes()
    except OSError as error:
        raise RushlightError(f"{path}: cannot open: {error.strerror}") from error


def _interface_of(program: Any) -> Interface | None:
    names = program.graph_signature.user_inputs
    values = {node.name: node.meta.get("val") for node in program.graph.nodes if node.op == "placeholder"}
    if not all(isinstance(name, str) and hasattr(values.get(name), "shape") for name in names):
        return None  # numbers and None among the inputs: the compiler knows which of them are left
    shapes = [tuple(size if isinstance(size, int) else -1 for size in values[name].shape) for name in names]
    return Interface(list(names), shapes)


def _export(torch: Any, model: Any, example_inputs: Any, dynamic_shapes: Any) -> Any:
    if example_inputs is None:
        raise UsageError(
            "example_inputs is missing: a torch.nn.Module is exported with them, for example "
            "(torch.zeros(1, 3, 96, 96),)"
        )
    if not isinstance(example_inputs, tuple):
        example_inputs = (example_inputs,)
    states = {module: module.training for module in model.modules()}
    is_graph = isinstance(model, torch.fx.GraphModule)  # of PT2E, which has no eval()
    try:
        if not is_graph:
            model.eval()
        return torch.export.export(model, example_inputs, dynamic_shapes=dynamic_shapes)
    finally:
        for module, training in states.items():
            module.training = training

