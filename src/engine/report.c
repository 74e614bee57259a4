/* ---- Reports on a job and its devices, for results and progress. */

COMBGPU__PRIVATE void combgpu__report(const combgpu_job *job, const combgpu__executor *executor,
                                      combgpu_device_report *report)
{
    memset(report, 0, sizeof *report);
    report->backend = executor->backend->id;
    report->index =
        report->backend == executor->ctx->device.backend ? executor->ctx->device.index : 0;
    report->lost = executor->lost != 0;
    if (report->backend != executor->ctx->device.backend) /* CPU-only search */
        snprintf(report->name, sizeof report->name, "CPU, %u thread%s", executor->workers,
                 executor->workers == 1 ? "" : "s");
    else
        snprintf(report->name, sizeof report->name, "%.63s", executor->ctx->device.name);
    report->steps_per_s = executor->lost || job->status != COMBGPU_RUNNING ? 0 : executor->speed;
    report->seconds = executor->seconds;
    report->steps = executor->steps;
    report->slices = executor->slices;
    report->tasks_left = executor->pool_count;
    report->verified = executor->verified;
    report->mismatches = executor->mismatches;
    report->errors = executor->errors;
}

COMBGPU__PRIVATE void combgpu__run_info(const combgpu_job *job, uint64_t checksum,
                                        combgpu_run_info *info)
{
    int i;
    memset(info, 0, sizeof *info);
    info->status = combgpu__outcome(job);
    for (i = 0; i < job->executor_count; i++) {
        combgpu_device_report *report = &info->devices[info->device_count++];
        combgpu__report(job, &job->executors[i], report);
        info->verified += report->verified;
        info->mismatches += report->mismatches;
        info->device_errors += report->errors;
    }
    info->backend = i ? info->devices[0].backend : COMBGPU_BACKEND_CPU; /* the host prepares */
    if (info->device_count > 1)
        snprintf(info->device, sizeof info->device, "%.63s and %d more", info->devices[0].name,
                 info->device_count - 1);
    else if (info->backend == job->ctx->device.backend)
        snprintf(info->device, sizeof info->device, "%s", job->ctx->device.name);
    else
        snprintf(info->device, sizeof info->device, "%s", info->devices[0].name);
    info->checkpoints = job->file.written;
    info->checkpoint_errors = job->file.failed;
    info->seconds = job->clock.earlier_s + combgpu__since(job->clock.started);
    info->device_seconds = job->clock.device_s;
    info->steps = job->accumulators[0];
    info->slices = job->slices;
    info->tasks_left = combgpu__tasks_left(job);
    info->checksum = checksum;
}
