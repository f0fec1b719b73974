#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: install_test.sh BUILD
# The installation of the host's build: complete, of one version, not bound to its place; and programs that find it
# with CMake and with pkg-config give what the installed program gives.
set -eu
. "$(dirname "$0")/common.sh"
install_to_prefix "$1"
expect_headers
for file in bin/rushlight lib/cmake/Rushlight/RushlightConfig.cmake share/man/man1/rushlight.1 \
    share/bash-completion/completions/rushlight share/zsh/site-functions/_rushlight \
    share/fish/vendor_completions.d/rushlight.fish \
    lib/pkgconfig/rushlight-runtime.pc lib/pkgconfig/rushlight-kernels.pc lib/pkgconfig/rushlight.pc \
    lib/librushlight_runtime.a lib/librushlight_kernels.a lib/librushlight.so; do
    [ -f "$prefix/$file" ] || fail "$file is not installed"
done
rushlight=$prefix/bin/rushlight
[ "$("$rushlight" --version)" = "rushlight $version" ] || fail "$("$rushlight" --version) is not rushlight $version"

"$rushlight" compile "$top/tests/fixtures/digits/digits.pt2" -o "$folder/digits.pte" \
    --calibrate "$top/tests/fixtures/digits/calibration.npz" --target any >"$folder/log" 2>&1 ||
    fail "$(cat "$folder/log")"
{
    echo "rushlight $version"
    "$rushlight" run "$folder/digits.pte" --json | # without an input: zeros
        awk '/"data"/ { inside = 1; next } /]/ { inside = 0 } inside { printf "%d\n", $1 * 1000 }'
} >"$folder/expected"
[ "$(wc -l <"$folder/expected")" -eq 11 ] || fail "ten digits expected, found: $(cat "$folder/expected")"
printf '%s\n' 4 -7 127 -128 >"$folder/sums"

# expect_results FOLDER: the programs in it print what is expected.
expect_results() {
    "$1/run" "$folder/digits.pte" | diff "$folder/expected" - || fail "$1/run gives other digits than rushlight run"
    "$1/add" | diff "$folder/sums" - || fail "$1/add gives wrong sums"
}

build_user -DCMAKE_BUILD_TYPE=Release
expect_results "$folder/user"

export PKG_CONFIG_PATH="$prefix/lib/pkgconfig"
mkdir "$folder/by_pkg_config"
for pair in run:runtime add:kernels; do
    program=${pair%:*} package=rushlight-${pair#*:}
    [ "$(pkg-config --modversion "$package")" = "$version" ] || fail "$package is not of version $version"
    # shellcheck disable=SC2046
    cc -std=c11 -Wall -Wextra -Werror "$top/tests/install/user/$program.c" $(pkg-config --cflags --libs "$package") \
        -o "$folder/by_pkg_config/$program" || fail "$program does not build with pkg-config"
done
expect_results "$folder/by_pkg_config"

# The compiler as a library gives the bytes of the installed program.
# shellcheck disable=SC2046
cc -std=c11 -Wall -Wextra -Werror "$top/tests/install/user/compile.c" $(pkg-config --cflags --libs rushlight) \
    -o "$folder/by_pkg_config/compile" || fail "compile does not build with pkg-config"
LD_LIBRARY_PATH="$prefix/lib" "$folder/by_pkg_config/compile" "$top/tests/fixtures/digits/digits.pt2" \
    "$top/tests/fixtures/digits/calibration.npz" any >"$folder/by_library.pte"
cmp "$folder/by_library.pte" "$folder/digits.pte" || fail "librushlight.so gives another program than rushlight compile"

# Another minor version promises another interface.
sed 's/find_package(Rushlight 0.1/find_package(Rushlight 0.2/' "$top/tests/install/user/CMakeLists.txt" \
    >"$folder/CMakeLists.txt"
if cmake -G Ninja -S "$folder" -B "$folder/refused" -DCMAKE_PREFIX_PATH="$prefix" >"$folder/log" 2>&1; then
    fail "a project that wants 0.2 finds $version"
fi
grep -q 'requested version "0.2"' "$folder/log" || fail "another error than that of the version: $(cat "$folder/log")"
