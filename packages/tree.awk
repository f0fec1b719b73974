# SPDX-License-Identifier: Apache-2.0
# The sources of the device as one tree with one include folder, for scripts/package. In the repository a file is named
# from the top, from its layer or from include/; in the tree every quoted include works from the top of the tree alone:
#   rushlight/            the public headers
#   rushlight/cmsis_nn/   the headers with the API of CMSIS-NN
#   rushlight/device/     everything else: format, kernels, ops, runtime
# Some build systems put all objects into one folder, so a source whose name occurs twice gets its folder in front.
#
# usage: awk -f tree.awk -v output=DIR -v headers=FILE SOURCES     (in the top folder of the repository)
#   SOURCES  lines "kernels|runtime PATH" or "runtime PATH wide" for a source that is compiled again with RL_WIDE
#   headers  a file with the paths of all headers of the repository, one a line
# Writes the tree, and DIR/kernels.list and DIR/runtime.list: its sources, from the top of the tree.

function base_of(path) { sub(/.*\//, "", path); return path }
function folder_of(path) { sub(/\/[^\/]*$/, "", path); return path }

# Where a file of the repository is in the tree.
function place_of(path,    folder) {
    if (path ~ /^include\//) return substr(path, 9)
    if (path ~ /^kernels\/cmsis_nn\/include\//) return "rushlight/cmsis_nn/" base_of(path)
    folder = folder_of(path)
    if (path ~ /\.c$/ && uses[base_of(path)] > 1) {
        return "rushlight/device/" folder "/" base_of(folder) "_" base_of(path)
    }
    return "rushlight/device/" path
}

# The file that a quoted include names, the compiler's way: beside the includer, then in each include folder.
function resolve(name, from,    i, count, roots) {
    if ((folder_of(from) "/" name) in known) return folder_of(from) "/" name
    if (name in known) return name
    count = split("include kernels kernels/cmsis_nn/include", roots, " ")
    for (i = 1; i <= count; i++) if ((roots[i] "/" name) in known) return roots[i] "/" name
    print "packages/tree.awk: " from " includes \"" name "\", which is not there" >"/dev/stderr"
    failed = 1
    return ""
}

function reach(path) {
    if (path != "" && !(path in known)) {
        print "packages/tree.awk: " path " is not there" >"/dev/stderr"
        failed = 1
        path = ""
    }
    if (path != "" && !(path in reached)) {
        reached[path] = 1
        queue[++queued] = path
    }
}

# What macros of kernels/isa.h may make of a name: the header NAME.h of any ISA, or NAME_CHOICE.h for a NAME without .h.
function reach_choices(line, from,    name, pattern, path, found) {
    name = line
    sub(/^[^(]*\(/, "", name)
    sub(/\).*/, "", name)
    pattern = name ~ /\.h$/ ? "^kernels/[a-z]+/" name "$" : "^kernels/[a-z]+/" name "_[a-z0-9]+[.]h$"
    for (path in known) {
        if (path ~ pattern) {
            reach(path)
            found = 1
        }
    }
    if (!found) {
        print "packages/tree.awk: " from " includes a choice of " name ", of which there is none" >"/dev/stderr"
        failed = 1
    }
}

# What includes look like, after this has taken out the name.
function included(line) {
    sub(/^[^"]*"/, "", line)
    sub(/".*/, "", line)
    return line
}

function write(path,    line, target, place) {
    place = output "/" place_of(path)
    system("mkdir -p '" folder_of(place) "'")
    if (path ~ /\.c$/) print "#include \"rushlight/device/flags.h\"" >place
    while ((getline line <path) > 0) {
        if (line ~ /^[ \t]*#[ \t]*include[ \t]+"/) {
            target = resolve(included(line), path)
            if (folder_of(path) "/" included(line) != target) sub(/"[^"]*"/, "\"" place_of(target) "\"", line)
        } else if (line == "#define RL_TILE_PATH(isa, file) RL_TILE_STRING(isa/file)") {
            line = "#define RL_TILE_PATH(isa, file) RL_TILE_STRING(rushlight/device/kernels/isa/file)"
            tiles++
        }
        print line >place
    }
    close(path)
    close(place)
}

BEGIN {
    while ((getline path <headers) > 0) {
        known[path] = 1
        if (path ~ /^(kernels\/cmsis_nn\/)?include\//) listed[++count] = path
    }
    for (i = 1; i <= count; i++) reach(listed[i])
}
{ known[$2] = 1; part[$2] = $1; order[++sources] = $2; uses[base_of($2)]++; wide[$2] = $3; reach($2) }
END {
    for (next_file = 1; next_file <= queued; next_file++) {
        path = queue[next_file]
        while ((getline line <path) > 0) {
            if (line ~ /^[ \t]*#[ \t]*include[ \t]+"/) reach(resolve(included(line), path))
            if (line ~ /^[ \t]*#[ \t]*include[ \t]+RL_/) reach_choices(line, path)
        }
        close(path)
    }
    for (i = 1; i <= queued; i++) write(queue[i])
    for (i = 1; i <= sources; i++) {
        place = place_of(order[i])
        list = output "/" part[order[i]] ".list"
        print place >list
        if (wide[order[i]] != "") {
            twin = folder_of(place) "/wide_" base_of(place)
            print twin >list
            print "// SPDX-License-Identifier: Apache-2.0\n// The same operators for float64." >(output "/" twin)
            print "#define RL_WIDE\n#include \"" base_of(place) "\"" >(output "/" twin)
            close(output "/" twin)
        }
    }
    if (tiles != 1) {
        print "packages/tree.awk: kernels/isa.h has no line that defines RL_TILE_PATH as expected" >"/dev/stderr"
        failed = 1
    }
    exit failed
}
