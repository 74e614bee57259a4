/* ---- phases of a worker's round, by all lanes; barriers between them are the caller's */

/* Multipliers and marks from a task. */
DEVICE void branch_unpack(GROUP_PARAMETER, const branch_t *b, GLOBAL const u32 *task)
{
    u32 i;
    for (i = GROUP_LANE; i < b->nodes; i += BRANCH_LANES)
        b->now[i] = (i64)combgpu_load64(task + 4 + 2 * i);
    task += 4 + 2 * b->nodes;
    for (i = GROUP_LANE; i < b->edges; i += BRANCH_LANES)
        b->marks[i] = (u8)((task[i / 16] >> (i % 16 * 2)) & 3);
}

/* Degrees of the nodes without the forced edges, which are listed. Returns 0 if that is too many. */
DEVICE u32 branch_degrees(GROUP_PARAMETER, const branch_t *b)
{
    u32 fine = 1, v, i;
    for (v = GROUP_LANE; v < b->nodes; v += BRANCH_LANES) {
        u32 open = 0;
        for (i = b->begin[v]; i < b->begin[v + 1]; i++)
            open += b->marks[b->incident[i]] != BRANCH_FORBIDDEN;
        b->open[v] = open;
        b->forced[v] = 0;
        b->other_end[v] = (u16)v;
    }
    for (i = GROUP_LANE; i < b->edges; i += BRANCH_LANES)
        if (b->marks[i] == BRANCH_FORCED) {
            u32 at = LOCAL_ATOMIC_ADD(b->counts + 1, 1);
            if (at < b->nodes)
                b->list[at] = (u16)i;
            else
                fine = 0;
        }
    return fine;
}

/* Queues the nodes whose last two edges are not all forced. Returns 0 if one has less than two. */
DEVICE u32 branch_queue(GROUP_PARAMETER, const branch_t *b)
{
    u32 fine = 1, v;
    for (v = GROUP_LANE; v < b->nodes; v += BRANCH_LANES) {
        u32 need = b->open[v] == 2 && b->forced[v] < 2;
        if (b->open[v] < 2) fine = 0;
        if (need) b->queue[LOCAL_ATOMIC_ADD(b->counts, 1)] = (u16)v;
        b->flag[v] = need;
    }
    return fine;
}

/* Lists the edges that are not forbidden, node by node. */
DEVICE void branch_arcs(GROUP_PARAMETER, const branch_t *b)
{
    u32 v, i;
    for (v = GROUP_LANE; v < b->nodes; v += BRANCH_LANES) {
        u32 at = b->begin[v], end = b->begin[v + 1];
        for (i = at; i < end; i++) {
            u32 edge = b->incident[i], mark = b->marks[edge], ends = b->ends[edge];
            if (mark != BRANCH_FORBIDDEN)
                b->arcs[at++] = (ends & 0xffff) + (ends >> 16) - v + (edge << 9) +
                                (mark == BRANCH_FORCED ? 1u << 31 : 0);
        }
    }
}

/* The minimum spanning tree (R. C. Prim, 1957) from node 0 if `run` is set. Returns its cost, or
   infinity; *first gets node 0's first child. Barriers stand outside of conditions. */
DEVICE i64 branch_spanning_tree(GROUP_PARAMETER, const branch_t *b, u32 rows, u32 run, u32 *first)
{
    i64 total = 0;
    u32 node = 0, outside = 0, count = run ? b->nodes : 0, i, k;
    for (k = 0; k < rows; k++) {
        u32 v = GROUP_LANE + k * BRANCH_LANES;
        if (v >= b->nodes || !run) continue;
        outside |= 1u << k;
        b->key[v] = BRANCH_INFINITE;
        b->rank[v] = BRANCH_OUTSIDE;
        b->parent_edge[v] = BRANCH_OUTSIDE;
        b->degree[v] = v != 0;
    }
    CREW_BARRIER();
    for (i = 0; i < count; i++) {
        u32 begin = b->begin[node], end = begin + b->open[node], a, y = NONE;
        i64 multiplier = b->now[node], x = BRANCH_INFINITE;
        if ((node & 31) == GROUP_LANE) {
            b->rank[node] = (u16)i;
            outside &= ~(1u << (node >> 5));
        }
        for (a = begin + GROUP_LANE; a < end; a += BRANCH_LANES) {
            u32 arc = b->arcs[a], to = arc & 511, edge = (arc >> 9) & 0x7fff;
            i64 cost = b->weights[edge] + multiplier + b->now[to];
            if (arc >> 31) cost -= BRANCH_FORCE;
            if (b->rank[to] == BRANCH_OUTSIDE &&
                (cost < b->key[to] || (cost == b->key[to] && edge < b->parent_edge[to]))) {
                b->key[to] = cost;
                b->parent[to] = (u16)node;
                b->parent_edge[to] = (u16)edge;
            }
        }
        CREW_BARRIER();
        for (k = 0; k < rows; k++) {
            u32 v = GROUP_LANE + k * BRANCH_LANES, own;
            if (!(outside >> k & 1)) continue;
            own = (u32)b->parent_edge[v] << 9 | v;
            if (b->key[v] < x || (b->key[v] == x && x != BRANCH_INFINITE && own < y)) {
                x = b->key[v];
                y = own;
            }
        }
        branch_least(GROUP, b, &x, &y);
        CREW_BARRIER();
        if (y == NONE) break; /* all are in the tree, or the rest is out of reach */
        total += x < -BRANCH_FORCE / 2 ? x + BRANCH_FORCE : x;
        node = y & 511;
        if (!i) *first = node;
    }
    if (i + 1 < count) total = BRANCH_INFINITE;
    if (run && total != BRANCH_INFINITE)
        for (k = GROUP_LANE; k < b->nodes; k += BRANCH_LANES)
            if (k) LOCAL_ATOMIC_ADD(b->degree + b->parent[k], 1);
    CREW_BARRIER();
    return total;
}

/* The second edge of a 1-tree whose first n-1 are the spanning tree: at the leaf whose second edge
   is the dearest. Returns the 1-tree's cost less twice the multipliers, or infinity. */
DEVICE i64 branch_one_tree(GROUP_PARAMETER, const branch_t *b, u32 rows, u32 run, i64 total,
                           u32 first, u32 *special, u32 *second, i64 *second_cost)
{
    i64 dearest = BRANCH_INFINITE, sum = 0; /* dearest: less than 0 the dearer it is */
    u32 leaf = NONE, none = total == BRANCH_INFINITE, k, a;
    for (k = 0; k < rows; k++) {
        u32 v = GROUP_LANE + k * BRANCH_LANES, only, edge = 0, begin;
        i64 cost = BRANCH_INFINITE;
        if (v >= b->nodes || !run || none) continue;
        sum += b->now[v];
        if (b->degree[v] != 1) continue;
        only = b->parent_edge[v ? v : first];
        begin = b->begin[v];
        for (a = begin; a < begin + b->open[v]; a++) {
            u32 arc = b->arcs[a], other = (arc >> 9) & 0x7fff;
            i64 c = b->weights[other] + b->now[v] + b->now[arc & 511];
            if (arc >> 31) c -= BRANCH_FORCE;
            if (other != only && c < cost) {
                cost = c;
                edge = other;
            }
        }
        if (cost == BRANCH_INFINITE) none = 1;
        if (cost < -BRANCH_FORCE / 2) cost += BRANCH_FORCE;
        if (leaf == NONE || -cost < dearest) {
            dearest = -cost;
            leaf = v << 15 | edge;
        }
    }
    branch_least(GROUP, b, &dearest, &leaf);
    sum = branch_sum(GROUP, b, sum);
    none = GROUP_ANY(none);
    if (run && !none) {
        *special = leaf >> 15;
        *second = leaf & 0x7fff;
        *second_cost = -dearest;
        if (GROUP_LANE < 2) {
            u32 ends = b->ends[*second];
            LOCAL_ATOMIC_ADD(b->degree + (GROUP_LANE ? ends >> 16 : ends & 0xffff), 1);
        }
    }
    CREW_BARRIER();
    return none ? BRANCH_INFINITE : total - 2 * sum - dearest;
}

/* Walks the cycle that a free edge closes with the tree. Notes at the nodes that it could replace
   the edge to their parent within `limit`; returns the dearest edge that it could replace. */
DEVICE i64 branch_cycle(const branch_t *b, u32 u, u32 v, i64 cost, i64 room)
{
    i64 dearest = -BRANCH_INFINITE;
    while (u != v) {
        u32 swap = b->rank[u] < b->rank[v], w = swap ? v : u;
        i64 key = b->key[w];
        if (cost - key <= room) LOCAL_ATOMIC_ADD(b->flag + w, 1);
        if (key > -BRANCH_FORCE / 2 && key > dearest) dearest = key;
        v = swap ? u : v;
        u = b->parent[w];
    }
    return dearest;
}

/* Forbids the edges whose presence, and lists those whose absence, lifts the bound by more than
   `room`. Returns how many were forbidden. */
DEVICE u32 branch_reduce(GROUP_PARAMETER, const branch_t *b, u32 run, i64 room, u32 first,
                         u32 special, u32 second, i64 second_cost)
{
    u32 forbidden = 0, third = 0, i; /* third: 1 = for the leaf's tree edge, 2 = for the second */
    u32 at_leaf = special ? special : first;
    for (i = GROUP_LANE; run && i < b->edges; i += BRANCH_LANES) {
        u32 u = b->ends[i] & 0xffff, v = b->ends[i] >> 16;
        i64 cost, dearest = -BRANCH_INFINITE;
        if (b->marks[i] != BRANCH_FREE || i == second || b->parent_edge[u] == i ||
            b->parent_edge[v] == i)
            continue;
        cost = branch_cost(b, i);
        if (u == special || v == special) {
            third |= (cost - b->key[at_leaf] <= room) | (u32)(cost - second_cost <= room) << 1;
            if (b->marks[second] == BRANCH_FREE) dearest = second_cost;
        } else
            dearest = branch_cycle(b, u, v, cost, room);
        if (dearest != -BRANCH_INFINITE && cost - dearest <= room) continue;
        b->marks[i] = (u8)BRANCH_FORBIDDEN;
        forbidden++;
        LOCAL_ATOMIC_ADD(b->open + u, NONE);
        LOCAL_ATOMIC_ADD(b->open + v, NONE);
    }
    CREW_BARRIER();
    third = (GROUP_ANY(third & 1) ? 1u : 0u) | (GROUP_ANY(third & 2) ? 2u : 0u);
    for (i = GROUP_LANE; run && i < b->nodes; i += BRANCH_LANES) {
        u32 edge = i ? b->parent_edge[i] : second;
        u32 keep = !i ? third & 2 : i == at_leaf ? third & 1 : b->flag[i];
        if (b->marks[edge] == BRANCH_FREE && !keep)
            b->list[LOCAL_ATOMIC_ADD(b->counts + 1, 1)] = (u16)edge;
    }
    forbidden = GROUP_ADD(forbidden);
    CREW_BARRIER();
    return forbidden;
}

/* The 1-tree is a tour: writes its record if it is the shorter one and there is room. Returns its
   length, or the old one. By lane 0. */
DEVICE i64 branch_tour(GLOBAL combgpu_slice_t *slice, const branch_t *b, GLOBAL u32 *records,
                       u32 second, i64 known)
{
    u32 node = 0, last, at, i;
    i64 length = 0;
    for (i = 0; i < b->nodes; i++)
        b->flag[i] = 0;
    for (i = 0; i < b->nodes; i++) {
        u32 edge = i ? b->parent_edge[i] : second, u = b->ends[edge] & 0xffff;
        u32 v = b->ends[edge] >> 16;
        (b->flag[u]++ ? b->list : b->queue)[u] = (u16)v;
        (b->flag[v]++ ? b->list : b->queue)[v] = (u16)u;
        length += b->weights[edge];
    }
    if (length >= known) return known;
    at = combgpu_emit(slice);
    if (at == NONE) return known;
    ATOMIC_OR(&slice->stop, STOP_NOW); /* so that the host tells all others, who prune by it */
    records += (u64)at * slice->record_words;
    combgpu_store64(records, (u64)length);
    /* directed: nodes below `cities` are "in", and a city is entered there */
    last = b->queue[0];
    if (b->tables[3] && last == b->tables[2]) last = b->list[0];
    for (i = 0; i < b->nodes; i++) {
        u32 to = b->queue[node] == last ? b->list[node] : b->queue[node];
        if (!b->tables[3])
            records[2 + i] = node;
        else if (i % 2 == 0)
            records[2 + i / 2] = node;
        last = node;
        node = to;
    }
    return length;
}

/* Of the 1-tree's free edges at a node the dearest one but `except`. */
DEVICE u32 branch_dearest(GROUP_PARAMETER, const branch_t *b, u32 node, u32 second, u32 except)
{
    i64 x = BRANCH_INFINITE;
    u32 y = NONE, a, end = node == NONE ? 0 : b->begin[node] + b->open[node];
    for (a = node == NONE ? 0 : b->begin[node] + GROUP_LANE; a < end; a += BRANCH_LANES) {
        u32 arc = b->arcs[a], edge = (arc >> 9) & 0x7fff;
        i64 cost = -branch_cost(b, edge);
        if (arc >> 31 || edge == except || cost >= x) continue;
        if (edge != second && b->parent_edge[node] != edge && b->parent_edge[arc & 511] != edge)
            continue;
        x = cost;
        y = edge;
    }
    branch_least(GROUP, b, &x, &y);
    return y;
}

/* A child as a task; its two edges get marks other than the parent's (first: 1 or 2; other: 0 =
   leave it). */
DEVICE void branch_pack(GROUP_PARAMETER, const branch_t *b, GLOBAL u32 *task, i64 bound, u64 share,
                        u32 first, u32 first_mark, u32 other, u32 other_mark)
{
    u32 words = (b->edges + 15) / 16, i, j;
    if (GROUP_LANE == 0) {
        combgpu_store64(task, (u64)bound);
        combgpu_store64(task + 2, share);
    }
    for (i = GROUP_LANE; i < b->nodes; i += BRANCH_LANES)
        combgpu_store64(task + 4 + 2 * i, (u64)b->now[i]);
    task += 4 + 2 * b->nodes;
    for (i = GROUP_LANE; i < words; i += BRANCH_LANES) {
        u32 word = 0;
        for (j = 0; j < 16 && i * 16 + j < b->edges; j++) {
            u32 edge = i * 16 + j, mark = b->marks[edge];
            if (edge == first) mark = first_mark;
            if (edge == other && other_mark) mark = other_mark;
            word |= mark << (2 * j);
        }
        task[i] = word;
    }
}

/* Next multipliers: a step along 7/10 of this 1-tree's degrees less 2 and 3/10 of the last one's. */
DEVICE void branch_move(GROUP_PARAMETER, const branch_t *b, u32 rows, i32 *last, i64 distance,
                        u32 squares, u32 boldness, u32 begun)
{
    i64 step = distance / squares;
    u32 k;
    step = (step >> 10) * boldness + (((step & 1023) * boldness) >> 10);
    if (step < 1) step = 1;
    if (step > BRANCH_MULTIPLIER) step = BRANCH_MULTIPLIER;
    for (k = 0; k < rows; k++) {
        u32 v = GROUP_LANE + k * BRANCH_LANES;
        i32 excess;
        i64 value;
        if (v >= b->nodes) continue;
        excess = (i32)b->degree[v] - 2;
        value = b->now[v] + step * (begun ? 7 * excess + 3 * last[k] : 10 * excess) / 10;
        b->now[v] = value > BRANCH_MULTIPLIER    ? BRANCH_MULTIPLIER
                    : value < -BRANCH_MULTIPLIER ? -BRANCH_MULTIPLIER
                                                 : value;
        last[k] = excess;
    }
}

/* A worker's slice. Each round makes one 1-tree of the node at hand, or begins or ends a node. */
DEVICE void branch_slice(GROUP_PARAMETER, SLICE_ARGUMENTS, branch_t *b, u32 rows)
{
    const i64 grain = (i64)combgpu_load64(tables + 4);
    i64 length = (i64)combgpu_load64(tables + 6), bound = 0, best = 0, second_cost = 0;
    i32 last[9];
    u32 mode = BRANCH_NEW, count = 0, steps = 0, nodes = 0, trees = 0, words = slice->task_words;
    u32 round = 0, made = 0, limit = 0, waited = 0, boldness = 0, pending = 0, forbidden = 0;
    u32 first = 0, special = 0, second = 0, busy = GROUP_INDEX < slice->workers, i, k;
    u64 shares = 0, share = 0;
    (void)work;
    for (k = 0; k < 9; k++)
        last[k] = 0;
    if (GROUP_LANE == 0) b->counts[0] = b->counts[1] = 0;
    for (;;) {
        u32 want = mode == BRANCH_NEW, fresh = 0, done = 0, branch = 0, tour = 0;
        u32 fine = 1, fail, run, fixed, task, squares = 0, e0, e1, again;
        GLOBAL u32 *top = b->stack;
        i64 total, value;

        /* a node of the search tree */
        fail = GROUP_FROM(GROUP_LANE == 0 ? combgpu_spent(slice, steps) : 0, 0);
        fail |= (u32)(!busy | (count + 3 > BRANCH_STACK));
        task = GROUP_TAKE(slice, want & (u32)(!count & !fail));
        fail = want ? (count ? fail : task == NONE) : 0;
        if (fail) break;
        for (i = GROUP_LANE; task != NONE && i < words; i += BRANCH_LANES)
            b->stack[i] = tasks[(u64)task * words + i];
        count += task != NONE;
        CREW_BARRIER();
        if (want) {
            top += --count * words;
            bound = (i64)combgpu_load64(top);
            share = combgpu_load64(top + 2);
            fresh = bound <= length - grain;
            done = !fresh;
        }
        if (fresh) branch_unpack(GROUP, b, top);
        CREW_BARRIER();

        /* edges fixed: those of a new node, or by the 1-tree before */
        if (fresh) fine = branch_degrees(GROUP, b);
        CREW_BARRIER();
        if (fresh || pending) fine &= branch_queue(GROUP, b);
        CREW_BARRIER();
        fail = GROUP_ANY(!fine);
        b->fixed = 0;
        if (fresh) b->forced_count = 0;
        if ((fresh || pending) && !fail && GROUP_LANE == 0) fine = branch_settle(b, fresh);
        CREW_BARRIER();
        fail = GROUP_ANY(!fine);
        fixed = forbidden + GROUP_FROM(b->fixed, 0);
        if (GROUP_LANE == 0) b->counts[0] = b->counts[1] = 0;
        nodes += fresh;
        if (fail && (fresh || pending))
            done = 1;
        else if (fresh || pending) {
            if (fresh) round = 0;
            if (pending && !fixed)
                branch = 1;
            else if (pending && round && fixed < 3)
                mode = BRANCH_LAST;
            else {
                limit = fresh ? 20 : limit * 2 / 3 + 3;
                boldness = fresh ? 1024 : 512;
                round += pending;
                made = waited = 0;
                best = -BRANCH_INFINITE;
                mode = BRANCH_ASCENT;
            }
        }
        run = !done && !branch;
        if (run && (fresh || pending)) branch_arcs(GROUP, b);
        pending = 0;
        CREW_BARRIER();

        /* a 1-tree, and what it says */
        total = branch_spanning_tree(GROUP, b, rows, run, &first);
        value = branch_one_tree(GROUP, b, rows, run, total, first, &special, &second, &second_cost);
        trees += run;
        for (i = GROUP_LANE; i < b->nodes; i += BRANCH_LANES)
            squares += (b->degree[i] - 2) * (b->degree[i] - 2);
        squares = GROUP_ADD(squares);
        if (run && mode == BRANCH_ASCENT) {
            u32 end = 1;
            waited++;
            if (value > best) {
                best = value;
                waited = 0;
                for (i = GROUP_LANE; value != BRANCH_INFINITE && i < b->nodes; i += BRANCH_LANES)
                    b->best[i] = b->now[i];
            }
            if (value <= length - grain) {
                tour = !squares;
                if (squares && made + 1 < limit) {
                    if (waited >= 3) {
                        boldness = boldness * 7 / 10;
                        waited = 0;
                    }
                    end = boldness < 2;
                }
            }
            if (!end)
                branch_move(GROUP, b, rows, last, length - value, squares, boldness, made++);
            else {
                for (i = GROUP_LANE; i < b->nodes; i += BRANCH_LANES)
                    b->now[i] = b->best[i];
                if (best > bound) bound = best;
                done = tour || bound > length - grain;
                mode = BRANCH_FIX;
            }
            run = 0;
        }
        CREW_BARRIER();
        if (run && mode == BRANCH_FIX) pending = 1;
        forbidden = branch_reduce(GROUP, b, pending, length - grain - value, first, special, second,
                                  second_cost);
        if (run && mode == BRANCH_LAST) {
            branch = value <= length - grain;
            done = !branch;
        }

        /* the node's end: children, a tour, or nothing */
        fail = NONE;
        for (i = GROUP_LANE; branch && i < b->nodes; i += BRANCH_LANES) {
            u32 rated = (b->open[i] - b->forced[i]) << 9 | i;
            if (b->degree[i] >= 3 && rated < fail) fail = rated;
        }
        fail = GROUP_MIN(fail);
        if (branch && fail == NONE) tour = 1;
        fail = branch && fail != NONE ? fail & 511 : NONE;
        e0 = branch_dearest(GROUP, b, fail, second, NONE);
        e1 = branch_dearest(GROUP, b, fail, second, e0);
        if (fail != NONE) {
            u32 children = b->forced[fail] ? 2 : 3;
            for (i = 0; i < children; i++, count++)
                branch_pack(GROUP, b, b->stack + count * words, bound,
                            share / children + (i ? 0 : share % children), e0,
                            i ? BRANCH_FORCED : BRANCH_FORBIDDEN, e1,
                            !i || children == 2 ? BRANCH_FREE
                            : i == 1            ? BRANCH_FORBIDDEN
                                                : BRANCH_FORCED);
        }
        value = length;
        if (tour && GROUP_LANE == 0) value = branch_tour(slice, b, records, second, length);
        again = GROUP_FROM((u32)((u64)value >> 32), 0);
        value = (i64)((u64)again << 32 | GROUP_FROM((u32)value, 0));
        again = tour && value == length; /* it could not be told: find it again */
        length = value;
        if (again) {
            count++;
            nodes--;
        } else if (tour || done)
            shares += share;
        if (tour || done || fail != NONE) {
            if (!again) steps += trees;
            trees = 0;
            mode = BRANCH_NEW;
        }
    }
    while (count) { /* the deepest first: they come first in the next slice */
        u32 at = GROUP_GIVE(slice, 1);
        count--;
        for (i = GROUP_LANE; i < words; i += BRANCH_LANES)
            left[(u64)at * words + i] = b->stack[count * words + i];
    }
    if (GROUP_LANE == 0) {
        combgpu_add_total(slice, 0, steps);
        combgpu_add_total(slice, 1, nodes);
        combgpu_add_total(slice, 2, shares);
    }
}

/* Lays out the graph in `tables` (combgpu.h: combgpu__branch_tables) and the worker's memory. */
DEVICE void branch_layout(GROUP_PARAMETER, branch_t *b, GLOBAL const u32 *tables, GLOBAL u32 *work,
                          u32 task_words)
{
    u32 nodes = tables[0], edges = tables[1], marks = (edges + 7) / 8 * 2;
    u32 own = 2 * nodes + 2 * edges + marks + BRANCH_STACK * task_words;
    work += (u64)GROUP_INDEX * ((own + 1) & ~1u);
    b->tables = tables;
    b->nodes = nodes;
    b->edges = edges;
    b->ends = tables + 8;
    b->begin = b->ends + edges;
    b->incident = b->begin + nodes + 1;
    b->weights = (GLOBAL const i64 *)(tables + ((8 + 3 * edges + nodes + 2) & ~1u));
    b->best = (GLOBAL i64 *)work;
    b->arcs = work + 2 * nodes;
    b->marks = (GLOBAL u8 *)(b->arcs + 2 * edges);
    b->stack = b->arcs + 2 * edges + marks;
    b->fixed = b->forced_count = 0;
}

#ifdef COMBGPU_SHUFFLE
#define BRANCH_SCRATCH
#define BRANCH_SCRATCH_SET
#else
#define BRANCH_SCRATCH                                                                             \
    LOCAL_ARRAY i64 lane_x[32];                                                                    \
    LOCAL_ARRAY u32 lane_y[32];
#define BRANCH_SCRATCH_SET                                                                         \
    b.lane_x = lane_x;                                                                             \
    b.lane_y = lane_y;
#endif
#define BRANCH_KERNEL(ROWS)                                                                        \
    LOCAL_ARRAY i64 now[32 * ROWS], key[32 * ROWS];                                                \
    LOCAL_ARRAY u32 degree[32 * ROWS], open[32 * ROWS], flag[32 * ROWS], counts[2];                \
    LOCAL_ARRAY u16 parent[32 * ROWS], parent_edge[32 * ROWS], rank[32 * ROWS];                    \
    LOCAL_ARRAY u16 forced[32 * ROWS], other_end[32 * ROWS], queue[32 * ROWS], list[32 * ROWS];    \
    BRANCH_SCRATCH                                                                                 \
    branch_t b;                                                                                    \
    GROUP_BEGIN(32);                                                                               \
    branch_layout(GROUP, &b, tables, work, slice->task_words);                                     \
    b.now = now;                                                                                   \
    b.key = key;                                                                                   \
    b.degree = degree;                                                                             \
    b.open = open;                                                                                 \
    b.flag = flag;                                                                                 \
    b.parent = parent;                                                                             \
    b.parent_edge = parent_edge;                                                                   \
    b.rank = rank;                                                                                 \
    b.forced = forced;                                                                             \
    b.other_end = other_end;                                                                       \
    b.queue = queue;                                                                               \
    b.list = list;                                                                                 \
    b.counts = counts;                                                                             \
    BRANCH_SCRATCH_SET                                                                             \
    branch_slice(GROUP, slice, tables, tasks, left, records, work, &b, ROWS)

/* A block is one group: its local memory is the worker's. */
KERNEL combgpu_tsp_branch(SLICE_ARGUMENTS) /* up to 128 nodes */
{
    BRANCH_KERNEL(4);
}

KERNEL combgpu_tsp_branch_wide(SLICE_ARGUMENTS) /* up to 288 */
{
    BRANCH_KERNEL(9);
}

#undef BRANCH_LANES
#undef BRANCH_STACK
#undef BRANCH_FORCE
#undef BRANCH_INFINITE
#undef BRANCH_MULTIPLIER
#undef BRANCH_OUTSIDE
#undef BRANCH_FREE
#undef BRANCH_FORBIDDEN
#undef BRANCH_FORCED
#undef BRANCH_NEW
#undef BRANCH_ASCENT
#undef BRANCH_FIX
#undef BRANCH_LAST
#undef BRANCH_KERNEL
#undef BRANCH_SCRATCH
#undef BRANCH_SCRATCH_SET

#endif /* BRANCH */

