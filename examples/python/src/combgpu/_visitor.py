"""The caller's own functions: C texts, compiled on use, or addresses of existing functions."""

from __future__ import annotations

import ctypes
import functools
import hashlib
import os
import re
import shlex
import subprocess
import tempfile
import weakref
from pathlib import Path
from typing import Any, Mapping

from ._combgpu import ffi
from ._errors import Error, InvalidArgument

#: Signatures of functions for numba.cfunc: @numba.cfunc(combgpu.signatures["visitor"])
signatures = {
    "visitor": "int64(CPointer(uint8), int32, CPointer(uint8))",
    "begin": "void(int32, int32, CPointer(uint8), CPointer(uint64))",
    "allowed": "uint64(CPointer(uint8), int32, int32, int32, CPointer(uint8), CPointer(uint64))",
    "step": "int32(CPointer(uint8), int32, int32, int32, int32, CPointer(uint8), CPointer(uint64))",
    "bound": "int64(CPointer(uint8), int32, int32, int32, int32, CPointer(uint8), CPointer(uint64), int64)",
    "leaf": "int64(CPointer(uint8), int32, int32, CPointer(uint8), CPointer(uint64))",
}

_ERROR = re.compile(r"^(?:.*[/\\])?([^/\\:]+):(\d+):(?:(\d+):)? (?:fatal )?error: (.*)$", re.M)
_TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|[()\[\]{}]', re.S)


def include_folder() -> str:
    """The folder of combgpu.h, for programs in C."""
    here = Path(__file__).resolve().parent
    for folder in (here / "include", here.parents[3]):  # installed; in the repository
        if (folder / "combgpu.h").exists():
            return str(folder)
    raise Error("combgpu.h is missing: the package is not completely installed")


# ---- texts in C


@functools.lru_cache(maxsize=None)
def compiled(body: str) -> Any:
    """A combgpu_perm_visitor of a function's body, compiled by CC with CFLAGS."""
    name = f"python_{hashlib.sha256(body.encode()).hexdigest()[:16]}"  # identifies the function in a checkpoint
    return ffi.cast("combgpu_perm_visitor *", _loaded("VISITOR", "visitor", name, {"function": body}))


@functools.lru_cache(maxsize=None)
def compiled_search(parts: tuple[tuple[str, str], ...]) -> Any:
    """A combgpu_perm_searcher of the bodies of its parts."""
    name = f"python_{hashlib.sha256(repr(parts).encode()).hexdigest()[:16]}"
    return ffi.cast("combgpu_perm_searcher *", _loaded("SEARCH", "searcher", name, dict(parts)))


def _loaded(macro: str, kind: str, name: str, texts: Mapping[str, str]) -> int:
    """The address of what COMBGPU_PERM_<macro> makes from the texts, in a library that stays loaded."""
    lines, first = ['#include "combgpu.h"', f"COMBGPU_PERM_{macro}({name}"], {}
    for part, body in texts.items():
        if re.search(r"^\s*#", body, re.M):
            raise InvalidArgument(f"{part} has a line that begins with #, which C texts cannot have")
        _check_brackets(part, body)
        lines += [f", {part if part != 'function' else ''}" + ("({" if part != "function" else "{")]
        first[part] = len(lines) + 1
        lines += [*body.split("\n"), "})" if part != "function" else "}"]
    lines += [")", f"const combgpu_perm_{kind} *combgpu_python(void);",
              f"const combgpu_perm_{kind} *combgpu_python(void) {{ return &{name}; }}", ""]
    with tempfile.TemporaryDirectory() as folder:
        source, library = Path(folder) / "function.c", Path(folder) / "function.so"
        source.write_text("\n".join(lines), encoding="utf-8")
        command = [*shlex.split(os.environ.get("CC", "cc")), "-O3", "-shared", "-fPIC", f"-I{include_folder()}",
                   "-Werror=implicit-function-declaration", *shlex.split(os.environ.get("CFLAGS", "")), str(source),
                   "-o", str(library)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"})
        except OSError as error:
            raise Error(f"a function on permutations needs a C compiler: {command[0]}: {error.strerror}") from None
        if done.returncode:
            raise Error(_own_lines(done.stderr, texts, first))
        get = ctypes.CDLL(str(library)).combgpu_python
    get.restype = ctypes.c_void_p
    return int(get())


def _check_brackets(part: str, body: str) -> None:
    """An unmatched bracket would end the macro around the text, with cryptic errors of the compiler."""
    opened: list[tuple[str, int]] = []
    for token in _TOKEN.finditer(body):
        bracket, line = token[0], body.count("\n", 0, token.start()) + 1
        if bracket in "([{":
            opened.append((bracket, line))
        elif bracket in ")]}" and (not opened or opened.pop()[0] + bracket not in ("()", "[]", "{}")):
            raise Error(f"{part}, line {line}: '{bracket}' closes nothing\n    {body.splitlines()[line - 1]}")
    if opened:
        raise Error(f"{part}, line {opened[-1][1]}: '{opened[-1][0]}' is not closed\n    {body.splitlines()[opened[-1][1] - 1]}")


def _own_lines(errors: str, texts: Mapping[str, str], first: Mapping[str, int]) -> str:
    """Maps a compiler's messages to lines of the caller's texts."""
    said: dict[str, None] = {}
    found = _ERROR.findall(errors)
    for file, line, column, message in found:
        for part, body in texts.items():
            own, rows = int(line) - first[part], body.split("\n")
            if file == "function.c" and 0 <= own < len(rows):
                row = rows[own].expandtabs(1)
                mark = f"\n    {' ' * (int(column) - 1)}^" if column and int(column) <= len(row) + 1 else ""
                said[f"{part}, line {own + 1}: {message}\n    {row}{mark}"] = None
    if not said:  # of the whole
        said = dict.fromkeys(f"{', '.join(texts)}: {message}" for *_, message in found) or {errors: None}
    return "the text in C does not compile\n" + "\n".join(list(said)[:3])


# ---- addresses


def address_of(function: Any) -> int | None:
    """The address of a function of numba.cfunc, ctypes or cffi; None for anything else."""
    if isinstance(function, ctypes._CFuncPtr):  # type: ignore[attr-defined]
        return ctypes.cast(function, ctypes.c_void_p).value
    if isinstance(getattr(function, "address", None), int) and hasattr(function, "native_name"):  # numba's
        return int(function.address)
    if isinstance(function, ffi.CData) and "(*)(" in str(ffi.typeof(function)):
        return int(ffi.cast("uintptr_t", function))
    return None


def name_of(function: Any) -> str:
    """The identity of a compiled function in checkpoints."""
    return str(getattr(function, "__name__", None) or getattr(function, "__qualname__", None) or "function")


def visitor(function: Any) -> Any:
    """A combgpu_perm_visitor of a C text or a function."""
    if isinstance(function, str):
        return compiled(function)
    address = address_of(function)
    if address is None:
        raise TypeError("a function is the text of its body in C, or one of numba.cfunc, ctypes or cffi, not of the type "
                        f"{type(function).__name__}")
    if not address:
        raise InvalidArgument("the function's address is NULL")
    name = ffi.new("char[]", name_of(function).encode()[:60])
    made = ffi.new("combgpu_perm_visitor *", {"name": name})
    made.cpu = ffi.cast(ffi.typeof(made.cpu), address)
    _kept[made] = name, function
    return made


_kept: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()  # what a visitor points to
