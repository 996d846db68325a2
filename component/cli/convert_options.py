"""The options of `tablemill convert`, in groups as its help lists them, and what they say in a configuration."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

import typer

from component.errors import UserError

if TYPE_CHECKING:
    from component.convert.configuration import Options

READING: Final = "How the source is read"
WRITING: Final = "What is written"
DATASET: Final = "A dataset as target"
MORE: Final = "Everything else"


def _option(text: str, panel: str, metavar: str | None = None) -> Any:
    return typer.Option(help=text, rich_help_panel=panel, show_default=False, metavar=metavar)


def _flag(name: str, text: str, panel: str) -> Any:
    return typer.Option(name, help=text, rich_help_panel=panel, show_default=False)


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How the source is read."""

    column: Annotated[
        list[str] | None, _option("Type of a column: amount:numeric(12,2).", READING, metavar="NAME:TYPE")
    ] = None
    infer_types: Annotated[
        bool | None,
        _flag(
            "--infer-types/--no-infer-types",
            "Infer the types of text, or keep it; default: infer for Parquet, Avro, Arrow and datasets.",
            READING,
        ),
    ] = None
    delimiter: Annotated[
        str | None, _option("What separates cells: ';', tab, '||'; default: found out.", READING, metavar="TEXT")
    ] = None
    enclosure: Annotated[
        str | None,
        typer.Option(
            "--enclosure",
            "--quotechar",
            help="What encloses cells; none: nothing does.",
            rich_help_panel=READING,
            show_default=False,
            metavar="C",
        ),
    ] = None
    escape: Annotated[str | None, _option("The backslash, where it escapes.", READING, metavar="C")] = None
    skip_rows: Annotated[int | None, _option("Lines before the header.", READING, metavar="N")] = None
    comment: Annotated[str | None, _option("Lines that begin with it are left out.", READING, metavar="TEXT")] = None
    header_rows: Annotated[int | None, _option("Rows that hold names, joined by _; 0: none.", READING, metavar="N")] = (
        None
    )
    names: Annotated[str | None, _option("Names of all columns, in order.", READING, metavar="A,B")] = None
    null_value: Annotated[
        list[str] | None, _option("A text that stands for null; may be repeated.", READING, metavar="TEXT")
    ] = None
    decimal: Annotated[str | None, _option("What stands before decimals: , or a point.", READING, metavar="C")] = None
    thousands: Annotated[
        str | None, _option("What stands between thousands: , . ' or a blank.", READING, metavar="C")
    ] = None
    reading: Annotated[
        Literal["strict", "lenient"] | None, _option("Refuse what has to be mended in a file, or mend it.", READING)
    ] = None
    encoding: Annotated[str | None, _option("Encoding of a file of text.", READING, metavar="NAME")] = None
    no_header: Annotated[bool, _flag("--no-header", "The first row of a file are no names.", READING)] = False
    numbers: Annotated[
        Literal["text", "exact", "workbench"] | None, _option("Whether columns of text become numbers.", READING)
    ] = None
    source_hint: Annotated[
        list[str] | None, _option("A hint above those of a records directory.", READING, metavar="HINT=VALUE")
    ] = None
    lax: Annotated[bool, _flag("--lax", "Go on after hints that are not known.", READING)] = False
    wait: Annotated[int | None, _option("How long a manifest is waited for.", READING, metavar="SECONDS")] = None
    assume_timezone: Annotated[
        str | None, _option("Zone of moments without offset in a records directory.", READING, metavar="ZONE")
    ] = None
    keep_quoted_empty: Annotated[
        bool, _flag("--keep-quoted-empty", 'In a records directory, "" is the empty string, and no null.', READING)
    ] = False

    def table(self) -> dict[str, Any]:
        """Return what is said of the table that is read."""
        file = {"reading": self.reading, "numbers": self.numbers}
        records = {
            "hints": _pairs(self.source_hint),
            "lax": self.lax or None,
            "wait_seconds": self.wait,
            "assume_timezone": self.assume_timezone,
            "keep_quoted_empty": self.keep_quoted_empty or None,
        }
        return _said(
            columns=[_column(text) for text in self.column or ()],
            infer_types=self.infer_types,
            delimiter=self.delimiter,
            enclosure=self.enclosure,
            escape=self.escape,
            encoding=self.encoding,
            skip_rows=self.skip_rows,
            comment=self.comment,
            header_rows=0 if self.no_header else self.header_rows,
            names=_names(self.names),
            null_values=list(self.null_value or ()),
            decimal=self.decimal,
            thousands=self.thousands,
            file=_said(**file),
            records=_said(**records),
        )


@dataclass(frozen=True, slots=True)
class WriteOptions:
    """What is written."""

    columns: Annotated[str | None, _option("Only these columns, in this order.", WRITING, metavar="A,B")] = None
    where: Annotated[
        list[str] | None, _option("Only rows like this: 'month in [1, 2]'.", WRITING, metavar="'COLUMN OP VALUE'")
    ] = None
    variant: Annotated[
        Literal["bluelabs", "csv", "bigquery", "vertica", "dumb"] | None,
        _option("Variant of a records directory; default is bluelabs.", WRITING),
    ] = None
    hint: Annotated[list[str] | None, _option("A hint above the variant's.", WRITING, metavar="HINT=VALUE")] = None
    records_format: Annotated[
        Literal["delimited", "parquet", "avro"] | None, _option("Format of a records directory's files.", WRITING)
    ] = None
    files: Annotated[int | None, _option("How many files a records directory has.", WRITING, metavar="N")] = None
    file_mb: Annotated[int | None, _option("About how large each may be.", WRITING, metavar="MB")] = None

    def output(self) -> dict[str, Any]:
        """Return what is said of the output."""
        records = _said(
            variant=self.variant,
            hints=_pairs(self.hint),
            format=self.records_format,
            files=self.files,
            file_bytes=None if self.file_mb is None else self.file_mb * 1000 * 1000,
        )
        predicates = None
        if self.where:
            from component.dataset.reading.question import parse_question  # noqa: PLC0415 - Arrow, for those who ask

            predicates = parse_question(tuple(self.where), None)
        return _said(columns=_names(self.columns), predicates=predicates, records=records)


@dataclass(frozen=True, slots=True)
class DatasetOptions:
    """A dataset as target."""

    partition_on: Annotated[str | None, _option("Columns to partition by.", DATASET, metavar="A,B")] = None
    index: Annotated[str | None, _option("Columns to index.", DATASET, metavar="A,B")] = None
    sort_by: Annotated[str | None, _option("Columns that sort the rows of a file.", DATASET, metavar="A,B")] = None
    primary_key: Annotated[str | None, _option("Columns that name a row.", DATASET, metavar="A,B")] = None
    mode: Annotated[
        Literal["overwrite", "append", "replace_partitions", "upsert", "delete"] | None,
        _option("What happens to a dataset that is there.", DATASET),
    ] = None

    def dataset(self) -> dict[str, Any]:
        """Return what is said of the dataset."""
        return _said(
            partition_on=_names(self.partition_on),
            secondary_indices=_names(self.index),
            sort_partitions_by=_names(self.sort_by),
            mode=self.mode,
        )


@dataclass(frozen=True, slots=True)
class MoreOptions:
    """Everything else that a configuration can say."""

    table_options: Annotated[str | None, _option("More of datasets[].tables[].", MORE, metavar="JSON")] = None
    dataset_options: Annotated[str | None, _option("More of datasets[].", MORE, metavar="JSON")] = None
    output_options: Annotated[str | None, _option("More of outputs[].", MORE, metavar="JSON")] = None
    parameters: Annotated[str | None, _option("More of parameters.", MORE, metavar="JSON")] = None


def options_of(read: ReadOptions, write: WriteOptions, dataset: DatasetOptions, more: MoreOptions) -> Options:
    """Return all that is said; JSON stands above single options. UserError `config.syntax`, `config.value`."""
    from component.convert.configuration import Options  # noqa: PLC0415 - Arrow is loaded by what needs it

    key = _said(primary_key=_names(dataset.primary_key))
    return Options(
        _over({**read.table(), **key}, _object(more.table_options, "table-options")),
        _over(dataset.dataset(), _object(more.dataset_options, "dataset-options")),
        _over(write.output(), _object(more.output_options, "output-options")),
        _object(more.parameters, "parameters"),
    )


def _over(said: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """Return what single options say with JSON above it, key by key: one `file` does not hide the other."""
    joined = dict(said)
    for key, value in more.items():
        below = joined.get(key)
        joined[key] = _over(below, value) if isinstance(below, dict) and isinstance(value, dict) else value
    return joined


def _said(**values: Any) -> dict[str, Any]:
    """Return what was said: neither None nor empty."""
    return {key: value for key, value in values.items() if value is not None and value not in ([], {}, ())}


def _names(text: str | None) -> list[str]:
    return [name.strip() for name in (text or "").split(",") if name.strip()]


def _column(text: str) -> dict[str, Any]:
    name, colon, kind = text.rpartition(":")
    if not colon or not name:
        raise UserError("config.value", f"{text!r} is no NAME:TYPE", remedy="Write it as amount:numeric(12,2).")
    word, _, length = kind.partition("(")
    return {"name": name, "type": word.strip(), **({"length": length.rstrip(") ")} if length else {})}


def _pairs(texts: Sequence[str] | None) -> dict[str, Any]:
    """Return hints: the value in JSON, or bare text."""
    found = {}
    for text in texts or ():
        name, equals, value = text.partition("=")
        if not equals:
            raise UserError("config.value", f"{text!r} is no HINT=VALUE", remedy='Write it as quoting="all".')
        try:
            found[name] = json.loads(value)
        except ValueError:
            found[name] = value
    return found


def _object(text: str | None, option: str) -> Mapping[str, Any]:
    if text is None:
        return {}
    try:
        value = json.loads(text)
    except ValueError as error:
        raise UserError("config.syntax", f"--{option} is no JSON: {error}") from error
    if not isinstance(value, dict):
        raise UserError("config.syntax", f"--{option} is no JSON object")
    return value
