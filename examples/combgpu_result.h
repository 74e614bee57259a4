/* Prints how a search ended: the run's part of the result as text or JSON, the forecast, how to resume. */
#ifndef COMBGPU_EXAMPLES_RESULT_H
#define COMBGPU_EXAMPLES_RESULT_H

#include "combgpu_run.h"

static void json_devices(const combgpu_run_info *info)
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
        json_seconds("kernel_seconds", report->seconds);
        json_u64("slices", report->slices);
        if (run.desc.verify) {
            json_u64("verified", report->verified);
            json_u64("mismatches", report->mismatches);
        }
        json_u64("errors", report->errors);
        json_bool("lost", report->lost);
        json_close();
    }
    json_close();
}

static void say_devices(const combgpu_run_info *info)
{
    char steps[32];
    int i;
    for (i = 0; i < info->device_count; i++) {
        const combgpu_device_report *report = &info->devices[i];
        short_number((double)report->steps, steps, sizeof steps);
        say("    %s %d (%s): %s steps, %.1f %% of the time in kernels%s\n",
            combgpu_backend_string(report->backend), report->index, report->name, steps,
            info->seconds > 0 ? 100 * report->seconds / info->seconds : 0,
            report->lost ? "; lost" : "");
    }
}

/* Says how to use the result of one shard. */
static void say_shard(const combgpu_run_info *info)
{
    const int best_counts =
        cmd.command == COMMAND_QAP || (cmd.command == COMMAND_TSP && !given(OPTION_BATCH));
    if (run.desc.shard_count > 1)
        say("shard %d/%d: %s\n", run.desc.shard_index, run.desc.shard_count,
            given(OPTION_ESTIMATE) ? "a separate estimate; --merge combines all shards"
            : info->status == COMBGPU_FOUND
                ? "--limit ended it, so the shards' counts do not add up"
            : best_counts ? "the best of all shards counts"
                          : "the shards' counts and checksums add up");
}

/* Writes the fields that every result has. */
static void tell_run(const combgpu_run_info *info)
{
    say_shard(info);
    json_status(info->status);
    tell_string("backend", "%s ", combgpu_backend_string(info->backend));
    tell_string("device", "(%s), ", info->device);
    tell_seconds("seconds", "%.3f s, ", info->seconds);
    tell_about("steps", "%s steps, ", info->steps);
    json_u64("tasks_left", info->tasks_left);
    tell_checksum("checksum %s\n", info->checksum);
    if (info->checkpoint_errors) json_u64("checkpoint_errors", info->checkpoint_errors);
    if (info->device_count > 1) say_devices(info);
    if (run.desc.verify) {
        tell_u64("verified", "%s tasks verified, ", info->verified);
        tell_u64("mismatches", "%s wrong results\n", info->mismatches);
    }
    if (info->checkpoint_errors)
        say("%s checkpoints could not be written\n", commas(info->checkpoint_errors));
    if (info->device_errors) json_u64("device_errors", info->device_errors);
    if (info->device_count > 1) json_devices(info);
    if (run.desc.shard_count > 1) {
        json_u64("shard_index", (uint64_t)run.desc.shard_index);
        json_u64("shard_count", (uint64_t)run.desc.shard_count);
    }
}

/* Prints the command line, quoted for a shell, with --resume. */
static void resume_command(char *text, size_t size)
{
    size_t at = 0;
    int i;
    for (i = 0; i < cmd.argc && at < size; i++) {
        const char *word = cmd.argv[i], *p;
        int plain = *word && strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                          "0123456789-_./=+,:@%") == strlen(word);
        at += (size_t)snprintf(text + at, size - at, "%s%s", i ? " " : "", plain ? word : "'");
        for (p = word; !plain && *p && at < size; p++)
            at += (size_t)(*p == '\'' ? snprintf(text + at, size - at, "'\\''")
                                      : snprintf(text + at, size - at, "%c", *p));
        if (!plain && at < size) at += (size_t)snprintf(text + at, size - at, "'");
    }
    if (!run.desc.resume && at < size) snprintf(text + at, size - at, " --resume");
}

/* After a list could not be written to its end, the next run must find the rest again. So this restores the
   checkpoint before the last one, or none; the next run lists nothing twice. */
static void checkpoint_back(const combgpu_run_info *info)
{
    const char *name = run.desc.checkpoint_path;
    char path[4200], before[4204];
    if (!name || !info || !info->checkpoints || !is_plain_file(name) || !file_goes_on()) return;
    snprintf(path, sizeof path, "%.4000s", name);
    follow_links(path, sizeof path);
    snprintf(before, sizeof before, "%s.bak", path);
    if (remove(path) || (file_exists(before) && rename(before, path)))
        fprintf(stderr, "%s: the list lacks items, and --checkpoint %s has them\n", cmd.program,
                name);
}

/* Returns how a search ended. If it was complete and just its last checkpoint failed, the program shows the result
   and fails at its end. *info was all zeros before the search. */
static combgpu_status ended(combgpu_context *ctx, combgpu_status status,
                            const combgpu_run_info *info)
{
    if (status != COMBGPU_FILE_ERROR || !info->checkpoint_errors || info->status == COMBGPU_STOPPED)
        return status;
    snprintf(output_error, sizeof output_error, "%s", combgpu_message(ctx));
    output_wrong();
    return info->status;
}

/* Ends a program after printing its result: says how to resume, closes the JSON object and the context.
   Returns the exit status. info may be NULL: nothing was searched. */
static int finish(combgpu_context *ctx, const combgpu_run_info *info)
{
    int stopped = info && info->status == COMBGPU_STOPPED, broken = list_end();
    char command[4096];
    terminal_clear();
    if (broken) checkpoint_back(info);
    if (stopped) resume_command(command, sizeof command);
    if (stopped && run.desc.checkpoint_path) json_string("resume", command);
    json_end();
    if (stopped) { /* behind the whole object, where both go to one place */
        fflush(stdout);
        fprintf(stderr, "%s: stopped before the end%s%s\n", cmd.program,
                run.many                   ? ""
                : run.desc.checkpoint_path ? "; resume with: "
                                           : "; use --checkpoint FILE to be able to --resume",
                run.desc.checkpoint_path ? command : "");
    }
    combgpu_close(ctx);
    return flush_output() || broken ? EXIT_FAILED : stopped ? EXIT_STOPPED : EXIT_OK;
}

/* The steps of a job, of all samples or none. */
static void tell_steps(const combgpu_estimate *e, int without_limit)
{
    char text[2][40];
    json_known("steps", e->steps);
    short_number(e->steps, text[0], sizeof text[0]);
    if (e->steps < 0)
        say("the steps are not known: %d samples see too little of the tree; --samples takes more",
            e->samples);
    else
        say("%s steps%s", text[0], without_limit ? " without --limit" : "");
    json_known("steps_error", e->steps_error);
    json_double("steps_per_s", e->steps_per_s);
    json_known("steps_low", e->steps_low);
    json_known("steps_high", e->steps_high);
    short_number(e->steps_low, text[0], sizeof text[0]);
    short_number(e->steps_high, text[1], sizeof text[1]);
    if (e->steps_error > 0) say(" (95 %%: %s to %s)", text[0], text[1]);
    short_number(e->steps_per_s, text[0], sizeof text[0]);
    if (e->steps_per_s > 0) say(", at %s steps/s on %s", text[0], run.device);
}

/* Their time. */
static void tell_time(const combgpu_estimate *e, combgpu_status status)
{
    char text[3][40];
    json_known("seconds", e->seconds);
    json_known("seconds_error", e->seconds_error);
    json_known("seconds_low", e->seconds_low);
    json_known("seconds_high", e->seconds_high);
    short_time(e->seconds, text[0], sizeof text[0]);
    short_time(e->seconds_low, text[1], sizeof text[1]);
    short_time(e->seconds_high, text[2], sizeof text[2]);
    if (e->done)
        say(": done in %.3f s\n", e->seconds);
    else if (status == COMBGPU_FOUND)
        say(" in all: as many as --limit asks for are found within a second\n");
    else if (e->seconds < 0)
        say(": the time is not known\n");
    else if (e->seconds_error < 0)
        say(": %s, the error is not known\n", text[0]);
    else
        say(": %s (95 %%: %s to %s, from %d samples)\n", text[0], text[1], text[2], e->samples);
    json_u64("tasks", e->tasks);
    json_u64("samples", (uint64_t)e->samples);
    json_bool("done", e->done);
}

/* --forecast, for a job begun with `status`: prints its estimated time and ends it. Returns the exit
   status. (By address: the call that begins it may be an argument, too.) */
static int forecast(combgpu_context *ctx, combgpu_status status, combgpu_job **begun)
{
    combgpu_estimate_desc desc;
    combgpu_estimate e;
    combgpu_run_info info;
    combgpu_job *job = *begun;
    memset(&desc, 0, sizeof desc);
    desc.samples = int_of(OPTION_SAMPLES, 2, 100000, 0);
    desc.seed = number_of(OPTION_SEED, 0);
    if (status >= 0) status = combgpu_job_estimate(job, &desc, &e);
    if (status < 0) {
        char why[700];
        const char *message = combgpu_message(ctx);
        report_error(status, *message ? translate(message, why, sizeof why)
                                      : combgpu_status_string(status));
        combgpu_job_cancel(job);
        combgpu_close(ctx);
        return exit_status_of(status);
    }
    combgpu_job_cancel(job);
    terminal_clear();
    memset(&info, 0, sizeof info);
    info.status = status;
    run.many = 1; /* nothing to resume */
    json_string("status", combgpu_status_string(status));
    if (status == COMBGPU_STOPPED && !e.samples && e.steps_error < 0)
        say("the time is not known\n");
    else {
        tell_steps(&e, given(OPTION_LIMIT) && !e.done && status != COMBGPU_FOUND);
        tell_time(&e, status);
    }
    return finish(ctx, &info);
}

#endif
