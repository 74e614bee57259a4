/* Tests TSPLIB texts found in the wild: other orders and spellings, nodes from 0, sparse graphs, foreign types,
   concorde's files. Each is read as meant, or refused with the reason. */
#include "test.h"

static combgpu_context *ctx;

#define HEAD "NAME : t\nTYPE : TSP\nDIMENSION : 4\nEDGE_WEIGHT_TYPE : EUC_2D\n"
#define NODES "NODE_COORD_SECTION\n1 0 0\n2 30 40\n3 30 0\n4 0 40.4\n"
#define FROM_0 "NODE_COORD_SECTION\n0 0 0\n1 30 40\n2 30 0\n3 0 40.4\n"
#define FULL                                                                                       \
    "DIMENSION: 3\nEDGE_WEIGHT_TYPE: EXPLICIT\nEDGE_WEIGHT_FORMAT: "                               \
    "FULL_MATRIX\nEDGE_WEIGHT_SECTION\n"
#define GRAPH "DIMENSION: 4\nEDGE_DATA_FORMAT: EDGE_LIST\nEDGE_DATA_SECTION\n"

#define NOT COMBGPU_TSP_NO_CONNECTION

/* Weights from city 0 to 1, 0 to 2, 1 to 2, and back from 1 to 0. */
static const struct {
    const char *name, *text;
    double w01, w02, w12, w10;
} right[] = {
    {"as TSPLIB has it", HEAD NODES "EOF\n", 50, 30, 40, 50},
    {"no EOF", HEAD NODES, 50, 30, 40, 50},
    {"no TYPE", "DIMENSION: 4\nEDGE_WEIGHT_TYPE: EUC_2D\n" NODES, 50, 30, 40, 50},
    {"small letters, no colons",
     "name t\ntype tsp\ndimension 4\nedge_weight_type euc_2d\nnode_coord_section\n1 0 0\n2 30 "
     "40\n3 30 0\n4 0 40\neof\n",
     50, 30, 40, 50},
    {"sections first", NODES HEAD "EOF\n", 50, 30, 40, 50},
    {"tabs and Windows' ends of lines",
     "TYPE:\tTSP\r\nDIMENSION:\t4\r\nEDGE_WEIGHT_TYPE:\tEUC_2D\r\nNODE_COORD_"
     "SECTION\r\n1\t0\t0\r\n2\t30\t40\r\n"
     "3\t30\t0\r\n4\t0\t40\r\nEOF\r\n",
     50, 30, 40, 50},
    {"carriage returns alone",
     "TYPE: TSP\rDIMENSION: 4\rEDGE_WEIGHT_TYPE: EUC_2D\rNODE_COORD_SECTION\r1 0 0\r2 30 40\r3 30 "
     "0\r4 0 40\rEOF\r",
     50, 30, 40, 50},
    {"remarks",
     "# by hand\nTYPE: TSP (a remark)\nDIMENSION: 4 # four\n#NAME: no\nEDGE_WEIGHT_TYPE: EUC_2D # "
     "flat\n"
     "NODE_COORD_SECTION # nodes\n1 0 0\n# 2 9 9\n2 30 40 # home\n3 30 0\n4 0 40\nEOF\n#",
     50, 30, 40, 50},
    {"nodes from 0", HEAD FROM_0 "EOF\n", 50, 30, 40, 50},
    {"nodes from 0 in another order", HEAD "NODE_COORD_SECTION\n3 0 40 1 30 40\n2 30 0 0 0 0\n", 50,
     30, 40, 50},
    {"a height of 0", HEAD "NODE_COORD_SECTION\n1 0 0 0\n2 30 40 0\n3 30 0 0\n4 0 40 0\n", 50, 30,
     40, 50},
    {"a height of 5, all in one line",
     HEAD "NODE_COORD_SECTION\n1 0 0 5 2 30 40 5 3 30 0 5 4 0 40 5\nEOF", 50, 30, 40, 50},
    {"FLOOR_2D",
     "DIMENSION: 3\nEDGE_WEIGHT_TYPE: FLOOR_2D\nNODE_COORD_SECTION\n1 0 0\n2 1.9 0\n3 1 1\n", 1, 1,
     1, 1},
    {"EXACT_2D",
     "DIMENSION: 3\nEDGE_WEIGHT_TYPE: EXACT_2D\nNODE_COORD_SECTION\n1 0 0\n2 1.5 0\n3 0 2\n", 1.5,
     2, 2.5, 1.5},
    {"GEOM", "DIMENSION: 3\nEDGE_WEIGHT_TYPE: GEOM\nNODE_COORD_SECTION\n1 0 0\n2 0.5 0\n3 0 90\n",
     55662, 10019149, 10019149, 55662},
    {"weights that differ by direction, no TYPE", FULL "0 1 2\n3 0 4\n5 6 0\n", 1, 2, 4, 3},
    {"no connection", "TYPE: ATSP\n" FULL "- INF +inf\nnull 0 NaN\nNone na 0\nEOF\n", NOT, NOT, NOT,
     NOT},
    {"negative weights", "TYPE: TSP\n" FULL "0 -1 -2.5\n-1 0 4\n-2.5 4 0\nEOF\n", -1, -2.5, 4, -1},
    {"no EDGE_WEIGHT_TYPE, but weights",
     "DIMENSION: 3\nEDGE_WEIGHT_FORMAT: UPPER_ROW\nEDGE_WEIGHT_SECTION\n1 2\n4\n", 1, 2, 4, 1},
    {"edges, and distances of the nodes",
     HEAD "EDGE_DATA_FORMAT : EDGE_LIST\n" NODES "EDGE_DATA_SECTION\n1 2\n3 2\n-1\nEOF\n", 50, NOT,
     40, 50},
    {"edges from 0",
     HEAD "EDGE_DATA_FORMAT : EDGE_LIST\n" FROM_0 "EDGE_DATA_SECTION\n0 1\n2 1\n-1\nEOF\n", 50, NOT,
     40, 50},
    {"edges, and a matrix",
     "EDGE_DATA_FORMAT: EDGE_LIST\nEDGE_DATA_SECTION\n1 3\n-1\n" FULL "0 1 2\n1 0 4\n2 4 0\nEOF\n",
     NOT, 2, NOT, NOT},
    {"edges with weights", "TYPE: TSP\n" GRAPH "1 2 7\n2 3 -5\n2 1 7\n-1\nEOF\n", 7, NOT, -5, 7},
    {"edges with weights, nodes from 0", GRAPH "0 1 4\n2 1 0\n3 2 0\n-1\n", 4, NOT, 0, 4},
    {"HCP", "TYPE : HCP\n" GRAPH "1 2\n2 3\n3 4\n4 1\n-1\nEOF\n", 1, NOT, 1, 1},
    {"HCP, lists of neighbours",
     "TYPE: HCP\nDIMENSION: 4\nEDGE_DATA_FORMAT: ADJ_LIST\nEDGE_DATA_SECTION\n1 2 4 -1\n3 2 "
     "4\n-1\n-1\nEOF\n",
     1, NOT, 1, 1},
    {"HCP from 0, one edge a line",
     "TYPE: HCP\nDIMENSION: 4\nEDGE_DATA_FORMAT: EDGE_LIST\nEDGE_DATA_SECTION\n0 1\n1 2\n3 "
     "0\n-1\nEOF\n",
     1, NOT, 1, 1},
    {"concorde's points", "4\n0 0\n30 40\n30 0\n0 40.4\n", 50, 30, 40, 50},
    {"concorde's points after a remark, with tabs",
     "# n, then x y\n 4 \r\n0\t0\r\n30\t40\r\n30\t0\r\n0\t40.4\r\n", 50, 30, 40, 50},
};

/* Texts that are refused, with a part of the message. */
static const struct {
    const char *text, *says;
} wrong[] = {
    {HEAD "NODE_COORD_SECTION\n1 0 0\n2 1 1\n3 2 2\n",
     "line 5: DIMENSION is 4, but the number of nodes in NODE_COORD_SECTION is 3"},
    {HEAD "NODE_COORD_SECTION\n1 0 0\n2 1 1\n3 2 2\n4 3 3\n5 4 4\nEOF\n",
     "the number of nodes in NODE_COORD_SECTION is 5"},
    {HEAD "NODE_COORD_SECTION\n1 0 0 0\n2 1 1 0\n3 2 2 0\n",
     "the number of nodes in NODE_COORD_SECTION is 3"},
    {HEAD "NODE_COORD_SECTION\n0 0 0\n1 1 1\n2 2 2\n4 3 3\n", "nodes 0 (line 6) and 4 (line 9)"},
    {HEAD NODES "FIXED_EDGES_SECTION\n0 1\n-1\nEOF\n", "nodes 0 (line 11) and 4 (line 9)"},
    {HEAD "NODE_COORD_SECTION\n1 0 0 0\n2 1 1 7\n3 2 2 0\n4 3 3 0\n",
     "line 7: node 2 has a third coordinate, 7, and another node 0: EDGE_WEIGHT_TYPE EUC_2D has "
     "two"},
    {"TYPE: TSP\nDIMENSION: 2\nEDGE_WEIGHT_TYPE: EUC_3D\nNODE_COORD_SECTION\n1 0 0\n2 1 1\n",
     "the nodes have 2 coordinates"},
    {FULL "0 1 2\n1 0 3\n2 3 0 4\n",
     "EDGE_WEIGHT_SECTION has 10 numbers; DIMENSION is 3, and FULL_MATRIX needs 9"},
    {FULL "0 1 -1\n1 0 3\n2 3 0\n", "TYPE is missing: the weight from city 1 to 3 is -1"},
    {"TYPE: TSP\n" FULL "0 inf 1\n2 0 3\n1 3 0\n",
     "TYPE is TSP, but the weight from city 1 to 2 is inf and back 2"},
    {"TYPE: TSP\n" FULL "0 -inf 1\n-inf 0 3\n1 3 0\n", "\"-inf\", not a number"},
    {"TYPE: SOP\n" FULL "0 1 2\n-2 0 3\n-1 -1 0\n", "may be -1 or 0"},
    {HEAD "EDGE_DATA_FORMAT: EDGE_LIST\n" NODES "EOF\n", "EDGE_DATA_SECTION is missing"},
    {"TYPE: HCP\nDIMENSION: 4\nEOF\n", "EDGE_DATA_SECTION is missing"},
    {"TYPE: HCP\n" GRAPH "1 2\n2 3\n", "the file ends before the -1 of EDGE_DATA_SECTION"},
    {"TYPE: HCP\n" GRAPH "1 2\n2\n-1\n", "a node of edge 2 is -1"},
    {"TYPE: HCP\n" GRAPH "1 2\n2 2\n-1\n", "an edge joins node 2 to itself"},
    {"TYPE: HCP\n" GRAPH "1 2 5\n-1\n", "TYPE is HCP, but the edges have weights"},
    {"TYPE: TSP\n" GRAPH "1 2 5\n2 1 6\n-1\n", "the edge of nodes 2 and 1 has the weights 5 and 6"},
    {"TYPE: ATSP\n" GRAPH "1 2\n-1\n", "EDGE_DATA_SECTION is for TYPE TSP and HCP"},
    {"TYPE: HCP\nDIMENSION: 1001\nEDGE_DATA_FORMAT: EDGE_LIST\nEDGE_DATA_SECTION\n1 2\n-1\n",
     "DIMENSION is 1001; it may be 1000"},
    {HEAD NODES "FIXED_EDGES_SECTION\n1 2\n",
     "line 12: the file ends before the -1 of FIXED_EDGES_SECTION"},
    {HEAD NODES "FIXED_EDGES_SECTION\n1 5\n-1\n", "fixed edge 1 is 5; it may be 1 to 4"},
    {"TYPE: HCP\nDIMENSION: 1\nEDGE_DATA_FORMAT: EDGE_LIST\nEDGE_DATA_SECTION\n0 2\n-1\n",
     "a node of edge 1 is 0; it may be 1 to 1"},
    {"5\n0 0\n30 40\n30 0\n0 40\n", "5 points need two coordinates each, but 8 numbers follow"},
    {"4\n0 0\n30 40\n30 0\n0 40\nA\n", "\"A\" after the last point"},
};

static void texts(void)
{
    combgpu_tsp_instance it;
    size_t i;
    for (i = 0; i < sizeof right / sizeof right[0]; i++) {
        combgpu_status status = combgpu_tsp_parse(ctx, right[i].text, strlen(right[i].text), &it);
        if (!ok(!status && it.weights[1] == right[i].w01 && it.weights[2] == right[i].w02 &&
                    it.weights[it.n + 2] == right[i].w12 && it.weights[it.n] == right[i].w10,
                "read: %s", right[i].name))
            printf("# %s\n", status ? combgpu_message(ctx) : "other weights");
        combgpu_tsp_free(ctx, &it);
    }
    for (i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        combgpu_status status = combgpu_tsp_parse(ctx, wrong[i].text, strlen(wrong[i].text), &it);
        if (!ok(status < 0 && strstr(combgpu_message(ctx), wrong[i].says), "refused: %s",
                wrong[i].says))
            printf("# %s\n", status < 0 ? combgpu_message(ctx) : "it is read");
        combgpu_tsp_free(ctx, &it);
    }
}

/* The length of a tour (from 1) in a file; one with a missing edge has none. */
static void length_is(const char *file, const char *cities, double length)
{
    combgpu_tsp_instance it;
    double got = 0;
    int tour[8];
    combgpu_status status = combgpu_tsp_read(ctx, test_file(file), &it);
    if (!status) status = combgpu_tsp_parse_tour(ctx, cities, strlen(cities), it.n, tour);
    if (!status) status = combgpu_tsp_length(ctx, &it, COMBGPU_TSP_CYCLE, tour, &got);
    if (!ok(length != 0 ? !status && fabs(got - length) < 1e-9
                        : status < 0 && strstr(combgpu_message(ctx), "not connected"),
            "%s: the tour %s", file, cities))
        printf("# %.15g, %s\n", got, combgpu_message(ctx));
    combgpu_tsp_free(ctx, &it);
}

static void fixed_from_0(void)
{
    static const char text[] = HEAD FROM_0 "FIXED_EDGES_SECTION\n0 3\n1 2\nEOF\n";
    combgpu_tsp_instance it;
    ok(!combgpu_tsp_parse(ctx, text, sizeof text - 1, &it) && it.fixed_count == 2 &&
           it.fixed[0] == 0 && it.fixed[1] == 3 && it.fixed[2] == 1 && it.fixed[3] == 2,
       "fixed edges of nodes from 0, ended by EOF");
    combgpu_tsp_free(ctx, &it);
}

/* 1,100 cities of the types that are not TSPLIB's: distances by coordinates, and a tour with a bound. */
static void large(const char *type)
{
    enum { N = 1100 };
    static char text[N * 24 + 200];
    int at = snprintf(text, sizeof text,
                      "TYPE: TSP\nDIMENSION: %d\nEDGE_WEIGHT_TYPE: %s\nNODE_COORD_SECTION\n", N,
                      type),
        i;
    static int tour[N];
    combgpu_tsp_instance it;
    combgpu_tsp_desc desc;
    static combgpu_tsp_result result;
    double length = 0;
    combgpu_status status;
    for (i = 0; i < N; i++)
        at += snprintf(text + at, sizeof text - (size_t)at, "%d %.2f %.2f\n", i,
                       random_below(8000) / 100.0, random_below(17000) / 100.0);
    status = combgpu_tsp_parse(ctx, text, (size_t)at, &it);
    memset(&desc, 0, sizeof desc);
    desc.instance = &it;
    desc.method = COMBGPU_TSP_HEURISTIC;
    desc.kicks = 1;
    desc.tour = tour;
    if (!status) status = combgpu_tsp(ctx, &desc, &result);
    if (!status) status = combgpu_tsp_length(ctx, &it, COMBGPU_TSP_CYCLE, tour, &length);
    if (!ok(!status && !it.weights && length == result.length && result.lower_bound > length / 2 &&
                result.lower_bound <= length && length == (double)(int64_t)length,
            "%s: 1,100 cities from 0", type))
        printf("# %s: %g, at least %g\n", combgpu_message(ctx), length, result.lower_bound);
    combgpu_tsp_free(ctx, &it);
}

int main(void)
{
    if (!test_open(0, &ctx)) return tap_end();
    texts();
    fixed_from_0();
    length_is("cases/t00_base.tsp", "1 3 2 4 5 6 7", 371);
    length_is("cases/t09_zero_based.tsp", "0 2 1 3 4 5 6", 371);
    length_is("cases/t15_notype.tsp", "7 0 2 1 3 4 5 6", 371);
    length_is("cases/t18_hash_comments.tsp", "1 3 2 4 5 6 7", 371);
    length_is("cases/t38_FLOOR_2D.tsp", "1 3 2 4 5 6 7", 367);
    length_is("cases/t38_GEOM.tsp", "1 3 2 4 5 6 7", 3510480);
    length_is("cases/t45_edge_data.tsp", "1 2 3 4 5 6 7", 379);
    length_is("cases/t45_edge_data.tsp", "1 3 2 4 5 6 7", 0);
    length_is("cases/t46_hcp.hcp", "1 2 3 4 5 6", 6);
    length_is("cases/t46_hcp.hcp", "1 3 2 4 5 6", 0);
    length_is("cases/m15_inf.tsp", "1 3 2 4 5 6", 285);
    length_is("cases/m15_inf.tsp", "1 4 2 3 5 6", 0);
    length_is("cases/m20_neg.tsp", "1 3 2 6 5 4", -29);
    large("FLOOR_2D");
    large("GEOM");
    combgpu_close(ctx);
    return tap_end();
}
