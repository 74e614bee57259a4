/* Tests classes of no-three-in-line on boards of 24 and 32 words (combgpu_no3_plate): the CPU's nodes, from
   randomly fixed cells on boards too large to search, at each end of a form's range; whole searches of
   small boards, stopped and resumed. */
#include "board.h"
#ifdef __GLIBC__
#include <malloc.h>
#endif

static const char *label(int n, combgpu_no3_class symmetry)
{
    static char text[40];
    snprintf(text, sizeof text, "n = %d, %s", n, combgpu_no3_class_string(symmetry));
    return text;
}

static int same_result(const combgpu_no3_result *a, const combgpu_no3_result *b)
{
    return a->all == b->all && a->up_to_symmetry == b->up_to_symmetry &&
           a->run.checksum == b->run.checksum && a->run.steps == b->run.steps;
}

/* Which kernel a class gets, at the ends of each form's range. */
static void test_kernels(void)
{
    static const struct {
        int n;
        combgpu_no3_class symmetry;
        const char *kernel;
    } cases[] = {{32, COMBGPU_NO3_DIA1, "32"},          {33, COMBGPU_NO3_DIA1, "dia1_24"},
                 {37, COMBGPU_NO3_DIA1, "dia1_24"},     {38, COMBGPU_NO3_DIA1, "128w"},
                 {32, COMBGPU_NO3_ORT1, "half_ort1"},   {34, COMBGPU_NO3_ORT1, "ort1_24"},
                 {38, COMBGPU_NO3_ORT1, "ort1_24"},     {40, COMBGPU_NO3_ORT1, "128w"},
                 {40, COMBGPU_NO3_ROT4, "fold"},        {42, COMBGPU_NO3_ROT4, "fold24"},
                 {48, COMBGPU_NO3_ROT4, "fold24"},      {50, COMBGPU_NO3_ROT4, "fold32"},
                 {64, COMBGPU_NO3_ROT4, "fold32"},      {41, COMBGPU_NO3_NEAR_ROT4, "fold_odd"},
                 {43, COMBGPU_NO3_NEAR_ROT4, "fold24"}, {47, COMBGPU_NO3_NEAR_ROT4, "fold24"},
                 {59, COMBGPU_NO3_NEAR_ROT4, "fold32"}, {45, COMBGPU_NO3_DIA2, "dia2_24"},
                 {46, COMBGPU_NO3_DIA2, "dia2_24"},     {57, COMBGPU_NO3_DIA2, "dia2_32"},
                 {62, COMBGPU_NO3_DIA2, "dia2_32"}};
    size_t c;
    int right = 1;
    for (c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        static const char prefix[] = "combgpu_no3_search_";
        combgpu_no3_desc desc;
        combgpu_job *job;
        const char *name = NULL;
        memset(&desc, 0, sizeof desc);
        desc.n = cases[c].n;
        desc.symmetry = cases[c].symmetry;
        if (!combgpu_no3_begin(CPU, &desc, &job)) {
            name = inside_kernel(job);
            if (strncmp(name, prefix, sizeof prefix - 1) ||
                strcmp(name + sizeof prefix - 1, cases[c].kernel) != 0) {
                printf("# %s: %s\n", label(desc.n, desc.symmetry), name);
                right = 0;
            }
            combgpu_no3_end(job, NULL);
        }
        right &= name != NULL;
    }
    ok(right, "each class gets the kernel of its form");
}

static void test_fixed(void)
{
    static const int cases[][4] = {
        {33, COMBGPU_NO3_DIA1, 10, 3},      {37, COMBGPU_NO3_DIA1, 12, 2},
        {34, COMBGPU_NO3_ORT1, 9, 1},       {38, COMBGPU_NO3_ORT1, 10, 1},
        {42, COMBGPU_NO3_ROT4, 5, 1},       {48, COMBGPU_NO3_ROT4, 7, 1},
        {50, COMBGPU_NO3_ROT4, 7, 1},       {64, COMBGPU_NO3_ROT4, 11, 1},
        {43, COMBGPU_NO3_NEAR_ROT4, 5, 1},  {47, COMBGPU_NO3_NEAR_ROT4, 7, 1},
        {59, COMBGPU_NO3_NEAR_ROT4, 10, 1}, {45, COMBGPU_NO3_DIA2, 6, 1},
        {46, COMBGPU_NO3_DIA2, 6, 1},       {57, COMBGPU_NO3_DIA2, 8, 3},
        {62, COMBGPU_NO3_DIA2, 9, 1}};
    size_t c;
    for (c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        combgpu_no3_desc desc;
        combgpu_no3_result first, result;
        int same = 1, i;
        if (test_small() && c % 4) continue;
        memset(&desc, 0, sizeof desc);
        memset(&first, 0, sizeof first);
        desc.n = cases[c][0];
        desc.symmetry = (combgpu_no3_class)cases[c][1];
        desc.on = board_on;
        board_fix(desc.n, desc.symmetry, cases[c][2], (uint32_t)cases[c][3]);
        for (i = 0; i < TEST_PLACES; i++) {
            if (!opened[i]) continue;
            memset(&result, 0, sizeof result);
            same &= combgpu_no3(opened[i], &desc, &result) == COMBGPU_OK;
            if (i == 0) first = result;
            same &= same_result(&first, &result);
            if (!same)
                printf("# %s: %llu steps; %llu\n", test_places[i].name,
                       (unsigned long long)result.run.steps, (unsigned long long)first.run.steps);
        }
        ok(same && first.run.steps > 100, "%s, %d orbits fixed: %llu steps on every backend",
           label(desc.n, desc.symmetry), cases[c][2], (unsigned long long)first.run.steps);
    }
}

/* ---- whole searches in these forms, which the library keeps for larger boards */

static combgpu_status begin_plate(combgpu_context *ctx, void *desc, combgpu_job **job)
{
    return inside_no3_begin(ctx, (const combgpu_no3_desc *)desc, 24, job);
}

static combgpu_status end_no3(combgpu_job *job, void *result)
{
    return combgpu_no3_end(job, (combgpu_no3_result *)result);
}

static void test_resume(void)
{
    /* n, class, budget, n of a small test */
    static const int cases[][4] = {
        {18, COMBGPU_NO3_ROT4, 80, 6}, {21, COMBGPU_NO3_NEAR_ROT4, 200, 9},
        {18, COMBGPU_NO3_DIA2, 60, 6}, {17, COMBGPU_NO3_DIA2, 60, 9},
        {11, COMBGPU_NO3_DIA1, 50, 7}, {12, COMBGPU_NO3_DIA1, 100, 6},
        {10, COMBGPU_NO3_ORT1, 20, 6}};
    size_t c;
    for (c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        combgpu_no3_desc desc;
        combgpu_no3_result whole, result;
        test_search s;
        int pieces;
        memset(&desc, 0, sizeof desc);
        desc.n = cases[c][test_small() ? 3 : 0];
        desc.symmetry = (combgpu_no3_class)cases[c][1];
        combgpu_no3(CPU, &desc, &whole);
        memset(&s, 0, sizeof s);
        s.begin = begin_plate;
        s.end = end_no3;
        s.desc = &desc;
        s.result = &result;
        s.run = &desc.run;
        s.budget = cases[c][2];
        s.records = 40;
        pieces = test_pieces(&s);
        ok(pieces > 0 && same_result(&whole, &result) && whole.run.steps,
           "%s: %llu solutions, stopped, saved and resumed: nothing changes",
           label(desc.n, desc.symmetry), (unsigned long long)whole.all);
    }
}

int main(void)
{
#ifdef __GLIBC__ /* tables of many MiB, again and again: their pages are kept */
    mallopt(M_MMAP_MAX, 0);
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
    mallopt(M_TOP_PAD, 64 << 20);
#endif
    open_places();
    test_kernels();
    test_fixed();
    test_resume();
    close_places();
    return tap_end();
}
