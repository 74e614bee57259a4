/* Checks the description of a range of permutations. */

/* Refuses fields that do not belong to the goal. */
COMBGPU__PRIVATE combgpu_status combgpu__perm_validate_goal(combgpu_context *ctx,
                                                            const combgpu_perm_desc *desc)
{
    const int writes = desc->goal == COMBGPU_PERM_WRITE, counts = desc->goal == COMBGPU_PERM_COUNT;
    const int bins = desc->goal == COMBGPU_PERM_HISTOGRAM, all = writes && !desc->set;
    const struct {
        const char *name;
        int set, belongs;
        const char *where;
    } fields[] = {
        {"visitor", desc->visitor != NULL, !writes, "goals other than WRITE"},
        {"data", desc->data || desc->data_bytes, !writes, "goals other than WRITE"},
        {"out", desc->out || desc->out_bytes, writes, "goal WRITE"},
        {"device_out", desc->device_out.memory != NULL, writes, "goal WRITE"},
        {"first_hi", desc->first_hi != 0, all, "goal WRITE without a set"},
        {"items", desc->items != NULL, all, "goal WRITE without a set"},
        {"item_bytes", desc->item_bytes != 0 && desc->item_bytes != 1, all,
         "goal WRITE without a set"},
        {"solution", desc->solution != NULL, writes || counts, "goals WRITE and COUNT"},
        {"limit", desc->limit != 0, counts, "goal COUNT"},
        {"ordered", desc->ordered != 0, counts && desc->solution, "goal COUNT with solution"},
        {"bins", desc->bins != 0, bins, "goal HISTOGRAM"},
        {"histogram", desc->histogram != NULL, bins, "goal HISTOGRAM"}};
    size_t i;
    if ((int)desc->goal < COMBGPU_PERM_WRITE || (int)desc->goal > COMBGPU_PERM_HISTOGRAM)
        return combgpu__fail(
            ctx, COMBGPU_INVALID_ARGUMENT,
            "desc.goal is %d; it may be 0 (write), 1 (count), 2 (minimum), 3 (maximum), "
            "4 (sum), 5 (histogram)",
            (int)desc->goal);
    for (i = 0; i < sizeof fields / sizeof fields[0]; i++)
        if (fields[i].set && !fields[i].belongs)
            return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "desc.%s is set; it is for %s",
                                 fields[i].name, fields[i].where);
    if (bins && (desc->bins < 1 || desc->bins > COMBGPU__VISIT_BINS))
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "desc.bins is %d; with goal HISTOGRAM it may be 1 to %d", desc->bins,
                             COMBGPU__VISIT_BINS);
    if (bins && !desc->histogram)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "desc.histogram is NULL; goal HISTOGRAM needs it");
    return COMBGPU_OK;
}

/* Checks first and count against the number of members; replaces count 0 by the rest. */
COMBGPU__PRIVATE combgpu_status combgpu__perm_validate_range(combgpu_context *ctx,
                                                             combgpu_perm_desc *desc, int n,
                                                             combgpu_u128 members)
{
    combgpu_u128 first, left;
    first.lo = desc->first;
    first.hi = desc->first_hi;
    if (!combgpu__perm_u128_less(first, members)) {
        if (!members.hi && !first.hi)
            return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                                 "desc.first is %llu; with n = %d it may be 0 to %llu",
                                 (unsigned long long)first.lo, n,
                                 (unsigned long long)members.lo - 1);
        return combgpu__fail(
            ctx, COMBGPU_INVALID_ARGUMENT,
            "desc.first_hi * 2^64 + desc.first is %llu * 2^64 + %llu; with n = %d it must be "
            "below n! = %llu * 2^64 + %llu",
            (unsigned long long)first.hi, (unsigned long long)first.lo, n,
            (unsigned long long)members.hi, (unsigned long long)members.lo);
    }
    left.lo = members.lo - first.lo;
    left.hi = members.hi - first.hi - (members.lo < first.lo);
    if (left.hi || (members.hi && left.lo > UINT64_C(1) << 63)) {
        left.lo = UINT64_C(1) << 63;
        if (!desc->count)
            return combgpu__fail(
                ctx, COMBGPU_INVALID_ARGUMENT,
                "desc.count is 0 (all), which is more than 2^63 permutations; it may be "
                "1 to 2^63");
    }
    if (desc->count > left.lo)
        return combgpu__fail(
            ctx, COMBGPU_INVALID_ARGUMENT,
            "desc.count is %llu; with n = %d and first = %llu it may be 0 (all) to %llu",
            (unsigned long long)desc->count, n, (unsigned long long)first.lo,
            (unsigned long long)left.lo);
    if (!desc->count) desc->count = left.lo;
    return COMBGPU_OK;
}

/* WRITE: checks the items, and that one of out, device_out and solution is set, large enough and
   aligned. */
COMBGPU__PRIVATE combgpu_status combgpu__perm_validate_write(combgpu_context *ctx,
                                                             const combgpu_perm_desc *desc)
{
    const combgpu_device_memory *device = &desc->device_out;
    const char *name = desc->out ? "out" : "device_out";
    size_t object = (size_t)desc->n * (size_t)desc->item_bytes;
    size_t bytes = desc->out ? desc->out_bytes : device->bytes;
    uintptr_t at = desc->out ? (uintptr_t)desc->out : device->offset;
    if (desc->item_bytes != 1 && desc->item_bytes != 2 && desc->item_bytes != 4 &&
        desc->item_bytes != 8)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "desc.item_bytes is %d; it may be 1, 2, 4 or 8 (0 = 1)",
                             desc->item_bytes);
    if (!desc->out + !desc->solution + !device->memory != 2)
        return combgpu__fail(
            ctx, COMBGPU_INVALID_ARGUMENT,
            "desc.out, desc.device_out.memory and desc.solution are %s; goal WRITE "
            "needs one of them",
            !desc->out && !desc->solution && !device->memory ? "all NULL"
            : desc->out && desc->solution                    ? "set, the first and the last"
            : desc->out                                      ? "set, the first and the second"
                                                             : "set, the second and the last");
    if (desc->solution) return COMBGPU_OK;
    if (desc->count > SIZE_MAX / object)
        return combgpu__fail(
            ctx, COMBGPU_INVALID_ARGUMENT,
            "desc.count is %llu: so many permutations of %d items of %d bytes fit no memory",
            (unsigned long long)desc->count, desc->n, desc->item_bytes);
    if (bytes < (size_t)desc->count * object)
        return combgpu__fail(
            ctx, COMBGPU_INVALID_ARGUMENT,
            "desc.%s%s is %llu; %llu permutations of %d items of %d bytes need %llu", name,
            desc->out ? "_bytes" : ".bytes", (unsigned long long)bytes,
            (unsigned long long)desc->count, desc->n, desc->item_bytes,
            (unsigned long long)((size_t)desc->count * object));
    /* a cl_mem has no address; its alignment is always sufficient */
    if (!desc->out && combgpu__device(ctx)->backend != COMBGPU_BACKEND_OPENCL)
        at += (uintptr_t)device->memory;
    if (at % (uintptr_t)desc->item_bytes)
        return combgpu__fail(
            ctx, COMBGPU_INVALID_ARGUMENT,
            "desc.%s begins %d bytes after a multiple of desc.item_bytes, which is %d", name,
            (int)(at % (uintptr_t)desc->item_bytes), desc->item_bytes);
    return COMBGPU_OK;
}

/* Checks the caller's data, for a visitor or a searcher. */
COMBGPU__PRIVATE combgpu_status combgpu__perm_check_data(combgpu_context *ctx, const void *data,
                                                         size_t bytes)
{
    if (bytes > (size_t)1 << 30)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "desc.data_bytes is %llu; it may be 0 to 1073741824",
                             (unsigned long long)bytes);
    if (!data != !bytes)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "desc.data is %s, but desc.data_bytes is %llu", data ? "set" : "NULL",
                             (unsigned long long)bytes);
    return COMBGPU_OK;
}

/* The other goals: checks the visitor, its form for each device, and its data. */
COMBGPU__PRIVATE combgpu_status combgpu__visit_validate(combgpu_context *ctx,
                                                        const combgpu_perm_desc *desc)
{
    const combgpu_perm_visitor *visitor = desc->visitor;
    const combgpu_context *device;
    int i;
    if (!visitor)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "desc.visitor is NULL; goals other than WRITE need one");
    if (!visitor->name)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "desc.visitor->name is NULL");
    for (i = 0; (device = combgpu__device_context(ctx, i)) != NULL; i++) {
        combgpu_backend backend = combgpu__device(device)->backend;
        const char *missing =
            backend == COMBGPU_BACKEND_CPU && !visitor->cpu && !visitor->cpu_many ? "cpu"
            : backend == COMBGPU_BACKEND_OPENCL && !visitor->opencl_source        ? "opencl_source"
            : backend == COMBGPU_BACKEND_CUDA && !visitor->cuda_kernel            ? "cuda_kernel"
                                                                                  : NULL;
        if (missing)
            return combgpu__fail(ctx, COMBGPU_UNSUPPORTED,
                                 "visitor %.100s has no form for %s: its %s is NULL", visitor->name,
                                 combgpu_backend_string(backend), missing);
    }
    return combgpu__perm_check_data(ctx, desc->data, desc->data_bytes);
}

/* Checks the description; fills in defaults and the set. */
COMBGPU__PRIVATE combgpu_status combgpu__perm_validate(combgpu_context *ctx,
                                                       combgpu__perm_state *state)
{
    combgpu_perm_desc *desc = &state->desc;
    combgpu__perm_set *set = &state->set;
    combgpu_u128 members;
    combgpu_status status;
    state->all = desc->goal == COMBGPU_PERM_WRITE && !desc->set;
    if (desc->set) {
        status = combgpu__perm_set_check(ctx, "desc.set", desc->set, COMBGPU__SET_64, set);
        if (status) return status;
        if (desc->n && desc->n != set->n)
            return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                                 "desc.n is %d; with desc.set->n = %d it may be 0 or %d", desc->n,
                                 set->n, set->n);
        if (!set->count)
            return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "desc.set has no members");
        if (!set->length)
            return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                                 "desc.set->k is 0; a range of members needs 1 to %d places",
                                 set->n);
    } else {
        int most = state->all ? COMBGPU__PERM_MAX128 : COMBGPU__PERM_MAX;
        if (desc->n < 1 || desc->n > most)
            return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "desc.n is %d; it may be 1 to %d%s",
                                 desc->n, most, state->all ? "" : ", with goal WRITE to 34");
        set->family = COMBGPU_PERM_ALL;
        set->n = set->length = desc->n;
        set->count = combgpu_factorial(desc->n).lo; /* unused for n > 20 */
    }
    status = combgpu__perm_validate_goal(ctx, desc);
    if (status) return status;
    members.hi = desc->set ? 0 : combgpu_factorial(set->n).hi;
    members.lo = set->count;
    desc->n = set->length;
    if (!desc->item_bytes) desc->item_bytes = 1;
    if (!desc->bin_width) desc->bin_width = 1;
    status = combgpu__perm_validate_range(ctx, desc, set->n, members);
    if (status) return status;
    return desc->goal == COMBGPU_PERM_WRITE ? combgpu__perm_validate_write(ctx, desc)
                                            : combgpu__visit_validate(ctx, desc);
}
