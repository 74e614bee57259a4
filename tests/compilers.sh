#!/bin/sh
# Compiles the header and the README's line with every gcc and clang of this machine and of Debian 13, without
# warnings. TAP. Debian 13 is a bootstrap in ${XDG_CACHE_HOME:-~/.cache}/combgpu-ci, which only root can make;
# without it, a visible SKIP.
# usage: compilers.sh         gcc 14 of Debian 13, the command at -O3: for CI
#        COMPILERS=here       gcc, clang and nvcc of this machine at -O3: before the tests on a GPU
#        COMPILERS=all        gcc 11 to 14, clang 14 to 19, here and there: -O0, -O2 and -O3; as C++ at -O2
cd "$(dirname "$0")/.." || exit 2
what=${COMPILERS:-debian}
cache=${XDG_CACHE_HOME:-$HOME/.cache}/combgpu-ci
debian=$cache/trixie
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
number=0 failed=0

point() { # STATUS NAME: silent, if it said nothing
    number=$((number + 1))
    [ "$1" -eq 0 ] && [ ! -s "$tmp/log" ] || { failed=1 && printf 'not '; }
    echo "ok $number - $2"
    sed 's/^/# /' "$tmp/log" | head -n 20
}

skip() { # NAME REASON
    number=$((number + 1))
    echo "ok $number - $1 # SKIP $2"
}

# Compiles in Debian 13, or here if WHERE is empty.
compile() { # WHERE COMMAND
    if [ "$1" ]; then
        chroot "$debian" sh -c "cd /combgpu && $2"
    else
        sh -c "$2"
    fi >"$tmp/log" 2>&1 </dev/null
    point $? "${1:+$1: }$2"
}

bootstrap() { # PACKAGES
    [ "$(id -u)" -eq 0 ] || return 1
    if [ ! -e "$debian/bootstrapped" ]; then
        command -v debootstrap >/dev/null || return 1
        mkdir -p "$cache" && rm -rf "$debian" "$debian.new" &&
            debootstrap --variant=minbase --include=gcc,libc6-dev trixie "$debian.new" && rm -f "$debian.new"/var/cache/apt/archives/*.deb &&
            mv "$debian.new" "$debian" && touch "$debian/bootstrapped" || return 1
    fi
    [ -z "$1" ] || chroot "$debian" apt-get install -y --no-install-recommends $1 || return 1
    rm -rf "$debian/combgpu" && mkdir -p "$debian/combgpu" && cp -r combgpu.h combgpu_cl.c examples "$debian/combgpu"
}

# The header, with all warnings, those without a flag among them.
silent() { # WHERE COMPILER LEVEL LANGUAGE
    compile "$1" "$2 $3 -Wall -Wextra -x $4 -DCOMBGPU_IMPLEMENTATION -c combgpu.h -o /dev/null"
}

if [ "$what" = here ]; then
    for compiler in gcc clang; do
        ! command -v $compiler >/dev/null || silent "" $compiler -O3 c
    done
    # the kernels' own optimisation says nothing more
    ! command -v "${NVCC:-nvcc}" >/dev/null || compile "" "${NVCC:-nvcc} -O3 -Xcicc -O1 -Xptxas -O1 -x cu -DCOMBGPU_CUDA \
        -Wno-deprecated-gpu-targets -Xcompiler -Wall,-Wextra -c examples/combgpu.c -o /dev/null"
elif [ "$what" = all ]; then
    there=
    ! bootstrap "g++-13 g++-14 clang-19" >"$tmp/bootstrap" 2>&1 || there="Debian 13"
    for compiler in gcc-11 gcc-12 gcc-13 gcc-14 clang-14 clang-16 clang-19; do
        where=
        if ! command -v $compiler >/dev/null; then
            where=$there
            [ "$where" ] && [ -x "$debian/usr/bin/$compiler" ] || { skip $compiler "not installed" && continue; }
        fi
        for level in -O0 -O2 -O3; do silent "$where" $compiler $level c; done
        silent "$where" $compiler -O2 c++
        compile "$where" "$compiler -O3 examples/combgpu.c -o /dev/null"
    done
elif bootstrap "" >"$tmp/bootstrap" 2>&1; then
    compile "Debian 13" "gcc -O3 -Wall -Wextra examples/combgpu.c -o combgpu && ./combgpu self-test --backend cpu >/dev/null"
else
    tail -n 3 "$tmp/bootstrap" | sed 's/^/# /'
    skip "gcc 14" "no bootstrap of Debian 13: it needs root, debootstrap, and Debian's archive"
fi
echo "1..$number"
exit $failed
