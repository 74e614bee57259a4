#!/bin/sh
# Tests the test programs: tests/run.sh must not lose a failure of made-up programs that fail in every way, nor
# may mutants.py and soak.py, or praise what they have not tried.
. tests/test.sh
jobs=1

ok() { # NAME: by the status of the command before
    point $? "$1"
}

# program NAME BODY: a made-up test program
program() {
    printf '#!/bin/sh\n%s\n' "$2" >"$tmp/$1"
    chmod +x "$tmp/$1"
}

# expect SUM STATUS NAME...: run.sh over these programs closes with SUM and exits 0 or 1
expect() {
    sum=$1 status=$2
    shift 2
    list=
    for p; do list="$list $tmp/$p"; done
    TEST_TIMEOUT=1 TEST_JOBS=$jobs V='' sh tests/run.sh $list >"$tmp/out" 2>&1
    got=$?
    [ "$got" -eq "$status" ] && [ "$(tail -n 1 "$tmp/out")" = "$sum" ]
    ok "$*: \"$sum\", exit status $status"
}

program good 'echo ok 1 - a; echo ok 2 - b; echo 1..2'
program good2 'echo ok 1 - a; echo ok 2 - b; echo 1..2'
program plan_first 'echo 1..1; echo ok 1'
program skips 'echo "ok 1 - gpu # SKIP no device"; echo ok 2; echo 1..2'
program all_skipped 'echo "1..0 # SKIP no examples"'
program fails 'echo ok 1; echo not ok 2 - wrong; echo 1..2; exit 1'
program fails_quietly 'echo not ok 1 - wrong; echo 1..1'
program no_plan 'echo ok 1'
program silent ':'
program too_few 'echo ok 1; echo 1..2'
program too_many 'echo ok 1; echo ok 2; echo 1..1'
program misnumbered 'echo ok 1; echo ok 1; echo 1..2'
program exits_1 'echo ok 1; echo 1..1; exit 1'
program dies 'echo ok 1; echo 1..1; kill -SEGV $$'
program hangs 'echo ok 1; echo 1..1; sleep 60'
program bails 'echo ok 1; echo 1..1; echo "Bail out! no memory"'

expect '2 passed, 0 failed, 0 skipped' 0 good
expect '3 passed, 0 failed, 0 skipped' 0 good plan_first
jobs=3
expect '7 passed, 1 failed, 1 skipped' 1 good hangs plan_first good2 skips
jobs=1
expect '1 passed, 0 failed, 1 skipped' 0 skips
grep -q 'no device' "$tmp/out"
ok 'a skip is shown with its reason'
expect '2 passed, 0 failed, 1 skipped' 0 good all_skipped
expect '0 passed, 0 failed, 1 skipped' 0 all_skipped
expect '0 passed, 0 failed, 0 skipped' 1
expect '3 passed, 1 failed, 0 skipped' 1 fails good
grep -q 'not ok 2 - wrong' "$tmp/out"
ok 'a failed point is shown'
expect '0 passed, 1 failed, 0 skipped' 1 fails_quietly
expect '1 passed, 1 failed, 0 skipped' 1 no_plan
expect '0 passed, 1 failed, 0 skipped' 1 silent
expect '1 passed, 1 failed, 0 skipped' 1 too_few
expect '2 passed, 1 failed, 0 skipped' 1 too_many
expect '2 passed, 1 failed, 0 skipped' 1 misnumbered
expect '1 passed, 1 failed, 0 skipped' 1 exits_1
expect '1 passed, 1 failed, 0 skipped' 1 dies
expect '1 passed, 1 failed, 0 skipped' 1 hangs
expect '1 passed, 1 failed, 0 skipped' 1 bails
expect '0 passed, 1 failed, 0 skipped' 1 no_such_program

# mutants: what it does to its faults, with made-up tests and nothing compiled
mutants() { # PYTHON
    (cd tests && python3 -B -c "import os, sys, mutants
$1" "$tmp") >"$tmp/out" 2>&1
}
if command -v python3 >/dev/null; then
    python3 -B tests/mutants.py no_such_room >"$tmp/out" 2>&1
    [ $? -eq 2 ] && grep -q 'no_such_room is no room' "$tmp/out"
    ok 'mutants.py: an unknown room is refused'
    ! python3 -B tests/mutants.py no3 100000 >"$tmp/out" 2>&1
    ok 'mutants.py: planting no fault is a failure'
    program waits "echo \$\$ >$tmp/pid; echo not ok 1; exec sleep 60"
    mutants 'sys.exit(not mutants.fails(sys.argv[1], "waits", os.environ))'
    status=$? wait=0
    while kill -0 "$(cat "$tmp/pid")" 2>/dev/null && [ $wait -lt 20 ]; do # until init has taken notice
        wait=$((wait + 1))
        sleep 1
    done
    [ $status -eq 0 ] && ! kill "$(cat "$tmp/pid")" 2>/dev/null
    ok 'mutants.py: a test that has failed does not run on'
    for test in no3_counts no3 no3_given; do program test_$test 'echo not ok 1'; done
    mutants 'mutants.sources(sys.argv[1])
mutants.COMPILE = ["true"]
fault = next(fault for fault in mutants.table() if fault[0] == "no3")
print(mutants.attempt(sys.argv[1], fault, {}, os.environ, set()))'
    grep -q 'test_no3_counts fails without the fault, too' "$tmp/out"
    ok 'mutants.py: a test that always fails has caught nothing'
    ! python3 -B tests/soak.py "$tmp/silent" 0 >"$tmp/out" 2>&1
    ok 'soak.py: running no job is a failure'
fi
tap_end
