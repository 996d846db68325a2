"""What a dialect may be; what it may not is said with the hint, its value and what is allowed."""

from __future__ import annotations

import pytest

from component.errors import UserError
from component.formats.delimited.dialect import DelimitedDialect


@pytest.mark.parametrize(
    ("hints", "hint", "value"),
    [
        ({"field_delimiter": "||"}, "field-delimiter", '"||"'),
        ({"field_delimiter": ""}, "field-delimiter", '""'),
        ({"field_delimiter": None}, "field-delimiter", "null"),
        ({"quotechar": "''"}, "quotechar", "\"''\""),
        ({"record_terminator": ""}, "record-terminator", '""'),
        ({"record_terminator": None}, "record-terminator", "null"),
        ({"quotechar": ",", "quoting": "all"}, "quotechar", '","'),
        ({"quotechar": "|", "field_delimiter": "|"}, "quotechar", '"|"'),
        ({"quotechar": "\\"}, "escape", '"\\\\"'),
        ({"field_delimiter": "\\"}, "escape", '"\\\\"'),
        ({"record_terminator": ",\n"}, "record-terminator", '",\\n"'),
        ({"record_terminator": '"'}, "record-terminator", '"\\""'),
        ({"record_terminator": "\\n"}, "record-terminator", '"\\\\n"'),
        ({"compression": "gzip"}, "compression", '"gzip"'),
        ({"quoting": "none"}, "quoting", '"none"'),
        ({"quoting": ["all"]}, "quoting", '["all"]'),
        ({"escape": "/"}, "escape", '"/"'),
        ({"encoding": "UTF-8"}, "encoding", '"UTF-8"'),
        ({"header_row": 1}, "header-row", "1"),
        ({"doublequote": "True"}, "doublequote", '"True"'),
        ({"field_delimiter": "ł", "encoding": "LATIN1"}, "field-delimiter", '"\\u0142"'),
    ],
)
def test_a_hint_that_cannot_be_is_refused_with_its_value(hints: dict[str, object], hint: str, value: str) -> None:
    with pytest.raises(UserError) as raised:
        DelimitedDialect(**hints)  # type: ignore[arg-type] # what is wrong is the point
    assert raised.value.code == "records.hint"
    assert raised.value.text.startswith(f"The hint {hint} is {value}, and must be ")


def test_what_is_allowed_is_said() -> None:
    with pytest.raises(UserError, match=r'one of "GZIP", "BZIP", "LZO", null'):
        DelimitedDialect(compression="ZIP")


@pytest.mark.parametrize(
    ("terminator", "overlaps"),
    [("\n", False), ("\r\n", False), ("\n\n", True), ("aba", True), ("abcab", True), ("end", False)],
)
def test_a_terminator_that_overlaps_itself_is_known(terminator: str, overlaps: bool) -> None:
    assert DelimitedDialect(record_terminator=terminator).overlaps_itself == overlaps


def test_a_quotechar_means_nothing_without_quoting() -> None:
    assert DelimitedDialect(quoting=None).quote is None
    assert DelimitedDialect(quoting="all", quotechar="'").quote == "'"
