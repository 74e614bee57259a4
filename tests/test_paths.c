/* Tests wrong, long and hostile paths: a message says why, and a run touches only its own files. */
#define TEST_OWN_IMPLEMENTATION /* reaches into jobs */
#define COMBGPU_ONLY_NO3 1
#include "test.h"

#include <sys/stat.h>
#include <unistd.h>

static char folder[200];
static char checkpoint[220];

/* The checkpoint's path with an ending. */
static const char *with(const char *ending)
{
    static char paths[4][240];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s%s", checkpoint, ending);
    return path;
}

static void put(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    if (!file || fputs(text, file) < 0 || fclose(file)) ok(0, "%s can be written", path);
}

/* Nonzero if the file consists of the text. */
static int holds(const char *path, const char *text)
{
    char bytes[256];
    FILE *file = fopen(path, "r");
    size_t n = file ? fread(bytes, 1, sizeof bytes, file) : 0;
    if (file) fclose(file);
    return file && n == strlen(text) && !memcmp(bytes, text, n);
}

static int exists(const char *path)
{
    struct stat info;
    return !lstat(path, &info);
}

static void clean(void)
{
    static const char *const endings[] = {"", ".new", ".bak", ".lock", ".precious", ".link"};
    int i;
    for (i = 0; i < 6; i++)
        if (unlink(with(endings[i]))) (void)rmdir(with(endings[i]));
}

static void no3_desc(combgpu_no3_desc *desc, const char *path)
{
    memset(desc, 0, sizeof *desc);
    desc->n = 6;
    desc->run.checkpoint_path = path;
}

/* Begins a run of this side that writes after each step, or not at all if `writes` is 0, and takes so many
   short steps. */
static combgpu_job *begun(combgpu_context *ctx, combgpu_no3_desc *desc, int n, int writes,
                          int steps)
{
    combgpu_job *job;
    no3_desc(desc, checkpoint);
    desc->n = n;
    desc->run.slice_ms = 1;
    desc->run.checkpoint_interval_s = writes ? 1e-9 : 0;
    equal_status(ctx, combgpu_no3_begin(ctx, desc, &job), COMBGPU_OK, "a run begins");
    while (job && steps--) {
        job->budget = 1;
        equal_status(ctx, combgpu_step(job), COMBGPU_RUNNING, "and is not over");
    }
    return job;
}

static void test_merge_paths(combgpu_context *ctx)
{
    const char *paths[3] = {"a", "b", NULL};
    combgpu_no3_desc desc;
    combgpu_no3_result result;
    no3_desc(&desc, NULL);
    desc.run.merge_paths = paths;
    desc.run.merge_count = 3;
    equal_status(ctx, combgpu_no3(ctx, &desc, &result), COMBGPU_INVALID_ARGUMENT,
                 "a NULL among the paths to merge is refused");
    ok(strstr(combgpu_message(ctx), "run.merge_paths[2] is NULL") != NULL, "and named: %s",
       combgpu_message(ctx));
}

/* A path of 3,000 bytes leaves no room in a message; the reason is there all the same. */
static void test_long_path(combgpu_context *ctx)
{
    combgpu_no3_desc desc;
    combgpu_no3_result result;
    char path[3001];
    int i;
    for (i = 0; i < 3000; i++)
        path[i] = i % 100 == 99 ? '/' : 'x';
    path[3000] = 0;
    no3_desc(&desc, path);
    equal_status(ctx, combgpu_no3(ctx, &desc, &result), COMBGPU_FILE_ERROR,
                 "a folder that is not there is refused");
    ok(strstr(combgpu_message(ctx), "checkpoint xxx") != NULL &&
           strstr(combgpu_message(ctx), ": No such file or directory") != NULL,
       "a long path does not hide the reason");
}

/* Somebody else's file, link, pipe or folder under the name of a companion. */
static void test_companions(combgpu_context *ctx)
{
    static const char *const endings[] = {".new", ".bak", ".lock"};
    static const char *const kinds[] = {"file", "link to a file", "link to nothing", "pipe",
                                        "folder"};
    static const char text[] = "content-hash = \"12\"\n";
    int at, kind;
    for (at = 0; at < 3; at++)
        for (kind = 0; kind < 5; kind++) {
            const char *path = with(endings[at]), *precious = with(".precious");
            combgpu_no3_desc desc;
            combgpu_no3_result result;
            combgpu_status status;
            int made = 0;
            put(precious, text);
            if (kind == 0) put(path, text);
            if (kind == 1) made = symlink(precious, path);
            if (kind == 2) made = symlink("nothing", path);
            if (kind == 3) made = mkfifo(path, 0600);
            if (kind == 4) made = mkdir(path, 0700);
            ok(!made, "a %s at PATH%s", kinds[kind], endings[at]);
            no3_desc(&desc, checkpoint);
            desc.run.resume = 1;
            status = combgpu_no3(ctx, &desc, &result);
            ok(status == COMBGPU_FILE_ERROR || (at == 1 && status == COMBGPU_BAD_FILE),
               "is refused");
            ok(strstr(combgpu_message(ctx), path) != NULL, "and named: %s", combgpu_message(ctx));
            ok(holds(precious, text) && (kind || holds(path, text)) && exists(path),
               "nothing is touched");
            ok(!exists(checkpoint), "nothing is written");
            clean();
        }
}

/* What killed runs leave behind is no obstacle. */
static void test_leftovers(combgpu_context *ctx)
{
    static const char *const texts[][2] = {
        {".new", ""},
        {".new", "comb"},
        {".new", "combgpu checkpoint 1\nproblem"},
        {".bak", ""},
        {".lock", ""},
        {".lock", "12345\n"},
        {".new", "combgpu checkpoint 1\nproblem tsp\nparameters n 5\n"}};
    int i;
    for (i = 0; i < 7; i++) {
        combgpu_no3_desc desc;
        combgpu_no3_result result;
        put(with(texts[i][0]), texts[i][1]);
        no3_desc(&desc, checkpoint);
        desc.run.resume = i != 3; /* a .bak of no bytes is a damaged checkpoint */
        equal_status(
            ctx, combgpu_no3(ctx, &desc, &result), i == 3 ? COMBGPU_FILE_ERROR : COMBGPU_OK,
            "PATH%s with %u bytes is left behind", texts[i][0], (unsigned)strlen(texts[i][1]));
        ok(i == 3 || (result.all == 50 && !exists(with(".new")) && !exists(with(".lock"))),
           "the run is right, and leaves nothing of it");
        clean();
    }
}

/* No checkpoint has the name of a file that another run would write, nor is a link to one. */
static void test_names(combgpu_context *ctx)
{
    static const char *const endings[] = {".new", ".bak", ".lock"};
    combgpu_no3_desc desc;
    combgpu_no3_result result;
    int i, link;
    for (i = 0; i < 3; i++)
        for (link = 0; link < 2; link++) {
            ok(!link || !symlink(with(endings[i]), checkpoint), "a link is made");
            no3_desc(&desc, link ? checkpoint : with(endings[i]));
            equal_status(ctx, combgpu_no3(ctx, &desc, &result), COMBGPU_FILE_ERROR,
                         "a checkpoint PATH%s is refused%s", endings[i], link ? ", linked" : "");
            ok(strstr(combgpu_message(ctx), endings[i]) && !exists(with(endings[i])),
               "named and not made: %s", combgpu_message(ctx));
            clean();
        }
}

/* Who has the lock is said, also where a killed run had it before. */
static void test_lock_text(combgpu_context *ctx)
{
    char text[24];
    combgpu_no3_desc desc;
    combgpu_job *job;
    put(with(".lock"), "1234567890\n");
    no3_desc(&desc, checkpoint);
    equal_status(ctx, combgpu_no3_begin(ctx, &desc, &job), COMBGPU_OK, "a run begins");
    snprintf(text, sizeof text, "%ld\n", (long)getpid());
    ok(holds(with(".lock"), text), "its lock holds its process id alone");
    combgpu_job_cancel(job);
    clean();
}

/* Two runs of one checkpoint although one is locked. */
static void test_two_runs(combgpu_context *ctx, int first_writes)
{
    combgpu_no3_desc desc;
    combgpu_no3_result result;
    combgpu_job *first, *second;
    no3_desc(&desc, checkpoint);
    desc.n = 8;
    desc.run.slice_ms = 1;
    desc.run.checkpoint_interval_s = 1e-9;
    equal_status(ctx, combgpu_no3_begin(ctx, &desc, &first), COMBGPU_OK, "a run begins");
    if (first_writes) (void)combgpu_step(first);
    ok(exists(checkpoint) == first_writes, "it has %swritten", first_writes ? "" : "not ");
    desc.run.resume = 1;
    equal_status(ctx, combgpu_no3_begin(ctx, &desc, &second), COMBGPU_FILE_ERROR,
                 "a second one is refused");
    ok(!unlink(with(".lock")), "its lock is removed manually");
    equal_status(ctx, combgpu_no3_begin(ctx, &desc, &second), COMBGPU_OK, "then it begins");
    while (combgpu_step(second) == COMBGPU_RUNNING) {
    }
    while (combgpu_step(first) == COMBGPU_RUNNING) {
    }
    equal_status(ctx, first->status, COMBGPU_FILE_ERROR, "the first does not overwrite it");
    ok(strstr(combgpu_message(ctx), "in use by another run") != NULL, "and says so: %s",
       combgpu_message(ctx));
    equal_status(ctx, combgpu_no3_end(second, &result), COMBGPU_OK, "the second is complete");
    equal_u64(result.all, 380, "and right");
    equal_status(ctx, combgpu_save(first, NULL, 0, NULL), COMBGPU_INVALID_ARGUMENT,
                 "the first is whole");
    first->status = COMBGPU_RUNNING;
    (void)combgpu_step(first);
    ok(strstr(combgpu_message(ctx), "another run, process") != NULL, "nor later: %s",
       combgpu_message(ctx));
    (void)combgpu_no3_end(first, &result);
    equal_u64(result.all, 380, "it still knows its answer");
    desc.run.resume = 1;
    equal_status(ctx, combgpu_no3(ctx, &desc, &result), COMBGPU_OK, "the file resumes");
    equal_u64(result.all, 380, "to the right count");
    clean();
}

/* A lock that somebody removed is taken again with the next checkpoint. */
static void test_lock_again(combgpu_context *ctx)
{
    combgpu_no3_desc desc;
    combgpu_no3_result result;
    combgpu_job *job = begun(ctx, &desc, 8, 1, 0);
    ok(!unlink(with(".lock")), "its lock is removed manually");
    (void)combgpu_step(job);
    ok(exists(with(".lock")), "it is there again after a checkpoint");
    combgpu_job_cancel(job);
    ok(!exists(with(".lock")), "and gone at the end");
    desc.run.resume = 1;
    equal_status(ctx, combgpu_no3(ctx, &desc, &result), COMBGPU_OK, "the file resumes");
    equal_u64(result.all, 380, "to the right count");
    clean();
}

enum { NEW_FILE, NEW_FOLDER, NEW_LINK, NEW_KINDS };

/* What appears at the checkpoint's path while the run works stays there, before the first checkpoint
   as after it. */
static void test_newcomer(combgpu_context *ctx, int first_writes, int kind)
{
    static const char *const kinds[] = {"file", "folder", "link to nothing"};
    combgpu_no3_desc desc;
    combgpu_no3_result result;
    combgpu_job *job = begun(ctx, &desc, 8, first_writes, first_writes);
    int taken = 1;
    ok(exists(checkpoint) == first_writes, "it has %swritten", first_writes ? "" : "not ");
    unlink(checkpoint);
    if (kind == NEW_FILE) put(checkpoint, "precious");
    if (kind == NEW_FOLDER) taken = !mkdir(checkpoint, 0777);
    if (kind == NEW_LINK) taken = !symlink("nothing", checkpoint);
    ok(taken, "a %s takes its name", kinds[kind]);
    while (combgpu_step(job) == COMBGPU_RUNNING) {
    }
    equal_status(ctx, combgpu_no3_end(job, &result), COMBGPU_FILE_ERROR,
                 "a %s there is not overwritten", kinds[kind]);
    ok(strstr(combgpu_message(ctx), "is not this run's") != NULL, "and the message says so: %s",
       combgpu_message(ctx));
    equal_u64(result.all, 380, "the answer is still right");
    ok(exists(checkpoint) && (kind != NEW_FILE || holds(checkpoint, "precious")), "and it stays");
    ok(exists(with(".bak")) == 0, "nothing is renamed");
    clean();
}

/* Two generations of a run; then the newer one is damaged, or somebody's file. The run goes on from
   the older one, but what is not its own stays, even if it comes later. */
static void test_no_checkpoint(combgpu_context *ctx, int later)
{
    combgpu_no3_desc desc;
    combgpu_no3_result result;
    combgpu_job *job = begun(ctx, &desc, 9, 1, 2);
    combgpu_status status;
    combgpu_job_cancel(job);
    ok(exists(with(".bak")), "it has written twice");
    put(checkpoint, later ? "combgpu check" : "precious");
    desc.run.resume = 1;
    status = combgpu_no3_begin(ctx, &desc, &job);
    if (later) {
        equal_status(ctx, status, COMBGPU_OK, "a damaged file: the older one resumes");
        put(checkpoint, "precious");
        while (combgpu_step(job) == COMBGPU_RUNNING) {
        }
        equal_status(ctx, combgpu_no3_end(job, &result), COMBGPU_FILE_ERROR, "its end is told: %s",
                     combgpu_message(ctx));
    } else if (!ok(status == COMBGPU_BAD_FILE, "anything but a checkpoint is refused: %s",
                   combgpu_message(ctx)))
        combgpu_job_cancel(job);
    ok(holds(checkpoint, "precious"), "the file stays");
    unlink(checkpoint);
    equal_status(ctx, combgpu_no3(ctx, &desc, &result), COMBGPU_OK, "moved away: the older one");
    equal_u64(result.all, 368, "to the right count");
    clean();
}

/* Two names of one file. A symbolic link has the lock of the file; by a hard link a run goes on with
   a file of its own, and neither loses anything. */
static void test_two_names(combgpu_context *ctx, int symbolic)
{
    combgpu_no3_desc desc;
    combgpu_no3_result result;
    combgpu_job *first, *second;
    no3_desc(&desc, checkpoint);
    desc.n = 8;
    desc.run.slice_ms = 1;
    desc.run.checkpoint_interval_s = 1e-9;
    equal_status(ctx, combgpu_no3_begin(ctx, &desc, &first), COMBGPU_OK, "a run begins");
    (void)combgpu_step(first);
    ok(!(symbolic ? symlink("c", with(".link")) : link(checkpoint, with(".link"))),
       "its file gets a second name");
    desc.run.resume = 1;
    desc.run.checkpoint_path = with(".link");
    equal_status(ctx, combgpu_no3_begin(ctx, &desc, &second),
                 symbolic ? COMBGPU_FILE_ERROR : COMBGPU_OK, "a run by that name");
    if (!symbolic) (void)combgpu_step(second);
    equal_status(ctx, combgpu_no3_end(first, &result), COMBGPU_STOPPED, "the first stops");
    if (symbolic)
        equal_status(ctx, combgpu_no3_begin(ctx, &desc, &second), COMBGPU_OK, "then it begins");
    while (combgpu_step(second) == COMBGPU_RUNNING) {
    }
    equal_status(ctx, combgpu_no3_end(second, &result), COMBGPU_OK, "the second ends");
    equal_u64(result.all, 380, "with the right count");
    desc.run.checkpoint_path = checkpoint;
    equal_status(ctx, combgpu_no3(ctx, &desc, &result), COMBGPU_OK, "the file resumes");
    equal_u64(result.all, 380, "to the right count");
    if (symbolic) ok(readlink(with(".link"), (char *)&result, 1) == 1, "the link is still one");
    unlink(with(".link.bak"));
    clean();
}

/* A link to nothing leads to where the checkpoint is to be. */
static void test_dangling(combgpu_context *ctx)
{
    combgpu_no3_desc desc;
    combgpu_no3_result result;
    ok(!symlink("c", with(".link")), "a link to nothing");
    no3_desc(&desc, with(".link"));
    equal_status(ctx, combgpu_no3(ctx, &desc, &result), COMBGPU_OK, "a run whose checkpoint it is");
    ok(exists(checkpoint), "writes what it leads to");
    clean();
    ok(!symlink("c.link", with(".link")), "a link to itself");
    no3_desc(&desc, with(".link"));
    equal_status(ctx, combgpu_no3(ctx, &desc, &result), COMBGPU_FILE_ERROR, "is refused: %s",
                 combgpu_message(ctx));
    clean();
}

/* Files of version 0.2.0 have no line "run TOKEN PROCESS". */
static void test_old_file(combgpu_context *ctx)
{
    combgpu_no3_desc desc;
    combgpu_no3_result result;
    combgpu_job *job;
    static char bytes[1 << 22];
    char *line;
    size_t size = 0;
    FILE *file;
    no3_desc(&desc, checkpoint);
    desc.n = 8;
    desc.run.slice_ms = 1;
    desc.run.checkpoint_interval_s = 1e-9;
    equal_status(ctx, combgpu_no3_begin(ctx, &desc, &job), COMBGPU_OK, "a run begins");
    (void)combgpu_step(job);
    combgpu_job_cancel(job);
    file = fopen(checkpoint, "rb");
    size = file ? fread(bytes, 1, sizeof bytes, file) : 0;
    if (file) fclose(file);
    bytes[sizeof bytes - 1] = 0;
    line = size ? strstr(bytes, "\nrun ") : NULL;
    if (ok(line && size < sizeof bytes, "its file says whose it is")) {
        size_t length = (size_t)(strchr(line + 1, '\n') - line);
        memmove(line, line + length, size - length - (size_t)(line - bytes));
        size -= length;
        combgpu__seal((unsigned char *)bytes, size);
        file = fopen(checkpoint, "wb");
        ok(file && fwrite(bytes, 1, size, file) == size && !fclose(file), "that line is removed");
        desc.run.resume = 1;
        equal_status(ctx, combgpu_no3(ctx, &desc, &result), COMBGPU_OK, "the file resumes");
        equal_u64(result.all, 380, "to the right count");
    }
    clean();
}

int main(void)
{
    combgpu_context *ctx;
    int kind;
    if (!test_open(0, &ctx)) return 1;
    test_merge_paths(ctx);
    test_long_path(ctx);
    if (!test_folder(folder, sizeof folder)) return 1;
    snprintf(checkpoint, sizeof checkpoint, "%s/c", folder);
    test_companions(ctx);
    test_leftovers(ctx);
    test_names(ctx);
    test_lock_text(ctx);
    test_two_runs(ctx, 0);
    test_two_runs(ctx, 1);
    test_lock_again(ctx);
    for (kind = 0; kind < NEW_KINDS; kind++) {
        test_newcomer(ctx, 0, kind);
        test_newcomer(ctx, 1, kind);
    }
    test_no_checkpoint(ctx, 0);
    test_no_checkpoint(ctx, 1);
    test_two_names(ctx, 0);
    test_two_names(ctx, 1);
    test_dangling(ctx);
    test_old_file(ctx);
    rmdir(folder);
    combgpu_close(ctx);
    return tap_end();
}
