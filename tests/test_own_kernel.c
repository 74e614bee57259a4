/* Tests the visitor of examples/own_kernel.c on every backend against a slow solver. */
#define COMBGPU_ONLY_PERM 1
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
    puzzle p;
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
        p.sum = sums[k];
        for (left = 0; left < 10; left++)
            p.digits[left] = left;
        desc.data = &p;
        desc.data_bytes = sizeof p;
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

int main(void)
{
    int place;
    for (place = 0; place < TEST_PLACES; place++) {
        combgpu_context *ctx;
        if (!test_open(place, &ctx)) continue;
        pairs_are_right(ctx, test_places[place].name);
        combgpu_close(ctx);
    }
    return tap_end();
}
