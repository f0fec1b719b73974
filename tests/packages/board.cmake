# SPDX-License-Identifier: Apache-2.0
# What the stubs of platforms share: the compiler for the emulated core in the environment variable RL_CORE, and
# rl_link_on_board(target headers), which adds the start-up code of that board to a program. `headers` is the include
# folder of the package.
get_filename_component(RL_TOP ${CMAKE_CURRENT_LIST_DIR}/../.. ABSOLUTE)
include(${RL_TOP}/boards/$ENV{RL_CORE}/board.cmake)
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(CMAKE_C_COMPILER arm-none-eabi-gcc)
set(CMAKE_C_FLAGS_INIT "${RL_BOARD_FLAGS} -mthumb --specs=nano.specs -Wall -Wextra -Werror")
set(CMAKE_C_FLAGS_RELEASE "-Os")
set(CMAKE_BUILD_TYPE Release)

function(rl_link_on_board target headers)
    file(GLOB sources ${RL_TOP}/boards/common/*.c)
    add_library(rl_board OBJECT ${sources})
    target_include_directories(rl_board PRIVATE ${RL_TOP}/boards/common ${headers})
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:rl_board>) # the projects link in two forms that cannot be mixed
    target_link_options(${target} PRIVATE -nostartfiles -L${RL_TOP}/boards/$ENV{RL_CORE}
        -T${RL_TOP}/boards/common/sections.ld -Wl,--gc-sections)
endfunction()
