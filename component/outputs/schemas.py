"""The JSON Schemas of all documents that pass between the platform and Tablemill, exported from the models.

`python -m component.outputs.schemas schemas` writes them.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel

from component.config.schema import CONFIG_SCHEMAS, model_schema, write_documents
from component.folder.input_models import InputFileManifest, InputTableManifest
from component.folder.result import Result
from component.folder.state import State
from component.folder.usage import Usage
from component.outputs.models import FileManifest, LegacyTableManifest, SchemaTableManifest

MODELS: Final[Mapping[str, type[BaseModel]]] = {
    "input-table-manifest": InputTableManifest,
    "input-file-manifest": InputFileManifest,
    "output-table-manifest-legacy": LegacyTableManifest,
    "output-table-manifest-schema": SchemaTableManifest,
    "output-file-manifest": FileManifest,
    "state": State,
    "usage": Usage,
    "result": Result,
}


def all_schemas() -> dict[str, dict[str, Any]]:
    """Return every JSON Schema (2020-12) by the name of its file."""
    ours = {f"{name}.schema.json": model_schema(model) for name, model in MODELS.items()}
    return {**{name: build() for name, build in CONFIG_SCHEMAS.items()}, **ours}


if __name__ == "__main__":
    write_documents(Path(sys.argv[1]), all_schemas())
