# SPDX-License-Identifier: Apache-2.0
# usage: awk -v python=... -f promises.awk PAGE OUTPUT
# The lines of blocks that begin with ```text in PAGE occur in OUTPUT, in the same order. Spaces do not count. A number
# may differ by 15 %, below 1 by 5 %, because kernels and compilers change. Behind " ..." a line may end differently.
# Exit status 1, with the first promise that is broken, otherwise; 2 without a promise.
BEGIN {
    number = "[0-9]+(\\.[0-9]+)?"
}

# The line without spaces at its ends, and a single one elsewhere.
function squeezed(line) {
    gsub(/[ \t]+/, " ", line)
    sub(/^ /, "", line)
    sub(/ $/, "", line)
    return line
}

function differs(promised, found) {
    difference = promised - found
    return (difference < 0 ? -difference : difference) > promised * (promised < 1 ? 0.05 : 0.15)
}

# Whether the line is what was promised.
function kept(promise, line, open) {
    open = sub(/ ?\.\.\.$/, "", promise)
    while (match(promise, number)) {
        if (substr(promise, 1, RSTART - 1) != substr(line, 1, RSTART - 1))
            return 0
        value = substr(promise, RSTART, RLENGTH) + 0
        promise = substr(promise, RSTART + RLENGTH)
        line = substr(line, RSTART)
        if (match(line, number) != 1 || differs(value, substr(line, 1, RLENGTH) + 0))
            return 0
        line = substr(line, RLENGTH + 1)
    }
    return open ? substr(line, 1, length(promise)) == promise : line == promise
}

FNR == NR && /^```$/ { inside = 0 }
FNR == NR && inside { promises[++count] = $0 }
FNR == NR && (/^```text$/ || (python != "" && /^```text title="with PyTorch"$/)) { inside = 1 }
FNR == NR { next }
next_promise < count && kept(squeezed(promises[next_promise + 1]), squeezed($0)) { next_promise++ }

END {
    if (count == 0) {
        print "the page promises nothing"
        exit 2
    }
    if (next_promise < count) {
        print "not printed, or not in this place: " promises[next_promise + 1]
        exit 1
    }
}
