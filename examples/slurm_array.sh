#!/bin/sh
#SBATCH --job-name=no3
#SBATCH --array=0-7
#SBATCH --cpus-per-task=16
#SBATCH --time=24:00:00
#SBATCH --signal=B:TERM@120
#
# Runs a search on a cluster with Slurm, without MPI: eight tasks share the work units of one folder, which
# all nodes must see. Each claims units that are free; the last adds them up. Tasks that end early leave
# their unit's checkpoint: submit again at any time, with any number of tasks.
#
#     sbatch examples/slurm_array.sh 16 64 "$PWD/run16"
#     sbatch --gres=gpu:1 examples/slurm_array.sh 18 1000 "$PWD/run18"
n=${1:?usage: sbatch slurm_array.sh N PARTS FOLDER [OPTION...]}
parts=${2:?the number of parts}
folder=${3:?the folder}
shift 3
${COMBGPU:-combgpu} no3 --n "$n" --parts "$parts" --folder "$folder" \
    --threads "${SLURM_CPUS_PER_TASK:-1}" --progress log "$@" &
child=$!
# Slurm warns two minutes before the end, so that the search saves its state. Not by INT, which a shell's
# background programs ignore, nor by a second TERM, which would kill the program, where all processes got one.
trap 'trap "" TERM INT; kill -HUP $child' TERM INT
wait $child
wait $child
case $? in
3) echo "task ${SLURM_ARRAY_TASK_ID:-0}: parts are left, at work elsewhere or stopped" ;;
0) echo "all parts are done: $folder/record.json" ;;
*) exit 1 ;;
esac
