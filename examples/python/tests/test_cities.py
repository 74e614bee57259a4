"""What a table of numbers is: points or distances; missing connections, distances below 0, longest tours, labels."""

import itertools
import math
import random
import re
import tempfile
import unittest
from pathlib import Path

import combgpu

try:
    import numpy
except ImportError:
    numpy = None

INF, NAN = math.inf, math.nan
RING = [[0, 5, INF, 9], [5, 0, 4, INF], [INF, 4, 0, 3], [9, INF, 3, 0]]  # its one tour has the length 21
LINE = [[0, 5, INF, INF], [5, 0, 4, INF], [INF, 4, 0, 3], [INF, INF, 3, 0]]  # no tour, one path


def with_missing(matrix, value):
    return [[value if weight == INF else weight for weight in row] for row in matrix]


def shortest(matrix, path=False, best=min):
    """By all tours; INF if there is none."""
    n = len(matrix)
    orders = itertools.permutations(range(n)) if path else ((0, *rest) for rest in itertools.permutations(range(1, n)))
    lengths = [sum(matrix[a][b] for a, b in zip(order, order[1:] if path else order[1:] + order[:1])) for order in orders]
    return best([length for length in lengths if length < INF], default=INF)


SEARCHES = {"tsp": lambda cities, **options: combgpu.tsp(cities, **options).length,
            "tsp_tours": lambda cities, **options: combgpu.tsp_tours(cities, 3, **options).length,
            "tsp_windows": lambda cities, **options: combgpu.tsp_windows(cities, **options).length,
            "tsp_batch": lambda cities, **options: combgpu.tsp_batch([cities] * 2, **options).lengths[1]}


class PointsOrMatrix(unittest.TestCase):
    def every(self, cities, length, **options):
        for name, search in SEARCHES.items():
            if name == "tsp_windows" and any(number is not None and number < 0 for row in cities for number in row):
                continue  # distances are times there
            with self.subTest(name, cities=cities):
                self.assertAlmostEqual(search(cities, **options), length)

    def refused(self, cities, sentence="metric='matrix'", **options):
        for name, search in SEARCHES.items():
            with self.subTest(name, cities=cities), self.assertRaisesRegex(combgpu.InvalidArgument, re.escape(sentence)):
                search(cities, **options)

    def test_two_by_two(self):
        for cities in [[0, 5], [7, 0]], [[0, 5], [5, 0]], [[0, 0], [0, 0]]:
            self.refused(cities)
        self.every([[0, 5], [7, 0]], 12, metric="matrix")
        self.every([[0, 5], [12, 0]], 26, metric="plane")
        self.every([[0, 0], [3, 4]], 10)
        self.every([[9, 0], [3, 8]], 20)
        self.every([[None, 5], [7, None]], 12)
        self.every([[0, 5], [7, 0]], 12, no_connection=-1)

    def test_three_by_three(self):
        for points in ([(0, 0, 0), (3, 4, 12), (1, 1, 1)], [(1, 0, 0), (0, 1, 0), (0, 0, 1)], [(0, 0, 0), (1, 0, 0), (0, 1, 0)],
                       [(0, 2, -3), (1, 0, 4), (2, 2, 0)]):
            self.refused(points)
        self.every([[0, 2, 3], [2, 0, 4], [3, 4, 0]], 9)
        self.every([[0, 2, 3], [1, 0, 4], [3, 5, 0]], 9)
        self.every([[0, -2, 3], [-2, 0, 4], [3, 4, 0]], 5)
        self.every([[NAN, 2, 3], [2, NAN, 4], [3, 4, NAN]], 9)
        self.every([[7, 2, 3], [2, 5, 4], [3, 4, 1]], 9, metric="matrix")
        for search in combgpu.tsp, combgpu.tsp_tours, combgpu.tsp_windows:
            self.assertEqual(search([(0, 0, 0), (3, 4, 12), (3, 4, 0)], metric="euc_3d").length, 13 + 12 + 5)

    def test_other_shapes(self):
        self.refused([(1, 2, 3)] * 4 + [(4, 5, 6)], "not of the shape")
        self.refused([(1, 2, 3, 4)] * 3, "not of the shape")
        with self.assertRaisesRegex(combgpu.InvalidArgument, "points with z need a metric, like 'euc_3d'"):
            combgpu.tsp([(1, 2, 3)] * 4)
        self.every([[9, 1, 2, 3], [1, 9, 3, 2], [2, 3, 9, 1], [3, 2, 1, 9]], 6)

    def test_points_have_all_coordinates(self):
        for value in None, NAN, INF:
            self.refused([(0, 0), (1, 1), (value, 2), (4, 5)], "a coordinate of city 2 is missing or not finite")
        self.refused([(0, 0), (1, 1), (2, 5)], "no_connection is for a matrix", no_connection=-1)
        self.refused([(0, 0), (1, 1)], "no_connection is for a matrix", no_connection=-1, metric="plane")


class NoConnection(unittest.TestCase):
    def test_every_way_to_say_it(self):
        ways = [({}, INF), ({}, NAN), ({}, None), ({"no_connection": -1}, -1), ({"no_connection": 0}, 0), ({"no_connection": 9999}, 9999)]
        for name, search in SEARCHES.items():
            for options, value in ways:
                with self.subTest(name, value=value):
                    self.assertEqual(search(with_missing(RING, value), **options), 21)
                    self.assertEqual(search(with_missing(LINE, value), **options), INF)
                    self.assertEqual(search(with_missing(LINE, value), path=True, **options), 12)
            with self.subTest(name), self.assertRaisesRegex(combgpu.InvalidArgument, "number"):
                search(with_missing(RING, "x"))

    @unittest.skipUnless(numpy, "no NumPy")
    def test_arrays(self):
        ring = numpy.array(RING)
        masked = numpy.ma.masked_equal(numpy.array(with_missing(RING, -7)), -7)
        kinds = [ring, ring.astype("float32"), numpy.where(ring == INF, NAN, ring), numpy.array(with_missing(RING, None)), masked,
                 numpy.ma.masked_invalid(ring), list(masked)]
        for name, search in SEARCHES.items():
            for cities in kinds:
                with self.subTest(name, cities=cities):
                    self.assertEqual(search(cities), 21)
            self.assertEqual(search(numpy.array(with_missing(RING, -1)), no_connection=-1), 21)

    def test_no_tour(self):
        found = combgpu.tsp(LINE)
        self.assertEqual((found.feasible, found.optimal, found.complete, list(found), found.length, found.gap),
                         (False, True, True, [], INF, 0))
        self.assertIn("no tour: cities are not connected", repr(found))
        self.assertIsNone(found._repr_svg_())
        self.assertTrue(combgpu.tsp(RING).feasible)
        listed = combgpu.tsp_tours(LINE)
        self.assertEqual((list(listed), listed.optima), ([], 0))
        self.assertFalse(combgpu.tsp_windows(LINE).feasible)
        batch = combgpu.tsp_batch([LINE, RING])
        self.assertEqual((list(batch.states), list(batch.lengths)), ([3, 1], [INF, 21]))

    def test_of_a_file_and_an_instance(self):
        text = ("TYPE: ATSP\nDIMENSION: 4\nEDGE_WEIGHT_TYPE: EXPLICIT\nEDGE_WEIGHT_FORMAT: FULL_MATRIX\nNAME: ring\n"
                "EDGE_WEIGHT_SECTION\n" + "\n".join(" ".join(map(str, row)) for row in with_missing(RING, 777)) + "\nEOF\n")
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "ring.tsp").write_text(text)
            for cities in str(Path(folder, "ring.tsp")), combgpu.Instance.parse(text), combgpu.Instance(with_missing(RING, 777)):
                found = combgpu.tsp(cities, no_connection=777)
                self.assertEqual((found.length, found.instance.distance(0, 2)), (21, INF))
                self.assertEqual(combgpu.tsp_tours(cities, no_connection=777).optima, 1)
        self.assertEqual(found.instance, combgpu.Instance(RING))
        windows = combgpu.Instance(with_missing(RING, 777), due=[99] * 4).with_no_connection(777)
        self.assertEqual((windows.due, combgpu.tsp_windows(windows).length), ([99] * 4, 21))
        with self.assertRaisesRegex(combgpu.InvalidArgument, "not given by a matrix"):
            combgpu.tsp(combgpu.Instance([(0, 0), (1, 1), (2, 0)]), no_connection=777)

    def test_against_all_tours(self):
        rng, none = random.Random(5), 0
        for case in range(120):
            n = rng.randrange(4, 8)
            matrix = [[rng.choice([INF, rng.randrange(-9, 30)]) for _ in range(n)] for _ in range(n)]
            if case % 2:
                matrix = [[matrix[min(a, b)][max(a, b)] for b in range(n)] for a in range(n)]
            path = case % 4 > 1
            best = shortest(matrix, path)
            none += best == INF
            for name, search in SEARCHES.items():
                if name != "tsp_windows" or min(map(min, matrix)) >= 0:
                    with self.subTest(name, case=case):
                        self.assertEqual(search(matrix, path=path), best)
            longest = combgpu.tsp(matrix, path=path, maximize=True)
            with self.subTest("maximize", case=case):
                self.assertEqual(longest.length, shortest(matrix, path, max))
                self.assertTrue(longest.optimal)
        self.assertTrue(10 < none < 110, none)

    def test_a_large_number_does_no_harm(self):
        for exponent in 9, 15, 18, 20, 30:
            self.assertEqual(combgpu.tsp(with_missing(RING, 10.0**exponent)).length, 21)


class Maximize(unittest.TestCase):
    def test_the_callers_numbers(self):
        points = [(0, 0), (3, 0), (3, 4), (0, 4)]
        longest = combgpu.tsp(points, maximize=True)
        self.assertEqual((longest.length, longest.lower_bound, longest.instance.points), (18, 18, points))
        self.assertEqual(longest.instance.length(longest), 18)
        self.assertIn("<path", longest._repr_svg_())
        kept = combgpu.tsp(combgpu.Instance(points, before=[(2, 1), (2, 3)]), maximize=True)
        self.assertLess(list(kept).index(2), list(kept).index(1))
        begun = combgpu.tsp([(i * i % 37, i * 7 % 23) for i in range(60)], method="heuristic", maximize=True, kicks=10)
        self.assertTrue(begun.length < begun.lower_bound and 0 < begun.gap < 1, begun)
        self.assertIn("too short", repr(begun))

    def test_too_many(self):
        with self.assertRaisesRegex(combgpu.InvalidArgument, "maximize takes up to 1000 cities; these are 1200"):
            combgpu.tsp([(i % 97, i // 97) for i in range(1200)], maximize=True)


class Labels(unittest.TestCase):
    def test_they_count_from_0(self):
        points = [(0, 0), (3, 0), (3, 4), (0, 4), (9, 9)]
        for picture in combgpu.Instance(points).svg(), combgpu.tsp(points).svg(), combgpu.tsp_windows(points).svg():
            self.assertEqual(sorted(re.findall(r">(\d+)</text>", picture)), ["0", "1", "2", "3", "4"])


if __name__ == "__main__":
    unittest.main()
