/* No-three-in-line: the portable C solver. */

/* A worker's stack is too large for a thread's: it is (most + 2) levels in the work memory, each as
   long as its board needs. */
COMBGPU__INLINE size_t combgpu__no3_level_bytes(int words)
{
    return (offsetof(combgpu__no3_level, words) + (size_t)words * sizeof(uint32_t) + 63) / 64 * 64;
}

COMBGPU__INLINE combgpu__no3_level *combgpu__no3_level_at(void *stack, int at, int words)
{
    return (combgpu__no3_level *)(void *)((char *)stack +
                                          (size_t)at * combgpu__no3_level_bytes(words));
}

COMBGPU__PRIVATE void *combgpu__no3_stack(const combgpu__worker *worker)
{
    const size_t each = combgpu__desc(worker->job)->cpu_work_bytes_per_worker;
    char *memory = (char *)worker->work + worker->index * each;
    return memory + (64 - (size_t)memory % 64) % 64;
}

/* The bytes of such a stack. */
COMBGPU__PRIVATE size_t combgpu__no3_stack_bytes(size_t most, int words)
{
    return (most + 2) * combgpu__no3_level_bytes(words) + 64;
}

/* Spills a search: the stack's levels and the board. The list of a level is the board's, up to the
   level's count. */
COMBGPU__PRIVATE void combgpu__no3_give(combgpu__worker *worker, void *stack, int top,
                                        const combgpu__no3_board *board, int words, int lines)
{
    uint32_t task[COMBGPU__NO3_TASK_ROOM];
    int i;
    for (i = 0; i <= top; i++) {
        combgpu__no3_put_task(task, i < top ? combgpu__no3_level_at(stack, i, words) : &board->now,
                              board->placed, words, lines);
        combgpu__give(worker, task);
    }
}

COMBGPU__INLINE void combgpu__no3_search(combgpu__worker *worker, const combgpu__no3_view *view,
                                         void *__restrict stack, int words, int split, int wide)
{
    combgpu__no3_board board;
    const uint32_t *task;
    int lines = split ? 32 : words >> wide;
    while ((task = combgpu__take(worker)) != NULL) {
        int top = 0;
        combgpu__no3_get_task(task, &board, words, lines);
        for (;;) {
            combgpu__no3_level *without = combgpu__no3_level_at(stack, top, words);
            uint32_t line, rank = 0, place;
            int32_t points;
            if (combgpu__spent(worker)) {
                combgpu__no3_give(worker, stack, top, &board, words, lines);
                return;
            }
            if (!board.now.line) {
                uint32_t key = combgpu__no3_select(view, &board.now, words, split, wide);
                if (key == COMBGPU__NO3_SOLVED) {
                    uint32_t record[COMBGPU__NO3_RECORD_ROOM];
                    record[0] = board.now.count;
                    combgpu__no3_put_placed(record + 1, board.placed, board.now.count, words);
                    if (!combgpu__emit(worker, record)) {
                        combgpu__no3_give(worker, stack, top, &board, words, lines);
                        return;
                    }
                }
                worker->totals[0]++;
                board.now.line = 1 + (key >> 8 & 255);
                if (key == COMBGPU__NO3_SOLVED || !(key >> 28)) {
                    if (!top) break;
                    without = combgpu__no3_level_at(stack, --top, words);
                    combgpu__no3_copy(&board.now, without, words, lines);
                }
            }
            line = board.now.line - 1;
            points = combgpu__no3_on_line(view, &board.now, line, split, wide, &rank);
            place = combgpu__no3_place_of(view, line << 8 | rank);
            if (points - (int32_t)COMBGPU__NO3_PLACE_WEIGHT(place) >= board.now.need[line]) {
                combgpu__no3_copy(without, &board.now, words, lines);
                combgpu__no3_remove(view, without, COMBGPU__NO3_PLACE_ORBIT(place), words);
                top++;
            }
            combgpu__no3_place(view, &board, line, place, words);
        }
    }
}
