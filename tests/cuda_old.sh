#!/bin/sh
# Tests older CUDA without nvcc, by PyPI's packages: NVRTC and ptxas compile all kernels for the generations of
# each release, and the oldest g++ here compiles the host's side with its headers. TAP; no GPU.
# Downloads are kept in ${XDG_CACHE_HOME:-~/.cache}/combgpu-ci.
# usage: cuda_old.sh     CUDA="11.7.99 12.9" for other releases
cd "$(dirname "$0")/.." || exit 2
cache=${XDG_CACHE_HOME:-$HOME/.cache}/combgpu-ci
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
number=0 failed=0
for host in g++-9 g++-10 g++-11 g++; do ! command -v $host >/dev/null || break; done

point() { # STATUS NAME
    number=$((number + 1))
    [ "$1" -eq 0 ] || { failed=1 && printf 'not '; }
    echo "ok $number - $2"
    [ "$1" -eq 0 ] || grep -v warning "$tmp/log" | tail -n 15 | sed 's/^/# /'
}

skip() { # NAME REASON
    number=$((number + 1))
    echo "ok $number - $1 # SKIP $2"
}

for cuda in ${CUDA:-11.7 11.8 12.0 12.9}; do
    folder=$cache/cuda-$cuda major=${cuda%%.*}
    if [ ! -e "$folder/installed" ]; then
        set --
        for package in nvrtc nvcc runtime; do set -- "$@" "nvidia-cuda-$package-cu$major==$cuda.*"; done
        if ! python3 -m pip install -q --target "$folder" "$@" >/dev/null 2>&1; then
            skip "CUDA $cuda" "pip cannot install it"
            continue
        fi
        touch "$folder/installed"
    fi
    nvidia=$folder/nvidia
    "$host" -std=c++11 -Werror -fsyntax-only -isystem "$nvidia/cuda_runtime/include" \
        -isystem "$nvidia/cuda_nvcc/include" tests/cuda_host.cpp >"$tmp/log" 2>&1
    point $? "CUDA $cuda: the host's side, by $host"
    for sm in 53 62 72 75 80 87 90 100 101 110; do
        if ! "$nvidia/cuda_nvcc/bin/ptxas" --help | grep -q "'sm_$sm'"; then
            skip "CUDA $cuda: sm_$sm" "this release does not know it"
            continue
        fi
        python3 tests/cuda_old.py "$(ls "$nvidia"/cuda_nvrtc/lib/libnvrtc.so.*)" "$nvidia/cuda_nvcc/bin/ptxas" \
            combgpu_kernels.cl "$tmp" $sm >"$tmp/log" 2>&1
        point $? "CUDA $cuda: sm_$sm, $(tail -n 1 "$tmp/log" | grep -o '^[0-9]* kernels')"
    done
done
echo "1..$number"
exit $failed
