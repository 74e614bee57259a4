/* Counts associative squares of order 7 in parts: a block of lanes takes steps.

   seven/associative.c explains the method and its words: size, frame, signing, filling, gap, again, batch,
   fits. The teams of a block (32 lanes each with shuffles, else the whole block) share the
   splittings of a batch: a team lists the fillings of rows 0 and 1, then a lane takes fillings of
   row 1 and joins them with those of row 0. Lanes that read the same filling of row 0 read words of
   the table 25 apart, so in different banks. */

#define COMBGPU__ASSOCIATIVE_LANES 256
#ifdef COMBGPU_SHUFFLE
#define COMBGPU__ASSOCIATIVE_TEAM 32
#define COMBGPU__ASSOCIATIVE_TEAM_ID (COMBGPU__LANE_ID / 32)
#define COMBGPU__ASSOCIATIVE_TEAM_LANE (COMBGPU__LANE_ID % 32)
#define COMBGPU__ASSOCIATIVE_BARRIER() COMBGPU__WARP_BARRIER()
#else
#define COMBGPU__ASSOCIATIVE_TEAM COMBGPU__ASSOCIATIVE_LANES
#define COMBGPU__ASSOCIATIVE_TEAM_ID                                                               \
    0 /* a constant: loops with barriers are the same in all lanes */
#define COMBGPU__ASSOCIATIVE_TEAM_LANE COMBGPU__LANE_ID
#define COMBGPU__ASSOCIATIVE_BARRIER() COMBGPU__BLOCK_BARRIER()
#endif
#define COMBGPU__ASSOCIATIVE_TEAMS (COMBGPU__ASSOCIATIVE_LANES / COMBGPU__ASSOCIATIVE_TEAM)

/* Local memory, offsets in words. */
enum {
    COMBGPU__ASSOCIATIVE_FITS =
        0, /* [column][parity of row 0's gap][code of row 1's][of row 0's] */
    COMBGPU__ASSOCIATIVE_BITS = COMBGPU__ASSOCIATIVE_FITS + 3 * 2 * 25 * 25, /* [column][gap] */
    COMBGPU__ASSOCIATIVE_LISTED = COMBGPU__ASSOCIATIVE_BITS + 3 * 128,       /* again, by column */
    COMBGPU__ASSOCIATIVE_NUMBER =
        COMBGPU__ASSOCIATIVE_LISTED + 3, /* sizes of rows 0, 1; of row 2 */
    COMBGPU__ASSOCIATIVE_COLUMN = COMBGPU__ASSOCIATIVE_NUMBER + 18, /* the frame's */
    COMBGPU__ASSOCIATIVE_ROW = COMBGPU__ASSOCIATIVE_COLUMN + 3,
    COMBGPU__ASSOCIATIVE_WAYS = COMBGPU__ASSOCIATIVE_ROW + 3,   /* pairings */
    COMBGPU__ASSOCIATIVE_STEP = COMBGPU__ASSOCIATIVE_WAYS + 90, /* two words */
    COMBGPU__ASSOCIATIVE_CONTINUES = COMBGPU__ASSOCIATIVE_STEP + 2,
    COMBGPU__ASSOCIATIVE_SQUARES = COMBGPU__ASSOCIATIVE_CONTINUES + 1, /* two words */
    COMBGPU__ASSOCIATIVE_SPLITTINGS = COMBGPU__ASSOCIATIVE_SQUARES + 2,
    COMBGPU__ASSOCIATIVE_BATCHES = COMBGPU__ASSOCIATIVE_SPLITTINGS + 1,
    COMBGPU__ASSOCIATIVE_BATCH = COMBGPU__ASSOCIATIVE_BATCHES + 1, /* parities | first << 3 */
    COMBGPU__ASSOCIATIVE_LAST = COMBGPU__ASSOCIATIVE_BATCH + 24,   /* row 2: counts, ends, codes */
    COMBGPU__ASSOCIATIVE_SPLIT = COMBGPU__ASSOCIATIVE_LAST + 16 + COMBGPU__ASSOCIATIVE_ROOM / 2,
    COMBGPU__ASSOCIATIVE_TEAM_AT = COMBGPU__ASSOCIATIVE_SPLIT + COMBGPU__ASSOCIATIVE_HALVES / 2
};
/* A team's. Row 0's come first, then row 1's; codes have 16 bits. */
enum {
    COMBGPU__ASSOCIATIVE_COUNT = 0, /* fillings, by parities */
    COMBGPU__ASSOCIATIVE_END = 16,  /* of those in the list */
    COMBGPU__ASSOCIATIVE_SIGNINGS = 32,
    COMBGPU__ASSOCIATIVE_SIGN = 34, /* bits of the values with minus, 4 words each */
    COMBGPU__ASSOCIATIVE_SIZE = 42,
    COMBGPU__ASSOCIATIVE_PAIR =
        54, /* [signing][pair]: code, parity, whether it is again by column */
    COMBGPU__ASSOCIATIVE_CODES = COMBGPU__ASSOCIATIVE_PAIR + 2 * 4 * 15,
    COMBGPU__ASSOCIATIVE_TEAM_WORDS = COMBGPU__ASSOCIATIVE_CODES + COMBGPU__ASSOCIATIVE_ROOM
};
#define COMBGPU__ASSOCIATIVE_LOCAL                                                                 \
    (COMBGPU__ASSOCIATIVE_TEAM_AT + COMBGPU__ASSOCIATIVE_TEAMS * COMBGPU__ASSOCIATIVE_TEAM_WORDS)

/* Element n of a set. */
COMBGPU__DEVICE uint32_t combgpu_seven_associative_nth(uint32_t set, uint32_t n)
{
    for (; n; n--)
        set &= set - 1;
    return COMBGPU__CTZ(set);
}

/* ---- a step, by all lanes */

/* Lane 0: the sizes of the frame, of rows 0 and 1 together and of row 2. */
COMBGPU__DEVICE void combgpu_seven_associative_frame(COMBGPU__GLOBAL const uint32_t *tables,
                                                     COMBGPU__LOCAL uint32_t *scratch,
                                                     uint64_t step)
{
    const uint64_t unit = step * COMBGPU__ASSOCIATIVE_STRIDE % COMBGPU__ASSOCIATIVE_STEPS;
    const uint32_t set = tables[COMBGPU__ASSOCIATIVE_AT_SET + unit % COMBGPU__ASSOCIATIVE_SETS];
    const uint32_t six = tables[COMBGPU__ASSOCIATIVE_AT_FRAME + unit / COMBGPU__ASSOCIATIVE_SETS];
    uint32_t size, of_six = 0, of_rest = 0, column = COMBGPU__ASSOCIATIVE_COLUMN,
                   row = COMBGPU__ASSOCIATIVE_ROW, rest = COMBGPU__ASSOCIATIVE_NUMBER,
                   last = COMBGPU__ASSOCIATIVE_NUMBER + 12;
    for (size = 1; size <= 24; size++) {
        if ((six >> (size - 1)) & 1) {
            scratch[((six >> 24 << 1 | 1) >> of_six++) & 1 ? column++ : row++] = size;
            continue;
        }
        scratch[(set >> of_rest++) & 1 ? last++ : rest++] = size;
    }
    scratch[COMBGPU__ASSOCIATIVE_SPLITTINGS] = scratch[COMBGPU__ASSOCIATIVE_BATCHES] = 0;
    scratch[COMBGPU__ASSOCIATIVE_SQUARES] = scratch[COMBGPU__ASSOCIATIVE_SQUARES + 1] = 0;
}

/* Lists the batches of the fillings of row 2, which team 0 has listed as row 0's, and the splittings
   with the right parities. */
COMBGPU__DEVICE void combgpu_seven_associative_open(COMBGPU__GLOBAL const uint32_t *tables,
                                                    COMBGPU__LOCAL uint32_t *scratch)
{
    COMBGPU__LOCAL const uint32_t *team = scratch + COMBGPU__ASSOCIATIVE_TEAM_AT;
    COMBGPU__LOCAL uint32_t *last = scratch + COMBGPU__ASSOCIATIVE_LAST;
    COMBGPU__LOCAL uint16_t *split =
        (COMBGPU__LOCAL uint16_t *)(scratch + COMBGPU__ASSOCIATIVE_SPLIT);
    const uint32_t lane = COMBGPU__LANE_ID;
    uint32_t i, odd = 0;
    for (i = lane; i < COMBGPU__ASSOCIATIVE_ROOM; i += COMBGPU__ASSOCIATIVE_LANES)
        ((COMBGPU__LOCAL uint16_t *)(last + 16))[i] =
            ((COMBGPU__LOCAL const uint16_t *)(team + COMBGPU__ASSOCIATIVE_CODES))[i];
    if (lane < 8) {
        last[lane] = team[COMBGPU__ASSOCIATIVE_COUNT + lane];
        last[8 + lane] = team[COMBGPU__ASSOCIATIVE_END + lane];
        for (i = 0; i < last[lane]; i += 32)
            scratch[COMBGPU__ASSOCIATIVE_BATCH +
                    COMBGPU__LOCAL_ATOMIC_ADD(&scratch[COMBGPU__ASSOCIATIVE_BATCHES], 1)] =
                lane | i << 3;
    }
    for (i = 0; i < 12; i++)
        odd |= (scratch[COMBGPU__ASSOCIATIVE_NUMBER + i] & 1) << i;
    for (i = lane; i < COMBGPU__ASSOCIATIVE_HALVES; i += COMBGPU__ASSOCIATIVE_LANES) {
        const uint32_t upper = tables[COMBGPU__ASSOCIATIVE_AT_HALF + i];
        if ((COMBGPU__POPCOUNT(upper & odd) ^ scratch[COMBGPU__ASSOCIATIVE_COLUMN]) & 1) continue;
        split[COMBGPU__LOCAL_ATOMIC_ADD(&scratch[COMBGPU__ASSOCIATIVE_SPLITTINGS], 1)] =
            (uint16_t)upper;
    }
}

/* Makes the bits of a batch: up to 32 fillings of row 2 with these parities, from `from` on. */
COMBGPU__DEVICE void combgpu_seven_associative_batch(COMBGPU__LOCAL uint32_t *scratch,
                                                     uint32_t parities, uint32_t from)
{
    COMBGPU__LOCAL const uint32_t *last = scratch + COMBGPU__ASSOCIATIVE_LAST;
    COMBGPU__LOCAL const uint16_t *codes = (COMBGPU__LOCAL const uint16_t *)(last + 16);
    const uint32_t lane = COMBGPU__LANE_ID;
    uint32_t i, j;
    for (i = lane; i < 3 * 128 + 3; i += COMBGPU__ASSOCIATIVE_LANES)
        scratch[COMBGPU__ASSOCIATIVE_BITS + i] = 0;
    COMBGPU__LOCAL_BARRIER();
    if (lane < 32 && from + lane < last[parities]) {
        const uint32_t filling = codes[last[8 + parities] - last[parities] + from + lane];
        for (j = 0; j < 3; j++) {
            const uint32_t code = (filling >> (5 * j)) & 31;
            const uint32_t gap = 128 * j + 2 * code + ((parities >> j) & 1);
            COMBGPU__LOCAL_ATOMIC_OR(
                &scratch[code == COMBGPU__ASSOCIATIVE_AGAIN ? COMBGPU__ASSOCIATIVE_LISTED + j
                                                            : COMBGPU__ASSOCIATIVE_BITS + gap],
                1u << lane);
        }
    }
    COMBGPU__LOCAL_BARRIER();
}

/* Makes the table of a batch. */
COMBGPU__DEVICE void combgpu_seven_associative_fits(COMBGPU__LOCAL uint32_t *scratch,
                                                    uint32_t parities)
{
    uint32_t at;
    for (at = COMBGPU__LANE_ID; at < 3 * 2 * 25 * 25; at += COMBGPU__ASSOCIATIVE_LANES) {
        const uint32_t j = at / 1250, p = at / 625 % 2, one = at / 25 % 25, zero = at % 25;
        COMBGPU__LOCAL const uint32_t *bits = scratch + COMBGPU__ASSOCIATIVE_BITS + 128 * j;
        const int32_t m = (int32_t)scratch[COMBGPU__ASSOCIATIVE_ROW + j];
        const int32_t x = (int32_t)(2 * zero + p);
        const int32_t y = (int32_t)(2 * one + ((p + (parities >> j) + (uint32_t)m) & 1));
        uint32_t fits;
        if (zero == COMBGPU__ASSOCIATIVE_AGAIN)
            fits = one == COMBGPU__ASSOCIATIVE_AGAIN || y == m ? 0 : bits[y];
        else if (one == COMBGPU__ASSOCIATIVE_AGAIN)
            fits = bits[x];
        else
            fits = bits[abs(x + y - m)] | bits[abs(x - y - m)] | bits[abs(x - y + m)] |
                   bits[x + y + m] | (x == y ? scratch[COMBGPU__ASSOCIATIVE_LISTED + j] : 0);
        scratch[COMBGPU__ASSOCIATIVE_FITS + at] = fits;
    }
    COMBGPU__LOCAL_BARRIER();
}

/* ---- fillings of two rows, by a team */

/* The signings of both rows, whose sizes are sets of NUMBER. */
COMBGPU__DEVICE void combgpu_seven_associative_sign(COMBGPU__LOCAL const uint32_t *scratch,
                                                    COMBGPU__LOCAL uint32_t *team, uint32_t set0,
                                                    uint32_t column0, uint32_t set1,
                                                    uint32_t column1)
{
    const uint32_t lane = COMBGPU__ASSOCIATIVE_TEAM_LANE;
    uint32_t i, k;
    if (lane < 12)
        team[COMBGPU__ASSOCIATIVE_SIZE + lane] =
            scratch[COMBGPU__ASSOCIATIVE_NUMBER +
                    combgpu_seven_associative_nth(lane < 6 ? set0 : set1, lane % 6)];
    if (lane < 16) team[COMBGPU__ASSOCIATIVE_COUNT + lane] = 0;
    if (lane < 2) team[COMBGPU__ASSOCIATIVE_SIGNINGS + lane] = 0;
    COMBGPU__ASSOCIATIVE_BARRIER();
    for (i = lane; i < 128; i += COMBGPU__ASSOCIATIVE_TEAM) {
        const uint32_t row = i / 64;
        uint32_t sum = row ? column1 : column0, minus = 0;
        for (k = 0; k < 6; k++) {
            const uint32_t size = team[COMBGPU__ASSOCIATIVE_SIZE + 6 * row + k];
            sum += size;
            if ((i >> k) & 1) minus += size;
        }
        if (2 * minus == sum)
            team[COMBGPU__ASSOCIATIVE_SIGN + 4 * row +
                 COMBGPU__LOCAL_ATOMIC_ADD(&team[COMBGPU__ASSOCIATIVE_SIGNINGS + row], 1)] = i % 64;
    }
    COMBGPU__ASSOCIATIVE_BARRIER();
}

/* Computes what the pairs of each signing add to fillings. */
COMBGPU__DEVICE void combgpu_seven_associative_pairs(COMBGPU__LOCAL const uint32_t *scratch,
                                                     COMBGPU__LOCAL uint32_t *team)
{
    uint32_t i, j;
    for (i = COMBGPU__ASSOCIATIVE_TEAM_LANE; i < 120; i += COMBGPU__ASSOCIATIVE_TEAM) {
        const uint32_t row = i / 60, signing = i / 15 % 4, pair = i % 15;
        const uint32_t v = pair < 1 ? 1 : pair < 3 ? 2 : pair < 6 ? 3 : pair < 10 ? 4 : 5;
        const uint32_t u = pair - v * (v - 1) / 2;
        const uint32_t x = team[COMBGPU__ASSOCIATIVE_SIZE + 6 * row + u];
        const uint32_t y = team[COMBGPU__ASSOCIATIVE_SIZE + 6 * row + v]; /* above x */
        uint32_t signs, gap, word;
        if (signing >= team[COMBGPU__ASSOCIATIVE_SIGNINGS + row]) continue;
        signs = team[COMBGPU__ASSOCIATIVE_SIGN + i / 15];
        gap = ((signs >> u) ^ (signs >> v)) & 1 ? y + x : y - x;
        word = gap >> 1 | (gap & 1) << 5;
        for (j = 0; j < 3; j++)
            word |= (gap == scratch[COMBGPU__ASSOCIATIVE_ROW + j] ? 64u : 0u) << j;
        team[COMBGPU__ASSOCIATIVE_PAIR + i] = word;
    }
    COMBGPU__ASSOCIATIVE_BARRIER();
}

/* Filling i of a row: codes, from bit 16 on parities, from bit 20 on columns where it is again. */
COMBGPU__DEVICE uint32_t combgpu_seven_associative_filling(COMBGPU__LOCAL const uint32_t *scratch,
                                                           COMBGPU__LOCAL const uint32_t *team,
                                                           uint32_t row, uint32_t i)
{
    COMBGPU__LOCAL const uint32_t *pair =
        team + COMBGPU__ASSOCIATIVE_PAIR + 60 * row + 15 * (i / 90);
    const uint32_t way = scratch[COMBGPU__ASSOCIATIVE_WAYS + i % 90];
    const uint32_t a = pair[way & 15], b = pair[(way >> 4) & 15], c = pair[way >> 8];
    return (a & 31) | (b & 31) << 5 | (c & 31) << 10 | (a & 32) << 11 | (b & 32) << 12 |
           (c & 32) << 13 | (a & 64) << 14 | (b & 128) << 14 | (c & 256) << 14;
}

/* Lists the fillings of both rows, by parities. */
COMBGPU__DEVICE void combgpu_seven_associative_list(COMBGPU__LOCAL const uint32_t *scratch,
                                                    COMBGPU__LOCAL uint32_t *team)
{
    const uint32_t lane = COMBGPU__ASSOCIATIVE_TEAM_LANE;
    uint32_t row, i, set, at, end = 0;
    for (row = 0; row < 2; row++)
        for (i = lane; i < 90 * team[COMBGPU__ASSOCIATIVE_SIGNINGS + row];
             i += COMBGPU__ASSOCIATIVE_TEAM) {
            const uint32_t filling = combgpu_seven_associative_filling(scratch, team, row, i);
            COMBGPU__LOCAL_ATOMIC_ADD(
                &team[COMBGPU__ASSOCIATIVE_COUNT + 8 * row + ((filling >> 16) & 7)],
                1u << COMBGPU__POPCOUNT(filling >> 20));
        }
    COMBGPU__ASSOCIATIVE_BARRIER();
    if (lane < 16) {
        for (i = lane & 8; i < lane; i++)
            end += team[COMBGPU__ASSOCIATIVE_COUNT + i];
        team[COMBGPU__ASSOCIATIVE_END + lane] = end; /* the begin, for now */
    }
    COMBGPU__ASSOCIATIVE_BARRIER();
    for (row = 0; row < 2; row++) {
        COMBGPU__LOCAL uint16_t *codes =
            (COMBGPU__LOCAL uint16_t *)(team + COMBGPU__ASSOCIATIVE_CODES) +
            COMBGPU__ASSOCIATIVE_ROOM * row;
        for (i = lane; i < 90 * team[COMBGPU__ASSOCIATIVE_SIGNINGS + row];
             i += COMBGPU__ASSOCIATIVE_TEAM) {
            const uint32_t filling = combgpu_seven_associative_filling(scratch, team, row, i);
            const uint32_t same = filling >> 20;
            at = COMBGPU__LOCAL_ATOMIC_ADD(
                &team[COMBGPU__ASSOCIATIVE_END + 8 * row + ((filling >> 16) & 7)],
                1u << COMBGPU__POPCOUNT(same));
            for (set = same;; set = (set - 1) & same) {
                const uint32_t mask = (set & 1) * 31 | (set & 2) * 496 | (set & 4) * 7936;
                codes[at++] = (uint16_t)((filling & 0x7fff & ~mask) |
                                         (mask & (COMBGPU__ASSOCIATIVE_AGAIN * 1057)));
                if (!set) break;
            }
        }
    }
    COMBGPU__ASSOCIATIVE_BARRIER();
}

/* Joins the fillings of rows 0 and 1: the squares that this lane finds. `parities` are those of a gap
   of row 1 if that of row 0 is even. */
COMBGPU__DEVICE uint32_t combgpu_seven_associative_meet(COMBGPU__LOCAL const uint32_t *scratch,
                                                        COMBGPU__LOCAL const uint32_t *team,
                                                        uint32_t parities)
{
    COMBGPU__LOCAL const uint16_t *zero =
        (COMBGPU__LOCAL const uint16_t *)(team + COMBGPU__ASSOCIATIVE_CODES);
    COMBGPU__LOCAL const uint16_t *one = zero + COMBGPU__ASSOCIATIVE_ROOM;
    COMBGPU__LOCAL const uint32_t *fits = scratch + COMBGPU__ASSOCIATIVE_FITS;
    const uint32_t all = team[COMBGPU__ASSOCIATIVE_END + 15];
    uint32_t squares = 0, i, p, k, end;
    for (i = COMBGPU__ASSOCIATIVE_TEAM_LANE; i < all; i += COMBGPU__ASSOCIATIVE_TEAM) {
        const uint32_t filling = one[i];
        COMBGPU__LOCAL const uint32_t *a, *b, *c;
        for (p = k = 0; k < 7; k++)
            p += i >= team[COMBGPU__ASSOCIATIVE_END + 8 + k] ? 1 : 0;
        p ^= parities;
        a = fits + 625 * (p & 1) + 25 * (filling & 31);
        b = fits + 1250 + 625 * ((p >> 1) & 1) + 25 * ((filling >> 5) & 31);
        c = fits + 2500 + 625 * (p >> 2) + 25 * (filling >> 10);
        end = team[COMBGPU__ASSOCIATIVE_END + p];
        for (k = end - team[COMBGPU__ASSOCIATIVE_COUNT + p]; k < end; k++) {
            const uint32_t with = zero[k];
            squares += COMBGPU__POPCOUNT(a[with & 31] & b[(with >> 5) & 31] & c[with >> 10]);
        }
    }
    return squares;
}

/* ---- the kernel */

/* The squares of a batch that this lane finds. */
COMBGPU__DEVICE uint32_t combgpu_seven_associative_splittings(COMBGPU__LOCAL uint32_t *scratch,
                                                              COMBGPU__LOCAL uint32_t *team,
                                                              uint32_t parities)
{
    COMBGPU__LOCAL const uint16_t *split =
        (COMBGPU__LOCAL const uint16_t *)(scratch + COMBGPU__ASSOCIATIVE_SPLIT);
    uint32_t squares = 0, i;
    for (i = 0; i < 3; i++)
        parities ^= (scratch[COMBGPU__ASSOCIATIVE_ROW + i] & 1) << i;
    for (i = COMBGPU__ASSOCIATIVE_TEAM_ID;; i += COMBGPU__ASSOCIATIVE_TEAMS) {
        COMBGPU__ASSOCIATIVE_BARRIER();
        if (i >= scratch[COMBGPU__ASSOCIATIVE_SPLITTINGS]) break;
        combgpu_seven_associative_sign(scratch, team, split[i],
                                       scratch[COMBGPU__ASSOCIATIVE_COLUMN], 0xfff ^ split[i],
                                       scratch[COMBGPU__ASSOCIATIVE_COLUMN + 1]);
        combgpu_seven_associative_pairs(scratch, team);
        combgpu_seven_associative_list(scratch, team);
        squares += combgpu_seven_associative_meet(scratch, team, parities);
        COMBGPU__ASSOCIATIVE_BARRIER();
    }
    return squares;
}

/* Counts the squares of a step. */
COMBGPU__DEVICE void combgpu_seven_associative_step(COMBGPU__GLOBAL const uint32_t *tables,
                                                    COMBGPU__LOCAL uint32_t *scratch)
{
    COMBGPU__LOCAL uint32_t *team = scratch + COMBGPU__ASSOCIATIVE_TEAM_AT +
                                    COMBGPU__ASSOCIATIVE_TEAM_ID * COMBGPU__ASSOCIATIVE_TEAM_WORDS;
    uint32_t squares = 0, i, before;
    combgpu_seven_associative_sign(scratch, team, 63u << 12,
                                   scratch[COMBGPU__ASSOCIATIVE_COLUMN + 2], 63u << 12,
                                   scratch[COMBGPU__ASSOCIATIVE_COLUMN + 2]);
    combgpu_seven_associative_pairs(scratch, team);
    combgpu_seven_associative_list(scratch, team);
    COMBGPU__LOCAL_BARRIER();
    combgpu_seven_associative_open(tables, scratch);
    COMBGPU__LOCAL_BARRIER();
    for (i = 0;; i++) {
        uint32_t batch;
        COMBGPU__LOCAL_BARRIER();
        if (i >= scratch[COMBGPU__ASSOCIATIVE_BATCHES]) break;
        batch = scratch[COMBGPU__ASSOCIATIVE_BATCH + i];
        combgpu_seven_associative_batch(scratch, batch & 7, batch >> 3);
        combgpu_seven_associative_fits(scratch, batch & 7);
        squares += combgpu_seven_associative_splittings(scratch, team, batch & 7);
        COMBGPU__LOCAL_BARRIER();
    }
    if (squares) {
        before = COMBGPU__LOCAL_ATOMIC_ADD(&scratch[COMBGPU__ASSOCIATIVE_SQUARES], squares);
        if (before + squares < before)
            COMBGPU__LOCAL_ATOMIC_ADD(&scratch[COMBGPU__ASSOCIATIVE_SQUARES + 1], 1);
    }
    COMBGPU__LOCAL_BARRIER();
}

/* Lane 0's state between steps, in local memory. */
typedef struct combgpu_seven_associative_turn_t {
    uint64_t step, end;
    uint64_t steps, hash, squares; /* sums */
} combgpu_seven_associative_turn_t;

/* Lane 0: nonzero if another step remains. */
COMBGPU__DEVICE uint32_t combgpu_seven_associative_next(
    COMBGPU__GLOBAL combgpu__slice *slice, COMBGPU__GLOBAL const uint32_t *tasks,
    COMBGPU__GLOBAL uint32_t *left, COMBGPU__LOCAL combgpu_seven_associative_turn_t *turn)
{
    uint64_t step = turn->step, end = turn->end;
    const uint32_t continues =
        combgpu_in_range(slice, tasks, left, &step, &end, (uint32_t)turn->steps);
    turn->step = step;
    turn->end = end;
    return continues;
}

/* Lane 0: adds what a step gave. */
COMBGPU__DEVICE void combgpu_seven_associative_done(
    COMBGPU__LOCAL const uint32_t *scratch, COMBGPU__LOCAL combgpu_seven_associative_turn_t *turn)
{
    const uint64_t squares = scratch[COMBGPU__ASSOCIATIVE_SQUARES] |
                             (uint64_t)scratch[COMBGPU__ASSOCIATIVE_SQUARES + 1] << 32;
    turn->steps++;
    turn->hash += combgpu_mix(combgpu_mix(turn->step) ^ squares);
    turn->squares += squares;
    turn->step++;
}

/* Lane 0: adds the sums to the slice's totals. */
COMBGPU__DEVICE void combgpu_seven_associative_sum(
    COMBGPU__GLOBAL combgpu__slice *slice,
    COMBGPU__LOCAL const combgpu_seven_associative_turn_t *turn)
{
    combgpu_add_total(slice, 0, turn->steps);
    combgpu_add_total(slice, COMBGPU__MAGIC_HASH, turn->hash);
    combgpu_add_total(slice, COMBGPU__MAGIC_SPLIT, turn->squares);
}

/* A task is a range of steps. Sums are added where lane 0 runs out of steps: PoCL 3.1 lets all
   lanes into a branch for lane 0 behind this loop. */
COMBGPU__KERNEL_BLOCKS(COMBGPU__ASSOCIATIVE_LANES, 5)
combgpu_magic_associative(COMBGPU__SLICE_ARGUMENTS)
{
    COMBGPU__LOCAL_ARRAY uint32_t scratch[COMBGPU__ASSOCIATIVE_LOCAL];
    COMBGPU__LOCAL_ARRAY combgpu_seven_associative_turn_t turn;
    const uint32_t lane = COMBGPU__LANE_ID;
    (void)work, (void)records;
    if (COMBGPU__BLOCK_ID >= slice->workers) return;
    if (lane < 90)
        scratch[COMBGPU__ASSOCIATIVE_WAYS + lane] = tables[COMBGPU__ASSOCIATIVE_AT_PAIRING + lane];
    if (lane == 0) turn.step = turn.end = turn.steps = turn.hash = turn.squares = 0;
    for (;;) {
        if (lane == 0) {
            const uint32_t continues = combgpu_seven_associative_next(slice, tasks, left, &turn);
            scratch[COMBGPU__ASSOCIATIVE_CONTINUES] = continues;
            if (continues)
                combgpu_seven_associative_frame(tables, scratch, turn.step);
            else
                combgpu_seven_associative_sum(slice, &turn);
        }
        COMBGPU__LOCAL_BARRIER();
        if (!scratch[COMBGPU__ASSOCIATIVE_CONTINUES]) break;
        combgpu_seven_associative_step(tables, scratch);
        if (lane == 0) combgpu_seven_associative_done(scratch, &turn);
        COMBGPU__LOCAL_BARRIER();
    }
}
