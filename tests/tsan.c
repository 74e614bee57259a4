/* Runs three contexts in three threads, each with searches and two threads of its own, under the thread
   sanitizer (tsan.sh). */
#define _POSIX_C_SOURCE 200809L
#include "searches.h"

#include <pthread.h>

enum { CONTEXTS = 3, THREADS = 2 };
static int wrong[CONTEXTS];
static search_desc descs[SEARCH_ROWS];
static search_answer right[SEARCH_ROWS];

static combgpu_status solve(combgpu_context *ctx, int i, search_answer *answer)
{
    search_desc desc = descs[i];
    search_result result;
    combgpu_status status;
    memset(&result, 0, sizeof result);
    status = search_rows[i].kind->once(ctx, &desc, &result);
    *answer = search_answer_of(&search_rows[i], &result);
    return status;
}

/* Rows whose results go to memory of the table's own (searches.h) are for one thread alone. */
static int alone(int i)
{
    return (search_rows[i].can & SEARCH_WRITES) || strstr(search_rows[i].name, "histogram");
}

static void *work(void *user)
{
    int number = *(const int *)user, i, k;
    combgpu_context_desc open;
    combgpu_context *ctx;
    memset(&open, 0, sizeof open);
    open.backend = COMBGPU_BACKEND_CPU;
    open.threads = THREADS;
    wrong[number] = combgpu_open(&ctx, &open) != COMBGPU_OK || combgpu_self_test(ctx) != COMBGPU_OK;
    for (k = 0; k < SEARCH_ROWS; k++) {
        search_answer answer;
        i = (k + number * 5) % SEARCH_ROWS; /* at a time three different ones, and later the same */
        if (alone(i)) continue;
        if (solve(ctx, i, &answer) || !search_equal(&answer, &right[i])) wrong[number]++;
    }
    combgpu_close(ctx);
    return NULL;
}

int main(void)
{
    static int numbers[3] = {0, 1, 2};
    pthread_t threads[CONTEXTS];
    int i;
    open_places();
    for (i = 0; i < SEARCH_ROWS; i++)
        descs[i] = search_describe(&search_rows[i]);
    for (i = 0; i < SEARCH_ROWS; i++)
        equal_status(CPU, solve(CPU, i, &right[i]), COMBGPU_OK, "%s", search_rows[i].name);
    close_places();
    for (i = 0; i < CONTEXTS; i++)
        if (pthread_create(&threads[i], NULL, work, &numbers[i])) return 1;
    for (i = 0; i < CONTEXTS; i++)
        pthread_join(threads[i], NULL);
    for (i = 0; i < CONTEXTS; i++)
        ok(!wrong[i], "context %d of %d, %d threads: right answers, no race", i, CONTEXTS, THREADS);
    return tap_end();
}
