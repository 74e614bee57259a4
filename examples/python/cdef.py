"""Makes cffi's declarations and glue from combgpu.h, so that no struct, enum or function is typed twice.

usage: cdef.py COMBGPU_H PREPROCESSED OUTPUT       PREPROCESSED is what a compiler's -E makes of #include "combgpu.h"
"""

import re
import sys
from pathlib import Path

# The library's callbacks: Python functions of these names (combgpu/_run.py, combgpu/_context.py).
CALLBACKS = """
extern "Python" int combgpu_py_progress(const combgpu_progress *progress, void *user);
extern "Python" void combgpu_py_log(combgpu_log_level level, const char *message, void *user);
"""

END = """
combgpu_status combgpu_py_{0}_end(combgpu_py_job *held, combgpu_{0}_result *result)
{{
    combgpu_job *job = held->job;
    held->job = NULL;
    held->has_result = 1;
    return held->ended = combgpu_{0}_end(job, result);
}}
"""


def with_ends(header: str, glue: str) -> str:
    """The C code of glue.c with a function for the end of each search."""
    searches = re.findall(r"^COMBGPU_API combgpu_status combgpu_(\w+)_end\(combgpu_job \*", header, re.M)
    return "".join([glue, *(END.format(search) for search in searches)])


def lines_of(preprocessed: str, name: str) -> str:
    """The lines that came from the file NAME, by the preprocessor's line markers."""
    kept, inside = [], False
    for line in preprocessed.splitlines():
        marker = re.match(r'#\s*(?:line\s+)?\d+\s+"(.*?)"', line)
        if marker:
            inside = re.split(r"[/\\]", marker[1])[-1] == name
        elif inside and not line.startswith("#"):
            kept.append(line)
    return "\n".join(kept)


def without_functions(text: str) -> str:
    """Leaves out static functions that the header defines."""
    while True:
        begin = re.search(r"\bstatic\b[^;{]*\{", text)
        if not begin:
            return text
        depth, end = 1, begin.end()
        while depth:
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        text = text[: begin.start()] + text[end:]


def declared(code: str) -> str:
    """Declarations of what C code defines."""
    code = re.sub(r"/\*.*?\*/", "", without_functions(code), flags=re.S)
    return re.sub(r"^\{.*?^\}", ";", code, flags=re.S | re.M)


def declarations(header: str, preprocessed: str, glue: str) -> str:
    """cffi's cdef, from the header's text, its preprocessed form, and the glue's code."""
    text = without_functions(lines_of(preprocessed, "combgpu.h"))
    text = re.sub(r"__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)|__declspec\s*\([^()]*\)", "", text)
    numbers = re.findall(r"^#define (COMBGPU_[A-Z][A-Z0-9_]*)\s+(?:\d+|UINT64_C\(\d+\))\s*(?:/\*.*)?$", header, re.M)
    return "\n".join([f"#define {name} ..." for name in numbers] + [text, CALLBACKS, declared(glue)])


def write_glue(header: str, preprocessed: str, path: Path) -> None:
    """Writes the C code of the module combgpu._combgpu, but for the implementation and read.c."""
    import cffi

    ffi = cffi.FFI()
    glue = with_ends(header, (Path(__file__).parent / "glue.c").read_text(encoding="utf-8"))
    ffi.cdef(declarations(header, preprocessed, glue))
    includes = ['"combgpu.h"', '"qap_bound.h"', '"search.h"', "<stdlib.h>", "<string.h>"]
    ffi.set_source("combgpu._combgpu", "".join(f"#include {name}\n" for name in includes) + glue)
    ffi.emit_c_code(str(path))


if __name__ == "__main__":
    write_glue(*(Path(path).read_text(encoding="utf-8") for path in sys.argv[1:3]), Path(sys.argv[3]))
