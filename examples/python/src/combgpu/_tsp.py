"""Travelling salesman: a proven shortest tour of points, a matrix or a TSPLIB file."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Sequence

from ._combgpu import ffi
from ._convert import enumerator, enumerators, vector, word
from ._errors import InvalidArgument
from ._instance import Instance, cities_in, untimed
from ._result import RunInfo, State, made
from ._route import Route, set_shape
from ._run import Job, RunOptions

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._context import Context

METHODS = enumerators("combgpu_tsp_method", "COMBGPU_TSP_")


@dataclass(frozen=True, repr=False, eq=False)
class Tour(Route):
    """A tour: a sequence of cities. A notebook draws it if the cities have coordinates. If `feasible` is False it is empty,
    because cities are not connected; `optimal` then proves that no tour exists.
    """

    feasible: bool
    order: Any  #: the cities in the order of the visits, 0 .. n-1
    length: float  #: infinite if not feasible
    lower_bound: float  #: proven; equal to length when optimal. Of a longest tour: no tour is longer
    optimal: bool
    tolerance: float  #: branch and bound may miss a tour shorter by at most this; 0: none
    path: bool  #: an open path, not a cycle
    method: str
    instance: Instance
    run: RunInfo
    state: State | None = field(default=None)

    @property
    def gap(self) -> float:
        """The relative distance of the length from the bound; 0 when optimal."""
        if self.optimal or self.length == self.lower_bound:
            return 0.0
        return abs(self.length - self.lower_bound) / abs(self.lower_bound) if self.lower_bound else float("inf")

    def __repr__(self) -> str:
        proof = "optimal" if self.optimal else f"at most {100 * self.gap:.2g} % {self._worse}"
        known = f"{len(self)} cities, length {self.length:.10g}, {proof}"
        if not self.feasible:
            known = "no tour: cities are not connected" if self.optimal else "nothing found yet"
        return f"Tour({known}, {self.method}; {self.run})"

    @property
    def _worse(self) -> str:
        return "too long" if self.length >= self.lower_bound else "too short"


def tsp(context: Context, cities: Any, *, metric: str | None = None, no_connection: float | None = None,
        maximize: bool = False, path: bool = False, start: int | None = None, end: int | None = None, method: str = "auto",
        tour: Sequence[int] | None = None, seed: int = 0, kicks: int = 0, **run: Unpack[RunOptions]) -> Tour:
    """Finds a shortest tour and proves it. It keeps precedence and fixed edges of an Instance or a file; for time windows
    use tsp_windows(), for the k shortest tours tsp_tours().

    cities      n x 2 points, an n x n matrix, an Instance, or the path of a TSPLIB file
    metric, no_connection  see Instance
    maximize    the longest tour instead
    path        an open path instead of a tour; with start and end, cities where it begins and ends
    method      "auto", "brute_force", "held_karp", "branch_and_bound" or "heuristic", which takes any number of cities
    tour        a first tour
    seed        for branch and bound's first tours, and the heuristic
    kicks       random changes that the heuristic tries; 0 = 100 n, or with a time_limit as many as that allows

    >>> combgpu.tsp([(0, 0), (3, 0), (3, 4), (0, 4)]).length
    14.0
    """
    instance = untimed(cities, metric, no_connection, "tsp")
    desc = ffi.new("combgpu_tsp_desc *")
    searched, sign = (instance.negated(), -1) if maximize else (instance, 1)
    desc.instance, desc.method, desc.seed = searched._c, enumerator(METHODS, "method", method), seed
    desc.kicks = kicks
    path = set_shape(path, start, end, desc)
    best = desc.tour = ffi.new("int[]", instance.n)
    begun_with = None if tour is None else cities_in(tour, instance.n)
    if begun_with is not None:
        if sorted(begun_with) != list(range(instance.n)):  # not every method checks it
            raise InvalidArgument(f"tour must have each city from 0 to {instance.n - 1} once")
        desc.start = begun_with

    def result(c: Any, state: State | None) -> Tour:
        n = c.n if c.feasible else 0
        length, bound = (value if value == float("inf") else sign * value for value in (c.length, c.lower_bound))
        return made(Tour, c, order=vector("int", ffi.unpack(best, n)), length=length, lower_bound=bound, path=path,
                    method=word(METHODS, c.method), instance=instance, state=state)

    job = Job(context, "tsp", desc, run, result)
    job.keep += [searched]
    return job.run()
