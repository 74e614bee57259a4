/* Tests checkpoints of every search as untrusted input. The CRC detects any change of the bytes; with a
   matching CRC, a forged checkpoint may at worst give a wrong answer: no crash, no write outside the
   caller's memory (run this with the sanitizers), no impossible result. Seeds are fixed. */
#include "test.h"

/* ---- the searches: begin with a run description, end and check what the result claims */

typedef struct search {
    const char *name;
    combgpu_status (*begin)(combgpu_context *ctx, const combgpu_run_desc *run, combgpu_job **job);
    int (*end)(combgpu_context *ctx, combgpu_job *job); /* 0 = the result cannot be */
    int shards;      /* work on one of this many, so that checkpoints are small */
    uint32_t budget; /* steps of a slice: enough to split a task, no more */
} search;

static uint8_t *written; /* 7! permutations, tight */
static int impossible;   /* what a callback saw */

COMBGPU_PERM_VISITOR(fixed_points, {
    int i, count = 0;
    for (i = 0; i < n; i++)
        count += perm[i] == i;
    return count == 1;
})

static int perm_seen(uint64_t rank, const uint8_t *perms, uint64_t count, int n, void *user)
{
    uint8_t perm[20];
    (void)user;
    if (!count || combgpu_perm_unrank(NULL, n, rank, perm) || memcmp(perm, perms, (size_t)n))
        impossible++;
    return 0;
}

static combgpu_status perm_begin(combgpu_context *ctx, const combgpu_run_desc *run,
                                 combgpu_perm_goal goal, combgpu_job **job)
{
    combgpu_perm_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.n = 7;
    desc.goal = goal;
    desc.run = *run;
    if (goal == COMBGPU_PERM_WRITE) {
        desc.out = written;
        desc.out_bytes = 5040 * 7;
    } else
        desc.visitor = &fixed_points;
    if (goal == COMBGPU_PERM_COUNT) desc.solution = perm_seen;
    return combgpu_perm_begin(ctx, &desc, job);
}

static combgpu_status perm_write_begin(combgpu_context *ctx, const combgpu_run_desc *run,
                                       combgpu_job **job)
{
    return perm_begin(ctx, run, COMBGPU_PERM_WRITE, job);
}

static combgpu_status perm_count_begin(combgpu_context *ctx, const combgpu_run_desc *run,
                                       combgpu_job **job)
{
    return perm_begin(ctx, run, COMBGPU_PERM_COUNT, job);
}

static combgpu_status perm_best_begin(combgpu_context *ctx, const combgpu_run_desc *run,
                                      combgpu_job **job)
{
    return perm_begin(ctx, run, COMBGPU_PERM_MAXIMUM, job);
}

static int perm_end(combgpu_context *ctx, combgpu_job *job)
{
    combgpu_perm_result result;
    (void)ctx;
    combgpu_perm_end(job, &result);
    return result.best_rank < 5040;
}

static int magic_seen(const int *square, int order, void *user)
{
    combgpu_magic_report report;
    (void)user;
    if (combgpu_magic_check(NULL, order, square, &report) || !report.is_semimagic) impossible++;
    return 0;
}

static combgpu_status magic_begin(combgpu_context *ctx, const combgpu_run_desc *run, int order,
                                  combgpu_magic_kind kind, int list, combgpu_job **job)
{
    static const int givens[25] = {1, 2, 13, 24, 25};
    combgpu_magic_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.order = order;
    desc.kind = kind;
    desc.run = *run;
    if (list) desc.solution = magic_seen;
    if (list > 1) desc.givens = givens;
    return combgpu_magic_begin(ctx, &desc, job);
}

static combgpu_status magic4_begin(combgpu_context *ctx, const combgpu_run_desc *run,
                                   combgpu_job **job)
{
    return magic_begin(ctx, run, 4, COMBGPU_MAGIC_NORMAL, 1, job);
}

static combgpu_status semimagic4_begin(combgpu_context *ctx, const combgpu_run_desc *run,
                                       combgpu_job **job)
{
    return magic_begin(ctx, run, 4, COMBGPU_MAGIC_SEMI, 0, job);
}

static combgpu_status magic5_begin(combgpu_context *ctx, const combgpu_run_desc *run,
                                   combgpu_job **job)
{
    return magic_begin(ctx, run, 5, COMBGPU_MAGIC_NORMAL, 0, job);
}

static combgpu_status magic5_list_begin(combgpu_context *ctx, const combgpu_run_desc *run,
                                        combgpu_job **job)
{
    return magic_begin(ctx, run, 5, COMBGPU_MAGIC_NORMAL, 1, job);
}

static combgpu_status magic5_givens_begin(combgpu_context *ctx, const combgpu_run_desc *run,
                                          combgpu_job **job)
{
    return magic_begin(ctx, run, 5, COMBGPU_MAGIC_NORMAL, 2, job);
}

static int magic_end(combgpu_context *ctx, combgpu_job *job)
{
    combgpu_magic_result result;
    (void)ctx;
    combgpu_magic_end(job, &result);
    return 1;
}

static int no3_seen(const uint64_t *rows, int n, combgpu_no3_class symmetry, void *user)
{
    (void)user;
    if (n < 2 || n > 64 || (int)symmetry < COMBGPU_NO3_IDEN ||
        (int)symmetry >= COMBGPU_NO3_CLASS_COUNT || (n < 64 && rows[n - 1] >> n))
        impossible++;
    return 0;
}

static combgpu_status no3_begin(combgpu_context *ctx, const combgpu_run_desc *run, int n,
                                combgpu_no3_class symmetry, int list, combgpu_job **job)
{
    combgpu_no3_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.n = n;
    desc.symmetry = symmetry;
    desc.run = *run;
    if (list) desc.solution = no3_seen;
    desc.every_orientation = 1;
    return combgpu_no3_begin(ctx, &desc, job);
}

static combgpu_status no3_all_begin(combgpu_context *ctx, const combgpu_run_desc *run,
                                    combgpu_job **job)
{
    return no3_begin(ctx, run, 9, COMBGPU_NO3_ALL, 0, job);
}

static combgpu_status no3_list_begin(combgpu_context *ctx, const combgpu_run_desc *run,
                                     combgpu_job **job)
{
    return no3_begin(ctx, run, 8, COMBGPU_NO3_ALL, 1, job);
}

static combgpu_status no3_rot4_begin(combgpu_context *ctx, const combgpu_run_desc *run,
                                     combgpu_job **job)
{
    return no3_begin(ctx, run, 12, COMBGPU_NO3_ROT4, 1, job);
}

static combgpu_status no3_near_begin(combgpu_context *ctx, const combgpu_run_desc *run,
                                     combgpu_job **job)
{
    return no3_begin(ctx, run, 12, COMBGPU_NO3_NEAR_ROT4, 1, job);
}

static int no3_end(combgpu_context *ctx, combgpu_job *job)
{
    combgpu_no3_result result;
    (void)ctx;
    combgpu_no3_end(job, &result);
    return 1;
}

/* Cities on a bumpy circle; symmetric, or with one-way costs. */
static combgpu_tsp_instance instances[2];

static combgpu_status make_instances(combgpu_context *ctx)
{
    double x[12], y[12], weights[144];
    combgpu_status status;
    int i;
    for (i = 0; i < 12; i++) {
        x[i] = random_u32_below(1000);
        y[i] = random_u32_below(1000);
    }
    for (i = 0; i < 144; i++)
        weights[i] = 1 + random_below(100);
    status = combgpu_tsp_from_coordinates(ctx, 12, x, y, COMBGPU_TSP_EUC_2D, &instances[0]);
    return status ? status : combgpu_tsp_from_matrix(ctx, 12, weights, &instances[1]);
}

static combgpu_status tsp_begin(combgpu_context *ctx, const combgpu_run_desc *run, int instance,
                                combgpu_tsp_method method, combgpu_tsp_shape shape,
                                combgpu_job **job)
{
    combgpu_tsp_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.instance = &instances[instance];
    desc.method = method;
    desc.shape = shape;
    desc.run = *run;
    return combgpu_tsp_begin(ctx, &desc, job);
}

static combgpu_status tsp_brute_begin(combgpu_context *ctx, const combgpu_run_desc *run,
                                      combgpu_job **job)
{
    return tsp_begin(ctx, run, 0, COMBGPU_TSP_BRUTE_FORCE, COMBGPU_TSP_CYCLE, job);
}

static combgpu_status tsp_path_begin(combgpu_context *ctx, const combgpu_run_desc *run,
                                     combgpu_job **job)
{
    return tsp_begin(ctx, run, 1, COMBGPU_TSP_BRUTE_FORCE, COMBGPU_TSP_PATH, job);
}

static combgpu_status tsp_table_begin(combgpu_context *ctx, const combgpu_run_desc *run,
                                      combgpu_job **job)
{
    return tsp_begin(ctx, run, 1, COMBGPU_TSP_HELD_KARP, COMBGPU_TSP_CYCLE, job);
}

static combgpu_status tsp_branch_begin(combgpu_context *ctx, const combgpu_run_desc *run,
                                       combgpu_job **job)
{
    return tsp_begin(ctx, run, 0, COMBGPU_TSP_BRANCH_AND_BOUND, COMBGPU_TSP_CYCLE, job);
}

static combgpu_status tsp_branch_one_way_begin(combgpu_context *ctx, const combgpu_run_desc *run,
                                               combgpu_job **job)
{
    return tsp_begin(ctx, run, 1, COMBGPU_TSP_BRANCH_AND_BOUND, COMBGPU_TSP_CYCLE, job);
}

/* Whatever comes out is a tour, and its length is right. */
static int tsp_end(combgpu_context *ctx, combgpu_job *job)
{
    combgpu_tsp_result result;
    const combgpu_tsp_instance *instance;
    double length;
    combgpu_status status = combgpu_tsp_end(job, &result);
    if (status < 0) return *combgpu_message(ctx) != 0;
    if (result.n != 12 || !(result.lower_bound <= result.length)) return 0;
    for (instance = instances; instance < instances + 2; instance++)
        if (!combgpu_tsp_length(ctx, instance, result.shape, result.tour, &length) &&
            length == result.length)
            return 1;
    return 0;
}

static const search searches[] = {
    {"perm, write", perm_write_begin, perm_end, 1, 500},
    {"perm, count", perm_count_begin, perm_end, 1, 500},
    {"perm, best", perm_best_begin, perm_end, 1, 500},
    {"magic order 4, listed", magic4_begin, magic_end, 100, 500},
    {"semi-magic order 4, counted", semimagic4_begin, magic_end, 100, 500},
    {"magic order 5, counted", magic5_begin, magic_end, 500, 3},
    {"magic order 5, listed", magic5_list_begin, magic_end, 500, 3},
    {"no-three-in-line n 9, counted", no3_all_begin, no3_end, 20, 20},
    {"no-three-in-line n 8, listed", no3_list_begin, no3_end, 10, 20},
    {"no-three-in-line rot4 n 12, listed", no3_rot4_begin, no3_end, 1, 20},
    {"no-three-in-line near rot4 n 12, listed", no3_near_begin, no3_end, 1, 20},
    {"tsp, brute force", tsp_brute_begin, tsp_end, 1, 500},
    {"tsp, brute force, path", tsp_path_begin, tsp_end, 1, 500},
    {"tsp, Held-Karp", tsp_table_begin, tsp_end, 1, 500},
    {"tsp, branch and bound", tsp_branch_begin, tsp_end, 1, 2},
    {"tsp, branch and bound, one-way", tsp_branch_one_way_begin, tsp_end, 1, 2},
    {"magic order 5 with givens", magic5_givens_begin, magic_end, 500, 3},
};

/* ---- forging */

/* Begins from these bytes; if that is allowed takes a few steps and ends. 1 = accepted. */
static int attempt(combgpu_context *ctx, const search *s, const unsigned char *bytes, size_t size,
                   int *wrong)
{
    unsigned char *tight = (unsigned char *)malloc(size);
    combgpu_run_desc run;
    combgpu_progress progress;
    combgpu_job *job;
    combgpu_status status;
    size_t again;
    int steps;
    memcpy(tight, bytes, size);
    memset(&run, 0, sizeof run);
    run.slice_ms = 1;
    run.shard_count = s->shards;
    run.resume_data = tight;
    run.resume_bytes = size;
    impossible = 0;
    status = s->begin(ctx, &run, &job);
    if (!status) {
        unsigned char *saved = test_save(job, &again);
        if (!saved) *wrong = 1;
        free(saved);
        for (steps = 0; steps < 4; steps++) {
            inside_set_budget(job, s->budget); /* a forged task is split and comes back */
            if (combgpu_step(job) != COMBGPU_RUNNING) break;
        }
        combgpu_job_progress(job, &progress);
        if (!(progress.fraction >= 0 && progress.fraction <= 1)) *wrong = 1;
        if (!s->end(ctx, job) || impossible) *wrong = 1;
    } else if (!*combgpu_message(ctx) || job)
        *wrong = 1;
    free(tight);
    return !status;
}

/* Changes one thing in the numbers of the header or in the data. */
static void forge(unsigned char *bytes, size_t size, size_t header)
{
    static const unsigned char digits[] = "0123456789abcdef";
    static const uint32_t values[] = {0, 1, 2, 31, 32, 255, 0x7fffffff, 0x80000000, 0xffffffff};
    size_t data = size - 4 - header, at;
    if (!data || random_u32_below(2)) { /* a digit of the sums */
        char *sums = strstr((char *)bytes, "\nsums ");
        size_t length = sums ? strcspn(sums + 6, "\n") : 0;
        if (!length) return;
        at = (size_t)(sums - (char *)bytes) + 6 + random_u32_below((uint32_t)length);
        if (bytes[at] != ' ') bytes[at] = digits[random_u32_below(16)];
        return;
    }
    at = header + random_u32_below((uint32_t)data);
    switch (random_u32_below(3)) {
    case 0:
        bytes[at] ^= (unsigned char)(1u << random_u32_below(8));
        break;
    case 1:
        bytes[at] = (unsigned char)random_u32_below(256);
        break;
    default:
        at = header + (at - header) / 4 * 4;
        test_put32(bytes + at, values[random_u32_below(9)]);
    }
}

static void forge_search(combgpu_context *ctx, const search *s, int tries)
{
    combgpu_run_desc run;
    combgpu_progress progress;
    combgpu_job *job;
    unsigned char *data, *changed;
    size_t bytes, header;
    int i, wrong = 0, accepted = 0;
    memset(&run, 0, sizeof run);
    run.slice_ms = 1;
    run.shard_count = s->shards;
    if (!equal_status(ctx, s->begin(ctx, &run, &job), COMBGPU_OK, "%s: begin", s->name)) return;
    inside_set_budget(job, s->budget);
    combgpu_step(job);
    inside_undeliver(job); /* records, too, as after an early stop */
    combgpu_job_progress(job, &progress);
    data = test_save(job, &bytes);
    ok(data != NULL, "%s: %u tasks, %u records, %u bytes", s->name, (unsigned)progress.tasks_left,
       (unsigned)inside_records_pending(job), (unsigned)bytes);
    s->end(ctx, job);
    if (!data) return;
    header = test_data_begin(data, bytes);
    changed = (unsigned char *)malloc(bytes);
    ok(attempt(ctx, s, data, bytes, &wrong) && !wrong, "%s: the checkpoint is accepted", s->name);
    for (i = 0; i < tries; i++) {
        memcpy(changed, data, bytes);
        changed[random_u32_below((uint32_t)bytes)] ^= (unsigned char)(1u << random_u32_below(8));
        accepted += attempt(ctx, s, changed, bytes, &wrong);
    }
    equal_u64(accepted, 0, "%s: a flipped bit is found", s->name);
    for (i = accepted = 0; i < tries; i++) {
        int changes = 1 + random_below(3);
        memcpy(changed, data, bytes);
        while (changes--)
            forge(changed, bytes, header);
        accepted += attempt(ctx, s, test_mend(changed, bytes), bytes, &wrong);
    }
    equal_u64(wrong, 0, "%s: forged checkpoints do no harm (%d of %d were accepted)", s->name,
              accepted, tries);
    free(changed);
    free(data);
}

/* A search reads the beginning of PATH, or else of PATH.bak, before its job begins: memory may run out
   there, too. */
static void empty_file_without_memory(const combgpu_context_desc *how)
{
    char folder[200], path[220];
    combgpu_context_desc desc = *how;
    combgpu_context *ctx;
    combgpu_run_desc run;
    test_meter m;
    FILE *file;
    int k, wrong = 0;
    memset(&m, 0, sizeof m);
    memset(&run, 0, sizeof run);
    test_meter_use(&desc, &m);
    if (!test_folder(folder, sizeof folder)) exit(1);
    snprintf(path, sizeof path, "%s/c", folder);
    file = fopen(path, "wb");
    if (!ok(file && !fclose(file) && !combgpu_open(&ctx, &desc), "an empty file is made")) return;
    run.checkpoint_path = path;
    run.resume = 1;
    for (k = 1; k < 20; k++) {
        const long before = m.live;
        combgpu_job *job;
        m.calls = 0;
        m.fail_at = k;
        wrong += tsp_begin(ctx, &run, 0, COMBGPU_TSP_AUTO, COMBGPU_TSP_CYCLE, &job) >= 0;
        wrong += m.live != before;
    }
    equal_u64((uint64_t)wrong, 0, "it is refused, and all memory is released once");
    combgpu_close(ctx);
    remove(path);
    rmdir(folder);
}

int main(void)
{
    combgpu_context *ctx;
    combgpu_context_desc desc;
    size_t i;
    memset(&desc, 0, sizeof desc);
    desc.backend = COMBGPU_BACKEND_CPU;
    desc.threads = 2;
    written = (uint8_t *)malloc(5040 * 7);
    if (!written || combgpu_open(&ctx, &desc) || make_instances(ctx)) {
        printf("Bail out! the tests cannot begin\n");
        return 1;
    }
    for (i = 0; i < sizeof searches / sizeof searches[0]; i++)
        forge_search(ctx, &searches[i], test_small() ? 100 : 300);
    empty_file_without_memory(&desc);
    combgpu_tsp_free(ctx, &instances[0]);
    combgpu_tsp_free(ctx, &instances[1]);
    combgpu_close(ctx);
    free(written);
    return tap_end();
}
