/* Estimates from order 6 on: the ways to fill the rest in up to 8 arrangements at a time. Each has
   *joints*, a pair for column 0 and one for column n-1 that have no number in common, in all four
   orders of the sets in these columns. The rest is filled in stages with a queue between them, so
   that few lanes idle:

   tops:   a pair for column 1, one for column n-2, and which number of each is in row 0;
   firsts: a top with a pair for the middle of row 0 and one for the middle of row n-1;
   hits:   a first with a joint that has no number in common: then four numbers are left. */

/* A joint: its places | index in the list of column 0's pair << 16, of column n-1's << 24. If its
   pairs share a number, it has all places and fits nothing. */
#define COMBGPU__ESTIMATE_NO_JOINT 0xffffu

/* Pairs with one sum, combined with those of another: list indices of the next ones, and of their
   begin and end. */
typedef struct combgpu_estimate_both_t {
    uint32_t one, end, other, others, last;
} combgpu_estimate_both_t;

COMBGPU__DEVICE uint32_t combgpu_estimate_more(const combgpu_estimate_both_t *both)
{
    return both->one < both->end;
}

/* Returns all pairs of two sums, which combgpu_estimate_pairs has located. */
COMBGPU__DEVICE combgpu_estimate_both_t combgpu_estimate_both(uint32_t ones, uint32_t others)
{
    combgpu_estimate_both_t both;
    both.one = ones & 255;
    both.end = others >> 8 ? both.one + (ones >> 8) : 0;
    both.other = both.others = others & 255;
    both.last = both.other + (others >> 8);
    return both;
}

/* Takes the next pair of each; more must remain. Returns whether they and `used` are disjoint. */
COMBGPU__DEVICE uint32_t combgpu_estimate_both_next(
    COMBGPU__LOCAL const combgpu_estimate_bench_t *t, combgpu_estimate_both_t *both, uint32_t used,
    uint32_t *one, uint32_t *other)
{
    uint32_t clash;
    *one = t->pair[both->one];
    *other = t->pair[both->other++];
    clash = *one & used & 0xffff;
    if (clash || both->other == both->last) {
        both->other = both->others;
        both->one++;
    }
    return !(clash | (*other & (used | *one) & 0xffff));
}

/* A lane's work. */
typedef struct combgpu_estimate_stages_t {
    uint32_t from; /* the sample */
    /* of arrangement lane / 4: pairs for columns 1 and n-2, the sums; lane % 4 selects the number
       of each in row 0 */
    combgpu_estimate_both_t columns;
    uint32_t left, right;
    /* of a top: pairs for the middle of rows 0 and n-1; the places of the top; the arrangement */
    combgpu_estimate_both_t rows;
    uint32_t used, rows_pick;
    /* of a first: it, its arrangement, its joints to come; of 32 of them from `base` on, those that
       fit */
    uint32_t first, pick, joint, joints, base, fit;
    uint32_t item[2]; /* for a queue */
} combgpu_estimate_stages_t;

/* Lists the joints of arrangements `begin` to `end`, or of the first that fit, and prepares their
   columns. Returns where to go on. */
COMBGPU__DEVICE uint32_t combgpu_estimate_begin_joints(COMBGPU__GROUP_PARAMETER,
                                                       COMBGPU__LOCAL combgpu_estimate_bench_t *t,
                                                       combgpu_estimate_stages_t *s, uint32_t begin,
                                                       uint32_t end)
{
    const uint32_t lane = COMBGPU__GROUP_LANE, order = lane & 3;
    uint32_t upper = 0, lower = 0, pick = 0, up_to, own = 0, last, one, other;
    combgpu_estimate_both_t ends = combgpu_estimate_both(0, 0);
    if (begin + lane / 4 < end) {
        pick = t->pick[begin + lane / 4];
        upper = pick / 24, lower = pick / 4 % 6;
        one = combgpu_estimate_place(5 - upper, 5 - lower, order, 0);
        other = combgpu_estimate_place(5 - upper, 5 - lower, order, 1);
        ends = combgpu_estimate_both(
            combgpu_estimate_pairs(t, combgpu_estimate_need(t, s->from, 0, one)),
            combgpu_estimate_pairs(t, combgpu_estimate_need(t, s->from, 3, other)));
        if (combgpu_estimate_more(&ends)) own = (ends.end - ends.one) * (ends.last - ends.others);
    }
    /* at most 8 * 8 in an order, so two arrangements fit */
    up_to = combgpu_estimate_up_to(COMBGPU__GROUP, own);
    last = COMBGPU__POPCOUNT(COMBGPU__GROUP_BALLOT(up_to <= COMBGPU__ESTIMATE_JOINTS)) / 4;
    if (begin + last > end) last = end - begin;
    if (!order) t->begin[lane / 4] = up_to - own;
    if (lane == 31) t->begin[8] = up_to;
    s->columns = combgpu_estimate_both(0, 0);
    if (lane / 4 < last) {
        uint32_t to = up_to - own;
        while (combgpu_estimate_more(&ends)) {
            uint32_t pairs = ends.one << 16 | ends.other << 24;
            t->joint[to++] = combgpu_estimate_both_next(t, &ends, 0, &one, &other)
                                 ? pairs | ((one | other) & 0xffff)
                                 : COMBGPU__ESTIMATE_NO_JOINT;
        }
        s->left =
            combgpu_estimate_need(t, s->from, 1, combgpu_estimate_place(upper, lower, pick & 3, 0));
        s->right =
            combgpu_estimate_need(t, s->from, 2, combgpu_estimate_place(upper, lower, pick & 3, 1));
        s->columns = combgpu_estimate_both(combgpu_estimate_pairs(t, s->left),
                                           combgpu_estimate_pairs(t, s->right));
    }
    COMBGPU__WARP_BARRIER();
    if (lane / 4 < last && t->begin[lane / 4] == t->begin[lane / 4 + 1])
        s->columns = combgpu_estimate_both(0, 0);
    return begin + last;
}

/* Takes pairs for columns 1 and n-2 until rows 0 and n-1 may have pairs too. Returns whether they
   do: item is a top, its places | the sums of these pairs << 16, << 24, and the arrangement. */
COMBGPU__DEVICE uint32_t combgpu_estimate_next_top(COMBGPU__GROUP_PARAMETER,
                                                   COMBGPU__LOCAL const combgpu_estimate_bench_t *t,
                                                   combgpu_estimate_stages_t *s)
{
    while (combgpu_estimate_more(&s->columns)) {
        uint32_t one, other, x, y, top, bottom;
        if (!combgpu_estimate_both_next(t, &s->columns, 0, &one, &other)) continue;
        x = (one >> (COMBGPU__GROUP_LANE & 1 ? 24 : 16)) & 255;
        y = (other >> (COMBGPU__GROUP_LANE & 2 ? 24 : 16)) & 255;
        top = combgpu_estimate_drawn(t, COMBGPU__DRAWN_ROWS, s->from) - x - y;
        bottom = combgpu_estimate_drawn(t, COMBGPU__DRAWN_ROWS + 1, s->from) - (s->left - x) -
                 (s->right - y);
        if (!(combgpu_estimate_pairs(t, top) >> 8) || !(combgpu_estimate_pairs(t, bottom) >> 8))
            continue;
        s->item[0] = ((one | other) & 0xffff) | top << 16 | bottom << 24;
        s->item[1] = COMBGPU__GROUP_LANE / 4;
        return 1;
    }
    return 0;
}

/* Begins a top. */
COMBGPU__DEVICE void combgpu_estimate_take_top(COMBGPU__LOCAL const combgpu_estimate_bench_t *t,
                                               combgpu_estimate_stages_t *s, uint32_t at)
{
    uint32_t top = t->joint[COMBGPU__ESTIMATE_QUEUE(0, 0) + at];
    s->used = top & 0xffff;
    s->rows = combgpu_estimate_both(t->sums[(top >> 16) & 255], t->sums[top >> 24]);
    s->rows_pick = t->joint[COMBGPU__ESTIMATE_QUEUE(0, 1) + at];
}

/* Takes pairs for the middles of rows 0 and n-1 until they fit the top. Returns whether they do:
   item is a first, its places | sum of the differences of the pairs << 16 | difference of these <<
   24, and the arrangement. */
COMBGPU__DEVICE uint32_t combgpu_estimate_next_first(
    COMBGPU__LOCAL const combgpu_estimate_bench_t *t, combgpu_estimate_stages_t *s)
{
    while (combgpu_estimate_more(&s->rows)) {
        uint32_t one, other, a, b;
        if (!combgpu_estimate_both_next(t, &s->rows, s->used, &one, &other)) continue;
        a = (one >> 24) - ((one >> 16) & 255);
        b = (other >> 24) - ((other >> 16) & 255);
        s->item[0] =
            s->used | ((one | other) & 0xffff) | (a + b) << 16 | (a > b ? a - b : b - a) << 24;
        s->item[1] = s->rows_pick;
        return 1;
    }
    return 0;
}

/* Begins a first. */
COMBGPU__DEVICE void combgpu_estimate_take_first(COMBGPU__LOCAL const combgpu_estimate_bench_t *t,
                                                 combgpu_estimate_stages_t *s, uint32_t at)
{
    s->first = t->joint[COMBGPU__ESTIMATE_QUEUE(1, 0) + at];
    s->pick = t->joint[COMBGPU__ESTIMATE_QUEUE(1, 1) + at];
    s->joint = t->begin[s->pick];
    s->joints = t->begin[s->pick + 1];
}

/* Finds the next joint that fits the first. Returns whether one exists: item is a hit, the first,
   and the joint's place in the list | the arrangement << 16. */
COMBGPU__DEVICE uint32_t combgpu_estimate_next_hit(COMBGPU__LOCAL const combgpu_estimate_bench_t *t,
                                                   combgpu_estimate_stages_t *s)
{
    uint32_t bit;
    if (!s->fit && s->joint < s->joints) {
        s->base = s->joint;
        for (bit = 1; bit && s->joint < s->joints; bit <<= 1, s->joint++)
            if (!(t->joint[s->joint] & s->first & 0xffff)) s->fit |= bit;
    }
    if (!s->fit) return 0;
    s->item[0] = s->first;
    s->item[1] = (s->base + COMBGPU__CTZ(s->fit)) | s->pick << 16;
    s->fit &= s->fit - 1;
    return 1;
}

/* Returns the number of signs for which need +- c +- d +- a +- b is 0, where sum is a + b, above 0,
   and difference |a - b|. */
COMBGPU__DEVICE uint32_t combgpu_estimate_swaps(int32_t need, int32_t c, int32_t d, int32_t sum,
                                                int32_t difference)
{
    uint32_t ways = 0, i;
    for (i = 0; i < 4; i++) {
        int32_t e = need + (i & 1 ? c : -c) + (i & 2 ? d : -d);
        if (e < 0) e = -e;
        ways += (e == sum) + ((e == difference) << (difference == 0));
    }
    return ways;
}

/* Counts the ways in which row 1 takes one of the pairs (a, b) and (c, d), a < b, c < d, in its middle,
   and row n-2 the other, when row 1 needs one of these sums for it. */
COMBGPU__DEVICE uint32_t combgpu_estimate_pairing(uint32_t a, uint32_t b, uint32_t c, uint32_t d,
                                                  uint4 sums, int32_t need, uint32_t first)
{
    const uint32_t one = a + b, other = c + d;
    const uint32_t fits = (sums.x == one) + (sums.y == one) + (sums.z == one) + (sums.w == one) +
                          (sums.x == other) + (sums.y == other) + (sums.z == other) +
                          (sums.w == other);
    if (!fits) return 0;
    return fits * combgpu_estimate_swaps(need, (int32_t)(b - a), (int32_t)(d - c),
                                         (int32_t)((first >> 16) & 255), (int32_t)(first >> 24));
}

/* Counts the ways to fill rows 1 and n-2 in a hit. */
COMBGPU__DEVICE void combgpu_estimate_take_hit(COMBGPU__LOCAL combgpu_estimate_bench_t *t,
                                               const combgpu_estimate_stages_t *s, uint32_t begin,
                                               uint32_t at)
{
    const uint32_t first = t->joint[COMBGPU__ESTIMATE_QUEUE(2, 0) + at],
                   hit = t->joint[COMBGPU__ESTIMATE_QUEUE(2, 1) + at],
                   joint = t->joint[hit & 0xffff], left = 0xffff & ~(first | joint);
    const uint32_t left_pair = t->pair[(joint >> 16) & 255], right_pair = t->pair[joint >> 24],
                   low = (left_pair >> 16) & 255, high = left_pair >> 24;
    /* the four numbers left */
    const uint32_t three = left & (left - 1), two = three & (three - 1),
                   a = t->number[COMBGPU__CTZ(left)], b = t->number[COMBGPU__CTZ(three)],
                   c = t->number[COMBGPU__CTZ(two)], d = t->number[31 - COMBGPU__CLZ(left)];
    const int32_t need = (int32_t)combgpu_estimate_drawn(t, COMBGPU__DRAWN_DIFFERENCE, s->from);
    uint4 sums; /* that row 1 may need for its middle */
    uint32_t ways;
    sums.x =
        combgpu_estimate_drawn(t, COMBGPU__DRAWN_ROWS + 2, s->from) - ((right_pair >> 16) & 255);
    sums.z = combgpu_estimate_drawn(t, COMBGPU__DRAWN_ROWS + 2, s->from) - (right_pair >> 24);
    sums.y = sums.x - high;
    sums.x -= low;
    sums.w = sums.z - high;
    sums.z -= low;
    ways = combgpu_estimate_pairing(a, b, c, d, sums, need, first) +
           combgpu_estimate_pairing(a, c, b, d, sums, need, first) +
           combgpu_estimate_pairing(a, d, b, c, sums, need, first);
    if (ways) COMBGPU__LOCAL_ATOMIC_ADD(&t->ways[32 * (begin + (hit >> 16)) + s->from], ways);
}

/* Counts the ways of the arrangements from `begin` on for which combgpu_estimate_begin_joints has
   prepared the joints. Queues grow by at most 32 items, and only when they have less than 32. */
COMBGPU__DEVICE void combgpu_estimate_join(COMBGPU__GROUP_PARAMETER,
                                           COMBGPU__LOCAL combgpu_estimate_bench_t *t,
                                           combgpu_estimate_stages_t *s, uint32_t begin)
{
    const uint32_t lane = COMBGPU__GROUP_LANE;
    uint32_t tops = 0, firsts = 0, hits = 0, columns, rows = 0, joints = 0, goes_on;
    columns = COMBGPU__GROUP_ANY(combgpu_estimate_more(&s->columns));
    s->rows = combgpu_estimate_both(0, 0);
    s->joint = s->joints = s->fit = 0;
    do {
        uint32_t more = columns | tops | rows, found = 0, queue, take, lanes, working;
        if (hits >= 32 || (hits && !(more | firsts | joints))) {
            take = hits < 32 ? hits : 32;
            hits -= take;
            if (lane < take) combgpu_estimate_take_hit(t, s, begin, hits + lane);
            queue = 3;
            working = 0;
        } else if (joints || firsts >= 32 || (firsts && !more)) {
            if (!joints) {
                take = firsts < 32 ? firsts : 32;
                firsts -= take;
                if (lane < take) combgpu_estimate_take_first(t, s, firsts + lane);
            }
            found = combgpu_estimate_next_hit(t, s);
            working = s->fit | (s->joint < s->joints);
            queue = 2;
        } else if (rows || tops >= 32 || (tops && !columns)) {
            if (!rows) {
                take = tops < 32 ? tops : 32;
                tops -= take;
                if (lane < take) combgpu_estimate_take_top(t, s, tops + lane);
            }
            found = combgpu_estimate_next_first(t, s);
            working = combgpu_estimate_more(&s->rows);
            queue = 1;
        } else {
            found = combgpu_estimate_next_top(COMBGPU__GROUP, t, s);
            working = combgpu_estimate_more(&s->columns);
            queue = 0;
        }
        lanes = COMBGPU__GROUP_BALLOT(found);
        working = COMBGPU__GROUP_ANY(working);
        if (found) {
            COMBGPU__LOCAL uint32_t *to = t->joint + COMBGPU__ESTIMATE_QUEUE(queue, 0) +
                                          (queue == 0   ? tops
                                           : queue == 1 ? firsts
                                                        : hits) +
                                          COMBGPU__POPCOUNT(lanes & ((1u << lane) - 1));
            to[0] = s->item[0];
            to[COMBGPU__ESTIMATE_ITEMS] = s->item[1];
        }
        lanes = COMBGPU__POPCOUNT(lanes);
        if (queue == 0) columns = working, tops += lanes;
        if (queue == 1) rows = working, firsts += lanes;
        if (queue == 2) joints = working, hits += lanes;
        goes_on = columns | tops | rows | firsts | joints | hits;
        COMBGPU__WARP_BARRIER();
    } while (goes_on);
}

/* Counts the ways of all arrangements picked for sample `from`. Returns the sum of the likelihoods;
   0 = no way exists. */
COMBGPU__DEVICE uint32_t combgpu_estimate_arrange(COMBGPU__GROUP_PARAMETER,
                                                  COMBGPU__LOCAL combgpu_estimate_bench_t *t,
                                                  uint32_t from, uint32_t log_picks)
{
    combgpu_estimate_stages_t s;
    uint32_t all, begin = 0, next, end;
    combgpu_estimate_make_pairs(COMBGPU__GROUP, t, from);
    all = combgpu_estimate_likelihoods(COMBGPU__GROUP, t);
    combgpu_estimate_choose_picks(COMBGPU__GROUP, t, from, all, log_picks);
    s.from = from;
    for (end = all ? 1u << log_picks : 0; begin < end; begin = next) {
        next = combgpu_estimate_begin_joints(COMBGPU__GROUP, t, &s, begin, end);
        combgpu_estimate_join(COMBGPU__GROUP, t, &s, begin);
    }
    return all;
}
