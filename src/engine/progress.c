/* ---- Progress: the fraction done and the time left, estimated from samples. */

/* Returns the share of the search whose tasks exist. Below 1, an estimate's error is unknown. */
COMBGPU__PRIVATE double combgpu__coverage(const combgpu_job *job)
{
    return job->desc.coverage ? job->desc.coverage(job) : 1;
}

/* Returns the expected steps of the whole job by all estimates so far: within the newest's
   interval, which has the least left to estimate, and at least those done plus one per waiting
   task. */
COMBGPU__PRIVATE double combgpu__outlook_steps(const combgpu_job *job)
{
    const combgpu__outlook *outlook = &job->outlook;
    double least = (double)job->accumulators[0] + (double)combgpu__tasks_left(job);
    double steps = outlook->weight > 0 ? outlook->steps / outlook->weight : 0;
    if (steps < outlook->low) steps = outlook->low;
    if (outlook->high > 0 && steps > outlook->high) steps = outlook->high;
    return steps > least ? steps : least;
}

/* Adds an estimate of the whole job from samples of the remaining steps. Later estimates weigh
   more, since less is left to estimate. Weights must not depend on the samples themselves, or low
   ones would pull the mean down. */
COMBGPU__PRIVATE void combgpu__outlook_add(combgpu_job *job, const double *values, int count)
{
    combgpu__outlook *outlook = &job->outlook;
    double mean, weight, done = (double)job->accumulators[0], rest;
    combgpu__verdict verdict;
    int i;
    for (i = 0; i < count; i++)
        outlook->impossible |= values[i] < 0;
    if (outlook->impossible) return;
    verdict = combgpu__judge(values, count);
    mean = verdict.mean;
    if (mean > 0) {
        outlook->spread += verdict.squares / (mean * mean);
        outlook->freedom += count - 1;
        if (outlook->logs_freedom > 64) { /* halves older values, as waiting tasks become smaller */
            outlook->logs /= 2;
            outlook->logs_freedom /= 2;
        }
        outlook->logs += verdict.logs;
        outlook->logs_freedom += count - 1;
    }
    rest = outlook->weight > 0 ? combgpu__outlook_steps(job) - done : done + mean;
    outlook->low = (done + verdict.low) / combgpu__coverage(job);
    outlook->high = (done + verdict.high) / combgpu__coverage(job);
    weight = count / (rest * rest + 1);
    if (combgpu__coverage(job) < 1) /* a guess, which the next estimate replaces */
        outlook->weight = outlook->steps = outlook->variance = 0;
    outlook->weight += weight;
    outlook->steps += weight * (done + mean) / combgpu__coverage(job);
    outlook->variance += weight * weight * mean * mean / (double)count;
}

/* Samples the waiting tasks when due: for 5 % of the first ten seconds and 1 % of the time
   afterwards; less with several devices, which wait for each other. GPUs run a slice while the host
   works the samples, so half a slice's time is free. */
COMBGPU__PRIVATE combgpu_status combgpu__outlook_update(combgpu_job *job)
{
    enum { BATCH = 4, MOST = 64 };
    combgpu__outlook *outlook = &job->outlook;
    double begin = combgpu__now(), here = begin - job->clock.started, values[MOST], part, from,
           took;
    int gpu = job->ctx->device.is_gpu && !job->broken, alive = combgpu__executors_alive(job);
    int count = gpu && outlook->samples > BATCH ? outlook->samples : BATCH;
    double least = outlook->cost, spent = 0, free_s = gpu ? 0.5 * combgpu__slice_aim(job) : 0;
    combgpu__picks picks;
    combgpu_status status;
    part = here < 10 ? 0.05 * here : 0.4 + 0.01 * here;
    if (alive > 1) part *= 0.4;
    if (alive > 1 && least < 0.02) least = 0.02;
    part -= outlook->spent;
    if (outlook->impossible || here < outlook->next || part < least || here < 0.2)
        return COMBGPU_OK;
    status = combgpu__settle(job, 0);
    do {
        if (status || !combgpu__tasks_left(job)) return status;
        status = combgpu__pick(job, ++outlook->seed, 0, count, COMBGPU__SAMPLE_TASKS_SMALL, &picks);
        if (!status && gpu) {
            alive = combgpu__executors_alive(job);
            job->broken = combgpu__start_idle(job, NULL);
            if (job->broken || alive != combgpu__executors_alive(job)) { /* next time */
                combgpu__release(job->ctx, picks.tasks);
                return COMBGPU_OK;
            }
        }
        from = combgpu__now();
        if (!outlook->sizes) /* without memory it learns nothing */
            outlook->sizes =
                (combgpu__sizes *)combgpu__allocate_zeroed(job->ctx, sizeof *outlook->sizes);
        if (!status)
            status =
                combgpu__sample_many(job, &picks, outlook->sizes, outlook->sizes, values, NULL);
        combgpu__release(job->ctx, picks.tasks);
        if (status) { /* a failed estimate does not end a run */
            job->ctx->message[0] = 0;
            outlook->impossible = 1;
            return COMBGPU_OK;
        }
        combgpu__outlook_add(job, values, count);
        took = combgpu__now() - from;
        spent = combgpu__now() - begin - (took < free_s ? took : free_s);
    } while (!gpu && !outlook->impossible && spent < 0.5 * part);
    if (took > free_s)
        outlook->samples = BATCH;
    else if (2 * took < free_s && spent < 0.005 && count < MOST) /* picking tasks takes time */
        outlook->samples = 2 * count;
    else
        outlook->samples = count;
    outlook->cost = spent;
    outlook->spent += spent;
    outlook->next = 1.15 * here + 0.02;
    return COMBGPU_OK;
}

/* Sets fraction, time left and its error from the estimates. */
COMBGPU__PRIVATE void combgpu__outlook_tell(combgpu_job *job, combgpu_progress *progress)
{
    const double few = 12; /* samples, which may agree by chance */
    const combgpu__outlook *outlook = &job->outlook;
    double steps = combgpu__outlook_steps(job), rest = steps - (double)progress->steps, error;
    double off = 0, freedom = outlook->logs_freedom;
    if (!(outlook->weight > 0) || (freedom > 0 && outlook->freedom < few)) return;
    if (freedom > 0) /* two of its standard errors more */
        off = combgpu__sqrt(outlook->logs / freedom) * (1 + combgpu__sqrt(2 / freedom));
    if (!combgpu__judge_tail(off, outlook->freedom).known) return;
    progress->fraction = (double)progress->steps / steps;
    if (!(progress->steps_per_s > 0)) return;
    error = 1.25 * combgpu__student(outlook->freedom) *
            combgpu__sqrt(outlook->variance * outlook->spread / outlook->freedom) / outlook->weight;
    /* if the newest samples disagree with the others, their interval counts */
    if (outlook->low >= steps && outlook->high - steps > error) error = outlook->high - steps;
    if (outlook->high <= steps && steps - outlook->low > error) error = steps - outlook->low;
    progress->remaining_s = rest / progress->steps_per_s;
    if (combgpu__coverage(job) < 1) return;
    progress->remaining_error_s = error / progress->steps_per_s;
}

/* Nonzero if the callback is due. */
COMBGPU__PRIVATE int combgpu__progress_due(const combgpu_job *job, double now)
{
    const combgpu_run_desc *run = &job->run;
    return combgpu__due(now, job->clock.progress,
                        run->progress_interval_s > 0 ? run->progress_interval_s : 0.1);
}

/* Reports progress without new samples. */
COMBGPU__PRIVATE void combgpu__progress_known(combgpu_job *job, combgpu_progress *progress)
{
    double here = combgpu__since(job->clock.started);
    int i;
    memset(progress, 0, sizeof *progress);
    progress->tasks_left = combgpu__tasks_left(job);
    for (i = 0; i < job->executor_count; i++)
        combgpu__report(job, &job->executors[i], &job->reports[i]);
    progress->devices = job->reports;
    progress->device_count = job->executor_count;
    progress->steps = job->accumulators[0];
    progress->elapsed_s = job->clock.earlier_s + here;
    progress->steps_per_s =
        here > 0 ? (double)(job->accumulators[0] - job->steps_at_start) / here : 0;
    progress->solutions = job->desc.solutions ? job->desc.solutions(job) : 0;
    progress->remaining_s = progress->remaining_error_s = -1;
    if (job->desc.fraction) {
        progress->fraction = job->desc.fraction(job);
        if (progress->fraction > 0.001 && progress->fraction <= 1)
            progress->remaining_s = progress->elapsed_s * (1 / progress->fraction - 1);
    } else
        combgpu__outlook_tell(job, progress);
    /* never falls, and never NaN: a resumed job's accumulators come from a file */
    if (!(progress->fraction >= job->outlook.shown)) progress->fraction = job->outlook.shown;
    if (progress->fraction > 0.999) progress->fraction = 0.999; /* until the job is done */
    if (job->status == COMBGPU_OK) {
        progress->fraction = 1;
        progress->remaining_s = progress->remaining_error_s = 0;
    }
    job->outlook.shown = progress->fraction;
}

COMBGPU__DEF combgpu_status combgpu_job_progress(combgpu_job *job, combgpu_progress *progress)
{
    combgpu_status status = COMBGPU_OK;
    if (!job) return COMBGPU_INVALID_ARGUMENT;
    if (!progress) return combgpu__fail(job->ctx, COMBGPU_INVALID_ARGUMENT, "progress is NULL");
    if (!job->desc.fraction && job->status != COMBGPU_OK && !combgpu__job_failed(job))
        status = combgpu__outlook_update(job);
    combgpu__progress_known(job, progress);
    return status;
}
