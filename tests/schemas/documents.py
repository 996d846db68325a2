"""The committed JSON Schemas, ready to validate."""

from __future__ import annotations

import json
from pathlib import Path

from jsonschema import Draft202012Validator

FOLDER = Path(__file__).parents[2] / "schemas"


def validator(name: str) -> Draft202012Validator:
    return Draft202012Validator(json.loads((FOLDER / f"{name}.schema.json").read_text(encoding="utf-8")))
