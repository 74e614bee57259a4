/* Magic squares: construction by kind, symmetries, M-transformations, canonical form, Dudeney's
   classes. */
#define COMBGPU_ONLY_MAGIC 1
#include "test.h"

static int cmp_squares(const void *a, const void *b)
{
    return memcmp(a, b, 36 * sizeof(int));
}

static void test_construct_kinds(combgpu_context *ctx)
{
    static int square[64 * 64];
    combgpu_magic_report report;
    int n, kind, made[6] = {0}, right = 1, refused = 0;
    for (n = 3; n <= 64; n++)
        for (kind = 0; kind <= COMBGPU_MAGIC_BIMAGIC; kind++) {
            combgpu_status status =
                combgpu_magic_construct_kind(ctx, n, (combgpu_magic_kind)kind, square);
            if (status) {
                refused += status == COMBGPU_INVALID_ARGUMENT || status == COMBGPU_UNSUPPORTED;
                continue;
            }
            made[kind]++;
            combgpu_magic_check(ctx, n, square, &report);
            if (!report.is_magic || (kind == COMBGPU_MAGIC_PANDIAGONAL && !report.is_pandiagonal) ||
                (kind == COMBGPU_MAGIC_ASSOCIATIVE && !report.is_associative) ||
                (kind == COMBGPU_MAGIC_ULTRAMAGIC && !report.is_ultramagic) ||
                (kind == COMBGPU_MAGIC_BIMAGIC && !report.is_bimagic)) {
                printf("# order %d kind %d\n", n, kind);
                right = 0;
            }
        }
    ok(right, "construct_kind: every square of orders 3 to 64 is of its kind");
    equal_u64(made[0], 62, "normal: every order");
    equal_u64(made[COMBGPU_MAGIC_ASSOCIATIVE], 31 + 16, "associative: all but 4k + 2");
    equal_u64(made[COMBGPU_MAGIC_PANDIAGONAL], 31 + 16 - 1, "pandiagonal: all but 3 and 4k + 2");
    equal_u64(made[COMBGPU_MAGIC_ULTRAMAGIC], 31 + 16 - 2, "ultramagic: all but 3, 4 and 4k + 2");
    equal_u64(made[COMBGPU_MAGIC_BIMAGIC], 8, "bimagic: 8 9 16 25 27 32 49 64");
    equal_u64(made[0] + made[1] + made[2] + made[3] + made[4] + made[5] + refused, 6 * 62,
              "the others are refused");
    ok(combgpu_magic_construct_kind(ctx, 6, COMBGPU_MAGIC_PANDIAGONAL, square) ==
               COMBGPU_INVALID_ARGUMENT &&
           strstr(combgpu_message(ctx), "there is no pandiagonal square"),
       "pandiagonal of order 6 does not exist: %s", combgpu_message(ctx));
    ok(combgpu_magic_construct_kind(ctx, 10, COMBGPU_MAGIC_BIMAGIC, square) ==
               COMBGPU_UNSUPPORTED &&
           strstr(combgpu_message(ctx), "bimagic"),
       "bimagic of order 10 is not made: %s", combgpu_message(ctx));
    equal_status(ctx, combgpu_magic_construct_kind(ctx, 7, COMBGPU_MAGIC_BIMAGIC, square),
                 COMBGPU_INVALID_ARGUMENT, "bimagic of order 7 does not exist");
    equal_status(ctx, combgpu_magic_construct_kind(ctx, 8, (combgpu_magic_kind)6, square),
                 COMBGPU_INVALID_ARGUMENT, "kind 6 does not exist");
}

/* Line sums of a large square, without check's limit of 64. */
static void test_construct_large(combgpu_context *ctx)
{
    const int orders[3] = {625, 1000, 2003};
    int k;
    for (k = 0; k < 3; k++) {
        size_t n = (size_t)orders[k], i, j;
        int *square = (int *)malloc(n * n * sizeof(int));
        char *seen = (char *)calloc(n * n, 1);
        int64_t want = (int64_t)(n * (n * n + 1) / 2);
        int right = 1;
        combgpu_magic_construct_kind(ctx, orders[k], COMBGPU_MAGIC_PANDIAGONAL, square);
        for (i = 0; i < n; i++) {
            int64_t row = 0, column = 0, down = 0, up = 0;
            for (j = 0; j < n; j++) {
                int v = square[i * n + j];
                right = right && v >= 1 && (size_t)v <= n * n && !seen[v - 1]++;
                row += v;
                column += square[j * n + i];
                down += square[j * n + (i + j) % n];
                up += square[j * n + (i + n - j) % n];
            }
            right = right && row == want && column == want && down == want && up == want;
        }
        ok(right, "pandiagonal of order %d: rows, columns, broken diagonals", orders[k]);
        free(square);
        free(seen);
    }
}

/* Sums and sums of squares of a compound order, in which a factor 8 meets others. */
static void test_construct_bimagic_compound(combgpu_context *ctx)
{
    enum { N = 200 };
    static int square[N * N];
    static char seen[N * N];
    const int64_t want = N * (N * N + 1) / 2, want_squares = want * (2 * N * N + 1) / 3;
    int64_t sums[4], squares[4];
    int i, k, line, right, many = 0;
    equal_status(ctx, combgpu_magic_construct_kind(ctx, N, COMBGPU_MAGIC_BIMAGIC, square),
                 COMBGPU_OK, "bimagic of order 200");
    for (right = 1, k = 0; k < N; k++) {
        memset(sums, 0, sizeof sums);
        memset(squares, 0, sizeof squares);
        for (i = 0; i < N; i++)
            for (line = 0; line < 4; line++) {
                const int cell[4] = {k * N + i, i * N + k, i * N + i, i * N + N - 1 - i};
                int64_t v = square[cell[line]];
                sums[line] += v;
                squares[line] += v * v;
            }
        for (line = 0; line < 4; line++)
            right = right && sums[line] == want && squares[line] == want_squares;
    }
    for (i = 0; i < N * N; i++)
        many += square[i] >= 1 && square[i] <= N * N && !seen[square[i] - 1]++;
    ok(right && many == N * N, "all its sums and sums of squares, each number once");
}

static int keep(const int *square, int order, void *user)
{
    memcpy(user, square, (size_t)(order * order) * sizeof *square);
    return 1;
}

/* The rarer properties that check reports, of squares that searches find. */
static void test_check_more(combgpu_context *ctx)
{
    static const int inner[25] = {0,  0, 0, 0,  0,  0,  16, 9, 14, 0, 0, 11, 13,
                                  15, 0, 0, 12, 17, 10, 0,  0, 0,  0, 0, 0};
    int square[64], k;
    combgpu_magic_desc desc;
    combgpu_magic_report report;
    for (k = 0; k < 3; k++) {
        memset(&desc, 0, sizeof desc);
        desc.order = k == 2 ? 5 : 8;
        desc.kind = k == 0   ? COMBGPU_MAGIC_MOST_PERFECT
                    : k == 1 ? COMBGPU_MAGIC_FRANKLIN
                             : COMBGPU_MAGIC_NORMAL;
        desc.givens = k == 2 ? inner : NULL;
        desc.solution = keep;
        desc.solution_user = square;
        equal_status(ctx, combgpu_magic(ctx, &desc, NULL), COMBGPU_STOPPED, "a first square");
        combgpu_magic_check(ctx, desc.order, square, &report);
        ok(k == 0   ? report.is_most_perfect && report.is_pandiagonal && !report.is_bimagic
           : k == 1 ? report.is_franklin && report.is_semimagic
                    : report.is_concentric && report.inner_squares == 1 && !report.is_franklin,
           "%s",
           k == 0   ? "is most-perfect"
           : k == 1 ? "is a Franklin square"
                    : "is concentric");
        square[9] += 1;
        combgpu_magic_check(ctx, desc.order, square, &report);
        ok(!report.is_most_perfect && !report.is_franklin && !report.is_concentric &&
               !report.is_self_complementary,
           "with a wrong number it is nothing");
    }
    combgpu_magic_construct(ctx, 4, square);
    combgpu_magic_check(ctx, 4, square, &report);
    ok(report.corners == 34 && report.middle == 34 && report.is_self_complementary &&
           !report.is_trimagic && !report.inner_squares,
       "order 4: corners and middle have the magic sum");
    combgpu_magic_construct_kind(ctx, 8, COMBGPU_MAGIC_BIMAGIC, square);
    combgpu_magic_check(ctx, 8, square, &report);
    ok(report.is_bimagic && !report.is_trimagic, "bimagic, not trimagic");
}

static void test_symmetries(combgpu_context *ctx)
{
    const int a[9] = {2, 7, 6, 9, 5, 1, 4, 3, 8};
    const int transposed[9] = {2, 9, 4, 7, 5, 3, 6, 1, 8}, flipped[9] = {4, 3, 8, 9, 5, 1, 2, 7, 6};
    const int turned[9] = {8, 3, 4, 1, 5, 9, 6, 7, 2};
    int out[8][9], g, k, different = 1, same[9];
    for (g = 0; g < 8; g++) {
        combgpu_magic_symmetry(ctx, 3, a, g, out[g]);
        for (k = 0; k < g; k++)
            different = different && memcmp(out[g], out[k], sizeof a);
    }
    ok(different, "the 8 symmetries give 8 squares");
    ok(!memcmp(out[0], a, sizeof a) && !memcmp(out[1], transposed, sizeof a) &&
           !memcmp(out[2], flipped, sizeof a) && !memcmp(out[6], turned, sizeof a),
       "0 nothing, 1 transpose, 2 flip rows, 6 half a turn");
    for (g = 0, k = 1; g < 8; g++) {
        combgpu_magic_frenicle(ctx, 3, out[g], same);
        k = k && !memcmp(same, a, sizeof same);
    }
    ok(k, "all 8 have one Frenicle form");
    ok(combgpu_magic_symmetry(ctx, 3, a, 8, same) == COMBGPU_INVALID_ARGUMENT &&
           combgpu_magic_symmetry(ctx, 3, a, 1, (int *)(uintptr_t)a) == COMBGPU_INVALID_ARGUMENT &&
           combgpu_magic_symmetry(ctx, 0, a, 1, same) == COMBGPU_INVALID_ARGUMENT &&
           combgpu_magic_symmetry(ctx, 3, NULL, 1, same) == COMBGPU_INVALID_ARGUMENT,
       "symmetry: bad number, same array, order 0, NULL");
}

/* All images of a square under D4 and M; how many differ. The first one goes to `first`. */
static int orbit(combgpu_context *ctx, int n, const int *square, int *first, int *canonical_ok)
{
    static int images[1536][36];
    int other[36], turned[36], form[36], want[36], g, count = 0, i, all = 0;
    uint64_t k, m;
    combgpu_magic_m_count(ctx, n, &m);
    combgpu_magic_canonical(ctx, n, square, want);
    memset(images, 0, sizeof images);
    *canonical_ok = 1;
    for (g = 0; g < 8; g++)
        for (k = 0; k < m; k++) {
            combgpu_magic_symmetry(ctx, n, square, g, turned);
            combgpu_magic_m_transform(ctx, n, turned, k, other);
            combgpu_magic_canonical(ctx, n, other, form);
            if (memcmp(form, want, (size_t)(n * n) * sizeof(int))) *canonical_ok = 0;
            memcpy(images[all++], other, (size_t)(n * n) * sizeof(int));
        }
    qsort(images, (size_t)all, sizeof images[0], cmp_squares);
    for (i = 0; i < all; i++)
        count += !i || memcmp(images[i], images[i - 1], sizeof images[0]);
    memcpy(first, images[0], (size_t)(n * n) * sizeof(int));
    for (i = 1; i < all; i++) { /* qsort compared bytes: find the first by numbers */
        for (g = 0; g < n * n - 1 && images[i][g] == first[g]; g++) {
        }
        if (images[i][g] < first[g]) memcpy(first, images[i], (size_t)(n * n) * sizeof(int));
    }
    if (memcmp(first, want, (size_t)(n * n) * sizeof(int))) *canonical_ok = 0;
    return count;
}

static void test_m_group(combgpu_context *ctx)
{
    const uint64_t counts[9] = {1, 1, 2, 2, 8, 8, 48, 48, 384};
    const int sizes[7] = {0, 0, 0, 8, 32, 32, 192};
    int n, square[36], out[36], first[36], canonical_ok, i, right;
    uint64_t m, k;
    for (n = 1; n <= 8; n++) {
        combgpu_magic_m_count(ctx, n, &m);
        equal_u64(m, counts[n], "order %d has %llu M-transformations", n,
                  (unsigned long long)counts[n]);
    }
    for (n = 3; n <= 6; n++) {
        combgpu_magic_report report;
        combgpu_magic_construct(ctx, n, square);
        combgpu_magic_m_count(ctx, n, &m);
        for (k = 0, right = 1; k < m; k++) {
            combgpu_magic_m_transform(ctx, n, square, k, out);
            combgpu_magic_check(ctx, n, out, &report);
            right = right && report.is_magic && (k || !memcmp(out, square, sizeof(int) * 9));
        }
        ok(right, "order %d: all M-transformations are magic", n);
        equal_u64(orbit(ctx, n, square, first, &canonical_ok), sizes[n],
                  "order %d: D4 and M give %d squares", n, sizes[n]);
        ok(canonical_ok, "order %d: canonical is the first of them, from any of them", n);
    }
    for (i = 0; i < 16; i++)
        square[i] = 1;
    ok(combgpu_magic_canonical(ctx, 4, square, out) == COMBGPU_INVALID_ARGUMENT &&
           strstr(combgpu_message(ctx), "twice"),
       "canonical refuses equal numbers: %s", combgpu_message(ctx));
    ok(combgpu_magic_m_transform(ctx, 4, square, 8, out) == COMBGPU_INVALID_ARGUMENT &&
           combgpu_magic_m_count(ctx, 34, &m) == COMBGPU_INVALID_ARGUMENT &&
           combgpu_magic_m_count(ctx, 4, NULL) == COMBGPU_INVALID_ARGUMENT &&
           combgpu_magic_canonical(ctx, 4, square, NULL) == COMBGPU_INVALID_ARGUMENT,
       "m_transform, m_count, canonical: bad arguments");
    {
        int big[33 * 33], there[33 * 33], back[33 * 33];
        combgpu_magic_construct(ctx, 33, big);
        combgpu_magic_m_count(ctx, 33, &m);
        combgpu_magic_m_transform(ctx, 33, big, m - 1, there);
        combgpu_magic_canonical(ctx, 33, there, back);
        combgpu_magic_canonical(ctx, 33, big, there);
        ok(!memcmp(there, back, sizeof back), "order 33: last transformation, same canonical form");
    }
}

typedef struct classes {
    combgpu_context *ctx;
    uint64_t by_type[13], canonical;
} classes;

static int classify(const int *square, int order, void *user)
{
    classes *c = (classes *)user;
    int type, form[16], frenicle[16];
    (void)order;
    combgpu_magic_dudeney(c->ctx, square, &type);
    c->by_type[type]++;
    combgpu_magic_canonical(c->ctx, 4, square, form);
    combgpu_magic_frenicle(c->ctx, 4, form, frenicle);
    c->canonical += !memcmp(frenicle, square, sizeof form);
    return 0;
}

static void test_dudeney(combgpu_context *ctx)
{
    static const int want[13] = {0, 48, 48, 48, 96, 96, 304, 56, 56, 56, 56, 8, 8};
    static const char *const names[13] = {"none", "I",    "II", "III", "IV", "V",  "VI",
                                          "VII",  "VIII", "IX", "X",   "XI", "XII"};
    static const int durer[16] = {16, 3, 2, 13, 5, 10, 11, 8, 9, 6, 7, 12, 4, 15, 14, 1};
    static const int first[16] = {1, 2, 15, 16, 12, 14, 3, 5, 13, 7, 10, 4, 8, 11, 6, 9};
    int rows[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}, type, k;
    combgpu_magic_desc desc;
    combgpu_magic_result result;
    classes c;
    memset(&desc, 0, sizeof desc);
    memset(&c, 0, sizeof c);
    c.ctx = ctx;
    desc.order = 4;
    desc.frenicle = 1;
    desc.solution = classify;
    desc.solution_user = &c;
    combgpu_magic(ctx, &desc, &result);
    for (k = 0; k <= 12; k++)
        equal_u64(c.by_type[k], want[k], "Dudeney class %s: %d squares", names[k], want[k]);
    equal_u64(c.canonical, 220, "220 of the 880 squares come from canonical forms");
    combgpu_magic_dudeney(ctx, durer, &type);
    equal_u64(type, 3, "Durer's square is of class III");
    combgpu_magic_dudeney(ctx, first, &type);
    equal_u64(type, 6, "Frenicle's first square is of class VI");
    combgpu_magic_construct_kind(ctx, 4, COMBGPU_MAGIC_PANDIAGONAL, rows);
    combgpu_magic_dudeney(ctx, rows, &type);
    equal_u64(type, 1, "the pandiagonal square is of class I");
    rows[3] = rows[4];
    ok(combgpu_magic_dudeney(ctx, rows, &type) == COMBGPU_INVALID_ARGUMENT, "dudeney refuses: %s",
       combgpu_message(ctx));
    ok(combgpu_magic_canonical(NULL, 4, durer, rows) == COMBGPU_INVALID_ARGUMENT &&
           combgpu_magic_frenicle(NULL, 4, durer, rows) == COMBGPU_OK,
       "without a context: what needs no memory");
}

int main(void)
{
    combgpu_context *ctx;
    if (!test_open(0, &ctx)) return 1;
    test_construct_kinds(ctx);
    test_construct_bimagic_compound(ctx);
    test_check_more(ctx);
    test_construct_large(ctx);
    test_symmetries(ctx);
    test_m_group(ctx);
    test_dudeney(ctx);
    combgpu_close(ctx);
    return tap_end();
}
