/* Families of permutations: k-permutations, multisets, derangements, combinations, Gray code, cycles.

       cc -O3 -fopenmp examples/families.c -o families
       nvcc -O3 -x cu -DCOMBGPU_CUDA examples/families.c -o families
       cc -O3 -DCOMBGPU_OPENCL examples/families.c -o families -lOpenCL

       ./families --family multiset --repeats "1 4 4 2"     MISSISSIPPI: 34,650 arrangements
       ./families --family derangement --n 5 --list
       ./families --family combination --n 49 --k 6 --unrank 13983815
       ./families --family gray --n 4 --rank "3 2 1 0" */
#define COMBGPU_IMPLEMENTATION
#define COMBGPU_ONLY_PERM
#include "../combgpu.h"

#include "common.h"

static const char help[] =
    "families - permutations and their relatives, each one once and in order\n\n"
    "  --family partial --n 9 --k 3        3 of 9 numbers, in any order\n"
    "  --family multiset --repeats \"2 1\"   0 twice, 1 once\n"
    "  --family derangement --n 5          permutations without a fixed point\n"
    "  --family combination --n 49 --k 6   6 of 49, ascending\n"
    "  --family gray --n 5                 permutations; two neighbours change places\n"
    "  --family cycle --n 6                permutations that are one cycle\n"
    "  --family circular --n 6             seats round a table\n"
    "  --family all --n 5                  permutations (the default)\n\n"
    "Makes all of them and says how many and how fast, or with:\n"
    "  --list              prints them\n"
    "  --unrank R          prints the one of rank R, from 0 on\n"
    "  --rank \"P\"          prints the rank of one\n"
    "  --fixed F           counts those with F places i that hold i\n\n"
    "Options:\n"
    "  --n N               numbers 0 .. N-1 (20, 21 or 64 at most)\n"
    "  --k K               how many of them\n"
    "  --repeats \"R\"       how often each number occurs, up to 64 numbers\n"
    "  --first R           begin at rank R (default: 0)\n"
    "  --count C           how many (default: all from there on)\n";

static const char *const families[] = {"all",         "partial", "multiset", "derangement",
                                       "combination", "gray",    "cycle",    "circular"};

static int print_rank(const combgpu_perm_set *set, const uint8_t *perm)
{
    combgpu_context *ctx = common_open("families");
    uint64_t rank = 0;
    combgpu_status status = combgpu_perm_set_rank(ctx, set, perm, &rank);
    if (status < 0) return common_failed(ctx, status);
    if (common.json) {
        json_string("status", "ok");
        json_u64("rank", rank);
    } else
        printf("%llu\n", (unsigned long long)rank);
    return common_end(ctx, NULL);
}

static int print_unranked(const combgpu_perm_set *set, uint64_t rank)
{
    combgpu_context *ctx = common_open("families");
    uint8_t perm[64];
    int length = 0;
    combgpu_status status = combgpu_perm_set_count(ctx, set, NULL, &length);
    if (!status) status = combgpu_perm_set_unrank(ctx, set, rank, perm);
    if (status < 0) return common_failed(ctx, status);
    if (common.json) json_string("status", "ok");
    common_print_numbers("member", perm, length);
    return common_end(ctx, NULL);
}

/* --list: in order, and so a piece after the other, each into memory. */
static int list(combgpu_context *ctx, combgpu_perm_desc *desc, uint64_t count, int length)
{
    static uint8_t perms[640000];
    const uint64_t piece = sizeof perms / 64;
    combgpu_perm_result result;
    combgpu_run_info total;
    uint64_t done = 0, i;
    memset(&total, 0, sizeof total);
    desc->out = perms;
    desc->out_bytes = sizeof perms;
    desc->solution = NULL;
    common.draws = 0; /* the list is progress enough */
    common.progress = COMMON_NONE;
    if (common.json) json_open("members", '[');
    while (done < count && !total.status) {
        combgpu_status status;
        desc->count = count - done < piece ? count - done : piece;
        status = combgpu_perm(ctx, desc, &result);
        if (status < 0) return common_failed(ctx, status);
        for (i = 0; i < desc->count && status == COMBGPU_OK; i++)
            common_print_numbers(NULL, perms + i * (unsigned)length, length);
        if (status == COMBGPU_OK) {
            done += desc->count;
            desc->first += desc->count;
        }
        total.status = common_stop() && done < count ? COMBGPU_STOPPED : status;
    }
    if (common.json) {
        json_close();
        json_u64("count", done);
        json_string("status", combgpu_status_string(total.status));
    }
    common.many_runs = 1;
    if (total.status == COMBGPU_STOPPED && !ferror(stdout))
        fprintf(stderr, "families: go on with --first %llu --count %llu\n",
                (unsigned long long)desc->first, (unsigned long long)(count - done));
    return common_end(ctx, &total);
}

/* The library's solution callback: `count` members of n bytes each, from `rank` on. */
static int use(uint64_t rank, const uint8_t *perms, uint64_t count, int n, void *user)
{
    (void)rank, (void)perms, (void)count, (void)n, (void)user;
    return 0; /* a program would use them here */
}

/* --fixed: on the device, without writing the members anywhere. */
COMBGPU_PERM_VISITOR(fixed_places, {
    int i, fixed = 0;
    for (i = 0; i < n; i++)
        fixed += perm[i] == i;
    return fixed == combgpu_data_i32(data, 0);
})

int main(int argc, char **argv)
{
    static uint8_t repeats[64], perm[64];
    combgpu_perm_desc desc;
    combgpu_perm_result result;
    combgpu_perm_set set;
    combgpu_context *ctx;
    combgpu_status status;
    uint64_t rank = 0, all = 0;
    int lists = 0, unranks = 0, ranked = 0, length = 0;
    int32_t fixed = -1;
    char speed[32];
    memset(&desc, 0, sizeof desc);
    memset(&set, 0, sizeof set);

    common_start(argc, argv, help);
    while (common_next())
        if (common_is("--family"))
            set.family = (combgpu_perm_family)common_choice(families, 8);
        else if (common_is("--n"))
            set.n = (int)common_number(1, 64);
        else if (common_is("--k"))
            set.k = (int)common_number(1, 64);
        else if (common_is("--repeats")) {
            set.n = common_numbers(repeats, 64, 64, "numbers like \"2 1 2\"");
            set.repeats = repeats;
        } else if (common_is("--first"))
            desc.first = common_number(0, UINT64_MAX);
        else if (common_is("--count"))
            desc.count = common_number(1, UINT64_MAX);
        else if (common_is("--list"))
            lists = 1;
        else if (common_is("--fixed"))
            fixed = (int32_t)common_number(0, 64);
        else if (common_is("--unrank")) {
            rank = common_number(0, UINT64_MAX);
            unranks = 1;
        } else if (common_is("--rank"))
            ranked = common_numbers(perm, 64, 63, "numbers like \"2 0 1\"");
        else
            common_unknown();
    if (unranks && ranked) common_usage("--rank and --unrank are both given");
    if (!set.n) common_usage("--n N or --repeats is needed; --help lists the options");
    if (unranks || ranked) common.context.backend = COMBGPU_BACKEND_CPU; /* nothing to search */
    if (unranks) return print_unranked(&set, rank);
    if (ranked) {
        if (!combgpu_perm_set_count(NULL, &set, NULL, &length) && length != ranked)
            common_usage("--rank has %d numbers; members have %d", ranked, length);
        return print_rank(&set, perm);
    }
    if (lists && fixed >= 0) common_usage("--list and --fixed are both given");
    if (lists &&
        (common.run.shard_count || common.run.checkpoint_path || common.run.time_limit_s > 0))
        common_usage("--list goes without --shard, --checkpoint and --time-limit; it has --first "
                     "and --count");
    ctx = common_open(families[set.family]);
    status = combgpu_perm_set_count(ctx, &set, &all, &length);
    if (status < 0) return common_failed(ctx, status);
    desc.set = &set;
    if (fixed < 0)
        desc.solution = use;
    else {
        desc.goal = COMBGPU_PERM_COUNT;
        desc.visitor = &fixed_places;
        desc.data = &fixed;
        desc.data_bytes = sizeof fixed;
    }
    desc.run = common.run;
    if (lists && desc.first < all && desc.count <= all - desc.first)
        return list(ctx, &desc, desc.count ? desc.count : all - desc.first, length);
    status = combgpu_perm(ctx, &desc, &result);
    if (status < 0) return common_failed(ctx, status);
    common_clear();
    if (common.json) {
        json_string("family", families[set.family]);
        json_u64("members", all);
        json_u64("count", result.visited);
        if (fixed >= 0) json_u64("hits", result.hits);
        json_run(&result.run);
    } else {
        common_short(result.run.seconds > 0 ? (double)result.visited / result.run.seconds : 0,
                     speed, sizeof speed);
        printf("%s: %s of ", families[set.family], common_commas(result.visited));
        printf("%s members%s, %s per second\n", common_commas(all),
               result.run.status == COMBGPU_STOPPED ? " so far" : "", speed);
        if (fixed >= 0) printf("%s have %d fixed places\n", common_commas(result.hits), (int)fixed);
        common_print_run(stdout, &result.run);
    }
    return common_end(ctx, &result.run);
}
