"""A conversion as the configuration of a run: a source becomes a dataset, the dataset becomes an output.

So every format, option, check and limit is that of a run, and there is one way through the house.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from component.convert.places import ConversionSource, Target
from component.convert.words import From, To
from component.folder.files import is_text

UUID: Final = "converted"
"""The dataset in between, in a store that is scratch."""
RESULT: Final = "result"
"""The name of the output, without suffix."""
_FORMATS: Final = {From.RECORDS: "records", From.PARQUET: "parquet", From.AVRO: "avro", From.ARROW: "arrow"}

_TYPED: Final = frozenset({To.PARQUET, To.AVRO, To.ARROW, To.DATASET})
"""Targets whose columns have types: those of text are inferred for them unless someone says not to."""
_TYPED_RECORDS: Final = frozenset({"parquet", "avro"})


@dataclass(frozen=True, slots=True)
class Options:
    """What may be said of a conversion, in the words of a configuration.

    Of the table that is read, of the dataset, of the output, and of the run; each stands above what we would say.
    """

    table: Mapping[str, Any] = field(default_factory=dict)
    dataset: Mapping[str, Any] = field(default_factory=dict)
    output: Mapping[str, Any] = field(default_factory=dict)
    parameters: Mapping[str, Any] = field(default_factory=dict)


def configuration(source: ConversionSource, target: Target, options: Options, scratch_store: str) -> dict[str, Any]:
    """Return the config.json of the run that is the conversion."""
    uuid, store = _dataset(source, target, scratch_store)
    parameters: dict[str, Any] = {"store": {"url": store}, "result_variables": False, **options.parameters}
    if source.kind is not From.DATASET:
        typed = target.kind in _TYPED or options.output.get("records", {}).get("format") in _TYPED_RECORDS
        parameters["datasets"] = [_of_source(source, uuid, options, typed=typed)]
    if target.kind is not To.DATASET:
        parameters["outputs"] = [_of_target(target, uuid, options)]
    return {"parameters": parameters}


def _dataset(source: ConversionSource, target: Target, scratch_store: str) -> tuple[str, str]:
    """Return the dataset of the run, and the store that it is in: that of the source or target, if one is a dataset."""
    place = source.place if source.kind is From.DATASET else target.place if target.kind is To.DATASET else None
    if place is None:
        return UUID, scratch_store
    store, _, uuid = str(place).rstrip("/").rpartition("/")
    return uuid, store or "/"


def _of_source(source: ConversionSource, uuid: str, options: Options, *, typed: bool) -> dict[str, Any]:
    table: dict[str, Any] = {"source": source.place if isinstance(source.place, str) else source.name}
    said = dict(options.table)
    if "file" in said or (source.kind is From.FILE and not is_text(source.name)):
        said = _as_file(said)
    is_delimited = source.kind is From.CSV or (source.kind is From.FILE and is_text(source.name))
    if typed and is_delimited and "file" not in said:
        table["infer_types"] = True
    if source.kind is From.FILE:
        table["format"] = "file" if "file" in said else "auto"
    elif source.kind in _FORMATS and source.kind is not From.RECORDS:
        table["format"] = _FORMATS[source.kind]
    return {"uuid": uuid, **options.dataset, "tables": [{**table, **said}]}


def _as_file(said: Mapping[str, Any]) -> dict[str, Any]:
    """Return options of text as those of a file that is parsed whole, which has two of them in words of its own."""
    file = dict(said.get("file") or {})
    if "encoding" in said:
        file.setdefault("encoding", said["encoding"])
    if said.get("header_rows") == 0:
        file.setdefault("has_header", False)
    others = {key: value for key, value in said.items() if key != "encoding" and (key, value) != ("header_rows", 0)}
    return {**others, "file": file} if file else others


def _of_target(target: Target, uuid: str, options: Options) -> dict[str, Any]:
    output = {"dataset": uuid, "as": "file", "format": str(target.kind), "name": result_name(target), **options.output}
    if target.kind is To.RECORDS:
        url = None if target.zipped else str(target.place)
        output["records"] = {**options.output.get("records", {}), **({"url": url} if url else {})}
    return output


def result_name(target: Target) -> str:
    """Return what the output is called in out/files; its suffix says whether it is compressed."""
    return RESULT + (".gz" if str(target.place).lower().endswith(".gz") else "")
