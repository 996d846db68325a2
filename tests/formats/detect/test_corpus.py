"""Files with known dialects are read as written, refused, or read with a warning: never wrong in silence."""

from functools import cache

import pytest

from component.errors import Place, UserError
from component.formats.detect.cutting import Marks, cut
from component.formats.detect.ranking import NOTHING, without_comments
from component.formats.detect.sample import sample_of
from component.formats.detect.verdict import after_lines, detect
from tests.formats.detect.corpus import by_hand, made, shipped

MADE = 130
HARD = {"pytz/zone.tab", "pytz/zone1970.tab", "tzdata/zone.tab"}
"""Nothing in these tells that the first record is none of names; a warning says what was assumed."""


@cache
def made_cases():
    return [made(seed) for seed in range(MADE)]


def found(case, path):
    path.write_bytes(case.data)
    place = Place(table=case.name)
    return detect(sample_of(path, place), NOTHING, place)


def rows_by(data, dialect):
    """The rows after the header, by a dialect, blanks around cells aside."""
    text = data.decode(dialect.encoding, "replace").removeprefix("\ufeff")
    text = after_lines(text, dialect.skip_rows)
    text = without_comments(text, dialect.comment) if dialect.comment else text
    records = cut(text, Marks(dialect.delimiter, dialect.enclosure, dialect.escape)).records
    return stripped(records[dialect.header_rows :])


def stripped(rows):
    rows = [tuple(cell.strip() for cell in row) for row in rows]
    return [row for row in rows if row != ("",)]


@pytest.mark.parametrize("case", [*by_hand(), *shipped()], ids=lambda case: case.name)
def test_real_and_handmade_files_are_read_as_they_are_written(case, tmp_path):
    detected = found(case, tmp_path / "file")
    if case.name in HARD:
        assert detected.doubts
    else:
        assert rows_by(case.data, detected.dialect) == stripped(case.rows)


def test_made_files_are_read_as_they_are_written(tmp_path):
    right, silent = 0, []
    for case in made_cases():
        try:
            detected = found(case, tmp_path / "file")
        except UserError:
            continue
        is_right = rows_by(case.data, detected.dialect) == stripped(case.rows)
        right += is_right
        if not is_right and not detected.doubts:
            silent.append(case.name)
    assert not silent
    assert right >= MADE - 1


def test_the_corpus_is_large_and_every_kind_of_dialect_is_in_it():
    cases = [*made_cases(), *by_hand(), *shipped()]
    assert len(cases) >= 150
    dialects = [case.dialect for case in cases]
    assert {",", ";", "\t", "|", " ", "", "||"} <= {one.delimiter for one in dialects}
    assert {"utf-8", "utf-16-le", "utf-16-be", "cp1252"} <= {one.encoding for one in dialects}
    assert {'"', "'", ""} == {one.enclosure for one in dialects}
    assert {None, "\\"} == {one.escape for one in dialects}
    assert {None, "#"} == {one.comment for one in dialects}
    assert {0, 1} == {one.header_rows for one in dialects}
    assert len({one.skip_rows for one in dialects}) > 2
