"""config.json from the data folder to a Config."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import ValidationError

from component.config.fields import empty_list_as_object
from component.config.json_text import JsonFaultError, read_json
from component.config.model import Config
from component.config.problems import user_error
from component.errors import UserError
from component.naming import CONFIG_FILE


def load_config(data_dir: Path) -> Config:
    """Return the configuration of a data folder.

    UserError `config.missing`, `config.syntax`, and for what is in it `config.unknown_key`, `config.missing_key`,
    `config.type`, `config.value` or `config.duplicate_output`: one sentence with the path of the first problem.
    """
    return parse_config(_document(data_dir))


def parse_config(document: Any) -> Config:
    """Return the configuration that a JSON value holds; the UserErrors of `load_config` for what is in it."""
    try:
        return Config.model_validate(document)
    except ValidationError as error:
        found = user_error(error, Config, empty_list_as_object(document))
    raise found  # outside the handler, so that no traceback carries the values pydantic saw


def _document(data_dir: Path) -> Any:
    path = data_dir / CONFIG_FILE
    try:
        return read_json(path)
    except (FileNotFoundError, NotADirectoryError):
        raise UserError(
            "config.missing",
            f"There is no {CONFIG_FILE} in the data folder {str(data_dir)!r}",
            remedy='Put one there (an empty object "{}" will do), or set KBC_DATADIR to the folder that has one.',
        ) from None
    except OSError as error:
        raise UserError("config.syntax", f"{path} cannot be read: {error.strerror}") from error
    except JsonFaultError as error:
        raise UserError("config.syntax", f"{path} {error}") from None
