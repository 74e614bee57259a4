/* The operating system: clock, sleep, durable files. POSIX systems and Windows; others have a
   coarse clock and no COMBGPU__FILES. Functions that can fail return 0 or an errno. */

/* Seconds on a monotonic clock. */
COMBGPU__PRIVATE double combgpu__now(void)
{
#if defined(COMBGPU__WINDOWS)
    LARGE_INTEGER ticks, per_second;
    QueryPerformanceCounter(&ticks);
    QueryPerformanceFrequency(&per_second);
    return (double)ticks.QuadPart / (double)per_second.QuadPart;
#elif defined(CLOCK_MONOTONIC)
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
#else
    return (double)time(NULL);
#endif
}

/* Seconds since `begin`; 0 if a faulty clock went back. */
COMBGPU__PRIVATE double combgpu__since(double begin)
{
    const double seconds = combgpu__now() - begin;
    return seconds > 0 ? seconds : 0;
}

/* Nonzero if `interval` seconds have passed since `last`, or the clock went back. */
COMBGPU__PRIVATE int combgpu__due(double now, double last, double interval)
{
    return now - last >= interval || now < last;
}

/* Sleeps for less than a second; Windows rounds up to its next tick. */
COMBGPU__PRIVATE void combgpu__sleep(double seconds)
{
#if defined(COMBGPU__WINDOWS)
    Sleep((DWORD)(seconds * 1e3 + 0.999));
#elif defined(CLOCK_MONOTONIC)
    struct timespec t;
    t.tv_sec = 0;
    t.tv_nsec = (long)(seconds * 1e9);
    nanosleep(&t, NULL);
#else
    (void)seconds;
#endif
}

COMBGPU__PRIVATE long combgpu__process_id(void)
{
#if defined(COMBGPU__WINDOWS)
    return (long)GetCurrentProcessId();
#elif defined(COMBGPU__POSIX)
    return (long)getpid();
#else
    return 0;
#endif
}

/* The processors that this process may use, at least 1. */
COMBGPU__PRIVATE int combgpu__processors_here(void)
{
    long count = 1;
#if defined(COMBGPU__WINDOWS)
    DWORD_PTR mine, all;
    if (GetProcessAffinityMask(GetCurrentProcess(), &mine, &all))
        for (count = 0; mine; mine &= mine - 1)
            count++;
#elif defined(COMBGPU__POSIX)
#ifdef __linux__ /* a batch system or `taskset` may allow fewer than exist */
    FILE *status = fopen("/proc/self/status", "r");
    char line[4096];
    const char *at;
    count = 0;
    while (status && !count && fgets(line, sizeof line, status))
        if (!strncmp(line, "Cpus_allowed:", 13)) /* hexadecimal, with commas */
            for (at = line + 13; *at; at++) {
                const char *digits = "0112122312232334", *hex = "0123456789abcdef";
                const char *digit = strchr(hex, *at);
                if (digit) count += digits[digit - hex] - '0';
            }
    if (status) (void)fclose(status);
    if (!count)
#endif
        count = sysconf(_SC_NPROCESSORS_ONLN);
#endif
    return count < 1 ? 1 : (int)count;
}

#ifdef COMBGPU__FILES

typedef enum combgpu__file_mode {
    COMBGPU__FILE_READ,   /* an existing file */
    COMBGPU__FILE_ITSELF, /* likewise, but not through a symbolic link */
    COMBGPU__FILE_CREATE, /* a new file to write; EEXIST if the name exists, even as a link */
    COMBGPU__FILE_UPDATE  /* to read and write, created if missing; not through a link */
} combgpu__file_mode;

typedef struct combgpu__file_facts {
    int regular; /* not a folder, pipe or device */
    uint64_t bytes;
} combgpu__file_facts;

#ifdef COMBGPU__WINDOWS

/* The errno for Windows' last error. */
COMBGPU__PRIVATE int combgpu__windows_error(void)
{
    switch (GetLastError()) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
        return ENOENT;
    case ERROR_ACCESS_DENIED:
    case ERROR_SHARING_VIOLATION:
    case ERROR_WRITE_PROTECT:
        return EACCES;
    case ERROR_DISK_FULL:
    case ERROR_HANDLE_DISK_FULL:
        return ENOSPC;
    case ERROR_LOCK_VIOLATION:
    case ERROR_IO_PENDING:
        return EWOULDBLOCK;
    case ERROR_ALREADY_EXISTS:
    case ERROR_FILE_EXISTS:
        return EEXIST;
    default:
        return EIO;
    }
}

COMBGPU__PRIVATE int combgpu__file_open(const char *path, combgpu__file_mode mode, int *file)
{
    const int flags = mode <= COMBGPU__FILE_ITSELF   ? _O_RDONLY
                      : mode == COMBGPU__FILE_CREATE ? _O_WRONLY | _O_CREAT | _O_EXCL
                                                     : _O_RDWR | _O_CREAT;
    *file = _open(path, flags | _O_BINARY | _O_NOINHERIT, _S_IREAD | _S_IWRITE);
    return *file < 0 ? errno : 0;
}

COMBGPU__PRIVATE int combgpu__file_facts_of(int file, combgpu__file_facts *facts)
{
    struct _stati64 info;
    if (_fstati64(file, &info)) return errno;
    facts->regular = (info.st_mode & _S_IFMT) == _S_IFREG;
    facts->bytes = info.st_size > 0 ? (uint64_t)info.st_size : 0;
    return 0;
}

/* Nonzero if `file` still has this name. Windows lets no other file take an open file's name. */
COMBGPU__PRIVATE int combgpu__file_is(int file, const char *path)
{
    (void)file, (void)path;
    return 1;
}

#define COMBGPU__READ_SOME(file, bytes, size)                                                      \
    _read(file, bytes, (unsigned)((size) < 1 << 30 ? (size) : 1 << 30))
#define COMBGPU__WRITE_SOME(file, bytes, size)                                                     \
    _write(file, bytes, (unsigned)((size) < 1 << 30 ? (size) : 1 << 30))

/* Truncates an open file to 0 bytes; the next write is at its beginning. */
COMBGPU__PRIVATE int combgpu__file_empty(int file)
{
    if (_lseeki64(file, 0, SEEK_SET) < 0) return errno;
    return _chsize_s(file, 0);
}

COMBGPU__PRIVATE int combgpu__file_flush(int file)
{
    return _commit(file) ? errno : 0;
}

COMBGPU__PRIVATE int combgpu__file_close(int file)
{
    return _close(file) ? errno : 0;
}

/* Locks a file against other processes that lock it, until it is closed or the process ends;
   EWOULDBLOCK if another holds it. The locked byte lies past the end, so the text stays
   readable. */
COMBGPU__PRIVATE int combgpu__file_lock(int file)
{
    OVERLAPPED at;
    memset(&at, 0, sizeof at);
    at.OffsetHigh = 1;
    return LockFileEx((HANDLE)_get_osfhandle(file),
                      LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &at)
               ? 0
               : combgpu__windows_error();
}

/* Closes a locked file and removes it, unless another process has opened it meanwhile. */
COMBGPU__PRIVATE void combgpu__file_unlock(int file, const char *path)
{
    (void)_close(file);
    (void)_unlink(path);
}

COMBGPU__PRIVATE int combgpu__file_remove(const char *path)
{
    return _unlink(path) ? errno : 0;
}

/* Renames a file, atomically replacing any file of that name. Waits up to half a second for
   programs that open new files, such as virus scanners. */
COMBGPU__PRIVATE int combgpu__file_replace(const char *from, const char *to)
{
    int tries, error = EACCES;
    for (tries = 0; tries < 50 && error == EACCES; tries++) {
        if (tries) combgpu__sleep(0.01);
        if (MoveFileExA(from, to, MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH)) return 0;
        error = combgpu__windows_error();
    }
    return error;
}

/* Does nothing: MoveFileExA has made the new name durable. */
COMBGPU__PRIVATE void combgpu__folder_sync(combgpu_context *ctx, const char *path)
{
    (void)ctx, (void)path;
}

/* NULL: Windows resolves links itself. */
COMBGPU__PRIVATE char *combgpu__link_target(combgpu_context *ctx, const char *path)
{
    (void)ctx, (void)path;
    return NULL;
}

#else /* POSIX */

COMBGPU__PRIVATE int combgpu__file_open(const char *path, combgpu__file_mode mode, int *file)
{
    int flags = O_RDWR | O_CREAT | O_NOFOLLOW;
    if (mode == COMBGPU__FILE_READ)
        flags = O_RDONLY;
    else if (mode == COMBGPU__FILE_ITSELF)
        flags = O_RDONLY | O_NOFOLLOW;
    else if (mode == COMBGPU__FILE_CREATE)
        flags = O_WRONLY | O_CREAT | O_EXCL;
    do /* a pipe must not block; opening a file on a server may be interrupted */
        *file = open(path, flags | O_NONBLOCK | O_CLOEXEC, 0666);
    while (*file < 0 && errno == EINTR);
    return *file < 0 ? errno : 0;
}

COMBGPU__PRIVATE int combgpu__file_facts_of(int file, combgpu__file_facts *facts)
{
    struct stat info;
    if (fstat(file, &info)) return errno;
    facts->regular = S_ISREG(info.st_mode);
    facts->bytes = info.st_size > 0 ? (uint64_t)info.st_size : 0;
    return 0;
}

/* Nonzero if `file` still has this name: no other process has removed or replaced it. */
COMBGPU__PRIVATE int combgpu__file_is(int file, const char *path)
{
    struct stat mine, there;
    return !fstat(file, &mine) && !stat(path, &there) && there.st_ino == mine.st_ino &&
           there.st_dev == mine.st_dev;
}

#define COMBGPU__READ_SOME(file, bytes, size) read(file, bytes, size)
#define COMBGPU__WRITE_SOME(file, bytes, size) write(file, bytes, size)

/* Truncates an open file to 0 bytes; the next write is at its beginning. */
COMBGPU__PRIVATE int combgpu__file_empty(int file)
{
    return lseek(file, 0, SEEK_SET) < 0 || ftruncate(file, 0) ? errno : 0;
}

COMBGPU__PRIVATE int combgpu__file_flush(int file)
{
    while (fsync(file))
        if (errno != EINTR) return errno;
    return 0;
}

/* Ignores signals: the file is closed, and was flushed before. */
COMBGPU__PRIVATE int combgpu__file_close(int file)
{
    return close(file) && errno != EINTR ? errno : 0;
}

/* Locks a file against other processes that lock it, until it is closed or the process ends;
   EWOULDBLOCK if another has locked it. */
COMBGPU__PRIVATE int combgpu__file_lock(int file)
{
    return flock(file, LOCK_EX | LOCK_NB) ? errno : 0;
}

/* Removes a locked file, then closes it: until then the lock excludes other processes. */
COMBGPU__PRIVATE void combgpu__file_unlock(int file, const char *path)
{
    (void)unlink(path);
    close(file);
}

COMBGPU__PRIVATE int combgpu__file_remove(const char *path)
{
    return unlink(path) ? errno : 0;
}

/* Renames a file, atomically replacing any file of that name. */
COMBGPU__PRIVATE int combgpu__file_replace(const char *from, const char *to)
{
    return rename(from, to) ? errno : 0;
}

/* Makes new names in the folder of `path` durable. Ignores errors, which cannot lose the file. */
COMBGPU__PRIVATE void combgpu__folder_sync(combgpu_context *ctx, const char *path)
{
    const char *slash = strrchr(path, '/');
    size_t size = slash == path ? 1 : slash ? (size_t)(slash - path) : 0;
    char *folder = (char *)combgpu__allocate(ctx, size + 2);
    int file;
    if (!folder) return;
    memcpy(folder, size ? path : ".", size ? size : 1);
    folder[size ? size : 1] = 0;
    file = open(folder, O_RDONLY | O_CLOEXEC);
    if (file >= 0) {
        (void)fsync(file);
        close(file);
    }
    combgpu__release(ctx, folder);
}

/* The allocated target of the symbolic link `path`; NULL for anything else. */
COMBGPU__PRIVATE char *combgpu__link_target(combgpu_context *ctx, const char *path)
{
    char target[4096], *made;
    const char *slash = strrchr(path, '/');
    const ssize_t length = readlink(path, target, sizeof target - 1);
    size_t folder;
    if (length <= 0) return NULL;
    target[length] = 0;
    folder = slash && *target != '/' ? (size_t)(slash - path) + 1 : 0;
    made = (char *)combgpu__allocate(ctx, folder + (size_t)length + 1);
    if (!made) return NULL;
    memcpy(made, path, folder);
    memcpy(made + folder, target, (size_t)length + 1);
    return made;
}

#endif

/* Reads `room` bytes, fewer only at the end of the file. */
COMBGPU__PRIVATE int combgpu__file_read(int file, void *bytes, size_t room, size_t *got)
{
    *got = 0;
    while (*got < room) {
        const long long n = COMBGPU__READ_SOME(file, (char *)bytes + *got, room - *got);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return n < 0 ? errno : 0;
        *got += (size_t)n;
    }
    return 0;
}

COMBGPU__PRIVATE int combgpu__file_write(int file, const unsigned char *bytes, size_t size)
{
    while (size) {
        const long long n = COMBGPU__WRITE_SOME(file, bytes, size);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return n < 0 ? errno : ENOSPC;
        bytes += n;
        size -= (size_t)n;
    }
    return 0;
}

#endif /* COMBGPU__FILES */
