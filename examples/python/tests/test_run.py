"""Runs: contexts, progress, Ctrl-C and resume, checkpoints, errors of callbacks."""

import gc
import multiprocessing
import pickle
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

import combgpu


def press_ctrl_c(progress):
    signal.raise_signal(signal.SIGINT)


# stops after the first slice, which is a small part of the search
AT_ONCE = {"progress_interval": 1e-9, "slice_ms": 1}


class Bar:
    """What a tqdm bar has."""

    def __init__(self, total=None):
        self.total, self.n = total, 0.0

    def update(self, amount):
        self.n += amount
        return True


class Progress(unittest.TestCase):
    def test_it_is_told(self):
        seen = []
        combgpu.no3(10, progress=seen.append, progress_interval=1e-9)
        self.assertEqual(seen[-1].fraction, 1)
        self.assertEqual([p.fraction for p in seen], sorted(p.fraction for p in seen))

    def test_it_stops(self):
        with combgpu.Context("cpu") as context:
            stopped = context.no3(11, progress=lambda now: True, **AT_ONCE)
        self.assertEqual((stopped.run.status, stopped.complete), ("stopped", False))
        self.assertEqual(combgpu.no3(11, resume=stopped).all, 1120)

    def test_bar(self):
        for bar, full in ((Bar(), 1), (Bar(total=200), 200)):
            combgpu.no3(9, progress=bar)
            self.assertAlmostEqual(bar.n, full)

    def test_neither_function_nor_bar(self):
        with self.assertRaisesRegex(TypeError, "not int"):
            combgpu.no3(5, progress=3)

    def test_its_errors_come_through(self):
        def broken(now):
            raise LookupError("mine")

        with self.assertRaisesRegex(LookupError, "mine"):
            combgpu.no3(9, progress=broken)

    def test_its_errors_leave_what_can_be_collected(self):
        def fails(progress):
            raise KeyError

        members, rest = combgpu.permutations(9), {"progress": fails, "progress_interval": 1e-9}
        for search in (lambda: combgpu.magic_list(4, **rest), lambda: members.array(**rest),
                       lambda: members.sum("return data[0];", data=memoryview(bytes(100)), **rest)):
            raised = False
            try:  # assertRaises would clear the frames, which hold on to each other
                search()
            except KeyError:
                raised = True
            self.assertTrue(raised)
            gc.collect()

    def test_stop_iteration_does_not_end_the_callers_loop(self):
        with self.assertRaises(RuntimeError):
            list(combgpu.no3_boards(11, progress=lambda now: next(iter(())), **AT_ONCE))


class Stop(unittest.TestCase):
    def setUp(self):
        self.cpu = combgpu.Context("cpu")  # no device does all of it in a slice
        self.addCleanup(self.cpu.close)

    def test_ctrl_c_and_resume(self):
        with self.assertRaises(combgpu.Interrupted) as caught:
            self.cpu.no3(11, progress=press_ctrl_c, **AT_ONCE)
        self.assertIsInstance(caught.exception, KeyboardInterrupt)
        self.assertEqual(caught.exception.result.run.status, "stopped")
        self.assertEqual(combgpu.no3(11, resume=caught.exception).all, 1120)
        again = pickle.loads(pickle.dumps(caught.exception.state))
        self.assertEqual(combgpu.no3(11, resume=again).all, 1120)
        self.assertIs(signal.getsignal(signal.SIGINT), signal.default_int_handler)

    def test_ctrl_c_in_an_iterator(self):
        found = self.cpu.no3_boards(11, every_orientation=True, progress=press_ctrl_c, **AT_ONCE)
        boards = []
        with self.assertRaises(combgpu.Interrupted) as caught:
            for board in found:
                boards.append(board)
        found.close()
        boards.extend(combgpu.no3_boards(11, every_orientation=True, resume=caught.exception))
        self.assertEqual((len(set(boards)), len(boards)), (1120, 1120))

    def test_ctrl_c_in_an_iterator_loses_nothing_of_its_checkpoint(self):
        with tempfile.TemporaryDirectory() as folder:
            path, boards = Path(folder) / "run.ck", []
            with self.assertRaises(combgpu.Interrupted):
                for board in self.cpu.no3_boards(11, checkpoint=path, progress=press_ctrl_c, **AT_ONCE):
                    boards.append(board)
            self.cpu.close()  # which unlocks the file
            boards.extend(combgpu.no3_boards(11, checkpoint=path, resume=True))
        self.assertEqual((len(set(boards)), len(boards)), (158, 158))

    def test_an_iterator_s_checkpoint_lacks_nothing(self):
        members, function = combgpu.permutations(7), "return perm[0] == perm[1] + 1;"
        whole = set(members.hits(function))
        with tempfile.TemporaryDirectory() as folder:
            for left in (1, 5, 700):  # stopped after so many, with others found and not taken
                options = {"checkpoint": Path(folder) / str(left), "checkpoint_interval": 1e-9, "resume": True}
                before = members.hits(function, **options)
                taken = {next(before) for _ in range(left)}
                before.close()
                self.assertEqual(taken | set(members.hits(function, **options)), whole)
                again = members.hits(function, **options)  # it is complete now
                self.assertEqual((list(again), again.result.run.status), ([], "complete"))

    def test_a_limit_counts_what_was_taken_before_a_resume(self):
        for search in (lambda **options: combgpu.magic_squares(4, **options),
                       lambda **options: combgpu.permutations(6).hits("return 1;", **options)):
            whole = search(limit=10)
            taken = [next(whole) for _ in range(3)]
            rest = search(limit=10, resume=pickle.loads(pickle.dumps(whole.state)))
            taken.append(next(rest))
            rest = search(limit=10, resume=rest)
            taken.extend(rest)
            self.assertEqual((len(set(taken)), len(taken), rest.result.run.status), (10, 10, "found"))
            taken.extend(search(limit=10, resume=rest))  # as many more
            self.assertEqual((len(set(taken)), len(taken)), (20, 20))
            self.assertEqual(len(list(search(limit=20, resume=whole))), 17)

    def test_an_iterator_s_checkpoint_that_cannot_be_written(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "gone" / "run.ck"
            path.parent.mkdir()
            boards = combgpu.no3_boards(8, checkpoint=path, checkpoint_interval=1e-9)
            found = [next(boards)]
            for rest in path.parent.iterdir():
                rest.unlink()
            path.parent.rmdir()
            with self.assertRaises(combgpu.FileError):
                found.extend(boards)
            path.parent.mkdir()
            found.extend(boards)
            self.assertEqual(len(set(found)), 57)
        with self.assertRaisesRegex(combgpu.InvalidArgument, "checkpoint_interval is -1"):
            combgpu.no3(4, checkpoint="x", checkpoint_interval=-1)

    def test_an_iterator_that_is_dropped_unlocks_its_checkpoint(self):
        gc.disable()  # at once, not when cycles are looked for
        try:
            with tempfile.TemporaryDirectory() as folder:
                found = self.cpu.no3_boards(8, checkpoint=Path(folder) / "run.ck")
                boards = {next(found)}
                del found
                boards.update(combgpu.no3_boards(8, checkpoint=Path(folder) / "run.ck", resume=True))
            self.assertEqual((len(boards), len(self.cpu.jobs)), (57, 0))
        finally:
            gc.enable()

    def test_time_limit_of_an_iterator(self):
        found = combgpu.no3_boards(20, time_limit=0.2)
        self.assertEqual((len(list(found)), found.result.run.status), (found.result.up_to_symmetry, "stopped"))
        self.assertGreater(len(found.state.data), 100)

    def test_ctrl_c_writes_the_checkpoint(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "run.ck"
            with self.assertRaises(combgpu.Interrupted):
                self.cpu.no3(11, checkpoint=path, progress=press_ctrl_c, **AT_ONCE)
            with self.assertRaises(combgpu.FileError):
                combgpu.no3(11, checkpoint=path)
            with self.assertRaises(combgpu.WrongJob):
                combgpu.no3(10, checkpoint=path, resume=True)
            self.assertEqual(combgpu.no3(11, checkpoint=path, resume=True).all, 1120)

    def test_a_last_checkpoint_that_cannot_be_written(self):
        def remove(progress):
            shutil.rmtree(path.parent, ignore_errors=True)
            return stop

        for stop, status in (False, "complete"), (True, "stopped"):
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "gone" / "run.ck"
                path.parent.mkdir()
                with self.assertRaises(combgpu.FileError) as caught:
                    self.cpu.no3(11, checkpoint=path, progress=remove, **AT_ONCE)
            result = caught.exception.result
            self.assertEqual((result.run.status, result.state is None), (status, not stop))
            if stop:
                result = combgpu.no3(11, resume=result)
            self.assertEqual(result.all, 1120)

    def test_ctrl_c_in_a_list(self):
        with self.assertRaises(combgpu.Interrupted):
            self.cpu.magic_list(4, progress=press_ctrl_c, **AT_ONCE)

    def test_ctrl_c_in_an_array(self):
        with self.assertRaises(combgpu.Interrupted) as caught:
            self.cpu.permutations(10).array(progress=press_ctrl_c, **AT_ONCE)
        self.assertEqual((caught.exception.result, str(caught.exception)), (None, "stopped by Ctrl-C"))

    def test_an_iterator_goes_on_where_it_was(self):
        found = combgpu.no3_boards(9, every_orientation=True)
        boards = [next(found) for _ in range(10)]
        boards.extend(combgpu.no3_boards(9, every_orientation=True, resume=found))
        self.assertEqual((len(set(boards)), len(boards)), (combgpu.no3(9).all,) * 2)

    def test_batch_goes_on(self):
        instances = [[[(i * j * 7 + k) % 31, (i + j * k) % 17] for j in range(13)] for i in range(20) for k in range(60)]
        stopped = self.cpu.tsp_batch(instances, progress=lambda now: True, **AT_ONCE)
        self.assertIn(-1, stopped.lengths)
        self.assertGreater(max(stopped.lengths), 0)
        self.assertEqual(list(combgpu.tsp_batch(instances, resume=stopped).lengths),
                         list(combgpu.tsp_batch(instances).lengths))

    def test_batch_has_all_tours_or_says_so(self):
        instances = [[[(i * j * 7 + k) % 31, (i + j * k) % 17] for j in range(13)] for i in range(20) for k in range(60)]
        half = self.cpu.tsp_batch(instances, shard=(1, 2))
        for known in half.lengths, half.lower_bounds:
            self.assertEqual(list(known).count(-1), list(half.states).count(0))
        stopped = self.cpu.tsp_batch(instances, progress=lambda now: True, **AT_ONCE)
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaisesRegex(combgpu.InvalidArgument, "a checkpoint file has no tours"):
                combgpu.tsp_batch(instances, checkpoint=Path(folder) / "run.ck", resume=True)
        with self.assertRaisesRegex(combgpu.InvalidArgument, "the state to resume has no tours"):
            combgpu.tsp_batch(instances, resume=combgpu.State(stopped.state.data))
        for resume, of in ((combgpu.no3(20, time_limit=0.01), instances), (stopped, instances[1:])):
            with self.assertRaises(combgpu.WrongJob):
                combgpu.tsp_batch(of, resume=resume)

    def test_time_limit(self):
        stopped = combgpu.no3(20, time_limit=0.2)
        self.assertEqual(stopped.run.status, "stopped")
        self.assertGreater(len(stopped.state.data), 100)

    def test_a_time_limit_of_0_is_refused(self):
        for limit in 0, 0.0, "":
            with self.assertRaisesRegex(combgpu.InvalidArgument, "time_limit is .*; it may be more than 0"):
                combgpu.no3(5, time_limit=limit)

    def test_merge(self):
        with tempfile.TemporaryDirectory() as folder:
            parts = [Path(folder) / f"{i}.ck" for i in range(3)]
            for i, path in enumerate(parts):
                combgpu.no3(9, shard=(i, 3), checkpoint=path)
            self.assertEqual(combgpu.no3(9, merge=parts).all, combgpu.no3(9).all)

    def test_verify(self):
        self.assertGreater(combgpu.no3(10, verify=1, self_test=True).run.verified, 0)

    def test_nothing_to_resume(self):
        with self.assertRaisesRegex(combgpu.InvalidArgument, "complete"):
            combgpu.no3(5, resume=combgpu.no3(5))
        with self.assertRaisesRegex(TypeError, "not str"):
            combgpu.no3(5, resume="run.ck")

    @unittest.skipIf(sys.platform == "win32", "no signals to other processes")
    def test_a_terminal_presses_ctrl_c(self):
        program = ("import combgpu\n"
                   "print('begun', flush=True)\n"
                   "try: combgpu.no3(20, progress=lambda now: print('runs', flush=True))\n"
                   "except combgpu.Interrupted as stopped: print('stopped', len(stopped.state.data) > 100)\n")
        with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as process:
            while process.stdout.readline() != "runs\n":
                pass
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.stdout.read().splitlines()[-1], "stopped True")
        self.assertEqual(process.returncode, 0)

    def test_an_iterator_that_is_closed_ends(self):
        found = combgpu.no3_boards(9)
        next(found)
        found.close()
        found.close()
        self.assertEqual((list(found), found.result), ([], None))

    def test_threads_share_an_iterator(self):
        found, errors, squares = combgpu.magic_squares(4), [], []

        def take():
            try:
                squares.extend(found)
            except Exception as error:
                errors.append(error)

        threads = [threading.Thread(target=take) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual((errors, len(squares), len(set(squares))), ([], 7040, 7040))

    def test_what_a_progress_function_may_not_do(self):
        with combgpu.Context("cpu", threads=1) as context:
            found = context.no3_boards(14, progress=lambda now: wrong(), **AT_ONCE)
            for wrong in (context.close, found.close, lambda: next(found)):
                with self.assertRaisesRegex(combgpu.InvalidArgument, "a function that a search calls can"):
                    list(found)
            with self.assertRaisesRegex(combgpu.InvalidArgument, "a function that a search calls can"):
                context.magic_list(4, progress=lambda now: context.close(), **AT_ONCE)
            self.assertEqual(context.no3(6, progress=lambda now: context.magic(3).count == 0, **AT_ONCE).all, 50)

    def test_options_that_are_wrong(self):
        for shard in (5, (1,), (1, 2, 3)):
            with self.assertRaisesRegex(combgpu.InvalidArgument, "shard is .index, count."):
                combgpu.no3(5, shard=shard)
        with self.assertRaisesRegex(TypeError, "files of all shards"):
            combgpu.no3(5, merge="a.ck")
        with self.assertRaisesRegex(ValueError, "merge adds up counts"):
            combgpu.no3_boards(5, merge=["a.ck", "b.ck"])
        for nothing in ([], (), iter([])):
            with self.assertRaisesRegex(ValueError, "merge is empty: it needs at least one checkpoint"):
                combgpu.no3(5, merge=nothing)
        self.assertEqual(combgpu.no3(5, merge=None).all, 32)
        for options in ({"memory_limit": -1}, {"threads": 10**30}, {"device": 10**30}):
            with self.assertRaises(combgpu.InvalidArgument):
                combgpu.Context("cpu", **options)

    def test_unknown_option(self):
        with self.assertRaisesRegex(TypeError, "'time_limt'; a search takes time_limit"):
            combgpu.no3(5, time_limt=3)


class Contexts(unittest.TestCase):
    def test_devices(self):
        self.assertEqual(combgpu.devices()[0].backend, "cpu")

    def test_every_device_counts_alike(self):
        for device in combgpu.devices():
            with self.subTest(device.backend), combgpu.Context(device.backend, device.index) as context:
                self.assertEqual(context.device, device)
                self.assertIn(device.name, repr(context))
                self.assertEqual(context.no3(7).all, 132)

    def test_several_devices(self):
        with combgpu.Context("cpu", devices=[combgpu.devices()[0]] * 2, threads=1) as context:
            self.assertEqual(context.magic(4).count, 7040)

    def test_absent_backend(self):
        with self.assertRaisesRegex(combgpu.NoDevice, "cpu"):
            combgpu.Context("cpu", device=5)
        with self.assertRaisesRegex(combgpu.InvalidArgument, "backend is 'quantum': it may be auto, cpu, cuda, opencl"):
            combgpu.Context("quantum")

    def test_closed(self):
        context = combgpu.Context("cpu")
        found = context.no3_boards(9)
        next(found)
        context.close()
        self.assertEqual(repr(context), "Context(closed)")
        with self.assertRaisesRegex(combgpu.InvalidArgument, "closed"):
            context.magic(3)
        with self.assertRaisesRegex(combgpu.InvalidArgument, "ended"):
            found.state

    def test_two_searches_side_by_side(self):
        with combgpu.Context("cpu") as context:
            both = zip(context.magic_squares(4), context.no3_boards(8, every_orientation=True))
            self.assertEqual(len(list(both)), 380)

    def test_threads_share_a_context(self):
        counts = []
        with combgpu.Context("cpu", threads=1) as context:
            threads = [threading.Thread(target=lambda: counts.append(context.no3(8).all)) for _ in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        self.assertEqual(counts, [380] * 4)

    @unittest.skipUnless("fork" in multiprocessing.get_all_start_methods(), "no fork")
    def test_after_a_fork(self):
        combgpu.no3(8)
        with multiprocessing.get_context("fork").Pool(2) as pool:
            self.assertEqual(pool.map_async(count_boards, [6, 7]).get(timeout=120), [50, 132])

    @unittest.skipIf("fork" not in multiprocessing.get_all_start_methods(), "no fork")
    def test_what_was_made_before_a_fork(self):
        with combgpu.Context("cpu", threads=2) as opened, combgpu.Context("cpu", threads=1) as alone:
            BEFORE_FORK.update(p=P(9), opened=opened, alone=alone, boards=opened.no3_boards(9))
            self.assertEqual(after_fork(0), [362880 * 9, 132, 132, 51])
            BEFORE_FORK.update(p=P(9), boards=opened.no3_boards(9))
            with multiprocessing.get_context("fork").Pool(1) as pool:
                self.assertEqual(pool.map_async(after_fork, [0]).get(timeout=120),
                                 [[362880 * 9, "each process opens its own", 132, "each process opens its own"]])
            self.assertEqual(after_fork(0), [362880 * 9, 132, 132, 51])
            self.assertEqual(repr(opened)[:15], "Context('cpu', ")

    @unittest.skipIf("fork" not in multiprocessing.get_all_start_methods(), "no fork")
    def test_a_fork_while_another_thread_searches(self):
        at_work, go_on = threading.Event(), threading.Event()
        with combgpu.Context("cpu", threads=2) as opened:
            waits = {"progress": lambda _: at_work.set() or not go_on.wait(60)}
            thread = threading.Thread(target=opened.no3, args=[9], kwargs=waits)
            thread.start()
            at_work.wait(60)
            child = multiprocessing.get_context("fork").Process(target=close_after_fork, args=[opened])
            child.start()
            child.join(30)
            code = child.exitcode
            child.kill()
            go_on.set()
            thread.join()
            self.assertEqual(code, 0, "the process that was forked waits for the thread, which it does not have")


BEFORE_FORK = {}
P = combgpu.permutations


def after_fork(_):
    made = BEFORE_FORK
    found = []
    for search in (lambda: len(bytes(made["p"].array())), lambda: made["opened"].no3(7).all, lambda: made["alone"].no3(7).all,
                   lambda: len(list(made["boards"]))):
        try:
            found.append(search())
        except combgpu.InvalidArgument as error:
            found.append(str(error).split(": ")[1])
    return found


def close_after_fork(opened):
    try:
        opened.no3(7)
    except combgpu.InvalidArgument:
        opened.close()


def count_boards(n):
    return combgpu.no3(n).all


if __name__ == "__main__":
    unittest.main()
