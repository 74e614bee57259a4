/* ---- lists in order */

/* One call of combgpu_magic_list. */
typedef struct combgpu__magic_output {
    combgpu_context *ctx;
    const combgpu_magic_list_desc *desc;
    combgpu_magic_list_result *result;
    combgpu__magic_state state;
    uint32_t *counts, *offsets; /* of the join, by pair */
    unsigned char *found;       /* of a search: all squares */
    size_t found_count, found_room;
    unsigned char *chunk; /* squares on their way */
    char *text;
    size_t chunk_squares, cell_bytes;
    combgpu__memory device; /* the caller's, or a chunk */
    int owns_device;
    size_t shift;
    combgpu_status failed; /* in the collector */
    double began;
    double from, to; /* the part of the call that the job which runs is, for progress */
#ifndef COMBGPU_NO_STDIO
    FILE *file;
#endif
} combgpu__magic_output;

/* Tells the caller's callback about the call, of which a job is a part. */
COMBGPU__PRIVATE int combgpu__magic_list_progress(const combgpu_progress *progress, void *user)
{
    const combgpu__magic_output *o = (const combgpu__magic_output *)user;
    combgpu_progress all = *progress;
    double part = o->from + (o->to - o->from) * progress->fraction;
    all.fraction = part;
    all.elapsed_s = combgpu__now() - o->began;
    all.remaining_s = part > 0.001 ? all.elapsed_s * (1 / part - 1) : -1;
    all.remaining_error_s = -1;
    all.steps += o->result->run.steps;
    all.solutions = o->result->count;
    return o->desc->run.progress(&all, o->desc->run.progress_user);
}

/* How the jobs of a call run. */
COMBGPU__PRIVATE combgpu_run_desc combgpu__magic_list_runs(combgpu__magic_output *o)
{
    combgpu_run_desc run = o->desc->run;
    double left = run.time_limit_s + o->began - combgpu__now();
    run.shard_index = run.shard_count = 0;
    if (run.time_limit_s > 0) run.time_limit_s = left > 1e-6 ? left : 1e-6;
    if (run.progress) {
        run.progress = combgpu__magic_list_progress;
        run.progress_user = o;
    }
    return run;
}

/* Runs a job of the list solver to its end. */
COMBGPU__PRIVATE combgpu_status combgpu__magic_list_run(combgpu__magic_output *o)
{
    combgpu_run_desc run = combgpu__magic_list_runs(o);
    combgpu_run_info info;
    combgpu_job *job;
    combgpu_status status;
    run.verify = 0;
    if (o->state.goal == COMBGPU__MAGIC_WRITES) run.self_test = 0; /* for each chunk: too often */
    status = combgpu__magic_create(o->ctx, &combgpu__magic_solvers[COMBGPU__MAGIC_LIST], &o->state,
                                   sizeof o->state, &run, &job);
    if (status) return status;
    combgpu__run(job);
    status = combgpu__job_ended(job, 0, &info);
    if (o->state.goal == COMBGPU__MAGIC_WRITES)
        o->result->run.device_seconds += info.device_seconds;
    o->result->run.steps += info.steps;
    o->result->run.slices += info.slices;
    return status;
}

/* How many squares each pair has: counted, or from the context. */
COMBGPU__PRIVATE combgpu_status combgpu__magic_index(combgpu__magic_output *o)
{
    combgpu_context *ctx = o->ctx;
    int centre = o->state.givens[12];
    combgpu_status status;
    if (centre > 13) centre = 26 - centre;
    if (ctx->magic_index && ctx->magic_index_centre == centre) return COMBGPU_OK;
    combgpu__release(ctx, ctx->magic_index);
    ctx->magic_index = NULL;
    o->counts = (uint32_t *)combgpu__allocate_zeroed(ctx, COMBGPU__MAGIC_PAIRS * sizeof(uint32_t));
    if (!o->counts) return combgpu__no_memory(ctx, COMBGPU__MAGIC_PAIRS * sizeof(uint32_t));
    o->state.goal = COMBGPU__MAGIC_COUNTS;
    o->state.index = o->counts;
    o->to = 0.5;
    status = combgpu__magic_list_run(o);
    if (status) return status;
    ctx->magic_index = o->counts;
    ctx->magic_index_centre = centre;
    o->counts = NULL;
    return COMBGPU_OK;
}

/* From the index to the first square of each pair, and the length of the list. */
COMBGPU__PRIVATE combgpu_status combgpu__magic_offsets(combgpu__magic_output *o)
{
    size_t bytes = (COMBGPU__MAGIC_PAIRS + 1) * 2 * sizeof(uint32_t);
    int given = o->state.givens[12], centre = given > 13 ? 26 - given : given;
    uint32_t *pairs = (uint32_t *)combgpu__allocate(o->ctx, bytes), n, i, at = 0;
    o->offsets = (uint32_t *)combgpu__allocate(o->ctx, bytes);
    if (pairs && o->offsets) {
        n = combgpu__magic_pairs(centre ? centre : 1, centre ? centre : 13, pairs);
        for (i = 0; i < n; i++) {
            o->offsets[i] = at;
            at += o->ctx->magic_index[i] *
                  combgpu__magic_images(given, o->desc->frenicle, pairs[2 * i] & 31);
        }
        o->offsets[n] = at;
        o->state.range.end = n;
        o->state.offsets = o->offsets;
        o->result->total = at;
    }
    combgpu__release(o->ctx, pairs);
    return pairs && o->offsets ? COMBGPU_OK : combgpu__no_memory(o->ctx, bytes);
}

/* The last pair that begins at or before a square. */
COMBGPU__PRIVATE uint32_t combgpu__magic_pair_of(const uint32_t *offsets, uint32_t pairs,
                                                 uint64_t square)
{
    uint32_t low = 0, high = pairs;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (offsets[middle] <= square)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Makes squares of the list at `to` on the host, or in o->device. */
COMBGPU__PRIVATE combgpu_status combgpu__magic_make(combgpu__magic_output *o, uint64_t first,
                                                    size_t count, unsigned char *to)
{
    size_t bytes = count * o->cell_bytes;
    uint32_t pairs;
    combgpu_status status;
    if (o->state.method != COMBGPU__MAGIC_JOIN) {
        const unsigned char *from = o->found + (size_t)first * o->cell_bytes;
        if (o->device.handle)
            return o->ctx->backend->upload(o->ctx, &o->device, o->shift, from, bytes);
        memcpy(to, from, bytes);
        return COMBGPU_OK;
    }
    pairs = (uint32_t)o->state.range.end;
    o->state.goal = COMBGPU__MAGIC_WRITES;
    o->state.first = (uint32_t)first;
    o->state.count = (uint32_t)count;
    o->state.out = to;
    o->state.device_out = o->device.handle ? &o->device : NULL;
    o->state.shift = o->shift;
    o->state.range.begin = combgpu__magic_pair_of(o->offsets, pairs, first);
    o->state.range.end = combgpu__magic_pair_of(o->offsets, pairs, first + count - 1) + 1;
    status = combgpu__magic_list_run(o);
    o->state.range.end = pairs;
    if (status || !o->device.handle || !o->owns_device) return status;
    return o->ctx->backend->download(o->ctx, to, &o->device, 0, bytes);
}

#ifndef COMBGPU_NO_STDIO
/* Squares as text; returns its length. */
COMBGPU__PRIVATE size_t combgpu__magic_text(const unsigned char *squares, size_t count, int order,
                                            char *text)
{
    int cells = order * order, wide = cells > 9, i;
    char *to = text;
    for (; count; count--, squares += cells) {
        for (i = 0; i < cells; i++) {
            int number = squares[i];
            if (wide) *to++ = (char)(number > 9 ? '0' + number / 10 : ' ');
            *to++ = (char)('0' + number % 10);
            *to++ = i % order == order - 1 ? '\n' : ' ';
        }
        *to++ = '\n';
    }
    return (size_t)(to - text);
}
#endif

/* Hands over a chunk; *count gets how many of its squares. */
COMBGPU__PRIVATE combgpu_status combgpu__magic_hand_over(combgpu__magic_output *o,
                                                         const unsigned char *squares,
                                                         size_t *count)
{
    int cells = o->state.cells, square[COMBGPU__MAGIC_CELLS], i;
    size_t k, n = *count;
    for (k = 0; k < n; k++) {
        const unsigned char *bytes = squares + k * o->cell_bytes;
        o->result->run.checksum += combgpu__fnv(COMBGPU__FNV_OFFSET, bytes, o->cell_bytes);
        if (!o->desc->solution) continue;
        for (i = 0; i < cells; i++)
            square[i] = bytes[i];
        if (!o->desc->solution(square, o->state.order, o->desc->solution_user)) continue;
        *count = k + 1;
        return COMBGPU_STOPPED;
    }
#ifndef COMBGPU_NO_STDIO
    if (o->file) {
        size_t bytes = n * o->cell_bytes;
        const void *from = squares;
        if (o->text) {
            bytes = combgpu__magic_text(squares, n, o->state.order, o->text);
            from = o->text;
        }
        if (fwrite(from, 1, bytes, o->file) != bytes)
            return combgpu__fail(o->ctx, COMBGPU_FILE_ERROR, "%s cannot be written: %s",
                                 o->desc->path, strerror(errno));
    }
#endif
    return COMBGPU_OK;
}

/* The range, chunk by chunk; into the caller's memory in one piece. Between chunks: time limit and
   progress. */
COMBGPU__PRIVATE combgpu_status combgpu__magic_chunks(combgpu__magic_output *o, uint64_t first,
                                                      uint64_t count)
{
    const combgpu_run_desc *run = &o->desc->run;
    combgpu_progress progress;
    combgpu_status status = COMBGPU_OK;
    double begin = o->to;
    uint64_t done = 0;
    memset(&progress, 0, sizeof progress);
    progress.fraction = 1; /* of the chunk */
    while (done < count && !status) {
        size_t n = count - done < o->chunk_squares ? (size_t)(count - done) : o->chunk_squares;
        unsigned char *to = o->desc->out ? o->desc->out + (size_t)done * o->cell_bytes : o->chunk;
        o->from = o->to;
        o->to = begin + (1 - begin) * (double)(done + n) / (double)count;
        status = combgpu__magic_make(o, first + done, n, to);
        if (status) break;
        if (!o->desc->device_out.memory) status = combgpu__magic_hand_over(o, to, &n);
        if (status >= 0) done += n;
        o->result->count = done;
        if (!status && run->time_limit_s > 0 && combgpu__now() - o->began >= run->time_limit_s)
            status = COMBGPU_STOPPED;
        if (!status && run->progress && combgpu__magic_list_progress(&progress, o))
            status = COMBGPU_STOPPED;
        if (status == COMBGPU_STOPPED && done == count && !o->desc->solution) status = COMBGPU_OK;
    }
    return status;
}

/* The callback that gathers what a search finds, in COMBGPU__MAGIC_CELLS bytes each. */
COMBGPU__PRIVATE int combgpu__magic_gather(const int *square, int order, void *user)
{
    combgpu__magic_output *o = (combgpu__magic_output *)user;
    unsigned char *to;
    int i;
    if (o->found_count == o->found_room) {
        size_t room = o->found_room ? 2 * o->found_room : 4096;
        size_t bytes = combgpu__bytes(room, COMBGPU__MAGIC_CELLS);
        unsigned char *grown = (unsigned char *)combgpu__allocate_zeroed(o->ctx, bytes);
        if (!grown) {
            o->failed = combgpu__no_memory(o->ctx, bytes);
            return 1;
        }
        if (o->found) memcpy(grown, o->found, o->found_count * COMBGPU__MAGIC_CELLS);
        combgpu__release(o->ctx, o->found);
        o->found = grown;
        o->found_room = room;
    }
    to = o->found + o->found_count++ * COMBGPU__MAGIC_CELLS;
    for (i = 0; i < order * order; i++)
        to[i] = (unsigned char)square[i];
    return 0;
}

COMBGPU__PRIVATE int combgpu__magic_compare(const void *a, const void *b)
{
    return memcmp(a, b, COMBGPU__MAGIC_CELLS);
}

/* All squares of a search, sorted, without gaps. */
COMBGPU__PRIVATE combgpu_status combgpu__magic_find_all(combgpu__magic_output *o)
{
    combgpu_magic_desc desc = o->state.desc;
    combgpu_magic_result found;
    combgpu_status status;
    size_t i;
    desc.run = combgpu__magic_list_runs(o);
    desc.solution = combgpu__magic_gather;
    desc.solution_user = o;
    o->to = 0.5;
    status = combgpu_magic(o->ctx, &desc, &found);
    if (o->failed) return o->failed;
    if (status) return status;
    o->result->run.device_seconds = found.run.device_seconds;
    o->result->run.steps = found.run.steps;
    o->result->run.slices = found.run.slices;
    o->result->total = o->found_count;
    if (o->found) qsort(o->found, o->found_count, COMBGPU__MAGIC_CELLS, combgpu__magic_compare);
    for (i = 1; i < o->found_count; i++)
        memmove(o->found + i * o->cell_bytes, o->found + i * COMBGPU__MAGIC_CELLS, o->cell_bytes);
    return COMBGPU_OK;
}

/* Where to: one place. */
COMBGPU__PRIVATE combgpu_status combgpu__magic_places(combgpu__magic_output *o)
{
    const combgpu_magic_list_desc *d = o->desc;
    int places = (d->solution != NULL) + (d->out != NULL) + (d->device_out.memory != NULL) +
                 (d->path != NULL);
    const char *what = d->run.checkpoint_path || d->run.resume || d->run.resume_data ? "checkpoint"
                       : d->run.merge_paths || d->run.merge_count                    ? "merge"
                                                                                     : NULL;
    if (places != 1)
        return combgpu__fail(
            o->ctx, COMBGPU_INVALID_ARGUMENT,
            "%s of solution, out, device_out.memory and path set; a list needs one",
            places ? "several are" : "none is");
    if (what)
        return combgpu__fail(o->ctx, COMBGPU_INVALID_ARGUMENT,
                             "run asks for a %s; a list has no checkpoint: one that was stopped "
                             "goes on with first + result.count",
                             what);
#ifdef COMBGPU_NO_STDIO
    if (d->path)
        return combgpu__fail(o->ctx, COMBGPU_UNSUPPORTED,
                             "path is set, but this build (COMBGPU_NO_STDIO) has no files");
#endif
    return combgpu__check_run(o->ctx, &d->run);
}

/* Room on the way: the caller's memory, a chunk on the device, one on the host. */
COMBGPU__PRIVATE combgpu_status combgpu__magic_rooms(combgpu__magic_output *o, uint64_t count)
{
    const combgpu_magic_list_desc *d = o->desc;
    combgpu_context *ctx = o->ctx;
    int cpu = ctx->backend->id == COMBGPU_BACKEND_CPU;
    size_t room = d->out ? d->out_bytes : d->device_out.bytes, bytes = (size_t)1 << 22;
    combgpu_status status;
    if ((d->out || d->device_out.memory) && count > room / o->cell_bytes)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "%s is %llu; these %llu squares of %llu bytes need %llu",
                             d->out ? "out_bytes" : "device_out.bytes", (unsigned long long)room,
                             (unsigned long long)count, (unsigned long long)o->cell_bytes,
                             (unsigned long long)(count * o->cell_bytes));
    if (d->device_out.memory) {
        status = combgpu__device_adopt(ctx, "device_out", &d->device_out, &o->device, &o->shift);
        o->chunk_squares = (size_t)count;
        if (status || !cpu) return status;
        o->chunk = (unsigned char *)o->device.handle + o->shift;
        o->device.handle = NULL;
        return COMBGPU_OK;
    }
    if (cpu && d->out) bytes = SIZE_MAX;
    if (!cpu) bytes = ctx->free_bytes / 8 < (1u << 28) ? (size_t)(ctx->free_bytes / 8) : 1u << 28;
    o->chunk_squares = bytes / o->cell_bytes;
    if (o->chunk_squares > count) o->chunk_squares = (size_t)count;
    if (!o->chunk_squares) o->chunk_squares = 1;
    bytes = o->chunk_squares * o->cell_bytes;
    if (!cpu && o->state.method == COMBGPU__MAGIC_JOIN) {
        status = ctx->backend->allocate(ctx, bytes, &o->device);
        if (status) return status;
        o->owns_device = 1;
    }
    if (d->out) return COMBGPU_OK;
    o->chunk = (unsigned char *)combgpu__allocate(ctx, bytes);
    if (!o->chunk) return combgpu__no_memory(ctx, bytes);
    if (!d->path || !d->text) return COMBGPU_OK;
    bytes = combgpu__bytes(o->chunk_squares, 3 * o->cell_bytes + 1);
    o->text = (char *)combgpu__allocate(ctx, bytes);
    return o->text ? COMBGPU_OK : combgpu__no_memory(ctx, bytes);
}

/* The part of a call that may fail half way. */
COMBGPU__PRIVATE combgpu_status combgpu__magic_output_run(combgpu__magic_output *o)
{
    const combgpu_magic_list_desc *d = o->desc;
    uint64_t first = d->first, count,
             shards = d->run.shard_count > 1 ? (uint64_t)d->run.shard_count : 1;
    uint64_t shard = (uint64_t)d->run.shard_index, begin;
    combgpu_status status;
    if (o->state.method == COMBGPU__MAGIC_JOIN) {
        status = combgpu__magic_index(o);
        if (!status) status = combgpu__magic_offsets(o);
    } else
        status = combgpu__magic_find_all(o);
    if (status) return status;
    if (first > o->result->total)
        return combgpu__fail(o->ctx, COMBGPU_INVALID_ARGUMENT,
                             "first is %llu; the list has %llu squares, from 0 on",
                             (unsigned long long)first, (unsigned long long)o->result->total);
    count = o->result->total - first;
    if (d->count && d->count < count) count = d->count;
    begin = count / shards * shard + count % shards * shard / shards;
    count = count / shards * (shard + 1) + count % shards * (shard + 1) / shards - begin;
    status = combgpu__magic_rooms(o, count);
    if (status) return status;
#ifndef COMBGPU_NO_STDIO
    if (d->path) {
        o->file = fopen(d->path, "wb");
        if (!o->file)
            return combgpu__fail(o->ctx, COMBGPU_FILE_ERROR, "%s cannot be opened: %s", d->path,
                                 strerror(errno));
    }
#endif
    return combgpu__magic_chunks(o, first + begin, count);
}

COMBGPU__DEF combgpu_status combgpu_magic_list(combgpu_context *ctx,
                                               const combgpu_magic_list_desc *desc,
                                               combgpu_magic_list_result *result)
{
    combgpu__magic_output o;
    combgpu_magic_list_result unused;
    combgpu_magic_desc magic;
    combgpu_status status;
    if (result) memset(result, 0, sizeof *result);
    if (!ctx) return COMBGPU_INVALID_ARGUMENT;
    if (!desc) return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "desc is NULL");
    if (!ctx->backend)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "the context is not open: combgpu_open failed");
    memset(&o, 0, sizeof o);
    memset(&magic, 0, sizeof magic);
    memset(&unused, 0, sizeof unused);
    o.ctx = ctx;
    o.desc = desc;
    o.result = result ? result : &unused;
    o.began = combgpu__now();
    magic.order = desc->order;
    magic.kind = desc->kind;
    magic.givens = desc->givens;
    magic.frenicle = desc->frenicle;
    status = combgpu__magic_validate(ctx, &magic, &o.state);
    o.cell_bytes = (size_t)o.state.cells;
    if (!status) status = combgpu__magic_places(&o);
    if (!status) status = combgpu__magic_output_run(&o);
#ifndef COMBGPU_NO_STDIO
    if (o.file && fclose(o.file) && status >= 0)
        status = combgpu__fail(ctx, COMBGPU_FILE_ERROR, "%s cannot be written: %s", desc->path,
                               strerror(errno));
#endif
    if (o.owns_device) ctx->backend->release(ctx, &o.device);
    if (!desc->device_out.memory) combgpu__release(ctx, o.chunk);
    combgpu__release(ctx, o.text);
    combgpu__release(ctx, o.found);
    combgpu__release(ctx, o.counts);
    combgpu__release(ctx, o.offsets);
    o.result->run.status = status < 0 ? COMBGPU_STOPPED : status;
    o.result->run.backend = ctx->backend->id;
    snprintf(o.result->run.device, sizeof o.result->run.device, "%s", ctx->device.name);
    o.result->run.seconds = combgpu__now() - o.began;
    return status;
}

