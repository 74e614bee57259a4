/* ================================= SECTION 42: ranges of permutations: written or visited == */
/* A task is a range [begin, end) of ranks, a step one member. Ranges are cut at multiples of 720,
   because members are made in groups.

   WRITE puts members where they belong: the C solver into the caller's memory, the kernel into the
   shared part of the work memory (the *area*), with a record for each piece, which slice_done fetches
   in one copy. A record names a range; if its bytes are not there any more (after a resume) or never
   were (chunks on the CPU, which are made when they are handed over, while they are in the cache),
   record() makes them. Nothing but ranges is ever in a checkpoint. Into device memory of the caller's
   the kernel writes directly, without records. There are two kernels: one for *all* permutations,
   which are WRITE without a set, with n up to 34 and items of the caller's; and one for sets.

   RANKS are 64-bit numbers everywhere here. For n > 20 they count from `base`, the multiple of 8! at
   or below the caller's first rank; else base is 0.

   What was tried for the visits (n = 13, a count; H200, kernel times; "a" counts derangements, "b"
   permutations with three fixed points, both with a loop over all places):
     next_permutation in a thread, perm[] in local memory                    64 ms
     orders of the last four places written out, perm[] in registers         a 4.4 ms, b 5.9 ms
     three written out, a loop over the fourth (a quarter of the code: the
     self-test's visitor takes 8 s of ptxas instead of 81 on a busy machine) a 5.3 ms, b 6.6 ms
     the same with at most 96, 64 registers instead of 131                   a 5.2, 5.0; b 6.3, 6.1 ms
     OpenCL, four written out, n, goal and family constants                  a 4.9 ms, b 4.8 ms
   On a CPU: 720 permutations in columns, so that the visitor's text becomes SIMD: 1.0 G/s on a core
   for a and n = 12, with columns made by masks; one after another 0.3 G/s.
   Other families go from member to member in local memory: 15 (derangements, cycles) to 55 G/s
   (multisets, Gray code).

   Multisets written to device memory have a kernel of their own, which copies orders from lists. What
   was tried (6 and 7 values twice each, 90 MB and 9.5 GB, in which a memset takes 0.025 and 2.07 ms;
   part of its speed on an H200):
     a thread has 15 members, unranks them and goes on in local memory 24, 21 %
     a warp has a piece of 8 KB                                        31, 31 %
     16, 32 KB                                                         -, 50, 79 %
     unranking without divisions, whole rounds of pieces, 64 KB at most 44, 84 %
     the same, 128, 256 KB                                             -, 83, 80 %
     24 warps of a multiprocessor instead of 32, 16                    -, 84, 73 %
     48 with 40 registers                                              -, 75 %
     streaming stores (st.cs)                                          44, 81 %
     now 1,024 tasks instead of 4,096                                  47, 83 %
   NVIDIA's OpenCL: 51 and 106 % of its own fill. */

#define COMBGPU__PERM_PIECES 8192 /* tasks of the frontier, about */
#define COMBGPU__PERM_WRITE_PIECES 1024
#define COMBGPU__PERM_PIECE ((uint64_t)16 * COMBGPU__PERM_GROUP) /* members of a record, at most */
#define COMBGPU__PERM_CHUNK                                                                        \
    ((uint64_t)4 * COMBGPU__PERM_GROUP) /* that the CPU hands over at once */
#define COMBGPU__PERM_AREA ((size_t)64 << 20)
#define COMBGPU__PERM_STREAM ((size_t)32 << 20) /* output of more bytes goes past the caches */
#define COMBGPU__PERM_WRITE_LANES 256
#define COMBGPU__VISIT_LANES 128
#define COMBGPU__MULTI_LANES 256
#define COMBGPU__VISIT_COLUMNS 4352 /* 6 * 720, rounded up */
#define COMBGPU__VISIT_BINS 4096
#define COMBGPU__VISIT_SLOT_WORDS 4 /* a worker's best: key, rank; its sum: low, high */
/* OpenCL on a CPU: compiling the kernel's long form takes many seconds, and it is no faster */
#ifndef COMBGPU__VISIT_BLOCKS
#define COMBGPU__VISIT_BLOCKS(ctx) ((ctx)->device.is_gpu)
#endif
/* Ordered hits: tasks are made in windows of ranks, twice as long each, at most so many groups. Hits
   wait until all smaller ranks are done, and so there are not many more of them than there were hits
   before, or than a few windows have. */
#define COMBGPU__VISIT_WINDOW 256
#define COMBGPU__VISIT_WINDOW_MOST ((uint64_t)1 << 17)

/* Words of the tables for writing all permutations; combgpu_kernels.cl reads the same. */
enum {
    COMBGPU__PERM_T_N,
    COMBGPU__PERM_T_ORDERS,  /* permutations in a group: 720, or n! for n < 6 */
    COMBGPU__PERM_T_VECTORS, /* 16-byte units of a group's bytes, rounded up */
    COMBGPU__PERM_T_AREA,    /* 16-byte units of the area */
    /* `Output` is the caller's memory, or a piece's part of the area. */
    COMBGPU__PERM_T_TASK_GROUPS = 8, /* that a task touches at most; for the caller's memory */
    COMBGPU__PERM_T_ITEM_BYTES,
    COMBGPU__PERM_T_SHIFT,  /* a group begins so many bytes after a 16-byte unit of the output */
    COMBGPU__PERM_T_UNITS,  /* such units that a group touches */
    COMBGPU__PERM_T_PERIOD, /* units after which the places repeat */
    COMBGPU__PERM_T_PREFIX, /* places before the last 6 */
    COMBGPU__PERM_T_FIRST = 14,    /* 64 bits: rank at the output's beginning */
    COMBGPU__PERM_T_OFFSET = 16,   /* 64 bits: bytes from the work memory to the output */
    COMBGPU__PERM_T_BASE = 18,     /* base: the digits of its first n - 6 places */
    COMBGPU__PERM_T_DIVISORS = 46, /* 64 bits each: k! / 720 for k = 0 .. 33, or 0 */
    COMBGPU__PERM_T_ITEMS = 114,   /* the items, 64 bits each, low word first */
    COMBGPU__PERM_T_PATTERN = 182  /* combgpu__perm_pattern */
};

/* Words of the tables for sets and visits; combgpu_kernels.cl reads the same. */
enum {
    COMBGPU__VISIT_T_FAMILY,
    COMBGPU__VISIT_T_N,
    COMBGPU__VISIT_T_K,
    COMBGPU__VISIT_T_LENGTH,
    COMBGPU__VISIT_T_COUNT, /* members, two words */
    COMBGPU__VISIT_T_GOAL = 6,
    COMBGPU__VISIT_T_LIST, /* COUNT: emit a record for each hit, instead of adding it up */
    COMBGPU__VISIT_T_DATA, /* word at which the caller's data begin */
    COMBGPU__VISIT_T_BINS,
    COMBGPU__VISIT_T_FIRST = 10,   /* bin_first, two words */
    COMBGPU__VISIT_T_WIDTH = 12,   /* bin_width, two words */
    COMBGPU__VISIT_T_AREA = 14,    /* WRITE: 16-byte units of the area */
    COMBGPU__VISIT_T_DIRECT,       /* WRITE: into the caller's memory */
    COMBGPU__VISIT_T_REPEATS = 16, /* 64 bytes */
    COMBGPU__VISIT_T_DERANGEMENTS = 32,
    COMBGPU__VISIT_T_RANK = 32 + 2 * 21 * 21,              /* first, two words */
    COMBGPU__VISIT_T_OFFSET = COMBGPU__VISIT_T_RANK + 2,   /* bytes to the output, two words */
    COMBGPU__VISIT_T_SHAPES = COMBGPU__VISIT_T_OFFSET + 2, /* 33 words: where each list begins */
    COMBGPU__VISIT_T_ORDERS = COMBGPU__VISIT_T_SHAPES + 33,
    COMBGPU__VISIT_T_RECIPROCALS = COMBGPU__VISIT_T_ORDERS + 4683, /* of 0 .. 64 */
    COMBGPU__VISIT_T_END = COMBGPU__VISIT_T_RECIPROCALS + 65
};

/* Words of the tables for writing multisets to the caller's memory; combgpu_kernels.cl reads the same. */
enum {
    COMBGPU__MULTI_T_LENGTH,
    COMBGPU__MULTI_T_LETTERS,
    COMBGPU__MULTI_T_PREFIX,
    COMBGPU__MULTI_T_PERIOD,
    COMBGPU__MULTI_T_COUNT,      /* two words */
    COMBGPU__MULTI_T_FIRST = 6,  /* rank at the output's beginning, two words */
    COMBGPU__MULTI_T_OFFSET = 8, /* bytes from the work memory to the output, two words */
    COMBGPU__MULTI_T_TASK = 10,  /* members of a task */
    COMBGPU__MULTI_T_LEAST,      /* of a warp's piece, at least, about */
    COMBGPU__MULTI_T_MOST,
    COMBGPU__MULTI_T_LETTER, /* 21 words: value, 256 * repeats, 65536 * repeats before it */
    COMBGPU__MULTI_T_INVERSES = COMBGPU__MULTI_T_LETTER + 21, /* of the odd parts of 0 .. 32 */
    COMBGPU__MULTI_T_SHAPES =
        COMBGPU__MULTI_T_INVERSES + 2 * 33 /* where a list begins, its orders */
};

/* What job->sums hold. 1 and 2 are also totals, for what a solver or kernel delivers itself. */
enum {
    COMBGPU__PERM_S_DONE = 1, /* WRITE: members delivered; COUNT: hits; HISTOGRAM: values outside */
    COMBGPU__PERM_S_HASH = 2,
    COMBGPU__PERM_S_RECORD_DONE = 16, /* the same for what went through records */
    COMBGPU__PERM_S_RECORD_HASH,
    COMBGPU__PERM_S_SEEN, /* the next two are valid */
    COMBGPU__PERM_S_KEY,  /* MINIMUM: the best value; MAXIMUM: its complement, which orders the
                             other way round and cannot overflow. SUM: low word */
    COMBGPU__PERM_S_RANK, /* SUM: high word */
    COMBGPU__PERM_S_NEXT, /* ordered: the rank at which the next window begins */
    COMBGPU__PERM_S_BINS = 32
};

typedef struct combgpu__perm_state {
    combgpu_perm_desc desc; /* n = places; count, item_bytes, bin_width set; no pointers to input */
    combgpu__set set;
    uint64_t end;   /* first + count */
    uint64_t piece; /* ranks of a task, a multiple of a group */
    uint64_t cut;   /* after the first, tasks begin at multiples of `piece` (then it is that) or
                            so many groups after the first one's */
    uint64_t mine;  /* members of this shard; ordered: about */
    size_t object;  /* bytes of one member as it is written */
    size_t caller_shift; /* device_out: bytes from the work memory to the output */
    /* WRITE */
    unsigned char *area; /* a device's area, on the host */
    size_t area_bytes;
    int area_filled;          /* it holds the bytes of the records that wait */
    unsigned char *chunk;     /* room for one record's members */
    combgpu__perm_walk *walk; /* behind the record that was made last */
    /* WRITE, all permutations */
    int all;
    combgpu_u128 base; /* what ranks count from; desc.first too */
    uint64_t orders;   /* permutations in a group: 720, or n! for n < 6 */
    int translates;    /* items are others than the bytes 0 .. n-1 */
    union {
        uint8_t b1[COMBGPU__PERM_MAX128];
        uint16_t b2[COMBGPU__PERM_MAX128];
        uint32_t b4[COMBGPU__PERM_MAX128];
        uint64_t b8[COMBGPU__PERM_MAX128];
    } items;
    uint8_t *groups; /* CPU, with vectors: combgpu__perm_groups */
    /* visits */
    const unsigned char *data;               /* the copy in job->tables */
    char *source;                            /* OpenCL: the visitor's source with n before it */
    uint32_t *fetched;                       /* what slice_done reads: slots, bins, or tasks */
    uint64_t floor;                          /* ordered: all smaller ranks are done */
    uint8_t columns[COMBGPU__VISIT_COLUMNS]; /* orders of 0 .. 5, place by place */
    uint8_t masks[4][96]; /* [x][24 * place + i] = 255 where order i of 0 .. 3 has x there */
} combgpu__perm_state;

/* A hit's part of the checksum: additive, and a block of 24 ranks takes one multiplication. */
COMBGPU__PRIVATE uint64_t combgpu__visit_hash(uint64_t rank)
{
    return combgpu__mix(rank / 24) << rank % 24;
}

/* A hash of a set of ranges that does not depend on how they were cut: borders within cancel. */
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

/* ---- members as the caller wants them */

/* Goes to a rank. */
COMBGPU__PRIVATE void combgpu__perm_walk_from(combgpu__perm_walk *walk,
                                              const combgpu__perm_state *state, uint64_t rank)
{
    if (state->set.n <= COMBGPU__PERM_MAX || !state->all)
        combgpu__set_walk_to(&state->set, walk, rank);
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

/* Values 0 .. n-1 to items of 2, 4 or 8 bytes. */
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

/* Writes `count` members from `rank` on; the walk may stand anywhere, and stands behind them
   afterwards. */
COMBGPU__PRIVATE void combgpu__perm_make(const combgpu__perm_state *state, combgpu__perm_walk *walk,
                                         uint64_t rank, uint64_t count, unsigned char *out)
{
    size_t n = (size_t)state->desc.n;
    if (walk->rank != rank) combgpu__perm_walk_from(walk, state, rank);
    if (state->desc.item_bytes == 1) {
        combgpu__set_walk_write(&state->set, walk, count, out);
        return;
    }
    while (count) {
        uint8_t values[COMBGPU__PERM_GROUP * COMBGPU__PERM_MAX128];
        uint64_t some = COMBGPU__PERM_GROUP - walk->rank % COMBGPU__PERM_GROUP;
        if (some > count) some = count;
        combgpu__perm_walk_write(walk, (int)n, some, values);
        combgpu__perm_translate(state, values, (size_t)some * n, out);
        out += (size_t)some * state->object;
        count -= some;
    }
}

