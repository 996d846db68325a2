import json

import pytest
from pydantic import ValidationError

from component.errors import UserError
from component.folder.result import result_of, write_result


def test_variables_are_an_object_with_plain_values(tmp_path):
    variables = {"rows": 5, "share": 0.5, "name": "ž", "done": True, "nothing": None}
    write_result(tmp_path / "result.json", result_of(variables))
    assert json.loads((tmp_path / "result.json").read_bytes()) == {"variables": variables}
    assert [path.name for path in tmp_path.iterdir()] == ["result.json"]


def test_no_variables_are_an_empty_object(tmp_path):
    write_result(tmp_path / "result.json", result_of({}))
    assert json.loads((tmp_path / "result.json").read_bytes()) == {"variables": {}}


@pytest.mark.parametrize("variables", [{"a": []}, {"a": {}}, {"": 1}])
def test_what_the_platform_would_ignore_is_never_made(variables):
    with pytest.raises(ValidationError):
        result_of(variables)


def test_a_folder_that_is_not_there_is_not_writable(tmp_path):
    with pytest.raises(UserError) as caught:
        write_result(tmp_path / "out" / "result.json", result_of({}))
    assert caught.value.code == "output.unwritable"
