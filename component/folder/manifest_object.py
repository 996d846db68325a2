"""One JSON object of a manifest, read leniently by key: nulls, PHP's `[]` for `{}`, numbers for texts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from component.config.json_text import JsonFaultError, Step, describe, json_path, read_document_file
from component.config.load import parse_text
from component.config.notation import notation_of
from component.errors import Place, UserError

LONGEST_NUMBER: Final = 18
"""Digits of a number in a text that always fit 64 bits."""


CREDENTIALS: Final = "credentials"
"""Key of a section whose values are secrets."""


@dataclass(frozen=True, slots=True)
class ManifestObject:
    """An object inside a manifest. Keys that are not asked for are never looked at; a null is as good as no key.

    Every method raises UserError `source.manifest`, with file and path, for a value that can't be what is asked for.
    """

    values: Mapping[str, Any]
    file: Path
    place: Place
    steps: tuple[Step, ...] = ()

    @classmethod
    def read(cls, file: Path, place: Place) -> ManifestObject:
        """Return the object that a file holds, in the notation of its data folder (reference keboola 2.1)."""
        try:
            value = parse_text(read_document_file(file), notation_of(_data_folder_of(file)))
        except OSError as error:
            text = f"The manifest {str(file)!r} cannot be read: {error.strerror}"
            raise UserError("source.manifest", text, place=place) from error
        except JsonFaultError as error:
            raise UserError("source.manifest", f"The manifest {str(file)!r} {error}", place=place) from None
        found = {} if value is None or value == [] else value
        if isinstance(found, dict):
            return cls(found, file, place)
        raise cls({}, file, place).wrong(value, "an object")

    def text(self, key: str) -> str | None:
        """Return a text; a number counts as its text."""
        value = self.values.get(key)
        return None if value is None else self._text(value, key)

    def flag(self, key: str) -> bool | None:
        """Return true or false."""
        value = self.values.get(key)
        if value is None or isinstance(value, bool):
            return value
        raise self.wrong(value, "true or false", key)

    def whole(self, key: str) -> int | None:
        """Return a whole number; digits in a text count as their number."""
        value = self.values.get(key)
        if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= LONGEST_NUMBER:
            return int(value)
        if value is None or (isinstance(value, int) and not isinstance(value, bool)):
            return value
        raise self.wrong(value, "a whole number", key)

    def texts(self, key: str) -> tuple[str, ...]:
        """Return a list of texts."""
        return tuple(self._text(item, key, index) for index, item in enumerate(self._list(key)))

    def objects(self, key: str) -> tuple[ManifestObject, ...]:
        """Return a list of objects."""
        return tuple(self._object(item, key, index) for index, item in enumerate(self._list(key)))

    def object(self, key: str) -> ManifestObject:
        """Return an object; one whose keys are 0, 1, 2… may have become a list in PHP."""
        value = self.values.get(key)
        if isinstance(value, list):
            value = {str(index): item for index, item in enumerate(value)}
        return self._object({} if value is None else value, key)

    def wrong(self, value: Any, expected: str, *steps: Step) -> UserError:
        """Return the error that says that a value is not what was expected; one among credentials is not shown."""
        where = (*self.steps, *steps)
        found = "" if CREDENTIALS in where else f", but is {describe(value)}"
        text = f"The manifest {str(self.file)!r} is not right: {json_path(where) or 'it'} must be {expected}{found}"
        return UserError("source.manifest", text, place=self.place)

    def _text(self, value: Any, *steps: Step) -> str:
        if isinstance(value, str):
            return value
        if isinstance(value, int | float) and not isinstance(value, bool):
            return str(value)
        raise self.wrong(value, "a text", *steps)

    def _list(self, key: str) -> list[Any]:
        value = self.values.get(key)
        if value is None or value == {}:
            return []
        if isinstance(value, list):
            return value
        raise self.wrong(value, "a list", key)

    def _object(self, value: Any, *steps: Step) -> ManifestObject:
        found = {} if value is None or value == [] else value
        if isinstance(found, dict):
            return ManifestObject(found, self.file, self.place, (*self.steps, *steps))
        raise self.wrong(value, "an object", *steps)


def _data_folder_of(manifest: Path) -> Path:
    """Return the folder that a manifest in `in/tables` and its like belongs to."""
    return manifest.parent.parent.parent
