#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: board_test.sh
# The commands of docs/board.md: the example runs with the memories of another chip and prints the scores of the host.
# With too little flash it does not link.
set -eu
. "$(dirname "$0")/common.sh"
. "$top/tests/support/page.sh"
if [ ! -f "$RUSHLIGHT_FIRMWARE/m4/librushlight_runtime.a" ]; then
    echo "the libraries for the M4 have not been built: scripts/build does it"
    exit 77
fi
run_page "$top/docs/board.md" "$folder/page" >"$folder/output" 2>&1 ||
    fail "docs/board.md: $(tail -20 "$folder/output")"
grep thousandths "$folder/output" >"$folder/told"
[ "$(wc -l <"$folder/told")" -eq 10 ] || fail "no ten scores: $(cat "$folder/output")"
[ "$(sort -k2 -n "$folder/told" | tail -n 1 | cut -c1)" = 3 ] ||
    fail "the drawing is not a three: $(cat "$folder/told")"
grep -q '^ *nucleo-f401re ' "$folder/output" || fail "the page names a board that is not there"

# The linker script is used: stack and data lie in the RAM of the page, and less flash is too little.
highest=$(arm-none-eabi-nm "$folder/page/mine/firmware.elf" | sed -n 's/^\([0-9a-f]*\) . rl_heap_end$/\1/p')
[ "$highest" = 20018000 ] || fail "the RAM ends at $highest"
sed -i 's/LENGTH = 512K/LENGTH = 16K/' "$folder/page/mine/boards/mine/memory.ld"
awk '/^arm-none-eabi-gcc/ { inside = 1 } inside { print; if (!/\\$/) exit }' "$folder/page/commands.sh" >"$folder/link"
flags=$(sed -n 's/^flags="\(.*\)"$/flags="\1"/p' "$folder/page/commands.sh")
if (cd "$folder/page" && sh -c "$flags; $(cat "$folder/link")") >"$folder/output" 2>&1; then
    fail "16 KB of flash are enough for the linker"
fi
grep -q 'overflowed' "$folder/output" || fail "another error: $(cat "$folder/output")"
