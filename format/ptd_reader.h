// SPDX-License-Identifier: Apache-2.0
//
// A .ptd file: tensors that a program keeps outside, by name. Read in place and freestanding, as a .pte is. Format:
// extension/flat_tensor/serialize of ExecuTorch 1.5.
#ifndef RL_FORMAT_PTD_READER_H
#define RL_FORMAT_PTD_READER_H

#include "format/pte_reader.h"

#define RL_PTD_IDENTIFIER "FT01" // at byte 4

// NULL when `data` starts like a .ptd file and `ptd` is filled in; otherwise a sentence that says what is wrong.
const char *rl_ptd_open(struct rl_ptd *ptd, const void *data, size_t size);

// Bytes of the tensor `key`: their position in the file and their number. False when there is none, or when it is not
// of element type `dtype`.
bool rl_ptd_find(const struct rl_ptd *ptd, const char *key, uint32_t key_length, uint8_t dtype, uint32_t *position,
                 uint32_t *bytes);

#endif
