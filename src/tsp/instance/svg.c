/* Draws a tour as SVG. */

#define COMBGPU__SVG_WIDTH 800
#define COMBGPU__SVG_MARGIN 20
#define COMBGPU__SVG_HEAD 56 /* room for title and legend */

/* Maps coordinates to points of the picture, in tenths of a unit. */
typedef struct combgpu__tsp_svg {
    const combgpu_tsp_instance *instance;
    double left, top, scale_x, scale_y; /* of the picture */
    int sphere;                         /* x is the latitude, drawn upwards */
    int height, head;
} combgpu__tsp_svg;

/* Returns a coordinate in degrees; GEO has DDD.MM. */
COMBGPU__PRIVATE double combgpu__tsp_svg_degrees(const combgpu__tsp_svg *svg, double x)
{
    return svg->instance->metric == COMBGPU_TSP_GEO ? combgpu__tsp_geo_radians(x) * (180 / 3.141592)
                                                    : x;
}

COMBGPU__PRIVATE double combgpu__tsp_svg_x(const combgpu__tsp_svg *svg, int city)
{
    return svg->sphere ? combgpu__tsp_svg_degrees(svg, svg->instance->y[city])
                       : svg->instance->x[city];
}

COMBGPU__PRIVATE double combgpu__tsp_svg_y(const combgpu__tsp_svg *svg, int city)
{
    return svg->sphere ? combgpu__tsp_svg_degrees(svg, svg->instance->x[city])
                       : svg->instance->y[city];
}

/* Fits all cities into the picture. Both directions have the same scale, on a sphere that of the
   middle latitude. */
COMBGPU__PRIVATE void combgpu__tsp_svg_fit(combgpu__tsp_svg *svg,
                                           const combgpu_tsp_instance *instance)
{
    double right, bottom, wide, tall, largest;
    int i;
    memset(svg, 0, sizeof *svg);
    svg->instance = instance;
    svg->sphere = combgpu__tsp_on_sphere(instance->metric);
    svg->left = right = combgpu__tsp_svg_x(svg, 0);
    svg->top = bottom = combgpu__tsp_svg_y(svg, 0);
    for (i = 1; i < instance->n; i++) {
        double x = combgpu__tsp_svg_x(svg, i), y = combgpu__tsp_svg_y(svg, i);
        if (x < svg->left) svg->left = x;
        if (x > right) right = x;
        if (y > svg->top) svg->top = y;
        if (y < bottom) bottom = y;
    }
    /* halves, so that 1e300 - -1e300 does not overflow */
    wide = right / 2 - svg->left / 2;
    tall = svg->top / 2 - bottom / 2;
    if (svg->sphere) wide *= combgpu__cos((svg->top + bottom) / 2 * (3.14159265358979323846 / 180));
    largest = wide > tall ? wide : tall;
    if (!(largest > 1e-300)) largest = 1; /* all in one place */
    svg->scale_x = svg->scale_y = (COMBGPU__SVG_WIDTH - 2 * COMBGPU__SVG_MARGIN) / largest * 5;
    if (svg->sphere && right > svg->left) svg->scale_x *= wide / (right / 2 - svg->left / 2);
    svg->height = (int)(tall / largest * (COMBGPU__SVG_WIDTH - 2 * COMBGPU__SVG_MARGIN)) +
                  2 * COMBGPU__SVG_MARGIN;
}

/* Returns a city's place in tenths of a unit. */
COMBGPU__PRIVATE void combgpu__tsp_svg_xy(const combgpu__tsp_svg *svg, int city, int *x, int *y)
{
    *x = (int)((combgpu__tsp_svg_x(svg, city) / 2 - svg->left / 2) * 2 * svg->scale_x + 0.5) +
         10 * COMBGPU__SVG_MARGIN;
    *y = (int)((svg->top / 2 - combgpu__tsp_svg_y(svg, city) / 2) * 2 * svg->scale_y + 0.5) +
         10 * (COMBGPU__SVG_MARGIN + svg->head);
}

/* Writes a city's place such as "123.4 56.7", with a point whatever the C library's locale. */
COMBGPU__PRIVATE void combgpu__tsp_svg_place(const combgpu__tsp_svg *svg, int city, char *text,
                                             size_t bytes, const char *between)
{
    int x, y;
    combgpu__tsp_svg_xy(svg, city, &x, &y);
    snprintf(text, bytes, "%d.%d%s%d.%d", x / 10, x % 10, between, y / 10, y % 10);
}

/* Appends text between tags, escaped for XML and without control characters. */
COMBGPU__PRIVATE void combgpu__tsp_svg_text(char *text, size_t bytes, size_t *at, const char *from)
{
    for (; *from; from++)
        if (*from == '<' || *from == '>' || *from == '&')
            combgpu__tsp_append(text, bytes, at, "&#%d;", *from);
        else
            combgpu__tsp_append(text, bytes, at, "%c", (unsigned char)*from < ' ' ? ' ' : *from);
}

/* Returns the approximate width, in tenths of a unit, of a text with font size 11; a UTF-8
   character counts once. */
COMBGPU__PRIVATE int combgpu__tsp_svg_width(const char *text)
{
    int width = 0;
    for (; *text && width < 4000; text++)
        if ((*text & 0xc0) != 0x80) width += strchr("iljtf.,' ", *text) ? 38 : 68;
    return width;
}

/* Appends title and legend. */
COMBGPU__PRIVATE void combgpu__tsp_svg_head(const combgpu_tsp_drawing *drawing, char *text,
                                            size_t bytes, size_t *at)
{
    if (!drawing->title) return;
    combgpu__tsp_append(text, bytes, at, "<title>");
    combgpu__tsp_svg_text(text, bytes, at, drawing->title);
    combgpu__tsp_append(text, bytes, at,
                        "</title>\n<text x=\"20\" y=\"28\" font-family=\"sans-serif\" "
                        "font-size=\"18\" fill=\"#24292f\">");
    combgpu__tsp_svg_text(text, bytes, at, drawing->title);
    combgpu__tsp_append(text, bytes, at, "</text>\n");
    if (!drawing->legend) return;
    combgpu__tsp_append(text, bytes, at,
                        "<text x=\"20\" y=\"48\" font-family=\"sans-serif\" font-size=\"13\" "
                        "fill=\"#57606a\">");
    combgpu__tsp_svg_text(text, bytes, at, drawing->legend);
    combgpu__tsp_append(text, bytes, at, "</text>\n");
}

/* Appends the tour's line; with a title also a green ring at its start and a red one at the end of
   a path. */
COMBGPU__PRIVATE void combgpu__tsp_svg_tour(const combgpu__tsp_svg *svg,
                                            const combgpu_tsp_drawing *drawing, char *text,
                                            size_t bytes, size_t *at)
{
    const int n = drawing->instance->n, ends = drawing->shape == COMBGPU_TSP_CYCLE ? 1 : 2;
    char place[64];
    int i;
    combgpu__tsp_append(text, bytes, at, "<path d=\"M");
    for (i = 0; i < n; i++) {
        combgpu__tsp_svg_place(svg, drawing->tour[i], place, sizeof place, " ");
        combgpu__tsp_append(text, bytes, at, "%s%s", i ? "\nL" : "", place);
    }
    combgpu__tsp_append(text, bytes, at,
                        "%s\" fill=\"none\" stroke=\"#1f6feb\" stroke-width=\"2\" "
                        "stroke-linejoin=\"round\"/>\n",
                        ends == 1 ? "Z" : "");
    for (i = 0; i < ends && drawing->title; i++) {
        combgpu__tsp_svg_place(svg, drawing->tour[i ? n - 1 : 0], place, sizeof place, "\" cy=\"");
        combgpu__tsp_append(text, bytes, at,
                            "<ellipse cx=\"%s\" rx=\"7\" ry=\"7\" fill=\"#fff\" stroke=\"%s\" "
                            "stroke-width=\"3\"><title>%s</title></ellipse>\n",
                            place, i ? "#cf222e" : "#1a7f37", i ? "end" : "start");
    }
}

/* Appends cities and labels. */
COMBGPU__PRIVATE void combgpu__tsp_svg_cities(const combgpu__tsp_svg *svg,
                                              const combgpu_tsp_drawing *drawing,
                                              const combgpu__tsp_labels *labels, char *text,
                                              size_t bytes, size_t *at)
{
    char place[64];
    int i;
    combgpu__tsp_append(text, bytes, at,
                        "<g fill=\"#24292f\" font-family=\"sans-serif\" font-size=\"11\">\n");
    for (i = 0; i < drawing->instance->n; i++) {
        combgpu__tsp_svg_place(svg, i, place, sizeof place, "\" cy=\"");
        combgpu__tsp_append(text, bytes, at, "<circle cx=\"%s\" r=\"3\"/>\n", place);
        if (i >= labels->count || labels->box[i].right == labels->box[i].left) continue;
        combgpu__tsp_append(text, bytes, at, "<text x=\"%d\" y=\"%d\">", labels->box[i].left / 10,
                            labels->box[i].top / 10 + 11);
        if (drawing->names)
            combgpu__tsp_svg_text(text, bytes, at, drawing->names[i]);
        else
            combgpu__tsp_append(text, bytes, at, "%d", i + 1);
        combgpu__tsp_append(text, bytes, at, "</text>\n");
    }
    combgpu__tsp_append(text, bytes, at, "</g>\n");
}

/* Places the labels. */
COMBGPU__PRIVATE void combgpu__tsp_svg_labels(const combgpu__tsp_svg *svg,
                                              const combgpu_tsp_drawing *drawing,
                                              combgpu__tsp_labels *labels)
{
    const int n = drawing->instance->n, top = drawing->title ? COMBGPU__SVG_HEAD * 10 : 0;
    combgpu__tsp_box picture;
    int i;
    picture.left = 0;
    picture.top = top;
    picture.right = COMBGPU__SVG_WIDTH * 10;
    picture.bottom = svg->height * 10;
    labels->count = n <= COMBGPU__LABEL_MOST ? n : 0;
    for (i = 0; i < labels->count; i++) {
        char number[16];
        snprintf(number, sizeof number, "%d", i + 1);
        combgpu__tsp_svg_xy(svg, i, &labels->x[i], &labels->y[i]);
        labels->width[i] = combgpu__tsp_svg_width(drawing->names ? drawing->names[i] : number);
        labels->gap[i] = 50;
        labels->next[i] = -1;
    }
    for (i = 0; i < labels->count && drawing->tour; i++)
        if (i + 1 < n || drawing->shape == COMBGPU_TSP_CYCLE)
            labels->next[drawing->tour[i]] = drawing->tour[(i + 1) % n];
    if (labels->count && drawing->tour && drawing->title) { /* rings are wider */
        labels->gap[drawing->tour[0]] = 110;
        if (drawing->shape == COMBGPU_TSP_PATH) labels->gap[drawing->tour[n - 1]] = 110;
    }
    combgpu__tsp_place_labels(labels, &picture);
}

COMBGPU__DEF combgpu_status combgpu_tsp_draw(combgpu_context *ctx,
                                             const combgpu_tsp_drawing *drawing, char *text,
                                             size_t bytes, size_t *needed)
{
    const combgpu_tsp_instance *instance = drawing ? drawing->instance : NULL;
    combgpu__tsp_svg svg;
    combgpu__tsp_labels labels;
    size_t at = 0;
    combgpu_status status;
    if (!ctx) return COMBGPU_INVALID_ARGUMENT;
    if (!drawing) return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "drawing is NULL");
    status = combgpu__tsp_check_instance(ctx, "drawing->instance", instance);
    if (!status && (!instance->x || !instance->y))
        status = combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                               "drawing->instance has no coordinates: x or y is NULL");
    if (!status) status = combgpu__tsp_check_shape(ctx, "drawing->shape", drawing->shape);
    if (!status)
        status =
            combgpu__tsp_check_points(ctx, instance->n, instance->x, instance->y, instance->metric);
    if (!status && drawing->tour)
        status = combgpu__tsp_check_tour(ctx, "drawing->tour", instance->n, drawing->tour);
    if (status) return status;
    if (!text) bytes = 0;
    combgpu__tsp_svg_fit(&svg, instance);
    if (drawing->title) {
        svg.head = COMBGPU__SVG_HEAD;
        svg.height += svg.head;
    }
    combgpu__tsp_svg_labels(&svg, drawing, &labels);
    combgpu__tsp_append(text, bytes, &at,
                        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
                        "viewBox=\"0 0 %d %d\">\n<rect width=\"100%%\" height=\"100%%\" "
                        "fill=\"#fff\"/>\n",
                        COMBGPU__SVG_WIDTH, svg.height, COMBGPU__SVG_WIDTH, svg.height);
    combgpu__tsp_svg_head(drawing, text, bytes, &at);
    if (drawing->tour) combgpu__tsp_svg_tour(&svg, drawing, text, bytes, &at);
    combgpu__tsp_svg_cities(&svg, drawing, &labels, text, bytes, &at);
    combgpu__tsp_append(text, bytes, &at, "</svg>\n");
    return combgpu__tsp_written(ctx, "drawing", text, bytes, at, needed);
}

COMBGPU__DEF combgpu_status combgpu_tsp_to_svg(combgpu_context *ctx,
                                               const combgpu_tsp_instance *instance,
                                               combgpu_tsp_shape shape, const int *tour, char *text,
                                               size_t bytes, size_t *needed)
{
    combgpu_tsp_drawing drawing;
    memset(&drawing, 0, sizeof drawing);
    drawing.instance = instance;
    drawing.shape = shape;
    drawing.tour = tour;
    return combgpu_tsp_draw(ctx, &drawing, text, bytes, needed);
}
