#!/bin/sh
# Makes the pictures of the README: sh examples/pictures/make.sh [COMMAND [FOLDER]]
#
#   board.svg     104 points on a 52 x 52 grid, no three in line, unchanged by a quarter turn: from
#                 board.rle, which a GPU found in seconds
#   tour.svg      the shortest tour through the 100 cities of TSPLIB's kroA100, proven
#   square.svg    a magic square of order 5 that is pandiagonal and associative
#   terminal.svg  a recorded session with the command
set -eu
cd "$(dirname "$0")/../.."
command=${1:-./combgpu}
folder=${2:-examples/pictures}
PATH=$(cd "$(dirname "$command")" && pwd):$PATH

combgpu no3 --check examples/pictures/board.rle --svg "$folder/board.svg" >/dev/null
combgpu tsp tests/data/tsplib/kroA100.tsp --svg "$folder/tour.svg" >/dev/null
combgpu magic --order 5 --construct --kind ultramagic --svg "$folder/square.svg" >/dev/null

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
