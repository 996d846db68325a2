import json

import pytest
from pydantic import ValidationError

from component.errors import UserError
from component.folder.usage import usage_of, write_usage


def test_metrics_are_a_list_in_their_order(tmp_path):
    write_usage(tmp_path / "usage.json", usage_of({"rows_read": 5, "bytes_read": 0}))
    assert json.loads((tmp_path / "usage.json").read_bytes()) == [
        {"metric": "rows_read", "value": 5},
        {"metric": "bytes_read", "value": 0},
    ]
    assert [path.name for path in tmp_path.iterdir()] == ["usage.json"]


@pytest.mark.parametrize("metrics", [{"": 1}, {"a": 1.5}, {"a": -1}, {"a": True}, {"a": None}, {"a": "1"}])
def test_what_the_platform_would_refuse_is_never_made(metrics):
    with pytest.raises(ValidationError):
        usage_of(metrics)


def test_a_folder_that_is_not_there_is_not_writable(tmp_path):
    with pytest.raises(UserError) as caught:
        write_usage(tmp_path / "out" / "usage.json", usage_of({"a": 1}))
    assert caught.value.code == "output.unwritable"
