"""The shortest tour, or the one that ends first, that visits each city in its time window."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ._combgpu import ffi
from ._convert import vector
from ._instance import Instance, instance_of
from ._result import RunInfo, State, made
from ._route import Route, set_shape
from ._run import Job, RunOptions

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._context import Context


@dataclass(frozen=True, repr=False, eq=False)
class Schedule(Route):
    """A tour with its times: a sequence of cities. If `feasible` is False it is empty: no tour keeps the windows; a complete
    search proves that.
    """

    feasible: bool
    order: Any  #: the cities in the order of the visits
    times: Any  #: when the service of the city at the same position begins
    length: float  #: the sum of the distances, without waiting and service; infinite if not feasible
    end: float  #: when it ends: a cycle back at city 0, a path's last service done; infinite if not feasible
    tolerance: float  #: length and end may exceed the least by this much; 0: exact
    earliest_end: bool  #: it is the one that ends first, not the shortest
    path: bool  #: an open path, not a cycle
    instance: Instance
    run: RunInfo
    state: State | None = field(default=None)

    def __repr__(self) -> str:
        known = (f"{len(self)} cities, length {self.length:.10g}, end {self.end:.10g}" if self.feasible
                 else "no tour keeps the windows" if self.complete else "nothing found yet")
        return f"Schedule({known}; {self.run})"


def tsp_windows(context: Context, cities: Any, *, metric: str | None = None, no_connection: float | None = None,
                ready: Any = None, due: Any = None, service: Any = None, earliest_end: bool = False, path: bool = False, start: int | None = None,
                end: int | None = None, **run: Unpack[RunOptions]) -> Schedule:
    """Finds the shortest tour that keeps time windows, of up to 128 cities, and proves it. Distances are times, too.

    cities        as for tsp(); a file or an Instance may have windows of its own
    ready, due    each city's service begins when the tour arrives, or at ready[city] if that is later, but not after
                  due[city]. None: those of the instance, or no limit
    service       its duration; then the tour continues
    earliest_end  the tour that ends first instead of the shortest

    A cycle leaves city 0 at ready[0] + service[0] and is back by due[0]. path, start and end are as for tsp(); a path
    with a free start begins at time 0.

    >>> found = combgpu.tsp_windows([(0, 0), (3, 0), (3, 4), (0, 4)], due=[99, 99, 5, 99])
    >>> found.order.tolist(), found.times.tolist(), found.length
    ([0, 2, 3, 1], [0.0, 5.0, 8.0, 13.0], 16.0)
    """
    instance = instance_of(cities, metric, no_connection)
    if not (ready is due is service is None):
        instance = instance.with_windows(ready, due, service)
    desc = ffi.new("combgpu_tsp_windows_desc *")
    desc.instance, desc.earliest_end = instance._c, bool(earliest_end)
    path = set_shape(path, start, end, desc)

    def result(c: Any, state: State | None) -> Schedule:
        n = instance.n if c.feasible else 0
        return made(Schedule, c, order=vector("int", list(c.tour[0:n])), times=vector("double", list(c.start[0:n])),
                    length=c.length if n else float("inf"), end=c.end if n else float("inf"),
                    earliest_end=bool(earliest_end), path=path, instance=instance, state=state)

    return Job(context, "tsp_windows", desc, run, result).run()
