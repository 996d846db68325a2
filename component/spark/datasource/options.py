"""The options of the Spark data source: texts, as Spark has them, to what reader and writer need."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

import pyspark

from component import naming
from component.dataset.commits.scope import Scope
from component.dataset.format.address import Address, open_address
from component.dataset.format.history import named_state
from component.dataset.format.keys import check_uuid
from component.dataset.reading.question import parse_question
from component.errors import UserError
from component.store.open import open_store

SHARED_FILTERS: Final = int(pyspark.__version__.split(".")[0]) < 5
"""Whether this Spark reads a DataFrame with the filters that it was last asked with.

To 4.3 it keeps what a reader planned with the object that all uses of one `load()` share: a later use without filters,
and all uses in one query, then read the files and rows of the last filters. So filters are only taken when asked for.
"""


@dataclass(frozen=True, slots=True)
class SourceOptions:
    """What a read or a write is asked for. Both take all options, since a view in SQL has one set.

    To read: `table`, `as_of`, `columns`, `predicates`, `pushdown`, `split_bytes`. To write: `table`, `partition_on`,
    `secondary_indices`, `sort_by`, `primary_key`, `metadata`, `delete_scope`, `on_duplicate_key`.
    """

    address: Address
    table: str | None = None
    as_of: str | dt.datetime | None = None
    columns: tuple[str, ...] | None = None
    predicates: list[list[list[Any]]] | None = None
    pushdown: bool = not SHARED_FILTERS
    split_bytes: int = naming.SPLIT_BYTES
    partition_on: tuple[str, ...] = ()
    secondary_indices: tuple[str, ...] = ()
    sort_by: tuple[str, ...] = ()
    primary_key: tuple[str, ...] = ()
    metadata: Mapping[str, Any] | None = None
    delete_scope: list[Scope] | None = None
    on_duplicate_key: Literal["warn", "fail"] = "warn"


def parse_options(options: Mapping[str, str]) -> SourceOptions:
    """Return the options of a read or write; case of their names does not matter.

    UserError `spark.option` for one that is unknown or has no such value, `store.url` and `store.key` for the address.
    """
    given = {name.lower(): text for name, text in options.items()}
    if _CATALOG in given:
        raise UserError("spark.option", "Spark reads tables of its catalog without their options", remedy=_REMEDY)
    unknown = sorted(set(given) - set(_READERS) - _ADDRESS)
    if unknown:
        raise UserError(
            "spark.option",
            f"The data source has no option {unknown[0]!r}",
            remedy=f"Options are {', '.join(sorted([*_ADDRESS, *_READERS]))}.",
        )
    values = {_FIELDS.get(name, name): read(given[name]) for name, read in _READERS.items() if name in given}
    return SourceOptions(_address(given), **values)


def _address(given: Mapping[str, str]) -> Address:
    path, store, uuid = (given.get(name) for name in ("path", "store", "uuid"))
    if path is not None and store is None and uuid is None:
        return open_address(path)
    if path is None and store is not None and uuid is not None:
        return Address(open_store(store), check_uuid(uuid))
    raise UserError(
        "spark.option",
        "The data source needs the address of one dataset",
        remedy=_REMEDY,
    )


def _names(text: str) -> tuple[str, ...]:
    """Return column names: separated by commas, or as a JSON list where a name holds a comma."""
    if text.lstrip().startswith("["):
        found = _json(text)
        if isinstance(found, list) and all(isinstance(name, str) for name in found):
            return tuple(found)
        raise _misfit(text, "column names")
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _state(text: str) -> str | dt.datetime:
    try:
        return named_state(text)
    except UserError as error:
        raise _misfit(text, "a commit, HEAD~1 or an ISO 8601 time") from error


def _flag(text: str) -> bool:
    if text.lower() not in {"true", "false"}:
        raise _misfit(text, "true or false")
    return text.lower() == "true"


def _size(text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        raise _misfit(text, "a number of bytes")
    return int(text)


def _key_rule(text: str) -> Literal["warn", "fail"]:
    if text == "warn":
        return "warn"
    if text == "fail":
        return "fail"
    raise _misfit(text, "warn or fail")


def _predicates(text: str) -> list[list[list[Any]]] | None:
    return parse_question((), text)


def _object(text: str) -> Mapping[str, Any]:
    found = _json(text)
    if not isinstance(found, dict):
        raise _misfit(text, "a JSON object")
    return found


def _scope(text: str) -> list[Scope]:
    found = _json(text)
    if not isinstance(found, list) or not all(isinstance(entry, dict) for entry in found):
        raise _misfit(text, 'a JSON list of objects, as [{"year": 2024}]')
    return found


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        raise _misfit(text, "JSON") from None


def _misfit(text: str, wanted: str) -> UserError:
    return UserError("spark.option", f"The value {text!r} of an option is not {wanted}")


_CATALOG: Final = "provider"
"""What Spark adds to the options when it makes a table in its catalog."""
_REMEDY: Final = (
    "Give store and uuid as one address to load() or save(), or both as options;"
    " in SQL, CREATE TEMPORARY VIEW … USING kartothek OPTIONS (path '…')."
)
_ADDRESS: Final = frozenset({"path", "store", "uuid"})
_FIELDS: Final = {"asof": "as_of"}
_READERS: Final[Mapping[str, Callable[[str], Any]]] = {
    "table": str,
    "asof": _state,
    "columns": _names,
    "predicates": _predicates,
    "pushdown": _flag,
    "split_bytes": _size,
    "partition_on": _names,
    "secondary_indices": _names,
    "sort_by": _names,
    "primary_key": _names,
    "metadata": _object,
    "delete_scope": _scope,
    "on_duplicate_key": _key_rule,
}
