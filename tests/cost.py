#!/usr/bin/env python3
"""What a build costs: user seconds, also as a multiple of compiling four public headers (stb_image, stb_image_write,
stb_truetype, stb_vorbis of Debian's libstb-dev) with the same compiler and level in the same run; peak memory; code.
usage: tests/cost.py            the table of `make cost`
       tests/cost.py --check    two rows, with limits: exit status 1 if one is passed"""
import os
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
YARDSTICK = """#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_TRUETYPE_IMPLEMENTATION
#include <stb/stb_image.h>
#include <stb/stb_image_write.h>
#include <stb/stb_truetype.h>
#include <stb/stb_vorbis.h>
"""
WHOLE = '#define COMBGPU_IMPLEMENTATION\n#include "%s/combgpu.h"\n' % ROOT

# compiler, level, what: "" is the whole implementation, else options, a search, or a program of examples/
ROWS = [("gcc", "-O3", what) for what in ("first_call.c", "queens.c", "batch.c")]
ROWS += [(compiler, level, what) for compiler in ("gcc", "clang") for level in ("-O3", "-O2")
         for what in ("", "TSP", "MAGIC", "NO3", "PERM")]
# Multiples of the yardstick, with half to spare on a busy machine, and KB of code, with a tenth: what is above needs a reason.
LIMITS = {("gcc", "-O3", ""): (4.0, 930), ("gcc", "-O3", "first_call.c"): (1.0, 240)}


def compile_once(folder, compiler, level, source, options=()):
    """User seconds, MB at most, KB of code and data."""
    path, made = os.path.join(folder, "a.c"), os.path.join(folder, "a.o")
    with open(path, "w") as file:
        file.write(source)
    process = subprocess.Popen([compiler, "-std=c99", level, "-w", *options, "-c", path, "-o", made])
    _, status, used = os.wait4(process.pid, 0)
    if status:
        sys.exit("%s %s fails" % (compiler, level))
    sizes = subprocess.run(["size", made], stdout=subprocess.PIPE, text=True, check=True).stdout.split("\n")[1].split()
    return used.ru_utime, used.ru_maxrss / 1024, int(sizes[0]) // 1024


def source_of(what):
    if what.endswith(".c"):
        return open(os.path.join(ROOT, "examples", what)).read().replace('"../', '"%s/' % ROOT), []
    return WHOLE, ["-DCOMBGPU_ONLY_" + what] if what else []


def main():
    rows, status, yardsticks = list(LIMITS) if "--check" in sys.argv else ROWS, 0, {}
    print("%-6s %-4s %-14s %8s %8s %8s %8s" % ("", "", "", "seconds", "multiple", "peak MB", "code KB"))
    with tempfile.TemporaryDirectory() as folder:
        for compiler, level, what in rows:
            if not shutil.which(compiler):
                continue
            if (compiler, level) not in yardsticks:
                yard = compile_once(folder, compiler, level, YARDSTICK)
                yardsticks[compiler, level] = yard[0]
                print("%-6s %-4s %-14s %8.1f %8.2f %8.0f %8d" % ((compiler, level, "four of stb", yard[0], 1) + yard[1:]))
            source, options = source_of(what)
            seconds, memory, code = compile_once(folder, compiler, level, source, options)
            multiple = seconds / yardsticks[compiler, level]
            print("%-6s %-4s %-14s %8.1f %8.2f %8.0f %8d" % (compiler, level, what or "whole", seconds, multiple, memory, code),
                  flush=True)
            if "--check" in sys.argv and (multiple > LIMITS[compiler, level, what][0] or code > LIMITS[compiler, level, what][1]):
                print("above the limits: %s times the yardstick, %s KB" % LIMITS[compiler, level, what])
                status = 1
    return status


if not os.path.exists("/usr/include/stb/stb_image.h"):
    print("1..0 # SKIP no libstb-dev")
    sys.exit(0)
sys.exit(main())
