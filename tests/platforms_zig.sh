#!/bin/sh
# Compiles the command for macOS, the BSDs, Windows, RISC-V, ARM and WASI with the cross compiler of PyPI's ziglang,
# without warnings; runs by qemu, Wine or PyPI's wasmtime give the known counts. TAP; missing tools are a visible
# SKIP. Downloads are kept in ${XDG_CACHE_HOME:-~/.cache}/combgpu-ci.
# usage: platforms_zig.sh    with PLATFORMS=all: those that platforms.sh and windows.sh run by other compilers
#                            are run, too; and the header as C++
cd "$(dirname "$0")/.." || exit 2
cache=${XDG_CACHE_HOME:-$HOME/.cache}/combgpu-ci
python=$cache/python/bin/python
export ZIG_GLOBAL_CACHE_DIR="$cache/zig" WINEDEBUG=-all
PATH=$PATH:/usr/lib/wine # where Debian has it without the package that starts it

# NAME|TARGET|all: linked with PLATFORMS=all only|RUNNER
table() {
    cat <<T
macOS on x86-64|x86_64-macos||
macOS on arm64|aarch64-macos||
FreeBSD|x86_64-freebsd||
NetBSD|x86_64-netbsd||
OpenBSD|x86_64-openbsd||
Windows on x86-64|x86_64-windows-gnu|all|wine64
Windows on arm64|aarch64-windows-gnu|all|
RISC-V, 64 bits|riscv64-linux-musl||qemu-riscv64-static
ARM, 32 bits|arm-linux-musleabihf|all|qemu-arm-static
WASI|wasm32-wasi||$python tests/wasi.py
T
}

compile() { # OPTION...
    "$python" -m ziglang cc -target "$target" -O0 -fno-sanitize=all -Wall -Wextra -Werror \
        -Wno-unused-command-line-argument "$@" >"$log" 2>&1
}

point() { # STATUS NAME
    [ "$1" -eq 0 ] || printf 'not '
    echo "ok - $name: $2"
    [ "$1" -eq 0 ] || tail -n 15 "$log" | sed 's/^/# /'
}

answers() { # TEXT ARGUMENT...
    text=$1
    shift
    timeout 300 $runner "$program" "$@" >"$log" 2>&1 </dev/null && grep -qF -e "$text" "$log"
    point $? "$*"
}

one() { # LINE of the table
    printf '%s\n' "$1" | {
        IFS='|' read -r name target all runner
        log=$tmp/$target.log program=$tmp/$target.exe
        if [ "$all" ] && [ "$PLATFORMS" != all ]; then
            compile -c examples/combgpu.c -o "$tmp/$target.o"
            point $? "the command compiles"
        else
            compile examples/combgpu.c -o "$program"
            point $? "the command compiles and links"
        fi
        # a program that asks for POSIX alone, and knows no extension of the language
        compile -std=c99 -pedantic -D_POSIX_C_SOURCE=200809L -DCOMBGPU_ONLY_PERM -c "$tmp/all.c" -o "$log.o"
        point $? "the header in strict C99 with POSIX alone"
        if [ "$PLATFORMS" = all ]; then
            compile -std=c++11 -pedantic -D_POSIX_C_SOURCE=200809L -DCOMBGPU_ONLY_PERM -c -x c++ "$tmp/all.c" -o "$log.o"
            point $? "the header in strict C++11 with POSIX alone"
        fi
        if [ -z "$runner" ] || [ -e "$tmp/$target.o" ]; then
            echo "ok - $name # SKIP compiled only"
        elif ! command -v "${runner%% *}" >/dev/null; then
            echo "ok - $name # SKIP no ${runner%% *}"
        elif [ -s "$program" ]; then
            export WINEPREFIX="$tmp/wine"
            answers "self-test: ok" self-test --backend cpu
            answers '"count": 7040' magic --order 4 --json
            answers '"all": 380, "up_to_symmetry": 57,' no3 --n 8 --json
            answers '"length": 2085' tsp tests/data/tsplib/gr17.tsp --json
            answers "1 2 0" perm --n 3 --unrank 3
        fi
    } >"$tmp/points.$2"
}

if [ "$1" = --one ]; then # FOLDER NUMBER
    tmp=$2
    one "$(table | sed -n "$3p")" "$3"
    exit
fi
if ! { [ -x "$python" ] || python3 -m venv "$cache/python"; } >/dev/null 2>&1 ||
    ! "$python" -m pip install -q ziglang wasmtime >/dev/null 2>&1 </dev/null; then
    echo "1..0 # SKIP no ziglang: pip cannot install it"
    exit
fi
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
printf '#define COMBGPU_IMPLEMENTATION\n#include "%s/combgpu.h"\n' "$PWD" >"$tmp/all.c"
table | grep -n . | cut -d : -f 1 | xargs -P "$(nproc)" -I '{}' sh tests/platforms_zig.sh --one "$tmp" '{}'
cat "$tmp"/points.* | awk '
    / - / { sub(/ - /, " " ++points " - ") } { print } /^not ok/ { failed = 1 }
    END { print "1.." points + 0; exit failed }'
