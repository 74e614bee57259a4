#!/bin/sh
# Runs every kernel under compute-sanitizer, on small searches: out-of-bounds and misaligned access, leaked
# device memory (memcheck), and data races in shared memory (racecheck). TAP. Run by make check-cuda.
build=${COMBGPU_BUILD:-build/cuda}
sanitizer=${COMPUTE_SANITIZER:-compute-sanitizer}
log=$(mktemp) || exit 2
trap 'rm -f "$log"' EXIT
number=0 failures=0
command -v "$sanitizer" >/dev/null 2>&1 || sanitizer=$(dirname "$(command -v nvcc)")/compute-sanitizer
if ! command -v "$sanitizer" >/dev/null 2>&1; then
    echo "1..0 # SKIP no compute-sanitizer"
    exit 0
fi
export OCL_ICD_VENDORS=/nonexistent # OpenCL is not what is looked at here
unset COMBGPU_REQUIRE

# check TOOL PROGRAM ARGUMENTS
check() {
    tool=$1
    shift
    options=
    # a call that runs out of memory on purpose is no error
    [ $tool = memcheck ] && options='--leak-check full --report-api-errors no'
    number=$((number + 1))
    if timeout 120 "$sanitizer" --tool "$tool" $options --error-exitcode 9 --print-limit 5 \
        "$build/examples/combgpu" "$@" --backend cuda >"$log" 2>&1; then
        echo "ok $number - $tool: $*"
    else
        echo "not ok $number - $tool: $*, exit status $?"
        grep '^=====' "$log" | head -n 40 | sed 's/^/# /'
        failures=1
    fi
}

for tool in memcheck racecheck; do
    check $tool magic --order 4
    check $tool magic --order 5 --shard 0/20000
    check $tool magic --order 5 --checksum --shard 14922/20000 # a pair with 4,082 squares
    check $tool no3 --n 7
    check $tool no3 --n 18 --class rot4
    check $tool perm --n 7
    check $tool perm --n 8 --to device
    check $tool qap --size 7
    check $tool perm --n 16 --k 5 --sum 40
    check $tool magic --order 6 --estimate --samples 512
    check $tool magic --order 8 --estimate --samples 512
    [ $tool = racecheck ] || check $tool magic --order 5 --first 265000000 --count 100000 --list --output /dev/null
    [ $tool = racecheck ] || check $tool magic --diagonals 430000000000:1 # minutes
    check $tool tsp --random 8 --shortest 100
    check $tool tsp --random 9 --batch 40
    check $tool tsp --random 11 --method held-karp
    check $tool tsp --random 11 --method brute-force
done
echo "1..$number"
exit $failures
