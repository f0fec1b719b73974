#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: site_test.sh [FOLDER]
# scripts/site builds the site of the pages. It loads nothing from elsewhere, has the tutorials in its navigation, the
# sources to which pages link, and the options of the manual page; mkdocs sees links to nowhere. In headless Chromium
# no page of a few is wider than a phone, none has a message on the console, and the dark is another colour. With
# FOLDER, the screenshots stay there.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
if [ ! -x "$top/build/site-python/bin/mkdocs" ]; then
    echo "mkdocs is not installed: scripts/bootstrap --site does it"
    exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() {
    echo "FAIL: $*"
    exit 1
}

# A tree of its own, so that the site of the repository stays, and a link can be broken.
tree=$folder/tree
mkdir -p "$tree/build"
(cd "$top" && tar cf - --exclude=./build --exclude='./build-*' --exclude=./.git .) | (cd "$tree" && tar xf -)
ln -s "$top/build/site-python" "$tree/build/site-python"
"$tree/scripts/site" >"$folder/log" 2>&1 || fail "$(cat "$folder/log")"
html=$tree/build/site/html
for page in index docs/tutorials/index docs/tutorials/fit_64k docs/board docs/packages/zephyr docs/python \
    include/rushlight/runtime.h; do
    [ -f "$html/$page.html" ] || fail "the site has no $page.html"
done
for word in tutorials/first_model tutorials/from_executorch tutorials/from_tflite_micro tutorials/accuracy \
    tutorials/fit_64k board update; do
    grep -q "href=\"docs/$word.html\" class=\"md-nav__link" "$html/index.html" || fail "no $word in the navigation"
done
grep -q '<code>--max-unpacked  *BYTES</code>' "$html/docs/rushlight.1.html" || fail "the manual page has no options"
if grep -rhE '<(link|script|img|iframe)[^>]*(src|href)="?(https?:)?//' "$html" --include='*.html'; then
    fail "a page loads something from elsewhere"
fi

# Links to nowhere: first check-links notices them, without it mkdocs does.
mv "$html" "$folder/html"
html=$folder/html
printf '\n[elsewhere](nowhere.md) [heading](c.md#nowhere)\n' >>"$tree/docs/fit.md"
refused() {
    if "$tree/scripts/site" >"$folder/log" 2>&1; then
        fail "links to nowhere were not noticed"
    fi
    [ "$(grep -c 'fit.md.*nowhere' "$folder/log")" -eq 2 ] || fail "not both links were noticed: $(cat "$folder/log")"
}
refused
printf '#!/bin/sh\n' >"$tree/scripts/check-links"
refused

if ! command -v chromium >/dev/null; then
    echo "there is no chromium here, so that nobody looked at the pages; scripts/bootstrap --all installs it"
    exit 77
fi
# browse PAGE OPTION...: opens it in Chromium, each time with a new profile, because the page remembers its colours.
browse() {
    page=$1
    shift
    rm -rf "$folder/profile"
    timeout 120 chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --hide-scrollbars \
        --no-first-run --disable-background-networking --enable-logging=stderr --user-data-dir="$folder/profile" \
        --virtual-time-budget=2000 --allow-file-access-from-files "$@" "file://$html/$page" 2>"$folder/log"
    if grep CONSOLE "$folder/log"; then
        fail "$page: the console has messages"
    fi
}
shots=${1:-$folder}
measure='<script>setTimeout(() => { const page = document.documentElement; document.title = "wide " +
(page.scrollWidth <= page.clientWidth) }, 500)</script></body>'
for page in index docs/tutorials/fit_64k docs/operators; do
    awk -v script="$measure" '{ sub(/<\/body>/, script) } 1' "$html/$page.html" >"$html/$page.measured.html"
    browse "$page.measured.html" --window-size=500,900 --dump-dom >"$folder/dom"
    grep -q '<title>wide true' "$folder/dom" || fail "$page is wider than a phone"
done
for shot in desktop-light:1:1280,1600 desktop-dark:0:1280,1600 phone-dark:0:500,1600; do
    name=${shot%%:*} rest=${shot#*:}
    browse docs/tutorials/fit_64k.html --blink-settings=preferredColorScheme="${rest%:*}" \
        --window-size="${rest#*:}" --screenshot="$shots/$name.png"
    [ -s "$shots/$name.png" ] || fail "there is no $name.png"
done
if cmp -s "$shots/desktop-light.png" "$shots/desktop-dark.png"; then
    fail "the dark page is the light one"
fi
