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

// A search for a tensor by its name. Names are in no order, so a search begins where the one before ended: programs and
// files mostly list their tensors in the same order.
struct rl_ptd_search {
    const char *key;
    uint32_t key_length;
    uint8_t dtype;      // element type, a known one
    uint32_t least;     // bytes that there must be
    uint32_t entry;     // of the list of names: where the search begins, and then what it found
    uint64_t steps;     // the most entries and 16 bytes of names to compare, and then what is left of them
    uint32_t position;  // of the bytes found, in the file; aligned to their elements
    uint32_t available; // their number
};

// Finds a tensor of this name that has the element type, the alignment and the bytes. False if there is none, or if
// no steps are left.
bool rl_ptd_find(const struct rl_ptd *ptd, struct rl_ptd_search *search);

#endif
