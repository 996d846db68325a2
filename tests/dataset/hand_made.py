"""Datasets put on disk object by object, by plain pyarrow: what any client may have left, and nothing of our writer."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgpack
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard

from component.errors import UserError
from component.store.base import Store
from tests.dataset.making import read_all

UUID = "old"
ROWS = pa.table({"i": [1, 2, 3], "s": ["a", None, "ü"]})


def header_of(partitions: Any = (), **content: Any) -> dict[str, Any]:
    """The keys of a header; `partitions` are labels, or label → table → key. A key that is given as `...` is left out.

    A label is the path of its file in the table `table`.
    """
    if partitions is not ... and not isinstance(partitions, Mapping):
        partitions = {label: {"table": f"{UUID}/table/{label}.parquet"} for label in partitions}
    whole = {
        "dataset_metadata_version": 4,
        "dataset_uuid": UUID,
        "metadata": {"creation_time": "2021-01-01T00:00:00.000000"},
        "partition_keys": [],
        "partitions": ...
        if partitions is ...
        else {label: {"files": dict(files)} for label, files in partitions.items()},
        **content,
    }
    return {key: value for key, value in whole.items() if value is not ...}


def put_header(root: Path, partitions: Any = (), *, packed: bool = False, **content: Any) -> None:
    whole = header_of(partitions, **content)
    if packed:
        data = zstandard.ZstdCompressor().compress(msgpack.packb(whole))
        (root / f"{UUID}.by-dataset-metadata.msgpack.zstd").write_bytes(data)
    else:
        (root / f"{UUID}.by-dataset-metadata.json").write_text(json.dumps(whole))


def put_schema(root: Path, schema: pa.Schema, table: str = "table", pandas: Mapping[str, Any] | None = None) -> None:
    """`_common_metadata` with what pandas would say of the columns, or nothing of it."""
    kept = None if pandas is None else {b"pandas": json.dumps(pandas).encode()}
    path = _path(root, f"{UUID}/{table}/_common_metadata")
    pq.write_metadata(schema.with_metadata(kept), path)


def put_rows(root: Path, label: str, rows: pa.Table, table: str = "table", **options: Any) -> None:
    pq.write_table(rows, _path(root, f"{UUID}/{table}/{label}.parquet"), **options)


def put_index(root: Path, column: str, entries: Sequence[tuple[Any, Sequence[str]]], data_type: pa.DataType) -> str:
    """An index with these rows, as they are; returns its key."""
    key = f"{UUID}/indices/{column}/2021-01-01T00%3A00%3A00.by-dataset-index.parquet"
    values = pa.array([value for value, _ in entries], data_type)
    labels = pa.array([list(labels) for _, labels in entries], pa.list_(pa.string()))
    pq.write_table(pa.table([values, labels], names=[column, "partition"]), _path(root, key))
    return key


def put_text(root: Path, name: str, data: bytes) -> None:
    _path(root, name).write_bytes(data)


def put_simple(root: Path, rows: pa.Table, *, files: int = 1, **content: Any) -> list[str]:
    """A dataset of rows in so many files; returns their labels."""
    labels = [f"{number:032x}" for number in range(files)]
    size = -(-rows.num_rows // files)
    for number, label in enumerate(labels):
        put_rows(root, label, rows.slice(number * size, size))
    put_schema(root, rows.schema)
    put_header(root, labels, **content)
    return labels


def _path(root: Path, key: str) -> Path:
    path = root / key
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def rows_of(store: Store, **question: Any) -> pa.Table:
    """All rows of the dataset that answer a question."""
    return read_all(store, UUID, **question)


def refused(store: Store, code: str = "dataset.format", **question: Any) -> UserError:
    """The error with which the dataset, or a question to it, is refused."""
    with pytest.raises(UserError) as caught:
        rows_of(store, **question)
    assert caught.value.code == code
    return caught.value
