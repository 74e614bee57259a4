/* Counts all-interval series, rows of n notes in which every interval occurs once, in two ways: with
   intervals modulo n, from note 0 (OEIS A141599: 3,856 of 12 notes, as in twelve-tone music), and with
   distances 1 .. n-1, the graceful permutations (OEIS A006967).

       cc -O3 examples/all_interval.c -o all_interval
       ./all_interval 12 */
#define COMBGPU_IMPLEMENTATION
#define COMBGPU_STATIC 1
#define COMBGPU_ONLY_PERM 1
#include "../combgpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

COMBGPU_PERM_SEARCH(modulo, state({ uint64_t heard; }), step({
                        uint64_t bit;
                        if (!place) return 1;
                        bit = (uint64_t)1 << (value - perm[place - 1] + n) % n;
                        if (state->heard & bit) return 0;
                        state->heard |= bit;
                        return 1;
                    }))

COMBGPU_PERM_SEARCH(graceful, state({ uint64_t heard; }), step({
                        int gap = place ? value - perm[place - 1] : 0;
                        uint64_t bit = (uint64_t)1 << (gap < 0 ? -gap : gap);
                        if (state->heard & bit) return 0;
                        state->heard |= bit;
                        return 1;
                    }))

int main(int argc, char **argv)
{
    combgpu_context *ctx;
    combgpu_perm_search_desc desc;
    combgpu_perm_search_result row, path;
    combgpu_perm_set from_0;
    combgpu_status status;
    char *end = NULL;
    long n = argc > 1 ? strtol(argv[1], &end, 10) : 12;

    if (argc > 2 || (end && *end) || n < 1 || n > 64) {
        fprintf(stderr, "all_interval [N], N from 1 to 64\n");
        return 2;
    }
    memset(&from_0, 0, sizeof from_0);
    from_0.family = COMBGPU_PERM_CIRCULAR; /* begins with 0 */
    from_0.n = (int)n;
    memset(&desc, 0, sizeof desc);
    desc.set = &from_0;
    desc.searcher = &modulo;
    status = combgpu_open(&ctx, NULL);
    if (!status) status = combgpu_perm_search(ctx, &desc, &row);
    desc.set = NULL;
    desc.n = from_0.n;
    desc.searcher = &graceful;
    if (!status) status = combgpu_perm_search(ctx, &desc, &path);
    if (status)
        fprintf(stderr, "%s\n", combgpu_message(ctx));
    else
        printf("%d notes: %llu all-interval rows from 0, %llu graceful permutations\n", desc.n,
               (unsigned long long)row.hits, (unsigned long long)path.hits);
    combgpu_close(ctx);
    return status != COMBGPU_OK;
}
