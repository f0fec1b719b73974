# SPDX-License-Identifier: Apache-2.0
"""Many models, targets and options, in any pool of workers."""

from __future__ import annotations

import html
import itertools
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from typing import Any

from ._compile import compile
from ._errors import RushlightError
from ._model import Model, Source, read_model
from ._program import Program


@dataclass
class Point:
    """One compilation of a sweep: what it was, and the program or the error."""

    name: str
    target: str
    options: dict[str, Any] = field(default_factory=dict)
    program: Program | None = None
    error: str | None = None

    def row(self) -> dict[str, Any]:
        """The figures: sizes in bytes."""
        info: Mapping[str, Any] = self.program.info if self.program else {}
        figures = {key: info.get(key) for key in ("program_bytes", "constant_bytes", "arena_bytes")}
        return {"name": self.name, "target": self.target, **self.options, **figures, "error": self.error}


class Sweep(Sequence[Point]):
    """The points of a sweep, in the order of models, targets and options."""

    def __init__(self, points: Sequence[Point]) -> None:
        self._points = list(points)

    def __getitem__(self, index: Any) -> Any:
        return self._points[index]

    def __len__(self) -> int:
        return len(self._points)

    def __iter__(self) -> Iterator[Point]:
        return iter(self._points)

    def rows(self) -> list[dict[str, Any]]:
        """A row a point, for pandas.DataFrame and the like."""
        return [point.row() for point in self._points]

    def _repr_html_(self) -> str:
        from ._result import to_html

        return to_html(self.rows()) if self._points else html.escape("an empty sweep")


def compile_point(source: Source, name: str, target: str, options: dict[str, Any]) -> Point:
    """One point; a function of a module, so that pools of processes and of other machines can run it."""
    try:
        program = compile(source, target=target, progress=False, **options)
        return Point(name, target, options, program)
    except (RushlightError, MemoryError) as error:
        return Point(name, target, options, error=str(error))


def sweep(
    models: Mapping[str, Model | tuple[Model, Any]],
    *,
    targets: Sequence[str] = ("cortex-m4",),
    options: Sequence[Mapping[str, Any]] = ({},),
    executor: Executor | None = None,
    **shared: Any,
) -> Sweep:
    """Compiles each model for each target with each set of options.

    models: by name, as `rushlight.compile` takes them; (model, example_inputs) for a torch.nn.Module. They are exported
        here; workers need no PyTorch.
    targets: cores.
    options: sets of arguments of `rushlight.compile`, such as {"io": "int8"}.
    executor: anything with the interface of concurrent.futures.Executor: pools of threads and processes, Dask's
        client.get_executor(), mpi4py's MPIPoolExecutor. None: one after the other. What runs in parallel should not
        calibrate in many threads each: pass threads=1.
    shared: arguments for all, such as calibration=, as arrays or paths if the workers are other processes.

    A point that cannot be compiled has its sentence in `error`; the others go on.
    """
    sources = {
        name: read_model(*model) if isinstance(model, tuple) else read_model(model) for name, model in models.items()
    }
    work = [
        (sources[name], name, target, {**shared, **chosen})
        for name, target, chosen in itertools.product(sources, targets, options)
    ]
    if executor is None:
        points = [compile_point(*item) for item in work]
    else:
        futures = [executor.submit(compile_point, *item) for item in work]
        points = [future.result() for future in futures]
    for point, (_, _, chosen) in zip(points, itertools.product(sources, targets, options)):
        point.options = dict(chosen)
    return Sweep(points)
