"""Wrong configurations, with the code and the whole text of the error of each."""

from __future__ import annotations

from tests.config import mode_cases


def dataset(**given):
    return {"parameters": {"datasets": [{"uuid": "flights", **given}]}}


def table(**given):
    return dataset(tables=[given])


def output(**given):
    return {"parameters": {"datasets": [{"uuid": "a"}], "outputs": [{"dataset": "a", **given}]}}


PREDICATES = "parameters.outputs[0].predicates"
CASES = [
    *mode_cases.CASES,
    (
        dataset(partiton_on=["day"]),
        "config.unknown_key",
        (
            'parameters.datasets[0].partiton_on is not a known key. Did you mean "partition_on"? Allowed are '
            "bucket_by, compatibility, delete_scope, keep, key, metadata, metadata_storage_format, mode, num_buckets, "
            "on_bad_row, on_duplicate_key, partition_on, secondary_indices, sort_partitions_by, tables, uuid."
        ),
    ),
    (
        output(AS="file"),
        "config.unknown_key",
        (
            'parameters.outputs[0].AS is not a known key. Did you mean "as"? Allowed are as, column_metadata, columns, '
            "compression, data_types, dataset, deduplication_strategy, delete_where, delete_where_column, "
            "delete_where_operator, delete_where_values, delimiter, description, destination, distribution_key, "
            "enclosure, format, has_header, httpfile, incremental, is_encrypted, is_permanent, is_public, "
            "manifest_family, manifest_type, metadata, name, notify, predicates, primary_key, records, slices, table, "
            "tags, workbench, write_always."
        ),
    ),
    (
        {"parameters": {"store": {"ulr": "x"}}},
        "config.unknown_key",
        'parameters.store.ulr is not a known key. Did you mean "url"? Allowed are url.',
    ),
    (
        table(columns={"a b": {"typ": "date"}}),
        "config.unknown_key",
        (
            'parameters.datasets[0].tables[0].columns["a b"].typ is not a known key. Did you mean "type"? '
            "Allowed are formats, length, name, nullable, nulls, type."
        ),
    ),
    ({"parameters": {"datasets": [{}]}}, "config.missing_key", "parameters.datasets[0].uuid is missing. Add it."),
    (
        dataset(partition_on="day"),
        "config.type",
        'parameters.datasets[0].partition_on must be a list, but is the text "day".',
    ),
    (
        {"parameters": {"spark": {"conf": {"spark.ui.enabled": False}}}},
        "config.type",
        'parameters.spark.conf["spark.ui.enabled"] must be a text, but is false.',
    ),
    (
        {"parameters": {"limits": {"max_slices": True}}},
        "config.type",
        "parameters.limits.max_slices must be a whole number, but is true.",
    ),
    (
        output(incremental=None),
        "config.type",
        "parameters.outputs[0].incremental must be true or false, but is null.",
    ),
    (
        dataset(mode=3),
        "config.type",
        (
            "parameters.datasets[0].mode must be one of overwrite, append, replace_partitions, upsert, delete, but is "
            "the number 3."
        ),
    ),
    (
        table(columns="a"),
        "config.type",
        (
            "parameters.datasets[0].tables[0].columns must be a list of columns, or an object of them by name, "
            'but is the text "a".'
        ),
    ),
    ({"parameters": "x"}, "config.type", 'parameters must be an object, but is the text "x".'),
    (5, "config.type", "config.json must be an object, but is the number 5."),
    (
        dataset(mode="apend"),
        "config.value",
        (
            "parameters.datasets[0].mode must be one of overwrite, append, replace_partitions, upsert, delete, but is "
            'the text "apend". Did you mean "append"?'
        ),
    ),
    (
        table(columns={"a": "INTEGER"}),
        "config.value",
        (
            "parameters.datasets[0].tables[0].columns.a must be one of string, integer, numeric, float, boolean, date, "
            'timestamp, but is the text "INTEGER". Did you mean "integer"?'
        ),
    ),
    (
        {"parameters": {"limits": {"max_slices": 0}}},
        "config.value",
        "parameters.limits.max_slices must be greater than 0, but is the number 0.",
    ),
    (
        {"parameters": {"datasets": [{"uuid": "a b"}]}},
        "config.value",
        'parameters.datasets[0].uuid must consist of letters, digits, "+", "-" and "_", but is \'a b\'.',
    ),
    ({"parameters": {"store": {"url": "", "#key": "x"}}}, "config.value", "parameters.store.url must not be empty."),
    (
        dataset(partition_on=["day", "day"]),
        "config.value",
        "parameters.datasets[0].partition_on names 'day' twice.",
    ),
    (
        dataset(bucket_by=["id"]),
        "config.value",
        "parameters.datasets[0].bucket_by is given without num_buckets. Give both of them, or neither.",
    ),
    (
        dataset(num_buckets=4),
        "config.value",
        "parameters.datasets[0].num_buckets is given without bucket_by. Give both of them, or neither.",
    ),
    (
        dataset(bucket_by=["id"], num_buckets=10_001),
        "config.value",
        "parameters.datasets[0].num_buckets must be at most 10000, but is 10001.",
    ),
    (
        dataset(partition_on=["day"], secondary_indices=["x", "day"]),
        "config.value",
        (
            "parameters.datasets[0].secondary_indices[1] names 'day', which partition_on names too. "
            "Leave it out here: partition columns are found without an index."
        ),
    ),
    (
        dataset(tables=[{"name": "b"}, {}, {"name": "b"}]),
        "config.value",
        "parameters.datasets[0].tables[2].name is 'b', as tables[0].name is. Give each table its own name.",
    ),
    (
        dataset(tables=[{}, {"name": "b"}], compatibility="kartothek", mode="upsert"),
        "config.value",
        (
            'parameters.datasets[0].mode is "upsert", which changes rows of single tables of a dataset of several. '
            'Use overwrite, append or replace_partitions, or set compatibility to "plateau".'
        ),
    ),
    (
        {"parameters": {"datasets": [{"uuid": "a", "tables": [{}, {"name": "b"}]}, {"uuid": "a++b"}]}},
        "config.value",
        (
            "parameters.datasets[1].uuid is 'a++b', as parameters.datasets[0].uuid makes one. "
            "Give each dataset its own uuid."
        ),
    ),
    (
        table(name="indices"),
        "config.value",
        "parameters.datasets[0].tables[0].name must not be 'indices', a folder that every dataset keeps for itself.",
    ),
    (
        table(columns=[{"name": "a"}, {"name": "a"}]),
        "config.value",
        "parameters.datasets[0].tables[0].columns[1].name configures the column 'a' again.",
    ),
    (
        table(columns={"a": {"name": "b"}}),
        "config.value",
        "parameters.datasets[0].tables[0].columns gives the column 'a' a second name. Leave its key \"name\" out.",
    ),
    (
        table(delimiter='"'),
        "config.value",
        "parameters.datasets[0].tables[0].delimiter makes delimiter and enclosure the same character.",
    ),
    (
        table(delimiter="|\n"),
        "config.value",
        "parameters.datasets[0].tables[0].delimiter must be text without a line end, but is '|\\n'.",
    ),
    (
        table(enclosure="||"),
        "config.value",
        "parameters.datasets[0].tables[0].enclosure must be one ASCII character other than a line end, but is '||'.",
    ),
    (
        table(delimiter='|"|'),
        "config.value",
        "parameters.datasets[0].tables[0].delimiter holds '\"', which encloses or escapes cells.",
    ),
    (
        table(encoding="latin-99"),
        "config.value",
        (
            "parameters.datasets[0].tables[0].encoding is 'latin-99', which is not the name of an encoding. Use a name"
            " such as utf-8, utf-16, windows-1252 or shift_jis."
        ),
    ),
    (
        table(comment=","),
        "config.value",
        "parameters.datasets[0].tables[0].comment is ',', with which a record can begin.",
    ),
    (
        {"parameters": {"datasets": [{"uuid": "a"}, {"uuid": "b"}, {"uuid": "a"}]}},
        "config.value",
        "parameters.datasets[2].uuid is 'a', as parameters.datasets[0].uuid is. Give each dataset its own uuid.",
    ),
    (
        output(dataset="b"),
        "config.value",
        (
            "parameters.outputs[0].dataset is 'b', which is not one of the configured datasets. "
            "There are a; a dataset of an earlier run needs a store."
        ),
    ),
    (
        {"parameters": {"outputs": [{"dataset": "a"}, {"dataset": "b", "name": "a.csv"}]}},
        "config.duplicate_output",
        "parameters.outputs[1] is the table 'a', as parameters.outputs[0] is. Give one of them another \"name\".",
    ),
    (
        output(format="parquet"),
        "config.value",
        (
            "parameters.outputs[0].format is 'parquet', but tables are written as csv. "
            'Add "as": "file" to write it to out/files.'
        ),
    ),
    (
        output(format="orc"),
        "config.value",
        (
            "parameters.outputs[0].format must be one of csv, parquet, avro, arrow, jsonl, records, workbench, "
            'httpfile, but is the text "orc".'
        ),
    ),
    (
        output(**{"as": "file", "destination": "in.c-a.b"}),
        "config.value",
        "parameters.outputs[0].destination belongs to a table, but this output is a file. Leave it out.",
    ),
    (
        output(name="a/b"),
        "config.value",
        "parameters.outputs[0].name must be the name of a file without folders, but is 'a/b'.",
    ),
    (
        output(name=".a"),
        "config.value",
        "parameters.outputs[0].name must not start with a dot, because the platform ignores '.a'.",
    ),
    (
        output(name="a.manifest"),
        "config.value",
        "parameters.outputs[0].name must not end like a manifest, but is 'a.manifest'.",
    ),
    (
        output(predicates=[]),
        "config.value",
        f"{PREDICATES} must not be empty. Leave predicates out to take every row.",
    ),
    (
        output(predicates=[[["a", "=", 1]]]),
        "config.value",
        (
            f"{PREDICATES}[0][0][1] must be one of ==, !=, <, <=, >, >=, in, not in, "
            'is null, is not null, like, but is the text "=". '
            'Did you mean "=="?'
        ),
    ),
    (
        output(predicates=[[["a", "=="]]]),
        "config.value",
        f"{PREDICATES}[0][0] must be a condition: a list of column, operator and value.",
    ),
    (
        output(predicates=[[["a", "in", 1]]]),
        "config.value",
        f"{PREDICATES}[0][0] must have a list as value, because its operator is 'in'.",
    ),
    (
        output(predicates=[[["a", "<", [1]]]]),
        "config.value",
        f"{PREDICATES}[0][0] must have one plain value, because its operator is '<'.",
    ),
    (
        {"storage": {"output": {"data_type_support": "x"}}},
        "config.value",
        'storage.output.data_type_support must be one of authoritative, hints, none, but is the text "x".',
    ),
]
