#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: notebooks_test.sh TOP
# Executes the notebooks of examples/notebooks, which jupytext makes of the scripts there, and builds and runs the
# firmware that one of them ends with. Wants PyTorch in build/python and the registry of Python.
set -eu
top=$1
if [ ! -x "$top/build/python/bin/python" ]; then
    echo "no PyTorch in build/python: scripts/bootstrap --python installs it" >&2
    exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$top/build/python/bin/python" -m venv "$folder/tools"
"$folder/tools/bin/pip" --quiet install jupytext nbclient nbformat ipykernel >"$folder/log" 2>&1 || {
    cat "$folder/log" >&2
    exit 1
}
# PyTorch's packages come last, so that those of Jupyter are of one kind.
packages_of() {
    "$1" -c 'import sysconfig; print(sysconfig.get_path("purelib"))'
}
packages_of "$top/build/python/bin/python" >"$(packages_of "$folder/tools/bin/python")/torch.pth"
# Threads that wait for each other give the processor to other tests.
export PYTHONPATH="$top/bindings/python" PYTHONDONTWRITEBYTECODE=1 OMP_WAIT_POLICY=passive
RUSHLIGHT_NATIVE=$(dirname "$RUSHLIGHT_RELEASE")
export RUSHLIGHT_NATIVE
cd "$folder"
for script in "$top"/examples/notebooks/*.py; do
    name=$(basename "$script" .py)
    "$folder/tools/bin/jupytext" --quiet --to ipynb "$script" -o "$name.ipynb"
    "$folder/tools/bin/python" - "$name.ipynb" <<'END'
import sys

import nbformat
from nbclient import NotebookClient

notebook = nbformat.read(sys.argv[1], as_version=4)
NotebookClient(notebook, timeout=1200, kernel_name="python3").execute()
outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
shown = [output["data"] for output in outputs if "data" in output]
assert any("text/html" in data and "program_bytes" in data["text/html"] for data in shown), "no program was shown"
END
    echo "$name: executed"
done
if command -v arm-none-eabi-gcc >/dev/null; then
    cd keyword_spotting
    if ! { cmake -B build && timeout 300 cmake --build build --target run; } >"$folder/log" 2>&1; then
        cat "$folder/log" >&2
        exit 1
    fi
    grep "thousandths, most for '\(up\|down\|yes\|no\)'" "$folder/log"
fi
