"""config.json, state, usage and result: what the platform and we write fits, what the platform refuses does not."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from component.folder.result import result_of, write_result
from component.folder.state import DatasetState, next_state
from component.folder.usage import usage_of, write_usage
from tests.schemas.documents import validator

ROOT = Path(__file__).parents[2]
CONFIG = validator("config")
STATE = validator("state")
USAGE = validator("usage")
RESULT = validator("result")
WHOLE = {
    "storage": {
        "input": {
            "tables": [
                {
                    "source": "in.c-x.t",
                    "destination": "t.csv",
                    "columns": [],
                    "where_column": "a",
                    "where_values": ["1"],
                    "where_operator": "eq",
                    "changed_since": "adaptive",
                    "a_key_of_tomorrow": 1,
                }
            ],
            "files": [{"source": {"tags": [{"name": "x", "match": "include"}]}, "limit": 10}],
            "read_only_storage_access": False,
        },
        "output": {
            "tables": [{"source": "t", "destination": "out.c-x.t", "primary_key": []}],
            "files": [],
            "default_bucket": "out.c-main",
            "data_type_support": "hints",
            "table_modifications": "none",
            "treat_values_as_null": [""],
        },
    },
    "parameters": {"outputs": [{"dataset": "t", "write_always": True}], "manifest_family": "schema"},
    "image_parameters": [],
    "authorization": {"oauth_api": {"id": "x", "credentials": {"#data": "{}", "oauthVersion": "2.0"}}},
    "action": "run",
    "shared_code_row_ids": [],
    "variables_id": "1",
    "a_section_of_tomorrow": {"x": [1]},
}


def test_a_whole_config_fits():
    CONFIG.validate(WHOLE)


@pytest.mark.parametrize(
    "empty", [{}, {"parameters": []}, {"storage": [], "authorization": [], "image_parameters": {}}]
)
def test_what_is_empty_fits(empty):
    CONFIG.validate(empty)


def test_the_configurations_of_the_sample_and_of_the_readme_fit():
    CONFIG.validate(json.loads((ROOT / "data-sample" / "config.json").read_text(encoding="utf-8")))
    example = re.search(r"```json\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    CONFIG.validate(json.loads(example[1]))


@pytest.mark.parametrize(
    "bad",
    [
        {"parameters": {"unknown": 1}},
        {"parameters": {"outputs": [{"dataset": "t", "incremental": None}]}},
        {"parameters": {"outputs": [{"dataset": "t", "delete_where": [{}]}]}},
        {"parameters": {"outputs": [{"dataset": "t", "delete_where": [{"changed_since": None}]}]}},
        {"parameters": {"manifest_family": "modern"}},
        {"storage": {"output": {"data_type_support": "maybe"}}},
        {"storage": {"input": {"tables": "t"}}},
    ],
)
def test_bad_configurations_do_not_fit(bad):
    assert not CONFIG.is_valid(bad)


@pytest.mark.parametrize("good", [{}, [], {"mine": [1, None]}, {"tablemill": []}, {"tablemill": {"datasets": []}}])
def test_states_fit(good):
    STATE.validate(good)


def test_what_we_write_as_state_fits():
    STATE.validate(next_state({"mine": None}, {"t": DatasetState(commit="c", rows=3), "u": DatasetState(rows=0)}))


@pytest.mark.parametrize("bad", [5, [1], {"tablemill": {"datasets": {"t": {"rows": -1}}}}, {"tablemill": 5}])
def test_bad_states_do_not_fit(bad):
    assert not STATE.is_valid(bad)


def test_what_we_write_as_usage_and_result_fits(tmp_path):
    write_usage(tmp_path / "usage.json", usage_of({"rows_read": 5, "bytes_read": 2**60}))
    USAGE.validate(json.loads((tmp_path / "usage.json").read_bytes()))
    write_result(tmp_path / "result.json", result_of({"rows": 5, "name": "x", "part": 0.5, "done": True, "none": None}))
    RESULT.validate(json.loads((tmp_path / "result.json").read_bytes()))


@pytest.mark.parametrize(
    "bad",
    [
        {},
        [{"metric": "a"}],
        [{"metric": "", "value": 1}],
        [{"metric": "a", "value": "1"}],
        [{"metric": "a", "value": None}],
        [{"metric": "a", "value": 1.5}],
        [{"metric": "a", "value": 1, "unit": "row"}],
    ],
)
def test_bad_usages_do_not_fit(bad):
    assert not USAGE.is_valid(bad)


@pytest.mark.parametrize("good", [{}, {"variables": {}}, {"variables": []}, {"variables": {"a": None}}])
def test_results_fit(good):
    RESULT.validate(good)


@pytest.mark.parametrize("bad", [[], {"variables": {"a": []}}, {"variables": {}, "message": "x"}, {"variables": None}])
def test_bad_results_do_not_fit(bad):
    assert not RESULT.is_valid(bad)
