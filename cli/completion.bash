# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Completion of rushlight's verbs, options and files for bash, and for zsh after `autoload bashcompinit; bashcompinit`.
# It asks the program itself, so that it knows what this version knows.
_rushlight() {
    local word=${COMP_WORDS[COMP_CWORD]} words=
    if [ "$COMP_CWORD" -eq 1 ]; then
        words="--help --version $("${COMP_WORDS[0]}" --help 2>/dev/null | sed -n 's/^  \([a-z]*\)  .*/\1/p')"
    elif [[ $word == -* ]]; then
        words="--help $("${COMP_WORDS[0]}" "${COMP_WORDS[1]}" --help 2>/dev/null |
            sed -n 's/^  \(-., \)\{0,1\}\(--[a-z-]*\).*/\2/p')"
    fi
    # No word may contain a space; where none fits, bash completes file names.
    # shellcheck disable=SC2207
    COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _rushlight rushlight
