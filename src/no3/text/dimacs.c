/* Writes a no-three-in-line instance as clauses, in the DIMACS format of SAT solvers. */

/* Lists clauses; without text it counts them. */
typedef struct combgpu__no3_cnf {
    combgpu__no3_text *out; /* NULL: count */
    uint64_t clauses;
    uint16_t *variable; /* of cell y * n + x, from 1 */
    int n;
    unsigned group; /* maps that take clauses to clauses */
} combgpu__no3_cnf;

/* A clause of `count` literals; 0s are left out. */
COMBGPU__PRIVATE void combgpu__no3_clause(combgpu__no3_cnf *cnf, const int *literals, int count)
{
    int i;
    cnf->clauses++;
    if (!cnf->out) return;
    for (i = 0; i < count; i++)
        if (literals[i]) combgpu__no3_put(cnf->out, "%d ", literals[i]);
    combgpu__no3_put(cnf->out, "0\n");
}

COMBGPU__PRIVATE int combgpu__no3_map_place(int n, int map, int x, int y)
{
    combgpu__no3_map_point(n, map, &x, &y);
    return y * n + x;
}

/* Gives each orbit of cells a variable, in the order of the first cells. Returns how many. */
COMBGPU__PRIVATE int combgpu__no3_number_orbits(combgpu__no3_cnf *cnf, const combgpu_no3_desc *desc)
{
    int n = cnf->n, x, y, map, count = 0;
    unsigned whole = combgpu__no3_group(desc->symmetry);
    memset(cnf->variable, 0, (size_t)(n * n) * sizeof *cnf->variable);
    for (y = 0; y < n; y++)
        for (x = 0; x < n; x++) {
            int diagonal = x == y || x == n - 1 - y;
            unsigned group = desc->symmetry == COMBGPU_NO3_NEAR_ROT4 && diagonal ? 0x09u : whole;
            if (cnf->variable[y * n + x]) continue;
            count++;
            for (map = 0; map < 8; map++)
                if (group >> map & 1)
                    cnf->variable[combgpu__no3_map_place(n, map, x, y)] = (uint16_t)count;
        }
    return count;
}

/* No three of the line's cells, and at least two of a row or column: any all but one of its cells
   hold a point. Of lines that are images of each other, lists only the first. */
COMBGPU__PRIVATE void combgpu__no3_line_clauses(combgpu__no3_cnf *cnf, int x, int y, int dx, int dy,
                                                int count)
{
    int n = cnf->n, cells[COMBGPU__NO3_SIDE], literals[COMBGPU__NO3_SIDE], map, a, b, c;
    int first, last;
    for (a = 0; a < count; a++, x += dx, y += dy)
        cells[a] = y * n + x;
    first = cells[0] < cells[count - 1] ? cells[0] : cells[count - 1];
    last = cells[0] ^ cells[count - 1] ^ first;
    for (map = 1; map < 8; map++) {
        if (!(cnf->group >> map & 1)) continue;
        a = combgpu__no3_map_place(n, map, first % n, first / n);
        b = combgpu__no3_map_place(n, map, last % n, last / n);
        if (b < a) a ^= b, b ^= a, a ^= b;
        if (a < first || (a == first && b < last)) return;
    }
    for (a = 0; a < count; a++)
        cells[a] = cnf->variable[cells[a]];
    for (a = 0; a < count; a++)
        for (b = 0; b < a; b++)
            for (c = 0; c < b; c++) {
                literals[0] = -cells[a];
                literals[1] = cells[b] == cells[a] ? 0 : -cells[b];
                literals[2] = cells[c] == cells[a] || cells[c] == cells[b] ? 0 : -cells[c];
                combgpu__no3_clause(cnf, literals, 3);
            }
    for (a = 0; a < count && (!dx || !dy); a++) {
        memcpy(literals, cells, (size_t)count * sizeof *cells);
        literals[a] = 0;
        combgpu__no3_clause(cnf, literals, count);
    }
}

COMBGPU__PRIVATE void combgpu__no3_all_clauses(combgpu__no3_cnf *cnf, const combgpu_no3_desc *desc)
{
    int n = cnf->n, dx, dy, x, y, k, literal, count;
    cnf->clauses = 0;
    for (dx = 0; dx < n; dx++)
        for (dy = dx ? 1 - n : 1; dy < n; dy++) {
            if (!combgpu__no3_is_direction(n, dx, dy)) continue;
            for (y = 0; y < n; y++)
                for (x = 0; x < n; x++)
                    if ((count = combgpu__no3_line_from(n, x, y, dx, dy)) > (dx && dy ? 2 : 0))
                        combgpu__no3_line_clauses(cnf, x, y, dx, dy, count);
        }
    for (k = 0; k < 2; k++) {
        const uint64_t *rows = k ? desc->off : desc->on;
        for (y = 0; rows && y < n; y++)
            for (x = combgpu__no3_next(n, rows, 0, y); x < n;
                 x = combgpu__no3_next(n, rows, x + 1, y)) {
                literal = cnf->variable[y * n + x];
                if (k) literal = -literal;
                combgpu__no3_clause(cnf, &literal, 1);
            }
    }
}

COMBGPU__DEF combgpu_status combgpu_no3_to_dimacs(combgpu_context *ctx,
                                                  const combgpu_no3_desc *desc, char *text,
                                                  size_t bytes, size_t *needed)
{
    combgpu__no3_text out;
    combgpu__no3_cnf cnf;
    combgpu_status status;
    int variables, v, x, y, n;
    combgpu__clear_message(ctx);
    if (!desc) return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT, "desc is NULL");
    status = combgpu__no3_validate_instance(ctx, desc);
    if (status) return status;
    memset(&out, 0, sizeof out);
    memset(&cnf, 0, sizeof cnf);
    out.text = text;
    out.bytes = text ? bytes : 0;
    cnf.n = n = desc->n;
    cnf.group =
        desc->symmetry == COMBGPU_NO3_NEAR_ROT4 ? 0x09u : combgpu__no3_group(desc->symmetry);
    cnf.variable = (uint16_t *)combgpu__allocate(ctx, (size_t)(n * n) * sizeof *cnf.variable);
    if (!cnf.variable) return combgpu__no_memory(ctx, (size_t)(n * n) * sizeof *cnf.variable);
    variables = combgpu__no3_number_orbits(&cnf, desc);
    combgpu__no3_all_clauses(&cnf, desc);
    combgpu__no3_put(&out, "c no three in line, n = %d, %s\nc variable: its cells as column,row\n",
                     n, combgpu_no3_class_string(desc->symmetry));
    for (v = 1; v <= variables; v++) {
        combgpu__no3_put(&out, "c %d:", v);
        for (y = 0; y < n; y++)
            for (x = 0; x < n; x++)
                if (cnf.variable[y * n + x] == v) combgpu__no3_put(&out, " %d,%d", x, y);
        combgpu__no3_put(&out, "\n");
    }
    combgpu__no3_put(&out, "p cnf %d %llu\n", variables, (unsigned long long)cnf.clauses);
    cnf.out = &out;
    combgpu__no3_all_clauses(&cnf, desc);
    combgpu__release(ctx, cnf.variable);
    return combgpu__no3_put_end(ctx, &out, needed);
}
