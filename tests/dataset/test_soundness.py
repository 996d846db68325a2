from dataclasses import replace

import pytest

from component.dataset.format.header import Header
from component.dataset.format.soundness import DamagedError, content_of, hold_sound, vouched

EXTRAS = {"columns": [["a", "int64"]], "facts": {"name": "n", "rows": {}}, "attributes": {"a": {}}}


def header(extras, **metadata):
    return Header("u", {"l": {"table": "u/table/l.parquet"}}, metadata={**metadata, "tablemill": extras})


def test_extras_from_which_other_clients_left_out_what_says_nothing_are_sound():
    """plateau and kartothek leave out empty objects, at any depth, with every commit."""
    ours = vouched(header(EXTRAS, note={"nothing": {}}))
    theirs = {key: value for key, value in ours.items() if key != "attributes"}
    theirs["facts"] = {"name": "n"}
    hold_sound(header(ours))
    hold_sound(header(theirs))
    assert content_of(header(ours, note={"nothing": {}})) == content_of(header(theirs))


@pytest.mark.parametrize("changed", [{"facts": {"name": "m"}}, {"columns": []}, {"more": {"a": 1}}, {"more": []}])
def test_any_other_change_of_the_extras_is_damage(changed):
    ours = vouched(header(EXTRAS))
    with pytest.raises(DamagedError):
        hold_sound(replace(header(ours), metadata={"tablemill": {**ours, **changed}}))
