/* The join of order 5 where lanes exchange registers: a group works on the ways of a pair in
   stages. */
#ifdef COMBGPU_SHUFFLE
/* A lane's work on the two stacks, whose sizes are equal in all lanes. */
typedef struct combgpu_five_stages_t {
    combgpu_five_half_t one_half;
    combgpu_five_set_t one_set;
    uint32_t halves, sets;
} combgpu_five_stages_t;

/* Gives halves to idle lanes, takes the next choices of c and d, and stacks sets. `list` is nonzero
   if squares are noted. */
COMBGPU__DEVICE void combgpu_five_stage_halves(COMBGPU__GROUP_PARAMETER,
                                               COMBGPU__LOCAL combgpu_five_ring_t *r,
                                               combgpu_five_stages_t *j, uint32_t list,
                                               uint32_t unused, uint32_t centre)
{
    const uint32_t below = (1u << COMBGPU__GROUP_LANE) - 1,
                   idle = !(j->one_half.first | j->one_half.second);
    uint32_t lanes = COMBGPU__GROUP_BALLOT(idle), at = COMBGPU__POPCOUNT(lanes & below), more;
    uint4 set;
    if (idle && at < j->halves) combgpu_five_half_take(r, j->halves - 1 - at, centre, &j->one_half);
    lanes = COMBGPU__POPCOUNT(lanes);
    j->halves -= lanes < j->halves ? lanes : j->halves;
    if (!j->one_half.second && j->one_half.first) combgpu_five_half_first(unused, &j->one_half);
    more = j->one_half.second && combgpu_five_half_second(&j->one_half, list, &set);
    lanes = COMBGPU__GROUP_BALLOT(more);
    if (more) r->sets[j->sets + COMBGPU__POPCOUNT(lanes & below)] = set;
    j->sets += COMBGPU__POPCOUNT(lanes);
}

/* Fills the corners for a list: notes the squares, and hashes them if that is the goal, all if none
   can follow. Returns how many this lane has noted, or counted if that is the goal. */
COMBGPU__DEVICE uint32_t combgpu_five_stage_list(COMBGPU__GROUP_PARAMETER,
                                                 COMBGPU__LOCAL combgpu_five_ring_t *r,
                                                 const combgpu_five_stages_t *j,
                                                 combgpu_five_output_t *o, uint32_t unused,
                                                 combgpu_five_corners_t *k, uint32_t more)
{
    uint32_t count = 0;
    do {
        uint32_t t1, t3[2], b1[2], squares = combgpu_five_corners_next(k, &t1, t3, b1), last;
        if (o->goal == COMBGPU__MAGIC_COUNTS)
            count += COMBGPU__POPCOUNT(squares);
        else
            count += combgpu_five_ring_note(COMBGPU__GROUP, r, o, unused, &j->one_set, k->corners,
                                            squares, t1, t3, b1);
        if (o->goal != COMBGPU__MAGIC_HASHES) continue;
        last = !more && !j->sets &&
               !COMBGPU__GROUP_ANY(j->one_set.twos | j->one_set.rest | k->choices);
        combgpu_five_ring_hash(COMBGPU__GROUP, o, last ? 1 : 32);
    } while (COMBGPU__GROUP_ANY(k->choices));
    return count;
}

/* Gives sets to idle lanes, takes the next pairs of middles, and fills the corners in all ways.
   Books the squares for their way; for a list, o is not 0 and notes them. */
COMBGPU__DEVICE void combgpu_five_stage_sets(COMBGPU__GROUP_PARAMETER,
                                             COMBGPU__LOCAL combgpu_five_ring_t *r,
                                             combgpu_five_stages_t *j, combgpu_five_output_t *o,
                                             uint32_t unused, uint32_t more)
{
    const uint32_t below = (1u << COMBGPU__GROUP_LANE) - 1,
                   idle = !(j->one_set.twos | j->one_set.rest);
    uint32_t lanes = COMBGPU__GROUP_BALLOT(idle), at = COMBGPU__POPCOUNT(lanes & below), count = 0,
             t1, t3[2], b1[2];
    combgpu_five_corners_t k;
    if (idle && at < j->sets) combgpu_five_set_take(r, j->sets - 1 - at, &j->one_set);
    lanes = COMBGPU__POPCOUNT(lanes);
    j->sets -= lanes < j->sets ? lanes : j->sets;
    if (!j->one_set.rest && j->one_set.twos) combgpu_five_set_pair(&j->one_set);
    if (!o && !j->one_set.rest) return;
    k.choices = 0;
    if (j->one_set.rest) combgpu_five_set_corners(&j->one_set, &k);
    if (o)
        count = combgpu_five_stage_list(COMBGPU__GROUP, r, j, o, unused, &k, more);
    else
        while (k.choices)
            count += COMBGPU__POPCOUNT(combgpu_five_corners_next(&k, &t1, t3, b1));
    if (count) COMBGPU__LOCAL_ATOMIC_ADD(&r->squares[j->one_set.set >> 26], count);
}

/* Counts the squares of the ways from `begin` to `end` of a pair, up to the M-group. For a list, o
   is not 0; the squares are noted, or hashed. */
COMBGPU__DEVICE void combgpu_five_ring_join(COMBGPU__GROUP_PARAMETER,
                                            COMBGPU__LOCAL combgpu_five_ring_t *r,
                                            combgpu_five_output_t *o, uint32_t unused,
                                            uint32_t centre, uint32_t begin, uint32_t end)
{
    const uint32_t hashes = o && o->goal == COMBGPU__MAGIC_HASHES;
    uint32_t step = 0, more;
    combgpu_five_stages_t j;
    j.halves = j.sets = 0;
    j.one_half.first = j.one_half.second = j.one_set.twos = j.one_set.rest = 0;
    do {
        while (j.halves < 32 && begin < end) {
            if (r->way[begin].x != COMBGPU__NONE)
                j.halves = combgpu_five_ring_halves(COMBGPU__GROUP, r, begin, &step, j.halves);
            else
                step = 16;
            if (step == 16) step = 0, begin++;
        }
        COMBGPU__WARP_BARRIER();
        combgpu_five_stage_halves(COMBGPU__GROUP, r, &j, o != 0, unused, centre);
        more = j.halves || begin < end || COMBGPU__GROUP_ANY(j.one_half.first | j.one_half.second);
        COMBGPU__WARP_BARRIER();
        while (j.sets >= 32 ||
               (!more && (j.sets || COMBGPU__GROUP_ANY(j.one_set.twos | j.one_set.rest) ||
                          (hashes && o->found))))
            combgpu_five_stage_sets(COMBGPU__GROUP, r, &j, o, unused, more);
        COMBGPU__WARP_BARRIER();
    } while (more);
}
#endif
