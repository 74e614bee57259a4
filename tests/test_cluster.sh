#!/bin/sh
# Tests combgpu cluster and the MPI example with four ranks on this machine, one of them killed.
# usage: test_cluster.sh [FOLDER]      FOLDER holds the built examples; TAP
. tests/test.sh
examples "$1"
command -v mpirun >/dev/null && [ -x "$bin/combgpu_mpi" ] || skip_all "no MPI here"
root=
[ "$(id -u)" -ne 0 ] || root=--allow-run-as-root
ranks() { # COUNT ARGUMENT...
    count=$1
    shift
    OMP_NUM_THREADS=1 mpirun $root --oversubscribe --enable-recovery -n "$count" "$bin/combgpu_mpi" cluster "$@" \
        --backend cpu --threads 1 >"$tmp/out" 2>"$tmp/err"
}

want="1120 158 fca349879912eb88"
ranks 4 no3 --n 11 --folder "$tmp/a" --shards 13 --json --quiet
[ "$(value all) $(value up_to_symmetry) $(value checksum)" = "$want" ]
point $? "four ranks, 13 shards: the answer of one"
[ "$(ls "$tmp/a" | grep -c 'ck$')" -eq 13 ]
point $? "every shard left its result"
OMP_NUM_THREADS=1 mpirun $root --oversubscribe -n 2 "$bin/combgpu_mpi" cluster no3 --n 11 --folder "$tmp/a" --shards 13 \
    --json --quiet --backend cpu --threads 1 >"$tmp/out" 2>"$tmp/err"
[ "$? $(value status)" = "0 ok" ]
point $? "without --enable-recovery, too, mpirun ends with exit status 0"
rm "$tmp/a/shard-000005.ck"*
ranks 2 no3 --n 11 --folder "$tmp/a" --shards 13 --json --quiet
[ "$(value all) $(value up_to_symmetry) $(value checksum)" = "$want" ]
point $? "another number of ranks continues: a lost file is redone"
ranks 1 no3 --n 11 --folder "$tmp/a" --shards 12 --json --quiet # mpirun hides its exit status
[ -z "$(value all)" ] && grep -q "belongs to another job" "$tmp/err"
point $? "the folder of another job is refused"
[ "$(value status) $(value shards) $(value shards_done)" = "failed 12 0" ]
point $? "... and --json says so"
ranks 2 no3 --n 15 --folder "$tmp/g" --shards 4 --json --quiet --time-limit 0.2 --slice-ms 1
[ "$(value status) $(value shards) $(value shards_done)" = "stopped 4 0" ]
point $? "a run that is stopped: --json says so, too"
ranks 2 no3 --n 9 --folder "$tmp/h" --shards 3000 --json --quiet --time-limit 0.3
[ "$(value status) $(value shards)" = "stopped 3000" ]
point $? "--time-limit is for the run, not for each shard"

# one of the ranks is killed in the middle of a shard; stopped at once, it cannot end before that
ranks 4 no3 --n 13 --folder "$tmp/b" --shards 12 --json --silence 2 --checkpoint-interval 0.05 &
for i in $(seq 1500); do
    pid=$(sed -n 's/.*rank 2 is process \([0-9]*\) .*/\1/p' "$tmp/err" 2>/dev/null)
    [ -z "$pid" ] || ! ls "$tmp/b" 2>/dev/null | grep -q . || break
    sleep 0.02
done
kill -STOP "$pid"
sleep 0.5
kill -9 "$pid"
point $? "a rank is killed"
wait
[ "$(value all) $(value up_to_symmetry) $(value checksum)" = "3622 499 ff6640d8f507b66e" ]
point $? "the others take its shard, and the answer is right"

# another is silent in the middle of a shard, which its lock keeps from the others, and goes on later
ranks 3 no3 --n 13 --folder "$tmp/j" --shards 2 --json --silence 1 --checkpoint-interval 0.05 &
for i in $(seq 1500); do
    [ ! -f "$tmp/j/shard-000001.ck" ] || break
    sleep 0.02
done
pid=$(cat "$tmp/j/shard-000001.ck.lock")
kill -STOP "$pid"
for i in $(seq 1500); do
    ! grep -q "in use by another run" "$tmp/err" || break
    sleep 0.02
done
sleep 1
kill -CONT "$pid"
wait
[ "$(value all) $(value up_to_symmetry) $(value checksum)" = "3622 499 ff6640d8f507b66e" ]
point $? "a rank that was silent for a while: its shard waits for it, and the answer is right"

ranks 3 tsp --random 10 --folder "$tmp/c" --shards 5 --json --quiet
[ "$(value tours)" = 181440 ]
point $? "travelling salesman: every tour is looked at once"
printf '%s\n' 'TYPE : TSPTW' 'DIMENSION : 4' 'EDGE_WEIGHT_TYPE : EUC_2D' NODE_COORD_SECTION \
    '1 0 0' '2 3 0' '3 3 4' '4 0 4' TIME_WINDOW_SECTION '1 0 99' '2 0 99' '3 0 5' '4 0 99' EOF >"$tmp/w.tsp"
ranks 2 tsp "$tmp/w.tsp" --folder "$tmp/i" --shards 2 --json --quiet
[ -z "$(value length)" ] && grep -q "has time windows" "$tmp/err"
point $? "... and a file with time windows is refused, not solved without them"
ranks 3 perm --n 9 --folder "$tmp/d" --shards 7 --json --quiet
[ "$(value derangements)" = 133496 ]
point $? "perm: the derangements of 9"
ranks 3 magic --order 4 --folder "$tmp/e" --shards 7 --json --quiet
[ "$(value count)" = 7040 ]
point $? "magic squares of order 4"
ranks 2 no3 --folder "$tmp/f"
[ "$(grep -c -- '--n N is needed' "$tmp/err")" -eq 1 ]
point $? "no --n: refused"

OMP_NUM_THREADS=1 mpirun $root --oversubscribe -n 3 "$bin/shards_mpi" 10 >"$tmp/out" 2>"$tmp/err"
grep -q '^n = 10: 1135 solutions, 156 up to symmetry' "$tmp/out"
point $? "the example shards_mpi: three ranks' counts add up"
OMP_NUM_THREADS=1 mpirun $root --oversubscribe -n 2 "$bin/shards_mpi" 5x >"$tmp/out" 2>"$tmp/err"
[ $? -eq 2 ] && [ "$(grep -c '^shards_mpi \[N\]' "$tmp/err")" -eq 1 ]
point $? "... and 5x is not a number"

tap_end
