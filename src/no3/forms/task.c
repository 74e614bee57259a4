/* Reads and writes tasks of no-three-in-line and lists of placed orbits, as in layout.h. */

COMBGPU__PRIVATE void combgpu__no3_put_placed(uint32_t *list, const uint16_t *placed,
                                              uint32_t count, int words)
{
    uint32_t j;
    memset(list, 0, (size_t)COMBGPU__NO3_LIST_WORDS(words) * sizeof *list);
    for (j = 0; j < count; j++)
        list[COMBGPU__NO3_SLOT(j)] |= (uint32_t)placed[j] << COMBGPU__NO3_SLOT_SHIFT(j);
}

COMBGPU__PRIVATE void combgpu__no3_get_placed(const uint32_t *list, uint16_t *placed,
                                              uint32_t count)
{
    uint32_t j;
    for (j = 0; j < count; j++)
        placed[j] = (uint16_t)(list[COMBGPU__NO3_SLOT(j)] >> COMBGPU__NO3_SLOT_SHIFT(j));
}

COMBGPU__PRIVATE void combgpu__no3_put_task(uint32_t *task, const combgpu__no3_level *level,
                                            const uint16_t *placed, int words, int lines)
{
    int part, i, parts = COMBGPU__NO3_NEEDS(words), each = lines / parts;
    memcpy(task, level->words, (size_t)words * sizeof *task);
    for (part = 0; part < parts; part++) {
        uint32_t need = 0;
        for (i = 0; i < each; i++)
            need |= (uint32_t)level->need[part * each + i] << 2 * i;
        task[words + part] = need | (part == 1 ? level->line : level->count)
                                        << COMBGPU__NO3_COUNT_SHIFT;
    }
    combgpu__no3_put_placed(task + words + parts, placed, level->count, words);
}

COMBGPU__PRIVATE void combgpu__no3_get_task(const uint32_t *task, combgpu__no3_board *board,
                                            int words, int lines)
{
    combgpu__no3_level *now = &board->now;
    int part, i, parts = COMBGPU__NO3_NEEDS(words), each = lines / parts;
    memcpy(now->words, task, (size_t)words * sizeof *task);
    for (part = 0; part < parts; part++)
        for (i = 0; i < each; i++)
            now->need[part * each + i] = (int16_t)(task[words + part] >> 2 * i & 3);
    now->count = task[words] >> COMBGPU__NO3_COUNT_SHIFT;
    now->line = task[words + 1] >> COMBGPU__NO3_COUNT_SHIFT;
    combgpu__no3_get_placed(task + words + parts, board->placed, now->count);
}
