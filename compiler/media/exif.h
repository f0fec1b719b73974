// SPDX-License-Identifier: Apache-2.0
//
// How a photo must be turned to stand upright: the tag Orientation of EXIF 2.3 (JEITA CP-3451C, 4.6.4).
#ifndef RL_COMPILER_MEDIA_EXIF_H
#define RL_COMPILER_MEDIA_EXIF_H

#include <stdbool.h>
#include <stddef.h>

// Whether the file is a JPEG whose EXIF data ask for a turn or a reflection. Damaged data ask for nothing.
bool rl_exif_asks_for_turn(const void *bytes, size_t size);

#endif
