# SPDX-License-Identifier: Apache-2.0
# Toolchain file for one emulated core: cmake -DRL_CORE=m4 -DCMAKE_TOOLCHAIN_FILE=boards/toolchain.cmake
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR arm)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES RL_CORE)

if(NOT EXISTS ${CMAKE_CURRENT_LIST_DIR}/${RL_CORE}/board.cmake)
    message(FATAL_ERROR "RL_CORE is '${RL_CORE}': there is no boards/${RL_CORE}/board.cmake")
endif()
include(${CMAKE_CURRENT_LIST_DIR}/${RL_CORE}/board.cmake)

set(CMAKE_C_COMPILER arm-none-eabi-gcc)
set(CMAKE_C_FLAGS_INIT "${RL_BOARD_FLAGS} -mthumb -masm-syntax-unified --specs=nano.specs")
