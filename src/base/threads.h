/* Words and locks that threads share, and a context's team of threads. POSIX and Windows;
   elsewhere, and with COMBGPU_NO_THREADS, everything runs on the caller's thread. */

/* Other threads see writes to these words eventually; only combgpu__shared_add orders other
   memory. */
#if !defined(COMBGPU__THREADS)
#define COMBGPU__SHARED_LOAD(word) (*(word))
#define COMBGPU__SHARED_ACQUIRE(word) (*(word))
#define COMBGPU__SHARED_STORE(word, value) (void)(*(word) = (value))
#elif defined(__GNUC__)
#define COMBGPU__SHARED_LOAD(word) __atomic_load_n(word, __ATOMIC_RELAXED)
#define COMBGPU__SHARED_ACQUIRE(word) __atomic_load_n(word, __ATOMIC_ACQUIRE)
#define COMBGPU__SHARED_STORE(word, value) __atomic_store_n(word, value, __ATOMIC_RELEASE)
#else /* MSVC: aligned and volatile suffice */
#define COMBGPU__SHARED_LOAD(word) (*(word))
#define COMBGPU__SHARED_ACQUIRE(word) (*(word))
#define COMBGPU__SHARED_STORE(word, value) (void)(*(word) = (value))
#endif

COMBGPU__INLINE uint32_t combgpu__shared(const volatile uint32_t *word)
{
    return COMBGPU__SHARED_LOAD(word);
}

COMBGPU__INLINE int64_t combgpu__shared64(const volatile int64_t *word)
{
    return COMBGPU__SHARED_LOAD(word);
}

COMBGPU__INLINE void combgpu__shared64_set(volatile int64_t *word, int64_t value)
{
    COMBGPU__SHARED_STORE(word, value);
}

/* Adds and returns the previous value. */
COMBGPU__INLINE uint32_t combgpu__shared_add(volatile uint32_t *word, uint32_t more)
{
#if !defined(COMBGPU__THREADS)
    *word += more;
    return *word - more;
#elif defined(__GNUC__)
    return __atomic_fetch_add(word, more, __ATOMIC_ACQ_REL);
#else
    return (uint32_t)_InterlockedExchangeAdd((volatile long *)word, (long)more);
#endif
}

COMBGPU__INLINE void combgpu__shared_or(volatile uint32_t *word, uint32_t bits)
{
#if !defined(COMBGPU__THREADS)
    *word |= bits;
#elif defined(__GNUC__)
    __atomic_fetch_or(word, bits, __ATOMIC_RELAXED);
#else
    _InterlockedOr((volatile long *)word, (long)bits);
#endif
}

/* A lock, open when zero, for work of microseconds. */
typedef volatile uint32_t combgpu__lock;

COMBGPU__PRIVATE void combgpu__lock_take(combgpu__lock *lock);
COMBGPU__PRIVATE void combgpu__lock_free(combgpu__lock *lock);

/* The context's lock: loops hold it to call the caller's allocator, which need not be
   thread-safe. */
COMBGPU__PRIVATE combgpu__lock *combgpu__context_lock(combgpu_context *ctx);

/* A pass of a loop; `thread` is 0 for the caller, else a team thread's number. */
typedef void (*combgpu__pass)(void *user, int i, int thread);

/* Runs pass(user, i, thread) for i = 0 .. count-1, in any order, `chunk` passes at a time, on up to
   `threads` threads: the caller's, which makes pass 0, and the context's team, or fewer if the
   system gives fewer; within a loop of the same context only on the caller's. */
COMBGPU__PRIVATE void combgpu__loop(combgpu_context *ctx, int threads, int count, int chunk,
                                    combgpu__pass pass, void *user);
/* The same on threads created for this loop, with the system's stack size: for passes that call a
   driver. */
COMBGPU__PRIVATE void combgpu__loop_apart(combgpu_context *ctx, int count, combgpu__pass pass,
                                          void *user);
/* Ends the team. */
COMBGPU__PRIVATE void combgpu__team_close(combgpu_context *ctx);
