"""Valid `parameters`, as a user writes them."""

from __future__ import annotations

import string
from typing import Any

from hypothesis import strategies as st

from tests.strategies.json_values import scalars, texts, values

KEYS = (
    *("store", "datasets", "outputs", "spark", "limits", "url", "#key", "uuid", "tables", "partition_on", "mode"),
    *("metadata", "columns", "name", "type", "formats", "nulls", "delimiter", "dataset", "as", "predicates", "conf"),
    *("delete_where", "where_filters", "values_from_set", "data_types", "base", "column_metadata", "write_always"),
)
words = st.text(string.ascii_letters + string.digits + "+-_", min_size=1, max_size=6)
names = texts.filter(bool)
name_lists = st.lists(names, max_size=3, unique=True)
characters = st.sampled_from(",;|\t'\"")
types = st.sampled_from(("string", "integer", "numeric", "float", "boolean", "date", "timestamp"))
column_facts = st.fixed_dictionaries(
    {},
    optional={
        "type": types,
        "length": st.sampled_from(("12,2", 38, "255", None)),
        "nullable": st.booleans(),
        "formats": names | st.lists(names, max_size=2),
        "nulls": st.sampled_from(("always", "unquoted", "never")),
    },
)
column_lists = st.lists(st.tuples(names, column_facts), max_size=3, unique_by=lambda pair: pair[0]).map(
    lambda pairs: [{"name": name, **facts} for name, facts in pairs]
)
columns = column_lists | st.dictionaries(names, types | column_facts | st.just([]), max_size=3)
tables = st.fixed_dictionaries(
    {},
    optional={
        "name": words.filter(lambda name: name != "indices"),
        "source": texts,
        "format": st.sampled_from(("auto", "csv", "parquet")),
        "columns": columns,
        "primary_key": name_lists | st.none(),
        "infer_types": st.booleans(),
        "delimiter": characters | st.none(),
        "enclosure": characters | st.none(),
    },
)
datasets = st.fixed_dictionaries(
    {"uuid": words},
    optional={
        "tables": st.lists(tables, max_size=2, unique_by=lambda table: table.get("name", "table")),
        "compatibility": st.sampled_from(("plateau", "kartothek")),
        "partition_on": name_lists,
        "secondary_indices": name_lists,
        "sort_partitions_by": name_lists,
        "mode": st.sampled_from(("overwrite", "append")),
        "metadata": st.dictionaries(texts, values, max_size=2) | st.just([]),
        "metadata_storage_format": st.sampled_from(("json", "msgpack.zstd")),
        "on_bad_row": st.sampled_from(("fail", "reject")),
        "on_duplicate_key": st.sampled_from(("warn", "fail", "reject")),
    },
)
conditions = st.tuples(names, st.sampled_from(("==", "!=", "<", "<=", ">", ">=")), scalars).map(list) | st.tuples(
    names, st.sampled_from(("in", "not in")), st.lists(scalars, max_size=2)
).map(list)
native_types = st.fixed_dictionaries({"type": names}, optional={"length": st.sampled_from(("12,2", 255))})
filters = st.fixed_dictionaries(
    {"column": names, "values_from_set": st.lists(texts | st.integers() | st.booleans(), min_size=1, max_size=2)},
    optional={"operator": st.sampled_from(("eq", "ne"))},
)
table_options = {
    "destination": names | st.none(),
    "primary_key": name_lists | st.none(),
    "incremental": st.booleans(),
    "write_always": st.booleans(),
    "distribution_key": name_lists,
    "deduplication_strategy": st.sampled_from(("insert", "upsert", None)),
    "delete_where": st.lists(
        st.fixed_dictionaries({"changed_since": names}, optional={"where_filters": st.lists(filters, min_size=1)}),
        max_size=1,
    ),
    "description": names | st.none(),
    "metadata": st.dictionaries(names, texts, max_size=2) | st.just([]),
    "column_metadata": st.dictionaries(names, st.dictionaries(names, texts, max_size=2), max_size=2),
    "data_types": st.dictionaries(
        names, st.dictionaries(st.sampled_from(("base", "snowflake", "bigquery")), native_types), max_size=1
    ),
    "manifest_type": names | st.none(),
    "manifest_family": st.sampled_from(("legacy", "schema", None)),
}
file_options = {name: st.booleans() for name in ("is_public", "is_permanent", "is_encrypted", "notify")}
outputs = st.fixed_dictionaries(
    {"dataset": words},
    optional={
        "table": names,
        "predicates": st.lists(st.lists(conditions, min_size=1, max_size=2), min_size=1, max_size=2) | st.none(),
        "columns": name_lists | st.none(),
        "as": st.sampled_from(("table", "file")),
        "name": words | st.none(),
        **table_options,
        **file_options,
        "format": st.sampled_from(("csv", "parquet")),
        "slices": st.booleans(),
        "compression": st.sampled_from(("gzip", "none")),
        "tags": name_lists,
    },
)
stores = st.fixed_dictionaries({"url": names}, optional={"#key": texts, "#other key": texts})
limits = st.dictionaries(
    st.sampled_from(("split_bytes", "block_bytes", "buffer_bytes", "direct_files", "slice_bytes", "max_slices")),
    st.integers(1, 2**40) | st.integers(1, 1000).map(float),
)


def _agree(parameters: dict[str, Any]) -> dict[str, Any]:
    """Take away what contradicts something before it."""
    uuids: set[str] = set()
    parameters["datasets"] = [
        dataset for dataset in parameters["datasets"] if not (dataset["uuid"] in uuids or uuids.add(dataset["uuid"]))
    ]
    for dataset in parameters["datasets"]:
        dataset["secondary_indices"] = [
            name for name in dataset.get("secondary_indices", ()) if name not in dataset.get("partition_on", ())
        ]
        for table in dataset.get("tables", ()):
            if (table.get("delimiter") or ",") == (table.get("enclosure") or '"'):
                table["delimiter"] = table["enclosure"] = None
    for position, output in enumerate(parameters["outputs"]):
        output["name"] = f"output-{position}"
        if output.get("as", "table") == "table":
            output["format"] = "csv"
        for key in table_options if output.get("as") == "file" else file_options:
            output.pop(key, None)
    return parameters


parameters = st.fixed_dictionaries(
    {
        "store": stores,
        "datasets": st.lists(datasets, max_size=2),
        "outputs": st.lists(outputs, max_size=2),
    },
    optional={
        "spark": st.fixed_dictionaries({}, optional={"master": names, "conf": st.dictionaries(names, texts)}),
        "limits": limits | st.just([]),
        "manifest_family": st.sampled_from(("auto", "legacy", "schema")),
        "archives": st.fixed_dictionaries({}, optional={"is_permanent": st.booleans()}),
        "on_same_name": st.sampled_from(("refuse", "newest", "all")),
        "on_missing_dataset": st.sampled_from(("fail", "create")),
        "on_stale_dataset": st.sampled_from(("fail", "use")),
        "usage_metrics": st.booleans(),
        "result_variables": st.booleans(),
    },
).map(_agree)
