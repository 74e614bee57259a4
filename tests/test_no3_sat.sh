#!/bin/sh
# Tests no-three-in-line as clauses: a SAT solver finds as many boards as the search, one after the other.
# Takes cadical, kissat or minisat, whichever is installed.
# usage: test_no3_sat.sh [FOLDER]     FOLDER holds the built examples; TAP
. tests/test.sh
examples "$1"
combgpu=$bin/combgpu
for solver in cadical kissat minisat none; do
    command -v $solver >/dev/null 2>&1 && break
done
[ "$solver" != none ] || skip_all "no SAT solver (Debian: apt install minisat)"
# Prints the model of a file of clauses as literals, or nothing if there is none.
model() { # FILE
    if [ $solver = minisat ]; then
        minisat "$1" "$tmp/model" >/dev/null 2>&1
        sed -n '1{/^SAT/!q}; 2p' "$tmp/model"
    else
        $solver -q "$1" | sed -n 's/^v //p' | tr '\n' ' '
    fi
}

# Finds all models, each forbidden in the next round; prints their number.
models() { # OPTIONS
    # shellcheck disable=SC2086
    "$combgpu" no3 $1 --cnf "$tmp/cnf" --quiet
    count=0
    while [ $count -lt 100 ]; do
        found=$(model "$tmp/cnf")
        [ "$found" ] || break
        count=$((count + 1))
        clause=
        for literal in $found; do
            [ "$literal" = 0 ] || clause="$clause $((0 - literal))"
        done
        echo "$clause 0" >>"$tmp/cnf"
        awk '$1 == "p" { $4++ } { print }' "$tmp/cnf" >"$tmp/next" && mv "$tmp/next" "$tmp/cnf"
        # the model as a drawing, to be checked point by point
        awk -v model="$found" '
            BEGIN { split(model, literals, " "); for (i in literals) on[literals[i]] = 1 }
            /^c no three/ { n = $8 + 0 }
            /^c [0-9]+:/ { v = $2 + 0; if (v in on) for (i = 3; i <= NF; i++) point[$i] = 1 }
            END { for (y = 0; y < n; y++) { line = ""
                for (x = 0; x < n; x++) line = line (((x "," y) in point) ? "o" : ".") " "
                print line } }' "$tmp/cnf" >"$tmp/board"
        "$combgpu" no3 --check "$tmp/board" --quiet >/dev/null || echo "no solution:" >&2
    done
    echo $count
}

while IFS='|' read -r options want what; do
    got=$(models "$options" 2>"$tmp/wrong")
    [ "$got" = "$want" ] && [ ! -s "$tmp/wrong" ]
    point $? "$solver: $options: $got, $want are known ($what)"
done <<'END'
--n 4|11|OEIS A000755
--n 5|32|OEIS A000755
--n 10 --class rot4|13|6 up to symmetry, each with a mirror image, and the one with full symmetry
--n 12 --class ort1|0|the published table
--n 10 --class full|1|the published table
--n 6 --class near_rot4 --on 0,2|3|as the search finds
--n 30 --class full|0|the published table
END
tap_end
