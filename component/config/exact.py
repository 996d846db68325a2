"""Objects of the platform's that we write: every key is known, and no value is ever null (reference keboola 10.2.4)."""

from __future__ import annotations

from typing import Annotated, Any, Final

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    GetJsonSchemaHandler,
    StrictBool,
    StrictFloat,
    StrictInt,
    StrictStr,
    model_validator,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from component.config.fields import fault
from component.config.json_text import describe

_NULL: Final = {"type": "null"}


def _scalar(value: Any) -> Any:
    if isinstance(value, str | int | float):
        return value
    raise fault("config.type", f"must be a text, a number, true or false, but is {describe(value)}")


Scalar = Annotated[StrictStr | StrictInt | StrictFloat | StrictBool, BeforeValidator(_scalar)]


class Exact(BaseModel):
    """A frozen object of which exactly what is set is written.

    The platform reads a null as true for switches and passes it on for texts, so a null is refused, here and by the
    JSON Schema; None in a field says that the key is not there. The texts under the fields are the descriptions in the
    JSON Schema.
    """

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        hide_input_in_errors=True,
        validate_by_name=True,
        validate_by_alias=True,
    )

    @model_validator(mode="before")
    @classmethod
    def _no_nulls(cls, data: Any) -> Any:
        for key, value in data.items() if isinstance(data, dict) else ():
            if value is None:
                raise fault("config.type", f"must not say null: leave {key!r} out")
        return data

    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        schema = handler(core_schema)
        for facts in handler.resolve_ref_schema(schema).get("properties", {}).values():
            if facts.get("default", facts) is None:
                del facts["default"]
                _forbid_null(facts)
        return schema

    def content(self) -> dict[str, Any]:
        """Return the object as JSON values, in the order of the model, without what is not set."""
        return self.model_dump(mode="json", by_alias=True, exclude_none=True, exclude_unset=True)


def _forbid_null(facts: dict[str, Any]) -> None:
    kinds = [kind for kind in facts.pop("anyOf", ()) if kind != _NULL]
    if len(kinds) == 1:
        facts.update(kinds[0] | facts)
    elif kinds:
        facts["anyOf"] = kinds
