/* Estimates of magic squares, the C solver: counts the rest of orders 4 and 5, and adds up
   samples. */

/* The rest (estimate/plan.c). Half 0 is rows 0 and n-1 with columns 1 and n-2; half 1 is rows 1 and
   n-2 with columns 0 and n-1. */
typedef struct combgpu__magic_estimate_rest_cells {
    int width, most;             /* middle columns, 0 or 1; most: the largest sum of two numbers */
    int column[2][2], row[2][2]; /* sums that these lines need */
    uint32_t place[26];          /* the bit of a number that is left; else 0 */
    unsigned char count[51];     /* of pairs, by sum */
    combgpu__magic_estimate_two pairs[51][8];
} combgpu__magic_estimate_rest_cells;

COMBGPU__PRIVATE uint64_t combgpu__magic_estimate_rest_half(
    combgpu__magic_estimate_rest_cells *rest, uint32_t left, int half);

/* Counts the ways to fill the middle cells of a half's two rows, needing `first` and `second`. */
COMBGPU__PRIVATE uint64_t combgpu__magic_estimate_rest_rows(
    combgpu__magic_estimate_rest_cells *rest, uint32_t left, int half, int first, int second)
{
    if (first < 0 || second < 0 || first > rest->most || second > rest->most) return 0;
    if (rest->width == 0) {
        if (first || second) return 0;
        return half ? 1 : combgpu__magic_estimate_rest_half(rest, left, 1);
    }
    /* then the middle column has its sum */
    if (first > 25 || second > 25 || first == second) return 0;
    if (!(rest->place[first] & left) || !(rest->place[second] & left)) return 0;
    left &= ~(rest->place[first] | rest->place[second]);
    return half ? 1 : combgpu__magic_estimate_rest_half(rest, left, 1);
}

/* Counts the ways to fill a half and all that follows it. */
COMBGPU__PRIVATE uint64_t
combgpu__magic_estimate_rest_half(combgpu__magic_estimate_rest_cells *rest, uint32_t left, int half)
{
    const int *column = rest->column[half], *row = rest->row[half];
    uint64_t ways = 0;
    int i, k, turn;
    for (i = 0; i < rest->count[column[0]]; i++) {
        const combgpu__magic_estimate_two *a = &rest->pairs[column[0]][i];
        if (a->places & ~left) continue;
        for (k = 0; k < rest->count[column[1]]; k++) {
            const combgpu__magic_estimate_two *b = &rest->pairs[column[1]][k];
            uint32_t others = left & ~(uint32_t)a->places;
            if (b->places & ~others) continue;
            others &= ~(uint32_t)b->places;
            for (turn = 0; turn < 4; turn++) { /* which number of each pair is in the upper row */
                int x = turn & 1 ? a->high : a->low, y = turn & 2 ? b->high : b->low;
                ways += combgpu__magic_estimate_rest_rows(
                    rest, others, half, row[0] - x - y, row[1] - (column[0] - x) - (column[1] - y));
            }
        }
    }
    return ways;
}

/* Counts the ways to fill the rest with the numbers that are left. */
COMBGPU__PRIVATE uint64_t
combgpu__magic_estimate_rest_ways(combgpu__magic_estimate_rest_cells *rest, int n,
                                  combgpu__magic_estimate_numbers left, const int *need)
{
    unsigned char numbers[16];
    int count = 0, i, k;
    const int *columns = need + n;
    uint64_t set = left.lo, mirror = 0;
    rest->width = n - 4;
    rest->most = 2 * n * n;
    rest->row[0][0] = need[0], rest->row[0][1] = need[n - 1];
    rest->row[1][0] = need[1], rest->row[1][1] = need[n - 2];
    rest->column[0][0] = columns[1], rest->column[0][1] = columns[n - 2];
    rest->column[1][0] = columns[0], rest->column[1][1] = columns[n - 1];
    for (i = 0; i < 4; i++)
        if (rest->column[i / 2][i % 2] < 0 || rest->column[i / 2][i % 2] > rest->most) return 0;
    for (; left.lo; left.lo &= left.lo - 1)
        numbers[count++] = (unsigned char)combgpu__lowest_bit64(left.lo);
    for (i = 0; i < count; i++)
        mirror |= UINT64_C(1) << (63 - numbers[i]); /* sum - v: bit 63 - sum + v */
    for (i = 0; i < 4; i++) {                       /* quick test that every column has a pair */
        int sum = rest->column[i / 2][i % 2];
        uint64_t pairs = mirror >> (63 - sum);
        if (sum % 2 == 0) pairs &= ~(UINT64_C(1) << sum / 2);
        if (!(pairs & set)) return 0;
    }
    memset(rest->count, 0, (size_t)rest->most + 1);
    memset(rest->place, 0, sizeof rest->place);
    for (i = 0; i < count; i++) {
        rest->place[numbers[i]] = 1u << i;
        for (k = 0; k < i; k++) {
            int sum = numbers[i] + numbers[k];
            combgpu__magic_estimate_two *two = &rest->pairs[sum][rest->count[sum]++];
            two->places = (uint16_t)(1u << i | 1u << k);
            two->low = numbers[k];
            two->high = numbers[i];
        }
    }
    return combgpu__magic_estimate_rest_half(rest, (1u << count) - 1, 0);
}

/* A thread's work: the rest by its order. */
typedef union combgpu__magic_estimate_memory {
    combgpu__magic_estimate_rest_cells rest;
    combgpu__magic_estimate_outer outer;
} combgpu__magic_estimate_memory;

/* Returns sample `index`, the sum of its arrangements. */
COMBGPU__PRIVATE uint64_t combgpu__magic_estimate_sample(const uint32_t *tables,
                                                         combgpu__magic_estimate_memory *memory,
                                                         uint64_t index)
{
    uint64_t seed = combgpu__get64(tables + COMBGPU__ESTIMATE_AT_SEED);
    uint64_t key = combgpu__mix(seed + combgpu__mix(index));
    uint32_t draws = 0, words = COMBGPU__ESTIMATE_AT_PLAN, line;
    int n = (int)tables[COMBGPU__ESTIMATE_AT_ORDER], numbers = n * n, i;
    int scale = (int)tables[COMBGPU__ESTIMATE_AT_SCALE] - 65536;
    combgpu__magic_estimate_draw draw;
    draw.total = numbers * (numbers + 1) / 2;
    draw.unused.lo = numbers < 64 ? (UINT64_C(2) << numbers) - 2 : ~UINT64_C(1);
    draw.unused.hi = numbers < 64 ? 0 : (UINT64_C(2) << (numbers - 64)) - 1;
    draw.kept = 0;
    draw.chosen.mantissa = draw.choices.mantissa = 1;
    draw.chosen.exponent = draw.choices.exponent = 0;
    for (i = 0; i < COMBGPU__MAGIC_SLOTS; i++)
        draw.need[i] = (int)tables[COMBGPU__ESTIMATE_AT_SUM];
    for (line = 0; line < tables[COMBGPU__ESTIMATE_AT_LINES]; line++)
        if (!combgpu__magic_estimate_fill_line(&draw, tables, &words, key, &draws)) return 0;
    if (n > 5)
        return combgpu__magic_estimate_arrange(&memory->outer, n, &draw,
                                               combgpu__magic_estimate_random(key, draws + 1),
                                               tables[COMBGPU__ESTIMATE_AT_PICKS], scale);
    return combgpu__magic_estimate_weigh(
        &draw, combgpu__magic_estimate_rest_ways(&memory->rest, n, draw.unused, draw.need), scale);
}

/* Adds a sample and its powers to the totals. */
COMBGPU__PRIVATE void combgpu__magic_estimate_add_sample(combgpu__worker *worker, uint64_t index,
                                                         uint64_t value)
{
    uint64_t low = value & UINT32_MAX, high = value >> 32, middle = 2 * low * high, square, part;
    uint64_t *totals = worker->totals;
    totals[COMBGPU__ESTIMATE_HASH] += combgpu__mix(combgpu__mix(index) ^ value);
    totals[COMBGPU__ESTIMATE_TOO_LARGE] += value >> 60 != 0;
    if (!value || value >> 60) return; /* values below 2^60, so that `middle` has room */
    totals[COMBGPU__ESTIMATE_ADDED] += low;
    totals[COMBGPU__ESTIMATE_ADDED + 1] += high;
    totals[COMBGPU__ESTIMATE_SQUARES] += low * low & UINT32_MAX;
    totals[COMBGPU__ESTIMATE_SQUARES + 1] += (low * low >> 32) + (middle & UINT32_MAX);
    totals[COMBGPU__ESTIMATE_SQUARES + 2] += (middle >> 32) + (high * high & UINT32_MAX);
    totals[COMBGPU__ESTIMATE_SQUARES + 3] += high * high >> 32;
    value = value >> 42 ? (1u << 30) - 1 : value >> 12;
    square = value * value;
    low = square & UINT32_MAX, high = square >> 32, middle = 2 * low * high;
    part = (low * value >> 32) + high * value;
    totals[COMBGPU__ESTIMATE_CUBES] += low * value & UINT32_MAX;
    totals[COMBGPU__ESTIMATE_CUBES + 1] += part & UINT32_MAX;
    totals[COMBGPU__ESTIMATE_CUBES + 2] += part >> 32;
    totals[COMBGPU__ESTIMATE_FOURTHS] += low * low & UINT32_MAX;
    totals[COMBGPU__ESTIMATE_FOURTHS + 1] += (low * low >> 32) + (middle & UINT32_MAX);
    totals[COMBGPU__ESTIMATE_FOURTHS + 2] += (middle >> 32) + (high * high & UINT32_MAX);
    totals[COMBGPU__ESTIMATE_FOURTHS + 3] += high * high >> 32;
}

COMBGPU__PRIVATE int combgpu__magic_estimate_step(combgpu__worker *worker, void *memory,
                                                  uint64_t index)
{
    combgpu__magic_estimate_add_sample(
        worker, index,
        combgpu__magic_estimate_sample(worker->tables, (combgpu__magic_estimate_memory *)memory,
                                       index));
    return 1;
}

COMBGPU__PRIVATE void combgpu__magic_estimate_solve(combgpu__worker *worker)
{
    combgpu__magic_estimate_memory memory;
    combgpu__magic_range_solve(worker, &memory, combgpu__magic_estimate_step);
}
