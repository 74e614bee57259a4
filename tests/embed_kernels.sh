#!/bin/sh
# Copies combgpu_kernels.cl into the generated block at the end of combgpu_cl.c.
# usage: tests/embed_kernels.sh            writes the block anew
#        tests/embed_kernels.sh --check    exit status 1 if the block is not current
# A merge conflict inside the block is solved by running it.
set -eu
cd "$(dirname "$0")/.."
made=$(mktemp)
trap 'rm -f "$made"' EXIT

# One C string per line: portable compilers need not take long ones. The kernels of a search that is
# left out (COMBGPU_ONLY_...) are left out of the text, too.
awk '
    FNR == NR {
        if (match($0, /COMBGPU__HAS_[A-Z0-9]+/)) text = text "#ifdef " substr($0, RSTART, RLENGTH) "\n"
        gsub(/\\/, "&&"); gsub(/["?]/, "\\\\&"); gsub(/\t/, "\\\\t")
        text = text "    \"" $0 "\\n\",\n"
        if ($0 ~ /^#endif \/\* (MAGIC6?|NO3|PERM|TSP|BRANCH) \*\/$/) text = text "#endif\n"
        next
    }
    /END OF THE GENERATED BLOCK/ { inside = 0 }
    !inside { print }
    /BEGIN OF THE GENERATED BLOCK/ {
        inside = 1
        printf "/* clang-format off */\nstatic const char *const combgpu__kernel_text[] = {\n%s};\n", text
        print "/* clang-format on */"
    }
' combgpu_kernels.cl combgpu_cl.c >"$made"

if [ "${1-}" = --check ]; then
    cmp -s "$made" combgpu_cl.c || {
        echo "combgpu_cl.c: the embedded kernels are not current: run tests/embed_kernels.sh" >&2
        exit 1
    }
else
    cmp -s "$made" combgpu_cl.c || cat "$made" >combgpu_cl.c
fi
