"""Searches with pruning: queens that do not attack each other, and Costas arrays. usage: search.py [N]"""

import ctypes
import sys

import combgpu

# perm[row] = column. The state has the columns that queens above attack on diagonals.
queens = combgpu.Searcher(
    state="uint32_t up, down;",
    allowed="return ~(uint64_t)(state->up | state->down);",
    step="""
        state->up = (state->up | 1u << value) << 1;
        state->down = (state->down | 1u << value) >> 1;
        return 1;
    """)

# seen[d]: a bit for each difference, plus n - 1, of elements d + 1 positions apart
costas = combgpu.Searcher(
    state="uint32_t seen[16];",
    allowed="""
        uint64_t taken = 0;
        int d;
        for (d = 0; d < place; d++) taken |= ((uint64_t)state->seen[d] << perm[place - 1 - d]) >> (n - 1);
        return ~taken;
    """,
    step="""
        int d;
        for (d = 0; d < place; d++) state->seen[d] |= 1u << (value - perm[place - 1 - d] + n - 1);
        return 1;
    """)

BYTES, INT = ctypes.POINTER(ctypes.c_ubyte), ctypes.c_int


# Without a C compiler: numba.cfunc(combgpu.signatures["step"]) is as fast; ctypes takes any function of Python's, slowly
@ctypes.CFUNCTYPE(INT, BYTES, INT, INT, INT, INT, BYTES, BYTES)
def no_attack(perm, place, value, n, length, data, state):
    return all(abs(value - perm[row]) != place - row for row in range(place))


def main(n):
    found = combgpu.perm_search(n, queens)
    print(f"{n} queens: {found.hits:,} ways; the first is {combgpu.perm_search(n, queens, goal='first').best}")
    print(f"{n} x {n}: {combgpu.perm_search(n, costas).hits:,} Costas arrays")
    small = min(n, 8)
    print(f"{small} queens by a function of Python's: {combgpu.Context('cpu').perm_search(small, no_attack).hits}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10)
