"""Two whole runs over the same content: what is equal byte for byte, and what is history (docs/archives.md)."""

import shutil


def test_slices_are_equal_and_archives_but_for_names_and_history(folder, run):
    folder.table("t.csv", "day,n\n" + "".join(f"2026-01-0{1 + row % 3},{row}\n" for row in range(300)))
    folder.configure(
        datasets=[{"uuid": "t", "tables": [{"source": "t.csv"}], "partition_on": ["day"], "secondary_indices": ["n"]}],
        outputs=[{"dataset": "t", "destination": "out.c-x.t", "compression": "gzip", "slices": True}],
    )
    seen = []
    for _ in range(2):
        assert run().code == 0
        tables = folder.root / "out" / "tables"
        outputs = {
            path.relative_to(tables).as_posix(): path.read_bytes() for path in tables.rglob("*") if path.is_file()
        }
        seen.append((outputs, folder.archived("t"), folder.header("t")))
        shutil.rmtree(folder.root / "out")
    (first_tables, first, first_header), (second_tables, second, second_header) = seen
    assert first_tables == second_tables
    assert any(data.startswith(b"\x1f\x8b") for data in first_tables.values())
    assert data_files(first) == data_files(second)
    assert len(data_files(first)) == 3
    assert first["t/table/_common_metadata"] == second["t/table/_common_metadata"]
    assert len(first) == len(second)
    assert set(first_header["partitions"]).isdisjoint(second_header["partitions"])  # a name is never used twice


def data_files(archived):
    """The data files by their partitions; their names are new in every commit."""
    return {name.rpartition("/")[0]: data for name, data in archived.items() if "/day=" in name}
