from __future__ import annotations

import errno
import os
import stat

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from component.errors import UserError
from component.folder.state import DatasetState, next_state, read_state, size_warning, write_state
from tests.strategies.json_values import texts, values


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(state=st.dictionaries(texts, values, max_size=4))
def test_a_state_comes_back(tmp_path, state):
    write_state(tmp_path / "state.json", state)
    assert read_state(tmp_path / "state.json") == state


def test_no_state_and_php_s_empty_list_are_the_empty_state(tmp_path):
    path = tmp_path / "state.json"
    assert read_state(path) == {}
    path.write_text("[]")
    assert read_state(path) == {}


@pytest.mark.parametrize(
    ("text", "message"),
    [("", "is empty"), ("{", "is not JSON"), ("[1]", "must be an object, but is a list"), ("5", "but is the number 5")],
)
def test_what_is_no_object_is_refused(tmp_path, text, message):
    (tmp_path / "state.json").write_text(text)
    with pytest.raises(UserError, match=message) as caught:
        read_state(tmp_path / "state.json")
    assert caught.value.code == "state.syntax"


def test_a_state_that_cannot_be_read_is_refused(tmp_path):
    with pytest.raises(UserError, match="cannot be read") as caught:
        read_state(tmp_path)
    assert caught.value.code == "state.syntax"


def test_a_written_state_is_alone_in_its_folder_and_readable_for_all(tmp_path):
    write_state(tmp_path / "state.json", {"a": 1})
    write_state(tmp_path / "state.json", {"a": 2})
    assert [path.name for path in tmp_path.iterdir()] == ["state.json"]
    assert stat.S_IMODE((tmp_path / "state.json").stat().st_mode) == 0o644


@pytest.mark.parametrize(("number", "code"), [(errno.ENOSPC, "store.full"), (errno.EIO, "output.unwritable")])
def test_a_fault_while_writing_leaves_the_old_state(tmp_path, monkeypatch, number, code):
    path = tmp_path / "state.json"
    write_state(path, {"a": 1})

    def fail(_):
        raise OSError(number, "fault")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(UserError) as caught:
        write_state(path, {"a": 2})
    assert caught.value.code == code
    assert read_state(path) == {"a": 1}
    assert [entry.name for entry in tmp_path.iterdir()] == ["state.json"]


def test_a_folder_that_is_not_there_is_not_writable(tmp_path):
    with pytest.raises(UserError) as caught:
        write_state(tmp_path / "out" / "state.json", {})
    assert caught.value.code == "output.unwritable"


def test_the_next_state_keeps_what_is_not_ours_and_datasets_that_were_not_written():
    previous = {
        "mine": {"a": [1, None]},
        "tablemill": {"later": 1, "datasets": {"old": {"commit": "a", "rows": 1}, "t": {"commit": "b", "rows": 2}}},
    }
    assert next_state(previous, {"t": DatasetState(commit="c", rows=3)}) == {
        "mine": {"a": [1, None]},
        "tablemill": {"later": 1, "datasets": {"old": {"commit": "a", "rows": 1}, "t": {"commit": "c", "rows": 3}}},
    }


@pytest.mark.parametrize("ours", [[], None, 5, "x", {"datasets": []}, {"datasets": 5}])
def test_what_cannot_be_ours_is_replaced(ours):
    found = next_state({"tablemill": ours}, {"t": DatasetState(rows=3)})
    assert found["tablemill"]["datasets"] == {"t": {"rows": 3}}


@given(state=st.dictionaries(texts, values, max_size=4))
def test_no_key_of_others_is_ever_lost(state):
    found = next_state(state, {})
    assert {key: value for key, value in found.items() if key != "tablemill"} == {
        key: value for key, value in state.items() if key != "tablemill"
    }


def test_only_a_state_above_the_guideline_is_warned_of():
    assert size_warning({"a": "x" * 900_000}) is None
    warning = size_warning({"small": 1, "large": "ž" * 600_000})
    assert "1,200," in warning
    assert "'large'" in warning
