"""`listDatasets` and `listColumns`: what select boxes of the form offer."""

from __future__ import annotations

from component.actions.evidence import (
    KnownColumn,
    Subject,
    find_dataset,
    find_source,
    find_subject,
    mapped_columns,
    nothing_known,
)
from component.actions.messages import element
from component.actions.parameters import configured_datasets, open_configured_store
from component.actions.request import Request
from component.dataset.format.address import dataset_uuids


def list_datasets(request: Request) -> list[dict[str, str]]:
    """Return the datasets in the store by name, then those that are configured and not there yet."""
    store = open_configured_store(request)
    stored = dataset_uuids(store) if store is not None else []
    configured = dict.fromkeys(dataset.uuid for dataset in configured_datasets(request))
    new = [uuid for uuid in configured if uuid not in stored]
    where = "made by every run" if store is None else "not in the store yet"
    return [*(element(uuid) for uuid in stored), *(element(uuid, f"{uuid} ({where})") for uuid in new)]


def list_columns(request: Request) -> list[dict[str, str]]:
    """Return the columns of the subject with their types, in the order of the source.

    They are those of the input where the folder has it, else of the dataset in the store, else those that the input
    mapping selects. UserError `dataset.missing` when none of these says anything.
    """
    subject = find_subject(request)
    columns = _columns(request, subject)
    if not columns:
        raise nothing_known(subject, columns=True)
    return [element(one.name, f"{one.name} ({one.type})" if one.type else None) for one in columns]


def _columns(request: Request, subject: Subject) -> tuple[KnownColumn, ...]:
    source = find_source(request, subject)
    if source is not None:
        typed = {column.name: column.type for column in subject.source.columns}
        return tuple(
            KnownColumn(
                column.name, typed.get(column.name) or (column.type.value if column.name in source.typed else None)
            )
            for column in source.schema.columns
        )
    dataset = find_dataset(subject)
    if dataset is not None:
        return tuple(KnownColumn(name, str(dataset.schema.field(name).type)) for name in dataset.columns)
    return mapped_columns(request, subject)
