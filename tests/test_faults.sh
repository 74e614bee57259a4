#!/bin/sh
# Tests killed runs, and disks that fail to take a checkpoint: nothing is lost or counted twice.
# usage: test_faults.sh [FOLDER]       FOLDER holds the built examples; TAP
. tests/test.sh
examples "$1"
kills=100 n=12 want="4348 566 daa4d32c60d68066"
[ -z "$COMBGPU_TEST_SMALL" ] || kills=10 n=11 want="1120 158 fca349879912eb88"

no3() {
    "$bin/combgpu" no3 --n $n --backend cpu --threads 2 --json --quiet --slice-ms 5 "$@" >"$tmp/out" 2>"$tmp/err"
}

right() { # the answer in $tmp/out is that of n
    [ "$(value all) $(value up_to_symmetry) $(value checksum)" = "$want" ]
}

alive() { # PID: it has not ended
    kill -0 "$1" 2>/dev/null || return 1
    state=$(sed 's/.*) //' "/proc/$1/stat" 2>/dev/null)
    [ "${state#Z}" = "$state" ]
}

# ---- kill -9, at a random moment each time
killed=0 finished=0 wrong=0 attempt=0
while [ $killed -lt $kills ] && [ $attempt -lt $((20 * kills)) ]; do
    attempt=$((attempt + 1))
    "$bin/combgpu" no3 --n $n --backend cpu --threads 2 --json --quiet --slice-ms 5 --checkpoint "$tmp/ck" --resume \
        --checkpoint-interval 0.01 >"$tmp/out" 2>"$tmp/err" &
    pid=$!
    sleep "$(awk -v seed="$attempt" 'BEGIN { srand(seed * 7919); printf "%.3f", 0.01 + 0.15 * rand() }')"
    if kill -9 $pid 2>/dev/null; then
        wait $pid 2>/dev/null
        [ -s "$tmp/out" ] || { killed=$((killed + 1)) && continue; }
    fi
    wait $pid 2>/dev/null
    finished=$((finished + 1))
    right || wrong=$((wrong + 1))
    rm -f "$tmp/ck" "$tmp"/ck.*
done
echo "# killed $killed times, finished $finished times"
no3 --checkpoint "$tmp/ck" --resume --checkpoint-interval 0.01 && right
point $? "killed $killed times: the last run ends with the right answer"
[ $killed -eq $kills ] && [ $wrong -eq 0 ]
point $? "killed as often as wanted; no other run ended with another answer"

# ---- a disk that is full: writes end with EFBIG, which is an error like ENOSPC
(
    trap '' XFSZ
    ulimit -f 0
    exec "$bin/combgpu" no3 --n $n --backend cpu --threads 2 --slice-ms 5 --checkpoint "$tmp/full" \
        --checkpoint-interval 0.1 2>&1
) | cat >"$tmp/out"
: >"$tmp/err"
[ "$(grep -c 'cannot be written' "$tmp/out")" -ge 1 ]
point $? "a full disk is reported"
[ ! -s "$tmp/full" ]
point $? "and leaves no broken checkpoint"

# ---- the folder goes away in the middle of the run, and comes back
gone() { # 0 if a checkpoint could not be written, and the run still ended well
    rm -rf "$tmp/folder"
    mkdir "$tmp/folder"
    "$bin/combgpu" no3 --n $n --backend cpu --threads 1 --json --slice-ms 5 --checkpoint "$tmp/folder/ck" \
        --checkpoint-interval 0.02 >"$tmp/out" 2>"$tmp/err" &
    pid=$!
    for i in $(seq 100); do
        [ ! -s "$tmp/folder/ck" ] || break
        sleep 0.02
    done
    mv "$tmp/folder" "$tmp/away"
    sleep 0.05
    mv "$tmp/away" "$tmp/folder"
    wait $pid && grep -q 'cannot be written' "$tmp/err"
}
for attempt in $(seq 20); do # the search can end while the folder is away
    ! gone || break
done
[ $attempt -lt 20 ] && right
point $? "a folder missing for a while: the run continues, and is right"
no3 --checkpoint "$tmp/folder/ck" --resume && right
point $? "its last checkpoint holds the whole answer"

# ---- a folder that may not be written
mkdir "$tmp/closed"
chmod 555 "$tmp/closed"
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
    chmod 755 "$tmp"
    setpriv --reuid=65534 --regid=65534 --clear-groups "$bin/combgpu" no3 --n 8 --backend cpu --json \
        --checkpoint "$tmp/closed/ck" >"$tmp/out" 2>"$tmp/err"
else
    "$bin/combgpu" no3 --n 8 --backend cpu --json --checkpoint "$tmp/closed/ck" >"$tmp/out" 2>"$tmp/err"
fi
status=$?
[ $status -eq 2 ] && grep -q "closed/ck" "$tmp/err"
point $? "a folder that may not be written: refused before the search begins"

# ---- a second run on the same checkpoint
for attempt in $(seq 20); do # until the first one is held while it owns the checkpoint
    "$bin/combgpu" no3 --n $n --backend cpu --threads 1 --json --slice-ms 5 --checkpoint "$tmp/shared" \
        >"$tmp/first" 2>"$tmp/first.err" &
    pid=$!
    until [ -s "$tmp/shared.lock" ] || [ -s "$tmp/first" ] || ! alive $pid; do # its owner is written when it is locked
        sleep 0.01
    done
    kill -STOP $pid
    # a signal takes its time
    until ! state=$(sed 's/.*) //' /proc/$pid/stat 2>/dev/null) || [ "$state" != "${state#[TZ]}" ]; do
        sleep 0.01
    done
    [ "${state#T}" != "$state" ] && [ -s "$tmp/shared.lock" ] && break
    kill -CONT $pid
    wait $pid
    rm -f "$tmp/shared"*
done
"$bin/combgpu" no3 --n $n --backend cpu --json --checkpoint "$tmp/shared" --resume >"$tmp/out" 2>"$tmp/err"
status=$?
kill -CONT $pid
[ $status -eq 2 ] && grep -q "in use by another run, process $pid" "$tmp/err"
point $? "a second run on the same checkpoint is refused, and told by whom"
wait $pid
cp "$tmp/first" "$tmp/out"
right
point $? "the first one does not mind"

tap_end
