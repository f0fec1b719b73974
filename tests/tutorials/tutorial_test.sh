#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: tutorial_test.sh PAGE [torch]
# The commands of a page in docs/tutorials run, and print what stands there. A page with another figure or another word
# is noticed. With `torch`, also what wants PyTorch, from build/python.
set -eu
. "$(dirname "$0")/../examples/common.sh"
. "$top/tests/support/page.sh"
page=$top/docs/tutorials/$1.md
python=
if [ -n "${2:-}" ]; then
    python=$top/build/python/bin/python
    if ! "$python" -c "import torch" 2>/dev/null; then
        echo "no PyTorch in build/python: scripts/bootstrap --python installs it"
        exit 77
    fi
fi
for core in m3 m4; do
    if [ ! -f "$RUSHLIGHT_FIRMWARE/$core/librushlight_runtime.a" ]; then
        echo "the libraries for the cores have not been built: scripts/build does it"
        exit 77
    fi
done
RUSHLIGHT=$RUSHLIGHT_RELEASE # as its readers run it
run_page "$page" "$folder/page" "$python" >"$folder/output" 2>&1 || fail "$1.md: $(tail -20 "$folder/output")"
keeps_promises "$page" "$folder/output" "$python" || fail "$1.md shows another output: $(cat "$folder/output")"

# The table of advice has the sentences of the program.
sed -n '/^| advice of/,/^$/s/^| \(its\|few\|the\) \([^|]*\) |.*/\1 \2/p' "$page" >"$folder/advice"
while read -r sentence; do
    grep -qF "\"$sentence\"" "$top/cli/evaluation_report.c" || fail "the program does not say '$sentence'"
done <"$folder/advice"
[ "$1" != accuracy ] || [ "$(wc -l <"$folder/advice")" -eq 4 ] || fail "$1.md: not all advice is explained"

# broken SED: the page with this change promises something else.
broken() {
    sed -E "$1" "$page" >"$folder/broken.md"
    if cmp -s "$page" "$folder/broken.md" || keeps_promises "$folder/broken.md" "$folder/output" "$python" >/dev/null
    then
        fail "$(basename "$page"): $1 was not noticed"
    fi
}
# shellcheck disable=SC2016
broken '/^```text$/,/^```$/s/([0-9]{4,})/1\1/'
# shellcheck disable=SC2016
broken '/^```text$/,/^```$/s/ (of|bytes|thousandths)/ other/'
