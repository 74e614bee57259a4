/* Finds k of n numbers with a given sum, without repetition: their number, and ten of them. Here lottery
   draws, 6 of 1 .. 49, that add up to 150.

       cc -O3 examples/sums.c -o sums
       ./sums 6 150 */
#define COMBGPU_IMPLEMENTATION
#define COMBGPU_STATIC 1
#define COMBGPU_ONLY_PERM 1
#include "../combgpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* data: the sum, then n numbers in ascending order. Later choices are at least as large as `value`, at most
   the last numbers: outside these limits no completion has the sum. */
COMBGPU_PERM_SEARCH(sums, state({ int64_t sum; }), step({
                        int64_t least;
                        int64_t most;
                        int i;
                        state->sum += combgpu_data_i32(data, 1 + value);
                        least = most = state->sum;
                        for (i = 1; i < length - place; i++) {
                            least += combgpu_data_i32(data, 1 + value + i);
                            most += combgpu_data_i32(data, 1 + n - i);
                        }
                        return least <= combgpu_data_i32(data, 0) &&
                               most >= combgpu_data_i32(data, 0);
                    }))

static int show(const uint8_t *perm, int length, int64_t value, void *user)
{
    const int32_t *data = (const int32_t *)user;
    int i;
    (void)value;
    for (i = 0; i < length; i++)
        printf("%d%s", (int)data[1 + perm[i]], i == length - 1 ? "\n" : " ");
    return 0;
}

int main(int argc, char **argv)
{
    combgpu_context *ctx;
    combgpu_perm_search_desc desc;
    combgpu_perm_search_result result;
    combgpu_perm_set draws;
    combgpu_status status;
    int32_t data[50];
    int i;
    char *end = NULL, *end_sum = NULL;
    long k = argc > 1 ? strtol(argv[1], &end, 10) : 6;
    long sum = argc > 2 ? strtol(argv[2], &end_sum, 10) : 150;

    if (argc > 3 || (end && *end) || k < 1 || k > 49 || (end_sum && *end_sum) || sum < 1 ||
        sum > 9999) {
        fprintf(stderr, "sums [K [SUM]], K from 1 to 49, SUM from 1 to 9999\n");
        return 2;
    }
    data[0] = (int32_t)sum;
    for (i = 1; i < 50; i++)
        data[i] = i;
    memset(&draws, 0, sizeof draws);
    draws.family = COMBGPU_PERM_COMBINATION; /* PARTIAL: in any order */
    draws.n = 49;
    draws.k = (int)k;
    memset(&desc, 0, sizeof desc);
    desc.set = &draws;
    desc.searcher = &sums;
    desc.data = data;
    desc.data_bytes = sizeof data;
    status = combgpu_open(&ctx, NULL);
    if (!status) status = combgpu_perm_search(ctx, &desc, &result);
    if (!status) {
        printf("%llu draws of %d add up to %d, by %llu steps; some of them:\n",
               (unsigned long long)result.hits, draws.k, (int)data[0],
               (unsigned long long)result.run.steps);
        desc.solution = show;
        desc.solution_user = data;
        desc.limit = 10;
        status = combgpu_perm_search(ctx, &desc, &result);
    }
    if (status < 0) fprintf(stderr, "%s\n", combgpu_message(ctx));
    combgpu_close(ctx);
    return status < 0;
}
