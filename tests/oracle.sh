#!/bin/sh
# Random problems, solved by the library and in Python (tests/oracle/oracle.py).
# usage: oracle.sh [CASES [SEED]]   2000 cases of seed 1 by default; ORACLE_BACKEND=opencl in the
#        environment takes another backend. TAP
cd "$(dirname "$0")/.." || exit 2
command -v python3 >/dev/null || { echo "1..0 # SKIP no python3" && exit 0; }
folder=$(mktemp -d) || exit 2
trap 'rm -rf "$folder"' EXIT
opencl=
[ "$ORACLE_BACKEND" != opencl ] || opencl="-DCOMBGPU_OPENCL -lOpenCL"
${CC:-cc} -std=c99 -O1 -fopenmp -shared -fPIC tests/oracle/bridge.c -o "$folder/bridge.so" $opencl ||
    { echo "Bail out! the library cannot be built" && exit 1; }
OMP_WAIT_POLICY=passive python3 tests/oracle/oracle.py "$folder/bridge.so" "${1:-2000}" "${2:-1}"
