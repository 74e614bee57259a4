#!/bin/sh
# Tests combgpu tsp with --no-connection, --maximize, and tables without a tour.
# usage: test_weights.sh [FOLDER]    FOLDER holds the built examples
. tests/test.sh
examples "$1"

# NAME STATUS EXPECTED ARGUMENT...: the exit status, and the output has EXPECTED
says() {
    name=$1 expected=$2 want=$3
    shift 3
    run tsp "$@"
    [ "$status" -eq "$expected" ] && cat "$tmp/out" "$tmp/err" | grep -qF -- "$want"
    point $? "$name"
}

# NAME ROWS...: a TSPLIB file of six cities
table() {
    printf 'NAME: %s\nTYPE: TSP\nDIMENSION: 6\nEDGE_WEIGHT_TYPE: EXPLICIT\n' "$1"
    printf 'EDGE_WEIGHT_FORMAT: FULL_MATRIX\nEDGE_WEIGHT_SECTION\n'
    shift
    printf '%s\n' "$@" EOF
}

table roads '0 89 42 9999 9999 93' '89 0 13 69 9999 9999' '42 13 0 24 57 9999' \
    '9999 69 24 0 23 83' '9999 9999 57 23 0 45' '93 9999 9999 83 45 0' >"$tmp/roads.tsp"
sed 's/9999/1e18/g' "$tmp/roads.tsp" >"$tmp/far.tsp"
table apart '0 1 2 9 9 9' '1 0 3 9 9 9' '2 3 0 9 9 9' '9 9 9 0 4 5' '9 9 9 4 0 6' '9 9 9 5 6 0' \
    >"$tmp/apart.tsp"
for i in 1 2 3 4 5 6; do echo 0,inf; done >"$tmp/windows.txt"

says '9999 is no connection' 0 'length 285, proven optimal' "$tmp/roads.tsp" --no-connection 9999
says '1e18 for no road' 0 'length 285, proven optimal' "$tmp/far.tsp"
says 'it is exact' 0 '"lower_bound": 285, "gap": 0' "$tmp/far.tsp" --json
says 'a longest tour' 0 'length 50019, proven optimal' "$tmp/roads.tsp" --maximize
says 'of those that exist' 0 'length 385, proven optimal' "$tmp/roads.tsp" --maximize --no-connection 9999
says 'an upper bound' 0 '"upper_bound": 385' "$tmp/roads.tsp" --maximize --no-connection 9999 --json
says 'the longest ones' 0 '1 longest tour of length 50019' "$tmp/roads.tsp" --maximize --shortest 2
says 'all tours that exist' 0 '377   1 2 4 3 5 6' "$tmp/roads.tsp" --no-connection 9999 --shortest 20
for method in auto brute-force held-karp branch-and-bound; do
    says "$method: no tour exists" 0 'no tour exists (proven)' "$tmp/apart.tsp" --no-connection 9 --method $method
done
says 'as an object' 0 '"feasible": false, "optimal": false, "no_tour_exists": true' "$tmp/apart.tsp" \
    --no-connection 9 --json
says 'nor a path' 0 'no tour exists (proven)' "$tmp/apart.tsp" --no-connection 9 --path
says 'nor any for a list' 0 'no tour exists (proven)' "$tmp/apart.tsp" --no-connection 9 --shortest 3
says 'nor in time windows' 0 'no tour' "$tmp/apart.tsp" --no-connection 9 --windows "$tmp/windows.txt"
says 'in time windows' 0 'length 285' "$tmp/roads.tsp" --no-connection 9999 --windows "$tmp/windows.txt"
says 'no longest tour there' 2 'with --maximize' "$tmp/roads.tsp" --maximize --windows "$tmp/windows.txt"
says 'points have distances' 2 '--no-connection is for a matrix' --random 5 --no-connection 3
says 'but may have a longest tour' 0 'proven optimal' --random 8 --maximize
says 'no weight is 7' 0 'no weight is 7' "$tmp/roads.tsp" --no-connection 7
tap_end
