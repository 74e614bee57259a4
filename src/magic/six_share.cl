/* Order 6 with both diagonals given: tables that blocks of lanes share.

   A configuration's tables lie in the area with its number modulo the number of areas, and stay there
   for later slices. Whoever comes first lists the sets; then all who come make batches. A block waits
   only for what another one has begun, so it need not be known how many run at a time. A step is
   taken alone, whatever tasks are, so that blocks work on the same few configurations, whose tables
   the cache holds.

   That needs memory that all blocks see alike in the middle of a slice, which OpenCL 1.2 does not
   promise: where it is not known to be so, a block has its own tables and does a task from end to
   end. */
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

/* slice->area_next: 0, then 1 + steps taken; slice->blocks_done: blocks that began, and 65,536 times those
   that ended */
#define COMBGPU__SIX_ENDED 0x10000u

/* The batches of sets of a configuration. */
COMBGPU__DEVICE uint32_t combgpu_six_batch_count(COMBGPU__GLOBAL const uint32_t *area)
{
    uint32_t pair, all = 0;
    for (pair = 0; pair < 3; pair++)
        all += (area[COMBGPU__SIX_AT_COUNT + pair] + COMBGPU__SIX_BATCH - 1) / COMBGPU__SIX_BATCH;
    return all;
}

/* All lanes: makes batches of the tables until none is left to take. */
COMBGPU__DEVICE void combgpu_six_batches(COMBGPU__GLOBAL uint32_t *area,
                                         COMBGPU__LOCAL uint32_t *scratch)
{
    const uint32_t lane = COMBGPU__LANE_ID % COMBGPU__SIX_TEAM;
    const uint32_t all = combgpu_six_batch_count(area);
    COMBGPU__LOCAL uint32_t *team = scratch + COMBGPU__SIX_AREA +
                                    COMBGPU__LANE_ID / COMBGPU__SIX_TEAM * COMBGPU__SIX_MAKER_WORDS;
    for (;;) {
        uint32_t pair = 0, batch, count;
        if (lane == 0)
            team[COMBGPU__SIX_TAKEN] = COMBGPU__ATOMIC_ADD(&area[COMBGPU__SIX_AT_NEXT], 1);
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

/* All lanes, at the start of a slice: the first block puts the areas in order. */
COMBGPU__DEVICE void combgpu_six_enter(COMBGPU__GLOBAL combgpu__slice *slice,
                                       COMBGPU__GLOBAL const uint32_t *tables,
                                       COMBGPU__GLOBAL uint32_t *work,
                                       COMBGPU__LOCAL uint32_t *scratch)
{
    const uint32_t job = tables[COMBGPU__PARTS_AT_NONCE] ^ slice->workers;
    const uint32_t areas = slice->workers / tables[COMBGPU__PARTS_AT_SHARERS];
    const uint32_t lane = COMBGPU__LANE_ID;
    uint32_t i;
    if (!COMBGPU__SIX_SHARED) {
        work += (uint64_t)COMBGPU__BLOCK_ID * COMBGPU__SIX_WORDS;
        if (lane < 3) work[lane] = 0; /* lock, owner, users */
        return;
    }
    if (lane == 0)
        scratch[COMBGPU__SIX_COUNTERS] =
            COMBGPU__ATOMIC_ADD(&slice->blocks_done, 1) % COMBGPU__SIX_ENDED;
    COMBGPU__LOCAL_BARRIER();
    if (scratch[COMBGPU__SIX_COUNTERS] == 0) {
        for (i = lane; i < areas; i += COMBGPU__SIX_LANES) {
            COMBGPU__GLOBAL uint32_t *area = work + (uint64_t)i * COMBGPU__SIX_WORDS;
            area[COMBGPU__SIX_AT_LOCK] = area[COMBGPU__SIX_AT_USERS] = 0;
            if (area[COMBGPU__SIX_AT_JOB] != job || !area[COMBGPU__SIX_AT_LISTED] ||
                area[COMBGPU__SIX_AT_DONE] != combgpu_six_batch_count(area))
                area[COMBGPU__SIX_AT_OWNER] = 0;
            area[COMBGPU__SIX_AT_JOB] = job;
        }
    }
    COMBGPU__BLOCK_BARRIER();
    if (lane == 0 && scratch[COMBGPU__SIX_COUNTERS] == 0) {
        COMBGPU__SIX_FENCE();
        COMBGPU__ATOMIC_ADD(&slice->area_next, 1);
    } else if (lane == 0) {
        while (!COMBGPU__SIX_READ(&slice->area_next))
            continue;
        COMBGPU__SIX_FENCE();
    }
    COMBGPU__BLOCK_BARRIER();
}

/* Where a 32nd part of a task begins; part 32 does so where the task ends. */
COMBGPU__DEVICE uint64_t combgpu_six_piece(COMBGPU__GLOBAL const uint32_t *task, uint32_t piece)
{
    const uint64_t begin = combgpu_load64(task), steps = combgpu_load64(task + 2) - begin;
    return begin + (steps * piece + COMBGPU__SIX_PARTS - 1) / COMBGPU__SIX_PARTS;
}

/* Lane 0: as combgpu_in_range, but a worker takes a 32nd part of a task. */
COMBGPU__DEVICE uint32_t combgpu_six_next(COMBGPU__GLOBAL combgpu__slice *slice,
                                          COMBGPU__GLOBAL const uint32_t *tasks,
                                          COMBGPU__GLOBAL uint32_t *left, uint64_t *next,
                                          uint64_t *end, uint32_t steps)
{
    if (!COMBGPU__SIX_SHARED) return combgpu_in_range(slice, tasks, left, next, end, steps);
    for (;;) {
        COMBGPU__GLOBAL const uint32_t *task;
        uint32_t piece;
        if (combgpu_spent(slice, steps)) {
            if (*next != *end) combgpu_give_range(slice, left, *next, *end);
            return 0;
        }
        if (*next != *end) return 1;
        piece = COMBGPU__ATOMIC_ADD(&slice->area_next, 1) - 1;
        if (piece / COMBGPU__SIX_PARTS >= slice->task_count) {
            combgpu_take(slice);
            return 0;
        }
        if (piece % COMBGPU__SIX_PARTS == 0) combgpu_take(slice);
        task = tasks + 4 * (uint64_t)(piece / COMBGPU__SIX_PARTS);
        piece %= COMBGPU__SIX_PARTS;
        *next = combgpu_six_piece(task, piece);
        *end = combgpu_six_piece(task, piece + 1);
    }
}

/* Lane 0, at the end of a slice: the last block gives back the rest of a task. */
COMBGPU__DEVICE void combgpu_six_leave(COMBGPU__GLOBAL combgpu__slice *slice,
                                       COMBGPU__GLOBAL const uint32_t *tasks,
                                       COMBGPU__GLOBAL uint32_t *left)
{
    uint32_t piece;
    if (!COMBGPU__SIX_SHARED ||
        COMBGPU__ATOMIC_ADD(&slice->blocks_done, COMBGPU__SIX_ENDED) / COMBGPU__SIX_ENDED + 1 !=
            slice->workers)
        return;
    piece = COMBGPU__SIX_READ(&slice->area_next) - 1;
    if (piece / COMBGPU__SIX_PARTS < slice->task_count && piece % COMBGPU__SIX_PARTS) {
        COMBGPU__GLOBAL const uint32_t *task = tasks + 4 * (uint64_t)(piece / COMBGPU__SIX_PARTS);
        const uint64_t next = combgpu_six_piece(task, piece % COMBGPU__SIX_PARTS);
        const uint64_t end = combgpu_load64(task + 2);
        if (next != end) combgpu_give_range(slice, left, next, end);
    }
}

/* Lane 0: enters the area of a configuration. Returns nonzero if its sets are still to be listed, by
   this block. */
COMBGPU__DEVICE uint32_t combgpu_six_enter_area(COMBGPU__GLOBAL uint32_t *area,
                                                uint32_t configuration)
{
    for (;;) {
        uint32_t entered = 0, list = 0;
        while (COMBGPU__ATOMIC_OR(&area[COMBGPU__SIX_AT_LOCK], 1))
            continue;
        COMBGPU__SIX_FENCE();
        if (COMBGPU__SIX_READ(&area[COMBGPU__SIX_AT_OWNER]) == configuration + 1) {
            entered = 1;
        } else if (COMBGPU__SIX_READ(&area[COMBGPU__SIX_AT_USERS]) == 0) {
            entered = list = 1;
            area[COMBGPU__SIX_AT_OWNER] = configuration + 1;
            area[COMBGPU__SIX_AT_LISTED] = 0;
            area[COMBGPU__SIX_AT_NEXT] = area[COMBGPU__SIX_AT_DONE] = 0;
            area[COMBGPU__SIX_AT_SEGMENTS] = area[COMBGPU__SIX_AT_SPLITS_MADE] = 0;
        }
        if (entered) COMBGPU__ATOMIC_ADD(&area[COMBGPU__SIX_AT_USERS], 1);
        COMBGPU__SIX_FENCE();
        COMBGPU__ATOMIC_ADD(&area[COMBGPU__SIX_AT_LOCK], 0xffffffffu);
        if (entered) return list;
    }
}

/* All lanes: the area with the tables of a configuration, which stays so until combgpu_six_unshare. */
COMBGPU__DEVICE COMBGPU__GLOBAL uint32_t *combgpu_six_share(COMBGPU__GLOBAL uint32_t *work,
                                                            uint32_t areas,
                                                            COMBGPU__GLOBAL uint32_t *list,
                                                            COMBGPU__LOCAL uint32_t *scratch,
                                                            uint32_t configuration)
{
    const uint32_t lane = COMBGPU__LANE_ID;
    COMBGPU__GLOBAL uint32_t *area =
        work + COMBGPU__SIX_WORDS *
                   (uint64_t)(COMBGPU__SIX_SHARED ? configuration % areas : COMBGPU__BLOCK_ID);
    if (lane == 0) scratch[COMBGPU__SIX_COUNTERS] = combgpu_six_enter_area(area, configuration);
    COMBGPU__BLOCK_BARRIER();
    if (scratch[COMBGPU__SIX_COUNTERS]) combgpu_six_sets(area, list, scratch);
    COMBGPU__BLOCK_BARRIER();
    if (lane == 0) {
        COMBGPU__SIX_FENCE();
        if (scratch[COMBGPU__SIX_COUNTERS]) COMBGPU__ATOMIC_OR(&area[COMBGPU__SIX_AT_LISTED], 1);
        while (!COMBGPU__SIX_READ(&area[COMBGPU__SIX_AT_LISTED]))
            continue;
        COMBGPU__SIX_FENCE();
    }
    COMBGPU__BLOCK_BARRIER();
    combgpu_six_batches(area, scratch);
    if (lane == 0) {
        while (COMBGPU__SIX_READ(&area[COMBGPU__SIX_AT_DONE]) != combgpu_six_batch_count(area))
            continue;
        COMBGPU__SIX_FENCE();
    }
    COMBGPU__BLOCK_BARRIER();
    return area;
}

COMBGPU__DEVICE void combgpu_six_unshare(COMBGPU__GLOBAL uint32_t *area)
{
    COMBGPU__BLOCK_BARRIER();
    if (COMBGPU__LANE_ID == 0) COMBGPU__ATOMIC_ADD(&area[COMBGPU__SIX_AT_USERS], 0xffffffffu);
}
