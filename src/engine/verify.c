/* ---- verification: tasks run again

   A slice cannot be compared with another run of it, since what it leaves over depends on timing; a
   task that is done to its end can. Tasks chosen at random run to their end on their device, then
   again; totals and, where a task always gives the same, records must agree. */

#define COMBGPU__VERIFY_SHARE 0.01
#define COMBGPU__VERIFY_CPU_S 0.02 /* time of the CPU's part */

/* What tasks come to, done to the end: as large as all sums, so never on the stack. */
typedef struct combgpu__tally {
    uint64_t sums[COMBGPU__SUMS];
    uint64_t records, hash;
} combgpu__tally;

COMBGPU__PRIVATE int combgpu__tally_equal(const combgpu__tally *a, const combgpu__tally *b)
{
    return !memcmp(a, b, sizeof *a);
}

COMBGPU__PRIVATE void combgpu__tally_add(combgpu_job *job, combgpu__tally *to,
                                         const combgpu__tally *from)
{
    combgpu__add_sums(job, to->sums, from->sums);
    to->records += from->records;
    to->hash += from->hash;
}

COMBGPU__PRIVATE size_t combgpu__pending(const combgpu_job *job)
{
    return job->pending_count - job->pending_next;
}

/* Adds the last `count` pending records: their number and the sum of their hashes. Fillers, whose
   first two words are all ones, count for nothing. */
COMBGPU__PRIVATE void combgpu__tally_records(const combgpu_job *job, size_t count,
                                             combgpu__tally *tally)
{
    const uint32_t *record = job->pending + (job->pending_count - count) * job->record_words;
    size_t bytes = job->record_words * sizeof *record;
    for (; count && job->records_repeat; count--, record += job->record_words) {
        if (job->record_words > 1 && (record[0] & record[1]) == UINT32_MAX) continue;
        tally->records++;
        tally->hash += combgpu__mix(combgpu__fnv(COMBGPU__FNV_OFFSET, record, bytes));
    }
}

/* One slice on an idle device: its sums and records to *tally. */
COMBGPU__PRIVATE combgpu_status combgpu__tally_slice(combgpu_job *job, combgpu__share *share,
                                                     uint32_t budget, combgpu__tally *tally)
{
    size_t before = combgpu__pending(job);
    combgpu_status status = combgpu__slice_start(job, share, budget);
    if (!status) status = combgpu__slice_wait(job, share);
    if (!status) status = combgpu__slice_collect(job, share, tally->sums);
    if (!status) combgpu__tally_records(job, combgpu__pending(job) - before, tally);
    if (!status && job->slice_sums) {
        combgpu__swap_sums(job, tally->sums);
        status = job->problem->slice_done(job, share);
        combgpu__swap_sums(job, tally->sums);
    }
    return status > 0 ? COMBGPU_OK : status;
}

/* Runs tasks to their end on an idle device with an empty pool. Their records stand behind those
   that are pending. STOPPED: they take more than `most` steps, or more room than the pool has. */
COMBGPU__PRIVATE combgpu_status combgpu__tally_run(combgpu_job *job, combgpu__share *share,
                                                   const uint32_t *tasks, uint32_t count,
                                                   uint64_t most, combgpu__tally *tally)
{
    size_t before = combgpu__pending(job);
    uint32_t room = share->pool_capacity - combgpu__left_room(job, share);
    combgpu_status status;
    memset(tally, 0, sizeof *tally);
    job->verifying = share;
    if (count > room) return COMBGPU_STOPPED;
    status = share->backend->upload(share->ctx, &share->memory[COMBGPU__POOL], 0, tasks,
                                    (size_t)count * job->task_words * sizeof *tasks);
    share->pool_count = count;
    while (!status && share->pool_count)
        if (tally->sums[0] > most || share->pool_count > room)
            status = COMBGPU_STOPPED;
        else
            status = combgpu__tally_slice(
                job, share, share == job->shares ? job->budget : share->budget, tally);
    share->pool_count = 0;
    if (status) job->pending_count -= combgpu__pending(job) - before;
    return status;
}

/* Does a part of a large task, twice, with one worker on the CPU, which leaves the same tasks over
   each time. They go to the reserve. */
COMBGPU__PRIVATE combgpu_status combgpu__verify_part(combgpu_job *job, const uint32_t *task,
                                                     combgpu__tally tally[2], combgpu__tally *total)
{
    combgpu__share *checker = &job->checker;
    uint32_t workers = checker->workers, run;
    size_t words = job->task_words, before = combgpu__pending(job), records = 0;
    uint64_t left[2] = {0, 0};
    combgpu_status status = COMBGPU_OK;
    job->verifying = checker;
    checker->workers = 1;
    memset(tally, 0, 2 * sizeof *tally);
    for (run = 0; run < 2 && !status; run++) {
        memcpy(checker->memory[COMBGPU__POOL].handle, task, words * sizeof *task);
        checker->pool_count = 1;
        status = combgpu__tally_slice(job, checker, 4096, &tally[run]);
        if (!run) records = combgpu__pending(job) - before;
        left[run] = combgpu__fnv(COMBGPU__FNV_OFFSET, checker->memory[COMBGPU__POOL].handle,
                                 checker->pool_count * words * sizeof *task);
    }
    checker->workers = workers;
    if (!status) job->pending_count -= combgpu__pending(job) - before - records;
    if (!status && (left[0] != left[1] || !combgpu__tally_equal(&tally[0], &tally[1])))
        status = combgpu__fail(job->ctx, COMBGPU_WRONG_RESULT,
                               "verify: the CPU gave two results for the same task");
    if (!status) status = combgpu__spill(job, checker, checker->pool_count);
    checker->pool_count = 0;
    if (!status) combgpu__tally_add(job, total, &tally[0]);
    return status;
}

/* Reports a wrong result of a device, found in one of `count` tasks. */
COMBGPU__PRIVATE void combgpu__blame(combgpu_job *job, combgpu__share *share, const uint32_t *task,
                                     uint32_t count)
{
    char text[160];
    size_t at = 0;
    uint32_t i;
    for (i = 0; i < job->task_words && at < 120; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, " %x", task[i]);
    share->mismatches++;
    combgpu__log(
        job->ctx, COMBGPU_LOG_ERROR, "verify: %s computed a wrong result: %s, %s%u task%s%.140s%s",
        combgpu__share_name(share).text, job->problem->name, count > 1 ? "once, in one of " : "",
        count, count > 1 ? "s from" : "", text, i < job->task_words ? " ..." : "");
}

/* A single task whose two runs, tally[0] and [1], differ: the third, on the CPU, decides. All their
   records are pending, `records` each. */
COMBGPU__PRIVATE combgpu_status combgpu__verify_third(combgpu_job *job, combgpu__share *share,
                                                      combgpu__share *other, const uint32_t *task,
                                                      combgpu__tally tally[3],
                                                      const size_t records[2],
                                                      combgpu__tally *total)
{
    combgpu__share *third = job->checker.backend ? &job->checker : share;
    size_t words = job->record_words, before = combgpu__pending(job), all = records[0] + records[1];
    combgpu_status status = combgpu__tally_run(job, third, task, 1, UINT64_MAX, &tally[2]);
    uint32_t *first;
    if (status == COMBGPU_STOPPED) { /* it does not fit into the pool: in parts, then */
        job->pending_count -= all;
        combgpu__blame(job, share, task, 1);
        return combgpu__verify_part(job, task, tally, total);
    }
    if (status) return status;
    all += combgpu__pending(job) - before;
    first = job->pending + (job->pending_count - all) * words;
    if (combgpu__tally_equal(&tally[2], &tally[0])) {
        combgpu__blame(job, other, task, 1);
        job->pending_count -= all - records[0];
    } else if (combgpu__tally_equal(&tally[2], &tally[1])) {
        combgpu__blame(job, share, task, 1);
        memmove(first, first + records[0] * words, records[1] * words * sizeof *first);
        job->pending_count -= all - records[1];
    } else
        return combgpu__fail(job->ctx, COMBGPU_WRONG_RESULT,
                             "verify: three runs of a task of %s gave three results; %s is one of "
                             "the devices",
                             job->problem->name, combgpu__share_name(share).text);
    share->verified++;
    combgpu__tally_add(job, total, &tally[2]);
    return COMBGPU_OK;
}

COMBGPU__PRIVATE combgpu_status combgpu__verify_tasks(combgpu_job *job, combgpu__share *share,
                                                      combgpu__share *other, const uint32_t *tasks,
                                                      uint32_t count, uint64_t most,
                                                      combgpu__tally *total);

/* Tasks whose two runs differ in `differ`, or that take too long: again in halves, to tally[1]. */
COMBGPU__PRIVATE combgpu_status combgpu__verify_halves(combgpu_job *job, combgpu__share *share,
                                                       combgpu__share *other, const uint32_t *tasks,
                                                       uint32_t count, const combgpu__tally *differ,
                                                       combgpu__tally *agreed)
{
    uint64_t mismatches = share->mismatches + other->mismatches;
    uint32_t half = count / 2;
    combgpu_status status;
    memset(agreed, 0, sizeof *agreed);
    status = combgpu__verify_tasks(job, share, other, tasks, half, 0, agreed);
    if (!status)
        status = combgpu__verify_tasks(job, share, other, tasks + (size_t)half * job->task_words,
                                       count - half, 0, agreed);
    if (!status && differ && share->mismatches + other->mismatches == mismatches)
        combgpu__blame(job, /* it did not come again */
                       combgpu__tally_equal(agreed, differ) ? other : share, tasks, count);
    return status;
}

/* combgpu__verify_tasks with room for three tallies. */
COMBGPU__PRIVATE combgpu_status combgpu__verify_twice(combgpu_job *job, combgpu__share *share,
                                                      combgpu__share *other, const uint32_t *tasks,
                                                      uint32_t count, uint64_t most,
                                                      combgpu__tally tally[3],
                                                      combgpu__tally *total)
{
    size_t before = combgpu__pending(job), records[2] = {0, 0};
    int differ;
    combgpu_status status =
        combgpu__tally_run(job, share, tasks, count, most ? most : 50000, &tally[0]);
    if (status == COMBGPU_STOPPED && most) return status;
    records[0] = combgpu__pending(job) - before;
    if (!status) status = combgpu__tally_run(job, other, tasks, count, UINT64_MAX, &tally[1]);
    if (status < 0) return status;
    records[1] = combgpu__pending(job) - before - records[0];
    differ = !status && !combgpu__tally_equal(&tally[0], &tally[1]);
    if (!status && !differ) {
        job->pending_count -= records[1];
        share->verified += count;
        combgpu__tally_add(job, total, &tally[0]);
        return COMBGPU_OK;
    }
    if (differ && count == 1)
        return combgpu__verify_third(job, share, other, tasks, tally, records, total);
    job->pending_count -= records[0] + records[1];
    if (count == 1) return combgpu__verify_part(job, tasks, tally, total);
    status =
        combgpu__verify_halves(job, share, other, tasks, count, differ ? tally : NULL, &tally[1]);
    if (!status) combgpu__tally_add(job, total, &tally[1]);
    return status;
}

/* Runs tasks on `share` and again on `other`; adds what both agree on to `total`. Where they differ,
   the tasks run again in halves, down to a single one. STOPPED: nothing was done, since they take
   more than `most` steps; with `most` 0 they are done in halves and parts instead. */
COMBGPU__PRIVATE combgpu_status combgpu__verify_tasks(combgpu_job *job, combgpu__share *share,
                                                      combgpu__share *other, const uint32_t *tasks,
                                                      uint32_t count, uint64_t most,
                                                      combgpu__tally *total)
{
    combgpu__tally *tally =
        (combgpu__tally *)combgpu__allocate(job->ctx, 3 * sizeof(combgpu__tally));
    combgpu_status status;
    if (!tally) return combgpu__no_memory(job->ctx, 3 * sizeof(combgpu__tally));
    status = combgpu__verify_twice(job, share, other, tasks, count, most, tally, total);
    combgpu__release(job->ctx, tally);
    return status;
}

/* A number below n. What is verified should be hard to foresee, so it is no part of the result. */
COMBGPU__PRIVATE uint64_t combgpu__verify_random(combgpu_job *job, uint64_t n)
{
    double now = combgpu__now();
    job->verify_state =
        combgpu__mix(job->verify_state ^ combgpu__fnv(job->slices, &now, sizeof now));
    return job->verify_state % n;
}

/* Takes up to *count tasks at random off the reserve, to `tasks`. Of a range only *count numbers,
   the rest stays. */
COMBGPU__PRIVATE void combgpu__verify_choose(combgpu_job *job, uint32_t *tasks, uint32_t *count)
{
    size_t words = job->task_words, bytes = words * sizeof *tasks, i;
    uint32_t wanted = *count;
    if (wanted > job->reserve_count) wanted = (uint32_t)job->reserve_count;
    if (job->range_tasks) wanted = 1;
    for (i = 0; i < wanted; i++) {
        uint32_t *last = job->reserve + (job->reserve_count - 1) * words;
        uint32_t *task = job->reserve + combgpu__verify_random(job, job->reserve_count) * words;
        uint64_t begin = combgpu__get64(task);
        memcpy(tasks + i * words, task, bytes);
        if (job->range_tasks && combgpu__get64(task + 2) - begin > *count) {
            combgpu__put64(tasks + 2, begin + *count);
            combgpu__put64(task, begin + *count);
            break;
        }
        memcpy(task, last, bytes);
        job->reserve_count--;
    }
    if (job->fresh_reserve > job->reserve_count) job->fresh_reserve = job->reserve_count;
    *count = wanted;
}

/* Once for each of a device's slices that is chosen: some of its tasks on another device or on
   itself again, then as many as the CPU does in a moment on the CPU. With verify_share 1 the CPU
   does all. */
COMBGPU__PRIVATE combgpu_status combgpu__verify_on(combgpu_job *job, combgpu__share *share,
                                                   combgpu__share *other, uint32_t *size, int all)
{
    double seconds = other == &job->checker ? COMBGPU__VERIFY_CPU_S : 0.1;
    double speed = other->speed > 0 ? other->speed : (double)other->workers * 10000;
    uint64_t most = (uint64_t)(seconds * speed) + 1000;
    combgpu__tally *total;
    combgpu_status status = COMBGPU_STOPPED;
    uint32_t count, *tasks, room = share->pool_capacity - combgpu__left_room(job, share);
    int tries;
    size_t bytes;
    for (tries = 0; status == COMBGPU_STOPPED && job->reserve_count && tries < 4; tries++) {
        if (!*size) *size = job->range_tasks ? 64 : 16;
        if (*size > room && !job->range_tasks) *size = room;
        count = *size;
        bytes = (job->range_tasks ? 1 : count) * job->task_words * sizeof *tasks;
        total = (combgpu__tally *)combgpu__allocate_zeroed(job->ctx, sizeof *total + bytes);
        if (!total) return combgpu__no_memory(job->ctx, sizeof *total + bytes);
        tasks = (uint32_t *)(void *)(total + 1);
        combgpu__verify_choose(job, tasks, &count);
        status = combgpu__verify_tasks(job, share, other, tasks, count,
                                       !all                ? most
                                       : !job->range_tasks ? 0
                                       : *size == 1        ? UINT64_MAX
                                                           : most,
                                       total);
        if (status == COMBGPU_STOPPED) { /* back: there is room where they came from */
            combgpu_status room_status = combgpu__reserve_room(job, count);
            if (room_status)
                status = room_status;
            else {
                memcpy(job->reserve + job->reserve_count * job->task_words, tasks,
                       count * job->task_words * sizeof *tasks);
                job->reserve_count += count;
                *size = (*size + 1) / 2;
            }
        } else if (!status) {
            combgpu__add_sums(job, job->sums, total->sums);
            if (total->sums[0] < most / 4 && *size < 1u << 30) *size *= 2;
            if (job->problem->slice_done && !job->slice_sums)
                status = job->problem->slice_done(job, share);
        }
        combgpu__release(job->ctx, total);
    }
    return status == COMBGPU_STOPPED ? COMBGPU_OK : status;
}

COMBGPU__PRIVATE combgpu_status combgpu__verify(combgpu_job *job, combgpu__share *share)
{
    int all = job->run.verify_share >= 1, cpu = share->backend->id == COMBGPU_BACKEND_CPU, i;
    combgpu__share *other = share;
    combgpu_status status;
    job->verifying = share;
    status = combgpu__spill(job, share, share->pool_count);
    for (i = 0; i < job->share_count && !status; i++) { /* the next one that works */
        combgpu__share *next = &job->shares[(int)(share - job->shares + i + 1) % job->share_count];
        if (next == share || next->lost || (next->backend->id == COMBGPU_BACKEND_CPU && !cpu))
            continue;
        job->verifying = other = next;
        if (next->running) status = combgpu__share_done(job, next);
        if (status >= 0) status = combgpu__spill(job, next, next->pool_count);
        break;
    }
    if (!status && (cpu || !all || !job->checker.backend))
        status = combgpu__verify_on(job, share, other, &share->verify_size[0], all);
    if (!status && !cpu && job->checker.backend)
        status = combgpu__verify_on(job, share, &job->checker, &share->verify_size[1], all);
    return status;
}

/* Is a slice of this device to be verified now? */
COMBGPU__PRIVATE int combgpu__verify_due(combgpu_job *job)
{
    double part = job->run.verify_share > 0 ? job->run.verify_share : COMBGPU__VERIFY_SHARE;
    return combgpu__verifies(job) &&
           (double)combgpu__verify_random(job, 1u << 30) < part * (1u << 30);
}

