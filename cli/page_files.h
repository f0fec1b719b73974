// SPDX-License-Identifier: Apache-2.0
//
// The files of cli/page/ as strings; CMake writes their source.
#ifndef RL_CLI_PAGE_FILES_H
#define RL_CLI_PAGE_FILES_H

extern const char rl_page_template[], rl_page_style[], rl_page_script[];

#endif
