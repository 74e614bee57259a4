/* Estimates of orders 4 and 5: counts the rest (see the picture in estimate/plan.c). Numbers are at
   most 25, so sets are words. */

typedef struct combgpu_estimate_rest_t {
    uint32_t width; /* middle columns */
    int32_t row0, row5, row1, column1, column4, column0, column5;
} combgpu_estimate_rest_t;

/* Returns the numbers of all pairs with a sum. */
COMBGPU__DEVICE uint32_t combgpu_estimate_halves(uint32_t left, int32_t sum)
{
    uint32_t pairs = 0, set;
    for (set = sum > 50 ? 0 : left; set; set &= set - 1) {
        int32_t other = sum - (int32_t)COMBGPU__CTZ(set);
        if (other > 0 && other < 32 && 2 * other != sum) pairs |= left & 1u << other;
    }
    return pairs;
}

/* Takes `sum`, for the middle cell of a row, out of the numbers left. Returns 0 if it is not there;
   without middle columns, if it is not 0. */
COMBGPU__DEVICE uint32_t combgpu_estimate_middle(const combgpu_estimate_rest_t *r, uint32_t *left,
                                                 int32_t sum)
{
    if (!r->width) return sum == 0;
    if (sum < 1 || sum > 25 || !((*left >> sum) & 1)) return 0;
    *left &= ~(1u << sum);
    return 1;
}

/* Counts the ways to fill rows 1 and n-2 with the numbers left. */
COMBGPU__DEVICE uint32_t combgpu_estimate_second(const combgpu_estimate_rest_t *r, uint32_t left)
{
    uint32_t first = combgpu_estimate_halves(left, r->column0), ways = 0;
    for (; first; first &= first - 1) {
        int32_t x = (int32_t)COMBGPU__CTZ(first), y;
        uint32_t others = left & ~(1u << x | 1u << (r->column0 - x));
        uint32_t second = combgpu_estimate_halves(others, r->column5);
        for (; second; second &= second - 1) {
            uint32_t middle;
            y = (int32_t)COMBGPU__CTZ(second);
            middle = others & ~(1u << y | 1u << (r->column5 - y));
            ways += combgpu_estimate_middle(r, &middle, r->row1 - x - y); /* the rest follows */
        }
    }
    return ways;
}

/* Counts the ways to fill the rest of order 4 or 5. */
COMBGPU__DEVICE uint32_t combgpu_estimate_rest(const combgpu_estimate_draw_t *draw, uint32_t n)
{
    combgpu_estimate_rest_t r;
    uint32_t left = (uint32_t)draw->unused.lo, first, second, ways = 0;
    r.width = n - 4;
    r.row0 = draw->need[0], r.row5 = draw->need[32 * (n - 1)], r.row1 = draw->need[32];
    r.column0 = draw->need[32 * n], r.column5 = draw->need[32 * (2 * n - 1)];
    r.column1 = draw->need[32 * (n + 1)], r.column4 = draw->need[32 * (2 * n - 2)];
    for (first = combgpu_estimate_halves(left, r.column1); first; first &= first - 1) {
        int32_t x = (int32_t)COMBGPU__CTZ(first), y;
        uint32_t others = left & ~(1u << x | 1u << (r.column1 - x));
        for (second = combgpu_estimate_halves(others, r.column4); second; second &= second - 1) {
            uint32_t middle;
            y = (int32_t)COMBGPU__CTZ(second);
            middle = others & ~(1u << y | 1u << (r.column4 - y));
            if (combgpu_estimate_middle(&r, &middle, r.row0 - x - y) &&
                combgpu_estimate_middle(&r, &middle, r.row5 - r.column1 + x - r.column4 + y))
                ways += combgpu_estimate_second(&r, middle);
        }
    }
    return ways;
}
