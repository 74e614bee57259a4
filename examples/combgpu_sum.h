/* combgpu perm --sum, --product: finds k of n values, in any or in ascending order, with a given sum or
   product. The search prunes whatever no completion can bring within the limits. */
#ifndef COMBGPU_EXAMPLES_SUM_H
#define COMBGPU_EXAMPLES_SUM_H

#include "combgpu_family.h"

/* data, 64-bit numbers: the least and the largest result, whether members are combinations, whether the
   result is a product, then n values in ascending order, from 1 on for a product. In a combination values
   behind `value` follow, in an arrangement any unused ones: the smallest and the largest of them bound the
   result. Products stay below the limits, so nothing overflows. */
COMBGPU_PERM_SEARCH(with_total, state({
                        int64_t total;
                        uint64_t used;
                    }),
                    begin({ state->total = combgpu_data_i64(data, 3) ? 1 : 0; }), step({
                        int64_t lower = combgpu_data_i64(data, 0);
                        int64_t upper = combgpu_data_i64(data, 1);
                        int product = combgpu_data_i64(data, 3) != 0;
                        int low = combgpu_data_i64(data, 2) ? value : -1;
                        int high = n;
                        int left = length - 1 - place;
                        int64_t next = combgpu_data_i64(data, 4 + value);
                        int64_t least;
                        int64_t most;
                        if (product && next > upper / state->total) return 0;
                        state->total = product ? state->total * next : state->total + next;
                        if (product && lower == upper && upper % state->total) return 0;
                        state->used |= (uint64_t)1 << value;
                        least = most = state->total;
                        for (; left; left--) {
                            do
                                low++;
                            while (state->used >> low & 1);
                            do
                                high--;
                            while (state->used >> high & 1);
                            next = combgpu_data_i64(data, 4 + low);
                            if (product && next > upper / least) return 0;
                            least = product ? least * next : least + next;
                            next = combgpu_data_i64(data, 4 + high);
                            if (!product)
                                most += next;
                            else if (most < lower)
                                most = next > (lower - 1) / most ? lower : most * next;
                        }
                        return least <= upper && most >= lower;
                    }))

typedef struct sum_search {
    int n, k;
    int64_t data[4 + 64]; /* of the searcher */
    uint8_t *members;     /* --list: k values of each */
    size_t count, room;
} sum_search;

static int in_order(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* --values, or 1 .. n, in ascending order. */
static void sum_values(sum_search *s, const char *asked)
{
    const char *at;
    char *text, *end;
    int i;
    if (!given(OPTION_VALUES)) {
        s->n = int_of(OPTION_N, 1, 64, 0);
        if (!s->n) usage("%s needs --n N or --values", asked);
        for (i = 0; i < s->n; i++)
            s->data[4 + i] = i + 1;
        return;
    }
    text = text_or_file(OPTION_VALUES);
    for (at = text + strspn(text, " ,\r\n"); *at; at = end + strspn(end, " ,\r\n")) {
        errno = 0;
        if (s->n == 64) usage("--values has more than 64 numbers");
        s->data[4 + s->n] = strtoll(at, &end, 10);
        if (end == at || !strchr(" ,\r\n", *end) || errno || s->data[4 + s->n] > 2000000000 ||
            s->data[4 + s->n] < -2000000000)
            usage("--values: number %d is not within -2000000000 to 2000000000", s->n + 1);
        s->n++;
    }
    free(text);
    if (!s->n) usage("--values is empty");
    if (given(OPTION_N) && int_of(OPTION_N, 1, 64, 0) != s->n)
        usage("--values has %d numbers, and --n is %d", s->n, int_of(OPTION_N, 1, 64, 0));
    qsort(s->data + 4, (size_t)s->n, sizeof s->data[0], in_order);
    for (i = 0; s->data[3] && i < s->n; i++)
        if (s->data[4 + i] < 1) usage("--values: a product needs numbers from 1 on");
}

static size_t sum_member_bytes; /* for qsort */

static int members_in_order(const void *a, const void *b)
{
    return memcmp(a, b, sum_member_bytes);
}

/* Sorts the members, and drops those after the first --count. */
static void sum_sort(sum_search *s)
{
    const uint64_t most = number_of(OPTION_COUNT, UINT64_MAX);
    sum_member_bytes = (size_t)s->k;
    if (s->count) qsort(s->members, s->count, sum_member_bytes, members_in_order);
    if (s->count > most) s->count = (size_t)most;
}

/* The library's solution callback. */
static int sum_member(const uint8_t *perm, int length, int64_t value, void *user)
{
    sum_search *s = (sum_search *)user;
    size_t bytes = (size_t)length;
    (void)value;
    if (s->count == s->room) {
        if (given(OPTION_COUNT)) sum_sort(s);
        if (s->count >= s->room / 2) s->room = s->room ? 2 * s->room : 1024;
        s->members = (uint8_t *)realloc(s->members, s->room * bytes);
        if (!s->members) usage("--list: out of memory");
    }
    memcpy(s->members + s->count++ * bytes, perm, bytes);
    return stop_wanted();
}

/* The bytes of a value in .npy: 1 if all fit into one. */
static int sum_width(const sum_search *s)
{
    return s->data[4] >= 0 && s->data[3 + s->n] <= 255 ? 1 : 4;
}

/* --list: in lexicographic order of the ascending values. */
static void sum_list(sum_search *s)
{
    size_t i;
    int numbers[64], j;
    sum_sort(s);
    list_begin("members", NULL, 1, s->k, sum_width(s));
    for (i = 0; i < s->count; i++) {
        for (j = 0; j < s->k; j++)
            numbers[j] = (int)s->data[4 + s->members[i * (size_t)s->k + (size_t)j]];
        list_item(NULL, numbers);
    }
    list_end();
    free(s->members);
}

static int perm_sum(void)
{
    static const int not_here[] = {
        OPTION_REPEATS,  OPTION_FIXED_POINTS, OPTION_RANK,   OPTION_UNRANK,     OPTION_NEXT,
        OPTION_PREVIOUS, OPTION_INVERSE,      OPTION_PARITY, OPTION_ITEMS,      OPTION_RANDOM,
        OPTION_TO,       OPTION_CHECK,        OPTION_FIRST,  OPTION_ITEM_BYTES, -1};
    static sum_search s;
    combgpu_perm_set set;
    combgpu_perm_search_desc desc;
    static combgpu_perm_search_result result;
    combgpu_context *ctx;
    combgpu_status status;
    combgpu_job *job = NULL;
    uint64_t all = 0;
    const int listed = list_wanted() && list_format() == LIST_IN_JSON;
    int product = given(OPTION_PRODUCT), asked = product ? OPTION_PRODUCT : OPTION_SUM;
    if (product && given(OPTION_SUM)) usage("--sum and --product are both given; give one of them");
    goes_without(asked, not_here);
    if (!list_wanted() && given(OPTION_COUNT))
        usage("--count lists C of them, in order; it needs --list");
    s.data[3] = product;
    limits_of(asked, &s.data[0], &s.data[1]);
    sum_values(&s, option_name(asked));
    memset(&set, 0, sizeof set);
    set.family = (combgpu_perm_family)number_of(OPTION_FAMILY, COMBGPU_PERM_COMBINATION);
    set.n = s.n;
    set.k = s.k = int_of(OPTION_K, 1, s.n, 0);
    if (set.family != COMBGPU_PERM_COMBINATION && set.family != COMBGPU_PERM_PARTIAL)
        usage("%s needs --family combination or partial", option_name(asked));
    if (!set.k) usage("--k K is needed: how many of the n");
    s.data[2] = set.family == COMBGPU_PERM_COMBINATION;
    memset(&desc, 0, sizeof desc);
    desc.set = &set;
    desc.searcher = &with_total;
    desc.data = s.data;
    desc.data_bytes = (4 + (size_t)s.n) * sizeof s.data[0];
    if (list_wanted()) {
        desc.solution = sum_member;
        desc.solution_user = &s;
    }
    if (list_wanted()) list_fits(sum_width(&s));
    ctx = open_context("perm");
    desc.run = run.desc;
    if (given(OPTION_FORECAST))
        return forecast(ctx, combgpu_perm_search_begin(ctx, &desc, &job), &job);
    status = ended(ctx, combgpu_perm_search(ctx, &desc, &result), &result.run);
    if (status < 0) return failed(ctx, status);
    terminal_clear();
    if (combgpu_perm_set_count(NULL, &set, &all, NULL)) all = 0;
    if (list_wanted()) sum_list(&s);
    json_string("family", family_names[set.family]);
    if (all) json_u64(listed ? "out_of" : "members", all); /* no key twice */
    tell_u64("hits", "%s", result.hits);
    say("%s of ", so_far(status));
    if (all) say("%s ", commas(all));
    say("%ss have the %s %s\n", set.family == COMBGPU_PERM_PARTIAL ? "arrangement" : "combination",
        product ? "product" : "sum", text_of(asked));
    tell_run(&result.run);
    return finish(ctx, &result.run);
}

#endif
