#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: diff_programs_test.sh FIXTURES
# scripts/diff-programs on folders of programs, and the steps of the GitHub action that compares and comments.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
digits=$1/digits
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0

# compile OUT OPTION...
compile() {
    out=$1
    shift
    "${RUSHLIGHT:?}" compile "$digits/digits.pt2" -o "$out" --calibrate "$digits/calibration.npz" --target any \
        --quantizer stock "$@" >/dev/null 2>&1
}

# expect STATUS TEXT COMMAND...: the command ends with this status and prints TEXT, if that is not empty.
expect() {
    expected=$1 text=$2 status=0
    shift 2
    "$@" >"$folder/found" 2>&1 || status=$?
    if [ $status -ne "$expected" ] || { [ -n "$text" ] && ! grep -qF -e "$text" "$folder/found"; }; then
        echo "FAIL: $*: status $status, expected $expected; expected '$text' in '$(cat "$folder/found")'"
        failures=$((failures + 1))
    fi
}

mkdir "$folder/before" "$folder/after"
compile "$folder/before/digits.pte"
compile "$folder/after/digits.pte" --io int8
cp "$folder/before/digits.pte" "$folder/before/old.pte"
cp "$folder/before/digits.pte" "$folder/after/new.pte"
compare=$top/scripts/diff-programs

# shellcheck disable=SC2016 # the marks of code in Markdown
expect 0 '| `cortex_m::quantize_per_tensor` | 1 | 0 | removed |' "$compare" "$folder/before" "$folder/after"
for line in '### digits' '### new' '### old' removed; do
    grep -qx -e "$line" "$folder/found" || expect 0 "$line" false
done
expect 0 'agreement 1.0000' "$compare" --input "$digits/test.npz" "$folder/before" "$folder/after"
expect 1 '- **too much**: file bytes' "$compare" --fail-if-larger 0 "$folder/before" "$folder/after"
expect 0 '### digits' "$compare" --fail-if-larger 50 "$folder/before/digits.pte" "$folder/after/digits.pte"
expect 0 'The files are equal.' "$compare" "$folder/before/digits.pte" "$folder/after/new.pte"
expect 2 "there is no $folder/none" "$compare" "$folder/none" "$folder/after"
expect 2 usage "$compare" --sideways 1 "$folder/before" "$folder/after"
echo nothing >"$folder/after/digits.pte"
expect 2 'digits.pte' "$compare" "$folder/before" "$folder/after"
expect 2 'digits.pte' "$compare" --fail-if-larger 0 "$folder/before" "$folder/after"

# The steps of the action as GitHub runs them; `gh` is one that keeps what it is given.
compile "$folder/after/digits.pte" --io int8
mkdir "$folder/bin"
printf '#!/bin/sh\necho "$@" >"%s/comment"\n' "$folder" >"$folder/bin/gh"
chmod +x "$folder/bin/gh"
export GITHUB_ACTION_PATH="$top/.github/actions/diff-programs" RUNNER_TEMP="$folder" NUMBER=7 SQNR='' DATA=''
export CORE='' SLOWER='' LARGER=''
export GITHUB_STEP_SUMMARY="$folder/summary" BEFORE="$folder/before" AFTER="$folder/after"

# step NAME: what the step of this name runs.
step() {
    sed -n "/- name: $1\$/,/ run:/s/^ *run: *//p" "$GITHUB_ACTION_PATH/action.yml" | sed "s/^'\(.*\)'\$/\1/"
}

[ -n "$(step compare)" ] && [ -n "$(step comment)" ] # else nothing would be tested
LARGER=50 expect 0 '' sh -ec "$(step compare)"
LARGER=0 expect 1 '' sh -ec "$(step compare)"
expect 0 '**too much**' cat "$folder/summary"
SLOWER=0 expect 2 '' sh -ec "$(step compare)"
expect 0 '--fail-if-slower needs --on CORE' cat "$folder/summary"
: >"$folder/summary"
CORE=m4 SLOWER=90 expect 0 '' sh -ec "$(step compare)"
expect 0 '| cycles |' cat "$folder/summary"
CORE=m4 SLOWER=0 expect 0 '' sh -ec "$(step compare)" # integers at the interface are faster
BEFORE=$folder/after AFTER=$folder/before CORE=m4 SLOWER=0 expect 1 '' sh -ec "$(step compare)"
PATH=$folder/bin:$PATH expect 0 '' sh -ec "$(step comment)"
expect 0 "pr comment 7 --edit-last --create-if-none --body-file $folder/rushlight-diff.md" cat "$folder/comment"
expect 0 '## Programs before and after this change' cat "$folder/rushlight-diff.md"

# What is installed and built: with a core, also what emulates it. The scripts of this copy only tell how they are run.
mkdir -p "$folder/copy/.github/actions" "$folder/copy/scripts"
cp -R "$GITHUB_ACTION_PATH" "$folder/copy/.github/actions"
for script in bootstrap build; do
    printf '#!/bin/sh\necho %s "$@"\n' $script >"$folder/copy/scripts/$script"
    chmod +x "$folder/copy/scripts/$script"
done
export GITHUB_ACTION_PATH="$folder/copy/.github/actions/diff-programs"
[ -n "$(step prepare)" ]
CORE='' expect 0 'build --host' sh -ec "$(step prepare)"
CORE=cortex-m4 expect 0 bootstrap sh -ec "$(step prepare)"
! grep -q -e --host "$folder/found" || expect 0 'no --host' false
[ $failures -eq 0 ]
