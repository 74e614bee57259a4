#!/bin/sh
# Makes the page: the library as WebAssembly, packed, and all other files of this folder in one index.html.
# usage: build.sh FOLDER    WASM_CC="clang --target=wasm32-wasi" names the compiler; without it, that of PyPI's
#                           ziglang is looked for, and then clang with wasi-libc
cd "$(dirname "$0")" || exit 2
case $1 in /*) out=$1 ;; *) out=$OLDPWD/$1 ;; esac
cache=${XDG_CACHE_HOME:-$HOME/.cache}/combgpu-ci
mkdir -p "$out" || exit 2
if [ -z "$WASM_CC" ]; then
    for python in python3 "$cache/python/bin/python"; do
        "$python" -c 'import ziglang' 2>/dev/null || continue
        WASM_CC="$python -m ziglang cc -target wasm32-wasi"
        export ZIG_GLOBAL_CACHE_DIR="${ZIG_GLOBAL_CACHE_DIR:-$cache/zig}"
        break
    done
fi
if [ -z "$WASM_CC" ] && [ -d /usr/include/wasm32-wasi ]; then WASM_CC="clang --target=wasm32-wasi"; fi
if [ -z "$WASM_CC" ]; then
    echo "build.sh: no compiler for WebAssembly: pip install ziglang, or apt install clang lld wasi-libc" \
        "libclang-rt-14-dev-wasm32; or set WASM_CC" >&2
    exit 3
fi
echo "compiling the library for WebAssembly, about half a minute" >&2
$WASM_CC -O2 -s -mexec-model=reactor -Wno-unused-function web.c -o "$out/web.wasm" || exit 1
gzip -9nc "$out/web.wasm" | base64 | tr -d '\n' >"$out/web.base64"
awk -v library="$out/web.base64" '
    /^@.*@$/ {
        file = substr($0, 2, length($0) - 2)
        while ((getline line <file) > 0) print line
        next
    }
    /@web\.wasm@/ {
        getline packed <library
        at = index($0, "@web.wasm@")
        print substr($0, 1, at - 1) packed substr($0, at + 10)
        next
    }
    { print }' page.html >"$out/index.html"
rm -f "$out/web.wasm" "$out/web.base64"
wc -c "$out/index.html"
