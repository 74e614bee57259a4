/* Tests truncated texts: it cuts each example of each text format of the library everywhere, a long one
   at many positions. The rest must be refused, or mean the same as the whole. */
#include "test.h"

enum { ROOM = 20000 };

/* What a text says, as bytes; returns how many, or -1 if it is refused. */
typedef int (*reader)(combgpu_context *ctx, const char *text, size_t bytes, char *says);

static int add(char *says, int at, const void *data, size_t bytes)
{
    uint32_t sum = 2166136261u; /* Fowler, Noll, Vo */
    size_t i;
    for (i = 0; data && i < bytes; i++)
        sum = (sum ^ ((const unsigned char *)data)[i]) * 16777619u;
    memcpy(says + at, &sum, sizeof sum);
    return at + (int)sizeof sum;
}

static int read_instance(combgpu_context *ctx, const char *text, size_t bytes, char *says)
{
    combgpu_tsp_instance it;
    size_t n, each;
    int at;
    if (combgpu_tsp_parse(ctx, text, bytes, &it)) return -1;
    n = (size_t)it.n;
    each = n * sizeof(double);
    at = add(says, 0, &it.n, sizeof it.n);
    at = add(says, at, &it.metric, sizeof it.metric);
    at = add(says, at, it.weights, n * each);
    at = add(says, at, it.x, each);
    at = add(says, at, it.y, each);
    at = add(says, at, it.z, each);
    at = add(says, at, it.before, 2 * sizeof(int) * (size_t)it.before_count);
    at = add(says, at, it.fixed, 2 * sizeof(int) * (size_t)it.fixed_count);
    at = add(says, at, it.ready, each);
    at = add(says, at, it.due, each);
    at = add(says, at, it.service, each);
    combgpu_tsp_free(ctx, &it);
    return at;
}

static int cities; /* of a tour */

static int read_tour(combgpu_context *ctx, const char *text, size_t bytes, char *says)
{
    static int tour[200];
    if (combgpu_tsp_parse_tour(ctx, text, bytes, cities, tour)) return -1;
    return add(says, 0, tour, (size_t)cities * sizeof *tour);
}

static int read_rle(combgpu_context *ctx, const char *text, size_t bytes, char *says)
{
    static uint64_t rows[256];
    int n;
    if (combgpu_no3_from_rle(ctx, text, bytes, &n, rows)) return -1;
    return add(says, add(says, 0, &n, sizeof n), rows, (size_t)n * sizeof *rows);
}

static int read_code(combgpu_context *ctx, const char *text, size_t bytes, char *says)
{
    static uint64_t rows[256];
    int n;
    if (combgpu_no3_from_flammenkamp(ctx, text, bytes, &n, rows, NULL, NULL)) return -1;
    return add(says, add(says, 0, &n, sizeof n), rows, (size_t)n * sizeof *rows);
}

/* Cuts a text, at each byte if it is short. `between` (or 0) is a cut between two sections, where a
   file that ends without EOF is whole. */
static void cut(combgpu_context *ctx, reader read, const char *name, const char *text, size_t bytes,
                size_t between)
{
    char whole[128], says[128];
    int size = read(ctx, text, bytes, whole);
    size_t length, wrong = 0;
    if (!ok(size > 0, "%s: the whole is read", name)) {
        printf("# %s\n", combgpu_message(ctx));
        return;
    }
    for (length = 0; length < bytes; length++) {
        char *piece; /* of its own length: a tool sees what is read behind it */
        int got;
        if (bytes > 1500 && length + 40 < bytes && random_below((int)bytes) > 300) continue;
        piece = (char *)malloc(length + 1);
        memcpy(piece, text, length);
        got = read(ctx, piece, length, says);
        free(piece);
        if ((got < 0 || (got == size && !memcmp(says, whole, (size_t)size))) || length == between)
            continue;
        if (!wrong++)
            printf("# %s: of %d bytes the first %d say something else: ...%.*s\n", name, (int)bytes,
                   (int)length, length > 40 ? 40 : (int)length,
                   text + (length > 40 ? length - 40 : 0));
    }
    ok(!wrong, "%s: cut off, it is refused or the same", name);
}

static void cut_file(combgpu_context *ctx, const char *name)
{
    static char text[ROOM];
    FILE *file = fopen(test_file(name), "rb");
    size_t bytes = file ? fread(text, 1, sizeof text, file) : 0;
    reader read = strstr(name, ".tour") ? read_tour : read_instance;
    if (file) fclose(file);
    if (read == read_tour) cities = atoi(name + strcspn(name, "0123456789"));
    cut(ctx, read, name, text, bytes, 0);
}

static void files(combgpu_context *ctx)
{
    static const char *const names[] = {"tsplib/att48.tsp",
                                        "tsplib/bayg29.tsp",
                                        "tsplib/berlin52.tsp",
                                        "tsplib/br17.atsp",
                                        "tsplib/burma14.tsp",
                                        "tsplib/dantzig42.tsp",
                                        "tsplib/eil51.tsp",
                                        "tsplib/fri26.tsp",
                                        "tsplib/gr17.tsp",
                                        "tsplib/gr24.tsp",
                                        "tsplib/gr48.tsp",
                                        "tsplib/ftv33.atsp",
                                        "tsplib/p43.atsp",
                                        "tsplib/pr76.tsp",
                                        "tsplib/rd100.tsp",
                                        "tsplib/ulysses22.tsp",
                                        "sop/ESC07.sop",
                                        "sop/ESC11.sop",
                                        "sop/ESC25.sop",
                                        "sop/br17.10.sop",
                                        "tsptw/n20w20.001.txt",
                                        "tsptw/n20w20.002.txt",
                                        "tsptw/rbg010a.tsptw",
                                        "tsptw/rbg016b.tw",
                                        "tsplib/att48.optimal.tour",
                                        "tsplib/br17.optimal.tour",
                                        "tsplib/burma14.optimal.tour",
                                        "tsplib/ch130.optimal.tour",
                                        "tsplib/gr48.optimal.tour",
                                        "tsplib/st70.optimal.tour"};
    size_t i;
    for (i = 0; i < sizeof names / sizeof names[0]; i++)
        cut_file(ctx, names[i]);
}

#define HEAD "NAME: x\nTYPE: TSP\nDIMENSION: 12\nEDGE_WEIGHT_TYPE: EUC_2D\n"
#define POINTS                                                                                     \
    "NODE_COORD_SECTION\n1 0 0\n2 10 0\n3 20 0\n4 30 0\n5 30 10\n6 20 10\n7 10 10\n8 0 10\n"       \
    "9 5 5\n10 15 5\n11 25 5\n12 1 25\n"
#define MATRIX                                                                                     \
    "DIMENSION: 3\nEDGE_WEIGHT_TYPE: EXPLICIT\nEDGE_WEIGHT_FORMAT: FULL_MATRIX\n"                  \
    "EDGE_WEIGHT_SECTION\n0 inf 12\n13 0 -11\n"

static void examples(combgpu_context *ctx)
{
    static const struct {
        const char *name, *text;
        reader read;
    } cases[] = {
        {"fixed edges", HEAD POINTS "FIXED_EDGES_SECTION\n1 5\n2 12\n11 10\n-1\nEOF\n", NULL},
        {"fixed edges, no EOF", HEAD POINTS "FIXED_EDGES_SECTION\n1 5\n2 12\n-1\n", NULL},
        {"fixed edges first", HEAD "FIXED_EDGES_SECTION\n1 5\n2 12\n-1\n" POINTS, NULL},
        {"keywords after sections", POINTS "DIMENSION: 12\nEDGE_WEIGHT_TYPE: EUC_2D\nEOF\n", NULL},
        {"a type at the end", POINTS "DIMENSION: 12\nEDGE_WEIGHT_TYPE: GEOM\n", NULL},
        {"a list of edges",
         HEAD "EDGE_DATA_FORMAT: EDGE_LIST\nEDGE_DATA_SECTION\n1 2\n2 11\n12 10\n-1\n" POINTS "EOF",
         NULL},
        {"edges with weights",
         "TYPE: TSP\nDIMENSION: 12\nEDGE_DATA_FORMAT: EDGE_LIST\nEDGE_DATA_SECTION\n1 2 10\n2 11 "
         "12\n"
         "12 10 -15\n-1\nEOF\n",
         NULL},
        {"lists of neighbours",
         "TYPE: HCP\nDIMENSION: 12\nEDGE_DATA_FORMAT: ADJ_LIST\nEDGE_DATA_SECTION\n1 2 12 -1\n"
         "11 4 10 3 -1\n-1\nEOF\n",
         NULL},
        {"nodes from 0",
         "TYPE: HCP\nDIMENSION: 11\nEDGE_DATA_FORMAT: EDGE_LIST\nEDGE_DATA_SECTION\n10 1\n1 2\n0 "
         "10\n"
         "-1\nEOF\n",
         NULL},
        {"a matrix", MATRIX "14 15 0\nEOF\n", NULL},
        {"a matrix that ends with a weight", MATRIX "14 15 0.5\n", NULL},
        {"a matrix of a SOP, whose type comes last",
         "DIMENSION: 3\nEDGE_WEIGHT_TYPE: EXPLICIT\nEDGE_WEIGHT_FORMAT: FULL_MATRIX\n"
         "EDGE_WEIGHT_SECTION\n0 11 12\n-1 0 13\n-1 -1 0\nTYPE: SOP\n",
         NULL},
        {"a triangle without EOF",
         "DIMENSION: 3\nEDGE_WEIGHT_TYPE: EXPLICIT\nEDGE_WEIGHT_FORMAT: UPPER_ROW\n"
         "EDGE_WEIGHT_SECTION\n11\n12\n-15\n",
         NULL},
        {"points of concorde",
         "5\n52.52 13.405\n52.48 13.36\n52.56 13.37\n52.43 13.39\n52.51 13.49\n", NULL},
        {"a tour", "NAME: x\nTYPE: TOUR\nTOUR_SECTION\n1 3 12 4 5 2 6 7 8 9 10 11\n-1\nEOF\n",
         read_tour},
        {"a tour from 0", "TOUR_SECTION\n11 3 0 4 5 2 6 7 8 9 1 10", read_tour},
        {"a tour of concorde", "12\n0 3 11 4 5 2 6 7 8 9\n10 1\n", read_tour},
        {"a list of cities", "1 3 2 4 5 6 7 8 9 11 10 12", read_tour},
        {"a pattern (RLE)", "# a remark\nx = 4, y = 4, rule = B3/S23\nb2o$2o$2b2o$o2bo!\n",
         read_rle},
    };
    size_t i;
    cities = 12;
    for (i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *text = cases[i].text, *fixed = strstr(text, "FIXED");
        reader read = cases[i].read ? cases[i].read : read_instance;
        cut(ctx, read, cases[i].name, text, strlen(text),
            fixed && fixed > strstr(text, "NODE") ? (size_t)(fixed - text) : 0);
    }
}

static void boards(combgpu_context *ctx)
{
    static const uint64_t rows[10] = {/* two points in each row, the last column in use */
                                      0x030, 0x084, 0x202, 0x009, 0x120,
                                      0x018, 0x201, 0x044, 0x140, 0x082};
    char text[400];
    size_t needed = 0;
    combgpu_no3_to_rle(ctx, 10, rows, text, sizeof text, &needed);
    cut(ctx, read_rle, "a board of side 10 as RLE", text, needed - 1, 0);
    combgpu_no3_to_flammenkamp(ctx, 10, rows, text, sizeof text, &needed);
    cut(ctx, read_code, "a board of side 10 as code", text, needed - 1, 0);
}

int main(void)
{
    combgpu_context *ctx = NULL;
    if (!test_open(0, &ctx)) return tap_end();
    files(ctx);
    examples(ctx);
    boards(ctx);
    combgpu_close(ctx);
    return tap_end();
}
