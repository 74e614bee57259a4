/* The searches of this library, a line each: the room src/ROOM/, and the NAME in COMBGPU_ONLY_NAME. No
   other file lists them. src/amalgamate reads the lines and makes of them

     each/has.h      COMBGPU__HAS_NAME, for each search in a build, and COMBGPU__SEARCHES(SEARCH),
                     which is SEARCH(room, NAME) for each of these
     each/FILE       where a spine includes it: src/ROOM/FILE of each search that has such a file */
SEARCH(magic, MAGIC)
SEARCH(no3, NO3)
SEARCH(perm, PERM)
SEARCH(tsp, TSP)
