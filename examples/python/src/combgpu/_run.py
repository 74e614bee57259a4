"""How a search runs: options, progress, Ctrl-C, resume; every search goes through Job."""

from __future__ import annotations

import operator
import os
import signal
import threading
import time
import weakref
from collections import deque
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, Generic, Iterator, Sequence, Tuple, TypedDict, TypeVar, Union

from ._combgpu import ffi, lib
from ._convert import c_path
from ._errors import Error, FileError, InvalidArgument, check
from ._result import State, no_pickle, same_fields

if TYPE_CHECKING:
    from ._context import Context

Path = Union[str, "os.PathLike[str]"]
T = TypeVar("T")


class Interrupted(KeyboardInterrupt):
    """Ctrl-C ended a search cleanly: `result` is what is known, `state` goes on from there (resume=error.state)."""

    def __init__(self, result: Any, state: State | None) -> None:
        known = "stopped by Ctrl-C" if result is None else repr(result)
        super().__init__(f"{known}; resume= goes on from .state" if state else known)
        self.result = result
        self.state = state

    def __reduce__(self) -> Any:  # an iterator stays in its process
        return Interrupted, (None if isinstance(self.result, Solutions) else self.result, self.state)


@dataclass(frozen=True)
class Progress:
    """What is known while a search runs."""

    fraction: float  #: part of the work that is done, 0 to 1
    elapsed_s: float
    remaining_s: float  #: estimate; negative = not known yet
    remaining_error_s: float  #: half of its 95 % interval; negative = not known
    steps: int
    steps_per_s: float
    solutions: int
    tasks_left: int


class RunOptions(TypedDict, total=False):
    """Options that every search takes.

    time_limit           stop after so many seconds, more than 0; the result then has a `state`
    progress             a function of a Progress; what it returns, if true, stops the search. Or a tqdm bar
    progress_interval    seconds between two calls; 0.1
    slice_ms             aim of one slice, 1 to 500 milliseconds; 50. Ctrl-C waits for its end
    checkpoint           a file that is written at intervals and when the search ends
    checkpoint_interval  seconds; 60
    resume               True: go on from the file `checkpoint` if it exists. Or a State, or what has a `state`
    shard                (index, count): this part of the search; the parts' counts add up
    merge                checkpoint files of all shards, each finished: their sum
    verify               True, or the part of the work that is computed twice: against devices with silent errors
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
    """While it is entered Ctrl-C is noted only: no exception between a callback and C code."""

    def __init__(self) -> None:
        self.seen = False
        self._before: Any = None

    def _note(self, signal_number: int, frame: Any) -> None:
        self.seen = True

    def __enter__(self) -> Interrupts:
        if (threading.current_thread() is threading.main_thread()
                and signal.getsignal(signal.SIGINT) is signal.default_int_handler):
            try:
                self._before = signal.signal(signal.SIGINT, self._note)
            except ValueError:  # a subinterpreter has no signals
                pass
        return self

    def __exit__(self, *error: Any) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)
            self._before = None


# ---- callbacks: `user` is the handle of a Call


class Call:
    """A call that calls back: what the callbacks need, and the error that one of them raised."""

    def __init__(self, sink: Callable[..., Any] | None = None) -> None:
        self._weak = weakref.ref(self)  # else it would keep itself alive, with its job and its file's lock
        self.handle = ffi.new_handle(self._weak)
        self.sink: Any = sink
        self.report: Any = None
        self.error: BaseException | None = None
        self.interrupts = Interrupts()
        self.keep: list[Any] = []  # what C points to

    def checked(self, context: Context, status: int) -> int:
        """Returns the status of the call, or raises what a callback or the library has to say."""
        error, self.error = self.error, None
        if isinstance(error, StopIteration):  # it would end the caller's loop without a word
            raise RuntimeError("a function that the search calls raised StopIteration") from error
        if error is not None:
            raise error
        return check(status, context.handle)

    def fill(self, run: Any, options: RunOptions, always_report: bool = False) -> None:
        """Sets the struct combgpu_run_desc."""
        unknown = set(options) - set(RunOptions.__annotations__)
        if unknown:
            raise TypeError(f"unexpected argument {sorted(unknown)[0]!r}; a search takes "
                            + ", ".join(RunOptions.__annotations__))
        limit = options.get("time_limit")
        if limit is not None and not limit:  # in C that means none
            raise InvalidArgument(f"time_limit is {limit!r}; it may be more than 0, or None for no limit")
        run.time_limit_s = 0 if limit is None else limit
        run.slice_ms = options.get("slice_ms") or 0
        run.progress_interval_s = options.get("progress_interval") or 0
        run.checkpoint_interval_s = options.get("checkpoint_interval") or 0
        if run.checkpoint_interval_s < 0:  # in C that means never
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
            raise TypeError("merge is the files of all shards, not one file")
        if merge is not None:
            merge = [self._kept(c_path(path)) for path in merge]
            if not merge:  # a pattern that fits no file: a search of all instead would surprise
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
    """The State that a run is to go on from."""
    resume = options.get("resume")
    if resume is None or isinstance(resume, bool):
        return None
    state = getattr(resume, "state", resume)
    if state is None:
        raise InvalidArgument("resume is a search that is complete: its result is there")
    if not isinstance(state, State):
        raise TypeError(f"resume is True, a State or what has a state, not {type(resume).__name__}")
    return state


def _reporter(progress: Any) -> Callable[[Progress], Any] | None:
    """A progress function; of a tqdm bar one that moves it."""
    if progress is None or callable(progress) and not hasattr(progress, "update"):
        return progress  # type: ignore[no-any-return]
    if not (hasattr(progress, "update") and hasattr(progress, "total")):
        raise TypeError(f"progress is a function or a tqdm bar, not {type(progress).__name__}")
    if progress.total is None:
        progress.total = 1.0
    return lambda now: bool(progress.update(now.fraction * progress.total - progress.n)) and False


def _callback(name: str) -> Callable[[Callable[..., Any]], None]:
    def define(function: Callable[..., Any]) -> None:
        def called(*arguments: Any) -> int:
            call = ffi.from_handle(arguments[-1])()
            try:
                return 1 if function(call, *arguments[:-1]) else 0
            except BaseException as error:  # raised again when C has returned
                call.error = error
                return 1

        ffi.def_extern(name=name)(called)

    return define


@_callback("combgpu_py_progress")
def _progress(call: Call, progress: Any) -> bool:
    stop = call.report is not None and call.report(Progress(**same_fields(Progress, progress[0])))
    return bool(stop or call.interrupts.seen)


for _name in ("square", "board", "hit"):
    _callback(f"combgpu_py_{_name}")(lambda call, *found: call.sink(*found))

_trial = Call()
_trial.report = lambda progress: True
if not lib.combgpu_py_progress(ffi.new("combgpu_progress *"), _trial.handle):  # all solutions would be lost
    raise ImportError("combgpu is imported by a subinterpreter that cffi's callbacks do not reach: "
                      "import it in the main interpreter first")


# ---- searches


class Job(Call, Generic[T]):
    """A search between its begin and its end.

    `search` names it as the header does ("no3": combgpu_no3_begin, combgpu_no3_end, combgpu_no3_result); `result`
    makes Python's result from C's and a State; `extra` gives State.extra.
    """

    def __init__(self, context: Context, search: str, desc: Any, options: RunOptions,
                 result: Callable[[Any, State | None], T], sink: Callable[..., Any] | None = None,
                 extra: Callable[[], Any] = lambda: None) -> None:
        super().__init__(sink)
        self.context = context
        self.search = search
        self.result = result
        self.extra = extra
        self.limit: int = getattr(desc, "limit", 0)
        self.status: int = lib.COMBGPU_RUNNING
        self.keep.append(desc)
        self.fill(desc.run, options)
        self._interval = desc.run.checkpoint_interval_s or 60
        if sink:
            if options.get("merge") is not None:  # files have counts
                raise InvalidArgument("merge adds up counts: the function that counts takes it, not one that iterates")
            desc.solution_user = self.handle
            desc.run.checkpoint_interval_s = -1  # Solutions writes it, when all that was found has been taken
        self._job = ffi.NULL
        self._works = False
        self._process = os.getpid()
        out = ffi.new("combgpu_job **")
        with context.lock, self.interrupts:
            self.checked(context, getattr(lib, f"combgpu_{search}_begin")(context.handle, desc, out))
        self._job = out[0]
        context.jobs.add(self)
        self._has_file = desc.run.checkpoint_path != ffi.NULL
        self._steps_write = self._has_file and not sink
        self._written = time.monotonic()

    def step(self) -> bool:
        """Works for about 50 ms; returns whether there is more to do. To be called within `interrupts`."""
        with self.context.at_work(), self._at_work():
            self.status = self.checked(self.context, lib.combgpu_step(self._job))
        # where a checkpoint is to be written the progress callback stops the run
        return self.status == lib.COMBGPU_RUNNING and (self._steps_write or not self.interrupts.seen)

    def write(self, now: bool) -> None:
        """Writes the checkpoint file, if there is one and it is due, or `now`. One that fails in the middle is counted."""
        if not self._has_file or not now and time.monotonic() - self._written < self._interval:
            return
        with self.context.at_work(), self._at_work():
            status = lib.combgpu_checkpoint(self._job)
            if now or status != lib.COMBGPU_FILE_ERROR:
                check(status, self.context.handle)
        self._written = time.monotonic()

    def state(self) -> State:
        """Everything that another job needs to go on from here."""
        needed = ffi.new("size_t *")
        with self.context.lock:
            self._alive()
            lib.combgpu_save(self._job, ffi.NULL, 0, needed)
            data = ffi.new("unsigned char[]", needed[0])
            check(lib.combgpu_save(self._job, data, needed[0], needed), self.context.handle)
        reached = self.limit if self.status == lib.COMBGPU_FOUND else 0
        return State(bytes(ffi.buffer(data, needed[0])), self.extra(), reached)

    def end(self, without_file: bool = False) -> T:
        """Python's result, with a State if there is more to do. Frees the job. `without_file`: of a search whose last
        checkpoint could not be written."""
        with self.context.lock:
            try:
                state = self.state() if self.status != lib.COMBGPU_OK else None
            except Error:  # too little memory for it: the result is there all the same
                state = None
            out = ffi.new(f"combgpu_{self.search}_result *")
            job, self._job = self._job, ffi.NULL
            status = getattr(lib, f"combgpu_{self.search}_end")(job, out)
            if not without_file or status != lib.COMBGPU_FILE_ERROR:
                check(status, self.context.handle)
        if out.run.status == lib.COMBGPU_OK:
            state = None
        if self.status == lib.COMBGPU_FOUND:  # before a resume, perhaps
            out.run.status = self.status
        return self.result(out[0], state)

    def run(self) -> T:
        """Runs to the end; Ctrl-C raises Interrupted."""
        try:
            with self.interrupts:
                try:
                    while self.step():
                        pass
                except FileError as error:  # the last checkpoint: the search is over all the same
                    with suppress(Error):
                        error.result = self.end(without_file=True)
                    raise
                result = self.end()
        finally:
            self.cancel()
        if self.interrupts.seen:
            raise Interrupted(result, getattr(result, "state", None))
        return result

    def _alive(self) -> None:
        self.context.alive()
        if not self._job:
            raise InvalidArgument("the search has ended")

    @contextmanager
    def _at_work(self) -> Iterator[None]:
        self._alive()
        self._idle()
        self._works = True
        try:
            yield
        finally:
            self._works = False

    def _idle(self) -> None:
        if self._works:
            raise InvalidArgument("a function that a search calls can neither go on with it nor end it")

    def cancel(self) -> None:
        """Frees the job if it has not ended."""
        with self.context.lock:
            here = self._process == os.getpid()  # of a forked process the other one goes on with it
            if here:
                self._idle()
            job, self._job = self._job, ffi.NULL
            if job and here:
                lib.combgpu_job_cancel(job)

    def __del__(self) -> None:
        if getattr(self, "_job", None):
            self.cancel()


class Found(Generic[T]):
    """What a search found and nobody has taken yet. It does not know its iterator, so that one that is dropped ends."""

    def __init__(self, before: Sequence[T]) -> None:
        self.solutions: deque[T] = deque(before)

    def add(self, solution: T) -> None:
        """For the search: hands over what it found."""
        self.solutions.append(solution)

    def waiting(self) -> list[T]:
        """Solutions that were found and not taken yet."""
        return list(self.solutions)


class Solutions(Iterator[T]):
    """What a search finds, as it finds it: an iterator. The order is unspecified.

    When it is exhausted `result` has the counts. Ctrl-C raises Interrupted, when what was found so far has been taken.
    Passed as resume= to the function that made it, it goes on where it stands: what was taken does not come again. A
    checkpoint file is written when all that was found has been taken: resumed from it, nothing is missing, and what was
    taken after it was written comes again. `limit` counts what was taken before a resume, too; if it was all that
    the limit allows, the resumed one has as many more.
    """

    result: Any = None

    def __init__(self, begin: Callable[[Found[T]], Job[Any]], options: RunOptions) -> None:
        state = resumed_state(options)
        found: Found[T] = Found((state.extra or ()) if state else ())
        self._found = found.solutions
        self._more = True
        self._closed = False
        self._job = begin(found)
        if state and found.solutions and state.limit == self._job.limit > 0:  # what waits is all that the limit allows
            self._more, self._job.status = False, lib.COMBGPU_FOUND

    def __iter__(self) -> Solutions[T]:
        return self

    def __next__(self) -> T:
        with self._job.context.lock:  # threads may share it
            return self._next()

    def _next(self) -> T:
        job, interrupts = self._job, self._job.interrupts
        while not self._found:  # what the last step found has been taken
            ends = interrupts.seen or not self._more
            if self.result is None and not self._closed:
                job.write(ends)
            if interrupts.seen:
                interrupts.seen = False
                self._more = job.status in (lib.COMBGPU_RUNNING, lib.COMBGPU_STOPPED)
                raise Interrupted(self, self.state)
            if not self._more:
                if self.result is None and not self._closed:
                    self.result = job.end()
                raise StopIteration
            with interrupts:
                self._more = job.step()
        return self._found.popleft()

    @property
    def state(self) -> State | None:
        """Where the search stands; what was taken is not part of what is left. None when all is done."""
        return self._job.state() if self.result is None else self.result.state

    def close(self) -> None:
        """Ends the search early."""
        self._job.cancel()
        self._more, self._closed = False, True
        self._found.clear()

    def __reduce__(self) -> Any:
        no_pickle(self, "its .state can, and resume= goes on from there")

    def __enter__(self) -> Solutions[T]:
        return self

    def __exit__(self, *error: Any) -> None:
        self.close()
