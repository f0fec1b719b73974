# SPDX-License-Identifier: Apache-2.0
# share/rushlight: the sources that projects and packages carry along, with one list of them, sources.txt, made from the
# lists of the libraries, as scripts/device-sources reads them. In a build folder they are links to the tree; cmake
# --install copies them. A line is
#     kernels kernels/pooling/pool.c      a source of the library `kernels`; also cmsis_nn, format, runtime, and
#                                         direct, which programs in C have in place of the runtime
#     runtime runtime/math/tangent.c wide a source that is compiled once more with -DRL_WIDE
#     header include/rushlight/core.h     a file that sources include
# The Python package has the same beside its library.
function(install_share folder component)
    foreach(sources kernels include format runtime ops)
        install(DIRECTORY ${sources} DESTINATION ${folder} COMPONENT ${component}
            FILES_MATCHING PATTERN "*.[ch]" PATTERN "*.def")
    endforeach()
    # Templates and boards of the projects that `rushlight firmware` writes.
    install(FILES examples/update/update.c examples/update/update.h
        DESTINATION ${folder}/examples/update COMPONENT ${component})
    install(DIRECTORY boards/common boards/project DESTINATION ${folder}/boards COMPONENT ${component})
    file(GLOB boards RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/boards/*/board.cmake)
    foreach(board ${boards})
        get_filename_component(board_folder ${board} DIRECTORY)
        install(FILES ${board} ${board_folder}/memory.ld DESTINATION ${folder}/${board_folder} COMPONENT ${component})
    endforeach()
    install(FILES LICENSE ${CMAKE_BINARY_DIR}/share/rushlight/sources.txt DESTINATION ${folder} COMPONENT ${component})
endfunction()

set(share ${CMAKE_BINARY_DIR}/share/rushlight)
set(folders kernels include format runtime ops)
set(list "header LICENSE\n")
execute_process(COMMAND ${PROJECT_SOURCE_DIR}/scripts/device-sources OUTPUT_VARIABLE sources COMMAND_ERROR_IS_FATAL ANY)
string(REGEX REPLACE "kernels (kernels/cmsis_nn/)" "cmsis_nn \\1" sources "${sources}")
string(REGEX REPLACE "runtime (format/)" "format \\1" sources "${sources}")
string(APPEND list "${sources}direct runtime/operators/direct/call.c\n")
foreach(folder ${folders})
    file(GLOB_RECURSE headers RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS
        ${PROJECT_SOURCE_DIR}/${folder}/*.h ${PROJECT_SOURCE_DIR}/${folder}/*.def)
    list(SORT headers)
    foreach(header ${headers})
        string(APPEND list "header ${header}\n")
    endforeach()
    file(MAKE_DIRECTORY ${share})
    file(CREATE_LINK ${PROJECT_SOURCE_DIR}/${folder} ${share}/${folder} SYMBOLIC)
endforeach()
file(MAKE_DIRECTORY ${share}/examples)
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/examples/update ${share}/examples/update SYMBOLIC)
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/boards ${share}/boards SYMBOLIC)
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/LICENSE ${share}/LICENSE SYMBOLIC)
file(CONFIGURE OUTPUT ${share}/sources.txt CONTENT "${list}" @ONLY)
install_share(${CMAKE_INSTALL_DATADIR}/rushlight Unspecified)
if(RL_PYTHON)
    install_share(share/rushlight python)
endif()
