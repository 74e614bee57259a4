"""The package: documentation, types, arrays with NumPy and without."""

import array
import doctest
import inspect
import subprocess
import sys
import unittest
from datetime import date
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import combgpu

try:
    import numpy
except ImportError:
    numpy = None

MODULES = [combgpu, combgpu._magic, combgpu._no3, combgpu._perm, combgpu._search, combgpu._tsp, combgpu._tours, combgpu._windows]


# A subinterpreter that imports combgpu before the main interpreter does, and one after it.
SUBINTERPRETERS = """
import sys
try:
    import _xxsubinterpreters as interpreters
    how = {"isolated": False}
except ImportError:
    import _interpreters as interpreters
    how = {"config": "legacy"}
task = "import sys; sys.path[:] = %r; import combgpu; print(sum(1 for _ in combgpu.magic_squares(3)))" % (sys.path,)
for turn in range(2):
    try:
        failed = interpreters.run_string(interpreters.create(**how), task)
    except Exception as error:
        failed = error
    if failed:
        print(failed)
    import combgpu
"""


class Package(unittest.TestCase):
    def test_subinterpreters_lose_nothing(self):
        run = subprocess.run([sys.executable, "-c", SUBINTERPRETERS], capture_output=True, text=True)
        if "No module named" in run.stderr:
            self.skipTest("this Python has no module of subinterpreters")
        first, second = run.stdout.splitlines()
        if first != "8":
            self.assertRegex(first, "ImportError.*main interpreter first")
        self.assertEqual(second, "8", run.stdout + run.stderr)

    def test_examples_in_docstrings(self):
        for module in MODULES:
            done = doctest.testmod(module, extraglobs={"combgpu": combgpu})
            self.assertEqual(done.failed, 0, module.__name__)
            self.assertGreater(done.attempted, 0, module.__name__)

    def test_everything_public_is_documented(self):
        for name in combgpu.__all__:
            thing = getattr(combgpu, name)
            self.assertTrue(inspect.getdoc(thing), name)
            if inspect.isclass(thing):
                for part, value in vars(thing).items():
                    if not part.startswith("_") and callable(value):
                        self.assertTrue(inspect.getdoc(value), f"{name}.{part}")

    def test_functions_show_their_arguments(self):
        self.assertEqual(list(inspect.signature(combgpu.tsp).parameters)[:2], ["cities", "metric"])
        self.assertEqual(list(inspect.signature(combgpu.Context.tsp).parameters)[:2], ["context", "cities"])

    def test_it_is_typed_and_has_the_header(self):
        self.assertTrue((Path(combgpu.__file__).parent / "py.typed").exists())
        self.assertTrue((Path(combgpu.include_folder()) / "combgpu.h").exists())

    def test_enumerators_are_those_of_the_header(self):
        self.assertEqual(list(combgpu._magic.KINDS)[:2], ["normal", "semi"])
        self.assertEqual(list(combgpu._no3.CLASSES)[-1], "full")
        self.assertEqual(combgpu._instance.METRICS["plane"], combgpu._combgpu.lib.COMBGPU_TSP_PLANE)


class Attributes(unittest.TestCase):
    def test_what_c_trusts_cannot_be_changed(self):
        made = (combgpu.MagicSquare([[2, 7, 6], [9, 5, 1], [4, 3, 8]]), combgpu.Board.of_points(4, [(0, 0)]),
                combgpu.permutations(4), combgpu.permutations("aab"), combgpu.Instance([(0, 0), (1, 1), (2, 0)]),
                combgpu.tsp([(0, 0), (1, 1), (2, 0)]), combgpu.tsp_batch([[(0, 0), (1, 1), (2, 0)]]), combgpu.devices()[0],
                combgpu.MagicSquare.construct(4), next(combgpu.magic_squares(3)), next(combgpu.no3_boards(4)))
        for one in made:
            for name in dir(one):
                if not name.startswith("_") and not callable(getattr(one, name)):
                    with self.subTest(type(one).__name__, name=name):
                        self.assertRaises(AttributeError, setattr, one, name, 5000)
            self.assertEqual(one, one)


class Arrays(unittest.TestCase):
    SQUARE = [(0, 0), (3, 0), (3, 4), (0, 4)]

    def test_what_cities_may_be(self):
        flat = array.array("d", [number for point in self.SQUARE for number in point])
        for cities in (self.SQUARE, tuple(self.SQUARE), memoryview(flat).cast("B").cast("d", [4, 2])):
            self.assertEqual(combgpu.tsp(cities).length, 14)

    def test_numbers_that_do_not_fit(self):
        with self.assertRaises(combgpu.InvalidArgument):
            combgpu.MagicSquare([[1.5, 2], [3, 4]])
        with self.assertRaises(combgpu.InvalidArgument):
            combgpu.MagicSquare([[2**40, 2], [3, 4]])

    def test_what_is_no_number_is_refused(self):
        for wrong in ("1", b"1", None, 1j, Decimal("nan"), date(2020, 1, 1), [1], float("inf"), 1.5, 2**40):
            with self.subTest(wrong), self.assertRaises(combgpu.InvalidArgument):
                combgpu.MagicSquare([[1, wrong], [3, 4]])
        for wrong in ("1", 1j, date(2020, 1, 1), 2**53 + 1, 2**2000):
            with self.subTest(wrong), self.assertRaises(combgpu.InvalidArgument):
                combgpu.tsp([[0, wrong], [1, 0]], metric="matrix")

    def test_what_is_no_integer_is_not_rounded(self):
        half, three = Fraction(7, 2), combgpu.permutations(3)
        for call in (lambda: combgpu.magic(half), lambda: combgpu.magic_list(4, first=half),
                     lambda: combgpu.magic(None), lambda: combgpu.no3(4, seed=None),
                     lambda: combgpu.no3(Decimal("4.7")), lambda: combgpu.no3(4, seed=half), lambda: combgpu.tsp(self.SQUARE, start=half),
                     lambda: combgpu.Context("cpu", threads=half), lambda: combgpu.Context("cpu", devices=[half]),
                     lambda: combgpu.MagicSquare.construct(3).symmetry(half), lambda: three.random(half),
                     lambda: combgpu.Instance(self.SQUARE).distance(0, half), lambda: three.index((Fraction(1, 2), 1, 2))):
            self.assertRaisesRegex(TypeError, r"it is an integer$", call)
        self.assertNotIn((Fraction(1, 2), 1, 2), three)
        self.assertRaises(combgpu.InvalidArgument, combgpu.no3, 6, shard=(half, 4))

    def test_numbers_of_other_types(self):
        square = combgpu.MagicSquare([[1, 2], [3, 4]])
        for one in (1.0, Decimal(1), Fraction(1), True):
            self.assertEqual(combgpu.MagicSquare([[one, 2], [3, 4]]), square)
        self.assertEqual(combgpu.tsp([[0, Fraction(1, 4)], [Decimal("0.5"), 0]], metric="matrix").length, 0.75)
        self.assertEqual(combgpu.tsp([[0, 2**53], [2**54, 0]], metric="matrix").length, 3 * 2**53)

    @unittest.skipUnless(numpy, "no NumPy")
    def test_arrays_of_other_types(self):
        for dtype in ("complex128", "datetime64[D]", "timedelta64[D]", "U4", "S4"):
            with self.subTest(dtype), self.assertRaisesRegex(combgpu.InvalidArgument, "does not hold valid numbers: its type is"):
                combgpu.tsp(numpy.zeros((4, 4), dtype))
        for wrong in ("2", 2j):
            with self.subTest(wrong), self.assertRaisesRegex(combgpu.InvalidArgument, "type (str|complex)"):
                combgpu.tsp(numpy.array([[0, wrong], [1, 0]], object), metric="matrix")
        with self.assertRaisesRegex(combgpu.InvalidArgument, "masked"):
            combgpu.MagicSquare(numpy.ma.masked_less([[1, 2], [3, 4]], 2))
        with self.assertRaisesRegex(combgpu.InvalidArgument, "is not a double"):
            combgpu.tsp(numpy.array([[0, 2**53 + 1], [1, 0]]), metric="matrix")
        for dtype in ("bool", "int8", "uint64", "float16", "longdouble", ">f8", "O"):
            with self.subTest(dtype):
                self.assertEqual(combgpu.tsp(numpy.array([[0, 1], [1, 0]], dtype), metric="matrix").length, 2)

    @unittest.skipIf(numpy, "NumPy is here")
    def test_without_numpy(self):
        self.assertIsInstance(combgpu.tsp(self.SQUARE).order, array.array)
        self.assertIsInstance(combgpu.permutations(3).array(), memoryview)

    def test_what_has_an_index_is_an_integer(self):
        class Whole:
            def __init__(self, value):
                self.value = value

            def __index__(self):
                return self.value

        two, four = Whole(2), combgpu.permutations(4)
        self.assertEqual(combgpu.no3(Whole(6), seed=two).all, 50)
        self.assertEqual(len(list(combgpu.no3_boards(6, limit=two))), 2)
        self.assertEqual(len(combgpu.magic_list(Whole(4), first=two, count=two)), 2)
        self.assertEqual(combgpu.MagicSquare([[1, two], [3, 4]])[0, 1], 2)
        self.assertEqual(combgpu.MagicSquare.construct(Whole(5)).order, 5)
        self.assertEqual(combgpu.permutations(4, two).size, 12)
        self.assertEqual([len(chunk) for chunk in four[:5].chunks(two)], [2, 2, 1])
        self.assertEqual(four.index([Whole(0), two, 1, 3]), 2)
        self.assertEqual(combgpu.Instance(self.SQUARE).distance(two, two), 0)
        self.assertEqual(combgpu.Board.of_points(two, [(two.value - 1, 0)]).masks, (2, 0))

    @unittest.skipUnless(numpy, "no NumPy")
    def test_numpy_s_small_integers_do_not_overflow(self):
        chunks = combgpu.permutations(9)[:60000].chunks(numpy.int16(30000))
        self.assertEqual([len(chunk) for chunk in chunks], [30000, 30000])
        self.assertTrue(combgpu.MagicSquare.construct(numpy.uint8(20)).is_magic)
        self.assertEqual(len(combgpu.magic_list(4, first=numpy.uint8(250))), 6790)

    @unittest.skipUnless(numpy, "no NumPy")
    def test_arrays_where_lists_may_be(self):
        self.assertEqual(combgpu.no3(6, shard=numpy.array([0, 1])).all, 50)
        self.assertEqual(combgpu.Context("cpu", devices=numpy.array([0, 0])).no3(6).all, 50)
        self.assertIn(numpy.array([1, 0]), combgpu.Board([[0, 1], [0, 0]]))
        self.assertRaises(combgpu.InvalidArgument, combgpu.permutations, numpy.array([[1, 2], [3, 4]]))
        self.assertRaises(combgpu.InvalidArgument, combgpu.MagicSquare, numpy.zeros((0, 0)))

    @unittest.skipUnless(numpy, "no NumPy")
    def test_with_numpy(self):
        tour = combgpu.tsp(numpy.array(self.SQUARE, numpy.float32)[::-1])
        self.assertIsInstance(tour.order, numpy.ndarray)
        self.assertEqual(numpy.array(self.SQUARE)[tour.order].shape, (4, 2))
        self.assertEqual(numpy.array(combgpu.MagicSquare.construct(5)).sum(), 325)
        board = next(combgpu.no3_boards(6))
        self.assertEqual(numpy.array(board).sum(axis=0).tolist(), [2] * 6)
        self.assertEqual(combgpu.Board(numpy.array(board)), board)
        self.assertEqual(combgpu.permutations(4).array().dtype, numpy.uint8)
        self.assertEqual(combgpu.magic(4, givens=numpy.array(combgpu.MagicSquare.construct(4))).count, 1)


if __name__ == "__main__":
    unittest.main()
