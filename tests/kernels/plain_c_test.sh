#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: plain_c_test.sh
# Kernels in plain C (RL_PLAIN_C of kernels/isa.h): our sources have no assembler, intrinsics or extensions left for a
# host, a Cortex-M0, an M4 and an M55; gcc finds nothing that is not used; the Tiny C Compiler, which knows no
# extension, compiles them without warnings; and what it makes passes the tests of all families.
set -eu
cd "$(dirname "$0")/../.."
for tool in tcc arm-none-eabi-gcc; do
    if ! command -v $tool >/dev/null; then
        echo "$tool is not installed: scripts/bootstrap --all installs it"
        exit 77
    fi
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
top=$(pwd)
kernels="-std=c11 -DRL_PLAIN_C=1 -I$top/kernels -I$top/kernels/cmsis_nn/include -I$top/include"

# left COMPILER...: lines of our own files with words that C11 does not have. A union without a name is C11; layer.h
# says __extension__ in front of it for the sake of C99 alone.
left() {
    for file in "$top"/kernels/*/*.c; do
        # shellcheck disable=SC2086
        "$@" $kernels -E "$file"
    done | awk -v top="$top/" '
        /^# [0-9]+ "/ { file = $3; next }
        index(file, top) && /__asm|__attribute__|__builtin_|arm_acle|vld[a-z]*q_|[us]xtb16|smlad|__extension__ [^u]/ {
            print file ": " $0
        }'
}

for target in host cortex-m0 cortex-m4 cortex-m55; do
    set -- cc
    [ $target = host ] || set -- arm-none-eabi-gcc -mcpu=$target
    left "$@" | sort -u >"$work/left"
    if [ -s "$work/left" ]; then
        echo "FAIL: more than plain C for $target:"
        head -5 "$work/left"
        exit 1
    fi
done
mkdir "$work/objects"
for file in kernels/*/*.c; do
    # shellcheck disable=SC2086
    cc -Wall -Wextra -Werror $kernels -c "$file" -o "$work/object.o"
    # shellcheck disable=SC2086
    tcc -Wall -Werror $kernels -c "$file" -o "$work/objects/$(basename "$file" .c).o"
done
ar rcs "$work/libkernels.a" "$work"/objects/*.o

count=0
for test in tests/kernels/*_test.c; do
    case $(basename "$test") in
    loops_* | soft_quantization_*) continue ;; # tests of headers, which they compile themselves
    esac
    # shellcheck disable=SC2086
    cc -std=c11 -O1 -Itests -I. -Ikernels -Ikernels/cmsis_nn/include -Iinclude "$test" tests/support/kernel_test.c \
        tests/kernels/calls.c tests/kernels/reference_*.c "$work/libkernels.a" -lm -o "$work/test"
    if ! "$work/test" >"$work/log" 2>&1; then
        cat "$work/log"
        echo "FAIL: $test with kernels in plain C"
        exit 1
    fi
    count=$((count + 1))
done
[ $count -gt 20 ] || { echo "FAIL: only $count tests ran" && exit 1; }
echo "$count tests passed with kernels in plain C"
