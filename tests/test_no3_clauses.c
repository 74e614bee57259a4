/* Tests no-three-in-line as clauses: exactly one model for each board. It counts models by trying them;
   test_no3_sat.sh asks SAT solvers. */
#include "test.h"

enum { VARIABLES = 64, CLAUSES = 4000, LITERALS = 16 };

static struct {
    int variables, clauses;
    int literal[CLAUSES][LITERALS], length[CLAUSES];
    int last[CLAUSES]; /* the largest variable of a clause: decided with it */
    uint64_t cells[VARIABLES + 1];
    char value[VARIABLES + 1];
    uint64_t models, want, hash;
} cnf;

/* Reads the text; cells of a variable are bits 8 * y + x. Returns 0 if it is no DIMACS file. */
static int read_clauses(const char *text)
{
    int clauses = -1, count = 0;
    memset(&cnf, 0, sizeof cnf);
    while (*text) {
        int v, used, x, y;
        if (sscanf(text, "c %d:%n", &v, &used) == 1 && v > 0 && v <= VARIABLES) {
            for (text += used; sscanf(text, " %d,%d%n", &x, &y, &used) == 2; text += used)
                cnf.cells[v] |= UINT64_C(1) << (8 * y + x);
        } else if (sscanf(text, "p cnf %d %d", &cnf.variables, &clauses) != 2 && *text != 'c') {
            int *literals = cnf.literal[cnf.clauses], n = 0;
            if (cnf.clauses == CLAUSES) return 0;
            for (; sscanf(text, "%d%n", &v, &used) == 1 && v; text += used) {
                if (n == LITERALS || v < -cnf.variables || v > cnf.variables) return 0;
                literals[n++] = v;
                if ((v < 0 ? -v : v) > cnf.last[cnf.clauses])
                    cnf.last[cnf.clauses] = v < 0 ? -v : v;
            }
            cnf.length[cnf.clauses++] = n;
            count++;
        }
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    return count == clauses && cnf.variables > 0;
}

static int holds(int clause)
{
    int i;
    for (i = 0; i < cnf.length[clause]; i++) {
        int v = cnf.literal[clause][i];
        if (v > 0 ? cnf.value[v] : !cnf.value[-v]) return 1;
    }
    return 0;
}

static void count_models(int v)
{
    int value, i;
    if (v > cnf.variables) {
        uint64_t board = 0;
        for (i = 1; i <= cnf.variables; i++)
            if (cnf.value[i]) board |= cnf.cells[i];
        cnf.models++;
        cnf.hash += test_mix(board);
        return;
    }
    for (value = 0; value < 2; value++) {
        int right = 1;
        cnf.value[v] = (char)value;
        for (i = 0; i < cnf.clauses && right; i++)
            if (cnf.last[i] == v) right = holds(i);
        if (right) count_models(v + 1);
    }
}

/* Adds a board that is kept by the class's maps about the axes of the clauses. */
static int add(const uint64_t *rows, int n, combgpu_no3_class symmetry, void *user)
{
    combgpu_no3_class wanted = *(const combgpu_no3_class *)user;
    uint64_t board = 0;
    int x, y, kept = 1;
    (void)symmetry;
    for (y = 0; y < n; y++)
        for (x = 0; x < n; x++) {
            int on = (int)(rows[y] >> x & 1), m = n - 1;
            int diagonal = x == y || x == m - y;
            if (on) board |= UINT64_C(1) << (8 * y + x);
            if (wanted == COMBGPU_NO3_DIA1) kept &= on == (int)(rows[x] >> y & 1);
            if (wanted == COMBGPU_NO3_ORT1) kept &= on == (int)(rows[y] >> (m - x) & 1);
            if (wanted == COMBGPU_NO3_NEAR_ROT4)
                kept &= diagonal || on == (int)(rows[x] >> (m - y) & 1);
        }
    if (!kept) return 0;
    cnf.want++;
    cnf.hash -= test_mix(board);
    return 0;
}

static void test_class(int n, combgpu_no3_class symmetry, uint64_t *on, uint64_t *off)
{
    static char text[200000];
    combgpu_no3_desc desc;
    size_t needed = 0;
    memset(&desc, 0, sizeof desc);
    desc.n = n;
    desc.symmetry = symmetry;
    desc.on = on;
    desc.off = off;
    combgpu_no3_to_dimacs(CPU, &desc, NULL, 0, &needed);
    if (needed > sizeof text ||
        combgpu_no3_to_dimacs(CPU, &desc, text, sizeof text, NULL) != COMBGPU_OK ||
        strlen(text) + 1 != needed || !read_clauses(text)) {
        ok(0, "n = %d, %s: clauses that can be read", n, combgpu_no3_class_string(symmetry));
        return;
    }
    count_models(1);
    /* a near_rot4 search takes one of the two diagonals: every board with a half turn is looked at */
    if (symmetry == COMBGPU_NO3_NEAR_ROT4) desc.symmetry = COMBGPU_NO3_ROT2;
    desc.every_orientation = 1;
    desc.solution = add;
    desc.solution_user = &symmetry;
    combgpu_no3(CPU, &desc, NULL);
    ok(cnf.models == cnf.want && !cnf.hash, "n = %d, %s%s: %llu boards, each a model, and no other",
       n, combgpu_no3_class_string(symmetry), on ? ", fixed cells" : "",
       (unsigned long long)cnf.models);
}

int main(void)
{
    uint64_t on[8] = {0}, off[8] = {0};
    combgpu_no3_desc desc;
    size_t needed;
    int n, symmetry;
    open_places();
    for (n = 2; n <= (test_small() ? 3 : 5); n++)
        test_class(n, COMBGPU_NO3_ALL, NULL, NULL);
    for (n = 4; n <= (test_small() ? 4 : 8); n++)
        for (symmetry = COMBGPU_NO3_DIA1; symmetry < COMBGPU_NO3_CLASS_COUNT; symmetry++)
            if (n < 7 || symmetry >= COMBGPU_NO3_ROT2)
                test_class(n, (combgpu_no3_class)symmetry, NULL, NULL);
    on[0] = 2;
    off[1] = 9;
    test_class(test_small() ? 4 : 6, COMBGPU_NO3_ALL, on, off);
    test_class(6, COMBGPU_NO3_ROT2, on, off);
    memset(&desc, 0, sizeof desc);
    desc.n = 129;
    ok(combgpu_no3_to_dimacs(CPU, &desc, NULL, 0, &needed) == COMBGPU_INVALID_ARGUMENT &&
           combgpu_no3_to_dimacs(CPU, NULL, NULL, 0, &needed) == COMBGPU_INVALID_ARGUMENT,
       "wrong arguments are refused: %s", combgpu_message(CPU));
    close_places();
    return tap_end();
}
