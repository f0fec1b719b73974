# SPDX-License-Identifier: Apache-2.0
"""Samples as users of PyTorch have them: arrays, tensors, batches of a DataLoader, files."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ._errors import UsageError
from ._native import Array

Samples = Any  # what `gather` describes


@dataclass
class Interface:
    """The inputs of a model, in order: their names, and their shapes for one call."""

    names: list[str]
    shapes: list[tuple[int, ...]]


@dataclass
class Gathered:
    """Samples for the library: arrays by input, or files."""

    arrays: dict[str, Array] = field(default_factory=dict)
    paths: list[str] = field(default_factory=list)


def is_tensor(value: object) -> bool:
    """Whether this is a tensor of PyTorch, without importing it."""
    return type(value).__module__.split(".")[0] == "torch" and hasattr(value, "detach")


def to_numpy(value: Any) -> Array:
    """An array of a tensor, an array, or nested lists of numbers."""
    if is_tensor(value):
        tensor = value.detach().cpu()
        return np.asarray((tensor.float() if str(tensor.dtype) == "torch.bfloat16" else tensor).numpy())
    return np.asarray(value)


def is_path(value: object) -> bool:
    """Whether this names a file or a folder."""
    return isinstance(value, (str, os.PathLike))


def gather(data: Samples, interface: Callable[[], Interface], labels: Any = None, most: int | None = None) -> Gathered:
    """Brings samples into the form that the library reads.

    data: a path or a list of paths (.npz, .npy, images, recordings, tables, folders of them); an array or a tensor
        for the only input; a mapping from the names of inputs to arrays; or an iterable of batches, for example a
        DataLoader. A batch is an array, a tuple or list with an array for each input, in order, or a mapping. What
        comes behind the inputs in a tuple is taken for labels.
    labels: the class of each sample, as integers, unless the data have them.
    most: so many samples are taken from an iterable of batches at most; None: all.

    interface: tells the inputs of the model, which is only asked for batches.

    The first axis of an array counts samples, unless the array is a single one; a sample of a batch may lack the axis
    of size 1 that the model has in front.
    """
    if is_path(data):
        return _with_labels(Gathered(paths=[os.fspath(data)]), labels)
    if isinstance(data, Mapping):
        return _with_labels(Gathered(arrays={str(name): to_numpy(value) for name, value in data.items()}), labels)
    if isinstance(data, np.ndarray) or is_tensor(data):
        return _with_labels(Gathered(arrays={"input": to_numpy(data)}), labels)
    if isinstance(data, Iterable):
        first = list(data) if isinstance(data, (list, tuple)) else None
        if first and all(is_path(item) for item in first):
            return _with_labels(Gathered(paths=[os.fspath(item) for item in first]), labels)
        batches: list[Any] = first if first is not None else _take(data, most)
    else:
        raise UsageError(
            f"samples of type {type(data).__name__} are not known; accepted: a path, an array or tensor, a mapping of "
            "arrays by input, an iterable of batches"
        )
    return _with_labels(_join(batches, interface(), most), labels)


def _take(data: Iterable[Any], most: int | None) -> list[Any]:
    """As many batches as are needed, because an iterable may be endless."""
    taken: list[Any] = []
    count = 0
    for batch in data:
        if most is not None and count >= most:
            break
        taken.append(batch)
        part = next(iter(batch.values())) if isinstance(batch, Mapping) else batch
        part = part[0] if isinstance(part, (list, tuple)) and len(part) > 0 else part
        shape: tuple[int, ...] = tuple(getattr(part, "shape", ()))
        count += int(shape[0]) if len(shape) > 0 else 1
    return taken


def _join(batches: list[Any], inputs: Interface, most: int | None) -> Gathered:
    parts: dict[str, list[Array]] = {}
    for batch in batches:
        for name, array in _split(batch, inputs).items():
            parts.setdefault(name, []).append(array)
    if not parts:
        raise UsageError("there are no samples: the iterable is empty")
    joined = {}
    for name, arrays in parts.items():
        try:
            joined[name] = arrays[0] if len(arrays) == 1 else np.concatenate(arrays)
        except ValueError as error:
            shapes = sorted({str(list(array.shape[1:])) for array in arrays})
            raise UsageError(f"batches for '{name}' have samples of several shapes: {', '.join(shapes)}") from error
    return Gathered(
        arrays={name: array[:most] if _counts(name, array, inputs) else array for name, array in joined.items()}
    )


def _counts(name: str, array: Array, inputs: Interface) -> bool:
    """Whether the first axis counts samples of a model that takes one at a time."""
    shape = inputs.shapes[inputs.names.index(name)] if name in inputs.names else ()
    return array.ndim > 0 and (not shape or (array.ndim == len(shape) and shape[0] == 1))


def _split(batch: Any, inputs: Interface) -> dict[str, Array]:
    if isinstance(batch, Mapping):
        return {str(name): _fit(to_numpy(value), str(name), inputs) for name, value in batch.items()}
    if not isinstance(batch, (list, tuple)) or not any(hasattr(item, "shape") for item in batch):
        batch = (batch,)
    if len(batch) < len(inputs.names):
        raise UsageError(
            f"a batch has {len(batch)} arrays; the model has {len(inputs.names)} inputs: {', '.join(inputs.names)}"
        )
    split = {name: _fit(to_numpy(batch[i]), name, inputs) for i, name in enumerate(inputs.names)}
    behind = to_numpy(batch[len(inputs.names)]) if len(batch) > len(inputs.names) else None
    if behind is not None and np.issubdtype(behind.dtype, np.integer):
        split["labels"] = np.atleast_1d(behind).astype(np.int64)
    return split


def _fit(array: Array, name: str, inputs: Interface) -> Array:
    shape = inputs.shapes[inputs.names.index(name)] if name in inputs.names else ()
    is_sample = len(shape) > 0 and shape[0] == 1 and array.shape == shape[1:]
    return array[None] if is_sample else array


def _with_labels(gathered: Gathered, labels: Any) -> Gathered:
    if labels is not None:
        if gathered.paths:
            raise UsageError("labels beside files: put them into a .npz as the array 'labels'")
        gathered.arrays["labels"] = np.atleast_1d(to_numpy(labels)).astype(np.int64)
    return gathered


def add_to(options: dict[str, Any], option: str, gathered: Gathered, arrays: dict[str, Mapping[str, Array]]) -> None:
    """Puts samples under an option of a job."""
    file = option + ".npz"
    if gathered.arrays:
        arrays[file] = gathered.arrays
    options[option] = gathered.paths + ([file] if gathered.arrays else [])

