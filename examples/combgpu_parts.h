/* --parts K --folder DIR: splits a long run into work units for any number of processes and machines.

   The folder has a checkpoint, part-000012.ck, for each unit begun, and a line of JSON, part-000012.json,
   for each one done. Any process running the same command with the same folder claims units that are
   neither done nor locked by another process. The last one writes record.json: version, arguments, sums,
   and each unit's line with its device, steps and seconds. In a new folder a record alone marks its units
   as done, without checkpoints. */
#ifndef COMBGPU_EXAMPLES_PARTS_H
#define COMBGPU_EXAMPLES_PARTS_H

#include "combgpu_parts_record.h"

/* Adds a number to the hash of the search. The shift mixes high bits into low ones: multiplication alone
   would leave them where the next number can cancel them. */
static uint64_t parts_hash(uint64_t hash, uint64_t number)
{
    hash = (hash ^ number) * UINT64_C(0x9e3779b97f4a7c15) + 1;
    return hash ^ hash >> 32;
}

/* Arguments that the library refuses do not claim a folder. */
static void parts_refused(combgpu_status status)
{
    if (status == COMBGPU_INVALID_ARGUMENT || status == COMBGPU_UNSUPPORTED) parts_unclaim();
}

/* Returns whether --time-limit, which covers all units together (no3 --bfile: all sides), leaves time;
   if so, sets *seconds to it, or to 0 for no limit. */
static int time_left(double *seconds)
{
    *seconds = run.desc.time_limit_s;
    if (*seconds <= 0) return 1;
    *seconds -= wall_clock() - parts.start;
    return *seconds > 0;
}

/* Does a unit, or continues it. LOCKED: another process is working on it. */
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
    if (part_done(part)) { /* since the last check */
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

/* Works on all unclaimed units. Returns how many others are working on, or the negative status of a
   failure. */
static int do_parts(combgpu_context *ctx, const parts_search *search)
{
    int elsewhere = 0, i;
    for (i = 0; i < parts.count && !stop_wanted(); i++) {
        int status;
        if (part_done(i)) continue;
        status = do_part(ctx, search, i);
        if (status == PART_LOCKED) {
            elsewhere++;
            continue;
        }
        if (status < 0) return status;
        if (status != COMBGPU_OK) break;
        parts.done++;
        terminal_clear();
        if (given(OPTION_QUIET) || time(NULL) == parts.said)
            continue; /* a line a second is enough */
        parts.said = time(NULL);
        fprintf(stderr, "%s: part %d of %d is done; %d left\n", cmd.program, i + 1, parts.count,
                parts.count - parts.done);
    }
    return elsewhere;
}

/* Does the remaining units, and writes a record of those done. Returns OK with *sum, and *info if the
   checkpoints of all units were added up; STOPPED, after printing what remains; or a failure. */
static combgpu_status run_parts(combgpu_context *ctx, const parts_search *search,
                                combgpu_run_info *info, parts_sum *sum)
{
    combgpu_status status = COMBGPU_OK;
    int elsewhere;
    parts_open(search);
    take_record(search);
    parts.start = wall_clock();
    parts.done = count_done();
    elsewhere = do_parts(ctx, search);
    if (elsewhere < 0 && !parts.done) parts_refused((combgpu_status)elsewhere);
    if (elsewhere < 0) return (combgpu_status)elsewhere;
    do { /* again if others have done more since: this may have replaced their record */
        parts.done = count_done();
        if (parts.done == parts.count && checkpoints_there())
            status = merge_parts(ctx, search, info, sum);
        else
            add_parts(sum);
        if (status < 0) return status;
        if (sum->merged) check_lines(sum);
        if (sum->parts) write_record(search, sum);
    } while (count_done() > parts.done);
    if (sum->parts == parts.count) return COMBGPU_OK;
    terminal_clear();
    fprintf(stderr, "%s: %d of %d parts are done%s; the same command continues\n", cmd.program,
            parts.done, parts.count, elsewhere ? ", some are at work elsewhere" : "");
    return COMBGPU_STOPPED;
}

/* Returns whether --parts is given; ends the program if other options exclude it. */
static int parts_wanted(void)
{
    static const int without[] = {
        OPTION_LIMIT,  OPTION_SEED,   OPTION_FORECAST,   OPTION_LIST,   OPTION_DRAW,
        OPTION_FORMAT, OPTION_OUTPUT, OPTION_FIRST,      OPTION_COUNT,  OPTION_SVG,
        OPTION_SHARD,  OPTION_MERGE,  OPTION_CHECKPOINT, OPTION_RESUME, -1};
    goes_without(OPTION_PARTS, without);
    return given(OPTION_PARTS);
}

/* Does the units, and prints the result if all are done. Returns the exit status. */
static int parts_main(const parts_search *search)
{
    combgpu_run_info info;
    combgpu_context *ctx;
    combgpu_status status;
    parts_sum sum;
    int end;
    run.many = 1;
    ctx = open_context(search->name);
    status = run_parts(ctx, search, &info, &sum);
    if (status < 0) return failed(ctx, status);
    if (status == COMBGPU_OK && !sum.merged) {
        tell_sum(search, &sum);
        return finish(ctx, NULL);
    }
    if (status == COMBGPU_OK) search->print(search->user);
    if (status == COMBGPU_OK) return finish(ctx, &info);
    json_string("status", combgpu_status_string(status));
    json_u64("parts", (uint64_t)parts.count);
    json_u64("parts_done", (uint64_t)parts.done);
    end = finish(ctx, NULL);
    return end ? end : EXIT_STOPPED;
}

#endif
