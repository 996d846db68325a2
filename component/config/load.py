"""config.json or config.yml from the data folder to a Config."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from component.config.blanks import without_blanks
from component.config.fields import empty_list_as_object
from component.config.forgiving import document_warnings, problems_in, validated
from component.config.json_text import JsonFaultError, parse_json, read_document_file
from component.config.migrate import migrated
from component.config.model import Config, StoreConfig
from component.config.notation import Notation, is_loose, notation_of
from component.config.parameters import Parameters
from component.config.problems import Problem
from component.config.secrets import secrets_in
from component.errors import UserError
from component.naming import CONFIG_FILE, CONFIG_YAML_FILE, MOST_CONFIGURED, absolute_url

LOOSE_STORE: Final = "out/datasets"
"""Where the datasets of a loose folder live when nothing is configured: as folders that can be queried."""
NOT_CONFIGURED: Final = f"There is no {CONFIG_FILE}: every input becomes a dataset and comes back as an output."


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
    found = placed(parse_config(document.value), data_dir)
    return found.about(found.secrets, (*document.warnings, *found.warnings))


def placed(config: Config, data_dir: Path) -> Config:
    """Return a configuration whose store is absolute: a relative path is one below the data folder.

    A loose folder has a store of its own where none is configured.
    """
    parameters = config.parameters
    if parameters.store is not None:
        url = absolute_url(parameters.store.url, data_dir)
        store = parameters.store.model_copy(update={"url": url})
    elif is_loose(data_dir):
        store = StoreConfig(url=str(data_dir / LOOSE_STORE))
    else:
        return config
    return config.model_copy(update={"parameters": parameters.model_copy(update={"store": store})})


def problems_of_document(document: Any) -> list[Problem]:
    """Return all that is wrong with a configuration, read as `parse_config` reads it; unknown keys first."""
    return problems_in(_current(document)[0])


def _current(document: Any) -> tuple[Any, tuple[str, ...]]:
    _hold_few(document)
    current, changed = migrated(empty_list_as_object(document))
    return without_blanks(current), changed


def parse_config(document: Any) -> Config:
    """Return the configuration that a JSON value holds; the UserErrors of `load_config` for what is in it."""
    current, changed = _current(document)
    found, warnings = validated(current)
    return found.about(secrets_in(document), (*document_warnings(document), *changed, *warnings))


def _hold_few(document: Any) -> None:
    """Refuse more datasets or outputs than a run can plan in seconds, before anything is made of them."""
    parameters = document.get("parameters") if isinstance(document, dict) else None
    for key in ("datasets", "outputs") if isinstance(parameters, dict) else ():
        given = parameters.get(key) if isinstance(parameters, dict) else None
        if isinstance(given, list) and len(given) > MOST_CONFIGURED:
            raise UserError(
                "config.value",
                f"parameters.{key} has {len(given):,} entries, and a configuration takes {MOST_CONFIGURED:,} at most",
                remedy="Split it into several configurations or rows.",
            )


def is_ours(document: Any) -> bool:
    """Whether a configuration may be one of Tablemill's: its parameters are empty, or one of their keys is known."""
    parameters = document.get("parameters") if isinstance(document, dict) else None
    return not parameters or (
        isinstance(parameters, dict) and not Parameters.model_fields.keys().isdisjoint(parameters)
    )


def read_document(data_dir: Path) -> Document:
    """Read what was written; without a file, a folder that has inputs is one that nothing is configured for.

    UserError `config.missing` where there are no inputs either, or `config.syntax`.
    """
    notation = notation_of(data_dir)
    path = data_dir / (CONFIG_FILE if notation == "json" else CONFIG_YAML_FILE)
    try:
        value = parse_text(read_document_file(path), notation)
    except (FileNotFoundError, NotADirectoryError):
        if has_inputs(data_dir):
            return Document({}, notation, (NOT_CONFIGURED,))
        raise _nothing_there(data_dir) from None
    except OSError as error:
        raise UserError("config.syntax", f"{path} cannot be read: {error.strerror}") from error
    except JsonFaultError as error:
        raise UserError("config.syntax", f"{path} {error}") from None
    both = notation == "json" and (data_dir / CONFIG_YAML_FILE).exists()
    warning = f"There are both {CONFIG_FILE} and {CONFIG_YAML_FILE}; {CONFIG_FILE} is read, the other one is not."
    return Document(value, notation, (warning,) if both else ())


def has_inputs(data_dir: Path) -> bool:
    """Say whether a folder without a configuration may be run: it has in/, or files lie in it."""
    if is_loose(data_dir):
        return any(not name.startswith(".") and name != "out" for name in os.listdir(data_dir))  # noqa: PTH208 - as below
    return any(os.path.isdir(data_dir / folder) for folder in ("in/tables", "in/files"))  # noqa: PTH112 - as above


def _nothing_there(data_dir: Path) -> UserError:
    if not os.path.isdir(data_dir):  # noqa: PTH112 - as above
        return UserError(
            "config.missing",
            f"There is no data folder {str(data_dir)!r}",
            remedy="Name another: tablemill run FOLDER, or KBC_DATADIR.",
        )
    return UserError(
        "config.missing",
        f"There is no {CONFIG_FILE} in the data folder {str(data_dir)!r}, and no files to read",
        remedy='Put one there (an empty object "{}" will do), or files to read, or set KBC_DATADIR to another folder.',
    )


def parse_text(data: bytes, notation: Notation) -> Any:
    """Return the JSON value of a text in a notation; JsonFaultError for what has none, or more than one.

    YAML includes JSON, so a file that a processor wrote as JSON is read in both.
    """
    if notation == "json":
        return parse_json(data)
    from component.config.yaml_text import parse_yaml  # noqa: PLC0415 # hardly anybody needs the parser

    return parse_yaml(data)
