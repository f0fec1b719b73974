// SPDX-License-Identifier: Apache-2.0
// An Arduino core runs setup, then loop for ever; here it runs loop once and ends.
#include <Arduino.h>

Port Serial;

unsigned long millis()
{
    return 0;
}

unsigned long micros()
{
    static unsigned long now;
    return now += 7;
}

int main()
{
    setup();
    loop();
    return 0;
}
