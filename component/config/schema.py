"""The JSON Schemas of the configuration, exported from the models: `python -m component.config.schema schemas`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, Final

from pydantic.json_schema import GenerateJsonSchema

from component.config.parameters import Parameters

PARAMETERS_FILE: Final = "parameters.schema.json"


class _WithoutFieldTitles(GenerateJsonSchema):
    """Field titles would repeat the keys."""

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002 - the base class's signature
        return False


def parameters_schema() -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of `parameters`.

    It accepts what the model accepts, but for rules between values (names that repeat, options that contradict each
    other), which JSON Schema cannot say.
    """
    schema = Parameters.model_json_schema(schema_generator=_WithoutFieldTitles)
    return {"$schema": GenerateJsonSchema.schema_dialect, **schema, "title": "Tablemill parameters"}


def schema_text() -> str:
    """Return the text of the schema's file."""
    return json.dumps(parameters_schema(), indent=2, sort_keys=False) + "\n"


def write_schemas(folder: Path) -> None:
    """Write every schema of the configuration into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / PARAMETERS_FILE).write_text(schema_text(), encoding="utf-8")


if __name__ == "__main__":
    write_schemas(Path(sys.argv[1]))
