/* ---- drawing */

#define COMBGPU__SVG_WIDTH 800
#define COMBGPU__SVG_MARGIN 20

/* How coordinates become places in the picture, in tenths of a unit. */
typedef struct combgpu__svg {
    const combgpu_tsp_instance *instance;
    double left, top, scale_x, scale_y; /* of the picture's x, y */
    int sphere;                         /* x is the latitude: it goes up */
    int height;
} combgpu__svg;

/* Degrees; GEO has DDD.MM. */
COMBGPU__PRIVATE double combgpu__svg_degrees(const combgpu__svg *svg, double x)
{
    return svg->instance->metric == COMBGPU_TSP_GEO ? combgpu__tsp_geo_radians(x) * (180 / 3.141592)
                                                    : x;
}

COMBGPU__PRIVATE double combgpu__svg_x(const combgpu__svg *svg, int city)
{
    return svg->sphere ? combgpu__svg_degrees(svg, svg->instance->y[city]) : svg->instance->x[city];
}

COMBGPU__PRIVATE double combgpu__svg_y(const combgpu__svg *svg, int city)
{
    return svg->sphere ? combgpu__svg_degrees(svg, svg->instance->x[city]) : svg->instance->y[city];
}

/* The picture holds all cities; both directions have one scale, as the map's middle has it. */
COMBGPU__PRIVATE void combgpu__svg_fit(combgpu__svg *svg, const combgpu_tsp_instance *instance)
{
    double right, bottom, wide, tall, largest;
    int i;
    memset(svg, 0, sizeof *svg);
    svg->instance = instance;
    svg->sphere = instance->metric == COMBGPU_TSP_GEO || instance->metric == COMBGPU_TSP_EARTH;
    svg->left = right = combgpu__svg_x(svg, 0);
    svg->top = bottom = combgpu__svg_y(svg, 0);
    for (i = 1; i < instance->n; i++) {
        double x = combgpu__svg_x(svg, i), y = combgpu__svg_y(svg, i);
        if (x < svg->left) svg->left = x;
        if (x > right) right = x;
        if (y > svg->top) svg->top = y;
        if (y < bottom) bottom = y;
    }
    /* halves, so that 1e300 - -1e300 is no infinity */
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

/* A city's place as "123.4 56.7": the C library's decimal point may be another one. */
COMBGPU__PRIVATE void combgpu__svg_place(const combgpu__svg *svg, int city, char *text,
                                         size_t bytes, const char *between)
{
    int x = (int)((combgpu__svg_x(svg, city) / 2 - svg->left / 2) * 2 * svg->scale_x + 0.5) +
            10 * COMBGPU__SVG_MARGIN;
    int y = (int)((svg->top / 2 - combgpu__svg_y(svg, city) / 2) * 2 * svg->scale_y + 0.5) +
            10 * COMBGPU__SVG_MARGIN;
    snprintf(text, bytes, "%d.%d%s%d.%d", x / 10, x % 10, between, y / 10, y % 10);
}

COMBGPU__DEF combgpu_status combgpu_tsp_to_svg(combgpu_context *ctx,
                                               const combgpu_tsp_instance *instance,
                                               combgpu_tsp_shape shape, const int *tour, char *text,
                                               size_t bytes, size_t *needed)
{
    combgpu__svg svg;
    char place[64];
    size_t at = 0;
    int i, labels;
    combgpu_status status;
    if (!ctx) return COMBGPU_INVALID_ARGUMENT;
    status = combgpu__tsp_check_instance(ctx, instance);
    if (!status && (!instance->x || !instance->y))
        status = combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                               "instance has no coordinates: it cannot be drawn");
    if (!status) status = combgpu__tsp_check_shape(ctx, shape);
    if (!status)
        status =
            combgpu__tsp_check_points(ctx, instance->n, instance->x, instance->y, instance->metric);
    if (!status && tour) status = combgpu__tsp_check_tour(ctx, "tour", instance->n, tour);
    if (status) return status;
    if (!text) bytes = 0;
    labels = instance->n <= 60;
    combgpu__svg_fit(&svg, instance);
    combgpu__tsp_append(text, bytes, &at,
                        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
                        "viewBox=\"0 0 %d %d\">\n<rect width=\"100%%\" height=\"100%%\" "
                        "fill=\"#fff\"/>\n",
                        COMBGPU__SVG_WIDTH, svg.height, COMBGPU__SVG_WIDTH, svg.height);
    if (tour) {
        combgpu__tsp_append(text, bytes, &at, "<path d=\"M");
        for (i = 0; i < instance->n; i++) {
            combgpu__svg_place(&svg, tour[i], place, sizeof place, " ");
            combgpu__tsp_append(text, bytes, &at, "%s%s", i ? "\nL" : "", place);
        }
        combgpu__tsp_append(text, bytes, &at,
                            "%s\" fill=\"none\" stroke=\"#1f6feb\" stroke-width=\"2\" "
                            "stroke-linejoin=\"round\"/>\n",
                            shape == COMBGPU_TSP_CYCLE ? "Z" : "");
    }
    combgpu__tsp_append(text, bytes, &at,
                        "<g fill=\"#24292f\" font-family=\"sans-serif\" "
                        "font-size=\"11\">\n");
    for (i = 0; i < instance->n; i++) {
        combgpu__svg_place(&svg, i, place, sizeof place, "\" cy=\"");
        combgpu__tsp_append(text, bytes, &at, "<circle cx=\"%s\" r=\"3\"/>\n", place);
        if (!labels) continue;
        combgpu__svg_place(&svg, i, place, sizeof place, "\" y=\"");
        combgpu__tsp_append(text, bytes, &at, "<text dx=\"5\" dy=\"-4\" x=\"%s\">%d</text>\n",
                            place, i + 1);
    }
    combgpu__tsp_append(text, bytes, &at, "</g>\n</svg>\n");
    return combgpu__tsp_written(ctx, "drawing", text, bytes, at, needed);
}

