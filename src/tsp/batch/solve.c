/* The C solver of a batch: one instance at a time, or a group of them in the lanes of vectors. */

/* Returns instance k's offset in the tables. */
COMBGPU__PRIVATE const uint32_t *combgpu__batch_numbers(const uint32_t *tables, uint64_t k)
{
    size_t most = tables[COMBGPU__BATCH_AT_MOST], stride = 1 + most * (most + 2);
    return tables + COMBGPU__BATCH_HEAD(most) +
           (size_t)k * stride * (1 + (size_t)tables[COMBGPU__BATCH_AT_WIDE]);
}

/* Computes rows f(0 .. 15, T) for T in ascending order. A row is a minimum over T's members, of a
   broadcast cost plus a column of legs, so compilers turn the inner loop into vector code. Entries
   for members of T are never read. */
#define COMBGPU__BATCH_SOLVER(BITS, COST, FAR)                                                     \
    COMBGPU__INLINE int64_t combgpu__batch_solve##BITS(const COST *costs, int most, COST *f,       \
                                                       uint64_t *order)                            \
    {                                                                                              \
        COST into[COMBGPU__BATCH_MOST][COMBGPU__BATCH_ROW];                                        \
        const COST *first = costs + 1, *last = first + most, *legs = last + most;                  \
        int m = (int)costs[0], i, c, place, before = -1;                                           \
        uint32_t full = (1u << m) - 1, set, rest;                                                  \
        int64_t length = 0;                                                                        \
        *order = 0;                                                                                \
        if (!m) return (int64_t)first[0];                                                          \
        for (i = 0; i < m; i++)                                                                    \
            for (c = 0; c < COMBGPU__BATCH_ROW; c++)                                               \
                into[i][c] = c < m ? legs[c * most + i] : 0;                                       \
        for (c = 0; c < COMBGPU__BATCH_ROW; c++)                                                   \
            f[c] = c < m ? last[c] : 0;                                                            \
        for (set = 1; set < full; set++) {                                                         \
            COST row[COMBGPU__BATCH_ROW];                                                          \
            for (c = 0; c < COMBGPU__BATCH_ROW; c++)                                               \
                row[c] = FAR;                                                                      \
            for (rest = set; rest; rest &= rest - 1) {                                             \
                COST from;                                                                         \
                i = combgpu__lowest_bit64(rest);                                                   \
                from = f[(set ^ 1u << i) * COMBGPU__BATCH_ROW + (uint32_t)i];                      \
                for (c = 0; c < COMBGPU__BATCH_ROW; c++) {                                         \
                    COST cost = (COST)(into[i][c] + from);                                         \
                    row[c] = cost < row[c] ? cost : row[c];                                        \
                }                                                                                  \
            }                                                                                      \
            memcpy(f + set * COMBGPU__BATCH_ROW, row, sizeof row);                                 \
        }                                                                                          \
        for (rest = full, place = 0; place < m; place++) {                                         \
            COST best = FAR;                                                                       \
            int chosen = 0;                                                                        \
            for (c = 0; c < m; c++) {                                                              \
                COST cost;                                                                         \
                if (!(rest >> c & 1)) continue;                                                    \
                cost = (COST)((before < 0 ? first[c] : legs[before * most + c]) +                  \
                              f[(rest ^ 1u << c) * COMBGPU__BATCH_ROW + (uint32_t)c]);             \
                if (cost >= best) continue;                                                        \
                best = cost;                                                                       \
                chosen = c;                                                                        \
            }                                                                                      \
            if (!place) length = best;                                                             \
            *order |= (uint64_t)chosen << 4 * place;                                               \
            rest ^= 1u << chosen;                                                                  \
            before = chosen;                                                                       \
        }                                                                                          \
        return length;                                                                             \
    }

COMBGPU__BATCH_SOLVER(32, int32_t, (int32_t)1 << 30)
COMBGPU__BATCH_SOLVER(64, int64_t, (int64_t)1 << 62)

COMBGPU__PRIVATE uint64_t combgpu__batch_hash(uint64_t k, uint64_t length, uint64_t order)
{
    return combgpu__mix(combgpu__mix(combgpu__mix(k) + length) + order);
}

/* Emits a solved instance and counts it. Returns 0 without room. */
COMBGPU__PRIVATE int combgpu__batch_solved(combgpu__worker *worker, uint64_t k, uint64_t m,
                                           int64_t length, uint64_t order)
{
    uint32_t record[COMBGPU__BATCH_RECORD_WORDS];
    combgpu__put64(record, k);
    combgpu__put64(record + 2, (uint64_t)length);
    combgpu__put64(record + 4, order);
    if (!combgpu__emit(worker, record)) return 0;
    worker->totals[0] += m << m >> 1;
    worker->totals[1] += combgpu__batch_hash(k, (uint64_t)length, order);
    return 1;
}

COMBGPU__PRIVATE void combgpu__batch_give(combgpu__worker *worker, uint64_t k, uint64_t end)
{
    uint32_t left[COMBGPU__BATCH_TASK_MOST] = {0};
    combgpu__put64(left, k);
    combgpu__put64(left + 2, end);
    if (k < end) combgpu__give(worker, left);
}

/* One instance at a time; compilers turn the inner loop into vector code. */
COMBGPU__INLINE void combgpu__batch_worker(combgpu__worker *worker)
{
    const uint32_t *tables = worker->tables, *task;
    char *work = (char *)worker->work +
                 worker->index * combgpu__desc(worker->job)->cpu_work_bytes_per_worker;
    int most = (int)tables[COMBGPU__BATCH_AT_MOST];
    while ((task = combgpu__take(worker)) != NULL) {
        uint64_t k = combgpu__get64(task), end = combgpu__get64(task + 2);
        for (; k < end && !combgpu__spent(worker); k++) {
            const void *costs = combgpu__batch_numbers(tables, k);
            uint64_t order, m;
            int64_t length;
            if (tables[COMBGPU__BATCH_AT_WIDE]) {
                length = combgpu__batch_solve64((const int64_t *)costs, most,
                                                (int64_t *)(void *)work, &order);
                m = (uint64_t) * (const int64_t *)costs;
            } else {
                length = combgpu__batch_solve32((const int32_t *)costs, most,
                                                (int32_t *)(void *)work, &order);
                m = *(const uint32_t *)costs;
            }
            if (!combgpu__batch_solved(worker, k, m, length, order)) break;
        }
        if (k < end) {
            combgpu__batch_give(worker, k, end);
            return;
        }
    }
}

#ifdef COMBGPU__X86
/* Chooses the width of costs, and solves the group with the widest vectors. */
COMBGPU__PRIVATE void combgpu__batch_group_solve(const combgpu__worker *worker,
                                                 combgpu__batch_group *group)
{
    const uint32_t *tables = worker->tables;
    int most = (int)tables[COMBGPU__BATCH_AT_MOST], wide = (int)tables[COMBGPU__BATCH_AT_WIDE];
    int zmm = worker->simd == COMBGPU__SIMD_AVX512, at, i, lanes, narrow;
    uint32_t largest = 0;
    void *memory = (char *)worker->work +
                   worker->index * combgpu__desc(worker->job)->cpu_work_bytes_per_worker;
    for (at = 0; at < group->count; at++) {
        const uint32_t *numbers = combgpu__batch_numbers(tables, group->number[at]);
        group->numbers[at] = numbers;
        for (i = 1; !wide && i < 1 + most * (most + 2); i++)
            largest = numbers[i] > largest ? numbers[i] : largest;
    }
    narrow = !wide && largest <= 65535u / (uint32_t)(most + 1);
    lanes = group->lanes / (wide || narrow ? 1 : 2);
    for (at = 0; at < group->count; at += lanes) {
        int end = at + lanes < group->count ? at + lanes : group->count;
        for (group->m = 0, i = at; i < end; i++)
            if ((int)*(const uint32_t *)group->numbers[i] > group->m)
                group->m = (int)*(const uint32_t *)group->numbers[i];
        if (wide)
            combgpu__batch_lanes_64(group, at, end, most, memory, lanes,
                                    zmm ? combgpu__batch_avx512_64_table
                                        : combgpu__batch_avx2_64_table);
        else if (narrow)
            combgpu__batch_lanes_16(group, at, end, most, memory, lanes,
                                    zmm ? combgpu__batch_avx512_16_table
                                        : combgpu__batch_avx2_16_table);
        else
            combgpu__batch_lanes_32(group, at, end, most, memory, lanes,
                                    zmm ? combgpu__batch_avx512_32_table
                                        : combgpu__batch_avx2_32_table);
    }
}

/* Fills groups from as many tasks as they need. */
COMBGPU__PRIVATE void combgpu__batch_groups(combgpu__worker *worker)
{
    const uint32_t *task;
    combgpu__batch_group group;
    uint64_t k = 0, end = 0;
    memset(&group, 0, sizeof group);
    group.based = -1;
    group.lanes = (worker->simd == COMBGPU__SIMD_AVX512 ? 64 : 32) /
                  (worker->tables[COMBGPU__BATCH_AT_WIDE] ? 8 : 2);
    do {
        uint64_t steps = worker->totals[0];
        int i, full = 0;
        for (group.count = 0; group.count < group.lanes && steps < worker->slice->budget;) {
            uint64_t m;
            if (k == end) {
                task = combgpu__take(worker);
                if (!task) break;
                k = combgpu__get64(task);
                end = combgpu__get64(task + 2);
            }
            m = *combgpu__batch_numbers(worker->tables, k);
            steps += m << m >> 1;
            group.number[group.count++] = k++;
        }
        if (!group.count) break;
        combgpu__batch_group_solve(worker, &group);
        for (i = 0; i < group.count; i++) {
            full |= !full && !combgpu__batch_solved(worker, group.number[i],
                                                    *(const uint32_t *)group.numbers[i],
                                                    group.length[i], group.order[i]);
            if (full) combgpu__batch_give(worker, group.number[i], group.number[i] + 1);
        }
        if (full) break;
    } while (!combgpu__spent(worker));
    combgpu__batch_give(worker, k, end);
}

COMBGPU__PRIVATE void combgpu__batch_solve(combgpu__worker *worker)
{
    if (worker->simd)
        combgpu__batch_groups(worker);
    else
        combgpu__batch_worker(worker);
}
#else
COMBGPU__SOLVER_FORMS(combgpu__batch_solve, combgpu__batch_worker)
#endif

/* Adds what the C solver needs to a description made for one instance at a time. */
COMBGPU__PRIVATE void combgpu__batch_lanes_describe(combgpu__job_desc *search, int most)
{
#ifdef COMBGPU__X86
    size_t bytes = combgpu__batch_lanes_bytes(most);
    if (bytes > search->cpu_work_bytes_per_worker) search->cpu_work_bytes_per_worker = bytes;
    search->left_on_device = search->kernel.left_per_worker;
    search->kernel.left_per_worker = COMBGPU__BATCH_LANES_MOST + 1;
#else
    (void)search, (void)most;
#endif
}
