"""Exceptions at any moment (of signals' handlers, from other threads), Ctrl-C under asyncio, the interpreter's end."""

import asyncio
import ctypes
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

import combgpu


class Timeout(Exception):
    pass


def raises(*_):
    raise Timeout


def python(program, *arguments, **environment):
    """Runs a program; returns its exit status and what it said."""
    done = subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, text=True, timeout=300,
                          env={**os.environ, **environment})
    return done.returncode, done.stdout, done.stderr


@unittest.skipUnless(hasattr(signal, "setitimer"), "no timers")
class Alarms(unittest.TestCase):
    def setUp(self):
        self.cpu = combgpu.Context("cpu", threads=1)
        self.addCleanup(self.cpu.close)
        self.addCleanup(signal.signal, signal.SIGALRM, signal.signal(signal.SIGALRM, raises))
        self.random = random.Random(1)

    def after(self, work, least, most):
        """Returns work(), or None if an alarm at a random moment ended it."""
        try:
            try:
                signal.setitimer(signal.ITIMER_REAL, self.random.uniform(least, most))
                return work()
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
        except Timeout:
            return None

    def test_a_list_is_whole_or_the_exception_comes(self):
        lists = [self.after(lambda: list(self.cpu.magic_squares(4, frenicle=True)), 0.0005, 0.012) for _ in range(200)]
        self.assertEqual({len(found) for found in lists if found is not None} - {880}, set())
        self.assertGreater(lists.count(None), 20)
        self.assertIs(signal.getsignal(signal.SIGINT), signal.default_int_handler)
        self.assertEqual(len(self.cpu.jobs), 0)

    def test_what_did_not_reach_the_caller_comes_again(self):
        searches = {
            880: lambda **options: self.cpu.magic_squares(4, frenicle=True, **options),
            57: lambda **options: self.cpu.no3_boards(8, **options),
            720: lambda **options: self.cpu.permutations(7).hits("return perm[0] == perm[1] + 1;", **options)}
        for count, search in searches.items():
            for options in {}, {"progress": lambda now: None, "progress_interval": 1e-9, "slice_ms": 1}:
                for _ in range(6):
                    solutions, found, most = search(**options), [], 0.002

                    def take():
                        for solution in solutions:
                            found.append(solution)

                    while solutions.result is None:
                        self.after(take, 0.0002, most)
                        most *= 1.05  # a slower machine gets further, too
                    self.assertEqual((len(found), len(set(found))), (count, count))
                    self.assertTrue(solutions.result.complete)

    def test_a_search_ends_soon_with_the_exception(self):
        for _ in range(10):
            begun = time.monotonic()
            found = self.after(lambda: self.cpu.no3(14, time_limit=60, progress=lambda now: None,
                                                    progress_interval=1e-9), 0.001, 0.03)
            self.assertIsNone(found)
            self.assertLess(time.monotonic() - begun, 30)
        self.assertIs(signal.getsignal(signal.SIGINT), signal.default_int_handler)

    def test_the_context_can_be_used_and_closed_afterwards(self):
        for _ in range(50):
            context = combgpu.Context("cpu", threads=1)
            self.after(lambda: (context.no3(9), context.magic_list(4), context.permutations(8).array()), 0.0001, 0.01)
            self.assertEqual(context.magic(3).count, 8)
            context.close()

    def test_a_checkpoint_goes_on(self):
        with tempfile.TemporaryDirectory() as folder:
            for i in range(10):
                path = Path(folder, f"{i}.ck")
                found = self.after(lambda: self.cpu.no3(10, checkpoint=path, progress=lambda now: None,
                                                        progress_interval=1e-9, slice_ms=1), 0.001, 0.05)
                found = found or self.cpu.no3(10, checkpoint=path, resume=True)
                self.assertEqual(found.all, 1135)

    def test_an_exception_from_another_thread(self):
        main, wrong = ctypes.c_ulong(threading.get_ident()), []
        for _ in range(100):
            delay = self.random.uniform(0, 0.01)
            sent = threading.Event()

            def send():
                time.sleep(delay)
                ctypes.pythonapi.PyThreadState_SetAsyncExc(main, ctypes.py_object(Timeout))
                sent.set()

            thread = threading.Thread(target=send)
            try:
                thread.start()
                found = list(self.cpu.magic_squares(4, frenicle=True))
                if len(found) != 880:
                    wrong.append(len(found))
                sent.wait()
                sum(range(1000))
            except Timeout:
                pass
            try:
                thread.join()
                for _ in range(1000):
                    pass
            except Timeout:
                pass
        self.assertEqual(wrong, [])


@unittest.skipIf(sys.platform == "win32", "no signals to itself")
class Signals(unittest.TestCase):
    def test_sigterm_ends_the_program(self):
        program = ("import combgpu, os, signal, sys, threading\n"
                   "signal.signal(signal.SIGTERM, lambda *_: sys.exit(7))\n"
                   "threading.Timer(float(sys.argv[1]), os.kill, (os.getpid(), signal.SIGTERM)).start()\n"
                   "combgpu.no3(14, time_limit=60, progress=lambda now: None, progress_interval=1e-9)\n")
        for delay in "0.01", "0.1", "0.3":
            self.assertEqual(python(program, delay)[0], 7)

    def test_ctrl_c_under_asyncio(self):
        async def main():
            with self.assertRaises(combgpu.Interrupted) as caught:
                combgpu.Context("cpu").no3(14, time_limit=60, progress=lambda now: signal.raise_signal(signal.SIGINT))
            return caught.exception

        stopped = asyncio.run(main())
        self.assertEqual((stopped.result.run.status, len(stopped.state.data) > 100), ("stopped", True))
        self.assertLess(stopped.result.run.seconds, 30)

    def test_another_handler_of_ctrl_c_decides_itself(self):
        pressed = []
        before = signal.signal(signal.SIGINT, lambda *_: pressed.append(1))
        try:
            found = combgpu.no3(10, progress=lambda now: signal.raise_signal(signal.SIGINT), progress_interval=1e-9)
        finally:
            signal.signal(signal.SIGINT, before)
        self.assertEqual((found.all, bool(pressed)), (1135, True))

    def test_daemon_threads_at_the_end(self):
        program = ("import combgpu, threading, time\n"
                   "def work():\n"
                   "    begun.release()\n"
                   "    combgpu.Context('cpu').no3(13, progress=lambda now: None, progress_interval=0.001)\n"
                   "begun = threading.Semaphore(0)\n"
                   "for _ in range(3): threading.Thread(target=work, daemon=True).start()\n"
                   "for _ in range(3): begun.acquire()\n"
                   "time.sleep(0.05)\n")
        for _ in range(5):
            self.assertEqual(python(program), (0, "", ""))


# What refers to what in a cycle of garbage decides the order in which the collector finalises: several cycles.
CYCLES = """
import gc, sys, threading
import combgpu

class Holder:
    pass

def in_an_object(searches):
    holder = Holder()
    holder.context = combgpu.Context("cpu", threads=1)
    holder.iterators = [search(holder.context) for search in searches]
    for iterator in holder.iterators:
        next(iterator)
    holder.me = holder

def in_a_traceback(searches):
    context = combgpu.Context("cpu", threads=1)
    iterators = [search(context) for search in searches]
    try:
        for iterator in iterators:
            next(iterator)
        raise ValueError
    except ValueError as error:
        kept = error

def of_a_thread(searches):
    def work():
        iterators = [search(combgpu.default_context()) for search in searches]
        try:
            for iterator in iterators:
                next(iterator)
            raise ValueError
        except ValueError as error:
            kept = error
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()

SEARCHES = [lambda context: context.no3_boards(11), lambda context: context.magic_squares(4)]
for make in in_an_object, in_a_traceback, of_a_thread:
    for searches in SEARCHES[:1], SEARCHES[1:], SEARCHES:
        make(searches)
        gc.collect()
print("end")
"""


class Garbage(unittest.TestCase):
    def test_a_context_and_its_iterators_in_a_cycle(self):
        status, said, errors = python(CYCLES, MALLOC_PERTURB_="165", OCL_ICD_VENDORS="/nonexistent")
        self.assertEqual((status, said), (0, "end\n"), errors)

    def test_an_iterator_of_a_context_that_was_closed(self):
        context = combgpu.Context("cpu", threads=1)
        boards = context.no3_boards(11)
        next(boards)
        context.close()
        with self.assertRaisesRegex(combgpu.InvalidArgument, "the search has ended"):
            list(boards)


if __name__ == "__main__":
    unittest.main()
