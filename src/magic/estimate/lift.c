/* Estimates pandiagonal squares, and ultramagic ones of order 7, on the CPU, by lifting values from
   mod 2 to mod 64. */

/* The values of a square are its numbers less their mean: of order 7, -24 to 24, and every line
   adds up to 0. A *word* is a set of cells, bit i for cell i. *Plane* k of a square is the word of
   bit k of the values, in two's complement; the last plane has the signs. If the planes below k are
   known, then so is whether an even or odd part of plane k lies in a line: plane k is one word plus
   any *solution*, a word with an even part in every line. (Lines that follow from others mod 2
   follow from them over the integers, too: the rank is the same.)

   Cells with equal values mod 2^k are a *class*. The number of values in a class is known, as is
   how many of them have bit k set: of order 7 the classes have 49 values, then 25 and 24, 13 and
   three times 12, 7 and seven times 6, 4 and fifteen times 3, then 2 or 1. Whether such a part is
   even or odd is a *condition*, linear as the lines are. The words that satisfy all conditions are
   a coset of a space of solutions, of known size.

   A sample draws the first planes one by one: it walks through a part of that coset, 2^walk words
   from a random one on, and goes on from one of the words that split all classes in the right
   sizes. The weight is the number of such words divided by the share of the coset that was seen.
   From the next plane, of which it also walks through a part, it takes all words, and all that
   follow from them. The mean of their number times the weights is the number of squares. All
   weights are whole numbers, so samples are exact.

   Pandiagonal squares may be shifted across the edges: cell 0 gets value 0, and squares count
   n * n times. Of ultramagic ones the centre has value 0, and opposite cells are lines, too.

   Pandiagonal squares of order 7 have solutions in 23 dimensions, and these words left:

       plane                 0      1      2      3      4   5
       dimensions           23     22     19     16      7   0, but most often no word
       of these right     0.23   0.10  0.042  0.017  0.014

   64 words are tested together: a *vector* has bit j for word j of the 64, and each cell has its
   vector. Vectors of a class are added up bit by bit. */

#define COMBGPU__LIFT_PLANES 6
#define COMBGPU__LIFT_LINES 37   /* independent ones, at most */
#define COMBGPU__LIFT_CLASSES 32 /* mod 2^5, at most */
#define COMBGPU__LIFT_BASE 24    /* dimensions, at most */

/* The way to sample each kind and order. */
typedef struct combgpu__magic_estimate_lift_case {
    combgpu_magic_kind kind;
    int order;
    int drawn;                      /* planes */
    int walk[COMBGPU__LIFT_PLANES]; /* up to plane `drawn`: dimensions, at most */
    int scale;                      /* the mean of samples is about 2^(24 + scale) */
} combgpu__magic_estimate_lift_case;

/* The tables of a job. */
typedef struct combgpu__magic_estimate_lift {
    uint64_t cells; /* all */
    uint64_t fixed; /* the cell with value 0 */
    uint64_t line[COMBGPU__LIFT_LINES];
    uint64_t odd[COMBGPU__LIFT_LINES]; /* a word with an odd part in this line alone */
    uint64_t base[COMBGPU__LIFT_BASE]; /* of the solutions */
    uint32_t seed[2];
    int32_t lines, dimensions, planes, times;
    combgpu__magic_estimate_lift_case how;
    /* [k][2^l + r]: of the values that are r mod 2^l, those with bit k set; l <= k */
    unsigned char size[COMBGPU__LIFT_PLANES][1 << COMBGPU__LIFT_PLANES];
} combgpu__magic_estimate_lift;

/* Returns the way to sample squares of a kind and order; NULL if this file has none. */
COMBGPU__PRIVATE const combgpu__magic_estimate_lift_case *combgpu__magic_estimate_lift_find(
    int order, combgpu_magic_kind kind)
{
    static const combgpu__magic_estimate_lift_case cases[3] = {
        {COMBGPU_MAGIC_PANDIAGONAL, 5, 2, {4, 4, 4, 0, 0, 0}, -9},
        {COMBGPU_MAGIC_PANDIAGONAL, 7, 3, {8, 9, 10, 12, 0, 0}, 35},
        {COMBGPU_MAGIC_ULTRAMAGIC, 7, 3, {8, 9, 8, 8, 0, 0}, 3}};
    size_t i;
    for (i = 0; i < sizeof cases / sizeof cases[0]; i++)
        if (cases[i].order == order && cases[i].kind == kind) return &cases[i];
    return NULL;
}

/* Returns all ones if an odd number of cells is in the word, else 0. */
COMBGPU__INLINE uint64_t combgpu__magic_estimate_lift_odd(uint64_t word)
{
    return 0 - (uint64_t)combgpu__parity64(word);
}

/* Reduces a base to words with even parts in `cells`. Returns a word of the space with an odd part;
   0 if none has. */
COMBGPU__INLINE uint64_t combgpu__magic_estimate_lift_reduce(uint64_t *base, int *dimensions,
                                                             uint64_t cells)
{
    int i = 0, count = *dimensions;
    uint64_t pivot;
    while (i < count && !combgpu__magic_estimate_lift_odd(base[i] & cells))
        i++;
    if (i == count) return 0;
    pivot = base[i];
    base[i] = base[--count];
    for (; i < count; i++)
        base[i] ^= pivot & combgpu__magic_estimate_lift_odd(base[i] & cells);
    *dimensions = count;
    return pivot;
}

/* ---- tables */

COMBGPU__COLD_BEGIN
/* Adds a line, if it does not follow from those before. */
COMBGPU__PRIVATE void combgpu__magic_estimate_lift_add_line(combgpu__magic_estimate_lift *lift,
                                                            uint64_t *base, int *dimensions,
                                                            uint64_t cells)
{
    uint64_t pivot = combgpu__magic_estimate_lift_reduce(base, dimensions, cells);
    int i;
    if (!pivot || lift->lines == COMBGPU__LIFT_LINES) return;
    for (i = 0; i < lift->lines; i++)
        lift->odd[i] ^= pivot & combgpu__magic_estimate_lift_odd(lift->odd[i] & cells);
    lift->line[lift->lines] = cells;
    lift->odd[lift->lines++] = pivot;
}

COMBGPU__PRIVATE void combgpu__magic_estimate_lift_sizes(combgpu__magic_estimate_lift *lift,
                                                         int half)
{
    int k, l, value;
    for (lift->planes = 1; 1 << (lift->planes - 1) <= half; lift->planes++) {
    }
    for (k = 0; k < lift->planes; k++)
        for (l = 0; l <= k; l++)
            for (value = -half; value <= half; value++) {
                unsigned bits = (unsigned)(value + 1024);
                lift->size[k][(1u << l) + (bits & ((1u << l) - 1))] += bits >> k & 1;
            }
}

COMBGPU__PRIVATE combgpu_status combgpu__magic_estimate_lift_tables(
    combgpu_job *job, const combgpu__magic_estimate_lift_case *how, uint64_t seed)
{
    combgpu__magic_estimate_lift lift;
    combgpu__magic_state state;
    combgpu_magic_desc desc;
    combgpu_status status;
    uint64_t base[64];
    int i, k, dimensions;
    memset(&desc, 0, sizeof desc);
    memset(&state, 0, sizeof state);
    memset(&lift, 0, sizeof lift);
    desc.order = how->order;
    desc.kind = how->kind;
    status = combgpu__magic_validate(combgpu__context(job), &desc, &state);
    if (!status) status = combgpu__job_tables(job, sizeof lift / sizeof(uint32_t));
    if (status) return status;
    lift.how = *how;
    lift.cells = (UINT64_C(1) << state.cells) - 1;
    lift.times = how->kind == COMBGPU_MAGIC_PANDIAGONAL ? state.cells : 1;
    lift.fixed = UINT64_C(1) << (how->kind == COMBGPU_MAGIC_PANDIAGONAL ? 0 : state.cells / 2);
    for (dimensions = 0; dimensions < state.cells; dimensions++)
        base[dimensions] = UINT64_C(1) << dimensions;
    combgpu__magic_estimate_lift_add_line(&lift, base, &dimensions, lift.fixed);
    for (k = 0; k < state.line_count; k++) {
        uint64_t cells = 0;
        for (i = 0; i < state.lines[k].length; i++)
            cells |= UINT64_C(1) << state.lines[k].cells[i];
        combgpu__magic_estimate_lift_add_line(&lift, base, &dimensions, cells);
    }
    memcpy(lift.base, base, sizeof lift.base);
    lift.dimensions = dimensions;
    combgpu__magic_estimate_lift_sizes(&lift, state.cells / 2);
    combgpu__put64(lift.seed, seed);
    memcpy(combgpu__tables(job), &lift, sizeof lift);
    return COMBGPU_OK;
}
COMBGPU__COLD_END

/* ---- solver */

/* A walk through the words of a plane. */
typedef struct combgpu__magic_estimate_lift_walk {
    uint64_t base[COMBGPU__LIFT_BASE];
    uint64_t word;  /* the first of the 64 */
    uint64_t right; /* of the 64, those still to come */
    uint64_t
        vector[48]; /* of the cells of the classes that are counted, without the last of each */
    unsigned char cell[48], cells[COMBGPU__LIFT_CLASSES], wanted[COMBGPU__LIFT_CLASSES];
    int classes, vectors, dimensions, walked;
    uint32_t block;
} combgpu__magic_estimate_lift_walk;

/* A condition: whether the part of a plane in `cells` is even or odd is that of size[][index]. */
typedef struct combgpu__magic_estimate_lift_condition {
    uint64_t cells, pivot; /* pivot: has an odd part here, even ones in all before; 0 = none */
    uint32_t index;
} combgpu__magic_estimate_lift_condition;

/* The state before a plane is chosen. */
typedef struct combgpu__magic_estimate_lift_level {
    uint64_t base[COMBGPU__LIFT_BASE], class_of[COMBGPU__LIFT_CLASSES];
    int dimensions, classes, conditions;
    int need[COMBGPU__LIFT_LINES]; /* what the planes from here on add to lines, divided by 2^k */
    unsigned char residue[COMBGPU__LIFT_CLASSES];
} combgpu__magic_estimate_lift_level;

typedef struct combgpu__magic_estimate_lift_state {
    combgpu__magic_estimate_lift lift;
    combgpu__magic_estimate_lift_level level[COMBGPU__LIFT_PLANES];
    combgpu__magic_estimate_lift_walk walk[COMBGPU__LIFT_PLANES];
    combgpu__magic_estimate_lift_condition condition[COMBGPU__LIFT_CLASSES];
    uint64_t key;
    uint32_t draws;
} combgpu__magic_estimate_lift_state;

/* Keeps the words in which `wanted` of a class's cells are set: `count` vectors, and one that makes
   the sum even or odd as it must be. `bits` is a constant. */
COMBGPU__INLINE uint64_t combgpu__magic_estimate_lift_count(const uint64_t *vector, int count,
                                                            unsigned wanted, int bits)
{
    uint64_t sum[6] = {0, 0, 0, 0, 0, 0}, right = ~(uint64_t)0;
    int i, b;
    for (i = 0; i <= count; i++) {
        uint64_t carry = i < count ? vector[i] : sum[0] ^ (0 - (uint64_t)(wanted & 1)), next;
        for (b = 0; b < bits; b++) {
            next = sum[b] & carry;
            sum[b] ^= carry;
            carry = next;
        }
    }
    for (b = 1; b < bits; b++)
        right &= ~(sum[b] ^ (0 - (uint64_t)(wanted >> b & 1)));
    return right;
}

/* Tests 64 words. */
COMBGPU__PRIVATE uint64_t
combgpu__magic_estimate_lift_test(const combgpu__magic_estimate_lift_walk *walk)
{
    uint64_t right = walk->walked < 6 ? (UINT64_C(1) << (1 << walk->walked)) - 1 : ~(uint64_t)0;
    const uint64_t *vector = walk->vector;
    int k;
    for (k = 0; k < walk->classes; k++) {
        int count = walk->cells[k];
        right &= count == 2 ? combgpu__magic_estimate_lift_count(vector, 2, walk->wanted[k], 2)
                 : count < 7
                     ? combgpu__magic_estimate_lift_count(vector, count, walk->wanted[k], 3)
                     : combgpu__magic_estimate_lift_count(vector, count, walk->wanted[k], 6);
        vector += count;
    }
    return right;
}

/* Adds a class of which `wanted` cells are in the plane. */
COMBGPU__PRIVATE void combgpu__magic_estimate_lift_add_class(
    combgpu__magic_estimate_lift_walk *walk, uint64_t cells, int count, int wanted)
{
    static const uint64_t index[6] = {UINT64_C(0xaaaaaaaaaaaaaaaa), UINT64_C(0xcccccccccccccccc),
                                      UINT64_C(0xf0f0f0f0f0f0f0f0), UINT64_C(0xff00ff00ff00ff00),
                                      UINT64_C(0xffff0000ffff0000), UINT64_C(0xffffffff00000000)};
    int i, most = walk->walked < 6 ? walk->walked : 6;
    walk->wanted[walk->classes] = (unsigned char)wanted;
    walk->cells[walk->classes++] = (unsigned char)(count - 1);
    for (; count > 1; count--, cells &= cells - 1) {
        int cell = combgpu__lowest_bit64(cells);
        uint64_t vector = 0 - (walk->word >> cell & 1);
        for (i = 0; i < most; i++)
            vector ^= index[i] & (0 - (walk->base[i] >> cell & 1));
        walk->cell[walk->vectors] = (unsigned char)cell;
        walk->vector[walk->vectors++] = vector;
    }
}

/* Returns a word with the right parts in lines and in the cells of the conditions; all ones if none
   has. */
COMBGPU__PRIVATE uint64_t
combgpu__magic_estimate_lift_first(const combgpu__magic_estimate_lift_state *s, int k)
{
    const combgpu__magic_estimate_lift_level *level = &s->level[k];
    const unsigned char *size = s->lift.size[k];
    uint64_t word = 0, wrong;
    int i;
    for (i = 0; i < s->lift.lines; i++)
        word ^= s->lift.odd[i] & (0 - (uint64_t)(level->need[i] & 1));
    for (i = 0; i < level->conditions; i++) {
        const combgpu__magic_estimate_lift_condition *c = &s->condition[i];
        wrong = combgpu__magic_estimate_lift_odd(word & c->cells) ^
                (0 - (uint64_t)(size[c->index] & 1));
        if (wrong && !c->pivot) return ~(uint64_t)0;
        word ^= c->pivot & wrong;
    }
    return word;
}

/* Begins the walk through plane k. Returns 0 if no word has the right parts. */
COMBGPU__PRIVATE int combgpu__magic_estimate_lift_open(combgpu__magic_estimate_lift_state *s, int k)
{
    const combgpu__magic_estimate_lift_level *level = &s->level[k];
    combgpu__magic_estimate_lift_walk *walk = &s->walk[k];
    uint64_t counted[COMBGPU__LIFT_CLASSES], left, bit, pivot, draw;
    int i, classes = 0, count[COMBGPU__LIFT_CLASSES], wanted[COMBGPU__LIFT_CLASSES];
    walk->word = combgpu__magic_estimate_lift_first(s, k);
    if (walk->word == ~(uint64_t)0) return 0;
    walk->dimensions = level->dimensions;
    for (i = 0; i < level->dimensions; i++)
        walk->base[i] = level->base[i];
    for (i = 0; i < level->classes; i++) {
        counted[classes] = level->class_of[i] & ~s->lift.fixed;
        count[classes] = combgpu__popcount64(counted[classes]);
        wanted[classes] = s->lift.size[k][(1 << k) + level->residue[i]];
        if (wanted[classes] && wanted[classes] < count[classes]) {
            classes += count[classes] > 2; /* an odd part holds one of two */
            continue;
        }
        if (count[classes] < 2) continue;
        for (left = counted[classes]; left; left &= left - 1) { /* all or none */
            bit = left & (0 - left);
            pivot = combgpu__magic_estimate_lift_reduce(walk->base, &walk->dimensions, bit);
            if (!(walk->word & bit) == !wanted[classes]) continue;
            if (!pivot) return 0;
            walk->word ^= pivot;
        }
    }
    walk->walked = walk->dimensions;
    if (k <= s->lift.how.drawn && walk->walked > s->lift.how.walk[k]) {
        walk->walked = s->lift.how.walk[k];
        draw = combgpu__magic_estimate_random(s->key, ++s->draws);
        for (i = walk->walked; i < walk->dimensions; i++)
            walk->word ^= walk->base[i] & (0 - (draw >> i & 1));
    }
    walk->classes = walk->vectors = 0;
    for (i = 0; i < classes; i++)
        combgpu__magic_estimate_lift_add_class(walk, counted[i], count[i], wanted[i]);
    walk->block = 0;
    walk->right = combgpu__magic_estimate_lift_test(walk);
    return 1;
}

/* Writes the next word that splits all classes in the right sizes. Returns 0 at the end. */
COMBGPU__PRIVATE int combgpu__magic_estimate_lift_next(combgpu__magic_estimate_lift_walk *walk,
                                                       uint64_t *word)
{
    uint64_t base, found;
    int i, index;
    while (!walk->right) {
        if (walk->walked <= 6 || ++walk->block >> (walk->walked - 6)) return 0;
        base = walk->base[6 + combgpu__lowest_bit64(walk->block)];
        walk->word ^= base;
        for (i = 0; i < walk->vectors; i++)
            walk->vector[i] ^= 0 - (base >> walk->cell[i] & 1);
        walk->right = combgpu__magic_estimate_lift_test(walk);
    }
    index = combgpu__lowest_bit64(walk->right);
    walk->right &= walk->right - 1;
    found = walk->word;
    for (i = 0; index >> i; i++)
        found ^= walk->base[i] & (0 - (uint64_t)(index >> i & 1));
    *word = found;
    return 1;
}

/* Takes a word as plane k: the state before plane k + 1. */
COMBGPU__PRIVATE void combgpu__magic_estimate_lift_take(combgpu__magic_estimate_lift_state *s,
                                                        int k, uint64_t word)
{
    const combgpu__magic_estimate_lift_level *level = &s->level[k];
    combgpu__magic_estimate_lift_level *next = &s->level[k + 1];
    int i;
    for (i = 0; i < s->lift.lines; i++)
        next->need[i] = (level->need[i] - combgpu__popcount64(word & s->lift.line[i])) / 2;
    next->dimensions = level->dimensions;
    for (i = 0; i < level->dimensions; i++)
        next->base[i] = level->base[i];
    next->conditions = level->conditions;
    next->classes = 0;
    for (i = 0; i < level->classes; i++) {
        uint64_t part[2];
        int b, residue = level->residue[i];
        part[0] = level->class_of[i] & ~word;
        part[1] = level->class_of[i] & word;
        for (b = 0; b < 2; b++) {
            if (!part[b]) continue;
            next->class_of[next->classes] = part[b];
            next->residue[next->classes++] = (unsigned char)(residue | b << k);
        }
        if (part[0] && part[1]) { /* of the other part this follows */
            combgpu__magic_estimate_lift_condition *c = &s->condition[next->conditions++];
            c->cells = part[1];
            c->index = (2u << k) + ((uint32_t)residue | 1u << k);
            c->pivot = combgpu__magic_estimate_lift_reduce(next->base, &next->dimensions, part[1]);
        }
    }
}

/* Returns whether the signs make all lines 0. */
COMBGPU__INLINE int combgpu__magic_estimate_lift_is_square(
    const combgpu__magic_estimate_lift_state *s, int k, uint64_t signs)
{
    int i, wrong = 0;
    for (i = 0; i < s->lift.lines; i++)
        wrong |= s->level[k].need[i] + combgpu__popcount64(signs & s->lift.line[i]);
    return !wrong;
}

/* Draws a plane. Returns the number of words to choose from. */
COMBGPU__PRIVATE uint64_t combgpu__magic_estimate_lift_draw(combgpu__magic_estimate_lift_state *s,
                                                            int k)
{
    uint64_t word, chosen = 0, count = 0, draw;
    if (!combgpu__magic_estimate_lift_open(s, k)) return 0;
    while (combgpu__magic_estimate_lift_next(&s->walk[k], &word)) {
        draw = combgpu__magic_estimate_random(s->key, ++s->draws);
        if ((draw >> 32) * ++count >> 32 == 0) chosen = word;
    }
    if (count) combgpu__magic_estimate_lift_take(s, k, chosen);
    return count;
}

/* Counts the squares above the planes that were drawn. */
COMBGPU__PRIVATE uint64_t
combgpu__magic_estimate_lift_squares(combgpu__magic_estimate_lift_state *s)
{
    const int drawn = s->lift.how.drawn, last = s->lift.planes - 1;
    uint64_t word, found = 0;
    int k = drawn;
    if (!combgpu__magic_estimate_lift_open(s, k)) return 0;
    while (k >= drawn) {
        if (!combgpu__magic_estimate_lift_next(&s->walk[k], &word)) {
            k--;
        } else if (k == last) {
            found += (uint64_t)combgpu__magic_estimate_lift_is_square(s, k, word);
        } else {
            combgpu__magic_estimate_lift_take(s, k, word);
            k += combgpu__magic_estimate_lift_open(s, k + 1);
        }
    }
    return found;
}

/* Returns sample `index`, in units of 2^scale; UINT64_MAX if that is too large. */
COMBGPU__PRIVATE uint64_t combgpu__magic_estimate_lift_sample(combgpu__magic_estimate_lift_state *s,
                                                              uint64_t index)
{
    uint64_t value = 1;
    int k, shift = -s->lift.how.scale;
    s->key = combgpu__mix(combgpu__get64(s->lift.seed) + combgpu__mix(index));
    s->draws = 0;
    for (k = 0; k < s->lift.how.drawn; k++) {
        value *= combgpu__magic_estimate_lift_draw(s, k);
        if (!value) return 0;
        shift += s->walk[k].dimensions - s->walk[k].walked;
    }
    value *= combgpu__magic_estimate_lift_squares(s) * (uint64_t)s->lift.times;
    shift += s->walk[k].dimensions - s->walk[k].walked;
    if (!value) return 0;
    if (shift < 0) return shift < -62 ? 0 : ((value >> (-shift - 1)) + 1) >> 1;
    return shift > 62 || value >> (63 - shift) ? UINT64_MAX : value << shift;
}

COMBGPU__PRIVATE int combgpu__magic_lift_step(combgpu__worker *worker, void *memory,
                                              uint64_t number)
{
    combgpu__magic_estimate_lift_state *s = (combgpu__magic_estimate_lift_state *)memory;
    combgpu__magic_estimate_add_sample(worker, number,
                                       combgpu__magic_estimate_lift_sample(s, number));
    return 1;
}

COMBGPU__PRIVATE void combgpu__magic_lift_solve(combgpu__worker *worker)
{
    combgpu__magic_estimate_lift_state s;
    memcpy(&s.lift, worker->tables, sizeof s.lift);
    memcpy(s.level[0].base, s.lift.base, sizeof s.lift.base);
    memset(s.level[0].need, 0, sizeof s.level[0].need);
    s.level[0].dimensions = s.lift.dimensions;
    s.level[0].classes = 1;
    s.level[0].class_of[0] = s.lift.cells;
    s.level[0].residue[0] = 0;
    s.level[0].conditions = 0;
    combgpu__magic_range_solve(worker, &s, combgpu__magic_lift_step);
}
