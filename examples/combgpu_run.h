/* Runs a search: the context, progress, Ctrl-C, and the run's part of the result. */
#ifndef COMBGPU_EXAMPLES_RUN_H
#define COMBGPU_EXAMPLES_RUN_H

#include "combgpu_list.h"
#include "combgpu_messages.h"

enum { EXIT_OK, EXIT_FAILED, EXIT_USAGE, EXIT_STOPPED };
enum { PROGRESS_AUTO, PROGRESS_LINE, PROGRESS_LOG, PROGRESS_JSON, PROGRESS_NONE };

static struct {
    combgpu_context_desc context; /* --backend, --device, --devices, --threads */
    combgpu_run_desc desc;        /* all the others; complete after open_context */
    combgpu_device_id ids[COMBGPU_MAX_DEVICES];
    const char *label; /* begins the progress line */
    int progress;
    double every_s, last_s; /* log and json; elapsed_s of the last one */
    int many;               /* several runs: no checkpoint to resume from */
    char device[128];
    char error[512]; /* the library's last error message */
} run;

/* Nonzero if output can no longer be written, e.g. on a full disk. */
static int output_broken(void)
{
    return ferror(stdout) || list_broken();
}

/* Nonzero after Ctrl-C, too. */
static int stop_wanted(void)
{
    return interrupted || output_broken();
}

static int exit_status_of(combgpu_status status)
{
    switch (status) {
    case COMBGPU_INVALID_ARGUMENT:
    case COMBGPU_NO_DEVICE:
    case COMBGPU_FILE_ERROR:
    case COMBGPU_BAD_FILE:
    case COMBGPU_WRONG_JOB:
    case COMBGPU_UNSUPPORTED:
        return EXIT_USAGE;
    default:
        return EXIT_FAILED;
    }
}

/* Reports a failed library call and closes the context. Returns the exit status. */
static int failed(combgpu_context *ctx, combgpu_status status)
{
    char text[700];
    const char *message = combgpu_message(ctx);
    report_error(status,
                 *message ? translate(message, text, sizeof text) : combgpu_status_string(status));
    combgpu_close(ctx);
    return exit_status_of(status);
}

/* ---- options of all runs */

static void read_shard(void)
{
    const char *text = text_of(OPTION_SHARD), *slash = strchr(text, '/');
    char index_text[32];
    uint64_t index = 0, count = 0;
    if (!slash || (size_t)(slash - text) >= sizeof index_text)
        wrong_value(OPTION_SHARD, text, options[OPTION_SHARD].may_be);
    memcpy(index_text, text, (size_t)(slash - text));
    index_text[slash - text] = 0;
    if (!parse_u64(index_text, &index) || !parse_u64(slash + 1, &count) || count < 1 ||
        count > 2147483647 || index >= count)
        wrong_value(OPTION_SHARD, text, options[OPTION_SHARD].may_be);
    run.desc.shard_index = (int)index;
    run.desc.shard_count = (int)count;
}

/* --devices all: every device of the backend; with auto all CUDA devices, else all OpenCL GPUs. */
static void all_devices(void)
{
    combgpu_device found[128];
    combgpu_backend backend = run.context.backend;
    int count = 0, i, k, gpus = !backend;
    combgpu_devices(found, 128, &count);
    for (i = 0; i < count && i < 128 && !backend; i++) /* CUDA comes before OpenCL */
        if (found[i].is_gpu) backend = found[i].backend;
    if (!backend) backend = COMBGPU_BACKEND_CPU;
    for (i = k = 0; i < count && i < 128 && k < COMBGPU_MAX_DEVICES; i++)
        if (found[i].backend == backend &&
            (found[i].is_gpu || !gpus || backend == COMBGPU_BACKEND_CPU)) {
            run.ids[k].backend = backend;
            run.ids[k++].index = found[i].index;
        }
    run.context.devices = k ? run.ids : NULL; /* none: opening says why */
    run.context.device_count = k;
}

/* --devices 0,1,cuda:2,cpu */
static void read_devices(void)
{
    static const char *const names[] = {"", "cpu", "cuda", "opencl"};
    const char *may_be = options[OPTION_DEVICES].may_be, *text = text_of(OPTION_DEVICES), *at;
    int count = 0;
    if (given(OPTION_DEVICE)) usage("--device and --devices exclude each other");
    if (!strcmp(text, "all")) {
        all_devices();
        return;
    }
    for (at = text;; at++) {
        combgpu_device_id *id = &run.ids[count++];
        char part[32], *number = part;
        size_t length = strcspn(at, ",");
        uint64_t index = 0;
        int i;
        if (count > COMBGPU_MAX_DEVICES || length >= sizeof part)
            wrong_value(OPTION_DEVICES, text, may_be);
        memcpy(part, at, length);
        part[length] = 0;
        id->backend = COMBGPU_BACKEND_AUTO; /* that of --backend */
        for (i = 1; i < 4; i++)
            if (!strncmp(part, names[i], strlen(names[i]))) {
                number = part + strlen(names[i]);
                if (*number == ':')
                    number++;
                else if (*number)
                    wrong_value(OPTION_DEVICES, text, may_be);
                id->backend = (combgpu_backend)i;
            }
        if ((number == part || *number || part[length - 1] == ':') &&
            (!parse_u64(number, &index) || index > 1000))
            wrong_value(OPTION_DEVICES, text, may_be);
        id->index = (int)index;
        at += length;
        if (!*at) break;
    }
    run.context.devices = run.ids;
    run.context.device_count = count;
}

/* Says that a list or picture lacks what earlier runs found. */
static void note_rest(void)
{
    const char *path = text_of(OPTION_OUTPUT);
    int appended = path && strcmp(path, "-") && file_exists(path);
    if (!list_resumed() || given(OPTION_QUIET)) return;
    if (given(OPTION_SVG) || (list_wanted() && !appended))
        fprintf(stderr, "%s: the %s will show only what this run finds\n", cmd.program,
                given(OPTION_SVG) ? "picture" : "list");
}

static void read_checkpoint(void)
{
    const char *path = text_of(OPTION_CHECKPOINT);
    run.desc.resume = given(OPTION_RESUME) != 0;
    if (run.desc.resume && !path) usage("--resume needs --checkpoint FILE");
    if (!path) return;
    if (!*path) wrong_value(OPTION_CHECKPOINT, path, "a file name");
    if (!strcmp(path, "-")) usage("--checkpoint: a checkpoint cannot be standard input or output");
    run.desc.checkpoint_path = path;
    run.desc.self_test = 1; /* a long run */
    if (!run.desc.resume && file_exists(path))
        usage("--checkpoint: %.200s exists; add --resume to continue from it, or remove it", path);
    if (run.desc.resume && !checkpoint_exists() && !given(OPTION_QUIET))
        fprintf(stderr, "%s: no checkpoint %s yet: starting from the beginning\n", cmd.program,
                path);
    note_rest();
}

/* Reads the options common to all commands and checks the whole command line. */
static void read_run_options(void)
{
    /* checkpoints have none; of magic squares --list says that those of lists are merged */
    static const int no_lists[] = {OPTION_LIST, OPTION_FORMAT,  OPTION_OUTPUT, OPTION_DRAW,
                                   OPTION_TO,   OPTION_LENGTHS, OPTION_LIMIT,  -1};
    static const int no_picture[] = {OPTION_SVG, -1}; /* but of a tour, which they have */
    run.context.backend = (combgpu_backend)number_of(OPTION_BACKEND, 0);
    run.context.device = (int)number_of(OPTION_DEVICE, 0);
    run.context.threads = (int)number_of(OPTION_THREADS, 0);
    run.context.memory_limit = number_of(OPTION_MEMORY_LIMIT, 0) << 20;
    if (given(OPTION_DEVICES)) read_devices();
    if (given(OPTION_SHARD)) read_shard();
    run.desc.time_limit_s = decimal_of(OPTION_TIME_LIMIT, 0);
    run.desc.slice_ms = decimal_of(OPTION_SLICE_MS, 0);
    run.desc.slice_limit_s = decimal_of(OPTION_SLICE_LIMIT, 0);
    run.desc.checkpoint_interval_s = decimal_of(OPTION_CHECKPOINT_INTERVAL, 0);
    run.desc.verify = given(OPTION_VERIFY) != 0;
    run.desc.verify_share = decimal_of(OPTION_VERIFY, 0) / 100;
    run.desc.merge_paths = cmd.merge;
    run.desc.merge_count = cmd.merge_count;
    run.progress = given(OPTION_QUIET) ? PROGRESS_NONE : (int)number_of(OPTION_PROGRESS, 0);
    run.every_s = decimal_of(OPTION_PROGRESS_EVERY, 0);
    goes_with(OPTION_TITLE, OPTION_SVG);
    goes_without(OPTION_MERGE, no_lists + (cmd.command == COMMAND_MAGIC));
    if (cmd.command != COMMAND_TSP) goes_without(OPTION_MERGE, no_picture);
    if (cmd.command != COMMAND_CLUSTER && !given(OPTION_FOLDER))
        goes_with(OPTION_CHECKPOINT_INTERVAL, OPTION_CHECKPOINT);
    if (cmd.command != COMMAND_MAGIC) goes_with(OPTION_SAMPLES, OPTION_FORECAST);
    goes_with(OPTION_PARTS, OPTION_FOLDER);
    if (cmd.command != COMMAND_CLUSTER) goes_with(OPTION_FOLDER, OPTION_PARTS);
    read_checkpoint();
    check_output_files();
}

/* ---- progress */

/* Nonzero if the fraction done is known: samples may not see the tree yet, or ever. */
static int fraction_known(const combgpu_progress *progress)
{
    return progress->fraction > 0 || progress->remaining_s >= 0;
}

/* no3, n = 14  [=======>     ]  43.1 %  12.3 M steps/s  310 found  1 min 20 s left
   in at most `width` columns: drops what matters least first; the bar fills the rest. */
static void progress_text(const combgpu_progress *progress, int width, char *text, size_t size)
{
    enum { LABEL, BAR, PERCENT, SPEED, FOUND, LEFT, PARTS };
    static const int drop[] = {FOUND, LABEL, SPEED, LEFT};
    char part[PARTS][64], number[32];
    int i, used = 0, bar, at = 0;
    memset(part, 0, sizeof part);
    snprintf(part[LABEL], 64, "%.60s", run.label);
    if (fraction_known(progress))
        snprintf(part[PERCENT], 64, "%5.1f %%", 100 * progress->fraction);
    else
        snprintf(part[LEFT], 64, "time not known");
    short_number(progress->steps_per_s, number, sizeof number);
    snprintf(part[SPEED], 64, "%s steps/s", number);
    short_number((double)progress->solutions, number, sizeof number);
    if (progress->solutions) snprintf(part[FOUND], 64, "%s found", number);
    short_time(progress->remaining_s, number, sizeof number);
    if (progress->remaining_s >= 0) snprintf(part[LEFT], 64, "%s left", number);
    for (i = 0; i < PARTS; i++)
        if (part[i][0]) used += (int)strlen(part[i]) + 2;
    for (i = 0; i < 4 && used - 2 > width; i++)
        if (part[drop[i]][0]) {
            used -= (int)strlen(part[drop[i]]) + 2;
            part[drop[i]][0] = 0;
        }
    bar = width - used - 2;
    if (bar > 40) bar = 40;
    if (bar >= 6) {
        int full = (int)(progress->fraction * bar + 0.5);
        for (i = 0; i < bar; i++)
            part[BAR][i + 1] = i < full ? '=' : i == full ? '>' : ' ';
        part[BAR][0] = '[';
        part[BAR][bar + 1] = ']';
    }
    text[0] = 0;
    for (i = 0; i < PARTS; i++)
        if (part[i][0] && at < (int)size)
            at += snprintf(text + at, size - (size_t)at, "%s%s", at ? "  " : "", part[i]);
    if (width < (int)size && width > 0) text[width] = 0;
}

/* A number, or null if unknown. */
static void progress_number(const char *key, double value)
{
    if (value >= 0)
        fprintf(stderr, ", \"%s\": %.6g", key, value);
    else
        fprintf(stderr, ", \"%s\": null", key);
}

/* Progress as one JSON object a line, on standard error. */
static void progress_json(const combgpu_progress *progress)
{
    int i;
    if (fraction_known(progress))
        fprintf(stderr, "{\"fraction\": %.6f", progress->fraction);
    else
        fprintf(stderr, "{\"fraction\": null");
    fprintf(stderr, ", \"steps\": %llu", (unsigned long long)progress->steps);
    progress_number("steps_per_s", progress->steps_per_s);
    progress_number("elapsed_s", progress->elapsed_s);
    progress_number("remaining_s", progress->remaining_s);
    progress_number("remaining_error_s", progress->remaining_error_s);
    fprintf(stderr, ", \"solutions\": %llu, \"tasks_left\": %llu, \"device\": ",
            (unsigned long long)progress->solutions, (unsigned long long)progress->tasks_left);
    json_text_to(stderr, run.device);
    fprintf(stderr, ", \"devices\": [");
    for (i = 0; i < progress->device_count; i++)
        fprintf(stderr, "%s{\"steps\": %llu, \"tasks_left\": %llu}", i ? ", " : "",
                (unsigned long long)progress->devices[i].steps,
                (unsigned long long)progress->devices[i].tasks_left);
    fprintf(stderr, "]}\n");
    fflush(stderr);
}

/* Prints a log's line, one a minute. */
static void progress_log(const combgpu_progress *progress)
{
    char speed[32], left[32], error[32], elapsed[32], percent[32] = "";
    if (fraction_known(progress))
        snprintf(percent, sizeof percent, "%.1f %% after ", 100 * progress->fraction);
    short_number(progress->steps_per_s, speed, sizeof speed);
    short_time(progress->elapsed_s, elapsed, sizeof elapsed);
    short_time(progress->remaining_s, left, sizeof left);
    short_time(progress->remaining_error_s, error, sizeof error);
    fprintf(stderr, "%s: %s%s, %s steps/s, %llu found, %s%s%s%s\n", run.label, percent, elapsed,
            speed, (unsigned long long)progress->solutions,
            progress->remaining_s >= 0 ? left : "time not known",
            progress->remaining_error_s >= 0 ? " (+- " : "",
            progress->remaining_error_s >= 0 ? error : "",
            progress->remaining_error_s >= 0 ? ") left"
            : progress->remaining_s >= 0     ? " left"
                                             : "");
}

/* The library's progress callback. */
static int show_progress(const combgpu_progress *progress, void *user)
{
    double since = progress->elapsed_s - run.last_s;
    (void)user;
    if (run.error[0]) { /* a checkpoint could not be written; the run continues */
        terminal_clear();
        fprintf(stderr, "%s: warning: %s\n", cmd.program, run.error);
        run.error[0] = 0;
    }
    if (run.progress == PROGRESS_LINE) {
        char text[256];
        progress_text(progress, terminal_width() - 1, text, sizeof text);
        terminal_draw(text);
    } else if (run.progress == PROGRESS_JSON || run.progress == PROGRESS_LOG) {
        int ends = run.progress == PROGRESS_JSON && progress->fraction >= 1;
        if (run.last_s < 0) since = run.progress == PROGRESS_JSON ? 1e300 : 0;
        if (since >= run.every_s || ends) {
            if (run.progress == PROGRESS_JSON)
                progress_json(progress);
            else
                progress_log(progress);
            since = 0;
        }
        if (run.last_s < 0 || since == 0) run.last_s = progress->elapsed_s;
    }
    return stop_wanted();
}

static void keep_message(combgpu_log_level level, const char *message, void *user)
{
    char text[700];
    (void)user;
    translate(message, text, sizeof text);
    if (level == COMBGPU_LOG_ERROR)
        snprintf(run.error, sizeof run.error, "%.500s", text);
    else if (level == COMBGPU_LOG_WARNING && !given(OPTION_QUIET)) {
        terminal_clear();
        fprintf(stderr, "%s: warning: %s\n", cmd.program, text);
    }
}

/* ---- the context */

/* Opens the context of the options; `label` begins the progress line and must stay valid. Ends the
   program if the device is missing. */
static combgpu_context *open_context(const char *label)
{
    combgpu_context *ctx;
    combgpu_device device;
    combgpu_status status;
    run.context.logger.log = keep_message;
    status = combgpu_open(&ctx, &run.context);
    if (status < 0) exit(failed(ctx, status));
    run.label = label;
    if (run.progress == PROGRESS_AUTO)
        run.progress = is_terminal(stderr) ? PROGRESS_LINE : PROGRESS_LOG;
    if (!(run.every_s > 0)) run.every_s = run.progress == PROGRESS_JSON ? 1 : 60;
    run.last_s = -1;
    if (run.every_s < 0.1) run.desc.progress_interval_s = run.every_s;
    combgpu_context_device(ctx, &device);
    snprintf(run.device, sizeof run.device, "%s", device.name);
    run.desc.progress = show_progress;
    run.error[0] = 0;
    return ctx;
}

/* Opens a context for a command without a search. */
static combgpu_context *open_cpu(const char *label)
{
    run.context.backend = COMBGPU_BACKEND_CPU;
    run.context.device = run.context.device_count = 0;
    run.context.devices = NULL;
    return open_context(label);
}

#endif
