/* combgpu demo: runs all four searches and compares with known answers. */
#ifndef COMBGPU_EXAMPLES_DEMO_H
#define COMBGPU_EXAMPLES_DEMO_H

#include "combgpu_result.h"

static int wrong_answers;
static const char *demo_picture = ""; /* what is left of the picture at the right edge */

/* Prints the next line of the picture. */
static void demo_picture_line(void)
{
    int length = (int)strcspn(demo_picture, "\n");
    printf("%s%.*s\n", length ? "   " : "", length, demo_picture);
    demo_picture += length;
    if (*demo_picture) demo_picture++;
}

/* Prints the rest of the picture. */
static void demo_picture_rest(void)
{
    while (*demo_picture && !json_wanted()) {
        printf("%57s", "");
        demo_picture_line();
    }
    demo_picture = ""; /* its text may be gone by the next line */
}

/* Prints a line: what, answer, known answer; in a search's first line also time and backend. */
static void demo_line(const char *what, uint64_t answer, uint64_t known,
                      const combgpu_run_info *info)
{
    static int searches;
    int good = answer == known;
    wrong_answers += !good;
    terminal_clear();
    json_open(NULL, '{');
    json_string("what", what + strspn(what, " "));
    say("%s  %-31s", info && searches++ ? "\n" : "", what);
    tell_u64("answer", "%10s", answer);
    tell_u64("known", good ? "  = %10s" : " <> %10s", known);
    json_bool("equal", good);
    if (!good)
        say("   WRONG\n");
    else if (info)
        say("  %7.3f s  %s\n", info->seconds, combgpu_backend_string(info->backend));
    else if (!json_wanted())
        demo_picture_line();
    if (info && json_wanted()) tell_run(info);
    json_close();
    fflush(stdout);
}

/* ---- magic squares of order 4 */

/* Albrecht Dürer, Melencolia I (1514): the year is in the last row. */
static const int durer[16] = {16, 3, 2, 13, 5, 10, 11, 8, 9, 6, 7, 12, 4, 15, 14, 1};

static const char durer_text[] = "16  3  2 13\n 5 10 11  8\n 9  6  7 12\n 4 15 14  1\n";

static int look_for_durer(const int *square, int order, void *user)
{
    if (!memcmp(square, durer, (size_t)(order * order) * sizeof(int))) *(uint64_t *)user += 1;
    return 0;
}

static combgpu_status demo_magic(combgpu_context *ctx)
{
    combgpu_magic_desc desc;
    combgpu_magic_result result;
    combgpu_status status;
    uint64_t found = 0;
    memset(&desc, 0, sizeof desc);
    desc.order = 4;
    desc.solution = look_for_durer;
    desc.solution_user = &found;
    desc.run = run.desc;
    run.label = "magic squares";
    status = combgpu_magic(ctx, &desc, &result);
    if (status) return status;
    demo_line("Magic squares of order 4", result.count, 7040, &result.run);
    demo_picture = found ? durer_text : "";
    demo_line("  up to rotation, reflection", result.up_to_d4, 880, NULL);
    demo_line("  Durer's of 1514 among them", found, 1, NULL);
    demo_picture_rest();
    return status;
}

/* ---- no three in line on a 10 x 10 grid */

/* Keeps the one solution with all eight symmetries. */
static int keep_full(const uint64_t *rows, int n, combgpu_no3_class symmetry, void *user)
{
    if (symmetry == COMBGPU_NO3_FULL) memcpy(user, rows, (size_t)n * sizeof *rows);
    return 0;
}

static combgpu_status demo_no3(combgpu_context *ctx)
{
    /* A. Flammenkamp's table; near_rot4 is part of rot2 */
    static const uint64_t known[COMBGPU_NO3_CLASS_COUNT] = {0, 132, 3, 0, 13, 0, 1, 6, 0, 1};
    combgpu_no3_desc desc;
    combgpu_no3_result result;
    combgpu_status status;
    uint64_t rows[10];
    char text[10 * 21 + 1], name[40];
    int i;
    memset(&desc, 0, sizeof desc);
    memset(rows, 0, sizeof rows);
    desc.n = 10;
    desc.solution = keep_full;
    desc.solution_user = rows;
    desc.run = run.desc;
    run.label = "no three in line";
    status = combgpu_no3(ctx, &desc, &result);
    if (status) return status;
    demo_line("No three in line on 10 x 10", result.all, 1135, &result.run);
    status = combgpu_no3_draw(ctx, 10, rows, text, sizeof text, NULL);
    if (!status) demo_picture = text;
    demo_line("  up to rotation, reflection", result.up_to_symmetry, 156, NULL);
    for (i = COMBGPU_NO3_IDEN; i < COMBGPU_NO3_CLASS_COUNT; i++) {
        snprintf(name, sizeof name, "  of them with symmetry %s",
                 combgpu_no3_class_string((combgpu_no3_class)i));
        if (known[i] || result.classes[i]) demo_line(name, result.classes[i], known[i], NULL);
    }
    demo_picture_rest();
    return status;
}

/* ---- permutations of 11 elements */

#ifdef COMBGPU_CUDA
/* 11! permutations take milliseconds either way; blocks would take nvcc 30 s */
struct neighbour_differences_functor;
template <> struct combgpu_visit_blocks_of<neighbour_differences_functor> {
    enum { value = 0 };
};
#endif
COMBGPU_PERM_VISITOR(neighbour_differences, {
    int i;
    int64_t sum = 0;
    for (i = 1; i < n; i++)
        sum += perm[i] > perm[i - 1] ? perm[i] - perm[i - 1] : perm[i - 1] - perm[i];
    return sum;
})

static combgpu_status demo_perm(combgpu_context *ctx)
{
    combgpu_perm_desc desc;
    combgpu_perm_result result;
    combgpu_status status;
    int i;
    memset(&desc, 0, sizeof desc);
    desc.n = 11;
    desc.goal = COMBGPU_PERM_MAXIMUM;
    desc.visitor = &neighbour_differences;
    desc.run = run.desc;
    run.label = "permutations";
    status = combgpu_perm(ctx, &desc, &result);
    if (status) return status;
    demo_line("Permutations of 11 elements", result.visited, 39916800, &result.run);
    demo_line("  largest sum |a[i] - a[i-1]|", (uint64_t)result.best_value, 59, NULL); /* A047838 */
    if (json_wanted()) return status;
    printf("    first reached by");
    for (i = 0; i < 11; i++)
        printf(" %d", result.best[i]);
    printf("\n");
    return status;
}

/* ---- travelling salesman */

static combgpu_status demo_read_tsp(combgpu_context *ctx, const char *folder, const char *name,
                                    combgpu_tsp_instance *instance)
{
    char path[1000];
    snprintf(path, sizeof path, "%s/%s.tsp", folder, name);
    return combgpu_tsp_read(ctx, path, instance);
}

static combgpu_status demo_tsp(combgpu_context *ctx, const combgpu_tsp_instance *instance,
                               const char *what, uint64_t known)
{
    combgpu_tsp_desc desc;
    combgpu_tsp_result result;
    combgpu_status status;
    int i;
    memset(&desc, 0, sizeof desc);
    desc.instance = instance;
    desc.run = run.desc;
    run.label = instance->name;
    status = combgpu_tsp(ctx, &desc, &result);
    if (status) return status;
    demo_line(what, result.optimal ? (uint64_t)result.length : 0, known, &result.run);
    for (i = 0; i < result.n && !json_wanted(); i++)
        printf("%s %d", i ? "" : "   ", result.tour[i] + 1);
    if (!json_wanted()) printf("\n");
    return status;
}

static int command_demo(void)
{
    const char *folder = cmd.argument ? cmd.argument : "tests/data/tsplib";
    const int tours = cmd.argument || file_exists("tests/data/tsplib/burma14.tsp");
    combgpu_context *ctx;
    combgpu_device device;
    combgpu_tsp_instance burma, ulysses;
    combgpu_run_info total;
    combgpu_status status;
    int end;
    run.many = 1;
    ctx = open_context("demo");
    memset(&burma, 0, sizeof burma);
    memset(&ulysses, 0, sizeof ulysses);
    if (!tours && !given(OPTION_QUIET))
        fprintf(stderr, "%s: tours skipped, folder %s not found; name one: combgpu demo FOLDER\n",
                cmd.program, folder);
    status = tours ? demo_read_tsp(ctx, folder, "burma14", &burma) : COMBGPU_OK;
    if (tours && !status) status = demo_read_tsp(ctx, folder, "ulysses16", &ulysses);
    if (status < 0) return failed(ctx, status);
    combgpu_context_device(ctx, &device);
    say("combgpu %s on ", combgpu_version());
    tell_string("backend", "%s: ", combgpu_backend_string(device.backend));
    tell_string("device", "%s\n\n", device.name);
    json_open("results", '[');
    say("%43s%14s%11s\n", "found", "known", "time");
    status = demo_magic(ctx);
    if (!status) status = demo_no3(ctx);
    if (!status) status = demo_perm(ctx);
    if (tours && !status) status = demo_tsp(ctx, &burma, "Shortest tour of burma14", 3323);
    if (tours && !status) status = demo_tsp(ctx, &ulysses, "Shortest tour of ulysses16", 6859);
    combgpu_tsp_free(ctx, &burma);
    combgpu_tsp_free(ctx, &ulysses);
    if (status < 0) return failed(ctx, status);
    json_close();
    json_string("status", wrong_answers ? "wrong result" : combgpu_status_string(status));
    if (status == COMBGPU_OK)
        say("\n%s\n", wrong_answers ? "Some answers are WRONG." : "All as known.");
    memset(&total, 0, sizeof total);
    total.status = status;
    end = finish(ctx, &total);
    return end ? end : wrong_answers != 0;
}

#endif
