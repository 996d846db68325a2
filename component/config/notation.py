"""What a data folder shows before anything in it is read: how its documents are written, and whether it has in/."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal

from component.naming import CONFIG_FILE, CONFIG_YAML_FILE

Notation = Literal["json", "yaml"]
"""How the platform writes config, state and manifests; it is fixed when a component is registered."""


def is_loose(data_dir: Path) -> bool:
    """Say whether a folder is one of files as a person has it: it has no in/."""
    return os.path.isdir(data_dir) and not os.path.lexists(data_dir / "in")  # noqa: PTH112 - as below


def notation_of(data_dir: Path) -> Notation:
    """Return how the platform writes into a data folder: as YAML where there is config.yml and no config.json."""
    # os.path, since a Path raises for a folder that may not be searched
    is_yaml = not os.path.exists(data_dir / CONFIG_FILE) and os.path.exists(data_dir / CONFIG_YAML_FILE)  # noqa: PTH110
    return "yaml" if is_yaml else "json"
