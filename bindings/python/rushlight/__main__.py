# SPDX-License-Identifier: Apache-2.0
"""The program `rushlight`, with all its verbs: ``rushlight ...`` and ``python -m rushlight ...``."""

from __future__ import annotations

import os
import sys

from ._native import native_folder


def main() -> None:
    """Becomes the program."""
    program = str(native_folder() / "rushlight")
    os.execv(program, [program, *sys.argv[1:]])


if __name__ == "__main__":
    main()
