/* A batch's instance as costs in local memory: copied, or computed from points as
   src/tsp/batch/load.c does, to the last bit. All lanes of a block call these functions. */

/* first[SIDE], last[SIDE], legs[SIDE * SIDE], the latter from * SIDE + to; and the distances of all
   pairs of cities. */
#define COMBGPU__BATCH_SIDE 16
#define COMBGPU__BATCH_COSTS ((2 + COMBGPU__BATCH_SIDE) * COMBGPU__BATCH_SIDE)
typedef struct combgpu_batch_costs_t {
    uint64_t wide[COMBGPU__BATCH_COSTS];
    uint32_t narrow[COMBGPU__BATCH_COSTS];
    uint64_t pairs[COMBGPU__BATCH_SIDE * COMBGPU__BATCH_SIDE / 2]; /* doubles' bits */
} combgpu_batch_costs_t;

COMBGPU__DEVICE void combgpu_batch_costs_clear(COMBGPU__LOCAL combgpu_batch_costs_t *costs)
{
    uint32_t i;
    for (i = COMBGPU__LANE_ID; i < COMBGPU__BATCH_COSTS; i += COMBGPU__BATCH_LANES)
        costs->wide[i] = costs->narrow[i] = 0;
}

COMBGPU__DEVICE void combgpu_batch_costs_put(COMBGPU__LOCAL combgpu_batch_costs_t *costs,
                                             uint32_t wide, uint32_t i, uint64_t cost)
{
    if (wide)
        costs->wide[i] = cost;
    else
        costs->narrow[i] = (uint32_t)cost;
}

/* Copies numbers from the tables. Returns the middle cities. */
COMBGPU__DEVICE uint32_t combgpu_batch_costs_copy(COMBGPU__GLOBAL const uint32_t *tables,
                                                  uint32_t instance,
                                                  COMBGPU__LOCAL combgpu_batch_costs_t *costs,
                                                  uint32_t *unit)
{
    uint32_t most = tables[COMBGPU__BATCH_AT_MOST], wide = tables[COMBGPU__BATCH_AT_WIDE],
             all = most * (most + 2), i;
    COMBGPU__GLOBAL const uint32_t *numbers = tables + COMBGPU__BATCH_AT_SUBSETS + (2u << most) +
                                              (uint64_t)instance * (1 + all) * (1 + wide);
    for (i = COMBGPU__LANE_ID; i < all; i += COMBGPU__BATCH_LANES)
        combgpu_batch_costs_put(costs, wide, i / most * COMBGPU__BATCH_SIDE + i % most,
                                combgpu_table_load(numbers, wide, 1 + i));
    *unit = 0;
    return numbers[0];
}

#ifdef COMBGPU__DOUBLES
/* The distance of two cities, as combgpu__batch_distances computes it. */
COMBGPU__DEVICE double combgpu_batch_costs_distance(uint32_t metric, double dx, double dy)
{
    double d, whole;
    dx = dx < 0 ? -dx : dx;
    dy = dy < 0 ? -dy : dy;
    if (metric == COMBGPU__BATCH_MAN_2D)
        d = COMBGPU__ADD(dx, dy);
    else if (metric == COMBGPU__BATCH_MAX_2D)
        d = dx > dy ? dx : dy;
    else {
        d = COMBGPU__ADD(COMBGPU__MULTIPLY(dx, dx), COMBGPU__MULTIPLY(dy, dy));
        if (metric == COMBGPU__BATCH_ATT) d = COMBGPU__DIVIDE(d, 10.0);
        d = COMBGPU__ROOT(d);
    }
    if (metric == COMBGPU__BATCH_PLANE) return d;
    whole = (double)(int64_t)(metric == COMBGPU__BATCH_CEIL_2D ? d : COMBGPU__ADD(d, 0.5));
    if (metric == COMBGPU__BATCH_CEIL_2D || metric == COMBGPU__BATCH_ATT)
        whole += whole < d ? 1.0 : 0.0;
    return whole;
}

/* As combgpu__tsp_cost, for a factor of 2^scale. */
COMBGPU__DEVICE uint64_t combgpu_batch_costs_cost(double weight, double factor)
{
    double units = COMBGPU__MULTIPLY(weight, factor);
    int64_t whole = (int64_t)units;
    return (uint64_t)whole + (units - (double)whole >= 0.5 ? 1u : 0u);
}

COMBGPU__DEVICE uint32_t combgpu_batch_costs_cities(COMBGPU__GLOBAL const uint32_t *tables,
                                                    uint32_t instance)
{
    uint64_t cities = combgpu_load64(tables + COMBGPU__BATCH_AT_CITIES);
    return cities ? tables[cities + instance] : tables[COMBGPU__BATCH_AT_N];
}

/* Computes the distances: of cities i > j at i (i - 1) / 2 + j. */
COMBGPU__DEVICE void combgpu_batch_costs_measure(COMBGPU__GLOBAL const uint32_t *tables,
                                                 uint32_t instance,
                                                 COMBGPU__LOCAL combgpu_batch_costs_t *costs)
{
    uint32_t n = tables[COMBGPU__BATCH_AT_N], own = combgpu_batch_costs_cities(tables, instance),
             single = tables[COMBGPU__BATCH_AT_SINGLE], metric = tables[COMBGPU__BATCH_AT_METRIC],
             i, j, pair;
    COMBGPU__GLOBAL const uint32_t *points = tables + COMBGPU__BATCH_AT_SUBSETS +
                                             (2u << tables[COMBGPU__BATCH_AT_MOST]) +
                                             2 * (2 - single) * n * (uint64_t)instance;
    for (pair = COMBGPU__LANE_ID; pair < own * (own - 1) / 2; pair += COMBGPU__BATCH_LANES) {
        double dx, dy;
        for (i = 1, j = pair; j >= i; i++)
            j -= i;
        if (single) {
            COMBGPU__GLOBAL const float *x = (COMBGPU__GLOBAL const float *)points;
            dx = (double)x[i] - (double)x[j];
            dy = (double)x[n + i] - (double)x[n + j];
        } else {
            COMBGPU__GLOBAL const double *x = (COMBGPU__GLOBAL const double *)points;
            dx = x[i] - x[j];
            dy = x[n + i] - x[n + j];
        }
        costs->pairs[pair] = COMBGPU__BITS_OF(combgpu_batch_costs_distance(metric, dx, dy));
    }
}

/* Chooses the unit of exact distances, 2^-scale, as combgpu__batch_unit does. */
COMBGPU__DEVICE int32_t combgpu_batch_costs_scale(COMBGPU__LOCAL const combgpu_batch_costs_t *costs,
                                                  uint32_t n)
{
    double largest = 0;
    uint64_t bits;
    uint32_t fractional = 0, pair;
    int32_t exponent;
    for (pair = 0; pair < n * (n - 1) / 2; pair++) {
        double weight = COMBGPU__DOUBLE_OF(costs->pairs[pair]);
        fractional |= weight < 4503599627370496.0 && weight != (double)(int64_t)weight;
        fractional |= weight > 9007199254740992.0;
        largest = weight > largest ? weight : largest;
    }
    bits = COMBGPU__BITS_OF(COMBGPU__MULTIPLY(largest, (double)(n + 1)));
    exponent = bits ? (int32_t)(bits >> 52) - 1022 : 0;
    return fractional || exponent > 62 ? 62 - exponent : 0;
}

/* The number of a city among the middle ones. */
COMBGPU__DEVICE uint32_t combgpu_batch_costs_middle(uint32_t city, uint32_t front, uint32_t back)
{
    if (city == front || city == back) return COMBGPU__NONE;
    return city - (city > front) - (city > back && back != front);
}

/* Makes costs of the distances. Returns the middle cities; *unit becomes the high word of the
   record's number. */
COMBGPU__DEVICE uint32_t combgpu_batch_costs_round(COMBGPU__GLOBAL const uint32_t *tables,
                                                   uint32_t instance,
                                                   COMBGPU__LOCAL combgpu_batch_costs_t *costs,
                                                   uint32_t *unit)
{
    uint32_t n = combgpu_batch_costs_cities(tables, instance),
             wide = tables[COMBGPU__BATCH_AT_WIDE], front = tables[COMBGPU__BATCH_AT_FRONT],
             back = tables[COMBGPU__BATCH_AT_BACK],
             m = n - (front != COMBGPU__NONE) - (back != COMBGPU__NONE && back != front), i, j,
             pair, side = COMBGPU__BATCH_SIDE;
    double factor = 1;
    *unit = 0;
    if (wide) {
        int32_t scale = combgpu_batch_costs_scale(costs, n);
        factor = COMBGPU__DOUBLE_OF((uint64_t)(uint32_t)(scale + 1023) << 52);
        *unit = 65536u | ((uint32_t)scale & 65535u);
    }
    for (pair = COMBGPU__LANE_ID; pair < n * (n - 1) / 2; pair += COMBGPU__BATCH_LANES) {
        double weight = COMBGPU__DOUBLE_OF(costs->pairs[pair]);
        uint64_t cost = wide ? combgpu_batch_costs_cost(weight, factor) : (uint64_t)weight;
        uint32_t a, b;
        for (i = 1, j = pair; j >= i; i++)
            j -= i;
        a = combgpu_batch_costs_middle(i, front, back);
        b = combgpu_batch_costs_middle(j, front, back);
        if (a != COMBGPU__NONE && b != COMBGPU__NONE) {
            combgpu_batch_costs_put(costs, wide, (2 + a) * side + b, cost);
            combgpu_batch_costs_put(costs, wide, (2 + b) * side + a, cost);
        } else if (a != COMBGPU__NONE || b != COMBGPU__NONE) {
            uint32_t city = a != COMBGPU__NONE ? a : b, fixed = a != COMBGPU__NONE ? j : i;
            if (fixed == front) combgpu_batch_costs_put(costs, wide, city, cost);
            if (fixed == back) combgpu_batch_costs_put(costs, wide, side + city, cost);
        } else if (!m)
            combgpu_batch_costs_put(costs, wide, 0, cost); /* of the only tour */
    }
    return m;
}
#else
/* The host only uses devices with doubles. */
COMBGPU__DEVICE void combgpu_batch_costs_measure(COMBGPU__GLOBAL const uint32_t *tables,
                                                 uint32_t instance,
                                                 COMBGPU__LOCAL combgpu_batch_costs_t *costs)
{
    (void)tables, (void)instance, (void)costs;
}

COMBGPU__DEVICE uint32_t combgpu_batch_costs_round(COMBGPU__GLOBAL const uint32_t *tables,
                                                   uint32_t instance,
                                                   COMBGPU__LOCAL combgpu_batch_costs_t *costs,
                                                   uint32_t *unit)
{
    (void)tables, (void)instance, (void)costs;
    *unit = 0;
    return 0;
}
#endif
