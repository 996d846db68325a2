from __future__ import annotations

import json
from pathlib import Path

from hypothesis import given, settings
from jsonschema import Draft202012Validator
from pydantic import ValidationError

from component.config.fields import SEVERAL
from component.config.parameters import Parameters
from component.config.schema import PARAMETERS_FILE, parameters_schema, schema_text, write_schemas
from component.errors import CODES
from tests.strategies import parameters as strategies
from tests.strategies.json_values import changed

SCHEMAS = Path(__file__).parents[2] / "schemas"
VALIDATOR = Draft202012Validator(parameters_schema())


def is_accepted_value_by_value(document) -> bool:
    """Whether the model accepts a document, rules between values aside: JSON Schema cannot say them."""
    try:
        Parameters.model_validate(document)
    except ValidationError as error:
        return all(detail["input"] == SEVERAL and detail["type"] in CODES for detail in error.errors())
    return True


def test_the_committed_schema_is_the_models():
    assert (SCHEMAS / PARAMETERS_FILE).read_text(encoding="utf-8") == schema_text(), (
        "run: python -m component.config.schema schemas"
    )


def test_writing_makes_the_folder(tmp_path):
    write_schemas(tmp_path / "new")
    assert json.loads((tmp_path / "new" / PARAMETERS_FILE).read_text(encoding="utf-8")) == parameters_schema()


def test_the_schema_is_a_schema():
    Draft202012Validator.check_schema(parameters_schema())


@given(document=strategies.parameters)
def test_the_schema_accepts_what_the_models_accept(document):
    VALIDATOR.validate(document)


@settings(max_examples=300)
@given(document=changed(strategies.parameters, strategies.KEYS))
def test_the_schema_and_the_models_agree_on_changed_documents(document):
    assert VALIDATOR.is_valid(document) == is_accepted_value_by_value(document)


def test_every_key_of_parameters_is_described():
    schema = parameters_schema()
    models = {"Parameters": schema, **schema["$defs"]}
    silent = [
        f"{name}.{key}"
        for name, model in models.items()
        for key, stated in model.get("properties", {}).items()
        if not stated.get("description", "").endswith(".")
    ]
    assert silent == []
