#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: package_test.sh TOP TEST.py [torch]
# The modules of the Python package with the library and the program as users run them, without a wheel; with `torch`,
# in the Python of build/python.
set -eu
top=$1 test=$2
python=/usr/bin/python3
"$python" -c 'import numpy' 2>/dev/null || python=python3
"$python" -c 'import numpy' 2>/dev/null || python=$top/build/python/bin/python
if [ "${3:-}" = torch ]; then
    python=$top/build/python/bin/python
    if ! "$python" -c 'import torchao' 2>/dev/null; then
        echo "no PyTorch in build/python: scripts/bootstrap --python installs it" >&2
        exit 77
    fi
fi
if ! "$python" -c 'import numpy' 2>/dev/null; then
    echo "no Python with numpy: scripts/bootstrap installs python3-numpy" >&2
    exit 77
fi
folder=$(dirname "$RUSHLIGHT_RELEASE")
RUSHLIGHT_FIXTURES="$top/tests/fixtures" RUSHLIGHT_PROGRAM="$RUSHLIGHT_RELEASE" RUSHLIGHT_NATIVE="$folder" \
    PYTHONPATH="$top/bindings/python" PYTHONDONTWRITEBYTECODE=1 "$python" "$top/tests/python_package/$test"
