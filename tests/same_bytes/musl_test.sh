#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: musl_test.sh FOLDER EVERY
# Builds the runtime with musl instead of glibc, runs the programs of FOLDER (host_test.sh), and expects the checksums
# of FOLDER/host.txt.
set -eu
folder=$1 every=$2
cd "$(dirname "$0")/../.."
if ! command -v musl-gcc >/dev/null; then
    echo "skipped: no musl-gcc here: scripts/bootstrap --all installs it"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if ! { cmake -G Ninja -S . -B "$work/build" -DCMAKE_C_COMPILER=musl-gcc -DCMAKE_EXE_LINKER_FLAGS=-static &&
    ninja -C "$work/build" -j "${RL_JOBS:-2}" call_bytes; } >"$work/log" 2>&1; then
    grep -E 'error|FAILED' "$work/log" || tail -5 "$work/log"
    echo "FAIL: the runtime cannot be built with musl"
    exit 1
fi
cd "$folder/programs"
# shellcheck disable=SC2035
"$work/build/tests/call_bytes" "$every" * >"$work/musl.txt"
if ! diff "$folder/host.txt" "$work/musl.txt" >"$work/differences"; then
    head -20 "$work/differences"
    echo "FAIL: operators give other bytes with musl"
    exit 1
fi
echo "$(grep -c . "$work/musl.txt") checksums are those of glibc"
