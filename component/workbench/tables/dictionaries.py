"""Dictionary-coded text: as Workbench wants it, and tables as one piece of memory."""

from __future__ import annotations

from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from component.workbench.tables.faults import TableRule, invalid

INDEX_TYPES: Final = (pa.int8(), pa.int16(), pa.int32())


def one_batch(rows: pa.Table) -> pa.Table:
    """Return rows of which each column is one piece, dictionaries as Workbench wants them.

    UserError `workbench.invalid` (TableHasTooManyRecordBatches) for a column of more text than one piece can hold
    (2 GiB).
    """
    whole = rows.unify_dictionaries().combine_chunks()
    for number, field in enumerate(whole.schema):
        if whole.column(number).num_chunks > 1:
            text = "a column has more text than one record batch can hold (2 GiB)"
            raise invalid(
                TableRule.TABLE_HAS_TOO_MANY_RECORD_BATCHES, text, column=field.name, remedy="Split the table by rows."
            )
        if pa.types.is_dictionary(field.type) and whole.num_rows:
            whole = whole.set_column(number, field, _sound(whole.column(number).chunk(0)))
    return whole


def _sound(values: pa.DictionaryArray) -> Any:
    """Return text with a dictionary of what it uses, each once and no null, by the same indices if they suffice."""
    words = values.dictionary
    used = pc.count_distinct(values.indices, mode="only_valid").as_py()
    if used == len(words) == pc.count_distinct(words, mode="only_valid").as_py():
        return values
    coded = values.cast(pa.string()).dictionary_encode()
    return pa.DictionaryArray.from_arrays(coded.indices.cast(values.type.index_type), coded.dictionary)
