"""Reads cities from files, as the command does, from NetworkX graphs and pandas frames; and tours to learn from."""

from __future__ import annotations

import os
import re
import threading
from array import array
from typing import Any, Callable, Iterable, Iterator, Sequence

from ._combgpu import ffi, lib
from ._convert import array_in, c_path, enumerator, new_array, plain_handle, whole
from ._errors import BadFile, Error, InvalidArgument, raised, text

READ_METRICS = {"earth": 1, "plane": 2, "euc_2d": 3, "matrix": 4, "durations": 5, "distances": 6}  # of --metric
Labels = Sequence[Any]
_lock = threading.Lock()  # the command reads one file at a time


def read_cities(path: Any, metric: str | None, take: Callable[[Any], None]) -> tuple[list[str] | None, str]:
    """Reads a file and calls take(C's instance); returns the cities' names and what the file was read as."""
    chosen = 0 if metric is None else enumerator(READ_METRICS, "metric", metric)
    made, message, name = ffi.new("combgpu_tsp_instance *"), ffi.new("char[]", 800), c_path(path)
    with _lock:
        try:
            status = lib.combgpu_py_read(plain_handle(), name, chosen, made, message, 800)
            if status < 0:
                raise _refused(status, path, text(message))
            take(made)
            names = [lib.combgpu_py_read_name(i) for i in range(made.n)]
            labels = [text(name) for name in names] if made.n and names[0] else None
            if labels == [str(i + 1) for i in range(made.n)]:  # the reader's, of cities without names
                labels = None
            notes = [text(lib.combgpu_py_read_what()), text(lib.combgpu_py_read_why())]
        finally:
            lib.combgpu_tsp_free(plain_handle(), made)
            lib.combgpu_py_read_end()
    return labels, "; ".join(filter(None, notes))


def _refused(status: int, path: Any, message: str) -> Error:
    """Translates the command's message for Python."""
    sentence = message.strip().replace("--check ", "")
    sentence = re.sub(r"--metric (\w+) or (\w+)", r"metric='\1' or '\2'", sentence)
    sentence = re.sub(r"--metric (\w+)", r"metric='\1'", sentence)
    name = os.fsdecode(path)
    return raised(status, sentence if name[:100] in sentence else f"{name}: {sentence}")


def read_words(kind: str, path: Any) -> list[int]:
    """The numbers of a list: see combgpu_py_read_list in read.c."""
    words, count, message = ffi.new("const uint64_t **"), ffi.new("size_t *"), ffi.new("char[]", 800)
    name = c_path(path)
    with _lock:
        try:
            status = lib.combgpu_py_read_list(plain_handle(), kind.encode(), name, words, count, message, 800)
            if status < 0:
                raise _refused(status, path, text(message))
            return [int(word) for word in ffi.unpack(words[0], count[0])]
        finally:
            lib.combgpu_py_read_end()


# ---- graphs and frames


def labelled(cities: Any, metric: str | None) -> tuple[Any, str | None, list[Any] | None]:
    """The numbers, the metric and the labels of cities; plain numbers have no labels."""
    if hasattr(cities, "is_directed") and hasattr(cities, "adjacency"):
        return (*_of_graph(cities, metric), list(cities))
    if hasattr(cities, "columns") and hasattr(cities, "index") and hasattr(cities, "iloc"):
        return _of_frame(cities, metric)
    return cities, metric, None


def _of_graph(graph: Any, metric: str | None) -> tuple[Any, str]:
    """A matrix of the edges' "weight" (1 by default), the least of parallel edges; elsewhere no connection."""
    if metric not in (None, "matrix"):
        raise InvalidArgument(f"metric is {metric!r}, but a graph's edges have weights of their own")
    place = {node: i for i, node in enumerate(graph)}
    rows = [[float("inf")] * len(place) for _ in place]
    for node, neighbours in graph.adjacency():
        row = rows[place[node]]
        for other, edges in neighbours.items():
            for edge in edges.values() if graph.is_multigraph() else [edges]:
                weight, to = edge.get("weight", 1), place[other]
                if weight is not None and weight < row[to]:
                    row[to] = weight
    return rows, "matrix"


_AXES = (("earth", ("lat", "latitude"), ("lon", "lng", "long", "longitude")), ("plane", ("x",), ("y",)))
_NAMES = ("name", "label", "city", "title", "id")


def _of_frame(frame: Any, metric: str | None) -> tuple[Any, str | None, list[Any]]:
    """Distances if rows and columns have the same labels, else points in columns lat and lon, or x and y."""
    index, columns = list(frame.index), list(frame.columns)
    if index == columns or metric == "matrix":
        return frame.to_numpy(), "matrix", index
    words = {str(column).strip().lower(): column for column in reversed(columns)}
    for kind, *axes in _AXES:
        found = [next((words[word] for word in axis if word in words), None) for axis in axes]
        if None in found:
            continue
        if kind == "plane" and metric == "earth":  # x is east
            found.reverse()
        name = next((words[word] for word in _NAMES if word in words and words[word] not in found), None)
        labels = index if name is None or type(frame.index).__name__ != "RangeIndex" else list(frame[name])
        return frame[found].to_numpy(), metric or kind, labels
    raise InvalidArgument("a frame has columns lat and lon, or x and y, or the same labels for rows and columns; it has the columns "
                          + ", ".join(map(str, columns[:8])))


# ---- files of tours to learn from: lines "x y x y ... output 1 7 ... 1"


def read_batch(path: Any) -> Iterator[tuple[Any, Any]]:
    """Reads a training file for networks that learn tours: lines "x y x y ... output 1 7 ... 1", cities counted from 1, the
    tour closed. Returns (points, order) for each line: an n x 2 array, and the cities from 0, or None without output.

    >>> points, orders = zip(*combgpu.read_batch("tsp50.txt"))             # doctest: +SKIP
    >>> combgpu.tsp_batch(points).lengths                                  # doctest: +SKIP
    """
    with open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if line.strip():
                yield _instance_of_line(line, f"{os.fspath(path)}, line {number}")


def _instance_of_line(line: str, where: str) -> tuple[Any, Any]:
    before, found, behind = line.partition("output")
    try:
        numbers = array("d", map(float, before.split()))
        tour = [int(word) for word in behind.split()]
    except ValueError as error:
        raise BadFile(f"{where}: {error}") from None
    n = len(numbers) // 2
    if len(numbers) % 2 or not n or any(value - value for value in numbers):
        raise BadFile(f"{where}: there are {len(numbers)} coordinates; they are pairs of finite numbers x y")
    points, view = new_array("double", (n, 2))
    view[0: 2 * n] = numbers.tolist()
    if not found:
        return points, None
    order, room = new_array("int", (n,))
    closed = tour[:-1] if len(tour) == n + 1 and tour[0] == tour[-1] else tour
    if sorted(closed) != list(range(1, n + 1)):
        raise BadFile(f"{where}: the tour does not visit each city from 1 to {n} once")
    room[0:n] = [city - 1 for city in closed]
    return points, order


def write_batch(path: Any, instances: Iterable[Any], tours: Iterable[Sequence[int]]) -> int:
    """Writes such a file: points (n x 2 per instance) and tours, cities from 0. Reading it gives exactly the same numbers.
    Returns the number of lines.

    >>> points = numpy.random.random((1000, 20, 2))                        # doctest: +SKIP
    >>> combgpu.write_batch("tsp20.txt", points, combgpu.tsp_batch(points).tours)    # doctest: +SKIP
    1000
    """
    count = 0
    instances, tours = iter(instances), iter(tours)
    with open(path, "w", encoding="utf-8") as to:
        for points in instances:
            numbers, shape = array_in("double", points)
            if len(shape) != 2 or shape[1] != 2:
                raise InvalidArgument(f"instance {count} is n x 2 points, not of the shape {shape}")
            try:
                order = [whole("a city", city) + 1 for city in next(tours)]
            except StopIteration:
                raise InvalidArgument(f"only {count} instances have tours") from None
            if sorted(order) != list(range(1, shape[0] + 1)):
                raise InvalidArgument(f"tour {count} does not visit each city from 0 to {shape[0] - 1} once")
            words = [repr(value) for value in ffi.unpack(numbers, len(numbers))]
            to.write(" ".join([*words, "output", *map(str, order), str(order[0])]) + "\n")
            count += 1
    if next(tours, None) is not None:
        raise InvalidArgument(f"there are more tours than the {count} instances")
    return count
