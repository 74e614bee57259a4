"""Converts between Python's and C's values: enumerators as words, texts, and arrays with or without NumPy."""

from __future__ import annotations

import numbers
import operator
import os
import sys
import threading
import unicodedata
from array import array
from collections.abc import Iterator, Set
from decimal import Decimal
from math import prod
from typing import Any, Callable, Sequence

from ._combgpu import ffi, lib
from ._errors import InvalidArgument, check, text

try:
    import numpy
except ImportError:
    numpy = None  # type: ignore[assignment]

# C's type, NumPy's name of it, and the letter of `array` and `memoryview`
_LETTERS = {"uint8_t": ("uint8", "B"), "int": ("int32", "i"), "int64_t": ("int64", "q"), "uint64_t": ("uint64", "Q"),
            "double": ("float64", "d"), "bool": ("bool", "?")}


def enumerators(kind: str, prefix: str) -> dict[str, int]:
    """The words for an enum of the header, without the prefix that its names share: {"normal": 0, ...}."""
    names = ffi.typeof(kind).relements
    ordered = sorted((value, name) for name, value in names.items() if not name.endswith("_COUNT"))
    return {name[len(prefix):].lower(): value for value, name in ordered}


def enumerator(words: dict[str, int], argument: str, word: str) -> int:
    """The value of a word."""
    try:
        return words[word.lower().replace("-", "_").replace(" ", "_")]
    except (KeyError, AttributeError):
        raise InvalidArgument(f"{argument} is {word!r}: it may be {', '.join(words)}") from None


def word(words: dict[str, int], value: int) -> str:
    """The word for a value."""
    return next(name for name, number in words.items() if number == value)


def whole(argument: str, value: Any) -> int:
    """Any integer as Python's, since NumPy's overflow. Refuses other numbers, whose fraction C would drop. A bool stays."""
    try:
        return value if isinstance(value, bool) else operator.index(value)
    except TypeError:
        raise TypeError(f"{argument} is {value!r}; it is an integer") from None


def most(argument: str, value: Any) -> Any:
    """A limit for C, where 0 means none; refuses 0."""
    if value is None:
        return 0
    number = whole(argument, value)
    if number < 1:
        raise InvalidArgument(f"{argument} is {number}; it may be 1 or more, or None for all")
    return number


# ---- functions without a search: their context just carries the message

_local = threading.local()


def plain_handle() -> Any:
    """This thread's context for them, on one CPU thread."""
    handle = getattr(_local, "handle", None)
    if handle is None:
        desc = ffi.new("combgpu_context_desc *", {"backend": lib.COMBGPU_BACKEND_CPU, "threads": 1})
        out = ffi.new("combgpu_context **")
        check(lib.combgpu_open(out, desc), out[0])
        handle = _local.handle = ffi.gc(out[0], lib.combgpu_close)
    return handle


def plain(function: Callable[..., int], *arguments: Any) -> int:
    """Calls function(ctx, ...) and raises its errors."""
    handle = plain_handle()
    try:
        return check(function(handle, *arguments), handle)
    except OverflowError as error:
        raise InvalidArgument(f"a number is out of range: {error}") from None


def c_path(path: Any) -> Any:
    """C's string of a file's name."""
    name = os.fsencode(path)
    if b"\0" in name:
        raise InvalidArgument(f"a file's name has no NUL: {path!r}")
    return ffi.new("char[]", name)


def one_line(argument: str, name: Any) -> Any:
    """C's string of a name in a text; may be NULL."""
    if name is None:
        return ffi.NULL
    if not isinstance(name, str):
        raise TypeError(f"{argument} is a string, not {type(name).__name__}")
    if any(unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") for c in name):
        raise InvalidArgument(f"{argument} is one line without control characters, not {name!r}")
    return name.encode()


def written(function: Callable[..., int], *arguments: Any) -> str:
    """The text written by a function of the form (ctx, ..., text, bytes, needed)."""
    needed = ffi.new("size_t *")
    plain(function, *arguments, ffi.NULL, 0, needed)
    room = ffi.new("char[]", needed[0])
    plain(function, *arguments, room, needed[0], needed)
    return text(room)


# ---- arrays in


def _flat(values: Any) -> tuple[list[Any], tuple[int, ...]]:
    """The numbers of nested sequences in one list, and their shape."""
    if hasattr(values, "tolist"):  # array, memoryview
        values = values.tolist()
    if not isinstance(values, Sequence) or isinstance(values, (str, bytes)):
        if hasattr(values, "__iter__") and not isinstance(values, (str, bytes)):
            values = list(values)
        else:
            return [values], ()
    parts = [_flat(value) for value in values]
    if any(shape != parts[0][1] for _, shape in parts):
        raise InvalidArgument("the rows of an array have different lengths")
    return [number for part, _ in parts for number in part], (len(parts), *(parts[0][1] if parts else ()))


def array_in(ctype: str, values: Any, missing: float | None = None) -> tuple[Any, tuple[int, ...]]:
    """A C array of a NumPy array, nested sequences, an `array` or a `memoryview`; and its shape.

    It keeps each number exactly, or refuses it: text, dates, complex numbers, None, 1.5 or 2**40 for an int, 2**53 + 1
    for a double. `missing` replaces None and masked numbers.
    """
    name, letter = _LETTERS[ctype]
    if isinstance(values, (Iterator, Set)):
        values = list(values)
    if missing is not None:
        try:
            return array_in(ctype, values)
        except InvalidArgument as error:
            try:
                return array_in(ctype, _filled(values, missing))
            except InvalidArgument:
                raise error from None
    if numpy is not None:
        try:
            exact = _exact(numpy.asarray(values), values, name)
        except (TypeError, ValueError, OverflowError) as error:
            raise InvalidArgument(f"an array does not hold valid numbers: {error}") from None
        return ffi.from_buffer(f"{ctype}[]", numpy.ascontiguousarray(exact)), exact.shape
    flat, shape = _flat(values)
    try:
        return ffi.from_buffer(f"{ctype}[]", array(letter, _numbers(flat, letter))), shape
    except TypeError as error:
        raise InvalidArgument(f"an array holds something that is not a number: {error}") from None
    except (ValueError, OverflowError) as error:
        raise InvalidArgument(f"an array holds a number that does not fit: {error}") from None


def _filled(values: Any, missing: float) -> Any:
    """Nested sequences or an array, with missing numbers filled in."""
    if numpy is not None and not isinstance(values, (list, tuple)) and hasattr(values, "__array__"):
        if numpy.ma.is_masked(values):  # of integers, too
            values = numpy.where(numpy.ma.getmaskarray(values), missing, values.data)
        values = numpy.asarray(values)
        return values if values.dtype.kind != "O" else _filled(values.tolist(), missing)
    if isinstance(values, (list, tuple)):
        return [_filled(value, missing) for value in values]
    return missing if values is None or type(values).__name__ in ("NAType", "MaskedConstant") else values


def buffer_in(values: Any) -> Any:
    """C's view of bytes or of an array of any type, in this machine's order of bytes."""
    if numpy is not None and isinstance(values, (numpy.ndarray, numpy.generic)):
        if values.dtype.hasobject:
            raise InvalidArgument("C cannot read an array of Python objects: give it a type, like int32")
        values = numpy.ascontiguousarray(values, values.dtype.newbyteorder("="))
    # not of a memoryview: up to Python 3.12 the garbage collector must not meet one in use
    return ffi.from_buffer(values.tobytes() if isinstance(values, memoryview) else values)


def columns(points: Any, across: int = 2) -> list[Any]:
    """C arrays x and y (and z) of an array of points x, y, x, y, ..."""
    both = array("d", bytes(ffi.buffer(points)))
    return [ffi.from_buffer("double[]", both[j::across]) for j in range(across)]


def _exact(values: Any, given: Any, name: str) -> Any:
    """A NumPy array converted to another type, if no number changes."""
    if _is_masked(given):
        raise ValueError("some are masked")
    if values.dtype == name:
        return values
    kind = values.dtype.kind
    if kind not in "biufO":
        raise TypeError(f"its type is {values.dtype}")
    if kind == "O" or name == "float64" and kind in "iu" and ((values > 2**53) | (values < -2**53)).any():
        letter = next(letter for dtype, letter in _LETTERS.values() if dtype == name)
        return numpy.array(_numbers(values.ravel().tolist(), letter), name).reshape(values.shape)
    with numpy.errstate(invalid="ignore", over="ignore"):
        converted = values.astype(name)
    if name != "float64" and not (converted == values).all():
        raise ValueError(f"some are not of type {name}")
    return converted


def _is_masked(values: Any) -> bool:
    """Whether numbers are masked, also in lists of masked arrays, which numpy.asarray would unmask."""
    if isinstance(values, numpy.ma.MaskedArray):
        return bool(numpy.ma.is_masked(values))
    return isinstance(values, (list, tuple)) and any(
        map(_is_masked, (part for part in values if isinstance(part, (list, tuple, numpy.ma.MaskedArray)))))


def _numbers(values: list[Any], letter: str) -> list[Any]:
    """Python's numbers for an `array` of that letter: each the same number, or an error."""
    kind = float if letter == "d" else int
    return [value if type(value) is kind else _number(value, kind) for value in values]


def _number(value: Any, kind: type) -> Any:
    """One number of whatever type as an int or a float."""
    if not isinstance(value, (numbers.Real, Decimal)):
        if not hasattr(value, "__index__"):
            raise TypeError(f"{value!r} is of the type {type(value).__name__}")
        value = operator.index(value) if kind is int else value
    converted = kind(value)
    # a double is the nearest to fractions and decimals
    if (kind is int or isinstance(value, numbers.Integral)) and converted != value:
        raise ValueError(f"{value!r} is not {'a double' if kind is float else 'an integer'}")
    return converted


# ---- arrays out


def new_array(ctype: str, shape: tuple[int, ...]) -> tuple[Any, Any]:
    """A new array, of NumPy if installed, else a memoryview of that shape; and C's view of it."""
    name, letter = _LETTERS[ctype]
    if numpy is not None:
        made: Any = numpy.zeros(shape, name)
        return made, ffi.from_buffer(f"{ctype}[]", made)
    memory = bytearray(prod(shape) * ffi.sizeof(ctype))  # what C gets a view of: see buffer_in
    made = memoryview(memory).cast(letter, list(shape)) if memory else memoryview(memory)
    return made, ffi.from_buffer(f"{ctype}[]", memory)


def vector(ctype: str, values: Sequence[Any]) -> Any:
    """A list of numbers as a NumPy array, or an `array`."""
    name, letter = _LETTERS[ctype]
    return numpy.array(values, name) if numpy is not None else array(letter, values)


def as_numpy(values: Any, name: str, dtype: Any) -> Any:
    """For __array__, which only NumPy calls."""
    return sys.modules["numpy"].array(values, dtype or name)


def u128(value: Any) -> int:
    """A combgpu_u128 as an int."""
    return int(value.hi) << 64 | int(value.lo)
