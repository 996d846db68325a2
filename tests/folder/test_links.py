"""Links that lead out of a data folder: found wherever a run reads or writes, and refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from component.check.folder import check_folder
from component.check.output_mapping import JobFacts
from component.cli.resolve import resolve_folder
from component.cli.run import run_folder
from component.errors import UserError
from component.folder.links import hold_links, links_out

PLACES = (
    *("config.json", "config.yml", "in", "in/state.json", "in/tables", "in/files", "in/tables/t.csv"),
    *("in/tables/t.csv.manifest", "in/tables/sliced/part", "in/files/1_a/deep/b", "in/user/x"),
    *("out", "out/tables", "out/files", "out/tables/t.csv", "out/tables/t/part", "out/files/x.zip", "out/state.json"),
)


@pytest.fixture
def root(tmp_path):
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret.csv").write_text("password\nhunter2\n")
    root = tmp_path / "data"
    root.mkdir()
    return root


def link(root, place, target):
    path = root / place
    path.parent.mkdir(parents=True, exist_ok=True)
    if place.partition("/")[0] != "in":
        (root / "in").mkdir(exist_ok=True)
    path.symlink_to(target)


@pytest.mark.parametrize("target", ["{outside}", "{outside}/secret.csv", "{outside}/nowhere", "/dev/zero", "../../.."])
@pytest.mark.parametrize("place", PLACES)
def test_a_link_that_leads_out_is_found_and_refused(root, place, target):
    link(root, place, "/" if target.startswith("..") else target.format(outside=root.parent / "outside"))
    (found,) = links_out(root)
    assert found.place == place
    assert found.in_output == place.startswith("out")
    with pytest.raises(UserError) as caught:
        hold_links(root)
    assert caught.value.code == "folder.link"
    assert place in caught.value.text
    if found.in_output:
        with pytest.raises(UserError):
            hold_links(root, follow_input=True)
        assert "--follow-links" not in caught.value.remedy
    else:
        hold_links(root, follow_input=True)
        assert "--follow-links" in caught.value.remedy


@pytest.mark.parametrize("target", ["../../other/t.csv", "nowhere", "t.csv", ".", "../..", "../files/../tables"])
def test_a_link_that_stays_inside_is_none_of_them(root, target):
    link(root, "in/tables/t.csv", target)
    assert list(links_out(root)) == []


def test_a_link_to_a_folder_inside_is_looked_behind(root):
    link(root, "in/tables/t", root / "elsewhere")
    link(root, "elsewhere/deeper/part", root.parent / "outside" / "secret.csv")
    assert [one.place for one in links_out(root)] == ["in/tables/t/deeper/part"]


def test_a_name_that_begins_like_the_folder_is_not_inside(root):
    (root.parent / "data-too").mkdir()
    link(root, "in/tables/t", root.parent / "data-too")
    assert [one.place for one in links_out(root)] == ["in/tables/t"]


def test_the_folder_itself_may_be_a_link(root):
    (root / "in").mkdir()
    (root / "in" / "tables").mkdir()
    (root / "in" / "tables" / "t.csv").write_text("id\n1\n")
    (root.parent / "named").symlink_to(root)
    assert list(links_out(root.parent / "named")) == []
    assert list(links_out(root.parent / "nowhere")) == []


def test_what_nobody_reads_may_lead_anywhere(root):
    link(root, "latest", root.parent / "outside")
    assert list(links_out(root)) == []


def test_of_a_folder_without_in_all_that_lies_in_it_counts(root):
    (root / "a.csv").symlink_to(root.parent / "outside" / "secret.csv")
    (root / "deep").mkdir()
    (root / "deep" / "b").symlink_to("/")
    assert [one.place for one in links_out(root)] == ["a.csv"]


@given(data=st.data())
def test_exactly_what_resolves_to_a_place_outside_is_found(data, tmp_path_factory):
    """The oracle: every path is resolved by the operating system, one after the other."""
    root = tmp_path_factory.mktemp("links").resolve()
    names = ["a", "b", "c"]
    for part in ("in/tables", "in/files", "out/tables"):
        (root / part).mkdir(parents=True)
    paths = [f"{part}/{name}" for part in ("in/tables", "in/files", "out/tables") for name in names]
    for path in data.draw(st.lists(st.sampled_from(paths), unique=True, max_size=5)):
        target = data.draw(st.sampled_from([*paths, "in", "..", "/tmp", "/", "nowhere", "in/tables/a/b"]))
        (root / path).symlink_to(root / target)
    wanted = {path for path in paths if (root / path).is_symlink() and not resolved(root / path).is_relative_to(root)}
    found = {one.place for one in links_out(root)}
    assert wanted <= found
    assert {resolved(root / path) for path in found} <= {resolved(root / path) for path in wanted}


def resolved(path):
    """Where a link leads; one that leads to itself stays where it is."""
    try:
        return path.resolve(strict=False)
    except RuntimeError:
        return path


def test_run_check_and_resolve_refuse_alike_and_show_nothing_of_what_is_outside(root, capfd):
    (root / "config.json").write_text("{}")
    link(root, "in/tables/t.csv", root.parent / "outside" / "secret.csv")
    assert run_folder({}, root) == 1
    seen = capfd.readouterr()
    assert "'in/tables/t.csv' is a link" in seen.err
    (finding,) = check_folder({}, root).findings
    assert (finding.code, finding.place) == ("folder.link", "in/tables/t.csv")
    assert "password" not in str(finding) + seen.out + seen.err
    assert "folder.link" not in [one.code for one in check_folder({}, root, follow_links=True).findings]
    (root / "in" / "tables" / "t.csv").unlink()
    link(root, "out/tables/t.csv.manifest", root.parent / "outside" / "secret.csv")
    assert run_folder({}, root, follow_links=True) == 1
    assert "Remove the link" in capfd.readouterr().err
    assert resolve_folder({}, root, JobFacts(), "2026") == 1
    assert "'out/tables/t.csv.manifest' is a link" in capfd.readouterr().err
