"""Magic squares: counts of OEIS A006052 and of the header, lists, squares as objects."""

import unittest

import combgpu

DURER = [[16, 3, 2, 13], [5, 10, 11, 8], [9, 6, 7, 12], [4, 15, 14, 1]]


class Count(unittest.TestCase):
    def test_order_4(self):
        found = combgpu.magic(4)
        self.assertEqual((found.count, found.up_to_d4, found.up_to_m_group), (7040, 880, 220))
        self.assertTrue(found.complete)
        self.assertIsNone(found.state)
        self.assertRegex(repr(found), r"^MagicCount\(order=4, count=7,040, up_to_d4=880; complete, .* s on ")

    def test_kinds(self):
        self.assertEqual(combgpu.magic(4, kind="pandiagonal").up_to_d4, 48)
        self.assertEqual(combgpu.magic(3, kind="semi").count, 72)
        found = combgpu.magic(4, kind="most_perfect")
        self.assertEqual((found.up_to_d4, found.up_to_m_group), (48, 0))
        self.assertEqual(combgpu.magic(4, kind="franklin").count, 0)
        for kind in combgpu._magic.KINDS:
            self.assertIn(f'"{kind}"', combgpu.magic.__doc__)

    def test_orders(self):
        for search in (combgpu.magic, combgpu.magic_list, combgpu.magic_estimate, combgpu.MagicSquare.construct):
            with self.assertRaisesRegex(TypeError, "order is True"):
                search(True)
        with self.assertRaisesRegex(TypeError, "order is True"):
            next(combgpu.magic_squares(True))
        self.assertEqual(combgpu.magic(1).count, 1)

    def test_by_centre(self):
        self.assertEqual(combgpu.magic(3).by_centre[5], 1)

    def test_givens(self):
        givens = [[None] * 4, [0] * 4, [0] * 4, [None, 15, 14, None]]
        self.assertEqual(combgpu.magic(4, givens=givens).count, 32)
        for wrong in (5, [1] * 16, [["x"] * 4] * 4):
            with self.assertRaises(combgpu.InvalidArgument):
                combgpu.magic(4, givens=wrong)

    def test_numbers(self):
        for numbers in (range(10, 19), set(range(10, 19)), (i for i in range(10, 19))):
            self.assertEqual(combgpu.magic(3, numbers=numbers).count, 8)

    def test_shards_add_up(self):
        self.assertEqual(sum(combgpu.magic(4, shard=(i, 3)).count for i in range(3)), 7040)

    def test_estimate(self):
        found = combgpu.magic_estimate(4, samples=20000, seed=1)
        self.assertLess(abs(found.count - 7040), 5 * found.standard_error)
        self.assertEqual(found.samples, 20000)
        with self.assertRaisesRegex(combgpu.InvalidArgument, "line_sum is 0; .* add up to 45"):
            combgpu.magic(3, numbers=range(1, 10), line_sum=0)
        self.assertEqual(combgpu.magic(3, numbers=range(-4, 5), line_sum=0).count, 8)
        with self.assertRaisesRegex(combgpu.InvalidArgument, "error is 0"):
            combgpu.magic_estimate(4, error=0)
        with self.assertRaisesRegex(combgpu.InvalidArgument, "^kind is 'bimagic': it may be normal, .*ultramagic$"):
            combgpu.magic_estimate(8, kind="bimagic")
        self.assertIn("count=0 +- ?,", repr(combgpu.magic_estimate(4, samples=2)))
        found = combgpu.magic_estimate(4, kind="associative", samples=20000, seed=1)
        self.assertLess(abs(found.up_to_d4 - 48), 5 * found.standard_error / 8)
        self.assertTrue(0 < found.error_of_error < 0.1, found.error_of_error)
        self.assertTrue(0 < found.low < found.count < found.high, found)


class List(unittest.TestCase):
    def test_iterator_has_every_square(self):
        squares = set(combgpu.magic_squares(4, frenicle=True))
        self.assertEqual(len(squares), 880)
        self.assertTrue(all(square.is_magic and square == square.frenicle() for square in squares))

    def test_limit(self):
        found = combgpu.magic_squares(4, limit=3)
        self.assertEqual(len(list(found)), 3)
        self.assertEqual(found.result.run.status, "found")

    def test_list_is_a_part_of_the_whole(self):
        whole = combgpu.magic_list(4).tolist()
        self.assertEqual(len(whole), 7040)
        self.assertEqual(whole, sorted(whole))
        self.assertEqual(combgpu.magic_list(4, first=7000, count=3).tolist(), whole[7000:7003])

    def test_a_list_that_is_stopped_is_shorter(self):
        for options in ({}, {"first": 5}, {"first": 5, "count": 3}, {"count": 2**21}):
            self.assertLess(len(combgpu.magic_list(4, time_limit=1e-9, **options)), 7040)

    def test_list_past_the_end(self):
        self.assertEqual(combgpu.magic_list(3, first=6, count=10).tolist(), combgpu.magic_list(3).tolist()[6:])
        self.assertEqual(len(combgpu.magic_list(4, first=5, count=10**30)), 7035)
        with self.assertRaisesRegex(combgpu.InvalidArgument, "count is 0"):
            combgpu.magic_list(3, count=0)
        with self.assertRaisesRegex(combgpu.InvalidArgument, "first"):
            combgpu.magic_list(3, first=9, count=1)

    def test_order_of_a_list(self):
        for order in (-1, 0, 10**9):
            with self.assertRaisesRegex(combgpu.Error, "^order is"):
                combgpu.magic_list(order, count=1)


class Square(unittest.TestCase):
    def test_check(self):
        report = combgpu.MagicSquare(DURER).check()
        self.assertTrue(report.is_magic and report.is_associative and not report.is_pandiagonal)
        self.assertEqual((report.magic_sum, report.wrong), (34, ""))

    def test_check_says_what_is_wrong(self):
        wrong = [row[:] for row in DURER]
        wrong[0][0], wrong[0][1] = wrong[0][1], wrong[0][0]
        self.assertRegex(combgpu.MagicSquare(wrong).check().wrong, "column 0")

    def test_it_is_a_sequence_of_rows(self):
        square = combgpu.MagicSquare(DURER)
        self.assertEqual((square[3, 1], square[3], len(square), list(square)[0]), (15, (4, 15, 14, 1), 4, (16, 3, 2, 13)))
        self.assertEqual((square[:, 0], square[1:3, -1], square[-1, 1:3]), ([16, 5, 9, 4], [8, 12], (15, 14)))
        with self.assertRaisesRegex(IndexError, "3 indices"):
            square[0, 1, 2]
        self.assertEqual(eval(repr(square), {"MagicSquare": combgpu.MagicSquare}), square)
        self.assertEqual(str(square).splitlines()[1], " 5 10 11  8")

    def test_symmetries(self):
        square = combgpu.MagicSquare(DURER)
        self.assertEqual(len({square.symmetry(i) for i in range(8)}), 8)
        self.assertEqual({square.symmetry(i).frenicle() for i in range(8)}, {square.frenicle()})
        self.assertEqual({square.symmetry(i).canonical() for i in range(8)}, {square.canonical()})

    def test_construct(self):
        self.assertTrue(all(combgpu.MagicSquare.construct(n).is_magic for n in range(3, 20)))
        for order in (2, -5, 10**9, 10**30):
            with self.assertRaises(combgpu.InvalidArgument):
                combgpu.MagicSquare.construct(order)
        self.assertTrue(combgpu.MagicSquare.construct(7, "ultramagic").check().is_ultramagic)

    def test_picture(self):
        svg = combgpu.MagicSquare(DURER)._repr_svg_()
        self.assertEqual((svg.count("<rect"), svg.count(">16<")), (17, 1))  # a background, too
        self.assertIn("A &#38; B", combgpu.MagicSquare(DURER).svg("A & B"))
        for title, error in (("a\0b", combgpu.InvalidArgument), ("a\nb", combgpu.InvalidArgument), (3, TypeError)):
            with self.assertRaisesRegex(error, "title"):
                combgpu.MagicSquare(DURER).svg(title)
        for title in ("魔\u3000方陣", "10\u00a0x 10", "\U0001f468\u200d\U0001f469"):
            self.assertIn(f"<title>{title}<", combgpu.MagicSquare(DURER).svg(title))
            self.assertIn(title, next(combgpu.no3_boards(6)).svg(title))
        for drawn in (combgpu.MagicSquare(DURER), next(combgpu.no3_boards(6))):
            self.assertEqual(drawn.svg(None), drawn.svg(""))

    def test_not_square(self):
        with self.assertRaisesRegex(combgpu.InvalidArgument, "as many rows as columns"):
            combgpu.MagicSquare([[1, 2, 3], [4, 5, 6]])


if __name__ == "__main__":
    unittest.main()
