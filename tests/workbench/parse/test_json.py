"""JSON of every shape to tables."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from component.errors import Place, UserError
from component.workbench.parse import json_faults
from component.workbench.parse.json_faults import JsonTextError
from component.workbench.parse.json_table import parse_json
from component.workbench.parse.json_values import UNWRITTEN, JsonObject, Number, json_lines, json_records
from component.workbench.parse.options import FileLimits, ParseOptions
from component.workbench.rules.limits import TableSizes
from component.workbench.rules.reading import ReadingMode

PLACE = Place(table="t.json")
LENIENT = ParseOptions(ReadingMode.LENIENT)
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=5,
)


def plain(value):
    if isinstance(value, Number):
        return json.loads(value.text)
    if isinstance(value, JsonObject):
        return {key: plain(item) for key, item in value.pairs}
    return [plain(item) for item in value] if isinstance(value, list) else value


@given(st.lists(VALUES), st.booleans())
def test_the_elements_of_an_array_are_those_of_pythons_json(values, wide):
    text = json.dumps(values, indent=2 if wide else None)
    assert [plain(value) for value in json_records(text)] == values
    assert [plain(value) for value in json_records(f' {{"a": 1, "b" : {text}, "c": [1]}} ')] == values


@given(st.lists(st.dictionaries(TEXT, VALUES.filter(lambda v: not isinstance(v, list)), max_size=2), min_size=2))
def test_lines_are_records(documents):
    text = "\n".join(json.dumps(document) for document in documents)
    assert [plain(value) for value in json_records(text)] == documents


@given(st.lists(st.dictionaries(TEXT, VALUES, max_size=2), min_size=1))
def test_what_is_called_lines_may_have_lists_in_its_first_line(documents):
    text = "\n".join(json.dumps(document) for document in documents)
    assert [plain(value) for value in json_lines(text)] == documents


@given(st.lists(st.dictionaries(TEXT, VALUES, max_size=2), min_size=1), st.data())
def test_what_stands_before_a_cut_is_kept(documents, data):
    text = json.dumps(documents)
    cut = data.draw(st.integers(1, len(text) - 1))
    found = []
    with pytest.raises(JsonTextError):
        found.extend(json_records(text[:cut]))
    whole = [len(json.dumps(documents[: number + 1])) - 1 for number in range(len(documents))]
    count = sum(end <= cut for end in whole)
    assert [plain(value) for value in found[:count]] == documents[:count]
    assert len(found) <= count + 1
    for broken in found[count:]:
        *whole_pairs, (last, value) = broken.pairs
        known = documents[count]
        assert [(key, plain(item)) for key, item in whole_pairs] == list(known.items())[: len(whole_pairs)]
        assert value is UNWRITTEN or plain(value) == known[last] or str(known[last]).startswith(str(plain(value)))


@pytest.mark.parametrize(
    ("text", "columns", "said"),
    [
        ('[{"a":1},{"a":"x"}]', {"a": ["1", "x"]}, ["interpreted 1 Numbers as String; see row 0 column a"]),
        ('[{"a":1.10},{"a":"x"}]', {"a": ["1.10", "x"]}, ["interpreted 1 Numbers as String; see row 0 column a"]),
        ('[{"a":1},{"a":"  "}]', {"a": [1, None]}, []),
        ('[{"a":true},{"a":null},{"a":{"b":[1, 2]}}]', {"a": ["true", None, '{"b":[1,2]}']}, []),
        ('[{"a":1e999}]', {"a": [None]}, ["replaced infinity with null for 1 Numbers; see row 0 column a"]),
        ('[{"a":1},5]', {"a": [1]}, ["skipped 1 non-Object records; example Array item 1: 5"]),
        ('[{"":1,"a":2}]', {"a": [2]}, ['ignored invalid column ""']),
        ('[{"":1,"\\n":3,"a":2}]', {"a": [2]}, ['ignored invalid column "" and more']),
        ('[{"a":1},{"a":"\\t"}]', {"a": ["1", "\t"]}, ["interpreted 1 Numbers as String; see row 0 column a"]),
        (
            '[{"a":1,"a":2,"b":3,"b":4}]',
            {"a": [1], "b": [3]},
            ["ignored duplicate column a and more starting at row 0"],
        ),
        ('[{"a":null,"b":null}]', {"a": [None], "b": [None]}, ["chose string type for null column a and more"]),
        ('[{"a":{"b":"\\u001f"}}]', {"a": ['{"b":"\\u001F"}']}, []),
        ('[{"a":1}] x', {"a": [1]}, [f"JSON parse error at byte 10: {json_faults.NOT_SINGLE}"]),
        ('{"a":[{"a":1}], x', {"a": [1]}, [f"JSON parse error at byte 16: {json_faults.NO_NAME}"]),
        ('[{"a":1},{"a":2 "b":3}]', {"a": [1, 2]}, [f"JSON parse error at byte 16: {json_faults.NO_COMMA_IN_OBJECT}"]),
        ('[{"a":1}{"a":2}]', {"a": [1]}, [f"JSON parse error at byte 8: {json_faults.NO_COMMA_IN_LIST}"]),
        ('[{"a":1},"b]', {"a": [1]}, [f"JSON parse error at byte 12: {json_faults.NO_QUOTE}"]),
        ("ne", {}, ["JSON parse error at byte 1: Invalid value."]),
        ("[[1]]", {}, ["skipped 1 non-Object records; example Array item 0: [1]"]),
        ('[{"a":1},{"a"', {"a": [1]}, ["JSON parse error at byte 13: Missing a colon after a name of object member."]),
        (
            '[{"a":1},{"a":"\\ud800"}]',
            {"a": [1]},
            ["JSON parse error at byte 15: The surrogate pair in string is invalid."],
        ),
        ('{"a":{"b":1}}', {}, ['JSON is not an Array or Object containing an Array; got: {"a":{"b":1}}']),
        ("[]", {}, []),
    ],
)
def test_what_happens_to_odd_values_is_told(text, columns, said):
    parsed = parse_json(text.encode(), LENIENT, PLACE)
    assert parsed.table.rows.to_pydict() == columns
    assert [message.arguments["text"] for message in parsed.messages] == said


@pytest.mark.parametrize(
    "text", ['[{"a":1},{"a":"x"}]', '[{"a":1,"a":2}]', "null", "[{]", "[NaN]", "[{}] x", '[{"a":1},{"a":""}]']
)
def test_strict_reading_refuses_a_loss(text):
    with pytest.raises(UserError) as caught:
        parse_json(text.encode(), ParseOptions(ReadingMode.STRICT), PLACE)
    assert caught.value.code == "source.format"


def test_long_names_are_cut():
    parsed = parse_json(
        b'[{"abcdef":1}]', ParseOptions(ReadingMode.LENIENT, limits=FileLimits(TableSizes(name_bytes=3))), PLACE
    )
    assert parsed.table.names == ("abc",)
    assert [message.arguments["text"] for message in parsed.messages] == ["truncated 1 column names; example abc"]


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ('[{"x": "abcdefghij"}]', {"x": []}),
        ('[{"x": "abcd", "y": "efgh"}, {"x": "i"}]', {"x": ["abcd"], "y": ["efgh"]}),
        ('[{"x": 1.5, "y": 1, "z": "abcdefgh"}]', {"x": [1.5], "y": [1], "z": [None]}),
    ],
)
def test_reading_stops_within_a_row_at_the_limit_of_bytes(text, columns):
    parsed = parse_json(text.encode(), ParseOptions(ReadingMode.LENIENT, limits=FileLimits(text_bytes=8)), PLACE)
    assert parsed.table.rows.to_pydict() == columns
    assert parsed.messages[0].arguments["text"] == "stopped at limit of 8 bytes of data"


@pytest.mark.parametrize("depth", [199, 202, 100_000])
def test_depth_is_bounded(depth):
    parsed = parse_json(f'[{{"a":{"[" * depth}{"]" * depth}}}]'.encode(), LENIENT, PLACE)
    told = [message.arguments["text"] for message in parsed.messages]
    assert parsed.table.rows.to_pydict() == {"a": ["[" * depth + "]" * depth] if depth < 200 else []}
    assert bool(told) == (depth > 200)
    assert all(text.endswith(json_faults.TOO_DEEP) for text in told[:1])
