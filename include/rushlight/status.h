// SPDX-License-Identifier: Apache-2.0
//
// Errors: the status that a function returns if it can fail, and the record of where and why it failed.
#ifndef RUSHLIGHT_STATUS_H
#define RUSHLIGHT_STATUS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Every function that can fail returns one of these. The list is the single source of code, name and sentence.
#define RL_STATUS_LIST(X)                                                                                              \
    X(RL_OK, "done")                                                                                                   \
    X(RL_ERROR_ARGUMENT, "a parameter of the call is wrong")                                                           \
    X(RL_ERROR_FORMAT, "the file is damaged or not of this format")                                                    \
    X(RL_ERROR_UNSUPPORTED, "the file is valid but uses something this version does not support")                      \
    X(RL_ERROR_MISSING_OPERATOR, "the program calls an operator that is not registered")                               \
    X(RL_ERROR_TYPE, "a tensor has another type or shape than required")                                               \
    X(RL_ERROR_MEMORY, "a buffer is too small or wrongly aligned")                                                     \
    X(RL_ERROR_KERNEL, "an operator refused its arguments")                                                            \
    X(RL_ERROR_IO, "a file cannot be read or written")                                                                 \
    X(RL_ERROR_OUT_OF_MEMORY, "the host has no memory left")                                                           \
    X(RL_ERROR_INTERNAL, "a check of our own failed: please report it")

#define RL_STATUS_MEMBER(name, sentence) name,
enum rl_status { RL_STATUS_LIST(RL_STATUS_MEMBER) };
#undef RL_STATUS_MEMBER

// The sentence of a status; never NULL.
const char *rl_status_text(enum rl_status status);

// Sentences that say what is wrong. A library for a core with little flash is compiled with -DRL_MESSAGES=0: errors
// then have their status and their numbers, and every sentence is empty. That saves about 4 KB of flash.
#ifndef RL_MESSAGES
#define RL_MESSAGES 1
#endif

// The sentence, or an empty one, which is not NULL.
static inline const char *rl_sentence(const char *sentence)
{
    return RL_MESSAGES ? sentence : "";
}

// Where and why a function failed. Numbers are -1 where they do not apply. A call that succeeds leaves it unchanged.
struct rl_error {
    enum rl_status status;
    const char *message;       // a constant sentence, "" when there is none; never NULL after a failing call
    const char *operator_name; // "cortex_m::quantized_add.out", in the registry or in the file; NULL outside operators
    int32_t instruction;       // index in the method's chain
    int32_t argument;          // index among the arguments of the instruction
    int32_t value;             // index among the values of the method
    uint32_t offset;           // byte in the file where the error is; 0 when unknown
};

#ifdef __cplusplus
}
#endif

#endif
