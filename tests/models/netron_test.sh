#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: netron_test.sh METADATA MODEL.pt2...: Netron opens the programs of these models with the schemas of METADATA,
# and does not without them. Netron is that of the Python package `netron`, whose scripts run under node.
set -eu
python=${RUSHLIGHT_PYTHON:-$(dirname "$0")/../../build/python/bin/python3}
if ! netron=$("$python" -c 'import netron, os; print(os.path.dirname(netron.__file__))' 2>/dev/null); then
    echo "skipped: $python is not there or has no package 'netron': scripts/bootstrap --python installs it"
    exit 77
fi
if ! command -v node >/dev/null; then
    echo "skipped: there is no node here: scripts/bootstrap --python installs it"
    exit 77
fi
metadata=$1
shift
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
for model; do
    "${RUSHLIGHT:?}" compile "$model" -o "$scratch/model.pte" --target cortex-m4 >/dev/null 2>&1
    node "$(dirname "$0")/netron_check.mjs" "$netron" "$metadata" "$scratch/model.pte"
done
if RUSHLIGHT_NETRON_ALONE=1 node "$(dirname "$0")/netron_check.mjs" "$netron" "$metadata" "$scratch/model.pte" \
    2>"$scratch/log" || ! grep -q 'Operator schema for' "$scratch/log"; then
    echo "FAIL: Netron does not want the schemas any more: $(head -3 "$scratch/log")"
    exit 1
fi
