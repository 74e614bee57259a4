"""Pruned searches: texts in C, functions by their address, quadratic assignment; what is said of a wrong text."""

import ctypes
import gc
import itertools
import pickle
import shutil
import unittest

import combgpu

HAS_CC = shutil.which("cc") is not None
UCHARS, CHARS = ctypes.POINTER(ctypes.c_ubyte), ctypes.c_void_p
STEP = ctypes.CFUNCTYPE(ctypes.c_int, UCHARS, *[ctypes.c_int] * 4, CHARS, ctypes.POINTER(ctypes.c_uint64))
QUEENS = {"state": "uint32_t up, down;", "allowed": "return ~(uint64_t)(state->up | state->down);",
          "step": "state->up = (state->up | 1u << value) << 1;\nstate->down = (state->down | 1u << value) >> 1;\nreturn 1;"}
COSTAS = {"state": "uint32_t seen[16];", "allowed": """
              uint64_t taken = 0;
              int d;
              for (d = 0; d < place; d++) taken |= ((uint64_t)state->seen[d] << perm[place - 1 - d]) >> (n - 1);
              return ~taken;""", "step": """
              int d;
              for (d = 0; d < place; d++) state->seen[d] |= 1u << (value - perm[place - 1 - d] + n - 1);
              return 1;"""}


def rises(p):
    return all(b - a != 1 for a, b in zip(p, p[1:]))


@unittest.skipUnless(HAS_CC, "no C compiler")
class Texts(unittest.TestCase):
    def test_queens_and_costas(self):
        queens, costas = combgpu.Searcher(**QUEENS), combgpu.Searcher(**COSTAS)
        self.assertEqual([combgpu.perm_search(n, queens).hits for n in range(1, 11)], [1, 0, 0, 2, 10, 4, 40, 92, 352, 724])
        self.assertEqual([combgpu.perm_search(n, costas).hits for n in range(1, 9)], [1, 2, 4, 12, 40, 116, 200, 444])
        self.assertEqual(combgpu.perm_search(8, queens, goal="first").best, (0, 4, 7, 5, 2, 6, 1, 3))
        self.assertEqual(combgpu.perm_search(3, queens, goal="first").best, None)
        found = list(combgpu.perm_search_hits(6, queens))
        self.assertEqual(sorted(found), [(1, 3, 5, 0, 2, 4), (2, 5, 1, 4, 0, 3), (3, 0, 4, 1, 5, 2), (4, 2, 0, 5, 3, 1)])
        self.assertEqual(len(list(combgpu.perm_search_hits(8, queens, limit=5))), 5)

    def test_goals(self):
        weigh = combgpu.Searcher("state->sum += (int64_t)place * value; return 1;", state="int64_t sum;", leaf="return state->sum;")
        values = [sum(i * v for i, v in enumerate(p)) for p in itertools.permutations(range(6))]
        self.assertEqual(combgpu.perm_search(6, weigh, goal="minimum").value, min(values))
        self.assertEqual(combgpu.perm_search(6, weigh, goal="maximum").best, (0, 1, 2, 3, 4, 5))
        self.assertEqual(combgpu.perm_search(6, weigh, goal="sum").value, sum(values))
        histogram = combgpu.perm_search(6, weigh, goal="histogram", bins=5, bin_start=20, width=8)
        self.assertEqual(list(histogram.histogram), [sum(20 + 8 * i <= v < 28 + 8 * i for v in values) for i in range(5)])
        self.assertEqual(histogram.outside, sum(not 20 <= v < 60 for v in values))

    def test_items(self):
        step = "return !place || value != perm[place - 1] + 1;"
        self.assertEqual(combgpu.perm_search(5, step).hits, sum(map(rises, itertools.permutations(range(5)))))
        self.assertEqual(set(combgpu.perm_search_hits("abcd", step)),
                         {tuple("abcd"[i] for i in p) for p in itertools.permutations(range(4)) if rises(p)})
        self.assertEqual(combgpu.perm_search(6, step, 3).hits, sum(map(rises, itertools.permutations(range(6), 3))))
        self.assertEqual(combgpu.perm_search("aabb", "return 1;").hits, 6)
        self.assertEqual(combgpu.perm_search("abc", "return 1;", goal="first", order="cba").best, ("c", "b", "a"))
        self.assertEqual(combgpu.perm_search(4, "return value == data[place];", data=bytes([2, 0, 3, 1])).hits, 1)

    def test_a_search_goes_on(self):
        queens = combgpu.Searcher(**QUEENS)
        with combgpu.Context("cpu", threads=1) as context:
            hits = context.perm_search_hits(10, queens)
            taken = [next(hits) for _ in range(100)]
            state = pickle.loads(pickle.dumps(hits.state))
            hits.close()
            again = list(context.perm_search_hits(10, pickle.loads(pickle.dumps(queens)), resume=state))
        self.assertEqual((len(again), len(set(taken + again))), (624, 724))

    def wrong(self, text, *parts):
        with self.assertRaises(combgpu.Error) as caught:
            combgpu.permutations(5).count_if(text)
        said = str(caught.exception)
        for part in parts:
            self.assertIn(part, said)
        for header in ("combgpu.h", "COMBGPU_", "/tmp", "In file included", "python_"):
            self.assertNotIn(header, said)

    def test_a_typo_shows_the_own_line_alone(self):
        self.wrong("int i = 0;\nreturn pem[i];", "function, line 2", "pem", "    return pem[i];")
        self.wrong("return foo(perm);", "line 1", "foo")
        self.wrong("if (n) {\n return 1;", "line 1: '{' is not closed")
        self.wrong("return 1; }", "line 1: '}' closes nothing")
        self.wrong("return n)", "')' closes nothing")
        self.wrong("return 1", "';'")
        self.wrong("#define X 1\nreturn X;", "#")
        with self.assertRaisesRegex(combgpu.Error, "allowed, line 1.*x"):
            combgpu.perm_search(5, combgpu.Searcher("return 1;", allowed="return x;", state="int32_t a;"))
        self.assertEqual(combgpu.permutations(3).count_if('/* } */ return 1; // )').hits, 6)

    def test_what_is_refused(self):
        for error, call in ((TypeError, lambda: combgpu.perm_search(5, 7)), (TypeError, lambda: combgpu.Searcher(7)),
                            (TypeError, lambda: combgpu.Searcher(STEP(lambda *_: 1), state="int a;")),
                            (combgpu.InvalidArgument, lambda: combgpu.perm_search(65, "return 1;")),
                            (combgpu.InvalidArgument, lambda: combgpu.perm_search(5, "return 1;", goal="most")),
                            (combgpu.InvalidArgument, lambda: combgpu.perm_search(5, "return 1;", goal="histogram")),
                            (combgpu.InvalidArgument, lambda: combgpu.perm_search(5, "return 1;", goal="minimum")),
                            (combgpu.InvalidArgument, lambda: combgpu.perm_search(5, "return 1;", order=[0, 1])),
                            (combgpu.InvalidArgument, lambda: combgpu.perm_search("ab", "return 1;", goal="first", start="xy"))):
            with self.assertRaises(error):
                call()


class Addresses(unittest.TestCase):
    def setUp(self):
        self.cpu = combgpu.Context("cpu", threads=2)
        self.addCleanup(self.cpu.close)

    def test_ctypes(self):
        step = STEP(lambda perm, place, value, n, length, data, state: int(not place or value - perm[place - 1] != 1))
        self.assertEqual(self.cpu.perm_search(6, step).hits, 309)
        visit = ctypes.CFUNCTYPE(ctypes.c_int64, UCHARS, ctypes.c_int, CHARS)(lambda perm, n, data: perm[0])
        self.assertEqual(self.cpu.permutations(5).sum(visit).value, 10 * 24)

    def test_cffi(self):
        import cffi

        ffi = cffi.FFI()

        @ffi.callback("int64_t(const unsigned char *, int, const unsigned char *)")
        def visit(perm, n, data):
            return perm[n - 1] + data[0]

        self.assertEqual(self.cpu.permutations(5).maximum(visit, data=bytes([7])).value, 11)

        @ffi.callback("uint64_t(const unsigned char *, int, int, int, const unsigned char *, const uint64_t *)")
        def allowed(perm, place, n, length, data, state):
            return ~(state[0] | state[1]) & 2**64 - 1

        @ffi.callback("int(const unsigned char *, int, int, int, int, const unsigned char *, uint64_t *)")
        def step(perm, place, value, n, length, data, state):
            state[0] = (state[0] | 1 << value) << 1
            state[1] = (state[1] | 1 << value) >> 1
            return 1

        self.assertEqual(self.cpu.perm_search(7, combgpu.Searcher(step, allowed=allowed)).hits, 40)

    def test_numba(self):
        try:
            import numba
        except ImportError as error:
            self.skipTest(str(error))

        @numba.cfunc(combgpu.signatures["visitor"])
        def fixed(perm, n, data):
            found = 0
            for i in range(n):
                found += perm[i] == i
            return found

        self.assertEqual(list(self.cpu.permutations(5).histogram(fixed, bins=6).histogram), [44, 45, 20, 10, 0, 1])

        @numba.cfunc(combgpu.signatures["step"])
        def step(perm, place, value, n, length, data, state):
            state[0] += place * value
            return 1

        @numba.cfunc(combgpu.signatures["leaf"])
        def leaf(perm, n, length, data, state):
            return state[0]

        @numba.cfunc(combgpu.signatures["bound"])
        def bound(perm, place, value, n, length, data, state, best):
            return state[0]

        self.assertEqual(self.cpu.perm_search(7, combgpu.Searcher(step, leaf=leaf, bound=bound), goal="minimum").best,
                         (6, 5, 4, 3, 2, 1, 0))

    def test_a_search_goes_on_with_other_addresses(self):
        def made():
            return combgpu.Searcher(STEP(lambda perm, place, value, *_: int(not place or value - perm[place - 1] != 1)), name="rises")

        hits = self.cpu.perm_search_hits(6, made(), limit=100)
        taken, state = list(hits), hits.result.state
        del hits
        gc.collect()
        again = list(self.cpu.perm_search_hits(6, made(), resume=state))
        self.assertEqual(len(set(taken + again)), 309)

    def test_garbage(self):
        """Their places are free again."""
        for _ in range(300):
            searcher = combgpu.Searcher(STEP(lambda *_: 1))
            self.assertEqual(self.cpu.perm_search(2, searcher).hits, 2)
        with self.assertRaises(TypeError):
            pickle.dumps(searcher)


class QuadraticAssignment(unittest.TestCase):
    def test_against_all(self):
        import random
        rng = random.Random(3)
        for n in range(2, 7):
            flows, distances = ([[rng.randrange(-9, 30) for _ in range(n)] for _ in range(n)] for _ in range(2))
            costs = {p: sum(flows[i][j] * distances[p[i]][p[j]] for i in range(n) for j in range(n))
                     for p in itertools.permutations(range(n))}
            found = combgpu.qap(flows, distances)
            self.assertEqual((found.cost, found.optimal), (min(costs.values()), True))
            self.assertEqual(costs[tuple(found.places.tolist())], found.cost)

    def test_what_is_refused(self):
        for flows, distances in (([[0]], [[0]]), ([[0, 1], [1, 0]], [[0] * 3] * 3), ([[0, 10**7], [1, 0]], [[0, 1], [1, 0]]),
                                 ([[0, 1.5], [1, 0]], [[0, 1], [1, 0]])):
            with self.assertRaises(combgpu.InvalidArgument):
                combgpu.qap(flows, distances)
