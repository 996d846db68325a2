"""kartothek 5.3 and Tablemill write to the same dataset in turns."""

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from component.dataset.changes.operations import build_indices, delete_partitions, delete_rows
from component.dataset.format.header import read_header
from component.dataset.verification.verify import verify
from component.store.local import LocalStore
from tests.dataset.making import bag, read_all, write_dataset
from tests.dataset.several import FLIGHTS, SEATS, TABLES, UUID, commit_tables, read_table
from tests.kartothek.process import KartothekError
from tests.kartothek.test_reading import INDEXED, within_pandas, write
from tests.plateau.rows import KEYS, ROWS, same_rows, with_keys

pytestmark = pytest.mark.kartothek
INDICES = ("flight", "seat", "origin")


@pytest.fixture
def store(tmp_path):
    return LocalStore(tmp_path)


FULL = {
    "flights": FLIGHTS.set_column(2, "origin", pa.array(["BRU", "é/x", "LIS"])),
    "seats": SEATS.slice(0, 2),
}
"""Tables with rows in the same partitions, and no nulls: with them kartothek's numbers become floats."""


def both_read(kartothek, store, *partitions):
    """Both clients read the rows of all these partitions, table by table."""
    for table in partitions[0]:
        columns = partitions[0][table].column_names
        expected = pa.concat_tables([rows[table].select(columns) for rows in partitions])
        assert bag(read_table(store, table, columns=columns)) == bag(expected)
        assert same_rows(kartothek.read(store, UUID, table), expected)
    return True


def test_several_tables_in_ten_turns(kartothek, store):
    commit_tables(store, FULL, ("day",), INDICES)
    written = [FULL]
    for turn in range(10):
        new = {
            "flights": pa.table({"flight": [turn, turn + 1], "day": ["mon", "thu"], "origin": ["x/y", f"o{turn}"]}),
            "seats": pa.table({"seat": [f"{turn}A", "9Z"], "flight": [turn, 99], "day": ["mon", "thu"]}),
        }
        if turn % 2:
            commit_tables(store, new, ("day",), INDICES, mode="append")
        else:
            kartothek.append(store, UUID, new, partition_on=["day"], secondary_indices=list(INDICES))
        written.append(new)
        assert both_read(kartothek, store, *written)
        assert verify(store, UUID).faults == ()
        asked = {"predicates": [[("flight", "==", turn)]]}
        found = kartothek.read(store, UUID, "seats", **asked)
        assert bag(found) == bag(read_table(store, "seats", columns=found.column_names, **asked))


def test_what_kartothek_makes_of_several_tables_we_change(kartothek, store):
    kartothek.create(store, UUID, FULL, partition_on=["day"], secondary_indices=["flight"])
    assert both_read(kartothek, store, FULL)
    build_indices(store, UUID, ["seat"])
    assert both_read(kartothek, store, FULL)
    assert verify(store, UUID).faults == ()
    seats = read_header(store, UUID).header.indices["seat"]
    assert pq.read_schema(store.open(seats)).field("seat").type == pa.string()
    delete_partitions(store, UUID, [{"day": "mon"}])
    rest = {table: rows.filter(pc.not_equal(rows["day"], "mon")) for table, rows in FULL.items()}
    assert both_read(kartothek, store, rest)


def test_what_kartothek_makes_of_several_tables_we_append_to(kartothek, store):
    kartothek.create(store, UUID, FULL, partition_on=["day"], secondary_indices=list(INDICES))
    commit_tables(store, TABLES, ("day",), INDICES, mode="append")
    assert both_read(kartothek, store, FULL, TABLES)
    assert verify(store, UUID).faults == ()


def test_a_table_of_kartothek_without_rows_in_a_partition_has_none_for_us(kartothek, store):
    """It writes no file of it there, whatever the specification says of sets of files, and cannot read that itself."""
    kartothek.create(store, UUID, TABLES, partition_on=["day"], secondary_indices=["flight"])
    header = read_header(store, UUID).header
    assert sorted(map(len, header.partitions.values())) == [1, 2, 2]
    with pytest.raises(KartothekError, match="KeyError: 'flights'"):
        kartothek.read(store, UUID, "flights")
    assert bag(read_table(store, "flights")) == bag(FLIGHTS)
    assert bag(read_table(store, "seats")) == bag(SEATS)
    assert {fault.code for fault in verify(store, UUID).faults} == {"verify.table"}


def test_kartothek_refuses_the_rows_of_one_table(kartothek, store):
    commit_tables(store)
    with pytest.raises(KartothekError):
        kartothek.append(store, UUID, {"flights": FLIGHTS}, partition_on=["day"])
    assert both_read(kartothek, store, TABLES)


@pytest.mark.parametrize("key", [None, *(key for key in KEYS if key != "text key")])
def test_one_table_in_turns(kartothek, store, key):
    keys = [key] if key else []
    """But for texts with a slash as keys, which kartothek cuts."""
    exact = ["amount", "large"]  # whose precision kartothek takes from the rows of each frame
    parts = [
        within_pandas(with_keys(*keys).drop_columns(exact)).slice(*part) for part in ((0, 2), (1, 2), (2, 2), (0, 4))
    ]
    write(store, parts[0], keys, INDEXED)
    kartothek.append(store, "sales", {"table": parts[1]}, partition_on=keys, secondary_indices=list(INDEXED))
    write(store, parts[2], keys, INDEXED, mode="append")
    kartothek.append(store, "sales", {"table": parts[3]}, partition_on=keys, secondary_indices=list(INDEXED))
    expected = pa.concat_tables(parts)
    assert same_rows(read_all(store), expected)
    assert same_rows(kartothek.read(store, "sales"), expected)
    assert verify(store, "sales").faults == ()


def test_a_change_leaves_a_dataset_of_kartothek_to_kartothek(kartothek, store):
    rows = within_pandas(ROWS).drop_columns(["amount", "large"])
    kartothek.create(store, "sales", {"table": rows}, secondary_indices=["text", "exact"])
    delete_rows(store, "sales", [[("exact", "==", 0)]])
    rest = rows.filter(pc.not_equal(rows["exact"], 0))
    assert same_rows(kartothek.read(store, "sales"), rest)
    assert kartothek.read(store, "sales", predicates=[[("text", "==", "a")]]).num_rows == 1
    kartothek.append(store, "sales", {"table": rows}, secondary_indices=["text", "exact"])
    assert same_rows(read_all(store), pa.concat_tables([rest, rows]))


def test_a_dataset_for_plateau_is_read_but_its_texts_are_not_looked_up(kartothek, store):
    """Reference kartothek 2.4: this is what `compatibility` decides."""
    write_dataset(store, ROWS, (), ["text"])
    assert same_rows(kartothek.read(store, "sales"), ROWS)
    with pytest.raises(KartothekError, match="NotImplemented"):
        kartothek.read(store, "sales", predicates=[[("text", "==", "a")]])


def test_an_overwrite_of_other_tables_is_what_kartothek_reads(kartothek, store):
    kartothek.create(store, UUID, TABLES, partition_on=["day"])
    crew = {"crew": SEATS, "flights": FLIGHTS}
    commit_tables(store, crew)
    assert kartothek.tables(store, UUID) == ["crew", "flights"]
    assert both_read(kartothek, store, crew)
