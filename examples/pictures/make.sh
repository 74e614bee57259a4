#!/bin/sh
# Makes the pictures of the README: sh examples/pictures/make.sh [COMMAND [FOLDER]]
#
#   board.svg     104 points on a 52 x 52 grid, no three in line, unchanged by a quarter turn: from
#                 board.rle, which a GPU found in seconds
#   stops.svg     the shortest round trip through forty cities of Europe
#   tours.svg     nine of many small instances, each solved
#   queens.svg    twelve queens, none of which attacks another
#   terminal.svg  a recorded session with the command
set -eu
cd "$(dirname "$0")/../.."
command=${1:-./combgpu}
folder=${2:-examples/pictures}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
PATH=$(cd "$(dirname "$command")" && pwd):$PATH

combgpu no3 --check examples/pictures/board.rle --svg "$folder/board.svg" >/dev/null
combgpu tsp --europe --svg "$folder/stops.svg" >/dev/null

{
    echo '<svg xmlns="http://www.w3.org/2000/svg" width="600" height="600" viewBox="0 0 600 600">'
    for seed in 1 2 3 4 5 6 7 8 9; do
        combgpu tsp --random 20 --seed $seed --svg "$tmp/tour.svg" >/dev/null
        sed -e "1s/width=\"[0-9]*\" height=\"[0-9]*\"/x=\"$(((seed - 1) % 3 * 200))\" y=\"$(((seed - 1) / 3 * 200))\" width=\"200\" height=\"200\"/" \
            -e '/<title\|<text/d' -e 's/stroke-width="2"/stroke-width="6"/' "$tmp/tour.svg"
    done
    echo '</svg>'
} >"$folder/tours.svg"

${CC:-cc} -O1 examples/queens.c -o "$tmp/queens"
"$tmp/queens" 12 | awk 'NR == 2 {
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\">\n", 40 * NF, 40 * NF, NF, NF
    print "<title>" NF " queens</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#f0e4cc\"/>"
    for (row = 0; row < NF; row++)
        for (column = 0; column < NF; column++)
            if ((row + column) % 2)
                printf "<rect x=\"%d\" y=\"%d\" width=\"1\" height=\"1\" fill=\"#b58863\"/>\n", column, row
    for (row = 0; row < NF; row++)
        printf "<text x=\"%.1f\" y=\"%.2f\" font-size=\"0.9\" text-anchor=\"middle\">\342\231\233</text>\n",
            $(row + 1) + 0.5, row + 0.82
    print "</svg>"
}' >"$folder/queens.svg"

# Runs the command lines of standard input as in a terminal: each after a prompt, then its output.
session() {
    while IFS= read -r line; do
        printf '$ %s\n' "$line"
        sh -c "$line" 2>&1
    done
}

# Draws a terminal's text as SVG, 100 columns wide; lines that begin with a prompt are blue.
draw() {
    fold -w 100 | awk '
        { text[NR] = $0; if (length > width) width = length }
        END {
            width = int(32 + 8.15 * width)
            height = 26 + 18 * NR
            printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" ",
                width, height, width, height
            printf "font-family=\"monospace\" font-size=\"13.5\">\n<title>combgpu in a terminal</title>\n"
            print "<rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"#0d1117\"/>"
            for (i = 1; i <= NR; i++) {
                line = text[i]
                gsub(/&/, "\\&amp;", line)
                gsub(/</, "\\&lt;", line)
                gsub(/>/, "\\&gt;", line)
                printf "<text x=\"16\" y=\"%d\" fill=\"%s\" xml:space=\"preserve\">%s</text>\n",
                    8 + 18 * i, line ~ /^\$ / ? "#6cb6ff" : "#e6edf3", line
            }
            print "</svg>"
        }'
}

session <<'LINES' | draw >"$folder/terminal.svg"
combgpu no3 --n 12
combgpu no3 --n 15 --forecast
combgpu magic --order 4 --givens "16 3 ? ? / 5 ? ? ? / ? ? ? ? / ? 15 14 ?" --list
combgpu perm --n 30 --unrank 1000000000000000000000
combgpu tsp --europe | tail -n 3
LINES
