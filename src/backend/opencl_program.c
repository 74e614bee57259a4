/* The OpenCL backend: programs built from the kernels' text, and kernels shaped for the device. */

/* What prepare returns. */
typedef struct combgpu__cl_kernel {
    cl_kernel kernel;
    int packed;     /* as of combgpu__cl_packing; or nonzero: in NVIDIA's warps */
    size_t block;   /* work-group size */
    cl_event event; /* of the running slice */
    double began;
} combgpu__cl_kernel;

/* Returns the lines of combgpu_kernels.cl, at the end of combgpu_cl.c. */
COMBGPU__PRIVATE const char *const *combgpu__cl_text(size_t *lines);

/* NVIDIA's compiler ignores #line: the LINE of its "<kernel>:LINE:" counts from the first string of
   combgpu__cl_build. Finds the first such line of `log`: writes its name and number by the #line
   before it, and ": "; nothing if it is not one of the source's. */
COMBGPU__PRIVATE void combgpu__cl_callers_line(const char *source, const char *log, char *place,
                                               size_t bytes)
{
    const char *at = strstr(log, "<kernel>:");
    unsigned long line = at ? strtoul(at + 9, NULL, 10) : 0, here, named = 1;
    char name[81] = "source";
    place[0] = 0;
    for (here = 2; source && *source && here <= line; here++) {
        unsigned long next;
        if (here == line) snprintf(place, bytes, "%s, line %lu: ", name, named);
        named++;
        if (sscanf(source, "#line %lu \"%80[^\"\n]", &next, name) == 2) named = next;
        source += strcspn(source, "\n");
        source += *source == '\n';
    }
}

/* Reports a failed build: the build log to the logger, its beginning in the message. */
COMBGPU__PRIVATE combgpu_status combgpu__cl_build_failed(combgpu_context *ctx, cl_program program,
                                                         cl_int error, const char *part,
                                                         const char *source)
{
    combgpu__cl *cl = (combgpu__cl *)ctx->handle;
    size_t bytes = 0, i;
    char *text, *line, shown[401], place[128];
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
    combgpu__cl_callers_line(source, text, place, sizeof place);
    combgpu__release(ctx, text);
    return combgpu__fail(ctx, COMBGPU_DEVICE_ERROR, "cannot build the %s kernels: %s (%d): %s%s",
                         part, combgpu__cl_error(error), (int)error, place, shown);
}

/* Returns the allocated text of the file COMBGPU_KERNELS_FILE; NULL = use the embedded text. */
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
    (void)fclose(file);
#else
    (void)ctx;
#endif
    return text;
}

/* How a kernel's groups of so many lanes share sub-groups: 1 + the lanes of one, 1: as many as the
   driver likes; 0 = not at all. Wide sub-groups leave a lane few registers. */
COMBGPU__PRIVATE int combgpu__cl_packing(const combgpu__cl *cl, uint32_t lanes)
{
    const uint32_t best = lanes > 16 ? 32 : 16;
    const uint32_t fit = cl->subgroups & (lanes > 16 ? best : ~(lanes - 1));
    if (!cl->pack || lanes < 2 || lanes > 32 || (cl->subgroups && !fit)) return 0;
    return 1 + (int)(fit & best ? best : fit & (0u - fit));
}

/* Builds a kernel from its part of the text, which it takes alone, after `source` unless that is
   NULL. */
COMBGPU__PRIVATE combgpu_status combgpu__cl_build(combgpu_context *ctx, const combgpu__entry *entry,
                                                  const char *source, int packed,
                                                  cl_program *program)
{
    combgpu__cl *cl = (combgpu__cl *)ctx->handle;
    size_t lines, count = 0, i;
    const char *const *text = combgpu__cl_text(&lines);
    const char **strings = (const char **)combgpu__allocate(ctx, (lines + 4) * sizeof *strings);
    char *file = combgpu__cl_text_file(ctx);
#ifdef COMBGPU_TEST_FAULT
    const char *fault = " -DCOMBGPU_TEST_FAULT";
#elif defined COMBGPU_TEST_OPTIONS /* of the kernels, for a test */
    const char *fault = COMBGPU_TEST_OPTIONS;
#else
    const char *fault = "";
#endif
    char options[256], subgroups[40] = "", path[COMBGPU__CL_CACHE_PATH];
    uint64_t sum = 0;
    int built = 0;
    combgpu__mask before;
    cl_int error = CL_OUT_OF_HOST_MEMORY;
    combgpu_status status = COMBGPU_OK;
    *program = NULL;
    if (packed) snprintf(subgroups, sizeof subgroups, " -DCOMBGPU_SUBGROUPS=%d", packed - 1);
    snprintf(options, sizeof options,
             "-cl-std=CL%s -DCOMBGPU_KERNELS_%.32s -DCOMBGPU_ONE -DCOMBGPU_ONE_%.64s%s%s",
             packed ? cl->pack : "1.2", entry->part, entry->name,
             ctx->shuffles ? " -DCOMBGPU_SHUFFLE -cl-nv-verbose" : subgroups, fault);
    combgpu__mask_begin(&before);
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
        sum = combgpu__cl_cache_name(ctx, strings, count, options, path);
        if (sum) *program = combgpu__cl_cached(ctx, path, sum, options);
        if (*program)
            error = CL_SUCCESS;
        else {
            *program =
                clCreateProgramWithSource(cl->context, (cl_uint)count, strings, NULL, &error);
            built = 1;
        }
    }
    if (error)
        status = combgpu__cl_fail(ctx, error, "cannot load the kernels", entry->part);
    else if (built) {
        error = clBuildProgram(*program, 1, &cl->device, options, NULL, NULL);
        if (error) {
            status = combgpu__cl_build_failed(ctx, *program, error, entry->part, source);
            clReleaseProgram(*program);
            *program = NULL;
        } else if (sum)
            combgpu__cl_cache(ctx, path, sum, *program);
    }
    combgpu__mask_end(&before);
    combgpu__release(ctx, strings);
    combgpu__release(ctx, file);
    return status;
}

/* Drivers whose compilers turn some kernels into wrong code, or end the process on them. Where no
   later version is known to be right, `before` is the end. */
typedef struct combgpu__cl_fault {
    int driver;           /* combgpu__entry_faults */
    const char *platform; /* the beginning of its name */
    const char *needs;    /* what the platform's version contains */
    const char *method;   /* of PoCL, set in the environment; NULL = any */
    int from, before;     /* major versions of the driver */
    const char *what;
} combgpu__cl_fault;

COMBGPU__PRIVATE const combgpu__cl_fault *combgpu__cl_faults(size_t *count)
{
    static const combgpu__cl_fault faults[] = {
        /* has LLVM check its own instruction combining, and abort() where that is not complete */
        {COMBGPU__POCL_LLVM18, "Portable Computing Language", "LLVM 18", NULL, 5, 7,
         "its compiler would end the process"},
        {COMBGPU__POCL_CBS, "Portable Computing Language", "", "cbs", 4, 1 << 30,
         "its work-group method cbs crashes on it or makes wrong code"}};
    *count = sizeof faults / sizeof faults[0];
    return faults;
}

/* Fails with UNSUPPORTED if the driver is known to go wrong with a kernel, before that is built. */
COMBGPU__PRIVATE combgpu_status combgpu__cl_known(combgpu_context *ctx, const char *name)
{
    combgpu__cl *cl = (combgpu__cl *)ctx->handle;
    char platform[128] = "", version[512] = "", driver[64] = "";
    cl_platform_id id = NULL;
    size_t count, i;
    const int drivers = combgpu__entry_faults(name);
    const char *method = getenv("POCL_WORK_GROUP_METHOD");
    const combgpu__cl_fault *faults = combgpu__cl_faults(&count);
    if (!drivers) return COMBGPU_OK;
    if (clGetDeviceInfo(cl->device, CL_DEVICE_PLATFORM, sizeof id, &id, NULL)) return COMBGPU_OK;
    clGetPlatformInfo(id, CL_PLATFORM_NAME, sizeof platform, platform, NULL);
    clGetPlatformInfo(id, CL_PLATFORM_VERSION, sizeof version, version, NULL);
    clGetDeviceInfo(cl->device, CL_DRIVER_VERSION, sizeof driver, driver, NULL);
    for (i = 0; i < count; i++) {
        const combgpu__cl_fault *fault = &faults[i];
        const int major = atoi(driver);
        if ((drivers & fault->driver) &&
            strncmp(platform, fault->platform, strlen(fault->platform)) == 0 &&
            strstr(version, fault->needs) && major >= fault->from && major < fault->before &&
            (!fault->method || (method && strcmp(method, fault->method) == 0)))
            return combgpu__fail(ctx, COMBGPU_UNSUPPORTED, "kernel %s is not used with %s %s: %s",
                                 name, platform, driver, fault->what);
    }
    return COMBGPU_OK;
}

/* Returns the program with a kernel, for the caller to release. Builds a kernel's own source each
   time. */
COMBGPU__PRIVATE combgpu_status combgpu__cl_find(combgpu_context *ctx,
                                                 const combgpu__kernel *kernel, int packed,
                                                 cl_program *program)
{
    combgpu__cl *cl = (combgpu__cl *)ctx->handle;
    combgpu__cl_program *kept = cl->programs;
    const combgpu__entry *entry = combgpu__entry_of(kernel->name);
    combgpu_status status;
    if (!entry)
        return combgpu__fail(ctx, COMBGPU_DEVICE_ERROR, "no kernel %s in this build", kernel->name);
    if (kernel->opencl_source)
        return combgpu__cl_build(ctx, entry, kernel->opencl_source, packed, program);
    while (kept && (kept->entry != entry || kept->packed != packed))
        kept = kept->next;
    if (!kept) {
        kept = (combgpu__cl_program *)combgpu__allocate_zeroed(ctx, sizeof *kept);
        if (!kept) return combgpu__no_memory(ctx, sizeof *kept);
        status = combgpu__cl_build(ctx, entry, NULL, packed, &kept->program);
        if (status) {
            combgpu__release(ctx, kept);
            return status;
        }
        kept->entry = entry;
        kept->packed = packed;
        kept->next = cl->programs;
        cl->programs = kept;
    }
    *program = kept->program;
    clRetainProgram(*program);
    return COMBGPU_OK;
}

/* Returns the registers of a kernel's lane, from the build log of NVIDIA's compiler
   (-cl-nv-verbose): "entry function 'NAME' ... Used N registers"; 64 if the log does not say. */
COMBGPU__PRIVATE size_t combgpu__cl_registers(combgpu_context *ctx,
                                              const combgpu__cl_kernel *prepared, const char *name)
{
    combgpu__cl *cl = (combgpu__cl *)ctx->handle;
    cl_program program = NULL;
    size_t bytes = 0;
    unsigned registers = 0;
    char quoted[80], *log, *at;
    if (clGetKernelInfo(prepared->kernel, CL_KERNEL_PROGRAM, sizeof program, &program, NULL) ||
        clGetProgramBuildInfo(program, cl->device, CL_PROGRAM_BUILD_LOG, 0, NULL, &bytes))
        return 64;
    log = (char *)combgpu__allocate_zeroed(ctx, bytes + 1);
    if (!log) return 64;
    clGetProgramBuildInfo(program, cl->device, CL_PROGRAM_BUILD_LOG, bytes, log, NULL);
    snprintf(quoted, sizeof quoted, "'%.70s'", name);
    at = strstr(log, quoted);
    if (at) at = strstr(at, "Used ");
    if (at && sscanf(at, "Used %u registers", &registers) != 1) registers = 0;
    combgpu__release(ctx, log);
    return registers >= 16 && registers <= 256 ? (registers + 7) / 8 * 8 : 64;
}

/* Returns the lanes of a sub-group in work-groups of `block` lanes; 0 = the driver does not say. */
COMBGPU__PRIVATE size_t combgpu__cl_subgroup(const combgpu__cl *cl, cl_kernel kernel, size_t block)
{
    cl_int(CL_API_CALL * subgroup)(cl_kernel, cl_device_id, cl_uint, size_t, const void *, size_t,
                                   void *, size_t *) = NULL;
    cl_platform_id platform = NULL;
    size_t lanes = 0;
    void *address;
    clGetDeviceInfo(cl->device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL);
    address = clGetExtensionFunctionAddressForPlatform(platform, "clGetKernelSubGroupInfoKHR");
    memcpy(&subgroup, &address, sizeof subgroup);
    /* CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE_KHR */
    if (subgroup && !subgroup(kernel, cl->device, 0x410a, 0, NULL, sizeof lanes, &lanes, NULL) &&
        lanes)
        return lanes;
    if (subgroup &&
        subgroup(kernel, cl->device, 0x2033, sizeof block, &block, sizeof lanes, &lanes, NULL))
        lanes = 0;
    if (!subgroup) /* AMD's wavefront */
        clGetKernelWorkGroupInfo(kernel, cl->device, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE,
                                 sizeof lanes, &lanes, NULL);
    return lanes;
}

/* Chooses the work-group size and the number of workers that fill the device. */
COMBGPU__PRIVATE combgpu_status combgpu__cl_shape(combgpu_context *ctx,
                                                  const combgpu__kernel *kernel,
                                                  combgpu__cl_kernel *prepared, uint32_t *workers)
{
    combgpu__cl *cl = (combgpu__cl *)ctx->handle;
    size_t lanes = (size_t)kernel->lanes_per_worker, block = (size_t)kernel->lanes_per_block;
    size_t least, limit = 0, blocks = 4, warp;
    cl_ulong local = 0;
    cl_int error;
    error = clGetKernelWorkGroupInfo(prepared->kernel, cl->device, CL_KERNEL_WORK_GROUP_SIZE,
                                     sizeof limit, &limit, NULL);
    if (!error)
        error = clGetKernelWorkGroupInfo(prepared->kernel, cl->device, CL_KERNEL_LOCAL_MEM_SIZE,
                                         sizeof local, &local, NULL);
    if (error) return combgpu__cl_fail(ctx, error, "cannot ask about kernel", kernel->name);
    if (limit > cl->most_lanes) limit = cl->most_lanes;
    if (local > cl->most_local)
        return combgpu__fail(ctx, COMBGPU_UNSUPPORTED,
                             "kernel %s needs %llu bytes of local memory, and %s has %llu",
                             kernel->name, (unsigned long long)local, ctx->device.name,
                             (unsigned long long)cl->most_local);
    /* unless packed a group of lanes is a block, so that barriers can synchronise it */
    if (!prepared->packed && lanes > 1) block = lanes;
    least = ctx->shuffles && lanes > 1 && lanes < 32 ? 32 : lanes;
    while (block > limit && block / 2 >= least)
        block /= 2;
    if (block > limit)
        return combgpu__fail(ctx, COMBGPU_UNSUPPORTED,
                             "kernel %s needs a work-group of %u lanes, and %s allows %u",
                             kernel->name, (unsigned)block, ctx->device.name, (unsigned)limit);
    if (prepared->packed && !ctx->shuffles) {
        warp = combgpu__cl_subgroup(cl, prepared->kernel, block);
        if (!warp || block % warp || warp % lanes || (lanes == 32 && warp != 32))
            return combgpu__fail(ctx, COMBGPU_UNSUPPORTED, "kernel %s has sub-groups of %u lanes",
                                 kernel->name, (unsigned)warp);
    }
    if (ctx->device.is_gpu) {
        /* 2048 lanes fill a unit, fewer if registers are short, as the kernel's limit shows;
           NVIDIA's limit is the same for all kernels */
        size_t fill = limit < cl->most_lanes ? limit : 2048;
        if (ctx->shuffles) fill = 65536 / combgpu__cl_registers(ctx, prepared, kernel->name);
        blocks = (fill < 2048 ? fill : 2048) / block;
        if (local && blocks > 4 * cl->most_local / local)
            blocks = (size_t)(4 * cl->most_local / local);
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
    if (prepared->event) clReleaseEvent(prepared->event);
    if (prepared->kernel) clReleaseKernel(prepared->kernel);
    combgpu__release(ctx, prepared);
}

/* Builds the kernel; packed: as of combgpu__cl_packing. */
COMBGPU__PRIVATE combgpu_status combgpu__cl_make(combgpu_context *ctx,
                                                 const combgpu__kernel *kernel, int packed,
                                                 combgpu__cl_kernel **out, uint32_t *workers)
{
    combgpu__cl_kernel *prepared;
    cl_program program;
    cl_int error;
    combgpu_status status;
    *out = NULL;
    prepared = (combgpu__cl_kernel *)combgpu__allocate_zeroed(ctx, sizeof *prepared);
    if (!prepared) return combgpu__no_memory(ctx, sizeof *prepared);
    prepared->packed = packed || ctx->shuffles;
    status = combgpu__cl_find(ctx, kernel, packed, &program);
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

COMBGPU__PRIVATE combgpu_status combgpu__cl_prepare(combgpu_context *ctx,
                                                    const combgpu__kernel *kernel, void **out,
                                                    uint32_t *workers)
{
    const int packed =
        combgpu__cl_packing((const combgpu__cl *)ctx->handle, (uint32_t)kernel->lanes_per_worker);
    combgpu__cl_kernel *prepared = NULL;
    combgpu_status status = combgpu__cl_known(ctx, kernel->name);
    if (!status && packed && combgpu__cl_make(ctx, kernel, packed, &prepared, workers)) {
        combgpu__log(ctx, COMBGPU_LOG_WARNING, "%s; a group of lanes is a work-group instead",
                     ctx->message);
        ctx->message[0] = 0;
    }
    if (!status && !prepared) status = combgpu__cl_make(ctx, kernel, 0, &prepared, workers);
    *out = prepared;
    return status;
}
