/* Keeps the folder of --parts: its files, and a line of JSON with each unit's result. */
#ifndef COMBGPU_EXAMPLES_PARTS_FOLDER_H
#define COMBGPU_EXAMPLES_PARTS_FOLDER_H

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

/* A search for --parts. `end` ends the job, fills in *info, writes the result's sums as JSON, like
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
    double start;    /* seconds: when the first part (no3 --bfile: side) began */
    time_t said;     /* when the terminal last got a line */
    const char *folder;
    char *added; /* each unit: nonzero if its line is in the sums, and so in the record */
    char label[60];
} parts;

static void part_path(int part, const char *ending, char *path, size_t size)
{
    snprintf(path, size, "%s/part-%06d.%s", parts.folder, part, ending);
}

/* A machine's crash may leave a line empty: the unit then restarts from its checkpoint. */
static int part_done(int part)
{
    char path[4200];
    FILE *line;
    int some;
    part_path(part, "json", path, sizeof path);
    line = fopen(path, "rb");
    if (!line) return 0;
    some = getc(line) != EOF;
    (void)fclose(line);
    return some;
}

static int count_done(void)
{
    int done = 0, i;
    for (i = 0; i < parts.count; i++)
        done += part_done(i);
    return done;
}

/* Renames a draft to the file, which is thus written whole or not at all. Returns 0 if that fails. */
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
    FILE *to = draft_new(path, draft, sizeof draft);
    if (!to) return 0;
    fputs(text, to);
    return write_end(to, draft, path);
}

static void unreadable(const char *path) COMMAND_NORETURN;
static void unreadable(const char *path)
{
    usage("%.300s cannot be read: %s", path, strerror(errno));
}

/* Reads a file into memory; NULL, and errno, if it cannot be read: ENOENT if there is none. */
static char *try_read_whole(const char *path)
{
    FILE *from = fopen(path, "rb");
    size_t room = 1 << 16, got = 0, more;
    char *text = from ? (char *)malloc(room) : NULL, *larger;
    int error = errno;
    while (text && (more = fread(text + got, 1, room - got - 1, from)) > 0) {
        got += more;
        if (room - got > 1) continue;
        larger = (char *)realloc(text, room *= 2);
        if (!larger) free(text);
        text = larger;
    }
    if (text && ferror(from)) {
        error = errno;
        free(text);
        text = NULL;
    } else if (text)
        text[got] = 0;
    else if (from)
        error = ENOMEM;
    if (from) (void)fclose(from);
    errno = error;
    return text;
}

/* Reads a file into memory; NULL if it does not exist. An unreadable file ends the program, which would
   overwrite it. */
static char *read_whole(const char *path)
{
    char *text = try_read_whole(path);
    if (!text && errno != ENOENT) unreadable(path);
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

/* Makes the folder, or checks that it belongs to the same search in as many units. */
static void parts_open(const parts_search *search)
{
    char path[4200], text[800], *there;
    int made;
    parts.count = (int)number_of(OPTION_PARTS, 0);
    parts.folder = text_of(OPTION_FOLDER);
    free(parts.added);
    parts.added = (char *)calloc((size_t)parts.count, 1);
    if (!parts.added) usage("out of memory");
    if (!parts.folder || !*parts.folder)
        usage("--parts needs --folder DIR: where the parts are kept");
    if (strlen(parts.folder) > 4000)
        usage("--folder has a name of %d characters; the limit is 4000", (int)strlen(parts.folder));
    made = !make_folder(parts.folder);
    if (!made && errno != EEXIST)
        usage("--folder %.200s cannot be made: %s", parts.folder, strerror(errno));
    snprintf(path, sizeof path, "%s/run.txt", parts.folder);
    snprintf(text, sizeof text, "%s, %d parts\n", search->what, parts.count);
    there = read_whole(path);
    if (there && *there && strcmp(there, text)) /* empty: the machine was switched off */
        usage("--folder %.200s is of another run: %.*s", parts.folder,
              (int)(strcspn(there, "\n") < 200 ? strcspn(there, "\n") : 200), there);
    parts.begun = there ? 0 : 1 + made;
    if ((!there || !*there) && !write_whole(path, text))
        usage("--folder %.200s: a file cannot be written: %s", parts.folder, strerror(errno));
    free(there);
}

/* Withdraws the claim on the folder if this process made it. */
static void parts_unclaim(void)
{
    char path[4200];
    snprintf(path, sizeof path, "%s/run.txt", parts.folder);
    if (parts.begun) (void)remove(path);
    if (parts.begun == 2) remove_folder(parts.folder);
}

#endif
