"""What the footers of data files add to the plan of a question (`reader.explain_scan`): row groups left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa

from component.dataset.files.csv_file import open_data
from component.dataset.files.footer import naming_file, open_footer
from component.dataset.files.pruning import groups_wanted
from component.dataset.reading.reader import FileScan
from component.store.base import Store


@dataclass(frozen=True, slots=True)
class FooterPruning:
    """What the footers of the files whose rows are asked something say: how many statistics leave out, of what.

    A file is left out when all its row groups are. `rows` are those in the row groups that are left, which are looked
    at one by one.
    """

    files: int
    pruned_files: int
    row_groups: int
    pruned_row_groups: int
    rows: int


def explain_reading(store: Store, schema: pa.Schema, scans: Sequence[FileScan]) -> FooterPruning:
    """Return what reading the scans will come to; opens each file that is asked something, and reads no rows.

    UserError `store.missing` and `dataset.format` as reading does.
    """
    asked = [scan for scan in scans if scan.keep]
    files = groups = left = rows = 0
    for scan in asked:
        with naming_file(scan.key), open_data(store, scan.key, schema) as file:
            parquet = open_footer(file)
            wanted = groups_wanted(parquet, schema, scan.keep)
        files += not wanted
        groups += parquet.num_row_groups
        left += len(wanted)
        rows += sum(parquet.metadata.row_group(number).num_rows for number in wanted)
    return FooterPruning(len(asked), files, groups, groups - left, rows)
