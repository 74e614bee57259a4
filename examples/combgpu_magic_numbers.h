/* combgpu magic --numbers: reads and checks squares of numbers other than 1 to n*n. */
#ifndef COMBGPU_EXAMPLES_MAGIC_NUMBERS_H
#define COMBGPU_EXAMPLES_MAGIC_NUMBERS_H

#include "combgpu_input.h"

static int magic_numbers[64 * 64];

/* Derives *order from the count of an option's numbers if it is 0. Ends the program if they do not fit. */
static void order_of_count(int id, const char *what, int count, int *order)
{
    int side = 1;
    while (side * side < count)
        side++;
    if (!*order) *order = side;
    if (count != *order * *order)
        usage("%s has %d %s; a square of order %d needs %d", option_name(id), count, what, *order,
              *order * *order);
}

/* --numbers: whole numbers, which may be negative. Sets *order. */
static void read_values(int *order)
{
    char *text = text_or_file(OPTION_NUMBERS), *at;
    int count = 0;
    for (at = strtok(text, " \t\r,|/\n"); at && count < 64 * 64; at = strtok(NULL, " \t\r,|/\n")) {
        const char *end;
        int value;
        if (!parse_int(at, &end, &value) || *end || value > 400000000 || value < -400000000)
            usage("--numbers: number %d is \"%.20s\"; it may be a whole number from -400000000 to "
                  "400000000",
                  count + 1, at);
        magic_numbers[count++] = value;
    }
    free(text);
    order_of_count(OPTION_NUMBERS, "numbers", count, order);
}

/* Ends the program if --sum is not the line sum of --numbers. The search reports numbers without one. */
static void check_line_sum(int order)
{
    int64_t sum, most, total = 0;
    int i;
    limits_of(OPTION_SUM, &sum, &most);
    if (sum != most) wrong_value(OPTION_SUM, text_of(OPTION_SUM), "a whole number");
    for (i = 0; i < order * order; i++)
        total += magic_numbers[i];
    if (total % order == 0 && sum != total / order)
        usage("--sum is %lld; the rows hold all the numbers, so it must be %lld", (long long)sum,
              (long long)(total / order));
}

/* ---- --check: each of the numbers once, and lines with their sum */

static int sorted_numbers[64 * 64];
static int64_t numbers_sum; /* of a line */

static int compare_numbers(const void *a, const void *b)
{
    const int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* Reads the numbers of the squares of --check. Sets *order. */
static void numbers_begin(int *order)
{
    int64_t total = 0;
    int i;
    read_values(order);
    if (given(OPTION_SUM)) check_line_sum(*order);
    for (i = 0; i < *order * *order; i++)
        total += sorted_numbers[i] = magic_numbers[i];
    if (total % *order)
        usage("--numbers add up to %lld, not a multiple of the order %d: no square of them "
              "is magic",
              (long long)total, *order);
    numbers_sum = total / *order;
    qsort(sorted_numbers, (size_t)(*order * *order), sizeof *sorted_numbers, compare_numbers);
}

/* Nonzero for properties of such squares; the others need 1 to n*n. */
static int judged_with_numbers(const char *property)
{
    return !strcmp(property, "permutation") || !strcmp(property, "semimagic") ||
           !strcmp(property, "magic") || !strcmp(property, "pandiagonal") ||
           !strcmp(property, "frenicle");
}

/* Returns the first cell whose number is not in --numbers (*absent), or occurs there less often; -1 if all
   fit. */
static int numbers_wrong_cell(int cells, const int *square, int *absent)
{
    unsigned char taken[64 * 64] = {0};
    int i, at;
    for (i = 0; i < cells; i++) {
        int low = 0, high = cells;
        while (low < high) {
            int middle = (low + high) / 2;
            if (sorted_numbers[middle] < square[i])
                low = middle + 1;
            else
                high = middle;
        }
        for (at = low; at < cells && sorted_numbers[at] == square[i] && taken[at]; at++)
            continue;
        *absent = at == low;
        if (at == cells || sorted_numbers[at] != square[i]) return i;
        taken[at] = 1;
    }
    return -1;
}

static void numbers_line(combgpu_magic_report *report, const char *name, int number, int64_t sum)
{
    if (sum == numbers_sum) return;
    report->wrong_lines++;
    if (!report->wrong[0])
        snprintf(report->wrong, sizeof report->wrong,
                 "%s %d adds up to %lld and must add up to %lld", name, number, (long long)sum,
                 (long long)numbers_sum);
}

/* Turns a report about 1 to n*n into one about --numbers: its sums stay. */
static void numbers_check(int order, const int *square, combgpu_magic_report *report)
{
    combgpu_magic_report was = *report;
    int k, absent, before, broken = 1;
    report->is_semimagic = report->is_magic = report->is_pandiagonal = 0;
    report->is_associative = report->is_ultramagic = report->is_bimagic = report->is_trimagic = 0;
    report->is_most_perfect = report->is_franklin = report->is_self_complementary = 0;
    report->is_concentric = report->wrong_lines = 0;
    report->wrong[0] = 0;
    report->repeats = -1;
    report->magic_sum = numbers_sum;
    report->wrong_cell = numbers_wrong_cell(order * order, square, &absent);
    report->is_permutation = report->wrong_cell < 0;
    if (!report->is_permutation)
        snprintf(report->wrong, sizeof report->wrong, "row %d, column %d is %d, %s",
                 report->wrong_cell / order, report->wrong_cell % order, square[report->wrong_cell],
                 absent ? "which --numbers does not have" : "more often than in --numbers");
    for (k = 0; k < order; k++) {
        numbers_line(report, "row", k, was.rows[k]);
        numbers_line(report, "column", k, was.columns[k]);
        broken = broken && was.broken[0][k] == numbers_sum && was.broken[1][k] == numbers_sum;
    }
    report->is_semimagic = report->is_permutation && !report->wrong_lines;
    before = report->wrong_lines;
    for (k = 0; k < 2; k++)
        numbers_line(report, "diagonal", k, was.diagonals[k]);
    report->is_magic = report->is_semimagic && report->wrong_lines == before;
    report->is_pandiagonal = report->is_magic && broken;
}

#endif
