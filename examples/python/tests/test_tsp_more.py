"""Time windows, the k shortest tours and what instances carry: against all permutations."""

import copy
import itertools
import math
import pickle
import random
import tempfile
import unittest
from pathlib import Path

import combgpu

TSPTW = """TYPE : TSPTW
DIMENSION : 4
EDGE_WEIGHT_TYPE : EXPLICIT
EDGE_WEIGHT_FORMAT : FULL_MATRIX
EDGE_WEIGHT_SECTION
0 1 9 9
1 0 1 9
9 1 0 1
9 9 1 0
TIME_WINDOW_SECTION
1 0 100
2 50 60
3 0 20
4 30 40
EOF
"""
SOP = """TYPE: SOP
DIMENSION: 4
EDGE_WEIGHT_TYPE: EXPLICIT
EDGE_WEIGHT_FORMAT: FULL_MATRIX
EDGE_WEIGHT_SECTION
4
0 1 2 3
-1 0 5 1
-1 1 0 7
-1 -1 2 0
EOF
"""
FIXED = """TYPE: TSP
DIMENSION: 5
EDGE_WEIGHT_TYPE: EUC_2D
NODE_COORD_SECTION
1 0 0
2 10 0
3 20 5
4 10 10
5 0 10
FIXED_EDGES_SECTION
1 3
-1
EOF
"""


def orders(n, path=False, start=None, end=None):
    """Every tour in normal form but for its direction; every path between the ends."""
    for order in itertools.permutations(range(n)):
        if (path or order[0] == 0) and start in (None, order[0]) and end in (None, order[-1]):
            yield order


def length(matrix, order, path=False):
    legs = sum(matrix[a][b] for a, b in zip(order, order[1:]))
    return legs if path else legs + matrix[order[-1]][order[0]]


def times(matrix, order, windows, path=False):
    """When each service begins and when all is over; None if a window is missed."""
    ready, due, service = windows
    begun, now = [], 0
    for i, city in enumerate(order):
        now = max(now + (matrix[order[i - 1]][city] if i else 0), ready[city])
        if now > due[city]:
            return None
        begun.append(now)
        now += service[city]
    if not path:
        now += matrix[order[-1]][order[0]]
    return None if not path and now > due[order[0]] else (begun, now)


class Windows(unittest.TestCase):
    def test_against_all_tours(self):
        rng = random.Random(11)
        feasible = 0
        for case in range(150):
            n = rng.randrange(2, 7)
            matrix = [[0 if a == b else rng.randrange(1, 20) for b in range(n)] for a in range(n)]
            ready = [rng.randrange(30) for _ in range(n)]
            due = [math.inf if rng.random() < 0.3 else first + rng.randrange(60) for first in ready]
            windows = ready, due, [rng.randrange(3) for _ in range(n)]
            ends = ({}, {"path": True, "start": rng.choice([None, 1])}, {"end": n - 1})[case % 3]
            path = bool(ends)
            first_to_end = case % 2
            known = [(order, times(matrix, order, windows, path))
                     for order in orders(n, path, ends.get("start"), ends.get("end"))]
            best = min([((time[1], length(matrix, order, path)) if first_to_end else (length(matrix, order, path), time[1]))
                        for order, time in known if time], default=(math.inf, math.inf))
            found = combgpu.tsp_windows(matrix, metric="matrix", ready=ready, due=due, service=windows[2],
                                        earliest_end=first_to_end, **ends)
            with self.subTest(case):
                self.assertTrue(found.complete)
                self.assertEqual((found.end, found.length)[not first_to_end:][:1], best[:1])
                self.assertEqual(found.feasible, best[0] < math.inf)
                if found.feasible:
                    feasible += 1
                    self.assertEqual((list(found.times), found.end), times(matrix, list(found), windows, path))
                    self.assertEqual(found.length, length(matrix, list(found), path))
                    self.assertEqual(found.length, found.instance.length(found, path=path))
                    self.assertFalse(not first_to_end and found.end != best[1])
                else:
                    self.assertEqual((list(found), len(found), found.end), ([], 0, math.inf))
                    self.assertIn("no tour keeps the windows", repr(found))
        self.assertTrue(30 < feasible < 140, feasible)

    def test_file(self):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "four.tsptw").write_text(TSPTW)
            path = str(Path(folder, "four.tsptw"))
            found = combgpu.tsp_windows(path)
            self.assertEqual((list(found), found.length, found.end), ([0, 2, 3, 1], 20, 51))
            for search in (combgpu.tsp, combgpu.tsp_tours):
                for cities in (path, combgpu.Instance.read(path)):
                    with self.assertRaisesRegex(combgpu.InvalidArgument, f"time windows, which {search.__name__}.. ignores"):
                        search(cities)
        instance = combgpu.Instance.parse(TSPTW)
        self.assertTrue(instance.has_windows)
        self.assertEqual((instance.ready, instance.due), ([0, 50, 0, 30], [100, 60, 20, 40]))
        self.assertIn("time windows", repr(instance))
        free = instance.without_windows()
        self.assertEqual((combgpu.tsp(free).length, free.has_windows, free.due), (12, False, None))
        self.assertFalse(combgpu.tsp_windows(instance, due=[100, 60, 20, 10]).feasible)
        self.assertEqual(combgpu.tsp_windows(instance, ready=[0] * 4).length, 12)
        self.assertRegex(repr(combgpu.tsp_windows(free)), r"^Schedule\(4 cities, length 12, end 12; complete")

    def test_precedence_and_picture(self):
        points = [(0, 0), (3, 0), (3, 4), (0, 4), (9, 9)]
        found = combgpu.tsp_windows(combgpu.Instance(points, before=[(4, 1)], due=[math.inf] * 5), earliest_end=True)
        self.assertLess(list(found).index(4), list(found).index(1))
        self.assertEqual(found._repr_svg_().count("<circle"), 5)
        self.assertIn("TOUR_SECTION", found.tsplib())
        for name, error in (("a\nb", combgpu.InvalidArgument), (3, TypeError)):
            with self.assertRaisesRegex(error, "name"):
                found.tsplib(name)
        self.assertIsNone(combgpu.tsp_windows(points, due=[1] * 5)._repr_svg_())

    def test_errors(self):
        points = [(0, 0), (3, 0), (3, 4)]
        for wrong, says in (({"ready": [0, 1]}, "ready is 3 numbers"), ({"due": ["a"] * 3}, "number"),
                            ({"due": 5}, "due is 3 numbers"), ({"ready": [-1, 0, 0]}, "ready"), ({"service": [0, math.nan, 0]}, "service")):
            with self.subTest(wrong), self.assertRaisesRegex(combgpu.InvalidArgument, says):
                combgpu.tsp_windows(points, **wrong)
        with self.assertRaises(combgpu.Unsupported):
            combgpu.tsp_windows([(i, i * i) for i in range(129)])
        with self.assertRaises(combgpu.Unsupported):
            combgpu.tsp_windows(combgpu.Instance([(i, i * i) for i in range(6)], fixed=[(1, 2)]))


class Tours(unittest.TestCase):
    def test_against_all_tours(self):
        rng = random.Random(3)
        for case in range(80):
            n, symmetric = rng.randrange(3, 8), rng.random() < 0.5
            matrix = [[rng.randrange(1, 9) for _ in range(n)] for _ in range(n)]
            if symmetric:
                matrix = [[matrix[min(a, b)][max(a, b)] for b in range(n)] for a in range(n)]
            ends = rng.choice([{}, {"path": True}, {"start": 1}, {"end": 0}, {"start": 2, "end": 0}])
            path, before = bool(ends), [(1, 2)] if rng.random() < 0.3 and ends in ({}, {"path": True}) else []
            every = [order for order in orders(n, path, ends.get("start"), ends.get("end"))
                     if all(order.index(a) < order.index(b) for a, b in before)]
            if combgpu.Instance(matrix, "matrix").symmetric and not before and len(ends.keys() & {"start", "end"}) == 0:
                every = [order for order in every if (order[0] < order[-1] if path else order[1] < order[-1])]
            every.sort(key=lambda order: (length(matrix, order, path), order))
            count = rng.choice([0, 1, 7, 2000])
            found = combgpu.tsp_tours(combgpu.Instance(matrix, "matrix", before=before), count, **ends)
            with self.subTest(case):
                self.assertEqual(list(found), [list(order) for order in every[:count]])
                self.assertEqual(list(found.lengths), [length(matrix, order, path) for order in every[:count]])
                self.assertEqual((found.length, found.optima, len(found)),
                                 (length(matrix, every[0], path),
                                  sum(length(matrix, order, path) == length(matrix, every[0], path) for order in every),
                                  min(count, len(every))))

    def test_it_is_a_sequence(self):
        found = combgpu.tsp_tours([(0, 0), (3, 0), (3, 4), (0, 4)], 9)
        self.assertEqual((found[0], found[-1], found[1:], len(found)), ([0, 1, 2, 3], list(found)[2], list(found)[1:], 3))
        self.assertRegex(repr(found), r"^TourList\(3 tours of 4 cities, length 14, 1 shortest; complete")
        self.assertEqual(found[0], combgpu.tsp(found.instance).order.tolist())

    def test_errors(self):
        points = [(i, i * i) for i in range(16)]
        for cities, count, error in ((points, 5, combgpu.Unsupported), (points[:5], 2001, combgpu.InvalidArgument),
                                     (points[:5], -1, combgpu.InvalidArgument),
                                     (combgpu.Instance(points[:6], fixed=[(1, 2)]), 5, combgpu.Unsupported)):
            with self.assertRaises(error):
                combgpu.tsp_tours(cities, count)


class Instances(unittest.TestCase):
    def instances(self):
        points = [(0, 0), (3, 1), (3, 4), (0, 4), (9, 9)]
        yield from map(combgpu.Instance.parse, (TSPTW, SOP, FIXED))
        yield from (combgpu.Instance(points), combgpu.Instance(points, "geo"), combgpu.Instance(points, before=[(2, 1)]),
                    combgpu.Instance([(*point, i) for i, point in enumerate(points)], "euc_3d"),
                    combgpu.Instance(points, fixed=[(2, 1)]), combgpu.Instance([[0, 1], [2, 0]], "matrix"),
                    combgpu.Instance(points, due=[9, 9, 9, math.inf, 9], service=[1] * 5),
                    combgpu.Instance([(i % 97, i // 97) for i in range(1200)]))

    def test_pickle_and_copy(self):
        every = list(self.instances())
        self.assertEqual(len(set(every)), len(every))
        for instance in every:
            for made in (pickle.loads(pickle.dumps(instance)), copy.copy(instance), copy.deepcopy(instance)):
                with self.subTest(repr(instance)):
                    self.assertEqual((made, repr(made), hash(made)), (instance, repr(instance), hash(instance)))
                    for part in ("points", "before", "fixed", "ready", "due", "service", "symmetric", "metric", "name"):
                        self.assertEqual(getattr(made, part), getattr(instance, part))
                    self.assertEqual(made.distance(1, 0), instance.distance(1, 0))

    def test_results_of_tours(self):
        points = [(0, 0), (3, 1), (3, 4), (0, 4), (9, 9)]
        for search in (lambda: combgpu.tsp(points), lambda: combgpu.tsp_tours(points, 3), lambda: combgpu.tsp_windows(points),
                       lambda: combgpu.tsp_batch([points] * 3), lambda: combgpu.tsp_windows(points, due=[1] * 5),
                       lambda: combgpu.tsp_tours(points, 0)):
            found = search()
            made = pickle.loads(pickle.dumps(found))
            self.assertEqual((made, repr(made), hash(made)), (found, repr(found), hash(found)))
            self.assertEqual((search(), copy.deepcopy(found), copy.copy(found)), (found, found, found))
        self.assertEqual(pickle.loads(pickle.dumps(combgpu.tsp(points))).svg(), combgpu.tsp(points).svg())
        self.assertNotEqual(combgpu.tsp(points), combgpu.tsp(points, path=True))

    def test_what_a_file_carries_is_kept(self):
        sop = combgpu.tsp(combgpu.Instance.parse(SOP))
        self.assertEqual(sorted(sop.instance.before), [(0, 1), (0, 2), (0, 3), (1, 3)])
        keeps = [order for order in orders(4) if all(order.index(a) < order.index(b) for a, b in sop.instance.before)]
        self.assertEqual(sop.length, min(sop.instance.length(order) for order in keeps))
        fixed = combgpu.tsp(combgpu.Instance.parse(FIXED))
        self.assertEqual(fixed.instance.fixed, [(0, 2)])
        self.assertIn(2, (fixed[1], fixed[-1]))
        self.assertIn("1 fixed", repr(fixed.instance))

    def test_three_dimensions(self):
        points = [(0, 0, 0), (10, 0, 0), (10, 10, 5), (0, 10, 9)]
        instance = combgpu.Instance(points, "man-3d")
        self.assertEqual((instance.distance(0, 2), instance.points), (25, points))
        with self.assertRaisesRegex(combgpu.InvalidArgument, "n x 3 points"):
            combgpu.Instance([(0, 0), (1, 1)], "euc_3d")

    def test_metric_of_what_has_one(self):
        with self.assertRaisesRegex(combgpu.InvalidArgument, "the instance has its own"):
            combgpu.tsp(combgpu.Instance([(0, 0), (1, 1), (2, 0)]), metric="earth")
        self.assertEqual(combgpu.Instance([[0, 1], [2, 0]], "Matrix").metric, "matrix")

    def test_pairs(self):
        points = [(i, i * i) for i in range(6)]
        self.assertEqual(combgpu.Instance(points, before={(1, 2)}).before, [(1, 2)])
        self.assertEqual(combgpu.Instance(points, fixed=iter([[1, 2], [4, 3]])).fixed, [(1, 2), (4, 3)])
        for wrong in ([(1, 2, 3)], [1, 2], [(1, 2.5)], [(1, "2")], [(1, 9)]):
            with self.subTest(wrong), self.assertRaises(combgpu.InvalidArgument):
                combgpu.Instance(points, before=wrong)


if __name__ == "__main__":
    unittest.main()
