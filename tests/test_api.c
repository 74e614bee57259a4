/* What holds for every search: version, strings, opening, messages, allocator and logger hooks. */
#include "test.h"

static void version_and_strings(void)
{
    int i, known = 0;
    char text[32];
    snprintf(text, sizeof text, "%d.%d.%d", COMBGPU_VERSION_MAJOR, COMBGPU_VERSION_MINOR,
             COMBGPU_VERSION_PATCH);
    ok(!strcmp(combgpu_version(), text), "combgpu_version() is %s", text);
    ok(!strcmp(COMBGPU_VERSION_STRING, text), "and so is the macro");
    for (i = -40; i <= 40; i++) {
        const char *string = combgpu_status_string((combgpu_status)i);
        if (!string || !*string) break;
        known += strcmp(string, "unknown status") != 0;
    }
    ok(i == 41, "every status, known or not, has a string");
    equal_u64(known, 14, "14 statuses have one of their own");
    for (i = known = 0; i < 10; i++)
        known += strcmp(combgpu_backend_string((combgpu_backend)i), "unknown backend") != 0;
    equal_u64(known, 4, "4 backends have a name of their own");
    ok(!strcmp(combgpu_backend_string(COMBGPU_BACKEND_OPENCL), "opencl"), "\"opencl\"");
}

int main(void)
{
    version_and_strings();
    return tap_end();
}
