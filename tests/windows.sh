#!/bin/sh
# Tests the library and the command on Windows: compiles all tests with mingw-w64 without warnings and runs them
# under Wine. TAP; skips without mingw-w64 or Wine. Takes minutes.
# usage: tests/windows.sh [TEST...]     tests/test_TEST.c alone; by default those that meet the system, and with
#                                       PLATFORMS=all every test
tmp=$(mktemp -d) || exit 2
export WINEPREFIX="$tmp/wine" WINEDEBUG=-all
PATH=$PATH:/usr/lib/wine # where Debian has it without the package that starts it
wine=$(command -v wine64 || command -v wine || :)
cc=$(command -v x86_64-w64-mingw32-gcc || :)
server=
finish() {
    [ -z "$server" ] || "$server" -k 2>/dev/null || : # the server of this test's own prefix
    rm -rf "$tmp"
}
trap finish EXIT
number=0 failed=0

point() { # RESULT NAME
    number=$((number + 1))
    [ "$1" -eq 0 ] || { failed=1 && printf 'not '; }
    echo "ok $number - $2"
    [ "$1" -eq 0 ] || sed 's/^/# /' "$tmp/out" "$tmp/err"
}

skip() { # REASON
    echo "ok $((number + 1)) - Windows # SKIP $1"
    echo "1..$((number + 1))"
    exit $failed
}

compile() { # NAME SOURCE OPTION...
    name=$1 source=$2
    shift 2
    "$cc" -std=c99 $level -Wall -Wextra -Werror -static -pthread "$@" "$source" -o "$tmp/$name" \
        >"$tmp/out" 2>"$tmp/err"
    point $? "$source compiles with mingw-w64 $*"
}

# Windows programs end lines with CR LF where they write text.
run() { # PROGRAM ARGUMENT...
    program=$1
    shift
    timeout 300 "$wine" "$tmp/$program.exe" "$@" >"$tmp/raw" 2>"$tmp/err"
    status=$?
    tr -d '\r' <"$tmp/raw" >"$tmp/out"
    return $status
}

# A program that ends before its plan, with no point failed, is started again: Wine may lose its server
# ("wine client error"). One that crashes by itself crashes again.
run_test() { # NAME
    for attempt in 1 2 3; do
        run "$1"
        status=$?
        grep -q -e "^1\.\." -e "^not ok" "$tmp/out" && break
    done
    return $status
}

has() { # TEXT: does the output have it?
    grep -qF -e "$1" "$tmp/out"
}

[ -n "$cc" ] || skip "no x86_64-w64-mingw32-gcc"
level=-O1 # of the one implementation; a program of its own takes longer to optimise than to run
compile inside.o tests/inside.c -c
mv "$tmp/inside.o" "$tmp/inside.obj"
level=-O0
compile command.exe examples/combgpu.c -DCOMBGPU__IMPLEMENTED "$tmp/inside.obj"
posix="io_faults paths" # these are about links, pipes and processes of POSIX
[ $# -gt 0 ] || [ "$PLATFORMS" = all ] || set -- api base checkpoint clock engine threads tsplib
[ $# -gt 0 ] || for source in tests/test_*.c; do
    name=${source#tests/test_} name=${name%.c}
    case " $posix " in *" $name "*) ;; *) set -- "$@" "$name" ;; esac
done
for name; do
    if grep -q '^#define TEST_OWN_IMPLEMENTATION' "tests/test_$name.c"; then
        compile "$name.exe" "tests/test_$name.c"
    else
        compile "$name.exe" "tests/test_$name.c" -DCOMBGPU__IMPLEMENTED "$tmp/inside.obj"
    fi
done
[ -n "$wine" ] || skip "no wine"
# One server for all programs: left to itself it ends with each program, and one that starts in that
# moment is refused ("Connection reset by peer").
server=$(command -v wineserver || command -v wineserver64 || :)
mkdir -p "$WINEPREFIX"
[ -z "$server" ] || "$server" -p >/dev/null 2>&1
timeout 120 "$wine" wineboot >/dev/null 2>&1

run command self-test --backend cpu && has "self-test: ok"
point $? "self-test"
run command magic --order 4 --json && has '"count": 7040'
point $? "magic squares of order 4"
run command no3 --n 10 --threads 2 --json && has '"all": 1135, "up_to_symmetry": 156,'
point $? "no-three-in-line, n = 10, two threads"
run command tsp tests/data/tsplib/gr17.tsp --json && has '"length": 2085'
point $? "a TSPLIB file"

# The test programs, all their points in small form.
for name; do
    COMBGPU_TEST_SMALL=1 run_test "$name"
    status=$?
    points=$(grep -c "^ok" "$tmp/out")
    skipped=$(grep -c "^ok.* # SKIP" "$tmp/out")
    [ $status = 0 ] && ! grep -q "^not ok" "$tmp/out" &&
        { [ "$points" -gt 0 ] || grep -q "^1\.\.0 # SKIP" "$tmp/out"; }
    point $? "tests/test_$name.c: $points points, $skipped of them skipped"
done

# Killed again and again, resumed each time; the answer is that of one run.
searched() {
    run command no3 --n 11 --json --quiet --slice-ms 5 "$@"
}
answer() {
    sed -n 's/.*"all": \([0-9]*\).*"checksum": "\([0-9a-f]*\)".*/\1 \2/p' "$tmp/out"
}
searched
want=$(answer)
kills=0 round=0
while [ $kills -lt 5 ] && [ $round -lt 30 ]; do
    round=$((round + 1))
    "$wine" "$tmp/command.exe" no3 --n 11 --json --quiet --slice-ms 5 --checkpoint "$tmp/ck" \
        --resume --checkpoint-interval 0.01 >"$tmp/raw" 2>"$tmp/err" &
    pid=$!
    i=0 # killed once this run has written a checkpoint, not before
    rm -f "$tmp/before"
    [ ! -f "$tmp/ck" ] || cp "$tmp/ck" "$tmp/before"
    while kill -0 $pid 2>/dev/null && [ $i -lt 400 ] &&
        { [ ! -f "$tmp/ck" ] || cmp -s "$tmp/ck" "$tmp/before"; }; do
        i=$((i + 1))
        sleep 0.01
    done
    kill -9 $pid 2>/dev/null && kills=$((kills + 1))
    wait $pid 2>/dev/null
done
searched --checkpoint "$tmp/ck" --resume --checkpoint-interval 0.01
[ -n "$want" ] && [ $kills -gt 0 ] && [ "$(answer)" = "$want" ]
point $? "killed $kills times and resumed: $want"

# Two runs of one checkpoint.
"$wine" "$tmp/command.exe" no3 --n 13 --json --quiet --slice-ms 5 --checkpoint "$tmp/two" \
    >/dev/null 2>&1 &
pid=$!
i=0
while [ ! -s "$tmp/two.lock" ] && [ $i -lt 500 ]; do
    i=$((i + 1))
    sleep 0.02
done
run command no3 --n 13 --json --quiet --checkpoint "$tmp/two" --resume
grep -q "in use by another run" "$tmp/err" "$tmp/out"
point $? "a second run of the same checkpoint is refused"
kill -9 $pid 2>/dev/null
wait $pid 2>/dev/null

echo "1..$number"
exit $failed
