/* The C solver of Held-Karp. */

/* Returns the number of row (c, set) for high city c, which is not in the set. */
COMBGPU__PRIVATE size_t combgpu__table_row(int high, int c, uint32_t set)
{
    uint32_t below = set & ((1u << c) - 1);
    return ((size_t)c << (high - 1)) + ((set ^ below) >> 1) + below;
}

/* Returns the next greater number with as many bits set (R. W. Gosper, HAKMEM 175); 0 for 0. */
COMBGPU__PRIVATE uint32_t combgpu__table_next_set(uint32_t set)
{
    uint32_t lowest = set & (0u - set), up = set + lowest;
    return set ? ((set ^ up) >> 2) / lowest | up : 0;
}

/* The code for one type of costs, 32-bit or 64-bit. COST is a signed type, FAR an impossible cost:
   FAR plus a leg does not overflow.

   minplus       computes out[L] = min over k of legs[from[k]] + rows[k][L], for entry 0 also of
                 `end`: the inner loop, which compilers turn into vector code
   block         computes all f(c, H + L): low[c][L] for the low cities, and the other rows
   order         reads the lexicographically smallest optimal order off the table from its start:
                 each city is the first that attains the minimum. Returns the cost. */
#define COMBGPU__TSP_ROW (1 << COMBGPU__TSP_CPU_LOW)
#define COMBGPU__TSP_TABLE(BITS, COST, FAR)                                                        \
    typedef struct combgpu__table##BITS {                                                          \
        int m, low, high;                                                                          \
        COST first[COMBGPU__TSP_MOST], last[COMBGPU__TSP_MOST];                                    \
        COST legs[COMBGPU__TSP_MOST * COMBGPU__TSP_MOST];                                          \
        COST *rows;                                                                                \
    } combgpu__table##BITS;                                                                        \
                                                                                                   \
    COMBGPU__PRIVATE void combgpu__table_load##BITS(combgpu__table##BITS *table,                   \
                                                    const combgpu__worker *worker)                 \
    {                                                                                              \
        combgpu__table_costs costs = combgpu__table_view(worker->tables);                          \
        int i;                                                                                     \
        table->m = costs.m;                                                                        \
        table->high = (int)worker->tables[COMBGPU__TSP_AT_HIGH];                                   \
        table->low = (int)worker->tables[COMBGPU__TSP_AT_LOW];                                     \
        table->rows = (COST *)(void *)worker->work;                                                \
        for (i = 0; i < COMBGPU__TSP_MOST; i++) {                                                  \
            table->first[i] = (COST)costs.first[i];                                                \
            table->last[i] = (COST)costs.last[i];                                                  \
        }                                                                                          \
        for (i = 0; i < COMBGPU__TSP_MOST * COMBGPU__TSP_MOST; i++)                                \
            table->legs[i] = (COST)costs.legs[i];                                                  \
    }                                                                                              \
                                                                                                   \
    COMBGPU__INLINE void combgpu__table_minplus##BITS(COST *out, const COST *legs,                 \
                                                      const int *from, const COST *const *rows,    \
                                                      int count, COST end)                         \
    {                                                                                              \
        COST least[COMBGPU__TSP_ROW];                                                              \
        int k, s;                                                                                  \
        for (s = 0; s < COMBGPU__TSP_ROW; s++)                                                     \
            least[s] = FAR;                                                                        \
        least[0] = end;                                                                            \
        for (k = 0; k < count; k++) {                                                              \
            const COST *row = rows[k], leg = legs[from[k]];                                        \
            for (s = 0; s < COMBGPU__TSP_ROW; s++) {                                               \
                COST cost = (COST)(leg + row[s]);                                                  \
                least[s] = cost < least[s] ? cost : least[s];                                      \
            }                                                                                      \
        }                                                                                          \
        memcpy(out, least, sizeof least);                                                          \
    }                                                                                              \
                                                                                                   \
    COMBGPU__INLINE void combgpu__table_block##BITS(                                               \
        const combgpu__table##BITS *table, uint32_t set, int store, COST(*low)[COMBGPU__TSP_ROW])  \
    {                                                                                              \
        COST with[COMBGPU__TSP_CPU_LOW][COMBGPU__TSP_ROW]; /* f(i, H + L without i) */             \
        const COST *rows[COMBGPU__TSP_MOST];                                                       \
        int from[COMBGPU__TSP_MOST], count = 0, lows = table->low, c, i;                           \
        uint32_t rest, subset;                                                                     \
        for (rest = set; rest; rest &= rest - 1) {                                                 \
            i = combgpu__lowest_bit64(rest);                                                       \
            from[count] = lows + i;                                                                \
            rows[count++] = table->rows +                                                          \
                            combgpu__table_row(table->high, i, set ^ 1u << i) * COMBGPU__TSP_ROW;  \
        }                                                                                          \
        for (c = 0; c < lows; c++)                                                                 \
            combgpu__table_minplus##BITS(low[c], table->legs + c * COMBGPU__TSP_MOST, from, rows,  \
                                         count, set ? FAR : table->last[c]);                       \
        for (subset = 1; subset < 1u << lows; subset++) /* subsets of a subset come first */       \
            for (c = 0; c < lows; c++) {                                                           \
                if (subset >> c & 1) continue;                                                     \
                for (i = 0; i < lows; i++) {                                                       \
                    COST cost;                                                                     \
                    if (!(subset >> i & 1)) continue;                                              \
                    cost =                                                                         \
                        (COST)(table->legs[c * COMBGPU__TSP_MOST + i] + low[i][subset ^ 1u << i]); \
                    if (cost < low[c][subset]) low[c][subset] = cost;                              \
                }                                                                                  \
            }                                                                                      \
        if (!store) return;                                                                        \
        for (i = 0; i < lows; i++) {                                                               \
            for (subset = 0; subset < COMBGPU__TSP_ROW; subset++)                                  \
                with[i][subset] = subset >> i & 1 ? low[i][subset ^ 1u << i] : FAR;                \
            from[count] = i;                                                                       \
            rows[count++] = with[i];                                                               \
        }                                                                                          \
        for (c = 0; c < table->high; c++)                                                          \
            if (!(set >> c & 1))                                                                   \
                combgpu__table_minplus##BITS(                                                      \
                    table->rows + combgpu__table_row(table->high, c, set) * COMBGPU__TSP_ROW,      \
                    table->legs + (lows + c) * COMBGPU__TSP_MOST, from, rows, count,               \
                    set ? FAR : table->last[lows + c]);                                            \
    }                                                                                              \
                                                                                                   \
    COMBGPU__WARM_BEGIN                                                                            \
    COMBGPU__PRIVATE int64_t combgpu__table_order##BITS(const combgpu__worker *worker,             \
                                                        unsigned char *order)                      \
    {                                                                                              \
        combgpu__table##BITS table;                                                                \
        COST low[COMBGPU__TSP_CPU_LOW][COMBGPU__TSP_ROW], length = 0;                              \
        uint32_t rest;                                                                             \
        int place, lows, c;                                                                        \
        combgpu__table_load##BITS(&table, worker);                                                 \
        lows = table.low;                                                                          \
        rest = (1u << table.m) - 1;                                                                \
        for (place = 0; place < table.m; place++) {                                                \
            uint32_t set = rest >> lows, subset = rest & ((1u << lows) - 1);                       \
            COST best = FAR;                                                                       \
            int chosen = 0;                                                                        \
            combgpu__table_block##BITS(&table, set, 0, low);                                       \
            for (c = 0; c < table.m; c++) {                                                        \
                COST cost =                                                                        \
                    place ? table.legs[order[place - 1] * COMBGPU__TSP_MOST + c] : table.first[c]; \
                if (!(rest >> c & 1)) continue;                                                    \
                cost = (COST)(cost +                                                               \
                              (c < lows ? low[c][subset ^ 1u << c]                                 \
                                        : table.rows[combgpu__table_row(table.high, c - lows,      \
                                                                        set ^ 1u << (c - lows)) *  \
                                                         COMBGPU__TSP_ROW +                        \
                                                     subset]));                                    \
                if (cost >= best) continue;                                                        \
                best = cost;                                                                       \
                chosen = c;                                                                        \
            }                                                                                      \
            if (!place) length = best;                                                             \
            order[place] = (unsigned char)chosen;                                                  \
            rest ^= 1u << chosen;                                                                  \
        }                                                                                          \
        return length;                                                                             \
    }                                                                                              \
    COMBGPU__WARM_END                                                                              \
                                                                                                   \
    /* Computes `blocks` blocks of a layer from `set`, in ascending order. */                      \
    COMBGPU__INLINE void combgpu__table_blocks##BITS(const combgpu__worker *worker, uint32_t set,  \
                                                     uint64_t blocks)                              \
    {                                                                                              \
        combgpu__table##BITS table;                                                                \
        COST low[COMBGPU__TSP_CPU_LOW][COMBGPU__TSP_ROW];                                          \
        combgpu__table_load##BITS(&table, worker);                                                 \
        for (; blocks; blocks--) {                                                                 \
            combgpu__table_block##BITS(&table, set, 1, low);                                       \
            set = combgpu__table_next_set(set);                                                    \
        }                                                                                          \
    }

COMBGPU__TSP_TABLE(32, int32_t, (int32_t)1 << 30)
COMBGPU__TSP_TABLE(64, int64_t, (int64_t)1 << 62)

/* Returns set number `position`, in ascending order, of those with `size` members: the
   combinatorial number system, from the greatest member down. */
COMBGPU__PRIVATE uint32_t combgpu__table_set_at(const uint32_t *binomials, int high, int size,
                                                uint64_t position)
{
    uint32_t set = 0;
    int i;
    for (i = high - 1; i >= 0 && size; i--) {
        uint32_t without = binomials[i * COMBGPU__TSP_MOST + size];
        if (position < without) continue;
        position -= without;
        set |= 1u << i;
        size--;
    }
    return set;
}

/* Returns the number of states f(c, T) in a block with `size` high cities in T. */
COMBGPU__PRIVATE uint64_t combgpu__table_block_steps(int m, int low, int size)
{
    return ((uint64_t)(m - size) << low) - (((uint64_t)low << low) >> 1);
}

/* Computes blocks begin .. end-1 of a layer. */
COMBGPU__INLINE void combgpu__table_layer(combgpu__worker *worker, int layer, uint64_t begin,
                                          uint64_t end)
{
    const uint32_t *tables = worker->tables;
    uint32_t set;
    if (begin >= end) return;
    set = combgpu__table_set_at(tables + COMBGPU__TSP_AT_BINOMIALS,
                                (int)tables[COMBGPU__TSP_AT_HIGH], layer, begin);
    if (tables[COMBGPU__TSP_AT_WIDE])
        combgpu__table_blocks64(worker, set, end - begin);
    else
        combgpu__table_blocks32(worker, set, end - begin);
    worker->totals[0] +=
        (end - begin) * combgpu__table_block_steps((int)tables[COMBGPU__TSP_AT_CITIES],
                                                   (int)tables[COMBGPU__TSP_AT_LOW], layer);
}

/* Computes the last layer, a single block, while reading the order off the table. */
COMBGPU__PRIVATE void combgpu__table_finish(combgpu__worker *worker)
{
    const uint32_t *tables = worker->tables;
    unsigned char order[COMBGPU__TSP_MOST];
    uint32_t record[COMBGPU__TSP_RECORD_WORDS] = {0};
    int m = (int)tables[COMBGPU__TSP_AT_CITIES], i;
    int64_t length = tables[COMBGPU__TSP_AT_WIDE] ? combgpu__table_order64(worker, order)
                                                  : combgpu__table_order32(worker, order);
    combgpu__put64(record, (uint64_t)length);
    for (i = 0; i < m; i++)
        record[2 + i / 4] |= (uint32_t)order[i] << 8 * (i % 4);
    worker->totals[0] += combgpu__table_block_steps(m, (int)tables[COMBGPU__TSP_AT_LOW],
                                                    (int)tables[COMBGPU__TSP_AT_HIGH]);
    combgpu__emit(worker, record); /* the only record, so it fits */
}

/* The only task is {layer, position}: every worker computes its part of the next chunk, and worker
   0 spills the position after it. The end of the slice is the barrier that a layer needs. Worker 0
   alone computes layers too small to share, several in a slice. */
COMBGPU__INLINE void combgpu__table_worker(combgpu__worker *worker)
{
    const uint32_t *binomials = worker->tables + COMBGPU__TSP_AT_BINOMIALS;
    int m = (int)worker->tables[COMBGPU__TSP_AT_CITIES],
        high = (int)worker->tables[COMBGPU__TSP_AT_HIGH],
        low = (int)worker->tables[COMBGPU__TSP_AT_LOW];
    int layer = (int)worker->tasks[0], shared = 0;
    uint64_t position = worker->tasks[1], workers = worker->slice->workers, all, steps, chunk;
    uint32_t follow[4] = {0, 0, 0, 0};
    if (worker->index == 0 && !combgpu__take(worker)) return;
    for (; !shared; layer++) {
        all = binomials[high * COMBGPU__TSP_MOST + layer];
        steps = combgpu__table_block_steps(m, low, layer);
        shared = all * steps > COMBGPU__TSP_SMALL_LAYER;
        if (shared || combgpu__spent(worker)) break;
        if (worker->index) return;
        if (layer == high) {
            combgpu__table_finish(worker);
            return;
        }
        combgpu__table_layer(worker, layer, 0, all);
    }
    if (shared && !worker->totals[0]) { /* other workers skip the slice of an unshared layer */
        chunk = worker->slice->budget * workers / steps;
        chunk = chunk < 1 ? 1 : chunk < all - position ? chunk : all - position;
        combgpu__table_layer(worker, layer, position + chunk * worker->index / workers,
                             position + chunk * (worker->index + 1) / workers);
        position += chunk;
        if (position == all) {
            position = 0;
            layer++;
        }
    }
    if (worker->index) return;
    follow[0] = (uint32_t)layer;
    follow[1] = (uint32_t)position;
    combgpu__give(worker, follow);
}

COMBGPU__SOLVER_FORMS(combgpu__tsp_table_solve, combgpu__table_worker)
