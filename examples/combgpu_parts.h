/* --parts K --folder DIR: a long run of many parts, on one machine or several, today or tomorrow.

   The folder has a checkpoint for each part that has been begun, part-000012.ck, and a line of JSON
   for each that is done, part-000012.json. Whoever runs the same command with the same folder takes
   the parts that are neither done nor at work: the lock of a checkpoint tells. Whoever finds all parts
   done adds them up and writes record.json: version, arguments, and for each part its device, steps,
   seconds and sums. */
#ifndef COMBGPU_EXAMPLES_PARTS_H
#define COMBGPU_EXAMPLES_PARTS_H

#include "combgpu_result.h"

#ifdef _WIN32
#include <direct.h>
#include <process.h>
#define make_folder(path) _mkdir(path)
#else
#include <sys/stat.h>
#define make_folder(path) mkdir(path, 0777)
#endif

/* A search as parts see it. `end` ends the job, fills in *info and writes the result's sums as JSON,
   like "all": 4348, "classes": {...}, to `sums`. */
typedef struct parts_search {
    const char *what; /* the search in words: all runs with one folder must agree */
    combgpu_status (*begin)(combgpu_context *ctx, const combgpu_run_desc *desc, combgpu_job **job,
                            void *user);
    combgpu_status (*end)(combgpu_job *job, char *sums, size_t size, combgpu_run_info *info,
                          void *user);
    void *user;
} parts_search;

static struct {
    int count, done, began; /* parts; `began`: by this process */
    const char *folder;
    char label[60];
} parts;

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

/* Writes a file whole or not at all. Returns 0 if it cannot be written. */
static int write_whole(const char *path, const char *text)
{
    char draft[4300];
    FILE *to;
    int right;
    snprintf(draft, sizeof draft, "%s.%ld", path, (long)getpid());
    to = fopen(draft, "wb");
    if (!to) return 0;
    right = fputs(text, to) >= 0;
    right = !fclose(to) && right;
    remove(path); /* Windows renames to no file that exists */
    return (right && !rename(draft, path)) || (remove(draft), 0);
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
    parts.count = (int)number_of(OPTION_PARTS, 0);
    parts.folder = text_of(OPTION_FOLDER);
    if (!parts.folder || !*parts.folder || strlen(parts.folder) > 4000)
        usage("--parts needs --folder DIR: where the parts are kept");
    if (make_folder(parts.folder) && errno != EEXIST)
        usage("--folder %.200s cannot be made: %s", parts.folder, strerror(errno));
    snprintf(path, sizeof path, "%s/run.txt", parts.folder);
    snprintf(text, sizeof text, "%s, %d parts\n", search->what, parts.count);
    there = read_whole(path);
    if (there && strcmp(there, text))
        usage("--folder %.200s is of another run: %.200s", parts.folder, there);
    if (!there && !write_whole(path, text))
        usage("--folder %.200s: a file cannot be written: %s", parts.folder, strerror(errno));
    free(there);
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
    parts.began++;
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

/* Adds up all parts and writes record.json. */
static combgpu_status merge_parts(combgpu_context *ctx, const parts_search *search,
                                  combgpu_run_info *info)
{
    char(*paths)[4200] = (char(*)[4200])malloc((size_t)parts.count * sizeof *paths);
    const char **files = (const char **)malloc((size_t)parts.count * sizeof *files);
    char sums[2000], what[900], arguments[4500], words[4096], path[4200];
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
    quote_json(words, arguments, sizeof arguments);
    quote_json(search->what, what, sizeof what);
    snprintf(path, sizeof path, "%s/record.json", parts.folder);
    to = fopen(path, "wb");
    if (!to) usage("%.300s cannot be written: %s", path, strerror(errno));
    fprintf(to,
            "{\"search\": %s,\n \"version\": \"%s\",\n \"arguments\": %s,\n \"steps\": %llu,\n"
            " \"seconds\": %.3f,\n \"checksum\": \"%016llx\",\n %s,\n \"part_count\": %d,\n"
            " \"parts\": [\n",
            what, combgpu_version(), arguments, (unsigned long long)info->steps, info->seconds,
            (unsigned long long)info->checksum, sums, parts.count);
    for (i = 0; i < parts.count; i++) {
        char *line;
        part_path(i, "json", path, sizeof path);
        line = read_whole(path);
        fprintf(to, "  %.*s%s\n", line ? (int)strcspn(line, "\n") : 4, line ? line : "null",
                i < parts.count - 1 ? "," : "");
        free(line);
    }
    fprintf(to, "]}\n");
    return fclose(to) ? COMBGPU_FILE_ERROR : status;
}

/* Works on all parts that nobody else does, then adds up if all are done. Returns OK with *info of the
   whole; STOPPED, with what is left said on standard error; or a failure. */
static combgpu_status run_parts(combgpu_context *ctx, const parts_search *search,
                                combgpu_run_info *info)
{
    int status = COMBGPU_OK, elsewhere = 0, i;
    parts_open(search);
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
        if (!given(OPTION_QUIET))
            fprintf(stderr, "%s: part %d of %d is done; %d left\n", cmd.program, i, parts.count,
                    parts.count - parts.done);
    }
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

#endif
