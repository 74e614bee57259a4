"""Results of searches: equal if they found the same, and picklable."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Callable, NoReturn, TypeVar

from ._combgpu import ffi, lib
from ._convert import enumerators, word
from ._errors import text

T = TypeVar("T")
BACKENDS = enumerators("combgpu_backend", "COMBGPU_BACKEND_")
_STATUS = {lib.COMBGPU_OK: "complete", lib.COMBGPU_FOUND: "found", lib.COMBGPU_STOPPED: "stopped",
           lib.COMBGPU_RUNNING: "stopped"}


class State:
    """The state of a stopped search; pass it as resume=. It can be pickled.

    `data` is the library's checkpoint, for any backend and machine. `extra` holds solutions found but not yet handed
    out; `limit` is the limit that the search reached with them, or 0.
    """

    limit = 0  # absent from older pickles

    def __init__(self, data: bytes, extra: Any = None, limit: int = 0) -> None:
        self.data = data
        self.extra = extra
        self.limit = limit

    def __eq__(self, other: object) -> bool:
        return (isinstance(other, State)
                and (self.data, self.extra, self.limit) == (other.data, other.extra, other.limit))

    def __hash__(self) -> int:
        return hash(self.data)

    def __repr__(self) -> str:
        return f"State({len(self.data):,} bytes)"


@dataclass(frozen=True)
class RunInfo:
    """How a search went."""

    status: str  #: "complete", "found" (the limit was reached) or "stopped"
    backend: str
    device: str
    seconds: float
    device_seconds: float
    steps: int  #: equal on every backend for a complete search
    tasks_left: int
    checksum: int  #: equal where the answers are equal
    verified: int
    mismatches: int
    device_errors: int

    def __str__(self) -> str:
        return f"{self.status}, {self.seconds:.3g} s on {self.backend}"


def made(kind: Callable[..., T], struct: Any, **found: Any) -> T:
    """Makes a dataclass from a C struct: its fields name and type what to copy. `found` has the other fields.
    """
    names = {name for name, _ in ffi.typeof(struct).fields} - set(found)
    return kind(**found, **{field.name: _TAKEN.get(str(field.type), _as_it_is)(getattr(struct, field.name))
                            for field in fields(kind) if field.name in names})  # type: ignore[arg-type]


def _as_it_is(value: Any) -> Any:
    return value


def _run_info(run: Any) -> RunInfo:
    return made(RunInfo, run, status=_STATUS[run.status], backend=word(BACKENDS, run.backend))


_TAKEN: dict[str, Callable[[Any], Any]] = {"bool": bool, "str": text, "tuple[int, ...]": tuple, "RunInfo": _run_info}


class Result:
    """The base of results. They are equal if they found the same, in any time and on any device.
    """

    run: RunInfo
    state: State | None

    @property
    def complete(self) -> bool:
        """Whether the search is complete: counts are exact and final."""
        return self.run.status == "complete"

    def _found(self) -> tuple[Any, ...]:
        names = [field.name for field in fields(self) if field.name not in ("run", "state")]  # type: ignore[arg-type]
        return (self.run.status, *(_comparable(getattr(self, name)) for name in names))

    def __eq__(self, other: object) -> bool:
        return self._found() == other._found() if type(other) is type(self) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._found())

    def __getstate__(self) -> dict[str, Any]:
        return {name: _View(value) if isinstance(value, memoryview) else value for name, value in vars(self).items()}

    def __setstate__(self, values: dict[str, Any]) -> None:
        for name, value in values.items():
            self.__dict__[name] = value.made() if isinstance(value, _View) else value


class _View:
    """A memoryview, which pickle does not support, as its parts."""

    def __init__(self, view: memoryview) -> None:
        self.parts = view.tobytes(), view.format, view.shape

    def made(self) -> memoryview:
        """The memoryview of a copy."""
        data, letter, shape = self.parts
        view = memoryview(bytearray(data))
        return view.cast(letter, shape) if data else view.cast(letter)  # type: ignore[call-overload,no-any-return]


class Constant:
    """An immutable object: C trusts its fields."""

    __slots__ = ()

    def __setattr__(self, name: str, value: Any) -> None:
        if not name.startswith("_") and hasattr(self, name):
            raise AttributeError(f"{name} of a {type(self).__name__} cannot be changed: make another one")
        super().__setattr__(name, value)


def _comparable(value: Any) -> Any:
    """Turns an array or a dict into something hashable with a plain ==."""
    if isinstance(value, dict):
        return tuple(value.items())
    if hasattr(value, "tolist"):
        return _comparable(value.tolist())
    return tuple(map(_comparable, value)) if isinstance(value, (list, tuple)) else value


def no_pickle(thing: Any, why: str) -> NoReturn:
    """For __reduce__ of objects bound to this process."""
    raise TypeError(f"a {type(thing).__name__} can be neither pickled nor copied: {why}")
