/* Magic squares of orders 7 to 10, most-perfect and Franklin squares: the search by linear
   equations. */
#define COMBGPU_ONLY_MAGIC 1
#include "test.h"

/* Slow oracle: the ways to fill two missing rows of a square of odd or even order, column by
   column: each column leaves a sum for its two cells. The full squares are checked by the library's
   check. */
static uint64_t two_rows(combgpu_context *ctx, int n, int *square, const int rows[2],
                         const int *unused, int column, unsigned taken)
{
    combgpu_magic_report report;
    uint64_t count = 0;
    int i, k, rest = n * (n * n + 1) / 2;
    if (column == n) {
        combgpu_magic_check(ctx, n, square, &report);
        return report.is_magic != 0;
    }
    for (i = 0; i < n; i++)
        if (i != rows[0] && i != rows[1]) rest -= square[i * n + column];
    for (i = 0; i < 2 * n; i++)
        for (k = 0; k < 2 * n; k++) {
            if (i == k || unused[i] + unused[k] != rest || (taken >> i & 1) || (taken >> k & 1))
                continue;
            square[rows[0] * n + column] = unused[i];
            square[rows[1] * n + column] = unused[k];
            count += two_rows(ctx, n, square, rows, unused, column + 1, taken | 1u << i | 1u << k);
        }
    return count;
}

static void test_two_rows_missing(combgpu_context *ctx)
{
    static int givens[100], square[100], unused[20];
    const int rows[4][2] = {{1, 4}, {0, 7}, {3, 6}, {2, 8}};
    int n, i, at;
    for (n = 7; n <= 10; n++) {
        const int *missing = rows[n - 7];
        combgpu_magic_desc desc;
        combgpu_magic_result result;
        memset(&desc, 0, sizeof desc);
        combgpu_magic_construct_kind(
            ctx, n, n == 10 ? COMBGPU_MAGIC_NORMAL : COMBGPU_MAGIC_PANDIAGONAL, square);
        memcpy(givens, square, sizeof givens);
        for (at = 0, i = 0; i < 2 * n; i++) {
            int cell = missing[i / n] * n + i % n;
            unused[at++] = square[cell];
            givens[cell] = 0;
        }
        desc.order = n;
        desc.givens = givens;
        equal_status(ctx, combgpu_magic(ctx, &desc, &result), COMBGPU_OK,
                     "order %d with two rows missing", n);
        equal_u64(result.count, two_rows(ctx, n, square, missing, unused, 0, 0),
                  "as many as a slow search finds, %llu", (unsigned long long)result.count);
    }
}

typedef struct seen {
    combgpu_context *ctx;
    uint64_t calls, wrong, hash;
    int kind, squares[64][100];
} seen;

/* Callback: checks the kind and keeps the first squares. */
static int look(const int *square, int order, void *user)
{
    seen *s = (seen *)user;
    combgpu_magic_report report;
    combgpu_magic_check(s->ctx, order, square, &report);
    if (s->kind == COMBGPU_MAGIC_ULTRAMAGIC ? !report.is_ultramagic
        : s->kind == COMBGPU_MAGIC_BIMAGIC  ? !report.is_bimagic
                                            : !report.is_magic)
        s->wrong++;
    if (s->calls < 64) memcpy(s->squares[s->calls], square, sizeof(int) * (size_t)(order * order));
    s->calls++;
    return 0;
}

/* Most-perfect squares: 48 of order 4, which are the pandiagonal ones, and 368,640 of order 8 (K.
   Ollerenshaw and D. S. Bree 1998). */
static void test_most_perfect(combgpu_context *ctx)
{
    static const int corner[64] = {1};
    combgpu_magic_desc desc;
    combgpu_magic_result result, other;
    memset(&desc, 0, sizeof desc);
    desc.order = 4;
    desc.kind = COMBGPU_MAGIC_PANDIAGONAL;
    combgpu_magic(ctx, &desc, &other);
    desc.kind = COMBGPU_MAGIC_MOST_PERFECT;
    equal_status(ctx, combgpu_magic(ctx, &desc, &result), COMBGPU_OK, "most-perfect, order 4");
    equal_u64(result.up_to_d4, 48, "48 squares");
    ok(result.run.checksum == other.run.checksum, "the pandiagonal ones");
    desc.order = 6;
    equal_status(ctx, combgpu_magic(ctx, &desc, &result), COMBGPU_OK, "most-perfect, order 6");
    equal_u64(result.count, 0, "none");
    desc.order = 8;
    if (test_small() || !test_has_gpu()) {
        desc.run.shard_count = 50;
        equal_status(ctx, combgpu_magic(ctx, &desc, &result), COMBGPU_OK, "a part of order 8");
        equal_u64(result.up_to_d4, 6912, "as many as when all parts had 368,640 squares");
        /* shifts of rows and columns take every cell to the corner */
        desc.run.shard_count = 0;
        desc.givens = corner;
        equal_status(ctx, combgpu_magic(ctx, &desc, &result), COMBGPU_OK, "order 8, 1 in a corner");
        equal_u64(result.count, 368640 * 8 / 64, "one of 64 squares in all orientations");
        return;
    }
    equal_status(ctx, combgpu_magic(ctx, &desc, &result), COMBGPU_OK, "most-perfect, order 8");
    equal_u64(result.up_to_d4, 368640, "368,640 squares");
}

/* The M-group takes squares of these kinds to others: no classes up to it, nor of a shard. */
static void test_no_m_group(combgpu_context *ctx)
{
    static const combgpu_magic_kind kinds[] = {COMBGPU_MAGIC_PANDIAGONAL,
                                               COMBGPU_MAGIC_MOST_PERFECT, COMBGPU_MAGIC_FRANKLIN};
    combgpu_magic_desc desc;
    combgpu_magic_result result;
    int k, shard;
    for (k = 0; k < 3; k++)
        for (shard = 0; shard < 3; shard++) { /* the whole, and its halves */
            memset(&desc, 0, sizeof desc);
            desc.order = 4;
            desc.kind = kinds[k];
            desc.run.shard_count = shard ? 2 : 0;
            desc.run.shard_index = shard ? shard - 1 : 0;
            ok(!combgpu_magic(ctx, &desc, &result) && result.up_to_m_group == 0,
               "kind %d, order 4, shard %d: nothing up to the M-group", (int)kinds[k], shard);
        }
}

/* Most-perfect and Franklin squares are of orders 4k: others have none, and fill no table. */
static void test_other_orders(combgpu_context *ctx)
{
    combgpu_magic_desc desc;
    combgpu_magic_result result;
    int order, franklin;
    memset(&desc, 0, sizeof desc);
    for (order = 1; order <= 10; order++)
        for (franklin = 0; franklin < 2 && order % 4; franklin++) {
            combgpu_status status;
            desc.order = order;
            desc.kind = franklin ? COMBGPU_MAGIC_FRANKLIN : COMBGPU_MAGIC_MOST_PERFECT;
            memset(&result, 255, sizeof result);
            status = combgpu_magic(ctx, &desc, &result);
            ok(status == COMBGPU_OK && result.count == 0, "order %d has no %s square", order,
               franklin ? "Franklin" : "most-perfect");
        }
}

/* Ultramagic squares of order 7 with a given row and some more: the images under all 48 symmetries
   of the kind are ultramagic, and counts with givens in their places agree. */
static void test_ultramagic(combgpu_context *ctx)
{
    static seen s;
    combgpu_magic_desc desc;
    combgpu_magic_result result;
    int square[49], givens[49], i, k, different = 1;
    memset(&desc, 0, sizeof desc);
    memset(&s, 0, sizeof s);
    s.ctx = ctx;
    s.kind = COMBGPU_MAGIC_ULTRAMAGIC;
    desc.order = 7;
    desc.kind = COMBGPU_MAGIC_ULTRAMAGIC;
    desc.solution = look;
    desc.solution_user = &s;
    desc.limit = 48;
    equal_status(ctx, combgpu_magic(ctx, &desc, &result), COMBGPU_FOUND, "48 ultramagic squares");
    equal_u64(s.wrong, 0, "all of them are ultramagic");
    for (i = 0; i < 48; i++)
        for (k = 0; k < i; k++)
            different = different && memcmp(s.squares[i], s.squares[k], sizeof square);
    ok(different, "all differ");
    for (k = 0; k < 48; k += 13) { /* one square is found by half of its numbers */
        for (i = 0; i < 49; i++)
            givens[i] = i < 21 ? s.squares[k][i] : 0;
        desc.solution = NULL;
        desc.limit = 0;
        desc.givens = givens;
        equal_status(ctx, combgpu_magic(ctx, &desc, &result), COMBGPU_OK, "three rows given");
        equal_u64(result.count, 1, "one square");
    }
}

/* A part of the ultramagic squares of order 7, in every orientation and under all 48 symmetries. */
enum { PART_ROOM = 60000, ULTRA_PART = 3180 };
typedef struct part {
    combgpu_context *ctx;
    int count, wrong;
    unsigned char square[PART_ROOM][49];
} part;

static int keep_part(const int *square, int order, void *user)
{
    part *p = (part *)user;
    combgpu_magic_report report;
    int i;
    (void)order;
    combgpu_magic_check(p->ctx, 7, square, &report);
    p->wrong += !report.is_ultramagic || p->count == PART_ROOM;
    if (p->count == PART_ROOM) return 1;
    for (i = 0; i < 49; i++)
        p->square[p->count][i] = (unsigned char)square[i];
    p->count++;
    return 0;
}

static int compare_squares(const void *a, const void *b)
{
    return memcmp(a, b, 49);
}

/* Slow oracle: the ultramagic squares with given residues mod 16 of numbers less 25, cell by cell.
   Each is looked for among the squares of a part, and the missing ones are counted. */
typedef struct oracle {
    const part *in;
    int value[49], residue[25], count, missing;
    unsigned used; /* absolute values */
} oracle;

static int oracle_line(const oracle *o, int from, int step)
{
    int i, sum = 0;
    for (i = 0; i < 7; i++)
        sum += o->value[from + i * step];
    return sum;
}

static void oracle_found(oracle *o)
{
    int direction, k, i, found = 0;
    for (direction = 0; direction < 2; direction++)
        for (k = 0; k < 7; k++) {
            int sum = 0;
            for (i = 0; i < 7; i++)
                sum += o->value[7 * i + (direction ? k + 7 - i : k + i) % 7];
            if (sum) return;
        }
    o->count++;
    for (k = 0; k < o->in->count && !found; k++)
        for (found = 1, i = 0; i < 49; i++)
            found = found && o->in->square[k][i] == o->value[i] + 25;
    o->missing += !found;
}

static void oracle_fill(oracle *o, int cell)
{
    int v, low = -24, high = 24;
    if (cell == 24) {
        for (v = 0; v < 3; v++)
            if (oracle_line(o, v, 7)) return;
        oracle_found(o);
        return;
    }
    if (cell % 7 == 6) /* the row's sum is 0 */
        low = high = -(oracle_line(o, cell - 6, 1) - o->value[cell]);
    if (cell > 20) /* the column's */
        low = high = -(oracle_line(o, cell % 7, 7) - o->value[cell]);
    for (v = low; v <= high && v <= 24; v++) {
        unsigned bit = v < -24 || !v ? 1u : 1u << (v < 0 ? -v : v);
        if ((v & 15) != o->residue[cell] || (o->used & bit)) continue;
        o->used |= bit;
        o->value[cell] = v, o->value[48 - cell] = -v;
        oracle_fill(o, cell + 1);
        o->value[cell] = o->value[48 - cell] = 0;
        o->used ^= bit;
    }
}

/* With room for a few records in a slice, most units are left in the middle and gone on with: the
   list, its steps and its checksum are the same. */
static void test_ultramagic_room(combgpu_context *ctx, combgpu_magic_desc *desc, part *p,
                                 const combgpu_magic_result *all)
{
    combgpu_magic_result result;
    combgpu_job *job;
    combgpu_status status = combgpu_magic_begin(ctx, desc, &job);
    p->count = 0;
    equal_status(ctx, status, COMBGPU_OK, "a job for the same part");
    if (status) return;
    inside_set_record_room(job, 3);
    equal_status(ctx, test_run(job), COMBGPU_OK, "with room for 3 records");
    combgpu_magic_end(job, &result);
    ok((uint64_t)p->count == all->count && !p->wrong && result.count == all->count &&
           result.run.steps == all->run.steps && result.run.checksum == all->run.checksum,
       "the same list, %d squares", p->count);
}

/* The part has all squares that are congruent mod 16 to one of its own, and its count is that of a
   part that is only counted. The lists of all of it, and sums, are equal on every backend. */
static void test_ultramagic_part(combgpu_context *ctx)
{
    static part p;
    static oracle o;
    combgpu_magic_desc desc;
    combgpu_magic_result counted, listed;
    int k, i, looks = test_small() ? 40 : 150, several = 0, missing = 0;
    memset(&desc, 0, sizeof desc);
    desc.order = 7;
    desc.kind = COMBGPU_MAGIC_ULTRAMAGIC;
    desc.run.shard_count = 6000;
    desc.run.shard_index = 4321;
    equal_status(ctx, combgpu_magic(ctx, &desc, &counted), COMBGPU_OK, "a part of order 7");
    equal_u64(counted.up_to_d4, ULTRA_PART, "counted");
    desc.solution = keep_part;
    desc.solution_user = &p;
    p.ctx = ctx;
    equal_status(ctx, combgpu_magic(ctx, &desc, &listed), COMBGPU_OK, "the same part, listed");
    ok(listed.count == counted.count && listed.up_to_d4 == counted.up_to_d4 &&
           listed.run.checksum == counted.run.checksum && listed.run.steps == counted.run.steps,
       "count, checksum and steps are those of the count");
    ok((uint64_t)p.count == listed.count && !p.wrong, "%d ultramagic squares", p.count);
    /* a search finds them in any order: look at the same ones each time */
    qsort(p.square, (size_t)p.count, sizeof p.square[0], compare_squares);
    for (k = 0; k < looks; k++) {
        const unsigned char *like = p.square[(long)p.count * k / looks];
        memset(&o, 0, sizeof o);
        o.in = &p;
        o.used = 1;
        for (i = 0; i < 24; i++)
            o.residue[i] = (like[i] - 25) & 15;
        oracle_fill(&o, 0);
        several += o.count;
        missing += o.missing;
    }
    ok(several > looks && !missing, "has all %d squares that a slow search finds mod 16", several);
    test_ultramagic_room(ctx, &desc, &p, &listed);
    desc.run.shard_count = desc.run.shard_index = 0;
    desc.limit = 5;
    p.count = 0;
    equal_status(ctx, combgpu_magic(ctx, &desc, &listed), COMBGPU_FOUND,
                 "the first squares of all");
    ok(p.count == 5 && !p.wrong, "%d of 5 ultramagic squares", p.count);
}

static void test_bimagic(combgpu_context *ctx)
{
    static seen s;
    combgpu_magic_desc desc;
    combgpu_magic_result result;
    int square[64], givens[64], i, found = 0;
    memset(&desc, 0, sizeof desc);
    memset(&s, 0, sizeof s);
    s.ctx = ctx;
    s.kind = COMBGPU_MAGIC_BIMAGIC;
    combgpu_magic_construct_kind(ctx, 8, COMBGPU_MAGIC_BIMAGIC, square);
    for (i = 0; i < 64; i++)
        givens[i] = i / 8 >= 1 && i / 8 < 5 ? square[i] : 0;
    desc.order = 8;
    desc.kind = COMBGPU_MAGIC_BIMAGIC;
    desc.givens = givens;
    desc.solution = look;
    desc.solution_user = &s;
    equal_status(ctx, combgpu_magic(ctx, &desc, &result), COMBGPU_OK,
                 "four rows of a bimagic square");
    for (i = 0; i < 64 && (uint64_t)i < s.calls; i++)
        found = found || !memcmp(s.squares[i], square, sizeof square);
    ok(found && !s.wrong && s.calls == result.count, "that square is among %llu",
       (unsigned long long)s.calls);
}

static void test_lists_and_ends(combgpu_context *ctx)
{
    combgpu_magic_list_desc list;
    combgpu_magic_list_result listed;
    combgpu_magic_desc desc;
    combgpu_magic_result result;
    static unsigned char bytes[64 * 4096];
    int givens[81] = {0}, square[81], i, sorted = 1;
    memset(&list, 0, sizeof list);
    memset(&desc, 0, sizeof desc);
    desc.order = list.order = 4;
    list.kind = COMBGPU_MAGIC_MOST_PERFECT;
    list.out = bytes;
    list.out_bytes = sizeof bytes;
    equal_status(ctx, combgpu_magic_list(ctx, &list, &listed), COMBGPU_OK, "a list");
    for (i = 1; i < (int)listed.count; i++)
        sorted = sorted && memcmp(bytes + 16 * (i - 1), bytes + 16 * i, 16) < 0;
    ok(sorted && listed.count == 384, "is in order: 384 squares");
    combgpu_magic_construct(ctx, 9, square);
    desc.order = 9;
    desc.givens = square;
    equal_status(ctx, combgpu_magic(ctx, &desc, &result), COMBGPU_OK, "a full square of order 9");
    equal_u64(result.count, 1, "is its only completion");
    for (i = 0; i < 81; i++)
        givens[i] = i < 9 || i == 40 ? 0 : square[i];
    desc.givens = givens;
    equal_status(ctx, combgpu_magic(ctx, &desc, &result), COMBGPU_OK,
                 "a row and the centre missing");
    equal_u64(result.count, 1, "follow from the other numbers");
    givens[9] = square[10],
    givens[10] = square[9]; /* now row 0 would repeat numbers, or leave 1 to 81 */
    equal_status(ctx, combgpu_magic(ctx, &desc, &result), COMBGPU_OK, "two of them swapped");
    equal_u64(result.count, 0, "leave no square");
}

int main(void)
{
    combgpu_context *ctx;
    combgpu_open(&ctx, NULL);
    test_two_rows_missing(ctx);
    test_most_perfect(ctx);
    test_no_m_group(ctx);
    test_other_orders(ctx);
    test_ultramagic(ctx);
    test_ultramagic_part(ctx);
    test_bimagic(ctx);
    test_lists_and_ends(ctx);
    combgpu_close(ctx);
    return tap_end();
}
