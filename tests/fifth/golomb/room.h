/* ================================================================= SECTION 6: Golomb rulers == */
/* The problem: marks on a ruler of a given length, at 0, at its end and between, so that all
   distances between two of them differ. */
typedef struct combgpu_golomb_desc {
    int marks;  /* 4 to 16 */
    int length; /* 1 to 63 */
    combgpu_run_desc run;
} combgpu_golomb_desc;

typedef struct combgpu_golomb_result {
    uint64_t count; /* rulers, a ruler and its mirror image being one */
    combgpu_run_info run;
} combgpu_golomb_result;

COMBGPU_API combgpu_status combgpu_golomb(combgpu_context *ctx, const combgpu_golomb_desc *desc,
                                          combgpu_golomb_result *result);
COMBGPU_API combgpu_status combgpu_golomb_begin(combgpu_context *ctx,
                                                const combgpu_golomb_desc *desc, combgpu_job **job);
COMBGPU_API combgpu_status combgpu_golomb_end(combgpu_job *job, combgpu_golomb_result *result);
