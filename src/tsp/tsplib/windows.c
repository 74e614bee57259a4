/* Reads time windows from files: sections and keywords of TSPLIB's form, and the three other
   published forms. */

#define COMBGPU__WINDOWS_LAST 999 /* this customer's number ends da Silva's and Urrutia's form */

/* Makes room for the times of n cities, all 0, unless it exists. */
COMBGPU__PRIVATE combgpu_status combgpu__tsplib_windows_room(combgpu__tsplib *in, int n)
{
    combgpu_tsp_instance *instance = in->instance;
    size_t bytes = (size_t)n * sizeof(double);
    if (instance->ready) return COMBGPU_OK;
    instance->ready = (double *)combgpu__allocate_zeroed(in->ctx, bytes);
    instance->due = (double *)combgpu__allocate_zeroed(in->ctx, bytes);
    instance->service = (double *)combgpu__allocate_zeroed(in->ctx, bytes);
    return instance->ready && instance->due && instance->service
               ? COMBGPU_OK
               : combgpu__no_memory(in->ctx, bytes);
}

/* Reads "ready due" of a city, which messages count from 1. */
COMBGPU__PRIVATE combgpu_status combgpu__tsplib_windows_pair(combgpu__tsplib *in, int city)
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

/* ---- TSPLIB's form, as LKH-3 and VRPLIB extend it */

/* The meaning of a section's numbers for each node. */
typedef enum combgpu__tsplib_windows_what {
    COMBGPU__WINDOWS_PAIR = 0,
    COMBGPU__WINDOWS_SERVICE,
    COMBGPU__WINDOWS_DEMAND
} combgpu__tsplib_windows_what;

/* Reads a line "node number", or "node ready due", for each city. seen[n]: memory. */
COMBGPU__PRIVATE combgpu_status combgpu__tsplib_windows_lines(combgpu__tsplib *in,
                                                              combgpu__tsplib_windows_what what,
                                                              char *seen)
{
    int n = in->dimension, i;
    combgpu_status status = COMBGPU_OK;
    for (i = 1; !status && i <= n; i++) {
        double number = 0;
        int city = 0;
        status = combgpu__tsplib_node(in, "node number", i, &city);
        if (!status && seen[city]++)
            status = combgpu__tsplib_fail(in, COMBGPU_BAD_FILE, "node %d is given twice",
                                          city + in->base);
        if (!status && what == COMBGPU__WINDOWS_PAIR)
            status = combgpu__tsplib_windows_pair(in, city);
        else if (!status)
            status = combgpu__tsplib_number(
                in, 0, 0, &number, "the %s of city %d",
                what == COMBGPU__WINDOWS_DEMAND ? "demand" : "service time", city + 1);
        if (what == COMBGPU__WINDOWS_SERVICE) in->instance->service[city] = number;
        in->demand += what == COMBGPU__WINDOWS_DEMAND ? number : 0;
    }
    return status;
}

/* Reads the depots. */
COMBGPU__PRIVATE combgpu_status combgpu__tsplib_windows_depots(combgpu__tsplib *in)
{
    combgpu_status status = COMBGPU_OK;
    while (combgpu__tsplib_goes_on(in, "DEPOT_SECTION", &status))
        status = combgpu__tsplib_node(in, "depot", ++in->depots, &in->instance->depot);
    return status;
}

/* Reads a section if it is one of these; else returns 0. */
COMBGPU__PRIVATE int combgpu__tsplib_windows_section(combgpu__tsplib *in, const char *name,
                                                     int length, combgpu_status *status)
{
    static const char *const names[] = {"TIME_WINDOW_SECTION", "SERVICE_TIME_SECTION",
                                        "DEMAND_SECTION", "DEPOT_SECTION", NULL};
    int what = combgpu__tsplib_choice(name, length, names), none = 0;
    char *seen = NULL;
    if (what < 0) return 0;
    *status = combgpu__tsplib_section(in, names[what],
                                      what == COMBGPU__WINDOWS_PAIR      ? &in->has_windows
                                      : what == COMBGPU__WINDOWS_SERVICE ? &in->has_service
                                      : what == COMBGPU__WINDOWS_DEMAND  ? &none
                                                                         : &in->depots);
    if (!*status && what > COMBGPU__WINDOWS_DEMAND) {
        in->depots = 0;
        *status = combgpu__tsplib_windows_depots(in);
        return 1;
    }
    if (!*status)
        *status = combgpu__tsplib_rows(in, names[what], what == COMBGPU__WINDOWS_PAIR ? 3 : 2);
    if (!*status) *status = combgpu__tsplib_windows_room(in, in->dimension);
    if (!*status) seen = (char *)combgpu__allocate_zeroed(in->ctx, (size_t)in->dimension);
    if (!*status && !seen) *status = combgpu__no_memory(in->ctx, (size_t)in->dimension);
    if (!*status)
        *status = combgpu__tsplib_windows_lines(in, (combgpu__tsplib_windows_what)what, seen);
    combgpu__release(in->ctx, seen);
    return 1;
}

/* Reads a keyword if it is one of these; else returns 0. */
COMBGPU__PRIVATE int combgpu__tsplib_windows_keyword(combgpu__tsplib *in, const char *word,
                                                     int length, combgpu_status *status)
{
    static const char *const names[] = {"SERVICE_TIME", "CAPACITY", "DISTANCE", NULL};
    int what = combgpu__tsplib_choice(word, length, names);
    if (what < 0) return 0;
    while (in->at < in->end && (*in->at == ' ' || *in->at == '\t' || *in->at == ':'))
        in->at++;
    if (what == 2 && in->kind == 3)
        *status = combgpu__tsplib_fail(in, COMBGPU_UNSUPPORTED,
                                       "DISTANCE, a limit to the length of the tour, is not "
                                       "supported");
    else
        *status = combgpu__tsplib_number(in, 0, 0, what ? &in->capacity : &in->service_time, "%s",
                                         names[what]);
    return 1;
}

/* Warns that the demands exceed one vehicle's capacity. */
COMBGPU__PRIVATE void combgpu__tsplib_windows_note_load(combgpu__tsplib *in)
{
    if (in->capacity >= 0 && in->demand > in->capacity)
        combgpu__log(in->ctx, COMBGPU_LOG_WARNING,
                     "%.150s, line %d: the demands add up to %g, more than the capacity of one "
                     "vehicle, %g; one visits all cities nevertheless",
                     in->source, in->token_line, in->demand, in->capacity);
}

/* Checks that nothing is missing or contradictory, and gives all cities but the depot a service
   time stated once. */
COMBGPU__PRIVATE combgpu_status combgpu__tsplib_windows_finish(combgpu__tsplib *in)
{
    combgpu_tsp_instance *instance = in->instance;
    int i;
    if (!in->has_windows) { /* a tour's service takes equally long in every order */
        combgpu__release(in->ctx, instance->ready);
        combgpu__release(in->ctx, instance->due);
        combgpu__release(in->ctx, instance->service);
        instance->ready = instance->due = instance->service = NULL;
        instance->depot = 0;
        return COMBGPU_OK;
    }
    if (in->depots > 1)
        return combgpu__tsplib_fail(in, COMBGPU_UNSUPPORTED,
                                    "DEPOT_SECTION has %d depots; with time windows it may have 1",
                                    in->depots);
    if (in->has_service && in->service_time > 0)
        return combgpu__tsplib_fail(in, COMBGPU_BAD_FILE,
                                    "both SERVICE_TIME and SERVICE_TIME_SECTION are given");
    if (!in->eof && (!in->depots || (!in->has_service && in->service_time < 0)))
        return combgpu__tsplib_fail(in, COMBGPU_BAD_FILE,
                                    "the file ends without EOF, and without %s: if nothing is "
                                    "missing, add a line EOF",
                                    in->depots ? "service times" : "DEPOT_SECTION");
    for (i = 0; i < in->dimension && in->service_time > 0; i++)
        instance->service[i] = i == instance->depot ? 0 : in->service_time;
    combgpu__tsplib_windows_note_load(in);
    return COMBGPU_OK;
}

/* ---- other forms */

/* Nonzero if Solomon's form begins: a line with a name and no ':', then a line that begins with one of
   these words. */
COMBGPU__PRIVATE int combgpu__tsplib_windows_is_solomon(const combgpu__tsplib *in)
{
    static const char *const words[] = {"VEHICLE", "CUSTOMER", "CUST", NULL};
    combgpu__tsplib ahead = *in;
    const char *name;
    int length;
    if (combgpu__tsplib_peek(&ahead) &&
        combgpu__tsplib_choice(ahead.token, ahead.length, words) < 0) {
        name = combgpu__tsplib_value(&ahead, &length);
        if (memchr(name, ':', (size_t)length)) return 0;
    }
    return combgpu__tsplib_peek(&ahead) &&
           combgpu__tsplib_choice(ahead.token, ahead.length, words) >= 0;
}

/* Nonzero if the text is in one of these forms. */
COMBGPU__PRIVATE int combgpu__tsplib_windows_begin(combgpu__tsplib *in)
{
    if (!combgpu__tsplib_peek(in)) return 0;
    return combgpu__tsplib_is_number(in) || (in->length >= 2 && !memcmp(in->token, "!!", 2)) ||
           combgpu__tsplib_windows_is_solomon(in);
}

/* Reads n, the matrix, and a pair of times for each city. A remark at the end begins with #. */
COMBGPU__PRIVATE combgpu_status combgpu__tsplib_windows_matrix(combgpu__tsplib *in)
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
    if (!status) status = combgpu__tsplib_windows_room(in, n);
    for (i = 0; !status && i < n; i++)
        status = combgpu__tsplib_windows_pair(in, i);
    if (!status && combgpu__tsplib_peek(in) && *in->token != '#')
        return combgpu__tsplib_fail(in, COMBGPU_BAD_FILE,
                                    "\"%s\" after the time windows of the %d cities",
                                    combgpu__tsplib_quote(in, in->token, in->length), n);
    instance->n = n;
    return status;
}

/* Reads the head, down to the first customer; a first line "!! NAME ..." or "NAME" names the
   instance. Solomon's has the vehicles' number and capacity. */
COMBGPU__PRIVATE combgpu_status combgpu__tsplib_windows_head(combgpu__tsplib *in)
{
    size_t most = sizeof in->instance->name - 1, i;
    int length, vehicle = 0;
    double number = 0;
    combgpu_status status = COMBGPU_OK;
    if (combgpu__tsplib_peek(in) && !combgpu__tsplib_equal(in->token, in->length, "CUST") &&
        !combgpu__tsplib_equal(in->token, in->length, "CUSTOMER") &&
        !combgpu__tsplib_equal(in->token, in->length, "VEHICLE")) {
        const char *name;
        while (in->at < in->end && *in->at == '!')
            in->at++;
        name = combgpu__tsplib_value(in, &length);
        for (i = 0; i < most && (int)i < length && !combgpu__tsplib_space(name[i]); i++)
            in->instance->name[i] = (unsigned char)name[i] < ' ' ? '?' : name[i];
    }
    while (!status && combgpu__tsplib_peek(in)) {
        if (!combgpu__tsplib_is_number(in)) {
            if (combgpu__tsplib_equal(in->token, in->length, "VEHICLE")) vehicle = 1;
            (void)combgpu__tsplib_value(in, &length);
        } else if (vehicle) {
            vehicle = 0;
            status = combgpu__tsplib_number(in, 1, 1000000, &number, "the number of vehicles");
            if (!status)
                status =
                    combgpu__tsplib_number(in, 0, 0, &in->capacity, "the capacity of a vehicle");
        } else
            break;
    }
    return status;
}

/* Reads a customer, which is city number `city`, after its number. */
COMBGPU__PRIVATE combgpu_status combgpu__tsplib_windows_customer(combgpu__tsplib *in, int city,
                                                                 int number)
{
    combgpu_tsp_instance *instance = in->instance;
    double demand = 0;
    combgpu_status status = combgpu__tsplib_number(in, -1e300, 0, &instance->x[city],
                                                   "a coordinate of customer %d", number);
    if (!status)
        status = combgpu__tsplib_number(in, -1e300, 0, &instance->y[city],
                                        "a coordinate of customer %d", number);
    if (!status)
        status =
            combgpu__tsplib_number(in, -1e300, 0, &demand, "the demand of customer %d", number);
    in->demand += demand;
    if (!status) status = combgpu__tsplib_windows_pair(in, city);
    if (!status)
        status = combgpu__tsplib_number(in, 0, 0, &instance->service[city],
                                        "the service time of customer %d", number);
    return status;
}

/* Reads customers in the order of their numbers: from 1 up to 999, which ends them, or, in Solomon's
   form, from 0, the depot, up to the end of the text. */
COMBGPU__PRIVATE combgpu_status combgpu__tsplib_windows_customers(combgpu__tsplib *in)
{
    combgpu_tsp_instance *instance = in->instance;
    combgpu_status status = combgpu__tsplib_windows_room(in, COMBGPU_TSP_MAX_MATRIX);
    double number = 0;
    int n, first = 1;
    if (!status) instance->x = combgpu__tsp_doubles(in->ctx, COMBGPU_TSP_MAX_MATRIX, &status);
    if (!status) instance->y = combgpu__tsp_doubles(in->ctx, COMBGPU_TSP_MAX_MATRIX, &status);
    if (!status) status = combgpu__tsplib_windows_head(in);
    for (n = 0; !status && combgpu__tsplib_peek(in); n++) {
        status = combgpu__tsplib_number(in, 0, 1000000, &number, "customer number %d", n + first);
        if (!status && !n && number == 0) {
            first = 0;
            instance->metric = COMBGPU_TSP_PLANE;
        }
        if (!status && first && number == COMBGPU__WINDOWS_LAST) break;
        if (!status && n == COMBGPU_TSP_MAX_MATRIX)
            status = combgpu__tsplib_fail(in, COMBGPU_UNSUPPORTED, "more than %d customers", n);
        if (!status && number != n + first)
            status = combgpu__tsplib_fail(in, COMBGPU_BAD_FILE, "customer %d where %d is expected",
                                          (int)number, n + first);
        if (!status) status = combgpu__tsplib_windows_customer(in, n, (int)number);
    }
    instance->n = n;
    if (status) return status;
    if (n < 2 - first)
        return combgpu__tsplib_fail(in, COMBGPU_BAD_FILE, "the file ends before customer 1");
    if (first && number != COMBGPU__WINDOWS_LAST) /* cut off between two customers */
        return combgpu__tsplib_fail(in, COMBGPU_BAD_FILE,
                                    "the file ends before customer 999, which is its last line");
    if (!first && in->end[-1] != '\n' && in->end[-1] != '\r')
        return combgpu__tsplib_fail(in, COMBGPU_BAD_FILE,
                                    "the last line has no line end: is the file cut off?");
    combgpu__tsplib_windows_note_load(in);
    return COMBGPU_OK;
}

/* Computes the weights of customers: distances, truncated. */
COMBGPU__PRIVATE combgpu_status combgpu__tsplib_windows_measure(combgpu__tsplib *in)
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

COMBGPU__PRIVATE combgpu_status combgpu__tsplib_windows_read(combgpu__tsplib *in)
{
    int matrix = combgpu__tsplib_peek(in) && combgpu__tsplib_is_number(in);
    combgpu_status status =
        matrix ? combgpu__tsplib_windows_matrix(in) : combgpu__tsplib_windows_customers(in);
    if (!status && in->instance->metric)
        return combgpu__tsp_measure_instance(in->ctx, in->instance, COMBGPU_TSP_MAX_MATRIX);
    if (!status && !matrix) status = combgpu__tsplib_windows_measure(in);
    return status ? status : combgpu__tsp_classify(in->ctx, in->instance);
}
