"""Draws the pictures of the README, step by step like a notebook: python pictures.py [FOLDER]

    square.svg    a magic square of order 5
    board.svg     40 points on a 20 x 20 grid, no three in line, with the symmetry of a quarter turn
    gallery.svg   every such board of 6 x 6 points, up to rotation and reflection
    tour.svg      the shortest tour of 100 cities, proven
    session.svg   a session in Python

BOARD_SIDE=52 asks for another board; that one takes a GPU.
"""

# %% Where to
import contextlib
import io
import os
import sys
from html import escape
from pathlib import Path

import combgpu

folder = Path(sys.argv[1] if len(sys.argv) > 1 else "pictures")
folder.mkdir(parents=True, exist_ok=True)


def save(name, svg):
    (folder / name).write_text(svg, encoding="utf-8")
    print(folder / name)


# %% A magic square of order 5 that is pandiagonal and associative
square = combgpu.MagicSquare.construct(5, "ultramagic")
assert square.check().is_ultramagic
save("square.svg", square.svg("all lines and diagonals: 65"))

# %% A board with the symmetry of a quarter turn
side = int(os.environ.get("BOARD_SIDE", 20))
board = next(combgpu.no3_boards(side, symmetry="rot4", seed=1, limit=1))
assert board.is_solution
save("board.svg", board.svg(f"{2 * side} points, no three in line"))

# %% All boards of side 6
boards = sorted(combgpu.no3_boards(6), key=lambda found: (found.symmetry, found.masks))
tile, columns = 160, 4
rows = -(-len(boards) // columns)
parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{columns * tile}" height="{rows * (tile + 20)}" '
         'font-family="sans-serif" font-size="13" text-anchor="middle">']
for i, found in enumerate(boards):
    x, y = i % columns * tile, i // columns * (tile + 20)
    inner = found.svg().replace("<svg ", f'<svg x="{x}" y="{y}" ', 1)
    parts += [inner, f'<text x="{x + 70}" y="{y + tile}">{found.symmetry}</text>']
save("gallery.svg", "\n".join([*parts, "</svg>\n"]))

# %% The shortest tour of 100 cities: kroA100 of TSPLIB
tour = combgpu.tsp(Path(__file__).resolve().parent.parent.parent / "tests/data/tsplib/kroA100.tsp")
assert tour.optimal and tour.length == 21282
save("tour.svg", tour.svg())

# %% A session: these lines, and what they print
LINES = """import combgpu
combgpu.magic(4)
combgpu.no3(10).classes
combgpu.permutations("MISSISSIPPI").size
combgpu.tsp([(0, 0), (3, 0), (3, 4), (0, 4)]).length
print(next(combgpu.no3_boards(8, symmetry="rot4")))"""
shown, names = [], {}
for line in LINES.splitlines():
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(line, "session", "single"), names)
    shown += [(">>> " + line, "#6cb6ff"), *((text, "#e6edf3") for text in printed.getvalue().splitlines())]
parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{24 + 8.2 * max(len(text) for text, _ in shown):.0f}" '
         f'height="{24 + 19 * len(shown)}" font-family="monospace" font-size="13.5">',
         '<rect width="100%" height="100%" rx="8" fill="#0d1117"/>']
for i, (text, colour) in enumerate(shown):
    parts.append(f'<text x="12" y="{26 + 19 * i}" fill="{colour}" xml:space="preserve">{escape(text)}</text>')
save("session.svg", "\n".join([*parts, "</svg>\n"]))
