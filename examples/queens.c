/* Counts the ways to place n queens that do not attack each other (OEIS A000170), and prints the first.

       cc -O3 examples/queens.c -o queens
       nvcc -O3 -x cu -DCOMBGPU_CUDA examples/queens.c -o queens
       cc -O3 -DCOMBGPU_OPENCL examples/queens.c -o queens -lOpenCL

       ./queens 14 */
#define COMBGPU_IMPLEMENTATION
#define COMBGPU_STATIC 1
#define COMBGPU_ONLY_PERM 1
#include "../combgpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* perm[row] = column. The state has the columns that queens above attack on diagonals. `allowed` excludes
   them all at once, so a step never fails. */
COMBGPU_PERM_SEARCH(queens, state({
                        uint32_t up;
                        uint32_t down;
                    }),
                    allowed({ return ~(uint64_t)(state->up | state->down); }), step({
                        state->up = (state->up | 1u << value) << 1;
                        state->down = (state->down | 1u << value) >> 1;
                        return 1;
                    }))

int main(int argc, char **argv)
{
    combgpu_context *ctx;
    combgpu_perm_search_desc desc;
    combgpu_perm_search_result all, first;
    combgpu_status status;
    int i;
    char *end = NULL;
    long n = argc > 1 ? strtol(argv[1], &end, 10) : 12;

    if (argc > 2 || (end && *end) || n < 1 || n > 32) {
        fprintf(stderr, "queens [N], N from 1 to 32: the state has 32 columns\n");
        return 2;
    }
    memset(&desc, 0, sizeof desc);
    desc.n = (int)n;
    desc.searcher = &queens;
    status = combgpu_open(&ctx, NULL);
    if (!status) status = combgpu_perm_search(ctx, &desc, &all);
    desc.goal = COMBGPU_SEARCH_FIRST;
    if (!status) status = combgpu_perm_search(ctx, &desc, &first);
    if (status)
        fprintf(stderr, "%s\n", combgpu_message(ctx));
    else {
        printf("%d queens: %llu solutions in %llu steps\n", desc.n, (unsigned long long)all.hits,
               (unsigned long long)all.run.steps);
        for (i = 0; i < desc.n && first.found; i++)
            printf("%d%s", first.best[i], i == desc.n - 1 ? "\n" : " ");
    }
    combgpu_close(ctx);
    return status != COMBGPU_OK;
}
