"""No-three-in-line: counts of OEIS A000755 and A000769, boards as objects."""

import unittest

import combgpu


class Count(unittest.TestCase):
    def test_counts(self):
        for n, every, classes in ((2, 1, 1), (4, 11, 4), (6, 50, 11), (8, 380, 57)):
            found = combgpu.no3(n)
            self.assertEqual((found.all, found.up_to_symmetry), (every, classes))
            self.assertEqual(sum(count for name, count in found.classes.items() if name != "near_rot4"), classes)

    def test_class(self):
        self.assertEqual(combgpu.no3(10, symmetry="rot4").classes["rot4"], 6)

    def test_fixed_cells(self):
        boards = list(combgpu.no3_boards(6, every_orientation=True))
        with_corner = sum((0, 0) in board for board in boards)
        self.assertEqual(combgpu.no3(6, on=[(0, 0)]).all, with_corner)
        self.assertEqual(combgpu.no3(6, off=[(0, 0)]).all, 50 - with_corner)
        grid = [[x == y == 0 for x in range(6)] for y in range(6)]
        self.assertEqual(combgpu.no3(6, on=grid).all, with_corner)
        self.assertEqual(combgpu.no3(6, on=boards[0]).all, 1)
        with self.assertRaisesRegex(combgpu.InvalidArgument, "^n is"):
            combgpu.no3(10**9, on=[(0, 0)])
        for wrong in (0, 0), 5:
            with self.assertRaisesRegex(combgpu.InvalidArgument, "off is points"):
                combgpu.no3(6, off=wrong)

    def test_a_limit_of_0_is_refused(self):
        for search in (lambda: combgpu.no3(6, limit=0), lambda: next(combgpu.no3_boards(6, limit=0)),
                       lambda: combgpu.magic(4, limit=0), lambda: next(combgpu.magic_squares(4, limit=0)),
                       lambda: next(combgpu.permutations(4).hits("return 1;", limit=0))):
            with self.assertRaisesRegex(combgpu.InvalidArgument, "limit is 0; it may be 1 or more, or None"):
                search()
        self.assertEqual(combgpu.no3(6, limit=2).up_to_symmetry, 2)

    def test_seed_gives_the_same_first_board(self):
        first = [next(combgpu.no3_boards(20, symmetry="rot4", seed=7, limit=1)) for _ in range(2)]
        self.assertEqual(first[0], first[1])
        self.assertTrue(first[0].is_solution)


class Boards(unittest.TestCase):
    def test_iterator_has_every_board(self):
        found = combgpu.no3_boards(8, every_orientation=True)
        boards = set(found)
        self.assertEqual(len(boards), 380)
        self.assertTrue(all(board.is_solution for board in boards))
        self.assertEqual(len({board.canonical() for board in boards}), found.result.up_to_symmetry)

    def test_forms(self):
        board = next(combgpu.no3_boards(8))
        self.assertEqual(combgpu.Board.of_rle(board.rle()), board)
        self.assertEqual(combgpu.Board.of_flammenkamp(board.flammenkamp()), board)
        self.assertEqual(combgpu.Board.of_points(8, board), board)
        self.assertEqual(eval(repr(board), {"Board": combgpu.Board}), board)
        self.assertEqual(str(board).count("o"), 16)
        self.assertEqual(combgpu.Board([[c == "o" for c in line.split()] for line in str(board).splitlines()]), board)

    def test_more_than_64_columns(self):
        board = combgpu.Board.of_points(100, [(x, x * x % 100) for x in range(100)])
        self.assertEqual(combgpu.Board.of_rle(board.rle()), board)
        self.assertEqual(str(board).count("o"), 100)
        self.assertEqual(board.canonical(), board.canonical().canonical())
        self.assertEqual(board.check().points, 100)
        corner = combgpu.no3(65, symmetry="ort2", on=[(64, 0), (64, 1), (64, 2)])
        self.assertEqual(corner.all, 0)

    def test_check_names_three_in_line(self):
        report = combgpu.Board.of_points(3, [(0, 0), (1, 1), (2, 2)]).check()
        self.assertEqual((report.is_solution, report.line), (False, ((0, 0), (1, 1), (2, 2))))

    def test_what_is_no_board(self):
        for masks in ([1], [], [1, 2, 4, 0], [8, 0, 0], [-1, 0, 0]):
            with self.subTest(masks), self.assertRaises(combgpu.InvalidArgument):
                combgpu.Board.of_masks(3, masks)
        with self.assertRaises(combgpu.InvalidArgument):
            combgpu.Board.of_points(-3, [])
        with self.assertRaisesRegex(combgpu.InvalidArgument, "not text"):
            combgpu.Board(["o.", ".o"])
        with self.assertRaises(TypeError):
            combgpu.Board.of_points(3, [(0.5, 1)])
        with self.assertRaisesRegex(combgpu.InvalidArgument, "two dimensions"):
            combgpu.Board([[[1, 0], [0, 0]], [[0, 0], [0, 0]]])
        with self.assertRaisesRegex(combgpu.InvalidArgument, "nor a row of a 5 x 5 grid"):
            combgpu.no3(5, on=[[0] * 4] * 4)

    def test_picture(self):
        board = next(combgpu.no3_boards(6))
        self.assertEqual(board._repr_svg_().count("<circle"), 12)
        self.assertIn("&lt;6&gt;", board.svg("<6>"))
        for title, error in (("a\0b", combgpu.InvalidArgument), ("a\nb", combgpu.InvalidArgument), (3, TypeError)):
            with self.assertRaisesRegex(error, "title"):
                board.svg(title)

    def test_wrong_text(self):
        with self.assertRaises(combgpu.BadFile):
            combgpu.Board.of_rle("3o$o!")
        for read in combgpu.Board.of_rle, combgpu.Board.of_flammenkamp, combgpu.Instance.parse:
            with self.assertRaises(TypeError):
                read(5)


if __name__ == "__main__":
    unittest.main()
