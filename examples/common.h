/* What the examples share: command line, progress line, Ctrl-C, the result as JSON. POSIX.

   An example that runs one search reads like this:

       common_start(argc, argv, help);
       while (common_next())
           if (common_is("--n"))
               desc.n = (int)common_number(2, 64);
           else
               common_unknown();
       ctx = common_open("no3, n = 10");
       desc.run = common.run;
       status = combgpu_no3(ctx, &desc, &result);
       if (status < 0) return common_failed(ctx, status);
       ... print the result, or with common.json: json_u64("all", result.all) ...
       return common_end(ctx, &result.run);

   Exit status: 0 done, 1 failed, 2 wrong arguments, file or device, 3 stopped before the end. */
#ifndef COMBGPU_EXAMPLES_COMMON_H
#define COMBGPU_EXAMPLES_COMMON_H

/* "../combgpu.h" comes first: it asks for POSIX before any system header */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#ifdef __GNUC__
#define COMMON_PRINTF(format_at, args_at) __attribute__((format(printf, format_at, args_at)))
#define COMMON_NORETURN __attribute__((noreturn))
#else
#define COMMON_PRINTF(format_at, args_at)
#define COMMON_NORETURN
#endif

enum { COMMON_AUTO, COMMON_LINE, COMMON_LOG, COMMON_JSON, COMMON_NONE };
enum { COMMON_EXIT_OK, COMMON_EXIT_FAILED, COMMON_EXIT_USAGE, COMMON_EXIT_STOPPED };

/* What the common options said; an example may read and change it between common_next and
   common_open. */
typedef struct common_state {
    combgpu_context_desc context; /* --backend, --device, --devices, --threads */
    combgpu_run_desc run;         /* all the others */
    int json, quiet, device_given;
    const char *device_list;                           /* of --devices; NULL = not given */
    combgpu_device_id device_ids[COMBGPU_MAX_DEVICES]; /* what it says */
    int many_runs; /* set before common_next: no --shard, --checkpoint, --resume */

    const char *program, *help;
    int argc, at;
    char **argv;
    char option[64];   /* the option, or the argument's beginning, that common_next is at */
    const char *value; /* what follows "=" in --option=value; NULL once taken */
    const char *label; /* begins the progress line */
    int draws, drawn;  /* stderr is a terminal; the progress line is on it */
    int progress;      /* --progress: COMMON_AUTO, _LINE, _LOG, _JSON, _NONE */
    double progress_every_s, progress_last_s; /* log and json; elapsed_s of the last one */
    int forecast;                             /* --forecast: say how long, do not search */
    char device[128];
    char error[512];      /* the library's last error message */
    char json_closers[8]; /* open JSON objects and arrays, innermost last */
    int json_depth, json_more, json_done;
} common_state;
static common_state common;

static volatile sig_atomic_t common_interrupted;

/* Is it time to stop? After Ctrl-C, or when what is printed does not arrive (a full disk). */
static inline int common_stop(void)
{
    return common_interrupted || ferror(stdout);
}

/* ---- JSON: one object on standard output. The first key opens it, common_end closes it. key is
   NULL inside an array. */

static inline void json_text(const char *text)
{
    const unsigned char *p = (const unsigned char *)text;
    putchar('"');
    while (*p) {
        int more = *p >= 0xf0 && *p < 0xf5 ? 3 : *p >= 0xe0 ? 2 : *p >= 0xc2 ? 1 : 0, i;
        if (*p >= 0xf5) more = 0;
        for (i = 1; i <= more; i++)
            if ((p[i] & 0xc0) != 0x80) more = 0;
        if (*p == '"' || *p == '\\')
            printf("\\%c", *p++);
        else if (*p < 0x20 || *p == 0x7f || (*p >= 0x80 && !more)) /* not UTF-8: as Latin-1 */
            printf("\\u%04x", *p++);
        else
            for (i = 0; i <= more; i++)
                putchar(*p++);
    }
    putchar('"');
}

static inline void json_key(const char *key)
{
    if (!common.json_depth) {
        putchar('{');
        common.json_closers[common.json_depth++] = '}';
        common.json_more = 0;
    }
    if (common.json_more) fputs(", ", stdout);
    common.json_more = 1;
    if (key) {
        json_text(key);
        fputs(": ", stdout);
    }
}

static inline void json_open(const char *key, char opener)
{
    json_key(key);
    putchar(opener);
    common.json_closers[common.json_depth++] = opener == '{' ? '}' : ']';
    common.json_more = 0;
}

static inline void json_close(void)
{
    putchar(common.json_closers[--common.json_depth]);
    common.json_more = 1;
}

static inline void json_string(const char *key, const char *value)
{
    json_key(key);
    json_text(value);
}

static inline void json_u64(const char *key, uint64_t value)
{
    json_key(key);
    printf("%llu", (unsigned long long)value);
}

static inline void json_i64(const char *key, int64_t value)
{
    json_key(key);
    printf("%lld", (long long)value);
}

/* The shortest form that reads back as the same number. */
static inline void json_double(const char *key, double value)
{
    char text[40];
    int digits = 15;
    json_key(key);
    do
        snprintf(text, sizeof text, "%.*g", digits, value);
    while (++digits <= 17 && strtod(text, NULL) != value);
    fputs(text, stdout);
}

static inline void json_bool(const char *key, int value)
{
    json_key(key);
    fputs(value ? "true" : "false", stdout);
}

/* Ends the object, whatever is open in it. */
static inline void json_end(void)
{
    while (common.json_depth)
        json_close();
    putchar('\n');
    common.json_done = 1;
}

/* ---- text for people */

/* 1,135; valid until eight more calls. */
static inline const char *common_commas(uint64_t value)
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

/* 12.3 M */
static inline void common_short(double value, char *text, size_t size)
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
static inline void common_time(double seconds, char *text, size_t size)
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

/* Takes the progress line off the terminal. */
static inline void common_clear(void)
{
    if (common.drawn) fputs("\r\033[J", stderr);
    common.drawn = 0;
}

/* Makes room for lines on standard output; call it before each print in a run. */
static inline void common_make_room(void)
{
    if (common.drawn && isatty(STDOUT_FILENO)) common_clear();
}

/* Nonzero, with a message, if not all of standard output could be written. */
static inline int common_flush(void)
{
    int earlier = ferror(stdout); /* why, is no longer known */
    errno = 0;
    if (!fflush(stdout) && !ferror(stdout)) return 0;
    fprintf(stderr, "%s: standard output cannot be written%s%s\n", common.program,
            earlier || !errno ? "" : ": ", earlier || !errno ? "" : strerror(errno));
    return 1;
}

/* One line on standard error, and with --json an object with status and error. */
static inline void common_report(combgpu_status status, const char *message)
{
    common_clear();
    fflush(stdout);
    fprintf(stderr, "%s: %s\n", common.program, message);
    if (!common.json || common.json_done) return;
    while (common.json_depth > 1) /* a list that was being written */
        json_close();
    json_string("status", combgpu_status_string(status));
    json_string("error", message);
    json_end();
    fflush(stdout);
}

/* Wrong arguments: one line, exit status 2. */
static inline void common_usage(const char *format, ...) COMMON_PRINTF(1, 2) COMMON_NORETURN;
static inline void common_usage(const char *format, ...)
{
    char message[600];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    common_report(COMBGPU_INVALID_ARGUMENT, message);
    exit(COMMON_EXIT_USAGE);
}

/* A library call failed: says why, closes the context, returns the exit status. */
static inline int common_failed(combgpu_context *ctx, combgpu_status status)
{
    const char *message = combgpu_message(ctx);
    common_report(status, *message ? message : combgpu_status_string(status));
    combgpu_close(ctx);
    switch (status) {
    case COMBGPU_INVALID_ARGUMENT:
    case COMBGPU_NO_DEVICE:
    case COMBGPU_FILE_ERROR:
    case COMBGPU_BAD_FILE:
    case COMBGPU_WRONG_JOB:
    case COMBGPU_UNSUPPORTED:
        return COMMON_EXIT_USAGE;
    default:
        return COMMON_EXIT_FAILED;
    }
}

/* ---- command line */

static const char common_help_text[] =
    "\nOptions of all examples:\n"
    "  --backend NAME      auto, cpu, cuda or opencl (auto: the best in this build)\n"
    "  --device K          the backend's device K, from 0 (see the example \"devices\")\n"
    "  --devices LIST      share the work among several: 0,1,2 or cuda:0,opencl:1,cpu\n"
    "                      or all (of the backend; with auto: all GPUs)\n"
    "  --threads N         CPU threads (default: all)\n"
    "  --time-limit S      stop after S seconds with what is known so far\n"
    "  --slice-ms MS       length of one piece of work, 1 to 500 (default: 50)\n"
    "  --slice-limit S     after S seconds a device hangs (60; a CPU: 600)\n"
    "  --json              the result as one JSON object on standard output\n"
    "  --quiet             no progress, no notes\n"
    "  --progress FORM     on standard error: line (one that redraws; what a terminal\n"
    "                      gets), log (one line a minute; what a file or pipe gets),\n"
    "                      json (one object a line, one a second, one when done:\n"
    "                      fraction, steps, steps_per_s, elapsed_s, remaining_s,\n"
    "                      remaining_error_s (half of the 95 % interval), solutions,\n"
    "                      tasks_left, device, devices; null = not known), none\n"
    "  --progress-every S  seconds between two lines of log or json\n"
    "  --help              this text\n";

static const char common_help_checkpoint_text[] =
    "  --forecast          say how many steps and how long the search takes, with the\n"
    "                      error, from samples and a second of work; do not search\n"
    "  --shard I/K         do part I of K, I from 0 to K-1; the parts' results add up\n"
    "  --checkpoint FILE   save the state to FILE every minute and at the end\n"
    "  --resume            go on from that file if it exists\n"
    "  --merge FILE...     no search: add up the finished checkpoints of all shards\n"
    "  --checkpoint-interval S  seconds between two saves (default: 60)\n"
    "  --verify P          compute P percent again, on another device too;\n"
    "                      a wrong result is reported and put right\n";

static const char common_help_status_text[] =
    "\nCtrl-C stops with what is known so far; a second one ends at once.\n"
    "Exit status: 0 done; 1 failed, or what was checked is wrong; 2 wrong arguments,\n"
    "file or device; 3 stopped before the end.\n";

/* help: the text before the common options. */
static inline void common_start(int argc, char **argv, const char *help)
{
    const char *slash = argc > 0 ? strrchr(argv[0], '/') : NULL;
    int i;
    memset(&common, 0, sizeof common);
    common.program = slash ? slash + 1 : argc > 0 ? argv[0] : "example";
    common.help = help;
    common.argc = argc;
    common.argv = argv;
    for (i = 1; i < argc; i++) /* known first, so that every error can be an object */
        if (!strcmp(argv[i], "--json")) common.json = 1;
}

/* Is this the option, or flag, that common_next is at? */
static inline int common_is(const char *name)
{
    return !strcmp(common.option, name);
}

/* Is it an argument without an option? common_text then returns it. */
static inline int common_is_argument(void)
{
    return common.option[0] != '-' || !common.option[1];
}

static inline void common_unknown(void)
{
    if (common_is_argument())
        common_usage("unexpected argument \"%.60s\"; --help lists the options", common.option);
    common_usage("unknown option %.60s; --help lists the options", common.option);
}

/* The option's value; may_be says what it may be. */
static inline const char *common_text(const char *may_be)
{
    const char *value = common.value;
    common.value = NULL;
    if (common_is_argument()) return common.argv[common.at];
    if (value) return value;
    if (common.at + 1 >= common.argc || !strncmp(common.argv[common.at + 1], "--", 2))
        common_usage("%s needs a value: %s", common.option, may_be);
    return common.argv[++common.at];
}

static inline void common_wrong(const char *value, const char *may_be) COMMON_NORETURN;
static inline void common_wrong(const char *value, const char *may_be)
{
    common_usage("%s is \"%.80s\"; it may be %s", common.option, value, may_be);
}

/* All of `text` as a number in decimal digits: 1, or 0 if it is anything else or too large. */
static inline int common_parse_u64(const char *text, uint64_t *value)
{
    *value = 0;
    if (!*text) return 0;
    for (; *text; text++) {
        unsigned digit = (unsigned)(*text - '0');
        if (*text < '0' || digit > 9 || *value > (UINT64_MAX - digit) / 10) return 0;
        *value = *value * 10 + digit;
    }
    return 1;
}

static inline uint64_t common_number(uint64_t least, uint64_t most)
{
    char may_be[80];
    const char *text;
    uint64_t value;
    if (most == UINT64_MAX)
        snprintf(may_be, sizeof may_be, "a whole number, %llu or more", (unsigned long long)least);
    else
        snprintf(may_be, sizeof may_be, "a whole number from %llu to %llu",
                 (unsigned long long)least, (unsigned long long)most);
    text = common_text(may_be);
    if (!common_parse_u64(text, &value) || value < least || value > most)
        common_wrong(text, may_be);
    return value;
}

/* The option's value as numbers 0 .. largest, at least one and at most `most`, with blanks or commas
   between them, like "2 0 1"; returns how many. may_be says what they may be. */
static inline int common_numbers(uint8_t *numbers, int most, uint64_t largest, const char *may_be)
{
    const char *text = common_text(may_be), *at = text + strspn(text, " ,");
    int n = 0;
    for (; *at; at += strspn(at, " ,")) {
        char word[8] = "";
        size_t length = strcspn(at, " ,");
        uint64_t value;
        if (length < sizeof word) memcpy(word, at, length);
        if (n == most || !common_parse_u64(word, &value) || value > largest)
            common_wrong(text, may_be);
        numbers[n++] = (uint8_t)value;
        at += length;
    }
    if (!n) common_wrong(text, may_be);
    return n;
}

/* A permutation or the like: a line, or a JSON list. */
static inline void common_print_numbers(const char *key, const uint8_t *numbers, int count)
{
    int i;
    if (common.json) json_open(key, '[');
    for (i = 0; i < count; i++)
        if (common.json)
            json_u64(NULL, numbers[i]);
        else
            printf("%d%s", numbers[i], i == count - 1 ? "\n" : " ");
    if (common.json) json_close();
}

/* A number like 0.5 or 1e3. */
static inline double common_decimal(double least, double most, const char *may_be)
{
    const char *text = common_text(may_be);
    char *end = NULL;
    double value = strtod(text, &end);
    if (!*text || *end || strspn(text, "0123456789.eE+-") != strlen(text) || !(value >= least) ||
        !(value <= most))
        common_wrong(text, may_be);
    return value;
}

/* One of names[0 .. count-1]: its index. */
static inline int common_choice(const char *const *names, int count)
{
    char may_be[200] = "";
    const char *text;
    size_t at = 0;
    int i;
    for (i = 0; i < count && at < sizeof may_be; i++)
        at += (size_t)snprintf(may_be + at, sizeof may_be - at, "%s%s",
                               i == 0           ? ""
                               : i == count - 1 ? " or "
                                                : ", ",
                               names[i]);
    text = common_text(may_be);
    for (i = 0; i < count; i++)
        if (!strcmp(text, names[i])) return i;
    common_wrong(text, may_be);
    return 0;
}

static inline void common_shard(void)
{
    const char *may_be = "I/K, with I from 0 to K-1 and K from 1 to 1000000", *text;
    const char *slash;
    char index_text[32];
    uint64_t index = 0, count = 0;
    text = common_text(may_be);
    slash = strchr(text, '/');
    if (!slash || (size_t)(slash - text) >= sizeof index_text) common_wrong(text, may_be);
    memcpy(index_text, text, (size_t)(slash - text));
    index_text[slash - text] = 0;
    if (!common_parse_u64(index_text, &index) || !common_parse_u64(slash + 1, &count) ||
        count < 1 || count > 1000000 || index >= count)
        common_wrong(text, may_be);
    common.run.shard_index = (int)index;
    common.run.shard_count = (int)count;
}

/* --devices 0,1,cuda:2,cpu */
static inline void common_devices(void)
{
    static const char *const names[] = {"", "cpu", "cuda", "opencl"};
    const char *may_be = "all, or a list like 0,1,2 or cuda:0,opencl:1,cpu of at most 32";
    const char *text = common_text(may_be), *at = text;
    int count = 0;
    common.device_list = text;
    if (!strcmp(text, "all")) return;
    for (;; at++) {
        combgpu_device_id *id = &common.device_ids[count++];
        char part[32], *number = part;
        size_t length = strcspn(at, ",");
        uint64_t index = 0;
        int i;
        if (count > COMBGPU_MAX_DEVICES || length >= sizeof part) common_wrong(text, may_be);
        memcpy(part, at, length);
        part[length] = 0;
        id->backend = COMBGPU_BACKEND_AUTO; /* that of --backend */
        for (i = 1; i < 4; i++)
            if (!strncmp(part, names[i], strlen(names[i]))) {
                number = part + strlen(names[i]);
                if (*number == ':')
                    number++;
                else if (*number)
                    common_wrong(text, may_be);
                id->backend = (combgpu_backend)i;
            }
        if ((number == part || *number || part[length - 1] == ':') &&
            (!common_parse_u64(number, &index) || index > 1000))
            common_wrong(text, may_be);
        id->index = (int)index;
        at += length;
        if (!*at) break;
    }
    common.context.devices = common.device_ids;
    common.context.device_count = count;
}

/* Takes the option if all examples have it. */
static inline int common_take(void)
{
    static const char *const backends[] = {"auto", "cpu", "cuda", "opencl"};
    static const char *const forms[] = {"auto", "line", "log", "json", "none"};
    if (common_is("--help") || common_is("-h")) {
        printf("%s%s%s%s", common.help, common_help_text,
               common.many_runs ? "" : common_help_checkpoint_text, common_help_status_text);
        exit(common_flush() ? COMMON_EXIT_FAILED : COMMON_EXIT_OK);
    } else if (common_is("--backend"))
        common.context.backend = (combgpu_backend)common_choice(backends, 4);
    else if (common_is("--device")) {
        common.context.device = (int)common_number(0, 1000);
        common.device_given = 1;
    } else if (common_is("--devices"))
        common_devices();
    else if (common_is("--slice-limit"))
        common.run.slice_limit_s = common_decimal(1e-3, 1e9, "seconds, more than 0");
    else if (common_is("--threads"))
        common.context.threads = (int)common_number(1, 4096);
    else if (common_is("--time-limit"))
        common.run.time_limit_s = common_decimal(1e-6, 1e9, "seconds, more than 0");
    else if (common_is("--slice-ms"))
        common.run.slice_ms = common_decimal(1, 500, "milliseconds from 1 to 500");
    else if (common_is("--json"))
        common.json = 1;
    else if (common_is("--quiet"))
        common.quiet = 1;
    else if (common_is("--progress"))
        common.progress = common_choice(forms, 5);
    else if (common_is("--progress-every"))
        common.progress_every_s = common_decimal(0.01, 1e9, "seconds, 0.01 or more");
    else if (!common_is("--shard") && !common_is("--checkpoint") && !common_is("--resume") &&
             !common_is("--checkpoint-interval") && !common_is("--verify") &&
             !common_is("--merge") && !common_is("--forecast"))
        return 0;
    else if (common.many_runs)
        common_usage("%s runs more than one search: it has no %s", common.program, common.option);
    else if (common_is("--forecast"))
        common.forecast = 1;
    else if (common_is("--shard"))
        common_shard();
    else if (common_is("--merge")) { /* all that follows, up to the next option */
        common_text("files");
        common.run.merge_paths = (const char *const *)&common.argv[common.at];
        common.run.merge_count = 1;
        while (common.at + 1 < common.argc && strncmp(common.argv[common.at + 1], "--", 2)) {
            common.at++;
            common.run.merge_count++;
        }
    } else if (common_is("--checkpoint")) {
        common.run.checkpoint_path = common_text("a file name");
        if (!*common.run.checkpoint_path) common_wrong("", "a file name");
        common.run.self_test = 1; /* a long run */
    } else if (common_is("--checkpoint-interval"))
        common.run.checkpoint_interval_s = common_decimal(1e-3, 1e9, "seconds, more than 0");
    else if (common_is("--verify")) {
        common.run.verify_share =
            common_decimal(1e-6, 100, "percent, more than 0, up to 100") / 100;
        common.run.verify = 1;
    } else
        common.run.resume = 1;
    return 1;
}

/* Checks that take the whole command line. */
static inline void common_check(void)
{
    const char *path = common.run.checkpoint_path;
    if (common.run.resume && !path) common_usage("--resume needs --checkpoint FILE");
    if (!path) return;
    if (!common.run.resume && access(path, F_OK) == 0)
        common_usage("--checkpoint: %.200s exists; add --resume to go on from it, or remove it",
                     path);
    if (common.run.resume && access(path, F_OK) && !common.quiet)
        fprintf(stderr, "%s: no checkpoint %s yet: starting from the beginning\n", common.program,
                path);
}

/* Moves to the next option or argument that is the example's own; 0 at the end. */
static inline int common_next(void)
{
    do {
        const char *text, *equals;
        size_t length;
        if (common.at && common.value) common_usage("%s takes no value", common.option);
        if (common.at + 1 >= common.argc) {
            common_check();
            return 0;
        }
        text = common.argv[++common.at];
        equals = !strncmp(text, "--", 2) ? strchr(text, '=') : NULL;
        length = equals ? (size_t)(equals - text) : strlen(text);
        if (length >= sizeof common.option) length = sizeof common.option - 1;
        memcpy(common.option, text, length);
        common.option[length] = 0;
        common.value = equals ? equals + 1 : NULL;
    } while (common_take());
    return 1;
}

/* Reads a whole text file; "-" is standard input. The caller frees the text. */
static inline char *common_read(const char *path, size_t *bytes)
{
    FILE *file = strcmp(path, "-") ? fopen(path, "rb") : stdin;
    size_t room = 65536, got = 0;
    char *text = (char *)malloc(room);
    while (file && text) {
        got += fread(text + got, 1, room - got - 1, file);
        if (got + 1 < room) break;
        room *= 2;
        text = room > (size_t)1 << 30 ? NULL : (char *)realloc(text, room);
    }
    if (!file || (text && ferror(file))) {
        char message[400];
        snprintf(message, sizeof message, "%s: %.200s cannot be read: %s", common.option, path,
                 strerror(errno));
        common_report(COMBGPU_FILE_ERROR, message);
        free(text);
        exit(COMMON_EXIT_USAGE);
    }
    if (!text) common_usage("%s: %.200s is too large", common.option, path);
    if (file != stdin) fclose(file);
    text[got] = 0;
    if (bytes) *bytes = got;
    return text;
}

/* ---- the progress line */

/* Columns of the terminal now; it may have been resized since the last call. */
static inline int common_width(void)
{
    struct winsize size;
    const char *columns = getenv("COLUMNS");
    uint64_t value;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
    if (columns && common_parse_u64(columns, &value) && value > 0 && value < 1000)
        return (int)value;
    return 80;
}

/* no3, n = 14  [=======>     ]  43.1 %  12.3 M steps/s  310 found  1 min 20 s left
   in at most `width` columns: what matters least goes first, the bar fills what is left. */
static inline void common_progress_text(const combgpu_progress *progress, int width, char *line,
                                        size_t size)
{
    enum { LABEL, BAR, PERCENT, SPEED, FOUND, LEFT, PARTS };
    static const int drop[] = {FOUND, LABEL, SPEED, LEFT};
    char text[PARTS][64], number[32];
    int i, used = 0, bar, at = 0;
    memset(text, 0, sizeof text);
    snprintf(text[LABEL], 64, "%s", common.label);
    snprintf(text[PERCENT], 64, "%5.1f %%", 100 * progress->fraction);
    common_short(progress->steps_per_s, number, sizeof number);
    snprintf(text[SPEED], 64, "%s steps/s", number);
    common_short((double)progress->solutions, number, sizeof number);
    if (progress->solutions) snprintf(text[FOUND], 64, "%s found", number);
    common_time(progress->remaining_s, number, sizeof number);
    if (progress->remaining_s >= 0) snprintf(text[LEFT], 64, "%s left", number);
    for (i = 0; i < PARTS; i++)
        if (text[i][0]) used += (int)strlen(text[i]) + 2;
    for (i = 0; i < 4 && used - 2 > width; i++)
        if (text[drop[i]][0]) {
            used -= (int)strlen(text[drop[i]]) + 2;
            text[drop[i]][0] = 0;
        }
    bar = width - used - 2;
    if (bar > 40) bar = 40;
    if (bar >= 6) {
        int full = (int)(progress->fraction * bar + 0.5);
        for (i = 0; i < bar; i++)
            text[BAR][i + 1] = i < full ? '=' : i == full ? '>' : ' ';
        text[BAR][0] = '[';
        text[BAR][bar + 1] = ']';
    }
    line[0] = 0;
    for (i = 0; i < PARTS; i++)
        if (text[i][0] && at < (int)size)
            at += snprintf(line + at, size - (size_t)at, "%s%s", at ? "  " : "", text[i]);
    if (width < (int)size && width > 0) line[width] = 0;
}

/* A number, or null where it is not known. */
static inline void common_progress_number(const char *key, double value)
{
    if (value >= 0)
        fprintf(stderr, ", \"%s\": %.6g", key, value);
    else
        fprintf(stderr, ", \"%s\": null", key);
}

/* Progress as one JSON object a line, on standard error. */
static inline void common_progress_json(const combgpu_progress *progress)
{
    const char *p;
    int i;
    fprintf(stderr, "{\"fraction\": %.6f, \"steps\": %llu", progress->fraction,
            (unsigned long long)progress->steps);
    common_progress_number("steps_per_s", progress->steps_per_s);
    common_progress_number("elapsed_s", progress->elapsed_s);
    common_progress_number("remaining_s", progress->remaining_s);
    common_progress_number("remaining_error_s", progress->remaining_error_s);
    fprintf(stderr, ", \"solutions\": %llu, \"tasks_left\": %llu, \"device\": \"",
            (unsigned long long)progress->solutions, (unsigned long long)progress->tasks_left);
    for (p = common.device; *p; p++)
        if (*p >= ' ' && *p < 127 && *p != '"' && *p != '\\') fputc(*p, stderr);
    fprintf(stderr, "\", \"devices\": [");
    for (i = 0; i < progress->device_count; i++)
        fprintf(stderr, "%s{\"steps\": %llu, \"tasks_left\": %llu}", i ? ", " : "",
                (unsigned long long)progress->devices[i].steps,
                (unsigned long long)progress->devices[i].tasks_left);
    fprintf(stderr, "]}\n");
    fflush(stderr);
}

/* The line a minute of a log. */
static inline void common_progress_log(const combgpu_progress *progress)
{
    char speed[32], left[32], error[32], elapsed[32];
    common_short(progress->steps_per_s, speed, sizeof speed);
    common_time(progress->elapsed_s, elapsed, sizeof elapsed);
    common_time(progress->remaining_s, left, sizeof left);
    common_time(progress->remaining_error_s, error, sizeof error);
    fprintf(stderr, "%s: %.1f %% after %s, %s steps/s, %llu found, %s%s%s%s left\n", common.label,
            100 * progress->fraction, elapsed, speed, (unsigned long long)progress->solutions,
            progress->remaining_s >= 0 ? left : "time not known",
            progress->remaining_error_s >= 0 ? " (+- " : "",
            progress->remaining_error_s >= 0 ? error : "",
            progress->remaining_error_s >= 0 ? ")" : "");
}

/* The library's progress callback. The cursor stays in the line's first column, so that clearing
   from there works also after the terminal has wrapped the line to a narrower width. */
static inline int common_progress(const combgpu_progress *progress, void *user)
{
    double since = progress->elapsed_s - common.progress_last_s;
    (void)user;
    if (common.error[0]) { /* a checkpoint could not be written, but the run goes on */
        common_clear();
        fprintf(stderr, "%s: warning: %s\n", common.program, common.error);
        common.error[0] = 0;
    }
    if (common.draws) {
        char line[256];
        common_progress_text(progress, common_width() - 1, line, sizeof line);
        fprintf(stderr, "\r%s\033[J\r", line);
        common.drawn = 1;
    } else if (common.progress == COMMON_JSON || common.progress == COMMON_LOG) {
        int ends = common.progress == COMMON_JSON && progress->fraction >= 1;
        if (common.progress_last_s < 0) since = common.progress == COMMON_JSON ? 1e300 : 0;
        if (since >= common.progress_every_s || ends) {
            if (common.progress == COMMON_JSON)
                common_progress_json(progress);
            else
                common_progress_log(progress);
            since = 0;
        }
        if (common.progress_last_s < 0 || since == 0) common.progress_last_s = progress->elapsed_s;
    }
    return common_stop();
}

/* ---- a run */

static inline void common_on_signal(int number)
{
    (void)number;
    common_interrupted = 1;
}

static inline void common_log(combgpu_log_level level, const char *message, void *user)
{
    (void)user;
    if (level == COMBGPU_LOG_ERROR)
        snprintf(common.error, sizeof common.error, "%s", message);
    else if (level == COMBGPU_LOG_WARNING && !common.quiet) {
        common_clear();
        fprintf(stderr, "%s: warning: %s\n", common.program, message);
    }
}

/* --devices all: every device of the backend; with auto all CUDA devices, else all OpenCL GPUs. */
static inline void common_all_devices(void)
{
    combgpu_device found[128];
    combgpu_backend backend = common.context.backend;
    int count = 0, i, k, gpus = !backend;
    combgpu_devices(found, 128, &count);
    for (i = 0; i < count && i < 128 && !backend; i++) /* CUDA comes before OpenCL */
        if (found[i].is_gpu) backend = found[i].backend;
    if (!backend) backend = COMBGPU_BACKEND_CPU;
    for (i = k = 0; i < count && i < 128 && k < COMBGPU_MAX_DEVICES; i++)
        if (found[i].backend == backend && (found[i].is_gpu || !gpus || backend == 1)) {
            common.device_ids[k].backend = backend;
            common.device_ids[k++].index = found[i].index;
        }
    common.context.devices = k ? common.device_ids : NULL; /* none: opening says why */
    common.context.device_count = k;
}

/* Opens the context that the options ask for and gets Ctrl-C and the progress line ready; label
   begins that line and must stay valid. Ends the program if there is no such device. common.run is
   complete only after it. */
static inline combgpu_context *common_open(const char *label)
{
    static const int signals[] = {SIGINT, SIGTERM};
    struct sigaction action, before;
    combgpu_context *ctx;
    combgpu_device device;
    combgpu_status status;
    int i;
    memset(&action, 0, sizeof action);
    action.sa_handler = common_on_signal;
    action.sa_flags = (int)(SA_RESETHAND | SA_RESTART); /* the second one ends the program */
    sigemptyset(&action.sa_mask);
    for (i = 0; i < 2; i++)
        if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
    common.context.logger.log = common_log;
    if (common.device_list && common.device_given)
        common_usage("--device and --devices exclude each other");
    if (common.device_list && !strcmp(common.device_list, "all")) common_all_devices();
    status = combgpu_open(&ctx, &common.context);
    if (status < 0) exit(common_failed(ctx, status));
    common.label = label;
    if (common.quiet) common.progress = COMMON_NONE;
    if (common.progress == COMMON_AUTO)
        common.progress = isatty(STDERR_FILENO) ? COMMON_LINE : COMMON_LOG;
    common.draws = common.progress == COMMON_LINE;
    if (!(common.progress_every_s > 0))
        common.progress_every_s = common.progress == COMMON_JSON ? 1 : 60;
    common.progress_last_s = -1;
    if (common.progress_every_s < 0.1) common.run.progress_interval_s = common.progress_every_s;
    combgpu_context_device(ctx, &device);
    snprintf(common.device, sizeof common.device, "%s", device.name);
    common.run.progress = common_progress;
    common.error[0] = 0;
    return ctx;
}

static inline void json_devices(const combgpu_run_info *info)
{
    int i;
    json_open("devices", '[');
    for (i = 0; i < info->device_count; i++) {
        const combgpu_device_report *report = &info->devices[i];
        json_open(NULL, '{');
        json_string("backend", combgpu_backend_string(report->backend));
        json_i64("index", report->index);
        json_string("name", report->name);
        json_u64("steps", report->steps);
        json_double("kernel_seconds", (double)(int64_t)(report->seconds * 1e6) / 1e6);
        json_u64("slices", report->slices);
        if (common.run.verify) {
            json_u64("verified", report->verified);
            json_u64("mismatches", report->mismatches);
        }
        json_u64("errors", report->errors);
        json_bool("lost", report->lost);
        json_close();
    }
    json_close();
}

/* What every result has, as JSON. */
static inline void json_run(const combgpu_run_info *info)
{
    char checksum[20];
    snprintf(checksum, sizeof checksum, "%016llx", (unsigned long long)info->checksum);
    json_string("status", combgpu_status_string(info->status));
    json_string("backend", combgpu_backend_string(info->backend));
    json_string("device", info->device);
    json_double("seconds", (double)(int64_t)(info->seconds * 1e6) / 1e6);
    json_u64("steps", info->steps);
    json_u64("tasks_left", info->tasks_left);
    json_string("checksum", checksum);
    if (info->checkpoint_errors) json_u64("checkpoint_errors", info->checkpoint_errors);
    if (common.run.verify) {
        json_u64("verified", info->verified);
        json_u64("mismatches", info->mismatches);
    }
    if (info->device_errors) json_u64("device_errors", info->device_errors);
    if (info->device_count > 1) json_devices(info);
    if (common.run.shard_count > 1) {
        json_u64("shard_index", (uint64_t)common.run.shard_index);
        json_u64("shard_count", (uint64_t)common.run.shard_count);
    }
}

/* Where the summary goes: a list has standard output to itself. */
static inline FILE *common_summary(int lists)
{
    return lists ? stderr : stdout;
}

/* The same as text: one line. */
static inline void common_print_run(FILE *to, const combgpu_run_info *info)
{
    char steps[32], speed[32];
    int i;
    common_short((double)info->steps, steps, sizeof steps);
    common_short(info->device_seconds > 0 ? (double)info->steps / info->device_seconds : 0, speed,
                 sizeof speed);
    if (common.run.shard_count > 1)
        fprintf(to, "part %d/%d alone: the parts' counts and checksums add up\n",
                common.run.shard_index, common.run.shard_count);
    fprintf(to, "%s (%s), %.3f s, %s steps, checksum %016llx\n",
            combgpu_backend_string(info->backend), info->device, info->seconds, steps,
            (unsigned long long)info->checksum);
    for (i = 0; i < info->device_count && info->device_count > 1; i++) {
        const combgpu_device_report *report = &info->devices[i];
        common_short((double)report->steps, steps, sizeof steps);
        fprintf(to, "    %s %d (%s): %s steps, %.1f %% of the time in kernels%s\n",
                combgpu_backend_string(report->backend), report->index, report->name, steps,
                info->seconds > 0 ? 100 * report->seconds / info->seconds : 0,
                report->lost ? "; lost" : "");
    }
    if (common.run.verify)
        fprintf(to, "%s tasks verified, %s wrong results\n", common_commas(info->verified),
                common_commas(info->mismatches));
    if (info->checkpoint_errors)
        fprintf(to, "%s checkpoints could not be written\n",
                common_commas(info->checkpoint_errors));
}

/* A random point, coordinates 0 .. 999; the generator is splitmix64 (S. Vigna). */
static inline void common_random_point(uint64_t *seed, double *x, double *y)
{
    int i;
    for (i = 0; i < 2; i++) {
        uint64_t z = *seed += UINT64_C(0x9e3779b97f4a7c15);
        z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
        z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
        *(i ? y : x) = (double)((z ^ (z >> 31)) % 1000);
    }
}

/* An instance of n <= 100 random points, for tsp and bench. */
static inline combgpu_status common_random_tsp(combgpu_context *ctx, int n, uint64_t seed,
                                               combgpu_tsp_instance *instance)
{
    double xy[2][200];
    combgpu_status status;
    int i;
    for (i = 0; i < n; i++)
        common_random_point(&seed, &xy[0][i], &xy[1][i]);
    status = combgpu_tsp_from_coordinates(ctx, n, xy[0], xy[1], COMBGPU_TSP_EUC_2D, instance);
    if (!status) snprintf(instance->name, sizeof instance->name, "random%d", n);
    return status;
}

/* The command line again, quoted for a shell, with --resume. */
static inline void common_resume_command(char *text, size_t size)
{
    size_t at = 0;
    int i;
    for (i = 0; i < common.argc && at < size; i++) {
        const char *word = common.argv[i], *p;
        int plain = *word && strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                          "0123456789-_./=+,:@%") == strlen(word);
        at += (size_t)snprintf(text + at, size - at, "%s%s", i ? " " : "", plain ? word : "'");
        for (p = word; !plain && *p && at < size; p++)
            at += (size_t)(*p == '\'' ? snprintf(text + at, size - at, "'\\''")
                                      : snprintf(text + at, size - at, "%c", *p));
        if (!plain && at < size) at += (size_t)snprintf(text + at, size - at, "'");
    }
    if (!common.run.resume && at < size) snprintf(text + at, size - at, " --resume");
}

static inline int common_end(combgpu_context *ctx, const combgpu_run_info *info);

/* --forecast: for an example whose job has been begun with `status`. Says how long it would take,
   ends the job and the program: returns the exit status. */
static inline int common_forecast(combgpu_context *ctx, combgpu_status status, combgpu_job *job)
{
    combgpu_estimate e;
    char text[4][40];
    if (status >= 0) status = combgpu_job_estimate(job, NULL, &e);
    if (status < 0) {
        const char *message = combgpu_message(ctx);
        common_report(status, *message ? message : combgpu_status_string(status));
        combgpu_job_cancel(job);
        combgpu_close(ctx);
        return COMMON_EXIT_FAILED;
    }
    combgpu_job_cancel(job);
    common_clear();
    if (common.json) {
        json_string("status", combgpu_status_string(status));
        json_double("steps", e.steps);
        json_double("steps_error", e.steps_error);
        json_double("steps_per_s", e.steps_per_s);
        json_double("seconds", e.seconds);
        json_double("seconds_error", e.seconds_error);
        json_u64("tasks", e.tasks);
        json_u64("samples", (uint64_t)e.samples);
        json_bool("done", e.done);
    } else {
        common_short(e.steps, text[0], sizeof text[0]);
        common_short(e.steps_error > 0 ? 1.96 * e.steps_error : 0, text[1], sizeof text[1]);
        common_short(e.steps_per_s, text[2], sizeof text[2]);
        printf("%s steps%s%s%s, at %s steps/s on %s", text[0], e.steps_error > 0 ? " +- " : "",
               e.steps_error > 0 ? text[1] : "", e.steps_error > 0 ? " (95 %)" : "", text[2],
               common.device);
        common_time(e.seconds, text[0], sizeof text[0]);
        common_time(1.96 * e.seconds_error, text[1], sizeof text[1]);
        if (e.done)
            printf(": done in %.3f s\n", e.seconds);
        else if (e.seconds < 0)
            printf(": the time is not known\n");
        else if (e.seconds_error < 0)
            printf(": %s, the error is not known\n", text[0]);
        else
            printf(": %s +- %s (95 %%, from %d samples)\n", text[0], text[1], e.samples);
    }
    return common_end(ctx, NULL);
}

/* Ends a program whose result has been printed: says how to resume, closes the JSON object and the
   context; the exit status. info may be NULL: nothing was searched. */
static inline int common_end(combgpu_context *ctx, const combgpu_run_info *info)
{
    int stopped = info && info->status == COMBGPU_STOPPED;
    common_clear();
    if (stopped) {
        char command[4096];
        common_resume_command(command, sizeof command);
        if (common.json && common.run.checkpoint_path) json_string("resume", command);
        fflush(stdout);
        fprintf(stderr, "%s: stopped before the end%s%s\n", common.program,
                common.many_runs             ? ""
                : common.run.checkpoint_path ? "; go on with: "
                                             : "; use --checkpoint FILE to be able to --resume",
                common.run.checkpoint_path ? command : "");
    }
    if (common.json) json_end();
    combgpu_close(ctx);
    return common_flush() ? COMMON_EXIT_FAILED : stopped ? COMMON_EXIT_STOPPED : COMMON_EXIT_OK;
}

#endif
