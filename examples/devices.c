/* Lists the devices that this build can use, and tests them.

       cc -O3 -fopenmp examples/devices.c -o devices
       nvcc -O3 -x cu -DCOMBGPU_CUDA examples/devices.c -o devices
       cc -O3 -DCOMBGPU_OPENCL examples/devices.c -o devices -lOpenCL

       ./devices                 what there is
       ./devices --self-test     does each compute what it should? */
#define COMBGPU_IMPLEMENTATION
#include "../combgpu.h"

#include "common.h"

static const char help[] =
    "devices - lists the devices that --backend and --device can choose\n\n"
    "Options:\n"
    "  --self-test         run a known answer through every kernel on each device\n"
    "  --backend NAME      list this backend only; with --device: this device only\n";

/* Opens the device and tests it; message gets why it failed. */
static combgpu_status self_test(const combgpu_device *device, char *message, size_t size)
{
    combgpu_context_desc desc = common.context;
    combgpu_context *ctx;
    combgpu_status status;
    desc.backend = device->backend;
    desc.device = device->index;
    status = combgpu_open(&ctx, &desc);
    if (!status) status = combgpu_self_test(ctx);
    snprintf(message, size, "%s", status ? combgpu_message(ctx) : "ok");
    combgpu_close(ctx);
    return status;
}

static void print_device(const combgpu_device *device, const char *test, combgpu_status status)
{
    if (common.json) {
        json_open(NULL, '{');
        json_string("backend", combgpu_backend_string(device->backend));
        json_i64("index", device->index);
        json_string("name", device->name);
        json_string("capability", device->capability);
        json_bool("is_gpu", device->is_gpu);
        json_i64("compute_units", device->compute_units);
        json_u64("memory_bytes", device->memory_bytes);
        if (*test) json_string("self_test", status ? test : "ok");
        json_close();
        return;
    }
    printf("--backend %-6s --device %d  %s\n", combgpu_backend_string(device->backend),
           device->index, device->name);
    printf("%28s%s", "", device->capability);
    if (device->backend != COMBGPU_BACKEND_CPU) printf(", %d units", device->compute_units);
    if (device->memory_bytes) printf(", %.1f GiB", (double)device->memory_bytes / (1 << 30));
    printf("\n");
    if (*test) printf("%28sself-test: %s\n", "", test);
}

int main(int argc, char **argv)
{
    combgpu_device devices[64];
    combgpu_status status = COMBGPU_OK, worst = COMBGPU_OK;
    int i, count = 0, shown = 0, tests = 0, end;
    char message[512] = "";

    common_start(argc, argv, help);
    common.many_runs = 1;
    while (common_next())
        if (common_is("--self-test"))
            tests = 1;
        else
            common_unknown();

    if (combgpu_devices(devices, 64, &count) < 0) return COMMON_EXIT_FAILED;
    if (common.json) {
        json_string("version", combgpu_version());
        json_open("devices", '[');
    }
    for (i = 0; i < count && i < 64; i++) {
        if (common.context.backend && devices[i].backend != common.context.backend) continue;
        if (common.device_given && devices[i].index != common.context.device) continue;
        if (tests) status = self_test(&devices[i], message, sizeof message);
        if (status < 0) worst = status;
        print_device(&devices[i], message, status);
        fflush(stdout);
        shown++;
    }
    if (!shown) { /* opening it fails, and says why it is not there */
        combgpu_close(common_open(""));
        return COMMON_EXIT_USAGE;
    }
    if (common.json) {
        json_close();
        json_string("status", combgpu_status_string(worst));
    }
    end = common_end(NULL, NULL);
    return end ? end : worst < 0 ? COMMON_EXIT_FAILED : COMMON_EXIT_OK;
}
