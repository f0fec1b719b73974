#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: page_browser_test.sh FIXTURES [FOLDER]: the page of `rushlight report` in headless Chromium: no message on the
# console with scripts, operators that can be opened, the same picture without scripts, nothing that is wider than a
# phone, and other colours in the dark. With FOLDER, the screenshots stay there.
set -eu
fixtures=$1
program=${RUSHLIGHT:?}
if ! command -v chromium >/dev/null; then
    echo "there is no chromium here; scripts/bootstrap --all installs it"
    exit 77
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' INT TERM HUP
shots=${2:-$scratch}
page=$scratch/page.html
"$program" compile "$fixtures/names/residual.pt2" -o "$scratch/model.pte" --target cortex-m4 >/dev/null 2>&1
if ! "$program" report "$scratch/model.pte" -o "$page" --board nano-33-ble; then
    echo "FAIL: there is no page"
    exit 1
fi
failures=0

fail() {
    echo "FAIL: $*"
    failures=$((failures + 1))
}

# browse FILE OPTION...: opens it in Chromium, with a profile of its own; what it says is in $scratch/log.
browse() {
    file=$1
    shift
    timeout 120 chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --hide-scrollbars \
        --no-first-run --disable-background-networking --enable-logging=stderr --user-data-dir="$scratch/profile" \
        --virtual-time-budget=2000 "$@" "file://$file" 2>"$scratch/log"
}

# quiet WHAT: no script and no policy said anything.
quiet() {
    ! grep CONSOLE "$scratch/log" && return
    fail "$1: the console has messages"
}

# The test can see messages of the console.
sed 's|</main>|&<script>console.error("seen"); fetch("data:,x")</script>|' "$page" >"$scratch/noisy.html"
browse "$scratch/noisy.html" --dump-dom >/dev/null
grep -q 'CONSOLE.*seen' "$scratch/log" || fail "a message of the console was not seen"
grep -q 'CONSOLE.*Content Security Policy' "$scratch/log" || fail "the policy of the page does not forbid loading"

browse "$page" --dump-dom >/dev/null
quiet "the page"

# A script of the test opens an operator, as a click does, and measures the page in a frame as wide as a phone.
sed 's|</body>|<script>document.querySelectorAll("details.op > summary")[3].click();\
setTimeout(() => { const page = document.documentElement;\
document.title = "marked " + document.querySelectorAll("rect.chosen").length + " wide " +\
(page.scrollWidth <= page.clientWidth) }, 300)</script>&|' "$page" >"$scratch/clicked.html"
browse "$scratch/clicked.html" --window-size=500,900 --dump-dom >"$scratch/clicked"
quiet "the page with an open operator"
grep -q '<title>marked [1-9][0-9]* wide true' "$scratch/clicked" ||
    fail "an opened operator marks no tensors, or the page is too wide: $(grep -o '<title>[^<]*' "$scratch/clicked")"

# Whoever has no mouse comes to each operator: all heads of what opens take the focus, and Enter, which is a click to
# them, opens them.
sed 's|</body>|<script>const heads = [...document.querySelectorAll("summary")];\
const reached = heads.filter((head) => { head.focus(); return document.activeElement === head; });\
document.title = "reached " + (heads.length > 9 \&\& reached.length === heads.length)</script>&|' "$page" \
    >"$scratch/keys.html"
browse "$scratch/keys.html" --dump-dom >"$scratch/keys"
grep -q '<title>reached true' "$scratch/keys" || fail "the keyboard does not reach all operators"

# On paper.
browse "$page" --no-pdf-header-footer --print-to-pdf="$scratch/page.pdf"
if ! head -c 5 "$scratch/page.pdf" | grep -q '%PDF-' || [ "$(wc -c <"$scratch/page.pdf")" -lt 20000 ]; then
    fail "the page cannot be printed"
fi

# shot NAME FILE SIZE [OPTION]
shot() {
    name=$1 shown=$2 size=$3
    shift 3
    browse "$shown" --window-size="$size" --screenshot="$shots/$name.png" "$@"
    [ "$shown" != "$page" ] || quiet "$name"
    if [ ! -f "$shots/$name.png" ] || [ "$(wc -c <"$shots/$name.png")" -lt 20000 ]; then
        fail "$name: the picture is empty"
    fi
}
dark=--blink-settings=preferredColorScheme=0
shot desktop-light "$page" 1280,2600
shot desktop-dark "$page" 1280,2600 $dark
shot phone-light "$page" 500,2600
shot phone-dark "$page" 500,2600 $dark
cmp -s "$shots/desktop-light.png" "$shots/desktop-dark.png" && fail "the dark page is the light one"
# A page whose policy forbids all scripts looks the same. Pictures of one page may differ while the machine is busy, so
# a difference counts when it is there each time.
sed "s|script-src 'unsafe-inline'|script-src 'none'|" "$page" >"$scratch/plain.html"
same=no
for attempt in 1 2 3 4 5 6 7 8 9 10; do
    shot plain-light "$scratch/plain.html" 1280,2600
    grep -q 'CONSOLE.*Content Security Policy' "$scratch/log" || fail "scripts ran in the page without scripts"
    cmp -s "$shots/desktop-light.png" "$shots/plain-light.png" && same=yes && break
    echo "picture $attempt differs from the one with scripts"
    shot desktop-light "$page" 1280,2600
done
[ $same = yes ] || fail "without scripts the page looks different"
exit $((failures > 0))
