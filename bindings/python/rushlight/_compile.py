# SPDX-License-Identifier: Apache-2.0
"""The compiler."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from . import _data
from ._model import Model, read_model
from ._native import Job
from ._program import Program, _dashed
from ._progress import Progress, shown


def compile(  # noqa: A001: the name of what it does, in a module of its own
    model: Model,
    example_inputs: Any = None,
    *,
    calibration: Any = None,
    target: str = "cortex-m4",
    calibration_samples: int | None = 256,
    quantize: Literal["int8", "a16w8", "none"] = "int8",
    quantizer: Literal["best", "stock"] = "best",
    accuracy: Literal["full", "fast"] = "full",
    io: Literal["float", "int8"] = "float",
    runtime: Literal["rushlight", "executorch"] = "rushlight",
    names: bool = True,
    keep_channels: bool = False,
    winograd: bool = False,
    explicit_layout: bool = False,
    max_arena: int | str | None = None,
    sequence: int | None = None,
    shapes: Mapping[str, Sequence[int]] | None = None,
    dynamic_shapes: Any = None,
    threads: int | None = None,
    progress: Progress = None,
    **preparation: Any,
) -> Program:
    """Quantizes a model, lowers it to integer operators, plans its memory, and returns the program.

    model: a torch.nn.Module, a torch.export.ExportedProgram (also one that PT2E has quantized), or a .pt2 as a path or
        as bytes. Only the first two need PyTorch.
    example_inputs: what a torch.nn.Module is exported with: a tuple of tensors, or one tensor.
    calibration: typical samples, some dozens of them: an array or a tensor [samples, ...] for the only input; a mapping
        from names of inputs to such arrays; an iterable of batches, for example a DataLoader, whose batches are arrays,
        tuples of one array an input (labels behind them are left out), or mappings; or a path of .npz, .npy, images,
        recordings, tables, or of a folder of them. None: the example inputs, with a warning.
    target: the core, as ``rushlight targets`` lists them: "cortex-m0" to "cortex-m85", "any".
    calibration_samples: so many are taken from an iterable of batches at most; None: all.
    quantize: "a16w8" makes activations int16 and weights int8; "none" leaves everything in floating point.
    quantizer: "stock" makes the choices of ExecuTorch's CortexMQuantizer.
    accuracy: "fast" rounds weights to the nearest integers.
    io: the type of inputs and outputs.
    runtime: "executorch" writes a program for the stock runtime.
    names: whether the program names its layers, for reports.
    keep_channels: whether channels stay that cannot change an output.
    winograd: faster 3x3 convolutions on cores with DSP instructions, for 3.6 times the flash of their weights.
    explicit_layout: images are tensors of N, H, W, C, for operators ending in _nhwc.
    max_arena: an error if more memory is needed: bytes, or "64K".
    sequence: for a model with state, so many samples of `calibration` are a sequence; None: all are one.
    shapes: fixes dynamic sizes of inputs: {"x": (1, 3, 96, 96)}.
    dynamic_shapes: for torch.export.export.
    threads: that calibrate; None: one a core. They do not change the program.
    progress: a function that is called with each line; True: shown in any case; False: never; None: in notebooks and on
        terminals.
    preparation: of images, recordings and tables in files: resize, crop, pad, rate, mean, std, as on the command line.

    Raises UsageError, RushlightError or Cancelled, with the sentence of the command line; MemoryError.
    """
    source = read_model(model, example_inputs, dynamic_shapes)
    options: dict[str, Any] = {
        "output": "model.pte",
        "target": target,
        "quantize": quantize,
        "quantizer": quantizer,
        "accuracy": accuracy,
        "io": io,
        "for": runtime,
        "no-names": not names,
        "keep-channels": keep_channels,
        "winograd": winograd,
        "explicit-layout": explicit_layout,
        "max-arena": max_arena,
        "sequence": sequence,
        "threads": threads,
        "shape": [f"{name}={','.join(map(str, sizes))}" for name, sizes in (shapes or {}).items()],
        **_dashed(preparation),
    }
    job = Job("compile", ["model.pt2"], options, files={"model.pt2": source.pt2}, keep=["model.pte"])
    if calibration is not None:
        gathered = _data.gather(calibration, source.interface, most=calibration_samples)
        gathered.arrays.pop("labels", None)
        _data.add_to(options, "calibrate", gathered, job.arrays)
    with shown(progress) as listener:
        outcome = job.run(listener)
    return Program(
        outcome.files["model.pte"], model=source, info=outcome.result, target=target, warnings=outcome.warnings
    )
