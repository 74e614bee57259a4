"""Searches permutations with the caller's own pruning, among them quadratic assignments."""

from __future__ import annotations

import hashlib
import struct
import threading
import weakref
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Sequence

from ._combgpu import ffi, lib
from ._convert import array_in, buffer_in, enumerator, enumerators, most, u128, vector, whole, word
from ._errors import InvalidArgument
from ._perm import FAMILIES, members
from ._result import Constant, Result, RunInfo, State, made, no_pickle
from ._run import Job, RunOptions, Solutions
from ._visitor import address_of, compiled_search, name_of

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._context import Context

GOALS = {"count": lib.COMBGPU_SEARCH_COUNT, **enumerators("combgpu_search_goal", "COMBGPU_SEARCH_")}
PARTS = ("state", "begin", "allowed", "step", "bound", "leaf")
_names_in_use: set[int] = set()
_lock = threading.Lock()


class Searcher(Constant):
    """The callbacks of a search that extends permutations position by position and prunes useless prefixes.

    Each callback is the body of a C function; all are optional. They see `perm`, the elements so far, `n`, `length`,
    `data`, and `state`, a pointer to this prefix's data. COMBGPU_PERM_SEARCH in combgpu.h explains them in six steps.

    step     perm[place] == value is new: returns 0 to prune, or another number to continue
    state    fields of a struct, at most 64 bytes, zero at first; step changes them, and need not undo anything
    begin    initialises the state
    allowed  the values allowed at `place`, bit v for value v
    leaf     the value of a complete member; by default 1
    bound    for a minimum or maximum: what no completion of perm[0 .. place] beats; `best` is the best so far

    >>> queens = combgpu.Searcher(state="uint32_t up, down;",
    ...                           allowed="return ~(uint64_t)(state->up | state->down);",
    ...                           step="state->up = (state->up | 1u << value) << 1;"
    ...                                "state->down = (state->down | 1u << value) >> 1; return 1;")
    >>> combgpu.perm_search(8, queens).hits
    92

    Or all callbacks are functions of numba.cfunc(combgpu.signatures["step"]), ctypes or cffi, which run on the CPU, on
    several threads at once. Their state is 8 numbers of 64 bits; combgpu.signatures lists the arguments:

        begin(n, length, data, state)      allowed(perm, place, n, length, data, state)
        step(perm, place, value, n, length, data, state)      leaf(perm, n, length, data, state)
        bound(perm, place, value, n, length, data, state, best)

    `name` and the data identify functions in checkpoints; texts identify themselves.
    """

    def __init__(self, step: Any = None, *, state: str | None = None, begin: Any = None, allowed: Any = None,
                 bound: Any = None, leaf: Any = None, name: str | None = None) -> None:
        given = dict(zip(PARTS, (state, begin, allowed, step, bound, leaf)))
        self.parts = {part: text for part, text in given.items() if text is not None}
        texts = [part for part, text in self.parts.items() if isinstance(text, str)]
        self._addresses = {part: address_of(function) for part, function in self.parts.items() if part not in texts}
        for part, address in self._addresses.items():
            if address is None:
                raise TypeError(f"{part} is the text of its body in C, or a function of numba.cfunc, ctypes or cffi, not of "
                                f"the type {type(self.parts[part]).__name__}")
        if texts and self._addresses:
            raise TypeError(f"{texts[0]} is a text and {next(iter(self._addresses))} a function: all callbacks must be one or the other")
        if name is not None and texts:
            raise InvalidArgument("name is for functions: C texts identify themselves")
        self.name = name or "-".join(name_of(function) for function in self.parts.values())
        self._c: Any = None
        self._key = 0

    def __repr__(self) -> str:
        return f"Searcher({', '.join(self.parts)})"

    def __reduce__(self) -> Any:
        if self._addresses:
            no_pickle(self, "its functions have addresses just in this process")
        return _searcher, (self.parts,)

    @property
    def head(self) -> bytes:
        """The prefix of the data."""
        return struct.pack("=Q8x", self._key) if self._addresses else b""

    def made(self) -> Any:
        """C's combgpu_perm_searcher."""
        with _lock:
            if self._c is None:
                self._c = self._of_functions() if self._addresses else compiled_search(tuple(self.parts.items()))
        return self._c

    def _of_functions(self) -> Any:
        key = int.from_bytes(hashlib.sha256(self.name.encode()).digest()[:7], "little") + 1
        while key in _names_in_use:  # another one of that name
            key += 1
        self._name = ffi.new("char[]", self.name.encode()[:60])
        addresses = ffi.new("uintptr_t[]", [self._addresses.get(part) or 0 for part in PARTS[1:]])
        made = ffi.new("combgpu_perm_searcher *")
        if not lib.combgpu_py_searcher(self._name, key, addresses, made):
            raise InvalidArgument("too many Searchers of functions exist: delete some")
        _names_in_use.add(key)
        self._key = key
        weakref.finalize(self, _forget, key).atexit = False
        return made


def _forget(key: int) -> None:
    lib.combgpu_py_searcher_ends(key)
    _names_in_use.discard(key)


def _searcher(parts: dict[str, str]) -> Searcher:
    return Searcher(**parts)


@dataclass(frozen=True, repr=False, eq=False)
class SearchScore(Result):
    """The result of a pruned search; unrequested fields are None."""

    hits: int | None = None  #: count: hits; sum, histogram: complete members
    value: int | None = None  #: minimum, maximum, first: of the best one; sum: the sum
    best: tuple[Any, ...] | None = None  #: minimum, maximum, first: the first such member; may be None
    histogram: Any = None
    outside: int | None = None  #: histogram: values in no bin
    run: RunInfo = field(default=None)  # type: ignore[assignment]
    state: State | None = field(default=None)

    def __repr__(self) -> str:
        known = [f"{name}={getattr(self, name)}" for name in ("hits", "value", "best", "histogram", "outside")
                 if getattr(self, name) is not None] or ["nothing found"]
        return f"SearchScore({', '.join(known)}; {self.run})"


class _Set:
    """The members to search."""

    def __init__(self, items: int | Sequence[Any], k: int | None, family: str | None) -> None:
        self.n, name, k, repeats, self.values = members(items, k, family)
        self.family = enumerator(FAMILIES, "family", name)
        self.length = sum(repeats) if repeats else k or self.n
        self.repeats = ffi.new("uint8_t[]", repeats) if repeats else ffi.NULL
        if self.n < 1:
            raise InvalidArgument("there are no items to permute")
        self.c = ffi.new("combgpu_perm_set *", {"family": self.family, "n": self.n, "k": k, "repeats": self.repeats})

    def member(self, numbers: Any) -> tuple[Any, ...]:
        return tuple(numbers) if self.values is None else tuple(self.values[number] for number in numbers)

    def numbers(self, argument: str, items: Sequence[Any], count: int) -> Any:
        """C's array of items, as numbers."""
        try:
            numbers = [whole(argument, item) if self.values is None else self.values.index(item) for item in items]
            if len(numbers) == count and all(0 <= number < self.n for number in numbers):
                return ffi.new("uint8_t[]", numbers)
        except ValueError:
            pass
        raise InvalidArgument(f"{argument} is {items!r}; it has {count} of the {self.n} elements")


def _job(context: Context, items: Any, searcher: Any, k: int | None, family: str | None, goal: str, data: Any, order: Any,
         start: Any, listed: bool, run: RunOptions, **settings: Any) -> Job[SearchScore]:
    if isinstance(searcher, str) or address_of(searcher) is not None:
        searcher = Searcher(searcher)
    if not isinstance(searcher, Searcher):
        raise TypeError(f"searcher is a Searcher or its step, not of the type {type(searcher).__name__}")
    if searcher._addresses and not context.cpu_alone:
        raise InvalidArgument('compiled functions run just on the CPU: combgpu.Context("cpu").perm_search(...)')
    chosen, wanted = _Set(items, k, family), enumerator(GOALS, "goal", goal)
    goal = word(GOALS, wanted)
    desc = ffi.new("combgpu_perm_search_desc *", {"set": chosen.c, "goal": wanted, "searcher": searcher.made()})
    keep: list[Any] = [chosen, searcher]
    given = searcher.head + (bytes(ffi.buffer(buffer_in(data))) if data is not None else b"")
    if given:
        desc.data, desc.data_bytes = ffi.from_buffer(given), len(given)
        keep += [given]
    for name, of_c, value, count in (("order", "order", order, chosen.n), ("start", "start", start, chosen.length)):
        if value is not None:
            numbers = chosen.numbers(name, value, count)
            setattr(desc, of_c, numbers)
            keep += [numbers]
    for name, value in settings.items():
        setattr(desc, name, whole(name, value))
    histogram = ffi.new("uint64_t[]", min(max(desc.bins, 1), 4096))  # the library checks it
    if goal == "histogram":
        desc.histogram = histogram
    if listed:
        desc.solution = ffi.addressof(lib, "combgpu_py_leaf")

    def result(c: Any, state: State | None) -> SearchScore:
        total = u128(c.sum)
        return made(
            SearchScore, c, hits=c.hits if goal in ("count", "sum", "histogram") else None,
            value=c.best_value if c.found else total - (total >> 127 << 128) if goal == "sum" else None,
            best=chosen.member(c.best[0: chosen.length]) if c.found else None,
            histogram=vector("uint64_t", ffi.unpack(histogram, desc.bins)) if goal == "histogram" else None,
            outside=c.outside if goal == "histogram" else None, state=state)

    def hit(found: Any) -> tuple[Any, ...]:
        return chosen.member(ffi.unpack(ffi.cast("uint8_t *", found), chosen.length))

    job = Job(context, "perm_search", desc, run, result, hit if listed else None)
    job.keep += [*keep, histogram]
    return job


def perm_search(context: Context, items: int | Sequence[Any], searcher: Any, k: int | None = None, *,
                family: str | None = None, goal: str = "count", data: Any = None, order: Sequence[Any] | None = None,
                start: Sequence[Any] | None = None, limit: int | None = None, bins: int | None = None, bin_start: int = 0,
                width: int = 1, **run: Unpack[RunOptions]) -> SearchScore:
    """Searches permutations depth first, with the caller's own pruning.

    items, k, family  as in permutations(): up to 64 elements, any number of members
    searcher  a Searcher, or just its step: a C text or a function of numba.cfunc, ctypes or cffi
    goal      "count"; "first", in lexicographic order; "minimum", "maximum" of what `leaf` returns; "sum"; "histogram"
    data      bytes or an array for the callbacks: combgpu_data_i32(data, i), combgpu_data_i64(data, i)
    order     the elements in the order in which each position tries them, which defines the lexicographic order
    start     a good member to begin with, for minimum, maximum and first
    limit     count: end after this many hits
    bins, bin_start, width  of the histogram: bin_start + i*width <= value < bin_start + (i+1)*width

    >>> combgpu.perm_search(6, "return !place || value - perm[place - 1] != 1;").hits
    309
    """
    if goal == "histogram" and bins is None:
        raise InvalidArgument("a histogram needs bins, their number")
    if width < 1:
        raise InvalidArgument(f"width is {width}; it may be 1 or more")
    return _job(context, items, searcher, k, family, goal, data, order, start, False, run, limit=most("limit", limit),
                bins=bins or 0, bin_first=bin_start, bin_width=width).run()


def perm_search_hits(context: Context, items: int | Sequence[Any], searcher: Any, k: int | None = None, *,
                     family: str | None = None, data: Any = None, order: Sequence[Any] | None = None,
                     limit: int | None = None, **run: Unpack[RunOptions]) -> Solutions[tuple[Any, ...]]:
    """Yields the hits of such a search as it finds them. The arguments are those of perm_search()."""
    return Solutions(_job(context, items, searcher, k, family, "count", data, order, None, True, run,
                          limit=most("limit", limit)), run)


# ---- quadratic assignment


@dataclass(frozen=True, repr=False, eq=False)
class Assignment(Result):
    """Facilities at locations: facility i goes to location places[i]."""

    places: Any
    cost: int
    optimal: bool  #: proven: no assignment costs less
    run: RunInfo
    state: State | None = field(default=None)

    def __len__(self) -> int:
        return len(self.places)

    def __repr__(self) -> str:
        proof = "optimal" if self.optimal else "the best so far"
        return f"Assignment({len(self)} facilities, cost {self.cost:,}, {proof}; {self.run})"


def qap(context: Context, flows: Any, distances: Any, **run: Unpack[RunOptions]) -> Assignment:
    """Quadratic assignment: places facilities so that the sum of flows[i][j] * distances[location of i][location of j] is
    provably least, by branch and bound (P. C. Gilmore 1962, E. L. Lawler 1963).

    flows, distances  n x n whole numbers of -1,000,000 to 1,000,000, n from 2 to 20; 12 take a second of one core

    >>> combgpu.qap([[0, 5, 1], [5, 0, 2], [1, 2, 0]], [[0, 1, 9], [1, 0, 4], [9, 4, 0]]).cost
    44
    """
    arrays = [array_in("int", matrix) for matrix in (flows, distances)]
    n = arrays[0][1][0] if len(arrays[0][1]) else 0
    for name, (numbers, shape) in zip(("flows", "distances"), arrays):
        if shape != (n, n) or not 2 <= n <= 20:
            raise InvalidArgument(f"{name} is n x n numbers, n from 2 to 20, the same for both; it has the shape {shape}")
        wrong = next((number for number in ffi.unpack(numbers, n * n) if abs(number) > 1000000), None)
        if wrong is not None:
            raise InvalidArgument(f"{name} has the number {wrong}; it may be -1,000,000 to 1,000,000")
    facility, start, data = ffi.new("uint8_t[]", n), ffi.new("uint8_t[]", n), ffi.new("int[]", 1 + 4 * n * n)
    searcher = lib.combgpu_py_qap(n, arrays[0][0], arrays[1][0], facility, data, start)
    desc = ffi.new("combgpu_perm_search_desc *", {"n": n, "goal": lib.COMBGPU_SEARCH_MINIMUM, "searcher": searcher,
                                                  "data": data, "data_bytes": ffi.sizeof(data), "start": start})

    def result(c: Any, state: State | None) -> Assignment:
        places = [0] * n
        for i in range(n):
            places[facility[i]] = c.best[i]
        return made(Assignment, c, places=vector("int", places), cost=c.best_value, state=state,
                    optimal=c.run.status == lib.COMBGPU_OK and run.get("shard") is None)

    job = Job(context, "perm_search", desc, run, result)
    job.keep += [data, start]
    return job.run()
