// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>

#include "digits.h"

static const char drawing[] = "  +###   ++++##     ##     +##      +#+      ##   +++#+   +##+  ";

void digits_draw(float image[DIGITS_PIXELS])
{
    for (int i = 0; i < DIGITS_PIXELS; i++) {
        image[i] = drawing[i] == '#' ? 1.0F : 0.5F * (float)(drawing[i] == '+');
    }
}

void digits_line(char line[48], int digit, float score)
{
    uint32_t bits;
    memcpy(&bits, &score, sizeof bits);
    snprintf(line, 48, "%d: %d thousandths (%08lx)", digit, (int)(score * 1000.0F), (unsigned long)bits);
}
