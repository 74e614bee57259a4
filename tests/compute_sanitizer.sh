#!/bin/sh
# Every kernel under compute-sanitizer, on small cases: out-of-bounds and misaligned access, leaked
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
export COMBGPU_TEST_SMALL=1
export OCL_ICD_VENDORS=/nonexistent # OpenCL is not what is looked at here
unset COMBGPU_REQUIRE

# check TOOL OPTIONS -- PROGRAM ARGUMENTS
check() {
    tool=$1
    shift
    options=
    while [ "$1" != -- ]; do options="$options $1" && shift; done
    shift
    name=${1##*/}
    number=$((number + 1))
    if "$sanitizer" --tool "$tool" $options --error-exitcode 9 --print-limit 5 "$@" >"$log" 2>&1; then
        echo "ok $number - $tool: ${name%.t}"
    else
        echo "not ok $number - $tool: ${name%.t}, exit status $?"
        grep -e '^not ok' -e '^=====' "$log" | head -n 40 | sed 's/^/# /'
        failures=1
    fi
}

for tool in memcheck racecheck; do
    options=
    # a call that runs out of memory on purpose is no error
    [ $tool = memcheck ] && options='--leak-check full --report-api-errors no'
    check $tool $options -- "$build/examples/devices" --self-test --backend cuda
    for program in "$build"/tests/test_*.t; do
        case $program in
        *.sh.t | */test_engine.t) continue ;; # no kernels there
        esac
        check $tool $options -- "$program"
    done
done
echo "1..$number"
exit $failures
