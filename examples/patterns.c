/* Counts permutations that avoid a pattern: 123 (no three elements ascend: Catalan numbers, P. A. MacMahon
   1915) and 1324 (OEIS A061552, whose growth rate is unknown).

       cc -O3 examples/patterns.c -o patterns
       ./patterns 10 */
#define COMBGPU_IMPLEMENTATION
#define COMBGPU_STATIC 1
#define COMBGPU_ONLY_PERM 1
#include "../combgpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The least element so far, and the least that has a smaller one before it: what comes next must be
   smaller than that. */
COMBGPU_PERM_SEARCH(avoids_123, state({
                        int32_t least;
                        int32_t second;
                    }),
                    begin({ state->least = state->second = n; }),
                    allowed({ return ~(~(uint64_t)0 << state->second); }), step({
                        if (value > state->least && value < state->second) state->second = value;
                        if (value < state->least) state->least = value;
                        return 1;
                    }))

/* The least element that is the 3 of a 132: what comes next must be smaller. */
COMBGPU_PERM_SEARCH(avoids_1324, state({ int32_t three; }), begin({ state->three = n; }),
                    allowed({ return ~(~(uint64_t)0 << state->three); }), step({
                        int i;
                        int one = n;
                        for (i = 0; i < place; i++) {
                            if (one < value && perm[i] > value && perm[i] < state->three)
                                state->three = perm[i];
                            if (perm[i] < one) one = perm[i];
                        }
                        return 1;
                    }))

int main(int argc, char **argv)
{
    static const combgpu_perm_searcher *const searchers[2] = {&avoids_123, &avoids_1324};
    combgpu_context *ctx;
    combgpu_perm_search_desc desc;
    combgpu_perm_search_result result;
    combgpu_status status;
    int i;
    char *end = NULL;
    long n = argc > 1 ? strtol(argv[1], &end, 10) : 10;

    if (argc > 2 || (end && *end) || n < 1 || n > 63) {
        fprintf(stderr, "patterns [N], N from 1 to 63\n");
        return 2;
    }
    memset(&desc, 0, sizeof desc);
    desc.n = (int)n;
    status = combgpu_open(&ctx, NULL);
    for (i = 0; i < 2 && !status; i++) {
        desc.searcher = searchers[i];
        status = combgpu_perm_search(ctx, &desc, &result);
        if (!status)
            printf("%llu permutations of %d avoid %s\n", (unsigned long long)result.hits, desc.n,
                   i ? "1324" : "123");
    }
    if (status) fprintf(stderr, "%s\n", combgpu_message(ctx));
    combgpu_close(ctx);
    return status != COMBGPU_OK;
}
