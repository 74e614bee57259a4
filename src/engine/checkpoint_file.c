/* ---- checkpoint files: written beside the old one, locked, damaged ones give way to .bak */

#if !defined(COMBGPU_NO_STDIO) && (defined(__unix__) || defined(__APPLE__)) &&                     \
    defined(CLOCK_MONOTONIC)

/* path + suffix, allocated. */
COMBGPU__PRIVATE char *combgpu__path(combgpu_context *ctx, const char *path, const char *suffix)
{
    size_t size = strlen(path) + strlen(suffix) + 1;
    char *made = (char *)combgpu__allocate(ctx, size);
    if (made) snprintf(made, size, "%s%s", path, suffix);
    return made;
}

/* Writes all bytes to a new file and waits until they are on the disk. 0 or errno. */
COMBGPU__PRIVATE int combgpu__write_file(const char *path, const unsigned char *bytes, size_t size)
{
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666), error = 0;
    if (file < 0) return errno;
    while (size && !error) {
        ssize_t written = write(file, bytes, size);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0)
            error = written < 0 ? errno : ENOSPC;
        else {
            bytes += written;
            size -= (size_t)written;
        }
    }
    if (!error && fsync(file)) error = errno;
    if (close(file) && !error) error = errno;
    return error;
}

/* Makes a rename in the directory of `path` durable. Errors here cannot lose the file. */
COMBGPU__PRIVATE void combgpu__sync_directory(combgpu_context *ctx, const char *path)
{
    char *folder = combgpu__path(ctx, path, "");
    char *slash = folder ? strrchr(folder, '/') : NULL;
    int file;
    if (!folder) return;
    if (slash == folder)
        slash[1] = 0;
    else if (slash)
        *slash = 0;
    file = open(slash ? folder : ".", O_RDONLY);
    if (file >= 0) {
        (void)fsync(file);
        close(file);
    }
    combgpu__release(ctx, folder);
}

/* Writes the checkpoint file: a new file, the one before becomes .bak, then rename. */
COMBGPU__PRIVATE combgpu_status combgpu__checkpoint_write(combgpu_job *job,
                                                          const unsigned char *bytes, size_t size)
{
    combgpu_context *ctx = job->ctx;
    const char *path = job->checkpoint_path;
    char *fresh = combgpu__path(ctx, path, ".new"), *backup = combgpu__path(ctx, path, ".bak");
    combgpu_status status = COMBGPU_OK;
    int error;
    if (!fresh || !backup)
        status = combgpu__no_memory(ctx, strlen(path) + 5);
    else {
        error = combgpu__write_file(fresh, bytes, size);
        if (!error && !job->keep_backup && rename(path, backup) && errno != ENOENT) error = errno;
        if (!error && rename(fresh, path)) error = errno;
        if (error) (void)unlink(fresh);
        if (error)
            status = combgpu__fail(ctx, COMBGPU_FILE_ERROR, "checkpoint %s cannot be written: %s",
                                   path, strerror(error));
        else {
            job->keep_backup = 0;
            combgpu__sync_directory(ctx, path);
        }
    }
    combgpu__release(ctx, fresh);
    combgpu__release(ctx, backup);
    return status;
}

/* Reads a whole file. *bytes is NULL, and the status OK, if it does not exist. */
COMBGPU__PRIVATE combgpu_status combgpu__read_file(combgpu_context *ctx, const char *path,
                                                   unsigned char **bytes, size_t *size)
{
    struct stat info;
    unsigned char *made;
    size_t got = 0, room;
    int file = open(path, O_RDONLY | O_NONBLOCK); /* a pipe must not block */
    *bytes = NULL;
    *size = 0;
    if (file < 0 && errno == ENOENT) return COMBGPU_OK;
    if (file < 0 || fstat(file, &info)) {
        int error = errno;
        if (file >= 0) close(file);
        return combgpu__fail(ctx, COMBGPU_FILE_ERROR, "%s cannot be opened: %s", path,
                             strerror(error));
    }
    if (!S_ISREG(info.st_mode)) { /* a device may have no end */
        close(file);
        return combgpu__fail(ctx, COMBGPU_FILE_ERROR, "%s is not a regular file", path);
    }
    room = info.st_size > 0 ? (size_t)info.st_size + 1 : 65536;
    made = (unsigned char *)combgpu__allocate(ctx, room);
    while (made) {
        ssize_t n;
        if (got == room) { /* it grew, or its size is unknown */
            unsigned char *grown =
                room < SIZE_MAX / 2 ? (unsigned char *)combgpu__allocate(ctx, 2 * room) : NULL;
            if (grown) memcpy(grown, made, got);
            combgpu__release(ctx, made);
            made = grown;
            room *= 2;
            continue;
        }
        n = read(file, made + got, room - got);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) {
            int error = errno;
            close(file);
            combgpu__release(ctx, made);
            return combgpu__fail(ctx, COMBGPU_FILE_ERROR, "%s cannot be read: %s", path,
                                 strerror(error));
        }
        if (n == 0) break;
        got += (size_t)n;
    }
    close(file);
    if (!made) return combgpu__no_memory(ctx, room);
    *bytes = made;
    *size = got;
    return COMBGPU_OK;
}

/* Looks for the job's checkpoint file. *loaded: the job now goes on from it. A damaged file gives
   way to its .bak; a file of another job is an error, as is any file that the run may not touch. */
COMBGPU__PRIVATE combgpu_status combgpu__checkpoint_load(combgpu_job *job, int *loaded)
{
    combgpu_context *ctx = job->ctx;
    char first_message[sizeof ctx->message];
    combgpu_status first = COMBGPU_OK, status = COMBGPU_OK;
    int generation;
    *loaded = 0;
    for (generation = 0; generation < 2 && !*loaded; generation++) {
        char *path = combgpu__path(ctx, job->checkpoint_path, generation ? ".bak" : "");
        unsigned char *bytes = NULL;
        size_t size = 0;
        if (!path) return combgpu__no_memory(ctx, strlen(job->checkpoint_path) + 5);
        status = combgpu__read_file(ctx, path, &bytes, &size);
        if (!status && bytes && (!job->run.resume || job->run.resume_data))
            status = combgpu__fail(ctx, COMBGPU_FILE_ERROR,
                                   job->run.resume_data
                                       ? "checkpoint %s exists, but run.resume_data says where to "
                                         "go on; remove the file, or name another"
                                       : "checkpoint %s exists: set run.resume to go on from it, "
                                         "or remove it; it is never overwritten by a new run",
                                   path);
        else if (!status && bytes) {
            status = combgpu__deserialize(job, bytes, size, path);
            *loaded = !status;
        }
        combgpu__release(ctx, bytes);
        combgpu__release(ctx, path);
        if (status && status != COMBGPU_BAD_FILE) return status;
        if (status && generation == 0) {
            first = status;
            memcpy(first_message, ctx->message, sizeof first_message);
        }
    }
    if (first && !*loaded) /* both generations are damaged, or the only one */
        return combgpu__fail(ctx, first, "%s", first_message);
    if (status) return status; /* the newer one is missing and the older one damaged */
    if (first) {
        combgpu__log(ctx, COMBGPU_LOG_WARNING, "%.300s; went on from the older %.150s.bak",
                     first_message, job->checkpoint_path);
        ctx->message[0] = 0;
        job->keep_backup = 1;
    }
    return COMBGPU_OK;
}

/* Locks PATH.lock, so that no other run writes the same checkpoint. The system unlocks it when the
   process ends, however it ends; the file itself may stay behind. */
COMBGPU__PRIVATE combgpu_status combgpu__checkpoint_lock(combgpu_job *job)
{
    combgpu_context *ctx = job->ctx;
    char *path = combgpu__path(ctx, job->checkpoint_path, ".lock"), owner[24] = "";
    combgpu_status status = COMBGPU_OK;
    int file = -1, error = 0, again = 1;
    if (!path) return combgpu__no_memory(ctx, strlen(job->checkpoint_path) + 6);
    while (again && !error) {
        struct stat mine, there;
        again = 0;
        file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
        if (file < 0 || fstat(file, &mine))
            error = errno;
        else if (flock(file, LOCK_EX | LOCK_NB))
            error = errno;
        else if (stat(path, &there) || there.st_ino != mine.st_ino || there.st_dev != mine.st_dev) {
            close(file); /* its owner has just removed it: that lock is worth nothing */
            file = -1;
            again = 1;
        }
    }
    if (error == EWOULDBLOCK) {
        ssize_t n = read(file, owner, sizeof owner - 1);
        owner[n > 0 ? strspn(owner, "0123456789") : 0] = 0;
        status = combgpu__fail(ctx, COMBGPU_FILE_ERROR,
                               "checkpoint %s is in use by another run%s%s (%s.lock is locked)",
                               job->checkpoint_path, *owner ? ", process " : "", owner,
                               job->checkpoint_path);
    } else if (error && file < 0)
        status = combgpu__fail(ctx, COMBGPU_FILE_ERROR, "checkpoint %s cannot be written: %s",
                               job->checkpoint_path, strerror(error));
    else if (error)
        combgpu__log(ctx, COMBGPU_LOG_WARNING,
                     "%s cannot be locked (%s): nothing keeps another run from using it", path,
                     strerror(error));
    else {
        size_t length = (size_t)snprintf(owner, sizeof owner, "%ld\n", (long)getpid());
        if (ftruncate(file, 0) == 0 && write(file, owner, length) == (ssize_t)length) length = 0;
        job->lock = file + 1; /* who it is, is only told if it could be written */
        file = -1;
    }
    if (file >= 0) close(file);
    combgpu__release(ctx, path);
    return status;
}

COMBGPU__PRIVATE void combgpu__checkpoint_unlock(combgpu_job *job)
{
    char *path;
    if (!job->lock) return;
    path = combgpu__path(job->ctx, job->checkpoint_path, ".lock");
    if (path) (void)unlink(path); /* while it is locked: nobody else can think it is his */
    close(job->lock - 1);
    job->lock = 0;
    combgpu__release(job->ctx, path);
}

/* The beginning of what a run would go on from, or of the first file to be merged, as text; "" if there
   is nothing readable. */
COMBGPU__PRIVATE void combgpu__checkpoint_head(combgpu_context *ctx, const combgpu_run_desc *run,
                                               char *head, size_t room)
{
    const char *const suffixes[2] = {"", ".bak"};
    const char *name = run->merge_paths && run->merge_count ? run->merge_paths[0]
                       : run->resume                        ? run->checkpoint_path
                                                            : NULL;
    char *path;
    unsigned char *bytes = NULL;
    size_t size = run->resume_data ? run->resume_bytes : 0;
    int i;
    *head = 0;
    if (size) memcpy(head, run->resume_data, size < room ? size : room);
    for (i = 0; i < 2 && name && !size; i++) {
        path = combgpu__path(ctx, name, suffixes[i]);
        if (path && !combgpu__read_file(ctx, path, &bytes, &size) && size)
            memcpy(head, bytes, size < room ? size : room);
        combgpu__release(ctx, bytes);
        combgpu__release(ctx, path);
    }
    head[size < room ? size : room - 1] = 0;
}

/* Can the checkpoint be written? Asked before hours of work, not after them. */
COMBGPU__PRIVATE combgpu_status combgpu__checkpoint_try(combgpu_job *job)
{
    char *path = combgpu__path(job->ctx, job->checkpoint_path, ".new");
    combgpu_status status = COMBGPU_OK;
    int error;
    if (!path) return combgpu__no_memory(job->ctx, strlen(job->checkpoint_path) + 5);
    error = combgpu__write_file(path, NULL, 0);
    if (error)
        status = combgpu__fail(job->ctx, COMBGPU_FILE_ERROR, "checkpoint %s cannot be written: %s",
                               job->checkpoint_path, strerror(error));
    else
        (void)unlink(path);
    combgpu__release(job->ctx, path);
    return status;
}

