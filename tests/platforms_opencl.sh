#!/bin/sh
# Runs every kernel on the given OpenCL drivers, each row of tests/test_kernels.c in its own process, which a
# driver may kill. Long: not a part of `make check`; `make platforms` builds test_kernels first. TAP.
#
#   COMBGPU_OPENCL_DEVICES    names, separated by spaces; default: all of
#                             this      the machine's own
#                             intel     Intel's CPU runtime, from PyPI
#                             pocl6, pocl6_cbs, pocl6_loopvec, rusticl   of Debian 13, in the bootstrap that
#                                       tests/compilers.sh makes (root only)
#   COMBGPU_OPENCL_RUN_NAME   prefix of the command for a device of your own: env VARIABLE=..., chroot FOLDER ...
#   COMBGPU_OPENCL_SECONDS    for a row; default 300
#
# A device that cannot be had here is skipped. COMBGPU_TEST_SUBGROUPS=16 packs groups of lanes into sub-groups of
# 16, as on GPUs; 0: of as many lanes as the driver likes.
bin=${COMBGPU_BUILD:-build} number=0 status=0
kernels=$(sed -n 's/^ *[A-Z]*(\(combgpu_[a-z0-9_]*\), .*/\1/p' src/*/kernels.h)
[ -n "$kernels" ] || exit 2

cache=${XDG_CACHE_HOME:-$HOME/.cache}/combgpu-ci
debian=$cache/trixie
mounted=
trap 'for folder in $mounted; do umount "$debian/$folder"; done' EXIT

# Sets `run` for a device, with its driver and the program in place; fails if it cannot be had.
obtain() { # DEVICE
    run=env
    case $1 in
    this) ;;
    intel)
        if [ ! -e "$cache/intel/intel.icd" ]; then
            python3 -m venv "$cache/intel" && "$cache/intel/bin/pip" install --quiet intel-opencl-rt intel-cmplr-lib-rt &&
                find "$cache/intel/lib" -name libintelocl.so >"$cache/intel/intel.icd" && [ -s "$cache/intel/intel.icd" ] || return 1
        fi >/dev/null 2>&1
        run="env OCL_ICD_VENDORS=$cache/intel LD_LIBRARY_PATH=$cache/intel/lib"
        ;;
    pocl6* | rusticl)
        [ "$(id -u)" -eq 0 ] && [ -e "$debian/bootstrapped" ] &&
            chroot "$debian" apt-get install -y --no-install-recommends ocl-icd-libopencl1 pocl-opencl-icd mesa-opencl-icd \
                >/dev/null 2>&1 </dev/null || return 1
        for folder in proc sys; do # where drivers look for processors
            [ "$(ls "$debian/$folder")" ] || { mount --bind /$folder "$debian/$folder" && mounted="$folder $mounted"; } || return 1
        done
        mkdir -p "$debian/$bin/tests" && cp "$bin/tests/test_kernels.t" "$debian/$bin/tests/" || return 1
        run="chroot $debian env POCL_CACHE_DIR=/tmp OCL_ICD_VENDORS=pocl.icd"
        case $1 in
        pocl6_*) run="$run POCL_WORK_GROUP_METHOD=${1#pocl6_}" ;;
        rusticl) run="chroot $debian env OCL_ICD_VENDORS=rusticl.icd RUSTICL_ENABLE=llvmpipe" ;;
        esac
        ;;
    *) eval "run=\$COMBGPU_OPENCL_RUN_$1" && [ -n "$run" ] ;;
    esac
}

point() { # ok|'not ok' TEXT
    number=$((number + 1))
    echo "$1 $number - $2"
    [ "$1" = ok ] || status=1
}

for device in ${COMBGPU_OPENCL_DEVICES:-this intel pocl6 pocl6_cbs pocl6_loopvec rusticl}; do
    obtain "$device" || { point ok "$device # SKIP it cannot be had here" && continue; }
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
