// SPDX-License-Identifier: Apache-2.0
//
// runtime/run/view.c reads nothing but what verification has proved, and the data of the tensors that it views lies in
// the planned buffers and in the file. views.sed puts the invariants of its loops into a copy of it.
#include "views.h"

#include "runtime/flow.h"
#include "runtime/run/slots.h"
#include "runtime/run/view.h"

/*@ // ---- sizes

    axiomatic elements {
      logic integer element(integer type);
      axiom element_range: \forall integer type; 0 <= element(type) <= 8;
    }

    // Bytes of a tensor, from dimension i inwards.
    logic integer product(uint8_t *sizes, integer i, integer rank, integer bytes) =
      i >= rank ? bytes : u32(sizes + 4 * i) * product(sizes, i + 1, rank, bytes);

    // What rl_count_bytes promises: it is proved by tests/proofs/sizes.c, and counts empty dimensions as 1.
    predicate counted(uint8_t *sizes, integer rank, integer bytes) =
      rank <= RL_TENSOR_MAX_RANK && (rank > 0 ==> given(sizes, 4 * rank) && aligned(sizes, 4)) &&
      \forall integer i; 0 <= i <= rank ==> 0 <= product(sizes, i, rank, bytes) <= INT32_MAX;

    logic uint8_t *sizes_of(uint8_t *t) = child(t, RL_PTE_tensor_sizes) + 4;

    logic integer rank_of(uint8_t *t) = count(t, RL_PTE_tensor_sizes);

    logic integer element_of(uint8_t *t) = element(byte(t, RL_PTE_tensor_scalar_type));

    logic integer largest(uint8_t *t) = product(sizes_of(t), 0, rank_of(t), element_of(t));

    // ---- the program and the method

    predicate vector(struct rl_fb_vector *v) =
      v->items % 4 == 0 && v->items + 4 * v->count <= table_bytes;

    // What the structs of a program and a method hold. None of it changes while a tensor is viewed.
    axiomatic structs {
      logic integer is_inline;          // of rl_pte: constants_inline, constants.items, constants_position
      logic integer constants_at;
      logic integer constant_segment;
      logic integer is_attached;        // of rl_program: whether there is find_data
      logic integer values_at;          // of rl_pte_plan: values
      logic integer value_count;
      logic integer buffer_count;
      logic uint8_t *buffer(integer k); // of rl_method: buffers, and bound, by the list of inputs, then of outputs
      logic integer buffer_bytes(integer k);
      logic integer end_count;
      logic void *bound(integer i);
    }

    predicate program(struct rl_pte *pte) = \valid_read(pte) && readable && pte->fb.data == file &&
      table_bytes <= file_bytes <= INT32_MAX && aligned(file, 4) &&
      pte->constants_inline == is_inline && pte->constants.items == constants_at &&
      pte->constants_position == constant_segment;

    predicate lists(struct rl_method *m) =
      m->plan.values.items == values_at && m->plan.values.count == value_count &&
      m->plan.inputs.count + m->plan.outputs.count == end_count &&
      vector(&m->plan.values) && vector(&m->plan.inputs) && vector(&m->plan.outputs);

    predicate buffers(struct rl_method *m) =
      0 <= buffer_count <= RL_MAX_BUFFERS && \valid_read(m->buffers + (0 .. buffer_count - 1)) &&
      (\forall integer k; 0 <= k < buffer_count ==> m->buffers[k].data == buffer(k));

    predicate ends(struct rl_method *m) = \valid_read(m->bound + (0 .. end_count - 1)) &&
      (\forall integer i; 0 <= i < end_count ==> m->bound[i] == bound(i));

    predicate slots(struct rl_method *m) = m->slots != \null ==>
      (uint8_t *)m->slots == state && aligned(state, 4) && state_bytes <= INT32_MAX &&
      \valid_read(m->slots + (0 .. value_count - 1));

    predicate attached(struct rl_method *m) =
      (m->program->find_data != \null <==> is_attached != 0) && (is_attached != 0 ==> \valid_read(m->flow));

    predicate method(struct rl_method *m) = \valid_read(m) && \valid_read(m->program) && program(&m->program->pte) &&
      attached(m) && lists(m) && buffers(m) && ends(m) && slots(m);

    logic uint8_t *item(integer items, integer index, integer width) = file + items + width * index;

    // ---- tensors

    predicate inline_constant(uint8_t *place, integer bytes) =
      word(place) && table(follow(place)) && vector_field(follow(place), RL_PTE_buffer_storage) &&
      (has(follow(place), RL_PTE_buffer_storage) ==>
        in(child(follow(place), RL_PTE_buffer_storage) + 4, bytes, file, file_bytes)) &&
      (!has(follow(place), RL_PTE_buffer_storage) ==> bytes == 0);

    predicate segment_constant(uint8_t *place, integer segment, integer bytes) =
      word(place) && in(file + segment + u32(place), bytes, file, file_bytes);

    // A constant of a program with these fields.
    predicate constant(integer is_inline, integer items, integer segment, integer index, integer bytes) =
      items + 8 * index <= INT32_MAX &&
      (is_inline != 0 ==> inline_constant(item(items, index, 4), bytes)) &&
      (is_inline == 0 ==> segment_constant(item(items, index, 8), segment, bytes));

    predicate constant_of_pte(struct rl_pte *pte, integer index, integer bytes) =
      constant(pte->constants_inline, pte->constants.items, pte->constants_position, index, bytes);

    logic uint8_t *allocation(uint8_t *t) = child(t, RL_PTE_tensor_allocation_info);

    logic integer memory(uint8_t *a) = u32(field(a, RL_PTE_allocation_memory_id));

    logic integer offset(uint8_t *a) = number(a, RL_PTE_allocation_memory_offset_low);

    predicate place(uint8_t *a) = table(a) && has(a, RL_PTE_allocation_memory_id) &&
      word(field(a, RL_PTE_allocation_memory_id)) && word_field(a, RL_PTE_allocation_memory_offset_low) &&
      1 <= memory(a) <= buffer_count;

    predicate planned(uint8_t *a, integer bytes) = place(a) && offset(a) + bytes <= buffer_bytes(memory(a) - 1);

    predicate external(uint8_t *t) = has(t, RL_PTE_tensor_extra_tensor_info) &&
      byte(child(t, RL_PTE_tensor_extra_tensor_info), RL_PTE_extra_location) != 0;

    logic integer constant_of(uint8_t *t) = number(t, RL_PTE_tensor_data_buffer_idx);

    // What rl_place_tensor has checked.
    predicate tensor(uint8_t *t) = table(t) &&
      vector_field(t, RL_PTE_tensor_sizes) && vector_field(t, RL_PTE_tensor_dim_order) &&
      byte_field(t, RL_PTE_tensor_scalar_type) && word_field(t, RL_PTE_tensor_data_buffer_idx) &&
      word_field(t, RL_PTE_tensor_allocation_info) && counted(sizes_of(t), rank_of(t), element_of(t)) &&
      (has(t, RL_PTE_tensor_allocation_info) ==> planned(allocation(t), largest(t))) &&
      (!has(t, RL_PTE_tensor_allocation_info) && external(t) ==> is_attached != 0) &&
      (!has(t, RL_PTE_tensor_allocation_info) && !external(t) && constant_of(t) != 0 ==>
        constant(is_inline, constants_at, constant_segment, constant_of(t), largest(t)));

    // ---- the state

    logic integer own_sizes(struct rl_slot *slot) =
      slot->words[1] >= RL_OWN_SIZES ? slot->words[1] - RL_OWN_SIZES : 0;

    logic uint8_t *sizes_now(struct rl_method *m, integer value, uint8_t *t) =
      m->slots != \null && own_sizes(m->slots + value) != 0 ? state + 4 * own_sizes(m->slots + value) : sizes_of(t);

    logic integer bytes_now(struct rl_method *m, integer value, uint8_t *t) =
      product(sizes_now(m, value, t), 0, rank_of(t), element_of(t));

    // What rl_change_sizes has checked: its caller's sizes are counted, and take no more than the largest ones.
    predicate sized(struct rl_method *m, integer value, uint8_t *t) =
      m->slots != \null && own_sizes(m->slots + value) != 0 ==>
        4 * own_sizes(m->slots + value) <= state_bytes &&
        counted(sizes_now(m, value, t), rank_of(t), element_of(t)) && bytes_now(m, value, t) <= largest(t);

    predicate is_alias(struct rl_method *m, integer value) =
      m->slots != \null && m->slots[value].kind == RL_SLOT_ALIAS;

    logic integer source_of(struct rl_method *m, integer value) = m->slots[value].words[0];

    // The table of another value.
    logic uint8_t *other(integer value) = value_table(item(values_at, value, 4));

    predicate is_source(integer value) =
      value < value_count && value(item(values_at, value, 4)) && tensor(other(value));

    // ---- the place of a tensor

    predicate is_bound(void *data) = data == \null || \exists integer i; 0 <= i < end_count && data == bound(i);

    // Where `bytes` at `data` lie for a tensor of this table and this storage.
    predicate lies(uint8_t *t, integer storage, void *data, integer bytes) =
      (storage == RL_STORAGE_PLANNED && place(allocation(t)) && in((uint8_t *)data, bytes,
        buffer(memory(allocation(t)) - 1), buffer_bytes(memory(allocation(t)) - 1))) ||
      (storage == RL_STORAGE_CONSTANT && (bytes == 0 || in((uint8_t *)data, bytes, file, file_bytes))) ||
      (storage == RL_STORAGE_EXTERNAL && external(t)) ||
      (storage == RL_STORAGE_CALLER && is_bound(data));

    // A view is an object of its own.
    predicate apart(struct rl_method *m, struct rl_tensor *t) =
      \base_addr(t) != \base_addr(m) && \base_addr(t) != \base_addr(m->program) &&
      \base_addr(t) != \base_addr(m->flow) && \base_addr(t) != \base_addr(m->buffers) &&
      \base_addr(t) != \base_addr(m->bound) && \base_addr(t) != \base_addr(m->slots) &&
      \base_addr(t) != \base_addr(file) && \base_addr(t) != \base_addr(state);
*/

/*@ assigns \nothing;
    admit ensures \result == element(type); */
static inline size_t rl_scalar_size(int type);

/*@ requires method(method) && tensor(table) && \valid(tensor);
    assigns tensor->data, tensor->constant;
    ensures \result <==> external(table); */
bool rl_find_external(const struct rl_method *method, uint32_t value, const uint8_t *table, struct rl_tensor *tensor);

/*@ requires \valid_read(slot);
    assigns \nothing;
    ensures \result == own_sizes(slot); */
static inline uint32_t rl_own_sizes(const struct rl_slot *slot);

/*@ requires program(pte);
    requires \exists integer bytes; constant_of_pte(pte, index, bytes);
    assigns \nothing;
    ensures \forall integer bytes; constant_of_pte(pte, index, bytes) ==>
              bytes == 0 || in(\result, bytes, file, file_bytes); */
static const uint8_t *constant_data(const struct rl_pte *pte, uint32_t index);

/*@ requires method(method) && place(allocation);
    assigns \nothing;
    ensures \result == (uint8_t *)method->buffers[memory(allocation) - 1].data + offset(allocation); */
static void *planned_data(const struct rl_method *method, const uint8_t *allocation);

/*@ requires method(method);
    assigns \nothing;
    ensures is_bound(\result); */
static void *bound_data(const struct rl_method *method, uint32_t value);

/*@ requires method(method) && tensor(table) && \valid(tensor) && apart(method, tensor);
    assigns tensor->data, tensor->constant;
    ensures lies(table, \result, tensor->data, largest(table)); */
static enum rl_storage find_place(const struct rl_method *method, uint32_t value, const uint8_t *table,
                                  struct rl_tensor *tensor);

/*@ requires readable && table(table) && vector_field(table, RL_PTE_tensor_sizes);
    requires byte_field(table, RL_PTE_tensor_scalar_type);
    requires counted(sizes_of(table), rank_of(table), element_of(table));
    assigns \nothing;
    ensures \result == largest(table); */
static uint32_t largest_bytes(const uint8_t *table);

/*@ requires method(method) && value < value_count && is_alias(method, value) && is_source(source_of(method, value));
    requires \valid(tensor) && apart(method, tensor);
    assigns tensor->data, tensor->constant;
    ensures tensor->data == \null ||
              lies(other(\old(source_of(method, value))), \result, tensor->data, tensor->bytes); */
static enum rl_storage find_alias(const struct rl_method *method, uint32_t value, struct rl_tensor *tensor);

/*@ requires method(method) && value < value_count && tensor(table) && sized(method, value, table);
    requires is_alias(method, value) ==> is_source(source_of(method, value));
    requires \valid(tensor) && apart(method, tensor);
    assigns *tensor;
    ensures tensor->rank == rank_of(table) && tensor->bytes == \old(bytes_now(method, value, table));
    ensures rank_of(table) > 0 ==> (uint8_t *)tensor->sizes == \old(sizes_now(method, value, table));
    ensures !\old(is_alias(method, value)) ==> lies(table, \result, tensor->data, tensor->bytes);
    ensures \old(is_alias(method, value)) && tensor->data != \null ==>
              lies(other(\old(source_of(method, value))), \result, tensor->data, tensor->bytes); */
enum rl_storage rl_view_tensor(const struct rl_method *method, uint32_t value, const uint8_t *table,
                               struct rl_tensor *tensor);

#include "runtime/run/view.c"
