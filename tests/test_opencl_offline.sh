#!/bin/sh
# The kernels as clang compiles them for devices that are not here: AMD's generations of 64 and 32 lanes, SPIR-V's
# predecessor for Intel's and other GPUs, with groups of lanes in work-groups and in sub-groups; 32-bit addresses
# without doubles. Nothing runs. `make check` looks at the language alone; PLATFORMS=all makes code, for minutes.
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
number=0 failed=0
if ! command -v clang >/dev/null; then
    echo 'ok 1 - kernels for other devices # SKIP no clang' && echo 1..1
    exit
fi
parts=$(grep -o 'defined(COMBGPU_KERNELS_[A-Z0-9]*' combgpu_kernels.cl | sed 's/.*KERNELS_//' | sort -u)
warnings='-Wall -Wextra -Werror -Wno-ignored-pragmas -Wno-pass-failed'
sub=-DCOMBGPU_SUBGROUPS ext='-Xclang -cl-ext='
amd='-target amdgcn-amd-amdhsa -nogpulib' code=-fsyntax-only
[ "$PLATFORMS" != all ] || code='-O1 -S'

while IFS='|' read -r name options; do
    number=$((number + 1))
    wrong=''
    for part in ${parts:?}; do
        # shellcheck disable=SC2086 # options are words
        clang -x cl -cl-std=CL1.2 -Xclang -finclude-default-header $warnings $options $code \
            -DCOMBGPU_KERNELS_"$part" combgpu_kernels.cl -o "$tmp/out" >"$tmp/log" 2>&1 || wrong="$wrong $part"
        grep -m 3 error "$tmp/log" | sed 's/^/# /'
    done
    if grep -q 'No available targets\|unable to create target' "$tmp/log"; then
        echo "ok $number - $name # SKIP this clang does not have the target"
    elif [ "$wrong" ]; then
        failed=1
        echo "not ok $number - $name:$wrong"
    else
        echo "ok $number - $name: $(echo "$parts" | wc -w) parts"
    fi
done <<T
gfx900, groups in work-groups|$amd -mcpu=gfx900
gfx900, groups in wavefronts|$amd -mcpu=gfx900 $sub=64
gfx1030, groups in work-groups|$amd -mcpu=gfx1030
gfx1030, groups in wavefronts|$amd -mcpu=gfx1030 $sub=32
spir64, groups in work-groups|-target spir64 -emit-llvm
spir64, groups in sub-groups of 32|-target spir64 -emit-llvm -cl-std=CL3.0 $sub=32 $ext+__opencl_c_subgroups,+cl_khr_subgroup_shuffle
spir64, groups in Intel's sub-groups|-target spir64 -emit-llvm -cl-std=CL2.0 $sub=16 $ext+cl_khr_subgroups,+cl_intel_subgroups
32-bit addresses, no doubles|-target spir -emit-llvm $ext-cl_khr_fp64
T
echo "1..$number"
exit $failed
