"""Cities with their distances and side conditions, made from numbers or read from files."""

from __future__ import annotations

import os
from array import array
from typing import Any, Iterable, Sequence

from ._combgpu import ffi, lib
from ._convert import array_in, c_path, columns, enumerator, enumerators, plain, plain_handle, whole, word, written
from ._errors import InvalidArgument, text
from ._read import Labels, labelled, read_cities
from ._run import Path

METRICS = enumerators("combgpu_tsp_metric", "COMBGPU_TSP_")
SHAPE = {False: lib.COMBGPU_TSP_CYCLE, True: lib.COMBGPU_TSP_PATH}
_WITH_Z = {"euc_3d", "man_3d", "max_3d", "xray1", "xray2"}
_PLAIN = ("n", "symmetric", "integral", "metric", "before_count", "fixed_count")
_WINDOWS = ("ready", "due", "service")
_DOUBLES = ("weights", "x", "y", "z", *_WINDOWS)
_PAIRS = ("before", "fixed")


class Instance:
    """Cities: points with a metric, or a matrix of distances. A notebook draws the points. Instances are immutable, can be
    pickled, and are equal if their numbers are.

    Instance(points)            n x 2 numbers; metric "plane" (Euclidean), "earth" (latitude, longitude in degrees; km), or
                                one of TSPLIB's: "euc_2d", "ceil_2d", "man_2d", "max_2d", "att", "geo"; or n x 3 with
                                "euc_3d", "man_3d", "max_3d", "xray1", "xray2"
    Instance(matrix)            n x n numbers, symmetric or not, also below 0; None, nan, inf, masked numbers and those equal
                                to no_connection mean that no direct way connects two cities. For two or three cities,
                                which might be points, metric "matrix" is needed
    Instance(graph)             of NetworkX: the nodes, with the edges' "weight" as distances
    Instance(frame)             of pandas: columns lat and lon, or x and y; or distances, with the same labels for rows and columns
    Instance.read("file.gpx")   every file of cities that the command reads; Instance.parse(text) of TSPLIB

    labels: names of the cities, also from a graph, a frame or a file. Tours have them in their order.

    before: pairs (a, b) of cities; a tour, which begins at city 0, visits a before b.
    fixed: pairs of cities that are neighbours, in either order, in every tour.
    ready, due, service: time windows, n numbers each; only tsp_windows() takes an instance that has them.
    """

    _what = ""

    def __init__(self, cities: Any, metric: str | None = None, *, before: Iterable[tuple[int, int]] = (),
                 fixed: Iterable[tuple[int, int]] = (), ready: Any = None, due: Any = None, service: Any = None,
                 no_connection: float | None = None, labels: Labels | None = None) -> None:
        cities, metric, known = labelled(cities, metric)
        numbers, shape, chosen, across = cities_of(cities, metric, no_connection, 2, "cities")
        matrix = chosen == METRICS["matrix"]
        made = ffi.new("combgpu_tsp_instance *")
        try:
            if matrix:
                plain(lib.combgpu_tsp_from_matrix, shape[0], numbers, made)
            else:
                make = lib.combgpu_tsp_from_coordinates_3d if across == 3 else lib.combgpu_tsp_from_coordinates
                plain(make, shape[0], *columns(numbers, across), chosen, made)
            for name, pairs, setter in (("before", before, lib.combgpu_tsp_set_before),
                                        ("fixed", fixed, lib.combgpu_tsp_set_fixed)):
                plain(setter, made, *_pairs(name, pairs))
            self._take(made)
        finally:
            lib.combgpu_tsp_free(plain_handle(), made)
        self._label(known if labels is None else labels)
        if not (ready is due is service is None):
            self._set(self._scalars, self._with_windows(ready, due, service))

    @classmethod
    def read(cls, path: Path, *, metric: str | None = None) -> Instance:
        """Reads a file of cities, as the command does: TSPLIB, published forms of time windows, GPX, KML, GeoJSON, JSON of routing
        services, CSV and other tables of points or distances, .npy. `combgpu tsp --help all` says how it recognises them.

        metric  how to read the file: as "earth" (latitude and longitude, km), "plane", "euc_2d"; "matrix", or for a
                service's answer "durations" or "distances"
        """
        instance = cls.__new__(cls)
        labels, instance._what = read_cities(path, metric, instance._take)
        instance._label(labels)
        return instance

    @classmethod
    def parse(cls, content: str | bytes) -> Instance:
        """Reads the text of such a file."""
        data = content.encode() if isinstance(content, str) else bytes(memoryview(content))
        return cls._made(lib.combgpu_tsp_parse, data, len(data))

    @classmethod
    def _made(cls, function: Any, *arguments: Any) -> Instance:
        instance, made = cls.__new__(cls), ffi.new("combgpu_tsp_instance *")
        plain(function, *arguments, made)
        try:
            instance._take(made)
        finally:
            lib.combgpu_tsp_free(plain_handle(), made)
        return instance

    def _label(self, labels: Labels | None) -> None:
        if labels is not None and len(labels) != self.n:
            raise InvalidArgument(f"labels are {self.n} names, one for each city, not {len(labels)}")
        self._labels: tuple[Any, ...] | None = None if labels is None else tuple(labels)

    # ---- all of it: numbers, and arrays as bytes. C's struct points to the latter

    def _take(self, c: Any) -> None:
        scalars = {name: getattr(c, name) for name in _PLAIN}
        sizes = {"before": 2 * c.before_count, "fixed": 2 * c.fixed_count, "weights": c.n * c.n}
        arrays = {name: bytes(ffi.buffer(getattr(c, name)[0: sizes.get(name, c.n)]))
                  for name in (*_DOUBLES, *_PAIRS) if getattr(c, name)}
        self._set({**scalars, "name": ffi.string(c.name)}, arrays)

    def _set(self, scalars: dict[str, Any], arrays: dict[str, bytes]) -> None:
        self._scalars, self._arrays = scalars, arrays
        self._labels = getattr(self, "_labels", None)
        self._buffers = {name: ffi.from_buffer("int[]" if name in _PAIRS else "double[]", data)
                         for name, data in arrays.items()}
        self._c = ffi.new("combgpu_tsp_instance *", {**scalars, **self._buffers})

    def with_no_connection(self, value: float) -> Instance:
        """The same cities, of a matrix, where a weight `value` means no connection."""
        if self.metric != "matrix" or "weights" not in self._arrays:
            raise InvalidArgument(f"no_connection is {value!r}, but the distances are not given by a matrix")
        return self._with_weights([float("inf") if weight == value else weight for weight in self._numbers("weights") or ()])

    def negated(self) -> Instance:
        """The same cities with negated distances: their shortest tour is the longest one here."""
        if "weights" not in self._arrays:
            raise InvalidArgument(f"maximize takes up to {lib.COMBGPU_TSP_MAX_MATRIX} cities; these are {self.n}")
        return self._with_weights([weight if weight == float("inf") else -weight for weight in self._numbers("weights") or ()])

    def _with_weights(self, weights: list[float]) -> Instance:
        rows = [weights[i: i + self.n] for i in range(0, len(weights), self.n)]
        made = Instance(rows, "matrix", before=self.before, fixed=self.fixed)
        made._set({**made._scalars, "name": self._scalars["name"]},
                  {**{name: data for name, data in self._arrays.items() if name in _WINDOWS}, **made._arrays})
        made._labels = self._labels
        return made

    def _with_windows(self, ready: Any, due: Any, service: Any) -> dict[str, bytes]:
        """The arrays with other windows; None keeps the old ones."""
        arrays = dict(self._arrays)
        for name, given, default in zip(_WINDOWS, (ready, due, service), (0.0, float("inf"), 0.0)):
            if given is not None:
                numbers, shape = array_in("double", given)
                if shape != (self.n,):
                    raise InvalidArgument(f"{name} is {self.n} numbers, one for each city, not of the shape {shape}")
                arrays[name] = bytes(ffi.buffer(numbers))
            elif name not in arrays:
                arrays[name] = bytes(ffi.buffer(ffi.new("double[]", [default] * self.n)))
        return arrays

    def with_windows(self, ready: Any = None, due: Any = None, service: Any = None) -> Instance:
        """The same cities with other time windows; None keeps the old ones."""
        return _restored(self._scalars, self._with_windows(ready, due, service), self._labels)

    def without_windows(self) -> Instance:
        """The same cities without time windows."""
        return _restored(self._scalars, {name: data for name, data in self._arrays.items() if name not in _WINDOWS},
                         self._labels)

    def __reduce__(self) -> Any:
        return _restored, (self._scalars, self._arrays, self._labels)

    def __copy__(self) -> Instance:
        return self  # it does not change

    def __deepcopy__(self, memo: Any) -> Instance:
        return self

    def __eq__(self, other: object) -> bool:
        return ((self._scalars, self._arrays, self._labels) == (other._scalars, other._arrays, other._labels)
                if isinstance(other, Instance) else NotImplemented)

    def __hash__(self) -> int:
        return hash((*self._scalars.values(), *self._arrays.values()))

    # ---- what there is

    def _numbers(self, name: str) -> list[Any] | None:
        buffer = self._buffers.get(name)
        return None if buffer is None else ffi.unpack(buffer, len(buffer))

    @property
    def name(self) -> str:
        """The name in the file; may be ""."""
        return text(self._c.name)

    @property
    def labels(self) -> tuple[Any, ...] | None:
        """The cities' names, from a graph, a frame, a file, or as given; may be None."""
        return self._labels

    @property
    def what(self) -> str:
        """What a file was read as; "" if that was unambiguous, or without a file."""
        return self._what

    @property
    def n(self) -> int:
        """How many cities there are."""
        return int(self._scalars["n"])

    def __len__(self) -> int:
        return self.n

    @property
    def metric(self) -> str:
        """How distances were made."""
        return word(METRICS, self._c.metric)

    @property
    def symmetric(self) -> bool:
        """Whether both directions are equally long."""
        return bool(self._c.symmetric)

    @property
    def points(self) -> list[tuple[float, ...]] | None:
        """The cities' coordinates; may be None."""
        axes = [axis for axis in map(self._numbers, ("x", "y", "z")) if axis]
        return list(zip(*axes)) or None

    @property
    def before(self) -> list[tuple[int, int]]:
        """The pairs (a, b) with a before b."""
        flat = self._numbers("before") or []
        return list(zip(flat[::2], flat[1::2]))

    @property
    def fixed(self) -> list[tuple[int, int]]:
        """The pairs of cities that are neighbours in every tour."""
        flat = self._numbers("fixed") or []
        return list(zip(flat[::2], flat[1::2]))

    @property
    def has_windows(self) -> bool:
        """Whether there are time windows."""
        return any(name in self._arrays for name in _WINDOWS)

    @property
    def ready(self) -> list[float] | None:
        """The earliest time when each city's service may begin; None without time windows."""
        return self._numbers("ready")

    @property
    def due(self) -> list[float] | None:
        """The latest time when each city's service may begin; None without time windows."""
        return self._numbers("due")

    @property
    def service(self) -> list[float] | None:
        """How long each city's service takes; None without time windows."""
        return self._numbers("service")

    def distance(self, a: int, b: int) -> float:
        """The distance from city a to city b."""
        a, b = whole("a", a), whole("b", b)
        if not (0 <= a < self.n and 0 <= b < self.n):
            raise InvalidArgument(f"cities are 0 to {self.n - 1}, not {a}, {b}")
        return float(lib.combgpu_tsp_weight(self._c, a, b))

    def length(self, order: Sequence[int], *, path: bool = False) -> float:
        """The length of a tour or path. It must keep `before` and `fixed`; times are ignored."""
        out = ffi.new("double *")
        plain(lib.combgpu_tsp_length, self._c, SHAPE[bool(path)], cities_in(order, self.n), out)
        return float(out[0])

    def read_tour(self, path: Path) -> list[int]:
        """Reads a TSPLIB tour file of these cities."""
        out = ffi.new("int[]", self.n)
        plain(lib.combgpu_tsp_read_tour, c_path(path), self.n, out)
        return list(out)

    def svg(self, order: Sequence[int] | None = None, *, path: bool = False) -> str:
        """An SVG picture of the points, with their labels or numbers from 0, and of the tour, if given."""
        names = [ffi.new("char[]", str(label).replace("\0", " ").encode("utf-8", "replace")) for label in self._labels or range(self.n)]
        labels = ffi.new("char *[]", names)
        tour = ffi.NULL if order is None else cities_in(order, self.n)
        drawing = ffi.new("combgpu_tsp_drawing *", {"instance": self._c, "shape": SHAPE[bool(path)], "tour": tour,
                                                    "names": ffi.cast("char **", labels)})
        return written(lib.combgpu_tsp_draw, drawing)

    def _repr_svg_(self) -> str | None:
        return self.svg() if self._c.x and self._c.y and self.n <= 5000 else None

    def __repr__(self) -> str:
        more = "".join(f", {len(pairs)} {name}" for name, pairs in (("before", self.before), ("fixed", self.fixed)) if pairs)
        return (f"Instance({self.name + ', ' if self.name else ''}{self.n} cities, {self.metric}{more}"
                f"{', time windows' if self.has_windows else ''})")


def _restored(scalars: dict[str, Any], arrays: dict[str, bytes], labels: Labels | None = None) -> Instance:
    instance = Instance.__new__(Instance)
    instance._set(scalars, arrays)
    instance._label(labels)
    return instance


def _pairs(name: str, pairs: Iterable[tuple[int, int]]) -> tuple[int, Any]:
    """How many pairs of cities, and C's array of them."""
    ends, shape = array_in("int", list(pairs))
    if shape != (0,) and (len(shape) != 2 or shape[1] != 2):
        raise InvalidArgument(f"{name} is pairs of cities, not of the shape {shape}")
    return shape[0], ends if shape[0] else ffi.NULL


def cities_in(order: Sequence[int], n: int) -> Any:
    """C's array of a tour."""
    cities, shape = array_in("int", order)
    if shape != (n,):
        raise InvalidArgument(f"a tour has {n} cities, not the shape {shape}")
    return cities


def cities_of(cities: Any, metric: str | None, no_connection: float | None, dimensions: int,
              argument: str) -> tuple[Any, tuple[int, ...], int, int]:
    """C's array of points or of a matrix (or of many, with 3 dimensions), its shape, the metric, and the number of
    coordinates of a point. Refuses ambiguous numbers.
    """
    numbers, shape = array_in("double", cities, missing=float("inf"))
    chosen = None if metric is None else enumerator(METRICS, "metric", metric)
    if chosen is None and len(shape) == dimensions and shape[-1] == shape[-2]:
        chosen = METRICS["matrix"] if no_connection is not None or _is_matrix(numbers, shape[-1], argument) else None
    elif chosen is None and no_connection is not None:
        raise InvalidArgument(f"no_connection is for a matrix of distances, not for {argument} of the shape {shape}")
    across = 3 if dimensions == 2 and chosen is not None and word(METRICS, chosen) in _WITH_Z else 2
    matrix = chosen == METRICS["matrix"]
    kind = METRICS["plane"] if chosen is None else chosen
    if len(shape) != dimensions or shape[-1] != (shape[-2] if matrix else across):
        many = "count x " if dimensions == 3 else ""
        points, table = f"{many}n x {across} points", f"{many}n x n distances"
        what = f"{points} or {table}" if metric is None else table if matrix else points
        more = "; points with z need a metric, like 'euc_3d'" if metric is None and dimensions == 2 and shape[1:] == (3,) else ""
        raise InvalidArgument(f"{argument} are {what}, not of the shape {shape}{more}")
    if not matrix:
        if no_connection is not None:
            raise InvalidArgument(f"no_connection is for a matrix of distances, not for metric {metric!r}")
        wrong = next((i for i, value in enumerate(ffi.unpack(numbers, len(numbers))) if value - value != 0), None)
        if wrong is not None:
            raise InvalidArgument(f"a coordinate of city {wrong // across % shape[-2]} is missing or not finite, {numbers[wrong]}")
    elif no_connection is not None:
        missing = array_in("double", [no_connection], missing=float("inf"))[0][0]
        changed = array("d", (float("inf") if value == missing else value for value in ffi.unpack(numbers, len(numbers))))
        numbers = ffi.from_buffer("double[]", changed)
    return numbers, shape, kind, across


def _is_matrix(numbers: Any, n: int, argument: str) -> bool:
    """Whether n x n numbers look like distances: 2 x 2 may be points, and 3 x 3 may be points with z."""
    if n not in (2, 3):
        return True
    values = ffi.unpack(numbers, len(numbers))
    if any(value - value != 0 for value in values):  # a missing connection
        return True
    tables = [values[i: i + n * n] for i in range(0, len(values), n * n)]
    empty_diagonals = all(not any(table[:: n + 1]) for table in tables)
    if n == 2 and not empty_diagonals:
        return False
    if n == 3 and empty_diagonals and all(
            [table[3 * j + i] for i in range(3) for j in range(3)] == table or sorted(table)[3] > 0 for table in tables):
        return True  # symmetric, or all distances are above 0
    points, metric = ("points", "plane") if n == 2 else ("points with z", "euc_3d")
    raise InvalidArgument(f"{argument} of {n} x {n} numbers may be distances or {points}: say metric='matrix' or metric='{metric}'")


def instance_of(cities: Any, metric: str | None, no_connection: float | None = None) -> Instance:
    """The argument of a search for tours: an instance, a file, points or a matrix."""
    if not isinstance(cities, (Instance, str, os.PathLike)):
        return Instance(cities, metric, no_connection=no_connection)
    if metric is not None and isinstance(cities, Instance):
        raise InvalidArgument(f"metric is {metric!r}, but the instance has its own")
    instance = cities if isinstance(cities, Instance) else Instance.read(cities, metric=metric)
    return instance if no_connection is None else instance.with_no_connection(no_connection)


def untimed(cities: Any, metric: str | None, no_connection: float | None, search: str) -> Instance:
    """The same for a search that ignores time windows."""
    instance = instance_of(cities, metric, no_connection)
    if instance.has_windows:
        raise InvalidArgument(f"the instance has time windows, which {search}() ignores: use tsp_windows(), or "
                              "Instance.without_windows()")
    return instance
