/* No-three-in-line: orbits, lines and the format of the board. */

COMBGPU__COLD_BEGIN
/* The maps of a class, as bits. */
COMBGPU__PRIVATE unsigned combgpu__no3_group(combgpu_no3_class symmetry)
{
    switch (symmetry) {
    case COMBGPU_NO3_DIA1:
        return 0x11;
    case COMBGPU_NO3_ORT1:
        return 0x05;
    case COMBGPU_NO3_ROT2:
        return 0x09;
    case COMBGPU_NO3_NEAR_ROT4:
    case COMBGPU_NO3_ROT4:
        return 0x69;
    case COMBGPU_NO3_DIA2:
        return 0x99;
    case COMBGPU_NO3_ORT2:
        return 0x0f;
    case COMBGPU_NO3_FULL:
        return 0xff;
    default:
        return 0x01;
    }
}

/* Nonzero if an orbit can be part of a solution: not with three points in line, nor as the centre
   under a half turn, which is in line with every other point and its image. */
COMBGPU__PRIVATE int combgpu__no3_usable(const combgpu__no3 *model, const uint16_t *cells, int size)
{
    int a, b, c;
    if (cells[0] == model->middle * (model->n + 1) && model->group & 8) return 0;
    for (a = 0; a < size; a++)
        for (b = 0; b < a; b++)
            for (c = 0; c < b; c++)
                if (combgpu__no3_cells_in_line(model, cells[a], cells[b], cells[c])) return 0;
    return 1;
}

/* Splits the cells into orbits. On an odd side a near-rot4 solution has two points on one of the
   long diagonals and none on the other (2n = 2 modulo 4). The search takes only the main diagonal;
   mirror images have them on the other. */
COMBGPU__PRIVATE void combgpu__no3_make_orbits(combgpu__no3 *model)
{
    const uint16_t none = COMBGPU__NO3_NO_ORBIT - 1; /* seen, of no orbit */
    int n = model->n, cell, map, i;
    memset(model->orbit_of, 0xff, sizeof model->orbit_of);
    for (cell = 0; cell < n * n; cell++) {
        int x = cell % n, y = cell / n, size = 0, usable;
        int main = x == y, other = x == combgpu__no3_mirror(model, y);
        unsigned group = model->near_rot4 && (main || other) ? 0x09u : model->group;
        uint16_t cells[8];
        if (model->orbit_of[cell] != COMBGPU__NO3_NO_ORBIT) continue;
        for (map = 0; map < 8; map++) {
            int image = combgpu__no3_map_cell(model, map, cell);
            if (!(group >> map & 1) || model->orbit_of[image] != COMBGPU__NO3_NO_ORBIT) continue;
            model->orbit_of[image] = none;
            cells[size++] = (uint16_t)image;
        }
        usable = combgpu__no3_usable(model, cells, size);
        if (model->near_rot4 && n % 2 && other && !main) usable = 0;
        if (!usable) continue;
        for (i = 0; i < size; i++)
            model->orbit_of[cells[i]] = (uint16_t)model->orbits;
        memcpy(model->cells[model->orbits], cells, sizeof cells);
        model->size[model->orbits++] = (uint8_t)size;
    }
    for (cell = 0; cell < n * n; cell++)
        if (model->orbit_of[cell] == none) model->orbit_of[cell] = COMBGPU__NO3_NO_ORBIT;
}

/* Nonzero if a map takes every orbit to an orbit, and differs there from map `before`. */
COMBGPU__PRIVATE int combgpu__no3_permutes(const combgpu__no3 *model, int map, int before)
{
    int differs = 0, i;
    uint32_t orbit;
    for (orbit = 0; orbit < model->orbits; orbit++) {
        const uint16_t *cells = model->cells[orbit];
        uint16_t to = model->orbit_of[combgpu__no3_map_cell(model, map, cells[0])];
        if (to == COMBGPU__NO3_NO_ORBIT || model->size[to] != model->size[orbit]) return 0;
        for (i = 1; i < model->size[orbit]; i++)
            if (model->orbit_of[combgpu__no3_map_cell(model, map, cells[i])] != to) return 0;
        differs |= to != model->orbit_of[combgpu__no3_map_cell(model, before, cells[0])];
    }
    return differs;
}

/* Finds one map for each permutation of the orbits but the identity. */
COMBGPU__PRIVATE void combgpu__no3_find_images(combgpu__no3 *model)
{
    int map, before;
    for (map = 1; map < 8; map++) {
        for (before = 0; before < map; before++) {
            if (before && !(model->images >> before & 1)) continue;
            if (!combgpu__no3_permutes(model, map, before)) break;
        }
        if (before == map) model->images |= 1u << map;
    }
}
COMBGPU__COLD_END

/* Cell i of a row or column; `raw` is 2 * index + is_column, from the centre out. */
COMBGPU__PRIVATE int combgpu__no3_cell_on(int n, int raw, int i)
{
    return raw & 1 ? i * n + raw / 2 : raw / 2 * n + i;
}

COMBGPU__COLD_BEGIN
/* Finds the representative of each row and column: the least `raw` of its line. */
COMBGPU__PRIVATE void combgpu__no3_make_classes(const combgpu__no3 *model, int *representative)
{
    int n = model->n, raw, map;
    for (raw = 0; raw < 2 * n; raw++) {
        representative[raw] = raw;
        for (map = 0; map < 8; map++) {
            int i = raw / 2, image;
            if (!(model->group >> map & 1)) continue;
            if (map & (raw & 1 ? ((map & 4) ? 1 : 2) : ((map & 4) ? 2 : 1)))
                i = combgpu__no3_mirror(model, i);
            image = 2 * i + ((raw & 1) ^ (map >> 2));
            if (image < representative[raw]) representative[raw] = image;
        }
    }
}

/* Returns the form of combgpu_no3_square for the class, or 0. */
COMBGPU__PRIVATE int combgpu__no3_square_form(const combgpu__no3 *model)
{
    int n = model->n, odd = n % 2;
    if (model->group == 0x69 && model->near_rot4 == odd && n <= 40 + odd)
        return odd ? COMBGPU__NO3_FORM_FOLD_ODD : COMBGPU__NO3_FORM_FOLD;
    if (model->group == 0x09 && n <= 32) return COMBGPU__NO3_FORM_HALF;
    return model->group == 0x05 && !odd && n <= 32 ? COMBGPU__NO3_FORM_HALF_ORT1 : 0;
}

/* Chooses the form of combgpu_no3_plate for the class, if any. */
COMBGPU__PRIVATE void combgpu__no3_choose_plate(combgpu__no3 *model)
{
    int n = model->n, odd = n % 2, dia2 = model->group == 0x99, rows = (n + 1) / 2 + dia2;
    if ((model->group == 0x69 && model->near_rot4 == odd) || dia2) {
        model->share = rows <= 24 ? 6 : 8;
        if (rows <= 32) model->plate = dia2 ? COMBGPU__NO3_PLATE_DIA2 : COMBGPU__NO3_PLATE_FOLD;
    } else if ((model->group == 0x05 && !odd && n <= 38) || (model->group == 0x11 && n <= 37)) {
        model->share = 6;
        model->plate = model->group == 0x05 ? COMBGPU__NO3_PLATE_ORT1 : COMBGPU__NO3_PLATE_DIA1;
    }
}

/* Chooses how many words a board has, and how many lines they hold. */
COMBGPU__PRIVATE void combgpu__no3_choose_words(combgpu__no3 *model, int count, int least_words)
{
    static const uint8_t sizes[6] = {16, 32, 48, 64, 128, 192};
    const int n = model->n;
    int k;
    model->split = model->group == 1 && n <= 16 && least_words <= 16;
    /* ort2 and full have n / 2 orbits on a line */
    model->wide = (least_words & 1) || least_words >= 128 ||
                  (n > 32 && model->group != 0x0f && model->group != 0xff);
    for (k = 0; !model->split && sizes[k] < (model->wide ? 2 * count : count);)
        k++;
    if (k == 0 && !model->split && model->orbits > 256) k = 1; /* pairs have 16-bit numbers */
    while (sizes[k] < (least_words & ~1))
        k++;
    model->words = sizes[k];
    model->lines = model->split ? 32 : model->words >> model->wide;
}

/* Chooses the form of the kernel for these words. */
COMBGPU__PRIVATE void combgpu__no3_choose_form(combgpu__no3 *model, int matrix, int least_words)
{
    const int n = model->n, form = combgpu__no3_square_form(model), free = !matrix && !least_words;
    if (model->group == 1 && n <= 21 && least_words <= 16 && !matrix)
        model->solo = n <= 16 ? 1 : n - 15;
    if (matrix == 20 || (free && (n > 32 || form > COMBGPU__NO3_FORM_FOLD_ODD)))
        model->square = form;
    if (!model->solo && (least_words <= 16 || matrix) && model->words == 48 && model->group == 1)
        model->matrix = 1;
    if (matrix == 24 || (free && !model->square && n > 32)) combgpu__no3_choose_plate(model);
    if (model->words >= 128 && combgpu__popcount64(model->group) == 2) model->parts = 2;
}

/* Chooses the format of a board with `count` lines: at least `least_words` words, with wide lines
   if that is odd, large from 193 on. Tests of kernels ask for more words than needed. */
COMBGPU__PRIVATE void combgpu__no3_choose_format(combgpu__no3 *model, int count, int least_words)
{
    int matrix = 0;
    model->parts = 1;
    if (model->n > COMBGPU__NO3_TABLED || least_words > COMBGPU__NO3_TABLED_WORDS) {
        model->wide = 2;
        model->words = (4 * count + 255) / 256 * 256;
        model->lines = model->words >> 2;
        return;
    }
    if (least_words == 20 || least_words == 24) { /* a matrix; 20: a small one for a class */
        matrix = least_words;
        least_words = model->group == 1 ? 48 : 0;
    }
    combgpu__no3_choose_words(model, count, least_words);
    combgpu__no3_choose_form(model, matrix, least_words);
}

/* Numbers the lines, ranks their orbits, and chooses the format of the board. */
COMBGPU__PRIVATE void combgpu__no3_make_lines(combgpu__no3 *model, int least_words)
{
    int representative[2 * COMBGPU__NO3_SIDE], count = 0, n = model->n, raw, i, k;
    uint32_t orbit, lightest = 4;
    combgpu__no3_make_classes(model, representative);
    for (raw = 0; raw < 2 * n; raw++)
        count += representative[raw] == raw;
    combgpu__no3_choose_format(model, count, least_words);
    for (raw = 0, count = 0; raw < 2 * n; raw++) {
        int line = count, rank = 0;
        if (representative[raw] != raw) continue;
        count++;
        model->line_mask[line >> 5] |= 1u << (line & 31);
        for (i = 0; i < n; i++) {
            orbit = model->orbit_of[combgpu__no3_cell_on(n, raw, i)];
            if (orbit == COMBGPU__NO3_NO_ORBIT) continue;
            /* an orbit is on two lines at most */
            k = model->weight[orbit][0] && model->line[orbit][0] != line;
            if (!model->weight[orbit][k]++) {
                model->line[orbit][k] = (uint8_t)line;
                model->rank[orbit][k] = (uint8_t)rank++;
            }
        }
    }
    for (orbit = 0; orbit < model->orbits; orbit++) {
        uint32_t total = (uint32_t)model->weight[orbit][0] + model->weight[orbit][1];
        if (total < lightest) lightest = total;
        if (!model->weight[orbit][1]) { /* on a single line: the second place is the first */
            model->line[orbit][1] = model->line[orbit][0];
            model->rank[orbit][1] = model->rank[orbit][0];
        }
    }
    model->most = 2 * (uint32_t)count / lightest;
    /* a diagonal or an axis, whose orbits are light, has two points */
    if ((model->wide == 2 || model->plate) && model->group != 1 && model->most > (uint32_t)n + 2)
        model->most = (uint32_t)n + 2;
}
COMBGPU__COLD_END

/* The k-th place of an orbit in a board: *word, and the bit in it. */
COMBGPU__PRIVATE uint32_t combgpu__no3_bit(const combgpu__no3 *model, uint32_t orbit, int k,
                                           int *word)
{
    int line = model->line[orbit][k], rank = model->rank[orbit][k];
    *word = model->split ? line >> 1 : (line << model->wide) + (model->wide ? rank >> 5 : 0);
    return 1u << ((model->split && !(line & 1) ? 15 : 31) - (rank & 31));
}

COMBGPU__PRIVATE void combgpu__no3_make_places(combgpu__no3 *model)
{
    int n = model->n, raw, i, word;
    for (raw = 0; raw < 2 * n; raw++)
        for (i = 0; i < n; i++) {
            uint32_t orbit = model->orbit_of[combgpu__no3_cell_on(n, raw, i)], bit;
            model->place[raw][i] = COMBGPU__NO3_NO_ORBIT;
            if (orbit == COMBGPU__NO3_NO_ORBIT) continue;
            bit = combgpu__no3_bit(model, orbit, 0, &word);
            model->place[raw][i] = (uint16_t)(word << 5 | combgpu__lowest_bit64(bit));
        }
}

/* Sets an orbit's places in a row of board words. */
COMBGPU__PRIVATE void combgpu__no3_set(const combgpu__no3 *model, uint32_t orbit, uint32_t *row)
{
    int k, word;
    for (k = 0; k < 2; k++) {
        uint32_t bit = combgpu__no3_bit(model, orbit, k, &word);
        row[word] |= bit;
    }
}
