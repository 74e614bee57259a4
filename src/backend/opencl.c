/* The OpenCL backend: memory, launches, and the table of its functions. */

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
        /* drivers allocate at first use: use the buffer now, while failure is simple */
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

COMBGPU__PRIVATE combgpu_status combgpu__cl_start(combgpu_context *ctx, combgpu__launch *launch)
{
    combgpu__cl *cl = (combgpu__cl *)ctx->handle;
    combgpu__cl_kernel *prepared = (combgpu__cl_kernel *)launch->program;
    combgpu__memory *const memory[6] = {launch->control, launch->tables,  launch->tasks,
                                        launch->left,    launch->records, launch->work};
    size_t lanes = (size_t)launch->workers * (size_t)launch->kernel->lanes_per_worker;
    size_t global = (lanes + prepared->block - 1) / prepared->block * prepared->block;
    combgpu__mask before;
    cl_uint i;
    cl_int error = CL_SUCCESS;
    for (i = 0; i < 6 && !error; i++) {
        cl_mem buffer = (cl_mem)memory[i]->handle;
        error = clSetKernelArg(prepared->kernel, i, sizeof buffer, &buffer);
    }
    prepared->began = combgpu__now();
    combgpu__mask_begin(&before);
    if (!error)
        error = clEnqueueNDRangeKernel(cl->queue, prepared->kernel, 1, NULL, &global,
                                       &prepared->block, 0, NULL, &prepared->event);
    if (!error) error = clFlush(cl->queue);
    combgpu__mask_end(&before);
    return error ? combgpu__cl_fail(ctx, error, "cannot launch kernel", launch->kernel->name)
                 : COMBGPU_OK;
}

COMBGPU__PRIVATE combgpu__result combgpu__cl_poll(combgpu_context *ctx, combgpu__launch *launch)
{
    combgpu__cl_kernel *prepared = (combgpu__cl_kernel *)launch->program;
    cl_ulong began = 0, ended = 0;
    cl_int state = CL_COMPLETE;
    cl_int error = clGetEventInfo(prepared->event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state,
                                  &state, NULL);
    if (!error && state > CL_COMPLETE) return COMBGPU__WORKING;
    if (!error && state < 0) error = state;
    launch->seconds = combgpu__since(prepared->began);
    if (!error &&
        !clGetEventProfilingInfo(prepared->event, CL_PROFILING_COMMAND_START, sizeof began, &began,
                                 NULL) &&
        !clGetEventProfilingInfo(prepared->event, CL_PROFILING_COMMAND_END, sizeof ended, &ended,
                                 NULL) &&
        ended > began)
        launch->seconds = 1e-9 * (double)(ended - began);
    clReleaseEvent(prepared->event);
    prepared->event = NULL;
    /* drivers report a crash or a watchdog's kill as CL_OUT_OF_RESOURCES: unrecoverable */
    if (error)
        return combgpu__as_result(
            combgpu__fail(ctx, COMBGPU_DEVICE_ERROR,
                          "kernel %s failed or was killed: %s (%d); close the context, and if "
                          "a watchdog killed it, lower desc.run.slice_ms",
                          launch->kernel->name, combgpu__cl_error(error), (int)error));
    return COMBGPU__DONE;
}

/* ---- the caller's memory */

COMBGPU__PRIVATE combgpu_status combgpu__cl_adopt(combgpu_context *ctx, const char *name,
                                                  const combgpu_device_memory *from,
                                                  combgpu__memory *to, size_t *shift)
{
    combgpu__cl *cl = (combgpu__cl *)ctx->handle;
    cl_mem buffer = (cl_mem)from->memory;
    cl_command_queue queue = (cl_command_queue)from->queue;
    cl_context context = NULL;
    cl_event event;
    size_t bytes = 0;
    cl_int error = clGetMemObjectInfo(buffer, CL_MEM_CONTEXT, sizeof context, &context, NULL);
    if (!error) error = clGetMemObjectInfo(buffer, CL_MEM_SIZE, sizeof bytes, &bytes, NULL);
    if (error)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "%s.memory, %p, is not a cl_mem", name,
                             from->memory);
    if (context != cl->context)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "%s.memory is a cl_mem of another cl_context: open the context with "
                             "desc.opencl_queue, a queue of that cl_context",
                             name);
    if (from->offset + from->bytes > bytes)
        return combgpu__fail(
            ctx, COMBGPU_INVALID_ARGUMENT,
            "%s.memory is a cl_mem of %llu bytes; offset is %llu and bytes is %llu", name,
            (unsigned long long)bytes, (unsigned long long)from->offset,
            (unsigned long long)from->bytes);
    if (queue) {
        context = NULL;
        error = clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL);
        if (error || context != cl->context)
            return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                                 "%s.queue is %s; it must be one of the memory's cl_context", name,
                                 error ? "not a cl_command_queue" : "of another cl_context");
        error = clEnqueueMarkerWithWaitList(queue, 0, NULL, &event);
        if (!error) {
            error = clFlush(queue);
            if (!error) error = clEnqueueBarrierWithWaitList(cl->queue, 1, &event, NULL);
            clReleaseEvent(event);
        }
        if (error) return combgpu__cl_fail(ctx, error, "cannot wait for", "queue");
    }
    to->handle = buffer;
    to->bytes = from->offset + from->bytes;
    *shift = from->offset; /* a cl_mem has an alignment of at least 128 bytes */
    return COMBGPU_OK;
}

COMBGPU__PRIVATE combgpu_status combgpu__cl_fill(combgpu_context *ctx, combgpu__memory *memory,
                                                 size_t offset, int value, size_t bytes,
                                                 double *seconds)
{
    combgpu__cl *cl = (combgpu__cl *)ctx->handle;
    cl_uchar pattern[16];
    size_t unit = offset % 16 || bytes % 16 ? 1 : 16;
    double start = combgpu__now();
    cl_ulong began = 0, ended = 0;
    cl_event event;
    cl_int error;
    *seconds = 0;
    if (!bytes) return COMBGPU_OK;
    memset(pattern, value, sizeof pattern);
    error = clEnqueueFillBuffer(cl->queue, (cl_mem)memory->handle, pattern, unit, offset, bytes, 0,
                                NULL, &event);
    if (!error) {
        error = clWaitForEvents(1, &event);
        *seconds = combgpu__since(start);
        if (!clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof began, &began,
                                     NULL) &&
            !clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof ended, &ended, NULL) &&
            ended > began)
            *seconds = 1e-9 * (double)(ended - began);
        clReleaseEvent(event);
    }
    return error ? combgpu__cl_fail(ctx, error, "cannot fill", "a buffer") : COMBGPU_OK;
}

static const combgpu__backend combgpu__opencl = {COMBGPU_BACKEND_OPENCL,
                                                 "opencl",
                                                 combgpu__cl_devices,
                                                 combgpu__cl_open,
                                                 combgpu__cl_close,
                                                 combgpu__cl_prepare,
                                                 combgpu__cl_forget,
                                                 combgpu__cl_allocate,
                                                 combgpu__cl_release,
                                                 combgpu__cl_upload,
                                                 combgpu__cl_download,
                                                 combgpu__cl_copy,
                                                 combgpu__cl_start,
                                                 combgpu__cl_poll,
                                                 combgpu__cl_adopt,
                                                 combgpu__cl_fill,
                                                 NULL};
