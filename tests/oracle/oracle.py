"""Random problems, each solved here by the plainest means and by the library: answers must be equal.

usage: oracle.py BRIDGE.so [CASES] [SEED]   prints TAP: a point for each kind of problem. Only the
       standard library. ORACLE_BACKEND=opencl or cuda takes that backend. A case that fails is printed whole.
"""

import ctypes
import itertools
import math
import os
import random
import sys

OK, INVALID = 0, -1
U64 = ctypes.c_uint64


def array(kind, values):
    values = list(values)
    return (kind * max(1, len(values)))(*values)


# ---- magic squares

NORMAL, SEMI, PANDIAGONAL, ASSOCIATIVE, ULTRAMAGIC, BIMAGIC = range(6)


def magic_lines(n, kind):
    """Lists of cells with equal sums, and pairs of cells with twice the mean as sum."""
    rows = [[r * n + c for c in range(n)] for r in range(n)]
    lines = rows + [list(column) for column in zip(*rows)]
    if kind != SEMI:
        broken = range(n) if kind in (PANDIAGONAL, ULTRAMAGIC) else [0]
        for b in broken:
            lines.append([r * n + (r + b) % n for r in range(n)])
            lines.append([r * n + (n - 1 - r + b) % n for r in range(n)])
    pairs = []
    if kind in (ASSOCIATIVE, ULTRAMAGIC):
        pairs = [[i, n * n - 1 - i] for i in range(n * n // 2)]
        if n % 2:
            pairs.append([n * n // 2])
    return lines, pairs


def magic_all(n, kind, givens, numbers):
    """All completions: cell by cell, the cell of the fullest line first."""
    total = sum(numbers)
    if total % n:
        return []
    lines, pairs = magic_lines(n, kind)
    # (cells, power, sum): all in multiples of n*n, so that twice the mean is whole
    rules = [(line, 1, total // n) for line in lines]
    if kind == BIMAGIC:
        squares = sum(x * x for x in numbers)
        if squares % n:
            return []
        rules += [(line, 2, squares // n) for line in lines]
    for pair in pairs:
        if 2 * total % (n * n) or (len(pair) == 1 and total % (n * n)):
            return []
        rules.append((pair, 1, len(pair) * total // (n * n) if len(pair) == 1 else 2 * total // (n * n)))
    of_cell = [[r for r, rule in enumerate(rules) if cell in rule[0]] for cell in range(n * n)]
    left = [rule[2] for rule in rules]
    free = [len(rule[0]) for rule in rules]
    square = [None] * (n * n)
    unused = set(numbers)
    found = []

    def put(cell, x):
        square[cell] = x
        unused.discard(x)
        right = True
        for r in of_cell[cell]:
            left[r] -= x ** rules[r][1]
            free[r] -= 1
            right = right and (free[r] or not left[r])
        return right

    def take(cell):
        x = square[cell]
        square[cell] = None
        unused.add(x)
        for r in of_cell[cell]:
            left[r] += x ** rules[r][1]
            free[r] += 1

    def search():
        least, chosen, forced = 99, None, None
        for r, rule in enumerate(rules):
            if free[r] and free[r] < least:
                least = free[r]
                chosen = next(cell for cell in rule[0] if square[cell] is None)
                forced = left[r] if least == 1 and rule[1] == 1 else None
        if chosen is None:
            found.append(tuple(square))
            return
        for x in [forced] if forced is not None else sorted(unused):
            if x in unused:
                if put(chosen, x):
                    search()
                take(chosen)

    right = True
    for cell, x in enumerate(givens):
        if x is not None:
            if x not in unused:
                return []
            right = put(cell, x) and right
    if right:
        search()
    return found


def images(square, n):
    """The 8 rotations and reflections."""
    grid = [list(square[i * n : i * n + n]) for i in range(n)]
    out = []
    for _ in range(2):
        for _ in range(4):
            grid = [list(row) for row in zip(*grid[::-1])]
            out.append(tuple(x for row in grid for x in row))
        grid = [row[::-1] for row in grid]
    return out


def frenicle(square, n):
    if n < 2:
        return tuple(square)
    return min(images(square, n), key=lambda s: (s[0], s[1]))


BASES = {
    1: [[1]],
    2: [[1, 2, 3, 4]],
    3: [[2, 7, 6, 9, 5, 1, 4, 3, 8]],
    4: [
        [16, 3, 2, 13, 5, 10, 11, 8, 9, 6, 7, 12, 4, 15, 14, 1],
        [1, 8, 13, 12, 14, 11, 2, 7, 4, 5, 16, 9, 15, 10, 3, 6],
    ],
    5: [
        [17, 24, 1, 8, 15, 23, 5, 7, 14, 16, 4, 6, 13, 20, 22, 10, 12, 19, 21, 3, 11, 18, 25, 2, 9],
        [5 * ((i + 2 * j + 1) % 5) + (i + 3 * j + 3) % 5 + 1 for i in range(5) for j in range(5)],
    ],
    6: [
        [35, 1, 6, 26, 19, 24, 3, 32, 7, 21, 23, 25, 31, 9, 2, 22, 27, 20, 8, 28, 33, 17, 10, 15]
        + [30, 5, 34, 12, 14, 16, 4, 36, 29, 13, 18, 11]
    ],
}
FREE = {1: 1, 2: 4, 3: 9, 4: 12, 5: 11, 6: 11}  # free cells, at most


def magic_case(rng, lib):
    n = rng.choice([1, 2, 3, 3, 4, 4, 4, 5, 5, 6])
    kind = rng.choice([NORMAL, NORMAL, NORMAL, SEMI, SEMI, PANDIAGONAL, ASSOCIATIVE, ULTRAMAGIC, BIMAGIC])
    numbers = list(range(1, n * n + 1))
    base = rng.choice(images(rng.choice(BASES[n]), n))
    if rng.random() < 0.3:
        base = [n * n + 1 - x for x in base]
    custom = n <= 5 and kind != BIMAGIC and rng.random() < 0.4
    if custom:
        if n == 3 and rng.random() < 0.7:
            low = rng.randint(-30, 30)
            numbers = rng.sample(range(low, low + rng.choice([9, 10, 11])), 9)
        else:
            low, step = rng.randint(-1000, 1000), rng.choice([1, 2, 3, 100])
            numbers = [low + step * i for i in range(n * n)]
        base = [sorted(numbers)[x - 1] for x in base]
    room = min(n * n, FREE[n] - 2 * (kind == SEMI and n > 3))
    free = set(rng.sample(range(n * n), rng.randint(0, room) if rng.random() < 0.3 else room))
    givens = [None if i in free else x for i, x in enumerate(base)]
    fixed = [i for i, x in enumerate(givens) if x is not None]
    if fixed and rng.random() < 0.15:  # two numbers change places, or one goes to a free cell
        a, b = rng.choice(fixed), rng.randrange(n * n)
        givens[a], givens[b] = givens[b], givens[a]
    if 0 in numbers:
        givens = [x or None for x in givens]  # 0 cannot be given
    if rng.random() < 0.5 and n < 6:
        rng.shuffle(numbers)
    want = magic_all(n, kind, givens, numbers)
    forms = {frenicle(s, n) for s in want}
    once = rng.random() < 0.5
    listed = rng.random() < 0.5
    counts, squares = array(U64, [0] * 3), array(ctypes.c_int, [0] * (n * n * (len(want) + 1)))
    status = lib.oracle_magic(
        n, kind, array(ctypes.c_int, [x or 0 for x in givens]) if fixed else None,
        array(ctypes.c_int, numbers) if custom else None, once, squares if listed else None,
        ctypes.sizeof(squares), counts)  # fmt: skip
    case = f"order {n} kind {kind} givens {givens} numbers {numbers if custom else None}"
    if status == INVALID:
        return not want, case + " refused"
    got = [tuple(squares[i * n * n : (i + 1) * n * n]) for i in range(min(counts[2], len(want) + 1))]
    right = status == OK and counts[0] == len(want) and counts[1] == len(forms)
    if listed and status == OK:
        right = right and len(got) == counts[2] and sorted(got) == sorted(forms if once else want)
    return right, f"{case}: {status} {list(counts)}, want {len(want)} {len(forms)}"


# ---- no three in line

CLASSES = ["all", "iden", "dia1", "ort1", "rot2", "near_rot4", "dia2", "rot4", "ort2", "full"]


def no3_boards(n):
    """All solutions as sets of cells, row by row; a cell that is in line with two points is out."""
    out = []

    def search(y, points, columns):
        if y == n:
            out.append(frozenset(points))
            return
        for a, b in itertools.combinations(range(n), 2):
            if columns[a] == 2 or columns[b] == 2:
                continue
            more = [(a, y), (b, y)]
            if any(
                (q[0] - p[0]) * (r[1] - p[1]) == (r[0] - p[0]) * (q[1] - p[1])
                for p, q in itertools.combinations(points, 2)
                for r in more
            ):
                continue
            if any((a - p[0]) * (y - p[1]) == (b - p[0]) * (y - p[1]) and p[1] == y for p in points):
                continue
            columns[a] += 1
            columns[b] += 1
            search(y + 1, points + more, columns)
            columns[a] -= 1
            columns[b] -= 1

    search(0, [], [0] * n)
    return out


def no3_images(board, n):
    m = n - 1
    maps = [
        lambda x, y: (x, y), lambda x, y: (m - x, m - y), lambda x, y: (y, m - x), lambda x, y: (m - y, x),
        lambda x, y: (m - x, y), lambda x, y: (x, m - y), lambda x, y: (y, x), lambda x, y: (m - y, m - x),
    ]  # fmt: skip
    return [frozenset(f(x, y) for x, y in board) for f in maps]


def no3_class(board, n):
    same = [image == board for image in no3_images(board, n)]
    half, quarter, ort, dia = same[1], same[2], same[4] + same[5], same[6] + same[7]
    if ort == 2 and dia == 2:
        return "full"
    if quarter:
        return "rot4"
    if ort == 2:
        return "ort2"
    if dia == 2:
        return "dia2"
    if half:
        return "rot2"
    return "ort1" if ort else "dia1" if dia else "iden"


LARGER = {  # the exact classes that have the symmetry of a class
    "all": set(CLASSES), "dia1": {"dia1", "dia2", "full"}, "ort1": {"ort1", "ort2", "full"},
    "rot2": {"rot2", "dia2", "rot4", "ort2", "full"}, "dia2": {"dia2", "full"}, "rot4": {"rot4", "full"},
    "ort2": {"ort2", "full"}, "full": {"full"},
}  # fmt: skip
KNOWN = {}


def masks(cells, n):
    rows = [0] * n
    for x, y in cells:
        rows[y] |= 1 << x
    return tuple(rows)


def no3_case(rng, lib):
    n = rng.choice([2, 3, 4, 5, 5, 6, 6])
    if n not in KNOWN:
        KNOWN[n] = [(board, no3_class(board, n)) for board in no3_boards(n)]
    name = "all" if rng.random() < 0.6 else rng.choice(sorted(LARGER))
    cells = [(x, y) for x in range(n) for y in range(n)]
    on, off = set(), set()
    if rng.random() < 0.85:
        board = rng.choice(KNOWN[n])[0]
        on = set(rng.sample(sorted(board), rng.randint(0, 4)))
        off = set(rng.sample(sorted(set(cells) - board), min(rng.randint(0, 4), n * n - 2 * n)))
        if rng.random() < 0.3:
            off.add(rng.choice(cells))
        off -= on
    found = [(b, c) for b, c in KNOWN[n] if c in LARGER[name] and on <= b and not off & b]
    least = {}
    for board, exact in found:  # of boards that are images of each other, the smallest found
        key = min(masks(image, n) for image in no3_images(board, n))
        least[key] = min(least.get(key, (masks(board, n), exact)), (masks(board, n), exact))
    counts = array(U64, [0] * 13)
    every, listed, seed = rng.random() < 0.5, rng.random() < 0.5, rng.choice([0, 0, rng.getrandbits(40)])
    boards = array(U64, [0] * (n * (len(found) + 1)))
    fixed = bool(on or off) or rng.random() < 0.5
    status = lib.oracle_no3(
        n, CLASSES.index(name), every, array(U64, masks(on, n)) if fixed else None,
        array(U64, masks(off, n)) if fixed else None, U64(seed), boards if listed else None,
        ctypes.sizeof(boards), counts)  # fmt: skip
    want = [len(found), len(least)]
    right = status == OK and list(counts[:2]) == want
    for i, exact in enumerate(CLASSES):
        if exact not in ("all", "near_rot4"):
            right = right and counts[3 + i] == sum(c == exact for _, c in least.values())
    if listed and right:
        got = sorted(tuple(boards[i * n : (i + 1) * n]) for i in range(min(counts[2], len(found) + 1)))
        if every:
            right = got == sorted(masks(b, n) for b, _ in found)
        else:
            right = got == sorted(b for b, _ in least.values())
    return right, f"n {n} {name} on {sorted(on)} off {sorted(off)} seed {seed}: {status} {list(counts)}, want {want}"


# ---- travelling salesman

AUTO, BRUTE, TABLE, BOUNDS, HEURISTIC = range(5)


def tsp_best(weights, n, cycle, start, end):
    """Least length, and the first tour with it: depth first in lexicographic order."""
    best = [None, None]
    tour = []

    def search(length, left):
        if best[0] is not None and length >= best[0]:
            return
        if not left:
            if cycle:
                length += weights[tour[-1]][tour[0]] if n > 1 else 0
            if best[0] is None or length < best[0]:
                best[:] = length, tour[:]
            return
        for city in sorted(left):
            if end and (city == end - 1) != (len(left) == 1):
                continue
            tour.append(city)
            search(length + (weights[tour[-2]][city] if len(tour) > 1 else 0), left - {city})
            tour.pop()

    if cycle or start:
        tour.append(0 if cycle else start - 1)
        search(0, frozenset(range(n)) - {tour[0]})
    else:
        search(0, frozenset(range(n)))
    return best


def tour_length(weights, tour, cycle):
    legs = list(zip(tour, tour[1:])) + ([(tour[-1], tour[0])] if cycle and len(tour) > 1 else [])
    return sum(weights[i][j] for i, j in legs)


def random_weights(rng, n):
    kind = rng.randrange(6)
    pick = [
        lambda: rng.randint(0, 3), lambda: rng.randint(0, 100), lambda: rng.randint(0, 1 << 40),
        lambda: rng.randint(0, 1 << 20) / 8, lambda: rng.choice([0, 0.5, 1, 1 << 30]), lambda: 7,
    ][kind]  # fmt: skip
    weights = [[pick() for _ in range(n)] for _ in range(n)]
    if rng.random() < 0.5:
        weights = [[weights[min(i, j)][max(i, j)] for j in range(n)] for i in range(n)]
    return weights


def nearest(x):
    return int(x + 0.5)


def geo(x):
    degrees = int(x)
    return 3.141592 * (degrees + 5 * (x - degrees) / 3) / 180


def distance(metric, a, b):
    """TSPLIB 95's functions."""
    dx, dy = a[0] - b[0], a[1] - b[1]
    if metric == 1:
        return nearest(math.sqrt(dx * dx + dy * dy))
    if metric == 2:
        return math.ceil(math.sqrt(dx * dx + dy * dy))
    if metric == 3:
        return nearest(abs(dx) + abs(dy))
    if metric == 4:
        return max(nearest(abs(dx)), nearest(abs(dy)))
    if metric == 5:
        r = math.sqrt((dx * dx + dy * dy) / 10)
        return nearest(r) + (nearest(r) < r)
    q1 = math.cos(geo(a[1]) - geo(b[1]))
    q2 = math.cos(geo(a[0]) - geo(b[0]))
    q3 = math.cos(geo(a[0]) + geo(b[0]))
    return int(6378.388 * math.acos(0.5 * ((1 + q1) * q2 - (1 - q1) * q3)) + 1)


def ends(rng, n, cycle):
    if cycle:
        return 0, 0
    return rng.choice([0, rng.randint(1, n)]), rng.choice([0, rng.randint(1, n)])


def tsp_case(rng, lib):
    n, cycle = rng.choice([1, 2, 3, 4, 5, 6, 7, 8]), rng.random() < 0.5
    start, end = ends(rng, n, cycle)
    method = rng.choice([AUTO, BRUTE, TABLE, BOUNDS])
    metric = rng.choice([0, 0, 1, 2, 3, 4, 5, 6])
    xy = []
    if metric:
        scale = rng.choice([1, 2]) if metric != 6 else 100
        width = 89 if metric == 6 else rng.choice([3, 100, 100000])
        xy = [[rng.randint(-width * scale, width * scale) / scale for _ in range(2)] for _ in range(n)]
        if metric == 6:  # minutes below 60
            xy = [[math.trunc(v) + round(math.fmod(v, 1) * 0.59, 2) for v in point] for point in xy]
        weights = [[0 if a is b else distance(metric, a, b) for b in xy] for a in xy]
    else:
        weights = random_weights(rng, n)
    case = f"n {n} method {method} cycle {cycle} ends {start} {end} metric {metric} {xy or weights}"
    length, tours, tour = ctypes.c_double(), U64(), array(ctypes.c_int, [0] * n)
    status = lib.oracle_tsp(
        n, None if metric else array(ctypes.c_double, sum(weights, [])),
        array(ctypes.c_double, [p[0] for p in xy]), array(ctypes.c_double, [p[1] for p in xy]), metric, method,
        0 if cycle else 1, start, end, ctypes.byref(length), tour, ctypes.byref(tours))  # fmt: skip
    if start and start == end and n > 1:
        return status == INVALID, f"{case}: {status}, want {INVALID}"
    want, best = tsp_best(weights, n, cycle, start, end)
    got = list(tour)
    right = status == OK and length.value == want and sorted(got) == list(range(n))
    right = right and tour_length(weights, got, cycle) == want
    right = right and (not start or got[0] == start - 1) and (not end or got[-1] == end - 1)
    if method in (BRUTE, TABLE):
        right = right and got == best
    return right, f"{case}: {status} {length.value} {got}, want {want} {best}"


def batch_case(rng, lib):
    """Up to 15 cities a table, above that branch and bound: small instances go there, too, in a batch of 16 or more."""
    n, cycle, count = rng.randint(1, 6), rng.random() < 0.5, rng.randint(1, 5)
    start, end = ends(rng, n, cycle)
    start, end = min(start, 1), 0  # a city that the smallest instance has
    cities = [rng.randint(1, n) for _ in range(count)]
    weights = [random_weights(rng, n) for _ in range(count)]
    side = n if rng.random() < 0.5 else rng.randint(16, 20)
    steps = rng.choice([0, 0, 1, 5]) if side > 15 else 0
    lengths, tours = array(ctypes.c_double, [0] * count), array(ctypes.c_uint8, [0] * (side * count))
    bounds, states = array(ctypes.c_double, [0] * count), array(ctypes.c_uint8, [0] * count)
    place = range(side)
    flat = [w[i][j] if i < n and j < n else 7 for w in weights for i in place for j in place]
    status = lib.oracle_batch(
        U64(count), side, array(ctypes.c_int, cities), array(ctypes.c_double, flat), 0 if cycle else 1, start, end,
        U64(steps), lengths, bounds, states, tours)  # fmt: skip
    wanted = [tsp_best(w, m, cycle, start, end) for w, m in zip(weights, cities)]
    got = [(lengths[i], list(tours[i * side : i * side + m])) for i, m in enumerate(cities)]
    right = status == OK
    if side < 16:
        right = right and all(tuple(w) == g for w, g in zip(wanted, got)) and list(bounds) == list(lengths)
    for i, (w, (length, tour)) in enumerate(zip(weights, got)):
        right = right and sorted(tour) == list(range(cities[i])) and (not start or tour[0] == 0)
        right = right and tour_length(w, tour, cycle) == length and bounds[i] <= wanted[i][0] <= length
        right = right and states[i] in ([1, 2] if steps else [1])
        right = right and (states[i] == 2 or bounds[i] == length == wanted[i][0])
    return right, (
        f"batch n {side} cities {cities} cycle {cycle} start {start} steps {steps} {weights}: {status} {got} "
        f"{list(bounds)} {list(states)}, want {wanted}"
    )


# ---- side conditions of tours


def random_pairs(rng, n, most):
    return [[rng.randrange(n), rng.randrange(n)] for _ in range(rng.randint(0, most))]


def hold(lib, n, weights, before=(), fixed=()):
    flat = [w for row in weights for w in row]
    return lib.oracle_instance(
        n, array(ctypes.c_double, flat), len(before), array(ctypes.c_int, sum(before, [])), len(fixed),
        array(ctypes.c_int, sum(fixed, [])))  # fmt: skip


def symmetric(weights):
    return all(weights[i][j] == weights[j][i] for i in range(len(weights)) for j in range(i))


def all_tours(n, cycle, start, end, before=(), fixed=()):
    """Every tour that keeps the conditions, in order."""
    for tour in itertools.permutations(range(n)):
        if cycle and tour[0] or start and tour[0] != start - 1 or end and tour[-1] != end - 1:
            continue
        place = {city: i for i, city in enumerate(tour)}
        if any(place[a] >= place[b] for a, b in before):
            continue
        apart = [1, n - 1] if cycle else [1]
        if all(abs(place[a] - place[b]) in apart for a, b in fixed):
            yield tour


def mirrored(rng, n):
    weights = random_weights(rng, n)
    return [[weights[min(i, j)][max(i, j)] for j in range(n)] for i in range(n)]


def fixed_case(rng, lib):
    n, cycle = rng.choice([5, 5, 6, 6, 7]), rng.random() < 0.5
    start, end = ends(rng, n, cycle)
    if start and start == end:
        end = 0
    method = rng.choice([AUTO, AUTO, BOUNDS, HEURISTIC])
    weights = mirrored(rng, n)
    if rng.random() < 0.5:  # part of a tour
        tour = rng.sample(range(n), n)
        fixed = [[tour[i], tour[(i + 1) % n]][:: rng.choice([1, -1])] for i in rng.sample(range(n), rng.randint(1, n))]
    else:
        fixed = random_pairs(rng, n, 3) or [[0, 1]]
    case = f"n {n} method {method} cycle {cycle} ends {start} {end} fixed {fixed} {weights}"
    found = [(tour_length(weights, t, cycle), t) for t in all_tours(n, cycle, start, end, (), fixed)]
    out, tour = array(ctypes.c_double, [0] * 5), array(ctypes.c_int, [0] * n)
    status = hold(lib, n, weights, (), fixed) or lib.oracle_held(method, 0 if cycle else 1, start, end, out, tour)
    lib.oracle_release()
    if not found:
        return status == INVALID, f"{case}: {status}, want {INVALID}"
    want, got = min(found), tuple(tour)
    right = status == OK and out[1] <= want[0] <= out[0] and any(abs(out[0] - length) <= 1e-9 * length and
        (t == got or t == got[::-1] or cycle and t == got[:1] + got[:0:-1]) for length, t in found)  # fmt: skip
    if method != HEURISTIC or out[2]:
        right = right and out[2] == 1 and out[0] == out[1] == want[0]
    return right, f"{case}: {status} {list(out)} {got}, want {want}"


def before_case(rng, lib):
    """Precedence; then the shortest tours with or without it."""
    n, cycle = rng.choice([1, 2, 3, 4, 5, 6, 7]), rng.random() < 0.5
    start, end = ends(rng, n, cycle)
    if start and start == end and n > 1:
        end = 0
    weights = random_weights(rng, n)
    before = [sorted(pair) for pair in random_pairs(rng, n, 5) if n > 1]
    if rng.random() < 0.2:
        before += random_pairs(rng, n, 1)
    count = rng.choice([0, 1, 3, 2000])
    case = f"n {n} cycle {cycle} ends {start} {end} before {before} count {count} {weights}"
    found = sorted((tour_length(weights, t, cycle), t) for t in all_tours(n, cycle, start, end, before))
    if symmetric(weights) and not before and not start and not end:  # a tour and its reverse are one
        found = [(w, t) for w, t in found if n < 3 and t <= t[::-1] or n > 2 and t[cycle] < t[-1]]
    out, tour = array(ctypes.c_double, [0] * 5), array(ctypes.c_int, [0] * n)
    length, counts = ctypes.c_double(), array(U64, [0] * 2)
    lengths, tours = array(ctypes.c_double, [0] * max(count, 1)), array(ctypes.c_uint8, [0] * (n * max(count, 1)))
    shape = 0 if cycle else 1
    status = hold(lib, n, weights, before) or lib.oracle_held(AUTO, shape, start, end, out, tour)
    again = lib.oracle_tours(count, shape, start, end, ctypes.byref(length), counts, lengths, tours)
    lib.oracle_release()
    if not found:
        return status == again == INVALID, f"{case}: {status} {again}, want {INVALID}"
    right = status == again == OK and out[0] == out[1] == length.value == found[0][0] and out[2] == 1
    right = right and (out[0], tuple(tour)) in [(w, t) for w, t in found]
    want = found[:count]
    got = [(lengths[i], tuple(tours[n * i : n * i + n])) for i in range(counts[1])] if counts[1] <= count else None
    right = right and counts[0] == sum(w == found[0][0] for w, _ in found) and got == want
    return right, f"{case}: {status} {again} {list(out)} {list(tour)} {list(counts)} {got}, want {want}"


def walk(weights, tour, cycle, start, times):
    """When each city's service begins, and when all is over; None if a window is missed."""
    ready, due, service = times
    at, begins = ready[tour[0]], []
    for i, city in enumerate(tour):
        if i:
            at += service[tour[i - 1]] + weights[tour[i - 1]][city]
        at = max(at, ready[city])
        if at > due[city]:
            return None
        begins.append(at)
    at += service[tour[-1]]
    if cycle and len(tour) > 1:
        at += weights[tour[-1]][tour[0]]
        if at > due[tour[0]]:
            return None
    return begins, at


def windows_case(rng, lib):
    n, cycle = rng.choice([1, 2, 3, 4, 5, 6, 7]), rng.random() < 0.5
    start, end = ends(rng, n, cycle)
    if start and start == end and n > 1:
        end = 0
    weights = random_weights(rng, n)
    before = [sorted(pair) for pair in random_pairs(rng, n, 2) if n > 1 and rng.random() < 0.5]
    largest = max([5] + [w for row in weights for w in row])
    scale = rng.choice([0.5, 1, 2, n]) * largest
    ready = [rng.choice([0, 0, int(rng.random() * scale), int(rng.random() * 8 * scale) / 8]) for _ in range(n)]
    due = [rng.choice([math.inf, 1e18, r, r + int(2 * rng.random() * scale)]) for r in ready]
    service = [rng.choice([0, 0, 0, 1, 2.5, int(rng.random() * scale)]) for _ in range(n)]
    if cycle and rng.random() < 0.8:
        due[0] = math.inf
    if rng.random() < 0.3:  # a leg that no tour may have: exact beside a city that is due
        to = rng.randrange(n)
        weights[rng.randrange(n)][to] = 1e18 if due[to] < 1e18 else 1e9
    earliest = rng.random() < 0.5
    times = ready, due, service
    case = f"n {n} cycle {cycle} ends {start} {end} before {before} times {times} earliest {earliest} {weights}"
    every, found = list(all_tours(n, cycle, start, end, before)), []
    for tour in every:
        walked = walk(weights, tour, cycle, start, times)
        if walked:
            length = tour_length(weights, tour, cycle)
            found.append(((walked[1], 0) if earliest else (length, walked[1]), tour, length, walked))
    out, got = array(ctypes.c_double, [0] * (3 + n)), array(ctypes.c_int, [0] * n)
    status = hold(lib, n, weights, before)
    status = status or lib.oracle_windows(
        array(ctypes.c_double, sum(times, [])), earliest, 0 if cycle else 1, start, end, out, got)  # fmt: skip
    lib.oracle_release()
    if not every:
        return status == INVALID, f"{case}: {status}, want {INVALID}"
    case = f"{case}: {status} {list(out)} {list(got)}"
    if not found or status:
        return status == OK and not found and not out[0], f"{case}, want {min(found) if found else None}"
    least = min(found)[0]
    right = any(key == least and tour == tuple(got) and length == out[1] and walked == (list(out[3:]), out[2])
                for key, tour, length, walked in found)  # fmt: skip
    return right and out[0] == 1, f"{case}, want {min(found)}"


# ---- permutations

ALL, PARTIAL, MULTISET, DERANGEMENT, COMBINATION, GRAY, CYCLE, CIRCULAR = range(8)


def gray(n):
    """Steinhaus, Johnson and Trotter: n-1 moves through the orders of the others, there and back."""
    if n == 1:
        return [(0,)]
    out = []
    for i, inner in enumerate(gray(n - 1)):
        places = range(n - 1, -1, -1) if i % 2 == 0 else range(n)
        out += [inner[:p] + (n - 1,) + inner[p:] for p in places]
    return out


def is_cycle(perm):
    at, steps = perm[0], 1
    while at:
        at, steps = perm[at], steps + 1
    return steps == len(perm)


def members(family, n, k, repeats):
    everyone = itertools.permutations(range(n))
    if family == PARTIAL:
        return list(itertools.permutations(range(n), k))
    if family == COMBINATION:
        return list(itertools.combinations(range(n), k))
    if family == MULTISET:
        return sorted(set(itertools.permutations([v for v in range(n) for _ in range(repeats[v])])))
    if family == GRAY:
        return gray(n)
    test = {
        ALL: lambda p: True, DERANGEMENT: lambda p: all(x != i for i, x in enumerate(p)), CYCLE: is_cycle,
        CIRCULAR: lambda p: p[0] == 0,
    }[family]  # fmt: skip
    return [p for p in everyone if test(p)]


LISTS = {}


def random_family(rng):
    family = rng.randrange(8)
    n = rng.randint(1, 6)
    k = rng.randint(1, n) if family in (PARTIAL, COMBINATION) else 0
    if family in (PARTIAL, COMBINATION) and rng.random() < 0.5:
        n, k = rng.randint(5, 9), rng.randint(1, 3)
    repeats = None
    if family == MULTISET:
        repeats = [rng.randint(0, 3) for _ in range(min(n, 3))]
        repeats[0] += not any(repeats)
        n = len(repeats)
    key = family, n, k, tuple(repeats or ())
    if key not in LISTS:
        LISTS[key] = members(family, n, k, repeats)
    return family, n, k, repeats, LISTS[key]


def perm_case(rng, lib):
    family, n, k, repeats, every = random_family(rng)
    goal = rng.choice([0, 0, 1, 2, 3, 4, 5])
    first = rng.randint(0, max(0, len(every) - 1))
    count = rng.choice([0, rng.randint(1, max(1, len(every) - first))])
    part = every[first : first + count] if count else every[first:]
    data = [rng.randint(0, 9) for _ in range(64)] + [rng.randint(1, 60), rng.choice([0, 0, -20, 5])]
    length = len(every[0]) if every else n
    written = array(ctypes.c_uint8, [255] * (length * max(1, len(part))))
    bins = rng.randint(1, 20)
    histogram, out = array(U64, [0] * bins), array(U64, [0] * 8)
    status = lib.oracle_perm(
        family, n, k, array(ctypes.c_uint8, repeats) if repeats else None, U64(first), U64(count), goal,
        array(ctypes.c_int32, data), written, ctypes.sizeof(written), histogram, bins, out)  # fmt: skip
    case = f"family {family} n {n} k {k} repeats {repeats} first {first} count {count} goal {goal} data {data}"
    if not every:
        return out[0] == 0, f"{case}: {status} {list(out)}, want none"
    values = [sum(f * x for f, x in zip(data, p)) % data[64] + data[65] for p in part]
    right = status == OK and out[0] == len(every) and out[2] == len(part)
    if goal == 0:
        right = right and bytes(written) == bytes(x for p in part for x in p)
    if goal == 1:
        right = right and out[3] == sum(v != 0 for v in values)
    if goal in (2, 3):
        best = min(values) if goal == 2 else max(values)
        right = right and out[4] == best % 2**64 and out[5] == first + values.index(best)
    if goal == 4:
        right = right and out[6] == sum(values) % 2**64
    if goal == 5:
        right = right and list(histogram) == [values.count(i) for i in range(bins)]
        right = right and out[7] == sum(not 0 <= v < bins for v in values)
    return right, f"{case}: {status} {list(out)} {list(histogram)}"


def unrank(family, n, k, repeats, rank):
    """The member of a rank, place by place, by the number of ways to go on."""
    if family == MULTISET:
        left = list(repeats)

        def ways(left):
            total = math.factorial(sum(left))
            for r in left:
                total //= math.factorial(r)
            return total

        out = []
        while any(left):
            for v in range(n):
                if left[v]:
                    left[v] -= 1
                    if rank < ways(left):
                        out.append(v)
                        break
                    rank -= ways(left)
                    left[v] += 1
        return ways(list(repeats)), out
    if family == COMBINATION:
        out, v, total = [], 0, math.comb(n, k)
        while len(out) < k:
            here = math.comb(n - v - 1, k - len(out) - 1)
            if rank < here:
                out.append(v)
            else:
                rank -= here
            v += 1
        return total, out
    if family == GRAY:
        out, total = [], 1
        digits = []  # how far element m-1 has moved
        for m in range(n, 0, -1):
            rank, at = divmod(rank, m)
            digits.append((m, at, rank % 2))
            total *= m
        for m, at, back in reversed(digits):
            out.insert(at if back else m - 1 - at, m - 1)
        return total, out
    if family == CIRCULAR:
        total, rest = unrank(ALL, n - 1, 0, None, rank)
        return total, [0] + [v + 1 for v in rest]
    if family == DERANGEMENT:

        def ways(places, bound):  # `bound` of the values have their own place among the places
            return sum(
                (-1) ** j * math.comb(bound, j) * math.factorial(places - j) for j in range(bound + 1))

        left, out, total = list(range(n)), [], ways(n, n)
        for place in range(n):
            for v in left:
                here = ways(n - place - 1, sum(w > place and w != v for w in left)) if v != place else 0
                if rank < here:
                    break
                rank -= here
            out.append(v)
            left.remove(v)
        return total, out
    if family == CYCLE:
        left, out = list(range(n)), []
        for place in range(n):
            start = place  # of the chain of arrows that ends at this place
            while start in out:
                start = out.index(start)
            able = [v for v in left if v != start] or left
            here = math.factorial(max(n - place - 2, 0))
            out.append(able[rank // here])
            left.remove(out[-1])
            rank %= here
        return math.factorial(n - 1), out
    k = k if family == PARTIAL else n
    left, out = list(range(n)), []
    for place in range(k):
        here = math.perm(n - place - 1, k - place - 1)
        out.append(left.pop(rank // here))
        rank %= here
    return math.perm(n, k), out


def rank_case(rng, lib):
    family = rng.randrange(8)
    n, k, repeats = rng.randint(2, 35 if family in (CYCLE, CIRCULAR) else 34), 0, None
    if family in (PARTIAL, COMBINATION):
        n = rng.randint(1, 64)
        k = rng.randint(1, n) if rng.random() < 0.5 else rng.randint(1, min(n, 22))
    if family == MULTISET:
        repeats = [rng.randint(0, 4) for _ in range(rng.randint(1, 14))]
        repeats[0] += not any(repeats)
        n = len(repeats)
    total, _ = unrank(family, n, k, repeats, 0)
    rank = rng.choice([0, total - 1, rng.randrange(total), rng.randrange(total)])
    words = lambda x: array(U64, [x % 2**64, x >> 64 & 2**64 - 1])  # noqa: E731
    again, count, perm = words(0), words(0), array(ctypes.c_uint8, [0] * 64)
    status = lib.oracle_unrank(
        family, n, k, array(ctypes.c_uint8, repeats) if repeats else None, words(rank), perm, again, count)
    if total >= 2**128:
        return status == INVALID, f"family {family} n {n} k {k} {repeats}: {status}, want {INVALID}"
    want = unrank(family, n, k, repeats, rank)[1]
    right = status == OK and list(count) == list(words(total)) and list(again) == list(words(rank))
    right = right and list(perm[: len(want)]) == want
    return right, f"family {family} n {n} k {k} {repeats} rank {rank}: {status} {list(perm)}, want {want}"


# ---- all of them

KINDS = [  # name, function, of a hundred cases
    ("magic squares with givens", magic_case, 18),
    ("no three in line, fixed cells", no3_case, 17),
    ("tours of all shapes and weights", tsp_case, 20),
    ("batches of tours", batch_case, 8),
    ("fixed edges", fixed_case, 6),
    ("precedence, and the shortest tours", before_case, 6),
    ("time windows", windows_case, 8),
    ("ranges of families", perm_case, 10),
    ("ranks", rank_case, 7),
]


def main():
    lib = ctypes.CDLL(os.path.abspath(sys.argv[1]))
    lib.oracle_message.restype = ctypes.c_char_p
    cases = int(sys.argv[2]) if len(sys.argv) > 2 else 2000
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    backend = {"cpu": 1, "cuda": 2, "opencl": 3}[os.environ.get("ORACLE_BACKEND", "cpu")]
    failed = 0
    for number, (name, case, share) in enumerate(KINDS, 1):
        wrong = []
        rng = random.Random(f"{seed} {name}")
        for i in range(cases * share // 100):
            if i % 50 == 0 and lib.oracle_open(backend, 1 + i // 50 % 3):
                print("Bail out!", lib.oracle_message().decode())
                return 1
            lib.oracle_run(0, 0, ctypes.c_double(rng.choice([0, 0, 1])))
            right, text = case(rng, lib)
            if not right:
                wrong.append(f"case {i}: {text}; {lib.oracle_message().decode()}")
        print(f"{'not ok' if wrong else 'ok'} {number} - {name}: {cases * share // 100} cases, seed {seed}")
        for text in wrong[:5]:
            print("#", text)
        failed += bool(wrong)
    print(f"1..{len(KINDS)}")
    return 1 if failed else 0


sys.exit(main())
