// SPDX-License-Identifier: Apache-2.0
//
// The example of every package: a network that recognizes handwritten digits, on a drawing of a three.
#ifndef DIGITS_H
#define DIGITS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { DIGITS_PIXELS = 64, DIGITS_CLASSES = 10 };

// The program, a .pte as the compiler wrote it.
extern const uint8_t digits_model[];
extern const size_t digits_model_bytes;

// Draws eight by eight pixels of ink from 0 to 1, where a real application has a camera.
void digits_draw(float image[DIGITS_PIXELS]);

// The score of each digit for an image; the highest one wins. Returns NULL, or a sentence that says what is wrong.
const char *digits_recognize(const float image[DIGITS_PIXELS], float scores[DIGITS_CLASSES]);

// Writes one score as a line without an end: the digit, the score in thousandths, its 32 bits. All boards and the host
// compute the same bits.
void digits_line(char line[48], int digit, float score);

#ifdef __cplusplus
}
#endif

#endif
