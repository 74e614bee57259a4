/* Tests each kernel of no-three-in-line, with and without weights. */

COMBGPU__PRIVATE combgpu_status combgpu__no3_self_test(combgpu_context *ctx)
{
    static const struct {
        int n;
        combgpu_no3_class symmetry;
        uint64_t all, up_to_symmetry, checksum;
    } known[] = {{8, COMBGPU_NO3_ALL, 380, 57, UINT64_C(0xa2802a9cf6b5fcbb)},
                 {18, COMBGPU_NO3_ROT4, 14, 7, UINT64_C(0x51bd9a1cbdcc0c1f)},
                 {6, COMBGPU_NO3_ALL, 50, 11, UINT64_C(0x199d8d44e3e7e4e3)}};
    static const int sizes[] = {0, 0, 32, 48, 49, 64, 65, 128, 192};
    size_t t;
    for (t = 0; t < sizeof sizes / sizeof sizes[0]; t++) {
        combgpu_no3_desc desc;
        combgpu_no3_result result;
        combgpu_job *job;
        combgpu_status status;
        const char *kernel;
        size_t i = t < 2 ? t : 2;
        memset(&desc, 0, sizeof desc);
        desc.n = known[i].n;
        desc.symmetry = known[i].symmetry;
        status = combgpu__no3_begin(ctx, &desc, sizes[t], &job);
        if (status) return status;
        kernel = combgpu__desc(job)->kernel.name;
        combgpu__run(job);
        status = combgpu_no3_end(job, &result);
        if (status) return status;
        if (result.all != known[i].all || result.up_to_symmetry != known[i].up_to_symmetry ||
            result.run.checksum != known[i].checksum)
            return combgpu__fail(
                ctx, COMBGPU_WRONG_RESULT,
                "kernel %s, n = %d, %s: %llu solutions, %llu up to "
                "symmetry, checksum %llx; expected %llu, %llu, %llx",
                kernel, known[i].n, combgpu_no3_class_string(known[i].symmetry),
                (unsigned long long)result.all, (unsigned long long)result.up_to_symmetry,
                (unsigned long long)result.run.checksum, (unsigned long long)known[i].all,
                (unsigned long long)known[i].up_to_symmetry, (unsigned long long)known[i].checksum);
    }
    return COMBGPU_OK;
}
