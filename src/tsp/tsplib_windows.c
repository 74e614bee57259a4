/* Time windows in files: a section of TSPLIB's form, and the two other forms in which instances are
   published. */

#define COMBGPU__WINDOWS_CUSTOMERS 998 /* of da Silva's and Urrutia's form: 999 ends it */

/* Makes room for the times of n cities: 0. */
COMBGPU__PRIVATE combgpu_status combgpu__windows_room(combgpu__tsplib *in, int n)
{
    combgpu_tsp_instance *instance = in->instance;
    size_t bytes = (size_t)n * sizeof(double);
    instance->ready = (double *)combgpu__allocate_zeroed(in->ctx, bytes);
    instance->due = (double *)combgpu__allocate_zeroed(in->ctx, bytes);
    instance->service = (double *)combgpu__allocate_zeroed(in->ctx, bytes);
    return instance->ready && instance->due && instance->service
               ? COMBGPU_OK
               : combgpu__no_memory(in->ctx, bytes);
}

/* Reads "ready due" of a city, which messages count from 1. */
COMBGPU__PRIVATE combgpu_status combgpu__windows_pair(combgpu__tsplib *in, int city)
{
    double ready = 0, due = 0;
    combgpu_status status =
        combgpu__tsplib_number(in, 0, 0, &ready, "the ready time of city %d", city + 1);
    if (!status)
        status = combgpu__tsplib_number(in, ready, 0, &due, "the due time of city %d", city + 1);
    in->instance->ready[city] = ready;
    in->instance->due[city] = due;
    return status;
}

/* Nonzero if the text is in one of the two forms. */
COMBGPU__PRIVATE int combgpu__windows_begin(combgpu__tsplib *in)
{
    if (!combgpu__tsplib_peek(in)) return 0;
    return combgpu__tsplib_is_number(in) || (in->length >= 2 && !memcmp(in->token, "!!", 2)) ||
           combgpu__tsplib_equal(in->token, in->length, "CUST");
}

/* Reads n, the matrix, and a pair of times for each city. A remark at the end begins with #. */
COMBGPU__PRIVATE combgpu_status combgpu__windows_matrix(combgpu__tsplib *in)
{
    combgpu_tsp_instance *instance = in->instance;
    double number = 1;
    combgpu_status status =
        combgpu__tsplib_number(in, 1, COMBGPU_TSP_MAX_MATRIX, &number, "the number of cities");
    int n = (int)number, i, j;
    size_t size = (size_t)n;
    if (status) return status;
    /* each number takes two bytes, so a short file cannot cause a large allocation */
    if ((size_t)(in->end - in->at) / 2 + 1 >= size * size)
        instance->weights = combgpu__tsp_doubles(in->ctx, size * size, &status);
    for (i = 0; !status && i < n; i++)
        for (j = 0; !status && j < n; j++) {
            number = 0;
            status = combgpu__tsplib_number(in, i == j ? -1e300 : 0, 0, &number,
                                            "the weight from city %d to %d", i + 1, j + 1);
            if (!status && instance->weights)
                instance->weights[(size_t)i * size + (size_t)j] = i == j ? 0 : number;
        }
    if (!status) status = combgpu__windows_room(in, n);
    for (i = 0; !status && i < n; i++)
        status = combgpu__windows_pair(in, i);
    if (!status && combgpu__tsplib_peek(in) && *in->token != '#')
        return combgpu__tsplib_fail(in, COMBGPU_BAD_FILE,
                                    "\"%s\" after the time windows of the %d cities",
                                    combgpu__tsplib_quote(in, in->token, in->length), n);
    instance->n = n;
    return status;
}

/* Skips the head, down to the first customer; a first line "!! NAME ..." names the instance. */
COMBGPU__PRIVATE void combgpu__windows_head(combgpu__tsplib *in)
{
    size_t most = sizeof in->instance->name - 1, i;
    int length;
    if (combgpu__tsplib_peek(in) && *in->token == '!') {
        const char *name;
        while (in->at < in->end && *in->at == '!')
            in->at++;
        name = combgpu__tsplib_value(in, &length);
        for (i = 0; i < most && (int)i < length && !combgpu__tsplib_space(name[i]); i++)
            in->instance->name[i] = (unsigned char)name[i] < ' ' ? '?' : name[i];
    }
    while (combgpu__tsplib_peek(in) && !combgpu__tsplib_is_number(in))
        (void)combgpu__tsplib_value(in, &length);
}

/* Reads a customer after its number. */
COMBGPU__PRIVATE combgpu_status combgpu__windows_customer(combgpu__tsplib *in, int city)
{
    combgpu_tsp_instance *instance = in->instance;
    double demand = 0;
    combgpu_status status = combgpu__tsplib_number(in, -1e300, 0, &instance->x[city],
                                                   "a coordinate of customer %d", city + 1);
    if (!status)
        status = combgpu__tsplib_number(in, -1e300, 0, &instance->y[city],
                                        "a coordinate of customer %d", city + 1);
    if (!status)
        status =
            combgpu__tsplib_number(in, -1e300, 0, &demand, "the demand of customer %d", city + 1);
    if (!status) status = combgpu__windows_pair(in, city);
    if (!status)
        status = combgpu__tsplib_number(in, 0, 0, &instance->service[city],
                                        "the service time of customer %d", city + 1);
    return status;
}

/* Reads customers in the order of their numbers, up to 999. */
COMBGPU__PRIVATE combgpu_status combgpu__windows_customers(combgpu__tsplib *in)
{
    combgpu_tsp_instance *instance = in->instance;
    combgpu_status status = combgpu__windows_room(in, COMBGPU__WINDOWS_CUSTOMERS);
    double number = 0;
    int n;
    if (!status) instance->x = combgpu__tsp_doubles(in->ctx, COMBGPU__WINDOWS_CUSTOMERS, &status);
    if (!status) instance->y = combgpu__tsp_doubles(in->ctx, COMBGPU__WINDOWS_CUSTOMERS, &status);
    combgpu__windows_head(in);
    for (n = 0; !status && combgpu__tsplib_peek(in); n++) {
        status = combgpu__tsplib_number(in, 1, 999, &number, "customer number %d", n + 1);
        if (!status && number == 999) break;
        if (!status && number != n + 1)
            status = combgpu__tsplib_fail(in, COMBGPU_BAD_FILE, "customer %d where %d is expected",
                                          (int)number, n + 1);
        if (!status) status = combgpu__windows_customer(in, n);
    }
    if (!status && n && number != 999) /* cut off between two customers */
        status = combgpu__tsplib_fail(in, COMBGPU_BAD_FILE,
                                      "the file ends before customer 999, which is its last line");
    if (!status && !n)
        status = combgpu__tsplib_fail(in, COMBGPU_BAD_FILE, "the file ends before customer 1");
    instance->n = n;
    return status;
}

/* Computes the weights of customers: distances, truncated. */
COMBGPU__PRIVATE combgpu_status combgpu__windows_measure(combgpu__tsplib *in)
{
    combgpu_tsp_instance *instance = in->instance;
    size_t n = (size_t)instance->n, i, j;
    combgpu_status status = COMBGPU_OK;
    double *weights = instance->weights = combgpu__tsp_doubles(in->ctx, n * n, &status);
    for (i = 0; !status && i < n; i++) {
        weights[i * n + i] = 0;
        for (j = 0; !status && j < i; j++) {
            double distance = combgpu__tsp_root(fabs(instance->x[i] - instance->x[j]),
                                                fabs(instance->y[i] - instance->y[j]), 0, 1);
            if (!(distance <= 9007199254740992.0))
                status = combgpu__tsplib_fail(
                    in, COMBGPU_BAD_FILE,
                    "the distance of customers %d and %d is %g; it may be at most 2^53", (int)j + 1,
                    (int)i + 1, distance);
            else
                weights[i * n + j] = weights[j * n + i] = combgpu__floor(distance);
        }
    }
    return status;
}

COMBGPU__PRIVATE combgpu_status combgpu__windows_read(combgpu__tsplib *in)
{
    int matrix = combgpu__tsplib_peek(in) && combgpu__tsplib_is_number(in);
    combgpu_status status = matrix ? combgpu__windows_matrix(in) : combgpu__windows_customers(in);
    if (!status && !matrix) status = combgpu__windows_measure(in);
    return status ? status : combgpu__tsp_classify(in->ctx, in->instance);
}
