// SPDX-License-Identifier: Apache-2.0
//
// The version of these headers, and of the libraries and the program that are built with them. All others take it from
// here: CMake, `rushlight --version`, the pkg-config files, the CMake package. MAJOR.MINOR.PATCH: code written for an
// older MINOR of the same MAJOR compiles and links; before 1.0.0, code written for an older PATCH of the same MINOR
// does.
#ifndef RUSHLIGHT_VERSION_H
#define RUSHLIGHT_VERSION_H

#define RL_VERSION_STRING "0.1.0"

#endif
