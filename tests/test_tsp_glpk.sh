#!/bin/sh
# Tests tours against GLPK's integer programming on random instances with fixed seeds.
# usage: test_tsp_glpk.sh [FOLDER]     FOLDER holds the built examples; TAP
bin=${1:-${COMBGPU_BUILD:-build}/examples}
bin=$(cd "$bin" 2>/dev/null && pwd) || { echo "Bail out! no folder with built examples"; exit 2; }
for tool in python3 glpsol; do
    command -v $tool >/dev/null 2>&1 && continue
    echo "1..0 # SKIP no $tool (Debian: apt install python3 glpk-utils)"
    exit 0
done
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
cat >"$tmp/check.py" <<'END'
"""Assignment as an integer program, with a row for each circle of fewer cities until there is none."""
import json, random, subprocess, sys

combgpu, folder = sys.argv[1:]


def circles(after):
    """The circles of a permutation."""
    left = set(after)
    while left:
        circle = [left.pop()]
        while after[circle[-1]] in left:
            circle.append(after[circle[-1]])
            left.discard(circle[-1])
        yield circle


def shortest(weights):
    """The length of a shortest cycle by GLPK; arcs of weight None do not exist."""
    n = len(weights)
    arcs = [(i, j) for i in range(n) for j in range(n) if i != j and weights[i][j] is not None]
    rows = [" + ".join(f"x{i}_{j}" for i, j in arcs if (i, j)[end] == v) + " = 1" for v in range(n) for end in (0, 1)]
    while True:
        with open(f"{folder}/model.lp", "w") as model:
            print("Minimize\n" + " + ".join(f"{weights[i][j]} x{i}_{j}" for i, j in arcs), file=model)
            print("Subject To\n" + "\n".join(rows), file=model)
            print("Binary\n" + "\n".join(f"x{i}_{j}" for i, j in arcs) + "\nEnd", file=model)
        subprocess.run(["glpsol", "--lp", f"{folder}/model.lp", "--write", f"{folder}/solution"],
                       stdout=subprocess.DEVNULL, check=True, timeout=60)
        column, length, after = [], None, {}
        for line in open(f"{folder}/solution"):
            word = line.split()
            if word[:1] == ["s"]:
                length = int(float(word[-1]))
            elif word[:1] == ["j"]:
                column.append(int(float(word[2])))
        # glpsol numbers the columns in the order in which the model names them: that of the objective
        for (i, j), taken in zip(arcs, column):
            if taken:
                after[i] = j
        found = list(circles(after))
        if len(found) == 1:
            return length
        rows += [" + ".join(f"x{i}_{j}" for i, j in arcs if i in c and j in c) + f" <= {len(c) - 1}" for c in found]


def ours(weights, options):
    """The length by combgpu, proven."""
    n = len(weights)
    with open(f"{folder}/instance.atsp", "w") as file:
        print(f"TYPE : ATSP\nDIMENSION : {n}\nEDGE_WEIGHT_TYPE : EXPLICIT\nEDGE_WEIGHT_FORMAT : FULL_MATRIX", file=file)
        print("EDGE_WEIGHT_SECTION\n" + "\n".join(" ".join(map(str, row)) for row in weights) + "\nEOF", file=file)
    run = subprocess.run([combgpu, "tsp", f"{folder}/instance.atsp", "--json", "--quiet", "--backend", "cpu"] + options,
                         capture_output=True, check=True, timeout=60)
    result = json.loads(run.stdout)
    return result["length"] if result["optimal"] else None


chance = random.Random(20260101)
for number in range(1, 21):
    method = ("branch-and-bound", "held-karp", "auto")[number % 3]
    n, symmetric, path = chance.randint(6, 14 if method == "held-karp" else 24), chance.random() < 0.4, chance.random() < 0.5
    weights = [[chance.randint(1, chance.choice((9, 1000))) if i != j else 0 for j in range(n)] for i in range(n)]
    for i in range(n):
        for j in range(i if symmetric else 0):
            weights[i][j] = weights[j][i]
    model, options, what = [row[:] for row in weights], [], "cycle"
    if path:  # a city more, from which legs to the start and from the end cost nothing
        start, end = chance.sample(range(n), 2)
        start, end = (v if chance.random() < 0.6 else None for v in (start, end))
        model = [row + [0 if end in (None, i) else None] for i, row in enumerate(model)]
        model.append([0 if start in (None, j) else None for j in range(n)] + [None])
        options = ["--path"]
        options += [] if start is None else ["--start", str(start + 1)]
        options += [] if end is None else ["--end", str(end + 1)]
        what = " ".join(options)
    theirs, mine = shortest(model), ours(weights, options + ["--method", method])
    print("ok" if theirs == mine else "not ok", number,
          f"- {n} cities, {'' if symmetric else 'a'}symmetric, {what}, {method}: {mine}, by GLPK {theirs}")
print("1..20")
END
python3 "$tmp/check.py" "$bin/combgpu" "$tmp"
