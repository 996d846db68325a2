"""What an action can know of a dataset: its input where there is one, the dataset in the store, the input mapping.

The platform gives an action no tables, no files and no state (reference keboola 1.7), so on the platform the last two
are all there is; called on a whole data folder, the same action sees the input.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, get_args

from component.actions.parameters import Asked, asked, configured_datasets, open_configured_store, source_of
from component.actions.request import Request, mapping_at, objects_at
from component.config.parameters import DatasetConfig, SameNameWord, TableConfig
from component.errors import UserError
from component.store.base import Store

if TYPE_CHECKING:
    from component.dataset.reading.reader import Dataset
    from component.plan.model import Source


@dataclass(frozen=True, slots=True)
class Subject:
    """What an action is about: a dataset (configured, in the store, or both) and the input that it is made of."""

    uuid: str | None
    dataset: DatasetConfig | None
    source: TableConfig
    store: Store | None

    @property
    def name(self) -> str:
        """What to call it in a sentence."""
        return f"the dataset {self.uuid!r}" if self.uuid else f"the table {self.source.source!r}"


@dataclass(frozen=True, slots=True)
class KnownColumn:
    """A column by name, and its type in words where it is known."""

    name: str
    type: str | None = None


def find_subject(request: Request) -> Subject:
    """Return what the action is about: what it was asked for, else the only dataset that is configured.

    UserError `config.value` when neither says it.
    """
    asked_for = asked(request)
    datasets = configured_datasets(request)
    store = open_configured_store(request)
    if asked_for.dataset is None and asked_for.table is None:
        asked_for = Asked(dataset=_only(request, datasets), rows=asked_for.rows)
    dataset = next((one for one in datasets if one.uuid == asked_for.dataset), None)
    return Subject(asked_for.dataset, dataset, source_of(dataset, asked_for), store)


def _only(request: Request, datasets: tuple[DatasetConfig, ...]) -> str:
    read = [output.get("dataset") for output in objects_at(request.parameters, "outputs")]
    configured = dict.fromkeys(one.uuid for one in datasets)
    named = {**configured, **dict.fromkeys(one for one in read if isinstance(one, str) and one)}
    for uuids in (configured, named):
        if len(uuids) == 1:
            return next(iter(uuids))
    there = f"The configuration names {', '.join(named)}." if named else "The configuration names no dataset."
    raise UserError(
        "config.value",
        "The action does not know which dataset it is about",
        remedy=f'{there} Set parameters.action to {{"dataset": "its uuid"}} or {{"table": "an input table"}}.',
    )


def find_source(request: Request, subject: Subject) -> Source | None:
    """Return the input of a subject, None where the data folder does not have it; the errors of `find_sources`.

    Other inputs of the folder are not looked into, so what is wrong with them is not in the way.
    """
    from component.folder.layout import DataFolder  # noqa: PLC0415 - Arrow is loaded only by actions that read
    from component.plan.asked import asked_of_table  # noqa: PLC0415
    from component.plan.choosing import choose, sources_called  # noqa: PLC0415
    from component.plan.sources import find_sources  # noqa: PLC0415

    table = subject.source
    sources, _ = find_sources(DataFolder(request.environment.data_dir), asked_of_table(table), called=table.source)
    found = sources_called(table.source, sources)
    word: Any = request.parameters.get("on_same_name")
    return choose(table.source, found, word if word in get_args(SameNameWord) else "refuse") if found else None


def find_dataset(subject: Subject) -> Dataset | None:
    """Return the dataset of a subject, None where no store has it; the errors of `open_dataset`."""
    from component.dataset.reading.reader import open_dataset  # noqa: PLC0415 - as above

    if subject.store is None or subject.uuid is None:
        return None
    try:
        return open_dataset(subject.store, subject.uuid)
    except UserError as error:
        if error.code == "dataset.missing":
            return None
        raise


def mapped_columns(request: Request, subject: Subject) -> tuple[KnownColumn, ...]:
    """Return the columns that the input mapping selects for the subject's input, typed where it says types.

    Empty where the mapping selects none, which means all of them: only the platform knows which these are.
    """
    for table in mapped_tables(request):
        if subject.source.source in {table.get("destination"), table.get("source")}:
            types = {one.get("source"): one.get("type") for one in objects_at(table, "column_types")}
            listed = table.get("columns")
            names = [name for name in listed if isinstance(name, str)] if isinstance(listed, list) else []
            return tuple(KnownColumn(name, types.get(name)) for name in names or types if isinstance(name, str))
    return ()


def mapped_tables(request: Request) -> Iterator[Mapping[str, Any]]:
    """Yield the entries of storage.input.tables."""
    yield from objects_at(mapping_at(request.document, "storage", "input"), "tables")


def nothing_known(subject: Subject, *, columns: bool = False) -> UserError:
    """Return the error for a subject of which an action can see nothing, which says what it looked at."""
    looked = "no store is configured" if subject.store is None else "it is not in the store yet"
    also = ", and the input mapping selects no columns" if columns else ""
    return UserError(
        "dataset.missing",
        f"Nothing is known of {subject.name}: the platform gives an action no input tables, {looked}{also}",
        remedy="Run the configuration once with a store; then this action reads the dataset from there.",
    )
