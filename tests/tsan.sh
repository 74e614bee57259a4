#!/bin/sh
# The thread sanitizer (tests/tsan.c): three contexts in three plain threads, built by gcc; and one
# context of three OpenMP threads, built by clang, whose OpenMP has the tool that tells the sanitizer
# of regions (archer). TAP
cd "$(dirname "$0")/.." || exit 2
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
number=0 failed=0

try() { # NAME COMPILER...
    name=$1
    shift
    printf '#include <pthread.h>\nint main(void) { return 0; }\n' >"$tmp/$name.c"
    "$@" "$tmp/$name.c" -o "$tmp/$name" 2>/dev/null || return 1
    {
        "$@" -std=c99 -O1 -g tests/tsan.c -o "$tmp/$name" -lpthread &&
            COMBGPU_TEST_SMALL=1 TSAN_OPTIONS="exitcode=66 ignore_noninstrumented_modules=1" "$tmp/$name"
    } >"$tmp/$name.log" 2>&1 && : >"$tmp/$name.right"
}

point() { # NAME TEXT
    number=$((number + 1))
    if [ ! -e "$tmp/$1.log" ]; then
        echo "ok $number - $2 # SKIP it cannot be built here"
    elif [ -e "$tmp/$1.right" ]; then
        echo "ok $number - $2"
    else
        failed=1
        echo "not ok $number - $2"
        grep -v '^ok' "$tmp/$1.log" | head -n 60 | sed 's/^/# /'
    fi
}

try threads gcc -fsanitize=thread &
ls /usr/lib/llvm-*/lib/libarcher.so >/dev/null 2>&1 && try openmp clang -fopenmp -fsanitize=thread
wait
point threads "three contexts in three threads: no race, right answers"
point openmp "one context with three OpenMP threads: no race, right answers"
echo "1..$number"
exit $failed
