#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: arduino_test.sh CORE...
# The Arduino library: its properties have what the specification asks for, and its example gives the scores of the
# host on each core when it is built as the Arduino IDE builds: every .c file below src/, no include folder but src/,
# gnu11 and -Os without the library's own flags, the sketch as gnu++11 without exceptions.
set -eu
. "$(dirname "$0")/common.sh"
stub=$top/tests/packages/arduino
make_package arduino
library=$out/arduino/Rushlight
properties=$library/library.properties

# value KEY
value() {
    sed -n "s/^$1=//p" "$properties"
}

for key in name version author maintainer sentence paragraph category url architectures; do
    [ -n "$(value $key)" ] || fail "library.properties has no $key"
done
[ "$(value version)" = "$(sed -n 's/^#define RL_VERSION_STRING "\(.*\)"$/\1/p' "$top/include/rushlight/version.h")" ] ||
    fail "the version is $(value version)"
value name | grep -Eq '^[A-Za-z][A-Za-z0-9_.-]{0,31}$' || fail "the registry refuses the name $(value name)"
case $(value sentence) in *[Aa]rduino*) fail "the registry refuses the word Arduino in the sentence" ;; esac
[ "$(value category)" = "Data Processing" ] || fail "the category is $(value category)"
[ -f "$library/src/$(value includes)" ] || fail "src/$(value includes) is not there"
[ -f "$library/examples/Digits/Digits.ino" ] || fail "the sketch has another name than its folder"
if grep -v '^[a-z_]*=.' "$properties"; then fail "library.properties has lines without a key or a value"; fi
[ "$(unzip -l "$out"/arduino/Rushlight-*.zip | awk '$4 ~ /\// && $4 !~ /^Rushlight\// { print $4 }')" = "" ] ||
    fail "the archive has files outside the folder of the library"
# What is in the include folder is in the way of all libraries of a sketch.
[ "$(ls "$library/src")" = "$(printf 'Rushlight.h\nrushlight')" ] || fail "src has other names: $(ls "$library/src")"

expect_lines
cp "$library/examples/Digits/Digits.ino" "$folder/Digits.ino.cpp"
for core in "$@"; do
    objects=$folder/$core
    flags="$(flags_of "$core") -Os -ffunction-sections -fdata-sections -Wall -Wextra -Werror"
    plain="-std=gnu11 -D__STDC_NO_ATOMICS__ -D__STDC_NO_THREADS__ -D__STDC_NO_COMPLEX__"
    find "$library/src" -name '*.c' | sort | compile "$objects" "$flags $plain -I$library/src"
    find "$library/examples/Digits" -name '*.c' | sort |
        compile "$objects" "$flags $plain -I$library/src -I$library/examples/Digits"
    printf '%s\n' "$folder/Digits.ino.cpp" "$stub/main.cpp" | compile "$objects" "$flags -std=gnu++11 -fno-exceptions \
        -fno-rtti -fno-threadsafe-statics -I$stub -I$library/src -I$library/examples/Digits"
    add_board "$core" "$objects" "$library/src"
    link "$core" "$objects" "$objects.elf"
    expect_scores "$core" "$objects.elf"
    grep -q '^microseconds: 7$' "$folder/output" || fail "the sketch ended early: $(cat "$folder/output")"
done
