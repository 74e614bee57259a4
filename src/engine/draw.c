/* ---- Samples of the tree below the waiting tasks, to estimate the steps that are left.

   A sample begins with every k-th task, from a random one on, each with weight k. The C solver works
   each task for a few steps. Some of the spilled tasks are kept, each with its weight divided by
   its chance; this repeats until no task remains. Whatever the chances, the weighted sum of steps
   is an unbiased estimate of all steps below the tasks, spilled and fresh alike (D. E. Knuth 1975;
   P. C. Chen 1992).

   The chances are proportional to weight times expected steps. A task's expectation depends on its
   round and its level, its position in the spilled search stack: the mean of earlier samples'
   estimates for such tasks. Low levels have nearly all of the steps, and so of the variance; equal
   chances would increase the error up to threefold (no3/NOTES.md). */

#define COMBGPU__SAMPLE_TASKS 256      /* before a run */
#define COMBGPU__SAMPLE_TASKS_SMALL 64 /* for progress: a quarter of the time at twice the error */
#define COMBGPU__SAMPLE_STEPS 16

/* Steps below tasks, by round and level: sums and numbers of estimates. */
enum { COMBGPU__SIZE_ROUNDS = 128, COMBGPU__SIZE_LEVELS = 32, COMBGPU__SIZE_LEARN = 16 };
typedef struct combgpu__sizes {
    double sum[COMBGPU__SIZE_ROUNDS][COMBGPU__SIZE_LEVELS];
    double count[COMBGPU__SIZE_ROUNDS][COMBGPU__SIZE_LEVELS];
} combgpu__sizes;

/* A task that a sample has worked on. */
typedef struct combgpu__sampled {
    uint32_t parent;
    uint16_t round, level;
    double factor; /* 1 / the chance of having been kept */
    double steps;  /* its own; at the end including those below */
} combgpu__sampled;

/* A task kept for the next round. */
typedef struct combgpu__sample_pick {
    uint32_t number, parent; /* in `next`; in `tree` */
    double factor, weight;
} combgpu__sample_pick;

typedef struct combgpu__sampler {
    uint32_t *now, *next, *records, *work;
    double *weight;   /* of each task in `now` */
    uint32_t *entry;  /* of each task in `now`: its index in `tree` */
    uint32_t *from;   /* of each task in `next`: which one of `now` spilled it */
    uint32_t *sorted; /* numbers of those in `next`, by level */
    double *chance;   /* of each task in `next` */
    uint16_t *level;  /* of each task in `next`: number of tasks spilled before it */
    size_t *order;
    combgpu__sample_pick *pick;
    combgpu__sampled *tree;
    size_t tasks, entries; /* room in `now`; `next` has room for all that these spill */
} combgpu__sampler;

/* The samples' initial tasks, `each` per sample. */
typedef struct combgpu__picks {
    uint32_t *tasks;
    size_t each, most; /* most: the largest number of tasks at once */
    int first, count;  /* the samples' numbers */
    double weight;     /* of a task */
    uint64_t seed;
} combgpu__picks;

COMBGPU__PRIVATE void combgpu__sampler_close(combgpu_job *job, combgpu__sampler *sampler)
{
    combgpu__release(job->ctx, sampler->now);
    combgpu__release(job->ctx, sampler->next);
    combgpu__release(job->ctx, sampler->records);
    combgpu__release(job->ctx, sampler->work);
    combgpu__release(job->ctx, sampler->weight);
    combgpu__release(job->ctx, sampler->entry);
    combgpu__release(job->ctx, sampler->from);
    combgpu__release(job->ctx, sampler->sorted);
    combgpu__release(job->ctx, sampler->chance);
    combgpu__release(job->ctx, sampler->level);
    combgpu__release(job->ctx, sampler->order);
    combgpu__release(job->ctx, sampler->pick);
    combgpu__release(job->ctx, sampler->tree);
    memset(sampler, 0, sizeof *sampler);
}

/* Returns how many tasks a sample may hold at once: `most`, or fewer if they could spill too
   many. */
COMBGPU__PRIVATE size_t combgpu__sample_tasks(const combgpu_job *job, size_t most)
{
    size_t given = (size_t)job->desc.kernel.left_per_worker + 1;
    size_t tasks = ((size_t)8 << 20) / (given * job->desc.task_words * sizeof(uint32_t));
    if (tasks > most) tasks = most;
    return tasks < 16 ? 16 : tasks;
}

COMBGPU__PRIVATE combgpu_status combgpu__sampler_open(combgpu_job *job, size_t most,
                                                      combgpu__sampler *sampler)
{
    size_t task_bytes = job->desc.task_words * sizeof(uint32_t), room;
    size_t given = (size_t)job->desc.kernel.left_per_worker + 1;
    size_t per_worker = job->desc.cpu_work_bytes_per_worker ? job->desc.cpu_work_bytes_per_worker
                                                            : job->desc.work_bytes_per_worker;
    memset(sampler, 0, sizeof *sampler);
    sampler->tasks = most;
    room = sampler->tasks * given;
    sampler->entries = sampler->tasks * COMBGPU__SIZE_ROUNDS;
    sampler->now = (uint32_t *)combgpu__allocate(job->ctx, sampler->tasks * task_bytes);
    sampler->next = (uint32_t *)combgpu__allocate(job->ctx, combgpu__bytes(room, task_bytes));
    sampler->weight = (double *)combgpu__allocate(job->ctx, most * sizeof(double));
    sampler->entry = (uint32_t *)combgpu__allocate(job->ctx, most * sizeof(uint32_t));
    sampler->from = (uint32_t *)combgpu__allocate(job->ctx, room * sizeof(uint32_t));
    sampler->sorted = (uint32_t *)combgpu__allocate(job->ctx, room * sizeof(uint32_t));
    sampler->chance = (double *)combgpu__allocate(job->ctx, room * sizeof(double));
    sampler->level = (uint16_t *)combgpu__allocate(job->ctx, room * sizeof(uint16_t));
    sampler->order = (size_t *)combgpu__allocate(job->ctx, (given + 1) * sizeof(size_t));
    sampler->pick =
        (combgpu__sample_pick *)combgpu__allocate(job->ctx, most * sizeof *sampler->pick);
    sampler->tree = (combgpu__sampled *)combgpu__allocate(job->ctx, sampler->entries *
                                                                        sizeof(combgpu__sampled));
    sampler->records = (uint32_t *)combgpu__allocate(
        job->ctx,
        combgpu__bytes(job->desc.record_capacity, job->desc.record_words * sizeof(uint32_t)));
    sampler->work =
        (uint32_t *)combgpu__allocate_zeroed(job->ctx, job->desc.work_bytes_shared + per_worker);
    if (sampler->now && sampler->next && sampler->weight && sampler->entry && sampler->from &&
        sampler->sorted && sampler->chance && sampler->level && sampler->order && sampler->pick &&
        sampler->tree && sampler->records && sampler->work)
        return COMBGPU_OK;
    combgpu__sampler_close(job, sampler);
    return combgpu__no_memory(job->ctx, combgpu__bytes(room, task_bytes));
}

/* Returns the next random number, at least 0 and below 1. */
COMBGPU__PRIVATE double combgpu__random_part(uint64_t *state)
{
    *state = combgpu__mix(*state);
    return (double)(*state >> 11) / 9007199254740992.0;
}

/* Works each task of `now` for some steps; spilled tasks go to `next`. Adds the weighted steps to
   *sum. Returns the steps. */
COMBGPU__PRIVATE uint64_t combgpu__sample_round(combgpu_job *job, combgpu__sampler *sampler,
                                                size_t tasks, size_t *given, double *sum)
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
        slice.left_capacity = (uint32_t)job->desc.kernel.left_per_worker;
        slice.record_capacity = job->desc.record_capacity;
        slice.budget = slice.least = COMBGPU__SAMPLE_STEPS;
        slice.task_words = job->desc.task_words;
        slice.record_words = job->desc.record_words;
        worker.job = job;
        worker.simd = job->ctx->simd;
        worker.slice = &slice;
        worker.tables = job->tables;
        worker.tasks = sampler->now + i * job->desc.task_words;
        worker.left = sampler->next + *given * job->desc.task_words;
        worker.records = sampler->records;
        worker.work = sampler->work;
        job->desc.kernel.solve(&worker);
        steps += worker.totals[0];
        *sum += sampler->weight[i] * (double)worker.totals[0];
        if (sampler->entry[i] < sampler->entries)
            sampler->tree[sampler->entry[i]].steps = (double)worker.totals[0];
        for (k = 0; k < slice.left_count; k++) {
            sampler->level[*given + k] = (uint16_t)(k < 65535 ? k : 65535);
            sampler->from[*given + k] = (uint32_t)i;
        }
        *given += slice.left_count;
    }
    return steps;
}

/* The expected steps below a task: the mean of earlier estimates, at least a tenth of its round's
   mean; 1 while nothing is known. */
COMBGPU__PRIVATE double combgpu__size(const combgpu__sizes *sizes, size_t round, size_t level)
{
    double sum = 0, count = 0, size;
    size_t i;
    if (!sizes) return 1;
    if (round >= COMBGPU__SIZE_ROUNDS) round = COMBGPU__SIZE_ROUNDS - 1;
    if (level >= COMBGPU__SIZE_LEVELS) level = COMBGPU__SIZE_LEVELS - 1;
    for (i = 0; i < COMBGPU__SIZE_LEVELS; i++) {
        sum += sizes->sum[round][i];
        count += sizes->count[round][i];
    }
    if (!(sum > 0)) return 1;
    size =
        sizes->count[round][level] > 0 ? sizes->sum[round][level] / sizes->count[round][level] : 0;
    return size + 0.1 * sum / count;
}

/* Sets sampler->sorted to the numbers of the spilled tasks, by level. */
COMBGPU__PRIVATE void combgpu__sample_sort(const combgpu_job *job, combgpu__sampler *sampler,
                                           size_t given)
{
    size_t levels = (size_t)job->desc.kernel.left_per_worker + 1, i;
    memset(sampler->order, 0, (levels + 1) * sizeof *sampler->order);
    for (i = 0; i < given; i++)
        sampler->order[sampler->level[i] + 1]++;
    for (i = 1; i <= levels; i++)
        sampler->order[i] += sampler->order[i - 1];
    for (i = 0; i < given; i++)
        sampler->sorted[sampler->order[sampler->level[i]]++] = (uint32_t)i;
}

/* Sets each spilled task's chance: proportional to weight * size, at most 1, `keep` in total. */
COMBGPU__PRIVATE void combgpu__sample_chances(combgpu__sampler *sampler, size_t given, size_t keep,
                                              const combgpu__sizes *sizes, size_t round)
{
    double size[COMBGPU__SIZE_LEVELS], unit = 0;
    size_t i;
    int tries;
    for (i = 0; i < COMBGPU__SIZE_LEVELS; i++)
        size[i] = combgpu__size(sizes, round, i);
    for (i = 0; i < given; i++) {
        size_t level =
            sampler->level[i] < COMBGPU__SIZE_LEVELS ? sampler->level[i] : COMBGPU__SIZE_LEVELS - 1;
        sampler->chance[i] = sampler->weight[sampler->from[i]] * size[level];
    }
    for (tries = 0; tries < 30; tries++) { /* a chance of 1 keeps the task surely */
        double rest = 0, before = unit;
        size_t sure = 0;
        for (i = 0; i < given; i++)
            if (tries && sampler->chance[i] >= unit)
                sure++;
            else
                rest += sampler->chance[i];
        if (sure < keep) unit = rest / (double)(keep - sure);
        if (sure >= keep || !(unit != before)) break;
    }
    for (i = 0; i < given; i++)
        sampler->chance[i] = sampler->chance[i] < unit ? sampler->chance[i] / unit : 1;
}

/* Keeps some of the spilled tasks for the next round. Returns how many. */
COMBGPU__PRIVATE size_t combgpu__sample_thin(const combgpu_job *job, combgpu__sampler *sampler,
                                             size_t given, const combgpu__sizes *sizes,
                                             size_t round, size_t *entries, uint64_t *state)
{
    size_t words = job->desc.task_words, i, kept = 0;
    int all = given <= sampler->tasks;
    double at = 0, next = all ? 0 : combgpu__random_part(state);
    if (!all) {
        combgpu__sample_sort(job, sampler, given);
        combgpu__sample_chances(sampler, given, sampler->tasks - 1, sizes, round);
    }
    for (i = 0; i < given && kept < sampler->tasks; i++) {
        size_t k = all ? i : sampler->sorted[i];
        double chance = all ? 1 : sampler->chance[k];
        if (chance < 1) {
            at += chance;
            if (at <= next) continue;
            next += 1;
        }
        sampler->pick[kept].number = (uint32_t)k;
        sampler->pick[kept++].factor = 1 / chance;
    }
    for (i = 0; i < kept; i++) { /* of `now` only the weights are still needed */
        combgpu__sample_pick *pick = &sampler->pick[i];
        uint32_t from = sampler->from[pick->number];
        pick->weight = sampler->weight[from] * pick->factor;
        pick->parent = sampler->entry[from];
    }
    for (i = 0; i < kept; i++) {
        const combgpu__sample_pick *pick = &sampler->pick[i];
        combgpu__sampled *to = &sampler->tree[*entries];
        memcpy(sampler->now + i * words, sampler->next + pick->number * words,
               words * sizeof(uint32_t));
        sampler->weight[i] = pick->weight;
        sampler->entry[i] = UINT32_MAX;
        if (*entries == sampler->entries) continue;
        sampler->entry[i] = (uint32_t)(*entries)++;
        to->parent = pick->parent;
        to->round = (uint16_t)(round < COMBGPU__SIZE_ROUNDS ? round : COMBGPU__SIZE_ROUNDS - 1);
        to->level = (uint16_t)(sampler->level[pick->number] < COMBGPU__SIZE_LEVELS
                                   ? sampler->level[pick->number]
                                   : COMBGPU__SIZE_LEVELS - 1);
        to->factor = pick->factor;
        to->steps = 0;
    }
    return kept;
}

/* Adds up the steps below each task of the sample, and adds them to *learned. */
COMBGPU__PRIVATE void combgpu__sample_learn(combgpu__sampler *sampler, size_t entries,
                                            combgpu__sizes *learned)
{
    while (entries--) {
        const combgpu__sampled *task = &sampler->tree[entries];
        learned->sum[task->round][task->level] += task->steps;
        learned->count[task->round][task->level]++;
        if (task->parent < entries) sampler->tree[task->parent].steps += task->factor * task->steps;
    }
}

/* Returns sample i of the picks: the steps below all tasks; negative if the search spills tasks
   without working on them. */
COMBGPU__PRIVATE double combgpu__sample(combgpu_job *job, combgpu__sampler *sampler,
                                        const combgpu__picks *picks, int i,
                                        const combgpu__sizes *sizes, combgpu__sizes *learned)
{
    uint64_t state = combgpu__mix(picks->seed + combgpu__mix((uint64_t)(picks->first + i)));
    size_t tasks = picks->each, given, words = tasks * job->desc.task_words, entries = tasks, k;
    size_t round = 0;
    double sum = 0;
    memcpy(sampler->now, picks->tasks + (size_t)i * words, words * sizeof(uint32_t));
    for (k = 0; k < tasks; k++) {
        memset(&sampler->tree[k], 0, sizeof sampler->tree[k]);
        sampler->tree[k].parent = UINT32_MAX;
        sampler->weight[k] = picks->weight;
        sampler->entry[k] = (uint32_t)k;
    }
    if (picks->weight > 1) (void)combgpu__random_part(&state); /* the draw that chose the tasks */
    while (tasks) {
        uint64_t steps = combgpu__sample_round(job, sampler, tasks, &given, &sum);
        if (!steps && given) return -1;
        tasks = combgpu__sample_thin(job, sampler, given, sizes, ++round, &entries, &state);
    }
    if (learned) combgpu__sample_learn(sampler, entries, learned);
    return sum;
}

/* Copies task number `at`, counted through the reserve, then each executor's pool. */
COMBGPU__PRIVATE combgpu_status combgpu__pick_task(const combgpu_job *job, uint64_t at,
                                                   uint32_t *task)
{
    size_t bytes = job->desc.task_words * sizeof(uint32_t);
    int i;
    if (at < job->reserve.count) {
        memcpy(task, job->reserve.tasks + at * job->desc.task_words, bytes);
        return COMBGPU_OK;
    }
    at -= job->reserve.count;
    for (i = 0; at >= job->executors[i].pool_count; i++)
        at -= job->executors[i].pool_count;
    return job->executors[i].backend->download(job->executors[i].ctx, task,
                                               &job->executors[i].memory[COMBGPU__POOL],
                                               (size_t)at * bytes, bytes);
}

/* Picks the tasks for `count` samples from number `first` on, with at most `most` tasks at once.
   All devices must be idle. */
COMBGPU__PRIVATE combgpu_status combgpu__pick(combgpu_job *job, uint64_t seed, int first, int count,
                                              size_t most, combgpu__picks *picks)
{
    uint64_t all = combgpu__tasks_left(job), at;
    size_t bytes, j;
    combgpu_status status = COMBGPU_OK;
    int i;
    picks->most = combgpu__sample_tasks(job, most);
    picks->each = all < picks->most ? (size_t)all : picks->most;
    picks->weight = picks->each ? (double)all / (double)picks->each : 1;
    picks->first = first;
    picks->count = count;
    picks->seed = seed;
    bytes = combgpu__bytes((size_t)count * picks->each, job->desc.task_words * sizeof(uint32_t));
    picks->tasks = (uint32_t *)combgpu__allocate(job->ctx, bytes);
    if (!picks->tasks) return combgpu__no_memory(job->ctx, bytes);
    for (i = 0; i < count; i++) {
        uint64_t state = combgpu__mix(seed + combgpu__mix((uint64_t)(first + i)));
        double offset = picks->weight > 1 ? combgpu__random_part(&state) : 0;
        for (j = 0; j < picks->each && !status; j++) {
            at = (uint64_t)(((double)j + offset) * picks->weight);
            status = combgpu__pick_task(job, at < all ? at : all - 1,
                                        picks->tasks +
                                            ((size_t)i * picks->each + j) * job->desc.task_words);
        }
    }
    return status;
}

COMBGPU__PRIVATE void combgpu__sizes_add(combgpu__sizes *to, const combgpu__sizes *more)
{
    int r, k;
    for (r = 0; r < COMBGPU__SIZE_ROUNDS; r++)
        for (k = 0; k < COMBGPU__SIZE_LEVELS; k++) {
            to->sum[r][k] += more->sum[r][k];
            to->count[r][k] += more->count[r][k];
        }
}

typedef struct combgpu__sampling {
    combgpu_job *job;
    combgpu__sampler *samplers; /* one per thread */
    const combgpu__picks *picks;
    const combgpu__sizes *sizes;
    combgpu__sizes *each; /* learned from the first `teach` samples */
    int teach, from;      /* pass 0 works sample `from` */
    double *values;
} combgpu__sampling;

COMBGPU__PRIVATE void combgpu__sample_pass(void *user, int i, int thread)
{
    const combgpu__sampling *s = (const combgpu__sampling *)user;
    i += s->from;
    s->values[i] = combgpu__sample(s->job, &s->samplers[thread], s->picks, i, s->sizes,
                                   i < s->teach ? &s->each[i] : NULL);
}

COMBGPU__COLD_BEGIN
/* Works the samples with all threads of the host, with the sizes that earlier samples have taught;
   learned (may be NULL) gets those of these samples added. Values and sizes do not depend on the
   threads. `between` (may be NULL) is called now and then on the caller's thread; what it returns, if
   not OK, ends the sampling. */
COMBGPU__PRIVATE combgpu_status combgpu__sample_many(combgpu_job *job, const combgpu__picks *picks,
                                                     const combgpu__sizes *sizes,
                                                     combgpu__sizes *learned, double *values,
                                                     combgpu_status (*between)(combgpu_job *job))
{
    combgpu__sampling s;
    combgpu_status status = COMBGPU_OK;
    int threads = combgpu__host_threads(job->ctx), opened = 0, to, i;
    memset(&s, 0, sizeof s);
    s.job = job;
    s.picks = picks;
    s.sizes = sizes;
    s.values = values;
    s.teach = !learned                             ? 0
              : picks->count < COMBGPU__SIZE_LEARN ? picks->count
                                                   : COMBGPU__SIZE_LEARN;
    if (threads > picks->count) threads = picks->count;
    s.samplers = (combgpu__sampler *)combgpu__allocate_zeroed(job->ctx,
                                                              (size_t)threads * sizeof *s.samplers);
    if (s.teach)
        s.each =
            (combgpu__sizes *)combgpu__allocate_zeroed(job->ctx, (size_t)s.teach * sizeof *s.each);
    if (!s.samplers || (s.teach && !s.each)) {
        combgpu__release(job->ctx, s.samplers);
        combgpu__release(job->ctx, s.each);
        return combgpu__no_memory(job->ctx, (size_t)threads * sizeof *s.samplers);
    }
    while (opened < threads && !status)
        status = combgpu__sampler_open(job, picks->most, &s.samplers[opened++]);
    for (; s.from < picks->count && !status; s.from = to) {
        to = between && picks->count - s.from > 2 * threads ? s.from + 2 * threads : picks->count;
        combgpu__loop(job->ctx, threads, to - s.from, 1, combgpu__sample_pass, &s);
        if (between) status = between(job);
    }
    for (i = 0; i < opened; i++)
        combgpu__sampler_close(job, &s.samplers[i]);
    for (i = 0; i < s.teach && !status; i++)
        combgpu__sizes_add(learned, &s.each[i]);
    combgpu__release(job->ctx, s.samplers);
    combgpu__release(job->ctx, s.each);
    return status;
}
COMBGPU__COLD_END
