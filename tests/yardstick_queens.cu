/* yardstick_queens.c for a GPU: n queens by a hand-written kernel on bit masks against the general form on
   the same device. It tests nothing, and prints the best times of five alternating runs.

       nvcc -O3 -std=c++17 -arch=native -DCOMBGPU_CUDA tests/yardstick_queens.cu -o build/yardstick_gpu
       build/yardstick_gpu 16 18

   By hand: the host makes all beginnings of DEPTH rows (the best of some depths counts), a thread
   takes one after another and walks the tree below; no use is made of symmetry in either. Times are
   those of whole calls, with what the host does and all transfers, after a first call that loads the
   kernel. */
#define COMBGPU_IMPLEMENTATION
#define COMBGPU_ONLY_PERM 1
#include "../combgpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define THREADS 128
#define FRAMES 10 /* of a thread; more go to its own memory */

COMBGPU_PERM_SEARCH(queens, state({
                        uint32_t up;
                        uint32_t down;
                    }),
                    allowed({ return ~(uint64_t)(state->up | state->down); }), step({
                        state->up = (state->up | 1u << value) << 1;
                        state->down = (state->down | 1u << value) >> 1;
                        return 1;
                    }))

/* A beginning, or a place where columns remain to be tried: todo, open, up, down. */
static __global__ void __launch_bounds__(THREADS)
    walk(const uint4 *begun, unsigned count, unsigned *taken, unsigned long long *sum)
{
    __shared__ uint4 frames[FRAMES][THREADS];
    uint4 others[22];
    unsigned long long ways = 0;
    for (;;) {
        unsigned i = atomicAdd(taken, 1);
        if (i >= count) break;
        uint4 at = begun[i];
        int depth = 0;
        while (at.x) {
            unsigned bit = at.x & (0u - at.x), rest = at.y ^ bit;
            unsigned up = (at.z | bit) << 1, down = (at.w | bit) >> 1;
            unsigned below = rest & ~(up | down);
            at.x ^= bit;
            if (!rest) ways++;
            if (below) {
                if (at.x) {
                    if (depth < FRAMES)
                        frames[depth][threadIdx.x] = at;
                    else
                        others[depth - FRAMES] = at;
                    depth++;
                }
                at = make_uint4(below, rest, up, down);
            } else if (!at.x && depth) {
                depth--;
                at = depth < FRAMES ? frames[depth][threadIdx.x] : others[depth - FRAMES];
            }
        }
    }
    if (ways) atomicAdd(sum, ways);
}

static uint4 *begin_at;

static void begin(int rows, unsigned open, unsigned up, unsigned down)
{
    unsigned todo = open & ~(up | down);
    if (!rows) {
        *begin_at++ = make_uint4(todo, open, up, down);
        return;
    }
    for (; todo; todo &= todo - 1) {
        unsigned bit = todo & (0u - todo);
        begin(rows - 1, open & ~bit, (up | bit) << 1, (down | bit) >> 1);
    }
}

static double seconds(void)
{
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#define MOST 8000000 /* beginnings */

static uint64_t by_hand(int n, int rows, uint4 *host, uint4 *device, unsigned long long *sums,
                        double *kernel_s)
{
    unsigned long long sum = 0;
    unsigned count;
    int blocks, index, units;
    double from;
    begin_at = host;
    begin(rows, (1u << n) - 1, 0, 0);
    count = (unsigned)(begin_at - host);
    cudaMemcpy(device, host, count * sizeof *host, cudaMemcpyHostToDevice);
    cudaMemset(sums, 0, 16);
    cudaGetDevice(&index);
    cudaDeviceGetAttribute(&units, cudaDevAttrMultiProcessorCount, index);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, walk, THREADS, 0);
    from = seconds();
    walk<<<units * blocks, THREADS>>>(device, count, (unsigned *)(sums + 1), sums);
    if (cudaMemcpy(&sum, sums, sizeof sum, cudaMemcpyDeviceToHost)) exit(2);
    *kernel_s = seconds() - from;
    return sum;
}

static double ways(int n, int rows) /* to fill so many rows, at most */
{
    double product = 1;
    int i;
    for (i = 0; i < rows; i++)
        product *= n - 1.7 * i;
    return product;
}

static int compare(combgpu_context *ctx, int n, uint4 *host, uint4 *device,
                   unsigned long long *sums)
{
    combgpu_perm_search_desc desc;
    combgpu_perm_search_result result;
    double hand_s = 1e9, hand_kernel_s = 0, general_s = 1e9, general_kernel_s = 0, from, s,
           kernel_s;
    uint64_t count = 0;
    int round, rows, best = 0;
    memset(&desc, 0, sizeof desc);
    desc.n = n;
    desc.searcher = &queens;
    for (round = 0; round < 5; round++) {
        for (rows = n < 13 ? 3 : 4; rows < 8; rows++) {
            if (ways(n, rows) > MOST || rows > n) break;
            from = seconds();
            count = by_hand(n, rows, host, device, sums, &kernel_s);
            s = seconds() - from;
            if (s < hand_s) hand_s = s, hand_kernel_s = kernel_s, best = rows;
        }
        from = seconds();
        if (combgpu_perm_search(ctx, &desc, &result) || result.hits != count) {
            fprintf(stderr, "by hand %llu, in the general form %llu: %s\n",
                    (unsigned long long)count, (unsigned long long)result.hits,
                    combgpu_message(ctx));
            return 1;
        }
        s = seconds() - from;
        if (s < general_s) general_s = s, general_kernel_s = result.run.device_seconds;
    }
    printf("%d queens: %llu in %.4g steps; by hand (%d rows) %.2f ms, in the general form %.2f ms, "
           "%.2f times as long; kernels %.2f and %.2f ms, %.2f times\n",
           n, (unsigned long long)count, (double)result.run.steps, best, 1e3 * hand_s,
           1e3 * general_s, general_s / hand_s, 1e3 * hand_kernel_s, 1e3 * general_kernel_s,
           general_kernel_s / hand_kernel_s);
    return 0;
}

int main(int argc, char **argv)
{
    combgpu_context_desc gpu;
    combgpu_context *ctx;
    uint4 *host = (uint4 *)malloc(MOST * sizeof *host), *device;
    unsigned long long *sums;
    int i, n, failed = 0;
    memset(&gpu, 0, sizeof gpu);
    gpu.backend = COMBGPU_BACKEND_CUDA;
    if (!host || combgpu_open(&ctx, &gpu) || cudaMalloc(&device, MOST * sizeof *device) ||
        cudaMalloc(&sums, 16))
        return 2;
    failed = compare(ctx, 10, host, device, sums);
    for (i = 1; i < argc && !failed; i++) {
        n = atoi(argv[i]);
        if (n < 8 || n > 31) return 2;
        failed = compare(ctx, n, host, device, sums);
    }
    combgpu_close(ctx);
    return failed;
}
