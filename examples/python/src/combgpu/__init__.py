"""Exact combinatorial search on CPU, CUDA and OpenCL: magic squares, no-three-in-line, permutations, shortest tours.

>>> import combgpu
>>> combgpu.magic(4).count
7040
>>> combgpu.no3(10).up_to_symmetry
156
>>> combgpu.tsp([(0, 0), (3, 4), (3, 0), (0, 4)]).order.tolist()
[0, 2, 1, 3]
>>> combgpu.permutations(20).index(range(20))
0

These functions use the best available device; for another one call them as methods of combgpu.Context(backend="opencl").
All take the options of a run (combgpu.RunOptions): progress, time_limit, checkpoint, resume and others. Ctrl-C raises
combgpu.Interrupted, which can resume the search. Failures raise combgpu.Error, whose message gives the reason.
"""

from ._combgpu import lib as _lib
from ._errors import (BadFile, DeviceError, DeviceOutOfMemory, Error, FileError, InvalidArgument, NoDevice, OutOfMemory,
                      Unsupported, WrongJob, WrongResult)
from ._errors import text as _text
from ._result import RunInfo, State
from ._run import Interrupted, Progress, RunOptions, Solutions
from ._visitor import include_folder, signatures
from ._context import Context, Device, default_context, devices
from ._context import of_default as _of_default
from ._magic import MagicCount, MagicEstimate, MagicReport, MagicSquare
from ._no3 import Board, BoardCount, BoardReport
from ._perm import Permutations, Score
from ._search import Assignment, Searcher, SearchScore
from ._batch import TourBatch
from ._instance import Instance
from ._read import read_batch, write_batch
from ._files import read
from ._tours import TourList
from ._tsp import Tour
from ._windows import Schedule

__version__ = _text(_lib.combgpu_version())

magic = _of_default(Context.magic)
magic_squares = _of_default(Context.magic_squares)
magic_list = _of_default(Context.magic_list)
magic_estimate = _of_default(Context.magic_estimate)
no3 = _of_default(Context.no3)
no3_boards = _of_default(Context.no3_boards)
permutations = _of_default(Context.permutations)
perm_search = _of_default(Context.perm_search)
perm_search_hits = _of_default(Context.perm_search_hits)
qap = _of_default(Context.qap)
tsp = _of_default(Context.tsp)
tsp_tours = _of_default(Context.tsp_tours)
tsp_windows = _of_default(Context.tsp_windows)
tsp_batch = _of_default(Context.tsp_batch)

__all__ = [
    "magic", "magic_squares", "magic_list", "magic_estimate", "no3", "no3_boards", "permutations", "perm_search",
    "perm_search_hits", "qap", "tsp",
    "tsp_tours", "tsp_windows", "tsp_batch",
    "read", "read_batch", "write_batch",
    "Context", "Device", "devices", "default_context", "include_folder",
    "MagicSquare", "MagicReport", "MagicCount", "MagicEstimate", "Board", "BoardReport", "BoardCount", "Permutations",
    "Score", "Searcher", "SearchScore", "Assignment", "signatures", "Instance", "Tour", "TourList", "Schedule", "TourBatch", "Solutions", "State", "Progress",
    "RunInfo", "RunOptions", "Interrupted", "Error", "InvalidArgument", "OutOfMemory", "DeviceOutOfMemory", "NoDevice", "DeviceError", "FileError",
    "BadFile", "WrongJob", "Unsupported", "WrongResult",
]
