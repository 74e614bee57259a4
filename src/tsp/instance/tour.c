/* Checks and measures tours, and writes them as TSPLIB text. */

/* Checks that a tour is a permutation of 0 .. n-1. */
COMBGPU__PRIVATE combgpu_status combgpu__tsp_check_tour(combgpu_context *ctx, const char *name,
                                                        int n, const int *tour)
{
    combgpu_status status = combgpu__tsp_check_tour_size(ctx, n, tour);
    unsigned char *seen;
    int i;
    if (status) return status;
    seen = (unsigned char *)combgpu__allocate_zeroed(ctx, (size_t)n);
    if (!seen) return combgpu__no_memory(ctx, (size_t)n);
    for (i = 0; !status && i < n; i++)
        if (tour[i] < 0 || tour[i] >= n)
            status =
                combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                              "%s[%d] is city %d; it may be city 0 to city %d (counted from 0)",
                              name, i, tour[i], n - 1);
        else if (seen[tour[i]]++)
            status = combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                                   "%s[%d] is city %d (counted from 0), which the tour has already "
                                   "visited",
                                   name, i, tour[i]);
    combgpu__release(ctx, seen);
    return status;
}

COMBGPU__DEF combgpu_status combgpu_tsp_length(combgpu_context *ctx,
                                               const combgpu_tsp_instance *instance,
                                               combgpu_tsp_shape shape, const int *tour,
                                               double *length)
{
    combgpu__tsp_weights weights;
    combgpu__tsp_terms terms;
    int over, missing = 0, i;
    combgpu_status status;
    if (!ctx) return COMBGPU_INVALID_ARGUMENT;
    status = combgpu__tsp_check_instance(ctx, "instance", instance);
    if (!status) status = combgpu__tsp_check_tour(ctx, "tour", instance->n, tour);
    if (!status) status = combgpu__tsp_check_shape(ctx, "shape", shape);
    if (!status && !length) status = combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "length is NULL");
    if (!status) status = combgpu__tsp_check_before(ctx, "tour", instance, tour);
    if (!status) status = combgpu__tsp_check_joined(ctx, "tour", instance, shape, tour);
    if (!status) status = combgpu__tsp_check_weights(ctx, instance, &weights);
    if (status) return status;
    memset(&terms, 0, sizeof terms);
    terms.given = *instance;
    *length = combgpu__tsp_terms_length(&terms, shape, tour, 0, &over, &missing);
    for (i = 0; missing && i < instance->n; i++) {
        int to = tour[(i + 1) % instance->n];
        if (combgpu__tsp_missing(combgpu__tsp_weight(instance, tour[i], to)))
            return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                                 "tour goes from city %d to city %d (counted from 0), which are "
                                 "not connected",
                                 tour[i], to);
    }
    return COMBGPU_OK;
}

/* Appends to a text. Writes at most `bytes` of it; *at counts all. */
COMBGPU__PRIVATE void combgpu__tsp_append(char *text, size_t bytes, size_t *at, const char *format,
                                          ...) COMBGPU__PRINTF(4, 5);
COMBGPU__PRIVATE void combgpu__tsp_append(char *text, size_t bytes, size_t *at, const char *format,
                                          ...)
{
    va_list args;
    int length;
    va_start(args, format);
    length = *at < bytes ? vsnprintf(text + *at, bytes - *at, format, args)
                         : vsnprintf(NULL, 0, format, args);
    va_end(args);
    *at += (size_t)length;
}

/* Ends a text: checks that it fits with its NUL. */
COMBGPU__PRIVATE combgpu_status combgpu__tsp_written(combgpu_context *ctx, const char *what,
                                                     char *text, size_t bytes, size_t at,
                                                     size_t *needed)
{
    if (needed) *needed = at + 1;
    if (bytes > at || (!text && needed)) return COMBGPU_OK;
    if (bytes) text[0] = 0;
    return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "bytes is %llu; this %s needs %llu",
                         (unsigned long long)bytes, what, (unsigned long long)at + 1);
}

COMBGPU__DEF combgpu_status combgpu_tsp_write_tour(combgpu_context *ctx, const char *name, int n,
                                                   const int *tour, char *text, size_t bytes,
                                                   size_t *needed)
{
    size_t at = 0;
    int i;
    combgpu_status status;
    if (!ctx) return COMBGPU_INVALID_ARGUMENT;
    status = combgpu__tsp_check_tour(ctx, "tour", n, tour);
    if (status) return status;
    if (!text) bytes = 0;
    if (name)
        combgpu__tsp_append(text, bytes, &at, "NAME : %.*s\n", (int)strcspn(name, "\r\n"), name);
    combgpu__tsp_append(text, bytes, &at, "TYPE : TOUR\nDIMENSION : %d\nTOUR_SECTION\n", n);
    for (i = 0; i < n; i++)
        combgpu__tsp_append(text, bytes, &at, "%d\n", tour[i] + 1);
    combgpu__tsp_append(text, bytes, &at, "-1\nEOF\n");
    return combgpu__tsp_written(ctx, "tour", text, bytes, at, needed);
}
