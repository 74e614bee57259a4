/* Reads whole files into memory. */

#ifdef COMBGPU__FILES

/* Reads the rest of an open file into allocated memory. */
COMBGPU__PRIVATE combgpu_status combgpu__read_rest(combgpu_context *ctx, const char *path, int file,
                                                   size_t room, unsigned char **bytes, size_t *size)
{
    unsigned char *made = (unsigned char *)combgpu__allocate(ctx, room), *grown;
    size_t got = 0, n = 1;
    int error = 0;
    while (made && n && !error) {
        if (got == room) { /* the file grew, or its size is unknown */
            grown = room < SIZE_MAX / 2 ? (unsigned char *)combgpu__allocate(ctx, 2 * room) : NULL;
            if (grown) memcpy(grown, made, got);
            combgpu__release(ctx, made);
            made = grown;
            room *= 2;
        } else {
            error = combgpu__file_read(file, made + got, room - got, &n);
            got += n;
        }
    }
    if (!made) return combgpu__no_memory(ctx, room);
    if (error) {
        combgpu__release(ctx, made);
        return combgpu__fail(ctx, COMBGPU_FILE_ERROR, "%s cannot be read: %s", path,
                             strerror(error));
    }
    *bytes = made;
    *size = got;
    return COMBGPU_OK;
}

COMBGPU__PRIVATE combgpu_status combgpu__read_file(combgpu_context *ctx, const char *path,
                                                   unsigned char **bytes, size_t *size)
{
    combgpu__file_facts facts = {0, 0};
    combgpu_status status;
    int file, error = combgpu__file_open(path, COMBGPU__FILE_READ, &file);
    *bytes = NULL;
    *size = 0;
    if (error == ENOENT) return COMBGPU_OK;
    if (!error) error = combgpu__file_facts_of(file, &facts);
    if (error)
        status = combgpu__fail(ctx, COMBGPU_FILE_ERROR, "%s cannot be opened: %s", path,
                               strerror(error));
    else if (!facts.regular) /* a device may be endless */
        status = combgpu__fail(ctx, COMBGPU_FILE_ERROR, "%s is not a regular file", path);
    else
        status = combgpu__read_rest(ctx, path, file, facts.bytes ? (size_t)facts.bytes + 1 : 65536,
                                    bytes, size);
    if (file >= 0) (void)combgpu__file_close(file);
    return status;
}

#endif
