# SPDX-License-Identifier: Apache-2.0
"""PyTorch models on the smallest computers.

    program = rushlight.compile(model, (example,), calibration=loader, target="cortex-m4")
    answer = program.run(image, on="cortex-m4")
    program.save("model.pte")

The compiler, the runtime and the firmware of the emulated cores are in this package. Emulated cores also need
qemu-system-arm of this system; `rushlight.doctor()` says what is missing. docs/python.md has the rest.
"""

from __future__ import annotations

from ._compile import compile
from ._errors import Cancelled, RushlightError, RushlightWarning, UsageError
from ._native import Job, library_version
from ._program import Program, _run
from ._result import Page, Result
from ._sweep import Point, Sweep, sweep

__version__ = library_version()

load = Program.load


def doctor() -> Result:
    """What is installed, which cores can be emulated, what is missing and the command that adds it."""
    return _run(Job("doctor", may_fail=True), "doctor", False)


def boards() -> Result:
    """Boards that people have: core, flash and RAM (bytes), clock (Hz)."""
    return _run(Job("boards"), "boards", False)


def targets() -> Result:
    """The cores that a model can be compiled for."""
    return _run(Job("targets"), "targets", False)


__all__ = [
    "Cancelled",
    "Page",
    "Point",
    "Program",
    "Result",
    "RushlightError",
    "RushlightWarning",
    "Sweep",
    "UsageError",
    "boards",
    "compile",
    "doctor",
    "load",
    "sweep",
    "targets",
]
