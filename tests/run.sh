#!/bin/sh
# Runs TAP programs one after another and adds up their points.
# usage: run.sh PROGRAM...     environment: TEST_TIMEOUT (seconds each), V=1 (show every line)
# Shows each program's sum, its failures and its skips; the last line is "N passed, N failed, N skipped".
# A program that dies, runs too long, or whose plan is missing or wrong counts as one failure more.
# Exit status: 0 if nothing failed and something ran.
limit=${TEST_TIMEOUT:-300}
# threads that wait for each other while spinning make a busy machine ten times slower
OMP_WAIT_POLICY=${OMP_WAIT_POLICY:-passive}
export OMP_WAIT_POLICY
log=$(mktemp) || exit 2
trap 'rm -f "$log"' EXIT
trap 'exit 130' INT TERM
passed=0 failed=0 skipped=0

# Reads one program's output; prints what is worth showing, then "passed failed skipped".
sum() { # EXIT_STATUS
    awk -v status="$1" -v all="$V" -v limit="$limit" '
        function bad(why) { failed++; print "    not ok: " why }
        /^1\.\.[0-9]+/ {
            plans++; plan = substr($0, 4) + 0
            if (plan == 0) { whole = 1; skipped++; print "    " $0 }
            next
        }
        /^(not )?ok/ {
            points++
            number = $1 == "not" ? $3 : $2
            if (number ~ /^[0-9]+$/ && number + 0 != points) misnumbered = 1
            last_point = $0
            if ($1 == "not") { failed++; point_failed = 1; print "    " $0; next }
            point_failed = 0
            if (toupper($0) ~ /# SKIP/) { skipped++; print "    " $0 } else passed++
            if (all && $0 !~ /# SKIP/) print "    " $0
            next
        }
        /^Bail out!/ { bad($0); next }
        all || point_failed || /Sanitizer|runtime error|Assertion/ { print "    " $0 }
        !all { tail[lines++ % 15] = $0 }
        END {
            if (status == 124 || status == 137) bad("ran longer than " limit " s")
            else if (status > 128) bad("killed by signal " status - 128)
            if (plans == 0) bad("no plan; exit status " status (points ? ", after: " last_point : ""))
            else if (plans > 1) bad("more than one plan")
            else if (!whole && plan != points) bad("planned " plan " points, ran " points)
            else if (misnumbered) bad("points are misnumbered")
            if (status != 0 && !failed) bad("exit status " status ", though every point passed")
            else if (status == 0 && failed) print "    (the exit status was 0 all the same)"
            if ((status > 1 || !plans) && !all) for (i = lines > 15 ? lines - 15 : 0; i < lines; i++) print "    | " tail[i % 15]
            print passed + 0, failed + 0, skipped + 0
        }'
}

for program; do
    name=${program##*/}
    begin=$(date +%s)
    timeout -k 5 "$limit" "$program" >"$log" 2>&1 </dev/null
    shown=$(sum $? <"$log")
    set -- $(printf '%s\n' "$shown" | tail -n 1)
    passed=$((passed + $1)) failed=$((failed + $2)) skipped=$((skipped + $3))
    printf '%-24s %6d passed, %d failed, %d skipped, %d s\n' "${name%.t}" "$1" "$2" "$3" \
        $(($(date +%s) - begin))
    printf '%s\n' "$shown" | sed '$d'
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ] && [ $((passed + skipped)) -gt 0 ]
