/* Constructs magic squares of each kind. */

/* Writes the pandiagonal square of a multiple of 4 whose complements stand n/2 columns apart in
   rows of the other parity, or the pandiagonal and associative one of an order prime to 6 (two
   linear Latin squares). */
COMBGPU__PRIVATE void combgpu__magic_pandiagonal(int n, int *out)
{
    int i, j;
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++) {
            int high, low;
            if (n % 2) { /* 1, 2, 3 and 4 have inverses mod n; the centre gets the middle */
                high = (j + 2 * i + 1) % n;
                low = (j + 3 * i + 3 * (n - n / 2)) % n;
            } else { /* complements: columns j and j + n/2, and rows of other parity */
                high = j < n / 2 ? j : n - 1 - (j - n / 2);
                low = i < n / 2 ? i : n - 1 - (i - n / 2);
                if (i % 2) high = n - 1 - high;
                if (j % 2) low = n - 1 - low;
            }
            out[(size_t)i * (size_t)n + (size_t)j] = n * high + low + 1;
        }
}

/* Returns number `index` of 0, 1 ... count - 1 with a sign. All of them add up to 0: some of the
   first six, `head`, begin; then come groups of four, a - b - c + d. */
COMBGPU__PRIVATE int combgpu__magic_signed(const int *head, int heads, int index, int number)
{
    if (index < heads) return head[index];
    index = (index - heads) % 4;
    return index == 1 || index == 2 ? -number : number;
}

/* An ultramagic square of odd order n = 3m from 9 on. The forms j + 2i and j - 2i run through all
   residues mod n along rows, columns and one family of diagonals, and three times through a class
   mod 3 along the other. So residues are renamed to give the three classes mod 3 equal sums: the
   numbers are n/2 plus a deviation, x and -x have opposite ones, and those of class 1 add up to
   0. */
COMBGPU__PRIVATE void combgpu__magic_ultramagic_3m(int n, int *out)
{
    static const int three[3] = {1, 2, -3}, five[5] = {1, -2, 3, 4, -6};
    int m = n / 3, middle = n / 2, heads = m % 4 == 3 ? 3 : 5, used = 0, i, j, k;
    const int *head = heads == 3 ? three : five;
    size_t at = (size_t)n * (size_t)n - (size_t)n; /* the last row, written last */
    int *name = out + at;
    for (i = 0; i < m; i++) { /* 1, 4 ... and their opposites */
        int number = i < heads ? 0 : i + (heads == 3 ? 1 : 2);
        int deviation = combgpu__magic_signed(head, heads, i, number);
        name[3 * i + 1] = middle + deviation;
        name[n - 1 - 3 * i] = middle - deviation;
    }
    name[0] = middle;
    for (i = 1, k = 3; k < n / 2; k += 3) { /* class 0: the deviations that class 1 leaves */
        for (used = 1; used; i += used)
            for (used = j = 0; j < m; j++)
                used = used || name[3 * j + 1] == middle + i || name[3 * j + 1] == middle - i;
        name[k] = middle + i;
        name[n - k] = middle - i++;
    }
    for (i = 0; i < n; i++)
        for (j = 0; j < n && i < n - 1; j++)
            out[(size_t)i * (size_t)n + (size_t)j] =
                n * name[(j + 2 * i + (n + 3) / 2) % n] + name[(j - 2 * i + 2 * n + n / 2) % n] + 1;
    for (j = 0; j < n; j++) /* opposite to row 0 */
        out[at + (size_t)j] = n * n + 1 - out[n - 1 - j];
}

/* An ultramagic square of order n = 4k from 8 on. With signs s = + - - + + - - + ... the high digit
   of cell (i, j) deviates by s(i) e(j) from the mean, the low one by s(j) e(i). e has all
   deviations, e(n-1-j) = -e(j), and the sums of e over j = 0 and 1 mod 4 are opposite: then all
   lines are magic. */
COMBGPU__PRIVATE void combgpu__magic_ultramagic_4k(int n, int *out)
{
    static const int six[6] = {-1, -3, -5, 7, -9, 11};
    int heads = n % 8 ? 6 : 0, i, j;
    size_t at = (size_t)n * (size_t)n - (size_t)n;
    int *e = out + at; /* the last row, written last */
    for (i = 0; i < n / 2; i++) {
        j = 4 * (i / 2) + i % 2;
        e[j] = combgpu__magic_signed(six, heads, i, 2 * i + 1);
        e[n - 1 - j] = -e[j];
    }
    for (i = 0; i < n; i++)
        for (j = 0; j < n && i < n - 1; j++) {
            int high = (i + 1) % 4 < 2 ? e[j] : -e[j], low = (j + 1) % 4 < 2 ? e[i] : -e[i];
            out[(size_t)i * (size_t)n + (size_t)j] =
                n * ((n - 1 + high) / 2) + (n - 1 + low) / 2 + 1;
        }
    for (j = 0; j < n; j++)
        out[at + (size_t)j] = n * n + 1 - out[n - 1 - j];
}

/* Refuses an order that has no square of the kind. */
COMBGPU__PRIVATE combgpu_status combgpu__magic_construct_refuse(combgpu_context *ctx, int n,
                                                                combgpu_magic_kind kind)
{
    static const char *const names[] = {"",           "",       "pandiagonal", "associative",
                                        "ultramagic", "bimagic"};
    int none = kind == COMBGPU_MAGIC_BIMAGIC ? n < 8
               : kind < COMBGPU_MAGIC_PANDIAGONAL
                   ? 0
                   : n % 4 == 2 || (n == 3 && kind != COMBGPU_MAGIC_ASSOCIATIVE) ||
                         (n == 4 && kind == COMBGPU_MAGIC_ULTRAMAGIC);
    if (!none) return COMBGPU_OK;
    return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                         "order is %d; there is no %s square of that order", n, names[kind]);
}

COMBGPU__DEF combgpu_status combgpu_magic_construct_kind(combgpu_context *ctx, int order,
                                                         combgpu_magic_kind kind, int *out)
{
    combgpu_status status = combgpu__magic_check_order(ctx, order, 3, 10000, out, out, "out");
    if (status) return status;
    if ((int)kind < 0 || kind > COMBGPU_MAGIC_BIMAGIC)
        return combgpu__fail(ctx, COMBGPU_INVALID_ARGUMENT,
                             "kind is %d; it may be 0 (normal), 1 (semi-magic), 2 (pandiagonal), 3 "
                             "(associative), 4 (ultramagic), 5 (bimagic)",
                             (int)kind);
    status = combgpu__magic_construct_refuse(ctx, order, kind);
    if (status) return status;
    if (kind == COMBGPU_MAGIC_BIMAGIC) {
        if (combgpu__magic_bimagic(order, out)) return COMBGPU_OK;
        return combgpu__fail(
            ctx, COMBGPU_UNSUPPORTED,
            "order is %d; bimagic squares can be constructed for orders whose prime "
            "factors each occur twice or more, except 4 times odd numbers (8, 9, 16, "
            "25, 27 ...)",
            order);
    }
    if (kind == COMBGPU_MAGIC_PANDIAGONAL && order % 4 == 0)
        combgpu__magic_pandiagonal(order, out);
    else if (kind != COMBGPU_MAGIC_PANDIAGONAL && kind != COMBGPU_MAGIC_ULTRAMAGIC)
        return combgpu_magic_construct(ctx, order, out);
    else if (order % 4 == 0)
        combgpu__magic_ultramagic_4k(order, out);
    else if (order % 3 == 0)
        combgpu__magic_ultramagic_3m(order, out);
    else
        combgpu__magic_pandiagonal(order, out);
    return COMBGPU_OK;
}
