#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The walk-through of CONTRIBUTING.md, performed: in a copy of the tree an operator, a function that becomes a table and
# a core are added, each by the patch in walkthrough/ that touches the files named there and no others. The copy builds,
# the tests that the patches bring pass, and the digits run on the new core as on the host.
set -eu
cd "$(dirname "$0")/../.."
top=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
jobs=${RL_JOBS:-2}

fail() {
    echo "FAIL: $1"
    exit 1
}

# What is kept in git; without it, what no build made.
mkdir "$work/tree"
if git ls-files >"$work/files" 2>/dev/null && [ -s "$work/files" ]; then
    tr '\n' '\0' <"$work/files" | xargs -0 cp --parents -t "$work/tree"
else
    find . \( -name build -o -name 'build-*' \) -prune -o -type f -print0 | xargs -0 cp --parents -t "$work/tree"
fi
cd "$work/tree"
for what in operator function core; do
    patch=$top/tests/repository/walkthrough/$what.patch
    patch -s -p1 --fuzz=0 <"$patch" || fail "$what.patch does not apply: mend it, and what CONTRIBUTING.md says"
    sed -n 's/^+++ b\///p' "$patch" >"$work/changed"
    while read -r file; do
        case $file in
        tests/*) continue ;;
        boards/m1/*) named=$(basename "$file") ;;
        *) named=$file ;;
        esac
        grep -qF "$named" CONTRIBUTING.md || fail "CONTRIBUTING.md does not name $file, which $what.patch changes"
    done <"$work/changed"
done

# build FOLDER TARGET... -- OPTION...
build() {
    folder=$1 targets=''
    shift
    while [ "$1" != -- ]; do
        targets="$targets $1"
        shift
    done
    shift
    cmake -G Ninja -S . -B "$folder" "$@" >"$work/log" 2>&1 || fail "$(tail -5 "$work/log")"
    # shellcheck disable=SC2086
    ninja -C "$folder" -j "$jobs" $targets >"$work/log" 2>&1 || fail "$(tail -20 "$work/log")"
}
build build rushlight runtime_portable_math_test passes_ir_test ops_test ops_documentation_test -- \
    -DCMAKE_BUILD_TYPE=Release
build build/m1 rushlight_runner -- -DRL_CORE=m1 -DCMAKE_TOOLCHAIN_FILE=boards/toolchain.cmake
build/tests/ops_documentation_test --update || fail 'docs/operators.md cannot be written'
grep -q sinc docs/operators.md || fail 'docs/operators.md does not list the new operator'
tests='^(runtime_portable_math_test|passes_ir_test|ops_test|presets_test)$'
ctest --test-dir build -R "$tests" --no-tests=error >"$work/log" 2>&1 ||
    fail "$(tail -20 "$work/log")"

# rushlight WORD...: the program of the copy.
rushlight() {
    build/rushlight "$@" >"$work/log" 2>&1 || fail "rushlight $*: $(cat "$work/log")"
}
digits=tests/fixtures/digits
export RUSHLIGHT_FIRMWARE="$work/tree/build" # that of the copy, which has the new core
rushlight targets
grep -q cortex-m1 "$work/log" || fail "'rushlight targets' does not list the new core"
rushlight compile $digits/digits.pt2 -o digits.pte --calibrate $digits/calibration.npz --target cortex-m1
rushlight run digits.pte --input $digits/calibration.npz --output host.npz
rushlight run digits.pte --input $digits/calibration.npz --output m1.npz --on cortex-m1
cmp host.npz m1.npz || fail "the digits differ on the new core"
rushlight profile digits.pte --on cortex-m1
grep -q 'not known: cycles, loads and stores: there is no model of cortex-m1' "$work/log" ||
    fail "'rushlight profile' does not say that the new core has no model"
if grep -q 'instructions, [0-9]* cycles' "$work/log"; then
    fail "'rushlight profile' shows cycles of a core without a model"
fi
