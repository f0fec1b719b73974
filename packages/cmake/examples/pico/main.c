// SPDX-License-Identifier: Apache-2.0
// Recognizes the drawing of a three every five seconds, and prints the score of each digit and the time that it took.
#include <stdio.h>

#include "digits.h"
#include "pico/stdlib.h"

int main(void)
{
    float image[DIGITS_PIXELS], scores[DIGITS_CLASSES];
    char line[48];
    stdio_init_all();
    digits_draw(image);
    do {
        const uint64_t start = time_us_64();
        const char *error = digits_recognize(image, scores);
        const uint64_t end = time_us_64();
        for (int i = 0; i < DIGITS_CLASSES && !error; i++) {
            digits_line(line, i, scores[i]);
            printf("%s\n", line);
        }
        printf("%s, microseconds: %lu\n", error ? error : "done", (unsigned long)(end - start));
        sleep_ms(5000);
    } while (true);
}
