/* combgpu bench: times every search on one backend; the best of several runs counts. */
#ifndef COMBGPU_EXAMPLES_BENCH_H
#define COMBGPU_EXAMPLES_BENCH_H

#include "combgpu_bench_cases.h"

static void tell_bench(const bench_case *which, const bench_result *result)
{
    char steps[32], speed[32];
    const combgpu_run_info *best = &result->run;
    const double fill_s = result->fill_s;
    const double per_second = best->seconds > 0 ? (double)best->steps / best->seconds : 0;
    terminal_clear();
    json_open(NULL, '{');
    json_string("search", bench_searches[which->search]);
    json_string("command", which->command);
    json_double("answer", result->answer);
    tell_seconds("seconds", "%9.4f", best->seconds);
    json_u64("steps", best->steps);
    json_double("steps_per_s", (double)(int64_t)per_second);
    short_number((double)best->steps, steps, sizeof steps);
    short_number(per_second, speed, sizeof speed);
    say("  %8s  %8s  %13.14g  %s", steps, speed, result->answer, which->command);
    if (fill_s > 0) {
        tell_seconds("fill_seconds", "  (memset %.4f", fill_s);
        say(": %.0f %%)", 100 * fill_s / best->seconds);
    }
    say("\n");
    json_close();
    fflush(stdout);
}

/* Keeps the best of `repeat` runs and returns the last status. A stopped run is the last. */
static combgpu_status bench_best(combgpu_context *ctx, const bench_case *which, uint64_t repeat,
                                 bench_result *best)
{
    combgpu_status status = COMBGPU_OK;
    uint64_t r;
    run.label = which->command;
    memset(best, 0, sizeof *best);
    for (r = 0; r < repeat && status >= 0 && status != COMBGPU_STOPPED; r++) {
        bench_result result;
        memset(&result, 0, sizeof result);
        status = which->run(ctx, which, &result);
        if (r == 0 || status == COMBGPU_STOPPED || result.run.seconds < best->run.seconds)
            *best = result;
    }
    return status;
}

/* Nonzero if --search and --only choose the case: its command equals the text of --only or, if no command
   does, contains it. */
static int bench_chosen(const bench_case *which, const char *only)
{
    int i;
    if (given(OPTION_SEARCH) && (uint64_t)which->search != number_of(OPTION_SEARCH, 0)) return 0;
    if (!only) return 1;
    for (i = 0; i < (int)BENCH_CASES; i++)
        if (!strcmp(bench_cases[i].command, only)) return !strcmp(which->command, only);
    return bench_says(which, only);
}

static int command_bench(void)
{
    static const int how_many[] = {OPTION_ONLY, OPTION_LONG, OPTION_LONGEST, -1};
    combgpu_context *ctx;
    combgpu_device device;
    combgpu_run_info total;
    combgpu_status stopped = COMBGPU_OK;
    const uint64_t repeat = number_of(OPTION_REPEAT, 3);
    const int is_long = given(OPTION_LONGEST) ? 3 : given(OPTION_LONG) ? 1 : 0;
    const char *only = text_of(OPTION_ONLY);
    int i;
    exclusive(how_many);
    run.many = 1;
    for (i = 0; only && i < (int)BENCH_CASES && !bench_chosen(&bench_cases[i], only); i++)
        continue;
    if (only && i == (int)BENCH_CASES)
        usage("--only is \"%.60s\"; no command%s%s contains it", only,
              given(OPTION_SEARCH) ? " of --search " : "",
              given(OPTION_SEARCH) ? text_of(OPTION_SEARCH) : "");
    ctx = open_context("bench");
    combgpu_context_device(ctx, &device);
    tell_string("backend", "%s ", combgpu_backend_string(device.backend));
    tell_string("device", "(%s)", device.name);
    json_open("results", '[');
    say(", best of %llu\n\n", (unsigned long long)repeat);
    say("  seconds     steps   steps/s         answer  command\n");
    for (i = 0; i < (int)BENCH_CASES && stopped != COMBGPU_STOPPED; i++) {
        const bench_case *which = &bench_cases[i];
        bench_result best;
        combgpu_status status;
        if (!bench_chosen(which, only) || (!only && which->is_long > is_long)) continue;
        if (which->run == run_tsp_file && !file_exists(bench_file(which))) {
            fprintf(stderr, "%s: skipped, file %s not found\n", cmd.program, bench_file(which));
            continue;
        }
        if (which->run == run_perm_to_device && device.backend == COMBGPU_BACKEND_CPU) continue;
        status = bench_best(ctx, which, repeat, &best);
        stopped = best.run.status;
        if (which->search == BENCH_PERM &&
            (status == COMBGPU_DEVICE_OUT_OF_MEMORY || status == COMBGPU_OUT_OF_MEMORY)) {
            say("        -         -         -              -  %s: not enough memory\n",
                which->command);
        } else if (status < 0)
            return failed(ctx, status);
        else if (stopped != COMBGPU_STOPPED)
            tell_bench(which, &best);
    }
    json_close();
    json_string("status", combgpu_status_string(stopped));
    memset(&total, 0, sizeof total);
    total.status = stopped;
    return finish(ctx, &total);
}

#endif
