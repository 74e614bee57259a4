#!/bin/sh
# Lines of the library that the tests run, on the CPU and on OpenCL if there is a device. Tests that
# compile the implementation themselves are not counted, so the true number is higher.
# usage: coverage.sh [TEST...]     "no3 tsp": all others by default. The last line is gcov's for combgpu.h.
cd "$(dirname "$0")/.." || exit 2
root=$PWD
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
export COMBGPU_TEST_SMALL=1 OMP_WAIT_POLICY=passive
flags="-std=c99 -O1 -fopenmp"
libraries=-lm
printf '#include <CL/cl.h>\nint main(void) { return 0; }\n' >"$tmp/try.c"
if gcc "$tmp/try.c" -o "$tmp/try" -lOpenCL 2>/dev/null; then
    flags="$flags -DCOMBGPU_OPENCL" libraries="-lm -lOpenCL"
fi
[ $# -gt 0 ] || set -- $(grep -L '^#define TEST_OWN_IMPLEMENTATION' tests/test_*.c | sed 's|.*test_\(.*\)\.c|\1|')
cd "$tmp" || exit 2
gcc $flags --coverage -c "$root/tests/inside.c" -o inside.o || exit 1
for test; do
    gcc $flags -DCOMBGPU__IMPLEMENTED "$root/tests/test_$test.c" inside.o --coverage -o program $libraries || exit 1
    timeout "${TEST_TIMEOUT:-300}" ./program >log 2>&1 || echo "test_$test: status $?"
done
gcov inside.o 2>/dev/null | grep -A1 "combgpu.h'"
