// SPDX-License-Identifier: Apache-2.0
//
// Text for a page of HTML. Names come from files that nobody vouches for: each goes through rl_html_text.
#ifndef RL_CLI_HTML_H
#define RL_CLI_HTML_H

#include <jansson.h>
#include <stdio.h>

// A text, for elements and for values of attributes in double quotes. NULL is nothing.
void rl_html_text(FILE *out, const char *text);

// A string of an object in <code>; nothing if it has none.
void rl_html_code(FILE *out, const json_t *object, const char *key);

// A number of bytes as people read it: "204 bytes", "13.2 KB", "2 MB".
void rl_html_bytes(FILE *out, double bytes);

// An integer with commas: "532,286".
void rl_html_count(FILE *out, json_int_t count);

// A figure of an object in <td>, with commas if it is an integer and else with so many decimals; a dash where it is not
// known.
void rl_html_cell(FILE *out, const json_t *object, const char *key, int decimals);

// JSON for a <script>: what could end the element, or a line of a script, is escaped.
void rl_html_json(FILE *out, const json_t *value);

// A bar of 0 to 100 percent; `class_name` is added to its class.
void rl_html_bar(FILE *out, double percent, const char *class_name);

#endif
