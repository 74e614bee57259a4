/* Solves a quadratic assignment problem of QAPLIB (R. E. Burkard, S. E. Karisch, F. Rendl 1997) by
   branch and bound; without a file, nug12 (C. E. Nugent and others 1968): 578.

       cc -O3 examples/assignment.c -o assignment
       ./assignment tai12a.dat */
#define COMBGPU_IMPLEMENTATION
#define COMBGPU_STATIC 1
#define COMBGPU_ONLY_PERM 1
#include "../combgpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qap_bound.h" /* the callbacks */

static const char nug12[] = "12 "
                            "0 1 2 3 1 2 3 4 2 3 4 5 1 0 1 2 2 1 2 3 3 2 3 4 2 1 0 1 3 2 1 2 4 3 2 "
                            "3 3 2 1 0 4 3 2 1 5 4 3 2 "
                            "1 2 3 4 0 1 2 3 1 2 3 4 2 1 2 3 1 0 1 2 2 1 2 3 3 2 1 2 2 1 0 1 3 2 1 "
                            "2 4 3 2 1 3 2 1 0 4 3 2 1 "
                            "2 3 4 5 1 2 3 4 0 1 2 3 3 2 3 4 2 1 2 3 1 0 1 2 4 3 2 3 3 2 1 2 2 1 0 "
                            "1 5 4 3 2 4 3 2 1 3 2 1 0 "
                            "0 5 2 4 1 0 0 6 2 1 1 1 5 0 3 0 2 2 2 0 4 5 0 0 2 3 0 0 0 0 0 5 5 2 2 "
                            "2 4 0 0 0 5 2 2 10 0 0 5 5 "
                            "1 2 0 5 0 10 0 0 0 5 1 1 0 2 0 2 10 0 5 1 1 5 4 0 0 2 0 2 0 5 0 10 5 "
                            "2 3 3 6 0 5 10 0 1 10 0 0 0 5 0 "
                            "2 4 5 0 0 1 5 0 0 0 10 10 1 5 2 0 5 5 2 0 0 0 5 0 1 0 2 5 1 4 3 5 10 "
                            "5 0 2 1 0 2 5 1 0 3 0 10 0 2 0";

/* Reads the numbers of a file's text; returns n, or 0 if it is not a QAPLIB file with n up to 20. Numbers
   up to a million cannot overflow the costs. */
static int read_instance(const char *text, int32_t *a, int32_t *b)
{
    char *end;
    long n = strtol(text, &end, 10), i, number;
    if (n < 2 || n > QAP_BOUND_MOST) return 0;
    for (i = 0; i < 2 * n * n; i++) {
        text = end;
        number = strtol(text, &end, 10);
        if (end == text || number < -1000000 || number > 1000000) return 0;
        (i < n * n ? a : b)[i % (n * n)] = (int32_t)number;
    }
    return end[strspn(end, " \t\r\n")] ? 0 : (int)n;
}

int main(int argc, char **argv)
{
    static char text[65536];
    static int32_t a[400], b[400], data[1 + 4 * 400];
    uint8_t facility[QAP_BOUND_MOST], start[QAP_BOUND_MOST], place[QAP_BOUND_MOST];
    combgpu_context *ctx;
    combgpu_perm_search_desc desc;
    combgpu_perm_search_result result;
    combgpu_status status;
    FILE *file = argc > 1 ? fopen(argv[1], "r") : NULL;
    int n, i;

    if (file) text[fread(text, 1, sizeof text - 1, file)] = 0;
    if (file) fclose(file);
    n = argc > 1 && !file ? 0 : read_instance(file ? text : nug12, a, b);
    if (!n || argc > 2) {
        fprintf(stderr,
                "assignment [FILE], a file of QAPLIB with n = 2 to 20 and numbers from -1000000 to "
                "1000000\n");
        return 2;
    }
    qap_order(n, a, facility);
    qap_fill(n, a, b, facility, data);
    qap_start(n, data, start);
    memset(&desc, 0, sizeof desc);
    desc.n = n;
    desc.searcher = &qap_search;
    desc.goal = COMBGPU_SEARCH_MINIMUM;
    desc.data = data;
    desc.data_bytes = (1 + 4 * (size_t)(n * n)) * sizeof data[0];
    desc.start = start;
    status = combgpu_open(&ctx, NULL);
    if (!status) status = combgpu_perm_search(ctx, &desc, &result);
    if (status)
        fprintf(stderr, "%s\n", combgpu_message(ctx));
    else {
        for (i = 0; i < n; i++)
            place[facility[i]] = result.best[i];
        printf("least cost %lld, proven in %llu steps; facilities go to locations",
               (long long)result.best_value, (unsigned long long)result.run.steps);
        for (i = 0; i < n; i++)
            printf(" %d%s", place[i] + 1, i == n - 1 ? "\n" : "");
    }
    combgpu_close(ctx);
    return status != COMBGPU_OK;
}
