/* Draws boards of no-three-in-line as SVG pictures. */

#define COMBGPU__NO3_SVG_CELL 20 /* from one point of the grid to the next */

/* Writes text between tags, escaped as XML needs, without control characters. */
COMBGPU__PRIVATE void combgpu__no3_put_xml(combgpu__no3_text *out, const char *text)
{
    for (; *text; text++)
        if (*text == '<' || *text == '>' || *text == '&')
            combgpu__no3_put(out, "&%s;", *text == '<' ? "lt" : *text == '>' ? "gt" : "amp");
        else
            combgpu__no3_put(out, "%c", (unsigned char)*text < ' ' ? ' ' : *text);
}

COMBGPU__PRIVATE void combgpu__no3_put_disc(combgpu__no3_text *out, int x, int y, int top)
{
    combgpu__no3_put(out, "<circle cx='%d' cy='%d' r='7'/>\n", COMBGPU__NO3_SVG_CELL * (x + 1),
                     top + COMBGPU__NO3_SVG_CELL * (y + 1));
}

COMBGPU__DEF combgpu_status combgpu_no3_to_svg(combgpu_context *ctx, int n, const uint64_t *rows,
                                               const char *title, char *text, size_t bytes,
                                               size_t *needed)
{
    const int cell = COMBGPU__NO3_SVG_CELL, top = title && *title ? 32 : 0;
    int side, line_x[3], line_y[3], i, x, y;
    combgpu__no3_text out;
    combgpu_status status = combgpu__no3_put_begin(ctx, n, rows, text, bytes, &out);
    if (status) return status;
    side = cell * (n + 1);
    combgpu__no3_put(
        &out,
        "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' viewBox='0 0 %d %d'>\n",
        side, side + top, side, side + top);
    if (top) {
        combgpu__no3_put(&out, "<title>");
        combgpu__no3_put_xml(&out, title);
        combgpu__no3_put(&out, "</title>\n");
    }
    combgpu__no3_put(&out, "<rect width='100%%' height='100%%' fill='#fff'/>\n");
    if (top) {
        combgpu__no3_put(&out,
                         "<text x='%d' y='26' text-anchor='middle' font-family='sans-serif' "
                         "font-size='14' fill='#222'>",
                         side / 2);
        combgpu__no3_put_xml(&out, title);
        combgpu__no3_put(&out, "</text>\n");
    }
    combgpu__no3_put(&out, "<path stroke='#c8ccd2' d='");
    for (i = 1; i <= n; i++)
        combgpu__no3_put(&out, "M%d %dH%dM%d %dV%d", cell, top + cell * i, cell * n, cell * i,
                         top + cell, top + cell * n);
    combgpu__no3_put(&out, "'/>\n<g fill='#1f4e9c'>\n");
    for (y = 0; y < n; y++)
        for (x = 0; x < n; x++)
            if (combgpu__no3_has(n, rows, x, y)) combgpu__no3_put_disc(&out, x, y, top);
    combgpu__no3_put(&out, "</g>\n");
    if (combgpu__no3_find_line(n, rows, line_x, line_y)) {
        combgpu__no3_put(
            &out,
            "<g fill='#d03030'>\n<path stroke='#d03030' stroke-width='2' d='M%d %dL%d %d'/>\n",
            cell * (line_x[0] + 1), top + cell * (line_y[0] + 1), cell * (line_x[2] + 1),
            top + cell * (line_y[2] + 1));
        for (i = 0; i < 3; i++)
            combgpu__no3_put_disc(&out, line_x[i], line_y[i], top);
        combgpu__no3_put(&out, "</g>\n");
    }
    combgpu__no3_put(&out, "</svg>\n");
    return combgpu__no3_put_end(ctx, &out, needed);
}
