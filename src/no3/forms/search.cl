/* No-three-in-line kernels: the search of a slice, and what all formats of a board share.

   A format is a layout of the board in one lane or several. Format F has the structs combgpu_no3_F
   (constants: sizes, tables), combgpu_no3_F_board and combgpu_no3_F_choice, and these functions:

     F_load       makes the board of a task; returns its line
     F_give       makes a task of the board and a line
     F_pop        reads the board from a stack level; returns its line
     F_push       writes the board to a stack level, and its line
     F_choose     finds the line to branch on; tells if the board is dead or solved
     F_cell       finds the first open orbit of a line; tells if a board without it waits: if enough
                  other orbits are open
     F_remove     removes this orbit from the board
     F_place      places the orbit: its lines, the list
     F_propagate  removes what is in line with the orbit and one placed before
     F_record     writes a solution

   A line is 1 + its number, or 0: any. A board that waits keeps the line of its next orbit, so that
   it takes this in the turn in which it is popped.

   Arrays of words lie outside the structs, which point to them: see NOTES.md.

   COMBGPU__NO3_SEARCH combines the functions. All lanes of a warp run through them together, even
   those without a board (`go` is 0). */

#define COMBGPU__NO3_MOST 12 /* words of a board in a lane, at most */

/* Where lanes have shuffles, unrolled loops keep a board's words in registers, and the warp skips
   what none of its boards needs. Elsewhere (PoCL 3.1) both only cost compile time, exponentially:
   for each conditional barrier the compiler copies all that follows. */
#ifdef COMBGPU__PACKED
#define COMBGPU__NO3_UNROLL _Pragma("unroll")
#define COMBGPU__NO3_IF_ANY(p) if (COMBGPU__WARP_ANY(p))
#define COMBGPU__NO3_NOW_AND_THEN(turns) if (((turns)&63) == 0)
#define COMBGPU__NO3_EACH_ROUND(k, more, most)                                                     \
    for ((k) = 0; (k) < (most); (k)++)                                                             \
        if (!COMBGPU__WARP_ANY(more))                                                              \
            break;                                                                                 \
        else
#else
#define COMBGPU__NO3_UNROLL _Pragma("nounroll")
#define COMBGPU__NO3_IF_ANY(p)
#define COMBGPU__NO3_NOW_AND_THEN(turns)
#define COMBGPU__NO3_EACH_ROUND(k, more, most) for ((k) = 0; COMBGPU__WARP_ANY(more); (k)++)
#endif

/* ---- a worker */

typedef struct combgpu_no3_worker {
    COMBGPU__GLOBAL uint32_t *top; /* the stack's free level */
    uint32_t levels;               /* boards on the stack */
    uint32_t have;                 /* 1: a board beside it; 2: a board for the next slice */
    uint32_t busy;                 /* more tasks may exist */
    uint32_t turns, steps;         /* left in this slice; taken */
} combgpu_no3_worker;

COMBGPU__DEVICE combgpu_no3_worker combgpu_no3_worker_begin(COMBGPU__GLOBAL combgpu__slice *slice,
                                                            COMBGPU__GLOBAL uint32_t *stack,
                                                            uint32_t index)
{
    combgpu_no3_worker worker;
    worker.top = stack;
    worker.levels = worker.have = worker.steps = 0;
    worker.busy = index < slice->workers;
    worker.turns = slice->budget;
    return worker;
}

/* Names for a worker that is a group of lanes. */
#define COMBGPU__NO3_GROUP_LEADS (group.lane == 0)
#define COMBGPU__NO3_GROUP_ANY(p) COMBGPU__WARP_ANY(p)
#define COMBGPU__NO3_GROUP_TAKE(p) COMBGPU__GROUP_TAKE(slice, p)
#define COMBGPU__NO3_GROUP_EMIT(p) COMBGPU__GROUP_EMIT(slice, p)
#define COMBGPU__NO3_GROUP_GIVE(p) COMBGPU__GROUP_GIVE(slice, p)
#define COMBGPU__NO3_GROUP_LEFT(p) COMBGPU__WARP_ANY(p)
/* Names for a worker that is one lane. */
#define COMBGPU__NO3_LANE_LEADS 1
#ifdef COMBGPU_SHUFFLE
#define COMBGPU__NO3_LANE_ANY(p) COMBGPU__WARP_ANY(p)
#else
#define COMBGPU__NO3_LANE_ANY(p) (p)
#endif
#define COMBGPU__NO3_LANE_TAKE(p) ((p) ? combgpu_take(slice) : COMBGPU__NONE)
#define COMBGPU__NO3_LANE_EMIT(p) ((p) ? combgpu_emit(slice) : COMBGPU__NONE)
#define COMBGPU__NO3_LANE_GIVE(p) ((p) ? combgpu_give(slice) : COMBGPU__NONE)
#define COMBGPU__NO3_LANE_LEFT(p) (p)

/* ---- the search */

/* The search of a slice. WORKER is GROUP or LANE. Reads the kernel's arguments and `form`, changes
   `board` and `worker`. */
#define COMBGPU__NO3_SEARCH(F, WORKER)                                                             \
    for (;;) {                                                                                     \
        combgpu_no3_##F##_choice choice;                                                           \
        uint32_t at, go, solved, line = 0;                                                         \
        COMBGPU__NO3_NOW_AND_THEN(worker.turns)                                                    \
        {                                                                                          \
            uint32_t taken = slice->budget - worker.turns;                                         \
            if (COMBGPU__NO3_##WORKER##_ANY(COMBGPU__NO3_##WORKER##_LEADS &&                       \
                                            combgpu_spent(slice, taken)))                          \
                worker.turns = 0;                                                                  \
        }                                                                                          \
        COMBGPU__NO3_IF_ANY(worker.busy && !worker.have)                                           \
        {                                                                                          \
            at = COMBGPU__NO3_##WORKER##_TAKE(worker.busy && !worker.have && worker.turns);        \
            if (worker.busy && !worker.have) worker.busy = worker.have = at != COMBGPU__NONE;      \
            if (at != COMBGPU__NONE)                                                               \
                line =                                                                             \
                    combgpu_no3_##F##_load(&form, &board, tasks + (uint64_t)at * form.task_words); \
        }                                                                                          \
        go = worker.have == 1 && worker.turns && worker.levels < form.room;                        \
        if (!COMBGPU__NO3_##WORKER##_ANY(go)) break;                                               \
        worker.turns--;                                                                            \
                                                                                                   \
        combgpu_no3_##F##_choose(&form, &board, &choice);                                          \
        /* a solution: without room for it the board is spilled unchanged */                       \
        COMBGPU__NO3_IF_ANY(go && !line && choice.solved)                                          \
        {                                                                                          \
            solved = go && !line && choice.solved;                                                 \
            at = COMBGPU__NO3_##WORKER##_EMIT(solved);                                             \
            if (at != COMBGPU__NONE) {                                                             \
                combgpu_no3_##F##_record(&form, &board,                                            \
                                         records + (uint64_t)at * form.record_words);              \
                choice.dead = 1;                                                                   \
            } else if (solved) {                                                                   \
                worker.have = 2;                                                                   \
                go = 0;                                                                            \
            }                                                                                      \
        }                                                                                          \
        if (go && !line) {                                                                         \
            worker.steps++;                                                                        \
            line = 1 + choice.line;                                                                \
            if (choice.dead && worker.levels) { /* the board that waits on top, and its line */    \
                worker.top -= form.level_words;                                                    \
                worker.levels--;                                                                   \
                line = combgpu_no3_##F##_pop(&form, &board, worker.top);                           \
            } else if (choice.dead)                                                                \
                worker.have = go = 0;                                                              \
        }                                                                                          \
                                                                                                   \
        combgpu_no3_##F##_cell(&form, &board, &choice, go ? line - 1 : 0, go);                     \
        if (go) {                                                                                  \
            combgpu_no3_##F##_remove(&form, &board, &choice);                                      \
            if (choice.waits) { /* the board without it, for the line's other orbits */            \
                combgpu_no3_##F##_push(&form, &board, worker.top, line);                           \
                worker.top += form.level_words;                                                    \
                worker.levels++;                                                                   \
            }                                                                                      \
            combgpu_no3_##F##_place(&form, &board, &choice);                                       \
        }                                                                                          \
        combgpu_no3_##F##_propagate(&form, &board, &choice, go);                                   \
    }                                                                                              \
                                                                                                   \
    /* spill the board and the stack: their lists begin alike */                                   \
    worker.have = worker.have != 0;                                                                \
    while (COMBGPU__NO3_##WORKER##_LEFT(worker.have || worker.levels)) {                           \
        uint32_t at = COMBGPU__NO3_##WORKER##_GIVE(worker.have || worker.levels);                  \
        uint32_t gives = at != COMBGPU__NONE, line = 0;                                            \
        if (gives) {                                                                               \
            if (worker.have)                                                                       \
                worker.have = 0;                                                                   \
            else {                                                                                 \
                worker.top -= form.level_words;                                                    \
                worker.levels--;                                                                   \
                line = combgpu_no3_##F##_pop(&form, &board, worker.top);                           \
            }                                                                                      \
        }                                                                                          \
        combgpu_no3_##F##_give(&form, &board, left + (gives ? (uint64_t)at * form.task_words : 0), \
                               line, gives);                                                       \
    }                                                                                              \
    if (COMBGPU__NO3_##WORKER##_LEADS) combgpu_add_total(slice, 0, worker.steps)

/* ---- words of a board, 4 at a time */

COMBGPU__DEVICE void combgpu_no3_load(uint32_t *words, COMBGPU__GLOBAL const uint32_t *from,
                                      const uint32_t share)
{
    uint32_t i;
    COMBGPU__NO3_UNROLL
    for (i = 0; i < share; i += 4) {
        uint4 four = *(COMBGPU__GLOBAL const uint4 *)(from + i);
        words[i] = four.x;
        words[i + 1] = four.y;
        words[i + 2] = four.z;
        words[i + 3] = four.w;
    }
}

COMBGPU__DEVICE void combgpu_no3_store(COMBGPU__GLOBAL uint32_t *to, const uint32_t *words,
                                       const uint32_t share)
{
    uint32_t i;
    COMBGPU__NO3_UNROLL
    for (i = 0; i < share; i += 4) {
        uint4 four;
        four.x = words[i];
        four.y = words[i + 1];
        four.z = words[i + 2];
        four.w = words[i + 3];
        *(COMBGPU__GLOBAL uint4 *)(to + i) = four;
    }
}

/* Adds a row to `gone`, the words that this lane removes; `from` is the lane's part of the row. */
COMBGPU__DEVICE void combgpu_no3_gone(uint32_t *gone, COMBGPU__GLOBAL const uint32_t *from,
                                      const uint32_t share)
{
    uint32_t row[COMBGPU__NO3_MOST], i;
    combgpu_no3_load(row, from, share);
    COMBGPU__NO3_UNROLL
    for (i = 0; i < share; i++)
        gone[i] |= row[i];
}

COMBGPU__DEVICE void combgpu_no3_clear(uint32_t *words, const uint32_t count)
{
    uint32_t i;
    COMBGPU__NO3_UNROLL
    for (i = 0; i < count; i++)
        words[i] = 0;
}

/* Removes the bits of `gone`. */
COMBGPU__DEVICE void combgpu_no3_without(uint32_t *words, const uint32_t *gone,
                                         const uint32_t share)
{
    uint32_t i;
    COMBGPU__NO3_UNROLL
    for (i = 0; i < share; i++)
        words[i] &= ~gone[i];
}

/* Writes placed orbit number `count` into the list; word w of the list is in lane w % lanes. */
COMBGPU__DEVICE void combgpu_no3_list_put(uint32_t *list, const uint32_t kept, const uint32_t lanes,
                                          uint32_t lane, uint32_t count, uint32_t orbit)
{
    uint32_t bits = 0xffffu << COMBGPU__NO3_SLOT_SHIFT(count), i;
    COMBGPU__NO3_UNROLL
    for (i = 0; i < kept; i++) {
        uint32_t here = lanes * i + lane == COMBGPU__NO3_SLOT(count) ? bits : 0;
        list[i] = (list[i] & ~here) | ((orbit << 16 | orbit) & here);
    }
}

/* Word w of a list of `count` orbits, without remains from before a step back: equal boards make
   equal records, which verification compares. */
COMBGPU__DEVICE uint32_t combgpu_no3_listed(uint32_t word, uint32_t w, uint32_t count)
{
    uint32_t first = 16 * (w >> 3) + (w & 7);
    return word & ((first < count ? 0xffffu : 0) | (first + 8 < count ? 0xffff0000u : 0));
}

/* The line of a task: see COMBGPU__NO3_COUNT_SHIFT. */
COMBGPU__DEVICE uint32_t combgpu_no3_task_line(COMBGPU__GLOBAL const uint32_t *needs)
{
    return needs[1] >> COMBGPU__NO3_COUNT_SHIFT;
}

/* The top byte of word i of a task's needs. */
COMBGPU__DEVICE uint32_t combgpu_no3_task_top(uint32_t i, uint32_t count, uint32_t line)
{
    return (i == 1 ? line : count) << COMBGPU__NO3_COUNT_SHIFT;
}

/* The points that a line needs, in a task whose words of needs have `part` lines each. */
COMBGPU__DEVICE uint32_t combgpu_no3_task_need(COMBGPU__GLOBAL const uint32_t *needs, uint32_t part,
                                               uint32_t line)
{
    return needs[line / part] >> 2 * (line % part) & 3;
}
