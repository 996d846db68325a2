"""The error tree: every failure says who must act, where it is, and what to do.

    TablemillError
    ├── UserError        the user acts: configuration or data (exit 1)
    ├── RetryError       the same call may succeed later: a store or a lost race (exit 1)
    │   ├── CommitRefusedError   somebody else committed first; nothing was written
    │   └── CommitUnknownError   the store did not say whether the commit happened
    └── BugError         we act (exit 2)

An error carries data (`code`, `place`, `remedy`); its text is rendered once, in `__str__`, as one sentence
with place and remedy. Codes are stable: `docs/errors.md` is generated from `CODES`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Self

CODES: Final[Mapping[str, str]] = {
    "config.missing": "There is no config.json in the data folder.",
    "config.syntax": "config.json is not readable JSON.",
    "config.unknown_key": "`parameters` has a key that Tablemill does not know.",
    "config.missing_key": "A key that must be configured is not there.",
    "config.type": "A configuration value has the wrong type.",
    "config.value": "A configuration value is not one of those allowed, or two values contradict each other.",
    "config.duplicate_output": "Two outputs have the same name.",
    "action.deadline": "A synchronous action took longer than the platform waits for one.",
    "source.missing": "A configured source is not in the data folder.",
    "source.ambiguous": "Several files go by the name that is configured, and they differ.",
    "source.manifest": "A manifest cannot be read or contradicts its table.",
    "source.format": "A file cannot be read as the format it should have.",
    "staged.credentials": "The credentials for an input in a bucket have expired or are refused.",
    "staged.missing": "An input in a bucket, or a part of one, is not there.",
    "staged.changed": "An object changed after planning, ended early, or has another size than announced.",
    "staged.failed": "An input in a bucket cannot be read: the store does not answer, or not as it should.",
    "folder.link": "A link leads out of the data folder.",
    "state.syntax": "A state file is not readable as a JSON object.",
    "column.missing": "A configured column is not in the table.",
    "column.duplicate": "A table has the same column twice.",
    "column.type": "A column type cannot be used for what was asked of it.",
    "column.sets_differ": "The slices of one table have different column counts.",
    "cell.type": "A cell does not fit the type of its column.",
    "cell.unwritable": "A value cannot be written in the format that was asked for.",
    "row.cells": "A row has too many or too few cells.",
    "row.length": "A record is longer than any that is read.",
    "row.null_partition": "A partition column is null in some row.",
    "row.null": "A column that is not nullable is null in some row.",
    "row.null_key": "A column of the primary key is null in some row, and on_duplicate_key forbids it.",
    "row.duplicate_key": "A primary key stands in several rows or in the dataset, and on_duplicate_key forbids it.",
    "csv.unclosed_quote": "A quoted cell is never closed.",
    "csv.after_quote": "A quoted cell is followed by other than a delimiter or the end of its record.",
    "csv.ambiguous": "The way a text file is delimited is not clear: two readings are equally good, or none is.",
    "csv.quote_in_cell": "A cell that is not enclosed holds an enclosure.",
    "csv.nul": "A cell holds a NUL character.",
    "csv.escape": "A file ends after an escape.",
    "csv.encoding": "A file is not valid UTF-8, or not in the encoding that it should have.",
    "gzip.truncated": "A gzip file ends early or is damaged.",
    "records.incomplete": "A records directory has no manifest, so it is not known to be whole.",
    "records.manifest": "The manifest of a records directory cannot be used.",
    "records.format": "A records directory has no format file, more than one, or one that cannot be used.",
    "records.hint": "A hint or a variant of a records format is unknown, not supported, or contradicts another.",
    "records.schema": "The schema of a records directory is missing or cannot be used.",
    "records.file": "A data file of a records directory is missing, or has another length than its manifest says.",
    "records.archive": "An archive of a records directory is damaged or not safe to unpack.",
    "records.target": "A records directory cannot be written where something is already.",
    "workbench.invalid": "A table breaks a rule of Workbench tables, or disagrees with its metadata.",
    "workbench.metadata": "Metadata of a Workbench table, or a message, does not have its JSON form.",
    "workbench.limit": "A table exceeds a limit of Workbench.",
    "workbench.loss": "Values would have to be changed to become a Workbench table, or a table of ours.",
    "workbench.http_file": "An httpfile is damaged, or is none.",
    "workbench.frame": "A pandas frame, or what came with it, is not what a Workbench module may return.",
    "dataset.missing": "A dataset does not exist in the store.",
    "dataset.history": "A state of a dataset is not kept, or its name is not unique.",
    "dataset.format": "A dataset does not follow the Kartothek format.",
    "dataset.damaged": "Bytes of a dataset are not those that were written.",
    "dataset.schema": "New rows do not fit the schema of the dataset they are appended to.",
    "dataset.partitioning": "The dataset exists with other partition keys or indices than configured.",
    "dataset.key": "The key of an upsert is not known, holds a null, or is not unique.",
    "dataset.scope": "A delete_scope would match everything, or names a column that is no partition key.",
    "dataset.predicate": "A predicate cannot be evaluated.",
    "store.url": "The store URL is not supported.",
    "store.key": "A key is not allowed in a store.",
    "store.archive": "A dataset archive is damaged or not safe to restore.",
    "archive.unrelated": "Archives of one dataset have no commit in common.",
    "archive.diverged": "Archives of one dataset each have commits that the other lacks.",
    "archive.stale": "The archive of a dataset does not contain the commit that the state names.",
    "archive.missing": "The state names a dataset that did not come back.",
    "store.missing": "A store is not there, or an object is not in it.",
    "store.full": "There is no space left where data must be written.",
    "store.unwritable": "A place that must be written to is not writable.",
    "store.unreadable": "A place that must be read is not readable.",
    "store.failed": "A store call failed.",
    "commit.refused": "Another writer committed first.",
    "commit.unknown": "The store did not say whether the commit happened.",
    "mapping.failed": "The platform would refuse the outputs.",
    "output.exists": "A file or folder that would be written is there already.",
    "output.unwritable": "The output folder is not writable.",
    "replay.archive": "A ZIP of a data folder is damaged or not safe to unpack.",
    "replay.source": "What is to be replayed is no data folder, no ZIP of one and no folder of cases.",
    "replay.gaps": "A data folder lacks what its run had: secrets were hidden, credentials have expired.",
    "replay.profile": "The profile of a replay, or an option that stands for it, cannot be used.",
    "replay.command": "The component to replay cannot be started.",
    "replay.expected": "What a replay is to be compared with cannot be used.",
    "spark.java": "No usable Java was found, or it did not start.",
    "spark.failed": "Spark failed.",
    "spark.option": "An option of the Spark data source is unknown or has no such value.",
    "internal": "A fault in Tablemill itself.",
}
"""Stable error codes and what each means. A test holds that every code raised anywhere is named here."""


REMEDIES: Final[Mapping[str, str]] = {
    "config.missing": 'Put a config.json there; an empty object "{}" will do.',
    "config.syntax": "Correct the text at that place.",
    "config.unknown_key": "Remove the key, or write it as docs/configuration.md does.",
    "config.duplicate_output": 'Give one of them another "name".',
    "action.deadline": "Ask about a smaller table, or run the configuration once and ask again.",
    "source.missing": "Put it there, or name another source.",
    "source.manifest": "Correct the manifest, or remove it.",
    "source.ambiguous": "Name one of them, by its id or its tags.",
    "source.format": "Write the file again, or name its format in the configuration.",
    "staged.credentials": "Make the folder again: the platform gives new credentials to each job.",
    "staged.missing": "Make the folder again: the platform exports the input anew.",
    "staged.changed": "Run again.",
    "staged.failed": "Run again later.",
    "folder.link": "Put the file itself there.",
    "state.syntax": "Correct the state, or remove it to start without one.",
    "column.missing": "Correct the name, or add the column.",
    "column.duplicate": "Rename one of them.",
    "column.type": "Choose another column or another type.",
    "column.sets_differ": "Give all slices the same columns.",
    "cell.type": 'Correct the value, or give the column another "type".',
    "cell.unwritable": "Correct the value, or choose another format.",
    "row.cells": "Correct the row, or the delimiter and the enclosure.",
    "row.length": "Close the enclosure that the record begins with.",
    "row.null": "Fill it, or let the column be nullable.",
    "row.duplicate_key": 'Remove the duplicates, or set "on_duplicate_key".',
    "row.null_key": "Fill it, or leave the column out of the key.",
    "row.null_partition": "Fill it, or partition on another column.",
    "csv.unclosed_quote": "Close the enclosure.",
    "csv.after_quote": "Double the enclosures within the cell.",
    "csv.ambiguous": "Name the delimiter and the enclosure.",
    "csv.quote_in_cell": "Enclose the cell, and double the enclosures in it.",
    "csv.nul": "Remove the character.",
    "csv.escape": "Complete the last cell.",
    "csv.encoding": "Write the file as UTF-8, or name its encoding.",
    "gzip.truncated": "Write the file again.",
    "records.incomplete": "Wait until its _manifest is written, or write the directory again.",
    "records.manifest": "Correct the _manifest of the directory.",
    "records.format": "Put one _format_delimited, _format_parquet or _format_avro there, or name the format.",
    "records.hint": "Use a hint of docs/records.md.",
    "records.schema": "Put a _schema.json there.",
    "records.file": "Write the directory again.",
    "records.archive": "Make the archive again.",
    "records.target": "Choose a place where nothing is yet.",
    "workbench.invalid": "Write the table again, by the rules of docs/workbench.md.",
    "workbench.metadata": "Write it in the form of docs/workbench.md.",
    "workbench.limit": "Make the table smaller.",
    "workbench.loss": "Convert the column first, or leave it out.",
    "workbench.http_file": "Fetch the file again.",
    "workbench.frame": "Return a frame of the form in docs/workbench.md.",
    "dataset.missing": "Correct the uuid, or make the dataset first.",
    "dataset.history": "`tablemill dataset history` lists the states that are kept.",
    "dataset.format": "`tablemill dataset verify` says what is wrong; write the dataset again.",
    "dataset.damaged": "`tablemill dataset verify` says what is damaged, and `--repair` mends what can be mended.",
    "dataset.schema": "Change the rows, or write the dataset anew.",
    "dataset.partitioning": "Configure what it has, or write the dataset anew under another uuid.",
    "dataset.key": "Name key columns that are filled and unique.",
    "dataset.scope": "Name partition keys of the dataset and their values.",
    "dataset.predicate": "Compare a column of the dataset with a value of its type.",
    "store.url": "Use a path or a file:// URL.",
    "store.key": "Use letters, digits and -_=./ in names.",
    "store.archive": "Take another copy of the archive.",
    "archive.unrelated": "Leave the right one in in/files.",
    "archive.diverged": "Leave the right one in in/files.",
    "archive.stale": 'Bring the newer archive, or set "on_stale_dataset": "use".',
    "archive.missing": 'Map its archive to the input, or set "on_missing_dataset": "create".',
    "store.missing": "Run again; `tablemill dataset verify` says what else is missing.",
    "store.full": "Make room there.",
    "store.unwritable": "Let the user that runs Tablemill write there.",
    "store.unreadable": "Correct the path, or let the user that runs Tablemill read there.",
    "store.failed": "Run again later.",
    "commit.refused": "Run again: it starts from what the other writer committed.",
    "commit.unknown": "`tablemill dataset history` says whether the commit is there; run again if it is not.",
    "mapping.failed": "Correct the output mapping, the manifest or the output.",
    "output.exists": "Choose another name, or remove what is there.",
    "output.unwritable": "Let the user that runs Tablemill write there.",
    "replay.archive": "Download the ZIP again.",
    "replay.source": "Name a data folder, a ZIP of one, or a folder of cases.",
    "replay.gaps": "Give what is missing in a profile (docs/replay.md).",
    "replay.profile": "docs/replay.md has an example.",
    "replay.command": "Name a command that can be started.",
    "replay.expected": "Name a folder or ZIP of expected outputs.",
    "spark.java": "Install Java 17 or newer, or set JAVA_HOME.",
    "spark.failed": "Run again; if it fails again, the log says where.",
    "spark.option": "docs/spark.md lists the options and their values.",
    "internal": "Report it, with the id in the message.",
}
"""Code -> what to do about an error that says nothing more precise. Errors of `config.type`, `config.value` and
`config.missing_key` are not here: their texts name what a value must be."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where an error is; only what is known is said.

    `row` counts data rows of the slice from 1 (a header does not count); `byte` counts from 0 in the decompressed
    slice.
    """

    table: str | None = None
    slice: str | None = None
    row: int | None = None
    column: str | None = None
    value: str | None = None
    byte: int | None = None

    def __str__(self) -> str:
        named = [
            ("table", self.table),
            ("slice", self.slice if self.slice != self.table else None),
            ("row", self.row),
            ("column", self.column),
            ("value", None if self.value is None else shorten(self.value)),
            ("byte", self.byte),
        ]
        return ", ".join(f"{name} {value!r}" for name, value in named if value is not None)


def shorten(text: str, limit: int = 80) -> str:
    """Cut a long value for use in a message."""
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


class Told(str):
    """A sentence for people that programs can read too: `data` says the same as JSON."""

    __slots__ = ("data",)
    data: Mapping[str, Any]

    def __new__(cls, text: str, data: Mapping[str, Any]) -> Self:
        """Return the sentence."""
        told = super().__new__(cls, text)
        told.data = data
        return told

    def __reduce__(self) -> tuple[type[Told], tuple[str, Mapping[str, Any]]]:
        """Cross a process boundary with its data."""
        return Told, (str(self), self.data)


class TablemillError(Exception):
    """Base of every error that Tablemill raises on purpose."""

    exit_code = 2

    def __init__(self, code: str, text: str, *, place: Place | None = None, remedy: str = "") -> None:
        super().__init__(code, text, place, remedy)
        self.code = code
        self.text = text
        self.place = place or Place()
        self.remedy = remedy or REMEDIES.get(code, "")

    def __str__(self) -> str:
        where = str(self.place)
        sentence = f"{self.text.rstrip('.')} ({where})." if where else f"{self.text.rstrip('.')}."
        return f"{sentence} {self.remedy}".rstrip()

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return _rebuild, (type(self), self.code, self.text, self.place, self.remedy)

    def at(self, **place: str | int | None) -> TablemillError:
        """Return the same error with more of its place known."""
        return type(self)(self.code, self.text, place=replace(self.place, **place), remedy=self.remedy)  # type: ignore[arg-type] # the fields of Place


def _rebuild(cls: type[TablemillError], code: str, text: str, place: Place, remedy: str) -> TablemillError:
    return cls(code, text, place=place, remedy=remedy)


class UserError(TablemillError):
    """The configuration or the data must change before another try makes sense."""

    exit_code = 1


class SeveralError(UserError):
    """Several errors that can be mended at once, as one that names each; its code and place are those of the first."""

    errors: tuple[UserError, ...] = ()


def in_one(errors: Sequence[UserError]) -> UserError:
    """Return errors of several inputs as one, a single one as it is."""
    flat = tuple(inner for one in errors for inner in (one.errors if isinstance(one, SeveralError) else (one,)))
    if len(flat) == 1:
        return flat[0]
    each = " ".join(f"({number}) {one.code}: {one}" for number, one in enumerate(flat, 1))
    found = SeveralError(flat[0].code, f"{len(flat)} inputs cannot be read", remedy=each)
    found.errors = flat
    return found


class RetryError(TablemillError):
    """The same run may succeed later: a store failed or a race was lost."""

    exit_code = 1


class CommitRefusedError(RetryError):
    """Another writer committed first; the dataset holds their state and nothing of ours."""


class CommitUnknownError(RetryError):
    """The store failed while the header was put; read the dataset to learn whether the commit happened."""


class BugError(TablemillError):
    """A fault in Tablemill: details go to the log, not to the user."""

    exit_code = 2
