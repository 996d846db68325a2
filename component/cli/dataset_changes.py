"""`tablemill dataset`: operations on a dataset as a whole that commit, and the verification."""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from component.cli.dataset import Dataset, Format, answer, app, moment

if TYPE_CHECKING:
    from component.dataset.commits.commit import Prepared
    from component.dataset.format.address import Address

__all__ = ["app"]

Columns = Annotated[str, typer.Option("--columns", metavar="A,B", help="The columns.")]


def change(
    dataset: str, output: str, what: str, make: Callable[[Address], Prepared | None], nothing: str = "nothing to do"
) -> None:
    """Carry out an operation and say what the dataset is then."""

    def work() -> tuple[Any, Sequence[str]]:
        from component.dataset.format.address import open_address  # noqa: PLC0415
        from component.report.amounts import counted  # noqa: PLC0415

        address = open_address(dataset)
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always", UserWarning)
            done = make(address)
        for one in said:
            typer.echo(f"warning: {one.message}", err=True)
        if done is None:
            return {"uuid": address.uuid, "changed": False}, [f"{address.uuid}: {nothing}"]
        header = done.header
        files = counted(len(header.partitions), "file")
        found = {
            "uuid": address.uuid,
            "changed": True,
            "commit": header.extras.get("commit"),
            "files": len(header.partitions),
            "secondary_indices": sorted(header.indices),
        }
        return found, [f"{address.uuid}: {what}; {files}, commit {found['commit']}"]

    answer(work, output)


def names_in(text: str) -> tuple[str, ...]:
    """Return the names in a list with commas."""
    return tuple(name.strip() for name in text.split(",") if name.strip())


@app.command(epilog="Example: tablemill dataset verify file:///data/store/flights")
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
        from component.report.datasets import describe_verdict, verdict_lines  # noqa: PLC0415

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


@app.command("build-index", epilog="Example: tablemill dataset build-index file:///store/flights --columns tailnum")
def build_index(dataset: Dataset, columns: Columns, output: Format = "text") -> None:
    """Build secondary indices from the data, or build them again."""

    def make(address: Address) -> Prepared | None:
        from component.dataset.changes.operations import build_indices  # noqa: PLC0415
        from component.dataset.commits.fit import index_doubts  # noqa: PLC0415

        done = build_indices(address.store, address.uuid, names_in(columns))
        for doubt in index_doubts(done.plan.layouts) if done is not None else ():
            sys.stderr.write(f"warning: {doubt}\n")
        return done

    change(dataset, output, f"indexed on {columns}", make)


@app.command("drop-index", epilog="Example: tablemill dataset drop-index file:///data/store/flights --columns tailnum")
def drop_index(dataset: Dataset, columns: Columns, output: Format = "text") -> None:
    """Drop secondary indices."""

    def make(address: Address) -> Prepared | None:
        from component.dataset.changes.operations import drop_indices  # noqa: PLC0415

        return drop_indices(address.store, address.uuid, names_in(columns))

    change(dataset, output, f"no longer indexed on {columns}", make)


@app.command("set", epilog="Example: tablemill dataset set file:///data/store/flights owner=me --unset team")
def set_keys(
    dataset: Dataset,
    values: Annotated[
        list[str] | None, typer.Argument(metavar="KEY=VALUE...", help="The value in JSON, or bare text.")
    ] = None,
    unset: Annotated[list[str] | None, typer.Option(metavar="KEY", help="Take a key away.", show_default=False)] = None,
    output: Format = "text",
) -> None:
    """Set and unset keys of the metadata."""

    def make(address: Address) -> Prepared | None:
        from component.dataset.changes.operations import set_metadata  # noqa: PLC0415

        return set_metadata(address.store, address.uuid, dict(map(_pair, values or ())), tuple(unset or ()))

    change(dataset, output, "metadata are set", make, "the metadata are so already")


def _pair(text: str) -> tuple[str, Any]:
    key, equals, value = text.partition("=")
    if not equals:
        from component.errors import UserError  # noqa: PLC0415

        raise UserError(
            "config.value", f"{text!r} is no KEY=VALUE", remedy="Write the key, an equals sign and the value."
        )
    try:
        return key, json.loads(value)
    except ValueError:
        return key, value


@app.command(epilog="Example: tablemill dataset restore file:///data/store/flights 2026-11-20T12:00")
def restore(
    dataset: Dataset,
    as_of: Annotated[str, typer.Argument(metavar="COMMIT|TIME", help="The state to go back to.")],
    output: Format = "text",
) -> None:
    """Make an earlier state the live one again, as a new commit."""
    _go_back(dataset, as_of, output)


@app.command(epilog="Example: tablemill dataset rollback file:///data/store/flights")
def rollback(dataset: Dataset, output: Format = "text") -> None:
    """Make the state before the live one the live one again, as a new commit: `restore HEAD~1`."""
    _go_back(dataset, "HEAD~1", output)


def _go_back(dataset: str, as_of: str, output: str) -> None:
    def work() -> tuple[Any, Sequence[str]]:
        from component.dataset.changes.restore import restore as go_back  # noqa: PLC0415
        from component.dataset.format.address import open_address  # noqa: PLC0415
        from component.report.datasets import describe_commit  # noqa: PLC0415

        address = open_address(dataset)
        state = go_back(address.store, address.uuid, moment(as_of) or "")
        return describe_commit(state), [f"{address.uuid}: as it was after commit {state.id}"]

    answer(work, output)


@app.command(epilog="Example: tablemill dataset copy file:///data/store/flights file:///backup/flights")
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


@app.command(epilog="Example: tablemill dataset rename file:///data/store/flights flights_2013")
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
