/* combgpu devices and combgpu self-test: lists the devices and tests them. */
#ifndef COMBGPU_EXAMPLES_DEVICES_H
#define COMBGPU_EXAMPLES_DEVICES_H

#include "combgpu_result.h"

/* Opens the device and tests it. `message` gets the reason for a failure. */
static combgpu_status device_self_test(const combgpu_device *device, char *message, size_t size)
{
    combgpu_context_desc desc = run.context;
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
    if (json_wanted()) {
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

/* combgpu devices, and combgpu self-test */
static int command_devices(void)
{
    combgpu_device devices[64];
    combgpu_status status = COMBGPU_OK, worst = COMBGPU_OK;
    int i, count = 0, shown = 0, end;
    const int tests = given(OPTION_SELF_TEST) || cmd.command == COMMAND_SELF_TEST;
    char message[512] = "";
    if (combgpu_devices(devices, 64, &count) < 0) return EXIT_FAILED;
    if (json_wanted()) {
        json_string("version", combgpu_version());
        json_open("devices", '[');
    }
    for (i = 0; i < count && i < 64; i++) {
        if (run.context.backend && devices[i].backend != run.context.backend) continue;
        if (given(OPTION_DEVICE) && devices[i].index != run.context.device) continue;
        if (tests) status = device_self_test(&devices[i], message, sizeof message);
        if (status < 0) worst = status;
        print_device(&devices[i], message, status);
        fflush(stdout);
        shown++;
    }
    if (!shown) { /* opening it fails, and says why it is not there */
        combgpu_close(open_context(""));
        return EXIT_USAGE;
    }
    if (json_wanted()) {
        json_close();
        json_string("status", combgpu_status_string(worst));
    }
    end = finish(NULL, NULL);
    return end ? end : worst < 0 ? EXIT_FAILED : EXIT_OK;
}

#endif
