# SPDX-License-Identifier: Apache-2.0
"""Progress as one line: in a notebook as an output that is replaced, on a terminal written over and over."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator

Progress = bool | Callable[[str], None] | None


@contextlib.contextmanager
def shown(progress: Progress) -> Iterator[Callable[[str], None] | None]:
    """A listener for lines. None: shown where there is somebody to see it; True: always; False: never."""
    if callable(progress):
        yield progress
    elif progress is False:
        yield None
    elif _in_notebook():
        yield from _notebook()
    elif progress or sys.stderr.isatty():
        yield from _terminal()
    else:
        yield None


def _in_notebook() -> bool:
    module = sys.modules.get("IPython")
    shell = module.get_ipython() if module else None
    return shell is not None and hasattr(shell, "kernel")


def _terminal() -> Iterator[Callable[[str], None]]:
    def show(text: str) -> None:
        sys.stderr.write("\r\033[K" + text)
        sys.stderr.flush()

    yield show
    show("")


def _notebook() -> Iterator[Callable[[str], None]]:
    from IPython.display import HTML, display

    handle = display(HTML(""), display_id=True)

    def show(text: str) -> None:
        import html

        handle.update(HTML(f"<code>{html.escape(text)}</code>" if text else ""))

    yield show
    show("")
