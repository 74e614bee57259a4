"""Files of cities as the command reads them, graphs and frames, files of tours; names; what errors name."""

import os
import pickle
import random
import tempfile
import threading
import unittest

import combgpu


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def file(self, name, content):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.write(content.encode())
        return path


class Files(Folder):
    def test_forms(self):
        gpx = '<gpx version="1.1"><wpt lat="46.95" lon="7.45"><name>Bern</name></wpt><wpt lat="46.2" lon="6.15"><name>Genève</name></wpt></gpx>'
        for name, content, expected in (
                ("a.gpx", gpx, ("earth", ("Bern", "Genève"), 2)),
                ("a.csv", "name;x;y\nA;0;0\nB;1,5;3\nC;4;3\n", ("plane", ("A", "B", "C"), 3)),
                ("a.txt", "46.95 7.45 Bern\n46.2 6.15 Genève\n", ("earth", ("Bern", "Genève"), 2)),
                ("m.txt", "  A B C\nA 0 5 9\nB 4 0 3\nC 8 2 0\n", ("matrix", ("A", "B", "C"), 3)),
                ("a.json", '{"code":"Ok","durations":[[0,5,9],[4,0,3],[8,2,0]]}', ("matrix", None, 3)),
                ("a.tsp", "NAME: x\nTYPE: TSP\nDIMENSION: 3\nEDGE_WEIGHT_TYPE: EUC_2D\nNODE_COORD_SECTION\n1 0 0\n2 3 0\n3 3 4\nEOF\n",
                 ("euc_2d", None, 3))):
            with self.subTest(name):
                instance = combgpu.read(self.file(name, content))
                self.assertEqual((instance.metric, instance.labels, len(instance)), expected)
                self.assertEqual(combgpu.tsp(self.file(name, content)).instance, instance)
        self.assertIn("km on the Earth", combgpu.read(self.file("b.gpx", gpx)).what)

    def test_metric(self):
        path = self.file("two.txt", "0 5\n7 0\n")
        with self.assertRaisesRegex(combgpu.BadFile, "metric='matrix'.*metric='earth' or 'plane'"):
            combgpu.read(path)
        self.assertEqual(combgpu.tsp(path, metric="matrix").length, 12)
        self.assertEqual(combgpu.tsp(path, metric="plane").instance.points, [(0, 5), (7, 0)])
        with self.assertRaises(combgpu.InvalidArgument):
            combgpu.read(path, metric="geo")

    def test_errors(self):
        wrong, missing = self.file("wrong.csv", "name,x,y\nA,0,0\nB,zero,3\n"), os.path.join(self.folder, "missing.csv")
        for _ in range(50):  # nothing of one reaches the next
            with self.assertRaisesRegex(combgpu.BadFile, 'wrong.csv, line 3: "zero"'):
                combgpu.read(wrong)
            with self.assertRaisesRegex(combgpu.FileError, "missing.csv"):
                combgpu.read(missing)
            self.assertEqual(len(combgpu.read(self.file("good.csv", "x,y\n0,0\n1,1\n"))), 2)
        with self.assertRaises(combgpu.BadFile):
            combgpu.read(self.file("empty.csv", ""))

    def test_lists(self):
        square = combgpu.MagicSquare([[2, 7, 6], [9, 5, 1], [4, 3, 8]])
        for content in ("2 7 6\n9 5 1\n4 3 8\n\n2 7 6\n9 5 1\n4 3 8\n", "r1c1,r1c2,r1c3,r2c1,r2c2,r2c3,r3c1,r3c2,r3c3\n" + "2,7,6,9,5,1,4,3,8\n" * 2,
                        '{"squares": [[[2,7,6],[9,5,1],[4,3,8]],[[2,7,6],[9,5,1],[4,3,8]]]}'):
            self.assertEqual(combgpu.read(self.file("squares.txt", content), "squares"), [square, square])
        boards = list(combgpu.no3_boards(6))
        for content in ("".join(board.rle() for board in boards), "".join(board.flammenkamp() + "\n" for board in boards),
                        "".join(f"{board}\n\n" for board in boards)):
            self.assertEqual(combgpu.read(self.file("boards.txt", content), "boards"), boards)
        wide = combgpu.Board.of_points(70, [(0, 0), (69, 69), (64, 3)])
        self.assertEqual(combgpu.read(self.file("wide.rle", wide.rle()), "boards"), [wide])
        self.assertEqual(combgpu.read(self.file("lists.txt", "0 1 2\n2 1\n-1\n"), "permutations"), [(0, 1, 2), (2, 1), (-1,)])
        flows, distances = [[0, 5], [-3, 0]], [[0, 2], [2, 0]]
        self.assertEqual(combgpu.read(self.file("a.dat", "2\n0 5\n-3 0\n\n0 2\n2 0\n"), "qap"), (flows, distances))
        for what in ("squares", "boards", "permutations", "qap"):
            with self.assertRaisesRegex(combgpu.BadFile, "wrong.txt"):
                combgpu.read(self.file("wrong.txt", "1 2 x\n3 4 5\n"), what)
        for wrong in ({"what": "tables"}, {"what": "boards", "metric": "plane"}):
            with self.assertRaises(combgpu.InvalidArgument):
                combgpu.read(self.file("a.txt", "1\n"), **wrong)

    def test_threads(self):
        paths = [self.file(f"{n}.csv", "x,y\n" + "".join(f"{i},{i * i}\n" for i in range(n))) for n in range(2, 30)]
        sizes = []
        threads = [threading.Thread(target=lambda path=path: sizes.append(len(combgpu.read(path)))) for path in paths]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(sorted(sizes), list(range(2, 30)))


class Names(unittest.TestCase):
    def test_labels(self):
        instance = combgpu.Instance([(0, 0), (0, 3), (4, 3), (4, 0)], labels=["sw", "nw", "ne", "s<e"])
        tour = combgpu.tsp(instance)
        self.assertEqual(tour.labels, [instance.labels[city] for city in tour.order])
        self.assertIn("nw", tour.svg())
        self.assertIn("s&#60;e", tour.svg())
        self.assertEqual(pickle.loads(pickle.dumps(tour)).labels, tour.labels)
        self.assertEqual(instance.with_windows(ready=[0, 1, 2, 3]).without_windows().labels, instance.labels)
        self.assertNotEqual(instance, combgpu.Instance(instance.points))
        with self.assertRaisesRegex(combgpu.InvalidArgument, "labels are 4 names"):
            combgpu.Instance(instance.points, labels="ab")

    def test_numbers_from_0(self):
        tour = combgpu.tsp([(0, 0), (0, 3), (4, 3)])
        self.assertEqual(tour.labels, [0, 1, 2])
        self.assertIn(">0</text>", tour.svg())
        self.assertNotIn(">3</text>", tour.svg())

    def test_networkx(self):
        try:
            import networkx
        except ImportError as error:
            self.skipTest(str(error))
        graph = networkx.Graph()
        graph.add_weighted_edges_from([("a", "b", 1), ("b", "c", 2), ("c", "d", 1), ("d", "a", 3), ("a", "c", 1)])
        tour = combgpu.tsp(graph)
        self.assertEqual((tour.length, tour.labels), (7, ["a", "b", "c", "d"]))
        self.assertEqual(combgpu.tsp(networkx.DiGraph([(2, 1), (1, 0), (0, 2)])).labels, [2, 1, 0])
        many = networkx.MultiGraph([(0, 1, {"weight": 9}), (0, 1, {"weight": 2}), (1, 2), (2, 0)])
        self.assertEqual(combgpu.tsp(many).length, 4)
        self.assertFalse(combgpu.tsp(networkx.path_graph(4)).feasible)
        self.assertEqual(combgpu.tsp(networkx.path_graph(4), path=True).length, 3)

    def test_pandas(self):
        try:
            import pandas
        except ImportError as error:
            self.skipTest(str(error))
        places = pandas.DataFrame({"city": list("ABCD"), "lat": [0.0, 0, 1, 1], "lon": [0, 1, 1, 0], "people": [1, 2, 3, 4]})
        tour = combgpu.tsp(places)
        self.assertEqual((tour.instance.metric, tour.labels), ("earth", ["A", "B", "C", "D"]))
        self.assertEqual(combgpu.tsp(places.set_index("city")).labels, tour.labels)
        plane = places.rename(columns={"lat": "y", "lon": "x"})
        self.assertEqual((combgpu.tsp(plane).length, combgpu.tsp(plane, metric="earth").length), (4, tour.length))
        table = pandas.DataFrame([[0, 1, 2], [3, 0, None], [5, 6, 0]], index=list("xyz"), columns=list("xyz"))
        self.assertEqual(combgpu.tsp(table).labels, ["x", "z", "y"])
        with self.assertRaisesRegex(combgpu.InvalidArgument, "lat and lon"):
            combgpu.tsp(pandas.DataFrame({"a": [1, 2], "b": [3, 4]}))


class Learning(Folder):
    def test_there_and_back(self):
        rng = random.Random(1)
        points = [[[rng.random(), rng.random()] for _ in range(9)] for _ in range(20)]
        batch, path = combgpu.tsp_batch(points), os.path.join(self.folder, "tsp9.txt")
        self.assertEqual(combgpu.write_batch(path, points, batch.tours.tolist()), 20)
        read = list(combgpu.read_batch(path))
        self.assertEqual([p.tolist() for p, _ in read], points)
        self.assertEqual([order.tolist() for _, order in read], batch.tours.tolist())
        with open(path) as file:
            words = file.readline().split()
        self.assertEqual((words[18], words[19], words[-1], len(words)), ("output", "1", "1", 29))

    def test_the_unit_square_needs_no_scaling(self):
        rng = random.Random(2)
        for n in (12, 30):
            points = [[[rng.random(), rng.random()] for _ in range(n)] for _ in range(10)]
            scaled = [[[1e6 * x, 1e6 * y] for x, y in instance] for instance in points]
            a, b = combgpu.tsp_batch(points), combgpu.tsp_batch(scaled)
            self.assertEqual((a.tours.tolist(), a.solved), (b.tours.tolist(), 10))
            for unit, large in zip(a.lengths.tolist(), b.lengths.tolist()):
                self.assertAlmostEqual(unit, large / 1e6, delta=1e-12)

    def test_other_lines(self):
        path = self.file("some.txt", "0 0 1 0 1 1 output 1 3 2 1 \n\n0 0 5 5\n0.5 0.5 2e-3 1 output 2 1\n")
        self.assertEqual([(p.tolist(), None if o is None else o.tolist()) for p, o in combgpu.read_batch(path)],
                         [([[0, 0], [1, 0], [1, 1]], [0, 2, 1]), ([[0, 0], [5, 5]], None), ([[0.5, 0.5], [0.002, 1]], [1, 0])])
        for content, said in (("0 0 1\n", "line 1.*3 coordinates"), ("0 0 1 1 output 1 1\n", "each city from 1 to 2 once"),
                              ("0 0\n0 x output 1\n", "line 2"), ("nan 0 output 1\n", "finite")):
            with self.assertRaisesRegex(combgpu.BadFile, said):
                list(combgpu.read_batch(self.file("wrong.txt", content)))
        for points, tours in (([[[0, 0]]], []), ([[[0, 0]]], [[0], [0]]), ([[[0, 0]]], [[1]]), ([[0, 0]], [[0]])):
            with self.assertRaises(combgpu.InvalidArgument):
                combgpu.write_batch(os.path.join(self.folder, "never.txt"), points, tours)


class Messages(unittest.TestCase):
    def test_errors_name_the_argument(self):
        three = [(0, 0), (1, 1), (2, 5)]
        for said, call in (("^n is 500", lambda: combgpu.no3(500)), ("^order is 99", lambda: combgpu.magic(99)),
                           ("^start is 7", lambda: combgpu.tsp(three, start=7)), ("^end is 9", lambda: combgpu.tsp(three, end=9)),
                           (r"^shard\[0\] is 3", lambda: combgpu.no3(5, shard=(3, 2))),
                           ("^time_limit is -1", lambda: combgpu.tsp(three, time_limit=-1)),
                           ("^the number of cities is 300", lambda: combgpu.tsp([(i, 0) for i in range(300)], method="held_karp")),
                           (r"^givens\[0\]", lambda: combgpu.magic(4, givens=[[17, 0, 0, 0]] + [[0] * 4] * 3)),
                           ("^slice_ms is 1000", lambda: combgpu.magic(4, slice_ms=1000)),
                           ("^threads is -1", lambda: combgpu.Context("cpu", threads=-1)),
                           ("^n is 99", lambda: combgpu.permutations(99)), ("^n is 300", lambda: combgpu.tsp_batch([[(0, 0)] * 300]))):
            with self.subTest(said):
                with self.assertRaisesRegex((combgpu.Error, ValueError), said) as caught:
                    call()
                self.assertNotRegex(str(caught.exception), r"desc[.-]|run\.|->")
