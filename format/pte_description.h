// SPDX-License-Identifier: Apache-2.0
//
// The check of a program description before it is written. Internal to format/.
#ifndef RL_FORMAT_PTE_DESCRIPTION_H
#define RL_FORMAT_PTE_DESCRIPTION_H

#include "format/pte_writer.h"

// NULL if the description is consistent; otherwise a sentence that says what is not.
const char *rl_pte_check_description(const struct rl_pte_description *description);

#endif
