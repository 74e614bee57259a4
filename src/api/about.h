/*
combgpu.h - exact combinatorial search on CPU, CUDA and OpenCL. Version 0.3.0, MIT licence.

    magic squares | no-three-in-line | permutations | travelling salesman

CONTENTS (search for "SECTION n")
    SECTION  0  how to use this file, step by step                      documentation
    SECTION  1  common: status, context, devices, runs, jobs            public API
    SECTION  2  magic squares                                           public API
    SECTION  3  no-three-in-line                                        public API
    SECTION  4  permutations                                            public API
    SECTION  5  travelling salesman                                     public API
    SECTION 10  implementation: memory, messages, hashing, time         private
    SECTION 11  the engine: tasks, slices, stop, shards, checkpoints    private
    SECTION 12  the backends: CPU here; CUDA and OpenCL in the sidecars private
    SECTION 20  magic squares                                           private
    SECTION 21  magic squares, normal forms, estimates and order 6      private
    SECTION 30  no-three-in-line                                        private
    SECTION 40  permutations: ranks, and writing them on the CPU        private
    SECTION 41  families of permutations                                private
    SECTION 42  ranges of permutations: written or visited              private
    SECTION 43  a caller's search of permutations                       private
    SECTION 50  travelling salesman                                     private
    SECTION 51  travelling salesman: branch and bound                   private
    SECTION 52  travelling salesman: batches                            private
    SECTION 60  self-test

SECTION 0: HOW TO USE THIS FILE

1. In exactly one C or C++ file of your program:

        #define COMBGPU_IMPLEMENTATION
        #include "combgpu.h"

   Include it without the define everywhere else. It needs C99 or C++11 and only the C library.
   The CPU backend uses all cores. Link with -pthread on FreeBSD and with glibc before 2.34. Options,
   defined before that include:

        COMBGPU_CUDA        adds the CUDA backend; compile with nvcc -x cu (combgpu_cuda.cu and
                            combgpu_kernels.cl must lie beside this file)
        COMBGPU_OPENCL      adds the OpenCL 1.2 backend; link with -lOpenCL (combgpu_cl.c must lie
                            beside this file; the kernel text is embedded in it)
        COMBGPU_STATIC      makes every function static: each file may have a private copy. Define it
                            in a program of one file: compilers drop what that file does not call,
                            which takes most of the time, and most of the program's size
        COMBGPU_API         how public functions are declared, in every file alike: extern unless you
                            define it, for a DLL or with -fvisibility=hidden
        COMBGPU_ONLY_TSP    this search only; likewise COMBGPU_ONLY_MAGIC, _NO3 and _PERM; several may be
                            defined. Omits the other searches and their kernels: a smaller program
                            that compiles faster. A call of an omitted search does not link
        COMBGPU_NO_THREADS  the CPU backend uses one core, without threads
        COMBGPU_NO_STDIO    no files: checkpoints in memory only
        COMBGPU_NO_SELF_TEST    combgpu_self_test, run.self_test and run.verify are UNSUPPORTED. With
                            COMBGPU_STATIC, solvers that only the self-test calls are left out
        COMBGPU_NO_SIMD     no vector instructions beyond those of the compiler's options.
                            Without it, gcc and clang use AVX2 and AVX-512 where the CPU has them,
                            whatever those options say, and NEON on 64-bit ARM. The environment
                            variable COMBGPU_SIMD=none, avx2 (or neon) or avx512 chooses less when
                            a context opens; results are equal

2. Open a context, solve, close:

        combgpu_context *ctx;
        combgpu_context_desc desc = {0};            // zero is the default everywhere: best backend
                                                    // (C++ and nvcc: desc = {})
        if (combgpu_open(&ctx, &desc) != COMBGPU_OK) puts(combgpu_message(ctx));

        combgpu_magic_desc magic = {0};
        combgpu_magic_result result;
        magic.order = 4;
        if (combgpu_magic(ctx, &magic, &result) == COMBGPU_OK)
            printf("%llu squares\n", (unsigned long long)result.count);     // 7040

        combgpu_close(ctx);

   combgpu_no3, combgpu_perm and combgpu_tsp have the same form.

3. Every call returns a combgpu_status. Negative: it failed, and combgpu_message(ctx) gives
   argument, value and valid values in a sentence. COMBGPU_OK: the search is complete and its answer
   exact. COMBGPU_FOUND: it ended early at the caller's limit. COMBGPU_STOPPED: a callback or the
   time limit ended it; the result holds what is known so far.

4. A long run: set run.progress, run.time_limit_s, run.checkpoint_path, run.shard_index and
   run.shard_count in the description (combgpu_run_desc below); run.self_test and run.verify against
   devices that compute wrong results. Several devices: combgpu_context_desc.devices.
   combgpu_job_estimate tells how long a begun job will take, and the error.

5. A program with its own loop steps a job; a step takes about 50 ms:

        combgpu_job *job;
        if (combgpu_magic_begin(ctx, &magic, &job) == COMBGPU_OK) {
            while (combgpu_step(job) == COMBGPU_RUNNING) { ... draw a frame ... }
            combgpu_magic_end(job, &result);
        }

WHAT IS EXACT: counts, checksums, steps and optima are the same on every backend, with any number of
threads and shards, and after stops and resumes; only branch and bound's steps depend on the
threads. Solutions reach a callback in unspecified order.

THREADS: a context and its jobs belong to one thread at a time; different contexts are independent.
The only global state is a lock: OpenCL contexts open one at a time, as some drivers require. The
library never prints and never exits. The calling thread needs 96 KB of stack; no function takes
more than 16 KB. A context creates its threads, of 256 KB each, when a search first needs them; they
sleep between searches, and combgpu_close ends them. If the system grants fewer than requested, the
log says so. A forked child may use a CPU context: it creates its own threads. Close all contexts
before dlclose.

PLATFORMS: README.md has a table: Linux, macOS, the BSDs, Windows and WASI on x86-64, ARM, RISC-V
and s390x. Checkpoints move between all of them; those with numbers in combgpu_perm_desc.data, which
are compared as bytes, need equal byte order. On Windows paths are in the system's code page, and
builds by gcc lack SIMD, as gcc misaligns the stack. Systems without files keep checkpoints in
memory. Link-time optimisation and -ffast-math change no count; with -ffast-math NaN arguments pass
unchecked, and unrounded distances may differ in the last bit.

WHAT IT DOES NOT DO: heuristics without proof, approximate counts without a standard error, graph or
SAT problems, Windows services. Each search's description states its limits. */
