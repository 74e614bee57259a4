/* Solves Langford's problem: arrange 1 1 2 2 .. n n so that k numbers lie between the two k (C. D. Langford
   1958; OEIS A014552, where a row and its mirror image count once).

       cc -O3 examples/langford.c -o langford
       ./langford 11 */
#define COMBGPU_IMPLEMENTATION
#define COMBGPU_STATIC 1
#define COMBGPU_ONLY_PERM 1
#include "../combgpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A multiset: value v, twice, is the number v + 1. The state has the positions reserved for second numbers
   (from this one on), these numbers, and those begun. A reserved position allows just its number; another
   one allows numbers whose second position is free and in the row. */
COMBGPU_PERM_SEARCH(langford, state({
                        uint64_t taken;
                        uint32_t begun;
                        uint8_t due[32];
                    }),
                    allowed({
                        uint64_t open;
                        int v;
                        if (state->taken & 1) return (uint64_t)1 << state->due[place];
                        open = 0;
                        for (v = 0; v < n && place + v + 2 < length; v++)
                            if (!(state->begun >> v & 1) && !(state->taken >> (v + 2) & 1))
                                open |= (uint64_t)1 << v;
                        return open;
                    }),
                    step({
                        if (!(state->taken & 1)) {
                            state->taken |= (uint64_t)1 << (value + 2);
                            state->due[place + value + 2] = (uint8_t)value;
                            state->begun |= 1u << value;
                        }
                        state->taken >>= 1;
                        return 1;
                    }))

int main(int argc, char **argv)
{
    combgpu_context *ctx;
    combgpu_perm_search_desc desc;
    combgpu_perm_search_result result;
    combgpu_perm_set pairs;
    uint8_t twice[16];
    combgpu_status status;
    char *end = NULL;
    long n = argc > 1 ? strtol(argv[1], &end, 10) : 11;

    if (argc > 2 || (end && *end) || n < 1 || n > 16) {
        fprintf(stderr, "langford [N], N from 1 to 16: the state has 32 places\n");
        return 2;
    }
    memset(&pairs, 0, sizeof pairs);
    memset(twice, 2, sizeof twice);
    pairs.family = COMBGPU_PERM_MULTISET;
    pairs.n = (int)n;
    pairs.repeats = twice;
    memset(&desc, 0, sizeof desc);
    desc.set = &pairs;
    desc.searcher = &langford;
    status = combgpu_open(&ctx, NULL);
    if (!status) status = combgpu_perm_search(ctx, &desc, &result);
    if (status)
        fprintf(stderr, "%s\n", combgpu_message(ctx));
    else
        printf("%d pairs: %llu rows without their mirror images, %llu steps\n", pairs.n,
               (unsigned long long)result.hits / 2, (unsigned long long)result.run.steps);
    combgpu_close(ctx);
    return status != COMBGPU_OK;
}
