/* Receives solutions one by one, as they are found: magic squares of order 4 with a given number in the
   first corner and corners that add up to 34.

       cc -O3 examples/callback.c -o callback
       ./callback 7 */
#define COMBGPU_IMPLEMENTATION
#define COMBGPU_STATIC 1
#define COMBGPU_ONLY_MAGIC 1
#include "../combgpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct search {
    int corner; /* the number wanted there */
    int found;
} search;

/* Called for each square, on the thread that called combgpu_magic. Nonzero stops the search. */
static int look(const int *square, int order, void *user)
{
    search *s = (search *)user;
    int row, column;
    if (square[0] != s->corner || square[0] + square[3] + square[12] + square[15] != 34) return 0;
    for (row = 0; row < order; row++)
        for (column = 0; column < order; column++)
            printf("%3d%s", square[row * order + column], column == order - 1 ? "\n" : "");
    printf("\n");
    return ++s->found == 3; /* three are enough */
}

int main(int argc, char **argv)
{
    combgpu_context *ctx;
    combgpu_magic_desc desc;
    combgpu_magic_result result;
    combgpu_status status;
    search s;
    char *end = NULL;
    long corner = argc > 1 ? strtol(argv[1], &end, 10) : 16;

    if (argc > 2 || (end && *end) || corner < 1 || corner > 16) {
        fprintf(stderr, "callback [CORNER], a number from 1 to 16\n");
        return 2;
    }
    s.corner = (int)corner;
    s.found = 0;
    memset(&desc, 0, sizeof desc);
    desc.order = 4;
    desc.solution = look;
    desc.solution_user = &s;

    status = combgpu_open(&ctx, NULL);
    if (status == COMBGPU_OK) status = combgpu_magic(ctx, &desc, &result);
    if (status < 0)
        fprintf(stderr, "%s\n", combgpu_message(ctx));
    else
        printf("%d squares%s\n", s.found, status == COMBGPU_STOPPED ? "; there are more" : "");
    combgpu_close(ctx);
    return status < 0;
}
