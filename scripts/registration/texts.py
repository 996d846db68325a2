"""The texts of the registration, each a file of component_config/."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

SHORT: Final = (
    "Partitioned, indexed datasets in the open Kartothek format, made from tables and files, and tables made from them."
)

LONG: Final = """\
Tablemill turns tables and files into datasets: typed Parquet files, partitioned and indexed, with one header that
makes every change one atomic act. Datasets are in the Kartothek format, which plateau and kartothek read and write.

- Tables are read whole or sliced, typed by their manifests, by the configuration, or by what is in them.
- Each dataset can be overwritten or appended to; a row that does not fit fails the run, or goes to a table of its own.
- Outputs are tables or files: chosen columns, rows that fulfil conditions, found by partition and by index.
- Where each output will land is known before the run begins.
- Memory does not depend on the size of the data.
"""

DESCRIPTION: Final = """\
### Store

A store is a directory that outlives a run. Without one, each run takes its datasets from files tagged
`tablemill-dataset`, which you map to the input, and writes them there again. Buckets are not supported yet.

### Rows

Each row makes one dataset and writes its outputs. Rows run one after another, each on its own.

#### Before the first run

*Load columns* knows what the input mapping selects and what is in the store; column names can be typed in as well.

#### As JSON

Conditions (`predicates`), metadata, and the options of Storage are written in the JSON of a row.
"""

UI_OPTIONS: Final = [
    "genericDockerUI",
    "genericDockerUI-tableInput",
    "genericDockerUI-fileInput",
    "genericDockerUI-processors",
    "appInfo.beta",
]
"""No table output: Tablemill names its destinations itself, and the mapping would wipe the keys of its manifests."""

LOGGER: Final = "gelf"
LOGGER_CONFIGURATION: Final = {
    "verbosity": {
        "100": "normal",
        "200": "normal",
        "250": "normal",
        "300": "verbose",
        "400": "verbose",
        "500": "camouflage",
        "550": "camouflage",
        "600": "camouflage",
    },
    "gelf_server_type": "tcp",
}

REPOSITORY: Final = "https://github.com/OWNER/tablemill"
"""Stands for the public repository until pyproject.toml names it under [project.urls] as Repository."""
PAGES: Final[Mapping[str, str]] = {
    "documentationUrl.md": "/blob/main/README.md",
    "licenseUrl.md": "/blob/main/LICENSE.md",
    "sourceCodeUrl.md": "",
}
