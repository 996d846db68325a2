"""Draw docs/rooms.svg from the imports in the code: `python scripts/draw_rooms.py`.

A room is a package of `component/` or one of its single modules; `tablemill/` is one too. An arrow goes from a room to
one that it imports, unless the arrows through other rooms already lead there. Each room stands one floor above the
highest that it imports. The same code makes the same picture.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).parent.parent
PICTURE = ROOT / "docs" / "rooms.svg"
Graph = Mapping[str, frozenset[str]]

WIDTH, HEIGHT = 92, 30
"""Of the box of a room."""
ACROSS, DOWN = 112, 66
"""From one place on a floor to the next, and from one floor to the next."""
BEND = 8
"""Width of the place that an arrow takes on a floor that it passes."""
MARGIN = 16
SWEEPS = 24


def room_of(name: str) -> str | None:
    """Return the room of a module by its dotted name; None for what is not ours, and for the version's package."""
    top, _, rest = name.partition(".")
    if top == "tablemill":
        return top
    return rest.partition(".")[0] or None if top == "component" else None


def imported(path: Path) -> Iterator[str]:
    """Yield the names of modules that a file imports; `from component import clock` names `component.clock`."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (
                [f"component.{one.name}" for one in node.names] if node.module == "component" else [node.module]
            )


def rooms() -> Graph:
    """Return which rooms each room imports."""
    found: dict[str, set[str]] = {}
    for folder in ("component", "tablemill"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            room = room_of(".".join(path.relative_to(ROOT).with_suffix("").parts))
            if room and not room.startswith("__"):
                found.setdefault(room, set()).update(filter(None, map(room_of, imported(path))))
    return {room: frozenset(below & set(found) - {room}) for room, below in sorted(found.items())}


def floors(graph: Graph) -> dict[str, int]:
    """Return the floor of each room: 0 for those that import none, else one above the highest imported."""
    found: dict[str, int] = {}

    def floor(room: str) -> int:
        if room not in found:
            found[room] = max((floor(below) + 1 for below in sorted(graph[room])), default=0)
        return found[room]

    for room in graph:
        floor(room)
    return found


def reduced(graph: Graph) -> Graph:
    """Leave out arrows that longer ways make superfluous (the transitive reduction)."""
    reach: dict[str, frozenset[str]] = {}
    for room in sorted(graph, key=floors(graph).__getitem__):
        reach[room] = graph[room].union(*(reach[below] for below in graph[room]))
    return {
        room: frozenset(one for one in below if not any(one in reach[other] for other in below - {one}))
        for room, below in graph.items()
    }


Node = tuple[str, ...]
"""A room `(name,)`, or the bend of an arrow on a floor that it passes, `(from, to, floor)`."""


def laid_out(graph: Graph) -> tuple[list[list[Node]], list[list[Node]]]:
    """Return the nodes of each floor, from the lowest, in an order with few crossings; and the way of each arrow."""
    level = floors(graph)
    ways: list[list[Node]] = [
        [(room,), *((room, below, f"{floor:02}") for floor in range(level[room] - 1, level[below], -1)), (below,)]
        for room, many in graph.items()
        for below in sorted(many)
    ]
    lines: list[list[Node]] = [[] for _ in range(max(level.values()) + 1)]
    for room in graph:
        lines[level[room]].append((room,))
    for way in ways:
        for bend in way[1:-1]:
            lines[int(bend[2])].append(bend)
    beside: dict[Node, list[Node]] = {}
    for way in ways:
        for upper, lower in pairwise(way):
            beside.setdefault(upper, []).append(lower)
            beside.setdefault(lower, []).append(upper)
    for sweep in range(SWEEPS):
        order = range(1, len(lines)) if sweep % 2 else range(len(lines) - 2, -1, -1)
        for floor in order:
            other = lines[floor - 1 if sweep % 2 else floor + 1]
            place = {node: index / max(1, len(other) - 1) for index, node in enumerate(other)}
            here = {node: index / max(1, len(lines[floor]) - 1) for index, node in enumerate(lines[floor])}
            lines[floor].sort(key=lambda node: (_middle(node, beside, place, here[node]), node))
    return lines, ways


def _middle(node: Node, beside: Mapping[Node, list[Node]], place: Mapping[Node, float], here: float) -> float:
    """Return where a node would like to stand: in the middle of its neighbours on the floor that was just sorted."""
    places = [place[other] for other in beside.get(node, ()) if other in place]
    return round(sum(places) / len(places), 6) if places else here


def drawn(graph: Graph) -> str:
    """Return the picture as SVG."""
    lines, ways = laid_out(reduced(graph))
    widths = [sum(ACROSS if len(node) == 1 else 3 * BEND for node in line) for line in lines]
    width, height = max(widths) + 2 * MARGIN, len(lines) * DOWN + 2 * MARGIN - (DOWN - HEIGHT)
    centre: dict[Node, tuple[int, int]] = {}
    for floor, line in enumerate(lines):
        left = (width - widths[floor]) // 2
        for node in line:
            step = ACROSS if len(node) == 1 else 3 * BEND
            centre[node] = (left + step // 2, MARGIN + HEIGHT // 2 + (len(lines) - 1 - floor) * DOWN)
            left += step
    arrows = "\n".join(f'    <path d="{_path([centre[node] for node in way])}"/>' for way in ways)
    boxes = "\n".join(_box(node[0], *place) for node, place in sorted(centre.items()) if len(node) == 1)
    return f"""\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img">
  <title>The rooms of Tablemill</title>
  <desc>Made by scripts/draw_rooms.py from the imports in the code. Every arrow points down.</desc>
  <defs>
    <marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
      <path d="M0 0L8 4L0 8z" fill="#6b7a90"/>
    </marker>
  </defs>
  <rect width="{width}" height="{height}" fill="#ffffff"/>
  <g fill="none" stroke="#6b7a90" stroke-width="1.2" marker-end="url(#tip)">
{arrows}
  </g>
  <g font-family="Helvetica, Arial, sans-serif" font-size="13" text-anchor="middle">
{boxes}
  </g>
</svg>
"""


def _path(points: list[tuple[int, int]]) -> str:
    """Return a way from the lower edge of a box to the upper edge of another: upright beside boxes, curved between."""
    first_x, first_y = points[0]
    text = f"M{first_x} {first_y + HEIGHT // 2}"
    for (x, y), (to_x, to_y) in pairwise(points):
        begin, end = y + HEIGHT // 2, to_y - HEIGHT // 2
        half = (begin + end) // 2
        text += f"C{x} {half} {to_x} {half} {to_x} {end}"
        if (to_x, to_y) != points[-1]:
            text += f"V{to_y + HEIGHT // 2}"
    return text


def _box(room: str, x: int, y: int) -> str:
    corner = f'x="{x - WIDTH // 2}" y="{y - HEIGHT // 2}" width="{WIDTH}" height="{HEIGHT}" rx="5"'
    return (
        f'    <rect {corner} fill="#eef3fa" stroke="#3d5a80"/>\n'
        f'    <text x="{x}" y="{y + 4}" fill="#1d2b3f">{room}</text>'
    )


if __name__ == "__main__":
    PICTURE.write_text(drawn(rooms()), encoding="utf-8")
