"""Shortest tours of many instances in one call."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from ._combgpu import ffi
from ._convert import columns, new_array
from ._errors import InvalidArgument
from ._instance import METRICS, cities_of
from ._result import Result, RunInfo, State, made
from ._route import set_shape
from ._run import Job, RunOptions, resumed_state

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._context import Context


_COMMON_OPTIONS = "time_limit", "progress", "progress_interval", "slice_ms", "verify"


@dataclass(frozen=True, repr=False, eq=False)
class TourBatch(Result):
    """Shortest tours of many instances, each proven or with a proven lower bound."""

    lengths: Any  #: of each tour; -1 = not known yet, infinite = no tour exists
    tours: Any  #: of the shape (instances, cities)
    lower_bounds: Any  #: of each; its tour's length if proven, -1 = not known yet
    states: Any  #: of each: 1 = proven, 2 = ended at its limit, 3 = proven that no tour exists, 0 = not known yet
    nodes: Any  #: of each search tree of 16 cities or more, but those that a GPU searches; 0 = the root proved the tour
    solved: int  #: instances whose tour is proven
    bounded: int  #: instances that ended at their limit
    path: bool
    run: RunInfo
    state: State | None = field(default=None)
    common: Any = None  #: with common=True: of the shape of `tours`, whether every shortest tour has the leg to the next city
    unique: Any = None  #: likewise, of each instance: whether it is proven that its tour is the only shortest one

    def __len__(self) -> int:
        return len(self.lengths)

    def __repr__(self) -> str:
        return f"TourBatch({len(self):,} instances of {self.tours.shape[1]} cities; {self.run})"


def tsp_batch(context: Context, instances: Any, *, metric: str | None = None, no_connection: float | None = None,
              path: bool = False, start: int | None = None, end: int | None = None, instance_steps: int = 0,
              instance_seconds: float = 0.0, seed: int = 0, common: bool = False, **run: Unpack[RunOptions]) -> TourBatch:
    """Shortest tours of many instances of up to 256 cities, side by side.

    instances         an array of the shape (count, n, 2) of points, or (count, n, n) of distances
    instance_steps    of 16 cities or more: an instance ends after so many steps (1-trees) with a tour and a lower bound;
                      0 = no limit
    instance_seconds  the same in seconds
    common            True: a second search tells which legs all shortest tours of an instance share, and whether there is
                      only one; it takes about as long. What it does not find within a limit, or of instances that are
                      not proven, is False. Entries without a leg, as a path's last, are True

    The other arguments are those of tsp(). To continue, pass a result or its state as resume=: a checkpoint file has no
    tours. A shard has -1 for the lengths of the others.
    """
    numbers, shape, chosen, _ = cities_of(instances, metric, no_connection, 3, "instances")
    count, n, _ = shape
    desc = ffi.new("combgpu_tsp_batch_desc *")
    desc.count, desc.n = count, n
    desc.instance_steps, desc.instance_seconds, desc.seed = instance_steps, instance_seconds, seed
    keep: list[Any] = [numbers]
    if chosen == METRICS["matrix"]:
        desc.weights = numbers
    else:
        desc.x, desc.y = keep[1:] = columns(numbers)
        desc.metric = chosen
    path = set_shape(path, start, end, desc)
    before = resumed_state(run)
    if run.get("resume") is True:
        raise InvalidArgument("a checkpoint file has no tours, so a resumed batch would lack those found before: "
                              "pass the result, resume=result, or its pickled state")
    lengths, desc.lengths = new_array("double", (count,))
    tours, desc.tours = new_array("uint8_t", (count, n))
    lower_bounds, desc.lower_bounds = new_array("double", (count,))
    states, desc.states = new_array("uint8_t", (count,))
    nodes, desc.nodes = new_array("uint64_t", (count,))
    for array in desc.lengths, desc.lower_bounds:  # what a shard or a merge does not write
        array[0:count] = [-1.0] * count
    arrays = lengths, tours, lower_bounds, states, nodes
    has_tours = before is not None and _put(arrays, before.extra)  # a resumed run adds to what was written

    def result(c: Any, state: State | None) -> TourBatch:
        return made(TourBatch, c, lengths=lengths, tours=tours, lower_bounds=lower_bounds, states=states, nodes=nodes,
                    path=path, state=state)

    job = Job(context, "tsp_batch", desc, run, result, extra=lambda: [bytes(array) for array in arrays])
    if before and not has_tours:  # the library would have found another job
        job.cancel()
        raise InvalidArgument("the state to resume has no tours: it is not from a result of tsp_batch()")
    solved = job.run()
    return _with_common(context, solved, desc, run) if common else solved


def _with_common(context: Context, solved: TourBatch, batch: Any, run: RunOptions) -> TourBatch:
    """Adds what the shortest tours have in common."""
    n = solved.tours.shape[1]
    desc = ffi.new("combgpu_tsp_common_desc *", {"batch": batch})
    legs = ffi.new("uint8_t[]", batch.count * n)
    desc.common = legs
    options: Any = {name: value for name, value in run.items() if name in _COMMON_OPTIONS}
    Job(context, "tsp_common", desc, options, lambda c, state: None).run()
    known = bytes(ffi.buffer(legs)).replace(b"\2", b"\0")
    common, to = new_array("bool", solved.tours.shape)
    unique, one = new_array("bool", (len(solved),))
    ffi.memmove(to, known, len(known))
    ffi.memmove(one, bytes(all(known[at:at + n]) for at in range(0, len(known), n)), len(solved))
    return replace(solved, common=common, unique=unique)


def _put(arrays: Any, written_before: Any) -> bool:
    """Fills the arrays from a State; returns whether it fits."""
    if not isinstance(written_before, list) or [len(bytes(array)) for array in arrays] != [
            len(data) if isinstance(data, bytes) else -1 for data in written_before]:
        return False
    for array, data in zip(arrays, written_before):
        if data:
            memoryview(array).cast("B")[:] = data
    return True
