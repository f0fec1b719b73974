# SPDX-License-Identifier: Apache-2.0
# Code for Armv6-M on an Armv7-M machine: QEMU has no M0 board with megabytes of memory. Start-up traps
# unaligned accesses, which the real core does not have.
set(RL_BOARD_CORE "cortex-m0")
set(RL_BOARD_MACHINE "mps2-an385")
set(RL_BOARD_FLAGS "-mcpu=cortex-m0")
set(RL_BOARD_UART 0x40004000)
