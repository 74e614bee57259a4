#!/bin/sh
# What clang-tidy (.clang-tidy), cppcheck, clang-format and the shell say of the sources, and functions that are too long. TAP.
# Needs no build; half a minute of a processor, most of it cppcheck's.
cd "$(dirname "$0")/.." || exit 2
. tests/test.sh

# ---- clang-tidy and cppcheck, of the spine, so that they name the files of src/

src/amalgamate --parts "$tmp"
printf '#define COMBGPU_IMPLEMENTATION\n#define COMBGPU_OPENCL\n#include "combgpu.h"\n' >"$tmp/spine.c"
printf '#define COMBGPU_IMPLEMENTATION\n#define COMBGPU_NO_SIMD\n#include "combgpu.h"\n' >"$tmp/plain.c"
tidy() { # NAME SOURCE FLAGS...
    name=$1 source=$2
    shift 2
    command -v clang-tidy >/dev/null || { skip "no clang-tidy" "$name" && return; }
    clang-tidy --quiet --config-file=.clang-tidy "$source" -- -std=c99 "$@" >"$tmp/log" 2>/dev/null
    point $? "$name"
}
tidy "clang-tidy: the library" "$tmp/spine.c" -Isrc -I"$tmp"
tidy "clang-tidy: the command" examples/combgpu.c -DCOMBGPU__IMPLEMENTED

# It does not know macros like COMBGPU_PERM_SEARCH, whose arguments are code: it sees what the preprocessor makes of
# them. Suppressed: arrays that a loop or a function fills count as uninitialized, and it does not see the bounds of
# indices that other code checks.
if command -v cppcheck >/dev/null; then
    ${CC:-cc} -E -P -std=c99 -Isrc -I"$tmp" "$tmp/plain.c" -o "$tmp/plain.i" 2>"$tmp/log" &&
        cppcheck --enable=warning,performance,portability --language=c --std=c99 --quiet --error-exitcode=1 \
            --suppress=uninitvar --suppress=legacyUninitvar --suppress=uninitStructMember --suppress=ctuuninitvar \
            --suppress=pointerOutOfBoundsCond --suppress=arrayIndexOutOfBoundsCond --suppress=shiftNegativeLHS "$tmp/plain.i" >"$tmp/log" 2>&1
    point $? "cppcheck: the library"
else
    skip "no cppcheck" "cppcheck: the library"
fi

# ---- layout, kernels too

if command -v clang-format >/dev/null; then
    make format-check >"$tmp/log" 2>&1
    point $? "clang-format: nothing to do"
else
    skip "no clang-format" "clang-format: nothing to do"
fi

# ---- scripts that a shell can read to their end

for file in tests/*.sh examples/*.sh examples/*/*.sh .ci/*; do
    if head -n 1 "$file" | grep -q bash; then bash -n "$file"; else sh -n "$file"; fi
done >"$tmp/log" 2>&1
[ ! -s "$tmp/log" ]
point $? "every script's syntax"

# ---- functions of more than 80 lines

awk '/^[A-Za-z].*\(/ { split($0, part, "("); count = split(part[1], word, /[ *]+/); name = word[count]; begin = FNR }
    /^}/ { if (name && FNR - begin >= 80 && inside) print FILENAME ": " name " has " FNR - begin + 1 " lines"; inside = 0 }
    /^{/ { inside = 1 }' $(find src examples -name '*.[ch]' -o -name '*.cl') >"$tmp/log"
[ ! -s "$tmp/log" ]
point $? "no function of the library and the command is longer than 80 lines"
tap_end
