/* ================================= SECTION 42: ranges of permutations: written or visited == */
/* State of a range of permutations, written or visited.

   A task is a range [begin, end) of ranks, a step one member. Ranges are cut at multiples of 720,
   because members are made in groups.

   WRITE stores members where the memory is: kernels in the caller's device memory, the C solver in
   host memory, whatever the device. Chunks for a callback are records, which name a range:
   combgpu__perm_record makes the members just before they are handed over, while in the cache.
   Checkpoints hold only ranges.

   *All* permutations, that is, WRITE without a set, have kernels of their own, for n up to 34 and
   the caller's items; so have multisets in the caller's memory. Another kernel writes the other
   sets.

   Ranks are 64-bit numbers in this room. For n > 20 they count from `base`, the multiple of 8! at
   or below the caller's first rank; else base is 0. */

#define COMBGPU__PERM_PIECES 8192 /* tasks of the frontier, about */
#define COMBGPU__PERM_WRITE_PIECES 1024
#define COMBGPU__PERM_MULTI_PIECES 128 /* each is cut for the warps of the device */
#define COMBGPU__PERM_PIECE                                                                        \
    ((uint64_t)COMBGPU__PERM_PIECE_GROUPS * COMBGPU__PERM_GROUP) /* members of a record, at most */
#define COMBGPU__PERM_CHUNK                                                                        \
    ((uint64_t)4 * COMBGPU__PERM_GROUP)         /* members that the CPU hands over at once */
#define COMBGPU__PERM_STREAM ((size_t)32 << 20) /* larger output goes past the caches */
#define COMBGPU__VISIT_COLUMNS 4352             /* 6 * 720, rounded up */
#define COMBGPU__VISIT_BINS 4096
/* Only GPUs get the kernel's long form: OpenCL on a CPU takes many seconds to compile it, without
   gain. */
#ifndef COMBGPU__VISIT_BLOCKS
#define COMBGPU__VISIT_BLOCKS(ctx) (combgpu__device(ctx)->is_gpu)
#endif
/* Ordered hits: tasks are made in windows of ranks, each twice as long as the last, up to a limit
   in groups. Hits wait until all smaller ranks are done; the windows' growth limits how many
   wait. */
#define COMBGPU__VISIT_WINDOW 256
#define COMBGPU__VISIT_WINDOW_MOST ((uint64_t)1 << 17)

/* Words of combgpu__accumulators(job) after the totals of slices, which count the direct deliveries of a
   solver or kernel. */
enum {
    COMBGPU__PERM_S_RECORD_DONE = 16, /* as PERM_S_DONE, for members that went through records */
    COMBGPU__PERM_S_RECORD_HASH,
    COMBGPU__PERM_S_SEEN, /* the next two are valid */
    COMBGPU__PERM_S_KEY,  /* MINIMUM: the best value; MAXIMUM: its complement, which reverses the
                             order and cannot overflow. SUM: low word */
    COMBGPU__PERM_S_RANK, /* SUM: high word */
    COMBGPU__PERM_S_NEXT, /* ordered: the rank at which the next window begins */
    COMBGPU__PERM_S_BINS = 32
};

typedef struct combgpu__perm_state {
    combgpu_perm_desc desc; /* n = positions; count, item_bytes, bin_width filled in; no pointers to
                               input */
    combgpu__perm_set set;
    uint64_t end;   /* first + count */
    uint64_t piece; /* ranks of a task, a multiple of a group */
    uint64_t cut;   /* a task ends `piece` ranks after the last multiple of `cut` at or before its
                       begin */
    uint64_t mine;  /* members of this shard; ordered: an estimate */
    size_t object;  /* bytes of one member in the output */
    size_t caller_shift; /* device_out: bytes from the work memory to the output */
    /* WRITE */
    unsigned char *chunk;     /* room for one record's members */
    combgpu__perm_walk *walk; /* after the last record made */
    /* WRITE, all permutations */
    int all;
    combgpu_u128 base; /* ranks and desc.first count from it */
    uint64_t orders;   /* permutations in a group: 720, or n! for n < 6 */
    int translates;    /* items are not the bytes 0 .. n-1 */
    union {
        uint8_t b1[COMBGPU__PERM_MAX128];
        uint16_t b2[COMBGPU__PERM_MAX128];
        uint32_t b4[COMBGPU__PERM_MAX128];
        uint64_t b8[COMBGPU__PERM_MAX128];
    } items;
    uint8_t *groups; /* CPU, with vectors: combgpu__perm_groups */
    /* visits */
    const unsigned char *data;               /* desc.data, copied to combgpu__tables(job) */
    char *source;                            /* OpenCL: the visitor's source, after definitions of n
                                                and so on */
    uint32_t *fetched;                       /* for slice_done: slots, bins, or tasks */
    uint64_t floor;                          /* ordered: all ranks below are done */
    uint8_t columns[COMBGPU__VISIT_COLUMNS]; /* orders of 0 .. 5, position by position */
    uint8_t masks[4][96]; /* [x][24 * position + i] = 255 where order i of 0 .. 3 has x there */
} combgpu__perm_state;

/* A hit's part of the checksum: additive, with one multiplication for a block of 24 ranks. */
COMBGPU__PRIVATE uint64_t combgpu__visit_hash(uint64_t rank)
{
    return combgpu__mix(rank / 24) << rank % 24;
}

/* Hash of a range. The sum over ranges does not depend on how they are cut: inner borders
   cancel. */
COMBGPU__PRIVATE uint64_t combgpu__perm_range_hash(uint64_t begin, uint64_t end)
{
    return combgpu__mix(end) - combgpu__mix(begin);
}

COMBGPU__PRIVATE int combgpu__visit_fast_n(const combgpu__perm_state *state)
{
    return state->set.family == COMBGPU_PERM_ALL || state->set.family == COMBGPU_PERM_CIRCULAR
               ? state->set.n
               : 0;
}

/* ---- members in the caller's form */

/* Moves to a rank. */
COMBGPU__PRIVATE void combgpu__perm_walk_from(combgpu__perm_walk *walk,
                                              const combgpu__perm_state *state, uint64_t rank)
{
    if (state->set.n <= COMBGPU__PERM_MAX || !state->all)
        combgpu__perm_set_walk_to(&state->set, walk, rank);
    else {
        combgpu_u128 whole = state->base;
        whole.lo += rank;
        whole.hi += whole.lo < rank;
        memset(walk, 0, sizeof *walk);
        walk->rank = rank;
        combgpu_perm_unrank128(NULL, state->set.n, whole, walk->perm);
    }
    walk->groups = state->groups;
    if (state->translates && state->desc.item_bytes == 1) walk->items = state->items.b1;
}

/* Translates values 0 .. n-1 into items of 2, 4 or 8 bytes. */
COMBGPU__PRIVATE void combgpu__perm_translate(const combgpu__perm_state *state,
                                              const uint8_t *values, size_t count, void *out)
{
    size_t i;
    if (state->desc.item_bytes == 2)
        for (i = 0; i < count; i++)
            ((uint16_t *)out)[i] = state->items.b2[values[i]];
    else if (state->desc.item_bytes == 4)
        for (i = 0; i < count; i++)
            ((uint32_t *)out)[i] = state->items.b4[values[i]];
    else
        for (i = 0; i < count; i++)
            ((uint64_t *)out)[i] = state->items.b8[values[i]];
}

/* Writes `count` members from `rank` on. The walk may be anywhere; it ends after them. */
COMBGPU__PRIVATE void combgpu__perm_make(const combgpu__perm_state *state, combgpu__perm_walk *walk,
                                         uint64_t rank, uint64_t count, unsigned char *out)
{
    size_t n = (size_t)state->desc.n;
    if (walk->rank != rank) combgpu__perm_walk_from(walk, state, rank);
    if (state->desc.item_bytes == 1) {
        combgpu__perm_set_walk_write(&state->set, walk, count, out);
        return;
    }
    while (count) {
        uint8_t values[COMBGPU__PERM_GROUP * 20]; /* a group, for n up to 20 */
        uint64_t some = COMBGPU__PERM_GROUP - walk->rank % COMBGPU__PERM_GROUP;
        if (some > count) some = count;
        if (some > sizeof values / n) some = sizeof values / n;
        combgpu__perm_walk_write(walk, (int)n, some, values);
        combgpu__perm_translate(state, values, (size_t)some * n, out);
        out += (size_t)some * state->object;
        count -= some;
    }
}
