#!/bin/sh
# Tests what a .cu file pays for the header: just the visitors and device functions that it uses. The
# kernels belong to the file with COMBGPU_IMPLEMENTATION.
# usage: [NVCC=...] [NVCC_CCBIN=...] [NVCCFLAGS=...] test_cuda_header.sh     from the repository's root
# TAP. Needs nvcc, and no GPU.
. tests/test.sh
nvcc=${NVCC:-nvcc}
command -v "$nvcc" >/dev/null 2>&1 || skip_all "no $nvcc"
ccbin=$NVCC_CCBIN
unset NVCC_CCBIN # nvcc reads it too, and takes an empty one for a name
compile() { # OBJECT FLAGS...: of OBJECT.cu
    object=$1
    shift
    "$nvcc" -std=c++11 -O1 -Wno-deprecated-gpu-targets ${ccbin:+-ccbin "$ccbin"} $NVCCFLAGS -I. "$@" \
        -DCOMBGPU_ONLY_PERM -c "$tmp/$object.cu" -o "$tmp/$object.o" >"$tmp/log" 2>&1
}

# Kernels of the library in an object: nvcc registers them by their mangled names.
kernels() { # OBJECT
    grep -a -o '_Z[A-Z]*[0-9]*combgpu_[a-z]*_[a-z_0-9]*' "$tmp/$1.o" | sed 's/.*combgpu_/combgpu_/' |
        sort -u | tr '\n' ' '
}

cat >"$tmp/plain.cu" <<'EOF'
#include "combgpu.h"
EOF
compile plain -DCOMBGPU_CUDA
point $? "a file that only includes the header compiles"
bytes=$(($(wc -c <"$tmp/plain.o")))
echo "its object has $bytes bytes" >"$tmp/log"
[ "$bytes" -gt 0 ] && [ "$bytes" -lt 10240 ]
point $? "its object has less than 10 KB"
cp "$tmp/plain.o" "$tmp/plain_cuda.o"
compile plain
without=$(($(wc -c <"$tmp/plain.o")))
echo "$bytes bytes with COMBGPU_CUDA, $without without" >"$tmp/log"
[ "$bytes" -le $((without + 1024)) ]
point $? "and is as large without COMBGPU_CUDA"
found=$(kernels plain_cuda)
echo "kernels: $found" >"$tmp/log"
[ -z "$found" ]
point $? "it has no kernel"

cat >"$tmp/user.cu" <<'EOF'
#include "combgpu.h"
#include <stdio.h>

COMBGPU_PERM_VISITOR(fixed_points, {
    int i;
    int fixed = 0;
    for (i = 0; i < n; i++)
        fixed += perm[i] == i;
    return fixed;
})

__global__ void own(int n, uint64_t rank, uint8_t *out)
{
    uint8_t perm[20], inverse[20];
    combgpu_unrank(n, rank, perm);
    combgpu_inverse(n, perm, inverse);
    combgpu_next_permutation(n, inverse);
    out[0] = (uint8_t)(combgpu_rank(n, inverse) + combgpu_parity(n, perm));
}

int main(void)
{
    combgpu_context *ctx;
    combgpu_context_desc open;
    combgpu_perm_desc desc;
    combgpu_perm_result result;
    combgpu_status status;
    memset(&open, 0, sizeof open);
    open.backend = COMBGPU_BACKEND_CPU;
    if (combgpu_open(&ctx, &open)) return 1;
    memset(&desc, 0, sizeof desc);
    desc.n = 8;
    desc.goal = COMBGPU_PERM_COUNT;
    desc.visitor = &fixed_points;
    status = combgpu_perm(ctx, &desc, &result);
    printf("%d %d %llu\n", (int)status, fixed_points.cuda_kernel != NULL,
           (unsigned long long)result.hits);
    combgpu_close(ctx);
    return 0;
}
EOF
compile user -DCOMBGPU_CUDA
point $? "one with a visitor and a kernel of its own that calls device functions compiles"
found=$(kernels user)
echo "kernels: $found" >"$tmp/log"
[ "$found" = "combgpu_perm_visit " ]
point $? "the visitor's is the only kernel of the library in it"

printf '#define COMBGPU_IMPLEMENTATION\n#include "combgpu.h"\n' >"$tmp/all.cu"
compile all -DCOMBGPU_CUDA
point $? "the implementation in another file compiles"
"$nvcc" -Wno-deprecated-gpu-targets ${ccbin:+-ccbin "$ccbin"} $NVCCFLAGS "$tmp/user.o" "$tmp/all.o" \
    -o "$tmp/user" >"$tmp/log" 2>&1 && "$tmp/user" >"$tmp/out" 2>>"$tmp/log"
point $? "they link and run together"
cp "$tmp/out" "$tmp/log"
[ "$(cat "$tmp/out")" = "0 1 25487" ] # 8! less the 14,833 derangements
point $? "the visitor has a CUDA kernel, and on the CPU it counts the permutations with a fixed point"
tap_end
