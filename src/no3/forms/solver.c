/* Chooses the C solver for a board of no-three-in-line. */

/* Each format of the board has its own copy of the search, with constant sizes where known. The
   copies for any number of words are functions: one frame for all had 19 KB. */
COMBGPU__APART void combgpu__no3_solve_large(combgpu__worker *worker, const combgpu__no3_view *view,
                                             void *stack)
{
    combgpu__no3_search(worker, view, stack, view->words, 0, 2);
}

COMBGPU__APART void combgpu__no3_solve_wide(combgpu__worker *worker, const combgpu__no3_view *view,
                                            void *stack)
{
    combgpu__no3_search(worker, view, stack, view->words, 0, 1);
}

COMBGPU__APART void combgpu__no3_solve_narrow(combgpu__worker *worker,
                                              const combgpu__no3_view *view, void *stack)
{
    combgpu__no3_search(worker, view, stack, view->words, 0, 0);
}

COMBGPU__PRIVATE void combgpu__no3_solve(combgpu__worker *worker)
{
    combgpu__no3_view view;
    void *stack = combgpu__no3_stack(worker);
    combgpu__no3_make_view(worker->tables, &view);
#ifdef COMBGPU__X86
    if (worker->simd == COMBGPU__SIMD_AVX512 && (view.split || view.words == 16)) {
        combgpu__no3_solve512(worker, &view);
        return;
    }
    if (worker->simd == COMBGPU__SIMD_AVX512 && !view.large) {
        if (view.wide)
            combgpu__no3_solve512_two(worker, &view, stack);
        else
            combgpu__no3_solve512_one(worker, &view, stack);
        return;
    }
#endif
    if (view.split)
        combgpu__no3_search(worker, &view, stack, 16, 1, 0);
    else if (view.words == 16)
        combgpu__no3_search(worker, &view, stack, 16, 0, 0);
    else if (view.words == 32)
        combgpu__no3_search(worker, &view, stack, 32, 0, 0);
    else if (view.large)
        combgpu__no3_solve_large(worker, &view, stack);
    else if (view.wide)
        combgpu__no3_solve_wide(worker, &view, stack);
    else
        combgpu__no3_solve_narrow(worker, &view, stack);
}

/* The solver's steps for any format of the board, once for all that grow trees. */
COMBGPU__APART uint32_t combgpu__no3_select_any(const combgpu__no3_view *view,
                                                const combgpu__no3_level *now)
{
    return combgpu__no3_select(view, now, view->words, view->split, view->wide);
}

COMBGPU__APART void combgpu__no3_place_any(const combgpu__no3_view *view, combgpu__no3_board *board,
                                           uint32_t line, uint32_t place)
{
    combgpu__no3_place(view, board, line, place, view->words);
}
