#!/bin/sh
# Imitates other OpenCL devices by tests/test_kernels.c on this machine's: small ones, by limits on local memory and
# work-groups, and other compilers, by PoCL's ways to loop over work-items. A device that cannot run a kernel leaves
# it to the CPU, or refuses it with the number needed. tests/platforms_opencl.sh runs every kernel on given drivers.
bin=${COMBGPU_BUILD:-build} number=0 status=0

rows() { # NAME WHAT KERNEL...: passes if each kernel's rows do, of '' all, and one of their lines has WHAT
    name=$1 what=$2 out='' r=ok
    shift 2
    number=$((number + 1))
    for kernel in "$@"; do
        one=$(COMBGPU_TEST_KERNEL=$kernel "$bin/tests/test_kernels.t" 2>&1) || r='not ok'
        out="$out$one
"
    done
    case $out in
    *'no opencl'* | *'without OpenCL'*) echo "ok $number - $name # SKIP no OpenCL device" && return ;;
    *"$what"*) ;;
    *) r='not ok' ;;
    esac
    echo "$r $number - $name"
    [ "$r" = ok ] || { status=1 && printf '%s' "$out" | sed 's/^/# /'; }
}

limited() { # LANES LOCAL NAME WHAT KERNEL...
    export COMBGPU_TEST_LANES="$1" COMBGPU_TEST_LOCAL="$2" COMBGPU_TEST_DOUBLES=0
    shift 2
    rows "$@"
    unset COMBGPU_TEST_LANES COMBGPU_TEST_LOCAL COMBGPU_TEST_DOUBLES
}

in_place='by the CPU in the device'
limited 1024 32768 '32 KB of local memory: order 6 is the work of the CPU' "$in_place" combgpu_magic_six
limited 128 32768 'work-groups of 128, 32 KB, no doubles: each kernel has a form, or the CPU works' "$in_place" ''
limited 64 16384 'work-groups of 64, 16 KB, no doubles: or is refused with the number that it needs' \
    'refused: kernel combgpu_perm_visit needs' ''
for method in loops cbs; do
    export POCL_WORK_GROUP_METHOD=$method
    rows "estimates with PoCL's method $method" "the CPU's answer" combgpu_magic_arranged
done
echo "1..$number"
exit $status
