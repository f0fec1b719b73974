// SPDX-License-Identifier: Apache-2.0
//
// Every function that can fail returns one of these. The list is the single source for code, name and sentence.
#ifndef RUSHLIGHT_STATUS_H
#define RUSHLIGHT_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

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

#ifdef __cplusplus
}
#endif

#endif
