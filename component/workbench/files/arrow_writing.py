"""Arrow files and sidecars written in the style of 2021: whole or not at all, and read back before they count."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

import pyarrow as pa

from component import identity
from component.folder.layout import writing
from component.store.files import force, force_folder, unfinished_file
from component.workbench.files.arrow_file import checked_table, open_arrow, sidecar_of
from component.workbench.files.table_metadata import metadata_of, metadata_text, require_agreement
from component.workbench.rules.limits import WORKBENCH_2021, TableSizes, within_limits
from component.workbench.rules.reading import ReadingMode
from component.workbench.tables.dictionaries import one_batch
from component.workbench.tables.table import WorkbenchTable, stated


def write_arrow_file(path: Path, table: WorkbenchTable, *, limits: TableSizes = WORKBENCH_2021) -> None:
    """Write an Arrow file with formats and units in its fields, and its sidecar.

    What was written is read again, checked against all rules and against its metadata, and only then gets its name. At
    every moment there are the old pair, an Arrow file alone, or the new pair. A table without columns is a file of no
    bytes. UserError `workbench.invalid`, `workbench.limit`, `output.unwritable`, `store.full`; then nothing is there.
    """
    rows = one_batch(table.rows)
    whole = WorkbenchTable(table.columns, rows)
    require_agreement(metadata_of(whole), rows.schema, rows.num_rows)
    within_limits(whole, limits, ReadingMode.STRICT)
    sidecar = sidecar_of(path)
    hidden = path.with_name(f".{identity.new_hex()}.part")
    with writing(path), unfinished_file(hidden) as arrow, unfinished_file(sidecar_of(hidden)) as said:
        _fill(arrow, whole)
        said.write(metadata_text(metadata_of(whole)).encode())
        force(arrow)
        force(said)
        if table.columns:
            checked_table(open_arrow(hidden), metadata_of(whole), limits.name_bytes)
        sidecar.unlink(missing_ok=True)
        hidden.rename(path)
        sidecar_of(hidden).rename(sidecar)
        force_folder(path.parent)


def _fill(file: BinaryIO, table: WorkbenchTable) -> None:
    if not table.columns:
        return
    rows = stated(table)
    with pa.ipc.new_file(file, rows.schema) as writer:
        writer.write_table(rows)
