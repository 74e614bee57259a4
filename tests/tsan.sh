#!/bin/sh
# Runs the thread sanitizer on three contexts in three threads, each with two threads of its own (tests/tsan.c), and
# on the threads themselves (tests/test_threads.c). TAP
cd "$(dirname "$0")/.." || exit 2
. tests/test.sh
printf '#include <pthread.h>\nint main(void) { return 0; }\n' >"$tmp/try.c"
clang -fsanitize=thread "$tmp/try.c" -o "$tmp/try" -pthread 2>/dev/null && "$tmp/try" && can=1

try() { # SOURCE TEXT
    [ "$can" ] || { skip "programs with the thread sanitizer cannot be built here" "$2" && return; }
    clang -fsanitize=thread -std=c99 -O1 -g "$1" -o "$tmp/program" -lm -pthread >"$tmp/all" 2>&1 &&
        COMBGPU_TEST_SMALL=1 TSAN_OPTIONS="exitcode=66 die_after_fork=0" "$tmp/program" >"$tmp/all" 2>&1
    status=$?
    grep -v '^ok' "$tmp/all" | head -n 60 >"$tmp/log"
    point $status "$2" "$tmp/log"
}

try tests/tsan.c "three contexts of two threads in three threads: no race, right answers"
try tests/test_threads.c "loops, forks, threads that cannot be made: no race, right answers"
tap_end
