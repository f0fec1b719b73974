#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: make_test.sh
# The package for makefiles: `make run` in its example prints the scores of the host.
set -eu
. "$(dirname "$0")/common.sh"
make_package make
expect_lines
example=$(echo "$out"/make/rushlight-*[0-9]/example)
nice make -j2 -C "$example" CC="$gcc" >"$folder/log" 2>&1 || fail "make: $(tail -20 "$folder/log")"
make -s -C "$example" CC="$gcc" run | diff "$folder/expected" - || fail "other scores than on the host"
make -s -C "$example" clean
[ ! -e "$example/out" ] || fail "make clean leaves something"
