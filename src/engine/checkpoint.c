/* ---- Checkpoints as bytes: a text header, tasks and records as little-endian words, a CRC.

   combgpu checkpoint 1
   problem NAME
   parameters TEXT
   shard I/K
   elapsed_s SECONDS (of fixed width: the size does not depend on the time)
   run TOKEN PROCESS (the owner; in files only, optional)
   status N
   frontier ALL MINE FRESH
   sums N HEX HEX ...
   tasks COUNT WORDS
   records COUNT WORDS
   data
   (binary) CRC-32 of everything before it, 4 bytes

   combgpu_save writes the same bytes. A reader does not trust them. */

#define COMBGPU__HEADER_BYTES (2048 + 17 * COMBGPU__ACCUMULATORS)
#define COMBGPU__JOB_BYTES 700 /* the lines problem, parameters and shard, at most */

/* CRC-32 (IEEE 802.3), eight bytes at a time (M. Kounavis, F. Berry, 2005). Filling the tables
   takes less time than one kilobyte without tables. */
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

/* Returns the text that identifies the job. */
COMBGPU__PRIVATE const char *combgpu__parameters(combgpu_job *job)
{
    if (job->desc.identify) job->desc.identify(job);
    job->desc.identify = NULL;
    return job->desc.parameters;
}

/* Writes the header lines that identify the job; returns their length. */
COMBGPU__PRIVATE size_t combgpu__job_lines(combgpu_job *job, char *text, size_t size)
{
    return (size_t)snprintf(text, size, "problem %s\nparameters %s\nshard %d/%d\n", job->desc.name,
                            combgpu__parameters(job), job->run.shard_index,
                            job->run.shard_count > 1 ? job->run.shard_count : 1);
}

/* Writes the header text; returns its length. */
COMBGPU__PRIVATE size_t combgpu__checkpoint_header(combgpu_job *job, char *text)
{
    size_t size = COMBGPU__HEADER_BYTES, at;
    double elapsed = job->clock.earlier_s + combgpu__since(job->clock.started);
    uint64_t microseconds = elapsed < 9e9 ? (uint64_t)(1e6 * elapsed) : UINT64_C(9000000000000000);
    int last = COMBGPU__ACCUMULATORS, i;
    while (last && !job->accumulators[last - 1])
        last--;
    at = (size_t)snprintf(text, size, COMBGPU__CHECKPOINT_HEAD);
    at += combgpu__job_lines(job, text + at, size - at);
    at += (size_t)snprintf(text + at, size - at, "elapsed_s %010llu.%06llu\n",
                           (unsigned long long)(microseconds / 1000000),
                           (unsigned long long)(microseconds % 1000000));
    if (job->file.token)
        at += (size_t)snprintf(text + at, size - at, "run %016llx %ld\n",
                               (unsigned long long)job->file.token, job->file.process);
    at += (size_t)snprintf(text + at, size - at, "status %d\nfrontier %llu %llu %llu\nsums %d",
                           (int)(job->status < 0 ? job->file.unsaved : job->status),
                           (unsigned long long)job->reserve.all_shards,
                           (unsigned long long)job->reserve.own_shard,
                           (unsigned long long)job->reserve.fresh, last);
    for (i = 0; i < last; i++)
        at += (size_t)snprintf(text + at, size - at, " %llx",
                               (unsigned long long)job->accumulators[i]);
    at += (size_t)snprintf(text + at, size - at, "\ntasks %llu %u\nrecords %llu %u\ndata\n",
                           (unsigned long long)job->reserve.count, job->desc.task_words,
                           (unsigned long long)(job->pending.count - job->pending.next),
                           job->desc.record_words);
    return at;
}

COMBGPU__PRIVATE combgpu_status combgpu__serialize_state(combgpu_job *job, unsigned char **out,
                                                         size_t *out_bytes)
{
    size_t reserve_words = job->reserve.count * job->desc.task_words;
    size_t record_words = (job->pending.count - job->pending.next) * job->desc.record_words;
    size_t most = COMBGPU__HEADER_BYTES + 4 * (reserve_words + record_words) + 4, at;
    unsigned char *bytes;
    bytes = (unsigned char *)combgpu__allocate(job->ctx, most);
    if (!bytes) return combgpu__no_memory(job->ctx, most);
    at = combgpu__checkpoint_header(job, (char *)bytes);
    combgpu__store_words(bytes + at, job->reserve.tasks, reserve_words);
    at += 4 * reserve_words;
    if (record_words)
        combgpu__store_words(bytes + at,
                             job->pending.records + job->pending.next * job->desc.record_words,
                             record_words);
    *out = bytes;
    *out_bytes = at + 4 * record_words + 4;
    return COMBGPU_OK;
}

/* Allocates the unsealed checkpoint bytes of a job whose tasks are all in the reserve; the caller
   releases them. */
COMBGPU__PRIVATE combgpu_status combgpu__serialize(combgpu_job *job, unsigned char **out,
                                                   size_t *out_bytes)
{
    size_t waiting = job->pending.count - job->pending.next;
    combgpu_status status = COMBGPU_OK;
    *out = NULL;
    if (job->desc.saving) status = job->desc.saving(job);
    if (!status) status = combgpu__serialize_state(job, out, out_bytes);
    job->pending.count = job->pending.next + waiting;
    return status;
}

/* Appends the CRC. */
COMBGPU__PRIVATE void combgpu__seal(unsigned char *bytes, size_t size)
{
    uint32_t crc = combgpu__crc32(bytes, size - 4);
    combgpu__store_words(bytes + size - 4, &crc, 1);
}

/* Nonzero if the CRC matches: the bytes are as written. */
COMBGPU__PRIVATE int combgpu__is_sealed(const unsigned char *bytes, size_t size)
{
    uint32_t crc;
    if (size < 4) return 0;
    combgpu__load_words(&crc, bytes + size - 4, 1);
    return crc == combgpu__crc32(bytes, size - 4);
}

/* Reads the line "run TOKEN PROCESS". Returns 1, 0 if it is missing, -1 if it is damaged. */
COMBGPU__PRIVATE int combgpu__read_owner(combgpu__reader *reader, uint64_t *token,
                                         uint64_t *process)
{
    if (!combgpu__read_word(reader, "run ")) return 0;
    return combgpu__read_number(reader, 16, token) && combgpu__read_word(reader, " ") &&
                   combgpu__read_number(reader, 10, process) && combgpu__read_word(reader, "\n")
               ? 1
               : -1;
}

/* Reads the accumulators; with `values` NULL, only checks them. */
COMBGPU__PRIVATE int combgpu__read_accumulators(combgpu__reader *reader, uint64_t count,
                                                uint64_t *values)
{
    uint64_t value, i;
    for (i = 0; i < count; i++) {
        if (!combgpu__read_word(reader, " ") || !combgpu__read_number(reader, 16, &value)) return 0;
        if (values) values[i] = value;
    }
    return 1;
}

/* Returns the length of a header line's word; *is_hash: it is 16 hexadecimal digits. */
COMBGPU__PRIVATE int combgpu__word_length(const char *word, const char *end, int *is_hash)
{
    int length = 0, hex = 0;
    for (; word + length < end && word[length] > ' ' && word[length] < 127 && length < 60; length++)
        hex += (word[length] >= '0' && word[length] <= '9') ||
               (word[length] >= 'a' && word[length] <= 'f');
    *is_hash = length == 16 && hex == 16;
    return length;
}

/* Describes where the lines that identify a job first differ: "n is 14 there and 13 here". */
COMBGPU__PRIVATE void combgpu__job_difference(const char *found, const char *found_end,
                                              const char *expected, char *text, size_t size)
{
    const char *expected_end = expected + strlen(expected), *name = "job";
    int name_length = 3, found_line = 0, line = 0;
    for (;;) {
        int found_hash, hash, there = combgpu__word_length(found, found_end, &found_hash);
        int here = combgpu__word_length(expected, expected_end, &hash);
        if (found_line != line) *(found_line < line ? &here : &there) = 0; /* one line has ended */
        if (there != here || memcmp(found, expected, (size_t)here)) {
            if (hash && found_hash)
                snprintf(text, size, "%.*s: another value", name_length, name);
            else if (!there || !here)
                snprintf(text, size, "only %s has \"%.*s\"", there ? "that one" : "this one",
                         there ? there : here, there ? found : expected);
            else
                snprintf(text, size, "%.*s is %.*s there and %.*s here", name_length, name, there,
                         found, here, expected);
            return;
        }
        if (!here) break;
        if (*expected >= 'a' && *expected <= 'z' && strncmp(expected, "parameters", 10)) {
            name = expected;
            name_length = here;
        }
        found += there;
        expected += here;
        found_line += found < found_end && *found == '\n';
        line += expected < expected_end && *expected == '\n';
        found += found < found_end;
        expected += expected < expected_end;
    }
    snprintf(text, size, "the difference is unknown");
}

/* The header before the data. */
typedef struct combgpu__header {
    uint64_t seconds, fraction, frontier, mine, fresh, accumulators, tasks, words, records, number;
    combgpu__reader accumulators_at;
    const unsigned char *data;
    size_t data_bytes;
} combgpu__header;

/* Reads two numbers, each after its text. */
COMBGPU__PRIVATE int combgpu__read_two(combgpu__reader *reader, const char *before, uint64_t *a,
                                       const char *between, uint64_t *b)
{
    return combgpu__read_word(reader, before) && combgpu__read_number(reader, 10, a) &&
           combgpu__read_word(reader, between) && combgpu__read_number(reader, 10, b);
}

/* Reads the lines after those that identify the job. */
COMBGPU__PRIVATE combgpu_status combgpu__read_header(combgpu_job *job, combgpu__reader *reader,
                                                     combgpu__header *h, const char *source)
{
    uint64_t status, token, process;
    int owner = 0, good;
    good = combgpu__read_two(reader, "elapsed_s ", &h->seconds, ".", &h->fraction) &&
           combgpu__read_word(reader, "\n") &&
           (owner = combgpu__read_owner(reader, &token, &process)) >= 0 &&
           combgpu__read_word(reader, "status ") && combgpu__read_number(reader, 10, &status) &&
           combgpu__read_two(reader, "\nfrontier ", &h->frontier, " ", &h->mine) &&
           combgpu__read_two(reader, " ", &h->fresh, "\nsums ", &h->accumulators) &&
           h->accumulators <= COMBGPU__ACCUMULATORS;
    h->accumulators_at = *reader;
    if (good && !combgpu__read_accumulators(reader, h->accumulators, NULL))
        return combgpu__fail(job->ctx, COMBGPU_BAD_FILE, "%s, line %d: the sums are damaged",
                             source, owner ? 9 : 8);
    good = good && combgpu__read_two(reader, "\ntasks ", &h->tasks, " ", &h->words) &&
           h->words == job->desc.task_words &&
           combgpu__read_two(reader, "\nrecords ", &h->records, " ", &h->number) &&
           h->number == job->desc.record_words && combgpu__read_word(reader, "\ndata\n");
    h->data = (const unsigned char *)reader->at;
    h->data_bytes = (size_t)(reader->end - reader->at);
    return good ? COMBGPU_OK
                : combgpu__fail(job->ctx, COMBGPU_BAD_FILE, "%s: the header is damaged", source);
}

/* Checks that the data are as long as the header says and not too large for the job; makes room. */
COMBGPU__PRIVATE combgpu_status combgpu__data_room(combgpu_job *job, const combgpu__header *h,
                                                   const char *source)
{
    const uint64_t task = 4 * h->words, record = 4 * h->number;
    combgpu_status status;
    if (h->tasks > h->data_bytes / task || h->records > h->data_bytes / 4 ||
        (h->records && !record) || h->tasks * task + h->records * record != h->data_bytes)
        return combgpu__fail(job->ctx, COMBGPU_BAD_FILE,
                             "%s: its header does not match %llu bytes of data", source,
                             (unsigned long long)h->data_bytes);
    if (job->desc.most_tasks && h->tasks > job->desc.most_tasks)
        return combgpu__fail(job->ctx, COMBGPU_BAD_FILE, "%s: %llu tasks; this job has at most %u",
                             source, (unsigned long long)h->tasks, job->desc.most_tasks);
    status = combgpu__reserve_room(job, (size_t)h->tasks);
    if (status) return status;
    job->pending.capacity = (size_t)h->records;
    combgpu__release(job->ctx, job->pending.records);
    job->pending.records = (uint32_t *)combgpu__allocate(job->ctx, (size_t)(h->records * record));
    return job->pending.records ? COMBGPU_OK
                                : combgpu__no_memory(job->ctx, (size_t)(h->records * record));
}

/* Loads tasks and records, each of which the problem must validate. */
COMBGPU__PRIVATE combgpu_status combgpu__load_data(combgpu_job *job, const combgpu__header *h,
                                                   const char *source)
{
    uint64_t i;
    combgpu__load_words(job->reserve.tasks, h->data, (size_t)(h->tasks * h->words));
    combgpu__load_words(job->pending.records, h->data + h->tasks * 4 * h->words,
                        (size_t)(h->records * h->number));
    for (i = 0; i < h->tasks; i++)
        if (!job->desc.validate_task(job, job->reserve.tasks + i * h->words))
            return combgpu__fail(job->ctx, COMBGPU_BAD_FILE,
                                 "%s: task %llu cannot occur in this job", source,
                                 (unsigned long long)i);
    for (i = 0; i < h->records; i++)
        if (!job->desc.validate_record(job, job->pending.records + i * h->number))
            return combgpu__fail(job->ctx, COMBGPU_BAD_FILE,
                                 "%s: record %llu cannot occur in this job", source,
                                 (unsigned long long)i);
    return COMBGPU_OK;
}

/* Loads checkpoint bytes into a fresh job. Returns BAD_FILE if they are damaged, WRONG_JOB if they
   belong to another job. `source` names them in messages. */
COMBGPU__PRIVATE combgpu_status combgpu__deserialize(combgpu_job *job, const unsigned char *bytes,
                                                     size_t size, const char *source)
{
    combgpu_context *ctx = job->ctx;
    char expected[COMBGPU__JOB_BYTES], difference[300];
    combgpu__reader reader;
    combgpu__header header;
    combgpu_status status;
    memset(&header, 0, sizeof header);
    reader.at = (const char *)bytes;
    reader.end = reader.at + (size < 4 ? 0 : size - 4);
    reader.line = 1;
    if (!combgpu__read_word(&reader, COMBGPU__CHECKPOINT_HEAD))
        return combgpu__fail(ctx, COMBGPU_BAD_FILE, "%s, line 1: not a combgpu checkpoint", source);
    if (!combgpu__is_sealed(bytes, size))
        return combgpu__fail(ctx, COMBGPU_BAD_FILE,
                             "%s: the CRC is wrong: the file is damaged or cut short", source);
    (void)combgpu__job_lines(job, expected, sizeof expected);
    if (!combgpu__read_word(&reader, expected)) {
        combgpu__job_difference(reader.at, reader.end, expected, difference, sizeof difference);
        return combgpu__fail(ctx, COMBGPU_WRONG_JOB, "%s belongs to another job: %s", source,
                             difference);
    }
    status = combgpu__read_header(job, &reader, &header, source);
    if (!status) status = combgpu__data_room(job, &header, source);
    if (!status) status = combgpu__load_data(job, &header, source);
    if (status) return status;
    memset(job->accumulators, 0, COMBGPU__ACCUMULATORS * sizeof *job->accumulators);
    (void)combgpu__read_accumulators(&header.accumulators_at, header.accumulators,
                                     job->accumulators);
    job->reserve.count = (size_t)header.tasks;
    job->pending.next = 0;
    job->pending.count = (size_t)header.records;
    job->clock.earlier_s = (double)header.seconds + 1e-6 * (double)header.fraction;
    job->reserve.all_shards = header.frontier;
    job->reserve.own_shard = header.mine;
    job->reserve.fresh = header.fresh < header.tasks ? header.fresh : header.tasks;
    job->steps_at_start = job->accumulators[0];
    return COMBGPU_OK;
}
