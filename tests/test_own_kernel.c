/* examples/own_kernel.c: its two visitors on every place, against slow solvers. */
#define COMBGPU_ONLY_PERM
#include "test.h"
#define main own_kernel_main
#include "../examples/own_kernel.c"
#undef main

/* ---- the radio prize: all pairs of numbers */

static int different_digits(int left, int right)
{
    int seen[10] = {0}, i;
    for (i = 0; i < 3; i++, left /= 10, right /= 10)
        if (seen[left % 10]++ || seen[right % 10]++) return 0;
    return 1;
}

static int smaller[1000]; /* of the pairs that were handed over: how often */

static int on_pair(uint64_t rank, const uint8_t *perms, uint64_t count, int n, void *user)
{
    (void)rank, (void)count, (void)n, (void)user;
    smaller[100 * perms[0] + 10 * perms[1] + perms[2]]++;
    return 0;
}

static void pairs_are_right(combgpu_context *ctx, const char *place)
{
    static const int32_t sums[3] = {933, 1000, 339};
    int k, left;
    for (k = 0; k < 3; k++) {
        static const combgpu_perm_set six_of_ten = {COMBGPU_PERM_PARTIAL, 10, 6, NULL};
        combgpu_perm_desc desc;
        combgpu_perm_result result;
        uint64_t pairs = 0;
        int wrong = 0;
        memset(&desc, 0, sizeof desc);
        memset(smaller, 0, sizeof smaller);
        desc.set = &six_of_ten;
        desc.goal = COMBGPU_PERM_COUNT;
        desc.visitor = &radio_prize;
        desc.data = &sums[k];
        desc.data_bytes = sizeof sums[k];
        desc.solution = on_pair;
        equal_status(ctx, combgpu_perm(ctx, &desc, &result), COMBGPU_OK, "%s: pairs of sum %d",
                     place, (int)sums[k]);
        for (left = 0; left < 1000; left++) {
            int right = sums[k] - left;
            int want = left >= 100 && right > left && right < 1000 && different_digits(left, right);
            wrong += smaller[left] != want;
            pairs += (uint64_t)want;
        }
        ok(!wrong && result.hits == pairs, "%s: all %llu pairs of sum %d, each once", place,
           (unsigned long long)pairs, (int)sums[k]);
    }
}

/* ---- quadratic assignment: depth first, cut off where the partial sum is not less */

static transport_data plan;
static int64_t least;

static void assign(int shop, unsigned used, int *towns, int64_t sum)
{
    int place, i;
    if (sum >= least) return;
    if (shop == SHOPS) least = sum;
    for (place = 0; place < SHOPS && shop < SHOPS; place++) {
        int64_t more = 0;
        if (used >> place & 1) continue;
        towns[shop] = place;
        for (i = 0; i < shop; i++)
            more += plan.loads[shop][i] * plan.ways[place][towns[i]];
        assign(shop + 1, used | 1u << place, towns, sum + more);
    }
}

static void transport_is_least(combgpu_context *ctx, const char *place)
{
    combgpu_perm_desc desc;
    combgpu_perm_result result;
    int towns[SHOPS];
    memset(&desc, 0, sizeof desc);
    plan = floor_plan();
    desc.n = SHOPS;
    desc.goal = COMBGPU_PERM_MINIMUM;
    desc.visitor = &transport;
    desc.data = &plan;
    desc.data_bytes = sizeof plan;
    least = INT64_MAX;
    assign(0, 0, towns, 0);
    equal_status(ctx, combgpu_perm(ctx, &desc, &result), COMBGPU_OK, "%s: transport", place);
    equal_u64(result.best_value, least, "%s: no arrangement of the workshops has less", place);
    equal_u64(transport.cpu(result.best, SHOPS, (const unsigned char *)&plan), least,
              "%s: and the one that is shown has so much", place);
}

int main(void)
{
    int place;
    for (place = 0; place < TEST_PLACES; place++) {
        combgpu_context *ctx;
        if (!test_open(place, &ctx)) continue;
        pairs_are_right(ctx, test_places[place].name);
        transport_is_least(ctx, test_places[place].name);
        combgpu_close(ctx);
    }
    return tap_end();
}
