"""The published JSON Schema of records schemas."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from jsonschema import Draft7Validator


@cache
def published() -> Draft7Validator:
    """Return what checks a schema file."""
    path = Path(__file__).parents[1] / "data" / "records" / "schema_v1.json"
    return Draft7Validator(json.loads(path.read_text(encoding="utf-8")))
