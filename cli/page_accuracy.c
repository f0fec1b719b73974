// SPDX-License-Identifier: Apache-2.0
//
// What quantization costs: the outputs, the layers whose rounding costs most, and the error of each layer.
#include "cli/evaluation.h"
#include "cli/html.h"
#include "cli/page.h"

static void write_outputs(FILE *out, const json_t *outputs)
{
    const json_t *output;
    size_t index;

    fputs("<div class=\"scroll\"><table><tr><th>output</th><th class=\"n\">SQNR, dB</th><th class=\"n\">agreement</th>"
          "<th class=\"n\">top-1, float</th><th class=\"n\">top-1, quantized</th>"
          "<th class=\"n\">largest difference</th></tr>\n",
          out);
    json_array_foreach(outputs, index, output)
    {
        fputs("<tr><td>", out);
        rl_html_code(out, output, "name");
        fputs("</td>", out);
        rl_html_cell(out, output, "sqnr_db", 2);
        rl_html_cell(out, output, "agreement", 4);
        rl_html_cell(out, output, "top1_float", 4);
        rl_html_cell(out, output, "top1_quantized", 4);
        rl_html_cell(out, output, "largest_difference", 4);
        fputs("</tr>\n", out);
    }
    fputs("</table></div>\n", out);
}

static void write_culprits(FILE *out, const json_t *evaluation)
{
    const json_t *culprits = json_object_get(evaluation, "culprits"), *culprit;
    size_t index;

    if (json_array_size(culprits) == 0) {
        return;
    }
    fprintf(out,
            "<h3>Culprits</h3>\n<p class=\"faint\">SQNR of the output if this layer alone is quantized, on %lld "
            "samples, and its share of the error.</p>\n<div class=\"scroll\"><table><tr><th>node</th><th>share</th>"
            "<th class=\"n\">%%</th><th class=\"n\">SQNR, dB</th><th>what would help</th></tr>\n",
            (long long)json_integer_value(json_object_get(evaluation, "culprit_samples")));
    json_array_foreach(culprits, index, culprit)
    {
        const double percent = 100 * json_number_value(json_object_get(culprit, "share"));
        fputs("<tr><td>", out);
        rl_html_code(out, culprit, "name");
        fputs("</td><td style=\"min-width:5rem\">", out);
        rl_html_bar(out, percent, "");
        fprintf(out, "</td><td class=\"n\">%.1f</td>", percent);
        rl_html_cell(out, culprit, "alone_db", 2);
        fputs("<td>", out);
        rl_html_text(out, rl_cli_culprit_advice(json_string_value(json_object_get(culprit, "help"))));
        fputs("</td></tr>\n", out);
    }
    fputs("</table></div>\n", out);
}

static void write_layers(FILE *out, const json_t *layers)
{
    const json_t *layer;
    size_t index;

    fputs("<h3>Error of each layer</h3>\n<div class=\"scroll\"><table><tr><th>node</th><th>operator</th>"
          "<th class=\"n\">calls</th><th class=\"n\">SQNR, dB</th></tr>\n",
          out);
    json_array_foreach(layers, index, layer)
    {
        fputs("<tr><td>", out);
        rl_html_code(out, layer, "name");
        fputs("</td><td>", out);
        rl_html_code(out, layer, "op");
        fputs("</td>", out);
        rl_html_cell(out, layer, "calls", 0);
        rl_html_cell(out, layer, "sqnr_db", 2);
        fputs("</tr>\n", out);
    }
    fputs("</table></div>\n", out);
}

void rl_cli_page_accuracy(const struct rl_cli_page *page)
{
    const json_t *evaluation = json_object_get(page->data, "evaluation");
    FILE *out = page->out;

    fputs("<h2>Accuracy</h2>\n", out);
    if (!json_is_object(evaluation)) {
        fputs("<p>Not compared with the float model.</p>\n", out);
        return;
    }
    fprintf(out, "<p class=\"faint\">Against the float model, on %lld samples, on the host.</p>\n",
            (long long)json_integer_value(json_object_get(evaluation, "samples")));
    write_outputs(out, json_object_get(evaluation, "outputs"));
    write_culprits(out, evaluation);
    write_layers(out, json_object_get(evaluation, "layers"));
}
