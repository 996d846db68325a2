"""Files of one name, or one tag: one of them, all of them, or a refusal that names them; nothing in silence."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from component.check.folder import check_folder
from component.config.load import load_config
from component.errors import UserError
from component.folder.layout import DataFolder
from component.plan.asked import asked_of
from component.plan.build import build_plan
from component.plan.sources import find_sources


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "in" / "files").mkdir(parents=True)
    (tmp_path / "in" / "tables").mkdir()
    return tmp_path


def file(folder, number, content="id\n1\n", name="orders.csv", **manifest):
    path = folder / "in" / "files" / f"{number}_{name}"
    path.write_text(content)
    facts = {"id": number, "name": name, "tags": ["daily"], **manifest}
    path.with_name(f"{path.name}.manifest").write_text(json.dumps(facts))


def plan(folder, source=None, **parameters):
    datasets = {} if source is None else {"datasets": [{"uuid": "t", "tables": [{"source": source}]}]}
    (folder / "config.json").write_text(json.dumps({"parameters": {**datasets, **parameters}}))
    config = load_config(folder)
    sources, _ = find_sources(DataFolder(folder), asked_of(config))
    return build_plan(config, sources)


def read(made):
    return [[part.location.name for part in dataset.source.slices] for dataset in made.datasets]


WORDS = (None, "orders.csv", "orders", "tag:daily")


@pytest.mark.parametrize("source", WORDS)
def test_files_of_one_name_that_differ_are_refused_by_name(folder, source):
    file(folder, 11, "id\n1\n")
    file(folder, 12, "id\n2\n")
    with pytest.raises(UserError) as caught:
        plan(folder, source)
    assert caught.value.code == "source.ambiguous"
    assert "'11_orders.csv', '12_orders.csv'" in caught.value.text
    assert '"on_same_name"' in caught.value.remedy
    findings = [(one.level.value, one.code) for one in check_folder({}, folder).findings]
    assert ("error", "source.ambiguous") in findings


@pytest.mark.parametrize("source", WORDS)
def test_files_that_hold_the_same_are_read_once_and_said(folder, source):
    file(folder, 11)
    file(folder, 12)
    made = plan(folder, source)
    assert read(made) == [["11_orders.csv"]]
    assert made.notes[0].endswith("'11_orders.csv'; not read: '12_orders.csv'.")
    told = [one.text for one in check_folder({}, folder).findings if one.code == "source.chosen"]
    assert told == list(made.notes)


@pytest.mark.parametrize("source", WORDS)
def test_the_newest_or_all_are_read_by_option(folder, source):
    file(folder, 9, "id\n1\n")
    file(folder, 10, "id\n2\n")
    assert read(plan(folder, source, on_same_name="newest")) == [["10_orders.csv"]]
    made = plan(folder, source, on_same_name="all")
    assert read(made) == [["10_orders.csv", "9_orders.csv"]]
    assert len(made.notes) == 1


@pytest.mark.parametrize("source", ["11_orders.csv", "11_orders", "11", "id:11", "tag:one"])
def test_one_of_them_is_read_where_it_is_named(folder, source):
    file(folder, 11, "id\n1\n", tags=["daily", "one"])
    file(folder, 12, "id\n2\n")
    made = plan(folder, source)
    assert read(made) == [["11_orders.csv"]]
    assert made.notes == ()


def test_a_date_counts_before_an_id(folder):
    file(folder, 11, "id\n1\n", created="2026-02-01T10:00:00+0100")
    file(folder, 12, "id\n2\n", created="2026-02-01T09:30:00+0100")
    assert read(plan(folder, "orders", on_same_name="newest")) == [["11_orders.csv"]]


def test_files_whose_age_nobody_knows_are_refused(folder):
    file(folder, 11, "id\n1\n")
    (folder / "in" / "files" / "orders.csv").write_text("id\n2\n")
    assert read(plan(folder, "orders.csv", on_same_name="newest")) == [["orders.csv"]]  # it is called so itself
    with pytest.raises(UserError) as caught:
        plan(folder, "orders", on_same_name="newest")
    assert caught.value.code == "source.ambiguous"
    assert "neither their dates nor their ids" in caught.value.text


def test_files_of_other_columns_or_formats_are_not_read_as_one(folder):
    file(folder, 11, "id\n1\n")
    file(folder, 12, "id,n\n2,3\n")
    with pytest.raises(UserError) as caught:
        plan(folder, "orders", on_same_name="all")
    assert caught.value.code == "column.sets_differ"


def test_files_of_different_names_are_chosen_by_tag(folder):
    file(folder, 11, "id\n1\n", name="a.csv")
    file(folder, 12, "id\n2\n", name="b.csv")
    assert read(plan(folder, "tag:daily", on_same_name="all")) == [["11_a.csv", "12_b.csv"]]
    assert read(plan(folder)) == [["11_a.csv"], ["12_b.csv"]]


def test_a_table_comes_before_files(folder):
    (folder / "in" / "tables" / "orders.csv").write_text("id\n3\n")
    file(folder, 11, "id\n1\n")
    file(folder, 12, "id\n2\n")
    assert read(plan(folder, "orders")) == [["orders.csv"]]


CONTENTS = ("id\n1\n", "id\n2\n", "id,n\n1,2\n")


@settings(max_examples=40)
@given(
    contents=st.lists(st.sampled_from(CONTENTS), min_size=1, max_size=4), word=st.sampled_from(WORDS), data=st.data()
)
def test_every_folder_gives_what_the_option_says_or_a_refusal(contents, word, data, tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    (folder / "in" / "files").mkdir(parents=True)
    numbers = data.draw(st.permutations(range(1, len(contents) + 1)))
    for number, content in zip(numbers, contents, strict=True):
        file(folder, number, content)
    option = data.draw(st.sampled_from(["refuse", "newest", "all"]))
    names = sorted(f"{number}_orders.csv" for number in numbers)
    headers = {content.splitlines()[0] for content in contents}
    refused = {"refuse": len(set(contents)) > 1, "newest": False, "all": len(headers) > 1}[option]
    if refused:
        with pytest.raises(UserError) as caught:
            plan(folder, word, on_same_name=option)
        assert caught.value.code == ("column.sets_differ" if option == "all" else "source.ambiguous")
    else:
        found = read(plan(folder, word, on_same_name=option))
        wanted = {"refuse": names[:1], "newest": [f"{max(numbers)}_orders.csv"], "all": names}[option]
        assert found == [wanted]
