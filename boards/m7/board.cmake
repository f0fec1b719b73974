# SPDX-License-Identifier: Apache-2.0
# Arm MPS2 with the AN500 image.
set(RL_BOARD_CORE "cortex-m7")
set(RL_BOARD_MACHINE "mps2-an500")
set(RL_BOARD_FLAGS "-mcpu=cortex-m7 -mfpu=fpv5-d16 -mfloat-abi=hard")
set(RL_BOARD_UART 0x40004000)
