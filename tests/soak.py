"""Random jobs on every device: stopped, killed, resumed elsewhere, verified, in shards; answers must be the
known ones.

usage: soak.py COMBGPU [MINUTES [SEED]]   COMBGPU is the command (build/examples/combgpu). A line for each
       job; the last one is the sum. Exit status 0: there were jobs, and every answer was right.
"""

import glob
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data")


def sums(values, k):
    """How many choices of k of the values have each sum."""
    ways = [{0: 1}] + [{} for _ in range(k)]
    for value in values:
        for size in range(k, 0, -1):
            for total, count in ways[size - 1].items():
                ways[size][total + value] = ways[size].get(total + value, 0) + count
    return ways[k]


def optima(folder, most, name, n, value):
    """The instances of a folder with at most so many cities: path and published length."""
    for line in open(os.path.join(DATA, folder, "OPTIMA.txt")):
        words = line.split()
        if line[0] != "#" and int(words[n]) <= most:
            yield glob.glob(f"{folder}/{words[name]}.*s*p", root_dir=DATA)[0], int(words[value])


def jobs():
    """What can be asked: options, key of the answer, answer, whether shards can share the work."""
    # OEIS A000755; Dudeney; Euler; Schroeppel
    for n, count in ((8, 380), (9, 368), (10, 1135), (11, 1120), (12, 4348)):
        yield f"no3 --n {n}", "all", count, True
    yield "magic --order 4", "count", 7040, True
    yield "magic --order 4 --kind semimagic", "count", 549504, True
    yield "magic --order 5 --kind pandiagonal", "count", 28800, True
    for n, count in ((9, 133496), (10, 1334961), (11, 14684570)):  # derangements, A000166
        yield f"perm --n {n} --fixed-points 0", "hits", count, True
    for n, k in ((20, 10), (24, 9), (30, 12)):
        total, count = random.Random(n).choice(sorted(sums(range(1, n + 1), k).items()))
        yield f"perm --family combination --n {n} --k {k} --sum {total}", "hits", count, True
    for name, cost in (("chr12a", 9552), ("had12", 1652), ("tai12a", 224416)):  # QAPLIB
        yield f"qap qaplib/{name}.dat", "cost", cost, True
    for path, length in optima("tsplib", 60, 1, 2, 5):
        yield f"tsp {path}", "length", length, False
    for path, length in optima("sop", 30, 0, 1, 2):
        yield f"tsp {path}", "length", length, False
    yield "tsp tsplib/burma14.tsp --method brute-force", "length", 3323, True
    yield "tsp tsptw/n20w20.001.txt", "length", 378, False


def devices(program):
    """Sets of options, each of which chooses devices that are there."""
    ways = [["--backend", "cpu", "--threads", str(n)] for n in (1, 2, 3)]
    for backend in ("cuda", "opencl"):
        way = ["--backend", backend]
        if subprocess.run([program, "no3", "--n", "4", "--json", "--quiet"] + way, capture_output=True).returncode == 0:
            ways += [way, ["--devices", f"{backend}:0,cpu"]]
    return ways


def pieces(command, rng, ways, tally):
    """Runs it until it ends, however often it is stopped or killed; returns its result, or what went wrong."""
    while True:
        line = command + rng.choice(ways)
        if rng.random() < 0.4:
            line += ["--verify", rng.choice(["1", "20", "100"])]
        fate = rng.choice(["stop", "stop", "kill", "kill", "end"]) if tally["pieces"] < 12 else "end"
        if fate == "stop":
            line += ["--time-limit", f"{rng.uniform(0.01, 0.3):.3f}"]
        run = subprocess.Popen(line, cwd=DATA, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if fate == "kill":
            time.sleep(rng.uniform(0.01, 0.3))
            run.send_signal(signal.SIGKILL)
        out, err = run.communicate()
        tally["pieces"] += 1
        tally["killed"] += run.returncode == -signal.SIGKILL
        if run.returncode == -signal.SIGKILL and not out:
            continue
        try:
            result = json.loads(out)
        except ValueError:
            return {}, f"{' '.join(line)}: status {run.returncode}: {err.strip()}"
        if result.get("status") != "stopped":
            return result, f"{result.get('error') or result.get('backend')}"
        tally["stopped"] += 1


def job(program, rng, ways, folder):
    search = rng.choice(["magic", "no3", "perm", "qap", "tsp"])
    what, key, want, shared = rng.choice([known for known in jobs() if known[0].startswith(search)])
    command = [program] + what.split() + ["--json", "--quiet"]
    shards = rng.choice([1, 1, 2, 3]) if shared else 1
    paths, results, tally = [], [], {"pieces": 0, "killed": 0, "stopped": 0}
    for i in range(shards):
        paths.append(os.path.join(folder, f"checkpoint{i}"))
        line = command + ["--checkpoint", paths[i], "--resume", "--checkpoint-interval", "0.01",
                          "--slice-ms", str(rng.choice([1, 5, 50]))]  # fmt: skip
        result, end = pieces(line + (["--shard", f"{i}/{shards}"] if shards > 1 else []), rng, ways, tally)
        results.append(result)
    if shards > 1:
        merge = subprocess.run(command + ["--merge"] + paths, cwd=DATA, capture_output=True, text=True)
        results.append(json.loads(merge.stdout or "{}"))
        end = f"merged: {merge.stderr.strip() or 'ok'}"
    right = results[-1].get(key) == want and all(
        r.get("status") == "ok" and not r.get("mismatches") and not r.get("tasks_left") for r in results)
    for name in os.listdir(folder):
        os.remove(os.path.join(folder, name))
    done = ", ".join(f"{count} {name}" for name, count in tally.items())
    return right, f"{what}: {results[-1].get(key)} ({want}), {shards} shards, {done}, then {end}"


def main():
    program = os.path.abspath(sys.argv[1])
    minutes = float(sys.argv[2]) if len(sys.argv) > 2 else 30
    rng = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    ways = devices(program)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # the folder goes, too
    end, count, wrong = time.monotonic() + 60 * minutes, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        while time.monotonic() < end:
            right, text = job(program, rng, ways, folder)
            count += 1
            wrong += not right
            print("right" if right else "WRONG", text, flush=True)
    print(f"{count} jobs, {wrong} wrong, on {len(ways)} choices of devices")
    return 1 if wrong or not count else 0


sys.exit(main())
