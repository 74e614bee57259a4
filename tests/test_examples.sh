#!/bin/sh
# Runs the examples as users do.
# usage: test_examples.sh [FOLDER]     FOLDER holds the built examples; from the repository's root
# TAP. Without FOLDER: $COMBGPU_BUILD/examples, or build/examples. COMBGPU_REQUIRE=opencl,cuda makes
# a missing backend a failure.
. tests/test.sh
examples "$1"
tsplib=tests/data/tsplib
# One Python reads all JSON: it answers each line with 0 or 1. (python3 may be a script that looks for a Python,
# which takes longer than to start that.)
python=$(python3 -c 'import sys; print(sys.executable)' 2>/dev/null)
[ -z "$python" ] || ! mkfifo "$tmp/ask" "$tmp/answer" 2>/dev/null || {
    "$python" -c 'import json, sys
for line in sys.stdin:
    try:
        good = isinstance(json.load(open(sys.argv[1], encoding="utf-8")), dict)
    except Exception:
        good = False
    print(0 if good else 1, flush=True)' "$tmp/out" <"$tmp/ask" >"$tmp/answer" 2>/dev/null &
    exec 6>"$tmp/ask" 7<"$tmp/answer"
}

is_json() { # $tmp/out holds one JSON object, one line, and nothing else
    [ "$(wc -l <"$tmp/out")" -eq 1 ] || return 1
    if [ -p "$tmp/answer" ]; then
        echo >&6
        read -r bad <&7 && return "$bad"
    elif [ -n "$python" ]; then
        "$python" -c 'import json, sys
assert isinstance(json.load(open(sys.argv[1], encoding="utf-8")), dict)' "$tmp/out" 2>/dev/null
    else
        grep -q '^{".*}$' "$tmp/out"
    fi
}

text_line() { # FILE: exactly one line, not empty
    [ "$(wc -l <"$1")" -eq 1 ] && grep -q . "$1"
}

# ---- known answers, on every backend

for backend in cpu opencl cuda; do
    if ! run devices --backend $backend || [ $status -ne 0 ]; then
        why="no $backend device in this build and machine"
        case ",$COMBGPU_REQUIRE," in
        *,$backend,*) point 1 "$backend: required, but $why" ;;
        *) skip "$why" "known answers on $backend" ;;
        esac
        continue
    fi
    run magic --order 4 --backend $backend --json
    is "$status $(value count) $(value up_to_d4) $(value status) $(value backend) $(value checksum)" \
        "0 7040 880 ok $backend 8a8634df4b23d3f8" "$backend: 7,040 magic squares of order 4, 880 up to symmetry"
    is_json
    point $? "$backend: magic --json prints one JSON object and nothing else"
    run magic --order 3 --backend $backend --json
    is "$(value count) $(value up_to_d4) $(value 5)" "8 1 1" "$backend: the square of order 3, centre 5"
    run no3 --n 10 --backend $backend --json
    is "$status $(value all) $(value up_to_symmetry) $(value iden) $(value dia1) $(value rot2) $(value dia2) $(value rot4) $(value full)" \
        "0 1135 156 132 3 13 1 6 1" "$backend: 1,135 solutions of no-three-in-line on 10 x 10, by class"
    is_json
    point $? "$backend: no3 --json prints one JSON object and nothing else"
    run perm --n 10 --backend $backend --json
    is "$status $(value count) $(value steps)" "0 3628800 3628800" "$backend: 3,628,800 permutations of 10"
    is_json
    point $? "$backend: perm --json prints one JSON object and nothing else"
    run qap --size 8 --backend $backend --json
    is "$status $(value cost) $(value proven)" "0 214 true" "$backend: qap: the first eight of nug12"
    run tsp $tsplib/burma14.tsp --backend $backend --json
    is "$status $(value length) $(value optimal) $(value lower_bound) $(value n)" "0 3323 true 3323 14" \
        "$backend: burma14 has the optimum 3323"
    is_json
    point $? "$backend: tsp --json prints one JSON object and nothing else"
    is "$(sed 's/.*"tour": \[\([^]]*\)\].*/\1/' "$tmp/out" | tr -d ' ' | tr , '\n' | sort -n | tr '\n' ' ')" \
        "1 2 3 4 5 6 7 8 9 10 11 12 13 14 " "$backend: its tour visits every city once"
    run tsp --random 9 --shortest 20 --backend $backend --json
    is "$status $(value checksum) $(value optima) $(value backend)" "0 a83275fc09229a17 1 $backend" \
        "$backend: the 20 shortest tours of 9 cities"
    run devices --self-test --backend $backend --device 0 --json
    is "$status $(value self_test)" "0 ok" "$backend: passes its self-test"
done

# What follows is no matter of a device: runs see no drivers of OpenCL, which take longer to load than many
# a search takes.
drivers=$OCL_ICD_VENDORS
with_drivers() {
    if [ -n "$drivers" ]; then OCL_ICD_VENDORS=$drivers; else unset OCL_ICD_VENDORS; fi
}
without_drivers() {
    export OCL_ICD_VENDORS="$tmp/no-drivers"
}
without_drivers

# ---- what people read

run no3 --n 10 --backend cpu
grep -q '1,135 solutions, 156 up to symmetry' "$tmp/out"
point $? "no3 prints its result"
[ ! -s "$tmp/err" ]
point $? "nothing on standard error without a terminal"
run bench --only 'no3 --n 10' --repeat 1 --backend cpu --json
is "$status $(value command) $(value answer)" "0 no3 --n 10 156" "bench --only runs just that case"
for program in magic no3 perm qap tsp devices bench self-test demo; do
    run $program --help
    [ $status -eq 0 ] && [ ! -s "$tmp/err" ] && grep -q -e '--help all' "$tmp/out" &&
        [ "$(wc -l <"$tmp/out")" -le 24 ] && ! grep -q '.\{80\}' "$tmp/out"
    point $? "$program --help: one screen, at most 79 columns"
    run $program --help all
    [ $status -eq 0 ] && grep -q -e '--backend' "$tmp/out" && ! grep -q '.\{80\}' "$tmp/out"
    point $? "$program --help all: every option, at most 79 columns"
done

run no3 --help all
cp "$tmp/out" "$tmp/help"
run help no3 all
cmp -s "$tmp/out" "$tmp/help"
point $? "help no3 is no3 --help"

# ---- wrong arguments and files: exit status 2, one line that names what is wrong

printf 'x = 4, y = 4\nob$q!\n' >"$tmp/bad.rle"
printf 'NAME : x\nTYPE : TSP\nDIMENSION : many\n' >"$tmp/bad.tsp"
printf 'x,y\n0,0\n0,3\n4,0\n\n0,0\n0,6\n8,0\n' >"$tmp/batch.csv"
printf '1 2\n3 4\nfive\n6 7\n' >"$tmp/batch.bad"
printf '1 2 3\n4 five 6\n7 8 9\n' >"$tmp/bad.square"
printf '1 2 3\n4 5 6\n7 8 9\n' >"$tmp/plain"
printf '.oo.\no..o\no..o\n.oo.\n' >"$tmp/plain.board"
printf 'not a checkpoint\n' >"$tmp/bad.checkpoint"
printf '2\n0 1\n1 x\n0 2\n2 0\n' >"$tmp/bad.qap"
printf '48.2 16.4 Vienna\n47.5 east Budapest\n' >"$tmp/bad.points"
printf '48.2,16.4,Wien\n47,15.4,Wien\n46,14,Linz\n' >"$tmp/twice.points"
printf 'lat,lon,name\n48,16,"Wien\n' >"$tmp/quote.points"
printf '2\n0 1\n1 0\n0 2\n2 0\n5\n' >"$tmp/more.qap"
printf '1,2\n\n3,9\n' >"$tmp/bad.pairs"
printf '9,3\n3,5\n\0001,2\n' >"$tmp/nul.pairs"
printf '0,9\n0,nan\n' >"$tmp/nan.tw"
printf '1 1\n2 2\n3 3\n100 200\n' >"$tmp/bad.batch"
printf '1 1\n2 2\n0x3 3\n' >"$tmp/hex.batch"
printf '1 1\n2 2\n4-3\n' >"$tmp/minus.batch"
printf 'nan 2\n3 4\n' >"$tmp/nan.batch"
printf '2\n0 1\n-1 0\n' >"$tmp/bad.tw"
printf '\357\273\2772\r0 1\r1 0\r5' >"$tmp/old.tw"
printf '0,9\n0,,9\n' >"$tmp/gap.tw"
printf '0,9\n0,-3\n' >"$tmp/early.tw"
yes 0,99 | head -n 144 >"$tmp/144.tw"
while IFS='|' read -r names program arguments; do
    eval "set -- $arguments"
    run $program "$@"
    text_line "$tmp/err" && grep -q -e "$names" "$tmp/err" && [ $status -eq 2 ] && [ ! -s "$tmp/out" ]
    point $? "$program $arguments: status 2, one line that says $names"
    [ $status -eq 2 ] || echo "#   status $status: $(cat "$tmp/err")"
    run $program "$@" --json
    [ $status -eq 2 ] && is_json && [ -n "$(value error)" ] && text_line "$tmp/err"
    point $? "$program $arguments --json: the same as an object with status and error"
done <<END
--n|no3|--n 12x
--n|no3|--n ""
--n|no3|--n -4
--n|no3|--n 129
--n|no3|--n 99999999999999999999999
--n|no3|--n
--n|no3|--quiet
--n|no3|--n=
from 2 to 128|no3|--n 1
there is 1 cpu device|no3|--n 4 --backend cpu --device 7
--list|no3|--n 4 --list=yes
--class|no3|--n 4 --class rot5
--nosuch|no3|--n 4 --nosuch
surplus|no3|--n 4 surplus
--threads|no3|--n 4 --threads 0
--threads|no3|--n 4 --threads 1.5
--device|no3|--n 4 --device -1
devic|no3|--n 4 --backend cpu --device 7
--backend|no3|--n 4 --backend gpu
--shard|no3|--n 4 --shard 3/3
--shard|no3|--n 4 --shard 3
--shard|no3|--n 4 --shard /2
--shard|no3|--n 4 --shard 0/0
--time-limit|no3|--n 4 --time-limit 0
--time-limit|no3|--n 4 --time-limit nan
--time-limit|no3|--n 4 --time-limit 1s
--time-limit|no3|--n 4 --time-limit 0x10
--slice-ms|no3|--n 4 --slice-ms 501
--checkpoint|no3|--n 4 --resume
--checkpoint|no3|--n 4 --checkpoint
--checkpoint|no3|--n 4 --checkpoint ""
cannot be written|no3|--n 4 --checkpoint "$tmp/no/such/folder/file"
--on|no3|--n 4 --on 1
--off|no3|--n 4 --off 1,x
row 4|no3|--n 4 --on 0,4
--on: a cell is fixed in column 4|no3|--n 4 --on 4,0
and --off: row 0 both have column 0|no3|--n 4 --on 0,0 --off 0,0
--fixed|no3|--n 4 --fixed "$tmp/nosuch"
--seed|no3|--n 4 --seed 0
--progress|no3|--n 4 --progress xml
--progress-every|no3|--n 4 --progress-every 0
--check|no3|--check "$tmp/nosuch.rle"
--check|no3|--check "$tmp"
line|no3|--check "$tmp/bad.rle"
checkpoint|no3|--n 4 --checkpoint "$tmp/bad.checkpoint" --resume
--checkpoint|no3|--n 4 --checkpoint "$tmp/bad.checkpoint"
--order|magic|--kind normal
--order|magic|--order 0
--order|magic|--order 11
--kind|magic|--order 4 --kind odd
--givens|magic|--order 4 --givens "1 2 3"
--givens|magic|--givens "1 2 x ? ? ? ? ? ?"
--givens|magic|--givens "@$tmp/nosuch"
--givens (row 0, column 1|magic|--givens "1 1 ? ? ? ? ? ? ?"
--frenicle|magic|--order 4 --frenicle
--first|magic|--order 4 --first 5
rle|magic|--order 4 --format rle
--format|magic|--order 4 --format npz
--list or --output|magic|--order 4 --count 5
--limit|magic|--order 4 --list --limit 5 --first 5
--check|magic|--check "$tmp/bad.square"
--numbers|magic|--numbers "1 2 x 4"
--numbers|magic|--numbers "1 2 3 4 5"
--sum|magic|--order 4 --sum 34
--sum is 16|magic|--numbers "1 2 3 4 5 6 7 8 9" --sum 16
--samples|magic|--order 4 --samples 5
--form|magic|--order 4 --form canonical
--diagonals|magic|--diagonals 5-6
--diagonals is|magic|--diagonals 861985427400
--diagonals needs|magic|--diagonals -5:1
cannot be combined with --kind|magic|--diagonals 5 --kind ultramagic
cannot be combined with --frenicle|magic|--order 6 --estimate --frenicle
--kind is franklin|magic|--order 8 --kind franklin --estimate
--construct: --kind is franklin; it may be normal, semimagic,|magic|--order 12 --kind franklin --construct
--n is 65; with --class all it may be 2 to 32|no3|--n 65
--estimate|magic|--estimate --order 4 --list
--n|perm|--list
--n|perm|--n 35
from 1 to 34; with --family, --sum or --product to 64|perm|--n 0
--family partial and n = 4|perm|--family partial --n 4 --k 5
--family has no members|perm|--family derangement --n 1 --list --first 3
--count|perm|--n 21
--first|perm|--n 3 --first 6
--first|perm|--n 34 --first 295232799039604140847618609643520000000 --count 1
--item-bytes|perm|--n 3 --item-bytes 3
--items|perm|--items "a b"
--to|perm|--n 3 --to nowhere
--count|perm|--n 3 --first 5 --count 2
--unrank|perm|--n 3 --unrank -1
--unrank|perm|--n 30 --unrank 999999999999999999999999999999999999999999
--unrank|perm|--n 3 --unrank 6
--shard|perm|--n 3 --list --shard 0/2
--rank|perm|--rank "0 1 x"
--rank, number 3,|perm|--rank "0 1 1"
--n N or --repeats|perm|--family gray
--n is 8, but --repeats|perm|--n 8 --repeats "2 1" --list
--family|perm|--family rings --n 3
--repeats|perm|--repeats "2 x"
--k K is needed|perm|--family partial --n 5
more than 2^64|perm|--family partial --n 64 --k 20
--rank|perm|--family all --n 3 --rank "0 1"
--rank|perm|--family all --n 3 --rank ""
--count is 7|perm|--family all --n 3 --count 7 --list
cannot be combined|perm|--rank "1 0" --next "1 0"
not a member|perm|--family derangement --n 3 --rank "0 2 1"
--unrank is 6|perm|--family all --n 3 --unrank 6
--first is 6|perm|--family all --n 3 --first 6
--shard|perm|--family all --n 3 --list --shard 0/2
--fixed-points|perm|--n 3 --list --fixed-points 1
--product|perm|--n 5 --k 2 --sum 3 --product 4
--values|perm|--n 5 --k 2 --values 1,2,3,4,5
--values|perm|--k 2 --sum 3 --values 1,2,x
--values|perm|--k 2 --product 3 --values 0,1,2
--sum|perm|--n 5 --k 2 --sum 5:3
--sum|perm|--n 5 --k 2 --sum 5 --family gray
--k|perm|--n 5 --sum 5
below 2^128|perm|--family circular --n 9 --unrank 340282366920938463463374607431768211456
--verify|perm|--n 5 --verify 100
--verify|perm|--family partial --n 5 --k 2 --list --verify 100
--size|qap|--size 13
--random|qap|--random 17
--assignment|qap|--size 3 --assignment "1 2"
--assignment|qap|--size 3 --assignment "1 2 2"
/nowhere|qap|/nowhere
number 5|qap|"$tmp/bad.qap"
"5" follows the two matrices|qap|"$tmp/more.qap"
a quote does not end|tsp|"$tmp/quote.points"
--start is "Wien", the name of cities 1 and 2|tsp|"$tmp/twice.points" --path --start Wien
--checkpoint|qap|--size 5 --histogram 3 --checkpoint "$tmp/x"
--random|tsp|--quiet
--random|tsp|"$tmp/bad.tsp" --random 5
nosuch|tsp|"$tmp/nosuch.tsp"
line|tsp|"$tmp/bad.tsp"
--method|tsp|--random 5 --method guess
--before|tsp|--random 5 --before 3
--edge is "3"|tsp|--random 5 --edge 3
may be seconds, 1e-6 to 1e9|no3|--n 5 --time-limit 1e10
may be seconds, 1e-6 to 1e9|no3|--n 5 --time-limit 1e-9
--before $tmp/nul.pairs is not a text|tsp|--random 9 --before "@$tmp/nul.pairs"
--windows $tmp/nul.pairs is not a text|tsp|--random 9 --windows "$tmp/nul.pairs"
--givens $tmp/nul.pairs is not a text|magic|--order 3 --givens "@$tmp/nul.pairs"
--edge @$tmp/bad.pairs, line 3: "9"|tsp|--random 8 --edge "@$tmp/bad.pairs"
fixed edges (--edge) cannot be combined with|tsp|--random 9 --edge 1,2 --shortest 3
cannot be combined with --edge|tsp|--random 9 --edge 1,2 --batch 3
--method is held-karp; .* it may be auto, branch-and-bound or heuristic|tsp|--random 9 --edge 1,2 --method held-karp
try --method held-karp|tsp|--random 17 --method brute-force
--shard is 0/2; Held-Karp .*; --method brute-force can|tsp|--random 20 --method held-karp --shard 0/2
--shard is 0/2; branch and bound cannot|tsp|--random 200 --method branch-and-bound --shard 0/2
may be seconds, 1e-6 to 1e9|tsp|--random 20 --batch 3 --instance-time x
may be seconds, 1e-6 to 1e9|tsp|--random 20 --batch 3 --instance-time 0
--shortest|tsp|--random 5 --shortest 3 --svg "$tmp/x"
--windows|tsp|--random 5 --windows "$tmp/bad.tsp"
nan.tw, line 2: due is nan|tsp|--random 2 --windows "$tmp/nan.tw"
--rank has 2 numbers, and --n is 3|perm|--n 3 --rank "0 1"
--from /dev/null holds no numbers|tsp|--random 9 --from /dev/null
--earliest-end|tsp|--random 5 --earliest-end
bad.tw, line 3: the weight|tsp|"$tmp/bad.tw"
old.tw, line 1: the file ends before the due time of city 1|tsp|"$tmp/old.tw"
"0,,9" is not|tsp|--random 2 --windows "$tmp/gap.tw"
line 2: due is -3; it may be|tsp|--random 2 --windows "$tmp/early.tw"
--merge is ""|no3|--n 4 --merge a ""
the number of cities is 144; with time windows|tsp|$tsplib/pr144.tsp --windows "$tmp/144.tw"
--method|tsp|tests/data/tsptw/rbg016b.tw --method held-karp
--random is 16|tsp|--random 16 --count-optimal
--before|tsp|--random 5 --before 3,6
by its pairs city 2 comes before itself|tsp|--random 5 --before 3,2 --before 2,3
has city 2 before city 1, but a cycle begins at city 1|tsp|--random 5 --before 2,1
joins city 1 with itself|tsp|--random 9 --edge 1,1
joins cities 2 and 4: |tsp|--random 9 --edge 1,2 --edge 2,3 --edge 2,4
instance 2: city 2 is at|tsp|"$tmp/bad.batch" --batch 2 --metric earth
--start|tsp|--random 5 --start 1
--start|tsp|--random 5 --path --start 6
DIMENSION|tsp|$tsplib/gr17.tsp --from $tsplib/gr48.optimal.tour
--from|tsp|--random 10 --batch 10 --from $tsplib/gr48.optimal.tour
--tour|tsp|--random 5 --tour "$tmp/no/such/folder/tour"
--svg|tsp|--random 5 --svg "$tmp/no/such/folder/svg"
coordinates|tsp|$tsplib/gr17.tsp --svg "$tmp/svg"
--batch|tsp|--random 257 --batch 10
--batch|tsp|--random 5 --lengths "$tmp/x"
equal parts|tsp|"$tmp/batch.csv" --batch 5
line 3|tsp|"$tmp/batch.bad" --batch 2
line 3: "0x3 3" is not "x y"|tsp|"$tmp/hex.batch" --batch 1
line 3: "4-3" is not "x y"|tsp|"$tmp/minus.batch" --batch 1
line 1: "nan 2" is not "x y"|tsp|"$tmp/nan.batch" --batch 1
nul.pairs is not a text|tsp|"$tmp/nul.pairs" --batch 1
--batch|tsp|--random 9 --batch 10 --method held-karp
nosuch|tsp|"$tmp/nosuch.txt"
line|tsp|"$tmp/bad.points"
--start|tsp|--europe --start 3
--start|tsp|--europe --path --start Atlantis
--random is 30|tsp|--random 30 --method brute-force
--checkpoint|bench|--checkpoint "$tmp/x"
--search|bench|--search chess
burma14|demo|"$tmp/nosuch" --backend cpu
unknown command|nosuch|
--only|bench|--only nosuch
--svg is -, but the list|no3|--n 4 --list --svg -
--svg is -, but the list|magic|--construct --order 5 --one-line --list --svg -
--lengths is -, but the list|tsp|--random 5 --batch 3 --list --lengths -
no command of --search tsp|bench|--search tsp --only "no3 --n 12"
--only and --long|bench|--only no3 --long
--merge cannot be combined with --list|perm|--n 6 --list --merge a b
--merge cannot be combined with --output|perm|--n 6 --output "$tmp/x" --merge a b
--merge cannot be combined with --to|perm|--n 6 --to host --merge a b
--merge cannot be combined with --list|no3|--n 6 --list --merge a b
--merge cannot be combined with --svg|no3|--n 6 --svg "$tmp/x" --merge a b
--merge cannot be combined with --limit|no3|--n 6 --limit 1 --merge a b
--merge cannot be combined with --limit|magic|--order 4 --limit 3 --merge a b
--merge cannot be combined with --output|magic|--order 4 --output "$tmp/x" --merge a b
--first cannot be combined with --merge|magic|--order 4 --list --first 3 --merge a b
--count cannot be combined with --checkpoint|magic|--order 4 --list --count 3 --checkpoint "$tmp/x"
--numbers add up to 46, not a multiple of the order 3|magic|--check "$tmp/x" --numbers "1 2 3 4 5 6 7 8 10"
--sum is 16; .* it must be 15|magic|--check "$tmp/x" --numbers "1 2 3 4 5 6 7 8 9" --sum 16
--numbers cannot be combined with --givens|magic|--numbers "1 2 3 4" --givens "1 2 3 4"
--sum is 0; .* it must be 15|magic|--numbers "1 2 3 4 5 6 7 8 9" --sum 0
--format bytes: numbers here may take more than a byte|magic|--numbers "0 1 2 3 4 5 6 7 8" --list --format bytes
--sum is 14; .* it must be 15$|magic|--numbers "1 2 3 4 5 6 7 8 9" --sum 14
--merge cannot be combined with --lengths|tsp|--random 5 --batch 2 --lengths "$tmp/x" --merge a b
--checkpoint-interval needs --checkpoint|no3|--n 4 --checkpoint-interval 5
--seed needs --random|perm|--rank "2 0 1" --seed 5
--seed needs --random|perm|--n 5 --unrank 3 --seed 5
--random cannot be combined with --time-limit|perm|--n 9 --random 4 --time-limit 3
--check cannot be combined with --time-limit|magic|--check "$tmp/plain" --time-limit 3
--cnf cannot be combined with --time-limit|no3|--n 4 --cnf "$tmp/x" --time-limit 3
both -|tsp|--random 5 --svg - --tour -
both 3|tsp|--random 5 --path --start 3 --end 3
--output is ""; it may be a file name|no3|--n 4 --output ""
it may be a file name|tsp|""
--edge: the name of the file is empty|tsp|--random 9 --edge @
--check cannot be combined with --kind|magic|--check "$tmp/plain" --kind pandiagonal
--construct cannot be combined with --shard|magic|--construct --order 5 --shard 0/2
--order is 4; the squares of --check .* are of order 3|magic|--check "$tmp/plain" --order 4
--n is 5; board 1 of --check .* is of side 4|no3|--check "$tmp/plain.board" --n 5
--cnf cannot be combined with --limit|no3|--n 4 --limit 1 --cnf -
--folder needs --parts|no3|--n 4 --folder "$tmp/f"
--title needs --svg|no3|--n 4 --title x
--samples needs --forecast|no3|--n 4 --samples 5
--unrank cannot be combined with --output|perm|--n 4 --unrank 3 --output "$tmp/x"
--random cannot be combined with --count|perm|--n 4 --random 3 --count 2
--seed needs --random|qap|--seed 3
--assignment cannot be combined with --histogram|qap|--assignment "1 2" --histogram 3
--check cannot be combined with --svg|tsp|--random 5 --check "$tmp/x" --svg "$tmp/y"
--batch cannot be combined with --kicks|tsp|--random 5 --batch 2 --kicks 3
--metric is for points; .*gr17|tsp|$tsplib/gr17.tsp --metric earth
--output and --lengths are both .*/x; it would be overwritten|tsp|--random 5 --batch 3 --lengths "$tmp/x" --output "$tmp/x"
--svg and --from are both|tsp|--random 3 --from "$tmp/x" --svg "$tmp/x"
--tour and the argument are both|tsp|"$tmp/batch.csv" --tour "$tmp/batch.csv"
--cnf and --checkpoint are both|no3|--n 4 --checkpoint "$tmp/x" --cnf "$tmp/x"
--output and a file of --checkpoint are both .*/x.bak|no3|--n 4 --checkpoint "$tmp/x" --output "$tmp/x.bak"
--output and a file of --checkpoint are both .*/x.lock|no3|--n 4 --checkpoint "$tmp/x" --output "$tmp/x.lock"
--svg and a file of --checkpoint are both .*/x.new|no3|--n 4 --checkpoint "$tmp/x" --svg "$tmp/x.new"
the argument - and --from - both read standard input|tsp|- --from -
--one-line needs --list|magic|--order 4 --one-line
--one-line is for lists as text|magic|--order 4 --format csv --one-line
--one-line needs --form|magic|--check "$tmp/square" --one-line
--one-line needs --list|magic|--order 4 --one-line --parts 2 --folder "$tmp/f"
--one-line needs --list|magic|--order 4 --one-line --estimate
--checksum cannot be combined with a list in order|magic|--order 5 --checksum --list --first 3 --count 2
--bfile cannot be combined with --sort|no3|--n 4 --bfile all --sort
--bfile cannot be combined with --every-orientation|no3|--n 4 --bfile all --every-orientation
--check cannot be combined with --every-orientation|no3|--check "$tmp/plain.board" --every-orientation
--sort needs --list|no3|--check "$tmp/plain.board" --sort
--item-bytes needs --to|perm|--n 5 --item-bytes 4
--item-bytes needs --to|perm|--n 5 --list --item-bytes 1
--items cannot be combined with --random|perm|--items "a b" --list --random 3
"1" is not in --items|perm|--items "a b" --rank "1 0"
--fixed-points cannot be combined with --unrank|perm|--n 5 --unrank 3 --fixed-points 1
--fixed-points cannot be combined with --check|perm|--n 3 --family all --check "$tmp/x" --fixed-points 1
--check cannot be combined with --format csv: it recognises|perm|--n 3 --check "$tmp/x" --format csv
--check cannot be combined with --format text: it recognises|perm|--n 3 --family gray --check "$tmp/x" --format text
--check cannot be combined with --format npy: it recognises|tsp|--random 5 --batch 2 --check "$tmp/x" --format npy
--check cannot be combined with --format npy: it recognises|tsp|--random 5 --check "$tmp/x" --format npy
--check cannot be combined with --format|tsp|--random 5 --check "$tmp/x" --format bytes
--bfile and without a --class it may be 2 to 32|no3|--n 33 --bfile all --time-limit 0.1
--check cannot be combined with --lengths|tsp|--random 5 --batch 2 --check "$tmp/x" --lengths "$tmp/y"
--check cannot be combined with --list|tsp|--random 5 --batch 2 --check "$tmp/x" --list
--method held-karp does not use --search-seed|tsp|--random 9 --method held-karp --search-seed 3
--method brute-force does not use --from|tsp|--random 9 --method brute-force --from "$tmp/x"
--method branch-and-bound does not use --kicks|tsp|--random 9 --method branch-and-bound --kicks 3
--from cannot be combined with fixed edges|tsp|--random 9 --edge 1,2 --from "$tmp/plain"
no option|no3|--order 4
latitudes|tsp|--random 5 --gpx "$tmp/x"
instance 1: city 1 is at latitude|tsp|--random 5 --batch 2 --metric earth
END
for arguments in "--n 10 --parts 2 --folder $tmp/new --cnf $tmp/new" "--n 33 --svg $tmp/new" "--n 33 --bfile all --time-limit 0.1 --output $tmp/new" "--n 4 --device 7 --output $tmp/new"; do
    # shellcheck disable=SC2086
    run no3 --backend cpu $arguments
    [ $status -eq 2 ] && [ ! -e "$tmp/new" ]
    point $? "no3 $arguments: refused, and no file is made"
done
is "$(cat "$tmp/bad.checkpoint")" "not a checkpoint" "a file other than a checkpoint is never overwritten"

# ---- stop and resume

# SECONDS PROGRAM ARGUMENT... in pieces of so many seconds: resumes until it is done; sets stops. After
# ten stops the pieces grow: a busy machine must get to the end, too.
in_pieces() {
    piece=$1 stops=0
    shift
    rm -f "$tmp/state"*
    while run "$@" --checkpoint "$tmp/state" --resume --quiet --json --slice-ms 5 --time-limit $piece
        [ $status -eq 3 ]; do
        stops=$((stops + 1))
        [ $stops -lt 100 ] || break
        [ $stops -lt 10 ] || piece=$(awk -v piece="$piece" 'BEGIN { print 1.25 * piece }')
    done
}
while read -r keys; do
    read -r program arguments
    run $program $arguments --json
    want="$status"
    for key in $keys; do want="$want $(value $key)"; done
    in_pieces $(value seconds | awk '{ print ($1 > 0.1 ? $1 / 5 : 0.02) }') $program $arguments
    got="$status"
    for key in $keys; do got="$got $(value $key)"; done
    [ "$got" = "$want" ] && [ $stops -gt 0 ]
    point $? "$program $arguments: $stops stops and resumes give the same $keys"
    [ "$got" = "$want" ] || echo "#   got $got, want $want"
done <<END
all up_to_symmetry iden rot2 checksum steps
no3 --n 11 --backend cpu --threads 1
count checksum steps
perm --n 12 --backend cpu --threads 1
END
run no3 --n 13 --backend cpu --threads 1 --time-limit 0.02 --slice-ms 1 --json
is "$status $(value status)" "3 stopped" "a time limit stops with exit status 3"
[ "$(value tasks_left)" -gt 0 ] && grep -q -e '--resume' "$tmp/err"
point $? "... with the remaining work, and how to continue"

run magic --order 5 --list --one-line --limit 400000
mv "$tmp/out" "$tmp/squares.txt"
# Ctrl-C stops each kind of run, however long its work would last; sooner where a fast machine ends it
# within that time
while IFS='|' read -r program arguments; do
    for delay in 0.4 0.2 0.1 0.3 0.1; do
        # shellcheck disable=SC2086
        timeout --foreground --preserve-status -k 20 -s INT $delay "$bin/combgpu" $program \
            $(echo "$arguments" | sed "s|squares.txt|$tmp/squares.txt|") --backend cpu --threads 1 >"$tmp/out" 2>"$tmp/err" </dev/null
        status=$?
        [ $status -eq 0 ] || break
    done
    is $status 3 "SIGINT stops $program $arguments"
done <<'RUNS'
magic|--order 5
magic|--order 5 --list --first 1000000 --count 3
magic|--order 5 --kind semimagic
magic|--order 6 --estimate --error 0.0001
magic|--diagonals 430000000000:64
no3|--n 40 --class rot4
no3|--n 40 --class rot4 --seed 1 --limit 1000
perm|--n 16
perm|--n 16 --fixed-points 0
perm|--n 64 --k 20 --sum 650
qap|--random 16
tsp|--random 16 --method brute-force
tsp|--random 25 --method held-karp
tsp|--random 14 --batch 300000
perm|--n 9 --random 1000000000
magic|--check squares.txt
RUNS

# Ctrl-C and a closed terminal go to all processes of the terminal, the end of a job to all of a group: also to the
# linker that PoCL runs
with_drivers
for signal in SIGINT SIGHUP SIGTERM; do
name="$signal while a driver's linker works is a stop"
if [ -r /proc/self/stat ] && [ -n "$python" ] && run devices --backend opencl && [ $status -eq 0 ]; then
    mkdir "$tmp/kernels$signal"
    POCL_CACHE_DIR="$tmp/kernels$signal" "$python" - "$bin/combgpu" $signal >"$tmp/out" <<'END'
import os, signal, subprocess, sys, time
run = subprocess.Popen([sys.argv[1], "tsp", "--random", "16", "--method", "brute-force", "--backend", "opencl", "--time-limit", "60"],
                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
def parent(process):
    try:
        return int(open("/proc/%s/stat" % process).read().rsplit(")", 1)[1].split()[1])
    except OSError:
        return 0
def children():
    return any(parent(process) == run.pid for process in os.listdir("/proc") if process.isdigit())
until, seen = time.time() + 15, False
while run.poll() is None and not seen and time.time() < until:
    seen = children()
    time.sleep(0.001)
if run.poll() is None:
    os.killpg(run.pid, getattr(signal, sys.argv[2]))
text = run.communicate()[0].decode()
print(run.returncode, "stopped before the end" in text) if seen else print("no process")
END
    case $(cat "$tmp/out") in
    "no process") skip "the driver starts no process" "$name" ;;
    *) is "$(cat "$tmp/out")" "3 True" "$name" ;;
    esac
else
    skip "no OpenCL, /proc or Python" "$name"
fi
done
without_drivers

rm -f "$tmp/squares.txt"
# what is known at a stop is written: of a batch, too, whose tours are listed at its end
timeout --foreground --preserve-status -k 20 -s INT 0.7 "$bin/combgpu" tsp --random 40 --batch 100000 --threads 1 --backend cpu \
    --list --lengths "$tmp/lengths" >"$tmp/out" 2>"$tmp/err" </dev/null
is "$? $(wc -l <"$tmp/out" | tr -d ' ') $(grep -c '^1 ' "$tmp/out")" "3 100000 $(grep -c proven "$tmp/lengths")" \
    "tsp --batch --list: Ctrl-C leaves no tour out"
run perm --n 6 --random 3000 --seed 5
mv "$tmp/out" "$tmp/whole"
timeout --foreground --preserve-status -k 20 -s INT 0.2 "$bin/combgpu" perm --n 6 --random 1000000000 --seed 5 >"$tmp/out" 2>"$tmp/err"
next=$(sed -n 's/.*continue with --first \([0-9]*\) --random \([0-9]*\)$/\1 \2/p' "$tmp/err")
done=$(wc -l <"$tmp/out" | tr -d ' ')
is "$next" "$done $((1000000000 - done))" "perm --random: Ctrl-C says how to go on"
# Ctrl-C is a stop from the beginning, and ends the wait for a file that does not come
if mkfifo "$tmp/never" 2>/dev/null; then
    exec 8<>"$tmp/never"
    for arguments in "tsp -" "magic --check $tmp/never" "perm --n 5 --check -"; do
        # shellcheck disable=SC2086
        timeout --foreground --preserve-status -k 5 -s INT 0.2 "$bin/combgpu" $arguments <&8 >"$tmp/out" 2>"$tmp/err"
        is "$? $(cat "$tmp/err")" "3 stopped before the search began" "Ctrl-C ends the wait of $arguments"
    done
    for delay in 0.003 0.01 0.02; do # Ctrl-C while the device is opened
        timeout --foreground --preserve-status -k 5 -s INT $delay "$bin/combgpu" tsp - <&8 >"$tmp/out" 2>"$tmp/err"
        status=$?
        [ $status = 130 ] && status=3 # before the program has begun
        is $status 3 "Ctrl-C after $delay s, before the wait, ends the program"
    done
    exec 8<&-
else
    skip "no mkfifo" "Ctrl-C ends the wait for a file"
fi
timeout --foreground --preserve-status -s HUP 0.7 "$bin/combgpu" no3 --n 15 --backend cpu --threads 1 --checkpoint "$tmp/closed" \
    >"$tmp/out" 2>"$tmp/err" </dev/null
is "$? $([ -s "$tmp/closed" ] && echo saved)" "3 saved" "a terminal that is closed stops a run, which saves its state"

# an interrupted run says exactly how to go on; the quotes are for the shell's sake
state="$tmp/it's here"
timeout --foreground --preserve-status -s INT 0.7 "$bin/combgpu" no3 --n 14 --backend cpu --threads 1 --checkpoint "$state" \
    >"$tmp/out" 2>"$tmp/err" </dev/null
is $? 3 "SIGINT stops with exit status 3"
grep -q 'so far' "$tmp/out"
point $? "... and what is known so far"
command=$(sed -n 's/.*resume with: //p' "$tmp/err")
[ -n "$command" ] && [ -s "$state" ]
point $? "... and a checkpoint, and the command that resumes it"
eval "$command --time-limit 0.2 --json" >"$tmp/out" 2>"$tmp/err"
is "$? $(value status)" "3 stopped" "... which works as printed"
is_json
point $? "... and with --json is in the object, quotes and all"
eval "$command --time-limit 0.2 --json" 2>&1 | sed -n 1p >"$tmp/out"
is_json
point $? "... which is whole before the message, where both go to one place"
run no3 --n 14 --backend cpu --checkpoint "$state"
[ $status -eq 2 ] && grep -q -e '--resume' "$tmp/err"
point $? "a checkpoint is not overwritten without --resume"
mv "$state" "$state.bak"
run no3 --n 14 --backend cpu --checkpoint "$state" --resume --time-limit 0.1
is "$status $(grep -c 'does not exist; resumed from the older .*bak$' "$tmp/err")" "3 1" "--resume says that it resumes the .bak"
run no3 --n 13 --backend cpu --checkpoint "$state" --resume
[ $status -eq 2 ] && text_line "$tmp/err" && grep -q 'another job: n is 14 there and 13 here' "$tmp/err"
point $? "a checkpoint of another search is refused"

# ---- shards

# KEY PARTS PROGRAM ARGUMENT...: the sum of KEY over all parts
sum() {
    key=$1 parts=$2 total=0 part=0
    shift 2
    while [ $part -lt $parts ]; do
        run "$@" --shard $part/$parts --json
        total=$((total + $(value $key)))
        part=$((part + 1))
    done
    echo $total
}
is "$(sum all 3 no3 --n 10 --backend cpu)" 1135 "no3: three shards add up"
is "$(sum count 5 magic --order 4 --backend cpu)" 7040 "magic: five shards add up"
is "$(sum count 7 perm --n 9 --backend cpu)" 362880 "perm: seven shards add up"

# ---- each program's own options

"$bin/combgpu" magic --order 3 --list 2>"$tmp/err" | "$bin/combgpu" magic --check - --json >"$tmp/out"
is "$? $(value squares) $(value magic)" "0 8 8" "magic --check reads what magic --list printed"
run magic --check "$tmp/plain"
is "$status $(tail -n 1 "$tmp/out")" "1 not magic" "magic --check: exit status 1 for a square that is not magic"
run magic --givens "16 3 2 13 / ? ? ? ? / ? ? ? ? / ? 15 14 ?" --json
want=$(value count)
run magic --givens "16 3 2 13 / ? ? ? ? / ? ? ? ? / ? 15 14 ?" --list
is "$(grep -c '16  *3  *2  *13' "$tmp/out")" "$want" "magic --givens --list prints as many squares as it counts"
grep -A 3 '16  *3  *2  *13' "$tmp/out" | tr -s ' \n' ' ' | grep -q '5 10 11 8 9 6 7 12 4 15 14 1'
point $? "... Dürer's among them"
run magic --order 4 --list --frenicle --limit 5 --json
is "$status $(value status) $(grep -o '\[\[' "$tmp/out" | wc -l | tr -d ' ')" "0 found 5" "magic --limit ends with status found"
is_json
point $? "magic --list --json is one JSON object"
"$bin/combgpu" magic --order 4 --list --frenicle --first 870 --count 3 2>"$tmp/err" >"$tmp/range"
"$bin/combgpu" magic --order 4 --frenicle --first 870 --count 3 --output "$tmp/range.text" --json >"$tmp/out" 2>"$tmp/err"
cmp -s "$tmp/range" "$tmp/range.text"
is "$? $(value total) $(value count) $(grep -c . "$tmp/range")" "0 880 3 12" "magic --first --count prints and --output writes a range"
"$bin/combgpu" magic --order 4 --output "$tmp/range" --format bytes 2>"$tmp/err" >"$tmp/out"
is "$? $(wc -c <"$tmp/range" | tr -d ' ')" "0 112640" "magic --format bytes writes 16 bytes a square"
run magic --order 7 --kind ultramagic --list --first 0 --count 1 --time-limit 0.01 --json
is "$status $(value total) $(grep -c 'first finds and sorts all squares; --limit K' "$tmp/err") $(grep -c 'stopped before the first square' "$tmp/err")" \
    "3 0 1 1" "magic --first says that a list in order first finds all squares"
run magic --order 4 --kind bimagic --json
is "$status $(value kind) $(value count)" "0 bimagic 0" "magic --kind bimagic"
run magic --order 6 --limit 5 --list --json
is "$status $(value status) $(grep -o '\[\[' "$tmp/out" | wc -l | tr -d ' ')" "0 found 5" "magic --order 6 --limit"
run magic --order 4 --limit 5
grep -q 'squares so far (--limit), ' "$tmp/out"
point $? "magic --limit says that its count is incomplete"
"$bin/combgpu" magic --construct --order 10 >"$tmp/ten"
run magic --check "$tmp/ten"
is "$status" 0 "magic --construct makes a magic square"
"$bin/combgpu" magic --construct --order 35 --kind ultramagic >"$tmp/ultra"
run magic --check "$tmp/ultra"
is "$status $(grep -c '^pandiagonal\|^associative\|^ultramagic' "$tmp/out")" "0 3" "magic --construct --kind ultramagic"
"$bin/combgpu" magic --order 4 --list --one-line 2>"$tmp/err" >"$tmp/lines"
run magic --check "$tmp/lines" --json
is "$status $(wc -l <"$tmp/lines" | tr -d ' ') $(value squares) $(value most_perfect)" "0 7040 7040 384" "magic --list --one-line, read by --check"
"$bin/combgpu" magic --construct --order 9 --kind bimagic >"$tmp/bimagic"
run magic --check "$tmp/bimagic"
is "$status $(grep -c '^bimagic' "$tmp/out")" "0 1" "magic --construct --kind bimagic"
"$bin/combgpu" magic --order 4 --list --frenicle 2>"$tmp/err" | "$bin/combgpu" magic --check - --json >"$tmp/out"
is "$(sed 's/.*"dudeney": \(\[[^]]*\]\).*/\1/' "$tmp/out")" "[48, 48, 48, 96, 96, 304, 56, 56, 56, 56, 8, 8]" \
    "magic --check counts Dudeney's classes"
is "$("$bin/combgpu" magic --order 4 --list 2>"$tmp/err" | "$bin/combgpu" magic --check - --form canonical | paste - - - - - | sort -u | wc -l | tr -d ' ')" 220 \
    "magic --check --form canonical: 220 forms of order 4"
run magic --numbers "5 17 29 47 59 71 89 101 113" --sum 177 --list --frenicle --json
is "$status $(value count) $(value up_to_d4) $(grep -o '\[17, 89, 71\]' "$tmp/out")" "0 8 1 [17, 89, 71]" \
    "magic --numbers: nine primes with sum 177"
run magic --numbers "-4 -3 -2 -1 0 1 2 3 4" --json
is "$status $(value count) $(value 0)" "0 8 1" "magic --numbers, negative ones: 0 is in the centre"
run magic --numbers "9 10 11 12 13 14 15 16 17"
is "$status $(grep -c 'centre 13:  *1$' "$tmp/out")" "0 1" "magic --numbers: the number in the centre, not its rank"
for search in "magic --order 4 --one-line" "no3 --n 8 --format flammenkamp"; do
    rm -f "$tmp/more" "$tmp/more.ck" "$tmp/more.ck.bak"
    got=
    for resume in "" --resume --resume; do
        run $search --list --limit 8 --output "$tmp/more" --checkpoint "$tmp/more.ck" $resume
        got="$got $status $(wc -l <"$tmp/more" | tr -d ' ')"
    done
    is "$got" " 0 8 0 16 0 24" "${search%% *} --limit: resumed, it stops after as many more"
done
nine="-3 1 2 -4 0 4 -2 -1 3"
for format in text csv npy "text --one-line"; do
    # shellcheck disable=SC2086
    run magic --numbers "$nine" --format $format --output "$tmp/nine" --quiet
    run magic --check "$tmp/nine" --numbers "$nine" --sum 0 --json
    is "$status $(value squares) $(value permutation) $(value magic) $(value pandiagonal) $(value associative)" "0 8 8 8 0 " \
        "magic --check --numbers: eight squares of these numbers (--format $format)"
    is_json
    point $? "... in one JSON object"
done
run magic --check "$tmp/nine" --numbers "1 2 3 4 5 6 7 8 9" --json
is "$status $(value permutation) $(value magic)" "1 0 0" "... and none of others"
while IFS='|' read -r square want; do
    echo "$square" >"$tmp/nine"
    run magic --check "$tmp/nine" --numbers "$nine"
    is "$status $(grep -c -e "$want" "$tmp/out") $(grep -c '^not magic' "$tmp/out")" "1 1 1" "magic --check --numbers: $want"
done <<'WRONG'
-3 2 1 4 0 -4 -1 -2 7|row 2, column 2 is 7, which --numbers does not have
-3 2 1 4 0 -4 -1 -2 1|row 2, column 2 is 1, more often than in --numbers
-3 2 1 0 4 -4 -1 -2 3|column 0 adds up to -4 and must add up to 0
WRONG
echo "1 2 3 4" >"$tmp/nine"
run magic --check "$tmp/nine" --numbers "$nine"
is "$status" 2 "magic --check --numbers: squares of another order are refused"
ten=$(seq -s' ' -5 10) # lines of four add up to ten, as a square of order 2 on one line does
run magic --numbers "$ten" --list --limit 1 --output "$tmp/nine"
run magic --check "$tmp/nine" --numbers "$ten" --json
is "$status $(value squares) $(value magic)" "0 1 1" "magic --check --numbers: rows are no squares of a smaller order"
seq -s' ' 1 4 >"$tmp/nine"
seq -s' ' 5 16 >>"$tmp/nine"
run magic --check "$tmp/nine" --order 4
is "$status $(grep -c '^not magic' "$tmp/out")" "1 1" "magic --check: --order says whether a line is a row or a square"
printf '2 7 6 9 5 1 9 3 8\n2 7 6 9 5 1 4 3 8\n' >"$tmp/nine"
run magic --check "$tmp/nine"
is "$status $(grep -c -e 'order 9 needs 81; --order 3 reads a square from each line$' "$tmp/err")" "2 1" \
    "... and a list whose first square is wrong says so"
run magic --check "$tmp/nine" --order 3 --json
is "$status $(value squares) $(value order)" "1 2 3" "... and is read with it"
run magic --estimate --order 6 --samples 3000 --seed 5 --backend cpu --threads 1 --json
want="$status $(value up_to_d4) $(value standard_error) $(value checksum)"
run magic --estimate --order 6 --samples 3000 --seed 5 --json
is "$status $(value up_to_d4) $(value standard_error) $(value checksum)" "$want" \
    "magic --estimate: equal for a seed, whatever the backend"
is_json
point $? "magic --estimate --json is one JSON object"
run magic --estimate --order 4 --samples 2 --json
is "$status $(value count) $(value standard_error) $(value relative_error)" "0 0 null null" \
    "magic --estimate --json: an error that is not known is null"
run magic --estimate --order 4 --error 0.2 --json
awk "BEGIN { exit !($(value relative_error) <= 0.2 && $(value samples) >= 65536) }"
point $? "magic --estimate --error ends when the error is small enough"
run magic --diagonals 430000000000:2 --shard 7/64 --json
is "$status $(value configurations) $(value steps)" "0 2 1" "magic --diagonals counts a part of order 6"
is "$("$bin/combgpu" magic --order 7 --kind pandiagonal --estimate --samples 1 | sed 2q)" \
    "order 7, pandiagonal: no sample found a square: take more samples
  standard error not known, 1 sample, seed 0" "an estimate without a square has no error"

run no3 --n 7 --class full --format npy --output "$tmp/none.npy"
run no3 --check "$tmp/none.npy"
is "$status $(grep -c 'none.npy holds no numbers' "$tmp/err")" "2 1" "no3 --check: an empty .npy list is not called cut off"
printf 'full 0,1 0,1\niden 1,3 - 0,1 4,5 0,2 2,3,4\n' >"$tmp/odd" # of two sides, and of rows with no point or three
run no3 --check "$tmp/odd" --list --json
grep -q '"rows": \[\[0, 1\], \[0, 1\]\]}, .*"rows": \[\[1, 3\], \[\], \[0, 1\], \[4, 5\], \[0, 2\], \[2, 3, 4\]\]}\]' "$tmp/out"
point $? "no3 --check --list --json: boards as they are"
printf '0,2 1,3 1,3 0,2\n0,1 2,3 0,1 2,3\n' >"$tmp/bare"
run no3 --check "$tmp/bare" --json
is "$status $(value solutions_found) $(value n)" "0 2 4" "no3 --check: boards without the word of their class"
printf '0,1 0,1 0,1\n' >"$tmp/bare" # the first row was taken for that word, the others for a solution
run no3 --check "$tmp/bare" --json
is "$status $(value points)" "1 6" "... keep their first row"
printf 'iden 1,3 - 0,1 4,5 0,2,3 2,3,4\n' >"$tmp/odd" # twelve points
for format in csv jsonl npy flammenkamp; do
    run no3 --check "$tmp/odd" --list --format $format
    is "$status $(grep -c "format $format.* two " "$tmp/err")" "2 1" "... and what --format $format cannot hold is refused"
done
run no3 --n 92 --class rot4 --list --format flammenkamp --time-limit 1
is "$status $(grep -c '90 columns' "$tmp/err")" "2 1" "no3 --format flammenkamp: a side above 90 is refused at once"
run no3 --n 8 --limit 1 --format rle
cp "$tmp/out" "$tmp/one.rle"
run no3 --check "$tmp/one.rle"
is "$status" 0 "no3 --check accepts what no3 --format rle printed"
printf 'x = 3, y = 3\n3o$3o$3o!\n' >"$tmp/full.rle"
run no3 --check "$tmp/full.rle"
is "$status" 1 "no3 --check: exit status 1 for a board with three in line"
printf '#C stop!  \r\n#C and go!\r\nx=2,y=2 \t\r\n2o$2o! \t\r\n \t\r\n#C!\nx = 2, y = 2\n2o$\n #C here!\n2o!\n \n' >"$tmp/two.rle"
run no3 --check "$tmp/two.rle" --json
is "$status $(value boards) $(value solutions_found)" "0 2 2" "no3 --check: ! in a comment, blanks behind the lines of .rle"
for format in text flammenkamp rle draw csv; do
    "$bin/combgpu" no3 --n 6 --format $format --quiet 2>"$tmp/err" >"$tmp/plain.list"
    for blanks in s t r tsr; do # spaces, tabs, carriage returns
        awk -v blanks="$(printf %s $blanks | tr str ' \t\r')" '{ print $0 blanks }' "$tmp/plain.list" >"$tmp/blank.list"
        run no3 --check "$tmp/blank.list" --json
        is "$status $(value boards) $(value solutions_found)" "0 11 11" "no3 --check: blanks ($blanks) behind each line of $format"
    done
done
run no3 --n 10 --class rot4 --list --json
is "$status $(value up_to_symmetry) $(grep -o '"rows"' "$tmp/out" | wc -l | tr -d ' ')" "0 7 7" \
    "no3 --class rot4: the 6 with a quarter turn and the 1 with all symmetries"
is_json
point $? "no3 --list --json is one JSON object"
run no3 --n 10 --class full --format flammenkamp
is "$(cat "$tmp/out")" "*45271836090936182745" "no3 --format flammenkamp"
cp "$tmp/out" "$tmp/line"
run no3 --check "$tmp/line" --json
is "$status $(value class) $(value points)" "0 full 20" "no3 --check reads that too"
run no3 --n 20 --class rot4 --limit 1 --seed 7 --svg -
grep -q '^<svg' "$tmp/out" && [ "$(grep -c '<circle' "$tmp/out")" -eq 40 ]
point $? "no3 --svg draws the 40 points of n = 20"
run no3 --n 20 --class rot4 --limit 1 --seed 7 --list --threads 1 --backend cpu
cp "$tmp/out" "$tmp/first"
run no3 --n 20 --class rot4 --limit 1 --seed 7 --list --threads 2 --backend cpu
cmp -s "$tmp/out" "$tmp/first" && [ -s "$tmp/out" ]
point $? "no3 --limit 1 --seed 7 is the same one with any number of threads"
printf ".oo.\n. - . .\n" >"$tmp/fixed"
run no3 --n 4 --fixed "$tmp/fixed" --json
run2=$(value all)
run no3 --n 4 --on 1,0 --on 2,0 --off 1,1 --list --every-orientation
is "$(grep -c ',' "$tmp/out") $(grep -c '^[a-z0-9]* 1,2 ' "$tmp/out")" "$run2 $run2" \
    "no3 --fixed, --on, --off: boards with those cells alone"
run no3 --n 22 --class rot4 --backend cpu --progress json --progress-every 0.05 --json
[ "$status" -eq 0 ] && is_json
point $? "no3 --progress json: standard output is just the result"
if [ -n "$python" ]; then
    "$python" - "$tmp/err" <<'END'
import json, sys
last = 0
lines = [json.loads(line) for line in open(sys.argv[1])]
for p in lines:
    for key in ("steps", "steps_per_s", "elapsed_s", "remaining_s", "remaining_error_s", "solutions",
                "tasks_left", "device", "devices"):
        assert key in p, key
    fraction = p["fraction"] or 0  # null: not known yet
    assert last <= fraction <= 1
    last = fraction
assert lines and last == 1 and lines[-1]["tasks_left"] == 0 and lines[-1]["remaining_s"] == 0
END
    point $? "no3 --progress json: each line is an object, the fraction never falls, the last is 1"
else
    skip "no python3" "no3 --progress json: each line is an object"
fi
run no3 --help all
is "$(grep -c 'auto (the default: ' "$tmp/out")" 1 "--progress: the help has all of its words"
run no3 --n 13 --backend cpu --threads 1 --progress-every 0.1 --time-limit 60
grep -q '^no3, n = 13: *[0-9.]* % after .* steps/s, [0-9]* found, .* left$' "$tmp/err"
point $? "no3 in a log: a line with percent, speed and time left"
run no3 --n 22 --class rot4 --backend cpu --progress none
is "$status $(wc -c <"$tmp/err" | tr -d ' ')" "0 0" "no3 --progress none says nothing"
run no3 --n 14 --backend cpu --forecast
grep -q '^[0-9.]* [MG] steps (95 %: .* to .*), at .* steps/s on .*: .* (95 %: .* to .*, from 64 samples)$' "$tmp/out"
point $? "no3 --forecast says steps and time with their errors"
run no3 --n 14 --backend cpu --forecast --json
is_json && [ "$(value samples)" = 64 ] && [ -n "$(value seconds_error)" ]
point $? "no3 --forecast --json"
run perm --n 20 --forecast --backend cpu --json
is "$status $(value steps) $(value steps_error) $(value seconds_low)" "0 2.43290200817664e+18 null null" \
    "--forecast --json: an error that is not known is null"
run no3 --n 14 --backend cpu --forecast --time-limit 0.01 --slice-ms 1
is "$status $(grep -c 'the time is not known' "$tmp/out") $(grep -c 'stopped before the end$' "$tmp/err")" "3 1 1" \
    "no3 --forecast that is stopped does not know the time, with exit status 3"
run magic --order 5 --forecast --time-limit 0.001 --threads 1 --json
is "$(cat "$tmp/out")" '{"status": "stopped"}' "magic --forecast stops while it samples, and then knows nothing"
run no3 --n 12 --limit 1 --backend cpu --forecast
grep -q 'steps.* in all: as many as --limit asks for are found within a second$' "$tmp/out"
point $? "no3 --limit --forecast says when the limit is reached in the calibration"
run no3 --n 14 --limit 3000000 --backend cpu --forecast
grep -q '^[0-9.]* [MG] steps without --limit (95 %: ' "$tmp/out"
point $? "no3 --limit --forecast says that it is of the whole search where the limit is far"
run magic --order 4 --forecast --json
is "$status $(value done)" "0 true" "magic --forecast: a short search is done in the calibration"
run no3 --n 4 --list --every-orientation
is "$(grep -c ',' "$tmp/out")" 11 "no3 --every-orientation prints all 11 of 4 x 4"

run perm --n 3 --list
is "$(tr '\n' / <"$tmp/out")" "0 1 2/0 2 1/1 0 2/1 2 0/2 0 1/2 1 0/" "perm --list: lexicographic order"
run perm --n 9 --list
LC_ALL=C sort -c "$tmp/out" && [ "$(wc -l <"$tmp/out")" -eq 362880 ]
point $? "perm --list: a long list too is in order"
run perm --n 20 --first 2432902008176639999 --list
is "$(cat "$tmp/out")" "19 18 17 16 15 14 13 12 11 10 9 8 7 6 5 4 3 2 1 0" "perm --first: the last of 20"
run perm --n 30 --unrank 123456789012345678901234567890
run perm --rank "$(cat "$tmp/out")"
is "$(cat "$tmp/out")" 123456789012345678901234567890 "perm --rank undoes --unrank, with 30 elements"
run perm --next "0 2 1"
is "$status $(cat "$tmp/out")" "0 1 0 2" "perm --next"
run perm --next "2 1 0"
is "$status" 1 "perm --next: exit status 1 after the last"
run perm --previous "1 0 2"
is "$status $(cat "$tmp/out")" "0 0 2 1" "perm --previous"
run perm --previous "0 1 2"
is "$status" 1 "perm --previous: exit status 1 before the first"
run perm --inverse "1 2 0"
is "$(cat "$tmp/out")" "2 0 1" "perm --inverse"
run perm --parity "1 0 2"
is "$(cat "$tmp/out")" odd "perm --parity"
run perm --n 20 --random 1 --seed 7 --first 5
one=$(cat "$tmp/out")
run perm --n 20 --random 9 --seed 7
is "$(sed -n 6p "$tmp/out")" "$one" "perm --random: --first goes to a place of the stream"
run perm --items "red green blue" --list
is "$(sed -n 4p "$tmp/out")" "green blue red" "perm --items prints words"
run perm --n 34 --first 295232799039604140847618609643519999998 --list
is "$(tail -n 1 "$tmp/out" | cut -c1-12)" "33 32 31 30 " "perm --first: the last of 34"
for to in chunks host device; do
    run perm --n 21 --first 18446744073709551600 --count 12345 --to $to --item-bytes 4 --json
    is "$status $(value count) $(value checksum)" "0 12345 ${same:-$(value checksum)}" \
        "perm --to $to: 12,345 permutations of 21, past 2^64"
    same=$(value checksum)
done

run perm --family multiset --repeats "1 2" --list
is "$(tr '\n' / <"$tmp/out")" "0 1 1/1 0 1/1 1 0/" "perm: a multiset, each arrangement once"
run perm --family gray --n 3 --list
is "$(tr '\n' / <"$tmp/out")" "0 1 2/0 2 1/2 0 1/2 1 0/1 2 0/1 0 2/" "perm: Gray code, two neighbours change places"
run perm --family cycle --n 3 --list
is "$(tr '\n' / <"$tmp/out")" "1 2 0/2 0 1/" "perm: the cycles of three"
run perm --family circular --n 4 --list
is "$(head -n 2 "$tmp/out" | tr '\n' /)$(wc -l <"$tmp/out")" "0 1 2 3/0 1 3 2/6" "perm: round a table"
run perm --family derangement --n 9 --list
LC_ALL=C sort -c "$tmp/out" && [ "$(wc -l <"$tmp/out")" -eq 133496 ]
point $? "perm: 133,496 derangements of nine, in order"
run perm --family combination --n 49 --k 6 --unrank 13983815
is "$(cat "$tmp/out")" "43 44 45 46 47 48" "perm --unrank: the last 6 of 49"
run perm --family combination --n 49 --k 6 --rank "$(cat "$tmp/out")" --json
is "$(value rank)" 13983815 "perm --rank undoes it"
is "$(sum count 3 perm --family partial --n 9 --k 5 --backend cpu)" 15120 "perm: three shards add up"
# k of n with a sum or product, against all k of n, looked at one by one
for family in combination partial; do
    "$bin/combgpu" perm --family $family --n 9 --k 4 --list >"$tmp/all"
    run perm --family $family --n 9 --k 4 --sum 17:19 --list --quiet
    awk '{ s = $1 + $2 + $3 + $4 + 4; if (s >= 17 && s <= 19) print $1 + 1, $2 + 1, $3 + 1, $4 + 1 }' "$tmp/all" |
        cmp -s - "$tmp/out" && [ "$status" -eq 0 ]
    point $? "perm --sum 17:19, $family: as one by one"
    run perm --family $family --k 4 --values "36 3 1 2 18 12 4 6 9" --product 432 --list --quiet
    awk 'BEGIN { split("1 2 3 4 6 9 12 18 36", v) }
        { a = v[$1 + 1]; b = v[$2 + 1]; c = v[$3 + 1]; d = v[$4 + 1]; if (a * b * c * d == 432) print a, b, c, d }' "$tmp/all" |
        sort >"$tmp/want"
    sed 's/  */ /g; s/^ //' "$tmp/out" | sort | cmp -s - "$tmp/want" && [ -s "$tmp/want" ]
    point $? "perm --product 432 of nine values, $family: as one by one"
done
run perm --n 49 --k 6 --sum 150 --json
is "$(value hits) $(value members)" "165772 13983816" "perm --sum: 6 of 1 .. 49 that add up to 150"
run perm --n 6 --k 2 --sum 7 --list --json
is "$status $(grep -o '"members"' "$tmp/out" | wc -l | tr -d ' ') $(value out_of)" "0 1 15" "perm --sum --list --json: no key twice"
run perm --k 3 --values "-5 -2 0 2 5 7" --sum 0 --list --quiet --count 1
is "$(sed 's/  */ /g; s/^ //' "$tmp/out")" "-5 -2 7" "perm --sum: negative values, the first of the list"
run perm --n 10 --fixed-points 0 --json
is "$(value hits)" 1334961 "perm --fixed-points 0: the derangements of ten"
run perm --family derangement --n 1 --backend cpu --json
is "$(value count) $(value backend)" "0 cpu" "perm: no derangement of one"
run perm --family derangement --n 1 --list --format csv
is "$status $(cat "$tmp/out")" "0 p1" "... an empty list"
is "$(sum count 2 perm --family partial --n 5 --k 0)" 1 "... and one arrangement of none of five, in one of two shards"
run perm --family partial --n 5 --k 0 --json
is "$(value count)" 1 "perm: one arrangement of none of five"
run qap --assignment "12 7 9 3 4 8 11 1 5 6 10 2"
is "$(cat "$tmp/out")" 578 "qap: nug12 with the optimal assignment of QAPLIB"
printf '3\n0 1 2\n3 0 4\n5 6 0\n\n0 7 1\n2 0 3\n4 9 0\n' >"$tmp/three.qap"
for search in "qap --size 8" "tsp --random 8 --shortest 3" "tsp --random 8 --method brute-force"; do
    run $search --shard 0/2
    is "$(grep '^shard' "$tmp/out")" "shard 0/2: the best of all shards counts" \
        "${search%% *} --shard: bests do not add up"
done
run no3 --n 6 --limit 3 --shard 0/2
is "$(grep -c "^shard 0/2: --limit ended it" "$tmp/out")" 1 "no3 --limit --shard: counts that end there do not add up"
run tsp --random 8 --batch 4 --shard 0/2
is "$(grep -c 'add up$' "$tmp/out")" 1 "tsp --batch --shard: these do"
run magic --order 6 --estimate --samples 600 --shard 0/2
is "$(grep -c '^shard 0/2: a separate estimate' "$tmp/out")" 1 "magic --estimate --shard: estimates do not add up"
run qap --size 8 --shard 0/2 --json
is "$status $(value proven)" "0 false" "qap --shard: a single shard proves nothing"
run qap "$tmp/three.qap" --json
is "$status $(value cost)" "0 80" "qap: an asymmetric instance"
run qap --json
is "$status $(value cost) $(value proven)" "0 578 true" "qap: nug12, proven"
run qap --random 7 --histogram 4
is "$(awk 'NF == 2 { gsub(",", "", $2); sum += $2 } END { print sum }' "$tmp/out")" 5040 "qap --histogram has every permutation"

run tsp $tsplib/ulysses16.tsp --tour "$tmp/tour" --json
is "$(value length) $(grep -c '^[0-9]*$' "$tmp/tour") $(tail -n 2 "$tmp/tour" | tr '\n' ' ')" "6859 16 -1 EOF " \
    "tsp --tour writes a TSPLIB tour"
run tsp $tsplib/pr76.tsp --from $tsplib/pr76.optimal.tour --search-seed 3 --time-limit 0.05 --json
is "$(value length) $(value optimal)" "108159 false" "tsp --from begins with a tour; the bound is printed"
run tsp $tsplib/pr76.tsp --time-limit 0.05
grep -q '^proven lower bound 10[0-9]*, gap [0-9.]* %$' "$tmp/out"
point $? "tsp: a search that ends early prints bound and gap"
printf 'NAME : a"b\\c \351 \303\251\nTYPE : TSP\nDIMENSION : 3\nEDGE_WEIGHT_TYPE : EUC_2D\nNODE_COORD_SECTION\n1 0 0\n2 3 0\n3 3 4\nEOF\n' >"$tmp/name.tsp"
run tsp "$tmp/name.tsp" --json
is "$status $(value length)" "0 12" "tsp: a triangle of three cities"
is_json
point $? "... whose name of quotes and stray bytes still makes valid JSON"
run tsp --random 9 --seed 7 --method brute-force --json
want=$(value length)
run tsp --random 9 --seed 7 --method held-karp --json
is "$(value length)" "$want" "tsp: both methods find the same length"
run tsp tests/data/sop/ESC12.sop --json
is "$status $(value shape) $(value length) $(value optimal)" "0 path 1675 true" "tsp reads a sequential ordering problem"
printf '# pairs\n9, 3\r\n \t\n 3 ,5\n' >"$tmp/pairs"
run tsp --random 9 --before "@$tmp/pairs" --json
want=$(value length)
run tsp --random 9 --before "9, 3" --before 3,5 --json
is "$status $(value length) $(value before)" "0 $want 2" "tsp --before: pairs, from a file too"
printf '9,3\r3,5\r' >"$tmp/pairs"
run tsp --random 9 --before "@$tmp/pairs" --json
is "$status $(value length) $(value before)" "0 $want 2" "... whose lines may end with a lone carriage return"
run tsp $tsplib/burma14.tsp --shortest 3 --json
is "$status $(value optima) $(value shape)" "0 1 cycle" "tsp --shortest counts and lists"
run tsp --random 9 --path --start 2 --count-optimal
grep -q "9 cities: 1 shortest path of length" "$tmp/out"
point $? "tsp --count-optimal"
printf 'ready,due,service\n0,inf\n0,9000,5\n100 9000\n0,9000\n0;9000;10\n0,9000\n' >"$tmp/windows"
run tsp --random 6 --windows "$tmp/windows" --json
want=$(value length)
tr '\n' '\r' <"$tmp/windows" >"$tmp/returns"
run tsp --random 6 --windows "$tmp/returns" --json
is "$status $(value length)" "0 $want" "tsp --windows: lines that end with a lone carriage return"
run tsp --random 6 --json
is "$status $(value length)" "0 $want" "tsp --windows: wide ones change nothing"
printf '0,inf\n0,1\n0,1\n0,1\n0,1\n0,1\n' >"$tmp/windows"
run tsp --random 6 --windows "$tmp/windows" --earliest-end --json
is "$status $(value feasible)" "0 false" "tsp --windows: no tour keeps them"
run tsp tests/data/tsptw/rbg010a.tsptw --json
is "$status $(value name) $(value length)" "0 rbg010a.tw 671" "tsp reads time windows: LKH's form"
run tsp tests/data/tsptw/rbg016b.tw --json
is "$status $(value name) $(value length)" "0 rbg016b.tw 1304" "tsp reads time windows: matrix and pairs"
run tsp tests/data/tsptw/n20w20.002.txt --earliest-end --json
is "$status $(value name) $(value end)" "0 n20w20.002 296" "tsp reads time windows: customers"
run tsp tests/data/tsptw/rbg016b.tw --backend cpu --memory-limit 1
is "$status $(grep -c 'a table of 4194308 bytes; --memory-limit allows 1048576' "$tmp/err")" "1 1" "tsp: a table above --memory-limit"
run tsp --random 10 --kicks 3
is "$status $(grep -c -e '--kicks is ignored: the method was held-karp' "$tmp/err")" "0 1" "tsp --kicks says if it is ignored"
run tsp --random 10 --search-seed 3
is "$status $(grep -c -e '--search-seed is ignored: the method was held-karp' "$tmp/err")" "0 1" "tsp --search-seed says if it is ignored"
run tsp --random 20 --verify 100
grep -q -e 'warning: .*: --verify does not apply' "$tmp/err"
point $? "tsp --verify: a warning that names the option"
run tsp $tsplib/ulysses16.tsp --svg "$tmp/svg"
[ "$status" -eq 0 ] && [ "$(grep -c '<circle' "$tmp/svg")" -eq 16 ] && tail -n 1 "$tmp/svg" | grep -q '^</svg>$'
point $? "tsp --svg draws all cities"
run tsp --random 8 --seed 3 --json
want=$(value length)
run tsp --random 8 --seed 3 --batch 50
[ "$status" -eq 0 ] && grep -q "^50 of 50 instances" "$tmp/out" && sed -n 2p "$tmp/out" | grep -q "^    $want "
point $? "tsp --batch: the first instance is that of --seed"
run tsp --random 8 --seed 3 --batch 50 --json
is "$status $(value solved)" "0 50" "tsp --batch --json"
run tsp --random 18 --seed 3 --batch 20 --instance-steps 1 --lengths "$tmp/lengths" --json
is "$status $(grep -c ',proven$' "$tmp/lengths") $(grep -c ',bounded$' "$tmp/lengths")" \
    "0 $(value solved) $(value bounded)" "tsp --batch of 18 cities: states of --lengths"
for format in text csv jsonl npy bytes; do
    run tsp --random 17 --seed 3 --batch 12 --format $format --output "$tmp/tours" --json
    want=$(value sum_of_lengths)
    # shellcheck disable=SC2046
    run tsp --random 17 --seed 3 --batch 12 --check "$tmp/tours" $(case $format in bytes) echo "--format bytes" ;; esac) --json
    is "$status $(value tours) $(value sum_of_lengths)" "0 12 $want" "tsp --batch --check reads $format"
done
for format in text npy bytes; do
    rm -f "$tmp/tours1" "$tmp/lengths" "$tmp"/batch.ck*
    run tsp --random 20 --batch 500 --format $format --output "$tmp/tours1" --lengths "$tmp/lengths" \
        --checkpoint "$tmp/batch.ck" --time-limit 0.001 --slice-ms 1
    run tsp --random 20 --batch 500 --format $format --output "$tmp/tours1" --lengths "$tmp/lengths" \
        --checkpoint "$tmp/batch.ck" --resume --json
    got="$status $(value in_sums) $(value sum_of_lengths)"
    run tsp --random 20 --batch 500 --format $format --output "$tmp/tours2" --lengths "$tmp/lengths2" --json
    is "$got" "0 500 $(value sum_of_lengths)" "tsp --batch --resume, $format: sums are of all instances"
    cmp -s "$tmp/tours1" "$tmp/tours2" && cmp -s "$tmp/lengths" "$tmp/lengths2"
    point $? "tsp --batch --resume, $format: the files have what was known before"
done
cp "$tmp/tours1" "$tmp/before"
cp "$tmp/lengths" "$tmp/lengths2"
(
    trap '' XFSZ
    ulimit -f 1
    "$bin/combgpu" tsp --backend cpu --random 20 --batch 500 --format bytes --output "$tmp/tours1" --lengths "$tmp/lengths" \
        --checkpoint "$tmp/batch.ck" --resume >/dev/null 2>"$tmp/err"
)
got="$? $(grep -c 'cannot be written' "$tmp/err") $(ls "$tmp"/tours1* "$tmp"/lengths.* 2>/dev/null | wc -l | tr -d ' ')"
cmp -s "$tmp/tours1" "$tmp/before" && cmp -s "$tmp/lengths" "$tmp/lengths2"
is "$got $?" "1 2 1 0" "tsp --batch --resume on a full disk: the files stay as they were"
# what replaces them has their rights and owner; a file of two names keeps both
rm -f "$tmp/tours2" "$tmp/lengths2"
chmod 620 "$tmp/tours1"
test "$(id -u)" != 0 || chown 65534:65534 "$tmp/tours1"
# shellcheck disable=SC2012
before=$(ls -ln "$tmp/tours1" | cut -d ' ' -f 1-4)
ln "$tmp/lengths" "$tmp/lengths2"
run tsp --random 20 --batch 500 --format bytes --output "$tmp/tours1" --lengths "$tmp/lengths" --checkpoint "$tmp/batch.ck" --resume
# shellcheck disable=SC2012
is "$status $(ls -ln "$tmp/tours1" | cut -d ' ' -f 1-4)" "0 $before" "tsp --batch --resume: a file keeps its rights and owner"
test "$tmp/lengths" -ef "$tmp/lengths2" && cmp -s "$tmp/tours1" "$tmp/before"
point $? "... its other name, and what it has"
"$bin/combgpu" no3 --n 6 --backend cpu --threads 1 --list --output - >"$tmp/a" 2>"$tmp/err"
"$bin/combgpu" no3 --n 6 --backend cpu --threads 1 --list --output /dev/stdout >"$tmp/b" 2>"$tmp/err"
cmp -s "$tmp/a" "$tmp/b" && [ "$(wc -l <"$tmp/b")" -eq 11 ]
point $? "--output /dev/stdout is -: the summary does not overwrite the list"
# without what an earlier run wrote, the files are not whole: an error, also with --quiet
rm "$tmp/tours1"
run tsp --random 20 --batch 500 --format bytes --output "$tmp/tours1" --lengths "$tmp/lengths" --checkpoint "$tmp/batch.ck" --resume --quiet
is "$status $(grep -c 'the list lacks 500 instances that an earlier run solved; to solve all again, remove the checkpoint' "$tmp/err")" "1 1" \
    "tsp --batch --resume without the tours of the run before fails"
head -c 980 "$tmp/before" >"$tmp/tours1"
run tsp --random 20 --batch 500 --format bytes --output "$tmp/tours1" --lengths "$tmp/lengths" --checkpoint "$tmp/batch.ck" --resume --quiet
is "$status $(grep -c 'not of this batch.*remove it and the checkpoint' "$tmp/err")" "2 1" "... with a part of them, too"
# a list that is resumed has what the runs before have found
for format in text csv jsonl npy bytes rle draw; do
    rm -f "$tmp/list" "$tmp"/list.ck*
    run no3 --n 11 --backend cpu --threads 1 --format $format --output "$tmp/list" --checkpoint "$tmp/list.ck" --time-limit 0.005 --slice-ms 1
    got="$status "
    run no3 --n 11 --backend cpu --threads 1 --format $format --output "$tmp/list" --checkpoint "$tmp/list.ck" --resume
    got="$got$status $(wc -c <"$tmp/list" | tr -d ' ')"
    run no3 --n 11 --backend cpu --threads 1 --format $format --output "$tmp/list2"
    is "$got" "3 0 $(wc -c <"$tmp/list2" | tr -d ' ')" "no3 --output --resume continues the list: $format"
done
# a killed run leaves items that its checkpoint does not know, and part of one: here its checkpoint is put back
for format in text csv jsonl npy bytes rle flammenkamp draw; do
    rm -f "$tmp/list" "$tmp"/list.ck*
    run no3 --n 10 --backend cpu --threads 1 --format $format --output "$tmp/list" --checkpoint "$tmp/list.ck" --limit 20
    cp "$tmp/list.ck" "$tmp/list.before"
    run no3 --n 10 --backend cpu --threads 1 --format $format --output "$tmp/list" --checkpoint "$tmp/list.ck" --limit 20 --resume
    cp "$tmp/list.before" "$tmp/list.ck"
    tail -c 9 "$tmp/list" | head -c 5 >>"$tmp/list"
    run no3 --n 10 --backend cpu --threads 1 --format $format --output "$tmp/list" --checkpoint "$tmp/list.ck" --resume
    got="$status $(wc -c <"$tmp/list" | tr -d ' ')"
    run no3 --n 10 --backend cpu --threads 1 --format $format --output "$tmp/list2"
    is "$got" "0 $(wc -c <"$tmp/list2" | tr -d ' ')" "a killed run's list, resumed, is as long as a whole one: $format"
    for list in list list2; do
        run no3 --n 10 --check "$tmp/$list" --format $format --output "$tmp/$list.sorted" --sort
    done
    cmp -s "$tmp/list.sorted" "$tmp/list2.sorted"
    point $? "... and has each item once: $format"
done
# a list that is not as the earlier run left it, or lists other images, is not whole: the run says so and fails
while IFS='|' read -r change want arguments resumed; do
    rm -f "$tmp/list" "$tmp"/list.ck*
    # shellcheck disable=SC2086
    run $arguments --backend cpu --threads 1 --output "$tmp/list" --checkpoint "$tmp/list.ck" --limit 20
    case $change in
    over) "$bin/combgpu" $arguments --backend cpu --output "$tmp/list" --checkpoint "$tmp/list.ck" --resume --quiet >/dev/null 2>&1 ;;
    gone) rm "$tmp/list" ;;
    esac
    case $change in
    cut | over) sed -n 1,9p "$tmp/list" >"$tmp/list2" && cp "$tmp/list2" "$tmp/list" ;;
    esac
    # shellcheck disable=SC2086
    run $arguments $resumed --backend cpu --threads 1 --output "$tmp/list" --checkpoint "$tmp/list.ck" --resume --json
    got="$status $(value status | tr ' ' -) $(tr -d , <"$tmp/err" | grep -c "has $(wc -l <"$tmp/list" | tr -d ' ') the search $want:")"
    got="$got $(grep -c "of $want: earlier runs found the others" "$tmp/err")"
    case $change in
    gone)
        is "$got" "0 ok 0 1" "a resumed list in another file: what it lacks is said, $arguments"
        # shellcheck disable=SC2086
        run $arguments --backend cpu --output "$tmp/list" --checkpoint "$tmp/list.ck" --resume
        is "$status $(grep -c 'an earlier run wrote to another file' "$tmp/err")" "1 1" "... and as a fault when it is resumed itself"
        ;;
    *) is "$got" "1 file-error 1 0" "a resumed list that lacks items or has others is an error: $change, $arguments" ;;
    esac
done <<'LISTS'
cut|156|no3 --n 10 --list|
over|156|no3 --n 10 --list|
every|1135|no3 --n 10 --list|--every-orientation
cut|880|magic --order 4 --list --frenicle --one-line|
over|7040|magic --order 4 --list --one-line|
gone|156|no3 --n 10 --list|
gone|880|magic --order 4 --list --frenicle|
LISTS
# two that are started at once: the later one begins when the other has ended, and goes on or is refused
lost=0
for attempt in 1 2 3 4 5 6 7 8; do
    for arguments in "no3 --n 8 --list" "magic --order 4 --list --one-line"; do
        rm -f "$tmp/list" "$tmp"/list.ck*
        set -- --backend cpu --threads 1 --output "$tmp/list" --checkpoint "$tmp/list.ck" --resume --quiet
        # shellcheck disable=SC2086
        "$bin/combgpu" $arguments "$@" >/dev/null 2>&1 &
        # shellcheck disable=SC2086
        run $arguments "$@"
        wait $! || [ $status -eq 0 ] || lost=$((lost + 1))
        [ "$(wc -l <"$tmp/list")" -eq "$(echo "$arguments" | sed 's/no3.*/57/; s/magic.*/7040/')" ] || lost=$((lost + 1))
    done
done
is $lost 0 "of two runs at once with the same list and checkpoint one writes it, and it stays"
# a checkpoint behind a link, of which only the one before the last is left: it lies beside the file, not the link
mkdir "$tmp/behind" && ln -s behind/file "$tmp/link.ck"
rm -f "$tmp/list"
set -- no3 --n 10 --list --backend cpu --threads 1 --output "$tmp/list" --checkpoint "$tmp/link.ck"
run "$@" --limit 20
mv "$tmp/behind/file" "$tmp/behind/file.bak"
run "$@" --resume
is "$status $(wc -l <"$tmp/list" | tr -d ' ') $(grep -c 'starting from the beginning' "$tmp/err")" "0 156 0" "--resume of a list finds the .bak behind a link"
# a disk that is full, or takes so many blocks a file: what could not be written is found again
while read -r blocks all checkpoint arguments; do
    rm -f "$tmp/list" "$tmp"/list.ck* "$tmp"/behind/*
    # shellcheck disable=SC2086
    (
        trap '' XFSZ
        ulimit -f "$blocks"
        "$bin/combgpu" $arguments --backend cpu --threads 1 --slice-ms 1 --checkpoint-interval 0.01 --output "$tmp/list" \
            --checkpoint "$tmp/$checkpoint" >/dev/null 2>"$tmp/err"
    )
    got="$? $(grep -c 'list cannot be written' "$tmp/err")"
    # shellcheck disable=SC2086
    run $arguments --backend cpu --threads 1 --output "$tmp/list" --checkpoint "$tmp/$checkpoint" --resume
    command=${arguments%% *}
    run "$command" --check "$tmp/list" --json
    is "$got $status $(value boards)$(value squares)" "1 1 0 $all" "after a full disk the list continues with all items: $arguments"
done <<'LISTS'
300 7040 list.ck magic --order 4 --list
300 7040 link.ck magic --order 4 --list
1200 4348 list.ck no3 --n 12 --every-orientation --format draw
LISTS
[ -h "$tmp/link.ck" ]
point $? "... and a checkpoint's link stays"
(
    trap '' XFSZ
    ulimit -f 8
    { "$bin/combgpu" perm --n 8 --list --format npy --backend cpu; echo $? >&2; } 2>"$tmp/err" | wc -c | tr -d ' ' >"$tmp/out"
)
is "$(cat "$tmp/out") $(grep -c 'npy: its temporary file cannot be written' "$tmp/err") $(grep -c -e '--first' "$tmp/err") $(tail -1 "$tmp/err")" \
    "0 1 0 1" "--format npy to a pipe: a temporary file that is full is an error"
# the last checkpoint of a search that is over
while read -r want arguments; do
    rm -f "$tmp"/over*
    # shellcheck disable=SC2086
    said=$(ulimit -f 0 && "$bin/combgpu" $arguments --backend cpu --threads 1 --checkpoint "$tmp/over" --json 2>&1)
    is "$? $(echo "$said" | grep -c "$want.*\"status\": \"file error\"") $(echo "$said" | grep -c 'over cannot be written')" "1 1 2" \
        "where the last checkpoint cannot be written, the result is shown: $arguments"
done <<'OVER'
"all":.380 no3 --n 8
"count":.7040 magic --order 4
"hits":.133496 perm --n 9 --fixed-points 0
"count":.5040 perm --n 7
"hits":.58 perm --family combination --n 12 --k 6 --sum 39
"optimal":.true tsp --random 8 --method brute-force
"optimal":.true tsp --random 20 --method branch-and-bound
"optima":.1 tsp --random 8 --shortest 5
OVER
# an editor may have taken off the newlines at the end of a list: its last item is no less whole
while read -r all arguments; do
    rm -f "$tmp/list" "$tmp"/list.ck*
    # shellcheck disable=SC2086
    run $arguments --backend cpu --threads 1 --output "$tmp/list" --checkpoint "$tmp/list.ck" --limit 20
    printf %s "$(cat "$tmp/list")" >"$tmp/list2"
    cp "$tmp/list2" "$tmp/list"
    # shellcheck disable=SC2086
    run $arguments --backend cpu --threads 1 --output "$tmp/list" --checkpoint "$tmp/list.ck" --resume
    command=${arguments%% *}
    run "$command" --check "$tmp/list" --json
    is "$status $(value boards)$(value squares)" "0 $all" "without a final newline, the list continues with all items: $arguments"
done <<'LISTS'
156 no3 --n 10 --format text
156 no3 --n 10 --format csv
156 no3 --n 10 --format jsonl
156 no3 --n 10 --format rle
156 no3 --n 10 --format flammenkamp
156 no3 --n 10 --format draw
880 magic --order 4 --frenicle --list
880 magic --order 4 --frenicle --list --one-line
880 magic --order 4 --frenicle --format csv
880 magic --order 4 --frenicle --format jsonl
LISTS
run magic --order 4 --list --count 3 --output "$tmp/list"
run magic --check "$tmp/list" --form frenicle --json
is "$status $(grep -o '"squares"' "$tmp/out" | wc -l | tr -d ' ') $(value count)" "0 1 3" "magic --check --form --json: no key twice"
# --check takes no list for whole that is damaged, where its format can tell
while IFS='|' read -r damage format arguments; do
    # shellcheck disable=SC2086
    run $arguments --backend cpu --format $format --output "$tmp/list"
    case $damage in
    item) head -c 192 "$tmp/list" >"$tmp/list2" ;; # of 208 bytes; the header of .npy has their number
    newline) sed '1{N;s/\n/5/;}' "$tmp/list" >"$tmp/list2" ;;
    nul) sed '2s/0/@/' "$tmp/list" | tr @ '\000' >"$tmp/list2" ;;
    key) sed '2s/rows/roes/' "$tmp/list" >"$tmp/list2" ;;
    letter) sed '2s/, /, x/' "$tmp/list" >"$tmp/list2" ;;
    esac
    command=${arguments%% *}
    run "$command" --check "$tmp/list"
    got=$status
    cmp -s "$tmp/list" "$tmp/list2"
    got="$got $?"
    run "$command" --check "$tmp/list2"
    is "$got $status" "0 1 2" "--check finds damage: $damage, $arguments --format $format"
done <<'LISTS'
item|npy|magic --order 4 --list --count 5
newline|csv|magic --order 4 --list --count 5
newline|csv|no3 --n 6
nul|text|no3 --n 6
key|jsonl|no3 --n 6
letter|jsonl|magic --order 4 --list --count 5
LISTS
# what is no list of the run before, in its format, is not cut off: Windows' ends of lines, another format, any file
while IFS='|' read -r change resumed arguments; do
    rm -f "$tmp/list" "$tmp"/list.ck*
    # shellcheck disable=SC2086
    run $arguments --backend cpu --threads 1 --output "$tmp/list" --checkpoint "$tmp/list.ck" --limit 20
    case $change in
    crlf) sed 's/$/\r/' "$tmp/list" >"$tmp/list2" ;;
    other) cp "$tmp/list" "$tmp/list2" ;;
    file) cp README.md "$tmp/list2" ;;
    esac
    cp "$tmp/list2" "$tmp/list"
    # shellcheck disable=SC2086
    run $arguments $resumed --backend cpu --threads 1 --output "$tmp/list" --checkpoint "$tmp/list.ck" --limit 20 --resume
    cmp -s "$tmp/list" "$tmp/list2"
    is "$status $? $(grep -c 'is not what an earlier run wrote' "$tmp/err")" "2 0 1" "--resume leaves a file other than such a list: $change, $arguments"
done <<'LISTS'
crlf||magic --order 4 --list
crlf||magic --order 4 --format csv
crlf||no3 --n 10 --format text
crlf||no3 --n 10 --format rle
other|--one-line|magic --order 4 --list
other|--format text|magic --order 4 --format jsonl
other|--format csv|magic --order 4 --format npy
other|--format draw|no3 --n 10 --format bytes
file||magic --order 4 --format npy
file||magic --order 4 --list
file||no3 --n 10 --format bytes
LISTS
rm -f "$tmp"/list.ck*
run magic --order 4 --list --frenicle --limit 2000 --threads 1 --backend cpu --output "$tmp/list" --checkpoint "$tmp/list.ck" --time-limit 0.002 --slice-ms 1
run magic --order 4 --list --frenicle --limit 2000 --threads 1 --backend cpu --output "$tmp/list" --checkpoint "$tmp/list.ck" --resume
is "$(grep -c . "$tmp/list")" 3520 "magic --output --resume continues the list"
rm -f "$tmp"/list.ck*
run magic --order 4 --output "$tmp/list" --checkpoint "$tmp/list.ck"
is "$status $(grep -c '^$' "$tmp/list")" "0 7040" "magic --output with --checkpoint lists in any order"
# what is refused leaves the file of --output as it was
while IFS='|' read -r why arguments; do
    echo precious >"$tmp/list"
    # shellcheck disable=SC2086
    run $arguments --backend cpu --output "$tmp/list"
    is "$status $(grep -c -e "$why" "$tmp/err") $(cat "$tmp/list")" "2 1 precious" "refused, and --output is not touched: $arguments"
done <<'LISTS'
the list has 8 squares|magic --order 3 --format npy --first 9
the list has 8 squares|magic --order 3 --list --first 9
not a multiple|magic --numbers 1,2,3,4,5,6,7,8,10 --list --limit 3
it may be 2 to 32|no3 --n 40 --list
--merge|no3 --n 8 --list --shard 1/2 --merge nosuch
LISTS
got=
for values in "1,12,255,8" "1,12,256,8" "-1,12,25,8"; do
    run perm --sum=-9:999 --values=$values --k 3 --format npy --output "$tmp/sum.npy" --quiet
    got="$got $status $(head -c 40 "$tmp/sum.npy" | grep -a -o '[|<][ui][14]') $(tail -c +129 "$tmp/sum.npy" | od -A n -v -t d1 | tr -s ' \n' ' ');"
done
is "$got" " 0 |u1  1 8 12 1 8 -1 1 12 -1 8 12 -1 ; 0 <i4  1 0 0 0 8 0 0 0 12 0 0 0 1 0 0 0 8 0 0 0 0 1 0 0 1 0 0 0 12 0 0 0 0 1 0 0 8 0 0 0 12 0 0 0 0 1 0 0 ; 0 <i4  -1 -1 -1 -1 8 0 0 0 12 0 0 0 -1 -1 -1 -1 8 0 0 0 25 0 0 0 -1 -1 -1 -1 12 0 0 0 25 0 0 0 8 0 0 0 12 0 0 0 25 0 0 0 ;" \
    "perm --sum --format npy: as many bytes a number as the head says"
# ... before the search, not behind it
for arguments in "tsp --random 12 --batch 50 --format rle" "tsp --random 12 --batch 50 --json --format csv" \
    "perm --sum 50 --n 20 --k 5 --format rle" "perm --sum 50 --values 1,300,49 --k 2 --format bytes"; do
    # shellcheck disable=SC2086
    run $arguments --progress json
    is "$status $(grep -c steps_per_s "$tmp/err") $(grep -c -e '--format' "$tmp/err")" "2 0 1" "refused before the search: $arguments"
done
# glibc overwrites freed memory: what is used after it shows
printf '0,inf\n1,inf\n2,inf\n3,inf\n' >"$tmp/windows"
got=
for options in "--random 8 --shortest 3" "--random 8 --count-optimal" "--random 4 --windows $tmp/windows" "--random 16 --shortest 3" \
    "--random 4 --windows /dev/null" "--random 8 --check /dev/null" "--random 8 --forecast" "--random 8"; do
    # shellcheck disable=SC2086
    got="$got$(MALLOC_PERTURB_=85; export MALLOC_PERTURB_; run tsp $options --backend cpu; echo $status) "
done
is "$got" "0 0 0 2 2 2 0 0 " "tsp: no memory is used after it is freed"
run tsp --random 12 --batch 3 --instance-steps 5
is "$status $(grep -c -e '--instance-steps is ignored: instances of 12 cities' "$tmp/err")" "0 1" "tsp --batch: an ignored limit is reported"
run tsp --random 20 --batch 500 --list --time-limit 0.001 --slice-ms 1
is "$(grep -c '^1 1 ' "$tmp/out")" 0 "tsp --batch --list: an unknown tour is not listed as a tour"
run tsp --random 17 --seed 4 --batch 12 --check "$tmp/tours" --format bytes --json
is "$status $(value tours)" "0 12" "tsp --batch --check: other instances, other lengths"
run tsp --random 8 --batch 3 --path --start 3 --end 5 --list --output "$tmp/tours"
got=
for ends in "--start 3" "--end 5" "--start 4" "--start 3 --end 4"; do
    # shellcheck disable=SC2086
    got="$got$(run tsp --random 8 --batch 3 --path $ends --check "$tmp/tours"; echo "$status" "$(grep -c 'not a tour: it' "$tmp/out")") "
done
is "$got" "0 0 0 0 1 3 1 3 " "tsp --batch --check: paths begin and end where --start and --end say"
printf 'Lon,Lat\n13.4,52.52\n2.35,48.86\n-0.13,51.51\n' >"$tmp/capitals.csv"
run tsp "$tmp/capitals.csv" --json
want=$(value km)
run tsp "$tmp/capitals.csv" --batch 1 --json
is "$(value sum_of_lengths)" "$want" "tsp --batch: a header says what the columns are"
# a stream that is closed is none of the files that are opened: no progress and no result gets into a list
run no3 --n 11 --backend cpu --threads 1 --format csv --output "$tmp/list"
"$bin/combgpu" no3 --n 11 --backend cpu --threads 1 --format csv --output "$tmp/list2" --progress json --progress-every 0.01 \
    >/dev/null 2>&-
got="$? $(wc -c <"$tmp/list2" | tr -d ' ') "
"$bin/combgpu" no3 --n 11 --backend cpu --threads 1 --format csv --output "$tmp/list2" 2>/dev/null >&-
is "$got$? $(wc -c <"$tmp/list2" | tr -d ' ')" "0 $(wc -c <"$tmp/list" | tr -d ' ') 1 $(wc -c <"$tmp/list" | tr -d ' ')" \
    "a closed standard error or output leaves a list as it is"
# some editors begin a text with three bytes that say UTF-8
marked() { # FILE: with them
    { printf '\357\273\277' && cat "$1"; } >"$tmp/marked"
}
got=
for file in gr17.tsp gr48.optimal.tour; do
    marked "$tsplib/$file"
    case $file in
    *.tour) run tsp $tsplib/gr48.tsp --check "$tmp/marked" --json ;;
    *) run tsp "$tmp/marked" --json --backend cpu ;;
    esac
    got="$got$status $(value length) "
done
printf '48.2 16.4 Vienna\n47.5 19.0 Budapest\n48.1 17.1\n' >"$tmp/plain.points"
marked "$tmp/plain.points"
run tsp "$tmp/marked" --json --backend cpu
got="$got$status $(value n) "
printf '2 7 6\n9 5 1\n4 3 8\n' >"$tmp/plain.square"
marked "$tmp/plain.square"
run magic --check "$tmp/marked" --json
got="$got$status $(value magic) "
run magic --givens "@$tmp/marked" --json
is "$got$status $(value count)" "0 2085 0 5046 0 3 0 1 0 1" "files that begin with a mark of UTF-8"
run tsp "$tmp/batch.csv" --batch 2 --json
is "$status $(value n) $(value solved) $(value sum_of_lengths)" "0 3 2 36" "tsp FILE --batch: lines x,y"
# npy SHAPE [DESCR]: the same points as a NumPy array
npy() {
    printf '\223NUMPY\001\000\166\000%-117s\n' "{'descr': '${2:-<f8}', 'fortran_order': False, 'shape': $1, }"
    for high in '\000\000' '\000\000' '\000\000' '\010\100' '\020\100' '\000\000' \
        '\000\000' '\000\000' '\000\000' '\030\100' '\040\100' '\000\000'; do
        # shellcheck disable=SC2059
        printf "\\000\\000\\000\\000\\000\\000$high"
    done
}
npy '(2, 3, 2)' >"$tmp/batch.npy"
run tsp "$tmp/batch.npy" --batch 2 --json
is "$status $(value n) $(value solved) $(value sum_of_lengths)" "0 3 2 36" "tsp FILE --batch: a .npy array"
"$bin/combgpu" tsp - --batch 2 --json <"$tmp/batch.npy" >"$tmp/out" 2>"$tmp/err"
is "$? $(value solved) $(value sum_of_lengths)" "0 2 36" "... from standard input, too"
run tsp "$tmp/batch.npy" --batch 3
is "$status $(grep -c 'batch.npy holds 2 instances; --batch is 3' "$tmp/err")" "2 1" "... of another number of instances is refused"
npy '(2, 4, 2)' >"$tmp/bad.npy"
run tsp "$tmp/bad.npy" --batch 2
is "$status $(grep -c 'bad.npy: the shape (2, 4, 2) takes 128 bytes, and there are 96' "$tmp/err")" "2 1" "... that is cut off is refused"
npy '(4, 3)' >"$tmp/bad.npy"
run tsp "$tmp/bad.npy" --batch 2
is "$status $(grep -c 'bad.npy: the .npy array must have the shape (K, n, 2)' "$tmp/err")" "2 1" "... of another shape is refused"
npy '(2, 3, 2)' '<c8' >"$tmp/bad.npy"
run tsp "$tmp/bad.npy" --batch 2
is "$status $(grep -c 'the .npy array must have the shape (n, n) or (n, 2), or (K, n, 2) with --batch K, of numbers' "$tmp/err")" "2 1" "... of another type, too"
npy '(2, 3, 2)' | head -c 215 >"$tmp/bad.npy"
run tsp "$tmp/bad.npy" --batch 2
is "$status $(grep -c 'takes 96 bytes, and there are 87' "$tmp/err")" "2 1" "... and one that is cut off"
run tsp --europe --json --backend cpu
is "$status $(value km | cut -c 1-9) $(value optimal)" "0 14412.111 true" "tsp --europe: the forty, proven"
printf '# three\n48.2 16.4 Vienna\r\n\n47.5, 19.0, Budapest\n48.1 17.1\n' >"$tmp/points.txt"
run tsp "$tmp/points.txt" --path --start 2 --svg "$tmp/svg"
[ "$status" -eq 0 ] && head -n 1 "$tmp/out" | grep -q "^   2  Budapest" && grep -q "^3 waypoints" "$tmp/out" &&
    [ "$(grep -c '<circle' "$tmp/svg")" -eq 3 ]
point $? "tsp FILE of waypoints --path --start, and a drawing"
run tsp --random 8 --path --start 3 --end 5 --json
grep -q '"tour": \[3, .*, 5\]' "$tmp/out"
point $? "tsp --path --start --end: the path begins and ends there"

# ---- each command reads what it wrote, in every format

while IFS='|' read -r command describe formats; do
    for format in $formats; do
        # shellcheck disable=SC2086
        "$bin/combgpu" $command $describe --list --quiet --format $format >"$tmp/list" 2>"$tmp/err" &&
            "$bin/combgpu" $command --check "$tmp/list" $(case $format in bytes) echo "$describe --format bytes" ;; esac) \
                --json >"$tmp/out" 2>"$tmp/err"
        is "$? $(value squares)$(value boards)$(value permutations)$(value first_wrong)" \
            "0 $(case $command in magic) echo 8 ;; no3) echo 11 ;; perm) echo 24 ;; esac)" \
            "$command --check reads --format $format"
    done
done <<'END'
magic|--order 3|text csv jsonl npy bytes
no3|--n 6|text csv jsonl npy rle flammenkamp draw
perm|--n 4|text csv jsonl npy bytes
END
for format in text csv jsonl npy json; do
    # shellcheck disable=SC2046
    run perm --items "red a 7 p1" --list $(case $format in json) echo --json ;; *) echo "--format $format" ;; esac)
    cp "$tmp/out" "$tmp/list"
    run perm --items "red a 7 p1" --check "$tmp/list" --json
    is "$status $(value permutations) $(value in_order) $(value last_rank)" "0 24 true 23" \
        "perm --items --check reads words as $format"
done
run perm --items "red a 8 p1" --check "$tmp/list"
grep -q '"7" is not in --items' "$tmp/err"
point $? "... and names an unknown word"
run perm --rank "$(seq -s ' ' 0 34)"
grep -q 'more than 34 numbers' "$tmp/err"
point $? "perm --rank of 35 elements names the limit"
for describe in "magic --order 4 --count 5" "perm --n 4"; do
    # shellcheck disable=SC2086
    "$bin/combgpu" $describe --list --quiet --format bytes >"$tmp/list" 2>"$tmp/err"
    run ${describe%% *} --check "$tmp/list"
    is "$status $(grep -c 'bytes need --format bytes and --' "$tmp/err")" "2 1" "${describe%% *} --check says how to read bytes"
done
for command in "magic --order 3 --list" "no3 --n 6 --list" "perm --n 4 --list" "tsp --random 7"; do
    # shellcheck disable=SC2086
    run $command --json
    cp "$tmp/out" "$tmp/object"
    # shellcheck disable=SC2086
    run $(case $command in tsp*) echo $command ;; *) echo ${command%% *} ;; esac) --check "$tmp/object" --json
    [ $status -eq 0 ] && is_json && [ -z "$(value first_wrong)" ]
    point $? "$command --json: --check reads the object"
done
"$bin/combgpu" no3 --n 6 --list --quiet | sed '3s/ [0-9]*,[0-9]*/ 0,1,2/' | "$bin/combgpu" no3 --check - >"$tmp/out"
is "$? $(grep -c 'board 3 is the first' "$tmp/out")" "1 1" "no3 --check looks at every board of a list"
"$bin/combgpu" no3 --n 6 --list --quiet --format csv | "$bin/combgpu" no3 --check - --format npy --output "$tmp/a.npy" >"$tmp/out" 2>&1 &&
    "$bin/combgpu" no3 --check "$tmp/a.npy" --format flammenkamp --output - --quiet 2>"$tmp/err" >"$tmp/a"
sort "$tmp/a" >"$tmp/sorted" # two runs find the boards in different orders
"$bin/combgpu" no3 --n 6 --format flammenkamp --quiet 2>"$tmp/err" | sort | cmp -s - "$tmp/sorted"
point $? "no3 --check turns one format into another"
"$bin/combgpu" no3 --n 6 --list --sort --quiet --every-orientation >"$tmp/a" 2>"$tmp/err"
"$bin/combgpu" no3 --n 6 --list --quiet --threads 1 2>"$tmp/err" | tail -r 2>/dev/null >"$tmp/b" ||
    "$bin/combgpu" no3 --n 6 --list --quiet --threads 1 2>"$tmp/err" | tac >"$tmp/b"
"$bin/combgpu" no3 --check "$tmp/b" --list --sort --quiet >"$tmp/sorted" 2>"$tmp/err" # the summary goes there, too
uniq "$tmp/a" | grep , >"$tmp/a2"
grep , "$tmp/sorted" | grep -v boards | cmp -s - "$tmp/a2" && [ "$(wc -l <"$tmp/a2")" -eq 11 ]
point $? "no3 --sort: canonical boards in order, from a search as from a list"
run no3 --n 7 --bfile all --quiet
is "$status $(tr '\n' ' ' <"$tmp/out")" "0 1 0 2 1 3 2 4 11 5 32 6 50 7 132 " "no3 --bfile writes A000755"
run no3 --n 7 --bfile all --time-limit 1e-6 --quiet
[ "$status" -eq 3 ] && [ "$(wc -l <"$tmp/out")" -lt 4 ] && grep -q 'stopped before the end' "$tmp/err"
point $? "... until the time limit, which is for all sides together"
run no3 --n 10 --class rot4 --bfile up-to-symmetry --quiet
is "$status $(sed -n '2p;10p' "$tmp/out" | tr '\n' ' ')" "0 2 0 10 6 " "... and the counts of a class"
run no3 --n 4 --class full --cnf - --quiet
is "$status $(grep -c '^c [0-9]*:' "$tmp/out") $(awk '$1 == "p" { n = $4 } /^-?[0-9]/ { m++ } END { print n - m }' "$tmp/out")" \
    "0 3 0" "no3 --cnf: three orbits, as many clauses as announced"
run no3 --n 4 --class full --cnf "$tmp/cnf" --json
is "$status $(value bytes)" "0 $(wc -c <"$tmp/cnf" | tr -d ' ')" "no3 --cnf --json: an object with the file's size"
if [ -n "$python" ]; then
    "$bin/combgpu" perm --n 4 --format npy --output "$tmp/p.npy" >"$tmp/out" 2>&1 &&
        "$bin/combgpu" perm --n 4 --format npy | cmp -s - "$tmp/p.npy" &&
        "$python" - "$tmp/p.npy" <<'END'
import ast, itertools, struct, sys
data = open(sys.argv[1], "rb").read()
assert data[:8] == b"\x93NUMPY\x01\x00"
size = struct.unpack("<H", data[8:10])[0]
header = ast.literal_eval(data[10:10 + size].decode())
assert (10 + size) % 64 == 0 and header == {"descr": "|u1", "fortran_order": False, "shape": (24, 4)}
assert data[10 + size:] == bytes(x for p in itertools.permutations(range(4)) for x in p)
END
    point $? "perm --format npy is a NumPy array, to a file as to a pipe"
fi
printf '0 1 2\n' >"$tmp/three"
run perm --n 4 --check "$tmp/three"
is "$status" 1 "perm --n 4 --check: permutations of three are refused"
"$bin/combgpu" perm --n 30 --unrank 999999999999999999999 | "$bin/combgpu" perm --rank - --json >"$tmp/out"
grep -q '"rank": "999999999999999999999"' "$tmp/out"
point $? "numbers above 2^53 are strings in JSON; - is standard input"
run perm --items "red green blue" --format csv
is "$(sed -n 6p "$tmp/out")" "blue,red,green" "perm --items --format csv"
wrong=
for items in '"' 'a' 'p1 p2' '[ { ]' 'd"e \ #' 'null é '"$(printf '\177')"; do
    for format in text csv jsonl npy; do
        run perm --items "$items" --format $format --output "$tmp/list"
        run perm --items "$items" --check "$tmp/list" --quiet
        [ "$status" -eq 0 ] || wrong="$wrong $format of $items: $status;"
    done
done
is "$wrong" "" "perm --items --check reads what --list writes: quotes, brackets, one word"
long='"234567890123456789'
items="${long}a ${long}b ${long}c ${long}d ${long}e ${long}f ${long}g ${long}h"
run perm --items "$items" --format csv --output "$tmp/list"
timeout -s KILL 20 "$bin/combgpu" perm --items "$items" --check "$tmp/list" >"$tmp/out"
is "$? $(cut -c 1-16 "$tmp/out")" "0 40,320 of 40,320" "perm --items --check: 320,000 words in quotes in a second"
run perm --items "a b a" --check "$tmp/list"
is "$status $(grep -c 'is not in --items' "$tmp/err")" '2 1' "perm --items --check: words of another list are refused"
printf 'red\r\ngreen\r\n' >"$tmp/list"
run perm --items "@$tmp/list" --format jsonl
is "$(sed -n 2p "$tmp/out")" '["green", "red"]' "perm --items @FILE: a word a line"
run perm --family derangement --n 5 --list
cp "$tmp/out" "$tmp/list"
run perm --family derangement --n 5 --check "$tmp/list" --json
is "$status $(value members)" "0 44" "perm --family --check: all 44 derangements are members"

# ---- waypoints in every form, routes for maps, pictures

for text in '[[2.5,7,6],[9,5,1],[4,3,8]]' '[[2e0,7,6],[9,5,1],[4,3,8]]' '[[2 7,6],[9,5,1],[4,3,8]]' '[[2,"7",7,6],[9,5,1],[4,3,8]]' '[[2,,7,6],[9,5,1],[4,3,8]]' '[[2,7,6][9,5,1],[4,3,8]]' '[[2,7,6],[9,5,1],[4,3,8],]' '[[2,null,7,6],[9,5,1],[4,3,8]]' '[[02,7,6],[9,5,1],[4,3,8]]' '[2,[7,6],[9,5,1],[4,3,8]]' '[[2,7,6],[9,5,1],[4,3,8}}'; do
    echo "$text" >"$tmp/s.json"
    run magic --check "$tmp/s.json"
    is "$status" 2 "magic --check: $text is not a square of whole numbers"
done
printf 'name;lon;lat\n"Wien, Hbf";16.4;48.2\nBudapest;19.0;47.5\nGraz;15.4;47.1\n' >"$tmp/points.csv"
run tsp "$tmp/points.csv" --json --geojson "$tmp/r.geojson" --gpx "$tmp/r.gpx" --svg "$tmp/r.svg" --tour "$tmp/r.tour"
want="$(value km | cut -c 1-8)"
[ "$status" -eq 0 ] && grep -q '"route": \["Wien, Hbf", ' "$tmp/out"
point $? "tsp reads CSV with a header, names in quotes"
printf '{"type":-"Feature"}' >"$tmp/minus.geojson"
timeout -s KILL 10 "$bin/combgpu" tsp "$tmp/minus.geojson" >"$tmp/out" 2>"$tmp/err"
[ $? -eq 2 ] && grep -q '"-"Feature"" is not a number$' "$tmp/err"
point $? "GeoJSON with a lone minus sign is refused without hanging"
for form in geojson gpx; do
    run tsp "$tmp/r.$form" --json
    is "$status $(value km | cut -c 1-8) $(value n)" "0 $want 3" "tsp reads its $form again: the same length"
done
grep -q '<name>Wien, Hbf</name>' "$tmp/r.gpx" && grep -q '>Wien, Hbf</text>' "$tmp/r.svg" && grep -q 'tour through 3 cities' "$tmp/r.svg"
point $? "names and title are in the route and in the picture"
# names with escapes, tags and keys that are laid out otherwise: every point is read, and what is written again is equal
printf '<gpx>\n<wpt\n  lat="52.37"\n  lon = "4.9"><name>A &amp; B &lt;&#233;&#xe9;&gt;</name></wpt>\n<!-- <wpt lat="1" lon="2"></wpt> -->
<wpt\tlon='"'23.73' lat='37.98'"'><name><![CDATA[C & </name></wpt>"D"]]></name ></wpt\n>\n<wpt lat="41.39" lon="2.17"/></gpx>\n' >"$tmp/n.gpx"
printf '{"type": "FeatureCollection", "name": "layer", "crs": {"type": "name", "properties": {"name": "CRS84"}}, "features": [
{"type": "Feature", "geometry": {"type": "Point", "coordinates": [4.9, 52.37]}, "properties": {"type": "pub", "coordinates": [1, 2]}},
{"type": "Feature", "properties": {"name": "Caf\\u00e9 \\"\\ud83d\\ude00\\"", "in": {"name": "no"}}, "geometry": {"type": "Point", "coordinates": [23.73, 37.98]}},
{"type": "Feature", "properties": {}, "geometry": {"coordinates": [2.17, 41.39], "type": "Point"}}]}\n' >"$tmp/n.geojson"
for form in 'gpx|"A & B <éé>", "C & </name></wpt>\"D\"", "3"' 'geojson|"1", "Café \"😀\"", "3"'; do
    run tsp "$tmp/n.${form%%|*}" --json --${form%%|*} "$tmp/n1"
    got=$(sed -n 's/.*"route": \[\(.*\)\], "rank.*/\1/p' "$tmp/out")
    run tsp "$tmp/n1" --${form%%|*} "$tmp/n2"
    cmp -s "$tmp/n1" "$tmp/n2"
    is "$? $got" "0 ${form#*|}" "tsp: names in ${form%%|*}"
done
printf '{"type": "FeatureCollection", "features": [{"type": "Feature", "properties": {"name": "M"}, "geometry": {"coordinates": [[4, 50], [5, 51, 9]], "type": "MultiPoint"}},
{"type": "Feature", "geometry": {"type": "LineString", "coordinates": [[1, 1], [2, 2]]}, "properties": {"name": "L"}},
{"type": "Feature", "geometry": {"type": "GeometryCollection", "geometries": [{"coordinates": [6, 52], "type": "Point"}, {"type": "Polygon", "coordinates": [[[0, 0], [0, 1], [1, 1], [0, 0]]]},
{"type": "Point", "coordinates": [7, 53]}]}, "properties": {"name": "C"}}, {"type": "Feature", "properties": null, "geometry": {"type": "Point", "crs": {"type": "name"}, "coordinates": [8, 54]}}]}\n' >"$tmp/n.geojson"
run tsp "$tmp/n.geojson" --path --json
is "$(sed -n 's/.*"route": \[\(.*\)\], "rank.*/\1/p' "$tmp/out")" '"M", "M", "C", "C", "5"' "GeoJSON: points of every geometry beside those of features with one"
printf '{"type": "GeometryCollection", "geometries": [{"type": "Point", "coordinates": [2, 1], "a": {"b": 1}}, {"c": [{"d": 1}, {}], "coordinates": [4, 3], "e": {}, "type": "Point"}]}' >"$tmp/n.geojson"
run tsp "$tmp/n.geojson" --json
is "$status $(value n)" "0 2" "GeoJSON: objects that a geometry has beside its coordinates lose no point"
printf '{"type": "FeatureCollection", "features": [{"geometry": {"type": "Point", "coordinates": [1, 2]}, "label_at": {"type": "Point", "coordinates": [9, 9]}, "bbox": [1, 2, 1, 2]},
{"entrances": [{"type": "Point", "coordinates": [8, 8]}], "geometry": {"type": "Point", "coordinates": [3, 4]}, "properties": {"name": "B"}}]}' >"$tmp/n.geojson"
run tsp "$tmp/n.geojson" --json
is "$status $(sed -n 's/.*"route": \[\(.*\)\], "rank.*/\1/p' "$tmp/out")" '0 "1", "B"' "... and points that a feature has beside its geometry are no waypoints"
printf '{"type": "FeatureCollection", "label": {"a": {"type": "Point", "coordinates": [9, 9]}}, "features": [{"type": "Feature", "geometry": {"type": "P\\u006fint",
"at": {"name": "no", "type": "Point", "coordinates": [8, 8]}, "coordinates": [1, 2]}}, {"type": "Feature", "geometry": {"type": "Polygon", "hole": {"geometry": {"type": "Point",
"coordinates": [7, 7]}}, "coordinates": [[[1, 1], [2, 2], [1, 1]]]}}, {"type": "Feature", "geometry": {"type": "Point", "coordinates": [3, 4]}, "name": "B"}], "x": [[5, 6]]}' >"$tmp/n.geojson"
run tsp "$tmp/n.geojson" --json
is "$status $(sed -n 's/.*"route": \[\(.*\)\], "rank.*/\1/p' "$tmp/out")" '0 "1", "B"' "... nor those in other members of a collection or a geometry, at any depth"
for text in '[[1, 2] [3, 4]]' '[[1, 2], [.5, 4]]' '[[1, 2], [3, null]]' '[[1, 2], 3, 4]' '[1, 2, 3, 4]'; do
    printf '{"type": "MultiPoint", "coordinates": %s}' "$text" >"$tmp/n.geojson"
    run tsp "$tmp/n.geojson"
    is "$status" 2 "GeoJSON: $text is not a list of places"
done
printf '<?xml version="1.0"?><!-- <gpx> --><g:gpx xmlns:g="http://www.topografix.com/GPX/1/1"><?x <g:wpt lat="9" lon="9"> ?><g:wpt note="1 > lat=0 lon=0" lat="1" lon="2">
<x:name xmlns:x="u">no</x:name><g:name><!-- <b> -->A</g:name></g:wpt><g:wpt lon='"'4' d=' lat=\"9\" ' lat='3'"'/></g:gpx>' >"$tmp/n.gpx"
run tsp "$tmp/n.gpx" --json --geojson "$tmp/n.geojson"
is "$status $(sed -n 's/.*"route": \[\(.*\)\], "rank.*/\1/p' "$tmp/out") $(grep -c '\[[24], [13]\]}' "$tmp/n.geojson")" '0 "A", "2" 2' "GPX with a prefix, an instruction, a comment in a name, and attributes that hold tags"
printf 'NODE_COORD_TYPE: TWOD_COORDS\nTYPE: TSP\nDIMENSION: 2\nEDGE_WEIGHT_TYPE: EUC_2D\nNODE_COORD_SECTION\n1 0 0\n2 3 4\n' >"$tmp/n.tsp"
run tsp "$tmp/n.tsp" --json
is "$status $(value length)" "0 10" "TSPLIB that begins with NODE_COORD_TYPE"
printf 'lat,lon,name\n48,85,2,35,Paris\n48,20,16,37,Wien\n' >"$tmp/n.csv"
run tsp "$tmp/n.csv"
is "$status $(grep -c 'line 2: more fields than columns' "$tmp/err")" "2 1" "CSV with decimal commas is refused"
printf '1 2 a\r3 4 "b"\r5 6 \377\r' >"$tmp/n.txt"
run tsp "$tmp/n.txt" --json --gpx "$tmp/n.gpx"
is "$(sed -n 's/.*"route": \[\(.*\)\], "rank.*/\1/p' "$tmp/out")" '"a", "b", "ÿ"' "tsp: lines that end with a carriage return, a name that is not UTF-8"
printf '1 2 Zoë\n3 4 %s\n' 1234567890123456789012éüñ >"$tmp/n.txt"
run tsp "$tmp/n.txt"
is "$(sed -n 's/  *[34].0000 .*//;1,2s/^ *[12]  //p' "$tmp/out" | sed 's/ *1.0000 .*/|/')" "$(printf 'Zoë|\n1234567890123456789012éü')" "tsp: a long name is cut between characters"
is "$(sed -n '1s/1.0000.*//p' "$tmp/out" | wc -c)" 36 "... and the column is filled by characters"
printf 'Lat , "lon", name \n 1 , 2 , "A, B" \n3,4 , C\n' >"$tmp/n.txt"
run tsp "$tmp/n.txt" --json
is "$(sed -n 's/.*"route": \[\(.*\)\], "rank.*/\1/p' "$tmp/out")" '"A, B", "C"' "tsp reads CSV with blanks around the fields"
point_at='{"type": "FeatureCollection", "features": [{"geometry": {"type": "Point", "coordinates": [1, 2]}}, {"geometry": {"type":'
for wrong in '1.5.3 2|is not "latitude' ',5 6|is not "latitude' '0x10 2|is not "latitude' '1 nan|is not "latitude' '48,85 2,35 Paris|line 1: "48,85 2,35 Paris" has decimal commas' \
    "$point_at \"Point\", \"coordinates\": [\"3\", \"4\"]}}]}|a place without two" "$point_at \"MultiPoint\", \"coordinates\": [[3], [5, 6]]}}]}|a place without two" \
    "$point_at \"Point\", \"coordinates\": [3, 0x4]}}]}|\"0x4\" is not a number" '<gpx><wpt lat="" lon="3"/></gpx>|whose lat is not a number' '<gpx><wpt lat="0x1" lon="3"/></gpx>|whose lat is not a number' '<gpx><wpt lat="1" xlon="2"/></gpx>|without lat and lon'; do
    case $wrong in '<'*) end= ;; *) end='3 4' ;; esac
    printf '%s\n%s\n' "${wrong%%|*}" "$end" >"$tmp/n.txt"
    run tsp "$tmp/n.txt"
    is "$status $(grep -c "${wrong#*|}" "$tmp/err")" "2 1" "tsp refuses waypoints: ${wrong%%|*}"
done
run tsp "$tmp/points.csv" --check "$tmp/r.tour"
is "$status" 0 "tsp --check: the length of its own tour"
for shard in 0 1; do
    run tsp --random 16 --batch 4 --shard $shard/2 --checkpoint "$tmp/b$shard" --quiet
done
run tsp --random 16 --batch 4 --merge "$tmp/b0" "$tmp/b1"
is "$status $(sed -n 1p "$tmp/out")" "0 4 of 4 instances of 16 cities solved, proven" "tsp --batch --merge: no lengths, which checkpoints do not have"
for shard in 0 1; do
    run tsp --random 8 --method brute-force --shard $shard/2 --checkpoint "$tmp/c$shard" --quiet
done
run tsp --random 8 --method brute-force --merge "$tmp/c0" "$tmp/c1" --svg "$tmp/merged.svg"
is "$status $(grep -c '^</svg>' "$tmp/merged.svg")" "0 1" "tsp --merge --svg: draws the tour"
for shard in 0 1; do
    run magic --order 3 --list --frenicle --shard $shard/2 --checkpoint "$tmp/l$shard" --quiet
done
run magic --order 3 --list --frenicle --merge "$tmp/l0" "$tmp/l1" --json
is "$status $(value count) $(value up_to_d4)" "0 8 1" "magic --list --merge: the sum of shards that made lists"
run magic --order 4 --list --format csv --shard 0/2 --checkpoint "$tmp/l4" --output "$tmp/list.0" --quiet
run magic --order 4 --list --format csv --shard 1/2 --output "$tmp/list.1" --quiet
is "$(cat "$tmp/list.0" "$tmp/list.1" | grep '^[0-9]' | sort -u | wc -l)" 7040 "magic --list --shard: the same parts with and without a checkpoint"
run magic --order 4 --list --first 10 --count 9 --shard 1/3
is "$(grep -c '3 squares of those from number 10 on' "$tmp/err")" 1 "magic --first --shard: does not say that a part begins there"
echo 1 2 3 4 5 6 >"$tmp/r.six"
for wrong in "--edge 1,3" "--path --edge 1,6" "--before 3,2" "--path --start 2" "--path --end 5"; do
    run tsp --random 6 $wrong --check "$tmp/r.six" --json
    is "$status $(value is_tour)" "1 false" "tsp --check: $wrong is not kept"
done
for wrong in "1 2 3 4 4 6|number 5, is city 4, which" "0 1 2 3 4 6|number 1, is city 0; it may be city 1 to city 6" "1 2 3 4 5 7|is city 7; it" \
    "-2147483648 2 3 4 5 6|number 1, is city -2147483"; do
    echo "${wrong%%|*}" >"$tmp/r.wrong"
    for batch in "" "--batch 1"; do
        run tsp --random 6 $batch --check "$tmp/r.wrong"
        is "$status $(grep -c ": not a tour: --check, .*${wrong#*|}" "$tmp/out")" "1 1" "tsp $batch --check: cities as in the file: ${wrong%%|*}"
    done
done
echo 0 1 2 3 4 6 >"$tmp/r.wrong"
run tsp --random 6 --method branch-and-bound --from "$tmp/r.wrong"
is "$status $(grep -c -- "--from, number 1, is city 0; it may be city 1 to city 6" "$tmp/err")" "2 1" "tsp --from: cities as in the file"
for wrong in "--path --start 3|--from, number 1, is city 1, but the path begins at --start, city 3" \
    "--path --end 3|--from, number 6, is city 6, but the path ends at --end, city 3"; do
    run tsp --random 6 ${wrong%%|*} --method branch-and-bound --from "$tmp/r.six"
    is "$status $(grep -c -- "${wrong#*|}" "$tmp/err")" "2 1" "tsp --from: ${wrong%%|*} is not kept"
done
echo 2 1 3 4 5 6 >"$tmp/r.wrong"
run tsp --random 6 --before 3,2 --from "$tmp/r.wrong"
is "$status $(grep -c -- "--from, number 1, is city 2; a cycle with precedence begins at city 1" "$tmp/err")" "2 1" "tsp --from: so it is with precedence"
run tsp --random 6 --edge 1,6 --before 2,4 --check "$tmp/r.six" --json
is "$status $(value is_tour)" "0 true" "tsp --check: conditions that are kept"
run tsp "$tmp/points.csv" --path --start Graz --json
grep -q '"tour": \[3, ' "$tmp/out"
point $? "tsp --start takes a name"
"$bin/combgpu" tsp - --json <$tsplib/burma14.tsp >"$tmp/out"
is "$? $(value length) $(value rank)" "0 3323 $(value rank)" "tsp reads standard input, and prints the tour's rank"
"$bin/combgpu" perm --n 14 --unrank "$(value rank)" | awk '{ for (i = 1; i <= NF; i++) printf "%d%s", $i + 1, i < NF ? ", " : "" }' >"$tmp/perm"
grep -q "\"tour\": \[$(cat "$tmp/perm")\]" "$tmp/out"
point $? "... which perm --unrank turns into the tour"
run no3 --n 6 --svg - --quiet
[ "$status" -eq 0 ] && [ "$(grep -c '<circle' "$tmp/out")" -eq 132 ] && grep -q 'No three in line: 11 solutions on 6 x 6' "$tmp/out"
point $? "no3 --svg: all 11 boards of n = 6 side by side, with a title"
run no3 --check examples/pictures/board.rle --svg "$tmp/board.svg"
[ "$status" -eq 0 ] && cmp -s "$tmp/board.svg" examples/pictures/board.svg
point $? "no3 --check --svg: the board of the front page, titled as one that was found"
run magic --order 3 --svg - --quiet
[ "$status" -eq 0 ] && [ "$(grep -c 'every line: 15' "$tmp/out")" -eq 8 ]
point $? "magic --svg draws the squares and their sum"
cp "$tmp/out" "$tmp/s.svg"
run magic --kind semimagic --givens "7 4 13 10 6 1 16 11 12 14 3 5 9 15 2 8" --svg -
is "$(grep -c 'rows, columns: 34' "$tmp/out") $(grep -c 'every line' "$tmp/out")" "1 0" "magic --svg: diagonals of 19 and 49 are not 34, though that is their mean"
for drawn in "magic --givens 2,7,6,9,5,1,4,3,?" "magic --construct --order 4" "no3 --n 2" "no3 --n 4 --limit 1" "tsp --random 5"; do
    run $drawn --quiet --svg - --title "$(printf 'x\001\351<\303\251')"
    [ "$status" -eq 0 ] && grep -q '>x é&[#a-z0-9]*;é<' "$tmp/out"
    point $? "--title is that of a picture alone, as XML can hold it: $drawn"
done
if [ -n "$python" ]; then
    "$python" -c 'import sys, xml.dom.minidom as x
for f in sys.argv[1:]: x.parse(f)' "$tmp/s.svg" "$tmp/out" "$tmp/r.svg" "$tmp/r.gpx" "$tmp/n.gpx" 2>"$tmp/err"
    point $? "pictures and GPX are well-formed XML"
fi

# ---- help, man page, completion

run --version
is "$status $(cut -d ' ' -f 1 "$tmp/out")" "0 combgpu" "--version"
"$bin/combgpu" --completion bash >"$tmp/completion" && bash -n "$tmp/completion" &&
    is "$(bash -c '. "$0"; COMP_WORDS=(combgpu no3 --class r); COMP_CWORD=3; _combgpu; echo "${COMPREPLY[@]}"' "$tmp/completion")" \
        "rot2 rot4" "completion for bash knows what an option may be"
if command -v groff >/dev/null; then
    is "$("$bin/combgpu" --man | groff -man -Tutf8 -ww 2>&1 >/dev/null)" "" "the man page: groff has no warning"
else
    skip "no groff" "the man page"
fi
"$bin/combgpu" perm --n 10 --list 2>"$tmp/err" | head -n 1 >"$tmp/out"
is "$(cat "$tmp/out") $(cat "$tmp/err")" "0 1 2 3 4 5 6 7 8 9 " "a pipe closed early causes no error message"

# ---- the other examples do what their first lines say

while IFS='|' read -r want program arguments; do
    # shellcheck disable=SC2086
    timeout 100 "$bin/$program" $arguments >"$tmp/out" 2>"$tmp/err" </dev/null
    [ $? -eq 0 ] && grep -q "$want" "$tmp/out"
    point $? "$program $arguments: $want"
done <<'END'
^1135 solutions, 156 up to symmetry|first_call|
^3 squares; there are more|callback|7
^    124 + 809 = 933|own_kernel|
^8 pairs add up to 579|own_kernel|--sum 579 --digits 123456
^n = 11: 1120 solutions, 158 up to symmetry; [0-9]* turns|main_loop|11
^4348 solutions in .* 0 wrong|several_devices|
^10000 tours in|batch|
^12 stops, round: 1820 s, the fastest, proven|map_stops|12 round 0
^12 stops, both: 1715 s, the fastest, proven|map_stops|12 both 0
^30 stops, start: 2603 s, the fastest, proven|map_stops|30 start 0
^60 stops, round: [0-9]* s, at most|map_stops|60 round 1
END
while IFS='|' read -r program wrong; do
    for arguments in $wrong; do
        # shellcheck disable=SC2086
        timeout 10 "$bin/$program" $(echo "$arguments" | tr , ' ') >"$tmp/out" 2>"$tmp/err" </dev/null
        is "$? $(grep -c "^$program \[*[-A-Z]" "$tmp/err") $(wc -c <"$tmp/out" | tr -d ' ')" "2 1 0" \
            "$program $arguments: wrong, and it says what may be given"
    done
done <<'END'
all_interval|abc 5x 1e99 0 -3 65 99999999999 5,6
callback|abc 5x 1e99 0 17 4294967303 5,6
costas|abc 5x 1e99 0 17 5,6
langford|abc 5x 1e99 0 17 5,6
main_loop|abc 5x 1e99 1 33 5,6
map_stops|abc 1 201 5x 12,abc 12,both,-1 12,both,5x 12,round,0,t,5 --bench --bench,abc
own_kernel|--sum,5x --sum,1e99 --sum,abc --sum,4294968229 --sum --digits,123 5
patterns|abc 5x 1e99 0 64 5,6
queens|abc 5x 1e99 0 33 5,6
stop_resume|ck,5x ck,1e99 ck,33 ck,5,1x ck,5,abc ck,5,1e99 ck,5,nan ck,5,-1 ck,5,0 ck,5,1,2
sums|abc 5x 6,150x 6,1e99 50 0 6,0 6,150,1
tardiness|1 1,2,3 1,2x 1e99,3 1,abc -1,5 1,1000001
END
[ ! -e ck ]
point $? "stop_resume: wrong arguments make no file"
rm -f "$tmp/run.ck"*
"$bin/stop_resume" "$tmp/run.ck" 12 1e-6 >"$tmp/out" 2>"$tmp/err"
is $? 3 "stop_resume: a time limit stops it"
"$bin/stop_resume" "$tmp/run.ck" 12 >"$tmp/out" 2>"$tmp/err"
status=$?
is "$status $(cat "$tmp/out")" "0 n = 12: 4348 solutions" "stop_resume: the next call ends it"

run no3 --n 5 --class full --svg "$tmp/svg"
is "$status $(grep -c 'nothing to draw</title>' "$tmp/svg")" "0 1" "--svg: nothing to draw is an empty picture"
run no3 --threads "$(printf '4\n5')" --n 4
is "$status $(grep -c '"4?5"' "$tmp/err")" "2 1" "a message is one line, whatever was typed"
echo "2 7 6 9 5 1 4 3 8" >"$tmp/magic3"
if [ -c /dev/full ]; then
    for describe in "magic --order 3" "no3 --n 4" "tsp --random 5"; do
        # shellcheck disable=SC2086
        run $describe --svg /dev/full --json
        is "$([ "$status" -ne 0 ] && echo fails) $(cat "$tmp/err" "$tmp/out" | grep -c 'svg /dev/full cannot be written')" \
            "fails 2" "$describe --svg on a full disk fails, and --json says why"
    done
    for describe in "magic --order 3 --svg" "magic --order 4 --count 3 --format csv --output" "magic --order 3 --construct --svg" \
        "magic --check $tmp/magic3 --svg" "no3 --n 4 --svg" "no3 --n 4 --list --output" "no3 --n 6 --cnf" "tsp --random 5 --tour" \
        "tsp --europe --method heuristic --gpx" "tsp --random 5 --batch 3 --lengths" "perm --n 4 --output" "perm --n 4 --random 3 --output"; do
        # shellcheck disable=SC2086
        run $describe /dev/full --json
        is "$status $(value status) $(grep -o '"status"' "$tmp/out" | wc -l | tr -d ' ')" "1 file error 1" \
            "--json says file error, once: $(echo "$describe" | sed "s|$tmp/||") on a full disk"
        is_json
        point $? "... in one JSON object"
    done
    for file in lengths output; do
        run tsp --random 5 --batch 3 --$file /dev/full
        is "$status $(grep -c -e "--$file /dev/full cannot be written" "$tmp/err")" "1 1" "tsp --batch --$file on a full disk fails"
    done
    "$bin/combgpu" no3 --n 4 >/dev/full 2>"$tmp/err"
    is "$? $(grep -c 'cannot be written: No space' "$tmp/err")" "1 1" "a full disk is an error"
    "$bin/combgpu" no3 --n 6 --bfile all >/dev/full 2>"$tmp/err"
    is "$?" 1 "a full disk is an error: no3 --bfile"
    timeout 60 "$bin/combgpu" no3 --n 14 --bfile all >/dev/full 2>"$tmp/err"
    is "$? $(grep -c 'cannot be written' "$tmp/err") $(wc -l <"$tmp/err")" "1 1 1" "... which ends the search of the next side"
    for list in "perm --n 8 --list" "perm --n 9 --random 1000000" "magic --order 4 --count 7040 --format csv"; do
        # shellcheck disable=SC2086
        run $list --output /dev/full
        is "$status $(grep -c 'cannot be written' "$tmp/err") $(grep -c -e '--first' "$tmp/err")" "1 1 0" \
            "a full disk: no word of where to go on, since the list lacks items before: $list"
    done
    "$bin/combgpu" no3 --n 6 --cnf - >/dev/full 2>"$tmp/err"
    is "$?" 1 "a full disk is an error: no3 --cnf"
    "$bin/combgpu" no3 --help >/dev/full 2>"$tmp/err"
    is $? 1 "... for --help, too"
    for list in "perm --n 13" "perm --family derangement --n 13" "magic --order 5"; do
        timeout 60 "$bin/combgpu" $list --list --backend cpu >/dev/full 2>"$tmp/err"
        is "$? $(grep -c 'cannot be written' "$tmp/err")" "1 1" "$list --list ends when the disk is full"
    done
else
    skip "no /dev/full" "a full disk is an error"
fi

if mkfifo "$tmp/pipe" 2>/dev/null; then
    cat "$tmp/pipe" >"$tmp/piped" &
    timeout 20 "$bin/combgpu" perm --n 3 --output "$tmp/pipe" >"$tmp/out" 2>&1
    status=$?
    [ $status -eq 0 ] || kill $! 2>/dev/null
    wait $!
    is "$status $(wc -l <"$tmp/piped" | tr -d ' ')" "0 6" "--output to a named pipe"
else
    skip "no mkfifo" "--output to a named pipe"
fi

# ---- several devices, verification, locks

run no3 --n 8 --backend cpu --threads 1 --devices 0,0 --json
[ $status -eq 0 ] && is_json
point $? "no3 --devices 0,0 ends well, with one JSON object"
is "$(value all)" 380 "no3 --devices 0,0: 380 solutions"
grep -q '"devices": \[{"backend": "cpu", "index": 0,.*}, {"backend": "cpu"' "$tmp/out"
point $? "it prints each device's work"
run no3 --n 8 --devices cpu,cpu:0 --threads 1 --quiet
[ $status -eq 0 ] && [ "$(grep -c '^    cpu 0 (CPU' "$tmp/out")" -eq 2 ]
point $? "and without --json, in a line each"
run no3 --n 8 --backend cpu --devices all --json
is "$status $(value all)" "0 380" "no3 --devices all"
for list in "" , 0, 0:1 cpu: gpu 0,x 0,-1; do
    run no3 --n 8 --devices "$list"
    [ $status -eq 2 ] && text_line "$tmp/err" && grep -q -e "--devices" "$tmp/err"
    point $? "no3 --devices \"$list\" is refused in one line"
done
run no3 --n 8 --devices 0 --device 0
is $status 2 "--device and --devices exclude each other"
run no3 --n 8 --backend cpu --devices 0,99
[ $status -eq 2 ] && grep -q -e '--devices, number 2, is 99' "$tmp/err"
point $? "a missing device is refused"
run no3 --n 8 --backend cpu --threads 1 --verify 100 --json
is "$status $(value all) $(value mismatches)" "0 380 0" "no3 --verify 100"
[ "$(value verified)" -gt 0 ]
point $? "something was verified"
for part in 0 101 -1 x; do
    run no3 --n 8 --verify $part
    is $status 2 "no3 --verify $part is refused"
done
"$bin/combgpu" no3 --n 20 --backend cpu --threads 1 --quiet --checkpoint "$tmp/locked" --time-limit 60 >/dev/null 2>&1 &
other=$!
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    [ -e "$tmp/locked.lock" ] && break
    sleep 0.5
done
sleep 0.2
run no3 --n 20 --backend cpu --threads 1 --quiet --checkpoint "$tmp/locked" --resume
[ $status -eq 2 ] && grep -q "in use by another run, process $other" "$tmp/err"
point $? "a second run on the same checkpoint is refused, and says who has it"
kill -KILL $other
wait $other 2>/dev/null
run no3 --n 20 --backend cpu --threads 1 --quiet --checkpoint "$tmp/locked" --resume --time-limit 0.1
is $status 3 "after kill -9 it may go on"

# ---- the progress line, on a terminal

if [ -n "$python" ]; then
    "$python" - "$bin/combgpu" >"$tmp/out" <<'END'
import os, pty, sys, time
pid, terminal = pty.fork()
if pid == 0:
    os.environ["COLUMNS"] = "60"
    os.execv(sys.argv[1], [sys.argv[1], "no3", "--n", "14", "--backend", "cpu", "--threads", "1"])
text, begin, interrupted = b"", time.time(), False
while True:
    try:
        text += os.read(terminal, 4096)
    except OSError:
        break
    if not interrupted and time.time() > begin + 0.7:
        interrupted = os.write(terminal, b"\x03") == 1
status = os.WEXITSTATUS(os.waitpid(pid, 0)[1])
lines = [part for part in text.decode().split("\r") if "steps/s" in part]
print(status, len(lines) > 2, all(len(part.split("\033")[0]) < 60 for part in lines),
      "steps/s" in text.decode(), text.decode().rstrip().endswith("to be able to --resume"))
END
    is "$(cat "$tmp/out")" "3 True True True True" \
        "on a terminal: a progress line that fits, and Ctrl-C that stops cleanly"
else
    skip "no python3" "the progress line on a terminal"
fi

run demo --backend cpu
is "$status $(grep -c ' 59  =  *59$' "$tmp/out") $(tail -n 1 "$tmp/out")" "0 1 All as known." \
    "demo: the picture of a search ends with it"
(cd "$tmp" && "$bin/combgpu" demo --backend cpu >out 2>err </dev/null)
is "$? $(tail -n 1 "$tmp/out") $(grep -c 'combgpu demo FOLDER' "$tmp/err")" "0 All as known. 1" \
    "demo: without the files of tours, the rest"
run demo --json --backend cpu
is "$status $(value status) $(grep -o '"equal": true' "$tmp/out" | wc -l | tr -d ' ')" "0 ok 15" \
    "demo: every answer is the known one"

tap_end
