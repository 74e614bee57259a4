/* The library's searches, one per line: the room src/ROOM/, the NAME in COMBGPU_ONLY_NAME, and the
   entry points combgpu_CALL, with _begin and _end. No other file lists them. From these lines
   src/amalgamate makes

     each/has.h      COMBGPU__HAS_NAME for each search in a build; COMBGPU__SEARCHES(SEARCH), which is
                     SEARCH(room, NAME) for each of these, and COMBGPU__CALLS(CALL), CALL(call) likewise
     each/FILE       where a spine includes it: src/ROOM/FILE of every search with such a file

   APART(room, FUNCTION, ...): public functions that the small file of an entry point of the room
   (src/amalgamate --only) lacks unless it is asked for them. */
SEARCH(magic, MAGIC, magic, magic_estimate, magic_diagonals)
SEARCH(no3, NO3, no3)
SEARCH(perm, PERM, perm, perm_search)
SEARCH(tsp, TSP, tsp, tsp_tours, tsp_windows, tsp_batch, tsp_common)
APART(tsp, tsp_read, tsp_parse, tsp_read_tour, tsp_parse_tour, tsp_write_tour, tsp_draw, tsp_to_svg, job_estimate)
