/* Schedules n jobs with lengths and due dates on one machine, with the least total tardiness. Without
   numbers, an example by M. L. Pinedo (Scheduling, 2016, example 3.4.5): 370.

       cc -O3 examples/tardiness.c -o tardiness
       ./tardiness 121 260  79 266  147 266  83 336  130 337 */
#define COMBGPU_IMPLEMENTATION
#define COMBGPU_STATIC 1
#define COMBGPU_ONLY_PERM 1
#include "../combgpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* data: n lengths, n due dates. The bound: the remaining jobs end no earlier than with the shortest first,
   and are no less late than with these ends matched to the due dates in order. */
COMBGPU_PERM_SEARCH(tardiness, state({
                        int64_t time;
                        int64_t late;
                        uint64_t done;
                    }),
                    step({
                        state->done |= (uint64_t)1 << value;
                        state->time += combgpu_data_i32(data, value);
                        if (state->time > combgpu_data_i32(data, n + value))
                            state->late += state->time - combgpu_data_i32(data, n + value);
                        return 1;
                    }),
                    bound({
                        int32_t lengths[64];
                        int32_t dues[64];
                        int64_t time = state->time;
                        int64_t late = state->late;
                        int count = 0;
                        int v;
                        int i;
                        for (v = 0; v < n && late <= best; v++) {
                            int32_t p = combgpu_data_i32(data, v);
                            int32_t d = combgpu_data_i32(data, n + v);
                            if (state->done >> v & 1) continue;
                            for (i = count; i && lengths[i - 1] > p; i--)
                                lengths[i] = lengths[i - 1];
                            lengths[i] = p;
                            for (i = count++; i && dues[i - 1] > d; i--)
                                dues[i] = dues[i - 1];
                            dues[i] = d;
                        }
                        for (i = 0; i < count; i++) {
                            time += lengths[i];
                            if (time > dues[i]) late += time - dues[i];
                        }
                        return late;
                    }),
                    leaf({ return state->late; }))

int main(int argc, char **argv)
{
    static const char *const pinedo[] = {"",    "121", "260", "79",  "266", "147",
                                         "266", "83",  "336", "130", "337"};
    const char *const *words = argc > 1 ? (const char *const *)argv : pinedo;
    int n = (argc > 1 ? argc : 11) / 2, wrong = argc > 1 && (argc % 2 == 0 || argc > 129), i;
    combgpu_context *ctx;
    combgpu_perm_search_desc desc;
    combgpu_perm_search_result result;
    combgpu_status status;
    int32_t data[128];

    for (i = 0; i < 2 * n && !wrong; i++) {
        char *end;
        long number = strtol(words[i + 1], &end, 10);
        wrong = end == words[i + 1] || *end || number < 0 || number > 1000000;
        data[i % 2 * n + i / 2] = (int32_t)number;
    }
    if (wrong) {
        fprintf(stderr, "tardiness [LENGTH DUE ...], up to 64 jobs, numbers from 0 to 1000000\n");
        return 2;
    }
    memset(&desc, 0, sizeof desc);
    desc.n = n;
    desc.searcher = &tardiness;
    desc.goal = COMBGPU_SEARCH_MINIMUM;
    desc.data = data;
    desc.data_bytes = 2 * (size_t)n * sizeof data[0];
    status = combgpu_open(&ctx, NULL);
    if (!status) status = combgpu_perm_search(ctx, &desc, &result);
    if (status)
        fprintf(stderr, "%s\n", combgpu_message(ctx));
    else
        printf("total tardiness %lld; jobs", (long long)result.best_value);
    for (i = 0; i < n && !status; i++)
        printf(" %d%s", result.best[i] + 1, i == n - 1 ? "\n" : "");
    combgpu_close(ctx);
    return status != COMBGPU_OK;
}
