# SPDX-License-Identifier: Apache-2.0
# Arm MPS2+ with the AN505 image; everything runs in the secure state.
set(RL_BOARD_CORE "cortex-m33")
set(RL_BOARD_MACHINE "mps2-an505")
set(RL_BOARD_FLAGS "-mcpu=cortex-m33 -mfpu=fpv5-sp-d16 -mfloat-abi=hard")
set(RL_BOARD_UART 0x50200000)
