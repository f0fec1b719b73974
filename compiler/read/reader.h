// SPDX-License-Identifier: Apache-2.0
//
// What the files of the .pt2 reader share. Each function reports its first error in the context and returns its status.
#ifndef RL_COMPILER_READ_READER_H
#define RL_COMPILER_READ_READER_H

#include <jansson.h>

#include "compiler/ir/graph.h"
#include "compiler/read/archive.h"
#include "compiler/read/shape.h"
#include "compiler/read/storage.h"
#include "compiler/read/torch_file.h"
#include "compiler/support/name_map.h"

// A parameter, buffer or constant of the model, whose data are read only if a node uses it.
struct rl_pt2_weight {
    struct rl_value *value;
    const char *key; // of its tensor in the archive ("conv.weight")
    struct rl_pt2_weight *next;
};

// A buffer that the model changes, as the file tells it: its name, and that of the value it gets.
struct rl_pt2_mutation {
    const char *key;
    struct rl_value *next_value;
    struct rl_pt2_mutation *next;
};

// A symbol of dynamic sizes.
struct rl_pt2_symbol {
    int64_t min, max; // as exported
    bool is_known;
    int64_t value;
};

struct rl_pt2_reader {
    struct rl_context *context;
    struct rl_arena *arena;
    const char *path;
    struct rl_archive archive;
    json_t *model, *weights_config, *constants_config; // owned
    const json_t *tensor_values, *size_values;         // parts of model
    struct rl_torch_file weights_file, constants_file; // in place of the configurations: PyTorch 2.7 and 2.8
    struct rl_name_map pickled;                        // struct rl_pt2_pickled by the key of a weight
    struct rl_input_shapes shapes;                     // that the caller gives
    struct rl_name_map symbols;                        // struct rl_pt2_symbol by name
    struct rl_name_map sizes;                          // int64_t by the name of a computed size
    struct rl_graph *graph;
    struct rl_name_map values;     // struct rl_value by name
    struct rl_name_map node_names; // what the file or the reader calls nodes
    struct rl_name_map stems;      // struct rl_pt2_stem by the name from which others are made
    struct rl_name_map storages;   // struct rl_pt2_storage by member
    struct rl_pt2_weight *weights, **weights_end;
    struct rl_pt2_mutation *mutations, **mutations_end;
    struct rl_value *numbers,
        **numbers_end;   // constants for numbers given in place of tensors, not named for good yet
    bool leaves_out;     // whether an output of the model is None
    size_t spread_bytes; // copied so far for tensors that are not dense
};

// ---- json.c: typed access; `place` says where in the file, for messages

enum rl_status rl_json_parse(struct rl_pt2_reader *reader, const char *member, json_t **root);
// The member `key` of `object`, which must be there and of this type (JSON_TRUE stands for both booleans).
enum rl_status rl_json_get(struct rl_pt2_reader *reader, const char *place, const json_t *object, const char *key,
                           json_type type, const json_t **item);
enum rl_status rl_json_get_string(struct rl_pt2_reader *reader, const char *place, const json_t *object,
                                  const char *key, const char **string);
enum rl_status rl_json_get_int(struct rl_pt2_reader *reader, const char *place, const json_t *object, const char *key,
                               int64_t *number);
// A union: an object of one member. Its name and its content.
enum rl_status rl_json_get_union(struct rl_pt2_reader *reader, const char *place, const json_t *item, const char **kind,
                                 const json_t **content);
// A JSON number, or "Infinity", "-Infinity", "NaN".
bool rl_json_number(const json_t *item, double *number);
const char *rl_json_type_name(const json_t *item);

// ---- tensor_meta.c

enum rl_status rl_pt2_read_tensor_meta(struct rl_pt2_reader *reader, const char *place, const json_t *meta,
                                       struct rl_pt2_tensor *tensor);
// A SymInt: {"as_int": n}. A symbolic one is RL_ERROR_UNSUPPORTED, its message names the symbol.
enum rl_status rl_pt2_read_sym_int(struct rl_pt2_reader *reader, const char *place, const json_t *item,
                                   int64_t *number);
// The types of the file, counted from one, to ours. False for those that are not supported.
bool rl_pt2_dtype(int64_t number, enum rl_scalar_type *dtype);

// The type of a value by its name in the graph's tensor_values. Only results of nodes may have complex numbers.
enum rl_status rl_pt2_find_type(struct rl_pt2_reader *reader, const char *name, struct rl_tensor_type *type);
enum rl_status rl_pt2_find_result_type(struct rl_pt2_reader *reader, const char *name, struct rl_tensor_type *type);

// ---- expression.c

// The value of a size as the file writes it ("Add(Symbol('s7', positive=True), Integer(1))"). False when it cannot be
// computed; `unknown` then is its first symbol without a value, or NULL.
bool rl_pt2_evaluate(const struct rl_pt2_reader *reader, const char *expression, int64_t *number, const char **unknown);

// ---- symbols.c

// Gives symbols the values that follow from the shapes of the caller. RL_ERROR_ARGUMENT: a shape that does not fit.
enum rl_status rl_pt2_fix_sizes(struct rl_pt2_reader *reader, const json_t *signature);

// ---- signature.c

enum rl_status rl_pt2_read_inputs(struct rl_pt2_reader *reader, const json_t *signature);
enum rl_status rl_pt2_read_outputs(struct rl_pt2_reader *reader, const json_t *signature);
// Makes states of the buffers that the model changes. The constants must have been read.
enum rl_status rl_pt2_make_states(struct rl_pt2_reader *reader);
void rl_pt2_read_trees(struct rl_pt2_reader *reader, const json_t *graph_module);

// ---- nodes.c

enum rl_status rl_pt2_read_nodes(struct rl_pt2_reader *reader, const json_t *graph);

// ---- arguments.c

// Fills node->args, in schema order, from the node's "inputs" in the file.
enum rl_status rl_pt2_read_arguments(struct rl_pt2_reader *reader, const char *place, struct rl_node *node,
                                     const json_t *inputs);

// ---- argument.c

// One argument: a union of the file to what the schema asks for.
enum rl_status rl_pt2_read_argument(struct rl_pt2_reader *reader, const char *place, struct rl_node *node,
                                    const struct rl_op_arg *schema, const json_t *item, struct rl_arg *arg);
enum rl_status rl_pt2_find_value(struct rl_pt2_reader *reader, const char *place, const json_t *reference,
                                 struct rl_value **value);

// ---- numbers.c

// A constant of rank 0 for a number given as the tensor argument `schema`, in the type that the operator computes with.
enum rl_status rl_pt2_number_as_tensor(struct rl_pt2_reader *reader, const char *place, const struct rl_node *node,
                                       const struct rl_op_arg *schema, const struct rl_arg *number,
                                       struct rl_value **value);

// ---- weights.c

// Opens what lists and holds the tensors of the model.
enum rl_status rl_pt2_open_weights(struct rl_pt2_reader *reader, const struct rl_archive_parts *parts);
// Reads the data of all weights that a node or an output uses and makes them, and then the numbers, the graph's
// constants.
enum rl_status rl_pt2_read_constants(struct rl_pt2_reader *reader);

#endif
