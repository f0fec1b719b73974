#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: manual_test.sh PAGE: the manual page names every verb and every option that the program's help names, and no
# other, and the program's version. The help names the words that an option takes.
set -eu
page=$(sed 's/\\-/-/g' "$1")
program=${RUSHLIGHT:?}
help=$(mktemp)
trap 'rm -f "$help"' EXIT
verbs=$("$program" --help | sed -n 's/^  \([a-z]*\)  .*/\1/p')
[ -n "$verbs" ]
helps=$(for verb in $verbs; do "$program" "$verb" --help; done)
failed=0
version=$("$program" --version | sed 's/^rushlight //')
if ! echo "$page" | grep -q "^\.TH RUSHLIGHT 1 \"\" \"Rushlight $version\"$"; then
    echo "the manual page is not of version $version"
    failed=1
fi
for word in $verbs $(echo "$helps" | grep -o -e '--[a-z-]*' | sort -u); do
    if ! echo "$page" | grep -q -e "$word"; then
        echo "the manual page does not name $word"
        failed=1
    fi
done
for option in $(echo "$page" | grep -o -e '--[a-z][a-z-]*' | sort -u); do
    if [ "$option" != --help ] && [ "$option" != --version ] && ! echo "$helps" | grep -q -e "$option"; then
        echo "the manual page names $option, which no verb has"
        failed=1
    fi
done
for verb in compile firmware; do
    "$program" "$verb" --help >"$help"
    for option in quantize quantizer io emit arena for; do
        line=$(grep -e "^  --$option " "$help") || continue
        words=$("$program" --complete "$verb" "--$option" '' | cut -f 1)
        if [ -z "$words" ]; then
            echo "no words are offered for $verb --$option"
            failed=1
        fi
        for word in $words; do
            if ! echo "$line" | grep -qw -e "$word"; then
                echo "the help of $verb --$option does not name $word"
                failed=1
            fi
        done
    done
done
exit $failed
