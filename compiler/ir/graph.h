// SPDX-License-Identifier: Apache-2.0
//
// The intermediate representation: one straight-line graph of operators over tensors.
//
// A graph is a doubly linked list of nodes in execution order. A node calls one operator of rushlight/ops.def with
// arguments in schema order (defaults filled in) and defines one value per result. Values are graph inputs, constants
// or node results. Everything lives in the arena of its compilation, and no pass owns memory. Only the data of large
// constants goes before the rest, with the constant (rl_graph_remove_dead).
//
// Invariants (checked by rl_graph_verify after every pass):
//   - every value that a node uses is a graph input, a constant of this graph or the result of an earlier node;
//   - value names are unique, node names are unique; both survive passes as long as they mean the same tensor;
//   - arguments have the number and kinds of the operator's schema;
//   - `order` of each tensor is a permutation of 0..rank-1; sizes are >= 0 and their product fits int64_t.
//
// A model with state (mutable buffers, such as the last frames of a streaming convolution) reads it like one more input
// and computes its next value like one more output. States follow the inputs in `inputs`, and their next values follow
// the outputs in `outputs`, in the same order. `input_count` and `output_count` do not count them. The pass write_back
// replaces the next values by nodes that copy each to its state (aten::copy_).
#ifndef RL_COMPILER_IR_GRAPH_H
#define RL_COMPILER_IR_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compiler/support/arena.h"
#include "compiler/support/context.h"
#include "ops/ops.h"
#include "rushlight/types.h"

enum { RL_MAX_RANK = 8 };

// Memory formats as arguments carry them (c10::MemoryFormat).
enum rl_memory_format {
    RL_FORMAT_CONTIGUOUS = 0,
    RL_FORMAT_PRESERVE = 1,
    RL_FORMAT_CHANNELS_LAST = 2,
    RL_FORMAT_CHANNELS_LAST_3D = 3
};

// Shape and layout of a dense tensor. `sizes` are logical (NCHW for images); `order` lists the dimensions from the
// outermost to the innermost in memory, so channels-last is {0, 2, 3, 1}. Strides follow from both.
struct rl_tensor_type {
    enum rl_scalar_type dtype;
    int rank;
    int64_t sizes[RL_MAX_RANK];
    uint8_t order[RL_MAX_RANK];
};

enum rl_value_kind {
    RL_VALUE_INPUT,
    RL_VALUE_CONSTANT,
    RL_VALUE_RESULT,
    RL_VALUE_SCRATCH // work space of one node: planned like a result, alive while that node runs
};

struct rl_value {
    const char *name; // unique in the graph
    enum rl_value_kind kind;
    struct rl_tensor_type type;
    struct rl_node *producer;   // RL_VALUE_RESULT only
    const void *data;           // of a constant or the first of a state: dense, in `order`, little-endian host types
    struct rl_value *next;      // list of the graph's constants, in the order of their addition
    int echoes;                 // number of removed identities of this tensor, each of which PyTorch observes
    bool is_turned;             // the tensor is row-major, and shows the model's value of this name with its dimensions
    uint8_t shown[RL_MAX_RANK]; // in another order: dimension i is dimension shown[i] of the model's value
    int mark;                   // for the private use of one function at a time; no meaning between calls
    // Of a float constant that lower_quantize made: a copy of the node that it stands for; else NULL.
    const struct rl_node *dequantized_by;
};

enum rl_arg_kind {
    RL_ARG_NONE,
    RL_ARG_VALUE,
    RL_ARG_VALUES, // Tensor[]; a NULL item is None
    RL_ARG_INT,    // also a dtype (enum rl_scalar_type), a memory format (enum rl_memory_format), a layout (0)
    RL_ARG_DOUBLE,
    RL_ARG_BOOL,
    RL_ARG_INTS,
    RL_ARG_DOUBLES,
    RL_ARG_STRING // also devices ("cpu")
};

struct rl_arg {
    enum rl_arg_kind kind;
    int count; // items of VALUES, INTS, DOUBLES
    union {
        struct rl_value *value;
        struct rl_value **values;
        int64_t integer;
        double number;
        bool boolean;
        const int64_t *integers;
        const double *numbers;
        const char *string;
    } as;
};

struct rl_node {
    enum rl_op_id op;
    const char *name;   // unique in the graph
    const char *origin; // name of the node of the model that this one came from; shown in messages and reports
    const char *layer;  // path of the module that it came from ("blocks.0.conv", "" for the model); NULL: unknown
    const char *reason; // why this node stays in floating point; NULL if no reason was given
    int arg_count;
    struct rl_arg *args;
    int result_count;
    struct rl_value **results;
    struct rl_node *previous, *next;
};

// An input or output that is int8 where the model has floats: real = scale * (integer - zero_point).
struct rl_io_grid {
    double scale; // 0: it is as in the model
    int64_t zero_point;
};

struct rl_graph {
    const char *name;
    const char *source; // file the graph came from, for messages
    struct rl_arena *arena;
    struct rl_node *first, *last;
    struct rl_value *constants;
    int input_count, output_count;
    struct rl_value **inputs;
    struct rl_value **outputs;
    int state_count;  // see above
    bool writes_back; // the graph has nodes that write the states; `outputs` has no next values any more
    struct rl_io_grid *input_grids, *output_grids; // by input and output; NULL: all are as in the model
    const char *input_tree, *output_tree;          // pytree strings of the model, copied to the .pte; may be NULL
    const char *const *input_names, *const *output_names; // as the model was exported, whatever passes do; may be NULL
};

// ---- construction

struct rl_graph *rl_graph_new(struct rl_arena *arena, const char *name, const char *source);

// A name that no node and no value of the graph has: `stem`, or `stem_k` with k above all such names there are.
const char *rl_graph_unique_name(const struct rl_graph *graph, const char *stem);

struct rl_value *rl_graph_add_input(struct rl_graph *graph, const char *name, const struct rl_tensor_type *type);
void rl_graph_add_output(struct rl_graph *graph, struct rl_value *value);

// How many values `inputs` has with the states, and `outputs` with their next values.
int rl_graph_source_count(const struct rl_graph *graph);
int rl_graph_target_count(const struct rl_graph *graph);

// Makes the constant `value` a state, behind the others. Its first value is `value->data` (not copied). Each run keeps
// the value unless rl_graph_set_next gives it another one. Add all inputs and outputs first.
void rl_graph_add_state(struct rl_graph *graph, struct rl_value *value);

// The value that replaces state `index` after a run. The graph must not write back yet.
void rl_graph_set_next(struct rl_graph *graph, int index, struct rl_value *next);

// Whether a value is a state.
bool rl_value_is_state(const struct rl_value *value);

// A constant with a copy of `data` (rl_tensor_bytes of it). `name` is made unique.
struct rl_value *rl_graph_add_constant(struct rl_graph *graph, const char *name, const struct rl_tensor_type *type,
                                       const void *data);

// The same without a copy: `data` lies in the graph's arena and is the constant's alone from now on.
struct rl_value *rl_graph_take_constant(struct rl_graph *graph, const char *name, const struct rl_tensor_type *type,
                                        const void *data);

// Work space of `bytes` for one node: a uint8 value to be set as that node's scratch argument.
struct rl_value *rl_graph_add_scratch(struct rl_graph *graph, const char *name, int64_t bytes);

// A node before `before` (NULL: at the end). Arguments start as RL_ARG_NONE, one per schema argument; results get
// `types` and are named after the node (`name`, or `name_k` for the k-th of several). `origin` and `layer` are copied
// from `like` when given.
struct rl_node *rl_graph_insert(struct rl_graph *graph, struct rl_node *before, enum rl_op_id op, const char *name,
                                const struct rl_node *like, int result_count, const struct rl_tensor_type *types);

// As rl_graph_insert, with names that the caller keeps unique (a reader of a file that has checked them already):
// `name` for the node and `result_names` for the results are used as they are, not copied.
struct rl_node *rl_graph_insert_named(struct rl_graph *graph, struct rl_node *before, enum rl_op_id op,
                                      const char *name, int result_count, const char *const *result_names,
                                      const struct rl_tensor_type *types);

// Unlinks a node whose results have no users.
void rl_graph_remove(struct rl_graph *graph, struct rl_node *node);

// Deep copy into `arena`; names, order and origins are the same.
struct rl_graph *rl_graph_clone(const struct rl_graph *graph, struct rl_arena *arena);

// The same, but the data of constants is that of `graph`, which must outlive the copy. `arena` is another one than that
// of `graph`, so that neither gives back what the other uses.
struct rl_graph *rl_graph_clone_sharing(const struct rl_graph *graph, struct rl_arena *arena);

// ---- arguments

struct rl_arg rl_arg_value(struct rl_value *value); // NULL gives RL_ARG_NONE
struct rl_arg rl_arg_values(struct rl_arena *arena, struct rl_value *const *values,
                            int count); // copies the pointers
struct rl_arg rl_arg_int(int64_t integer);
struct rl_arg rl_arg_double(double number);
struct rl_arg rl_arg_bool(bool boolean);
struct rl_arg rl_arg_ints(struct rl_arena *arena, const int64_t *integers, int count);  // copies
struct rl_arg rl_arg_doubles(struct rl_arena *arena, const double *numbers, int count); // copies
struct rl_arg rl_arg_string(struct rl_arena *arena, const char *string);                // copies

// The default of a schema argument that has one (`schema->default_text` is not NULL). A list default of one number
// keeps one item, which stands for all (rl_node_ints).
struct rl_arg rl_arg_default(struct rl_arena *arena, const struct rl_op_arg *schema);

// Index of an argument by its schema name. The name must exist: a misspelling is our bug, and asserts.
int rl_node_arg_index(const struct rl_node *node, const char *name);
struct rl_arg *rl_node_arg(const struct rl_node *node, const char *name);

// Tensor argument by schema name; NULL when it is None.
struct rl_value *rl_node_tensor(const struct rl_node *node, const char *name);
int64_t rl_node_int(const struct rl_node *node, const char *name);
bool rl_node_bool(const struct rl_node *node, const char *name);
double rl_node_number(const struct rl_node *node, const char *name); // INT, DOUBLE or BOOL as double

// int[] argument expanded to `count` items: one item stands for all (PyTorch's rule), an empty list gives `fallback`.
// False when the list has another length.
bool rl_node_ints(const struct rl_node *node, const char *name, int count, int64_t fallback, int64_t *items);

// ---- uses

// Number of uses of a value by node arguments and graph outputs. Here and below, next values of states are outputs.
int rl_value_use_count(const struct rl_graph *graph, const struct rl_value *value);
int rl_node_use_count(const struct rl_node *node, const struct rl_value *value); // by this node alone
bool rl_value_is_output(const struct rl_graph *graph, const struct rl_value *value);

// The only user of a value: the node that uses it once. NULL if there are other uses, such as a graph output.
struct rl_node *rl_value_only_user(const struct rl_graph *graph, const struct rl_value *value);

// Replaces every use (arguments and graph outputs) of `from` by `to`.
void rl_graph_replace_uses(struct rl_graph *graph, const struct rl_value *from, struct rl_value *to);

// The same, but only in the node and those after it, and in the outputs. No node: only in the outputs.
void rl_graph_replace_later_uses(struct rl_graph *graph, struct rl_node *first, const struct rl_value *from,
                                 struct rl_value *to);
void rl_node_replace_uses(struct rl_node *node, const struct rl_value *from, struct rl_value *to); // in this node alone

// Removes nodes whose results nobody uses and constants nobody reads; inputs, states and nodes that write states stay.
// Gives back the data of those constants, if it is large and no other constant or state of the graph lies in it.
void rl_graph_remove_dead(struct rl_graph *graph);

// The same for one constant, if nobody reads it.
void rl_graph_remove_constant(struct rl_graph *graph, const struct rl_value *constant);

// ---- types

// Contiguous type of these sizes.
struct rl_tensor_type rl_tensor_type_make(enum rl_scalar_type dtype, int rank, const int64_t *sizes);

// Whether a type keeps the rules of this page: a known dtype, rank, sizes and order, and a number of bytes that fits
// int64_t (so do all strides, also when a size is 0).
bool rl_tensor_type_is_valid(const struct rl_tensor_type *type);

// Whether `shown` of a turned value keeps the rules: row-major order, and a permutation of the dimensions.
bool rl_value_turns(const struct rl_value *value);

int64_t rl_tensor_numel(const struct rl_tensor_type *type);
size_t rl_tensor_bytes(const struct rl_tensor_type *type);
bool rl_tensor_same_sizes(const struct rl_tensor_type *a, const struct rl_tensor_type *b);

// Whether both layouts put the same element at the same address (they may differ in dimensions of size 1).
bool rl_tensor_same_layout(const struct rl_tensor_type *a, const struct rl_tensor_type *b);
bool rl_tensor_is_contiguous(const struct rl_tensor_type *type);
bool rl_tensor_is_channels_last(const struct rl_tensor_type *type); // rank 4, up to dimensions of size 1

// Element strides per logical dimension.
void rl_tensor_strides(const struct rl_tensor_type *type, int64_t strides[RL_MAX_RANK]);

// "float32 [1, 3, 96, 96]", for messages.
const char *rl_type_text(struct rl_arena *arena, const struct rl_tensor_type *type);

// ---- text and checks (print.c, parse.c, verify.c)

// Writes the graph as text; rl_graph_parse reads the same text back to an equal graph, data included.
enum rl_status rl_graph_print(struct rl_context *context, const struct rl_graph *graph, void *file /* FILE * */);
enum rl_status rl_graph_parse(struct rl_context *context, struct rl_arena *arena, const char *text, const char *source,
                              struct rl_graph **graph);

// Checks the invariants above. `after` names the pass that ran last. The message says that a violation is our bug.
enum rl_status rl_graph_verify(struct rl_context *context, const struct rl_graph *graph, const char *after);

#endif
