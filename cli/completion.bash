# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Completion of rushlight's verbs, options, their values and files for bash. It asks the program itself, so that it
# knows what this version knows.
_rushlight() {
    local word line words=()
    # bash takes --target=cortex for three words.
    for word in "${COMP_WORDS[@]:1:COMP_CWORD}"; do
        [[ $word == = ]] || words+=("$word")
    done
    [[ $word != = ]] || words+=('')
    COMPREPLY=()
    # Where nothing fits, bash completes file names.
    while IFS= read -r line; do
        COMPREPLY+=("${line%%$'\t'*}")
    done < <("${COMP_WORDS[0]}" --complete "${words[@]}" 2>/dev/null)
}
complete -o default -F _rushlight rushlight
