# SPDX-License-Identifier: Apache-2.0
# What the tests of the examples share, to be read with `.`: $top, the sources; $digits, the model of digits; $folder,
# which goes away at the end. Skips where the tools for an emulated core are missing.
# shellcheck shell=sh disable=SC2034
top=$(cd "$(dirname "$0")/../.." && pwd)
digits=$top/tests/fixtures/digits
for tool in arm-none-eabi-gcc qemu-system-arm cmake ninja; do
    if ! command -v $tool >/dev/null; then
        echo "$tool is not installed: scripts/bootstrap does"
        exit 77
    fi
done
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# fail SENTENCE
fail() {
    echo "FAIL: $1"
    exit 1
}

# npy_header SHAPE: what comes before the floats in a .npy file: 118 bytes of text, padded to 128 with the magic.
npy_header() {
    printf '\223NUMPY\001\000\166\000'
    printf '%-117s\n' "{'descr': '<f4', 'fortran_order': False, 'shape': ($1), }"
}

# on_host PROGRAM INPUT: the outputs of all samples in thousandths, one on each line.
on_host() {
    "$RUSHLIGHT" run "$1" --input "$2" --json |
        awk '/"data"/ { inside = 1; next } /]/ { inside = 0 } inside { printf "%d\n", $1 * 1000 }'
}
