/* combgpu cluster: runs any of the four searches on many machines, with MPI: rank 0 hands out shards one
   by one.

       mpicc -O3 -DCOMBGPU_MPI examples/combgpu.c -o combgpu
       mpirun --enable-recovery -n 4 ./combgpu cluster no3 --n 14 --folder run14 --threads 1

   Each rank has its own backend and device, and takes the next shard when one is finished. There are
   more shards than ranks, so a slow rank delays nobody. A shard is a checkpoint file in the folder,
   which all ranks must see; a rank that dies costs its shard's last minute: with --enable-recovery
   another rank takes that shard (Open MPI 4.1 then prints a harmless PMIX ERROR). The same command,
   with any number of ranks, resumes a run. Rank 0 finally adds up the shards. */
#ifndef COMBGPU_EXAMPLES_CLUSTER_H
#define COMBGPU_EXAMPLES_CLUSTER_H

#include "combgpu_tsp.h"

#ifdef COMBGPU_MPI

#include <mpi.h>
#include <sys/stat.h>

COMBGPU_PERM_VISITOR(derangements, {
    int i;
    for (i = 0; i < n; i++)
        if (perm[i] == i) return 0;
    return 1;
})

/* ---- the searches */

static struct {
    int kind; /* COMMAND_NO3 ... */
    combgpu_no3_desc no3;
    combgpu_magic_desc magic;
    combgpu_perm_desc perm;
    combgpu_tsp_desc tsp;
    combgpu_tsp_instance instance;
} search;

static combgpu_status search_begin(combgpu_context *ctx, const combgpu_run_desc *desc,
                                   combgpu_job **job)
{
    search.no3.run = search.magic.run = search.perm.run = search.tsp.run = *desc;
    switch (search.kind) {
    case COMMAND_NO3:
        return combgpu_no3_begin(ctx, &search.no3, job);
    case COMMAND_MAGIC:
        return combgpu_magic_begin(ctx, &search.magic, job);
    case COMMAND_PERM:
        return combgpu_perm_begin(ctx, &search.perm, job);
    default:
        return combgpu_tsp_begin(ctx, &search.tsp, job);
    }
}

/* Ends the job; with `print`, prints its result, and *info gets how it ran. */
static combgpu_status search_end(combgpu_job *job, int print, combgpu_run_info *info)
{
    combgpu_no3_result no3;
    combgpu_magic_result magic;
    combgpu_perm_result perm;
    combgpu_tsp_result tsp;
    combgpu_status status;
    const char *name[3] = {NULL, NULL, NULL};
    uint64_t value[3] = {0, 0, 0};
    int i;
    memset(info, 0, sizeof *info);
    switch (search.kind) {
    case COMMAND_NO3:
        if ((status = combgpu_no3_end(job, &no3)) < 0) return status;
        *info = no3.run;
        name[0] = "all", value[0] = no3.all;
        name[1] = "up_to_symmetry", value[1] = no3.up_to_symmetry;
        break;
    case COMMAND_MAGIC:
        if ((status = combgpu_magic_end(job, &magic)) < 0) return status;
        *info = magic.run;
        name[0] = "count", value[0] = magic.count;
        name[1] = "up_to_d4", value[1] = magic.up_to_d4;
        break;
    case COMMAND_PERM:
        if ((status = combgpu_perm_end(job, &perm)) < 0) return status;
        *info = perm.run;
        name[0] = "derangements", value[0] = perm.hits;
        name[1] = "visited", value[1] = perm.visited;
        break;
    default:
        if ((status = combgpu_tsp_end(job, &tsp)) < 0) return status;
        *info = tsp.run;
        name[0] = "tours", value[0] = tsp.tours;
        if (print) tell_double("length", "tour of length %.15g:", tsp.length);
        for (i = 0; print && i < tsp.n; i++)
            say(" %d", tsp.tour[i] + 1);
        if (print) say("\n");
    }
    if (!print) return status;
    for (i = 0; i < 3 && name[i]; i++) {
        tell_u64(name[i], i ? ", %s " : "%s ", value[i]);
        say("%s", name[i]);
    }
    say("\n");
    tell_run(info);
    return status;
}

/* ---- the ranks */

enum {
    TAG_ASK,
    TAG_DONE,
    TAG_STOPPED,
    TAG_FAILED,
    TAG_ALIVE,
    TAG_WORK,
    TAG_WAIT,
    TAG_END
}; /* tags; the number is a shard */

static struct {
    int ranks, shards, stderr_kept;
    double silence;
    const char *folder;
    /* rank 0: */
    int *holder;   /* of each shard: -1 = nobody, -2 = done, else a rank */
    int *failures; /* of each shard; see fail_shard */
    double *later; /* of each shard: not handed out before this time; 0 = no silent rank had it */
    double *heard; /* of each rank; negative = lost, and reported so */
    unsigned char *gone; /* of each rank: told to end */
    int done, ended;     /* shards done; nonzero: hand out nothing more */
    double began, told;
    int status; /* for exit */
} cluster;

static void tell(int rank, int tag, int number)
{
    MPI_Send(&number, 1, MPI_INT, rank, tag, MPI_COMM_WORLD);
}

static void shard_path(int shard, char *path, size_t size)
{
    snprintf(path, size, "%s/shard-%06d.ck", cluster.folder, shard);
}

/* The next shard for a rank: its own first if the rank returns. -1 = none is free now. */
static int next_shard(int rank)
{
    int i;
    for (i = 0; i < cluster.shards; i++)
        if (cluster.holder[i] == rank) return i;
    for (i = 0; i < cluster.shards; i++)
        if (cluster.holder[i] == -1 && cluster.later[i] <= MPI_Wtime()) {
            cluster.holder[i] = rank;
            return i;
        }
    return -1;
}

/* Rank 0: frees the shards of a silent rank. */
static void free_shards(int rank)
{
    int i;
    for (i = 0; i < cluster.shards; i++)
        if (cluster.holder[i] == rank) {
            cluster.holder[i] = -1;
            cluster.later[i] = MPI_Wtime();
        }
}

/* Rank 0: a shard has failed. A silent rank, or a server on its behalf, may still lock its shard, which gets
   twelve tries, a while apart; others get three. */
static void fail_shard(int rank, int shard)
{
    const int taken = cluster.later[shard] > 0;
    if (cluster.holder[shard] == rank) cluster.holder[shard] = -1;
    if (taken) cluster.later[shard] = MPI_Wtime() + cluster.silence;
    cluster.failures[shard] += taken ? 1 : 4;
    if (cluster.failures[shard] >= 12) cluster.ended = 2;
}

static void report_shard(int rank, int shard, const char *what)
{
    if (given(OPTION_QUIET)) return;
    terminal_clear();
    fprintf(stderr, "%s: shard %d/%d %s by rank %d; %d done, %.1f s\n", cmd.program, shard,
            cluster.shards, what, rank, cluster.done, MPI_Wtime() - cluster.began);
}

/* Rank 0: returns the number of lost ranks. */
static int ranks_lost(void)
{
    int i, lost = 0;
    for (i = 1; i < cluster.ranks; i++)
        lost += cluster.heard[i] < 0;
    return lost;
}

/* Rank 0: handles a message. */
static void serve(int rank, int tag, int number)
{
    int shard;
    cluster.heard[rank] = MPI_Wtime();
    switch (tag) {
    case TAG_ASK:
        shard = cluster.ended || cluster.done == cluster.shards ? -1 : next_shard(rank);
        if (shard >= 0)
            tell(rank, TAG_WORK, shard);
        else if (cluster.ended || cluster.done == cluster.shards) {
            tell(rank, TAG_END, ranks_lost());
            cluster.gone[rank] = 1;
        } else
            tell(rank, TAG_WAIT, 0);
        break;
    case TAG_DONE:
        if (cluster.holder[number] != -2) cluster.done++;
        cluster.holder[number] = -2;
        report_shard(rank, number, "done");
        break;
    case TAG_STOPPED:
        if (cluster.holder[number] == rank) cluster.holder[number] = -1;
        if (!cluster.ended) cluster.ended = 1;
        break;
    case TAG_FAILED:
        fail_shard(rank, number);
        report_shard(rank, number, "failed");
        break;
    case TAG_ALIVE: /* with its shard, which a silent rank had lost */
        if (cluster.holder[number] == -1) cluster.holder[number] = rank;
        break;
    default:
        break;
    }
}

/* Rank 0: handles all waiting messages and gives up ranks silent for too long. */
static void serve_all(void)
{
    double now = MPI_Wtime();
    int i;
    for (;;) {
        MPI_Status from;
        int there = 0, number;
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &from);
        if (!there) break;
        MPI_Recv(&number, 1, MPI_INT, from.MPI_SOURCE, from.MPI_TAG, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        serve(from.MPI_SOURCE, from.MPI_TAG, number);
    }
    for (i = 1; i < cluster.ranks; i++)
        if (!cluster.gone[i] && cluster.heard[i] >= 0 && now - cluster.heard[i] > cluster.silence) {
            fprintf(stderr, "%s: rank %d has been silent for %.0f s: its shard is free\n",
                    cmd.program, i, now - cluster.heard[i]);
            cluster.heard[i] = -1;
            free_shards(i);
        }
}

/* Nonzero while a live rank has not been told to end. */
static int others_at_work(void)
{
    int i;
    for (i = 1; i < cluster.ranks; i++)
        if (!cluster.gone[i] && cluster.heard[i] >= 0) return 1;
    return 0;
}

static void nap(long milliseconds)
{
    struct timespec time;
    time.tv_sec = 0;
    time.tv_nsec = milliseconds * 1000000;
    nanosleep(&time, NULL);
}

/* Called during work on a shard: rank 0 serves the others, which report that they live. */
static int on_progress(const combgpu_progress *progress, void *user)
{
    double now = MPI_Wtime();
    (void)progress;
    if (cmd.rank == 0)
        serve_all();
    else if (now - cluster.told > (cluster.silence < 4 ? cluster.silence / 4 : 1)) {
        tell(0, TAG_ALIVE, *(const int *)user);
        cluster.told = now;
    }
    return interrupted || cluster.ended;
}

/* Returns whether --time-limit, which covers the whole run, leaves time; if so, sets *seconds to it, or to
   0 for no limit. */
static int cluster_time_left(double *seconds)
{
    *seconds = run.desc.time_limit_s;
    if (*seconds <= 0) return 1;
    *seconds -= MPI_Wtime() - cluster.began;
    return *seconds > 0;
}

/* Does a shard. Returns the tag of its report. */
static int work(combgpu_context *ctx, int shard)
{
    combgpu_run_desc desc = run.desc;
    combgpu_run_info info;
    combgpu_status status;
    combgpu_job *job;
    char path[4200];
    shard_path(shard, path, sizeof path);
    desc.shard_index = shard;
    desc.shard_count = cluster.shards;
    if (!cluster_time_left(&desc.time_limit_s)) return TAG_STOPPED;
    desc.checkpoint_path = path;
    desc.resume = 1;
    desc.progress = on_progress;
    desc.progress_user = &shard;
    desc.progress_interval_s = 0.05;
    status = search_begin(ctx, &desc, &job);
    if (!status) {
        do
            status = combgpu_step(job);
        while (status == COMBGPU_RUNNING);
        status = search_end(job, 0, &info);
    }
    if (status < 0) fprintf(stderr, "%s: shard %d: %s\n", cmd.program, shard, combgpu_message(ctx));
    return status == COMBGPU_OK ? TAG_DONE : status < 0 ? TAG_FAILED : TAG_STOPPED;
}

/* A rank's life: ask, work, report. Returns how many ranks are lost at its end. */
static int rank_work(combgpu_context *ctx)
{
    double asked = 0;
    int waiting = 0;
    for (;;) {
        MPI_Status from;
        int there = 0, number = 0;
        if (!waiting) {
            tell(0, TAG_ASK, 0);
            waiting = 1;
            asked = MPI_Wtime();
        }
        MPI_Iprobe(0, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &from);
        if (!there) {
            if (MPI_Wtime() - asked > 4 * cluster.silence) {
                fprintf(stderr, "%s: rank 0 does not answer\n", cmd.program);
                _exit(EXIT_FAILED);
            }
            nap(20);
            continue;
        }
        MPI_Recv(&number, 1, MPI_INT, 0, from.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        waiting = 0;
        if (from.MPI_TAG == TAG_END) return number;
        if (from.MPI_TAG == TAG_WORK)
            tell(0, work(ctx, number), number);
        else
            nap(200);
    }
}

/* Rank 0 works too, and serves the others until all of them have been told to end. */
static void first_rank_work(combgpu_context *ctx)
{
    while (cluster.done < cluster.shards || others_at_work()) {
        int shard = cluster.ended || cluster.done == cluster.shards ? -1 : next_shard(0);
        if (shard >= 0)
            serve(0, work(ctx, shard), shard);
        else if (cluster.ended && !others_at_work())
            return;
        else
            nap(20);
        serve_all();
    }
}

/* Rank 0: merges the results of all shards. */
static combgpu_status merge_shards(combgpu_context *ctx, combgpu_run_info *info)
{
    char(*paths)[4200] = (char(*)[4200])malloc((size_t)cluster.shards * sizeof *paths);
    const char **files = (const char **)malloc((size_t)cluster.shards * sizeof *files);
    combgpu_run_desc desc;
    combgpu_status status;
    combgpu_job *job;
    int i;
    if (!paths || !files) usage("out of memory");
    for (i = 0; i < cluster.shards; i++) {
        shard_path(i, paths[i], sizeof *paths);
        files[i] = paths[i];
    }
    memset(&desc, 0, sizeof desc);
    desc.merge_paths = files;
    desc.merge_count = cluster.shards;
    status = search_begin(ctx, &desc, &job);
    if (!status) {
        combgpu_step(job);
        status = search_end(job, 1, info);
    }
    free(paths);
    free(files);
    return status;
}

/* ---- the command line */

/* `combgpu cluster no3 ...`: cmd.argv[2] is the search; its options follow. */
static void read_cluster_options(void)
{
    const char *name = cmd.argc > 2 ? cmd.argv[2] : "";
    int i, n;
    search.kind = -1;
    for (i = 0; i < COMMAND_COUNT; i++)
        if (!strcmp(name, command_names[i]) && (ON_NO3 | ON_MAGIC | ON_PERM | ON_TSP) >> i & 1)
            search.kind = i;
    if (search.kind < 0) usage("which search? cluster no3, magic, perm or tsp");
    cluster.shards = (int)number_of(OPTION_SHARDS, 64);
    cluster.silence = decimal_of(OPTION_SILENCE, 60);
    cluster.folder = text_of(OPTION_FOLDER);
    if (!cluster.folder || strlen(cluster.folder) > 4000) usage("--folder DIR is needed");
    n = int_of(OPTION_N, 1, search.kind == COMMAND_NO3 ? 128 : 64, 0);
    if ((search.kind == COMMAND_NO3 || search.kind == COMMAND_PERM) && !n) usage("--n N is needed");
    search.no3.n = search.perm.n = n;
    i = (int)number_of(OPTION_CLASS, 0);
    search.no3.symmetry = i ? (combgpu_no3_class)(i + 1) : COMBGPU_NO3_ALL;
    search.magic.order = int_of(OPTION_ORDER, 1, 6, 0);
    search.magic.kind = (combgpu_magic_kind)number_of(OPTION_KIND, 0);
    if (search.kind == COMMAND_MAGIC && !search.magic.order) usage("--order N is needed");
    if (search.kind == COMMAND_TSP && !cmd.argument == !given(OPTION_RANDOM))
        usage("cluster tsp needs either a TSPLIB file or --random N");
    search.perm.goal = COMBGPU_PERM_COUNT;
    search.perm.visitor = &derangements;
    search.tsp.method = COMBGPU_TSP_BRUTE_FORCE;
    search.tsp.instance = &search.instance;
}

/* Chooses the rank's entry of --backends and, without --device, a device of its machine. */
static void choose_device(void)
{
    static const char *const backends[] = {"auto", "cpu", "cuda", "opencl"};
    const char *wanted = text_of(OPTION_BACKENDS);
    MPI_Comm machine;
    int local = 0, count = 0, gpus = 0, i;
    combgpu_device devices[128];
    if (wanted) {
        const char *at = wanted;
        int entries = 1, entry;
        for (; *at; at++)
            entries += *at == ',';
        for (at = wanted, entry = cmd.rank % entries; entry; entry--)
            at = strchr(at, ',') + 1;
        for (i = 0; i < 4; i++)
            if (strcspn(at, ",") == strlen(backends[i]) &&
                !strncmp(at, backends[i], strlen(backends[i])))
                break;
        if (i == 4) usage("--backends is \"%.60s\"; each may be auto, cpu, cuda or opencl", wanted);
        run.context.backend = (combgpu_backend)i;
    }
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
    MPI_Comm_rank(machine, &local);
    MPI_Comm_free(&machine);
    if (given(OPTION_DEVICE) || given(OPTION_DEVICES)) return;
    combgpu_devices(devices, 128, &count);
    for (i = 0; i < count && i < 128; i++)
        if (devices[i].is_gpu &&
            (devices[i].backend == run.context.backend ||
             (!run.context.backend && devices[i].backend == COMBGPU_BACKEND_CUDA)))
            gpus++;
    if (gpus) run.context.device = local % gpus;
}

static void cluster_finalize(void)
{
    int begun = 0, ended = 0;
    MPI_Initialized(&begun);
    MPI_Finalized(&ended);
    if (begun && !ended) MPI_Finalize();
}

/* Runs before reading the command line, because only rank 0 reports errors in it. */
static void cluster_begin(void)
{
    MPI_Init(&cmd.argc, &cmd.argv);
    atexit(cluster_finalize);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &cmd.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &cluster.ranks);
    cluster.stderr_kept = dup(STDERR_FILENO);
    if (cmd.rank && (!freopen("/dev/null", "w", stderr) || !freopen("/dev/null", "w", stdout)))
        exit(EXIT_FAILED);
}

/* The arrays of rank 0. */
static void begin_serving(void)
{
    int i;
    cluster.holder = (int *)malloc((size_t)cluster.shards * sizeof(int));
    cluster.failures = (int *)calloc((size_t)cluster.shards, sizeof(int));
    cluster.later = (double *)calloc((size_t)cluster.shards, sizeof(double));
    cluster.heard = (double *)malloc((size_t)cluster.ranks * sizeof(double));
    cluster.gone = (unsigned char *)calloc((size_t)cluster.ranks, 1);
    if (!cluster.holder || !cluster.failures || !cluster.later || !cluster.heard || !cluster.gone)
        usage("out of memory");
    for (i = 0; i < cluster.shards; i++)
        cluster.holder[i] = -1;
    for (i = 0; i < cluster.ranks; i++)
        cluster.heard[i] = cluster.began;
}

/* Prints the end of the run on rank 0. Returns the exit status. */
static int end_serving(combgpu_context *ctx)
{
    combgpu_run_info info;
    combgpu_status status;
    int lost = ranks_lost();
    if (lost) fprintf(stderr, "%s: %d of %d ranks were lost\n", cmd.program, lost, cluster.ranks);
    if (cluster.done == cluster.shards) {
        status = merge_shards(ctx, &info);
        return status < 0 ? failed(ctx, status) : finish(ctx, &info);
    }
    fprintf(stderr, "%s: %s; %d of %d shards are done; the same command resumes\n", cmd.program,
            cluster.ended == 2 ? "a shard failed again and again" : "stopped", cluster.done,
            cluster.shards);
    json_string("status", cluster.ended == 2 ? "failed" : "stopped");
    json_u64("shards", (uint64_t)cluster.shards);
    json_u64("shards_done", (uint64_t)cluster.done);
    json_end();
    return cluster.ended == 2 ? EXIT_FAILED : EXIT_STOPPED;
}

static void on_alarm(int number)
{
    (void)number;
    _exit(cluster.status);
}

/* Ends the process. Without MPI_Finalize mpirun reports a failure, and may kill working ranks. It waits
   for all ranks, but for a limited time: one may still be lost, and the first merges the shards. */
static void leave(int status, int lost)
{
    cluster.status = flush_output() && status == EXIT_OK ? EXIT_FAILED : status;
    if (!lost) {
        signal(SIGALRM, on_alarm);
        alarm(cluster.silence < 900 ? 4 * (unsigned)cluster.silence + 1 : 3600);
        MPI_Finalize();
    }
    _exit(cluster.status);
}

static int command_cluster(void)
{
    combgpu_context *ctx;
    combgpu_device device;
    combgpu_status status;
    int lost, end;
    run.many = 1;
    read_cluster_options();
    fflush(stderr);
    if (cmd.rank) {
        dup2(cluster.stderr_kept, STDERR_FILENO);
        setvbuf(stderr, NULL, _IONBF, 0); /* reopened, it keeps its lines back */
    }
    if (mkdir(cluster.folder, 0777) && errno != EEXIST)
        usage("--folder %.200s cannot be made: %s", cluster.folder, strerror(errno));
    choose_device();
    ctx = open_context("cluster");
    if (search.kind == COMMAND_TSP) {
        status = tsp_instance(ctx, &search.instance);
        if (status < 0) return failed(ctx, status);
        if (search.instance.ready || search.instance.before_count || search.instance.fixed_count)
            usage("%s has time windows, precedence or fixed edges, which cluster tsp (brute force) "
                  "cannot keep",
                  cmd.argument);
    }
    combgpu_context_device(ctx, &device);
    if (!given(OPTION_QUIET))
        fprintf(stderr, "%s: rank %d is process %ld on %s (%s)\n", cmd.program, cmd.rank,
                (long)getpid(), combgpu_backend_string(device.backend), device.name);
    cluster.began = MPI_Wtime();
    if (cmd.rank) {
        lost = rank_work(ctx);
        combgpu_tsp_free(ctx, &search.instance);
        combgpu_close(ctx);
        leave(EXIT_OK, lost);
    }
    begin_serving();
    first_rank_work(ctx);
    end = end_serving(ctx);
    leave(end, ranks_lost());
    return end;
}

#else

static int command_cluster(void)
{
    usage("cluster needs MPI: mpicc -O3 -DCOMBGPU_MPI examples/combgpu.c -o combgpu");
}

#endif

#endif
