"""Contexts: the devices that searches run on."""

from __future__ import annotations

import atexit
import functools
import inspect
import logging
import os
import threading
import weakref
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, Sequence, TypeVar

from . import _batch, _magic, _no3, _perm, _search, _tours, _tsp, _windows
from ._combgpu import ffi, lib
from ._convert import enumerator, whole, word
from ._errors import InvalidArgument, check, text
from ._result import BACKENDS, made, no_pickle
from ._run import Call, failed, interpreter_ends, under_way

if TYPE_CHECKING:
    from typing_extensions import Concatenate, ParamSpec

    P = ParamSpec("P")
R = TypeVar("R")

_log = logging.getLogger("combgpu")  # what the library logs
_log.addHandler(logging.NullHandler())
_LEVELS = {lib.COMBGPU_LOG_ERROR: logging.ERROR, lib.COMBGPU_LOG_WARNING: logging.WARNING,
           lib.COMBGPU_LOG_INFO: logging.INFO}


@ffi.def_extern(name="combgpu_py_log", onerror=failed)  # type: ignore[untyped-decorator]
def _logged(level: int, message: Any, user: Any) -> None:
    _log.log(_LEVELS.get(level, logging.INFO), "%s", text(message))


@dataclass(frozen=True)
class Device:
    """A device that a context can use."""

    backend: str
    index: int  #: Context(backend, device=index) opens it
    is_gpu: bool
    compute_units: int
    memory_bytes: int  #: 0 if unknown
    name: str
    capability: str


def _device(struct: Any) -> Device:
    return made(Device, struct, backend=word(BACKENDS, struct.backend))


def devices() -> list[Device]:
    """The devices of every backend in this build, CPU first."""
    count = ffi.new("int *")
    room = ffi.new("combgpu_device[]", 256)
    lib.combgpu_devices(room, len(room), count)
    return [_device(room[i]) for i in range(min(count[0], len(room)))]


def _fitting(method: Callable[P, R]) -> Callable[P, R]:
    """Makes a search report numbers that do not fit C's type: TypeError for non-integers, InvalidArgument if too large."""
    parameters = inspect.signature(method).parameters
    integers = {name: parameter.annotation == "int | None" for name, parameter in parameters.items()
                if parameter.annotation in ("int", "int | None")}  # whether it may be None

    @functools.wraps(method)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        def fitting(name: str, value: Any) -> Any:
            return value if name not in integers or value is None and integers[name] else whole(name, value)

        positional = [*map(fitting, parameters, args), *args[len(parameters):]]
        named = {name: fitting(name, value) for name, value in kwargs.items()}
        try:
            return method(*positional, **named)
        except OverflowError as error:
            raise InvalidArgument(f"a number is out of range: {error}") from None

    return call


_opened: weakref.WeakSet[Context] = weakref.WeakSet()


class Context:
    """One or more open devices; the methods are the searches.

    backend       "auto" (CUDA if there is a device, else an OpenCL GPU, else the CPU), "cpu", "cuda" or "opencl"
    device        index in the backend's list (see devices())
    threads       CPU threads; 0 = all
    memory_limit  most bytes to use on each device; 0 = half of the free ones
    devices       several Devices, or indices of the backend, which share the work of every search

    Use it in a `with` statement or from several threads, which wait for each other. A forked process opens its own;
    only a context of one CPU thread survives a fork.
    """

    magic = _fitting(_magic.magic)
    magic_squares = _fitting(_magic.magic_squares)
    magic_list = _fitting(_magic.magic_list)
    magic_estimate = _fitting(_magic.magic_estimate)
    no3 = _fitting(_no3.no3)
    no3_boards = _fitting(_no3.no3_boards)
    permutations = _fitting(_perm.permutations)
    perm_search = _fitting(_search.perm_search)
    perm_search_hits = _fitting(_search.perm_search_hits)
    qap = _fitting(_search.qap)
    tsp = _fitting(_tsp.tsp)
    tsp_tours = _fitting(_tours.tsp_tours)
    tsp_windows = _fitting(_windows.tsp_windows)
    tsp_batch = _fitting(_batch.tsp_batch)

    def __init__(self, backend: str = "auto", device: int = 0, *, threads: int = 0, memory_limit: int = 0,
                 devices: Sequence[Device | int] = ()) -> None:
        self._held = ffi.new("combgpu_context **")
        self.lock = threading.RLock()
        self._process = os.getpid()
        _opened.add(self)
        self._forks = True  # to be used in a process that is forked
        self.of_thread = False  # a default context: another process has its own
        # running jobs, and the processes that began them: C's jobs must end before C's context.
        # The garbage collector may finalise a context before the objects that use it, in spite of references
        self.jobs: dict[Any, int] = {}
        desc = ffi.new("combgpu_context_desc *")
        desc.backend = enumerator(BACKENDS, "backend", backend)
        try:
            desc.device, desc.memory_limit = whole("device", device), whole("memory_limit", memory_limit)
            desc.threads = whole("threads", threads)
        except OverflowError as error:
            raise InvalidArgument(f"device, threads or memory_limit is out of range: {error}") from None
        desc.logger.log = lib.combgpu_py_log
        ids = ffi.new("combgpu_device_id[]", len(devices) or 1)
        for i, one in enumerate(devices):
            ids[i].backend = BACKENDS[one.backend] if isinstance(one, Device) else desc.backend
            try:
                ids[i].index = one.index if isinstance(one, Device) else whole(f"devices[{i}]", one)
            except OverflowError as error:
                raise InvalidArgument(f"devices[{i}] is out of range: {error}") from None
        desc.devices, desc.device_count = (ids, len(devices)) if len(devices) else (ffi.NULL, 0)
        try:
            with self.lock:
                check(Call(self).called(lib.combgpu_open, self._held, desc), self._held[0])
        except BaseException:
            self.close()
            raise
        device_opened = self.device
        self.cpu_alone = device_opened.backend == "cpu" and all(
            ids[i].backend == lib.COMBGPU_BACKEND_CPU for i in range(len(devices)))
        self._forks = not len(devices) and self.cpu_alone and device_opened.compute_units == 1

    @property
    def of_another_process(self) -> bool:
        """Whether this process was forked since it was opened."""
        return self._process != os.getpid()

    def unlock_after_fork(self) -> None:
        """For a process forked while another thread, which it lacks, was at work here."""
        if self.lock.acquire(blocking=False):
            self.lock.release()
        else:
            self.lock = threading.RLock()

    def alive(self) -> None:
        """Raises InvalidArgument in a forked process, which lacks the context's threads and drivers."""
        if self.of_another_process and not self._forks:
            raise InvalidArgument("the context was opened before this process was forked: each process opens its own")

    @property
    def handle(self) -> Any:
        """The library's context."""
        if not self._held[0]:
            raise InvalidArgument("the context is closed")
        self.alive()
        return self._held[0]

    @property
    def device(self) -> Device:
        """The (first) device."""
        struct = ffi.new("combgpu_device *")
        lib.combgpu_context_device(self.handle, struct)
        return _device(struct[0])

    def self_test(self) -> None:
        """Runs a known answer through every kernel on each device; raises WrongResult."""
        with self.lock:
            Call(self).checked(lib.combgpu_self_test, self.handle)

    def close(self) -> None:
        """Frees the devices; ends searches that still run."""
        with self.lock:
            if any(call.context is self for call in under_way()):
                raise InvalidArgument("a function that a search calls cannot close the search's context")
            for held in list(self.jobs):
                self.free(held)
            if self.of_another_process:  # which goes on with it
                self._held[0] = ffi.NULL
            lib.combgpu_py_close(self._held)

    def free(self, held: Any) -> None:
        """Frees a job, unless it has ended or another process continues it."""
        with self.lock:
            if self.jobs.get(held) == os.getpid():
                lib.combgpu_py_cancel(held)
            held.job = ffi.NULL
            self.jobs.pop(held, None)

    def __reduce__(self) -> Any:
        no_pickle(self, "it is an open device; each process opens its own")

    def __enter__(self) -> Context:
        return self

    def __exit__(self, *error: Any) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_held", None) and self._held[0]:
            self.close()

    def __repr__(self) -> str:
        if not self._held[0]:
            return "Context(closed)"
        if self.of_another_process and not self._forks:
            return "Context(of another process)"
        device = self.device
        return f"Context({device.backend!r}, device={device.index}: {device.name})"


# ---- the contexts of functions that are called without one

_default = threading.local()
_forked = False  # GPU drivers do not survive a fork


def _after_fork() -> None:
    global _default, _forked
    _default, _forked = threading.local(), True
    for context in list(_opened):
        context.unlock_after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


@atexit.register
def _wait_for_daemon_threads() -> None:
    """Until they have left C code."""
    interpreter_ends()
    for context in list(_opened):
        if context.lock.acquire(timeout=10):
            context.lock.release()


def default_context() -> Context:
    """This thread's context for functions like combgpu.magic: opened at the first use, on the best device; in a forked
    process on the CPU, because drivers do not survive the fork.
    """
    context: Context | None = getattr(_default, "context", None)
    if context is None:
        context = _default.context = Context("cpu" if _forked else "auto")
        context.of_thread = True
    return context


def of_default(method: Callable[Concatenate[Context, P], R]) -> Callable[P, R]:
    """A method of Context as a function on the default context."""

    @functools.wraps(method)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        return method(default_context(), *args, **kwargs)

    call.__module__ = __package__  # where pickle finds it
    signature = inspect.signature(method)
    call.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=list(signature.parameters.values())[1:])
    return call
