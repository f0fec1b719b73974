# SPDX-License-Identifier: Apache-2.0
# What the Python package has beside its modules (pyproject.toml), in one folder: library, program, the counter of the
# emulator, and for each core the firmware and the libraries that `fit` measures. Each core is a build of its own. The
# sources of projects come from cmake/sources.cmake.
set(all_cores)
file(GLOB boards CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/boards/*/board.cmake)
foreach(board ${boards})
    cmake_path(GET board PARENT_PATH folder)
    cmake_path(GET folder FILENAME core)
    list(APPEND all_cores ${core})
endforeach()
list(SORT all_cores COMPARE NATURAL)
set(RL_PYTHON_CORES "${all_cores}" CACHE STRING "the emulated cores of the Python package; \"none\" for none")
find_program(RL_ARM_GCC arm-none-eabi-gcc)
mark_as_advanced(RL_ARM_GCC)
if(NOT RL_PYTHON_CORES STREQUAL "none" AND NOT RL_ARM_GCC)
    message(FATAL_ERROR "arm-none-eabi-gcc is missing, which builds the firmware of the emulated cores: "
        "scripts/bootstrap installs it (Debian packages gcc-arm-none-eabi and libnewlib-arm-none-eabi). "
        "pip install . -C cmake.define.RL_PYTHON_CORES=none builds a package without emulated cores.")
endif()

include(ExternalProject)
foreach(core ${RL_PYTHON_CORES})
    if(core STREQUAL "none")
        continue()
    endif()
    ExternalProject_Add(firmware_${core}
        SOURCE_DIR ${PROJECT_SOURCE_DIR}
        BINARY_DIR ${CMAKE_BINARY_DIR}/${core}
        CMAKE_ARGS -DRL_CORE=${core} -DRL_TESTS=OFF -DCMAKE_TOOLCHAIN_FILE=boards/toolchain.cmake
            -DCMAKE_C_COMPILER_LAUNCHER=${CMAKE_C_COMPILER_LAUNCHER}
        BUILD_COMMAND ${CMAKE_COMMAND} --build <BINARY_DIR> --target rushlight_runner rushlight_runtime rushlight_format
            rushlight_kernels
        BUILD_ALWAYS ON
        INSTALL_COMMAND "")
    foreach(file rushlight_runner.elf librushlight_runtime.a librushlight_format.a librushlight_kernels.a)
        install(FILES ${CMAKE_BINARY_DIR}/${core}/${file} DESTINATION ${core} COMPONENT python)
    endforeach()
endforeach()

set_target_properties(rushlight_shared rushlight PROPERTIES INSTALL_RPATH "$ORIGIN")
install(FILES $<TARGET_FILE:rushlight_shared> RENAME librushlight.so DESTINATION . COMPONENT python)
install(PROGRAMS $<TARGET_FILE:rushlight> DESTINATION . COMPONENT python)
install(FILES $<TARGET_FILE:rl_count> DESTINATION . COMPONENT python)
