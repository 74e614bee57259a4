/* Tests contexts that several threads open at once, in new processes, in each of which the driver starts
   once. Without the lock of backend/opencl_device.c PoCL 3.1 crashes in most of them. */
#include "test.h"

#if defined(_WIN32) || defined(__SANITIZE_ADDRESS__)
int main(void)
{
    skip("no fork, or a sanitizer that PoCL's signal stack ends",
         "contexts are opened by several threads at once");
    return tap_end();
}
#else
#include <pthread.h>
#include <sys/wait.h>

#define PROCESSES 20
#define THREADS 8

/* Returns a pointer that is not NULL if the thread's device counts the squares of order 3. */
static void *open_and_count(void *backend)
{
    combgpu_context_desc desc;
    combgpu_magic_desc magic;
    combgpu_magic_result result;
    combgpu_context *ctx;
    combgpu_status status;
    memset(&desc, 0, sizeof desc);
    memset(&magic, 0, sizeof magic);
    memset(&result, 0, sizeof result);
    desc.backend = *(combgpu_backend *)backend;
    desc.threads = 1;
    status = combgpu_open(&ctx, &desc);
    magic.order = 3;
    if (!status) combgpu_magic(ctx, &magic, &result);
    combgpu_close(ctx);
    return status == COMBGPU_NO_DEVICE || result.count == 8 ? backend : NULL;
}

/* In a process of its own; returns its exit status. */
static int open_by_threads(void)
{
    combgpu_backend backends[2] = {COMBGPU_BACKEND_OPENCL, COMBGPU_BACKEND_AUTO};
    pthread_t threads[THREADS];
    int i, failed = 0;
#ifndef COMBGPU_OPENCL
    backends[0] = COMBGPU_BACKEND_CPU;
#endif
    for (i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, open_and_count, &backends[i % 2])) return 2;
    for (i = 0; i < THREADS; i++) {
        void *counted = NULL;
        pthread_join(threads[i], &counted);
        failed |= !counted;
    }
    return failed;
}

int main(void)
{
    int i;
    for (i = 0; i < PROCESSES; i++) {
        int status = 0;
        pid_t child = fork();
        if (!child) {
            alarm(300); /* for one that hangs */
            _exit(open_by_threads());
        }
        waitpid(child, &status, 0);
        equal_u64(status, 0, "process %d: %d threads open contexts at once", i, THREADS);
    }
    return tap_end();
}
#endif
