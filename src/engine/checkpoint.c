/* ---- checkpoints: a text header, then tasks and records as little-endian words, then a CRC

   combgpu checkpoint 1
   problem NAME
   parameters TEXT
   shard I/K
   elapsed_s SECONDS, fixed width, so that the size does not depend on the time
   status N
   frontier ALL MINE FRESH
   sums N HEX HEX ...
   tasks COUNT WORDS
   records COUNT WORDS
   data
   (binary) CRC-32 of everything before it, 4 bytes

   The same text is what combgpu_save writes. It is untrusted when it is read. */

#define COMBGPU__CHECKPOINT_MAGIC "combgpu checkpoint 1\n"
#define COMBGPU__HEADER_BYTES (2048 + 17 * COMBGPU__SUMS)

/* CRC-32 (IEEE 802.3), eight bytes at a time (M. Kounavis, F. Berry, 2005). The tables take less
   time than a kilobyte does without them. */
COMBGPU__PRIVATE uint32_t combgpu__crc32(const void *data, size_t bytes)
{
    const unsigned char *p = (const unsigned char *)data;
    uint32_t table[8][256], crc, i;
    int k;
    for (i = 0; i < 256; i++) {
        crc = i;
        for (k = 0; k < 8; k++)
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
        table[0][i] = crc;
    }
    for (k = 1; k < 8; k++)
        for (i = 0; i < 256; i++)
            table[k][i] = table[k - 1][i] >> 8 ^ table[0][table[k - 1][i] & 255];
    crc = 0xffffffffu;
    for (; bytes >= 8; bytes -= 8, p += 8) {
        crc ^= (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
        crc = table[7][crc & 255] ^ table[6][crc >> 8 & 255] ^ table[5][crc >> 16 & 255] ^
              table[4][crc >> 24] ^ table[3][p[4]] ^ table[2][p[5]] ^ table[1][p[6]] ^
              table[0][p[7]];
    }
    for (; bytes; bytes--, p++)
        crc = crc >> 8 ^ table[0][(crc ^ *p) & 255];
    return ~crc;
}

COMBGPU__PRIVATE void combgpu__store_words(unsigned char *to, const uint32_t *words, size_t count)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    if (count) memcpy(to, words, 4 * count);
    count = 0;
#endif
    for (; count; count--, words++, to += 4) {
        to[0] = (unsigned char)(*words & 255);
        to[1] = (unsigned char)(*words >> 8 & 255);
        to[2] = (unsigned char)(*words >> 16 & 255);
        to[3] = (unsigned char)(*words >> 24);
    }
}

COMBGPU__PRIVATE void combgpu__load_words(uint32_t *words, const unsigned char *from, size_t count)
{
    for (; count; count--, words++, from += 4)
        *words = (uint32_t)from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 |
                 (uint32_t)from[3] << 24;
}

/* Writes the header text; returns its length. */
COMBGPU__PRIVATE size_t combgpu__checkpoint_header(const combgpu_job *job, char *text)
{
    size_t size = COMBGPU__HEADER_BYTES, at;
    double elapsed = job->earlier_s + combgpu__now() - job->started;
    uint64_t microseconds = elapsed < 9e9 ? (uint64_t)(1e6 * elapsed) : UINT64_C(9000000000000000);
    int last = COMBGPU__SUMS, i;
    while (last && !job->sums[last - 1])
        last--;
    at = (size_t)snprintf(
        text, size,
        COMBGPU__CHECKPOINT_MAGIC "problem %s\nparameters %s\nshard %d/%d\n"
                                  "elapsed_s %010llu.%06llu\nstatus %d\n"
                                  "frontier %llu %llu %llu\nsums %d",
        job->problem->name, job->parameters, job->run.shard_index,
        job->run.shard_count > 1 ? job->run.shard_count : 1,
        (unsigned long long)(microseconds / 1000000), (unsigned long long)(microseconds % 1000000),
        (int)job->status, (unsigned long long)job->frontier_count,
        (unsigned long long)job->frontier_mine, (unsigned long long)job->fresh_reserve, last);
    for (i = 0; i < last; i++)
        at += (size_t)snprintf(text + at, size - at, " %llx", (unsigned long long)job->sums[i]);
    at += (size_t)snprintf(text + at, size - at, "\ntasks %llu %u\nrecords %llu %u\ndata\n",
                           (unsigned long long)job->reserve_count, job->task_words,
                           (unsigned long long)(job->pending_count - job->pending_next),
                           job->record_words);
    return at;
}

COMBGPU__PRIVATE combgpu_status combgpu__gather(combgpu_job *job);

/* The job as checkpoint bytes, allocated, not yet sealed; the caller releases them. All devices are
   idle after it. */
COMBGPU__PRIVATE combgpu_status combgpu__serialize(combgpu_job *job, unsigned char **out,
                                                   size_t *out_bytes)
{
    combgpu_status status = combgpu__gather(job);
    size_t reserve_words = job->reserve_count * job->task_words;
    size_t record_words = (job->pending_count - job->pending_next) * job->record_words;
    size_t most = COMBGPU__HEADER_BYTES + 4 * (reserve_words + record_words) + 4, at;
    unsigned char *bytes;
    *out = NULL;
    if (status) return status;
    bytes = (unsigned char *)combgpu__allocate(job->ctx, most);
    if (!bytes) return combgpu__no_memory(job->ctx, most);
    at = combgpu__checkpoint_header(job, (char *)bytes);
    combgpu__store_words(bytes + at, job->reserve, reserve_words);
    at += 4 * reserve_words;
    if (record_words)
        combgpu__store_words(bytes + at, job->pending + job->pending_next * job->record_words,
                             record_words);
    *out = bytes;
    *out_bytes = at + 4 * record_words + 4;
    return COMBGPU_OK;
}

/* Puts the CRC at the end. */
COMBGPU__PRIVATE void combgpu__seal(unsigned char *bytes, size_t size)
{
    uint32_t crc = combgpu__crc32(bytes, size - 4);
    combgpu__store_words(bytes + size - 4, &crc, 1);
}

/* A snapshot (a checkpoint in memory) takes the place of the one before, which the job's begin is. */
COMBGPU__PRIVATE void combgpu__keep_snapshot(combgpu_job *job, unsigned char *bytes, size_t size)
{
    combgpu__release(job->ctx, job->snapshot);
    combgpu__release(job->ctx, job->first_head);
    combgpu__release(job->ctx, job->first_tasks);
    job->first_head = NULL;
    job->first_tasks = NULL;
    job->snapshot = bytes;
    job->snapshot_bytes = size;
    job->last_snapshot = combgpu__now();
}

/* A job that has just been dealt out: its snapshot is only made if it is needed. */
COMBGPU__PRIVATE combgpu_status combgpu__first_snapshot(combgpu_job *job)
{
    job->first_head = (char *)combgpu__allocate(job->ctx, COMBGPU__HEADER_BYTES);
    if (!job->first_head) return combgpu__no_memory(job->ctx, COMBGPU__HEADER_BYTES);
    job->first_head_bytes = combgpu__checkpoint_header(job, job->first_head);
    job->last_snapshot = combgpu__now();
    return COMBGPU_OK;
}

/* Is there a snapshot? */
COMBGPU__PRIVATE int combgpu__has_snapshot(combgpu_job *job)
{
    size_t words = job->first_count * job->task_words, size = job->first_head_bytes + 4 * words + 4;
    unsigned char *bytes;
    if (job->snapshot || !job->first_head) return job->snapshot != NULL;
    bytes = (unsigned char *)combgpu__allocate(job->ctx, size);
    if (!bytes) return 0;
    memcpy(bytes, job->first_head, job->first_head_bytes);
    combgpu__store_words(bytes + job->first_head_bytes, job->first_tasks, words);
    combgpu__seal(bytes, size);
    combgpu__keep_snapshot(job, bytes, size);
    return 1;
}

/* A checkpoint that could not be written leaves the job whole; all other errors are its end. */
COMBGPU__PRIVATE int combgpu__job_failed(const combgpu_job *job)
{
    return job->status < 0 && job->status != COMBGPU_FILE_ERROR;
}

COMBGPU__DEF combgpu_status combgpu_save(combgpu_job *job, void *data, size_t bytes, size_t *needed)
{
    unsigned char *made;
    size_t made_bytes = 0;
    combgpu_status status;
    if (!job) return COMBGPU_INVALID_ARGUMENT;
    if (combgpu__job_failed(job))
        return combgpu__fail(job->ctx, job->status, "the job has failed before");
    status = combgpu__serialize(job, &made, &made_bytes);
    if (status) return status;
    combgpu__seal(made, made_bytes);
    if (needed) *needed = made_bytes;
    if (data && bytes >= made_bytes)
        memcpy(data, made, made_bytes);
    else if (data || !needed)
        status = combgpu__fail(job->ctx, COMBGPU_INVALID_ARGUMENT,
                               "bytes is %llu; this checkpoint needs %llu",
                               (unsigned long long)bytes, (unsigned long long)made_bytes);
    combgpu__release(job->ctx, made);
    return status;
}

/* A reader of the header: `at` moves over the text as long as everything fits. */
typedef struct combgpu__reader {
    const char *at, *end;
    int line;
} combgpu__reader;

/* If the text goes on with `word`, moves past it. */
COMBGPU__PRIVATE int combgpu__read_word(combgpu__reader *reader, const char *word)
{
    size_t length = strlen(word);
    if ((size_t)(reader->end - reader->at) < length || memcmp(reader->at, word, length)) return 0;
    reader->at += length;
    if (length && word[length - 1] == '\n') reader->line++;
    return 1;
}

/* An unsigned number in base 10 or 16, at most 20 digits. */
COMBGPU__PRIVATE int combgpu__read_number(combgpu__reader *reader, unsigned base, uint64_t *value)
{
    int digits = 0;
    *value = 0;
    for (; reader->at < reader->end; reader->at++, digits++) {
        char c = *reader->at;
        unsigned digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
                         : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
                                                : 99;
        if (digit >= base) break;
        if (*value > (UINT64_MAX - digit) / base) return 0;
        *value = *value * base + digit;
    }
    return digits > 0;
}

/* Loads checkpoint bytes into a fresh job. BAD_FILE: damaged; WRONG_JOB: of another job. `source`
   names them in messages. */
COMBGPU__PRIVATE combgpu_status combgpu__deserialize(combgpu_job *job, const unsigned char *bytes,
                                                     size_t size, const char *source)
{
    combgpu_context *ctx = job->ctx;
    char expected[sizeof job->parameters + 128];
    combgpu__reader reader;
    uint64_t seconds, fraction = 0, frontier, mine, fresh, sums, tasks, words, records, number;
    uint64_t status_number;
    uint64_t values[COMBGPU__SUMS];
    uint64_t i;
    size_t data_bytes;
    uint32_t crc;
    const unsigned char *data;
    combgpu_status status;
    reader.at = (const char *)bytes;
    reader.end = reader.at + (size < 4 ? 0 : size - 4);
    reader.line = 1;
    if (!combgpu__read_word(&reader, COMBGPU__CHECKPOINT_MAGIC))
        return combgpu__fail(ctx, COMBGPU_BAD_FILE, "%s, line 1: not a combgpu checkpoint", source);
    combgpu__load_words(&crc, bytes + size - 4, 1);
    if (crc != combgpu__crc32(bytes, size - 4))
        return combgpu__fail(ctx, COMBGPU_BAD_FILE,
                             "%s: the CRC is wrong: the file is damaged or cut short", source);
    snprintf(expected, sizeof expected, "problem %s\nparameters %s\nshard %d/%d\n",
             job->problem->name, job->parameters, job->run.shard_index,
             job->run.shard_count > 1 ? job->run.shard_count : 1);
    if (!combgpu__read_word(&reader, expected)) {
        int shown = reader.end - reader.at > 200 ? 200 : (int)(reader.end - reader.at);
        char found[201];
        int n;
        for (n = 0; n < shown; n++)
            found[n] = reader.at[n] >= ' ' && reader.at[n] < 127 ? reader.at[n] : ' ';
        found[shown] = 0;
        return combgpu__fail(ctx, COMBGPU_WRONG_JOB,
                             "%s belongs to another job (%.100s...), not to this one (%s %.100s)",
                             source, found, job->problem->name, job->parameters);
    }
    reader.line += 3;
    if (!combgpu__read_word(&reader, "elapsed_s ") ||
        !combgpu__read_number(&reader, 10, &seconds) || !combgpu__read_word(&reader, ".") ||
        !combgpu__read_number(&reader, 10, &fraction) ||
        !combgpu__read_word(&reader, "\nstatus ") ||
        !combgpu__read_number(&reader, 10, &status_number) ||
        !combgpu__read_word(&reader, "\nfrontier ") ||
        !combgpu__read_number(&reader, 10, &frontier) || !combgpu__read_word(&reader, " ") ||
        !combgpu__read_number(&reader, 10, &mine) || !combgpu__read_word(&reader, " ") ||
        !combgpu__read_number(&reader, 10, &fresh) || !combgpu__read_word(&reader, "\nsums ") ||
        !combgpu__read_number(&reader, 10, &sums) || sums > COMBGPU__SUMS)
        return combgpu__fail(ctx, COMBGPU_BAD_FILE, "%s: the header is damaged", source);
    memset(values, 0, sizeof values);
    for (i = 0; i < sums; i++)
        if (!combgpu__read_word(&reader, " ") || !combgpu__read_number(&reader, 16, &values[i]))
            return combgpu__fail(ctx, COMBGPU_BAD_FILE, "%s, line 8: the sums are damaged", source);
    if (!combgpu__read_word(&reader, "\ntasks ") || !combgpu__read_number(&reader, 10, &tasks) ||
        !combgpu__read_word(&reader, " ") || !combgpu__read_number(&reader, 10, &words) ||
        words != job->task_words || !combgpu__read_word(&reader, "\nrecords ") ||
        !combgpu__read_number(&reader, 10, &records) || !combgpu__read_word(&reader, " ") ||
        !combgpu__read_number(&reader, 10, &number) || number != job->record_words ||
        !combgpu__read_word(&reader, "\ndata\n"))
        return combgpu__fail(ctx, COMBGPU_BAD_FILE, "%s: the header is damaged", source);
    data = (const unsigned char *)reader.at;
    data_bytes = (size_t)(reader.end - reader.at);
    if (tasks > data_bytes / (4 * words) || records > data_bytes / 4 || (records && !number) ||
        tasks * 4 * words + records * 4 * number != data_bytes)
        return combgpu__fail(ctx, COMBGPU_BAD_FILE, "%s: %llu bytes of data, not what it announces",
                             source, (unsigned long long)data_bytes);
    status = combgpu__reserve_room(job, (size_t)tasks);
    if (status) return status;
    job->pending_capacity = (size_t)records;
    combgpu__release(ctx, job->pending);
    job->pending = (uint32_t *)combgpu__allocate(ctx, (size_t)(records * 4 * number));
    if (!job->pending) return combgpu__no_memory(ctx, (size_t)(records * 4 * number));
    combgpu__load_words(job->reserve, data, (size_t)(tasks * words));
    combgpu__load_words(job->pending, data + tasks * 4 * words, (size_t)(records * number));
    for (i = 0; i < tasks; i++)
        if (!job->problem->adopt_task(job, job->reserve + i * words))
            return combgpu__fail(ctx, COMBGPU_BAD_FILE, "%s: task %llu cannot occur in this job",
                                 source, (unsigned long long)i);
    for (i = 0; i < records; i++)
        if (!job->problem->adopt_record(job, job->pending + i * number))
            return combgpu__fail(ctx, COMBGPU_BAD_FILE, "%s: record %llu cannot occur in this job",
                                 source, (unsigned long long)i);
    memcpy(job->sums, values, sizeof values);
    job->reserve_count = (size_t)tasks;
    job->pending_next = 0;
    job->pending_count = (size_t)records;
    job->earlier_s = (double)seconds + 1e-6 * (double)fraction;
    job->frontier_count = frontier;
    job->frontier_mine = mine;
    job->fresh_reserve = fresh < tasks ? fresh : tasks;
    job->steps_at_start = values[0];
    return COMBGPU_OK;
}

