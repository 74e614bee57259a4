/* The OpenCL backend: binaries of programs in the user's cache folder, $XDG_CACHE_HOME/combgpu or
   ~/.cache/combgpu, for drivers that keep none themselves (Intel's for CPUs). The environment variable
   COMBGPU_NO_CACHE turns this off. A file is two sums of 8 bytes and the binary: what it was made of,
   and the binary itself. If these are not right, or the driver refuses it, the text is built again. */

#if defined(COMBGPU__FILES) && defined(COMBGPU__POSIX)

enum { COMBGPU__CL_CACHE_PATH = 400 };

/* Makes the name of a program's file. Returns the sum of all that the binary depends on, or 0: no
   cache. */
COMBGPU__PRIVATE uint64_t combgpu__cl_cache_name(combgpu_context *ctx, const char *const *strings,
                                                 size_t count, const char *options, char *path)
{
    static const char *const keep[] = {"NVIDIA CUDA", "Portable Computing Language", "rusticl",
                                       "Clover", "Apple"};
    const combgpu__cl *cl = (const combgpu__cl *)ctx->handle;
    const char *folder = getenv("XDG_CACHE_HOME");
    const int given = folder && folder[0] == '/';
    uint64_t sum = combgpu__fnv(COMBGPU__FNV_OFFSET, options, strlen(options) + 1);
    char name[128] = "", facts[3][256];
    cl_platform_id platform = NULL;
    size_t i;
    int length;
    if (!given) folder = getenv("HOME");
    if (getenv("COMBGPU_NO_CACHE") || !folder || folder[0] != '/') return 0;
    memset(facts, 0, sizeof facts);
    if (clGetDeviceInfo(cl->device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL) ||
        clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name, name, NULL) ||
        clGetPlatformInfo(platform, CL_PLATFORM_VERSION, sizeof facts[0], facts[0], NULL) ||
        clGetDeviceInfo(cl->device, CL_DRIVER_VERSION, sizeof facts[1], facts[1], NULL) ||
        clGetDeviceInfo(cl->device, CL_DEVICE_NAME, sizeof facts[2], facts[2], NULL))
        return 0;
    for (i = 0; i < sizeof keep / sizeof keep[0]; i++)
        if (!strncmp(name, keep[i], strlen(keep[i]))) return 0;
    sum = combgpu__fnv(combgpu__fnv(sum, facts, sizeof facts), name, sizeof name);
    for (i = 0; i < count; i++)
        sum = combgpu__fnv(sum, strings[i], strlen(strings[i]));
    length = snprintf(path, COMBGPU__CL_CACHE_PATH, "%s%s/combgpu/%016llx", folder,
                      given ? "" : "/.cache", (unsigned long long)sum);
    return length < COMBGPU__CL_CACHE_PATH - 32 ? sum : 0;
}

/* Returns a program built from its file, or NULL. */
COMBGPU__PRIVATE cl_program combgpu__cl_cached(combgpu_context *ctx, const char *path, uint64_t sum,
                                               const char *options)
{
    const combgpu__cl *cl = (const combgpu__cl *)ctx->handle;
    cl_program program = NULL;
    unsigned char *bytes = NULL;
    const unsigned char *binary;
    uint64_t sums[2];
    size_t size = 0;
    cl_int error, right = CL_SUCCESS;
    int file;
    if (combgpu__file_open(path, COMBGPU__FILE_READ, &file)) return NULL;
    if (!combgpu__read_rest(ctx, path, file, 1 << 20, &bytes, &size) && size > sizeof sums) {
        memcpy(sums, bytes, sizeof sums);
        binary = bytes + sizeof sums;
        size -= sizeof sums;
        if (sums[0] == sum && sums[1] == combgpu__fnv(sum, binary, size))
            program = clCreateProgramWithBinary(cl->context, 1, &cl->device, &size, &binary, &right,
                                                &error);
        if (program && (right || clBuildProgram(program, 1, &cl->device, options, NULL, NULL))) {
            clReleaseProgram(program);
            program = NULL;
        }
    }
    (void)combgpu__file_close(file);
    combgpu__release(ctx, bytes);
    return program;
}

/* Writes a program's file, beside the old one. What fails does not matter. */
COMBGPU__PRIVATE void combgpu__cl_cache(combgpu_context *ctx, char *path, uint64_t sum,
                                        cl_program program)
{
    char beside[COMBGPU__CL_CACHE_PATH + 24], *slash = strrchr(path, '/');
    unsigned char *bytes = NULL, *binary;
    uint64_t sums[2];
    size_t size = 0;
    int file, error, level;
    for (level = 0; level < 2; level++) { /* the folder above it, too */
        char *end = slash;
        while (level == 0 && *--end != '/')
            continue;
        *end = 0;
        (void)mkdir(path, 0700);
        *end = '/';
    }
    snprintf(beside, sizeof beside, "%s.%ld", path, combgpu__process_id());
    if (!clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL) && size)
        bytes = (unsigned char *)combgpu__allocate(ctx, sizeof sums + size);
    if (!bytes) return;
    binary = bytes + sizeof sums;
    if (!clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL) &&
        !combgpu__file_open(beside, COMBGPU__FILE_CREATE, &file)) {
        sums[0] = sum;
        sums[1] = combgpu__fnv(sum, binary, size);
        memcpy(bytes, sums, sizeof sums);
        error = combgpu__file_write(file, bytes, sizeof sums + size);
        if (combgpu__file_close(file) || error || combgpu__file_replace(beside, path))
            (void)combgpu__file_remove(beside);
    }
    combgpu__release(ctx, bytes);
}

#else /* no cache here */

enum { COMBGPU__CL_CACHE_PATH = 1 };
#define combgpu__cl_cache_name(ctx, strings, count, options, path) 0
#define combgpu__cl_cached(ctx, path, sum, options) NULL
#define combgpu__cl_cache(ctx, path, sum, program) (void)(path)

#endif
