#!/bin/sh
# Tests a CUDA device that fails, hangs or does nothing: cuda_faults.cu, linked with its own runtime.
# usage: [NVCC=...] [NVCC_CCBIN=...] test_cuda_faults.sh     from the repository's root
# TAP. Needs nvcc, but no GPU: kernels never run, so they are just compiled to PTX, without optimisation,
# which would take longer than the searches.
. tests/test.sh
nvcc=${NVCC:-nvcc}
command -v "$nvcc" >/dev/null 2>&1 || skip_all "no $nvcc"
ccbin=$NVCC_CCBIN
unset NVCC_CCBIN # nvcc reads it too, and takes an empty one for a name
export TMPDIR="$tmp"

compile() { # FLAGS...
    "$nvcc" -std=c++11 -Wno-deprecated-gpu-targets ${ccbin:+-ccbin "$ccbin"} "$@"
}
generation=$("$nvcc" --list-gpu-arch 2>/dev/null | sort -t_ -k2 -n | sed -n 's/^compute_//p' | head -n 1)
generation=${generation:-53}
if ! {
    compile -x c++ -O1 -c tests/cuda_fake.cpp -o "$tmp/fake.o" &&
        compile -x cu -G -gencode "arch=compute_$generation,code=compute_$generation" -DCOMBGPU_CUDA \
            -Xcompiler -O0,-Wall,-Wextra -c tests/cuda_faults.cu -o "$tmp/faults.o" &&
        compile -cudart none "$tmp/faults.o" "$tmp/fake.o" -o "$tmp/faults"
} >"$tmp/log" 2>&1; then
    point 1 "the test is built"
    tap_end
fi
"$tmp/faults"
