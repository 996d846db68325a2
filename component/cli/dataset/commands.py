"""Every command of `tablemill dataset`, in the order and the groups that its help lists them in.

Each stands for one operation of `tablemill`. What the operation does is said in its docstring, of which the first
paragraph is the help of the command; a docstring of the command adds what is true of the command alone.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Final

import typer
from typer.core import TyperCommand

from component.cli.dataset import look, rows, structure, upkeep


@dataclass(frozen=True, slots=True)
class Command:
    """One command: its name, what carries it out, the operation of `tablemill` that this calls, and an example."""

    name: str
    call: Callable[..., None]
    operation: str
    example: str

    @property
    def help(self) -> str:
        """What the operation does, and what is true of the command alone."""
        import tablemill

        operation = reduce(getattr, self.operation.split("."), tablemill)
        does = (inspect.getdoc(operation) or "").partition("\n\n")[0]
        return " ".join(filter(None, (does, inspect.getdoc(self.call))))


COMMANDS: Final[Mapping[str, tuple[Command, ...]]] = {
    "Look at datasets": (
        Command("ls", look.ls, "listing", "tablemill dataset ls file:///data/store"),
        Command("show", look.show, "Dataset.describe", "tablemill dataset show file:///data/store/flights"),
        Command("stats", look.stats, "Dataset.stats", "tablemill dataset stats file:///data/store/flights"),
        Command("history", look.history, "Dataset.history", "tablemill dataset history file:///data/store/flights"),
        Command("diff", look.diff, "Dataset.diff", "tablemill dataset diff file:///data/store/flights HEAD~3 HEAD"),
        Command(
            "query",
            look.query,
            "Dataset.read",
            "tablemill dataset query file:///data/store/flights --where 'origin == \"EWR\"' --limit 10",
        ),
    ),
    "Change rows": (
        Command(
            "append",
            rows.append,
            "Dataset.append",
            "tablemill dataset append file:///data/store/trips more.parquet --table seats",
        ),
        Command(
            "overwrite",
            rows.overwrite,
            "Dataset.overwrite",
            "tablemill dataset overwrite file:///data/store/trips new.parquet --table seats",
        ),
        Command(
            "upsert",
            rows.upsert,
            "Dataset.upsert",
            "tablemill dataset upsert file:///data/store/flights new.parquet --key flight,day",
        ),
        Command(
            "delete-keys",
            rows.delete_keys,
            "Dataset.delete_keys",
            "tablemill dataset delete-keys file:///data/store/f gone.csv --key id",
        ),
        Command(
            "delete-rows",
            rows.delete_rows,
            "Dataset.delete_rows",
            "tablemill dataset delete-rows file:///store/flights --where 'month == 2'",
        ),
        Command(
            "delete-partitions",
            rows.delete_partitions,
            "Dataset.delete_partitions",
            "tablemill dataset delete-partitions file:///store/f --scope '{\"month\": 2}'",
        ),
        Command(
            "replace-partitions",
            rows.replace_partitions,
            "Dataset.replace_partitions",
            "tablemill dataset replace-partitions file:///store/f new.parquet --scope '{\"month\": 2}'",
        ),
        Command(
            "compact",
            rows.compact,
            "Dataset.compact",
            "tablemill dataset compact file:///data/store/flights --target-mb 128",
        ),
    ),
    "Change columns and indices": (
        Command(
            "add-column",
            structure.add_column,
            "Dataset.add_column",
            "tablemill dataset add-column file:///store/flights airline string",
        ),
        Command(
            "widen",
            structure.widen,
            "Dataset.widen",
            "tablemill dataset widen file:///data/store/flights distance 'numeric(12,2)'",
        ),
        Command(
            "rename-column",
            structure.rename_column,
            "Dataset.rename_column",
            "tablemill dataset rename-column file:///store/flights dep departure",
        ),
        Command(
            "drop-column",
            structure.drop_column,
            "Dataset.drop_column",
            "tablemill dataset drop-column file:///data/store/flights tailnum",
        ),
        Command(
            "build-index",
            structure.build_index,
            "Dataset.build_index",
            "tablemill dataset build-index file:///store/flights --columns tailnum",
        ),
        Command(
            "drop-index",
            structure.drop_index,
            "Dataset.drop_index",
            "tablemill dataset drop-index file:///data/store/flights --columns tailnum",
        ),
        Command(
            "set",
            structure.set_metadata,
            "Dataset.set_metadata",
            "tablemill dataset set file:///data/store/flights owner=me --unset team",
        ),
    ),
    "Keep datasets in order": (
        Command("verify", upkeep.verify, "Dataset.verify", "tablemill dataset verify file:///data/store/flights"),
        Command(
            "restore",
            upkeep.restore,
            "Dataset.restore",
            "tablemill dataset restore file:///data/store/flights 2026-11-20T12:00",
        ),
        Command(
            "rollback", upkeep.rollback, "Dataset.restore", "tablemill dataset rollback file:///data/store/flights"
        ),
        Command(
            "copy",
            upkeep.copy,
            "Dataset.copy",
            "tablemill dataset copy file:///data/store/flights file:///backup/flights",
        ),
        Command(
            "rename",
            upkeep.rename,
            "Dataset.rename",
            "tablemill dataset rename file:///data/store/flights flights_2013",
        ),
        Command(
            "gc", upkeep.gc, "Dataset.gc", "tablemill dataset gc file:///data/store/flights --keep-commits 3 --delete"
        ),
        Command("delete", upkeep.delete, "Dataset.delete", "tablemill dataset delete file:///data/store/flights --yes"),
    ),
}


class OperationCommand(TyperCommand):
    """A command that loads its operation, to quote it, only when help is asked for."""

    def _help(self) -> str:
        return BY_NAME[str(self.name)].help

    def _take_no_other(self, _: str | None) -> None:
        """Typer gives the docstring of the function, which is a part of the help."""

    help = property(_help, _take_no_other)


BY_NAME: Final = {command.name: command for commands in COMMANDS.values() for command in commands}

app = typer.Typer(name="dataset", help="Look at datasets, ask them questions, clean them up.", no_args_is_help=True)
for group, commands in COMMANDS.items():
    for command in commands:
        register = app.command(
            command.name, cls=OperationCommand, epilog=f"Example: {command.example}", rich_help_panel=group
        )
        register(command.call)
