#!/bin/sh
# Tests make install into an empty prefix, programs that find it by pkg-config and CMake, and make uninstall; TAP.
. tests/test.sh
root=$PWD
unset MAKEFLAGS MFLAGS MAKELEVEL DESTDIR PREFIX
# Runs a command; its output is shown if the point fails.
try() { # NAME COMMAND...
    name=$1
    shift
    "$@" >"$tmp/log" 2>&1
    point $? "$name"
}

files() { # FOLDER
    (cd "$1" && find . ! -type d | sort)
}

make_it() { # TARGET VARIABLE=VALUE...: not optimised, which is not what is tested
    make "$@" out="$tmp/build" backends=opencl CFLAGS=-O0
}

# ---- install

prefix=$tmp/prefix
if ! command -v objcopy >/dev/null || ! make_it library >"$tmp/log" 2>&1; then
    grep -q 'ELF' "$(command -v env)" || { echo "1..0 # SKIP only for ELF systems" && exit 0; }
    point 1 "make library"
    echo "1..1"
    exit 1
fi
try "make install into an empty prefix" make_it install PREFIX="$prefix"
try "make install with DESTDIR" make_it install PREFIX=/opt/search DESTDIR="$tmp/stage"
files "$prefix" >"$tmp/list"
[ "$(files "$tmp/stage/opt/search")" = "$(cat "$tmp/list")" ]
point $? "DESTDIR gets the same files"
! grep -rlI "$tmp" "$tmp/stage" >"$tmp/log"
point $? "no file of it knows DESTDIR"
for file in include/combgpu.h include/combgpu_cl.c include/combgpu_cuda.cu include/combgpu_kernels.cl \
    lib/libcombgpu.a lib/libcombgpu.so lib/pkgconfig/combgpu.pc lib/cmake/combgpu/combgpuConfig.cmake; do
    grep -qx "./$file" "$tmp/list" || echo "$file is not there"
done >"$tmp/log"
[ ! -s "$tmp/log" ]
point $? "header, sidecars, libraries and what finds them are there"

# ---- what the libraries show

version=$(sed -n 's/.*COMBGPU_VERSION_STRING "\(.*\)"/\1/p' combgpu.h)
objdump -p "$prefix/lib/libcombgpu.so" | grep -q "SONAME *libcombgpu.so.${version%.*}\$"
point $? "the soname is that of the version"
# every function of the header, by its declaration
gcc -E -P -x c combgpu.h | tr '\n' ' ' | tr ';' '\n' |
    sed -n 's/^ *extern [^(]*[ *]\(combgpu_[a-z0-9_]*\) *(.*/\1/p' | sort >"$tmp/declared"
grep -qx combgpu_tsp_to_svg "$tmp/declared"
point $? "the header's declarations are read"
for library in libcombgpu.so libcombgpu.a; do
    dynamic=
    [ $library = libcombgpu.a ] || dynamic=-D
    nm $dynamic -g --defined-only "$prefix/lib/$library" | awk 'NF == 3 { print $3 }' | sort |
        diff "$tmp/declared" - >"$tmp/log"
    point $? "$library shows the header's functions and nothing else"
done
! objdump -p "$prefix/lib/libcombgpu.so" | grep -q 'NEEDED.*OpenCL'
point $? "the library starts without OpenCL"

cat >"$tmp/again.c" <<'C'
#include <combgpu.h>
#include <dlfcn.h>
int main(int argc, char **argv)
{
    int i;
    for (i = 0; i < 5; i++) {
        void *library = dlopen(argv[argc - 1], RTLD_NOW | RTLD_LOCAL);
        combgpu_context_desc two = {.backend = COMBGPU_BACKEND_CPU, .threads = 2};
        combgpu_no3_desc desc = {.n = 8};
        combgpu_no3_result result;
        combgpu_context *ctx;
        if (!library) return 1;
        if (((combgpu_status(*)(combgpu_context **, const combgpu_context_desc *))dlsym(library, "combgpu_open"))(&ctx, &two) ||
            ((combgpu_status(*)(combgpu_context *, const combgpu_no3_desc *, combgpu_no3_result *))dlsym(library, "combgpu_no3"))(
                ctx, &desc, &result) || result.all != 380) return 2;
        ((void (*)(combgpu_context *))dlsym(library, "combgpu_close"))(ctx);
        dlclose(library);
    }
    return 0;
}
C
cc -I"$prefix/include" "$tmp/again.c" -o "$tmp/again" -ldl >"$tmp/log" 2>&1 && "$tmp/again" "$prefix/lib/libcombgpu.so" >>"$tmp/log" 2>&1
point $? "the library is loaded, used and closed five times"

# ---- programs

cat >"$tmp/first.c" <<'C'
#include <combgpu.h>
#include <stdio.h>
#include <string.h>
int main(void)
{
    combgpu_device devices[8];
    combgpu_context *ctx;
    combgpu_context_desc open;
    combgpu_no3_desc search;
    combgpu_no3_result result;
    int count = 0, opencl = 0, i;
    memset(&open, 0, sizeof open);
    memset(&search, 0, sizeof search);
    combgpu_devices(devices, 8, &count);
    for (i = 0; i < count && i < 8; i++) opencl += devices[i].backend == COMBGPU_BACKEND_OPENCL;
    open.backend = COMBGPU_BACKEND_CPU;
    search.n = 6;
    if (combgpu_open(&ctx, &open) || combgpu_no3(ctx, &search, &result)) return 1;
    printf("%s %d %d\n", combgpu_version(), (int)result.all, opencl > 0);
    combgpu_close(ctx);
    return 0;
}
C
right="^$version 50 [01]\$" # 50: OEIS A000755
export PKG_CONFIG_PATH="$prefix/lib/pkgconfig"
if command -v pkg-config >/dev/null; then
    build="cc '$tmp/first.c' -o '$tmp/first'"
    sh -c "$build \$(pkg-config --cflags --libs combgpu)" >"$tmp/log" 2>&1 &&
        LD_LIBRARY_PATH="$prefix/lib" "$tmp/first" >"$tmp/log" && grep -q "$right" "$tmp/log"
    point $? "a C program by pkg-config, shared"
    if command -v clinfo >/dev/null && clinfo -l 2>/dev/null | grep -q Device; then
        grep -q ' 1$' "$tmp/log"
        point $? "it loads OpenCL and sees its devices"
    else
        skip "no OpenCL device" "it loads OpenCL and sees its devices"
    fi
    sh -c "$build -Wl,-Bstatic \$(pkg-config --cflags --libs combgpu) -Wl,-Bdynamic \
        \$(pkg-config --static --libs-only-other --libs-only-l combgpu | sed s/-lcombgpu//)" >"$tmp/log" 2>&1 &&
        "$tmp/first" >"$tmp/log" && grep -q "$right" "$tmp/log"
    point $? "a C program by pkg-config, static"
    try "pkg-config knows the version" pkg-config --exact-version="$version" combgpu
else
    skip "no pkg-config" "a C program by pkg-config"
fi

# A C++17 program of two files that use the library and, in the program `header`, one that implements it.
mkdir -p "$tmp/cmake"
for i in 1 2; do
    cat >"$tmp/cmake/use$i.cpp" <<C
#include <combgpu.h>
#include <numeric>
#include <vector>
auto use$i(combgpu_context *ctx) -> int
{
    std::vector<int> square(25);
    if (combgpu_magic_construct(ctx, 5, square.data())) return 0;
    return std::accumulate(square.begin(), square.begin() + 5, 0); // 65
}
C
done
cat >"$tmp/cmake/main.cpp" <<'C'
#include <combgpu.h>
int use1(combgpu_context *), use2(combgpu_context *);
int main()
{
    combgpu_context_desc open = {};
    open.backend = COMBGPU_BACKEND_CPU;
    combgpu_context *ctx = nullptr;
    bool right = combgpu_open(&ctx, &open) == COMBGPU_OK && use1(ctx) + use2(ctx) == 130;
    combgpu_close(ctx);
    return right ? 0 : 1;
}
C
printf '#define COMBGPU_IMPLEMENTATION\n#define COMBGPU_ONLY_MAGIC 1\n#include <combgpu.h>\n' >"$tmp/cmake/implementation.cpp"

# A project with one program for each TARGET that was asked for; FIND is how it comes by them.
project() { # FOLDER FIND TARGET...
    folder=$1
    {
        echo 'cmake_minimum_required(VERSION 3.18)'
        echo 'project(user LANGUAGES C CXX)'
        echo 'set(CMAKE_CXX_STANDARD 17)'
        echo "$2"
        shift 2
        for target; do
            more=
            case $target in header | opencl | magic) more=../cmake/implementation.cpp ;; esac
            echo "add_executable(use_$target ../cmake/main.cpp ../cmake/use1.cpp ../cmake/use2.cpp $more)"
            echo "target_link_libraries(use_$target PRIVATE combgpu::$target)"
        done
    } >"$folder/CMakeLists.txt"
}

if command -v cmake >/dev/null; then
    mkdir "$tmp/user" "$tmp/inside"
    opencl=
    ! echo '#include <CL/cl.h>' | cc -fsyntax-only -x c - 2>/dev/null || opencl=opencl
    project "$tmp/user" "find_package(combgpu ${version%.*} REQUIRED COMPONENTS $opencl)" combgpu static header magic $opencl
    try "CMake finds the installed package" cmake -S "$tmp/user" -B "$tmp/user/build" \
        -DCMAKE_PREFIX_PATH="$prefix"
    try "C++17 programs are built" cmake --build "$tmp/user/build"
    try "with the shared library" "$tmp/user/build/use_combgpu"
    try "with the static library" "$tmp/user/build/use_static"
    try "with the header alone, one of three files implements it" "$tmp/user/build/use_header"
    try "likewise with one search" "$tmp/user/build/use_magic"
    if [ -n "$opencl" ]; then
        try "likewise with OpenCL" "$tmp/user/build/use_opencl"
    else
        skip "no CL/cl.h" "likewise with OpenCL"
    fi
    for request in 99.0 "$version COMPONENTS quantum"; do
        project "$tmp/user" "find_package(combgpu $request REQUIRED)" header
        ! cmake -S "$tmp/user" -B "$tmp/user/refused" -DCMAKE_PREFIX_PATH="$prefix" >"$tmp/log" 2>&1 &&
            grep -q 'compatible with requested version "99.0"\|no component "quantum"' "$tmp/log"
        point $? "find_package(combgpu $request) is refused"
    done
    project "$tmp/inside" "add_subdirectory($root combgpu)" combgpu
    try "a project takes the sources by add_subdirectory" cmake -S "$tmp/inside" -B "$tmp/inside/build" \
        -DCMAKE_C_FLAGS=-O0 -DCMAKE_BUILD_TYPE=Debug
    try "it is built" cmake --build "$tmp/inside/build"
    try "it runs" "$tmp/inside/build/use_combgpu"
else
    skip "no cmake" "programs by CMake"
fi

# ---- the command

if [ -f examples/combgpu.c ]; then
    [ "$("$prefix/bin/combgpu" --version | tr ' ' '\n' | grep -cx "$version")" -eq 1 ]
    point $? "the command tells its version"
    try "it has a man page" grep -q '^\.TH' "$prefix/share/man/man1/combgpu.1"
    try "its completion is bash" bash -n "$prefix/share/bash-completion/completions/combgpu"
else
    skip "not in this version" "the command"
fi

# ---- uninstall

echo mine >"$prefix/lib/mine"
try "make uninstall" make_it uninstall PREFIX="$prefix"
[ "$(files "$prefix")" = ./lib/mine ]
point $? "it removes its own files and no others"
[ ! -d "$prefix/lib/cmake/combgpu" ]
point $? "and its folder"
try "make uninstall where nothing is" make_it uninstall PREFIX="$prefix"

# ---- places that it refuses

echo mine >"$tmp/two"
for place in "$tmp/two $tmp/words" build/relative "$tmp/r&d"; do
    for target in install uninstall; do
        ! make_it $target PREFIX="$place" >"$tmp/log" 2>&1 && grep -q 'absolute path without blanks' "$tmp/log"
        point $? "make $target refuses PREFIX=${place##*/}"
    done
done
[ "$(cat "$tmp/two")" = mine ]
point $? "and leaves other files alone"
tap_end
