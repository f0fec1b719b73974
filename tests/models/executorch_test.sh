#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: executorch_test.sh SCRIPT ARGUMENT...
# Runs a check against the Python package `executorch`, where it is installed. The interpreter is RUSHLIGHT_PYTHON,
# or the one that scripts/bootstrap --python leaves in build/python.
set -eu
python=${RUSHLIGHT_PYTHON:-$(dirname "$0")/../../build/python/bin/python3}
if ! "$python" -c 'import importlib.util, sys
sys.exit(importlib.util.find_spec("executorch") is None)' 2>/dev/null; then
    echo "skipped: $python is not there or has no package 'executorch': scripts/bootstrap --python installs it"
    exit 77
fi
exec "$python" "$@"
