/* The moves of the local search for weights without direction: chains of exchanges, and insertions. */

#define COMBGPU__LARGE_DEPTH 6    /* exchanges of a chain, at most */
#define COMBGPU__LARGE_WIDTH 5    /* exchanges tried first, */
#define COMBGPU__LARGE_SECOND 3   /* second, and later one */
#define COMBGPU__LARGE_SHIFT 1000 /* cities that an exchange moves for a chain that goes on */

/* A chain (S. Lin, B. W. Kernighan, 1973): the leg between `first` and its neighbour is open; each exchange
   joins the neighbour to a city near it, and opens the leg behind that. */
typedef struct combgpu__large_chain {
    int first, second, count;          /* exchanges so far */
    int ends[COMBGPU__LARGE_DEPTH][2]; /* of each: the near city, and the new neighbour */
    int64_t gain;                      /* if the chain ends at its best place, */
    int kept, reversals;               /* after so many exchanges and reversals */
} combgpu__large_chain;

typedef struct combgpu__large_exchange {
    int to, next;
    int64_t gain; /* without the leg that closes the tour */
} combgpu__large_exchange;

/* Nonzero if the chain joined two cities, which then stay together. */
COMBGPU__PRIVATE int combgpu__large_joined(const combgpu__large_chain *chain, int a, int b)
{
    int i;
    for (i = 0; i < chain->count; i++) {
        int from = i ? chain->ends[i - 1][1] : chain->second, to = chain->ends[i][0];
        if ((from == a && to == b) || (from == b && to == a)) return 1;
    }
    return 0;
}

/* Lists the exchanges of most gain at the open leg's end. Returns how many. */
COMBGPU__PRIVATE int combgpu__large_exchanges(const combgpu__large_search *search,
                                              const combgpu__large_chain *chain, int end,
                                              int64_t gain, combgpu__large_exchange *list)
{
    int forward = combgpu__large_after(search, chain->first) == end, count = 0, k, i, to;
    int most = chain->count == 0   ? COMBGPU__LARGE_WIDTH
               : chain->count == 1 ? COMBGPU__LARGE_SECOND
                                   : 1;
    int64_t joined = 0;
    for (k = 0; (to = combgpu__large_neighbour(search, end, k, &joined)) >= 0; k++) {
        combgpu__large_exchange found;
        if (gain <= joined) break;
        found.to = to;
        found.next = forward ? combgpu__large_before(search, to) : combgpu__large_after(search, to);
        if (to == chain->first || found.next == end ||
            combgpu__large_fixed(search->large, to, found.next) ||
            combgpu__large_joined(chain, to, found.next))
            continue;
        found.gain = gain - joined + combgpu__large_way(search, to, found.next);
        if (count == most && found.gain <= list[count - 1].gain) continue;
        if (count < most) count++;
        for (i = count - 1; i > 0 && list[i - 1].gain < found.gain; i--)
            list[i] = list[i - 1];
        list[i] = found;
    }
    return count;
}

/* The cities that a reversal of the part between two moves. */
COMBGPU__PRIVATE int combgpu__large_apart(const combgpu__large_search *search, int from, int to)
{
    int apart = abs(search->place[from] - search->place[to]);
    return 2 * apart > search->cities ? search->cities - apart : apart;
}

/* Extends the chain, whose open leg ends at `end`. Returns 0, with the tour as before, if that finds no
   better place to end. */
COMBGPU__PRIVATE int combgpu__large_extend(combgpu__large_search *search,
                                           combgpu__large_chain *chain, int end, int64_t gain)
{
    combgpu__large_exchange list[COMBGPU__LARGE_WIDTH];
    int count = combgpu__large_exchanges(search, chain, end, gain, list), at = chain->count;
    int before = search->reversals, k;
    for (k = 0; k < count; k++) {
        int next = list[k].next;
        int64_t closed = list[k].gain - combgpu__large_way(search, chain->first, next);
        int better = closed > chain->gain;
        if (!better && (at + 1 == COMBGPU__LARGE_DEPTH ||
                        combgpu__large_apart(search, end, next) > COMBGPU__LARGE_SHIFT))
            continue;
        combgpu__large_flip(search, chain->first, end, next);
        chain->ends[at][0] = list[k].to;
        chain->ends[at][1] = next;
        chain->count = at + 1;
        if (better) {
            chain->gain = closed;
            chain->kept = chain->count;
            chain->reversals = search->reversals;
        }
        if (chain->count < COMBGPU__LARGE_DEPTH)
            better |= combgpu__large_extend(search, chain, next, list[k].gain);
        if (better) return 1;
        combgpu__large_undo(search, before);
        chain->count = at;
    }
    return 0;
}

/* Improves the tour by a chain from the leg between two cities. Returns 0 if none does. */
COMBGPU__PRIVATE int combgpu__large_improves(combgpu__large_search *search, int first, int second)
{
    combgpu__large_chain chain;
    int i;
    if (combgpu__large_fixed(search->large, first, second)) return 0;
    memset(&chain, 0, sizeof chain);
    chain.first = first;
    chain.second = second;
    if (!combgpu__large_extend(search, &chain, second, combgpu__large_way(search, first, second)))
        return 0;
    combgpu__large_undo(search, chain.reversals);
    search->length -= chain.gain;
    combgpu__large_touch(search, first), combgpu__large_touch(search, second);
    for (i = 0; i < chain.kept; i++) {
        combgpu__large_touch(search, chain.ends[i][0]);
        combgpu__large_touch(search, chain.ends[i][1]);
    }
    return 1;
}

/* ---- insertions */

/* A part moved: legs first second, c d and e f become second c, d e and f first. Seen from `first` to
   `second`, c comes `within` places after `second`, e `at` places; f comes after e, or before it if
   `turned`. */
typedef struct combgpu__large_insertion {
    int first, second, c, d, e, f, within, at, turned;
    int64_t gain;
} combgpu__large_insertion;

/* The places from one city to another in a direction. */
COMBGPU__PRIVATE int combgpu__large_places(const combgpu__large_search *search, int from, int to,
                                           int forward)
{
    int places = search->place[to] - search->place[from];
    if (!forward) places = -places;
    return places < 0 ? places + search->cities : places;
}

/* Looks for a better insertion with the first two legs of `move`, whose gain so far is `gain`. */
COMBGPU__PRIVATE void combgpu__large_third(const combgpu__large_search *search,
                                           combgpu__large_insertion *move, int64_t gain,
                                           combgpu__large_insertion *best)
{
    int forward = combgpu__large_after(search, move->first) == move->second, k;
    int64_t joined = 0;
    for (k = 0; (move->e = combgpu__large_neighbour(search, move->d, k, &joined)) >= 0; k++) {
        if (gain - joined <= best->gain) break;
        move->at = combgpu__large_places(search, move->second, move->e, forward);
        if (move->at > move->within) continue;
        for (move->turned = 0; move->turned < 2; move->turned++) {
            if (move->at == (move->turned ? 0 : move->within)) continue;
            move->f = forward != move->turned ? combgpu__large_after(search, move->e)
                                              : combgpu__large_before(search, move->e);
            move->gain = gain - joined + combgpu__large_way(search, move->e, move->f) -
                         combgpu__large_way(search, move->f, move->first);
            if (move->gain > best->gain && !combgpu__large_fixed(search->large, move->e, move->f))
                *best = *move;
        }
    }
}

/* Improves the tour by the best insertion that cuts the leg between two cities; of the exchanges of three
   legs those whose first two leave a circle (S. Lin, 1965; I. Or, 1976). Returns 0 if none does. */
COMBGPU__PRIVATE int combgpu__large_insert(combgpu__large_search *search, int first, int second)
{
    int forward = combgpu__large_after(search, first) == second, k;
    int64_t old = combgpu__large_way(search, first, second), joined = 0;
    combgpu__large_insertion move, best;
    if (combgpu__large_fixed(search->large, first, second)) return 0;
    memset(&move, 0, sizeof move);
    move.first = first;
    move.second = second;
    best = move;
    for (k = 0; (move.c = combgpu__large_neighbour(search, second, k, &joined)) >= 0; k++) {
        if (old <= joined) break;
        move.d =
            forward ? combgpu__large_after(search, move.c) : combgpu__large_before(search, move.c);
        if (move.c == first || combgpu__large_fixed(search->large, move.c, move.d)) continue;
        move.within = combgpu__large_places(search, second, move.c, forward);
        combgpu__large_third(search, &move,
                             old - joined + combgpu__large_way(search, move.c, move.d), &best);
    }
    if (!best.gain) return 0;
    if (best.turned) {
        combgpu__large_flip(search, first, second, best.f);
        combgpu__large_flip(search, best.d, best.c, best.e);
    } else {
        int part = best.at + 1, other = best.within - best.at;
        combgpu__large_swap(search, search->place[forward ? second : best.c],
                            forward ? part : other, forward ? other : part);
    }
    search->length -= best.gain;
    combgpu__large_touch(search, first), combgpu__large_touch(search, second);
    combgpu__large_touch(search, best.c), combgpu__large_touch(search, best.d);
    combgpu__large_touch(search, best.e), combgpu__large_touch(search, best.f);
    return 1;
}
