"""Makes cffi's declarations from combgpu.h: no struct, enum or function is typed a second time."""

import re

# What the library calls back; Python functions of these names take it (combgpu/_run.py).
CALLBACKS = """
extern "Python" int combgpu_py_progress(const combgpu_progress *progress, void *user);
extern "Python" int combgpu_py_square(const int *square, int order, void *user);
extern "Python" int combgpu_py_board(const uint64_t *rows, int n, combgpu_no3_class symmetry, void *user);
extern "Python" int combgpu_py_hit(uint64_t rank, const uint8_t *perms, uint64_t count, int n, void *user);
extern "Python" void combgpu_py_log(combgpu_log_level level, const char *message, void *user);
"""


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


def declarations(header: str, preprocessed: str) -> str:
    """cffi's cdef, from the header's text and from what the C preprocessor makes of it."""
    text = without_functions(lines_of(preprocessed, "combgpu.h"))
    text = re.sub(r"__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)|__declspec\s*\([^()]*\)", "", text)
    numbers = re.findall(r"^#define (COMBGPU_[A-Z][A-Z0-9_]*)\s+(?:\d+|UINT64_C\(\d+\))\s*(?:/\*.*)?$", header, re.M)
    return "\n".join([f"#define {name} ..." for name in numbers] + [text, CALLBACKS])
