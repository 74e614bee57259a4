/* ---- how much is left: samples of the tree below the tasks that wait

   A sample begins with every k-th task, from a random one on, and a weight of k. Each is worked by
   the C solver for a few steps; of all tasks that they give back every j-th is kept, ordered by how
   deep in its search stack it lay, and weights grow by j: until nothing is left. The sum of steps by
   weight is an unbiased estimate of all steps below the tasks, whatever they are, so left-over and
   fresh tasks need not be told apart. Its relative error per sample is 0.2 to 1.2 with these sizes
   (no-three-in-line, rot4 n = 30 and all n = 12); fewer tasks or more steps at a time, or tasks
   chosen by their depth in the stack, were not better for the same number of steps. */

#define COMBGPU__SAMPLE_TASKS 256      /* before a run */
#define COMBGPU__SAMPLE_TASKS_SMALL 64 /* for progress: a quarter of the time, twice the error */
#define COMBGPU__SAMPLE_STEPS 16

typedef struct combgpu__sampler {
    uint32_t *now, *next, *records, *work;
    uint16_t *level; /* of each task in `next`: how many were given back before it */
    size_t *order;
    size_t tasks; /* room in `now`; `next` has room for what they all give back */
} combgpu__sampler;

/* What samples begin with: `each` tasks for each of them. */
typedef struct combgpu__picks {
    uint32_t *tasks;
    size_t each, most; /* most: tasks at once later on */
    int count;
    double weight; /* of a task */
    uint64_t seed;
} combgpu__picks;

COMBGPU__PRIVATE void combgpu__sampler_close(combgpu_job *job, combgpu__sampler *sampler)
{
    combgpu__release(job->ctx, sampler->now);
    combgpu__release(job->ctx, sampler->next);
    combgpu__release(job->ctx, sampler->records);
    combgpu__release(job->ctx, sampler->work);
    combgpu__release(job->ctx, sampler->level);
    combgpu__release(job->ctx, sampler->order);
    memset(sampler, 0, sizeof *sampler);
}

/* Tasks that a sample may have at once: `most`, or fewer if they could give back too many. */
COMBGPU__PRIVATE size_t combgpu__sample_tasks(const combgpu_job *job, size_t most)
{
    size_t given = (size_t)job->kernel.left_per_worker + 1;
    size_t tasks = ((size_t)8 << 20) / (given * job->task_words * sizeof(uint32_t));
    if (tasks > most) tasks = most;
    return tasks < 16 ? 16 : tasks;
}

COMBGPU__PRIVATE combgpu_status combgpu__sampler_open(combgpu_job *job, size_t most,
                                                      combgpu__sampler *sampler)
{
    size_t task_bytes = job->task_words * sizeof(uint32_t), room;
    size_t given = (size_t)job->kernel.left_per_worker + 1;
    size_t per_worker = job->cpu_work_bytes_per_worker ? job->cpu_work_bytes_per_worker
                                                       : job->work_bytes_per_worker;
    memset(sampler, 0, sizeof *sampler);
    sampler->tasks = most;
    room = sampler->tasks * given;
    sampler->now = (uint32_t *)combgpu__allocate(job->ctx, sampler->tasks * task_bytes);
    sampler->next = (uint32_t *)combgpu__allocate(job->ctx, combgpu__bytes(room, task_bytes));
    sampler->level = (uint16_t *)combgpu__allocate(job->ctx, room * sizeof(uint16_t));
    sampler->order = (size_t *)combgpu__allocate(job->ctx, (given + 1) * sizeof(size_t));
    sampler->records = (uint32_t *)combgpu__allocate(
        job->ctx, combgpu__bytes(job->record_capacity, job->record_words * sizeof(uint32_t)));
    sampler->work =
        (uint32_t *)combgpu__allocate_zeroed(job->ctx, job->work_bytes_shared + per_worker);
    if (sampler->now && sampler->next && sampler->level && sampler->order && sampler->records &&
        sampler->work)
        return COMBGPU_OK;
    combgpu__sampler_close(job, sampler);
    return combgpu__no_memory(job->ctx, combgpu__bytes(room, task_bytes));
}

/* 0 <= value < 1, the next one of a sequence. */
COMBGPU__PRIVATE double combgpu__random_part(uint64_t *state)
{
    *state = combgpu__mix(*state);
    return (double)(*state >> 11) / 9007199254740992.0;
}

/* Works the tasks of `now` for some steps each; what they give back goes to `next`. */
COMBGPU__PRIVATE uint64_t combgpu__sample_round(combgpu_job *job, combgpu__sampler *sampler,
                                                size_t tasks, size_t *given)
{
    uint64_t steps = 0;
    size_t i;
    uint32_t k;
    *given = 0;
    for (i = 0; i < tasks; i++) {
        combgpu__worker worker;
        combgpu__slice slice;
        memset(&worker, 0, sizeof worker);
        memset(&slice, 0, sizeof slice);
        slice.task_count = slice.workers = 1;
        slice.left_capacity = (uint32_t)job->kernel.left_per_worker;
        slice.record_capacity = job->record_capacity;
        slice.budget = slice.least = COMBGPU__SAMPLE_STEPS;
        slice.task_words = job->task_words;
        slice.record_words = job->record_words;
        worker.job = job;
        worker.slice = &slice;
        worker.tables = job->tables;
        worker.tasks = sampler->now + i * job->task_words;
        worker.left = sampler->next + *given * job->task_words;
        worker.records = sampler->records;
        worker.work = sampler->work;
        job->kernel.solve(&worker);
        steps += worker.totals[0];
        for (k = 0; k < slice.left_count; k++)
            sampler->level[*given + k] = (uint16_t)(k < 65535 ? k : 65535);
        *given += slice.left_count;
    }
    return steps;
}

/* Keeps every stride-th of the tasks given back, from a random one on, in the order of their
   levels. Returns how many. */
COMBGPU__PRIVATE size_t combgpu__sample_thin(const combgpu_job *job, combgpu__sampler *sampler,
                                             size_t given, double *weight, uint64_t *state)
{
    size_t bytes = job->task_words * sizeof(uint32_t), i, kept = 0;
    size_t keep = given < sampler->tasks ? given : sampler->tasks;
    size_t levels = (size_t)job->kernel.left_per_worker + 1;
    double stride = keep ? (double)given / (double)keep : 1;
    double first = keep < given ? combgpu__random_part(state) : 0;
    memset(sampler->order, 0, (levels + 1) * sizeof *sampler->order);
    for (i = 0; i < given; i++)
        sampler->order[sampler->level[i] + 1]++;
    for (i = 1; i <= levels; i++)
        sampler->order[i] += sampler->order[i - 1];
    for (i = 0; i < given;
         i++) { /* place `at` is kept if some (number + first) * stride is in it */
        double at = (double)sampler->order[sampler->level[i]]++;
        double number = combgpu__ceil(at / stride - first);
        if (number < 0) number = 0;
        if ((number + first) * stride < at + 1 && number < (double)keep)
            memcpy(sampler->now + kept++ * job->task_words, sampler->next + i * job->task_words,
                   bytes);
        if (kept == sampler->tasks) break;
    }
    *weight *= stride;
    return kept;
}

/* Sample number i of the steps below all tasks; negative: this search gives back tasks that are none
   the smaller. */
COMBGPU__PRIVATE double combgpu__sample(combgpu_job *job, combgpu__sampler *sampler,
                                        const combgpu__picks *picks, int i)
{
    uint64_t state = combgpu__mix(picks->seed + combgpu__mix((uint64_t)i));
    size_t tasks = picks->each, given, words = tasks * job->task_words;
    double weight = picks->weight, sum = 0;
    memcpy(sampler->now, picks->tasks + (size_t)i * words, words * sizeof(uint32_t));
    if (weight > 1) (void)combgpu__random_part(&state); /* which tasks it began with */
    while (tasks) {
        uint64_t steps = combgpu__sample_round(job, sampler, tasks, &given);
        if (!steps && given) return -1;
        sum += weight * (double)steps;
        tasks = combgpu__sample_thin(job, sampler, given, &weight, &state);
    }
    return sum;
}

/* Copies task number `at` of all that there are: the reserve's, then those of each device. */
COMBGPU__PRIVATE combgpu_status combgpu__pick_task(const combgpu_job *job, uint64_t at,
                                                   uint32_t *task)
{
    size_t bytes = job->task_words * sizeof(uint32_t);
    int i;
    if (at < job->reserve_count) {
        memcpy(task, job->reserve + at * job->task_words, bytes);
        return COMBGPU_OK;
    }
    at -= job->reserve_count;
    for (i = 0; at >= job->shares[i].pool_count; i++)
        at -= job->shares[i].pool_count;
    return job->shares[i].backend->download(
        job->shares[i].ctx, task, &job->shares[i].memory[COMBGPU__POOL], (size_t)at * bytes, bytes);
}

/* Picks the tasks for `count` samples of at most `most` at once, each with its own part of the seed. All
   devices are idle. */
COMBGPU__PRIVATE combgpu_status combgpu__pick(combgpu_job *job, uint64_t seed, int count,
                                              size_t most, combgpu__picks *picks)
{
    uint64_t all = combgpu__tasks_left(job), at;
    size_t bytes, j;
    combgpu_status status = COMBGPU_OK;
    int i;
    picks->most = combgpu__sample_tasks(job, most);
    picks->each = all < picks->most ? (size_t)all : picks->most;
    picks->weight = picks->each ? (double)all / (double)picks->each : 1;
    picks->count = count;
    picks->seed = seed;
    bytes = combgpu__bytes((size_t)count * picks->each, job->task_words * sizeof(uint32_t));
    picks->tasks = (uint32_t *)combgpu__allocate(job->ctx, bytes);
    if (!picks->tasks) return combgpu__no_memory(job->ctx, bytes);
    for (i = 0; i < count; i++) {
        uint64_t state = combgpu__mix(seed + combgpu__mix((uint64_t)i));
        double first = picks->weight > 1 ? combgpu__random_part(&state) : 0;
        for (j = 0; j < picks->each && !status; j++) {
            at = (uint64_t)(((double)j + first) * picks->weight);
            status =
                combgpu__pick_task(job, at < all ? at : all - 1,
                                   picks->tasks + ((size_t)i * picks->each + j) * job->task_words);
        }
    }
    return status;
}

/* Works out the samples with all threads of the host. */
COMBGPU__PRIVATE combgpu_status combgpu__sample_many(combgpu_job *job, const combgpu__picks *picks,
                                                     double *values)
{
    combgpu__sampler *samplers;
    combgpu_status status = COMBGPU_OK;
    int threads = combgpu__host_threads(job->ctx), opened = 0, i;
    if (threads > picks->count) threads = picks->count;
    samplers =
        (combgpu__sampler *)combgpu__allocate_zeroed(job->ctx, (size_t)threads * sizeof *samplers);
    if (!samplers) return combgpu__no_memory(job->ctx, (size_t)threads * sizeof *samplers);
    while (opened < threads && !status)
        status = combgpu__sampler_open(job, picks->most, &samplers[opened++]);
    if (!status) {
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
#endif
        for (i = 0; i < picks->count; i++) {
            int thread = 0;
#ifdef _OPENMP
            thread = omp_get_thread_num();
#endif
            values[i] = combgpu__sample(job, &samplers[thread], picks, i);
        }
    }
    for (i = 0; i < opened; i++)
        combgpu__sampler_close(job, &samplers[i]);
    combgpu__release(job->ctx, samplers);
    return status;
}

/* Mean and sum of squared deviations. */
COMBGPU__PRIVATE void combgpu__spread(const double *values, int count, double *mean,
                                      double *squares)
{
    int i;
    *mean = *squares = 0;
    for (i = 0; i < count; i++)
        *mean += values[i] / count;
    for (i = 0; i < count; i++)
        *squares += (values[i] - *mean) * (values[i] - *mean);
}

/* The part of the search that the tasks made so far are. What estimates say of the rest has no known
   error. */
COMBGPU__PRIVATE double combgpu__begun(const combgpu_job *job)
{
    return job->begun ? job->begun(job) : 1;
}

/* Expected steps of the whole job by all looks so far, at least those done and to be done. */
COMBGPU__PRIVATE double combgpu__outlook_steps(const combgpu_job *job)
{
    const combgpu__outlook *outlook = &job->outlook;
    double least = (double)job->sums[0] + (double)combgpu__tasks_left(job);
    double steps = outlook->weight > 0 ? outlook->steps / outlook->weight : 0;
    return steps > least ? steps : least;
}

/* Adds an estimate of the whole job, from samples of what is left. The later ones, with less left to be
   wrong about, weigh more. The weight does not depend on the look's own samples, or low ones would
   pull the mean down. */
COMBGPU__PRIVATE void combgpu__outlook_add(combgpu_job *job, const double *values, int count)
{
    combgpu__outlook *outlook = &job->outlook;
    double mean, squares, weight, done = (double)job->sums[0], rest;
    int i;
    for (i = 0; i < count; i++)
        outlook->impossible |= values[i] < 0;
    if (outlook->impossible) return;
    combgpu__spread(values, count, &mean, &squares);
    if (mean > 0) {
        outlook->spread += squares / (mean * mean);
        outlook->freedom += count - 1;
    }
    rest = outlook->weight > 0 ? combgpu__outlook_steps(job) - done : done + mean;
    weight = count / (rest * rest + 1);
    if (combgpu__begun(job) < 1) /* a guess, which the next look knows better */
        outlook->weight = outlook->steps = outlook->variance = 0;
    outlook->weight += weight;
    outlook->steps += weight * (done + mean) / combgpu__begun(job);
    outlook->variance += weight * weight * mean * mean / (double)count;
}

/* Looks at what is left, if that is due: 5 % of the first ten seconds goes into it and 1 % of the
   others, after a first batch; less where several devices wait for each other. GPUs work while the
   host works out the samples, which costs nothing for half a slice. */
COMBGPU__PRIVATE combgpu_status combgpu__outlook_look(combgpu_job *job)
{
    enum { BATCH = 4, MOST = 64 };
    combgpu__outlook *outlook = &job->outlook;
    double begin = combgpu__now(), here = begin - job->started, values[MOST], part, from, took;
    int gpu = job->ctx->device.is_gpu && !job->broken, alive = combgpu__shares_alive(job);
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
        status = combgpu__pick(job, ++outlook->seed, count, COMBGPU__SAMPLE_TASKS_SMALL, &picks);
        if (!status && gpu) {
            alive = combgpu__shares_alive(job);
            job->broken = combgpu__start_idle(job, 0);
            if (job->broken || alive != combgpu__shares_alive(job)) { /* next time */
                combgpu__release(job->ctx, picks.tasks);
                return COMBGPU_OK;
            }
        }
        from = combgpu__now();
        if (!status) status = combgpu__sample_many(job, &picks, values);
        combgpu__release(job->ctx, picks.tasks);
        if (status) { /* no estimate is no reason to end a run */
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
    else if (2 * took < free_s && spent < 0.005 && count < MOST) /* picks take time, one by one */
        outlook->samples = 2 * count;
    else
        outlook->samples = count;
    outlook->cost = spent;
    outlook->spent += spent;
    outlook->next = 1.15 * here + 0.02;
    return COMBGPU_OK;
}

/* Fraction, time left and its error from the samples. */
COMBGPU__PRIVATE void combgpu__outlook_tell(combgpu_job *job, combgpu_progress *progress)
{
    const combgpu__outlook *outlook = &job->outlook;
    double steps = combgpu__outlook_steps(job), rest = steps - (double)progress->steps, error;
    if (!(outlook->weight > 0)) return;
    progress->fraction = (double)progress->steps / steps;
    if (!(progress->steps_per_s > 0)) return;
    error = combgpu__sqrt(outlook->variance * outlook->spread / outlook->freedom) / outlook->weight;
    progress->remaining_s = rest / progress->steps_per_s;
    if (combgpu__begun(job) < 1) return;
    progress->remaining_error_s = 1.96 * error / progress->steps_per_s;
}

COMBGPU__DEF combgpu_status combgpu_job_progress(combgpu_job *job, combgpu_progress *progress)
{
    int i;
    double here;
    combgpu_status status = COMBGPU_OK;
    if (!job) return COMBGPU_INVALID_ARGUMENT;
    if (!progress) return combgpu__fail(job->ctx, COMBGPU_INVALID_ARGUMENT, "progress is NULL");
    if (!job->problem->fraction && job->status != COMBGPU_OK && !combgpu__job_failed(job))
        status = combgpu__outlook_look(job);
    here = combgpu__now() - job->started;
    memset(progress, 0, sizeof *progress);
    progress->tasks_left = combgpu__tasks_left(job);
    for (i = 0; i < job->share_count; i++)
        combgpu__report(job, &job->shares[i], &job->reports[i]);
    progress->devices = job->reports;
    progress->device_count = job->share_count;
    progress->steps = job->sums[0];
    progress->elapsed_s = job->earlier_s + here;
    progress->steps_per_s = here > 0 ? (double)(job->sums[0] - job->steps_at_start) / here : 0;
    progress->solutions = job->problem->solutions ? job->problem->solutions(job) : 0;
    progress->remaining_s = progress->remaining_error_s = -1;
    if (job->problem->fraction) {
        progress->fraction = job->problem->fraction(job);
        if (progress->fraction > 0.001 && progress->fraction <= 1)
            progress->remaining_s = progress->elapsed_s * (1 / progress->fraction - 1);
    } else
        combgpu__outlook_tell(job, progress);
    /* an estimate, and a resumed job's comes from a file */
    if (!(progress->fraction >= job->outlook.shown)) progress->fraction = job->outlook.shown;
    if (progress->fraction > 1) progress->fraction = 1;
    if (job->status == COMBGPU_OK) {
        progress->fraction = 1;
        progress->remaining_s = progress->remaining_error_s = 0;
    }
    job->outlook.shown = progress->fraction;
    return status;
}

