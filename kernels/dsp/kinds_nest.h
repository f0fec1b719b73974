// SPDX-License-Identifier: Apache-2.0
#include "scalar/kinds_nest.h" // IWYU pragma: export
