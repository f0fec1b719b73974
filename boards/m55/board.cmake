# SPDX-License-Identifier: Apache-2.0
# Arm MPS3 with the AN547 image; everything runs in the secure state, Helium with integers and floats.
set(RL_BOARD_CORE "cortex-m55")
set(RL_BOARD_MACHINE "mps3-an547")
set(RL_BOARD_FLAGS "-mcpu=cortex-m55 -mfloat-abi=hard")
set(RL_BOARD_UART 0x49303000)
