from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from component.errors import UserError
from component.records.schema import header_conflict, parse_schema, schema_files
from component.records.schema_fields import parse_field
from component.records.schema_models import BOUNDS, OF_TYPE, Constraints, Field, FieldType, RecordsSchema
from component.records.types import records_schema, table_schema
from tests.records.published import published

DATA = Path(__file__).parents[1] / "data" / "records"


def parsed(document, **options):
    return parse_schema("_schema.json", json.dumps(document).encode(), **options)


def document(fields, **more):
    return {"schema": "bltypes/v1", "fields": fields, "known_representations": {}, **more}


def rewritten(schema):
    files = dict(schema_files(schema))
    published().validate(json.loads(files["_schema.json"]))
    assert files["_schema.json"] == files["_schema"]
    return parse_schema("_schema.json", files["_schema.json"], extra=files.get("_representations.json"))


COUNTS = st.integers(0, 2**40)
CONSTRAINTS = {
    **dict.fromkeys((name for names in OF_TYPE.values() for name in names), COUNTS),
    **dict.fromkeys(BOUNDS, st.integers(-(10**40), 10**40)),
}
TEXT = st.text(st.characters(codec="utf-8"), max_size=8)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXT, lambda inner: st.dictionaries(TEXT, inner), max_leaves=5
)
REPRESENTATIONS = st.dictionaries(
    TEXT,
    st.one_of(
        st.fixed_dictionaries({"rep_type": st.just("sql/redshift"), "col_ddl": TEXT}, optional={"col_type": TEXT}),
        st.fixed_dictionaries(
            {"rep_type": st.just("dataframe/pandas"), "pd_df_dtype": JSON, "pd_df_coltype": st.just("series")}
        ),
        st.fixed_dictionaries({"rep_type": st.just("spark"), "type": TEXT}),
        JSON,
    ),
    max_size=3,
)


@st.composite
def fields(draw, name):
    kind = draw(st.sampled_from(FieldType))
    names = [one for one in OF_TYPE.get(kind, ()) if draw(st.booleans())]
    chosen = {one: draw(CONSTRAINTS[one]) for one in names}
    constraints = Constraints(draw(st.booleans()), draw(st.none() | st.booleans()), **chosen)
    return Field(name, kind, constraints=constraints, representations=draw(REPRESENTATIONS))


KNOWN = st.dictionaries(
    TEXT,
    st.one_of(
        st.fixed_dictionaries({"type": st.just("sql/vertica")}, optional={"table_ddl": TEXT}),
        st.fixed_dictionaries({"type": st.just("dataframe/pandas"), "pd_df_dtypes": st.dictionaries(TEXT, TEXT)}),
        JSON,
    ),
    max_size=3,
)


@st.composite
def schemas(draw):
    names = draw(st.lists(TEXT, unique=True, max_size=4))
    return RecordsSchema(tuple(draw(fields(name)) for name in names), draw(KNOWN))


@given(schemas())
def test_what_is_written_passes_the_published_schema_and_reads_back_whole(schema):
    found, _ = rewritten(schema)
    assert [(one.name, one.type, one.constraints, one.representations) for one in found.fields] == [
        (one.name, one.type, one.constraints, one.representations) for one in schema.fields
    ]
    assert schema.known_representations.items() <= found.known_representations.items()


@given(schemas())
def test_nothing_of_a_field_is_lost_on_the_way_through_columns(schema):
    through = records_schema(table_schema(schema).columns)
    assert through.fields == schema.fields
    assert not schema.fields or through.known_representations == schema.known_representations


@given(schemas(), st.sampled_from(["_schema.json", "_schema"]))
def test_columns_are_numbered_from_one_in_the_order_of_the_keys(schema, name):
    listed = json.loads(dict(schema_files(schema))[name])["fields"]
    assert [field["index"] for field in listed.values()] == list(range(1, len(schema.fields) + 1))
    assert list(listed) == [field.name for field in schema.fields]
    assert all("required" in field["constraints"] for field in listed.values())


def test_the_smallest_schema_of_the_reference_passes():
    minimal = {
        "schema": "bltypes/v1",
        "fields": {
            "id": {
                "type": "integer",
                "index": 1,
                "constraints": {"required": False, "min": "-9223372036854775808", "max": "9223372036854775807"},
            },
            "amount": {
                "type": "decimal",
                "index": 2,
                "constraints": {"required": False, "fixed_precision": 10, "fixed_scale": 2},
            },
            "s": {
                "type": "string",
                "index": 3,
                "constraints": {"required": False, "max_length_chars": 20},
                "statistics": {"rows_sampled": 2, "total_rows": 2, "max_length_chars": 6},
            },
            "at": {"type": "datetimetz", "index": 4},
        },
        "known_representations": {},
    }
    published().validate(minimal)
    assert parsed(minimal)[1] == ()


@pytest.mark.parametrize(
    "field",
    [
        {"type": "integer"},
        {"type": "money", "index": 1},
        {"type": "integer", "index": 1, "constraints": {"min": 1}},
        {"type": "date", "index": 1, "statistics": {"rows_sampled": 1, "total_rows": 1}},
        {"type": "string", "index": 1, "statistics": {"rows_sampled": 1}},
        {"type": "string", "index": 1, "more": 1},
        {"type": "string", "index": 1, "representations": {"x": {"rep_type": "spark", "type": "string"}}},
        {
            "type": "string",
            "index": 1,
            "representations": {
                "x": {"rep_type": "dataframe/pandas", "pd_df_dtype": "int64", "pd_df_coltype": "series"}
            },
        },
    ],
    ids=str,
)
def test_our_copy_of_the_published_schema_refuses_what_that_refuses(field):
    assert list(published().iter_errors(document({"c": field})))


def test_columns_follow_the_index_and_the_conflict_is_said():
    schema, said = parsed(document({"b": {"type": "date", "index": 2}, "a": {"type": "date", "index": 1}}))
    assert [field.name for field in schema.fields] == ["a", "b"]
    assert [one.code for one in said] == ["schema.order"]
    assert "'a', 'b'" in str(said[0])


@pytest.mark.parametrize("indices", [(1, None), (1, 1), (0, 0)])
def test_without_an_index_for_each_the_order_of_the_keys_counts_and_that_is_said(indices):
    fields = {name: {"type": "date", "index": index} for name, index in zip("ba", indices, strict=True)}
    schema, said = parsed(document(fields))
    assert [field.name for field in schema.fields] == ["b", "a"]
    assert [one.code for one in said] == ["schema.index"]


def test_without_any_index_nothing_is_in_conflict():
    assert parsed(document({"b": {"type": "date"}, "a": {"type": "date"}}))[1] == ()


def test_known_representations_may_be_absent():
    assert parsed({"schema": "bltypes/v1", "fields": {}}) == (RecordsSchema(()), ())


def test_representations_that_schema_v1_has_no_place_for_survive():
    theirs = {"rep_type": "dataframe/pandas", "pd_df_dtype": "int64", "pd_df_coltype": "series"}
    content = document(
        {"c": {"type": "integer", "index": 1, "representations": {"origin": theirs, "s": {"rep_type": "spark"}}}}
    )
    schema, said = parsed(content)
    assert said == ()
    again, _ = rewritten(records_schema(table_schema(schema).columns))
    assert again.fields[0].representations == {"origin": theirs, "s": {"rep_type": "spark"}}


def test_a_representation_that_is_used_is_registered():
    used = {"redshift": {"rep_type": "sql/redshift", "col_ddl": "INTEGER"}}
    schema, _ = parsed(document({"c": {"type": "integer", "representations": used}}))
    written = json.loads(dict(schema_files(schema))["_schema.json"])
    assert written["known_representations"] == {"redshift": {"type": "sql/redshift"}}


@pytest.mark.parametrize("extra", [b"", b"[]", b"{}", b'{"fields": 1, "known_representations": {}}'])
def test_a_foreign_file_of_representations_is_ignored_and_that_is_said(extra):
    _, said = parsed(document({"c": {"type": "date"}}), extra=extra)
    assert [one.code for one in said] == ["schema.ignored"]


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"CREATE TABLE x (a int)",
        b"[]",
        b"{}",
        b'{"schema": "bltypes/v2", "fields": {}}',
        b'{"schema": "bltypes/v1"}',
        b'{"schema": "bltypes/v1", "fields": []}',
        b'{"schema": "bltypes/v1", "fields": {"a": 1}}',
        b'{"schema": "bltypes/v1", "fields": {"a": {}}}',
        b'{"schema": "bltypes/v1", "fields": {"a": {"type": "money"}}}',
        b'{"schema": "bltypes/v1", "fields": {"a": {"type": "date"}, "a": {"type": "date"}}}',
    ],
)
def test_what_is_no_schema_is_refused(data):
    with pytest.raises(UserError) as refused:
        parse_schema("_schema", data)
    assert refused.value.code == "records.schema"


def test_lax_reads_a_field_of_an_unknown_type_as_text():
    schema, said = parsed(document({"a": {"type": "money", "index": 1}}), lax=True)
    assert schema.fields[0].type == "string"
    assert [one.code for one in said] == ["schema.type"]


@pytest.mark.parametrize(
    ("field", "code"),
    [
        ({"type": "string", "constraints": {"min": "1"}}, "schema.ignored"),
        ({"type": "string", "constraints": {"max_length_chars": "20"}}, "schema.ignored"),
        ({"type": "integer", "constraints": {"min": "a"}}, "schema.ignored"),
        ({"type": "integer", "constraints": {"min": "5", "max": "1"}}, "schema.bounds"),
        ({"type": "integer", "constraints": {"required": "yes"}}, "schema.ignored"),
        ({"type": "integer", "constraints": []}, "schema.ignored"),
        ({"type": "integer", "representations": 1}, "schema.ignored"),
        ({"type": "integer", "index": "1"}, "schema.ignored"),
        ({"type": "integer", "encoding": "x"}, "schema.ignored"),
        ({"type": "decimal", "constraints": {"fp_total_bits": 80, "fp_significand_bits": 64}}, "schema.decimal"),
        ({"type": "decimal", "constraints": {"fp_total_bits": 64, "fixed_precision": 5}}, "schema.decimal"),
    ],
    ids=str,
)
def test_what_is_not_understood_is_ignored_with_a_word(field, code):
    assert [one.code for one in parse_field("c", field)[1]] == [code]


def test_bounds_may_be_numbers_too():
    field, said = parse_field("c", {"type": "integer", "constraints": {"min": -5, "max": 7}})
    assert (field.constraints.min, field.constraints.max, said) == (-5, 7, ())


def test_a_header_that_differs_is_said_with_both():
    assert header_conflict(("a", "b"), ("a", "b"), "x.csv") is None
    said = header_conflict(("a", "b"), ("b", "a"), "x.csv")
    assert said is not None
    assert said.code == "schema.header"
    assert "x.csv" in said.text


@pytest.mark.parametrize("case", sorted(DATA.glob("cases/*/_schema.json")), ids=lambda path: path.parent.name)
def test_a_schema_of_the_client_becomes_one_that_passes(case):
    schema, said = parse_schema("_schema.json", case.read_bytes())
    assert said == ()
    again, _ = rewritten(records_schema(table_schema(schema).columns))
    assert [one.representations for one in again.fields] == [one.representations for one in schema.fields]
    assert again.known_representations == schema.known_representations
