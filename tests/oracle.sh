#!/bin/sh
# Solves random problems by the library and in Python (tests/oracle/oracle.py).
# usage: oracle.sh [CASES [SEED]]   2000 cases of seed 1 by default; ORACLE_BACKEND=opencl or cuda in the
#        environment takes another backend. TAP
cd "$(dirname "$0")/.." || exit 2
command -v python3 >/dev/null || { echo "1..0 # SKIP no python3" && exit 0; }
folder=$(mktemp -d) || exit 2
trap 'rm -rf "$folder"' EXIT
build="${CC:-cc} -std=c99 -fPIC" libraries=
case $ORACLE_BACKEND in
opencl) build="$build -DCOMBGPU_OPENCL" libraries=-lOpenCL ;;
cuda) build="${NVCC:-nvcc} -x cu -arch=native -DCOMBGPU_CUDA -Xcompiler -fPIC" ;;
esac
$build -O1 -shared tests/oracle/bridge.c -o "$folder/bridge.so" $libraries ||
    { echo "Bail out! the library cannot be built" && exit 1; }
python3 tests/oracle/oracle.py "$folder/bridge.so" "${1:-2000}" "${2:-1}"
