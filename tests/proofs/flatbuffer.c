// SPDX-License-Identifier: Apache-2.0
//
// format/flatbuffer.c keeps its contracts.
#include "flatbuffer.h"

/*@ axiomatic masks {
      axiom mask_1: \forall integer n; 0 <= n ==> ((n & 1) == 0 <==> n % 2 == 0);
      axiom mask_3: \forall integer n; 0 <= n ==> ((n & 3) == 0 <==> n % 4 == 0);
    } */

/*@ requires readable(buffer);
    assigns \nothing;
    ensures \result == \null <==> position == RL_FB_ABSENT || !inside(buffer, position, bytes);
    ensures \result != \null ==> \result == buffer->data + position; */
static const uint8_t *scalar(const struct rl_flatbuffer *buffer, uint32_t position, uint32_t bytes);

/*@ requires width == 1 || width == 2 || width == 4 || width == 8;
    assigns \nothing;
    ensures width == 1 ==> \result;
    ensures width == 2 ==> (\result <==> position % 2 == 0);
    ensures width >= 4 ==> (\result <==> position % 4 == 0); */
static bool is_aligned(uint32_t position, uint32_t width);

/*@ requires \valid_read(bytes + (0 .. 1));
    assigns \nothing;
    admit ensures \result == u16(bytes); */
static uint32_t load_u16(const uint8_t *bytes);

/*@ requires \valid_read(bytes + (0 .. 3));
    assigns \nothing;
    admit ensures \result == u32(bytes); */
static uint32_t load_u32(const uint8_t *bytes);

#include "format/flatbuffer.c"
