/* Searches with callbacks known by their addresses: of numba.cfunc, ctypes or cffi. A search's data begins with a key
   that finds its functions, which may have other addresses when it resumes. */
#ifndef COMBGPU_PYTHON_SEARCH_H
#define COMBGPU_PYTHON_SEARCH_H

#include <stdint.h>

typedef struct combgpu_py_parts {
    uint64_t key; /* 0 = this slot is free */
    void (*begin)(int n, int length, const unsigned char *data, void *state);
    uint64_t (*allowed)(const unsigned char *perm, int place, int n, int length,
                        const unsigned char *data, const void *state);
    int (*step)(const unsigned char *perm, int place, int value, int n, int length,
                const unsigned char *data, void *state);
    int64_t (*bound)(const unsigned char *perm, int place, int value, int n, int length,
                     const unsigned char *data, const void *state, int64_t best);
    int64_t (*leaf)(const unsigned char *perm, int n, int length, const unsigned char *data,
                    const void *state);
    const unsigned char *data; /* of a walk: the data behind the key */
} combgpu_py_parts;

#define COMBGPU_PY_HEAD 16  /* bytes of a key, before the data, which stays aligned */
#define COMBGPU_PY_MOST 256 /* searches of a process at a time */
static combgpu_py_parts combgpu_py_known[COMBGPU_PY_MOST];

#define COMBGPU_PY_CALLED ((const combgpu_py_parts *)(const void *)data)
COMBGPU_PERM_SEARCH(combgpu_py_called, state({ uint64_t words[8]; }), begin({
                        if (COMBGPU_PY_CALLED->begin)
                            COMBGPU_PY_CALLED->begin(n, length, COMBGPU_PY_CALLED->data, state);
                    }),
                    allowed({
                        if (!COMBGPU_PY_CALLED->allowed) return ~(uint64_t)0;
                        return COMBGPU_PY_CALLED->allowed(perm, place, n, length,
                                                          COMBGPU_PY_CALLED->data, state);
                    }),
                    step({
                        if (!COMBGPU_PY_CALLED->step) return 1;
                        return COMBGPU_PY_CALLED->step(perm, place, value, n, length,
                                                       COMBGPU_PY_CALLED->data, state);
                    }),
                    bound({
                        return COMBGPU_PY_CALLED->bound(perm, place, value, n, length,
                                                        COMBGPU_PY_CALLED->data, state, best);
                    }),
                    leaf({
                        if (!COMBGPU_PY_CALLED->leaf) return 1;
                        return COMBGPU_PY_CALLED->leaf(perm, n, length, COMBGPU_PY_CALLED->data,
                                                       state);
                    }))

/* Finds a walk's functions, which become the walk's data until the caller restores the data returned. */
static const unsigned char *combgpu_py_find(combgpu__perm_search_walk *walk, combgpu_py_parts *parts)
{
    const unsigned char *data = walk->data;
    uint64_t key;
    int i;
    memcpy(&key, data, sizeof key);
    for (i = 0; i < COMBGPU_PY_MOST - 1 && combgpu_py_known[i].key != key;)
        i++;
    *parts = combgpu_py_known[i];
    parts->data = data + COMBGPU_PY_HEAD;
    walk->data = (const unsigned char *)parts;
    return data;
}

static void combgpu_py_run(combgpu__perm_search_walk *walk)
{
    combgpu_py_parts parts;
    const unsigned char *data = combgpu_py_find(walk, &parts);
    combgpu_py_called_run(walk);
    walk->data = data;
}

static int combgpu_py_go(combgpu__perm_search_walk *walk, const unsigned char *perm, int places,
                         uint64_t *allowed, int64_t *value)
{
    combgpu_py_parts parts;
    const unsigned char *data = combgpu_py_find(walk, &parts);
    int went = combgpu_py_called_go(walk, perm, places, allowed, value);
    walk->data = data;
    return went;
}

#endif
