#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: esp_idf_test.sh CORE
# The ESP-IDF component: its manifest has what the component registry asks for, and its example, built with a stub of
# ESP-IDF's build for an emulated core, gives the scores of the host.
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
