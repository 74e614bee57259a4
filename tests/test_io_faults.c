/* Tests every search with a checkpoint: for every n, the n-th call of open, write, fsync, rename or unlink
   fails, writes a part, or kills the process. The next run gives the right answer, and one generation
   always survives. Then full and hostile folders. */
#undef _FORTIFY_SOURCE /* calls have their own names */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "searches.h"

enum { FAIL, SHORT, DIE, KINDS };
enum { MOST_CALLS = 200 };
static int io_calls, fault_at, fault_kind, renames, first_done;
static int is_write[MOST_CALLS]; /* call n writes: it may be short */
static int dirty, early;         /* a file not yet flushed; files renamed before they were */

static int few_calls; /* nonzero: of each search every third call is enough */
static int storm; /* nonzero: a signal interrupts every second call, and others do a part of it */

/* Nonzero: this call is to fail. */
static int fault(void)
{
    if (storm && storm++ % 2) {
        errno = EINTR;
        return 1;
    }
    if (++io_calls != fault_at) return 0;
    if (fault_kind == DIE) _exit(9);
    errno = fault_kind == FAIL ? EIO : ENOSPC;
    return 1;
}

/* The linker takes these for the library's calls, in place of the C library's. */

int open(const char *path, int flags, ...)
{
    va_list more;
    int mode;
    va_start(more, flags);
    mode = flags & O_CREAT ? va_arg(more, int) : 0;
    va_end(more);
    return fault() ? -1 : (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

static ssize_t real_write(int file, const void *bytes, size_t size)
{
    return (ssize_t)syscall(SYS_write, file, bytes, size);
}

ssize_t write(int file, const void *bytes, size_t size)
{
    int failed = fault();
    if (io_calls < MOST_CALLS) is_write[io_calls] = 1;
    dirty = file;
    if (!failed) return real_write(file, bytes, storm && size > 1 ? size / 2 : size);
    return fault_kind == SHORT && size > 1 ? real_write(file, bytes, size / 2) : -1;
}

ssize_t read(int file, void *bytes, size_t size)
{
    if (storm && fault()) return -1;
    return (ssize_t)syscall(SYS_read, file, bytes, storm && size > 1 ? size / 2 : size);
}

int close(int file)
{
    return (int)syscall(SYS_close, file) || (storm && fault()) ? -1 : 0;
}

int fsync(int file)
{
    if (fault()) return -1;
    if (dirty == file) dirty = -1;
    return (int)syscall(SYS_fsync, file);
}

int rename(const char *from, const char *to)
{
    int failed =
        !storm && fault() ? -1 : (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
    early += strstr(from, ".new") && dirty != -1;
    if (!failed && !renames++) first_done = io_calls; /* there was none to become .bak */
    return failed;
}

static int stat_fails; /* nobody knows what has a name, as on a server that is gone */

int stat(const char *path, struct stat *facts)
{
    if (!stat_fails) return fstatat(AT_FDCWD, path, facts, 0);
    errno = EIO;
    return -1;
}

int unlink(const char *path)
{
    return !storm && fault() ? -1 : (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}

static char folder[] = "/dev/shm/combgpu.XXXXXX",
            checkpoint[64]; /* there, where no disk is waited for */
static const char *const endings[] = {"", ".bak", ".new", ".lock"};

static const char *with(const char *ending)
{
    static char path[80];
    snprintf(path, sizeof path, "%s%s", checkpoint, ending);
    return path;
}

static void clean(void)
{
    int i;
    for (i = 0; i < 4; i++)
        (void)unlink(with(endings[i]));
}

static search_desc describe(const search_row *row)
{
    search_desc desc = search_describe(row);
    row->kind->run(&desc)->checkpoint_path = checkpoint;
    row->kind->run(&desc)->checkpoint_interval_s = 1e-9;
    row->kind->run(&desc)->resume = 1;
    return desc;
}

/* Some slices, with a checkpoint after each. */
static void begin_it(combgpu_context *ctx, const search_row *row, int slices)
{
    search_desc desc = describe(row);
    combgpu_job *job;
    int k;
    io_calls = renames = 0;
    if (row->kind->begin(ctx, &desc, &job)) return;
    inside_limit_workers(job, 1);
    for (k = 0; k < slices; k++) {
        inside_set_budget(job, (uint32_t)row->budget);
        (void)combgpu_step(job);
    }
    (void)row->kind->end(job, NULL);
}

/* Goes on to the end. Returns whether the answer is right; *kept: steps had been saved. */
static int end_it(combgpu_context *ctx, const search_row *row, const search_answer *right,
                  int *kept)
{
    search_desc desc = describe(row);
    search_result result;
    search_answer answer;
    combgpu_job *job;
    *kept = !access(checkpoint, F_OK) || !access(with(".bak"), F_OK);
    row->kind->run(&desc)->checkpoint_interval_s = 1e9;
    if (row->kind->begin(ctx, &desc, &job)) {
        printf("# %s\n", combgpu_message(ctx));
        return 0;
    }
    *kept = *kept && steps_of(job) > 0;
    (void)test_run(job);
    memset(&result, 0, sizeof result);
    if (row->kind->end(job, &result) != COMBGPU_OK) return 0;
    answer = search_answer_of(row, &result);
    return search_equal(&answer, right);
}

/* The process's last call, or one of a run that goes on. */
static int survives(combgpu_context *ctx, const search_row *row, const search_answer *right,
                    int keeps, int n)
{
    int status = 0, kept, fine;
    pid_t child = fork();
    if (!child) {
        fault_at = n;
        begin_it(ctx, row, 2);
        _exit(0);
    }
    waitpid(child, &status, 0);
    fine = WIFEXITED(status) && WEXITSTATUS(status) == (fault_kind == DIE ? 9 : 0);
    fine = end_it(ctx, row, right, &kept) && fine;
    clean();
    return fine && (kept || !keeps || n <= first_done || !first_done);
}

/* The folder is gone when the run ends. Returns whether the result is still right. */
static int without_last(combgpu_context *ctx, const search_row *row, const search_answer *right)
{
    search_desc desc = describe(row);
    search_result result;
    search_answer answer;
    combgpu_job *job;
    combgpu_status status;
    char gone[sizeof folder + 5];
    snprintf(gone, sizeof gone, "%s.gone", folder);
    row->kind->run(&desc)->checkpoint_interval_s = 1e9;
    if (row->kind->begin(ctx, &desc, &job)) return 0;
    (void)rename(folder, gone);
    (void)test_run(job);
    memset(&result, 0, sizeof result);
    status = row->kind->end(job, &result);
    (void)rename(gone, folder);
    clean();
    answer = search_answer_of(row, &result);
    return status == COMBGPU_FILE_ERROR && row->kind->info(&result)->status == COMBGPU_OK &&
           search_equal(&answer, right);
}

static void every_call(combgpu_context *ctx, const search_row *row)
{
    static const char *const names[] = {"fails", "is short", "is the last"};
    search_desc desc = search_describe(row);
    search_result result;
    search_answer right;
    int slow = row->describe == magic_givens || row->describe == magic_six; /* 0.1 s each */
    int all_calls, n, keeps, step = slow ? 9 : few_calls ? 3 : 1;
    memset(&result, 0, sizeof result);
    equal_status(ctx, row->kind->once(ctx, &desc, &result), COMBGPU_OK, "%s", row->name);
    right = search_answer_of(row, &result);
    fault_at = first_done = 0;
    memset(is_write, 0, sizeof is_write);
    begin_it(ctx, row, 1); /* the steps of some are counted only once they are done */
    (void)end_it(ctx, row, &right, &keeps);
    keeps = keeps && row->can & SEARCH_STEADY;
    clean();
    first_done = 0;
    memset(is_write, 0, sizeof is_write);
    begin_it(ctx, row, 2);
    all_calls = io_calls;
    ok(all_calls > 8 && all_calls < MOST_CALLS, "%s: %d calls", row->name, all_calls);
    clean();
    for (fault_kind = FAIL; fault_kind < KINDS; fault_kind++) {
        int wrong = 0, calls = 0;
        for (n = 1 + fault_kind % step; n <= all_calls; n += step) {
            if (fault_kind == SHORT && !is_write[n]) continue;
            calls++;
            if (!survives(ctx, row, &right, keeps, n)) {
                wrong++;
                printf("# call %d\n", n);
            }
        }
        ok(!wrong, "%s: a call that %s: a right answer, nothing lost (%d calls)", row->name,
           names[fault_kind], calls);
    }
    fault_at = 0;
    ok(without_last(ctx, row, &right), "%s: FILE_ERROR at the end, and the result", row->name);
}

/* ---- hostile folders: the run ends right or with FILE_ERROR, and what is there stays there */

static combgpu_status small_run(combgpu_context *ctx, const char *path, uint64_t *all)
{
    combgpu_no3_desc desc;
    combgpu_no3_result result;
    combgpu_status status;
    memset(&desc, 0, sizeof desc);
    memset(&result, 0, sizeof result);
    desc.n = 6;
    desc.run.checkpoint_path = path;
    desc.run.checkpoint_interval_s = 1e-9;
    desc.run.resume = 1;
    status = combgpu_no3(ctx, &desc, &result);
    *all = result.all;
    return status;
}

static void full_disk(combgpu_context *ctx)
{
    int status = 0;
    uint64_t all;
    pid_t child = fork();
    if (!child) {
        struct rlimit limit = {100, 100}; /* bytes that a file may have */
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &limit);
        _exit(small_run(ctx, checkpoint, &all) == COMBGPU_FILE_ERROR ? 0 : 1);
    }
    waitpid(child, &status, 0);
    ok(WIFEXITED(status) && !WEXITSTATUS(status), "a disk that takes 100 bytes: FILE_ERROR");
    ok(access(checkpoint, F_OK) != 0, "and no broken checkpoint");
    clean();
}

/* No more files can be opened. */
static void no_files(combgpu_context *ctx)
{
    int status = 0;
    uint64_t all;
    pid_t child = fork();
    if (!child) {
        struct rlimit limit = {3, 3};
        setrlimit(RLIMIT_NOFILE, &limit);
        _exit(small_run(ctx, checkpoint, &all) == COMBGPU_FILE_ERROR ? 0 : 1);
    }
    waitpid(child, &status, 0);
    ok(WIFEXITED(status) && !WEXITSTATUS(status), "no file can be opened: FILE_ERROR");
    clean();
}

/* Nonzero if a run whose checkpoint has this path fails and says this in its message. */
static int says(combgpu_context *ctx, const char *path, const char *why)
{
    uint64_t all;
    if (small_run(ctx, path, &all) != COMBGPU_FILE_ERROR) return 0;
    if (strstr(combgpu_message(ctx), why)) return 1;
    fprintf(stderr, "# %s\n", combgpu_message(ctx));
    return 0;
}

/* What is at the lock's name is not known: the run is refused, and does not try for ever. */
static void no_facts(combgpu_context *ctx)
{
    uint64_t all;
    stat_fails = 1;
    alarm(60);
    equal_status(ctx, small_run(ctx, checkpoint, &all), COMBGPU_FILE_ERROR,
                 "a file system that knows no file: FILE_ERROR");
    alarm(0);
    stat_fails = 0;
    clean();
}

/* A program with a timer, and files on a server: no checkpoint is lost. */
static void signals(combgpu_context *ctx)
{
    combgpu_no3_desc desc;
    combgpu_no3_result result;
    int k;
    memset(&desc, 0, sizeof desc);
    desc.n = 6;
    desc.run.checkpoint_path = checkpoint;
    desc.run.resume = 1;
    storm = 1;
    for (k = 0; k < 2; k++) {
        equal_status(ctx, combgpu_no3(ctx, &desc, &result), COMBGPU_OK, "%s among signals",
                     k ? "resumed" : "a run");
        ok(result.all == 50 && result.run.checkpoints == 1 && !result.run.checkpoint_errors,
           "its checkpoint is written");
    }
    storm = 0;
    clean();
}

/* Names that no file can have: the message has the system's reason, not that something else has the
   name. */
static void reasons(combgpu_context *ctx)
{
    char name[300];
    uint64_t all;
    memset(name, 'a', 252);
    name[252] = 0;
    ok(says(ctx, name, strerror(ENAMETOOLONG)), "a name that is too long: the message says so");
    equal_status(ctx, small_run(ctx, checkpoint, &all), COMBGPU_OK, "a checkpoint");
    snprintf(name, sizeof name, "%s/c", checkpoint);
    ok(says(ctx, name, strerror(ENOTDIR)), "a file in a folder's place: the message says so");
    clean();
}

/* Disks of a few files or bytes, in a name space of the child's own. */
static void small_disks(combgpu_context *ctx)
{
    static const char *const options[] = {"nr_inodes=1", "nr_inodes=2", "nr_inodes=3",
                                          "nr_inodes=4", "size=4k",     "size=8k"};
    size_t i;
    for (i = 0; i < sizeof options / sizeof options[0]; i++) {
        char name[100];
        int status = 0;
        uint64_t all = 0;
        pid_t child = fork();
        if (!child) {
            combgpu_status done;
            if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
                mount("none", folder, "tmpfs", 0, options[i]))
                _exit(2);
            done = small_run(ctx, checkpoint, &all);
            if (done == COMBGPU_OK && all == 50) _exit(0);
            _exit(done == COMBGPU_FILE_ERROR && access(with(".new"), F_OK) ? 0 : 1);
        }
        waitpid(child, &status, 0);
        snprintf(name, sizeof name, "a disk of %s: a right answer or FILE_ERROR", options[i]);
        if (WIFEXITED(status) && WEXITSTATUS(status) == 2)
            skip("no disk can be mounted", name);
        else
            ok(WIFEXITED(status) && !WEXITSTATUS(status), "%s", name);
    }
}

static void strange_paths(combgpu_context *ctx)
{
    static const char *const paths[] = {"/dev/full", "/dev/null", "/proc/self/mem",
                                        "/",         ".",         "/nowhere/c"};
    uint64_t all;
    size_t i;
    for (i = 0; i < sizeof paths / sizeof paths[0]; i++)
        equal_status(ctx, small_run(ctx, paths[i], &all), COMBGPU_FILE_ERROR,
                     "a checkpoint named \"%s\": FILE_ERROR", paths[i]);
    ok(!access("/dev/full", F_OK) && !access("/dev/null", F_OK), "the devices are still there");
    ok(!mkdir(checkpoint, 0777), "a folder");
    equal_status(ctx, small_run(ctx, checkpoint, &all), COMBGPU_FILE_ERROR,
                 "a folder in the checkpoint's place: FILE_ERROR");
    ok(!rmdir(checkpoint), "it is still there");
    ok(!mkfifo(checkpoint, 0666), "a pipe");
    equal_status(ctx, small_run(ctx, checkpoint, &all), COMBGPU_FILE_ERROR,
                 "a pipe in the checkpoint's place: FILE_ERROR, no waiting");
    clean();
}

static void no_permission(combgpu_context *ctx)
{
    static const char name[] = "a folder that may not be written: FILE_ERROR";
    int status = 0;
    uint64_t all;
    pid_t child;
    if (chmod(folder, 0555)) return;
    child = fork();
    if (!child) { /* root may write everywhere */
        if (!geteuid() && (setgid(65534) || setuid(65534))) _exit(2);
        _exit(small_run(ctx, checkpoint, &all) == COMBGPU_FILE_ERROR ? 0 : 1);
    }
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 2)
        skip("root cannot become another user here", name);
    else
        ok(WIFEXITED(status) && !WEXITSTATUS(status), name);
    (void)chmod(folder, 0700);
    clean();
}

/* ---- a run's last checkpoint fails; its caller saves it another way, or makes room and asks again */

static int stops_if(const combgpu_progress *progress, void *user)
{
    (void)progress;
    return *(int *)user;
}

static void made_good(combgpu_context *ctx)
{
    static const combgpu_status ends[2] = {COMBGPU_OK, COMBGPU_STOPPED};
    char here[80], gone[80], path[100], backup[110];
    int stop;
    snprintf(here, sizeof here, "%s/here", folder);
    snprintf(gone, sizeof gone, "%s/gone", folder);
    snprintf(path, sizeof path, "%s/c", here);
    snprintf(backup, sizeof backup, "%s.bak", path);
    for (stop = 0; stop < 2; stop++) {
        combgpu_no3_desc desc;
        combgpu_no3_result result;
        combgpu_job *job = NULL;
        combgpu_status status;
        unsigned char *bytes;
        size_t size;
        memset(&desc, 0, sizeof desc);
        desc.n = 6;
        desc.run.checkpoint_path = path;
        desc.run.progress = stops_if;
        desc.run.progress_user = &stop;
        desc.run.progress_interval_s = 1e-9;
        mkdir(here, 0700);
        equal_status(ctx, combgpu_no3_begin(ctx, &desc, &job), COMBGPU_OK,
                     "a folder that is there");
        inside_set_budget(job, 20);
        rename(here, gone);
        do
            status = combgpu_step(job);
        while (status == COMBGPU_RUNNING);
        equal_status(ctx, status, COMBGPU_FILE_ERROR, "then it is gone");
        bytes = test_save(job, &size);
        rename(gone, here);
        equal_status(ctx, combgpu_checkpoint(job), COMBGPU_OK, "and is back");
        equal_status(ctx, combgpu_no3_end(job, &result), ends[stop],
                     "the end says how the run ended");
        desc.run.progress = NULL;
        desc.run.resume = 1;
        equal_status(ctx, combgpu_no3(ctx, &desc, &result), COMBGPU_OK, "the file is resumed");
        equal_u64(result.all, 50, "to the right answer");
        desc.run.resume = 0;
        desc.run.checkpoint_path = NULL;
        desc.run.resume_data = bytes;
        desc.run.resume_bytes = size;
        equal_status(ctx, combgpu_no3(ctx, &desc, &result), COMBGPU_OK, "what was saved, too");
        equal_u64(result.all, 50, "to the right answer");
        free(bytes);
        unlink(path);
        unlink(backup);
        rmdir(here);
    }
}

int main(void)
{
    combgpu_context *ctx;
    int i;
    few_calls = test_small();
    setenv("COMBGPU_TEST_SMALL", "1", 0); /* small cases of each search */
    if (!mkdtemp(folder)) {
        strcpy(folder, "/tmp/combgpu.XXXXXX");
        if (!mkdtemp(folder)) return 1;
    }
    if (!test_open(0, &ctx)) return 1; /* one thread: it is forked */
    snprintf(checkpoint, sizeof checkpoint, "%s/c", folder);
    for (i = 0; i < SEARCH_ROWS; i++)
        every_call(ctx, &search_rows[i]);
    equal_u64(early, 0, "what gets a checkpoint's name is on the disk");
    made_good(ctx);
    full_disk(ctx);
    no_files(ctx);
    no_facts(ctx);
    signals(ctx);
    reasons(ctx);
    small_disks(ctx);
    strange_paths(ctx);
    no_permission(ctx);
    combgpu_close(ctx);
    clean();
    rmdir(folder);
    return tap_end();
}
