"""Which archive a run goes on with: decided over values, held against a history that is known in full."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from component.config.model import Config
from component.config.parameters import Parameters
from component.dataset.format.header import Header
from component.dataset.format.history import MOST_ANCESTORS, ancestors_of, commit_of, stamped
from component.runner.archives import Arrived, Used, choose_archives, hold_there, unmapped

T = Used(frozenset({"t"}), frozenset({"t"}))
DEFAULTS = Parameters()


def archive(number, commit, ancestors=(), *, uuid="t", content=0):
    name = f"{number}_{uuid}.dataset.zip"
    return Arrived(name, Path(name), uuid, commit, tuple(ancestors), content or hash(commit))


def decide(archives, remembered=None, parameters=DEFAULTS):
    return choose_archives(archives, T, {} if remembered is None else {"t": remembered}, parameters)


# --- the property: any history, any of its archives, any state ---

HISTORIES = st.lists(st.integers(0, 11), min_size=1, max_size=12).map(
    lambda draws: [None if draw >= number else draw for number, draw in enumerate(draws)]
)
"""The parent of each commit by its number: a line, a tree or several that have nothing in common."""


def line(parents, commit):
    """The commits that led to one, nearest first."""
    found = []
    while (commit := parents[commit]) is not None:
        found.append(commit)
    return found


@given(data=st.data(), parents=HISTORIES)
def test_the_newest_by_history_is_chosen_or_all_are_refused(data, parents):
    commits = st.integers(0, len(parents) - 1)
    there = data.draw(st.lists(commits, min_size=1, max_size=6))
    remembered = data.draw(st.none() | commits)
    archives = [
        archive(place, str(commit), map(str, line(parents, commit)), content=commit + 1)
        for place, commit in enumerate(there)
    ]
    wanted = [one for one in there if all(other == one or other in line(parents, one) for other in there)]
    found = decide(archives, None if remembered is None else str(remembered))
    if not wanted:
        heads = {one for one in there if not any(one in line(parents, other) for other in there)}
        roots = [[one, *line(parents, one)][-1] for one in heads]
        alone = any(roots.count(root) == 1 for root in roots)
        assert [one.code for one in found.refusals] == ["archive.unrelated" if alone else "archive.diverged"]
        assert found.chosen == ()
        assert all(archives[there.index(head)].file_name in found.refusals[0].text for head in heads)
    elif remembered is not None and remembered not in [wanted[0], *line(parents, wanted[0])]:
        assert [one.code for one in found.refusals] == ["archive.stale"]
        assert found.chosen == ()
    else:
        assert [one.commit for one in found.chosen] == [str(wanted[0])]
        assert found.refusals == ()
        others = [one.file_name for one in archives if one != found.chosen[0]]
        assert all(name in found.notes[0] for name in others)
        assert bool(found.warnings) == (remembered not in {None, wanted[0]})


@given(data=st.data(), parents=HISTORIES)
def test_headers_name_every_commit_that_led_to_them(data, parents):
    """Ours and foreign ones: a foreign client changes the files and carries our extras along."""
    headers, names = [], []
    for number, parent in enumerate(parents):
        base = None if parent is None else headers[parent]
        files = {f"label{number}": {"table": f"t/table/label{number}.parquet"}}
        before = Header("t", {}, (), {}, {}) if base is None else base
        changed = replace(before, partitions={**before.partitions, **files})
        foreign = base is not None and data.draw(st.booleans())
        headers.append(changed if foreign else stamped(changed, base, "append"))
        names.append(commit_of(headers[-1]).id)
        assert commit_of(headers[-1]).foreign == foreign
    assert len(set(names)) == len(names)
    for number, header in enumerate(headers):
        known = ancestors_of(header)
        before = line(parents, number)
        assert list(known) == [names[one] for one in before if names[one] in known]
        # of two foreign commits in a row the first one leaves no trace
        assert {names[one] for one in before if not commit_of(headers[one]).foreign} <= set(known)


def test_a_header_names_no_more_ancestors_than_it_may():
    header = stamped(Header("t", {}, (), {}, {}), None, "overwrite")
    names = [commit_of(header).id]
    for _ in range(MOST_ANCESTORS + 5):
        header = stamped(header, header, "overwrite")
        names.append(commit_of(header).id)
    assert list(ancestors_of(header)) == names[-2 : -MOST_ANCESTORS - 3 : -1]


def test_a_copy_has_no_ancestors_and_an_overwrite_goes_on_from_the_state():
    first = stamped(Header("t", {}, (), {}, {}), None, "overwrite")
    second = stamped(stamped(first, first, "append"), None, "copy")
    assert ancestors_of(second) == ()
    assert ancestors_of(stamped(first, None, "overwrite", succeeds="before")) == ("before",)


# --- single cases ---


def test_archives_complete_one_another():
    """An overwrite without its archive knows only the commit of the state; the archive of that one knows more."""
    archives = [archive(1, "a"), archive(2, "b", "a"), archive(3, "c", "b")]
    assert [one.commit for one in decide(archives).chosen] == ["c"]
    assert [one.code for one in decide([archives[0], archives[2]]).refusals] == ["archive.unrelated"]


def test_one_commit_with_different_content_is_refused():
    (refusal,) = decide([archive(1, "a", content=1), archive(2, "a", content=2)]).refusals
    assert refusal.code == "archive.diverged"
    assert "same commit with different content" in refusal.text


def test_histories_that_contradict_each_other_are_refused():
    (refusal,) = decide([archive(1, "a", "b"), archive(2, "b", "a")]).refusals
    assert refusal.code == "archive.diverged"


def test_what_is_not_used_is_named():
    found = decide([archive(1, "a"), archive(2, "b", "a"), archive(3, "b", "a"), archive(4, "x", uuid="other")])
    (note,) = found.notes
    assert "'t' is used, '2_t.dataset.zip'" in note
    assert "not used: '1_t.dataset.zip' (1 commit older), '3_t.dataset.zip' (the same commit)." in note
    (warning,) = found.warnings
    assert "'4_other.dataset.zip'" in warning


def test_a_refusal_names_a_remedy_that_can_be_done():
    (refusal,) = decide([archive(1, "a"), archive(2, "b")]).refusals
    assert "1_t.dataset.zip (commit a), 2_t.dataset.zip (commit b)" in refusal.text
    assert '"file_ids"' in refusal.remedy


def test_a_stale_archive_is_used_on_demand():
    archives = [archive(1, "a")]
    assert [one.code for one in decide(archives, "b").refusals] == ["archive.stale"]
    allowed = decide(archives, "b", Parameters(on_stale_dataset="use"))
    assert [one.commit for one in allowed.chosen] == ["a"]
    assert "without the rows of that commit" in allowed.warnings[0]


def test_an_archive_newer_than_the_state_is_told():
    found = decide([archive(1, "b", "a")], "a")
    assert [one.commit for one in found.chosen] == ["b"]
    assert "is newer" in found.warnings[0]


def test_a_dataset_that_the_state_knows_does_not_begin_anew_in_silence():
    (refusal,) = hold_there(T, [], {"t": "a"}, DEFAULTS, "it is gone").refusals
    assert refusal.code == "archive.missing"
    assert '"on_missing_dataset" to "create"' in refusal.remedy
    create = Parameters(on_missing_dataset="create")
    assert hold_there(T, [], {"t": "a"}, create, "it is gone").refusals == ()
    assert "begins anew" in hold_there(T, [], {"t": "a"}, create, "it is gone").warnings[0]


@pytest.mark.parametrize(("there", "remembered"), [(["t"], {"t": "a"}), ([], {}), ([], {"other": "a"})])
def test_a_dataset_may_begin_where_the_state_does_not_know_it(there, remembered):
    found = hold_there(T, there, remembered, DEFAULTS, "it is gone")
    assert (found.refusals, found.warnings) == ((), ())


def test_an_overwrite_needs_nothing_of_before():
    assert hold_there(Used(frozenset(), frozenset("t")), [], {"t": "a"}, DEFAULTS, "it is gone").refusals == ()


@pytest.mark.parametrize(
    ("mapping", "brings"),
    [
        ({"tags": ["tablemill-dataset"]}, True),
        ({"tags": ["tablemill-dataset:t"]}, True),
        ({"tags": ["tablemill-dataset:other"]}, False),
        ({"tags": ["77-tablemill-dataset:t"]}, True),
        ({"tags": ["configurationId: 12"]}, True),
        ({"source": {"tags": [{"name": "tablemill-dataset"}]}}, True),
        ({"source": {"tags": [{"name": "tablemill-dataset", "match": "exclude"}]}}, False),
        ({"query": "tags:x"}, True),
        ({"file_ids": ["12"]}, True),
        ({"tags": ["daily"]}, False),
    ],
)
def test_a_dataset_that_no_mapping_brings_back_is_told(mapping, brings):
    config = Config.model_validate({"storage": {"input": {"files": [mapping]}}})
    assert bool(unmapped(T, [], config)) != brings
    assert unmapped(T, [archive(1, "a")], config) == ()
