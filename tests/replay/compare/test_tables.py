from __future__ import annotations

import json

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from component.errors import UserError
from component.replay.compare import multiset
from component.replay.compare.csv_rows import open_csv
from component.replay.compare.options import CompareOptions
from component.replay.compare.tables import compare_tables
from component.report.results.replayed import Row
from tests.strategies.same_tables import tables, ways, write

PLAIN = CompareOptions()


def compare(left, right, **options):
    return compare_tables("tables/t", "t", open_csv(left), open_csv(right), CompareOptions(**options))


@pytest.fixture
def of_text(tmp_path):
    """Return a function that writes a table and gives its path."""
    made = iter(range(1000))

    def make(text, manifest=None):
        path = tmp_path / str(next(made)) / "t"
        path.parent.mkdir()
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        if manifest is not None:
            (path.parent / "t.manifest").write_text(json.dumps(manifest))
        return path

    return make


def typed(*columns):
    return {"schema": [{"name": name, "data_type": {"base": {"type": kind}}} for name, kind in columns]}


@given(data=st.data(), table=tables())
def test_a_table_equals_itself_in_any_order_cut_and_compression(tmp_path_factory, data, table):
    names, rows = table
    folder = tmp_path_factory.mktemp("same")
    for side in ("left", "right"):
        write(folder / side, names, rows, data.draw(ways(len(rows)), label=side))
    assert compare(folder / "left", folder / "right") == []


@given(data=st.data(), table=tables(least_rows=1))
def test_any_cell_that_changes_is_a_difference_with_its_row(tmp_path_factory, data, table):
    names, rows = table
    row = data.draw(st.integers(0, len(rows) - 1))
    column = data.draw(st.integers(0, len(names) - 1))
    changed = [list(cells) for cells in rows]
    changed[row][column] = data.draw(st.one_of(st.none(), st.just("other"), st.just("")))
    assume(sorted(map(repr, changed)) != sorted(map(repr, rows)))
    folder = tmp_path_factory.mktemp("changed")
    write(folder / "left", names, rows, data.draw(ways(len(rows)), label="left"))
    write(folder / "right", names, changed, data.draw(ways(len(rows)), label="right"))
    (found,) = compare(folder / "left", folder / "right")
    assert (found.kind, found.text) == (
        "rows",
        f"Rows differ: 1 missing and 1 extra ({_rows(rows)} expected, {_rows(rows)} found).",
    )
    left, right = found.rows
    assert (left.side, dict(left.cells)) == ("expected", dict(zip(names, rows[row], strict=True)))
    assert (right.side, dict(right.cells)) == ("actual", dict(zip(names, changed[row], strict=True)))


def _rows(rows):
    return "1 row" if len(rows) == 1 else f"{len(rows)} rows"


@given(data=st.data(), table=tables(least_rows=1))
def test_a_row_more_is_a_difference_also_when_it_is_there_already(tmp_path_factory, data, table):
    names, rows = table
    more = [*rows, rows[data.draw(st.integers(0, len(rows) - 1))]]
    folder = tmp_path_factory.mktemp("more")
    write(folder / "left", names, rows, data.draw(ways(len(rows))))
    write(folder / "right", names, more, data.draw(ways(len(more))))
    assert "0 missing and 1 extra" in compare(folder / "left", folder / "right")[0].text
    assert "1 missing and 0 extra" in compare(folder / "right", folder / "left")[0].text


def test_rows_are_named_by_slice_and_number_beside_their_like(of_text):
    left = of_text("id,name\n1,one\n2,two\n3,three\n")
    right = of_text("id,name\n3,three\n2,zwei\n1,one\n")
    assert compare(left, right)[0].rows == (
        Row("expected", "t", 2, (("id", "2"), ("name", "two")), ("name",)),
        Row("actual", "t", 2, (("id", "2"), ("name", "zwei")), ("name",)),
    )


def test_the_primary_key_says_which_row_is_which(of_text):
    key = {"primary_key": ["id"]}
    left = of_text("id,a,b,c\n1,x,y,z\n2,p,q,r\n", key)
    right = of_text("id,a,b,c\n2,x,y,z\n1,p,q,r\n", key)
    pairs = compare(left, right)[0].rows
    assert [dict(row.cells)["id"] for row in pairs] == ["1", "1", "2", "2"]
    assert all(row.changed == ("a", "b", "c") for row in pairs)


def test_only_as_many_rows_are_shown_as_asked_for(of_text):
    left = of_text("id\n" + "".join(f"l{number}\n" for number in range(50)))
    right = of_text("id\n" + "".join(f"r{number}\n" for number in range(60)))
    (found,) = compare(left, right, show=2)
    assert found.text == "Rows differ: 50 missing and 60 extra (50 rows expected, 60 rows found)."
    assert [row.side for row in found.rows] == ["expected", "expected", "actual", "actual"]
    assert compare(left, right, show=0)[0].rows == ()


def test_a_null_is_no_empty_string_unless_that_is_asked_for(of_text):
    left, right = of_text('a,b\n"",1\n'), of_text("a,b\n,1\n")
    assert [dict(row.cells)["a"] for row in compare(left, right)[0].rows] == ["", None]
    assert compare(left, right, empty_is_null=True) == []


def test_typed_cells_are_compared_as_values(of_text):
    manifest = typed(
        ("i", "INTEGER"), ("n", "NUMERIC"), ("f", "FLOAT"), ("b", "BOOLEAN"), ("t", "TIMESTAMP"), ("s", "STRING")
    )
    names = "i,n,f,b,t,s\n"
    left = of_text(names + '1,1.50,0.1,true,2020-01-01 00:00:00,1.0\n"",,-0.0,FALSE,2020-01-01,\n', manifest)
    right = of_text(names + '01,1.5,1e-1,1,2020-01-01T00:00:00,1.0\n,"",0,no,2020-01-01 00:00:00.000,\n', manifest)
    assert compare(left, right) == []
    assert compare(left, of_text(names + "1,1.5,0.1,true,2020-01-01 00:00:00,1.00\n,,0,no,2020-01-01,\n", manifest))


def test_without_types_texts_are_compared(of_text):
    assert compare(of_text("a\n1\n"), of_text("a\n1.0\n"))[0].kind == "rows"


def test_a_cell_that_does_not_fit_its_type_equals_only_itself(of_text):
    manifest = typed(("a", "INTEGER"))
    left = of_text("a\nx\n", manifest)
    assert compare(left, of_text("a\nx\n", manifest)) == []
    assert compare(left, of_text("a\ny\n", manifest))
    assert compare(left, of_text("a\n\n", manifest))


def test_a_length_that_nothing_can_hold_leaves_texts(of_text):
    manifest = {"schema": [{"name": "a", "data_type": {"base": {"type": "NUMERIC", "length": "99,9"}}}]}
    assert compare(of_text("a\n1\n", manifest), of_text("a\n1\n", manifest)) == []
    assert compare(of_text("a\n1\n", manifest), of_text("a\n1.0\n", manifest))


def test_columns_are_told_apart_by_name(of_text):
    left = of_text("a,b\n1,2\n")
    assert [one.text for one in compare(left, of_text("a,c\n1,3\n"))] == ["The columns differ: missing: b; extra: c."]
    (order,) = compare(left, of_text("b,a\n2,1\n"))
    assert order.text == "The columns differ: their order is b, a, expected is a, b."
    assert [one.kind for one in compare(left, of_text("a,c\n9,3\n"))] == ["columns", "rows"]


@pytest.mark.parametrize("pattern", ["b", "t:b", "[b]", "t:*b", "?"])
def test_an_ignored_column_does_not_count(of_text, pattern):
    left, right = of_text("aa,b\n1,2\n"), of_text("aa,b\n1,3\n")
    assert compare(left, right, ignored_columns=(pattern,)) == []
    assert compare(left, of_text("aa\n1\n"), ignored_columns=(pattern,)) == []
    assert compare(left, right, ignored_columns=("other:b", "c"))


def test_slices_that_nobody_names_columns_of_take_the_names_of_the_other_side(of_text, tmp_path):
    (tmp_path / "u").mkdir()
    (tmp_path / "u" / "part").write_text("1,2\n")
    named = of_text("a,b\n1,2\n")
    assert compare(named, tmp_path / "u") == []
    assert compare(tmp_path / "u", named) == []
    assert compare(of_text("a,b\n1,3\n"), tmp_path / "u")[0].rows[0].cells == (("a", "1"), ("b", "3"))


def test_a_name_that_is_there_twice_is_compared_once_for_each(of_text):
    assert compare(of_text("a,a\n1,2\n"), of_text("a,a\n1,2\n")) == []


def test_rows_of_another_length_are_compared_as_they_are(of_text):
    left = of_text("a,b\n1,2\n1,2,3\n")
    assert compare(left, of_text("a,b\n1,2,3\n1,2\n")) == []
    (found,) = compare(left, of_text("a,b\n1,2\n1,2,4\n"))
    assert [(row.side, row.number, row.cells[0][1]) for row in found.rows] == [
        ("expected", 2, "1,2,3"),
        ("actual", 2, "1,2,4"),
    ]


def test_a_stray_enclosure_is_read_as_python_does_and_counted_once(of_text):
    rows = [f'{number},5" pipe' for number in range(200)]
    left = of_text("a,b\n" + "\n".join(rows) + "\n1,2")
    right = of_text("a,b\n1,2\n" + "\n".join(reversed(rows)) + "\n")
    assert compare(left, right) == []


def test_the_header_of_a_schema_is_no_row(of_text):
    left = of_text("a\n1\n", typed(("a", "INTEGER")))
    right = of_text("1\n", typed(("a", "INTEGER")))
    assert compare(left, right) == []


def test_a_header_beside_columns_is_a_row_unless_the_manifest_says_so(of_text):
    left = of_text("1\n", {"columns": ["a"]})
    assert compare(left, of_text("a\n1\n", {"columns": ["a"], "has_header": True})) == []
    assert "1 extra" in compare(left, of_text("a\n1\n", {"columns": ["a"]}))[0].text


def test_another_delimiter_is_the_same_content(of_text):
    other = {"delimiter": "\t", "enclosure": "'"}
    assert compare(of_text('a,b\n"x,y",2\n'), of_text("a\tb\n'x,y'\t2\n", other)) == []


def test_empty_tables_are_equal_when_their_columns_are(of_text):
    assert compare(of_text("a\n"), of_text("", {"columns": ["a"]})) == []
    assert compare(of_text("a\n"), of_text(""))[0].kind == "columns"


def test_the_order_counts_when_it_is_asked_for(of_text):
    left, right = of_text("a\n1\n2\n3\n"), of_text("a\n1\n3\n2\n")
    assert compare(left, right) == []
    assert compare(left, left, ordered=True) == []
    (found,) = compare(left, right, ordered=True)
    assert (found.kind, found.text) == ("order", "The rows are the same in another order, from row 2 on.")
    assert [(row.side, row.number, row.cells) for row in found.rows] == [
        ("expected", 2, (("a", "2"),)),
        ("actual", 2, (("a", "3"),)),
    ]


def test_numbers_within_the_tolerance_are_equal(of_text):
    left = of_text("id,x\na,1.0\nb,1000\nc,\n")
    assert compare(left, of_text("id,x\nc,\nb,1000.5\na,1.0005\n"), tolerance=0.001) == []
    (found,) = compare(left, of_text("id,x\nc,\nb,1002\na,1.0005\n"), tolerance=0.001)
    assert found.text == "Rows differ: 1 missing and 1 extra (3 rows expected, 3 rows found)."
    assert [row.changed for row in found.rows] == [("x",), ("x",)]
    assert compare(left, of_text("id,x\nc,0\nb,1000\na,1.0\n"), tolerance=0.001)


def test_the_tolerance_is_for_numbers_only(of_text):
    assert compare(of_text("a,b\n1,x\n"), of_text("a,b\n1.0001,y\n"), tolerance=0.01)
    manifest = typed(("a", "STRING"))
    assert compare(of_text("a\n1\n", manifest), of_text("a\n1.0001\n", manifest), tolerance=0.01)


def test_a_damaged_gzip_file_is_an_error(of_text):
    with pytest.raises(UserError) as caught:
        compare(of_text("a\n1\n"), of_text(b"\x1f\x8b\x08damaged", {"columns": ["a"]}))
    assert caught.value.code == "gzip.truncated"


@settings(max_examples=30)
@given(data=st.data(), table=tables(least_rows=1))
def test_many_buckets_say_the_same_as_one(tmp_path_factory, data, table):
    names, rows = table
    folder = tmp_path_factory.mktemp("buckets")
    other = data.draw(st.lists(st.sampled_from(rows), max_size=12))
    write(folder / "left", names, rows, data.draw(ways(len(rows))))
    write(folder / "right", names, other, data.draw(ways(len(other))))
    one = compare(folder / "left", folder / "right")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(multiset, "_BUCKET_BYTES", 4)
        assert compare(folder / "left", folder / "right") == one
