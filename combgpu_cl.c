/* combgpu_cl.c - the OpenCL 1.2 backend of combgpu. Included by combgpu.h (SECTION 12) when
   COMBGPU_OPENCL is defined; link with -lOpenCL. It carries the kernels' text, so that a program
   needs no file beside it. The environment variable COMBGPU_KERNELS_FILE, a path, replaces that
   text while developing.

   Devices are those of all platforms that are available, have a compiler and offer OpenCL C 1.2 or
   later: first all GPUs, then all others, each in the order of the platforms and of their devices.
   At most COMBGPU__CL_DEVICES are seen.

   Lanes share a task through shuffles on NVIDIA's platform; elsewhere through local memory in
   work-groups of one worker (combgpu_kernels.cl, GROUP OPERATIONS). */

#ifndef COMBGPU__IMPLEMENTED
#    error "combgpu_cl.c is included by combgpu.h: define COMBGPU_OPENCL and include that"
#endif

#ifndef CL_TARGET_OPENCL_VERSION
#    define CL_TARGET_OPENCL_VERSION 120
#endif
#ifndef CL_USE_DEPRECATED_OPENCL_1_2_APIS
#    define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#endif
#ifdef __APPLE__
#    include <OpenCL/opencl.h>
#else
#    include <CL/cl.h>
#endif

#define COMBGPU__CL_PLATFORMS 16
#define COMBGPU__CL_DEVICES 64

/* A part of the kernel text that has been built; a context keeps each until it is closed. */
typedef struct combgpu__cl_program {
    struct combgpu__cl_program *next;
    char part[32];
    cl_program program;
} combgpu__cl_program;

/* An open device: ctx->handle. */
typedef struct combgpu__cl {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    combgpu__cl_program *programs;
    int shuffle; /* lanes of a warp exchange registers: NVIDIA */
} combgpu__cl;

/* What prepare returns. */
typedef struct combgpu__cl_kernel {
    cl_kernel kernel;
    size_t block; /* work-group size */
} combgpu__cl_kernel;

/* The lines of combgpu_kernels.cl, at the end of this file. */
COMBGPU__PRIVATE const char *const *combgpu__cl_text(size_t *lines);

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

/* Fails because OpenCL did; `what` was being done, with the kernel or object `name`. */
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

/* Can this device run the kernels? */
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

/* All usable devices in their documented order; returns how many. */
COMBGPU__PRIVATE int combgpu__cl_list(cl_device_id list[COMBGPU__CL_DEVICES])
{
    cl_platform_id platforms[COMBGPU__CL_PLATFORMS];
    cl_device_id devices[COMBGPU__CL_DEVICES];
    cl_uint platform_count = 0, device_count, i, j;
    int count = 0, others;
    /* the loader answers -1001 where there is no platform: no device, and no error */
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

/* NVIDIA's own platform takes PTX. Others that drive an NVIDIA GPU may not. */
COMBGPU__PRIVATE int combgpu__cl_has_shuffle(cl_device_id device)
{
    cl_platform_id platform = NULL;
    char vendor[128] = "";
    if (clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL)) return 0;
    if (clGetPlatformInfo(platform, CL_PLATFORM_VENDOR, sizeof vendor, vendor, NULL)) return 0;
    return strncmp(vendor, "NVIDIA", 6) == 0;
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
    cl_int error;
    if (ctx->desc.device >= count)
        return combgpu__fail(ctx, COMBGPU_NO_DEVICE,
                             "no opencl device in this machine: no platform has one that is "
                             "available, has a compiler and offers OpenCL C 1.2");
    cl = (combgpu__cl *)combgpu__allocate_zeroed(ctx, sizeof *cl);
    if (!cl) return combgpu__no_memory(ctx, sizeof *cl);
    ctx->handle = cl;
    cl->device = list[ctx->desc.device];
    cl->shuffle = combgpu__cl_has_shuffle(cl->device);
    combgpu__cl_describe(cl->device, ctx->desc.device, &ctx->device);
    /* nothing tells how much is free: leave a quarter to others */
    ctx->free_bytes = ctx->device.memory_bytes / 4 * 3;
    cl->context = clCreateContext(NULL, 1, &cl->device, NULL, NULL, &error);
    if (!error)
        cl->queue =
            clCreateCommandQueue(cl->context, cl->device, CL_QUEUE_PROFILING_ENABLE, &error);
    if (error) {
        combgpu__cl_close(ctx);
        return combgpu__cl_fail(ctx, error, "cannot open", ctx->device.name);
    }
    return COMBGPU_OK;
}

/* ---- programs and kernels */

/* Reports a failed build: the log's lines to the logger, its beginning in the message. */
COMBGPU__PRIVATE combgpu_status combgpu__cl_build_failed(combgpu_context *ctx, cl_program program,
                                                         cl_int error, const char *part)
{
    combgpu__cl *cl = (combgpu__cl *)ctx->handle;
    size_t bytes = 0, i;
    char *text, *line, shown[401];
    clGetProgramBuildInfo(program, cl->device, CL_PROGRAM_BUILD_LOG, 0, NULL, &bytes);
    text = (char *)combgpu__allocate_zeroed(ctx, bytes + 1);
    if (!text) return combgpu__no_memory(ctx, bytes + 1);
    clGetProgramBuildInfo(program, cl->device, CL_PROGRAM_BUILD_LOG, bytes, text, NULL);
    snprintf(shown, sizeof shown, "%.400s", text);
    for (i = 0; shown[i]; i++)
        if ((unsigned char)shown[i] < ' ') shown[i] = ' ';
    while (i && shown[i - 1] == ' ')
        shown[--i] = 0;
    for (line = text; *line;) {
        size_t length = strcspn(line, "\n");
        combgpu__log(ctx, COMBGPU_LOG_ERROR, "%.*s", (int)length, line);
        line += length + (line[length] != 0);
    }
    combgpu__release(ctx, text);
    return combgpu__fail(ctx, COMBGPU_DEVICE_ERROR, "cannot build the %s kernels: %s (%d): %s",
                         part, combgpu__cl_error(error), (int)error, shown);
}

/* The text that COMBGPU_KERNELS_FILE names, allocated, or NULL: then the embedded one is used. */
COMBGPU__PRIVATE char *combgpu__cl_text_file(combgpu_context *ctx)
{
    char *text = NULL;
#ifndef COMBGPU_NO_STDIO
    const char *path = getenv("COMBGPU_KERNELS_FILE");
    FILE *file = path ? fopen(path, "rb") : NULL;
    long bytes;
    if (path && !file) combgpu__log(ctx, COMBGPU_LOG_WARNING, "cannot open %s", path);
    if (!file) return NULL;
    if (!fseek(file, 0, SEEK_END) && (bytes = ftell(file)) >= 0 && !fseek(file, 0, SEEK_SET)) {
        text = (char *)combgpu__allocate_zeroed(ctx, (size_t)bytes + 1);
        if (text && fread(text, 1, (size_t)bytes, file) != (size_t)bytes) text[0] = 0;
    }
    fclose(file);
#else
    (void)ctx;
#endif
    return text;
}

/* Builds a part of the kernel text, with `source` before it if it is not NULL. */
COMBGPU__PRIVATE combgpu_status combgpu__cl_build(combgpu_context *ctx, const char *part,
                                                  const char *source, cl_program *program)
{
    combgpu__cl *cl = (combgpu__cl *)ctx->handle;
    size_t lines, count = 0, i;
    const char *const *text = combgpu__cl_text(&lines);
    const char **strings = (const char **)combgpu__allocate(ctx, (lines + 4) * sizeof *strings);
    char *file = combgpu__cl_text_file(ctx);
    char options[128];
    cl_int error = CL_OUT_OF_HOST_MEMORY;
    combgpu_status status = COMBGPU_OK;
    *program = NULL;
    if (strings) {
        if (source) {
            strings[count++] = "#line 1 \"source\"\n";
            strings[count++] = source;
            strings[count++] = "\n#line 1 \"combgpu_kernels.cl\"\n";
        }
        if (file)
            strings[count++] = file;
        else
            for (i = 0; i < lines; i++)
                strings[count++] = text[i];
        *program = clCreateProgramWithSource(cl->context, (cl_uint)count, strings, NULL, &error);
    }
    if (error)
        status = combgpu__cl_fail(ctx, error, "cannot load the kernels", part);
    else {
        snprintf(options, sizeof options, "-cl-std=CL1.2 -DCOMBGPU_KERNELS_%.32s%s", part,
                 cl->shuffle ? " -DCOMBGPU_SHUFFLE" : "");
        error = clBuildProgram(*program, 1, &cl->device, options, NULL, NULL);
        if (error) {
            status = combgpu__cl_build_failed(ctx, *program, error, part);
            clReleaseProgram(*program);
            *program = NULL;
        }
    }
    combgpu__release(ctx, strings);
    combgpu__release(ctx, file);
    return status;
}

/* The program with a kernel in it; the caller releases it. A caller's source is built each time. */
COMBGPU__PRIVATE combgpu_status combgpu__cl_find(combgpu_context *ctx,
                                                 const combgpu__kernel *kernel, cl_program *program)
{
    combgpu__cl *cl = (combgpu__cl *)ctx->handle;
    combgpu__cl_program *kept = cl->programs;
    combgpu_status status;
    if (kernel->opencl_source)
        return combgpu__cl_build(ctx, kernel->part, kernel->opencl_source, program);
    while (kept && strcmp(kept->part, kernel->part))
        kept = kept->next;
    if (!kept) {
        kept = (combgpu__cl_program *)combgpu__allocate_zeroed(ctx, sizeof *kept);
        if (!kept) return combgpu__no_memory(ctx, sizeof *kept);
        status = combgpu__cl_build(ctx, kernel->part, NULL, &kept->program);
        if (status) {
            combgpu__release(ctx, kept);
            return status;
        }
        snprintf(kept->part, sizeof kept->part, "%s", kernel->part);
        kept->next = cl->programs;
        cl->programs = kept;
    }
    *program = kept->program;
    clRetainProgram(*program);
    return COMBGPU_OK;
}

/* Chooses the work-group size and how many workers fill the device. */
COMBGPU__PRIVATE combgpu_status combgpu__cl_shape(combgpu_context *ctx,
                                                  const combgpu__kernel *kernel,
                                                  combgpu__cl_kernel *prepared, uint32_t *workers)
{
    combgpu__cl *cl = (combgpu__cl *)ctx->handle;
    size_t lanes = (size_t)kernel->lanes_per_worker, block = (size_t)kernel->lanes_per_block;
    size_t least, limit = 0, device_limit = 0, blocks = 4;
    cl_ulong local = 0, device_local = 0;
    cl_int error;
    error = clGetKernelWorkGroupInfo(prepared->kernel, cl->device, CL_KERNEL_WORK_GROUP_SIZE,
                                     sizeof limit, &limit, NULL);
    if (!error)
        error = clGetKernelWorkGroupInfo(prepared->kernel, cl->device, CL_KERNEL_LOCAL_MEM_SIZE,
                                         sizeof local, &local, NULL);
    if (!error)
        error = clGetDeviceInfo(cl->device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof device_local,
                                &device_local, NULL);
    if (!error)
        error = clGetDeviceInfo(cl->device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof device_limit,
                                &device_limit, NULL);
    if (error) return combgpu__cl_fail(ctx, error, "cannot ask about kernel", kernel->name);
    /* without shuffles a group of lanes is a block, so that barriers can hold it together */
    if (!cl->shuffle && lanes > 1) block = lanes;
    least = cl->shuffle && lanes > 1 && lanes < 32 ? 32 : lanes;
    while (block > limit && block / 2 >= least)
        block /= 2;
    if (block > limit)
        return combgpu__fail(ctx, COMBGPU_UNSUPPORTED,
                             "kernel %s needs a work-group of %u, and the device allows %u",
                             kernel->name, (unsigned)block, (unsigned)limit);
    if (ctx->device.is_gpu) {
        /* 2048 lanes fill a unit, fewer where registers are short: the kernel's limit shows it */
        blocks = (limit < device_limit ? limit : 2048) / block;
        if (local && blocks > 2 * device_local / local) blocks = (size_t)(2 * device_local / local);
        if (blocks > 32) blocks = 32;
        if (blocks < 1) blocks = 1;
    }
    prepared->block = block;
    *workers = (uint32_t)((size_t)ctx->device.compute_units * blocks * (block / lanes));
    return COMBGPU_OK;
}

COMBGPU__PRIVATE void combgpu__cl_forget(combgpu_context *ctx, void *program)
{
    combgpu__cl_kernel *prepared = (combgpu__cl_kernel *)program;
    if (prepared->kernel) clReleaseKernel(prepared->kernel);
    combgpu__release(ctx, prepared);
}

COMBGPU__PRIVATE combgpu_status combgpu__cl_prepare(combgpu_context *ctx,
                                                    const combgpu__kernel *kernel, void **out,
                                                    uint32_t *workers)
{
    combgpu__cl_kernel *prepared;
    cl_program program;
    cl_int error;
    combgpu_status status;
    *out = NULL;
    prepared = (combgpu__cl_kernel *)combgpu__allocate_zeroed(ctx, sizeof *prepared);
    if (!prepared) return combgpu__no_memory(ctx, sizeof *prepared);
    status = combgpu__cl_find(ctx, kernel, &program);
    if (!status) {
        prepared->kernel = clCreateKernel(program, kernel->name, &error);
        clReleaseProgram(program); /* the kernel holds it */
        if (error) {
            prepared->kernel = NULL;
            status = combgpu__cl_fail(ctx, error, "no kernel", kernel->name);
        } else
            status = combgpu__cl_shape(ctx, kernel, prepared, workers);
    }
    if (status)
        combgpu__cl_forget(ctx, prepared);
    else
        *out = prepared;
    return status;
}

/* ---- memory */

COMBGPU__PRIVATE combgpu_status combgpu__cl_allocate(combgpu_context *ctx, size_t bytes,
                                                     combgpu__memory *memory)
{
    combgpu__cl *cl = (combgpu__cl *)ctx->handle;
    cl_ulong most = 0;
    cl_mem buffer;
    cl_int error;
    char what[64];
    memory->handle = NULL;
    memory->bytes = bytes;
    clGetDeviceInfo(cl->device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof most, &most, NULL);
    if (bytes > most)
        return combgpu__fail(ctx, COMBGPU_DEVICE_OUT_OF_MEMORY,
                             "a buffer of %llu bytes is too large: the device allows %llu "
                             "(CL_DEVICE_MAX_MEM_ALLOC_SIZE)",
                             (unsigned long long)bytes, (unsigned long long)most);
    buffer = clCreateBuffer(cl->context, CL_MEM_READ_WRITE, bytes ? bytes : 4, NULL, &error);
    if (!error) {
        /* drivers take the memory when it is first used: use it now, where failing is simple */
        error = clEnqueueMigrateMemObjects(cl->queue, 1, &buffer,
                                           CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED, 0, NULL, NULL);
        if (!error) error = clFinish(cl->queue);
        if (error) clReleaseMemObject(buffer);
    }
    if (error) {
        snprintf(what, sizeof what, "%llu bytes", (unsigned long long)bytes);
        return combgpu__cl_fail(ctx, error, "cannot allocate", what);
    }
    memory->handle = buffer;
    return COMBGPU_OK;
}

COMBGPU__PRIVATE void combgpu__cl_release(combgpu_context *ctx, combgpu__memory *memory)
{
    (void)ctx;
    if (memory->handle) clReleaseMemObject((cl_mem)memory->handle);
    memory->handle = NULL;
}

COMBGPU__PRIVATE combgpu_status combgpu__cl_upload(combgpu_context *ctx, combgpu__memory *to,
                                                   size_t offset, const void *from, size_t bytes)
{
    combgpu__cl *cl = (combgpu__cl *)ctx->handle;
    cl_int error = CL_SUCCESS;
    if (bytes)
        error = clEnqueueWriteBuffer(cl->queue, (cl_mem)to->handle, CL_TRUE, offset, bytes, from, 0,
                                     NULL, NULL);
    return error ? combgpu__cl_fail(ctx, error, "cannot write to", "a buffer") : COMBGPU_OK;
}

COMBGPU__PRIVATE combgpu_status combgpu__cl_download(combgpu_context *ctx, void *to,
                                                     const combgpu__memory *from, size_t offset,
                                                     size_t bytes)
{
    combgpu__cl *cl = (combgpu__cl *)ctx->handle;
    cl_int error = CL_SUCCESS;
    if (bytes)
        error = clEnqueueReadBuffer(cl->queue, (cl_mem)from->handle, CL_TRUE, offset, bytes, to, 0,
                                    NULL, NULL);
    return error ? combgpu__cl_fail(ctx, error, "cannot read from", "a buffer") : COMBGPU_OK;
}

COMBGPU__PRIVATE combgpu_status combgpu__cl_copy(combgpu_context *ctx, combgpu__memory *to,
                                                 size_t to_offset, const combgpu__memory *from,
                                                 size_t from_offset, size_t bytes)
{
    combgpu__cl *cl = (combgpu__cl *)ctx->handle;
    cl_int error = CL_SUCCESS;
    if (bytes)
        error = clEnqueueCopyBuffer(cl->queue, (cl_mem)from->handle, (cl_mem)to->handle,
                                    from_offset, to_offset, bytes, 0, NULL, NULL);
    return error ? combgpu__cl_fail(ctx, error, "cannot copy", "a buffer") : COMBGPU_OK;
}

/* ---- launch */

COMBGPU__PRIVATE combgpu_status combgpu__cl_launch(combgpu_context *ctx,
                                                   const combgpu__launch *launch, double *seconds)
{
    combgpu__cl *cl = (combgpu__cl *)ctx->handle;
    const combgpu__cl_kernel *prepared = (const combgpu__cl_kernel *)launch->program;
    combgpu__memory *const memory[6] = {launch->control, launch->tables,  launch->tasks,
                                        launch->left,    launch->records, launch->work};
    size_t lanes = (size_t)launch->workers * (size_t)launch->kernel->lanes_per_worker;
    size_t global = (lanes + prepared->block - 1) / prepared->block * prepared->block;
    double start = combgpu__now();
    cl_ulong began = 0, ended = 0;
    cl_event event;
    cl_uint i;
    cl_int error = CL_SUCCESS;
    for (i = 0; i < 6 && !error; i++) {
        cl_mem buffer = (cl_mem)memory[i]->handle;
        error = clSetKernelArg(prepared->kernel, i, sizeof buffer, &buffer);
    }
    if (!error)
        error = clEnqueueNDRangeKernel(cl->queue, prepared->kernel, 1, NULL, &global,
                                       &prepared->block, 0, NULL, &event);
    if (error) return combgpu__cl_fail(ctx, error, "cannot launch kernel", launch->kernel->name);
    error = clWaitForEvents(1, &event);
    *seconds = combgpu__now() - start;
    if (!error &&
        !clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof began, &began, NULL) &&
        !clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof ended, &ended, NULL) &&
        ended > began)
        *seconds = 1e-9 * (double)(ended - began);
    clReleaseEvent(event);
    /* drivers report a crash or a watchdog's kill as CL_OUT_OF_RESOURCES: never go on from there */
    if (error)
        return combgpu__fail(ctx, COMBGPU_DEVICE_ERROR,
                             "kernel %s failed or was killed: %s (%d); close the context, and if "
                             "a watchdog killed it, lower slice_ms",
                             launch->kernel->name, combgpu__cl_error(error), (int)error);
    return COMBGPU_OK;
}

static const combgpu__backend combgpu__opencl = {COMBGPU_BACKEND_OPENCL, "opencl",
                                                 combgpu__cl_devices,    combgpu__cl_open,
                                                 combgpu__cl_close,      combgpu__cl_prepare,
                                                 combgpu__cl_forget,     combgpu__cl_allocate,
                                                 combgpu__cl_release,    combgpu__cl_upload,
                                                 combgpu__cl_download,   combgpu__cl_copy,
                                                 combgpu__cl_launch};

/* ---- the kernel text */

/* combgpu_kernels.cl, put here by tests/embed_kernels.sh: run it after every change to that file,
   and to solve a merge conflict in this block. */
/* BEGIN OF THE GENERATED BLOCK */
/* clang-format off */
static const char *const combgpu__kernel_text[] = {
    "/* combgpu_kernels.cl - the device kernels of combgpu, one source for OpenCL C 1.2 and CUDA C++11.\n",
    "\n",
    "   Each kernel is a worker's slice of a search (combgpu.h, SECTION 11): take tasks, count, emit\n",
    "   records, give back what is left. The C solvers in combgpu.h do the same on the CPU and were written\n",
    "   separately, so that each checks the other.\n",
    "\n",
    "   THE DIALECT (upper case, defined here, undefined at the end in CUDA builds)\n",
    "     types       u8 u16 u32 u64 i32 i64\n",
    "     qualifiers  KERNEL, DEVICE (function), GLOBAL, LOCAL, LOCAL_ARRAY (declaration in a kernel)\n",
    "     ids         LANE_ID (in the block), BLOCK_ID, BLOCK_LANES, BLOCK_COUNT, BLOCK_BARRIER()\n",
    "     bits        POPCOUNT(x) of u32, CLZ(x) of u32 (32 at 0), CTZ(x) of u32 (x != 0)\n",
    "     atomics     ATOMIC_ADD, ATOMIC_OR, ATOMIC_MIN on GLOBAL u32 *, LOCAL_ATOMIC_ADD on LOCAL u32 *\n",
    "     slices      SLICE_ARGUMENTS, combgpu_spent, _take, _give, _emit, _add_total\n",
    "     groups      4, 8 or 32 lanes that share a task: see GROUP OPERATIONS below\n",
    "\n",
    "   After a change to this file run tests/embed_kernels.sh: combgpu_cl.c carries a copy. */\n",
    "\n",
    "#ifndef COMBGPU_KERNELS_CL\n",
    "#define COMBGPU_KERNELS_CL\n",
    "\n",
    "#ifndef __CUDACC__\n",
    "#pragma OPENCL FP_CONTRACT OFF\n",
    "#define u8 uchar\n",
    "#define u16 ushort\n",
    "#define u32 uint\n",
    "#define u64 ulong\n",
    "#define i32 int\n",
    "#define i64 long\n",
    "#define KERNEL __kernel void\n",
    "#define DEVICE static inline __attribute__((unused))\n",
    "#define GLOBAL __global\n",
    "#define LOCAL __local\n",
    "#define LOCAL_ARRAY __local\n",
    "#define LANE_ID ((u32)get_local_id(0))\n",
    "#define BLOCK_ID ((u32)get_group_id(0))\n",
    "#define BLOCK_LANES ((u32)get_local_size(0))\n",
    "#define BLOCK_COUNT ((u32)get_num_groups(0))\n",
    "#define BLOCK_BARRIER() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)\n",
    "#define POPCOUNT(x) popcount((u32)(x))\n",
    "#define CLZ(x) clz((u32)(x))\n",
    "#define ATOMIC_ADD(p, x) atomic_add((volatile __global u32 *)(p), (u32)(x))\n",
    "#define ATOMIC_OR(p, x) atomic_or((volatile __global u32 *)(p), (u32)(x))\n",
    "#define ATOMIC_MIN(p, x) atomic_min((volatile __global u32 *)(p), (u32)(x))\n",
    "#define LOCAL_ATOMIC_ADD(p, x) atomic_add((volatile __local u32 *)(p), (u32)(x))\n",
    "#else\n",
    "#define u8 unsigned char\n",
    "#define u16 unsigned short\n",
    "#define u32 unsigned int\n",
    "#define u64 unsigned long long\n",
    "#define i32 int\n",
    "#define i64 long long\n",
    "#define KERNEL static __global__ void\n",
    "#define DEVICE static __device__ __forceinline__\n",
    "#define GLOBAL\n",
    "#define LOCAL\n",
    "#define LOCAL_ARRAY __shared__\n",
    "#define LANE_ID (threadIdx.x)\n",
    "#define BLOCK_ID (blockIdx.x)\n",
    "#define BLOCK_LANES (blockDim.x)\n",
    "#define BLOCK_COUNT (gridDim.x)\n",
    "#define BLOCK_BARRIER() __syncthreads()\n",
    "#define POPCOUNT(x) ((u32)__popc(x))\n",
    "#define CLZ(x) ((u32)__clz((int)(x)))\n",
    "#define ATOMIC_ADD(p, x) atomicAdd((u32 *)(p), (u32)(x))\n",
    "#define ATOMIC_OR(p, x) atomicOr((u32 *)(p), (u32)(x))\n",
    "#define ATOMIC_MIN(p, x) atomicMin((u32 *)(p), (u32)(x))\n",
    "#define LOCAL_ATOMIC_ADD(p, x) atomicAdd((u32 *)(p), (u32)(x))\n",
    "#endif\n",
    "#define CTZ(x) (31u - CLZ((x) & (0u - (x))))\n",
    "\n",
    "/* COMBGPU_SHUFFLE: lanes of a warp can exchange registers. In OpenCL the host says so (-D), since it\n",
    "   must choose the block size to match. */\n",
    "#ifdef __CUDACC__\n",
    "#undef COMBGPU_SHUFFLE\n",
    "#define COMBGPU_SHUFFLE 1\n",
    "#endif\n",
    "\n",
    "/* The control block, twin of combgpu__slice in combgpu.h. */\n",
    "typedef struct combgpu_slice_t {\n",
    "    u32 task_count, task_next, left_count, left_capacity, record_count, record_capacity;\n",
    "    u32 budget, stop, workers, task_words, record_words;\n",
    "    u32 area_next; /* for kernels that write output: what is taken of the shared work memory */\n",
    "    u32 least;     /* steps to take before STOP_HUNGRY counts */\n",
    "    u32 reserved[3];\n",
    "    u32 totals[32];\n",
    "} combgpu_slice_t;\n",
    "\n",
    "/* The six arguments of every kernel. */\n",
    "#define SLICE_ARGUMENTS                                                                            \\\n",
    "    GLOBAL combgpu_slice_t *slice, GLOBAL const u32 *tables, GLOBAL const u32 *tasks,              \\\n",
    "        GLOBAL u32 *left, GLOBAL u32 *records, GLOBAL u32 *work\n",
    "\n",
    "/* Nonzero once a worker has asked all others to end the slice: STOP_NOW because the records are full,\n",
    "   STOP_HUNGRY because a quarter of the workers have found no task. A plain read, since any moment\n",
    "   does; for a check of data races (oclgrind --build-options -DCOMBGPU_RACE_CHECK) an atomic one. */\n",
    "#define STOP_NOW 1u\n",
    "#define STOP_HUNGRY 2u\n",
    "#ifdef COMBGPU_RACE_CHECK\n",
    "#define STOPPED(slice) ATOMIC_OR(&(slice)->stop, 0)\n",
    "#else\n",
    "#define STOPPED(slice) (*(volatile GLOBAL u32 *)&(slice)->stop)\n",
    "#endif\n",
    "\n",
    "#define NONE 0xffffffffu /* no task, no record */\n",
    "\n",
    "/* Each of the next five is called by one lane of a worker. */\n",
    "\n",
    "/* Nonzero if a worker that has taken `steps` steps must give back what it holds. */\n",
    "DEVICE u32 combgpu_spent(GLOBAL combgpu_slice_t *slice, u32 steps)\n",
    "{\n",
    "    u32 stop = STOPPED(slice);\n",
    "    return steps >= (stop \? slice->least : slice->budget) || (stop & STOP_NOW);\n",
    "}\n",
    "\n",
    "/* The index of a task that is now this worker's, or NONE; do not ask again after NONE. */\n",
    "DEVICE u32 combgpu_take(GLOBAL combgpu_slice_t *slice)\n",
    "{\n",
    "    u32 i = ATOMIC_ADD(&slice->task_next, 1);\n",
    "    if (i < slice->task_count) return i;\n",
    "    if (i - slice->task_count == slice->workers / 4) ATOMIC_OR(&slice->stop, STOP_HUNGRY);\n",
    "    return NONE;\n",
    "}\n",
    "\n",
    "/* The index in `left` for a task given back; the engine left room for left_per_worker each. */\n",
    "DEVICE u32 combgpu_give(GLOBAL combgpu_slice_t *slice)\n",
    "{\n",
    "    return ATOMIC_ADD(&slice->left_count, 1);\n",
    "}\n",
    "\n",
    "/* The index in `records` for a record, or NONE if the buffer is full: then the slice ends, and the\n",
    "   worker must not count what it found, but give back a task that finds it again. */\n",
    "DEVICE u32 combgpu_emit(GLOBAL combgpu_slice_t *slice)\n",
    "{\n",
    "    u32 i = ATOMIC_ADD(&slice->record_count, 1);\n",
    "    if (i < slice->record_capacity) return i;\n",
    "    ATOMIC_OR(&slice->stop, STOP_NOW);\n",
    "    return NONE;\n",
    "}\n",
    "\n",
    "/* Adds to a 64-bit total with 32-bit atomics: the carry is known from the old low word. */\n",
    "DEVICE void combgpu_add_total(GLOBAL combgpu_slice_t *slice, u32 i, u64 x)\n",
    "{\n",
    "    u32 low = (u32)x, high = (u32)(x >> 32), old;\n",
    "    if (low) {\n",
    "        old = ATOMIC_ADD(&slice->totals[2 * i], low);\n",
    "        if (old + low < old) high++;\n",
    "    }\n",
    "    if (high) ATOMIC_ADD(&slice->totals[2 * i + 1], high);\n",
    "}\n",
    "\n",
    "/* GROUP OPERATIONS: 4, 8 or 32 consecutive lanes are a worker and share a task. The *crew* of a group\n",
    "   is all lanes that run in lockstep: a warp (four groups of 8, or one of 32) where there are\n",
    "   shuffles; elsewhere the group alone, which is then the whole block. EVERY lane of the crew must\n",
    "   reach every operation below that is marked *, together, also lanes whose group has nothing to do:\n",
    "   so control flow around them depends only on CREW_ANY, and a lane without work passes any value.\n",
    "\n",
    "     GROUP_BEGIN(lanes)    at the top of a kernel; lanes is 4, 8 or 32 and constant\n",
    "     GROUP_PARAMETER, GROUP  for functions: f(GROUP_PARAMETER, u32 x) is called as f(GROUP, x)\n",
    "     GROUP_LANE            0 .. lanes-1\n",
    "     GROUP_INDEX           the worker's number; those from slice->workers on must take no task\n",
    "   * GROUP_MIN(x)          the smallest u32 x of the group, in all its lanes\n",
    "   * GROUP_ADD(x)          the sum of the group's u32 x\n",
    "   * GROUP_BALLOT(p)       bit i = (p != 0) in the group's lane i\n",
    "   * GROUP_ANY(p)          nonzero if p holds in a lane of the group\n",
    "   * GROUP_FROM(x, i)      the u32 x of the group's lane i (each lane may ask for another i)\n",
    "   * CREW_ANY(p)           nonzero if p holds in a lane of the crew\n",
    "   * CREW_BARRIER()        what lanes wrote to GLOBAL or LOCAL memory before is seen after\n",
    "   * GROUP_TAKE(slice, p)  combgpu_take by the group's lane 0 if p holds there, else NONE; in all its\n",
    "                           lanes. Likewise GROUP_GIVE(slice, p) and GROUP_EMIT(slice, p)\n",
    "\n",
    "   Lanes may see slice->stop at different moments: let one lane decide, as in\n",
    "   GROUP_TAKE(slice, !combgpu_spent(slice, steps)). PROBE below is an example. */\n",
    "typedef struct combgpu_group_t {\n",
    "    u32 lanes, lane, index;\n",
    "#ifdef COMBGPU_SHUFFLE\n",
    "    u32 first; /* the group's lane 0 within the warp */\n",
    "#else\n",
    "    LOCAL u32 *scratch; /* a word for each lane */\n",
    "#endif\n",
    "} combgpu_group_t;\n",
    "\n",
    "#define GROUP group\n",
    "#define GROUP_PARAMETER const combgpu_group_t group\n",
    "#define GROUP_LANE (group.lane)\n",
    "#define GROUP_INDEX (group.index)\n",
    "#define GROUP_MIN(x) combgpu_group_min(group, (x))\n",
    "#define GROUP_ADD(x) combgpu_group_add(group, (x))\n",
    "#define GROUP_BALLOT(p) combgpu_group_ballot(group, (p) != 0)\n",
    "#define GROUP_ANY(p) (GROUP_BALLOT(p) != 0)\n",
    "#define GROUP_FROM(x, i) combgpu_group_from(group, (x), (i))\n",
    "#define GROUP_TAKE(slice, p) combgpu_group_take(group, (slice), (p) != 0)\n",
    "#define GROUP_GIVE(slice, p) combgpu_group_give(group, (slice), (p) != 0)\n",
    "#define GROUP_EMIT(slice, p) combgpu_group_emit(group, (slice), (p) != 0)\n",
    "\n",
    "#ifdef COMBGPU_SHUFFLE\n",
    "#ifndef __CUDACC__ /* NVIDIA's OpenCL has no sub-groups, but takes PTX */\n",
    "DEVICE u32 combgpu_shuffle(u32 x, u32 i)\n",
    "{\n",
    "    u32 y;\n",
    "    __asm__ volatile(\"shfl.sync.idx.b32 %0, %1, %2, 0x1f, 0xffffffff;\" : \"=r\"(y) : \"r\"(x), \"r\"(i));\n",
    "    return y;\n",
    "}\n",
    "\n",
    "DEVICE u32 combgpu_shuffle_xor(u32 x, u32 mask)\n",
    "{\n",
    "    u32 y;\n",
    "    __asm__ volatile(\"shfl.sync.bfly.b32 %0, %1, %2, 0x1f, 0xffffffff;\"\n",
    "                     : \"=r\"(y)\n",
    "                     : \"r\"(x), \"r\"(mask));\n",
    "    return y;\n",
    "}\n",
    "\n",
    "DEVICE u32 combgpu_ballot(u32 p)\n",
    "{\n",
    "    u32 y;\n",
    "    __asm__ volatile(\"{ .reg .pred q; setp.ne.u32 q, %1, 0; vote.sync.ballot.b32 %0, q, \"\n",
    "                     \"0xffffffff; }\"\n",
    "                     : \"=r\"(y)\n",
    "                     : \"r\"(p));\n",
    "    return y;\n",
    "}\n",
    "\n",
    "#define CREW_BARRIER() __asm__ volatile(\"bar.warp.sync 0xffffffff;\" : : : \"memory\")\n",
    "#else\n",
    "DEVICE u32 combgpu_shuffle(u32 x, u32 i)\n",
    "{\n",
    "    return __shfl_sync(0xffffffffu, x, (int)i);\n",
    "}\n",
    "\n",
    "DEVICE u32 combgpu_shuffle_xor(u32 x, u32 mask)\n",
    "{\n",
    "    return __shfl_xor_sync(0xffffffffu, x, (int)mask);\n",
    "}\n",
    "\n",
    "DEVICE u32 combgpu_ballot(u32 p)\n",
    "{\n",
    "    return __ballot_sync(0xffffffffu, (int)p);\n",
    "}\n",
    "\n",
    "#define CREW_BARRIER() __syncwarp()\n",
    "#endif\n",
    "#define CREW_ANY(p) (combgpu_ballot((p) != 0) != 0)\n",
    "#define GROUP_BEGIN(lanes)                                                                         \\\n",
    "    const combgpu_group_t group = {lanes, LANE_ID & ((lanes)-1u),                                  \\\n",
    "                                   (BLOCK_ID * BLOCK_LANES + LANE_ID) / (lanes),                   \\\n",
    "                                   LANE_ID & 31u & ~((lanes)-1u)}\n",
    "\n",
    "DEVICE u32 combgpu_group_min(GROUP_PARAMETER, u32 x)\n",
    "{\n",
    "    u32 step, y;\n",
    "    for (step = 1; step < group.lanes; step *= 2) {\n",
    "        y = combgpu_shuffle_xor(x, step);\n",
    "        if (y < x) x = y;\n",
    "    }\n",
    "    return x;\n",
    "}\n",
    "\n",
    "DEVICE u32 combgpu_group_add(GROUP_PARAMETER, u32 x)\n",
    "{\n",
    "    u32 step;\n",
    "    for (step = 1; step < group.lanes; step *= 2)\n",
    "        x += combgpu_shuffle_xor(x, step);\n",
    "    return x;\n",
    "}\n",
    "\n",
    "DEVICE u32 combgpu_group_ballot(GROUP_PARAMETER, u32 p)\n",
    "{\n",
    "    return (combgpu_ballot(p) >> group.first) & (0xffffffffu >> (32 - group.lanes));\n",
    "}\n",
    "\n",
    "DEVICE u32 combgpu_group_from(GROUP_PARAMETER, u32 x, u32 i)\n",
    "{\n",
    "    return combgpu_shuffle(x, group.first + i);\n",
    "}\n",
    "\n",
    "#else /* no shuffles: local memory; the block is one group, so a block barrier is enough */\n",
    "#define CREW_BARRIER() BLOCK_BARRIER()\n",
    "#define CREW_ANY(p) GROUP_ANY(p)\n",
    "#define GROUP_BEGIN(lanes)                                                                         \\\n",
    "    LOCAL_ARRAY u32 group_scratch[lanes];                                                          \\\n",
    "    const combgpu_group_t group = {lanes, LANE_ID, BLOCK_ID, group_scratch}\n",
    "\n",
    "DEVICE u32 combgpu_group_min(GROUP_PARAMETER, u32 x)\n",
    "{\n",
    "    u32 i;\n",
    "    group.scratch[group.lane] = x;\n",
    "    barrier(CLK_LOCAL_MEM_FENCE);\n",
    "    for (i = 0; i < group.lanes; i++)\n",
    "        x = min(x, group.scratch[i]);\n",
    "    barrier(CLK_LOCAL_MEM_FENCE);\n",
    "    return x;\n",
    "}\n",
    "\n",
    "DEVICE u32 combgpu_group_add(GROUP_PARAMETER, u32 x)\n",
    "{\n",
    "    u32 i, sum = 0;\n",
    "    group.scratch[group.lane] = x;\n",
    "    barrier(CLK_LOCAL_MEM_FENCE);\n",
    "    for (i = 0; i < group.lanes; i++)\n",
    "        sum += group.scratch[i];\n",
    "    barrier(CLK_LOCAL_MEM_FENCE);\n",
    "    return sum;\n",
    "}\n",
    "\n",
    "DEVICE u32 combgpu_group_ballot(GROUP_PARAMETER, u32 p)\n",
    "{\n",
    "    return combgpu_group_add(group, p << group.lane);\n",
    "}\n",
    "\n",
    "DEVICE u32 combgpu_group_from(GROUP_PARAMETER, u32 x, u32 i)\n",
    "{\n",
    "    u32 y;\n",
    "    group.scratch[group.lane] = x;\n",
    "    barrier(CLK_LOCAL_MEM_FENCE);\n",
    "    y = group.scratch[i];\n",
    "    barrier(CLK_LOCAL_MEM_FENCE);\n",
    "    return y;\n",
    "}\n",
    "#endif\n",
    "\n",
    "DEVICE u32 combgpu_group_take(GROUP_PARAMETER, GLOBAL combgpu_slice_t *slice, u32 p)\n",
    "{\n",
    "    u32 i = NONE;\n",
    "    if (p && group.lane == 0) i = combgpu_take(slice);\n",
    "    return combgpu_group_from(group, i, 0);\n",
    "}\n",
    "\n",
    "DEVICE u32 combgpu_group_give(GROUP_PARAMETER, GLOBAL combgpu_slice_t *slice, u32 p)\n",
    "{\n",
    "    u32 i = NONE;\n",
    "    if (p && group.lane == 0) i = combgpu_give(slice);\n",
    "    return combgpu_group_from(group, i, 0);\n",
    "}\n",
    "\n",
    "DEVICE u32 combgpu_group_emit(GROUP_PARAMETER, GLOBAL combgpu_slice_t *slice, u32 p)\n",
    "{\n",
    "    u32 i = NONE;\n",
    "    if (p && group.lane == 0) i = combgpu_emit(slice);\n",
    "    return combgpu_group_from(group, i, 0);\n",
    "}\n",
    "\n",
    "/* ---------------------------------------------------------------------------------- PROBE */\n",
    "/* The self-test of the operations above (combgpu__backend_self_test): a task is a number; lanes hash\n",
    "   it and exchange what they got, and a record holds it with a sum of it all. */\n",
    "#if defined(COMBGPU_KERNELS_PROBE) || defined(__CUDACC__)\n",
    "\n",
    "DEVICE u32 combgpu_probe_hash(u32 seed, u32 lane)\n",
    "{\n",
    "    u32 x = seed * 0x9e3779b9u + lane * 0x85ebca6bu;\n",
    "    x = (x ^ (x >> 15)) * 0x2c1b3c6du;\n",
    "    return x ^ (x >> 13);\n",
    "}\n",
    "\n",
    "DEVICE void combgpu_probe(GROUP_PARAMETER, SLICE_ARGUMENTS)\n",
    "{\n",
    "    u32 steps = 0, busy = GROUP_INDEX < slice->workers, bits = tables[0];\n",
    "    GLOBAL u32 *own = work + GROUP_INDEX * group.lanes;\n",
    "    while (CREW_ANY(busy)) {\n",
    "        u32 task = GROUP_TAKE(slice, busy && !combgpu_spent(slice, steps));\n",
    "        u32 seed = 0, x, sum, other, at;\n",
    "        busy = task != NONE;\n",
    "        if (busy) seed = tasks[task];\n",
    "        x = combgpu_probe_hash(seed, GROUP_LANE);\n",
    "        if (busy) own[GROUP_LANE] = x;\n",
    "        sum = GROUP_MIN(x) * 3 + GROUP_BALLOT(x & bits) * 5 + GROUP_ADD(x) * 7;\n",
    "        other = GROUP_FROM(x, (x >> 8) & (group.lanes - 1));\n",
    "        CREW_BARRIER();\n",
    "        if (busy) other += own[group.lanes - 1 - GROUP_LANE] * 9;\n",
    "        CREW_BARRIER();\n",
    "        sum = GROUP_ADD(sum ^ other);\n",
    "        at = GROUP_EMIT(slice, busy);\n",
    "        if (at != NONE && GROUP_LANE == 0) {\n",
    "            records[2 * at] = seed;\n",
    "            records[2 * at + 1] = sum;\n",
    "            combgpu_add_total(slice, 1, (u64)sum << 32 | x);\n",
    "        }\n",
    "        steps += at != NONE;\n",
    "        busy = busy && at != NONE \? 1 : 0;\n",
    "        at = GROUP_GIVE(slice, task != NONE && !busy);\n",
    "        if (at != NONE && GROUP_LANE == 0) left[at] = seed;\n",
    "    }\n",
    "    if (GROUP_LANE == 0) combgpu_add_total(slice, 0, steps);\n",
    "}\n",
    "\n",
    "KERNEL combgpu_probe8(SLICE_ARGUMENTS)\n",
    "{\n",
    "    GROUP_BEGIN(8);\n",
    "    combgpu_probe(GROUP, slice, tables, tasks, left, records, work);\n",
    "}\n",
    "\n",
    "KERNEL combgpu_probe32(SLICE_ARGUMENTS)\n",
    "{\n",
    "    GROUP_BEGIN(32);\n",
    "    combgpu_probe(GROUP, slice, tables, tasks, left, records, work);\n",
    "}\n",
    "\n",
    "#endif /* PROBE */\n",
    "\n",
    "/* ---------------------------------------------------------------------------------- MAGIC */\n",
    "#if defined(COMBGPU_KERNELS_MAGIC) || defined(__CUDACC__)\n",
    "\n",
    "/* The search over cells: one lane is a worker. Words of `tables`, tasks and records as in combgpu.h,\n",
    "   SECTION 20. Sets of numbers are 64 bits, bit v for number v; in a mirror bit cells + 1 - v. */\n",
    "#define MAGIC_LEVELS 24\n",
    "#define MAGIC_LEVEL_COUNT (tables[1])\n",
    "#define MAGIC_START(level) (tables[2 + (level)])\n",
    "#define MAGIC_ENTRY(position) (tables[28 + (position)])\n",
    "\n",
    "typedef struct combgpu_magic_t {\n",
    "    u32 cells;\n",
    "    u64 unused[MAGIC_LEVELS], mirror[MAGIC_LEVELS]; /* before a level */\n",
    "    u64 mask[MAGIC_LEVELS];                         /* numbers a level has still to try */\n",
    "    u8 values[40];                                  /* by position; [cells] stays 0 */\n",
    "} combgpu_magic_t;\n",
    "\n",
    "/* What the two words of a line leave of its sum. */\n",
    "DEVICE i32 combgpu_magic_rest(const combgpu_magic_t *m, u32 a, u32 b)\n",
    "{\n",
    "    return (i32)(a & 255) - (i32)(m->values[(a >> 8) & 255] + m->values[(a >> 16) & 255] +\n",
    "                                  m->values[a >> 24] + m->values[b & 255] +\n",
    "                                  m->values[(b >> 8) & 255]);\n",
    "}\n",
    "\n",
    "/* Sets up `level` from the sets before it: every number that leaves its lines a partner and keeps\n",
    "   its relations. */\n",
    "DEVICE void combgpu_magic_ready(combgpu_magic_t *m, GLOBAL const u32 *tables, u32 level, u64 unused,\n",
    "                                u64 mirror)\n",
    "{\n",
    "    u32 at = MAGIC_ENTRY(MAGIC_START(level)), head = tables[at++], i;\n",
    "    u64 mask = unused;\n",
    "    for (i = (head >> 8) & 255; i; i--, at += 2) {\n",
    "        i32 rest = combgpu_magic_rest(m, tables[at], tables[at + 1]);\n",
    "        i32 shift = (i32)m->cells + 1 - rest;\n",
    "        if (rest < 2 || rest > 2 * (i32)m->cells) {\n",
    "            mask = 0;\n",
    "            break;\n",
    "        }\n",
    "        mask &= shift < 0 \? mirror << -shift : mirror >> shift;\n",
    "        if ((rest & 1) == 0) mask &= ~((u64)1 << (rest / 2));\n",
    "    }\n",
    "    for (i = mask \? head >> 16 : 0; i; i--, at++) {\n",
    "        u64 below = ((u64)1 << m->values[tables[at] & 255]) - 1;\n",
    "        mask &= tables[at] & 256 \? ~below : below; /* the number itself is not unused */\n",
    "    }\n",
    "    m->unused[level] = unused;\n",
    "    m->mirror[level] = mirror;\n",
    "    m->mask[level] = mask;\n",
    "}\n",
    "\n",
    "/* Tries a number in the first cell of a level. 0 = impossible, 1 = the next level is ready, 2 = the\n",
    "   square is full. */\n",
    "DEVICE u32 combgpu_magic_try(combgpu_magic_t *m, GLOBAL const u32 *tables, u32 level, u32 number)\n",
    "{\n",
    "    u32 position = MAGIC_START(level), end = MAGIC_START(level + 1), at, head, i;\n",
    "    u64 unused = m->unused[level], mirror = m->mirror[level];\n",
    "    for (;;) {\n",
    "        i32 rest;\n",
    "        m->values[position] = (u8)number;\n",
    "        unused ^= (u64)1 << number;\n",
    "        mirror ^= (u64)1 << (m->cells + 1 - number);\n",
    "        if (++position == end) break;\n",
    "        at = MAGIC_ENTRY(position);\n",
    "        head = tables[at];\n",
    "        rest = combgpu_magic_rest(m, tables[at + 1], tables[at + 2]);\n",
    "        if (rest < 1 || rest > (i32)m->cells || !((unused >> rest) & 1)) return 0;\n",
    "        at += 3;\n",
    "        for (i = (head >> 8) & 255; i > 1; i--, at += 2)\n",
    "            if (combgpu_magic_rest(m, tables[at], tables[at + 1]) != rest) return 0;\n",
    "        number = (u32)rest;\n",
    "        for (i = head >> 16; i; i--, at++)\n",
    "            if ((number > m->values[tables[at] & 255]) != ((tables[at] & 256) != 0)) return 0;\n",
    "    }\n",
    "    if (level + 1 == MAGIC_LEVEL_COUNT) return 2;\n",
    "    combgpu_magic_ready(m, tables, level + 1, unused, mirror);\n",
    "    return 1;\n",
    "}\n",
    "\n",
    "DEVICE u32 combgpu_magic_load(combgpu_magic_t *m, GLOBAL const u32 *tables, GLOBAL const u32 *task)\n",
    "{\n",
    "    u32 level = task[0], end = MAGIC_START(level), p;\n",
    "    u64 unused = ((u64)2 << m->cells) - 2, mirror = unused;\n",
    "    for (p = 0; p < end; p++) {\n",
    "        u32 number = (task[3 + p / 4] >> (8 * (p & 3))) & 255;\n",
    "        m->values[p] = (u8)number;\n",
    "        unused &= ~((u64)1 << number);\n",
    "        mirror &= ~((u64)1 << (m->cells + 1 - number));\n",
    "    }\n",
    "    m->unused[level] = unused;\n",
    "    m->mirror[level] = mirror;\n",
    "    m->mask[level] = task[1] | (u64)task[2] << 32;\n",
    "    return level;\n",
    "}\n",
    "\n",
    "/* Gives back what is left of a level. */\n",
    "DEVICE void combgpu_magic_give(const combgpu_magic_t *m, GLOBAL combgpu_slice_t *slice,\n",
    "                               GLOBAL const u32 *tables, GLOBAL u32 *left, u32 level)\n",
    "{\n",
    "    GLOBAL u32 *task = left + combgpu_give(slice) * slice->task_words;\n",
    "    u32 end = MAGIC_START(level), words = slice->task_words - 3, w, p, word;\n",
    "    task[0] = level;\n",
    "    task[1] = (u32)m->mask[level];\n",
    "    task[2] = (u32)(m->mask[level] >> 32);\n",
    "    for (w = 0; w < words; w++) {\n",
    "        word = 0;\n",
    "        for (p = 4 * w; p < 4 * w + 4 && p < end; p++)\n",
    "            word |= (u32)m->values[p] << (8 * (p & 3));\n",
    "        task[3 + w] = word;\n",
    "    }\n",
    "}\n",
    "\n",
    "/* Emits the full square; 0 = no room. */\n",
    "DEVICE u32 combgpu_magic_emit(const combgpu_magic_t *m, GLOBAL combgpu_slice_t *slice,\n",
    "                              GLOBAL const u32 *tables, GLOBAL u32 *records)\n",
    "{\n",
    "    u32 at = combgpu_emit(slice), w, p;\n",
    "    GLOBAL u32 *record;\n",
    "    if (at == NONE) return 0;\n",
    "    record = records + at * slice->record_words;\n",
    "    for (w = 0; w < slice->record_words; w++)\n",
    "        record[w] = 0;\n",
    "    for (p = 0; p < m->cells; p++) {\n",
    "        u32 cell = tables[MAGIC_ENTRY(p)] & 255;\n",
    "        record[cell / 4] |= (u32)m->values[p] << (8 * (cell & 3));\n",
    "    }\n",
    "    return 1;\n",
    "}\n",
    "\n",
    "KERNEL combgpu_magic_search(SLICE_ARGUMENTS)\n",
    "{\n",
    "    combgpu_magic_t m;\n",
    "    u32 steps = 0, full = 0, task, bottom, level, found, low;\n",
    "    (void)work;\n",
    "    if (BLOCK_ID * BLOCK_LANES + LANE_ID >= slice->workers) return;\n",
    "    m.cells = tables[0];\n",
    "    m.values[m.cells] = 0;\n",
    "    while (!combgpu_spent(slice, steps) && !full) {\n",
    "        task = combgpu_take(slice);\n",
    "        if (task == NONE) break;\n",
    "        bottom = combgpu_magic_load(&m, tables, tasks + task * slice->task_words);\n",
    "        level = bottom;\n",
    "        for (;;) {\n",
    "            u64 mask = m.mask[level];\n",
    "            if (!mask) {\n",
    "                if (level == bottom) break;\n",
    "                level--;\n",
    "                continue;\n",
    "            }\n",
    "            if (full || combgpu_spent(slice, steps)) {\n",
    "                for (;; level--) { /* the whole stack becomes tasks */\n",
    "                    if (m.mask[level]) combgpu_magic_give(&m, slice, tables, left, level);\n",
    "                    if (level == bottom) break;\n",
    "                }\n",
    "                break;\n",
    "            }\n",
    "            low = (u32)mask;\n",
    "            m.mask[level] = mask & (mask - 1);\n",
    "            found = combgpu_magic_try(&m, tables, level,\n",
    "                                      low \? CTZ(low) : 32 + CTZ((u32)(mask >> 32)));\n",
    "            if (found == 2 && !combgpu_magic_emit(&m, slice, tables, records)) {\n",
    "                m.mask[level] = mask; /* not counted: the number is tried again */\n",
    "                full = 1;\n",
    "                continue;\n",
    "            }\n",
    "            steps++;\n",
    "            level += found & 1;\n",
    "        }\n",
    "    }\n",
    "    combgpu_add_total(slice, 0, steps);\n",
    "}\n",
    "\n",
    "/* The join of two rings of order 5 (combgpu.h, SECTION 20): the block is a worker and takes one\n",
    "   configuration after the other. Numbers as sets have bit v for number v; a mirror has bit 52 - v. */\n",
    "#define MAGIC_WAYS 36u\n",
    "#define MAGIC_SIDES 168 /* most ordered triples with one sum */\n",
    "#define MAGIC_ITEMS 2016 /* most (side, first corner of the next side): at most 12 for each side */\n",
    "#define MAGIC_WORDS 3218 /* counts of the 12,870 sets of 8, a byte each */\n",
    "\n",
    "typedef struct combgpu_magic_join_t {\n",
    "    u32 unused; /* numbers that are not on the diagonals */\n",
    "    u64 mirror;\n",
    "    LOCAL u32 *counts, *rank, *sums, *side_count, *shared;\n",
    "    LOCAL u16 *bit, *sides, *items;\n",
    "} combgpu_magic_join_t;\n",
    "\n",
    "/* splitmix64's finaliser, as combgpu__mix */\n",
    "DEVICE u64 combgpu_magic_mix(u64 x)\n",
    "{\n",
    "    x += (u64)0x9e3779b9u << 32 | 0x7f4a7c15u;\n",
    "    x = (x ^ (x >> 30)) * ((u64)0xbf58476du << 32 | 0x1ce4e5b9u);\n",
    "    x = (x ^ (x >> 27)) * ((u64)0x94d049bbu << 32 | 0x133111ebu);\n",
    "    return x ^ (x >> 31);\n",
    "}\n",
    "\n",
    "/* The numbers v, not rest / 2, for which rest - v is in the mirrored set; rest is -9 to 61. */\n",
    "DEVICE u32 combgpu_magic_partners(u64 mirror, i32 rest)\n",
    "{\n",
    "    u32 own = ((u32)rest & 1) \? 0 : 1u << (((u32)rest >> 1) & 31);\n",
    "    return (u32)(mirror >> ((52 - rest) & 63)) & ~own;\n",
    "}\n",
    "\n",
    "DEVICE u64 combgpu_magic_mirrored(u32 number)\n",
    "{\n",
    "    return (u64)1 << (52 - number);\n",
    "}\n",
    "\n",
    "/* The free numbers of a pair of diagonals, and the 16 sums that a side can have. */\n",
    "DEVICE void combgpu_magic_join_pair(combgpu_magic_join_t *j, GLOBAL const u32 *pair)\n",
    "{\n",
    "    u32 a = pair[0] >> 5, b = pair[1], i, v;\n",
    "    j->unused = 0x3fffffeu & ~(1u << (pair[0] & 31));\n",
    "    for (i = 0; i < 20; i += 5)\n",
    "        j->unused &= ~(1u << ((a >> i) & 31) | 1u << ((b >> i) & 31));\n",
    "    j->mirror = 0;\n",
    "    for (v = 1; v <= 25; v++)\n",
    "        if ((j->unused >> v) & 1) j->mirror |= combgpu_magic_mirrored(v);\n",
    "    for (v = LANE_ID; v < 32; v += BLOCK_LANES)\n",
    "        j->bit[v] = (u16)(1u << (POPCOUNT(j->unused & ((1u << v) - 1)) & 15));\n",
    "    for (i = LANE_ID; i < 16; i += BLOCK_LANES) {\n",
    "        j->sums[i] = 65 - ((a >> (5 * (i / 4))) & 31) - ((b >> (5 * (i % 4))) & 31);\n",
    "        j->side_count[i] = 0;\n",
    "    }\n",
    "}\n",
    "\n",
    "/* Then the ordered triples with each sum, as first | last << 5 | middle << 10. */\n",
    "DEVICE void combgpu_magic_join_sides(const combgpu_magic_join_t *j)\n",
    "{\n",
    "    u32 i, k;\n",
    "    for (i = LANE_ID; i < 16 * 25; i += BLOCK_LANES) { /* a sum and a first number */\n",
    "        u32 side = i / 25, first = 1 + i % 25, ends, at;\n",
    "        i32 rest = (i32)(j->sums[side] - first);\n",
    "        if (!((j->unused >> first) & 1)) continue;\n",
    "        ends = j->unused & ~(1u << first) & combgpu_magic_partners(j->mirror, rest);\n",
    "        k = (u32)rest - first; /* its middle would be `first` itself */\n",
    "        if (k < 32) ends &= ~(1u << k);\n",
    "        at = LOCAL_ATOMIC_ADD(&j->side_count[side], POPCOUNT(ends));\n",
    "        for (; ends; ends &= ends - 1, at++) {\n",
    "            u32 last = CTZ(ends);\n",
    "            j->sides[side * MAGIC_SIDES + at] =\n",
    "                (u16)(first | last << 5 | ((u32)rest - last) << 10);\n",
    "        }\n",
    "    }\n",
    "}\n",
    "\n",
    "/* Sides of a ring after a turn or reflection that makes left and top short lists. */\n",
    "DEVICE u32 combgpu_magic_turned(const combgpu_magic_join_t *j, u32 way)\n",
    "{\n",
    "    u32 top = way & 15, bottom = (way >> 4) & 15, left = (way >> 8) & 15, right = (way >> 12) & 15;\n",
    "    u32 t;\n",
    "    if (j->side_count[top] > j->side_count[bottom]) t = top, top = bottom, bottom = t;\n",
    "    if (j->side_count[left] > j->side_count[right]) t = left, left = right, right = t;\n",
    "    if (j->side_count[left] > j->side_count[top])\n",
    "        t = left, left = top, top = t, t = right, right = bottom, bottom = t;\n",
    "    return top | bottom << 4 | left << 8 | right << 12;\n",
    "}\n",
    "\n",
    "/* First half of a ring: each lane takes sides at the left and lists the corners t3 that go with them,\n",
    "   as items side << 5 | t3. */\n",
    "DEVICE void combgpu_magic_ring_items(const combgpu_magic_join_t *j, u32 way, LOCAL u32 *count)\n",
    "{\n",
    "    u32 left = (way >> 8) & 15, i, n = j->side_count[left];\n",
    "    i32 top = (i32)j->sums[way & 15], bottom = (i32)j->sums[(way >> 4) & 15];\n",
    "    for (i = LANE_ID; i < n; i += BLOCK_LANES) {\n",
    "        u32 side = j->sides[left * MAGIC_SIDES + i];\n",
    "        u32 t1 = side & 31, b1 = (side >> 5) & 31, m1 = side >> 10, ends, at;\n",
    "        u32 unused = j->unused & ~(1u << t1 | 1u << b1 | 1u << m1);\n",
    "        u64 mirror = j->mirror & ~(combgpu_magic_mirrored(t1) | combgpu_magic_mirrored(b1) |\n",
    "                                   combgpu_magic_mirrored(m1));\n",
    "        if (!(unused & combgpu_magic_partners(mirror, bottom - (i32)b1))) continue;\n",
    "        ends = unused & combgpu_magic_partners(mirror, top - (i32)t1);\n",
    "        at = LOCAL_ATOMIC_ADD(count, POPCOUNT(ends));\n",
    "        for (; ends; ends &= ends - 1, at++)\n",
    "            j->items[at] = (u16)(i << 5 | CTZ(ends));\n",
    "    }\n",
    "}\n",
    "\n",
    "/* Second half: each lane takes items and fills the last corner, b3, in every way. Ring 1 counts the\n",
    "   sets; ring 2 returns the sum, over its sets, of the ways to fill ring 1 with the others. */\n",
    "DEVICE u32 combgpu_magic_ring_corners(const combgpu_magic_join_t *j, u32 way, u32 n, u32 ring)\n",
    "{\n",
    "    u32 left = (way >> 8) & 15, i, sum = 0;\n",
    "    i32 top = (i32)j->sums[way & 15], bottom = (i32)j->sums[(way >> 4) & 15];\n",
    "    i32 right = (i32)j->sums[(way >> 12) & 15];\n",
    "    for (i = LANE_ID; i < n; i += BLOCK_LANES) {\n",
    "        u32 item = j->items[i], t3 = item & 31;\n",
    "        u32 side = j->sides[left * MAGIC_SIDES + (item >> 5)];\n",
    "        u32 t1 = side & 31, b1 = (side >> 5) & 31, m1 = side >> 10, t2 = (u32)top - t1 - t3;\n",
    "        i32 below = bottom - (i32)b1, beside = right - (i32)t3; /* b2 + b3, m3 + b3 */\n",
    "        u32 unused = j->unused & ~(1u << t1 | 1u << b1 | 1u << m1 | 1u << t2 | 1u << t3), key;\n",
    "        u64 mirror = j->mirror & ~(combgpu_magic_mirrored(t1) | combgpu_magic_mirrored(b1) |\n",
    "                                   combgpu_magic_mirrored(m1) | combgpu_magic_mirrored(t2) |\n",
    "                                   combgpu_magic_mirrored(t3));\n",
    "        u32 corners = below == beside \? 0\n",
    "                                      : unused & combgpu_magic_partners(mirror, below) &\n",
    "                                            combgpu_magic_partners(mirror, beside);\n",
    "        if (!corners) continue;\n",
    "        key = j->bit[t1] | j->bit[b1] | j->bit[m1] | j->bit[t2] | j->bit[t3];\n",
    "        for (; corners; corners &= corners - 1) {\n",
    "            u32 b3 = CTZ(corners), rank;\n",
    "            u32 set = key | j->bit[b3] | j->bit[(u32)below - b3] | j->bit[(u32)beside - b3];\n",
    "            if (ring == 2) set ^= 0xffffu;\n",
    "            rank = (j->rank[set & 255] & 0xffffu) + (j->rank[set >> 8] >> 16);\n",
    "            if (ring == 1)\n",
    "                LOCAL_ATOMIC_ADD(&j->counts[rank >> 2], 1u << (8 * (rank & 3)));\n",
    "            else\n",
    "                sum += (j->counts[rank >> 2] >> (8 * (rank & 3))) & 255;\n",
    "        }\n",
    "    }\n",
    "    return sum;\n",
    "}\n",
    "\n",
    "/* Lane 0's books. */\n",
    "typedef struct combgpu_magic_books_t {\n",
    "    u32 next, end; /* configurations of the task not yet joined */\n",
    "    u32 steps, centre;\n",
    "    u64 joined, hash; /* joined: of `centre` */\n",
    "} combgpu_magic_books_t;\n",
    "\n",
    "/* Lane 0: books the result of configuration books->next. 0 = its record found no room. */\n",
    "DEVICE u32 combgpu_magic_book(combgpu_magic_books_t *books, GLOBAL combgpu_slice_t *slice,\n",
    "                              GLOBAL const u32 *tables, GLOBAL u32 *records, u32 squares)\n",
    "{\n",
    "    u32 centre = tables[294 + 2 * (books->next / MAGIC_WAYS)] & 31;\n",
    "    if (squares && tables[0]) {\n",
    "        u32 at = combgpu_emit(slice);\n",
    "        if (at == NONE) return 0;\n",
    "        records[2 * at] = books->next;\n",
    "        records[2 * at + 1] = squares;\n",
    "    }\n",
    "    if (centre != books->centre) {\n",
    "        if (books->joined) combgpu_add_total(slice, 1 + books->centre, books->joined);\n",
    "        books->joined = 0;\n",
    "        books->centre = centre;\n",
    "    }\n",
    "    books->joined += squares;\n",
    "    books->hash += combgpu_magic_mix((u64)books->next << 32 | squares);\n",
    "    books->steps++;\n",
    "    books->next++;\n",
    "    return 1;\n",
    "}\n",
    "\n",
    "/* Lane 0: the next configuration, or NONE at the slice's end. */\n",
    "DEVICE u32 combgpu_magic_next(combgpu_magic_books_t *books, GLOBAL combgpu_slice_t *slice,\n",
    "                              GLOBAL const u32 *tasks, GLOBAL u32 *left, u32 full)\n",
    "{\n",
    "    u32 ends = full || combgpu_spent(slice, books->steps), at;\n",
    "    if (books->next < books->end) {\n",
    "        if (!ends) return books->next;\n",
    "        at = 4 * combgpu_give(slice);\n",
    "        left[at] = books->next;\n",
    "        left[at + 2] = books->end;\n",
    "        left[at + 1] = left[at + 3] = 0;\n",
    "        return NONE;\n",
    "    }\n",
    "    if (ends) return NONE;\n",
    "    at = combgpu_take(slice);\n",
    "    if (at == NONE) return NONE;\n",
    "    books->next = tasks[4 * at];\n",
    "    books->end = tasks[4 * at + 2];\n",
    "    return books->next;\n",
    "}\n",
    "\n",
    "KERNEL combgpu_magic_join(SLICE_ARGUMENTS)\n",
    "{\n",
    "    LOCAL_ARRAY u32 counts[MAGIC_WORDS], rank[256], sums[16], side_count[16];\n",
    "    LOCAL_ARRAY u32 shared[4]; /* configuration, squares, items of ring 1, of ring 2 */\n",
    "    LOCAL_ARRAY u16 bit[32], sides[16 * MAGIC_SIDES], items[MAGIC_ITEMS];\n",
    "    combgpu_magic_join_t j;\n",
    "    combgpu_magic_books_t books;\n",
    "    u32 i, pair = NONE, busy = 0, full = 0, squares;\n",
    "    (void)work;\n",
    "    j.counts = counts, j.rank = rank, j.sums = sums, j.side_count = side_count;\n",
    "    j.bit = bit, j.sides = sides, j.items = items;\n",
    "    books.next = books.end = books.steps = books.centre = 0;\n",
    "    books.joined = books.hash = 0;\n",
    "    for (i = LANE_ID; i < 256; i += BLOCK_LANES)\n",
    "        rank[i] = tables[2 + i];\n",
    "    for (;;) {\n",
    "        u32 number, way, way1, way2, fresh;\n",
    "        if (LANE_ID == 0) {\n",
    "            if (busy) full = !combgpu_magic_book(&books, slice, tables, records, shared[1]);\n",
    "            shared[0] = combgpu_magic_next(&books, slice, tasks, left, full);\n",
    "            shared[1] = shared[2] = shared[3] = 0;\n",
    "        }\n",
    "        BLOCK_BARRIER();\n",
    "        number = shared[0];\n",
    "        if (number == NONE) break;\n",
    "        busy = 1;\n",
    "        fresh = pair != number / MAGIC_WAYS;\n",
    "        pair = number / MAGIC_WAYS;\n",
    "        if (fresh) combgpu_magic_join_pair(&j, tables + 294 + 2 * pair);\n",
    "        for (i = LANE_ID; i < MAGIC_WORDS; i += BLOCK_LANES)\n",
    "            counts[i] = 0;\n",
    "        BLOCK_BARRIER();\n",
    "        if (fresh) combgpu_magic_join_sides(&j);\n",
    "        BLOCK_BARRIER();\n",
    "        way = tables[258 + number % MAGIC_WAYS];\n",
    "        way1 = combgpu_magic_turned(&j, way & 0xffffu);\n",
    "        way2 = combgpu_magic_turned(&j, way >> 16);\n",
    "        combgpu_magic_ring_items(&j, way1, &shared[2]);\n",
    "        BLOCK_BARRIER();\n",
    "        combgpu_magic_ring_corners(&j, way1, shared[2], 1);\n",
    "        BLOCK_BARRIER();\n",
    "        combgpu_magic_ring_items(&j, way2, &shared[3]);\n",
    "        BLOCK_BARRIER();\n",
    "        squares = combgpu_magic_ring_corners(&j, way2, shared[3], 2);\n",
    "        if (squares) LOCAL_ATOMIC_ADD(&shared[1], squares);\n",
    "        BLOCK_BARRIER();\n",
    "    }\n",
    "    if (LANE_ID == 0) {\n",
    "        combgpu_add_total(slice, 0, books.steps);\n",
    "        combgpu_add_total(slice, 1, books.hash);\n",
    "        if (books.joined) combgpu_add_total(slice, 1 + books.centre, books.joined);\n",
    "    }\n",
    "}\n",
    "\n",
    "#undef MAGIC_LEVELS\n",
    "#undef MAGIC_LEVEL_COUNT\n",
    "#undef MAGIC_START\n",
    "#undef MAGIC_ENTRY\n",
    "#undef MAGIC_WAYS\n",
    "#undef MAGIC_SIDES\n",
    "#undef MAGIC_ITEMS\n",
    "#undef MAGIC_WORDS\n",
    "\n",
    "#endif /* MAGIC */\n",
    "\n",
    "/* ---------------------------------------------------------------------------------- NO3 */\n",
    "#if defined(COMBGPU_KERNELS_NO3) || defined(__CUDACC__)\n",
    "\n",
    "/* No-three-in-line (combgpu.h, SECTION 30: the model, the tables, tasks, records). Four or eight\n",
    "   lanes share a board: each lane holds `share` of its words, with `halves` lines in a word (with 2,\n",
    "   a job may still have one line of 32 orbits in a word; then every second line number is unused).\n",
    "   The rows that a step removes from the board are read by these lanes together, in one piece. With\n",
    "   16 words four lanes are faster than eight, by a third: more boards share an instruction.\n",
    "\n",
    "   The search is a function of these three constants; the kernels below are its forms. */\n",
    "\n",
    "/* The header of the tables, twin of the enum in combgpu.h. */\n",
    "#define NO3_AT_STRIDE 2\n",
    "#define NO3_AT_SPLIT 3\n",
    "#define NO3_AT_TIE 4\n",
    "#define NO3_AT_WEIGHTED 5\n",
    "#define NO3_AT_LEVELS 6\n",
    "#define NO3_AT_TWO 7\n",
    "#define NO3_AT_ONE 8\n",
    "#define NO3_AT_LINE_ROWS 9\n",
    "#define NO3_AT_PLACES 10\n",
    "#define NO3_AT_TWICE 11\n",
    "#define NO3_AT_PAIRS 12\n",
    "#define NO3_AT_ROWS 13\n",
    "\n",
    "#define NO3_MOST 8 /* words in a lane */\n",
    "/* The list word of the orbit placed as number c; it is in the low half if bit 3 of c is 0. */\n",
    "#define NO3_SLOT(c) (8 * ((c) >> 4) + ((c)&7))\n",
    "\n",
    "/* Where lanes have shuffles, a board's words live in registers if loops over them are unrolled, and\n",
    "   what few boards need is skipped when none of the crew's does. Elsewhere (PoCL 3.1) both only cost\n",
    "   compile time, exponentially: conditional barriers make it copy all that follows. */\n",
    "#ifdef COMBGPU_SHUFFLE\n",
    "#define NO3_UNROLL _Pragma(\"unroll\")\n",
    "#define NO3_IF_ANY(p) if (CREW_ANY(p))\n",
    "#define NO3_NOW_AND_THEN(turns) if (((turns)&63) == 0)\n",
    "#define NO3_EACH_ROUND(k, more, most)                                                              \\\n",
    "    for ((k) = 0; (k) < (most); (k)++)                                                             \\\n",
    "        if (!CREW_ANY(more))                                                                       \\\n",
    "            break;                                                                                 \\\n",
    "        else\n",
    "#else\n",
    "#define NO3_UNROLL _Pragma(\"nounroll\")\n",
    "#define NO3_IF_ANY(p)\n",
    "#define NO3_NOW_AND_THEN(turns)\n",
    "#define NO3_EACH_ROUND(k, more, most) for ((k) = 0; CREW_ANY(more); (k)++)\n",
    "#endif\n",
    "\n",
    "/* A lane's words of a board, 4 at a time. */\n",
    "DEVICE void combgpu_no3_load(u32 *words, GLOBAL const u32 *from, const u32 share)\n",
    "{\n",
    "    u32 i;\n",
    "    NO3_UNROLL\n",
    "    for (i = 0; i < share; i += 4) {\n",
    "        uint4 four = *(GLOBAL const uint4 *)(from + i);\n",
    "        words[i] = four.x;\n",
    "        words[i + 1] = four.y;\n",
    "        words[i + 2] = four.z;\n",
    "        words[i + 3] = four.w;\n",
    "    }\n",
    "}\n",
    "\n",
    "DEVICE void combgpu_no3_store(GLOBAL u32 *to, const u32 *words, const u32 share)\n",
    "{\n",
    "    u32 i;\n",
    "    NO3_UNROLL\n",
    "    for (i = 0; i < share; i += 4) {\n",
    "        uint4 four;\n",
    "        four.x = words[i];\n",
    "        four.y = words[i + 1];\n",
    "        four.z = words[i + 2];\n",
    "        four.w = words[i + 3];\n",
    "        *(GLOBAL uint4 *)(to + i) = four;\n",
    "    }\n",
    "}\n",
    "\n",
    "/* Adds to `gone` what a row removes from this lane's words; `from` is the lane's part of it. */\n",
    "DEVICE void combgpu_no3_gone(u32 *gone, GLOBAL const u32 *from, const u32 share)\n",
    "{\n",
    "    u32 row[NO3_MOST], i;\n",
    "    combgpu_no3_load(row, from, share);\n",
    "    NO3_UNROLL\n",
    "    for (i = 0; i < share; i++)\n",
    "        gone[i] |= row[i];\n",
    "}\n",
    "\n",
    "/* The key of a line, smaller is earlier: class << 28 | how central << 12 | line << 5 | rank of its\n",
    "   first orbit. `open` has the line's open orbits from the top bit down, which can give `there`\n",
    "   points; `classes` has the class for each number of points; in class `tie` >> 28 a line is as\n",
    "   central as the less central of itself and its first orbit. Of a dead line, class 0, only the\n",
    "   class is right.\n",
    " */\n",
    "DEVICE u32 combgpu_no3_line_key(u32 open, u32 there, u32 classes, u32 line, u32 tie)\n",
    "{\n",
    "    u32 kind = (classes >> 4 * min(there, 7u)) << 28, first = CLZ(open);\n",
    "    u32 key = kind + first + ((line >> 1 << 12) + (line << 5));\n",
    "    return kind == tie \? max(key, kind + first * 0x1001 + (line << 5)) : key;\n",
    "}\n",
    "\n",
    "/* The classes for a line by its two bits of `need`; 15 for one that needs nothing. */\n",
    "DEVICE u32 combgpu_no3_classes(u32 need, u32 at, u32 two, u32 one)\n",
    "{\n",
    "    return need >> at & 2 \? two : need >> at & 1 \? one : NONE;\n",
    "}\n",
    "\n",
    "DEVICE void combgpu_no3(GROUP_PARAMETER, SLICE_ARGUMENTS, const u32 lanes, const u32 share,\n",
    "                        const u32 halves)\n",
    "{\n",
    "    const u32 lane = GROUP_LANE, lines = share * halves, own = lane * lines; /* first own line */\n",
    "    const u32 all = lanes * share, level_words = all + 8, task_words = 2 * all + 8;\n",
    "    const u32 split = tables[NO3_AT_SPLIT], tie = tables[NO3_AT_TIE] \? 0x20000000u : NONE;\n",
    "    const u32 weighted = tables[NO3_AT_WEIGHTED], stride = tables[NO3_AT_STRIDE];\n",
    "    const u32 two = tables[NO3_AT_TWO], one = tables[NO3_AT_ONE];\n",
    "    const u32 line_rows = tables[NO3_AT_LINE_ROWS];\n",
    "    const u32 high = split \? 0xffff0000u : 0, shift = split \? 16 : 0;\n",
    "    GLOBAL const u32 *places = tables + tables[NO3_AT_PLACES];\n",
    "    GLOBAL const u32 *pairs = tables + tables[NO3_AT_PAIRS];\n",
    "    GLOBAL const u32 *rows = tables + tables[NO3_AT_ROWS] + lane * share;\n",
    "    /* never so, but the compiler shall take these addresses as they are: else it adds up, for each\n",
    "       row it reads, what they are made of (a third of all instructions) */\n",
    "    if (slice->workers == 0) places = pairs = rows = work;\n",
    "    /* this lane's words of the stack's free level, and from there to its word of needs */\n",
    "    GLOBAL u32 *top = work + GROUP_INDEX * tables[NO3_AT_LEVELS] * level_words + lane * share;\n",
    "    const u32 to_need = all + lane - lane * share;\n",
    "    u32 words[NO3_MOST], twice[NO3_MOST], list[NO3_MOST], gone[NO3_MOST];\n",
    "    u32 need = 0;  /* 2 bits for each own line */\n",
    "    u32 count = 0; /* orbits placed: in the lanes' lists, 16 bits each, as NO3_SLOT says */\n",
    "    u32 levels = 0, steps = 0, turns = slice->budget, i, k, at;\n",
    "    u32 busy = GROUP_INDEX < slice->workers; /* there may be more tasks */\n",
    "    u32 have = 0; /* 1: words, need, count and list are a board; 2: it cannot go on in this slice */\n",
    "\n",
    "    combgpu_no3_load(twice, tables + tables[NO3_AT_TWICE] + lane * share, share);\n",
    "    NO3_UNROLL\n",
    "    for (i = 0; i < share; i++)\n",
    "        words[i] = list[i] = 0;\n",
    "\n",
    "    for (;;) {\n",
    "        u32 best, go, line, other, place, orbit, need_line, need_other, limit;\n",
    "\n",
    "        NO3_NOW_AND_THEN(turns)\n",
    "        {\n",
    "            u32 taken = slice->budget - turns;\n",
    "            if (CREW_ANY(lane == 0 && combgpu_spent(slice, taken))) turns = 0;\n",
    "        }\n",
    "\n",
    "        /* the next board: from the stack, else a task */\n",
    "        if (!have && levels) {\n",
    "            top -= level_words;\n",
    "            levels--;\n",
    "            combgpu_no3_load(words, top, share);\n",
    "            need = top[to_need];\n",
    "            count = need >> 16;\n",
    "            need &= 0xffff;\n",
    "            have = 1;\n",
    "        }\n",
    "        NO3_IF_ANY(busy && !have)\n",
    "        {\n",
    "            at = GROUP_TAKE(slice, busy && !have && turns);\n",
    "            if (busy && !have) busy = have = at != NONE;\n",
    "            if (at != NONE) {\n",
    "                GLOBAL const u32 *from = tasks + (u64)at * task_words;\n",
    "                combgpu_no3_load(words, from + lane * share, share);\n",
    "                /* a task has the needs in 8 words, whatever the number of lanes */\n",
    "                need = lanes == 8 \? from[all + lane] & 0xffff\n",
    "                                  : (from[all + 2 * lane] & 0xff) |\n",
    "                                        (from[all + 2 * lane + 1] & 0xff) << 8;\n",
    "                count = from[all] >> 16;\n",
    "                NO3_UNROLL\n",
    "                for (i = 0; i < share; i++)\n",
    "                    list[i] = from[level_words + lanes * i + lane];\n",
    "            }\n",
    "        }\n",
    "        go = have == 1 && turns;\n",
    "        if (!CREW_ANY(go)) break;\n",
    "        turns--;\n",
    "\n",
    "        /* the line to look at: the smallest key */\n",
    "        best = NONE;\n",
    "        NO3_UNROLL\n",
    "        for (i = 0; i < share; i++) {\n",
    "            u32 open = words[i] << shift, there = POPCOUNT(open), n = own + halves * i;\n",
    "            if (weighted) there += POPCOUNT(words[i] & twice[i]);\n",
    "            best = min(best, combgpu_no3_line_key(\n",
    "                                 open, there, combgpu_no3_classes(need, 2 * halves * i, two, one),\n",
    "                                 n, tie));\n",
    "            if (halves == 2) {\n",
    "                open = words[i] & high;\n",
    "                best = min(best, combgpu_no3_line_key(\n",
    "                                     open, POPCOUNT(open),\n",
    "                                     combgpu_no3_classes(need, 4 * i + 2, two, one), n + 1, tie));\n",
    "            }\n",
    "        }\n",
    "        best = GROUP_MIN(best);\n",
    "\n",
    "        /* no line needs a point: a solution. Without room for it the board goes back as it is. */\n",
    "        NO3_IF_ANY(go && best >= 0xf0000000u)\n",
    "        {\n",
    "            u32 solved = go && best >= 0xf0000000u;\n",
    "            at = GROUP_EMIT(slice, solved);\n",
    "            if (at != NONE) {\n",
    "                GLOBAL u32 *to = records + (u64)at * (all + 1);\n",
    "                if (lane == 0) to[0] = count;\n",
    "                NO3_UNROLL\n",
    "                for (i = 0; i < share; i++)\n",
    "                    to[1 + lanes * i + lane] = list[i];\n",
    "                have = go = 0;\n",
    "                steps++;\n",
    "            } else if (solved) {\n",
    "                have = 2;\n",
    "                go = 0;\n",
    "            }\n",
    "        }\n",
    "        steps += go;\n",
    "        if (go && best < 0x10000000u) have = go = 0; /* dead */\n",
    "\n",
    "        /* the orbit to place; a group without a board goes along with any */\n",
    "        at = go \? best & 4095 : 0;\n",
    "        line = at >> 5;\n",
    "        place = places[at];\n",
    "        orbit = place & 1023;\n",
    "        other = place >> 10 & 127;\n",
    "        NO3_UNROLL\n",
    "        for (i = 0; i < share; i++)\n",
    "            gone[i] = 0;\n",
    "        combgpu_no3_gone(gone, rows + (1 + orbit) * all, share);\n",
    "        if (go) {\n",
    "            NO3_UNROLL\n",
    "            for (i = 0; i < share; i++)\n",
    "                words[i] &= ~gone[i];\n",
    "            if (best >= 0x20000000u) { /* not forced: the board without it waits */\n",
    "                combgpu_no3_store(top, words, share);\n",
    "                top[to_need] = need | count << 16;\n",
    "                top += level_words;\n",
    "                levels++;\n",
    "            }\n",
    "            if (line - own < lines) need -= (place >> 17 & 3) << 2 * (line - own);\n",
    "            if (other - own < lines) need -= (place >> 19 & 3) << 2 * (other - own);\n",
    "            at = 0xffffu << (count & 8 \? 16 : 0);\n",
    "            NO3_UNROLL\n",
    "            for (i = 0; i < share; i++) {\n",
    "                u32 here = lanes * i + lane == NO3_SLOT(count) \? at : 0;\n",
    "                list[i] = (list[i] & ~here) | ((orbit << 16 | orbit) & here);\n",
    "            }\n",
    "            count++;\n",
    "        }\n",
    "\n",
    "        /* what its lines no longer take */\n",
    "        need_line = GROUP_FROM(need >> 2 * (line & (lines - 1)), line / lines) & 3;\n",
    "        need_other = GROUP_FROM(need >> 2 * (other & (lines - 1)), other / lines) & 3;\n",
    "        combgpu_no3_gone(gone, rows + (line_rows + 3 * line + need_line) * all, share);\n",
    "        combgpu_no3_gone(gone, rows + (line_rows + 3 * other + need_other) * all, share);\n",
    "\n",
    "        /* what is in line with it and an orbit placed before; with itself: what it excludes alone.\n",
    "           In a round each lane finds the row for one orbit; then all lanes read all of them. */\n",
    "        limit = go \? count : 0;\n",
    "        NO3_UNROLL\n",
    "        NO3_EACH_ROUND(k, lanes * k < limit, 2 * share)\n",
    "        {\n",
    "            u32 row = 0;\n",
    "            if (lanes * k + lane < limit) {\n",
    "                u32 pair = list[NO3_SLOT(lanes * k) / lanes];\n",
    "                at = orbit * stride + (lanes * k & 8 \? pair >> 16 : pair & 0xffff);\n",
    "                row = all == 16 \? ((GLOBAL const u16 *)pairs)[at] : pairs[at];\n",
    "            }\n",
    "            NO3_UNROLL\n",
    "            for (i = 0; i < lanes; i++)\n",
    "                combgpu_no3_gone(gone, rows + GROUP_FROM(row, i) * all, share);\n",
    "        }\n",
    "        if (go) {\n",
    "            NO3_UNROLL\n",
    "            for (i = 0; i < share; i++)\n",
    "                words[i] &= ~gone[i];\n",
    "        }\n",
    "    }\n",
    "\n",
    "    /* give back the board and the stack: their lists begin alike */\n",
    "    have = have != 0;\n",
    "    while (CREW_ANY(have || levels)) {\n",
    "        at = GROUP_GIVE(slice, have || levels);\n",
    "        if (at != NONE) {\n",
    "            GLOBAL u32 *to = left + (u64)at * task_words;\n",
    "            if (have)\n",
    "                have = 0;\n",
    "            else {\n",
    "                top -= level_words;\n",
    "                levels--;\n",
    "                combgpu_no3_load(words, top, share);\n",
    "                need = top[to_need];\n",
    "                count = need >> 16;\n",
    "                need &= 0xffff;\n",
    "            }\n",
    "            NO3_UNROLL\n",
    "            for (i = 0; i < share; i++) {\n",
    "                to[lane * share + i] = words[i];\n",
    "                to[level_words + lanes * i + lane] = list[i];\n",
    "            }\n",
    "            if (lanes == 8)\n",
    "                to[all + lane] = need | count << 16;\n",
    "            else {\n",
    "                to[all + 2 * lane] = (need & 0xff) | count << 16;\n",
    "                to[all + 2 * lane + 1] = need >> 8 | count << 16;\n",
    "            }\n",
    "        }\n",
    "    }\n",
    "    if (lane == 0) combgpu_add_total(slice, 0, steps);\n",
    "}\n",
    "\n",
    "/* Boards of 16 words: the full search up to n = 16, and most classes. */\n",
    "KERNEL combgpu_no3_search(SLICE_ARGUMENTS)\n",
    "{\n",
    "    GROUP_BEGIN(4);\n",
    "    combgpu_no3(GROUP, slice, tables, tasks, left, records, work, 4, 4, 2);\n",
    "}\n",
    "\n",
    "/* 32 words, a line each. */\n",
    "KERNEL combgpu_no3_search_wide(SLICE_ARGUMENTS)\n",
    "{\n",
    "    GROUP_BEGIN(8);\n",
    "    combgpu_no3(GROUP, slice, tables, tasks, left, records, work, 8, 4, 1);\n",
    "}\n",
    "\n",
    "/* 64 words, a line each: the full search from n = 17 on. */\n",
    "KERNEL combgpu_no3_search_widest(SLICE_ARGUMENTS)\n",
    "{\n",
    "    GROUP_BEGIN(8);\n",
    "    combgpu_no3(GROUP, slice, tables, tasks, left, records, work, 8, 8, 1);\n",
    "}\n",
    "#endif /* NO3 */\n",
    "\n",
    "/* ---------------------------------------------------------------------------------- PERM */\n",
    "#if defined(COMBGPU_KERNELS_PERM) || defined(__CUDACC__)\n",
    "/* A worker is a block. Words of `tables` (combgpu.h, SECTION 40): n; permutations in a group (those\n",
    "   that differ in the last six places); 16-byte units of a group; of the output area; goal; list;\n",
    "   word at which the caller's data begin; from word 8 on the pattern: a group's bytes as places. */\n",
    "#define PERM_N ((int)tables[0])\n",
    "#define PERM_ORDERS tables[1]\n",
    "#define PERM_VECTORS tables[2]\n",
    "#define PERM_AREA tables[3]\n",
    "#define PERM_GOAL tables[4] /* 1 count, 2 minimum, 3 maximum */\n",
    "#define PERM_LIST tables[5]\n",
    "#define PERM_DATA tables[6]\n",
    "#define PERM_PATTERN 8\n",
    "#define PERM_PIECE_GROUPS 16\n",
    "#define PERM_LANES 128\n",
    "#define PERM_PLACES 20 /* the most */\n",
    "\n",
    "/* Device functions for a caller's own kernels too; n is at most 20, perm private. */\n",
    "\n",
    "/* The permutation of a rank < n!: Lehmer digits by division, then the element for each digit. */\n",
    "DEVICE void combgpu_unrank(int n, u64 rank, u8 *perm)\n",
    "{\n",
    "    u32 unused = (1u << n) - 1, rest, set, digit;\n",
    "    int i = 1;\n",
    "    for (; i <= n && rank >> 32; i++) {\n",
    "        perm[n - i] = (u8)(rank % (u32)i);\n",
    "        rank /= (u32)i;\n",
    "    }\n",
    "    for (rest = (u32)rank; i <= n; i++) {\n",
    "        perm[n - i] = (u8)(rest % (u32)i);\n",
    "        rest /= (u32)i;\n",
    "    }\n",
    "    for (i = 0; i < n; i++) {\n",
    "        set = unused;\n",
    "        for (digit = perm[i]; digit; digit--)\n",
    "            set &= set - 1;\n",
    "        perm[i] = (u8)CTZ(set);\n",
    "        unused &= ~(set & (0u - set));\n",
    "    }\n",
    "}\n",
    "\n",
    "/* The rank of a permutation. */\n",
    "DEVICE u64 combgpu_rank(int n, const u8 *perm)\n",
    "{\n",
    "    u32 unused = (1u << n) - 1;\n",
    "    u64 rank = 0;\n",
    "    int i;\n",
    "    for (i = 0; i < n; i++) {\n",
    "        u32 bit = 1u << perm[i];\n",
    "        rank = rank * (u32)(n - i) + POPCOUNT(unused & (bit - 1));\n",
    "        unused &= ~bit;\n",
    "    }\n",
    "    return rank;\n",
    "}\n",
    "\n",
    "/* The next one (Narayana Pandita); after the last one, which returns 0, comes the first. */\n",
    "DEVICE int combgpu_next_permutation(int n, u8 *perm)\n",
    "{\n",
    "    int i = n - 2, j = n - 1, k;\n",
    "    u8 x;\n",
    "    while (i >= 0 && perm[i] >= perm[i + 1])\n",
    "        i--;\n",
    "    if (i >= 0) {\n",
    "        while (perm[j] <= perm[i])\n",
    "            j--;\n",
    "        x = perm[i];\n",
    "        perm[i] = perm[j];\n",
    "        perm[j] = x;\n",
    "    }\n",
    "    for (j = i + 1, k = n - 1; j < k; j++, k--) {\n",
    "        x = perm[j];\n",
    "        perm[j] = perm[k];\n",
    "        perm[k] = x;\n",
    "    }\n",
    "    return i >= 0;\n",
    "}\n",
    "\n",
    "/* The engine's hash (splitmix64's finaliser). */\n",
    "DEVICE u64 combgpu_perm_mix(u64 x)\n",
    "{\n",
    "    x += (u64)0x9e3779b9 << 32 | 0x7f4a7c15;\n",
    "    x = (x ^ (x >> 30)) * ((u64)0xbf58476d << 32 | 0x1ce4e5b9);\n",
    "    x = (x ^ (x >> 27)) * ((u64)0x94d049bb << 32 | 0x133111eb);\n",
    "    return x ^ (x >> 31);\n",
    "}\n",
    "\n",
    "DEVICE u64 combgpu_perm_word64(GLOBAL const u32 *words)\n",
    "{\n",
    "    return (u64)words[0] | (u64)words[1] << 32;\n",
    "}\n",
    "\n",
    "DEVICE void combgpu_perm_store64(GLOBAL u32 *words, u64 x)\n",
    "{\n",
    "    words[0] = (u32)x;\n",
    "    words[1] = (u32)(x >> 32);\n",
    "}\n",
    "\n",
    "DEVICE void combgpu_perm_give_range(GLOBAL combgpu_slice_t *slice, GLOBAL u32 *left, u64 begin,\n",
    "                                    u64 end)\n",
    "{\n",
    "    u32 i = combgpu_give(slice);\n",
    "    combgpu_perm_store64(left + 4 * i, begin);\n",
    "    combgpu_perm_store64(left + 4 * i + 2, end);\n",
    "}\n",
    "\n",
    "/* Gives back what is left of a task, if anything; in two parts when there are too few tasks for all\n",
    "   workers. Called by one lane. */\n",
    "DEVICE void combgpu_perm_give(GLOBAL combgpu_slice_t *slice, GLOBAL const u32 *tables,\n",
    "                              GLOBAL u32 *left, u64 begin, u64 end)\n",
    "{\n",
    "    u64 middle = end;\n",
    "    if (begin >= end) return;\n",
    "    if (slice->task_count < 2 * slice->workers && (end - begin) / 2 >= PERM_ORDERS)\n",
    "        middle = begin + (end - begin) / 2 / PERM_ORDERS * PERM_ORDERS;\n",
    "    combgpu_perm_give_range(slice, left, begin, middle);\n",
    "    if (middle < end) combgpu_perm_give_range(slice, left, middle, end);\n",
    "}\n",
    "\n",
    "/* ---- WRITE: a piece is up to 16 groups. Lane 0 reserves its place in the area and emits its\n",
    "   record; 16 lanes unrank the first permutation of a group each; then every lane turns 16 bytes of\n",
    "   the pattern into 16 bytes of permutations: a place of the pattern is an index into the group's\n",
    "   first permutation. Whole groups are written, also where only part of one was asked for. */\n",
    "\n",
    "DEVICE u32 combgpu_perm_substitute(LOCAL const u8 *first, u32 places)\n",
    "{\n",
    "    return (u32)first[places & 255] | (u32)first[places >> 8 & 255] << 8 |\n",
    "           (u32)first[places >> 16 & 255] << 16 | (u32)first[places >> 24] << 24;\n",
    "}\n",
    "\n",
    "/* Reserves room for `groups` groups from the one of `rank` on; the 16-byte unit, or NONE. */\n",
    "DEVICE u32 combgpu_perm_reserve(GLOBAL combgpu_slice_t *slice, GLOBAL const u32 *tables,\n",
    "                                GLOBAL u32 *records, u64 rank, u32 count, u32 groups)\n",
    "{\n",
    "    u32 room = groups * PERM_VECTORS, unit = ATOMIC_ADD(&slice->area_next, room), record;\n",
    "    if (unit > PERM_AREA || room > PERM_AREA - unit) {\n",
    "        ATOMIC_OR(&slice->stop, STOP_NOW);\n",
    "        return NONE;\n",
    "    }\n",
    "    record = combgpu_emit(slice);\n",
    "    if (record == NONE) return NONE;\n",
    "    combgpu_perm_store64(records + 4 * record, rank);\n",
    "    records[4 * record + 2] = count;\n",
    "    records[4 * record + 3] = unit;\n",
    "    return unit;\n",
    "}\n",
    "\n",
    "KERNEL combgpu_perm_write(SLICE_ARGUMENTS)\n",
    "{\n",
    "    LOCAL_ARRAY u8 firsts[PERM_PIECE_GROUPS * 32];\n",
    "    LOCAL_ARRAY u32 shared_word;\n",
    "    const u32 orders = PERM_ORDERS, vectors = PERM_VECTORS;\n",
    "    GLOBAL const uint4 *pattern = (GLOBAL const uint4 *)(tables + PERM_PATTERN);\n",
    "    u64 steps = 0, begin = 0, end = 0;\n",
    "    for (;;) {\n",
    "        u32 count, groups, unit, i, group, at;\n",
    "        if (begin == end) { /* the next task */\n",
    "            if (LANE_ID == 0)\n",
    "                shared_word = !combgpu_spent(slice, (u32)steps) \? combgpu_take(slice) : NONE;\n",
    "            BLOCK_BARRIER();\n",
    "            i = shared_word;\n",
    "            BLOCK_BARRIER();\n",
    "            if (i == NONE) break;\n",
    "            begin = combgpu_perm_word64(tasks + 4 * i);\n",
    "            end = combgpu_perm_word64(tasks + 4 * i + 2);\n",
    "        }\n",
    "        count = PERM_PIECE_GROUPS * orders - (u32)(begin % orders);\n",
    "        if (count > end - begin) count = (u32)(end - begin);\n",
    "        groups = ((u32)(begin % orders) + count + orders - 1) / orders;\n",
    "        if (LANE_ID == 0)\n",
    "            shared_word = !combgpu_spent(slice, (u32)steps)\n",
    "                              \? combgpu_perm_reserve(slice, tables, records, begin, count, groups)\n",
    "                              : NONE;\n",
    "        if (LANE_ID < groups) {\n",
    "            u8 first[PERM_PLACES];\n",
    "            combgpu_unrank(PERM_N, (begin / orders + LANE_ID) * orders, first);\n",
    "            for (i = 0; i < (u32)PERM_N; i++)\n",
    "                firsts[32 * LANE_ID + i] = first[i];\n",
    "        }\n",
    "        BLOCK_BARRIER();\n",
    "        unit = shared_word;\n",
    "        if (unit == NONE) {\n",
    "            if (LANE_ID == 0) combgpu_perm_give(slice, tables, left, begin, end);\n",
    "            break;\n",
    "        }\n",
    "        group = LANE_ID / vectors;\n",
    "        at = LANE_ID % vectors;\n",
    "        for (i = LANE_ID; i < groups * vectors; i += BLOCK_LANES) {\n",
    "            LOCAL const u8 *first = firsts + 32 * group;\n",
    "            uint4 x = pattern[at];\n",
    "            x.x = combgpu_perm_substitute(first, x.x);\n",
    "            x.y = combgpu_perm_substitute(first, x.y);\n",
    "            x.z = combgpu_perm_substitute(first, x.z);\n",
    "            x.w = combgpu_perm_substitute(first, x.w);\n",
    "            ((GLOBAL uint4 *)work)[unit + i] = x;\n",
    "            for (at += BLOCK_LANES; at >= vectors; at -= vectors)\n",
    "                group++;\n",
    "        }\n",
    "        BLOCK_BARRIER(); /* before the next piece's firsts and shared_word */\n",
    "        steps += count;\n",
    "        begin += count;\n",
    "    }\n",
    "    if (LANE_ID == 0) combgpu_add_total(slice, 0, steps);\n",
    "}\n",
    "\n",
    "/* ---- COUNT, MINIMUM, MAXIMUM: the block takes its range in turns. In a turn each lane has a run\n",
    "   of k! permutations that begins at a multiple of k!, so that next_permutation takes the same\n",
    "   branches in all lanes. A turn counts as a whole or, if its hits find no room, not at all.\n",
    "\n",
    "   The visitor: OpenCL puts a caller's combgpu_visit before this file; CUDA instantiates the kernel\n",
    "   with a type that has visit(). */\n",
    "#if defined(COMBGPU_VISITOR) || defined(__CUDACC__)\n",
    "#ifdef __CUDACC__\n",
    "#define PERM_VISITOR_PARAMETER template <class Visitor>\n",
    "#define PERM_VALUE(perm) Visitor::visit(perm, n, data)\n",
    "#else\n",
    "#define PERM_VISITOR_PARAMETER\n",
    "#define PERM_VALUE(perm) combgpu_visit(perm, n, data)\n",
    "#endif\n",
    "#define PERM_LAST_KEY ((i64)(~(u64)0 >> 1)) /* the largest */\n",
    "\n",
    "/* The length k! of a run for `count` permutations: as long as all lanes have one, at most 7!. */\n",
    "DEVICE u32 combgpu_perm_run(u64 count)\n",
    "{\n",
    "    u32 run = 1, k;\n",
    "    for (k = 2; k <= 7 && (u64)run * k * BLOCK_LANES <= count; k++)\n",
    "        run *= k;\n",
    "    return run;\n",
    "}\n",
    "\n",
    "PERM_VISITOR_PARAMETER KERNEL combgpu_perm_visit(SLICE_ARGUMENTS)\n",
    "{\n",
    "    LOCAL_ARRAY u64 lane_words[2 * PERM_LANES];\n",
    "    LOCAL_ARRAY u32 shared_words[3]; /* decision of lane 0; hits of the turn; their first record */\n",
    "    GLOBAL const u8 *data = (GLOBAL const u8 *)(tables + PERM_DATA);\n",
    "    const int n = PERM_N;\n",
    "    const u32 counting = PERM_GOAL == 1, list = PERM_LIST;\n",
    "    const i64 flip = PERM_GOAL == 3 \? -1 : 0; /* the complement orders the other way round */\n",
    "    u32 lanes = BLOCK_LANES, most = slice->budget / 4, run = 1, i;\n",
    "    u64 steps = 0, begin = 0, end = 0, hits = 0, hash = 0, best_rank = ~(u64)0;\n",
    "    i64 best_key = PERM_LAST_KEY;\n",
    "    if (list && most > slice->record_capacity) most = slice->record_capacity;\n",
    "    if (list && lanes > slice->record_capacity) lanes = slice->record_capacity;\n",
    "    for (;;) {\n",
    "        u64 turn_end, from, to, rank, turn_hash = 0;\n",
    "        u32 turn_hits = 0, total, at;\n",
    "        u8 perm[PERM_PLACES];\n",
    "        if (LANE_ID == 0) {\n",
    "            shared_words[0] = combgpu_spent(slice, (u32)steps) \? NONE\n",
    "                              : begin == end                           \? combgpu_take(slice)\n",
    "                                                                       : 0;\n",
    "            shared_words[1] = 0;\n",
    "        }\n",
    "        BLOCK_BARRIER();\n",
    "        i = shared_words[0];\n",
    "        BLOCK_BARRIER();\n",
    "        if (i == NONE) break;\n",
    "        if (begin == end) {\n",
    "            begin = combgpu_perm_word64(tasks + 4 * i);\n",
    "            end = combgpu_perm_word64(tasks + 4 * i + 2);\n",
    "            run = combgpu_perm_run(end - begin < most \? end - begin : most);\n",
    "        }\n",
    "        turn_end = (begin / run + lanes) * run;\n",
    "        if (turn_end > end) turn_end = end;\n",
    "        from = (begin / run + LANE_ID) * run;\n",
    "        to = from + run;\n",
    "        if (from < begin) from = begin;\n",
    "        if (to > turn_end) to = turn_end;\n",
    "        if (from < to) combgpu_unrank(n, from, perm);\n",
    "        for (rank = from; rank < to; rank++) {\n",
    "            i64 value = PERM_VALUE(perm);\n",
    "            if (counting && value) {\n",
    "                turn_hits++;\n",
    "                if (!list) turn_hash += combgpu_perm_mix(rank);\n",
    "            } else if (!counting && ((value ^ flip) < best_key ||\n",
    "                                     ((value ^ flip) == best_key && rank < best_rank))) {\n",
    "                best_key = value ^ flip;\n",
    "                best_rank = rank;\n",
    "            }\n",
    "            combgpu_next_permutation(n, perm);\n",
    "        }\n",
    "        /* reserve records for all hits of the turn, then find the hits again. (All barriers are\n",
    "           outside of conditions: PoCL 3.1 made wrong code for some that were inside.) */\n",
    "        at = list && turn_hits \? LOCAL_ATOMIC_ADD(&shared_words[1], turn_hits) : 0;\n",
    "        BLOCK_BARRIER();\n",
    "        total = shared_words[1];\n",
    "        if (LANE_ID == 0) shared_words[2] = total \? ATOMIC_ADD(&slice->record_count, total) : 0;\n",
    "        BLOCK_BARRIER();\n",
    "        at += shared_words[2];\n",
    "        if (total && shared_words[2] + total > slice->record_capacity) {\n",
    "            /* no room: what is left of the buffer becomes no records, and the slice ends */\n",
    "            for (i = shared_words[2] + LANE_ID; i < slice->record_capacity; i += BLOCK_LANES)\n",
    "                combgpu_perm_store64(records + 4 * i, ~(u64)0);\n",
    "            if (LANE_ID == 0) ATOMIC_OR(&slice->stop, STOP_NOW);\n",
    "            continue;\n",
    "        }\n",
    "        if (!list) {\n",
    "            hits += turn_hits;\n",
    "            hash += turn_hash;\n",
    "        } else if (turn_hits) {\n",
    "            combgpu_unrank(n, from, perm);\n",
    "            for (rank = from; rank < to; rank++) {\n",
    "                if (PERM_VALUE(perm)) {\n",
    "                    combgpu_perm_store64(records + 4 * at, rank);\n",
    "                    records[4 * at + 2] = 1;\n",
    "                    records[4 * at + 3] = 0;\n",
    "                    at++;\n",
    "                }\n",
    "                combgpu_next_permutation(n, perm);\n",
    "            }\n",
    "        }\n",
    "        steps += turn_end - begin;\n",
    "        begin = turn_end;\n",
    "    }\n",
    "    /* the lanes' sums or bests become the block's */\n",
    "    lane_words[2 * LANE_ID] = counting \? hits : (u64)best_key;\n",
    "    lane_words[2 * LANE_ID + 1] = counting \? hash : best_rank;\n",
    "    BLOCK_BARRIER();\n",
    "    if (LANE_ID != 0) return;\n",
    "    for (i = 1; i < BLOCK_LANES; i++) {\n",
    "        u64 first = lane_words[2 * i], second = lane_words[2 * i + 1];\n",
    "        if (counting) {\n",
    "            hits += first;\n",
    "            hash += second;\n",
    "        } else if ((i64)first < best_key || ((i64)first == best_key && second < best_rank)) {\n",
    "            best_key = (i64)first;\n",
    "            best_rank = second;\n",
    "        }\n",
    "    }\n",
    "    if (!counting) {\n",
    "        combgpu_perm_store64(work + 4 * BLOCK_ID, (u64)best_key);\n",
    "        combgpu_perm_store64(work + 4 * BLOCK_ID + 2, best_rank);\n",
    "    }\n",
    "    combgpu_perm_give(slice, tables, left, begin, end);\n",
    "    combgpu_add_total(slice, 0, steps);\n",
    "    combgpu_add_total(slice, 1, hits);\n",
    "    combgpu_add_total(slice, 2, hash);\n",
    "}\n",
    "#undef PERM_VISITOR_PARAMETER\n",
    "#undef PERM_VALUE\n",
    "#undef PERM_LAST_KEY\n",
    "#endif /* visitor */\n",
    "#undef PERM_N\n",
    "#undef PERM_ORDERS\n",
    "#undef PERM_VECTORS\n",
    "#undef PERM_AREA\n",
    "#undef PERM_GOAL\n",
    "#undef PERM_LIST\n",
    "#undef PERM_DATA\n",
    "#undef PERM_PATTERN\n",
    "#undef PERM_PIECE_GROUPS\n",
    "#undef PERM_LANES\n",
    "#undef PERM_PLACES\n",
    "\n",
    "#endif /* PERM */\n",
    "\n",
    "/* ---------------------------------------------------------------------------------- TSP */\n",
    "#if defined(COMBGPU_KERNELS_TSP) || defined(__CUDACC__)\n",
    "\n",
    "#endif /* TSP */\n",
    "\n",
    "#ifdef __CUDACC__ /* the short names end here: the file is included in a user's program */\n",
    "#undef u8\n",
    "#undef u16\n",
    "#undef u32\n",
    "#undef u64\n",
    "#undef i32\n",
    "#undef i64\n",
    "#undef KERNEL\n",
    "#undef DEVICE\n",
    "#undef GLOBAL\n",
    "#undef LOCAL\n",
    "#undef LOCAL_ARRAY\n",
    "#undef LANE_ID\n",
    "#undef BLOCK_ID\n",
    "#undef BLOCK_LANES\n",
    "#undef BLOCK_COUNT\n",
    "#undef BLOCK_BARRIER\n",
    "#undef POPCOUNT\n",
    "#undef CLZ\n",
    "#undef CTZ\n",
    "#undef ATOMIC_ADD\n",
    "#undef ATOMIC_OR\n",
    "#undef ATOMIC_MIN\n",
    "#undef LOCAL_ATOMIC_ADD\n",
    "#undef SLICE_ARGUMENTS\n",
    "#undef STOPPED\n",
    "#undef STOP_NOW\n",
    "#undef STOP_HUNGRY\n",
    "#undef NONE\n",
    "#undef GROUP\n",
    "#undef GROUP_PARAMETER\n",
    "#undef GROUP_LANE\n",
    "#undef GROUP_INDEX\n",
    "#undef GROUP_MIN\n",
    "#undef GROUP_ADD\n",
    "#undef GROUP_BALLOT\n",
    "#undef GROUP_ANY\n",
    "#undef GROUP_FROM\n",
    "#undef GROUP_TAKE\n",
    "#undef GROUP_GIVE\n",
    "#undef GROUP_EMIT\n",
    "#undef GROUP_BEGIN\n",
    "#undef CREW_ANY\n",
    "#undef CREW_BARRIER\n",
    "#endif\n",
    "\n",
    "#endif /* COMBGPU_KERNELS_CL */\n",
};
/* clang-format on */
/* END OF THE GENERATED BLOCK */

COMBGPU__PRIVATE const char *const *combgpu__cl_text(size_t *lines)
{
    *lines = sizeof combgpu__kernel_text / sizeof combgpu__kernel_text[0];
    return combgpu__kernel_text;
}
