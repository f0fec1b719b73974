#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: levels_test.sh
# Users choose their own optimization: every kernel compiles without warnings at each level, on one core for each
# set of tiles and for ARMv7-M. -O2 is left to the builds for the boards.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
export top
if ! command -v arm-none-eabi-gcc >/dev/null; then
    echo "arm-none-eabi-gcc is not installed: scripts/bootstrap does"
    exit 77
fi

# One line "level core file" for each object.
list() {
    for level in -O0 -O1 -O3 -Os; do
        for core in m0 m3 m4 m55; do
            for file in "$top"/kernels/*/*.c; do
                echo "$level $core $file"
            done
        done
    done
}

# shellcheck disable=SC2016
list | xargs -P 2 -L 1 sh -c '
    case $2 in
    m0 | m3) float=soft ;;
    *) float=hard ;;
    esac
    arm-none-eabi-gcc -mcpu=cortex-$2 -mfloat-abi=$float -mthumb -std=c11 -Wall -Wextra -Werror -fwrapv "$1" \
        -I"$top/kernels" -I"$top/kernels/cmsis_nn/include" -I"$top/include" -S -o /dev/null "$3" || {
        echo "FAIL: $3 for $2 at $1"
        exit 1
    }' compile
