#!/bin/sh
# Runs TAP programs and adds up their points.
# usage: run.sh PROGRAM...     environment: TEST_TIMEOUT (seconds each), V=1 (show every line),
#                              TEST_JOBS (programs at a time: 1 by default)
# Shows each program's sum, failures and skips; the last line is "N passed, N failed, N skipped". A program
# that dies, runs too long, or lacks a right plan counts as one more failure.
# Exit status: 0 if nothing failed and something ran.
limit=${TEST_TIMEOUT:-1200}

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

# One program: its report is shown as a whole; its sum is left in the folder.
one() { # FOLDER PROGRAM
    name=${2##*/}
    log=$1/$name.log
    begin=$(date +%s)
    timeout -k 5 "$limit" "$2" >"$log" 2>&1 </dev/null
    status=$?
    times >"$log.times"
    sum $status <"$log" >"$log.shown"
    tail -n 1 "$log.shown" >"$log.sum"
    read -r passed failed skipped <"$log.sum"
    {
        printf '%-24s %6d passed, %d failed, %d skipped, %d s, of processors %d s\n' "${name%.t}" "$passed" \
            "$failed" "$skipped" $(($(date +%s) - begin)) \
            "$(awk -F '[m s]+' 'NR == 2 { printf "%d", 60 * ($1 + $3) + $2 + $4 }' "$log.times")"
        sed '$d' "$log.shown"
    } >"$log.report"
    cat "$log.report"
}

if [ "$1" = --one ]; then
    one "$2" "$3"
    exit
fi
folder=$(mktemp -d) || exit 2
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM
[ $# -eq 0 ] || printf '%s\n' "$@" | xargs -P "${TEST_JOBS:-1}" -I '{}' sh "$0" --one "$folder" '{}'
# shellcheck disable=SC2046
set -- $(cat "$folder"/*.sum 2>/dev/null |
    awk '{ p += $1; f += $2; s += $3 } END { print p + 0, f + 0, s + 0 }')
echo "$1 passed, $2 failed, $3 skipped"
[ "$2" -eq 0 ] && [ $(($1 + $3)) -gt 0 ]
