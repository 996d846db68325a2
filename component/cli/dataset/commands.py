"""Every command of `tablemill dataset`, in the order and the groups that its help lists them in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import typer

from component.cli.dataset import look, rows, structure, upkeep

COMMANDS: Final[Mapping[str, tuple[tuple[str, Callable[..., None], str], ...]]] = {
    "Look at datasets": (
        ("ls", look.ls, "tablemill dataset ls file:///data/store"),
        ("show", look.show, "tablemill dataset show file:///data/store/flights"),
        ("stats", look.stats, "tablemill dataset stats file:///data/store/flights"),
        ("history", look.history, "tablemill dataset history file:///data/store/flights"),
        ("diff", look.diff, "tablemill dataset diff file:///data/store/flights HEAD~3 HEAD"),
        (
            "query",
            look.query,
            "tablemill dataset query file:///data/store/flights --where 'origin == \"EWR\"' --limit 10",
        ),
    ),
    "Change rows": (
        (
            "append",
            rows.append,
            "tablemill dataset append file:///data/store/trips more.parquet --table seats",
        ),
        (
            "overwrite",
            rows.overwrite,
            "tablemill dataset overwrite file:///data/store/trips new.parquet --table seats",
        ),
        (
            "upsert",
            rows.upsert,
            "tablemill dataset upsert file:///data/store/flights new.parquet --key flight,day",
        ),
        (
            "delete-keys",
            rows.delete_keys,
            "tablemill dataset delete-keys file:///data/store/f gone.csv --key id",
        ),
        (
            "delete-rows",
            rows.delete_rows,
            "tablemill dataset delete-rows file:///store/flights --where 'month == 2'",
        ),
        (
            "delete-partitions",
            rows.delete_partitions,
            "tablemill dataset delete-partitions file:///store/f --scope '{\"month\": 2}'",
        ),
        (
            "replace-partitions",
            rows.replace_partitions,
            "tablemill dataset replace-partitions file:///store/f new.parquet --scope '{\"month\": 2}'",
        ),
        ("compact", rows.compact, "tablemill dataset compact file:///data/store/flights --target-mb 128"),
    ),
    "Change columns and indices": (
        (
            "add-column",
            structure.add_column,
            "tablemill dataset add-column file:///store/flights airline string",
        ),
        (
            "widen",
            structure.widen,
            "tablemill dataset widen file:///data/store/flights distance 'numeric(12,2)'",
        ),
        (
            "rename-column",
            structure.rename_column,
            "tablemill dataset rename-column file:///store/flights dep departure",
        ),
        (
            "drop-column",
            structure.drop_column,
            "tablemill dataset drop-column file:///data/store/flights tailnum",
        ),
        (
            "build-index",
            structure.build_index,
            "tablemill dataset build-index file:///store/flights --columns tailnum",
        ),
        (
            "drop-index",
            structure.drop_index,
            "tablemill dataset drop-index file:///data/store/flights --columns tailnum",
        ),
        ("set", structure.set_keys, "tablemill dataset set file:///data/store/flights owner=me --unset team"),
    ),
    "Keep datasets in order": (
        ("verify", upkeep.verify, "tablemill dataset verify file:///data/store/flights"),
        ("restore", upkeep.restore, "tablemill dataset restore file:///data/store/flights 2026-11-20T12:00"),
        ("rollback", upkeep.rollback, "tablemill dataset rollback file:///data/store/flights"),
        ("copy", upkeep.copy, "tablemill dataset copy file:///data/store/flights file:///backup/flights"),
        ("rename", upkeep.rename, "tablemill dataset rename file:///data/store/flights flights_2013"),
        ("gc", upkeep.gc, "tablemill dataset gc file:///data/store/flights --keep-commits 3 --delete"),
        ("delete", upkeep.delete, "tablemill dataset delete file:///data/store/flights --yes"),
    ),
}
"""Group -> its commands: the name, the function, and an example."""

app = typer.Typer(name="dataset", help="Look at datasets, ask them questions, clean them up.", no_args_is_help=True)
for group, commands in COMMANDS.items():
    for name, command, example in commands:
        app.command(name, epilog=f"Example: {example}", rich_help_panel=group)(command)
