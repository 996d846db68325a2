"""Every rule that the reference states about output mapping, as a folder and what comes of it.

The expectations are written from the texts (reference keboola 4 to 6 and 10, seed keboola-data-folders), not from our
code. An id is the place in the text and what it says; the modules beside this one go into each rule's corners.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import pytest

from component.folder.out_listing import list_outputs
from component.mapping.jobs.resolve import resolve
from component.mapping.platform.model import DataTypes, Feature, Settings

BUCKET = "in.c-main"
CSV = '"Id","Name"\n"test","test"\n'
DEPRECATED = (
    'warning: Source table "{}" has neither manifest file nor mapping set, falling back to the source name as a '
    "destination.This behaviour was DEPRECATED and will be removed in the future."
)
PARSE = 'Failed to parse manifest file "<ROOT>/out/tables//t.csv.manifest" as "json": '
READ_2017 = "Failed to read table manifest from file t.csv.manifest "
NAME_2017 = (
    "CSV file '{}' file name is not a valid table identifier, either set output mapping for '{}' or make sure that the "
    "file name is a valid Storage table identifier."
)


@dataclass(frozen=True)
class Rule:
    """One stated rule: a layout (text, or a manifest as JSON), a mapping and settings, and what must come of them.

    `loads` has the destinations of each source; what is None is not part of the rule; without `error` there is none.
    Errors are compared by their beginning: the ends of quoted reasons differ between versions of their library.
    """

    says: str
    layout: dict[str, Any]
    mapping: list[dict[str, Any]] = field(default_factory=list)
    bucket: str | None = BUCKET
    rules: tuple[str, ...] = ("2026",)
    loads: dict[str, str] | None = None
    options: dict[str, Any] | None = None
    error: str | None = None
    log: list[str] | None = None
    settings: dict[str, Any] = field(default_factory=dict)


def to(source: str, destination: Any, **options: Any) -> dict[str, Any]:
    return {"source": source, "destination": destination} | options


def manifest(**options: Any) -> dict[str, Any]:
    return {"t.csv": CSV, "t.csv.manifest": options}


T = {"t.csv": CSV}
ALL = ("seed", "2017", "2026")
NATIVE = {"data_types": DataTypes.AUTHORITATIVE, "features": frozenset({Feature.NATIVE_TYPES})}

RULES = [
    # --- sources and manifests (6.2, steps 1 to 3) ---
    Rule("6.2 dot files are invisible", {".x.csv": CSV} | T, rules=ALL, loads={"t.csv": "in.c-main.t"}),
    Rule(
        "6.2 a mapping of a dot file is not found",
        {".x.csv": CSV},
        [to(".x.csv", "in.c-x.t")],
        error='Table sources not found: ".x.csv"',
    ),
    Rule("6.2 a folder called .git or CVS is invisible", {"CVS/p": "1"} | T, loads={"t.csv": "in.c-main.t"}),
    Rule("6.2 a plain file called _svn is a source", {"_svn": CSV}, rules=ALL, loads={"_svn": "in.c-main._svn"}),
    Rule(
        "6.2 a folder x.manifest is neither source nor manifest",
        {"x.manifest/p": "1"} | T,
        rules=ALL,
        loads={"t.csv": "in.c-main.t"},
    ),
    Rule(
        "6.2 orphaned manifests are all named, also for a failed job",
        {"b.manifest": {}, "a.manifest": {}} | T,
        settings={"failed_job": True},
        error='Found orphaned table manifest: "a.manifest", "b.manifest"',
    ),
    Rule(
        "6.5 the first missing source is named",
        T,
        [to("a", "in.c-x.t"), to("b", "in.c-x.t")],
        rules=("2017",),
        error="Table source 'a' not found.",
    ),
    Rule(
        "6.2 missing sources are all named",
        T,
        [to("a", "in.c-x.t"), to("b", "in.c-x.t")],
        rules=("seed", "2026"),
        error='Table sources not found: "a", "b"',
    ),
    Rule(
        "6.2 a failed job ignores missing sources",
        {"w.csv": CSV},
        [to("a", "in.c-x.t"), to("w.csv", "in.c-x.w", write_always=True)],
        settings={"failed_job": True},
        loads={"w.csv": "in.c-x.w"},
    ),
    Rule(
        "6.2 names are compared exactly, without trimming",
        T,
        [to("t.csv ", "in.c-x.t")],
        error='Table sources not found: "t.csv "',
    ),
    # --- destinations (6.2, step 4; 6.5; 6.6) ---
    Rule(
        "6.2 the default bucket is not applied to a mapping",
        T,
        [to("t.csv", "t")],
        error='Failed to resolve destination for output table "t.csv".',
    ),
    Rule("6.2 a destination is not trimmed", T, [to("t.csv", " in.c-x.t ")], loads={"t.csv": " in.c-x.t "}),
    Rule("6.2 any stage passes the resolver", T, [to("t.csv", "foo.bar.baz")], loads={"t.csv": "foo.bar.baz"}),
    Rule("6.2 empty parts pass the resolver", T, [to("t.csv", "in..t")], loads={"t.csv": "in..t"}),
    *(
        Rule(
            f"6.2 a destination {empty!r} in a mapping is missing",
            manifest(destination="m"),
            [to("t.csv", empty)],
            loads={"t.csv": "in.c-main.m"},
        )
        for empty in ("0", "", None)
    ),
    Rule(
        "6.2 .CSV is not cut",
        {"t.CSV": CSV},
        error='Failed to resolve valid destination. "in.c-main.t.CSV" is not a valid table ID.',
    ),
    Rule(
        "6.2 the warning comes beside a manifest without destination too",
        {"in.c-x.t.csv": CSV, "in.c-x.t.csv.manifest": {}},
        loads={"in.c-x.t.csv": "in.c-x.t"},
        log=[DEPRECATED.format("in.c-x.t.csv")],
    ),
    Rule(
        "6.2 a bare name in a manifest is completed by the bucket",
        manifest(destination="m"),
        loads={"t.csv": "in.c-main.m"},
    ),
    Rule(
        "6.2 a bare name in a manifest without a bucket is refused",
        manifest(destination="m"),
        bucket=None,
        error='Failed to resolve destination for output table "t.csv".',
    ),
    Rule(
        "6.2 junk without a bucket stops the job",
        {"notes.txt": "x"},
        bucket=None,
        error='Failed to resolve destination for output table "notes.txt".',
    ),
    Rule(
        "6.2 junk with a bucket makes four parts",
        {"notes.txt": "x"},
        error='Failed to resolve valid destination. "in.c-main.notes.txt" is not a valid table ID.',
    ),
    Rule(
        "6.2 a fake branch goes behind c-",
        T,
        settings={"branch": "12"},
        loads={"t.csv": "in.c-12-main.t"},
    ),
    Rule(
        "6.2 a fake branch goes before a bucket without c-",
        T,
        bucket="in.main",
        settings={"branch": "12"},
        loads={"t.csv": "in.12-main.t"},
    ),
    Rule(
        "6.2 several mappings of a source are a load each",
        T,
        [to("t.csv", "in.c-x.1"), to("t.csv", "in.c-x.2")],
        rules=("seed", "2026"),
        bucket=None,
        loads={"t.csv": "in.c-x.1 in.c-x.2"},
    ),
    Rule(
        "6.5 the last mapping of a source wins",
        T,
        [to("t.csv", "in.c-x.1"), to("t.csv", "in.c-x.2")],
        rules=("2017",),
        bucket=None,
        loads={"t.csv": "in.c-x.2"},
    ),
    Rule(
        "6.5 q1 bucket, mapping and manifest: the mapping wins",
        manifest(destination="in.c-y.m"),
        [to("t.csv", "in.c-x.t")],
        rules=("2017",),
        loads={"t.csv": "in.c-x.t"},
    ),
    Rule(
        "6.5 q2 bucket and mapping without manifest: the bucket wins",
        T,
        [to("t.csv", "in.c-x.t")],
        rules=("2017",),
        loads={"t.csv": "in.c-main.t"},
    ),
    Rule(
        "6.5 q3 a mapping replaces the manifest whole",
        {"t/p": "1", "t.manifest": {"columns": ["a"]}},
        [to("t", "in.c-x.t", primary_key=["a"])],
        rules=("2017",),
        error="Sliced file 't': columns specification missing.",
    ),
    Rule(
        "6.5 q5 more than two dots fail",
        {"out.c-data.my.table.csv": CSV},
        bucket=None,
        rules=("2017",),
        error=NAME_2017.format("out.c-data.my.table", "out.c-data.my.table.csv"),
    ),
    Rule(
        "6.5 q6 `source` in a manifest is refused",
        manifest(source="t.csv", destination="in.c-x.t"),
        rules=("2017",),
        error=READ_2017 + 'Unrecognized option "source" under "table"',
    ),
    Rule(
        "S31 `source` in a manifest is accepted",
        manifest(source="t.csv", destination="in.c-x.t"),
        bucket=None,
        rules=("seed",),
        loads={"t.csv": "in.c-x.t"},
    ),
    Rule(
        "S30 the bucket overrides mapping and manifest",
        manifest(destination="in.c-y.m"),
        [to("t.csv", "in.c-x.t")],
        rules=("seed",),
        loads={"t.csv": "in.c-main.t"},
    ),
    Rule("S27 only a final .csv is cut", {"a.csv.gz": "x"}, bucket=None, loads={"a.csv.gz": "a.csv.gz"}),
    Rule(
        "S24 what nobody maps is loaded too",
        {"u.csv": CSV} | T,
        [to("t.csv", "in.c-x.t")],
        loads={"t.csv": "in.c-x.t", "u.csv": "in.c-main.u"},
    ),
    # --- options (4.1, 4.2) ---
    *(
        Rule(f"4.1 null is true for {key}", manifest(**{key: None}), options={"t.csv": {key: True}})
        for key in ("incremental", "write_always", "has_header")
    ),
    Rule(
        "4.1 a flag is strict",
        manifest(incremental=1),
        rules=("2017",),
        error=READ_2017 + 'Invalid type for path "table.incremental". Expected "bool", but got "int".',
    ),
    Rule("4.1 columns may be null", manifest(columns=None), rules=("2017", "2026"), options={"t.csv": {}}),
    Rule(
        "4.1 empty names are dropped from a key with a warning",
        manifest(primary_key=["Id", ""]),
        options={"t.csv": {"primary_key": ["Id"]}},
        log=["warning: Found empty column name in key array."],
    ),
    Rule(
        "6.5 empty names are dropped from a key with a warning",
        manifest(primary_key=["Id", ""]),
        rules=("2017",),
        options={"t.csv": {"primary_key": ["Id"]}},
        log=["warning: Empty primary key found"],
    ),
    Rule(
        "4.1 a distribution key has no empty names",
        manifest(distribution_key=[""]),
        error=PARSE + 'The path "table.distribution_key.0" cannot contain an empty value, but got "".',
    ),
    Rule("4.1 delete_where_operator may be null", manifest(delete_where_operator=None), options={"t.csv": {}}),
    Rule("4.1 delete_where_operator may be empty", manifest(delete_where_operator=""), options={"t.csv": {}}),
    Rule("4.1 null passes as delimiter", manifest(delimiter=None), options={"t.csv": {"delimiter": None}}),
    Rule("4.2 an empty enclosure passes", manifest(enclosure=""), options={"t.csv": {"enclosure": ""}}),
    Rule(
        "4.1 escaped_by is rejected today",
        manifest(escaped_by="\\"),
        error=PARSE + 'Unrecognized option "escaped_by" under "table"',
    ),
    Rule("4.1 escaped_by was ignored", manifest(escaped_by="\\"), rules=("2017",), options={"t.csv": {}}),
    Rule(
        "4.1 manifest_type is any scalar",
        manifest(manifest_type="out"),
        options={"t.csv": {"manifest_type": "out"}},
    ),
    Rule(
        "4.1 another backend is not supported",
        manifest(schema=[{"name": "Id", "data_type": {"base": {"type": "STRING"}, "redshift": {"type": "x"}}}]),
        error=PARSE + 'The "redshift" data type is not supported.',
    ),
    Rule(
        "4.2 a zero-byte manifest is a syntax error",
        {"t.csv": CSV, "t.csv.manifest": ""},
        error=PARSE + "Syntax error",
    ),
    Rule("4.2 null is an empty manifest", {"t.csv": CSV, "t.csv.manifest": "null"}, loads={"t.csv": "in.c-main.t"}),
    Rule(
        "4.2 a scalar is no manifest",
        {"t.csv": CSV, "t.csv.manifest": "5"},
        error=PARSE + 'Unrecognized option "0" under "table"',
    ),
    Rule(
        "4.2 metadata is a list",
        manifest(metadata={"a": "b"}),
        error=PARSE + 'Invalid type for path "table.metadata.a". Expected "array", but got "string"',
    ),
    *(
        Rule(
            f"4.2 schema or {key}, not both",
            manifest(schema=[{"name": "Id"}], **{key: value}),
            error=f'{PARSE}Invalid configuration for path "table": Only one of "schema" or "{key}" can be defined.',
        )
        for key, value in (
            ("columns", ["Id"]),
            ("metadata", [{"key": "a", "value": "b"}]),
            ("column_metadata", {"Id": [{"key": "a", "value": "b"}]}),
        )
    ),
    Rule(
        "4.2 description or KBC.description, not both",
        manifest(description="a", table_metadata={"KBC.description": "b"}),
        error=PARSE
        + 'Invalid configuration for path "table": Only one of "description" or "table_metadata.KBC.description" can',
    ),
    Rule(
        "4.2 description and schema are allowed together",
        manifest(description="a", schema=[{"name": "Id"}]),
        loads={"t.csv": "in.c-main.t"},
    ),
    Rule(
        "4.2 delete_where_column or delete_where, not both",
        manifest(delete_where_column="Id", delete_where_values=["a"], delete_where=[{"changed_since": "2020-01-01"}]),
        error=PARSE
        + 'Invalid configuration for path "table": Only one of "delete_where_column" or "delete_where" can be defined.',
    ),
    Rule(
        "4.2 the checks run again after the merge",
        manifest(schema=[{"name": "Id"}]),
        [to("t.csv", "in.c-x.t", columns=["Id"])],
        error="Failed to prepare mapping configuration for table t.csv: ",
    ),
    # --- native types (4.3), column names (4.4), slices (4.6) ---
    Rule("4.3 authoritative types need a schema", T, settings=NATIVE, error="Configuration schema is missing."),
    Rule(
        "4.3 every column needs a base type",
        manifest(schema=[{"name": "a"}, {"name": "b"}]),
        settings=NATIVE,
        error="Missing data type for columns: a, b",
    ),
    Rule(
        "4.4 column names are cleaned with a warning",
        manifest(columns=["_a_", "a-b", "ctid"]),
        options={"t.csv": {"columns": ["a", "a_b", "ctid_"]}},
        log=[
            f'warning: Column name "{old}" was webalized to "{new}"'
            for old, new in (("_a_", "a"), ("a-b", "a_b"), ("ctid", "ctid_"))
        ],
    ),
    Rule(
        "4.4 a distribution key keeps its names",
        manifest(distribution_key=["_a_"]),
        options={"t.csv": {"distribution_key": ["_a_"]}},
    ),
    Rule(
        "4.4 _timestamp is the platform's, in any case",
        manifest(columns=["_Timestamp"]),
        error='Failed to process mapping for table t.csv: System columns "_Timestamp" cannot be imported to the table.',
    ),
    Rule(
        "4.6 slices need columns",
        {"t/p": "1"},
        error='Sliced file "t" columns specification missing.',
    ),
    Rule(
        "4.6 a schema will do for slices",
        {"t/p": "1", "t.manifest": {"schema": [{"name": "a"}]}},
        loads={"t": "in.c-main.t"},
    ),
    Rule(
        "4.6 two mappings of a source cannot be sliced",
        T,
        [to("t.csv", "in.c-x.1"), to("t.csv", "in.c-x.2")],
        settings={"features": frozenset({Feature.SLICING})},
        error='Source "t.csv" has multiple destinations set.',
    ),
    # --- merging (6.3) ---
    *(
        Rule(
            f"6.3 a mapping cannot set {key} back to its default",
            manifest(**{key: other}),
            [to("t.csv", "in.c-x.t", **{key: default})],
            options={"t.csv": {key: other}},
        )
        for key, other, default in (("incremental", True, False), ("delimiter", ";", ","), ("enclosure", "'", '"'))
    ),
    Rule(
        "6.3 any list of the mapping replaces the key, even an empty one",
        manifest(primary_key=["Id"]),
        [to("t.csv", "in.c-x.t", primary_key=[])],
        options={"t.csv": {}},
    ),
    Rule(
        "6.3 a key of the mapping marks columns of the manifest's schema",
        manifest(schema=[{"name": "Id"}]),
        [to("t.csv", "in.c-x.t", primary_key=["No"])],
        error='Primary key column "No" not found in manifest file.',
    ),
    Rule(
        "6.3 an empty value of the mapping overrides nothing",
        manifest(columns=["a"], tags=["x"]),
        [to("t.csv", "in.c-x.t", columns=[], tags=[])],
        options={"t.csv": {"columns": ["a"], "tags": ["x"]}},
    ),
    Rule(
        "6.3 metadata is merged by key, the manifest's first",
        manifest(metadata=[{"key": "a", "value": "1"}, {"key": "b", "value": "1"}]),
        [to("t.csv", "in.c-x.t", metadata=[{"key": "c", "value": "2"}, {"key": "a", "value": "2"}])],
        options={
            "t.csv": {
                "metadata": [
                    {"key": "a", "value": "2"},
                    {"key": "b", "value": "1"},
                    {"key": "c", "value": "2"},
                ]
            }
        },
    ),
]


def lay_out(layout, root):
    tables = root / "out" / "tables"
    for name, content in layout.items():
        path = tables / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return list_outputs(tables)


@pytest.mark.parametrize(
    ("rule", "rules"), [pytest.param(rule, name, id=f"{rule.says} [{name}]") for rule in RULES for name in rule.rules]
)
def test_what_the_reference_says_holds(rule, rules, tmp_path):
    settings = Settings(bucket=rule.bucket, **rule.settings)
    resolution = resolve(lay_out(rule.layout, tmp_path), rule.mapping, settings, rules)
    error = resolution.error and resolution.error.text.replace(str(tmp_path), "<ROOT>")
    assert error == rule.error or (rule.error and error and error.startswith(rule.error))
    if rule.loads is not None:
        landed: dict[str, list[str]] = {}
        for load in resolution.loads:
            landed.setdefault(load.source, []).append(load.destination)
        assert {source: " ".join(destinations) for source, destinations in landed.items()} == rule.loads
    if rule.options is not None:
        assert {load.source: load.options for load in resolution.loads} == rule.options
    if rule.log is not None:
        assert list(resolution.log) == rule.log


def test_every_rule_is_stated_once():
    assert len({rule.says for rule in RULES}) == len(RULES)
