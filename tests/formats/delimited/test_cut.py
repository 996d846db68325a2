"""Any cuts of any file give the rows that one split of it gives."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from component.errors import UserError
from component.formats.delimited import cut
from component.formats.delimited.cut import plan_splits
from component.formats.delimited.dialect import DelimitedDialect
from component.formats.delimited.path import choose_cutting
from component.formats.delimited.read import DelimitedReader
from component.formats.delimited.source import DelimitedSplit
from tests.formats.delimited.reading import encoded, texts_schema
from tests.strategies.delimited_text import dialects, encodings, tables, texts, write_obviously

one_file = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)

unquoted = dialects(quotings=st.none(), encodings=st.sampled_from(["UTF8", "UTF8BOM", "LATIN1", "CP1252"]))


def read_all(reader: DelimitedReader, splits: tuple[DelimitedSplit, ...]) -> list[object]:
    """Rows of splits after each other, bad ones by their number in the slice, and the fault that ends the reading."""
    rows: list[object] = []
    done = 0
    for split in splits:
        records = 0
        try:
            for parsed in reader.read(split):
                rows += [tuple(row.values()) for row in parsed.rows.to_pylist()]
                rows += [(done + bad.row, bad.code) for bad in parsed.bad]
                records += parsed.records
        except UserError as error:
            return [*rows, (done + (error.place.row or 0), error.code)]
        done += records
    return rows


def assert_cuts_change_nothing(
    path: Path, text: str, dialect: DelimitedDialect, width: int, split_bytes: int, block: int
) -> None:
    path.write_bytes(encoded(text, dialect))
    reader = DelimitedReader(texts_schema(width), dialect, reject=True)
    whole = plan_splits(path, dialect, table="t", name="f", split_bytes=1 << 30)
    parts = plan_splits(path, dialect, table="t", name="f", split_bytes=split_bytes)
    parts = tuple(replace(part, block_bytes=block) for part in parts)
    assert sum(part.size for part in parts) == path.stat().st_size
    assert sorted(map(str, read_all(reader, parts))) == sorted(map(str, read_all(reader, whole)))


@settings(one_file, max_examples=300)
@given(
    data=st.data(),
    dialect=unquoted,
    width=st.integers(1, 3),
    split_bytes=st.integers(1, 30),
    block=st.integers(4, 40),
    header=st.booleans(),
)
def test_any_cuts_of_any_text_give_the_same_rows(
    data: st.DataObject,
    dialect: DelimitedDialect,
    width: int,
    split_bytes: int,
    block: int,
    header: bool,
    tmp_path: Path,
) -> None:
    text = data.draw(texts(dialect)).encode(dialect.codec, "ignore").decode(dialect.codec)
    dialect = replace(dialect, header_row=header)
    assert_cuts_change_nothing(tmp_path / "f", text, dialect, width, split_bytes, block)


@settings(one_file, max_examples=100)
@given(rows=tables(), dialect=unquoted, split_bytes=st.integers(1, 30), window=st.integers(1, 8))
def test_a_record_end_is_found_wherever_the_windows_fall(
    rows: list[list[str]], dialect: DelimitedDialect, split_bytes: int, window: int, tmp_path: Path
) -> None:
    text = write_obviously(rows, dialect).encode(dialect.codec, "ignore").decode(dialect.codec)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cut, "_WINDOW", window)
        assert_cuts_change_nothing(tmp_path / "f", text, dialect, len(rows[0]) if rows else 1, split_bytes, 40)


@given(dialect=dialects(encodings=encodings, compressions=st.sampled_from([None, "GZIP", "BZIP", "LZO"])))
def test_what_cannot_be_cut_says_why(dialect: DelimitedDialect) -> None:
    choice = choose_cutting(dialect)
    assert choice.reason
    assert choice.possible == (
        dialect.compression is None
        and dialect.quoting is None
        and not dialect.encoding.startswith("UTF16")
        and not dialect.overlaps_itself
    )


def test_a_file_of_many_records_becomes_splits_of_about_the_size_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"a\\\nb,c\n" * 1000)
    splits = plan_splits(path, DelimitedDialect(), table="t", name="f", split_bytes=1000)
    assert [split.start for split in splits] == [split.start // 7 * 7 for split in splits]
    assert len(splits) == 7
    assert {split.place.slice for split in splits} == {"f"}


def test_a_quoted_or_compressed_file_is_one_split(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"a,b\n" * 1000)
    for dialect in (DelimitedDialect(quoting="minimal"), DelimitedDialect(compression="GZIP")):
        assert len(plan_splits(path, dialect, table="t", name="f", split_bytes=10)) == 1


def test_an_empty_file_has_no_splits(tmp_path: Path) -> None:
    (tmp_path / "f").touch()
    assert plan_splits(tmp_path / "f", DelimitedDialect(), table="t", name="f", split_bytes=10) == ()
