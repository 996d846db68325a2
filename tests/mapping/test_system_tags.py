from __future__ import annotations

from component.mapping.platform.model import Settings
from component.mapping.rules.system_tags import system_tags


def test_what_is_known_becomes_a_tag_in_the_order_of_the_platform():
    settings = Settings(branch="7", config_row_id="3", config_id="12", component_id="foo")
    assert system_tags(settings, run_id="9") == [
        "componentId: foo",
        "configurationId: 12",
        "configurationRowId: 3",
        "branchId: 7",
        "runId: 9",
    ]


def test_what_is_not_known_gives_none():
    assert system_tags(Settings()) == []
    assert system_tags(Settings(config_id="")) == ["configurationId: "]
