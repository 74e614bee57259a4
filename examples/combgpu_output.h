/* Prints messages, JSON, and results for people. */
#ifndef COMBGPU_EXAMPLES_OUTPUT_H
#define COMBGPU_EXAMPLES_OUTPUT_H

#include "combgpu_options.h"
#include "combgpu_terminal.h"

#include <time.h>
#ifdef _WIN32
#include <process.h>
#else
#include <sys/stat.h>
#endif

/* ---- JSON: one object on standard output, only with --json. The first key opens it, json_end closes it.
   Inside an array key is NULL. */

static struct {
    char closers[12]; /* of open objects and arrays, innermost last */
    int depth, more, done;
} json;

static int json_wanted(void)
{
    return given(OPTION_JSON);
}

/* Returns the bytes of the UTF-8 character at `text`; 0 if it is not one. */
static size_t utf8_length(const char *text)
{
    const unsigned char *p = (const unsigned char *)text;
    size_t length = *p < 0x80                ? 1
                    : *p < 0xc2 || *p > 0xf4 ? 0
                    : *p < 0xe0              ? 2
                    : *p < 0xf0              ? 3
                                             : 4,
           i;
    for (i = 1; i < length; i++)
        if ((p[i] & 0xc0) != 0x80) return 0;
    if (length == 3 && (*p == 0xe0 || *p == 0xed) && (p[1] >= 0xa0) != (*p == 0xe0)) return 0;
    if (length == 4 && (*p == 0xf0 || *p == 0xf4) && (p[1] >= 0x90) != (*p == 0xf0)) return 0;
    return length;
}

static void json_text_to(FILE *to, const char *text)
{
    putc('"', to);
    while (*text) {
        size_t length = utf8_length(text);
        unsigned char first = (unsigned char)*text;
        if (first == '"' || first == '\\')
            fprintf(to, "\\%c", *text++);
        else if (first < 0x20 || first == 0x7f || !length) { /* not UTF-8: as Latin-1 */
            fprintf(to, "\\u%04x", first);
            text++;
        } else
            while (length--)
                putc(*text++, to);
    }
    putc('"', to);
}

/* Returns whether to write a value. */
static int json_key(const char *key)
{
    if (!json_wanted()) return 0;
    if (!json.depth) {
        putchar('{');
        json.closers[json.depth++] = '}';
        json.more = 0;
    }
    if (json.more) fputs(", ", stdout);
    json.more = 1;
    if (key) {
        json_text_to(stdout, key);
        fputs(": ", stdout);
    }
    return 1;
}

static void json_open(const char *key, char opener)
{
    if (!json_key(key)) return;
    putchar(opener);
    json.closers[json.depth++] = opener == '{' ? '}' : ']';
    json.more = 0;
}

static void json_close(void)
{
    if (!json_wanted()) return;
    putchar(json.closers[--json.depth]);
    json.more = 1;
}

static void json_string(const char *key, const char *value)
{
    if (json_key(key)) json_text_to(stdout, value);
}

/* Writes digits; a string above 2^53, because many readers round there. */
static void json_digits(const char *key, const char *digits)
{
    size_t length = strlen(digits);
    int large = length > 16 || (length == 16 && strcmp(digits, "9007199254740992") > 0);
    if (json_key(key)) printf(large ? "\"%s\"" : "%s", digits);
}

static void json_u64(const char *key, uint64_t value)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%llu", (unsigned long long)value);
    json_digits(key, digits);
}

static void json_i64(const char *key, int64_t value)
{
    const int64_t most = INT64_C(9007199254740992);
    if (json_key(key))
        printf(value > most || value < -most ? "\"%lld\"" : "%lld", (long long)value);
}

/* The shortest form that reads back as the same number. */
static void json_double(const char *key, double value)
{
    char text[40];
    int digits = 15;
    if (!json_key(key)) return;
    do
        snprintf(text, sizeof text, "%.*g", digits, value);
    while (++digits <= 17 && strtod(text, NULL) != value);
    fputs(text, stdout);
}

/* The same, or null if negative: unknown. */
static void json_known(const char *key, double value)
{
    if (value >= 0)
        json_double(key, value);
    else if (json_key(key))
        fputs("null", stdout);
}

/* A time, in microseconds. */
static void json_seconds(const char *key, double value)
{
    json_double(key, (double)(int64_t)(value * 1e6) / 1e6);
}

static void json_bool(const char *key, int value)
{
    if (json_key(key)) fputs(value ? "true" : "false", stdout);
}

static char output_error[600]; /* of the last file that could not be written */

/* Writes how a command ended, after its files are closed: one that could not be written is an error. */
static void json_status(combgpu_status status)
{
    json_string("status",
                combgpu_status_string(*output_error && status >= 0 ? COMBGPU_FILE_ERROR : status));
}

/* Ends the object and all that is open in it. */
static void json_end(void)
{
    if (!json_wanted()) return;
    while (json.depth > 1)
        json_close();
    if (*output_error) json_string("error", output_error);
    while (json.depth)
        json_close();
    putchar('\n');
    json.done = 1;
}

/* ---- text for people */

/* Formats 1135 as 1,135. The text is valid for eight calls. */
static const char *commas(uint64_t value)
{
    static char texts[8][32];
    static int next;
    char digits[24], *text = texts[next++ % 8], *to = text;
    int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)value), i;
    for (i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0) *to++ = ',';
        *to++ = digits[i];
    }
    *to = 0;
    return text;
}

static const char *u128_text(combgpu_u128 x)
{
    static char text[40];
    char *at = text + sizeof text - 1;
    *at = 0;
    do { /* divide by ten, 32 bits at a time */
        uint64_t words[4], rest = 0;
        int i;
        words[0] = x.hi >> 32, words[1] = x.hi & 0xffffffffu;
        words[2] = x.lo >> 32, words[3] = x.lo & 0xffffffffu;
        for (i = 0; i < 4; i++) {
            rest = rest << 32 | words[i];
            words[i] = rest / 10;
            rest %= 10;
        }
        x.hi = words[0] << 32 | words[1];
        x.lo = words[2] << 32 | words[3];
        *--at = (char)('0' + (int)rest);
    } while (x.hi || x.lo);
    return at;
}

/* 12.3 M */
static void short_number(double value, char *text, size_t size)
{
    static const char *const prefixes[] = {"", " k", " M", " G", " T", " P", " E"};
    int i = 0;
    while (value >= 999.5 && i < 6) {
        value /= 1000;
        i++;
    }
    snprintf(text, size, "%.*f%s",
             i == 0 || value >= 99.95 ? 0
             : value >= 9.995         ? 1
                                      : 2,
             value, prefixes[i]);
}

/* 1 min 20 s */
static void short_time(double seconds, char *text, size_t size)
{
    if (seconds < 60)
        snprintf(text, size, "%.0f s", seconds);
    else if (seconds < 3600)
        snprintf(text, size, "%d min %02d s", (int)seconds / 60, (int)seconds % 60);
    else if (seconds < 2 * 86400)
        snprintf(text, size, "%d h %02d min", (int)seconds / 3600, (int)seconds / 60 % 60);
    else
        snprintf(text, size, "%.0f days", seconds / 86400);
}

/* ---- errors */

/* Nonzero, with a message, if writing standard output failed. */
static int flush_output(void)
{
    int earlier = ferror(stdout); /* its reason is lost */
    errno = 0;
    if (!fflush(stdout) && !ferror(stdout)) return 0;
    fprintf(stderr, "%s: standard output cannot be written%s%s\n", cmd.program,
            earlier || !errno ? "" : ": ", earlier || !errno ? "" : strerror(errno));
    return 1;
}

/* Writes one line on standard error, and with --json an object with status and error. Control characters
   that were typed or came from a file become question marks. */
static void report_error(combgpu_status status, const char *message)
{
    char line[800], *at;
    snprintf(line, sizeof line, "%s", message);
    for (at = line; *at; at++)
        if ((unsigned char)*at < ' ' || *at == 127) *at = '?';
    terminal_clear();
    fflush(stdout);
    if (cmd.rank)
        fprintf(stderr, "%s rank %d: %s\n", cmd.program, cmd.rank, line);
    else
        fprintf(stderr, "%s: %s\n", cmd.program, line);
    if (!json_wanted() || json.done || cmd.rank) return;
    *output_error = 0;     /* the object has one error */
    while (json.depth > 1) /* a list that was being written */
        json_close();
    json_string("status", combgpu_status_string(status));
    json_string("error", message);
    json_end();
    fflush(stdout);
}

/* XML text, between tags or in an attribute. */
static void put_xml(FILE *to, const char *text)
{
    for (; *text; text++)
        if (strchr("<>&'\"", *text))
            fprintf(to, "&#%d;", *text);
        else if (!utf8_length(text)) /* not UTF-8: as Latin-1 */
            fprintf(to, "&#%d;", (unsigned char)*text);
        else {
            size_t length = utf8_length(text);
            for (; length > 1; length--)
                putc(*text++, to);
            putc((unsigned char)*text < ' ' ? ' ' : *text, to);
        }
}

/* ---- output files */

/* The option whose file is "-", standard output, or -1. */
static int output_on_stdout(void)
{
    int id, found = -1;
    for (id = 0; id < OPTIONS_END; id++) {
        if (options[id].kind != OUTFILE || !text_of(id) || strcmp(text_of(id), "-")) continue;
        if (found >= 0)
            usage("%s and %s are both -; only one can use standard output", option_name(found),
                  option_name(id));
        found = id;
    }
    return found;
}

static int output_failed; /* a file could not be written: the exit status says so */

/* Opens a new file beside `path`, named `draft`, to be renamed to it when complete; NULL on failure. Process ids
   of containers are equal, and host names may be: a file that another process opened is never taken. */
static FILE *draft_new(const char *path, char *draft, size_t size)
{
    static uint64_t part; /* random, so that two rarely try one name */
    char host[33] = "";
    int tries, file, i;
#ifdef _WIN32
    snprintf(host, sizeof host, "%s", getenv("COMPUTERNAME") ? getenv("COMPUTERNAME") : "");
    part += (uint64_t)clock();
#else
    struct timespec now = {0, 0};
#ifndef __wasi__ /* it has one process */
    (void)gethostname(host, sizeof host - 1);
#endif
    clock_gettime(CLOCK_REALTIME, &now);
    part += (uint64_t)now.tv_nsec;
#endif
    for (i = 0; host[i]; i++) /* valid in file names on every system */
        if (!strchr("-ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz0123456789", host[i]))
            host[i] = '-';
    part += ((uint64_t)time(NULL) << 32) + (uint64_t)(size_t)host;
    for (tries = 0; tries < 100; tries++) {
        part = (part ^ part >> 31) * UINT64_C(0x9e3779b97f4a7c15) + 1;
        snprintf(draft, size, "%s.%s.%ld.%08lx", path, host, (long)getpid(),
                 (unsigned long)(part >> 32));
#ifdef _WIN32
        file = _open(draft, _O_WRONLY | _O_CREAT | _O_EXCL | _O_BINARY, 0600);
        if (file >= 0) return _fdopen(file, "wb");
#else
        file = open(draft, O_WRONLY | O_CREAT | O_EXCL, 0666);
        if (file >= 0) return fdopen(file, "wb");
#endif
        if (errno != EEXIST) break;
    }
    return NULL;
}

/* A resumed batch replaces files that alone hold what earlier runs found, so a draft becomes the file only when
   complete. One each for --output and --lengths; "": the file itself is written. */
static char output_drafts[2][4200];

static char *output_draft(int id)
{
    return output_drafts[id == OPTION_LENGTHS];
}

/* Opens a draft if the option's file is to be replaced as a whole. NULL: write the file itself, because a draft
   must not replace links, mounts, or files in others' folders or of other owners. */
static FILE *draft_open(int id, char *draft)
{
    FILE *file;
    const char *path = text_of(id);
    int is_plain;
#if defined(_WIN32) || defined(__wasi__)
    is_plain = file_exists(path);
#else
    struct stat old, is;
    is_plain = !lstat(path, &old) && S_ISREG(old.st_mode) && old.st_nlink == 1;
#endif
    *draft = 0;
    if (!given(OPTION_RESUME) || !given(OPTION_BATCH) || !is_plain || strlen(path) > 4000)
        return NULL;
    file = draft_new(path, draft, sizeof *output_drafts);
#if !defined(_WIN32) && !defined(__wasi__)
    if (file && (fstat(fileno(file), &is) || is.st_dev != old.st_dev ||
                 fchown(fileno(file), old.st_uid, old.st_gid) ||
                 fchmod(fileno(file), old.st_mode & 07777))) {
        (void)fclose(file);
        (void)remove(draft);
        file = NULL;
    }
#endif
    if (!file) *draft = 0;
    return file;
}

static FILE *open_output(int id)
{
    FILE *file = draft_open(id, output_draft(id));
    if (!file) file = strcmp(text_of(id), "-") ? fopen(text_of(id), "wb") : stdout;
    if (!file)
        usage("%s %.200s cannot be written: %s", option_name(id), text_of(id), strerror(errno));
    return file;
}

/* Prints output_error; the program goes on, and fails at its end. Returns 1. */
static int output_wrong(void)
{
    output_failed = 1;
    terminal_clear();
    fprintf(stderr, "%s: %s\n", cmd.program, output_error);
    return 1;
}

/* Says that a file of an option could not be written; errno may say why. Returns 1. */
static int output_fails(int id, const char *file)
{
    snprintf(output_error, sizeof output_error, "%s %.400s cannot be written: %s", option_name(id),
             file, errno ? strerror(errno) : "the disk is full");
    return output_wrong();
}

/* Closes the file and says so; nonzero, with a message, if writing failed. */
static int close_output(int id, FILE *file)
{
    int failed = ferror(file);
    if (file == stdout) return 0; /* flush_output checks it */
    errno = 0;
    failed |= fclose(file);
    if (*output_draft(id)) {
#ifdef _WIN32
        if (!failed) remove(text_of(id)); /* it renames to no file that exists */
#endif
        if (!failed && rename(output_draft(id), text_of(id))) {
            snprintf(output_error, sizeof output_error,
                     "%s %.200s cannot be replaced: %s; the new file is %.200s", option_name(id),
                     text_of(id), strerror(errno), output_draft(id));
            return output_wrong();
        }
    }
    if (!failed) {
        if (given(OPTION_QUIET) || json_wanted()) return 0;
        terminal_clear();
        fprintf(stderr, "wrote %s\n", text_of(id));
        return 0;
    }
    output_fails(id, text_of(id));
    if (*output_draft(id)) (void)remove(output_draft(id));
    return 1;
}

/* Nonzero if results are to be listed. With --check, --format describes the file; --merge finds no
   results. */
static int list_wanted(void)
{
    int is_input =
        given(OPTION_CHECK) && text_of(OPTION_FORMAT) && !strcmp(text_of(OPTION_FORMAT), "bytes");
    if (given(OPTION_MERGE)) return 0;
    return given(OPTION_LIST) || (given(OPTION_FORMAT) && !is_input) || given(OPTION_OUTPUT) ||
           given(OPTION_DRAW);
}

/* Ends the program if --check, in a command that then lists nothing, comes with --format: every format but
   bytes is recognised. */
static void check_recognises(void)
{
    if (given(OPTION_CHECK) && given(OPTION_FORMAT) && strcmp(text_of(OPTION_FORMAT), "bytes"))
        usage("--check cannot be combined with --format %s: it recognises every format but bytes",
              text_of(OPTION_FORMAT));
}

/* Returns the stream of the summary: not standard output if a list or file goes there. */
static FILE *summary(void)
{
    int on_stdout = output_on_stdout() >= 0 || (list_wanted() && !given(OPTION_OUTPUT));
    return on_stdout && !json_wanted() && !given(OPTION_FORECAST) ? stderr : stdout;
}

/* ---- results: tell_ writes a field by its key in JSON and in words for people; json_ in JSON only */

static void say(const char *words, ...) COMMAND_PRINTF(1, 2);

/* Writes for people only. */
static void say(const char *words, ...)
{
    va_list arguments;
    if (json_wanted()) return;
    va_start(arguments, words);
    vfprintf(summary(), words, arguments);
    va_end(arguments);
}

/* words: %s is the number, with commas. */
static void tell_u64(const char *key, const char *words, uint64_t value)
{
    json_u64(key, value);
    say(words, commas(value));
}

static void tell_digits(const char *key, const char *words, const char *digits)
{
    json_digits(key, digits);
    say(words, digits);
}

static void tell_string(const char *key, const char *words, const char *value)
{
    json_string(key, value);
    say(words, value);
}

static void tell_i64(const char *key, const char *words, int64_t value)
{
    json_i64(key, value);
    say(words, (long long)value);
}

static void tell_double(const char *key, const char *words, double value)
{
    json_double(key, value);
    say(words, value);
}

static void tell_seconds(const char *key, const char *words, double value)
{
    json_seconds(key, value);
    say(words, value);
}

/* words: %s is the number as 12.3 M. */
static void tell_about(const char *key, const char *words, uint64_t value)
{
    char text[32];
    short_number((double)value, text, sizeof text);
    json_u64(key, value);
    say(words, text);
}

static void tell_checksum(const char *words, uint64_t value)
{
    char text[20];
    snprintf(text, sizeof text, "%016llx", (unsigned long long)value);
    tell_string("checksum", words, text);
}

static const char *so_far(combgpu_status status)
{
    return status == COMBGPU_STOPPED ? " so far" : "";
}

#endif
