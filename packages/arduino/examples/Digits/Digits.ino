// SPDX-License-Identifier: Apache-2.0
// Recognizes the drawing of a three, and prints the score of each digit. digits_recognize.c runs the program,
// digits_model.c is the program as an array, operators.c lists the operators that it calls.
#include <Arduino.h>
#include <Rushlight.h>

#include "digits.h"

void setup()
{
    Serial.begin(115200);
    while (!Serial && millis() < 5000) { // boards with USB of their own: until somebody listens
    }
    float image[DIGITS_PIXELS], scores[DIGITS_CLASSES];
    digits_draw(image);
    const unsigned long start = micros();
    const char *error = digits_recognize(image, scores);
    const unsigned long end = micros();
    if (error) {
        Serial.println(error);
        return;
    }
    for (int i = 0; i < DIGITS_CLASSES; i++) {
        char line[48];
        digits_line(line, i, scores[i]);
        Serial.println(line);
    }
    Serial.print("microseconds: "); // of the first inference, which also opens and verifies the program
    Serial.println(end - start);
}

void loop()
{
}
