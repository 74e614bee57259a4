/* Magic squares: lists in order (combgpu_magic_list). */

/* A context keeps the squares of each pair under this name; the key is the centre. */
#define COMBGPU__MAGIC_LIST_TAG "magic list"

/* One call of combgpu_magic_list. */
typedef struct combgpu__magic_output {
    combgpu_context *ctx;
    const combgpu_magic_list_desc *desc;
    combgpu_magic_list_result *result, unused;
    combgpu__magic_state state;
    uint32_t *counts, *offsets; /* of a join: by pair */
    const uint32_t *index;      /* the counts that the context keeps */
    unsigned char *found;       /* of a search: all its squares */
    size_t found_count, found_room;
    unsigned char *chunk; /* squares on their way to the caller */
    char *text;
    size_t chunk_squares, cell_bytes;
    combgpu__memory device; /* the caller's memory or a chunk */
    int owns_device;
    size_t shift;
    combgpu_status failed; /* in combgpu__magic_gather */
    double began;
    double from, to; /* for progress: the running job's part of the call */
#ifndef COMBGPU_NO_STDIO
    FILE *file;
#endif
} combgpu__magic_output;

/* Reports progress of the whole call, which runs several jobs. */
COMBGPU__PRIVATE int combgpu__magic_list_progress(const combgpu_progress *progress, void *user)
{
    const combgpu__magic_output *o = (const combgpu__magic_output *)user;
    combgpu_progress all = *progress;
    double part = o->from + (o->to - o->from) * progress->fraction;
    all.fraction = part;
    all.elapsed_s = combgpu__since(o->began);
    all.remaining_s = part > 0.001 ? all.elapsed_s * (1 / part - 1) : -1;
    all.remaining_error_s = -1;
    all.steps += o->result->run.steps;
    all.solutions = o->result->count;
    return o->desc->run.progress(&all, o->desc->run.progress_user);
}

/* Returns the run description for a job of the call. */
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
    if (run.verify && !o->result->run.slices) /* before the first of several jobs */
        combgpu__log(o->ctx, COMBGPU_LOG_WARNING,
                     "the list of magic squares of order 5 is not verified: run.verify does not "
                     "apply; a device that computes wrong results may go unnoticed");
    run.verify = 0;
    if (o->state.goal == COMBGPU__MAGIC_WRITES) run.self_test = 0; /* a job for each chunk */
    status =
        combgpu__method_begin(o->ctx, &combgpu__magic_calls,
                              &combgpu__magic_methods[COMBGPU__MAGIC_LIST], &run, &o->state, &job);
    if (status) return status;
    combgpu__run(job);
    combgpu__run_info(job, 0, &info);
    combgpu_job_cancel(job);
    if (o->state.goal == COMBGPU__MAGIC_WRITES)
        o->result->run.device_seconds += info.device_seconds;
    o->result->run.steps += info.steps;
    o->result->run.slices += info.slices;
    return info.status;
}

/* Gets the number of squares of each pair: counts them, or reads them from the context. */
COMBGPU__PRIVATE combgpu_status combgpu__magic_index(combgpu__magic_output *o)
{
    combgpu_context *ctx = o->ctx;
    int centre = o->state.givens[12];
    combgpu_status status;
    if (centre > 13) centre = 26 - centre;
    o->index = (const uint32_t *)combgpu__kept(ctx, COMBGPU__MAGIC_LIST_TAG, centre);
    if (o->index) return COMBGPU_OK;
    combgpu__keep(ctx, COMBGPU__MAGIC_LIST_TAG, 0, NULL);
    o->counts = (uint32_t *)combgpu__allocate_zeroed(ctx, COMBGPU__MAGIC_PAIRS * sizeof(uint32_t));
    if (!o->counts) return combgpu__no_memory(ctx, COMBGPU__MAGIC_PAIRS * sizeof(uint32_t));
    o->state.goal = COMBGPU__MAGIC_COUNTS;
    o->state.index = o->counts;
    o->to = 0.5;
    status = combgpu__magic_list_run(o);
    if (status) return status;
    combgpu__keep(ctx, COMBGPU__MAGIC_LIST_TAG, centre, o->counts);
    o->index = o->counts;
    o->counts = NULL;
    return COMBGPU_OK;
}

/* Computes the first square of each pair and the length of the list from the index. */
COMBGPU__PRIVATE combgpu_status combgpu__magic_offsets(combgpu__magic_output *o)
{
    size_t bytes = (COMBGPU__MAGIC_PAIRS + 1) * 2 * sizeof(uint32_t);
    int given = o->state.givens[12], centre = given > 13 ? 26 - given : given;
    uint32_t *pairs = (uint32_t *)combgpu__allocate(o->ctx, bytes), n, i, at = 0;
    o->offsets = (uint32_t *)combgpu__allocate(o->ctx, bytes);
    if (pairs && o->offsets) {
        n = combgpu__five_pairs(centre ? centre : 1, centre ? centre : 13, pairs);
        for (i = 0; i < n; i++) {
            o->offsets[i] = at;
            at += o->index[i] * combgpu__five_images(given, o->desc->frenicle, pairs[2 * i] & 31);
        }
        o->offsets[n] = at;
        o->state.range.end = n;
        o->state.offsets = o->offsets;
        o->result->total = at;
    }
    combgpu__release(o->ctx, pairs);
    return pairs && o->offsets ? COMBGPU_OK : combgpu__no_memory(o->ctx, bytes);
}

/* Returns the last pair that begins at or before a square. */
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
            return combgpu__memory_upload(o->ctx, &o->device, o->shift, from, bytes);
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
    return combgpu__memory_download(o->ctx, to, &o->device, 0, bytes);
}

#ifndef COMBGPU_NO_STDIO
/* Writes squares as text; returns its length. */
COMBGPU__PRIVATE size_t combgpu__magic_text(const unsigned char *squares, size_t count, int order,
                                            char *text)
{
    int cells = order * order, wide = cells > 99 ? 2 : cells > 9, i;
    char *to = text;
    for (; count; count--, squares += cells) {
        for (i = 0; i < cells; i++) {
            int number = squares[i];
            if (wide > 1) *to++ = number > 99 ? '1' : ' ';
            if (wide) *to++ = (char)(number > 9 ? '0' + number / 10 % 10 : ' ');
            *to++ = (char)('0' + number % 10);
            *to++ = i % order == order - 1 ? '\n' : ' ';
        }
        *to++ = '\n';
    }
    return (size_t)(to - text);
}
#endif

/* Hands a chunk to the caller; sets *count to the number of squares handed over. */
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

/* Makes the range chunk by chunk, or at once for the caller's memory. Checks the time limit and
   reports progress between chunks. */
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
        if (!status && run->time_limit_s > 0 && combgpu__since(o->began) >= run->time_limit_s)
            status = COMBGPU_STOPPED;
        if (!status && run->progress && combgpu__magic_list_progress(&progress, o))
            status = COMBGPU_STOPPED;
        if (status == COMBGPU_STOPPED && done == count && !o->desc->solution) status = COMBGPU_OK;
    }
    return status;
}

/* Returns the bytes between two squares that a search finds. */
COMBGPU__PRIVATE size_t combgpu__magic_stride(const combgpu__magic_output *o)
{
    return o->state.order > 7 ? COMBGPU__MAGIC_CELLS : o->state.order > 6 ? 49 : 36;
}

/* Callback: gathers the squares that a search finds. */
COMBGPU__PRIVATE int combgpu__magic_gather(const int *square, int order, void *user)
{
    combgpu__magic_output *o = (combgpu__magic_output *)user;
    unsigned char *to;
    int i;
    if (o->found_count == o->found_room) {
        size_t room = o->found_room ? 2 * o->found_room : 4096;
        size_t bytes = combgpu__bytes(room, combgpu__magic_stride(o));
        unsigned char *grown = (unsigned char *)combgpu__allocate_zeroed(o->ctx, bytes);
        if (!grown) {
            o->failed = combgpu__no_memory(o->ctx, bytes);
            return 1;
        }
        if (o->found) memcpy(grown, o->found, o->found_count * combgpu__magic_stride(o));
        combgpu__release(o->ctx, o->found);
        o->found = grown;
        o->found_room = room;
    }
    to = o->found + o->found_count++ * combgpu__magic_stride(o);
    for (i = 0; i < order * order; i++)
        to[i] = (unsigned char)square[i];
    return 0;
}

COMBGPU__PRIVATE int combgpu__magic_compare(const void *a, const void *b)
{
    return memcmp(a, b, COMBGPU__MAGIC_CELLS);
}

COMBGPU__PRIVATE int combgpu__magic_compare_seven(const void *a, const void *b)
{
    return memcmp(a, b, 49);
}

COMBGPU__PRIVATE int combgpu__magic_compare_small(const void *a, const void *b)
{
    return memcmp(a, b, 36);
}

/* Finds all squares by a search; leaves them sorted, without gaps. */
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
    if (o->found)
        qsort(o->found, o->found_count, combgpu__magic_stride(o),
              o->state.order > 7   ? combgpu__magic_compare
              : o->state.order > 6 ? combgpu__magic_compare_seven
                                   : combgpu__magic_compare_small);
    for (i = 1; i < o->found_count; i++)
        memmove(o->found + i * o->cell_bytes, o->found + i * combgpu__magic_stride(o),
                o->cell_bytes);
    return COMBGPU_OK;
}

/* Checks that the caller names one output and requests only what lists support. */
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
            "%s of desc.solution, desc.out, desc.device_out.memory and desc.path is set; "
            "a list needs exactly one",
            places ? "more than one" : "none");
    if (what)
        return combgpu__fail(
            o->ctx, COMBGPU_INVALID_ARGUMENT,
            "desc.run requests a %s, but lists have no checkpoints; to continue a stopped "
            "list, set desc.first to first + result.count",
            what);
#ifdef COMBGPU_NO_STDIO
    if (d->path)
        return combgpu__fail(
            o->ctx, COMBGPU_UNSUPPORTED,
            "desc.path is set, but this build (COMBGPU_NO_STDIO) cannot write files");
#endif
    return combgpu__check_run(o->ctx, &d->run);
}

/* Allocates what squares pass through: the caller's memory, a chunk on the device, one on the
   host. */
COMBGPU__PRIVATE combgpu_status combgpu__magic_rooms(combgpu__magic_output *o, uint64_t count)
{
    const combgpu_magic_list_desc *d = o->desc;
    combgpu_context *ctx = o->ctx;
    int cpu = combgpu__is_cpu(ctx);
    uint64_t device_room = combgpu__free_bytes(ctx) / 8;
    size_t room = d->out ? d->out_bytes : d->device_out.bytes, bytes = (size_t)1 << 22;
    combgpu_status status;
    if ((d->out || d->device_out.memory) && count > room / o->cell_bytes)
        return combgpu__fail(
            ctx, COMBGPU_INVALID_ARGUMENT, "%s is %llu; these %llu squares of %llu bytes need %llu",
            d->out ? "desc.out_bytes" : "desc.device_out.bytes", (unsigned long long)room,
            (unsigned long long)count, (unsigned long long)o->cell_bytes,
            (unsigned long long)(count * o->cell_bytes));
    if (d->device_out.memory) {
        status =
            combgpu__device_adopt(ctx, "desc.device_out", &d->device_out, &o->device, &o->shift);
        o->chunk_squares = (size_t)count;
        if (status || !cpu) return status;
        o->chunk = (unsigned char *)o->device.handle + o->shift;
        o->device.handle = NULL;
        return COMBGPU_OK;
    }
    if (cpu && d->out) bytes = SIZE_MAX;
    if (!cpu) bytes = device_room < (1u << 28) ? (size_t)device_room : 1u << 28;
    o->chunk_squares = bytes / o->cell_bytes;
    if (o->chunk_squares > count) o->chunk_squares = (size_t)count;
    if (!o->chunk_squares) o->chunk_squares = 1;
    bytes = o->chunk_squares * o->cell_bytes;
    if (!cpu && o->state.method == COMBGPU__MAGIC_JOIN) {
        status = combgpu__memory_allocate(ctx, bytes, &o->device);
        if (status) return status;
        o->owns_device = 1;
    }
    if (d->out) return COMBGPU_OK;
    o->chunk = (unsigned char *)combgpu__allocate(ctx, bytes);
    if (!o->chunk) return combgpu__no_memory(ctx, bytes);
    if (!d->path || !d->text) return COMBGPU_OK;
    bytes = combgpu__bytes(o->chunk_squares, 4 * o->cell_bytes + 1);
    o->text = (char *)combgpu__allocate(ctx, bytes);
    return o->text ? COMBGPU_OK : combgpu__no_memory(ctx, bytes);
}

/* Runs a call; on failure, its caller releases what it has allocated. */
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
                             "desc.first is %llu; the list has %llu squares, from 0 on",
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
    combgpu__magic_output *o; /* too large for the stack; has a result for callers that pass NULL */
    combgpu_magic_desc magic;
    combgpu_status status;
    if (result) memset(result, 0, sizeof *result);
    if (!ctx) return COMBGPU_INVALID_ARGUMENT;
    if (!desc) return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "desc is NULL");
    status = combgpu__check_open(ctx);
    if (status) return status;
    o = (combgpu__magic_output *)combgpu__allocate_zeroed(ctx, sizeof *o);
    if (!o) return combgpu__no_memory(ctx, sizeof *o);
    memset(&magic, 0, sizeof magic);
    o->ctx = ctx;
    o->desc = desc;
    o->result = result ? result : &o->unused;
    o->began = combgpu__now();
    magic.order = desc->order;
    magic.kind = desc->kind;
    magic.givens = desc->givens;
    magic.frenicle = desc->frenicle;
    status = combgpu__magic_validate(ctx, &magic, &o->state);
    o->cell_bytes = (size_t)o->state.cells;
    if (!status) status = combgpu__magic_places(o);
    if (!status) status = combgpu__magic_output_run(o);
#ifndef COMBGPU_NO_STDIO
    if (o->file && fclose(o->file) && status >= 0)
        status = combgpu__fail(ctx, COMBGPU_FILE_ERROR, "%s cannot be written: %s", desc->path,
                               strerror(errno));
#endif
    if (o->owns_device) combgpu__memory_release(ctx, &o->device);
    if (!desc->device_out.memory) combgpu__release(ctx, o->chunk);
    combgpu__release(ctx, o->text);
    combgpu__release(ctx, o->found);
    combgpu__release(ctx, o->counts);
    combgpu__release(ctx, o->offsets);
    o->result->run.status = status < 0 ? COMBGPU_STOPPED : status;
    o->result->run.backend = combgpu__device(ctx)->backend;
    snprintf(o->result->run.device, sizeof o->result->run.device, "%s", combgpu__device(ctx)->name);
    o->result->run.seconds = combgpu__since(o->began);
    combgpu__release(ctx, o);
    return status;
}
