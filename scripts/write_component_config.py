"""Write component_config/ and the icon: `python scripts/write_component_config.py`.

The forms come from the models of `parameters`, the list of actions from the code, the sample from data-sample.
"""

from __future__ import annotations

import json
import sys
import tomllib
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT)]

from component.actions.dispatch import ACTIONS  # noqa: E402 - the checkout's own modules
from scripts.registration import texts  # noqa: E402
from scripts.registration.forms import config_form, row_form  # noqa: E402

TARGET: Final = ROOT / "component_config"
SAMPLE: Final = ROOT / "data-sample"
SAMPLE_TABLE: Final = "airlines.csv"


def files() -> dict[str, bytes]:
    """Return every file of component_config/ by its path there, but the icon."""
    found = {
        "configSchema.json": _json(config_form()),
        "configRowSchema.json": _json(row_form()),
        "configuration_description.md": texts.DESCRIPTION,
        "component_short_description.md": f"{texts.SHORT}\n",
        "component_long_description.md": texts.LONG,
        "uiOptions.md": _json(texts.UI_OPTIONS),
        "logger": f"{texts.LOGGER}\n",
        "loggerConfiguration.json": _json(texts.LOGGER_CONFIGURATION),
        "actions.md": _json(list(ACTIONS)),
        "stack_parameters.json": _json({}),
        **{name: f"{repository()}{path}\n" for name, path in texts.PAGES.items()},
    }
    sample = {f"sample-config/{path}": data for path, data in _sample().items()}
    return {**{name: text.encode() for name, text in found.items()}, **sample}


def repository() -> str:
    """Return the public repository's URL by pyproject.toml, a placeholder where it names none."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return str(project.get("urls", {}).get("Repository", texts.REPOSITORY)).removesuffix("/")


def sample_row() -> dict[str, Any]:
    """Return the parameters of the sample: what the form saves when only a few of its fields are filled in."""
    table = {"source": SAMPLE_TABLE, "format": "auto", "columns": [], "infer_types": False}
    dataset = {
        "uuid": "airlines",
        "tables": [{**table, "delimiter": "", "enclosure": ""}],
        "partition_on": [],
        "secondary_indices": ["carrier"],
        "sort_partitions_by": ["carrier"],
        "mode": "overwrite",
        "key": [],
        "metadata_storage_format": "json",
        "on_bad_row": "fail",
        "on_duplicate_key": "warn",
    }
    output = {"dataset": "airlines", "as": "table", "name": "", "columns": [], "destination": "out.c-sample.airlines"}
    return {
        "datasets": [dataset],
        "outputs": [{**output, "incremental": False, "slices": True, "compression": "gzip"}],
    }


def _sample() -> dict[str, bytes]:
    """Return a data folder for a first run: one small table, and what the two forms save together."""
    tables = SAMPLE / "in" / "tables"
    mapping = {"source": "in.c-nycflights.airlines", "destination": SAMPLE_TABLE}
    store = {"url": "", **dict.fromkeys(("#access_key_id", "#secret_access_key"), "")}
    config = {
        "storage": {"input": {"tables": [mapping]}},
        "parameters": {"store": store, **sample_row()},
        "action": "run",
    }
    return {
        "config.json": _json(config).encode(),
        f"in/tables/{SAMPLE_TABLE}": (tables / SAMPLE_TABLE).read_bytes(),
        f"in/tables/{SAMPLE_TABLE}.manifest": (tables / f"{SAMPLE_TABLE}.manifest").read_bytes(),
        "in/files/.gitkeep": b"",
        "in/state.json": b"{}\n",
        "out/tables/.gitkeep": b"",
        "out/files/.gitkeep": b"",
    }


def _json(value: Any) -> str:
    return json.dumps(value, indent=4, ensure_ascii=False) + "\n"


def write(target: Path) -> None:
    """Write all files; those that are there and are none of them stay."""
    from scripts.registration.icon import icon  # noqa: PLC0415 - Pillow is needed for the icon only

    for name, data in {**files(), "icon.png": icon()}.items():
        path = target / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


if __name__ == "__main__":
    write(TARGET)
