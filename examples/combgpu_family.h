/* combgpu perm --family: k-permutations, multisets, derangements, combinations, Gray code, cycles. */
#ifndef COMBGPU_EXAMPLES_FAMILY_H
#define COMBGPU_EXAMPLES_FAMILY_H

#include "combgpu_perm.h"

static const char *const family_names[] = {"all",         "partial", "multiset", "derangement",
                                           "combination", "gray",    "cycle",    "circular"};

/* Nonzero if members are permutations of all words of --items. */
static int of_all_items(const combgpu_perm_set *set)
{
    return items.count && (set->family == COMBGPU_PERM_ALL || set->family == COMBGPU_PERM_MULTISET);
}

static int family_rank(const combgpu_perm_set *set)
{
    uint8_t perm[64];
    int numbers = read_numbers(OPTION_RANK, perm, 64, 63), length = 0;
    combgpu_context *ctx;
    combgpu_u128 rank;
    combgpu_status status;
    if (!combgpu_perm_set_count128(NULL, set, NULL, &length) && length != numbers)
        usage("--rank has %d numbers; members have %d", numbers, length);
    ctx = open_cpu("perm");
    status = combgpu_perm_set_rank128(ctx, set, perm, &rank);
    if (status < 0) return failed(ctx, status);
    json_string("status", "ok");
    tell_digits("rank", "%s\n", u128_text(rank));
    return finish(ctx, NULL);
}

static int family_unrank(const combgpu_perm_set *set)
{
    combgpu_context *ctx;
    combgpu_u128 rank = u128_of(OPTION_UNRANK);
    uint8_t perm[64];
    int length = 0;
    combgpu_status status;
    ctx = open_cpu("perm");
    status = combgpu_perm_set_count128(ctx, set, NULL, &length);
    if (!status) status = combgpu_perm_set_unrank128(ctx, set, rank, perm);
    if (status < 0) return failed(ctx, status);
    json_string("status", "ok");
    print_numbers(of_all_items(set) ? "permutation" : "member", perm, length);
    return finish(ctx, NULL);
}

/* --check FILE: checks members and their order. Exit status 1 if one is not a member. */
static int family_check(const combgpu_perm_set *set)
{
    size_t bytes, r;
    char *text;
    uint64_t members = 0, first_wrong = 0, out_of_order = 0;
    combgpu_u128 rank = {0, 0}, before = {0, 0};
    int length = 0, end;
    combgpu_context *ctx = open_cpu("perm");
    combgpu_status status = combgpu_perm_set_count128(ctx, set, NULL, &length);
    table t;
    if (status < 0) return failed(ctx, status);
    text = read_check(&bytes, length);
    read_table(&t, text, bytes, OPTION_CHECK, (size_t)length);
    free(text);
    for (r = 0; r < t.rows; r++) {
        const int *row;
        size_t numbers = table_get(&t, r, &row), i;
        uint8_t perm[64];
        int fits = numbers == (size_t)length;
        for (i = 0; i < numbers && fits; i++) {
            fits = row[i] >= 0 && row[i] < 64;
            perm[i] = (uint8_t)(fits ? row[i] : 0);
        }
        if (fits && combgpu_perm_set_rank128(ctx, set, perm, &rank) >= 0) {
            if (members && !u128_below(before, rank) && !out_of_order) out_of_order = r + 1;
            before = rank;
            members++;
        } else if (!first_wrong)
            first_wrong = r + 1;
    }
    json_string("status", "ok");
    json_u64("checked", t.rows);
    tell_u64("members", "%s of ", members);
    json_bool("in_order", !out_of_order);
    say("%s are members%s\n", commas(t.rows),
        out_of_order  ? ", out of order"
        : members > 1 ? ", in order"
                      : "");
    if (first_wrong) tell_u64("first_wrong", "number %s is not one\n", first_wrong);
    members = t.rows - members;
    table_free(&t);
    end = finish(ctx, NULL);
    return end ? end : members != 0;
}

/* --fixed-points: counts on the device and writes no members. */
COMBGPU_PERM_VISITOR(fixed_places, {
    int i, fixed = 0;
    for (i = 0; i < n; i++)
        fixed += perm[i] == i;
    return fixed == combgpu_data_i32(data, 0);
})

static void tell_family(const combgpu_perm_set *set, uint64_t all, int fixed,
                        const combgpu_perm_result *result)
{
    char speed[32];
    short_number((double)per_second((double)result->visited, result->run.seconds), speed,
                 sizeof speed);
    tell_string("family", "%s: ", family_names[set->family]);
    say("%s of ", commas(result->visited));
    tell_u64("members", "%s members", all);
    json_u64("count", result->visited);
    say("%s, %s per second\n", so_far(result->run.status), speed);
    if (fixed >= 0) {
        tell_u64("hits", "%s", result->hits);
        say(" %s %d fixed point%s\n", result->hits == 1 ? "has" : "have", fixed,
            fixed == 1 ? "" : "s");
    }
    tell_run(&result->run);
}

/* The result for an empty family, or one whose only member is empty: nothing to run. */
static int family_empty(combgpu_context *ctx, const combgpu_perm_set *set, uint64_t all, int fixed)
{
    combgpu_perm_result result;
    combgpu_device device;
    memset(&result, 0, sizeof result);
    combgpu_context_device(ctx, &device);
    result.run.backend = device.backend;
    snprintf(result.run.device, sizeof result.run.device, "%s", device.name);
    result.visited = run.desc.shard_index ? 0 : all; /* it is in the first part */
    result.hits = fixed ? 0 : result.visited;
    tell_family(set, all, fixed, &result);
    return finish(ctx, &result.run);
}

/* All members, a range of them, or with --fixed-points a count. */
static int family_run(const combgpu_perm_set *set)
{
    combgpu_perm_desc desc;
    static combgpu_perm_result result;
    combgpu_status status;
    combgpu_job *job = NULL;
    int32_t fixed = given(OPTION_FIXED_POINTS) ? (int32_t)number_of(OPTION_FIXED_POINTS, 0) : -1;
    combgpu_context *ctx;
    combgpu_u128 whole;
    uint64_t all = 0;
    int length = 0;
    memset(&desc, 0, sizeof desc);
    if (!combgpu_perm_set_count128(NULL, set, &whole, &length) && whole.hi)
        usage(
            "--family %s has %s members here, more than 2^64 - 1, the most of one run (--rank and "
            "--unrank take all)",
            family_names[set->family], u128_text(whole));
    if (fixed < 0) perm_not_verified();
    if (u128_of(OPTION_FIRST).hi) usage("--first: with --family it must be below 2^64");
    desc.first = u128_of(OPTION_FIRST).lo;
    desc.count = number_of(OPTION_COUNT, 0);
    ctx = open_context(family_names[set->family]);
    status = combgpu_perm_set_count(ctx, set, &all, &length);
    if (status < 0) return failed(ctx, status);
    if (!list_wanted() && (!all || !length)) return family_empty(ctx, set, all, (int)fixed);
    desc.set = set;
    if (fixed < 0)
        desc.solution = perm_use;
    else {
        desc.goal = COMBGPU_PERM_COUNT;
        desc.visitor = &fixed_places;
        desc.data = &fixed;
        desc.data_bytes = sizeof fixed;
    }
    desc.run = run.desc;
    if (list_wanted() && ((!all && !desc.first && !desc.count) ||
                          (desc.first < all && desc.count <= all - desc.first)))
        return perm_list(ctx, &desc, desc.count ? desc.count : all - desc.first, length,
                         of_all_items(set) ? "permutations" : "members");
    if (given(OPTION_FORECAST)) return forecast(ctx, combgpu_perm_begin(ctx, &desc, &job), &job);
    status = ended(ctx, combgpu_perm(ctx, &desc, &result), &result.run);
    if (status < 0) return failed(ctx, status);
    terminal_clear();
    tell_family(set, all, (int)fixed, &result);
    return finish(ctx, &result.run);
}

/* Takes the words of --items as the elements of a set: equal words are a multiset. */
static void set_of_items(combgpu_perm_set *set)
{
    const char *equal = equal_items();
    if (equal && set->repeats)
        usage("--items has \"%.60s\" twice; with --repeats, words differ", equal);
    if (equal && (given(OPTION_K) ||
                  (set->family != COMBGPU_PERM_ALL && set->family != COMBGPU_PERM_MULTISET)))
        usage("--items has \"%.60s\" twice; with %s%s, words differ", equal,
              given(OPTION_K) ? "--k" : "--family ",
              given(OPTION_K) ? "" : family_names[set->family]);
    if (set->repeats && set->n != items.count)
        usage("--items has %d words, but --repeats says how often each of %d occurs", items.count,
              set->n);
    set->n = items.different;
    if (equal) set->family = COMBGPU_PERM_MULTISET;
    if (set->family == COMBGPU_PERM_MULTISET && !set->repeats) set->repeats = items.repeats;
}

static int perm_family(void)
{
    static const int not_here[] = {
        OPTION_NEXT, OPTION_PREVIOUS, OPTION_INVERSE, OPTION_PARITY, OPTION_RANDOM, OPTION_TO, -1};
    static uint8_t repeats[64];
    combgpu_perm_set set;
    int i;
    for (i = 0; not_here[i] >= 0; i++)
        if (given(not_here[i]))
            usage("%s cannot be combined with --family", option_name(not_here[i]));
    if (list_wanted() && given(OPTION_FIXED_POINTS))
        usage("--list and --fixed-points are both given; give one of them");
    memset(&set, 0, sizeof set);
    set.family = (combgpu_perm_family)number_of(OPTION_FAMILY, 0);
    set.n = int_of(OPTION_N, 1, 64, 0);
    set.k = int_of(OPTION_K, 0, 64, 0);
    if (given(OPTION_REPEATS)) {
        int numbers = read_numbers(OPTION_REPEATS, repeats, 64, 64);
        if (set.n && set.n != numbers)
            usage("--n is %d, but --repeats says how often each of %d numbers occurs", set.n,
                  numbers);
        set.n = numbers;
        set.repeats = repeats;
        if (!given(OPTION_FAMILY)) set.family = COMBGPU_PERM_MULTISET;
    }
    if (items.count) set_of_items(&set);
    if (!set.n) usage("--n N or --repeats is needed; --help lists the options");
    if (!given(OPTION_K) &&
        (set.family == COMBGPU_PERM_PARTIAL || set.family == COMBGPU_PERM_COMBINATION))
        usage("--k K is needed: how many of the n");
    if (given(OPTION_UNRANK)) return family_unrank(&set);
    if (given(OPTION_RANK)) return family_rank(&set);
    if (given(OPTION_CHECK)) return family_check(&set);
    return family_run(&set);
}

#endif
