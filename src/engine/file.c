/* ---- The checkpoint file: written, found, loaded. */

/* Writes PATH.new, replacing a killed run's remains, and waits until it is on the disk. */
COMBGPU__PRIVATE combgpu_status combgpu__write_new(combgpu_job *job, const char *path,
                                                   const unsigned char *bytes, size_t size)
{
    int file, closed, leftover = combgpu__companion(path), error = leftover < 0 ? -leftover : 0;
    if (leftover == 2) return combgpu__in_the_way(job->ctx, path);
    if (leftover > 0) error = combgpu__file_remove(path);
    if (!error || error == ENOENT) error = combgpu__file_open(path, COMBGPU__FILE_CREATE, &file);
    if (!error) {
        error = combgpu__file_write(file, bytes, size);
        if (!error) error = combgpu__file_flush(file);
        if (!error && !combgpu__file_is(file, path)) error = EEXIST; /* another run replaced it */
        closed = combgpu__file_close(file);
        if (!error) error = closed;
        if (error && error != EEXIST) (void)combgpu__file_remove(path);
    }
    if (!error) return COMBGPU_OK;
    return combgpu__fail(job->ctx, COMBGPU_FILE_ERROR, "checkpoint %s cannot be written: %s",
                         job->file.path, strerror(error));
}

/* Renames PATH to PATH.bak and PATH.new to PATH. Returns 0 or an errno. */
COMBGPU__PRIVATE int combgpu__turn_over(combgpu_job *job, const char *fresh, const char *backup)
{
    int error = job->file.keep_backup ? 0 : combgpu__file_replace(job->file.path, backup);
    if (error && error != ENOENT) return error; /* ENOENT: no previous checkpoint */
    return combgpu__file_replace(fresh, job->file.path);
}

/* Writes the checkpoint file and keeps the previous one as PATH.bak. */
COMBGPU__PRIVATE combgpu_status combgpu__checkpoint_write(combgpu_job *job,
                                                          const unsigned char *bytes, size_t size)
{
    combgpu_context *ctx = job->ctx;
    const char *path = job->file.path;
    char *fresh = combgpu__path(ctx, path, ".new"), *backup = combgpu__path(ctx, path, ".bak");
    combgpu_status status = COMBGPU_OK;
    int error;
    if (!fresh || !backup)
        status = combgpu__no_memory(ctx, strlen(path) + 5);
    else {
        status = combgpu__checkpoint_mine(job);
        if (!status) status = combgpu__checkpoint_beside(job, backup);
        if (!status) status = combgpu__write_new(job, fresh, bytes, size);
        if (!status) {
            error = combgpu__turn_over(job, fresh, backup);
            if (error) {
                (void)combgpu__file_remove(fresh);
                status =
                    combgpu__fail(ctx, COMBGPU_FILE_ERROR, "checkpoint %s cannot be written: %s",
                                  path, strerror(error));
            }
        }
    }
    if (!status) {
        job->file.keep_backup = 0;
        job->file.token_there = job->file.token;
        job->file.there = 1;
        combgpu__folder_sync(ctx, path);
    }
    combgpu__release(ctx, fresh);
    combgpu__release(ctx, backup);
    return status;
}

/* Loads the job's checkpoint file, if it exists, and sets *loaded. Falls back from a damaged file
   to its .bak. A file of another job, or any that the run may not overwrite, is an error. */
COMBGPU__PRIVATE combgpu_status combgpu__checkpoint_load(combgpu_job *job, int *loaded)
{
    combgpu_context *ctx = job->ctx;
    char first_message[sizeof ctx->message];
    combgpu_status first = COMBGPU_OK, status = COMBGPU_OK;
    int generation, foreign;
    *loaded = 0;
    for (generation = 0; generation < 2 && !*loaded; generation++) {
        char *path = combgpu__path(ctx, job->file.path, generation ? ".bak" : "");
        unsigned char *bytes = NULL;
        size_t size = 0;
        if (!path) return combgpu__no_memory(ctx, strlen(job->file.path) + 5);
        status = combgpu__read_file(ctx, path, &bytes, &size);
        if (!status && bytes && (!job->run.resume || job->run.resume_data))
            status = combgpu__fail(ctx, COMBGPU_FILE_ERROR,
                                   job->run.resume_data
                                       ? "checkpoint %s exists, but run.resume_data is to be "
                                         "resumed; remove the file, or name another"
                                       : "checkpoint %s exists: set run.resume to resume it, "
                                         "or remove it; a new run never overwrites it",
                                   path);
        else if (!status && bytes) {
            status = combgpu__deserialize(job, bytes, size, path);
            *loaded = !status;
        }
        /* undamaged, but foreign: the run must not overwrite it */
        foreign = status == COMBGPU_BAD_FILE && !generation && combgpu__companion(path) == 2;
        combgpu__release(ctx, bytes);
        combgpu__release(ctx, path);
        if (status && (status != COMBGPU_BAD_FILE || foreign)) return status;
        if (status && generation == 0) {
            first = status;
            memcpy(first_message, ctx->message, sizeof first_message);
        }
    }
    if (first && !*loaded) /* all generations are damaged */
        return combgpu__fail(ctx, first, "%s", first_message);
    if (status) return status; /* the newer is missing, the older damaged */
    if (!first && *loaded && generation == 2)
        combgpu__log(ctx, COMBGPU_LOG_WARNING,
                     "checkpoint %s does not exist; resumed from the older %s.bak", job->file.path,
                     job->file.path);
    if (first) {
        combgpu__log(ctx, COMBGPU_LOG_WARNING, "%s; resumed from the older %s.bak", first_message,
                     job->file.path);
        ctx->message[0] = 0;
        job->file.keep_backup = 1;
    }
    return COMBGPU_OK;
}

COMBGPU__PRIVATE void combgpu__checkpoint_head(combgpu_context *ctx, const combgpu_run_desc *run,
                                               char *head, size_t room)
{
    const char *const suffixes[2] = {"", ".bak"};
    const char *name = run->merge_paths && run->merge_count ? run->merge_paths[0]
                       : run->resume                        ? run->checkpoint_path
                                                            : NULL;
    size_t size = run->resume_data ? run->resume_bytes : 0;
    int i;
    *head = 0;
    if (size) memcpy(head, run->resume_data, size < room ? size : room);
    for (i = 0; i < 2 && name && !size; i++) {
        char *path = combgpu__path(ctx, name, suffixes[i]);
        unsigned char *bytes = NULL;
        if (path && !combgpu__read_file(ctx, path, &bytes, &size) && size)
            memcpy(head, bytes, size < room ? size : room);
        combgpu__release(ctx, bytes);
        combgpu__release(ctx, path);
    }
    head[size < room ? size : room - 1] = 0;
}

/* Checks before hours of work that the checkpoint can be written. */
COMBGPU__PRIVATE combgpu_status combgpu__checkpoint_try(combgpu_job *job)
{
    combgpu_context *ctx = job->ctx;
    char *fresh = combgpu__path(ctx, job->file.path, ".new");
    char *backup = combgpu__path(ctx, job->file.path, ".bak");
    uint64_t process;
    combgpu_status status = COMBGPU_OK;
    if (!fresh || !backup)
        status = combgpu__no_memory(ctx, strlen(job->file.path) + 5);
    else
        status = combgpu__checkpoint_beside(job, backup);
    if (!status) status = combgpu__write_new(job, fresh, NULL, 0);
    if (!status) {
        (void)combgpu__file_remove(fresh);
        job->file.there =
            combgpu__checkpoint_owner(job->file.path, &job->file.token_there, &process);
    }
    combgpu__release(ctx, fresh);
    combgpu__release(ctx, backup);
    return status;
}
