// SPDX-License-Identifier: Apache-2.0
#include "compiler/media/exif.h"

#include <stdint.h>
#include <string.h>

// A TIFF structure, in the byte order that its first bytes tell.
struct tiff {
    const unsigned char *bytes;
    size_t size;
    bool is_big;
};

static uint32_t number_at(const struct tiff *tiff, size_t at, size_t count)
{
    uint32_t number = 0;

    if (at > tiff->size || tiff->size - at < count) {
        return 0;
    }
    for (size_t i = 0; i < count; i++) {
        number = number << 8 | tiff->bytes[at + (tiff->is_big ? i : count - 1 - i)];
    }
    return number;
}

// The value of the tag in the first directory; 1, which is upright, if there is none.
static uint32_t orientation(const struct tiff *tiff)
{
    enum { VERSION = 42, DIRECTORY = 4, ENTRY = 12, TAG = 0x0112, SHORT = 3, VALUE = 8 };
    const size_t directory = number_at(tiff, DIRECTORY, 4);
    const uint32_t entries = number_at(tiff, directory, 2);

    if (number_at(tiff, 2, 2) != VERSION) {
        return 1;
    }
    for (uint32_t i = 0; i < entries; i++) {
        const size_t entry = directory + 2 + (size_t)i * ENTRY;
        if (number_at(tiff, entry, 2) == TAG && number_at(tiff, entry + 2, 2) == SHORT) {
            return number_at(tiff, entry + VALUE, 2);
        }
    }
    return 1;
}

static bool is_turned(const unsigned char *segment, size_t size)
{
    enum { NAME = 6 };
    if (size < NAME + 8 || memcmp(segment, "Exif\0\0", NAME) != 0) {
        return false;
    }
    const struct tiff tiff = {segment + NAME, size - NAME, memcmp(segment + NAME, "MM", 2) == 0};
    const uint32_t found = orientation(&tiff);

    return found >= 2 && found <= 8;
}

// The segments before the first scan: a marker, a length that counts itself, data.
bool rl_exif_asks_for_turn(const void *bytes, size_t size)
{
    enum { APP1 = 0xe1, SCAN = 0xda };
    const unsigned char *file = bytes;
    size_t at = 2;

    if (size < 4 || file[0] != 0xff || file[1] != 0xd8) {
        return false;
    }
    while (size - at >= 4 && file[at] == 0xff && file[at + 1] != SCAN) {
        const size_t length = (size_t)file[at + 2] << 8 | file[at + 3];
        if (length < 2 || length > size - at - 2) {
            return false;
        }
        if (file[at + 1] == APP1 && is_turned(file + at + 4, length - 2)) {
            return true;
        }
        at += 2 + length;
    }
    return false;
}
