// SPDX-License-Identifier: Apache-2.0
//
// Registry objects from the operator table. Names and signatures are objects of their own, not string literals, so that
// the linker drops those of operators that a firmware does not list. Names lie at multiples of 4, which makes the
// search faster.
#include "rushlight/registry.h"

#include "runtime/operators/prototypes.h"
#include "runtime/run/call.h"

// Letters: see struct rl_kernel.
#define TENSOR(name)              "T"
#define REUSED(name)              "U"
#define WEIGHTS_SECOND(name)      "H"
#define WEIGHTS_LAST(name)        "K"
#define FACTOR(name)              "D"
#define SCALED(name)              "A"
#define TENSOR_WRITTEN(name)      "O"
#define TENSOR_OPT(name)          "t"
#define TENSORS(name)             "L"
#define TENSORS_OPT(name)         "l"
#define SCRATCH(name)             "S"
#define INT(name)                 "I"
#define INT_OR(name, fallback)    "I"
#define INT_OPT(name)             "i"
#define INTS(name)                "N"
#define INTS_OR(name, ...)        "N"
#define INTS_OPT(name)            "n"
#define WINDOW(name)              "X"
#define PASSES(name)              "J"
#define FLOAT(name)               "F"
#define FLOAT_OR(name, fallback)  "F"
#define FLOAT_OPT(name)           "f"
#define FLOATS_OPT(name)          "g"
#define BOOL(name)                "B"
#define BOOL_OR(name, fallback)   "B"
#define BOOL_OPT(name)            "b"
#define STRING_OR(name, fallback) "Z"
#define STRING_OPT(name)          "z"
#define SCALAR(name)              "C"
#define SCALAR_OR(name, fallback) "C"
#define SCALAR_OPT(name)          "c"
#define DTYPE(name)               "I"
#define DTYPE_OPT(name)           "i"
#define LAYOUT_OPT(name)          "i"
#define DEVICE_OPT(name)          "i"
#define MEMORY_FORMAT_OPT(name)   "i"
#define KEYWORD
#define RETURNS0()                 ""
#define RETURNS1(out)              "OR"
#define RETURNS_ONCE(out)          "O"
#define RETURNS2(out0, out1)       "OOM"
#define RETURNS3(out0, out1, out2) "OOOM"
#define RETURNS4(a, b, c, d)       "OOOOM"
#define RETURNS_LIST(out)          "LL"
#define RETURNS_NUMBER(out)        "W"

#define RL_OP(id, name, overload, out_overload, arguments, results, traits)                                            \
    static const _Alignas(4) char name_##id[] = name "." out_overload;                                                 \
    static const char signature_##id[] = arguments results;                                                            \
    const struct rl_kernel rl_kernel_##id = {                                                                          \
        name_##id, signature_##id, sizeof name_##id - 1, sizeof signature_##id - 1, true, rl_run_##id};
#define RL_OP_AHEAD(id, name, overload, arguments, results, traits)
#include "rushlight/ops.def"
#undef RL_OP

// The same with a function that also takes float64.
#define RL_OP(id, name, overload, out_overload, arguments, results, traits)
#define RL_OP_AHEAD(id, name, overload, arguments, results, traits)
#define RL_OP_WIDE(id, name, overload, out_overload, arguments, results, traits)                                       \
    static enum rl_status run_any_##id(struct rl_call *call)                                                           \
    {                                                                                                                  \
        return rl_call_has_float64(call) ? rl_run_wide_##id(call) : rl_run_##id(call);                                 \
    }                                                                                                                  \
    const struct rl_kernel rl_kernel_wide_##id = {                                                                     \
        name_##id, signature_##id, sizeof name_##id - 1, sizeof signature_##id - 1, true, run_any_##id};
#include "rushlight/ops.def"
#undef RL_OP

static const struct rl_kernel *const all[] = {
#define RL_OP(id, name, overload, out_overload, arguments, results, traits) &rl_kernel_##id,
#define RL_OP_AHEAD(id, name, overload, arguments, results, traits)
#define RL_OP_WIDE(id, name, overload, out_overload, arguments, results, traits) &rl_kernel_wide_##id,
#include "rushlight/ops.def"
};

const struct rl_registry rl_registry_all = {all, sizeof all / sizeof all[0], &rl_control_flow_all};
