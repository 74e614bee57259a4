#!/bin/sh
# Checks the walls between the rooms of src/ (src/README.md has the rules), in seconds. Prints what is
# wrong with file and line; ends with "walls: ok" or with exit status 1.
#
#   tests/walls.sh               checks src/, then checks itself: a violation of each rule is planted
#                                in a copy and must be found
#   tests/walls.sh --only [DIR]  checks DIR (default: src) alone
#   tests/walls.sh --dead        looks for private functions that nobody calls, with all problems and
#                                OpenCL, whose headers it needs
set -eu
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
CC=${CC:-cc}

# Files of a room in the order of the spine, for a search that of its room: ROOM [h|c]
files() {
    cat "$src/combgpu.h" "$src/$1/room.c" 2>/dev/null |
        sed -n "s|^#include \"\\($1/[^\"]*\\.[${2:-hc}]\\)\".*|\\1|p"
}

# The text of C files without comments and strings, one line a line, as FILE:LINE:TEXT.
bare() {
    for file; do
        awk -v file="$file" '{
            text = $0; out = ""
            while (text != "") {
                if (inside) {
                    at = index(text, "*/")
                    if (!at) break
                    text = substr(text, at + 2); inside = 0
                } else if (match(text, /\/\*|\/\/|"([^"\\]|\\.)*"/)) {
                    out = out substr(text, 1, RSTART - 1)
                    token = substr(text, RSTART, 2)
                    if (token == "//") break
                    if (token == "/*") { inside = 1; text = substr(text, RSTART + 2) }
                    else { out = out "\"\""; text = substr(text, RSTART + RLENGTH) }
                } else { out = out text; text = "" }
            }
            print file ":" FNR ":" out
        }' "$src/$file"
    done
}

# NAMES WHAT FILE...: no such name in these files
names() {
    pattern=$1 what=$2
    shift 2
    bare "$@" | grep -E "$pattern" | sed "s|^|$what: src/|" >>"$work/found" || :
}

# A file of a room uses only the files before it: no circles, and one reads from top to bottom.
order() {
    bare $(files "$1" c) | awk -v room="$1" '
        { file = $0; sub(/:.*/, "", file); rest = substr($0, length(file) + 2)
          line = rest; sub(/:.*/, "", line); text = substr(rest, length(line) + 2)
          if (file != before) { before = file; at[file] = ++count }
          if (text ~ /^(COMBGPU__PRIVATE|COMBGPU__DEF|static) /) heading = 1
          if (heading) {
              if (!named && match(text, /combgpu_[a-z0-9_]+\(/)) name = substr(text, RSTART, RLENGTH - 1)
              if (match(text, /combgpu_[a-z0-9_]+\(/)) named = 1
              if (text ~ /[;=]/) heading = named = 0
              else if (text ~ /^\{/) { if (named) home[name] = file; heading = named = 0 }
          } else {
              while (match(text, /combgpu_[a-z0-9_]+/)) {
                  n++; use[n] = substr(text, RSTART, RLENGTH); where[n] = file; row[n] = line
                  text = substr(text, RSTART + RLENGTH)
              }
          } }
        END { for (i = 1; i <= n; i++) if (use[i] in home && at[home[use[i]]] > at[where[i]])
            printf "a file uses one after it: src/%s:%s: %s is in %s\n", where[i], row[i], use[i],
                home[use[i]] }' >>"$work/found"
}

# HEADERS ROOM: the room compiles with these headers and nothing else
alone() {
    { printf '#define _POSIX_C_SOURCE 200809L\n#include "combgpu.h"\n'
      for file in $1 $(files "$2"); do printf '#include "%s"\n' "$file"; done; } >"$work/alone.c"
    $CC -std=c99 -fsyntax-only -I"$src" -I"$work/parts" -fmax-errors=1000 "$work/alone.c" >"$work/log" 2>&1 || :
    grep -E 'error:|implicit declaration' "$work/log" |
        sed "s|^|room $2 reaches past its headers: |; s|$src/|src/|" >>"$work/found" || :
}

# Private functions that nobody calls in a build with all problems and backends
dead() {
    printf '#define COMBGPU_IMPLEMENTATION\n#include "combgpu.h"\n' >"$work/dead.c"
    src/amalgamate --parts "$work/parts"
    $CC -std=c99 -O0 -Wunused-function -DCOMBGPU__PRIVATE=static -I"$1" -I"$work/parts" -c "$work/dead.c" \
        -DCOMBGPU_OPENCL -o "$work/dead.o" >"$work/log" 2>&1 || :
    ! grep -E 'error:|defined but not used|unused function' "$work/log" | sed "s|$1/|nobody calls it: src/|" |
        grep .
}

check() {
    src=$1
    : >"$work/found"
    problems=$("$src/amalgamate" --searches)
    "$src/amalgamate" --parts "$work/parts"
    one=$(echo $problems | tr ' ' '|')
    base="base/prologue.h base/threads.h base/base.h $(files base c | grep -v -e threads -e memory -e arena -e message -e file)"
    grep -nE '^ *# *include *"' $(find "$src" -mindepth 2 -name '*.*' | grep -v -e /api/ -e '/room\.[a-z]*$' -e /callers.cl) | sed "s|$src/|a room includes a file; the spine does that: src/|" \
        >>"$work/found" || :
    names "combgpu_job|combgpu__(slice|share|worker|kernel|launch|memory)\\b" \
        "base knows only C and messages" $(files base c)
    names "$one|branch|combgpu__(cpu|cuda|opencl)|cl_mem|cu[A-Z]" \
        "the engine names a problem or a backend" $(files engine)
    names "combgpu__?($one|multi|visit|branch)_|COMBGPU__($(echo "$one" | tr a-z A-Z)|MULTI|VISIT|BRANCH)_" \
        "a backend names a kernel or a problem" $(cd "$src" && ls backend/*.[ch]* | grep -v '\.cl$')
    grep -nE "\"[^\"]*combgpu_($one)_" "$src"/backend/*.[ch]* |
        sed "s|$src/|a backend names a kernel in a text: src/|" >>"$work/found" || :
    for room in base engine backend $problems; do order "$room"; done
    for room in $problems; do
        alone "$base engine/slice.h engine/problem.h" "$room"
        others=$(echo "$problems" | grep -v "^$room\$" | tr '\n' '|')
        names "combgpu__(${others}cuda|opencl)_" "a problem names another or a backend" $(files "$room")
    done
    if [ -s "$work/found" ]; then cat "$work/found"; return 1; fi
}

# RULE FILE TEXT: the text behind the file breaks the rule
plant() {
    rm -rf "$work/src"
    cp -R src "$work/src"
    printf '%s\n' "$3" >>"$work/src/$2"
    if (check "$work/src") >"$work/planted" 2>&1 || ! grep -q "$1" "$work/planted"; then
        echo "walls: a planted violation is not found: $1 in src/$2"
        cat "$work/planted"
        exit 1
    fi
}

if [ "${1-}" = --dead ]; then
    dead "$PWD/src"
    cp -R src "$work/src"
    echo 'COMBGPU__PRIVATE void combgpu__nobody(void) {}' >>"$work/src/engine/pool.c"
    if dead "$work/src" >"$work/planted"; then
        echo "walls: a planted function that nobody calls is not found"
        exit 1
    fi
    echo "walls: ok, no dead code"
    exit
fi
if [ "${1-}" = --only ]; then
    check "$(cd "${2-src}" && pwd)"
    echo "walls: ok"
    exit
fi
check "$PWD/src"
plant 'the spine does that: src/no3' no3/geometry/board.c '#include "../engine/job.h"'
plant 'base knows only C' base/bits.c 'static int x(combgpu_job *job) { return job != 0; }'
plant 'the engine names a problem' engine/pool.c 'static int x(void) { return COMBGPU__HAS_no3; }'
plant 'a backend names a kernel' backend/memory.c 'static int x = COMBGPU__TSP_MOST;'
plant 'a kernel in a text' backend/opencl.c 'static const char x[] = "combgpu_tsp_brute";'
plant 'uses one after it: src/engine/pool.c' engine/pool.c 'static void x(combgpu_job *job)
{
    combgpu__run(job);
}'
plant 'room perm reaches past' perm/visit/solve.c 'static int x(combgpu_job *job) { return job->lock; }'
plant 'room tsp reaches past' tsp/instance/tour.c 'static int x(combgpu__share *s) { return s->lost; }'
plant 'a problem names another' magic/check/forms.c 'static int x(void) { return combgpu__no3_y(); }'
echo "walls: ok"
