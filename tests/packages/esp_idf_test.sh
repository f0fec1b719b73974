#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: esp_idf_test.sh CORE
# The ESP-IDF component: its manifest has what the component registry asks for, and its example gives the scores of the
# host. Built with a stub of ESP-IDF's build for an emulated core; the chips of Espressif have plain C kernels, which
# the host has, too: there every kernel is built with -Os, as ESP-IDF can, and the example run.
set -eu
. "$(dirname "$0")/common.sh"
make_package esp-idf
component=$out/esp-idf/rushlight
for key in version description url license; do
    grep -q "^$key: \".*\"$" "$component/idf_component.yml" || fail "idf_component.yml has no $key"
done
grep -o '^  - path: .*' "$component/idf_component.yml" | sed 's/.*: //' | while read -r example; do
    [ -f "$component/$example/main/idf_component.yml" ] || fail "there is no example $example"
done
expect_lines
IDF_PATH=$top/tests/packages/esp-idf RL_CORE=$1 cmake_build "$component/examples/digits" "$folder/out"
expect_scores "$1" "$folder/out/digits.elf"
gcc="${CMAKE_C_COMPILER_LAUNCHER:-} cc"
sed -n 's/^ *"src\/\(.*\.c\)".*/\1/p' "$component/CMakeLists.txt" | sed "s:^:$component/src/:" |
    compile "$folder/plain" "-std=gnu17 -Os -fwrapv -ffp-contract=off -Wall -Wextra -Werror -I$component/src"
find "$component/examples/digits/main" "$top/tests/packages/esp-idf/start.c" -name '*.c' |
    compile "$folder/plain" "-std=gnu17 -Os -I$component/src"
cc "$folder/plain"/*.o -lm -o "$folder/plain/digits"
"$folder/plain/digits" | diff "$folder/expected" - || fail "other scores with plain C kernels"
