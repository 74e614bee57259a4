/* Runs one search on many machines: each MPI rank does its share, and the counts add up.

       mpicc -O3 examples/shards_mpi.c -o shards_mpi
       mpirun -n 4 ./shards_mpi 13

   Every rank gets the same number of shards, like dealt cards. A rank's death ends the job; `combgpu
   cluster` survives it: it hands out shards one by one and keeps them in files. */
#define COMBGPU_IMPLEMENTATION
#define COMBGPU_STATIC 1
#define COMBGPU_ONLY_NO3 1
#include "../combgpu.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHARDS_PER_RANK = 8 }; /* shards differ in size: several of them even that out */

int main(int argc, char **argv)
{
    combgpu_context *ctx;
    combgpu_no3_desc desc;
    combgpu_no3_result result;
    combgpu_status status;
    unsigned long long mine[3] = {0, 0, 0}, all[3]; /* solutions, up to symmetry, checksum */
    int rank, ranks, shard;
    char *end = NULL;
    long n = argc > 1 ? strtol(argv[1], &end, 10) : 12;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);

    if (argc > 2 || (end && *end) || n < 2 || n > 32) {
        if (rank == 0) fprintf(stderr, "shards_mpi [N], N from 2 to 32\n");
        MPI_Finalize();
        return 2;
    }
    memset(&desc, 0, sizeof desc);
    desc.n = (int)n;
    desc.run.shard_count = ranks * SHARDS_PER_RANK;
    status = combgpu_open(&ctx, NULL);
    for (shard = rank; shard < desc.run.shard_count && status == COMBGPU_OK; shard += ranks) {
        desc.run.shard_index = shard;
        status = combgpu_no3(ctx, &desc, &result);
        if (status < 0) break;
        mine[0] += result.all;
        mine[1] += result.up_to_symmetry;
        mine[2] += result.run.checksum;
    }
    if (status < 0) {
        fprintf(stderr, "rank %d: %s\n", rank, combgpu_message(ctx));
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    combgpu_close(ctx);
    MPI_Reduce(mine, all, 3, MPI_UNSIGNED_LONG_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("n = %d: %llu solutions, %llu up to symmetry, checksum %016llx\n", desc.n, all[0],
               all[1], all[2]);
    MPI_Finalize();
    return 0;
}
