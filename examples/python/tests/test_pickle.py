"""Pickles, copies and equality of what searches take and return; other processes."""

import copy
import multiprocessing
import pickle
import unittest

import combgpu

P = combgpu.permutations


def again(thing):
    return pickle.loads(pickle.dumps(thing))


def things():
    """One of each kind."""
    stopped = combgpu.no3_boards(9)
    next(stopped)
    yield from (combgpu.magic(4), combgpu.magic(4).run, combgpu.magic_estimate(4, samples=1000),
                combgpu.MagicSquare.construct(5), combgpu.MagicSquare.construct(5).check(),
                combgpu.no3(6), next(combgpu.no3_boards(6)), next(combgpu.no3_boards(6)).check(),
                stopped.state, combgpu.devices()[0], P(9), P(9)[5:90:7], P("BANANA"), P([[1], [2], [1]]), P(5, 0), P(0),
                P(64, 20), P(30, family="gray")[2**70:])


class Pickle(unittest.TestCase):
    def test_everything(self):
        for thing in things():
            with self.subTest(thing):
                for made in (again(thing), copy.copy(thing), copy.deepcopy(thing)):
                    self.assertIs(type(made), type(thing))
                    self.assertEqual((made, repr(made), hash(made)), (thing, repr(thing), hash(thing)))
                    self.assertFalse(made != thing)
                    self.assertNotEqual(made, 5)

    def test_equal_is_what_found_the_same(self):
        self.assertEqual(combgpu.magic(4), combgpu.magic(4, slice_ms=3))
        self.assertNotEqual(combgpu.magic(4), combgpu.magic(4, kind="associative"))
        self.assertNotEqual(combgpu.no3(8), combgpu.no3(7))
        self.assertEqual(len({combgpu.no3(6), combgpu.no3(6), combgpu.no3(7)}), 2)
        self.assertNotEqual(combgpu.no3(20, time_limit=0.1), combgpu.no3(7))
        self.assertEqual(len({P(6), P(6)[:], P(6)[1:], P(6, 6), P(6, family="gray"), P("abcdef"), P("aab")}), 6)

    def test_permutations_go_on(self):
        for p in (P(6)[7:300:11], P("BANANA")[3:], P(30, family="gray")[2**70: 2**70 + 5]):
            self.assertEqual(list(again(p)), list(p))
        with combgpu.Context("cpu", threads=1) as context:
            p = context.permutations(5)
            self.assertIs(copy.copy(p)._context, context)
        self.assertEqual(again(p)[3], P(5)[3])
        self.assertEqual(len(again(p).array()), 120)

    def test_interrupted(self):
        stopped = combgpu.no3(20, time_limit=0.1)
        made = again(combgpu.Interrupted(stopped, stopped.state))
        self.assertEqual((made.result, made.state), (stopped, stopped.state))
        found = combgpu.no3_boards(9)
        made = again(combgpu.Interrupted(found, found.state))
        self.assertEqual((made.result, len(list(combgpu.no3_boards(9, resume=made)))), (None, combgpu.no3(9).up_to_symmetry))

    def test_what_stays_in_its_process_says_so(self):
        for thing in (combgpu.default_context(), combgpu.magic_squares(3)):
            for way in (pickle.dumps, copy.copy):
                with self.assertRaisesRegex(TypeError, "can be neither pickled nor copied"):
                    way(thing)

    def test_errors(self):
        with self.assertRaises(combgpu.FileError) as caught:
            combgpu.Instance.read("nowhere.tsp")
        self.assertEqual(str(again(caught.exception)), str(caught.exception))

    def test_other_processes(self):
        self.assertIs(again(combgpu.no3), combgpu.no3)
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            self.assertEqual(pool.map(combgpu.no3, [6, 7]), [combgpu.no3(6), combgpu.no3(7)])
            self.assertEqual(pool.map(sum, [P(3)[4], P(4)[9]]), [3, 6])
            self.assertEqual(pool.apply(list, (P(4)[3:20:4],)), list(P(4)[3:20:4]))


if __name__ == "__main__":
    unittest.main()
