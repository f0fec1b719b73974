#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: executorch_test.sh FOLDER: checks programs against the Python package `executorch`, where it is installed.
# RUSHLIGHT_PYTHON names the interpreter to use instead of python3.
set -eu
python=${RUSHLIGHT_PYTHON:-python3}
if ! "$python" -c 'import importlib.util, sys; sys.exit(importlib.util.find_spec("executorch") is None)' 2>/dev/null; then
    echo "skipped: $python has no package 'executorch' (RUSHLIGHT_PYTHON names another python)"
    exit 77
fi
exec "$python" "$(dirname "$0")/executorch_check.py" "$1"
