/* ---- Guards that keep two runs of one checkpoint apart and the files of others safe.

   A run writes PATH, PATH.new, PATH.bak and PATH.lock. If one of the last three is not a run's
   file, the run leaves it alone and refuses to start; no PATH may end as they do. PATH.lock keeps
   out a second run; if somebody removed it or the system lacks locks, the owner in PATH's header
   does. */

/* Allocates path + suffix. */
COMBGPU__PRIVATE char *combgpu__path(combgpu_context *ctx, const char *path, const char *suffix)
{
    size_t size = strlen(path) + strlen(suffix) + 1;
    char *made = (char *)combgpu__allocate(ctx, size);
    if (made) snprintf(made, size, "%s%s", path, suffix);
    return made;
}

/* Nonzero if this errno of an open means that the name belongs to something else: a link, a folder,
   a socket. */
COMBGPU__PRIVATE int combgpu__is_no_file(int error)
{
    return error == ELOOP || error == EMLINK || error == EISDIR || error == ENXIO;
}

/* Returns 0 if no file is at `path`, 1 for a checkpoint or its remains, 2 for any other file or a
   link; minus an errno if that is unknown, as with too many open files. */
COMBGPU__PRIVATE int combgpu__companion(const char *path)
{
    char head[sizeof COMBGPU__CHECKPOINT_HEAD] = "";
    const size_t first = sizeof COMBGPU__CHECKPOINT_HEAD - 1;
    combgpu__file_facts facts = {0, 0};
    size_t length = 0;
    int file, ours, error = combgpu__file_open(path, COMBGPU__FILE_ITSELF, &file);
    if (error == ENOENT) return 0;
    if (error) return error == EACCES || combgpu__is_no_file(error) ? 2 : -error;
    ours = !combgpu__file_facts_of(file, &facts) && facts.regular &&
           !combgpu__file_read(file, head, sizeof head - 1, &length) &&
           (!length || !head[0] ||
            !memcmp(head, COMBGPU__CHECKPOINT_HEAD, length < first ? length : first));
    (void)combgpu__file_close(file);
    return ours ? 1 : 2;
}

COMBGPU__PRIVATE combgpu_status combgpu__in_the_way(combgpu_context *ctx, const char *path)
{
    return combgpu__fail(ctx, COMBGPU_FILE_ERROR,
                         "%s is in the way: it is not a combgpu run's file, and this run needs the "
                         "name; move it, or name another checkpoint",
                         path);
}

/* Fails if something other than a run's file is at `path`, a name beside the checkpoint's. */
COMBGPU__PRIVATE combgpu_status combgpu__checkpoint_beside(combgpu_job *job, const char *path)
{
    const int there = combgpu__companion(path);
    if (there == 2) return combgpu__in_the_way(job->ctx, path);
    if (there >= 0) return COMBGPU_OK;
    return combgpu__fail(job->ctx, COMBGPU_FILE_ERROR, "checkpoint %s cannot be written: %s",
                         job->file.path, strerror(-there));
}

/* Reads who wrote the checkpoint at `path`; *token is 0 if unknown. Returns 0 if no file is
   there. */
COMBGPU__PRIVATE int combgpu__checkpoint_owner(const char *path, uint64_t *token, uint64_t *process)
{
    char head[1024];
    combgpu__reader reader;
    size_t length = 0;
    int file, line, error = combgpu__file_open(path, COMBGPU__FILE_ITSELF, &file);
    *token = *process = 0;
    if (error) return error == EACCES || combgpu__is_no_file(error);
    if (combgpu__file_read(file, head, sizeof head, &length)) length = 0;
    (void)combgpu__file_close(file);
    reader.at = head;
    reader.end = head + length;
    for (line = 0; line < 5; line++) { /* the owner's line follows elapsed_s */
        const void *end = memchr(reader.at, '\n', (size_t)(reader.end - reader.at));
        if (!end) return 1;
        reader.at = (const char *)end + 1;
    }
    if (combgpu__read_owner(&reader, token, process) <= 0) *token = 0;
    return 1;
}

/* Returns a number unique to this run. */
COMBGPU__PRIVATE uint64_t combgpu__checkpoint_token(const combgpu_job *job)
{
    uint64_t token = combgpu__mix((uint64_t)combgpu__process_id());
    token = combgpu__mix(token ^ (uint64_t)(combgpu__now() * 1e9));
    token = combgpu__mix(token ^ (uint64_t)time(NULL));
    return combgpu__mix(token ^ (uint64_t)(size_t)job) | 1; /* never 0 */
}

/* Returns whether the open file is a run's lock: empty, or a process id. */
COMBGPU__PRIVATE int combgpu__is_lock(int file)
{
    char owner[24] = "";
    combgpu__file_facts facts = {0, 0};
    size_t length = 0, digits;
    if (combgpu__file_facts_of(file, &facts) || !facts.regular || facts.bytes >= sizeof owner ||
        combgpu__file_read(file, owner, sizeof owner - 1, &length))
        return 0;
    digits = strspn(owner, "0123456789");
    return length == digits || (digits && length == digits + 1 && owner[digits] == '\n');
}

/* Writes the owner's process id to the lock; ignores failure. */
COMBGPU__PRIVATE void combgpu__lock_sign(int file)
{
    char owner[24];
    const int length = snprintf(owner, sizeof owner, "%ld\n", combgpu__process_id());
    if (!combgpu__file_empty(file))
        (void)combgpu__file_write(file, (const unsigned char *)owner, (size_t)length);
}

/* Replaces a link by its target: all names of a file then share one lock, and the link stays. */
COMBGPU__PRIVATE void combgpu__checkpoint_follow(combgpu_job *job)
{
    int most = 16; /* links may be circular */
    char *target;
    while (most-- && (target = combgpu__link_target(job->ctx, job->file.path)) != NULL) {
        combgpu__release(job->ctx, job->file.path);
        job->run.checkpoint_path = job->file.path = target;
    }
}

/* Locks PATH.lock against other runs with the same checkpoint. The system unlocks it whenever and
   however the process ends; the file itself may remain. */
COMBGPU__PRIVATE combgpu_status combgpu__checkpoint_lock(combgpu_job *job)
{
    combgpu_context *ctx = job->ctx;
    char *path = combgpu__path(ctx, job->file.path, ".lock"), owner[24] = "";
    combgpu_status status = COMBGPU_OK;
    int file = -1, error = 0, again = 1, tries = 100;
    size_t length = 0;
    if (!path) return combgpu__no_memory(ctx, strlen(job->file.path) + 6);
    while (again && !error) {
        error = combgpu__file_open(path, COMBGPU__FILE_UPDATE, &file);
        if (!error) error = combgpu__file_lock(file);
        again = !error && !combgpu__file_is(file, path);
        if (again) { /* its owner has just removed it: this lock is useless */
            (void)combgpu__file_close(file);
            file = -1;
            if (!--tries) error = EIO; /* or the system cannot tell what it opened */
        }
    }
    if (file < 0 && combgpu__is_no_file(error))
        status = combgpu__in_the_way(ctx, path);
    else if (file < 0)
        status = combgpu__fail(ctx, COMBGPU_FILE_ERROR, "checkpoint %s cannot be written: %s",
                               job->file.path, strerror(error));
    else if (error == EWOULDBLOCK) {
        (void)combgpu__file_read(file, owner, sizeof owner - 1, &length);
        owner[strspn(owner, "0123456789")] = 0;
        status = combgpu__fail(ctx, COMBGPU_FILE_ERROR,
                               "checkpoint %s is in use by another run%s%s (its .lock is locked)",
                               job->file.path, *owner ? ", process " : "", owner);
    } else if (!combgpu__is_lock(file))
        status = combgpu__in_the_way(ctx, path);
    else if (error) {
        combgpu__log(ctx, COMBGPU_LOG_WARNING,
                     "%s cannot be locked (%s): another run could use the same checkpoint", path,
                     strerror(error));
        job->file.lock = -1;
    } else {
        combgpu__lock_sign(file);
        job->file.lock = file + 1;
        file = -1;
    }
    if (file >= 0) (void)combgpu__file_close(file);
    combgpu__release(ctx, path);
    return status;
}

/* Fails if a run at another path could write a file of the checkpoint's name. */
COMBGPU__PRIVATE combgpu_status combgpu__checkpoint_name(combgpu_job *job)
{
    static const char *const endings[] = {".new", ".bak", ".lock"};
    const char *path = job->file.path;
    size_t length = strlen(path), i, n;
    for (i = 0; i < 3; i++) {
        n = strlen(endings[i]);
        if (length >= n && !strcmp(path + length - n, endings[i]))
            return combgpu__fail(
                job->ctx, COMBGPU_FILE_ERROR,
                "checkpoint %s is refused: names ending in .new, .bak or .lock are "
                "reserved for the files beside a checkpoint; rename it",
                path);
    }
    return COMBGPU_OK;
}

/* Follows links, sets the run's token and takes the lock, when a job with a checkpoint begins. */
COMBGPU__PRIVATE combgpu_status combgpu__checkpoint_claim(combgpu_job *job)
{
    combgpu_status status;
    combgpu__checkpoint_follow(job);
    job->file.process = combgpu__process_id();
    job->file.token = combgpu__checkpoint_token(job);
    status = combgpu__checkpoint_name(job);
    return status ? status : combgpu__checkpoint_lock(job);
}

COMBGPU__PRIVATE void combgpu__checkpoint_unlock(combgpu_job *job)
{
    char *path;
    if (job->file.lock <= 0) return;
    path = combgpu__path(job->ctx, job->file.path, ".lock");
    if (path && combgpu__file_is(job->file.lock - 1, path))
        combgpu__file_unlock(job->file.lock - 1, path);
    else
        (void)combgpu__file_close(job->file.lock - 1);
    job->file.lock = 0;
    combgpu__release(job->ctx, path);
}

/* Locks again if somebody removed the lock file. */
COMBGPU__PRIVATE combgpu_status combgpu__checkpoint_relock(combgpu_job *job)
{
    char *path;
    int kept;
    if (job->file.lock < 0) return COMBGPU_OK;
    path = combgpu__path(job->ctx, job->file.path, ".lock");
    if (!path) return combgpu__no_memory(job->ctx, strlen(job->file.path) + 6);
    kept = job->file.lock && combgpu__file_is(job->file.lock - 1, path);
    combgpu__release(job->ctx, path);
    if (kept) return COMBGPU_OK;
    if (job->file.lock) (void)combgpu__file_close(job->file.lock - 1);
    job->file.lock = 0;
    return combgpu__checkpoint_lock(job);
}

/* Fails if the file is not the one that this run last wrote, or found when it began. */
COMBGPU__PRIVATE combgpu_status combgpu__checkpoint_mine(combgpu_job *job)
{
    uint64_t token, process;
    combgpu_status status = combgpu__checkpoint_relock(job);
    if (status || !combgpu__checkpoint_owner(job->file.path, &token, &process) ||
        (job->file.there && token == job->file.token_there &&
         (token || combgpu__companion(job->file.path) == 1))) /* a damaged one has no token */
        return status;
    if (!token)
        return combgpu__fail(job->ctx, COMBGPU_FILE_ERROR,
                             "checkpoint %s is not overwritten: the file there now is not this "
                             "run's; move it away",
                             job->file.path);
    return combgpu__fail(job->ctx, COMBGPU_FILE_ERROR,
                         "checkpoint %s is not overwritten: another run, process %llu, has written "
                         "it since this one did",
                         job->file.path, (unsigned long long)process);
}
