"""Do the tests bite? Plants each fault of tests/mutants/table.txt into a copy of the sources, builds, and
runs the tests of its room until one fails.

usage: mutants.py [ROOM [FIRST [LAST]]]    a room of the table, or all; numbers from 1
       mutants.py --each K                 the K-th fault of every room, from 1
       mutants.py --check                  only whether the table still fits the sources, in a second
Prints a line for each fault: caught (by which test, which passes without the fault), survived, or the reason
why nothing is known. The last line is the sum. Exit status 0: some were planted, and all were caught but those
of tests/mutants/survivors.txt.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
KNOWN = os.path.join(ROOT, "tests/mutants/survivors.txt")
LIMIT = int(os.environ.get("TEST_TIMEOUT", "300"))
# The tests of a room, quick ones first; those of the whole library for base, engine and backend. Small
# cases, but for code that only devices use: there with OpenCL, and in full.
WHOLE = ["test_base", "test_checkpoint", "test_merge", "test_api", "test_verify", "test_paths", "test_engine",
         "test_devices", "test_io_faults", "test_estimate", "test_clock", "test_tsp", "test_contract"]  # fmt: skip
TESTS = {
    "base": WHOLE,
    "engine": WHOLE,
    "backend": ["test_api", "test_backend", "test_devices", "test_perm_device", "test_perm_write"] + WHOLE[1:5],
    "no3": ["test_no3_counts", "test_no3", "test_no3_given"],
    "no3+opencl": ["test_no3_classes"],
    "magic": ["test_magic_forms", "test_magic_numbers", "test_magic", "test_magic_estimate", "test_magic_list",
              "test_magic_six", "test_magic_linear"],
    "perm": ["test_perm", "test_perm_visit", "test_perm_write"],
    "tsp": ["test_tsp", "test_tsp_batch", "test_tsp_bnb", "test_tsp_windows", "test_tsp_large"],
    "tsp+opencl": ["test_tsp_tours", "test_tsp_batch_large"],
}  # fmt: skip
COMPILE = ["gcc", "-std=c99", "-O1", "-w", "-pthread"]


def table():
    out, room, file, find = [], None, None, None
    for line in open(os.path.join(ROOT, "tests/mutants/table.txt")):
        line = line.rstrip("\n")
        if line.startswith("- "):
            find = line[2:]
        elif line.startswith("+"):
            out.append((room, file, find, line[2:]))
        elif line and not line.startswith("#"):
            room, file = line.split()
    return out


def stale():
    """What of the table and of survivors.txt does not fit the sources: a line for each."""
    out = []
    for room, file, find, put in table():
        path = os.path.join(ROOT, file)
        text = open(path).read() if os.path.exists(path) else ""
        if room not in TESTS or find not in text or find == put:
            out.append(f"{room} {file}: {find}")
    names = [name(mutant) for mutant in table()]
    return out + [line for line in open(KNOWN).read().splitlines() if line.startswith("src/") and line not in names]


def name(mutant):
    return f"{mutant[1]}: {mutant[2].strip()} -> {mutant[3].strip() or 'nothing'}"


def sources(folder):
    for part in ("src", "tests"):
        shutil.copytree(os.path.join(ROOT, part), os.path.join(folder, part))
    os.makedirs(os.path.join(folder, "examples"), exist_ok=True)
    amalgamate(folder)


def amalgamate(folder):
    subprocess.run(["src/amalgamate"], cwd=folder, check=True, stdout=subprocess.DEVNULL)


def is_own(folder, test):
    return "#define TEST_OWN_IMPLEMENTATION" in open(f"{folder}/tests/{test}.c").read()


def fails(folder, test, environment):
    """Runs a test until its first failure. Returns whether it failed."""
    run = subprocess.Popen(["timeout", "-k", "2", str(LIMIT), f"{folder}/{test}"], cwd=folder, env=environment,
                           stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, errors="replace",
                           start_new_session=True)  # fmt: skip
    plan = False
    try:
        for line in run.stdout:
            if line.startswith("not ok"):
                return True
            plan = plan or line.startswith("1..")
        return run.wait() != 0 or not plan
    finally:
        if run.poll() is None:  # the whole group: timeout alone may end before it knows its child
            os.killpg(run.pid, signal.SIGKILL)
            run.wait()


def first_failure(folder, room, tests, objects, environment):
    """Builds the library and the tests, one by one. Returns the first that fails, or None, and what gcc said."""
    part, _, opencl = room.partition("+")
    options = [] if part in ("base", "engine", "backend") else [f"-DCOMBGPU_ONLY_{part.upper()}"]
    options += ["-DCOMBGPU_OPENCL"] if opencl else []
    own = environment if opencl else dict(environment, COMBGPU_TEST_SMALL="1")
    libraries = ["-lm"] + (["-lOpenCL"] if opencl else [])
    amalgamate(folder)
    made = subprocess.run(COMPILE + options + ["-c", "tests/inside.c", "-o", "inside.o"], cwd=folder,
                          stderr=subprocess.PIPE, text=True)  # fmt: skip
    if made.returncode:
        return None, made.stderr.splitlines()[0]
    for test in tests:
        if not os.path.exists(f"{folder}/tests/{test}.c"):
            continue
        if is_own(folder, test):
            parts = options + [f"tests/{test}.c"]
        else:
            if test not in objects:
                objects[test] = f"{folder}/objects/{test}.o"
                subprocess.run(COMPILE + options + ["-DCOMBGPU__IMPLEMENTED", "-c", f"tests/{test}.c", "-o",
                               objects[test]], cwd=folder, check=True)  # fmt: skip
            parts = [objects[test], "inside.o"]
        subprocess.run(COMPILE + parts + ["-o", test] + libraries, cwd=folder, check=True)
        if fails(folder, test, own):
            return test, None
    return None, None


def attempt(folder, mutant, objects, environment, sound):
    """Plants a fault; says what came of it. `sound` gets the tests, with their rooms, that pass without one."""
    room, file, find, put = mutant
    path = os.path.join(folder, file)
    text = open(path).read()
    if find not in text:
        return "not there any more"
    try:
        open(path, "w").write(text.replace(find, put, 1))
        test, reason = first_failure(folder, room, TESTS[room], objects, environment)
    finally:
        open(path, "w").write(text)
    if reason:
        return "does not compile: " + reason
    if not test:
        return "SURVIVED"
    if (room, test) not in sound and first_failure(folder, room, [test], objects, environment) != (None, None):
        return f"unknown, {test} fails without the fault, too"
    sound.add((room, test))
    return "caught by " + test


def main():
    room = sys.argv[1] if len(sys.argv) > 1 else "all"
    if room == "--check":
        wrong = stale()
        print("\n".join(["not in the sources any more:"] + wrong if wrong else ["the table fits the sources"]))
        return 1 if wrong else 0
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    last = int(sys.argv[3]) if len(sys.argv) > 3 else 10**6
    if room not in ("all", "--each", *TESTS):
        print(f"mutants.py: {room} is no room; it may be all, {', '.join(TESTS)}", file=sys.stderr)
        return 2
    excused = open(KNOWN).read().splitlines()
    folder = tempfile.mkdtemp()
    environment = dict(os.environ, TMPDIR=folder)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # the folder goes, too
    counts = {"caught": 0, "SURVIVED": 0, "excused": 0, "other": 0}
    try:
        sources(folder)
        os.mkdir(f"{folder}/objects")
        objects, sound = {}, set()
        chosen = [m for m in table() if room in ("all", "--each", m[0])]
        wanted = chosen[first - 1 : last]
        if room == "--each":
            rooms = [[m for m in chosen if m[0] == r] for r in TESTS]
            wanted = [faults[(first - 1) % len(faults)] for faults in rooms if faults]
        kind = None
        for number, mutant in enumerate(chosen, 1):
            if mutant not in wanted:
                continue
            if mutant[0] != kind:  # other options
                objects, kind = {}, mutant[0]
            result = attempt(folder, mutant, objects, environment, sound)
            key = result.split()[0]
            if key == "SURVIVED" and name(mutant) in excused:
                key, result = "excused", "survived, as survivors.txt explains"
            counts[key if key in counts else "other"] += 1
            print(f"{number} {result}: {name(mutant)}", flush=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(f"{counts['caught']} caught, {counts['SURVIVED']} survived, {counts['excused']} survived as explained, "
          f"{counts['other']} not known")  # fmt: skip
    return 1 if counts["SURVIVED"] or counts["other"] or not any(counts.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
