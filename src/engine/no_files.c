/* ---- Builds without files (COMBGPU_NO_STDIO): checkpoint files are unsupported. */

COMBGPU__PRIVATE combgpu_status combgpu__checkpoint_write(combgpu_job *job,
                                                          const unsigned char *bytes, size_t size)
{
    (void)bytes, (void)size;
    return combgpu__fail(job->ctx, COMBGPU_UNSUPPORTED, "this build has no checkpoint files");
}

COMBGPU__PRIVATE combgpu_status combgpu__checkpoint_load(combgpu_job *job, int *loaded)
{
    *loaded = 0;
    return combgpu__checkpoint_write(job, NULL, 0);
}

COMBGPU__PRIVATE combgpu_status combgpu__checkpoint_try(combgpu_job *job)
{
    return combgpu__checkpoint_write(job, NULL, 0);
}

COMBGPU__PRIVATE combgpu_status combgpu__checkpoint_claim(combgpu_job *job)
{
    return combgpu__checkpoint_write(job, NULL, 0);
}

COMBGPU__PRIVATE combgpu_status combgpu__merge(combgpu_job *job)
{
    return combgpu__checkpoint_write(job, NULL, 0);
}

COMBGPU__PRIVATE void combgpu__checkpoint_unlock(combgpu_job *job)
{
    (void)job;
}

COMBGPU__PRIVATE void combgpu__checkpoint_head(combgpu_context *ctx, const combgpu_run_desc *run,
                                               char *head, size_t room)
{
    size_t size = run->resume_data ? run->resume_bytes : 0;
    (void)ctx;
    if (size) memcpy(head, run->resume_data, size < room ? size : room);
    head[size < room ? size : room - 1] = 0;
}
