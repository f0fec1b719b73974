#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: platformio_test.sh CORE
# The PlatformIO library: library.json has what the registry asks for and names files that are there, and its example,
# built as PlatformIO builds for the Arduino framework (src/ of library and project, the flags of library.json), gives
# the scores of the host.
set -eu
. "$(dirname "$0")/common.sh"
make_package platformio
library=$out/platformio/Rushlight
stub=$top/tests/packages/arduino
manifest=$library/library.json
for key in name version description license headers; do
    grep -q "^  \"$key\": \"..*\",$" "$manifest" || fail "library.json has no $key"
done
for file in $(grep -o '"[a-z_/]*\.\(ini\|c\|cpp\|h\)"' "$manifest" | tr -d '"'); do
    [ -f "$library/examples/digits/$file" ] || fail "library.json names $file, which is not there"
done
[ -f "$library/src/$(sed -n 's/^  "headers": "\(.*\)",$/\1/p' "$manifest")" ] || fail "the header is not there"
flags="$(flags_of "$1") -Os -ffunction-sections -fdata-sections -Wall -Wextra -Werror -I$library/src \
    $(sed -n 's/^    "flags": \[\(.*\)\]$/\1/p' "$manifest" | tr -d '",')"
case $flags in *-fwrapv*) ;; *) fail "library.json has no flags" ;; esac
expect_lines
find "$library/src" "$library/examples/digits/src" -name '*.c' | sort | compile "$folder/objects" "$flags -std=gnu11"
cp "$stub/main.cpp" "$folder/core.cpp"
printf '%s\n' "$library/examples/digits/src/main.cpp" "$folder/core.cpp" |
    compile "$folder/objects" "$flags -std=gnu++11 -fno-exceptions -fno-rtti -fno-threadsafe-statics -I$stub"
add_board "$1" "$folder/objects" "$library/src"
link "$1" "$folder/objects" "$folder/digits.elf"
expect_scores "$1" "$folder/digits.elf"
