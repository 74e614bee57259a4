#!/bin/sh
# Tests src/amalgamate --only: for each entry point of src/searches.h a header that is small, silent in C and C++ and
# finds what is known; with the sidecars, too; and what is refused.
# usage: test_only.sh      TAP; CC, CXX: the compilers; without them clang, which takes a third of gcc's time
. tests/test.sh
measured=${CC:-cc} # whose code has the limit
if [ -z "$CC$CXX" ] && command -v clang++ >/dev/null; then CC=clang CXX=clang++; fi
CC=${CC:-cc} CXX=${CXX:-c++}
warnings="-Wall -Wextra -pedantic -Werror"
calls=$(src/amalgamate --calls)

# What each entry point must find, as C: "what it is asked | what holds".
known() { # CALL
    case $1 in
    tsp) echo 'desc.instance = &three; | result.optimal && result.length == 6 && result.tour[1] == 1' ;;
    tsp_tours) echo 'desc.instance = &three; desc.count = 2; | result.count == 2 && result.optima == 1 && result.length == 6' ;;
    tsp_windows) echo 'desc.instance = &three; | result.feasible && result.length == 6' ;;
    tsp_batch) echo 'desc.count = 1; desc.n = 3; desc.weights = legs; desc.lengths = legs + 8; | result.solved == 1 && legs[8] == 6' ;;
    tsp_common) echo 'desc.batch = &batch; | result.known == 1 && result.unique == 1' ;;
    magic) echo 'desc.order = 4; | result.count == 7040' ;;
    magic_estimate) echo 'desc.order = 5; desc.samples = 500; desc.seed = 7; | result.low < 2202441792.0 && result.high > 2202441792.0' ;;
    magic_diagonals) echo 'desc.first = UINT64_C(123456789012); desc.count = 1; desc.run.shard_count = 32; | result.squares == 212' ;;
    no3) echo 'desc.n = 6; | result.all == 50' ;;
    perm) echo 'desc.n = 5; desc.goal = COMBGPU_PERM_SUM; desc.visitor = &first; | result.visited == 120 && result.sum.lo == 240' ;;
    esac
}

program() { # CALL ASKED HOLDS
    case $1 in tsp*) three='static double legs[9] = {0, 1, 9, 9, 0, 2, 3, 9, 0}; /* 0 1 2 takes 6, 0 2 1 27 */'
        case $1 in
        tsp_batch) ;;
        tsp_common) three="$three static uint8_t tour[] = {0, 1, 2};
            static combgpu_tsp_batch_desc batch = {.count = 1, .n = 3, .weights = legs, .tours = tour};" ;;
        *) three="$three static combgpu_tsp_instance three = {.n = 3, .weights = legs};" ;;
        esac ;;
    perm) three='COMBGPU_PERM_VISITOR(first, { (void)n; (void)data; return perm[0]; })' ;;
    *) three= ;; esac
    cat <<C
#define COMBGPU_IMPLEMENTATION
#define COMBGPU_STATIC
#include "$tmp/combgpu_$1.h"
$three
int main(void)
{
    combgpu_context *ctx;
    combgpu_$1_desc desc;
    combgpu_$1_result result;
    int right;
    memset(&desc, 0, sizeof desc);
    $2
    right = !combgpu_open(&ctx, NULL) && !combgpu_$1(ctx, &desc, &result) && ($3);
    if (!right) puts(combgpu_message(ctx));
    if (combgpu_self_test(ctx) != COMBGPU_UNSUPPORTED) right = 0;
    combgpu_close(ctx);
    return !right;
}
C
}

small() { # FILE BYTES WHAT
    size=$(wc -c <"$1")
    [ "$size" -le "$2" ]
    point $? "$3 has $((size / 1000)) KB, at most $(($2 / 1000))"
}

for call in $calls; do
    file=$tmp/combgpu_$call.h
    src/amalgamate --only "$call" "$file" 2>"$tmp/log"
    point $? "--only $call"
    case $call in tsp) small "$file" 600000 "combgpu_$call.h" ;; *) small "$file" 750000 "combgpu_$call.h" ;; esac
    printf '#define COMBGPU_IMPLEMENTATION\n#include "%s"\n' "$file" >"$tmp/only.c"
    $CXX -x c++ -std=c++11 $warnings -fsyntax-only "$tmp/only.c" >"$tmp/log" 2>&1
    point $? "combgpu_$call.h: silent in C++"
    what=$(known "$call")
    if [ "$call" = perm_search ]; then
        sed "s|\"../combgpu.h\"|\"$file\"|" examples/queens.c >"$tmp/run.c"
    elif [ -n "$what" ]; then
        program "$call" "${what% | *}" "${what##* | }" >"$tmp/run.c"
    else
        cp "$tmp/only.c" "$tmp/run.c"
        echo 'int main(void) { return 0; }' >>"$tmp/run.c"
    fi
    $CC -std=c99 -O0 $warnings "$tmp/run.c" -o "$tmp/run" -pthread >"$tmp/log" 2>&1
    point $? "combgpu_$call.h: silent in C"
    "$tmp/run" 8 >"$tmp/log" 2>&1 && { [ "$call" != perm_search ] || grep -q '^8 queens: 92 solutions' "$tmp/log"; }
    point $? "combgpu_$call.h: a known answer"
done

printf '#define COMBGPU_IMPLEMENTATION\n#include "combgpu_tsp.h"\n' >"$tmp/only.c"
if command -v size >/dev/null && $measured -std=c99 -O2 -c "$tmp/only.c" -o "$tmp/only.o" 2>"$tmp/log"; then
    code=$(size "$tmp/only.o" | awk 'NR == 2 { print $1 + $2 }')
    [ "$code" -le 300000 ]
    point $? "combgpu_tsp.h: $((code / 1000)) KB of code at -O2, at most 300"
else
    skip "no size" "combgpu_tsp.h: its code"
fi
! $CC -fsyntax-only -DCOMBGPU_OPENCL "$tmp/only.c" >"$tmp/log" 2>&1 && grep -q 'make it again with --sidecars' "$tmp/log"
point $? "for a device it asks for --sidecars"

# ---- more than one, in one file; with the sidecars

src/amalgamate --only tsp,tsp_read,no3 "$tmp/two.h" && grep -q 'combgpu_tsp_read(' "$tmp/two.h" && grep -q 'combgpu_no3_begin(' "$tmp/two.h" &&
    ! grep -q 'combgpu_tsp_draw(' "$tmp/two.h"
point $? "two searches and a reader in one file"
printf '#define COMBGPU_IMPLEMENTATION\n#include "two.h"\n' >"$tmp/only.c"
$CC -std=c99 $warnings -fsyntax-only "$tmp/only.c" >"$tmp/log" 2>&1
point $? "it is silent"
cp combgpu_cl.c "$tmp"
for call in $(src/amalgamate --searches); do
    src/amalgamate --only "$call" --sidecars "$tmp/with.h"
    printf '#define COMBGPU_IMPLEMENTATION\n#include "with.h"\n' >"$tmp/only.c"
    $CC -std=c99 $warnings -fsyntax-only -Iexamples/install/opencl -DCOMBGPU_OPENCL "$tmp/only.c" >"$tmp/log" 2>&1 &&
        $CC -std=c99 $warnings -fsyntax-only "$tmp/only.c" >"$tmp/log" 2>&1
    point $? "$call with the sidecars: silent with OpenCL and without"
done

# ---- what it refuses

src/amalgamate --only quantum "$tmp/none.h" >"$tmp/log" 2>&1
[ $? -eq 1 ] && grep -qx 'src/amalgamate: searches.h has no entry point quantum' "$tmp/log" && [ ! -e "$tmp/none.h" ]
point $? "an unknown entry point"
for words in '' 'tsp --cuda' 'tsp a.h b.h'; do
    # shellcheck disable=SC2086
    src/amalgamate --only $words >"$tmp/log" 2>&1
    [ $? -eq 2 ] && grep -q '^usage: src/amalgamate' "$tmp/log"
    point $? "--only $words: the usage"
done
tap_end
