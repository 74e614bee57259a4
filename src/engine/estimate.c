/* ---- combgpu_job_estimate: a job's total time, before a long run. */

/* Measured speeds, in steps per second. */
typedef struct combgpu__speeds {
    double mean, least, most;
} combgpu__speeds;

enum { COMBGPU__CALIBRATE_PARTS = 8, COMBGPU__CALIBRATE_SLICES = 16 };

/* The processor's time of this process, in seconds; 0 if it is unknown. */
COMBGPU__PRIVATE double combgpu__processor_time(void)
{
#ifdef __wasi__ /* its clock() needs a separate library */
    return 0;
#else
    clock_t ticks = clock();
    return ticks == (clock_t)-1 ? 0 : (double)ticks / CLOCKS_PER_SEC;
#endif
}

/* Runs the job for some seconds, up to four times as long if its slices are long. The first quarter
   adapts the slices' length; the rest is measured in parts, whose speeds show how steady it is. For
   a CPU alone, `most` is at least its speed per second of processor time on all threads: on a busy
   machine the rest of the run may get more time than these parts did. */
COMBGPU__PRIVATE combgpu_status combgpu__calibrate(combgpu_job *job, double seconds,
                                                   combgpu__speeds *speeds)
{
    double begin = combgpu__now(), from = begin, last = begin, now, processor = 0;
    uint64_t steps = job->accumulators[0], before = steps, slices = job->slices;
    combgpu_status status = COMBGPU_RUNNING;
    int parts = 0, measuring = 0;
    memset(speeds, 0, sizeof *speeds);
    do {
        status = combgpu_step(job);
        now = combgpu__now();
        if (!measuring && now - begin >= 0.25 * seconds) {
            measuring = 1;
            slices = job->slices;
            from = last = now;
            before = steps = job->accumulators[0];
            processor = combgpu__processor_time();
        } else if (measuring && now - last >= 0.75 * seconds / (double)COMBGPU__CALIBRATE_PARTS &&
                   job->accumulators[0] > steps && now > last) {
            double speed = (double)(job->accumulators[0] - steps) / (now - last);
            if (!parts || speed < speeds->least) speeds->least = speed;
            if (!parts++ || speed > speeds->most) speeds->most = speed;
            last = now;
            steps = job->accumulators[0];
        }
    } while (status == COMBGPU_RUNNING &&
             (now - begin < seconds ||
              ((parts < 3 || job->slices - slices < COMBGPU__CALIBRATE_SLICES) &&
               now - begin < 4 * seconds)));
    if (now > from && job->accumulators[0] > before)
        speeds->mean = (double)(job->accumulators[0] - before) / (now - from);
    else
        speeds->mean = (double)(job->accumulators[0] - job->steps_at_start) /
                       (now - begin > 0 ? now - begin : 1e-9);
    if (parts < 2) speeds->least = 0.5 * speeds->mean, speeds->most = 2 * speeds->mean;
    processor = combgpu__processor_time() - processor;
    if (combgpu__is_cpu(job->ctx) && !combgpu__device_context(job->ctx, 1) && measuring &&
        processor > 0) {
        double alone =
            (double)(job->accumulators[0] - before) / processor * combgpu__host_threads(job->ctx);
        if (alone > speeds->most && alone < 1000 * speeds->mean) speeds->most = alone;
    }
    return status;
}

/* Between samples: STOPPED if the progress callback says so or the time limit has passed. */
COMBGPU__PRIVATE combgpu_status combgpu__estimate_between(combgpu_job *job)
{
    const combgpu_run_desc *run = &job->run;
    double now = combgpu__now();
    if (run->progress && combgpu__progress_due(job, now)) {
        combgpu_progress progress;
        int stop;
        combgpu__progress_known(job, &progress);
        job->clock.progress = now;
        job->at_work = COMBGPU__REPORTS;
        stop = run->progress(&progress, run->progress_user);
        job->at_work = COMBGPU__IDLE;
        if (stop) return COMBGPU_STOPPED;
    }
    return combgpu__time_is_up(job, now) ? COMBGPU_STOPPED : COMBGPU_OK;
}

/* Prepares the job, if that is not done. */
COMBGPU__PRIVATE combgpu_status combgpu__estimate_prepared(combgpu_job *job)
{
    combgpu_status status = COMBGPU_OK;
    while (!status && job->desc.prepare) {
        status = combgpu__prepare(job);
        if (status > 0) status = combgpu__estimate_between(job);
    }
    if (status == COMBGPU_STOPPED) job->status = status;
    return status;
}

/* Works `count` samples in batches, since each holds tasks. Sets *known to 0 if the search cannot
   be sampled. */
COMBGPU__PRIVATE combgpu_status combgpu__estimate_samples(combgpu_job *job, uint64_t seed,
                                                          int count, const combgpu__sizes *sizes,
                                                          combgpu__sizes *learned, double *values,
                                                          int *known)
{
    enum { AT_ONCE = 256 };
    combgpu_status status = COMBGPU_OK;
    int first, i;
    for (first = 0; first < count && !status; first += AT_ONCE) {
        combgpu__picks picks;
        status = combgpu__pick(job, seed, first, count - first < AT_ONCE ? count - first : AT_ONCE,
                               COMBGPU__SAMPLE_TASKS, &picks);
        if (!status)
            status = combgpu__sample_many(job, &picks, sizes, learned, values + first,
                                          combgpu__estimate_between);
        combgpu__release(job->ctx, picks.tasks);
    }
    for (i = 0; i < count && !status; i++)
        if (values[i] < 0) *known = 0;
    return status;
}

/* Samples the steps below the waiting tasks; a few pilot samples first learn the tasks' sizes. Sets
   *known to 0 if the search cannot be sampled. */
COMBGPU__PRIVATE combgpu_status combgpu__estimate_rest(combgpu_job *job, uint64_t seed, int samples,
                                                       combgpu__verdict *rest, int *known)
{
    combgpu__sizes *sizes =
        (combgpu__sizes *)combgpu__allocate_zeroed(job->ctx, sizeof(combgpu__sizes));
    double *values = (double *)combgpu__allocate(job->ctx, ((size_t)samples + 16) * sizeof *values);
    combgpu_status status = COMBGPU_OK;
    int pilot = samples / 8 < 4 ? 4 : samples / 8 > 16 ? 16 : samples / 8, turn;
    enum { PILOTS = 2 }; /* the second sees what the first missed: no3/NOTES.md */
    *known = 1;
    if (!sizes || !values)
        status = combgpu__no_memory(job->ctx, ((size_t)samples + 16) * sizeof *values);
    for (turn = 0; turn < PILOTS && !status; turn++)
        status = combgpu__estimate_samples(job, combgpu__mix(seed + 1 + (uint64_t)turn), pilot,
                                           turn ? sizes : NULL, sizes, values, known);
    if (!status) status = combgpu__estimate_samples(job, seed, samples, sizes, NULL, values, known);
    if (!status && *known) *rest = combgpu__judge(values, samples);
    combgpu__release(job->ctx, sizes);
    combgpu__release(job->ctx, values);
    return status;
}

/* The duration of a run from its steps and speed, with their errors. */
COMBGPU__PRIVATE void combgpu__estimate_time(const combgpu_job *job, const combgpu__speeds *speeds,
                                             double spent, combgpu_estimate *estimate)
{
    double done = (double)job->accumulators[0], rest = estimate->steps - done, steady;
    if (!(speeds->mean > 0)) return;
    if (rest < 0) rest = 0;
    steady = (speeds->most - speeds->least) / (4 * speeds->mean);
    estimate->seconds = spent + rest / speeds->mean;
    if (estimate->steps_error < 0) return;
    estimate->seconds_error = combgpu__sqrt(estimate->steps_error * estimate->steps_error +
                                            steady * steady * rest * rest) /
                              speeds->mean;
    rest = estimate->steps_low - done;
    estimate->seconds_low = spent + (rest > 0 ? rest / speeds->most : 0);
    rest = estimate->steps_high - done;
    estimate->seconds_high = spent + (rest > 0 ? rest / speeds->least : 0);
}

COMBGPU__DEF combgpu_status combgpu_job_estimate(combgpu_job *job,
                                                 const combgpu_estimate_desc *desc,
                                                 combgpu_estimate *estimate)
{
    combgpu_estimate_desc defaults;
    combgpu__speeds speeds;
    double begun, sampled;
    combgpu_status status;
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
    status = combgpu__is_idle(job);
    if (status) return status;
    if (combgpu__job_failed(job))
        return combgpu__fail(job->ctx, job->status, "the job has already failed");
    memset(estimate, 0, sizeof *estimate);
    estimate->steps_error = estimate->seconds_error = estimate->seconds = -1;
    estimate->steps_low = estimate->steps_high = -1;
    estimate->seconds_low = estimate->seconds_high = -1;
    begun = combgpu__now();
    status = combgpu__estimate_prepared(job);
    if (!status) status = combgpu__gather(job);
    if (status) return status;
    estimate->tasks = job->reserve.count;
    estimate->steps = (double)job->accumulators[0];
    if (!job->desc.fraction) {
        combgpu__verdict rest;
        int known;
        estimate->samples = desc->samples ? desc->samples : 64;
        memset(&rest, 0, sizeof rest);
        status = combgpu__estimate_rest(job, desc->seed, estimate->samples, &rest, &known);
        if (status) estimate->samples = 0;
        if (status == COMBGPU_STOPPED) job->status = status;
        if (status) return status;
        if (!known) estimate->samples = 0;
        if (known && !rest.known)
            estimate->steps = -1;
        else if (known) {
            double part = combgpu__coverage(job);
            estimate->steps = ((double)job->accumulators[0] + rest.mean) / part;
            if (part == 1) {
                estimate->steps_error = rest.error;
                estimate->steps_low = (double)job->accumulators[0] + rest.low;
                estimate->steps_high = (double)job->accumulators[0] + rest.high;
            }
        }
    }
    sampled = combgpu__now();
    memset(&speeds, 0, sizeof speeds);
    status = job->status == COMBGPU_OK
                 ? COMBGPU_OK
                 : combgpu__calibrate(job, desc->calibrate_s > 0 ? desc->calibrate_s : 1, &speeds);
    if (status < 0 || status == COMBGPU_FOUND || status == COMBGPU_STOPPED) return status;
    estimate->steps_per_s = speeds.mean;
    if (status == COMBGPU_OK) { /* the job ended during calibration */
        double here = combgpu__since(sampled);
        estimate->done = 1;
        estimate->steps = estimate->steps_low = estimate->steps_high = (double)job->accumulators[0];
        estimate->steps_per_s =
            here > 0 ? (double)(job->accumulators[0] - job->steps_at_start) / here : 0;
        estimate->seconds = estimate->seconds_low = estimate->seconds_high = here;
        estimate->steps_error = estimate->seconds_error = 0;
        return COMBGPU_OK;
    }
    if (job->desc.fraction && job->desc.fraction(job) > 0)
        estimate->steps = (double)job->accumulators[0] / job->desc.fraction(job);
    else if (!estimate->samples || estimate->steps < 0)
        return COMBGPU_OK;
    combgpu__estimate_time(job, &speeds, combgpu__since(begun), estimate);
    return COMBGPU_OK;
}
