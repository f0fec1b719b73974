// SPDX-License-Identifier: Apache-2.0
// What the example uses of an Arduino core, for the emulated board.
#ifndef ARDUINO_H
#define ARDUINO_H

#include <stdint.h>
#include <stdio.h>

class Port
{
  public:
    void begin(unsigned long)
    {
    }
    void print(const char *text)
    {
        printf("%s", text);
    }
    void println(const char *text)
    {
        printf("%s\n", text);
    }
    void println(unsigned long number)
    {
        printf("%lu\n", number);
    }
    explicit operator bool() const
    {
        return true;
    }
};
extern Port Serial;
unsigned long millis();
unsigned long micros();
void setup();
void loop();

#endif
