#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# CMakePresets.json: a preset for the host, with sanitizers, for the fuzzer and for each core, in the folders of
# scripts/build; one for a core configures as scripts/build does.
set -eu
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# shellcheck disable=SC2046
expected=$(printf '%s\n' host sanitize fuzz $(scripts/build --list) | sort | tr '\n' ' ')
for kind in configure build; do
    presets=$(cmake --list-presets=$kind | sed -n 's/^  "\([^"]*\)".*/\1/p' | sort | tr '\n' ' ')
    if [ "$presets" != "$expected" ]; then
        echo "FAIL: CMakePresets.json has the $kind presets $presets and should have $expected"
        exit 1
    fi
done

# configure NAME OPTION...: the compiler calls of a build, without what differs from folder to folder.
configure() {
    name=$1
    shift
    cmake -B "$work/$name" "$@" >"$work/log" 2>&1 || { cat "$work/log" && exit 1; }
    sed "s:$work/$name:BUILD:g" "$work/$name/compile_commands.json" >"$work/$name.json"
}

if ! command -v arm-none-eabi-gcc >/dev/null; then
    echo "arm-none-eabi-gcc is not installed: scripts/bootstrap does"
    exit 77
fi
configure preset --preset m4
configure script -G Ninja -S . -DRL_CORE=m4 -DCMAKE_TOOLCHAIN_FILE=boards/toolchain.cmake
cmp "$work/preset.json" "$work/script.json"
grep -q -e -mcpu=cortex-m4 "$work/preset.json"
