// SPDX-License-Identifier: Apache-2.0
#include "runtime/signature.h"

bool rl_signature_accepts(char letter, enum rl_pte_kind kind)
{
    // Small letters also take None.
    if (kind == RL_PTE_NULL) {
        return letter >= 'a' && letter <= 'z' && letter != 'l';
    }
    switch (letter) {
    case 'T':
    case 'U':
    case 'H':
    case 'K':
    case 'D':
    case 'A':
    case 'Q':
    case 't':
    case 'S':
    case 'O':
    case 'R':
        return kind == RL_PTE_TENSOR;
    case 'L':
    case 'M':
        return kind == RL_PTE_TENSOR_LIST;
    case 'l':
        return kind == RL_PTE_TENSOR_LIST || kind == RL_PTE_OPTIONAL_TENSOR_LIST;
    case 'I':
    case 'i':
    case 'J':
        return kind == RL_PTE_INT;
    case 'N':
    case 'n':
    case 'X':
        return kind == RL_PTE_INT_LIST || kind == RL_PTE_INT; // ExecuTorch writes int[1] either way
    case 'F':
    case 'f':
        return kind == RL_PTE_DOUBLE || kind == RL_PTE_INT;
    case 'g':
        return kind == RL_PTE_DOUBLE_LIST;
    case 'B':
    case 'b':
        return kind == RL_PTE_BOOL;
    case 'Z':
    case 'z':
        return kind == RL_PTE_STRING;
    case 'C':
    case 'c':
    case 'W':
        return kind == RL_PTE_INT || kind == RL_PTE_DOUBLE || kind == RL_PTE_BOOL;
    default:
        return false;
    }
}
