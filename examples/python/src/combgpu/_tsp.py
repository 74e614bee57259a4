"""Travelling salesman: shortest tours, proven, of points, matrices and TSPLIB files; batches."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Iterable, Iterator, Sequence

from ._combgpu import ffi, lib
from ._convert import array_in, as_numpy, columns, enumerator, enumerators, new_array, plain, plain_handle, vector, word, written
from ._errors import InvalidArgument, text
from ._result import Result, RunInfo, State, run_info
from ._run import Job, Path, RunOptions, resumed_state

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._context import Context

METRICS = enumerators("combgpu_tsp_metric", "COMBGPU_TSP_")
METHODS = enumerators("combgpu_tsp_method", "COMBGPU_TSP_")


# ---- an instance


class Instance:
    """Cities: points with a metric, or a matrix of distances. A notebook draws the points.

    Instance(points)            n x 2 numbers; metric "plane" (Euclidean), "earth" (latitude, longitude in degrees; km), or
                                one of TSPLIB's: "euc_2d", "ceil_2d", "man_2d", "max_2d", "att", "geo"
    Instance(matrix)            n x n numbers, symmetric or not; metric "matrix" where n is 2
    Instance.read("file.tsp")   a TSPLIB file; Instance.parse(text)

    before: pairs (a, b) of cities; a tour, which begins at city 0, visits a before b.
    fixed: pairs of cities that are neighbours, in either order, in every tour.
    """

    def __init__(self, cities: Any, metric: str | None = None, *, before: Iterable[tuple[int, int]] = (),
                 fixed: Iterable[tuple[int, int]] = ()) -> None:
        numbers, shape = array_in("double", cities)
        self._c = self._new()
        matrix = metric == "matrix" or (metric is None and len(shape) == 2 and shape[0] == shape[1] != 2)
        if len(shape) != 2 or shape[1] != (shape[0] if matrix else 2):
            raise InvalidArgument(f"cities are n x 2 points or an n x n matrix, not of the shape {shape}")
        if matrix:
            plain(lib.combgpu_tsp_from_matrix, shape[0], numbers, self._c)
        else:
            x, y = columns(numbers)
            plain(lib.combgpu_tsp_from_coordinates, shape[0], x, y, enumerator(METRICS, "metric", metric or "plane"),
                  self._c)
        for pairs, setter in (before, lib.combgpu_tsp_set_before), (fixed, lib.combgpu_tsp_set_fixed):
            ends = [city for a, b in pairs for city in (a, b)]
            plain(setter, self._c, len(ends) // 2, ends or ffi.NULL)

    @staticmethod
    def _new() -> Any:
        return ffi.gc(ffi.new("combgpu_tsp_instance *"), lambda c: lib.combgpu_tsp_free(plain_handle(), c))

    @classmethod
    def read(cls, path: Path) -> Instance:
        """Reads a TSPLIB file."""
        instance = cls.__new__(cls)
        instance._c = cls._new()
        plain(lib.combgpu_tsp_read, os.fsencode(path), instance._c)
        return instance

    @classmethod
    def parse(cls, content: str | bytes) -> Instance:
        """Reads the text of a TSPLIB file."""
        instance = cls.__new__(cls)
        instance._c = cls._new()
        data = content.encode() if isinstance(content, str) else content
        plain(lib.combgpu_tsp_parse, data, len(data), instance._c)
        return instance

    @property
    def name(self) -> str:
        """The file's name of it; "" if it has none."""
        return text(self._c.name)

    @property
    def n(self) -> int:
        """How many cities there are."""
        return int(self._c.n)

    def __len__(self) -> int:
        return self.n

    @property
    def metric(self) -> str:
        """How distances were made."""
        return word(METRICS, self._c.metric)

    @property
    def symmetric(self) -> bool:
        """Whether the way back is as long."""
        return bool(self._c.symmetric)

    @property
    def points(self) -> list[tuple[float, float]] | None:
        """The cities' coordinates; None if there are none."""
        return [(self._c.x[i], self._c.y[i]) for i in range(self.n)] if self._c.x and self._c.y else None

    def distance(self, a: int, b: int) -> float:
        """From city a to city b."""
        if not (0 <= a < self.n and 0 <= b < self.n):
            raise InvalidArgument(f"cities are 0 to {self.n - 1}, not {a}, {b}")
        return float(lib.combgpu_tsp_weight(self._c, a, b))

    def length(self, order: Sequence[int], *, path: bool = False) -> float:
        """The length of a tour, or of a path."""
        out = ffi.new("double *")
        plain(lib.combgpu_tsp_length, self._c, _SHAPE[path], _cities(order, self.n), out)
        return float(out[0])

    def read_tour(self, path: Path) -> list[int]:
        """Reads a TSPLIB tour file of these cities."""
        out = ffi.new("int[]", self.n)
        plain(lib.combgpu_tsp_read_tour, os.fsencode(path), self.n, out)
        return list(out)

    def svg(self, order: Sequence[int] | None = None, *, path: bool = False) -> str:
        """An SVG picture of the points, and of a tour if one is given."""
        return written(lib.combgpu_tsp_to_svg, self._c, _SHAPE[path],
                       ffi.NULL if order is None else _cities(order, self.n))

    def _repr_svg_(self) -> str | None:
        return self.svg() if self.points is not None and self.n <= 5000 else None

    def __repr__(self) -> str:
        return f"Instance({self.name + ', ' if self.name else ''}{self.n} cities, {self.metric})"


_SHAPE = {False: lib.COMBGPU_TSP_CYCLE, True: lib.COMBGPU_TSP_PATH}
_ENDS = {(False, False): lib.COMBGPU_TSP_FREE_ENDS, (True, False): lib.COMBGPU_TSP_FIXED_START,
         (False, True): lib.COMBGPU_TSP_FIXED_END, (True, True): lib.COMBGPU_TSP_FIXED_ENDS}


def _cities(order: Sequence[int], n: int) -> Any:
    cities, shape = array_in("int", order)
    if shape != (n,):
        raise InvalidArgument(f"a tour has {n} cities, not the shape {shape}")
    return cities


# ---- one tour


@dataclass(frozen=True, repr=False, eq=False)
class Tour(Result):
    """A tour: a sequence of cities. A notebook draws it if the cities have coordinates."""

    order: Any  #: the cities in the order of the visits, 0 .. n-1
    length: float
    lower_bound: float  #: proven; equal to length when optimal
    optimal: bool
    path: bool  #: an open path, not a cycle
    method: str
    instance: Instance
    run: RunInfo
    state: State | None = field(default=None)

    @property
    def gap(self) -> float:
        """How far the length may be above the lower bound, as a part of the bound; 0 when optimal."""
        if self.optimal or self.length <= self.lower_bound:
            return 0.0
        return (self.length - self.lower_bound) / self.lower_bound if self.lower_bound else float("inf")

    def __len__(self) -> int:
        return len(self.order)

    def __iter__(self) -> Iterator[int]:
        return iter(self.order.tolist())

    def __getitem__(self, index: Any) -> Any:
        return self.order[index]

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return as_numpy(self.order, "int32", dtype)

    def __repr__(self) -> str:
        proof = "optimal" if self.optimal else f"at most {100 * self.gap:.2g} % too long"
        return (f"Tour({len(self)} cities, length {self.length:.10g}, {proof}, {self.method}; {self.run})")

    def svg(self) -> str:
        """An SVG picture."""
        return self.instance.svg(self.order, path=self.path)

    def _repr_svg_(self) -> str | None:
        return self.svg() if self.instance.points is not None else None

    def tsplib(self, name: str | None = None) -> str:
        """A TSPLIB tour file's text."""
        return written(lib.combgpu_tsp_write_tour, ffi.NULL if name is None else name.encode(), len(self),
                       _cities(self.order, len(self)))


def _shape(path: bool, start: int | None, end: int | None, desc: Any) -> bool:
    """Sets shape and ends; an end that is given makes it a path."""
    path = path or start is not None or end is not None
    desc.shape = _SHAPE[path]
    desc.path_ends = _ENDS[start is not None, end is not None]
    desc.path_start, desc.path_end = start or 0, end or 0
    if min(start or 0, end or 0) < 0:
        raise InvalidArgument(f"start and end are cities, 0 or more, not {start}, {end}")
    return path


def tsp(context: Context, cities: Any, *, metric: str | None = None, path: bool = False, start: int | None = None,
        end: int | None = None, method: str = "auto", tour: Sequence[int] | None = None, seed: int = 0,
        **run: Unpack[RunOptions]) -> Tour:
    """Finds a shortest tour and proves it.

    cities      n x 2 points, an n x n matrix, an Instance, or the path of a TSPLIB file
    metric      see Instance
    path        an open path instead of a tour; with start and end, cities where it begins and ends
    method      "auto", "brute_force", "held_karp", "branch_and_bound" or "heuristic", which has no limit of cities
    tour        one to begin with
    seed        of branch and bound's first tours, and of the heuristic

    >>> combgpu.tsp([(0, 0), (3, 0), (3, 4), (0, 4)]).length
    14.0
    """
    if isinstance(cities, (str, os.PathLike)):
        instance = Instance.read(cities)
    else:
        instance = cities if isinstance(cities, Instance) else Instance(cities, metric)
    desc = ffi.new("combgpu_tsp_desc *")
    desc.instance, desc.method, desc.seed = instance._c, enumerator(METHODS, "method", method), seed
    path = _shape(path, start, end, desc)
    best = desc.tour = ffi.new("int[]", instance.n)
    begun_with = None if tour is None else _cities(tour, instance.n)
    if begun_with is not None:
        desc.start = begun_with

    def result(c: Any, state: State | None) -> Tour:
        return Tour(order=vector("int", ffi.unpack(best, c.n)), length=c.length, lower_bound=c.lower_bound,
                    optimal=bool(c.optimal), path=path, method=word(METHODS, c.method), instance=instance,
                    run=run_info(c.run), state=state)

    return Job(context, "tsp", desc, run, result).run()


# ---- many


@dataclass(frozen=True, repr=False, eq=False)
class TourBatch(Result):
    """Shortest tours of many instances, each proven or with a proven lower bound."""

    lengths: Any  #: of each tour; -1 where it is not known yet
    tours: Any  #: of the shape (instances, cities)
    lower_bounds: Any  #: of each; its tour's length if that is proven, -1 where nothing is known yet
    states: Any  #: of each: 1 = proven, 2 = ended at its limit, 0 = not known yet
    solved: int  #: instances whose tour is proven
    bounded: int  #: instances that ended at their limit
    path: bool
    run: RunInfo
    state: State | None = field(default=None)

    def __len__(self) -> int:
        return len(self.lengths)

    def __repr__(self) -> str:
        return f"TourBatch({len(self):,} instances of {self.tours.shape[1]} cities; {self.run})"


def tsp_batch(context: Context, instances: Any, *, metric: str | None = None, path: bool = False,
              start: int | None = None, end: int | None = None, instance_steps: int = 0,
              instance_seconds: float = 0.0, seed: int = 0, **run: Unpack[RunOptions]) -> TourBatch:
    """Shortest tours of many instances of up to 128 cities, side by side.

    instances         an array of the shape (count, n, 2) of points, or (count, n, n) of distances
    instance_steps    of 16 cities or more: an instance ends at so many steps (1-trees) with a tour and a lower bound;
                      0 = no limit
    instance_seconds  likewise at so many seconds

    The other arguments are those of tsp().
    """
    numbers, shape = array_in("double", instances)
    if len(shape) != 3:
        raise InvalidArgument(f"instances have the shape (count, n, 2) or (count, n, n), not {shape}")
    count, n, last = shape
    matrix = metric == "matrix" or (metric is None and last == n != 2)
    if last != (n if matrix else 2):
        raise InvalidArgument(f"instances have the shape (count, n, 2) or (count, n, n), not {shape}")
    desc = ffi.new("combgpu_tsp_batch_desc *")
    desc.count, desc.n = count, n
    desc.instance_steps, desc.instance_seconds, desc.seed = instance_steps, instance_seconds, seed
    keep: list[Any] = [numbers]
    if matrix:
        desc.weights = numbers
    else:
        desc.x, desc.y = keep[1:] = columns(numbers)
        desc.metric = enumerator(METRICS, "metric", metric or "plane")
    path = _shape(path, start, end, desc)
    before = resumed_state(run)
    lengths, desc.lengths = new_array("double", (count,))
    tours, desc.tours = new_array("uint8_t", (count, n))
    lower_bounds, desc.lower_bounds = new_array("double", (count,))
    states, desc.states = new_array("uint8_t", (count,))
    arrays = lengths, tours, lower_bounds, states
    if before:  # a resumed run adds to what was written
        for array, written_before in zip(arrays, before.extra):
            memoryview(array).cast("B")[:] = written_before

    def result(c: Any, state: State | None) -> TourBatch:
        return TourBatch(lengths, tours, lower_bounds, states, c.solved, c.bounded, path, run_info(c.run), state)

    return Job(context, "tsp_batch", desc, run, result, extra=lambda: [bytes(array) for array in arrays]).run()
