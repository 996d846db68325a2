"""`tablemill dataset`: verify, go back, copy, rename, collect garbage, delete."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import Annotated, Any, Literal

import typer

from component import naming
from component.cli.dataset.options import Address, Format, answer


def verify(
    dataset: Address,
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
    """Exit code 1 when something is wrong and was not mended."""
    sound = True

    def work() -> tuple[Any, Sequence[str]]:
        import tablemill
        from component.report.results.datasets import describe_verdict, verdict_lines

        nonlocal sound
        done = tablemill.Dataset(dataset).verify(
            fast=fast, repair=repair, orphans=orphans, damaged=damaged, state=state, rebuild_header=rebuild_header
        )
        sound = done.sound
        found = describe_verdict(done.verdict, done.repaired)
        return found, verdict_lines(found)

    answer(work, output)
    if not sound:
        raise typer.Exit(1)


def restore(
    dataset: Address,
    as_of: Annotated[str, typer.Argument(metavar="COMMIT|TIME", help="The state to go back to.")],
    output: Format = "text",
) -> None:
    def work() -> tuple[Any, Sequence[str]]:
        import tablemill
        from component.report.results.datasets import describe_commit

        changed = tablemill.Dataset(dataset)
        state = changed.restore(as_of)
        return describe_commit(state), [f"{changed.uuid}: as it was after commit {state.id}"]

    answer(work, output)


def rollback(dataset: Address, output: Format = "text") -> None:
    """Go back by one state: `restore HEAD~1`."""
    restore(dataset, "HEAD~1", output)


def copy(
    dataset: Address,
    target: Annotated[str, typer.Argument(metavar="STORE/UUID", help="Where to; it must not exist.")],
    table: Annotated[
        str | None, typer.Option(help="Copy this table alone, as a dataset of one table; by default all.")
    ] = None,
    output: Format = "text",
) -> None:
    def work() -> tuple[Any, Sequence[str]]:
        import tablemill

        twin = tablemill.Dataset(dataset).copy(target, table=table)
        header = twin.commit.header
        if table is not None:
            count = len(header.partitions)
            return {"uuid": twin.uuid, "files": count}, [f"{twin.uuid}: {count:,} files of {table} are copied"]
        count = sum(map(len, header.partitions.values())) + len(header.indices) + len(header.tables) + 1
        return {"uuid": twin.uuid, "objects": count}, [f"{twin.uuid}: {count:,} objects are copied"]

    answer(work, output)


def rename(
    dataset: Address,
    uuid: Annotated[str, typer.Argument(metavar="UUID", help="The new uuid, in the same store.")],
    output: Format = "text",
) -> None:
    def work() -> tuple[Any, Sequence[str]]:
        import tablemill

        changed = tablemill.Dataset(dataset)
        before = changed.uuid
        changed.rename(uuid)
        return {"uuid": uuid}, [f"{before} is {uuid} now"]

    answer(work, output)


def gc(
    dataset: Address,
    delete: Annotated[bool, typer.Option("--delete", help="Delete it; else it is only listed.")] = False,
    min_age: Annotated[
        float,
        typer.Option(
            metavar="HOURS", help="Younger objects stay: they may belong to a writer that has not committed yet.", min=0
        ),
    ] = naming.GARBAGE_MIN_AGE / dt.timedelta(hours=1),
    keep_commits: Annotated[
        int, typer.Option(metavar="N", help="Keep at least this many states readable.", min=1)
    ] = naming.KEEP_COMMITS,
    keep_days: Annotated[
        float, typer.Option(metavar="DAYS", help="Keep every state that was live within this many days.", min=0)
    ] = naming.KEEP_DAYS,
    output: Format = "text",
) -> None:
    def work() -> tuple[Any, Sequence[str]]:
        import tablemill
        from component.report.results.datasets import describe_garbage, garbage_lines

        found = describe_garbage(
            tablemill.Dataset(dataset).gc(
                delete=delete, min_age=dt.timedelta(hours=min_age), keep_commits=keep_commits, keep_days=keep_days
            ),
            deleted=delete,
        )
        return found, garbage_lines(found)

    answer(work, output)


def delete(
    dataset: Address,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    output: Format = "text",
) -> None:
    if not yes:
        typer.confirm(f"Delete {dataset} with its history?", abort=True, err=True)

    def work() -> tuple[Any, Sequence[str]]:
        import tablemill

        gone = tablemill.Dataset(dataset)
        count = gone.delete()
        return {"uuid": gone.uuid, "objects": count}, [f"{gone.uuid} is deleted: {count} objects"]

    answer(work, output)
