/* A yardstick of searches with callbacks: n queens by a hand-written loop on bit masks against the general
   form, both on one core. It tests nothing, and prints the best times of five alternating runs.

       cc -O3 tests/yardstick_queens.c -o build/yardstick_queens
       build/yardstick_queens 14 */
#define COMBGPU_IMPLEMENTATION
#define COMBGPU_ONLY_PERM 1
#include "../combgpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

COMBGPU_PERM_SEARCH(queens, state({
                        uint32_t up;
                        uint32_t down;
                    }),
                    allowed({ return ~(uint64_t)(state->up | state->down); }), step({
                        state->up = (state->up | 1u << value) << 1;
                        state->down = (state->down | 1u << value) >> 1;
                        return 1;
                    }))

static uint64_t by_hand(uint32_t open, uint32_t up, uint32_t down)
{
    uint64_t count = 0;
    uint32_t todo = open & ~(up | down);
    if (!open) return 1;
    for (; todo; todo &= todo - 1) {
        uint32_t bit = todo & (0u - todo);
        count += by_hand(open & ~bit, (up | bit) << 1, (down | bit) >> 1);
    }
    return count;
}

int main(int argc, char **argv)
{
    combgpu_context_desc cpu;
    combgpu_context *ctx;
    combgpu_perm_search_desc desc;
    combgpu_perm_search_result result;
    double hand_s = 1e9, general_s = 1e9, from;
    uint64_t count = 0;
    int round;

    memset(&cpu, 0, sizeof cpu);
    cpu.backend = COMBGPU_BACKEND_CPU;
    cpu.threads = 1;
    memset(&desc, 0, sizeof desc);
    desc.n = argc > 1 ? atoi(argv[1]) : 14;
    desc.searcher = &queens;
    if (desc.n < 1 || desc.n > 31 || combgpu_open(&ctx, &cpu)) return 2;
    for (round = 0; round < 5; round++) {
        from = (double)clock() / CLOCKS_PER_SEC;
        count = by_hand((1u << desc.n) - 1, 0, 0);
        from = (double)clock() / CLOCKS_PER_SEC - from;
        if (from < hand_s) hand_s = from;
        from = (double)clock() / CLOCKS_PER_SEC;
        if (combgpu_perm_search(ctx, &desc, &result) || result.hits != count) return 1;
        from = (double)clock() / CLOCKS_PER_SEC - from;
        if (from < general_s) general_s = from;
    }
    printf("%d queens: %llu; by hand %.3f s, in the general form %.3f s, %.2f times as long\n",
           desc.n, (unsigned long long)count, hand_s, general_s, general_s / hand_s);
    combgpu_close(ctx);
    return 0;
}
