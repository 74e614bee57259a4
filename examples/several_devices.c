/* Runs one search on all GPUs of the machine, each at its own speed, or else on the CPU. It computes one per
   cent of the work twice, on two devices, to find a faulty card.

       nvcc -O3 -x cu -DCOMBGPU_CUDA examples/several_devices.c -o several_devices
       cc -O3 -DCOMBGPU_OPENCL examples/several_devices.c -o several_devices -lOpenCL */
#define COMBGPU_IMPLEMENTATION
#define COMBGPU_STATIC 1
#define COMBGPU_ONLY_NO3 1
#include "../combgpu.h"

#include <stdio.h>
#include <string.h>

/* Lists the GPUs of one backend (CUDA and OpenCL may list the same card); returns their number. */
static int find_gpus(combgpu_device_id *ids)
{
    combgpu_device devices[64];
    int count = 0, found = 0, i;
    combgpu_devices(devices, 64, &count);
    for (i = 0; i < count && i < 64 && found < COMBGPU_MAX_DEVICES; i++) {
        if (!devices[i].is_gpu || (found && devices[i].backend != ids[0].backend)) continue;
        ids[found].backend = devices[i].backend;
        ids[found++].index = devices[i].index;
    }
    return found;
}

int main(void)
{
    combgpu_device_id ids[COMBGPU_MAX_DEVICES];
    combgpu_context_desc open;
    combgpu_context *ctx;
    combgpu_no3_desc desc;
    combgpu_no3_result result;
    combgpu_status status;
    int i;

    memset(&open, 0, sizeof open);
    open.device_count = find_gpus(ids);
    if (open.device_count) open.devices = ids; /* none: the CPU alone */

    memset(&desc, 0, sizeof desc);
    desc.n = 12;
    desc.run.verify = 1;
    desc.run.verify_share = 0.01;

    status = combgpu_open(&ctx, &open);
    if (status == COMBGPU_OK) status = combgpu_no3(ctx, &desc, &result);
    if (status < 0) {
        fprintf(stderr, "%s\n", combgpu_message(ctx));
    } else {
        printf("%llu solutions in %.3f s; %llu tasks verified, %llu wrong\n",
               (unsigned long long)result.all, result.run.seconds,
               (unsigned long long)result.run.verified, (unsigned long long)result.run.mismatches);
        for (i = 0; i < result.run.device_count; i++)
            printf("    %s: %llu steps in %.3f s%s\n", result.run.devices[i].name,
                   (unsigned long long)result.run.devices[i].steps, result.run.devices[i].seconds,
                   result.run.devices[i].lost ? "; lost" : "");
    }
    combgpu_close(ctx);
    return status < 0;
}
