/* --parts K --folder DIR: a long run of many parts, on one machine or several, today or tomorrow.

   The folder has a checkpoint for each part that has been begun, part-000012.ck, and a line of JSON
   for each that is done, part-000012.json. Whoever runs the same command with the same folder takes
   the parts that are neither done nor at work: the lock of a checkpoint tells. Whoever finds all parts
   done adds them up and writes record.json: version, arguments, and for each part its device, steps,
   seconds and sums. */
#ifndef COMBGPU_EXAMPLES_PARTS_H
#define COMBGPU_EXAMPLES_PARTS_H

#include "combgpu_result.h"

#include <time.h>

#ifdef _WIN32
#include <direct.h>
#include <process.h>
#define make_folder(path) _mkdir(path)
#define remove_folder(path) _rmdir(path)
#else
#include <sys/stat.h>
#define make_folder(path) mkdir(path, 0777)
#define remove_folder(path) rmdir(path)
#endif

/* A search as parts see it. `end` ends the job, fills in *info, writes the result's sums as JSON, like
   "all": 4348, "classes": {...}, to `sums`, and keeps the result for `print`. */
typedef struct parts_search {
    const char *name; /* the search on the terminal */
    const char *what; /* the search in words: all runs with one folder must agree */
    combgpu_status (*begin)(combgpu_context *ctx, const combgpu_run_desc *desc, combgpu_job **job,
                            void *user);
    combgpu_status (*end)(combgpu_job *job, char *sums, size_t size, combgpu_run_info *info,
                          void *user);
    void (*print)(void *user); /* prints the result of all parts */
    void *user;
} parts_search;

static struct {
    int count, done; /* parts */
    int begun;       /* by this process: 1: the run, 2: and its folder */
    double start;    /* seconds: when the first part began */
    time_t said;     /* when the terminal last got a line */
    const char *folder;
    char label[60];
} parts;

/* Returns the seconds since some moment. */
static double parts_clock(void)
{
#ifdef _WIN32
    return (double)clock() / CLOCKS_PER_SEC; /* of the wall, there */
#else
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
#endif
}

static void part_path(int part, const char *ending, char *path, size_t size)
{
    snprintf(path, size, "%s/part-%06d.%s", parts.folder, part, ending);
}

static int part_done(int part)
{
    char path[4200];
    part_path(part, "json", path, sizeof path);
    return file_exists(path);
}

/* Opens a draft of a file, for write_end. NULL if it cannot be written. */
static FILE *write_begin(const char *path, char *draft, size_t size)
{
    snprintf(draft, size, "%s.%ld", path, (long)getpid());
    return fopen(draft, "wb");
}

/* Makes a draft the file, which is so written whole or not at all. Returns 0 if it cannot be
   written. */
static int write_end(FILE *to, const char *draft, const char *path)
{
    int right = !ferror(to);
    right = !fclose(to) && right;
#ifdef _WIN32
    if (right) remove(path); /* it renames to no file that exists */
#endif
    return (right && !rename(draft, path)) || (remove(draft), 0);
}

static int write_whole(const char *path, const char *text)
{
    char draft[4300];
    FILE *to = write_begin(path, draft, sizeof draft);
    if (!to) return 0;
    fputs(text, to);
    return write_end(to, draft, path);
}

/* Reads a file into memory; NULL if there is none. */
static char *read_whole(const char *path)
{
    FILE *from = fopen(path, "rb");
    size_t room = 1 << 16, got = 0, more;
    char *text = from ? (char *)malloc(room) : NULL;
    while (text && (more = fread(text + got, 1, room - got - 1, from)) > 0) {
        got += more;
        if (room - got < 2) text = (char *)realloc(text, room *= 2);
    }
    if (text) text[got] = 0;
    if (from) fclose(from);
    return text;
}

/* Writes a text as a JSON string at `to`. */
static void quote_json(const char *text, char *to, size_t size)
{
    size_t at = 0;
    to[at++] = '"';
    for (; *text && at + 8 < size; text++)
        if (*text == '"' || *text == '\\')
            at += (size_t)snprintf(to + at, size - at, "\\%c", *text);
        else if ((unsigned char)*text < ' ')
            at += (size_t)snprintf(to + at, size - at, "\\u%04x", (unsigned)(unsigned char)*text);
        else
            to[at++] = *text;
    to[at++] = '"';
    to[at] = 0;
}

/* Makes the folder, or checks that it is of the same search in as many parts. */
static void parts_open(const parts_search *search)
{
    char path[4200], text[800], *there;
    int made;
    parts.count = (int)number_of(OPTION_PARTS, 0);
    parts.folder = text_of(OPTION_FOLDER);
    if (!parts.folder || !*parts.folder || strlen(parts.folder) > 4000)
        usage("--parts needs --folder DIR: where the parts are kept");
    made = !make_folder(parts.folder);
    if (!made && errno != EEXIST)
        usage("--folder %.200s cannot be made: %s", parts.folder, strerror(errno));
    snprintf(path, sizeof path, "%s/run.txt", parts.folder);
    snprintf(text, sizeof text, "%s, %d parts\n", search->what, parts.count);
    there = read_whole(path);
    if (there && *there && strcmp(there, text)) /* empty: the machine was switched off */
        usage("--folder %.200s is of another run: %.200s", parts.folder, there);
    parts.begun = there ? 0 : 1 + made;
    if ((!there || !*there) && !write_whole(path, text))
        usage("--folder %.200s: a file cannot be written: %s", parts.folder, strerror(errno));
    free(there);
}

/* Arguments that the library refuses do not claim a folder. */
static void parts_refused(combgpu_status status)
{
    char path[4200];
    if (status != COMBGPU_INVALID_ARGUMENT && status != COMBGPU_UNSUPPORTED) return;
    snprintf(path, sizeof path, "%s/run.txt", parts.folder);
    remove(path);
    if (parts.begun == 2) remove_folder(parts.folder);
}

/* Returns whether --time-limit, which is for all parts together, leaves time; if so, sets *seconds to
   it, or to 0 for no limit. */
static int time_left(double *seconds)
{
    *seconds = run.desc.time_limit_s;
    if (*seconds <= 0) return 1;
    *seconds -= parts_clock() - parts.start;
    return *seconds > 0;
}

/* Does a part, or goes on with it. LOCKED: somebody else is at work on it. */
enum { PART_LOCKED = 1000 };
static int do_part(combgpu_context *ctx, const parts_search *search, int part)
{
    combgpu_run_desc desc = run.desc;
    combgpu_run_info info;
    combgpu_status status;
    combgpu_job *job;
    char path[4200], sums[2000], device[300], line[3000];
    part_path(part, "ck", path, sizeof path);
    desc.shard_index = part;
    desc.shard_count = parts.count;
    if (!time_left(&desc.time_limit_s)) return COMBGPU_STOPPED;
    desc.checkpoint_path = path;
    desc.resume = 1;
    snprintf(parts.label, sizeof parts.label, "part %d of %d, %d done", part + 1, parts.count,
             parts.done);
    run.label = parts.label;
    status = search->begin(ctx, &desc, &job, search->user);
    if (status == COMBGPU_FILE_ERROR && strstr(combgpu_message(ctx), "in use by another run")) {
        run.error[0] = 0;
        return PART_LOCKED;
    }
    if (status < 0) return status;
    if (part_done(part)) { /* since it was looked at */
        combgpu_job_cancel(job);
        return COMBGPU_OK;
    }
    do
        status = combgpu_step(job);
    while (status == COMBGPU_RUNNING);
    status = search->end(job, sums, sizeof sums, &info, search->user);
    if (status != COMBGPU_OK) return status;
    quote_json(info.device, device, sizeof device);
    snprintf(
        line, sizeof line,
        "{\"part\": %d, \"version\": \"%s\", \"backend\": \"%s\", \"device\": %s, "
        "\"seconds\": %.3f, \"steps\": %llu, \"checksum\": \"%016llx\", \"verified\": %llu, %s}\n",
        part, combgpu_version(), combgpu_backend_string(info.backend), device, info.seconds,
        (unsigned long long)info.steps, (unsigned long long)info.checksum,
        (unsigned long long)info.verified, sums);
    part_path(part, "json", path, sizeof path);
    if (!write_whole(path, line)) usage("%.300s cannot be written: %s", path, strerror(errno));
    return COMBGPU_OK;
}

/* Copies the line of a part to the record; null if it is not whole, as after a crash of the
   machine. */
static void record_part(FILE *to, int part)
{
    char path[4200], *line;
    size_t length;
    part_path(part, "json", path, sizeof path);
    line = read_whole(path);
    length = line ? strcspn(line, "\n") : 0;
    if (length < 2 || line[0] != '{' || line[length - 1] != '}')
        fprintf(to, "  null");
    else
        fprintf(to, "  %.*s", (int)length, line);
    fprintf(to, "%s\n", part < parts.count - 1 ? "," : "");
    free(line);
}

/* Adds up all parts and writes record.json. */
static combgpu_status merge_parts(combgpu_context *ctx, const parts_search *search,
                                  combgpu_run_info *info)
{
    char(*paths)[4200] = (char(*)[4200])malloc((size_t)parts.count * sizeof *paths);
    const char **files = (const char **)malloc((size_t)parts.count * sizeof *files);
    char sums[2000], words[4096], path[4200], draft[4300];
    combgpu_run_desc desc;
    combgpu_status status;
    combgpu_job *job;
    FILE *to;
    int i;
    if (!paths || !files) usage("out of memory");
    for (i = 0; i < parts.count; i++) {
        part_path(i, "ck", paths[i], sizeof *paths);
        files[i] = paths[i];
    }
    memset(&desc, 0, sizeof desc);
    desc.merge_paths = files;
    desc.merge_count = parts.count;
    status = search->begin(ctx, &desc, &job, search->user);
    if (!status) {
        combgpu_step(job);
        status = search->end(job, sums, sizeof sums, info, search->user);
    }
    free(paths);
    free(files);
    if (status < 0) return status;
    run.desc.resume = 1;
    resume_command(words, sizeof words);
    snprintf(path, sizeof path, "%s/record.json", parts.folder);
    to = write_begin(path, draft, sizeof draft);
    if (!to) usage("%.300s cannot be written: %s", path, strerror(errno));
    fprintf(to, "{\"search\": ");
    json_text_to(to, search->what);
    fprintf(to, ",\n \"version\": \"%s\",\n \"arguments\": ", combgpu_version());
    json_text_to(to, words);
    fprintf(to,
            ",\n \"steps\": %llu,\n \"seconds\": %.3f,\n \"checksum\": \"%016llx\",\n %s,\n"
            " \"part_count\": %d,\n \"parts\": [\n",
            (unsigned long long)info->steps, info->seconds, (unsigned long long)info->checksum,
            sums, parts.count);
    for (i = 0; i < parts.count; i++)
        record_part(to, i);
    fprintf(to, "]}\n");
    if (!write_end(to, draft, path)) usage("%.300s cannot be written: %s", path, strerror(errno));
    return status;
}

/* Works on all parts that nobody else does, then adds up if all are done. Returns OK with *info of the
   whole; STOPPED, with what is left said on standard error; or a failure. */
static combgpu_status run_parts(combgpu_context *ctx, const parts_search *search,
                                combgpu_run_info *info)
{
    int status = COMBGPU_OK, elsewhere = 0, i;
    parts_open(search);
    parts.start = parts_clock();
    for (i = parts.done = 0; i < parts.count; i++)
        parts.done += part_done(i);
    for (i = 0; i < parts.count && !stop_wanted(); i++) {
        if (part_done(i)) continue;
        status = do_part(ctx, search, i);
        if (status == PART_LOCKED) {
            elsewhere++;
            continue;
        }
        if (status != COMBGPU_OK) break;
        parts.done++;
        terminal_clear();
        if (given(OPTION_QUIET) || time(NULL) == parts.said)
            continue; /* a line a second is enough */
        parts.said = time(NULL);
        fprintf(stderr, "%s: part %d of %d is done; %d left\n", cmd.program, i + 1, parts.count,
                parts.count - parts.done);
    }
    if (status < 0 && parts.begun && !parts.done) parts_refused((combgpu_status)status);
    if (status < 0) return (combgpu_status)status;
    for (i = parts.done = 0; i < parts.count; i++)
        parts.done += part_done(i);
    if (parts.done == parts.count) return merge_parts(ctx, search, info);
    terminal_clear();
    fprintf(stderr, "%s: %d of %d parts are done%s; the same command goes on\n", cmd.program,
            parts.done, parts.count, elsewhere ? ", some are at work elsewhere" : "");
    memset(info, 0, sizeof *info);
    return COMBGPU_STOPPED;
}

/* Returns whether the search is asked for in parts; ends the program if that does not fit the rest. */
static int parts_wanted(void)
{
    static const int without[] = {
        OPTION_LIMIT,  OPTION_SEED,   OPTION_FORECAST,   OPTION_LIST,   OPTION_DRAW,
        OPTION_FORMAT, OPTION_OUTPUT, OPTION_FIRST,      OPTION_COUNT,  OPTION_SVG,
        OPTION_SHARD,  OPTION_MERGE,  OPTION_CHECKPOINT, OPTION_RESUME, -1};
    goes_with(OPTION_PARTS, OPTION_FOLDER);
    goes_with(OPTION_FOLDER, OPTION_PARTS);
    goes_without(OPTION_PARTS, without);
    return given(OPTION_PARTS);
}

/* Does the parts and prints the result if all are done. Returns the exit status. */
static int parts_main(const parts_search *search)
{
    combgpu_run_info info;
    combgpu_context *ctx;
    combgpu_status status;
    int end;
    run.many = 1;
    ctx = open_context(search->name);
    status = run_parts(ctx, search, &info);
    if (status < 0) return failed(ctx, status);
    if (status == COMBGPU_OK) search->print(search->user);
    if (status == COMBGPU_OK) return finish(ctx, &info);
    if (json_wanted()) {
        json_string("status", combgpu_status_string(status));
        json_u64("parts", (uint64_t)parts.count);
        json_u64("parts_done", (uint64_t)parts.done);
    }
    end = finish(ctx, NULL);
    return end ? end : EXIT_STOPPED;
}

#endif
