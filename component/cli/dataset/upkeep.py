"""`tablemill dataset`: verify, go back, copy, rename, collect garbage, delete."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from component.cli.dataset.options import Dataset, Format, answer, moment

if TYPE_CHECKING:
    pass


def verify(
    dataset: Dataset,
    fast: Annotated[bool, typer.Option("--fast", help="Read no data: headers, schema, facts and sizes only.")] = False,
    repair: Annotated[bool, typer.Option("--repair", help="Mend what can be mended, in one commit.")] = False,
    orphans: Annotated[
        Literal["leave", "adopt", "remove"],
        typer.Option("--orphans", help="With --repair: what becomes of old objects that no state names."),
    ] = "leave",
    damaged: Annotated[
        Literal["leave", "drop"],
        typer.Option("--damaged", help="With --repair: what becomes of data files that are damaged."),
    ] = "leave",
    state: Annotated[
        str | None,
        typer.Option(
            metavar="COMMIT", help="With --repair: which state a lost header is put back as.", show_default=False
        ),
    ] = None,
    rebuild_header: Annotated[
        bool,
        typer.Option(
            "--rebuild-header",
            help="With --repair: make a lost header of which no copy is kept from the data files. Files that were"
            " deleted or overwritten and are still there count again.",
        ),
    ] = False,
    output: Format = "text",
) -> None:
    """Look at a whole dataset and say what is wrong with it; exit code 1 when something is (and was not mended)."""
    faulty = False

    def work() -> tuple[Any, Sequence[str]]:
        from component.dataset.format.address import open_address  # noqa: PLC0415
        from component.dataset.verification.repair import repair as mend  # noqa: PLC0415
        from component.dataset.verification.verify import verify as look  # noqa: PLC0415
        from component.report.results.datasets import describe_verdict, verdict_lines  # noqa: PLC0415

        nonlocal faulty
        address = open_address(dataset)
        done: tuple[str, ...] = ()
        if repair:
            _, done = mend(
                address.store,
                address.uuid,
                orphans=orphans,
                damaged=damaged,
                state=state,
                rebuild_header=rebuild_header,
            )
        verdict = look(address.store, address.uuid, fast=fast)
        faulty = bool(verdict.faults)
        found = describe_verdict(verdict, done)
        return found, verdict_lines(found)

    answer(work, output)
    if faulty:
        raise typer.Exit(1)


def restore(
    dataset: Dataset,
    as_of: Annotated[str, typer.Argument(metavar="COMMIT|TIME", help="The state to go back to.")],
    output: Format = "text",
) -> None:
    """Make an earlier state the live one again, as a new commit."""
    _go_back(dataset, as_of, output)


def rollback(dataset: Dataset, output: Format = "text") -> None:
    """Make the state before the live one the live one again, as a new commit: `restore HEAD~1`."""
    _go_back(dataset, "HEAD~1", output)


def _go_back(dataset: str, as_of: str, output: str) -> None:
    def work() -> tuple[Any, Sequence[str]]:
        from component.dataset.changes.restore import restore as go_back  # noqa: PLC0415
        from component.dataset.format.address import open_address  # noqa: PLC0415
        from component.report.results.datasets import describe_commit  # noqa: PLC0415

        address = open_address(dataset)
        state = go_back(address.store, address.uuid, moment(as_of) or "")
        return describe_commit(state), [f"{address.uuid}: as it was after commit {state.id}"]

    answer(work, output)


def copy(
    dataset: Dataset,
    target: Annotated[str, typer.Argument(metavar="STORE/UUID", help="Where to; it must not exist.")],
    table: Annotated[
        str | None, typer.Option(help="Copy this table alone, as a dataset of one table; by default all.")
    ] = None,
    output: Format = "text",
) -> None:
    """Copy the live state of a dataset."""

    def work() -> tuple[Any, Sequence[str]]:
        from component.dataset.changes.copying import copy_dataset  # noqa: PLC0415
        from component.dataset.changes.table_copy import copy_table  # noqa: PLC0415
        from component.dataset.format.address import open_address  # noqa: PLC0415

        source, goal = open_address(dataset), open_address(target)
        if table is not None:
            count = copy_table(source.store, source.uuid, table, goal.store, goal.uuid)
            return {"uuid": goal.uuid, "files": count}, [f"{goal.uuid}: {count:,} files of {table} are copied"]
        count = copy_dataset(source.store, source.uuid, goal.store, goal.uuid)
        return {"uuid": goal.uuid, "objects": count}, [f"{goal.uuid}: {count:,} objects are copied"]

    answer(work, output)


def rename(
    dataset: Dataset,
    uuid: Annotated[str, typer.Argument(metavar="UUID", help="The new uuid, in the same store.")],
    output: Format = "text",
) -> None:
    """Give a dataset another uuid; its history stays behind."""

    def work() -> tuple[Any, Sequence[str]]:
        from component.dataset.changes.copying import rename_dataset  # noqa: PLC0415
        from component.dataset.format.address import open_address  # noqa: PLC0415

        address = open_address(dataset)
        rename_dataset(address.store, address.uuid, uuid)
        return {"uuid": uuid}, [f"{address.uuid} is {uuid} now"]

    answer(work, output)


def gc(
    dataset: Dataset,
    delete: Annotated[bool, typer.Option("--delete", help="Delete it; else it is only listed.")] = False,
    min_age: Annotated[
        float,
        typer.Option(
            metavar="HOURS", help="Younger objects stay: they may belong to a writer that has not committed yet.", min=0
        ),
    ] = 24,
    keep_commits: Annotated[int, typer.Option(metavar="N", help="So many states stay readable.", min=1)] = 10,
    keep_days: Annotated[
        float, typer.Option(metavar="DAYS", help="So do all that were live within so many days.", min=0)
    ] = 7,
    output: Format = "text",
) -> None:
    """Find what nobody needs any more: files of older states, and what failed runs left behind."""

    def work() -> tuple[Any, Sequence[str]]:
        from component.dataset.commits.garbage import Retention, check_there, collect, find_garbage  # noqa: PLC0415
        from component.dataset.format.address import open_address  # noqa: PLC0415
        from component.report.results.datasets import describe_garbage, garbage_lines  # noqa: PLC0415

        address = open_address(dataset)
        check_there(address.store, address.uuid)
        retention = Retention(keep_commits, dt.timedelta(days=keep_days))
        found = find_garbage(address.store, address.uuid, min_age=dt.timedelta(hours=min_age), retention=retention)
        if delete:
            collect(address.store, found)
        described = describe_garbage(found, deleted=delete)
        return described, garbage_lines(described)

    answer(work, output)


def delete(
    dataset: Dataset,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    output: Format = "text",
) -> None:
    """Delete a dataset with its history; readers see it whole or gone."""
    if not yes:
        typer.confirm(f"Delete {dataset} with its history?", abort=True, err=True)

    def work() -> tuple[Any, Sequence[str]]:
        from component.dataset.commits.garbage import delete_dataset  # noqa: PLC0415
        from component.dataset.format.address import open_address  # noqa: PLC0415

        address = open_address(dataset)
        count = delete_dataset(address.store, address.uuid)
        return {"uuid": address.uuid, "objects": count}, [f"{address.uuid} is deleted: {count} objects"]

    answer(work, output)
