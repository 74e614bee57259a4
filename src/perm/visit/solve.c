/* The frontier of a range of permutations, and the C solvers. */

/* End of the task that begins at rank `begin`: `piece` ranks after the last multiple of `cut`. */
COMBGPU__PRIVATE uint64_t combgpu__perm_cut(uint64_t begin, uint64_t end, uint64_t piece,
                                            uint64_t cut)
{
    uint64_t size = piece - begin % cut;
    return end - begin > size ? begin + size : end;
}

COMBGPU__COLD_BEGIN
COMBGPU__PRIVATE combgpu_status combgpu__perm_push(combgpu_job *job, uint64_t begin, uint64_t end,
                                                   uint64_t piece, uint64_t cut)
{
    combgpu_status status = COMBGPU_OK;
    while (begin < end && !status) {
        uint32_t task[4];
        combgpu__put64(task, begin);
        begin = combgpu__perm_cut(begin, end, piece, cut);
        combgpu__put64(task + 2, begin);
        status = combgpu__push(job, task);
    }
    return status;
}

/* Ordered: pushes windows until `enough` tasks exist. */
COMBGPU__PRIVATE combgpu_status combgpu__visit_windows(combgpu_job *job, size_t enough)
{
    const combgpu__perm_state *state = (const combgpu__perm_state *)combgpu__state(job);
    uint64_t *next = &combgpu__accumulators(job)[COMBGPU__PERM_S_NEXT], stop, groups;
    combgpu_status status = COMBGPU_OK;
    if (*next < state->desc.first || *next > state->end) *next = state->end; /* from a file */
    while (*next < state->end && combgpu__tasks_left(job) < enough && !status) {
        groups = *next / COMBGPU__PERM_GROUP - state->desc.first / COMBGPU__PERM_GROUP;
        groups += COMBGPU__VISIT_WINDOW;
        if (groups > COMBGPU__VISIT_WINDOW_MOST) groups = COMBGPU__VISIT_WINDOW_MOST;
        stop =
            combgpu__perm_cut(*next, state->end, groups * COMBGPU__PERM_GROUP, COMBGPU__PERM_GROUP);
        status = combgpu__perm_push(job, *next, stop,
                                    (groups / COMBGPU__VISIT_WINDOW + 1) * COMBGPU__PERM_GROUP,
                                    COMBGPU__PERM_GROUP);
        *next = stop;
    }
    return status;
}

COMBGPU__PRIVATE combgpu_status combgpu__perm_frontier(combgpu_job *job)
{
    const combgpu__perm_state *state = (const combgpu__perm_state *)combgpu__state(job);
    if (!state->desc.ordered)
        return combgpu__perm_push(job, state->desc.first, state->end, state->piece, state->cut);
    combgpu__accumulators(job)[COMBGPU__PERM_S_NEXT] = state->desc.first;
    return combgpu__visit_windows(job, 1);
}

/* Number of members of this shard; for ordered hits an estimate, since the windows are unknown
   yet. */
COMBGPU__PRIVATE uint64_t combgpu__perm_mine(const combgpu_job *job)
{
    const combgpu__perm_state *state = (const combgpu__perm_state *)combgpu__state(job);
    uint64_t shards = (uint64_t)combgpu__shards(job);
    uint64_t begin = state->desc.first, end, i, mine = 0;
    if (state->desc.ordered) return state->desc.count / shards + 1;
    for (i = 0; begin < state->end; i++, begin = end) {
        end = combgpu__perm_cut(begin, state->end, state->piece, state->cut);
        if (i % shards == (uint64_t)combgpu__shard(job)) mine += end - begin;
    }
    return mine;
}
COMBGPU__COLD_END

/* ---- C solvers */

/* Spills a range, in two halves when tasks are too few for all workers. */
COMBGPU__PRIVATE void combgpu__perm_give(combgpu__worker *worker, uint64_t begin, uint64_t end)
{
    uint64_t middle = begin + (end - begin) / 2 / COMBGPU__PERM_GROUP * COMBGPU__PERM_GROUP;
    if (middle > begin && worker->slice->task_count < 2 * worker->slice->workers) {
        combgpu__give_range(worker, begin, middle);
        begin = middle;
    }
    if (begin < end) combgpu__give_range(worker, begin, end);
}

/* Number of members that a solver takes at once from `begin` on: at most `most`, at most to the end
   of the group, and within the budget. */
COMBGPU__PRIVATE uint64_t combgpu__perm_portion(const combgpu__worker *worker, uint64_t begin,
                                                uint64_t end, uint64_t most)
{
    uint64_t budget = worker->slice->budget - worker->totals[0]; /* > 0: not spent */
    uint64_t portion = combgpu__perm_cut(begin, end, most, COMBGPU__PERM_GROUP) - begin;
    return portion > budget ? budget : portion;
}

/* WRITE to the caller's memory. Without it, only emits records: combgpu__perm_record makes their
   members. */
COMBGPU__PRIVATE void combgpu__perm_solve_write(combgpu__worker *worker)
{
    const combgpu__perm_state *state = (const combgpu__perm_state *)combgpu__state(worker->job);
    const combgpu_perm_desc *desc = &state->desc;
    const uint32_t *task;
    while ((task = combgpu__take(worker)) != NULL) {
        uint64_t begin = combgpu__get64(task), end = combgpu__get64(task + 2), from = begin;
        uint64_t most = desc->out ? COMBGPU__PERM_PIECE : COMBGPU__PERM_CHUNK;
        combgpu__perm_walk walk;
        if (desc->out) combgpu__perm_walk_from(&walk, state, begin);
        /* too large for a cache until it is read */
        walk.stream = desc->item_bytes == 1 && desc->count > COMBGPU__PERM_STREAM / state->object;
        while (begin < end && !combgpu__spent(worker)) {
            uint64_t portion = combgpu__perm_portion(worker, begin, end, most);
            uint32_t record[4] = {0, 0, 0, 0};
            combgpu__put64(record, begin);
            record[2] = (uint32_t)portion;
            if (desc->out)
                combgpu__perm_make(state, &walk, begin, portion,
                                   (unsigned char *)desc->out +
                                       (size_t)(begin - desc->first) * state->object);
            else if (!combgpu__emit(worker, record))
                break;
            begin += portion;
            worker->totals[0] += portion;
        }
        if (desc->out) {
            worker->totals[COMBGPU__PERM_S_DONE] += begin - from;
            worker->totals[COMBGPU__PERM_S_HASH] += combgpu__perm_range_hash(from, begin);
        }
        combgpu__perm_give(worker, begin, end);
    }
}

/* A solver's results of its visits. */
typedef struct combgpu__visit_sum {
    int64_t best_key;
    uint64_t best_rank, low, high;
    uint64_t bins[COMBGPU__VISIT_BINS];
} combgpu__visit_sum;

/* A solver's arrays, too large for a thread's stack. On the CPU each worker's work memory has one,
   after the slot that slice_done reads. */
typedef struct combgpu__visit_scratch {
    int64_t values[COMBGPU__PERM_GROUP];
    combgpu__visit_sum sum;
    unsigned char perms[COMBGPU__PERM_GROUP * COMBGPU__PERM_MOST], hits[COMBGPU__PERM_GROUP];
} combgpu__visit_scratch;

/* Bytes of a worker's work memory on the CPU, `slot` of which slice_done reads. */
COMBGPU__PRIVATE size_t combgpu__visit_work_bytes(size_t slot)
{
    return slot + (sizeof(combgpu__visit_scratch) + 63) / 64 * 64 + 64; /* whole cache lines */
}

COMBGPU__PRIVATE combgpu__visit_scratch *combgpu__visit_scratch_of(const combgpu__worker *worker)
{
    const combgpu__perm_state *state = (const combgpu__perm_state *)combgpu__state(worker->job);
    const int is_histogram = state->desc.goal == COMBGPU_PERM_HISTOGRAM;
    const size_t slot =
        is_histogram ? 8 * (size_t)state->desc.bins : COMBGPU__VISIT_SLOT_WORDS * sizeof(uint32_t);
    const size_t slots = (size_t)worker->slice->workers + (is_histogram ? 1 : 0);
    const size_t each = combgpu__visit_work_bytes(0);
    char *memory = (char *)worker->work + slots * slot + worker->index * each;
    return (combgpu__visit_scratch *)(void *)(memory + (64 - (size_t)memory % 64) % 64);
}

/* Packs the hits of a block of 24 ranks, bytes 0 or 1, into bits, and adds their number to *found:
   a sum of bytes, because compilers without -mpopcnt call a function to count bits. */
COMBGPU__PRIVATE uint32_t combgpu__visit_bits(const unsigned char *hits, uint64_t *found)
{
    uint64_t sums = 0;
    uint32_t bits = 0;
    int i;
    for (i = 0; i < 24; i += 8, hits += 8) { /* compilers make one load of it */
        uint64_t eight = hits[0] | (uint64_t)hits[1] << 8 | (uint64_t)hits[2] << 16 |
                         (uint64_t)hits[3] << 24 | (uint64_t)hits[4] << 32 |
                         (uint64_t)hits[5] << 40 | (uint64_t)hits[6] << 48 |
                         (uint64_t)hits[7] << 56;
        bits |= (uint32_t)(eight * UINT64_C(0x0102040810204080) >> 56) << i;
        sums += eight;
    }
    *found += sums * UINT64_C(0x0101010101010101) >> 56;
    return bits;
}

/* COUNT: counts or lists the hits among `count` members of a group from rank `begin` on. Returns
   the number of members done: all, or those before the first hit that found no room. hits[i]
   belongs to rank i of the group, and is 0 outside the range. */
COMBGPU__PRIVATE uint64_t combgpu__visit_count(combgpu__worker *worker, uint64_t begin,
                                               uint64_t count, const unsigned char *hits)
{
    uint64_t block = begin / COMBGPU__PERM_GROUP * (COMBGPU__PERM_GROUP / 24);
    uint64_t blocks = (begin + count + 23) / 24, found = 0, hash = 0;
    int list = (int)worker->tables[COMBGPU__SET_AT_LIST], i;
    for (; block < blocks; block++, hits += 24) {
        uint32_t bits = combgpu__visit_bits(hits, &found), record[4] = {0, 0, 1, 0};
        if (!bits) continue;
        for (i = 0; list && i < 24; i++) {
            combgpu__put64(record, 24 * block + (uint64_t)i);
            if (bits >> i & 1 && !combgpu__emit(worker, record))
                return 24 * block + (uint64_t)i - begin;
        }
        hash += combgpu__mix(block) * bits;
    }
    if (list) return count;
    worker->totals[COMBGPU__PERM_S_DONE] += found;
    worker->totals[COMBGPU__PERM_S_HASH] += hash;
    return count;
}

/* The other goals: adds `count` values from rank `begin` on. */
COMBGPU__PRIVATE void combgpu__visit_add(combgpu__worker *worker, combgpu__visit_sum *sum,
                                         uint64_t begin, int count, const int64_t *values)
{
    const combgpu__perm_state *state = (const combgpu__perm_state *)combgpu__state(worker->job);
    const combgpu_perm_desc *desc = &state->desc;
    int64_t flip = desc->goal == COMBGPU_PERM_MAXIMUM ? -1 : 0, least = INT64_MAX;
    int i;
    switch (desc->goal) {
    case COMBGPU_PERM_SUM:
        for (i = 0; i < count; i++) {
            sum->low += (uint64_t)values[i];
            sum->high += (sum->low < (uint64_t)values[i]) - (uint64_t)(values[i] < 0);
        }
        break;
    case COMBGPU_PERM_HISTOGRAM:
        for (i = 0; i < count; i++) {
            uint64_t bin = (uint64_t)values[i] - (uint64_t)desc->bin_first;
            if (desc->bin_width != 1) bin /= desc->bin_width;
            if (values[i] >= desc->bin_first && bin < (uint64_t)desc->bins)
                sum->bins[bin]++;
            else
                worker->totals[COMBGPU__PERM_S_DONE]++;
        }
        break;
    default: /* first the smallest key, a loop for SIMD; its position only if it is a new best */
        for (i = 0; i < count; i++)
            least = (values[i] ^ flip) < least ? values[i] ^ flip : least;
        if (least > sum->best_key) break;
        for (i = 0; (values[i] ^ flip) != least; i++) {
        }
        if (least == sum->best_key && begin + (uint64_t)i >= sum->best_rank) break;
        sum->best_key = least;
        sum->best_rank = begin + (uint64_t)i;
    }
}

#ifdef COMBGPU__VECTOR
/* As combgpu__visit_columns, substituting all positions by byte shuffles. */
COMBGPU__PRIVATE COMBGPU__VECTORS void combgpu__visit_columns_vectors(
    const combgpu__perm_state *state, const uint8_t *six, uint8_t *out)
{
    uint8_t values[16] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    combgpu__vector table;
    int i;
    memcpy(values, six, 6);
    table = COMBGPU__TABLE(values);
    for (i = 0; i < COMBGPU__VISIT_COLUMNS; i += COMBGPU__VECTOR)
        COMBGPU__STORE(out + i, COMBGPU__LOOKUP(table, COMBGPU__LOAD(state->columns + i)));
}
#endif

/* Makes the last six positions of a group, with the elements six[0] < ... < six[5], as columns of
   720 bytes. The last four columns combine 24 orders of four elements by masks, in loops that any
   compiler vectorises. */
COMBGPU__PRIVATE void combgpu__visit_columns(const combgpu__perm_state *state, const uint8_t *six,
                                             uint8_t *out)
{
    int i, j, k, t;
    for (i = 0; i < 6; i++)
        for (j = 0; j < 6; j++) {
            uint8_t four[4], block[96];
            if (j == i) continue;
            for (t = k = 0; k < 6; k++)
                if (k != i && k != j) four[t++] = six[k];
            for (t = 0; t < 96; t++)
                block[t] =
                    (uint8_t)((four[0] & state->masks[0][t]) | (four[1] & state->masks[1][t]) |
                              (four[2] & state->masks[2][t]) | (four[3] & state->masks[3][t]));
            memset(out, six[i], 24);
            memset(out + COMBGPU__PERM_GROUP, six[j], 24);
            for (k = 0; k < 4; k++)
                memcpy(out + (k + 2) * COMBGPU__PERM_GROUP, block + 24 * k, 24);
            out += 24;
        }
}

/* Computes a group's values or hits with the CPU's best instructions; returns 0 if the visitor
   lacks a form for this n. */
COMBGPU__PRIVATE int combgpu__visit_group(const combgpu__perm_state *state, int simd,
                                          const combgpu__perm_walk *walk, unsigned char *columns,
                                          int64_t *values, unsigned char *hits)
{
    const combgpu_perm_visitor *visitor = state->desc.visitor;
    int n = state->desc.n;
#ifdef COMBGPU__VECTOR
    if (simd)
        combgpu__visit_columns_vectors(state, walk->perm + n - 6, columns);
    else
#endif
        combgpu__visit_columns(state, walk->perm + n - 6, columns);
#ifdef COMBGPU__X86
    if (simd && visitor->cpu_group_avx2)
        return visitor->cpu_group_avx2(walk->perm, n, columns, state->data, values, hits);
#endif
    (void)simd;
    return visitor->cpu_group(walk->perm, n, columns, state->data, values, hits);
}

/* Computes values or hits of a portion of one group, and moves the walk past it. hits[i] belongs to
   rank i of the group. */
COMBGPU__PRIVATE void combgpu__visit_values(const combgpu__perm_state *state, int simd,
                                            combgpu__perm_walk *walk, int count,
                                            unsigned char *perms, int64_t *values,
                                            unsigned char *hits, int *grouped)
{
    const combgpu_perm_visitor *visitor = state->desc.visitor;
    int n = state->desc.n, count_goal = state->desc.goal == COMBGPU_PERM_COUNT, i;
    if (*grouped && count == COMBGPU__PERM_GROUP) {
        *grouped = combgpu__visit_group(state, simd, walk, perms, values, count_goal ? hits : NULL);
        if (*grouped) {
            combgpu__perm_reverse(walk->perm + n - 6, walk->perm + n);
            walk->rank += COMBGPU__PERM_GROUP - 1;
            combgpu__perm_set_walk_next(&state->set, walk);
            return;
        }
    }
    i = (int)(walk->rank % COMBGPU__PERM_GROUP);
    if (count_goal) memset(hits, 0, COMBGPU__PERM_GROUP);
    hits += i;
    combgpu__perm_set_walk_write(&state->set, walk, (uint64_t)count, perms);
    if (visitor->cpu_many)
        visitor->cpu_many(perms, n, state->data, count, values);
    else
        for (i = 0; i < count; i++)
            values[i] = visitor->cpu(perms + i * n, n, state->data);
    if (count_goal)
        for (i = 0; i < count; i++)
            hits[i] = values[i] != 0;
}

/* Stores the worker's results for slice_done. */
COMBGPU__PRIVATE void combgpu__visit_hand_in(combgpu__worker *worker, const combgpu__visit_sum *sum)
{
    const combgpu__perm_state *state = (const combgpu__perm_state *)combgpu__state(worker->job);
    const size_t bins = (size_t)state->desc.bins;
    if (state->desc.goal == COMBGPU_PERM_HISTOGRAM)
        memcpy(worker->work + ((size_t)worker->index + 1) * 2 * bins, sum->bins, 8 * bins);
    else if (state->desc.goal != COMBGPU_PERM_COUNT) {
        int adds = state->desc.goal == COMBGPU_PERM_SUM;
        uint32_t *slot = worker->work + (size_t)worker->index * COMBGPU__VISIT_SLOT_WORDS;
        combgpu__put64(slot, adds ? sum->low : (uint64_t)sum->best_key);
        combgpu__put64(slot + 2, adds ? sum->high : sum->best_rank);
    }
}

COMBGPU__PRIVATE void combgpu__visit_solve(combgpu__worker *worker)
{
    const combgpu__perm_state *state = (const combgpu__perm_state *)combgpu__state(worker->job);
    combgpu__visit_scratch *scratch = combgpu__visit_scratch_of(worker);
    combgpu__visit_sum *sum = &scratch->sum;
    const uint32_t *task;
    int grouped = state->desc.visitor->cpu_group && combgpu__visit_fast_n(state) > 6;
    memset(sum, 0, sizeof *sum);
    sum->best_key = INT64_MAX;
    sum->best_rank = COMBGPU__PERM_NO_RANK;
    while ((task = combgpu__take(worker)) != NULL) {
        uint64_t begin = combgpu__get64(task), end = combgpu__get64(task + 2);
        combgpu__perm_walk walk;
        combgpu__perm_set_walk_to(&state->set, &walk, begin);
        while (begin < end && !combgpu__spent(worker)) {
            uint64_t portion = combgpu__perm_portion(worker, begin, end, COMBGPU__PERM_GROUP);
            uint64_t done = portion;
            combgpu__visit_values(state, worker->simd, &walk, (int)portion, scratch->perms,
                                  scratch->values, scratch->hits, &grouped);
            if (state->desc.goal == COMBGPU_PERM_COUNT)
                done = combgpu__visit_count(worker, begin, portion, scratch->hits);
            else
                combgpu__visit_add(worker, sum, begin, (int)portion, scratch->values);
            begin += done;
            worker->totals[0] += done;
            if (done < portion) break;
        }
        combgpu__perm_give(worker, begin, end);
    }
    combgpu__visit_hand_in(worker, sum);
}
