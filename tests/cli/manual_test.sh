#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: manual_test.sh PAGE: the manual page names every verb and every option that the program's help names, and no other.
set -eu
page=$(sed 's/\\-/-/g' "$1")
program=${RUSHLIGHT:?}
verbs=$("$program" --help | sed -n 's/^  \([a-z]*\)  .*/\1/p')
[ -n "$verbs" ]
helps=$(for verb in $verbs; do "$program" "$verb" --help; done)
failed=0
for word in $verbs $(echo "$helps" | grep -o -e '--[a-z-]*' | sort -u); do
    if ! echo "$page" | grep -q -e "$word"; then
        echo "the manual page does not name $word"
        failed=1
    fi
done
for option in $(echo "$page" | grep -o -e '--[a-z][a-z-]*' | sort -u); do
    if [ "$option" != --help ] && ! echo "$helps" | grep -q -e "$option"; then
        echo "the manual page names $option, which no verb has"
        failed=1
    fi
done
exit $failed
