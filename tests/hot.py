#!/usr/bin/env python3
"""Which files of src/ are hot, by the call graph: a solver, a pass of threads, or what takes a solver's records
reaches one of their functions. All others must be compiled for size: they stand between COMBGPU__COLD_BEGIN and
COMBGPU__COLD_END in the spine (src/combgpu.h, src/combgpu_cl.c). Says which do not, and which should not. Hot files
may be WARM: measurements decide that.
usage: tests/hot.py [--list]      exit status 1 if the spines do not agree"""
import os
import re
import sys

os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "src"))

# What runs long though no solver calls it: a caller's own loops.
ROOTS = re.compile(r"combgpu_perm_\w*rank\w*$|combgpu_perm_(next|previous)\w*$")

NAME = re.compile(r"\b(?:combgpu_\w+|COMBGPU__\w+)")
DEFINITION = re.compile(r"^(?!#|typedef|struct|enum|extern)[A-Za-z_][^;={}]*?\b(combgpu_\w+)\((?:[^;{}]|\n)*?\)\s*\n\{", re.M)
MACRO = re.compile(r"^ *# *define +(COMBGPU__\w+)((?:.*\\\n)*.*)", re.M)
# functions that a macro makes; the entry points of a search are cold
MADE = re.compile(r"^(COMBGPU__(?!SEARCH_CALLS|(?:MAGIC_)?WANTS)[A-Z0-9_]+)\([^;{}]*?\)$", re.M)


def spine(path):
    """The C files that a spine includes, with whether they are marked cold."""
    cold = False
    for line in open(path):
        if line.startswith("COMBGPU__"):
            cold = line.startswith("COMBGPU__COLD_BEGIN")
        match = re.match(r'#include "((?:[a-z0-9_]+/)+)([a-z0-9_]+\.(?:c|h|cu))"', line)
        if match and match.group(1) == "each/":
            for room in re.findall(r"^SEARCH\((\w+)", open("searches.h").read(), re.M):
                if os.path.exists(room + "/" + match.group(2)):
                    yield from spine(room + "/" + match.group(2))
        elif match:
            yield "".join(match.groups()), cold


def bare(text):
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:[^"\\\n]|\\.)*"', " ", text, flags=re.S)


def main():
    files = [f for path in ("combgpu.h", "combgpu_cl.c") for f in spine(path)]
    home, body, roots, within = {}, {}, set(), {}
    for file, _ in files:
        text = bare(open(file).read())
        for match in MACRO.finditer(text):
            body.setdefault(match.group(1), set()).update(NAME.findall(match.group(2)))
        text = MACRO.sub("", text)
        for match in DEFINITION.finditer(text):
            end = text.find("\n}", match.end())
            name = match.group(1)
            home.setdefault(name, set()).add(file)
            body.setdefault(name, set()).update(NAME.findall(text[match.start():end]))
            before = text[:match.start(1)]
            if before.rfind("COMBGPU__COLD_BEGIN") > before.rfind("COMBGPU__COLD_END"):
                within[name] = file
            if ROOTS.match(name) or re.search(r"\(combgpu__worker \*\w+\)", match.group(0)):
                roots.add(name)
        for match in MADE.finditer(text):  # functions that a macro makes: their names may be pasted
            name = file + ":" + match.group(1)
            home.setdefault(name, set()).add(file)
            body[name] = set(NAME.findall(match.group(0)))
            roots.add(name)
        for match in re.finditer(r"\bcombgpu__loop\(([^;]*?)\);|\b(?:solve|record) =([^;]*);", text):
            roots.update(NAME.findall(match.group(1) or match.group(2)))
    roots -= {"combgpu__loop"}
    via, todo = {}, []
    for name in sorted(roots):
        if name in body:
            via[name] = None
            todo.append(name)
    while todo:
        name = todo.pop()
        for other in body[name]:
            if other in body and other not in via:
                via[other] = name
                todo.append(other)
    hot = {f: n for n in via for f in home.get(n, ())}
    status = 0

    def says(what, name):
        path = []
        while name:
            path.append(name)
            name = via[name]
        print("src/%s, and hot: %s" % (what, " <- ".join(path)))
        return 1

    for name in sorted(set(within) & set(via)):
        status = says("%s: %s is marked cold" % (within[name], name), name)
    for file, cold in files:
        if not file.endswith(".c"):
            continue
        if "--list" in sys.argv:
            print("hot " if file in hot else "cold", file, hot.get(file, ""))
        elif cold and file in hot:
            status = says(file + " is marked cold", hot[file])
        elif not cold and file not in hot:
            print("src/%s is cold: put it between COMBGPU__COLD_BEGIN and _END" % file)
            status = 1
    return status


sys.exit(main())
