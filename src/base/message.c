/* Messages: a context's last one, and its logger. */

/* Like vsnprintf, but cuts the middle of a text that is too long: a long path must not hide the
   reason after it. */
COMBGPU__PRIVATE void combgpu__format(combgpu_context *ctx, char *text, size_t size,
                                      const char *format, va_list args)
{
    static const char gap[] = " ... ";
    va_list again;
    int length;
    char *whole = NULL;
    va_copy(again, args);
    length = vsnprintf(text, size, format, args);
    if (length >= 0 && (size_t)length >= size)
        whole = (char *)combgpu__allocate(ctx, (size_t)length + 1);
    if (whole) {
        size_t head = size / 2, tail = size - head - sizeof gap + 1; /* with the terminating 0 */
        vsnprintf(whole, (size_t)length + 1, format, again);
        memcpy(text + head, gap, sizeof gap - 1);
        memcpy(text + size - tail, whole + (size_t)length + 1 - tail, tail);
        combgpu__release(ctx, whole);
    }
    va_end(again);
}

COMBGPU__PRIVATE combgpu_status combgpu__fail(combgpu_context *ctx, combgpu_status status,
                                              const char *format, ...)
{
    va_list args;
    if (!ctx) return status;
    va_start(args, format);
    combgpu__format(ctx, ctx->message, sizeof ctx->message, format, args);
    va_end(args);
    if (ctx->desc.logger.log)
        ctx->desc.logger.log(COMBGPU_LOG_ERROR, ctx->message, ctx->desc.logger.user);
    return status;
}

COMBGPU__PRIVATE void combgpu__log(combgpu_context *ctx, combgpu_log_level level,
                                   const char *format, ...)
{
    char text[sizeof ctx->message];
    va_list args;
    if (!ctx || !ctx->desc.logger.log) return;
    va_start(args, format);
    combgpu__format(ctx, text, sizeof text, format, args);
    va_end(args);
    ctx->desc.logger.log(level, text, ctx->desc.logger.user);
}

COMBGPU__PRIVATE void combgpu__clear_message(combgpu_context *ctx)
{
    if (ctx) ctx->message[0] = 0;
}

COMBGPU__PRIVATE combgpu_logger combgpu__set_logger(combgpu_context *ctx, combgpu_logger logger)
{
    combgpu_logger before = ctx->desc.logger;
    ctx->desc.logger = logger;
    return before;
}

COMBGPU__PRIVATE combgpu_status combgpu__no_memory(combgpu_context *ctx, size_t bytes)
{
    return combgpu__fail(ctx, COMBGPU_OUT_OF_MEMORY, "out of memory: %llu bytes for the host side",
                         (unsigned long long)bytes);
}
