#compdef rushlight
# SPDX-License-Identifier: Apache-2.0
# Completion of rushlight's verbs, options, their values and files for zsh. It asks the program itself, so that it knows
# what this version knows. Installed as _rushlight in a folder of $fpath.
_rushlight() {
    local line
    local -a offered
    for line in "${(@f)$("${(Q)words[1]}" --complete "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}"; do
        # In a description the first colon ends the word.
        [[ -z $line ]] || offered+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
    done
    if ((${#offered})); then
        _describe rushlight offered
    else
        _files
    fi
}
_rushlight "$@"
