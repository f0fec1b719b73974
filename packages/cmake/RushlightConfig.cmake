# SPDX-License-Identifier: Apache-2.0
# Rushlight::kernels and Rushlight::runtime as sources: they are built in the project that finds them, with its compiler
# and its flags.
if(TARGET Rushlight::runtime)
    return()
endif()
set(RUSHLIGHT_FLAGS -fwrapv -ffp-contract=off -ffunction-sections -fdata-sections)
add_library(rushlight_kernels STATIC EXCLUDE_FROM_ALL
    ${CMAKE_CURRENT_LIST_DIR}/src/@kernel@
)
add_library(rushlight_runtime STATIC EXCLUDE_FROM_ALL
    ${CMAKE_CURRENT_LIST_DIR}/src/@runtime@
)
foreach(library rushlight_kernels rushlight_runtime)
    target_compile_options(${library} PRIVATE ${RUSHLIGHT_FLAGS})
    set_target_properties(${library} PROPERTIES C_STANDARD 11 C_STANDARD_REQUIRED ON)
endforeach()
target_include_directories(rushlight_kernels SYSTEM PUBLIC
    ${CMAKE_CURRENT_LIST_DIR}/src ${CMAKE_CURRENT_LIST_DIR}/src/rushlight/cmsis_nn)
target_link_libraries(rushlight_runtime PUBLIC rushlight_kernels m)
add_library(Rushlight::kernels ALIAS rushlight_kernels)
add_library(Rushlight::runtime ALIAS rushlight_runtime)
