#!/bin/sh
# Tests files of TSPLIB and concorde in the command: their summary, --metric, tours.
# usage: test_tsplib_command.sh [FOLDER]     FOLDER holds the built examples; TAP
. tests/test.sh
examples "$1"
cases=$(cd tests/data/cases && pwd) || exit 2
tsp() { # ARGUMENT...: the first line of the output, or the message after the command's name
    "$bin/combgpu" tsp "$@" 2>"$tmp/err" </dev/null >"$tmp/out"
    sed -n 1p "$tmp/out"
    sed 's/^[^:]*: //' "$tmp/err"
}
proven='proven optimal (brute-force)'

# FILE|OPTIONS|first line
while IFS='|' read -r file options line; do
    is "$(tsp "$cases/$file" $options)" "$line" "$file $options"
done <<END
t00_base.tsp||t, 7 cities: tour of length 371, $proven
t09_zero_based.tsp||t, 7 cities (node 0 of the file is city 1): tour of length 371, $proven
t15_notype.tsp||t, 7 cities: tour of length 371, $proven
t18_hash_comments.tsp||t, 7 cities: tour of length 371, $proven
t38_FLOOR_2D.tsp||t, 7 cities: tour of length 367, $proven
t38_EXACT_2D.tsp||t, 7 cities: tour of length 370.569013342489, $proven
t38_GEOM.tsp||t, 7 cities: tour of length 3510480, $proven
t00_base.tsp|--metric plane|t, 7 points in a plane: tour of length 370.569013342489, $proven
t61_unit_square.tsp||unit, 6 cities (note: all rounded distances are 0; --metric plane does not round): tour of length 0, $proven
t61_unit_square.tsp|--metric plane|unit, 6 points in a plane: tour of length 1.3853955364175, $proven
t62_geo_decimal.tsp||decdeg, 4 cities (note: GEO has degrees and minutes, so that 52.95 is 52 degrees, 95 minutes; if they are decimal degrees: --metric earth): tour of length 254, $proven
t62_geo_decimal.tsp|--metric earth|decdeg, 4 waypoints, km on the Earth: tour of length 196.847475538957, $proven
c28_concorde_n_first.txt||c28_concorde_n_first.txt, 5 points (EUC_2D, as concorde reads such a file; note: all rounded distances are 0; --metric plane does not round): tour of length 0, $proven
c28_concorde_n_first.txt|--metric plane|c28_concorde_n_first.txt, 5 points in a plane: tour of length 0.40573152408689, $proven
t00_base.tsp|--check $cases/s04_zero.tour|t: a tour of length 371
END

is "$(tsp "$cases/t30_too_few.tsp" | sed 's/^.*\(line\)/\1/')" \
    "line 5: DIMENSION is 8, but the number of nodes in NODE_COORD_SECTION is 7" "a wrong DIMENSION: both numbers"
is "$(tsp "$cases/fe_cut4.tsp" | sed 's/^.*\(line\)/\1/')" \
    "line 16: the file ends before the -1 of FIXED_EDGES_SECTION" "fixed edges that are cut off"
is "$(tsp tests/data/tsplib/ulysses16.tsp)" "ulysses16.tsp, 16 cities: tour of length 6859, proven optimal (held-karp)" \
    "TSPLIB's own GEO has no note"
is "$("$bin/combgpu" tsp "$cases/t61_unit_square.tsp" --json | grep -c '"read_so": "note: all rounded distances are 0;')" 1 \
    "the note is in --json, too"

# words of TSPLIB without colons, after a keyword that nobody knows
tr A-Z a-z <"$cases/t00_base.tsp" | sed 's/ : / /; 1s/.*/source : me/' >"$tmp/small.tsp"
is "$(tsp "$tmp/small.tsp")" "small.tsp, 7 cities: tour of length 371, $proven" "small letters, no colons"
sed 's/\([1-7] .*\)/\1 0/' "$cases/t00_base.tsp" >"$tmp/flat.tsp"
is "$(tsp "$tmp/flat.tsp")" "t, 7 cities: tour of length 371, $proven" "a third coordinate 0"
printf '4\n0.1 0.2\n3.5 0.5\n2.5 3\n0 2\n' >"$tmp/few.txt"
is "$(tsp "$tmp/few.txt" | sed 's/.*; note: //; s/:.*//')" \
    "no rounded distance is above 4; --metric plane does not round)" "small distances of coordinates with decimals"
is "$(tsp tests/data/tsplib/gr17.tsp --metric plane)" \
    "--metric is for points; tests/data/tsplib/gr17.tsp has distances of its own" "--metric without coordinates"

# tours as lists: TEXT|first line of --check
while IFS='|' read -r text line; do
    printf "$text" >"$tmp/tour.txt"
    is "$(tsp "$cases/t00_base.tsp" --check "$tmp/tour.txt" | sed "s/^.*tour.txt //")" "$line" "--check of $text"
done <<'END'
7\n0 2 1 3 4\n5 6\n|t: a tour of length 371
0\n2\n1\n3\n4\n5\n6\n|t: a tour of length 371
1,3,2,4,5,6,7|t: a tour of length 371
[1, 3, 2, 4, 5, 6, 7]|t: a tour of length 371
[0, 2, 1, 3, 4, 5, 6]|t: a tour of length 371
0 2 1 3 4 5 7|t: not a tour: --check, number 1, is city 0; it may be city 1 to city 7
1 3 2 4 5 6 6|t: not a tour: --check, number 7, is city 6, which the tour has already visited
1 3 2 4 5 6|has 6 cities; the instance has 7
8 1 3 2 4 5 6 7|has 8 cities; the instance has 7
END

tap_end
