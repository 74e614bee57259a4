/* Tests order 6 by diagonals where blocks of lanes share tables (src/magic/six/share.cl), with fewer areas
   than a device would get: counts, checksums and nodes equal the CPU's. Just here, OpenCL devices of the
   CPU share, too. */
#define TEST_OWN_IMPLEMENTATION
#define COMBGPU_ONLY_MAGIC 1
static unsigned test_areas = 1, test_shares = 1;
#define COMBGPU_TEST_SIX_AREAS test_areas
#define COMBGPU__SIX_SHARES test_shares
#define COMBGPU_TEST_OPTIONS " -DCOMBGPU__SIX_SHARED=1"
#include "test.h"

typedef struct range {
    uint64_t first, count;
    int shards;
    double slice_ms;
    unsigned areas, shares;
} range;

static void test_range(combgpu_context *cpu, combgpu_context *ctx, const char *name, range r)
{
    combgpu_magic_diagonals_desc desc;
    combgpu_magic_diagonals_result want, got;
    combgpu_job *job;
    unsigned slices, most;
    memset(&desc, 0, sizeof desc);
    desc.first = r.first;
    desc.count = r.count;
    desc.run.shard_count = r.shards;
    test_areas = r.areas;
    test_shares = r.shares;
    equal_status(cpu, combgpu_magic_diagonals(cpu, &desc, &want), COMBGPU_OK, "%llu on the CPU",
                 (unsigned long long)r.first);
    desc.run.slice_ms = r.slice_ms;
    most = 20 * (unsigned)want.run.steps; /* nearly every slice takes a step */
    equal_status(ctx, combgpu_magic_diagonals_begin(ctx, &desc, &job), COMBGPU_OK, "%s: begun",
                 name);
    for (slices = 1; combgpu_step(job) == COMBGPU_RUNNING && slices < most; slices++) {
    }
    ok(slices < most, "%s: %u slices for %llu steps", name, slices,
       (unsigned long long)want.run.steps);
    equal_status(ctx, combgpu_magic_diagonals_end(job, &got), COMBGPU_OK, "%s: counted", name);
    ok(got.squares == want.squares && equal_runs(&got.run, &want.run),
       "%s: %llu configurations from %llu, %u areas, %u blocks a step: %llu squares", name,
       (unsigned long long)r.count, (unsigned long long)r.first, r.areas, r.shares,
       (unsigned long long)got.squares);
}

int main(void)
{
    /* configurations 777 and after have few sets and no square */
    static const range ranges[] = {
        {777, 12, 1, 0, 1, 4},
        {777, 12, 1, 1, 2, 4},
        {777, 12, 1, 500, 5, 2},
        {777, 12, 5, 1, 1, 1},
        {UINT64_C(123456789012), 2, 1, 0, 1, 8},
        {UINT64_C(123456789012), 5, 1, 1, 3, 2},
        {UINT64_C(123456789012), 5, 4, 0, 2, 4},
    };
    combgpu_context *cpu, *ctx;
    int place;
    unsigned i;
    if (!test_open(0, &cpu)) return 1;
    for (place = 1; place < TEST_PLACES; place++) {
        if (!test_open(place, &ctx)) continue;
        for (i = 0; i < sizeof ranges / sizeof *ranges; i += test_small() ? 3 : 1) {
            range r = ranges[i];
            if (test_small()) r.count = (r.count + 3) / 4;
            test_range(cpu, ctx, test_places[place].name, r);
        }
        combgpu_close(ctx);
    }
    combgpu_close(cpu);
    return tap_end();
}
