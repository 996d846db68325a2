from __future__ import annotations

import json

import pytest
import yaml
from hypothesis import event, given
from hypothesis import strategies as st

from component.config.json_text import JsonFaultError
from component.config.yaml_text import parse_yaml
from tests.strategies.json_values import values


@given(value=values, flow=st.sampled_from((None, True, False)), bom=st.sampled_from((b"", b"\xef\xbb\xbf")))
def test_every_json_value_that_a_writer_of_yaml_writes_comes_back(value, flow, bom):
    class Plain(yaml.SafeDumper):
        def ignore_aliases(self, data):
            return True

    text = yaml.dump(value, Dumper=Plain, default_flow_style=flow, allow_unicode=True)
    assert parse_yaml(bom + text.encode()) == ({} if value is None else value)


@given(value=st.dictionaries(st.text(st.characters(codec="ascii", categories=("L", "N")), max_size=5), values))
def test_what_is_written_as_json_is_read_too(value):
    assert parse_yaml(json.dumps(value).encode()) == value


@given(data=st.binary(max_size=40) | st.text("[]{}\",:0e.-'!&*?|>~ \nabtrue", max_size=40).map(str.encode))
def test_any_bytes_are_a_value_or_a_fault(data):
    try:
        value = parse_yaml(data)
    except JsonFaultError:
        event("fault")
    else:
        event("value")
        assert json.loads(json.dumps(value, allow_nan=False)) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", {}),
        ("a:", {"a": None}),
        ("a: no", {"a": "no"}),
        ("a: 12:30", {"a": "12:30"}),
        ("a: 2020-01-01", {"a": "2020-01-01"}),
        ("a: 010", {"a": 10}),
        ("a: 0o17", {"a": 15}),
        ("a: 0x1F", {"a": 31}),
        ("a: 1.0e3", {"a": 1000.0}),
        ("a: '1'", {"a": "1"}),
        ("a: !!str 1", {"a": "1"}),
        ("a: !!float 1", {"a": 1.0}),
        ("1: 2", {"1": 2}),
        ("a: {  }\nb: [  ]", {"a": {}, "b": []}),
        ("a: |\n  x\n  y\n", {"a": "x\ny\n"}),
    ],
)
def test_plain_words_mean_what_the_platform_s_writer_means(text, value):
    assert parse_yaml(text.encode()) == value


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: 1\na: 1", "has the key 'a' twice at line 2, column 1"),
        ("1: 1\n'1': 1", "has the key '1' twice at line 2, column 1"),
        ("? [a]\n: b", "has a key that is no text at line 1, column 3"),
        ("a: &x 1\nb: *x", "holds an alias at line 2, column 4, which JSON does not have"),
        ("a: .NaN", "holds a value that JSON does not have at line 1, column 4"),
        ("a: -.inf", "holds a value that JSON does not have at line 1, column 4"),
        ("a: !!float nan", "holds a value that JSON does not have at line 1, column 4"),
        ("a: 1e999", "holds a value that JSON does not have at line 1, column 4"),
        (f"a: {'9' * 5000}", "holds a value that JSON does not have at line 1, column 4"),
        ("a: !!bool maybe", "holds a value that JSON does not have at line 1, column 4"),
        (
            "a: !!binary aGk=",
            "holds the tag 'tag:yaml.org,2002:binary' at line 1, column 4, which JSON does not have",
        ),
        ("!!python/object/apply:os.system [x]", "holds the tag 'tag:yaml.org,2002:python/object/apply:os.system'"),
        ("a: 1\n--- \nb: 1", "holds several documents at line 2, column 1"),
        ("[" * 5000, "is nested more than 100 levels deep at line 1, column 102"),
        ("- " * 5000, "is nested more than 100 levels deep at line 1, column 203"),
        ("a: [", "is not YAML at line 2, column 1: "),
        ("a:\n\t- b", "is not YAML at line 2, column 1: "),
        ("a: \0", "is not YAML: "),
    ],
)
def test_a_text_without_one_meaning_is_refused(text, message):
    with pytest.raises(JsonFaultError) as caught:
        parse_yaml(text.encode())
    assert str(caught.value).startswith(message)


def test_a_text_that_would_stand_for_more_than_any_memory_holds_is_refused():
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 8)}]" for n in range(1, 30)]
    with pytest.raises(JsonFaultError, match="holds an alias at line 2"):
        parse_yaml("\n".join(lines).encode())
