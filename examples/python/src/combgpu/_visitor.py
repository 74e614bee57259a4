"""Functions in C on permutations, compiled when they are used: the library's COMBGPU_PERM_VISITOR makes all their forms."""

from __future__ import annotations

import ctypes
import functools
import hashlib
import os
import shlex
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from ._combgpu import ffi
from ._errors import Error


def include_folder() -> str:
    """The folder of combgpu.h, for programs in C."""
    here = Path(__file__).resolve().parent
    for folder in (here / "include", here.parents[3]):  # installed; in the repository
        if (folder / "combgpu.h").exists():
            return str(folder)
    raise Error("combgpu.h is not there: the package was not installed as a whole")


@functools.lru_cache(maxsize=None)
def compiled(body: str) -> Any:
    """A combgpu_perm_visitor of a function's body, which is compiled by the program CC with CFLAGS."""
    name = f"python_{hashlib.sha256(body.encode()).hexdigest()[:16]}"  # by which a checkpoint knows the function
    program = (f'#include "combgpu.h"\nCOMBGPU_PERM_VISITOR({name}, {{ {body}\n}})\n'
               'const combgpu_perm_visitor *combgpu_python_visitor(void);\n'
               f'const combgpu_perm_visitor *combgpu_python_visitor(void) {{ return &{name}; }}\n')
    with tempfile.TemporaryDirectory() as folder:
        source, library = Path(folder) / "function.c", Path(folder) / "function.so"
        source.write_text(program)
        command = [*shlex.split(os.environ.get("CC", "cc")), "-O3", "-shared", "-fPIC", f"-I{include_folder()}",
                   *shlex.split(os.environ.get("CFLAGS", "")), str(source), "-o", str(library)]
        try:
            done = subprocess.run(command, capture_output=True, text=True)
        except OSError as error:
            raise Error(f"a function on permutations needs a C compiler: {command[0]}: {error.strerror}") from None
        if done.returncode:
            raise Error(f"the function does not compile:\n{done.stderr}")
        get = ctypes.CDLL(str(library)).combgpu_python_visitor  # stays loaded
    get.restype = ctypes.c_void_p
    return ffi.cast("combgpu_perm_visitor *", get())
