"""Whether the first record of a table holds names."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from component.formats.detect.scoring import TYPED, kind_of

_MOST: Final = 0.8
_NUMBERS: Final = frozenset({"integer", "number"})
_FEW: Final = 5
_YEARS: Final = range(1800, 2101)


def has_header(records: Sequence[Sequence[str]], width: int) -> tuple[bool, bool]:  # noqa: PLR0911 - a list of rules
    """Return whether the first record holds names, and whether the cells prove it.

    A column of numbers, dates or the like whose first cell is none proves a header; one whose first cell is one speaks
    against it, unless these are years in a row. Without such columns names are different from each other and from what
    stands below them; where nothing tells, the first record is taken for names.
    """
    if not records:
        return True, True
    head, body = records[0], [record for record in records[1:] if len(record) == width]
    if len(head) != width or not body:
        return True, not body and not all(kind_of(cell) in TYPED for cell in head)
    votes = [_vote(cell, [record[place] for record in body]) for place, cell in enumerate(head)]
    if 1 in votes:
        return True, -1 not in votes or votes.count(1) >= votes.count(-1)
    if -1 in votes:
        return (True, False) if _are_years(head) else (False, True)
    if any(not cell.strip() for cell in head[1:]) or len(set(head)) < len(head):
        return False, False
    shapes = [_shape_vote(cell, [record[place] for record in body]) for place, cell in enumerate(head)]
    if -1 in shapes and 1 not in shapes:
        return False, False
    repeated = sum(cell in {record[place] for record in body} for place, cell in enumerate(head))
    return (False, False) if repeated else (True, 1 in shapes)


def _vote(head: str, cells: Sequence[str]) -> int:
    """Return 1 where a column proves a header, -1 where it speaks against one, else 0."""
    kinds = [kind for kind in map(kind_of, cells) if kind not in {"empty", "missing"}]
    kind = max(set(kinds), key=kinds.count, default="empty")
    if kind not in TYPED or kind == "flag" or sum(_alike(one, kind) for one in kinds) < _MOST * len(kinds):
        return 0
    own = kind_of(head)
    if own in {"empty", "missing"}:
        return 0
    return -1 if _alike(own, kind) else 1


def _shape_vote(head: str, cells: Sequence[str]) -> int:
    """Return 1 where a text is shorter or longer than all below it, -1 where all are alike, else 0."""
    cells = [cell for cell in cells if cell]
    if len(cells) < _FEW or len(set(cells)) == 1 or len(head) < 2:
        return 0
    shapes = {_shape(cell) for cell in cells}
    if len(shapes) == 1:
        return -1 if _shape(head) in shapes else 1
    lengths = [len(cell) for cell in cells]
    return 0 if min(lengths) <= len(head) <= max(lengths) else 1


def _shape(text: str) -> str:
    return "".join(
        "9" if char.isdigit() else "A" if char.isupper() else "a" if char.islower() else char for char in text
    )


def _alike(one: str, other: str) -> bool:
    return one == other or {one, other} <= _NUMBERS


def _are_years(head: Sequence[str]) -> bool:
    """Say whether the numbers of a record are years that follow each other, as columns are named in pivot tables."""
    numbers = [int(cell) for cell in head if kind_of(cell) == "integer"]
    others = [cell for cell in head if kind_of(cell) != "integer"]
    in_a_row = len(numbers) > 1 and all(two - one in {1, -1, 5, 10} for one, two in pairwise(numbers))
    return (
        in_a_row
        and all(number in _YEARS for number in numbers)
        and all(kind_of(cell) not in _NUMBERS for cell in others)
    )
