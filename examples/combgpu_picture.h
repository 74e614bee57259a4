/* Draws a magic square as SVG, and puts several pictures side by side in one file. */
#ifndef COMBGPU_EXAMPLES_PICTURE_H
#define COMBGPU_EXAMPLES_PICTURE_H

#include "combgpu_output.h"

enum { PICTURES_MOST = 20000 };

static struct {
    char **text; /* SVG documents */
    size_t count, room, left_out;
    char *alone; /* the first one with --title, in case no other comes; or NULL */
    char *title; /* picture_title */
} pictures;

static int pictures_wanted(void)
{
    return given(OPTION_SVG);
}

/* --title for XML: UTF-8, blanks for control characters; `otherwise` if not given. */
static const char *picture_title(const char *otherwise)
{
    const char *at = text_of(OPTION_TITLE);
    char *to;
    if (!at) return otherwise;
    if (pictures.title) return pictures.title;
    to = pictures.title = (char *)malloc(2 * strlen(at) + 1);
    if (!to) usage("--title: out of memory");
    while (*at) {
        unsigned char c = (unsigned char)*at;
        size_t length = utf8_length(at);
        if (!length) { /* not UTF-8: as Latin-1 */
            *to++ = (char)(0xc0 | c >> 6);
            *to++ = (char)(0x80 | (c & 0x3f));
            at++;
        }
        for (; length; length--, at++)
            *to++ = c < ' ' ? ' ' : *at;
    }
    *to = 0;
    return pictures.title;
}

/* Nonzero if the next picture, drawn without a title, is to be drawn with --title too. */
static int picture_may_be_alone(void)
{
    return !pictures.count && !pictures.alone && *picture_title("");
}

static void picture_alone(char *text)
{
    if (!text) usage("--svg: out of memory");
    pictures.alone = text;
}

/* Keeps a picture, which must come from malloc. */
static void picture_add(char *text)
{
    if (!text) usage("--svg: out of memory");
    if (pictures.count == PICTURES_MOST) {
        pictures.left_out++;
        free(text);
        return;
    }
    if (pictures.count == pictures.room) {
        pictures.room = pictures.room ? 2 * pictures.room : 64;
        pictures.text = (char **)realloc(pictures.text, pictures.room * sizeof *pictures.text);
        if (!pictures.text) usage("--svg: out of memory");
    }
    pictures.text[pictures.count++] = text;
}

/* The number in an attribute of the document's first tag. */
static double picture_size(const char *text, const char *attribute)
{
    const char *at = strstr(text, attribute);
    return at ? strtod(at + strlen(attribute) + 1, NULL) : 1;
}

/* Writes all pictures in rows, in one document with a title. */
static void put_gallery(FILE *to, const char *title)
{
    double wide = 0, high = 0, cell_wide, cell_high;
    size_t i, columns = 1, rows;
    const double gap = 14, top = *title ? 56 : gap;
    for (i = 0; i < pictures.count; i++) {
        double w = picture_size(pictures.text[i], "width="),
               h = picture_size(pictures.text[i], "height=");
        if (w > wide) wide = w;
        if (h > high) high = h;
    }
    while ((double)(columns * columns) * high * 4 < (double)pictures.count * wide * 5) /* 5 : 4 */
        columns++;
    if (columns > pictures.count) columns = pictures.count;
    rows = (pictures.count + columns - 1) / columns;
    cell_wide = 1200.0 / (double)columns - gap;
    if (cell_wide > wide) cell_wide = wide;
    if (cell_wide < 60) cell_wide = 60;
    cell_high = high * cell_wide / wide;
    fprintf(to,
            "<svg xmlns='http://www.w3.org/2000/svg' width='%.0f' height='%.0f' viewBox='0 0 %.0f "
            "%.0f'>\n",
            (double)columns * (cell_wide + gap) + gap, (double)rows * (cell_high + gap) + top,
            (double)columns * (cell_wide + gap) + gap, (double)rows * (cell_high + gap) + top);
    fprintf(to, "<title>");
    put_xml(to, title);
    fprintf(to, "</title>\n<rect width='100%%' height='100%%' fill='#fff'/>\n");
    if (*title) {
        fprintf(to, "<text x='%.0f' y='36' font-family='sans-serif' font-size='20' fill='#222'>",
                gap);
        put_xml(to, title);
        fprintf(to, "</text>\n");
    }
    for (i = 0; i < pictures.count; i++) {
        const char *text = pictures.text[i];
        double w = picture_size(text, "width="), h = picture_size(text, "height=");
        fprintf(to, "<svg x='%.1f' y='%.1f' width='%.1f' height='%.1f' viewBox='0 0 %.0f %.0f'>\n",
                gap + (double)(i % columns) * (cell_wide + gap),
                top + (double)(i / columns) * (cell_high + gap), cell_wide, cell_high, w, h);
        fputs(text, to);
        fprintf(to, "</svg>\n");
    }
    fprintf(to, "</svg>\n");
}

/* Writes --svg FILE: a single picture as it is, several below a title. */
static void pictures_end(const char *title)
{
    FILE *to;
    size_t i;
    if (!pictures_wanted()) return;
    if (!pictures.count) {
        if (!given(OPTION_QUIET)) fprintf(stderr, "%s: --svg: nothing to draw\n", cmd.program);
        to = open_output(OPTION_SVG);
        fprintf(to, "<svg xmlns='http://www.w3.org/2000/svg' width='1' height='1'>"
                    "<title>nothing to draw</title></svg>\n");
        close_output(OPTION_SVG, to);
        return;
    }
    if (pictures.left_out)
        fprintf(stderr, "%s: --svg: the first %s are drawn, %s are not\n", cmd.program,
                commas(pictures.count), commas(pictures.left_out));
    to = open_output(OPTION_SVG);
    if (pictures.count == 1)
        fputs(pictures.alone ? pictures.alone : pictures.text[0], to);
    else
        put_gallery(to, picture_title(title));
    for (i = 0; i < pictures.count; i++)
        free(pictures.text[i]);
    free(pictures.text);
    free(pictures.alone);
    free(pictures.title);
    memset(&pictures, 0, sizeof pictures);
    close_output(OPTION_SVG, to);
}

/* ---- a magic square */

/* The text of a square's picture: cells tinted by their numbers, the line sum below. `given_cells`:
   nonzero where a number was given, or NULL. */
static char *square_picture(const int *square, int order, const char *title, const int *given_cells)
{
    const int cell = order <= 12 ? 48 : order <= 40 ? 30 : 12, top = *title ? 40 : 12, left = 12;
    const int side = cell * order, wide = side + 2 * left, high = side + top + 34;
    const size_t room = 4096 + (size_t)order * (size_t)order * 220 + 8 * strlen(title);
    int least = square[0], most = square[0], i;
    long long sum = 0, down = 0, up = 0; /* of the first row and the diagonals */
    size_t at = 0;
    char *text = (char *)malloc(room);
    const char *p;
    if (!text) return NULL;
    for (i = 0; i < order * order; i++) {
        if (square[i] < least) least = square[i];
        if (square[i] > most) most = square[i];
        if (i < order) sum += square[i];
    }
    at += (size_t)snprintf(text, room,
                           "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' "
                           "viewBox='0 0 %d %d'>\n<rect width='100%%' height='100%%' "
                           "fill='#fff'/>\n<g font-family='sans-serif' text-anchor='middle' "
                           "fill='#222'>\n<text x='%d' y='26' font-size='15'>",
                           wide, high, wide, high, wide / 2);
    for (p = title; *p; p++)
        at += (size_t)snprintf(text + at, room - at, strchr("<>&'\"", *p) ? "&#%d;" : "%c", *p);
    at += (size_t)snprintf(text + at, room - at, "</text>\n");
    for (i = 0; i < order * order; i++) {
        int x = left + cell * (i % order), y = top + cell * (i / order);
        double part = most > least ? ((double)square[i] - least) / ((double)most - least) : 0;
        int red = (int)(247 - 92 * part), green = (int)(250 - 60 * part),
            blue = (int)(255 - 20 * part);
        int digits = snprintf(NULL, 0, "%d", square[i]), size = cell * 2 / 5;
        if (digits > 3) size = cell * 3 / 2 / digits;
        at += (size_t)snprintf(
            text + at, room - at,
            "<rect x='%d' y='%d' width='%d' height='%d' fill='#%02x%02x%02x' "
            "stroke='#8fa3bf'/><text x='%d' y='%d' font-size='%d'%s>%d</text>\n",
            x, y, cell, cell, (unsigned)red, (unsigned)green, (unsigned)blue, x + cell / 2,
            y + cell / 2 + size * 7 / 20, size,
            given_cells && given_cells[i] ? " font-weight='bold' fill='#b3261e'" : "", square[i]);
    }
    for (i = 0; i < order; i++) {
        down += square[i * (order + 1)];
        up += square[(order - 1 - i) * order + i];
    }
    snprintf(text + at, room - at,
             "<text x='%d' y='%d' font-size='13' fill='#555'>%s: %lld</text>\n</g>\n</svg>\n",
             wide / 2, top + side + 22, down == sum && up == sum ? "every line" : "rows, columns",
             sum);
    return text;
}

#endif
