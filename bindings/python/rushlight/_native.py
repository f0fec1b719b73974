# SPDX-License-Identifier: Apache-2.0
"""librushlight.so (rushlight/compiler.h) through ctypes: one call of a verb, with files and arrays in memory."""

from __future__ import annotations

import _thread
import ctypes
import json
import os
import pathlib
import threading
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from ._errors import Cancelled, RushlightError, RushlightWarning, UsageError

Array = npt.NDArray[Any]
OptionValue = str | int | float | bool | os.PathLike[str] | None
Listener = Callable[[str], None]

_DONE, _FAILED, _USAGE, _CANCELLED, _OUT_OF_MEMORY = range(5)
_WARNING = 0


class _Array(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p),
        ("dtype", ctypes.c_char_p),
        ("rank", ctypes.c_int),
        ("sizes", ctypes.POINTER(ctypes.c_int64)),
        ("data", ctypes.c_void_p),
    ]


_Callback = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p)


def native_folder() -> pathlib.Path:
    """The folder with librushlight.so, the program `rushlight`, and the firmware of the emulated cores."""
    chosen = os.environ.get("RUSHLIGHT_NATIVE")
    return pathlib.Path(chosen) if chosen else pathlib.Path(__file__).resolve().parent / "native"


def _load() -> ctypes.CDLL:
    path = native_folder() / "librushlight.so"
    try:
        library = ctypes.CDLL(str(path))
    except OSError as error:
        raise ImportError(f"{path} cannot be loaded: {error}; 'pip install rushlight' brings it") from error
    text, job, size = ctypes.c_char_p, ctypes.c_void_p, ctypes.c_size_t
    signatures: dict[str, tuple[Any, list[Any]]] = {
        "version": (text, []),
        "new": (job, [text]),
        "free": (None, [job]),
        "operand": (None, [job, text]),
        "option": (None, [job, text, text]),
        "file": (None, [job, text, ctypes.c_void_p, size]),
        "array": (None, [job, text, ctypes.POINTER(_Array)]),
        "keep": (None, [job, text]),
        "listen": (None, [job, _Callback, ctypes.c_void_p]),
        "run": (ctypes.c_int, [job]),
        "cancel": (None, [job]),
        "message": (text, [job]),
        "result": (text, [job]),
        "kept": (ctypes.c_void_p, [job, text, ctypes.POINTER(size)]),
        "kept_array": (ctypes.c_int, [job, text, ctypes.c_int, ctypes.POINTER(_Array)]),
    }
    for name, (result, arguments) in signatures.items():
        function = getattr(library, "rl_job_" + name)
        function.restype = result
        function.argtypes = arguments
    return library


_library = _load()


def library_version() -> str:
    """The version of the library, such as "0.1.0"."""
    return _text(_library.rl_job_version())


def _text(value: bytes | None) -> str:
    return (value or b"").decode("utf-8", "replace")


@dataclass
class Outcome:
    """What a job has returned."""

    result: dict[str, Any]
    files: dict[str, bytes]
    arrays: dict[str, dict[str, Array]]
    warnings: list[str]
    passed: bool


@dataclass
class Job:
    """A verb with its operands and options, as of the command line, and the files that lie in memory.

    Options are named as on the command line, without dashes in front. True stands for an option without a value, and
    None and False for one that is not given; a list gives the option once for each of its items.
    """

    verb: str
    operands: list[str] = field(default_factory=list)
    options: dict[str, OptionValue | Iterable[OptionValue]] = field(default_factory=dict)
    files: dict[str, bytes] = field(default_factory=dict)
    arrays: dict[str, Mapping[str, Array]] = field(default_factory=dict)
    keep: list[str] = field(default_factory=list)
    keep_arrays: list[str] = field(default_factory=list)
    may_fail: bool = False  # a verb that comes with a result when its exit status is not 0

    def run(self, listener: Listener | None = None) -> Outcome:
        """Runs the job in a thread of its own, so that Ctrl-C ends it at once.

        Raises UsageError, RushlightError or Cancelled with the sentence of the command line; MemoryError.
        """
        pointer = _library.rl_job_new(self.verb.encode())
        if not pointer:
            raise MemoryError("the host has no memory left")
        handle = ctypes.c_void_p(pointer)
        try:
            return self._run(handle, listener)
        finally:
            _library.rl_job_free(handle)

    def _prepare(self, handle: ctypes.c_void_p) -> list[object]:
        alive: list[object] = []  # what the library reads while the job runs
        for operand in self.operands:
            _library.rl_job_operand(handle, os.fsencode(operand))
        for name, value in self.options.items():
            for item in _values(value):
                text = None if item is True else os.fsencode(str(item))
                _library.rl_job_option(handle, name.encode(), text)
        for name, data in self.files.items():
            alive.append(data)
            _library.rl_job_file(handle, os.fsencode(name), data, len(data))
        for file, arrays in self.arrays.items():
            for name, array in arrays.items():
                alive.append(_give_array(handle, file, name, array))
        for name in self.keep + self.keep_arrays:
            _library.rl_job_keep(handle, os.fsencode(name))
        return alive

    def _run(self, handle: ctypes.c_void_p, listener: Listener | None) -> Outcome:
        alive = self._prepare(handle)
        heard: list[str] = []

        def listen(_user: object, event: int, text: bytes | None) -> None:
            if event == _WARNING:
                heard.append(_text(text))
            elif listener:
                listener(_text(text))

        callback = _Callback(listen)
        _library.rl_job_listen(handle, callback, None)
        status = _run_in_thread(handle)
        del alive
        for warning in heard:
            warnings.warn(warning, RushlightWarning, stacklevel=_depth_outside())
        message, result = _text(_library.rl_job_message(handle)), _library.rl_job_result(handle)
        if status == _OUT_OF_MEMORY:
            raise MemoryError(message)
        if status == _CANCELLED:
            raise Cancelled(message)
        if status != _DONE and not (self.may_fail and result):
            raise (UsageError if _is_usage(status, self.verb) else RushlightError)(message)
        return Outcome(
            result=json.loads(result) if result else {},
            files={name: _take_file(handle, name) for name in self.keep},
            arrays={name: _take_arrays(handle, name) for name in self.keep_arrays},
            warnings=heard,
            passed=status == _DONE,
        )


def _is_usage(status: int, verb: str) -> bool:
    return status == _USAGE and verb not in ("diff", "fit", "validate")


def _values(value: OptionValue | Iterable[OptionValue]) -> list[Any]:
    if value is None or value is False:
        return []
    if isinstance(value, (str, bytes, bool, int, float, os.PathLike)):
        return [value]
    return [item for item in value if item is not None and item is not False]


def _give_array(handle: ctypes.c_void_p, file: str, name: str, array: Array) -> object:
    # The library reads little-endian elements in C order.
    dense = np.asarray(array, dtype=array.dtype.newbyteorder("<"), order="C")
    sizes = (ctypes.c_int64 * max(dense.ndim, 1))(*dense.shape)
    description = _Array(name.encode(), str(dense.dtype.name).encode(), dense.ndim, sizes, dense.ctypes.data)
    _library.rl_job_array(handle, os.fsencode(file), ctypes.byref(description))
    return dense


def _take_file(handle: ctypes.c_void_p, name: str) -> bytes:
    size = ctypes.c_size_t()
    data = _library.rl_job_kept(handle, os.fsencode(name), ctypes.byref(size))
    return ctypes.string_at(data, size.value) if data else b""


def _take_arrays(handle: ctypes.c_void_p, name: str) -> dict[str, Array]:
    arrays: dict[str, Array] = {}
    found = _Array()
    while _library.rl_job_kept_array(handle, os.fsencode(name), len(arrays), ctypes.byref(found)):
        shape = tuple(found.sizes[i] for i in range(found.rank))
        dtype = np.dtype(_text(found.dtype))
        count = int(np.prod(shape, dtype=np.int64))
        data = ctypes.string_at(found.data, count * dtype.itemsize) if count else b""
        arrays[_text(found.name)] = np.frombuffer(bytearray(data), dtype=dtype).reshape(shape)
    return arrays


def _run_in_thread(handle: ctypes.c_void_p) -> int:
    status = [_FAILED]
    # Before Python 3.13 a join that a signal has interrupted waits no longer, so the job says itself that it is done.
    done = threading.Event()

    def work() -> None:
        try:
            status[0] = int(_library.rl_job_run(handle))
        finally:
            done.set()

    try:
        _start(work, done)
        done.wait()
    except BaseException:  # KeyboardInterrupt, or what a handler of a signal raises
        _library.rl_job_cancel(handle)
        done.wait()
        raise
    return status[0]


def _start(work: Callable[[], None], done: threading.Event) -> None:
    try:
        # Unlike Thread.start it is not interrupted between the start and the return.
        _thread.start_new_thread(work, ())
    except RuntimeError:  # the host has no thread left
        done.set()
        raise


def _depth_outside() -> int:
    """The stack level, for warnings.warn, of the first caller outside this package."""
    import sys

    depth, frame = 1, sys._getframe(1)
    package = os.path.dirname(__file__)
    while frame.f_back and frame.f_code.co_filename.startswith(package):
        frame, depth = frame.f_back, depth + 1
    return depth
