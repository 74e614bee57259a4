/* Any of the four searches on many machines, with MPI: shards are handed out one by one.

       mpicc -O3 -fopenmp examples/cluster_mpi.c -o cluster_mpi
       mpirun --enable-recovery -n 4 ./cluster_mpi no3 --n 14 --folder run14 --threads 1

   Each rank has its own backend and device, and takes the next shard when it is done with one: the
   shards are finer than the ranks, so that a slow rank holds nothing up. A shard is a checkpoint file
   in the folder, which all ranks must see. So nothing is lost that is older than a minute: a rank
   that dies costs its shard's last minute (with --enable-recovery the others go on, and one of them
   takes that shard; Open MPI 4.1 prints a harmless PMIX ERROR then), and the same command, with any number of ranks, goes on with a run that was
   ended. When all shards are done rank 0 adds them up. */
#define COMBGPU_IMPLEMENTATION
#include "../combgpu.h"

#include <mpi.h>

#include "common.h"

static const char help[] =
    "cluster_mpi - one search, shared among the ranks of an MPI job\n\n"
    "  cluster_mpi no3 --n N [--class NAME]    no three in line\n"
    "  cluster_mpi magic --order N [--kind K]  magic squares\n"
    "  cluster_mpi derangements --n N          permutations without a fixed point\n"
    "  cluster_mpi tsp FILE | --random N       travelling salesman by brute force\n\n"
    "Options:\n"
    "  --folder DIR        where the shards' checkpoints are kept; all ranks see it\n"
    "  --shards K          into how many parts (default: 64)\n"
    "  --backends A,B,...  the ranks' backends, in turn (default: that of --backend)\n"
    "  --silence S         a rank that says nothing for S seconds is lost (default: 60)\n"
    "  --save-every S      seconds between checkpoints of a shard (default: 60)\n";

COMBGPU_PERM_VISITOR(derangements, {
    int i;
    for (i = 0; i < n; i++)
        if (perm[i] == i) return 0;
    return 1;
})

/* ---- the searches */

typedef enum search_kind { NO3, MAGIC, DERANGEMENTS, TSP, SEARCHES } search_kind;
static const char *const names[] = {"no3", "magic", "derangements", "tsp"};
static const char *const kinds[] = {"normal", "semi", "pandiagonal", "associative", "ultramagic"};

static struct {
    search_kind kind;
    combgpu_no3_desc no3;
    combgpu_magic_desc magic;
    combgpu_perm_desc perm;
    combgpu_tsp_desc tsp;
    combgpu_tsp_instance instance;
} search;

static combgpu_status search_begin(combgpu_context *ctx, const combgpu_run_desc *run,
                                   combgpu_job **job)
{
    search.no3.run = search.magic.run = search.perm.run = search.tsp.run = *run;
    switch (search.kind) {
    case NO3:
        return combgpu_no3_begin(ctx, &search.no3, job);
    case MAGIC:
        return combgpu_magic_begin(ctx, &search.magic, job);
    case DERANGEMENTS:
        return combgpu_perm_begin(ctx, &search.perm, job);
    default:
        return combgpu_tsp_begin(ctx, &search.tsp, job);
    }
}

/* Ends the job; with `print` its result goes to standard output, and *info gets how it ran. */
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
    case NO3:
        if ((status = combgpu_no3_end(job, &no3)) < 0) return status;
        *info = no3.run;
        name[0] = "all", value[0] = no3.all;
        name[1] = "up_to_symmetry", value[1] = no3.up_to_symmetry;
        break;
    case MAGIC:
        if ((status = combgpu_magic_end(job, &magic)) < 0) return status;
        *info = magic.run;
        name[0] = "count", value[0] = magic.count;
        name[1] = "up_to_d4", value[1] = magic.up_to_d4;
        break;
    case DERANGEMENTS:
        if ((status = combgpu_perm_end(job, &perm)) < 0) return status;
        *info = perm.run;
        name[0] = "derangements", value[0] = perm.hits;
        name[1] = "visited", value[1] = perm.visited;
        break;
    default:
        if ((status = combgpu_tsp_end(job, &tsp)) < 0) return status;
        *info = tsp.run;
        name[0] = "tours", value[0] = tsp.tours;
        if (print && common.json)
            json_double("length", tsp.length);
        else if (print) {
            printf("tour of length %.15g:", tsp.length);
            for (i = 0; i < tsp.n; i++)
                printf(" %d", tsp.tour[i] + 1);
            printf("\n");
        }
    }
    for (i = 0; print && i < 3 && name[i]; i++) {
        if (common.json)
            json_u64(name[i], value[i]);
        else
            printf("%s%s %s", i ? ", " : "", common_commas(value[i]), name[i]);
    }
    if (print && common.json)
        json_run(info);
    else if (print) {
        printf("\n");
        common_print_run(stdout, info);
    }
    return status;
}

/* ---- the ranks */

enum { ASK, DONE, STOPPED, FAILED, ALIVE, WORK, WAIT, END }; /* tags; the number is a shard */

static struct {
    int rank, ranks, shards;
    double silence;
    const char *folder;
    /* rank 0: */
    int *holder;         /* of each shard: -1 = nobody, -2 = done, else a rank */
    int *failures;       /* of each shard */
    double *heard;       /* from each rank; negative = lost, and a message that it was */
    unsigned char *gone; /* of each rank: it has been told to end */
    int done, ended;     /* shards done; nonzero: hand out nothing more */
    double began, told;
} cluster;

static void tell(int rank, int tag, int number)
{
    MPI_Send(&number, 1, MPI_INT, rank, tag, MPI_COMM_WORLD);
}

static void shard_path(int shard, char *path, size_t size)
{
    snprintf(path, size, "%s/shard-%06d.ck", cluster.folder, shard);
}

/* The next shard for a rank: its own first, if it comes back. -1 = none is free now. */
static int next_shard(int rank)
{
    int i;
    for (i = 0; i < cluster.shards; i++)
        if (cluster.holder[i] == rank) return i;
    for (i = 0; i < cluster.shards; i++)
        if (cluster.holder[i] == -1) {
            cluster.holder[i] = rank;
            return i;
        }
    return -1;
}

/* Rank 0: a rank is lost, or has failed: its shards are free again. */
static void free_shards(int rank)
{
    int i;
    for (i = 0; i < cluster.shards; i++)
        if (cluster.holder[i] == rank) cluster.holder[i] = -1;
}

static void report_shard(int rank, int shard, const char *what)
{
    if (common.quiet) return;
    common_clear();
    fprintf(stderr, "cluster_mpi: shard %d/%d %s by rank %d; %d done, %.1f s\n", shard,
            cluster.shards, what, rank, cluster.done, combgpu__now() - cluster.began);
}

/* Rank 0: what a rank says. */
static void serve(int rank, int tag, int number)
{
    int shard;
    cluster.heard[rank] = combgpu__now();
    switch (tag) {
    case ASK:
        shard = cluster.ended || cluster.done == cluster.shards ? -1 : next_shard(rank);
        if (shard >= 0)
            tell(rank, WORK, shard);
        else if (cluster.ended || cluster.done == cluster.shards) {
            tell(rank, END, 0);
            cluster.gone[rank] = 1;
        } else
            tell(rank, WAIT, 0);
        break;
    case DONE:
        if (cluster.holder[number] != -2) cluster.done++;
        cluster.holder[number] = -2;
        report_shard(rank, number, "done");
        break;
    case STOPPED:
        if (cluster.holder[number] == rank) cluster.holder[number] = -1;
        cluster.ended = 1;
        break;
    case FAILED:
        free_shards(rank);
        report_shard(rank, number, "failed");
        if (++cluster.failures[number] >= 3) cluster.ended = 2;
        break;
    default:
        break;
    }
}

/* Rank 0: takes all messages that are there, and gives up ranks that are silent for too long. */
static void serve_all(void)
{
    double now = combgpu__now();
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
            fprintf(stderr, "cluster_mpi: rank %d has been silent for %.0f s: its shard is free\n",
                    i, now - cluster.heard[i]);
            cluster.heard[i] = -1;
            free_shards(i);
        }
}

/* Is a rank, not lost, still to be told that all is over? */
static int others_at_work(void)
{
    int i;
    for (i = 1; i < cluster.ranks; i++)
        if (!cluster.gone[i] && cluster.heard[i] >= 0) return 1;
    return 0;
}

static void nap(void)
{
    struct timespec time = {0, 20000000};
    nanosleep(&time, NULL);
}

/* While a shard is worked on: rank 0 serves the others, they say that they are alive. */
static int on_progress(const combgpu_progress *progress, void *user)
{
    double now = combgpu__now();
    (void)progress, (void)user;
    if (cluster.rank == 0)
        serve_all();
    else if (now - cluster.told > 1) {
        tell(0, ALIVE, 0);
        cluster.told = now;
    }
    return common_interrupted || cluster.ended;
}

/* Does a shard; returns the tag of what became of it. */
static int work(combgpu_context *ctx, int shard)
{
    combgpu_run_desc run = common.run;
    combgpu_run_info info;
    combgpu_status status;
    combgpu_job *job;
    char path[4200];
    shard_path(shard, path, sizeof path);
    run.shard_index = shard;
    run.shard_count = cluster.shards;
    run.checkpoint_path = path;
    run.resume = 1;
    run.progress = on_progress;
    run.progress_interval_s = 0.05;
    status = search_begin(ctx, &run, &job);
    if (!status) {
        do
            status = combgpu_step(job);
        while (status == COMBGPU_RUNNING);
        status = search_end(job, 0, &info);
    }
    if (status < 0)
        fprintf(stderr, "%s: shard %d: %s\n", common.program, shard, combgpu_message(ctx));
    return status == COMBGPU_OK ? DONE : status < 0 ? FAILED : STOPPED;
}

/* A rank's life: ask, work, tell. */
static void rank_work(combgpu_context *ctx)
{
    double asked = 0;
    int waiting = 0;
    for (;;) {
        MPI_Status from;
        int there = 0, number = 0;
        if (!waiting) {
            tell(0, ASK, 0);
            waiting = 1;
            asked = combgpu__now();
        }
        MPI_Iprobe(0, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &from);
        if (!there) {
            if (combgpu__now() - asked > 4 * cluster.silence) {
                fprintf(stderr, "%s: rank 0 does not answer\n", common.program);
                _exit(COMMON_EXIT_FAILED);
            }
            nap();
            continue;
        }
        MPI_Recv(&number, 1, MPI_INT, 0, from.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        waiting = 0;
        if (from.MPI_TAG == END) return;
        if (from.MPI_TAG == WORK)
            tell(0, work(ctx, number), number);
        else {
            struct timespec time = {0, 200000000};
            nanosleep(&time, NULL);
        }
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
            nap();
        serve_all();
    }
}

/* Rank 0: all shards' results as one. */
static combgpu_status merge(combgpu_context *ctx, combgpu_run_info *info)
{
    char(*paths)[4200] = (char(*)[4200])malloc((size_t)cluster.shards * sizeof *paths);
    const char **list = (const char **)malloc((size_t)cluster.shards * sizeof *list);
    combgpu_run_desc run;
    combgpu_status status;
    combgpu_job *job;
    int i;
    if (!paths || !list) common_usage("out of memory");
    for (i = 0; i < cluster.shards; i++) {
        shard_path(i, paths[i], sizeof *paths);
        list[i] = paths[i];
    }
    memset(&run, 0, sizeof run);
    run.merge_paths = list;
    run.merge_count = cluster.shards;
    status = search_begin(ctx, &run, &job);
    if (!status) {
        combgpu_step(job);
        status = search_end(job, 1, info);
    }
    free(paths);
    free(list);
    return status;
}

/* ---- the command line */

static const char *backend_list;

static void read_arguments(const char **file, int *random_cities)
{
    int n = 0, named = 0, order = 0;
    cluster.shards = 64;
    cluster.silence = 60;
    while (common_next())
        if (common_is_argument() && !named) {
            search.kind = (search_kind)common_choice(names, SEARCHES);
            named = 1;
        } else if (common_is("--n"))
            n = (int)common_number(1, 64);
        else if (common_is("--order"))
            order = (int)common_number(3, 6);
        else if (common_is("--class")) {
            const char *text = common_text("a symmetry class");
            int i;
            for (i = 0; i < COMBGPU_NO3_CLASS_COUNT; i++)
                if (!strcmp(text, combgpu_no3_class_string((combgpu_no3_class)i)))
                    search.no3.symmetry = (combgpu_no3_class)i;
            if (strcmp(text, combgpu_no3_class_string(search.no3.symmetry)))
                common_wrong(text, "all, rot2, rot4, ... as in no3 --help");
        } else if (common_is("--kind"))
            search.magic.kind = (combgpu_magic_kind)common_choice(kinds, 5);
        else if (common_is("--random"))
            *random_cities = (int)common_number(1, 16);
        else if (common_is("--folder"))
            cluster.folder = common_text("a folder");
        else if (common_is("--shards"))
            cluster.shards = (int)common_number(1, 1000000);
        else if (common_is("--backends"))
            backend_list = common_text("a list of backends");
        else if (common_is("--silence"))
            cluster.silence = common_decimal(1, 1e9, "seconds, at least 1");
        else if (common_is("--save-every"))
            common.run.checkpoint_interval_s = common_decimal(1e-3, 1e9, "seconds, more than 0");
        else if (common_is_argument() && search.kind == TSP && !*file)
            *file = common_text("a TSPLIB file");
        else
            common_unknown();
    if (!named) common_usage("which search? no3, magic, derangements or tsp");
    if (!cluster.folder || strlen(cluster.folder) > 4000) common_usage("--folder DIR is needed");
    if ((search.kind == NO3 || search.kind == DERANGEMENTS) && !n) common_usage("--n is needed");
    if (search.kind == MAGIC && !order) common_usage("--order is needed");
    if (search.kind == TSP && !*file == !*random_cities)
        common_usage("tsp needs a TSPLIB file or --random N, one of the two");
    search.no3.n = search.perm.n = n;
    search.magic.order = order;
    search.perm.goal = COMBGPU_PERM_COUNT;
    search.perm.visitor = &derangements;
    search.tsp.method = COMBGPU_TSP_BRUTE_FORCE;
    search.tsp.instance = &search.instance;
}

/* The rank's entry of --backends, and without --device its own device among those of its machine. */
static void choose_device(void)
{
    static const char *const backends[] = {"auto", "cpu", "cuda", "opencl"};
    MPI_Comm machine;
    int local = 0, count = 0, gpus = 0, i;
    combgpu_device devices[128];
    if (backend_list) {
        const char *at = backend_list;
        int entries = 1, entry;
        for (; *at; at++)
            entries += *at == ',';
        for (at = backend_list, entry = cluster.rank % entries; entry; entry--)
            at = strchr(at, ',') + 1;
        for (i = 0; i < 4; i++)
            if (strcspn(at, ",") == strlen(backends[i]) &&
                !strncmp(at, backends[i], strlen(backends[i])))
                break;
        if (i == 4)
            common_usage("--backends is \"%.60s\"; each may be auto, cpu, cuda or opencl",
                         backend_list);
        common.context.backend = (combgpu_backend)i;
    }
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
    MPI_Comm_rank(machine, &local);
    MPI_Comm_free(&machine);
    if (common.device_given || common.device_list) return;
    combgpu_devices(devices, 128, &count);
    for (i = 0; i < count && i < 128; i++)
        if (devices[i].is_gpu &&
            (devices[i].backend == common.context.backend ||
             (!common.context.backend && devices[i].backend == COMBGPU_BACKEND_CUDA)))
            gpus++;
    if (gpus) common.context.device = local % gpus;
}

static void finish(void)
{
    int begun = 0, ended = 0;
    MPI_Initialized(&begun);
    MPI_Finalized(&ended);
    if (begun && !ended) MPI_Finalize();
}

int main(int argc, char **argv)
{
    const char *file = NULL;
    combgpu_context *ctx;
    combgpu_run_info info;
    combgpu_status status = COMBGPU_OK;
    char name[40];
    int cities = 0, end, stderr_kept, i, lost = 0;
    MPI_Init(&argc, &argv);
    atexit(finish);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &cluster.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &cluster.ranks);

    common_start(argc, argv, help);
    common.many_runs = 1;
    stderr_kept = dup(STDERR_FILENO);
    if (cluster.rank && (!freopen("/dev/null", "w", stderr) || !freopen("/dev/null", "w", stdout)))
        return COMMON_EXIT_FAILED; /* what is wrong with the command line rank 0 says */
    read_arguments(&file, &cities);
    fflush(stderr);
    if (cluster.rank) {
        dup2(stderr_kept, STDERR_FILENO);
        setvbuf(stderr, NULL, _IONBF, 0); /* reopened, it keeps its lines back */
        snprintf(name, sizeof name, "cluster_mpi rank %d", cluster.rank);
        common.program = name;
    }
    if (mkdir(cluster.folder, 0777) && errno != EEXIST)
        common_usage("--folder %.200s cannot be made: %s", cluster.folder, strerror(errno));
    choose_device();

    ctx = common_open("cluster");
    if (search.kind == TSP) {
        status = file ? combgpu_tsp_read(ctx, file, &search.instance)
                      : common_random_tsp(ctx, cities, 1, &search.instance);
        if (status < 0) return common_failed(ctx, status);
    }
    if (!common.quiet) {
        combgpu_device device;
        combgpu_context_device(ctx, &device);
        fprintf(stderr, "cluster_mpi: rank %d is process %ld on %s (%s)\n", cluster.rank,
                (long)getpid(), combgpu_backend_string(device.backend), device.name);
    }
    cluster.began = combgpu__now();
    if (cluster.rank) {
        rank_work(ctx);
        combgpu_tsp_free(ctx, &search.instance);
        combgpu_close(ctx);
        _exit(COMMON_EXIT_OK); /* not MPI_Finalize: it would wait for a rank that is lost */
    }

    cluster.holder = (int *)malloc((size_t)cluster.shards * sizeof(int));
    cluster.failures = (int *)calloc((size_t)cluster.shards, sizeof(int));
    cluster.heard = (double *)malloc((size_t)cluster.ranks * sizeof(double));
    cluster.gone = (unsigned char *)calloc((size_t)cluster.ranks, 1);
    if (!cluster.holder || !cluster.failures || !cluster.heard || !cluster.gone)
        common_usage("out of memory");
    for (i = 0; i < cluster.shards; i++)
        cluster.holder[i] = -1;
    for (i = 0; i < cluster.ranks; i++)
        cluster.heard[i] = cluster.began;
    first_rank_work(ctx);
    for (i = 1; i < cluster.ranks; i++)
        lost += cluster.heard[i] < 0;
    if (lost) fprintf(stderr, "cluster_mpi: %d of %d ranks were lost\n", lost, cluster.ranks);
    if (cluster.done == cluster.shards) {
        status = merge(ctx, &info);
        end = status < 0 ? common_failed(ctx, status) : common_end(ctx, &info);
    } else {
        fprintf(stderr, "cluster_mpi: %s; %d of %d shards are done; the same command goes on\n",
                cluster.ended == 2 ? "a shard failed three times" : "stopped", cluster.done,
                cluster.shards);
        end = cluster.ended == 2 ? COMMON_EXIT_FAILED : COMMON_EXIT_STOPPED;
    }
    fflush(stdout);
    _exit(end);
}
