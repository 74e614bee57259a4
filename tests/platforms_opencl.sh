#!/bin/sh
# Runs every kernel on the given OpenCL drivers, each row of tests/test_kernels.c in its own process, which a
# driver may kill. Long: not a part of `make check`.
#
#   COMBGPU_OPENCL_DEVICES    names, separated by spaces; default: this (the machine's own)
#   COMBGPU_OPENCL_RUN_NAME   prefix of the command for this device: env VARIABLE=..., chroot FOLDER ...
#   COMBGPU_OPENCL_SECONDS    for a row; default 300
#
# for example
#   COMBGPU_OPENCL_DEVICES='cbs intel debian13'
#   COMBGPU_OPENCL_RUN_cbs='env POCL_WORK_GROUP_METHOD=cbs' (PoCL 6's others: workitemloops, loopvec)
#   COMBGPU_OPENCL_RUN_intel='env OCL_ICD_VENDORS=FOLDER LD_LIBRARY_PATH=WHEEL/lib'
#   COMBGPU_OPENCL_RUN_debian13='chroot FOLDER env POCL_CACHE_DIR=/tmp'
# where a .icd file in FOLDER has the path of libintelocl.so, and test_kernels.t is in the chroot under the same path
# (with /proc and /sys mounted there). COMBGPU_TEST_SUBGROUPS=16 in RUN packs groups of lanes into sub-groups of 16,
# as on GPUs; 0: of as many lanes as the driver likes.
bin=${COMBGPU_BUILD:-build} number=0 status=0
kernels=$(sed -n 's/^ *[A-Z]*(\(combgpu_[a-z0-9_]*\), .*/\1/p' src/*/kernels.h)
[ -n "$kernels" ] || exit 2

point() { # ok|'not ok' TEXT
    number=$((number + 1))
    echo "$1 $number - $2"
    [ "$1" = ok ] || status=1
}

for device in ${COMBGPU_OPENCL_DEVICES:-this}; do
    run='env'
    eval "run=\${COMBGPU_OPENCL_RUN_$device:-env}"
    right=0 packed=0 other=0
    for kernel in $kernels; do
        code=0
        # shellcheck disable=SC2086 # run is words
        out=$(COMBGPU_TEST_KERNEL=$kernel timeout "${COMBGPU_OPENCL_SECONDS:-300}" $run \
            "$bin/tests/test_kernels.t" 2>&1) || code=$?
        case $out in
        *'SKIP'*"no opencl device"* | *'no opencl backend'*)
            point ok "$device # SKIP no OpenCL device"
            continue 2
            ;;
        esac
        if [ "$code" -ne 0 ]; then
            point 'not ok' "$device: $kernel (exit status $code)"
            printf '%s\n' "$out" | tail -n 5 | sed 's/^/# /'
        elif printf '%s' "$out" | grep -q "by the CPU in the device's place"; then
            point ok "$device: $kernel, by the CPU in its place"
            other=$((other + 1))
        else
            point ok "$device: $kernel"
            right=$((right + 1))
            case $out in *'groups in sub-groups'*) packed=$((packed + 1)) ;; esac
        fi
    done
    echo "# $device: $right right ($packed in sub-groups), $other by the CPU in its place, of $(echo "$kernels" | wc -l)"
done
echo "1..$number"
exit $status
