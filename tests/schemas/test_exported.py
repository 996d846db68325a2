"""The committed JSON Schemas are those of the models, and every one of them is a schema with words for people."""

from __future__ import annotations

import json

import pytest
from jsonschema import Draft202012Validator

from component.config.schema import document_text
from component.outputs.schemas import MODELS, all_schemas
from tests.schemas.documents import FOLDER

SCHEMAS = all_schemas()


@pytest.mark.parametrize("name", SCHEMAS)
def test_the_committed_schema_is_the_models(name):
    text = (FOLDER / name).read_text(encoding="utf-8")
    assert text == document_text(SCHEMAS[name]), "run: python -m component.outputs.schemas schemas"


def test_no_other_schemas_are_there():
    assert {path.name for path in FOLDER.iterdir()} == set(SCHEMAS)


@pytest.mark.parametrize("name", SCHEMAS)
def test_it_is_a_schema_with_a_title_and_a_description(name):
    Draft202012Validator.check_schema(SCHEMAS[name])
    assert SCHEMAS[name]["title"]
    assert SCHEMAS[name]["description"]


@pytest.mark.parametrize("name", [f"{name}.schema.json" for name in MODELS])
def test_every_key_of_a_document_is_described(name):
    schema = SCHEMAS[name]
    for part in [schema, *schema.get("$defs", {}).values()]:
        for key, facts in part.get("properties", {}).items():
            referred = schema["$defs"][facts["$ref"].rsplit("/", 1)[1]] if "$ref" in facts else {}
            assert facts.get("description") or referred.get("description"), key


def test_writing_makes_the_folder(tmp_path):
    from component.config.schema import write_documents

    write_documents(tmp_path / "new", SCHEMAS)
    written = {path.name: json.loads(path.read_text(encoding="utf-8")) for path in (tmp_path / "new").iterdir()}
    assert written == SCHEMAS
