"""Travelling salesman: against all permutations, files of TSPLIB, batches."""

import itertools
import math
import random
import tempfile
import unittest
from pathlib import Path

import combgpu

BURMA14 = """NAME: burma14
TYPE: TSP
DIMENSION: 14
EDGE_WEIGHT_TYPE: GEO
NODE_COORD_SECTION
1 16.47 96.10
2 16.47 94.44
3 20.09 92.54
4 22.39 93.37
5 25.23 97.24
6 22.00 96.05
7 20.47 97.02
8 17.20 96.29
9 16.30 97.38
10 14.05 98.12
11 16.53 97.38
12 21.52 95.59
13 19.41 97.13
14 20.09 94.55
EOF
"""  # TSPLIB (G. Reinelt 1991); its shortest tour is 3323 long


def shortest(n, distance, path=False):
    """By trying every tour."""
    def length(order):
        return sum(map(distance, order, order[1:])) + (0 if path else distance(order[-1], order[0]))

    return min(map(length, itertools.permutations(range(n))))


class One(unittest.TestCase):
    def setUp(self):
        made = random.Random(1)
        self.points = [(made.random(), made.random()) for _ in range(7)]

    def distance(self, a, b):
        return math.dist(self.points[a], self.points[b])

    def test_side_conditions(self):
        rng = random.Random(5)
        points = [(rng.random(), rng.random()) for _ in range(7)]
        plain = combgpu.Instance(points)

        def best(allowed):
            orders = ((0, *rest) for rest in itertools.permutations(range(1, 7)))
            return min(plain.length(order) for order in orders if allowed(order))

        fixed = combgpu.tsp(combgpu.Instance(points, fixed=[(1, 4), (4, 6)]))
        self.assertTrue(fixed.optimal)
        self.assertAlmostEqual(fixed.length, best(
            lambda order: all(abs(order.index(a) - order.index(b)) in (1, 6) for a, b in ((1, 4), (4, 6)))))
        before = combgpu.tsp(combgpu.Instance(points, before=[(5, 2), (2, 3)]))
        self.assertAlmostEqual(before.length, best(lambda order: order.index(5) < order.index(2) < order.index(3)))
        with self.assertRaises(combgpu.InvalidArgument):
            combgpu.Instance(points, fixed=[(1, 7)])

    def test_points(self):
        tour = combgpu.tsp(self.points)
        self.assertAlmostEqual(tour.length, shortest(7, self.distance))
        self.assertAlmostEqual(tour.instance.length(tour), tour.length)
        self.assertEqual((sorted(tour), tour.optimal, tour.gap), (list(range(7)), True, 0))
        self.assertRegex(repr(tour), r"^Tour\(7 cities, length [\d.]+, optimal, brute_force; complete, ")

    def test_path(self):
        path = combgpu.tsp(self.points, path=True)
        self.assertAlmostEqual(path.length, shortest(7, self.distance, path=True))
        fixed = combgpu.tsp(self.points, start=2, end=0)
        self.assertEqual((fixed[0], fixed[6], fixed.path), (2, 0, True))
        self.assertGreaterEqual(fixed.length, path.length)

    def test_matrix(self):
        matrix = [[(3 * a * a + 5 * b) % 17 + 1 for b in range(6)] for a in range(6)]
        self.assertEqual(combgpu.tsp(matrix).length, shortest(6, lambda a, b: matrix[a][b]))
        self.assertFalse(combgpu.tsp(matrix).instance.symmetric)
        self.assertEqual(combgpu.tsp([[0, 2], [3, 0]], metric="matrix").length, 5)

    def test_methods_agree(self):
        lengths = {round(combgpu.tsp(self.points, method=method).length, 9)
                   for method in ("brute_force", "held-karp", "branch and bound")}
        self.assertEqual(len(lengths), 1)

    def test_tolerance(self):
        found = combgpu.tsp(self.points, method="branch_and_bound")
        self.assertTrue(0 < found.tolerance < 2**-38 * found.length)
        self.assertEqual(combgpu.tsp(self.points, method="held_karp").tolerance, 0)

    def test_heuristic(self):
        points = [(i * 7 % 31, i * i % 37) for i in range(60)]
        found = [combgpu.tsp(points, method="heuristic", kicks=kicks, seed=1) for kicks in (1, 500, 500)]
        self.assertEqual((found[1], found[1].length <= found[0].length), (found[2], True))
        self.assertLess(found[0].run.steps, found[1].run.steps)

    def test_tsplib(self):
        instance = combgpu.Instance.parse(BURMA14)
        tour = combgpu.tsp(instance)
        self.assertEqual((tour.length, instance.name, instance.metric), (3323, "burma14", "geo"))
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "burma14.tsp").write_text(BURMA14)
            Path(folder, "burma14.tour").write_text(tour.tsplib("burma14"))
            read = combgpu.Instance.read(Path(folder, "burma14.tsp"))
            self.assertEqual(read.length(read.read_tour(Path(folder, "burma14.tour"))), 3323)
            self.assertEqual(combgpu.tsp(str(Path(folder, "burma14.tsp")), method="branch_and_bound").length, 3323)

    def test_picture(self):
        tour = combgpu.tsp(self.points)
        self.assertEqual(tour._repr_svg_().count("<circle"), 7)
        self.assertIn("<path", tour._repr_svg_())
        self.assertNotIn("<path", tour.instance._repr_svg_())
        self.assertIsNone(combgpu.tsp([[0, 1, 1], [1, 0, 1], [1, 1, 0]])._repr_svg_())

    def test_errors(self):
        for cities, sentence in (([[1, 2, 3]], "not of the shape"), ([[0, 1, 2], [1, 0], [2, 1, 0]], "array"),
                                 ([(0, 0), (float("nan"), 1), (1, 1)], "nan"), ([["a", "b"]], "number")):
            with self.assertRaisesRegex(combgpu.InvalidArgument, sentence):
                combgpu.tsp(cities)
        with self.assertRaisesRegex(combgpu.FileError, "nowhere.tsp"):
            combgpu.tsp("nowhere.tsp")
        with self.assertRaises(OSError):
            combgpu.tsp("nowhere.tsp")
        with self.assertRaisesRegex(combgpu.BadFile, "line"):
            combgpu.Instance.parse("DIMENSION: x")
        with self.assertRaisesRegex(combgpu.InvalidArgument, "each city from 0 to 6 once"):
            combgpu.tsp(self.points, tour=[0, 0, 1, 2, 3, 4, 5])
        for read in (combgpu.Instance.read, combgpu.tsp, lambda path: combgpu.no3(5, checkpoint=path)):
            with self.assertRaisesRegex(combgpu.InvalidArgument, "no NUL"):
                read("a\0b")
        with self.assertRaisesRegex(combgpu.InvalidArgument, "start"):
            combgpu.tsp(self.points, start=-1)


class Batch(unittest.TestCase):
    def test_points(self):
        made = random.Random(3)
        instances = [[[made.random(), made.random()] for _ in range(6)] for _ in range(20)]
        batch = combgpu.tsp_batch(instances)
        self.assertEqual((len(batch), tuple(batch.tours.shape)), (20, (20, 6)))
        for points, length, tour in zip(instances, batch.lengths, batch.tours.tolist()):
            one = combgpu.tsp(points)
            self.assertAlmostEqual(one.length, length)
            self.assertEqual(list(one), tour)

    def test_matrices(self):
        instances = [[[(a * k + b * b) % 13 + 1 for b in range(5)] for a in range(5)] for k in range(1, 9)]
        batch = combgpu.tsp_batch(instances, start=1)
        self.assertEqual(list(batch.lengths), [combgpu.tsp(matrix, start=1).length for matrix in instances])

    def test_common(self):
        square, line = [(0, 0), (0, 1), (1, 1), (1, 0), (0.5, 9)], [(0, 0), (1, 0), (2, 0), (3, 0), (4, 0)]
        found = combgpu.tsp_batch([square, line], path=True, common=True)
        self.assertEqual((list(found.unique), found.common.tolist()[1]), ([False, True], [True] * 5))
        self.assertIn(False, found.common.tolist()[0])
        self.assertIsNone(combgpu.tsp_batch([line]).common)

    def test_larger(self):
        made = random.Random(5)
        instances = [[[made.random(), made.random()] for _ in range(18)] for _ in range(12)]
        proven = combgpu.tsp_batch(instances)
        self.assertEqual((proven.solved, proven.bounded, list(proven.states)), (12, 0, [1] * 12))
        for points, length in zip(instances, proven.lengths):
            self.assertAlmostEqual(combgpu.tsp(points).length, length)
        self.assertTrue(proven.run.steps >= sum(proven.nodes) > 0 and 0 in list(proven.nodes))
        limited = combgpu.tsp_batch(instances, instance_steps=1)
        self.assertEqual(limited.solved + limited.bounded, 12)
        self.assertEqual(limited.bounded, list(limited.states).count(2))
        for low, length, best in zip(limited.lower_bounds, limited.lengths, proven.lengths):
            self.assertTrue(low <= best + 1e-12 and best <= length + 1e-12)

    def test_shapes(self):
        with self.assertRaisesRegex(combgpu.InvalidArgument, "are count x n x 2 points or count x n x n distances, not of the shape"):
            combgpu.tsp_batch([[1.0, 2.0]])


if __name__ == "__main__":
    unittest.main()
