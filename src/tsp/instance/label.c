/* Places the labels of a drawing so that none covers a city or another label. */

#define COMBGPU__LABEL_MOST 128 /* cities that get labels */

/* A box in the picture, in tenths of a unit. */
typedef struct combgpu__tsp_box {
    int left, top, right, bottom;
} combgpu__tsp_box;

typedef struct combgpu__tsp_labels {
    int count;                                          /* of cities */
    int x[COMBGPU__LABEL_MOST], y[COMBGPU__LABEL_MOST]; /* of a city */
    int width[COMBGPU__LABEL_MOST];                     /* of its label */
    int gap[COMBGPU__LABEL_MOST];                       /* from the city to its label */
    int next[COMBGPU__LABEL_MOST];                      /* the next city of the tour; -1 = none */
    combgpu__tsp_box box[COMBGPU__LABEL_MOST];          /* of the label; empty = no label */
} combgpu__tsp_labels;

COMBGPU__PRIVATE int combgpu__tsp_boxes_meet(const combgpu__tsp_box *a, const combgpu__tsp_box *b)
{
    return a->left < b->right && b->left < a->right && a->top < b->bottom && b->top < a->bottom;
}

/* Returns the box of city c's label at one of 8 places, clockwise from the upper right. */
COMBGPU__PRIVATE combgpu__tsp_box combgpu__tsp_label_box(const combgpu__tsp_labels *l, int c,
                                                         int place)
{
    static const signed char across[8] = {1, 1, 1, 0, -1, -1, -1, 0};
    static const signed char down[8] = {-1, 0, 1, 1, 1, 0, -1, -1};
    const int height = 130, gap = l->gap[c];
    combgpu__tsp_box box;
    box.left = across[place] > 0   ? l->x[c] + gap
               : across[place] < 0 ? l->x[c] - gap - l->width[c]
                                   : l->x[c] - l->width[c] / 2;
    box.top = down[place] < 0   ? l->y[c] - height - (across[place] ? 10 : 40)
              : down[place] > 0 ? l->y[c] + (across[place] ? 10 : 40)
                                : l->y[c] - height / 2;
    box.right = box.left + l->width[c];
    box.bottom = box.top + height;
    return box;
}

/* Returns how many of 31 points of the line from city a to city b the box covers. */
COMBGPU__PRIVATE int combgpu__tsp_line_in_box(const combgpu__tsp_labels *l, int a, int b,
                                              const combgpu__tsp_box *box)
{
    int i, covered = 0;
    for (i = 0; i <= 30; i++) {
        int x = l->x[a] + (int)((int64_t)(l->x[b] - l->x[a]) * i / 30);
        int y = l->y[a] + (int)((int64_t)(l->y[b] - l->y[a]) * i / 30);
        covered += x > box->left && x < box->right && y > box->top && y < box->bottom;
    }
    return covered;
}

/* Returns the points of lines that a box for city c covers; negative if the box covers a label or a
   city, or leaves the picture. */
COMBGPU__PRIVATE int combgpu__tsp_label_cost(const combgpu__tsp_labels *l, int c,
                                             const combgpu__tsp_box *box,
                                             const combgpu__tsp_box *picture)
{
    int i, cost = 0;
    if (box->left < picture->left || box->right > picture->right || box->top < picture->top ||
        box->bottom > picture->bottom)
        return -1;
    for (i = 0; i < l->count; i++) {
        combgpu__tsp_box city;
        city.left = l->x[i] - 35;
        city.right = l->x[i] + 35;
        city.top = l->y[i] - 35;
        city.bottom = l->y[i] + 35;
        if (i != c && (l->x[i] != l->x[c] || l->y[i] != l->y[c]) &&
            combgpu__tsp_boxes_meet(box, &city))
            return -1;
        if (i < c && combgpu__tsp_boxes_meet(box, &l->box[i])) return -1;
        if (l->next[i] >= 0) cost += combgpu__tsp_line_in_box(l, i, l->next[i], box);
    }
    return cost;
}

/* Gives each label the place beside its city that covers the fewest points of lines. */
COMBGPU__PRIVATE void combgpu__tsp_place_labels(combgpu__tsp_labels *l,
                                                const combgpu__tsp_box *picture)
{
    int c, place;
    for (c = 0; c < l->count; c++) {
        int least = -1;
        memset(&l->box[c], 0, sizeof l->box[c]);
        for (place = 0; place < 8; place++) {
            combgpu__tsp_box box = combgpu__tsp_label_box(l, c, place);
            int cost = combgpu__tsp_label_cost(l, c, &box, picture);
            if (cost < 0 || (least >= 0 && cost >= least)) continue;
            least = cost;
            l->box[c] = box;
        }
    }
}
