#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: workflows_test.sh [FOLDER]
# What GitHub runs and shows, which nothing else here reads: workflows and actions are in the simple part of YAML that
# the pattern below knows, call only scripts that exist, with options that their usage names, and actions of a fixed
# version. The pages that say which scripts to type name only those that exist, too. FOLDER is the tree to check.
set -eu
cd "${1:-$(dirname "$0")/../..}"
errors=$(
    for file in .github/workflows/*.yml .github/actions/*/action.yml; do
        [ -f "$file" ] || continue
        # A mapping or an item of a list in each line, indented by twos; no text over several lines.
        grep -nvE '^(  )*(- )?[A-Za-z_-]+:( .*[^:|>])?$|^ *#|^$|^(  )*- [^ :]+$' "$file" |
            sed "s:^:$file\::; s/$/: not as simple as it was/"
        case $file in
        */action.yml) keys='name description runs' ;;
        *) keys='name on permissions jobs' ;;
        esac
        for key in $keys; do
            grep -q "^$key:" "$file" || echo "$file: no '$key:'"
        done
        grep -n 'uses:' "$file" | grep -vE 'uses: [a-z-]+/[a-z-]+@v[0-9]+$' |
            sed "s:^:$file\::; s/$/: an action of no fixed version/"
        # An action finds scripts from its own place: '"$GITHUB_ACTION_PATH/compare"'.
        folder=$(dirname "$file")
        sed -n -e 's/.*run: *\(scripts\/.*\)/\1/p' \
            -e "s:.*run\: *'\"\$GITHUB_ACTION_PATH/\([^\"]*\)\"\(.*\)'\$:$folder/\1\2:p" "$file" |
            while read -r script words; do
                [ -x "$script" ] || { echo "$file: there is no $script" && continue; }
                for word in $words; do
                    case $word in --*) ;; *) continue ;; esac
                    sed -n '/^# usage/,/^[^#]/{/^#/p;}' "$script" | grep -q -e "$word" ||
                        echo "$file: $script has no $word"
                done
            done
        grep -qE 'run: scripts/|run:.*GITHUB_ACTION_PATH/' "$file" || echo "$file: runs none of the scripts"
        # GitHub wants a shell for each step of an action.
        case $file in
        */action.yml) [ "$(grep -c ' run:' "$file")" -eq "$(grep -c ' shell:' "$file")" ] || echo "$file: no shell" ;;
        esac
    done
    for page in ./*.md .github/*.md .github/ISSUE_TEMPLATE/*.md docs/*.md; do
        grep -o 'scripts/[a-z][a-z-]*' "$page" | sort -u | while read -r script; do
            [ -x "$script" ] || echo "$page: there is no $script"
        done
    done
)
if [ -n "$errors" ]; then
    echo "$errors"
    exit 1
fi
