#!/bin/sh
# What beginners type, and boards and squares as people write them.
# usage: test_beginners.sh [FOLDER]     FOLDER holds the built examples; TAP
bin=${1:-${COMBGPU_BUILD:-build}/examples}
bin=$(cd "$bin" 2>/dev/null && pwd) || { echo "Bail out! no folder with built examples"; exit 2; }
cases=$(cd tests/data/cases && pwd) || exit 2
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
number=0
point() { # RESULT NAME
    number=$((number + 1))
    [ "$1" -eq 0 ] || printf 'not '
    echo "ok $number - $2"
}
is() { # GOT WANT NAME
    [ "$1" = "$2" ]
    point $? "$3"
    [ "$1" = "$2" ] || echo "#   got \"$1\", want \"$2\""
}
run() { # COMMAND ARGUMENT...: sets status; output in $tmp/out and $tmp/err
    "$bin/combgpu" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
    status=$?
}

# the message names what was meant, and the exit status is 2
while IFS='|' read -r typed meant; do
    run $typed
    is "$status $(grep -c "did you mean $meant?" "$tmp/err")" "2 1" "combgpu $typed: did you mean $meant?"
done <<END
no3 10|--n 10
magic 4|--order 4
perm 5|--n 5
no3 -n 10|--n
magic --n 4|--order
perm --order 4|--n
tsp --metod held-karp|--method
tsp --Method held-karp|--method
no3 --checkpiont f|--checkpoint
magic --time|--time-limit
tsp --random 9 --method heldkarp|held-karp
magic --order 4 --kind pandiagonl|pandiagonal
magics|magic
MAGIC|magic
prem|perm
tps|tsp
selftest|self-test
tsp --europe --path --start Lodnon|London
tsp --europe --path --start london|London
tsp --europe --path --start Berln|Berlin
tsp --europe --before Luxem,Rome|Luxembourg
END
for typed in xyzzy "magic --xyzzy" "tsp --europe --path --start Atlantis" "no3 --" "tsp --europe --path --start 41"; do
    run $typed
    is "$status $(grep -c "did you mean" "$tmp/err")" "2 0" "combgpu $typed: nothing is near"
done
run tsp --europe --path --start Lodnon --json
is "$status $(grep -c '"error": ".*did you mean London?"' "$tmp/out")" "2 1" "the suggestion is in the JSON error, too"
echo "1..$number"
