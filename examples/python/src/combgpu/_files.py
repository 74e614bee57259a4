"""combgpu.read: reads every file that the command reads."""

from __future__ import annotations

from typing import Any

from ._errors import InvalidArgument
from ._instance import Instance
from ._magic import MagicSquare
from ._no3 import Board, _of_words
from ._read import read_words
from ._run import Path


def _squares(words: list[int]) -> list[MagicSquare]:
    order, numbers = words[0], [word - (word >> 63 << 64) for word in words[1:]]
    rows = [numbers[i: i + order] for i in range(0, len(numbers), order)]
    return [MagicSquare(rows[i: i + order]) for i in range(0, len(rows), order)]


def _boards(words: list[int]) -> list[Board]:
    boards, at = [], 0
    while at < len(words):
        n = words[at]
        size = n if n <= 64 else 2 * n
        boards.append(Board.of_masks(n, _of_words(n, words[at + 1: at + 1 + size])))
        at += 1 + size
    return boards


def _rows(words: list[int]) -> list[tuple[int, ...]]:
    rows, at = [], 0
    while at < len(words):
        rows.append(tuple(word - (word >> 63 << 64) for word in words[at + 1: at + 1 + words[at]]))
        at += 1 + words[at]
    return rows


def _qap(words: list[int]) -> tuple[list[list[int]], list[list[int]]]:
    n, numbers = words[0], [word - (word >> 63 << 64) for word in words[1:]]
    rows = [numbers[i: i + n] for i in range(0, len(numbers), n)]
    return rows[:n], rows[n:]


_KINDS = {"squares": _squares, "boards": _boards, "permutations": _rows, "qap": _qap}


def read(path: Path, what: str = "cities", *, metric: str | None = None) -> Any:
    """Reads a file, as the command does.

    what    "cities": an Instance (see Instance.read); "squares": a list of MagicSquares; "boards": a list of Boards, from
            RLE, Flammenkamp's code, drawings or columns; "permutations": a list of tuples, or tours, with the file's
            numbers; "qap": (flows, distances) of a QAPLIB file, for qap(). Lists may be text, CSV, JSON or .npy
    metric  of cities: how to read the file
    """
    if what == "cities":
        return Instance.read(path, metric=metric)
    if metric is not None:
        raise InvalidArgument(f"metric is {metric!r}, but {what} have none")
    if what not in _KINDS:
        raise InvalidArgument(f"what is {what!r}: it may be cities, {', '.join(_KINDS)}")
    return _KINDS[what](read_words(what[0] if what != "permutations" else "r", path))
