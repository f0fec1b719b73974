// SPDX-License-Identifier: Apache-2.0
//
// What the functions of format/proved.h promise, as contracts: given the places where verification found tables,
// vectors and numbers, they read nothing else.
#ifndef RL_TESTS_PROOFS_VIEWS_H
#define RL_TESTS_PROOFS_VIEWS_H

#include "format/pte_reader.h"

/*@ // What lies at an address of the file, or of the sizes in the state. Neither changes while a tensor is viewed.
    axiomatic contents {
      logic integer u8(uint8_t *p);
      logic integer u16(uint8_t *p);
      logic integer u32(uint8_t *p);
      axiom u8_range: \forall uint8_t *p; 0 <= u8(p) <= 0xff;
      axiom u16_range: \forall uint8_t *p; 0 <= u16(p) <= 0xffff;
      axiom u32_range: \forall uint8_t *p; 0 <= u32(p) <= 0xffffffff;
    }

    // An address as a number.
    axiomatic addresses {
      logic integer address(uint8_t *p);
      axiom address_step: \forall uint8_t *p, integer n; address(p + n) == address(p) + n;
    }

    // The file of the program, whose tables come first, and the state of the method from its first slot on.
    axiomatic places {
      logic uint8_t *file;
      logic integer table_bytes;
      logic integer file_bytes;
      logic uint8_t *state;
      logic integer state_bytes;
    }

    predicate in(uint8_t *p, integer bytes, uint8_t *start, integer size) =
      \base_addr(p) == \base_addr(start) && 0 <= p - start && p - start + bytes <= size;

    // What the functions of proved.h may read.
    predicate given(uint8_t *p, integer bytes) = in(p, bytes, file, table_bytes) || in(p, bytes, state, state_bytes);

    predicate readable =
      \valid_read(file + (0 .. table_bytes - 1)) && \base_addr(file) != \base_addr((uint8_t *)\null) &&
      \valid_read(state + (0 .. state_bytes - 1)) && \base_addr(state) != \base_addr((uint8_t *)\null);

    predicate aligned(uint8_t *p, integer width) = address(p) >= 0 && address(p) % width == 0;

    predicate half(uint8_t *p) = given(p, 2) && aligned(p, 2);

    predicate word(uint8_t *p) = given(p, 4) && aligned(p, 4);

    // ---- tables

    logic uint8_t *vtable(uint8_t *t) = t - (int32_t)u32(t);

    predicate table(uint8_t *t) = word(t) && half(vtable(t)) && u16(vtable(t)) % 2 == 0 &&
      given(vtable(t), u16(vtable(t)));

    // Where a field lies in its table; 0 if the table leaves it out.
    logic integer entry(uint8_t *t, integer id) = 4 + 2 * id < u16(vtable(t)) ? u16(vtable(t) + 4 + 2 * id) : 0;

    predicate has(uint8_t *t, integer id) = entry(t, id) != 0;

    logic uint8_t *field(uint8_t *t, integer id) = t + entry(t, id);

    logic uint8_t *follow(uint8_t *p) = p + u32(p);

    logic uint8_t *child(uint8_t *t, integer id) = follow(field(t, id));

    logic integer number(uint8_t *t, integer id) = entry(t, id) != 0 ? u32(field(t, id)) : 0;

    logic integer byte(uint8_t *t, integer id) = entry(t, id) != 0 ? u8(field(t, id)) : 0;

    // Fields that can be read if the table has them.
    predicate byte_field(uint8_t *t, integer id) = has(t, id) ==> given(field(t, id), 1);

    predicate word_field(uint8_t *t, integer id) = has(t, id) ==> word(field(t, id));

    predicate vector_field(uint8_t *t, integer id) = has(t, id) ==> word(field(t, id)) && word(child(t, id));

    logic integer count(uint8_t *t, integer id) = entry(t, id) != 0 ? u32(child(t, id)) : 0;

    // ---- values

    predicate value(uint8_t *place) = word(place) && table(follow(place)) &&
      has(follow(place), RL_PTE_value_type) && given(field(follow(place), RL_PTE_value_type), 1) &&
      has(follow(place), RL_PTE_value_table) && word(field(follow(place), RL_PTE_value_table));

    logic integer value_kind(uint8_t *place) = u8(field(follow(place), RL_PTE_value_type));

    logic uint8_t *value_table(uint8_t *place) = child(follow(place), RL_PTE_value_table);
*/

/*@ requires readable && half(place);
    assigns \nothing;
    admit ensures \result == u16(place); */
static inline uint32_t rl_proved_u16(const uint8_t *place);

/*@ requires readable && word(place);
    assigns \nothing;
    admit ensures \result == u32(place); */
static inline uint32_t rl_proved_u32(const uint8_t *place);

/*@ requires readable && word(place);
    assigns \nothing;
    ensures \result == follow(place); */
static inline const uint8_t *rl_proved_follow(const uint8_t *place);

/*@ requires readable && table(table) && id < 0x10000;
    assigns \nothing;
    ensures has(table, id) ==> \result == field(table, id) && \result != \null;
    ensures !has(table, id) ==> \result == \null; */
static inline const uint8_t *rl_proved_field(const uint8_t *table, uint32_t id);

/*@ requires readable && table(table) && id < 0x10000 && has(table, id);
    assigns \nothing;
    ensures \result == field(table, id); */
static inline const uint8_t *rl_proved_present(const uint8_t *table, uint32_t id);

/*@ requires readable && table(table) && id < 0x10000 && word_field(table, id);
    assigns \nothing;
    ensures \result == number(table, id); */
static inline uint32_t rl_proved_number(const uint8_t *table, uint32_t id);

/*@ requires readable && table(table) && id < 0x10000 && byte_field(table, id);
    assigns \nothing;
    admit ensures \result == byte(table, id); */
static inline uint32_t rl_proved_byte(const uint8_t *table, uint32_t id);

/*@ requires readable && table(table) && id < 0x10000 && word_field(table, id);
    assigns \nothing;
    ensures has(table, id) ==> \result == child(table, id) && \result != \null;
    ensures !has(table, id) ==> \result == \null; */
static inline const uint8_t *rl_proved_child(const uint8_t *table, uint32_t id);

/*@ requires readable && table(table) && id < 0x10000 && vector_field(table, id) && \valid(count);
    assigns *count;
    ensures *count == count(table, id);
    ensures has(table, id) ==> \result == child(table, id) + 4 && \result != \null;
    ensures !has(table, id) ==> \result == \null; */
static inline const uint8_t *rl_proved_vector(const uint8_t *table, uint32_t id, uint32_t *count);

/*@ requires readable && \valid_read(pte) && \valid_read(vector);
    requires vector->items + 4 * index <= 0xffffffff && word(pte->fb.data + vector->items + 4 * index);
    assigns \nothing;
    ensures \result == follow(pte->fb.data + vector->items + 4 * index); */
static inline const uint8_t *rl_proved_item_table(const struct rl_pte *pte, const struct rl_fb_vector *vector,
                                                  uint32_t index);

/*@ requires readable && \valid_read(pte) && \valid_read(vector);
    requires vector->items + 4 * index <= 0xffffffff && word(pte->fb.data + vector->items + 4 * index);
    assigns \nothing;
    ensures \result == (int32_t)u32(pte->fb.data + vector->items + 4 * index); */
static inline int32_t rl_proved_item(const struct rl_pte *pte, const struct rl_fb_vector *vector, uint32_t index);

/*@ requires readable && value(place) && \valid(table);
    assigns *table;
    ensures *table == value_table(place);
    admit ensures \result == value_kind(place); */
static inline enum rl_pte_kind rl_proved_value(const uint8_t *place, const uint8_t **table);

#endif
