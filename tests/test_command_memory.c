/* Tests the command with little memory: for every n its n-th allocation fails, in its own code or in the
   library. It reports that, or writes the usual file. Also without room for temporary files, and with lists
   that cannot be read again. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "test.h"

/* not by nvcc alone: the command has functions with COMBGPU_PERM_VISITOR */
#ifdef _WIN32

int main(void)
{
    skip("no fork", "the command with little memory");
    return tap_end();
}

#else

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>

static int allocations, fault_at; /* the allocation, from 1 on, that fails; 0: none */
static int kept;                  /* blocks that are not released */
static size_t most_bytes;         /* a larger block fails; 0: none */

static void *counted(void *memory)
{
    kept += memory != NULL;
    return memory;
}

static int fault(void)
{
    return ++allocations == fault_at;
}

static void *failing_malloc(size_t bytes)
{
    return fault() ? NULL : counted(malloc(bytes));
}

static void *failing_calloc(size_t count, size_t bytes)
{
    return fault() ? NULL : counted(calloc(count, bytes));
}

static void *failing_realloc(void *memory, size_t bytes)
{
    if (fault() || (most_bytes && bytes > most_bytes)) return NULL;
    return memory ? realloc(memory, bytes) : counted(malloc(bytes));
}

static void counting_free(void *memory)
{
    kept -= memory != NULL;
    free(memory);
}

static void *allocate(size_t bytes, void *user)
{
    (void)user;
    return failing_malloc(bytes);
}

static void release(void *memory, void *user)
{
    (void)user;
    counting_free(memory);
}

/* The library's allocations fail, too. */
static combgpu_status failing_open(combgpu_context **ctx, const combgpu_context_desc *desc)
{
    combgpu_context_desc all;
    memset(&all, 0, sizeof all);
    if (desc) all = *desc;
    all.allocator.allocate = allocate;
    all.allocator.release = release;
    return combgpu_open(ctx, &all);
}

static int no_room; /* for temporary files */

static FILE *full_tmpfile(void)
{
    return no_room ? fopen("/dev/full", "w+b") : tmpfile();
}

static int no_read, no_facts; /* of a list that is gone on with */

static FILE *unread_fopen(const char *path, const char *mode)
{
    FILE *file = fopen(path, mode);
    int only = no_read && file && !strcmp(mode, "r+b") ? open(path, O_WRONLY) : -1;
    if (only >= 0 && (dup2(only, fileno(file)) < 0 || close(only))) abort();
    return file;
}

static int unknown_stat(const char *path, struct stat *facts)
{
    errno = EIO;
    return no_facts ? -1 : stat(path, facts);
}

static int unknown_access(const char *path, int mode)
{
    errno = EIO;
    return no_facts ? -1 : access(path, mode);
}

static void leave(int status)
#ifdef __GNUC__
    __attribute__((noreturn))
#endif
    ;
static void leave(int status)
{
    fflush(NULL);
    _exit(status != 0 || allocations >= fault_at ? status : 99); /* 99: it has fewer allocations */
}

#define main command_main
#define exit leave
#define malloc failing_malloc
#define calloc failing_calloc
#define realloc failing_realloc
#define free counting_free
#define combgpu_open failing_open
#define tmpfile full_tmpfile
#define fopen unread_fopen
#define stat(path, facts) unknown_stat(path, facts)
#define access unknown_access
#include "../examples/combgpu.c"
#undef main
#undef exit
#undef malloc
#undef calloc
#undef realloc
#undef free
#undef combgpu_open
#undef tmpfile
#undef fopen
#undef stat
#undef access

static char out[400], said[400], points_file[400];

/* Reads a file to its end, at most `size` - 1 bytes; returns how many, -1 if there is none. */
static long contents(const char *path, char *text, size_t size)
{
    FILE *file = fopen(path, "rb");
    size_t bytes = file ? fread(text, 1, size - 1, file) : 0;
    text[bytes] = 0;
    if (file) fclose(file);
    return file ? (long)bytes : -1;
}

/* Runs the command in a process of its own. Returns its exit status, -1 if a signal ended it. */
static int run_command(const char *words, int at)
{
    char with[200], text[1200], *argv[40];
    int argc = 0, status;
    pid_t child;
    snprintf(with, sizeof with, "combgpu %s --backend cpu --threads 1 --quiet", words);
    snprintf(text, sizeof text, with, out, points_file);
    for (argv[argc] = strtok(text, " "); argv[argc]; argv[argc] = strtok(NULL, " "))
        argc++;
    (void)unlink(out);
    fflush(NULL);
    child = fork();
    if (child == 0) {
        fault_at = at;
        if (no_room) alarm(60);
        if (!freopen("/dev/null", "wb", stdout) || !freopen(said, "wb", stderr)) _exit(98);
        status = command_main(argc, argv);
        if (kept) fprintf(stderr, "%d blocks are kept\n", kept);
        leave(status);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
    return WEXITSTATUS(status);
}

/* keeps: at an error that the library reports it may keep memory. */
static void with_little_memory(const char *words, int keeps)
{
    static char right[1 << 17], got[sizeof right], why[4000];
    int status = run_command(words, 0), at, wrong = 0, refused = 0;
    long bytes = contents(out, right, sizeof right), more;
    if (!ok(status == 0 && bytes > 0 && bytes + 1 < (long)sizeof right, "%s: status %d, %ld bytes",
            words, status, bytes))
        return;
    for (at = 1; at < 1000 && (status = run_command(words, at)) != 99; at++) {
        more = contents(out, got, sizeof got);
        (void)contents(said, why, sizeof why);
        refused += status != 0;
        if ((keeps || !strstr(why, "blocks are kept")) &&
            (status == 0 ? more == bytes && !memcmp(got, right, (size_t)bytes)
                         : status > 0 && status < 3 && !strncmp(why, "combgpu ", 8) &&
                               strstr(why, "out of memory")))
            continue;
        if (++wrong > 3) continue;
        printf("# %s: allocation %d fails: status %d, %ld bytes, %s\n", words, at, status, more,
               why);
    }
    ok(!wrong && refused && status == 99,
       "%s: of %d allocations that fail %d end it, and the file is never wrong", words, at - 1,
       refused);
}

/* An error that the library reports: the command ends by itself, and has released all. */
static void releases_all(const char *words, int want)
{
    char why[4000];
    int status = run_command(words, 0);
    (void)contents(said, why, sizeof why);
    if (!ok(status == want && !strstr(why, "blocks are kept"), "%s: refused, and no memory is kept",
            words))
        printf("# status %d, %s\n", status, why);
}

/* The first few of many hits take no memory for all. */
static void first_of_many(void)
{
    char text[100];
    int status;
    most_bytes = 100000; /* the hits have 322560 */
    status =
        run_command("perm --family partial --n 8 --k 8 --sum 36 --list --count 2 --output %s", 0);
    most_bytes = 0;
    (void)contents(out, text, sizeof text);
    ok(status == 0 && !strcmp(text, "1 2 3 4 5 6 7 8\n1 2 3 4 5 6 8 7\n"),
       "2 of 40,320 hits in order: status %d, %s", status, text);
}

/* A list that needs a temporary file ends with a message and is never taken for whole. */
static void with_full_disk(void)
{
    char why[4000];
    int status;
    no_room = 1;
    status = run_command("no3 --n 4 --list --format npy", 0);
    (void)contents(said, why, sizeof why);
    ok(status == 1 && strstr(why, "temporary file cannot be written"), "npy: status %d, %s", status,
       why);
    no_room = 0;
}

/* A list that is resumed while *fault is set, which ends with `status_then`, has each board once it is
   not. */
static void resumes_list(const char *folder, int *fault, int status_then)
{
    char words[1000], boards[420], text[4000], why[4000];
    int status, lines = 0, i;
    snprintf(boards, sizeof boards, "%s/list", folder);
    for (i = 0; i < 3; i++) {
        static const char *const more[] = {"--limit 5", "--resume", "--resume"};
        const int want[] = {0, status_then, 0};
        snprintf(words, sizeof words, "no3 --n 8 --list --output %s --checkpoint %s/c %s", boards,
                 folder, more[i]);
        *fault = i == 1;
        status = run_command(words, 0);
        (void)contents(said, why, sizeof why);
        if (!ok(status == want[i], "a list, %s: status %d", more[i], status)) printf("# %s\n", why);
    }
    for (i = 0; i < (int)contents(boards, text, sizeof text); i++)
        lines += text[i] == '\n';
    equal_u64((uint64_t)lines, 57, "each board is in the list");
    (void)unlink(boards);
    snprintf(boards, sizeof boards, "%s/c", folder);
    (void)unlink(boards);
    strcat(boards, ".bak");
    (void)unlink(boards);
}

int main(void)
{
    char folder[300];
    FILE *file;
    if (!test_folder(folder, sizeof folder)) return 1;
    snprintf(out, sizeof out, "%s/out", folder);
    snprintf(said, sizeof said, "%s/said", folder);
    snprintf(points_file, sizeof points_file, "%s/points", folder);
    file = fopen(points_file, "wb");
    if (file) fputs("1 2 first\n3 4 second\n5 1 third\n7 8 fourth\n", file);
    if (file) fclose(file);
    with_little_memory("no3 --n 7 --cnf %s", 0);
    with_little_memory("tsp --svg %s %s", 1);
    with_little_memory("no3 --n 3 --title T --svg %s", 0);
    with_little_memory("magic --order 3 --frenicle --title T --svg %s", 0);
    with_little_memory("no3 --n 6 --sort --format csv --output %s", 0);
    first_of_many();
    releases_all("magic --construct --order 6 --kind pandiagonal", 2);
    if (access("/dev/full", F_OK))
        skip("no /dev/full", "temporary files on a full disk");
    else {
        with_full_disk();
        resumes_list(folder, &no_room, 2);
    }
    resumes_list(folder, &no_read, 2);
    resumes_list(folder, &no_facts, 0);
    (void)unlink(out);
    (void)unlink(said);
    (void)unlink(points_file);
    (void)rmdir(folder);
    return tap_end();
}

#endif
