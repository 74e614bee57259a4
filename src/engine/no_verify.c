/* ---- Builds without the self-test (COMBGPU_NO_SELF_TEST): no run is verified, combgpu__check_run
   refuses it. */

COMBGPU__PRIVATE combgpu_status combgpu__verify(combgpu_job *job, combgpu__executor *executor)
{
    (void)job, (void)executor;
    return COMBGPU_UNSUPPORTED;
}

COMBGPU__PRIVATE int combgpu__verify_due(combgpu_job *job)
{
    (void)job;
    return 0;
}
