# SPDX-License-Identifier: Apache-2.0
"""A compiled program, and what can be asked of it."""

from __future__ import annotations

import html
import os
import pathlib
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from . import _data
from ._errors import UsageError
from ._files import write
from ._model import Model, Source, _read, read_model
from ._native import Array, Job
from ._progress import Progress, shown
from ._result import Page, Result, to_html

_FILE = "model.pte"

Labels = Sequence[str] | str | os.PathLike[str] | None


class Program:
    """A program for a microcontroller: the bytes of a .pte, and what the compiler said about it.

    Attributes:
        pte: the bytes of the program.
        target: the core that it was compiled for, such as "cortex-m4"; None if it was loaded.
        info: what the compiler reports, with the keys of ``rushlight compile --json``: ``program_bytes``,
            ``arena_bytes``, ``constant_bytes`` (bytes each), ``ops`` (how often each operator is called), ``inputs``
            and ``outputs`` (name, dtype, shape), ``fp32_nodes`` (what stays in floating point, and why).
        warnings: the compiler's warnings.

    A program can be pickled, so that it travels between processes.
    """

    def __init__(
        self,
        pte: bytes,
        *,
        model: Source | None = None,
        info: Mapping[str, Any] | None = None,
        target: str | None = None,
        warnings: list[str] | None = None,
    ) -> None:
        self.pte = pte
        self.target = target
        self.warnings = list(warnings or [])
        self._model = model
        self._info = Result(info, "compile") if info else None

    @classmethod
    def load(cls, path: str | os.PathLike[str], model: Model | None = None, target: str | None = None) -> Program:
        """Reads a .pte. `model` is the float model that `evaluate` compares with, `target` the core for `profile`."""
        return cls(_read(os.fspath(path)), model=None if model is None else read_model(model), target=target)

    @property
    def info(self) -> Result:
        """What the compiler reports, or for a program that was loaded, what `inspect` does."""
        if self._info is None:
            self._info = self.inspect()
        return self._info

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the .pte: all of it or nothing."""
        write(path, self.pte)

    def run(
        self,
        *inputs: Any,
        on: str = "host",
        sequence: int | None = None,
        timeout: int | None = None,
        method: str | None = None,
        progress: Progress = None,
    ) -> Any:
        """Runs the program and returns its output, or a tuple of its outputs.

        inputs: an array or a tensor for each input, with the shape that the model was exported with, or with any number
            of samples along the first axis. Real numbers, also where the program takes int8. Without inputs: zeros.
        on: "host", or an emulated core such as "cortex-m4", which needs qemu-system-arm of this system. The bytes are
            the same.
        sequence: for a model with state, so many samples are a sequence, which starts anew; None: all are one.
        timeout: seconds, of an emulated core; None: 600.
        method: the name of a method; None: forward.

        Returns tensors of PyTorch if the first input is one, else arrays of numpy. Of several samples, the first axis
        counts them.
        """
        options: dict[str, Any] = {
            "on": on,
            "sequence": sequence,
            "timeout": timeout,
            "method": method,
            "output": "out.npz",
            "no-elements": True,
        }
        job = self._job("run", [_FILE], options)
        job.keep_arrays = ["out.npz"]
        self._give(job, inputs, options)
        with shown(progress) as listener:
            outputs = list(job.run(listener).arrays["out.npz"].values())
        if inputs and _data.is_tensor(inputs[0]):
            import torch

            outputs = [torch.from_numpy(output) for output in outputs]
        return outputs[0] if len(outputs) == 1 else tuple(outputs)

    def evaluate(
        self,
        data: Any,
        labels: Any = None,
        *,
        on: str = "host",
        model: Model | None = None,
        samples: int | None = None,
        sequence: int | None = None,
        culprits: int | None = None,
        progress: Progress = None,
        **preparation: Any,
    ) -> Result:
        """Compares the program with the float model on samples.

        data, labels: samples in any form that `rushlight.compile` takes as `calibration`, and the class of each, as
            integers of shape [samples]; a DataLoader that yields (input, label) has both.
        on: "host" or an emulated core.
        model: the float model, if the program was loaded without one.
        samples: so many are taken from an iterable of batches at most; None: all.
        culprits: so many samples on which each layer is quantized alone; 0: none.
        preparation: of images, recordings and tables in files: resize, crop, pad, rate, mean, std.

        The keys are those of ``rushlight evaluate --json``: `top1_float` and `top1_quantized` (shares from 0 to 1, if
        there are labels), `agreement`, `sqnr_db` (signal to quantization noise of the output, in dB), `layers`.
        """
        source = self._source(model)
        options: dict[str, Any] = {"on": on, "sequence": sequence, "culprits": culprits, **_dashed(preparation)}
        job = self._job("evaluate", ["model.pt2", _FILE], options)
        job.files["model.pt2"] = source.pt2
        _data.add_to(options, "data", _data.gather(data, source.interface, labels, samples), job.arrays)
        return _run(job, "evaluate", progress)

    def profile(
        self,
        data: Any = None,
        *,
        on: str | None = None,
        clock: str | None = None,
        wait_states: int | None = None,
        progress: Progress = None,
    ) -> Result:
        """What each layer takes on an emulated core.

        data: samples, of which the first is run; None: zeros.
        on: the core; None: the target. "host" tells only the time.
        clock: the clock of the core, such as "80MHz", for milliseconds.
        wait_states: cycles of an access to flash that misses its small cache.

        The keys are those of ``rushlight profile --json``: `instructions` and `cycles` of one inference, `arena_bytes`,
        `state_bytes` and `stack_bytes`, and `operators`, a list of the same for each layer.
        """
        options: dict[str, Any] = {"on": on or self._core(), "clock": clock, "wait-states": wait_states}
        job = self._job("profile", [_FILE], options)
        if data is not None:
            gathered = _data.gather(data, self._interface)
            _data.add_to(options, "input", gathered, job.arrays)
        return _run(job, "profile", progress)

    def fit(self, board: str | None = None, *, progress: Progress = None, **room: Any) -> Result:
        """Whether the program fits a board: flash as linked, RAM and time as measured on the emulated core.

        board: one that `rushlight.boards` lists, such as "nano-33-ble". Otherwise `room` says what there is:
            core="cortex-m4", flash="256K", ram="64K" (bytes), clock="64MHz", wait_states=2; deadline="50ms" with both.

        Needs arm-none-eabi-gcc of this system, which links the code that the program needs. The keys are those of
        ``rushlight fit --json``: `fits`, and what is needed and there.
        """
        options = {"board": board, **_dashed(room)}
        if board is None and "core" not in options:
            options["core"] = self._core()
        job = self._job("fit", [_FILE], options)
        job.may_fail = True
        return _run(job, "fit", progress)

    def report(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        board: str | None = None,
        data: Any = None,
        labels: Any = None,
        model: Model | None = None,
        progress: Progress = None,
        **room: Any,
    ) -> Page:
        """One page about the program, for a browser or a notebook; written to `path` if that is given.

        board, room: as for `fit`, for the verdict and for the cycles of each layer.
        data, labels: as for `evaluate`, for what each layer costs in accuracy.
        """
        options: dict[str, Any] = {"board": board, "output": "page.html", **_dashed(room)}
        job = self._job("report", [_FILE], options)
        job.keep = ["page.html"]
        if data is not None:
            source = self._source(model)
            job.files["model.pt2"] = source.pt2
            options["model"] = "model.pt2"
            _data.add_to(options, "data", _data.gather(data, source.interface, labels), job.arrays)
        with shown(progress) as listener:
            outcome = job.run(listener)
        page = Page(outcome.files["page.html"].decode(), outcome.result)
        if path is not None:
            write(path, page.html.encode())
        return page

    def emit_c(
        self,
        folder: str | os.PathLike[str],
        *,
        target: str | None = None,
        with_kernels: bool = False,
        name: str | None = None,
        labels: Labels = None,
        arena: Literal["static", "caller"] = "static",
        force: bool = False,
    ) -> Result:
        """Writes the program as C: model.c and model.h, which call the kernels directly and give the same bytes.

        folder: is made, whole or not at all. One that exists stays.
        target: the core, as for `rushlight.compile`; None: the program's.
        with_kernels: the sources of the kernels as well, for that core, so that the folder builds alone.
        name: how public names start; None: with the name of the folder. Inputs and outputs have numbers.
        labels: the names of the classes, or the path of a file with one a line.
        arena: "caller": functions take the memory as an argument.
        force: replaces a folder that Rushlight wrote.

        The keys are `arena_bytes`, `constant_bytes`, and `c` with `stack_bytes`, `state_bytes` (bytes each) and the
        `functions` of the kernels that it calls. docs/c.md has the rest.
        """
        options: dict[str, Any] = {
            "emit": "c",
            "target": target or self._own_target("target="),
            "with-kernels": with_kernels,
            "name": name,
            "arena": arena,
            "force": force,
        }
        return self._write_folder("compile", folder, labels, options)

    def firmware(
        self,
        folder: str | os.PathLike[str],
        *,
        target: str | None = None,
        board: str | None = None,
        name: str | None = None,
        labels: Labels = None,
        runtime: bool = False,
        force: bool = False,
    ) -> Result:
        """Writes a project around the program, which three commands build and run on the emulated core.

        folder: is made, whole or not at all. One that exists stays.
        target: the core; None: the program's, unless there is a board.
        board: one that `rushlight.boards` lists. One that is too small is refused, with what is needed and there; to
            measure that needs arm-none-eabi-gcc of this system.
        runtime: the program itself and the runtime in place of C, so that another program can take its place.
        name, labels, force: as for `emit_c`.

        The keys are those of ``rushlight firmware --json``: `name` and `core`, `constant_bytes`, `arena_bytes` and
        `stack_bytes` (bytes each), `linker_script` for the board, or None. docs/project.md has the rest.
        """
        options: dict[str, Any] = {
            "target": target if target or board else self._own_target("target= or board="),
            "board": board,
            "name": name,
            "runtime": runtime,
            "force": force,
        }
        return self._write_folder("firmware", folder, labels, options)

    def validate(
        self,
        firmware: str | os.PathLike[str] | None = None,
        *inputs: Any,
        port: str | None = None,
        on: str | None = None,
        board: str | None = None,
        sequence: int | None = None,
        baud: int | None = None,
        timeout: int | None = None,
        progress: Progress = None,
    ) -> Result:
        """Compares a firmware with the host, byte for byte: `identical` of the result says whether all is the same.

        firmware: with `on`: the folder of a project of `firmware` that was built, or the path of its validate.elf. With
            `port` it is in the flash of the board already: None.
        inputs: as for `run`, with samples along the first axis; none: four samples of random numbers.
        port: the serial port of a board, such as "/dev/ttyACM0".
        on: an emulated core in its place.
        board: with `port`, one that `rushlight.boards` lists: its modelled cycles are shown beside the measured ones.
        sequence: for a model with state, so many samples are a sequence, which starts anew; None: all are one.
        baud: bits a second of the port; None: 115200.
        timeout: seconds that an answer may take; None: 10.

        The keys are those of ``rushlight validate --json``, and `identical`: `verdict`, such as "different", "damaged"
        or "no answer", `cycles` of each sample, `modelled_cycles`, `stack_bytes`, `outputs` with what differs, and
        `refused`, if an operator refused its data.
        """
        options: dict[str, Any] = {
            "firmware": None if firmware is None else _validating(firmware),
            "port": port,
            "on": on,
            "board": board,
            "sequence": sequence,
            "baud": baud,
            "timeout": timeout,
        }
        job = self._job("validate", [_FILE], options)
        job.may_fail = True
        self._give(job, inputs, options)
        with shown(progress) as listener:
            outcome = job.run(listener)
        return Result({**outcome.result, "identical": outcome.passed}, "validate")

    def inspect(self) -> Result:
        """What is in the program: instructions, tensors, memory map, with the keys of ``rushlight inspect --json``."""
        return _run(self._job("inspect", [_FILE], {}), "inspect", False)

    def diff(self, other: Program) -> Result:
        """What differs between two programs; `equal` says whether anything does."""
        job = self._job("diff", [_FILE, "other.pte"], {})
        job.files["other.pte"] = other.pte
        job.may_fail = True
        return _run(job, "diff", False)

    def __len__(self) -> int:
        return len(self.pte)

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        arena = f", arena of {self._info['arena_bytes']} bytes" if self._info and "arena_bytes" in self._info else ""
        return f"<rushlight.Program for {self.target or 'any core'}: {len(self.pte)} bytes{arena}>"

    def _repr_html_(self) -> str:
        keys = ("program_bytes", "constant_bytes", "arena_bytes", "inputs", "outputs", "ops", "fp32_groups")
        shown_keys = {key: self.info[key] for key in keys if key in self.info}
        title = html.escape(f"rushlight.Program for {self.target or 'any core'}")
        return f"<strong>{title}</strong>{to_html(shown_keys)}"

    def _job(self, verb: str, operands: list[str], options: dict[str, Any]) -> Job:
        return Job(verb, operands, options, files={_FILE: self.pte})

    def _give(self, job: Job, inputs: Sequence[Any], options: dict[str, Any]) -> None:
        """Adds samples, one array for each input, if there are any."""
        if inputs:
            names = ["input"] if len(inputs) == 1 else [f"input_{i}" for i in range(len(inputs))]
            job.arrays["in.npz"] = {name: _data.to_numpy(value) for name, value in zip(names, inputs)}
            options["input"] = "in.npz"

    def _write_folder(
        self, verb: str, folder: str | os.PathLike[str], labels: Labels, options: dict[str, Any]
    ) -> Result:
        options["output"] = os.fspath(folder)
        job = self._job(verb, [_FILE], options)
        if labels is None or isinstance(labels, (str, os.PathLike)):
            options["labels"] = labels
        else:
            job.files["labels.txt"] = "\n".join(labels).encode()
            options["labels"] = "labels.txt"
        return _run(job, verb, False)

    def _source(self, model: Model | None) -> Source:
        if model is not None:
            return read_model(model)
        if self._model is None:
            raise UsageError("the float model is missing: this program was loaded; pass model=")
        return self._model

    def _interface(self) -> _data.Interface:
        inputs = self.info["inputs"]
        names = ["input"] if len(inputs) == 1 else [f"input_{i}" for i in range(len(inputs))]
        return _data.Interface(names, [tuple(item["shape"]) for item in inputs])

    def _own_target(self, argument: str) -> str:
        if self.target is None:
            raise UsageError(f"the core is missing: this program was loaded; pass {argument}, such as 'cortex-m4'")
        return self.target

    def _core(self) -> str:
        return self._own_target("on= or core=").split("+")[0]


def _validating(firmware: str | os.PathLike[str]) -> str:
    """The firmware for `validate` that the build of a project has left, or the file itself."""
    path = pathlib.Path(firmware)
    if not path.is_dir():
        return os.fspath(path)
    found = sorted((path / "build").glob("*_validate.elf"))
    if len(found) != 1:
        pattern = f"{path}/build/*_validate.elf"
        raise UsageError(f"{pattern}: found {len(found)} files, expected one; build the project first")
    return os.fspath(found[0])


def _dashed(options: Mapping[str, Any]) -> dict[str, Any]:
    return {name.replace("_", "-"): value for name, value in options.items()}


def _run(job: Job, title: str, progress: Progress) -> Result:
    with shown(progress) as listener:
        return Result(job.run(listener).result, title)
