#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: device_sources_test.sh BUILD
# scripts/device-sources lists what the build of a core compiles for a device, no more and no less, and how often.
set -eu
. "$(dirname "$0")/common.sh"
if [ ! -f "$1/compile_commands.json" ]; then
    echo "$1 has not been built: scripts/build does it"
    exit 77
fi
# Objects of the libraries, not of tests that compile some sources again.
sed -n 's|^  "command": .* -o [a-z]*/CMakeFiles/rushlight_\([a-z_]*\)\.dir/\([^ ]*\.c\)\.o.*|\1/\2|p' \
    "$1/compile_commands.json" | grep -E '^(kernels|format|runtime|runtime_wide)/' |
    sed 's/^runtime_wide/runtime/' | sort >"$folder/compiled"
"$top/scripts/device-sources" | awk '{ print $2 } $3 == "wide" { print $2 }' | sort >"$folder/listed"
[ -s "$folder/compiled" ] || fail "$1 compiles no libraries"
diff "$folder/compiled" "$folder/listed" || fail "scripts/device-sources lists other sources than $1 compiles"
{
    "$top/scripts/device-sources" kernels
    "$top/scripts/device-sources" runtime
} >"$folder/parts"
"$top/scripts/device-sources" | diff - "$folder/parts" || fail "the parts are not the whole"
if "$top/scripts/device-sources" nothing 2>"$folder/log"; then fail "a part that does not exist is accepted"; fi
grep -q usage "$folder/log" || fail "no usage: $(cat "$folder/log")"
