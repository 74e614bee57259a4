"""Runs searches: options, progress, Ctrl-C, resume; every search goes through Job."""

from __future__ import annotations

import _signal
import operator
import os
import signal
import threading
import time
import weakref
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, Generic, Iterator, Sequence, Tuple, TypedDict, TypeVar, Union

from ._combgpu import ffi, lib
from ._convert import c_path
from ._errors import Error, FileError, InvalidArgument, check
from ._result import State, made, no_pickle

if TYPE_CHECKING:
    from ._context import Context

Path = Union[str, "os.PathLike[str]"]
T = TypeVar("T")


class Interrupted(KeyboardInterrupt):
    """Ctrl-C ended a search cleanly: `result` has what is known, `state` resumes it (resume=error.state)."""

    def __init__(self, result: Any, state: State | None) -> None:
        known = "stopped by Ctrl-C" if result is None else repr(result)
        super().__init__(f"{known}; to continue, pass .state as resume=" if state else known)
        self.result = result
        self.state = state

    def __reduce__(self) -> Any:  # an iterator stays in its process
        return Interrupted, (None if isinstance(self.result, Solutions) else self.result, self.state)


@dataclass(frozen=True)
class Progress:
    """The progress of a running search."""

    fraction: float  #: share of the work done, 0 to 1
    elapsed_s: float
    remaining_s: float  #: estimate; negative = not known yet
    remaining_error_s: float  #: half of its 95 % interval; negative = not known
    steps: int
    steps_per_s: float
    solutions: int
    tasks_left: int


class RunOptions(TypedDict, total=False):
    """Options that every search takes.

    time_limit           stop after this many seconds, more than 0; the result then has a `state`
    progress             a function of a Progress, which stops the search by returning a true value; or a tqdm bar
    progress_interval    seconds between two calls; 0.1
    slice_ms             length of a slice, 1 to 500 milliseconds; 50. Ctrl-C waits for its end
    checkpoint           a file, written at intervals and when the search ends
    checkpoint_interval  seconds; 60
    resume               True: continue from the file `checkpoint` if it exists. Or a State, or an object with a `state`
    shard                (index, count): search this shard; the shards' counts add up
    merge                checkpoint files of all shards, each finished: their sum
    verify               True, or the share of the work to compute twice: against devices with silent errors
    self_test            True: test the device first
    """

    time_limit: float
    progress: Any
    progress_interval: float
    slice_ms: float
    checkpoint: Path
    checkpoint_interval: float
    resume: Any
    shard: Tuple[int, int]
    merge: Sequence[Path]
    verify: float
    self_test: bool


# ---- Ctrl-C


class Interrupts:
    """Notes Ctrl-C while a search runs, so that the search can end cleanly."""

    def __init__(self) -> None:
        self.seen = False

    def _note(self, signal_number: int, frame: Any) -> None:
        self.seen = True

    def noted(self, work: Callable[[], T]) -> T:
        """Returns work(). Not a context manager: Ctrl-C's old handler must return despite exceptions of signal handlers."""
        before = _signal.getsignal(signal.SIGINT)
        replaced = _ends_a_search(before) and threading.current_thread() is threading.main_thread()
        try:
            if replaced:
                try:
                    _signal.signal(signal.SIGINT, self._note)
                except ValueError:  # a subinterpreter has no signals
                    replaced = False
            return work()
        finally:
            if replaced:
                try:
                    _signal.signal(signal.SIGINT, before)  # C's: that of `signal` is Python's, and may be interrupted
                except BaseException:  # of another signal's handler, which it calls first
                    _signal.signal(signal.SIGINT, before)
                    raise


def _ends_a_search(handler: Any) -> bool:
    """Whether Ctrl-C with this handler ends the search: Python's own does, and asyncio.run's would cancel the task."""
    function = getattr(handler, "func", handler)
    return function is signal.default_int_handler or getattr(function, "__module__", "") == "asyncio.runners"


# ---- calls of C functions that call back


class _Here(threading.local):
    call: Call | None = None  # the innermost running one in this thread


_here = _Here()
_ends = False  # the interpreter does


def interpreter_ends() -> None:
    """Makes daemon threads leave their searches: no callback may outlive the interpreter."""
    global _ends
    _ends = True


class Call:
    """A call that calls back: the callbacks' data, and the error that one of them raised."""

    def __init__(self, context: Context | None = None) -> None:
        self.context = context
        self._weak = weakref.ref(self)  # else it would keep itself, its job and its file's lock alive
        self.handle = ffi.new_handle(self._weak)
        self.outer: Call | None = None
        self.report: Any = None
        self.error: BaseException | None = None
        self.interrupts = Interrupts()
        self.keep: list[Any] = []  # what C points to

    def called(self, function: Callable[..., int], *arguments: Any) -> int:
        """Returns function(*arguments), or raises what a callback raised."""
        if _ends and threading.current_thread() is not threading.main_thread():
            raise SystemExit  # of a daemon thread alone
        self.outer = _here.call
        try:
            _here.call = self
            status = function(*arguments)
        finally:
            _here.call = self.outer
        error, self.error = self.error, None
        if isinstance(error, StopIteration):  # it would silently end the caller's loop
            raise RuntimeError("a function that the search calls raised StopIteration") from error
        if error is not None:
            raise error
        return status

    def checked(self, function: Callable[..., int], *arguments: Any) -> int:
        """The same, or raises the library's message."""
        assert self.context
        return check(self.called(function, *arguments), self.context.handle)

    def fill(self, run: Any, options: RunOptions, always_report: bool = False) -> None:
        """Sets the struct combgpu_run_desc."""
        unknown = set(options) - set(RunOptions.__annotations__)
        if unknown:
            raise TypeError(f"unexpected argument {sorted(unknown)[0]!r}; a search takes "
                            + ", ".join(RunOptions.__annotations__))
        limit = options.get("time_limit")
        if limit is not None and not limit:  # no limit in C
            raise InvalidArgument(f"time_limit is {limit!r}; it may be more than 0, or None for no limit")
        run.time_limit_s = 0 if limit is None else limit
        run.slice_ms = options.get("slice_ms") or 0
        run.progress_interval_s = options.get("progress_interval") or 0
        run.checkpoint_interval_s = options.get("checkpoint_interval") or 0
        if run.checkpoint_interval_s < 0:  # never in C
            raise InvalidArgument(f"checkpoint_interval is {run.checkpoint_interval_s:g}; it may be 0 (60 s) or more")
        shard: Any = options.get("shard")
        try:
            if shard is not None and shard is not False:
                run.shard_index, run.shard_count = map(operator.index, shard)
        except (TypeError, ValueError, OverflowError):
            raise InvalidArgument(f"shard is (index, count), two integers, not {shard!r}") from None
        run.self_test = bool(options.get("self_test"))
        verify = options.get("verify") or 0
        run.verify, run.verify_share = bool(verify), 0 if verify is True else verify
        if options.get("checkpoint") is not None:
            run.checkpoint_path = self._kept(c_path(options["checkpoint"]))
        run.resume = options.get("resume") is True
        state = resumed_state(options)
        if state:
            run.resume_data = self._kept(ffi.from_buffer(state.data))
            run.resume_bytes = len(state.data)
        merge = options.get("merge")
        if isinstance(merge, (str, bytes, os.PathLike)):
            raise TypeError("merge needs the files of all shards, not one file")
        if merge is not None:
            merge = [self._kept(c_path(path)) for path in merge]
            if not merge:  # a pattern without files: searching everything instead would surprise
                raise InvalidArgument("merge is empty: it needs at least one checkpoint")
            run.merge_paths, run.merge_count = self._kept(ffi.new("char *[]", merge)), len(merge)
        self.report = _reporter(options.get("progress"))
        # a run with a checkpoint is stopped by the progress callback, which lets the library write the file
        if self.report or run.checkpoint_path or always_report:
            run.progress, run.progress_user = lib.combgpu_py_progress, self.handle

    def _kept(self, value: Any) -> Any:
        self.keep.append(value)
        return value


def resumed_state(options: RunOptions) -> State | None:
    """The State to resume from."""
    resume = options.get("resume")
    if resume is None or isinstance(resume, bool):
        return None
    state = getattr(resume, "state", resume)
    if state is None:
        raise InvalidArgument("resume is a complete search: use its result")
    if not isinstance(state, State):
        raise TypeError(f"resume is True, a State or an object with a state, not {type(resume).__name__}")
    return state


def _reporter(progress: Any) -> Callable[[Progress], Any] | None:
    """A progress function; for a tqdm bar, one that moves it."""
    if progress is None or callable(progress) and not hasattr(progress, "update"):
        return progress  # type: ignore[no-any-return]
    if not (hasattr(progress, "update") and hasattr(progress, "total")):
        raise TypeError(f"progress is a function or a tqdm bar, not {type(progress).__name__}")
    if progress.total is None:
        progress.total = 1.0
    return lambda now: bool(progress.update(now.fraction * progress.total - progress.n)) and False


def under_way() -> Iterator[Call]:
    """The calls running in this thread, each called by a callback of the next."""
    call = _here.call
    while call:
        yield call
        call = call.outer


def failed(kind: Any, error: Any, traceback: Any) -> None:
    """Keeps a callback's exception until C has returned. It stops a search."""
    # a subinterpreter's callbacks come to the main interpreter, which has no call under way
    call = _here.call or ffi.from_handle(traceback.tb_frame.f_locals["user"])()
    if call.error is None:
        call.error = error.with_traceback(traceback)


@ffi.def_extern(name="combgpu_py_progress", error=1, onerror=failed)  # type: ignore[untyped-decorator]
def _progress(progress: Any, user: Any) -> bool:
    call = ffi.from_handle(user)()
    stop = call.report is not None and call.report(made(Progress, progress[0]))
    return bool(stop or call.interrupts.seen or _ends)


def _trial() -> bool:
    """Whether callbacks come."""
    call = Call()
    heard: list[Progress] = []
    call.report = heard.append
    call.called(lib.combgpu_py_progress, ffi.new("combgpu_progress *"), call.handle)
    return bool(heard)


if not _trial():  # else Ctrl-C and errors would be lost
    raise ImportError("combgpu was imported by a subinterpreter, which cffi's callbacks do not reach: "
                      "import it in the main interpreter first")


# ---- searches


class Job(Call, Generic[T]):
    """A search between its begin and its end.

    `search` names it like the header ("no3": combgpu_no3_begin, combgpu_no3_end, combgpu_no3_result); `result` makes
    Python's result from C's and a State; `solution` makes Python's solutions, if wanted, from the bytes at a pointer;
    `extra` gives State.extra otherwise.

    A signal's handler may raise an exception between any two lines. So C keeps `held` up to date, and each function
    here can be called again.
    """

    def __init__(self, context: Context, search: str, desc: Any, options: RunOptions,
                 result: Callable[[Any, State | None], T], solution: Callable[[Any], Any] | None = None,
                 extra: Callable[[], Any] = lambda: None) -> None:
        super().__init__(context)
        self.context: Context = context
        self.held = ffi.gc(ffi.new("combgpu_py_job *", {"status": lib.COMBGPU_RUNNING}), lib.combgpu_py_forget)
        self.search = search
        self.result = result
        self.extra = extra
        self.limit: int = getattr(desc, "limit", 0)
        self.keep.append(desc)
        self.fill(desc.run, options)
        self._interval = desc.run.checkpoint_interval_s or 60
        self._solution = solution
        self._found: deque[Any] = deque()
        self._steps = 0  # whose solutions are in _found
        if solution:
            if options.get("merge") is not None:  # files have counts
                raise InvalidArgument("merge adds up counts: pass it to the function that counts, not to one that iterates")
            desc.solution_user = self.held
            desc.run.checkpoint_interval_s = -1  # Solutions writes it when all solutions found have been taken
            state = resumed_state(options)
            self._found.extend((state.extra or ()) if state else ())
        self._has_file = desc.run.checkpoint_path != ffi.NULL
        self._steps_write = self._has_file and not solution
        self._written = time.monotonic()
        self._out = ffi.new(f"combgpu_{search}_result *")
        self._left: State | None = None
        # no __del__: it would run Python code even with nothing to do, and lose exceptions
        self._dropped = weakref.finalize(self, context.free, self.held)
        self._dropped.atexit = False
        begin, job = getattr(lib, f"combgpu_{search}_begin"), ffi.addressof(self.held[0], "job")
        try:
            with context.lock:
                context.jobs[self.held] = os.getpid()
                self.interrupts.noted(lambda: self.checked(begin, context.handle, desc, job))
        except BaseException:
            self.cancel()
            raise

    @property
    def status(self) -> int:
        """The status of the last step; RUNNING if there is more to do."""
        return int(self.held.status)

    def step(self) -> bool:
        """Works for about 50 ms; returns whether there is more to do. Call it by interrupts.noted."""
        with self.context.lock:
            self._alive()
            self._idle()
            try:
                self.checked(lib.combgpu_py_step, self.held)
            except BaseException:
                self.goes_on()
                raise
            if self.held.lacks:
                raise MemoryError("out of memory for the solutions found")
        # the progress callback stops the run when a checkpoint is due
        return self.status == lib.COMBGPU_RUNNING and (self._steps_write or not self.interrupts.seen)

    def goes_on(self) -> None:
        """Lets a stopped search continue."""
        if self.held.status == lib.COMBGPU_STOPPED and not self.held.lacks:
            self.held.status = lib.COMBGPU_RUNNING

    def found(self) -> deque[Any]:
        """The solutions found and not taken yet."""
        if self._solution and self._steps != self.held.steps:
            first, size = self.held.found, self.held.bytes
            solutions = [self._solution(first + i * size) for i in range(self.held.count)]
            self._found += solutions  # no call between this and the next line, so no exception either
            self._steps = self.held.steps
        return self._found

    def give_back(self, solution: Any) -> None:
        """Returns the first of found(), which was taken but did not reach the caller."""
        if not self._found or self._found[0] is not solution:
            self._found.appendleft(solution)

    def write(self, now: bool) -> None:
        """Writes the checkpoint file, if any, when due or `now`. Counts one that fails in the middle of the search."""
        if not self._has_file or not now and time.monotonic() - self._written < self._interval:
            return
        with self.context.lock:
            self._alive()
            self._idle()
            status = self.called(lib.combgpu_checkpoint, self.held.job)
            if now or status != lib.COMBGPU_FILE_ERROR:
                check(status, self.context.handle)
        self._written = time.monotonic()

    def state(self) -> State:
        """Everything that another job needs to continue."""
        needed = ffi.new("size_t *")
        with self.context.lock:
            self._alive()
            lib.combgpu_save(self.held.job, ffi.NULL, 0, needed)
            data = ffi.new("unsigned char[]", needed[0])
            check(lib.combgpu_save(self.held.job, data, needed[0], needed), self.context.handle)
            extra = list(self.found()) if self._solution else self.extra()
        reached = self.limit if self.status == lib.COMBGPU_FOUND else 0
        return State(bytes(ffi.buffer(data, needed[0])), extra, reached)

    def end(self, without_file: bool = False) -> T:
        """Python's result, with a State if there is more to do. Frees the job. `without_file`: the search's last
        checkpoint failed."""
        with self.context.lock:
            if not self.held.has_result:
                self._alive()
                try:
                    self._left = self.state() if self.status != lib.COMBGPU_OK else None
                except Error:  # out of memory: the result is still there
                    self._left = None
                self.called(getattr(lib, f"combgpu_py_{self.search}_end"), self.held, self._out)
            self.context.free(self.held)
            self._dropped.detach()
            if not without_file or self.held.ended != lib.COMBGPU_FILE_ERROR:
                check(self.held.ended, self.context.handle)
        run = self._out.run
        if run.status == lib.COMBGPU_OK:
            self._left = None
        if self.status == lib.COMBGPU_FOUND:  # before a resume, perhaps
            run.status = self.status
        return self.result(self._out[0], self._left)

    def run(self) -> T:
        """Runs to the end; Ctrl-C raises Interrupted."""
        try:
            result = self.interrupts.noted(self._to_the_end)
        finally:
            self.cancel()
        if self.interrupts.seen:
            raise Interrupted(result, getattr(result, "state", None))
        return result

    def _to_the_end(self) -> T:
        try:
            while self.step():
                pass
        except FileError as error:  # the last checkpoint: the search is still over
            with suppress(Error):
                error.result = self.end(without_file=True)
            raise
        except Error:
            raise
        except BaseException:  # of a callback, or of a signal's handler
            with suppress(Error):
                self.write(now=True)
            raise
        return self.end()

    def _alive(self) -> None:
        self.context.alive()
        if not self.held.job:
            raise InvalidArgument("the search has ended")

    def _idle(self) -> None:
        if any(call is self for call in under_way()):
            raise InvalidArgument("a function that a search calls can neither continue nor end it")

    def cancel(self) -> None:
        """Frees the job if it has not ended."""
        with self.context.lock:
            self._idle()
            self.context.free(self.held)
            self._dropped.detach()


class Solutions(Iterator[T]):
    """An iterator of solutions as a search finds them, in unspecified order.

    When it is exhausted `result` has the counts. Ctrl-C raises Interrupted once everything found so far has been taken.
    Passed as resume= to the function that made it, it continues without repeating solutions. It writes a checkpoint file
    when all solutions found have been taken: a search resumed from the file misses none, and repeats those taken after
    it was written. `limit` also counts those taken before a resume; if they reached the limit, the resumed search has as
    many more. After an exception (of a progress function or a signal's handler) it continues, too, and repeats what did
    not reach the caller.
    """

    result: Any = None

    def __init__(self, job: Job[Any], options: RunOptions) -> None:
        self._closed = False
        self._job = job
        state = resumed_state(options)
        if state and job.found() and state.limit == job.limit > 0:  # the waiting solutions reach the limit
            job.held.status = lib.COMBGPU_FOUND

    def __iter__(self) -> Solutions[T]:
        return self

    def __next__(self) -> T:
        job, solution = self._job, None
        try:
            with job.context.lock:  # threads may share it
                found = self._searched()
                solution = found[0]
                del found[0]
            return solution
        except BaseException:
            if solution is not None:
                job.give_back(solution)
            raise

    def _searched(self) -> deque[T]:
        """Searches until it finds something."""
        job, interrupts = self._job, self._job.interrupts
        while not job.found():  # the last step's solutions have been taken
            ends = job.status != lib.COMBGPU_RUNNING
            if self.result is None and not self._closed:
                job.write(ends or interrupts.seen)
            if interrupts.seen:
                interrupts.seen = False
                job.goes_on()
                raise Interrupted(self, self.state)
            if ends or self._closed:
                if self.result is None and not self._closed:
                    self.result = job.end()
                raise StopIteration
            interrupts.noted(job.step)
        return job.found()

    @property
    def state(self) -> State | None:
        """The state of the search, without the solutions taken. None when all is done."""
        return self._job.state() if self.result is None else self.result.state

    def close(self) -> None:
        """Ends the search early."""
        self._job.cancel()
        self._closed = True
        self._job.found().clear()

    def __reduce__(self) -> Any:
        no_pickle(self, "its .state can; pass it as resume=")

    def __enter__(self) -> Solutions[T]:
        return self

    def __exit__(self, *error: Any) -> None:
        self.close()
