/* Searches: begin, end, one-shot call. */

/* Fills in the tables. The best member comes with the first slice. */
COMBGPU__PRIVATE combgpu_status combgpu__perm_search_tables(combgpu_job *job)
{
    combgpu__perm_search_state *state = combgpu__perm_search_of(job);
    const combgpu_perm_search_desc *desc = &state->desc;
    combgpu_status status =
        combgpu__job_tables(job, COMBGPU__PERM_SEARCH_AT_END + (desc->data_bytes + 15) / 16 * 4);
    uint32_t *at = combgpu__tables(job);
    if (status) return status;
    if (desc->data_bytes) memcpy(at + COMBGPU__PERM_SEARCH_AT_END, desc->data, desc->data_bytes);
    state->data = (const unsigned char *)(at + COMBGPU__PERM_SEARCH_AT_END);
    status = combgpu__perm_search_root(combgpu__context(job), state);
    if (!status) status = combgpu__perm_search_take_start(combgpu__context(job), state);
    if (status) return status;
    at[COMBGPU__PERM_SEARCH_AT_N] = (uint32_t)state->root.n;
    at[COMBGPU__PERM_SEARCH_AT_LENGTH] = (uint32_t)state->root.length;
    at[COMBGPU__PERM_SEARCH_AT_FAMILY] = (uint32_t)state->root.family;
    at[COMBGPU__PERM_SEARCH_AT_GOAL] = (uint32_t)desc->goal;
    at[COMBGPU__PERM_SEARCH_AT_LIST] = (uint32_t)state->lists;
    at[COMBGPU__PERM_SEARCH_AT_PRUNES] = (uint32_t)state->root.prunes;
    at[COMBGPU__PERM_SEARCH_AT_BINS] = (uint32_t)desc->bins;
    at[COMBGPU__PERM_SEARCH_AT_DATA] = COMBGPU__PERM_SEARCH_AT_END;
    combgpu__put64(at + COMBGPU__PERM_SEARCH_AT_FIRST, (uint64_t)desc->bin_first);
    combgpu__put64(at + COMBGPU__PERM_SEARCH_AT_WIDTH, desc->bin_width);
    combgpu__put64(at + COMBGPU__PERM_SEARCH_AT_KEY, (uint64_t)INT64_MAX);
    memset(at + COMBGPU__PERM_SEARCH_AT_BEST, 255, COMBGPU__PERM_MOST);
    at[COMBGPU__PERM_SEARCH_AT_ORDERED] = (uint32_t)state->root.is_ordered;
    at[COMBGPU__PERM_SEARCH_AT_MULTI] = (uint32_t)state->root.is_multi;
    memcpy(at + COMBGPU__PERM_SEARCH_AT_REPEATS, state->root.repeats, COMBGPU__PERM_MOST);
    memcpy(at + COMBGPU__PERM_SEARCH_AT_ORDER, state->root.order, COMBGPU__PERM_MOST);
    memcpy(at + COMBGPU__PERM_SEARCH_AT_RANK, state->root.rank, COMBGPU__PERM_MOST);
    return COMBGPU_OK;
}

/* The forms of the kernel, in the order of combgpu_perm_searcher.cuda_kernels: where masks of 32
   bits and stacks of 24 positions suffice, counts of plain permutations or k-permutations, then
   everything else; last, the rest. */
typedef enum combgpu__perm_search_form {
    COMBGPU__PERM_SEARCH_PLAIN,
    COMBGPU__PERM_SEARCH_NARROW,
    COMBGPU__PERM_SEARCH_WIDE
} combgpu__perm_search_form;

COMBGPU__PRIVATE combgpu__perm_search_form
combgpu__perm_search_form_of(const combgpu__perm_search_state *state)
{
    const combgpu__perm_search_walk *root = &state->root;
    if (root->length > 24 || root->n > 32) return COMBGPU__PERM_SEARCH_WIDE;
    return state->desc.goal == COMBGPU_SEARCH_COUNT && !state->lists && !root->is_ordered &&
                   (root->family == COMBGPU_PERM_ALL || root->family == COMBGPU_PERM_PARTIAL)
               ? COMBGPU__PERM_SEARCH_PLAIN
               : COMBGPU__PERM_SEARCH_NARROW;
}

/* Returns the callbacks as OpenCL C, to precede the kernels. */
COMBGPU__PRIVATE combgpu_status combgpu__perm_search_source(combgpu_job *job)
{
    static const char types[] =
        "#define int8_t char\n#define int16_t short\n#define int32_t int\n#define int64_t long\n"
        "#define uint8_t uchar\n#define uint16_t ushort\n#define uint32_t uint\n"
        "#define uint64_t ulong\n"
        "static inline int combgpu_data_i32(__global const uchar *data, int i)\n"
        "{ return ((__global const int *)data)[i]; }\n"
        "static inline long combgpu_data_i64(__global const uchar *data, int i)\n"
        "{ return as_long(vload2((size_t)i, (__global const int *)data)); }\n"
        "static inline int combgpu_bit_count(ulong x) { return (int)popcount(x); }\n"
        "static inline int combgpu_lowest_bit(ulong x) { return 63 - (int)clz(x & (0 - x)); }\n";
    static const char *const heads[6] = {
        "typedef struct combgpu_perm_search_state",
        "static inline void combgpu_perm_search_begin(int n, int length, combgpu_perm_search_state "
        "*state, "
        "__global const uchar *data) {",
        "static inline ulong combgpu_perm_search_allowed(const uchar *perm, int place, int n, "
        "int length, const combgpu_perm_search_state *state, __global const uchar *data) {",
        "static inline int combgpu_perm_search_step(const uchar *perm, int place, int value, int "
        "n, "
        "int length, combgpu_perm_search_state *state, __global const uchar *data) {",
        "static inline long combgpu_perm_search_bound(const uchar *perm, int place, int value, int "
        "n, "
        "int length, const combgpu_perm_search_state *state, __global const uchar *data, long "
        "best) {",
        "static inline long combgpu_perm_search_leaf(const uchar *perm, int n, int length, "
        "const combgpu_perm_search_state *state, __global const uchar *data) {"};
    static const char *const names[6] = {"state", "begin", "allowed", "step", "bound", "leaf"};
    combgpu__perm_search_state *state = combgpu__perm_search_of(job);
    const combgpu_perm_searcher *searcher = state->desc.searcher;
    const combgpu__perm_search_form form = combgpu__perm_search_form_of(state);
    size_t bytes = sizeof types + 256, at;
    int i;
    for (i = 0; i < 6; i++)
        bytes += strlen(heads[i]) + strlen(searcher->texts[i]) + strlen(searcher->name) + 64;
    state->source = (char *)combgpu__allocate(combgpu__context(job), bytes);
    if (!state->source) return combgpu__no_memory(combgpu__context(job), bytes);
    at = (size_t)snprintf(state->source, bytes,
                          "#define COMBGPU_SEARCHER 1\n#define COMBGPU_SEARCH_HAS_BOUND %d\n"
                          "#define COMBGPU_SEARCH_PLACES %d\n#define COMBGPU_SEARCH_PLAIN %d\n"
                          "#define COMBGPU_SEARCH_WIDE %d\n%s",
                          (searcher->parts & COMBGPU__PERM_SEARCH_HAS_BOUND) != 0,
                          (state->root.length + 7) / 8 * 8, form == COMBGPU__PERM_SEARCH_PLAIN,
                          form == COMBGPU__PERM_SEARCH_WIDE, types);
    for (i = 0; i < 6; i++)
        at += (size_t)snprintf(state->source + at, bytes - at, "%s\n#line 1 \"%s, %s\"\n%s%s\n",
                               heads[i], searcher->name, names[i], searcher->texts[i],
                               i ? "\n}" : " combgpu_perm_search_state;");
    return COMBGPU_OK;
}

/* Chooses solver, kernel and their memory. */
COMBGPU__PRIVATE combgpu_status combgpu__perm_search_kernel(combgpu_job *job)
{
    combgpu__job_desc *search = combgpu__describe(job);
    combgpu__perm_search_state *state = combgpu__perm_search_of(job);
    const combgpu_context *device;
    const combgpu__perm_search_form form = combgpu__perm_search_form_of(state);
    int length = state->root.length, i;
    search->kernel.name = "combgpu_perm_tree";
    search->kernel.cuda_function = state->desc.searcher->cuda_kernels[form];
    search->kernel.lanes_per_worker = 1;
    search->kernel.lanes_per_block = COMBGPU__PERM_SEARCH_LANES;
    search->kernel.left_per_worker = length;
    /* bounds are heavy: the first slice must soon find work for all workers */
    search->kernel.first_budget =
        state->root.prunes && state->root.prunes != COMBGPU__PERM_SEARCH_PRUNES_LATER ? 8 : 4096;
    search->memory_aim = UINT64_C(960) << 20;
    search->task_words = COMBGPU__PERM_SEARCH_TASK_WORDS((uint32_t)length);
    search->record_words = COMBGPU__PERM_SEARCH_RECORD_WORDS((uint32_t)length);
    search->record_capacity = state->lists ? 65536 : state->best_goal ? 4096 : 1;
    search->records_repeat = state->lists;
    search->unsteady = state->best_goal;
    search->work_bytes_shared = COMBGPU__PERM_SEARCH_HINT_BYTES;
    if (state->desc.goal == COMBGPU_SEARCH_HISTOGRAM) {
        search->slice_accumulators = 1;
        search->work_bytes_shared = search->cpu_work_bytes_per_worker =
            8 * (size_t)state->desc.bins;
    }
    for (i = 0; (device = combgpu__device_context(combgpu__context(job), i)) != NULL; i++)
        if (combgpu__device(device)->backend == COMBGPU_BACKEND_OPENCL && !state->source) {
            combgpu_status status = combgpu__perm_search_source(job);
            if (status) return status;
        }
    search->kernel.opencl_source = state->source;
    return COMBGPU_OK;
}

/* Writes the parameters: equal for two jobs if one can resume the other's checkpoint. */
COMBGPU__PRIVATE void combgpu__perm_search_parameters(combgpu_job *job)
{
    combgpu__job_desc *search = combgpu__describe(job);
    const combgpu__perm_search_state *state = combgpu__perm_search_of(job);
    const combgpu_perm_search_desc *desc = &state->desc;
    uint64_t texts = COMBGPU__FNV_OFFSET, order = COMBGPU__FNV_OFFSET;
    int i;
    for (i = 0; i < 6; i++)
        texts = combgpu__fnv(texts, desc->searcher->texts[i], strlen(desc->searcher->texts[i]) + 1);
    order = combgpu__fnv(order, state->root.order, sizeof state->root.order);
    order = combgpu__fnv(order, state->set.repeats, sizeof state->set.repeats);
    snprintf(search->parameters, sizeof search->parameters,
             "family %d n %d k %d order %016llx goal %d list %d bins %d %lld %llu "
             "searcher %.100s %016llx data %llu %016llx",
             (int)state->set.family, state->set.n, state->set.k, (unsigned long long)order,
             (int)desc->goal, state->lists, desc->bins, (long long)desc->bin_first,
             (unsigned long long)desc->bin_width, desc->searcher->name, (unsigned long long)texts,
             (unsigned long long)desc->data_bytes,
             (unsigned long long)combgpu__fnv(COMBGPU__FNV_OFFSET, state->data, desc->data_bytes));
}

/* After the start: sets up host memory for slice_done, the devices' bins or hints, the best member
   of a checkpoint. */
COMBGPU__PRIVATE combgpu_status combgpu__perm_search_started(combgpu_job *job, const void *draft)
{
    combgpu__perm_search_state *state = combgpu__perm_search_of(job);
    const uint64_t *accumulators = combgpu__accumulators(job);
    uint32_t hint[COMBGPU__PERM_SEARCH_HINT_BYTES / 4];
    combgpu_status status;
    size_t bytes;
    (void)draft;
    if (state->desc.goal == COMBGPU_SEARCH_HISTOGRAM) {
        bytes = combgpu__bytes(combgpu__most_workers(job), 8 * (size_t)state->desc.bins);
        state->fetched = (uint32_t *)combgpu__allocate(combgpu__context(job), bytes);
        if (!state->fetched) return combgpu__no_memory(combgpu__context(job), bytes);
        memset(state->fetched, 0, 8 * (size_t)state->desc.bins);
        return combgpu__fill_work(job, state->fetched, 8 * (size_t)state->desc.bins);
    }
    if (!state->best_goal) return COMBGPU_OK;
    if (accumulators[COMBGPU__PERM_SEARCH_S_FOUND]) {
        combgpu__perm_search_best best;
        if (!combgpu__perm_search_from_accumulators(state, accumulators, &best))
            return combgpu__fail(combgpu__context(job), COMBGPU_BAD_FILE,
                                 "searcher %.100s rejects the checkpoint's best member",
                                 state->desc.searcher->name);
        (void)combgpu__perm_search_improve(state, best.key, best.value, best.perm);
    }
    if (state->best.found) state->version++;
    memset(hint, 0xff, sizeof hint);
    if (state->best.found) hint[0] = combgpu__perm_search_hint(state->best.key);
    status = combgpu__fill_work(job, hint, sizeof hint);
    return status ? status : combgpu__perm_search_deliver_best(job, combgpu__accumulators(job));
}

COMBGPU__PRIVATE combgpu_status combgpu__perm_search_check(combgpu_context *ctx, const void *desc,
                                                           void *draft)
{
    combgpu__perm_search_state *state = (combgpu__perm_search_state *)draft;
    combgpu_status status;
    state->desc = *(const combgpu_perm_search_desc *)desc;
    status = combgpu__perm_search_check_set(ctx, state);
    if (!status) status = combgpu__perm_search_check_goal(ctx, &state->desc);
    return status ? status : combgpu__perm_search_check_parts(ctx, &state->desc);
}

COMBGPU__PRIVATE combgpu_status combgpu__perm_search_begin(combgpu_job *job, const void *draft)
{
    combgpu__perm_search_state *state = combgpu__perm_search_of(job);
    combgpu_perm_search_desc *desc = &state->desc;
    combgpu_status status;
    *state = *(const combgpu__perm_search_state *)draft;
    if (!desc->bin_width) desc->bin_width = 1;
    state->best_goal = desc->goal >= COMBGPU_SEARCH_FIRST && desc->goal <= COMBGPU_SEARCH_MAXIMUM;
    state->lists = desc->solution || desc->out || desc->limit;
    status = combgpu__perm_search_tables(job);
    if (!status) status = combgpu__perm_search_kernel(job);
    if (status) return status;
    combgpu__perm_search_parameters(job);
    desc->set = NULL;
    desc->data = NULL;
    desc->order = desc->start = NULL;
    return COMBGPU_OK;
}

/* The rank of an element in desc.out. Output of earlier runs may be lost, or a checkpoint may claim
   it wrongly: then it may be any byte. */
COMBGPU__PRIVATE int combgpu__perm_search_rank(const combgpu__perm_search_state *state,
                                               uint8_t element)
{
    return element < COMBGPU__PERM_MOST ? state->root.rank[element] : element;
}

/* Sorts the hits in desc.out by the ranks of their elements (heapsort: J. W. J. Williams 1964). */
COMBGPU__PRIVATE int combgpu__perm_search_before(const combgpu__perm_search_state *state, size_t a,
                                                 size_t b)
{
    size_t length = (size_t)state->root.length, i;
    const uint8_t *x = state->desc.out + a * length, *y = state->desc.out + b * length;
    for (i = 0; i < length; i++)
        if (x[i] != y[i])
            return combgpu__perm_search_rank(state, x[i]) < combgpu__perm_search_rank(state, y[i]);
    return 0;
}

COMBGPU__PRIVATE void combgpu__perm_search_swap(const combgpu__perm_search_state *state, size_t a,
                                                size_t b)
{
    size_t length = (size_t)state->root.length;
    uint8_t *x = state->desc.out + a * length, *y = state->desc.out + b * length;
    uint8_t kept[COMBGPU__PERM_MOST];
    memcpy(kept, x, length);
    memmove(x, y, length);
    memcpy(y, kept, length);
}

COMBGPU__PRIVATE void combgpu__perm_search_sort(const combgpu__perm_search_state *state,
                                                size_t count)
{
    size_t begin = count / 2, end = count, root, child;
    while (end > 1) {
        if (begin)
            begin--;
        else
            combgpu__perm_search_swap(state, 0, --end);
        for (root = begin; (child = 2 * root + 1) < end; root = child) {
            if (child + 1 < end && combgpu__perm_search_before(state, child, child + 1)) child++;
            if (!combgpu__perm_search_before(state, root, child)) break;
            combgpu__perm_search_swap(state, root, child);
        }
    }
}

/* Sets result->sum from its four parts. */
COMBGPU__PRIVATE void combgpu__perm_search_sum(const uint64_t *parts, combgpu_u128 *sum)
{
    int i;
    sum->lo = sum->hi = 0;
    for (i = 0; i < 4; i++) {
        uint64_t low = parts[i] << 16 * i, high = i ? parts[i] >> (64 - 16 * i) : 0;
        if (i == 3 && parts[3] >> 63) high |= ~UINT64_C(0) << 48; /* the last one has a sign */
        sum->lo += low;
        sum->hi += high + (sum->lo < low);
    }
}

/* Fills in the result fields and checksum of every goal: the hits, and the number written, which
   are sorted. */
COMBGPU__PRIVATE combgpu_status combgpu__perm_search_end_hits(combgpu_job *job, void *to,
                                                              uint64_t *checksum)
{
    const combgpu__perm_search_state *state = combgpu__perm_search_of(job);
    const uint64_t *accumulators = combgpu__accumulators(job);
    combgpu_perm_search_result *result = (combgpu_perm_search_result *)to;
    combgpu_status status = combgpu__outcome(job);
    result->hits = combgpu__perm_search_hits(job);
    result->written = accumulators[COMBGPU__PERM_SEARCH_S_WRITTEN];
    /* only at the end: an earlier checkpoint relies on the first hits of the list */
    if ((status == COMBGPU_OK || status == COMBGPU_FOUND) && result->written &&
        result->written <= state->desc.out_bytes / (size_t)state->root.length)
        combgpu__perm_search_sort(state, (size_t)result->written);
    *checksum = accumulators[COMBGPU__PERM_SEARCH_S_HASH] +
                accumulators[COMBGPU__PERM_SEARCH_S_RECORD_HASH];
    return COMBGPU_OK;
}

COMBGPU__PRIVATE combgpu_status combgpu__perm_search_end_sum(combgpu_job *job, void *to,
                                                             uint64_t *checksum)
{
    combgpu_perm_search_result *result = (combgpu_perm_search_result *)to;
    (void)combgpu__perm_search_end_hits(job, to, checksum);
    combgpu__perm_search_sum(combgpu__accumulators(job) + COMBGPU__PERM_SEARCH_S_SUM, &result->sum);
    *checksum = result->sum.lo * UINT64_C(0x9e3779b97f4a7c15);
    return COMBGPU_OK;
}

COMBGPU__PRIVATE combgpu_status combgpu__perm_search_end_histogram(combgpu_job *job, void *to,
                                                                   uint64_t *checksum)
{
    const combgpu__perm_search_state *state = combgpu__perm_search_of(job);
    combgpu_perm_search_result *result = (combgpu_perm_search_result *)to;
    (void)combgpu__perm_search_end_hits(job, to, checksum);
    result->outside = combgpu__accumulators(job)[COMBGPU__PERM_SEARCH_S_OUTSIDE];
    *checksum = combgpu__perm_bins(combgpu__accumulators(job) + COMBGPU__PERM_SEARCH_S_BINS,
                                   state->desc.bins, result->outside, state->desc.histogram);
    return COMBGPU_OK;
}

COMBGPU__PRIVATE combgpu_status combgpu__perm_search_end_best(combgpu_job *job, void *to,
                                                              uint64_t *checksum)
{
    const combgpu__perm_search_state *state = combgpu__perm_search_of(job);
    combgpu_perm_search_result *result = (combgpu_perm_search_result *)to;
    combgpu__perm_search_best best;
    (void)combgpu__perm_search_end_hits(job, to, checksum);
    if (!combgpu__accumulators(job)[COMBGPU__PERM_SEARCH_S_FOUND] ||
        !combgpu__perm_search_from_accumulators(state, combgpu__accumulators(job), &best))
        return COMBGPU_OK;
    result->found = 1;
    result->best_value = best.value;
    memcpy(result->best, best.perm, sizeof result->best);
    *checksum = combgpu__mix(combgpu__mix((uint64_t)best.value) +
                             combgpu__perm_search_hash(best.perm, state->root.length));
    return COMBGPU_OK;
}

/* ---- the goals: the others find a best member */

COMBGPU__WANTS(combgpu__perm_search_wants_count, combgpu__perm_search_state,
               draft->desc.goal == COMBGPU_SEARCH_COUNT)
COMBGPU__WANTS(combgpu__perm_search_wants_sum, combgpu__perm_search_state,
               draft->desc.goal == COMBGPU_SEARCH_SUM)
COMBGPU__WANTS(combgpu__perm_search_wants_histogram, combgpu__perm_search_state,
               draft->desc.goal == COMBGPU_SEARCH_HISTOGRAM)

#define COMBGPU__PERM_SEARCH_ROW(wants, end)                                                       \
    {                                                                                              \
        wants, combgpu__perm_search_describe, sizeof(combgpu__perm_search_state),                  \
            combgpu__perm_search_begin, combgpu__perm_search_solve, combgpu__perm_search_started,  \
            end                                                                                    \
    }
static const combgpu__method combgpu__perm_search_methods[] = {
    COMBGPU__PERM_SEARCH_ROW(combgpu__perm_search_wants_count, combgpu__perm_search_end_hits),
    COMBGPU__PERM_SEARCH_ROW(combgpu__perm_search_wants_sum, combgpu__perm_search_end_sum),
    COMBGPU__PERM_SEARCH_ROW(combgpu__perm_search_wants_histogram,
                             combgpu__perm_search_end_histogram),
    COMBGPU__PERM_SEARCH_ROW(NULL, combgpu__perm_search_end_best)};
static const combgpu__search combgpu__perm_search_calls = {COMBGPU__SEARCH_OF(perm_search),
                                                           sizeof(combgpu__perm_search_state),
                                                           combgpu__perm_search_check,
                                                           NULL,
                                                           NULL,
                                                           combgpu__perm_search_methods};
COMBGPU__SEARCH_CALLS(perm_search, combgpu__perm_search_calls)
