/* Writes and reads record.json of --parts: the sums of all units done, and a line of JSON for each.

   A record also stands for a folder: in an empty one it marks its units as done. */
#ifndef COMBGPU_EXAMPLES_PARTS_RECORD_H
#define COMBGPU_EXAMPLES_PARTS_RECORD_H

#include "combgpu_parts_folder.h"

typedef struct parts_sum {
    int parts, merged; /* merged: by checkpoints, not by lines */
    double seconds;
    uint64_t steps, checksum;
    char sums[2000]; /* as parts_search.end writes them */
} parts_sum;

/* Adds the numbers of `more` to those of `sums`, two otherwise equal texts. Returns 0 if they differ.
   A number follows a colon. */
static int add_sums(char *sums, size_t size, const char *more)
{
    char total[sizeof((parts_sum *)0)->sums];
    const char *at = sums;
    size_t to = 0;
    while (*at && to + 24 < sizeof total) {
        if (*at != *more && !(*at >= '0' && *at <= '9')) return 0;
        if (*at >= '0' && *at <= '9' && at - sums > 1 && at[-2] == ':') {
            char *end, *more_end;
            uint64_t sum = strtoull(at, &end, 10) + strtoull(more, &more_end, 10);
            if (more_end == more) return 0;
            to += (size_t)snprintf(total + to, sizeof total - to, "%llu", (unsigned long long)sum);
            at = end;
            more = more_end;
        } else if (*at != *more)
            return 0;
        else {
            total[to++] = *at++;
            more++;
        }
    }
    total[to] = 0;
    if (*at || *more) return 0;
    snprintf(sums, size, "%s", total);
    return 1;
}

/* Each of these returns the text behind what `at` begins with; NULL if it does not or `at` is NULL. */
static const char *pass(const char *at, const char *text)
{
    size_t length = strlen(text);
    return at && !strncmp(at, text, length) ? at + length : NULL;
}

static const char *pass_some(const char *at, const char *characters)
{
    size_t length = at ? strspn(at, characters) : 0;
    return length ? at + length : NULL;
}

/* A whole number of JSON: 0, or without a leading 0. */
static const char *pass_number(const char *at)
{
    const char *end = pass_some(at, "0123456789");
    return end && (*at != '0' || end == at + 1) ? end : NULL;
}

/* A JSON string. */
static const char *pass_string(const char *at)
{
    for (at = pass(at, "\""); at && *at != '"';) {
        size_t length = utf8_length(at);
        if (!length || (unsigned char)*at < ' ') return NULL;
        if (*at == '\\') {
            if (!at[1] || !strchr("\"\\/bfnrtu", at[1])) return NULL;
            if (at[1] == 'u' && strspn(at + 2, "0123456789abcdefABCDEF") < 4) return NULL;
            length = 2;
        }
        at += length;
    }
    return at ? at + 1 : NULL;
}

/* Sums of the form "key": number, or "key": {sums}. */
static const char *pass_sums(const char *at, int depth)
{
    for (;; at += 2) {
        at = pass(pass_some(pass(at, "\""), "abcdefghijklmnopqrstuvwxyz_-0123456789"), "\": ");
        if (at && *at == '{' && depth)
            at = at[1] == '}' ? at + 2 : pass(pass_sums(at + 1, depth - 1), "}");
        else
            at = pass_number(at);
        if (!at || strncmp(at, ", ", 2)) return at;
    }
}

/* Returns the text behind `key` in a line, or NULL. */
static const char *behind(const char *line, const char *key)
{
    const char *at = strstr(line, key);
    return at ? at + strlen(key) : NULL;
}

/* Returns the bytes of a line's head if it is of this unit and version (others may have another search
   tree), else 0. */
static size_t line_fits(const char *line, int part)
{
    char head[100];
    snprintf(head, sizeof head, "{\"part\": %d, \"version\": \"%s\", ", part, combgpu_version());
    return strncmp(line, head, strlen(head)) ? 0 : strlen(head);
}

/* Adds the line of a unit. Returns 0 if it is not one. */
static int add_line(parts_sum *sum, int part, const char *line)
{
    static const char decimal[] = "0123456789", hex[] = "0123456789abcdef";
    const char *seconds, *steps, *checksum, *sums, *at;
    char text[sizeof sum->sums];
    size_t length = line_fits(line, part);
    if (!length) return 0;
    at = pass_string(pass(line + length, "\"backend\": "));
    at = pass_string(pass(at, ", \"device\": "));
    seconds = pass(at, ", \"seconds\": ");
    at = pass_some(pass(pass_number(seconds), "."), decimal);
    steps = pass(at, ", \"steps\": ");
    checksum = pass(pass_number(steps), ", \"checksum\": \"");
    at = pass_some(checksum, hex);
    sums = pass(pass_number(pass(at, "\", \"verified\": ")), ", ");
    if (!sums || at - checksum != 16) return 0;
    length = strcspn(sums, "\n");
    if (length < 2 || length >= sizeof text || sums[length - 1] != '}') return 0;
    memcpy(text, sums, length - 1);
    text[length - 1] = 0;
    if (!pass_sums(text, 1) || *pass_sums(text, 1)) return 0;
    if (sum->parts && !add_sums(sum->sums, sizeof sum->sums, text)) return 0;
    if (!sum->parts) memcpy(sum->sums, text, length);
    sum->seconds += strtod(seconds, NULL);
    sum->steps += strtoull(steps, NULL, 10);
    sum->checksum += strtoull(checksum, NULL, 16);
    sum->parts++;
    return 1;
}

/* Adds up the finished units by their lines. */
static void add_parts(parts_sum *sum)
{
    char path[4200], *line;
    int i;
    memset(sum, 0, sizeof *sum);
    for (i = 0; i < parts.count; i++) {
        parts.added[i] = 0;
        if (!part_done(i)) continue;
        part_path(i, "json", path, sizeof path);
        line = read_whole(path);
        parts.added[i] = line && *line;
        if (line && *line && !add_line(sum, i, line)) /* empty: the machine was switched off */
            usage("%.300s is not the line of part %d of this search, by version %s", path, i,
                  combgpu_version());
        free(line);
    }
}

/* Copies the line of a unit to the record; null if the sums lack it (others have done it since) or it is
   incomplete (after a machine's crash). */
static void record_part(FILE *to, int part)
{
    char path[4200], *line;
    size_t length;
    part_path(part, "json", path, sizeof path);
    line = parts.added[part] ? read_whole(path) : NULL;
    length = line ? strcspn(line, "\n") : 0;
    if (length < 2 || line[0] != '{' || line[length - 1] != '}')
        fprintf(to, "  null");
    else
        fprintf(to, "  %.*s", (int)length, line);
    fprintf(to, "%s\n", part < parts.count - 1 ? "," : "");
    free(line);
}

static void write_record(const parts_search *search, const parts_sum *sum)
{
    char words[4096], path[4200], draft[4300];
    FILE *to;
    int i;
    run.desc.resume = 1;
    resume_command(words, sizeof words);
    snprintf(path, sizeof path, "%s/record.json", parts.folder);
    to = draft_new(path, draft, sizeof draft);
    if (!to) usage("%.300s cannot be written: %s", path, strerror(errno));
    fprintf(to, "{\"search\": ");
    json_text_to(to, search->what);
    fprintf(to, ",\n \"version\": \"%s\",\n \"arguments\": ", combgpu_version());
    json_text_to(to, words);
    fprintf(to,
            ",\n \"steps\": %llu,\n \"seconds\": %.3f,\n \"checksum\": \"%016llx\",\n %s,\n"
            " \"part_count\": %d,\n \"parts\": [\n",
            (unsigned long long)sum->steps, sum->seconds, (unsigned long long)sum->checksum,
            sum->sums, parts.count);
    for (i = 0; i < parts.count; i++)
        record_part(to, i);
    fprintf(to, "]}\n");
    if (!write_end(to, draft, path)) usage("%.300s cannot be written: %s", path, strerror(errno));
}

/* Nonzero if a record is of this search, in as many units, and of this version: others may have another
   search tree. */
static int record_fits(const parts_search *search, const char *record)
{
    char what[800], head[1000];
    const char *count = behind(record, "\"part_count\": ");
    quote_json(search->what, what, sizeof what);
    snprintf(head, sizeof head, "{\"search\": %s,\n \"version\": \"%s\",\n", what,
             combgpu_version());
    return !strncmp(record, head, strlen(head)) && count && atoi(count) == parts.count;
}

/* Copies the next line of a record's list to `text`: empty for null or at the end. */
static void take_line(const char **lines, char *text, size_t size)
{
    const char *line = *lines;
    size_t length = line ? strcspn(line, "\n") : 0;
    *text = 0;
    *lines = length && line[length] ? line + length + 1 : NULL;
    if (length < 4 || line[2] != '{') return;
    length -= 2 + (size_t)(line[length - 1] == ',');
    if (length + 2 <= size) snprintf(text, size, "%.*s\n", (int)length, line + 2);
}

/* Nonzero if a record's lines belong to its units and add up to its sums: none is missing. */
static int record_adds_up(const char *record)
{
    const char *lines = behind(record, "\"parts\": [\n"), *steps = behind(record, "\"steps\": ");
    char text[3000], head[2200];
    parts_sum sum;
    int i;
    memset(&sum, 0, sizeof sum);
    for (i = 0; i < parts.count; i++) {
        take_line(&lines, text, sizeof text);
        if (*text && !add_line(&sum, i, text)) return 0;
    }
    snprintf(head, sizeof head, "\"checksum\": \"%016llx\",\n %s,\n \"part_count\"",
             (unsigned long long)sum.checksum, sum.sums);
    return steps && strtoull(steps, NULL, 10) == sum.steps && strstr(record, head);
}

/* Marks units as done that the folder's record has and the folder lacks. */
static void take_record(const parts_search *search)
{
    char path[4200], text[3000], *record;
    const char *lines;
    int i;
    snprintf(path, sizeof path, "%s/record.json", parts.folder);
    record = try_read_whole(path);
    if (!record && errno == ENOENT) return;
    if (!record) {
        const int error = errno;
        parts_unclaim();
        errno = error;
        unreadable(path);
    }
    if (!record_fits(search, record)) {
        parts_unclaim();
        usage("%.300s is of another run, or of another version than %s", path, combgpu_version());
    }
    if (!record_adds_up(record)) {
        parts_unclaim();
        usage("%.300s is damaged: its parts do not add up to its sums", path);
    }
    lines = behind(record, "\"parts\": [\n");
    for (i = 0; i < parts.count; i++) {
        take_line(&lines, text, sizeof text);
        if (!*text || part_done(i)) continue;
        part_path(i, "json", path, sizeof path);
        if (!write_whole(path, text)) usage("%.300s cannot be written: %s", path, strerror(errno));
    }
    free(record);
}

/* Adds up the checkpoints of all units, which the library compares. */
static combgpu_status merge_parts(combgpu_context *ctx, const parts_search *search,
                                  combgpu_run_info *info, parts_sum *sum)
{
    char(*paths)[4200] = (char(*)[4200])malloc((size_t)parts.count * sizeof *paths);
    const char **files = (const char **)malloc((size_t)parts.count * sizeof *files);
    combgpu_run_desc desc;
    combgpu_status status;
    combgpu_job *job;
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
        status = search->end(job, sum->sums, sizeof sum->sums, info, search->user);
    }
    free(paths);
    free(files);
    sum->merged = 1;
    sum->parts = parts.count;
    memset(parts.added, 1, (size_t)parts.count);
    sum->steps = info->steps;
    sum->checksum = info->checksum;
    sum->seconds = info->seconds;
    return status;
}

/* Ends the program if the units' lines do not add up to their checkpoints: every run would refuse the
   record. */
static void check_lines(const parts_sum *merged)
{
    char path[4200], *line, form[sizeof merged->sums];
    parts_sum lines, one;
    int i;
    memset(&lines, 0, sizeof lines);
    for (i = 0; i < parts.count; i++) {
        memset(&one, 0, sizeof one);
        memcpy(form, merged->sums, sizeof form);
        part_path(i, "json", path, sizeof path);
        line = read_whole(path);
        if (line && *line &&
            (!add_line(&one, i, line) || !add_sums(form, sizeof form, one.sums) ||
             !add_line(&lines, i, line)))
            usage("%.300s is damaged, or of another version than %s; without it, the same command "
                  "makes it again",
                  path, combgpu_version());
        free(line);
    }
    if (lines.parts == parts.count &&
        (lines.checksum != merged->checksum || lines.steps != merged->steps ||
         strcmp(lines.sums, merged->sums)))
        usage("%.300s: the lines of the parts, part-*.json, do not add up to their checkpoints; "
              "without these lines, the same command makes them again",
              parts.folder);
}

/* Nonzero if every unit's checkpoint exists. */
static int checkpoints_there(void)
{
    char path[4200];
    int i;
    for (i = 0; i < parts.count; i++) {
        part_path(i, "ck", path, sizeof path);
        if (!file_exists(path)) return 0;
    }
    return 1;
}

/* Prints the sum of the units' lines. */
static void tell_sum(const parts_search *search, const parts_sum *sum)
{
    const char *at;
    json_string("status", "ok");
    tell_string("search", "%s: ", search->what);
    for (at = sum->sums; *at; at++)
        if (*at != '"') say("%c", *at);
    json_u64("steps", sum->steps);
    tell_seconds("seconds", "\n%.3f s, ", sum->seconds);
    say("%llu steps, ", (unsigned long long)sum->steps);
    tell_checksum("checksum %s, added up from the parts' lines\n", sum->checksum);
    if (json_key(NULL)) fputs(sum->sums, stdout);
}

#endif
