#!/bin/sh
# Tests time windows as people write them: clock times, names, CSV, published layouts; and why no tour exists.
# usage: test_windows_files.sh [FOLDER]     FOLDER holds the built examples; TAP
. tests/test.sh
examples "$1"
cases=$(cd tests/data/cases && pwd) || exit 2
tsp() { run tsp "$@"; }
list() { # KEY: an array of it
    sed -n "s/.*[{ ]\"$1\": \[\([^]]*\)\].*/\1/p" "$tmp/out"
}
# ---- the same windows in every form: the tour 1 5 2 3 4 of length 64, back at 10:15
matrix=$cases/w01_matrix.tsp
tsp "$matrix" --windows "$cases/w00_twfile.txt" --json
is "$status $(value length) $(value end) $(list tour)" "0 64 95 1, 5, 2, 3, 4" "plain numbers"
clock() { # NAME; the file on standard input
    cat >"$tmp/clock"
    tsp "$matrix" --windows "$tmp/clock" --json
    is "$status $(value length) $(value end) $(value end_clock) $(list tour)" "0 64 615 10:15 1, 5, 2, 3, 4" "$1"
}
clock "clock times" <"$cases/w05_clock.txt"
clock "with seconds, one digit, 24:00, blanks" <<END
# remark
8:00:00 24:00
9:00 11:00
9:00 10:00

10:00:00 12:00
8:00 10:00:00
END
clock "in any order, by number" <<END
5,08:00,10:00
4,10:00,12:00
1,08:00,18:00
3,09:00,10:00
2,09:00,11:00
END
clock "twelve hours" <<END
8:00 am,6:00 PM
9:00 am,11:00am
9:00 am,10:00 am
10:00 am,12:00 pm
8:00 am,10:00 am
END
clock "columns in any order" <<END
due date;Name;address;Ready-Time;service
10:00;5;a "road", 3;08:00;
12:00;4;;10:00;0
18:00;1;;08:00;0
10:00;3;;09:00;
11:00;2;;09:00;0:00
END
printf '08:00,18:00,,\r\n"09:00","11:00",0\r\n09:00,10:00\r\n10:00,12:00\r\n08:00,10:00\r\n,,,\r\n' >"$tmp/excel"
clock "as Excel writes them" <"$tmp/excel"
printf '22:00,30:00\n23:00,25:00\n23:00,24:00\n24:00,26:00\n22:00,24:00\n' >"$tmp/night"
tsp "$matrix" --windows "$tmp/night"
is "$status $(grep -c '^     [1-5] at' "$tmp/out")" "0 5" "past midnight"
says "which ends at 24:15" "hours go on"
says "the next day" "and the summary explains them"
sed 's/$/,10/' "$cases/w05_clock.txt" >"$tmp/service"
tsp "$matrix" --windows "$tmp/service" --json
is "$status $(value end_clock)" "0 10:25" "service is in minutes"
sed 's/\.5/,5/; s/ /;/' >"$tmp/commas" <<END
0 100.5
25 70
25 60
80 120
0 60
END
tsp "$matrix" --windows "$tmp/commas" --json
is "$status $(value end)" "0 95" "decimal commas between semicolons"

# ---- names, kilometres
places=$cases/c02_basic.csv
cat >"$tmp/names" <<END
city,open,close
"Süd ""Eck""",9:00,10:00
Depot,08:00,18:00
Ost,8:10,9:00
"Laden, Nord",7:00,09:30
Café Zwei,8:30:20,8:45
END
tsp "$places" --windows "$tmp/names"
is "$status $(grep -c 'add --speed KM/H' "$tmp/err")" "2 1" "clock times need a speed for kilometres"
tsp "$places" --windows "$tmp/names" --speed 25
is "$status $(sed -n 's/^     \([0-9]\) at [0-9:]*  \(.*\)/\1 \2,/p' "$tmp/out" | tr -d '\n')" \
    '0 1 Depot,3 Laden, Nord,2 Café Zwei,5 Ost,4 Süd "Eck",' "windows by name; the tour has names"
says "km, at 25 km/h" "the summary says what the weights are"
tsp "$places" --windows "$tmp/names" --speed 25 --json
is "$(list route)" '"Depot", "Laden, Nord", "Café Zwei", "Ost", "Süd \"Eck\""' "JSON has names"
grep -q '"length": 44.61' "$tmp/out"
point $? "the length is in kilometres"
sed -n '2,$p' "$tmp/names" | sed 's/"Laden, Nord",/3,/; s/"Süd ""Eck""",/4,/; s/,/ /g' >"$tmp/blanks"
tsp "$places" --windows "$tmp/blanks" --speed 25 --json
is "$(list tour)" "1, 3, 2, 5, 4" "names with blanks, between blanks; without a header"
sed 's/8:10,9:00/8:10,8:12/' "$tmp/names" >"$tmp/late"
sed '1s/^/Id,/; 2,$s/^/7,/' "$tmp/names" >"$tmp/ids"
tsp "$places" --windows "$tmp/ids" --speed 25 --json
is "$(list tour)" "1, 3, 2, 5, 4" "a column of names goes before one of numbers"
tsp "$places" --windows "$tmp/late" --speed 25
says "no tour (proven): city 5 (Ost) is due at 08:12, but is reached from the depot at 08:14:04 at the earliest" \
    "the city that rules tours out, by name"
tsp "$places" --shortest 2
says 'Depot -> Laden, Nord -> Café Zwei -> Süd "Eck" -> Ost' "--shortest prints names"
tsp "$places" --shortest 2 --json
is "$(grep -o '"route": \["Depot"' "$tmp/out" | wc -l | tr -d ' ')" 2 "and JSON has them"
echo 1 2 3 4 4 >"$tmp/tour"
tsp "$places" --check "$tmp/tour"
says 'city 4 (Süd "Eck")' "--check names the city that is wrong"
tsp "$places" --windows "$cases/w00_twfile.txt"
says "km, each taken as one unit of time" "plain numbers with kilometres: the summary says so"

# ---- no tour
tsp "$matrix" --windows "$cases/w06_infeasible.txt"
is "$status" 0 "no tour, proven: exit status 0, like other proofs of nonexistence"
says "city 1 is due back at 90, but is reached after city 4 at 95 at the earliest" "the depot is reached too late"
tsp "$matrix" --windows "$cases/w06_infeasible.txt" --json
is "$(value feasible) $(value city) $(value after) $(value earliest)" "false 1 4 95" "JSON has the reason"
printf '0,100\n25,26\n25,26\n80,120\n0,60\n' >"$tmp/pair"
tsp "$matrix" --windows "$tmp/pair"
says "neither order of two cities works: city 3 is due at 26, but is reached after city 2 at 40 at the earliest; city 2" \
    "two cities that exclude each other"
printf '0,300\n20,32\n20,32\n0,300\n20,32\n' >"$tmp/three"
tsp "$matrix" --windows "$tmp/three"
says "no tour" "no tour, but no single city is too late"

# ---- cut off: an error, or the same times
cut_at() { # FILE: before and behind each token
    wrong=0 cuts=0
    size=$(wc -c <"$1")
    tsp "$matrix" --windows "$1" --json
    whole="$(value end) $(value length) $(list tour)"
    for at in $(od -An -v -c -w1 "$1" | tr -d ' ' | awk '{ now = $1 ~ /^[0-9:]$/; if (NR > 1 && now != was) print NR - 1; was = now }'); do
        [ "$at" -lt "$size" ] || continue
        head -c "$at" "$1" >"$tmp/part"
        tsp "$matrix" --windows "$tmp/part" --json
        cuts=$((cuts + 1))
        [ "$status" -ne 0 ] || [ "$(value end) $(value length) $(list tour)" = "$whole" ] || {
            wrong=$((wrong + 1))
            echo "# cut after $at bytes"
        }
    done
    [ $wrong -eq 0 ] && [ $cuts -gt 15 ]
    point $? "cut at $cuts places"
}
printf '0,100,1\n25,70,1\n25,60,0\n80,120,1\n0,60,5\n' >"$tmp/whole"
cut_at "$tmp/whole"
printf 'city,ready,due,service\n2,08:25,9:10,1\n1,8:00,9:40,1\n3,8:25,9:00,0\n4,9:20,10:00,1\n5,8:00,9:00,5' >"$tmp/whole"
cut_at "$tmp/whole"

# ---- refused, with the reason
while IFS='|' read -r content message; do
    printf "$content" >"$tmp/wrong"
    tsp "$matrix" --windows "$tmp/wrong"
    is "$status $(grep -cF -- "$message" "$tmp/err")" "2 1" "refused: $message"
    [ "$status" -eq 2 ] || sed 's/^/# /' "$tmp/out"
done <<'END'
08:00,18:00\n0,90\n|line 2: ready is 0, but line 1 has clock times
0,90\n08:00,18:00\n|line 2: ready is 08:00, but line 1 has plain numbers
0,90,0:10\n|line 1: service is 0:10, but line 1 has plain numbers
8:60,9:00\n|"8:60,9:00" is not "ready,due" or "city,ready,due"
8,5:3\n|is "5:3"
0,90\n0,90\n25,20\n0,9\n0,9\n|line 3: city 3 is due at 20, before it is ready at 25
08:00,09:00\n8:00,9:00\n22:00,02:00\n8:00,9:00\n8:00,9:00\n|line 3: city 3 is due at 02:00, before it is ready at 22:00; after midnight, count on: 25:30
1,0,90\n2,0,90\n3,0,90\n4,80,120\n5,0,60\n|begin the file with a line "city,ready,due" or "ready,due,service"
4,5,90\n0,1,90\n1,2,90\n2,80,120\n3,4,60\n|begin the file with a line "city,ready,due" or "ready,due,service"
city,ready,due\n1,0,9\n2,0,9\n1,0,9\n|line 4: city 1 is already in line 2
city,ready,due\n1,0,9\n2,0,9\n|has no line for city 3; without limits it is "0,inf"
ready,due\n0,90,5\n|line 2: "0,90,5" has 3 cells; the header, line 1, has 2
city,redy,due\n|nor a header with the words ready and due
city,ready,due\nLyon,0,9\n|line 2: "Lyon"; it may be a whole number from 1 to 5
1,08:00,09:00\n08:00,09:00\n|line 2: "08:00,09:00" is without a city, unlike the lines before
0,90\n0,90\n0,90\n|3 lines; there are 5 cities
"0,90\n|line 1: a quote does not end
0,90,1,2,3\n|it has more cells
END
sed 's/^Ost/Osst/' "$tmp/names" >"$tmp/misspelt"
tsp "$places" --windows "$tmp/misspelt" --speed 25
says 'line 4: "Osst"; it may be a number from 1 to 5 or a name; did you mean Ost?' "a misspelt name"
tsp "$matrix" --speed 20
says "--speed needs --windows" "--speed alone"

# ---- the table of a service has seconds, or is refused
yes '08:00,18:00' | head -n 6 >"$tmp/day"
tsp "$cases/m35_osrm.json" --windows "$tmp/day"
says "which ends at 08:02:56" "a service's durations are seconds"
says "weights: seconds" "and the summary says so"
sed 's/"durations"/"distances"/' "$cases/m35_osrm.json" >"$tmp/distances.json"
tsp "$tmp/distances.json" --windows "$tmp/day"
says "the table has distances: add --metric durations" "a service's distances are no times"

# ---- layouts of published instances
for file in w10_tsptw_service.tsp w11_tsptw_servicekw.tsp w12_cvrptw.vrp; do
    tsp "$cases/$file" --json
    is "$status $(value length) $(value end)" "0 14 78" "$file"
done
says_of() { # FILE TEXT
    tsp "$cases/$1"
    says "$2" "$1: $2"
}
says_of w12_cvrptw.vrp "weights: distances, rounded as EDGE_WEIGHT_TYPE says"
says_of w09_solomon.txt "weights: distances, not rounded"
says_of w09_solomon.txt "city 1 is customer 0"
says_of w09_solomon.txt "which ends at 1025.68"
sed 's/ 200$/ 20/' "$cases/w09_solomon.txt" >"$tmp/small"
tsp "$tmp/small"
is "$status" 0 "a vehicle that is too small"
says "the demands add up to 60, more than the capacity of one vehicle, 20" "is noted"
tail -n +2 "$cases/w09_solomon.txt" | tr 'A-Z' 'a-z' | sed 's/$/\r/' >"$tmp/nameless"
tsp "$tmp/nameless"
says "which ends at 1025.68" "Solomon's layout without a name, in small letters, with carriage returns"
tsp "$tmp/nameless" --forecast --json
is "$status $(value status)" "0 ok" "--forecast of a tour within time windows"
tap_end
