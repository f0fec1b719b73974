#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: cmake_test.sh [emulator | pico]
# The package for CMake: its example for an emulated M4, built as its first lines say, and that for the Pico SDK, on a
# stub of the SDK for the cores of Pico (M0) and Pico 2 (M33), give the scores of the host. find_package refuses other
# versions, and add_subdirectory gives the same libraries.
set -eu
. "$(dirname "$0")/common.sh"
make_package cmake
package=$(echo "$out"/cmake/rushlight-*[0-9])
expect_lines
if [ "$1" = pico ]; then
    for core in m0 m33; do
        PICO_SDK_PATH=$top/tests/packages/pico RL_CORE=$core cmake_build "$package/examples/pico" "$folder/$core"
        expect_scores "$core" "$folder/$core/digits.elf"
        grep -q '^done, microseconds: 7$' "$folder/output" || fail "the example ended early: $(cat "$folder/output")"
    done
    exit 0
fi
printf '%s\n' 4 -7 127 -128 >"$folder/sums" # tests/install/user/add.c
cmake_build "$package/examples/emulator" "$folder/emulator" -DRushlight_DIR="$package"
expect_scores m4 "$folder/emulator/digits.elf"
for version in 0.2 1.0; do
    mkdir -p "$folder/other"
    printf 'cmake_minimum_required(VERSION 3.13)\nproject(other C)\nfind_package(Rushlight %s REQUIRED)\n' $version \
        >"$folder/other/CMakeLists.txt"
    if cmake -S "$folder/other" -B "$folder/other/out" -DRushlight_DIR="$package" >"$folder/log" 2>&1; then
        fail "a project that wants $version finds another version"
    fi
    grep -q "requested version \"$version\"" "$folder/log" || fail "another error: $(cat "$folder/log")"
done
# Inside another project, and without a version.
for how in "add_subdirectory($package rushlight)" "find_package(Rushlight REQUIRED)"; do
    printf 'cmake_minimum_required(VERSION 3.13)\nproject(other C)\n%s\nadd_executable(run run.c)
target_link_libraries(run Rushlight::kernels)\n' "$how" >"$folder/other/CMakeLists.txt"
    cp "$top/tests/install/user/add.c" "$folder/other/run.c"
    rm -rf "$folder/other/out"
    cmake_build "$folder/other" "$folder/other/out" -DRushlight_DIR="$package"
    "$folder/other/out/run" | diff - "$folder/sums" || fail "wrong sums with $how"
done
