#!/bin/sh
# Runs every kernel in oclgrind, an OpenCL device that reports data races, barriers that some lanes miss, access
# out of bounds, and misuse of the API: tests/test_kernels.c, a small problem for each. oclgrind records each byte
# touched, which takes 16 GB and two minutes for the tables of order 6 in parts, and minutes for associative squares
# of order 7 and for search trees. COMBGPU_RACES=all tests these kernels, too, and those of the self-tests.
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
name='kernels without races, out-of-bounds accesses or wrong API calls'

skip() {
    printf 'ok 1 - %s # SKIP %s\n1..1\n' "$name" "$1"
    exit 0
}

command -v oclgrind >/dev/null || skip 'no oclgrind'
# COMBGPU_RACE_CHECK: without it the plain reads of slice->stop, which may race, are reported.
# Its compiler makes intrinsics (llvm.fshl, llvm.ctpop) of plain shifts and sums, and its simulator knows none of
# them: so it neither optimises nor inlines. It adds up the local memory of all kernels of a part.
options='-DCOMBGPU_RACE_CHECK -cl-opt-disable -Dalways_inline=unused'
watch() { # OPTION... PROGRAM ARGUMENT...: adds its reports to log, its words to out
    oclgrind --local-mem-size 131072 --data-races --check-api --build-options "$options" --log "$dir/log1" \
        "$@" >>"$dir/out" 2>&1 || status=$?
    cat "$dir/log1" >>"$dir/log" 2>/dev/null
}
bin=${COMBGPU_BUILD:-build} status=0
export COMBGPU_NO_CACHE=1 # these options are not in the sums of cached programs
COMBGPU_TEST_WATCHED=1 watch --global-mem-size 230000000 "$bin/tests/test_kernels.t"
if [ "$COMBGPU_RACES" = all ]; then
    for kernel in combgpu_tsp_branch combgpu_tsp_branch_wide combgpu_tsp_branch_batch; do
        COMBGPU_TEST_KERNEL=$kernel watch "$bin/tests/test_kernels.t"
    done
    watch "$bin/examples/combgpu" self-test --backend opencl --device 0
fi
if grep -q 'no opencl backend' "$dir/out"; then skip 'built without OpenCL'; fi
if grep -q 'ASan runtime' "$dir/out"; then skip 'oclgrind and the address sanitizer exclude each other'; fi
r=ok
[ "$status" -eq 0 ] && grep -q Oclgrind "$dir/out" && [ -f "$dir/log" ] && [ ! -s "$dir/log" ] || r='not ok'
echo "$r 1 - $name"
[ "$r" = ok ] || cat "$dir/out" "$dir/log" 2>&1 | head -n 60 | sed 's/^/# /'
echo 1..1
[ "$r" = ok ]
