/* Permutations: limits, words of tables and totals of slices, shared by host and kernels. */
#ifndef COMBGPU__PERM_LAYOUT_H
#define COMBGPU__PERM_LAYOUT_H

/* lanes of a block */
#define COMBGPU__PERM_WRITE_LANES 256
#define COMBGPU__VISIT_LANES 128
#define COMBGPU__MULTI_LANES 256

#define COMBGPU__PERM_MAX 20          /* n: 20! is the last that fits 64 bits */
#define COMBGPU__PERM_MAX128 34       /* n: 34! is the last that fits 128 bits */
#define COMBGPU__PERM_MOST 64         /* positions of a member of any family; values */
#define COMBGPU__PERM_PLACES 6        /* last positions, whose orders form a group */
#define COMBGPU__PERM_GROUP 720       /* orders of PERM_PLACES positions */
#define COMBGPU__PERM_PIECE_GROUPS 16 /* groups in a record, at most */
#define COMBGPU__SET_FREE 255         /* in place[]: the value is unused */
#define COMBGPU__VISIT_SLOT_WORDS 4   /* a worker's best: key, rank; its sum: low, high */

/* combgpu_perm_family and combgpu_perm_goal for OpenCL, which lacks the API. */
enum {
    COMBGPU__SET_ALL,
    COMBGPU__SET_PARTIAL,
    COMBGPU__SET_MULTISET,
    COMBGPU__SET_DERANGEMENT,
    COMBGPU__SET_COMBINATION,
    COMBGPU__SET_GRAY,
    COMBGPU__SET_CYCLE,
    COMBGPU__SET_CIRCULAR
};
enum {
    COMBGPU__GOAL_WRITE,
    COMBGPU__GOAL_COUNT,
    COMBGPU__GOAL_MINIMUM,
    COMBGPU__GOAL_MAXIMUM,
    COMBGPU__GOAL_SUM,
    COMBGPU__GOAL_HISTOGRAM
};

/* Totals of slices, beyond the steps. */
enum {
    COMBGPU__PERM_S_DONE = 1, /* WRITE: members delivered; COUNT: hits; HISTOGRAM: values outside */
    COMBGPU__PERM_S_HASH = 2
};

/* Words of the tables for writing all permutations. */
enum {
    COMBGPU__WRITE_AT_N,
    COMBGPU__WRITE_AT_ORDERS,          /* permutations in a group: 720, or n! for n < 6 */
    COMBGPU__WRITE_AT_TASK_GROUPS = 8, /* groups that a task touches, at most */
    COMBGPU__WRITE_AT_ITEM_BYTES,
    COMBGPU__WRITE_AT_SHIFT,  /* bytes from the start of a 16-byte unit of the output to a group */
    COMBGPU__WRITE_AT_UNITS,  /* 16-byte units of the output that a group touches */
    COMBGPU__WRITE_AT_PERIOD, /* units after which the positions repeat */
    COMBGPU__WRITE_AT_PREFIX, /* positions before the last 6 */
    COMBGPU__WRITE_AT_FIRST = 14,    /* 64 bits: rank at the output's beginning */
    COMBGPU__WRITE_AT_OFFSET = 16,   /* 64 bits: bytes from the work memory to the output */
    COMBGPU__WRITE_AT_BASE = 18,     /* digits of the first n - 6 positions of the base */
    COMBGPU__WRITE_AT_DIVISORS = 46, /* 64 bits each: k! / 720 for k = 0 .. 33, or 0 */
    COMBGPU__WRITE_AT_ITEMS = 114,   /* the items, 64 bits each, low word first */
    COMBGPU__WRITE_AT_PATTERN = 182  /* combgpu__perm_pattern */
};

/* Words of the tables for sets and visits. */
enum {
    COMBGPU__SET_AT_FAMILY,
    COMBGPU__SET_AT_N,
    COMBGPU__SET_AT_K,
    COMBGPU__SET_AT_LENGTH,
    COMBGPU__SET_AT_COUNT, /* members, two words */
    COMBGPU__SET_AT_GOAL = 6,
    COMBGPU__SET_AT_LIST, /* COUNT: nonzero = emit a record for each hit instead of counting it */
    COMBGPU__SET_AT_DATA, /* word at which the caller's data begins */
    COMBGPU__SET_AT_BINS,
    COMBGPU__SET_AT_FIRST = 10,   /* bin_first, two words */
    COMBGPU__SET_AT_WIDTH = 12,   /* bin_width, two words */
    COMBGPU__SET_AT_REPEATS = 16, /* 64 bytes */
    COMBGPU__SET_AT_DERANGEMENTS = 32,
    COMBGPU__SET_AT_RANK = 32 + 2 * 21 * 21,             /* desc.first, two words */
    COMBGPU__SET_AT_OFFSET = COMBGPU__SET_AT_RANK + 2,   /* bytes from the work memory to the
                                                            output, two words */
    COMBGPU__SET_AT_SHAPES = COMBGPU__SET_AT_OFFSET + 2, /* 33 words: where each list begins */
    COMBGPU__SET_AT_ORDERS = COMBGPU__SET_AT_SHAPES + 33,
    COMBGPU__SET_AT_RECIPROCALS = COMBGPU__SET_AT_ORDERS + 4683, /* of 0 .. 64 */
    COMBGPU__SET_AT_END = COMBGPU__SET_AT_RECIPROCALS + 65
};

/* Words of the tables for writing multisets to the caller's memory. */
enum {
    COMBGPU__MULTI_AT_LENGTH,
    COMBGPU__MULTI_AT_LETTERS,
    COMBGPU__MULTI_AT_PREFIX,
    COMBGPU__MULTI_AT_PERIOD,
    COMBGPU__MULTI_AT_COUNT,      /* two words */
    COMBGPU__MULTI_AT_FIRST = 6,  /* rank at the output's beginning, two words */
    COMBGPU__MULTI_AT_OFFSET = 8, /* bytes from the work memory to the output, two words */
    COMBGPU__MULTI_AT_TASK = 10,  /* members of a task */
    COMBGPU__MULTI_AT_LEAST,      /* members of a warp's chunk, roughly; MOST likewise */
    COMBGPU__MULTI_AT_MOST,
    COMBGPU__MULTI_AT_LETTER, /* 21 words: value, 256 * repeats, 65536 * repeats before it */
    COMBGPU__MULTI_AT_INVERSES = COMBGPU__MULTI_AT_LETTER + 21, /* of odd parts of 0 .. 32 */
    /* for each shape: where its list begins, its number of orders */
    COMBGPU__MULTI_AT_SHAPES = COMBGPU__MULTI_AT_INVERSES + 2 * 33
};

/* Searches. A task: positions filled; the values to try at the next one, two words; the elements, a
   byte each. A record: the elements, then the value, two words. */
#define COMBGPU__PERM_SEARCH_LANES 64
#define COMBGPU__PERM_SEARCH_TASK_WORDS(length) (3 + ((length) + 3) / 4)
#define COMBGPU__PERM_SEARCH_RECORD_WORDS(length) (((length) + 3) / 4 + 2)
#define COMBGPU__PERM_SEARCH_LOCAL_BINS 1024 /* more are counted in global memory */
enum {
    COMBGPU__PERM_SEARCH_TASK_PLACE = 0,
    COMBGPU__PERM_SEARCH_TASK_TODO = 1,
    COMBGPU__PERM_SEARCH_TASK_PERM = 3
};
/* Totals of slices after the steps. The sum of all values is S_SUM + 2^16 * S_SUM[1] + ...: parts
   that anyone may add up. */
enum {
    COMBGPU__PERM_SEARCH_S_HITS = 1,
    COMBGPU__PERM_SEARCH_S_HASH = 2,
    COMBGPU__PERM_SEARCH_S_OUTSIDE = 3,
    COMBGPU__PERM_SEARCH_S_SUM = 4 /* four */
};
/* Words of the tables. */
enum {
    COMBGPU__PERM_SEARCH_AT_N,
    COMBGPU__PERM_SEARCH_AT_LENGTH,
    COMBGPU__PERM_SEARCH_AT_FAMILY,
    COMBGPU__PERM_SEARCH_AT_GOAL, /* combgpu_search_goal */
    COMBGPU__PERM_SEARCH_AT_LIST, /* COUNT: nonzero = emit a record for each hit instead of counting it */
    COMBGPU__PERM_SEARCH_AT_PRUNES,
    COMBGPU__PERM_SEARCH_AT_BINS,
    COMBGPU__PERM_SEARCH_AT_DATA,       /* word at which the caller's data begins */
    COMBGPU__PERM_SEARCH_AT_FIRST = 8,  /* bin_first, two words */
    COMBGPU__PERM_SEARCH_AT_WIDTH = 10, /* bin_width, two words */
    COMBGPU__PERM_SEARCH_AT_KEY = 12,   /* of the best member, two words; smaller is better */
    COMBGPU__PERM_SEARCH_AT_BEST = 14,  /* the ranks of its elements, 64 bytes */
    COMBGPU__PERM_SEARCH_AT_ORDERED = 30,
    COMBGPU__PERM_SEARCH_AT_MULTI,
    COMBGPU__PERM_SEARCH_AT_REPEATS = 32, /* 64 bytes each */
    COMBGPU__PERM_SEARCH_AT_ORDER = 48,
    COMBGPU__PERM_SEARCH_AT_RANK = 64,
    COMBGPU__PERM_SEARCH_AT_END = 80
};

#endif /* COMBGPU__PERM_LAYOUT_H */
