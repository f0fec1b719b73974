# SPDX-License-Identifier: Apache-2.0
# What the tests of installations share, to be read with `.`: $top, the sources; $folder, which goes away at the end;
# $prefix, an empty folder in it.
# shellcheck shell=sh disable=SC2034
top=$(cd "$(dirname "$0")/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
prefix=$folder/moved
version=$(sed -n 's/^#define RL_VERSION_STRING "\(.*\)"$/\1/p' "$top/include/rushlight/version.h")

# fail SENTENCE
fail() {
    echo "FAIL: $1"
    exit 1
}

# install_to_prefix BUILD: installs, and moves the result to another place than it was installed to.
install_to_prefix() {
    if [ ! -f "$1/cmake_install.cmake" ]; then
        echo "$1 has not been built: scripts/build does it"
        exit 77
    fi
    cmake --install "$1" --prefix "$folder/first" >"$folder/log" || fail "cmake --install $1: $(cat "$folder/log")"
    mv "$folder/first" "$prefix"
    if grep -rIl -e "$top" -e "$folder" "$prefix" >"$folder/log"; then
        fail "the installation names folders of the build: $(cat "$folder/log")"
    fi
}

# expect_headers: those of the sources, each of which can be included with the two folders of an installation.
expect_headers() {
    (cd "$top/include" && find rushlight -type f | sort) >"$folder/expected"
    (cd "$top/kernels/cmsis_nn/include" && find . -type f | sed 's:^\.:rushlight/cmsis_nn:') >>"$folder/expected"
    (cd "$prefix/include" && find . -type f | sed 's:^\./::' | sort) >"$folder/found"
    sort "$folder/expected" | diff - "$folder/found" || fail "these are other headers than the public ones"
}

# build_user OPTION...: the project in user/, with the installation.
build_user() {
    if ! { cmake -G Ninja -S "$top/tests/install/user" -B "$folder/user" -DCMAKE_PREFIX_PATH="$prefix" "$@" &&
        ninja -C "$folder/user"; } >"$folder/log" 2>&1; then
        cat "$folder/log"
        fail "the project does not build with the installation"
    fi
}
