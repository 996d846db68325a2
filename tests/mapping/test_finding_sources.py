from __future__ import annotations

import pytest

from component.folder.out_listing import OutSlice, OutSource
from component.mapping.findings.sources import load_findings, source_findings
from component.mapping.platform.model import FirstLine, Load, Rule
from component.naming import FILE_LIMIT, SLICE_LIMIT, SLICES_LIMIT, SLICES_TOTAL_LIMIT


def sliced(*sizes, names=None):
    slices = tuple(OutSlice(names[at] if names else f"part{at}", size) for at, size in enumerate(sizes))
    return OutSource("t", sliced=True, size=sum(sizes), slices=slices)


def codes(source):
    return [one.code for one in source_findings(source)]


def load(header=FirstLine.HEADER, *, in_slices=False):
    return Load("t", sliced=in_slices, destination="in.c-x.t", options={}, rule=Rule.MAPPING, header=header)


def test_slices_within_the_limits_are_fine():
    assert codes(sliced(*[SLICE_LIMIT] * 3)) == []
    assert codes(sliced(*[1] * SLICES_LIMIT)) == []
    assert codes(OutSource("t", size=FILE_LIMIT)) == []


def test_large_slices_are_found_once_with_the_largest():
    (found,) = source_findings(sliced(1, SLICE_LIMIT + 2, SLICE_LIMIT + 1))
    assert found.code == "finding.slice_size"
    assert "has 2 slices over 100 MB" in found.text
    assert '"part1"' in found.text


def test_too_many_slices_are_found():
    assert codes(sliced(*[1] * (SLICES_LIMIT + 1))) == ["finding.slice_count"]


def test_too_much_in_all_is_found():
    assert codes(sliced(SLICES_TOTAL_LIMIT, 1)) == ["finding.slice_size", "finding.slices_total"]


def test_a_file_that_should_be_slices_is_found():
    (found,) = source_findings(OutSource("t", size=FILE_LIMIT + 10**9))
    assert (found.code, found.text.split(";")[0]) == ("finding.file_size", '"t" has 6.0 GB')


def test_a_manifest_among_slices_is_found():
    (found,) = source_findings(sliced(1, 1, names=["part1", "part1.manifest"]))
    assert (found.code, found.place) == ("finding.slice_manifest", "t")
    assert '"part1.manifest"' in found.text


@pytest.mark.parametrize("name", ["t.csv.MANIFEST", "t.Manifest"])
def test_a_manifest_in_upper_case_is_found(name):
    assert codes(OutSource(name, size=1)) == ["finding.manifest_case"]


def test_an_empty_file_is_refused_unless_it_has_columns():
    empty = OutSource("t")
    assert [one.code for one in load_findings(load(), empty)] == ["finding.empty_file"]
    assert not list(load_findings(load(FirstLine.HEADLESS), empty))
    assert not list(load_findings(load(), OutSource("t", size=1)))


def test_a_directory_without_slices_empties_its_table():
    found = load_findings(load(FirstLine.HEADLESS, in_slices=True), sliced())
    assert [one.code for one in found] == ["finding.no_slices"]
    assert not list(load_findings(load(FirstLine.HEADLESS, in_slices=True), sliced(0, 0)))
