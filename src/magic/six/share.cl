/* Order 6 with both diagonals given: the tables that blocks of lanes share.

   All blocks work on the same few configurations, so that the cache holds their tables: a block
   takes a *share* of a chunk of a task, in the order of the tasks, by a ticket. A step counts once
   all its shares are done; the block that ends the last one adds it. A slice spills its rest in
   whole chunks.

   The work memory has areas, each for the tables of a configuration. In a slice,

   1. the first block to come clears the owners of all areas; the others wait for that.
   2. An area's owner changes once, from 0 to a configuration + 1, by a compare and swap. All blocks
      scan the areas in one order and take the first that is free or theirs. So a configuration has
      one area for all blocks, and an area never changes hands.
   3. The block that made itself owner lists the sets, then marks the area as listed (release).
      Other blocks read the area only behind that mark (acquire).
   4. Teams take batches of sets by a counter. A batch writes what no other batch reads or writes;
      its team counts it as done (release). Behind the last one (acquire) the tables stay as they
      are until the slice ends.

   Release: barrier of the block or the team, then one lane's fence and atomic operation. Acquire:
   atomic read and fence by one lane, then the block's barrier. A block waits only for one that has
   come, made itself owner or taken a batch, and that one waits for nothing meanwhile: so any number
   may run at a time. Without a free area the step is spilled, and the slice ends.

   This needs memory that all blocks see alike in mid-slice, which OpenCL 1.2 does not promise:
   where that is uncertain, a block has its own area and does a whole task. */
#if defined(__CUDACC__)
#define COMBGPU__SIX_SHARED 1
#define COMBGPU__SIX_FENCE() __threadfence()
#elif defined(COMBGPU_SHUFFLE)
#define COMBGPU__SIX_SHARED 1
#define COMBGPU__SIX_FENCE() __asm__ volatile("membar.gl;" : : : "memory")
#else
#ifndef COMBGPU__SIX_SHARED
#define COMBGPU__SIX_SHARED 0
#endif
#define COMBGPU__SIX_FENCE() mem_fence(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE)
#endif
#define COMBGPU__SIX_READ(p) COMBGPU__ATOMIC_OR((p), 0)

/* slice->area_next: 0, then 1 + tickets taken; slice->blocks_done: blocks that began, and 65,536
   times those that ended */
#define COMBGPU__SIX_ENDED 0x10000u

/* ---- tickets, by lane 0 */

/* in local memory */
enum {
    COMBGPU__SIX_STEP = 4,      /* the step to do: configuration, part */
    COMBGPU__SIX_CONTINUES = 6, /* nonzero: one exists */
    COMBGPU__SIX_SHARE,
    COMBGPU__SIX_AHEAD,    /* nonzero: only to list a configuration's sets */
    COMBGPU__SIX_OPENED,   /* the open configuration */
    COMBGPU__SIX_PLACE_AT, /* its area, or COMBGPU__NONE */
    COMBGPU__SIX_FRESH,    /* nonzero: this block is to list its sets */
    COMBGPU__SIX_OUTCOME   /* of the step: */
};
enum {
    COMBGPU__SIX_NO_AREA,
    COMBGPU__SIX_AHEAD_ONLY,
    COMBGPU__SIX_TOO_LARGE,
    COMBGPU__SIX_COUNTED
};

/* Lane 0's knowledge of its block's work. */
typedef struct combgpu_six_turn_t {
    uint64_t base;          /* number of the job's first step */
    uint64_t hash, squares; /* of the steps that this block added */
    uint32_t steps;         /* how many these are */
    uint64_t next, end;     /* steps of the piece still to do */
    uint32_t share;         /* of each of them; there are `shares` */
    uint32_t shares;
    uint32_t ahead; /* a configuration whose sets this block lists first, or COMBGPU__NONE */
    uint32_t over;  /* nonzero: takes no more */
} combgpu_six_turn_t;

/* Starts a slice: nothing is done or taken yet. */
COMBGPU__DEVICE void combgpu_six_start(combgpu_six_turn_t *turn,
                                       COMBGPU__GLOBAL const uint32_t *tables)
{
    turn->base = combgpu_load64(tables) * COMBGPU__SIX_PARTS;
    turn->hash = turn->squares = turn->next = turn->end = 0;
    turn->steps = turn->share = turn->over = 0;
    turn->shares = tables[COMBGPU__PARTS_AT_SHARES];
    turn->ahead = COMBGPU__NONE;
}

/* Returns where a chunk of a task begins; the chunk after the last one begins at the task's end. */
COMBGPU__DEVICE uint64_t combgpu_six_chunk(COMBGPU__GLOBAL const uint32_t *tables,
                                           COMBGPU__GLOBAL const uint32_t *task, uint32_t chunk)
{
    const uint32_t chunks = tables[COMBGPU__PARTS_AT_CHUNKS];
    const uint64_t begin = combgpu_load64(task), steps = combgpu_load64(task + 2) - begin;
    return begin + (steps * chunk + chunks - 1) / chunks;
}

/* The tickets that the budget allows. */
COMBGPU__DEVICE uint64_t combgpu_six_tickets(COMBGPU__GLOBAL const combgpu__slice *slice,
                                             COMBGPU__GLOBAL const uint32_t *tables,
                                             uint32_t budget)
{
    return (uint64_t)budget * slice->workers * tables[COMBGPU__PARTS_AT_SHARES];
}

/* Nonzero if no block may take a ticket. */
COMBGPU__DEVICE uint32_t combgpu_six_spent(COMBGPU__GLOBAL combgpu__slice *slice,
                                           COMBGPU__GLOBAL const uint32_t *tables,
                                           COMBGPU__GLOBAL uint32_t *work)
{
    const uint32_t stop = COMBGPU__STOPPED(slice);
    if (COMBGPU__SIX_READ(&work[COMBGPU__SIX_AT_FULL])) return 1;
    if (!stop) return 0;
    return (stop & COMBGPU__STOP_NOW) || COMBGPU__SIX_READ(&slice->area_next) - 1 >=
                                             combgpu_six_tickets(slice, tables, slice->least);
}

/* The configuration that is to follow a task's, if the task is the first of its own; else NONE. */
COMBGPU__DEVICE uint32_t combgpu_six_ahead(COMBGPU__GLOBAL const combgpu__slice *slice,
                                           COMBGPU__GLOBAL const uint32_t *tables,
                                           COMBGPU__GLOBAL const uint32_t *tasks, uint32_t task)
{
    const uint64_t own = combgpu_load64(tasks + 4 * (uint64_t)task) / COMBGPU__SIX_PARTS;
    const uint32_t chunks = tables[COMBGPU__PARTS_AT_CHUNKS];
    const uint64_t last = combgpu_six_tickets(slice, tables, slice->budget) /
                          (chunks * tables[COMBGPU__PARTS_AT_SHARES]);
    uint32_t i;
    if (tables[COMBGPU__PARTS_AT_AREAS] < 2 || /* the next one would take the task's own area */
        (task && combgpu_load64(tasks + 4 * (uint64_t)(task - 1)) / COMBGPU__SIX_PARTS == own))
        return COMBGPU__NONE;
    for (i = 1; i <= COMBGPU__SIX_PARTS && task + i < slice->task_count && task + i < last; i++) {
        const uint64_t other =
            combgpu_load64(tasks + 4 * (uint64_t)(task + i)) / COMBGPU__SIX_PARTS;
        if (other != own) return (uint32_t)other;
    }
    return COMBGPU__NONE;
}

/* Nonzero if the block is to work on turn->next. */
COMBGPU__DEVICE uint32_t combgpu_six_next(COMBGPU__GLOBAL combgpu__slice *slice,
                                          COMBGPU__GLOBAL const uint32_t *tables,
                                          COMBGPU__GLOBAL const uint32_t *tasks,
                                          COMBGPU__GLOBAL uint32_t *left,
                                          COMBGPU__GLOBAL uint32_t *work, combgpu_six_turn_t *turn)
{
    const uint32_t chunks = tables[COMBGPU__PARTS_AT_CHUNKS];
    if (!COMBGPU__SIX_SHARED)
        return !turn->over &&
               combgpu_in_range(slice, tasks, left, &turn->next, &turn->end, turn->steps);
    for (;;) {
        COMBGPU__GLOBAL const uint32_t *task;
        uint32_t ticket, chunk;
        if (turn->next != turn->end) return 1;
        if (turn->over || combgpu_six_spent(slice, tables, work)) return 0;
        ticket = COMBGPU__ATOMIC_ADD(&slice->area_next, 1) - 1;
        turn->over = ticket >= combgpu_six_tickets(slice, tables, slice->budget);
        if (turn->over) return 0;
        chunk = ticket / turn->shares;
        if (chunk / chunks >= slice->task_count) {
            combgpu_take(slice);
            turn->over = 1;
            return 0;
        }
        turn->share = ticket % turn->shares;
        if (ticket % (turn->shares * chunks) == 0) {
            combgpu_take(slice);
            turn->ahead = combgpu_six_ahead(slice, tables, tasks, chunk / chunks);
        }
        task = tasks + 4 * (uint64_t)(chunk / chunks);
        turn->next = combgpu_six_chunk(tables, task, chunk % chunks);
        turn->end = combgpu_six_chunk(tables, task, chunk % chunks + 1);
    }
}

/* The slice cannot do this step: spills the chunk, once for all shares, if all were taken; else
   combgpu_six_leave does. */
COMBGPU__DEVICE void combgpu_six_back(COMBGPU__GLOBAL combgpu__slice *slice,
                                      COMBGPU__GLOBAL uint32_t *left, combgpu_six_turn_t *turn)
{
    if (turn->share == turn->shares - 1) combgpu_give_range(slice, left, turn->next, turn->end);
    turn->next = turn->end;
    turn->over = 1;
}

/* At the end of a slice, the last block spills the rest of a task. */
COMBGPU__DEVICE void combgpu_six_leave(COMBGPU__GLOBAL combgpu__slice *slice,
                                       COMBGPU__GLOBAL const uint32_t *tables,
                                       COMBGPU__GLOBAL const uint32_t *tasks,
                                       COMBGPU__GLOBAL uint32_t *left)
{
    const uint32_t each = tables[COMBGPU__PARTS_AT_CHUNKS] * tables[COMBGPU__PARTS_AT_SHARES];
    uint64_t taken;
    if (!COMBGPU__SIX_SHARED ||
        COMBGPU__ATOMIC_ADD(&slice->blocks_done, COMBGPU__SIX_ENDED) / COMBGPU__SIX_ENDED + 1 !=
            slice->workers)
        return;
    taken = COMBGPU__SIX_READ(&slice->area_next) - 1;
    if (taken > combgpu_six_tickets(slice, tables, slice->budget))
        taken = combgpu_six_tickets(slice, tables, slice->budget);
    if (taken / each < slice->task_count && taken % each) {
        COMBGPU__GLOBAL const uint32_t *task = tasks + 4 * (taken / each);
        const uint64_t next = combgpu_six_chunk(
            tables, task, (uint32_t)(taken % each) / tables[COMBGPU__PARTS_AT_SHARES]);
        const uint64_t end = combgpu_load64(task + 2);
        if (next != end) combgpu_give_range(slice, left, next, end);
    }
}

/* ---- areas, by all lanes */

/* Returns their number. */
COMBGPU__DEVICE uint32_t combgpu_six_areas(COMBGPU__GLOBAL const combgpu__slice *slice,
                                           COMBGPU__GLOBAL const uint32_t *tables)
{
    return COMBGPU__SIX_SHARED ? tables[COMBGPU__PARTS_AT_AREAS] : slice->workers;
}

/* The area at an index; the blocks' lists follow the last one. */
COMBGPU__DEVICE COMBGPU__GLOBAL uint32_t *combgpu_six_area(COMBGPU__GLOBAL uint32_t *work,
                                                           uint32_t place)
{
    return work + COMBGPU__SIX_CONTROL + (uint64_t)place * COMBGPU__SIX_WORDS;
}

/* At the start of a slice, one block clears the control words; all wait for it. */
COMBGPU__DEVICE void combgpu_six_enter(COMBGPU__GLOBAL combgpu__slice *slice,
                                       COMBGPU__GLOBAL uint32_t *work,
                                       COMBGPU__LOCAL uint32_t *scratch)
{
    const uint32_t lane = COMBGPU__LANE_ID;
    uint32_t i;
    if (lane == 0) {
        scratch[COMBGPU__SIX_OPENED] = COMBGPU__NONE;
        scratch[COMBGPU__SIX_FRESH] =
            !COMBGPU__SIX_SHARED ||
            COMBGPU__ATOMIC_ADD(&slice->blocks_done, 1) % COMBGPU__SIX_ENDED == 0;
    }
    COMBGPU__LOCAL_BARRIER();
    if (!COMBGPU__SIX_SHARED) return;
    for (i = lane; scratch[COMBGPU__SIX_FRESH] && i < COMBGPU__SIX_CONTROL; i += COMBGPU__SIX_LANES)
        work[i] = 0;
    COMBGPU__BLOCK_BARRIER();
    if (lane == 0) {
        COMBGPU__SIX_FENCE();
        if (scratch[COMBGPU__SIX_FRESH]) COMBGPU__ATOMIC_ADD(&slice->area_next, 1);
        while (!COMBGPU__SIX_READ(&slice->area_next))
            continue;
        COMBGPU__SIX_FENCE();
    }
    COMBGPU__BLOCK_BARRIER();
}

/* Lane 0: returns the index of a configuration's area, or COMBGPU__NONE; *fresh is nonzero if it is
   new, with sets still to list. */
COMBGPU__DEVICE uint32_t combgpu_six_claim(COMBGPU__GLOBAL uint32_t *work, uint32_t areas,
                                           uint32_t configuration, COMBGPU__LOCAL uint32_t *fresh)
{
    uint32_t i, place = configuration % areas;
    *fresh = 0;
    for (i = 0; i < areas; i++) {
        const uint32_t owner =
            COMBGPU__ATOMIC_CAS(&work[COMBGPU__SIX_AT_OWNER + place], 0, configuration + 1);
        if (owner == 0) *fresh = 1;
        if (owner == 0 || owner == configuration + 1) return place;
        place = place + 1 < areas ? place + 1 : 0;
    }
    return COMBGPU__NONE;
}

/* Opens a configuration and finds its area, whose sets are listed now or by another block. */
COMBGPU__DEVICE void combgpu_six_place_of(COMBGPU__GLOBAL uint32_t *work, uint32_t areas,
                                          COMBGPU__GLOBAL const uint32_t *tables,
                                          COMBGPU__GLOBAL uint32_t *list,
                                          COMBGPU__LOCAL uint32_t *scratch, uint32_t configuration)
{
    const uint32_t lane = COMBGPU__LANE_ID;
    COMBGPU__GLOBAL uint32_t *area;
    if (lane == 0) {
        const uint32_t other = scratch[COMBGPU__SIX_OPENED] != configuration;
        if (other)
            combgpu_six_open((COMBGPU__LOCAL int32_t *)(scratch + COMBGPU__SIX_OPEN),
                             tables + COMBGPU__PARTS_AT_CONFIGURATION + 3 * configuration);
        scratch[COMBGPU__SIX_OPENED] = configuration;
        if (COMBGPU__SIX_SHARED) {
            scratch[COMBGPU__SIX_PLACE_AT] =
                combgpu_six_claim(work, areas, configuration, scratch + COMBGPU__SIX_FRESH);
        } else {
            scratch[COMBGPU__SIX_PLACE_AT] = COMBGPU__BLOCK_ID;
            scratch[COMBGPU__SIX_FRESH] = other;
        }
    }
    COMBGPU__BLOCK_BARRIER();
    if (scratch[COMBGPU__SIX_FRESH]) {
        area = combgpu_six_area(work, scratch[COMBGPU__SIX_PLACE_AT]);
        if (lane < COMBGPU__SIX_AT_BUCKET) area[lane] = 0;
        COMBGPU__BLOCK_BARRIER();
        combgpu_six_sets(area, list, scratch);
    }
    COMBGPU__BLOCK_BARRIER();
    if (COMBGPU__SIX_SHARED && lane == 0 && scratch[COMBGPU__SIX_FRESH]) {
        COMBGPU__SIX_FENCE();
        COMBGPU__ATOMIC_OR(&work[COMBGPU__SIX_AT_LISTED + scratch[COMBGPU__SIX_PLACE_AT]], 1);
    }
    COMBGPU__BLOCK_BARRIER();
}

/* The batches of sets of a configuration. */
COMBGPU__DEVICE uint32_t combgpu_six_batch_count(COMBGPU__GLOBAL const uint32_t *area)
{
    uint32_t pair, all = 0;
    for (pair = 0; pair < 3; pair++)
        all += (area[COMBGPU__SIX_AT_COUNT + pair] + COMBGPU__SIX_BATCH - 1) / COMBGPU__SIX_BATCH;
    return all;
}

/* Makes batches of the tables until all `all` are taken. */
COMBGPU__DEVICE void combgpu_six_batches(COMBGPU__GLOBAL uint32_t *area,
                                         COMBGPU__LOCAL uint32_t *scratch, uint32_t all)
{
    const uint32_t lane = COMBGPU__LANE_ID % COMBGPU__SIX_TEAM;
    COMBGPU__LOCAL uint32_t *team = scratch + COMBGPU__SIX_AREA +
                                    COMBGPU__LANE_ID / COMBGPU__SIX_TEAM * COMBGPU__SIX_MAKER_WORDS;
    for (;;) {
        uint32_t pair = 0, batch, count;
        if (lane == 0)
            team[COMBGPU__SIX_TAKEN] =
                all ? COMBGPU__ATOMIC_ADD(&area[COMBGPU__SIX_AT_NEXT], 1) : 0;
        COMBGPU__SIX_TEAM_BARRIER();
        batch = team[COMBGPU__SIX_TAKEN];
        if (batch >= all) break;
        for (;; pair++) {
            count =
                (area[COMBGPU__SIX_AT_COUNT + pair] + COMBGPU__SIX_BATCH - 1) / COMBGPU__SIX_BATCH;
            if (batch < count) break;
            batch -= count;
        }
        batch *= COMBGPU__SIX_BATCH;
        combgpu_six_batch(
            area, scratch, team, pair, batch,
            min(area[COMBGPU__SIX_AT_COUNT + pair] - batch, (uint32_t)COMBGPU__SIX_BATCH));
        if (lane == 0) {
            COMBGPU__SIX_FENCE();
            COMBGPU__ATOMIC_ADD(&area[COMBGPU__SIX_AT_DONE], 1);
        }
        COMBGPU__SIX_TEAM_BARRIER();
    }
}

/* Finds or makes the tables of a configuration, or only lists its sets: scratch[SIX_PLACE_AT],
   scratch[SIX_OUTCOME]. */
COMBGPU__DEVICE void combgpu_six_share(COMBGPU__GLOBAL uint32_t *work, uint32_t areas,
                                       COMBGPU__GLOBAL const uint32_t *tables,
                                       COMBGPU__GLOBAL uint32_t *list,
                                       COMBGPU__LOCAL uint32_t *scratch, uint32_t configuration)
{
    COMBGPU__GLOBAL uint32_t *area;
    combgpu_six_place_of(work, areas, tables, list, scratch, configuration);
    if (COMBGPU__LANE_ID == 0) {
        const uint32_t place = scratch[COMBGPU__SIX_PLACE_AT];
        const uint32_t outcome = scratch[COMBGPU__SIX_AHEAD] ? COMBGPU__SIX_AHEAD_ONLY
                                 : place == COMBGPU__NONE    ? COMBGPU__SIX_NO_AREA
                                                             : COMBGPU__SIX_COUNTED;
        scratch[COMBGPU__SIX_OUTCOME] = outcome;
        if (COMBGPU__SIX_SHARED && outcome == COMBGPU__SIX_COUNTED) {
            while (!COMBGPU__SIX_READ(&work[COMBGPU__SIX_AT_LISTED + place]))
                continue;
            COMBGPU__SIX_FENCE();
        }
    }
    COMBGPU__BLOCK_BARRIER();
    area = combgpu_six_area(work, scratch[COMBGPU__SIX_PLACE_AT]);
    combgpu_six_batches(
        area, scratch,
        scratch[COMBGPU__SIX_OUTCOME] == COMBGPU__SIX_COUNTED ? combgpu_six_batch_count(area) : 0);
    COMBGPU__BLOCK_BARRIER();
    if (COMBGPU__LANE_ID == 0) {
        const uint32_t counted = scratch[COMBGPU__SIX_OUTCOME] == COMBGPU__SIX_COUNTED;
        while (counted &&
               COMBGPU__SIX_READ(&area[COMBGPU__SIX_AT_DONE]) != combgpu_six_batch_count(area))
            continue;
        COMBGPU__SIX_FENCE();
        if (counted &&
            (COMBGPU__SIX_READ(&area[COMBGPU__SIX_AT_SEGMENTS]) > COMBGPU__SIX_SEGMENT_ROOM ||
             COMBGPU__SIX_READ(&area[COMBGPU__SIX_AT_SPLITS_MADE]) > COMBGPU__SIX_SPLIT_ROOM))
            scratch[COMBGPU__SIX_OUTCOME] = COMBGPU__SIX_TOO_LARGE;
    }
    COMBGPU__BLOCK_BARRIER();
}
