"""Magic squares: counts, lists, completes, estimates, checks, constructs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Iterator

from ._combgpu import ffi, lib
from ._convert import array_in, as_numpy, enumerator, enumerators, most, new_array, one_line, plain, whole
from ._errors import InvalidArgument
from ._result import Constant, Result, RunInfo, State, made
from ._run import Call, Interrupted, Job, RunOptions, Solutions

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._context import Context

KINDS = enumerators("combgpu_magic_kind", "COMBGPU_MAGIC_")
ESTIMATED = {name: KINDS[name] for name in ("normal", "semi", "pandiagonal", "associative", "ultramagic")}


# ---- a square


@dataclass(frozen=True)
class MagicReport:
    """The properties of a square."""

    magic_sum: int
    is_permutation: bool  #: 1 .. n*n once each
    is_semimagic: bool
    is_magic: bool
    is_pandiagonal: bool
    is_associative: bool
    is_ultramagic: bool
    is_bimagic: bool
    is_frenicle: bool
    wrong: str  #: the first fault in words; "" if it is magic


class MagicSquare(Constant):
    """A square of numbers: `square[i, j]`, `square[i]` (a row), `square[:, j]`, an array for NumPy. A notebook draws it."""

    __slots__ = ("order", "numbers")

    def __init__(self, rows: Any) -> None:
        cells, shape = array_in("int", rows)
        if len(shape) != 2 or shape[0] != shape[1] or not shape[0]:
            raise InvalidArgument(f"a square has as many rows as columns, 1 or more, not the shape {shape}")
        self.order: int = shape[0]
        self.numbers: tuple[int, ...] = tuple(ffi.unpack(cells, shape[0] ** 2))

    @classmethod
    def _of(cls, order: int, cells: Any) -> MagicSquare:
        square = cls.__new__(cls)
        square.order, square.numbers = order, tuple(ffi.unpack(cells, order * order))
        return square

    @classmethod
    def construct(cls, order: int, kind: str = "normal") -> MagicSquare:
        """Makes a square of any order from 3 on; pandiagonal, associative and ultramagic if a method is known."""
        order = whole("order", _order(order))
        cells = ffi.new("int[]", min(max(order, 1), 10000) ** 2)  # the library checks order
        plain(lib.combgpu_magic_construct_kind, order, enumerator(KINDS, "kind", kind), cells)
        return cls._of(order, cells)

    def _to(self, function: Any, *arguments: Any) -> MagicSquare:
        out = ffi.new("int[]", len(self.numbers))
        plain(function, self.order, self.numbers, *arguments, out)
        return self._of(self.order, out)

    def check(self) -> MagicReport:
        """The square's properties, and what is wrong with it."""
        report = ffi.new("combgpu_magic_report *")
        plain(lib.combgpu_magic_check, self.order, self.numbers, report)
        return made(MagicReport, report[0])

    @property
    def is_magic(self) -> bool:
        """Whether it holds 1 .. n*n once each and every row, column and diagonal has the same sum."""
        return self.check().is_magic

    def frenicle(self) -> MagicSquare:
        """The representative of its 8 rotations and reflections."""
        return self._to(lib.combgpu_magic_frenicle)

    def canonical(self) -> MagicSquare:
        """The first of its images, including exchanges of rows and columns that keep the diagonals."""
        return self._to(lib.combgpu_magic_canonical)

    def symmetry(self, number: int) -> MagicSquare:
        """Rotation or reflection 0 to 7: 1 transposes, 2 flips the rows, 4 the columns."""
        return self._to(lib.combgpu_magic_symmetry, whole("number", number))

    @property
    def rows(self) -> list[tuple[int, ...]]:
        """The rows."""
        return [self.numbers[i: i + self.order] for i in range(0, len(self.numbers), self.order)]

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        return iter(self.rows)

    def __len__(self) -> int:
        return self.order

    def __getitem__(self, index: Any) -> Any:
        if not isinstance(index, tuple):
            return self.rows[index]
        if len(index) != 2:
            raise IndexError(f"a square has rows and columns, not {len(index)} indices")
        rows: Any = self.rows[index[0]]
        return [row[index[1]] for row in rows] if isinstance(index[0], slice) else rows[index[1]]

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return as_numpy(self.rows, "int32", dtype)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MagicSquare) and self.numbers == other.numbers

    def __hash__(self) -> int:
        return hash(self.numbers)

    def __reduce__(self) -> Any:
        return MagicSquare, (self.rows,)

    def __repr__(self) -> str:
        return f"MagicSquare({[list(row) for row in self.rows]})"

    def __str__(self) -> str:
        width = max(len(str(number)) for number in self.numbers)
        return "\n".join(" ".join(f"{number:{width}d}" for number in row) for row in self.rows)

    def svg(self, title: str | None = None) -> str:
        """An SVG picture."""
        one_line("title", title)
        title = title or ""
        cell, top = 44, 32 if title else 0
        side = cell * self.order
        wide, high = max(side, 8 * len(title)) + 2, side + top + 2
        label = "".join(f"&#{ord(c)};" if c in "<>&" else c for c in title)
        parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide}" height="{high}" '
                 f'viewBox="{(side - wide) // 2} {-1 - top} {wide} {high}" font-family="sans-serif" text-anchor="middle">',
                 f'<rect x="{(side - wide) // 2}" y="{-1 - top}" width="{wide}" height="{high}" fill="#fff"/>']
        if title:
            parts += [f"<title>{label}</title>",
                      f'<text x="{side // 2}" y="-12" font-size="14" fill="#222">{label}</text>']
        largest = max(max(self.numbers), 1)
        for place, number in enumerate(self.numbers):
            x, y = place % self.order * cell, place // self.order * cell
            shade = 255 - round(70 * max(number, 0) / largest)
            parts += [f'<rect x="{x}" y="{y}" width="{cell}" height="{cell}" fill="rgb({shade},{shade},255)" '
                      'stroke="#1f4e9c"/>',
                      f'<text x="{x + cell // 2}" y="{y + cell // 2 + 6}" font-size="17" fill="#222">{number}</text>']
        return "\n".join(parts + ["</svg>\n"])

    def _repr_svg_(self) -> str:
        return self.svg()


# ---- searches


@dataclass(frozen=True, repr=False, eq=False)
class MagicCount(Result):
    """A count of squares."""

    order: int
    count: int  #: in all orientations (with givens: as given)
    up_to_d4: int  #: up to rotation and reflection
    up_to_m_group: int  #: up to the M-group as well, where it is known; else 0
    by_centre: tuple[int, ...]  #: up_to_d4 by the number in the centre; orders 3 and 5
    run: RunInfo
    state: State | None = field(default=None)

    def __repr__(self) -> str:
        return f"MagicCount(order={self.order}, count={self.count:,}, up_to_d4={self.up_to_d4:,}; {self.run})"


def _order(order: int) -> int:
    """An order, which True and False are not."""
    if isinstance(order, bool):
        raise TypeError(f"order is {order}; it is an integer")
    return order


def _givens(order: int, givens: Any) -> Any:
    """C's array of the givens; None and 0 are free cells."""
    if hasattr(givens, "tolist"):
        givens = givens.tolist()
    if isinstance(givens, MagicSquare):
        givens = givens.rows
    try:
        rows = [[0 if number is None else number for number in row] for row in givens]
    except TypeError:
        raise InvalidArgument(f"givens are {order} x {order} numbers, 0 or None = free") from None
    cells, shape = array_in("int", rows)
    if shape != (order, order):
        raise InvalidArgument(f"givens have the shape {shape}, not {(order, order)}")
    return cells


def _search(order: int, kind: str, givens: Any, numbers: Any, line_sum: int | None, limit: int | None) -> dict[str, Any]:
    """The fields of a combgpu_magic_desc."""
    search = {"order": _order(order), "kind": enumerator(KINDS, "kind", kind), "sum": line_sum or 0,
              "limit": most("limit", limit)}
    if givens is not None:
        search["givens"] = _givens(order, givens)
    if numbers is not None:
        search["numbers"] = cells = array_in("int", numbers)[0]
        if len(cells) != order * order:
            raise InvalidArgument(f"there are {len(cells)} numbers for {order * order} cells")
        if line_sum == 0 and sum(cells):  # which C has for "not given"
            raise InvalidArgument(f"line_sum is 0; the rows hold all the numbers, which add up to {sum(cells)}")
    return search


def _begin(context: Context, search: dict[str, Any], options: RunOptions, listed: bool = False) -> Job[MagicCount]:
    order = search["order"]
    desc = ffi.new("combgpu_magic_desc *", search)
    if listed:
        desc.solution = ffi.addressof(lib, "combgpu_py_square")

    def square(found: Any) -> MagicSquare:
        return MagicSquare._of(order, ffi.cast("int *", found))

    def result(c: Any, state: State | None) -> MagicCount:
        return made(MagicCount, c, order=order, state=state)

    return Job(context, "magic", desc, options, result, square if listed else None)


def magic(context: Context, order: int, *, kind: str = "normal", givens: Any = None, numbers: Any = None,
          line_sum: int | None = None, limit: int | None = None, checksum: bool = False,
          **run: Unpack[RunOptions]) -> MagicCount:
    """Counts the magic squares of an order (1 to 10). From order 6 on it needs givens, a limit, a time_limit or a small
    shard, except for kinds with few squares: a full count would take too long.

    kind      "normal", "semi", "pandiagonal", "associative", "ultramagic", "bimagic", "most_perfect" or "franklin"
    givens    order x order numbers, 0 or None = free
    numbers   numbers other than 1 .. n*n, and their line_sum
    limit     stop at this many
    checksum  make run.checksum that of the squares even for all of order 5

    >>> combgpu.magic(4).count
    7040
    """
    search = {**_search(order, kind, givens, numbers, line_sum, limit), "checksum": checksum}
    return _begin(context, search, run).run()


def magic_squares(context: Context, order: int, *, kind: str = "normal", givens: Any = None, numbers: Any = None,
                  line_sum: int | None = None, frenicle: bool = False, limit: int | None = None,
                  **run: Unpack[RunOptions]) -> Solutions[MagicSquare]:
    """The magic squares of an order as they are found, in no particular order; arguments as for magic().

    frenicle  only one of every 8 rotations and reflections

    >>> next(combgpu.magic_squares(4, givens=[[0] * 4, [0] * 4, [0] * 4, [0, 15, 14, 0]])).is_magic
    True
    """
    search = {**_search(order, kind, givens, numbers, line_sum, limit), "frenicle": frenicle}
    return Solutions(_begin(context, search, run, listed=True), run)


def magic_list(context: Context, order: int, *, kind: str = "normal", givens: Any = None, frenicle: bool = False,
               first: int = 0, count: int | None = None, **run: Unpack[RunOptions]) -> Any:
    """Squares first .. first + count - 1 of the list of all squares, which has a fixed order: an array of the shape
    (count, order, order), of bytes. count=None: all from `first` on. Order 6 needs givens that leave few squares.

    The list is lexicographic, except for all normal squares of order 5: see combgpu_magic_list in combgpu.h. A stopped
    list (time_limit, progress) is shorter; to continue, begin at first + len(list).
    """
    count = most("count", count) or None
    call = Call(context)
    desc = ffi.new("combgpu_magic_list_desc *")
    desc.order, desc.kind, desc.frenicle = _order(order), enumerator(KINDS, "kind", kind), frenicle
    desc.first = first
    if givens is not None:
        desc.givens = cells = _givens(order, givens)
        call.keep.append(cells)
    call.fill(desc.run, run, always_report=True)
    c = ffi.new("combgpu_magic_list_result *")
    side = min(max(order, 1), 10)  # the library checks order

    def fetch(number: int) -> Any:
        squares, out = new_array("uint8_t", (number, side, side))
        desc.out, desc.out_bytes, desc.count = ffi.cast("unsigned char *", out), len(out), number
        with context.lock:
            call.interrupts.noted(lambda: call.checked(lib.combgpu_magic_list, context.handle, desc, c))
        if call.interrupts.seen:
            raise Interrupted(squares[: c.count], None)
        return squares

    if count is None or count > 1 << 20:  # the total
        one = fetch(1)
        if c.total <= first:  # it was stopped before that was known
            return one[:0]
        count = min(c.total - first, count or c.total)
    squares = fetch(count)
    return squares[: c.count] if c.count < count else squares


@dataclass(frozen=True, repr=False, eq=False)
class MagicEstimate(Result):
    """An estimated count of squares."""

    order: int
    count: float  #: every orientation
    standard_error: float  #: 0 where it is not known
    up_to_d4: float
    relative_error: float
    error_of_error: float  #: relative error of standard_error itself; 0 = unknown
    low: float  #: the true value lies between low and high in 19 of 20 cases;
    high: float  #: both are 0 if unknown, e.g. with fewer than 100 samples
    samples: int
    run: RunInfo
    state: State | None = field(default=None)

    def __repr__(self) -> str:
        error = f"{self.standard_error:.2g}" if self.standard_error else "?"
        return (f"MagicEstimate(order={self.order}, count={self.count:.6g} +- {error}, "
                f"{self.samples:,} samples; {self.run})")


def magic_estimate(context: Context, order: int, *, kind: str = "normal", error: float = 0.01,
                   samples: int | None = None, seed: int = 0, **run: Unpack[RunOptions]) -> MagicEstimate:
    """Estimates the number of squares of an order (4 to 11), with its standard error.

    kind     "normal" or "semi"; "associative" of order 4, 5, 7, 8, 9; "ultramagic" of order 5, 7, 8;
             "pandiagonal" of order 5, 7

    error    the relative standard error to reach; or
    samples  the number of samples to take
    """
    desc = ffi.new("combgpu_magic_estimate_desc *")
    desc.order, desc.kind, desc.seed = _order(order), enumerator(ESTIMATED, "kind", kind), seed
    if not samples and error == 0:  # which in C is the default
        raise InvalidArgument("error is 0; it must be above 0")
    desc.samples, desc.relative_error = samples or 0, 0 if samples else error

    def result(c: Any, state: State | None) -> MagicEstimate:
        return made(MagicEstimate, c, order=order, state=state)

    return Job(context, "magic_estimate", desc, run, result).run()
