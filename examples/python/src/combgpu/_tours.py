"""The k shortest tours, and the number of shortest ones."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Iterator

from ._combgpu import ffi
from ._convert import new_array
from ._instance import Instance, untimed
from ._result import Result, RunInfo, State, made
from ._route import set_shape
from ._run import Job, RunOptions

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._context import Context


@dataclass(frozen=True, repr=False, eq=False)
class TourList(Result):
    """The shortest tours, the shortest first: a sequence of lists of cities; lengths[i] belongs to the i-th."""

    lengths: Any
    tours: Any  #: an array of the shape (tours, cities), of bytes
    length: float  #: of the shortest; infinite if no tour connects the cities
    optima: int  #: how many tours have that length, listed or not
    tolerance: float  #: lengths that differ by at most this may count as equal; 0: exact
    path: bool
    instance: Instance
    run: RunInfo
    state: State | None = field(default=None)

    def __len__(self) -> int:
        return len(self.lengths)

    def __iter__(self) -> Iterator[list[int]]:
        return iter(self.tours.tolist())

    def __getitem__(self, index: Any) -> Any:
        return self.tours.tolist()[index]

    def __repr__(self) -> str:
        return (f"TourList({len(self):,} tours of {self.instance.n} cities, length {self.length:.10g}, "
                f"{self.optima:,} shortest; {self.run})")


def tsp_tours(context: Context, cities: Any, count: int = 10, *, metric: str | None = None,
              no_connection: float | None = None, path: bool = False, start: int | None = None, end: int | None = None,
              **run: Unpack[RunOptions]) -> TourList:
    """Lists the `count` (0 to 2000) shortest tours of up to 15 cities, and counts those of the least length.

    Equally long ones come in lexicographic order; if a tour and its reverse are equally long, only one is listed. The
    other arguments are those of tsp(). Precedence is kept; fixed edges and time windows are refused.

    >>> combgpu.tsp_tours([(0, 0), (3, 0), (3, 4), (0, 4)], 2).lengths.tolist()
    [14.0, 16.0]
    """
    instance = untimed(cities, metric, no_connection, "tsp_tours")
    desc = ffi.new("combgpu_tsp_tours_desc *")
    desc.instance, desc.count = instance._c, count
    path = set_shape(path, start, end, desc)
    room = min(max(count, 0), 2000)  # the library checks count
    lengths, desc.lengths = new_array("double", (room,))
    tours, desc.tours = new_array("uint8_t", (room, instance.n))

    def result(c: Any, state: State | None) -> TourList:
        return made(TourList, c, lengths=lengths[: c.count], tours=tours[: c.count] if c.count else tours[:0], path=path,
                    instance=instance, state=state)

    return Job(context, "tsp_tours", desc, run, result).run()
