/* Makes boards of no-three-in-line with randomly fixed cells: a small search on any side. */
#ifndef COMBGPU_TEST_BOARD_H
#define COMBGPU_TEST_BOARD_H

#include "test.h"

static uint64_t board_on[64]; /* the fixed cells: desc.on, one word a row */
static int board_x[128], board_y[128], board_points;

/* Adds a point; -1: it is there, 0: it cannot be. */
static int board_add(int x, int y)
{
    int i, j, in_row = 0, in_column = 0;
    for (i = 0; i < board_points; i++) {
        if (board_x[i] == x && board_y[i] == y) return -1;
        in_row += board_y[i] == y;
        in_column += board_x[i] == x;
        for (j = 0; j < i; j++)
            if ((board_x[i] - x) * (board_y[j] - y) == (board_x[j] - x) * (board_y[i] - y))
                return 0;
    }
    if (in_row > 1 || in_column > 1) return 0;
    board_x[board_points] = x;
    board_y[board_points++] = y;
    return 1;
}

/* The maps of a class, as bits; bit g: g & 4 swaps, then g & 2 and g & 1 mirror. */
static unsigned board_maps(combgpu_no3_class symmetry)
{
    return symmetry == COMBGPU_NO3_ALL    ? 0x01
           : symmetry == COMBGPU_NO3_DIA1 ? 0x11
           : symmetry == COMBGPU_NO3_ORT1 ? 0x05
           : symmetry == COMBGPU_NO3_DIA2 ? 0x99
                                          : 0x69;
}

/* Fixes cells and their images, always the same for a seed. */
static void board_fix(int n, combgpu_no3_class symmetry, int orbits, uint32_t seed)
{
    memset(board_on, 0, sizeof board_on);
    board_points = 0;
    while (orbits > 0) {
        int save = board_points, map, fits = 1, x, y;
        seed = seed * 1664525u + 1013904223u;
        x = (int)(seed >> 8) % n;
        seed = seed * 1664525u + 1013904223u;
        y = (int)(seed >> 8) % n;
        for (map = 0; map < 8 && fits; map++) {
            int a = map & 4 ? y : x, b = map & 4 ? x : y;
            if (!(board_maps(symmetry) >> map & 1)) continue;
            fits = x != y && x != n - 1 - y &&
                   board_add(map & 2 ? n - 1 - a : a, map & 1 ? n - 1 - b : b);
        }
        if (fits)
            orbits--;
        else
            board_points = save;
    }
    while (board_points > 0) {
        board_points--;
        board_on[board_y[board_points]] |= UINT64_C(1) << board_x[board_points];
    }
}

#endif
