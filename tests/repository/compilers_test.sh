#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: compilers_test.sh RUSHLIGHT VARIANT...
# Does the program write the same bytes whatever built it? Builds it as each VARIANT says, compiles every committed
# model with it and with RUSHLIGHT: quantized by both quantizers, and as floats. Then runs a program and evaluates it.
# A variant is COMPILER:OPTION[,OPTION...], i386 or arm64; the latter two are cross compilers with the libraries of
# scripts/sysroot and, for arm64, an emulator.
set -eu
cd "$(dirname "$0")/../.."
program=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# build VARIANT: leaves the command that runs the program in $run.
build() {
    case $1 in
    *:*)
        run=$work/build/rushlight
        set -- "-DCMAKE_C_COMPILER=${1%%:*}" -DCMAKE_BUILD_TYPE=Variant \
            "-DCMAKE_C_FLAGS=$(printf '%s' "${1#*:}" | tr ',' ' ')"
        ;;
    *)
        root=$PWD/build/sysroot/$1
        if ! scripts/sysroot "$1" >"$work/log" 2>&1; then
            tail -3 "$work/log"
            echo "skipped: the libraries of $1 cannot be downloaded"
            exit 77
        fi
        run="qemu-aarch64 -L $root $work/build/rushlight"
        [ "$1" = arm64 ] ||
            run="$root/lib/ld-linux.so.2 --library-path $root/lib/i386-linux-gnu:$root/usr/lib/i386-linux-gnu
                $work/build/rushlight"
        set -- "-DRL_ARCHITECTURE=$1" -DCMAKE_TOOLCHAIN_FILE=cmake/sysroot.cmake
        ;;
    esac
    rm -rf "$work/build"
    if ! { cmake -G Ninja -S . -B "$work/build" "$@" && ninja -C "$work/build" -j "${RL_JOBS:-2}" rushlight; } \
        >"$work/log" 2>&1; then
        grep -E 'error|FAILED|not found' "$work/log" || tail -5 "$work/log"
        echo "FAIL: the program cannot be built: $*"
        exit 1
    fi
}

# results FOLDER COMMAND...: what the program makes of every model, and what one of its programs gives.
results() {
    folder=$1
    shift
    mkdir -p "$folder"
    while read -r model; do
        for options in '--target cortex-m55' '--target any --quantizer stock' '--target any --quantize none'; do
            # A model that cannot be quantized without data leaves no program, whatever built the compiler.
            # shellcheck disable=SC2086
            "$@" compile "$model" -o "$folder/$(echo "$model $options" | tr '/ ' '__').pte" $options \
                >"$work/log" 2>&1 || true
        done
    done <"$work/models"
    digits=$folder/tests_fixtures_digits_digits.pt2_--target_any_--quantizer_stock.pte
    "$@" run "$digits" --input tests/fixtures/digits/test.npz -o "$folder/output.npz" >"$folder/run.txt" 2>&1
    "$@" evaluate tests/fixtures/digits/digits.pt2 "$digits" --data tests/fixtures/digits/test.npz --json \
        >"$folder/evaluate.json" 2>"$work/log"
    sed -i "s|$folder/||g" "$folder/run.txt" "$folder/evaluate.json"
}

find tests/fixtures -name '*.pt2' | LC_ALL=C sort >"$work/models"
results "$work/expected" "$program"
count=$(find "$work/expected" -name '*.pte' | wc -l)
[ "$count" -gt 100 ] || { echo "FAIL: only $count programs were compiled" && exit 1; }
failures=0
for variant in "$@"; do
    build "$variant"
    rm -rf "$work/found"
    # shellcheck disable=SC2086
    results "$work/found" $run
    if diff -rq "$work/expected" "$work/found"; then
        echo "$variant: $count programs have the same bytes"
    else
        echo "FAIL: $variant: the bytes depend on what built the program"
        failures=$((failures + 1))
    fi
done
[ "$failures" -eq 0 ]
