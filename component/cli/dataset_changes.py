"""`tablemill dataset`: operations that commit, and the verification."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from component.cli.dataset import Dataset, Format, Where, answer, app, moment

if TYPE_CHECKING:
    from component.dataset.address import Address
    from component.dataset.commit import Prepared

__all__ = ["app"]

Columns = Annotated[str, typer.Option("--columns", metavar="A,B", help="The columns.")]


def _change(
    dataset: str, output: str, what: str, make: Callable[[Address], Prepared | None], nothing: str = "nothing to do"
) -> None:
    """Carry out an operation and say what the dataset is then."""

    def work() -> tuple[Any, Sequence[str]]:
        from component.dataset.address import open_address  # noqa: PLC0415

        address = open_address(dataset)
        done = make(address)
        if done is None:
            return {"uuid": address.uuid, "changed": False}, [f"{address.uuid}: {nothing}"]
        header = done.header
        found = {
            "uuid": address.uuid,
            "changed": True,
            "commit": header.extras.get("commit"),
            "files": len(header.partitions),
            "secondary_indices": sorted(header.indices),
        }
        return found, [f"{address.uuid}: {what}; {len(header.partitions):,} files, commit {found['commit']}"]

    answer(work, output)


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


@app.command(epilog="Example: tablemill dataset verify file:///data/store/flights")
def verify(
    dataset: Dataset,
    repair: Annotated[bool, typer.Option("--repair", help="Mend what can be mended, in one commit.")] = False,
    output: Format = "text",
) -> None:
    """Read a whole dataset and say what is wrong with it; exit code 1 when something is (and was not mended)."""
    faulty = False

    def work() -> tuple[Any, Sequence[str]]:
        from component.dataset.address import open_address  # noqa: PLC0415
        from component.dataset.verify import repair as mend  # noqa: PLC0415
        from component.dataset.verify import verify as look  # noqa: PLC0415
        from component.report.datasets import describe_verdict, verdict_lines  # noqa: PLC0415

        nonlocal faulty
        address = open_address(dataset)
        done: tuple[str, ...] = ()
        if repair:
            _, done = mend(address.store, address.uuid)
        verdict = look(address.store, address.uuid)
        faulty = bool(verdict.faults)
        found = describe_verdict(verdict, done)
        return found, verdict_lines(found)

    answer(work, output)
    if faulty:
        raise typer.Exit(1)


@app.command("delete-rows", epilog="Example: tablemill dataset delete-rows file:///store/flights --where 'month == 2'")
def delete_rows(
    dataset: Dataset,
    where: Where = None,
    predicates: Annotated[str | None, typer.Option(metavar="JSON", help="As for query.", show_default=False)] = None,
    output: Format = "text",
) -> None:
    """Delete the rows for which all conditions are true; rows where one is unknown, because of a null, stay."""

    def make(address: Address) -> Prepared | None:
        from component.dataset.operations import delete_rows as delete  # noqa: PLC0415
        from component.dataset.question import parse_question  # noqa: PLC0415

        return delete(address.store, address.uuid, parse_question(where or (), predicates) or [])

    _change(dataset, output, "rows are deleted", make, "no row is like that")


@app.command(epilog="Example: tablemill dataset compact file:///data/store/flights --target-mb 128")
def compact(
    dataset: Dataset,
    target_mb: Annotated[int, typer.Option(metavar="MB", help="About so large may a new file be.", min=1)] = 128,
    sort_by: Annotated[str, typer.Option(metavar="A,B", help="Sort the rows of new files.", show_default=False)] = "",
    output: Format = "text",
) -> None:
    """Write the small files of each partition again as few larger ones."""

    def make(address: Address) -> Prepared | None:
        from component.dataset.operations import compact as write  # noqa: PLC0415

        return write(address.store, address.uuid, target_bytes=target_mb * 1024**2, sort_by=_names(sort_by))

    _change(dataset, output, "small files are put together", make, "no partition has several small files")


@app.command("build-index", epilog="Example: tablemill dataset build-index file:///store/flights --columns tailnum")
def build_index(dataset: Dataset, columns: Columns, output: Format = "text") -> None:
    """Build secondary indices from the data, or build them again."""

    def make(address: Address) -> Prepared | None:
        from component.dataset.operations import build_indices  # noqa: PLC0415

        return build_indices(address.store, address.uuid, _names(columns))

    _change(dataset, output, f"indexed on {columns}", make)


@app.command("drop-index", epilog="Example: tablemill dataset drop-index file:///data/store/flights --columns tailnum")
def drop_index(dataset: Dataset, columns: Columns, output: Format = "text") -> None:
    """Drop secondary indices."""

    def make(address: Address) -> Prepared | None:
        from component.dataset.operations import drop_indices  # noqa: PLC0415

        return drop_indices(address.store, address.uuid, _names(columns))

    _change(dataset, output, f"no longer indexed on {columns}", make)


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
        from component.dataset.operations import set_metadata  # noqa: PLC0415

        return set_metadata(address.store, address.uuid, dict(map(_pair, values or ())), tuple(unset or ()))

    _change(dataset, output, "metadata are set", make, "the metadata are so already")


def _pair(text: str) -> tuple[str, Any]:
    key, equals, value = text.partition("=")
    if not equals:
        from component.errors import UserError  # noqa: PLC0415

        raise UserError("config.value", f"{text!r} is no KEY=VALUE")
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

    def work() -> tuple[Any, Sequence[str]]:
        from component.dataset.address import open_address  # noqa: PLC0415
        from component.dataset.restore import restore as go_back  # noqa: PLC0415
        from component.report.datasets import describe_commit  # noqa: PLC0415

        address = open_address(dataset)
        state = go_back(address.store, address.uuid, moment(as_of) or "")
        return describe_commit(state), [f"{address.uuid}: as it was after commit {state.id}"]

    answer(work, output)


@app.command(epilog="Example: tablemill dataset copy file:///data/store/flights file:///backup/flights")
def copy(
    dataset: Dataset,
    target: Annotated[str, typer.Argument(metavar="STORE/UUID", help="Where to; it must not exist.")],
    output: Format = "text",
) -> None:
    """Copy the live state of a dataset."""

    def work() -> tuple[Any, Sequence[str]]:
        from component.dataset.address import open_address  # noqa: PLC0415
        from component.dataset.copying import copy_dataset  # noqa: PLC0415

        source, goal = open_address(dataset), open_address(target)
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
        from component.dataset.address import open_address  # noqa: PLC0415
        from component.dataset.copying import rename_dataset  # noqa: PLC0415

        address = open_address(dataset)
        rename_dataset(address.store, address.uuid, uuid)
        return {"uuid": uuid}, [f"{address.uuid} is {uuid} now"]

    answer(work, output)
