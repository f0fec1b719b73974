#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: run_vectors.sh CORE KERNELS.a
# Runs the recorded results of CMSIS-NN's integer API against our kernels, aligned and misaligned. They lie outside the
# repository. No record may fail; functions that we do not have yet are listed.
set -eu
core=$1 library=$2
oracle=$RUSHLIGHT_SHARED/oracle
if [ ! -f "$oracle/public.bin" ]; then
    echo "no recorded vectors in ../shared/oracle"
    exit 77
fi
include=$(cd "$(dirname "$0")/../../kernels/cmsis_nn/include" && pwd)
WORKDIR=$(mktemp -d)
export WORKDIR
# A library with sanitizers needs them in the program, too.
if nm "$library" | grep -q __ubsan; then
    export CHK_CFLAGS="-fsanitize=address,undefined"
fi
trap 'rm -rf "$WORKDIR"' EXIT

for option in '' -m; do
    # Status 1 also means that a function is missing, so the total decides.
    # shellcheck disable=SC2086
    "$oracle/run.sh" "$core" "$library" "$include" "$oracle/public.bin" $option >"$WORKDIR/log" 2>&1 || true
    grep -E 'FAIL|MISSING|FAULT' "$WORKDIR/log" || true
    total=$(tail -n 1 "$WORKDIR/log")
    echo "vectors on $core ${option:+(misaligned)}: $total"
    case $total in
    "0 passed, "*) exit 1 ;;
    *" passed, 0 failed") ;;
    *) tail -n 20 "$WORKDIR/log" && exit 1 ;;
    esac
done
