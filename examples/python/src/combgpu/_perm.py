"""Permutations and their families: ranges, ranks, arrays, and functions in C on every one of them."""

from __future__ import annotations

import operator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Iterator, Sequence, overload

from ._combgpu import ffi, lib
from ._convert import buffer_in, enumerator, enumerators, most, new_array, plain, plain_handle, u128, vector, whole, word
from ._errors import Error, InvalidArgument
from ._result import Constant, Result, RunInfo, State, made
from ._run import Interrupted, Job, RunOptions, Solutions
from ._visitor import visitor as visitor_of

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._context import Context

FAMILIES = enumerators("combgpu_perm_family", "COMBGPU_PERM_")
_CHUNK = 1 << 20  # bytes written at a time


@dataclass(frozen=True, repr=False, eq=False)
class Score(Result):
    """The result of a function on a range of permutations; unrequested fields are None."""

    visited: int
    hits: int | None = None  #: count
    value: int | None = None  #: minimum, maximum: the best value; sum: the sum
    rank: int | None = None  #: minimum, maximum: the first that has it
    best: tuple[int, ...] | None = None  #: minimum, maximum: the permutation of that rank
    histogram: Any = None
    outside: int | None = None  #: histogram: values in no bin
    run: RunInfo = field(default=None)  # type: ignore[assignment]
    state: State | None = field(default=None)

    def __repr__(self) -> str:
        known = [f"{name}={getattr(self, name)}" for name in ("hits", "value", "rank", "best", "histogram", "outside")
                 if getattr(self, name) is not None]
        return f"Score({', '.join([f'visited={self.visited:,}', *known])}; {self.run})"


class Permutations(Constant):
    """A sequence of permutations (or of a family's members) in order, computed on demand.

    `p[rank]`, `p.index(member)`, `p[first:end:step]` (a part of it), `for member in p`, `len(p)` (`p.size` where that is
    too large), `p.array()`, `p.chunks()`. Functions in C on all of it: count_if, minimum, maximum, sum, histogram, hits.
    """

    def __init__(self, context: Context | None, n: int, family: str, k: int, repeats: Sequence[int],
                 values: Sequence[Any] | None) -> None:
        self._context = context
        self.n = n
        self._k = k
        self.family = word(FAMILIES, enumerator(FAMILIES, "family", family))
        self._values = values
        self._repeats = ffi.new("uint8_t[]", list(repeats)) if repeats else ffi.NULL
        fields = {"family": FAMILIES[self.family], "n": n, "k": k, "repeats": self._repeats}
        if n == k == 0 and self.family not in ("cycle", "circular"):  # the empty one, for C 0 of 1
            fields.update(family=lib.COMBGPU_PERM_PARTIAL, n=1)
        self._set = ffi.new("combgpu_perm_set *", fields)
        count, length = ffi.new("combgpu_u128 *"), ffi.new("int *")
        plain(lib.combgpu_perm_set_count128, self._set, count, length)
        self.length = length[0]
        self._range = range(u128(count))

    @property
    def _by_rank(self) -> bool:  # 128 bits: no run, but for all permutations
        return self.family == "all" and 20 < self.n <= 34

    @property
    def _has_ranks(self) -> bool:
        """Whether the ranks of the whole have 64 bits."""
        count = ffi.new("uint64_t *")
        return lib.combgpu_perm_set_count(plain_handle(), self._set, count, ffi.NULL) == lib.COMBGPU_OK

    @property
    def _runs(self) -> bool:
        """Whether the library writes it in one run; if not, members are made one by one."""
        return self.length > 0 and self._range.step == 1 and (self._by_rank or self._has_ranks)

    @property
    def size(self) -> int:
        """The number of members."""
        return max(-((self._range.start - self._range.stop) // self._range.step), 0)  # len() ends at 2**63

    @property
    def first(self) -> int:
        """The rank, in the whole, of the first of this part."""
        return self._range.start

    def __len__(self) -> int:
        return self.size

    def __bool__(self) -> bool:
        return self.size > 0

    def __repr__(self) -> str:
        step = "" if self._range.step == 1 else f":{self._range.step}"
        end = self._range.stop if self._range.stop >= 0 else ""
        part = "" if self._is_whole else f"[{self.first}:{end}{step}]"
        return f"Permutations(n={self.n}, family={self.family!r}, length={self.length}, size={self._whole().size:,}){part}"

    @property
    def _is_whole(self) -> bool:
        return self._range == self._whole()._range

    def _whole(self) -> Permutations:
        return Permutations(self._context, self.n, self.family, *self._arguments)

    @property
    def _arguments(self) -> tuple[int, Sequence[int], Sequence[Any] | None]:
        return self._k, ffi.unpack(self._repeats, self.n) if self._repeats else (), self._values

    def _key(self) -> tuple[Any, ...]:
        return self.n, self.family, *self._arguments, self._range

    def __eq__(self, other: object) -> bool:
        return self._key() == other._key() if isinstance(other, Permutations) else NotImplemented

    def __hash__(self) -> int:
        return hash((self.n, self.family, self._k, self._range))

    def __reduce__(self) -> Any:
        return _restored, self._key()

    def __copy__(self) -> Permutations:
        return self  # it does not change

    def __deepcopy__(self, memo: Any) -> Permutations:
        return self

    def _member(self, numbers: Sequence[int]) -> tuple[Any, ...]:
        return tuple(numbers) if self._values is None else tuple(self._values[number] for number in numbers)

    @overload
    def __getitem__(self, index: int) -> tuple[Any, ...]: ...

    @overload
    def __getitem__(self, index: slice) -> Permutations: ...

    def __getitem__(self, index: Any) -> Any:
        ranks = self._range[index]
        if isinstance(ranks, range):
            part = self._whole()
            part._range = ranks if ranks.step != 1 else range(ranks.start, max(ranks.start, ranks.stop))
            return part
        out = ffi.new("uint8_t[]", self.length)
        self._unrank(ranks, out)
        return self._member(out)

    def _unrank(self, rank: int, out: Any) -> None:
        if self.length:
            plain(lib.combgpu_perm_set_unrank128, self._set, {"lo": rank & (1 << 64) - 1, "hi": rank >> 64}, out)

    def index(self, member: Sequence[Any]) -> int:
        """The position of a member: p[p.index(member)] == member. O(length * n)."""
        try:
            numbers = [self._values.index(item) for item in member] if self._values is not None else (
                [whole("an element", number) for number in member])
        except ValueError:  # an unknown item
            numbers = []
        if len(numbers) != self.length or any(not 0 <= number < self.n for number in numbers):
            raise InvalidArgument(f"{member!r} is not {self.length} of the {self.n} elements")
        rank = ffi.new("combgpu_u128 *")
        if self.length:
            plain(lib.combgpu_perm_set_rank128, self._set, numbers, rank)
        if u128(rank) not in self._range:
            raise InvalidArgument(f"{member!r} has the rank {u128(rank):,}, which is not in this part")
        return (u128(rank) - self._range.start) // self._range.step

    def __contains__(self, member: object) -> bool:
        try:
            self.index(member)  # type: ignore[arg-type]
        except (ValueError, TypeError):
            return False
        return True

    def __reversed__(self) -> Iterator[tuple[Any, ...]]:
        return iter(self[::-1])

    def count(self, member: object) -> int:
        """1 if it is a member, else 0."""
        return int(member in self)

    def random(self, seed: int = 0, index: int = 0) -> tuple[Any, ...]:
        """Random permutation number `index` of a stream, the same on every machine. For the family of all permutations."""
        if self.family != "all" or not self._is_whole:
            raise InvalidArgument("random permutations are of all permutations of n, n at most 34")
        out = ffi.new("uint8_t[]", self.n)
        plain(lib.combgpu_perm_random, self.n, whole("seed", seed), whole("index", index), out)
        return self._member(out)

    # ---- written out

    def _device(self) -> Context:
        context = self._context
        if context is None or context.of_thread and context.of_another_process:  # it was pickled, or the process forked
            from ._context import default_context

            return default_context()
        return context

    def _desc(self) -> Any:
        if self.size >> 64:
            raise InvalidArgument(f"{self.size:,} members are too many for one run: take a slice of fewer than 2**64")
        desc = ffi.new("combgpu_perm_desc *")
        desc.n, desc.count = self.n, self.size
        desc.first, desc.first_hi = self.first & (1 << 64) - 1, self.first >> 64
        if self._range.step != 1:
            raise InvalidArgument(f"a run needs a slice of step 1, not {self._range.step}")
        if not self._by_rank:
            desc.set = self._set
        return desc

    def _written(self, **run: Unpack[RunOptions]) -> Any:
        for option in ("checkpoint", "resume", "shard", "merge"):  # they would leave out members
            if run.get(option) is not None and run.get(option) is not False:
                raise InvalidArgument(f"an array is made as a whole, without {option}: take a slice, p[first:end]")
        members, out = new_array("uint8_t", (self.size, self.length))
        if self.size and self._runs:
            desc = self._desc()
            desc.goal, desc.out, desc.out_bytes = lib.COMBGPU_PERM_WRITE, out, len(out)
            try:
                written = Job(self._device(), "perm", desc, run, lambda c, state: c.visited).run()
            except Interrupted:  # which ones are written is unknown
                raise Interrupted(None, None) from None
            if written != self.size:
                raise Error(f"stopped after {written:,} of {self.size:,} members: chunks() delivers parts")
        elif run:
            raise InvalidArgument(f"these members are made one by one, without a run that takes {sorted(run)[0]}")
        else:
            for i, rank in enumerate(self._range):
                self._unrank(rank, out + i * self.length)
        return members

    def array(self, **run: Unpack[RunOptions]) -> Any:
        """All of it as an array of bytes, of the shape (size, length): numbers 0 .. n-1, one member per row. Options are those
        of a run except checkpoint, resume, shard and merge; if time_limit or progress stop it, it raises Error.
        """
        if self.size * self.length > 1 << 40:
            raise InvalidArgument(f"{self.size:,} members of {self.length} bytes do not fit into memory: use chunks()")
        return self._written(**run)

    def chunks(self, size: int | None = None) -> Iterator[Any]:
        """Yields such arrays of `size` members each (the last may have fewer)."""
        if size is not None and whole("size", size) < 1:
            raise InvalidArgument(f"a chunk has 1 member or more, not {size}")
        each = whole("size", size or 0) or max(_CHUNK // max(self.length, 1), 1)
        return (self[first: first + each]._written() for first in range(0, self.size, each))

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        if not self.length:
            yield from ((),) * self.size
            return
        small = _CHUNK // 64 if self._runs else 1 << 10  # members that are made one by one take a while
        for chunk in self.chunks(max(small // self.length, 1)):
            for numbers in chunk.tolist():
                yield self._member(numbers)

    # ---- functions in C on every member

    def _score(self, goal: str, function: Any, data: Any, run: RunOptions, listed: bool = False,
               **settings: Any) -> Job[Score]:
        if not self._has_ranks:
            raise InvalidArgument("functions in C run on sets of fewer than 2**64 members and on parts of these; "
                                  f"this set has {self._whole().size:,}")
        desc = self._desc()
        if not self.size or not self.length:
            raise InvalidArgument(f"the part of the permutations {'has members of no places' if self.size else 'is empty'}")
        desc.goal = getattr(lib, f"COMBGPU_PERM_{goal.upper()}")
        desc.visitor = visitor = visitor_of(function)
        settings = {name: whole(name, value) for name, value in settings.items()}
        histogram = ffi.new("uint64_t[]", min(max(settings.get("bins", 1), 1), 4096))  # the library checks it
        if goal == "histogram":
            desc.histogram = histogram
        if listed:
            desc.solution = ffi.addressof(lib, "combgpu_py_hit")
        for name, value in settings.items():
            try:
                setattr(desc, name, value)
            except OverflowError as error:
                raise InvalidArgument(f"{name} is {value}: {error}") from None
        buffer = buffer_in(data) if data is not None else b""
        if len(buffer):
            desc.data, desc.data_bytes = buffer, len(buffer)

        def result(c: Any, state: State | None) -> Score:
            best = goal in ("minimum", "maximum") and c.visited
            total = u128(c.sum)
            value = c.best_value if best else total - (total >> 127 << 128) if goal == "sum" else None
            return made(
                Score, c, hits=c.hits if goal == "count" else None, value=value, rank=c.best_rank if best else None,
                best=self._member(c.best[0: self.length]) if best else None,
                histogram=vector("uint64_t", ffi.unpack(histogram, settings["bins"])) if goal == "histogram" else None,
                outside=c.outside if goal == "histogram" else None, state=state)

        def hit(found: Any) -> tuple[Any, ...]:
            return self._member(ffi.unpack(ffi.cast("uint8_t *", found), self.length))

        job = Job(self._device(), "perm", desc, run, result, hit if listed else None)
        job.keep += [visitor, histogram, self._set]
        return job

    def count_if(self, function: Any, data: Any = None, **run: Unpack[RunOptions]) -> Score:
        """Counts the members on which a function is not 0.

        function  the body of a C function of `perm` (numbers 0 .. n-1), `n` and `data` that returns an integer:
                  COMBGPU_PERM_VISITOR in combgpu.h says what it may use. CC (cc) compiles it for a CPU. Or, on a CPU, a
                  function of numba.cfunc(combgpu.signatures["visitor"]), ctypes or cffi
        data      bytes or an array for it: combgpu_data_i32(data, i), combgpu_data_i64(data, i)

        >>> combgpu.permutations(8).count_if("return perm[0] == 0;").hits
        5040
        """
        return self._score("count", function, data, run).run()

    def minimum(self, function: Any, data: Any = None, **run: Unpack[RunOptions]) -> Score:
        """The smallest value of a function (see count_if), and the first member that has it."""
        return self._score("minimum", function, data, run).run()

    def maximum(self, function: Any, data: Any = None, **run: Unpack[RunOptions]) -> Score:
        """The largest value of a function (see count_if), and the first member that has it."""
        return self._score("maximum", function, data, run).run()

    def sum(self, function: Any, data: Any = None, **run: Unpack[RunOptions]) -> Score:
        """The sum of a function (see count_if) over all members."""
        return self._score("sum", function, data, run).run()

    def histogram(self, function: Any, data: Any = None, *, bins: int, start: int = 0, width: int = 1,
                  **run: Unpack[RunOptions]) -> Score:
        """How often a function (see count_if) has values in start + i*width <= value < start + (i+1)*width, for each i."""
        start, width = whole("start", start), whole("width", width)
        if width < 1:  # 0 is C's default
            raise InvalidArgument(f"width is {width}; it may be 1 or more")
        return self._score("histogram", function, data, run, bins=bins, bin_first=start, bin_width=width).run()

    def hits(self, function: Any, data: Any = None, *, ordered: bool = False, limit: int | None = None,
             **run: Unpack[RunOptions]) -> Solutions[tuple[Any, ...]]:
        """Yields the members on which a function (see count_if) is not 0, as they are found, or in order."""
        return Solutions(self._score("count", function, data, run, listed=True, ordered=bool(ordered),
                                     limit=most("limit", limit)), run)


def _restored(n: int, family: str, k: int, repeats: Sequence[int], values: Sequence[Any] | None,
              ranks: range) -> Permutations:
    """From a pickle: on the default context, which is opened when a run needs it."""
    whole = Permutations(None, n, family, k, repeats, values)
    whole._range = ranks
    return whole


def permutations(context: Context, items: int | Sequence[Any], k: int | None = None, *,
                 family: str | None = None) -> Permutations:
    """The permutations of 0 .. n-1, or of a sequence's items: each different arrangement once, in order.

    items   a number n, or a sequence; repeated items are identical
    k       only k of them at a time; "combination" needs it
    family  "derangement" (no element in its own position), "combination" (k ascending ones), "gray" (each swaps two
            neighbours of the one before), "cycle" (one cycle through all), "circular" (seats round a table)

    >>> combgpu.permutations(20)[10**18]
    (8, 4, 3, 10, 16, 7, 13, 6, 17, 9, 18, 12, 2, 5, 19, 1, 14, 15, 0, 11)
    >>> combgpu.permutations("MISSISSIPPI").size
    34650
    """
    return Permutations(context, *members(items, k, family))


def members(items: int | Sequence[Any], k: int | None,
            family: str | None) -> tuple[int, str, int, list[int], list[Any] | None]:
    """The n, family, k, repeats and values of permutations()."""
    values: list[Any] | None = None
    repeats: list[int] = []
    if not hasattr(items, "__index__") or hasattr(items, "__len__"):
        if not hasattr(items, "__iter__"):
            raise TypeError(f"permutations are of a number n or of items, not of {items!r}")
        every = list(items)  # type: ignore[arg-type]
        values = _different(every)
        if len(values) < len(every):
            if family is not None or k is not None:
                raise InvalidArgument("repeated items have no family, and are taken all at a time")
            repeats, family = [every.count(value) for value in values], "multiset"
        items = len(values)
    if family is None:
        family = "all" if k is None else "partial"
    elif k is None and enumerator(FAMILIES, "family", family) in (FAMILIES["partial"], FAMILIES["combination"]):
        raise InvalidArgument(f"family {family!r} needs k, how many elements are taken at a time")
    return operator.index(items), family, k or 0, repeats, values


def _different(items: list[Any]) -> list[Any]:
    """The different items; in order if some are repeated and they have an order."""
    try:
        values = list(dict.fromkeys(items))
    except TypeError:  # e.g. lists have no hash
        try:
            values = [item for i, item in enumerate(items) if item not in items[:i]]
        except ValueError as error:  # arrays
            raise InvalidArgument(f"items without a usable == cannot be permuted: {error}") from None
    if len(values) < len(items) and all(isinstance(value, type(values[0])) for value in values):
        try:
            return sorted(values)
        except TypeError:
            pass
    return values
