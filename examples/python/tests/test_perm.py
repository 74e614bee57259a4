"""Permutations: against itertools; functions in C on them."""

import itertools
import math
import random
import shutil
import struct
import unittest

import combgpu

P = combgpu.permutations


class Sequence(unittest.TestCase):
    def test_all(self):
        for n in range(1, 7):
            self.assertEqual(list(P(n)), list(itertools.permutations(range(n))))

    def test_families(self):
        self.assertEqual(list(P(6, 3)), list(itertools.permutations(range(6), 3)))
        self.assertEqual(list(P(6, 3, family="combination")), list(itertools.combinations(range(6), 3)))
        self.assertEqual([p for p in P(6) if all(p[i] != i for i in range(6))], list(P(6, family="derangement")))
        self.assertEqual((P(6, family="cycle").size, P(6, family="circular").size), (120, 120))
        gray = list(P(5, family="gray"))
        self.assertEqual(set(gray), set(P(5)))
        self.assertEqual({sum(a != b for a, b in zip(p, q)) for p, q in zip(gray, gray[1:])}, {2})

    def test_items(self):
        self.assertEqual(list(P("abc")), list(itertools.permutations("abc")))
        self.assertEqual(list(P("BANANA")), sorted(set(itertools.permutations("BANANA"))))
        self.assertEqual(P("MISSISSIPPI").size, 34650)
        self.assertEqual(list(P([[1], [2], [1]])), [([1], [1], [2]), ([1], [2], [1]), ([2], [1], [1])])
        self.assertEqual(P([1j, 2j, 1j]).size, 3)
        self.assertEqual((P("abcd", 2, family="Combination").family, P("abcab").count("bacba"), P("abcab").count("x")),
                         ("combination", 1, 0))

    def test_ranks(self):
        for p in (P(9), P(34), P(7, 4), P("BANANA"), P(8, family="gray"), P(64, 20), P(34, family="derangement"),
                  P(35, family="cycle")):
            for rank in (0, 1, p.size // 3, p.size - 1):
                self.assertEqual(p.index(p[rank]), rank)
        self.assertEqual(P(9)[-1], (8, 7, 6, 5, 4, 3, 2, 1, 0))
        self.assertEqual((P(25).size, P(64, 20).size), (math.factorial(25), math.perm(64, 20)))
        with self.assertRaises(IndexError):
            P(3)[6]
        with self.assertRaises(combgpu.InvalidArgument):
            P(25).count_if("return 1;")

    def test_parts(self):
        part = P(6)[100:200]
        self.assertEqual((part.first, len(part)), (100, 100))
        self.assertEqual(list(part), list(itertools.permutations(range(6)))[100:200])
        self.assertEqual(part[5:7][1], P(6)[106])
        self.assertEqual(list(P(6)[100:100]), [])
        self.assertNotIn(P(6)[99], part)
        large = P(25)[10**20: 10**20 + 3]
        self.assertEqual(list(large), [P(25)[10**20 + i] for i in range(3)])

    def test_steps(self):
        every = list(itertools.permutations(range(5)))
        rng = random.Random(7)
        for _ in range(200):
            first, end = (rng.choice([None, rng.randrange(-130, 130)]) for _ in range(2))
            cut = slice(first, end, rng.choice([None, 1, 2, 7, -1, -3]))
            part, again = P(5)[cut], slice(rng.randrange(-9, 9), None, rng.choice([1, -2]))
            self.assertEqual((list(part), len(part), bool(part)), (every[cut], len(every[cut]), bool(every[cut])))
            self.assertEqual(list(part[again]), every[cut][again])
            self.assertEqual([part.index(p) for p in every[cut]], list(range(len(every[cut]))))
        self.assertEqual(list(reversed(P(4))), list(itertools.permutations(range(4)))[::-1])
        self.assertEqual(next(reversed(P(25))), tuple(range(24, -1, -1)))
        self.assertTrue(P(25))
        self.assertFalse(P(25)[9:3])
        with self.assertRaisesRegex(combgpu.InvalidArgument, "step 1, not 2"):
            P(5)[::2].count_if("return 1;")

    def test_more_than_2_to_the_64(self):
        rng = random.Random(5)
        for p in (P(30, 20), P(64, 12), P(34, family="derangement"),
                  P(33, family="gray"), P(35, family="cycle"), P(35, family="circular"), P("aabbccddeeffgghhiijj" * 2)):
            self.assertGreater(p.size, 2**64)
            for first in (0, p.size - 40, rng.randrange(2**64), rng.randrange(p.size - 40)):
                part = p[first: first + 40]
                members = list(part)
                self.assertEqual(members, [p[rank] for rank in range(first, first + 40)])
                self.assertEqual([part.index(member) for member in members], list(range(40)))
                self.assertEqual((part.array().shape[0], sum(chunk.shape[0] for chunk in part.chunks(7))), (40, 40))
        self.assertEqual(*(list(itertools.islice(every, 3000)) for every in (P(30, 20), itertools.permutations(range(30), 20))))
        with self.assertRaisesRegex(combgpu.InvalidArgument, "one by one.*time_limit"):
            P(30, 20)[:5].array(time_limit=1)

    def test_of_no_places(self):
        for p in (P(5, 0), P(0), P([]), P("", 0), P(5, 0, family="combination"), P(0, family="derangement")):
            self.assertEqual((list(p), p.size, p[0], p[-1], p.index(()), () in p), ([()], 1, (), (), 0, True))
            self.assertEqual((list(p[:0]), list(p[::-1])), ([], [()]))
        with self.assertRaises(combgpu.InvalidArgument):
            P(0, 1)

    def test_arrays(self):
        rows = P(5).array()
        self.assertEqual((tuple(rows.shape), rows.tolist()), ((120, 5), [list(p) for p in P(5)]))
        self.assertEqual([chunk.shape[0] for chunk in P(5).chunks(50)], [50, 50, 20])

    def test_an_array_is_whole(self):
        for option in ({"shard": (0, 2)}, {"checkpoint": "run.ck"}, {"resume": True}, {"merge": ["run.ck"]}):
            with self.assertRaisesRegex(combgpu.InvalidArgument, f"without {list(option)[0]}"):
                P(5).array(**option)
        with self.assertRaisesRegex(combgpu.Error, r"stopped after [\d,]+ of 3,628,800 members"):
            P(10).array(progress=lambda now: True, progress_interval=1e-9, slice_ms=1)
        self.assertEqual(len(bytes(P(8).array(progress=lambda now: False, verify=False, resume=None))), 8 * 40320)

    def test_random(self):
        self.assertEqual(P(12).random(3, 5), P(12).random(3, 5))
        self.assertEqual(sorted(P(12).random(3, 5)), list(range(12)))
        self.assertEqual(len({P(12).random(3, i) for i in range(50)}), 50)

    def test_repr(self):
        self.assertEqual(repr(P(4)[2:5]), "Permutations(n=4, family='all', length=4, size=24)[2:5]")

    def test_errors(self):
        for wrong in ((0, 1, 1), (0, 1), (0, 1, 3), (0, 1, -1)):
            with self.assertRaises(combgpu.InvalidArgument):
                P(3).index(wrong)
            self.assertNotIn(wrong, P(3))
        for wrong in (2.5, None, P):
            with self.assertRaisesRegex(TypeError, "a number n or of items"):
                P(wrong)
        for n, k in ((10**20, None), (5, 10**20), (5, 7), (-1, None)):
            with self.assertRaises(combgpu.InvalidArgument):
                P(n, k)
        for family in ("combination", "partial"):
            with self.assertRaisesRegex(combgpu.InvalidArgument, "needs k"):
                P(5, family=family)
        for wrong in (lambda: P(5).histogram("return 1;", bins=-1), lambda: P(5).hits("return 1;", limit=-1)):
            with self.assertRaises(combgpu.InvalidArgument):
                wrong()
        for chunk in (0, -1):
            with self.assertRaisesRegex(combgpu.InvalidArgument, "a chunk has 1 member"):
                P(5).chunks(chunk)
        for wrong in ("abd", "ab", "aab", ""):
            with self.assertRaises(combgpu.InvalidArgument):
                P("abc").index(wrong)
        with self.assertRaisesRegex(combgpu.InvalidArgument, "family is 3"):
            P(3, family=3)
        with self.assertRaisesRegex(combgpu.InvalidArgument, "family is 'x': it may be all, partial"):
            P(3, family="x")


@unittest.skipUnless(shutil.which("cc"), "no C compiler")
class Functions(unittest.TestCase):
    FIXED = "int i, fixed = 0; for (i = 0; i < n; i++) fixed += perm[i] == i; return fixed;"

    def test_count(self):
        self.assertEqual(P(7).count_if(self.FIXED).hits, 5040 - 1854)  # 1854: OEIS A000166
        self.assertEqual(P(7)[1000:2000].count_if("return 1;").visited, 1000)

    def test_best(self):
        best = P(7).minimum("return 10 * perm[6] - perm[0];")
        self.assertEqual((best.value, best.best, P(7)[best.rank]), (-6, (6, 1, 2, 3, 4, 5, 0), best.best))
        self.assertEqual(P(7).maximum(self.FIXED).rank, 0)

    def test_sums(self):
        self.assertEqual(P(7).sum(self.FIXED).value, 5040)  # one fixed point on average
        self.assertEqual(P(7).sum("return -perm[0];").value, -3 * 5040)
        counts = P(6).histogram(self.FIXED, bins=4)
        self.assertEqual((counts.histogram.tolist(), counts.outside), ([265, 264, 135, 40], 16))  # OEIS A008290
        self.assertRaisesRegex(combgpu.InvalidArgument, "^width is 0;", P(6).histogram, self.FIXED, bins=4, width=0)
        self.assertRaisesRegex(TypeError, "^start is 0.5;", P(6).histogram, self.FIXED, bins=4, start=0.5)

    def test_hits(self):
        found = P(6).hits("return perm[0] == 5 && perm[5] == 0;", ordered=True)
        self.assertEqual(list(found), [p for p in P(6) if p[0] == 5 and p[5] == 0])
        self.assertEqual(found.result.hits, 24)

    def test_data(self):
        weights = struct.pack("6i", 5, 3, 9, -2, 8, 1)
        best = P(6).maximum("int i, s = 0; for (i = 0; i < n; i++) s += i * combgpu_data_i32(data, perm[i]); return s;",
                            data=weights)
        self.assertEqual(best.best, (3, 5, 1, 0, 4, 2))
        self.assertEqual(P(4).count_if("return 1;", data=b"").hits, 24)

    def test_arrays_as_data(self):
        try:
            import numpy
        except ImportError:
            self.skipTest("no NumPy")
        sums = "return combgpu_data_i32(data, 2 * perm[0]); // of the first column"
        numbers = numpy.arange(8, dtype="int32").reshape(4, 2)
        for same in numbers, numbers.astype(">i4"), numpy.asfortranarray(numbers), numpy.repeat(numbers, 2, axis=0)[::2]:
            self.assertEqual(P(4).sum(sums, same).value, 6 * (0 + 2 + 4 + 6))
        self.assertRaises(combgpu.InvalidArgument, P(4).sum, sums, numbers.astype(object))
        self.assertRaises(combgpu.InvalidArgument, P(4).sum, sums, numbers, shard=(0, 2**40))

    def test_another_function_is_another_job(self):
        stopped = P(11).count_if("return perm[0] == 10;", progress=lambda now: True, progress_interval=1e-9, slice_ms=1)
        with self.assertRaisesRegex(combgpu.WrongJob, "visitor is"):
            P(11).count_if("return perm[0] == 9;", resume=stopped)
        self.assertEqual(P(11).count_if("return perm[0] == 10;", resume=stopped).hits, math.factorial(10))
        for wrong in (None, 5, b"return 1;", ["return 1;"]):
            with self.assertRaisesRegex(TypeError, "the text of its body"):
                P(5).count_if(wrong)

    def test_sets_that_are_too_large(self):
        for p in (P(22), P(22)[:100], P(40, 20)[:9], P(25, family="derangement")[:3], P(22, family="cycle")[:3],
                  P([1] * 30 + [2] * 30 + [3] * 4)[:9]):
            with self.assertRaisesRegex(combgpu.InvalidArgument, r"sets of fewer than 2\*\*64 .* this set has [\d,]{26,}$"):
                p.sum("return 1;")
        with self.assertRaisesRegex(combgpu.InvalidArgument, "has members of no places"):
            P(5, 0).sum("return 1;")

    def test_compiler_says_what_is_wrong(self):
        with self.assertRaisesRegex(combgpu.Error, "does not compile"):
            P(5).count_if("return nothing;")


if __name__ == "__main__":
    unittest.main()
