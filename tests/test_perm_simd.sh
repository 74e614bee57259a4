#!/bin/sh
# tests/test_perm_write.c again, with the vectors that the compiler's options bring in:
# 16, 32 and (where the processor has it) 64 bytes. Equal results are what they test for.
# Runs in the repository's root, as all tests.
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
number=0
failed=0
point() { # point STATUS NAME
    number=$((number + 1))
    [ "$1" = 0 ] && echo "ok $number - $2" || { echo "not ok $number - $2"; failed=1; }
}
has() { grep -qw "$1" /proc/cpuinfo 2>/dev/null; }

set --
has ssse3 && set -- "$@" "-mssse3"
has avx2 && has bmi2 && set -- "$@" "-mavx2 -mbmi -mbmi2"
has avx512bw && set -- "$@" "-mavx512bw -mbmi -mbmi2"
[ $# = 0 ] && set -- "-O1" # NEON needs no option
for flags in "$@"; do
    # shellcheck disable=SC2086
    ${CC:-cc} -std=c99 -O1 $flags tests/test_perm_write.c -o "$tmp/test" >"$tmp/out" 2>&1 &&
        COMBGPU_REQUIRE= COMBGPU_TEST_SMALL=1 "$tmp/test" >"$tmp/out" 2>&1
    point $? "$flags: ranges as without vectors"
    grep -e "^not ok" -e "error" "$tmp/out" | sed 's/^/# /'
done
echo "1..$number"
exit $failed
