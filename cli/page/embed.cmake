# SPDX-License-Identifier: Apache-2.0
# cmake -DOUTPUT=FILE.c -DINPUTS=FILE,FILE,... -P embed.cmake: writes the files as C strings, rl_page_NAME for
# NAME.html, NAME.css or NAME.js. Files with the same bytes give the same bytes, on each machine.
set(text "// Written by cli/page/embed.cmake.\n#include \"cli/page_files.h\"\n")
string(REPLACE "," ";" files "${INPUTS}")
foreach(file IN LISTS files)
    get_filename_component(name ${file} NAME_WE)
    file(READ ${file} bytes HEX)
    # Constants of characters: their sign is that of `char`, whatever the machine.
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${bytes}")
    string(APPEND text "const char rl_page_${name}[] = {${bytes}0};\n")
endforeach()
file(WRITE ${OUTPUT} "${text}")
