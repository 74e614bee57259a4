#!/bin/sh
# The thread sanitizer: three contexts in three threads, each with two threads of its own (tests/tsan.c), and the
# threads themselves (tests/test_threads.c). TAP
cd "$(dirname "$0")/.." || exit 2
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
number=0 failed=0
printf '#include <pthread.h>\nint main(void) { return 0; }\n' >"$tmp/try.c"
gcc -fsanitize=thread "$tmp/try.c" -o "$tmp/try" -pthread 2>/dev/null && "$tmp/try" && can=1

try() { # SOURCE TEXT
    number=$((number + 1))
    if [ -z "$can" ]; then
        echo "ok $number - $2 # SKIP programs with the thread sanitizer cannot be built here"
    elif gcc -fsanitize=thread -std=c99 -O1 -g "$1" -o "$tmp/$number" -lm -pthread >"$tmp/log" 2>&1 &&
        COMBGPU_TEST_SMALL=1 TSAN_OPTIONS="exitcode=66 die_after_fork=0" "$tmp/$number" >"$tmp/log" 2>&1; then
        echo "ok $number - $2"
    else
        failed=1
        echo "not ok $number - $2"
        grep -v '^ok' "$tmp/log" | head -n 60 | sed 's/^/# /'
    fi
}

try tests/tsan.c "three contexts of two threads in three threads: no race, right answers"
try tests/test_threads.c "loops, forks, threads that cannot be made: no race, right answers"
echo "1..$number"
exit $failed
