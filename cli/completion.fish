# SPDX-License-Identifier: Apache-2.0
# Completion of rushlight's verbs, options, their values and files for fish. It asks the program itself, so that it knows
# what this version knows.
function __rushlight_complete
    set -l words (commandline -opc)
    set -l last (commandline -ct)
    set -l offered ($words[1] --complete $words[2..-1] "$last" 2>/dev/null)
    if test (count $offered) -gt 0
        printf '%s\n' $offered
    else
        __fish_complete_path "$last"
    end
end
complete -c rushlight -f -a '(__rushlight_complete)'
