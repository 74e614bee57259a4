#!/bin/sh
# Tests how the command reads files of cities: it reads every kind of file as its owner means it, or refuses it in a
# sentence that says what to do.
# usage: test_readers.sh [FOLDER]     FOLDER holds the built examples; TAP
. tests/test.sh
examples "$1"
cases=tests/data/cases
tsp() { # FILE OPTION...: status, and what it wrote
    run tsp "$@" --backend cpu --threads 1 --json
}

read_as() { # FILE OPTIONS LENGTH WHAT [ROUTE]: it is taken for that, and the tour has that length (its first digits)
    # shellcheck disable=SC2086
    tsp "$1" $2
    length=$(value length)
    [ "$status" -eq 0 ] && [ "${length#"$3"}" != "$length" ] && grep -qF "\"read_as\": \"$4\"" "$tmp/out" &&
        { [ -z "$5" ] || grep -qF "\"route\": [$5]" "$tmp/out"; }
    point $? "${6:-${1##*/}} $2: $4, $3"
    [ "$status" -eq 0 ] || sed 's/^/# /' "$tmp/err"
}

refused() { # FILE OPTIONS MESSAGE: with status 2 and one line that has this
    # shellcheck disable=SC2086
    tsp "$1" $2
    [ "$status" -eq 2 ] && [ "$(wc -l <"$tmp/err")" -eq 1 ] && grep -qF -- "$3" "$tmp/err"
    point $? "${4:-${1##*/}} $2 is refused: $3"
    grep -qF -- "$3" "$tmp/err" || sed "s/^/# $status /" "$tmp/err"
}

shown() { # the first characters of a text, for the name of a test point
    printf '%s' "$1" | head -c 44 | tr '\n#' '~%'
}

good() { # TEXT OPTIONS LENGTH WHAT [ROUTE]: printf's format in place of a file
    # shellcheck disable=SC2059
    printf "$1" >"$tmp/text"
    read_as "$tmp/text" "$2" "$3" "$4" "$5" "\"$(shown "$1")\""
}

bad() { # TEXT OPTIONS MESSAGE
    # shellcheck disable=SC2059
    printf "$1" >"$tmp/text"
    refused "$tmp/text" "$2" "$3" "\"$(shown "$1")\""
}

# ---- files that people brought

earth5="5 waypoints, km on the Earth"
names5='"Depot", "Laden, Nord", "Café Zwei", '
read_as $cases/c00_matrix_small.txt "" 10 "5 x 5 distances"
read_as $cases/c01_matrix_small.csv "" 10 "5 x 5 distances"
for file in c02_basic.csv c05_semi_deccomma_en.csv c14_blank_lines.csv c10_lng.csv g14_kml.kml j11_overpass.json j14_objs.json; do
    read_as $cases/$file "" 36.9 "$earth5"
    grep -qF "\"route\": [$names5" "$tmp/out"
    point $? "$file: its names"
done
read_as $cases/c08_xy_qgis.csv "--metric earth" 36.9 "$earth5"
read_as $cases/c08_xy_qgis.csv "" 0.40 "5 points in a plane"
read_as $cases/c26_utf16.csv "" 952.069 "3 waypoints, km on the Earth" '"München", "Köln", "Nürnberg"'
read_as $cases/c35_y_x.csv "--metric earth" 952.069 "3 waypoints, km on the Earth" '"A", "B", "C"'
refused $cases/g18_cut_clean.gpx "" "is cut off: <gpx> of line 2 does not end"
refused $cases/cut.gpx "" "is cut off: <gpx> of line 2 does not end"
refused $cases/unclosed_comment.gpx "" "line 1: <!-- does not end"
read_as $cases/m32_matrix_csv.csv "" 271 "6 x 6 distances"
read_as $cases/m33_matrix_txt.txt "" 271 "6 x 6 distances"
read_as $cases/m34_matrix_hdr.csv "" 271 "6 x 6 distances" '"a", "c", "b", "f", "e", "d"'
read_as $cases/m35_osrm.json "" 175.6 "6 x 6 durations" '"Street 0", "Street 5", "Street 3", "Street 4", "Street 1", "Street 2"'

# ---- a table of distances, in each layout: separators, names, decimal commas, ends of lines

matrix() { # SEPARATOR NAMES END: distances of a, b, c, d; names of rows, columns, both, or both without a corner
    awk -v s="$1" -v names="$2" -v end="$3" 'BEGIN {
        split("0 5.5 1 8 5.5 0 4 2 1 4 0 3 8 2 3 0", d); split("a b c d", name)
        if (names ~ /columns|both|corner/)
            printf "%s%s%s%s%s%s%s%s%s", names == "both" ? "from" s : "", "a", s, "b", s, "c", s, "d", end
        for (i = 1; i <= 4; i++) {
            line = names ~ /rows|both|corner/ ? name[i] s : ""
            for (j = 1; j <= 4; j++) line = line (j > 1 ? s : "") d[4 * i + j - 4]
            if (s !~ /,/) gsub(/\./, ",", line)
            printf "%s%s", line, end
        }
    }' >"$tmp/text"
}
for separator in , ';' '	' ' ' '   ' ', ' '|'; do
    for names in none rows columns both no-corner; do
        case $names in none) want= ;; *) want='"a", "b", "d", "c"' ;; esac
        case $separator in ,) end='\r\n' ;; *) end='\n' ;; esac
        matrix "$separator" $names "$end"
        read_as "$tmp/text" "" 11.5 "4 x 4 distances" "$want" "a table, \"$separator\" between cells, names: $names"
    done
done
good '0,5,1\n5,0,4\n1,4,0' "" 10 "3 x 3 distances"
good '# km\n\n0 5 1\n\n5 0 4\n1 4 0\n\n' "" 10 "3 x 3 distances"
good ',0,1,2\n0,0,5,1\n1,5,0,4\n2,1,4,0\n' "" 10 "3 x 3 distances" '"0", "1", "2"'
good '0,1,2\n0,5,1\n5,0,4\n1,4,0\n' "" 10 "3 x 3 distances" '"0", "1", "2"'
good '1 0 5 1 9\n2 5 0 4 9\n3 1 4 0 9\n4 9 9 9 0\n' "" 23 "4 x 4 distances"
good ',x,y,z\nx,0,5,1\ny,5,0,4\nz,1,4,0\n' "" 10 "3 x 3 distances" '"x", "y", "z"'
good '"","New York","St. ""P"""," c"\n"New York",0,5,1\n"St. ""P""",5,0,4\n" c",1,4,0\n' "" 10 "3 x 3 distances" '"New York", "St. \"P\"", "c"'
good 'a,b,c,,\n0,5,1,,\n5,0,4,,\n1,4,0,,\n,,,,\n' "" 10 "3 x 3 distances" '"a", "b", "c"'
good 'sep=;\n0;5;1\n5;0;4\n1;4;0\n' "" 10 "3 x 3 distances"
good '\357\273\2770,5,1\n5,0,4\n1,4,0\n' "" 10 "3 x 3 distances"
for none in x - inf Infinity nan null None NA n/a X ''; do
    good "\n$none,5,1\n5,$none,4\n1,4,$none\n" "" 10 "3 x 3 distances"
done
good '9999 5 1\n5 9999 4\n1 4 9999\n' "" 10 "3 x 3 distances"
good 'a,b,c\n0,5,1\n,0,4\n,,0\n' "" 10 "3 x 3 distances" '"a", "b", "c"'
good '0,,\n5,0,\n1,4,0\n' "" 10 "3 x 3 distances"
grep -q '"read_so": "a triangle of them, the same both ways"' "$tmp/out"
point $? "... and it says that the other triangle is taken for the same"
for none in '' x - inf nan null; do
    good ",a,b,c,d\na,0,5,$none,2\nb,5,0,3,$none\nc,$none,3,0,4\nd,2,$none,4,0\n" "" 14 "4 x 4 distances" '"a", "b", "c", "d"'
    grep -q '"read_so": "4 without a connection"' "$tmp/out"
    point $? "... 4 without a connection"
done
good '[[0, null, 3, 4], [1, 0, null, 2], [3, 2, 0, null], [null, 4, 2, 0]]' "" 9 "4 x 4 distances"
good ',a,b,c,d\na,0,5,-1,2\nb,5,0,3,-1\nc,-1,3,0,4\nd,2,-1,4,0\n' "--no-connection -1" 14 "4 x 4 distances"
good "0,5,\n5,0,3\n,3,0\n" "--path" 8 "3 x 3 distances"
"$bin/combgpu" tsp "$tmp/text" --backend cpu | grep -q ', 3 x 3 distances (2 without a connection): no tour exists (proven)'
point $? "... and no closed tour"
bad '0 5\n7 0\n' "" "may be 2 x 2 distances or 2 points: --metric matrix takes it for distances, --metric earth or plane"
good '0 5\n7 0\n' "--metric matrix" 12 "2 x 2 distances"
good '5 5\n7 5\n' "--metric matrix" 12 "2 x 2 distances"
good '0 5\n7 0\n' "--metric durations" 12 "2 x 2 durations"
good '0 5\n7 0\n' "--metric plane" 17.2 "2 points in a plane"
good 'x 5\n7 x\n' "" 12 "2 x 2 distances"
good ',a,b\na,0,5\nb,7,0\n' "" 12 "2 x 2 distances" '"a", "b"'
good '48.1 11.6\n50.9 6.9\n' "" 920 "2 waypoints, km on the Earth"
bad '1 5 6\n2 7 8\n3 9 10\n' "" "may be 3 x 3 distances or 3 points"
good '1 5 6\n2 7 8\n3 9 10\n' "--metric matrix" 16 "3 x 3 distances"
good '1 5 6\n2 7 8\n3 9 10\n' "--metric plane" 11. "3 points in a plane"
bad '0 5 1 7\n5 0 4 7\n1 4 0 7\n' "" "distances are n lines of n numbers, and here are 3 lines"
bad '0 5 1\n5 0 4\n1 4' "" "the third number may be part of a name"
bad ',a,b,c\na,0,5,1\nb,5,0,4\n' "" "names more cities in its first line than it has lines: is it cut off?"
bad 'a,b,c\n0,5,1\n5,0,4\n' "" "line 1"
bad '0;1,5;2\n1.5;0;3\n2;3;0\n' "" "has decimal points and decimal commas"
bad '0;1,234;2,500\n1,234;0;3,100\n2,500;3,100;0\n' "" "commas that may be decimal ones or of thousands, as in 1,234: write decimal points"
bad '0,"1,234","2,500"\n"1,234",0,"3,100"\n"2,500","3,100",0\n' "" "commas that may be decimal ones or of thousands"
good '0;1,234;0,500\n1,234;0;3,100\n0,500;3,100;0\n' "" 4.834 "3 x 3 distances"
bad '48.1 11.6\n50.9 6.9\n49 11\n' "--metric matrix" "is not a table of n rows of n numbers, which --metric matrix needs"
bad 'lat,lon\n48.1,11.6\n50.9,6.9\n49,11\n' "--metric matrix" "is not a table of n rows of n numbers"
bad '{"durations": [[0, 1], [2, 0]]}' "--metric plane" "has distances of its own"

# ---- rows of two coordinates: what the numbers are, and which are too many

good '48.1 11.6\n50.9 6.9\n49.4 11.1\n' "" 952.069 "3 waypoints, km on the Earth"
grep -qF '"read_so": "without a header numbers are latitude, longitude; --metric plane takes them for x, y"' "$tmp/out"
point $? "... and it says which was taken"
"$bin/combgpu" tsp "$tmp/text" --backend cpu | grep -q '^3 waypoints, km on the Earth (without a header .*): 952.069 km, proven shortest$'
point $? "... in the summary, too"
good '48.1 11.6\n50.9 6.9\n49.4 11.1\n' "--metric plane" 11.3 "3 points in a plane"
good '48.1 11.6\n50.9 6.9\n49.4 11.1\n' "--metric euc_2d" 10 "3 points in a plane, distances rounded"
for row in '%s %s %s' '%s,%s,%s' '%s;%s;%s' '%s\t%s\t%s' '%s, %s, %s' '%s|%s|%s' '%s,%s,"%s"'; do
    # shellcheck disable=SC2059
    good "$(printf "$row\n$row\n$row" 48.1 11.6 München 50.9 6.9 Köln 49.4 11.1 A)\n" "" 952.069 "3 waypoints, km on the Earth" '"München", "Köln", "A"'
done
good '48,1;11,6;A B\n50,9;6,9;C\n49,4;11,1;D\n' "" 952.069 "3 waypoints, km on the Earth" '"A B", "C", "D"'
good 'A,48.1,11.6\nC,50.9,6.9\nD,49.4,11.1\n' "" 952.069 "3 waypoints, km on the Earth" '"A", "C", "D"'
good '48.1 11.6 New York\n50.9 6.9 10 Downing Street\n49.4 11.1 "7"\n' "" 952.069 "3 waypoints, km on the Earth" '"New York", "10 Downing Street", "7"'
good '1 48.1 11.6\n2 50.9 6.9\n3 49.4 11.1\n4 49.4 11.1\n' "" 952.069 "4 waypoints, km on the Earth"
good '0 48.1 11.6 A\n1 50.9 6.9 B\n2 49.4 11.1 C\n3 49.4 11.1 D\n' "" 952.069 "4 waypoints, km on the Earth" '"A", "B", "C", "D"'
good '1,48.1,11.6,A\n2,50.9,6.9,B\n' "" 920 "2 waypoints, km on the Earth" '"A", "B"'
bad '48.85 2.35 17 3.2\n48.2 16.4 1 2\n47 15 3 4\n' "" "has more than latitude, longitude and a name"
bad '48.85,2.35,Paris,17\n48.2,16.4,Wien,3\n' "" "a name with a separator in it needs quotes"
bad '48.85 2.35 35\n48.2 16.4 170\n47 15 353\n46 14 3\n' "" 'a first line such as "id,lat,lon" or "lat,lon,height"'
bad '17 48.85 2.35 Paris\n23 48.2 16.4 Wien\n4 47 15 Graz\n' "" "the third number may be part of a name"
bad '1 2 5\n2 3 4\n3 4 7\n4 1 2\n' "" "the third number"
bad '0.1 0.2 0.3 0.4 0.5 0.6 output 1 3 2 1\n0.1 0.2 0.3 0.4 0.5 0.9 output 1 3 2 1\n' "" "--batch 2 reads lines"
bad '123.4 48.1\n100 50\n' "" "has latitude 123.4 and longitude 48.1; these may be -90 to 90 and -360 to 360. If they are x and y in a plane: --metric plane; if the longitude comes first"
good '123.4 48.1\n100 50\n' "--metric plane" 46. "2 points in a plane"
bad '600000 200000\n600100 200000\n' "" "--metric plane"
bad '48,85 2,35 Paris\n' "" "has decimal commas"
for text in '_p~iF~ps|U_ulLnnqC_mqNvxq`@' 'POINT(16.4 48.2)' 'Paris London Rome'; do
    bad "$text\n" "" 'other files are CSV with a header, n x n distances, TSPLIB, GPX, KML, JSON and .npy'
done
bad 'PK\003\004....' "" "a zip archive (a sheet of Excel or LibreOffice, KMZ): save it as CSV or KML"
bad '%%PDF-1.7\n' "" "PDF: copy the table"
bad '\037\213\010\001' "" "unpack it with gunzip"
bad '\000\000\047\012' "" "is not a text; TSPLIB, CSV, lines of numbers, GPX, KML, JSON and .npy are read"
bad '' "" "has no points"

# ---- columns with a header: east is the longitude, north the latitude, in any order and case

for names in 'lat,lon' 'Latitude,Longitude' 'LAT,LNG' 'lat,long' '"latitude","lng"' 'stop_lat,stop_lon' 'Lat (deg),Lon (deg)' 'Breite,L\303\244nge' 'latitud,longitud'; do
    good "$names\n48.1,11.6\n50.9,6.9\n49.4,11.1\n" "" 952.069 "3 waypoints, km on the Earth"
    good "$names\n48.1,11.6\n50.9,6.9\n49.4,11.1\n" "--metric earth" 952.069 "3 waypoints, km on the Earth"
done
for names in 'Y,X' 'y,x' 'Northing,Easting' 'north,east' '"Y","X"' 'coord_y,coord_x' 'Y [deg],X [deg]' 'Hochwert,Rechtswert'; do
    good "$names\n48.1,11.6\n50.9,6.9\n49.4,11.1\n" "--metric earth" 952.069 "3 waypoints, km on the Earth"
    good "$names\n48.1,11.6\n50.9,6.9\n49.4,11.1\n" "" 11.3 "3 points in a plane"
    reversed="${names#*,},${names%%,*}"
    good "n;$(echo "$reversed" | tr , ';')\nA;11,6;48,1\nB;6,9;50,9\nC;11,1;49,4\n" "--metric earth" 952.069 "3 waypoints, km on the Earth"
done
good 'X,Y,lat,lon\n1,2,48.1,11.6\n3,4,50.9,6.9\n5,6,49.4,11.1\n' "" 952.069 "3 waypoints, km on the Earth"
grep -qF 'latitude: column \"lat\", longitude: column \"lon\"' "$tmp/out"
point $? "... and it says which columns were taken"
good 'X,Y,lat,lon\n1,2,48.1,11.6\n3,4,50.9,6.9\n5,6,49.4,11.1\n' "--metric plane" 11.3 "3 points in a plane"
bad 'pickup_lat,pickup_lon,drop_lat,drop_lon\n1,2,3,4\n2,3,4,5\n' "" "line 1: several columns may be"
bad 'lat,lat,lon\n1,2,3\n2,3,4\n' "" 'several columns may be lat; name one of them "lat"'
bad 'Easting,Northing\n600000,200000\n600100,200000\n' "--metric earth" "--metric plane"
good 'Easting,Northing\n600000,200000\n600100,200000\n' "" 200 "2 points in a plane"
bad 'x,y,z\n0,0,0\n1,2,5\n3,3,3\n' "" "points in space, with x, y and z"
good 'lat,lon,z\n48.1,11.6,3\n50.9,6.9,9\n49.4,11.1,7\n' "" 952.069 "3 waypoints, km on the Earth"
good 'id,stop_name,lat,lon,\n1,A,48.1,11.6,\n2,B,50.9,6.9\n3,C,49.4,11.1,,,\n,,,\n' "" 952.069 "3 waypoints, km on the Earth" '"A", "B", "C"'
good 'List of customers, 2024\nby: A. Person\n\nname;lat;lon\nA;48,1;11,6\nB;50,9;6,9\nC;49,4;11,1\n' "" 952.069 "3 waypoints, km on the Earth" '"A", "B", "C"'
good 'sep=;\r\nname;lat;lon\r\nA;48,1;11,6\r\nB;50,9;6,9\r\nC;49,4;11,1\r\n' "" 952.069 "3 waypoints, km on the Earth" '"A", "B", "C"'
good '# lon lat\n11.6 48.1\n6.9 50.9\n11.1 49.4\n' "" 952.069 "3 waypoints, km on the Earth"
good 'lat lon name\n48.1 11.6 New York\n50.9 6.9 B\n49.4 11.1\n' "" 952.069 "3 waypoints, km on the Earth" '"New York", "B", "3"'
good 'name,lat,lon\n"A\nB, C",48.1,11.6\n"D ""E""",50.9,6.9\n,49.4,11.1\n' "" 952.069 "3 waypoints, km on the Earth" '"A B, C", "D \"E\"", "3"'
good 'name,lat,lon\nA,"48,1","11,6"\nB,"50,9","6,9"\nC,"49,4","11,1"\n' "" 952.069 "3 waypoints, km on the Earth"
good 'name;lat;lon\nA;48,123;11,575\nB;50,900;16,123\n' "" 901.175 "2 waypoints, km on the Earth"
bad 'name;x;y\nA;48,123;11,575\nB;50,900;16,123\n' "" "commas that may be decimal ones or of thousands"
bad 'name,lat,lon\nA,48.1,11.6\nB,50.9\n' "" "line 3: 2 fields"
bad 'name,lat,lon\nA,48.1,11.6\nB,50.9,east\n' "" 'line 3: "east" is not a coordinate'
bad 'lat,lon,name\n48.1,11.6,A\n50.9,6.9' "" "line 3: the last line has 2 cells of 3 and no end: is the file cut off?"
bad 'lat,lon,name\n48.1,11.6,A\n50.9,6.9,"B\n49,11,C\n' "" "line 3: a quote does not end"
for code in LE BE; do
    printf '\357\273\277name;lat;lon\r\nM\303\274nchen;48,1;11,6\r\nB;50,9;6,9\r\n"\360\237\230\200";49,4;11,1\r\n' |
        iconv -f UTF-8 -t UTF-16$code >"$tmp/text" 2>/dev/null || continue
    read_as "$tmp/text" "" 952.069 "3 waypoints, km on the Earth" '"München", "B", "😀"' "UTF-16$code"
done

# ---- JSON: services' tables, lists of objects and of rows

three='[0, 5.5, 1], [5.5, 0, 4], [1, 4, 0]'
good "{\"code\": \"Ok\", \"durations\": [$three], \"distances\": [[0, 1, 2], [1, 0, 3], [2, 3, 0]]}" "" 10.5 "3 x 3 durations"
grep -qF '"read_so": "--metric distances takes the others"' "$tmp/out"
point $? "... and it says how the distances are taken"
good "{\"code\": \"Ok\", \"durations\": [$three], \"distances\": [[0, 1, 2], [1, 0, 3], [2, 3, 0]]}" "--metric distances" 6 "3 x 3 distances"
good "{\"distances\": [$three]}" "" 10.5 "3 x 3 distances"
bad "{\"distances\": [$three]}" "--metric durations" "has no table of durations"
bad '{"durations": [[0, 1], [1, 0]], "sources": [{"location": [1, 2]}, {"location": [1, 3]}], "destinations": [{"location": [1, 2]}, {"location": [1, 4]}]}' "" \
    "sources and destinations differ"
bad '{"durations": [[0, 1, 3], [1, 0, 3]]}' "" "row 1: 3 numbers, and there are 2 rows"
cell() { # FROM TO DISTANCE TIME: of Valhalla
    printf '{"from_index": %s, "to_index": %s, "distance": %s, "time": %s}' "$@"
}
valhalla="{\"sources_to_targets\": [[$(cell 0 0 0 0), $(cell 0 1 2.5 300)], [$(cell 1 0 3 310), $(cell 1 1 0 0)]], \"units\": \"kilometers\"}"
good "$valhalla" "" 610 "2 x 2 durations"
good "$valhalla" "--metric distances" 5.5 "2 x 2 distances"
bad "{\"sources_to_targets\": [[$(cell 0 0 0 0), $(cell 1 1 2.5 300)], [$(cell 1 0 3 310), $(cell 1 1 0 0)]]}" "" "is not in its place"
good "{\"sources_to_targets\": {\"durations\": [$three], \"distances\": [$three]}}" "" 10.5 "3 x 3 durations"
google() { # DISTANCE DURATION
    printf '{"status": "OK", "distance": {"text": "x", "value": %s}, "duration": {"value": %s}}' "$@"
}
good "{\"origin_addresses\": [\"A\", \"B\"], \"rows\": [{\"elements\": [$(google 0 0), $(google 7 5)]}, {\"elements\": [$(google 8 6), $(google 0 0)]}]}" "" 11 "2 x 2 durations" '"A", "B"'
good "[$three]" "" 10.5 "3 x 3 distances"
good "{\"distance_matrix\": [$three], \"num_vehicles\": 1, \"depot\": 0}" "" 10.5 "3 x 3 distances"
bad '[[0, 5], [7, 0]]' "" "may be 2 x 2 distances or 2 points"
good '[["", "a", "b", "c"], ["a", 0, 5, 1], ["b", 5, 0, 4], ["c", 1, 4, 0]]' "" 10 "3 x 3 distances" '"a", "b", "c"'
good '[[48.1, 11.6], [50.9, 6.9], [49.4, 11.1]]' "" 952.069 "3 waypoints, km on the Earth"
good '[["A", 48.1, 11.6], ["B\\u00e9", 50.9, 6.9], ["C", 49.4, 11.1]]' "" 952.069 "3 waypoints, km on the Earth" '"A", "Bé", "C"'
bad '[[48.1, 11.6], [50.9]]' "" "row 2"
bad '[[48.1, 11.6, 3], [50.9, 6.9, 4], [49, 11, 5], [49, 12, 5]]' "" "row 1"
bad '[48.1, 11.6, 50.9, 6.9]' "" "where a row [..., ...] is expected"
bad '[]' "" "has no points"
bad '[[]]' "" "row 1"
for keys in '"lat" "lng"' '"lat" "lon"' '"latitude" "longitude"' '"Y" "X"' '"northing" "easting"'; do
    lat=${keys% *} lon=${keys#* }
    objects="[{\"name\": \"A\", $lat: 48.1, $lon: 11.6}, {$lon: 6.9, $lat: 50.9, \"title\": \"B\"}, {$lat: \"49.4\", $lon: \"11.1\"}]"
    good "$objects" "--metric earth" 952.069 "3 waypoints, km on the Earth" '"A", "B", "3"'
    good "{\"version\": 1, \"stops\": $objects}" "--metric earth" 952.069 "3 waypoints, km on the Earth" '"A", "B", "3"'
done
good '[{"name": "A", "location": {"lat": 48.1, "lng": 11.6}}, {"location": {"lat": 50.9, "lng": 6.9}}, {"location": {"lat": 49.4, "lng": 11.1}}]' "" 952.069 "3 waypoints, km on the Earth"
bad '[{"lat": 48.1, "lon": 11.6}, {"lat": 50.9}]' "" "has no lat and lon, nor x and y"
bad '[{"lat": 48.1, "lon": 11.6}, {"lat": null, "lon": 3}]' "" "has a coordinate that is not a number"
bad '[{"lat": 48.1, "lon": 11.6}, {"x": 1, "y": 3}]' "" "some objects have lat and lon, others x and y"
bad '[{"lat": 48.1, "lon": 11.6}, 7]' "" "a list of objects and of others"
bad '{"a": [[1, 2]], "b": [[3, 4]]}' "" "is not GeoJSON and has no single list"
way='{"type": "way", "id": 1, "center": {"lat": 48.1, "lon": 11.6}, "nodes": [2, 3], "tags": {"name": "W", "addr:city": "c"}}'
node='"lat": 50.9, "lon": 6.9'
good "{\"elements\": [$way, {\"type\": \"node\", \"id\": 2, $node}, {\"type\": \"node\", $node, \"tags\": {\"name\": \"N\"}}]}" "" 920 "2 waypoints, km on the Earth" '"W", "N"'
good "{\"elements\": [{\"type\": \"node\", \"lat\": 48.1, \"lon\": 11.6}, {\"type\": \"node\", $node}]}" "" 920 "2 waypoints, km on the Earth"
bad '{"elements": [{"type": "way", "id": 1, "nodes": [2, 3], "tags": {"name": "W"}}]}' "" 'ask Overpass for "out center"'

# ---- KML and GPX

place() { # NAME LON LAT
    printf '<Placemark><name>%s</name><Point><coordinates> %s,%s,0\\n</coordinates></Point></Placemark>' "$@"
}
good "<kml><Document><Folder>$(place A 11.6 48.1)$(place '<![CDATA[B &amp;]]>' 6.9 50.9)<Placemark><name>line</name><LineString><coordinates>1,2 3,4</coordinates></LineString></Placemark></Folder>$(place C 11.1 49.4)</Document></kml>" \
    "" 952.069 "3 waypoints, km on the Earth" '"A", "B &amp;", "C"'
good '<k:kml xmlns:k="u"><k:Placemark><k:LineString><k:coordinates>11.6,48.1 6.9,50.9,7\n11.1,49.4 11.6,48.1</k:coordinates></k:LineString></k:Placemark></k:kml>' "" 952.069 "3 waypoints, km on the Earth"
bad '<kml><Placemark><Point><coordinates>11.6</coordinates></Point></Placemark></kml>' "" 'is not "longitude,latitude,altitude"'
bad '<kml><Placemark><Point/></Placemark></kml>' "" "a <Point> without <coordinates>"
bad '<gpx><wpt lat="1" lon="2"><name>a</nam></wpt></gpx>' "" "</nam> where <name> should end"
bad '<gpx><wpt lat="1" lon="2></wpt><wpt lat="1" lon="2"/></gpx>' "" "<wpt does not end"
bad '<gpx><wpt lat="1" lon="2"/></gpx></gpx>' "" "</gpx> ends nothing"
bad '<gpx><wpt lat="1" lon="2"/></gpx><gpx/>' "" "<gpx> behind the end"
bad '<gpx><wpt lat="1" lon="2"/></gpx>\n48 2\n' "" "outside of all elements"
bad '<gpx><wpt lat="1" lon="2"><name><![CDATA[x</name></wpt></gpx>' "" "<![CDATA[ does not end"
bad '<gpx><wpt lat="1" lon="2"/><rte></gpx></rte>' "" "</gpx> where <rte> should end"
bad '<osm><node lat="1" lon="2"/></osm>' "" "has the element <osm>; GPX and KML are the supported kinds of XML"

# ---- .npy: every usual type, both orders

npy() { # DESCR SHAPE FORTRAN BYTES
    printf '\223NUMPY\001\000\166\000%-117s\n' "{'descr': '$1', 'fortran_order': $3, 'shape': $2, }" >"$tmp/text"
    # shellcheck disable=SC2059
    printf "$4" >>"$tmp/text"
}
npy '|u1' '(3, 3)' False '\000\005\001\005\000\004\001\004\000'
read_as "$tmp/text" "" 10 "3 x 3 distances" "" ".npy of |u1"
npy '<i2' '(3, 3)' True '\000\000\005\000\001\000\007\000\000\000\004\000\001\000\004\000\000\000'
read_as "$tmp/text" "" 10 "3 x 3 distances" "" ".npy of <i2, by columns"
npy '>f4' '(3, 2)' False '\000\000\000\000\000\000\000\000\100\200\000\000\000\000\000\000\000\000\000\000\100\100\000\000'
read_as "$tmp/text" "--metric plane" 12 "3 points in a plane" "" ".npy of >f4"
npy '<i8' '(2, 2)' False '\000\000\000\000\000\000\000\000\005\000\000\000\000\000\000\000\376\377\377\377\377\377\377\377\000\000\000\000\000\000\000\000'
read_as "$tmp/text" "" 1 "2 waypoints, km on the Earth" "" ".npy of <i8, one of them negative"
npy '|u1' '(2, 2)' False '\000\005\007\000'
refused "$tmp/text" "" "may be 2 x 2 distances or 2 points" ".npy of 2 x 2"
npy '|u1' '(3, 3)' False '\000\005\001\005\000\004\001\004'
refused "$tmp/text" "" "takes 9 bytes, and there are 8" ".npy, cut off"
npy '|u1' '(1, 2, 2)' False '\000\005\001\005'
refused "$tmp/text" "" "--batch K reads (K, n, 2)" ".npy of three axes"

# ---- --batch

batch() { # TEXT OPTIONS SUM WHAT
    # shellcheck disable=SC2059
    printf "$1" >"$tmp/text"
    # shellcheck disable=SC2086
    tsp "$tmp/text" $2
    sum=$(value sum_of_lengths)
    [ "$status" -eq 0 ] && [ "${sum#"$3"}" != "$sum" ] && grep -qF "\"read_as\": \"$4\"" "$tmp/out"
    point $? "\"$(shown "$1")\" $2: $4, $3"
    [ "$status" -eq 0 ] || sed 's/^/# /' "$tmp/err"
}
batch '0 0 3 0 0 4 output 1 2 3 1\n0 0 6 0 0 8 output 1 2 3 1\n' "--batch 2" 36 "2 x 3 points in a plane"
bad '0 0 3 0 0 4 output 1 2 3 1\n0 0 6 0 0 8 1 1 output 1 2 3 1\n' "--batch 2" "with as many numbers in each line"
bad '0 0 3 0 0 4 output 1 2 3 1\n0 0 6 0 0 8 output 1 2 3 1\n' "--batch 3" "has 2 lines, one per instance; --batch is 3"
batch 'id;Y;X\n1;48,1;11,6\n2;50,9;6,9\n3;49,4;11,1\n' "--batch 1 --metric earth" 952.069 "1 x 3 waypoints, km on the Earth"
batch 'lon,lat\n11.6,48.1\n6.9,50.9\n11.1,49.4\n' "--batch 1" 952.069 "1 x 3 waypoints, km on the Earth"
batch '0 0\n3 0\n0 4\n\n0 0\n6 0\n0 8\n' "--batch 2" 36 "2 x 3 points in a plane"
bad '0 0 5\n3 0 6\n' "--batch 1" 'is not "x y"'
bad '[[0, 0], [3, 0]]' "--batch 1" "--batch reads lines of numbers, CSV and .npy"
bad '0 0\n3 0\n' "--batch 1 --metric matrix" "--batch cannot be combined with --metric matrix"

tap_end
