#!/bin/sh
# Tests what beginners type, and boards and squares as people write them.
# usage: test_beginners.sh [FOLDER]     FOLDER holds the built examples; TAP
. tests/test.sh
examples "$1"
cases=$(cd tests/data/cases && pwd) || exit 2
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

# boards as people draw them
run no3 --check "$cases/n00_hash.txt"
is "$status $(grep -c "3 x 3, 6 points, symmetry dia2: a solution" "$tmp/out")" "0 1" "no3 --check: # and ."
run no3 --check "$cases/n02_01.txt"
is "$status $(grep -c "4 x 4, 8 points, symmetry full: a solution" "$tmp/out")" "0 1" "no3 --check: 0 and 1, blanks between"
board() { # TEXT WANTED NAME: the report of no3 --check, its status before it
    printf -- "$1" >"$tmp/board"
    run no3 --check "$tmp/board" --quiet
    is "$status $(cat "$tmp/out" "$tmp/err" | tail -n 1 | sed 's/.*: //')" "$2" "no3 --check: $3"
}
board '##.\n#.#\n.##\n' '0 a solution' "a first row of # is not an RLE comment"
board '* * .\n* . *\n. * *\n' '0 a solution' "* and ."
board '_xx_\nx__x\nx__x\n_xx_\n' '0 a solution' "x and _"
board '-OO-\r\nO--O\r\nO--O\r\n-oo-\r\n' '0 a solution' "o and -, lines ended as on Windows"
board '0,1,1,0\n1,0,0,1\n1,0,0,1\n0,1,1,0\n' '0 a solution' "0 and 1, commas between"
board '11\n11\n' '0 a solution' "two rows of 1"
board '##\n##\n\n.##\n#.#\n##.\n' '0 dia2 1 full 1' "two boards"
board '###\n###\n###\n' '1 column,row 0,0  1,0  2,0 are in line' "nine points"
board '0,1 0,1\n0,1 0,1\n' '0 full 2' "two lines of text are no drawing"
board '*0101\n*0101\n*0101\n*0101\n*0101\n' '0 full 5' "five codes are no drawing"
board '#\n#C a remark\nx = 2, y = 2\n2o$2o!\n' '0 a solution' "RLE begins with remarks"
board '##..\n..##\n##..\n' '2 board 1 has 3 rows, and row 0 has 4 cells' "a board without its last row"
board '.##\n#.\n##.\n' '2 board 1 has 3 rows, and row 1 has 2 cells' "a short row"
board '.##\n#.+\n##.\n' '2 in a drawing o # * x 1 is a point, and . - _ 0 is empty' "an invalid cell character"
"$bin/combgpu" no3 --n 4 --list --quiet --draw >"$tmp/drawn" 2>/dev/null
run no3 --check "$tmp/drawn" --quiet
is "$status $(head -n 1 "$tmp/out" | cut -d : -f 1)" "0 4 boards, 4 of them solutions" "what --draw lists is read back"
for points in o '#' '*' 1 x; do
    printf "$points - . .\n. . . .\n. ? _ .\n. . . 0\n" >"$tmp/fixed"
    run no3 --n 4 --fixed "$tmp/fixed"
    cp "$tmp/out" "$tmp/fixed.out"
    run no3 --n 4 --on 0,0 --off 1,0 --off 3,3
    is "$(head -n 1 "$tmp/fixed.out")" "$(head -n 1 "$tmp/out")" "no3 --fixed: $points is a point"
done

# cells that are free
for free in 0 '?' . _; do
    run magic --order 3 --givens "2 7 6 / 9 5 1 / 4 $free $free" --json
    is "$status $(grep -c '"squares_found": 1,\|"count": 1,\|"all": 1,' "$tmp/out")" "0 1" "magic --givens: $free is free"
done
run magic --givens "[[2, 7, 6], [9, 5, 1], [4, 3, 0]]"
is "$status $(head -n 1 "$tmp/out")" "0 order 3, normal: 1 square, 1 up to rotation and reflection" "magic --givens: a list of lists"
run magic --order 3 --givens "2 7 6 9 5 1 4 3 10"
is "$status $(grep -c "may be 0 (free) or 1 to 9" "$tmp/err")" "2 1" "magic --givens: a number that is too large"
run magic --order 3 --givens "2 7 6 9 5 1 4 3 x"
is "$status $(grep -c "or 0, ?, . or _ for a free cell" "$tmp/err")" "2 1" "magic --givens: a word instead of a number"
echo "2 7 6 9 5 1 4 3 ?" >"$tmp/square"
run magic --check "$tmp/square"
is "$status $(grep -c "givens completes squares with free cells" "$tmp/err")" "2 1" "magic --check: a free cell belongs to --givens"

# every file that was written is named, outside of lists
run tsp --random 6 --svg "$tmp/tour.svg" --tour "$tmp/a.tour"
is "$status $(grep -c "^wrote $tmp/tour.svg\|^wrote $tmp/a.tour" "$tmp/err") $(grep -c wrote "$tmp/out")" "0 2 0" "tsp --svg --tour: two files were written"
run no3 --n 3 --list --output "$tmp/list" --svg "$tmp/3.svg"
is "$status $(grep -c "^wrote $tmp/list\|^wrote $tmp/3.svg" "$tmp/err") $(grep -c wrote "$tmp/list")" "0 2 0" "no3 --list --output --svg: two files were written"
for quiet in --quiet --json; do
    run no3 --n 3 --svg "$tmp/3.svg" $quiet
    is "$status $(grep -c wrote "$tmp/err" "$tmp/out" | tr '\n' ' ')" "0 $tmp/err:0 $tmp/out:0 " "$quiet: no word about the file"
done
run no3 --n 3 --svg -
is "$status $(cat "$tmp/out" "$tmp/err" | grep -c wrote)" "0 0" "standard output is not reported as written"
run tsp --random 6 --svg "$tmp/nowhere/tour.svg"
is "$status $(cat "$tmp/out" "$tmp/err" | grep -c wrote)" "2 0" "a file that cannot be written"

# forecasts: the seed is that of the samples, and what they cannot see is not known
steps() { # ARGUMENT...
    run "$@" --forecast --json --backend cpu
    sed -n 's/.*"steps": \([^,]*\),.*/\1/p' "$tmp/out"
}
one=$(steps no3 --n 16 --samples 8 --seed 3)
is "$(steps no3 --n 16 --samples 8 --seed 3)" "$one" "--forecast --seed 3 --samples 8: $one steps each time"
[ "$(steps no3 --n 16 --samples 8 --seed 4)" != "$one" ]
point $? "... and others with another seed"
is "$(steps magic --order 6 --samples 8 --seed 5)" null "magic --order 6 --forecast --json: null"
is "$(sed 's/.*\("seconds": [^,]*\), .*\("seconds_high": [^,]*\),.*/\1 \2/' "$tmp/out")" '"seconds": null "seconds_high": null' "... so are its seconds"
run magic --order 6 --time-limit 0.5 --progress json --progress-every 0.2
is "$(grep -c '"fraction": null.*"remaining_s": null' "$tmp/err") $(grep -c '"fraction": [0-9]' "$tmp/err")" \
    "$(grep -c fraction "$tmp/err") 0" "... and its progress"
tap_end
