"""The JSON Schemas of the configuration, exported from the models: `python -m component.config.schema schemas`.

`component.outputs.schemas` writes these and all the others.
"""

from __future__ import annotations

import ast
import inspect
import json
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core.core_schema import ModelSchema

from component.config.model import Config
from component.config.parameters import Parameters

PARAMETERS_FILE: Final = "parameters.schema.json"
CONFIG_FILE: Final = "config.schema.json"


class _Described(GenerateJsonSchema):
    """Describes each key by the text below its field, and leaves out titles, which would repeat the keys.

    Pydantic could read these texts itself (`use_attribute_docstrings`), but would do so at every start, which takes up
    to a tenth of a second.
    """

    def model_schema(self, schema: ModelSchema) -> JsonSchemaValue:
        written = super().model_schema(schema)
        fields, texts = schema["cls"].model_fields, dict(_texts(schema["cls"]))
        for name in fields.keys() & texts.keys():
            key = fields[name].alias or name
            if key in written.get("properties", {}):
                written["properties"][key].setdefault("description", texts[name])
        return written

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002 - the base class's signature
        return False


def _texts(model: type[BaseModel]) -> Iterator[tuple[str, str]]:
    """Yield the fields of a model and of those that it extends with the texts below them."""
    ours = (one for one in reversed(model.__mro__) if one.__module__.startswith("component."))
    for one in ours:
        if "[" in one.__name__:
            continue  # a generic model with its types has no source of its own
        found = ast.parse(textwrap.dedent(inspect.getsource(one))).body[0]
        assert isinstance(found, ast.ClassDef)  # noqa: S101 - the source of a class
        for field, below in pairwise(found.body):
            match field, below:
                case ast.AnnAssign(target=ast.Name(name)), ast.Expr(value=ast.Constant(value=str(text))):
                    yield name, inspect.cleandoc(text)


def model_schema(model: type[BaseModel]) -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of a model.

    It accepts what the model accepts, but for rules between values (names that repeat, options that contradict each
    other), which JSON Schema cannot say.
    """
    schema = model.model_json_schema(schema_generator=_Described)
    for part in (schema, *schema.get("$defs", {}).values()):
        for stated in part.get("properties", {}).values():
            if "description" in stated:
                stated["description"] = " ".join(stated["description"].split())
    return {"$schema": GenerateJsonSchema.schema_dialect, **schema}


def parameters_schema() -> dict[str, Any]:
    """Return the JSON Schema of `parameters`."""
    return {**model_schema(Parameters), "title": "Tablemill parameters"}


def config_schema() -> dict[str, Any]:
    """Return the JSON Schema of a whole config.json: strict below `parameters`, tolerant elsewhere."""
    return {**model_schema(Config), "title": "Tablemill config.json"}


CONFIG_SCHEMAS: Final[Mapping[str, Callable[[], dict[str, Any]]]] = {
    PARAMETERS_FILE: parameters_schema,
    CONFIG_FILE: config_schema,
}


def document_text(schema: Mapping[str, Any]) -> str:
    """Return the text of a schema's file."""
    return json.dumps(schema, indent=2, sort_keys=False) + "\n"


def schema_text() -> str:
    """Return the text of the file of `parameters`."""
    return document_text(parameters_schema())


def write_documents(folder: Path, schemas: Mapping[str, Mapping[str, Any]]) -> None:
    """Write schemas into a folder, by the names of their files."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, schema in schemas.items():
        (folder / name).write_text(document_text(schema), encoding="utf-8")


def write_schemas(folder: Path) -> None:
    """Write every schema of the configuration into a folder."""
    write_documents(folder, {name: build() for name, build in CONFIG_SCHEMAS.items()})


if __name__ == "__main__":
    write_schemas(Path(sys.argv[1]))
