/* No-three-in-line: the random order of a search with a seed.

   The tree is cut into 2^b chunks of about equally many tasks, with about COMBGPU__NO3_TASK steps
   each. A node with L orbits belongs to a chunk if shift[L] bits of a seeded hash of its path are
   those of the chunk's number; b is the sum of the shifts, and the root's children use the lowest
   bits. Consecutive chunks therefore lie in different parts of the tree, as after a restart; but no
   part is searched twice, and together the chunks are the whole tree, so the end of the search is a
   proof.

   The solutions of a chunk are held back until it is done, then delivered in an order set by the
   seed: the first solution does not depend on threads and slices (search/random_hold.c). */

#ifndef COMBGPU__NO3_TASK
#define COMBGPU__NO3_TASK 200000 /* steps of a task, roughly; tests set fewer, for small chunks */
#endif
#define COMBGPU__NO3_POPULATION 64 /* tasks of a chunk, roughly */

/* Keeps the nodes whose lowest `shift` bits of hash are 0. */
COMBGPU__PRIVATE void combgpu__no3_thin(const combgpu_job *job, combgpu__no3_nodes *list, int shift)
{
    uint64_t mask = (UINT64_C(1) << shift) - 1;
    size_t i, kept = 0, words = combgpu__desc(job)->task_words + 4;
    for (i = 0; i < list->tail; i++) {
        const uint32_t *from = combgpu__no3_node_words(job, list, i);
        if (combgpu__get64(from + words - 2) & mask) continue;
        memmove(combgpu__no3_node_words(job, list, kept++), from, words * sizeof *from);
    }
    list->tail = kept;
}

/* Chooses shift[] and stop, the number of orbits in a task, by walking down the whole tree with a
   thinned population (stratified sampling: P. C. Chen 1992). Integers make the choice equal on all
   machines. */
COMBGPU__PRIVATE combgpu_status combgpu__no3_plan(combgpu_job *job)
{
    combgpu__no3 *model = (combgpu__no3 *)combgpu__state(job);
    uint64_t passes[COMBGPU__NO3_LEVELS], alive[COMBGPU__NO3_LEVELS], below = 0;
    combgpu__no3_walk *walk;
    combgpu_status status;
    uint32_t level = 0, least;
    memset(passes, 0, sizeof passes);
    status = combgpu__no3_walk_begin(job, &walk);
    while (!status && walk->list[0].tail && level + 1 < COMBGPU__NO3_LEVELS) {
        int shift = 0;
        alive[level] = walk->list[0].tail;
        status = combgpu__no3_descend(job, walk, 0, 0, 0, &passes[level]);
        while (walk->list[0].tail >> shift > COMBGPU__NO3_POPULATION)
            shift++;
        combgpu__no3_thin(job, &walk->list[0], shift);
        model->shift[++level] = (uint8_t)shift;
    }
    /* from the leaves up: the steps below the kept nodes */
    for (model->stop = level; level-- > 0;) {
        int shift = model->shift[level + 1];
        below = below > UINT64_MAX >> 8 >> shift ? UINT64_MAX >> 8 : below << shift;
        below += passes[level];
        if (below / COMBGPU__NO3_TASK <= alive[level]) model->stop = level;
    }
    /* below the levels where copies are cut off and two orbits tell the frame */
    least = model->images && model->n <= COMBGPU__NO3_TABLED ? model->depth
            : model->given.frames == 2                       ? 2
                                                             : 0;
    while (model->stop < least)
        model->shift[++model->stop] = 0;
    return status;
}

/* The chunks of a job. A shard has every k-th of many chunks, or every k-th task of each of few. */
typedef struct combgpu__no3_chunks {
    uint8_t shift[COMBGPU__NO3_LEVELS];
    uint64_t count;       /* at most 2^60: more would never end */
    double all;           /* the true number */
    uint64_t first, step; /* this shard's: first, first + step ... */
} combgpu__no3_chunks;

/* A GPU needs more tasks at once: its chunks are fewer and larger, uncut at the lowest levels. */
COMBGPU__PRIVATE combgpu__no3_chunks combgpu__no3_chunks_of(const combgpu_job *job)
{
    const combgpu__no3 *model = (const combgpu__no3 *)combgpu__state(job);
    uint64_t merge = combgpu__accumulators(job)[COMBGPU__NO3_MERGE];
    uint64_t shards = (uint64_t)combgpu__shards(job);
    combgpu__no3_chunks chunks;
    uint32_t level;
    int sum = 0;
    memcpy(chunks.shift, model->shift, sizeof chunks.shift);
    for (level = model->stop; level > 0; level--) {
        uint64_t less = merge < chunks.shift[level] ? merge : chunks.shift[level];
        chunks.shift[level] = (uint8_t)(chunks.shift[level] - less);
        merge -= less;
        sum += chunks.shift[level];
    }
    chunks.count = UINT64_C(1) << (sum < 60 ? sum : 60);
    chunks.all = ldexp(1, sum);
    chunks.step = chunks.count / shards >= 64 ? shards : 1;
    chunks.first = chunks.step > 1 ? (uint64_t)combgpu__shard(job) : 0;
    return chunks;
}

/* Pushes the tasks of one chunk. */
COMBGPU__PRIVATE combgpu_status combgpu__no3_push_chunk(combgpu_job *job, const uint8_t *shift,
                                                        uint64_t chunk)
{
    const combgpu__no3 *model = (const combgpu__no3 *)combgpu__state(job);
    combgpu__no3_walk *walk;
    combgpu__no3_node node;
    uint64_t passes = 0;
    combgpu_status status = combgpu__no3_walk_begin(job, &walk);
    uint32_t level, task[COMBGPU__NO3_TASK_ROOM];
    size_t i;
    for (level = 1; level <= model->stop && !status; level++) {
        uint64_t mask = (UINT64_C(1) << shift[level]) - 1;
        status = combgpu__no3_descend(job, walk, chunk == 0, mask, chunk, &passes);
        chunk >>= shift[level];
    }
    for (i = 0; i < walk->list[0].tail && !status; i++) {
        const uint32_t *words = combgpu__no3_node_words(job, &walk->list[0], i);
        if (model->given.frames == 2) {
            combgpu__no3_get_node(job, &walk->list[0], i, &node);
            combgpu__no3_make_task(model, &node.board, node.frame, task);
            words = task;
        }
        status = combgpu__no3_push(job, words);
    }
    return status;
}

/* Pushes this shard's next chunk with tasks. */
COMBGPU__PRIVATE combgpu_status combgpu__no3_next_chunk(combgpu_job *job)
{
    combgpu__no3 *model = (combgpu__no3 *)combgpu__state(job);
    combgpu__no3_chunks chunks = combgpu__no3_chunks_of(job);
    uint64_t *next = &combgpu__accumulators(job)[COMBGPU__NO3_CHUNK];
    combgpu_status status = COMBGPU_OK;
    model->own_chunks = chunks.step > 1;
    while (!status && !combgpu__tasks_left(job) && *next < chunks.count) {
        uint64_t after = *next > chunks.first ? *next - chunks.first : 0, chunk;
        chunk = chunks.first + (after + chunks.step - 1) / chunks.step * chunks.step;
        if (chunk < chunks.count) status = combgpu__no3_push_chunk(job, chunks.shift, chunk);
        *next = chunk < chunks.count ? chunk + 1 : chunks.count;
    }
    return status;
}

/* The number of this shard's chunks whose tasks exist. */
COMBGPU__PRIVATE uint64_t combgpu__no3_chunks_begun(const combgpu_job *job,
                                                    const combgpu__no3_chunks *chunks)
{
    uint64_t next = combgpu__accumulators(job)[COMBGPU__NO3_CHUNK];
    if (next > chunks->count) next = chunks->count; /* merged shards add up */
    return next > chunks->first ? (next - chunks->first + chunks->step - 1) / chunks->step : 0;
}

/* The share of the search whose tasks exist. */
COMBGPU__PRIVATE double combgpu__no3_begun(const combgpu_job *job)
{
    combgpu__no3_chunks chunks = combgpu__no3_chunks_of(job);
    uint64_t begun = combgpu__no3_chunks_begun(job, &chunks);
    if (combgpu__accumulators(job)[COMBGPU__NO3_CHUNK] >= chunks.count) return 1;
    return (double)begun * (double)chunks.step / chunks.all;
}

COMBGPU__PRIVATE combgpu_status combgpu__no3_random_begin(combgpu_job *job)
{
    const combgpu_device *device = combgpu__device(combgpu__context(job));
    uint64_t tasks = COMBGPU__NO3_POPULATION, merge = 0;
    if (device->is_gpu) tasks = 128 * (uint64_t)device->compute_units;
    while (tasks >> merge > COMBGPU__NO3_POPULATION)
        merge++;
    combgpu__accumulators(job)[COMBGPU__NO3_MERGE] = merge;
    return combgpu__no3_next_chunk(job);
}
