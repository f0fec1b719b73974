// SPDX-License-Identifier: Apache-2.0
//
// What the functions of format/flatbuffer.h promise, as contracts: for any buffer below 2 GiB, whatever it contains.
#ifndef RL_TESTS_PROOFS_FLATBUFFER_H
#define RL_TESTS_PROOFS_FLATBUFFER_H

#include "format/flatbuffer.h"

/*@ predicate readable(struct rl_flatbuffer *b) =
      \valid_read(b) && b->size <= 0x7fffffff && \valid_read(b->data + (0 .. b->size - 1));

    predicate inside(struct rl_flatbuffer *b, integer position, integer bytes) = position + bytes <= b->size;

    predicate aligned(integer position, integer width) =
      width == 1 || (width == 2 && position % 2 == 0) || (width >= 4 && position % 4 == 0);

    // The numbers that load_u16 and load_u32 make of bytes.
    axiomatic loads {
      logic integer u16(uint8_t *p) reads p[0 .. 1];
      logic integer u32(uint8_t *p) reads p[0 .. 3];
      axiom u16_range: \forall uint8_t *p; 0 <= u16(p) <= 0xffff;
      axiom u32_range: \forall uint8_t *p; 0 <= u32(p) <= 0xffffffff;
    }

    // A position that is neither absent nor bad.
    predicate somewhere(integer position) = position != RL_FB_ABSENT && position != RL_FB_BAD;

    // The vtable may lie on either side of its table.
    predicate leads_to_vtable(struct rl_flatbuffer *b, integer table, integer vtable) =
      vtable == (uint32_t)(table - u32(b->data + table));

    predicate opened(struct rl_flatbuffer *b, struct rl_fb_table t) =
      (!somewhere(t.position) ==> t.count == 0) &&
      (somewhere(t.position) ==>
        inside(b, t.position, 4) && t.position % 4 == 0 && t.entries >= 4 && t.entries % 2 == 0 &&
        leads_to_vtable(b, t.position, t.entries - 4) && u16(b->data + t.entries - 4) == 2 * t.count + 4 &&
        inside(b, t.entries, 2 * t.count));

    // Where a field lies: RL_FB_ABSENT if the table leaves it out, RL_FB_BAD if it is not where it could be read.
    predicate is_field(struct rl_flatbuffer *b, struct rl_fb_table t, integer id, integer width, integer field) =
      (t.position == RL_FB_BAD ==> field == RL_FB_BAD) &&
      (t.position != RL_FB_BAD && (id >= t.count || u16(b->data + t.entries + 2 * id) == 0) ==>
        field == RL_FB_ABSENT) &&
      (id < t.count && u16(b->data + t.entries + 2 * id) != 0 ==> field != RL_FB_ABSENT) &&
      (somewhere(field) ==> id < t.count && field == t.position + u16(b->data + t.entries + 2 * id) &&
        inside(b, field, width) && aligned(field, width));

    predicate is_vector(struct rl_flatbuffer *b, struct rl_fb_vector v, integer width) =
      (v.items == RL_FB_ABSENT ==> v.count == 0) &&
      (v.items != RL_FB_ABSENT ==> inside(b, v.items, v.count * width) && v.items % 4 == 0 && v.items >= 4);

    // What an offset leads to.
    predicate is_target(struct rl_flatbuffer *b, integer position, integer target) =
      target != RL_FB_ABSENT &&
      (target != RL_FB_BAD ==> position != RL_FB_ABSENT && inside(b, position, 4) && position < target < b->size &&
        target % 4 == 0 && target == position + u32(b->data + position));
*/

/*@ requires \valid_read(buffer);
    assigns \nothing;
    ensures \result <==> inside(buffer, position, bytes); */
bool rl_fb_inside(const struct rl_flatbuffer *buffer, uint32_t position, uint64_t bytes);

/*@ requires readable(buffer);
    assigns \nothing;
    ensures \result == 0 || inside(buffer, \result, 4); */
uint32_t rl_fb_root(const struct rl_flatbuffer *buffer);

/*@ requires readable(buffer);
    assigns \nothing;
    ensures position != RL_FB_ABSENT && inside(buffer, position, 1) ==> \result == buffer->data[position];
    ensures position == RL_FB_ABSENT || !inside(buffer, position, 1) ==> \result == 0; */
uint8_t rl_fb_u8(const struct rl_flatbuffer *buffer, uint32_t position);

/*@ requires readable(buffer);
    assigns \nothing;
    ensures position != RL_FB_ABSENT && inside(buffer, position, 2) ==> \result == u16(buffer->data + position);
    ensures position == RL_FB_ABSENT || !inside(buffer, position, 2) ==> \result == 0; */
uint16_t rl_fb_u16(const struct rl_flatbuffer *buffer, uint32_t position);

/*@ requires readable(buffer);
    assigns \nothing;
    ensures position != RL_FB_ABSENT && inside(buffer, position, 4) ==> \result == u32(buffer->data + position);
    ensures position == RL_FB_ABSENT || !inside(buffer, position, 4) ==> \result == 0; */
uint32_t rl_fb_u32(const struct rl_flatbuffer *buffer, uint32_t position);

/*@ requires readable(buffer);
    assigns \nothing;
    ensures position == RL_FB_ABSENT || !inside(buffer, position, 8) ==> \result == 0; */
uint64_t rl_fb_u64(const struct rl_flatbuffer *buffer, uint32_t position);

/*@ requires readable(buffer);
    assigns \nothing;
    ensures is_target(buffer, position, \result); */
uint32_t rl_fb_follow(const struct rl_flatbuffer *buffer, uint32_t position);

/*@ requires readable(buffer);
    assigns \nothing;
    ensures opened(buffer, \result);
    ensures \result.position == position || \result.position == RL_FB_BAD; */
struct rl_fb_table rl_fb_open_table(const struct rl_flatbuffer *buffer, uint32_t position);

/*@ requires readable(buffer) && \valid_read(table) && opened(buffer, *table);
    requires width == 1 || width == 2 || width == 4 || width == 8;
    assigns \nothing;
    ensures is_field(buffer, *table, id, width, \result); */
uint32_t rl_fb_table_field(const struct rl_flatbuffer *buffer, const struct rl_fb_table *table, uint32_t id,
                           uint32_t width);

/*@ requires readable(buffer) && \valid_read(table) && opened(buffer, *table);
    assigns \nothing;
    ensures \result == RL_FB_ABSENT <==> is_field(buffer, *table, id, 4, RL_FB_ABSENT);
    ensures somewhere(\result) ==> \exists uint32_t field; is_field(buffer, *table, id, 4, field) &&
              somewhere(field) && is_target(buffer, field, \result); */
uint32_t rl_fb_table_child(const struct rl_flatbuffer *buffer, const struct rl_fb_table *table, uint32_t id);

/*@ requires readable(buffer);
    requires width == 1 || width == 2 || width == 4 || width == 8;
    assigns \nothing;
    ensures somewhere(\result) ==> inside(buffer, \result, width) && aligned(\result, width); */
uint32_t rl_fb_field(const struct rl_flatbuffer *buffer, uint32_t table, uint32_t id, uint32_t width);

/*@ requires readable(buffer);
    assigns \nothing;
    ensures somewhere(\result) ==> inside(buffer, \result, 1) && \result % 4 == 0; */
uint32_t rl_fb_child(const struct rl_flatbuffer *buffer, uint32_t table, uint32_t id);

/*@ requires readable(buffer) && \valid(vector) && \separated(vector, buffer, buffer->data + (0 .. buffer->size - 1));
    requires 0 < item_width <= 8;
    assigns *vector;
    ensures is_vector(buffer, *vector, item_width);
    ensures !\result ==> vector->items == RL_FB_ABSENT;
    ensures \result && position != RL_FB_ABSENT ==> vector->items == position + 4 &&
              vector->count == u32(buffer->data + position); */
bool rl_fb_vector_at(const struct rl_flatbuffer *buffer, uint32_t position, uint32_t item_width,
                     struct rl_fb_vector *vector);

/*@ requires readable(buffer) && \valid(vector) && \separated(vector, buffer, buffer->data + (0 .. buffer->size - 1));
    requires 0 < item_width <= 8;
    assigns *vector;
    ensures is_vector(buffer, *vector, item_width);
    ensures !\result ==> vector->items == RL_FB_ABSENT; */
bool rl_fb_vector(const struct rl_flatbuffer *buffer, uint32_t table, uint32_t id, uint32_t item_width,
                  struct rl_fb_vector *vector);

/*@ requires readable(buffer) && \valid(length) && \separated(length, buffer, buffer->data + (0 .. buffer->size - 1));
    assigns *length;
    ensures *length != 0 ==> \exists uint32_t at; inside(buffer, at, *length + 1) && buffer->data[at + *length] == 0; */
const char *rl_fb_string(const struct rl_flatbuffer *buffer, uint32_t table, uint32_t id, uint32_t *length);

/*@ requires readable(buffer) && \valid_read(vector);
    assigns \nothing;
    ensures index >= vector->count ==> \result == RL_FB_BAD;
    ensures \result != RL_FB_BAD && vector->items + 4 * index <= 0xffffffff ==>
              is_target(buffer, vector->items + 4 * index, \result);
    ensures \result != RL_FB_BAD ==> inside(buffer, \result, 1) && \result % 4 == 0 && \result != RL_FB_ABSENT; */
uint32_t rl_fb_item_table(const struct rl_flatbuffer *buffer, const struct rl_fb_vector *vector, uint32_t index);

#endif
