# SPDX-License-Identifier: Apache-2.0
# Arm MPS2 with the AN385 image.
set(RL_BOARD_CORE "cortex-m3")
set(RL_BOARD_MACHINE "mps2-an385")
set(RL_BOARD_FLAGS "-mcpu=cortex-m3")
set(RL_BOARD_UART 0x40004000)
