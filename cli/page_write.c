// SPDX-License-Identifier: Apache-2.0
//
// Fills the template of the page and writes the file.
#include <stdlib.h>
#include <string.h>

#include "cli/html.h"
#include "cli/page.h"
#include "cli/page_files.h"
#include "compiler/support/file.h"

static const char *base_name(const json_t *inspect)
{
    const char *path = json_string_value(json_object_get(inspect, "file"));
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash ? slash + 1 : path;
}

static void write_body(const struct rl_cli_page *page)
{
    fputs("<h1>", page->out);
    rl_html_text(page->out, base_name(page->inspect));
    fputs("</h1>\n", page->out);
    rl_cli_page_overview(page);
    rl_cli_page_boards(page);
    rl_cli_page_memory(page);
    rl_cli_page_layers(page);
    rl_cli_page_accuracy(page);
    rl_cli_page_histograms(page);
    rl_cli_page_operators(page);
    rl_cli_page_float(page);
}

// What stands in the template for a name.
static void write_part(const struct rl_cli_page *page, const char *name)
{
    if (strcmp(name, "title") == 0) {
        rl_html_text(page->out, base_name(page->inspect));
    } else if (strcmp(name, "style") == 0) {
        fputs(rl_page_style, page->out);
    } else if (strcmp(name, "script") == 0) {
        fputs(rl_page_script, page->out);
    } else if (strcmp(name, "data") == 0) {
        rl_html_json(page->out, page->data);
    } else {
        write_body(page);
    }
}

static void write_template(const struct rl_cli_page *page)
{
    const char *at = rl_page_template, *mark;

    while ((mark = strstr(at, "{{"))) {
        const char *end = strstr(mark, "}}");
        char name[16];
        snprintf(name, sizeof name, "%.*s", (int)(end - mark - 2), mark + 2);
        fwrite(at, 1, (size_t)(mark - at), page->out);
        write_part(page, name);
        at = end + 2;
    }
    fputs(at, page->out);
}

enum rl_status rl_cli_write_page(struct rl_cli *cli, const char *path, const json_t *data)
{
    char *text = NULL;
    size_t size = 0;
    struct rl_cli_page page = {.out = open_memstream(&text, &size),
                               .data = data,
                               .inspect = json_object_get(data, "inspect"),
                               .profile = json_object_get(data, "profile"),
                               .fit = json_object_get(data, "fit")};
    if (!page.out) {
        return rl_fail(&cli->context, RL_ERROR_OUT_OF_MEMORY, "%s: no memory for the page", path);
    }
    rl_cli_page_index(cli, &page);
    write_template(&page);
    const bool failed = ferror(page.out) != 0;
    enum rl_status status = fclose(page.out) != 0 || failed
                                ? rl_fail(&cli->context, RL_ERROR_OUT_OF_MEMORY, "%s: no memory for the page", path)
                                : rl_file_write(&cli->context, path, text, size);
    free(text);
    return status;
}
