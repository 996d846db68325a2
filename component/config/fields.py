"""The building blocks of the configuration models: strict and lenient objects, names, whole numbers, JSON objects."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Annotated, Any, Final, LiteralString, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetJsonSchemaHandler,
    JsonValue,
    StrictInt,
    ValidationError,
    model_validator,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, InitErrorDetails, PydanticCustomError

from component.config.json_text import Step
from component.naming import UUID_PATTERN

SECRET_MARK: Final = "#"  # noqa: S105 - a mark, not a secret
"""First character of every key whose value is secret (reference keboola 1.2)."""


Fault = tuple[tuple[Step, ...], PydanticCustomError]
"""What is wrong with a model, and the place of it inside the model."""


SEVERAL: Final = "several values"
"""What the input of a fault is that no single value causes, and that no JSON Schema can find."""


def fault(code: LiteralString, text: str, remedy: str = "") -> PydanticCustomError:
    """Return a validation error of one of our codes; `text` continues a sentence that began with the path."""
    return PydanticCustomError(code, "{text}", {"text": text, "remedy": remedy})


def refuse(faults: Iterable[Fault]) -> None:
    """Raise all faults of a model at once, each at its place inside the model; nothing when there are none."""
    details = [InitErrorDetails(type=error, loc=steps, input=SEVERAL) for steps, error in faults]
    if details:
        raise ValidationError.from_exception_data("configuration", details)


def empty_list_as_object(value: Any) -> Any:
    """Return an object for PHP's `[]`: the platform writes empty objects so (reference keboola 1.2)."""
    return {} if isinstance(value, list) and not value else value


def _object_or_empty_list(schema: JsonSchemaValue) -> None:
    schema.update(type=["object", "array"], maxItems=0)


class Lenient(BaseModel):
    """A frozen object of the platform's: keys that are not known here are left alone."""

    model_config = ConfigDict(frozen=True, extra="ignore", hide_input_in_errors=True)

    @model_validator(mode="before")
    @classmethod
    def _from_php(cls, data: Any) -> Any:
        return empty_list_as_object(data)

    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        schema = handler(core_schema)
        written = handler.resolve_ref_schema(schema)
        if "required" not in written:
            _object_or_empty_list(written)
        return schema


class Strict(Lenient):
    """A frozen object of Tablemill's own: every key is known, and described by the text below it."""

    model_config = ConfigDict(extra="forbid")


class ObjectSchema:
    """The JSON Schema of an object that may arrive as PHP's `[]`."""

    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        schema = handler(core_schema)
        _object_or_empty_list(schema)
        return schema


def _integral(value: Any) -> Any:
    """Return the whole number that PHP or a form wrote as 100.0."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _number_as_text(value: Any) -> Any:
    value = _integral(value)
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _different(names: tuple[str, ...]) -> tuple[str, ...]:
    counts = Counter(names)
    for name in names:
        if counts[name] > 1:
            raise fault("config.value", f"names {name!r} twice")
    return names


def _uuid(text: str) -> str:
    if text and all(character.isascii() and (character.isalnum() or character in "+-_") for character in text):
        return text
    raise fault("config.value", f'must consist of letters, digits, "+", "-" and "_", but is {text!r}')


def _one_character(text: str) -> str:
    if len(text) == 1 and text.isascii() and text not in "\r\n\0":
        return text
    raise fault("config.value", f"must be one ASCII character other than a line end, but is {text!r}")


NO_ENCLOSURE: Final = "none"
_TYPED_MARKS: Final = {"\\t": "\t", "tab": "\t", "TAB": "\t"}


def _typed_mark(value: Any) -> Any:
    """Return the tab that people type as a backslash and a t, or as a word."""
    return _TYPED_MARKS.get(value, value) if isinstance(value, str) else value


def _separator(text: str) -> str:
    if text and not set(text) & set("\r\n\0"):
        return text
    raise fault("config.value", f"must be text without a line end, but is {text!r}")


def _enclosure(text: str) -> str:
    return text if text == NO_ENCLOSURE else _one_character(text)


def _one_or_more(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


Name = Annotated[str, Field(min_length=1)]
Names = Annotated[tuple[Name, ...], AfterValidator(_different), Field(json_schema_extra={"uniqueItems": True})]
Uuid = Annotated[str, AfterValidator(_uuid), Field(json_schema_extra={"pattern": f"^{UUID_PATTERN}$"})]
Character = Annotated[
    str,
    BeforeValidator(_typed_mark),
    AfterValidator(_one_character),
    Field(json_schema_extra={"pattern": r"^([\x01-\x09\x0b\x0c\x0e-\x7f]|\\t|tab|TAB)$"}),
]
Delimiter = Annotated[
    str,
    BeforeValidator(_typed_mark),
    AfterValidator(_separator),
    Field(json_schema_extra={"pattern": r"^[^\r\n\x00]+$"}),
]
Enclosure = Annotated[
    str,
    BeforeValidator(_typed_mark),
    AfterValidator(_enclosure),
    Field(json_schema_extra={"pattern": r"^([\x01-\x09\x0b\x0c\x0e-\x7f]|\\t|tab|TAB|none)$"}),
]
Positive = Annotated[StrictInt, Field(gt=0), BeforeValidator(_integral)]
Length = Annotated[str, BeforeValidator(_number_as_text, json_schema_input_type=str | int)]
Formats = Annotated[tuple[Name, ...], BeforeValidator(_one_or_more, json_schema_input_type=Name | list[Name])]
JsonObject = Annotated[dict[str, JsonValue], BeforeValidator(empty_list_as_object), ObjectSchema]
Texts = Annotated[dict[str, str], BeforeValidator(empty_list_as_object), ObjectSchema]
_Value = TypeVar("_Value")
ByName = Annotated[dict[Name, _Value], BeforeValidator(empty_list_as_object), ObjectSchema]
"""An object whose keys are names of the user's, say of columns."""
