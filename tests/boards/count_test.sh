#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: count_test.sh CORE count_test.elf
# The instruction counter must give exactly the figures that count_test.c was written for.
set -eu
core=$1 firmware=$2
top=$(dirname "$0")/../..
counter=$RUSHLIGHT_FIRMWARE/librl_count.so
if [ ! -f "$counter" ]; then
    echo "$counter is not there: scripts/build --host builds it"
    exit 1
fi
counts=$(mktemp)
trap 'rm -f "$counts"' EXIT
QEMU_OPTIONS="-plugin file=$counter,out=$counts" "$top/scripts/run-on" "$core" "$firmware"
found=$(tr '\n' ' ' <"$counts")
if [ "$found" != "0 1 20 201 17 " ]; then
    echo "FAIL: counted '$found', expected '0 1 20 201 17 '"
    exit 1
fi
QEMU_OPTIONS="-plugin file=$counter,out=$counts,detail=1" "$top/scripts/run-on" "$core" "$firmware"
found=$(tail -2 "$counts" | tr '\n' ' ')
if [ "$found" != "operator 515 1 11 0 0 0 66 inference 17 0 0 0 " ]; then
    echo "FAIL: counted '$found' for the operator"
    exit 1
fi
