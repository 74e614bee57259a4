/* Runs your own function on every permutation, on any backend. A radio station asked: which two
   three-digit numbers, made of six different digits, add up to 933?

       cc -O3 examples/own_kernel.c -o own_kernel
       nvcc -O3 -x cu -DCOMBGPU_CUDA examples/own_kernel.c -o own_kernel
       cc -O3 -DCOMBGPU_OPENCL examples/own_kernel.c -o own_kernel -lOpenCL

       ./own_kernel --sum 579 --digits 123456     another sum, only these digits */
#define COMBGPU_IMPLEMENTATION
#define COMBGPU_STATIC 1
#define COMBGPU_ONLY_PERM 1
#include "../combgpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct puzzle {
    int32_t sum;
    int32_t digits[10];
} puzzle;

/* Runs on the device for each arrangement of six digits, by their indices. `data` is the puzzle. */
COMBGPU_PERM_VISITOR(radio_prize, {
    int left = 100 * combgpu_data_i32(data, 1 + perm[0]) +
               10 * combgpu_data_i32(data, 1 + perm[1]) + combgpu_data_i32(data, 1 + perm[2]);
    int right = 100 * combgpu_data_i32(data, 1 + perm[3]) +
                10 * combgpu_data_i32(data, 1 + perm[4]) + combgpu_data_i32(data, 1 + perm[5]);
    return left >= 100 && right > left && left + right == combgpu_data_i32(data, 0);
})

/* Runs on the host, for each hit. */
static int print_pair(uint64_t rank, const uint8_t *perms, uint64_t count, int n, void *user)
{
    const puzzle *p = (const puzzle *)user;
    int left = 100 * p->digits[perms[0]] + 10 * p->digits[perms[1]] + p->digits[perms[2]];
    (void)rank, (void)count, (void)n;
    printf("    %d + %d = %d\n", left, (int)p->sum - left, (int)p->sum);
    return 0;
}

/* "--sum S" and "--digits D": at least six digits, all different. */
static int read_arguments(int argc, char **argv, puzzle *p, int *count)
{
    const char *digits = "0123456789";
    char *end = NULL;
    long sum = 933;
    int i;
    for (i = 1; i + 1 < argc; i += 2)
        if (!strcmp(argv[i], "--sum"))
            sum = strtol(argv[i + 1], &end, 10);
        else if (!strcmp(argv[i], "--digits"))
            digits = argv[i + 1];
        else
            return 0;
    if ((end && *end) || sum < 1 || sum > 1998) return 0;
    p->sum = (int32_t)sum;
    *count = (int)strlen(digits);
    if (i < argc || *count < 6 || *count > 10 || strspn(digits, "0123456789") < strlen(digits))
        return 0;
    for (i = 0; i < *count; i++) {
        p->digits[i] = digits[i] - '0';
        if (strchr(digits + i + 1, digits[i])) return 0;
    }
    return 1;
}

int main(int argc, char **argv)
{
    combgpu_context *ctx;
    combgpu_perm_set six; /* six of the digits, in any order */
    combgpu_perm_desc desc;
    combgpu_perm_result result;
    combgpu_status status;
    puzzle p;

    memset(&p, 0, sizeof p);
    memset(&six, 0, sizeof six);
    memset(&desc, 0, sizeof desc);
    if (!read_arguments(argc, argv, &p, &six.n)) {
        fprintf(stderr, "own_kernel [--sum S] [--digits D]: S from 1 to 1998, D 6 to 10 digits\n");
        return 2;
    }
    six.family = COMBGPU_PERM_PARTIAL;
    six.k = 6;
    desc.set = &six;
    desc.goal = COMBGPU_PERM_COUNT;
    desc.ordered = 1; /* hits come in lexicographic order */
    desc.visitor = &radio_prize;
    desc.data = &p;
    desc.data_bytes = sizeof p;
    desc.solution = print_pair;
    desc.solution_user = &p;

    status = combgpu_open(&ctx, NULL);
    if (status == COMBGPU_OK) status = combgpu_perm(ctx, &desc, &result);
    if (status < 0)
        fprintf(stderr, "%s\n", combgpu_message(ctx));
    else
        printf("%llu pairs add up to %d; %llu arrangements tried\n",
               (unsigned long long)result.hits, (int)p.sum, (unsigned long long)result.visited);
    combgpu_close(ctx);
    return status < 0;
}
