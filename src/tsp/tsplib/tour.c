/* Reads tours: TOUR_SECTION, lists of cities, concorde's .sol. */

/* Reads n cities, which count from 1, or from 0 if city 0 occurs and city n does not. They end at
   -1, the end of the text or a keyword. */
COMBGPU__PRIVATE combgpu_status combgpu__tsplib_cities(combgpu__tsplib *in)
{
    int n = in->n, zero = 0, last = 0, count, i, length;
    combgpu_status status = COMBGPU_OK;
    for (count = 0; !status; count++) {
        double number = 0;
        int city;
        if (!combgpu__tsplib_peek(in) || combgpu__tsplib_equal(in->token, in->length, "-1") ||
            combgpu__tsplib_classify(in, &length))
            break;
        status = combgpu__tsplib_number(in, 0, n, &number, "city %d of the tour", count + 1);
        city = (int)number;
        zero |= !status && city == 0;
        last |= city == n;
        for (i = 0; !status && i < count; i++)
            if (in->tour[i] == city)
                status = combgpu__tsplib_fail(in, COMBGPU_BAD_FILE, "the tour visits city %d twice",
                                              city);
        if (!status && zero && last)
            status = combgpu__tsplib_fail(in, COMBGPU_BAD_FILE,
                                          "the tour visits city 0 and city %d: cities count from 1 "
                                          "to %d, or from 0 to %d",
                                          n, n, n - 1);
        if (!status && count == n)
            status =
                combgpu__tsplib_fail(in, COMBGPU_BAD_FILE, "the tour has more than %d cities", n);
        if (!status) in->tour[count] = city;
    }
    if (!status && count < n)
        status = combgpu__tsplib_fail(in, COMBGPU_BAD_FILE, "the tour ends after %d of %d cities",
                                      count, n);
    for (i = 0; !status && !zero && i < n; i++)
        in->tour[i]--;
    return status;
}

/* Reads the cities of a tour, up to -1 or the end. */
COMBGPU__PRIVATE combgpu_status combgpu__tsplib_tour(combgpu__tsplib *in)
{
    combgpu_status status;
    int i;
    if (!in->dimension) in->dimension = in->n;
    status = combgpu__tsplib_section(in, "TOUR_SECTION", &in->has_tour);
    if (!status && in->dimension != in->n)
        status = combgpu__tsplib_fail(in, COMBGPU_BAD_FILE,
                                      "DIMENSION is %d; the tour must have %d cities",
                                      in->dimension, in->n);
    if (!status) status = combgpu__tsplib_cities(in);
    for (i = 0; !status && i < 2; i++) /* -1 ends a tour, a second one the section */
        if (combgpu__tsplib_peek(in) && combgpu__tsplib_equal(in->token, in->length, "-1"))
            in->at += in->length;
    return status;
}

/* Reads a tour that is a list of cities; concorde writes n before them. */
COMBGPU__PRIVATE combgpu_status combgpu__tsplib_list(combgpu__tsplib *in)
{
    combgpu__tsplib ahead = *in;
    combgpu_status status;
    int count = 0;
    for (; combgpu__tsplib_peek(&ahead) && combgpu__tsplib_whole(&ahead) >= 0; count++)
        ahead.at += ahead.length;
    if (count == in->n + 1 && combgpu__tsplib_peek(in) && combgpu__tsplib_whole(in) == in->n)
        in->at += in->length;
    status = combgpu__tsplib_cities(in);
    if (status || !combgpu__tsplib_peek(in) || combgpu__tsplib_equal(in->token, in->length, "-1") ||
        combgpu__tsplib_equal(in->token, in->length, "EOF"))
        return status;
    return combgpu__tsplib_fail(in, COMBGPU_BAD_FILE, "\"%s\" after the tour",
                                combgpu__tsplib_quote(in, in->token, in->length));
}
