/* Permutations: ranges of them in lexicographic order, rank, unrank, next.

       cc -O3 -fopenmp examples/perm.c -o perm
       nvcc -O3 -x cu -DCOMBGPU_CUDA examples/perm.c -o perm
       cc -O3 -DCOMBGPU_OPENCL examples/perm.c -o perm -lOpenCL

       ./perm --n 11                                 hands all 39,916,800 to a function
       ./perm --n 12 --to device                     writes them to the device's memory
       ./perm --n 20 --first 1000000 --count 5 --list
       ./perm --items "red green blue" --list
       ./perm --n 30 --unrank 123456789012345678901234567890
       ./perm --rank "2 0 1" */
#define COMBGPU_IMPLEMENTATION
#define COMBGPU_ONLY_PERM
#include "../combgpu.h"

#include "common.h"

static const char help[] =
    "perm - permutations of 0 .. n-1 in lexicographic order\n\n"
    "  perm --n 11                   makes all n! and says how fast\n"
    "  perm --n 4 --list             prints them\n"
    "  perm --n 30 --unrank R        prints the permutation of rank R\n"
    "  perm --rank \"2 0 1\"           prints the rank of a permutation\n"
    "  perm --next \"2 0 1\"           prints the one after it\n"
    "  perm --n 9 --random SEED      prints a random permutation\n\n"
    "Options:\n"
    "  --n N               elements, 1 to 34\n"
    "  --first R           begin at rank R, 0 to n!-1 (default: 0)\n"
    "  --count C           how many (default: all from there on; n > 20 needs it)\n"
    "  --list              print them\n"
    "  --to WHERE          chunks: hand them to a function (default); host: write\n"
    "                      them to memory; device: to its memory. These two say how\n"
    "                      fast the same memory can be filled\n"
    "  --item-bytes B      write each element as 1, 2, 4 or 8 bytes (default: 1)\n"
    "  --items \"A B ...\"   print these words in place of 0 .. n-1; needs --list\n"
    "  --random SEED       print random permutations, --count of them (default: 1),\n"
    "                      from number --first on of the stream SEED\n"
    "  --unrank R          print the permutation of rank R, 0 to n!-1\n"
    "  --rank \"P\"          print the rank of the permutation P, up to 34 elements\n"
    "  --next \"P\"          print the permutation after P\n"
    "  --previous \"P\"      print the permutation before P\n"
    "  --inverse \"P\"       print the inverse of P\n"
    "  --parity \"P\"        print even or odd\n";

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

static int is_below(combgpu_u128 a, combgpu_u128 b)
{
    return a.hi < b.hi || (a.hi == b.hi && a.lo < b.lo);
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

/* ---- what is done with single permutations: no search */

/* The last permutation has no next one, the first none before it: exit status 1. */
static int print_single(int what, uint8_t *perm, int n)
{
    combgpu_u128 rank;
    combgpu_context *ctx = common_open("perm");
    combgpu_status status = combgpu_perm_rank128(ctx, n, perm, &rank); /* is it a permutation? */
    int odd = 0, end, exists = 1;
    if (status < 0) return common_failed(ctx, status);
    if (common.json) {
        json_string("status", "ok");
        json_u64("n", (uint64_t)n);
    }
    if (what == 'r') {
        if (common.json) json_key("rank");
        printf(common.json ? "%s" : "%s\n", text128(rank));
    } else if (what == 'y') {
        combgpu_perm_parity(ctx, n, perm, &odd);
        if (common.json)
            json_string("parity", odd ? "odd" : "even");
        else
            printf("%s\n", odd ? "odd" : "even");
    } else {
        if (what == 'i')
            combgpu_perm_inverse(ctx, n, perm, perm);
        else {
            exists = what == 'p' ? combgpu_perm_previous(n, perm) : combgpu_perm_next(n, perm);
            if (common.json) json_bool("exists", exists);
        }
        if (exists)
            common_print_numbers("permutation", perm, n);
        else if (!common.json)
            printf("none: this is the %s\n", what == 'p' ? "first" : "last");
    }
    end = common_end(ctx, NULL);
    return end ? end : !exists;
}

static int print_unranked(int n, combgpu_u128 rank)
{
    uint8_t perm[34];
    combgpu_context *ctx = common_open("perm");
    combgpu_status status = combgpu_perm_unrank128(ctx, n, rank, perm);
    if (status < 0) return common_failed(ctx, status);
    if (common.json) {
        json_string("status", "ok");
        json_u64("n", (uint64_t)n);
    }
    common_print_numbers("permutation", perm, n);
    return common_end(ctx, NULL);
}

static int print_random(int n, uint64_t seed, uint64_t index, uint64_t count)
{
    uint8_t perm[34];
    combgpu_context *ctx = common_open("perm");
    uint64_t i;
    if (common.json) {
        json_string("status", "ok");
        json_u64("n", (uint64_t)n);
        json_u64("seed", seed);
        json_open("permutations", '[');
    }
    for (i = 0; i < count && !common_stop(); i++) {
        combgpu_status status = combgpu_perm_random(ctx, n, seed, index + i, perm);
        if (status < 0) return common_failed(ctx, status);
        common_print_numbers(NULL, perm, n);
    }
    if (common.json) json_close();
    return common_end(ctx, NULL);
}

/* ---- ranges */

/* One permutation of words: the library wrote pointers to them. */
static void print_words(const char *const *words, int n)
{
    int i;
    if (common.json) json_open(NULL, '[');
    for (i = 0; i < n; i++)
        if (common.json)
            json_string(NULL, words[i]);
        else
            printf("%s%s", words[i], i == n - 1 ? "\n" : " ");
    if (common.json) json_close();
}

/* --list: in order, and so a piece after the other, each into memory. words: NULL or n words. */
static int list(combgpu_perm_desc *desc, uint64_t count, const char *const *words)
{
    static const char *memory[130000];
    const uint64_t piece = sizeof memory / (34 * sizeof *memory);
    combgpu_perm_result result;
    combgpu_run_info total;
    combgpu_status status;
    combgpu_context *ctx = common_open("perm");
    uint64_t done = 0, i;
    size_t n = (size_t)desc->n;
    memset(&total, 0, sizeof total);
    desc->out = memory;
    desc->out_bytes = sizeof memory;
    desc->items = words;
    desc->item_bytes = words ? (int)sizeof *words : 1;
    common.draws = 0; /* the list is progress enough */
    common.progress = COMMON_NONE;
    desc->run = common.run;
    if (common.json) json_open("permutations", '[');
    while (done < count && total.status == COMBGPU_OK) {
        desc->count = count - done < piece ? count - done : piece;
        status = combgpu_perm(ctx, desc, &result);
        if (status < 0) return common_failed(ctx, status);
        if (status == COMBGPU_OK) {
            for (i = 0; i < desc->count; i++)
                if (words)
                    print_words(memory + i * n, desc->n);
                else
                    common_print_numbers(NULL, (const uint8_t *)memory + i * n, desc->n);
            done += desc->count;
            desc->first += desc->count;
            desc->first_hi += desc->first < desc->count;
        }
        total.status = common_stop() && done < count ? COMBGPU_STOPPED : status;
    }
    if (common.json) {
        json_close();
        json_u64("n", (uint64_t)desc->n);
        json_u64("count", done);
        json_string("status", combgpu_status_string(total.status));
    }
    common.many_runs = 1;
    if (total.status == COMBGPU_STOPPED && !ferror(stdout)) {
        combgpu_u128 first;
        first.lo = desc->first, first.hi = desc->first_hi;
        fprintf(stderr, "perm: go on with --first %s --count %llu\n", text128(first),
                (unsigned long long)(count - done));
    }
    return common_end(ctx, &total);
}

/* The library's solution callback: `count` permutations of n bytes each, from `rank` on. */
static int use(uint64_t rank, const uint8_t *perms, uint64_t count, int n, void *user)
{
    (void)rank, (void)perms, (void)count, (void)n, (void)user;
    return 0; /* a program would use them here */
}

enum { CHUNKS, HOST, DEVICE };
static const char *const places[] = {"chunks", "host", "device"};

/* Memory for the range, filled once: then its pages are there, and it is known how fast that goes. */
static combgpu_status memory_for(combgpu_context *ctx, combgpu_perm_desc *desc, int to,
                                 combgpu_device_memory *memory, double *fill_s)
{
    size_t object = (size_t)desc->n * (size_t)desc->item_bytes;
    combgpu_context_desc host;
    combgpu_context *owner = ctx;
    combgpu_status status;
    memset(memory, 0, sizeof *memory);
    if (to == CHUNKS) return COMBGPU_OK;
    if (desc->count > SIZE_MAX / object)
        common_usage("--count is %llu: so many fit no memory", (unsigned long long)desc->count);
    memset(&host, 0, sizeof host);
    host.backend = COMBGPU_BACKEND_CPU;
    if (to == HOST && combgpu_open(&owner, &host)) return COMBGPU_OUT_OF_MEMORY;
    status = combgpu_device_allocate(owner, (size_t)desc->count * object, memory);
    if (!status) status = combgpu_device_fill(owner, memory, 0, fill_s);
    if (!status) status = combgpu_device_fill(owner, memory, 0, fill_s);
    if (status) {
        common_clear();
        fprintf(stderr, "perm: %s\n", combgpu_message(owner));
    }
    if (to == HOST) {
        desc->out = memory->memory;
        desc->out_bytes = memory->bytes;
        combgpu_close(owner);
    } else
        desc->device_out = *memory;
    return status;
}

static int run(combgpu_perm_desc *desc, int to)
{
    combgpu_perm_result result;
    combgpu_device_memory memory;
    combgpu_status status;
    combgpu_context *ctx;
    char label[40], speed[32], rate[32];
    double per_second, fill_s = 0, bytes, write_s;
    snprintf(label, sizeof label, "perm, n = %d", desc->n);
    ctx = common_open(label);
    desc->run = common.run;
    if (to == CHUNKS) desc->solution = use;
    status = memory_for(ctx, desc, to, &memory, &fill_s);
    if (!status && common.forecast) {
        combgpu_job *job = NULL;
        status = combgpu_perm_begin(ctx, desc, &job);
        return common_forecast(ctx, status, job);
    }
    if (!status) status = combgpu_perm(ctx, desc, &result);
    if (status < 0) return common_failed(ctx, status);
    common_clear();
    per_second = result.run.seconds > 0 ? (double)result.visited / result.run.seconds : 0;
    bytes = (double)result.visited * desc->n * desc->item_bytes;
    write_s = to == HOST && result.run.backend != COMBGPU_BACKEND_CPU ? result.run.seconds
                                                                      : result.run.device_seconds;
    if (common.json) {
        json_u64("n", (uint64_t)desc->n);
        json_u64("first", desc->first);
        if (desc->first_hi) json_u64("first_hi", desc->first_hi);
        json_u64("count", result.visited);
        json_double("per_second", (double)(int64_t)per_second);
        json_string("to", places[to]);
        if (to != CHUNKS) {
            json_double("write_seconds", (double)(int64_t)(write_s * 1e6) / 1e6);
            json_double("fill_seconds", (double)(int64_t)(fill_s * 1e6) / 1e6);
        }
        json_run(&result.run);
    } else {
        common_short(per_second, speed, sizeof speed);
        printf("n = %d: %s permutations%s, %s per second\n", desc->n, common_commas(result.visited),
               result.run.status == COMBGPU_STOPPED ? " so far" : "", speed);
        common_short(write_s > 0 ? bytes / write_s : 0, rate, sizeof rate);
        if (to != CHUNKS)
            printf("to %s: %s bytes in %.6f s, %s bytes per second; filling it with zeros takes "
                   "%.6f s\n",
                   places[to], common_commas((uint64_t)bytes), write_s, rate, fill_s);
        common_print_run(stdout, &result.run);
    }
    if (to == HOST)
        free(memory.memory);
    else
        combgpu_device_release(ctx, &memory);
    return common_end(ctx, &result.run);
}

/* "red green blue": n words, in place. */
static int parse_words(char *text, const char **words)
{
    int n = 0;
    char *word;
    for (word = strtok(text, " ,"); word; word = strtok(NULL, " ,")) {
        if (n == 34) common_usage("--items: at most 34 words");
        words[n++] = word;
    }
    if (!n) common_usage("--items: at least one word");
    return n;
}

int main(int argc, char **argv)
{
    const char *words[34];
    char all_words[4096] = "";
    combgpu_perm_desc desc;
    combgpu_u128 rank = {0, 0}, first = {0, 0}, all;
    uint64_t seed = 0;
    uint8_t perm[34];
    char what = 0; /* to be done with one permutation: the option's first letters */
    int lists = 0, unranks = 0, randoms = 0, to = CHUNKS, n = 0;
    memset(&desc, 0, sizeof desc);
    desc.item_bytes = 1;

    common_start(argc, argv, help);
    while (common_next())
        if (common_is("--n"))
            desc.n = (int)common_number(1, 34);
        else if (common_is("--first"))
            first = common_number128("a whole number from 0 to n!-1");
        else if (common_is("--count"))
            desc.count = common_number(1, UINT64_MAX);
        else if (common_is("--list"))
            lists = 1;
        else if (common_is("--to"))
            to = common_choice(places, 3);
        else if (common_is("--item-bytes")) {
            desc.item_bytes = (int)common_number(1, 8);
            if (desc.item_bytes & (desc.item_bytes - 1))
                common_usage("--item-bytes is %d; it may be 1, 2, 4 or 8", desc.item_bytes);
        } else if (common_is("--items")) {
            const char *text = common_text("n words");
            if (strlen(text) >= sizeof all_words) common_usage("--items: too long");
            snprintf(all_words, sizeof all_words, "%s", text);
        } else if (common_is("--random")) {
            seed = common_number(0, UINT64_MAX);
            randoms = 1;
        } else if (common_is("--unrank")) {
            rank = common_number128("a whole number from 0 to n!-1");
            unranks = 1;
        } else if (common_is("--rank") || common_is("--next") || common_is("--previous") ||
                   common_is("--inverse") || common_is("--parity")) {
            what = common_is("--parity") ? 'y' : common.option[2];
            n = common_numbers(perm, 34, 33, "a permutation of 0 .. n-1, like \"2 0 1\"");
        } else
            common_unknown();
    if (!!what + unranks + randoms + lists > 1)
        common_usage("of --list, --unrank, --random and what works on a permutation only one goes");
    if (unranks || what || randoms) common.context.backend = COMBGPU_BACKEND_CPU; /* no search */
    if (what) return print_single(what, perm, n);
    if (*all_words) {
        n = parse_words(all_words, words);
        if (!lists) common_usage("--items needs --list");
        if (desc.n && desc.n != n) common_usage("--items has %d words, and --n is %d", n, desc.n);
        desc.n = n;
    }
    if (!desc.n) common_usage("--n N is needed; --help lists the options");
    all = combgpu_factorial(desc.n);
    if (unranks && !is_below(rank, all))
        common_usage("--unrank: the rank must be below %d! = %s", desc.n, text128(all));
    if (unranks) return print_unranked(desc.n, rank);
    if (randoms && first.hi) common_usage("--first: with --random it must be below 2^64");
    if (randoms) return print_random(desc.n, seed, first.lo, desc.count ? desc.count : 1);
    if (!is_below(first, all))
        common_usage("--first: with --n %d it must be below %d! = %s", desc.n, desc.n,
                     text128(all));
    all.hi -= first.hi + (all.lo < first.lo);
    all.lo -= first.lo;
    if (!desc.count && all.hi) common_usage("--n %d needs --count", desc.n);
    if (!desc.count) desc.count = all.lo;
    if (!all.hi && desc.count > all.lo)
        common_usage("--count is %llu; from --first on it may be 1 to %s",
                     (unsigned long long)desc.count, text128(all));
    desc.first = first.lo;
    desc.first_hi = first.hi;
    if (!lists) return run(&desc, to);
    if (common.run.shard_count || common.run.checkpoint_path || common.run.time_limit_s > 0 || to)
        common_usage("--list goes without --to, --shard, --checkpoint and --time-limit; it has "
                     "--first and --count");
    return list(&desc, desc.count, *all_words ? words : NULL);
}
