/* Precedence: pairs of cities of which one must come before the other. */

/* A set of up to 128 cities. */
typedef struct combgpu__tsp_cities {
    uint64_t words[2];
} combgpu__tsp_cities;

COMBGPU__INLINE int combgpu__tsp_cities_has(const combgpu__tsp_cities *set, int city)
{
    return (int)(set->words[city >> 6] >> (city & 63) & 1);
}

COMBGPU__INLINE void combgpu__tsp_cities_add(combgpu__tsp_cities *set, int city)
{
    set->words[city >> 6] |= (uint64_t)1 << (city & 63);
}

COMBGPU__INLINE int combgpu__tsp_cities_within(const combgpu__tsp_cities *set,
                                               const combgpu__tsp_cities *other)
{
    return !((set->words[0] & ~other->words[0]) | (set->words[1] & ~other->words[1]));
}

COMBGPU__INLINE int combgpu__tsp_cities_meets(const combgpu__tsp_cities *set,
                                              const combgpu__tsp_cities *other)
{
    return ((set->words[0] & other->words[0]) | (set->words[1] & other->words[1])) != 0;
}

COMBGPU__PRIVATE int combgpu__tsp_cities_count(const combgpu__tsp_cities *set)
{
    return combgpu__popcount64(set->words[0]) + combgpu__popcount64(set->words[1]);
}

/* Checks the pairs of an instance, the argument or field `name`. */
COMBGPU__PRIVATE combgpu_status combgpu__tsp_check_pairs(combgpu_context *ctx, const char *name,
                                                         int n, int count, const int *pairs)
{
    int i;
    if (count < 0 || count > COMBGPU_TSP_MAX_PAIRS)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "%s_count is %d; it may be 0 to %d",
                             name, count, COMBGPU_TSP_MAX_PAIRS);
    if (count && !pairs)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "%s is NULL; it must hold %s_count pairs of cities, here %d", name,
                             name, count);
    for (i = 0; i < 2 * count; i++)
        if (pairs[i] < 0 || pairs[i] >= n)
            return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "%s[%d] is %d; it may be 0 to %d",
                                 name, i, pairs[i], n - 1);
    return COMBGPU_OK;
}

/* Replaces *kept, one of the instance's two lists, by a copy of the pairs. */
COMBGPU__PRIVATE combgpu_status combgpu__tsp_set_pairs(combgpu_context *ctx, const char *name,
                                                       combgpu_tsp_instance *instance, int count,
                                                       const int *pairs, int **kept,
                                                       int *kept_count)
{
    size_t bytes;
    int *copy = NULL;
    combgpu_status status = combgpu__tsp_check_n(ctx, instance->n);
    if (!status) status = combgpu__tsp_check_pairs(ctx, name, instance->n, count, pairs);
    if (status) return status;
    bytes = 2 * (size_t)count * sizeof *copy;
    if (count) {
        copy = (int *)combgpu__allocate(ctx, bytes);
        if (!copy) return combgpu__no_memory(ctx, bytes);
        memcpy(copy, pairs, bytes);
    }
    combgpu__release(ctx, *kept);
    *kept = copy;
    *kept_count = count;
    return COMBGPU_OK;
}

COMBGPU__DEF combgpu_status combgpu_tsp_set_before(combgpu_context *ctx,
                                                   combgpu_tsp_instance *instance, int count,
                                                   const int *pairs)
{
    if (!ctx) return COMBGPU_INVALID_ARGUMENT;
    if (!instance) return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "instance is NULL");
    return combgpu__tsp_set_pairs(ctx, "before", instance, count, pairs, &instance->before,
                                  &instance->before_count);
}

/* Checks that a tour keeps the instance's pairs; the message counts cities from 0. */
COMBGPU__PRIVATE combgpu_status combgpu__tsp_check_before(combgpu_context *ctx, const char *name,
                                                          const combgpu_tsp_instance *instance,
                                                          const int *tour)
{
    int n = instance->n, k, i;
    combgpu_status status = combgpu__tsp_check_pairs(ctx, "instance->before", n,
                                                     instance->before_count, instance->before);
    int *place;
    if (status || !instance->before_count) return status;
    place = (int *)combgpu__allocate(ctx, (size_t)n * sizeof *place);
    if (!place) return combgpu__no_memory(ctx, (size_t)n * sizeof *place);
    for (i = 0; i < n; i++)
        place[tour[i]] = i;
    for (k = 0; k < instance->before_count && !status; k++) {
        int first = instance->before[2 * k], second = instance->before[2 * k + 1];
        if (place[first] >= place[second])
            status =
                combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                              "%s visits city %d at position %d and city %d at position %d (all "
                              "counted from 0), but city %d must come before city %d",
                              name, second, place[second], first, place[first], first, second);
    }
    combgpu__release(ctx, place);
    return status;
}
