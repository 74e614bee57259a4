/* ==================================================================== SECTION 60: self-test == */

#ifdef COMBGPU_NO_SELF_TEST
COMBGPU__DEF combgpu_status combgpu_self_test(combgpu_context *ctx)
{
    if (!ctx) return COMBGPU_INVALID_ARGUMENT;
    return combgpu__fail(ctx, COMBGPU_UNSUPPORTED,
                         "this build has no self-test: it was made with COMBGPU_NO_SELF_TEST");
}
#else
#define COMBGPU__SELF_TEST(room, NAME)                                                             \
    if (!status) status = combgpu__##room##_self_test(ctx);

COMBGPU__DEF combgpu_status combgpu_self_test(combgpu_context *ctx)
{
    combgpu_status status;
    int others, i;
    if (!ctx) return COMBGPU_INVALID_ARGUMENT;
    status = combgpu__check_open(ctx);
    if (status) return status;
    others = ctx->other_count;
    ctx->other_count = 0; /* one device after the other */
    status = combgpu__backend_self_test(ctx);
    COMBGPU__SEARCHES(COMBGPU__SELF_TEST)
    ctx->other_count = others;
    for (i = 0; i < others && !status; i++) {
        combgpu_context *other = ctx->others[i];
        status = combgpu_self_test(other);
        if (status)
            snprintf(ctx->message, sizeof ctx->message, "%s device %d (%.127s): %.300s",
                     other->backend->name, other->device.index, other->device.name, other->message);
    }
    return status;
}
#endif /* COMBGPU_NO_SELF_TEST */
