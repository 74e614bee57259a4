"""No-three-in-line: counts, finds, checks, draws, reads and writes boards."""

from __future__ import annotations

import operator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Iterable, Iterator

from ._combgpu import ffi, lib
from ._convert import as_numpy, enumerator, enumerators, most, one_line, plain, word, written
from ._errors import InvalidArgument
from ._result import Constant, Result, RunInfo, State, made
from ._run import Job, RunOptions, Solutions

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._context import Context

CLASSES = enumerators("combgpu_no3_class", "COMBGPU_NO3_")


# ---- a board


def _words(n: int, masks: Iterable[int]) -> list[int]:
    """Masks for C: two words a row if n > 64."""
    return list(masks) if n <= 64 else [mask >> shift & 2**64 - 1 for mask in masks for shift in (0, 64)]


def _of_words(n: int, words: Any) -> Iterable[int]:
    """The masks of C's words."""
    return words[0:n] if n <= 64 else [words[2 * y] | words[2 * y + 1] << 64 for y in range(n)]


@dataclass(frozen=True)
class BoardReport:
    """The properties of a board."""

    is_solution: bool  #: two points in each row and column, no three in line
    points: int
    symmetry: str
    line: tuple[tuple[int, int], ...]  #: three points (x, y) in line; may be ()
    bad_row: int  #: the first with other than two points; -1 if none
    bad_column: int


class Board(Constant):
    """Points on an n x n grid: `(x, y) in board`, `for x, y in board`, an array of bools for NumPy. A notebook draws it.

    Made from points (x, y), from rows of cells (`Board(array)`, true is a point), or from masks, one per row.
    """

    __slots__ = ("n", "masks")

    def __init__(self, cells: Any) -> None:
        rows = [list(row) for row in (cells.tolist() if hasattr(cells, "tolist") else cells)]
        if any(isinstance(cell, (str, bytes)) for row in rows for cell in row):
            raise InvalidArgument("cells are numbers or bools, not text: of RLE: Board.of_rle(code)")
        if any(isinstance(cell, (list, tuple)) for row in rows for cell in row):
            raise InvalidArgument("cells are numbers or bools: an array has two dimensions")
        if any(len(row) != len(rows) for row in rows):
            raise InvalidArgument("a board has as many rows as columns; of points (x, y): Board.of_points(n, points)")
        self.n: int = len(rows)
        self.masks: tuple[int, ...] = tuple(sum(1 << x for x, on in enumerate(row) if on) for row in rows)

    @classmethod
    def of_masks(cls, n: int, masks: Iterable[int]) -> Board:
        """From n masks; bit x of mask y is the point in column x of row y."""
        n, rows = operator.index(n), tuple(operator.index(mask) for mask in masks)
        if n < 0 or len(rows) != n:
            raise InvalidArgument(f"{len(rows)} masks do not make a board of side {n}")
        for y, mask in enumerate(rows):
            if mask < 0 or mask >> n:
                raise InvalidArgument(f"masks[{y}] is {mask}; for side {n} it may be 0 to 2**{n} - 1")
        return cls._of(n, rows)

    @classmethod
    def _of(cls, n: int, masks: Iterable[int]) -> Board:
        board = cls.__new__(cls)
        board.n, board.masks = n, tuple(masks)
        return board

    @classmethod
    def of_points(cls, n: int, points: Iterable[tuple[int, int]]) -> Board:
        """From points (x, y)."""
        n = operator.index(n)
        masks = [0] * n
        for point in points:
            pair = tuple(map(operator.index, point))
            if len(pair) != 2:
                raise InvalidArgument(f"{pair} is neither a point (x, y) nor a row of a {n} x {n} grid")
            x, y = pair
            if not (0 <= x < n and 0 <= y < n):
                raise InvalidArgument(f"the point {(x, y)} lies outside the {n} x {n} grid")
            masks[y] |= 1 << x
        return cls.of_masks(n, masks)

    @classmethod
    def of_rle(cls, code: str) -> Board:
        """From a run-length encoded pattern, as Life programs write it."""
        return cls._read(lib.combgpu_no3_from_rle, code)

    @classmethod
    def of_flammenkamp(cls, code: str) -> Board:
        """From a line of A. Flammenkamp's code."""
        return cls._read(lib.combgpu_no3_from_flammenkamp, code, ffi.NULL, ffi.NULL)

    @classmethod
    def _read(cls, function: Any, code: str, *more: Any) -> Board:
        if not isinstance(code, str):
            raise TypeError(f"the code of a board is a str, not of the type {type(code).__name__}")
        n, masks, data = ffi.new("int *"), ffi.new("uint64_t[]", lib.COMBGPU_NO3_BOARD_WORDS), code.encode()
        plain(function, data, len(data), n, masks, *more)
        return cls._of(n[0], _of_words(n[0], masks))

    def check(self) -> BoardReport:
        """Whether it is a solution, its symmetry, and what is wrong with it."""
        c = ffi.new("combgpu_no3_report *")
        plain(lib.combgpu_no3_check, self.n, _words(self.n, self.masks), c)
        line = tuple(zip(c.line_x, c.line_y)) if c.has_line else ()
        return BoardReport(bool(c.is_solution), c.points, word(CLASSES, c.symmetry), line, c.bad_row, c.bad_column)

    @property
    def is_solution(self) -> bool:
        """Whether each row and column has two points and no three are in line."""
        return self.check().is_solution

    @property
    def symmetry(self) -> str:
        """Its symmetry class: "iden", "dia1", ... "full"."""
        return self.check().symmetry

    def canonical(self) -> Board:
        """The smallest of its 8 rotations and reflections."""
        out = ffi.new("uint64_t[]", lib.COMBGPU_NO3_BOARD_WORDS)
        plain(lib.combgpu_no3_canonical, self.n, _words(self.n, self.masks), out)
        return self._of(self.n, _of_words(self.n, out))

    @property
    def points(self) -> list[tuple[int, int]]:
        """Its points (x, y), row by row."""
        return [(x, y) for y, mask in enumerate(self.masks) for x in range(self.n) if mask >> x & 1]

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return iter(self.points)

    def __contains__(self, point: object) -> bool:
        return (tuple(point.tolist()) if hasattr(point, "tolist") else point) in self.points

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return as_numpy([[bool(mask >> x & 1) for x in range(self.n)] for mask in self.masks], "bool", dtype)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Board) and (self.n, self.masks) == (other.n, other.masks)

    def __hash__(self) -> int:
        return hash((self.n, self.masks))

    def __reduce__(self) -> Any:
        return Board.of_masks, (self.n, self.masks)

    def __repr__(self) -> str:
        return f"Board.of_points({self.n}, {self.points})"

    def __str__(self) -> str:
        return written(lib.combgpu_no3_draw, self.n, _words(self.n, self.masks)).rstrip("\n")

    def rle(self) -> str:
        """A run-length encoded pattern, for Life programs."""
        return written(lib.combgpu_no3_to_rle, self.n, _words(self.n, self.masks))

    def flammenkamp(self) -> str:
        """A line of A. Flammenkamp's code."""
        return written(lib.combgpu_no3_to_flammenkamp, self.n, _words(self.n, self.masks))

    def svg(self, title: str | None = None) -> str:
        """An SVG picture."""
        return written(lib.combgpu_no3_to_svg, self.n, _words(self.n, self.masks), one_line("title", title))

    def _repr_svg_(self) -> str:
        return self.svg()


# ---- searches


@dataclass(frozen=True, repr=False, eq=False)
class BoardCount(Result):
    """A count of boards."""

    n: int
    all: int  #: every orientation
    up_to_symmetry: int  #: up to rotation and reflection
    classes: dict[str, int]  #: up to symmetry, by exact symmetry class
    run: RunInfo
    state: State | None = field(default=None)

    def __repr__(self) -> str:
        return f"BoardCount(n={self.n}, all={self.all:,}, up_to_symmetry={self.up_to_symmetry:,}; {self.run})"


def _masks(n: int, name: str, cells: Any) -> Any:
    """Fixed cells as C's masks: of a Board, an n x n array, or points (x, y)."""
    if not isinstance(cells, Board):
        try:
            rows: list[Any] = cells.tolist() if hasattr(cells, "tolist") else [list(row) for row in cells]
            whole = n > 2 and len(rows) == n and all(len(row) == n for row in rows)
        except TypeError:
            raise InvalidArgument(f"{name} is points (x, y), {n} x {n} cells or a Board, not {cells!r}") from None
        cells = Board(rows) if whole else Board.of_points(n, rows)
    if cells.n != n:
        raise InvalidArgument(f"a board of side {cells.n} does not fit side {n}")
    return ffi.new("uint64_t[]", _words(n, cells.masks))


def _search(n: int, symmetry: str, on: Any, off: Any, seed: int, limit: int | None) -> dict[str, Any]:
    """The fields of a combgpu_no3_desc."""
    within = 2 <= n <= 128  # of another side the library says so
    cells = {name: _masks(n, name, given) for name, given in (("on", on), ("off", off)) if within and given is not None}
    return {"n": n, "symmetry": enumerator(CLASSES, "symmetry", symmetry), "seed": seed, "limit": most("limit", limit),
            **cells}


def _begin(context: Context, search: dict[str, Any], options: RunOptions, listed: bool = False) -> Job[BoardCount]:
    n = search["n"]
    desc = ffi.new("combgpu_no3_desc *", search)
    if listed:
        desc.solution = ffi.addressof(lib, "combgpu_py_board")

    def board(found: Any) -> Board:
        return Board._of(n, _of_words(n, ffi.cast("uint64_t *", found)))

    def result(c: Any, state: State | None) -> BoardCount:
        classes = {name: c.classes[value] for name, value in CLASSES.items() if value}
        return made(BoardCount, c, n=n, classes=classes, state=state)

    return Job(context, "no3", desc, options, result, board if listed else None)


def no3(context: Context, n: int, *, symmetry: str = "all", on: Any = None, off: Any = None, seed: int = 0,
        limit: int | None = None, **run: Unpack[RunOptions]) -> BoardCount:
    """Counts the ways to place 2n points on an n x n grid with no three in line.

    n         2 to 128; to 32 if symmetry is "all"
    symmetry  only boards with at least this symmetry: "dia1", "ort1", "rot2", "near_rot4", "dia2", "rot4", "ort2", "full"
    on, off   points (x, y), an n x n array or a Board: cells with or without a point
    seed      search in random order, for a first solution on a large grid
    limit     stop at this many up to symmetry

    >>> combgpu.no3(10).all
    1135
    """
    return _begin(context, _search(n, symmetry, on, off, seed, limit), run).run()


def no3_boards(context: Context, n: int, *, symmetry: str = "all", on: Any = None, off: Any = None, seed: int = 0,
               every_orientation: bool = False, limit: int | None = None,
               **run: Unpack[RunOptions]) -> Solutions[Board]:
    """The boards as they are found; arguments as for no3().

    every_orientation  all different rotations and reflections, instead of one

    >>> next(combgpu.no3_boards(28, symmetry="rot4", limit=1)).is_solution
    True
    """
    search = {**_search(n, symmetry, on, off, seed, limit), "every_orientation": every_orientation}
    return Solutions(_begin(context, search, run, listed=True), run)
