// SPDX-License-Identifier: Apache-2.0
//
// What the files of the runtime share.
#ifndef RL_RUNTIME_INTERNAL_H
#define RL_RUNTIME_INTERNAL_H

#include "format/proved.h"
#include "format/ptd_reader.h"
#include "format/pte_reader.h"
#include "runtime/flow.h"
#include "runtime/reason.h"
#include "rushlight/operator.h"
#include "rushlight/registry.h"

// Fills in `error` (may be NULL) and returns `status`. A message of NULL stands for the empty sentence: it is shorter
// to pass.
enum rl_status rl_record(struct rl_error *error, enum rl_status status, const char *message, uint32_t offset);

static inline enum rl_status rl_report(struct rl_error *error, enum rl_status status, const char *message,
                                       uint32_t offset)
{
    return rl_record(error, status, RL_MESSAGES ? message : NULL, offset);
}

// Where the data of a tensor lies.
enum rl_storage {
    RL_STORAGE_CONSTANT, // at `position` in the file
    RL_STORAGE_PLANNED,  // `position` bytes into planned buffer `buffer`
    RL_STORAGE_EXTERNAL, // at `position` in the attached file of data
    RL_STORAGE_CALLER    // wherever the caller binds it
};

struct rl_placed_tensor {
    struct rl_tensor view; // its data is NULL
    enum rl_storage place;
    uint32_t buffer;
    uint32_t position;
    uint32_t initial; // of a planned tensor: its first value in the file, 0 when it has none
    bool changes;     // its sizes may be other ones than the file's: see shapes.c
};

// Product of the sizes times the element size; false when it does not fit 31 bits or a size is negative. Empty tensors
// must fit as if their empty dimensions were of size 1: operators count along the others.
bool rl_count_bytes(int dtype, uint32_t rank, const int32_t *sizes, uint32_t *bytes);

// Reads and checks value `index`, which must be a tensor: element type, rank, sizes, dim_order, and that its bytes lie
// inside the file or the planned buffer. On failure *message says why.
enum rl_status rl_place_tensor(const struct rl_program *program, const struct rl_pte_plan *plan, uint32_t index,
                               struct rl_placed_tensor *tensor, const char **message);

// Reads and checks a method and the sizes of its planned buffers.
enum rl_status rl_read_plan(const struct rl_program *program, uint32_t method, struct rl_pte_plan *plan,
                            struct rl_error *error);

// Finds a method of a proved program, and what it requires; other programs are refused.
enum rl_status rl_require(const struct rl_program *program, uint32_t method, struct rl_pte_plan *plan,
                          struct rl_requirements *requirements, struct rl_error *error);

// Bytes that planned buffer `index` (from 0) must have; false when the file says nonsense.
bool rl_planned_bytes(const struct rl_pte *pte, const struct rl_pte_plan *plan, uint32_t index, uint32_t *bytes);

// An operator as a program names it: "cortex_m::quantized_add" and "out".
struct rl_operator_name {
    const char *base, *overload;
    uint32_t base_length, overload_length;
};

// The string in a field of a proved table; "" when it is left out.
static inline const char *rl_view_string(const uint8_t *table, uint32_t id, uint32_t *length)
{
    const uint8_t *characters = rl_proved_vector(table, id, length);
    return characters ? (const char *)characters : "";
}

// Name `index` of a proved method's operators.
static inline void rl_view_operator(const struct rl_pte *pte, const struct rl_fb_vector *operators, uint32_t index,
                                    struct rl_operator_name *name)
{
    const uint8_t *table = rl_proved_item_table(pte, operators, index);
    name->base = rl_view_string(table, RL_PTE_operator_name, &name->base_length);
    name->overload = rl_view_string(table, RL_PTE_operator_overload, &name->overload_length);
}

// NULL when the registry has no kernel of this name.
const struct rl_kernel *rl_find_kernel(const struct rl_registry *registry, const struct rl_operator_name *name);

// Whether a tensor of float64 is among the arguments of the call, outputs included.
bool rl_call_has_float64(const struct rl_call *call);

// Checks that everything in the program that view.c, call.c and method.c read is what they take it for.
enum rl_status rl_verify_structure(struct rl_program *program, const struct rl_registry *registry,
                                   struct rl_error *error);

// ---- values that change: see slots.c

// Why a program is refused whose registry has no flow.
static const char rl_no_flow[] = "the program needs a registry with .flow = &rl_control_flow_all";

enum rl_slot_kind {
    RL_SLOT_UNCHANGED, // as in the file
    RL_SLOT_MOVED,     // another value of the file
    RL_SLOT_VIEW,      // a tensor that lies where another one does
    RL_SLOT_NUMBER     // + RL_PTE_INT, RL_PTE_BOOL or RL_PTE_DOUBLE: a number
};

// A number has the form of a table of a .pte with one field, its vtable before it, so that whoever reads numbers from
// the file reads it, too.
struct rl_slot {
    uint16_t kind;
    uint16_t vtable[3];
    uint32_t to_vtable; // here the table starts
    // The number, low word first. Of other values: the index of the one that was moved here or is shown; and what
    // neither changes: the position of the value's own data in the attached file, 0 when it is not there; or, with
    // RL_OWN_SIZES, the place of its sizes, in words from the first slot.
    uint32_t words[2];
};

#define RL_OWN_SIZES 0x80000000u

// Where a tensor's sizes are, in words from the first slot; 0 when they are those of the file.
static inline uint32_t rl_own_sizes(const struct rl_slot *slot)
{
    return slot->words[1] >= RL_OWN_SIZES ? slot->words[1] - RL_OWN_SIZES : 0;
}

void rl_slot_set(struct rl_slot *slot, enum rl_pte_kind kind, uint64_t bits);

// Makes every value what it is in the file.
void rl_slots_reset(struct rl_slot *slots, uint32_t count);

// Kind and table of value `*value` as it is now. *value becomes the one it was moved from.
enum rl_pte_kind rl_changed_value(const struct rl_slot *slots, const uint8_t *values, uint32_t *value,
                                  const uint8_t **table);

static inline enum rl_pte_kind rl_value_now(const struct rl_slot *slots, const uint8_t *values, uint32_t *value,
                                            const uint8_t **table)
{
    if (slots) {
        return rl_changed_value(slots, values, value, table);
    }
    return rl_proved_value(values + 4 * *value, table);
}

// rl_control_flow_all.alias.
void rl_alias(struct rl_call *call, uint32_t argument, uint32_t shown);

// Whether a value is a tensor that has memory only while it shows another one: it is neither planned nor a constant,
// and nobody can bind it.
bool rl_is_only_alias(const struct rl_pte *pte, const struct rl_pte_plan *plan, uint32_t value);

// Whether an operator of the method makes its last argument a view.
bool rl_makes_views(const struct rl_pte *pte, const struct rl_pte_plan *plan, uint32_t operator_index);

// rl_control_flow_all.run: an instruction that is no kernel call, given its table; sets method->next.
enum rl_status rl_run_flow(struct rl_method *method, enum rl_pte_instruction_kind kind, const uint8_t *table);

// ---- tensors of changing shape: see shapes.c

// What rl_program_verify found out about the shapes of a program's tensors.
enum rl_shapes { RL_SHAPES_UNKNOWN, RL_SHAPES_FIXED, RL_SHAPES_CHANGE };

// Words that the sizes of a proved method's tensors take; 0 when none of them changes.
uint32_t rl_shape_words(const struct rl_program *program, const struct rl_pte_plan *plan);

// Gives every tensor of a changing shape its largest sizes.
void rl_shapes_reset(struct rl_method *method);

// rl_control_flow_all.resize and resize_output.
const char *rl_change_sizes(struct rl_method *method, uint32_t value, uint32_t rank, const int32_t *sizes);
const char *rl_change_output(struct rl_call *call, uint32_t argument, uint32_t index, uint32_t rank,
                             const int32_t *sizes);

// Dimensions of value `index` if it is a tensor of changing shape; otherwise 0.
uint32_t rl_changing_rank(const struct rl_program *program, const struct rl_pte_plan *plan, uint32_t index);

// ---- verification of calls: see verify/

// Refuses a call in which an output or a work space shares memory with what it may not.
enum rl_status rl_check_overlap(struct rl_call *call);

// Whether a move of a proved method may put another value in the place of this one.
bool rl_is_moved(const struct rl_method *method, uint32_t value);

// The operator that a call of a proved method, given its table, calls.
const struct rl_kernel *rl_called_kernel(const struct rl_method *method, const struct rl_registry *registry,
                                         const uint8_t *table);

// rl_control_flow_all.tolerates and check.
bool rl_tolerates(const struct rl_call *call, const struct rl_registry *registry);
enum rl_status rl_check_flow(struct rl_method *method, const struct rl_registry *registry,
                             enum rl_pte_instruction_kind kind, const uint8_t *table);

// ---- views of proved programs; rl_method_init lets no other reach them

// What rl_pte_plan reads.
void rl_view_plan(const struct rl_pte *pte, uint32_t method, struct rl_pte_plan *plan);

// rl_control_flow_all.place: gives tensors of a method with an initial value that value, and finds those that lie in
// another file.
enum rl_status rl_place_data(struct rl_method *method);

// rl_control_flow_all.find.
bool rl_find_external(const struct rl_method *method, uint32_t value, const uint8_t *table, struct rl_tensor *tensor);

// View of a value that is a tensor, given its table. Its data is NULL when that is for the caller to bind and not bound
// yet.
enum rl_storage rl_view_tensor(const struct rl_method *method, uint32_t value, const uint8_t *table,
                               struct rl_tensor *tensor);

#endif
