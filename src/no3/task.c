/* ---- tasks

   [0, words)         the board
   [words, words + 8) for each eighth of the lines: 2 bits for what each of them needs, in order, and
                      the number of orbits placed << 24
   then the list of orbits placed, 16 bits each: number j is half (j >> 3 & 1) of word
                      8 * (j >> 4) + (j & 7), so that the kernels' lanes share them evenly

   A record is the number of orbits, then the list. */

COMBGPU__PRIVATE uint32_t combgpu__no3_list_words(int words)
{
    return words < 64 ? (uint32_t)words : 64;
}

COMBGPU__PRIVATE uint32_t combgpu__no3_task_words(int words)
{
    return (uint32_t)words + 8 + combgpu__no3_list_words(words);
}

COMBGPU__PRIVATE void combgpu__no3_put_placed(uint32_t *list, const uint16_t *placed,
                                              uint32_t count, int words)
{
    uint32_t j;
    memset(list, 0, combgpu__no3_list_words(words) * sizeof *list);
    for (j = 0; j < count; j++)
        list[8 * (j >> 4) + (j & 7)] |= (uint32_t)placed[j] << (j & 8 ? 16 : 0);
}

COMBGPU__PRIVATE void combgpu__no3_get_placed(const uint32_t *list, uint16_t *placed,
                                              uint32_t count)
{
    uint32_t j;
    for (j = 0; j < count; j++)
        placed[j] = (uint16_t)(list[8 * (j >> 4) + (j & 7)] >> (j & 8 ? 16 : 0));
}

COMBGPU__PRIVATE void combgpu__no3_put_task(uint32_t *task, const combgpu__no3_level *level,
                                            const uint16_t *placed, int words, int lines)
{
    int part, i, each = lines / 8;
    memcpy(task, level->words, (size_t)words * sizeof *task);
    for (part = 0; part < 8; part++) {
        uint32_t need = 0;
        for (i = 0; i < each; i++)
            need |= (uint32_t)level->need[part * each + i] << 2 * i;
        task[words + part] = need | level->count << 24;
    }
    combgpu__no3_put_placed(task + words + 8, placed, level->count, words);
}

COMBGPU__PRIVATE void combgpu__no3_get_task(const uint32_t *task, combgpu__no3_board *board,
                                            int words, int lines)
{
    combgpu__no3_level *now = &board->now;
    int part, i, each = lines / 8;
    memcpy(now->words, task, (size_t)words * sizeof *task);
    for (part = 0; part < 8; part++)
        for (i = 0; i < each; i++)
            now->need[part * each + i] = (int16_t)(task[words + part] >> 2 * i & 3);
    now->count = task[words] >> 24;
    combgpu__no3_get_placed(task + words + 8, board->placed, now->count);
}

