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

static void tell_device(const combgpu_device *device, const char *test, combgpu_status status)
{
    json_open(NULL, '{');
    tell_string("backend", "--backend %-6s", combgpu_backend_string(device->backend));
    tell_i64("index", " --device %lld", device->index);
    tell_string("name", "  %s\n", device->name);
    say("%28s", "");
    tell_string("capability", "%s", device->capability);
    json_bool("is_gpu", device->is_gpu);
    json_i64("compute_units", device->compute_units);
    if (device->backend != COMBGPU_BACKEND_CPU) say(", %d units", device->compute_units);
    json_u64("memory_bytes", device->memory_bytes);
    if (device->memory_bytes) say(", %.1f GiB", (double)device->memory_bytes / (1 << 30));
    say("\n");
    if (*test) json_string("self_test", status ? test : "ok");
    if (*test) say("%28sself-test: %s\n", "", test);
    json_close();
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
    json_string("version", combgpu_version());
    json_open("devices", '[');
    for (i = 0; i < count && i < 64; i++) {
        if (run.context.backend && devices[i].backend != run.context.backend) continue;
        if (given(OPTION_DEVICE) && devices[i].index != run.context.device) continue;
        if (tests) status = device_self_test(&devices[i], message, sizeof message);
        if (status < 0) worst = status;
        tell_device(&devices[i], message, status);
        fflush(stdout);
        shown++;
    }
    if (!shown) { /* opening it fails, and says why */
        combgpu_close(open_context(""));
        return EXIT_USAGE;
    }
    json_close();
    json_string("status", combgpu_status_string(worst));
    end = finish(NULL, NULL);
    return end ? end : worst < 0 ? EXIT_FAILED : EXIT_OK;
}

#endif
