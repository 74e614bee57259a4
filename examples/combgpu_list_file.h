/* Writes a list to its file. --resume continues the file, which has each item once. */
#ifndef COMBGPU_EXAMPLES_LIST_FILE_H
#define COMBGPU_EXAMPLES_LIST_FILE_H

#include "combgpu_list_item.h"

/* Nonzero if the run continues a checkpoint, and so finds only the rest of the list. Batches read what they
   wrote before. */
static int list_resumed(void)
{
    return (cmd.command == COMMAND_NO3 || cmd.command == COMMAND_MAGIC) && given(OPTION_RESUME) &&
           checkpoint_exists();
}

/* Nonzero if the list is in a file that a resumed run continues. */
static int file_goes_on(void)
{
    return (cmd.command == COMMAND_NO3 || cmd.command == COMMAND_MAGIC) && text_of(OPTION_OUTPUT) &&
           is_plain_file(text_of(OPTION_OUTPUT));
}

/* ---- items in the file: a killed run wrote some after its last checkpoint, which the next run finds
   again */

static struct {
    uint64_t *table; /* hashes, 0 = free; may be NULL */
    size_t room, count;
    FILE *scratch; /* an item is written there first */
    FILE *to;      /* where it goes if it is new */
} again;

#define FIRST_HASH UINT64_C(0xcbf29ce484222325) /* FNV-1a */

static uint64_t item_hash(uint64_t hash, unsigned char byte)
{
    return (hash ^ byte) * UINT64_C(0x100000001b3);
}

/* The slot of a hash in the table, or a free one for it. */
static uint64_t *again_at(uint64_t hash)
{
    size_t at = (size_t)(hash ^ hash >> 32) & (again.room - 1);
    while (again.table[at] && again.table[at] != hash)
        at = (at + 1) & (again.room - 1);
    return &again.table[at];
}

static void again_grow(void)
{
    uint64_t *old = again.table;
    size_t had = again.room, i;
    again.room = had ? 2 * had : 1024;
    again.table = (uint64_t *)calloc(again.room, sizeof *again.table);
    if (!again.table) usage("--resume: out of memory for the list of --output");
    for (i = 0; i < had; i++)
        if (old[i]) *again_at(old[i]) = old[i];
    free(old);
}

static void again_add(uint64_t hash)
{
    uint64_t *at;
    if (2 * again.count >= again.room) again_grow();
    at = again_at(hash | 1);
    again.count += !*at;
    *at = hash | 1;
}

/* ---- reading the file */

/* Accepts the last bytes of a list as an item if an editor removed only its line end. Returns how many
   newlines it lacks, 0 if it is not an item. */
static int list_take_tail(FILE *file, uint64_t whole, size_t length, uint64_t hash)
{
    const size_t ends = item_end() && strchr(item_end(), '\n')[1] ? 2 : 1; /* of lines */
    char *text = (char *)malloc(length + 1);
    size_t had = 0, i;
    int lacks = 0;
    if (!text) usage("--resume: out of memory for the list of --output");
    if (!fseek(file, (long)whole, SEEK_SET) && fread(text, 1, length, file) == length) {
        text[length] = 0;
        while (had < length && text[length - 1 - had] == '\n')
            had++;
        if (had < ends && strlen(text) == length && item_whole(text)) lacks = (int)(ends - had);
    }
    free(text);
    if (!lacks) return 0;
    for (i = had; i < ends; i++)
        hash = item_hash(hash, '\n');
    again_add(hash);
    list.count++;
    return lacks;
}

/* Reads the existing list, and notes its items. Returns the bytes of all complete items; *lacks: the newlines
   missing behind the last one. */
static uint64_t list_read(FILE *file, int *lacks)
{
    const char *end = item_end();
    const size_t bytes = (size_t)list.width * (size_t)list.rows * (size_t)list.columns;
    uint64_t whole = list_pass_header(file), hash = FIRST_HASH;
    char last[4] = {0, 0, 0, 0}; /* characters, the newest in front of the 0 */
    size_t length = 0, want = end ? strlen(end) : bytes;
    int c;
    if (!whole && (list.format == LIST_CSV || list.format == LIST_NPY)) return 0;
    while ((c = getc(file)) != EOF) {
        hash = item_hash(hash, (unsigned char)c);
        if (++length > item_most()) list_refuse();
        memmove(last, last + 1, 2);
        last[2] = (char)c;
        if (end ? memcmp(last + 3 - want, end, want) != 0 : length < want) continue;
        again_add(hash);
        list.count++;
        whole += length;
        hash = FIRST_HASH;
        length = 0;
        memset(last, 0, sizeof last);
    }
    *lacks = end && length ? list_take_tail(file, whole, length, hash) : 0;
    return *lacks ? whole + length : whole;
}

/* ---- opening it, writing an item */

/* Opens the file for the rest of the list, and cuts off the incomplete item of a killed run. Returns NULL if it
   cannot be written. */
static FILE *list_go_on(const char *path)
{
    FILE *file = fopen(path, "r+b");
    uint64_t whole;
    int lacks = 0;
    if (!file) return NULL;
    whole = list_read(file, &lacks);
    if (ferror(file)) usage("--output %.200s cannot be read: %s", path, strerror(errno));
    if (fseek(file, 0, SEEK_SET) || file_cut(file, whole) || fseek(file, 0, SEEK_END)) {
        (void)fclose(file);
        return NULL;
    }
    while (lacks--)
        putc('\n', file);
    list.more = whole > 0;
    if (again.count && !(again.scratch = tmpfile()))
        usage("--resume: no temporary file: %s", strerror(errno));
    return file;
}

/* Opens where the list goes. */
static FILE *list_open(void)
{
    const char *path = text_of(OPTION_OUTPUT);
    FILE *file;
    if (!path || !strcmp(path, "-")) return stdout;
    if (!list.resumed || !is_plain_file(path)) return open_output(OPTION_OUTPUT);
    file = list_go_on(path);
    if (!file) usage("--output %.200s cannot be written: %s", path, strerror(errno));
    return file;
}

static void scratch_back(void)
{
    if (fseek(again.scratch, 0, SEEK_SET)) usage("--resume: a temporary file cannot be read");
}

/* The bytes of the item that has been written to the scratch file. */
static size_t scratch_length(void)
{
    const long length = fflush(again.scratch) || ferror(again.scratch) ? -1 : ftell(again.scratch);
    if (length < 0) usage("--resume: a temporary file cannot be written: %s", strerror(errno));
    return (size_t)length;
}

/* Copies the scratch file to `to`, which may be NULL. Returns its hash. */
static uint64_t scratch_read(size_t length, FILE *to)
{
    char block[4096];
    uint64_t hash = FIRST_HASH;
    size_t got, i;
    scratch_back();
    for (; length; length -= got) {
        got = fread(block, 1, length < sizeof block ? length : sizeof block, again.scratch);
        if (!got) usage("--resume: a temporary file cannot be read");
        for (i = 0; i < got; i++)
            hash = item_hash(hash, (unsigned char)block[i]);
        if (to) fwrite(block, 1, got, to);
    }
    return hash;
}

static void list_start(void); /* combgpu_list.h */

/* Call before writing an item, and list_item_end after it. */
static void list_item_begin(void)
{
    list_start();
    if (!again.count) return;
    again.to = list.to;
    list.to = again.scratch;
    scratch_back();
}

/* Writes new items. With a checkpoint each is written at once: the next run may not find it. */
static void list_item_end(void)
{
    if (again.count) {
        const size_t length = scratch_length();
        list.to = again.to;
        if (*again_at(scratch_read(length, NULL) | 1)) {
            list.count--;
            return;
        }
        scratch_read(length, list.to);
    }
    if (given(OPTION_CHECKPOINT) && !list.spool) fflush(list.to);
}

#endif
