#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: zephyr_test.sh CORE...
# The Zephyr module: its sample, built with a stub of Zephyr's build that reads module.yml, Kconfig and prj.conf, gives
# the scores of the host on each core, and those that sample.yaml waits for.
set -eu
. "$(dirname "$0")/common.sh"
make_package zephyr
module=$out/zephyr/rushlight
sample=$module/samples/digits
expect_lines
sed -n 's/^ *- "\([0-9]: .*\)"$/\1/p' "$sample/sample.yaml" | sed 's/\\\\/\\/g' >"$folder/waited"
[ "$(wc -l <"$folder/waited")" -eq 3 ] || fail "sample.yaml waits for no scores"
while IFS= read -r line; do
    [ "$(grep -cxE "$line" "$folder/expected")" -eq 1 ] || fail "sample.yaml waits for '$line'"
done <"$folder/waited"
for core in "$@"; do
    ZEPHYR_BASE=$top/tests/packages/zephyr RL_CORE=$core cmake_build "$sample" "$folder/$core" \
        -DZEPHYR_EXTRA_MODULES="$module"
    expect_scores "$core" "$folder/$core/zephyr.elf"
done

# The options do what their texts say: kernels alone, without a runtime; messages left out.
ZEPHYR_BASE=$top/tests/packages/zephyr RL_CORE=m4 cmake -G Ninja -S "$sample" -B "$folder/alone" \
    -DZEPHYR_EXTRA_MODULES="$module" -DEXTRA_LINES='CONFIG_RUSHLIGHT_RUNTIME=n;CONFIG_RUSHLIGHT_CMSIS_NN=y' \
    >"$folder/log" 2>&1 || fail "the kernels alone: $(cat "$folder/log")"
ninja -C "$folder/alone" -t targets all >"$folder/targets"
grep -q 'device/kernels/.*: C_COMPILER' "$folder/targets" || fail "the kernels alone have no kernels"
if grep -q 'device/runtime/.*: C_COMPILER' "$folder/targets"; then fail "the kernels alone have a runtime"; fi
grep -q 'src/rushlight/cmsis_nn' "$folder/alone/build.ninja" || fail "CMSIS_NN adds no headers"
ZEPHYR_BASE=$top/tests/packages/zephyr RL_CORE=m4 cmake -G Ninja -S "$sample" -B "$folder/quiet" \
    -DZEPHYR_EXTRA_MODULES="$module" -DEXTRA_LINES='CONFIG_RUSHLIGHT_MESSAGES=n' >"$folder/log" 2>&1 ||
    fail "without messages: $(cat "$folder/log")"
grep -q 'RL_MESSAGES=0' "$folder/quiet/build.ninja" || fail "without messages there are messages"
