"""Lines and branches of the library that a build's tests ran: the sum over all its programs, room by room.

usage: coverage.py FOLDER [FLOOR [ROOM]]   FOLDER: programs built by gcc --coverage, after they ran
Exit status 1: fewer lines than FLOOR per cent. With a room, its lines that did not run are printed, too.
Kernels are not counted: OpenCL compiles them at run time.
"""

import json
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SOURCES = ("combgpu.h", "combgpu_cl.c")


def homes(name):
    """The file of src/ that each line comes from, by the banners that src/amalgamate leaves."""
    home, out = "", [""]
    for line in open(os.path.join(ROOT, name)):
        banner = re.match(r"/\* -+ src/(\S+) \*/", line)
        home = banner.group(1) if banner else home
        out.append(home)
    return out


def collect(folder):
    """Whether each line, and each way out of a branch, has been taken in any program."""
    lines, branches = {}, {}
    for path, _, names in os.walk(folder):
        for name in names:
            if not name.endswith(".gcda"):
                continue
            made = subprocess.run(["gcov", "--json-format", "--stdout", "--branch-probabilities", name], cwd=path,
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)  # fmt: skip
            for document in made.stdout.splitlines():
                for file in json.loads(document)["files"]:
                    source = os.path.basename(file["file"])
                    if source not in SOURCES:
                        continue
                    for line in file["lines"]:
                        place = (source, line["line_number"])
                        lines[place] = lines.get(place, False) or line["count"] > 0
                        for i, branch in enumerate(line["branches"]):
                            way = place + (line.get("function_name", ""), i)
                            branches[way] = branches.get(way, False) or branch["count"] > 0
    return lines, branches


def main():
    floor = float(sys.argv[2]) if len(sys.argv) > 2 else 0
    shown = sys.argv[3] if len(sys.argv) > 3 else None
    lines, branches = collect(sys.argv[1])
    home = {name: homes(name) for name in SOURCES}
    rooms, missing = {}, []
    for kind, found in enumerate((lines, branches)):
        for key, taken in found.items():
            file = home[key[0]][key[1]]
            for room in (file.split("/")[0], "all"):
                sums = rooms.setdefault(room, [0, 0, 0, 0])
                sums[2 * kind] += taken
                sums[2 * kind + 1] += 1
            if not kind and not taken and shown == file.split("/")[0]:
                missing.append((key[0], key[1], file))
    for source, number, file in sorted(missing):
        text = open(os.path.join(ROOT, source)).readlines()[number - 1]
        print(f"{source}:{number} {file}: {text.strip()}")
    if not rooms:
        print("no program here has left counts")
        return 1
    for room in sorted(rooms, key=lambda name: (name == "all", name)):
        ran, count, ways, all_ways = rooms[room]
        print(f"{room:8} {ran:6} of {count:6} lines, {100 * ran / count:5.1f} %; "
              f"{ways:6} of {all_ways:6} branches, {100 * ways / max(all_ways, 1):5.1f} %")  # fmt: skip
    ran, count = rooms["all"][:2]
    return 1 if 100 * ran < floor * count else 0


sys.exit(main())
