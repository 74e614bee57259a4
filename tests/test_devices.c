/* Tests of several devices in one context: every search gives equal sums with any set of them, a
   device may be listed twice, may be slow, may fail, hang or run out of memory. */
#include "test.h"

#include <unistd.h>

static uint64_t random_state = 88172645463325252u;
static uint32_t random_below(uint32_t n)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)((random_state >> 32) % n);
}

/* The last message of each level. */
typedef struct messages {
    char last[3][512];
    int count[3];
} messages;

static void keep(combgpu_log_level level, const char *message, void *user)
{
    messages *m = (messages *)user;
    snprintf(m->last[level], sizeof m->last[level], "%s", message);
    m->count[level]++;
}

typedef struct counting {
    long live, until; /* blocks; allocations until one fails, 0 = none */
} counting;

static void *counting_allocate(size_t bytes, void *user)
{
    counting *c = (counting *)user;
    if (c->until && --c->until == 0) return NULL;
    c->live++;
    return malloc(bytes);
}

static void counting_release(void *memory, void *user)
{
    ((counting *)user)->live -= memory != NULL;
    free(memory);
}

/* Opens the devices of `list`: c = CPU, o = OpenCL device 0, u = CUDA device 0, v = CUDA device 1. */
static combgpu_status open_list(combgpu_context **ctx, const char *list, messages *log,
                                counting *memory)
{
    combgpu_device_id devices[COMBGPU_MAX_DEVICES];
    combgpu_context_desc desc;
    int count = 0;
    memset(&desc, 0, sizeof desc);
    for (; *list; list++, count++) {
        devices[count].backend = *list == 'c'   ? COMBGPU_BACKEND_CPU
                                 : *list == 'o' ? COMBGPU_BACKEND_OPENCL
                                                : COMBGPU_BACKEND_CUDA;
        devices[count].index = *list == 'v';
    }
    desc.threads = 2;
    desc.devices = devices;
    desc.device_count = count;
    if (log) {
        desc.logger.log = keep;
        desc.logger.user = log;
    }
    if (memory) {
        desc.allocator.allocate = counting_allocate;
        desc.allocator.release = counting_release;
        desc.allocator.user = memory;
    }
    return combgpu_open(ctx, &desc);
}

static const char *const lists[] = {"cc", "ccc", "o", "oo", "oc", "co", "ooc", "uu", "uv", "uvc"};
#define LISTS (sizeof lists / sizeof lists[0])

/* 1 if the devices are there; otherwise a SKIP has been printed. */
static int open_or_skip(combgpu_context **ctx, const char *list)
{
    char name[64];
    snprintf(name, sizeof name, "devices %s", list);
    if (open_list(ctx, list, NULL, NULL) == COMBGPU_OK) return 1;
    skip(combgpu_message(*ctx), name);
    combgpu_close(*ctx);
    return 0;
}

/* ---- equal results */

COMBGPU_PERM_VISITOR(few, {
    int i, sum = 0;
    (void)data;
    for (i = 0; i + 1 < n; i++)
        sum += perm[i] < perm[i + 1];
    return sum < 2;
})

typedef struct results {
    combgpu_no3_result no3;
    combgpu_magic_result search, join;
    combgpu_perm_result count, best, write;
    combgpu_tsp_result brute, table, branch;
} results;

/* Times, devices and slices are not the same in every run. */
static void strip(combgpu_run_info *info)
{
    combgpu_run_info kept;
    memset(&kept, 0, sizeof kept);
    kept.status = info->status;
    kept.steps = info->steps;
    kept.checksum = info->checksum;
    kept.tasks_left = info->tasks_left;
    *info = kept;
}

/* Every search once; the number that did not end well. */
static int search_all(combgpu_context *ctx, results *r)
{
    static unsigned char out[5040 * 7];
    static const double xy[2][9] = {{3, 1, 4, 1, 5, 9, 2, 6, 5}, {2, 7, 1, 8, 2, 8, 1, 8, 3}};
    combgpu_no3_desc no3;
    combgpu_magic_desc magic;
    combgpu_perm_desc perm;
    combgpu_tsp_desc tsp;
    combgpu_tsp_instance instance;
    int bad = 0;
    memset(r, 0, sizeof *r);
    memset(&no3, 0, sizeof no3);
    no3.n = test_small() ? 7 : 9;
    bad += combgpu_no3(ctx, &no3, &r->no3) != COMBGPU_OK;
    memset(&magic, 0, sizeof magic);
    magic.order = 4;
    bad += combgpu_magic(ctx, &magic, &r->search) != COMBGPU_OK;
    magic.order = 5;
    magic.run.shard_count = test_small() ? 40000 : 4000;
    magic.run.shard_index = 17;
    bad += combgpu_magic(ctx, &magic, &r->join) != COMBGPU_OK;
    memset(&perm, 0, sizeof perm);
    perm.n = 8;
    perm.goal = COMBGPU_PERM_COUNT;
    perm.visitor = &few;
    bad += combgpu_perm(ctx, &perm, &r->count) != COMBGPU_OK;
    perm.goal = COMBGPU_PERM_MAXIMUM;
    bad += combgpu_perm(ctx, &perm, &r->best) != COMBGPU_OK;
    memset(&perm, 0, sizeof perm);
    perm.n = 7;
    perm.out = out;
    perm.out_bytes = sizeof out;
    bad += combgpu_perm(ctx, &perm, &r->write) != COMBGPU_OK || out[5040 * 7 - 1] != 0;
    memset(&tsp, 0, sizeof tsp);
    tsp.instance = &instance;
    if (combgpu_tsp_from_coordinates(ctx, 9, xy[0], xy[1], COMBGPU_TSP_EUC_2D, &instance)) return 9;
    tsp.method = COMBGPU_TSP_BRUTE_FORCE;
    bad += combgpu_tsp(ctx, &tsp, &r->brute) != COMBGPU_OK;
    tsp.method = COMBGPU_TSP_HELD_KARP;
    bad += combgpu_tsp(ctx, &tsp, &r->table) != COMBGPU_OK;
    tsp.method = COMBGPU_TSP_BRANCH_AND_BOUND;
    bad += combgpu_tsp(ctx, &tsp, &r->branch) != COMBGPU_OK;
    r->branch.run.steps = 0; /* depend on the threads */
    combgpu_tsp_free(ctx, &instance);
    strip(&r->no3.run);
    strip(&r->search.run);
    strip(&r->join.run);
    strip(&r->count.run);
    strip(&r->best.run);
    strip(&r->write.run);
    strip(&r->brute.run);
    strip(&r->table.run);
    strip(&r->branch.run);
    return bad;
}

static void equal_results(void)
{
    combgpu_context *ctx;
    results want, got;
    size_t i;
    combgpu_context_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.backend = COMBGPU_BACKEND_CPU;
    combgpu_open(&ctx, &desc);
    equal_u64(search_all(ctx, &want), 0, "one CPU: every search ends");
    equal_u64(want.count.hits, 248, "permutations of 8 with at most one ascent (Euler: 1 + 247)");
    combgpu_close(ctx);
    for (i = 0; i < LISTS; i++) {
        if (!open_or_skip(&ctx, lists[i])) continue;
        equal_u64(search_all(ctx, &got), 0, "devices %s: every search ends: %s", lists[i],
                  combgpu_message(ctx));
        ok(!memcmp(&got.no3, &want.no3, sizeof got.no3), "%s: no3 as on one CPU", lists[i]);
        ok(!memcmp(&got.search, &want.search, sizeof got.search), "%s: magic search", lists[i]);
        ok(!memcmp(&got.join, &want.join, sizeof got.join), "%s: magic join", lists[i]);
        ok(!memcmp(&got.count, &want.count, sizeof got.count), "%s: permutations, count", lists[i]);
        ok(!memcmp(&got.best, &want.best, sizeof got.best), "%s: permutations, best", lists[i]);
        ok(!memcmp(&got.write, &want.write, sizeof got.write), "%s: permutations", lists[i]);
        ok(!memcmp(&got.brute, &want.brute, sizeof got.brute), "%s: tsp, brute force", lists[i]);
        ok(!memcmp(&got.table, &want.table, sizeof got.table), "%s: tsp, table", lists[i]);
        ok(!memcmp(&got.branch, &want.branch, sizeof got.branch), "%s: tsp, bounds", lists[i]);
        combgpu_close(ctx);
    }
}

int main(void)
{
    equal_results();
    (void)random_below;
    return tap_end();
}
