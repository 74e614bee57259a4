/* ---- an estimate before a long run */

/* Runs the job for some seconds. Speeds of the first and second half of the time after a start of a
   quarter of it, in which slices find their length. */
COMBGPU__PRIVATE combgpu_status combgpu__calibrate(combgpu_job *job, double seconds, double *first,
                                                   double *second)
{
    double begin = combgpu__now(), at[3];
    uint64_t steps[3], before = job->sums[0];
    combgpu_status status = COMBGPU_RUNNING;
    int mark = 0;
    while (mark < 3) {
        double now = combgpu__now();
        if (now - begin >= seconds * (mark == 0 ? 0.25 : mark == 1 ? 0.625 : 1)) {
            steps[mark] = job->sums[0];
            at[mark++] = now;
        }
        if (mark < 3) status = combgpu_step(job);
        if (status != COMBGPU_RUNNING) return status;
    }
    *first = (double)(steps[1] - steps[0]) / (at[1] - at[0] > 0 ? at[1] - at[0] : 1e-9);
    *second = (double)(steps[2] - steps[1]) / (at[2] - at[1] > 0 ? at[2] - at[1] : 1e-9);
    if (steps[1] == steps[0] || steps[2] == steps[1]) /* a slice took most of the time */
        *first = *second = (double)(steps[2] - before) / (at[2] - begin > 0 ? at[2] - begin : 1e-9);
    return COMBGPU_RUNNING;
}

COMBGPU__DEF combgpu_status combgpu_job_estimate(combgpu_job *job,
                                                 const combgpu_estimate_desc *desc,
                                                 combgpu_estimate *estimate)
{
    combgpu_estimate_desc defaults;
    combgpu__picks picks;
    double *values = NULL, mean, squares, begun, first = 0, second = 0, rest, sampled;
    combgpu_status status;
    int i;
    if (!job) return COMBGPU_INVALID_ARGUMENT;
    if (!estimate) return combgpu__fail(job->ctx, COMBGPU_INVALID_ARGUMENT, "estimate is NULL");
    memset(&defaults, 0, sizeof defaults);
    if (!desc) desc = &defaults;
    if (desc->samples && (desc->samples < 2 || desc->samples > 100000))
        return combgpu__fail(job->ctx, COMBGPU_INVALID_ARGUMENT,
                             "desc.samples is %d; it may be 0 (default) or 2 to 100000",
                             desc->samples);
    if (!(desc->calibrate_s >= 0 && desc->calibrate_s <= 1e6))
        return combgpu__fail(job->ctx, COMBGPU_INVALID_ARGUMENT,
                             "desc.calibrate_s is %g; it may be 0 (default) to 1e6 seconds",
                             desc->calibrate_s);
    if (combgpu__job_failed(job))
        return combgpu__fail(job->ctx, job->status, "the job has failed before");
    memset(estimate, 0, sizeof *estimate);
    estimate->steps_error = estimate->seconds_error = estimate->seconds = -1;
    begun = combgpu__now();
    status = combgpu__gather(job);
    if (status) return status;
    estimate->tasks = job->reserve_count;
    estimate->steps = (double)job->sums[0];
    if (!job->problem->fraction) {
        estimate->samples = desc->samples ? desc->samples : 64;
        values = (double *)combgpu__allocate(job->ctx, (size_t)estimate->samples * sizeof *values);
        if (!values)
            return combgpu__no_memory(job->ctx, (size_t)estimate->samples * sizeof *values);
        status = combgpu__pick(job, desc->seed, estimate->samples, COMBGPU__SAMPLE_TASKS, &picks);
        if (!status) status = combgpu__sample_many(job, &picks, values);
        combgpu__release(job->ctx, picks.tasks);
        combgpu__spread(values, estimate->samples, &mean, &squares);
        for (i = 0; i < estimate->samples && !status; i++)
            if (values[i] < 0) estimate->samples = 0;
        combgpu__release(job->ctx, values);
        if (status) return status;
        if (estimate->samples) {
            double part = combgpu__begun(job);
            estimate->steps = (estimate->steps + mean) / part;
            if (part == 1)
                estimate->steps_error =
                    combgpu__sqrt(squares / (estimate->samples - 1.0) / estimate->samples);
        }
    }
    sampled = combgpu__now();
    status = job->status == COMBGPU_OK
                 ? COMBGPU_OK
                 : combgpu__calibrate(job, desc->calibrate_s > 0 ? desc->calibrate_s : 1, &first,
                                      &second);
    if (status < 0 || status == COMBGPU_FOUND || status == COMBGPU_STOPPED) return status;
    estimate->steps_per_s = (first + second) / 2;
    if (status == COMBGPU_OK) { /* nothing to estimate any more */
        double here = combgpu__now() - sampled;
        estimate->done = 1;
        estimate->steps = (double)job->sums[0];
        estimate->steps_per_s = here > 0 ? (double)(job->sums[0] - job->steps_at_start) / here : 0;
        estimate->seconds = here;
        estimate->steps_error = estimate->seconds_error = 0;
        return COMBGPU_OK;
    }
    if (job->problem->fraction && job->problem->fraction(job) > 0)
        estimate->steps = (double)job->sums[0] / job->problem->fraction(job);
    else if (!estimate->samples)
        return COMBGPU_OK;
    rest = estimate->steps - (double)job->sums[0];
    if (estimate->steps_per_s > 0) {
        double unsteady = (first - second) / (first + second), error;
        estimate->seconds = combgpu__now() - begun + (rest > 0 ? rest / estimate->steps_per_s : 0);
        error = estimate->steps_error / estimate->steps_per_s;
        if (estimate->steps_error >= 0)
            estimate->seconds_error = combgpu__sqrt(
                error * error + unsteady * unsteady * estimate->seconds * estimate->seconds);
    }
    return COMBGPU_OK;
}

