/* The join of order 5 where lanes exchange registers: a half becomes sets, a set becomes squares, in
   one lane each. */
#ifdef COMBGPU_SHUFFLE
#define COMBGPU__MAGIC_ALL_NUMBERS 0x3fffffeu

/* A lane's half, one of its first corners, and the choices left. */
typedef struct combgpu_five_half_t {
    uint32_t first, second; /* choices of c, of d for this c */
    uint32_t all;           /* choices of d for any c | place of x << 26 */
    uint32_t rests, ends;   /* as on the stack */
    uint32_t way;           /* << 26 */
    uint32_t right, bottom; /* of the rests */
    uint32_t one, two;      /* 63 less sums of the other ring's middles, but c and d */
    uint32_t c, left;       /* numbers left */
} combgpu_five_half_t;

COMBGPU__DEVICE void combgpu_five_half_take(COMBGPU__LOCAL const combgpu_five_ring_t *r,
                                            uint32_t at, uint32_t centre, combgpu_five_half_t *h)
{
    const uint4 item = r->halves[at];
    /* the four rests add up to the sum of the sides, 130 + 2 centre, less twice x and z */
    const uint32_t corners = (((item.z * 0x01010101u) >> 24) + 2 * centre + 130 - 252) >> 1;
    h->first = item.x & COMBGPU__MAGIC_ALL_NUMBERS;
    h->way = item.x & ~COMBGPU__MAGIC_ALL_NUMBERS;
    h->all = item.y, h->rests = item.z, h->ends = item.w;
    h->right = (item.z >> 16) & 255, h->bottom = item.z >> 24;
    h->one = 63 - corners - r->way[item.x >> 26].w;
    h->two = 126 + 4 * centre - 2 * corners - h->one;
}

/* Takes the next c. */
COMBGPU__DEVICE void combgpu_five_half_first(uint32_t unused, combgpu_five_half_t *h)
{
    const uint32_t c = combgpu_five_greatest(h->first);
    uint32_t reversed;
    h->first ^= 1u << c;
    h->left = unused & ~(h->ends | 1u << c | 1u << (63 - (h->rests & 255) - c) |
                         1u << (63 - ((h->rests >> 8) & 255) - c));
    reversed = combgpu_five_reverse(h->left);
    h->second = h->all & h->left & combgpu_five_image(reversed, h->right) &
                combgpu_five_image(reversed, h->bottom);
    h->c = c;
}

/* Returns the numbers of a set, given in both orders, with a partner that completes 63 - shift. */
COMBGPU__DEVICE uint32_t combgpu_five_pairs(uint32_t set, uint32_t reversed, uint32_t shift)
{
    return set & combgpu_five_image(reversed, shift) & ~((shift & 1) << (((63 - shift) >> 1) & 31));
}

/* Takes the next d. Returns nonzero if the other ring may have the numbers left, and the entry for
   the stack. */
COMBGPU__DEVICE uint32_t combgpu_five_half_second(combgpu_five_half_t *h, const uint32_t list,
                                                  uint4 *set)
{
    const uint32_t d = combgpu_five_greatest(h->second);
    const uint32_t one = h->one - h->c - d, two = h->two - h->c - d;
    uint32_t left = h->left ^ (1u << d | 1u << (63 - h->right - d) | 1u << (63 - h->bottom - d));
    uint32_t reversed = combgpu_five_reverse(left);
    h->second ^= 1u << d;
    (*set).x = combgpu_five_pairs(left, reversed, one);
    (*set).y = combgpu_five_pairs(left, reversed, two);
    (*set).z = left | h->way;
    (*set).w = one | two << 6;
    if (list) (*set).w |= (h->all >> 26) << 12 | (h->ends >> 26) << 16 | h->c << 20 | d << 25;
    return (*set).x && (*set).y;
}

/* A lane's set for the other ring. */
typedef struct combgpu_five_set_t {
    uint32_t ones, twos, set, code; /* as on the stack; the pairs not yet taken */
    uint32_t other;                 /* 63 less the sums of top and left, a byte each */
    uint32_t two, pair;             /* a middle, it and the opposite one */
    uint32_t rest;                  /* left and right middles for these */
} combgpu_five_set_t;

COMBGPU__DEVICE void combgpu_five_set_take(COMBGPU__LOCAL const combgpu_five_ring_t *r, uint32_t at,
                                           combgpu_five_set_t *s)
{
    const uint4 set = r->sets[at];
    s->ones = set.x, s->twos = set.y, s->set = set.z, s->code = set.w;
    s->other = r->way[set.z >> 26].z;
}

/* Takes the next pair of top and bottom middles, in one order. */
COMBGPU__DEVICE void combgpu_five_set_pair(combgpu_five_set_t *s)
{
    s->two = combgpu_five_greatest(s->twos);
    s->pair = 1u << s->two | 1u << (63 - ((s->code >> 6) & 63) - s->two);
    s->twos ^= s->pair;
    s->rest =
        s->ones & ~(s->pair | combgpu_five_image(combgpu_five_reverse(s->pair), s->code & 63));
}

/* The four corners of the other ring, with both pairs of middles given. */
typedef struct combgpu_five_corners_t {
    uint32_t corners, choices; /* of t1 */
    uint32_t top[2], left[2];  /* 63 less what the middle leaves of these sums, in either order */
} combgpu_five_corners_t;

/* Takes the next pair of left and right middles. */
COMBGPU__DEVICE void combgpu_five_set_corners(combgpu_five_set_t *s, combgpu_five_corners_t *k)
{
    const uint32_t one = combgpu_five_greatest(s->rest), opposite = 63 - (s->code & 63) - one;
    const uint32_t pair = 1u << one | 1u << opposite;
    uint32_t reversed;
    s->rest ^= pair;
    k->corners = (s->set & COMBGPU__MAGIC_ALL_NUMBERS) ^ s->pair ^ pair;
    reversed = combgpu_five_reverse(k->corners);
    k->top[0] = (s->other & 255) + s->two;
    k->top[1] = (s->other & 255) + 63 - ((s->code >> 6) & 63) - s->two;
    k->left[0] = (s->other >> 8) + one;
    k->left[1] = (s->other >> 8) + opposite;
    k->choices =
        k->corners &
        (combgpu_five_image(reversed, k->top[0]) | combgpu_five_image(reversed, k->top[1])) &
        (combgpu_five_image(reversed, k->left[0]) | combgpu_five_image(reversed, k->left[1]));
}

/* Takes the next t1. Returns which of the four orders of the middles make a square with it, as bits,
   and the sets of t3 and b1: t3[i & 1], b1[i >> 1] belong to bit i. */
COMBGPU__DEVICE uint32_t combgpu_five_corners_next(combgpu_five_corners_t *k, uint32_t *t1,
                                                   uint32_t t3[2], uint32_t b1[2])
{
    const uint32_t n = combgpu_five_greatest(k->choices), some = k->choices != 0;
    const uint32_t reversed = some ? 0x80000000u >> n : 0;
    uint32_t others, i, squares = 0;
    *t1 = some ? 1u << n : 0;
    others = k->corners ^ *t1;
    k->choices ^= *t1;
    for (i = 0; i < 2; i++) {
        t3[i] = others & combgpu_five_image(reversed, k->top[i]);
        b1[i] = others & combgpu_five_image(reversed, k->left[i]);
    }
    for (i = 0; i < 4; i++)
        squares |= (uint32_t)(t3[i & 1] && b1[i >> 1] && t3[i & 1] != b1[i >> 1]) << i;
    return squares;
}
#endif
