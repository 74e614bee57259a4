/* ---- what is told of a job */

COMBGPU__PRIVATE void combgpu__report(const combgpu_job *job, const combgpu__share *share,
                                      combgpu_device_report *report)
{
    memset(report, 0, sizeof *report);
    report->backend = share->backend->id;
    report->index = report->backend == share->ctx->device.backend ? share->ctx->device.index : 0;
    report->lost = share->lost != 0;
    if (report->backend != share->ctx->device.backend) /* a search that runs on the CPU alone */
        snprintf(report->name, sizeof report->name, "CPU, %u thread%s", share->workers,
                 share->workers == 1 ? "" : "s");
    else
        snprintf(report->name, sizeof report->name, "%.63s", share->ctx->device.name);
    report->steps_per_s = share->lost || job->status != COMBGPU_RUNNING ? 0 : share->speed;
    report->seconds = share->seconds;
    report->steps = share->steps;
    report->slices = share->slices;
    report->tasks_left = share->pool_count;
    report->verified = share->verified;
    report->mismatches = share->mismatches;
    report->errors = share->errors;
}

/* Fills the part of a result that is the same for all searches. */
COMBGPU__PRIVATE void combgpu__run_info(const combgpu_job *job, uint64_t checksum,
                                        combgpu_run_info *info)
{
    int i;
    memset(info, 0, sizeof *info);
    info->status = job->status == COMBGPU_RUNNING ? COMBGPU_STOPPED : job->status;
    for (i = 0; i < job->share_count; i++) {
        combgpu_device_report *report = &info->devices[info->device_count++];
        combgpu__report(job, &job->shares[i], report);
        info->verified += report->verified;
        info->mismatches += report->mismatches;
        info->device_errors += report->errors;
    }
    info->backend = info->devices[0].backend;
    if (info->device_count > 1)
        snprintf(info->device, sizeof info->device, "%.63s and %d more", info->devices[0].name,
                 info->device_count - 1);
    else if (info->backend == job->ctx->device.backend)
        snprintf(info->device, sizeof info->device, "%s", job->ctx->device.name);
    else
        snprintf(info->device, sizeof info->device, "%s", info->devices[0].name);
    info->checkpoints = job->checkpoints;
    info->checkpoint_errors = job->checkpoint_errors;
    info->seconds = job->earlier_s + combgpu__now() - job->started;
    info->device_seconds = job->device_s;
    info->steps = job->sums[0];
    info->slices = job->slices;
    info->tasks_left = combgpu__tasks_left(job);
    info->checksum = checksum;
}

/* The end of an _end function: tells how the job went and frees it. */
COMBGPU__PRIVATE combgpu_status combgpu__job_ended(combgpu_job *job, uint64_t checksum,
                                                   combgpu_run_info *info)
{
    combgpu__run_info(job, checksum, info);
    combgpu_job_cancel(job);
    return info->status;
}

