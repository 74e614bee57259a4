/* Constructs bimagic squares of orders that are products of prime powers. */

/* Order p^k with a prime p and k of 2 or more, except 4. The k digits of a row's number and the k
   of a column's, base p, are a vector over the integers mod p, and a number of the square has 2k
   digits, each a linear form of that vector: r * row + c * column. In a row only c matters, in a
   column r, on the diagonals c + r and c - r. If in each of these four cases no form is a multiple
   of another or 0, any two digits take all p * p pairs of values equally often along a line, so
   that sums and sums of squares are equal. The 2k forms must be independent: then every number
   occurs once (G. Tarry 1903 for p = 2 and k = 3).

   Order 8 has no such forms: six different c and r, with six different c + r, are never
   independent. There forms serve rows and columns, and a search finds the diagonals: two bimagic
   sets of 8 cells, one in each row and column, which an order of rows and columns makes the
   diagonals.

   For several primes: the digits of each prime power in turn, a compound of the squares. */

#define COMBGPU__MAGIC_DIGITS 26 /* of the numbers of order 2^13 */

typedef struct combgpu__magic_forms {
    int count;
    int base[COMBGPU__MAGIC_DIGITS];
    int row[COMBGPU__MAGIC_DIGITS], column[COMBGPU__MAGIC_DIGITS]; /* forms, as numbers base p */
    int stride[COMBGPU__MAGIC_DIGITS]; /* the form is one of number / stride % size, */
    int size[COMBGPU__MAGIC_DIGITS];   /* where size = p^k */
    int rows[8], columns[8];           /* order 8: the numbers of rows and columns, in order */
} combgpu__magic_forms;

/* Returns a + b * factor, digit by digit mod p. */
COMBGPU__PRIVATE int combgpu__magic_forms_add(int p, int a, int b, int factor)
{
    int sum = 0, place = 1;
    for (; a || b; a /= p, b /= p, place *= p)
        sum += (a % p + b % p * factor) % p * place;
    return sum;
}

/* Returns the sum of the products of the digits, mod p. */
COMBGPU__PRIVATE int combgpu__magic_forms_dot(int p, int a, int b)
{
    int sum = 0;
    for (; a && b; a /= p, b /= p)
        sum += a % p * (b % p);
    return sum % p;
}

/* Returns the multiple whose lowest digit other than 0 is 1. */
COMBGPU__PRIVATE int combgpu__magic_forms_point(int p, int a)
{
    int factor = 1, low = a;
    if (!a) return 0;
    while (low % p == 0)
        low /= p;
    while (low % p * factor % p != 1)
        factor++;
    return combgpu__magic_forms_add(p, 0, a, factor);
}

/* Returns whether the last of the forms first .. last is independent of the others: Gaussian
   elimination. */
COMBGPU__PRIVATE int combgpu__magic_forms_independent(const combgpu__magic_forms *forms, int first,
                                                      int last)
{
    int p = forms->base[last], size = forms->size[last], i, k, rest, row, pivot[26];
    int left[COMBGPU__MAGIC_DIGITS][COMBGPU__MAGIC_DIGITS];
    for (i = first; i <= last; i++) {
        int *form = left[i - first], columns = 0;
        for (rest = forms->column[i], row = forms->row[i], k = 1; k < size; k *= p, columns += 2) {
            form[columns] = row % p, form[columns + 1] = rest % p;
            row /= p, rest /= p;
        }
        for (k = 0; k < i - first; k++) {
            int factor = (p - form[pivot[k]]) % p, j;
            for (j = 0; j < columns; j++)
                form[j] = (form[j] + factor * left[k][j]) % p;
        }
        for (k = 0; k < columns && !form[k]; k++) {
        }
        if (k == columns) return 0;
        pivot[i - first] = k;
        for (rest = 1; form[k] * rest % p != 1; rest++) {
        }
        for (k = 0; k < columns; k++)
            form[k] = form[k] * rest % p;
    }
    return 1;
}

/* Returns whether form `at` is independent of those before it, and its r, r + c and r - c no
   multiples of theirs. Order 8: only r. */
COMBGPU__PRIVATE int combgpu__magic_forms_fit(const combgpu__magic_forms *forms, int first, int at)
{
    int p = forms->base[at], factor, i;
    for (factor = -1; factor <= 1; factor++) { /* r - c, r, r + c */
        int point, other;
        if (factor && forms->size[at] == 8) continue;
        point = combgpu__magic_forms_point(
            p, combgpu__magic_forms_add(p, forms->row[at], forms->column[at], factor + p));
        if (!point) return 0;
        for (i = first; i < at; i++) {
            other = combgpu__magic_forms_add(p, forms->row[i], forms->column[i], factor + p);
            if (point == combgpu__magic_forms_point(p, other)) return 0;
        }
    }
    return combgpu__magic_forms_independent(forms, first, at);
}

/* ---- order 8: the diagonals */

typedef struct combgpu__magic_eight_square {
    int number[8][8], column[8]; /* column: of the first diagonal, by row */
    int partner[8];              /* the second diagonal has the column of this row */
} combgpu__magic_eight_square;

/* Pairs the rows from `row` on so that the columns of partners form a bimagic second diagonal. */
COMBGPU__PRIVATE int combgpu__magic_eight_pairs(combgpu__magic_eight_square *square, int row,
                                                int sum, int squares)
{
    int other;
    while (row < 8 && square->partner[row] >= 0)
        row++;
    if (row == 8) return sum == 252 && squares == 10668; /* of 0 to 63, in a line */
    for (other = row + 1; other < 8; other++) {
        int a = square->number[row][square->column[other]],
            b = square->number[other][square->column[row]];
        if (square->partner[other] >= 0) continue;
        square->partner[row] = other;
        square->partner[other] = row;
        if (combgpu__magic_eight_pairs(square, row + 1, sum + a + b, squares + a * a + b * b))
            return 1;
        square->partner[row] = square->partner[other] = -1;
    }
    return 0;
}

/* Chooses the first diagonal from `row` on, then the second. */
COMBGPU__PRIVATE int combgpu__magic_eight_diagonal(combgpu__magic_eight_square *square, int row,
                                                   int taken, int sum, int squares)
{
    int column;
    if (row == 8) {
        memset(square->partner, 255, sizeof square->partner);
        return sum == 252 && squares == 10668 && combgpu__magic_eight_pairs(square, 0, 0, 0);
    }
    for (column = 0; column < 8; column++) {
        int number = square->number[row][column];
        if (taken >> column & 1) continue;
        square->column[row] = column;
        if (combgpu__magic_eight_diagonal(square, row + 1, taken | 1 << column, sum + number,
                                          squares + number * number))
            return 1;
    }
    return 0;
}

/* Sets the orders of rows and columns of order 8. Returns 0 if the forms leave none. */
COMBGPU__PRIVATE int combgpu__magic_eight(combgpu__magic_forms *forms, int first)
{
    combgpu__magic_eight_square square;
    int i, j, s, next = 0;
    memset(&square, 0, sizeof square);
    for (i = 0; i < 8; i++)
        for (j = 0; j < 8; j++)
            for (s = first; s < first + 6; s++)
                square.number[i][j] |= (combgpu__magic_forms_dot(2, forms->row[s], i) ^
                                        combgpu__magic_forms_dot(2, forms->column[s], j))
                                       << (s - first);
    if (!combgpu__magic_eight_diagonal(&square, 0, 0, 0, 0)) return 0;
    for (i = 0; i < 8; i++) {
        if (square.partner[i] < i) continue;
        forms->rows[next] = i;
        forms->rows[7 - next++] = square.partner[i];
    }
    for (i = 0; i < 8; i++)
        forms->columns[i] = square.column[forms->rows[i]];
    return 1;
}

/* Chooses the row parts of a block's forms: each takes the first that fits; every try starts
   elsewhere. Every order up to 10000 needs few tries. Returns 0 if none fit. */
COMBGPU__PRIVATE int combgpu__magic_forms_choose(combgpu__magic_forms *forms, int first, int end)
{
    int size = forms->size[first], at, i, attempt;
    for (attempt = 0; attempt < 10000; attempt++) {
        for (at = first; at < end; at++) {
            uint32_t start = (uint32_t)(attempt * 32 + at - first) * 2654435761u >> 16;
            for (i = 0; i < size - 1; i++) {
                forms->row[at] = 1 + (int)(start + (uint32_t)i) % (size - 1);
                if (combgpu__magic_forms_fit(forms, first, at)) break;
            }
            if (i == size - 1) break;
        }
        if (at == end && (size != 8 || combgpu__magic_eight(forms, first))) return 1;
    }
    return 0;
}

COMBGPU__PRIVATE int combgpu__magic_forms_is_power(int p, int a)
{
    while (a && a % p == 0)
        a /= p;
    return a <= 1;
}

/* Adds the digits of order p^k = size. Returns 0 if no forms suit it. */
COMBGPU__PRIVATE int combgpu__magic_forms_block(combgpu__magic_forms *forms, int p, int k, int size,
                                                int stride)
{
    int first = forms->count, unit = 1, column = 0, i;
    for (i = first; i < first + 2 * k; i++, unit *= unit < size ? p : 1) {
        while (unit >= size && (combgpu__magic_forms_point(p, column) != column ||
                                combgpu__magic_forms_is_power(p, column)))
            if (++column == size) return 0;
        forms->base[i] = p;
        forms->size[i] = size;
        forms->stride[i] = stride;
        forms->column[i] = unit < size ? unit : column++; /* unit vectors first: they span all */
    }
    forms->count += 2 * k;
    return combgpu__magic_forms_choose(forms, first, forms->count);
}

/* Returns the digits of a row's or a column's number as a number with the bases of `forms`. */
COMBGPU__PRIVATE int combgpu__magic_forms_of(const combgpu__magic_forms *forms, const int *form,
                                             const int *eight, int number)
{
    int sum = 0, place = 1, i;
    for (i = 0; i < forms->count; place *= forms->base[i++]) {
        int part = number / forms->stride[i] % forms->size[i];
        if (forms->size[i] == 8) part = eight[part];
        sum += place * combgpu__magic_forms_dot(forms->base[i], form[i], part);
    }
    return sum;
}

/* Writes a bimagic square. Returns 0 if the order is not such a product. */
COMBGPU__PRIVATE int combgpu__magic_bimagic(int n, int *out)
{
    combgpu__magic_forms forms;
    int p, rest = n, stride = 1, i, j, k;
    memset(&forms, 0, sizeof forms);
    for (p = 2; rest > 1; p++) {
        int size = 1;
        for (k = 0; rest % p == 0; k++, rest /= p)
            size *= p;
        if (!k) continue;
        if (k == 1 || !combgpu__magic_forms_block(&forms, p, k, size, stride)) return 0;
        stride *= size;
    }
    for (j = 0; j < n; j++)
        out[j] = combgpu__magic_forms_of(&forms, forms.column, forms.columns, j);
    for (i = n - 1; i >= 0; i--) {
        int row = combgpu__magic_forms_of(&forms, forms.row, forms.rows, i);
        for (j = 0; j < n; j++) {
            int a = row, b = out[j], sum = 0, place = 1;
            for (k = 0; k < forms.count; place *= forms.base[k++]) {
                sum += place * ((a + b) % forms.base[k]);
                a /= forms.base[k];
                b /= forms.base[k];
            }
            out[(size_t)i * (size_t)n + (size_t)j] = sum + 1;
        }
    }
    return 1;
}
