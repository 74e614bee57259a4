/* The OpenCL backend: devices, contexts, errors. */

#define COMBGPU__CL_PLATFORMS 16
#define COMBGPU__CL_DEVICES 64

/* A kernel's program; a context keeps it until it is closed. */
typedef struct combgpu__cl_program {
    struct combgpu__cl_program *next;
    const combgpu__entry *entry;
    int packed; /* as of combgpu__cl_packing */
    cl_program program;
} combgpu__cl_program;

/* An open device, in ctx->handle. */
typedef struct combgpu__cl {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    size_t most_lanes;   /* of a work-group; tests lower these two */
    cl_ulong most_local; /* bytes of local memory that it may have */
    /* OpenCL C for kernels whose groups of lanes share a sub-group; NULL = none does */
    const char *pack;
    uint32_t
        subgroups; /* sum of the sizes, powers of 2, that a kernel may require; 0 = it may not */
    combgpu__cl_program *programs;
} combgpu__cl;

/* ---- errors */

COMBGPU__PRIVATE const char *combgpu__cl_error(cl_int error)
{
    static const char *const names[] = {"CL_SUCCESS",
                                        "CL_DEVICE_NOT_FOUND",
                                        "CL_DEVICE_NOT_AVAILABLE",
                                        "CL_COMPILER_NOT_AVAILABLE",
                                        "CL_MEM_OBJECT_ALLOCATION_FAILURE",
                                        "CL_OUT_OF_RESOURCES",
                                        "CL_OUT_OF_HOST_MEMORY",
                                        "CL_PROFILING_INFO_NOT_AVAILABLE",
                                        "CL_MEM_COPY_OVERLAP",
                                        "CL_IMAGE_FORMAT_MISMATCH",
                                        "CL_IMAGE_FORMAT_NOT_SUPPORTED",
                                        "CL_BUILD_PROGRAM_FAILURE",
                                        "CL_MAP_FAILURE",
                                        "CL_MISALIGNED_SUB_BUFFER_OFFSET",
                                        "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST",
                                        "CL_COMPILE_PROGRAM_FAILURE"};
    static const char *const invalid[] = {
        "CL_INVALID_VALUE",           "CL_INVALID_DEVICE_TYPE",
        "CL_INVALID_PLATFORM",        "CL_INVALID_DEVICE",
        "CL_INVALID_CONTEXT",         "CL_INVALID_QUEUE_PROPERTIES",
        "CL_INVALID_COMMAND_QUEUE",   "CL_INVALID_HOST_PTR",
        "CL_INVALID_MEM_OBJECT",      "CL_INVALID_IMAGE_FORMAT_DESCRIPTOR",
        "CL_INVALID_IMAGE_SIZE",      "CL_INVALID_SAMPLER",
        "CL_INVALID_BINARY",          "CL_INVALID_BUILD_OPTIONS",
        "CL_INVALID_PROGRAM",         "CL_INVALID_PROGRAM_EXECUTABLE",
        "CL_INVALID_KERNEL_NAME",     "CL_INVALID_KERNEL_DEFINITION",
        "CL_INVALID_KERNEL",          "CL_INVALID_ARG_INDEX",
        "CL_INVALID_ARG_VALUE",       "CL_INVALID_ARG_SIZE",
        "CL_INVALID_KERNEL_ARGS",     "CL_INVALID_WORK_DIMENSION",
        "CL_INVALID_WORK_GROUP_SIZE", "CL_INVALID_WORK_ITEM_SIZE",
        "CL_INVALID_GLOBAL_OFFSET",   "CL_INVALID_EVENT_WAIT_LIST",
        "CL_INVALID_EVENT",           "CL_INVALID_OPERATION",
        "CL_INVALID_GL_OBJECT",       "CL_INVALID_BUFFER_SIZE"};
    if (error <= 0 && error > -(int)(sizeof names / sizeof names[0])) return names[-error];
    if (error <= -30 && error > -30 - (int)(sizeof invalid / sizeof invalid[0]))
        return invalid[-30 - error];
    return "OpenCL error";
}

/* Fails with OpenCL's error in operation `what` on the kernel or object `name`. */
COMBGPU__PRIVATE combgpu_status combgpu__cl_fail(combgpu_context *ctx, cl_int error,
                                                 const char *what, const char *name)
{
    combgpu_status status = COMBGPU_DEVICE_ERROR;
    if (error == CL_OUT_OF_RESOURCES || error == CL_MEM_OBJECT_ALLOCATION_FAILURE)
        status = COMBGPU_DEVICE_OUT_OF_MEMORY;
    else if (error == CL_OUT_OF_HOST_MEMORY)
        status = COMBGPU_OUT_OF_MEMORY;
    return combgpu__fail(ctx, status, "%s %s: %s (%d)", what, name, combgpu__cl_error(error),
                         (int)error);
}

/* ---- devices */

/* Nonzero if the device can run the kernels. */
COMBGPU__PRIVATE int combgpu__cl_usable(cl_device_id device)
{
    cl_bool available = CL_FALSE, compiler = CL_FALSE;
    char version[256] = "";
    int major = 0, minor = 0;
    clGetDeviceInfo(device, CL_DEVICE_AVAILABLE, sizeof available, &available, NULL);
    clGetDeviceInfo(device, CL_DEVICE_COMPILER_AVAILABLE, sizeof compiler, &compiler, NULL);
    clGetDeviceInfo(device, CL_DEVICE_OPENCL_C_VERSION, sizeof version, version, NULL);
    version[sizeof version - 1] = 0;
    if (sscanf(version, "OpenCL C %d.%d", &major, &minor) != 2) return 0;
    return available && compiler && (major > 1 || minor >= 2);
}

/* Lists all usable devices in their documented order and returns their number. */
COMBGPU__PRIVATE int combgpu__cl_find_all(cl_device_id list[COMBGPU__CL_DEVICES])
{
    cl_platform_id platforms[COMBGPU__CL_PLATFORMS];
    cl_device_id devices[COMBGPU__CL_DEVICES];
    cl_uint platform_count = 0, device_count, i, j;
    int count = 0, others;
    /* the loader returns -1001 without platforms: no device, but no error */
    if (clGetPlatformIDs(COMBGPU__CL_PLATFORMS, platforms, &platform_count)) return 0;
    if (platform_count > COMBGPU__CL_PLATFORMS) platform_count = COMBGPU__CL_PLATFORMS;
    for (others = 0; others < 2; others++)
        for (i = 0; i < platform_count; i++) {
            device_count = 0;
            if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, COMBGPU__CL_DEVICES, devices,
                               &device_count))
                continue;
            if (device_count > COMBGPU__CL_DEVICES) device_count = COMBGPU__CL_DEVICES;
            for (j = 0; j < device_count && count < COMBGPU__CL_DEVICES; j++) {
                cl_device_type type = 0;
                clGetDeviceInfo(devices[j], CL_DEVICE_TYPE, sizeof type, &type, NULL);
                if (others == (type & CL_DEVICE_TYPE_GPU ? 0 : 1) && combgpu__cl_usable(devices[j]))
                    list[count++] = devices[j];
            }
        }
    return count;
}

/* OpenCL's functions are specified as thread-safe, but PoCL 3.1 sets up its devices in the first
   call that asks for them, and crashes if another thread asks meanwhile. All contexts of a process
   share the drivers, so the process has one lock. */
static combgpu__lock combgpu__cl_opening;

/* The same; protects threads that a driver starts meanwhile from interrupts. */
COMBGPU__PRIVATE int combgpu__cl_list(cl_device_id list[COMBGPU__CL_DEVICES])
{
    combgpu__mask before;
    int count;
    combgpu__mask_begin(&before);
    combgpu__lock_take(&combgpu__cl_opening);
    count = combgpu__cl_find_all(list);
    combgpu__lock_free(&combgpu__cl_opening);
    combgpu__mask_end(&before);
    return count;
}

COMBGPU__PRIVATE void combgpu__cl_describe(cl_device_id device, int index, combgpu_device *out)
{
    cl_device_type type = 0;
    cl_uint units = 0;
    cl_ulong bytes = 0;
    char text[512] = "";
    memset(out, 0, sizeof *out);
    clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof type, &type, NULL);
    clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL);
    clGetDeviceInfo(device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof bytes, &bytes, NULL);
    out->backend = COMBGPU_BACKEND_OPENCL;
    out->index = index;
    out->is_gpu = (type & CL_DEVICE_TYPE_GPU) != 0;
    out->compute_units = (int)units;
    out->memory_bytes = bytes;
    clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof text, text, NULL);
    snprintf(out->name, sizeof out->name, "%.127s", text);
    text[0] = 0;
    clGetDeviceInfo(device, CL_DEVICE_VERSION, sizeof text, text, NULL);
    snprintf(out->capability, sizeof out->capability, "%.63s", text);
}

COMBGPU__PRIVATE int combgpu__cl_devices(combgpu_device *devices, int capacity)
{
    cl_device_id list[COMBGPU__CL_DEVICES];
    int count = combgpu__cl_list(list), i;
    for (i = 0; i < count && i < capacity; i++)
        combgpu__cl_describe(list[i], i, &devices[i]);
    return count;
}

/* ---- context */

/* Nonzero on NVIDIA's own platform, which accepts PTX; other platforms for NVIDIA GPUs may not. */
COMBGPU__PRIVATE int combgpu__cl_has_shuffle(cl_device_id device)
{
    cl_platform_id platform = NULL;
    char vendor[128] = "";
    if (clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL)) return 0;
    if (clGetPlatformInfo(platform, CL_PLATFORM_VENDOR, sizeof vendor, vendor, NULL)) return 0;
    return strncmp(vendor, "NVIDIA", 6) == 0;
}

/* Returns text about the device; "" if the driver has none. To be released; NULL = no memory. */
COMBGPU__PRIVATE char *combgpu__cl_device_text(combgpu_context *ctx, cl_device_info what)
{
    cl_device_id device = ((combgpu__cl *)ctx->handle)->device;
    size_t bytes = 0;
    char *text;
    clGetDeviceInfo(device, what, 0, NULL, &bytes);
    text = (char *)combgpu__allocate_zeroed(ctx, bytes + 1);
    if (text) clGetDeviceInfo(device, what, bytes, text, NULL);
    return text;
}

/* Sets cl->pack and cl->subgroups. */
COMBGPU__PRIVATE void combgpu__cl_pack(combgpu_context *ctx)
{
    combgpu__cl *cl = (combgpu__cl *)ctx->handle;
    char *extensions = combgpu__cl_device_text(ctx, CL_DEVICE_EXTENSIONS);
    char *vendor = combgpu__cl_device_text(ctx, CL_DEVICE_VENDOR);
    size_t sizes[16], bytes = 0, i;
    cl_uint width = 0;
    if (extensions && vendor) {
        const int intel = strstr(extensions, "cl_intel_subgroups") != NULL;
        /* AMD's own driver takes instructions; Mesa's for the same GPUs has the extension */
        const int amd =
            strstr(vendor, "Advanced Micro Devices") && strstr(extensions, "cl_amd_") != NULL;
        /* what is no extension is a feature of OpenCL C 3.0 */
        if (amd || intel || strstr(extensions, "cl_khr_subgroup_shuffle"))
            cl->pack = amd || intel || strstr(extensions, "cl_khr_subgroups") ? "1.2" : "3.0";
        if (amd && !clGetDeviceInfo(cl->device, 0x4043 /* CL_DEVICE_WAVEFRONT_WIDTH_AMD */,
                                    sizeof width, &width, NULL))
            cl->subgroups = width;
        if (strstr(extensions, "cl_intel_required_subgroup_size") &&
            !clGetDeviceInfo(cl->device, 0x4108 /* CL_DEVICE_SUB_GROUP_SIZES_INTEL */, sizeof sizes,
                             sizes, &bytes))
            for (i = 0; i < bytes / sizeof sizes[0]; i++)
                cl->subgroups |= (uint32_t)sizes[i];
    }
    combgpu__release(ctx, extensions);
    combgpu__release(ctx, vendor);
}

/* Nonzero if kernels compute with doubles, denormalised ones too. */
COMBGPU__PRIVATE int combgpu__cl_has_doubles(cl_device_id device)
{
    cl_device_fp_config needed = CL_FP_ROUND_TO_NEAREST | CL_FP_DENORM, config = 0;
    if (clGetDeviceInfo(device, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof config, &config, NULL)) return 0;
    return (config & needed) == needed;
}

COMBGPU__PRIVATE void combgpu__cl_close(combgpu_context *ctx)
{
    combgpu__cl *cl = (combgpu__cl *)ctx->handle;
    while (cl->programs) {
        combgpu__cl_program *program = cl->programs;
        cl->programs = program->next;
        clReleaseProgram(program->program);
        combgpu__release(ctx, program);
    }
    if (cl->queue) clReleaseCommandQueue(cl->queue);
    if (cl->context) clReleaseContext(cl->context);
    combgpu__release(ctx, cl);
    ctx->handle = NULL;
}

COMBGPU__PRIVATE combgpu_status combgpu__cl_open(combgpu_context *ctx)
{
    cl_device_id list[COMBGPU__CL_DEVICES];
    int count = combgpu__cl_list(list);
    combgpu__cl *cl;
    combgpu__mask before;
    cl_int error;
    if (ctx->desc.device >= count)
        return combgpu__fail(ctx, COMBGPU_NO_DEVICE,
                             "no opencl device in this machine: no platform has one that is "
                             "available, has a compiler and offers OpenCL C 1.2");
    cl = (combgpu__cl *)combgpu__allocate_zeroed(ctx, sizeof *cl);
    if (!cl) return combgpu__no_memory(ctx, sizeof *cl);
    ctx->handle = cl;
    cl->device = list[ctx->desc.device];
    if (ctx->desc.opencl_queue) { /* the caller's device and context */
        cl_command_queue queue = (cl_command_queue)ctx->desc.opencl_queue;
        cl_context context = NULL;
        error = clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof cl->device, &cl->device, NULL);
        if (!error)
            error = clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL);
        if (!error) error = clRetainContext(context);
        if (!error) cl->context = context;
        for (ctx->desc.device = 0; ctx->desc.device < count; ctx->desc.device++)
            if (list[ctx->desc.device] == cl->device) break;
        if (error || ctx->desc.device == count) {
            combgpu__cl_close(ctx);
            return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "desc.opencl_queue is %s",
                                 error ? "not a command queue"
                                       : "of a device that combgpu_devices does not list");
        }
    }
    ctx->shuffles = combgpu__cl_has_shuffle(cl->device);
    ctx->doubles = combgpu__cl_has_doubles(cl->device);
    combgpu__cl_describe(cl->device, ctx->desc.device, &ctx->device);
    /* a CPU runs the lanes one after the other, in sub-groups or not */
    if (ctx->device.is_gpu && !ctx->shuffles) combgpu__cl_pack(ctx);
    /* OpenCL does not tell how much is free: leave a quarter to others */
    ctx->free_bytes = ctx->device.memory_bytes / 4 * 3;
    clGetDeviceInfo(cl->device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof cl->most_lanes,
                    &cl->most_lanes, NULL);
    clGetDeviceInfo(cl->device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof cl->most_local, &cl->most_local,
                    NULL);
    /* a driver may report no units, which would mean no workers */
    error = ctx->device.compute_units < 1 || !ctx->free_bytes || !cl->most_lanes ? CL_INVALID_DEVICE
                                                                                 : CL_SUCCESS;
    combgpu__mask_begin(&before);
    combgpu__lock_take(&combgpu__cl_opening);
    if (!error && !cl->context)
        cl->context = clCreateContext(NULL, 1, &cl->device, NULL, NULL, &error);
    if (!error)
        cl->queue =
            clCreateCommandQueue(cl->context, cl->device, CL_QUEUE_PROFILING_ENABLE, &error);
    combgpu__lock_free(&combgpu__cl_opening);
    combgpu__mask_end(&before);
    if (error) {
        combgpu__cl_close(ctx);
        return combgpu__cl_fail(ctx, error, "cannot open", ctx->device.name);
    }
    return COMBGPU_OK;
}
