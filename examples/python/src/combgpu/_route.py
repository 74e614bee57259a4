"""The base of all tours."""

from __future__ import annotations

from typing import Any, Iterator

from ._combgpu import lib
from ._convert import as_numpy, one_line, written
from ._errors import InvalidArgument
from ._instance import SHAPE, Instance, cities_in
from ._result import Result

_ENDS = {(False, False): lib.COMBGPU_TSP_FREE_ENDS, (True, False): lib.COMBGPU_TSP_FIXED_START,
         (False, True): lib.COMBGPU_TSP_FIXED_END, (True, True): lib.COMBGPU_TSP_FIXED_ENDS}


class Route(Result):
    """A sequence of cities. A notebook draws it if the cities have coordinates."""

    order: Any
    path: bool
    instance: Instance

    def __len__(self) -> int:
        return len(self.order)

    def __iter__(self) -> Iterator[int]:
        return iter(self.order.tolist())

    def __getitem__(self, index: Any) -> Any:
        return self.order[index]

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return as_numpy(self.order, "int32", dtype)

    @property
    def labels(self) -> list[Any]:
        """The cities' names, or else numbers, in the order of the visits."""
        labels = self.instance.labels
        return [city if labels is None else labels[city] for city in self]

    def svg(self) -> str:
        """An SVG picture."""
        return self.instance.svg(self.order, path=self.path)

    def _repr_svg_(self) -> str | None:
        return self.svg() if len(self) and self.instance._repr_svg_() else None

    def tsplib(self, name: str | None = None) -> str:
        """A TSPLIB tour file's text."""
        return written(lib.combgpu_tsp_write_tour, one_line("name", name), len(self),
                       cities_in(self.order, len(self)))


def set_shape(path: bool, start: int | None, end: int | None, desc: Any) -> bool:
    """Sets shape and ends; a given end makes it a path."""
    path = bool(path) or start is not None or end is not None
    desc.shape = SHAPE[path]
    desc.path_ends = _ENDS[start is not None, end is not None]
    desc.path_start, desc.path_end = start or 0, end or 0
    if min(start or 0, end or 0) < 0:
        raise InvalidArgument(f"start and end are cities, 0 or more, not {start}, {end}")
    return path
