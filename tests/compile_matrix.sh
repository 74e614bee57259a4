#!/bin/sh
# Compiles the CUDA side for every GPU generation of a list that this nvcc knows, with all warnings as
# errors; and the inline PTX of the OpenCL kernels, which only NVIDIA's platform sees: clang compiles
# them to PTX, and ptxas must assemble it. TAP; unknown generations are skips.
#   53 Jetson Nano, TX1   62 TX2   72 Xavier   87 Orin   101, 110 Thor (before and from CUDA 13)
#   75 80 90 100          desktop and server
# usage: NVCC=... [NVCC_CCBIN=g++-11] [NVCCFLAGS=...] [SKIP_GENERATIONS="53 62"] tests/compile_matrix.sh
cd "$(dirname "$0")/.." || exit 2
nvcc=${NVCC:-nvcc}
dir=build/matrix
ccbin=$NVCC_CCBIN
unset NVCC_CCBIN # nvcc reads it too, and takes an empty one for a name
number=0 failures=0
mkdir -p $dir

point() { # ok|not-ok NAME
    number=$((number + 1))
    if [ "$1" = ok ]; then echo "ok $number - $2"; else echo "not ok $number - $2"; failures=1; fi
}

if ! command -v "$nvcc" >/dev/null 2>&1; then
    echo "1..0 # SKIP no $nvcc"
    exit 0
fi
ptxas=$(dirname "$(command -v "$nvcc")")/ptxas
release=$("$nvcc" --version | sed -n 's/.*release \([0-9.]*\).*/\1/p')
known=$("$nvcc" --list-gpu-code 2>/dev/null || "$nvcc" --help)
printf '#define COMBGPU_IMPLEMENTATION\n#include "../../combgpu.h"\n' >$dir/all.cu

result() { # STATUS NAME: a point with what was said
    if [ "$1" -eq 0 ]; then
        point ok "$2"
    else
        point not-ok "$2"
        sed 's/^/# /' $dir/log | head -n 20
    fi
}

level=-O3
compile() { # NAME FLAGS...: C++11, which every nvcc since 10.2 has
    name=$1
    shift
    "$nvcc" -x cu -std=c++11 $level -DCOMBGPU_CUDA -Werror all-warnings \
        -Wno-deprecated-gpu-targets ${ccbin:+-ccbin "$ccbin"} $NVCCFLAGS \
        "$@" $dir/all.cu >$dir/log 2>&1
    result $? "$name"
}

# 80, 90 and 100 compile the same code (src/kernel/dialect.cl): one PTX, which ptxas assembles for each. The last
# one's command has the host's code, too, and the PTX for later GPUs.
chosen= last=
for sm in 53 62 72 75 80 87 90 100 101 110; do
    skipped=
    case " $SKIP_GENERATIONS " in *" $sm "*) skipped="not asked for" ;; esac
    printf '%s\n' "$known" | grep -q "sm_$sm\\b" || skipped="this nvcc does not know it"
    if [ "$skipped" ]; then
        number=$((number + 1))
        echo "ok $number - CUDA $release: sm_$sm # SKIP $skipped"
    else
        chosen="$chosen $sm" last=$sm
    fi
done
assemble=$(printf '%s' "$NVCCFLAGS" | sed -n 's/.*-Xptxas \([^ ]*\).*/\1/p')
rm -f $dir/shared.ptx
for sm in $chosen; do
    case $sm in
    $last) # with -O0 of gcc, which takes half a minute with all optimisation
        level=-O0
        compile "CUDA $release: sm_$sm, host code, and PTX for later GPUs" -c \
            -gencode "arch=compute_$sm,code=[sm_$sm,compute_$sm]" \
            -Xcompiler -Wall,-Wextra -o $dir/all.o
        ;;
    80 | 90 | 100)
        [ -e $dir/shared.ptx ] || compile "CUDA $release: PTX for 80, 90 and 100" -arch=compute_$sm -ptx -o $dir/shared.ptx
        "$ptxas" -arch=sm_$sm $assemble -o $dir/sm_$sm.cubin $dir/shared.ptx >$dir/log 2>&1 && [ ! -s $dir/log ]
        result $? "CUDA $release: sm_$sm"
        ;;
    *) compile "CUDA $release: sm_$sm" -arch=sm_$sm -cubin -o $dir/sm_$sm.cubin ;;
    esac
done

# 75 is the first that CUDA 13 knows; functions such as get_local_id stay open (-c)
ptx() { # PART
    clang -x cl -cl-std=CL1.2 -Xclang -finclude-default-header -target nvptx64-nvidia-cuda \
        -Xclang -target-cpu -Xclang sm_75 -Xclang -target-feature -Xclang +ptx63 -O1 -w -S \
        -DCOMBGPU_SHUFFLE -DCOMBGPU_KERNELS_"$1" -o $dir/"$1".ptx combgpu_kernels.cl >$dir/log 2>&1 &&
        "$ptxas" -c -arch=sm_75 -o /dev/null $dir/"$1".ptx >>$dir/log 2>&1
    result $? "OpenCL with shuffles, part $1: PTX assembles"
}

if [ -x "$ptxas" ] && clang --print-targets 2>/dev/null | grep -q nvptx64; then
    for part in $(grep -o 'defined(COMBGPU_KERNELS_[A-Z0-9]*' combgpu_kernels.cl |
        sed 's/.*KERNELS_//' | sort -u); do
        ptx "$part"
    done
else
    number=$((number + 1))
    echo "ok $number - OpenCL with shuffles # SKIP no clang with nvptx64, or no ptxas"
fi
echo "1..$number"
exit $failures
