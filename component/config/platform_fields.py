"""The building blocks of what the platform writes: nulls count as not there, lists and objects as PHP writes them."""

from __future__ import annotations

from typing import Annotated, Any, TypeVar

from pydantic import BeforeValidator, GetJsonSchemaHandler, model_validator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from component.config.fields import Lenient, ObjectSchema, empty_list_as_object

_Item = TypeVar("_Item")


class Platform(Lenient):
    """A frozen object of the platform's: keys that are not known are left alone, and null means not there."""

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, data: Any) -> Any:
        return {key: value for key, value in data.items() if value is not None} if isinstance(data, dict) else data

    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        schema = super().__get_pydantic_json_schema__(core_schema, handler)
        written = handler.resolve_ref_schema(schema)
        properties, required = written.get("properties", {}), written.get("required", ())
        properties.update({name: _or_null(inner) for name, inner in properties.items() if name not in required})
        return schema


def _or_null(schema: JsonSchemaValue) -> JsonSchemaValue:
    choices = schema.get("anyOf", [])
    if {"type": "null"} in choices:
        return schema
    apart = ("default", "description")
    inner = {key: value for key, value in schema.items() if key not in apart}
    return {key: value for key, value in schema.items() if key in apart} | {"anyOf": [inner, {"type": "null"}]}


class _ListSchema:
    """The JSON Schema of a list that may arrive as an object of numbered values."""

    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        schema = handler(core_schema)
        numbered = {"type": "object", "patternProperties": {"^[0-9]+$": schema["items"]}, "additionalProperties": False}
        return {"anyOf": [schema, numbered]}


def numbered_as_list(value: Any) -> Any:
    """Return the list for an object whose keys are numbers: PHP writes a list with gaps so."""
    if isinstance(value, dict) and all(isinstance(key, str) and key.isdecimal() for key in value):
        return list(value.values())
    return value


def number_as_text(value: Any) -> Any:
    """Return the text for a number: PHP turns texts that look like numbers into numbers."""
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


Text = Annotated[str, BeforeValidator(number_as_text, json_schema_input_type=str | float)]
PhpList = Annotated[tuple[_Item, ...], BeforeValidator(numbered_as_list), _ListSchema]
AnyObject = Annotated[dict[str, Any], BeforeValidator(empty_list_as_object), ObjectSchema]
