/* ---- Verification: runs tasks twice and compares.
   Runs of a slice are incomparable, since spilled tasks depend on timing; runs of a task to its end
   are comparable. Tasks chosen at random run to their end on their device and run again; totals
   must agree, and records, if the search repeats them. */

#define COMBGPU__VERIFY_SHARE 0.01
#define COMBGPU__VERIFY_CPU_S 0.02 /* seconds of the CPU's share */

/* The results of tasks run to their end. Too large for the stack. */
typedef struct combgpu__tally {
    uint64_t accumulators[COMBGPU__ACCUMULATORS];
    uint64_t records, hash;
} combgpu__tally;

COMBGPU__PRIVATE int combgpu__tally_equal(const combgpu__tally *a, const combgpu__tally *b)
{
    return !memcmp(a, b, sizeof *a);
}

COMBGPU__PRIVATE void combgpu__tally_add(combgpu_job *job, combgpu__tally *to,
                                         const combgpu__tally *from)
{
    combgpu__add_accumulators(job, to->accumulators, from->accumulators);
    to->records += from->records;
    to->hash += from->hash;
}

/* Adds number and hash sum of the last `count` pending records. Skips fillers, whose first two
   words are all ones. */
COMBGPU__PRIVATE void combgpu__tally_records(const combgpu_job *job, size_t count,
                                             combgpu__tally *tally)
{
    const uint32_t *record =
        job->pending.records + (job->pending.count - count) * job->desc.record_words;
    size_t bytes = job->desc.record_words * sizeof *record;
    for (; count && job->desc.records_repeat; count--, record += job->desc.record_words) {
        if (job->desc.record_words > 1 && (record[0] & record[1]) == UINT32_MAX) continue;
        tally->records++;
        tally->hash += combgpu__mix(combgpu__fnv(COMBGPU__FNV_OFFSET, record, bytes));
    }
}

/* Runs one slice on an idle device and adds its totals and records to *tally. */
COMBGPU__PRIVATE combgpu_status combgpu__tally_slice(combgpu_job *job, combgpu__executor *executor,
                                                     uint32_t budget, combgpu__tally *tally)
{
    size_t before = combgpu__records_waiting(job);
    combgpu_status status = combgpu__slice_start(job, executor, budget);
    if (!status) status = combgpu__slice_wait(job, executor);
    if (!status) status = combgpu__slice_collect(job, executor, tally->accumulators);
    if (!status) combgpu__tally_records(job, combgpu__records_waiting(job) - before, tally);
    if (!status && job->desc.slice_accumulators)
        status = job->desc.slice_done(job, executor, tally->accumulators);
    return status > 0 ? COMBGPU_OK : status;
}

/* Runs tasks to their end on an idle device with an empty pool. Appends their records to the
   pending ones. Returns TOO_LONG if they exceed `most` steps or the pool's room. */
COMBGPU__PRIVATE combgpu__result combgpu__tally_run(combgpu_job *job, combgpu__executor *executor,
                                                    const uint32_t *tasks, uint32_t count,
                                                    uint64_t most, combgpu__tally *tally)
{
    size_t before = combgpu__records_waiting(job);
    uint32_t room = executor->pool_capacity - combgpu__left_room(job, executor);
    combgpu__result result;
    memset(tally, 0, sizeof *tally);
    job->verify.executor = executor;
    if (count > room) return COMBGPU__TOO_LONG;
    result = combgpu__as_result(
        executor->backend->upload(executor->ctx, &executor->memory[COMBGPU__POOL], 0, tasks,
                                  (size_t)count * job->desc.task_words * sizeof *tasks));
    executor->pool_count = count;
    while (!result && executor->pool_count)
        if (tally->accumulators[0] > most || executor->pool_count > room)
            result = COMBGPU__TOO_LONG;
        else
            result = combgpu__as_result(combgpu__tally_slice(
                job, executor, executor == job->executors ? job->budget : executor->budget, tally));
    executor->pool_count = 0;
    if (result) job->pending.count -= combgpu__records_waiting(job) - before;
    return result;
}

/* Reports a fault of the solver, not a device. */
COMBGPU__PRIVATE combgpu_status combgpu__not_deterministic(const combgpu_job *job,
                                                           const combgpu__executor *executor)
{
    return combgpu__fail(job->ctx, COMBGPU_WRONG_RESULT,
                         "verify: the solver of \"%s\" is not deterministic: for the same task %s "
                         "gives other totals or records each time. They must depend "
                         "only on the task and the tables: look for unset words",
                         job->desc.name, combgpu__executor_name(executor).text);
}

/* Runs a part of a large task twice with one CPU worker, which spills the same tasks each time, to
   the reserve. */
COMBGPU__PRIVATE combgpu_status combgpu__verify_part(combgpu_job *job, const uint32_t *task,
                                                     combgpu__tally tally[2], combgpu__tally *total)
{
    combgpu__executor *checker = &job->verify.checker;
    uint32_t workers = checker->workers, run;
    size_t words = job->desc.task_words, before = combgpu__records_waiting(job), records = 0;
    uint64_t left[2] = {0, 0};
    combgpu_status status = COMBGPU_OK;
    job->verify.executor = checker;
    checker->workers = 1;
    memset(tally, 0, 2 * sizeof *tally);
    for (run = 0; run < 2 && !status; run++) {
        memcpy(checker->memory[COMBGPU__POOL].handle, task, words * sizeof *task);
        checker->pool_count = 1;
        status = combgpu__tally_slice(job, checker, 4096, &tally[run]);
        if (!run) records = combgpu__records_waiting(job) - before;
        left[run] = combgpu__fnv(COMBGPU__FNV_OFFSET, checker->memory[COMBGPU__POOL].handle,
                                 checker->pool_count * words * sizeof *task);
    }
    checker->workers = workers;
    if (!status) job->pending.count -= combgpu__records_waiting(job) - before - records;
    if (!status && (left[0] != left[1] || !combgpu__tally_equal(&tally[0], &tally[1])))
        status = combgpu__not_deterministic(job, checker);
    if (!status) status = combgpu__spill(job, checker, checker->pool_count);
    checker->pool_count = 0;
    if (!status) combgpu__tally_add(job, total, &tally[0]);
    return status;
}

/* Reports a device's wrong result in one of `count` tasks. */
COMBGPU__PRIVATE void combgpu__report_fault(combgpu_job *job, combgpu__executor *executor,
                                            const uint32_t *task, uint32_t count)
{
    char text[160];
    size_t at = 0;
    uint32_t i;
    for (i = 0; i < job->desc.task_words && at < 120; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, " %x", task[i]);
    executor->mismatches++;
    combgpu__log(
        job->ctx, COMBGPU_LOG_ERROR, "verify: %s computed a wrong result: %s, %s%u task%s%.140s%s",
        combgpu__executor_name(executor).text, job->desc.name, count > 1 ? "once, in one of " : "",
        count, count > 1 ? "s from" : "", text, i < job->desc.task_words ? " ..." : "");
}

/* Decides by a third run, on the CPU, between a task's two differing runs, tally[0] and tally[1],
   whose records are pending: records[0], then records[1]. Three results for one task are the
   solver's fault if the third device gives a fourth. */
COMBGPU__PRIVATE combgpu_status combgpu__verify_third(combgpu_job *job, combgpu__executor *executor,
                                                      combgpu__executor *other,
                                                      const uint32_t *task, combgpu__tally tally[3],
                                                      const size_t records[2],
                                                      combgpu__tally *total)
{
    combgpu__executor *third = job->verify.checker.backend ? &job->verify.checker : executor;
    size_t words = job->desc.record_words, before = combgpu__records_waiting(job),
           all = records[0] + records[1];
    combgpu__result result = combgpu__tally_run(job, third, task, 1, UINT64_MAX, &tally[2]);
    uint32_t *first;
    if (result == COMBGPU__TOO_LONG) { /* too large for the pool: run a part instead */
        job->pending.count -= all;
        combgpu__report_fault(job, executor, task, 1);
        return combgpu__verify_part(job, task, tally, total);
    }
    if (result) return combgpu__as_status(result);
    all += combgpu__records_waiting(job) - before;
    first = job->pending.records + (job->pending.count - all) * words;
    if (combgpu__tally_equal(&tally[2], &tally[0])) {
        combgpu__report_fault(job, other, task, 1);
        job->pending.count -= all - records[0];
    } else if (combgpu__tally_equal(&tally[2], &tally[1])) {
        combgpu__report_fault(job, executor, task, 1);
        memmove(first, first + records[0] * words, records[1] * words * sizeof *first);
        job->pending.count -= all - records[1];
    } else {
        result = combgpu__tally_run(job, third, task, 1, UINT64_MAX, &tally[0]);
        if (result < 0) return combgpu__as_status(result);
        if (!combgpu__tally_equal(&tally[0], &tally[2]))
            return combgpu__not_deterministic(job, third);
        return combgpu__fail(job->ctx, COMBGPU_WRONG_RESULT,
                             "verify: three runs of one task of %s gave three results; one of the "
                             "devices is %s",
                             job->desc.name, combgpu__executor_name(executor).text);
    }
    executor->verified++;
    combgpu__tally_add(job, total, &tally[2]);
    return COMBGPU_OK;
}

COMBGPU__PRIVATE combgpu__result combgpu__verify_tasks(combgpu_job *job,
                                                       combgpu__executor *executor,
                                                       combgpu__executor *other,
                                                       const uint32_t *tasks, uint32_t count,
                                                       uint64_t most, combgpu__tally *total);

/* Verifies tasks in halves and sets *agreed: after two differing runs, *differ the first, or after
   a run that was too long, with `differ` NULL. */
COMBGPU__PRIVATE combgpu_status combgpu__verify_halves(
    combgpu_job *job, combgpu__executor *executor, combgpu__executor *other, const uint32_t *tasks,
    uint32_t count, const combgpu__tally *differ, combgpu__tally *agreed)
{
    uint64_t mismatches = executor->mismatches + other->mismatches;
    uint32_t half = count / 2;
    combgpu_status status;
    memset(agreed, 0, sizeof *agreed);
    status =
        combgpu__as_status(combgpu__verify_tasks(job, executor, other, tasks, half, 0, agreed));
    if (!status)
        status = combgpu__as_status(
            combgpu__verify_tasks(job, executor, other, tasks + (size_t)half * job->desc.task_words,
                                  count - half, 0, agreed));
    if (!status && differ && executor->mismatches + other->mismatches == mismatches)
        combgpu__report_fault(job, /* the difference did not recur */
                              combgpu__tally_equal(agreed, differ) ? other : executor, tasks,
                              count);
    return status;
}

/* Does the work of combgpu__verify_tasks; `tally` is room for three. */
COMBGPU__PRIVATE combgpu__result combgpu__verify_twice(
    combgpu_job *job, combgpu__executor *executor, combgpu__executor *other, const uint32_t *tasks,
    uint32_t count, uint64_t most, combgpu__tally tally[3], combgpu__tally *total)
{
    size_t before = combgpu__records_waiting(job), records[2] = {0, 0};
    int differ;
    combgpu__result result =
        combgpu__tally_run(job, executor, tasks, count, most ? most : 50000, &tally[0]);
    if (result == COMBGPU__TOO_LONG && most) return result;
    records[0] = combgpu__records_waiting(job) - before;
    if (!result) result = combgpu__tally_run(job, other, tasks, count, UINT64_MAX, &tally[1]);
    if (result < 0) return result;
    records[1] = combgpu__records_waiting(job) - before - records[0];
    differ = !result && !combgpu__tally_equal(&tally[0], &tally[1]);
    if (!result && !differ) {
        job->pending.count -= records[1];
        executor->verified += count;
        combgpu__tally_add(job, total, &tally[0]);
        return COMBGPU__DONE;
    }
    if (differ && count == 1)
        return combgpu__as_result(
            combgpu__verify_third(job, executor, other, tasks, tally, records, total));
    job->pending.count -= records[0] + records[1];
    if (count == 1) return combgpu__as_result(combgpu__verify_part(job, tasks, tally, total));
    result = combgpu__as_result(combgpu__verify_halves(job, executor, other, tasks, count,
                                                       differ ? tally : NULL, &tally[1]));
    if (!result) combgpu__tally_add(job, total, &tally[1]);
    return result;
}

/* Runs tasks on `executor` and again on `other`, and adds the agreed results to `total`. If they
   differ, reruns the tasks in halves, down to a single one. Returns TOO_LONG, with nothing done, if
   the tasks exceed `most` steps; with `most` 0 they run in halves and parts instead. */
COMBGPU__PRIVATE combgpu__result combgpu__verify_tasks(combgpu_job *job,
                                                       combgpu__executor *executor,
                                                       combgpu__executor *other,
                                                       const uint32_t *tasks, uint32_t count,
                                                       uint64_t most, combgpu__tally *total)
{
    combgpu__tally *tally =
        (combgpu__tally *)combgpu__allocate(job->ctx, 3 * sizeof(combgpu__tally));
    combgpu__result result;
    if (!tally) return combgpu__as_result(combgpu__no_memory(job->ctx, 3 * sizeof(combgpu__tally)));
    result = combgpu__verify_twice(job, executor, other, tasks, count, most, tally, total);
    combgpu__release(job->ctx, tally);
    return result;
}

/* Returns a random number below n. It depends on the time, to keep verified tasks unpredictable;
   results do not depend on it. */
COMBGPU__PRIVATE uint64_t combgpu__verify_random(combgpu_job *job, uint64_t n)
{
    double now = combgpu__now();
    job->verify.random =
        combgpu__mix(job->verify.random ^ combgpu__fnv(job->slices, &now, sizeof now));
    return job->verify.random % n;
}

/* Takes up to *count random tasks from the reserve to `tasks`; from a range, only *count
   numbers. */
COMBGPU__PRIVATE void combgpu__verify_choose(combgpu_job *job, uint32_t *tasks, uint32_t *count)
{
    size_t words = job->desc.task_words, bytes = words * sizeof *tasks, i;
    uint32_t wanted = *count;
    if (wanted > job->reserve.count) wanted = (uint32_t)job->reserve.count;
    if (job->desc.range_tasks) wanted = 1;
    for (i = 0; i < wanted; i++) {
        uint32_t *last = job->reserve.tasks + (job->reserve.count - 1) * words;
        uint32_t *task =
            job->reserve.tasks + combgpu__verify_random(job, job->reserve.count) * words;
        uint64_t begin = job->desc.range_tasks ? combgpu__get64(task) : 0;
        memcpy(tasks + i * words, task, bytes);
        if (job->desc.range_tasks && combgpu__get64(task + 2) - begin > *count) {
            combgpu__put64(tasks + 2, begin + *count);
            combgpu__put64(task, begin + *count);
            break;
        }
        memcpy(task, last, bytes);
        job->reserve.count--;
    }
    if (job->reserve.fresh > job->reserve.count) job->reserve.fresh = job->reserve.count;
    *count = wanted;
}

/* Verifies tasks of `executor` on `other`, as many as take a moment (*size adapts); with `all`
   (verify_share 1), also longer tasks. */
COMBGPU__PRIVATE combgpu_status combgpu__verify_on(combgpu_job *job, combgpu__executor *executor,
                                                   combgpu__executor *other, uint32_t *size,
                                                   int all)
{
    double seconds = other == &job->verify.checker ? COMBGPU__VERIFY_CPU_S : 0.1;
    double speed = other->speed > 0 ? other->speed : (double)other->workers * 10000;
    uint64_t most = (uint64_t)(seconds * speed) + 1000;
    combgpu__tally *total;
    combgpu_status status = COMBGPU_OK;
    combgpu__result result = COMBGPU__TOO_LONG;
    uint32_t count, *tasks, room = executor->pool_capacity - combgpu__left_room(job, executor);
    int tries;
    size_t bytes;
    for (tries = 0; result == COMBGPU__TOO_LONG && !status && job->reserve.count && tries < 4;
         tries++) {
        if (!*size) *size = job->desc.range_tasks ? 64 : 16;
        if (*size > room && !job->desc.range_tasks) *size = room;
        count = *size;
        bytes = (job->desc.range_tasks ? 1 : count) * job->desc.task_words * sizeof *tasks;
        total = (combgpu__tally *)combgpu__allocate_zeroed(job->ctx, sizeof *total + bytes);
        if (!total) return combgpu__no_memory(job->ctx, sizeof *total + bytes);
        tasks = (uint32_t *)(void *)(total + 1);
        combgpu__verify_choose(job, tasks, &count);
        result = combgpu__verify_tasks(job, executor, other, tasks, count,
                                       !all                     ? most
                                       : !job->desc.range_tasks ? 0
                                       : *size == 1             ? UINT64_MAX
                                                                : most,
                                       total);
        if (result == COMBGPU__TOO_LONG) { /* the tasks return to the reserve */
            status = combgpu__reserve_room(job, count);
            if (!status) {
                memcpy(job->reserve.tasks + job->reserve.count * job->desc.task_words, tasks,
                       count * job->desc.task_words * sizeof *tasks);
                job->reserve.count += count;
                *size = (*size + 1) / 2;
            }
        } else if (result)
            status = combgpu__as_status(result);
        else {
            combgpu__add_accumulators(job, job->accumulators, total->accumulators);
            if (total->accumulators[0] < most / 4 && *size < 1u << 30) *size *= 2;
            if (job->desc.slice_done && !job->desc.slice_accumulators)
                status = job->desc.slice_done(job, executor, job->accumulators);
        }
        combgpu__release(job->ctx, total);
    }
    return status;
}

COMBGPU__PRIVATE combgpu_status combgpu__verify(combgpu_job *job, combgpu__executor *executor)
{
    int all = job->run.verify_share >= 1, cpu = executor->backend->id == COMBGPU_BACKEND_CPU, i;
    combgpu__executor *other = executor;
    combgpu_status status;
    job->verify.executor = executor;
    status = combgpu__spill(job, executor, executor->pool_count);
    for (i = 0; i < job->executor_count && !status;
         i++) { /* the next working device, but never a CPU for a GPU */
        combgpu__executor *next =
            &job->executors[(int)(executor - job->executors + i + 1) % job->executor_count];
        if (next == executor || next->lost || (next->backend->id == COMBGPU_BACKEND_CPU && !cpu))
            continue;
        job->verify.executor = other = next;
        if (next->running) status = combgpu__executor_done(job, next);
        if (status >= 0) status = combgpu__spill(job, next, next->pool_count);
        break;
    }
    if (!status && (cpu || !all || !job->verify.checker.backend))
        status = combgpu__verify_on(job, executor, other, &executor->verify_size[0], all);
    if (!status && !cpu && job->verify.checker.backend)
        status =
            combgpu__verify_on(job, executor, &job->verify.checker, &executor->verify_size[1], all);
    return status;
}

/* Returns, at random, whether to verify instead of running a slice. */
COMBGPU__PRIVATE int combgpu__verify_due(combgpu_job *job)
{
    double part = job->run.verify_share > 0 ? job->run.verify_share : COMBGPU__VERIFY_SHARE;
    return combgpu__verifies(job) &&
           (double)combgpu__verify_random(job, 1u << 30) < part * (1u << 30);
}
