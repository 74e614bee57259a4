/* Words of tasks and records; numbers as text; names of statuses and backends. */

/* Two words of a task or record as one 64-bit number, low word first. */
COMBGPU__PRIVATE uint64_t combgpu__get64(const uint32_t *words)
{
    return (uint64_t)words[0] | (uint64_t)words[1] << 32;
}

COMBGPU__PRIVATE void combgpu__put64(uint32_t *words, uint64_t value)
{
    words[0] = (uint32_t)value;
    words[1] = (uint32_t)(value >> 32);
}

/* Writes a number like printf's %g, but with a point even where the locale's decimal point differs
   (and may have several bytes): a job's parameters are the same in every locale. Returns text. */
COMBGPU__PRIVATE const char *combgpu__number_text(char text[40], int digits, double value)
{
    const char *from = text;
    char *to = text;
    int points = 0;
    if (value == 0) return "0"; /* -0, too */
    snprintf(text, 40, "%.*g", digits, value);
    for (; *from; from++)
        if (strchr("+-0123456789einfa", *from))
            *to++ = *from;
        else if (!points++)
            *to++ = '.';
    *to = 0;
    return text;
}

COMBGPU__DEF const char *combgpu_version(void)
{
    return COMBGPU_VERSION_STRING;
}

COMBGPU__DEF const char *combgpu_status_string(combgpu_status status)
{
    switch (status) {
    case COMBGPU_OK:
        return "ok";
    case COMBGPU_FOUND:
        return "found";
    case COMBGPU_STOPPED:
        return "stopped";
    case COMBGPU_RUNNING:
        return "running";
    case COMBGPU_INVALID_ARGUMENT:
        return "invalid argument";
    case COMBGPU_OUT_OF_MEMORY:
        return "out of memory";
    case COMBGPU_DEVICE_OUT_OF_MEMORY:
        return "device out of memory";
    case COMBGPU_NO_DEVICE:
        return "no device";
    case COMBGPU_DEVICE_ERROR:
        return "device error";
    case COMBGPU_FILE_ERROR:
        return "file error";
    case COMBGPU_BAD_FILE:
        return "bad file";
    case COMBGPU_WRONG_JOB:
        return "checkpoint of another job";
    case COMBGPU_UNSUPPORTED:
        return "unsupported";
    case COMBGPU_WRONG_RESULT:
        return "wrong result";
    }
    return "unknown status";
}

COMBGPU__DEF const char *combgpu_backend_string(combgpu_backend backend)
{
    switch (backend) {
    case COMBGPU_BACKEND_AUTO:
        return "auto";
    case COMBGPU_BACKEND_CPU:
        return "cpu";
    case COMBGPU_BACKEND_CUDA:
        return "cuda";
    case COMBGPU_BACKEND_OPENCL:
        return "opencl";
    }
    return "unknown backend";
}
