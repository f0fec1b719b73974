#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: work_test.sh CORE work_test.elf FOLDER
# Counts the instructions of the calls in FOLDER, with many sizes, and compares them with the work that rl_method_work
# states: no call may take more instructions a unit than the header says (rushlight/runtime.h).
set -eu
core=$1 firmware=$2 most=2000
top=$(cd "$(dirname "$0")/../.." && pwd)
counter=$RUSHLIGHT_FIRMWARE/librl_count.so
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
: >"$work/all"
# The command line of a core takes a few files at a time.
for file in "$3"/call* "$top"/tests/fixtures/portable/*.pte "$top"/tests/fixtures/programs/*.pte; do
    QEMU_OPTIONS="-plugin file=$counter,out=$work/counts" "$top/scripts/run-on" "$core" "$firmware" "$file" \
        >"$work/log" || [ $? -eq 1 ] # no call of the program runs
    grep '^work ' "$work/log" | paste -d ' ' "$work/counts" - >>"$work/all" || true
done
# Each line: instructions, "work", units, operator, status.
awk -v most=$most '
    { ratio = $1 / $3; if (ratio > highest[$4]) highest[$4] = ratio; operators[$4]++ }
    ratio > most { print "FAIL: " $4 ": " $1 " instructions, " $3 " units of work"; failed = 1 }
    END {
        for (name in highest) { total++; if (highest[name] > top) { top = highest[name]; which = name } }
        printf "%d calls of %d operators, at most %d instructions a unit (%s)\n", NR, total, top, which
        if (total < 150) { print "FAIL: too few operators"; failed = 1 }
        exit failed
    }' "$work/all"
