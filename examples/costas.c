/* Counts Costas arrays: permutations in which no two pairs of dots have the same distance and direction
   (J. P. Costas 1965, for sonar; OEIS A008404).

       cc -O3 examples/costas.c -o costas
       ./costas 12 */
#define COMBGPU_IMPLEMENTATION
#define COMBGPU_STATIC 1
#define COMBGPU_ONLY_PERM 1
#include "../combgpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* seen[d]: a bit for each difference, plus n - 1, of elements d + 1 positions apart. Shifted by the previous
   element, they are the values that may not come next. n = 16 needs 16 words and, for its differences,
   31 bits. */
COMBGPU_PERM_SEARCH(costas, state({ uint32_t seen[16]; }), allowed({
                        uint64_t taken = 0;
                        int d;
                        for (d = 0; d < place; d++)
                            taken |= ((uint64_t)state->seen[d] << perm[place - 1 - d]) >> (n - 1);
                        return ~taken;
                    }),
                    step({
                        int d;
                        for (d = 0; d < place; d++)
                            state->seen[d] |= 1u << (value - perm[place - 1 - d] + n - 1);
                        return 1;
                    }))

int main(int argc, char **argv)
{
    combgpu_context *ctx;
    combgpu_perm_search_desc desc;
    combgpu_perm_search_result result;
    combgpu_status status;
    char *end = NULL;
    long n = argc > 1 ? strtol(argv[1], &end, 10) : 12;

    if (argc > 2 || (end && *end) || n < 1 || n > 16) {
        fprintf(stderr, "costas [N], N from 1 to 16: the state has 31 differences\n");
        return 2;
    }
    memset(&desc, 0, sizeof desc);
    desc.n = (int)n;
    desc.searcher = &costas;
    status = combgpu_open(&ctx, NULL);
    if (!status) status = combgpu_perm_search(ctx, &desc, &result);
    if (status)
        fprintf(stderr, "%s\n", combgpu_message(ctx));
    else
        printf("%d x %d: %llu Costas arrays in %llu steps; %llu permutations\n", desc.n, desc.n,
               (unsigned long long)result.hits, (unsigned long long)result.run.steps,
               (unsigned long long)combgpu_factorial(desc.n).lo);
    combgpu_close(ctx);
    return status != COMBGPU_OK;
}
