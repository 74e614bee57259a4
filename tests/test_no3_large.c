/* Tests no-three-in-line above n = 64: boards of two words per row are checked, rotated, written and read;
   searches find every board of the archive, and only solutions. */
#include "test.h"

#define WORDS COMBGPU_NO3_BOARD_WORDS

/* The first lines of n66_rot4 and n72_rot4 in A. Flammenkamp's archive,
   https://wwwhomes.uni-bielefeld.de/achim/no3in/download/configurations/ */
static const char *const archived[] = {
    "oVaap2$KNFeFZDd8bjwOqLhCcLs9x1nyzEWPhOgWc8#rtAHI#lu4m6UBJ7V015db&knGJ0SQy%&YwksZxHz9I3lmtAC3vR"
    "XNfMeXp45G%6uBiRrMiDf7KSvQqUoPogj2$ETTY",
    "oYdXgMSflKiS#AKEGHm5qV&RfOmFGe%oww%Z$PT9b&?FXa(8C3xQrWk4y@(1r3BEz0jo)J[MsHn0q1LQ[Avy!I)25B?PdI"
    "jC!x$2Zcu46Y#gk8a7DDL7VtuNlUi6eJ@Nstvpz9hRpOUhnTcWb"};

static int has(int n, const uint64_t *rows, int x, int y)
{
    return (int)(rows[y * COMBGPU_NO3_ROW_WORDS(n) + x / 64] >> x % 64 & 1);
}

static void put(int n, uint64_t *rows, int x, int y)
{
    rows[y * COMBGPU_NO3_ROW_WORDS(n) + x / 64] |= UINT64_C(1) << x % 64;
}

static int same_board(int n, const uint64_t *a, const uint64_t *b)
{
    return !memcmp(a, b, (size_t)(n * COMBGPU_NO3_ROW_WORDS(n)) * sizeof *a);
}

static void random_board(int n, uint64_t *rows)
{
    int i;
    memset(rows, 0, WORDS * sizeof *rows);
    for (i = 0; i < 2 * n; i++)
        put(n, rows, random_below(n), random_below(n));
}

static void test_archive(void)
{
    size_t k;
    for (k = 0; k < 2; k++) {
        uint64_t rows[WORDS], turned[WORDS];
        char text[200];
        int n = 0, x, y, same = 1;
        combgpu_no3_class claimed = COMBGPU_NO3_ALL;
        combgpu_no3_report report;
        equal_status(CPU,
                     combgpu_no3_from_flammenkamp(CPU, archived[k], strlen(archived[k]), &n, rows,
                                                  &claimed, NULL),
                     COMBGPU_OK, "an archived line of n = %d is read", k ? 72 : 66);
        combgpu_no3_check(CPU, n, rows, &report);
        ok(n == (k ? 72 : 66) && report.is_solution && report.symmetry == COMBGPU_NO3_ROT4 &&
               claimed == COMBGPU_NO3_ROT4 && report.points == 2 * n,
           "... and is a solution with a quarter turn, as it says");
        combgpu_no3_to_flammenkamp(CPU, n, rows, text, sizeof text, NULL);
        ok(!strcmp(text, archived[k]), "... and is written as it was");
        memset(turned, 0, sizeof turned);
        for (y = 0; y < n; y++)
            for (x = 0; x < n; x++)
                if (has(n, rows, x, y)) put(n, turned, n - 1 - y, x);
        same = same_board(n, rows, turned);
        ok(same, "... and a quarter turn, point by point, leaves it the same");
        for (x = 0; !has(n, rows, x, 0);)
            x++;
        rows[x / 64] ^= UINT64_C(1) << x % 64;
        put(n, rows, (x + 1) % n, 0);
        combgpu_no3_check(CPU, n, rows, &report);
        ok(!report.is_solution && report.symmetry == COMBGPU_NO3_IDEN,
           "... and with a point moved it is not a solution");
    }
}

/* All 90 characters: a board of side 90 with points in columns i and i + 1 of row i. */
static void test_characters(void)
{
    static const char all[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                              "#$%&@?!()[]<>{}=*+|-/~^_:;,.";
    uint64_t rows[WORDS], back[WORDS];
    char text[300];
    int i, n = 0, right = 1;
    memset(rows, 0, sizeof rows);
    for (i = 0; i < 90; i++) {
        put(90, rows, i, i);
        put(90, rows, (i + 1) % 90, i);
    }
    combgpu_no3_to_flammenkamp(CPU, 90, rows, text, sizeof text, NULL);
    for (i = 0; i < 89; i++)
        right &= text[1 + 2 * i] == all[i] && text[2 + 2 * i] == all[i + 1];
    combgpu_no3_from_flammenkamp(CPU, text, strlen(text), &n, back, NULL, NULL);
    ok(right && strlen(text) == 181 && n == 90 && same_board(90, rows, back),
       "columns 0 to 89 have their characters, written and read");
    memset(rows, 0, sizeof rows);
    ok(combgpu_no3_to_flammenkamp(CPU, 91, rows, text, sizeof text, NULL) ==
               COMBGPU_INVALID_ARGUMENT &&
           strstr(combgpu_message(CPU), "90 columns"),
       "n = 91 has no code: %s", combgpu_message(CPU));
    {
        combgpu_no3_class symmetry = COMBGPU_NO3_IDEN;
        ok(combgpu_no3_from_flammenkamp(CPU, "?01 01", 4, &n, back, &symmetry, NULL) ==
                   COMBGPU_BAD_FILE &&
               combgpu_no3_from_flammenkamp(CPU, "?0101", 5, &n, back, &symmetry, NULL) ==
                   COMBGPU_OK &&
               symmetry == COMBGPU_NO3_ALL,
           "the class ? is read as not known");
    }
}

static void test_boards(void)
{
    static char text[40000];
    int tries, rle = 1, canonical = 1, draw = 1, outside = 1;
    for (tries = 0; tries < 40; tries++) {
        int n = tries < 3 ? 128 - 63 * tries / 2 : 60 + random_below(69), map, side = 0, x, y;
        uint64_t rows[WORDS], back[WORDS], smallest[WORDS], image[WORDS];
        size_t needed = 0;
        combgpu_no3_report report;
        random_board(n, rows);
        combgpu_no3_to_rle(CPU, n, rows, text, sizeof text, &needed);
        rle &= combgpu_no3_from_rle(CPU, text, needed - 1, &side, back) == COMBGPU_OK &&
               side == n && same_board(n, rows, back);
        combgpu_no3_draw(CPU, n, rows, text, sizeof text, &needed);
        for (y = 0; y < n; y++)
            for (x = 0; x < n; x++)
                draw &= text[2 * (y * n + x)] == (has(n, rows, x, y) ? 'o' : '.');
        combgpu_no3_canonical(CPU, n, rows, smallest);
        for (map = 0; map < 8; map++) {
            int row, words = COMBGPU_NO3_ROW_WORDS(n);
            memset(image, 0, sizeof image);
            for (y = 0; y < n; y++)
                for (x = 0; x < n; x++)
                    if (has(n, rows, x, y)) {
                        int to_x = map & 1 ? n - 1 - x : x, to_y = map & 2 ? n - 1 - y : y;
                        put(n, image, map & 4 ? to_y : to_x, map & 4 ? to_x : to_y);
                    }
            combgpu_no3_canonical(CPU, n, image, back);
            canonical &= same_board(n, back, smallest);
            for (row = 0; row < n * words; row++) { /* words of a row: the last counts most */
                int at = row / words * words + words - 1 - row % words;
                if (image[at] == smallest[at]) continue;
                canonical &= image[at] > smallest[at];
                break;
            }
        }
        rows[(n - 1) * COMBGPU_NO3_ROW_WORDS(n)] |= 0;
        if (n % 64) rows[COMBGPU_NO3_ROW_WORDS(n) - 1] |= UINT64_C(1) << 63;
        outside &=
            n % 64 == 0 || combgpu_no3_check(CPU, n, rows, &report) == COMBGPU_INVALID_ARGUMENT;
    }
    ok(rle, "boards of side 60 to 128: RLE and back");
    ok(draw, "... drawn point by point");
    ok(canonical, "... canonical: the same for all images, and none is smaller");
    ok(outside, "... a point outside the grid is refused");
}

/* ---- searches */

typedef struct found {
    int n, boards, wrong, seen;
    uint64_t want[WORDS];
} found;

static int see(const uint64_t *rows, int n, combgpu_no3_class symmetry, void *user)
{
    found *f = (found *)user;
    combgpu_no3_report report;
    f->boards++;
    f->wrong += combgpu_no3_check(CPU, n, rows, &report) || !report.is_solution ||
                report.symmetry != symmetry;
    f->seen += same_board(n, rows, f->want);
    return 0;
}

/* All rows of an archived board are fixed but `free` on either side of the centre. */
static void test_completion(size_t k, combgpu_no3_class symmetry, int free)
{
    uint64_t rows[WORDS];
    combgpu_no3_desc desc;
    combgpu_no3_result whole, result;
    found f;
    int n = 0, y, words, i;
    memset(&f, 0, sizeof f);
    combgpu_no3_from_flammenkamp(CPU, archived[k], strlen(archived[k]), &n, f.want, NULL, NULL);
    memcpy(rows, f.want, sizeof rows);
    words = COMBGPU_NO3_ROW_WORDS(n);
    for (y = 0; y < n; y++)
        if (y >= n / 2 - free && y < n / 2 + free) rows[words * y] = rows[words * y + 1] = 0;
    for (y = 0; y < n && symmetry == COMBGPU_NO3_ROT4; y++) /* what stays is symmetric itself */
        for (i = n / 2 - free; i < n / 2 + free; i++)
            rows[words * y + i / 64] &= ~(UINT64_C(1) << i % 64);
    memset(&desc, 0, sizeof desc);
    desc.n = n;
    desc.symmetry = symmetry;
    desc.on = rows;
    desc.solution = see;
    desc.solution_user = &f;
    desc.every_orientation = 1;
    equal_status(CPU, combgpu_no3(CPU, &desc, &whole), COMBGPU_OK,
                 "n = %d, %s: the archived board without its %d central rows is completed", n,
                 combgpu_no3_class_string(symmetry), 2 * free);
    ok(f.seen == 1 && !f.wrong && whole.all == (uint64_t)f.boards && whole.run.steps > 1,
       "... to itself, and to %d solutions in all, in %llu steps", f.boards,
       (unsigned long long)whole.run.steps);
    desc.solution = NULL;
    desc.every_orientation = 0;
    for (i = 1; i < TEST_PLACES; i++)
        if (opened[i])
            ok(combgpu_no3(opened[i], &desc, &result) == COMBGPU_OK && result.all == whole.all &&
                   result.run.checksum == whole.run.checksum && result.run.steps == whole.run.steps,
               "... on any device, where the CPU does it");
}

/* Sides that nobody can search begin and stop; the smallest with two words a row are among them. */
static int few(const combgpu_progress *progress, void *user)
{
    (void)user;
    return progress->steps > 100;
}

static void test_begin(void)
{
    static const int cases[][2] = {{128, COMBGPU_NO3_DIA1},     {128, COMBGPU_NO3_ORT2},
                                   {127, COMBGPU_NO3_ORT1},     {65, COMBGPU_NO3_NEAR_ROT4},
                                   {66, COMBGPU_NO3_FULL},      {65, COMBGPU_NO3_DIA2},
                                   {128, COMBGPU_NO3_NEAR_ROT4}};
    size_t c;
    for (c = test_small() ? 4 : 0; c < sizeof cases / sizeof cases[0]; c++) {
        combgpu_no3_desc desc;
        combgpu_no3_result result;
        combgpu_status status;
        memset(&desc, 0, sizeof desc);
        desc.n = cases[c][0];
        desc.symmetry = (combgpu_no3_class)cases[c][1];
        desc.seed = c % 2;
        desc.run.progress = few;
        desc.run.progress_interval_s = 1e-9;
        desc.run.shard_count = 100;
        status = combgpu_no3(CPU, &desc, &result);
        ok(status == COMBGPU_STOPPED || status == COMBGPU_OK, "n = %d, %s begins and stops: %s",
           desc.n, combgpu_no3_class_string(desc.symmetry), combgpu_message(CPU));
    }
}

/* Counts in the form of large boards are those of the others: see also test_formats in test_no3. */
static void test_counts(void)
{
    static const struct {
        int n, symmetry;
        uint64_t labelled;
    } known[] = {/* counted by a separate program; with 32 of rot4 20 as in the published table */
                 {20, COMBGPU_NO3_ROT4, 32},
                 {14, COMBGPU_NO3_ROT2, 276},
                 {13, COMBGPU_NO3_DIA1, 38},
                 {10, COMBGPU_NO3_ALL, 1135}};
    size_t c;
    for (c = 0; c < (test_small() ? 1 : sizeof known / sizeof known[0]); c++) {
        combgpu_no3_desc desc;
        combgpu_no3_result plain, large;
        combgpu_job *job = NULL;
        memset(&desc, 0, sizeof desc);
        desc.n = known[c].n;
        desc.symmetry = (combgpu_no3_class)known[c].symmetry;
        combgpu_no3(CPU, &desc, &plain);
        inside_no3_begin(CPU, &desc, 256, &job);
        while (combgpu_step(job) == COMBGPU_RUNNING) {
        }
        combgpu_no3_end(job, &large);
        ok(large.run.status == COMBGPU_OK && large.all == known[c].labelled &&
               plain.all == large.all && plain.run.checksum == large.run.checksum &&
               plain.run.steps == large.run.steps,
           "n = %d, %s in the form of large boards: %llu, in as many steps", desc.n,
           combgpu_no3_class_string(desc.symmetry), (unsigned long long)large.all);
    }
}

int main(void)
{
    open_places();
    test_archive();
    test_characters();
    test_boards();
    test_completion(0, COMBGPU_NO3_ROT4, 5);
    test_completion(1, COMBGPU_NO3_ROT2, 3);
    test_begin();
    test_counts();
    close_places();
    return tap_end();
}
