/* A first call: counts the ways to place 20 points on a 10 x 10 grid, no three in line.

       cc -O3 examples/first_call.c -o first_call
       nvcc -O3 -x cu -DCOMBGPU_CUDA examples/first_call.c -o first_call
       cc -O3 -DCOMBGPU_OPENCL examples/first_call.c -o first_call -lOpenCL */
#define COMBGPU_IMPLEMENTATION
#define COMBGPU_STATIC                                                                             \
    1 /* no other file calls it: the compiler drops what this one does not call */
#define COMBGPU_ONLY_NO3 1 /* leaves the other searches out: compiled sooner */
#include "../combgpu.h"

#include <stdio.h>
#include <string.h>

int main(void)
{
    combgpu_context *ctx;
    combgpu_no3_desc desc;
    combgpu_no3_result result;
    combgpu_status status;

    memset(&desc, 0, sizeof desc); /* zeros mean defaults */
    desc.n = 10;

    status = combgpu_open(&ctx, NULL); /* the best device of this build and machine */
    if (status == COMBGPU_OK) status = combgpu_no3(ctx, &desc, &result);
    if (status == COMBGPU_OK)
        printf("%llu solutions, %llu up to symmetry, in %.3f s on %s\n",
               (unsigned long long)result.all, (unsigned long long)result.up_to_symmetry,
               result.run.seconds, result.run.device);
    else
        fprintf(stderr, "%s\n", combgpu_message(ctx)); /* names the argument and its range */
    combgpu_close(ctx);
    return status != COMBGPU_OK;
}
