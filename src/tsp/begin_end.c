/* Travelling salesman: begin, end and the one-shot call. */

COMBGPU__PRIVATE void combgpu__tsp_release(combgpu_job *job)
{
    combgpu__tsp_terms_release(combgpu__context(job),
                               &((combgpu__tsp *)combgpu__state(job))->terms);
}

/* The part that brute force and Held-Karp share. */
COMBGPU__PRIVATE combgpu__job_desc combgpu__tsp_describe(void)
{
    combgpu__job_desc search;
    memset(&search, 0, sizeof search);
    search.name = "tsp";
    search.frontier = combgpu__table_frontier;
    search.record = combgpu__table_record;
    search.slice_done = combgpu__table_slice_done;
    search.fraction = combgpu__table_fraction;
    search.validate_task = combgpu__table_validate_task;
    search.validate_record = combgpu__table_validate_record;
    search.task_words = COMBGPU__TSP_TASK_WORDS;
    search.release = combgpu__tsp_release;
    return search;
}

COMBGPU__PRIVATE combgpu__job_desc combgpu__tsp_describe_brute(void)
{
    combgpu__job_desc search = combgpu__tsp_describe();
    search.merge = combgpu__table_merge;
    search.kernel.name = "combgpu_tsp_brute";
    search.kernel.lanes_per_worker = search.kernel.lanes_per_block = COMBGPU__TSP_LANES;
    search.kernel.left_per_worker = 2;
    search.kernel.first_budget = 1u << 20;
    search.range_tasks = 1;
    search.record_words = 4;
    search.record_capacity = 8192;
    return search;
}

COMBGPU__PRIVATE combgpu__job_desc combgpu__tsp_describe_table(void)
{
    combgpu__job_desc search = combgpu__tsp_describe();
    search.kernel.name = "combgpu_tsp_table";
    search.kernel.lanes_per_worker = search.kernel.lanes_per_block = 32;
    search.kernel.left_per_worker = 1;
    search.kernel.first_budget = 1u << 17;
    search.one_device = 1; /* its layers share a table */
    search.most_tasks = 1;
    search.record_words = COMBGPU__TSP_RECORD_WORDS;
    return search;
}

/* Completes state, description and tables. */
COMBGPU__PRIVATE combgpu_status combgpu__tsp_setup(combgpu_job *job)
{
    combgpu__job_desc *search = combgpu__describe(job);
    combgpu__tsp *tsp = (combgpu__tsp *)combgpu__state(job);
    uint64_t hash = 0;
    int i;
    if (!tsp->all_steps) tsp->all_steps = 1;
    tsp->bound = combgpu__tsp_simple_bound(tsp);
    for (i = 0; i < COMBGPU__TSP_MOST; i++)
        hash = combgpu__mix(combgpu__mix(hash + (uint64_t)tsp->first[i]) + (uint64_t)tsp->last[i]);
    for (i = 0; i < COMBGPU__TSP_MOST * COMBGPU__TSP_MOST; i++)
        hash = combgpu__mix(hash + (uint64_t)tsp->legs[i]);
    if (!tsp->m) hash = combgpu__mix(hash + (uint64_t)tsp->nothing);
    snprintf(search->parameters, sizeof search->parameters,
             "method %d shape %d n %d ends %d %d unit 2^%d weights %016llx", (int)tsp->method,
             (int)tsp->shape, tsp->n, tsp->front + 1, tsp->back + 1, -tsp->scale,
             (unsigned long long)hash);
    return combgpu__tsp_tables(job);
}

COMBGPU__PRIVATE combgpu_status combgpu__tsp_begin_brute(combgpu_job *job, const void *draft)
{
    combgpu__tsp *tsp = (combgpu__tsp *)combgpu__state(job);
    combgpu_context *ctx = combgpu__context(job);
    combgpu_status status = combgpu__tsp_form(ctx, &((const combgpu__tsp_draft *)draft)->desc, tsp);
    int i;
    if (!status) status = combgpu__tsp_check_brute(ctx, tsp);
    if (status) return status;
    tsp->method = COMBGPU_TSP_BRUTE_FORCE;
    tsp->depth = tsp->m - COMBGPU__TSP_SUFFIX > 1 ? tsp->m - COMBGPU__TSP_SUFFIX : tsp->m > 1;
    tsp->prefixes = tsp->m > 0;
    for (i = 0; i < tsp->depth; i++) /* if reversible, no order begins with the last city */
        tsp->prefixes *= (uint64_t)(tsp->m - i - (!i && tsp->reversible));
    tsp->all_steps = (uint64_t)(combgpu__tsp_factorial(tsp->m) / (1 + tsp->reversible));
    return combgpu__tsp_setup(job);
}

COMBGPU__PRIVATE combgpu_status combgpu__tsp_begin_table(combgpu_job *job, const void *draft)
{
    const combgpu_tsp_desc *desc = &((const combgpu__tsp_draft *)draft)->desc;
    combgpu__tsp *tsp = (combgpu__tsp *)combgpu__state(job);
    combgpu_context *ctx = combgpu__context(job);
    double bytes;
    combgpu_status status = combgpu__tsp_form(ctx, desc, tsp);
    if (!status) status = combgpu__tsp_check_table(ctx, desc->run.shard_count, tsp);
    if (status) return status;
    bytes = combgpu__tsp_table_bytes(tsp->m, tsp->low, tsp->wide);
    if (bytes > (double)(SIZE_MAX / 2)) return combgpu__no_memory(ctx, SIZE_MAX);
    combgpu__describe(job)->work_bytes_shared = (size_t)bytes;
    tsp->method = COMBGPU_TSP_HELD_KARP;
    tsp->all_steps = ((uint64_t)tsp->m << tsp->m) / 2;
    return combgpu__tsp_setup(job);
}

COMBGPU__PRIVATE combgpu_status combgpu__tsp_begun_table(combgpu_job *job, const void *draft)
{
    (void)draft;
    if (combgpu__tasks_left(job))
        combgpu__forget_accumulators(job); /* a resumed run computes its table from the start */
    ((combgpu__tsp *)combgpu__state(job))->budget = combgpu__budget(job);
    return COMBGPU_OK;
}

/* Returns the method in the checkpoint that the run resumes or merges, which AUTO may have chosen
   for another device or a shard; AUTO without a checkpoint, or if AUTO never chooses that method
   for the instance: then the checkpoint is another job's. */
COMBGPU__PRIVATE combgpu_tsp_method combgpu__tsp_resumed(combgpu_context *ctx,
                                                         const combgpu_tsp_desc *desc)
{
    const combgpu_tsp_instance *instance = desc->instance;
    static const char head[] = COMBGPU__CHECKPOINT_HEAD "problem tsp";
    static const char branch[] = " branch and bound\n", heuristic[] = " heuristic\n",
                      method[] = "\nparameters method ";
    char text[128] = "";
    const char *rest = text + sizeof head - 1;
    if (instance && instance->before_count) return COMBGPU_TSP_AUTO;
    combgpu__checkpoint_head(ctx, &desc->run, text, sizeof text);
    if (strncmp(text, head, sizeof head - 1)) return COMBGPU_TSP_AUTO;
    if (!strncmp(rest, branch, sizeof branch - 1)) return COMBGPU_TSP_BRANCH_AND_BOUND;
    if (!strncmp(rest, heuristic, sizeof heuristic - 1)) return COMBGPU_TSP_HEURISTIC;
    if (strncmp(rest, method, sizeof method - 1) || (instance && instance->fixed_count))
        return COMBGPU_TSP_AUTO;
    rest += sizeof method - 1;
    return *rest == '1'   ? COMBGPU_TSP_BRUTE_FORCE
           : *rest == '2' ? COMBGPU_TSP_HELD_KARP
                          : COMBGPU_TSP_AUTO;
}

/* Nonzero if AUTO does not try a proof: too many cities, or too many for the time limit, which would end it
   before its first tour and root are done (n = 1000: 5 s on a busy core). */
COMBGPU__PRIVATE int combgpu__tsp_is_hasty(const combgpu_tsp_desc *desc)
{
    const double n = desc->instance->n, limit = desc->run.time_limit_s;
    return n > COMBGPU_TSP_MAX_MATRIX ||
           (n > COMBGPU_TSP_MAX_TOUR && limit > 0 && limit < n * n / 1e5);
}

/* Nonzero to use the heuristic. Up to 7 cities the other methods take no time, but ignore fixed
   edges. */
COMBGPU__PRIVATE int combgpu__tsp_large_wanted(const combgpu_tsp_desc *desc)
{
    return desc->instance && !desc->instance->before_count &&
           (desc->method == COMBGPU_TSP_HEURISTIC
                ? desc->instance->n > 7 || desc->instance->fixed_count
                : desc->method == COMBGPU_TSP_AUTO && combgpu__tsp_is_hasty(desc));
}

/* Checks once whatever is independent of the method; measures points; sets the terms. */
COMBGPU__PRIVATE combgpu_status combgpu__tsp_check(combgpu_context *ctx, const void *from, void *to)
{
    const combgpu_tsp_desc *desc = (const combgpu_tsp_desc *)from;
    combgpu__tsp_draft *draft = (combgpu__tsp_draft *)to;
    combgpu_status status = combgpu__tsp_check_desc(ctx, desc);
    if (status) return status;
    draft->desc = *desc;
    draft->given = desc->instance;
    if (desc->method == COMBGPU_TSP_AUTO) draft->desc.method = combgpu__tsp_resumed(ctx, desc);
    if (desc->instance->fixed_count) status = combgpu__tsp_check_fixed(ctx, &draft->desc);
    if (!status && !desc->instance->weights && !combgpu__tsp_large_wanted(&draft->desc) &&
        (desc->instance->n <= COMBGPU_TSP_MAX_MATRIX ||
         draft->desc.method == COMBGPU_TSP_BRANCH_AND_BOUND))
        status = combgpu__tsp_measure_desc(ctx, &draft->desc, &draft->measured);
    return status ? status
                  : combgpu__tsp_terms_make(ctx, &draft->desc, &draft->searched, &draft->terms);
}

/* Gives a job the terms of its search. */
COMBGPU__PRIVATE combgpu_status combgpu__tsp_keep(combgpu_job *job, void *from)
{
    combgpu__tsp_draft *draft = (combgpu__tsp_draft *)from;
    combgpu__tsp_terms *kept = (combgpu__tsp_terms *)combgpu__state(job);
    combgpu_tsp_instance own = kept->given;
    *kept = draft->terms;
    kept->out = draft->desc.tour;
    if (!own.n || kept->cap > 0)
        return combgpu__tsp_terms_keep(combgpu__context(job), kept, draft->given, &draft->measured);
    kept->given = own; /* the heuristic has copies */
    kept->grid = combgpu__tsp_grid(&own);
    return COMBGPU_OK;
}

/* ---- end */

/* Completes order[0 .. place-1] to the lexicographically smallest order whose remaining legs cost
   `rest`. Returns 0 if none exists. */
COMBGPU__PRIVATE int combgpu__tsp_complete(const combgpu__tsp *tsp, int *order, int place,
                                           uint32_t used, int64_t rest)
{
    int c, from = order[place - 1];
    if (place == tsp->m) return rest == tsp->last[from] && !(tsp->reversible && from < order[0]);
    for (c = 0; c < tsp->m; c++) {
        int64_t leg = tsp->legs[from * COMBGPU__TSP_MOST + c];
        order[place] = c;
        if (!(used >> c & 1) && leg <= rest &&
            combgpu__tsp_complete(tsp, order, place + 1, used | 1u << c, rest - leg))
            return 1;
    }
    return 0;
}

/* Reads the best order from the sums. Returns 0 if it is invalid, as in a bad checkpoint. */
COMBGPU__PRIVATE int combgpu__tsp_answer_brute(const combgpu_job *job, int *order)
{
    const combgpu__tsp *tsp = (const combgpu__tsp *)combgpu__state(job);
    int64_t rest = (int64_t)combgpu__accumulators(job)[COMBGPU__TSP_LENGTH];
    uint64_t prefix = combgpu__accumulators(job)[COMBGPU__TSP_PREFIX];
    uint32_t used = 0;
    int i;
    if (!tsp->m) return rest == tsp->nothing;
    if (rest < 0 || prefix >= tsp->prefixes) return 0;
    combgpu__table_unrank(tsp->m, tsp->depth, prefix, order);
    rest -= tsp->first[order[0]];
    for (i = 0; i < tsp->depth; i++) {
        if (i) rest -= tsp->legs[order[i - 1] * COMBGPU__TSP_MOST + order[i]];
        used |= 1u << order[i];
    }
    if (tsp->m == 1) return rest == tsp->last[0];
    return combgpu__tsp_complete(tsp, order, tsp->depth, used, rest);
}

COMBGPU__PRIVATE int combgpu__tsp_answer_table(const combgpu_job *job, int *order)
{
    const combgpu__tsp *tsp = (const combgpu__tsp *)combgpu__state(job);
    int64_t length = (int64_t)combgpu__accumulators(job)[COMBGPU__TSP_LENGTH];
    uint32_t words[8];
    int i;
    if (!tsp->m) return length == tsp->nothing;
    for (i = 0; i < 4; i++)
        combgpu__put64(words + 2 * i, combgpu__accumulators(job)[COMBGPU__TSP_ORDER + i]);
    return combgpu__table_unpack(tsp->m, words, order) &&
           combgpu__tsp_order_cost(tsp, order) == length;
}

/* Returns a hash of the answer: Held-Karp's checksum. */
COMBGPU__PRIVATE uint64_t combgpu__tsp_answer_hash(const combgpu__tsp *tsp, const int *order)
{
    uint64_t hash = (uint64_t)combgpu__tsp_order_cost(tsp, order);
    int i;
    for (i = 0; i < tsp->m; i++)
        hash = combgpu__mix(hash + (uint64_t)order[i]);
    return combgpu__mix(hash);
}

/* Fills in the result with the order that `answer` reads; the nearest neighbour's if none is known. */
COMBGPU__PRIVATE combgpu_status combgpu__tsp_end(combgpu_job *job,
                                                 int (*answer)(const combgpu_job *job, int *order),
                                                 combgpu_tsp_result *result, int *order)
{
    const combgpu__tsp *tsp = (const combgpu__tsp *)combgpu__state(job);
    combgpu_status status = combgpu__outcome(job);
    int tour[COMBGPU__TSP_MOST + 2], found = combgpu__accumulators(job)[COMBGPU__TSP_HAS] != 0;
    int complete = status == COMBGPU_OK && found && combgpu__shards(job) <= 1, i, at = 0;
    if (status < 0) return status;
    if (!found)
        combgpu__tsp_nearest(tsp, order);
    else if (!answer(job, order))
        return combgpu__fail(combgpu__context(job), COMBGPU_WRONG_RESULT,
                             "kernel %s or the checkpoint reports an invalid tour: "
                             "the device computes wrong results",
                             combgpu__desc(job)->kernel.name);
    result->method = tsp->method;
    result->shape = tsp->shape;
    if (tsp->front >= 0) tour[at++] = tsp->front;
    for (i = 0; i < tsp->m; i++)
        tour[at++] = tsp->city[order[i]];
    if (tsp->shape == COMBGPU_TSP_PATH && tsp->back >= 0) tour[at++] = tsp->back;
    return combgpu__tsp_terms_conclude(combgpu__context(job), &tsp->terms, tour,
                                       complete ? combgpu__tsp_order_cost(tsp, order) : tsp->bound,
                                       tsp->scale, tsp->error, 0, complete, result);
}

COMBGPU__PRIVATE combgpu_status combgpu__tsp_end_brute(combgpu_job *job, void *to,
                                                       uint64_t *checksum)
{
    combgpu_tsp_result *result = (combgpu_tsp_result *)to;
    int order[COMBGPU__TSP_MOST] = {0};
    result->tours = combgpu__accumulators(job)[0];
    *checksum = combgpu__accumulators(job)[1];
    return combgpu__tsp_end(job, combgpu__tsp_answer_brute, result, order);
}

COMBGPU__PRIVATE combgpu_status combgpu__tsp_end_table(combgpu_job *job, void *to,
                                                       uint64_t *checksum)
{
    int order[COMBGPU__TSP_MOST] = {0};
    combgpu_status status =
        combgpu__tsp_end(job, combgpu__tsp_answer_table, (combgpu_tsp_result *)to, order);
    if (!status && combgpu__accumulators(job)[COMBGPU__TSP_HAS])
        *checksum = combgpu__tsp_answer_hash((const combgpu__tsp *)combgpu__state(job), order);
    return status;
}

/* ---- the methods, in order of preference */

COMBGPU__WANTS(combgpu__tsp_wants_order, combgpu__tsp_draft,
               draft->desc.instance->before_count != 0)
COMBGPU__WANTS(combgpu__tsp_wants_large, combgpu__tsp_draft,
               combgpu__tsp_large_wanted(&draft->desc))
COMBGPU__WANTS(combgpu__tsp_wants_branch, combgpu__tsp_draft,
               draft->desc.method == COMBGPU_TSP_BRANCH_AND_BOUND ||
                   draft->desc.instance->fixed_count ||
                   (draft->desc.method == COMBGPU_TSP_AUTO && draft->desc.run.shard_count <= 1 &&
                    draft->desc.instance->n > COMBGPU__TSP_TABLE_FIRST))
COMBGPU__WANTS(combgpu__tsp_wants_brute, combgpu__tsp_draft,
               draft->desc.method == COMBGPU_TSP_BRUTE_FORCE ||
                   (draft->desc.method == COMBGPU_TSP_AUTO &&
                    (combgpu__tsp_middle(&draft->desc) <= 8 ||
                     (draft->desc.run.shard_count > 1 && draft->desc.instance->n <= 16))))

#define COMBGPU__TSP_LARGE_ROW                                                                     \
    {                                                                                              \
        combgpu__tsp_wants_large, combgpu__large_describe, sizeof(combgpu__large),                 \
            combgpu__large_begin, combgpu__large_solve, combgpu__large_begun, combgpu__large_end   \
    }

#define COMBGPU__TSP_LEAD 8       /* kicks for each city, */
#define COMBGPU__TSP_LEAD_MANY 30 /* and of more cities than BRANCH_KICKED */
#define COMBGPU__TSP_TURN 128     /* kicks of a step */
#define COMBGPU__TSP_SLACK 2      /* parts of a mean leg: the slack of kicks */

/* Branch and bound may begin with a tour of the heuristic: of many cities that is shorter than its own; with
   fixed edges it has them, and edges that no tour has are refused. A round at the root comes first, whose
   bound is there from then on. */
typedef struct combgpu__tsp_led {
    combgpu__branch_state branch;
    combgpu__large large;
    combgpu__large_search search;
    void *memory;          /* of the search */
    combgpu_tsp_desc desc; /* what it points to is there during begin alone */
    uint64_t kicks, all;   /* tried, to be tried */
    int rounds;            /* of the root, done */
} combgpu__tsp_led;

COMBGPU__PRIVATE void combgpu__tsp_release_lead(combgpu_context *ctx, combgpu__tsp_led *led)
{
    combgpu__large_release(ctx, &led->large);
    combgpu__release(ctx, led->memory);
    memset(&led->large, 0, sizeof led->large);
    led->memory = NULL;
}

COMBGPU__PRIVATE void combgpu__tsp_release_branch(combgpu_job *job)
{
    combgpu__tsp_release_lead(combgpu__context(job), (combgpu__tsp_led *)combgpu__state(job));
    combgpu__branch_problem_release(job);
}

/* Makes the heuristic's first tour, which is then in large->tour. */
COMBGPU__PRIVATE combgpu_status combgpu__tsp_lead(combgpu_context *ctx, combgpu__tsp_led *led,
                                                  const combgpu_tsp_desc *desc)
{
    combgpu__large *large = &led->large;
    combgpu_status status = combgpu__large_request(ctx, large, desc);
    size_t bytes;
    if (!status) status = combgpu__large_first(ctx, large);
    if (status) return status;
    bytes = combgpu__large_search_bytes(large);
    led->memory = combgpu__allocate_zeroed(ctx, bytes);
    if (!led->memory) return combgpu__no_memory(ctx, bytes);
    large->length = combgpu__large_length(large, large->tour);
    if (desc->start && !desc->instance->fixed_count) combgpu__large_start(large, desc->start);
    combgpu__large_search_set(large, led->memory, large->tour, &led->search);
    led->search.length = large->length;
    combgpu__large_search_touch(&led->search);
    combgpu__large_improve(&led->search);
    combgpu__large_normal(large, led->search.tour, large->tour);
    led->search.least = led->search.length;
    led->search.slack = led->search.length / large->cities / COMBGPU__TSP_SLACK + 1;
    memcpy(led->search.best, led->search.tour, (size_t)large->cities * sizeof(int));
    return COMBGPU_OK;
}

/* Goes on with kicks, or with the root. */
COMBGPU__PRIVATE combgpu_status combgpu__tsp_prepare(combgpu_job *job)
{
    combgpu_context *ctx = combgpu__context(job);
    combgpu__tsp_led *led = (combgpu__tsp_led *)combgpu__state(job);
    combgpu__branch_graph *graph = &led->branch.graph;
    combgpu_status status = COMBGPU_OK;
    if (led->rounds && led->kicks < led->all) {
        uint64_t next = led->kicks + COMBGPU__TSP_TURN;
        if (next > led->all) next = led->all;
        combgpu__large_kicks(&led->search, led->kicks, next);
        led->kicks = next;
        combgpu__large_normal(&led->large, led->search.best, led->large.tour);
        combgpu__branch_take(graph, led->large.tour);
    } else
        status = combgpu__branch_root_part(ctx, graph, led->rounds++);
    if (status) return status;
    combgpu__branch_remember(job, graph->length, (const uint32_t *)graph->tour);
    if (graph->open && (led->kicks < led->all || graph->open == COMBGPU__ROOT_RISES))
        return COMBGPU_RUNNING;
    combgpu__tsp_release_lead(ctx, led);
    return combgpu__branch_complete(job, &led->desc);
}

COMBGPU__PRIVATE combgpu_status combgpu__tsp_begin_branch(combgpu_job *job, const void *from)
{
    combgpu_context *ctx = combgpu__context(job);
    combgpu__tsp_led *led = (combgpu__tsp_led *)combgpu__state(job);
    combgpu_tsp_desc *desc = &led->desc;
    combgpu_status status;
    uint64_t n;
    *desc = ((const combgpu__tsp_draft *)from)->desc;
    n = (uint64_t)desc->instance->n;
    combgpu__describe(job)->release = combgpu__tsp_release_branch;
    status = combgpu__branch_check(ctx, desc);
    if (status) return status;
    if (!desc->instance->fixed_count && n <= COMBGPU_TSP_MAX_TOUR)
        return combgpu__branch_begin(job, desc);
    led->all = n * (desc->instance->fixed_count  ? 1
                    : n > COMBGPU__BRANCH_KICKED ? COMBGPU__TSP_LEAD_MANY
                                                 : COMBGPU__TSP_LEAD);
    status = combgpu__tsp_lead(ctx, led, desc);
    desc->start = led->large.tour;
    desc->method = COMBGPU_TSP_BRANCH_AND_BOUND;
    if (!status) status = combgpu__branch_open(job, desc, combgpu__branch_effort_of(ctx, desc));
    if (status) return status;
    if (n > COMBGPU_TSP_MAX_TOUR) {
        combgpu__describe(job)->prepare = combgpu__tsp_prepare;
        return COMBGPU_OK;
    }
    do
        status = combgpu__tsp_prepare(job);
    while (status == COMBGPU_RUNNING);
    return status;
}

static const combgpu__method combgpu__tsp_methods[] = {
    {combgpu__tsp_wants_order, combgpu__sop_describe, sizeof(combgpu__sop), combgpu__sop_begin,
     combgpu__sop_solve, combgpu__sop_begun, combgpu__sop_end},
    COMBGPU__TSP_LARGE_ROW,
    {combgpu__tsp_wants_branch, combgpu__branch_describe, sizeof(combgpu__tsp_led),
     combgpu__tsp_begin_branch, NULL, combgpu__branch_begun, combgpu__branch_end},
    {combgpu__tsp_wants_brute, combgpu__tsp_describe_brute, sizeof(combgpu__tsp),
     combgpu__tsp_begin_brute, combgpu__tsp_brute_solve, NULL, combgpu__tsp_end_brute},
    {NULL, combgpu__tsp_describe_table, sizeof(combgpu__tsp), combgpu__tsp_begin_table,
     combgpu__tsp_table_solve, combgpu__tsp_begun_table, combgpu__tsp_end_table}};
static const combgpu__search combgpu__tsp_calls = {
    COMBGPU__SEARCH_OF(tsp), sizeof(combgpu__tsp_draft), combgpu__tsp_check,
    combgpu__tsp_keep,       combgpu__tsp_forget,        combgpu__tsp_methods};
COMBGPU__SEARCH_CALLS(tsp, combgpu__tsp_calls)
