# SPDX-License-Identifier: Apache-2.0
# Arm MPS2 with the AN386 image.
set(RL_BOARD_CORE "cortex-m4")
set(RL_BOARD_MACHINE "mps2-an386")
set(RL_BOARD_FLAGS "-mcpu=cortex-m4 -mfpu=fpv4-sp-d16 -mfloat-abi=hard")
set(RL_BOARD_UART 0x40004000)
