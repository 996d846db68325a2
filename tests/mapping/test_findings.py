from __future__ import annotations

from component.mapping.findings import find
from component.mapping.model import Load, Rule


def load(source, destination):
    return Load(source, sliced=False, destination=destination, options={}, rule=Rule.MAPPING)


def test_sources_with_one_destination_are_found():
    found = find([load("a", "in.c-x.t"), load("b", "in.c-x.u"), load("c", "in.c-x.t")], frozenset())
    assert [(one.code, one.source) for one in found] == [("finding.shared_destination", "a")]
    assert '"a", "c"' in found[0].text
    assert '"in.c-x.t"' in found[0].text


def test_an_output_on_its_own_input_is_found():
    found = find([load("a", "in.c-x.t"), load("b", "in.c-x.u")], frozenset({"in.c-x.u", "in.c-x.other"}))
    assert [(one.code, one.source) for one in found] == [("finding.own_input", "b")]
    assert '"in.c-x.u"' in found[0].text


def test_separate_tables_give_no_finding():
    assert find([load("a", "in.c-x.t"), load("b", "in.c-x.T")], frozenset({"in.c-x.v"})) == ()
