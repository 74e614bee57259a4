/* Solves ten thousand tours exactly in one call: a van's stops on each day.

       cc -O3 examples/batch.c -o batch
       nvcc -O3 -x cu -DCOMBGPU_CUDA examples/batch.c -o batch */
#define COMBGPU_IMPLEMENTATION
#define COMBGPU_STATIC 1
#define COMBGPU_ONLY_TSP 1
#include "../combgpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DAYS = 10000, STOPS = 12 };

int main(void)
{
    static double x[DAYS * STOPS], y[DAYS * STOPS], lengths[DAYS];
    static uint8_t tours[DAYS * STOPS];
    combgpu_context *ctx;
    combgpu_tsp_batch_desc desc;
    combgpu_tsp_batch_result result;
    combgpu_status status;
    double sum = 0;
    int i;

    for (i = 0; i < DAYS * STOPS; i++) { /* stop i % STOPS of day i / STOPS, in kilometres */
        x[i] = rand() % 10000 / 100.0;
        y[i] = rand() % 10000 / 100.0;
    }
    memset(&desc, 0, sizeof desc);
    desc.count = DAYS;
    desc.n = STOPS;
    desc.x = x;
    desc.y = y;
    desc.metric = COMBGPU_TSP_PLANE;
    desc.lengths = lengths;
    desc.tours = tours;

    status = combgpu_open(&ctx, NULL);
    if (status == COMBGPU_OK) status = combgpu_tsp_batch(ctx, &desc, &result);
    if (status < 0) {
        fprintf(stderr, "%s\n", combgpu_message(ctx));
    } else {
        for (i = 0; i < DAYS; i++)
            sum += lengths[i];
        printf("%llu tours in %.3f s, %.1f km a day; the first one:",
               (unsigned long long)result.solved, result.run.seconds, sum / (double)DAYS);
        for (i = 0; i < STOPS; i++)
            printf(" %d", tours[i]);
        printf("\n");
    }
    combgpu_close(ctx);
    return status < 0;
}
