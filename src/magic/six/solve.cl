/* The kernel for order 6 with both diagonals given. */

/* Lane 0: adds the squares of a share. Nonzero if it completes its step; then *squares has all of
   the step. */
COMBGPU__DEVICE uint32_t combgpu_six_add(COMBGPU__GLOBAL uint32_t *area, uint32_t part,
                                         uint32_t shares, uint32_t *squares)
{
    if (*squares) COMBGPU__ATOMIC_ADD(&area[COMBGPU__SIX_AT_SQUARES + part], *squares);
    COMBGPU__SIX_FENCE();
    if (COMBGPU__ATOMIC_ADD(&area[COMBGPU__SIX_AT_SHARES + part], 1) != shares - 1) return 0;
    COMBGPU__SIX_FENCE();
    *squares = COMBGPU__SIX_READ(&area[COMBGPU__SIX_AT_SQUARES + part]);
    return 1;
}

/* Lane 0: settles a step, or this block's share of it. */
COMBGPU__DEVICE void combgpu_six_done(COMBGPU__GLOBAL combgpu__slice *slice,
                                      COMBGPU__GLOBAL uint32_t *left,
                                      COMBGPU__GLOBAL uint32_t *records,
                                      COMBGPU__GLOBAL uint32_t *area, combgpu_six_turn_t *turn,
                                      uint32_t outcome, uint32_t squares)
{
    const uint32_t part = (uint32_t)(turn->next % COMBGPU__SIX_PARTS);
    uint32_t back = outcome == COMBGPU__SIX_NO_AREA;
    if (outcome == COMBGPU__SIX_COUNTED && combgpu_six_add(area, part, turn->shares, &squares)) {
        turn->steps++;
        turn->squares += squares;
        turn->hash += combgpu_mix(combgpu_mix(turn->base + turn->next) ^ squares);
    }
    if (outcome == COMBGPU__SIX_TOO_LARGE && turn->share == turn->shares - 1) {
        const uint32_t at = combgpu_emit(slice);
        back = at == COMBGPU__NONE;
        if (!back) {
            combgpu_store64(records + 2 * at, turn->next);
            turn->steps++;
        }
    }
    if (back)
        combgpu_six_back(slice, left, turn);
    else if (outcome != COMBGPU__SIX_AHEAD_ONLY)
        turn->next++;
    turn->ahead = COMBGPU__NONE;
}

/* Words of `tables`: layout.h. A record is a step for the host, whose tables have room. Each lane
   reads the step again behind each barrier: see combgpu_six_batch. */
COMBGPU__KERNEL_BLOCKS(COMBGPU__SIX_LANES, 4) combgpu_magic_six(COMBGPU__SLICE_ARGUMENTS)
{
    COMBGPU__LOCAL_ARRAY uint32_t scratch[COMBGPU__SIX_LOCAL];
    const uint32_t areas = combgpu_six_areas(slice, tables);
    const uint32_t lane = COMBGPU__LANE_ID;
    COMBGPU__GLOBAL uint32_t *list =
        combgpu_six_area(work, areas) + (uint64_t)COMBGPU__BLOCK_ID * COMBGPU__SIX_ROOM;
    combgpu_six_turn_t turn; /* of lane 0 */
    if (COMBGPU__BLOCK_ID >= slice->workers) return;
    combgpu_six_start(&turn, tables);
    combgpu_six_fours(scratch);
    combgpu_six_enter(slice, work, scratch);
    for (;;) {
        uint32_t squares = 0;
        if (lane == 0) {
            scratch[COMBGPU__SIX_CONTINUES] =
                combgpu_six_next(slice, tables, tasks, left, work, &turn);
            scratch[COMBGPU__SIX_STEP] = turn.ahead != COMBGPU__NONE
                                             ? turn.ahead
                                             : (uint32_t)(turn.next / COMBGPU__SIX_PARTS);
            scratch[COMBGPU__SIX_STEP + 1] = (uint32_t)(turn.next % COMBGPU__SIX_PARTS);
            scratch[COMBGPU__SIX_SHARE] = turn.share;
            scratch[COMBGPU__SIX_AHEAD] = turn.ahead != COMBGPU__NONE;
        }
        COMBGPU__LOCAL_BARRIER();
        if (!scratch[COMBGPU__SIX_CONTINUES]) break;
        combgpu_six_share(work, areas, tables, list, scratch, scratch[COMBGPU__SIX_STEP]);
        squares = combgpu_six_count(combgpu_six_area(work, scratch[COMBGPU__SIX_PLACE_AT]), list,
                                    scratch, tables[COMBGPU__PARTS_AT_SHARES]);
        COMBGPU__LOCAL_BARRIER();
        if (lane == 0) {
            if (scratch[COMBGPU__SIX_OUTCOME] == COMBGPU__SIX_NO_AREA)
                COMBGPU__ATOMIC_OR(&work[COMBGPU__SIX_AT_FULL], 1);
            combgpu_six_done(slice, left, records,
                             combgpu_six_area(work, scratch[COMBGPU__SIX_PLACE_AT]), &turn,
                             scratch[COMBGPU__SIX_OUTCOME], squares);
        }
        COMBGPU__LOCAL_BARRIER();
    }
    if (lane == 0) {
        combgpu_six_leave(slice, tables, tasks, left);
        combgpu_add_total(slice, 0, turn.steps);
        combgpu_add_total(slice, 1, turn.hash);
        combgpu_add_total(slice, 2, turn.squares);
    }
}
