#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: compilers_test.sh RUSHLIGHT
# Does the program write the same bytes whatever built it? Builds it with clang, and compiles every committed model with
# it and with RUSHLIGHT, which another compiler built: quantized by both quantizers, and as floats.
set -eu
cd "$(dirname "$0")/../.."
program=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if ! { CC=clang-16 cmake -G Ninja -S . -B "$work/clang" && ninja -C "$work/clang" -j "${RL_JOBS:-2}" rushlight; } \
    >"$work/log" 2>&1; then
    grep -E 'error|FAILED|not found' "$work/log" || tail -5 "$work/log"
    echo 'FAIL: clang-16 does not build the program'
    exit 1
fi

count=0 differ=0
find tests/fixtures -name '*.pt2' | LC_ALL=C sort >"$work/models"
while read -r model; do
    for options in '--target cortex-m55' '--target any --quantizer stock' '--target any --quantize none'; do
        rm -f "$work"/*.pte
        # A model that cannot be quantized without data leaves no program with either.
        # shellcheck disable=SC2086
        "$program" compile "$model" -o "$work/this.pte" $options >"$work/log" 2>&1 || true
        # shellcheck disable=SC2086
        "$work/clang/rushlight" compile "$model" -o "$work/other.pte" $options >"$work/log" 2>&1 || true
        [ -f "$work/this.pte" ] || [ -f "$work/other.pte" ] || continue
        count=$((count + 1))
        if ! cmp "$work/this.pte" "$work/other.pte"; then
            echo "FAIL: $model, $options: the bytes depend on what built the program"
            differ=$((differ + 1))
        fi
    done
done <"$work/models"
[ "$count" -gt 100 ] || { echo "FAIL: only $count programs were compiled" && exit 1; }
[ "$differ" -eq 0 ] || exit 1
echo "$count programs have the same bytes"
