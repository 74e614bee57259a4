/* Tests published problems as searches with callbacks: magic hexagons, job shops, rulers, neighbours far
   apart. Every backend gives the published answer. */
#define COMBGPU_ONLY_PERM 1
#include "test.h"

/* ---- magic hexagons: 1 .. 19 in a hexagon, so that each of its 15 lines adds up to 38: one, in 12
   positions

   data: for each place up to three lines that it ends, each as the number of its other cells, then
   these. */
COMBGPU_PERM_SEARCH(hexagon, allowed({
                        uint64_t open = ~(uint64_t)0;
                        int line;
                        for (line = 0; line < 3; line++) {
                            int at = 15 * place + 5 * line;
                            int cells = combgpu_data_i32(data, at);
                            int rest = 38 - 1;
                            int i;
                            if (!cells) continue;
                            for (i = 1; i <= cells; i++)
                                rest -= perm[combgpu_data_i32(data, at + i)] + 1;
                            open &= rest >= 0 && rest < n ? (uint64_t)1 << rest : 0;
                        }
                        return open;
                    }))

static void hexagons(combgpu_context *ctx, const char *name)
{
    static const int8_t lines[15][5] = {
        {0, 1, 2, -1, -1},    {3, 4, 5, 6, -1},     {7, 8, 9, 10, 11},  {12, 13, 14, 15, -1},
        {16, 17, 18, -1, -1}, {0, 3, 7, -1, -1},    {1, 4, 8, 12, -1},  {2, 5, 9, 13, 16},
        {6, 10, 14, 17, -1},  {11, 15, 18, -1, -1}, {2, 6, 11, -1, -1}, {1, 5, 10, 15, -1},
        {0, 4, 9, 14, 18},    {3, 8, 13, 17, -1},   {7, 12, 16, -1, -1}};
    /* round the border, then inwards: the places of the cells */
    static const int8_t place_of[19] = {0,  1, 2, 11, 12, 13, 3, 10, 17, 18,
                                        14, 4, 9, 16, 15, 5,  8, 7,  6};
    combgpu_perm_search_desc desc;
    combgpu_perm_search_result result;
    int32_t data[19 * 15];
    int i, k;
    memset(&desc, 0, sizeof desc);
    memset(data, 0, sizeof data);
    for (i = 0; i < 15; i++) {
        int last = 0, at;
        for (k = 0; k < 5 && lines[i][k] >= 0; k++)
            if (place_of[lines[i][k]] > last) last = place_of[lines[i][k]];
        for (at = 15 * last; data[at];)
            at += 5;
        for (k = 0; k < 5 && lines[i][k] >= 0; k++)
            if (place_of[lines[i][k]] != last) data[at + ++data[at]] = place_of[lines[i][k]];
    }
    desc.n = 19;
    desc.searcher = &hexagon;
    desc.data = data;
    desc.data_bytes = sizeof data;
    equal_status(ctx, combgpu_perm_search(ctx, &desc, &result), COMBGPU_OK, "%s: hexagons", name);
    equal_u64(result.hits, 12, "%s: one magic hexagon, in 12 positions", name);
    equal_u64(result.run.steps, 1064606, "%s: steps", name);
}

/* ---- neighbours far apart, by the example of the page on searches */

COMBGPU_PERM_SEARCH(far_apart, step({
                        int gap = place ? value - perm[place - 1] : 3;
                        return gap >= 3 || gap <= -3;
                    }))

static void neighbours(combgpu_context *ctx, const char *name)
{
    static const int counts[10] = {0, 1, 0, 0, 0, 0, 2, 32, 368, 3984};
    combgpu_perm_search_desc desc;
    combgpu_perm_search_result result;
    int wrong = 0;
    memset(&desc, 0, sizeof desc);
    desc.searcher = &far_apart;
    for (desc.n = 1; desc.n < 10; desc.n++)
        wrong +=
            combgpu_perm_search(ctx, &desc, &result) || result.hits != (uint64_t)counts[desc.n];
    equal_u64(wrong, 0, "%s: no two neighbours differ by less than 3 (OEIS A127697)", name);
}

/* ---- Golomb rulers: k marks with different distances, the last as early as can be (OEIS A003022) */

COMBGPU_PERM_SEARCH(golomb, state({ uint64_t distances; }), allowed({
                        uint64_t taken = 0;
                        int i;
                        if (!place) return 1;
                        for (i = 0; i < place; i++)
                            taken |= state->distances << perm[i];
                        return ~taken;
                    }),
                    step({
                        int i;
                        for (i = 0; i < place; i++)
                            state->distances |= (uint64_t)1 << (value - perm[i]);
                        return 1;
                    }),
                    bound({
                        int left = length - 1 - place;
                        return value + left * (left + 1) / 2;
                    }),
                    leaf({ return perm[length - 1]; }))

static void rulers(combgpu_context *ctx, const char *name)
{
    static const int least[] = {0, 0, 1, 3, 6, 11, 17, 25, 34, 44};
    static const int counts[] = {0, 0, 1, 2, 2, 4, 8, 10, 2, 2}; /* with mirror images */
    combgpu_perm_search_desc desc;
    combgpu_perm_search_result result;
    combgpu_perm_set set;
    int k, wrong = 0;
    memset(&desc, 0, sizeof desc);
    memset(&set, 0, sizeof set);
    set.family = COMBGPU_PERM_COMBINATION;
    desc.set = &set;
    desc.searcher = &golomb;
    for (k = 2; k <= (test_small() ? 7 : 9); k++) {
        set.k = k;
        set.n = 64;
        desc.goal = COMBGPU_SEARCH_MINIMUM;
        wrong += combgpu_perm_search(ctx, &desc, &result) || result.best_value != least[k];
        set.n = least[k] + 1;
        desc.goal = COMBGPU_SEARCH_COUNT;
        wrong += combgpu_perm_search(ctx, &desc, &result) || result.hits != (uint64_t)counts[k];
    }
    equal_u64(wrong, 0, "%s: Golomb rulers: the least lengths, and how many have them", name);
}

/* ---- job shops: active schedules (B. Giffler, G. L. Thompson 1960)

   A multiset: job j, once for each of its operations. data: the number of machines m; machine and time
   of operation o of job j at 1 + 2 * (j * m + o). */
COMBGPU_PERM_SEARCH(
    jobshop, state({
        uint16_t job[8];
        uint16_t machine[8];
        uint8_t next[8];
    }),
    allowed({ /* those that compete with what can end first, for its machine */
              int m = combgpu_data_i32(data, 0);
              int first = 1 << 30;
              int on = 0;
              int j;
              uint64_t open = 0;
              for (j = 0; j < n; j++) {
                  int op = 1 + 2 * (j * m + state->next[j]);
                  int end;
                  if (state->next[j] == m) continue;
                  end = state->machine[combgpu_data_i32(data, op)];
                  if (state->job[j] > end) end = state->job[j];
                  end += combgpu_data_i32(data, op + 1);
                  if (end < first) {
                      first = end;
                      on = combgpu_data_i32(data, op);
                  }
              }
              for (j = 0; j < n; j++) {
                  int op = 1 + 2 * (j * m + state->next[j]);
                  if (state->next[j] < m && combgpu_data_i32(data, op) == on &&
                      state->job[j] < first && state->machine[on] < first)
                      open |= (uint64_t)1 << j;
              }
              return open;
    }),
    step({
        int op = 1 + 2 * (value * combgpu_data_i32(data, 0) + state->next[value]);
        int on = combgpu_data_i32(data, op);
        int start = state->machine[on];
        if (state->job[value] > start) start = state->job[value];
        start += combgpu_data_i32(data, op + 1);
        state->machine[on] = state->job[value] = (uint16_t)start;
        state->next[value]++;
        return 1;
    }),
    bound({ /* what is left of each job, and of each machine between earliest head and least tail */
            int m = combgpu_data_i32(data, 0);
            int most = 0;
            int j;
            int o;
            int k;
            (void)best;
            for (k = 0; k < m; k++) {
                int head = 1 << 30;
                int tail = 1 << 30;
                int work = 0;
                for (j = 0; j < n; j++) {
                    int before = state->job[j];
                    int after = 0;
                    int own = -1;
                    for (o = state->next[j]; o < m; o++) {
                        int time = combgpu_data_i32(data, 2 + 2 * (j * m + o));
                        if (combgpu_data_i32(data, 1 + 2 * (j * m + o)) == k)
                            own = time;
                        else if (own < 0)
                            before += time;
                        else
                            after += time;
                    }
                    if (before + after > most) most = before + after;
                    if (own < 0) continue;
                    work += own;
                    if (before < head) head = before;
                    if (after < tail) tail = after;
                }
                if (!work) continue;
                if (state->machine[k] > head) head = state->machine[k];
                if (head + work + tail > most) most = head + work + tail;
            }
            return most;
    }),
    leaf({
        int most = 0;
        int j;
        for (j = 0; j < n; j++)
            if (state->job[j] > most) most = state->job[j];
        return most;
    }))

/* H. Fisher and G. L. Thompson's instance of 6 jobs (1963): 55. */
static const int32_t ft06[] = {6, 2,  1, 0,  3, 1, 6, 3, 7, 5, 3, 4,  6, 1, 8, 2, 5, 4, 10,
                               5, 10, 0, 10, 3, 4, 2, 5, 3, 4, 5, 8,  0, 9, 1, 1, 4, 7, 1,
                               5, 0,  5, 2,  5, 3, 3, 4, 8, 5, 9, 2,  9, 1, 3, 4, 5, 5, 4,
                               0, 3,  3, 1,  1, 3, 3, 3, 5, 9, 0, 10, 4, 4, 2, 1};
static const int32_t four_jobs[] = {3, 0, 3, 1, 2, 2, 2, 0, 2, 2, 1, 1, 4,
                                    1, 4, 2, 3, 0, 1, 2, 2, 0, 3, 1, 3};

static void job_shops(combgpu_context *ctx, const char *name)
{
    combgpu_perm_search_desc desc;
    combgpu_perm_search_result result;
    combgpu_perm_set set;
    uint8_t repeats[6];
    uint64_t bins[16];
    memset(&desc, 0, sizeof desc);
    memset(&set, 0, sizeof set);
    set.family = COMBGPU_PERM_MULTISET;
    set.n = 6;
    set.repeats = repeats;
    memset(repeats, 6, sizeof repeats);
    desc.set = &set;
    desc.searcher = &jobshop;
    desc.goal = COMBGPU_SEARCH_MINIMUM;
    desc.data = ft06;
    desc.data_bytes = sizeof ft06;
    equal_status(ctx, combgpu_perm_search(ctx, &desc, &result), COMBGPU_OK, "%s: ft06", name);
    ok(result.found && result.best_value == 55, "%s: ft06 takes 55, proven", name);
    set.n = 4;
    memset(repeats, 3, sizeof repeats);
    desc.goal = COMBGPU_SEARCH_HISTOGRAM;
    desc.data = four_jobs;
    desc.data_bytes = sizeof four_jobs;
    desc.bins = 16;
    desc.histogram = bins;
    desc.bin_first = 10;
    equal_status(ctx, combgpu_perm_search(ctx, &desc, &result), COMBGPU_OK, "%s: 4 jobs", name);
    ok(result.hits == 62 && bins[2] == 0 && bins[3] == 6 && bins[13] == 4,
       "%s: 62 active schedules of 13 to 23", name);
}

int main(void)
{
    int place;
    open_places();
    for (place = 0; place < TEST_PLACES; place++) {
        if (!opened[place]) continue;
        hexagons(opened[place], test_places[place].name);
        neighbours(opened[place], test_places[place].name);
        rulers(opened[place], test_places[place].name);
        job_shops(opened[place], test_places[place].name);
    }
    close_places();
    return tap_end();
}
