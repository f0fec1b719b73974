# SPDX-License-Identifier: Apache-2.0
"""The object that a verb prints with --json, as a mapping that shows itself in notebooks."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping
from typing import Any

_MOST_ROWS = 60


class Result(Mapping[str, Any]):
    """What a verb has found. Its keys are those of ``rushlight VERB --json``, and attributes, too::

        profile = program.profile()
        profile["cycles"] == profile.cycles
    """

    def __init__(self, data: Mapping[str, Any], title: str = "") -> None:
        self._data = dict(data)
        self._title = title

    def __getitem__(self, key: str) -> Any:
        return self._data[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._data)

    def __len__(self) -> int:
        return len(self._data)

    def __getattr__(self, name: str) -> Any:
        try:
            return self.__dict__["_data"][name]
        except KeyError:
            known = ", ".join(self.__dict__.get("_data", {}))
            raise AttributeError(f"there is no '{name}' in this result; it has: {known}") from None

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._data]

    def to_dict(self) -> dict[str, Any]:
        """A copy as a plain dictionary, for json.dumps."""
        return dict(self._data)

    def __repr__(self) -> str:
        plain = {key: value for key, value in self._data.items() if not isinstance(value, (list, dict))}
        rest = [key for key, value in self._data.items() if isinstance(value, (list, dict)) and value]
        text = ", ".join([f"{key}={value!r}" for key, value in plain.items()] + [f"{key}=..." for key in rest])
        return f"<{self._title or 'result'}: {text}>"

    def _repr_html_(self) -> str:
        title = f"<strong>{html.escape(self._title)}</strong>" if self._title else ""
        return title + to_html(self._data)


def to_html(value: Any) -> str:
    """Tables of what JSON can hold: a row a key, and a column a key for lists of objects."""
    if isinstance(value, Mapping):
        rows = "".join(
            f"<tr><th>{html.escape(str(key))}</th><td>{to_html(item)}</td></tr>" for key, item in value.items()
        )
        return f"<table>{rows}</table>"
    if isinstance(value, list) and value and all(isinstance(item, Mapping) for item in value):
        return _table(value)
    if isinstance(value, list):
        return html.escape(", ".join(str(item) for item in value[:_MOST_ROWS]))
    if isinstance(value, float):
        return f"{value:.6g}"
    return html.escape("" if value is None else str(value))


def _table(items: list[Mapping[str, Any]]) -> str:
    keys: list[str] = []
    for item in items:
        keys += [key for key in item if key not in keys]
    head = "".join(f"<th>{html.escape(key)}</th>" for key in keys)
    rows = "".join(
        "<tr>" + "".join(f"<td>{to_html(item.get(key))}</td>" for key in keys) + "</tr>" for item in items[:_MOST_ROWS]
    )
    more = len(items) - _MOST_ROWS
    note = f"<p>and {more} more</p>" if more > 0 else ""
    return f"<details open><summary>{len(items)}</summary><table><tr>{head}</tr>{rows}</table>{note}</details>"


class Page:
    """A page of HTML about a program. Notebooks show it; ``save`` writes it for a browser."""

    def __init__(self, text: str, data: Mapping[str, Any]) -> None:
        self.html = text
        self.data = Result(data, "report")

    def save(self, path: str) -> None:
        """Writes the page."""
        from ._files import write

        write(path, self.html.encode())

    def _repr_html_(self) -> str:
        frame = html.escape(self.html, quote=True)
        style = "width: 100%; height: 40em; border: 0"
        return f'<iframe srcdoc="{frame}" style="{style}" sandbox="allow-scripts"></iframe>'
