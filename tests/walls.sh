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

# The files of a spine in its order, with those of the searches' rooms: SPINE
spine() {
    sed -n 's|^#include "\(.*\)"$|\1|p' "$1" | while read -r file; do
        case $file in
        each/*) spine "$work/parts/$file" ;;
        */room.[a-z]* | */callers.cl | combgpu_cl.c | combgpu_cuda.cu) spine "$src/$file" ;;
        */*) echo "$file" ;;
        esac
    done
}

# Files of a room in the order of the spine: ROOM [h|c]
files() {
    grep "^$1/.*\.[${2:-hc}]\$" "$work/host"
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

# A file uses only what files before it define: no circles, and the source reads from top to bottom. To
# other rooms, what a header declares is the header's. A kernel's file also uses no sub-room that the host's spine has after
# its own. Writes where each function and type is defined to homes. FILE... in the order of a spine
order() {
    bare "$@" | awk -v host="$work/host" -v homes="$work/homes" '
        function take(name, declared) {
            if (file ~ /\.h$/ && !(name in shown)) shown[name] = file
            if (!declared && !(name in home)) { home[name] = file; if (name ~ /^c/) print file ":" line ": " name >>homes }
        }
        function room(path) { sub(/\/[^\/]*$/, "", path); return path }
        function part(path) { sub(/\/.*/, "", path); return path }
        function found(text, pattern) { return match(text, pattern) ? substr(text, RSTART, RLENGTH) : "" }
        BEGIN { while ((getline path <host) > 0) if (path ~ /\/.*\// && !(room(path) in rank)) rank[room(path)] = ++ranks }
        {
            file = $0; sub(/:.*/, "", file); text = substr($0, length(file) + 2)
            line = text; sub(/:.*/, "", line); text = substr(text, length(line) + 2)
            if (file != before) { before = file; at[file] = ++count; define = heading = 0 }
            if (text ~ /^ *# *define /) { define = 1; take(found(text, "(COMBGPU|combgpu)[A-Za-z0-9_]*")) }
            if (define) { define = text ~ /\\$/; next }
            if (text ~ /^[A-Za-z]/ && !heading) { heading = 1; name = "" }
            if (heading && name == "") {
                name = found(text, "combgpu_[a-z0-9_]+\\(|\\(\\*combgpu_[a-z0-9_]+\\)|combgpu_[a-z0-9_]+(\\[[^]]*\\])* *=|(struct|union|enum) combgpu_[a-z0-9_]+ *(\\{|;|$)")
                gsub(/^(struct|union|enum) |[^a-z0-9_]|\[.*/, "", name)
            }
            if (text ~ /^typedef .* combgpu_[a-z0-9_]+;/ || text ~ /^\} combgpu_[a-z0-9_]+;/)
                take(found(found(text, "combgpu_[a-z0-9_]+;"), "[a-z0-9_]+"))
            if (heading && text ~ /[;{=]/) {
                if (name != "") take(name, text ~ /;$/ && text !~ /=/)
                heading = 0
            }
            gsub(/struct combgpu_[a-z0-9_]+ \*/, "", text) # of a struct that stays closed
            while (match(text, /combgpu_[a-z0-9_]+|COMBGPU_[A-Z0-9_]+/)) {
                used = substr(text, RSTART, RLENGTH); text = substr(text, RSTART + RLENGTH)
                if ((file, used) in seen) continue
                seen[file, used] = 1; use[++n] = used; where[n] = file; row[n] = line
            }
        }
        END {
            for (i = 1; i <= n; i++) if (use[i] in home || use[i] in shown) {
                to = home[use[i]]
                if (use[i] in shown && (where[i] ~ /\.h$/ || to == "" || part(to) != part(where[i]))) to = shown[use[i]]
                said = sprintf("src/%s:%s: %s is in src/%s", where[i], row[i], use[i], to)
                if (at[to] > at[where[i]]) print "a file uses one after it: " said
                else if (where[i] ~ /\.cl$/ && room(to) in rank && rank[room(to)] > rank[room(where[i])] && room(where[i]) in rank)
                    print "a kernel uses a sub-room after its own: " said
            }
        }' >>"$work/found"
}
# A private name of a search begins with the search's name, its sub-room's or both, and no other room has
# names that begin as a sub-room's. What src/api says of a name makes it public.
prefixes() { # SEARCH|SEARCH...
    cat "$src"/api/*.h "$src"/*/kernels.h | grep -oE 'combgpu_[a-z0-9_]+' | sort -u >"$work/public"
    awk -v public="$work/public" -v searches="^($1)/" '
        BEGIN { while ((getline name <public) > 0) open[name] = 1 }
        {
            split($1, place, ":"); name = $2
            if (name in open) next
            depth = split(place[1], part, "/")
            word = name; sub(/^combgpu__?/, "", word)
            first = word; sub(/_.*/, "", first)
            own = part[2] "(_|$)"
            if (place[1] !~ searches) { if (!((name ~ /__/, first) in lives)) lives[name ~ /__/, first] = part[1]; next }
            if (depth == 3 && word ~ "^" own) {
                key = name ~ /__/; home = part[1] "/" part[2]
                if ((key, first) in lives && lives[key, first] != home)
                    print "two rooms have names that begin so: src/" $1 " " name " (" lives[key, first] ")"
                lives[key, first] = home
            } else if (word !~ "^" part[1] "(_|$)")
                print "a name that does not tell its room: src/" $1 " " name
        }' "$work/homes" >>"$work/found"
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
    : >"$work/homes"
    problems=$("$src/amalgamate" --searches)
    "$src/amalgamate" --parts "$work/parts"
    spine "$src/combgpu.h" >"$work/host"
    spine "$src/combgpu_kernels.cl" >"$work/device"
    one=$(echo $problems | tr ' ' '|')
    base="base/prologue.h base/threads.h base/base.h $(files base c | grep -v -e threads -e memory -e arena -e message -e file)"
    (cd "$src" && ls -d */*.* */*/*.*) | grep -E '\.(c|h|cl|cu)$' |
        grep -vxF -f "$work/host" -f "$work/device" | grep -vE '/(room\.(c|h|cl)|callers\.cl)$' |
        sed 's|^|no spine has the file: src/|' >>"$work/found" || :
    (cd "$src" && grep -nE '^ *# *include *"' $(cat "$work/host" "$work/device" | grep -v ^api/)) |
        sed "s|^|a room includes a file; the spine does that: src/|" >>"$work/found" || :
    awk -F/ '{ room = NF == 3 ? $1 "/" $2 : "" } room && room != last && room in seen { print "the files of " room " stand apart: src/" $0 }
        { seen[room] = 1; last = room }' "$work/host" >>"$work/found"
    names "combgpu_job|combgpu__(slice|share|worker|kernel|launch|memory)\\b" \
        "base knows only C and messages" $(files base c)
    names "$one|branch|combgpu__(cpu|cuda|opencl)|cl_mem|cu[A-Z]" \
        "the engine names a problem or a backend" $(files engine)
    names "combgpu__?($one|multi|visit|branch)_|COMBGPU__($(echo "$one" | tr a-z A-Z)|MULTI|VISIT|BRANCH)_" \
        "a backend names a kernel or a problem" $(cd "$src" && ls backend/*.[ch]* | grep -v '\.cl$')
    grep -nE "\"[^\"]*combgpu_($one)_" "$src"/backend/*.[ch]* |
        sed "s|$src/|a backend names a kernel in a text: src/|" >>"$work/found" || :
    names "combgpu__?($one)_|COMBGPU__($(echo "$one" | tr a-z A-Z))_" \
        "kernel/ names a problem" $(cat "$work/host" "$work/device" | grep ^kernel/)
    order $(cat "$work/host")
    order $(cat "$work/device")
    prefixes "$one"
    for room in $problems; do
        alone "$base engine/slice.h engine/problem.h" "$room"
        others=$(echo "$problems" | grep -v "^$room\$" | tr '\n' '|')
        names "combgpu__?(${others}cuda|opencl)_" "a problem names another or a backend" \
            $(sort -u "$work/host" "$work/device" | grep "^$room/")
    done
    if [ -s "$work/found" ]; then cat "$work/found"; return 1; fi
}

# RULE FILE TEXT: the text behind the file of the copy breaks the rule, which is checked later
plant() {
    printf '%s\n' "$3" >>"$work/src/$2"
    echo "$1" >>"$work/rules"
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
python3 tests/hot.py # what is hot and what is compiled for size
cp -R src "$work/src"
plant 'the spine does that: src/no3/geometry' no3/geometry/board.c '#include "../engine/job.h"'
plant 'base knows only C and messages: src/base/bits' base/bits.c 'static int x(combgpu_job *job) { return job != 0; }'
plant 'the engine names a problem or a backend: src/engine/pool' engine/pool.c 'static int x(void) { return COMBGPU__HAS_no3; }'
plant 'a backend names a kernel or a problem: src/backend/memory' backend/memory.c 'static int x = COMBGPU__TSP_MOST;'
plant 'kernel/ names a problem: src/kernel/group' kernel/group.cl '#define X COMBGPU__NO3_SOLVED'
plant 'a kernel in a text' backend/opencl.c 'static const char x[] = "combgpu_tsp_brute";'
plant 'uses one after it: src/engine/pool.c' engine/pool.c 'static void x(combgpu_job *job)
{
    combgpu__run(job);
}'
plant 'uses one after it: src/tsp/branch/fix.c:.*sop/form.c' tsp/branch/fix.c 'static void y(combgpu__sop_form *form)
{
}'
plant 'uses one after it: src/no3/forms/counts.cl:.*plate.cl' no3/forms/counts.cl 'COMBGPU__DEVICE void x(void)
{
    combgpu_no3_plate_bit();
}'
plant 'a kernel uses a sub-room after its own: src/tsp/branch/fix.cl:.*tsp/shortest' tsp/branch/fix.cl 'COMBGPU__DEVICE void x(combgpu_shortest_t *t)
{
}'
plant 'the files of tsp/large stand apart' tsp/room.c '#include "tsp/large/more.c"'
: >"$work/src/tsp/large/more.c"
plant 'no spine has the file: src/perm/set/more.c' perm/set/more.c ''
plant 'does not tell its room: src/tsp/batch/load.c:.*combgpu__large_x' tsp/batch/load.c 'static void combgpu__large_x(void)
{
}'
plant 'two rooms have names that begin so: src/magic/check/forms.c:.*combgpu__check_x (engine)' magic/check/forms.c 'static void combgpu__check_x(void)
{
}'
plant 'room perm reaches past its headers: src/perm/visit' perm/visit/solve.c 'static int x(combgpu_job *job) { return job->lock; }'
plant 'room tsp reaches past its headers: src/tsp/instance' tsp/instance/tour.c 'static int x(combgpu__share *s) { return s->lost; }'
plant 'a problem names another or a backend: src/magic/core' magic/core/lines.c 'static int x(void) { return combgpu__no3_y(); }'
plant 'a problem names another or a backend: src/perm/set' perm/set/walk.cl '#define X combgpu_no3_y'
(check "$work/src") >"$work/planted" 2>&1 || :
while read -r rule; do
    grep -q "$rule" "$work/planted" || { echo "walls: a planted violation is not found: $rule"; missed=1; }
done <"$work/rules"
[ -z "${missed-}" ] || { cat "$work/planted"; exit 1; }
echo "walls: ok"
