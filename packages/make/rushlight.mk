# SPDX-License-Identifier: Apache-2.0
# For makefiles: after `include rushlight.mk`, RUSHLIGHT_SOURCES are all sources, RUSHLIGHT_KERNELS those of the kernels
# alone, RUSHLIGHT_CFLAGS what they need beside the flags of the core, and RUSHLIGHT_LDFLAGS what the firmware needs.
RUSHLIGHT := $(patsubst %/,%,$(dir $(lastword $(MAKEFILE_LIST))))
RUSHLIGHT_KERNELS :=
RUSHLIGHT_RUNTIME :=
RUSHLIGHT_KERNELS += $(RUSHLIGHT)/src/@kernel@
RUSHLIGHT_RUNTIME += $(RUSHLIGHT)/src/@runtime@
RUSHLIGHT_SOURCES := $(RUSHLIGHT_KERNELS) $(RUSHLIGHT_RUNTIME)
RUSHLIGHT_CFLAGS := -std=c11 -fwrapv -ffp-contract=off -ffunction-sections -fdata-sections -I$(RUSHLIGHT)/src
RUSHLIGHT_LDFLAGS := -Wl,--gc-sections -lm
