// SPDX-License-Identifier: Apache-2.0
// Recognizes the drawing of a three, and prints the score of each digit.
#include <stdio.h>

#include "digits.h"

void app_main(void);

void app_main(void)
{
    float image[DIGITS_PIXELS], scores[DIGITS_CLASSES];
    char line[48];
    digits_draw(image);
    const char *error = digits_recognize(image, scores);
    if (error) {
        printf("%s\n", error);
        return;
    }
    for (int i = 0; i < DIGITS_CLASSES; i++) {
        digits_line(line, i, scores[i]);
        printf("%s\n", line);
    }
}
