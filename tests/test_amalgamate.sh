#!/bin/sh
# Tests that src/amalgamate refuses what it does not understand, with file and line, and writes nothing; the
# lists that CI reads; and that CI takes no arguments.
# usage: test_amalgamate.sh      TAP
. tests/test.sh
fresh() {
    rm -rf "$tmp/src"
    cp -R src "$tmp/src"
}
# The copy of src/ is refused with these words, and nothing is made
refused() { # WORDS NAME
    rm -f "$tmp"/combgpu*
    "$tmp/src/amalgamate" >"$tmp/log" 2>&1
    [ $? -eq 1 ] && grep -qF "src/amalgamate: $1" "$tmp/log" && ! ls "$tmp"/combgpu* >/dev/null 2>&1
    set -- $? "$@"
    point "$1" "$3"
    [ "$1" -eq 0 ] || sed 's/^/# /' "$tmp/log"
}
append() { # FILE TEXT: refused in its last line
    fresh
    printf '%s\n' "$2" >>"$tmp/src/$1"
}
last() { # FILE
    wc -l <"$tmp/src/$1" | tr -d ' '
}

fresh
"$tmp/src/amalgamate" && cmp -s combgpu.h "$tmp/combgpu.h"
point $? "a copy of src/ makes the same file"

append searches.h 'SEARCH(golomb, RULERS, golomb)'
refused "src/searches.h:$(last searches.h): RULERS is not" "a search whose two names differ"
append searches.h 'SEARCH(golomb, GOLOMB, golomb)'
refused "src/searches.h:$(last searches.h): there is no src/golomb/room.c" "a search without a room"
append searches.h 'SEARCH(tsp, TSP, tsp) SEARCH(no3, NO3, no3)'
refused "src/searches.h:$(last searches.h): " "two searches in a line"
append searches.h 'SEARCH(tsp, TSP)'
refused "src/searches.h:$(last searches.h): " "a search without a call"
append no3/room.c '#include "no3/missing.c"'
refused "src/no3/room.c:$(last no3/room.c): there is no src/no3/missing.c" "a file that is missing"
append no3/room.c '#include "board.c"'
refused "src/no3/room.c:$(last no3/room.c): #include \"board.c\"" "a file without its room"
append tsp/table/brute.cl '#if 1'
refused "src/tsp/table/brute.cl:$(last tsp/table/brute.cl): #if without #endif" "a block that does not end"
append tsp/table/brute.cl '#endif'
refused "src/tsp/table/brute.cl:$(last tsp/table/brute.cl): #endif without #if" "an end without its block"
append perm/room.cl '#ifdef COMBGPU__HAS_GOLOMB
#endif'
refused "src/perm/room.cl:$(($(last perm/room.cl) - 1)): searches.h has no search GOLOMB" "a block of an unknown search"
append perm/room.cl '#ifdef COMBGPU__HAS_TSP
#endif'
refused "src/perm/room.cl:$(($(last perm/room.cl) - 1)): TSP within a block of PERM" "a block of another room's search"
append perm/room.cl '#if defined(COMBGPU_KERNELS_NOBODY)
#endif'
refused "src/perm/room.cl:$(($(last perm/room.cl) - 1)): no kernels.h has" "a part without a kernel"
append perm/room.cl '#if 1 && \
    defined(COMBGPU__HAS_PERM)
#endif'
refused "src/perm/room.cl:$(($(last perm/room.cl) - 1)): \"    defined" "a block whose search is not in its first line"

[ "$(src/amalgamate --searches)" = "$(sed -n 's/^SEARCH(\([^,]*\),.*/\1/p' src/searches.h)" ]
point $? "--searches prints those of searches.h"
src/amalgamate --kernels | sort >"$tmp/parts"
sed -n 's/^ *[A-Z]*(combgpu_.*"\(.*\)".*/\1/p' src/*/kernels.h | sort -u | cmp -s - "$tmp/parts"
point $? "--kernels prints each part once"
src/amalgamate --help >/dev/null 2>"$tmp/log"
[ $? -eq 2 ] && grep -q '^usage: src/amalgamate' "$tmp/log"
point $? "an unknown option: the usage"
bash .ci/run --quick >"$tmp/log" 2>&1
[ $? -eq 2 ] && grep -q '^usage: ' "$tmp/log"
point $? "CI takes no arguments"
tap_end
