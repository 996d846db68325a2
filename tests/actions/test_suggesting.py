from __future__ import annotations

import gzip

import pyarrow as pa
import pytest

from component.actions import partitioning, sampling
from component.actions.counting import Tally, united
from component.errors import UserError
from component.folder.layout import DataFolder
from component.plan.sources import find_sources
from tests.dataset.making import write_dataset

ROWS = "".join(f"{number},{number % 3},{'' if number % 10 else 'x'}\n" for number in range(3000))


@pytest.fixture
def small_files(monkeypatch):
    """Files count as large from a few bytes, so that small tables are worth partitioning."""
    monkeypatch.setattr(partitioning, "FILE_BYTES", 200)
    monkeypatch.setattr(partitioning, "ASKED_FILE_BYTES", 100)


def facts(found):
    return {one["name"]: (one["values"], one["exact"]) for one in found["columns"]}


def test_an_input_is_counted_exactly_and_advised_on(folder, ask, small_files):
    folder.table("t.csv", f"id,shop,note\n{ROWS}")
    found = ask("suggestPartitioning", {"action": {"table": "t.csv"}})
    assert facts(found) == {"id": (3000, True), "shop": (3, True), "note": (1, True)}
    assert (found["partition_on"], found["secondary_indices"]) == (["shop"], ["id"])
    assert (found["rows"], found["exact"]) == (3000, True)
    assert "counted in all of its rows" in found["message"]
    assert "**Partition on** `shop`" in found["message"]


def test_the_types_of_the_configuration_count(folder, ask, small_files):
    folder.table("t.csv", f"id,shop,note\n{ROWS}")
    table = {"source": "t.csv", "columns": {"shop": "boolean", "id": "float"}}
    found = ask("suggestPartitioning", {"datasets": [{"uuid": "d", "tables": [table]}]})
    assert (found["partition_on"], found["secondary_indices"]) == ([], [])


def test_a_column_that_outputs_ask_by_is_known(folder, ask, small_files):
    folder.table("t.csv", f"id,shop,note\n{ROWS}")
    outputs = [{"dataset": "d", "predicates": [[["shop", "==", "1"]], ["wrong"], 1]}, {"dataset": "other"}]
    found = ask(
        "suggestPartitioning", {"datasets": [{"uuid": "d", "tables": [{"source": "t.csv"}]}], "outputs": outputs}
    )
    shop = next(one for one in found["columns"] if one["name"] == "shop")
    assert shop["reason"].startswith("outputs ask by it")


def test_a_dataset_is_counted_by_its_header_and_its_indices(ask, stored, store, small_files):
    rows = pa.table({"shop": ["a", "b", "c"] * 200, "id": list(range(600)), "amount": [1.0] * 600})
    write_dataset(store, rows, ["shop"], ["id"], uuid="big")
    found = ask("suggestPartitioning", {**stored, "action": {"dataset": "big"}})
    assert facts(found) == {"shop": (3, True), "id": (600, True), "amount": (1, True)}
    assert found["partition_on"] == ["shop"]
    assert "the dataset 'big' in the store" in found["message"][:60].lower()


def test_nothing_known_is_told(ask):
    with pytest.raises(UserError, match="Nothing is known"):
        ask("suggestPartitioning", {"datasets": [{"uuid": "d"}]})


# --- sampling ---


def sample(folder, **bounds):
    source = find_sources(DataFolder(folder.root))[0][0]
    takers, extent = sampling.sample_source(source, Tally, **bounds)
    return united(takers), extent


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
def test_a_large_input_is_sampled_within_its_bounds_and_its_rows_are_estimated(folder, monkeypatch, packed):
    monkeypatch.setattr(sampling, "BLOCK_BYTES", 1000)
    text = f"id,shop,note\n{ROWS * 20}".encode()
    folder.table("t.csv.gz" if packed else "t.csv", gzip.compress(text, mtime=0) if packed else text)
    tally, extent = sample(folder, most_bytes=20_000)
    assert not extent.whole
    assert 0 < tally.rows < 10_000
    assert 40_000 < extent.rows_there < 90_000, "there are 60,000"
    assert tally.columns["shop"].counted(extent).values == 3


def test_rows_are_taken_from_all_over_a_plain_input(folder, monkeypatch):
    monkeypatch.setattr(sampling, "BLOCK_BYTES", 1000)
    folder.table("t.csv", "id\n" + "".join(f"{number:09}\n" for number in range(50_000)))
    tally, _ = sample(folder, most_bytes=40_000)
    seen = sorted(int(value) for piece in tally.columns["id"].pieces for value in piece["value"].to_pylist())
    assert seen[0] < 1000
    assert seen[-1] > 40_000


def test_a_wrong_guess_of_where_a_record_begins_counts_no_row_twice(folder, monkeypatch):
    monkeypatch.setattr(sampling, "BLOCK_BYTES", 500)
    odd = '"x\n' + 'a,"" b\n' * 400 + '",1\n'
    folder.table("t.csv", "text,n\n" + odd * 30)
    tally, extent = sample(folder)
    assert extent.whole
    assert extent.rows == tally.rows == 30
    assert tally.columns["text"].counted(extent).values == 1


def test_small_slices_are_all_read(folder):
    folder.sliced("t", {str(number): f"{number},x\n" * 3 for number in range(40)}, {"columns": ["id", "x"]})
    tally, extent = sample(folder)
    assert (extent.whole, extent.rows, tally.rows) == (True, 120, 120)
    assert tally.columns["id"].counted(extent).values == 40


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
def test_the_rows_of_many_small_slices_are_estimated_by_those_that_were_read(folder, packed):
    text = "".join(f"{number},some text\n" for number in range(500)).encode()
    slices = {str(number): gzip.compress(text, mtime=0) if packed else text for number in range(60)}
    folder.sliced("t", slices, {"columns": ["id", "x"]})
    _, extent = sample(folder, most_bytes=60_000)
    assert not extent.whole
    assert 0.7 < extent.rows_there / 30_000 < 1.4, "there are 30,000"


def test_where_nothing_fits_not_everything_is_read(folder, monkeypatch):
    monkeypatch.setattr(sampling, "MOST_LEFT_OUT", 100)
    monkeypatch.setattr(sampling, "BLOCK_BYTES", 1000)
    folder.table("t.csv", "a,b\n" + "1\n" * 50_000)
    _, extent = sample(folder)
    assert (extent.whole, extent.rows) == (False, 0)
    assert 100 <= extent.left_out < 10_000


def test_rows_that_do_not_fit_are_counted(folder, ask):
    folder.table("t.csv", "a,b\n1\n1,2\n")
    found = ask("suggestPartitioning", {"action": {"table": "t.csv"}})
    assert found["message"].startswith("The input 't.csv': 1 row; counted in all of its rows. Rows that do not fit are")


@pytest.mark.parametrize(("count", "places"), [(0, 3), (2, 3), (3, 3), (10, 3), (10, 1)])
def test_places_are_spread_from_the_first_to_the_last(count, places):
    chosen = sampling.spread(range(count), places)
    assert len(chosen) == min(count, places)
    assert sorted(set(chosen)) == chosen
    assert not chosen or chosen[0] == 0
    assert places == 1 or not chosen or chosen[-1] == count - 1


def test_the_size_of_an_empty_input_is_nothing(folder, ask):
    folder.table("t.csv", "a,b\n")
    found = ask("suggestPartitioning", {"action": {"table": "t.csv"}})
    assert (found["rows"], found["partition_on"]) == (0, [])
