#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: install_core_test.sh BUILD
# The installation of a core's build: libraries and headers only, with which the project of a user links for the core.
set -eu
. "$(dirname "$0")/common.sh"
if ! command -v arm-none-eabi-gcc >/dev/null; then
    echo "arm-none-eabi-gcc is not installed: scripts/bootstrap does"
    exit 77
fi
install_to_prefix "$1"
expect_headers
[ "$(ls "$prefix")" = "$(printf '%s\n' include lib)" ] || fail "more than libraries and headers: $(ls "$prefix")"
build_user -DRL_CORE=m4 -DCMAKE_TOOLCHAIN_FILE="$top/boards/toolchain.cmake" \
    -DCMAKE_EXE_LINKER_FLAGS="--specs=rdimon.specs -Wl,--gc-sections"

# functions FILE: names of the functions that it defines and exports.
functions() {
    arm-none-eabi-nm -g --defined-only "$1" | awk '$2 == "T" { print $3 }' | sort -u
}

functions "$folder/user/run" >"$folder/run"
for library in runtime format kernels; do
    functions "$prefix/lib/librushlight_$library.a" | comm -12 - "$folder/run" | grep -q . ||
        fail "the program has nothing of rushlight_$library"
done
functions "$folder/user/add" | grep -q '^arm_elementwise_add_s8$' || fail "the program does not add"
