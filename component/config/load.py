"""config.json or config.yml from the data folder to a Config."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

from component.config.blanks import without_blanks
from component.config.fields import empty_list_as_object
from component.config.forgiving import document_warnings, validated
from component.config.json_text import JsonFaultError, parse_json, read_document_file
from component.config.migrate import migrated
from component.config.model import Config
from component.config.secrets import secrets_in
from component.errors import UserError
from component.naming import CONFIG_FILE, CONFIG_YAML_FILE

INPUT_FOLDERS: Final = ("in/tables", "in/files")
NOT_CONFIGURED: Final = f"There is no {CONFIG_FILE}: every input becomes a dataset and comes back as an output."

Notation = Literal["json", "yaml"]
"""How the platform writes config, state and manifests; it is fixed when a component is registered."""


@dataclass(frozen=True, slots=True)
class Document:
    """A configuration as it was written: a JSON value, and how it was found."""

    value: Any = field(repr=False)
    notation: Notation
    warnings: tuple[str, ...] = ()


def load_config(data_dir: Path, *, hide: Callable[[Iterable[str]], None] | None = None) -> Config:
    """Return the configuration of a data folder; `hide` is given its secrets before anything is said about it.

    UserError `config.missing`, `config.syntax`, and for what is in it `config.unknown_key`, `config.missing_key`,
    `config.type`, `config.value` or `config.duplicate_output`: one sentence with the path of the first problem.
    """
    document = read_document(data_dir)
    if hide is not None:
        hide(secrets_in(document.value))
    found = parse_config(document.value)
    return found.about(found.secrets, (*document.warnings, *found.warnings))


def parse_config(document: Any) -> Config:
    """Return the configuration that a JSON value holds; the UserErrors of `load_config` for what is in it."""
    current, changed = migrated(empty_list_as_object(document))
    found, warnings = validated(without_blanks(current))
    return found.about(secrets_in(document), (*document_warnings(document), *changed, *warnings))


def notation_of(data_dir: Path) -> Notation:
    """Return how the platform writes into a data folder: as YAML where there is config.yml and no config.json."""
    # os.path, since a Path raises for a folder that may not be searched
    is_yaml = not os.path.exists(data_dir / CONFIG_FILE) and os.path.exists(data_dir / CONFIG_YAML_FILE)  # noqa: PTH110
    return "yaml" if is_yaml else "json"


def read_document(data_dir: Path) -> Document:
    """Read what was written; without a file, a folder that has inputs is one that nothing is configured for.

    UserError `config.missing` where there are no inputs either, or `config.syntax`.
    """
    notation = notation_of(data_dir)
    path = data_dir / (CONFIG_FILE if notation == "json" else CONFIG_YAML_FILE)
    try:
        value = parse_text(read_document_file(path), notation)
    except (FileNotFoundError, NotADirectoryError):
        if any(os.path.isdir(data_dir / folder) for folder in INPUT_FOLDERS):  # noqa: PTH112 - as above
            return Document({}, notation, (NOT_CONFIGURED,))
        raise UserError(
            "config.missing",
            f"There is no {CONFIG_FILE} in the data folder {str(data_dir)!r}",
            remedy='Put one there (an empty object "{}" will do), or set KBC_DATADIR to the folder that has one.',
        ) from None
    except OSError as error:
        raise UserError("config.syntax", f"{path} cannot be read: {error.strerror}") from error
    except JsonFaultError as error:
        raise UserError("config.syntax", f"{path} {error}") from None
    both = notation == "json" and (data_dir / CONFIG_YAML_FILE).exists()
    warning = f"There are both {CONFIG_FILE} and {CONFIG_YAML_FILE}; {CONFIG_FILE} is read, the other one is not."
    return Document(value, notation, (warning,) if both else ())


def parse_text(data: bytes, notation: Notation) -> Any:
    """Return the JSON value of a text in a notation; JsonFaultError for what has none, or more than one.

    YAML includes JSON, so a file that a processor wrote as JSON is read in both.
    """
    if notation == "json":
        return parse_json(data)
    from component.config.yaml_text import parse_yaml  # noqa: PLC0415 # hardly anybody needs the parser

    return parse_yaml(data)
