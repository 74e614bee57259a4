"""Random jobs on every device: stopped, killed, resumed elsewhere, verified; answers must be the known ones.

usage: soak.py COMBGPU [MINUTES [SEED]]   COMBGPU is the command (build/examples/combgpu). A line for each
       job; the last one is the sum. Exit status 0: every answer was right.
"""

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

# the command's options, the key of its answer, the answer (OEIS A000755; Dudeney; Euler; Schroeppel)
KNOWN = [
    ("no3 --n 8", "all", 380), ("no3 --n 9", "all", 368), ("no3 --n 10", "all", 1135), ("no3 --n 11", "all", 1120),
    ("no3 --n 12", "all", 4348), ("magic --order 4", "count", 7040),
    ("magic --order 5 --kind pandiagonal", "count", 28800), ("magic --order 4 --kind semimagic", "count", 549504),
]  # fmt: skip


def devices(program):
    """Sets of options, each of which chooses devices that are there."""
    ways = [["--backend", "cpu", "--threads", str(n)] for n in (1, 2, 3)]
    for backend in ("cuda", "opencl"):
        way = ["--backend", backend]
        if subprocess.run([program, "no3", "--n", "4", "--json", "--quiet"] + way, capture_output=True).returncode == 0:
            ways += [way, ["--devices", f"{backend}:0,cpu"]]
    return ways


def job(program, rng, ways, folder):
    what, key, want = rng.choice(KNOWN)
    path = os.path.join(folder, "checkpoint")
    command = [program] + what.split() + ["--json", "--quiet", "--checkpoint", path, "--resume",
               "--checkpoint-interval", "0.01", "--slice-ms", str(rng.choice([1, 5, 50]))]  # fmt: skip
    pieces = kills = stops = 0
    while True:
        line = command + rng.choice(ways)
        if rng.random() < 0.4:
            line += ["--verify", rng.choice(["1", "20", "100"])]
        fate = rng.choice(["stop", "kill", "end"]) if pieces < 8 else "end"
        if fate == "stop":
            line += ["--time-limit", f"{rng.uniform(0.01, 0.5):.3f}"]
        run = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if fate == "kill":
            time.sleep(rng.uniform(0.01, 0.5))
            run.send_signal(signal.SIGKILL)
        out, err = run.communicate()
        pieces += 1
        kills += run.returncode == -signal.SIGKILL
        if run.returncode == -signal.SIGKILL and not out:
            continue
        try:
            result = json.loads(out)
        except ValueError:
            return False, f"{' '.join(line)}: status {run.returncode}: {err.strip()}"
        if result.get("status") == "stopped":
            stops += 1
            continue
        right = int(result[key]) == want and int(result.get("mismatches", 0)) == 0
        for name in os.listdir(folder):
            os.remove(os.path.join(folder, name))
        return right, f"{what}: {result[key]}, {pieces} pieces, {kills} killed, {stops} stopped, then {result['backend']}"


def main():
    program = os.path.abspath(sys.argv[1])
    minutes = float(sys.argv[2]) if len(sys.argv) > 2 else 30
    rng = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    ways = devices(program)
    end, jobs, wrong = time.monotonic() + 60 * minutes, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        while time.monotonic() < end:
            right, text = job(program, rng, ways, folder)
            jobs += 1
            wrong += not right
            print("right" if right else "WRONG", text, flush=True)
    print(f"{jobs} jobs, {wrong} wrong, on {len(ways)} choices of devices")
    return 1 if wrong else 0


sys.exit(main())
