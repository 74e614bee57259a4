/* Threads: locks, and a context's team, which waits for loops. */

#ifdef COMBGPU__THREADS

/* Waits a moment: every hundredth poll of a shared word yields the processor. */
COMBGPU__PRIVATE void combgpu__relax(unsigned polls)
{
    if (polls % 128 == 127) {
#ifdef COMBGPU__WINDOWS
        SwitchToThread();
#else
        sched_yield();
#endif
    }
#ifdef COMBGPU__SSE2
    else
        _mm_pause();
#endif
}

COMBGPU__PRIVATE void combgpu__lock_take(combgpu__lock *lock)
{
    unsigned polls = 0;
#ifdef __GNUC__
    while (__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE))
#else
    while (_InterlockedExchange((volatile long *)lock, 1))
#endif
        while (combgpu__shared(lock))
            combgpu__relax(polls++);
}

COMBGPU__PRIVATE void combgpu__lock_free(combgpu__lock *lock)
{
    COMBGPU__SHARED_STORE(lock, 0);
}

/* ---- the system's threads, and two words to sleep on */

#ifdef COMBGPU__WINDOWS
typedef SRWLOCK combgpu__mutex;
typedef CONDITION_VARIABLE combgpu__signal;
typedef HANDLE combgpu__thread;
typedef DWORD combgpu__thread_end;
#define COMBGPU__THREAD_CALL WINAPI
#define combgpu__mutex_take(mutex) AcquireSRWLockExclusive(mutex)
#define combgpu__mutex_free(mutex) ReleaseSRWLockExclusive(mutex)
#define combgpu__signal_wait(signal, mutex)                                                        \
    (void)SleepConditionVariableSRW(signal, mutex, INFINITE, 0)
#define combgpu__signal_all(signal) WakeAllConditionVariable(signal)
#else
typedef pthread_mutex_t combgpu__mutex;
typedef pthread_cond_t combgpu__signal;
typedef pthread_t combgpu__thread;
typedef void *combgpu__thread_end;
#define COMBGPU__THREAD_CALL
#define combgpu__mutex_take(mutex) (void)pthread_mutex_lock(mutex)
#define combgpu__mutex_free(mutex) (void)pthread_mutex_unlock(mutex)
#define combgpu__signal_wait(signal, mutex) (void)pthread_cond_wait(signal, mutex)
#define combgpu__signal_all(signal) (void)pthread_cond_broadcast(signal)
#endif

/* A thread's stack: 96 KB for the library, the rest for callers' functions. Sanitizers need several
   times as much. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define COMBGPU__STACK_BYTES ((size_t)2 << 20)
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define COMBGPU__STACK_BYTES ((size_t)2 << 20)
#endif
#endif
#ifndef COMBGPU__STACK_BYTES
#define COMBGPU__STACK_BYTES ((size_t)256 << 10)
#endif

/* Polls of a shared word before a thread sleeps: about 20 microseconds. */
#define COMBGPU__LOOKS 1000u

typedef struct combgpu__team combgpu__team;

typedef struct combgpu__mate {
    combgpu__team *team;
    combgpu__thread thread;
    uint32_t number; /* from 1; the caller's thread is 0 */
    uint32_t turn;   /* the last one seen */
} combgpu__mate;

struct combgpu__team {
    combgpu__mutex mutex;
    combgpu__signal wake, done;
    combgpu__mate *mates;
    int made, most;           /* threads: existing; allowed */
    size_t stack;             /* bytes; 0 = the system's default */
    long process;             /* a forked child has none of these threads */
    int busy;                 /* within a loop */
    uint32_t sleepers, waits; /* under the mutex: mates asleep; the caller sleeps */
    /* the loop: turn is its number times TURN plus its threads, so a mate that wakes late never
       confuses loops; 0 threads: the mates end */
    uint32_t turn, working, next;
    int count, chunk;
    combgpu__pass pass;
    void *user;
};
#define COMBGPU__TURN 8192u

COMBGPU__PRIVATE void combgpu__team_work(combgpu__team *team, int chunk, int thread)
{
    const int chunks = (team->count - 1) / team->chunk + 1;
    while (chunk < chunks) {
        int i = chunk * team->chunk,
            end = i + (team->count - i < team->chunk ? team->count - i : team->chunk);
        for (; i < end; i++)
            team->pass(team->user, i, thread);
        chunk = (int)combgpu__shared_add(&team->next, 1);
    }
}

/* Waits for a turn after the one last seen. */
COMBGPU__PRIVATE uint32_t combgpu__mate_wait(combgpu__team *team, uint32_t seen)
{
    unsigned polls;
    uint32_t turn = seen;
    for (polls = 0; turn == seen && polls < COMBGPU__LOOKS; polls++) {
        combgpu__relax(polls);
        turn = COMBGPU__SHARED_ACQUIRE(&team->turn);
    }
    if (turn != seen) return turn;
    combgpu__mutex_take(&team->mutex);
    team->sleepers++;
    while ((turn = COMBGPU__SHARED_ACQUIRE(&team->turn)) == seen)
        combgpu__signal_wait(&team->wake, &team->mutex);
    team->sleepers--;
    combgpu__mutex_free(&team->mutex);
    return turn;
}

COMBGPU__PRIVATE combgpu__thread_end COMBGPU__THREAD_CALL combgpu__mate_main(void *user)
{
    combgpu__mate *mate = (combgpu__mate *)user;
    combgpu__team *team = mate->team;
    for (;;) {
        mate->turn = combgpu__mate_wait(team, mate->turn);
        if (!(mate->turn % COMBGPU__TURN)) break;
        if (mate->number >= mate->turn % COMBGPU__TURN) continue;
        combgpu__team_work(team, (int)combgpu__shared_add(&team->next, 1), (int)mate->number);
        if (combgpu__shared_add(&team->working, (uint32_t)-1) == 1) {
            combgpu__mutex_take(&team->mutex);
            if (team->waits) combgpu__signal_all(&team->done);
            combgpu__mutex_free(&team->mutex);
        }
    }
    return 0;
}

/* Starts the mates' next turn, with this many threads. */
COMBGPU__PRIVATE void combgpu__team_call(combgpu__team *team, uint32_t threads)
{
    combgpu__mutex_take(&team->mutex);
    COMBGPU__SHARED_STORE(&team->turn, (team->turn / COMBGPU__TURN + 1) * COMBGPU__TURN + threads);
    if (team->sleepers) combgpu__signal_all(&team->wake);
    combgpu__mutex_free(&team->mutex);
}

/* Starts one thread; 0 if the system refuses. */
COMBGPU__PRIVATE int combgpu__mate_start(combgpu__mate *mate)
{
#ifdef COMBGPU__WINDOWS
    mate->thread = CreateThread(NULL, mate->team->stack, combgpu__mate_main, mate,
                                STACK_SIZE_PARAM_IS_A_RESERVATION, NULL);
    return mate->thread != NULL;
#else
    pthread_attr_t attributes;
    int fine;
    if (pthread_attr_init(&attributes)) return 0;
    if (mate->team->stack) (void)pthread_attr_setstacksize(&attributes, mate->team->stack);
    fine = !pthread_create(&mate->thread, &attributes, combgpu__mate_main, mate);
    (void)pthread_attr_destroy(&attributes);
    return fine;
#endif
}

COMBGPU__PRIVATE void combgpu__team_end(combgpu_context *ctx, combgpu__team *team)
{
    int i;
    if (team->process == combgpu__process_id()) {
        combgpu__team_call(team, 0);
        for (i = 0; i < team->made; i++) {
#ifdef COMBGPU__WINDOWS
            (void)WaitForSingleObject(team->mates[i].thread, INFINITE);
            (void)CloseHandle(team->mates[i].thread);
#else
            (void)pthread_join(team->mates[i].thread, NULL);
#endif
        }
#ifndef COMBGPU__WINDOWS
        (void)pthread_mutex_destroy(&team->mutex);
        (void)pthread_cond_destroy(&team->wake);
        (void)pthread_cond_destroy(&team->done);
#endif
    }
    combgpu__release(ctx, team);
}

/* Makes a team of at most `most` threads besides the caller's; NULL without memory. */
COMBGPU__PRIVATE combgpu__team *combgpu__team_make(combgpu_context *ctx, int most, size_t stack)
{
    combgpu__team *team = (combgpu__team *)combgpu__allocate_zeroed(
        ctx, sizeof *team + (size_t)most * sizeof *team->mates);
    if (!team) return NULL;
    team->mates = (combgpu__mate *)(void *)(team + 1);
    team->most = most;
    team->stack = stack;
    team->process = combgpu__process_id();
#ifdef COMBGPU__WINDOWS
    InitializeSRWLock(&team->mutex);
    InitializeConditionVariable(&team->wake);
    InitializeConditionVariable(&team->done);
#else
    (void)pthread_mutex_init(&team->mutex, NULL);
    (void)pthread_cond_init(&team->wake, NULL);
    (void)pthread_cond_init(&team->done, NULL);
#endif
    return team;
}

/* Starts threads up to this number. */
COMBGPU__PRIVATE void combgpu__team_grow(combgpu_context *ctx, combgpu__team *team, int mates)
{
    if (mates > team->most) mates = team->most;
    while (team->made < mates) {
        combgpu__mate *mate = &team->mates[team->made];
        mate->team = team;
        mate->number = (uint32_t)team->made + 1;
        mate->turn = team->turn;
        if (!combgpu__mate_start(mate)) {
            team->most = team->made; /* and so it stays: one note per context, not per loop */
            combgpu__log(ctx, COMBGPU_LOG_WARNING,
                         "the system gives %d of %d threads: the search is slower", team->made + 1,
                         mates + 1);
            break;
        }
        team->made++;
    }
}

/* Runs a loop on the caller's thread and the first threads of the team. */
COMBGPU__PRIVATE void combgpu__team_loop(combgpu__team *team, int threads, int count, int chunk,
                                         combgpu__pass pass, void *user)
{
    unsigned polls;
    team->count = count;
    team->chunk = chunk;
    team->pass = pass;
    team->user = user;
    team->busy = 1;
    team->next = 1; /* the caller began with 0 */
    team->working = (uint32_t)threads - 1;
    if (threads > 1) combgpu__team_call(team, (uint32_t)threads);
    combgpu__team_work(team, 0, 0);
    for (polls = 0; polls < COMBGPU__LOOKS && COMBGPU__SHARED_ACQUIRE(&team->working); polls++)
        combgpu__relax(polls);
    combgpu__mutex_take(&team->mutex);
    team->waits = 1;
    while (COMBGPU__SHARED_ACQUIRE(&team->working))
        combgpu__signal_wait(&team->done, &team->mutex);
    team->waits = 0;
    combgpu__mutex_free(&team->mutex);
    team->busy = 0;
}

COMBGPU__PRIVATE void combgpu__team_close(combgpu_context *ctx)
{
    if (ctx->team) combgpu__team_end(ctx, ctx->team);
    ctx->team = NULL;
}

#else /* one thread */

COMBGPU__PRIVATE void combgpu__lock_take(combgpu__lock *lock)
{
    (void)lock;
}

COMBGPU__PRIVATE void combgpu__lock_free(combgpu__lock *lock)
{
    (void)lock;
}

COMBGPU__PRIVATE void combgpu__team_close(combgpu_context *ctx)
{
    (void)ctx;
}

#endif

/* ---- how many */

COMBGPU__PRIVATE int combgpu__processors(void)
{
#ifdef COMBGPU__THREADS
    const char *asked = getenv("OMP_NUM_THREADS");
    long threads = asked ? strtol(asked, NULL, 10) : 0;
    if (threads < 1) threads = combgpu__processors_here();
    return threads < COMBGPU__MAX_THREADS ? (int)threads : COMBGPU__MAX_THREADS;
#else
    return 1;
#endif
}

COMBGPU__PRIVATE int combgpu__threads(const combgpu_context *ctx)
{
#ifdef COMBGPU__THREADS
    if (ctx->desc.threads > 1) return ctx->desc.threads;
#else
    (void)ctx;
#endif
    return 1;
}

COMBGPU__PRIVATE int combgpu__host_threads(const combgpu_context *ctx)
{
    int threads = combgpu__threads(ctx);
    return threads < 16 ? threads : 16;
}

COMBGPU__PRIVATE combgpu__lock *combgpu__context_lock(combgpu_context *ctx)
{
    return &ctx->lock;
}

/* ---- loops */

COMBGPU__PRIVATE void combgpu__loop(combgpu_context *ctx, int threads, int count, int chunk,
                                    combgpu__pass pass, void *user)
{
    int i;
#ifdef COMBGPU__THREADS
    const int chunks = count > 0 ? (count - 1) / chunk + 1 : 0;
    if (threads > chunks) threads = chunks;
    if (threads > 1 && ctx->team && ctx->team->process != combgpu__process_id())
        combgpu__team_close(ctx); /* after a fork */
    if (threads > 1 && !ctx->team)
        ctx->team = combgpu__team_make(ctx, combgpu__threads(ctx), COMBGPU__STACK_BYTES);
    if (threads > 1 && ctx->team && !ctx->team->busy) {
        combgpu__team_grow(ctx, ctx->team, threads - 1);
        if (threads > ctx->team->made + 1) threads = ctx->team->made + 1;
        combgpu__team_loop(ctx->team, threads, count, chunk, pass, user);
        return;
    }
#else
    (void)ctx, (void)threads, (void)chunk;
#endif
    for (i = 0; i < count; i++)
        pass(user, i, 0);
}

COMBGPU__PRIVATE void combgpu__loop_apart(combgpu_context *ctx, int count, combgpu__pass pass,
                                          void *user)
{
    int i;
#ifdef COMBGPU__THREADS
    combgpu__team *team = count > 1 ? combgpu__team_make(ctx, count - 1, 0) : NULL;
    if (team) {
        combgpu__team_grow(ctx, team, count - 1);
        combgpu__team_loop(team, team->made + 1, count, 1, pass, user);
        combgpu__team_end(ctx, team);
        return;
    }
#else
    (void)ctx;
#endif
    for (i = 0; i < count; i++)
        pass(user, i, 0);
}
