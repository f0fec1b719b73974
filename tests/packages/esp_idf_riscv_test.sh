#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: esp_idf_riscv_test.sh
# The ESP-IDF component on RISC-V, for the instruction set of the ESP32-C3: its sources compile without a warning, and
# its example gives the scores of the host in QEMU's user mode.
set -eu
. "$(dirname "$0")/common.sh"
for tool in riscv64-unknown-elf-gcc qemu-riscv32; do
    if ! command -v $tool >/dev/null; then
        echo "$tool is not installed: scripts/bootstrap --all does"
        exit 77
    fi
done
make_package esp-idf
component=$out/esp-idf/rushlight
gcc="${CMAKE_C_COMPILER_LAUNCHER:-} riscv64-unknown-elf-gcc"
core='-march=rv32imc -mabi=ilp32 --specs=picolibc.specs'
flags="$core -std=gnu17 -Os -fwrapv -ffp-contract=off -ffunction-sections -fdata-sections -I$component/src"
expect_lines
{
    sed -n 's/^ *"src\/\(.*\.c\)".*/\1/p' "$component/CMakeLists.txt" | sed "s:^:$component/src/:"
    find "$component/examples/digits/main" -name '*.c'
    echo "$top/tests/packages/esp-idf/riscv_start.c"
} | compile "$folder/objects" "$flags -Wall -Wextra -Werror"
# Memories in which picolibc's linker script puts code and data.
memories='-Wl,--defsym=__flash=0x10000,--defsym=__flash_size=4M,--defsym=__ram=0x1000000,--defsym=__ram_size=4M'
# shellcheck disable=SC2086
riscv64-unknown-elf-gcc $core -nostartfiles "$folder/objects"/*.o -Wl,--gc-sections $memories -lm -o "$folder/digits"
timeout 60 qemu-riscv32 "$folder/digits" | diff "$folder/expected" - || fail "other scores on RISC-V than on the host"
