// SPDX-License-Identifier: Apache-2.0
#include "cli/html.h"

#include <math.h>
#include <string.h>

#include "cli/cli.h"

enum { KB = 1024, MB = KB * KB, GROUP = 3, DIGITS = 32 };

static const char *escape_of(char character)
{
    switch (character) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

void rl_html_text(FILE *out, const char *text)
{
    for (; text && *text; text++) {
        const char *escape = escape_of(*text);
        if (escape) {
            fputs(escape, out);
        } else if ((unsigned char)*text >= ' ' && *text != 0x7f) {
            fputc(*text, out);
        } else {
            fputc(' ', out); // control characters have no place in a page
        }
    }
}

void rl_html_code(FILE *out, const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    if (text) {
        fputs("<code>", out);
        rl_html_text(out, text);
        fputs("</code>", out);
    }
}

void rl_html_bytes(FILE *out, double bytes)
{
    if (bytes < KB) {
        fprintf(out, "%.0f bytes", bytes);
    } else if (bytes < MB) {
        fprintf(out, fmod(bytes, KB) > 0 ? "%.1f KB" : "%.0f KB", bytes / KB);
    } else {
        fprintf(out, fmod(bytes, MB) > 0 ? "%.2f MB" : "%.0f MB", bytes / MB);
    }
}

void rl_html_count(FILE *out, json_int_t count)
{
    char digits[DIGITS];
    const int length = snprintf(digits, sizeof digits, "%lld", (long long)count);

    for (int i = 0; i < length; i++) {
        const bool starts_group = i > 0 && (length - i) % GROUP == 0 && digits[i - 1] != '-';
        fprintf(out, starts_group ? ",%c" : "%c", digits[i]);
    }
}

void rl_html_cell(FILE *out, const json_t *object, const char *key, int decimals)
{
    const json_t *value = json_object_get(object, key);

    fputs("<td class=\"n\">", out);
    if (json_is_integer(value)) {
        rl_html_count(out, json_integer_value(value));
    } else if (json_is_real(value)) {
        fprintf(out, "%.*f", decimals, json_real_value(value));
    } else {
        fputs("–", out);
    }
    fputs("</td>", out);
}

void rl_html_json(FILE *out, const json_t *value)
{
    // Jansson writes U+2028 and U+2029, which end a line of a script, as escapes, like all that is not ASCII.
    char *text = json_dumps(value, JSON_COMPACT | JSON_ENSURE_ASCII);

    for (const char *at = text; at && *at; at++) {
        if (strchr("<>&", *at)) {
            fprintf(out, "\\u%04x", (unsigned)*at);
        } else {
            fputc(*at, out);
        }
    }
    rl_cli_free(text);
}

void rl_html_bar(FILE *out, double percent, const char *class_name)
{
    const double shown = percent < 100 ? percent : 100;
    fprintf(out, "<span class=\"bar %s\"><i style=\"width:%.1f%%\"></i></span>", class_name, shown > 0 ? shown : 0);
}
