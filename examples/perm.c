/* Permutations: ranges of them in lexicographic order, rank, unrank, next.

       cc -O3 -fopenmp examples/perm.c -o perm
       nvcc -O3 -x cu -DCOMBGPU_CUDA examples/perm.c -o perm
       cc -O3 -DCOMBGPU_OPENCL examples/perm.c -o perm -lOpenCL

       ./perm --n 11                                 writes all 39,916,800 to memory
       ./perm --n 20 --first 1000000 --count 5 --list
       ./perm --n 30 --unrank 123456789012345678901234567890
       ./perm --rank "2 0 1" */
#define COMBGPU_IMPLEMENTATION
#include "../combgpu.h"

#include "common.h"

static const char help[] =
    "perm - permutations of 0 .. n-1 in lexicographic order\n\n"
    "  perm --n 11                   makes all n! and says how fast\n"
    "  perm --n 4 --list             prints them\n"
    "  perm --n 30 --unrank R        prints the permutation of rank R\n"
    "  perm --rank \"2 0 1\"           prints the rank of a permutation\n"
    "  perm --next \"2 0 1\"           prints the one after it\n\n"
    "Options:\n"
    "  --n N               elements, 1 to 20; with --unrank to 34\n"
    "  --first R           begin at rank R (default: 0)\n"
    "  --count C           how many (default: all from there on)\n"
    "  --list              print them\n"
    "  --unrank R          print the permutation of rank R, 0 to n!-1\n"
    "  --rank \"P\"          print the rank of the permutation P, up to 34 elements\n"
    "  --next \"P\"          print the permutation after P\n";

/* ---- 128-bit numbers in decimal digits */

static combgpu_u128 times_ten_plus(combgpu_u128 x, unsigned digit, int *overflow)
{
    uint64_t low = (x.lo & 0xffffffffu) * 10 + digit;
    uint64_t middle = (x.lo >> 32) * 10 + (low >> 32);
    uint64_t high = (x.hi & 0xffffffffu) * 10 + (middle >> 32);
    uint64_t top = (x.hi >> 32) * 10 + (high >> 32);
    *overflow |= (top >> 32) != 0;
    x.lo = middle << 32 | (low & 0xffffffffu);
    x.hi = top << 32 | (high & 0xffffffffu);
    return x;
}

static combgpu_u128 common_number128(const char *may_be)
{
    const char *text = common_text(may_be), *at;
    combgpu_u128 value = {0, 0};
    int overflow = !*text;
    for (at = text; *at; at++) {
        if (*at < '0' || *at > '9') overflow = 1;
        value = times_ten_plus(value, (unsigned)(*at - '0') % 10, &overflow);
    }
    if (overflow) common_wrong(text, may_be);
    return value;
}

static const char *text128(combgpu_u128 x)
{
    static char text[40];
    char *at = text + sizeof text - 1;
    *at = 0;
    do { /* divide by ten, 32 bits at a time */
        uint64_t words[4], rest = 0;
        int i;
        words[0] = x.hi >> 32, words[1] = x.hi & 0xffffffffu;
        words[2] = x.lo >> 32, words[3] = x.lo & 0xffffffffu;
        for (i = 0; i < 4; i++) {
            rest = rest << 32 | words[i];
            words[i] = rest / 10;
            rest %= 10;
        }
        x.hi = words[0] << 32 | words[1];
        x.lo = words[2] << 32 | words[3];
        *--at = (char)('0' + (int)rest);
    } while (x.hi || x.lo);
    return at;
}

/* ---- permutations as text */

/* "2 0 1" -> n numbers; the library checks that they are a permutation. */
static int parse_perm(const char *text, uint8_t *perm)
{
    int n = 0;
    const char *at = text + strspn(text, " ,");
    while (*at) {
        char word[8];
        size_t length = strcspn(at, " ,");
        uint64_t value = 0;
        if (length < sizeof word) memcpy(word, at, length);
        word[length < sizeof word ? length : 0] = 0;
        if (n == 34 || !common_parse_u64(word, &value) || value > 33)
            common_wrong(text, "a permutation of 0 .. n-1, like \"2 0 1\", n up to 34");
        perm[n++] = (uint8_t)value;
        at += length;
        at += strspn(at, " ,");
    }
    return n;
}

static void print_perm(const char *key, const uint8_t *perm, int n)
{
    int i;
    if (common.json) json_open(key, '[');
    for (i = 0; i < n; i++)
        if (common.json)
            json_u64(NULL, perm[i]);
        else
            printf("%d%s", perm[i], i == n - 1 ? "\n" : " ");
    if (common.json) json_close();
}

/* ---- rank, unrank, next: no search */

static int print_rank(const uint8_t *perm, int n)
{
    combgpu_u128 rank;
    combgpu_context *ctx = common_open("perm");
    combgpu_status status = combgpu_perm_rank128(ctx, n, perm, &rank);
    if (status < 0) return common_failed(ctx, status);
    if (common.json) {
        json_string("status", "ok");
        json_u64("n", (uint64_t)n);
        json_key("rank");
    }
    printf(common.json ? "%s" : "%s\n", text128(rank));
    return common_end(ctx, NULL);
}

static int print_unranked(int n, combgpu_u128 rank)
{
    uint8_t perm[34];
    combgpu_u128 all = combgpu_factorial(n);
    combgpu_context *ctx;
    combgpu_status status;
    if (rank.hi > all.hi || (rank.hi == all.hi && rank.lo >= all.lo))
        common_usage("--unrank: the rank must be below %d! = %s", n, text128(all));
    ctx = common_open("perm");
    status = combgpu_perm_unrank128(ctx, n, rank, perm);
    if (status < 0) return common_failed(ctx, status);
    if (common.json) {
        json_string("status", "ok");
        json_u64("n", (uint64_t)n);
    }
    print_perm("permutation", perm, n);
    return common_end(ctx, NULL);
}

/* The last permutation has no next one: exit status 1. */
static int print_next(uint8_t *perm, int n)
{
    combgpu_u128 rank;
    combgpu_context *ctx = common_open("perm");
    combgpu_status status = combgpu_perm_rank128(ctx, n, perm, &rank); /* is it a permutation? */
    int end, exists;
    if (status < 0) return common_failed(ctx, status);
    exists = combgpu_perm_next(n, perm);
    if (common.json) {
        json_string("status", "ok");
        json_u64("n", (uint64_t)n);
        json_bool("exists", exists);
    } else if (!exists) {
        printf("none: this is the last\n");
    }
    if (exists) print_perm("permutation", perm, n);
    end = common_end(ctx, NULL);
    return end ? end : !exists;
}

/* ---- ranges */

/* --list: in order, and so a piece after the other, each into memory. */
static int list(combgpu_perm_desc *desc, uint64_t count)
{
    static uint8_t perms[1000000];
    const uint64_t piece = sizeof perms / 20;
    combgpu_perm_result result;
    combgpu_run_info total;
    combgpu_status status;
    combgpu_context *ctx = common_open("perm");
    uint64_t done = 0, i;
    memset(&total, 0, sizeof total);
    desc->out = perms;
    desc->out_bytes = sizeof perms;
    common.draws = 0; /* the list is progress enough */
    desc->run = common.run;
    if (common.json) json_open("permutations", '[');
    while (done < count && total.status == COMBGPU_OK) {
        desc->count = count - done < piece ? count - done : piece;
        status = combgpu_perm(ctx, desc, &result);
        if (status < 0) return common_failed(ctx, status);
        if (status == COMBGPU_OK) {
            for (i = 0; i < desc->count; i++)
                print_perm(NULL, perms + i * (uint64_t)desc->n, desc->n);
            done += desc->count;
            desc->first += desc->count;
        }
        total.status = common_interrupted && done < count ? COMBGPU_STOPPED : status;
    }
    if (common.json) {
        json_close();
        json_u64("n", (uint64_t)desc->n);
        json_u64("count", done);
        json_string("status", combgpu_status_string(total.status));
    }
    common.many_runs = 1;
    if (total.status == COMBGPU_STOPPED)
        fprintf(stderr, "perm: go on with --first %llu --count %llu\n",
                (unsigned long long)desc->first, (unsigned long long)(count - done));
    return common_end(ctx, &total);
}

/* The library's solution callback: `count` permutations of n bytes each, from `rank` on. */
static int use(uint64_t rank, const uint8_t *perms, uint64_t count, int n, void *user)
{
    (void)rank, (void)perms, (void)count, (void)n, (void)user;
    return 0; /* a program would use them here */
}

static int run(combgpu_perm_desc *desc)
{
    combgpu_perm_result result;
    combgpu_status status;
    combgpu_context *ctx;
    char label[40], speed[32];
    double per_second;
    snprintf(label, sizeof label, "perm, n = %d", desc->n);
    ctx = common_open(label);
    desc->run = common.run;
    desc->solution = use;
    status = combgpu_perm(ctx, desc, &result);
    if (status < 0) return common_failed(ctx, status);
    common_clear();
    per_second = result.run.seconds > 0 ? (double)result.visited / result.run.seconds : 0;
    if (common.json) {
        json_u64("n", (uint64_t)desc->n);
        json_u64("first", desc->first);
        json_u64("count", result.visited);
        json_double("per_second", (double)(int64_t)per_second);
        json_run(&result.run);
    } else {
        common_short(per_second, speed, sizeof speed);
        printf("n = %d: %s permutations%s, %s per second\n", desc->n, common_commas(result.visited),
               result.run.status == COMBGPU_STOPPED ? " so far" : "", speed);
        common_print_run(stdout, &result.run);
    }
    return common_end(ctx, &result.run);
}

int main(int argc, char **argv)
{
    const char *given = NULL;
    combgpu_perm_desc desc;
    combgpu_u128 rank = {0, 0};
    uint64_t all;
    uint8_t perm[34];
    int lists = 0, unranks = 0, ranks = 0, nexts = 0, n = 0;
    memset(&desc, 0, sizeof desc);

    common_start(argc, argv, help);
    while (common_next())
        if (common_is("--n"))
            desc.n = (int)common_number(1, 34);
        else if (common_is("--first"))
            desc.first = common_number(0, UINT64_MAX);
        else if (common_is("--count"))
            desc.count = common_number(1, UINT64_MAX);
        else if (common_is("--list"))
            lists = 1;
        else if (common_is("--unrank")) {
            rank = common_number128("a whole number from 0 to n!-1");
            unranks = 1;
        } else if (common_is("--rank") || common_is("--next")) {
            ranks = common_is("--rank");
            nexts = !ranks;
            given = common_text("a permutation like \"2 0 1\"");
            n = parse_perm(given, perm);
        } else
            common_unknown();
    if (unranks || given) common.context.backend = COMBGPU_BACKEND_CPU; /* nothing to search */
    if (ranks) return print_rank(perm, n);
    if (nexts) return print_next(perm, n);
    if (!desc.n) common_usage("--n N is needed; --help lists the options");
    if (unranks) return print_unranked(desc.n, rank);
    if (desc.n > 20) common_usage("--n is %d; it may be 1 to 20, with --unrank to 34", desc.n);
    all = combgpu_factorial(desc.n).lo;
    if (desc.first >= all)
        common_usage("--first is %llu; with --n %d it may be 0 to %llu",
                     (unsigned long long)desc.first, desc.n, (unsigned long long)all - 1);
    all -= desc.first;
    if (desc.count > all)
        common_usage("--count is %llu; from --first %llu on it may be 1 to %llu",
                     (unsigned long long)desc.count, (unsigned long long)desc.first,
                     (unsigned long long)all);
    if (!lists) return run(&desc);
    if (common.run.shard_count || common.run.checkpoint_path || common.run.time_limit_s > 0)
        common_usage("--list goes without --shard, --checkpoint and --time-limit; it has --first "
                     "and --count");
    return list(&desc, desc.count ? desc.count : all);
}
